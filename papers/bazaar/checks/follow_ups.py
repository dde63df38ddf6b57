"""How far follow-up questions reach, and what depth costs a buyer that spends evenly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from mechanisms.inspection import Shown, ToInspect
from mechanisms.market import (
    Corpus,
    FactQuestion,
    IdealBuyer,
    Market,
    MarketResult,
    Passage,
    Statement,
    Vendor,
    answer_question,
    best_purchase,
)
from theory.search import Draw, Family, Trial

__all__ = ["CHAINS", "Chain", "DepthNeverHurts", "EvenBuyer", "HopsReachAnswers"]

WORTH: Final = 4
"""What each fact is worth; more than any price."""


@dataclass(frozen=True)
class Chain:
    """Facts each of which can be asked for only by who knows the one before, and their prices."""

    prices: tuple[int, ...]
    hops: int
    budget: int

    def __str__(self) -> str:
        prices = ", ".join(map(str, self.prices))
        return f"facts at {prices}, asked for in turn; {self.budget} to spend, {self.hops} hops"

    def play(self, buyer: Callable[[Corpus, Fraction], Any], hops: int) -> tuple[Any, MarketResult]:
        """Return the worth of what is bought, and the run; the budget is even over the hops."""
        chain = [Statement(f"n{k}", f"r{k}", f"n{k + 1}") for k in range(len(self.prices))]
        passages = tuple(
            Passage(f"p{k}", "shop", price, f"the r{k} of n{k}?", f"{fact}", frozenset((fact,)))
            for k, (price, fact) in enumerate(zip(self.prices, chain, strict=True))
        )
        question = FactQuestion("q", "n0", tuple(fact.relation for fact in chain), WORTH)
        corpus = Corpus(passages, (question,), frozenset(chain))
        market = Market((Vendor("shop", passages, _ByName()),))
        who = buyer(corpus, Fraction(self.budget, hops + 1))
        result = answer_question(market, question, who, self.budget, hops=hops)
        return result.worth(corpus, question), result


class _ByName:
    """Finds what a question asks for by name, which is what it ends with."""

    def rank(self, query: str, passages: Sequence[Passage]) -> list[tuple[int, float]]:
        return [(k, 1.0) for k, each in enumerate(passages) if query.endswith(each.title)]


class EvenBuyer(IdealBuyer):
    """Spends on each question at most its share of the budget."""

    def __init__(self, corpus: Corpus, share: Fraction) -> None:
        super().__init__(corpus)
        self.share = share

    def choose(self, view: ToInspect) -> Sequence[Shown]:
        """Return the best set that the share can pay."""
        left = self.share if view.budget is None else min(self.share, Fraction(view.budget))
        return best_purchase(*self.gains(view), left)


def _ideal(corpus: Corpus, share: Fraction) -> IdealBuyer:
    del share
    return IdealBuyer(corpus)


@dataclass(frozen=True)
class HopsReachAnswers:
    """With d hops answers of up to d + 1 facts are found, as far as the budget goes."""

    buyer: Callable[[Corpus, Fraction], Any] = _ideal

    def __call__(self, case: Chain) -> Trial:
        """Play the market; non-trivial where the answer is more than one question away."""
        needed = len(case.prices)
        worth, result = case.play(self.buyer, case.hops)
        bought = 0
        while bought < min(needed, case.hops + 1) and sum(case.prices[: bought + 1]) <= case.budget:
            bought += 1
        wanted = f"n{needed}" if bought == needed else "not known"
        failure = ""
        if result.answer != wanted:
            failure = f"the answer is {result.answer!r}, not {wanted!r}."
        elif worth != WORTH * bought or result.spent != sum(case.prices[:bought]):
            failure = f"{worth} is had for {result.spent}, not {bought} facts."
        return Trial(nontrivial=needed > 1, failure=failure)


@dataclass(frozen=True)
class DepthNeverHurts:
    """One hop more is worth at least as much, to a buyer that spends evenly over the hops."""

    buyer: Callable[[Corpus, Fraction], Any] = EvenBuyer

    def __call__(self, case: Chain) -> Trial:
        """Compare the worth after prices; non-trivial where something is bought."""
        (few, before), (many, after) = (case.play(self.buyer, case.hops + k) for k in (0, 1))
        less, more = few - before.spent, many - after.spent
        failure = f"it gains {more} with one hop more, {less} without." if more < less else ""
        return Trial(nontrivial=before.spent > 0, failure=failure)


def _build_chain(draw: Draw, facts: int) -> Chain:
    prices = tuple(draw.integer(1, 2) for _ in range(facts))
    return Chain(prices, draw.index(3), draw.choice((1, 2, 4, 6)))


def _chain_size(case: Chain) -> tuple[int, ...]:
    return (sum(case.prices) + case.hops + case.budget,)


CHAINS: Family[Chain] = Family(
    description="chains of facts at 1 or 2, worth 4 each, up to 2 hops, 1, 2, 4 or 6 to spend",
    level_name="facts",
    levels=(1, 2, 3),
    build=_build_chain,
    size=_chain_size,
)
