"""What a proof must not rest on: guessed alternatives, paths nobody looked into, what was learnt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from theory.incentives import Effort, PropertyFinding, Reals, prove_mechanism
from theory.verdicts import Strength

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
