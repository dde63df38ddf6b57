"""Cyclic monotonicity of the allocation rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import lcm
from typing import Any, Final

import numpy as np

from theory.incentives._property import Instance, Property, Shape, Side
from theory.incentives._reading import Number, show
from theory.incentives.properties._fibres import others_reports, replace_report
from theory.incentives.properties.shared import describe_outcome, others_say
from theory.incentives.setting import OutcomeAtFault, Profile, Setting

__all__ = ["CyclicMonotonicity"]

_SAFE: Final = 2**62


class _Cycles(Shape):
    """Cycles: of three types where they are drawn; over finite types one of each graph of types."""

    __slots__ = ()

    def count(self, setting: Setting) -> int:
        """Return how many steps between types there are in all graphs."""
        return Shape(agents=1, lies=1).count(setting)


class CyclicMonotonicity(Property):
    r"""No cycle of an agent's types gains by each taking the allocation of the next.

    .. math:: \sum_{j=1}^k v_i(t_j, f(t_j)) - v_i(t_j, f(t_{j+1})) \ge 0, \qquad t_{k+1} = t_1

    for every agent i and types t_1, …, t_k, where f(t) stands for f(t, r_{-i}) with any reports of
    the others. It holds just where some payments make the rule truthful; it is about the
    allocation alone.

    Over finite types there is one instance for each agent and reports of the others: the least
    cycle where none is negative, from all shortest paths, else a negative one of fewest types.
    Exact. Complexity: O(m³) for m types where no cycle is negative, O(m³ log m) otherwise.

    Source: Rochet, A necessary and sufficient condition for rationalizability in a quasi-linear
    context, Journal of Mathematical Economics 16 (1987).
    """

    name = "cyclically_monotone"
    minimality = (
        "every cycle was judged: none that fails has fewer types with these reports of others"
    )
    statement = "∑ⱼ vᵢ(tⱼ, f(tⱼ)) − vᵢ(tⱼ, f(tⱼ₊₁)) ≥ 0"
    depends_on_own_payoff = True
    shape = _Cycles(agents=1, lies=2, open_ended=True)

    def slack(self, setting: Setting, instance: Instance) -> Number:
        """Return the sum over the cycle of the agent's own type and the lies."""
        return sum(kept - taken for _, kept, taken in _steps(setting, instance))

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return, for each type of the cycle, its allocation, its worth and that of the next's."""
        (agent,) = instance.agents
        rows: list[Side] = []
        for type, kept, taken in _steps(setting, instance):
            reports = replace_report(instance.profile, agent, type)
            rows += [
                (f"reports {show(reports)}", describe_outcome(setting, reports)),
                (f"worth to agent {agent} of type {show(type)}", show(kept)),
                ("worth of the next type's allocation", show(taken)),
            ]
        return rows

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return which types gain by passing their allocations round."""
        (agent,) = instance.agents
        path = " → ".join(show(t) for t in (*_cycle(instance), instance.profile[agent]))
        return (
            f"types {path} of agent {agent} gain "
            f"{show(-self.slack(setting, instance))} together if "
            f"each takes the allocation of the next{others_say(instance.profile, instance.agents)}"
        )

    def instances(self, setting: Setting) -> Iterator[Instance]:
        """Yield, for each agent and reports of the others, the cycle worth judging.

        Types that cannot be judged are left out of cycles, and yielded by themselves.
        """
        for agent in range(setting.agents):
            for others in others_reports(setting, agent):
                for type in setting.types(agent):
                    alone = Instance(replace_report(others, agent, type), (agent,), (type,))
                    if not _can_be_judged(self, setting, alone):
                        yield alone
                cycle = _find_worst_cycle(setting, agent, others)
                if cycle:
                    yield Instance(
                        replace_report(others, agent, cycle[0]), (agent,), tuple(cycle[1:])
                    )


def _can_be_judged(prop: Property, setting: Setting, instance: Instance) -> bool:
    try:
        prop.slack(setting, instance)
    except OutcomeAtFault:
        return False
    return True


def _cycle(instance: Instance) -> tuple[Any, ...]:
    return (instance.profile[instance.agents[0]], *instance.lies)


def _steps(setting: Setting, instance: Instance) -> Iterator[tuple[Any, Number, Number]]:
    """Yield each type of the cycle with its values of its own and of the next type's allocation."""
    (agent,), cycle = instance.agents, _cycle(instance)
    records = [setting.record(replace_report(instance.profile, agent, t)) for t in cycle]
    for type, (own, other) in zip(cycle, pairwise([*records, records[0]]), strict=True):
        yield type, setting.worth(agent, type, own), setting.worth(agent, type, other)


def _find_worst_cycle(setting: Setting, agent: int, others: Profile) -> list[Any]:
    """Return the cycle to judge, of the types whose outcome is known; empty for fewer than two."""
    known, columns = [], []
    for k, t in enumerate(setting.types(agent)):
        try:
            record = setting.record(replace_report(others, agent, t))
            columns.append([setting.worth(agent, s, record) for s in setting.types(agent)])
        except OutcomeAtFault:
            continue
        known.append(k)
    if len(known) < 2:
        return []
    lengths = _lengths([[column[k] for column in columns] for k in known])
    return [setting.types(agent)[known[k]] for k in least_cycle(lengths)]


def _lengths(worth: Sequence[Sequence[Number]]) -> np.ndarray:
    """Return worth[s][s] - worth[s][t], as integers over a common denominator."""
    common = lcm(*{v.denominator for row in worth for v in row})
    whole = [[v.numerator * (common // v.denominator) for v in row] for row in worth]
    wide = max(abs(v) for row in whole for v in row) * 4 * (len(whole) + 1) > _SAFE
    table = np.array(whole, dtype=object if wide else np.int64)
    return np.asarray(np.diag(table)[:, None] - table)


def least_cycle(lengths: np.ndarray) -> list[int]:
    """Return the shortest cycle of two nodes or more, or a negative one of fewest nodes.

    ``lengths[s, t]`` is the length of the step from s to t, with a diagonal of 0.
    """
    paths, first = lengths.copy(), np.tile(np.arange(len(lengths)), (len(lengths), 1))
    for k in range(len(lengths)):
        through = paths[:, [k]] + paths[k]
        shorter = through < paths
        if shorter.diagonal().any():
            return _negative_cycle(lengths)
        paths = np.where(shorter, through, paths)
        first = np.where(shorter, first[:, [k]], first)
    closed = lengths + paths.T
    spare = closed.max() + 1
    np.fill_diagonal(closed, spare)
    start, node = divmod(int(closed.argmin()), len(closed))
    cycle = [start]
    while node != start:
        cycle.append(node)
        node = int(first[node, start])
    return cycle


def _negative_cycle(lengths: np.ndarray) -> list[int]:
    """Return a negative cycle of fewest nodes.

    Walks of at most n steps are closed and negative from some n on, for a step may stay where it
    is. That n is found by walks of 1, 2, 4, … steps, and what joins them.
    """
    powers = [lengths]
    while not _has_negative(longer := _join_walks(powers[-1], powers[-1])):
        powers.append(longer)
    walks = powers.pop()
    for power in reversed(powers):
        if not _has_negative(longer := _join_walks(walks, power)):
            walks = longer
    start = int((walks + lengths.T).min(axis=1).argmin())
    row, steps = lengths[start], list[np.ndarray]()
    while row[start] >= 0:
        through = row[:, None] + lengths
        steps.append(through.argmin(axis=0))
        row = through.min(axis=0)
    cycle = [start]
    for last in reversed(steps):
        cycle.append(int(last[cycle[-1]]))
    return cycle[:1] + cycle[:0:-1]


def _join_walks(walks: np.ndarray, more: np.ndarray) -> np.ndarray:
    """Return how long the shortest walks are that go on with ``more``."""
    return np.array([(row[:, None] + more).min(axis=0) for row in walks])


def _has_negative(walks: np.ndarray) -> bool:
    return bool((walks.diagonal() < 0).any())
