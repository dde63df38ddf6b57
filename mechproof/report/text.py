r"""Read prose with LaTeX between dollar signs, and write it for a terminal or a page.

Both come from one parse. A dollar that is meant as one is written ``\$``.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

from markupsafe import Markup, escape

from mechproof.report.mathml import parse, set_functions_apart
from mechproof.report.mathml_text import linear
from theory.shared.printable import printable

__all__ = ["to_html", "to_unicode"]

_DOLLAR = re.compile(r"(?<!\\)\$")


def to_unicode(text: str) -> str:
    """Return the text with its mathematics in one line of Unicode."""
    parts = [linear(parse(part)) if is_math else part for is_math, part in _split(text)]
    return printable(re.sub(r" {2,}", " ", "".join(parts)).strip(), lines=True)


def to_html(text: str) -> Markup:
    """Return the text with its mathematics in MathML and everything else escaped."""
    parts = [
        _mathml(part) if is_math else escape(printable(part, lines=True))
        for is_math, part in _split(text)
    ]
    return Markup("").join(parts)


def _mathml(latex: str) -> Markup:
    root = parse(latex)
    set_functions_apart(root)
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _split(text: str) -> list[tuple[bool, str]]:
    pieces = _DOLLAR.split(text)
    if len(pieces) % 2 == 0:
        pieces[-2:] = ["$".join(pieces[-2:])]
    return [(bool(k % 2), piece.replace(r"\$", "$")) for k, piece in enumerate(pieces) if piece]
