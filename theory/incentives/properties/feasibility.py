"""Feasible outcomes."""

from __future__ import annotations

from theory.incentives._instance import Instance, Shape
from theory.incentives._property import Property, Side
from theory.incentives._reading import Number, shown
from theory.incentives._setting import Setting
from theory.incentives.properties._shared import happens

__all__ = ["Feasibility"]


class Feasibility(Property):
    """Every allocation that can come of any reports can be carried out.

    What that means is said by ``feasible=``, by the mechanism, or by the values: one item is given
    at most once, quantities are not below 0, outcomes are listed, laws over candidates are laws.
    The slack is minus the amount by which that is missed; -1 where it has no amount.

    Source: Nisan, Roughgarden, Tardos and Vazirani, Algorithmic Game Theory (2007), Definition
    9.14, whose social choice functions take values in a given set of alternatives.
    """

    name = "feasible"
    statement = "f(r) ∈ A"
    shape = Shape()

    def slack(self, setting: Setting, instance: Instance) -> Number:
        """Return minus the amount by which an allocation is not feasible."""
        return -setting.violation(instance.profile)

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return the outcome."""
        return [(f"reports {shown(instance.profile)}", happens(setting, instance.profile))]

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return where it is not feasible."""
        return f"the allocation at reports {shown(instance.profile)} cannot be carried out"
