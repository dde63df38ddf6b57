"""volition, Definition 4.3: which sets are inextensible, as printed and under strict extension."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, combinations
from math import inf

from papers.volition.checks.marginal_families import (
    MarginalGames,
    MarginalInstance,
    Terms,
    fewest_items,
    games,
    name_set,
)
from theory.claims import CheckContext
from theory.search import Family, Trial, search
from theory.verdicts import Counterexample, Exhibit, Finding, Status, Strength, Table

__all__ = [
    "EXTENSION_GAMES",
    "SMALL_GAMES",
    "PrintedDefinition",
    "StrictDefinition",
    "inextensible",
    "solutions",
    "strictly",
]

Extends = Callable[[MarginalInstance, int], list[int]]
"""The sets that extend a set."""

Extensions = dict[int, list[int]]
Answers = frozenset[int]
"""The sets that are called inextensible."""

Demand = Callable[[Extensions, Answers, int], bool]
Recursion = Callable[[MarginalInstance], Answers]

ENUMERATED = 2
"""Up to how many items all answers are tried."""


def weakly(instance: MarginalInstance, revealed: int) -> list[int]:
    """Return what a move leads to that would be paid at least 0, as the null move is."""
    rewards = {t: instance.reward(revealed, t, t) for t in instance.after(revealed)}
    return [revealed, *(t for t, reward in rewards.items() if reward >= 0)]


def strictly(instance: MarginalInstance, revealed: int) -> list[int]:
    """Return what a move leads to that would be paid more than 0 if nothing followed."""
    after = instance.after(revealed)
    return [t for t in after if instance.reward(revealed, t, t) > 0]


def always_answered(extensions: Extensions, answers: Answers, revealed: int) -> bool:
    """Return the right-hand side: each set that extends is extended by an inextensible one."""
    return all(any(v in answers for v in extensions[t]) for t in extensions[revealed])


def solutions(
    instance: MarginalInstance, extends: Extends, demand: Demand = always_answered
) -> Iterator[Answers]:
    """Yield all answers that satisfy the equation of the definition at every set, fewest first."""
    sets = instance.sets
    extensions = {s: extends(instance, s) for s in sets}
    for held in chain.from_iterable(combinations(sets, k) for k in range(len(sets) + 1)):
        answers = frozenset(held)
        if all((s in answers) == demand(extensions, answers, s) for s in sets):
            yield answers


def inextensible(instance: MarginalInstance) -> Answers:
    """Return the sets that are inextensible under strict extension, by recursion from the top."""
    extensions = {s: strictly(instance, s) for s in instance.sets}
    found: Answers = frozenset()
    for s in reversed(instance.sets):
        if always_answered(extensions, found, s):
            found |= {s}
    return found


def by_theory(instance: MarginalInstance) -> Answers:
    """Return the sets that the theory calls inextensible."""
    marks = instance.solve().inextensible.tolist()
    return frozenset(s for s, mark in zip(instance.sets, marks, strict=True) if mark)


@dataclass(frozen=True)
class StrictDefinition:
    """With > the equation has one solution, and the theory finds it."""

    extends: Extends = strictly
    found: Recursion = by_theory

    def __call__(self, instance: MarginalInstance) -> Trial:
        """Enumerate or recurse; non-trivial where the equilibrium reveals something."""
        found = self.found(instance)
        extensions = {s: self.extends(instance, s) for s in instance.sets}
        small = instance.items <= ENUMERATED
        expected = list(solutions(instance, self.extends)) if small else [inextensible(instance)]
        laws = {
            "the equation has one solution": len(expected) == 1,
            "the theory finds it": expected[:1] == [found],
            "everything is inextensible": instance.everything in found,
            "what nothing extends is inextensible": all(
                s in found for s, larger in extensions.items() if not larger
            ),
        }
        broken = [law for law, kept in laws.items() if not kept]
        return Trial(
            nontrivial=fewest_items(instance)[0] != 0,
            failure=f"Broken: {'; '.join(broken)}." if broken else "",
        )


@dataclass(frozen=True)
class Solutions:
    """Counts the solutions of the equation: fails below ``least`` and above ``most``."""

    extends: Extends
    demand: Demand
    least: int = 0
    most: float = inf

    def __call__(self, instance: MarginalInstance) -> Trial:
        """Count; non-trivial where the equilibrium reveals something."""
        found = list(solutions(instance, self.extends, self.demand))
        failure = ""
        if not self.least <= len(found) <= self.most:
            failure = f"{len(found)} answers satisfy the equation."
        return Trial(nontrivial=fewest_items(instance)[0] != 0, failure=failure)


@dataclass(frozen=True)
class PrintedDefinition:
    """Tries every answer to which sets are inextensible against the printed equation.

    Where several answers satisfy it, it determines none; where none does, nothing is meant by it.
    """

    family: Family[MarginalInstance]
    extends: Extends = weakly
    demand: Demand = always_answered

    def __call__(self, context: CheckContext) -> Finding:
        """Look for a game without a solution, then for games with more than one."""
        none = search(
            self.family, Solutions(self.extends, self.demand, least=1), context.stage(0, 2)
        )
        many = search(
            self.family, Solutions(self.extends, self.demand, most=1), context.stage(1, 2)
        )
        shown = none.smallest or many.smallest
        tables = () if shown is None else (self._answers(shown.instance),)
        if none.smallest is not None:
            status = Status.REFUTED
            reason = f"No answer satisfies the equation on {none.smallest.instance}."
        elif many.smallest is not None:
            status = Status.ILL_POSED
            reason = (
                f"On {many.failing:,} of {many.instances:,} games more than one answer satisfies "
                "the equation: with “at least 0” the null move extends every set, so that calling "
                "all sets inextensible satisfies it, calling none so does too, and no line of the "
                "recursion is the last."
            )
        else:
            status = Status.HOLDS
            reason = f"One answer satisfies the equation on each of {many.instances:,} games."
        finding = Finding(
            status=status,
            strength=Strength.TESTED if shown is None and many.sampled else Strength.EXACT,
            scope=many.scope(),
            reason=reason,
            evidence=tables,
        )
        if status is not Status.REFUTED:
            return finding
        exhibit = Exhibit(summary=reason, tables=tables)
        return replace(
            finding,
            evidence=(),
            counterexample=Counterexample(exhibit=exhibit, minimality=none.minimality),
        )

    def _answers(self, instance: MarginalInstance) -> Table:
        found = list(solutions(instance, self.extends, self.demand))
        extensions = {s: self.extends(instance, s) for s in instance.sets}
        return Table(
            caption=f"{len(found)} answers that satisfy the equation on {instance}",
            columns=("set", "is extended by", *(f"answer {k}" for k in range(1, len(found) + 1))),
            rows=tuple(
                (
                    name_set(s),
                    ", ".join(map(name_set, extensions[s])) or "nothing",
                    *("inextensible" if s in answers else "extensible" for answers in found),
                )
                for s in instance.sets
            ),
        )


_TERMS = (Terms.ANY_SET, Terms.UNION_CLOSED, Terms.SINGLE_ITEMS)

SMALL_GAMES = games(MarginalGames(_TERMS, utilities=(0, 1, 2, -1)), (1, 2))
EXTENSION_GAMES = games(MarginalGames(_TERMS, last=(0, 1, inf)), (1, 2, 3))
