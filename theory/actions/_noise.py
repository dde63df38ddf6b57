"""Noise for leaders that are perturbed."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.shared.arguments import read_generator, read_positive
from theory.shared.shapes import Float64

__all__ = ["NOISES", "draw_noise"]

NOISES: Final = ("normal", "exponential", "uniform")


def draw_noise(noise: Any, scale: Any, rng: Any, count: int) -> Float64[np.ndarray, " count"]:
    """Return ``count`` independent noises; see :meth:`ActionSet.choose_perturbed`.

    Raises
    ------
    UnknownNameError
        When ``noise`` names none of the laws.
    InvalidInputError
        When ``scale`` is not above 0 and finite, or ``rng`` is no generator.
    """
    factor = read_positive("scale", scale)
    if factor > 1e290:
        raise InvalidInputError("scale", scale, "is too large for float64", "scale it down")
    read_generator(rng)
    drawn: np.ndarray
    if noise == "normal":
        drawn = rng.standard_normal(count)
    elif noise == "exponential":
        drawn = rng.standard_exponential(count)
    elif noise == "uniform":
        drawn = rng.random(count)
    else:
        fix = "call sample for it" if noise == "gumbel" else nearest(noise, NOISES)
        raise UnknownNameError("noise", noise, "is no law of noise", fix)
    drawn *= factor
    return drawn
