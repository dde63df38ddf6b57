"""Exact points at which a trace is compared with the code: ties, thresholds, inside every path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, floor, lcm
from os import urandom
from random import Random, SystemRandom
from typing import Any, Final

import numpy as np

from theory.errors import LimitError
from theory.incentives.proving._trace_failure import Untraced
from theory.proofs import (
    Condition,
    Obligation,
    Path,
    Polynomial,
    decide,
    installed_solvers,
    point_of,
)

__all__ = [
    "Chance",
    "Finder",
    "Tree",
    "border_point",
    "far_points",
    "generic_points",
    "mixed_points",
    "point_near",
    "whole_point",
]

Point = Mapping[str, Fraction]

_WHOLE: Final = tuple(map(Fraction, (0, 1, 2, 3, -1, 5)))
_STEPS: Final = tuple(map(Fraction, ("1", "1/3", "1/1000")))

_SCALES: Final = tuple(Fraction(10) ** k for k in (2, 3, 4, 6, 9, 20))
_WRAPPING: Final = (3 * 2**30, 3 * 2**60, 2**63 - 1)
_GENERIC: Final = (200, 190, 128, 63, 60, 40, 30, 20, 10, 4, 0, -3, -10, -30, -60, -120)
"""How far generic points lie from their base, as powers of 2."""

_PRIMES: Final = (3, 7, 31, 127, 1009, 65_537, 2**31 - 1, 2**61 - 1, 2**89 - 1, 2**127 - 1)
_ROUNDED: Final = (54, 60, 64)
"""Lengths of integers that floats round; from the last on, NumPy's have no sign."""

_FAR: Final = 4
_SHARES: Final = 16

_GUESSES: Final = 256
"""How many points are tried for a path that is not linear, before a solver is asked."""


class Chance(SystemRandom):
    """Random numbers of the system, which is asked for many at a time."""

    _block = b""

    def getrandbits(self, k: int) -> int:
        """Return an integer of ``k`` random bits."""
        size = (k + 7) // 8
        if size > len(self._block):
            self._block = urandom(max(size, 1 << 12))
        taken, self._block = self._block[:size], self._block[size:]
        return int.from_bytes(taken, "big") >> (8 * size - k)


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


def mixed_points(
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


def far_points(
    names: Sequence[str], given: Sequence[Condition], generator: np.random.Generator
) -> Iterator[dict[str, Fraction]]:
    """Yield points that meet the hypotheses, up to 10^20 away from 0, with ties.

    At some of them sums, squares or higher powers leave the 64 bits of an integer of NumPy.
    """
    points = (
        *_yield_wrapping_points(names),
        *_of_every_length(names, generator),
        *_below_bounds(names, given),
        *_far(names, generator),
    )
    yield from (point for point in points if all(c.holds(point) for c in given))


def _yield_wrapping_points(names: Sequence[str]) -> Iterator[dict[str, Fraction]]:
    for size in _WRAPPING:
        for sign in (1, -1):
            for share in (size, size // 2):
                yield {n: Fraction(sign * (size, share)[j % 2]) for j, n in enumerate(names)}


def _of_every_length(
    names: Sequence[str], generator: np.random.Generator
) -> Iterator[dict[str, Fraction]]:
    """Yield integers of 3 to 64 bits: a power of one wraps at some length, whatever the power.

    At lengths that floats round there are some that all but tie, too.
    """
    for bits in range(3, 65):
        for sign in (1, -1) if bits % 4 == 0 else (1,):
            drawn = generator.integers(2 ** (bits - 1), 2**bits - 1, size=len(names), dtype="u8")
            yield {name: Fraction(sign * int(k)) for name, k in zip(names, drawn, strict=True)}
    for bits, step, first in product(_ROUNDED, (1, -1), range(3)):
        near = 2 ** (bits - 1) + 64
        steps = enumerate(names, start=first)
        yield {name: Fraction(near + step * (k % len(names))) for k, name in steps}


def _below_bounds(
    names: Sequence[str], given: Sequence[Condition]
) -> Iterator[dict[str, Fraction]]:
    """Yield shares of the largest bound, rounded to integers, the same for all or each its own."""
    turns = [_turn(condition.polynomial) for condition in given]
    most = max((abs(turn[1]) for turn in turns if turn is not None), default=Fraction(0))
    for part in range(1, _SHARES) if most else ():
        for sign in (1, -1):
            yield {name: Fraction(sign * round(most * part / _SHARES)) for name in names}
            yield {
                name: Fraction(sign * round(most * ((part + j) % _SHARES) / _SHARES))
                for j, name in enumerate(names)
            }


def _far(names: Sequence[str], generator: np.random.Generator) -> Iterator[dict[str, Fraction]]:
    for scale in _SCALES:
        for _ in range(_FAR):
            steps = generator.integers(-2, 4, size=len(names))
            shift = Fraction(int(generator.integers(2)))
            yield {n: scale * int(k) + shift for n, k in zip(names, steps, strict=True)}


def generic_points(base: Point, given: Sequence[Condition], chance: Random) -> Iterator[Point]:
    """Yield points that nobody can foresee, of many sizes, as far from a base as bounds allow.

    Their distances are random numerators of up to 200 bits over primes of many lengths; and, where
    the bounds allow it, random integers of up to 200 bits.
    """
    for size in _GENERIC:
        for whole in (False, True):
            found = (
                point_near(base, given, chance, size, whole=whole) if whole and size > 4 else None
            )
            found = found or point_near(base, given, chance, size)
            if found is not None:
                yield found


def point_near(
    base: Point, given: Sequence[Condition], chance: Random, size: int, *, whole: bool = False
) -> Point | None:
    """Return a point in a random direction from a base, about 2^size away, or nearer.

    None where the conditions leave no room around the base.
    """
    direction = {name: _random_number(chance, whole=whole) for name in base}
    for shrunk in range(0, 60 if not whole else max(1, size - 4)):
        scale = Fraction(2) ** (size - (shrunk if shrunk < 20 else 8 * (shrunk - 18)))
        if whole:
            at = {n: Fraction(round(base[n] + scale * direction[n])) for n in base}
        else:
            at = {n: base[n] + scale * direction[n] for n in base}
        if all(condition.holds(at) for condition in given):
            return at
    return None


def whole_point(known: Point, given: Sequence[Condition]) -> Point | None:
    """Return a point of integers that meets the conditions as one that is known does, if one does.

    Tried are the known one with its denominators cleared, and rounded in several ways.
    """
    common = lcm(*(value.denominator for value in known.values()))
    ways: tuple[Callable[[Fraction], Any], ...] = (lambda x: x * common, floor, ceil, round)
    tried = ({name: Fraction(way(value)) for name, value in known.items()} for way in ways)
    return next((at for at in tried if all(c.holds(at) for c in given)), None)


def _random_number(chance: Random, *, whole: bool) -> Fraction:
    """Return a random number between -1 and 1."""
    if whole:
        return Fraction(chance.getrandbits(200), 2**200) * chance.choice((-1, 1))
    prime = chance.choice(_PRIMES)
    bits = chance.choice((64, 200))
    below = Fraction(chance.getrandbits(bits) * prime + 1 + chance.randrange(prime - 1), prime)
    return below * Fraction(chance.choice((-1, 1)), 2 ** (bits + 1))


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


@dataclass(frozen=True)
class Finder:
    """Finds points of paths; a solver is asked where linear programs and guesses find none."""

    solver: str
    steps: int

    def inside(
        self, conditions: Sequence[Condition], names: Sequence[str]
    ) -> dict[str, Fraction] | None:
        """Return a point of a path, in its interior if it has one; None for an empty path.

        Raises
        ------
        Untraced
            Where the path was not shown to be empty, and no rational point of it was found.
        """
        found: Mapping[str, Fraction] | None
        try:
            found = point_of(conditions)
        except LimitError:
            found = None
        if found is None:
            found = _guess(conditions, names) or self._ask_solver(conditions)
        return None if found is None else _complete(found, names)

    def _ask_solver(self, conditions: Sequence[Condition]) -> Mapping[str, Fraction] | None:
        others = [name for name in ("z3", "cvc5") if name in installed_solvers()]
        reason = ""
        for solver in dict.fromkeys((self.solver, *others)):
            answer = decide([Obligation(tuple(conditions), None)], solver=solver, steps=self.steps)
            if answer.verdict == "proved":
                return None
            if answer.model is not None:
                return answer.model
            reason = reason or f"{answer.solver}: {answer.reason}"
        path = " and ".join(map(str, conditions))
        raise Untraced(
            f"no exact point was found at which to compare trace and code on the path {path} "
            f"({reason})"
        )


def _guess(conditions: Sequence[Condition], names: Sequence[str]) -> dict[str, Fraction] | None:
    """Return a point of a path among numbers of several sizes, the same ones for every path."""
    generator = np.random.default_rng(0)
    sizes = (Fraction(1, 10), *(Fraction(10) ** k for k in range(5)))
    for _ in range(_GUESSES):
        steps = generator.integers(-9, 10, size=len(names))
        chosen = generator.integers(len(sizes), size=len(names))
        point = {n: int(k) * sizes[j] for n, k, j in zip(names, steps, chosen, strict=True)}
        if all(condition.holds(point) for condition in conditions):
            return point
    return None


def border_point(
    conditions: Sequence[Condition], names: Sequence[str]
) -> dict[str, Fraction] | None:
    """Return a point of a path at which its last weak comparison is a tie, if one is found."""
    weak = [condition for condition in conditions if not condition.strict]
    if not weak:
        return None
    try:
        found = point_of([*conditions, Condition(-weak[-1].polynomial, strict=False)])
    except LimitError:
        return None
    return None if found is None else _complete(found, names)


def _complete(point: Point, names: Sequence[str]) -> dict[str, Fraction]:
    """Return a point with all names; those that no condition is about are 0."""
    return {name: point.get(name, Fraction(0)) for name in names}
