"""One comparison that a property makes: a profile, agents singled out, what they say instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import comb, prod
from typing import Any

import numpy as np

from theory.incentives._reading import is_number
from theory.incentives.setting import Profile, Setting

__all__ = ["Instance", "Shape", "size"]


@dataclass(frozen=True, slots=True)
class Instance:
    """Where a property is judged.

    Attributes
    ----------
    profile : tuple
        A type an agent, which is also what agents report who do not lie; empty where a property
        averages over profiles.
    agents : tuple of int
        The agents singled out.
    lies : tuple
        What is compared with the truth, reports or other types of the agents singled out.
    """

    profile: Profile
    agents: tuple[int, ...] = ()
    lies: tuple[Any, ...] = ()

    @property
    def is_truth(self) -> bool:
        """Whether what is said instead is the truth, so that there is nothing to compare."""
        if not self.profile:
            return len(self.lies) == 2 and self.lies[0] == self.lies[1]
        return 0 < len(self.lies) <= len(self.agents) and self.reports() == self.profile

    def others(self) -> Profile:
        """Return the types of the agents that are not singled out."""
        return tuple(t for i, t in enumerate(self.profile) if i not in self.agents)

    def reports(self) -> Profile:
        """Return the profile with the first lies in the place of the types of ``agents``."""
        said = list(self.profile)
        for agent, lie in zip(self.agents, self.lies, strict=False):
            said[agent] = lie
        return tuple(said)


@dataclass(frozen=True, slots=True)
class Shape:
    """Which instances a property has: how many agents and lies, and whether there is a profile.

    Where lies are ``open_ended`` there may be more of them, or fewer, but not none.
    """

    agents: int = 0
    lies: int = 0
    profile: bool = True
    open_ended: bool = False

    def liar(self, agents: tuple[int, ...], lie: int) -> int:
        """Return the agent whose type space a lie comes from."""
        return agents[min(lie, len(agents) - 1)]

    def instances(self, setting: Setting) -> Iterator[Instance]:
        """Yield every instance over finite types; a first lie that is the truth is left out."""
        for agents in combinations(range(setting.agents), self.agents):
            said = [setting.types(self.liar(agents, k)) for k in range(self.lies)]
            profiles = product(*map(setting.types, range(setting.agents)))
            for profile in profiles if self.profile else [()]:
                for lies in product(*said):
                    instance = Instance(profile, agents, lies)
                    if not instance.is_truth:
                        yield instance

    def fits(self, setting: Setting, instance: Instance) -> bool:
        """Whether an instance, found in whatever setting, is one of this setting."""
        profile, agents, lies = instance.profile, instance.agents, instance.lies
        if len(profile) != (setting.agents if self.profile else 0):
            return False
        if len(agents) != self.agents or not set(agents) <= set(range(setting.agents)):
            return False
        if not lies if self.open_ended else len(lies) != self.lies:
            return False
        said = ((setting.spaces[self.liar(agents, k)], lie) for k, lie in enumerate(lies))
        told = zip(setting.spaces, profile, strict=False)
        return all(type in space for space, type in (*told, *said))

    def count(self, setting: Setting) -> int:
        """Return an upper bound on how many instances there are over finite types."""
        profiles = prod(len(setting.types(i)) for i in range(setting.agents))
        widest = max(len(setting.types(i)) for i in range(setting.agents))
        teams = comb(setting.agents, self.agents)
        return teams * (profiles if self.profile else 1) * int(widest**self.lies)

    def draw(self, setting: Setting, generator: np.random.Generator) -> Instance | None:
        """Return a random instance, or None where the setting has too few agents."""
        if self.agents > setting.agents:
            return None
        chosen = generator.choice(setting.agents, size=self.agents, replace=False)
        agents = tuple(sorted(int(i) for i in chosen))
        profile = tuple(space.draw(generator) for space in setting.spaces)
        lies = tuple(setting.spaces[self.liar(agents, k)].draw(generator) for k in range(self.lies))
        return Instance(profile if self.profile else (), agents, lies)


def size(setting: Setting, instance: Instance) -> tuple[Any, ...]:
    """Return the key by which counterexamples are compared: small and few numbers first."""
    weights = [_weight(setting, i, t) for i, t in enumerate(instance.profile)]
    last = len(instance.agents) - 1
    weights += [
        _weight(setting, instance.agents[min(k, last)], lie) for k, lie in enumerate(instance.lies)
    ]
    return (sum(weights), max(weights, default=0), weights[::-1], instance.agents)


def _weight(setting: Setting, agent: int, type: Any) -> Fraction:
    """Return how much there is to read in a type: denominators count most, then numerators."""
    if is_number(type):
        exact = Fraction(type)
        return Fraction(4 * (exact.denominator - 1) + abs(exact.numerator)) + (
            Fraction(1, 2) if exact < 0 else 0
        )
    if isinstance(type, tuple):
        return sum((_weight(setting, agent, part) for part in type), start=Fraction(0))
    members = setting.spaces[agent].members
    return Fraction(members.index(type)) if members and type in members else Fraction(1)
