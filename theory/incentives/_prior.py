"""Common priors over finitely many type profiles, for the Bayesian notions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from theory.errors import InvalidInputError, ProbabilityError
from theory.incentives._types import TypeSpace
from theory.numbers import rational
from theory.shared.arguments import read_count, refusing
from theory.shared.text import short_text

__all__ = ["Prior"]


@refusing
class Prior:
    """A probability law over type profiles, exact.

    Attributes
    ----------
    masses : dict
        The probability of each profile that has any.
    """

    def __init__(self, masses: Any) -> None:
        _check_mapping(masses, "give probabilities by profile, as Prior({(0, 1): 1})")
        for profile in masses:
            if not isinstance(profile, tuple):
                fix = "give profiles as tuples with one type an agent"
                raise InvalidInputError("prior", profile, "is not a profile", fix)
        read = {profile: rational(p, "prior") for profile, p in masses.items()}
        if len({len(profile) for profile in read}) != 1:
            fix = "give profiles with one type an agent"
            raise InvalidInputError("prior", list(masses)[:3], "has no or uneven profiles", fix)
        total = sum(read.values(), start=Fraction(0))
        if total != 1 or any(p < 0 for p in read.values()):
            problem = f"has sum {short_text(total)}" if total != 1 else "has a probability below 0"
            fix = "give non-negative probabilities with sum 1"
            raise ProbabilityError("prior", [str(p) for p in read.values()][:8], problem, fix)
        self.masses = {profile: p for profile, p in read.items() if p}
        self._given: dict[tuple[int, Any], dict[tuple[Any, ...], Fraction]] = {}
        for profile, p in self.masses.items():
            for agent, type in enumerate(profile):
                self._given.setdefault((agent, type), {})[profile] = p
        for event, kept in self._given.items():
            mass = sum(kept.values())
            self._given[event] = {profile: p / mass for profile, p in kept.items()}

    @classmethod
    def joint(cls, masses: Any) -> Prior:
        """Return the law with these probabilities of profiles; types may be correlated."""
        return cls(masses)

    @classmethod
    def independent(cls, laws: Any) -> Prior:
        """Return the product of one law an agent, each a mapping from types to probabilities."""
        fix = 'give a list with one law an agent, as [{0: "1/2", 1: "1/2"}]'
        if not isinstance(laws, Sequence) or isinstance(laws, str):
            raise InvalidInputError("laws", laws, "are not a list of laws", fix)
        for law in laws:
            _check_mapping(law, fix)
        read = [{t: rational(p, "prior") for t, p in law.items()} for law in laws]
        return cls(
            {
                tuple(t for t, _ in pairs): prod(p for _, p in pairs)
                for pairs in product(*(law.items() for law in read))
            }
        )

    @classmethod
    def uniform(cls, types: Any, agents: Any = None) -> Prior:
        """Return the law under which all profiles are equally likely.

        Parameters
        ----------
        types : FiniteTypes, or a sequence with one an agent
            Whose types; a :class:`Product` of finite types is finite, too.
        agents : int, optional
            How many agents; needed where one type space serves all.
        """
        if isinstance(types, TypeSpace):
            spaces = [types] * read_count(
                "agents", agents, fix="say how many agents, as in (types, 2)"
            )
        else:
            fix = "give FiniteTypes([…]), or a list with one an agent"
            spaces = list(types) if isinstance(types, Sequence) else []
            if not spaces or not all(isinstance(space, TypeSpace) for space in spaces):
                raise InvalidInputError("types", types, "are not type spaces", fix)
            if agents not in (None, len(spaces)):
                fix = "give one type space an agent, or leave agents out"
                problem = f"does not fit {len(spaces)} type spaces"
                raise InvalidInputError("agents", agents, problem, fix)
        for space in spaces:
            if space.members is None:
                raise InvalidInputError("types", space, "are not finite", "give FiniteTypes")
        sides = [space.members or () for space in spaces]
        return cls.independent([dict.fromkeys(side, Fraction(1, len(side))) for side in sides])

    @property
    def agents(self) -> int:
        """How many agents there are."""
        return len(next(iter(self.masses)))

    def outside(self, spaces: Sequence[TypeSpace]) -> tuple[Any, ...] | None:
        """Return a profile with a type outside its agent's space; None if all are inside."""
        for (agent, type), profiles in self._given.items():
            if type not in spaces[agent]:
                return next(iter(profiles))
        return None

    def belief_of(self, agent: int, type: Any) -> dict[tuple[Any, ...], Fraction]:
        """Return the law of profiles given an agent's type; empty where that has probability 0."""
        return self._given.get((agent, type), {})

    def __repr__(self) -> str:
        return f"prior over {len(self.masses)} profiles"


def _check_mapping(law: Any, fix: str) -> None:
    if not isinstance(law, Mapping):
        raise InvalidInputError("prior", law, "is not a law", fix)
