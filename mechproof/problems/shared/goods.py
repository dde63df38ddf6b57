"""What kinds of problems about information share: states, variables, and goods that reveal them."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from mechproof.problems.format.reading import DocumentError, child, locate_errors
from mechproof.problems.format.typed import Record
from mechproof.unknown_names import unknown_name
from theory import information
from theory.decision import DecisionProblem
from theory.probability import ProbabilitySpace, Variable

__all__ = [
    "Good",
    "States",
    "Utilities",
    "Value",
    "Variables",
    "as_text",
    "as_value",
    "decision_of",
    "entries_of",
    "first_repetition",
    "goods_of",
    "look_up_name",
    "space_of",
    "variables_of",
]

T = TypeVar("T")

Value = str | int | bool

States = Annotated[
    dict[str, Fraction],
    Meta(description="Probability of each state; they sum to one exactly.", min_length=1),
]
Variables = Annotated[
    dict[str, dict[str, Value]],
    Meta(description="Variable, then state: the value; every state has one."),
]
Utilities = Annotated[dict[str, dict[str, Fraction]], Meta(min_length=1)]


class Good(Record, frozen=True, kw_only=True):
    """A good that reveals the values of some variables."""

    name: Annotated[str, Meta(description="Its name, given to no other good.")]
    reveals: Annotated[tuple[str, ...], Meta(description="Names of the variables it reveals.")]
    price: Annotated[Fraction, Meta(description="Its price, 0 when left out.")] = msgspec.field(
        default_factory=Fraction
    )


def space_of(states: Mapping[str, Fraction]) -> ProbabilitySpace:
    """Return the space of the field ``states``."""
    with locate_errors("$.states"):
        return ProbabilitySpace.of(states)


def variables_of(
    rows: Mapping[str, Mapping[str, Value]], space: ProbabilitySpace
) -> dict[str, Variable]:
    """Return the variables of the field ``variables``, their values as text."""
    states = _names(space)
    return {
        name: Variable.of(
            name, [as_text(v) for v in entries_of(row, "state", states, child("$.variables", name))]
        )
        for name, row in rows.items()
    }


def decision_of(
    rows: Mapping[str, Mapping[str, Fraction]], space: ProbabilitySpace
) -> DecisionProblem:
    """Return the decision of the field ``utilities``."""
    states = _names(space)
    return DecisionProblem.of(
        space,
        {
            action: entries_of(row, "state", states, child("$.utilities", action))
            for action, row in rows.items()
        },
    )


def goods_of(
    offers: Iterable[tuple[str, Good]], variables: Mapping[str, Variable]
) -> dict[str, information.Good]:
    """Return by name the goods that stand at these paths; no two have the same name."""
    goods: dict[str, information.Good] = {}
    for path, good in offers:
        if good.name in goods:
            raise DocumentError(f"{good.name!r} names another good too", path=f"{path}.name")
        shown = [
            look_up_name(name, "variable", variables, child(f"{path}.reveals", j))
            for j, name in enumerate(good.reveals)
        ]
        goods[good.name] = information.Good.of(good.name, shown, good.price)
    return goods


def look_up_name(name: str, what: str, known: Mapping[str, T], path: str) -> T:
    """Return what bears a name; where nothing does, the error names the nearest one."""
    if name not in known:
        raise DocumentError(str(unknown_name(what, name, known)), path=path)
    return known[name]


def first_repetition(names: Sequence[str]) -> int | None:
    """Return the place of the first name that was there before, if there is one."""
    seen: set[str] = set()
    for k, name in enumerate(names):
        if name in seen:
            return k
        seen.add(name)
    return None


def entries_of(row: Mapping[str, T], what: str, names: Sequence[str], path: str) -> list[T]:
    """Return the entries of a row in the order of the names; it has one for each and no other."""
    known = dict.fromkeys(names)
    for name in row:
        look_up_name(name, what, known, child(path, name))
    for name in names:
        if name not in row:
            raise DocumentError(f"has no entry for the {what} {name!r}", path=path)
    return [row[name] for name in names]


def as_text(value: Value) -> str:
    """Write a value as JSON, so that true, 1 and "1" differ."""
    return json.dumps(value, ensure_ascii=False)


@lru_cache(maxsize=1 << 12)
def as_value(text: Hashable) -> Value:
    """Return the value that was written so."""
    value: Value = json.loads(str(text))
    return value


def _names(space: ProbabilitySpace) -> list[str]:
    return [str(state) for state in space.states]
