"""Reading a probability for each option."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from llm_adapters.errors import UnreadableError
from llm_adapters.parsing._grammar import SPOKEN, Item, Step, read_whole
from llm_adapters.parsing._names import read_names
from llm_adapters.parsing._numbers import Ends, checked_share, ends_of, probability_at
from llm_adapters.parsing._phrases import check_around, check_pairs, of_numbers
from llm_adapters.parsing._tokens import Text, read_text
from llm_adapters.parsing._verdicts import Pairs, pair_options
from theory.errors import InvalidInputError
from theory.numbers import rational

__all__ = ["read_probabilities"]

_WORDS: Final = SPOKEN | {"probability", "probabilities"}
_SHARE: Final = of_numbers("probability|probabilities|answer")
_LAW: Final = _SHARE._replace(leading=rf"{_SHARE.title}|{_SHARE.leading}")


def read_probabilities(text: str, options: Sequence[str], *, slack: Any = 0) -> dict[str, Fraction]:
    """Read a probability for every option.

    The text must be pairs such as ``Rain: 30%``, as :func:`read_verdicts` reads them; or a list in
    square brackets, such as ``[0.3, 0.7]``, with a number for each option in the order of
    ``options``. Rounded probabilities such as ``[0.33, 0.33, 0.33]`` add up to 99/100, which is
    not 1: they are refused unless ``slack`` is given.

    Parameters
    ----------
    text : str
    options : sequence of str
    slack : number
        How far the sum may lie from 1, since models round; then each is divided by it.

    Returns
    -------
    dict
        {option: probability}, in the order of ``options``; they add up to 1.

    Raises
    ------
    UnreadableError
        Where an option has no probability or several, where they do not add up to 1, and where
        anything else is said.
    InvalidInputError
        Where the options are not different texts that are not blank, or ``slack`` is no exact
        number from 0 to below 1.

    Examples
    --------
    >>> read_probabilities("[1.0, 0.0]", ["rain", "sun"])
    {'rain': Fraction(1, 1), 'sun': Fraction(0, 1)}
    >>> read_probabilities("[0.7, 0.7]", ["rain", "sun"])
    Traceback (most recent call last):
    ...
    llm_adapters.errors.UnreadableError: the probabilities add up to 7/5: '[0.7, 0.7]': answer \
with a probability for each option; together they must make 1
    """
    names = read_names("options", options)
    allowed = rational(slack, "slack")
    if not 0 <= allowed < 1:
        raise InvalidInputError("slack", slack, "is out of bounds", "give 0, or a little more")
    fix = "answer with a probability for each option; together they must make 1"
    given = read_text(text, names.names, fix)
    ends = ends_of(given)
    found = _read_bracketed(given, ends, names.names, fix)
    if found is None:
        rule = Pairs(given, names, lambda index: probability_at(given, ends, index), _WORDS)
        wanted = "an option and a probability on each line"
        items = read_whole(given, rule.step, begin="", ends=Pairs.ENDS, wanted=wanted, fix=fix)
        check_pairs(given, items, _SHARE, wanted=wanted, fix=fix)
        for item in items[1::2]:
            checked_share(given, item)
        found = pair_options(given, items, names.names, fix)
    total = sum(found.values(), Fraction(0))
    if abs(total - 1) > allowed:
        raise UnreadableError(f"the probabilities add up to {total}: {given.quoted_at(0)}", fix)
    return {name: value / total for name, value in found.items()}


def _read_bracketed(
    text: Text, ends: Ends, options: Sequence[str], fix: str
) -> dict[str, Fraction] | None:
    """Return what a list in brackets says; None where the text is none."""

    def rule(state: str, index: int) -> list[Step]:
        token = text.tokens[index]
        if state in {"first", "next"}:
            if token.kind == "newline":
                return [Step(state, index + 1)]
            found = probability_at(text, ends, index)
            return [Step("number", end, Item(value, index, end)) for value, end in found]
        if state == "number":
            if token.kind == "newline":
                return [Step(state, index + 1)]
            after = {",": "next", "]": "closed"}.get(token.text)
            return [Step(after, index + 1)] if after else []
        if token.text == "[":
            return [] if state else [Step("first", index + 1)]
        harmless = token.decor or token.kind in {"newline", "rule"} or token.folded in _WORDS
        return [Step(state, index + 1)] if harmless else []

    if "[" not in text.raw or "]" not in text.raw:
        return None
    try:
        items = read_whole(text, rule, begin="", ends={"closed"}, wanted="a list", fix=fix)
    except UnreadableError:
        return None
    check_around(text, [_merge_brackets(text, items)], _LAW, wanted="a list", fix=fix)
    if len(items) != len(options):
        problem = f"the list has {len(items)} numbers for {len(options)} options"
        raise UnreadableError(f"{problem}: {text.quoted_at(items[0].begin)}", fix)
    pairs = zip(options, items, strict=True)
    return {option: checked_share(text, item) for option, item in pairs}


def _merge_brackets(text: Text, items: Sequence[Item]) -> Item:
    """Return a list with its brackets as one item."""
    tokens = text.tokens
    begin = next(at for at in range(items[0].begin, -1, -1) if tokens[at].text == "[")
    end = next(at for at in range(items[-1].end, len(tokens)) if tokens[at].text == "]")
    return Item(None, begin, end + 1)
