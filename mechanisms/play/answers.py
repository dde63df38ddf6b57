"""What a legal answer is: how it is read, why something is none, what there is to choose."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, islice
from typing import Any, Final, Generic, TypeVar

from mechanisms._statement import amount_text
from mechanisms.participants import describe_object, plain
from mechanisms.play.plain_data import from_json, to_json, view_json
from theory.errors import InvalidInputError, LimitError, MechproofError, nearest
from theory.numbers import rational
from theory.shared.arguments import read_count, read_tuple
from theory.shared.copying import copy_content
from theory.shared.printable import message_text, one_line

__all__ = ["AnswerType", "Anything", "Choice", "IllegalAnswerError", "Quantity", "Subset", "Text"]

T = TypeVar("T")

MAX_CHOICES: Final = 100_000
"""How many answers are listed at most."""
_LONG: Final = 10**1_000
"""Numbers that are answered have fewer digits above and below the line, so what is written can be
read."""


class IllegalAnswerError(MechproofError):
    """An answer that the rules do not allow; the run stays as it was.

    Parameters
    ----------
    problem : str
        What is wrong with it, as a clause: "names what is not on offer".
    fix : str
        What to answer instead, as a clause.
    """

    def __init__(self, problem: str, fix: str) -> None:
        super().__init__(problem, fix)
        self.problem = problem
        self.fix = fix

    def __str__(self) -> str:
        return message_text(f"{self.problem}: {self.fix}")


class AnswerType(ABC, Generic[T]):
    """The legal answers to a question.

    An answer is a Python value. It is also said as text, by a person, and as JSON, by a model:
    :meth:`read` takes all three. For each legal answer x, ``read(x) == x`` and
    ``read_written(write(x)) == x``.
    """

    @abstractmethod
    def read(self, given: object) -> T:
        """Return the answer that is given as a value, as text or as JSON.

        Raises
        ------
        IllegalAnswerError
            For whatever is no legal answer.
        """

    @abstractmethod
    def write(self, answer: T) -> object:
        """Return a legal answer as JSON: text, numbers, booleans, None, lists and dictionaries."""

    @abstractmethod
    def schema(self) -> dict[str, object]:
        """Return the JSON Schema of the answers, for models and forms."""

    def read_written(self, written: object) -> T:
        """Return the answer that :meth:`write` has written."""
        return self.read(written)

    def say(self, answer: T) -> object:
        """Return a legal answer as JSON that :meth:`read` takes, as a model says it."""
        return self.write(answer)

    def choices(self) -> tuple[T, ...] | None:
        """Return all legal answers, or None where they cannot be listed.

        Raises
        ------
        LimitError
            For more than 100,000 of them.
        """
        return None


@dataclass(frozen=True)
class Choice(AnswerType[T]):
    """One of several options, which differ in their text.

    Parameters
    ----------
    options : sequence
        Text, numbers, or whatever else does not change. It is said as ``str(option)``.

    Examples
    --------
    >>> answer = Choice(("stop", 2))
    >>> answer.read("2")
    2
    >>> answer.read("skip")
    Traceback (most recent call last):
    ...
    mechanisms.play.answers.IllegalAnswerError: 'skip' is no option: did you mean 'stop'?
    """

    options: tuple[T, ...]
    _by_text: dict[str, T] = field(init=False, repr=False, compare=False)

    def __init__(self, options: Iterable[T]) -> None:
        listed = read_tuple("options", options, "give a list of options")
        object.__setattr__(self, "options", listed)
        object.__setattr__(self, "_by_text", _by_text("options", listed))

    def read(self, given: object) -> T:
        """Return the option that is given, or that has the text that is given."""
        return _read_option(given, self._by_text)

    def write(self, answer: T) -> object:
        """Return the text of an option."""
        return str(answer)

    def schema(self) -> dict[str, object]:
        """Return an enumeration of texts."""
        return {"type": "string", "enum": list(self._by_text)}

    def choices(self) -> tuple[T, ...]:
        """Return the options."""
        return self.options

    def __str__(self) -> str:
        return one_line("one of " + ", ".join(self._by_text))


@dataclass(frozen=True)
class Subset(AnswerType[tuple[T, ...]]):
    """Some of several options, or none of them; the answer is a tuple in the order of the options.

    Parameters
    ----------
    options : sequence
        Which differ in their text.
    most : int, optional
        How many may be chosen; all of them where nothing is said.

    Examples
    --------
    >>> answer = Subset(("report", "map", "guide"), most=2)
    >>> answer.read("map, report")
    ('report', 'map')
    >>> len(answer.choices())
    7
    """

    options: tuple[T, ...]
    most: int
    _by_text: dict[str, T] = field(init=False, repr=False, compare=False)

    def __init__(self, options: Iterable[T], most: int | None = None) -> None:
        listed = read_tuple("options", options, "give a list of options")
        object.__setattr__(self, "options", listed)
        limit = len(listed) if most is None else read_count("most", most, 0)
        object.__setattr__(self, "most", limit)
        object.__setattr__(self, "_by_text", _by_text("options", listed, least=0))

    def read(self, given: object) -> tuple[T, ...]:
        """Return the options that are given: in a list, or as text between commas."""
        text = plain(given)
        parts: list[object]
        if text is not None:
            parts = [each.strip() for each in text.split(",") if each.strip()]
            if "," in text and text.strip() in self._by_text:
                if all(each in self._by_text for each in parts):
                    fix = f"give a list, such as {[text.strip()]}"
                    raise IllegalAnswerError(
                        f"{describe_briefly(text)} is one option and several", fix
                    )
                parts = [text.strip()]
        elif isinstance(given, Iterable):
            parts = list(islice(given, len(self.options) + 1))
        else:
            fix = "give a list of options, even an empty one"
            raise IllegalAnswerError(f"{describe_briefly(given)} is no list", fix)
        found: list[T] = []
        for part in parts:
            option = _read_option(part, self._by_text)
            if any(option is each for each in found):
                raise IllegalAnswerError(
                    f"{describe_briefly(part)} is named twice", "name each option once"
                )
            found.append(option)
        if len(found) > self.most:
            raise IllegalAnswerError(f"{len(found)} are chosen", f"choose at most {self.most}")
        return tuple(option for option in self.options if any(option is each for each in found))

    def write(self, answer: tuple[T, ...]) -> object:
        """Return the texts of the options."""
        return [str(option) for option in answer]

    def schema(self) -> dict[str, object]:
        """Return a list of texts, each at most once."""
        return {
            "type": "array",
            "items": {"type": "string", "enum": list(self._by_text)},
            "uniqueItems": True,
            "maxItems": min(self.most, len(self.options)),
        }

    def choices(self) -> tuple[tuple[T, ...], ...]:
        """Return all subsets, the smallest first."""
        sizes = range(min(self.most, len(self.options)) + 1)
        subsets = (chosen for size in sizes for chosen in combinations(self.options, size))
        return list_answers(subsets)

    def __str__(self) -> str:
        if not self.options:
            return "nothing, since there is none to choose"
        many = "some or none" if self.most >= len(self.options) else f"at most {self.most}"
        return one_line(f"{many} of " + ", ".join(self._by_text))


@dataclass(frozen=True)
class Quantity(AnswerType[Fraction]):
    """A rational number between bounds, on a grid where there is a step.

    Floats are refused, since 0.1 as a float is not 1/10: say ``"0.1"`` or ``"1/10"``. So are more
    than 1,000 digits above or below the line.

    Parameters
    ----------
    least : number
        The least amount, and where the grid starts.
    most : number, optional
    step : number, optional
        Legal are ``least``, ``least + step``, … up to ``most``.

    Examples
    --------
    >>> bid = Quantity(0, 2, step="1/2")
    >>> bid.read("1.5")
    Fraction(3, 2)
    >>> bid.read(3)
    Traceback (most recent call last):
    ...
    mechanisms.play.answers.IllegalAnswerError: 3 is too much: say at most 2
    """

    least: Fraction
    most: Fraction | None
    step: Fraction | None

    def __init__(
        self, least: object = 0, most: object | None = None, step: object | None = None
    ) -> None:
        bounds = {"least": least, "most": most, "step": step}
        read = {
            name: None if bound is None else rational(bound, name) for name, bound in bounds.items()
        }
        for name, bound in read.items():
            object.__setattr__(self, name, bound)
        if self.most is not None and self.most < self.least:
            raise InvalidInputError("most", self.most, "is below the least", "give more")
        if self.step is not None and self.step <= 0:
            raise InvalidInputError("step", self.step, "is not positive", "give a step above 0")

    def read(self, given: object) -> Fraction:
        """Return the number that is given, exactly, in an object of its own."""
        amount = read_exact(given, describe_briefly(given))
        text = amount_text(amount)
        if amount < self.least:
            raise IllegalAnswerError(
                f"{text} is too little", f"say at least {amount_text(self.least)}"
            )
        if self.most is not None and amount > self.most:
            raise IllegalAnswerError(f"{text} is too much", f"say at most {amount_text(self.most)}")
        if self.step is not None and (amount - self.least) % self.step:
            grid = f"{amount_text(self.least)} and steps of {amount_text(self.step)}"
            raise IllegalAnswerError(f"{text} is between two steps", f"say {grid}")
        return amount

    def write(self, answer: Fraction) -> object:
        """Return the number as text, such as "3/2"."""
        return str(answer)

    def schema(self) -> dict[str, object]:
        """Return a text: JSON's own numbers are floats to most who read them."""
        return {
            "type": "string",
            "pattern": r"^[+-]?[0-9]+([./][0-9]+)?$",
            "description": str(self),
        }

    def choices(self) -> tuple[Fraction, ...] | None:
        """Return the grid, or None where there is none or it has no end."""
        if self.most is None or self.step is None:
            return None
        count = (self.most - self.least) // self.step + 1
        if count > MAX_CHOICES:
            raise _too_many(f"{count:,}")
        return tuple(self.least + k * self.step for k in range(count))

    def __str__(self) -> str:
        bounds = f"a number of at least {amount_text(self.least)}"
        if self.most is not None:
            bounds = f"a number from {amount_text(self.least)} to {amount_text(self.most)}"
        return bounds if self.step is None else f"{bounds} in steps of {amount_text(self.step)}"


@dataclass(frozen=True)
class Text(AnswerType[str]):
    """Free text of at most so many characters.

    Examples
    --------
    >>> Text(longest=20).read("The rice.")
    'The rice.'
    """

    longest: int = 10_000

    def __post_init__(self) -> None:
        read_count("longest", self.longest, 1)

    def read(self, given: object) -> str:
        """Return the text."""
        text = plain(given)
        if text is None:
            raise IllegalAnswerError(f"{describe_briefly(given)} is no text", "say it in words")
        if len(text) > self.longest:
            raise IllegalAnswerError(
                f"the text has {len(text):,} characters", f"use at most {self.longest:,}"
            )
        return text

    def write(self, answer: str) -> object:
        """Return the text itself."""
        return answer

    def schema(self) -> dict[str, object]:
        """Return a text with its limit."""
        return {"type": "string", "maxLength": self.longest}

    def __str__(self) -> str:
        return f"text of at most {self.longest:,} characters"


@dataclass(frozen=True)
class Anything(AnswerType[Any]):
    """Whatever is answered, as a copy.

    It is written only if it is plain data; see :meth:`Run.to_json`.

    Examples
    --------
    >>> Anything().read({"decision": "rice"})
    {'decision': 'rice'}
    """

    def read(self, given: object) -> object:
        """Return a copy of what is given."""
        try:
            return copy_content(given)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            problem = f"raised {describe_object(error)} when it was copied"
            raise IllegalAnswerError(problem, "answer with what can be copied") from error

    def read_written(self, written: object) -> object:
        """Return the plain data that was written."""
        return from_json(written)

    def write(self, answer: object) -> object:
        """Return it as JSON.

        Raises
        ------
        InvalidInputError
            For an object that is no plain data.
        """
        return to_json(answer, "answer")

    def say(self, answer: object) -> object:
        """Return it as JSON in which nothing says of what kind it was."""
        return view_json(answer)

    def schema(self) -> dict[str, object]:
        """Return the schema that everything fits."""
        return {}

    def __str__(self) -> str:
        return "anything"


def _by_text(argument: str, options: tuple[T, ...], least: int = 1) -> dict[str, T]:
    found = {str(option): option for option in options}
    if len(found) < max(least, len(options)):
        problem = "are none" if not options else "have the same text twice"
        raise InvalidInputError(argument, options, problem, "give options whose texts differ")
    return found


def _read_option(given: object, by_text: dict[str, T]) -> T:
    """Return the option that is given, or that has the text that is given."""
    text = plain(given)
    if text is None:
        for option in by_text.values():
            if type(option) is type(given) and option == given:
                return option
    elif text in by_text:
        return by_text[text]
    elif text.strip() in by_text:
        return by_text[text.strip()]
    fix = (
        nearest(text or describe_briefly(given), by_text) if by_text else "there is none to choose"
    )
    raise IllegalAnswerError(f"{describe_briefly(given)} is no option", fix)


def list_answers(answers: Iterable[T]) -> tuple[T, ...]:
    """Return answers as a tuple.

    Raises
    ------
    LimitError
        For more than 100,000 of them.
    """
    found = tuple(islice(answers, MAX_CHOICES + 1))
    if len(found) > MAX_CHOICES:
        raise _too_many(f"more than {MAX_CHOICES:,}")
    return found


def _too_many(count: str) -> LimitError:
    fix = f"ask for at most {MAX_CHOICES:,} by a larger step or fewer options"
    return LimitError("choices", count, "are too many to list", fix)


def read_exact(given: object, what: str) -> Fraction:
    """Return a number that is answered, exactly, in an object of its own.

    Raises
    ------
    IllegalAnswerError
        For what is no exact number, and for more than 1,000 digits above or below the line; it
        begins with ``what``.
    """
    try:
        amount = Fraction(rational(given))
    except InvalidInputError as error:
        raise IllegalAnswerError(f"{what} {error.problem}", error.fix) from None
    refuse_long(amount, what)
    return amount


def refuse_long(amount: Fraction | float, what: str) -> None:
    """Refuse a number of more than 1,000 digits above or below the line; floats have fewer.

    Raises
    ------
    IllegalAnswerError
        It begins with ``what``.
    """
    if isinstance(amount, Fraction) and max(abs(amount.numerator), amount.denominator) >= _LONG:
        raise IllegalAnswerError(f"{what} has more than 1,000 digits", "round it first")


def describe_briefly(given: object) -> str:
    """Return what was given, in at most 60 characters."""
    text = describe_object(given)
    return text if len(text) <= 60 else text[:59] + "…"
