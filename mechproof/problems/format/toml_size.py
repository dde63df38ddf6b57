"""How much a TOML text asks a reader to build, counted before it is parsed.

A reader of TOML makes a table for each part of a dotted key, and remembers each beginning of it, so
that the work grows with the square of a key's parts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["TomlSize", "toml_size"]

_TOKEN: Final = re.compile(
    r"""
    (?P<skip>[^\S\n]+|\#[^\n]*+)
    |(?P<long>\"\"\"(?:[^"\\]++|\\.|"(?!""))*+(?:"{3,5}|\Z)|'''(?:[^']++|'(?!''))*+(?:'{3,5}|\Z))
    |(?P<name>"(?:[^"\\\n]++|\\.)*+"?|'[^'\n]*+'?|[A-Za-z0-9_+:-]++)
    |(?P<sign>[\[\]{}=.,\n])
    |(?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass
class TomlSize:
    """Counts of a TOML text.

    Attributes
    ----------
    depth : int
        How deep arrays and inline tables stand in each other.
    parts : int
        The most parts of a key, dotted or of a table.
    nested : int
        The parts of all keys, but for the last of each.
    at : int
        Where in the text the key with the most parts, or the deepest bracket, ends.
    """

    depth: int = 0
    parts: int = 0
    nested: int = 0
    at: int = 0


def toml_size(text: str, *, depth: int, parts: int) -> TomlSize:
    """Count until the text ends, or is deeper or has a longer key than this.

    The text need not be valid. A run of names with dots between them is a key where ``=`` follows,
    or where it begins a line in brackets.
    """
    found = TomlSize()
    deep = run = 0
    begins, header = True, False
    for token in _TOKEN.finditer(text):
        if token["skip"] is not None:
            continue
        sign = token["sign"]
        if token["name"] is not None:
            run = max(run, 1)
        elif sign == ".":
            run += 1
        else:
            if sign == "=" or (header and sign == "]"):
                found.nested += max(run - 1, 0)
                if run > found.parts:
                    found.parts, found.at = run, token.start()
            if sign is not None and sign in "[{":
                header = sign == "[" and (header or (begins and not deep))
                deep += 1
                if deep > found.depth:
                    found.depth, found.at = deep, token.start()
            elif sign is not None and sign in "]}":
                deep = max(deep - 1, 0)
                header = header and deep > 0
            run = 0
        begins = sign == "\n" or (begins and header)
        if found.depth > depth or found.parts > parts or run > parts:
            found.parts, found.at = max(found.parts, run), token.start()
            break
    return found
