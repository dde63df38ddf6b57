"""Checks that sweep files of the tests name."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

NUMBER = 3


def product(x: Any, y: Any, *, scale: Any = 1) -> Any:
    return {"slack": x * y * scale, "sign": "plus" if x * y >= 0 else "minus"}


def reciprocal(x: int, y: int) -> Fraction:
    return Fraction(x, y)


def kind(x: Any) -> str:
    return type(x).__name__


def noise(x: int, rng: np.random.Generator) -> float:
    return float(rng.normal())


def counted(x: int, folder: str) -> int:
    """Refuse x = 2 for as long as there is no file ``mended``; each call leaves a mark."""
    calls = Path(folder) / "calls"
    with calls.open("a", encoding="utf-8") as file:
        file.write(f"{x}\n")
    if x == 2 and not (Path(folder) / "mended").exists():
        raise ValueError("not yet")
    return x


def interrupted(x: int) -> int:
    if x == 2:
        raise KeyboardInterrupt
    return x
