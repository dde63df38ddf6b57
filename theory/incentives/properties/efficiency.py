"""Efficiency: the most welfare there is."""

from __future__ import annotations

from math import lcm
from typing import Any, Final

import numpy as np

from theory.incentives._mechanism import Vectorised
from theory.incentives._property import Instance, Property, Shape, Side
from theory.incentives._reading import Number, show
from theory.incentives.properties.shared import by_profile, describe_outcome
from theory.incentives.setting import OutcomeAtFault, Profile, Setting
from theory.incentives.table import Slacks, Table

__all__ = ["Efficiency"]

_LISTED: Final = 8
"""How many alternatives a finding names."""


class Efficiency(Property):
    r"""The allocation is feasible, and worth as much to all agents together as any alternative.

    .. math:: \sum_i v_i(t_i, f(t)) \ge \max_{o \in A} \sum_i v_i(t_i, o)

    for every type profile t. What is feasible is said by ``values=``, by ``feasible=`` or by the
    mechanism; where nothing says it, f(t) may be anything. The alternatives A are given by
    ``alternatives=``, by the mechanism or by the values: who may win one item, named outcomes, the
    candidates that types have rewards for. Where nothing gives them, they are the outcomes of all
    profiles of finite types; these may show that the mechanism is not efficient, and never that it
    is. Nor do those of values that were not passed, where an allocation that comes of reports is
    none of them, nor a law over candidates.

    Source: Shoham and Leyton-Brown, Multiagent Systems (2009), section 10.3.
    """

    name = "efficient"
    statement = "∑ᵢ vᵢ(tᵢ, f(t)) ≥ ∑ᵢ vᵢ(tᵢ, o)"
    minimum_over_alternatives = True
    shape = Shape()

    def why_inapplicable(self, setting: Setting) -> str:
        """Return that nothing lists the alternatives."""
        if setting.alternatives():
            return ""
        if setting.rivals:
            return "the alternatives are a space without a list; pass alternatives= with one"
        return "there are no alternatives to compare with; pass alternatives="

    def basis(self, setting: Setting) -> str:
        """Return what was compared with, and who says that these are the alternatives."""
        rivals = setting.alternatives() or ()
        if not setting.rivals_said_by:
            return f"compared with the {_count(rivals)} of some reports"
        listed = ", ".join(map(show, rivals[:_LISTED]))
        more = f" and {len(rivals) - _LISTED:,} more" if len(rivals) > _LISTED else ""
        return f"compared with {listed}{more}, by {setting.rivals_said_by}"

    def why_vacuous(self, setting: Setting) -> str:
        """Return that nothing says what else the mechanism could have chosen."""
        for odd in setting.unforeseen:
            those = f"one outcome looked like those of {show(setting.guessed_rivals)}"
            problem = f"nobody says which allocations there are: {those}, and {show(odd)} comes"
            return f"{problem} of other reports; pass alternatives="
        if setting.rivals_said_by:
            return ""
        most = f"is the best of the {_count(setting.alternatives() or ())} of some reports"
        return f"what is chosen {most}, and nothing says what others there are; pass alternatives="

    def slack(self, setting: Setting, instance: Instance) -> Number:
        """Return the welfare of what is chosen less the most there is.

        Where what is chosen is not feasible, minus the amount by which that is missed, if it is
        less.
        """
        profile = instance.profile
        best = _find_best(setting, profile)
        found = _welfare_of_choice(setting, profile) - _welfare(setting, profile, best)
        missed = _infeasibility(setting, profile)
        return found if missed <= 0 else min(found, -missed)

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return the chosen allocation and the best one, with their welfare."""
        profile = instance.profile
        best = _find_best(setting, profile)
        missed = _infeasibility(setting, profile)
        return [
            (f"reports {show(profile)}", describe_outcome(setting, profile)),
            ("welfare", show(_welfare_of_choice(setting, profile))),
            (f"{'better' if setting.compares_some else 'best'} alternative", show(best)),
            ("its welfare", show(_welfare(setting, profile, best))),
            *([("is not feasible by", show(missed))] if missed > 0 else []),
        ]

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return how much welfare is lost, and what would have been better; or what is amiss."""
        if _infeasibility(setting, instance.profile) > 0:
            return f"the allocation at types {show(instance.profile)} cannot be carried out"
        best = show(_find_best(setting, instance.profile))
        lost = show(-self.slack(setting, instance))
        types = show(instance.profile)
        least = "at least " if setting.compares_some else ""
        return f"types {types} lose {least}{lost} of welfare: allocation {best} would be better"

    def slacks(self, table: Table) -> Slacks | None:
        """Return welfare less the most there is at all profiles; None where a value is missing."""
        setting, agents = table.setting, range(len(table.sizes))
        try:
            worths = [
                [[setting.value(i, t, rival) for t in setting.types(i)] for i in agents]
                for rival in setting.alternatives() or ()
            ]
            missed = _infeasibilities(table)
        except OutcomeAtFault:  # each profile says why
            return None
        numbers = [v for rows in worths for row in rows for v in row]
        common = lcm(table.denominator, *{v.denominator for v in (*numbers, *missed.ravel())})
        chosen = sum(_widen(table.utilities(i)) + _widen(table.payments[i]) for i in agents)
        best = np.full(table.sizes, min(numbers) * common * len(agents), dtype=object)
        for rows in worths:
            total = np.zeros((), dtype=object)
            for row in rows:
                total = np.add.outer(total, np.array([int(v * common) for v in row], dtype=object))
            best = np.maximum(best, total)
        lost = chosen * (common // table.denominator) - best
        short = -(missed * common)
        lost = np.where(short < 0, np.minimum(lost, short), lost)
        found = by_profile(table, np.asarray(lost), by_agent=False)
        return Slacks(lost, common, found.met, False, found.instances, found.nontrivial)


def _count(allocations: tuple[Any, ...]) -> str:
    several = len(allocations) != 1
    return f"{len(allocations):,} allocation{'s' * several} that come{'s' * (not several)}"


def _welfare(setting: Setting, profile: Profile, allocation: Any) -> Number:
    return sum(setting.value(i, t, allocation) for i, t in enumerate(profile))


def _welfare_of_choice(setting: Setting, profile: Profile) -> Number:
    record = setting.record(profile)
    return sum(setting.worth(i, t, record) for i, t in enumerate(profile))


def _infeasibility(setting: Setting, profile: Profile) -> Number:
    """Return by how much what is chosen is not feasible, where something says what is."""
    return setting.violation(profile) if setting.says_what_is_feasible else 0


def _infeasibilities(table: Table) -> np.ndarray:
    """Return by how much what is chosen is not feasible at all profiles, as fractions."""
    setting, every = table.setting, np.arange(table.profiles)
    if not setting.says_what_is_feasible:
        return np.zeros(table.sizes, dtype=object)
    first, where = every, every
    if isinstance(setting.mechanism, Vectorised):  # what all agents get is the allocation
        rows = table.consequences.reshape(len(table.sizes), -1)
        _, first, where = np.unique(rows, axis=1, return_index=True, return_inverse=True)
    judged = table.judged.ravel()
    places = [p for p in first if judged[p]]
    profiles = {p: table.profile([*map(int, np.unravel_index(p, table.sizes))]) for p in places}
    setting.together(profiles.values())
    missed = {p: setting.violation(profile) for p, profile in profiles.items()}
    each = np.array([missed.get(p, 0) for p in first], dtype=object)
    return np.asarray(each[where.ravel()].reshape(table.sizes))


def _find_best(setting: Setting, profile: Profile) -> Any:
    rivals = setting.alternatives() or ()
    return max(rivals, key=lambda rival: _welfare(setting, profile, rival))


def _widen(array: np.ndarray) -> np.ndarray:
    return array.astype(object)
