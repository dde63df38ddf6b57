"""Write MathML in one line of Unicode, for a terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from mechproof.report.mathml import BIG_OPERATORS, base, is_a, names_function

__all__ = ["linear"]

_TIGHT = frozenset("|‖∥/∀∃∂∇√¬∞∅~^")
_ACCENTS = {
    "^": "\u0302",
    "¯": "\u0304",
    "‾": "\u0304",
    "~": "\u0303",
    "˜": "\u0303",
    "˙": "\u0307",
}
_SUBSCRIPTS = str.maketrans("0123456789+−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_SUPERSCRIPTS = str.maketrans("0123456789+−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ")
_STANDS_ALONE = re.compile(r"[\w.′*]+")


def linear(element: ElementTree.Element) -> str:
    """Return the element in one line; brackets are added where structure would be lost."""
    kind = element.tag.rpartition("}")[2]
    parts = list(element)
    match kind:
        case "mi" | "mn" | "mo" | "mtext":
            return (element.text or "").replace("\N{NO-BREAK SPACE}", " ").replace("∣", "|")
        case "mspace":
            return " "
        case "mfrac":
            return (
                f"{_wrap_in_parentheses(linear(parts[0]))}/{_wrap_in_parentheses(linear(parts[1]))}"
            )
        case "msqrt":
            return f"√{_wrap_in_parentheses(_row(parts))}"
        case "msub" | "munder":
            return linear(parts[0]) + _below(parts[1])
        case "msup":
            return linear(parts[0]) + _above(parts[1])
        case "mover":
            accent = _ACCENTS.get(linear(parts[1]))
            return linear(parts[0]) + (accent or _above(parts[1]))
        case "msubsup" | "munderover":
            return linear(parts[0]) + _below(parts[1]) + _above(parts[2])
        case "mtable":
            return "; ".join(" ".join(map(linear, row)) for row in parts)
        case _:
            return _row(parts)


def _row(parts: Sequence[ElementTree.Element]) -> str:
    line = ""
    for k, part in enumerate(parts):
        text = linear(part)
        after = parts[k + 1] if k + 1 < len(parts) else None
        if _is_relation(part):
            is_sign = not line or line.endswith(("(", "[", "{", " ", "|"))
            line += text if is_sign and text in "+−±" else f" {text} "
        elif text in {",", ";", ":"}:
            line += f"{text} "
        elif names_function(part) or base(part) in BIG_OPERATORS:
            line += f" {text}" if line[-1:].isalnum() else text
            line += " " if after is not None and linear(after)[:1] not in {*"(),]"} else ""
        elif is_a(part, "mfrac") and after is not None and not is_a(after, "mo"):
            line += f"({text})"
        else:
            line += text
    return line


def _is_relation(element: ElementTree.Element) -> bool:
    text = element.text or ""
    if text == "∣":
        return True
    return (
        len(text) == 1
        and unicodedata.category(text) == "Sm"
        and text not in BIG_OPERATORS
        and text not in _TIGHT
    )


def _wrap_in_parentheses(text: str) -> str:
    return text if _STANDS_ALONE.fullmatch(text) else f"({text})"


def _below(element: ElementTree.Element) -> str:
    return _script(linear(element), "_", _SUBSCRIPTS)


def _above(element: ElementTree.Element) -> str:
    text = linear(element).replace("∗", "*")
    return text if text in {"*", "′", "″"} else _script(text, "^", _SUPERSCRIPTS)


def _script(text: str, mark: str, alphabet: Mapping[int, int]) -> str:
    tight = text.replace(" ", "")
    if all(ord(character) in alphabet for character in tight):
        return tight.translate(alphabet)
    return f"{mark}{_wrap_in_parentheses(tight)}"
