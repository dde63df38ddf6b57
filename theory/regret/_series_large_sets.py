"""Regret as it grows, on sets of any size."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from theory.actions import ActionSet
from theory.errors import InvalidInputError, LimitError, UnknownNameError, nearest
from theory.regret._evaluation import evaluate, external_on
from theory.regret._history import read_history_on
from theory.regret._reading import check_rounds, is_list
from theory.regret._recheck_large import recheck_external, recheck_large
from theory.regret._series import KINDS, RegretSeries
from theory.shared.arguments import refusing

__all__ = ["regret_series_on"]


@refusing
def regret_series_on(
    actions: ActionSet,
    plays: Any,
    observations: Any,
    rounds: Iterable[int],
    *,
    kinds: Iterable[str] = KINDS,
) -> RegretSeries:
    """Return the regrets of the first n rounds, for each n asked for, on a set of any size.

    Parameters
    ----------
    actions, plays, observations
        As for :func:`theory.regret.regret_on`.
    rounds : iterable of int
        Rising, from 1 to T.
    kinds : iterable of "external", "internal", "swap"
        Which to compute. External regret costs one best action for each n; internal regret looks
        only at actions that bounds leave; swap regret at all that were played.

    Raises
    ------
    InvalidInputError, ShapeError, ProbabilityError, NumberError, UnknownNameError, LimitError
        As there; and for internal or swap regret of laws over too many actions to go through.

    Examples
    --------
    >>> import numpy as np
    >>> from theory.actions import Features, SparseStrategy
    >>> actions = Features(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> plays = [SparseStrategy.pure(a, 2) for a in (0, 1, 0)]
    >>> z = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    >>> print(regret_series_on(actions, plays, z, rounds=[1, 3]))
    Average regret with 2 actions
    rounds  external  internal  swap
    ──────  ────────  ────────  ────
    1       1         1         1
    3       0.666667  0.666667  1
    """
    wanted = _wanted_kinds(kinds)
    history = read_history_on(actions, plays, observations)
    at = check_rounds(rounds, len(history.plays))
    if history.implicit and wanted != ("external",):
        raise LimitError(
            "plays",
            history.actions.size,
            "are laws over more actions than can be gone through",
            'pass kinds=("external",), or play sparse strategies',
        )
    last = int(at[-1])
    if last < len(history.plays):
        history = read_history_on(actions, history.plays[:last], history.observations[:last])
    if wanted == ("external",):
        steps = [external_on(history, n) for n in at.tolist()]
        gap, tolerance = recheck_external(*steps[-1], history)
        columns = {"external": [external.gain for _, external in steps]}
    else:
        found = [evaluate(history, n, swap="swap" in wanted) for n in at.tolist()]
        checked = recheck_large(found[-1], history)
        gap, tolerance = float(checked.gap), float(checked.tolerance)
        columns = {kind: [getattr(regret, kind).gain for regret in found] for kind in wanted}
    by_kind = {kind: np.array(columns[kind]) if kind in columns else None for kind in KINDS}
    return RegretSeries(
        size=actions.size,
        rounds=at,
        **by_kind,
        gap=gap,
        tolerance=tolerance,
    )


def _wanted_kinds(kinds: Any) -> tuple[str, ...]:
    """Return the kinds asked for, in the usual order."""
    if not is_list(kinds):
        raise InvalidInputError("kinds", kinds, "is no list of kinds", f"give some of {KINDS}")
    listed = list(kinds)
    for kind in listed:
        if not isinstance(kind, str) or kind not in KINDS:
            raise UnknownNameError("kinds", kind, "is no kind of regret", nearest(kind, KINDS))
    if not listed:
        raise InvalidInputError("kinds", listed, "is empty", f"give some of {KINDS}")
    return tuple(kind for kind in KINDS if kind in listed)
