"""Planted faults in the claims of bazaar on its experiments; see __init__.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from mechanisms.inspection import Shown, ToInspect
from mechanisms.market import Excerpt, IdealBuyer, KeywordBuyer, OneByOneBuyer
from papers.bazaar.buyer_experiments import CLAIMS
from papers.bazaar.checks.buyer_experiments import (
    DemandIsAStep,
    InspectionHelps,
    LawOfChoice,
    PlacesAreFlat,
    PlacesAreFlatInLaw,
    RepeatedChoice,
)
from papers.bazaar.checks.verdict_counts import MODELS, Count, fair_tail, spread_tail
from theory.claims import Check

__all__ = ["MUTANTS", "PROOF_MUTANTS", "REPAIRED"]

CHECKS: dict[str, Any] = {claim.id: claim.check for claim in CLAIMS}


# --- price


class DistrustsWhatIsCheap(IdealBuyer):
    """Leaves what costs nothing, as if it could not be good."""

    def choose(self, view: ToInspect) -> Sequence[Shown]:
        return [each for each in super().choose(view) if each.price]


class LeavesTheDear(IdealBuyer):
    """Buys nothing at 3 or more."""

    def choose(self, view: ToInspect) -> Sequence[Shown]:
        return [each for each in super().choose(view) if each.price < 3]


def draws_from_another_scale(corpus: Any, scale: float, **named: Any) -> RepeatedChoice:
    return RepeatedChoice(corpus, scale=1.5 * scale, **named)


class TakesGoldOnTop(RepeatedChoice):
    """Takes the first offer at every second choice, whatever it costs."""

    def draw_choice(self, view: ToInspect) -> Sequence[Shown]:
        found = super().draw_choice(view)
        first = view.offers[0][0]
        return found if self.draw() < 0.5 or first in found else [*found, first]


class NeverTakesGold(RepeatedChoice):
    def draw_choice(self, view: ToInspect) -> Sequence[Shown]:
        return [each for each in super().draw_choice(view) if each is not view.offers[0][0]]


class GoldAtAnotherPrice(RepeatedChoice):
    """Reckons the first offer at another price than it has."""

    @staticmethod
    def reckon(price: Fraction) -> Fraction:
        raise NotImplementedError

    def draw_choice(self, view: ToInspect) -> Sequence[Shown]:
        first, *others = view.offers[0]
        offers = (replace(first, price=self.reckon(Fraction(first.price))), *others)
        return super().draw_choice(replace(view, offers=(offers,)))


class DearGoldIsFree(GoldAtAnotherPrice):
    @staticmethod
    def reckon(price: Fraction) -> Fraction:
        return Fraction(0) if price >= 6 else price


class GoldAtHalfThePrice(GoldAtAnotherPrice):
    """Has the right intercept and another slope."""

    @staticmethod
    def reckon(price: Fraction) -> Fraction:
        return price / 2


class GoldOneCheaper(GoldAtAnotherPrice):
    """Has the right slope and another intercept."""

    @staticmethod
    def reckon(price: Fraction) -> Fraction:
        return price - 1


# --- place


class LeavesTheFirst(IdealBuyer):
    def choose(self, view: ToInspect) -> Sequence[Shown]:
        return [each for each in super().choose(view) if each is not view.offers[0][0]]


class LeavesTheThird(IdealBuyer):
    def choose(self, view: ToInspect) -> Sequence[Shown]:
        return [each for each in super().choose(view) if each not in view.offers[0][2:]]


class DoubtsTheFirst(LawOfChoice):
    def law(self, view: ToInspect) -> Any:
        sets, law = super().law(view)
        doubted = [
            p / 2 if view.offers[0][0] in some else p for some, p in zip(sets, law, strict=True)
        ]
        return sets, [p / sum(doubted) for p in doubted]


class DoubtsTheLast(LawOfChoice):
    def law(self, view: ToInspect) -> Any:
        sets, law = super().law(view)
        doubted = [
            p * 0.999 if view.offers[0][-1] in some else p
            for some, p in zip(sets, law, strict=True)
        ]
        return sets, [p / sum(doubted) for p in doubted]


# --- inspection


class ReadsTheFirstOnly(IdealBuyer):
    """Buys what follows the first by its title, although it may read it."""

    def choose(self, view: ToInspect) -> Sequence[Shown]:
        first, *others = view.offers[0]
        titles = [replace(each, content=Excerpt(each.content.title, None)) for each in others]
        found = {each.name for each in super().choose(replace(view, offers=((first, *titles),)))}
        return [each for each in view.offers[0] if each.name in found]


class LeavesWhatItRead(IdealBuyer):
    def choose(self, view: ToInspect) -> Sequence[Shown]:
        return [each for each in super().choose(view) if not each.content.text]


def of(claim_id: str, **changed: Any) -> Check:
    check: Check = replace(CHECKS[claim_id], **changed)
    return check


def twice(won: int, verdicts: int) -> Fraction:
    return 4 * fair_tail(won, verdicts)


def below(won: int, verdicts: int) -> Fraction:
    return 1 - fair_tail(won, verdicts)


def all_that_is_likelier(accepted: Sequence[int], trials: int) -> Fraction:
    return 1 - spread_tail(accepted, trials)


MUTANTS: dict[str, dict[str, Check]] = {
    "bazaar.demand": {
        each.__name__: of("bazaar.demand", predicate=DemandIsAStep(each))
        for each in (OneByOneBuyer, KeywordBuyer, DistrustsWhatIsCheap, LeavesTheDear)
    },
    "bazaar.demand.logit": {
        each.__name__: of("bazaar.demand.logit", buyer=each)
        for each in (
            draws_from_another_scale,
            TakesGoldOnTop,
            NeverTakesGold,
            DearGoldIsFree,
            GoldAtHalfThePrice,
            GoldOneCheaper,
        )
    },
    "bazaar.position": {
        each.__name__: of("bazaar.position", predicate=PlacesAreFlat(each))
        for each in (LeavesTheFirst, KeywordBuyer, LeavesTheThird)
    },
    "bazaar.position.logit": {
        each.__name__: of("bazaar.position.logit", predicate=PlacesAreFlatInLaw(each))
        for each in (DoubtsTheFirst, DoubtsTheLast)
    },
    "bazaar.inspection": {
        each.__name__: of("bazaar.inspection", predicate=InspectionHelps(each))
        for each in (LeavesWhatItRead, ReadsTheFirstOnly, KeywordBuyer)
    },
    "bazaar.position.counts": {
        "all_that_is_likelier": of("bazaar.position.counts", tail=all_that_is_likelier),
        "a second model": of(
            "bazaar.position.counts", positions=(("one", (0, 9, 9)), ("GPT-4", (8, 9, 5)))
        ),
    },
    "bazaar.keyword-baseline": {
        "below": of("bazaar.keyword-baseline", tail=below),
        "a second count": of(
            "bazaar.keyword-baseline", counts=(Count("one", 9, 9), Count("two", 7, 9))
        ),
    },
    "bazaar.keyword-baseline.model": {
        "twice": of("bazaar.keyword-baseline.model", tail=twice),
        "below": of("bazaar.keyword-baseline.model", tail=below),
        "the first is even": of(
            "bazaar.keyword-baseline.model", counts=(Count("even", 10, 20), MODELS[1])
        ),
        "the second has one less": of(
            "bazaar.keyword-baseline.model", counts=(MODELS[0], Count("one less", 14, 20))
        ),
    },
}

PROOF_MUTANTS: dict[str, dict[str, Check]] = {}

REPAIRED: dict[str, dict[str, Check]] = {
    "bazaar.position.counts": {
        "as uneven in three times the trials": of(
            "bazaar.position.counts", positions=(("more", (9, 21, 24)),), trials=54
        ),
        "none at the first": of("bazaar.position.counts", positions=(("none", (0, 9, 9)),)),
    },
    "bazaar.keyword-baseline": {
        "8 of 9": of("bazaar.keyword-baseline", counts=(Count("8", 8, 9),)),
        "40 of 60": of("bazaar.keyword-baseline", counts=(Count("as large a share", 40, 60),)),
    },
}
