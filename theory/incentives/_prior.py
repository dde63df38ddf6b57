"""Common priors over finitely many type profiles, for the Bayesian notions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from theory.errors import InvalidInputError, ProbabilityError
from theory.incentives._types import FiniteTypes, TypeSpace
from theory.numbers import rational

__all__ = ["Prior"]


class Prior:
    """A probability law over type profiles, exact.

    Attributes
    ----------
    masses : dict
        The probability of each profile that has any.
    """

    def __init__(self, masses: Mapping[tuple[Any, ...], Any]) -> None:
        read = {tuple(profile): rational(p, "prior") for profile, p in masses.items()}
        if len({len(profile) for profile in read}) != 1:
            fix = "give profiles with one type an agent"
            raise InvalidInputError("prior", list(masses)[:3], "has no or uneven profiles", fix)
        total = sum(read.values(), start=Fraction(0))
        if total != 1 or any(p < 0 for p in read.values()):
            problem = f"has sum {total}" if total != 1 else "has a probability below 0"
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
    def joint(cls, masses: Mapping[tuple[Any, ...], Any]) -> Prior:
        """Return the law with these probabilities of profiles; types may be correlated."""
        return cls(masses)

    @classmethod
    def independent(cls, laws: Sequence[Mapping[Any, Any]]) -> Prior:
        """Return the product of one law an agent."""
        read = [{t: rational(p, "prior") for t, p in law.items()} for law in laws]
        return cls(
            {
                tuple(t for t, _ in pairs): prod(p for _, p in pairs)
                for pairs in product(*(law.items() for law in read))
            }
        )

    @classmethod
    def uniform(cls, types: FiniteTypes | Sequence[TypeSpace], agents: int | None = None) -> Prior:
        """Return the law under which all profiles are equally likely."""
        spaces = [types] * (agents or 1) if isinstance(types, FiniteTypes) else list(types)
        for space in spaces:
            if space.members is None:
                raise InvalidInputError("types", space, "are not finite", "give FiniteTypes")
        sides = [space.members or () for space in spaces]
        return cls.independent([dict.fromkeys(side, Fraction(1, len(side))) for side in sides])

    @property
    def agents(self) -> int:
        """How many agents there are."""
        return len(next(iter(self.masses)))

    def given(self, agent: int, type: Any) -> dict[tuple[Any, ...], Fraction]:
        """Return the law of profiles given an agent's type; empty where that has probability 0."""
        return self._given.get((agent, type), {})

    def __repr__(self) -> str:
        return f"prior over {len(self.masses)} profiles"
