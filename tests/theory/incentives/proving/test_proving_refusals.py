"""Code that would get a proof by not seeing what it does to numbers: each was proved once."""

from __future__ import annotations

import copy
import operator
import pickle
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from adversarial_calls import DOUBLED
from plain_python import outcomes

from theory.errors import ExactnessError
from theory.incentives import (
    Box,
    Effort,
    Piece,
    Piecewise,
    PropertyFinding,
    Reals,
    prove_mechanism,
)
from theory.incentives.proving._machine import Machine
from theory.incentives.proving._returned_values import plain_allocation, plain_number, read_outcome
from theory.incentives.proving._trace_failure import Untraced
from theory.proofs import Tracer
from theory.verdicts import Status, Strength

LITTLE = Effort(samples=20, starts=1, steps=2)

Rule = Callable[[Sequence[Any]], Any]


def posted(bids: Sequence[Any]) -> Any:
    return (0, [1]) if bids[0] > 1 else (None, [0])


def own_bid(bids: Sequence[Any]) -> Any:
    return 0, [bids[0]]


def a_float_that_is_caught(bids: Sequence[Any]) -> Any:
    try:
        far = float(bids[0]) > 100
    except Exception:
        far = False
    return own_bid(bids) if far else posted(bids)


def a_division_that_is_caught(bids: Sequence[Any]) -> Any:
    try:
        far = 0 < 1 / bids[0] < Fraction(1, 100)
    except Exception:
        far = False
    return own_bid(bids) if far else posted(bids)


def a_floor_that_is_caught(bids: Sequence[Any]) -> Any:
    try:
        far = bids[0] // 100 >= 1
    except Exception:
        far = False
    return own_bid(bids) if far else posted(bids)


def a_set_that_is_caught(bids: Sequence[Any]) -> Any:
    try:
        lucky = bids[0] in {77}
    except TypeError:
        lucky = False
    return (0, [-1000]) if lucky else posted(bids)


def a_power_that_is_caught(bids: Sequence[Any]) -> Any:
    try:
        far = bids[0] ** Fraction(1, 2) > 10
    except Exception:
        far = False
    return own_bid(bids) if far else posted(bids)


def a_decimal(bids: Sequence[Any]) -> Any:
    return (0, [-1000]) if bids[0] == Decimal(77) else posted(bids)


def a_complex_number_in_a_list(bids: Sequence[Any]) -> Any:
    return (0, [-1000]) if bids[0] in (77 + 0j,) else posted(bids)


def the_kind_of_large_reports(bids: Sequence[Any]) -> Any:
    large = isinstance(bids[0], int | Fraction) and bids[0] > 100
    return own_bid(bids) if large else posted(bids)


@pytest.mark.parametrize(
    "mechanism",
    [
        a_float_that_is_caught,
        a_division_that_is_caught,
        a_floor_that_is_caught,
        a_set_that_is_caught,
        a_power_that_is_caught,
        a_decimal,
        a_complex_number_in_a_list,
        the_kind_of_large_reports,
    ],
)
def test_what_the_trace_cannot_see_is_not_proved(mechanism: Rule) -> None:
    report = prove_mechanism(
        mechanism, agents=1, properties=["dsic"], solver="certificates", effort=LITTLE
    )
    assert report["dsic"].strength is not Strength.PROVED
    honest = prove_mechanism(posted, agents=1, properties=["dsic"], solver="certificates")
    assert honest["dsic"].strength is Strength.PROVED


def test_a_declared_form_that_differs_on_a_half_line_is_not_proved() -> None:
    def rounded(bids: Sequence[Any]) -> Any:
        return own_bid(bids) if bids[0] // 1 >= 1000 else posted(bids)

    form = Piecewise(
        [
            Piece(when=lambda bids: bids[0] > 1, allocation=0, payments=[1]),
            Piece(when=lambda bids: True, allocation=None, payments=[0]),
        ]
    )
    found = prove_mechanism(
        rounded,
        agents=1,
        properties=["dsic"],
        solver="certificates",
        pieces=form,
        effort=LITTLE,
    )
    assert found["dsic"].strength is not Strength.PROVED


def test_cycles_of_any_length_are_not_proved_from_those_of_one() -> None:
    """A rotation by 56 degrees: no cycle of three types gains, one of more does."""

    def rotated(reports: Sequence[Any]) -> Any:
        x, y = reports[0]
        return (x - Fraction(3, 2) * y, Fraction(3, 2) * x + y), [0]

    found = prove_mechanism(
        rotated,
        types=Box([-1, -1], [1, 1]),
        agents=1,
        values=lambda _, kind, place: sum(a * b for a, b in zip(kind, place, strict=True)),
        properties=["cyclically_monotone"],
        solver="certificates",
        effort=LITTLE,
    )
    assert found["cyclically_monotone"].strength is not Strength.PROVED


def test_what_is_never_asked_is_vacuous() -> None:
    def for_two(bids: Sequence[Any]) -> Any:
        first, second = bids
        return (0, [second, 0]) if first >= second else (1, [0, first])

    found = prove_mechanism(
        for_two, types=Reals(0), agents=2, properties=["revenue_monotone"], solver="certificates"
    )
    assert found["revenue_monotone"].status is Status.VACUOUS


def test_a_proof_says_of_which_types_it_is() -> None:
    found = prove_mechanism(
        posted, types=Box(1, 3), agents=1, properties=["dsic"], solver="certificates"
    )
    proof = found["dsic"].proof
    assert proof is not None
    assert "1 agent, t0, l0 in [1, 3]" in str(proof)
    assert "t0, l0 in [1, 3]" in proof.smtlib()


def test_a_term_is_copied_as_itself_and_never_pickled() -> None:
    term = Tracer(real=("x",))["x"]
    assert copy.deepcopy([term])[0] is term
    with pytest.raises(ExactnessError, match="was asked for its parts"):
        pickle.dumps(term)


def test_a_refusal_outside_of_a_run_leaves_later_runs_alone() -> None:
    trace = Tracer(real=("x",))
    with pytest.raises(ExactnessError):
        float(trace["x"])
    assert trace.prove(lambda: [trace["x"] - trace["x"]]).complete


@pytest.mark.parametrize(
    "allocation",
    [
        DOUBLED,
        [0, DOUBLED],
        {0, DOUBLED},
        frozenset({(DOUBLED, 0)}),
        {DOUBLED: 0},
        {0: DOUBLED},
        np.array([0, DOUBLED], dtype=object),
    ],
    ids=repr,
)
def test_a_fraction_that_is_not_in_lowest_terms_is_not_returned(allocation: Any) -> None:
    with pytest.raises(Untraced, match="not in lowest terms"):
        plain_allocation(Machine(), allocation)
    if allocation is DOUBLED:
        with pytest.raises(Untraced, match="not in lowest terms"):
            plain_number(Machine(), allocation)


@dataclass(frozen=True)
class Bid:
    amount: Any


class OneBid(Bid):
    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize("agent", [0, 1])
def test_of_two_objects_only_fields_are_compared(agent: int) -> None:
    """A copy of an object is another one, and has the same fields."""

    def rule(bids: Sequence[Any], kind: type) -> Any:
        same = kind(bids[agent]) == kind(bids[agent])
        return None, [int(same and i == agent) for i in range(2)]

    def found(kind: type) -> PropertyFinding:
        given: Any = {"types": Reals(0), "agents": 2, "solver": "certificates", "effort": LITTLE}
        name = "no_positive_transfers"
        return prove_mechanism(lambda bids: rule(bids, kind), properties=[name], **given)[name]

    assert found(Bid).strength is Strength.PROVED
    assert "asks whether an object is another" in found(OneBid).reason


@pytest.mark.parametrize("agent", [0, 1])
@pytest.mark.parametrize("form", [dict, Counter, set, frozenset])
def test_payments_are_not_read_from_keys(agent: int, form: Any) -> None:
    """The keys of this table would be payments that refute what its entries would not."""
    paid = {-1: 1, 1: 1} if agent == 0 else {1: 1, -1: 1}
    with pytest.raises(Untraced, match="return a sequence with one payment an agent"):
        read_outcome(Machine(), (0, form(paid)))


@pytest.mark.parametrize("place", [0, 1])
def test_entries_that_are_left_out_are_not_read_from_memory(place: int) -> None:
    """NumPy clips where it is told to, and leaves the rest of a new array as it is."""

    def rule(bids: Sequence[Any]) -> Any:
        mask = np.arange(2) == place
        return None, list(np.clip(np.array(bids, dtype=object), 0, 9, where=mask) * 0)

    report = prove_mechanism(
        rule, types=Reals(0), agents=2, properties=["no_positive_transfers"], effort=LITTLE
    )
    assert "leaves entries of a new array" in report.findings[0].reason


LONG: dict[str, Callable[[Any], Any]] = {
    "a report among them": lambda report: report in range(10**9),
    "how often a report is there": lambda report: range(10**9).count(report),
    "their sum": lambda report: sum(range(10**9)),
    "all of them": lambda report: all(range(1, 10**9)),
    "a list of them": lambda report: len([*range(10**9)]),
    "what is left of them": lambda report: max(iter(range(10**9))),
    "by the operator": lambda report: operator.contains(range(10**9), report),
}


@pytest.mark.parametrize("agent", [0, 1])
@pytest.mark.parametrize("asked", LONG.values(), ids=LONG)
def test_a_long_range_that_is_gone_through_in_one_step_is_not_waited_for(
    asked: Callable[[Any], Any], agent: int
) -> None:
    """Python would take minutes for each outcome, so it is not searched either."""

    def rule(bids: Sequence[Any]) -> Any:
        return 0, [0 * asked(bids[agent]), 0]

    finding = prove_mechanism(rule, types=Reals(), agents=2, properties=["dsic"])["dsic"]
    assert (finding.status, finding.strength) == (Status.AMBIGUOUS, Strength.TESTED)
    assert "in one step" in finding.reason
    assert finding.scope.instances == 0


def test_a_long_range_that_is_not_gone_through_keeps_the_proof() -> None:
    def rule(bids: Sequence[Any]) -> Any:
        whole = range(10**9)
        for place in whole:
            if place == 2:
                break
        return 0, [(len(whole) - 10**9) * bids[1] + (7 not in whole), 0]

    finding = prove_mechanism(rule, types=Reals(), agents=2, properties=["dsic"])["dsic"]
    assert finding.strength is Strength.PROVED


WITHOUT_FLINT = """
import sys
sys.modules["flint"] = None
from theory.incentives import Reals, prove_mechanism

def rule(bids):
    winner = bids.index(max(bids))
    return winner, [min(bids) if i == winner else 0 for i in range(2)]

def reason(solver):
    options = dict(types=Reals(0), agents=2, properties=["dsic"], solver=solver)
    return prove_mechanism(rule, **options)["dsic"].reason
"""


@pytest.mark.parametrize("solver", ["certificates", "z3"])
def test_what_is_not_installed_is_not_blamed_on_a_line_of_the_mechanism(solver: str) -> None:
    """In a process of its own: another test may have loaded what is missing here."""
    call = f"reason({solver!r})"
    reason = outcomes(WITHOUT_FLINT, [call])[call]
    assert "this library needs what is not installed: ModuleNotFoundError" in reason
    assert "winner" not in reason
