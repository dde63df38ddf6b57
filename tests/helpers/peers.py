"""What others wrote, for the tests to compare with; no other code may import it."""

from __future__ import annotations

import importlib
import os
from types import ModuleType

import pytest


def gambit() -> ModuleType:
    """Return pygambit; where it is missing, fail if `MECHPROOF_PEERS` is `required`, else skip."""
    return _peer("pygambit")


def trueskill() -> ModuleType:
    """Return trueskill, as :func:`gambit` returns pygambit."""
    return _peer("trueskill")


def _peer(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
    reason = f"{name} is not installed; the command `python3 dev.py peers` installs it"
    if os.environ.get("MECHPROOF_PEERS") == "required":
        pytest.fail(reason)
    pytest.skip(reason)
