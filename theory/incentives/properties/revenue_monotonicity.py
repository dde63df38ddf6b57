"""Revenue monotonicity: one more bidder never costs the seller."""

from __future__ import annotations

from theory.incentives._property import Instance, Property, Shape, Side
from theory.incentives._reading import Number, show
from theory.incentives.properties.shared import describe_outcome
from theory.incentives.setting import Profile, Setting

__all__ = ["RevenueMonotonicity"]


class RevenueMonotonicity(Property):
    r"""The mechanism takes in no more when an agent stays away.

    .. math:: \sum_j p_j(r) \ge \sum_j p_j(r_{-i})

    for every agent i and profile r, where the mechanism runs on r without agent i's report. Not met
    where nothing comes of any reports that are one fewer; where something does of some, the others
    are at fault.

    Source: Rastegari, Condon and Leyton-Brown, Revenue monotonicity in deterministic,
    dominant-strategy combinatorial auctions, Artificial Intelligence 175 (2011).
    """

    name = "revenue_monotone"
    statement = "∑ⱼ pⱼ(r) ≥ ∑ⱼ pⱼ(r₋ᵢ)"
    shape = Shape(agents=1)

    def why_inapplicable(self, setting: Setting) -> str:
        """Return that nobody is left without the agent."""
        return "" if setting.agents > 1 else "without the agent nobody is left"

    def slack(self, setting: Setting, instance: Instance) -> Number:
        """Return by how much revenue falls without the agent."""
        payments = setting.record(instance.profile).payments
        return sum(payments) - sum(setting.record(_without(instance)).payments)

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return both outcomes and what is taken in."""
        rows: list[Side] = []
        for reports in (instance.profile, _without(instance)):
            rows += [
                (f"reports {show(reports)}", describe_outcome(setting, reports)),
                ("sum of payments", show(sum(setting.record(reports).payments))),
            ]
        return rows

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return how much more is taken in without whom."""
        more = -self.slack(setting, instance)
        return (
            f"the payments sum to {show(more)} more without agent {instance.agents[0]}, "
            f"who reports {show(instance.profile[instance.agents[0]])}, than at reports "
            f"{show(instance.profile)}"
        )


def _without(instance: Instance) -> Profile:
    (agent,) = instance.agents
    return (*instance.profile[:agent], *instance.profile[agent + 1 :])
