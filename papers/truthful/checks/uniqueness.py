"""truthful, section 5.3.1: whether the mechanism's is the only allocation rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import factorial, prod
from typing import Any

from papers.truthful.checks.cases import approximately, show_all
from theory.divergence import gibbs_law, total_variation
from theory.numbers.closed_form import log
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = [
    "RIVALS",
    "OnlyRule",
    "Rival",
    "RivalIsTruthful",
    "as_paper",
    "constant_law",
    "scaled_softmax",
    "show_rival",
]

LIES = (1, 2, 3)
"""Reports are r_j/τ = M log(n) for n among these; the first two for three candidates."""


@dataclass(frozen=True)
class Rival:
    """M candidates drawn from as many replies, with weights ρ_j exp(r_j/τ) = roots[j]^M.

    The first agent's rewards are r_j = τ M log(own[j]), and what the others report, with log ρ_j,
    is M log(others[j]). With τ = 1.
    """

    own: tuple[int, ...]
    others: tuple[int, ...]
    candidates: int

    @property
    def roots(self) -> tuple[int, ...]:
        """The M-th roots of the weights."""
        return tuple(a * b for a, b in zip(self.own, self.others, strict=True))

    def __str__(self) -> str:
        m = self.candidates
        return (
            f"M = {m} candidates, exp(r_1/τ) = {show_all([n**m for n in self.own])}, "
            f"exp(b_1) = {show_all([n**m for n in self.others])}"
        )


Rule = Callable[[Sequence[int], int], tuple[list[Fraction], Any]]
"""Takes the M-th roots of the weights of candidates and M; returns the law, and U up to τ."""


def scaled_softmax(roots: Sequence[int], m: int) -> tuple[list[Fraction], Any]:
    """Return softmax(k a) and U = logsumexp(k a)/k for k = 1 + 1/M and a = M log(roots)."""
    powers = [Fraction(n) ** (m + 1) for n in roots]
    law = list(gibbs_law(powers, [1] * len(powers)))
    return law, Fraction(m, m + 1) * log(sum(powers, Fraction(0)))


def as_paper(roots: Sequence[int], m: int) -> tuple[list[Fraction], Any]:
    """Return the mechanism's own law softmax(a), and U = logsumexp(a)."""
    powers = [Fraction(n) ** m for n in roots]
    return list(gibbs_law(powers, [1] * len(powers))), log(sum(powers, Fraction(0)))


def constant_law(roots: Sequence[int], m: int) -> tuple[list[Fraction], Any]:
    """Return equal probabilities and a U of which they are no gradient."""
    return [Fraction(1, len(roots))] * len(roots), scaled_softmax(roots, m)[1]


def _truthful(case: Rival, rule: Rule) -> str:
    """Return a lie that pays, in words, or nothing.

    Who reports r' where r is true has U(r') + p(r').(r - r'), as the payment is p(r').r' - U(r').
    """
    m = case.candidates
    _, honest = rule(case.roots, m)
    for lie in product(LIES if len(case.own) < 3 else LIES[:2], repeat=len(case.own)):
        law, told = rule([a * b for a, b in zip(lie, case.others, strict=True)], m)
        extra = sum(
            (p * m * log(Fraction(a, b)) for p, a, b in zip(law, case.own, lie, strict=True)),
            log(1),
        )
        if told + extra > honest:
            return f"reporting exp(r/τ) = {show_all([n**m for n in lie])} gains"
    return ""


def _measure(case: Rival, rule: Rule) -> Fraction:
    """Return the total variation of the reply's laws under the rule and under the mechanism.

    Candidates are drawn uniformly from all replies, and every draw is gone through.
    """
    replies, m = len(case.own), case.candidates
    found = [[Fraction(0)] * replies for _ in range(2)]
    for draw in combinations_with_replacement(range(replies), m):
        counts = [draw.count(k) for k in set(draw)]
        likely = Fraction(factorial(m) // prod(map(factorial, counts)), replies**m)
        for law, which in zip(found, (rule, as_paper), strict=True):
            chances, _ = which([case.roots[k] for k in draw], m)
            for k, chance in zip(draw, chances, strict=True):
                law[k] += likely * chance
    return Fraction(total_variation(*found))


@dataclass(frozen=True)
class OnlyRule:
    """What is truthful and converges to π* is the mechanism.

    A rule fails to be another one where some lie pays, where its law over the reply is more than
    1 - (w_min/w_max)^(1/M) <= log(w_max/w_min)/M from the mechanism's, or where all its
    probabilities are the mechanism's.
    """

    rule: Rule = scaled_softmax

    def __call__(self, case: Rival) -> Trial:
        """Judge the rule on one instance; non-trivial where it is truthful and near."""
        if _truthful(case, self.rule):
            return Trial(nontrivial=False)
        apart = _measure(case, self.rule)
        bound = 1 - Fraction(min(case.roots), max(case.roots))
        if apart > bound:
            return Trial(nontrivial=False)
        law, _ = self.rule(case.roots, case.candidates)
        paper, _ = as_paper(case.roots, case.candidates)
        if law == paper:
            return Trial()
        return Trial(
            failure=f"no lie pays, the law of the reply is {apart} from the mechanism's, at most "
            f"{bound}, and the candidates have the law {show_all(law)}, not {show_all(paper)}."
        )


@dataclass(frozen=True)
class RivalIsTruthful:
    """No lie pays under these rules, and |π' - π_M|_TV <= 1 - (w_min/w_max)^(1/M) for each."""

    rules: tuple[Rule, ...] = (scaled_softmax, as_paper)

    def __call__(self, case: Rival) -> Trial:
        """Look for lies that pay; non-trivial where the rules differ."""
        bound = 1 - Fraction(min(case.roots), max(case.roots))
        for rule in self.rules:
            lie = _truthful(case, rule)
            if lie:
                return Trial(failure=f"{lie}.")
            if _measure(case, rule) > bound:
                return Trial(failure=f"the reply's law is {_measure(case, rule)} from π_M.")
        laws = [rule(case.roots, case.candidates)[0] for rule in self.rules]
        return Trial(nontrivial=laws[0] != laws[-1])


def show_rival(case: Rival) -> Exhibit:
    """Work an instance out: both laws, and what the first agent pays and has."""
    m = case.candidates
    rows = []
    for name, rule in (("mechanism", as_paper), ("another", scaled_softmax)):
        law, honest = rule(case.roots, m)
        rewards = sum(
            (p * m * log(Fraction(n)) for p, n in zip(law, case.own, strict=True)), log(1)
        )
        rows.append((name, show_all(law), approximately(honest), approximately(rewards - honest)))
    table = Table(
        caption="The candidates' law p, and U and the payment p.r - U of agent 1, with C = 0",
        columns=("rule", "p", "U/τ", "payment/τ"),
        rows=tuple(rows),
    )
    return Exhibit(summary=str(case), tables=(table,))


def _build(draw: Draw, candidates: int) -> Rival:
    few = candidates < 3
    own = tuple(1 + draw.index(3 if few else 2) for _ in range(candidates))
    others = tuple(1 + draw.index(2) for _ in range(candidates))
    return Rival(own, others, candidates)


def _size(case: Rival) -> tuple[Any, ...]:
    return (sum(n != 1 for n in (*case.own, *case.others)), sum(case.roots))


RIVALS: Family[Rival] = Family(
    description=(
        "M candidates drawn uniformly from M replies, exp(r_1/τ) and lies among the M-th powers of "
        "1, 2 (and 3 for M <= 2), and what the others report among those of 1, 2"
    ),
    level_name="M",
    levels=(1, 2, 3),
    build=_build,
    size=_size,
)
