"""The lines of a record: what they hold, and how they are known to be whole."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final
from zlib import crc32

from llm_adapters.errors import CallError, MissingCapabilityError
from llm_adapters.session.canonical_json import canonical, quote_string, to_bytes
from llm_adapters.session.request import Answer, Request
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count

__all__ = ["HEADER", "Entry", "header_problem", "read_line"]

HEADER: Final = b'{"format":"mechproof record","version":1}'
"""The first line of a record."""

_HEADER: Final = re.compile(rb'\{"format":"mechproof record","version":(\d{1,9})\}')
_SEAL: Final = re.compile(rb',"check":"([0-9a-f]{8})"\}')
_MOST: Final = 2**53
"""No call makes so many attempts or uses so many tokens."""
_SEALED: Final = len(b',"check":"00000000"}')


@dataclass(frozen=True)
class Entry:
    """An answer as a record holds it.

    Attributes
    ----------
    request : Request
    occurrence : int
        How often the same request had been made before.
    outcome : Answer or MissingCapabilityError
        What came of it. That a model cannot do something is an answer, too: whoever asked may go on
        in another way, and does so again in a replay.
    attempts : int
        How many attempts it took.
    lost : pair of int
        The tokens of input and output that failed attempts may have used.
    """

    request: Request
    occurrence: int
    outcome: Answer | MissingCapabilityError
    attempts: int = 1
    lost: tuple[int, int] = (0, 0)

    def line(self) -> bytes:
        """Return the line, without its end."""
        parts = [f'"occurrence":{self.occurrence}']
        if isinstance(self.outcome, Answer):
            used = f"[{self.outcome.input_tokens},{self.outcome.output_tokens}]"
            parts.append(f'"answer":{self.outcome.text},"tokens":{used}')
        else:
            lacks = {"problem": self.outcome.problem, "fix": self.outcome.fix}
            parts.append(f'"lacks":{canonical(lacks, "error")}')
        if self.attempts != 1:
            parts.append(f'"attempts":{self.attempts}')
        if self.lost != (0, 0):
            parts.append(f'"lost":[{self.lost[0]},{self.lost[1]}]')
        unsealed = b"{" + self.request.key + b"," + to_bytes(",".join(parts))
        return unsealed + b',"check":' + to_bytes(quote_string(f"{crc32(unsealed):08x}")) + b"}"


def header_problem(line: bytes) -> str:
    """Return what is wrong with the first line; an empty text where nothing is."""
    found = _HEADER.fullmatch(line)
    if not found:
        return "is not the header of a record"
    if line != HEADER:
        return f"is of version {int(found[1])}, which this version of mechproof does not read"
    return ""


def read_line(line: bytes) -> Entry | None:
    """Return what a line holds; None where it is not as it was written.

    Every byte counts: the last ones are a check of those before.
    """
    seal = _SEAL.fullmatch(line[-_SEALED:])
    unsealed = line[:-_SEALED]
    if not seal or seal[1] != f"{crc32(unsealed):08x}".encode():
        return None
    try:
        return _entry(json.loads(unsealed + b"}"))
    except (ValueError, KeyError, TypeError, InvalidInputError, CallError, RecursionError):
        return None


def _entry(data: dict[str, Any]) -> Entry:
    request = Request(data["agent"], data["model"], data["method"], data["request"])
    outcome: Answer | MissingCapabilityError
    if "answer" in data:
        outcome = Answer(data["answer"], *data["tokens"])
    else:
        lacks = data["lacks"]["problem"], data["lacks"]["fix"]
        if not all(isinstance(text, str) for text in lacks):
            raise ValueError
        outcome = MissingCapabilityError(*lacks)
    first, second = data.get("lost", (0, 0))
    lost = (read_count("lost", first, 0), read_count("lost", second, 0))
    occurrence = read_count("occurrence", data["occurrence"], 0)
    attempts = read_count("attempts", data.get("attempts", 1), 1)
    if max(attempts, *lost, *data.get("tokens", ())) > _MOST:
        raise ValueError
    return Entry(request, occurrence, outcome, attempts, lost)
