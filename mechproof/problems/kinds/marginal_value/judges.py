"""Games of the marginal-value mechanism from what a file says of the judge, by set or by state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from math import inf
from typing import Annotated, Any, Final, TypeVar

from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.reading import DocumentError, WrittenNumber, child, locate_errors
from mechproof.problems.format.typed import Record, check_digits
from mechproof.problems.shared.counting import (
    MAX_CELLS,
    MAX_LONG_SETS,
    MAX_SETS,
    check_count,
    weigh_steps,
)
from mechproof.problems.shared.goods import (
    Good,
    States,
    Utilities,
    Variables,
    decision_of,
    entries_of,
    first_repetition,
    goods_of,
    look_up_name,
    space_of,
    variables_of,
)
from theory.marginal_value import MarginalValueGame, Moves, from_prior
from theory.numbers import rational

__all__ = ["Judgement", "Price", "Prices", "SetPrice", "game_of_prior", "game_of_table"]

T = TypeVar("T")
Items = frozenset[str]

_MAX_ITEMS: Final = 40
"""How many items there may be, whatever the moves."""
_INFINITE: Final = {"inf", "+inf", "Infinity"}
"""Infinity as text, and as TOML and Python's JSON write it."""

Price = Annotated[
    Any, Meta(extra_json_schema={"anyOf": [{"$ref": "#/$defs/Number"}, {"const": "inf"}]})
]


class Judgement(Record, frozen=True, kw_only=True):
    """What the judge expects when some items have been revealed."""

    revealed: Annotated[tuple[str, ...], Meta(description="The items; none is nothing.")]
    utilities: Annotated[
        dict[str, Fraction], Meta(description="Action: the utility that the judge expects of it.")
    ]


class SetPrice(Record, frozen=True, kw_only=True):
    """What it costs to reveal some items at once."""

    revealed: Annotated[tuple[str, ...], Meta(description="What is newly revealed.", min_length=1)]
    price: Annotated[Price, Meta(description='The price; "inf" for a move never made.')]


Prices = dict[str, Price] | tuple[SetPrice, ...]
Family = Moves | list[Items]


def game_of_table(
    *,
    items: Sequence[str],
    actions: Sequence[str],
    judge: Sequence[Judgement],
    prices: Prices | UnsetType,
    moves: str | Iterable[Sequence[str]],
) -> MarginalValueGame:
    """Return the game in which the judge's expectations stand set by set."""
    check_count("$.items", "items", len(items), _MAX_ITEMS, "leave some out")
    _check_distinct(items, "item", "$.items")
    _check_distinct(actions, "action", "$.actions")
    expected = _by_set(
        (
            (
                each.revealed,
                entries_of(each.utilities, "action", actions, f"$.judge[{k}].utilities"),
            )
            for k, each in enumerate(judge)
        ),
        items,
        "$.judge",
    )
    family, _, steps = _family(moves, items)
    read = _read(prices)
    rows = (each.utilities.values() for each in judge)
    _check_length("$.judge", steps, chain.from_iterable(rows), read)
    free = dict.fromkeys(items, 0)
    paid = free if isinstance(prices, UnsetType) else _read_prices(prices, read, items, family)
    with locate_errors("$.items"):
        return MarginalValueGame.of(items, expected, paid, family, actions)


def game_of_prior(
    *,
    states: States,
    variables: Variables,
    utilities: Utilities,
    goods: Iterable[Good],
    state: str,
    prices: Prices | UnsetType,
    moves: str | Iterable[Sequence[str]],
) -> MarginalValueGame:
    """Return the game in which the judge knows a prior, and one state is the true one."""
    listed = tuple(goods)
    check_count("$.goods", "items", len(listed), _MAX_ITEMS, "leave some out")
    family, sets, steps = _family(moves, tuple(good.name for good in listed))
    cells = sets * len(states) * len(utilities)
    fix = "leave goods out, or merge states"
    check_count("$.goods", "sets of items by state and action", cells, MAX_CELLS << 2, fix)
    read = _read(prices) or [good.price for good in listed]
    worth = chain.from_iterable(row.values() for row in utilities.values())
    _check_length("$.goods", steps + cells, worth, states.values(), read)
    space = space_of(states)
    known = variables_of(variables, space)
    offered = goods_of(((child("$.goods", k), good) for k, good in enumerate(listed)), known)
    decision = decision_of(utilities, space)
    if not look_up_name(state, "state", states, "$.state"):
        raise DocumentError("has probability zero: give a possible state", path="$.state")
    if prices is not UNSET and any(good.price for good in offered.values()):
        raise DocumentError("stand beside prices of goods: keep one", path="$.prices")
    paid = (
        None
        if isinstance(prices, UnsetType)
        else _read_prices(prices, read, tuple(offered), family)
    )
    with locate_errors("$.goods"):
        return from_prior(decision, tuple(offered.values()), state, paid, family)


def _family(moves: str | Iterable[Sequence[str]], items: Sequence[str]) -> tuple[Family, int, int]:
    """Return the moves, each once, how many sets they reveal, and how many moves all sets have."""
    if isinstance(moves, str):
        count = len(items)
        _check_sets(1 << count)
        known = {str(each): each for each in Moves}
        family = look_up_name(moves, "moves", known, "$.moves")
        return family, 1 << count, 3**count if family is Moves.SUBSETS else count << count
    read = (_set(move, items, child("$.moves", k)) for k, move in enumerate(moves))
    listed = list(dict.fromkeys(read))
    if frozenset() not in listed:
        wrong = "has no null move: add [], since a player may reveal nothing"
        raise DocumentError(wrong, path="$.moves")
    revealed, steps = {frozenset[str]()}, len(listed)
    for move in listed:
        revealed |= {move | known for known in revealed}
        _check_sets(len(revealed))
        steps, fix = len(listed) * len(revealed), "list fewer moves"
        check_count("$.moves", "moves at sets of items", steps, MAX_CELLS << 1, fix)
    return listed, len(revealed), steps


def _check_sets(count: int) -> None:
    fix = "leave items out, or list fewer moves"
    check_count("$.moves", "sets that can be revealed", count, MAX_SETS, fix)


def _check_length(path: str, steps: int, *rows: Iterable[Fraction | float]) -> None:
    """Refuse moves at all sets where numbers are long: these come over one denominator a row."""
    exact = ((each for each in row if isinstance(each, Fraction)) for row in rows)
    what, fix = "moves at sets of items, by the length of numbers", "leave items out, or round them"
    check_count(path, what, weigh_steps(steps, exact, MAX_LONG_SETS), MAX_LONG_SETS, fix)


def _read(prices: Prices | UnsetType) -> list[Fraction | float]:
    """Return the numbers of the field ``prices`` in their order."""
    if isinstance(prices, UnsetType):
        return []
    if isinstance(prices, dict):
        read = [_price(price, child("$.prices", name)) for name, price in prices.items()]
    else:
        read = [_price(each.price, f"$.prices[{k}].price") for k, each in enumerate(prices)]
    with locate_errors("$.prices"):
        check_digits((price for price in read if isinstance(price, Fraction)), "prices")
    return read


def _read_prices(
    prices: Prices, read: Sequence[Fraction | float], items: Sequence[str], family: Family
) -> Mapping[str, object] | Callable[[Items], object]:
    """Return prices by item, or by set, from their numbers."""
    if isinstance(prices, dict):
        entries_of(prices, "item", items, "$.prices")
        return dict(zip(prices, read, strict=True))
    if family is Moves.SINGLE_ITEMS:
        wrong = "are by set, and one item is revealed at a time: give each item a price"
        raise DocumentError(wrong, path="$.prices")
    rows = zip((each.revealed for each in prices), read, strict=True)
    price = _by_set(rows, items, "$.prices")
    return lambda new: price(new) if new else 0


def _price(value: Any, path: str) -> Fraction | float:
    written = value.text if isinstance(value, WrittenNumber) else value
    if isinstance(written, str) and written in _INFINITE:
        return inf
    with locate_errors(path):
        return rational(written)


def _by_set(
    rows: Iterable[tuple[Sequence[str], T]], items: Sequence[str], path: str
) -> Callable[[Items], T]:
    """Return what a list says of a set of items; to ask for one that it leaves out raises."""
    table: dict[Items, T] = {}
    for k, (names, value) in enumerate(rows):
        place = f"{child(path, k)}.revealed"
        revealed = _set(names, items, place)
        if revealed in table:
            raise DocumentError("is given twice", path=place)
        table[revealed] = value

    def look_up(revealed: Items) -> T:
        if revealed not in table:
            missing = ", ".join(name for name in items if name in revealed)
            raise DocumentError(f"has no entry for revealed = [{missing}]", path=path)
        return table[revealed]

    return look_up


def _set(names: Sequence[str], items: Sequence[str], path: str) -> Items:
    known = {name: name for name in items}
    found = frozenset(
        look_up_name(name, "item", known, child(path, j)) for j, name in enumerate(names)
    )
    if len(found) < len(names):
        raise DocumentError("names an item twice", path=path)
    return found


def _check_distinct(names: Sequence[str], what: str, path: str) -> None:
    k = first_repetition(names)
    if k is not None:
        raise DocumentError(f"{names[k]!r} names another {what} too", path=child(path, k))
