"""Running a predicate over a family: exhaust what is small, sample what is large, shrink."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

import numpy as np

from theory.claims import CheckContext
from theory.search.family import Family, Member
from theory.search.shrinking import shrink
from theory.verdicts import Scope

__all__ = ["SearchResult", "Trial", "search"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Trial:
    """What a predicate says of one instance."""

    met: bool = True
    """Whether the hypotheses hold."""
    nontrivial: bool = True
    """Whether the claim could have failed here for a reason worth looking at."""
    failure: str = ""
    """What fails, in words and numbers; empty where the claim holds."""
    undecided: bool = False
    """Whether certified numbers left a comparison open."""

    @classmethod
    def unmet(cls) -> Self:
        """Return the trial of an instance that does not meet the hypotheses."""
        return cls(met=False, nontrivial=False)


Predicate = Callable[[T], Trial]


@dataclass(frozen=True)
class SearchResult(Generic[T]):
    """What a search saw; ``smallest`` is the smallest failing member found, if any."""

    family: Family[T]
    smallest: Member[T] | None
    failure: str
    instances: int
    met: int
    nontrivial: int
    failing: int
    undecided: int
    exhausted: tuple[int, ...]
    sampled: tuple[int, ...]
    shrink_steps: int
    seed: int

    @property
    def minimality(self) -> str:
        """What is known about members smaller than ``smallest``."""
        if self.smallest is None:
            return "no member fails" if not self.sampled else "no member that was tried fails"
        name, level = self.family.level_name, self.smallest.level
        below = [n for n in self.exhausted if n <= level]
        if level in self.exhausted:
            return (
                f"every member with {name} up to {level} was tried: "
                "nothing smaller in the family fails"
            )
        known = f"no member with {name} up to {below[-1]} fails; " if below else ""
        return (
            f"{known}shrunk until none of {self.shrink_steps:,} steps made it smaller; "
            f"those with {name} = {level} were sampled, so a smaller one may exist"
        )

    def scope(self) -> Scope:
        """Return the scope of a finding that rests on this search."""
        parts = []
        if self.exhausted:
            parts.append(f"{self.family.level_name} {_span(self.exhausted)}: all")
        if self.sampled:
            parts.append(f"{self.family.level_name} {_span(self.sampled)}: sampled")
        return Scope(
            family=self.family.description,
            instances=self.instances,
            met_hypotheses=self.met,
            nontrivial=self.nontrivial,
            sizes="; ".join(parts),
            seed=self.seed if self.sampled else None,
            exhausted=not self.sampled,
        )

    def __str__(self) -> str:
        head = (
            f"{self.instances:,} instances, {self.met:,} met the hypotheses, "
            f"{self.nontrivial:,} non-trivial, {self.failing:,} failed"
        )
        if self.smallest is None:
            return f"{head}; {self.minimality}"
        return f"{head}\nsmallest: {self.smallest.instance}\n{self.failure}\n{self.minimality}"


def search(family: Family[T], predicate: Predicate[T], context: CheckContext) -> SearchResult[T]:
    """Try a predicate on a family, level by level, within the budget of ``context``.

    A level with at most ``budget.exhaustive`` members (by Knuth's estimate, then by count) is run
    through; of a larger one ``budget.samples`` random members are tried. All levels are visited
    even after a failure, so that the counts describe the family. The smallest failing member of
    an exhausted level is returned as it is; one from a sampled level is shrunk first.
    """
    generator = context.generator()
    budget = context.budget
    counts = dict.fromkeys(("instances", "met", "nontrivial", "failing", "undecided"), 0)
    exhausted: list[int] = []
    sampled: list[int] = []
    smallest: Member[T] | None = None
    total = len(family.levels) * budget.samples
    for number, level in enumerate(family.levels):
        small = family.estimated_count(level, generator) <= budget.exhaustive
        (exhausted if small else sampled).append(level)
        members = (
            family.members(level) if small else _samples(family, level, budget.samples, generator)
        )
        for done, member in enumerate(members):
            if done % 64 == 0:
                context.progress(number * budget.samples + min(done, budget.samples), total)
            if member is None:
                continue
            trial = predicate(member.instance)
            counts["instances"] += 1
            counts["met"] += trial.met
            counts["nontrivial"] += trial.met and trial.nontrivial
            counts["undecided"] += trial.undecided
            if trial.failure:
                counts["failing"] += 1
                if smallest is None or member.order < smallest.order:
                    smallest = member
    steps = 0
    if smallest is not None and smallest.level in sampled:
        smallest, steps = shrink(
            family, smallest, lambda instance: bool(predicate(instance).failure), budget.shrinks
        )
    context.progress(total, total)
    return SearchResult(
        family=family,
        smallest=smallest,
        failure=predicate(smallest.instance).failure if smallest else "",
        exhausted=tuple(exhausted),
        sampled=tuple(sampled),
        shrink_steps=steps,
        seed=context.seed,
        **counts,
    )


def _samples(
    family: Family[T], level: int, count: int, generator: np.random.Generator
) -> Iterator[Member[T] | None]:
    for _ in range(count):
        yield family.sample(level, generator)


def _span(levels: tuple[int, ...]) -> str:
    return str(levels[0]) if len(levels) == 1 else f"{levels[0]}-{levels[-1]}"
