"""bazaar, section 4.1: price, place and inspection, for buyers whose choices can be computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations
from math import exp, log
from typing import Any, Final

from mechanisms.inspection import Shown, ToInspect
from mechanisms.market import (
    Corpus,
    FactQuestion,
    IdealBuyer,
    LogitBuyer,
    Market,
    Passage,
    Statement,
    answer_question,
)
from papers.bazaar.checks.purchase_rules import Shelf
from theory.claims import CheckContext
from theory.errors import InvalidInputError
from theory.logit import Choice, fit_logit
from theory.search import Draw, Family, Trial
from theory.verdicts import Counterexample, Exhibit, Finding, Scope, Status, Strength, Table

__all__ = [
    "GOLD",
    "ORDERS",
    "TITLED",
    "DemandIsAStep",
    "InspectionHelps",
    "LawOfChoice",
    "LogitDemand",
    "PlacesAreFlat",
    "PlacesAreFlatInLaw",
    "RepeatedChoice",
    "TitledShelf",
]

Buyer = Callable[[Corpus], Any]

# --- price

DEAREST: Final = 8
"""The last price of the gold passage: times the unit, as in Figure 4."""


def _shelf_size(case: Shelf) -> tuple[int, ...]:
    return (sum(case.prices) + sum(map(len, case.facts)) + case.worth,)


def _build_gold(draw: Draw, alternatives: int) -> Shelf:
    gold = draw.choice(((0,), (0, 1)))
    others = tuple(draw.choice(((), (0,), (0, 1))) for _ in range(alternatives))
    prices = tuple(draw.integer(1, 2) for _ in others)
    return Shelf((0, *prices), (gold, *others), 2, draw.integer(2, 3), DEAREST + sum(prices))


GOLD: Family[Shelf] = Family(
    description="gold at 0 to 8 beside others at 1 or 2, with up to two facts worth 2 or 3 each",
    level_name="others",
    levels=(0, 1, 2),
    build=_build_gold,
    size=_shelf_size,
)


@dataclass(frozen=True)
class DemandIsAStep:
    """The gold passage is bought below the price of what it adds to the best of the others."""

    buyer: Buyer = IdealBuyer

    def __call__(self, case: Shelf) -> Trial:
        """Play the market at each price; non-trivial where both happens."""
        sets = [*replace(case, prices=(0, *case.prices[1:])).sets()]
        best = {
            gold: max(case.value(some) - cost for some, cost in sets if (0 in some) == gold)
            for gold in (True, False)
        }
        worth = best[True] - best[False]
        failure, chosen = "", []
        for price in range(DEAREST + 1):
            chosen.append(0 in replace(case, prices=(price, *case.prices[1:])).bought(self.buyer))
            if chosen[-1] != (price < worth) and price != worth and not failure:
                failure = f"it adds {worth}, and at {price} it is {'' if chosen[-1] else 'not '}"
                failure += "bought."
        return Trial(nontrivial=len({*chosen}) == 2, failure=failure)


# --- the demand of a logit buyer

CASE: Final = Shelf((0, 2, 2), ((0, 1), (0,), (1,)), 2, 4, 100)
"""A gold passage of two facts worth 4 each, and an alternative for each of them at 2."""
SCALE: Final = 2.0
LEAST_DRAWS: Final = 400
WIDTH: Final = 4.0
"""Standard errors that a coefficient may be off."""


@dataclass
class RepeatedChoice(LogitBuyer):
    """Draws many choices where it is asked for one, and keeps how often gold was among them."""

    draws: int = LEAST_DRAWS
    gold: list[int] | None = None

    def draw_choice(self, view: ToInspect) -> Sequence[Shown]:
        """Return one choice."""
        return super().choose(view)

    def choose(self, view: ToInspect) -> Sequence[Shown]:
        """Return the last of many choices."""
        picked = [self.draw_choice(view) for _ in range(self.draws)]
        if self.gold is not None:
            self.gold.append(sum(any(each.name == "shop: p1" for each in s) for s in picked))
        return picked[-1]


def _closed_form(case: Shelf, scale: float) -> tuple[float, float]:
    """Return intercept and slope of the log odds that a logit buyer buys gold, by its price."""
    weights = {True: 0.0, False: 0.0}
    for some, cost in replace(case, prices=(0, *case.prices[1:])).sets():
        weights[0 in some] += exp((case.value(some) - cost) / scale)
    return log(weights[True] / weights[False]), -1 / scale


@dataclass(frozen=True)
class LogitDemand:
    """The coefficients of demand come back from choices that a logit buyer makes in the market."""

    buyer: Callable[..., Any] = RepeatedChoice
    prices: tuple[int, ...] = tuple(range(DEAREST + 1))

    def __call__(self, context: CheckContext) -> Finding:
        """Let it choose at each price, and fit what it chose."""
        draws = LEAST_DRAWS + context.budget.samples
        rng, bought = context.generator(), list[int]()
        for price in self.prices:
            case = replace(CASE, prices=(price, *CASE.prices[1:]))
            case.play(
                lambda corpus: self.buyer(
                    corpus, scale=SCALE, draw=rng.random, draws=draws, gold=bought
                )
            )
        wanted = _closed_form(CASE, SCALE)
        broken = ""
        rows: tuple[tuple[str, str, str, str], ...] = ()
        try:
            fit = fit_logit(
                [
                    Choice(((1, price), (0, 0)), int(number >= count))
                    for price, count in zip(self.prices, bought, strict=True)
                    for number in range(draws)
                ],
                ("the log odds at 0", "the slope"),
            )
        except InvalidInputError as error:
            broken = f"no coefficients: {error.problem}."
        else:
            found = zip(fit.names, fit.value, fit.standard_error, wanted, strict=True)
            for name, at, off, exact in found:
                rows += ((name, f"{at:.3f}", f"{WIDTH * off:.3f}", f"{exact:.3f}"),)
                if abs(at - exact) > WIDTH * off and not broken:
                    broken = f"{name} is {at:.3f}, not {exact:.3f}, with error {off:.3f}."
        table = Table(
            caption=f"Log odds that gold is bought, by its price; {draws:,} choices a price",
            columns=("coefficient", "fitted", f"{WIDTH:g} standard errors", "closed form"),
            rows=rows,
        )
        count = draws * len(self.prices)
        exhibit = Exhibit(summary=broken, tables=(table,))
        return Finding(
            status=Status.REFUTED if broken else Status.MEASURED,
            strength=Strength.TESTED,
            scope=Scope(
                family="choices of a logit buyer among a gold passage and two others",
                instances=count,
                met_hypotheses=count,
                nontrivial=count,
                sizes=f"prices 0 to {DEAREST}",
                seed=context.seed,
            ),
            reason=broken
            or "; ".join(f"{name} is {at} ± {by}, in closed form {x}" for name, at, by, x in rows)
            + ".",
            evidence=(table,),
            counterexample=Counterexample(exhibit=exhibit, minimality="one set of draws")
            if broken
            else None,
            tolerances={"coefficient": f"{WIDTH:g} standard errors"},
        )


# --- place


def _build_order(draw: Draw, passages: int) -> Shelf:
    facts = tuple(draw.choice(((0,), (0, 1), ())) for _ in range(passages))
    prices = tuple(draw.integer(1, 2) for _ in range(passages))
    return Shelf(prices, facts, 2, 2, 3)


ORDERS: Family[Shelf] = Family(
    description="passages at 1 or 2 of up to two facts worth 2 each, 3 to spend, in all orders",
    level_name="passages",
    levels=(1, 2, 3),
    build=_build_order,
    size=_shelf_size,
)


def _reordered(case: Shelf, order: Sequence[int]) -> Shelf:
    prices = tuple(case.prices[k] for k in order)
    return replace(case, prices=prices, facts=tuple(case.facts[k] for k in order))


@dataclass(frozen=True)
class PlacesAreFlat:
    """Over all orders a buyer accepts what stands at each place as often.

    ``unique`` is the hypothesis that no other set gains as much for as little.
    """

    buyer: Buyer = IdealBuyer
    unique: bool = True

    def __call__(self, case: Shelf) -> Trial:
        """Play all orders; non-trivial where some, and not all, passages are accepted."""
        keys = [(case.value(some) - cost, -cost, -len(some)) for some, cost in case.sets()]
        if self.unique and keys.count(max(keys)) > 1:
            return Trial.unmet()
        count = len(case.prices)
        accepted = [0] * count
        for order in permutations(range(count)):
            for place in _reordered(case, order).bought(self.buyer):
                accepted[place] += 1
        failure = ""
        if len({*accepted}) > 1:
            failure = f"over all orders {', '.join(map(str, accepted))} are accepted by place."
        return Trial(nontrivial=accepted[0] > 0 and count > 1, failure=failure)


@dataclass
class LawOfChoice(LogitBuyer):
    """Buys nothing, and keeps with which probability it would have bought what."""

    chances: dict[str, float] | None = None

    def choose(self, view: ToInspect) -> Sequence[Shown]:
        """Return nothing."""
        sets, law = self.law(view)
        if self.chances is not None:
            for offer in view.offers[0]:
                likely = sum(p for some, p in zip(sets, law, strict=True) if offer in some)
                self.chances[offer.name] = likely
        return ()


ROUNDING: Final = 1e-12


@dataclass(frozen=True)
class PlacesAreFlatInLaw:
    """Over all orders a logit buyer accepts what stands at each place with one probability."""

    buyer: Callable[..., Any] = LawOfChoice

    def __call__(self, case: Shelf) -> Trial:
        """Ask for the law in all orders; non-trivial where there is more than one place."""
        count = len(case.prices)
        totals = [0.0] * count
        for order in permutations(range(count)):
            chances = dict[str, float]()

            def buyer(corpus: Corpus, kept: dict[str, float] = chances) -> Any:
                return self.buyer(corpus, scale=1.0, chances=kept)

            _reordered(case, order).play(buyer)
            for place in range(count):
                totals[place] += chances[f"shop: p{place + 1}"]
        failure = ""
        if max(totals) - min(totals) > ROUNDING * max(totals):
            failure = f"acceptances by place sum to {', '.join(f'{x:.6g}' for x in totals)}."
        return Trial(nontrivial=count > 1, failure=failure)


# --- inspection


@dataclass(frozen=True)
class TitledShelf:
    """Passages that state one needed fact or not, and promise it or not, and a budget."""

    prices: tuple[int, ...]
    states: tuple[bool, ...]
    promises: tuple[bool, ...]
    tenths: int
    worth: int
    budget: int

    def __str__(self) -> str:
        told = "; ".join(
            f"passage {n} at {price} {'promises' if promised else 'does not promise'} the fact and "
            f"{'states' if stated else 'does not state'} it"
            for n, (price, stated, promised) in enumerate(
                zip(self.prices, self.states, self.promises, strict=True), 1
            )
        )
        wrong = Fraction(self.tenths, 10)
        return f"{told}; worth {self.worth}, {self.budget} to spend, titles wrong for {wrong}"

    def play(self, inspection: bool, buyer: Buyer) -> tuple[Fraction, Fraction]:
        """Return what a buyer in the market gets for how much."""
        fact = Statement("n0", "r0", "n1")
        passages = tuple(
            Passage(
                f"p{n}",
                "shop",
                price,
                f"title {n}: n0 r0",
                f"text {n}",
                frozenset([fact] if stated else []),
                frozenset([fact] if promised else []),
            )
            for n, (price, stated, promised) in enumerate(
                zip(self.prices, self.states, self.promises, strict=True), 1
            )
        )
        question = FactQuestion("q", "n0", ("r0",), self.worth)
        corpus = Corpus(passages, (question,), frozenset([fact]), Fraction(self.tenths, 10))
        market = Market.of(corpus, inspection=inspection)
        result = answer_question(market, question, buyer(corpus), self.budget)
        return result.worth(corpus, question), result.spent


@dataclass(frozen=True)
class InspectionHelps:
    """With inspection a buyer gains at least as much, and knows the fact if it does without."""

    buyer: Buyer = IdealBuyer

    def __call__(self, case: TitledShelf) -> Trial:
        """Play both markets; non-trivial where they differ."""
        (blind, paid), (seen, spent) = (case.play(each, self.buyer) for each in (False, True))
        failure = ""
        if seen - spent < blind - paid:
            failure = f"it gains {seen - spent} with inspection, {blind - paid} without."
        elif seen < blind:
            failure = f"what it buys is worth {seen} with inspection, {blind} without."
        elif seen - spent < 0:
            failure = f"it loses {spent - seen} although it may read."
        return Trial(nontrivial=(blind, paid) != (seen, spent), failure=failure)


def _build_titled(draw: Draw, passages: int) -> TitledShelf:
    prices = tuple(draw.integer(1, 2) for _ in range(passages))
    states, promises = (
        tuple(draw.choice((True, False)) for _ in range(passages)) for _ in range(2)
    )
    return TitledShelf(
        prices, states, promises, draw.choice((0, 3)), draw.integer(2, 3), draw.choice((6, 1))
    )


def _titled_size(case: TitledShelf) -> tuple[int, ...]:
    return (sum(case.prices) + sum(case.states) + sum(case.promises) + case.tenths + case.worth,)


TITLED: Family[TitledShelf] = Family(
    description="passages at 1 or 2 that state a fact worth 2 or 3 or not, and promise it or not",
    level_name="passages",
    levels=(1, 2),
    build=_build_titled,
    size=_titled_size,
)
