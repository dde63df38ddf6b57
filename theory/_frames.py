"""Where code runs, and not where it says that it does."""

from __future__ import annotations

import sys
from types import FrameType

__all__ = ["running_module"]


def running_module(frame: FrameType) -> str:
    """Return the name of the module that a frame runs in; empty where it only claims to."""
    name, file = frame.f_globals.get("__name__"), frame.f_code.co_filename
    if file.startswith("<frozen "):
        name = file[8:-1]
    module = sys.modules.get(name) if type(name) is str else None
    return str(name) if getattr(module, "__dict__", None) is frame.f_globals else ""
