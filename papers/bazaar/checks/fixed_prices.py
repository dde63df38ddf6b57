"""What inspection is worth to buyer and seller where the price is fixed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from theory.claims import CheckContext
from theory.probability import Partition, ProbabilitySpace
from theory.proofs import Proof, Symbols, Tracer
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = [
    "GOODS",
    "TITLES",
    "FixedPriceProof",
    "Sale",
    "TitlesAndInspection",
    "UncertainGood",
    "show_good",
    "trade",
]

# --- a good of unknown quality


@dataclass(frozen=True)
class Sale:
    """What a trade is worth on average: to the buyer after the price, and to the seller."""

    buyer: Any
    seller: Any

    @property
    def surplus(self) -> Any:
        """Both together; to hand over a copy costs nothing."""
        return self.buyer + self.seller


Trade = Callable[[ProbabilitySpace, Any, Any, Partition], Sale]


def trade(space: ProbabilitySpace, worth: Any, price: Any, known: Partition) -> Sale:
    """Return what a buyer and a seller get who meet at a fixed price.

    The buyer knows the block of ``known`` that the state is in, and buys where the worth that it
    expects there is at least the price.
    """
    buyer: Any = Fraction(0)
    seller: Any = Fraction(0)
    expected = space.conditional_expectation(worth, known)
    for block, value in zip(known.blocks, expected.by_block, strict=True):
        if value is not None and value >= price:
            chance: Any = space.probability(np.isin(np.arange(len(space)), block))
            buyer = buyer + chance * (value - price)
            seller = seller + chance * price
    return Sale(buyer, seller)


@dataclass(frozen=True)
class UncertainGood:
    """A good that is good or bad, with probabilities in proportion to two weights."""

    good: int
    bad: int
    high: int
    low: int
    price: int

    @property
    def space(self) -> ProbabilitySpace:
        """The two states."""
        total = self.good + self.bad
        return ProbabilitySpace.of([Fraction(self.good, total), Fraction(self.bad, total)])

    def __str__(self) -> str:
        chance = Fraction(self.good, self.good + self.bad)
        return f"worth {self.high} with probability {chance}, else {self.low}, at {self.price}"


def _gains(trade: Trade, space: ProbabilitySpace, worth: Any, price: Any) -> dict[str, Any]:
    """Return what must be at least 0, by what fails where it is below."""
    chance: Any = space.probability(np.array([True, False]))
    value: Any = space.conditional_expectation(worth, Partition.discrete(2)).by_block[0]
    mean: Any = space.expectation(worth)
    blind = trade(space, worth, price, Partition.trivial(2))
    seen = trade(space, worth, price, Partition.discrete(2))
    found = {"the buyer loses by inspection": seen.buyer - blind.buyer}
    if mean >= price:
        dearer, equal = blind.seller - seen.seller, blind.surplus - seen.surplus
        found |= {
            "revenue does not fall by (1 - pi) p": dearer - (1 - chance) * price,
            "revenue falls by more than (1 - pi) p": (1 - chance) * price - dearer,
            "the sum of both falls although the good was bought": -equal,
            "the sum of both rises although the good was bought": equal,
        }
    else:
        sold: Any = chance * price if value >= price else Fraction(0)
        gained: Any = chance * (value - price) if value >= price else Fraction(0)
        found |= {
            "the buyer who stayed away gains less than pi max(0, v - p)": seen.buyer - gained,
            "the buyer who stayed away gains more than pi max(0, v - p)": gained - seen.buyer,
            "less is sold to who stayed away than pi p": seen.seller - sold,
            "more is sold to who stayed away than pi p": sold - seen.seller,
            "who stays away pays": -blind.seller,
            "who stays away gains": -blind.buyer,
        }
    return found


@dataclass(frozen=True)
class InspectionAtAPrice:
    """At a fixed price inspection helps the buyer, and the sum of both where nothing was bought.

    ``nothing`` is the hypothesis that a bad good is worth nothing.
    """

    trade: Trade = trade
    nothing: bool = True

    def __call__(self, case: UncertainGood) -> Trial:
        """Compare both regimes; non-trivial where inspection changes what is bought."""
        if self.nothing and case.low:
            return Trial.unmet()
        found = _gains(self.trade, case.space, (case.high, case.low), Fraction(case.price))
        failure = next((f"{told}: by {-by}." for told, by in found.items() if by < 0), "")
        return Trial(nontrivial=case.high >= case.price, failure=failure)


def _build_good(draw: Draw, largest: int) -> UncertainGood:
    good, bad = (draw.integer(1, min(largest, 3)) for _ in range(2))
    high, price = draw.integer(1, largest), draw.integer(1, largest)
    return UncertainGood(good, bad, high, draw.index(high), price)


def _good_size(case: UncertainGood) -> tuple[int, ...]:
    return (case.good + case.bad + case.high + case.low + case.price,)


GOODS: Family[UncertainGood] = Family(
    description="weights of good and bad from 1 to 3, worths and a price up to the largest number",
    level_name="largest number",
    levels=(1, 2, 3, 4, 5),
    build=_build_good,
    size=_good_size,
)


def show_good(case: UncertainGood) -> Exhibit:
    """Work both regimes out."""
    rows = []
    for name, known in (("no", Partition.trivial(2)), ("yes", Partition.discrete(2))):
        sale = trade(case.space, (case.high, case.low), case.price, known)
        rows.append((name, str(sale.buyer), str(sale.seller), str(sale.surplus)))
    columns = ("inspection", "buyer", "seller", "both")
    table = Table(caption="What both get on average", columns=columns, rows=tuple(rows))
    return Exhibit(summary=str(case), tables=(table,))


@dataclass(frozen=True)
class FixedPriceProof:
    """The regimes compared over symbols, once for each order of price, worth and mean worth."""

    trade: Trade = trade

    def __call__(self, context: CheckContext) -> Proof:
        """Trace both trades over the weights, the worth and the price."""
        trace = Tracer(positive=("good", "bad", "v", "p"))
        weights = trace.array(("good", "bad"))
        space = ProbabilitySpace(range(2), weights / weights.sum())
        worth = Symbols.pack([trace["v"], trace.number(0)], (2,))

        def run() -> list[Any]:
            return [*_gains(self.trade, space, worth, trace["p"]).values()]

        return trace.prove(run)


# --- titles


@dataclass(frozen=True)
class TitledGood:
    """A good whose title says good or bad, and is wrong with one of two probabilities."""

    good: UncertainGood
    tenths: tuple[int, int]

    def __str__(self) -> str:
        few, many = (Fraction(tenths, 10) for tenths in self.tenths)
        return f"{self.good}; titles wrong with probability {few} or {many}"


@dataclass(frozen=True)
class TitlesAndInspection:
    """The more often titles are wrong, the more inspection is worth to the buyer.

    ``half`` is the hypothesis that they are wrong at most half of the time: beyond, they inform by
    saying the opposite.
    """

    trade: Trade = trade
    half: bool = True

    def __call__(self, case: TitledGood) -> Trial:
        """Compare the gains of inspection; non-trivial where one of them is above 0."""
        if self.half and max(case.tenths) > 5:
            return Trial.unmet()
        few, many = (self.gain(case.good, Fraction(tenths, 10)) for tenths in case.tenths)
        right = self.gain(case.good, Fraction(0))
        failure = ""
        if few > many:
            failure = f"inspection is worth {few} with the better titles, {many} with the others."
        elif right:
            failure = f"inspection is worth {right} where titles are right."
        return Trial(nontrivial=many > 0, failure=failure)

    def gain(self, case: UncertainGood, error: Fraction) -> Fraction:
        """Return what inspection adds to what the buyer gains by titles with an error."""
        chance = Fraction(case.good, case.good + case.bad)
        states = [(worth, right) for worth in (case.high, case.low) for right in (True, False)]
        chances = {case.high: chance, case.low: 1 - chance}
        space = ProbabilitySpace.of(
            [chances[worth] * (1 - error if right else error) for worth, right in states]
        )
        titles = Partition.of([(worth == case.high) == right for worth, right in states])
        worth = [worth for worth, _ in states]
        seen = self.trade(space, worth, case.price, Partition.discrete(len(states)))
        return Fraction(seen.buyer - self.trade(space, worth, case.price, titles).buyer)


ERRORS: Final = ((0, 1), (0, 3), (1, 2), (2, 4), (3, 5), (0, 5), (4, 7), (5, 10))
"""Pairs of probabilities of a wrong title, in tenths; the last two go beyond one half."""


def _build_titled(draw: Draw, largest: int) -> TitledGood:
    tenths = draw.choice(ERRORS)
    high, price = draw.integer(1, largest), draw.integer(1, largest)
    good, bad = draw.integer(1, 2), draw.integer(1, 2)
    return TitledGood(UncertainGood(good, bad, high, 0, price), tenths)


def _titled_size(case: TitledGood) -> tuple[int, ...]:
    return (*_good_size(case.good), sum(case.tenths))


TITLES: Family[TitledGood] = Family(
    description="weights 1 or 2, a worth and a price, and two probabilities of a wrong title",
    level_name="largest number",
    levels=(1, 2, 3, 4),
    build=_build_titled,
    size=_titled_size,
)
