"""False-name-proofness: nobody gains by a second name."""

from __future__ import annotations

from typing import Any

from theory.incentives._property import Instance, Property, Shape, Side
from theory.incentives._reading import Number, show
from theory.incentives._values import (
    ADDITIVE,
    UNIT_DEMAND,
    Rewards,
    SingleItem,
    SingleParameter,
    ValueTable,
    values_add_up,
)
from theory.incentives.properties._fibres import has_own_values, truthful_utility
from theory.incentives.properties.shared import describe_outcome, others_say
from theory.incentives.setting import Profile, Record, Setting

__all__ = ["FalseNameProof"]


class FalseNameProof(Property):
    r"""No agent gains by reporting under two names.

    .. math:: u_i(t_i, t) \ge v_i(t_i, f(r)) - p_i(r) - p_{n+1}(r), \qquad r = (a, t_{-i}, b)

    for every agent i of n, type profile t, report a under its own name and b under a name placed
    last. What both names together are worth is said by ``value_of_names=`` or by the mechanism: the
    sum (``"additive"``), the better of the two (``"unit demand"``), or a function. Where neither
    says it, shares and quantities add up; named outcomes and candidates are the same for all, and
    count once; values by a function do not say it. Not met where nothing comes of any reports that
    are one more; where something does of some, the others are at fault.

    Source: Yokoo, Sakurai and Matsubara, The effect of false-name bids in combinatorial auctions,
    Games and Economic Behavior 46 (2004).
    """

    name = "false_name_proof"
    statement = "uᵢ(tᵢ; t) ≥ vᵢ(tᵢ, f(a, t₋ᵢ, b)) − pᵢ − pₙ₊₁"
    shape = Shape(agents=1, lies=2)

    def why_inapplicable(self, setting: Setting) -> str:
        """Return that values by a function do not say what two names have together."""
        if setting.value_of_names is not None:
            return ""
        known = SingleItem | SingleParameter | ValueTable | Rewards
        own = has_own_values(setting)
        if own or (
            setting.passed_values is not None and not isinstance(setting.passed_values, known)
        ):
            problem = "values by a function do not say what two names are worth together"
            return f'{problem}; pass value_of_names="additive", "unit demand" or a function'
        return ""

    def basis(self, setting: Setting) -> str:
        """Return what two names are worth together."""
        declared = setting.value_of_names
        if callable(declared):
            return "two names are worth what value_of_names says"
        if declared == UNIT_DEMAND:
            return "two names are worth the better of what they get (unit demand)"
        if declared == ADDITIVE:
            return "two names are worth the sum of what they get (additive)"
        valuation = setting.usual_valuation
        if valuation is not None and not values_add_up(valuation):
            return "an allocation is worth the same under two names as under one"
        return "two names are worth the sum of what they get (additive); value_of_names= changes it"

    def slack(self, setting: Setting, instance: Instance) -> Number:
        """Return u(truth) less the utility of both names together."""
        (agent,) = instance.agents
        truth = truthful_utility(setting, agent, instance.profile)
        record = setting.record(_reports(instance))
        return truth - _together(setting, agent, instance.profile[agent], record)

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return both outcomes and utilities."""
        (agent,), reports = instance.agents, _reports(instance)
        return [
            (
                f"truth: reports {show(instance.profile)}",
                describe_outcome(setting, instance.profile),
            ),
            (
                f"utility of agent {agent}",
                show(truthful_utility(setting, agent, instance.profile)),
            ),
            (f"two names: reports {show(reports)}", describe_outcome(setting, reports)),
            (
                f"utility of agent {agent} as {agent} and {len(reports) - 1}",
                show(_together(setting, agent, instance.profile[agent], setting.record(reports))),
            ),
        ]

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return who gains what by which two reports."""
        (agent,), (first, second) = instance.agents, instance.lies
        gain = show(-self.slack(setting, instance))
        return (
            f"agent {agent} of type {show(instance.profile[agent])} gains "
            f"{gain} by reporting {show(first)} and, under a "
            f"second name, {show(second)}{others_say(instance.profile, instance.agents)}"
        )


def _reports(instance: Instance) -> Profile:
    return (*instance.reports(), instance.lies[1])


def _together(setting: Setting, agent: int, type: Any, record: Record) -> Number:
    """Return the utility of an agent from what it and the last name get and pay."""
    second = len(record.payments) - 1
    worth = setting.worth_of_names((agent, second), type, record)
    return worth - record.payments[agent] - record.payments[second]
