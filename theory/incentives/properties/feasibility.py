"""Feasible outcomes."""

from __future__ import annotations

from theory.incentives._property import Instance, Property, Shape, Side
from theory.incentives._reading import Number, show
from theory.incentives._values import SingleParameter, ValueFunction
from theory.incentives.properties.shared import describe_outcome
from theory.incentives.setting import Setting

__all__ = ["Feasibility"]


class Feasibility(Property):
    """Every allocation that can come of any reports can be carried out.

    What that means is said by ``feasible=``, by the mechanism, or by the values: one item is given
    at most once, quantities are not below 0, outcomes are listed, laws over candidates are laws.
    Values by a function do not say it, nor does a vector of quantities, at any reports, of which it
    is not said whether they are shares of one item: then negative quantities refute it, and nothing
    else is said. The slack is minus the amount by which that is missed; -1 where it has no amount.

    Source: Nisan, Roughgarden, Tardos and Vazirani, Algorithmic Game Theory (2007), Definition
    9.14, whose social choice functions take values in a given set of alternatives.
    """

    name = "feasible"
    statement = "f(r) ∈ A"
    draws = "for every way to draw"
    shape = Shape()

    def basis(self, setting: Setting) -> str:
        """Return who says what can be carried out."""
        if setting.passed_feasible is not None:
            return "judged by feasible="
        if callable(getattr(setting.mechanism, "feasible", None)):
            return "judged by the mechanism's own feasible"
        if any(isinstance(valuation, SingleParameter) for valuation in setting.valuations):
            return "quantities are at least 0, and nothing limits their sum"
        return f"judged by the values ({', '.join(map(repr, setting.valuations))})"

    def why_vacuous(self, setting: Setting) -> str:
        """Return that nothing says what can be carried out."""
        own = getattr(setting.mechanism, "feasible", None)
        if setting.passed_feasible is not None or callable(own):
            return ""
        kinds = {*map(type, setting.valuations)}
        if ValueFunction in kinds:
            return "values by a function do not say what can be carried out; pass feasible="
        if setting.passed_values is None and SingleParameter in kinds:
            several = "values=SingleParameter() for quantities without a limit on their sum"
            problem = "every quantity is at least 0, and nothing says how much there is"
            return f"{problem}; pass values=SingleItem() for one item, {several}, or feasible="
        return ""

    def slack(self, setting: Setting, instance: Instance) -> Number:
        """Return minus the amount by which an allocation is not feasible."""
        return -setting.violation(instance.profile)

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return the outcome."""
        return [(f"reports {show(instance.profile)}", describe_outcome(setting, instance.profile))]

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return where it is not feasible."""
        return f"the allocation at reports {show(instance.profile)} cannot be carried out"
