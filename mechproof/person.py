"""Somebody at the terminal, who answers what a mechanism asks."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
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
        refusal: IllegalAnswerError | None = None
        for given in _read_line(line.rstrip("\n"), ask.answer.schema()):
            try:
                ask.answer.read(given)
            except IllegalAnswerError as error:
                refusal = refusal or error
            else:
                return given
        say(f"That is not possible: {refusal}.")


def _read_line(line: str, schema: Mapping[str, Any]) -> list[object]:
    """Return what a line may mean: JSON, if it begins like an object or a list; else the text.

    Where a list of texts is asked for, what stands between commas may be meant, too. Decimals are
    read as written.
    """
    if line.lstrip().startswith(("{", "[")):
        try:
            return [json.loads(line, parse_float=str)]
        except (ValueError, RecursionError):  # numbers of thousands of digits are no JSON to Python
            return [line]
    if schema.get("type") == "array" and schema.get("items", {}).get("type") == "string":
        return [line, [part.strip() for part in line.split(",") if part.strip()]]
    return [line]
