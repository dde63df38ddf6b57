"""bazaar, Figure 3 and appendix C: counts of verdicts beside those of a fair coin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import Final

from theory.claims import CheckContext
from theory.verdicts import Counterexample, Exhibit, Finding, Scope, Status, Strength, Table

__all__ = [
    "BUDGETS",
    "LEVEL",
    "MODELS",
    "POSITIONS",
    "CoinsAreFair",
    "Count",
    "PlacesAreAlike",
    "fair_tail",
    "spread_tail",
]

LEVEL: Final = Fraction(1, 20)
"""What happens by chance with at most this probability counts as no chance."""


@dataclass(frozen=True)
class Count:
    """How many of some verdicts went one way."""

    what: str
    won: int
    verdicts: int


BUDGETS: Final = (Count("$100 over $25, keyword buyer", 6, 9),)
"""The verdicts behind "67% of all questions", as the authors' notebook keeps them."""

MODELS: Final = (
    Count("Llama 2 over keyword buyer, as printed (95% of 20 questions)", 19, 20),
    Count("Llama 2 over keyword buyer, as the notebook counts at $25", 15, 20),
)

POSITIONS: Final = {"GPT-3.5": (3, 7, 8)}
"""Of 18 trials, how often the passage at each place was accepted: 17, 39 and 44%."""


def fair_tail(won: int, verdicts: int) -> Fraction:
    """Return the probability that a fair coin falls one way at least so often.

    Examples
    --------
    >>> fair_tail(6, 9)
    Fraction(65, 256)
    """
    return Fraction(sum(comb(verdicts, k) for k in range(won, verdicts + 1)), 2**verdicts)


@dataclass(frozen=True)
class CoinsAreFair:
    """Whether all counts are such that a fair coin would seldom give them."""

    counts: tuple[Count, ...]
    tail: Callable[[int, int], Fraction] = fair_tail

    def __call__(self, context: CheckContext) -> Finding:
        """Work out the tails."""
        tails = {each: self.tail(each.won, each.verdicts) for each in self.counts}
        context.progress(1, 1)
        rows = tuple(
            (
                each.what,
                f"{each.won} of {each.verdicts}",
                f"{float(Fraction(each.won, each.verdicts)):.0%}",
                f"{float(tail):.3g}",
            )
            for each, tail in tails.items()
        )
        table = Table(
            caption="Verdicts, and how likely a fair coin gives at least as many",
            columns=("comparison", "won", "share", "probability"),
            rows=rows,
        )
        wrong = [each for each, tail in tails.items() if tail > LEVEL]
        told = "; ".join(
            f"{each.won} of {each.verdicts} ({each.what}) has probability {float(tails[each]):.3g}"
            for each in wrong or self.counts
        )
        return _finding(told, table, len(tails), bool(wrong), "the counts of verdicts on record")


# --- places


def spread_tail(accepted: Sequence[int], trials: int) -> Fraction:
    """Return the probability of what is no likelier than these counts, if places do not matter.

    As many acceptances as there were are dealt to all trials of all places, each deal as likely
    (the test of Fisher, Freeman and Halton).

    Examples
    --------
    >>> spread_tail((2, 0), 2)
    Fraction(1, 3)
    """

    def ways(counts: Sequence[int]) -> int:
        return prod(comb(trials, count) for count in counts)

    total, least = sum(accepted), ways(accepted)
    rows = product(range(min(trials, total) + 1), repeat=len(accepted))
    found = sum(ways(row) for row in rows if sum(row) == total and ways(row) <= least)
    return Fraction(found, comb(trials * len(accepted), total))


@dataclass(frozen=True)
class PlacesAreAlike:
    """Whether acceptances by place are such that chance would seldom give them."""

    positions: tuple[tuple[str, tuple[int, ...]], ...] = tuple(POSITIONS.items())
    trials: int = 18
    tail: Callable[[Sequence[int], int], Fraction] = spread_tail

    def __call__(self, context: CheckContext) -> Finding:
        """Work out the tails."""
        tails = {name: self.tail(counts, self.trials) for name, counts in self.positions}
        context.progress(1, 1)
        rows = tuple(
            (name, *(f"{count} of {self.trials}" for count in counts), f"{float(tails[name]):.3g}")
            for name, counts in self.positions
        )
        table = Table(
            caption="Acceptances by place, and how likely chance gives what is no likelier",
            columns=("model", "first", "second", "third", "probability"),
            rows=rows,
        )
        wrong = [name for name, tail in tails.items() if tail > LEVEL]
        told = "; ".join(
            f"what {name} did has probability {float(tails[name]):.3g}" for name in wrong or tails
        )
        return _finding(told, table, len(tails), bool(wrong), "acceptances by place on record")


def _finding(told: str, table: Table, count: int, wrong: bool, family: str) -> Finding:
    exhibit = Exhibit(summary=f"{told} where nothing but chance decides.", tables=(table,))
    return Finding(
        status=Status.REFUTED if wrong else Status.HOLDS,
        strength=Strength.EXACT,
        scope=Scope(
            family=family,
            instances=count,
            met_hypotheses=count,
            nontrivial=count,
            sizes="as recorded",
            exhausted=True,
        ),
        reason=f"By chance, {told}.",
        evidence=() if wrong else (table,),
        counterexample=Counterexample(exhibit=exhibit, minimality="all counts were looked at")
        if wrong
        else None,
        tolerances={"probability by chance": str(LEVEL)},
    )
