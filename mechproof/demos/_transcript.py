"""A text that grows while a demo runs, and reads well afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from textwrap import fill
from typing import Final

from mechanisms.protocols import Message
from theory.shared.printable import printable
from theory.verdicts import Table

__all__ = ["LINES", "WIDTH", "Transcript", "clip_text", "one_line"]

WIDTH: Final = 88
"""Lines of prose are broken here."""

LINES: Final = 24
"""The most lines of a prompt or an answer in a conversation."""

_SPARED: Final = 4
"""Fewer lines than this are not left out."""

_LONGEST: Final = 420
"""The most characters of a prompt or a reply that are shown."""


def one_line(text: str) -> str:
    """Return a text with each run of blanks and line breaks as one space."""
    return " ".join(text.split())


def clip_text(text: str, width: int = _LONGEST) -> str:
    r"""Return a text on one line, cut at a word so that it is no longer than ``width``.

    Examples
    --------
    >>> clip_text("Keep the room dark,\nand go to bed at the same hour.", 30)
    'Keep the room dark, and go …'
    """
    line = one_line(text)
    if len(line) <= width:
        return line
    at = line.rfind(" ", 0, width - 1)
    return f"{line[:at]} …" if at > 0 else f"{line[: width - 1]}…"


class Transcript:
    """Paragraphs, quotations and tables, in the manner of Markdown.

    Characters that give orders to a terminal are written out, whoever said them.

    Parameters
    ----------
    tell : callable, optional
        Is given each part as soon as it is there.

    Examples
    --------
    >>> text = Transcript()
    >>> text.heading("A question")
    >>> text.quote("Is it raining?")
    >>> print(text)
    ## A question
    <BLANKLINE>
    > Is it raining?
    """

    def __init__(self, tell: Callable[[str], None] | None = None) -> None:
        self._parts: list[str] = []
        self._tell = tell
        self._rules: set[str] = set()

    def heading(self, text: str, level: int = 2) -> None:
        """Add a heading."""
        self._add(f"{'#' * level} {one_line(text)}")

    def say(self, text: str) -> None:
        """Add a paragraph."""
        self._add(_fill_lines(text))

    def points(self, texts: Iterable[str]) -> None:
        """Add a list."""
        self._add("\n".join(_fill_lines(text, "- ", "  ") for text in texts))

    def numbered(self, texts: Iterable[str]) -> None:
        """Add a list with numbers from 1."""
        rows = [(f"{k}. ", text) for k, text in enumerate(texts, 1)]
        self._add("\n".join(_fill_lines(text, mark, " " * len(mark)) for mark, text in rows))

    def quote(self, text: str, who: str = "") -> None:
        """Add what somebody said, shortened."""
        said = f"**{who}:** {clip_text(text)}" if who else clip_text(text)
        self._add(_fill_lines(said, "> ", "> "))

    def conversation(self, messages: Iterable[Message], answer: str, lines: int = LINES) -> None:
        """Add what a model was told and what it said, line by line; long parts lose their middle.

        Rules that were shown before are not shown again.
        """
        parts = []
        for message in messages:
            text = message.content
            if message.role == "system":
                text, known = ("(as before)" if text in self._rules else text), text
                self._rules.add(known)
            parts.append(_write_speech(message.role, text, lines))
        parts.append(_write_speech("answer", answer, lines))
        self._add("\n>\n".join(parts))

    def table(self, table: Table) -> None:
        """Add a table, its columns aligned."""
        self.block(str(table))

    def block(self, text: str) -> None:
        """Add lines that stay as they are."""
        self._add(f"```\n{text}\n```")

    def _add(self, part: str) -> None:
        part = printable(part, lines=True)
        self._parts.append(part)
        if self._tell is not None:
            self._tell(part)

    def __str__(self) -> str:
        return "\n\n".join(self._parts)


def _write_speech(who: str, text: str, most: int) -> str:
    rows = []
    for k, line in enumerate(text.strip().splitlines() or ["(nothing)"]):
        head = f"**{who}:** " if not k else ""
        rows += _fill_lines(head + line, "> ", "> ").splitlines() or [">"]
    if len(rows) > most + _SPARED:
        end = most // 2
        rows[most - end : -end] = [f"> … ({len(rows) - most} lines) …"]
    return "\n".join(rows)


def _fill_lines(text: str, first: str = "", then: str = "") -> str:
    return fill(
        one_line(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=then,
        break_long_words=False,
        break_on_hyphens=False,
    )
