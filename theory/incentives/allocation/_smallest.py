"""The smallest cycle of types that forbids all payments, over agents and reports of the others."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from theory.incentives._instance import Instance, size
from theory.incentives.allocation._graph import Graph, fewest_steps
from theory.incentives.allocation._recheck import afresh
from theory.incentives.allocation._result import NegativeCycle, envy_step
from theory.incentives.setting import Profile, Setting
from theory.incentives.table import Table

__all__ = ["Broken", "smallest_cycle"]


@dataclass(frozen=True, eq=False)
class Broken:
    """The graph of an agent, with the profiles of the others, by row, where it has a bad cycle."""

    agent: int
    rows: np.ndarray
    graph: Graph


def smallest_cycle(setting: Setting, table: Table, broken: list[Broken]) -> NegativeCycle:
    """Return a cycle of fewest types, and of these one of simple types and simple reports.

    Simple is what :func:`theory.incentives._instance.size` says, summed over the reports of the
    others and the two types at which the cycle closes.
    """
    weights = [
        np.array([float(size(setting, Instance((), (i,), (t,)))[0]) for t in setting.types(i)])
        for i in range(setting.agents)
    ]
    found, least, most = None, np.inf, max(table.sizes)
    for each in broken:
        cycles = fewest_steps(each.graph, min(most, each.graph.types))
        if cycles is None:
            continue
        own, rest = weights[each.agent], np.zeros(())
        for i, weight in enumerate(weights):
            rest = np.add.outer(rest, weight) if i != each.agent else rest
        costs = rest.ravel()[each.rows][:, None, None] + own[:, None] + own
        costs = np.where(np.asarray(cycles.totals < 0, dtype=bool), costs, np.inf)
        r, s, u = (int(k) for k in np.unravel_index(costs.argmin(), costs.shape))
        if cycles.size < most or costs[r, s, u] < least:
            least, most = float(costs[r, s, u]), cycles.size
            others = [int(k) for k in np.unravel_index(each.rows[r], rest.shape)]
            total = Fraction(int(cycles.totals[r, s, u]), table.denominator)
            found = each.agent, others, cycles.types(r, s, u), total
    assert found is not None
    return _cycle(setting, *found)


def _cycle(
    setting: Setting, agent: int, others: list[int], walk: tuple[int, ...], total: Fraction
) -> NegativeCycle:
    """Return the cycle from its simplest type, with every number read off the rule again."""
    fresh, first = afresh(setting), walk.index(min(walk))
    walk = (*walk[first:], *walk[:first])
    rest = [i for i in range(setting.agents) if i != agent]
    reports = tuple(setting.types(i)[k] for i, k in zip(rest, others, strict=True))

    def profile(k: int) -> Profile:
        return (*reports[:agent], setting.types(agent)[k], *reports[agent:])

    pairs = zip(walk, (*walk[1:], walk[0]), strict=True)
    steps = tuple(envy_step(fresh, agent, profile(t), profile(other)) for t, other in pairs)
    gain = sum((step.gain for step in steps), start=Fraction(0))
    gap = abs(total + gain)
    return NegativeCycle(setting.name, agent, reports, steps, gap, fresh)
