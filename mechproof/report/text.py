r"""Read prose with LaTeX between dollar signs, and write it for a terminal or a page.

Both come from one parse, to MathML: a page shows it as it is, a terminal gets it in one line of
Unicode. A dollar that is meant as one is written ``\$``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from xml.etree import ElementTree

from markupsafe import Markup, escape

__all__ = ["to_html", "to_unicode"]

_DOLLAR = re.compile(r"(?<!\\)\$")
_UNKNOWN_TO_THE_PARSER = re.compile(r"\\(arg|argmax|argmin)(?![A-Za-z])")
_BIG = "∑∏∫⋂⋃"
_TIGHT = "|∣‖∥/∀∃∂∇√¬∞∅~^"
_ACCENTS = {"^": "\u0302", "¯": "\u0304", "‾": "\u0304", "~": "\u0303", "˜": "\u0303", "˙": "\u0307"}
_SUBSCRIPTS = str.maketrans("0123456789+−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_SUPERSCRIPTS = str.maketrans("0123456789+−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ")
_STANDS_ALONE = re.compile(r"[\w.′*]+")


def to_unicode(text: str) -> str:
    """Return the text with its mathematics in one line of Unicode."""
    parts = [_linear(_parse(part)) if is_math else part for is_math, part in _split(text)]
    return re.sub(r" {2,}", " ", "".join(parts)).strip()


def to_html(text: str) -> Markup:
    """Return the text with its mathematics in MathML and everything else escaped."""
    parts = [
        Markup(ElementTree.tostring(_parse(part), encoding="unicode")) if is_math else escape(part)
        for is_math, part in _split(text)
    ]
    return Markup("").join(parts)


def _split(text: str) -> list[tuple[bool, str]]:
    pieces = _DOLLAR.split(text)
    if len(pieces) % 2 == 0:
        pieces[-2:] = ["$".join(pieces[-2:])]
    return [(bool(k % 2), piece.replace(r"\$", "$")) for k, piece in enumerate(pieces) if piece]


@lru_cache(maxsize=None)
def _parse(latex: str) -> ElementTree.Element:
    from latex2mathml.converter import convert

    ElementTree.register_namespace("", "http://www.w3.org/1998/Math/MathML")
    try:
        source = convert(_UNKNOWN_TO_THE_PARSER.sub(r"\\operatorname{\1}", latex))
        return ElementTree.fromstring(source)
    except Exception:
        broken = ElementTree.Element("{http://www.w3.org/1998/Math/MathML}math")
        ElementTree.SubElement(broken, "{http://www.w3.org/1998/Math/MathML}mtext").text = latex
        return broken


def _linear(element: ElementTree.Element) -> str:
    kind = element.tag.rpartition("}")[2]
    parts = list(element)
    if kind in {"mi", "mn", "mo", "mtext"}:
        return (element.text or "").replace("\N{NO-BREAK SPACE}", " ").replace("∣", "|")
    if kind == "mspace":
        return " "
    if kind == "mfrac":
        return f"{_operand(parts[0])}/{_operand(parts[1])}"
    if kind == "msqrt":
        return f"√{_wrapped(_row(parts))}"
    if kind in {"msub", "munder"}:
        return _linear(parts[0]) + _below(parts[1])
    if kind in {"msup", "mover"}:
        over = _linear(parts[1])
        if kind == "mover" and over in _ACCENTS:
            return _linear(parts[0]) + _ACCENTS[over]
        return _linear(parts[0]) + _above(over)
    if kind in {"msubsup", "munderover"}:
        return _linear(parts[0]) + _below(parts[1]) + _above(_linear(parts[2]))
    if kind == "mtable":
        return "; ".join(" ".join(_linear(cell) for cell in row) for row in parts)
    return _row(parts)


def _row(parts: Sequence[ElementTree.Element]) -> str:
    line = ""
    for k, part in enumerate(parts):
        text = _linear(part)
        base = _base(part)
        after = parts[k + 1] if k + 1 < len(parts) else None
        if _is_relation(part, text):
            prefix = not line or line.endswith(("(", "[", "{", " ", "|"))
            line += text if prefix and text in "+−±" else f" {text} "
        elif text in {",", ";", ":"}:
            line += f"{text} "
        elif _is_function(base):
            line += f" {text}" if line[-1:].isalnum() else text
            line += " " if after is not None and _linear(after)[:1] not in {*"(),]"} else ""
        elif _is(part, "mfrac") and after is not None and not _is(after, "mo"):
            line += f"({text})"
        else:
            line += text
    return line


def _base(element: ElementTree.Element) -> str:
    while _is(element, "msub", "msup", "msubsup", "munder", "mover", "munderover"):
        element = element[0]
    return (element.text or "") if _is(element, "mi", "mo") else ""


def _is_function(base: str) -> bool:
    return base in {*_BIG} or (len(base) > 1 and base.isalpha())


def _is(element: ElementTree.Element, *kinds: str) -> bool:
    return element.tag.rpartition("}")[2] in kinds


def _is_relation(element: ElementTree.Element, text: str) -> bool:
    if (element.text or "") == "∣":
        return True
    return len(text) == 1 and unicodedata.category(text) == "Sm" and text not in _BIG + _TIGHT


def _operand(element: ElementTree.Element) -> str:
    return _wrapped(_linear(element))


def _wrapped(text: str) -> str:
    return text if _STANDS_ALONE.fullmatch(text) else f"({text})"


def _below(element: ElementTree.Element) -> str:
    return _script(_linear(element), "_", _SUBSCRIPTS)


def _above(text: str) -> str:
    if text in {"*", "∗", "′", "″"}:
        return text.replace("∗", "*")
    return _script(text, "^", _SUPERSCRIPTS)


def _script(text: str, mark: str, alphabet: dict[int, int]) -> str:
    tight = text.replace(" ", "")
    if all(ord(character) in alphabet for character in tight):
        return tight.translate(alphabet)
    return f"{mark}{_wrapped(tight)}"
