r"""Regret as it grows, at the rounds asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum
from typing import Any, Final

import numpy as np

from theory.errors import LimitError, UnknownNameError, nearest
from theory.regret._reading import check_rounds, read_floats
from theory.regret._recheck import TINY
from theory.regret._vacuity import count_text, internal_regret_warning
from theory.shared.arguments import refusing
from theory.shared.rounding import WithGap
from theory.shared.shapes import Float64, Int64
from theory.verdicts import Table

__all__ = ["KINDS", "RegretSeries", "regret_series"]

KINDS: Final = ("external", "internal", "swap")

_ACTIONS: Final = 8192
_SHOWN: Final = 10


@dataclass(frozen=True, kw_only=True, eq=False)
class RegretSeries(WithGap):
    """Regrets, in sum, at some rounds of a history.

    Attributes
    ----------
    size : int
        The number of actions.
    rounds : int64 array of shape (k,)
        Rising.
    external, internal, swap : float64 arrays of shape (k,), or None
        The regrets of the first ``rounds[n]`` rounds; None where they were not asked for.
    gap : float
        The most by which other code disagrees at the last of the rounds.
    tolerance : float
        What rounding may amount to in it.
    """

    size: int
    rounds: Int64[np.ndarray, " k"]
    external: Float64[np.ndarray, " k"] | None
    internal: Float64[np.ndarray, " k"] | None
    swap: Float64[np.ndarray, " k"] | None
    gap: float
    tolerance: float

    def average(self, kind: str) -> Float64[np.ndarray, " k"]:
        """Return one of the three, a round.

        Raises
        ------
        UnknownNameError
            For another name, or a regret that was not asked for.
        """
        asked: Any = kind
        known = {name: self._of(name) for name in KINDS}
        found = known.get(kind) if isinstance(asked, str) else None
        if found is None:
            have = [name for name, values in known.items() if values is not None]
            raise UnknownNameError("kind", kind, "is not in the series", nearest(kind, have))
        return np.asarray(found / self.rounds)

    def _of(self, kind: str) -> Any:
        return getattr(self, kind)

    def table(self) -> Table:
        """Return average regrets at up to ten of the rounds, the last one included."""
        places = np.unique(np.linspace(0, len(self.rounds) - 1, _SHOWN).round().astype(np.int64))
        kinds = [kind for kind in KINDS if self._of(kind) is not None]
        columns = [self.average(kind) for kind in kinds]
        return Table(
            caption=f"Average regret with {count_text(self.size, 'action')}",
            columns=("rounds", *kinds),
            rows=tuple(
                (f"{self.rounds[p]:,}", *(f"{column[p]:.6g}" for column in columns))
                for p in places.tolist()
            ),
        )

    @property
    def warning(self) -> str:
        """What to keep in mind where internal regret says nothing by itself; else empty."""
        if self.internal is None:
            return ""
        return internal_regret_warning(self.size, int(self.rounds[-1]))

    def __repr__(self) -> str:
        kinds = ", ".join(kind for kind in KINDS if self._of(kind) is not None)
        rounds = count_text(len(self.rounds), "row")
        return f"RegretSeries({rounds} with {count_text(self.size, 'action')}: {kinds})"

    def __str__(self) -> str:
        return "\n\n".join(filter(None, (str(self.table()), self.warning, self.doubt)))

    def _repr_html_(self) -> str:
        words = "".join(f"<p>{text}</p>" for text in (self.warning, self.doubt) if text)
        return f"{self.table()._repr_html_()}{words}"


@refusing
def regret_series(plays: Any, rewards: Any, rounds: Iterable[int] | None = None) -> RegretSeries:
    """Return external, internal and swap regret of the first n rounds, for each n asked for.

    The definitions are those of :func:`theory.regret.regret`, whose numbers these are, in float64.

    Parameters
    ----------
    plays, rewards : array-like of shape (T, N)
        Floats or whole numbers, as for :func:`theory.regret.regret`.
    rounds : iterable of int, optional
        Rising, from 1 to T; all of them by default.

    Raises
    ------
    InvalidInputError, ShapeError, ProbabilityError, NumberError
        For what is no history, and for rounds that it does not have.
    ExactnessError
        For fractions and text: ask :func:`theory.regret.regret` for an exact answer.
    LimitError
        For more than 8,192 actions.

    Notes
    -----
    A compiled loop of O(P N) a round for P actions played in it, and O(N^2) at a round asked for;
    O(N^2) memory.

    Examples
    --------
    >>> found = regret_series([[1, 0], [0, 1], [1, 0]], [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    >>> found.external, found.internal, found.swap
    (array([1., 1., 2.]), array([1., 1., 2.]), array([1., 2., 3.]))
    """
    x, r = read_floats(plays, rewards)
    at = check_rounds(rounds, len(x))
    n = x.shape[1]
    if n > _ACTIONS:
        fix = "use regret_series_on with sparse strategies"
        raise LimitError("plays", n, f"have more than {_ACTIONS:,} actions", fix)
    from theory.regret._kernels import regrets_at
    from theory.shared.compiling import cheapest

    work = int(at[-1]) * 4 * n + int(np.count_nonzero(x)) * n + len(at) * n * n
    found = cheapest(regrets_at, work)(np.ascontiguousarray(x), np.ascontiguousarray(r), at)
    last = int(at[-1])
    scale = float(np.abs(r[:last]).max(axis=1).sum())
    return RegretSeries(
        size=n,
        rounds=at,
        external=found[:, 0].copy(),
        internal=found[:, 1].copy(),
        swap=found[:, 2].copy(),
        gap=float(np.abs(found[-1] - _by_products(x[:last], r[:last])).max()),
        tolerance=4 * (last + n) * 2.0**-52 * scale + 4 * last * n * TINY,
    )


def _by_products(
    plays: Float64[np.ndarray, "rounds actions"], rewards: Float64[np.ndarray, "rounds actions"]
) -> Float64[np.ndarray, " kinds"]:
    """Return the three regrets from the matrix of earnings."""
    earned = rewards.T @ plays
    own = np.diag(earned)
    gains = earned.max(axis=0) - own
    external = max(fsum(column.tolist()) for column in rewards.T) - fsum(own.tolist())
    return np.array([external, gains.max(), fsum(gains.tolist())])
