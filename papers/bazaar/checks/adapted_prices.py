"""Inspection where the seller sets the price to it, and where it chooses what it makes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from theory.games import Equilibrium, Game, Tree, choice, end, pure_subgame_perfect
from theory.games import reach_probabilities as reach
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = [
    "MAKERS",
    "POPULATIONS",
    "Maker",
    "MakesQuality",
    "Outcome",
    "Population",
    "PricesUndoInspection",
    "Tastes",
    "sell_at",
    "show_population",
]

# --- prices that are set to the regime


class Tastes(StrEnum):
    """What the types of buyers have in common."""

    COMMON = "a bad good is worth nothing to all"
    SCALED = "worth is taste times a quality that may be anything"
    OWN = "each good is worth nothing to some, but not to the same"
    ANY = "nothing"


@dataclass(frozen=True)
class Population:
    """Types of buyers, all as likely: what a good of each quality is worth to each.

    The weights of the qualities are in proportion to their probabilities.
    """

    weights: tuple[int, int]
    worth: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        rows = "; ".join(f"{a} or {b}" for a, b in self.worth)
        return f"qualities weigh {self.weights[0]} to {self.weights[1]}, worth by type {rows}"

    def has(self, tastes: Tastes) -> bool:
        """Whether the types have this in common."""
        first = self.worth[0]
        match tastes:
            case Tastes.COMMON:
                return all(not bad for _, bad in self.worth)
            case Tastes.SCALED:
                return all(first[0] * bad == first[1] * good for good, bad in self.worth)
            case Tastes.OWN:
                return all(not min(row) for row in self.worth)
            case Tastes.ANY:
                return True


@dataclass(frozen=True)
class Outcome:
    """The price of the greatest revenue, the least of several, and what each type gains at it."""

    price: Fraction
    revenue: Fraction
    gains: tuple[Fraction, ...]

    def __str__(self) -> str:
        gains = ", ".join(map(str, self.gains))
        return f"price {self.price}, revenue {self.revenue}, gains by type {gains}"


Sell = Callable[[Population, Fraction, bool], tuple[Fraction, tuple[Fraction, ...]]]


def sell_at(
    population: Population, price: Fraction, inspected: bool
) -> tuple[Fraction, tuple[Fraction, ...]]:
    """Return revenue a buyer and gains by type at a price; who is indifferent buys."""
    total = sum(population.weights)
    chances = [Fraction(weight, total) for weight in population.weights]
    revenue, gains = Fraction(0), []
    for worth in population.worth:
        known: list[tuple[Fraction, Fraction]] = [
            (chance, Fraction(value)) for chance, value in zip(chances, worth, strict=True)
        ]
        if not inspected:
            known = [(Fraction(1), sum((c * v for c, v in known), Fraction(0)))]
        bought = [(chance, value) for chance, value in known if value >= price]
        revenue += sum((c for c, _ in bought), Fraction(0)) * price / len(population.worth)
        gains.append(sum((c * (v - price) for c, v in bought), Fraction(0)))
    return revenue, tuple(gains)


def _best_price(population: Population, inspected: bool, sell: Sell) -> Outcome:
    total = sum(population.weights)
    if inspected:
        prices = {Fraction(value) for row in population.worth for value in row}
    else:
        sums = (
            sum(w * v for w, v in zip(population.weights, row, strict=True))
            for row in population.worth
        )
        prices = {Fraction(each, total) for each in sums}
    found = [Outcome(price, *sell(population, price, inspected)) for price in sorted(prices)]
    return max(found, key=lambda each: each.revenue)


@dataclass(frozen=True)
class PricesUndoInspection:
    """A price p with inspection does what pi p does without; so do the best prices of both.

    ``tastes`` is the hypothesis.
    """

    sell: Sell = sell_at
    tastes: Tastes = Tastes.COMMON

    def __call__(self, case: Population) -> Trial:
        """Compare revenue and gains, type by type; non-trivial where something is worth selling."""
        if not case.has(self.tastes):
            return Trial.unmet()
        blind, seen = (_best_price(case, inspected, self.sell) for inspected in (False, True))
        failure = ""
        if (blind.revenue, blind.gains) != (seen.revenue, seen.gains):
            failure = f"without inspection {blind}; with it {seen}."
        elif self.tastes is Tastes.COMMON:
            failure = self._each_price(case)
        return Trial(nontrivial=blind.revenue > 0, failure=failure)

    def _each_price(self, case: Population) -> str:
        chance = Fraction(case.weights[0], sum(case.weights))
        for price in range(1, 5):
            seen = self.sell(case, Fraction(price), True)
            blind = self.sell(case, chance * price, False)
            if seen != blind:
                return f"at {price} with inspection not the same as at {chance * price} without."
        return ""


def _build_population(draw: Draw, types: int) -> Population:
    weights = draw.choice(((1, 1), (1, 2)))
    rows = []
    for _ in range(types):
        good = draw.integer(0, 3)
        rows.append((good, draw.integer(0, 3) if types < 3 else 0))
    return Population(weights, tuple(rows))


def _population_size(case: Population) -> tuple[int, ...]:
    return (sum(map(sum, case.worth)), sum(case.weights))


POPULATIONS: Family[Population] = Family(
    description="two qualities as likely or 1 to 2, worths from 0 to 3; of three types a bad good "
    "is worth nothing",
    level_name="types",
    levels=(1, 2, 3),
    build=_build_population,
    size=_population_size,
)


def show_population(case: Population) -> Exhibit:
    """Show the best prices of both regimes."""
    rows = []
    for name, inspected in (("no", False), ("yes", True)):
        found = _best_price(case, inspected, sell_at)
        rows.append((name, str(found.price), str(found.revenue), ", ".join(map(str, found.gains))))
    columns = ("inspection", "price", "revenue", "gains by type")
    table = Table(caption="The best price", columns=columns, rows=tuple(rows))
    return Exhibit(summary=str(case), tables=(table,))


# --- quality that is chosen


@dataclass(frozen=True)
class Maker:
    """A seller that makes a good thing at a cost, or a bad one, and asks a price from 1 to v."""

    worth: int
    cost: int

    def __str__(self) -> str:
        return f"worth {self.worth}, cost {self.cost}"

    def game(self, inspected: bool) -> Game:
        """Return the game: quality and price, then to buy or not, knowing the price or both."""
        moves: dict[str, Tree] = {}
        for good in (False, True):
            quality = "good" if good else "bad"
            for price in range(1, self.worth + 1):
                worth, cost = self.worth * good, self.cost * good
                known = f"{quality} at {price}" if inspected else f"something at {price}"
                answers: dict[str, Tree] = {
                    "buy": end(price - cost, worth - price, outcome=f"{quality} sold at {price}"),
                    "leave": end(-cost, 0, outcome=f"{quality} left at {price}"),
                }
                moves[f"{quality} at {price}"] = choice("buyer", known, answers)
        return Game.of(("seller", "buyer"), choice("seller", "start", moves))


Solve = Callable[[Game], Sequence[Equilibrium]]


@dataclass(frozen=True)
class MakesQuality:
    """Without inspection no equilibrium has quality; with it some has if and only if v >= c.

    If v - 1 > c, all have: at the price v - 1 the buyer wants to buy.
    """

    solve: Solve = pure_subgame_perfect
    game: Callable[[Maker, bool], Game] = Maker.game

    def __call__(self, case: Maker) -> Trial:
        """Go through all pure subgame-perfect equilibria; non-trivial where trade is worth it."""
        found = [self.solve(self.game(case, inspected)) for inspected in (False, True)]
        blind, seen = ([_makes_good(each) for each in equilibria] for equilibria in found)
        failure = ""
        if not all(each.holds for equilibria in found for each in equilibria):
            failure = "somebody gains by deviating from what was found."
        elif not blind or any(blind):
            failure = f"without inspection {sum(blind)} of {len(blind)} equilibria have quality."
        elif any(seen) != (case.worth >= case.cost):
            failure = f"with inspection {sum(seen)} of {len(seen)} equilibria have quality."
        elif case.worth - 1 > case.cost and not all(seen):
            failure = f"with inspection {len(seen) - sum(seen)} of {len(seen)} have no quality."
        return Trial(nontrivial=case.worth >= case.cost, failure=failure)


def _makes_good(found: Equilibrium) -> bool:
    """Whether the good thing is made."""
    ends = zip(found.game.nodes, reach(found.game, found.behaviour), strict=True)
    return any(node.outcome.startswith("good") and chance > 0 for node, chance in ends)


def _build_maker(draw: Draw, worth: int) -> Maker:
    return Maker(worth, draw.integer(1, 5))


def _maker_size(case: Maker) -> tuple[int, ...]:
    return (case.cost,)


MAKERS: Family[Maker] = Family(
    description="worths from 1 to 4 and costs from 1 to 5",
    level_name="worth",
    levels=(1, 2, 3, 4),
    build=_build_maker,
    size=_maker_size,
)
