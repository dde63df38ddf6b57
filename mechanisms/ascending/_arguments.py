"""The arguments of an ascending auction: what they must be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from mechanisms.ascending._items import Item, Worths, common_values
from mechanisms.play import Draw, Steps
from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.numbers import rational
from theory.shared.arguments import instance_of, read_tuple

__all__ = ["MODULES", "SELLER", "read_modules", "read_money", "read_names", "read_worths"]

SELLER: Final = "the seller"

MODULES: Final = ("plan", "replan", "beliefs")
"""What a bidder may be asked beside its bids."""

_FORMS: Final = "give names of " + ", ".join(MODULES)


def read_worths(items: tuple[Item, ...], names: tuple[str, ...], worths: Any) -> Steps[Worths]:
    """Return what the items are worth, drawn where there are several."""
    if worths is None:
        worths = common_values(items, names)
    law = ((Fraction(1), worths),) if isinstance(worths, Worths) else read_tuple("worths", worths)
    for pair in law:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            fix = "give Worths, or pairs of a probability and Worths"
            raise InvalidInputError("worths", pair, "is no pair", fix)
        instance_of("worths", pair[1], Worths, "give Worths, as common_values makes them")
        for field in ("estimates", "values"):
            shape = [len(row) for row in getattr(pair[1], field)]
            if shape != [len(items)] * len(names):
                fix = f"give {len(names)} rows of {len(items)} numbers"
                raise InvalidInputError(field, shape, "do not fit bidders and items", fix)
        for bonus in pair[1].bonuses:
            if bonus.bidder is not None and bonus.bidder not in names:
                fix = nearest(str(bonus.bidder), names)
                raise UnknownNameError("bidder of a bonus", bonus.bidder, "is no bidder", fix)
            if any(type(n) is not int or not 0 <= n < len(items) for n in bonus.items):
                fix = f"give positions from 0 to {len(items) - 1}"
                raise InvalidInputError("items of a bonus", bonus.items, "are unknown", fix)
    weights = tuple(Fraction(rational(weight, "probability")) for weight, _ in law)
    if len(law) == 1 and weights[0] == 1:
        drawn: Worths = law[0][1]
        return drawn
    drawn = yield Draw(tuple(each for _, each in law), weights, "worths")
    return drawn


def read_names(bidders: Iterable[str]) -> tuple[str, ...]:
    names: tuple[str, ...] = read_tuple("bidders", bidders)
    for name in names:
        instance_of("bidder", name, str, "name each bidder")
        if not name.strip() or name == SELLER:
            fix = "give it another name"
            raise InvalidInputError("bidder", name, "cannot be the name of a bidder", fix)
    if not names:
        raise InvalidInputError("bidders", names, "are none", "give at least one")
    if len(set(names)) < len(names):
        raise InvalidInputError("bidders", names, "have one name twice", "give each its own name")
    return names


def read_money(names: tuple[str, ...], budgets: Any) -> dict[str, Fraction]:
    if not isinstance(budgets, Mapping):
        budgets = dict.fromkeys(names, budgets)
    for name in budgets:
        if name not in names:
            raise UnknownNameError("budgets", name, "is no bidder", nearest(str(name), names))
    money = {}
    for name in names:
        if name not in budgets:
            problem, fix = f"have none for {name}", "give each bidder a budget"
            raise InvalidInputError("budgets", tuple(budgets), problem, fix)
        money[name] = Fraction(rational(budgets[name], f"budget of {name}"))
        if money[name] < 0:
            fix = "give at least 0"
            raise InvalidInputError(f"budget of {name}", money[name], "is negative", fix)
    return money


def read_modules(
    names: tuple[str, ...], modules: Mapping[str, Sequence[str]] | None
) -> dict[str, tuple[str, ...]]:
    instance_of("modules", modules or {}, Mapping, "give them by bidder")
    asked = dict.fromkeys(names, ()) | {
        name: read_tuple(f"modules of {name}", each, _FORMS)
        for name, each in (modules or {}).items()
    }
    for name, each in asked.items():
        if name not in names:
            raise UnknownNameError("modules", name, "is no bidder", nearest(str(name), names))
        for module in each:
            if module not in MODULES:
                fix = nearest(str(module), MODULES)
                raise UnknownNameError(f"modules of {name}", module, "is no module", fix)
    return asked
