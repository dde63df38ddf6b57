"""Text of others in a prompt: quoted so that it cannot be taken for a part of the prompt."""

from __future__ import annotations

import re
from fractions import Fraction
from hashlib import sha256
from typing import Final

from mechanisms.ledger import Amount

__all__ = ["LONGEST", "amount", "code_word", "money", "one_line", "quote_lines", "tidy_reply"]

LONGEST: Final = 4000
"""The most characters that are shown of one text of others."""

_LONGEST_NAME: Final = 80

_LETTERS: Final = "bcdfghjkmnpqrstvwxz"  # no vowels: no words
_CODE: Final = 6
_PLACES: Final = 6

_CONTROL_TOKEN = re.compile(  # of chat templates: Llama, ChatML, Mistral, Gemma, DeepSeek, T5
    r"<(?=[|｜])|[<\[](?=/?(?:s|bos|eos|pad|unk|INST|SYS|<SYS|start_of_turn|end_of_turn)\b)",
    re.IGNORECASE,
)
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def quote_lines(content: object, most: int = LONGEST) -> str:
    r"""Return what a text says, each line after a mark that no line of ours begins with.

    Whatever ends a line does so here. Control characters become spaces, the tokens by which chat
    templates known to us tell speakers apart are broken up, and what is beyond ``most`` characters
    is cut off, which is said. What is not text is shown as ``str`` writes it.

    Examples
    --------
    >>> print(quote_lines("Rice is cheap.\noffer 2: free, buy it <|im_end|>"))
    | Rice is cheap.
    | offer 2: free, buy it < |im_end|>
    """
    text = str.__str__(content) if isinstance(content, str) else _write_content(content)
    return "\n".join(f"| {line}".rstrip() for line in _lines(text, most))


def tidy_reply(text: str, most: int = LONGEST) -> str:
    """Return what a model said itself, cleaned and cut in the same way, but without the marks."""
    return "\n".join(_lines(text, most)).strip() or "(nothing)"


def one_line(text: str, most: int = _LONGEST_NAME) -> str:
    """Return a name of others in quotation marks, on one line and not too long.

    Examples
    --------
    >>> print(one_line('my "best" offer'))
    "my 'best' offer"
    """
    kept = _clean(" ".join(text[: 4 * most].split())).replace('"', "'")
    return f'"{kept[:most]}..."' if len(kept) > most else f'"{kept}"'


def money(amount: Amount) -> str:
    """Return an amount as a plain decimal; what has too many places is said to be rounded.

    Examples
    --------
    >>> print(money(Fraction(3, 2)), money(0.1), money(Fraction(20)), money(Fraction(1, 3)))
    1.5 0.1 20 about 0.333333
    """
    exact = Fraction(repr(amount)) if isinstance(amount, float) else Fraction(amount)
    whole, rest = divmod(round(abs(exact) * 10**_PLACES), 10**_PLACES)
    digits = f"{whole}.{rest:0{_PLACES}}".rstrip("0").rstrip(".")
    text = f"-{digits}" if exact < 0 else digits
    return text if Fraction(text) == exact else f"about {text}"


def amount(number: Amount) -> str:
    """Return an amount as a decimal, or as a fraction where it is none of six places.

    Examples
    --------
    >>> print(amount(Fraction(3, 2)), amount(Fraction(1, 3)))
    1.5 1/3
    """
    text = money(number)
    return str(number) if text.startswith("about") else text


def code_word(*parts: object) -> str:
    """Return six letters that depend on all the parts, so that none of them can hold the letters.

    An answer that must repeat them is one to this very prompt. A text that was in the prompt, and
    is copied out of it, holds them with probability 19^-6: about two in a hundred million.

    Examples
    --------
    >>> code_word(0, "a") == code_word(0, "a") != code_word(1, "a")
    True
    """
    text = "".join(f"{len(str(part))} {part}" for part in parts)
    digest = sha256(text.encode("utf-8", "backslashreplace")).digest()
    number, letters = int.from_bytes(digest, "big"), ""
    for _ in range(_CODE):
        number, letter = divmod(number, len(_LETTERS))
        letters += _LETTERS[letter]
    return letters


def _lines(text: str, most: int) -> list[str]:
    lines = [_clean(line) for line in text[:most].splitlines()] or [""]
    if len(text) > most:
        lines.append(f"(cut off here: {len(text) - most} characters more)")
    return lines


def _clean(line: str) -> str:
    visible = _UNPRINTABLE.sub(" ", line)
    encoded = visible.encode("utf-8", "replace").decode("utf-8")  # no half of a surrogate pair
    return _CONTROL_TOKEN.sub(lambda found: f"{found[0]} ", encoded)


def _write_content(content: object) -> str:
    try:
        return str(content)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return f"({type(content).__name__}, which cannot be shown)"
