"""The run-time type checker of the tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from beartype import BeartypeConf, beartype

NUMERIC_TOWER = BeartypeConf(is_pep484_tower=True)
"""An int is a float to type checkers, so it is one here."""


def typechecked(function: Callable[..., Any]) -> Callable[..., Any]:
    """Apply beartype to a function or to one method, for which it cannot tell what `Self` is."""
    hints = function.__annotations__.items()
    function.__annotations__ = {name: Any if hint is Self else hint for name, hint in hints}
    return beartype(conf=NUMERIC_TOWER)(function)
