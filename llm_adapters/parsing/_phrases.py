"""Which phrases may stand around what was read.

Words that change nothing one by one can change much in a row: "is it" asks, "I take it" is an
answer of its own, and in "offer 5" the number may be a name. So they must also form one of a few
phrases.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from llm_adapters.errors import UnreadableError
from llm_adapters.parsing._grammar import Item
from llm_adapters.parsing._quoting import quote_around
from llm_adapters.parsing._tokens import Text

__all__ = ["CHOICE", "CHOICES", "VERDICTS", "Phrases", "check_around", "check_pairs", "of_numbers"]

_MINE: Final = r"(?:(?:my|the) )?(?:final )?"
_BE: Final = r"(?:is|are|will be|would be)"
_I: Final = r"(?:i(?: would| will)?|i'd|i'll)"
_VERBS: Final = "choose|pick|select|take|buy|go with"
_CHOSEN: Final = rf"{_MINE}(?:answer|choices?|decisions?|verdicts?|option)"
_RULED: Final = rf"{_MINE}(?:answer|decisions?|verdicts?)"


class Phrases(NamedTuple):
    """What may be said around an answer.

    Attributes
    ----------
    title : str
        An expression for a phrase before it, with a colon or an equals sign after it.
    opening : str
        One with any mark or line break after it.
    leading, following : str
        One directly before the answer, and directly after it.
    """

    title: str
    opening: str
    leading: str
    following: str


def _choice(verbs: str) -> Phrases:
    here = rf"here (?:{_BE} {_CHOSEN}|it is)"
    leading = rf"{_CHOSEN}(?: {_BE})?|it {_BE}|(?:{_I} )?(?:{_VERBS})|{_I}"
    return Phrases(
        title=_CHOSEN,
        opening=rf"{here}|{_CHOSEN}(?: {_BE})?|it {_BE}|{_I} (?:{verbs})",
        leading=rf"(?:{leading})(?: the)?(?: option)?|the|(?:the )?option",
        following=rf"it|it is|(?:it )?{_BE} {_CHOSEN}",
    )


CHOICE: Final = _choice("choose|pick|select|go with")
"""Around one option, which may itself be a verb: "I take: pass" is no phrase."""

CHOICES: Final = _choice(_VERBS)

VERDICTS: Final = Phrases(
    title=rf"{_RULED}|{_MINE}choices",
    opening=rf"here {_BE} (?:{_RULED}|{_MINE}choices)|{_RULED}(?: {_BE})?|{_MINE}choices(?: are)?",
    leading=rf"{_RULED}(?: {_BE})?|{_I}",
    following="",
)


def of_numbers(nouns: str, verbs: str = "") -> Phrases:
    """Return what may be said around a number.

    Parameters
    ----------
    nouns, verbs : str
        Expressions for what the number is, and for what is done with it.
    """
    said = rf"{_MINE}(?:{nouns})"
    leading = rf"{said} {_BE}" + (rf"|{_I} (?:{verbs})" if verbs else "")
    return Phrases(
        title=rf"(?:here {_BE} )?{said}",
        opening=leading,
        leading=leading,
        following=rf"{_BE} {said}",
    )


class _Clause(NamedTuple):
    words: str
    mark: str
    end: int


def check_around(
    text: Text, items: Sequence[Item], phrases: Phrases, *, wanted: str, fix: str
) -> None:
    """Refuse a text where what stands before, between or after its items are no such phrases.

    Raises
    ------
    UnreadableError
    """
    at = 0
    for number, item in enumerate(items):
        clauses = _clauses(text, at, item.begin)
        if number and len(clauses) > 1 and _is(clauses[0], phrases.following):
            clauses = clauses[1:]
        _check_before(text, clauses, phrases, wanted, fix)
        at = item.end
    for clause in _clauses(text, at, len(text.tokens)):
        if not _is(clause, phrases.following):
            raise _unreadable(text, clause, wanted, fix)


def check_pairs(
    text: Text, items: Sequence[Item], phrases: Phrases, *, wanted: str, fix: str
) -> None:
    """Refuse a text of pairs where what stands around an option or its value is no such phrase.

    Raises
    ------
    UnreadableError
    """
    heading = phrases._replace(leading="option")
    at = 0
    for option, value in zip(items[::2], items[1::2], strict=True):
        _check_before(text, _clauses(text, at, option.begin), heading, wanted, fix)
        first, *rest = _clauses(text, option.end, value.begin)
        if first.words.removeprefix("final ") not in {"", "verdict", "decision", "probability"}:
            raise _unreadable(text, first, wanted, fix)
        _check_before(text, rest, phrases, wanted, fix)
        at = value.end
    for clause in _clauses(text, at, len(text.tokens)):
        if clause.words:
            raise _unreadable(text, clause, wanted, fix)


def _check_before(
    text: Text, clauses: Sequence[_Clause], phrases: Phrases, wanted: str, fix: str
) -> None:
    for clause in clauses[:-1]:
        titled = clause.mark == ":" and _is(clause, phrases.title)
        if not titled and not _is(clause, phrases.opening):
            raise _unreadable(text, clause, wanted, fix)
    for clause in clauses[-1:]:
        if not _is(clause, phrases.leading):
            raise _unreadable(text, clause, wanted, fix)


def _is(clause: _Clause, phrase: str) -> bool:
    return not clause.words or re.fullmatch(phrase, clause.words) is not None


def _unreadable(text: Text, clause: _Clause, wanted: str, fix: str) -> UnreadableError:
    problem = f"the text is not just {wanted}: {text.quoted_at(clause.end)}"
    return UnreadableError(f"{problem}, with {quote_around(clause.words)}", fix)


def _clauses(text: Text, begin: int, end: int) -> list[_Clause]:
    """Cut some tokens into clauses, each with ":" or "|" for the mark after it, if any."""
    found: list[_Clause] = []
    words: list[str] = []
    for index in range(begin, end):
        token = text.tokens[index]
        if token.kind == "word":
            words.append(token.folded)
            continue
        parts = token.kind != "symbol" or token.text in ".,;!"
        if parts or token.text in ":=" or not token.decor:
            found.append(_Clause(" ".join(words), "|" if parts else ":", index))
            words = []
    return [*found, _Clause(" ".join(words), "", end)]
