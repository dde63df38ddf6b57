"""Somebody at the terminal, who answers what a mechanism asks."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Final

from mechproof.terminal import say

if TYPE_CHECKING:
    from mechanisms.play import Ask

__all__ = ["ask_person"]

_QUIT: Final = ":quit"


def ask_person(ask: Ask) -> Any:
    """Ask somebody at the terminal until the answer is legal.

    Returns
    -------
    object
        The answer as it was given: text, or what stands in JSON. None for ":quit" and at the end of
        the input.
    """
    from mechanisms.play import IllegalAnswerError

    say()
    say(f"— {ask.seat}, to {ask.role} —")
    say(ask.view)
    while True:
        say(f"Answer with {ask.answer}: ", nl=False)
        line = sys.stdin.readline()
        if not line or line.strip() == _QUIT:
            say()
            return None
        given = _read(line.rstrip("\n"))
        try:
            ask.answer.read(given)
        except IllegalAnswerError as error:
            say(f"That is not possible: {error}.")
        else:
            return given


def _read(line: str) -> object:
    """Read a line: JSON where it begins like an object or a list, otherwise the text itself.

    Decimals are read as written.
    """
    if line.lstrip().startswith(("{", "[")):
        try:
            return json.loads(line, parse_float=str)
        except (ValueError, RecursionError):  # numbers of thousands of digits are no JSON to Python
            return line
    return line
