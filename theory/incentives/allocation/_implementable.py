"""Whether any payments make an allocation rule truthful."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any, Final

import numpy as np

from theory.errors import ExactnessError, InvalidInputError, LimitError
from theory.incentives._arguments import make_setting
from theory.incentives._mechanism import mechanism_name, outcome_function
from theory.incentives._outcome import Outcome
from theory.incentives._property import Instance, size
from theory.incentives._reading import is_vector, show
from theory.incentives._types import TypeSpace
from theory.incentives._values import Valuation
from theory.incentives.allocation._graph import Graph, fewest_steps, graph_of, highest_payments
from theory.incentives.allocation._recheck import largest_gain, without_results
from theory.incentives.allocation._result import Implementation, NegativeCycle, envy_step
from theory.incentives.setting import OutcomeAtFault, Profile, Setting
from theory.incentives.table import Table, tabulate
from theory.shared.arguments import refusing

__all__ = ["MAX_COMPARISONS", "implementable"]


# --- The smallest cycle of types that forbids all payments, over agents and reports of the others


@dataclass(frozen=True, eq=False)
class NegativeCycleRows:
    """The graph of an agent, with the profiles of the others, by row, where it has a bad cycle."""

    agent: int
    rows: np.ndarray
    graph: Graph


def smallest_cycle(
    setting: Setting, table: Table, broken: list[NegativeCycleRows]
) -> NegativeCycle:
    """Return a cycle of fewest types, and of these one of simple types and simple reports.

    Simple is what :func:`theory.incentives._property.size` says, summed over the reports of the
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
    fresh, first = without_results(setting), walk.index(min(walk))
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


# --- Whether any payments make an allocation rule truthful

# --- An allocation rule as a mechanism in which nobody pays


@dataclass(frozen=True)
class RuleWithoutPayments:
    """A rule with payments of 0; those of a mechanism are left out."""

    rule: Any
    seed: int

    @property
    def __name__(self) -> str:
        return mechanism_name(self.rule)

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return the allocation of the rule, for which nobody pays."""
        returned = outcome_function(self.rule, self.seed)(tuple(reports))
        if isinstance(returned, Outcome):
            returned = returned.allocation
        elif hasattr(self.rule, "outcome"):
            returned, _ = returned
        return Outcome(returned, (0,) * len(reports))


def has_payments(allocation: Any, agents: int) -> bool:
    """Whether what a rule returned has the form of an outcome: a pair, one payment an agent."""
    if not isinstance(allocation, tuple) or len(allocation) != 2:
        return False
    return is_vector(allocation[1]) and len(allocation[1]) == agents


# --- Whether any payments make an allocation rule truthful

MAX_COMPARISONS: Final = 2_000_000
"""The most comparisons of a truth with a lie, over all agents and profiles."""


@refusing
def implementable(
    rule: Any,
    *,
    types: TypeSpace | Sequence[TypeSpace],
    agents: int | None = None,
    values: Valuation | Callable[[int, Any, Any], Any] | None = None,
    seed: int = 0,
) -> Implementation | NegativeCycle:
    r"""Find payments that make an allocation rule truthful, or types that forbid them.

    Payments p make truth-telling a dominant strategy for the rule f just where

    .. math:: p_i(t, r_{-i}) - p_i(l, r_{-i})
              \le v_i(t, f(t, r_{-i})) - v_i(t, f(l, r_{-i}))

    for all agents i, types t and l and reports r_{-i} of the others. There are some just where
    the right-hand sides, for fixed i and r_{-i}, sum to at least 0 round every cycle of types:
    where f is cyclically monotone. Of all such payments with ``p_i(t) <= v_i(t, f(t))``, at which
    no type loses by the truth, the highest are returned; each is at least as high as in any other.

    Parameters
    ----------
    rule : callable or Mechanism
        From a tuple of reports, one an agent, to an allocation. Of an object with a method
        ``outcome``, or where an :class:`Outcome` comes back, payments are left out.
    types : FiniteTypes, or a sequence with one an agent
        The types, which are also the reports.
    agents, values
        As for :func:`check_mechanism`.
    seed : int
        For a rule that takes ``rng``.

    Returns
    -------
    Implementation or NegativeCycle
        True and false in a condition. A cycle is one with the fewest types there are, and among
        these one with the simplest. Either is judged again by code that shares nothing with the
        search, and has a ``gap``.

    Raises
    ------
    InvalidInputError
        Where types are not finite, or the rule cannot be run or valued at some profile.
    ExactnessError
        Where the rule or the values lead to floats: equality decides here.
    LimitError
        For more than ``MAX_COMPARISONS`` pairs of a truth and a lie.

    Notes
    -----
    With P profiles and n types an agent: O(agents · P · n^2) by the rounds of Bellman and Ford,
    and as much for each step of a shortest cycle. Rochet, "A necessary and sufficient condition
    for rationalizability in a quasi-linear context" (1987); Rockafellar, *Convex Analysis*,
    section 24.

    Examples
    --------
    >>> from theory.incentives import FiniteTypes
    >>> def highest(bids):
    ...     return bids.index(max(bids))
    >>> auction = implementable(highest, types=FiniteTypes(range(4)), agents=2)
    >>> auction.outcome((1, 3)).payments
    (Fraction(0, 1), Fraction(2, 1))
    >>> def lowest(bids):
    ...     return bids.index(min(bids))
    >>> cycle = implementable(lowest, types=FiniteTypes(range(4)), agents=2)
    >>> bool(cycle), cycle.types, cycle.total
    (False, (0, 1), Fraction(-1, 1))
    """
    if values is None and callable(getattr(rule, "value", None)):
        values = rule.value
    setting = make_setting(
        RuleWithoutPayments(rule, seed),
        types=types,
        agents=agents,
        values=values,
        prior=None,
        epsilon=0,
        feasible=None,
        alternatives=None,
        seed=seed,
    )
    comparisons = _comparisons(setting)
    table = _tabulate_rule(setting)
    paid: list[np.ndarray] = []
    broken: list[NegativeCycleRows] = []
    for agent in range(setting.agents):
        graph = graph_of(table, agent)
        payments, open_ = highest_payments(graph)
        if open_.any():
            broken.append(NegativeCycleRows(agent, np.flatnonzero(open_), graph.at(open_)))
        paid.append(_by_profile(table, agent, payments))
    if broken:
        return smallest_cycle(setting, table, broken)
    return _implementation(setting, table, paid, comparisons)


def _comparisons(setting: Setting) -> int:
    for space in setting.spaces:
        if space.members is None:
            fix = "give FiniteTypes(…) with the types to compare, such as a grid of the space"
            raise InvalidInputError("types", space, "are not finite", fix)
    counts = [len(setting.types(i)) for i in range(setting.agents)]
    comparisons = sum(prod(counts) * (n - 1) for n in counts)
    if comparisons > MAX_COMPARISONS:
        problem = f"lead to {comparisons:,} comparisons, above the limit of {MAX_COMPARISONS:,}"
        raise LimitError("types", counts, problem, "give fewer types or agents")
    return comparisons


def _tabulate_rule(setting: Setting) -> Table:
    table = tabulate(setting)
    if table.setting.faults:
        _refuse_payments(setting)
        fault, fix = table.setting.faults[0], "fix the rule or the values there"
        problem = str(fault) if fault.reports else fault.problem
        raise InvalidInputError("rule", setting.name, problem, fix)
    if table.setting.inexact:
        fix = "return integers, fractions or decimals"
        raise ExactnessError("rule", setting.name, "leads to floats, of its own or in values", fix)
    return table


def _refuse_payments(setting: Setting) -> None:
    """Raise where the rule, which cannot be valued, returns what a mechanism returns."""
    try:
        (allocation, _), *_ = setting.record(next(setting.some_profiles())).support
    except OutcomeAtFault:
        return
    if has_payments(allocation, setting.agents):
        problem = f"returns {show(allocation)}, an allocation with payments"
        fix = "return the allocation alone, or give an object with a method outcome(reports)"
        raise InvalidInputError("rule", setting.name, problem, fix)


def _by_profile(table: Table, agent: int, rows: np.ndarray) -> np.ndarray:
    """Return an array with a row for each profile of the others as one with an axis an agent."""
    others = [n for i, n in enumerate(table.sizes) if i != agent]
    return np.moveaxis(rows.reshape([*others, table.sizes[agent]]), -1, agent)


def _implementation(
    setting: Setting, table: Table, paid: list[np.ndarray], comparisons: int
) -> Implementation:
    payments = {
        table.profile(place): tuple(Fraction(int(p[place]), table.denominator) for p in paid)
        for place in np.ndindex(*table.sizes)
    }
    gap = largest_gain(setting, payments)
    return Implementation(setting.name, payments, gap, comparisons, setting)
