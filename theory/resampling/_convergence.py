"""Distances to the limit against the number of candidates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from theory.errors import InvalidInputError
from theory.resampling._law import resampling_law
from theory.resampling._result import ResamplingLaw, _text
from theory.shared.arguments import refusing
from theory.verdicts import ShownAsTable, Table

__all__ = ["Convergence", "convergence"]


@dataclass(frozen=True, eq=False)
class Convergence(ShownAsTable):
    """The law for several numbers of candidates.

    Attributes
    ----------
    laws : tuple of ResamplingLaw
        In the order in which the numbers were given.
    """

    laws: tuple[ResamplingLaw, ...]

    @property
    def candidates(self) -> tuple[int, ...]:
        """The numbers of candidates."""
        return tuple(law.candidates for law in self.laws)

    @property
    def total_variation(self) -> tuple[Any, ...]:
        """Total variation to the limit, one a number."""
        return tuple(law.total_variation for law in self.laws)

    @property
    def kl(self) -> tuple[Any, ...]:
        """KL divergence to the limit, one a number."""
        return tuple(law.kl for law in self.laws)

    def table(self) -> Table:
        """Return the distances, and M times the first, which settles where weights are bounded."""
        rows = tuple(
            (
                f"{law.candidates:,}",
                _text(law.total_variation),
                _text(law.bound),
                _text(law.candidates * law.total_variation),
                _text(law.kl),
                _text(law.failure),
            )
            for law in self.laws
        )
        return Table(
            caption="Distance of the reply's law from its limit, in total variation and KL",
            columns=("M", "variation", "at most", "M · variation", "KL", "failure"),
            rows=rows,
        )

    def __repr__(self) -> str:
        return f"Convergence({', '.join(map(str, self.candidates))} candidates)"


@refusing
def convergence(
    generator: object,
    weights: object,
    candidates: Sequence[int] = (1, 2, 5, 10, 20),
    *,
    logarithms: bool = False,
) -> Convergence:
    """Return the law and its distances to the limit for several numbers of candidates.

    Parameters
    ----------
    generator, weights, logarithms
        As for :func:`resampling_law`.
    candidates : sequence of int
        The numbers M, at least one.

    Returns
    -------
    Convergence

    Raises
    ------
    InvalidInputError
        For no number at all; otherwise as :func:`resampling_law`.

    Examples
    --------
    >>> print(convergence(["1/2", "1/2"], [1, 3], [1, 2, 3]))
    Distance of the reply's law from its limit, in total variation and KL
    M  variation  at most  M · variation  KL                                       failure
    ─  ─────────  ───────  ─────────────  ───────────────────────────────────────  ───────
    1  1/4        1/4      1/4            log(2) - 1/2·log(3) ≈ 0.143841           0
    2  1/8        3/20     1/4            3/8·log(3/2) - 5/8·log(6/5) ≈ 0.0380984  0
    3  11/140     3/28     33/140         ≈ 0.0154924                              0
    """
    numbers: Any = candidates
    if not isinstance(numbers, Iterable) or isinstance(numbers, str) or not len(candidates):
        fix = "give numbers of draws, at least one"
        raise InvalidInputError("candidates", candidates, "is no list of numbers", fix)
    return Convergence(
        tuple(resampling_law(generator, weights, m, logarithms=logarithms) for m in candidates)
    )
