"""Reading which options were chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from llm_adapters.parsing._grammar import CHOOSING, Item, Step, read_whole
from llm_adapters.parsing._names import Names, read_names
from llm_adapters.parsing._phrases import CHOICE, CHOICES, check_around
from llm_adapters.parsing._tokens import Text, read_text
from theory.errors import InvalidInputError

__all__ = ["read_choice", "read_choices"]

_DECLINES: Final = ("none", "nothing")
_DECLINED: Final = tuple(
    tuple(phrase.split())
    for phrase in ("of these options", "of the options", "of these", "of them", "")
)
_MARKS: Final = ("rule", "bullet")


def read_choice(text: str, options: Sequence[str]) -> str:
    """Read which one of several options a text names.

    The text must be the name of the option and nothing else, apart from emphasis, quotes and a few
    phrases that change nothing ("My final answer is"). Case and width of spaces do not matter,
    unless options differ in nothing else. A text that is an option word for word is that option.

    Parameters
    ----------
    text : str
    options : sequence of str

    Raises
    ------
    UnreadableError
        Where no option is named or several are, and where anything else is said: a reason, a
        negation, a question, with its mark or without ("Is it Option 1").
    InvalidInputError
        Where the options are not different texts that are not blank.

    Notes
    -----
    Texts of models that reason should be read in two steps: the answer by :func:`read_tagged`, then
    the option. The work is linear in the length of the text.

    Examples
    --------
    >>> read_choice("I choose **Bidder 10**.", ["Bidder 1", "Bidder 10"])
    'Bidder 10'
    >>> read_choice("I would not buy Option 1.", ["Option 1", "Option 2"])
    Traceback (most recent call last):
    ...
    llm_adapters.errors.UnreadableError: the text is not just one option: 'I would not buy Option \
1.', at 'not': answer with the name of one option and nothing else
    """
    names = read_names("options", options)
    fix = "answer with the name of one option and nothing else"
    given = read_text(text, names.names, fix)
    exact = names.is_all_of(given)
    if exact is not None:
        return exact

    def rule(state: str, index: int) -> list[Step]:
        found = names.at(given, index)
        if found:
            return [
                Step(name, end, Item(name, index, end))
                for name, end in found
                if name and state in {"", name}
            ]
        token = given.tokens[index]
        harmless = token.decor or token.kind == "newline" or token.kind in _MARKS
        return [Step(state, index + 1)] if harmless or token.folded in CHOOSING else []

    items = read_whole(given, rule, begin="", ends=names.names, wanted="one option", fix=fix)
    check_around(given, items, CHOICE, wanted="one option", fix=fix)
    return str(items[0].value)


def read_choices(text: str, options: Sequence[str]) -> tuple[str, ...]:
    r"""Read which of several options a text names, or that it names none.

    The text must be the names, with commas, semicolons, "and" or line breaks between them, apart
    from what :func:`read_choice` allows, bullets and the numbers of a list. "None" and "nothing"
    decline; "of them", "of these" or "of the options" may follow, and nothing more.

    Parameters
    ----------
    text : str
    options : sequence of str
        May be empty.

    Returns
    -------
    tuple of str
        In the order of ``options``, each at most once; empty where the text declines.

    Raises
    ------
    UnreadableError
        Where anything else is said, where the list breaks off, and where the text is empty: that is
        no way to decline.
    InvalidInputError
        Where the options are not different texts that are not blank, or one is a word that
        declines.

    Examples
    --------
    >>> read_choices("- Option 3\n- Option 1", ["Option 1", "Option 2", "Option 3"])
    ('Option 1', 'Option 3')
    >>> read_choices("None of them.", ["Option 1", "Option 2"])
    ()
    """
    names = read_names("options", options, least=0)
    for name in names.names:
        if name.strip().casefold() in _DECLINES:
            fix = "give it another name"
            raise InvalidInputError("options", name, "is also how to decline", fix)
    fix = 'answer with the names of options, with commas between them, or with "none"'
    given = read_text(text, names.names, fix)
    rule = _List(given, names)
    ends = {"named", "line", "stopped", "said", "declined"}
    wanted = "a list of options"
    items = read_whole(given, rule.step, begin="", ends=ends, wanted=wanted, fix=fix)
    check_around(given, [rule.as_item(items)], CHOICES, wanted=wanted, fix=fix)
    chosen = {item.value for item in items}
    return tuple(name for name in names.names if name in chosen)


class _List:
    """The rules of a list of options.

    The states: "" before the first option, "named" after an option, "more" where another option
    must come, "line" where another may come, "stopped" after a full stop, "said" after further
    words, "declined".
    """

    def __init__(self, text: Text, names: Names) -> None:
        self.text = text
        self.names = names
        self.marks = _MARKS if names.has_numbers else (*_MARKS, "numbered")

    def step(self, state: str, index: int) -> list[Step]:
        found = self.names.at(self.text, index)
        if found:
            if state not in {"", "more", "line"}:
                return []
            return [Step("named", end, Item(name, index, end)) for name, end in found if name]
        if not state and self.text.tokens[index].folded in _DECLINES:
            end = self._is_declined(index + 1)
            return [Step("declined", end, Item(None, index, end))]
        after = self._after(state, index)
        return [] if after is None else [Step(after, index + 1)]

    def _is_declined(self, begin: int) -> int:
        """Return the index after what may follow "none"."""
        for phrase in _DECLINED:
            end = begin + len(phrase)
            if tuple(token.folded for token in self.text.tokens[begin:end]) == phrase:
                return end
        return begin

    def _after(self, state: str, index: int) -> str | None:
        token = self.text.tokens[index]
        if token.kind in self.marks:
            return state
        if state == "declined":
            return state if self._closes(index) else None
        if token.kind == "newline":
            return "line" if state in {"named", "stopped"} else state
        if token.text == "." and token.decor:
            return "stopped" if state == "named" else state
        if token.text in {",", ";", "&"} or token.folded == "and":
            going_on = token.folded == "and" and state == "more"
            return "more" if state in {"named", "line"} or going_on else None
        if token.decor:
            return state
        if token.folded not in CHOOSING or state in {"more", "line", "stopped"}:
            return None
        return "said" if state == "named" else state

    def _closes(self, index: int) -> bool:
        """Whether a token may follow a refusal: what closes it, and a full stop."""
        token = self.text.tokens[index]
        if token.kind != "symbol":
            return token.kind in {"newline", "rule"}
        return token.decor and token.text not in ",;:=&"

    @staticmethod
    def as_item(items: list[Item]) -> Item:
        """Return the list as one item."""
        return Item(None, items[0].begin, items[-1].end)
