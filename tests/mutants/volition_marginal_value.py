"""Planted faults in the claims about the marginal-value mechanism; see __init__.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from papers.volition import CLAIMS
from papers.volition.checks.inextensibility import StrictDefinition, inextensible, strictly, weakly
from papers.volition.checks.marginal_families import (
    MarginalInstance,
    Price,
    Strategy,
    fewest_items,
    most_items,
)
from papers.volition.checks.marginal_laws import PlayLaws, settle_rewards
from papers.volition.checks.market_making import Beliefs, MarketMaking, free_game
from papers.volition.checks.shortfall import (
    BY_AGREEMENT,
    BY_ANY,
    BY_EVERYTHING,
    exchange_price,
    left_out,
    stable,
)
from papers.volition.checks.shortfall_attained import Attained, Demand, misleading_game
from papers.volition.checks.shortfall_defence import Defended, all_prices, is_settled_alone
from papers.volition.checks.theorem_4_4 import (
    Theorem44,
    first_is_best,
    first_is_inextensible,
    later_are_null,
    reluctantly_null,
)
from papers.volition.checks.theorem_4_4_wider import WholeTheorem, pays_or_ties
from theory.claims import Check
from theory.marginal_value import (
    Equilibrium,
    MarginalValueGame,
    Shortfall,
    equilibrium,
    from_beliefs,
    market_scoring,
    shortfall,
)
from theory.scoring import Score

__all__ = ["MUTANTS"]

CHECKS: dict[str, Any] = {claim.id: claim.check for claim in CLAIMS}


def named(claim_id: str, **predicates: Any) -> dict[str, Check]:
    """The claim's check with each of these predicates."""
    return {
        name: replace(CHECKS[claim_id], predicate=predicate)
        for name, predicate in predicates.items()
    }


# --- strategies in place of the equilibrium


def idle(instance: MarginalInstance) -> Strategy:
    return {s: s for s in instance.sets}


def rash(instance: MarginalInstance) -> Strategy:
    """Reveals everything at once, whatever it costs."""
    return dict.fromkeys(instance.sets, instance.everything)


def shortsighted(instance: MarginalInstance) -> Strategy:
    """Does what would be best if nothing followed."""
    strategy = {}
    for s in instance.sets:
        best = max(instance.after(s), key=lambda t: instance.reward(s, t, t), default=s)
        strategy[s] = best if best != s and instance.reward(s, best, best) > 0 else s
    return strategy


def garrulous(instance: MarginalInstance) -> Strategy:
    """Reveals as little as can be, but something."""
    return {
        s: min(instance.after(s), key=lambda t: (t.bit_count(), t), default=s)
        for s in instance.sets
    }


def done_after_the_first(instance: MarginalInstance) -> Strategy:
    """The equilibrium before anything is revealed, and null moves from then on."""
    follow = fewest_items(instance)
    return {s: s if s else follow[s] for s in instance.sets}


def restless(instance: MarginalInstance) -> Strategy:
    """The equilibrium, but where it ends the last of the items that are left is revealed."""
    follow = fewest_items(instance)
    return {
        s: max(instance.after(s), default=s) if s and follow[s] == s else follow[s]
        for s in instance.sets
    }


# --- rewards


def judged_at_once(instance: MarginalInstance, history: Sequence[int]) -> list[Any]:
    """Each is judged by what was known when it had spoken."""
    sets = [0]
    for move in history:
        sets.append(sets[-1] | move)
    return [instance.reward(s, t, t) for s, t in pairwise(sets)]


def free_of_charge(instance: MarginalInstance, history: Sequence[int]) -> list[Any]:
    return list(settle_rewards(replace(instance, prices=(0,) * len(instance.prices)), history))


def shared(instance: MarginalInstance, history: Sequence[int]) -> list[Any]:
    """All are paid alike; the sum is right."""
    paid: Any = settle_rewards(instance, history)
    return [sum(paid, Fraction(0)) / len(paid) if paid else 0 for _ in paid]


def judged_at_once_later(instance: MarginalInstance, history: Sequence[int]) -> list[Any]:
    """The first is judged by all that is revealed, and each later one when it has spoken."""
    return [*settle_rewards(instance, history)[:1], *judged_at_once(instance, history)[1:]]


def free_from_the_second_on(instance: MarginalInstance, history: Sequence[int]) -> list[Any]:
    return [*settle_rewards(instance, history)[:1], *free_of_charge(instance, history)[1:]]


def a_coin_for_the_last(instance: MarginalInstance, history: Sequence[int]) -> list[Any]:
    paid: list[Any] = list(settle_rewards(instance, history))
    return [*paid[:-1], paid[-1] + 1] if paid else paid


@dataclass(frozen=True)
class Following:
    """The equilibrium with another strategy in its place."""

    strategy: Callable[[MarginalInstance], Strategy]

    def __call__(self, instance: MarginalInstance) -> Equilibrium:
        other = self.strategy(instance)
        places = [instance.sets.index(other[s]) for s in instance.sets]
        return replace(equilibrium(instance.game), follow=np.array(places, dtype=np.int64))


def open_gap(instance: MarginalInstance) -> Equilibrium:
    return replace(equilibrium(instance.game), gap=Fraction(1, 10**12))


# --- markets


def other_score(items: Sequence[str], beliefs: Beliefs, score: Score) -> MarginalValueGame:
    return free_game(items, beliefs, Score.LOG if score is Score.BRIER else Score.BRIER)


def at_a_fee(items: Sequence[str], beliefs: Beliefs, score: Score) -> MarginalValueGame:
    return from_beliefs(items, beliefs, dict.fromkeys(items, "1/100"), score)


def contrary(items: Sequence[str], beliefs: Beliefs, score: Score) -> MarginalValueGame:
    """The judge of another event, that happens where this one does not, wherever all is known."""
    everything = frozenset(items)
    return free_game(items, {**beliefs, everything: 1 - beliefs[everything]}, score)


def settled_at_once(reports: Sequence[Any], final: Any, score: Score) -> Sequence[Any]:
    """Each is paid by the belief that it leaves behind."""
    del final
    return [market_scoring(pair, pair[1], score)[0] for pair in pairwise(reports)]


def settled_at_once_later(reports: Sequence[Any], final: Any, score: Score) -> Sequence[Any]:
    """The same for all but the first."""
    first = market_scoring(reports[:2], final, score) if len(reports) > 1 else ()
    return [*first, *settled_at_once(reports[1:], final, score)]


# --- inextensibility


def denied(extensions: dict[int, list[int]], answers: frozenset[int], revealed: int) -> bool:
    """The answer to an extension has to be extensible."""
    return all(any(v not in answers for v in extensions[t]) for t in extensions[revealed])


def turned_round(extensions: dict[int, list[int]], answers: frozenset[int], revealed: int) -> bool:
    """What is inextensible is extended by something that is not."""
    return any(t not in answers for t in extensions[revealed])


def unextended(instance: MarginalInstance) -> frozenset[int]:
    return frozenset(s for s in instance.sets if not strictly(instance, s))


def unextended_with_the_last(instance: MarginalInstance) -> frozenset[int]:
    """The right answers for sets without the last item."""
    last = 1 << (instance.items - 1)
    wrong, right = unextended(instance), inextensible(instance)
    return frozenset(s for s in instance.sets if s in (wrong if s & last else right))


def any_set(instance: MarginalInstance) -> frozenset[int]:
    return frozenset(instance.sets)


def nothing_held(instance: MarginalInstance) -> frozenset[int]:
    return inextensible(instance) - {instance.everything}


# --- bounds


def one_less(instance: MarginalInstance, defence: int, best: int) -> Price:
    return left_out(instance, defence, best) - 1


def exchanged_one_less(instance: MarginalInstance, defence: int, best: int) -> Price:
    return exchange_price(instance, defence, best) - 1


def misreported(found: Equilibrium) -> Shortfall:
    report: Any = shortfall(found)
    return replace(report, shortfall=report.shortfall + 1)


def one_left_out(found: Equilibrium) -> Shortfall:
    report = shortfall(found)
    return replace(report, defences=report.defences[:-1])


# --- attained bounds


def unconvinced(demand: Demand) -> MarginalInstance:
    """The judge is not misled."""
    game = misleading_game(demand)
    rows = tuple(tuple(min(u, 0) for u in row) for row in game.utilities)
    return replace(game, utilities=rows)


def repaid(demand: Demand) -> MarginalInstance:
    """Putting it right is worth 1 more than it costs."""
    game = misleading_game(demand)
    rows = [list(row) for row in game.utilities]
    rows[-1 if demand.best else 0][-1] += 1
    return replace(game, utilities=tuple(map(tuple, rows)))


def dearer(demand: Demand) -> MarginalInstance:
    return misleading_game(replace(demand, prices=tuple(p + 1 for p in demand.prices)))


def dearer_at_last(demand: Demand) -> MarginalInstance:
    *others, last = demand.prices
    return misleading_game(replace(demand, prices=(*others, last + 1)))


CHEAP_DEFENCE = {"I1": Fraction(1, 10), "I2": Fraction(1, 10), "I3": Fraction(1, 10)}
DEAR_REFUTATION = {"I1": Fraction(1, 10), "I2": Fraction(2), "I3": Fraction(100)}
DEAR_CLAIM = {"I1": Fraction(2), "I2": Fraction(1, 10), "I3": Fraction(100)}


def example(claim_id: str, **changes: Any) -> Check:
    changed: Check = replace(CHECKS[claim_id], **changes)
    return changed


MUTANTS: dict[str, dict[str, Check]] = {
    "volition.def-4.1": named(
        "volition.def-4.1",
        judged_at_once=PlayLaws(judged_at_once),
        free_of_charge=PlayLaws(free_of_charge),
        shared=PlayLaws(shared),
        a_coin_for_the_last=PlayLaws(a_coin_for_the_last),
        judged_at_once_later=PlayLaws(judged_at_once_later),
        free_from_the_second_on=PlayLaws(free_from_the_second_on),
        idle=PlayLaws(solve=Following(idle)),
        rash=PlayLaws(solve=Following(rash)),
        shortsighted=PlayLaws(solve=Following(shortsighted)),
        done_after_the_first=PlayLaws(solve=Following(done_after_the_first)),
        open_gap=PlayLaws(solve=open_gap),
    ),
    "volition.market-making": named(
        "volition.market-making",
        other_score=MarketMaking(other_score),
        at_a_fee=MarketMaking(at_a_fee),
        contrary=MarketMaking(contrary),
        settled_at_once=MarketMaking(payments=settled_at_once),
        settled_at_once_later=MarketMaking(payments=settled_at_once_later),
    ),
    "volition.def-4.3": {
        demand.__name__: replace(CHECKS["volition.def-4.3"], demand=demand)
        for demand in (denied, turned_round)
    },
    "volition.def-4.3.strict": named(
        "volition.def-4.3.strict",
        as_printed=StrictDefinition(weakly),
        unextended=StrictDefinition(found=unextended),
        any_set=StrictDefinition(found=any_set),
        unextended_with_the_last=StrictDefinition(found=unextended_with_the_last),
        nothing_held=StrictDefinition(found=nothing_held),
    ),
    "volition.theorem-4.4.1": named(
        "volition.theorem-4.4.1",
        idle=Theorem44(first_is_inextensible, idle),
        shortsighted=Theorem44(first_is_inextensible, shortsighted),
        garrulous=Theorem44(first_is_inextensible, garrulous),
    ),
    "volition.theorem-4.4.2": named(
        "volition.theorem-4.4.2",
        shortsighted=Theorem44(later_are_null, shortsighted),
        garrulous=Theorem44(later_are_null, garrulous),
        reluctantly_null=Theorem44(later_are_null, reluctantly_null),
        restless=Theorem44(later_are_null, restless),
    ),
    "volition.theorem-4.4.3": named(
        "volition.theorem-4.4.3",
        idle=Theorem44(first_is_best, idle),
        rash=Theorem44(first_is_best, rash),
        garrulous=Theorem44(first_is_best, garrulous),
        most_items=Theorem44(first_is_best, most_items),
    ),
    "volition.theorem-4.4.two-actions": named(
        "volition.theorem-4.4.two-actions",
        idle=WholeTheorem(idle),
        rash=WholeTheorem(rash),
        garrulous=WholeTheorem(garrulous),
        restless=WholeTheorem(restless),
        most_items=WholeTheorem(most_items),
    ),
    "volition.theorem-4.4.weak": named(
        "volition.theorem-4.4.weak",
        strict=WholeTheorem(most_items),
        fewest_items=WholeTheorem(fewest_items, pays_or_ties),
        idle=WholeTheorem(idle, pays_or_ties),
    ),
    "volition.example-6.1": {
        "a cheap defence": example("volition.example-6.1", prices=CHEAP_DEFENCE),
        "a dear refutation": example("volition.example-6.1", prices=DEAR_REFUTATION),
        "a dear claim": example("volition.example-6.1", prices=DEAR_CLAIM),
    },
    "volition.example-6.1.printed": {
        "a dear refutation": example("volition.example-6.1.printed", prices=DEAR_REFUTATION),
        "a dear claim": example("volition.example-6.1.printed", prices=DEAR_CLAIM),
    },
    "volition.shortfall": named(
        "volition.shortfall",
        idle=replace(BY_EVERYTHING, solve=idle),
        one_less=replace(BY_EVERYTHING, bound=one_less),
    ),
    "volition.shortfall.sharp": named(
        "volition.shortfall.sharp",
        any_stable_set=replace(BY_AGREEMENT, defences=stable),
        idle=replace(BY_AGREEMENT, solve=idle),
        one_less=replace(BY_AGREEMENT, bound=exchanged_one_less),
    ),
    "volition.shortfall.disagreement": named(
        "volition.shortfall.disagreement",
        without_disagreement=replace(BY_ANY, bound=exchange_price),
        idle=replace(BY_ANY, solve=idle),
        misreported=replace(BY_ANY, report=misreported),
        one_left_out=replace(BY_ANY, report=one_left_out),
    ),
    "volition.shortfall.defence": named(
        "volition.shortfall.defence",
        settled_alone=Defended(is_settled_alone),
        all_prices=Defended(price=all_prices),
        idle=Defended(solve=idle),
    ),
    "volition.shortfall.attained": named(
        "volition.shortfall.attained",
        unconvinced=Attained(unconvinced),
        repaid=Attained(repaid),
        dearer=Attained(dearer),
        dearer_at_last=Attained(dearer_at_last),
        idle=Attained(solve=idle),
    ),
    "volition.shortfall.tightness": {
        "idle": replace(CHECKS["volition.shortfall.tightness"], solve=idle)
    },
}
