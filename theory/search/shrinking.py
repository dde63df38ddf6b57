"""Making a failing member smaller, step by step, until no step helps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from theory.search.family import Family, Member

__all__ = ["shrink"]

T = TypeVar("T")


def shrink(
    family: Family[T], member: Member[T], fails: Callable[[T], bool], limit: int
) -> tuple[Member[T], int]:
    """Return a member that still fails and that no single step makes smaller, and the steps tried.

    Steps: a smaller level with the same choices; a run of choices deleted; a run set to the
    simplest option; one choice lowered; two choices lowered together; one lowered while the next
    is raised. A step is taken when its member fails and comes earlier in the family's order, so
    the result never depends on luck. It stops after ``limit`` candidates.
    """
    tried = 0
    seen = {(member.level, member.choices)}
    improved = True
    while improved:
        improved = False
        for level, choices in _steps(family, member):
            if tried >= limit:
                return member, tried
            smaller = family.rebuild(level, choices)
            if smaller is None or (smaller.level, smaller.choices) in seen:
                continue
            seen.add((smaller.level, smaller.choices))
            if smaller.order >= member.order:
                continue
            tried += 1
            if fails(smaller.instance):
                member, improved = smaller, True
                break
    return member, tried


def _steps(family: Family[T], member: Member[T]) -> Iterator[tuple[int, tuple[int, ...]]]:
    choices, level = member.choices, member.level
    for lower in family.levels:
        if lower < level:
            yield lower, choices
            for start in range(len(choices)):
                yield lower, choices[:start] + choices[start + 1 :]
    for width in (8, 4, 3, 2, 1):
        for start in range(len(choices) - width + 1):
            yield level, choices[:start] + choices[start + width :]
            if any(choices[start : start + width]):
                yield level, choices[:start] + (0,) * width + choices[start + width :]
    for j, c in enumerate(choices):
        for value in sorted({c // 2, c - 1} - {c, -1}):
            yield level, (*choices[:j], value, *choices[j + 1 :])
    positive = [j for j, c in enumerate(choices) if c]
    for a, j in enumerate(positive):
        for k in positive[a + 1 :]:
            lowered = list(choices)
            lowered[j] -= 1
            lowered[k] -= 1
            yield level, tuple(lowered)
    for j in positive:
        for k in range(len(choices)):
            if k != j:
                moved = list(choices)
                moved[j] -= 1
                moved[k] += 1
                yield level, tuple(moved)
