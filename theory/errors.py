"""What mechproof raises on bad input: the argument, the value, what is wrong with it, the fix."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from theory.shared.printable import message_text

__all__ = [
    "ExactnessError",
    "InvalidInputError",
    "LimitError",
    "MechproofError",
    "NullEventError",
    "NumberError",
    "ProbabilityError",
    "RoundingError",
    "ShapeError",
    "UndecidedError",
    "UnknownNameError",
    "nearest",
]

_SHOWN = 120
_LONG = 330
"""The most bits of a number that is shown in full: some 100 digits."""
_COMPARED = 2_000
"""How many names are compared with one that is unknown."""
_COMPARABLE = 200
"""How long names may be that are compared: the work grows with the square."""


def _show_value(value: object) -> str:
    try:
        if isinstance(value, int | Fraction):
            size = max(abs(value.numerator), value.denominator).bit_length()
            if size > _LONG:
                return f"a number of about {size * 30103 // 100000 + 1:,} digits"
        text = repr(str(value) if isinstance(value, Fraction) else value)
    except ValueError:  # Python writes no integer of more than 4300 digits
        text = "a number with too many digits to show"
    except KeyboardInterrupt:
        raise
    except BaseException:  # of the value's own code, which may leave the program, too
        text = f"a {type(value).__name__} that cannot be shown"
    if "\n" in text:
        text = " ".join(filter(None, map(str.strip, text.split("\n"))))
    return _shorten(text)


def _shorten(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


class MechproofError(Exception):
    """Every exception that mechproof raises on purpose.

    Its text may quote what came from outside: it is one line, in which line breaks and characters
    that give orders to a terminal are written out.
    """

    def __str__(self) -> str:
        return message_text(super().__str__())


class InvalidInputError(MechproofError, ValueError):
    """An argument that cannot be used.

    Parameters
    ----------
    argument : str
        Name of the argument, or the path of the value in a document.
    value : object
        What was given.
    problem : str
        What is wrong with it, as a clause: "is negative".
    fix : str
        What to give instead, as a clause: "give a number of at least 0".
    """

    def __init__(self, argument: str, value: object, problem: str, fix: str) -> None:
        super().__init__(argument, value, problem, fix)
        self.argument = argument
        self.value = value
        self.problem = problem
        self.fix = fix

    def __str__(self) -> str:
        text = f"{self.argument} {self.problem} (got {_show_value(self.value)}): {self.fix}"
        return message_text(text)


class NumberError(InvalidInputError):
    """Not a number, not finite, or not writable as the kind of number asked for."""


class ExactnessError(NumberError):
    """A float where an exact number is needed; nothing is cast silently."""


class RoundingError(NumberError):
    """A float64 answer that is off by more than rounding explains; the fix names the exact one."""


class ProbabilityError(InvalidInputError):
    """Probabilities that are negative or do not sum to one."""


class NullEventError(InvalidInputError):
    """Conditioning on an event of probability zero."""


class ShapeError(InvalidInputError):
    """An array or table whose shape does not fit its space."""


class UnknownNameError(InvalidInputError):
    """A name that nothing bears; the fix names the nearest one."""


class LimitError(InvalidInputError):
    """More work than the method is built for; the message states the count and the limit."""


class UndecidedError(MechproofError, ArithmeticError):
    """A comparison of certified balls that overlap: more bits may decide it."""


def nearest(name: object, known: Iterable[object]) -> str:
    """Return the fix for a name that is none of ``known``: what it may have meant."""
    from difflib import get_close_matches

    names = sorted({str(k) for k in known})
    text = str(name)
    likely = [each for each in names[:_COMPARED] if len(each) <= _COMPARABLE]
    close = get_close_matches(text, likely, n=1, cutoff=0.5) if len(text) <= _COMPARABLE else []
    if close:
        return f"did you mean {close[0]!r}?"
    shown = ", ".join(map(_shorten, names[:8])) + (", …" if len(names) > 8 else "")
    return f"known are {shown}" if names else "there are none"
