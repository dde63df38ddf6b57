"""Admissible protocols one by one, and at random."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import log10, prod
from typing import Final

import numpy as np

from theory.errors import LimitError
from theory.inspection._problem import InspectionProblem
from theory.inspection._protocol import Protocol, blocks
from theory.shared.arguments import instance_of

__all__ = ["MAX_PROTOCOLS", "all_protocols", "count_protocols", "random_protocol"]

MAX_PROTOCOLS: Final = 1 << 20
"""How many protocols :func:`all_protocols` is willing to list."""


def count_protocols(problem: InspectionProblem) -> int:
    """Return how many admissible protocols there are: one option for every node there is."""
    instance_of("problem", problem, InspectionProblem, "use InspectionProblem.of")
    return prod(
        len(problem.options(n)) ** sum(1 for _ in blocks(labels))
        for n, labels in enumerate(problem.known)
    )


def all_protocols(problem: InspectionProblem) -> Iterator[Protocol]:
    """Yield every admissible protocol (volition, Definition 3.2) once.

    Raises
    ------
    LimitError
        For more than :data:`MAX_PROTOCOLS`.
    """
    instance_of("problem", problem, InspectionProblem, "use InspectionProblem.of")
    count = count_protocols(problem)
    if count > MAX_PROTOCOLS:
        raise LimitError(
            "admissible protocols",
            _show_count(count),
            f"are more than the limit of {MAX_PROTOCOLS:,}",
            "use best_admissible, or random_protocol",
        )
    return _all(problem)


def random_protocol(problem: InspectionProblem, generator: np.random.Generator) -> Protocol:
    """Return an admissible protocol with an independent uniform choice at every node."""
    instance_of("problem", problem, InspectionProblem, "use InspectionProblem.of")
    picked = []
    for n, labels in enumerate(problem.known):
        drawn = generator.integers(len(problem.options(n)), size=labels.shape)
        picked.append(np.take_along_axis(drawn, labels, axis=1))
    return Protocol(problem, tuple(picked))


def _show_count(count: int) -> str:
    return f"{count:,}" if count < 10**15 else f"about 10^{int(log10(count))}"


def _all(problem: InspectionProblem) -> Iterator[Protocol]:
    nodes = [
        (n, row, first) for n, labels in enumerate(problem.known) for row, first in blocks(labels)
    ]
    options = [range(len(problem.options(n))) for n, _, _ in nodes]
    for numbers in product(*options):
        picked = [np.zeros_like(labels) for labels in problem.known]
        for (n, row, first), number in zip(nodes, numbers, strict=True):
            picked[n][row, first] = number
        spread = zip(picked, problem.known, strict=True)
        yield Protocol(problem, tuple(np.take_along_axis(a, b, axis=1) for a, b in spread))
