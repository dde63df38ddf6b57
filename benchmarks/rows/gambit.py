"""Beside Gambit: reading its files, payoffs and regrets of a profile, equilibria (issue 9).

Both read the same text and compute in exact rational numbers. Gambit keeps its games as objects
that can be edited, and builds the reduced strategic form of a tree where it is asked for regrets;
ours is a table that is computed once, and regrets of a tree are found by backward induction.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.harness import Row

DEPTH, SIDE, SMALL = 10, 100, 3
NEEDS, NAME = ("pygambit",), "Gambit"


# --- extensive games: two players move in turn, in a binary tree


@cache
def tree(depth: int) -> Any:
    from theory.games import Game, choice, end

    rng = np.random.default_rng(depth)
    met = iter(range(1 << depth))

    def after(left: int) -> Any:
        if not left:
            return end(*map(int, rng.integers(100, size=2)))
        player, name = ("Ann", "Bob")[left % 2], f"set {next(met)}"
        return choice(player, name, {"left": after(left - 1), "right": after(left - 1)})

    return Game.of(("Ann", "Bob"), after(depth))


@cache
def efg(depth: int) -> str:
    from theory.games import to_efg

    return to_efg(tree(depth))


def our_tree(depth: int) -> Any:
    from theory.games import from_efg

    return from_efg(efg(depth))


def their_tree(depth: int) -> Any:
    import pygambit

    return pygambit.read_efg(io.StringIO(efg(depth)))


read_by_them = cache(their_tree)


def same_tree(ours: Any, theirs: Any) -> str:
    from theory.games import from_efg

    return "" if bare(from_efg(theirs.to_efg())) == bare(ours) else "the games are not the same"


def bare(game: Any) -> list[tuple[Any, ...]]:
    """The nodes without the names that Gambit gives to outcomes."""
    return [(node.infoset, node.moves, node.probabilities, node.payoffs) for node in game.nodes]


@cache
def behaviour(depth: int) -> Any:
    from theory.games import Behaviour

    return Behaviour.random(tree(depth), np.random.default_rng(0))


def our_payoffs(depth: int) -> tuple[Fraction, ...]:
    from theory.games import expected_payoffs

    return expected_payoffs(tree(depth), behaviour(depth))


@cache
def copies(depth: int) -> list[Any]:
    """Return Gambit's copies of our information sets, in our order."""
    read = read_by_them(depth)
    nodes = list(read.nodes)
    numbered = {(copy.player.label, copy.number): copy for copy in read.infosets}
    first = [nodes[infoset.nodes[0]].infoset for infoset in tree(depth).infosets]
    return [numbered[node.player.label, node.number] for node in first]


def their_profile(depth: int) -> Any:
    read = read_by_them(depth)
    profile = read.mixed_behavior_profile(rational=True)
    for infoset, law in zip(copies(depth), behaviour(depth).probabilities, strict=True):
        profile[infoset] = list(law)
    return profile


def their_payoffs(depth: int) -> tuple[Fraction, ...]:
    profile = their_profile(depth)
    return tuple(fraction(profile.payoff(name)) for name in tree(depth).players)


def our_regrets(depth: int) -> tuple[Fraction, ...]:
    from theory.games import regrets

    return regrets(tree(depth), behaviour(depth))


def their_regrets(depth: int) -> tuple[Fraction, ...]:
    profile = their_profile(depth).as_strategy()
    return tuple(fraction(profile.player_regret(name)) for name in tree(depth).players)


def our_equilibria(depth: int) -> list[tuple[Fraction, ...]]:
    from theory.games import pure_equilibria

    return sorted(found.payoffs for found in pure_equilibria(tree(depth)))


def their_equilibria(depth: int) -> list[tuple[Fraction, ...]]:
    """Of Gambit's reduced strategies each stands for all that differ off its own path."""
    import pygambit

    found = pygambit.nash.enumpure_solve(read_by_them(depth)).equilibria
    names = tree(depth).players
    return sorted(tuple(fraction(profile.payoff(name)) for name in names) for profile in found)


def fraction(number: Any) -> Fraction:
    return Fraction(number.numerator, number.denominator)


def equal(ours: Any, theirs: Any) -> str:
    return "" if ours == theirs else f"{ours!r} is not {theirs!r}"


def same_payoffs(ours: Any, theirs: Any) -> str:
    return "" if set(ours) == set(theirs) else "the payoffs of the equilibria are not the same"


# --- strategic games


@cache
def strategic(side: int) -> Any:
    from theory.normal_form import NormalFormGame

    payoffs = np.random.default_rng(side).integers(0, 1000, (2, side, side)).tolist()
    return NormalFormGame.bimatrix(*payoffs)


@cache
def nfg(side: int) -> str:
    from theory.normal_form import to_nfg

    return to_nfg(strategic(side))


def our_table(side: int) -> Any:
    from theory.normal_form import from_nfg

    return from_nfg(nfg(side))


def their_table(side: int) -> Any:
    import pygambit

    return pygambit.read_nfg(io.StringIO(nfg(side)))


table_read_by_them = cache(their_table)


def same_table(ours: Any, theirs: Any) -> str:
    found = [[[fraction(v) for v in row] for row in rows] for rows in theirs.to_arrays()]
    said = [ours.payoffs[p].scalars() for p in range(2)]
    flat = [[v for row in rows for v in row] for rows in found]
    return "" if flat == [list(row) for row in said] else "the payoffs are not the same"


@cache
def mixed(side: int) -> list[list[Fraction]]:
    weights = np.random.default_rng(0).integers(1, 100, (2, side)).tolist()
    return [[Fraction(w, sum(row)) for w in row] for row in weights]


def our_gains(side: int) -> list[Fraction]:
    from theory.correlated import nash_gap

    return [Fraction(own.gain) for own in nash_gap(strategic(side), mixed(side)).players]


def their_gains(side: int) -> list[Fraction]:
    read = table_read_by_them(side)
    profile = read.mixed_strategy_profile(rational=True)
    for player, law in zip(read.players, mixed(side), strict=True):
        profile[player] = law
    return [fraction(profile.player_regret(player)) for player in read.players]


def row(name: str, work: str, ours: Any, peer: Any, agree: Any) -> Row:
    return Row(
        id=f"gambit.{name}",
        issue=9,
        work=work,
        ours=ours,
        peer=peer,
        peer_name=NAME,
        needs=NEEDS,
        agree=agree,
    )


def rows() -> Iterator[Row]:
    nodes, profiles = 2 ** (DEPTH + 1) - 1, SIDE**2
    yield row(
        "read-efg",
        f"reading an .efg tree of {nodes:,} nodes",
        partial(our_tree, DEPTH),
        partial(their_tree, DEPTH),
        same_tree,
    )
    yield row(
        "payoffs",
        f"exact payoffs of behaviour on {nodes:,} nodes",
        partial(our_payoffs, DEPTH),
        partial(their_payoffs, DEPTH),
        equal,
    )
    small = 2 ** (SMALL + 1) - 1
    yield row(
        "tree-regrets",
        f"exact regrets of behaviour on {small} nodes",
        partial(our_regrets, SMALL),
        partial(their_regrets, SMALL),
        equal,
    )
    yield row(
        "pure-equilibria",
        f"all pure equilibria of a tree of {small} nodes",
        partial(our_equilibria, SMALL),
        partial(their_equilibria, SMALL),
        same_payoffs,
    )
    yield row(
        "read-nfg",
        f"reading an .nfg table of {profiles:,} profiles",
        partial(our_table, SIDE),
        partial(their_table, SIDE),
        same_table,
    )
    yield row(
        "regrets",
        f"exact regrets of mixed play, {SIDE} x {SIDE}",
        partial(our_gains, SIDE),
        partial(their_gains, SIDE),
        equal,
    )
