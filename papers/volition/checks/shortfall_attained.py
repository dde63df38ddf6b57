"""volition, section 6: games that attain the bounds, whatever the prices and the best set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import inf

from papers.volition.checks.marginal_families import (
    MarginalInstance,
    Price,
    Solve,
    fewest_items,
    name_set,
    path,
)
from papers.volition.checks.shortfall import agree, exchange_price, with_disagreement, worth
from theory.search import Draw, Family, Trial

__all__ = ["DEMANDS", "Attained", "Demand", "misleading_game"]


@dataclass(frozen=True)
class Demand:
    """Prices of items, a defence F, and the set T* in F that is to be best."""

    prices: tuple[Price, ...]
    defence: int
    best: int

    @cached_property
    def game(self) -> MarginalInstance:
        """A game that attains the bound of F and T*."""
        return misleading_game(self)

    @property
    def price_of_sets(self) -> tuple[Price, ...]:
        """The sum of the prices of each set of items."""
        sets = range(1 << len(self.prices))
        return tuple(sum(p for j, p in enumerate(self.prices) if s >> j & 1) for s in sets)

    def __str__(self) -> str:
        prices = ", ".join(f"{name_set(1 << j)} at {p}" for j, p in enumerate(self.prices))
        return f"{prices}; F = {name_set(self.defence)}, T* = {name_set(self.best)}"


def misleading_game(demand: Demand) -> MarginalInstance:
    """Return a game in which the wrong set is revealed and putting it right does not pay.

    What the judge thinks depends on the items of F that are revealed. The first action is what it
    does before; some set of items makes it sure of the second. With T* not empty that set is the
    rest of F, and F shows that the third action is best, which T* alone says too. With T* empty it
    is the first item, and F shows that the first action was best.
    """
    p, best, defence = demand.price_of_sets, demand.best, demand.defence
    wrong = defence & ~best if best else defence & -defence
    gain, loss = int(p[best]), 1
    sure = gain + loss + int(p[defence]) + 2
    columns: list[tuple[int, ...]] = []
    for s in range(len(p)):
        shown = s & defence
        if shown == defence:
            columns.append((-loss, 0, gain) if best else (int(p[defence & ~wrong]), 0, 0))
        elif shown & wrong == wrong:
            columns.append((0, sure, 0))
        elif best and shown & best == best:
            columns.append((0, -1, 1))
        else:
            columns.append((0, -1, -1))
    actions = columns if best else [column[:2] for column in columns]
    return MarginalInstance(tuple(zip(*actions, strict=True)), p)


Construct = Callable[[Demand], MarginalInstance]


@dataclass(frozen=True)
class Attained:
    """The game falls short by exactly p(F minus T*): no bound by F and T* alone is lower."""

    construct: Construct = misleading_game
    solve: Solve = fewest_items

    def __call__(self, demand: Demand) -> Trial:
        """Solve the game; non-trivial where the bound is positive."""
        game = self.construct(demand)
        strategy = self.solve(game)
        best, defence = demand.best, demand.defence
        revealed = path(strategy)[-1]
        short = worth(game, best) - worth(game, revealed)
        bound = exchange_price(game, defence, best)
        kept = {
            "it has these prices": game.prices == demand.price_of_sets,
            "T* is best": all(worth(game, s) <= worth(game, best) for s in game.sets),
            "F contains what is revealed": revealed & defence == revealed,
            "F is stable": strategy[defence] == defence,
            "F agrees with K": agree(game, defence, game.everything),
            "the bound is attained": short == bound == game.prices[defence & ~best],
            "and so is the one with disagreement": (
                short == with_disagreement(game, defence, best)
            ),
        }
        broken = [what for what, right in kept.items() if not right]
        return Trial(
            nontrivial=bound > 0, failure=f"Broken: {'; '.join(broken)}." if broken else ""
        )


def _build(draw: Draw, items: int) -> Demand:
    inside = items - draw.index(items)
    prices: list[Price] = [draw.choice((1, 0, 2)) for _ in range(inside)]
    prices += [draw.choice((0, 1, inf)) for _ in range(items - inside)]
    defence = (1 << inside) - 1
    best = draw.index(defence)
    if inside == 1:
        draw.reject()
    return Demand(tuple(prices), defence, best)


def _size(demand: Demand) -> tuple[Price, ...]:
    finite = [p for p in demand.prices if p < inf]
    return (len(demand.prices) - len(finite), sum(finite), demand.best.bit_count(), demand.best)


DEMANDS: Family[Demand] = Family(
    description=(
        "prices 0, 1, 2 of the items of F, 0, 1 or infinity of others; F of at least two items, "
        "T* any set in F but F"
    ),
    level_name="items",
    levels=(2, 3, 4),
    build=_build,
    size=_size,
)
