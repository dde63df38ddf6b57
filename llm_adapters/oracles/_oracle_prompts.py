"""What the model of a best-response oracle is told, in our own words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import floor, log10
from typing import Final

from mechanisms.protocols import Message
from theory.shapes import Row

__all__ = ["conversation", "decimals"]

_RULES: Final = Message("system", "You choose one action of several. More points are better.")
_MOST_PLACES: Final = 300
_FEW: Final = 10


def conversation(situation: str, texts: Mapping[str, str], points: Sequence[str]) -> list[Message]:
    """Return what asks for one of the actions, each with its points."""
    lines = ["Actions, each with the points that it would have earned so far:"]
    for (name, text), earned in zip(texts.items(), points, strict=True):
        lines.append(f"- {name}: {earned} points{f' ({text})' if text else ''}")
    names = [json.dumps(name, ensure_ascii=False) for name in texts]
    choice = " or ".join(names) if len(names) <= _FEW else '"the name of the action"'
    asked = (
        "Which action would have earned the most?\n"
        f'Answer in JSON alone, in this form:\n{{\n  "action": {choice}\n}}'
    )
    parts = [*([situation] if situation else []), "\n".join(lines), asked]
    return [_RULES, Message("user", "\n\n".join(parts))]


def decimals(numbers: Row, digits: int) -> tuple[str, ...]:
    """Write numbers as plain decimals that tell the largest from the smallest to so many digits.

    Examples
    --------
    >>> import numpy as np
    >>> decimals(np.array([1234.5678, 1234.0, 1235.0]), 3)
    ('1234.57', '1234.00', '1235.00')
    >>> decimals(np.array([0.00012345, -0.0005]), 2)
    ('0.00012', '-0.00050')
    """
    spread = float(numbers.max()) - float(numbers.min())
    places = digits if spread == 0 else digits - 1 - floor(log10(spread))
    places = min(max(places, 0), _MOST_PLACES)
    return tuple(f"{round(number, places) + 0.0:.{places}f}" for number in numbers.tolist())
