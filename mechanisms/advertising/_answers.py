"""What the generator, the reference and the advertisers may answer, and why something is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from json import loads
from numbers import Real
from sys import float_info
from typing import Any, Final

import numpy as np

from mechanisms.participants import plain
from mechanisms.play import AnswerType, IllegalAnswerError
from mechanisms.play.answers import describe_briefly, list_answers
from mechanisms.protocols import Sampled
from theory.shared.printable import one_line

__all__ = ["LARGEST", "NumberPerReply", "Replies", "Written"]

LARGEST: Final = float_info.max
"""The largest number of float64."""

_LIST: Final = "give a list"
_PAIRS: Final = 'give each as {"reply": its text, "log_prob": a number}'


@dataclass(frozen=True)
class Written:
    """Replies, with their log-probabilities under the law that they were drawn from.

    Attributes
    ----------
    replies : tuple of str
        In the order in which they were drawn; one may come twice.
    log_probs : tuple of float
        At most 0, and finite.
    """

    replies: tuple[str, ...]
    log_probs: tuple[float, ...]


@dataclass(frozen=True)
class Replies(AnswerType[Written]):
    """So many replies, each with its log-probability under the law that it was drawn from.

    Parameters
    ----------
    count : int
    least : float
        The least log-probability.

    Examples
    --------
    >>> Replies(2).read([("Tea.", -0.5), {"reply": "Milk.", "log_prob": -1}])
    Written(replies=('Tea.', 'Milk.'), log_probs=(-0.5, -1.0))
    >>> Replies(1).read([("Tea.", 0.5)])
    Traceback (most recent call last):
    ...
    mechanisms.play.answers.IllegalAnswerError: 'Tea.' has the log-probability 0.5: say a finite \
number of at most 0
    """

    count: int
    least: float = -LARGEST

    def read(self, given: object) -> Written:
        """Return replies that are given: as :class:`~mechanisms.protocols.Sampled`, or in pairs."""
        if isinstance(given, Sampled):
            texts: Sequence[Any] = given.replies
            numbers: Sequence[Any] = given.log_probs.tolist()
        else:
            pairs = [_pair(each) for each in _listed(given)]
            texts, numbers = [text for text, _ in pairs], [number for _, number in pairs]
        if len(texts) != self.count:
            raise IllegalAnswerError(f"{len(texts)} replies are given", f"give {self.count}")
        replies = tuple(map(plain, texts))
        for text, each in zip(replies, texts, strict=True):
            if text is None:
                problem = f"{describe_briefly(each)} is no text of a reply"
                raise IllegalAnswerError(problem, _PAIRS)
        known = tuple(text for text in replies if text is not None)
        return Written(known, _numbers(numbers, known, "log-probability", self.least, 0.0))

    def write(self, answer: Written) -> object:
        """Return an object for each reply; JSON keeps each float as it is."""
        pairs = zip(answer.replies, answer.log_probs, strict=True)
        return [{"reply": reply, "log_prob": log_prob} for reply, log_prob in pairs]

    def schema(self) -> dict[str, object]:
        """Return a list of objects, one a reply."""
        properties = {"reply": {"type": "string"}, "log_prob": {"type": "number", "maximum": 0}}
        each = {
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
        return {"type": "array", "items": each, "minItems": self.count, "maxItems": self.count}

    def __str__(self) -> str:
        what = "a reply" if self.count == 1 else f"{self.count:,} replies"
        return f"{what} with the log-probability of each"


@dataclass(frozen=True)
class NumberPerReply(AnswerType[tuple[float, ...]]):
    """A number for each of several replies, as float64: in their order, or by their texts.

    Parameters
    ----------
    replies : tuple of str
        Which differ.
    what : str
        What the numbers are, for people: "reward".
    least, most : float
        The numbers between which they are, both finite.
    among : tuple of float
        The only numbers that are allowed, where there are some.

    Examples
    --------
    >>> answer = NumberPerReply(("Tea.", "Milk."), "reward")
    >>> answer.read("[1, 0.5]"), answer.read({"Milk.": 0.5, "Tea.": 1})
    ((1.0, 0.5), (1.0, 0.5))
    >>> answer.read([1])
    Traceback (most recent call last):
    ...
    mechanisms.play.answers.IllegalAnswerError: 1 number is given: say one for each of 2 replies
    """

    replies: tuple[str, ...]
    what: str
    least: float = -LARGEST
    most: float = LARGEST
    among: tuple[float, ...] = ()

    def read(self, given: object) -> tuple[float, ...]:
        """Return the numbers that are given: in a list or an array, by reply, or as JSON."""
        row = self._by_reply(given) if isinstance(given, Mapping) else _listed(given)
        if isinstance(row, Mapping):  # in JSON
            row = self._by_reply(row)
        if len(row) != len(self.replies):
            problem = f"{len(row)} number{' is' if len(row) == 1 else 's are'} given"
            raise IllegalAnswerError(problem, f"say one for each of {len(self.replies)} replies")
        found = _numbers(row, self.replies, self.what, self.least, self.most)
        if self.among:
            for number, reply in zip(found, self.replies, strict=True):
                if number not in self.among:
                    problem = f"{describe_briefly(reply)} has the {self.what} {number:g}"
                    raise IllegalAnswerError(problem, f"say one of {self._allowed()}")
        return found

    def write(self, answer: tuple[float, ...]) -> object:
        """Return the numbers in a list; JSON keeps each float as it is."""
        return list(answer)

    def schema(self) -> dict[str, object]:
        """Return a list of numbers, one a reply."""
        number: dict[str, object] = {"type": "number"}
        if self.among:
            number = {"enum": list(self.among)}
        elif self.most == 0:
            number["maximum"] = 0
        size = len(self.replies)
        return {
            "type": "array",
            "items": number,
            "minItems": size,
            "maxItems": size,
            "description": str(self),
        }

    def choices(self) -> tuple[tuple[float, ...], ...] | None:
        """Return all answers, where the numbers are among few."""
        if not self.among:
            return None
        return list_answers(product(self.among, repeat=len(self.replies)))

    def __str__(self) -> str:
        among = f", each one of {self._allowed()}" if self.among else ""
        size = len(self.replies)
        what = f"the {self.what} of the reply" if size == 1 else f"a {self.what} for each of {size}"
        return one_line(f"{what}{'' if size == 1 else ' replies, in their order'}{among}")

    def _allowed(self) -> str:
        return ", ".join(f"{number:g}" for number in self.among)

    def _by_reply(self, given: Mapping[Any, Any]) -> list[Any]:
        named = dict(given)
        for reply in self.replies:
            if reply not in named:
                problem = f"{describe_briefly(reply)} has no {self.what}"
                raise IllegalAnswerError(problem, "say one for each of the replies")
        for name in named:
            if name not in self.replies:
                fix = "name the replies as they are"
                raise IllegalAnswerError(f"{describe_briefly(name)} is none of the replies", fix)
        return [named[reply] for reply in self.replies]


def _listed(given: object) -> Any:
    """Return what is given in a list, a tuple, an array or JSON; of the last, an object too."""
    text = plain(given)
    if text is not None:
        try:
            given = loads(text)
        except (ValueError, RecursionError):
            raise IllegalAnswerError(f"{describe_briefly(text)} is no JSON", _LIST) from None
        if isinstance(given, dict):
            return given
    if isinstance(given, np.ndarray) and given.ndim == 1:
        return given.tolist()
    if not isinstance(given, list | tuple):
        raise IllegalAnswerError(f"{describe_briefly(given)} is no list", _LIST)
    return given


def _pair(given: Any) -> tuple[Any, Any]:
    """Return a text and its number."""
    if isinstance(given, Mapping) and set(given) == {"reply", "log_prob"}:
        return given["reply"], given["log_prob"]
    if isinstance(given, list | tuple) and len(given) == 2:
        return given[0], given[1]
    raise IllegalAnswerError(f"{describe_briefly(given)} is no reply with its number", _PAIRS)


def _numbers(
    row: Sequence[Any], replies: Sequence[str], what: str, least: float, most: float
) -> tuple[float, ...]:
    """Return numbers between bounds as floats."""
    found = tuple([each if type(each) is float else _float(each) for each in row])
    for k, number in enumerate(found):
        if not least <= number <= most:
            bounds = f" of at least {least:g}" if least > -LARGEST else ""
            if most < LARGEST:
                bounds += f"{' and' if bounds else ' of'} at most {most:g}"
            problem = f"{describe_briefly(replies[k])} has the {what} {describe_briefly(row[k])}"
            raise IllegalAnswerError(problem, f"say a finite number{bounds}")
    return found


def _float(given: Any) -> float:
    """Return a real number as a float, and NaN for whatever is none."""
    if isinstance(given, bool | np.bool_) or not isinstance(given, Real):
        return np.nan
    try:
        return float(given)
    except OverflowError:
        return np.nan
