"""Questions of users, each with the advertisers who would like to be part of the answer."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from theory.errors import InvalidInputError
from theory.shared.printable import print_safely, printable

__all__ = ["Advertiser", "Instance", "instances"]


@dataclass(frozen=True)
class Advertiser:
    """A firm that would like to be mentioned.

    Attributes
    ----------
    name : str
        Its name; one that occurs in a reply is a mention.
    description : str
        What it offers, as a phrase that follows "which offers".

    Raises
    ------
    InvalidInputError
        Where either is not text, or blank.
    """

    name: str
    description: str

    def __post_init__(self) -> None:
        _read_text("name", self.name)
        _read_text("description", self.description)


@dataclass(frozen=True)
class Instance:
    """A question and the advertisers who take part.

    Attributes
    ----------
    query : str
        What the user asks.
    advertisers : tuple of Advertiser
        At least one, with different names.
    topic : str
        What the question is about, in a word.

    Raises
    ------
    InvalidInputError
        Where the question is blank, nobody takes part, or two advertisers share a name.

    Examples
    --------
    >>> print(Instance("How do I mend a sock?", (Advertiser("Darnly", "wool in tins"),)))
    How do I mend a sock?
      Darnly: wool in tins
    """

    query: str
    advertisers: tuple[Advertiser, ...]
    topic: str = ""

    def __post_init__(self) -> None:
        _read_text("query", self.query)
        topic: Any = self.topic
        if not isinstance(topic, str):
            raise InvalidInputError("topic", topic, "is not text", "give a word")
        given: Any = self.advertisers
        if not isinstance(given, tuple) or not all(isinstance(one, Advertiser) for one in given):
            raise InvalidInputError("advertisers", given, "are no tuple of Advertiser", "give one")
        names = [one.name for one in given]
        if not names:
            raise InvalidInputError("advertisers", given, "are none", "give at least one")
        if len(set(names)) < len(names):
            fix = "give each a name of its own"
            raise InvalidInputError("advertisers", names, "share a name", fix)

    def without(self, number: int) -> Instance:
        """Return the instance in which advertiser ``number``, from 0, does not take part.

        Raises
        ------
        InvalidInputError
            Where there is no such advertiser, or no other.
        """
        if type(number) is not int or not 0 <= number < len(self.advertisers):
            fix = f"give a number from 0 to {len(self.advertisers) - 1}"
            raise InvalidInputError("number", number, "is no advertiser", fix)
        rest = self.advertisers[:number] + self.advertisers[number + 1 :]
        return Instance(self.query, rest, self.topic)

    @print_safely
    def __str__(self) -> str:
        firms = (printable(f"{one.name}: {one.description}") for one in self.advertisers)
        return "\n  ".join([printable(self.query), *firms])


@lru_cache(maxsize=1)
def instances() -> tuple[Instance, ...]:
    """Return the fifty questions of our own, five on each of ten topics, with two firms each.

    None of the hundred firms exists. They are read from the package the first time that they are
    asked for.

    Examples
    --------
    >>> print(instances()[0])
    What is a good way to bake bread at home?
      Crumblane: stone-ground flour and dried yeast
      Ovenwick: small ovens that hold a steady heat
    """
    text = files("mechanisms.advertising").joinpath("instances.toml").read_text("utf-8")
    return tuple(
        Instance(
            entry["query"],
            tuple(Advertiser(one["name"], one["description"]) for one in entry["advertisers"]),
            entry["topic"],
        )
        for entry in tomllib.loads(text)["instance"]
    )


def _read_text(argument: str, value: Any) -> None:
    if not isinstance(value, str) or not value.strip():
        raise InvalidInputError(argument, value, "is not text, or blank", "write it out")
