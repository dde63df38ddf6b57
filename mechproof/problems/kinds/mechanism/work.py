"""How many values the check of a mechanism looks up, counted before any of it is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from math import prod
from typing import Final

from mechproof.problems.kinds.mechanism.tables import Agents
from mechproof.problems.shared.counting import common_bits
from theory.incentives import Effort

__all__ = ["Work", "work_of"]

_STEPS: Final = 1 << 10
"""Steps of an array of machine integers that take as long as one value."""
_LONG_STEPS: Final = 1 << 5
"""The same of an array of Python's integers."""
_NARROW: Final = 48
"""Bits of values over one denominator that leave sums of them in a machine integer."""


@dataclass(frozen=True, slots=True)
class Work:
    """Sizes of a mechanism: types by agent, the outcomes, and the longest lottery.

    ``alike`` holds by agent how many types may have to be asked before two outcomes are told apart,
    ``likely`` how many profiles the prior holds, and ``steps`` how many steps of an array take as
    long as one value.
    """

    types: tuple[int, ...]
    outcomes: int
    longest: int
    alike: tuple[int, ...]
    likely: int
    steps: int

    @property
    def profiles(self) -> int:
        """How many profiles of types there are."""
        return prod(self.types)

    def run(self) -> int:
        """Return what it takes to run the mechanism at all profiles, twice, and to tabulate it."""
        return self.profiles * (len(self.types) + 2) * (1 + self.longest)

    def of(self, name: str) -> int:
        """Return what a property takes."""
        agents, utility = len(self.types), 1 + self.longest
        if name == "efficient":
            compared = min(self.profiles, Effort().rechecked) * agents + 2 * sum(self.types)
            return self.outcomes * (compared + self.profiles // _LONG_STEPS)
        if name == "bic":
            return self._interim(utility)
        if name == "interim_individually_rational":
            return agents * self.likely * utility
        if name == "anonymous":
            pairs = self.profiles * len(list(combinations(self.types, 2)))
            return _count_judged(pairs) * 2 * agents * utility
        if name == "pairwise_strategyproof":
            pairs = self.profiles * sum(a * b - 1 for a, b in combinations(self.types, 2))
            return _count_judged(pairs) * 4 * utility
        if name == "weakly_monotone":
            return _count_judged(self._lies()) * (2 + 4 * self.longest)
        if name == "non_bossy":
            return self._non_bossy(utility)
        if name == "cyclically_monotone":
            return self._least_cycles() if self._lies() <= Effort().exhaustive else 0
        return self.profiles * sum(self.types) // _LONG_STEPS

    def cycles(self) -> int:
        """Return what it takes to find the cycle of fewest types, step by step."""
        return self._worths() + self.profiles * sum(n**3 for n in self.types) // self.steps

    def _least_cycles(self) -> int:
        """Return what it takes to find the least cycle, by doubling the steps."""
        doubled = sum(n**2 * 3 * n.bit_length() for n in self.types)
        return self._worths() + self.profiles * doubled // self.steps

    def _worths(self) -> int:
        return self.profiles * sum(self.types) * (1 + self.longest)

    def _lies(self) -> int:
        return self.profiles * sum(n - 1 for n in self.types)

    def _interim(self, utility: int) -> int:
        whole = 2 * self.likely * utility * sum(self.types)
        pairs = sum(n * n for n in self.types)
        return whole if pairs <= Effort().exhaustive else whole * _count_judged(pairs) // pairs

    def _non_bossy(self, utility: int) -> int:
        if len(self.types) == 1:
            return 0
        lies = self._lies()
        laws, others = 1 + self.longest**2, 2 * len(self.types) * utility
        asked = sum(
            self.profiles * (n - 1) * (laws + others + 2 * same * self.longest)
            for n, same in zip(self.types, self.alike, strict=True)
        )
        return asked if lies <= Effort().exhaustive else asked * _count_judged(lies) // lies


def _count_judged(instances: int) -> int:
    """Return how many of the instances of a property are judged one by one."""
    effort = Effort()
    return instances if instances <= effort.exhaustive else effort.samples


def work_of(
    agents: Agents,
    outcomes: Sequence[str],
    lotteries: Sequence[Mapping[str, Fraction]],
    likely: int | None,
) -> Work:
    """Return the sizes of a mechanism; None stands for a prior that may hold all profiles."""
    profiles = prod(map(len, agents.values()))
    longest = max(map(len, lotteries), default=1)
    values = [v for types in agents.values() for row in types.values() for v in row.values()]
    chances = [p for law in lotteries for p in law.values()]
    bits = common_bits([*values, *chances])
    bits += max((int(abs(v)).bit_length() for v in values), default=0)
    return Work(
        types=tuple(map(len, agents.values())),
        outcomes=len(outcomes),
        longest=max(longest, 1),
        alike=tuple(
            len(each) if lotteries else _count_alike(each, outcomes) for each in agents.values()
        ),
        likely=profiles if likely is None else min(likely, profiles),
        steps=_STEPS if bits <= _NARROW else _LONG_STEPS,
    )


def _count_alike(types: Mapping[str, Mapping[str, Fraction]], outcomes: Sequence[str]) -> int:
    """Return how many types in a row, from the first, value two outcomes the same, at most, and 1.

    Among columns in their order those that agree for longest stand beside each other.
    """
    rows = list(types.values())
    columns = sorted([row[o] for row in rows if o in row] for o in outcomes)
    longest = 0
    for one, other in pairwise(columns):
        same = 0
        for a, b in zip(one, other, strict=False):
            if a != b:
                break
            same += 1
        longest = max(longest, same)
    return min(longest + 1, len(rows))
