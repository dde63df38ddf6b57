"""The softmax auction, laws of the reply and decoding against the oracle's long decimals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from math import inf, isclose, log
from random import Random
from typing import Any

import jax
import numpy as np
import pytest
from auction_cases import EXTREME, ORDINARY, SPECIAL, Case
from reference import auction as oracle

from mechanisms.language_models import DecodedModel, MixtureModel, NGramModel, TableModel
from mechanisms.softmax_auction import (
    AuctionOutcome,
    certified_auction,
    exact_auction,
    softmax_auction,
    softmax_payments,
    with_jax,
)
from theory.divergence import kl_divergence, total_variation
from theory.resampling import first_order_term, resampling_law

F = Fraction
ALL = [*SPECIAL, *ORDINARY, *EXTREME]
DIGITS = 80


@pytest.fixture(autouse=True)
def many_digits() -> Iterator[None]:
    with localcontext(oracle.long(DIGITS)):
        yield


def given(case: Case) -> dict[str, Any]:
    """The arguments of a case as the library takes them."""
    laws = {"log_ref": case.log_ref, "log_gen": case.log_gen}
    arrays = {name: np.array(law) for name, law in laws.items() if law is not None}
    return {"rewards": np.array(case.rewards), "tau": case.tau, **arrays}


def priced(case: Case, *, offset: bool = True) -> AuctionOutcome:
    return softmax_auction(**given(case), offset=offset)


def largest(case: Case) -> Decimal:
    return Decimal(max(abs(x) for row in case.rewards for x in row))


def scale(case: Case) -> Decimal:
    """The largest of the rewards, tau, and tau times a log-probability."""
    logs = [abs(x) for law in (case.log_ref, case.log_gen) for x in law or [] if x > -inf]
    return max(largest(case), Decimal(case.tau) * Decimal(max([1.0, *logs])))


def doubt(case: Case) -> Decimal:
    """More than the oracle's own error."""
    return scale(case) * Decimal(10) ** (8 - DIGITS)


def off(found: Any, wanted: Decimal) -> Decimal:
    return abs(Decimal(float(found)) - wanted)


def promised(case: Case, payment: Decimal) -> bool:
    """Rewards of at most 1e3 tau, and a payment of at least 1e-6 of the rewards."""
    few = largest(case) <= 1000 * Decimal(case.tau)
    return few and abs(payment) >= Decimal("1e-6") * largest(case) > 0


# --- payments and all that goes with them


@pytest.mark.parametrize("offset", [True, False])
def test_payments_lie_within_their_bounds(offset: bool) -> None:
    for case in ALL:
        exact, found = case.oracle(DIGITS), priced(case, offset=offset)
        for i in exact.agents:
            wanted = exact.payment(i, offset=offset)
            bound = Decimal(float(found.error_bounds[i]))
            assert off(found.payments[i], wanted) <= bound + doubt(case), (case, i)
            if largest(case) <= Decimal("1e13") * Decimal(case.tau):
                assert bound <= Decimal("1e-11") * scale(case), (case, i, float(bound))


@pytest.mark.parametrize("offset", [True, False])
def test_payments_have_twelve_digits_where_they_are_promised(offset: bool) -> None:
    seen = 0
    for case in ALL:
        exact = case.oracle(DIGITS)
        found = softmax_payments(**given(case), offset=offset)
        for i in exact.agents:
            wanted = exact.payment(i, offset=offset)
            if promised(case, wanted):
                seen += 1
                assert off(found[i], wanted) <= Decimal("1e-12") * abs(wanted), (case, i)
    assert seen > 60


def test_small_payments_keep_their_digits_and_none_is_below_zero() -> None:
    """Right to 1e-9 even at 1e-40, until the square of the rounding of rewards over tau is seen."""
    for case in ALL:
        exact = case.oracle(DIGITS)
        if largest(case) > 100 * Decimal(case.tau) or scale(case) > 100 * Decimal(case.tau):
            continue
        found = softmax_payments(**given(case))
        for i in exact.agents:
            wanted = exact.payment(i)
            assert found[i] >= 0
            floor = (largest(case) * Decimal("2e-16")) ** 2 / Decimal(case.tau)
            close = Decimal("1e-9") * wanted + floor + doubt(case)
            assert off(found[i], wanted) <= close, (case, i)


@pytest.mark.parametrize("offset", [True, False])
def test_everything_else_in_an_outcome(offset: bool) -> None:
    for case in ALL:
        exact, found = case.oracle(DIGITS), priced(case, offset=offset)
        close = Decimal("1e-13") * scale(case)
        assert sum(found.allocation) == pytest.approx(1, abs=1e-13)
        for j, p in enumerate(exact.allocation()):
            assert off(found.allocation[j], p) <= Decimal("1e-13"), (case, j)
        for i in exact.agents:
            for j, q in enumerate(exact.allocation_without(i)):
                assert off(found.allocation_without[i, j], q) <= Decimal("1e-13"), (case, i, j)
            pairs = {
                "expected_rewards": exact.expected_reward(i),
                "utilities": exact.utility(i, offset=offset),
                "reward_gains": exact.reward_gain(i),
                "utility_gains": exact.utility_gain(i, offset=offset),
            }
            for name, wanted in pairs.items():
                assert off(getattr(found, name)[i], wanted) <= close, (name, case, i)
        assert off(found.revenue, exact.revenue(offset=offset)) <= len(exact.agents) * close


def test_what_is_settled_adds_up_to_what_was_expected() -> None:
    """In expectation over the reply both settlements cost the payment."""
    for case in ALL[::6]:
        exact, found = case.oracle(DIGITS), priced(case)
        close = Decimal("1e-12") * scale(case)
        for settlement in ("fixed", "contingent"):
            means = [Decimal(0)] * len(exact.agents)
            for j, p in enumerate(exact.allocation()):
                settled = found.settle(j, settlement)
                for i in exact.agents:
                    paid, left = settled.payments[i], settled.utilities[i]
                    means[i] += p * Decimal(float(paid))
                    assert off(left, exact.reward(i)[j] - Decimal(float(paid))) <= close
                    if settlement == "contingent":
                        assert off(left, exact.utility(i)) <= close
                    else:
                        assert paid == found.payments[i]
            assert all(abs(means[i] - exact.payment(i)) <= close for i in exact.agents), case


@pytest.mark.parametrize("agents", [1, 3])
def test_a_batch_is_its_queries(agents: int) -> None:
    draw = Random(agents)
    shape = (2, 3)
    rewards = np.array([draw.gauss(0, 4) for _ in range(6 * agents * 5)]).reshape(2, 3, agents, 5)
    tau = np.array([10 ** draw.uniform(-1, 1) for _ in range(6)]).reshape(shape)
    ref = -np.array([draw.random() for _ in range(30)]).reshape(2, 3, 5)
    gen = -np.array([draw.random() for _ in range(5)])
    for offset in (True, False):
        found = softmax_auction(rewards, tau, ref, gen, offset=offset)
        paid = softmax_payments(rewards, tau, ref, gen, offset=offset)
        for at in np.ndindex(shape):
            case = oracle.Auction(rewards[at].tolist(), float(tau[at]), ref[at].tolist(), list(gen))
            for i in case.agents:
                wanted = case.payment(i, offset=offset)
                assert off(found.payments[*at, i], wanted) <= Decimal("1e-12") * abs(wanted)
                assert off(paid[*at, i], wanted) <= Decimal("1e-12") * abs(wanted)


# --- paths that cost more


def as_decimal(value: Any) -> Decimal:
    return oracle.decimal(F(str(value)) if not isinstance(value, float) else value)


def test_certified_payments_have_twelve_digits_everywhere() -> None:
    for case in [*SPECIAL, *EXTREME[::10]]:
        exact = case.oracle(400)
        for offset in (True, False):
            found = certified_auction(**given(case), offset=offset)
            with localcontext(oracle.long(400)):
                for i in exact.agents:
                    wanted = exact.payment(i, offset=offset)
                    error = off(found.payments[i], wanted)
                    assert error <= Decimal("1e-12") * abs(wanted) + Decimal("1e-300"), (case, i)


def odds_of(draw: Random, agents: int, candidates: int) -> tuple[list[list[F]], list[F]]:
    odds = [
        [F(draw.randint(1, 6), draw.randint(1, 6)) for _ in range(candidates)]
        for _ in range(agents)
    ]
    return odds, [F(draw.randint(0, 3)) for _ in range(candidates - 1)] + [F(1, 2)]


def test_exact_payments_are_the_definition() -> None:
    draw = Random(5)
    for number in range(30):
        odds, weights = odds_of(draw, 1 + number % 3, 1 + number % 4)
        tau = F(draw.randint(1, 5), 3)
        for offset in (True, False):
            found = exact_auction(odds, weights, tau=tau, offset=offset)
            assert list(found.allocation) == oracle.odds_allocation(odds, weights)
            for i, paid in enumerate(found.payments):
                wanted = oracle.odds_payment(odds, i, weights, tau=tau, offset=offset)
                assert isclose(float(paid), float(wanted), abs_tol=1e-14)


# --- JAX


def jaxed(cases: Sequence[Case], kind: type[np.floating]) -> dict[str, np.ndarray]:
    """All cases as one batch, so that little is compiled.

    Agents to whom all replies are worth 0 are added, and candidates that the reference never gives.
    """
    agents = max(len(case.rewards) for case in cases)
    candidates = max(len(case.rewards[0]) for case in cases)
    rewards = np.zeros((len(cases), agents, candidates), kind)
    ref = np.full((len(cases), candidates), -inf, kind)
    gen = np.zeros_like(ref)
    for k, case in enumerate(cases):
        n, m = len(case.rewards), len(case.rewards[0])
        rewards[k, :n, :m] = case.rewards
        ref[k, :m] = 0 if case.log_ref is None else case.log_ref
        gen[k, :m] = 0 if case.log_gen is None else case.log_gen
    tau = np.array([case.tau for case in cases], kind)
    return {"rewards": rewards, "tau": tau, "log_ref": ref, "log_gen": gen}


def narrowed(case: Case) -> Case:
    """The case whose numbers are those of this one in float32."""

    def rounded(values: Any) -> Any:
        return np.asarray(values, np.float32).tolist()

    laws = [None if law is None else rounded(law) for law in (case.log_ref, case.log_gen)]
    return Case(case.name, rounded(case.rewards), rounded(case.tau), *laws)


JAX: dict[str, Callable[[oracle.Auction, int], Decimal]] = {
    "softmax_payments": lambda exact, i: exact.payment(i),
    "softmax_utilities": lambda exact, i: exact.utility(i),
    "utility_gains": lambda exact, i: exact.utility_gain(i),
}


@pytest.fixture
def doubles() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


@pytest.mark.usefixtures("doubles")
@pytest.mark.parametrize("name", JAX)
def test_jax_in_float64(name: str) -> None:
    """Divergences keep their digits; utilities are right for their size."""
    found = np.asarray(getattr(with_jax, name)(**jaxed(ALL, np.float64)))
    assert found.dtype == np.float64
    for k, case in enumerate(ALL):
        exact = case.oracle(DIGITS)
        for i in exact.agents:
            wanted = JAX[name](exact, i)
            assert off(found[k, i], wanted) <= Decimal("1e-13") * scale(case), (case, i)
            if name != "softmax_utilities" and promised(case, wanted):
                assert off(found[k, i], wanted) <= Decimal("1e-12") * abs(wanted), (case, i)
        assert not found[k, len(case.rewards) :].any()


@pytest.mark.usefixtures("doubles")
def test_jax_without_offset() -> None:
    arguments = jaxed(ALL, np.float64)
    paid = np.asarray(with_jax.softmax_payments(**arguments, offset=False))
    left = np.asarray(with_jax.softmax_utilities(**arguments, offset=False))
    for k, case in enumerate(ALL):
        exact = case.oracle(DIGITS)
        close = Decimal("1e-12") * scale(case)
        for i in exact.agents:
            assert off(paid[k, i], exact.payment(i, offset=False)) <= close, (case, i)
            assert off(left[k, i], exact.utility(i, offset=False)) <= close, (case, i)


@pytest.mark.usefixtures("doubles")
def test_jax_allocations() -> None:
    """Right whatever the size of rewards over tau: sums are kept in two halves."""
    found = np.asarray(with_jax.softmax_allocation(**jaxed(ALL, np.float64)))
    for k, case in enumerate(ALL):
        law = case.oracle(DIGITS).allocation()
        for j, p in enumerate(law):
            assert off(found[k, j], p) <= Decimal("1e-12"), (case, j)
        assert not found[k, len(law) :].any()


def test_jax_in_float32() -> None:
    name = "softmax_payments"
    cases = [narrowed(case) for case in ALL[::2]]
    found = np.asarray(getattr(with_jax, name)(**jaxed(cases, np.float32)))
    assert found.dtype == np.float32
    for k, case in enumerate(cases):
        exact = case.oracle(DIGITS)
        for i in exact.agents:
            wanted = JAX[name](exact, i)
            assert off(found[k, i], wanted) <= Decimal("1e-5") * scale(case), (case, i)


# --- language models

TEXTS = ["Tea now. Tea is good.", "Tea is good now", "Now rest. Tea is hot", "Rest now"]
DECODINGS = [(1.0, 1.0), (0.8, 0.95), ("1/2", 1), ("4/5", "3/4"), (1, "1/2"), (2.0, 0.6), (3, 1)]


def exactly(value: Any) -> F:
    return F(value)


@pytest.mark.parametrize(("temperature", "top_p"), DECODINGS)
def test_decoding_word_by_word_is_listing_the_table(temperature: Any, top_p: Any) -> None:
    for order, longest in ((1, 3), (2, 5), (3, 6)):
        table = oracle.counted(TEXTS, order, longest)
        wanted = oracle.decoded_law(table, longest, exactly(temperature), exactly(top_p))
        model = DecodedModel(
            NGramModel.train(TEXTS, order=order, longest=longest), temperature, top_p
        )
        law = model.law("")
        spelled = {" ".join(reply): p for reply, p in wanted.items()}
        assert set(law) == {reply for reply, p in spelled.items() if p}
        for reply, p in law.items():
            assert off(p, spelled[reply]) <= Decimal("1e-14")
        scores = model.log_prob("", list(spelled))
        for (reply, p), score in zip(spelled.items(), scores, strict=True):
            assert isclose(score, p.ln() if p else -inf, rel_tol=1e-13, abs_tol=1e-14), reply
        drawn = model.sample("", 50, np.random.default_rng(3))
        for reply, score in zip(drawn.replies, drawn.log_probs, strict=True):
            assert isclose(score, spelled[reply].ln(), rel_tol=1e-13, abs_tol=1e-14)


def test_decoding_a_table_is_decoding_its_row() -> None:
    draw = Random(9)
    for _ in range(40):
        row = {str(k): F(draw.randint(0, 6)) for k in range(draw.randint(1, 5))} | {"x": F(1)}
        shares = {reply: w / sum(row.values()) for reply, w in row.items()}
        temperature, top_p = F(draw.randint(1, 8), 4), F(draw.randint(1, 10), 10)
        wanted = oracle.decoded(shares, temperature, top_p)
        law = DecodedModel(TableModel({"": row}), temperature, top_p).law("")
        assert set(law) == set(wanted)
        assert all(off(p, wanted[reply]) <= Decimal("1e-14") for reply, p in law.items())


def test_mixtures_are_sums() -> None:
    first, second = {"a": F(1, 3), "b": F(2, 3)}, {"b": F(1, 4), "c": F(3, 4)}
    mixed = MixtureModel([TableModel({"": first}), TableModel({"": second})], [F(1, 5), F(4, 5)])
    wanted = {y: F(1, 5) * first.get(y, F(0)) + F(4, 5) * second.get(y, F(0)) for y in "abc"}
    assert mixed.law("") == wanted
    scores = mixed.log_prob("", [*"abcd"])
    assert all(isclose(s, log(wanted[y])) for s, y in zip(scores[:3], "abc", strict=True))
    assert scores[3] == -inf


# --- laws


def test_divergences_of_laws_however_unlike() -> None:
    """Probabilities over hundreds of powers of ten, and laws that hardly differ."""
    draw = Random(21)
    for number in range(100):
        size = draw.randint(1, 6)
        p = [10 ** (-draw.random() * draw.choice([0.5, 5, 14, 200])) for _ in range(size)]
        if number % 2:
            q = [10 ** (-draw.random() * draw.choice([0.5, 5, 14, 200])) for _ in range(size)]
        else:
            q = [x * (1 + 10 ** draw.uniform(-7, 0) * draw.random()) for x in p]
        p, q = [x / sum(p) for x in p], [x / sum(q) for x in q]
        masses = [sum(map(Decimal, law)) for law in (p, q)]
        laws = [[Decimal(x) / mass for x in law] for law, mass in zip((p, q), masses, strict=True)]
        found, wanted = kl_divergence(p, q), oracle.kl(*laws)
        assert off(found, wanted) <= Decimal("1e-11") * wanted + Decimal("1e-30"), (p, q)
        distance = oracle.total_variation(list(map(Decimal, p)), list(map(Decimal, q)))
        assert off(total_variation(p, q), distance) <= Decimal("1e-15") * distance


def drawn_law(draw: Random, replies: int, *, zeros: bool) -> tuple[list[F], list[F]]:
    masses = [F(draw.randint(1, 9)) for _ in range(replies)]
    weights = [F(draw.randint(1, 9), draw.randint(1, 4)) for _ in range(replies)]
    if zeros:
        weights[:-1] = [w if draw.random() < 0.5 else F(0) for w in weights[:-1]]
    return [m / sum(masses) for m in masses], weights


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize(
    ("replies", "candidates"), [(1, 3), (2, 1), (2, 5), (3, 4), (4, 3), (2, 40)]
)
def test_laws_of_the_reply(replies: int, candidates: int, zeros: bool) -> None:
    """Exact, and in float64 within the errors that are told."""
    draw = Random(replies + 10 * candidates)
    count = oracle.reply_law if candidates < 6 else oracle.reply_law_by_counts
    for _ in range(4):
        generator, weights = drawn_law(draw, replies, zeros=zeros)
        returned, nothing = count(generator, weights, candidates)
        wanted = [p / (1 - nothing) for p in returned]
        best = oracle.optimum(generator, weights)
        found = resampling_law(generator, weights, candidates)
        assert (list(found.law), found.failure) == (wanted, nothing)
        assert list(found.limit) == best
        assert list(found.unconditional) == returned
        assert found.total_variation == oracle.total_variation(wanted, best) <= found.bound
        assert isclose(float(found.kl), oracle.kl(wanted, best), rel_tol=1e-12, abs_tol=1e-15)
        exact = [F(float(g)) for g in generator]
        narrow = [g / sum(exact) for g in exact]
        floats = resampling_law(
            [float(g) for g in generator], [float(w) for w in weights], candidates
        )
        returned, nothing = count(narrow, [F(float(w)) for w in weights], candidates)
        for p, q in zip(floats.law.tolist(), returned, strict=True):
            assert abs(F(p) - q / (1 - nothing)) <= F(floats.relative_error + 1e-15) * q
        assert floats.holds
        assert found.holds
        assert list(first_order_term(generator, weights)) == oracle.first_order(generator, weights)


def test_float_laws_of_few_candidates_at_extremes() -> None:
    """Weights over hundreds of powers of ten, and replies that are hardly ever drawn."""
    draw = Random(77)
    for _ in range(20):
        replies, candidates = draw.randint(1, 4), draw.randint(1, 4)
        logs = [draw.uniform(-1, 1) * 10 ** draw.uniform(0, 2.8) for _ in range(replies)]
        masses = [10 ** (draw.uniform(-1, 0) * draw.choice([1, 20, 200])) for _ in range(replies)]
        generator = [m / sum(masses) for m in masses]
        weights = [float(Decimal(x).exp()) for x in logs]
        exact = [F(g) / sum(map(F, generator)) for g in generator]
        returned, _ = oracle.reply_law(exact, [F(w) for w in weights], candidates)
        found = resampling_law(generator, weights, candidates)
        for p, q in zip(found.law.tolist(), returned, strict=True):
            if q > 1e-280:
                assert abs(F(p) - q) <= F(found.relative_error) * q + F(1e-16) * q
        best = oracle.optimum(exact, [F(w) for w in weights])
        distance = oracle.total_variation(returned, best)
        assert abs(F(found.total_variation) - distance) <= F(found.distance_error)
        divergence = oracle.kl(returned, best)
        assert off(found.kl, divergence) <= Decimal("1e-11") * divergence + Decimal("1e-25")
