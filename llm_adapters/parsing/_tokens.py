"""Cutting a text into words and symbols, and telling which symbols only decorate."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from llm_adapters.errors import UnreadableError
from llm_adapters.parsing._quoting import quote_around
from mechanisms.participants import plain
from theory.errors import InvalidInputError

__all__ = ["LONGEST", "Text", "Token", "clean_text", "read_text", "same_decoration", "tokens_of"]

LONGEST: Final = 100_000
"""How many characters an answer may have that is read as a whole, names of options aside."""

_NARROW: Final = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)} | {0x2212: "-"}
_TOKEN: Final = re.compile(
    r"(?P<newline>\n)|(?P<space>[^\S\n]+)|(?P<word>[^\W_]+(?:['’][^\W_]+)*)|(?P<symbol>.)",
    re.DOTALL,
)
_MARKER: Final = re.compile(
    r"(?P<rule>(?:-{3,}|\*{3,}|_{3,}|```(?:text|txt|markdown|md|json)?)(?=[^\S\n]*(?:\n|\Z)))"
    r"|(?P<bullet>(?:[-*•‣◦]|\#{1,6})(?=[^\S\n]+\S))"
    r"|(?P<numbered>[0-9]{1,3}[.)](?=[^\S\n]+\S))"
)

_PAIRED: Final = "*_\"'`"
_OPEN: Final = dict(zip("([“‘«", ")]”’»", strict=True))
_CLOSERS: Final = frozenset(_PAIRED) | frozenset(_OPEN.values())
_BESIDE_EQUALS: Final = frozenset("=!<>~+-/:^&|≠")


class Token(NamedTuple):
    """A word, a symbol, a line break, or what marks the beginning of a line.

    Attributes
    ----------
    text, folded : str
        As written, and without regard to case and kind of apostrophe.
    kind : str
        "word", "symbol", "newline", or a mark: "rule" (also a code fence), "bullet", "numbered".
    begin, end : int
        Where it stands in the text.
    spaced : bool
        Whether there is a space before it.
    decor : bool
        Whether it is a symbol that may stand around an answer without changing it.
    """

    text: str
    folded: str
    kind: str
    begin: int
    end: int
    spaced: bool
    decor: bool


@dataclass(frozen=True)
class Text:
    """A text, with its tokens.

    Attributes
    ----------
    raw : str
        In Unicode's normal form C, with ASCII in place of its wide forms.
    tokens : tuple of Token
    """

    raw: str
    tokens: tuple[Token, ...]

    def quoted_at(self, index: int) -> str:
        """Quote the text around one token."""
        at = self.tokens[index].begin if index < len(self.tokens) else len(self.raw)
        return quote_around(self.raw, at)


def clean_text(text: str) -> str:
    """Return a text in one of the ways in which it can be written.

    That is normal form C, plain line breaks, a minus sign as a hyphen, and wide forms of ASCII as
    ASCII. Compatible characters are not the same ones: the 2 of 10² is no digit 2.
    """
    plain_lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return unicodedata.normalize("NFC", plain_lines).translate(_NARROW)


def read_text(text: Any, names: Iterable[str], fix: str) -> Text:
    """Return what is to be read, cut into tokens.

    Raises
    ------
    InvalidInputError
        For what is not text.
    UnreadableError
        Where it is blank, or too long to be an answer: more than :data:`LONGEST` characters, or
        four times the names of the options.
    """
    given = plain(text)
    if given is None:
        raise InvalidInputError("text", text, "is not text", "give a str")
    longest = max(LONGEST, 4 * sum(map(len, names)))
    if len(given) > longest:
        problem = (
            f"the text has {len(given):,} characters, too many for an answer: {quote_around(given)}"
        )
        raise UnreadableError(problem, fix)
    raw = clean_text(given)
    if not raw.strip():
        raise UnreadableError("the text is empty", fix)
    return Text(raw, tuple(tokens_of(raw, marks=True)))


def tokens_of(raw: str, *, marks: bool = False) -> list[Token]:
    """Cut a cleaned text into tokens.

    Parameters
    ----------
    raw : str
    marks : bool
        Whether bullets, numbers of lists, headings, rules and code fences are told from the rest.
    """
    found: list[Token] = []
    at, spaced, line_begins = 0, True, marks
    while at < len(raw):
        match = _MARKER.match(raw, at) if line_begins else None
        if match is None:
            match = _TOKEN.match(raw, at)
        assert match is not None
        kind, begin, at = str(match.lastgroup), match.start(), match.end()
        if kind == "space":
            spaced = True
            continue
        text = match[0]
        folded = text.casefold().replace("’", "'") if kind == "word" else text
        decor = kind == "symbol" and _decorates(raw, begin, text)
        found.append(Token(text, folded, kind, begin, at, spaced, decor))
        spaced = kind == "newline"
        line_begins = marks and kind == "newline"
    return found


def _decorates(raw: str, at: int, symbol: str) -> bool:
    """Whether a symbol may stand around an answer, given the characters beside it."""
    before = raw[at - 1] if at else " "
    after = raw[at + 1] if at + 1 < len(raw) else " "
    if symbol in _PAIRED:
        return True
    if symbol in ".,;!":
        ends = after.isspace() or after in _CLOSERS
        return ends and not before.isspace() and before not in ".,;!?:=-"
    if symbol == ":":
        return before not in ":=" and not (before.isdigit() and after.isdigit())
    if symbol == "=":
        return before not in _BESIDE_EQUALS and after not in _BESIDE_EQUALS
    if symbol in _OPEN:
        return not after.isspace() and after != _OPEN[symbol]
    if symbol in _OPEN.values():
        return not before.isspace() and before not in _OPEN
    return False


def same_decoration(tokens: Iterable[Token]) -> bool:
    """Whether whatever is opened among these tokens is closed: emphasis, quotes, brackets."""
    count = Counter(token.text for token in tokens if token.kind == "symbol")
    paired = all(count[symbol] % 2 == 0 for symbol in _PAIRED)
    return paired and all(count[begin] == count[end] for begin, end in _OPEN.items())
