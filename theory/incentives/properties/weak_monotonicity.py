"""Weak monotonicity of the allocation rule."""

from __future__ import annotations

from theory.incentives._property import Instance, Property, Shape, Side
from theory.incentives._reading import Number, show
from theory.incentives.properties.shared import describe_outcome, others_say
from theory.incentives.setting import Setting

__all__ = ["WeakMonotonicity"]


class WeakMonotonicity(Property):
    r"""Two types of an agent never prefer, both together, each other's allocation.

    .. math:: v_i(t, f(t)) + v_i(l, f(l)) \ge v_i(t, f(l)) + v_i(l, f(t))

    for every agent i and types t and l, where f(t) stands for f(t, r_{-i}) with any reports of the
    others. A rule that fails it has no payments that make it truthful; it is about the allocation
    alone.

    Source: Bikhchandani, Chatterji, Lavi, Mu'alem, Nisan and Sen, Weak monotonicity characterizes
    deterministic dominant-strategy implementation, Econometrica 74 (2006).
    """

    name = "weakly_monotone"
    statement = "vᵢ(t, f(t)) + vᵢ(l, f(l)) ≥ vᵢ(t, f(l)) + vᵢ(l, f(t))"
    depends_on_own_payoff = True
    shape = Shape(agents=1, lies=1)

    def slack(self, setting: Setting, instance: Instance) -> Number:
        """Return v(t, f(t)) - v(t, f(l)) - v(l, f(t)) + v(l, f(l))."""
        (agent,), (lie,) = instance.agents, instance.lies
        type = instance.profile[agent]
        own, other = setting.record(instance.profile), setting.record(instance.reports())
        kept = setting.worth(agent, type, own) + setting.worth(agent, lie, other)
        return kept - setting.worth(agent, type, other) - setting.worth(agent, lie, own)

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return both allocations with their values to both types."""
        (agent,), (lie,) = instance.agents, instance.lies
        type = instance.profile[agent]
        rows: list[Side] = []
        for reports in (instance.profile, instance.reports()):
            record = setting.record(reports)
            rows.append((f"reports {show(reports)}", describe_outcome(setting, reports)))
            for t in (type, lie):
                worth = setting.worth(agent, t, record)
                rows.append((f"worth to agent {agent} of type {show(t)}", show(worth)))
        return rows

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return which two types would rather swap."""
        (agent,), (lie,) = instance.agents, instance.lies
        return (
            f"types {show(instance.profile[agent])} and {show(lie)} of agent {agent} would gain "
            f"{show(-self.slack(setting, instance))} together by swapping allocations"
            f"{others_say(instance.profile, instance.agents)}"
        )
