"""The shapes of arrays in annotations.

Annotations here are strings that nothing evaluates, so the package starts without jaxtyping. When
jaxtyping is loaded first, as the tests do, the names are the real ones and shapes are checked.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING or "jaxtyping" in sys.modules:
    from jaxtyping import Bool, Float, Float64, Int64, Integer

    Event = Bool[np.ndarray, " states"]
    Labels = Int64[np.ndarray, " states"]
    Places = Int64[np.ndarray, " k"]
    Labels2D = Int64[np.ndarray, "_ states"]
    Row = Float[np.ndarray, " entries"]
    Point = Float[np.ndarray, "slots entries"]
else:
    Bool = Float = Float64 = Int64 = Integer = object
    Event = Labels = Labels2D = Places = Row = Point = np.ndarray

__all__ = [
    "Bool",
    "Event",
    "Float",
    "Float64",
    "Int64",
    "Integer",
    "Labels",
    "Labels2D",
    "Places",
    "Point",
    "Row",
]
