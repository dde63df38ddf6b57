"""What cannot be proved, declared or loaded is refused by name, and before any work."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from papers.classics.checks.all_types import ForAllTypes, ForSomeTypes
from theory.claims import Budget, CheckContext
from theory.errors import InvalidInputError, LimitError, MechproofError
from theory.incentives import (
    Effort,
    MechanismReport,
    Piece,
    Piecewise,
    Reals,
    check_mechanism,
    prove_mechanism,
)
from theory.proofs import decide
from theory.verdicts import Finding, Status, Strength

LITTLE = Effort(samples=20, starts=1, steps=2)
CONTEXT = CheckContext(seed=1, budget=Budget(exhaustive=20, samples=20, shrinks=20, size=2))


def posted(bids: Sequence[Any]) -> Any:
    return (0, [1]) if bids[0] > 1 else (None, [0])


def nothing(bids: Sequence[Any]) -> Any:
    return None, [0] * len(bids)


def piece(when: Any, payments: Any) -> None:
    inspect.unwrap(Piece.__init__)(object.__new__(Piece), when, 0, payments)


def test_a_form_that_asks_nothing_is_compared_and_proved() -> None:
    form = Piecewise([Piece(when=[], allocation=None, payments=[0])])
    given: dict[str, Any] = {"agents": 1, "properties": ["dsic"], "solver": "certificates"}
    assert prove_mechanism(nothing, pieces=form, **given)["dsic"].strength is Strength.PROVED
    other = prove_mechanism(posted, pieces=form, effort=LITTLE, **given)["dsic"]
    assert "the declared form differs from the code" in other.reason


@pytest.mark.parametrize("when", [3, None, "abc", [3], [("x", 1)], [(1, 0.5)]])
def test_a_piece_about_nothing_known_is_refused_when_it_is_made(when: Any) -> None:
    with pytest.raises(MechproofError, match="when"):
        piece(when, [0])


@pytest.mark.parametrize("payments", [3, None, "abc", [0.5], [float("nan")], [(1, "y")]])
def test_payments_that_are_none_are_refused_when_a_piece_is_made(payments: Any) -> None:
    with pytest.raises(MechproofError, match="payments"):
        piece([], payments)


def test_more_agents_than_a_proof_can_have_are_refused_before_any_is_counted() -> None:
    called: list[Any] = []
    cases: list[dict[str, Any]] = [{"agents": 10**12}, {"types": [Reals()] * 65}]
    for given in cases:
        with pytest.raises(LimitError, match="agents are more than 64"):
            prove_mechanism(called.append, **given)
    assert not called


def test_a_solver_without_a_name_is_none() -> None:
    with pytest.raises(MechproofError, match="solver is not a solver"):
        prove_mechanism(posted, agents=1, solver="")


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
@pytest.mark.parametrize(
    ("written", "said"),
    [("raise OSError('no such library\\nsee there')", "OSError: no such library"), ("", "Attrib")],
)
def test_a_solver_that_does_not_load_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, solver: str, written: str, said: str
) -> None:
    (tmp_path / f"{solver}.py").write_text(written, encoding="utf-8")
    kept = [name for name in sys.modules if name.partition(".")[0] == solver]
    for name in kept:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        with pytest.raises(InvalidInputError, match="is installed and does not load") as refused:
            prove_mechanism(posted, agents=1, solver=solver)
        assert said in str(refused.value)
        assert "\n" not in str(refused.value)
        with pytest.raises(InvalidInputError, match="does not load"):
            decide([], solver=solver)
    finally:
        sys.modules.pop(solver, None)


# --- checks of claims


@pytest.mark.parametrize("empty", [{"properties": []}, {"agents": ()}, {"properties": "dsic"}])
def test_a_check_of_no_properties_or_no_agents_is_refused(empty: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match=next(iter(empty))):
        ForAllTypes(posted, **{"properties": ["dsic"], **empty})
    if "agents" in empty:
        with pytest.raises(InvalidInputError, match="agents"):
            ForSomeTypes(posted, "dsic", **empty)


def some(mechanism: Any) -> Finding:
    return ForSomeTypes(mechanism, "dsic", (1,), prove=quickly)(CONTEXT)


def quickly(mechanism: Any, **arguments: Any) -> MechanismReport:
    return prove_mechanism(mechanism, effort=LITTLE, **arguments)


def test_a_failure_that_was_only_searched_for_is_an_open_matter() -> None:
    import math

    def unseen(bids: Sequence[Any]) -> Any:
        math.floor(bids[0])
        return posted(bids)

    searched = some(unseen)
    assert (searched.status, searched.strength) == (Status.AMBIGUOUS, Strength.TESTED)
    assert (some(posted).status, some(posted).strength) == (Status.REFUTED, Strength.PROVED)


def test_more_agents_may_be_searched() -> None:
    found = check_mechanism(
        nothing, types=Reals(), agents=65, properties=["no_positive_transfers"], effort=LITTLE
    )
    assert found["no_positive_transfers"].strength is Strength.TESTED
