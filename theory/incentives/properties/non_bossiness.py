"""Non-bossiness: no effect on others without one on oneself."""

from __future__ import annotations

from typing import Any, Final

from theory.incentives._property import Instance, Property, Shape, Side
from theory.incentives._reading import Number, is_number, is_vector, key_of, show
from theory.incentives._values import Rewards, SingleItem, SingleParameter
from theory.incentives.properties._fibres import distance, has_own_values
from theory.incentives.properties.shared import describe_outcome, others_say
from theory.incentives.setting import Record, Setting

__all__ = ["NonBossiness"]


class NonBossiness(Property):
    r"""Who changes its report and gets and pays the same changes no other agent's utility.

    .. math::

        v_i(\cdot, f(r)) = v_i(\cdot, f(r')), \; p_i(r) = p_i(r')
        \;\Rightarrow\; u_j(r_j, r) = u_j(r_j, r')

    for every agent i, reports r and r' that differ in r_i alone, and agent j other than i. Over
    types that are not listed, an agent gets the same where its quantity is the same or, without
    quantities, the whole allocation. The slack is minus the greatest absolute difference.

    Source: Satterthwaite and Sonnenschein, Strategy-proof allocation mechanisms at differentiable
    points, Review of Economic Studies 48 (1981), here in utilities.
    """

    name = "non_bossy"
    statement = "vᵢ(·, f(r)) = vᵢ(·, f(r′)), pᵢ(r) = pᵢ(r′) ⇒ uⱼ(rⱼ; r) = uⱼ(rⱼ; r′)"
    draws = ""
    shape = Shape(agents=1, lies=1)

    def why_inapplicable(self, setting: Setting) -> str:
        """Return that there is no other agent."""
        return "" if setting.agents > 1 else "there is no other agent"

    def slack(self, setting: Setting, instance: Instance) -> Number | None:
        """Return minus the greatest change of another's utility; None where the own lot changes."""
        (agent,) = instance.agents
        before, after = setting.record(instance.profile), setting.record(instance.reports())
        if distance(before.payments[agent], after.payments[agent]) > setting.rounding():
            return None
        type = instance.profile[agent]
        lots = agent, setting, type, before, after
        if not _is_same(*lots) and not _gets_same(*lots):
            return None
        changes = _changes(setting, instance)
        return -max(distance(then, now) for _, then, now in changes)

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return both outcomes and the others' utilities."""
        reports = instance.reports()
        rows = [
            (
                f"reports {show(instance.profile)}",
                describe_outcome(setting, instance.profile),
            ),
            (f"reports {show(reports)}", describe_outcome(setting, reports)),
        ]
        return rows + [
            (f"utility of agent {j}", f"{show(then)}, then {show(now)}")
            for j, then, now in _changes(setting, instance)
        ]

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return who moves whom."""
        (agent,), (lie,) = instance.agents, instance.lies
        other, then, now = max(_changes(setting, instance), key=lambda row: distance(*row[1:]))
        return (
            f"agent {agent} gets and pays the same when it reports {show(lie)} in place of "
            f"{show(instance.profile[agent])}{others_say(instance.profile, instance.agents)}, but "
            f"the utility of agent {other} goes from {show(then)} to {show(now)}"
        )


_QUANTITIES: Final = (SingleItem, SingleParameter)


def _is_same(agent: int, setting: Setting, type: Any, before: Record, after: Record) -> bool:
    """Whether two lotteries are one law, in whatever order and parts they are written."""
    rewards = isinstance(setting.passed_values, Rewards) or setting.passed_values is None
    if is_vector(type) and rewards and not has_own_values(setting):
        for record in (before, after):
            setting.worth(agent, type, record)  # which says of what is no law that it is none
        one, other = (_chances(record, len(type)) for record in (before, after))
        return all(a == b for a, b in zip(one, other, strict=True))
    keys = (key_of(allocation) for allocation, _ in (*before.support, *after.support))
    return all(_chance(before, key) == _chance(after, key) for key in keys)


def _chance(record: Record, key: Any) -> Number:
    return sum((p for each, p in record.support if key_of(each) == key), start=0)


def _chances(record: Record, count: int) -> list[Number]:
    """Return the probability of each candidate: an index stands for one, a law for several."""
    return [
        sum((p * (a == k if is_number(a) else tuple(a)[k]) for a, p in record.support), start=0)
        for k in range(count)
    ]


def _gets_same(agent: int, setting: Setting, type: Any, before: Record, after: Record) -> bool:
    """Whether two allocations are worth the same to every type of the agent's."""
    types = setting.types(agent)
    given = setting.passed_values
    quantity = not has_own_values(setting) if given is None else isinstance(given, _QUANTITIES)
    if not types and is_number(type) and quantity:
        types = (1,)
    return bool(types) and all(
        distance(setting.worth(agent, t, before), setting.worth(agent, t, after))
        <= setting.rounding()
        for t in types
    )


def _changes(setting: Setting, instance: Instance) -> list[tuple[int, Number, Number]]:
    """Return the others' utilities before and after."""
    reports = instance.reports()
    return [
        (j, setting.utility(j, t, instance.profile), setting.utility(j, t, reports))
        for j, t in enumerate(instance.profile)
        if j not in instance.agents
    ]
