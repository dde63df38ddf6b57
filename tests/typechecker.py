"""The run-time type checker of the tests."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Self

from beartype import BeartypeConf, beartype
from beartype._check.code import codemain

NUMERIC_TOWER = BeartypeConf(is_pep484_tower=True)
"""An int is a float to type checkers, so it is one here."""

# beartype draws which entries it looks at; not from the generator that all share, which we watch.
codemain.getrandbits = Random(0).getrandbits  # pyright: ignore[reportPrivateImportUsage]


def typechecked(function: Callable[..., Any]) -> Callable[..., Any]:
    """Apply beartype to a function or to one method, for which it cannot tell what `Self` is."""
    hints = function.__annotations__.items()
    function.__annotations__ = {name: Any if hint is Self else hint for name, hint in hints}
    return beartype(conf=NUMERIC_TOWER)(function)
