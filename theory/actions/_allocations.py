"""All ways to spread troops over battlefields."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Any, Final

import numpy as np

from theory.actions._arguments import ENTRIES, batch, coefficients, read_size, refuse_beyond
from theory.actions._noise import draw_noise
from theory.actions._protocol import Action
from theory.actions.listed_softmax import is_index
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count, read_generator
from theory.shared.shapes import Float64, Int64

__all__ = ["Allocations"]

_WORK: Final = 10**9


@dataclass(frozen=True)
class Allocations:
    """The ways to spread ``troops`` over ``fields``, as tuples of counts in lexicographic order.

    The features say how many troops each field has: feature f (troops + 1) + t is 1 where field f
    has t. So z is a table with one row a field, and an allocation earns the sum over the fields of
    what its troops there are worth, which covers every Blotto game.

    Parameters
    ----------
    fields, troops : int
        At least 1 each.

    Raises
    ------
    InvalidInputError
        When one of them is no integer of at least 1.
    LimitError
        When fields (troops + 1)^2 exceeds 10^9, the number of steps of a method.

    Notes
    -----
    There are (troops + fields - 1) choose (fields - 1) of them, by stars and bars. What the fields
    from f on can make of s troops follows from what those from f + 1 on can make of fewer, for
    maxima and for sums alike: O(fields troops^2) time. Temporaries are cut into chunks.

    Examples
    --------
    >>> import numpy as np
    >>> actions = Allocations(fields=2, troops=3)
    >>> actions.size, actions.dimension
    (4, 8)
    >>> z = np.array([0.0, 0.0, 1.0, 1.0, 0.0, 2.0, 2.0, 2.0])
    >>> actions.best(z), actions.extremes(z)
    ((2, 1), (1.0, 3.0))
    >>> Allocations(fields=20, troops=200).size > 10**26
    True
    """

    fields: int
    troops: int

    def __post_init__(self) -> None:
        fields = read_count("fields", self.fields, 1)
        troops = read_count("troops", self.troops, 1)
        refuse_beyond("troops", troops, fields * (troops + 1) ** 2, _WORK, "steps a call")
        object.__setattr__(self, "fields", fields)
        object.__setattr__(self, "troops", troops)

    @property
    def size(self) -> int:
        """The number of allocations."""
        return self._count

    @cached_property
    def _count(self) -> int:
        return comb(self.troops + self.fields - 1, self.fields - 1)

    @property
    def dimension(self) -> int:
        """The number of features, fields times troops + 1."""
        return self.fields * (self.troops + 1)

    def __contains__(self, action: Any) -> bool:
        return (
            isinstance(action, tuple)
            and len(action) == self.fields
            and all(is_index(count, self.troops + 1) for count in action)
            and sum(action) == self.troops
        )

    def features(self, actions: Sequence[Action]) -> Float64[np.ndarray, "k dimension"]:
        """Return the indicators of ``actions``, one a row."""
        rows = np.zeros((read_size(actions), self.dimension))
        first = np.arange(self.fields) * (self.troops + 1)
        for row, action in zip(rows, actions, strict=True):
            if action not in self:
                fix = f"give a tuple of {self.fields} counts that sum to {self.troops}"
                raise InvalidInputError("actions", action, "is no action of this set", fix)
            row[first + np.array(action, np.int64)] = 1
        return rows

    def best(self, z: Float64[np.ndarray, " dimension"]) -> Action:
        """Return the first allocation that earns most."""
        worth = coefficients(z, self.dimension).reshape(self.fields, self.troops + 1)
        most = _suffixes(worth[None], _largest)[0]
        chosen = []
        left = self.troops
        for f in range(self.fields - 1):
            values = worth[f, : left + 1] + most[f + 1, left::-1]
            chosen.append(int(values.argmax()))
            left -= chosen[-1]
        return (*chosen, left)

    def extremes(self, z: Float64[np.ndarray, " dimension"]) -> tuple[float, float]:
        """Return the least and the largest reward."""
        worth = coefficients(z, self.dimension).reshape(self.fields, self.troops + 1)
        ends = _suffixes(np.stack([-worth, worth]), _largest)[:, 0, self.troops]
        return -float(ends[0]), float(ends[1])

    def log_partition(
        self, Z: Float64[np.ndarray, "batch dimension"]
    ) -> Float64[np.ndarray, " batch"]:
        """Return log sum_a exp <phi(a), z> for each row z."""
        worth = batch(Z, self.dimension).reshape(-1, self.fields, self.troops + 1)
        shift = worth.max(axis=2)
        found = np.empty(len(worth))
        step = max(1, ENTRIES // (self.fields + self.troops) ** 2)
        for start in range(0, len(worth), step):
            part = slice(start, start + step)
            sums = _suffixes(worth[part] - shift[part, :, None], _log_sum)
            found[part] = sums[:, 0, self.troops] + shift[part].sum(axis=1)
        return found

    def mean(self, z: Float64[np.ndarray, " dimension"]) -> Float64[np.ndarray, " dimension"]:
        """Return the law of the troops on each field, when exp <phi(a), z> weighs allocations."""
        worth, sums = self._laws(z)
        mean = np.zeros((self.fields, self.troops + 1))
        left = np.zeros(self.troops + 1)
        left[self.troops] = 1
        for f in range(self.fields - 1):
            after = np.zeros(self.troops + 1)
            for states, weights in _steps(worth[f], sums[f + 1], np.flatnonzero(left)):
                law = weights * (left[states] / weights.sum(axis=1))[:, None]
                after += law.sum(axis=0)
                spent = self.troops + states[:, None] - np.arange(self.troops + 1)
                length = 2 * self.troops + 1
                found = np.bincount(spent.ravel(), law.ravel(), minlength=length)
                mean[f] += found[self.troops :]
            left = after
        mean[-1] = left
        return mean.ravel()

    def sample(
        self, z: Float64[np.ndarray, " dimension"], rng: np.random.Generator, n: int
    ) -> list[Action]:
        """Return n independent draws from the law proportional to exp <phi(a), z>."""
        read_generator(rng)
        draws = read_count("n", n, 1)
        worth, sums = self._laws(z)
        left = np.empty((draws, self.fields + 1), np.int64)
        left[:, 0] = self.troops
        left[:, -1] = 0
        for f in range(self.fields - 1):
            uniform = rng.random(draws)
            for states, weights in _steps(worth[f], sums[f + 1], np.unique(left[:, f])):
                there = np.flatnonzero((left[:, f] >= states[0]) & (left[:, f] <= states[-1]))
                rows = np.searchsorted(states, left[there, f])
                left[there, f + 1] = _inverse(np.cumsum(weights, axis=1), rows, uniform[there])
        return [tuple(row) for row in (left[:, :-1] - left[:, 1:]).tolist()]

    def choose_perturbed(
        self,
        z: Float64[np.ndarray, " dimension"],
        noise: str,
        scale: float,
        rng: np.random.Generator,
    ) -> Action:
        """Return the allocation that is best once each entry of z has noise of its own added."""
        z = coefficients(z, self.dimension)
        return self.best(z + draw_noise(noise, scale, rng, self.dimension))

    def _laws(
        self, z: Float64[np.ndarray, " dimension"]
    ) -> tuple[Float64[np.ndarray, "fields counts"], Float64[np.ndarray, "fields counts"]]:
        """Return what troops are worth, up to a constant a field, and the sums over suffixes."""
        worth = coefficients(z, self.dimension).reshape(self.fields, self.troops + 1)
        worth = worth - worth.max(axis=1, keepdims=True)
        return worth, _suffixes(worth[None], _log_sum)[0]


def _largest(
    cells: Float64[np.ndarray, "batch states rest"],
) -> Float64[np.ndarray, "batch states"]:
    return np.asarray(cells.max(axis=2))


def _log_sum(
    cells: Float64[np.ndarray, "batch states rest"],
) -> Float64[np.ndarray, "batch states"]:
    shift = cells.max(axis=2)
    cells -= shift[:, :, None]
    return np.asarray(np.log(np.exp(cells, out=cells).sum(axis=2)) + shift)


def _suffixes(worth: Float64[np.ndarray, "batch fields counts"], gather: Any) -> np.ndarray:
    """Return entry (f, s): what ``gather`` makes of all ways to use s troops from field f on."""
    counts = worth.shape[2]
    step = max(1, ENTRIES // (len(worth) * counts + 1))
    found = np.empty_like(worth)
    found[:, -1] = worth[:, -1]
    for f in reversed(range(worth.shape[1] - 1)):
        spent = _values_after_spending(worth[:, f])
        for start in range(0, counts, step):
            cells = spent[:, start : start + step] + found[:, f + 1, None]
            found[:, f, start : start + step] = gather(cells)
    return found


def _values_after_spending(worth: Float64[np.ndarray, "batch counts"]) -> np.ndarray:
    """Return a view with entry (s, r): what s - r troops are worth, -inf where there are fewer."""
    counts = worth.shape[1]
    padded = np.full((len(worth), 2 * counts - 1), -np.inf)
    padded[:, counts - 1 :] = worth
    return np.lib.stride_tricks.sliding_window_view(padded, counts, axis=1)[:, :, ::-1]


def _steps(
    worth: Float64[np.ndarray, " counts"],
    sums: Float64[np.ndarray, " counts"],
    states: Int64[np.ndarray, " states"],
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield states s with the weights of leaving r troops, in rows whose largest entry is 1."""
    spent = _values_after_spending(worth[None])[0]
    step = max(1, ENTRIES // len(worth))
    for start in range(0, len(states), step):
        part = states[start : start + step]
        cells = spent[part] + sums
        cells -= cells.max(axis=1, keepdims=True)
        yield part, np.exp(cells, out=cells)


def _inverse(
    sums: Float64[np.ndarray, "states counts"],
    rows: Int64[np.ndarray, " draws"],
    uniform: Float64[np.ndarray, " draws"],
) -> Int64[np.ndarray, " draws"]:
    """Return for each draw the first place where its row of running sums exceeds its share."""
    total = sums[:, -1]
    last = (sums < total[:, None]).sum(axis=1)
    found = np.empty(len(rows), np.int64)
    step = max(1, ENTRIES // sums.shape[1])
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        below = sums[part] <= (uniform[start : start + step] * total[part])[:, None]
        found[start : start + step] = np.minimum(below.sum(axis=1), last[part])
    return found
