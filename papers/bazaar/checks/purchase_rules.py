"""Rules that buy passages without comparing sets: one by one, and by rank."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, Final

import numpy as np

from mechanisms.market import (
    Corpus,
    FactQuestion,
    KeywordBuyer,
    Market,
    MarketResult,
    OneByOneBuyer,
    Passage,
    Statement,
    Vendor,
    answer_question,
)
from theory.claims import CheckContext
from theory.search import Draw, Family, Trial
from theory.verdicts import Counterexample, Exhibit, Finding, Scope, Status, Strength, Table

__all__ = [
    "OFFERS",
    "PARTS",
    "RANKED",
    "OneByOneIsBest",
    "PartsAreBought",
    "RankBuysSomething",
    "RankShares",
    "Shelf",
    "buy_by_rank",
    "judge_one_by_one",
]


@dataclass(frozen=True)
class Shelf:
    """Passages that are ranked as they stand, and a budget.

    Each passage has a price and the places of the facts that it states; a question needs the
    ``needed`` first facts, each worth ``worth``.
    """

    prices: tuple[int, ...]
    facts: tuple[tuple[int, ...], ...]
    needed: int
    worth: int
    budget: int

    def __str__(self) -> str:
        rows = zip(self.prices, self.facts, strict=True)
        told = "; ".join(
            f"passage {n} at {p} states {', '.join(f'fact {k + 1}' for k in f) or 'nothing'}"
            for n, (p, f) in enumerate(rows, 1)
        )
        return f"{told}; {self.needed} facts worth {self.worth} each, {self.budget} to spend"

    def value(self, some: Iterable[int]) -> int:
        """Return what passages are worth together: each needed fact in them, once."""
        stated = {fact for place in some for fact in self.facts[place]}
        return self.worth * sum(fact < self.needed for fact in stated)

    def sets(self) -> Iterable[tuple[tuple[int, ...], int]]:
        """Yield the sets that the budget allows, and their prices."""
        places = range(len(self.prices))
        for size in range(len(places) + 1):
            for some in combinations(places, size):
                cost = sum(self.prices[place] for place in some)
                if cost <= self.budget:
                    yield some, cost

    def corpus(self) -> Corpus:
        """Return the passages, the facts in a chain, and the question that needs them."""
        chain = tuple(Statement(f"n{k}", f"r{k}", f"n{k + 1}") for k in range(self.needed))
        rows = zip(self.prices, self.facts, strict=True)
        passages = tuple(
            Passage(f"p{n}", "shop", p, f"title {n}", f"text {n}", frozenset(chain[k] for k in f))
            for n, (p, f) in enumerate(rows, 1)
        )
        relations = tuple(fact.relation for fact in chain)
        return Corpus(passages, (FactQuestion("q", "n0", relations, self.worth),), frozenset(chain))

    def play(self, buyer: Callable[[Corpus], Any]) -> tuple[Fraction, Fraction]:
        """Return what a buyer in the market gets for how much, which must be in its budget."""
        corpus = self.corpus()
        result = self._result(corpus, buyer(corpus))
        return result.worth(corpus, corpus.questions[0]), result.spent

    def bought(self, buyer: Callable[[Corpus], Any]) -> tuple[int, ...]:
        """Return the places of what a buyer in the market buys."""
        corpus = self.corpus()
        names = {each.name for each in self._result(corpus, buyer(corpus)).inquiry.purchases}
        return tuple(k for k in range(len(self.prices)) if f"shop: p{k + 1}" in names)

    def _result(self, corpus: Corpus, buyer: Any) -> MarketResult:
        shop = Vendor("shop", corpus.passages, _AsTheyStand())
        market = Market((shop,), offer=max(3, len(self.prices)))
        return answer_question(market, corpus.questions[0], buyer, self.budget)


class _AsTheyStand:
    """Ranks passages as they stand."""

    def rank(self, query: str, passages: Sequence[Passage]) -> list[tuple[int, float]]:
        del query
        return [(place, float(-place)) for place in range(len(passages))]


# --- one by one


@dataclass(frozen=True)
class OneByOneIsBest:
    """What a buyer chooses in the market has the greatest worth after prices.

    ``distinct`` is the hypothesis that no two passages state the same fact.
    """

    buyer: Callable[[Corpus], Any] = OneByOneBuyer
    distinct: bool = False

    def __call__(self, case: Shelf) -> Trial:
        """Play the market and go through all sets; non-trivial where some set is worth buying."""
        if self.distinct and sum(map(len, case.facts)) > 1:
            return Trial.unmet()
        worth, spent = case.play(self.buyer)
        best = max(case.value(some) - cost for some, cost in case.sets())
        failure = ""
        if worth - spent < best:
            failure = f"{worth} for {spent} is bought: {worth - spent}, and {best} is possible."
        return Trial(nontrivial=best > 0, failure=failure)


def _build_offers(draw: Draw, passages: int) -> Shelf:
    prices = tuple(draw.integer(1, 2) for _ in range(passages))
    facts = tuple(draw.choice(((0,), ())) for _ in range(passages))
    return Shelf(prices, facts, 1, draw.integer(1, 3), draw.choice((2 * passages, 1)))


def _shelf_size(case: Shelf) -> tuple[int, ...]:
    return (sum(case.prices) + sum(map(len, case.facts)) + case.worth + case.budget,)


OFFERS: Family[Shelf] = Family(
    description="passages at 1 or 2 that state a fact worth 1 to 3 or nothing, budget ample or 1",
    level_name="passages",
    levels=(1, 2, 3),
    build=_build_offers,
    size=_shelf_size,
)

Judge = Callable[[Callable[[Sequence[int]], int], Sequence[int]], Sequence[int]]


def judge_one_by_one(worth: Callable[[Sequence[int]], int], prices: Sequence[int]) -> list[int]:
    """Return the passages that are worth more by themselves than they cost."""
    return [place for place, price in enumerate(prices) if worth([place]) > price]


@dataclass(frozen=True)
class Parts:
    """Passages that are worth something all together, and nothing where one is missing."""

    prices: tuple[int, ...]
    worth: int

    def __str__(self) -> str:
        prices = ", ".join(map(str, self.prices))
        return f"passages at {prices}, worth {self.worth} all together"

    def value(self, some: Sequence[int]) -> int:
        """Return what some of them are worth."""
        return self.worth if len({*some}) == len(self.prices) else 0


@dataclass(frozen=True)
class PartsAreBought:
    """What is judged to be bought has the greatest worth after prices, where parts are needed."""

    judge: Judge = judge_one_by_one

    def __call__(self, case: Parts) -> Trial:
        """Compare with all or nothing, the only sets that can be best."""
        some = self.judge(case.value, case.prices)
        gained = case.value(some) - sum(case.prices[place] for place in some)
        best = max(0, case.worth - sum(case.prices))
        failure = f"{len(some)} are bought: {gained}, and {best} is possible."
        return Trial(nontrivial=len(case.prices) > 1, failure=failure if gained < best else "")


def _build_parts(draw: Draw, parts: int) -> Parts:
    return Parts(tuple(draw.integer(1, 3) for _ in range(parts)), draw.integer(1, 10))


def _parts_size(case: Parts) -> tuple[int, ...]:
    return (sum(case.prices) + case.worth,)


PARTS: Family[Parts] = Family(
    description="parts at 1 to 3, worth 1 to 10 together",
    level_name="parts",
    levels=(1, 2, 3),
    build=_build_parts,
    size=_parts_size,
)


# --- by rank


def _stopping(corpus: Corpus) -> KeywordBuyer:
    return KeywordBuyer(corpus, stops=True)


@dataclass(frozen=True)
class RankBuysSomething:
    """A buyer that goes by rank gets something where something worth having can be paid."""

    buyer: Callable[[Corpus], Any] = _stopping

    def __call__(self, case: Shelf) -> Trial:
        """Play the market; non-trivial where not all can be paid."""
        best = max(case.value(some) for some, _ in case.sets())
        if not best:
            return Trial.unmet()
        worth, _ = case.play(self.buyer)
        failure = f"it gets nothing, where {best} can be had." if not worth else ""
        return Trial(nontrivial=sum(case.prices) > case.budget, failure=failure)


def _build_ranked(draw: Draw, passages: int) -> Shelf:
    values = tuple(draw.integer(1, 3) for _ in range(passages))
    if list(values) != sorted(values, reverse=True):
        draw.reject()
    facts = [tuple(range(sum(values[:n]), sum(values[: n + 1]))) for n in range(passages)]
    prices = tuple(draw.integer(1, 3) for _ in range(passages))
    return Shelf(prices, tuple(facts), sum(values), 1, draw.integer(1, 3))


RANKED: Family[Shelf] = Family(
    description="passages of different facts, the most facts first, prices and a budget up to 3",
    level_name="passages",
    levels=(1, 2, 3),
    build=_build_ranked,
    size=_shelf_size,
)


def buy_by_rank(prices: Sequence[int], budget: int, stops: bool) -> list[int]:
    """Return what is bought in the order given, up to or without what cannot be paid."""
    bought: list[int] = []
    for place, price in enumerate(prices):
        if price <= budget:
            bought.append(place)
            budget -= price
        elif stops:
            break
    return bought


OFFERED: Final = 8
MONEY: Final = 25
PRINTED: Final = {True: 0.74, False: 0.94}
"""Average shares that were computed beforehand, where it stops and where it goes on."""
LEAST_DRAWS: Final = 1_000
WIDTH: Final = 4.0
"""Standard errors that an average may be off, beside the rounding of what it is compared with."""


@dataclass(frozen=True)
class RankShares:
    """Which share of the best set is bought by rank, by a buyer that stops or goes on.

    Eight passages of worths 1 to 10 and prices 1 to 20, all as likely, the best first; 25 to spend.
    """

    buy: Callable[[Sequence[int], int, bool], Sequence[int]] = buy_by_rank

    def __call__(self, context: CheckContext) -> Finding:
        """Draw shelves, and compare each with its best set."""
        draws = LEAST_DRAWS + context.budget.samples
        rng = context.generator()
        shares: dict[bool, list[float]] = {True: [], False: []}
        broken, binding = "", 0
        for _ in range(draws):
            worth = sorted(rng.integers(1, 11, OFFERED).tolist(), reverse=True)
            prices = rng.integers(1, 21, OFFERED).tolist()
            best = _best_worth(worth, prices, MONEY)
            binding += sum(prices) > MONEY
            for stops, found in shares.items():
                some = self.buy(prices, MONEY, stops)
                if sum(prices[place] for place in some) > MONEY:
                    broken = broken or f"of prices {prices} more than {MONEY} is spent."
                found.append(sum(worth[place] for place in some) / best)
        for stops, found in shares.items():
            error = WIDTH * float(np.std(found)) / len(found) ** 0.5 + 0.005
            if not broken and abs(float(np.mean(found)) - PRINTED[stops]) > error:
                broken = f"the average share is {np.mean(found):.3f}, not {PRINTED[stops]}."
        table = Table(
            caption=f"Shares of the best set, of {draws:,} shelves",
            columns=("at what cannot be paid", "average", "least"),
            rows=tuple(
                ("stops" if stops else "goes on", f"{np.mean(found):.3f}", f"{min(found):.3f}")
                for stops, found in shares.items()
            ),
        )
        exhibit = Exhibit(summary=broken, tables=(table,))
        return Finding(
            status=Status.REFUTED if broken else Status.MEASURED,
            strength=Strength.TESTED,
            scope=Scope(
                family="eight passages of worths 1 to 10 and prices 1 to 20, 25 to spend",
                instances=draws,
                met_hypotheses=draws,
                nontrivial=binding,
                sizes="8 passages",
                seed=context.seed,
            ),
            reason=broken
            or "; ".join(
                f"a buyer that {row[0]} at what it cannot pay gets {float(row[1]):.1%} of the best "
                f"set on average, {float(row[2]):.1%} at worst"
                for row in table.rows
            )
            + ".",
            evidence=(table,),
            counterexample=Counterexample(exhibit=exhibit, minimality="one set of draws")
            if broken
            else None,
            tolerances={"average share": f"{WIDTH} standard errors and rounding"},
        )


def _best_worth(worth: Sequence[int], prices: Sequence[int], budget: int) -> int:
    """Return the most that can be had: by dynamic programming over the money."""
    best = [0] * (budget + 1)
    for value, price in zip(worth, prices, strict=True):
        for money in range(budget, price - 1, -1):
            best[money] = max(best[money], best[money - price] + value)
    return best[budget]
