"""Finding names in a text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from llm_adapters.parsing._tokens import Text, Token, clean_text, tokens_of
from mechanisms.participants import plain
from theory.errors import InvalidInputError

__all__ = ["Names", "read_names"]

_MOST: Final = 10_000
_SPACE: Final = re.compile(r"\s+")


class _Node:
    def __init__(self) -> None:
        self.next: dict[tuple[str, bool], _Node] = {}
        self.names: list[int] = []


class Names:
    """Names, found as whole words, whatever their case and however wide their spaces.

    Names that differ in case alone are told apart by it. A name that ends in a number is not found
    where that number goes on: neither "Bidder 1" in "Bidder 10" nor "1" in "1.5".

    Parameters
    ----------
    names : sequence of str
        No two of them the same.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._root = _Node()
        self._spelled: list[list[str]] = []
        self._exact = {_normalize_spaces(name): name for name in names}
        for number, name in enumerate(names):
            tokens = tokens_of(_normalize_spaces(name))
            node = self._root
            for place, token in enumerate(tokens):
                node = node.next.setdefault((token.folded, place > 0 and token.spaced), _Node())
            node.names.append(number)
            self._spelled.append([token.text for token in tokens])

    @property
    def has_numbers(self) -> bool:
        """Whether a name begins with a digit."""
        return any(spelled[0][0].isdigit() for spelled in self._spelled)

    def is_all_of(self, text: Text) -> str | None:
        """Return the name that is the whole text, spaces aside; None if the text is no name."""
        return self._exact.get(_normalize_spaces(text.raw))

    def at(self, text: Text, index: int) -> list[tuple[str | None, int]]:
        """Return the names that begin with a token, each with the index after its last token.

        In place of a name there is None where several differ in case, and none is written so.
        """
        tokens, found, node, end = text.tokens, [], self._root, index
        while end < len(tokens):
            token = tokens[end]
            following = node.next.get((token.folded, end > index and token.spaced))
            if following is None or token.kind == "newline":
                break
            node, end = following, end + 1
            if node.names and not _number_goes_on(tokens, index, end):
                found.append((self._choose(node.names, tokens[index:end]), end))
        return found

    def _choose(self, numbers: Sequence[int], tokens: Sequence[Token]) -> str | None:
        if len(numbers) == 1:
            return self.names[numbers[0]]
        spelled = [token.text for token in tokens]
        fit = [number for number in numbers if self._spelled[number] == spelled]
        return self.names[fit[0]] if fit else None


def read_names(argument: str, names: Any, least: int = 1) -> Names:
    """Return names to look for.

    Raises
    ------
    InvalidInputError
        Where there are fewer than ``least`` or more than 10,000, where one is blank or no text, and
        where two cannot be told apart.
    """
    fix = "give a list of different texts, none of them blank"
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise InvalidInputError(argument, names, "are not a sequence of texts", fix)
    if not least <= len(names) <= _MOST:
        problem = f"are {len(names)} names"
        raise InvalidInputError(argument, names, problem, f"give {least} to {_MOST:,}")
    listed: list[str] = []
    seen: dict[tuple[tuple[str, bool], ...], str] = {}
    for name in names:
        one = plain(name)
        if one is None or not one.strip():
            raise InvalidInputError(argument, name, "is not text, or is blank", fix)
        tokens = tokens_of(_normalize_spaces(one))
        key = tuple((token.text, token.spaced) for token in tokens)
        if key in seen:
            problem = f"cannot be told from {seen[key]!r}"
            raise InvalidInputError(argument, name, problem, fix)
        seen[key] = one
        listed.append(one)
    return Names(listed)


def _normalize_spaces(text: str) -> str:
    """Return a text, cleaned, with single spaces."""
    return _SPACE.sub(" ", clean_text(text)).strip()


def _number_goes_on(tokens: Sequence[Token], begin: int, end: int) -> bool:
    return _joins_digits(tokens, end - 1, end, end + 1) or _joins_digits(
        tokens, begin, begin - 1, begin - 2
    )


def _joins_digits(tokens: Sequence[Token], inside: int, symbol: int, beyond: int) -> bool:
    """Whether a digit, a point and a digit stand together, without spaces."""
    lowest, highest = min(inside, beyond), max(inside, beyond)
    if lowest < 0 or highest >= len(tokens) or tokens[symbol].text not in ".,/":
        return False
    tight = not tokens[lowest + 1].spaced and not tokens[highest].spaced
    return tight and all(
        tokens[at].text[0 if at == highest else -1].isdigit() for at in (lowest, highest)
    )
