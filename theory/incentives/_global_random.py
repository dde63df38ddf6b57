"""The random state that a whole process shares: whether a program draws on it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

__all__ = ["global_random_state"]


@contextmanager
def global_random_state(seed: int) -> Iterator[list[str]]:
    """Seed ``random`` and ``numpy.random``, say which of them moved, and put them back.

    A program that draws on them moves them, and what it draws differs between contexts with
    different seeds. The list that is given is filled when the context ends.

    Examples
    --------
    >>> with global_random_state(1) as moved:
    ...     _ = random.random()
    >>> moved
    ['random']
    """
    kept, numpy_kept = random.getstate(), np.random.get_state()  # noqa: NPY002
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    start, numpy_start = random.getstate(), _numpy_state()
    moved: list[str] = []
    try:
        yield moved
    finally:
        if random.getstate() != start:
            moved.append("random")
        if _numpy_state() != numpy_start:
            moved.append("numpy.random")
        random.setstate(kept)
        np.random.set_state(numpy_kept)  # noqa: NPY002


def _numpy_state() -> tuple[object, ...]:
    name, keys, *rest = np.random.get_state()  # noqa: NPY002
    return (name, bytes(np.asarray(keys)), *rest)
