"""What a proof must not rest on: guessed alternatives, unseen paths, what code has learnt."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import jaxtyping
import numpy as np
import pytest
import typechecker
from sweeps import in_turns

from mechanisms.classics import FirstPrice
from theory.errors import InvalidInputError
from theory.incentives import (
    Box,
    Effort,
    FiniteTypes,
    Lottery,
    Product,
    PropertyFinding,
    Reals,
    Simplex,
    Vectorised,
    prove_mechanism,
)
from theory.incentives.proving import _code_owner, _operations
from theory.incentives.proving._attempt import Trace
from theory.incentives.proving._machine import Machine
from theory.incentives.proving._trace_failure import Untraced
from theory.verdicts import Status, Strength

LITTLE = Effort(samples=20, starts=1, steps=2)


def found(mechanism: Any, name: str, agents: int = 1, **arguments: Any) -> PropertyFinding:
    given = {"types": Reals(0), "solver": "certificates", "effort": LITTLE, **arguments}
    return prove_mechanism(mechanism, agents=agents, properties=[name], **given)[name]


# --- efficiency, where nobody says which allocations there are


def quantities(bids: Sequence[Any]) -> Any:
    return (None if max(bids) <= 0 else (5, 7)), [0, 0]


def a_winner_who_is_not_there(bids: Sequence[Any]) -> Any:
    return (None if max(bids) <= 0 else 2), [0, 0]


def highest(bids: Sequence[Any]) -> Any:
    return bids.index(max(bids)), [0, 0]


def test_alternatives_that_one_outcome_gave_are_no_ground_for_a_proof() -> None:
    guess = found(quantities, "efficient", 2)
    assert guess.strength is Strength.TESTED
    assert "nobody says which allocations there are" in guess.reason
    assert "also returns (5, 7)" in guess.reason
    assert found(a_winner_who_is_not_there, "efficient", 2).strength is not Strength.PROVED


def test_alternatives_that_all_paths_keep_to_or_that_are_declared_are() -> None:
    assert found(highest, "efficient", 2).strength is Strength.PROVED
    listed = found(quantities, "efficient", 2, alternatives=lambda agents: [None, (5, 7)])
    assert listed.strength is Strength.PROVED


# --- paths that are not linear


def product_of_bids(bids: Sequence[Any]) -> Any:
    """Ask more than anyone has where reports are numbers, and their product is nearly 10^7."""
    first, second = bids
    if 2 * second < first < 3 * second and 10**7 < first * second < 10**7 + 1:
        return None, [int(isinstance(first, int | Fraction)), 0]
    return None, [0, 0]


def an_irrational_tie(bids: Sequence[Any]) -> Any:
    return None, [1 if bids[0] * bids[0] == 2 else 0]


def squares(bids: Sequence[Any]) -> Any:
    """Sell at price 1, asked in squares; a path on which a sum of squares is below 0 is empty."""
    (bid,) = bids
    if bid * bid + bid + 1 < 0:
        return 0, [-1000]
    return (0, [1]) if bid * bid > 1 and bid > 0 else (None, [0])


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_a_path_that_is_not_linear_is_looked_into(solver: str) -> None:
    away = found(product_of_bids, "individually_rational", 2, solver=solver)
    assert away.strength is not Strength.PROVED
    assert away.proof is None


def test_a_path_without_a_known_point_is_no_proof() -> None:
    tie = found(an_irrational_tie, "no_positive_transfers", solver="z3")
    assert tie.strength is Strength.TESTED
    assert "no exact point was found at which to compare" in tie.reason


def test_an_empty_path_is_said_to_be_empty() -> None:
    honest = found(squares, "dsic", types=Reals(), solver="z3")
    assert honest.strength is Strength.PROVED, honest
    assert "in every path but " in honest.rechecked
    assert "that are empty" in honest.rechecked


# --- what the code has learnt from earlier calls


def first_report_of_all() -> Any:
    def mechanism(bids: Sequence[Any], reserve: list[Any] = []) -> Any:  # noqa: B006 - the fault
        if not reserve:
            reserve.append(max(bids))
        return (0, [reserve[0]]) if bids[0] > reserve[0] else (None, [0])

    return mechanism


def once_free() -> Any:
    """Free for the first who asks, at a price of 1 from then on."""
    asked: list[bool] = []

    def mechanism(bids: Sequence[Any]) -> Any:
        asked.append(True)
        return (0, [0]) if len(asked) == 1 else (0, [1]) if bids[0] > 1 else (None, [0])

    return mechanism


class Raising:
    """A posted price that grows after ten calls with numbers above 5."""

    def __init__(self) -> None:
        self.seen = 0

    def outcome(self, bids: Sequence[Any]) -> Any:
        self.seen += isinstance(bids[0], int | Fraction) and bids[0] > 5
        price = 1 if self.seen < 10 else 1 + Fraction(1, 10**9)
        return (0, [price]) if bids[0] > price else (None, [0])


@pytest.mark.parametrize("make", [first_report_of_all, once_free, Raising])
@pytest.mark.parametrize("name", ["dsic", "individually_rational"])
def test_what_was_learnt_from_earlier_calls_is_not_proved(make: Any, name: str) -> None:
    learnt = found(make(), name)
    assert learnt.strength is not Strength.PROVED
    assert learnt.proof is None


def test_what_is_kept_is_named_though_it_may_change_nothing() -> None:
    log: list[Any] = []

    def logging(bids: Sequence[Any]) -> Any:
        log.append(bids)
        return (0, [1]) if bids[0] > 1 else (None, [0])

    kept = found(logging, "dsic")
    assert kept.strength is Strength.TESTED
    assert "`log.append(bids)`: changes a list that was there before" in kept.reason
    assert "it keeps something from call to call" in kept.reason


def test_what_pickling_writes_into_a_class_is_not_its_rule() -> None:
    mechanism = pickle.loads(pickle.dumps(FirstPrice()))
    assert "__slotnames__" in vars(FirstPrice)
    assert found(mechanism, "individually_rational", 2).strength is Strength.PROVED


# --- integers of NumPy, which wrap


def sums(bids: Sequence[Any]) -> Any:
    total = np.array(bids).sum()
    return None, [0 if total >= 0 else 1] * len(bids)


def squares_of_an_array(reports: np.ndarray) -> Any:
    return reports * 0, reports * 0 + paid_below_zero((row * row).sum() for row in reports)


def sums_of_an_array(reports: np.ndarray) -> Any:
    return reports * 0, reports * 0 + paid_below_zero(row.sum() for row in reports)


def paid_below_zero(totals: Iterable[Any]) -> Any:
    return np.array([[1 if total < 0 else 0] for total in totals])


def kept_exact(bids: Sequence[Any]) -> Any:
    total = np.array(bids, dtype=object).sum()
    return None, [0 if total >= 0 else 1] * len(bids)


@pytest.mark.parametrize(
    ("mechanism", "agents"),
    in_turns(
        [
            (sums, 2),
            (Vectorised(squares_of_an_array), 2),
            (Vectorised(sums_of_an_array), 3),
            (sums, 3),
        ],
        2,
    ),
)
def test_integers_that_wrap_are_no_numbers_of_the_trace(mechanism: Any, agents: int) -> None:
    wrapped = found(mechanism, "individually_rational", agents)
    assert wrapped.strength is not Strength.PROVED
    within = found(mechanism, "individually_rational", agents, types=Box(0, 10**6), solver="z3")
    assert within.strength is Strength.PROVED, within


def test_numbers_in_an_array_of_objects_are_followed() -> None:
    assert found(kept_exact, "individually_rational", 2).strength is Strength.PROVED


# --- what symbols and numbers can be told apart by, where they are not computed with


def by_denominator(bids: Sequence[Any]) -> Any:
    return None, [int(getattr(bids[0], "denominator", 1) == 7)]


def by_text(bids: Sequence[Any]) -> Any:
    return None, [int(str(bids[0]) == "7/2")]


def by_length(bids: Sequence[Any]) -> Any:
    return None, [int(len(f"{bids[0]:>3}") > 12)]


@pytest.mark.parametrize("mechanism", [by_denominator, by_text, by_length])
def test_code_that_looks_at_how_a_number_is_written_is_not_proved(mechanism: Any) -> None:
    looked = found(mechanism, "individually_rational")
    assert looked.strength is not Strength.PROVED
    assert "became text" in looked.reason or "denominator" in looked.reason


# --- integers that wrap inside bounds


def cubed(bids: Sequence[Any]) -> Any:
    if np.array(bids)[0] ** 3 >= 0:
        return 0, [0, 0]
    return 1, [bids[0] + 1, 0]


@pytest.mark.parametrize("high", [3 * 10**6, 10**7])
def test_powers_that_wrap_inside_the_bounds_are_found(high: int) -> None:
    assert cubed((2_200_000, 0))[1][0] > 0, "the code wraps"
    wrapped = found(cubed, "individually_rational", 2, types=Box(0, high))
    assert wrapped.strength is not Strength.PROVED


def test_alternatives_that_cannot_be_called_are_refused() -> None:
    class Listed:
        alternatives = (None, 0, 1)

        def __call__(self, bids: Sequence[Any]) -> Any:
            return None, [0, 0]

    with pytest.raises(InvalidInputError, match="make it a method that takes the number of agents"):
        found(Listed(), "efficient", 2)


# --- what a property is about, over symbols as over numbers

HALF = Fraction(1, 2)


def _coin(bids: Sequence[Any]) -> Any:
    """Toss a fair coin between two bidders; who is named last pays where the first bids less."""
    high, low = (0, 1) if bids[0] >= bids[1] else (1, 0)
    return Lottery({high: HALF, low: HALF}), [0, 1 if high == 0 else 0]


def _of_three(bids: Sequence[Any]) -> Any:
    return ((HALF, HALF, 0) if bids[0] >= 1 else (HALF, 0, HALF)), [0, 0]


def _sure(bids: Sequence[Any]) -> Any:
    return (0, [0, 1]) if bids[0][0] >= 1 else ((1, 0), [0, 0])


_ONE = Product(Simplex(1), Reals(0))
_SAME = Product(Box([1], [1]), Reals(0))
_LISTED = Product(FiniteTypes([(1,)]), Reals(0))


@pytest.mark.parametrize(
    ("mechanism", "name", "given"),
    [
        (_coin, "non_bossy", {"types": Reals(0), "values": lambda i, t, a: t if a == i else 0}),
        (_sure, "non_bossy", {"types": Box([0, 0], [2, 2])}),
        (_of_three, "non_bossy", {"types": [Reals(0), Box([0, 0, 0], [1, 1, 1])]}),
        (lambda bids: (7, [0, 0]), "feasible", {"types": Box([0, 0], [1, 1])}),
        (lambda bids: ((0, 0, 1), [0, 0]), "feasible", {"types": Box([0, 0], [1, 1])}),
        *(
            (
                lambda bids: ("x", [0, 0, -1]),
                "anonymous",
                {"types": [space, space, other], "values": lambda i, t, a: t[1]},
            )
            for space, other in ((_ONE, _SAME), (_LISTED, _SAME), (_ONE, _LISTED))
        ),
    ],
)
def test_one_law_and_one_set_of_types_may_be_written_in_several_ways(
    mechanism: Any, name: str, given: dict[str, Any]
) -> None:
    agents = None if isinstance(given["types"], list) else 2
    report = prove_mechanism(mechanism, agents=agents, properties=[name], **given)
    assert report[name].status is Status.REFUTED, report[name]


@pytest.mark.parametrize(
    ("mechanism", "given"),
    [
        (lambda bids: ((5, 5), [0, 0]), {}),
        (lambda bids: (7, [0, 0]), {"values": lambda i, t, a: t}),
        (lambda bids: (0, [0, 0]) if bids[0] < 1000 else ((5, 5), [0, 0]), {}),
    ],
)
def test_where_nothing_says_what_is_feasible_nothing_is_proved(
    mechanism: Any, given: dict[str, Any]
) -> None:
    report = prove_mechanism(mechanism, types=Reals(0), agents=2, properties=["feasible"], **given)
    assert report["feasible"].strength is not Strength.PROVED


# --- what holds a trace to the code, at the first place and at the last


def test_python_has_to_come_to_what_the_machine_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_operations._OPERATORS, "-", (lambda a, b: a + b, "sub"))
    told = found(lambda bids: (None, [bids[0] * 0 - 1]), "dsic").reason  # no slack shows it
    assert "Python does something else with symbols" in told


@pytest.mark.parametrize("place", [0, 1])
def test_what_any_case_asks_for_has_to_stay_as_it_is(place: int) -> None:
    kept: list[list[int]] = [[], []]
    machines = [Machine(), Machine()]
    for machine, each in zip(machines, kept, strict=True):
        machine.see(each)
    cases: Any = tuple(SimpleNamespace(machine=machine) for machine in machines)
    known: Any = SimpleNamespace(cases=cases)
    Trace.refuse_changes(known)
    kept[place].append(1)
    with pytest.raises(Untraced, match="changes from call to call"):
        Trace.refuse_changes(known)


class Five(np.int64):
    """A number that NumPy takes for 5, and who reads it for 3."""

    def __int__(self) -> int:
        return 3


@pytest.mark.parametrize("place", [0, 1])
def test_the_payment_of_each_agent_is_a_number_whose_rules_are_known(place: int) -> None:
    price = Five(5)

    def posted(bids: Sequence[Any]) -> Any:
        sold = bids[place] >= 3
        return (place if sold else None), [price if sold and i == place else 0 for i in range(2)]

    finding = found(posted, "individually_rational", 2)
    assert finding.strength is not Strength.PROVED
    assert "Five, whose rules no trace sees" in finding.reason


# --- types that are checked at run time, as they are in one test run of ten


def test_a_dataclass_whose_types_are_checked_keeps_its_proof(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_code_owner, "_CHECKED", ["theory"])

    @jaxtyping.jaxtyped(typechecker=typechecker.checked)
    @dataclass(frozen=True)
    class Posted:
        price: int

        def outcome(self, reports: Sequence[Any]) -> Any:
            return (0, (self.price,)) if reports[0] >= self.price else (None, (0,))

    assert found(Posted(2), "dsic").strength is Strength.PROVED
