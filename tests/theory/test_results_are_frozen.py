"""What solvers and checkers return cannot be changed afterwards, and can be compared."""

from __future__ import annotations

import pkgutil
import re
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

import mechanisms
import theory
from theory.numbers import Numbers

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
    players = {k.__name__ for k in kinds if hasattr(k, "bid") or "__call__" in dir(k)}
    assert thawed - players == GROWS  # participants are no results


def holds_arrays(kind: type[Any]) -> bool:
    """Whether a field is annotated with arrays, or with a name that stands for some."""
    names = vars(sys.modules[kind.__module__])
    words = {word for field in fields(kind) for word in re.findall(r"\w+", str(field.type))}
    meant = [names[word] for word in words if word in names]
    return "ndarray" in words or any("ndarray" in repr(m) or m is Numbers for m in meant)


def test_public_dataclasses_that_hold_arrays_are_not_compared_by_field() -> None:
    """Arrays have no truth value, so that comparison fails."""
    holding = set(filter(holds_arrays, public_dataclasses()))
    assert len(holding) > 20
    assert {kind.__name__ for kind in holding if kind.__dataclass_params__.eq} == set()
