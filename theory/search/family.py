"""Families of instances, by level: every member, a random member, or one rebuilt from choices."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any, Final, Generic, TypeVar

import numpy as np

from theory.errors import InvalidInputError
from theory.search.draw import Draw, DrawRejected
from theory.shared.arguments import refusing

__all__ = ["Family", "Member"]

T = TypeVar("T")

_FAR: Final = 16


@dataclass(frozen=True)
class Member(Generic[T]):
    """An instance with the choices that build it."""

    level: int
    instance: T
    choices: tuple[int, ...]
    measure: Callable[[T], tuple[Any, ...]]

    @cached_property
    def size(self) -> tuple[Any, ...]:
        """The size that the family gives it."""
        return self.measure(self.instance)

    @property
    def order(self) -> tuple[Any, ...]:
        """Position in the order of size: by level, then by size, then by choices."""
        return (self.level, self.size, len(self.choices), self.choices)


@refusing
@dataclass(frozen=True)
class Family(Generic[T]):
    """Instances built by ``build(draw, level)``, ordered by level and then by ``size``.

    Attributes
    ----------
    description : str
        The family's definition in words, for the scope of a finding.
    level_name : str
        What the level counts: "states", "goods".
    levels : sequence of int
        From the smallest; each level has finitely many members.
    build : callable
        A top-level function, so that a family can be sent to another process.
    size : callable
        Orders the members of one level, for instance by the sum of absolute values.
    """

    description: str
    level_name: str
    levels: Sequence[int]
    build: Callable[[Draw, int], T]
    size: Callable[[T], tuple[Any, ...]]

    def __post_init__(self) -> None:
        if list(self.levels) != sorted(set(self.levels)) or not self.levels:
            raise InvalidInputError("levels", self.levels, "do not ascend", "list each size once")

    def rebuild(self, level: int, choices: Sequence[int]) -> Member[T] | None:
        """Return the member that ``choices`` lead to, missing ones taken as simplest, or None."""
        return self._member(level, Draw(choices))

    def sample(self, level: int, generator: np.random.Generator) -> Member[T] | None:
        """Return a member built from uniformly random choices, or None where they lead nowhere."""
        return self._member(level, Draw(generator=generator))

    def members(self, level: int) -> Iterator[Member[T] | None]:
        """Yield every member of a level once; None for choices that lead nowhere."""
        choices: list[int] | None = []
        while choices is not None:
            draw = Draw(choices)
            yield self._member(level, draw)
            choices = successor(draw)

    def has_at_most(self, limit: int, level: int, generator: np.random.Generator) -> bool:
        """Whether a level has at most ``limit`` choice sequences; they are counted.

        Only where an estimate is far above the limit is the count spared.
        """
        if self.estimated_count(level, generator) > _FAR * limit:
            return False
        return self.least_count(limit, level) <= limit

    def least_count(self, limit: int, level: int) -> int:
        """Return how many choice sequences a level has, or a bound from below that exceeds limit.

        A sequence of choices has, at each of its places, as many siblings as there are further
        options, and each of these leads to one sequence or more. So far fewer members are built
        than are counted, unless the level is small.
        """
        found, waiting = 1, deque([iter([list[int]()])])
        while waiting and found <= limit:
            choices = next(waiting[0], None)
            if choices is None:
                waiting.popleft()
                continue
            draw = Draw(choices)
            self._member(level, draw)
            siblings = sum(arity - 1 for arity in draw.arities[len(choices) :])
            if siblings:
                found += siblings
                waiting.append(_siblings(draw, len(choices)))
        return found

    def estimated_count(
        self, level: int, generator: np.random.Generator, paths: int = 32
    ) -> Fraction:
        """Estimate how many choice sequences a level has: the mean product of arities.

        Exact where the number of options never depends on earlier choices, unbiased otherwise.
        Source: Knuth (1975), Estimating the efficiency of backtrack programs.
        """
        total = 0
        for _ in range(paths):
            draw = Draw(generator=generator)
            self._member(level, draw)
            total += prod(draw.arities)
        return Fraction(total, paths)

    def _member(self, level: int, draw: Draw) -> Member[T] | None:
        try:
            instance = self.build(draw, level)
        except DrawRejected:
            return None
        return Member(level, instance, tuple(draw.choices), self.size)


def _siblings(draw: Draw, start: int) -> Iterator[list[int]]:
    """Yield the beginnings of all other choices that part from these at place ``start`` or later.

    The choices from there on are the first of their options.
    """
    for place in range(start, len(draw.choices)):
        for option in range(1, draw.arities[place]):
            yield [*draw.choices[:place], option]


def successor(draw: Draw) -> list[int] | None:
    """Return the next choices in lexicographic order, or None after the last."""
    choices = list(draw.choices)
    for position in reversed(range(len(choices))):
        if choices[position] + 1 < draw.arities[position]:
            return [*choices[:position], choices[position] + 1]
    return None
