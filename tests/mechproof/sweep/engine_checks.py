"""Checks for sweeps, which workers find by name."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np


def product(x: int, y: int) -> int:
    return x * y


def chance(x: int, y: int, seed: int, *, rng: np.random.Generator) -> dict[str, object]:
    return {"seed": seed, "drawn": int(rng.integers(10**9))}


def picky(x: int, y: int) -> Fraction:
    return Fraction(x, y)


def leaves(x: int, y: int) -> int:
    if x == y:
        raise SystemExit("politely")
    return x


def cancelled(x: int, y: int) -> int:
    """Raise what ends a task or a test, and is no Exception."""
    if x == y:
        raise asyncio.CancelledError("no more")
    return x


def kills(x: int, y: int) -> int:
    if x == y == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return x - y


def ends(x: int, y: int) -> int:
    """End the process as a library written in C may do."""
    if x == y == 1:
        os._exit(3)
    return x - y


@dataclass
class Counting:
    """Counts its calls in a file; neither it nor whether it fails makes it another check."""

    file: str = field(compare=False)
    fails: bool = field(default=False, compare=False)

    def __call__(self, x: int, y: int) -> int:
        with open(self.file, "a", encoding="utf-8") as file:
            file.write(f"{x} {y}\n")
        if self.fails and x == y:
            raise ValueError("on the diagonal")
        return x + y


class Holds:
    """Holds what cannot be sent."""

    def __init__(self, part: Any) -> None:
        self.part = part

    def __call__(self, x: int, y: int) -> int:
        return 0


def local() -> Callable[..., int]:
    shift = 3

    def inner(x: int, y: int) -> int:
        return x + y + shift

    return inner


class BreaksWhenLoaded:
    """Can be sent, and cannot be received."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (int, ("no number",))

    def __call__(self, x: int, y: int) -> int:
        return 0
