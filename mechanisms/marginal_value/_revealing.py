"""What may be revealed in a run: by whom, in which moves, how often."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mechanisms.participants import describe_object
from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.marginal_value import Family, Moves
from theory.probability import check_names
from theory.shared.arguments import read_count
from theory.shared.copying import copy_content
from theory.shared.rules import rule_of

__all__ = ["Items", "MoveSet", "RevealingRules", "copy_contents", "read_contents"]

Items = Mapping[str, object] | Iterable[str]
Names = tuple[str, ...]
MoveSet = Moves | str | Iterable[Iterable[str]]


@dataclass(frozen=True)
class RevealingRules:
    """What may be revealed, and by whom; ``family`` None where any set of items is a move."""

    items: Names
    family: tuple[Names, ...] | None
    holdings: Mapping[str, frozenset[str]] = field(hash=False)
    max_moves: int

    @classmethod
    def of(
        cls,
        items: Names,
        moves: MoveSet,
        informants: Collection[str],
        holdings: Mapping[str, Iterable[str]] | None,
        max_moves: int | None,
    ) -> RevealingRules:
        """Read the rules."""
        held = dict.fromkeys(informants, frozenset(items))
        if holdings is not None and not isinstance(holdings, Mapping):
            raise InvalidInputError(
                "holdings", holdings, "are no mapping", "give lists of items by informant"
            )
        for name, what in (holdings or {}).items():
            if name not in held:
                problem = "is not an informant"
                raise UnknownNameError("holdings", name, problem, nearest(name, held))
            held[name] = _read_items(what, items, f"holdings of {name}")
        most = len(items) if max_moves is None else max_moves
        return cls(items, _family(moves, items), held, read_count("max_moves", most, 0))

    def of_one(self, informant: str) -> RevealingRules:
        """Return the rules as they are for an informant: what others hold is not told."""
        return replace(self, holdings={informant: self.holdings[informant]})

    def held_by(self, informant: str) -> Names:
        """Return the items that an informant may reveal."""
        return tuple(name for name in self.items if name in self.holdings[informant])

    def allow(self, new: frozenset[str], revealed: Collection[str]) -> bool:
        """Whether some move newly reveals just this."""
        return self.family is None or any(
            new == set(move).difference(revealed) for move in self.family
        )


def read_contents(items: Items) -> dict[str, Any]:
    """Return the content of each item, by name."""
    _require_list("items", items)
    if not isinstance(items, Mapping):
        names = tuple(items)
        check_names("items", names)
        items = dict(zip(names, names, strict=True))
    if not items:
        raise InvalidInputError("items", items, "is empty", "give at least one item")
    for name in items:
        if not isinstance(name, str):
            raise InvalidInputError("items", name, "is not text", "name each item")
    return dict(items)


def copy_contents(items: Items) -> dict[str, Any]:
    """Return a copy of the content of each item, by name."""
    contents = read_contents(items)
    try:
        return copy_content(contents)
    except Exception as error:
        raise InvalidInputError(
            "items",
            items,
            f"cannot be copied: {describe_object(error)}",
            "give contents such as text",
        ) from error


def _read_items(names: Iterable[object], items: Collection[str], argument: str) -> frozenset[str]:
    _require_list(argument, names)
    found = set[str]()
    for name in names:
        if not isinstance(name, str) or name not in items:
            raise UnknownNameError(argument, name, "is not an item", nearest(name, items))
        found.add(name)
    return frozenset(found)


def _require_list(argument: str, names: object) -> None:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InvalidInputError(argument, names, "is no list of names", "give a list of names")


def _family(moves: MoveSet, items: tuple[str, ...]) -> tuple[Names, ...] | None:
    if isinstance(moves, str):
        if rule_of(Moves, moves, "moves") is Moves.SUBSETS:
            return None
        return ((), *((name,) for name in items))
    return tuple(Family.of(moves, items))
