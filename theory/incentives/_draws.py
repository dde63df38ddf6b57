"""A stand-in for NumPy's generator that goes through every draw, each with its probability."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import prod
from numbers import Integral
from typing import Any, Final, NoReturn, TypeVar

import numpy as np

from theory.errors import InvalidInputError, ProbabilityError
from theory.incentives._outcome import Lottery

__all__ = ["BRANCHES", "Draws", "Path", "chance_of", "next_path", "refusal"]

BRANCHES: Final = 1_024
"""The most ways in which the draws of one run may come out."""

_BITS: Final = np.random.PCG64(0)
"""What a generator must have; nothing that is answered comes of it."""
_FINITE: Final = ("integers", "choice", "permutation", "shuffle")

Chances = int | tuple[Fraction, ...]
"""The law of one draw: so many equally likely options, or the probability of each."""
Path = tuple[tuple[int, Chances], ...]
"""The draws of a run: which option came, and of what law."""

T = TypeVar("T")


class Draws:
    """The draws of one run: first those of a path, then the first option of each.

    Attributes
    ----------
    made : list of pairs (option, law)
    refused : str
        What was asked for that has no list of options; empty for nothing.
    changed : bool
        Whether the run asked for other draws than the path has.
    inexact : bool
        Whether a probability came as a float.
    """

    def __init__(self, path: Path = ()) -> None:
        self._path, self._closed = path, False
        self.made: list[tuple[int, Chances]] = []
        self.refused = ""
        self.changed = False
        self.inexact = False

    def run(self, rule: Callable[[np.random.Generator], T]) -> T:
        """Return the outcome of these draws.

        Raises
        ------
        InvalidInputError
            Where there is a draw that cannot be followed, also if the rule has caught that.
        """
        try:
            found = rule(_EnumeratingGenerator(self))
        finally:
            self._closed = True
            if self.refused:
                self._refuse(self.refused)
        self.changed |= len(self.made) < len(self._path)
        return found

    def method(self, name: str) -> Any:
        """Return the method of that name, where what it draws can be gone through."""
        if self._closed:
            self._refuse("a draw after the run that the generator was for")
        return getattr(self, name) if name in _FINITE else self._refuse(name)

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = None, endpoint: Any = False
    ) -> Any:
        first, end = (0, low) if high is None else (low, high)
        if not isinstance(first, Integral) or not isinstance(end, Integral) or dtype is not None:
            self._refuse("integers of arrays, or of a dtype")
        return np.int64(first) + self._several(size, int(end) - int(first) + bool(endpoint))

    def choice(
        self, a: Any, size: Any = None, replace: Any = True, p: Any = None, **other: Any
    ) -> Any:
        pool = _pool(a)
        if other or (not replace and size is not None and p is not None):
            self._refuse("choice with an axis, or unequal chances without replacement")
        if p is not None:
            options, chances = self._weigh_options(p, len(pool))
            return pool[options[self._several(size, chances)]]
        if not replace and isinstance(size, Integral):
            return pool[self._order(len(pool), int(size))]
        return pool[self._several(size, len(pool))]

    def permutation(self, x: Any, axis: Any = 0) -> Any:
        if axis != 0:
            self._refuse("permutation along an axis")
        pool = _pool(x)
        return pool[self._order(len(pool), len(pool))]

    def shuffle(self, x: Any, axis: Any = 0) -> None:
        if axis != 0:
            self._refuse("shuffle along an axis")
        order = self._order(len(x), len(x))
        x[:] = x[order] if isinstance(x, np.ndarray) else [x[k] for k in order]

    def _several(self, size: Any, chances: Chances) -> Any:
        """Return one option, or an array of independent ones."""
        if size is None:
            return np.int64(self._pick(chances))
        if not isinstance(size, Integral):
            self._refuse("an array with more than one axis")
        return np.array([self._pick(chances) for _ in range(int(size))], dtype=np.int64)

    def _order(self, count: int, size: int) -> list[int]:
        """Return some of so many places in an order, all orders equally likely."""
        if size > count:
            raise ValueError("cannot take more than there is without replacement")
        left = list(range(count))
        return [left.pop(self._pick(len(left))) for _ in range(size)]

    def _weigh_options(self, p: Any, count: int) -> tuple[np.ndarray, tuple[Fraction, ...]]:
        """Return the options whose probability is above 0, and these, with sum 1."""
        if len(p) != count:
            raise ValueError("there is not one probability an option")
        try:
            law = Lottery(enumerate(p))
        except ProbabilityError as error:
            self._refuse(f"choice: {error}")
        self.inexact |= law.inexact
        whole = sum((chance for _, chance in law.support), start=Fraction(0))
        return (
            np.array([option for option, _ in law.support]),
            tuple(chance / whole for _, chance in law.support),
        )

    def _pick(self, chances: Chances) -> int:
        options = _options(chances)
        if options < 1:
            raise ValueError("there is nothing to draw from")
        if options > BRANCHES:
            self._refuse(f"a draw from {options:,} options, more than {BRANCHES:,}")
        if len(self.made) >= BRANCHES:
            self._refuse(f"more than {BRANCHES:,} draws")
        depth, option = len(self.made), 0
        if depth < len(self._path):
            option, known = self._path[depth]
            if known != chances:
                self.changed, option = True, 0
        self.made.append((option, chances))
        return option

    def _refuse(self, what: str) -> NoReturn:
        self.refused = self.refused or what
        raise refusal(self.refused)


class _EnumeratingGenerator(np.random.Generator):
    """What a mechanism is given: a generator by its class, whose every method is that of draws."""

    def __init__(self, draws: Draws) -> None:
        super().__init__(_BITS)
        self._draws = draws

    def __getattribute__(self, name: str) -> Any:
        if name == "capsule":  # np.random.default_rng asks whether this is a bit generator
            raise AttributeError(name)
        if name == "__class__":
            return np.random.Generator
        return object.__getattribute__(self, "_draws").method(name)


def refusal(what: str) -> InvalidInputError:
    """Return what to raise where draws cannot be gone through."""
    fix = f"draw with {', '.join(_FINITE)}, in at most {BRANCHES:,} ways"
    return InvalidInputError("rng", what, "cannot be gone through draw by draw", fix)


def next_path(path: Path) -> Path | None:
    """Return where the next run begins that draws otherwise; None where there is no other.

    The last draw changes fastest.
    """
    begun = list(path)
    while begun:
        option, chances = begun.pop()
        if option + 1 < _options(chances):
            return (*begun, (option + 1, chances))
    return None


def chance_of(path: Path) -> Fraction:
    """Return the probability of a path."""
    return prod(
        (Fraction(1, c) if isinstance(c, int) else c[option] for option, c in path),
        start=Fraction(1),
    )


def _options(chances: Chances) -> int:
    return chances if isinstance(chances, int) else len(chances)


def _pool(a: Any) -> np.ndarray:
    return np.arange(int(a)) if isinstance(a, Integral) else np.asarray(a)
