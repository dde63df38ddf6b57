"""What vendors and buyers of the information market are told, and what each may answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import islice
from json import loads
from math import isfinite
from operator import attrgetter
from typing import Any, Final

from mechanisms.participants import plain
from mechanisms.play import AnswerType, IllegalAnswerError
from mechanisms.play.answers import describe_briefly, read_exact
from mechanisms.play.plain_data import set_apart
from mechanisms.protocols import Purchase
from theory.shared.arguments import read_count
from theory.shared.printable import indent_following_lines, one_line

__all__ = ["Excerpt", "Progress", "Quote", "Quotes", "Tender", "Texts", "texts_of"]

_LONGEST: Final = 10_000
"""The most characters of a question that a buyer asks, and of a name or a title that is quoted."""
_LONGEST_TEXT: Final = 1 << 20
"""The most characters of a text that is quoted: it is told again and again."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A passage as it is read: its title, and its text where it may be inspected or was bought."""

    title: str
    text: str | None

    def __str__(self) -> str:
        return self.title if self.text is None else f"{self.title}\n{self.text}"


def texts_of(bought: Iterable[Purchase]) -> list[str]:
    """Return the texts of what was bought."""
    contents = (each.content for each in bought)
    return [each.text or "" for each in contents if isinstance(each, Excerpt)]


@dataclass(frozen=True, slots=True)
class Tender:
    """What vendors are told: the question, and how many passages each may quote.

    What the buyer can pay is not told.
    """

    question: str
    most: int

    def __str__(self) -> str:
        asked = indent_following_lines(self.question, "  ")
        return f"{asked}\nwhat do you sell that answers this? at most {self.most} passages"


@dataclass(frozen=True, slots=True)
class Progress:
    """What a buyer knows when it answers, asks on, or answers again.

    Attributes
    ----------
    question : str
    bought : tuple of Purchase
        All that was bought until now, for any question; each content is an :class:`Excerpt`.
    answer : str or None
        To the question, if it has one already.
    followed : tuple of tuple of str
        Follow-up questions with their answers.
    """

    question: str
    bought: tuple[Purchase, ...]
    answer: str | None = None
    followed: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        lines = [indent_following_lines(self.question, "  ")]
        lines += [
            f"bought: {one_line(each.name)}: {indent_following_lines(str(each.content), '    | ')}"
            for each in self.bought
        ]
        if self.answer is not None:
            lines += [f"answer until now: {indent_following_lines(self.answer, '    | ')}"]
        for asked, answer in self.followed:
            lines += [f"asked on: {indent_following_lines(asked, '    | ')}"]
            lines += [f"  answer: {indent_following_lines(answer, '    | ')}"]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, init=False)
class Quote:
    """A passage that a vendor offers: a price for its text, and how well it seems to fit."""

    name: str
    title: str
    text: str
    price: Any
    score: float = 0.0

    def __init__(self, name: str, title: str, text: str, price: Any, score: float = 0.0) -> None:
        _name(self, name)  # field by field: what ``dataclass`` writes takes twice as long
        _title(self, title)
        _text(self, text)
        _price(self, price)
        _score_of(self, score)


_SETTERS: Final[list[Any]] = [vars(Quote)[field.name].__set__ for field in fields(Quote)]
_name, _title, _text, _price, _score_of = _SETTERS

_USUAL: Final = 1 << 63
"""Numerators and denominators below it are not long."""

_FIELDS: Final = ("name", "title", "text", "price", "score")
_values: Final = attrgetter(*_FIELDS)


@dataclass(frozen=True)
class Quotes(AnswerType[tuple[Quote, ...]]):
    """Quotes of a vendor: names that differ, exact prices of at least 0, finite scores.

    Examples
    --------
    >>> Quotes(2).read([{"name": "p1", "title": "Ilm", "text": "On the Raun.", "price": "5/2"}])
    (Quote(name='p1', title='Ilm', text='On the Raun.', price=Fraction(5, 2), score=0.0),)
    """

    most: int

    def __post_init__(self) -> None:
        read_count("most", self.most)

    def read(self, given: object) -> tuple[Quote, ...]:
        """Return the quotes with plain names and texts and exact prices."""
        text = plain(given)
        if text is not None:
            given = _json(text)
        if not isinstance(given, Iterable):
            fix = "give a list of quotes, even an empty one"
            raise IllegalAnswerError(f"{describe_briefly(given)} is no list", fix)
        found: dict[str, Quote] = {}
        for number, each in enumerate(islice(given, self.most + 1), 1):
            if number > self.most:
                problem = f"more than {self.most} passages are quoted"
                raise IllegalAnswerError(problem, "quote the best")
            quote = _quote(each)
            if quote.name in found:
                problem = f"{describe_briefly(quote.name)} is quoted twice"
                raise IllegalAnswerError(problem, "quote each passage once")
            found[quote.name] = quote
        return tuple(found.values())

    def write(self, answer: tuple[Quote, ...]) -> object:
        """Return dictionaries by field; prices are text, such as "5/2"."""
        return [
            {name: getattr(quote, name) for name in _FIELDS} | {"price": str(quote.price)}
            for quote in answer
        ]

    def schema(self) -> dict[str, object]:
        """Return a list of objects by field."""
        texts = {name: {"type": "string"} for name in _FIELDS[:4]}
        return {
            "type": "array",
            "maxItems": self.most,
            "items": {
                "type": "object",
                "properties": {**texts, "score": {"type": "number"}},
                "required": list(_FIELDS[:4]),
            },
        }

    def __str__(self) -> str:
        return f"at most {self.most} quotes, each with a name, a title, a text, a price and a score"


def _read_usual(given: Quote) -> Quote | None:
    """Return a quote of text and numbers of Python, none of them long: it is legal."""
    name, title, text, price, score = _values(given)
    if (
        type(name) is type(title) is type(text) is str
        and type(price) is Fraction
        and type(score) is float
        and 0 <= price.numerator < _USUAL
        and price.denominator < _USUAL
        and isfinite(score)
        and len(name) + len(title) + len(text) <= _LONGEST
        and name.strip()
    ):
        return Quote(name, title, text, set_apart(price), score)
    return None


def _quote(given: object) -> Quote:
    fields: dict[str, Any] = {}
    if type(given) is Quote and (usual := _read_usual(given)) is not None:
        return usual
    if isinstance(given, Quote):
        fields = {name: getattr(given, name) for name in _FIELDS}
    elif type(given) is dict and {*_FIELDS[:4]} <= given.keys() <= {*_FIELDS}:
        fields = {"score": 0.0, **given}
    else:
        fix = "give Quote(name, title, text, price, score)"
        raise IllegalAnswerError(f"{describe_briefly(given)} is no quote", fix)
    texts = {name: plain(fields[name]) for name in _FIELDS[:3]}
    for name, text in texts.items():
        if text is None or (name == "name" and not text.strip()):
            raise IllegalAnswerError(f"the {name} of a quote is no text", "say it in words")
        most = _LONGEST_TEXT if name == "text" else _LONGEST
        if len(text) > most:
            problem = f"the {name} of a quote has {len(text):,} characters"
            raise IllegalAnswerError(problem, f"use at most {most:,}")
    name = str(texts["name"])
    price = read_exact(fields["price"], f"the price of {name}")
    if price < 0:
        raise IllegalAnswerError(f"the price of {name} is negative", "ask for at least 0")
    return Quote(
        name, str(texts["title"]), str(texts["text"]), price, _score(name, fields["score"])
    )


def _score(name: str, given: Any) -> float:
    try:
        if not isinstance(given, bool) and isinstance(given, int | float) and isfinite(given):
            return float(given)
    except OverflowError:  # of an integer beyond all floats
        pass
    raise IllegalAnswerError(f"{name} has no finite score", "give a number")


@dataclass(frozen=True)
class Texts(AnswerType[tuple[str, ...]]):
    r"""Several texts, in a list, or one a line.

    Examples
    --------
    >>> Texts(3).read("Who is mayor?\n\nWhere was she born?")
    ('Who is mayor?', 'Where was she born?')
    """

    most: int

    def __post_init__(self) -> None:
        read_count("most", self.most)

    def read(self, given: object) -> tuple[str, ...]:
        """Return the texts without blanks around them; empty ones are left out."""
        text = plain(given)
        if text is not None:
            given = _json(text) if text.lstrip().startswith("[") else text.splitlines()
        if not isinstance(given, Iterable):
            fix = "give a list of texts, even an empty one"
            raise IllegalAnswerError(f"{describe_briefly(given)} is no list", fix)
        found: list[str] = []
        for each in islice(given, 10 * self.most + 10):
            said = plain(each)
            if said is None:
                raise IllegalAnswerError(f"{describe_briefly(each)} is no text", "say it in words")
            if len(said) > _LONGEST:
                problem = f"a text has {len(said):,} characters"
                raise IllegalAnswerError(problem, f"use at most {_LONGEST:,}")
            if said.strip():
                found.append(said.strip())
        if len(found) > self.most:
            raise IllegalAnswerError(f"{len(found)} are given", f"give at most {self.most}")
        return tuple(found)

    def write(self, answer: tuple[str, ...]) -> object:
        """Return the list."""
        return list(answer)

    def schema(self) -> dict[str, object]:
        """Return a list of texts."""
        return {
            "type": "array",
            "maxItems": self.most,
            "items": {"type": "string", "maxLength": _LONGEST},
        }

    def __str__(self) -> str:
        if self.most == 1:
            return "one text, or none"
        return f"at most {self.most} texts in a list, or one a line"


def _json(text: str) -> object:
    try:
        return loads(text)
    except (ValueError, RecursionError):
        problem = f"{describe_briefly(text)} is no list in JSON"
        raise IllegalAnswerError(problem, "write a list in JSON") from None
