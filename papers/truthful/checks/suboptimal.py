"""truthful, section 3.1.1: VCG payments where the outcome is not the best one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from papers.truthful.checks.cases import approximately, show_all
from papers.truthful.checks.externalities import welfare
from papers.truthful.checks.lies import Lying
from theory.claims import CheckContext
from theory.proofs import Proof, Tracer
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = [
    "CHOICES",
    "RANGES",
    "Choice",
    "LawCanBeManipulated",
    "NoLiePays",
    "RangeProof",
    "Rewards",
    "best_of",
    "climb",
    "greedy",
    "sharper",
    "show_choice",
    "show_sharper",
]

Rewards = Sequence[Sequence[Any]]
Rule = Callable[[Rewards, Sequence[int]], int]
"""From the reports, and the candidates that it may choose from, to one of these."""


def climb(rewards: Rewards, candidates: Sequence[int]) -> int:
    """Return where local search ends that goes on to the next candidate while the total rises."""
    here = candidates[0]
    for following in candidates[1:]:
        if not _total(rewards, following) > _total(rewards, here):
            break
        here = following
    return here


def greedy(rewards: Rewards, candidates: Sequence[int]) -> int:
    """Return the first candidate for which some agent has the largest reward of all."""
    return max(candidates, key=lambda j: max((row[j] for row in rewards), default=0))


def best_of(rewards: Rewards, candidates: Sequence[int]) -> int:
    """Return the first candidate with the largest total."""
    best = candidates[0]
    for j in candidates[1:]:
        if _total(rewards, j) > _total(rewards, best):
            best = j
    return best


def _total(rewards: Rewards, candidate: int) -> Any:
    return sum(row[candidate] for row in rewards)


NAMES: Final[tuple[str, ...]] = ("local search", "greedy", "best")
RULES: Final[dict[str, Rule]] = dict(zip(NAMES, (climb, greedy, best_of), strict=True))


@dataclass(frozen=True)
class Choice:
    """Rewards, what agent 1 reports instead, and the candidates that may be chosen at all."""

    rewards: tuple[tuple[int, ...], ...]
    lie: tuple[int, ...]
    range: tuple[int, ...]
    rule: str = "best"

    def __str__(self) -> str:
        rows = ", ".join(f"r_{i} = {show_all(row)}" for i, row in enumerate(self.rewards, 1))
        among = [j + 1 for j in self.range]
        return f"{rows}; agent 1 reports {show_all(self.lie)}; {self.rule} among {show_all(among)}"


@dataclass(frozen=True)
class NoLiePays:
    """With the payments of VCG agent 1 gains nothing by the lie, whatever the rule chooses.

    Agent 1 pays what the others would have had at what the rule chooses without it, less what they
    have. It is listed at each place in turn. Non-trivial where the lie changes what is chosen.
    """

    searching: Rule = climb
    grabbing: Rule = greedy
    best: Rule = best_of

    def __call__(self, choice: Choice) -> Trial:
        """Compare utilities."""
        rules = (self.searching, self.grabbing, self.best)
        rule = rules[NAMES.index(choice.rule)]
        changed, failure = False, ""
        for place in range(len(choice.rewards)):
            truth, lie = (
                _utility(choice, rule, own, place) for own in (choice.rewards[0], choice.lie)
            )
            changed = changed or truth[0] != lie[0]
            if lie[1] > truth[1]:
                where = f", listed as agent {place + 1}," if place else ""
                failure = failure or (
                    f"agent 1{where} has {truth[1]} from the truth, by which candidate "
                    f"{truth[0] + 1} is chosen, and {lie[1]} from the lie, by which it is "
                    f"candidate {lie[0] + 1}."
                )
        return Trial(nontrivial=changed, failure=failure)


def _utility(choice: Choice, rule: Rule, report: Sequence[Any], place: int = 0) -> tuple[int, Any]:
    others = choice.rewards[1:]
    chosen = rule([*others[:place], report, *others[place:]], choice.range)
    alone = rule(others, choice.range)
    payment = _total(others, alone) - _total(others, chosen)
    return chosen, choice.rewards[0][chosen] - payment


def show_choice(choice: Choice) -> Exhibit:
    """Work an instance out: rewards, totals, and what agent 1 has of either report."""
    rule = RULES[choice.rule]
    truth, lie = (_utility(choice, rule, own) for own in (choice.rewards[0], choice.lie))
    slots = range(len(choice.lie))
    table = Table(
        caption=f"Truthful, candidate {truth[0] + 1} is chosen and agent 1 has {truth[1]}; with "
        f"the lie, candidate {lie[0] + 1} is chosen and it has {lie[1]}",
        columns=(
            "candidate",
            *(f"agent {i + 1}" for i in range(len(choice.rewards))),
            "total",
            "lie",
        ),
        rows=tuple(
            (
                str(j + 1),
                *(str(row[j]) for row in choice.rewards),
                str(_total(choice.rewards, j)),
                str(choice.lie[j]),
            )
            for j in slots
        ),
    )
    return Exhibit(summary=str(choice), tables=(table,))


def _rows(draw: Draw, candidates: int) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    agents, most = (1 + draw.index(2), 1) if candidates < 3 else (1, 2)
    rows = [tuple(draw.index(most + 1) for _ in range(candidates)) for _ in range(agents)]
    return tuple(rows), tuple(draw.index(most + 1) for _ in range(candidates))


def _build(draw: Draw, candidates: int) -> Choice:
    rule = draw.choice(NAMES[:2])
    rows, lie = _rows(draw, candidates)
    return Choice(rows, lie, tuple(range(candidates)), rule)


def _build_range(draw: Draw, candidates: int) -> Choice:
    rows, lie = _rows(draw, candidates)
    chosen = tuple(j for j in range(candidates) if draw.index(2) == 0)
    if not chosen:
        draw.reject()
    return Choice(rows, lie, chosen)


def _size(choice: Choice) -> tuple[int, ...]:
    numbers = sum(map(sum, choice.rewards)) + sum(choice.lie)
    return (len(choice.rewards), numbers, -len(choice.range))


CHOICES: Family[Choice] = Family(
    description="one or two agents with rewards 0 and 1, or one with 0, 1 and 2 for three "
    "candidates; lies of agent 1; and one of two rules that need not find the best candidate: "
    "local search along the candidates, and the largest reward",
    level_name="candidates",
    levels=(1, 2, 3),
    build=_build,
    size=_size,
)

RANGES: Family[Choice] = Family(
    description="one or two agents with rewards 0 and 1, or one with 0, 1 and 2 for three "
    "candidates; lies of agent 1; and the best candidate of some that are fixed in advance",
    level_name="candidates",
    levels=(1, 2, 3),
    build=_build_range,
    size=_size,
)


@dataclass(frozen=True)
class RangeProof:
    """Truth less lie is a difference of totals that the traced rule itself has compared."""

    rule: Rule = best_of

    def __call__(self, context: CheckContext) -> Proof:
        """Trace the rule on one agent, listed first or last, and the sum of the others."""
        largest = context.budget.size
        proofs = [self._of(n) for n in range(1, largest + 1)]
        parameters = (
            "all real rewards, lies and reports of others, any range, of up to "
            f"{largest} candidates in it"
        )
        return Proof.of_all(parameters, proofs)

    def _of(self, candidates: int) -> Proof:
        names = [[f"{letter}{j}" for j in range(candidates)] for letter in "rlo"]
        trace = Tracer(real=[name for row in names for name in row])
        own, lie, others = ([trace[name] for name in row] for row in names)
        slots = range(candidates)

        def run() -> list[Any]:
            slacks = []
            for turn in (1, -1):
                honest, dishonest = (
                    self.rule([report, others][::turn], slots) for report in (own, lie)
                )
                kept = own[honest] + others[honest]
                slacks.append(kept - (own[dishonest] + others[dishonest]))
            return slacks

        return trace.prove(run)


# --- laws in the place of single candidates

Sharpened = Callable[[Lying], tuple[list[Fraction], list[Fraction]]]


def sharper(lying: Lying) -> tuple[list[Fraction], list[Fraction]]:
    """Return the laws in proportion to the squares of the best law, for the truth and the lie."""
    laws = []
    for case in (lying.case, lying.told):
        law = case.run().allocation
        squares = [p * p for p in law]
        laws.append([x / sum(squares) for x in squares])
    return laws[0], laws[1]


@dataclass(frozen=True)
class LawCanBeManipulated:
    """With VCG payments no lie pays agent 1, put as a claim for the rule to refute.

    Agent 1 has W(λ) of the law λ that is chosen, W with its true rewards, less what does not
    depend on its report.
    """

    rule: Sharpened = sharper

    def __call__(self, lying: Lying) -> Trial:
        """Compare; non-trivial where the lie changes the law."""
        truth, lie = self.rule(lying)
        rewards = lying.case.run().rewards
        gained = welfare(lying.case, lie, rewards) - welfare(lying.case, truth, rewards)
        failure = ""
        if gained > 0:
            failure = (
                f"the lie turns the law {show_all(truth)} into {show_all(lie)}, and agent 1 gains "
                f"{approximately(gained)}."
            )
        return Trial(nontrivial=truth != lie, failure=failure)


def show_sharper(lying: Lying) -> Exhibit:
    """Work an instance out: the best law, and those that are chosen."""
    truth, lie = sharper(lying)
    outcome = lying.case.run()
    laws = (("best", outcome.allocation), ("chosen by the truth", truth), ("by the lie", lie))
    table = Table(
        caption="Welfare W(λ) = Σ_i λ . r_i - τ KL(λ||ρ) of the laws, with the true rewards",
        columns=("law", "probabilities", "W"),
        rows=tuple(
            (name, show_all(law), approximately(welfare(lying.case, law, outcome.rewards)))
            for name, law in laws
        ),
    )
    return Exhibit(summary=str(lying), tables=(table,))
