"""Text from outside, such that a terminal, a page or a reader's eye takes it for nothing else.

Outside is whatever this program did not write: files, replies of models, messages of servers, names
in a sweep, what somebody's code raises.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from functools import wraps
from typing import Final, TypeVar

__all__ = ["escape", "json_text", "one_line", "printable", "printed"]

T = TypeVar("T")

_ORDERS: Final = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters: escapes, backspaces, returns
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # which way text runs
    r"\u2028\u2029"  # ends of lines to some, and to others not
    r"\ufeff\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f"  # marks that nobody sees
    r"\ud800-\udfff"  # halves of pairs, which UTF-8 has no word for
)
_IN_LINES: Final = re.compile(f"[{_ORDERS}]")
_IN_A_LINE: Final = re.compile(f"[\\t\\n{_ORDERS}]")


def printable(text: str, *, lines: bool = False) -> str:
    r"""Return a text in which characters that give orders are written as in a Python string.

    Those are control characters, those that turn the direction of writing, invisible marks, and
    halves of surrogate pairs. All others stay, and doing it twice changes nothing more.

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
    return (_IN_LINES if lines else _IN_A_LINE).sub(_escaped, str.__str__(text))


def printed(told: Callable[[T], str]) -> Callable[[T], str]:
    """Let ``__str__`` or ``__repr__`` return a printable text, line breaks kept."""

    @wraps(told)
    def shown(self: T) -> str:
        return printable(told(self), lines=True)

    return shown


def one_line(text: str) -> str:
    """Return a printable text in which runs of blanks and line breaks are single spaces."""
    return printable(" ".join(text.split()))


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
    return _IN_LINES.sub(lambda found: json.dumps(found[0])[1:-1], text)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape", "backslashreplace").decode("ascii")
