"""bazaar, Table 1: the rows of changes in demand should sum to zero."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from theory.claims import CheckContext
from theory.verdicts import (
    Bars,
    Counterexample,
    Exhibit,
    Finding,
    Scope,
    Status,
    Strength,
    Table,
)

__all__ = ["TABLE_1", "RowsSumToZero"]

OUTCOMES = ("only gold", "gold and more", "only alternative", "no purchase")
TABLE_1: dict[str, tuple[str, ...]] = {
    "Llama 2 (70B)": ("+18.34", "-13.06", "-6.65", "+3.63"),
    "GPT-4": ("+17.24", "+1.38", "-14.75", "-6.90"),
    "GPT-3.5": ("+4.79", "+3.83", "-3.45", "-6.71"),
}
"""Changes in the share of each outcome, in percentage points, as printed."""

HALF_A_DIGIT = Fraction(1, 200)
"""What rounding to two decimals can move an entry by."""


@dataclass(frozen=True)
class RowsSumToZero:
    """Differences of shares of exclusive, exhaustive outcomes sum to zero, up to rounding."""

    rows: tuple[tuple[str, tuple[str, ...]], ...] = tuple(TABLE_1.items())

    def __call__(self, context: CheckContext) -> Finding:
        """Sum the rows."""
        sums = {name: sum(map(Fraction, row), Fraction(0)) for name, row in self.rows}
        allowed = len(OUTCOMES) * HALF_A_DIGIT
        wrong = {name: total for name, total in sums.items() if abs(total) > allowed}
        context.progress(1, 1)
        table = Table(
            caption=f"Each row should sum to 0; rounding explains at most {float(allowed)}",
            columns=("model", *OUTCOMES, "sum", "one entry is off by at least"),
            rows=tuple(
                (
                    name,
                    *row,
                    f"{float(sums[name]):+.2f}",
                    f"{float(abs(sums[name]) / len(OUTCOMES)):.3f}",
                )
                for name, row in self.rows
            ),
        )
        bars = Bars(
            caption="Sum of the four changes in each row; 0 if the outcomes are exclusive",
            unit="percentage points",
            labels=tuple(sums),
            values=tuple(float(total) for total in sums.values()),
        )
        named = ", ".join(f"{name} {float(total):+.2f}" for name, total in wrong.items())
        worst = min(wrong, key=lambda name: abs(wrong[name]), default="")
        counterexample = Counterexample(
            exhibit=Exhibit(summary=f"Rows that do not sum to 0: {named}", tables=(table,)),
            minimality=f"the smallest deviation is that of {worst}; all rows were summed",
        )
        return Finding(
            status=Status.REFUTED if wrong else Status.HOLDS,
            strength=Strength.EXACT,
            scope=Scope(
                family="the rows of the printed table",
                instances=len(sums),
                met_hypotheses=len(sums),
                nontrivial=len(sums),
                sizes=f"{len(OUTCOMES)} outcomes a row",
                exhausted=True,
            ),
            reason=f"{len(wrong)} of {len(sums)} rows miss 0 by more than rounding explains."
            if wrong
            else "Every row sums to 0 up to rounding.",
            evidence=(bars,) if wrong else (table, bars),
            counterexample=counterexample if wrong else None,
            tolerances={"rounding of four printed entries": str(allowed)},
        )
