"""What others wrote, for the tests to compare with; no other code may import it."""

from __future__ import annotations

import importlib
import os
from types import ModuleType

import pytest


def gambit() -> ModuleType:
    """Return pygambit; where it is missing, fail if `MECHPROOF_PEERS` is `required`, else skip."""
    try:
        return importlib.import_module("pygambit")
    except ModuleNotFoundError as error:
        if error.name != "pygambit":
            raise
    reason = "pygambit is not installed; the command `python3 dev.py peers` installs it"
    if os.environ.get("MECHPROOF_PEERS") == "required":
        pytest.fail(reason)
    pytest.skip(reason)
