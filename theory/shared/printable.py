"""Text from outside, such that a terminal, a page or a reader's eye takes it for nothing else.

Outside is whatever this program did not write: files, replies of models, messages of servers, names
in a sweep, what somebody's code raises.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from functools import cache, wraps
from typing import Final, TypeVar

__all__ = [
    "escape",
    "indent_following_lines",
    "json_text",
    "message_text",
    "one_line",
    "print_safely",
    "printable",
    "printed_line",
    "shorten_message",
]

T = TypeVar("T")

_MESSAGE: Final = 4_000
"""How many characters an error has at most, before some of them are written out."""
_ENDING: Final = 1_000
"""How many of them are from its end."""

_ORDERS: Final = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters: escapes, backspaces, returns
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # which way text runs
    r"\u2028\u2029"  # ends of lines to some, and to others not
    r"\xad\u034f\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff0-\ufffb\ufffe\uffff"
    r"\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # marks that nobody sees
    r"\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # letters that nobody sees
    r"\u180b-\u180d\u180f\ufe00-\ufe0d\U000e0000-\U000e0fff"  # variants that few fonts have
    r"\ud800-\udfff"  # halves of pairs, which UTF-8 has no word for
)
_SCRIPTS: Final = r"[\u0620-\u109f\u1780-\u17b3\u17b6-\u17dd\u1820-\u18aa]"  # that use joiners
_EMOJI: Final = r"[\xa9\xae\u203c\u2049\u2100-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
_JOINING: Final = (
    rf"(?<={_SCRIPTS})[\u200c\u200d](?={_SCRIPTS})"
    rf"|(?:(?<={_EMOJI})|(?<={_EMOJI}\ufe0f))\u200d(?={_EMOJI})"
    rf"|(?<={_EMOJI})[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)"
)
"""Marks that nobody sees where spelling and emoji need them."""
_JOINERS: Final = r"\u200c\u200d\ufe0e\ufe0f"
_JOINED: Final = re.compile(_JOINING)
_IN_LINES: Final = re.compile(f"[{_ORDERS}{_JOINERS}]")
"""One set of characters is looked for fast; what is found may be a joiner that is needed."""
_IN_A_LINE: Final = re.compile(f"[\\t\\n{_ORDERS}{_JOINERS}]")
_PERHAPS: Final = re.compile(f"[{_ORDERS}{_JOINERS}]+")
"""Runs in which all that gives orders stands."""
_ALWAYS: Final = re.compile(f"[{_ORDERS}]+")


def printable(text: str, *, lines: bool = False) -> str:
    r"""Return a text in which characters that give orders are written as in a Python string.

    Those are control characters, those that turn the direction of writing, invisible marks, and
    halves of surrogate pairs. All others stay, joiners within words and emoji among them, and doing
    it twice changes nothing more.

    Parameters
    ----------
    text : str
    lines : bool
        Whether line breaks and tabs stay as they are.

    Examples
    --------
    >>> print(printable("a\x1b[31mb\u202ec\n"))
    a\x1b[31mb\u202ec\n
    """
    return (_IN_LINES if lines else _IN_A_LINE).sub(_escape_match, str.__str__(text))


def print_safely(told: Callable[[T], str]) -> Callable[[T], str]:
    """Let ``__str__`` or ``__repr__`` return a printable text, line breaks kept."""

    @wraps(told)
    def show(self: T) -> str:
        return printable(told(self), lines=True)

    return show


def printed_line(told: Callable[[T], str]) -> Callable[[T], str]:
    """Let ``__str__`` or ``__repr__`` return a printable text without line breaks."""

    @wraps(told)
    def show(self: T) -> str:
        return printable(told(self))

    return show


def indent_following_lines(text: str, indent: str) -> str:
    """Return a printable text whose lines after the first are indented: none looks like ours."""
    return printable(text, lines=True).replace("\n", f"\n{indent}")


def one_line(text: str) -> str:
    """Return a printable text in which runs of blanks and line breaks are single spaces."""
    return printable(" ".join(text.split()))


def shorten_message(text: str) -> str:
    """Return what an error says; of a long text the middle is left out.

    What is quoted in it may be as long as a file. The beginning says where and what is wrong, the
    end what to do.

    Examples
    --------
    >>> len(shorten_message("x" * 10**6))
    4000
    """
    if len(text) <= _MESSAGE:
        return text
    return f"{text[: _MESSAGE - _ENDING - 1]}…{text[-_ENDING:]}"


def message_text(text: str) -> str:
    """Return what an error says as a printable line that is not too long."""
    return printable(shorten_message(text))


def escape(text: str) -> str:
    """Return a printable text for a page, in which markup is shown and not obeyed."""
    return html.escape(printable(text, lines=True))


def json_text(text: str) -> str:
    r"""Return JSON in which no character gives orders: JSON has escapes for all of them.

    Reading it gives the same values as before.

    Examples
    --------
    >>> print(json_text('"a\u202eb"'))
    "a\u202eb"
    """
    return _PERHAPS.sub(_escaped_run, text)


def _escaped_run(found: re.Match[str]) -> str:
    """Return a run as JSON has it, but for what joins the characters beside it."""
    if _ALWAYS.fullmatch(found[0]):
        return json.dumps(found[0])[1:-1]
    begin, end = found.span()
    before = found.string[max(begin - 1, 0) : begin]
    around = before + found.string[begin : end + 1]
    escaped = _IN_LINES.sub(lambda each: each[0] if _is_needed(each) else _in_json(each[0]), around)
    after = found.string[end : end + 1]
    return escaped[len(before) : len(escaped) - len(after)]


@cache
def _in_json(character: str) -> str:
    return json.dumps(character)[1:-1]


def _is_needed(found: re.Match[str]) -> bool:
    """Whether a character joins what stands before and behind it."""
    return found[0] > "\u200b" and _JOINED.match(found.string, found.start()) is not None


def _escape_match(found: re.Match[str]) -> str:
    if _is_needed(found):
        return found[0]
    return found[0].encode("unicode_escape", "backslashreplace").decode("ascii")
