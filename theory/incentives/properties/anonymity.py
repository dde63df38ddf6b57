"""Anonymity: names do not matter."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, product, starmap
from math import prod
from typing import Any, Final

from theory.incentives._property import Instance, Property, Shape, Side
from theory.incentives._reading import Number, key_of, original, show
from theory.incentives._types import Box, Product, Reals, Simplex, TypeSpace
from theory.incentives.properties._fibres import distance, truthful_utility
from theory.incentives.properties.shared import describe_outcome
from theory.incentives.setting import Profile, Setting

__all__ = ["Anonymity"]


class Anonymity(Property):
    r"""Two agents who swap their types swap their utilities, and nobody else notices.

    .. math:: U_k(t) = U_{\sigma(k)}(t^\sigma)

    for every swap sigma of two agents with the same types, every agent k and type profile t, where
    U is the utility of an agent who tells the truth. Which of two equal bidders wins is thus free
    where both are as well off. The slack is minus the greatest absolute difference.

    Source: Ashlagi and Serizawa, Characterizing Vickrey allocation rule by anonymity, Social Choice
    and Welfare 38 (2012), anonymity in welfare.
    """

    name = "anonymous"
    statement = "U_k(t) = U_σ(k)(t^σ)"
    shape = Shape(agents=2)

    def why_inapplicable(self, setting: Setting) -> str:
        """Return that no two agents have the same types."""
        pairs = combinations(range(setting.agents), 2)
        return (
            ""
            if any(_have_equal_types(setting, *pair) for pair in pairs)
            else "no two agents are alike"
        )

    def slack(self, setting: Setting, instance: Instance) -> Number | None:
        """Return minus the greatest change of a utility; None for agents with different types."""
        if not _have_equal_types(setting, *instance.agents):
            return None
        return -max(distance(*pair) for _, *pair in _compare_utilities(setting, instance))

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return both outcomes and the utilities that differ."""
        swapped = _swap_roles(instance)
        rows = [
            (
                f"reports {show(instance.profile)}",
                describe_outcome(setting, instance.profile),
            ),
            (f"swapped: reports {show(swapped)}", describe_outcome(setting, swapped)),
        ]
        for k, before, after in _compare_utilities(setting, instance):
            role = _role(instance, k)
            rows.append(
                (
                    f"utility of agent {k}, then of agent {role}",
                    f"{show(before)}, then {show(after)}",
                )
            )
        return rows

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return whose utility depends on a name."""
        k, before, after = max(
            _compare_utilities(setting, instance), key=lambda found: distance(*found[1:])
        )
        (i, j), role = instance.agents, _role(instance, k)
        return (
            f"agent {k} has utility {show(before)} at types {show(instance.profile)}, but "
            f"agent {role} has {show(after)} when agents {i} and {j} swap types"
        )


def _have_equal_types(setting: Setting, i: int, j: int) -> bool:
    one, other = setting.spaces[i], setting.spaces[j]
    return one is other or _set_of(one) == _set_of(other)


def _set_of(space: TypeSpace) -> Any:
    """Return what is equal for spaces of the same types, however they are written."""
    if space.members is not None:
        return frozenset(map(key_of, space.members))
    if isinstance(space, Product):
        return _product(map(_set_of, space.spaces))
    if isinstance(space, Simplex) and space.dimension == 1:
        return frozenset({(1,)})
    if isinstance(space, Box):
        sides = list(starmap(_interval, zip(space.low, space.high, strict=True)))
        return _product(sides) if space.vector else sides[0]
    return _interval(space.low, space.high) if isinstance(space, Reals) else repr(space)


def _product(parts: Iterable[Any]) -> Any:
    """Return a product of sets; where all are listed, and it is not too long, it is, too."""
    sides = tuple(parts)
    listed = [side for side in sides if isinstance(side, frozenset)]
    if len(listed) == len(sides) and prod(map(len, listed)) <= _LONGEST:
        entries = product(*listed)
        return frozenset(key_of(tuple(map(original, entry))) for entry in entries)
    return sides


_LONGEST: Final = 100_000


def _interval(low: Any, high: Any) -> Any:
    return frozenset({low}) if low is not None and low == high else (low, high)


def _role(instance: Instance, agent: int) -> int:
    i, j = instance.agents
    return {i: j, j: i}.get(agent, agent)


def _swap_roles(instance: Instance) -> Profile:
    return tuple(instance.profile[_role(instance, k)] for k in range(len(instance.profile)))


def _compare_utilities(setting: Setting, instance: Instance) -> list[tuple[int, Number, Number]]:
    """Return each agent's utility and that of who has its type after the swap."""
    swapped = _swap_roles(instance)
    return [
        (
            k,
            truthful_utility(setting, k, instance.profile),
            truthful_utility(setting, _role(instance, k), swapped),
        )
        for k in range(setting.agents)
    ]
