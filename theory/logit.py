"""Choices among alternatives whose odds follow what the alternatives offer: a conditional logit.

Source: McFadden (1974). What separates choices without error is told instead of a number.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Final

import numpy as np

from theory._recheck_logit import check_gradient
from theory.errors import InvalidInputError
from theory.shared.arguments import instance_of, read_count, read_positive, read_tuple, refusing
from theory.shared.rounding import WithGap
from theory.verdicts import Table

__all__ = ["Choice", "LogitFit", "fit_logit"]

_STEPS: Final = 200
_TOLERANCE: Final = 1e-8


@refusing
@dataclass(frozen=True)
class Choice:
    """One choice.

    Attributes
    ----------
    alternatives : array-like
        Alternatives × features.
    chosen : int
        Which one, from 0.
    cluster : hashable
        Choices of one cluster have something in common, such as a question.
    """

    alternatives: Any
    chosen: int
    cluster: Hashable = None

    def __post_init__(self) -> None:
        fix = "give finite numbers, a row an alternative"
        try:
            table = np.array(self.alternatives, dtype=float)
        except (TypeError, ValueError):
            kind = type(self.alternatives).__name__
            raise InvalidInputError("alternatives", kind, "are no table", fix) from None
        if table.ndim != 2 or not table.size or not np.isfinite(table).all():
            raise InvalidInputError("alternatives", self.alternatives, "are no table", fix)
        object.__setattr__(self, "alternatives", table)
        read_count("chosen", self.chosen, 0, len(table) - 1)


@dataclass(frozen=True, kw_only=True, eq=False)
class LogitFit(WithGap):
    """Coefficients of largest likelihood.

    Attributes
    ----------
    names : tuple of str
        Of the features.
    value, standard_error : tuple of float
    interval : tuple of pairs of float
    covariance : array
        Of the coefficients.
    level : float
    choices, clusters : int
    gap : float
        The largest entry of the gradient, by plain sums.
    tolerance : float
    """

    names: tuple[str, ...]
    value: tuple[float, ...]
    standard_error: tuple[float, ...]
    interval: tuple[tuple[float, float], ...]
    covariance: np.ndarray
    level: float
    choices: int
    clusters: int
    gap: float
    tolerance: float

    def law(self, alternatives: Any) -> np.ndarray:
        """Return the probability of each alternative."""
        worth = np.asarray(alternatives, dtype=float) @ self.value
        weights = np.exp(worth - worth.max())
        return np.asarray(weights / weights.sum())

    def table(self) -> Table:
        """Return the coefficients."""
        rows = zip(self.names, self.value, self.interval, strict=True)
        return Table(
            caption=f"Conditional logit of {self.choices:,} choices, {self.clusters:,} clusters",
            columns=("feature", "coefficient", "from", "to"),
            rows=tuple(
                (name, *(f"{x:.4g}" for x in (v, low, high))) for name, v, (low, high) in rows
            ),
        )

    def __str__(self) -> str:
        return "\n".join([str(self.table()), *([self.doubt] if self.doubt else [])])

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


@refusing
def fit_logit(choices: Sequence[Choice], names: Sequence[str], *, level: float = 0.95) -> LogitFit:
    """Return β for which the choices are likeliest, where P(i) = exp(β·x_i) / Σ_j exp(β·x_j).

    ``interval`` is normal. Its variance is the larger of that from the Fisher information, and that
    of scores summed by cluster, for which clusters are independent and not choices. ``gap`` is
    computed by other code. O(steps x alternatives of all choices) time.

    Raises
    ------
    InvalidInputError
        For features that are not as many as the names, and where no finite β is best and the only
        one: some sum of the features tells what is chosen without error (Albert and Anderson 1984),
        or two tell the same.

    Examples
    --------
    >>> offers = [[0, 0], [10, 4]]  # worth and price of nothing and of a passage
    >>> chosen = [Choice(offers, 1)] * 3 + [Choice(offers, 0)]
    >>> chosen += [Choice([[0, 0], [10, 8]], k) for k in (0, 1)]
    >>> fit = fit_logit(chosen, ("worth", "price"))
    >>> [round(float(p), 6) for p in fit.law(offers)]
    [0.25, 0.75]
    """
    features = read_tuple("names", names)
    listed = read_tuple("choices", choices, "give a list of Choice")
    if not listed:
        raise InvalidInputError("choices", (), "are none", "give at least one")
    for choice in listed:
        instance_of("choices", choice, Choice, "give a list of Choice")
        if choice.alternatives.shape[1] != len(features):
            problem = f"has not as many features as the {len(features)} names"
            raise InvalidInputError("choices", choice, problem, "name each feature")
    if read_positive("level", level) >= 1:
        raise InvalidInputError("level", level, "is not below 1", "give a probability such as 0.95")
    _require_maximum(listed, features)
    offered = _Offered.of(listed)
    beta = _climb(offered)
    law = offered.law(beta)
    inverse = np.linalg.inv(offered.information(law))
    keys = [n if c.cluster is None else ("of", c.cluster) for n, c in enumerate(listed)]
    number = {key: k for k, key in enumerate(dict.fromkeys(keys))}
    scores = np.zeros((len(number), len(beta)))
    np.add.at(scores, [number[key] for key in keys], offered.chosen - offered.means(law))
    clustered = np.diagonal(inverse @ scores.T @ scores @ inverse)
    widened = np.sqrt(np.maximum(1, clustered / np.diagonal(inverse)))
    covariance = inverse * np.outer(widened, widened)
    errors = np.sqrt(np.diagonal(covariance))
    reach = NormalDist().inv_cdf((1 + level) / 2) * errors
    told = [(choice.alternatives.tolist(), choice.chosen) for choice in listed]
    return LogitFit(
        names=features,
        value=tuple(beta.tolist()),
        standard_error=tuple(errors.tolist()),
        interval=tuple(zip((beta - reach).tolist(), (beta + reach).tolist(), strict=True)),
        covariance=covariance,
        level=float(level),
        choices=len(listed),
        clusters=len(number),
        gap=check_gradient(told, beta.tolist()),
        tolerance=_TOLERANCE * max(1.0, *(float(np.abs(c.alternatives).sum()) for c in listed)),
    )


@dataclass(frozen=True)
class _Offered:
    """All alternatives in one table, where those of each choice begin, and what was chosen."""

    table: np.ndarray
    starts: np.ndarray
    sizes: np.ndarray
    chosen: np.ndarray

    @classmethod
    def of(cls, choices: Sequence[Choice]) -> _Offered:
        sizes = np.array([len(choice.alternatives) for choice in choices])
        return cls(
            np.concatenate([choice.alternatives for choice in choices]),
            np.concatenate([[0], np.cumsum(sizes)[:-1]]),
            sizes,
            np.array([choice.alternatives[choice.chosen] for choice in choices]),
        )

    def _weights(self, beta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        worth = self.table @ beta
        top = np.maximum.reduceat(worth, self.starts)
        weights = np.exp(worth - np.repeat(top, self.sizes))
        return weights, np.add.reduceat(weights, self.starts), top

    def law(self, beta: np.ndarray) -> np.ndarray:
        weights, totals, _ = self._weights(beta)
        return np.asarray(weights / np.repeat(totals, self.sizes))

    def likelihood(self, beta: np.ndarray) -> float:
        _, totals, top = self._weights(beta)
        return float((self.chosen @ beta - top - np.log(totals)).sum())

    def means(self, law: np.ndarray) -> np.ndarray:
        """Return the expected features of each choice."""
        return np.asarray(np.add.reduceat(self.table * law[:, np.newaxis], self.starts))

    def information(self, law: np.ndarray) -> np.ndarray:
        means = self.means(law)
        return np.asarray((self.table * law[:, np.newaxis]).T @ self.table - means.T @ means)


def _climb(offered: _Offered) -> np.ndarray:
    """Return the maximum by Newton's method, with steps halved until the likelihood grows."""
    beta = np.zeros(offered.table.shape[1])
    best = offered.likelihood(beta)
    slack = 1e-13 * len(offered.sizes)
    for _ in range(_STEPS):
        law = offered.law(beta)
        gradient = (offered.chosen - offered.means(law)).sum(axis=0)
        step = np.linalg.lstsq(offered.information(law), gradient, rcond=None)[0]
        while (found := offered.likelihood(beta + step)) < best - slack * max(1.0, -best):
            step /= 2
        beta, best = beta + step, max(best, found)
        if np.abs(step).max() < 1e-12 * max(1.0, np.abs(beta).max()):
            break
    return np.asarray(beta)


def _require_maximum(choices: Sequence[Choice], names: tuple[str, ...]) -> None:
    """Refuse choices for which the likelihood has no maximum, or more than one."""
    from scipy.optimize import linprog

    rows = np.concatenate([c.alternatives[c.chosen] - c.alternatives for c in choices])
    rows = np.unique(rows[np.abs(rows).any(axis=1)], axis=0)
    if len(rows) == 0 or np.linalg.matrix_rank(rows) < len(names):
        problem = f"do not tell {', '.join(names)} apart"
        fix = "leave out a feature, or vary what is offered"
        raise InvalidInputError("choices", f"{len(choices)} choices", problem, fix)
    scaled = rows / np.abs(rows).max(axis=0)
    found = linprog(-scaled.sum(axis=0), A_ub=-scaled, b_ub=np.zeros(len(rows)), bounds=(-1, 1))
    if -found.fun > 1e-9 * len(rows):
        problem = "follow what is offered without error, so no finite coefficients are best"
        raise InvalidInputError("choices", f"{len(choices)} choices", problem, "add choices")
