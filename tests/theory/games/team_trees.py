"""Problems of one forgetful player, as the nested tuples of the oracles."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from game_strategies import game_of, rebuilt, relabelled, weights
from hypothesis import strategies as st
from reference import games as oracle

from theory.games import Game

Tree = oracle.Tree

HALF = Fraction(1, 2)


def alone(tree: Tree) -> Game:
    """The game of one player."""
    return game_of(tree, players=1)


def stop(pays: object) -> Tree:
    return ("end", (pays,))


def decide(label: str, branches: Sequence[Tree], pays: object = 0) -> Tree:
    return ("move", 0, label, tuple(branches), (pays,))


def toss(branches: Sequence[Tree], odds: Sequence[Fraction] = ()) -> Tree:
    """Chance picks a branch, each with the same probability unless odds are given."""
    even = (Fraction(1, len(branches)),) * len(branches)
    return ("chance", tuple(odds) or even, tuple(branches), (0,))


@st.composite
def forgetful(draw: st.DrawFn) -> Tree:
    """Chance moves, then the player moves two or three times, at sets that meet only in part.

    No path meets a set twice, as sets have nodes of one depth.
    """
    moves = draw(st.lists(st.sampled_from([2, 3, 2, 1]), min_size=2, max_size=3))
    names = [4, *draw(st.lists(st.integers(1, 3), min_size=len(moves) - 1, max_size=2))]

    def node(depth: int) -> Tree:
        pays = draw(st.integers(-1, 1))
        if depth == len(moves):
            return stop(draw(st.integers(0, 4)))
        if draw(st.integers(0, 9)) == 0:
            return toss([node(depth + 1), node(depth + 1)])
        name = draw(st.integers(1, names[depth]))
        return decide(f"{name}@{depth}", [node(depth + 1) for _ in range(moves[depth])], pays)

    odds = draw(st.integers(2, 4).flatmap(weights))
    return toss([node(0) for _ in odds], odds)


@st.composite
def dizzy(draw: st.DrawFn) -> Tree:
    """One or two sets, each with two or three moves, met again and again; and a set met once."""
    sizes = draw(st.lists(st.integers(2, 3), min_size=1, max_size=2))

    def node(left: int) -> Tree:
        if left == 0:
            return stop(draw(st.integers(-3, 3)))
        kind = draw(st.integers(-1, 2 * len(sizes) - 1))
        if kind < 0:
            return toss([node(left - 1), node(left - 1)])
        name = kind % len(sizes)
        return decide(f"{name}", [node(left - 1) for _ in range(sizes[name])])

    tree = node(draw(st.integers(2, 3)))
    return decide("awake", [tree, stop(draw(st.integers(-1, 1)))]) if draw(st.booleans()) else tree


def mindful(tree: Tree) -> Tree:
    """The same tree, played by one who remembers the own sets and moves, but nothing of chance."""

    def label(old: str, address: oracle.Address) -> str:
        above = ((oracle.at(tree, address[:d]), m) for d, m in enumerate(address))
        own = [(node[2], m) for node, m in above if node[0] == "move"]
        return f"{old} after {own}"

    return relabelled(tree, label)


def with_bad_moves(tree: Tree) -> Tree:
    """The same tree with one more move at every set, which costs too much."""

    def add(node: Tree, _: oracle.Address) -> Tree:
        bad = stop(-1000)
        return (*node[:-2], (*node[-2], bad), node[-1]) if node[0] == "move" else node

    return rebuilt(tree, add)


def with_null_branches(tree: Tree) -> Tree:
    """The same tree with a tempting branch at every move of chance that never happens."""

    def add(node: Tree, _: oracle.Address) -> Tree:
        if node[0] != "chance":
            return node
        return ("chance", (*node[1], Fraction(0)), (*node[2], stop(1000)), node[3])

    return rebuilt(tree, add)


def hats(players: int) -> Tree:
    """Each sees the others' hats and passes or names the own colour: one right, nobody wrong.

    Ebert's problem (1998). Three players win with probability 3/4.
    """

    def guess(colours: Sequence[int], i: int, right: bool, wrong: bool) -> Tree:
        if i == players:
            return stop(int(right and not wrong))
        seen = "".join(str(c) for j, c in enumerate(colours) if j != i)
        named = [
            guess(colours, i + 1, right or c == colours[i], wrong or c != colours[i])
            for c in range(2)
        ]
        return decide(f"{i} sees {seen}", [guess(colours, i + 1, right, wrong), *named])

    return toss([guess(colours, 0, False, False) for colours in product(range(2), repeat=players)])


def inspection(seed: int, goods: int = 4, states: int = 1) -> Tree:
    """Subsets of binary goods are bought knowing all values, and what was bought is acted on.

    Each of the 2^goods types has ``states`` equally likely states that no good tells apart.
    """
    generator = np.random.default_rng(seed)
    prices = [Fraction(int(p), 4) for p in generator.integers(1, 6, goods)]
    subsets = [s for n in range(goods + 1) for s in combinations(range(goods), n)]

    def known(values: Sequence[int]) -> Tree:
        pays = generator.integers(0, 7, (states, 4)).tolist()

        def bought(u: Sequence[int], subset: Sequence[int]) -> Tree:
            label = f"{subset}: {[values[g] for g in subset]}"
            return decide(label, [stop(v) for v in u], -sum(prices[g] for g in subset))

        return toss([decide(f"{values}", [bought(u, s) for s in subsets]) for u in pays])

    return toss([known(values) for values in product(range(2), repeat=goods)])


def two_levels(seed: int, price: Fraction = Fraction(1, 4)) -> Tree:
    """Two binary goods a level: what is bought of the second decides about the first with it."""
    generator = np.random.default_rng(seed)
    subsets = [s for n in range(3) for s in combinations(range(2), n)]

    def known(values: Sequence[int]) -> Tree:
        pays = generator.integers(0, 7, 4).tolist()

        def shown(subset: Sequence[int], of: Sequence[int]) -> str:
            return f"{subset}: {[of[g] for g in subset]}"

        def first(upper: Sequence[int], lower: Sequence[int]) -> Tree:
            label = f"{shown(upper, values[2:])} {shown(lower, values[:2])}"
            return decide(label, [stop(u) for u in pays], -price * (len(upper) + len(lower)))

        def second(upper: Sequence[int]) -> Tree:
            label = f"{values[:2]} {shown(upper, values[2:])}"
            return decide(label, [first(upper, lower) for lower in subsets])

        return decide(f"{values}", [second(upper) for upper in subsets])

    return toss([known(values) for values in product(range(2), repeat=4)])


def messages(seed: int, types: int, sent: int, actions: int) -> Tree:
    """The type is known when the message is sent, and only the message when the action is taken."""
    generator = np.random.default_rng(seed)
    pays = generator.integers(0, 10, (types, actions)).tolist()
    return toss(
        [
            decide(
                f"type {t}", [decide(f"message {m}", [stop(u) for u in row]) for m in range(sent)]
            )
            for t, row in enumerate(pays)
        ]
    )
