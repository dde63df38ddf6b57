"""Running a predicate over a family: exhaust what is small, sample what is large, shrink."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

import numpy as np

from theory.claims import CheckContext
from theory.errors import UndecidedError
from theory.search.family import Family, Member
from theory.search.shrinking import ShrinkResult, shrink
from theory.shared.arguments import refusing
from theory.shared.printable import escape, print_safely
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

    @property
    def fails(self) -> bool:
        """Whether the hypotheses hold and the claim does not."""
        return self.met and bool(self.failure)

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
    shrunk: ShrinkResult[T] | None
    seed: int

    @property
    def minimality(self) -> str:
        """What is known about members smaller than ``smallest``."""
        if self.smallest is None:
            return "no member fails" if not self.sampled else "no member that was tried fails"
        name, level = self.family.level_name, self.smallest.level
        open_levels = [n for n in self.sampled if n <= level]
        if self.shrunk is None or not open_levels:
            return (
                f"every member with {name} up to {level} was tried: "
                "nothing smaller in the family fails"
            )
        tried_in_full = [n for n in self.exhausted if n < open_levels[0]]
        known = f"no member with {name} up to {tried_in_full[-1]} fails; " if tried_in_full else ""
        return (
            f"{known}{self.shrunk}; those with {name} = {_list_levels(open_levels)} were sampled, "
            "so a smaller one may exist"
        )

    def scope(self) -> Scope:
        """Return the scope of a finding that rests on this search."""
        parts = []
        if self.exhausted:
            parts.append(f"{self.family.level_name} {_list_levels(self.exhausted)}: all")
        if self.sampled:
            parts.append(f"{self.family.level_name} {_list_levels(self.sampled)}: sampled")
        return Scope(
            family=self.family.description,
            instances=self.instances,
            met_hypotheses=self.met,
            nontrivial=self.nontrivial,
            sizes="; ".join(parts),
            seed=self.seed if self.sampled else None,
            exhausted=not self.sampled,
        )

    @print_safely
    def __str__(self) -> str:
        head = (
            f"{self.instances:,} instances, {self.met:,} met the hypotheses, "
            f"{self.nontrivial:,} non-trivial, {self.failing:,} failed"
        )
        if self.smallest is None:
            return f"{head}; {self.minimality}"
        return f"{head}\nsmallest: {self.smallest.instance}\n{self.failure}\n{self.minimality}"

    def _repr_html_(self) -> str:
        return "".join(f"<p>{escape(line)}</p>" for line in str(self).splitlines())


@refusing
def search(
    family: Family[T],
    predicate: Predicate[T],
    context: CheckContext,
    *,
    until_failure: bool = False,
) -> SearchResult[T]:
    """Try a predicate on a family, level by level, within the budget of ``context``.

    A level with at most ``budget.exhaustive`` members (by Knuth's estimate, then by count) is run
    through; of a larger one ``budget.samples`` random members are tried. All levels are visited
    even after a failure, so that the counts describe the family; ``until_failure`` leaves out
    those above the first that has one, where nothing smaller can be found. The smallest failing
    member is returned as it is where all smaller ones were tried, and shrunk first where some were
    sampled.
    A predicate that raises :class:`~theory.errors.UndecidedError` leaves its instance undecided.
    """
    generator = context.generator()
    budget = context.budget
    counts = dict.fromkeys(("instances", "met", "nontrivial", "failing", "undecided"), 0)
    exhausted: list[int] = []
    sampled: list[int] = []
    smallest: Member[T] | None = None
    total = len(family.levels) * budget.samples
    for number, level in enumerate(family.levels):
        if until_failure and smallest is not None:
            break
        small = family.has_at_most(budget.exhaustive, level, generator)
        (exhausted if small else sampled).append(level)
        members = (
            family.members(level) if small else _samples(family, level, budget.samples, generator)
        )
        for done, member in enumerate(members):
            if done % 64 == 0:
                context.progress(number * budget.samples + min(done, budget.samples), total)
            if member is None:
                continue
            trial = _judge_instance(predicate, member.instance)
            counts["instances"] += 1
            counts["met"] += trial.met
            counts["nontrivial"] += trial.met and trial.nontrivial
            counts["undecided"] += trial.undecided
            if trial.fails:
                counts["failing"] += 1
                if smallest is None or (
                    member.level == smallest.level and member.order < smallest.order
                ):
                    smallest = member
    shrunk = None
    if smallest is not None and sampled and sampled[0] <= smallest.level:
        shrunk = shrink(
            family,
            smallest,
            lambda instance: _judge_instance(predicate, instance).fails,
            budget.shrinks,
        )
        smallest = shrunk.member
    context.progress(total, total)
    return SearchResult(
        family=family,
        smallest=smallest,
        failure=predicate(smallest.instance).failure if smallest is not None else "",
        exhausted=tuple(exhausted),
        sampled=tuple(sampled),
        shrunk=shrunk,
        seed=context.seed,
        **counts,
    )


def _judge_instance(predicate: Predicate[T], instance: T) -> Trial:
    try:
        return predicate(instance)
    except UndecidedError:
        return Trial(undecided=True)


def _samples(
    family: Family[T], level: int, count: int, generator: np.random.Generator
) -> Iterator[Member[T] | None]:
    for _ in range(count):
        yield family.sample(level, generator)


def _list_levels(levels: Sequence[int]) -> str:
    return ", ".join(map(str, levels))
