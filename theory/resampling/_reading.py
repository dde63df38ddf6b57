"""Reading a generator and weights, exact or float64."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import fsum, log
from typing import Any, Final

import numpy as np

from theory.divergence import read_law
from theory.errors import (
    ExactnessError,
    InvalidInputError,
    ProbabilityError,
    ShapeError,
)
from theory.numbers import Exact, Floats, as_numbers
from theory.shared.arguments import read_count
from theory.shared.shapes import Bool, Float64, Int64

__all__ = ["ExactModel", "FloatModel", "model_of", "read_candidates"]

MAX_CANDIDATES: Final = 10**9
_LN2_HIGH: Final = float.fromhex("0x1.62e42fee00000p-1")
_LN2_LOW: Final = float.fromhex("0x1.a39ef35793c76p-33")
_FARTHEST: Final = 1e9
_SMALLEST: Final = 2.0**-1021


@dataclass(frozen=True)
class ExactModel:
    """A generator and weights in fractions; weights of what is never drawn are 0."""

    generator: tuple[Fraction, ...]
    weights: tuple[Fraction, ...]

    @property
    def mean(self) -> Fraction:
        """The mean weight of a candidate."""
        return sum((g * w for g, w in zip(self.generator, self.weights, strict=True)), Fraction(0))

    @property
    def limit(self) -> tuple[Fraction, ...]:
        """The law in proportion to generator times weight."""
        mean = self.mean
        return tuple(g * w / mean for g, w in zip(self.generator, self.weights, strict=True))

    @property
    def relative(self) -> tuple[Fraction, ...]:
        """W = limit/generator, the weights with mean 1."""
        mean = self.mean
        return tuple(w / mean for w in self.weights)


@dataclass(frozen=True, eq=False)
class FloatModel:
    """A generator and weights m 2^e in float64, m in [1/2, 1) or 0, the largest e being 0.

    ``classes`` numbers the distinct positive weights in ascending order, and -1 for weight 0.
    """

    generator: Float64[np.ndarray, " replies"]
    classes: Int64[np.ndarray, " replies"]
    mantissas: Float64[np.ndarray, " classes"]
    exponents: Int64[np.ndarray, " classes"]
    masses: Float64[np.ndarray, " classes"]

    @property
    def failing(self) -> float:
        """The probability that a candidate has weight 0."""
        return fsum(self.generator[self.classes < 0])

    @property
    def scaled(self) -> Float64[np.ndarray, " classes"]:
        """The distinct weights; those far below the largest one underflow."""
        return np.asarray(np.ldexp(self.mantissas, self.exponents))

    @property
    def positive(self) -> Bool[np.ndarray, " replies"]:
        """Which replies can be returned."""
        return np.asarray(self.classes >= 0)


def read_candidates(candidates: Any) -> int:
    """Return the number of candidates, an integer from 1 to ``MAX_CANDIDATES``."""
    return read_count("candidates", candidates, most=MAX_CANDIDATES)


def model_of(generator: object, weights: object, *, logarithms: bool) -> ExactModel | FloatModel:
    """Read both, in one kind of number."""
    law = read_law("generator", generator)
    if isinstance(law, np.ndarray):
        factors = _float_weights(weights, len(law), logarithms=logarithms)
        return _float_model(law, *factors)
    if logarithms:
        raise ExactnessError(
            "generator", generator, "is exact beside logarithms", "give it in float64"
        )
    numbers = as_numbers(weights, "weights")
    if not isinstance(numbers, Exact):
        raise ExactnessError(
            "weights", weights, "are of another kind than the generator", "write both in one kind"
        )
    _check_shape(numbers.shape, len(law))
    exact = [Fraction(w) for w in numbers.scalars()]
    for k, w in enumerate(exact):
        if w < 0:
            raise InvalidInputError(f"weights[{k}]", w, "is negative", "give at least 0")
    exact = [w if g else Fraction(0) for g, w in zip(law, exact, strict=True)]
    if not any(exact):
        raise _refuse_all_zero(weights)
    return ExactModel(tuple(law), tuple(exact))


def _check_shape(shape: tuple[int, ...], replies: int) -> None:
    if shape != (replies,):
        raise ShapeError(
            "weights", shape, f"are not one for each of {replies} replies", "give one a reply"
        )


def _refuse_all_zero(weights: object) -> ProbabilityError:
    return ProbabilityError(
        "weights",
        weights,
        "are 0 wherever the generator is not, so that no reply can be returned",
        "give a reply that can be drawn a positive weight",
    )


def _float_weights(
    weights: object, replies: int, *, logarithms: bool
) -> tuple[Float64[np.ndarray, " replies"], Int64[np.ndarray, " replies"]]:
    """Return mantissas in [1/2, 1) or 0, and exponents."""
    if logarithms:
        return _from_logarithms(weights, replies)
    numbers = as_numbers(weights, "weights")
    if not isinstance(numbers, Floats):
        raise ExactnessError(
            "weights", weights, "are of another kind than the generator", "write both in one kind"
        )
    _check_shape(numbers.shape, replies)
    values = np.array(numbers.scalars(), dtype=np.float64)
    if (values < 0).any():
        worst = int(np.argmax(values < 0))
        raise InvalidInputError(
            f"weights[{worst}]", values[worst], "is negative", "give at least 0"
        )
    mantissas, exponents = np.frexp(values)
    return mantissas, exponents.astype(np.int64)


def _from_logarithms(
    weights: object, replies: int
) -> tuple[Float64[np.ndarray, " replies"], Int64[np.ndarray, " replies"]]:
    try:
        logs = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInputError(
            "weights", weights, "are not logarithms in float64", "give floats; -inf means 0"
        ) from None
    _check_shape(logs.shape, replies)
    zero = logs == -np.inf
    kept = np.where(zero, 0.0, logs)
    if not np.isfinite(kept).all() or (np.abs(kept) > _FARTHEST).any():
        worst = int(np.argmax(~(np.abs(kept) <= _FARTHEST)))
        raise InvalidInputError(
            f"weights[{worst}]",
            float(logs[worst]),
            f"is no logarithm between -{_FARTHEST:g} and {_FARTHEST:g}",
            "give a finite one, or -inf for weight 0",
        )
    powers = np.floor(kept / log(2))
    rest = (kept - powers * _LN2_HIGH) - powers * _LN2_LOW
    mantissas, more = np.frexp(np.exp(rest))
    return np.where(zero, 0.0, mantissas), powers.astype(np.int64) + more


def _float_model(
    generator: Float64[np.ndarray, " replies"],
    mantissas: Float64[np.ndarray, " replies"],
    exponents: Int64[np.ndarray, " replies"],
) -> FloatModel:
    if ((generator > 0) & (generator < _SMALLEST)).any():
        problem = "holds a probability that float64 has not in full precision"
        raise InvalidInputError("generator", generator, problem, "leave it out, or give fractions")
    generator = generator / fsum(generator)
    positive = (mantissas > 0) & (generator > 0)
    if not positive.any():
        raise _refuse_all_zero(np.ldexp(mantissas, np.minimum(exponents, 1023)))
    exponents = exponents - int(exponents[positive].max())
    order = np.lexsort((mantissas[positive], exponents[positive]))
    places = np.flatnonzero(positive)[order]
    new = np.ones(len(places), dtype=bool)
    new[1:] = (np.diff(exponents[places]) != 0) | (np.diff(mantissas[places]) != 0)
    classes = np.full(len(generator), -1, dtype=np.int64)
    classes[places] = np.cumsum(new) - 1
    first = places[new]
    masses = np.bincount(classes[places], weights=generator[places], minlength=len(first))
    return FloatModel(generator, classes, mantissas[first], exponents[first], masses)
