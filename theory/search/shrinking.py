"""Making a failing member smaller, step by step, until no step helps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from theory.search.family import Family, Member
from theory.shared.arguments import refusing

__all__ = ["ShrinkResult", "shrink"]

T = TypeVar("T")

Choices = tuple[int, ...]

_WIDTHS: Final = (8, 4, 3, 2, 1)
"""Lengths of the runs of choices that a step deletes or sets to zero."""


@dataclass(frozen=True)
class ShrinkResult(Generic[T]):
    """A member that still fails, and how it was reached.

    ``finished`` says that no single step makes it smaller; otherwise the limit came first.
    """

    member: Member[T]
    tried: int
    finished: bool

    def __str__(self) -> str:
        if self.finished:
            return f"shrunk in {self.tried:,} trials until no step made it smaller"
        return f"shrunk until the limit of {self.tried:,} trials was reached"


@refusing
def shrink(
    family: Family[T], member: Member[T], fails: Callable[[T], bool], limit: int
) -> ShrinkResult[T]:
    """Make a failing member smaller by single steps, trying at most ``limit`` candidates.

    Steps: a smaller level, with the same choices or without a run of them; a run of choices deleted
    or set to the simplest option; one choice lowered; two choices lowered together; one lowered and
    another raised as much; one lowered by one and a run after it deleted. A step is taken when its
    member fails and comes earlier in the family's order, so the result never depends on luck.
    """
    tried = 0
    seen = {(member.level, member.choices)}
    improved = True
    while improved:
        improved = False
        for level, choices in _steps(family, member):
            smaller = family.rebuild(level, choices)
            if smaller is None or (smaller.level, smaller.choices) in seen:
                continue
            if smaller.order >= member.order:
                continue
            if tried >= limit:
                return ShrinkResult(member, tried, finished=False)
            seen.add((smaller.level, smaller.choices))
            tried += 1
            if fails(smaller.instance):
                member, improved = smaller, True
                break
    return ShrinkResult(member, tried, finished=True)


def _steps(family: Family[T], member: Member[T]) -> Iterator[tuple[int, Choices]]:
    choices, level = member.choices, member.level
    for lower in family.levels:
        if lower < level:
            yield lower, choices
            for shorter in _without_runs(choices):
                yield lower, shorter
    for changed in _changes(choices):
        yield level, changed


def _changes(choices: Choices) -> Iterator[Choices]:
    yield from _without_runs(choices)
    for start, end in _runs(0, len(choices)):
        yield choices[:start] + (0,) * (end - start) + choices[end:]
    positive = [j for j, c in enumerate(choices) if c]
    for j in positive:
        for by in _amounts(choices[j]):
            yield _shift_choices(choices, {j: -by})
    for a, j in enumerate(positive):
        for k in positive[a + 1 :]:
            for by in _amounts(min(choices[j], choices[k])):
                yield _shift_choices(choices, {j: -by, k: -by})
    for j in positive:
        for k in range(len(choices)):
            if k != j:
                for by in _amounts(choices[j]):
                    yield _shift_choices(choices, {j: -by, k: by})
    for j in positive:
        for start, end in _runs(j + 1, len(choices)):
            lowered = _shift_choices(choices, {j: -1})
            yield lowered[:start] + lowered[end:]


def _without_runs(choices: Choices) -> Iterator[Choices]:
    for start, end in _runs(0, len(choices)):
        yield choices[:start] + choices[end:]


def _runs(low: int, high: int) -> Iterator[tuple[int, int]]:
    for width in _WIDTHS:
        for start in range(low, high - width + 1):
            yield start, start + width


def _amounts(most: int) -> Iterator[int]:
    """Yield ``most`` and the powers of two up to it, the largest first."""
    yield most
    for power in reversed(range(most.bit_length())):
        if 1 << power < most:
            yield 1 << power


def _shift_choices(choices: Choices, by: dict[int, int]) -> Choices:
    return tuple(c + by.get(j, 0) for j, c in enumerate(choices))
