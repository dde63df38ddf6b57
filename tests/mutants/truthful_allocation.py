"""Planted faults in the claims about the auction's law and the samplers; see __init__.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from papers.truthful.allocation import CLAIMS
from papers.truthful.checks.law import Approaches, Draws, FirstOrder, NearlyOptimal
from papers.truthful.checks.sampler import (
    Distances,
    Sampled,
    TendsTo,
    all_at_once,
    condition_optimum,
    draw_from_mixture,
    mixed_as_if_pure,
    optimum,
    right_weights,
    their_own,
)
from papers.truthful.checks.uniqueness import (
    OnlyRule,
    RivalIsTruthful,
    as_paper,
    constant_law,
    scaled_softmax,
)
from theory.claims import Check
from theory.numbers.closed_form import log

__all__ = ["MUTANTS", "REPAIRED"]

CHECKS: dict[str, Any] = {claim.id: claim.check for claim in CLAIMS}

Law = tuple[Fraction, ...]


def named(claim_id: str, **predicates: Any) -> dict[str, Check]:
    """The claim's check with each of these predicates."""
    return {
        name: replace(CHECKS[claim_id], predicate=predicate)
        for name, predicate in predicates.items()
    }


# --- the law of the reply


def never_chosen(case: Draws, candidates: int) -> Law:
    """Returns the first candidate."""
    return case.pi_gen


def rewards_squared(case: Draws, candidates: int) -> Law:
    return replace(case, odds=tuple(o * o for o in case.odds)).returned(candidates)


def rewards_forgotten(case: Draws, candidates: int) -> Law:
    return replace(case, odds=(Fraction(1),) * len(case.odds)).returned(candidates)


def one_candidate_less(case: Draws, candidates: int) -> Law:
    return case.returned(max(1, candidates - 1))


def third_candidate_wasted(case: Draws, candidates: int) -> Law:
    """The law of two candidates, where there are more."""
    return case.returned(min(candidates, 2))


def last_reply_overlooked(case: Draws, candidates: int) -> Law:
    """The last reply is never returned, if there is another one."""
    *others, last = case.returned(candidates)
    return (*(p / (1 - last) for p in others), Fraction(0)) if 0 < last < 1 else (*others, last)


def first_order_negated(case: Draws) -> Sequence[Fraction]:
    mean = sum(p * w for p, w in zip(case.optimum, case.relative, strict=True))
    return [w - mean for w in case.relative]


def mean_of_the_generator(case: Draws) -> Sequence[Fraction]:
    return [1 - w for w in case.relative]


# --- samplers


def twice(case: Sampled) -> tuple[Law, Law]:
    """The ratio is applied two times."""
    generator, weights = right_weights(case)
    ratios = [p / g if g else Fraction(0) for p, g in zip(case.model, generator, strict=True)]
    return generator, tuple(a * b for a, b in zip(weights, ratios, strict=True))


def last_reply_as_modelled(case: Sampled) -> tuple[Law, Law]:
    """Right weights but for the last reply, which is weighed by the model's own law."""
    generator, weights = right_weights(case)
    return generator, (*weights[:-1], their_own(case)[1][-1])


def second_tokens_as_modelled(case: Sampled) -> tuple[Law, Law]:
    """Right weights of replies of one token, and the model's own of those with a second one."""
    generator, weights = right_weights(case)
    longer = [bool(roots) for roots in case.after for _ in roots or (None,)]
    pairs = zip(longer, their_own(case)[1], weights, strict=True)
    return generator, tuple(own if two else right for two, own, right in pairs)


def mixed_weighed_as_sampled(case: Sampled) -> tuple[Law, Law]:
    return draw_from_mixture(case)[0], right_weights(case)[1]


# --- other rules


def colder(roots: Sequence[int], m: int) -> tuple[list[Fraction], Any]:
    """softmax((1 - 1/M) a), which is another rule as well; as the other one for M = 1."""
    if m == 1:
        return scaled_softmax(roots, m)
    powers = [Fraction(n) ** (m - 1) for n in roots]
    total = sum(powers, Fraction(0))
    return [p / total for p in powers], Fraction(m, m - 1) * log(total)


def paid_like_the_mechanism(roots: Sequence[int], m: int) -> tuple[list[Fraction], Any]:
    return scaled_softmax(roots, m)[0], as_paper(roots, m)[1]


def dearer_for_several(roots: Sequence[int], m: int) -> tuple[list[Fraction], Any]:
    """The rival rule, with the payments of the mechanism where there are several candidates."""
    return paid_like_the_mechanism(roots, m) if m > 1 else scaled_softmax(roots, m)


LAWS = (never_chosen, rewards_squared, rewards_forgotten)

MUTANTS: dict[str, dict[str, Check]] = {
    **{
        claim_id: named(
            claim_id,
            **{
                f.__name__: predicate(law=f)
                for f in (*LAWS, one_candidate_less, third_candidate_wasted, last_reply_overlooked)
            },
        )
        for claim_id, predicate in (
            ("truthful.theorem-4.1", Approaches),
            ("truthful.theorem-4.3", Approaches),
        )
    },
    **{
        claim_id: named(
            claim_id,
            **{
                f.__name__: NearlyOptimal(law=f)
                for f in (
                    never_chosen,
                    rewards_forgotten,
                    third_candidate_wasted,
                    last_reply_overlooked,
                )
            },
        )
        for claim_id in ("truthful.corollary-4.2", "truthful.corollary-4.4")
    },
    "truthful.theorem-4.3.rate": named(
        "truthful.theorem-4.3.rate",
        first_order_negated=FirstOrder(slope=first_order_negated),
        mean_of_the_generator=FirstOrder(slope=mean_of_the_generator),
        rewards_squared=FirstOrder(law=rewards_squared),
        third_candidate_wasted=FirstOrder(law=third_candidate_wasted),
    ),
    "truthful.sampler": named(
        "truthful.sampler",
        twice=TendsTo(twice),
        conditioned=TendsTo(their_own, condition_optimum),
    ),
    "truthful.sampler.temperature": named(
        "truthful.sampler.temperature",
        their_own=TendsTo(their_own),
        twice=TendsTo(twice),
        last_reply_as_modelled=TendsTo(last_reply_as_modelled),
        second_tokens_as_modelled=TendsTo(second_tokens_as_modelled),
    ),
    "truthful.sampler.top-p": named(
        "truthful.sampler.top-p",
        their_own=TendsTo(their_own, condition_optimum),
        unconditioned=TendsTo(right_weights, optimum),
    ),
    "truthful.sampler.mixture": named(
        "truthful.sampler.mixture",
        mixed_as_if_pure=TendsTo(mixed_as_if_pure),
        mixed_weighed_as_sampled=TendsTo(mixed_weighed_as_sampled),
    ),
    "truthful.sampler.section-6.1": {
        "their_own": Distances(right=their_own),
        "twice": Distances(right=twice),
        "all_at_once": Distances(right=all_at_once),
        "last_reply_as_modelled": Distances(right=last_reply_as_modelled),
    },
    "truthful.uniqueness": named("truthful.uniqueness", colder=OnlyRule(colder)),
    "truthful.uniqueness.c1": named(
        "truthful.uniqueness.c1",
        constant_law=RivalIsTruthful((constant_law,)),
        paid_like_the_mechanism=RivalIsTruthful((paid_like_the_mechanism,)),
        dearer_for_several=RivalIsTruthful((dearer_for_several,)),
    ),
}

REPAIRED: dict[str, dict[str, Check]] = {
    "truthful.sampler": named(
        "truthful.sampler", **{"right weights, nothing cut": TendsTo(right_weights, cut=False)}
    ),
    "truthful.uniqueness": named(
        "truthful.uniqueness",
        **{"the mechanism itself": OnlyRule(as_paper)},
    ),
}
