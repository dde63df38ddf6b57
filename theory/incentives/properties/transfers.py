"""No positive transfers."""

from __future__ import annotations

from theory.incentives._property import Instance, Property, Shape, Side
from theory.incentives._reading import Number, show
from theory.incentives.properties.shared import by_profile, describe_outcome
from theory.incentives.setting import Setting
from theory.incentives.table import Slacks, Table

__all__ = ["NoPositiveTransfers"]


class NoPositiveTransfers(Property):
    r"""No agent is ever paid: :math:`p_i(r) \ge 0` for every agent i and profile r.

    Source: Nisan, Roughgarden, Tardos and Vazirani, Algorithmic Game Theory (2007), Definition
    9.18.
    """

    name = "no_positive_transfers"
    statement = "pᵢ(r) ≥ 0"
    depends_on_own_payoff = True
    draws = ""
    shape = Shape(agents=1)

    def slack(self, setting: Setting, instance: Instance) -> Number:
        """Return p_i(r)."""
        return setting.record(instance.profile).payments[instance.agents[0]]

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return the outcome."""
        return [(f"reports {show(instance.profile)}", describe_outcome(setting, instance.profile))]

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return who is paid what."""
        paid = -self.slack(setting, instance)
        return (
            f"agent {instance.agents[0]} is paid {show(paid)} at reports {show(instance.profile)}"
        )

    def slacks(self, table: Table) -> Slacks:
        """Return all payments."""
        return by_profile(table, table.payments, by_agent=True)
