"""The ex-ante value of a signal beside a plain copy of the utilities (issue 2)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from benchmarks.harness import AtMostTimes, Growth, Row, Work, close_to

STATES, ACTIONS, SIGNALS = 1_000_000, 10, 1000
WORK = f"ex-ante value, {STATES:,} states, {ACTIONS} actions, {SIGNALS:,} signals, float64"


@cache
def _numbers(states: int = STATES) -> tuple[Any, Any, Any]:
    import numpy as np

    generator = np.random.default_rng(0)
    p = generator.random(states)
    p /= p.sum()
    u = generator.standard_normal((ACTIONS, states))
    return p, u, generator.integers(SIGNALS, size=states)


def _ours(states: int = STATES) -> float:
    from theory.information import ex_ante_value

    return float(ex_ante_value(*_numbers(states)))


def _plain(states: int = STATES) -> float:
    """One product array, and one bincount a row."""
    import numpy as np

    p, u, signal = _numbers(states)
    weighted = u * p
    sums = np.array([np.bincount(signal, row, SIGNALS) for row in weighted])
    return float(sums.max(axis=0).sum() - weighted.sum(axis=1).max())


def _copied() -> Any:
    return _numbers()[1].copy()


def _grown(states: int) -> Work:
    _numbers(states)
    return lambda: _ours(states)


def _plain_grown(states: int) -> Work:
    return lambda: _plain(states)


def rows() -> Iterator[Row | Growth]:
    yield Row(
        id="information.ex-ante-value",
        issue=2,
        work=WORK,
        ours=_ours,
        peer=_copied,
        peer_name="a plain copy of the utilities",
        agree=lambda ours, _: close_to(1e-9)(ours, _plain()),
        prepare=_numbers,
        target=AtMostTimes(3),
    )
    yield Row(
        id="information.ex-ante-value/numpy",
        issue=2,
        work=WORK,
        ours=_ours,
        peer=_plain,
        peer_name="plain NumPy",
        agree=close_to(1e-9),
        prepare=_numbers,
    )
    yield Growth(
        id="information.ex-ante-value-by-states",
        issue=2,
        work=f"ex-ante value by states, {ACTIONS} actions, {SIGNALS:,} signals, float64",
        sizes=(10_000, 30_000, 100_000, 300_000, 1_000_000),
        ours=_grown,
        peer=_plain_grown,
        peer_name="plain NumPy",
        agree=close_to(1e-9),
    )
