"""What matplotlib is told for every picture, whatever the settings of whoever runs it."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["settings"]

_OURS: Final[Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "mechproof",
    "text.parse_math": False,
    "text.usetex": False,
}
"""Text stays text, and neither mathematics nor TeX; names in SVG are the same in each run."""


def settings(**more: Any) -> Any:
    """Return matplotlib's own settings with ours, and more, in their place.

    Without its own, a file ``matplotlibrc`` of the current folder would have a say, also in which
    files are written beside a picture. The backend stays as it is.
    """
    import matplotlib as mpl

    usual = {name: value for name, value in dict.items(mpl.rcParamsDefault) if name != "backend"}
    return {**usual, **_OURS, **more}
