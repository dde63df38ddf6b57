"""truthful, section 6.1: weights must use the law that candidates are really drawn from.

A model writes a reply token by token. Where its tokens have probabilities in proportion to fourth
powers, they are in proportion to fifth powers at temperature 4/5, the 0.8 of the paper, and
everything is rational. At temperature 1/2 probabilities are squared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from papers.truthful.checks.cases import show_all
from theory.claims import CheckContext
from theory.divergence import gibbs_law, kl_divergence, total_variation
from theory.resampling import resampling_law
from theory.search import Draw, Family, Trial
from theory.verdicts import Counterexample, Exhibit, Finding, Scope, Status, Strength, Table

__all__ = [
    "AT_HALF",
    "CUT",
    "CUT_UP_TO_TWO",
    "EXAMPLE",
    "HOT",
    "Distances",
    "Sampled",
    "TendsTo",
    "all_at_once",
    "condition_optimum",
    "draw_from_mixture",
    "mixed_as_if_pure",
    "optimum",
    "right_weights",
    "show_sampled",
    "their_own",
]

PAPER, HALF = (4, 5), (1, 2)
CANDIDATES = 2

Law = tuple[Fraction, ...]


@dataclass(frozen=True)
class Sampled:
    """A model of replies of one or two tokens, how it is sampled, and exp(r/τ) of each reply.

    With ``powers`` (a, b), token k of the first place has probability in proportion to roots[k]^a;
    where after[k] holds roots of its own a second token follows. Sampling is at temperature a/b,
    and then from the smallest set of likeliest tokens with probability ``top_p`` or more in all.
    """

    roots: tuple[int, ...]
    after: tuple[tuple[int, ...], ...]
    odds: tuple[Fraction, ...]
    top_p: Fraction = Fraction(1)
    powers: tuple[int, int] = PAPER

    def _law(self, power: int, top_p: Fraction) -> Law:
        found: list[Fraction] = []
        for p, roots in zip(_tokens(self.roots, power, top_p), self.after, strict=True):
            found += [p * q for q in _tokens(roots, power, top_p)] if roots else [p]
        return tuple(found)

    @cached_property
    def model(self) -> Law:
        """The model's own law, which is π_ref too."""
        return self._law(self.powers[0], Fraction(1))

    @cached_property
    def sampled(self) -> Law:
        """The law of a sampled reply, normalised token by token."""
        return self._law(self.powers[1], self.top_p)

    @cached_property
    def at_once(self) -> Law:
        """What the law would be if the temperature acted on whole replies; at temperature 1/b."""
        return tuple(gibbs_law(self.model, [p ** (self.powers[1] - 1) for p in self.model]))

    @property
    def covered(self) -> bool:
        """Whether sampling can lead to every reply."""
        return all(self.sampled)

    def __str__(self) -> str:
        low, high = self.powers
        second = "".join(
            f"; after token {k} in proportion to {_list_law(roots, low)}"
            for k, roots in enumerate(self.after, 1)
            if roots
        )
        cut = "" if self.top_p == 1 else f", top-p {self.top_p}"
        return (
            f"tokens in proportion to {_list_law(self.roots, low)}{second}; "
            f"exp(r/τ) = {show_all(self.odds)}; temperature {Fraction(low, high)}{cut}"
        )


def _list_law(roots: Sequence[int], power: int) -> str:
    return show_all([r**power for r in roots])


def _tokens(roots: Sequence[int], power: int, top_p: Fraction) -> list[Fraction]:
    """Return the law of a token: powers of the roots, cut to the nucleus and normalised."""
    total = sum(r**power for r in roots)
    law = [Fraction(r**power, total) for r in roots]
    kept, mass = set[int](), Fraction(0)
    for k in sorted(range(len(law)), key=lambda k: (-law[k], k)):
        if mass >= top_p:
            break
        kept.add(k)
        mass += law[k]
    return [p / mass if k in kept else Fraction(0) for k, p in enumerate(law)]


Reading = Callable[[Sampled], tuple[Law, Law]]
"""Returns the law of a candidate and the weights π_ref/π_gen exp(r/τ) that are used."""

Target = Callable[[Sampled], Law]


def _weights(case: Sampled, generator: Law) -> Law:
    parts = zip(case.model, generator, case.odds, strict=True)
    return tuple(p / g * o if g else Fraction(0) for p, g, o in parts)


def their_own(case: Sampled) -> tuple[Law, Law]:
    """Weigh by what the model says of a reply, not what it was sampled from."""
    return case.sampled, _weights(case, case.model)


def right_weights(case: Sampled) -> tuple[Law, Law]:
    """Weigh by the law sampled from, normalised token by token."""
    return case.sampled, _weights(case, case.sampled)


def all_at_once(case: Sampled) -> tuple[Law, Law]:
    """Weigh by the model's probability of the whole reply, raised to a power and normalised."""
    return case.sampled, _weights(case, case.at_once)


def draw_from_mixture(case: Sampled) -> tuple[Law, Law]:
    """Draw one candidate in four from the model itself, and weigh by this mixture."""
    law = tuple((3 * s + p) / 4 for s, p in zip(case.sampled, case.model, strict=True))
    return law, _weights(case, law)


def mixed_as_if_pure(case: Sampled) -> tuple[Law, Law]:
    """Weigh the same candidates by the part that is more likely to draw them."""
    law, _ = draw_from_mixture(case)
    likelier = tuple(max(s, p) for s, p in zip(case.sampled, case.model, strict=True))
    return law, _weights(case, likelier)


def optimum(case: Sampled) -> Law:
    """π*."""
    return tuple(gibbs_law(case.model, case.odds))


def condition_optimum(case: Sampled) -> Law:
    """π* conditioned on the replies that sampling can lead to."""
    kept = [o if s else Fraction(0) for o, s in zip(case.odds, case.sampled, strict=True)]
    return tuple(gibbs_law(case.model, kept))


@dataclass(frozen=True)
class TendsTo:
    """The reply's law tends to the target; the exact law for M = 2 is as near as it must be.

    ``cut`` asks for it where top-p takes replies away, too.
    """

    reading: Reading
    target: Target = optimum
    cut: bool = True

    def __call__(self, case: Sampled) -> Trial:
        """Compare limits, and |π_M - limit| with its bound; non-trivial where sampling matters."""
        if not (self.cut or case.covered):
            return Trial.unmet()
        generator, weights = self.reading(case)
        target = self.target(case)
        law = resampling_law(generator, weights, CANDIDATES)
        if law.limit != target:
            return Trial(
                failure=f"the law tends to {show_all(law.limit)}, not to {show_all(target)}: "
                f"{law_distance(law.limit, target)} apart."
            )
        if law.total_variation > law.bound:
            return Trial(failure=f"for M = 2 the law is {law.total_variation} off.")
        return Trial(nontrivial=case.sampled != case.model)


def law_distance(p: Sequence[Fraction], q: Sequence[Fraction]) -> Fraction:
    """Return the total variation of two exact laws."""
    return Fraction(total_variation(p, q))


def show_sampled(case: Sampled) -> Exhibit:
    """Work an instance out: laws, and limits with either kind of weights."""
    rows = {
        "model, π_ref": case.model,
        "sampled": case.sampled,
        "exp(r/τ)": case.odds,
        "π*": optimum(case),
        "limit, model's own weights": tuple(gibbs_law(*their_own(case))),
        "limit, right weights": tuple(gibbs_law(*right_weights(case))),
    }
    table = Table(
        caption="Replies",
        columns=("reply", *rows),
        rows=tuple(
            (str(y + 1), *(str(row[y]) for row in rows.values())) for y in range(len(case.odds))
        ),
    )
    return Exhibit(summary=str(case), tables=(table,))


EXAMPLE = Sampled(
    roots=(4, 3, 2, 1),
    after=((3, 2, 1), (2, 1), (), (2, 2)),
    odds=(*[Fraction(1)] * 3, Fraction(1), Fraction(20), Fraction(1), Fraction(400), Fraction(20)),
    top_p=Fraction(19, 20),
)
"""Four first tokens; advertisers like most the replies that the model is not likely to give."""


@dataclass(frozen=True)
class Distances:
    """How far the limit of section 6.1's sampling is from π*, on one explicit model.

    It is checked on the way that the right weights undo the temperature, and that under top-p they
    miss exactly the probability that π* gives to what is cut.
    """

    example: Sampled = EXAMPLE
    right: Reading = right_weights

    def __call__(self, context: CheckContext) -> Finding:
        """Compute each limit and its distances exactly."""
        del context
        case, target = self.example, optimum(self.example)
        hot = replace(case, top_p=Fraction(1))
        ways: list[tuple[str, tuple[Law, Law]]] = [
            ("temperature 0.8 and top-p 0.95, the model's own weights", their_own(case)),
            ("temperature 0.8 and top-p 0.95, right weights", self.right(case)),
            ("temperature 0.8, the model's own weights", their_own(hot)),
            ("temperature 0.8, right weights", self.right(hot)),
            (
                "three in four at 0.8 and 0.95, one from the model, right weights",
                draw_from_mixture(case),
            ),
        ]
        rows, apart = [], []
        for name, (generator, weights) in ways:
            limit = resampling_law(generator, weights, CANDIDATES).limit
            apart.append(law_distance(limit, target))
            rows.append((name, _number(apart[-1]), _number(kl_divergence(limit, target))))
        lost = sum((p for p, s in zip(target, case.sampled, strict=True) if not s), Fraction(0))
        broken = apart[1] != lost or bool(apart[3]) or bool(apart[4])
        table = Table(
            caption=f"Where the reply's law tends to, and how far that is from π*: {case}",
            columns=("candidates and weights", "total variation", "KL(limit||π*)"),
            rows=tuple(rows),
        )
        reason = (
            f"As sampled in section 6.1 the law tends to one that is {float(apart[0]):.4f} off π* "
            f"in total variation. With the right weights {float(apart[1]):.4f} remain, which is "
            f"what π* gives to replies that top-p cuts. The temperature alone costs "
            f"{float(apart[2]):.4f}, and nothing with the right weights."
        )
        return Finding(
            status=Status.REFUTED if broken else Status.MEASURED,
            strength=Strength.EXACT,
            scope=Scope(
                family="one explicit model of replies of one or two tokens",
                instances=len(ways),
                met_hypotheses=len(ways),
                nontrivial=sum(distance > 0 for distance in apart),
                sizes=f"{len(case.odds)} replies",
                exhausted=True,
            ),
            reason="The right weights do not do what they must." if broken else reason,
            evidence=(table,),
            counterexample=Counterexample(exhibit=show_sampled(case), minimality="one example")
            if broken
            else None,
        )


def _number(value: Any) -> str:
    return f"{float(value):.6f}" if value else "0"


def _build(
    draw: Draw, replies: int, powers: Sequence[tuple[int, int]], cuts: Sequence[Fraction]
) -> Sampled:
    """Draw a first token, after which two may follow if it is the first of them."""
    split = replies > 2 and draw.index(2) == 1
    firsts = replies - 1 if split else replies
    roots = tuple(1 + draw.index(2) for _ in range(firsts))
    second = tuple(1 + draw.index(2) for _ in range(2)) if split else ()
    after = (second, *[()] * (firsts - 1))
    options = (Fraction(1), Fraction(2))
    told = 1 if replies > 2 else replies
    odds = (*(draw.choice(options) for _ in range(told)), *[Fraction(1)] * (replies - told))
    return Sampled(roots, after, odds, draw.choice(cuts), draw.choice(powers))


def _build_half(draw: Draw, replies: int) -> Sampled:
    return _build(draw, replies, [HALF], [Fraction(1)])


def _build_any(draw: Draw, replies: int) -> Sampled:
    return _build(draw, replies, [PAPER, HALF], [Fraction(1)])


def _build_paper(draw: Draw, replies: int) -> Sampled:
    return _build(draw, replies, [PAPER], [Fraction(1), Fraction(19, 20), Fraction(3, 4)])


def _size(case: Sampled) -> tuple[Any, ...]:
    told = sum(o != 1 for o in case.odds) + sum(r != 1 for r in case.roots)
    return (any(case.after), case.top_p != 1, told, sum(map(sum, case.after)))


def _family(description: str, build: Callable[[Draw, int], Sampled]) -> Family[Sampled]:
    return Family(
        description=f"models of replies of one token, or of two after the first, {description}; "
        "exp(r/τ) in {1, 2}, of three replies for the first alone",
        level_name="replies",
        levels=(1, 2, 3),
        build=build,
        size=_size,
    )


AT_HALF: Family[Sampled] = _family(
    "in proportion to 1 and 2, sampled at temperature 1/2", _build_half
)

HOT: Family[Sampled] = _family(
    "in proportion to 1 and 16 sampled at temperature 4/5, or to 1 and 2 at 1/2", _build_any
)

CUT: Family[Sampled] = _family(
    "in proportion to 1 and 16, sampled at temperature 4/5 and top-p 1, 19/20 or 3/4",
    _build_paper,
)

CUT_UP_TO_TWO: Family[Sampled] = replace(CUT, levels=(1, 2))
