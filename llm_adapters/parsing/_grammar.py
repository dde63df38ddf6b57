"""Reading a whole text by rules, each of which says what may come next."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final, NamedTuple

from llm_adapters.errors import UnreadableError
from llm_adapters.parsing._quoting import quote_around
from llm_adapters.parsing._tokens import Text, same_decoration

__all__ = ["CHOOSING", "SPOKEN", "Item", "Step", "read_whole"]

_SPOKEN: Final = "i i'd i'll my the is are be would will final answer here"
SPOKEN: Final = frozenset(_SPOKEN.split())
"""Words that may stand around any answer without changing it, whatever their order.

None denies, doubts, compares or limits; a word that is not listed makes a text unreadable.
"""

_CHOOSING: Final = """
choose pick select take buy go with it option
choice choices decision decisions verdict verdicts
"""
CHOOSING: Final = SPOKEN | set(_CHOOSING.split())
"""Words that may stand around what was chosen; beside a number they could be what it counts."""


class Item(NamedTuple):
    """Something that was read, and the tokens that say it."""

    value: Any
    begin: int
    end: int


class Step(NamedTuple):
    """What a rule allows: the state after it, the next token, and what was read, if anything."""

    state: str
    after: int
    item: Item | None = None


class _Path(NamedTuple):
    before: _Path | None
    item: Item


def read_whole(
    text: Text,
    rule: Callable[[str, int], list[Step]],
    *,
    begin: str,
    ends: Collection[str],
    wanted: str,
    fix: str,
) -> list[Item]:
    """Return what a text says, where the rules allow for one reading of all of it.

    All readings are followed side by side, so the work is linear in the number of tokens.

    Parameters
    ----------
    text : Text
    rule : callable
        (state, index of a token) -> what may come next.
    begin, ends : str, collection of str
        The first state, and those in which the text may end.
    wanted, fix : str
        What is looked for, and what the model should do, in the words of the error.

    Raises
    ------
    UnreadableError
        Where there is no reading or more than one, and where emphasis, quotes or brackets around
        what was read are not closed.
    """
    tokens = text.tokens
    pending: dict[int, dict[str, list[_Path | None]]] = {0: {begin: [None]}}
    reached = 0
    for index in range(len(tokens)):
        states = pending.pop(index, None)
        if states is None:
            continue
        reached = index
        for state, paths in states.items():
            for step in rule(state, index):
                onward = pending.setdefault(step.after, {}).setdefault(step.state, [])
                for path in paths:
                    if len(onward) < 2:
                        onward.append(path if step.item is None else _Path(path, step.item))
    states = pending.pop(len(tokens), {})
    readings = [path for state in ends for path in states.get(state, ())]
    if not readings:
        if states:
            where = text.quoted_at(len(tokens))
            raise UnreadableError(f"the text ends without {wanted}: {where}", fix)
        where = text.quoted_at(reached)
        problem = f"the text is not just {wanted}: {where}"
        raise UnreadableError(f"{problem}, at {quote_around(tokens[reached].text)}", fix)
    if len(readings) > 1:
        raise UnreadableError(f"the text can be read in two ways: {text.quoted_at(0)}", fix)
    items = _items(readings[0])
    read = {at for item in items for at in range(item.begin, item.end)}
    if not same_decoration(token for at, token in enumerate(tokens) if at not in read):
        raise UnreadableError(f"a quote or bracket is not closed: {text.quoted_at(0)}", fix)
    return items


def _items(path: _Path | None) -> list[Item]:
    found = []
    while path is not None:
        found.append(path.item)
        path = path.before
    return found[::-1]
