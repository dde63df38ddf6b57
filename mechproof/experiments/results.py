"""What the rows of the experiment say: means, correlations, lines, and their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import Any, Final

import numpy as np

from mechanisms.advertising import (
    GENERATORS,
    READINGS,
    Estimate,
    FittedLine,
    InstanceResult,
    LawCourse,
    Optimum,
    clustered_mean,
    fit_line,
    trim_outliers,
)
from mechproof.experiments._settings import Settings
from theory.shared.shapes import Float64

__all__ = [
    "OFFSETS",
    "QUANTITIES",
    "Results",
    "Scatter",
    "law_row",
    "record_row",
]

OFFSETS: Final = ("with offset", "without offset")
QUANTITIES: Final = (
    "log-probability",
    "log-probability of the drawn reply",
    "reward gain",
    "revenue",
    "utility gain",
    "mentions",
)
ABOVE: Final = 4
"""Scatter plots show what happened with more candidates than this, as the paper's do."""
PERCENT: Final = 0.5

Row = dict[str, Any]


def record_row(record: InstanceResult) -> Row:
    """Return a record as data for a file; what is not defined is None."""
    return {
        "normalised": record.normalised,
        "courses": {
            generator: {
                "log_probs": course.log_probs.tolist(),
                "returned_log_probs": course.returned_log_probs.tolist(),
                "reward_gains": {k: _without_nan(v) for k, v in course.reward_gains.items()},
                "payments": course.payments.tolist(),
                "payments_without_offset": course.payments_without_offset.tolist(),
                "mentioned": course.mentioned.tolist(),
                "reply": course.reply,
            }
            for generator, course in record.courses.items()
        },
    }


def law_row(laws: dict[str, LawCourse] | None, optimal: Optimum | None) -> Row:
    """Return the optimum and exact laws as data for a file."""
    return {
        "optimum": optimal
        and {
            "log-probability": optimal.expected_log_prob,
            "reward gain": optimal.reward_gains.tolist(),
            "revenue": optimal.payments.tolist(),
        },
        "laws": laws
        and {
            generator: {
                "total_variation": law.total_variation.tolist(),
                "kl": law.kl.tolist(),
                "log_probs": law.log_probs.tolist(),
                "limit": [law.limit_total_variation, law.limit_kl, law.limit_log_prob],
            }
            for generator, law in laws.items()
        },
    }


@dataclass(frozen=True, eq=False)
class Scatter:
    """Reward gains and utility gains, one pair for each point, and the line through them."""

    x: Float64[np.ndarray, " points"]
    y: Float64[np.ndarray, " points"]
    line: FittedLine
    left_out: int


@dataclass(frozen=True, eq=False)
class Results:
    """The rows of a run, and what is computed from them.

    Every mean, correlation and line has a 95% interval for clusters: runs of one query are taken to
    belong together. Intervals of correlations and lines come from resampled queries.

    Attributes
    ----------
    settings : Settings
    rows : sequence of dict
        One for each query and seed, in this order.
    laws : sequence of dict
        One for each query.
    """

    settings: Settings
    rows: Sequence[Row]
    laws: Sequence[Row]

    @property
    def normalised(self) -> bool:
        """Whether log-probabilities are those of pi* itself, for all queries."""
        return all(row["normalised"] for row in self.rows)

    @property
    def listed(self) -> bool:
        """Whether the exact law of the reply is known for all queries."""
        return all(row["laws"] is not None for row in self.laws)

    @cached_property
    def _courses(self) -> dict[str, dict[str, np.ndarray]]:
        found = {}
        for generator in GENERATORS:
            courses = [row["courses"][generator] for row in self.rows]
            names = ("log_probs", "returned_log_probs", "payments", "payments_without_offset")
            plain = {k: self._stack([c[k] for c in courses]) for k in (*names, "mentioned")}
            gains = {k: self._stack([c["reward_gains"][k] for c in courses]) for k in READINGS}
            found[generator] = plain | gains
        return found

    def _stack(self, values: list[Any]) -> np.ndarray:
        array = np.array(values, dtype=np.float64)
        return array.reshape(self.settings.queries, self.settings.seeds, *array.shape[1:])

    def gains(
        self, generator: str, reading: str, *, offset: bool = True
    ) -> tuple[Float64[np.ndarray, "..."], Float64[np.ndarray, "..."]]:
        """Return reward gains and utility gains: queries, seeds, sizes, advertisers."""
        course = self._courses[generator]
        paid = course["payments" if offset else "payments_without_offset"]
        return course[reading], course[reading] - paid

    def values(
        self, quantity: str, generator: str, reading: str = "redrawn", *, offset: bool = True
    ) -> Float64[np.ndarray, "queries seeds sizes"]:
        """Return a quantity of each run and size; of advertisers, their total."""
        course = self._courses[generator]
        paid = course["payments" if offset else "payments_without_offset"]
        match quantity:
            case "log-probability":
                return course["log_probs"]
            case "log-probability of the drawn reply":
                return course["returned_log_probs"]
            case "revenue":
                return np.asarray(paid.sum(axis=-1))
            case "reward gain":
                return np.asarray(course[reading].sum(axis=-1))
            case "mentions":
                return np.asarray(course["mentioned"].sum(axis=-1))
            case _:
                return np.asarray((course[reading] - paid).sum(axis=-1))

    def curve(
        self, quantity: str, generator: str, reading: str = "redrawn", *, offset: bool = True
    ) -> list[Estimate]:
        """Return the mean of a quantity for each number of candidates."""
        values = self.values(quantity, generator, reading, offset=offset)
        return [clustered_mean(values[:, :, k]) for k in range(values.shape[2])]

    def law_curve(self, what: str, generator: str) -> list[Estimate]:
        """Return the mean over queries of ``total_variation``, ``kl`` or ``log_probs``."""
        values = np.array([row["laws"][generator][what] for row in self.laws])
        return [clustered_mean(column[:, np.newaxis]) for column in values.T]

    def limit(self, generator: str) -> tuple[Estimate, ...]:
        """Return total variation, KL and expected log-probability of the limit of many."""
        values = np.array([row["laws"][generator]["limit"] for row in self.laws])
        return tuple(clustered_mean(column[:, np.newaxis]) for column in values.T)

    def optimum(self, quantity: str) -> Estimate | None:
        """Return the mean over queries of a quantity at the optimum, where that is known.

        That is the expected log-probability of a reply from it, or the total over advertisers of
        ``reward gain``, ``revenue`` with the offset, or ``utility gain``: what they are at pi* and,
        for who stays out, at the optimum without it.
        """
        if any(row["optimum"] is None for row in self.laws):
            return None
        if quantity == "utility gain":
            values = self._at_optimum("reward gain") - self._at_optimum("revenue")
        else:
            values = self._at_optimum(quantity)
        return clustered_mean(values)

    def _at_optimum(self, quantity: str) -> np.ndarray:
        return np.array([[float(np.sum(row["optimum"][quantity]))] for row in self.laws])

    @cached_property
    def _lines(self) -> dict[Any, Any]:
        return {}

    def lines(self, generator: str, reading: str, *, offset: bool = True) -> list[FittedLine]:
        """Return utility gain over reward gain for each number of candidates, nothing left out."""
        key = ("lines", generator, reading, offset)
        if key not in self._lines:
            x, y = self.gains(generator, reading, offset=offset)
            rng = self._resampling(key)
            self._lines[key] = [
                fit_line(_copy(x[:, :, k]), _copy(y[:, :, k]), rng) for k in range(x.shape[2])
            ]
        return list(self._lines[key])

    def scatter(self, generator: str, reading: str, *, offset: bool = True) -> Scatter:
        """Return all pairs with M > 4, without the outer 0.5 percentiles of either, and their line.

        Where no M is above 4, all are taken.
        """
        key = ("scatter", generator, reading, offset)
        if key not in self._lines:
            x, y = self.gains(generator, reading, offset=offset)
            large = np.array([M > ABOVE for M in self.settings.sizes])
            if large.any():
                x, y = x[:, :, large], y[:, :, large]
            kept_x, kept_y = trim_outliers(_copy(x), _copy(y), PERCENT)
            line = fit_line(kept_x, kept_y, self._resampling(key))
            seen = ~np.isnan(kept_x)
            left_out = int((~np.isnan(x + y)).sum() - seen.sum())
            self._lines[key] = Scatter(kept_x[seen], kept_y[seen], line, left_out)
        found: Scatter = self._lines[key]
        return found

    def _resampling(self, key: tuple[str, str, str, bool]) -> np.random.Generator:
        what, generator, reading, offset = key
        number = (
            ("lines", "scatter").index(what),
            GENERATORS.index(generator),
            READINGS.index(reading),
            int(offset),
        )
        return self.settings.generator(1, *number)


def _without_nan(values: Float64[np.ndarray, "sizes advertisers"]) -> list[list[float | None]]:
    return [[None if isnan(v) else v for v in row] for row in values.tolist()]


def _copy(values: np.ndarray) -> Float64[np.ndarray, "..."]:
    return np.ascontiguousarray(values)
