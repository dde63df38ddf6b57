"""What shrinking must reach from many random starts: the smallest form of classic targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest
from families import TREES, Tree, family_of, leaves
from hypothesis import given
from hypothesis import strategies as st

from papers.bazaar.checks.purchases import PURCHASES, InspectionRaisesUtility, Purchases
from papers.volition.checks.families import InformationInstance, information_problems
from theory.search import Draw, Family, Member, shrink

STARTS = 12


@dataclass(frozen=True)
class Target:
    """Instances that ``fails`` accepts, and the smallest; ``alone`` if no other is of its size."""

    name: str
    family: Family[Any]
    fails: Callable[[Any], bool]
    smallest: Any
    alone: bool = True


def by_sum(xs: list[int]) -> tuple[int, ...]:
    return (len(xs), sum(map(abs, xs)))


def naturals(draw: Draw, _level: int) -> list[int]:
    return [draw.index(101) for _ in range(draw.index(9))]


def integers(draw: Draw, length: int) -> list[int]:
    return [draw.integer(-60, 60) for _ in range(length)]


def labels(draw: Draw, states: int) -> list[int]:
    return draw.partition(states)


def matrix(draw: Draw, n: int) -> list[list[int]]:
    return [[draw.integer(-5, 5) for _ in range(n)] for _ in range(n)]


def columns(rows: list[list[int]]) -> list[list[int]]:
    return [list(column) for column in zip(*rows, strict=True)]


def tree(draw: Draw, _level: int) -> Any:
    """A leaf, or two trees; at most eight deep."""

    def grow(depth: int) -> Any:
        return (grow(depth - 1), grow(depth - 1)) if depth and draw.index(2) else ()

    return grow(8)


def depth(node: Any) -> int:
    return 1 + max(map(depth, node)) if node else 0


def nodes(node: Any) -> int:
    return 1 + sum(map(nodes, node))


def game(draw: Draw, _level: int) -> list[list[tuple[int, int]]]:
    """Two players, two actions each; a pair of payoffs a cell."""
    return [[(draw.integer(-3, 3), draw.integer(-3, 3)) for _ in range(2)] for _ in range(2)]


def has_pure_equilibrium(cells: list[list[tuple[int, int]]]) -> bool:
    return any(
        cells[i][j][0] >= cells[1 - i][j][0] and cells[i][j][1] >= cells[i][1 - j][1]
        for i, j in product((0, 1), repeat=2)
    )


def signal_changes_the_choice(instance: InformationInstance) -> bool:
    picked = {choice.picked for choice in instance.problem.decide(instance.partition)}
    return len(picked) > 1


NATURALS: Family[Any] = Family("lists of 0..100", "n", (1,), naturals, by_sum)
LENGTHS: Family[Any] = Family("integers -60..60", "length", (1, 2, 3, 4, 5), integers, by_sum)
PARTITIONS: Family[Any] = Family(
    "partitions", "states", tuple(range(1, 9)), labels, lambda found: (len(found), max(found))
)
MATRICES: Family[Any] = Family(
    "square matrices",
    "rows",
    (1, 2, 3),
    matrix,
    lambda rows: (len(rows), sum(abs(v) for row in rows for v in row)),
)
TREES_GROWN: Family[Any] = Family("binary trees", "n", (1,), tree, lambda node: (nodes(node),))
GAMES: Family[Any] = Family(
    "two-by-two games",
    "n",
    (1,),
    game,
    lambda cells: (sum(abs(u) for row in cells for cell in row for u in cell),),
)

TARGETS = (
    Target("a sum above 100", NATURALS, lambda xs: sum(xs) > 100, [1, 100]),
    Target("an element of at least 50", NATURALS, lambda xs: max(xs, default=0) >= 50, [50]),
    Target("two equal elements", NATURALS, lambda xs: len(set(xs)) < len(xs), [0, 0]),
    Target("not sorted", NATURALS, lambda xs: xs != sorted(xs), [1, 0]),
    Target("not its own reverse", NATURALS, lambda xs: xs != xs[::-1], [0, 1]),
    Target("five elements or more", NATURALS, lambda xs: len(xs) >= 5, [0] * 5),
    Target("three different elements", NATURALS, lambda xs: len(set(xs)) >= 3, [0, 1, 2]),
    Target(
        "a total of 60 from three or more",
        NATURALS,
        lambda xs: len(xs) >= 3 and sum(xs) >= 60,
        [0, 0, 60],
    ),
    Target(
        "a large last element, none of them below two",
        NATURALS,
        lambda xs: min(xs, default=0) > 1 and xs[-1] >= 50,
        [50],
    ),
    Target(
        "two integers seven apart",
        LENGTHS,
        lambda xs: any(a - b == 7 for a in xs for b in xs),
        [0, 7],
    ),
    Target("a negative sum", LENGTHS, lambda xs: sum(xs) < 0, [-1]),
    Target("both signs", LENGTHS, lambda xs: min(xs) < 0 < max(xs), [1, -1]),
    Target("three blocks or more", PARTITIONS, lambda found: max(found) >= 2, [0, 1, 2]),
    Target(
        "two blocks of two states",
        PARTITIONS,
        lambda found: sum(found.count(b) >= 2 for b in set(found)) >= 2,
        [0, 0, 1, 1],
    ),
    Target(
        "a row of positive sum and a column of negative sum",
        MATRICES,
        lambda rows: any(sum(r) > 0 for r in rows) and any(sum(c) < 0 for c in columns(rows)),
        [[0, 1], [-1, 0]],
        alone=False,
    ),
    Target("not symmetric", MATRICES, lambda rows: rows != columns(rows), [[0, 0], [1, 0]]),
    Target("a tree three deep", TREES_GROWN, lambda node: depth(node) >= 3, ((), ((), ((), ())))),
    Target(
        "no pure equilibrium",
        GAMES,
        lambda cells: not has_pure_equilibrium(cells),
        [[(1, 0), (0, 1)], [(0, 1), (1, 0)]],
        alone=False,
    ),
    Target(
        "Theorem 1 of bazaar as printed",
        PURCHASES,
        lambda case: InspectionRaisesUtility()(case).fails,
        Purchases((1,), (0,), (1,), (-1,)),
    ),
)


def starts(family: Family[Any], fails: Callable[[Any], bool], level: int) -> list[Member[Any]]:
    """Return random failing members of a level."""
    generator = np.random.default_rng(level)
    found: list[Member[Any]] = []
    for _ in range(20_000):
        member = family.sample(level, generator)
        if member is not None and fails(member.instance):
            found.append(member)
            if len(found) == STARTS:
                return found
    raise AssertionError("hardly any member fails")


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_the_smallest_form_is_reached(target: Target) -> None:
    assert target.fails(target.smallest)
    for start in starts(target.family, target.fails, target.family.levels[-1]):
        shrunk = shrink(target.family, start, target.fails, 5000)
        assert shrunk.finished
        assert shrunk.member.size == target.family.size(target.smallest), start
        assert shrunk.member.instance == target.smallest or not target.alone, start


@pytest.mark.slow
def test_a_decision_that_information_changes_shrinks_to_two_states() -> None:
    family = information_problems((2, 3, 4))
    exhausted = (m for m in family.members(2) if m is not None)
    smallest = min(
        (m for m in exhausted if signal_changes_the_choice(m.instance)), key=lambda m: m.order
    )
    for start in starts(family, signal_changes_the_choice, 4)[:3]:
        shrunk = shrink(family, start, signal_changes_the_choice, 5000)
        assert shrunk.finished
        assert (shrunk.member.level, shrunk.member.size) == (2, smallest.size), start


# --- laws of shrinking, on random trees of choices


@st.composite
def failures(draw: st.DrawFn) -> tuple[Tree, set[tuple[int, ...]], tuple[int, ...]]:
    """Return a tree of choices, the paths that fail, and one of them."""
    tree: Tree = draw(TREES)
    failing = draw(st.sets(st.sampled_from(list(leaves(tree))), min_size=1))
    return tree, failing, draw(st.sampled_from(sorted(failing)))


def member_of(tree: Tree, path: tuple[int, ...]) -> Member[tuple[int, ...]]:
    member = family_of(tree).rebuild(1, path)
    assert member is not None
    return member


@given(failures(), st.integers(0, 30))
def test_shrinking_keeps_its_promises(
    case: tuple[Tree, set[tuple[int, ...]], tuple[int, ...]], limit: int
) -> None:
    tree, failing, path = case
    family, start = family_of(tree), member_of(tree, path)
    asked: list[tuple[int, ...]] = []

    def fails(instance: tuple[int, ...]) -> bool:
        asked.append(instance)
        return instance in failing

    shrunk = shrink(family, start, fails, limit)
    assert shrunk.member.instance in failing, "it still fails"
    assert shrunk.member.order <= start.order, "it never grows"
    assert shrunk.tried == len(asked) <= limit
    assert len(set(asked)) == len(asked), "nothing is tried twice"
    assert shrink(family, start, fails, limit) == shrunk, "it is deterministic"
    if shrunk.finished:
        again = shrink(family, shrunk.member, failing.__contains__, 10_000)
        assert again.member == shrunk.member
        assert again.finished


@given(failures())
def test_more_trials_never_give_a_larger_result(
    case: tuple[Tree, set[tuple[int, ...]], tuple[int, ...]],
) -> None:
    tree, failing, path = case
    family, start = family_of(tree), member_of(tree, path)
    orders = [
        shrink(family, start, failing.__contains__, limit).member.order for limit in range(12)
    ]
    assert orders == sorted(orders, reverse=True)
    assert orders[0] == start.order


def test_a_start_that_nothing_smaller_resembles_is_returned_as_it_is() -> None:
    start = NATURALS.rebuild(1, (3, 5, 9, 2))
    assert start is not None
    shrunk = shrink(NATURALS, start, lambda xs: xs == [5, 9, 2], 1000)
    assert shrunk.member == start
    assert shrunk.finished
    assert str(shrunk) == f"shrunk in {shrunk.tried} trials until no step made it smaller"


def test_a_predicate_that_raises_while_shrinking_is_not_hidden() -> None:
    start = NATURALS.rebuild(1, (3, 5, 9, 2))
    assert start is not None

    def fails(xs: list[int]) -> bool:
        raise ArithmeticError(xs)

    with pytest.raises(ArithmeticError):
        shrink(NATURALS, start, fails, 10)
