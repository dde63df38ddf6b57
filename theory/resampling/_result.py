"""The law of a reply, with its distance to the limit and what is known of both."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from theory.numbers import ClosedForm
from theory.shared.printable import escape
from theory.shared.rounding import WithGap
from theory.shared.text import number_text
from theory.verdicts import Table

__all__ = ["ResamplingLaw"]

_SHOWN: Final = 12


@dataclass(frozen=True, eq=False, kw_only=True)
class ResamplingLaw(WithGap):
    """What is returned when one of M candidates is drawn in proportion to its weight.

    Attributes
    ----------
    candidates : int
        M.
    law : tuple of Fraction, or float64 array
        P(y is returned, given that some candidate has a positive weight), one a reply.
    limit : tuple of Fraction, or float64 array
        What it tends to as M grows: the law in proportion to generator times weight.
    failure : Fraction or float
        The probability that every candidate has weight 0, so that nothing can be returned.
    total_variation : Fraction or float
        Between ``law`` and ``limit``.
    kl : ClosedForm or float
        KL(law || limit) in nats.
    bound : Fraction or float
        What :func:`total_variation_bound` says of ``total_variation``.
    method : str
        "exact" or "integral".
    relative_error : float
        A bound on the relative error of every probability in ``law``: the step and the ends of
        the integral rigorously, rounding to first order. 0 where exact. Probabilities below 1e-290
        are left out of it; they may underflow.
    distance_error : float
        The same for ``total_variation``, absolute.
    gap : Fraction or float
        The largest disagreement, relative in float64, with code that shares nothing with the
        solver.
    rechecked : str
        How.
    tolerance : float
        What rounding, and the coarser rule of the recheck, may amount to in ``gap``.
    stats : dict
        "sums" of weights or "nodes" of the integral.
    """

    candidates: int
    law: Any
    limit: Any
    failure: Fraction | float
    total_variation: Fraction | float
    kl: Any
    bound: Fraction | float
    method: str
    relative_error: float
    distance_error: float
    gap: Fraction | float
    rechecked: str
    tolerance: float
    stats: dict[str, int]

    @property
    def unconditional(self) -> Any:
        """P(y is returned), which sums to 1 less the probability of failure."""
        if isinstance(self.law, tuple):
            return tuple(p * (1 - self.failure) for p in self.law)
        return self.law * (1 - self.failure)

    def table(self) -> Table:
        """Return the law beside its limit, reply by reply."""
        rest = len(self.law) - _SHOWN
        rows = [
            (str(k), _text(self.law[k]), _text(self.limit[k]), _text(self.law[k] - self.limit[k]))
            for k in range(min(_SHOWN, len(self.law)))
        ]
        rows += [(f"{rest:,} more", "", "", "")] if rest > 0 else []
        return Table(
            caption=self._caption(),
            columns=("reply", "returned", "limit", "difference"),
            rows=tuple(rows),
        )

    def _caption(self) -> str:
        how = "exact" if self.method == "exact" else f"float64, within {self.relative_error:.1e}"
        many = "candidate" if self.candidates == 1 else "candidates"
        return (
            f"The reply drawn from {self.candidates:,} {many} ({how}): total variation "
            f"{_text(self.total_variation)} (at most {_text(self.bound)}) and KL "
            f"{_text(self.kl)} from the limit"
        )

    def _remarks(self) -> list[str]:
        found = []
        if self.failure:
            found.append(
                f"With probability {_text(self.failure)} every candidate has weight 0 and nothing "
                "is returned; the law is conditional on the contrary."
            )
        if self.doubt:
            found.append(self.doubt)
        return found

    def __repr__(self) -> str:
        return (
            f"ResamplingLaw({len(self.law)} replies, {self.candidates:,} candidates, total "
            f"variation {float(self.total_variation):.6g}, {self.method})"
        )

    def __str__(self) -> str:
        return "\n\n".join([str(self.table()), *self._remarks()])

    def _repr_html_(self) -> str:
        remarks = "".join(f"<p>{escape(text)}</p>" for text in self._remarks())
        return f"{self.table()._repr_html_()}{remarks}"


def _text(value: Any) -> str:
    """Write a number; a fraction of many digits is rounded."""
    if isinstance(value, Fraction) and max(abs(value.numerator), value.denominator) >= 10**12:
        return f"≈ {float(value):.6g}"
    if not isinstance(value, Fraction | int) and not hasattr(value, "as_rational"):
        return number_text(float(value))
    if isinstance(value, ClosedForm) and any(_is_long(a) for a in value.logs):
        return f"≈ {float(value.enclosure().lower):.6g}"
    text = number_text(value)
    return text if len(text) <= 40 else f"≈ {float(value):.6g}"


def _is_long(value: Fraction) -> bool:
    return max(value.numerator, value.denominator).bit_length() > 128
