"""The words of a text in a format of Gambit's, and what to say where one is out of place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Final

from theory.errors import InvalidInputError, NumberError
from theory.numbers import rational
from theory.numbers.reading import MAX_DIGITS
from theory.shared.printable import message_text

__all__ = [
    "GambitTextError",
    "Tokens",
    "enclose_in_braces",
    "format_number",
    "make_names_distinct",
    "quote_name",
    "show_name",
]

_TOKEN: Final = re.compile(
    r'[ \t\n\v\f\r]*([{},]|"[^"\\]*+(?:\\.[^"\\]*+)*+"|[^ \t\n\v\f\r{},"]+|"|\Z)', re.DOTALL
)
_ESCAPED: Final = re.compile(r'\\(["\\])')
_COUNT: Final = re.compile(rf"\d{{1,{MAX_DIGITS}}}", re.ASCII)
_SMALL: Final = re.compile(r"-?\d{1,18}", re.ASCII)
_LARGE: Final = 10**MAX_DIGITS
_SHOWN: Final = 40


class GambitTextError(InvalidInputError):
    """Text that is no game in a format of Gambit's: what is wrong, and where.

    Parameters
    ----------
    line, column : int
        Where the token begins, counted from 1.
    token : str
        The token as it is written; empty at the end of the text.
    problem, fix : str
        What is wrong, and what to write instead.
    """

    def __init__(self, line: int, column: int, token: str, problem: str, fix: str) -> None:
        super().__init__(f"line {line}, column {column}", token, problem, fix)
        self.args = (line, column, token, problem, fix)
        self.line = line
        self.column = column
        self.token = token

    def __str__(self) -> str:
        where = f"token {show_name(self.token)}" if self.token else "end of the text"
        return message_text(f"{self.argument}, {where}: {self.problem}; {self.fix}")


class Tokens:
    """A text read word by word. ``token`` is the next word, ``start`` the place it begins at."""

    failure: ClassVar[type[GambitTextError]] = GambitTextError
    whole: ClassVar[str] = "game"

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = _TOKEN.finditer(text)
        self.token = ""
        self.start = 0
        self._advance()

    @property
    def quoted_next(self) -> bool:
        """Whether the next word is quoted text."""
        return self.token[:1] == '"'

    def error(self, problem: str, fix: str, start: int | None = None) -> GambitTextError:
        """Return what to raise about the word at ``start``, or else about the next one."""
        at = self.start if start is None else start
        found = _TOKEN.match(self._text, at)
        line = self._text.count("\n", 0, at) + 1
        column = at - self._text.rfind("\n", 0, at)
        return self.failure(line, column, found[1] if found else "", problem, fix)

    def one_of(self, words: tuple[str, ...], what: str, fix: str) -> str:
        """Take one of ``words``."""
        if self.token not in words:
            raise self.error(f"expected {what}", fix)
        return self._advance()

    def symbol(self, symbol: str, what: str) -> None:
        """Take a brace."""
        self.one_of((symbol,), f"{symbol!r} {what}", f"write {symbol!r} here")

    def comma(self) -> None:
        """Take a comma if there is one."""
        if self.token == ",":
            self._advance()

    def take_quoted(self, what: str) -> str:
        """Take quoted text; a backslash stands before a quotation mark or a backslash in it."""
        if not self.quoted_next:
            raise self.error(f"expected {what}", "write it in quotation marks")
        inner = self._advance()[1:-1]
        return _ESCAPED.sub(r"\1", inner) if "\\" in inner else inner

    def count(self, what: str, least: int) -> int:
        """Take an integer of at least ``least``, written in digits alone."""
        if not _COUNT.fullmatch(self.token) or int(self.token) < least:
            raise self.error(f"expected {what}", f"write an integer of at least {least}")
        return int(self._advance())

    def number(self, what: str) -> Fraction:
        """Take a rational number, exactly as it stands."""
        try:
            value = _number(self.token)
        except NumberError as error:
            raise self.error(f"expected {what}", error.fix) from error
        self._advance()
        return value

    def end(self) -> None:
        """Refuse all but the end of the text."""
        if self.token:
            raise self.error(f"the {self.whole} is complete", "end the text here")

    def _advance(self) -> str:
        taken = self.token
        word = next(self._words)
        self.token, self.start = word[1], word.start(1)
        if self.token == '"':
            raise self.error("a quotation mark is never closed", "close it")
        return taken


@lru_cache(maxsize=1 << 10)
def _number(token: str) -> Fraction:
    """Read a number; the latest are kept, since payoffs come again and again."""
    if _SMALL.fullmatch(token):
        return Fraction(int(token))
    value = rational(token)
    format_number(value)
    return value


def format_number(value: Fraction) -> str:
    """Return a number as text that can be read back.

    Raises
    ------
    NumberError
        For one that takes more than ``MAX_DIGITS`` digits.
    """
    if max(abs(value.numerator), value.denominator) < _LARGE and len(str(value)) <= MAX_DIGITS:
        return str(value)
    raise NumberError("number", value, f"takes more than {MAX_DIGITS} digits", "round it first")


def enclose_in_braces(words: Iterable[str]) -> str:
    """Return words between braces."""
    return f"{{ {' '.join(words)} }}"


def quote_name(name: str) -> str:
    """Return a name between quotation marks; :meth:`Tokens.take_quoted` reads it back."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def show_name(name: str) -> str:
    """Return a name, or its beginning, as errors quote it: they are made up for each number."""
    return repr(name if len(name) <= _SHOWN else name[: _SHOWN - 1] + "…")


def make_names_distinct(names: Mapping[int, str]) -> dict[int, str]:
    """Put the number behind a name that is not the only one of its kind."""
    times = Counter(names.values())
    told_apart = dict(names)
    for number, name in names.items():
        if times[name] > 1:
            new = f"{name} {number}" if name else str(number)
            while times[new] == 1:
                new += "'"
            told_apart[number] = new
    return told_apart
