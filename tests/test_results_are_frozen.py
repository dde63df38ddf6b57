"""What solvers and checkers return cannot be changed afterwards, and can be compared."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

import mechanisms
import theory

GROWS = {"History"}
"""The one public dataclass that is no result: a learner is told round after round."""


def public_dataclasses() -> Iterator[type[Any]]:
    for package in (theory, mechanisms):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if any(part.startswith("_") for part in module.name.split(".")):
                continue
            found = import_module(module.name)
            for name in getattr(found, "__all__", ()):
                value = getattr(found, name)
                if isinstance(value, type) and is_dataclass(value):
                    yield value


def test_public_dataclasses_are_frozen() -> None:
    kinds = set(public_dataclasses())
    assert len(kinds) > 100
    thawed = {kind.__name__ for kind in kinds if not kind.__dataclass_params__.frozen}
    assert thawed == GROWS


def test_public_dataclasses_that_hold_arrays_equal_themselves_alone() -> None:
    """Arrays have no truth value, so comparing two field by field fails."""
    holding = {
        kind
        for kind in public_dataclasses()
        if any("ndarray" in str(field.type) for field in fields(kind))
    }
    assert len(holding) > 10
    assert {kind.__name__ for kind in holding if kind.__eq__ is not object.__eq__} == set()
