r"""What the maps of each action that was ever played would have gained.

The map i -> j gains, over the history, D(i, j) = <phi(j) - phi(i), Z_i> with
Z_i = \sum_s x_s(i) z_s. An action that was never played has Z_i = 0: all maps of it gain nothing,
and need not be listed.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np

from theory.actions import Action, ActionSet, ListedActions
from theory.shared.shapes import Bool, Float64, Int64, Row

__all__ = ["PlayedRows"]

_ROUNDING = 2.0**-46
"""Logarithms of sums are off by less than this, relative to what is summed."""


class PlayedRows:
    r"""The vectors Z_i, and bounds on the weights of rows that save computing them.

    The weight of row i at rate h is W_i = \sum_{j != i} exp(h D(i, j)). With

        c_i(h) = (1/h) log((1/N) \sum_j exp(h D(i, j))),

    W_i <= N exp(h c_i(h)). A power mean grows with its exponent, so c_i(h) bounds c_i(h') for
    every h' <= h; and a round in which i is played with probability x raises it by at most
    x (max_j r(j) - r(i)). So a row that was weighed once keeps a good bound at no cost.
    """

    def __init__(self, actions: ActionSet) -> None:
        self._actions = actions
        self._log_size = log(actions.size)
        self._index: dict[Action, int] = {}
        self.labels: list[Action] = []
        self._vectors = np.zeros((16, actions.dimension))
        self._own = np.zeros(16)
        self._slack = np.zeros(16)
        self._soft = np.zeros(16)
        self._soft_up_to = np.zeros(16)
        self._log_weight = np.zeros(16)
        self._weighed_at = np.zeros(16)

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, action: object) -> bool:
        return action in self._index

    @property
    def vectors(self) -> Float64[np.ndarray, "rows features"]:
        """Z_i of each action in ``labels``, which holds those played, in their first order."""
        return self._vectors[: len(self)]

    @property
    def own(self) -> Row:
        """<phi(i), Z_i>: what each has earned."""
        return self._own[: len(self)]

    @property
    def slack(self) -> Row:
        r"""\sum_s x_s(i) (max_j r_s(j) - r_s(i)): no map of i has gained more."""
        return self._slack[: len(self)]

    def add(
        self,
        played: Sequence[Action],
        weights: Row,
        z: Float64[np.ndarray, " features"],
        highest: float,
    ) -> None:
        """Count a round: the actions played, their probabilities, the rewards and their maximum."""
        rows = self._rows(played)
        values = self._earn(played, z)
        raised = weights * (highest - values)
        self._vectors[rows] += weights[:, np.newaxis] * z
        self._own[rows] += weights * values
        self._slack[rows] += raised
        self._soft[rows] += raised
        self._weighed_at[rows] = np.nan

    def _earn(self, played: Sequence[Action], z: Float64[np.ndarray, " features"]) -> Row:
        if isinstance(self._actions, ListedActions):
            return np.asarray(z[np.array(played, dtype=np.int64)])
        return np.asarray(self._actions.features(played) @ z)

    def log_bounds(self, rate: float) -> Row:
        """Return upper bounds on log W_i: log W_i itself where it was computed at this rate."""
        k = len(self)
        soft = np.where(rate <= self._soft_up_to[:k], self._soft[:k], self._slack[:k])
        bounds = self._log_size + rate * np.minimum(soft, self._slack[:k])
        return np.where(self.mark_weighed(rate), self._log_weight[:k], bounds).astype(np.float64)

    def mark_weighed(self, rate: float) -> Bool[np.ndarray, " rows"]:
        """Say of which rows the weight at this rate is known."""
        return np.equal(self._weighed_at[: len(self)], rate)

    def weigh(self, rows: Int64[np.ndarray, " chosen"], rate: float) -> None:
        r"""Compute the weights of some rows, O(actions) each.

        Of \sum_j exp(h D(i, j)) the term of j = i is 1; a rest that rounding may have made is none.
        """
        if not len(rows):
            return
        own = rate * self._own[rows]
        whole = self._actions.log_partition(rate * self._vectors[rows])
        rounding = _ROUNDING * (1 + np.maximum(np.abs(whole), np.abs(own)))
        log_all = np.where(whole - own <= rounding, 0.0, whole - own)
        with np.errstate(divide="ignore"):
            self._log_weight[rows] = log_all + np.log(-np.expm1(-log_all))
        self._soft[rows] = (log_all - self._log_size) / rate
        self._soft_up_to[rows] = self._weighed_at[rows] = rate

    def log_weights(self, rows: Int64[np.ndarray, " chosen"]) -> Row:
        """Return log W_i of rows that were weighed last."""
        return np.asarray(self._log_weight[rows])

    def _rows(self, played: Sequence[Action]) -> Int64[np.ndarray, " chosen"]:
        for action in played:
            if action not in self._index:
                self._index[action] = len(self.labels)
                self.labels.append(action)
        found = [self._index[action] for action in played]
        if len(self) > len(self._own):
            self._grow(max(len(self), 2 * len(self._own)))
        return np.array(found, dtype=np.int64)

    def _grow(self, capacity: int) -> None:
        for name in (
            "_vectors", "_own", "_slack", "_soft", "_soft_up_to", "_log_weight", "_weighed_at"
        ):  # fmt: skip
            old = getattr(self, name)
            new = np.zeros((capacity, *old.shape[1:]))
            new[: len(old)] = old
            setattr(self, name, new)
