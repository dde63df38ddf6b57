"""The equilibrium of the marginal-value mechanism beside plain recursions (issue 4).

Ours starts from a matrix of utilities and item prices, solves for every revealed set and checks the
answer. "By sets" is the plain recursion that solves each revealed set once; "by histories"
remembers nothing. All have to end at the same set.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, partial
from typing import Any

from benchmarks.harness import AtMostSeconds, Growth, Ladder, Row, Work, same

ACTIONS = 3
BY_SETS, BY_HISTORIES = "plain recursion by sets", "plain recursion by histories"
FROM = {"ours": 16, BY_SETS: 12, BY_HISTORIES: 6}  # items at which a ladder starts
UP_TO = 25


@cache
def _drawn(items: int, kind: type) -> tuple[Any, list[Any]]:
    """Quarters, so that both kinds of number see the same game; ties occur."""
    import numpy as np

    rng = np.random.default_rng(items)
    utilities = rng.integers(-20, 21, (ACTIONS, 2**items))
    prices = [kind(int(p)) / 4 for p in rng.integers(1, 9, items)]
    if kind is float:
        return utilities / 4, prices
    return [[Fraction(u, 4) for u in row] for row in utilities.tolist()], prices


def _ours(items: int, kind: type, single: bool = False) -> int:
    from theory.marginal_value import MarginalValueGame, Moves, equilibrium

    utilities, prices = _drawn(items, kind)
    named = {f"I{j}": price for j, price in enumerate(prices)}
    moves = Moves.SINGLE_ITEMS if single else Moves.SUBSETS
    found = equilibrium(MarginalValueGame.of(list(named), utilities, named, moves))
    if float(found.gap) > 1e-9:
        raise ArithmeticError(f"a gap of {found.gap}")
    return int(found.game.sets[found.end[0]])


def _plain(method: str, items: int, kind: type, single: bool = False) -> int:
    from benchmarks.rows.plain_marginal_value import final_set, over_all_histories

    utilities, prices = _drawn(items, kind)
    rows = utilities if isinstance(utilities, list) else utilities.tolist()
    solve = final_set if method == BY_SETS else over_all_histories
    return solve(rows, prices, single=single)


def _row(
    name: str,
    items: int,
    kind: type,
    *,
    single: bool = False,
    peer: str = BY_SETS,
    target: AtMostSeconds | None = None,
) -> Row:
    moves = "one item a move" if single else "every subset a move"
    return Row(
        id=f"marginal-value.{name}",
        issue=4,
        work=f"equilibrium, {items} items, {moves}, {ACTIONS} actions, {kind.__name__}",
        ours=partial(_ours, items, kind, single),
        peer=partial(_plain, peer, items, kind, single),
        peer_name=peer,
        agree=same,
        prepare=partial(_drawn, items, kind),
        target=target,
        repeats=7,
    )


def _by_sets(sets: int) -> Work:
    items = sets.bit_length() - 1
    _drawn(items, float)
    return partial(_ours, items, float)


def _plain_by_sets(sets: int) -> Work:
    return partial(_plain, BY_SETS, sets.bit_length() - 1, float)


def _steps(kind: type, method: str) -> Iterator[tuple[str, Work]]:
    for items in range(FROM[method], UP_TO):
        work = partial(_ours, items, kind)
        yield f"{items} items", work if method == "ours" else partial(_plain, method, items, kind)


def rows() -> Iterator[Row | Growth | Ladder]:
    yield _row("float", 16, float, target=AtMostSeconds(0.5))
    yield _row("exact", 10, Fraction, target=AtMostSeconds(10))
    yield _row("single", 16, float, single=True)
    yield _row("histories", 6, float, peer=BY_HISTORIES)
    yield Growth(
        id="marginal-value.growth",
        issue=4,
        work="equilibrium by the number of sets of items, every subset a move, float",
        sizes=[2**items for items in (8, 10, 12, 14, 16)],
        ours=_by_sets,
        peer=_plain_by_sets,
        peer_name=BY_SETS,
        peer_up_to=2**14,
        agree=same,
    )
    for kind in (float, Fraction):
        yield Ladder(
            id=f"marginal-value.largest-{kind.__name__.lower()}",
            issue=4,
            work=f"equilibrium, every subset a move, {ACTIONS} actions, {kind.__name__}",
            methods=("ours", BY_SETS, BY_HISTORIES),
            steps=partial(_steps, kind),
        )
