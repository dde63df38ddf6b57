"""The ex-ante optimum of a team with imperfect recall beside all pure strategies (issue 3).

An informed move picks a subset of binary goods, each at a price; the action that follows knows the
subset and the values in it: the best admissible protocol as an extensive game.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, islice, product
from typing import Any

from benchmarks.harness import Ladder, Row, Work, same

PEER = "all pure strategies"
SMALL, TARGET = (2, 2), (4, 4)
SIZES = [(1, 4), (1, 8), (2, 2), (2, 3), (2, 4), (3, 4), (4, 4), (5, 4), (6, 4), (7, 4), (8, 4)]
TRIED = 200


@cache
def _team(goods: int, actions: int) -> Any:
    import numpy as np

    from theory.games import Game, Tree, chance, choice, end

    generator = np.random.default_rng(0)
    prices = [Fraction(int(p), 4) for p in generator.integers(1, 6, goods)]
    subsets = [s for n in range(goods + 1) for s in combinations(range(goods), n)]

    def known(values: Sequence[int]) -> Tree:
        utilities = generator.integers(0, 7, actions).tolist()

        def bought(subset: Sequence[int]) -> Tree:
            label = f"{subset}: {[values[g] for g in subset]}"
            spent = sum((prices[g] for g in subset), Fraction(0))
            return choice("team", label, {str(a): end(u - spent) for a, u in enumerate(utilities)})

        return choice("team", str(values), {str(subset): bought(subset) for subset in subsets})

    odds = Fraction(1, 2**goods)
    types = product(range(2), repeat=goods)
    return Game.of(("team",), chance({str(values): (odds, known(values)) for values in types}))


def _ours(goods: int, actions: int) -> Fraction:
    from theory.games import optimum

    value: Fraction = optimum(_team(goods, actions)).value
    return value


def _plain(goods: int, actions: int, tried: int | None = None) -> Fraction:
    """The best payoff of the first pure strategies, or of all."""
    game = _team(goods, actions)

    def payoff(v: int, moves: Sequence[int]) -> Fraction:
        node = game.nodes[v]
        if node.is_end:
            return Fraction(node.payoffs[0])
        if node.is_chance:
            odds = zip(node.probabilities, node.children, strict=True)
            return sum((p * payoff(child, moves) for p, child in odds), Fraction(0))
        return payoff(node.children[moves[node.infoset]], moves)

    strategies = product(*(range(len(infoset.moves)) for infoset in game.infosets))
    return max(payoff(0, moves) for moves in islice(strategies, tried))


def _strategies() -> float:
    from theory.games import count_strategies

    return count_strategies(_team(*TARGET)) / TRIED


def _no_worse(ours: Fraction, theirs: Fraction) -> str:
    return "" if ours >= theirs else f"ours is worth {ours}, some strategy {theirs}"


def _steps(method: str) -> Iterator[tuple[str, Work]]:
    solve = _ours if method == "ours" else _plain
    for goods, actions in SIZES:
        yield f"{goods} goods, {actions} actions", partial(solve, goods, actions)


def rows() -> Iterator[Row | Ladder]:
    yield Row(
        id="teams.small",
        issue=3,
        work="optimum of a team, {} goods and {} actions, exact".format(*SMALL),
        ours=partial(_ours, *SMALL),
        peer=partial(_plain, *SMALL),
        peer_name=PEER,
        agree=same,
        prepare=partial(_team, *SMALL),
        repeats=7,
        quick=False,
    )
    yield Row(
        id="teams.optimum",
        issue=3,
        work="optimum of a team, {} goods and {} actions, 16 types, exact".format(*TARGET),
        ours=partial(_ours, *TARGET),
        peer=partial(_plain, *TARGET, TRIED),
        peer_name=PEER,
        agree=_no_worse,
        prepare=partial(_team, *TARGET),
        repeats=7,
        peer_scale=_strategies,
    )
    yield Ladder(
        id="teams.largest",
        issue=3,
        work="optimum of a team, exact",
        methods=("ours", PEER),
        steps=_steps,
    )
