"""How many tokens a form may need."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llm_adapters.local._forms import Either, Free, Node, Number, Options, Record, Several, Words

__all__ = ["Encode", "reserve"]

Encode = Callable[[str], Sequence[int]]


def reserve(node: Node, lead: str, encode: Encode) -> int:
    """Return the most tokens of a value whose strings and arrays are as short as they may be.

    ``lead`` stands before it. Parts are counted as spelled one by one.
    """
    if isinstance(node, Options):
        return max(len(encode(lead + text)) for text in node.texts)
    if isinstance(node, Either):
        options = [len(encode(lead + text)) for text in node.options]
        return max([*options, *(reserve(each, lead, encode) for each in node.free)])
    assert isinstance(node, Free)
    opening = max(len(encode(lead + c)) for c in node.openings)
    if isinstance(node, Number):
        longest = node.numeral.longest
        return max(opening + longest - 1, len(lead) + longest)
    return opening + _inside(node, encode)


def _inside(node: Free, encode: Encode) -> int:
    if isinstance(node, Words):
        return len(encode('"'))
    if isinstance(node, Record):
        keys = [name if place == 0 else f", {name}" for place, (name, _) in enumerate(node.fields)]
        values = [reserve(each, " ", encode) for _, each in node.fields]
        return sum(len(encode(f"{key}:")) for key in keys) + sum(values) + len(encode("}"))
    assert isinstance(node, Several)
    items = 0
    if node.least:
        more = len(encode(",")) + reserve(node.item, " ", encode)
        items = reserve(node.item, "", encode) + (node.least - 1) * more
    return items + len(encode("]"))
