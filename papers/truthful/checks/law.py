"""truthful, section 4: the law of the reply for M candidates, and what it tends to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Any

from papers.truthful.checks.cases import approximately, show_all
from papers.truthful.checks.definition import exact_auction
from theory.divergence import gibbs_law, kl_divergence, total_variation
from theory.numbers.closed_form import ClosedForm, log
from theory.resampling import deviation_enclosure, resampling_law
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = [
    "ALGORITHM_1",
    "ALGORITHM_2",
    "UP_TO_TWO",
    "Approaches",
    "Draws",
    "FirstOrder",
    "NearlyOptimal",
    "auction_law",
    "show_draws",
]

MOST = 3
FAR = (10**4, 10**6)

Law = tuple[Fraction, ...]
LawOf = Callable[[Law, Law, int], Law]


@lru_cache(maxsize=1 << 14)
def _allocation(odds: Law, weights: Law) -> Law:
    return tuple(exact_auction([odds], weights).allocation)


@lru_cache(maxsize=1 << 14)
def auction_law(odds: Law, weights: Law, generator: Law, candidates: int) -> tuple[Law, Fraction]:
    """Return P(y is returned) and P(nothing is), from the auction run on every draw of candidates.

    ``weights`` are π_ref/π_gen. Draws are taken up to order, with how often they come.
    """
    returned, failure = [Fraction(0)] * len(odds), Fraction(0)
    drawable = [k for k, g in enumerate(generator) if g]
    for draw in combinations_with_replacement(drawable, candidates):
        counts = [draw.count(k) for k in set(draw)]
        orders = factorial(candidates) // prod(map(factorial, counts))
        likely = orders * prod((generator[k] for k in draw), start=Fraction(1))
        if not any(weights[k] for k in draw):
            failure += likely
            continue
        chances = _allocation(tuple(odds[k] for k in draw), tuple(weights[k] for k in draw))
        for k, chance in zip(draw, chances, strict=True):
            returned[k] += likely * chance
    return tuple(returned), failure


@dataclass(frozen=True)
class Draws:
    """Replies, π_ref and π_gen in proportion to counts, and exp(r/τ) for the sum r of rewards."""

    reference: tuple[int, ...]
    generator: tuple[int, ...]
    odds: tuple[Fraction, ...]

    @cached_property
    def pi_ref(self) -> Law:
        """The reference law."""
        return tuple(Fraction(n, sum(self.reference)) for n in self.reference)

    @cached_property
    def pi_gen(self) -> Law:
        """The law that candidates are drawn from."""
        return tuple(Fraction(n, sum(self.generator)) for n in self.generator)

    @cached_property
    def optimum(self) -> Law:
        """π*, in proportion to π_ref exp(r/τ)."""
        return tuple(gibbs_law(self.pi_ref, self.odds))

    @cached_property
    def ratios(self) -> Law:
        """π_ref/π_gen, 0 for what is never drawn."""
        pairs = zip(self.pi_ref, self.pi_gen, strict=True)
        return tuple(p / g if g else Fraction(0) for p, g in pairs)

    @cached_property
    def relative(self) -> Law:
        """W = π*/π_gen, 0 for what is never drawn."""
        pairs = zip(self.optimum, self.pi_gen, strict=True)
        return tuple(p / g if g else Fraction(0) for p, g in pairs)

    @property
    def covered(self) -> bool:
        """Whether the support of π_gen contains that of π_ref."""
        return all(g or not p for p, g in zip(self.reference, self.generator, strict=True))

    @property
    def usable(self) -> bool:
        """Whether some candidate can have a positive weight."""
        return any(self.ratios)

    @property
    def same_support(self) -> bool:
        """Whether π_gen and π_ref have the same support."""
        pairs = zip(self.reference, self.generator, strict=True)
        return all(bool(p) == bool(g) for p, g in pairs)

    @property
    def spread(self) -> tuple[Fraction, Fraction]:
        """The largest |W - 1|, and the least positive W."""
        drawn = [w for w, g in zip(self.relative, self.generator, strict=True) if g]
        return max(abs(w - 1) for w in drawn), min((w for w in drawn if w), default=Fraction(1))

    def returned(self, candidates: int) -> Law:
        """Return the law of the reply, given that some candidate has a positive weight."""
        law, failure = auction_law(self.odds, self.ratios, self.pi_gen, candidates)
        return tuple(p / (1 - failure) for p in law)

    def __str__(self) -> str:
        return (
            f"π_ref = {show_all(self.pi_ref)}, π_gen = {show_all(self.pi_gen)}, "
            f"exp(r/τ) = {show_all(self.odds)}"
        )


ReturnedBy = Callable[[Draws, int], Sequence[Fraction]]


def running_law(case: Draws, candidates: int) -> Law:
    """Return what :func:`theory.resampling.resampling_law` says of the reply."""
    weights = [a * b for a, b in zip(case.ratios, case.odds, strict=True)]
    law: Law = resampling_law(case.pi_gen, weights, candidates).law
    return law


def _candidates() -> range:
    return range(1, MOST + 1)


@dataclass(frozen=True)
class Approaches:
    """|π_M - π*|_TV <= E_π*[(W - 1)^+/(M - 1 + W)] <= E_π*[(W - 1)^+]/M, so that π_M tends to π*.

    The auction is run on every draw of M candidates; its law is compared with that of the library,
    too. ``anywhere`` asks the same where π_gen misses replies of π_ref, whose W is left out.
    """

    anywhere: bool = False
    law: ReturnedBy = Draws.returned

    def __call__(self, case: Draws) -> Trial:
        """Try small M; non-trivial where π_1 is not π* already."""
        if not (case.usable and (self.anywhere or case.covered)):
            return Trial.unmet()
        apart = Fraction(0)
        for m in _candidates():
            law = self.law(case, m)
            distance = Fraction(total_variation(law, case.optimum))
            apart = max(apart, distance)
            if distance > _compute_bound(case, m):
                return Trial(
                    failure=f"with M = {m} candidates the reply has the law {show_all(law)}, "
                    f"{distance} from π* = {show_all(case.optimum)}; "
                    f"the bound is {_compute_bound(case, m)}."
                )
        failure = "" if self.anywhere else _otherwise(case, self.law)
        return Trial(nontrivial=apart > 0, failure=failure)


def _otherwise(case: Draws, law: ReturnedBy) -> str:
    """Return how the law for the most candidates differs from the library's, or nothing."""
    last = tuple(law(case, MOST))
    if last == running_law(case, MOST):
        return ""
    return f"with M = {MOST} the library says otherwise than {show_all(last)}."


def _compute_bound(case: Draws, m: int) -> Fraction:
    pairs = zip(case.optimum, case.relative, strict=True)
    return sum((p * (w - 1) / (m - 1 + w) for p, w in pairs if w > 1), Fraction(0))


@dataclass(frozen=True)
class FirstOrder:
    """M (π_M/π* - 1)(y) is within (B² + 4B³ + 13B⁴/(4m))/M of E_π*[W] - W(y).

    B is the largest |W - 1| and m the least W. For small M the auction is run on every draw; for
    large M the deviation is enclosed by moments, exactly, and the bound must hold of both ends.
    ``slope`` is what M (π_M/π* - 1) is to tend to. ``anywhere`` drops that the supports are equal.
    """

    anywhere: bool = False
    slope: Callable[[Draws], Sequence[Fraction]] | None = None
    law: ReturnedBy = Draws.returned

    def __call__(self, case: Draws) -> Trial:
        """Compare at small M and at large M; non-trivial where the slope is not 0."""
        if not (case.usable and (self.anywhere or case.same_support)):
            return Trial.unmet()
        slopes = (self.slope or _slope)(case)
        width, least = case.spread
        constant = width**2 + 4 * width**3 + Fraction(13, 4) * width**4 / least
        for m in (*_candidates(), *FAR):
            for y, (low, high) in enumerate(self._deviations(case, m)):
                beyond = max(m * high - slopes[y], slopes[y] - m * low)
                if case.optimum[y] and beyond > constant / m:
                    return Trial(
                        failure=f"with M = {m}, M (π_M/π* - 1) is {float(m * high):.6g} for reply "
                        f"{y + 1}, {float(beyond):.3g} off {slopes[y]}, where {constant}/M is "
                        "allowed."
                    )
        return Trial(nontrivial=any(slopes))

    def _deviations(self, case: Draws, m: int) -> list[tuple[Fraction, Fraction]]:
        if m <= MOST:
            pairs = zip(self.law(case, m), case.optimum, strict=True)
            exact = [p / q - 1 if q else Fraction(-1) for p, q in pairs]
            return [(d, d) for d in exact]
        weights = [a * b for a, b in zip(case.ratios, case.odds, strict=True)]
        return list(deviation_enclosure(case.pi_gen, weights, m, terms=4))


def _slope(case: Draws) -> list[Fraction]:
    mean = sum((p * w for p, w in zip(case.optimum, case.relative, strict=True)), Fraction(0))
    return [mean - w for w in case.relative]


@dataclass(frozen=True)
class NearlyOptimal:
    """0 <= J(π*) - J(π_M) = τ KL(π_M||π*) <= τ (B + B²/m)²/M², with B and m as above.

    J(π) = E_π[r] - τ KL(π||π_ref), computed by its definition, with τ = 1. The law of the auction,
    run on every draw, is compared with that of the library, too.
    """

    anywhere: bool = False
    law: ReturnedBy = Draws.returned

    def __call__(self, case: Draws) -> Trial:
        """Compare exactly; non-trivial where π_M is not optimal."""
        if not (case.usable and (self.anywhere or case.same_support)):
            return Trial.unmet()
        width, least = case.spread
        lost, best = False, _objective(case, case.optimum)
        for m in _candidates():
            law = self.law(case, m)
            gap = best - _objective(case, law)
            divergence = kl_divergence(law, case.optimum)
            lost = lost or gap != 0
            bound = (width + width**2 / least) ** 2 / m**2
            if gap != divergence or not 0 <= gap <= bound:
                return Trial(
                    failure=f"with M = {m} candidates J(π*) - J(π_M) is {approximately(gap)}, "
                    f"KL(π_M||π*) is {approximately(divergence)}, and the bound is {bound}."
                )
        failure = "" if self.anywhere else _otherwise(case, self.law)
        return Trial(nontrivial=lost, failure=failure)


def _objective(case: Draws, law: Sequence[Fraction]) -> Any:
    rewards = sum(
        (p * log(o) for p, o in zip(law, case.odds, strict=True) if p), ClosedForm(Fraction(0))
    )
    return rewards - kl_divergence(law, case.pi_ref)


def show_draws(case: Draws) -> Exhibit:
    """Work an instance out: the laws, the weights, and the reply's law for small M."""
    laws = {m: case.returned(m) for m in _candidates()}
    rows = tuple(
        (
            str(y + 1),
            *(str(row[y]) for row in (case.pi_ref, case.odds, case.optimum, case.pi_gen)),
            str(case.relative[y]) if case.pi_gen[y] else "∞" if case.optimum[y] else "-",
            *(str(law[y]) for law in laws.values()),
        )
        for y in range(len(case.odds))
    )
    distances = tuple(str(total_variation(law, case.optimum)) for law in laws.values())
    rows += (("TV to π*", "", "", "", "", "", *distances),)
    table = Table(
        caption="Replies, their laws, W = π*/π_gen, and the law of the reply for M candidates",
        columns=("reply", "π_ref", "exp(r/τ)", "π*", "π_gen", "W", *(f"M = {m}" for m in laws)),
        rows=rows,
    )
    return Exhibit(summary=str(case), tables=(table,))


def _build_first(draw: Draw, replies: int) -> Draws:
    few = replies < 3
    reference = tuple(1 + draw.index(3 if few else 2) for _ in range(replies))
    odds = (Fraction(1), Fraction(2), *([Fraction(1, 3)] if few else []))
    return Draws(reference, reference, tuple(draw.choice(odds) for _ in range(replies)))


def _build(draw: Draw, replies: int) -> Draws:
    few = replies < 3
    reference = tuple((1, 2, 0)[draw.index(3 if few else 1 + min(k, 1))] for k in range(replies))
    generator = tuple((1, 2, 0)[draw.index(3)] for _ in range(replies))
    options = (Fraction(1), Fraction(2))
    odds = tuple(draw.choice(options if few or k > 1 else options[:1]) for k in range(replies))
    if not any(reference) or not any(generator):
        draw.reject()
    return Draws(reference, generator, odds)


def _size(case: Draws) -> tuple[Any, ...]:
    told = sum(o != 1 for o in case.odds)
    return (told, sum(case.reference) + sum(case.generator), sum(map(abs, case.odds)))


ALGORITHM_1: Family[Draws] = Family(
    description=(
        "replies drawn from π_ref itself, in proportion to 1, 2, 3, with exp(r/τ) in {1, 2, 1/3} "
        "(both in {1, 2} for three replies); every draw of M <= 3 candidates"
    ),
    level_name="replies",
    levels=(1, 2, 3),
    build=_build_first,
    size=_size,
)

ALGORITHM_2: Family[Draws] = Family(
    description=(
        "replies with π_ref and π_gen in proportion to 0, 1, 2, and exp(r/τ) in {1, 2} (with three "
        "replies 2 for the last alone, and π_ref in proportion to 1, 1 or 2, 1 or 2); every draw "
        "of M <= 3 candidates"
    ),
    level_name="replies",
    levels=(1, 2, 3),
    build=_build,
    size=_size,
)

UP_TO_TWO: Family[Draws] = replace(ALGORITHM_2, levels=(1, 2))
