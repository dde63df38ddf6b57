"""What matplotlib is told for every picture, whatever the settings of whoever runs it."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["SETTINGS"]

SETTINGS: Final[Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "mechproof",
    "text.parse_math": False,
    "text.usetex": False,
}
"""Text stays text, and neither mathematics nor TeX; names in SVG are the same in each run."""
