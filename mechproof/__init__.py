"""The roof: commands, processes, problem files and reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mechproof.sweep import Grid, SweepResult, load_sweep, run_sweep

__version__ = "0.1.0"
__all__ = ["Grid", "SweepResult", "__version__", "load_sweep", "run_sweep"]


def __getattr__(name: str) -> Any:
    """Load sweeps when they are asked for, so that the command starts fast."""
    if name in __all__:
        from mechproof import sweep

        return getattr(sweep, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
