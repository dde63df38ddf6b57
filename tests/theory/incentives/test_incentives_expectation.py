"""Mechanisms that draw in a finite way are judged in expectation over the draws, exactly."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import count, permutations, product
from typing import Any

import numpy as np
import pytest

from theory.errors import InvalidInputError
from theory.incentives import (
    Box,
    Effort,
    FiniteTypes,
    InExpectation,
    Instance,
    assert_holds_at,
    check_mechanism,
)
from theory.incentives._record import Record
from theory.verdicts import Status, Strength

Bids = Sequence[Any]
Generator = np.random.Generator
F = Fraction
THREE = FiniteTypes(range(3))
LITTLE = Effort(samples=200, starts=2, steps=20)


def sold(bids: Bids, at_own_price: int | None = None) -> tuple[int, list[Any]]:
    """Sell for the second price; for the own one to one agent."""
    winner = bids.index(max(bids))
    others = [bid for i, bid in enumerate(bids) if i != winner]
    price = bids[winner] if winner == at_own_price else max(others)
    return winner, [price if i == winner else 0 for i in range(len(bids))]


def with_a_fault(agent: int, branches: int, at: int) -> Any:
    """First price for one agent in one branch of so many."""

    def rule(bids: Bids, rng: Generator) -> Any:
        return sold(bids, agent if rng.integers(branches) == at else None)

    return rule


def double_or_nothing(bids: Bids, rng: Generator) -> Any:
    """Second price on average: the winner pays it twice, or nothing."""
    winner, paid = sold(bids)
    factor = rng.choice([0, 2])
    return winner, [factor * p for p in paid]


def by_lot(bids: Bids, rng: Generator) -> Any:
    """One of the highest bidders for the second price."""
    best = [i for i, bid in enumerate(bids) if bid == max(bids)]
    winner = best[int(rng.integers(len(best)))]
    others = [bid for i, bid in enumerate(bids) if i != winner]
    return winner, [max(others) if i == winner else 0 for i in range(len(bids))]


def dsic(mechanism: Any, types: Any = THREE, agents: int = 2, **more: Any) -> Any:
    return check_mechanism(mechanism, types=types, agents=agents, properties=["dsic"], **more)[
        "dsic"
    ]


def is_exact(finding: Any, status: Status) -> bool:
    return (finding.status, finding.strength) == (status, Strength.EXACT)


# --- what is found


@pytest.mark.parametrize(
    ("branches", "at", "agents", "agent"),
    [
        *((b, k, *who) for b, k in ((2, 0), (2, 1), (3, 1)) for who in ((2, 0), (3, 0), (3, 2))),
        *((1000, k, 2, agent) for k in (0, 999) for agent in (0, 1)),
    ],
)
def test_a_fault_in_any_branch_is_refuted_exactly(
    branches: int, at: int, agents: int, agent: int
) -> None:
    rare = [THREE if i == agent else FiniteTypes([0]) for i in range(agents)]
    types = THREE if branches < 1000 else rare
    finding = dsic(with_a_fault(agent, branches, at), types, agents)
    assert is_exact(finding, Status.REFUTED)
    assert finding.reason.startswith("in expectation over the draws")
    witness = finding.witness
    assert witness.agents == (agent,)
    assert (witness.gain * branches).denominator == 1
    assert 0 < witness.gain * branches <= 2
    assert witness.replay().slack == witness.slack
    assert "expected utility" in str(witness)
    assert "expected payments" in str(witness)


def test_the_witness_is_a_test_of_the_expectation() -> None:
    rule = with_a_fault(1, 2, 1)
    witness = dsic(rule).witness
    assert "InExpectation(mechanism)" in witness.as_test()
    at: dict[str, Any] = {"types": THREE, "agents": 2}
    with pytest.raises(AssertionError, match="agent 1 of type 2 gains 1/2 by reporting 1"):
        assert_holds_at(InExpectation(rule), "dsic", witness.instance, **at)
    assert_holds_at(InExpectation(with_a_fault(0, 2, 1)), "dsic", witness.instance, **at)


def test_truthful_in_expectation_and_for_no_draw() -> None:
    finding = dsic(double_or_nothing)
    assert is_exact(finding, Status.HOLDS)
    assert finding.slack == 0
    assert finding.reason.startswith("in expectation over the draws: every instance was judged")
    assert "not for each draw: with seed" in finding.reason
    assert "gains" in finding.reason


def test_truthful_for_every_draw() -> None:
    finding = dsic(by_lot, seed=4)
    assert is_exact(finding, Status.HOLDS)
    assert "seed 4" in finding.reason
    assert "seeds 5 to 11" in finding.reason


def test_what_must_hold_of_each_draw_is_not_averaged() -> None:
    """Who pays twice the second price may lose, and who is asked for less than nothing is paid."""

    def rule(bids: Bids, rng: Generator) -> Any:
        winner, paid = double_or_nothing(bids, rng)
        gift = rng.choice([-1, 1])
        return winner, [p + gift for p in paid]

    report = check_mechanism(rule, types=THREE, agents=2)
    assert report["dsic"].status is Status.HOLDS
    for name in ("individually_rational", "no_positive_transfers", "weakly_budget_balanced"):
        assert report[name].status is Status.REFUTED, name
    assert is_exact(report["feasible"], Status.HOLDS)
    assert report["feasible"].reason.startswith("for every way to draw")
    assert not report.faults


@pytest.mark.parametrize("agent", [0, 1])
def test_real_types_are_searched_in_expectation(agent: int) -> None:
    for branches, at in ((2, 1), (100, 99)):
        finding = dsic(with_a_fault(agent, branches, at), Box(0, 1), effort=LITTLE)
        assert is_exact(finding, Status.REFUTED)
        assert finding.witness.agents == (agent,)
        assert finding.witness.replay().fails
    finding = dsic(double_or_nothing, Box(0, 1), effort=LITTLE)
    assert (finding.status, finding.strength) == (Status.HOLDS, Strength.TESTED)
    assert "in expectation" in finding.reason


def test_chances_that_are_floats_are_certified() -> None:
    for agent, at in product((0, 1), (0, 1)):

        def rule(bids: Bids, rng: Generator, agent: int = agent, at: int = at) -> Any:
            return sold(bids, agent if rng.choice(2, p=[0.999, 0.001]) == at else None)

        finding = dsic(rule)
        assert (finding.status, finding.strength) == (Status.REFUTED, Strength.CERTIFIED)
        assert abs(finding.witness.gain - (F(1, 1000) if at else F(999, 1000))) < F(1, 10**15)


def test_rounding_is_that_of_the_payments_drawn() -> None:
    """Payments of 1e9 that cancel leave what floats of their size cannot tell from 0."""

    def rule(bids: Bids, rng: Generator, agent: int) -> Any:
        winner, paid = sold(bids)
        large = 1e9 + bids[agent] * 1e-7
        sign = rng.choice([-1, 1])
        shift = large if sign > 0 else -1e9
        return winner, [p + shift * (i == agent) for i, p in enumerate(paid)]

    for agent in (0, 1):

        def mine(bids: Bids, rng: Generator, agent: int = agent) -> Any:
            return rule(bids, rng, agent)

        assert dsic(mine).status is not Status.REFUTED


# --- the same by plain loops


def best_gain(rule: Callable[[Bids, int], Any], chances: Sequence[F], agents: int) -> F:
    """Return the most that a lie gains on average, by the definition; shares are valued t x."""
    gains = []
    for profile in product(range(3), repeat=agents):
        for i, lie in product(range(agents), range(3)):
            told = (*profile[:i], lie, *profile[i + 1 :])
            mean = [
                sum(
                    chance * (profile[i] * rule(said, k)[0][i] - rule(said, k)[1][i])
                    for k, chance in enumerate(chances)
                )
                for said in (told, profile)
            ]
            gains += [F(mean[0] - mean[1])] if lie != profile[i] else []
    return max(gains)


@pytest.mark.parametrize("agents", [1, 2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_expected_gains_are_those_of_plain_loops(seed: int, agents: int) -> None:
    drawn = np.random.default_rng(seed)
    branches = int(drawn.integers(1, 5))
    table = {
        (bids, k): [
            [F(int(n), 4) for n in drawn.integers(0, 3, agents)],
            [F(int(n), 3) for n in drawn.integers(-2, 3, agents)],
        ]
        for bids in product(range(3), repeat=agents)
        for k in range(branches)
    }
    chances = [F(int(n)) for n in drawn.integers(1, 5, branches)]
    chances = [chance / sum(chances) for chance in chances]

    def rule(bids: Bids, rng: Generator) -> Any:
        # Mypy knows of floats as probabilities alone.
        return table[tuple(bids), int(rng.choice(branches, p=chances))]  # type: ignore[arg-type]

    finding = dsic(rule, agents=agents)
    assert -finding.slack == best_gain(lambda bids, k: table[tuple(bids), k], chances, agents)
    assert is_exact(finding, Status.REFUTED if finding.slack < 0 else Status.HOLDS)


# --- draws


def law_of(draw: Callable[[Generator], Any], agents: int = 1) -> dict[Any, F]:
    record = InExpectation(lambda reports, rng: (draw(rng), [0] * agents)).outcome((0,) * agents)
    assert isinstance(record, Record), record
    return {allocation: F(p) for allocation, p in record.support}


def shuffled(rng: Generator) -> Any:
    cards = ["a", "b", "c"]
    rng.shuffle(cards)
    return cards


ORDERS = set(permutations(range(3)))
DRAWS: dict[str, tuple[Callable[[Generator], Any], dict[Any, F]]] = {
    "integers": (lambda rng: int(rng.integers(3)), {k: F(1, 3) for k in range(3)}),
    "low": (lambda rng: int(rng.integers(2, 4)), {2: F(1, 2), 3: F(1, 2)}),
    "endpoint": (
        lambda rng: int(rng.integers(-1, 1, endpoint=True)),
        {k: F(1, 3) for k in (-1, 0, 1)},
    ),
    "size": (
        lambda rng: rng.integers(2, size=2),
        {pair: F(1, 4) for pair in product(range(2), repeat=2)},
    ),
    "sequence": (lambda rng: str(rng.choice(["a", "b", "a"])), {"a": F(2, 3), "b": F(1, 3)}),
    "weights": (lambda rng: int(rng.choice(3, p=[0.25, 0, 0.75])), {0: F(1, 4), 2: F(3, 4)}),
    "without": (
        lambda rng: rng.choice(3, size=2, replace=False),
        {order[:2]: F(1, 6) for order in ORDERS},
    ),
    "permutation": (lambda rng: rng.permutation(3), {order: F(1, 6) for order in ORDERS}),
    "shuffle": (shuffled, {tuple("abc"[k] for k in order): F(1, 6) for order in ORDERS}),
    "two": (
        lambda rng: int(rng.integers(2) and rng.integers(3)),
        {0: F(2, 3), 1: F(1, 6), 2: F(1, 6)},
    ),
    "none": (lambda rng: 7, {7: F(1)}),
    "passed on": (
        lambda rng: int(np.random.default_rng(rng).integers(2)),
        {0: F(1, 2), 1: F(1, 2)},
    ),
}


@pytest.mark.parametrize("name", DRAWS)
def test_laws_by_hand(name: str) -> None:
    draw, law = DRAWS[name]
    assert law_of(draw) == law


@pytest.mark.parametrize("name", DRAWS)
def test_laws_are_those_of_numpy(name: str) -> None:
    draw, law = DRAWS[name]
    rng, runs = np.random.default_rng(1), 4_000
    seen: dict[Any, int] = {}
    for _ in range(runs):
        found = draw(rng)
        key = tuple(np.asarray(found).tolist()) if np.ndim(found) else found
        seen[key] = seen.get(key, 0) + 1
    assert set(seen) == set(law)
    for key, chance in law.items():
        assert (
            abs(seen[key] / runs - chance) < 5 * float(chance * (1 - chance) / runs) ** 0.5 + 1e-9
        )


# --- what is not finite


def tosses(rng: Generator) -> bool:
    """Toss a coin until it comes to 1; whether it never came to 0."""
    tossed = [0]
    while tossed[-1] == 0:
        tossed.append(int(rng.integers(2)))
    return len(tossed) == 2


ENDLESS: dict[str, tuple[Callable[[Generator], Any], str]] = {
    "random": (lambda rng: rng.random() < 0.5, "random"),
    "normal": (lambda rng: rng.normal() < 0, "normal"),
    "many": (lambda rng: rng.integers(10**6) < 10, "1,000,000"),
    "long": (lambda rng: rng.permutation(7)[0] == 0, "1,024"),
    "loop": (tosses, "1,024"),
    "weights": (lambda rng: rng.choice(2, p=[0.5, 0.500000001]) == 0, "choice"),
    "spawn": (lambda rng: rng.spawn(1)[0].integers(2) == 0, "spawn"),
    "bits": (lambda rng: bool(np.random.Generator(rng.bit_generator).integers(2)), "bit_generator"),
}


@pytest.mark.parametrize("types", [THREE, Box(0, 1)], ids=["finite", "real"])
@pytest.mark.parametrize("agent", [0, 1])
@pytest.mark.parametrize("name", ENDLESS)
def test_what_is_not_finite_is_judged_seed_by_seed_and_says_so(
    name: str, agent: int, types: Any
) -> None:
    draw, said = ENDLESS[name]

    def rule(bids: Bids, rng: Generator, own: bool = True) -> Any:
        return sold(bids, agent if draw(rng) and own else None)

    report = check_mechanism(rule, types=types, agents=2, properties=["dsic"], effort=LITTLE)
    assert "seed by seed, not in expectation" in report["dsic"].reason
    assert said in report["dsic"].reason
    assert not report.faults
    kept = check_mechanism(
        lambda bids, rng: rule(bids, rng, own=False),
        types=types,
        agents=2,
        properties=["dsic"],
        effort=LITTLE,
    )["dsic"]
    assert (kept.status, kept.strength) == (Status.HOLDS, Strength.TESTED)
    assert "seed by seed, not in expectation" in kept.reason


def test_one_profile_that_draws_otherwise_is_enough() -> None:
    for agent in (0, 1):

        def rule(bids: Bids, rng: Generator, agent: int = agent) -> Any:
            if bids[agent] == 2 and bids[1 - agent] == 2:
                rng.random()
            return sold(bids)

        assert "not in expectation" in dsic(rule).reason


def test_a_refusal_that_is_caught_counts() -> None:
    def rule(bids: Bids, rng: Generator) -> Any:
        try:
            own = rng.random() < 0.9
        except InvalidInputError:
            own = False
        return sold(bids, 0 if own else None)

    finding = dsic(rule)
    assert (finding.status, finding.strength) == (Status.REFUTED, Strength.EXACT)
    assert "not in expectation" in finding.reason


# --- mechanisms that cheat


def by_a_counter(period: int) -> Callable[[int], Any]:
    def made(agent: int) -> Any:
        calls = count()

        def rule(bids: Bids, rng: Generator) -> Any:
            rng.integers(2)
            return sold(bids, agent if next(calls) % period == 0 else None)

        return rule

    return made


def by_a_draw_in_secret(agent: int) -> Any:
    own = np.random.default_rng(0)
    return lambda bids, rng: sold(bids, agent if rng.integers(2) and own.integers(2) else None)


def by_random(agent: int) -> Any:
    return lambda bids, rng: sold(
        bids, agent if rng.integers(2) and random.random() < 0.5 else None
    )


def by_a_kept_generator(agent: int) -> Any:
    kept: list[Generator] = []

    def rule(bids: Bids, rng: Generator) -> Any:
        kept.append(rng)
        return sold(bids, agent if kept[0].integers(2) else None)

    return rule


def by_kind(agent: int) -> Any:
    """First price, but where the generator is none of NumPy's own."""

    def rule(bids: Bids, rng: Generator) -> Any:
        rng.integers(2)
        return sold(bids, agent if type(rng) is np.random.Generator else None)

    return rule


def by_other_draws(agent: int) -> Any:
    calls = count()

    def rule(bids: Bids, rng: Generator) -> Any:
        rng.integers(2 + next(calls) % 2)
        return sold(bids)

    return rule


CHEATS: dict[str, Callable[[int], Any]] = {
    "counter, 2": by_a_counter(2),
    "counter, 3": by_a_counter(3),
    "counter, 5": by_a_counter(5),
    "secret": by_a_draw_in_secret,
    "random": by_random,
    "kept": by_a_kept_generator,
    "kind": by_kind,
    "other draws": by_other_draws,
}


@pytest.mark.parametrize("types", [THREE, Box(0, 1)], ids=["finite", "real"])
@pytest.mark.parametrize("agent", [0, 1])
@pytest.mark.parametrize("cheat", CHEATS)
def test_who_cheats_gets_nothing_exact(cheat: str, agent: int, types: Any) -> None:
    report = check_mechanism(
        CHEATS[cheat](agent), types=types, agents=2, properties=["dsic"], effort=LITTLE
    )
    finding = report["dsic"]
    assert finding.strength is Strength.TESTED or "not in expectation" in finding.reason
    assert report.faults or "not in expectation" in finding.reason


# --- the wrapper by itself


def test_a_mechanism_in_expectation_has_what_it_declares() -> None:
    class Declared:
        def outcome(self, bids: Bids, rng: Generator) -> Any:
            return by_lot(bids, rng)

        def value(self, agent: int, kind: Any, allocation: Any) -> Any:
            return 3 * kind * (allocation == agent)

    assert InExpectation(Declared()).value(1, 2, 1) == 6
    assert not hasattr(InExpectation(Declared()), "feasible")
    finding = dsic(Declared())
    assert is_exact(finding, Status.REFUTED)  # a third of the value is bid


def test_what_draws_nothing_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="rng"):
        InExpectation(sold)
    with pytest.raises(InvalidInputError, match="mechanism"):
        InExpectation(3)


def test_asked_for_by_name_every_property_is_averaged() -> None:
    report = check_mechanism(InExpectation(double_or_nothing), types=THREE, agents=2)
    for name in ("dsic", "individually_rational", "no_positive_transfers"):
        assert is_exact(report[name], Status.HOLDS), name
    lie = Instance(profile=(1, 0), agents=(0,), lies=(0,))
    assert_holds_at(InExpectation(double_or_nothing), "dsic", lie, types=THREE, agents=2)
