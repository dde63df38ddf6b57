"""What every property of a mechanism has: a definition that is judged at one instance.

An instance is a profile, the agents singled out in it, and what they say instead.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import comb, prod
from typing import Any, ClassVar

import numpy as np

from theory.incentives._reading import Number, is_number
from theory.incentives.setting import Profile, Setting
from theory.incentives.table import Slacks, Table

__all__ = [
    "Instance",
    "Property",
    "Shape",
    "Side",
    "size",
]

Side = tuple[str, str]
"""A quantity of a comparison, by name, and its value as text."""


class Property(ABC):
    """A statement "for all instances, slack >= 0".

    Attributes
    ----------
    name : str
        What it is called in reports.
    statement : str
        The statement in mathematics, one line.
    shape : Shape
        Its instances.
    proof : str
        What ``proof_gap`` checks, in words.
    depends_on_own_payoff : bool
        Whether slacks depend on payments and values of the agents singled out alone.
    minimum_over_alternatives : bool
        Whether a slack is the minimum of the slacks against each alternative alone.
    tolerant : bool
        Whether epsilon is part of the slack.
    exhaustible : bool
        Whether judging every instance settles the matter.
    draws : str
        How it is judged where a mechanism takes a generator, in words; empty for draw by draw.
    minimality : str
        What is known of a counterexample found where every instance was judged.
    """

    name: ClassVar[str]
    statement: ClassVar[str]
    shape: ClassVar[Shape]
    proof: ClassVar[str] = ""
    depends_on_own_payoff: ClassVar[bool] = False
    minimum_over_alternatives: ClassVar[bool] = False
    tolerant: ClassVar[bool] = False
    exhaustible: ClassVar[bool] = True
    draws: ClassVar[str] = "in expectation over the draws"
    minimality: ClassVar[str] = "every instance was judged: none that fails is smaller"

    def agents_concerned(self, instance: Instance) -> tuple[int, ...]:
        """Return the agents whose numbers the slack depends on; empty for all agents."""
        return instance.agents if self.depends_on_own_payoff else ()

    def why_inapplicable(self, setting: Setting) -> str:
        """Return why the property does not apply to this setting; empty if it applies."""
        del setting
        return ""

    def basis(self, setting: Setting) -> str:
        """Return what findings rest on beside the mechanism, as a clause; empty for nothing."""
        del setting
        return ""

    def why_vacuous(self, setting: Setting) -> str:
        """Return why the property holds for no reason; empty if the finding says something."""
        del setting
        return ""

    @abstractmethod
    def slack(self, setting: Setting, instance: Instance) -> Number | None:
        """Return by how much the statement holds at an instance, exactly.

        ``None`` where the instance does not meet the hypotheses. Computed from the definition by
        running the mechanism: the check of whatever a faster method found.
        """

    @abstractmethod
    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return what is compared at an instance, in words and numbers."""

    @abstractmethod
    def story(self, setting: Setting, instance: Instance) -> str:
        """Return what goes wrong at an instance, in one sentence."""

    def instances(self, setting: Setting) -> Iterator[Instance]:
        """Yield every instance over finite types."""
        return self.shape.instances(setting)

    def slacks(self, table: Table) -> Slacks | None:
        """Return the slacks of all instances at once, where there is a faster way; else None."""
        del table
        return None

    def proof_gap(self, table: Table) -> Fraction | None:
        """Return by how much a certificate fails to prove the property on a table; 0 for a proof.

        None where there is no certificate. Called where nothing fails; the code shares nothing
        with ``slacks``.
        """
        del table
        return None


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
