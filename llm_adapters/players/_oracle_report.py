"""How good the answers of a best-response oracle were."""

from __future__ import annotations

from dataclasses import dataclass, replace

from theory.verdicts import Table

__all__ = ["OracleReport"]


@dataclass(frozen=True)
class OracleReport:
    """What a model's answers come to beside exact best responses to the same totals.

    The totals are those that it was asked about: with noise where noise was asked for.

    Attributes
    ----------
    asked : int
        How many best responses it was asked for.
    failures : int
        How many got no answer that could be read; then an action was drawn.
    missed : int
        How many answers, drawn ones among them, were no best response.
    gap : float
        The most by which one of them was worse than the best response, in rewards.
    total_gap : float
        The sum of all these differences.

    Examples
    --------
    >>> print(OracleReport().with_answer(0.0).with_answer(0.5).with_answer(0.25, failed=True))
    3 best responses asked for
    answers               number  mean gap  largest gap
    ────────────────────  ──────  ────────  ───────────
    all                   3       0.25      0.5
    not a best response   2
    drawn, for no answer  1
    """

    asked: int = 0
    failures: int = 0
    missed: int = 0
    gap: float = 0.0
    total_gap: float = 0.0

    @property
    def mean_gap(self) -> float:
        """The mean difference to the best response; 0 where nothing was asked."""
        return self.total_gap / self.asked if self.asked else 0.0

    def with_answer(self, gap: float, *, failed: bool = False) -> OracleReport:
        """Return what it comes to with one more answer."""
        return replace(
            self,
            asked=self.asked + 1,
            failures=self.failures + failed,
            missed=self.missed + (gap > 0),
            gap=max(self.gap, gap),
            total_gap=self.total_gap + gap,
        )

    def _table(self) -> Table:
        rows = (
            ("all", str(self.asked), f"{self.mean_gap:.6g}", f"{self.gap:.6g}"),
            ("not a best response", str(self.missed), "", ""),
            ("drawn, for no answer", str(self.failures), "", ""),
        )
        columns = ("answers", "number", "mean gap", "largest gap")
        return Table(caption=f"{self.asked} best responses asked for", columns=columns, rows=rows)

    def __str__(self) -> str:
        return str(self._table())

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()
