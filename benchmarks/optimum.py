"""The ex-ante optimum of a team beside the enumeration of all pure strategies, in one run.

    python benchmarks/optimum.py [--seed S] [--minute]

An informed move picks a subset of binary goods, each at a price; the action that follows knows the
subset and the values in it. Sizes are goods x actions. The target is 4 x 4, sixteen types, in at
most 10 s on the first call, with all imports and the certificate checked. ``--minute`` climbs until
a size takes longer than a minute.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from math import log10
from time import perf_counter

import numpy as np

from theory.errors import LimitError
from theory.games import Game, Tree, chance, choice, count_strategies, end, optimum

SIZES = [
    (1, 2),
    (1, 4),
    (1, 8),
    (2, 2),
    (2, 3),
    (2, 4),
    (3, 4),
    (4, 4),
    (5, 4),
    (6, 4),
    (7, 4),
    (8, 4),
]
TARGET, SECONDS, MINUTE = (4, 4), 10.0, 60.0
SHORT = 200_000
"""Without --minute, enumerations of more strategies are left out."""


def team(goods: int, actions: int, seed: int) -> Game:
    generator = np.random.default_rng(seed)
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


def enumerated(game: Game, until: float) -> Fraction | None:
    """Return the best payoff of all pure strategies, or None after ``until`` on the clock."""
    best = None
    for moves in product(*(range(len(infoset.moves)) for infoset in game.infosets)):

        def payoff(v: int, moves: Sequence[int] = moves) -> Fraction:
            node = game.nodes[v]
            if node.is_end:
                return node.payoffs[0]
            if node.is_chance:
                odds = zip(node.probabilities, node.children, strict=True)
                return sum((p * payoff(child) for p, child in odds), Fraction(0))
            return payoff(node.children[moves[node.infoset]])

        value = payoff(0)
        best = value if best is None else max(best, value)
        if perf_counter() > until:
            return None
    return best


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--minute", action="store_true")
    chosen = options.parse_args()
    longest = MINUTE if chosen.minute else SECONDS

    target = team(*TARGET, chosen.seed)
    start = perf_counter()
    optimum(target)
    cold = perf_counter() - start

    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}")
    print(f"{'size':>5}{'nodes':>9}{'strategies':>12}{'ours s':>10}{'all s':>10}{'ratio':>10}")
    plain = True
    for size in SIZES:
        game = team(*size, chosen.seed)
        strategies = count_strategies(game)
        start = perf_counter()
        try:
            found = optimum(game)
        except LimitError as refused:
            print(f"{size[0]:>3}x{size[1]}{len(game.nodes):>9}  {refused}")
            break
        ours = perf_counter() - start
        exponent = f"10^{log10(strategies):.0f}"
        row = f"{size[0]:>3}x{size[1]}{len(game.nodes):>9}{exponent:>12}{ours:>10.4f}"
        plain = plain and (chosen.minute or strategies <= SHORT)
        if plain:
            start = perf_counter()
            value = enumerated(game, start + longest)
            all_of_them = perf_counter() - start
            plain = value is not None
            assert value is None or value == found.value
            row += f"{all_of_them:>10.3f}{all_of_them / ours:>10.0f}" if plain else f"{'—':>10}"
        print(row)
        if ours > longest:
            break
    print(
        f"{TARGET[0]}x{TARGET[1]} on the first call: {cold:.2f} s; target at most {SECONDS:.0f} s: "
        f"{'reached' if cold <= SECONDS else 'NOT reached'}"
    )


if __name__ == "__main__":
    main()
