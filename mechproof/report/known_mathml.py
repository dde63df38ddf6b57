"""The MathML that pages may hold: known elements, known attributes, plain values, and no others."""

from __future__ import annotations

import re
from typing import Final
from xml.etree import ElementTree

__all__ = ["NAMESPACE", "is_known"]

NAMESPACE: Final = "http://www.w3.org/1998/Math/MathML"

_TOKENS: Final = frozenset({"mi", "mn", "mo", "mspace", "mtext"})
"""Elements that hold text alone: within some of them browsers read HTML."""
_ROWS: Final = frozenset(
    {"math", "menclose", "mpadded", "mphantom", "mrow", "msqrt", "mstyle", "mtable", "mtd", "mtr"}
)
_PARTS: Final = {
    **dict.fromkeys(("mfrac", "mover", "mroot", "msub", "msup", "munder"), 2),
    **dict.fromkeys(("msubsup", "munderover"), 3),
}
_ATTRIBUTES: Final = frozenset(
    {"accent", "accentunder", "columnalign", "columnlines", "columnspacing", "depth", "display"}
    | {"displaystyle", "fence", "form", "height", "largeop", "linethickness", "lspace"}
    | {"mathbackground", "mathcolor", "mathsize", "mathvariant", "maxsize", "minsize"}
    | {"movablelimits", "notation", "rowalign", "rowlines", "rowspacing", "rspace", "scriptlevel"}
    | {"separator", "stretchy", "symmetric", "voffset", "width"}
)
_VALUE: Final = re.compile(r"[A-Za-z0-9#%.+ -]{0,60}")
_DEEPEST: Final = 100


def is_known(root: ElementTree.Element) -> bool:
    """Whether all that a formula consists of is known and in its place.

    Elements have as many parts as they must, those of text have none, and none is nested more than
    100 deep.
    """
    if root.tag != f"{{{NAMESPACE}}}math":
        return False
    level = [root]
    for _ in range(_DEEPEST):
        if not all(map(_is_known, level)):
            return False
        level = [part for element in level for part in element]
        if not level:
            return True
    return False


def _is_known(element: ElementTree.Element) -> bool:
    if not isinstance(element.tag, str):
        return False
    namespace, _, kind = element.tag.rpartition("}")
    if namespace != f"{{{NAMESPACE}" or (element.tail or "").strip():
        return False
    if kind not in _TOKENS and (element.text or "").strip():
        return False
    fits = (
        len(element) == 0
        if kind in _TOKENS
        else kind in _ROWS or len(element) == _PARTS.get(kind, -1)
    )
    return fits and all(
        name in _ATTRIBUTES and _VALUE.fullmatch(value) for name, value in element.attrib.items()
    )
