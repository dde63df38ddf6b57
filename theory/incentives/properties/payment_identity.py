"""The payment identity: utility is the integral of the quantity."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from theory.incentives._property import Instance, Property, Shape, Side
from theory.incentives._reading import Number, is_number, show
from theory.incentives.properties._fibres import (
    by_quantity,
    have_numbers,
    others_reports,
    replace_report,
    truthful_utility,
)
from theory.incentives.properties.shared import describe_outcome, others_say
from theory.incentives.setting import Setting

__all__ = ["PaymentIdentity"]


class PaymentIdentity(Property):
    r"""Truthful utility grows with the type as the integral of the quantity says.

    .. math:: (t - s) \, x(s) \le U(t) - U(s) \le (t - s) \, x(t)

    for all types s < t of an agent with quantity x and reports of the others fixed. Added up over
    the steps of any chain of types, these are the lower and the upper sums that bracket the
    envelope formula U(t) - U(s) = ∫ x. Met only where x(s) ≤ x(t).

    Source: Myerson, Optimal auction design, Mathematics of Operations Research 6 (1981), Lemma 2.
    """

    name = "payment_identity"
    statement = "(t − s) x(s) ≤ U(t) − U(s) ≤ (t − s) x(t)"
    depends_on_own_payoff = True
    shape = Shape(agents=1, lies=1)

    def why_inapplicable(self, setting: Setting) -> str:
        """Return that types are not numbers, or values not types times quantities."""
        if have_numbers(setting) and by_quantity(setting):
            return ""
        return "it is about types that are numbers, with values of type times quantity"

    def slack(self, setting: Setting, instance: Instance) -> Number | None:
        """Return the distance to the nearer end; None where the quantity falls."""
        found = _bracket(setting, instance)
        return None if found is None else min(found[1] - found[0], found[2] - found[1])

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return the outcomes at both ends and what is compared."""
        (agent,) = instance.agents
        ends = sorted({instance.profile[agent], instance.lies[0]})
        rows: list[Side] = []
        for type in ends:
            reports = replace_report(instance.profile, agent, type)
            rows += [
                (f"reports {show(reports)}", describe_outcome(setting, reports)),
                (
                    f"utility of agent {agent}",
                    show(truthful_utility(setting, agent, reports)),
                ),
            ]
        names = ("least growth of utility", "growth of utility", "most growth of utility")
        amounts = _bracket(setting, instance) or ()
        return rows + [(name, show(x)) for name, x in zip(names, amounts, strict=False)]

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return how far utility grows and what the quantities allow."""
        (agent,) = instance.agents
        low, high = sorted((instance.profile[agent], instance.lies[0]))
        lower, growth, upper = _bracket(setting, instance) or (0, 0, 0)
        return (
            f"utility of agent {agent} grows by {show(growth)} from type "
            f"{show(low)} to {show(high)}, but its quantities allow {_range(lower, upper)}"
            f"{others_say(instance.profile, instance.agents)}"
        )

    def instances(self, setting: Setting) -> Iterator[Instance]:
        """Yield each profile with each lower type of the agent."""
        for agent in range(setting.agents):
            pairs = list(combinations(sorted(setting.types(agent)), 2))
            for others in others_reports(setting, agent):
                for low, high in pairs:
                    yield Instance(replace_report(others, agent, high), (agent,), (low,))


def _range(lower: Number, upper: Number) -> str:
    return show(lower) if lower == upper else f"{show(lower)} to {show(upper)}"


def _bracket(setting: Setting, instance: Instance) -> tuple[Number, Number, Number] | None:
    """Return the least growth of utility, what it is, and the most; None where x falls."""
    (agent,) = instance.agents
    ends = (instance.profile[agent], instance.lies[0])
    if not all(map(is_number, ends)) or ends[0] == ends[1]:
        return None
    low, high = sorted(ends)
    at_low, at_high = (replace_report(instance.profile, agent, t) for t in (low, high))
    less, more = (setting.worth(agent, 1, setting.record(r)) for r in (at_low, at_high))
    if less - more > setting.rounding([agent]):
        return None
    growth = truthful_utility(setting, agent, at_high) - truthful_utility(setting, agent, at_low)
    return (high - low) * less, growth, (high - low) * more
