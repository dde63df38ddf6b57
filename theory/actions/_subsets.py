"""All ways to choose k of n items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import comb
from typing import Any, Final

import numpy as np

from theory.actions._arguments import ENTRIES, batch, coefficients, read_size, refuse_beyond
from theory.actions._noise import draw_noise
from theory.actions._protocol import Action
from theory.actions.listed_softmax import is_index
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count, read_generator
from theory.shared.shapes import Float64

__all__ = ["Subsets"]

_TABLE: Final = 25_000_000


@dataclass(frozen=True)
class Subsets:
    """The sets of k out of n items 0..n-1, as sorted tuples, in lexicographic order.

    The features of a set are its indicator: item i is worth z_i, and a set the sum of its items.

    Parameters
    ----------
    n : int
        The number of items, at least 1.
    k : int
        The number of items in a set, in 1..n.

    Raises
    ------
    InvalidInputError
        When n or k is no integer or out of range.
    LimitError
        When (n+1)(k+1) exceeds 25 million, the size of the table of symmetric polynomials.

    Notes
    -----
    The sum over all sets of prod_{i in set} exp z_i is the elementary symmetric polynomial e_k of
    the numbers exp z_i, computed in logarithms by e_j(z_1..z_m) = e_j(z_1..z_{m-1}) +
    exp(z_m) e_{j-1}(z_1..z_{m-1}): O(n k). From the last item backwards, the table of these says
    how likely item m is to be chosen while j are missing, which gives exact draws and means
    (Chen, Dempster and Liu, Biometrika 81, 1994). ``best`` sorts.

    Examples
    --------
    >>> import numpy as np
    >>> actions = Subsets(4, 2)
    >>> actions.size
    6
    >>> z = np.array([0.0, 2.0, 1.0, 2.0])
    >>> actions.best(z), actions.extremes(z)
    ((1, 3), (1.0, 4.0))
    >>> np.round(actions.mean(np.zeros(4)), 6)
    array([0.5, 0.5, 0.5, 0.5])
    >>> Subsets(120, 40).size > 10**30
    True
    """

    n: int
    k: int

    def __post_init__(self) -> None:
        n = read_count("n", self.n, 1)
        k = read_count("k", self.k, 1)
        if k > n:
            raise InvalidInputError("k", k, f"is more than the {n} items", f"give 1..{n}")
        refuse_beyond("n", n, (n + 1) * (k + 1), _TABLE, "entries of a table")
        object.__setattr__(self, "n", n)
        object.__setattr__(self, "k", k)

    @property
    def size(self) -> int:
        """The number of sets, n choose k."""
        return self._count

    @cached_property
    def _count(self) -> int:
        return comb(self.n, self.k)

    @property
    def dimension(self) -> int:
        """The number n of items."""
        return self.n

    def __contains__(self, action: Any) -> bool:
        return (
            isinstance(action, tuple)
            and len(action) == self.k
            and all(is_index(item, self.n) for item in action)
            and all(a < b for a, b in pairwise(action))
        )

    def features(self, actions: Sequence[Action]) -> Float64[np.ndarray, "k dimension"]:
        """Return the indicators of ``actions``, one a row."""
        rows = np.zeros((read_size(actions), self.n))
        for row, action in zip(rows, actions, strict=True):
            if action not in self:
                fix = f"give a sorted tuple of {self.k} integers in 0..{self.n - 1}"
                raise InvalidInputError("actions", action, "is no action of this set", fix)
            row[list(action)] = 1  # type: ignore[call-overload]
        return rows

    def best(self, z: Float64[np.ndarray, " dimension"]) -> Action:
        """Return the k items that are worth most; of items worth the same, the lower ones."""
        order = np.argsort(-coefficients(z, self.n), kind="stable")
        return tuple(np.sort(order[: self.k]).tolist())

    def extremes(self, z: Float64[np.ndarray, " dimension"]) -> tuple[float, float]:
        """Return the sums of the k least and of the k largest entries."""
        ordered = np.sort(coefficients(z, self.n))
        return float(ordered[: self.k].sum()), float(ordered[self.n - self.k :].sum())

    def log_partition(
        self, Z: Float64[np.ndarray, "batch dimension"]
    ) -> Float64[np.ndarray, " batch"]:
        """Return log e_k(exp z) for each row z."""
        Z = batch(Z, self.n)
        found = np.empty(len(Z))
        step = max(1, ENTRIES // (self.n + self.k))
        for start in range(0, len(Z), step):
            rows = Z[start : start + step]
            shift = _threshold(rows, self.k)
            sums = _sums_of_nothing(len(rows), self.k)
            for i in range(self.n):
                _with_item(sums, rows[:, i] - shift)
            found[start : start + step] = sums[:, self.k] + self.k * shift
        return found

    def mean(self, z: Float64[np.ndarray, " dimension"]) -> Float64[np.ndarray, " dimension"]:
        """Return the probability of each item under the law proportional to exp <phi(a), z>."""
        taken = self._take_chances(z)
        mean = np.empty(self.n)
        missing = np.zeros(self.k + 1)
        missing[self.k] = 1
        for i in reversed(range(self.n)):
            moved = missing * taken[i]
            mean[i] = moved.sum()
            missing -= moved
            missing[:-1] += moved[1:]
        return mean

    def sample(
        self, z: Float64[np.ndarray, " dimension"], rng: np.random.Generator, n: int
    ) -> list[Action]:
        """Return n independent draws from the law proportional to exp <phi(a), z>."""
        read_generator(rng)
        draws = read_count("n", n, 1)
        taken = self._take_chances(z)
        missing = np.full(draws, self.k)
        items = np.empty((draws, self.k), np.int64)
        everyone = np.arange(draws)
        for i in reversed(range(self.n)):
            chosen = everyone[rng.random(draws) < taken[i][missing]]
            missing[chosen] -= 1
            items[chosen, missing[chosen]] = i
        return [tuple(row) for row in items.tolist()]

    def choose_perturbed(
        self,
        z: Float64[np.ndarray, " dimension"],
        noise: str,
        scale: float,
        rng: np.random.Generator,
    ) -> Action:
        """Return the set that is best once each item's worth has a noise of its own added."""
        z = coefficients(z, self.n)
        return self.best(z + draw_noise(noise, scale, rng, self.n))

    def _take_chances(
        self, z: Float64[np.ndarray, " dimension"]
    ) -> Float64[np.ndarray, "items missing"]:
        """Return how likely item i is taken where j items of 0..i are missing: entry (i, j)."""
        rows = coefficients(z, self.n)[None, :]
        shifted = rows[0] - _threshold(rows, self.k)[0]
        taken = np.zeros((self.n, self.k + 1))
        sums = _sums_of_nothing(1, self.k)
        for i, worth in enumerate(shifted):
            before = sums[0].copy()
            _with_item(sums, shifted[i : i + 1])
            reachable = slice(1, min(i + 1, self.k) + 1)
            odds = before[reachable] - before[: self.k][: reachable.stop - 1] - worth
            taken[i, reachable] = 1 / (1 + np.exp(np.minimum(odds, 700.0)))
        return taken


def _threshold(Z: Float64[np.ndarray, "batch dimension"], k: int) -> Float64[np.ndarray, " batch"]:
    """Return the k-th largest entry of each row; sums of logarithms stay small relative to it."""
    place = Z.shape[1] - k
    return np.partition(Z, place, axis=1)[:, place]


def _sums_of_nothing(rows: int, k: int) -> Float64[np.ndarray, "rows degrees"]:
    """Return log e_0..e_k of no numbers, one row each."""
    sums = np.full((rows, k + 1), -np.inf)
    sums[:, 0] = 0
    return sums


def _with_item(
    sums: Float64[np.ndarray, "rows degrees"], worth: Float64[np.ndarray, " rows"]
) -> None:
    """Add one item to log e_0..e_k, in place."""
    sums[:, 1:] = np.logaddexp(sums[:, 1:], sums[:, :-1] + worth[:, None])
