"""Parse LaTeX to MathML, and see which of its elements name functions."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from mechproof.report.known_mathml import NAMESPACE as _NAMESPACE
from mechproof.report.known_mathml import is_known
from theory.shared.printable import printable

__all__ = ["BIG_OPERATORS", "base", "is_a", "names_function", "parse", "set_functions_apart"]

BIG_OPERATORS = frozenset("∑∏∫⋂⋃")

_UNKNOWN_TO_THE_PARSER = re.compile(r"\\(arg|argmax|argmin)(?![A-Za-z])")
_THIN = "0.17em"

ElementTree.register_namespace("", _NAMESPACE)


def parse(latex: str) -> ElementTree.Element:
    """Return the MathML of ``latex``; what cannot be parsed becomes text as it stands.

    So does what has other elements or attributes than formulas have: the parser lets markup in
    ``latex`` through. Characters that give orders are written out.
    """
    from latex2mathml.converter import convert

    try:
        source = convert(_UNKNOWN_TO_THE_PARSER.sub(r"\\operatorname{\1}", latex))
        found = ElementTree.fromstring(source)
    except Exception:
        return _as_written(latex)
    if not is_known(found):
        return _as_written(latex)
    for element in found.iter():
        element.text = printable(element.text or "")
    return found


def _as_written(latex: str) -> ElementTree.Element:
    root = ElementTree.Element(f"{{{_NAMESPACE}}}math")
    ElementTree.SubElement(root, f"{{{_NAMESPACE}}}mtext").text = printable(latex)
    return root


def set_functions_apart(root: ElementTree.Element) -> None:
    """Make browsers set ``log`` and ``max`` as names, with a thin space where one is due."""
    for element in list(root.iter()):
        if is_a(element, "mo") and names_function(element):
            element.tag = f"{{{_NAMESPACE}}}mi"
        elif is_a(element, "mo") and element.text == "/":
            element.attrib |= {"lspace": "0.05em", "rspace": "0.05em"}
    for row in list(root.iter()):
        if is_a(row, "mrow", "math", "mtd"):
            _space(row)


def is_a(element: ElementTree.Element, *kinds: str) -> bool:
    """Whether the element is one of ``kinds``, such as ``mi``."""
    return element.tag.rpartition("}")[2] in kinds


def base(element: ElementTree.Element) -> str:
    """Return the identifier or operator under all indices and exponents, or nothing."""
    while is_a(element, "msub", "msup", "msubsup", "munder", "mover", "munderover"):
        element = element[0]
    return (element.text or "") if is_a(element, "mi", "mo") else ""


def names_function(element: ElementTree.Element) -> bool:
    """Whether the element is a name such as ``log``, with or without an index."""
    name = base(element)
    return len(name) > 1 and name.isalpha()


def _space(row: ElementTree.Element) -> None:
    parts = list(row)
    for k in reversed(range(1, len(parts))):
        before, after = parts[k - 1], parts[k]
        follows = names_function(before) and not is_a(after, "mo", "mspace")
        precedes = names_function(after) and not is_a(before, "mo", "mspace")
        if follows or precedes:
            row.insert(k, ElementTree.Element(f"{{{_NAMESPACE}}}mspace", width=_THIN))
