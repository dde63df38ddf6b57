"""Reading what stands in a tag."""

from __future__ import annotations

import re
from typing import Any, Final

from llm_adapters.errors import UnreadableError
from llm_adapters.parsing._quoting import quote_around
from mechanisms.participants import plain
from theory.errors import InvalidInputError

__all__ = ["read_tagged"]

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,99}")


def read_tagged(text: str, tag: str) -> str:
    """Read what stands between ``<tag>`` and ``</tag>``, spaces around it aside.

    What stands outside does not matter: that is where a model may reason. Several answers in tags
    are read where all are the same, word for word; otherwise there is no telling which one counts,
    not even that the last one does.

    Parameters
    ----------
    text : str
    tag : str
        Letters, digits, hyphens and underscores; case does not matter in the text.

    Raises
    ------
    UnreadableError
        Where there is no such tag, where one is not opened, not closed, has attributes or stands in
        another, where answers differ, and where the answer is empty.
    InvalidInputError
        Where ``tag`` is no such name.

    Notes
    -----
    The work is linear in the length of the text, which may be of any length.

    Examples
    --------
    >>> read_tagged("It is cheap, so I buy. <answer>Option 1</answer>", "answer")
    'Option 1'
    """
    given, name = plain(text), plain(tag)
    if given is None:
        raise InvalidInputError("text", text, "is not text", "give a str")
    if name is None or not _NAME.fullmatch(name):
        fix = 'give letters, digits, "-" and "_", such as "answer"'
        raise InvalidInputError("tag", tag, "is not the name of a tag", fix)
    fix = f"put the answer into one <{name}>…</{name}>"
    found: list[str] = []
    begin: Any = None
    pattern = re.compile(rf"<(/?){name}(?![\w:.-])(>?)", re.IGNORECASE | re.ASCII)
    for match in pattern.finditer(given):
        where = quote_around(given, match.start())
        if not match[2]:
            raise UnreadableError(f"the tag <{name}> is not written so: {where}", fix)
        if not match[1]:
            if begin is not None:
                raise UnreadableError(f"<{name}> opens twice: {where}", fix)
            begin = match.end()
            continue
        if begin is None:
            raise UnreadableError(f"</{name}> closes what is not open: {where}", fix)
        found.append(given[begin : match.start()].strip())
        begin = None
    if begin is not None:
        raise UnreadableError(f"<{name}> is not closed: {quote_around(given, begin)}", fix)
    if not found:
        raise UnreadableError(f"there is no <{name}> in {quote_around(given, len(given))}", fix)
    other = next((one for one in found if one != found[0]), None)
    if other is not None:
        problem = f"<{name}> says {quote_around(found[0])} and {quote_around(other)}"
        raise UnreadableError(problem, fix)
    if not found[0]:
        raise UnreadableError(f"<{name}> is empty", fix)
    return found[0]
