"""Reading a verdict on each option."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from llm_adapters.errors import UnreadableError
from llm_adapters.parsing._grammar import CHOOSING, Item, Step, read_whole
from llm_adapters.parsing._names import Names, read_names
from llm_adapters.parsing._phrases import VERDICTS, check_pairs
from llm_adapters.parsing._tokens import Text, read_text
from theory.errors import InvalidInputError

__all__ = ["Pairs", "pair_options", "read_verdicts"]

_BETWEEN: Final = (":", "=", "–", "—", "→")


def read_verdicts(
    text: str, options: Sequence[str], verdicts: Sequence[str] = ("buy", "pass")
) -> dict[str, str]:
    r"""Read a verdict on every option.

    The text must be pairs such as ``**Option 1:** Buy``, in any order: an option, then a colon, an
    equals sign, a dash, an arrow or a line break, then its verdict. Between pairs there are line
    breaks, commas, semicolons or full stops. Emphasis, bullets, numbers of a list and a few phrases
    that change nothing ("Here are my verdicts:", "Option 1: I would buy") may stand around them. No
    verb that chooses may, since it is a verdict of its own: "Option 1: I take it: pass". JSON and
    tables are not read: for JSON, call :func:`~llm_adapters.structured.ask` with a schema.

    Parameters
    ----------
    text : str
    options : sequence of str
    verdicts : sequence of str
        What may be said of an option; case does not matter, unless two differ in nothing else.

    Returns
    -------
    dict
        {option: verdict}, in the order of ``options``.

    Raises
    ------
    UnreadableError
        Where an option has no verdict or several, and where anything else is said, such as a
        reason or a negation. No verdict is given to an option by its place in the list.
    InvalidInputError
        Where options and verdicts are not different texts that are not blank.

    Examples
    --------
    >>> read_verdicts("**Option 2:** Pass\n**Option 1:** Buy", ["Option 1", "Option 2"])
    {'Option 1': 'buy', 'Option 2': 'pass'}
    >>> read_verdicts("Option 1: Buy", ["Option 1", "Option 2"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    llm_adapters.errors.UnreadableError: there is nothing on 'Option 2' in 'Option 1: Buy': ...
    """
    names = read_names("options", options)
    said = read_names("verdicts", verdicts)
    folded = {name.casefold().strip() for name in names.names}
    for verdict in said.names:
        if verdict.casefold().strip() in folded:
            fix = "give options and verdicts different names"
            raise InvalidInputError("verdicts", verdict, "is also an option", fix)
    fix = f"answer with a line for each option, such as {names.names[0]}: {said.names[0]}"
    given = read_text(text, (*names.names, *said.names), fix)
    rule = Pairs(given, names, lambda index: said.at(given, index), CHOOSING)
    wanted = "an option and a verdict on each line"
    items = read_whole(given, rule.step, begin="", ends=Pairs.ENDS, wanted=wanted, fix=fix)
    check_pairs(given, items, VERDICTS, wanted=wanted, fix=fix)
    return pair_options(given, items, names.names, fix)


def pair_options(
    text: Text, items: Sequence[Item], options: Iterable[str], fix: str
) -> dict[str, Any]:
    """Return what was said of each option, where that was done once for each.

    Raises
    ------
    UnreadableError
        Where it was not.
    """
    found: dict[str, Any] = {}
    for named, value in zip(items[::2], items[1::2], strict=True):
        if named.value in found:
            problem = f"{named.value!r} comes twice: {text.quoted_at(named.begin)}"
            raise UnreadableError(problem, fix)
        found[named.value] = value.value
    for option in options:
        if option not in found:
            problem = f"there is nothing on {option!r} in {text.quoted_at(0)}"
            raise UnreadableError(problem, fix)
    return {option: found[option] for option in options}


class Pairs:
    """The rules of pairs, each of an option and what is said of it.

    The states: "" where an option may come, "option" after one, "says" where what is said of it
    must come, "said" after that.

    Parameters
    ----------
    text : Text
    names : Names
        The options.
    values : callable
        Index of a token -> the values that begin there, each with the index after its last token.
    words : frozenset of str
        Words that may stand around what is said, without changing it.
    """

    ENDS: Final = frozenset({"", "said"})

    def __init__(
        self,
        text: Text,
        names: Names,
        values: Callable[[int], list[Any]],
        words: frozenset[str],
    ) -> None:
        self.text = text
        self.names = names
        self.values = values
        self.words = words
        self.marks = ("rule", "bullet") if names.has_numbers else ("rule", "bullet", "numbered")

    def step(self, state: str, index: int) -> list[Step]:
        """Return what may come next."""
        steps = []
        options = self.names.at(self.text, index)
        if options and not state:
            steps += [Step("option", end, Item(name, index, end)) for name, end in options if name]
        values = self.values(index)
        if values and state == "says":
            steps += [
                Step("said", end, Item(it, index, end)) for it, end in values if it is not None
            ]
        if options or values:
            return steps
        after = self._after(state, index)
        return [] if after is None else [Step(after, index + 1)]

    def _after(self, state: str, index: int) -> str | None:
        token = self.text.tokens[index]
        if token.kind in self.marks:
            return state if not state or token.kind == "rule" else None
        if token.kind == "newline":
            return {"option": "says", "said": ""}.get(state, state)
        if state == "option" and self._separates(index):
            return "says"
        if state == "says" and token.text == ">" and not token.spaced:
            return state if self.text.tokens[index - 1].text == "-" else None
        tight = token.text == "," and state == "said"
        if tight or (token.text in {",", ";", "."} and token.decor):
            return "" if state in {"", "said"} else None
        if token.decor:
            return state
        return state if token.folded in self.words and state != "said" else None

    def _separates(self, index: int) -> bool:
        tokens = self.text.tokens
        if tokens[index].text in _BETWEEN:
            return tokens[index].decor or tokens[index].text in "–—→"
        if tokens[index].text != "-" or index + 1 == len(tokens):
            return False
        following = tokens[index + 1]
        arrow = following.text == ">" and not following.spaced
        return arrow or (tokens[index].spaced and following.spaced)
