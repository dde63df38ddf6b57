"""One topic a file; each has `rows()`. What a name that begins with `plain_` holds is no topic."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from benchmarks.harness.row import Bench
from theory.errors import InvalidInputError

__all__ = ["collect"]


def collect() -> dict[str, Bench]:
    """Every row by its id: by issue, then in the order of its file."""
    found: dict[str, Bench] = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name.startswith(("plain_", "_")):
            continue
        for row in import_module(f"{__name__}.{module.name}").rows():
            if row.id in found:
                raise InvalidInputError(module.name, row.id, "is there twice", "rename one")
            found[row.id] = row
    return dict(sorted(found.items(), key=lambda item: item[1].issue))
