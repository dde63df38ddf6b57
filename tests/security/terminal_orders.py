"""Texts that give orders to a terminal."""

from __future__ import annotations

import re

ORDERS = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]"
)
COMMANDS = (
    "\x1b[31mred",
    "\x1b]0;title\x07",
    "\x1b]8;;https://evil.example\x07link\x1b]8;;\x07",
    "\x1b[2J\x1b[H",
    "\x1bP$q\x1b\\",
    "\x9b31m",
    "\x08\x08\x08",
    "over\rwritten",
    "a\x0bb\x0cc",
    "nul\x00",
    "\u202egnirts",
    "\u2066x\u2069",
    "\u200f\u061c",
    "\x7f\x85\x9d",
    "line\u2028line\u2029",
    "\ufeff\ufffe",
)
HOSTILE = "".join(COMMANDS)
CHECKS = f"""
HOSTILE = {HOSTILE!r}

def says(x):
    if x == 1:
        raise ValueError("no" + HOSTILE)
    return {{"said": HOSTILE[:30], "v" + HOSTILE: 2, "long": HOSTILE * 5}}

def fails(label):
    raise type("Error" + HOSTILE, (Exception,), {{}})(label)
"""


def assert_quiet(text: str | bytes) -> None:
    text = text if isinstance(text, str) else text.decode()
    found = ORDERS.search(text)
    assert not found, (found, text[max(0, found.start() - 40) : found.end() + 40])
