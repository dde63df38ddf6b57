"""Strategyproofness for pairs of agents."""

from __future__ import annotations

from theory.incentives._property import Instance, Property, Shape, Side
from theory.incentives._reading import Number, show
from theory.incentives.properties._fibres import truthful_utility
from theory.incentives.properties.shared import others_say, utility_sides
from theory.incentives.setting import Setting

__all__ = ["PairwiseStrategyproof"]


class PairwiseStrategyproof(Property):
    r"""No two agents can lie together so that neither loses and one gains.

    With gains g_i and g_j of agents i and j from reporting a pair of lies, where one of the two may
    be the truth, never

    .. math:: \min(g_i, g_j) \ge 0 \quad\text{and}\quad \max(g_i, g_j) > 0 .

    No money changes hands between the two. The slack is minus the greater gain where neither loses,
    else the greater loss.

    Source: Moulin and Shenker, Strategyproof sharing of submodular costs, Economic Theory 18
    (2001), group strategyproofness, here for two; for pairs Serizawa, Pairwise strategy-proofness
    and self-enforcing manipulation, Social Choice and Welfare 26 (2006).
    """

    name = "pairwise_strategyproof"
    statement = "not (min(gᵢ, gⱼ) ≥ 0 and max(gᵢ, gⱼ) > 0)"
    shape = Shape(agents=2, lies=2)

    def why_inapplicable(self, setting: Setting) -> str:
        """Return that there is no pair."""
        return "" if setting.agents > 1 else "there is no other agent"

    def slack(self, setting: Setting, instance: Instance) -> Number:
        """Return minus the greater gain where neither loses, else the greater loss."""
        gains = _gains(setting, instance)
        loses = min(gains) < -setting.rounding()
        return -min(gains) if loses else -max(gains)

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return both outcomes and the utilities of both agents."""
        rows: list[Side] = []
        for label, reports in (("truth", instance.profile), ("lies", instance.reports())):
            for k, agent in enumerate(instance.agents):
                type = instance.profile[agent]
                rows += utility_sides(setting, agent, type, reports, label)[min(k, 1) :]
        return rows

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return who gains what by which lies."""
        (i, j), (a, b), gains = instance.agents, instance.lies, _gains(setting, instance)
        return (
            f"agents {i} and {j} of types {show(instance.profile[i])} and "
            f"{show(instance.profile[j])} gain {show(gains[0])} and {show(gains[1])} by "
            f"reporting {show(a)} and {show(b)}{others_say(instance.profile, instance.agents)}"
        )


def _gains(setting: Setting, instance: Instance) -> list[Number]:
    reports = instance.reports()
    return [
        setting.utility(agent, instance.profile[agent], reports)
        - truthful_utility(setting, agent, instance.profile)
        for agent in instance.agents
    ]
