"""The plugin for pytest: every property of a mechanism is a test of its own.

pytest loads this module at each start, so all else is imported only once a test module has
imported :mod:`mechproof.testing`.
"""

from __future__ import annotations

import sys

import pytest

__all__ = ["pytest_pycollect_makeitem"]


def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class, name: str, obj: object
) -> list[pytest.Item | pytest.Collector] | None:
    """Collect a test for each property from what ``mechanism_tests`` returned."""
    if "mechproof.testing" not in sys.modules:
        return None
    from mechproof.testing import MechanismTests

    if not isinstance(obj, MechanismTests):
        return None
    from mechproof.pytest_items import PropertyTest

    return [
        PropertyTest.from_parent(collector, name=f"{name}[{prop}]", tests=obj, prop=prop)
        for prop in obj.names
    ]
