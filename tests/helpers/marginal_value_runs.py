"""Games to run, informants that follow a script, judges that say what they are told to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from reference import marginal_value as oracle

from mechanisms.marginal_value import (
    EquilibriumInformant,
    GreedyInformant,
    MarginalValueRecord,
    MarketMakingInformant,
    RandomInformant,
    run_game,
)
from mechanisms.protocols import History, Informant
from theory.marginal_value import (
    MarginalValueGame,
    Moves,
    equilibrium,
)

FAMILIES: dict[str, Any] = {"subsets": Moves.SUBSETS, "singles": Moves.SINGLE_ITEMS}
KINDS: dict[str, Callable[[MarginalValueGame, np.random.Generator], Informant]] = {
    "greedy": lambda game, _: GreedyInformant(game),
    "market": lambda game, _: MarketMakingInformant(game),
    "equilibrium": lambda game, _: EquilibriumInformant(equilibrium(game)),
    "random": RandomInformant,
}
EXAMPLE_6_1 = MarginalValueGame.of(
    ["claim", "rebuttal", "defence"],
    lambda s: [0, 1] if "defence" in s or s == {"claim"} else [1, 0],
    {"claim": 0, "rebuttal": 0, "defence": 100},
)


def games(kind: Any, count: int) -> Iterator[tuple[oracle.Game, MarginalValueGame]]:
    """Games of the brute force, and the same in our words."""
    rng = np.random.default_rng([20, len(kind)])
    for _ in range(count):
        drawn = oracle.random_game(rng, kind)
        rows = {tuple(map(str, s)): list(row) for s, row in drawn.utilities.items()}
        prices = {str(item): drawn.prices[frozenset([item])] for item in drawn.items}
        yield drawn, MarginalValueGame.of(map(str, drawn.items), rows, prices, FAMILIES[kind])


def numbered(items: Iterable[str]) -> frozenset[int]:
    return frozenset(map(int, items))


def played(record: MarginalValueRecord) -> list[tuple[str, ...]]:
    return [move.items for move in record.moves]


def told(revealed: Iterable[str], held: Iterable[str]) -> History:
    return History((), (), dict.fromkeys(revealed, ""), dict.fromkeys(held, ""))


@dataclass
class Script:
    """Makes some moves, one after the other, and then goes on as another informant does."""

    moves: list[tuple[str, ...]]
    afterwards: Informant

    def reveal(self, history: History) -> Iterable[str]:
        n = len(history.moves)
        return self.moves[n] if n < len(self.moves) else self.afterwards.reveal(history)


def scripted(game: MarginalValueGame, moves: list[Any], then: Informant) -> MarginalValueRecord:
    """Play with as many informants as there can be moves, so that each makes one at most."""
    informants = {f"player {n}": Script(moves, then) for n in range(len(game.items) + 1)}
    return run_game(game, informants)


@dataclass
class Answers:
    """A judge whose answer depends on how much is revealed."""

    by_count: dict[int, Any]

    def utilities(self, revealed: Mapping[str, object]) -> Any:
        return self.by_count[len(revealed)]


class Nobody:
    def reveal(self, history: History) -> tuple[str, ...]:
        return ()


ITEMS = ["claim", "rebuttal", "defence"]
FREE = dict.fromkeys(ITEMS, 0)


@dataclass
class Says:
    """Reveals what a function of the history says."""

    answer: Callable[[History], Any]

    def reveal(self, history: History) -> Any:
        return self.answer(history)


@dataclass
class Judges:
    """Expects what a function of the number of revealed items says."""

    answer: Callable[[int], Any]

    def utilities(self, revealed: Mapping[str, object]) -> Any:
        return self.answer(len(revealed))


HONEST = Judges(lambda count: {"wait": 1, "act": count})
FIRST = Says(lambda history: ["claim"])


def raising(_: object) -> Any:
    raise RuntimeError("out of order")
