"""Allocation rules alone: the highest truthful payments, or the smallest cycle that forbids any."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from incentive_rules import Profile
from reference import incentives

from mechanisms.classics import CombinatorialVCG, FirstPrice, MedianVoting, SecondPrice
from theory.errors import ExactnessError, InvalidInputError, LimitError, UnknownNameError
from theory.incentives import Box, FiniteTypes, Outcome, ValueTable, Vectorised
from theory.incentives.allocation import Implementation, NegativeCycle, implementable
from theory.incentives.allocation import _implementable as solver
from theory.incentives.allocation._recheck import largest_gain


def highest(bids: Profile) -> int:
    return bids.index(max(bids))


def lowest(bids: Profile) -> int:
    return bids.index(min(bids))


# --- By hand --------------------------------------------------------------------------------------


def test_the_highest_bid_wins_and_pays_the_least_that_wins() -> None:
    found = implementable(highest, types=FiniteTypes([0, 1, 3]), agents=3)
    assert isinstance(found, Implementation)
    assert found.outcome((0, 3, 1)) == Outcome(1, (0, 1, 0))
    assert found.outcome((0, 1, 3)) == Outcome(2, (0, 0, 3))
    assert found.outcome((3, 1, 1)) == Outcome(0, (1, 0, 0))
    assert found.outcome((0, 0, 0)) == Outcome(0, (0, 0, 0))
    assert found.comparisons == 3 * 27 * 2


GAMES = {
    "paper": {"rock": -1, "paper": 0, "scissors": 1},
    "rock": {"rock": 0, "paper": 1, "scissors": -1},
    "scissors": {"rock": 1, "paper": -1, "scissors": 0},
}


def test_three_types_in_a_ring() -> None:
    """Any two are kept apart by payments: one gains 1 as the other, the other loses 1."""
    found = implementable(
        lambda said: said[0], types=FiniteTypes(GAMES), agents=1, values=ValueTable(GAMES)
    )
    assert isinstance(found, NegativeCycle)
    assert (found.types, found.total) == (("paper", "scissors", "rock"), -3)
    for two in (["paper", "rock"], ["rock", "scissors"]):
        assert implementable(
            lambda said: said[0], types=FiniteTypes(two), agents=1, values=ValueTable(GAMES)
        )


def test_the_smallest_cycle_is_shown() -> None:
    found = implementable(lowest, types=FiniteTypes([5, 3, 0, 1]), agents=2)
    assert isinstance(found, NegativeCycle)
    assert (found.agent, found.others, set(found.types), found.total) == (0, (0,), {0, 1}, -1)


def test_what_is_printed() -> None:
    cycle = implementable(lowest, types=FiniteTypes(range(3)), agents=2)
    assert str(cycle).splitlines()[0] == (
        "No payments make lowest truthful. When agent 1 reports 0, before payments, agent 0 of "
        "type 0 would gain 0 as 1, and type 1 would gain 1 as 0. To deter them, payments would "
        "have to rise by as much from each type to the next: by 1 in all, back to where they began."
    )
    assert [line.split() for line in str(cycle).splitlines()[3:]] == [
        ["0", "0", "0", "1", "1", "0", "0"],
        ["1", "1", "0", "0", "0", "1", "1"],
        ["in", "all", "1"],
    ]
    found = implementable(highest, types=FiniteTypes(range(5)), agents=2)
    assert "(0, 3)   1           (0, 1)" in str(found)
    assert "the first 16 of 25 profiles" in str(found)
    for each in (cycle, found):
        html = each._repr_html_()
        assert html.startswith("<p>")
        assert "<table>" in html
    named = implementable(lambda _: "<x>", types=FiniteTypes([1]), agents=1, values=lambda *_: 1)
    assert "&lt;x&gt;" in named._repr_html_()


# --- Single parameters: monotone or not -----------------------------------------------------------


@given(st.lists(st.tuples(st.fractions(0, 9), st.fractions(0, 1)), min_size=1, max_size=6))
def test_quantities_have_payments_just_where_they_are_monotone(drawn: Any) -> None:
    x = dict(drawn)
    found = implementable(lambda said: (x[said[0]],), types=FiniteTypes(x), agents=1)
    rising = [x[t] for t in sorted(x)]
    assert bool(found) == (rising == sorted(rising))
    if isinstance(found, NegativeCycle):
        s, t = found.types
        assert found.total == (s - t) * (x[s] - x[t])


# --- The checks are seen to fail ------------------------------------------------------------------


def test_a_payment_that_is_wrong_is_found_by_the_recheck() -> None:
    found = implementable(highest, types=FiniteTypes(range(4)), agents=2)
    assert isinstance(found, Implementation)
    types = [range(4)] * 2
    for profile, agent, change in product([(2, 1), (0, 3), (3, 3)], range(2), (1, -1)):
        wrong = dict(found.payments)
        wrong[profile] = tuple(p + change * (i == agent) for i, p in enumerate(wrong[profile]))
        setting = incentives.Setting(
            lambda r, wrong=wrong: (highest(r), wrong[r]),
            types,
            lambda i, t, winner: t * (i == winner),
        )
        slacks = [
            slack
            for name in ("dsic", "individually_rational")
            for _, slack in incentives.SLACKS[name](setting)
        ]
        assert largest_gain(found.setting, wrong) == max(0, -min(slacks))


def test_payments_that_keep_a_type_away_are_found_by_the_recheck() -> None:
    found = implementable(highest, types=FiniteTypes(range(4)), agents=2)
    assert isinstance(found, Implementation)
    dearer = {r: tuple(p + 1 for p in paid) for r, paid in found.payments.items()}
    assert largest_gain(found.setting, dearer) == 1


def test_sums_of_large_values_do_not_overflow() -> None:
    """Each type would rather be the one before: 139 steps of nearly 2^56 are more than 2^63."""
    large = 2**56 - 1

    def value(agent: int, kind: int, allocation: int) -> int:
        return 0 if kind == allocation else large if kind == allocation + 1 else -large

    found = implementable(
        lambda said: said[0], types=FiniteTypes(range(140)), agents=1, values=value
    )
    assert isinstance(found, NegativeCycle)
    assert (found.types, found.total, found.gap) == ((0, 2, 1), -large, 0)


def test_a_solver_that_errs_shows_in_the_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were everybody charged the whole value, as in a first-price auction, lies would pay."""
    monkeypatch.setattr(
        solver, "highest_payments", lambda graph: (graph.own, np.zeros(len(graph.own), dtype=bool))
    )
    found = implementable(highest, types=FiniteTypes(range(4)), agents=2)
    assert found.gap == 3


def test_a_search_that_errs_shows_in_the_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    from theory.incentives.allocation import _implementable

    exact = _implementable.fewest_steps

    def wrong(graph: Any, most: int) -> Any:
        cycles = exact(graph, most)
        return cycles and replace(cycles, totals=2 * cycles.totals)

    monkeypatch.setattr(_implementable, "fewest_steps", wrong)
    found = implementable(lowest, types=FiniteTypes(range(4)), agents=2)
    assert isinstance(found, NegativeCycle)
    assert (found.total, found.gap) == (-1, 1)


# --- What may be given ----------------------------------------------------------------------------


def test_of_a_mechanism_the_allocation_is_taken() -> None:
    types = FiniteTypes(range(5))
    first, second, plain, all_at_once = (
        implementable(rule, types=types, agents=2)
        for rule in (
            FirstPrice(),
            SecondPrice(),
            lambda bids: Outcome(highest(bids), [99, 99]),
            Vectorised(lambda bids: (np.stack([bids[:, 0] >= bids[:, 1]] * 2, 1) ^ [0, 1], bids)),
        )
    )
    assert isinstance(first, Implementation)
    for other in (second, plain, all_at_once):
        assert isinstance(other, Implementation)
        assert other.payments == first.payments
    assert first.name == "FirstPrice()"


def test_a_mechanism_values_allocations_itself() -> None:
    types = FiniteTypes(product(range(2), range(2), range(2), range(3)))
    assert implementable(CombinatorialVCG(["left", "right"]), types=types, agents=2)
    median = implementable(MedianVoting(range(4)), types=FiniteTypes(range(4)), agents=3)
    assert isinstance(median, Implementation)
    assert all(p <= 0 for paid in median.payments.values() for p in paid)


def test_a_rule_may_draw_from_its_generator() -> None:
    def coin(bids: Profile, rng: np.random.Generator) -> int:
        return int(rng.integers(2))

    assert implementable(coin, types=FiniteTypes(range(3)), agents=2, seed=4)


# --- Bad input ------------------------------------------------------------------------------------


def broken(bids: Profile) -> int:
    return 1 // (bids[0] - 2)


state = iter(range(10**6))


BAD = {
    "real types": (
        {"rule": highest, "types": Box(0, 1)},
        InvalidInputError,
        r"types are not finite \(got \[0, 1\]\): give FiniteTypes\(…\)",
    ),
    "no rule": ({"rule": 3}, InvalidInputError, "mechanism is not a mechanism"),
    "a rule that raises": (
        {"rule": broken},
        InvalidInputError,
        r"rule at reports \(2, 0\): raised ZeroDivisionError: .*fix the rule or the values there",
    ),
    "a rule that is secretly random": (
        {"rule": lambda bids: next(state) % 2},
        InvalidInputError,
        "not deterministic",
    ),
    "values that fail": (
        {"rule": highest, "values": lambda agent, kind, winner: float("nan")},
        InvalidInputError,
        "^rule the value of 0 to agent 0 of type 0: .*not finite",
    ),
    "shares as floats": (
        {"rule": lambda bids: (0.5, 0.5)},
        ExactnessError,
        "rule leads to floats, of its own or in values .*: return integers, fractions or decimals",
    ),
    "values as floats": (
        {"rule": highest, "values": lambda agent, kind, winner: 0.1},
        ExactnessError,
        "rule leads to floats",
    ),
    "too many types": (
        {"rule": highest, "types": FiniteTypes(range(200))},
        LimitError,
        r"15,920,000 comparisons, above the limit of 2,000,000 \(got \[200, 200\]\)",
    ),
    "no count of agents": (
        {"rule": highest, "agents": None},
        InvalidInputError,
        "agents is not a count",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told(case: str) -> None:
    arguments, error, said = BAD[case]
    given_: dict[str, Any] = {"types": FiniteTypes(range(4)), "agents": 2, **arguments}
    with pytest.raises(error, match=said):
        implementable(given_.pop("rule"), **given_)


def test_a_report_that_is_no_type_is_told() -> None:
    found = implementable(highest, types=FiniteTypes(range(4)), agents=2)
    assert isinstance(found, Implementation)
    for reports in ((9, 0), (1,), (1, 1, 1)):
        with pytest.raises(UnknownNameError, match="are no profile of the types"):
            found.outcome(reports)
