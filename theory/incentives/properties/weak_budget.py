"""Weak budget balance."""

from __future__ import annotations

from theory.incentives._property import Instance, Property, Shape, Side
from theory.incentives._reading import Number, show
from theory.incentives.properties.shared import by_profile, describe_outcome
from theory.incentives.setting import Setting
from theory.incentives.table import Slacks, Table

__all__ = ["WeakBudgetBalance"]


class WeakBudgetBalance(Property):
    r"""The mechanism never pays out more than it takes in: :math:`\sum_i p_i(r) \ge 0`.

    Source: Shoham and Leyton-Brown, Multiagent Systems (2009), Definition 10.3.7, ex post.
    """

    name = "weakly_budget_balanced"
    statement = "∑ᵢ pᵢ(r) ≥ 0"
    draws = ""
    shape = Shape()

    def slack(self, setting: Setting, instance: Instance) -> Number:
        """Return the sum of payments."""
        return sum(setting.record(instance.profile).payments)

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return the outcome and the sum of payments."""
        payments = setting.record(instance.profile).payments
        return [
            (
                f"reports {show(instance.profile)}",
                describe_outcome(setting, instance.profile),
            ),
            ("sum of payments", show(sum(payments))),
        ]

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return what the payments come to."""
        paid = sum(setting.record(instance.profile).payments)
        return f"the payments sum to {show(paid)} at reports {show(instance.profile)}"

    def slacks(self, table: Table) -> Slacks:
        """Return the sums of payments at all profiles."""
        return by_profile(table, table.payments.sum(axis=0), by_agent=False)
