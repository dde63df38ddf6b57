"""Exact points at which a trace is compared with the code: ties, thresholds, inside every path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from theory.errors import LimitError
from theory.proofs import Condition, Obligation, Path, Polynomial, point_of

__all__ = ["Tree", "border", "far", "inside", "mixed"]

Point = Mapping[str, Fraction]

_WHOLE: Final = tuple(map(Fraction, (0, 1, 2, 3, -1, 5)))
_STEPS: Final = tuple(map(Fraction, ("1", "1/3", "1/1000")))

_SCALES: Final = tuple(Fraction(10) ** k for k in (2, 3, 4, 6, 9, 20))
_FAR: Final = 4


class Tree:
    """Which path a point takes: the comparisons of all paths, in the order they are made."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._root: dict[Any, Any] = {}
        for place, path in enumerate(paths):
            node = self._root
            for condition in path.conditions:
                asked = condition.polynomial if condition.strict else -condition.polynomial
                node.setdefault("asked", asked)
                node = node.setdefault(condition.strict, {})
            node["path"] = place

    def taken(self, at: Point) -> int | None:
        """Return the place of the path; None for a branch that was cut."""
        node: dict[Any, Any] | None = self._root
        while node is not None and "asked" in node:
            node = node.get(node["asked"].value(at) > 0)
        return None if node is None else node["path"]


def mixed(
    names: Sequence[str],
    given: Sequence[Condition],
    paths: Iterable[Path],
    count: int,
    generator: np.random.Generator,
) -> Iterator[dict[str, Fraction]]:
    """Yield up to ``count`` points that meet the hypotheses, full of ties.

    Numbers are small integers, bounds and thresholds of the code, or a step beside one of these; a
    third of them stand in another place, too.
    """
    pools = _pools(names, [*given, *(c for path in paths for c in path.conditions)])
    for _ in range(count):
        point: dict[str, Fraction] = {}
        for name in names:
            earlier = list(point.values())
            pool = earlier if earlier and generator.integers(3) == 0 else pools[name]
            value = pool[int(generator.integers(len(pool)))]
            if generator.integers(4) == 0:
                value += _STEPS[int(generator.integers(3))] * (1 - 2 * int(generator.integers(2)))
            point[name] = value
        if all(condition.holds(point) for condition in given):
            yield point


def far(
    names: Sequence[str], given: Sequence[Condition], generator: np.random.Generator
) -> Iterator[dict[str, Fraction]]:
    """Yield points that meet the hypotheses, up to 10^20 away from 0, with ties."""
    for scale in _SCALES:
        for _ in range(_FAR):
            steps = generator.integers(-2, 4, size=len(names))
            shift = Fraction(int(generator.integers(2)))
            point = {n: scale * int(k) + shift for n, k in zip(names, steps, strict=True)}
            if all(condition.holds(point) for condition in given):
                yield point


def _pools(names: Sequence[str], conditions: Iterable[Condition]) -> dict[str, list[Fraction]]:
    """Return what each symbol may be: whole numbers, and where a comparison with one turns."""
    pools = {name: dict.fromkeys(_WHOLE) for name in names}
    for polynomial in dict.fromkeys(condition.polynomial for condition in conditions):
        turn = _turn(polynomial)
        if turn is not None:
            pools[turn[0]] |= dict.fromkeys((turn[1], turn[1] + 1, turn[1] + Fraction(1, 2)))
    return {name: list(pool) for name, pool in pools.items()}


def _turn(polynomial: Polynomial) -> tuple[str, Fraction] | None:
    """Return where a linear polynomial in one symbol is zero."""
    slopes = [(e, c) for e, c in polynomial.terms if any(e)]
    if len(slopes) != 1 or sum(slopes[0][0]) != 1:
        return None
    ((exponents, slope),) = slopes
    constant = sum((c for e, c in polynomial.terms if not any(e)), start=Fraction(0))
    return polynomial.names[exponents.index(1)], -constant / slope


def inside(path: Obligation) -> dict[str, Fraction] | None:
    """Return a point of a path, inside where it has an inside; None where none was found."""
    try:
        return point_of(path.assumed)
    except LimitError:
        return None


def border(path: Obligation) -> dict[str, Fraction] | None:
    """Return a point of a path at which its last weak comparison is a tie, if there is one."""
    weak = [condition for condition in path.assumed if not condition.strict]
    if not weak:
        return None
    try:
        return point_of([*path.assumed, Condition(-weak[-1].polynomial, strict=False)])
    except LimitError:
        return None
