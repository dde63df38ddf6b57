"""The oracle on the softmax auction against itself by another way, and against work by hand."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from math import inf, isclose, log
from random import Random
from typing import Any

import pytest

from reference import auction
from reference.auction import END, Auction

F = Fraction
SMALL = Decimal("1e-50")


def near(found: Any, wanted: Any, scale: Any = 1) -> bool:
    return abs(Decimal(found) - Decimal(wanted)) <= SMALL * max(Decimal(1), abs(Decimal(scale)))


def some(seed: int, agents: int = 3, candidates: int = 4, *, ratio: bool = True) -> Auction:
    draw = Random(seed)
    rewards = [[draw.gauss(0, 2) for _ in range(candidates)] for _ in range(agents)]
    ref = [log(draw.uniform(0.1, 1)) for _ in range(candidates)] if ratio else None
    gen = [log(draw.uniform(0.1, 1)) for _ in range(candidates)] if ratio else None
    return Auction(rewards, draw.uniform(0.3, 3), ref, gen)


@pytest.fixture(autouse=True)
def many_digits() -> Iterator[None]:
    with localcontext(auction.long()):
        yield


CASES = [some(seed, 1 + seed % 4, 1 + seed % 5, ratio=seed % 3 > 0) for seed in range(24)]


# --- one query


def test_two_candidates_by_hand() -> None:
    """Odds 2:1 and 3:1 give the law (6/7, 1/7); without the agents (3/4, 1/4) and (2/3, 1/3)."""
    assert auction.odds_allocation([[2, 1], [3, 1]]) == [F(6, 7), F(1, 7)]
    assert auction.odds_allocation_without([[2, 1], [3, 1]], 0) == [F(3, 4), F(1, 4)]
    assert auction.odds_allocation_without([[2, 1], [3, 1]], 1) == [F(2, 3), F(1, 3)]
    paid = auction.odds_payment([[2, 1], [3, 1]], 0)
    assert isclose(float(paid), 6 / 7 * log(2) - log(7 / 4))


def test_one_agent_alone_by_hand() -> None:
    """U = log((e + 1) / 2), p = (e, 1) / (e + 1)."""
    alone = Auction([[1, 0]], 1)
    e = Decimal(1).exp()
    assert near(alone.allocation()[0], e / (e + 1))
    assert isclose(float(alone.utility(0)), log((float(e) + 1) / 2))
    assert isclose(float(alone.utility(0, offset=False)), log(float(e) + 1))


@pytest.mark.parametrize("case", CASES)
def test_every_agent_sees_the_same_allocation_and_shared_utility(case: Auction) -> None:
    for i in case.agents:
        assert all(map(near, case.allocation(i), case.allocation(0)))
        assert near(case.utility(i, offset=False), case.utility(0, offset=False))
    assert near(sum(case.allocation()), 1)


@pytest.mark.parametrize("case", CASES)
def test_utilities_and_payments_by_other_ways(case: Auction) -> None:
    """Lemma 5.5, the divergences, and the Clarke pivot of the welfare with its penalty."""
    tau = auction.decimal(case.tau)
    p = case.allocation()
    for i in case.agents:
        q = case.allocation_without(i)
        assert near(case.lemma_5_5(i), case.utility(i))
        assert near(tau * auction.kl(p, q), case.payment(i))
        assert near(tau * auction.kl(q, p), case.utility_gain(i))
        assert near(case.clarke_payment(i), case.payment(i))
        assert near(case.payment(i) + case.utility_gain(i), case.reward_gain(i))
        plain = case.payment(i, offset=False) + case.utility_gain(i, offset=False)
        assert near(plain, case.reward_gain(i))
    assert near(case.revenue(), sum(case.payment(i) for i in case.agents))


@pytest.mark.parametrize("case", CASES)
def test_the_law_is_the_best_for_the_welfare(case: Auction) -> None:
    """Any other law is worse by tau KL of it from the best."""
    draw = Random(7)
    tau = auction.decimal(case.tau)
    p = case.allocation()
    best = case.welfare(p, case.agents)
    for _ in range(3):
        weights = [Decimal(draw.random()) for _ in p]
        other = [w / sum(weights) for w in weights]
        loss = tau * auction.kl(other, p)
        assert abs(best - case.welfare(other, case.agents) - loss) < SMALL


def test_odds_and_rewards_agree() -> None:
    draw = Random(3)
    for seed in range(20):
        agents, candidates = 1 + seed % 3, 1 + seed % 4
        odds = [[F(draw.randint(1, 9), draw.randint(1, 9)) for _ in range(candidates)]] * agents
        weights = [F(draw.randint(0, 3), 2) for _ in range(candidates - 1)] + [F(1)]
        tau = F(draw.randint(1, 9), 4)
        rewards = [[auction.decimal(tau) * auction.decimal(x).ln() for x in r] for r in odds]
        ref = [auction.decimal(w).ln() if w else Decimal(-inf) for w in weights]
        case = Auction(rewards, tau, ref, [0] * candidates)
        exact = auction.odds_allocation(odds, weights)
        assert all(
            near(x, auction.decimal(y)) for x, y in zip(case.allocation(), exact, strict=True)
        )
        for i in case.agents:
            for offset in (True, False):
                paid = auction.odds_payment(odds, i, weights, tau=tau, offset=offset)
                assert near(paid, case.payment(i, offset=offset))


def test_extremes_lose_no_digits_that_are_needed() -> None:
    """More digits change nothing in the first 50."""
    for scale, tau in ((1e6, 1e-6), (1e6, 1e6), (1e-6, 1e6), (1.0, 1e-300)):
        draw = Random(int(log(scale)) + 20)
        rewards = [[scale * draw.gauss(0, 1) for _ in range(3)] for _ in range(2)]
        low, high = (Auction(rewards, tau, digits=digits) for digits in (60, 400))
        for i in low.agents:
            error = SMALL * Decimal(max(scale, tau))
            assert abs(low.payment(i) - high.payment(i)) <= error
            assert abs(low.utility(i) - high.utility(i)) <= error
            if tau > 1e-9:  # exp(-1e300) is no decimal
                assert abs(low.lemma_5_5(i) - high.utility(i)) <= error


def test_a_candidate_without_reference_is_as_if_it_were_not_there() -> None:
    rewards = [[1.0, 99.0, 2.0], [0.5, 99.0, -1.0]]
    with_it = Auction(rewards, 2.0, [-1.0, -inf, -1.0], [-1.0, -2.0, -1.5])
    left = Auction([[a, c] for a, _, c in rewards], 2.0, [-1.0, -1.0], [-1.0, -1.5])
    assert with_it.allocation()[1] == 0
    for i in (0, 1):
        assert near(with_it.payment(i), left.payment(i))


def test_equation_14_as_printed_is_another_number() -> None:
    case = Auction([[1, 0]], 1, [log(0.5), log(0.5)], [log(0.25), log(0.75)])
    assert abs(case.utility_as_in_14(0) - case.utility(0, offset=False)) > Decimal("0.1")
    plain = some(5, ratio=False)
    assert near(plain.utility_as_in_14(0), plain.utility(0, offset=False))


def test_rewards_of_models_restore_the_models() -> None:
    """pi_ref exp(r / tau) / Z is the model, whatever the constant."""
    model, reference = [F(1, 2), F(1, 3), F(1, 6)], [F(1, 4), F(1, 4), F(1, 2)]
    for tau, constant in ((1, 0), (F(1, 3), 2), (5, F(-1, 7))):
        rewards = auction.rewards_from_models(model, reference, tau, constant)
        logs = [auction.decimal(x).ln() for x in reference]
        law = auction.softmax(
            [log_q + r / auction.decimal(tau) for log_q, r in zip(logs, rewards, strict=True)]
        )
        assert all(near(x, auction.decimal(y)) for x, y in zip(law, model, strict=True))


# --- laws


def test_total_variation_is_the_greatest_gap() -> None:
    draw = Random(1)
    for size in (1, 2, 5):
        weights = [[F(draw.randint(0, 9) + 1) for _ in range(size)] for _ in range(2)]
        p, q = ([w / sum(row) for w in row] for row in weights)
        assert auction.total_variation(p, q) == auction.greatest_gap(p, q)
    assert auction.total_variation([F(1), F(0)], [F(0), F(1)]) == 1


def test_divergence_by_hand() -> None:
    assert isclose(float(auction.kl([F(1), F(0)], [F(1, 2), F(1, 2)])), log(2))
    assert auction.kl([F(1, 2), F(1, 2)], [F(1), F(0)]) == Decimal(inf)
    assert auction.kl([F(1, 3), F(2, 3)], [F(1, 3), F(2, 3)]) == 0


def test_one_candidate_follows_the_generator() -> None:
    generator, weights = [F(1, 2), F(1, 3), F(1, 6)], [F(5), F(1), F(0)]
    assert auction.reply_law(generator, weights, 1) == ([F(1, 2), F(1, 3), F(0)], F(1, 6))


def test_two_candidates_of_two_replies_by_hand() -> None:
    """g^2 + 2 g h w / (w + v)."""
    g, h, w, v = F(1, 4), F(3, 4), F(2), F(1)
    law, nothing = auction.reply_law([g, h], [w, v], 2)
    assert law == [g**2 + 2 * g * h * w / (w + v), h**2 + 2 * g * h * v / (w + v)]
    assert nothing == 0


def test_tuples_and_counts_give_one_law() -> None:
    draw = Random(11)
    for replies, candidates in ((1, 3), (2, 6), (3, 4), (4, 3)):
        for zero in (False, True):
            masses = [F(draw.randint(1, 5)) for _ in range(replies)]
            generator = [m / sum(masses) for m in masses]
            weights = [F(draw.randint(1, 7), draw.randint(1, 3)) for _ in range(replies)]
            if zero and replies > 1:
                weights[0] = F(0)
            law, nothing = auction.reply_law(generator, weights, candidates)
            assert (law, nothing) == auction.reply_law_by_counts(generator, weights, candidates)
            assert sum(law) + nothing == 1
            assert nothing == (generator[0] ** candidates if zero and replies > 1 else 0)


def test_the_first_order_term_is_the_limit() -> None:
    """M times the distance, less the term, falls like 1 / M."""
    generator, weights = [F(1, 3), F(2, 3)], [F(4), F(1)]
    best, term = auction.optimum(generator, weights), auction.first_order(generator, weights)
    errors = []
    for candidates in (40, 80, 160):
        law, _ = auction.reply_law_by_counts(generator, weights, candidates)
        errors.append(abs(candidates * (law[0] - best[0]) - term[0]))
    assert sum(term) == 0
    assert errors[2] < errors[0] / 3
    assert errors[2] < F(1, 20)


# --- decoding

ROW = {"a": F(1, 2), "b": F(1, 4), "c": F(1, 4)}
TABLE = {
    (): {"a": F(1, 2), "b": F(3, 8), END: F(1, 8)},
    ("a",): {"a": F(1, 4), END: F(3, 4)},
    ("b",): {"b": F(1, 2), END: F(1, 2)},
}


def test_decoding_by_hand() -> None:
    squared = auction.tempered(ROW, F(1, 2)).values()
    assert all(map(near, squared, map(auction.decimal, [F(2, 3), F(1, 6), F(1, 6)])))
    assert auction.nuclei(ROW, F(1, 2)) == [{"a"}]
    assert auction.nuclei(ROW, F(3, 4)) == [{"a", "b"}, {"a", "c"}]
    assert auction.nuclei(ROW, F(4, 5)) == [{"a", "b", "c"}]
    assert auction.nuclei(ROW, F(1, 9)) == [{"a"}]
    assert auction.nuclei(ROW, 1) == [{"a", "b", "c"}]


def test_all_replies_are_listed_once() -> None:
    found = list(auction.replies(TABLE, 2))
    assert found == [("a", "a"), ("a",), ("b", "b"), ("b",), ()]


def test_the_law_of_replies_sums_to_one_and_is_the_products() -> None:
    law = auction.decoded_law(TABLE, 2)
    assert sum(law.values()) == 1
    assert law[("a",)] == auction.decimal(F(3, 8))
    assert law[("b", "b")] == auction.decimal(F(3, 16))
    for temperature, top_p in ((F(4, 5), 1), (1, F(7, 10)), (F(4, 5), F(19, 20)), (3, F(1, 2))):
        assert near(sum(auction.decoded_law(TABLE, 2, temperature, top_p).values()), 1)
    assert auction.decoded_law(TABLE, 2, 1, F(7, 10))[()] == 0


def test_token_wise_is_not_reply_wise() -> None:
    """At temperature 1/2 each token is squared and brought to sum 1 by itself."""
    by_token = auction.decoded_law(TABLE, 2, F(1, 2))
    by_reply = auction.tempered(auction.decoded_law(TABLE, 2), F(1, 2))
    assert max(abs(by_token[y] - by_reply[y]) for y in by_token) > Decimal("0.02")


def test_counting_words_by_hand() -> None:
    table = auction.counted(["Go. Go now.", "Go now"], 2, 3)
    assert table[()] == {"Go.": F(1, 2), "Go": F(1, 2)}
    assert table[("Go.",)] == {"Go": F(1, 2), END: F(1, 2)}
    assert table[("Go",)] == table[("Go.", "Go")] == {"now.": F(1, 2), "now": F(1, 2)}
    assert sum(auction.decoded_law(table, 3).values()) == 1
    assert auction.counted(["a b"], 1, 2)[("b",)] == {"a": F(1, 3), "b": F(1, 3), END: F(1, 3)}
