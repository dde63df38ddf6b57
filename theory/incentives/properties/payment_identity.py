"""The payment identity: utility is the integral of the quantity."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final

from theory.incentives._instance import Instance, Shape
from theory.incentives._property import Property, Side
from theory.incentives._reading import Number, is_number, shown
from theory.incentives._setting import Setting
from theory.incentives.properties._fibres import (
    by_quantity,
    changed,
    fibres,
    have_numbers,
    truthful,
)
from theory.incentives.properties._shared import happens, others_say

__all__ = ["PaymentIdentity"]

_STEPS: Final = 16
"""Equal steps between two real types over which the integral is bracketed."""


class PaymentIdentity(Property):
    r"""Truthful utility grows with the type as the integral of the quantity says.

    .. math::

        \sum_k (s_{k+1} - s_k) \, x(s_k) \le U(s_m) - U(s_0)
        \le \sum_k (s_{k+1} - s_k) \, x(s_{k+1})

    for types s_0 < … < s_m of an agent with quantity x and reports of the others fixed: the
    envelope formula U(s_m) - U(s_0) = ∫ x, between its lower and upper sums. Over finite types s_0
    is the least one and the steps are the types; over real types they are 16 equal ones between a
    type and a lie, or a single one where a strategy draws types. Met only where x does not fall
    from step to step.

    Source: Myerson, Optimal auction design, Mathematics of Operations Research 6 (1981), Lemma 2.
    """

    name = "payment_identity"
    statement = "∑ₖ (sₖ₊₁ − sₖ) x(sₖ) ≤ U(sₘ) − U(s₀) ≤ ∑ₖ (sₖ₊₁ − sₖ) x(sₖ₊₁)"
    own = True
    shape = Shape(agents=1, lies=1)

    def unfit(self, setting: Setting) -> str:
        """Return that types are not numbers, or values not types times quantities."""
        if have_numbers(setting) and by_quantity(setting):
            return ""
        return "it is about types that are numbers, with values of type times quantity"

    def slack(self, setting: Setting, instance: Instance) -> Number | None:
        """Return the distance to the nearer sum; None where the quantity falls."""
        found = _bracket(setting, instance)
        return None if found is None else min(found[1] - found[0], found[2] - found[1])

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return the outcomes at both ends and what is compared."""
        (agent,) = instance.agents
        ends = sorted({instance.profile[agent], instance.lies[0]})
        rows: list[Side] = []
        for type in ends:
            reports = changed(instance.profile, agent, type)
            rows += [
                (f"reports {shown(reports)}", happens(setting, reports)),
                (f"utility of agent {agent}", shown(truthful(setting, agent, reports))),
            ]
        names = ("lower sum of quantities", "growth of utility", "upper sum of quantities")
        amounts = _bracket(setting, instance) or ()
        return rows + [(name, shown(x)) for name, x in zip(names, amounts, strict=False)]

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return how far utility grows and what the quantities allow."""
        (agent,) = instance.agents
        low, high = sorted((instance.profile[agent], instance.lies[0]))
        lower, growth, upper = _bracket(setting, instance) or (0, 0, 0)
        return (
            f"utility of agent {agent} grows by {shown(growth)} from type "
            f"{shown(low)} to {shown(high)}, but its quantities allow {_range(lower, upper)}"
            f"{others_say(instance.profile, instance.agents)}"
        )

    def instances(self, setting: Setting) -> Iterator[Instance]:
        """Yield each profile with a type above the agent's least one, and that one."""
        for agent in range(setting.agents):
            least, *higher = sorted(setting.types(agent))
            for others in fibres(setting, agent):
                for type in higher:
                    yield Instance(changed(others, agent, type), (agent,), (least,))


def _range(lower: Number, upper: Number) -> str:
    return shown(lower) if lower == upper else f"{shown(lower)} to {shown(upper)}"


def _bracket(setting: Setting, instance: Instance) -> tuple[Number, Number, Number] | None:
    """Return lower sum, growth of utility and upper sum; None where the quantity falls."""
    (agent,) = instance.agents
    ends = (instance.profile[agent], instance.lies[0])
    if not all(map(is_number, ends)) or ends[0] == ends[1]:
        return None
    low, high = sorted(ends)
    types = _types(setting, agent, low, high)
    reports = [changed(instance.profile, agent, t) for t in types]
    amounts = [setting.worth(agent, 1, setting.record(r)) for r in reports]
    allowed = setting.rounding([agent])
    if any(before - after > allowed for before, after in pairwise(amounts)):
        return None
    first, last = types.index(low), types.index(high)
    lower: Number = 0
    upper: Number = 0
    for k in range(first, last):
        lower += (types[k + 1] - types[k]) * amounts[k]
        upper += (types[k + 1] - types[k]) * amounts[k + 1]
    growth = truthful(setting, agent, reports[last]) - truthful(setting, agent, reports[first])
    return lower, growth, upper


def _types(setting: Setting, agent: int, low: Any, high: Any) -> list[Any]:
    """Return all listed types in order, or equal steps between two real ones."""
    if setting.types(agent):
        return sorted(setting.types(agent))
    if not setting.spaces[agent].grid(1):
        return [low, high]
    step = (high - low) * Fraction(1, _STEPS)
    return [low, *(low + k * step for k in range(1, _STEPS)), high]
