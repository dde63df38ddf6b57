"""Kernels that numba compiles. Import this inside functions only: ``import theory`` stays light."""

from __future__ import annotations

from collections.abc import Callable
from inspect import unwrap
from typing import Any, TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a function of arrays and numbers to machine code, kept on disk where that is allowed.

    Tests wrap functions to check the types of their arguments; a compiler reads the plain
    function, so the wrapping is taken off first. Division by zero follows IEEE 754 (error_model
    "numpy"), which keeps branches out of inner loops: a kernel checks what it divides by. Kernels
    that call one another belong in one file: what is kept on disk is renewed when its file changes.
    """
    return _compiled(function, False)


def fused_kernel(function: F) -> F:
    """Compile as :func:`kernel` does, where a product and a sum may be rounded once.

    No other liberty is taken: what the rounding of sums and differences alone decides stays right.
    """
    return _compiled(function, {"contract"})


def unordered_kernel(function: F) -> F:
    """Compile a function whose sums may be taken in any order, so that they run in lanes.

    Meant for functions as small as ``a + b``: a loop that gathers its total through one may be
    split, while all else in the loop is computed as written. Such a loop must write to no array:
    where arrays lie in memory would else decide whether it is split, and so the last bits.
    """
    return _compiled(function, {"contract", "reassoc", "nsz"})


def _compiled(function: F, liberties: bool | set[str]) -> F:
    plain = unwrap(function)
    try:
        compiled = njit(cache=True, error_model="numpy", fastmath=liberties)(plain)
    except RuntimeError:  # no folder may be written to
        compiled = njit(error_model="numpy", fastmath=liberties)(plain)
    return cast("F", compiled)
