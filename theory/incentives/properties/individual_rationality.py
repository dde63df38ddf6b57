"""Ex-post individual rationality."""

from __future__ import annotations

import numpy as np

from theory.incentives._property import Instance, Property, Shape, Side
from theory.incentives._reading import Number, show
from theory.incentives.properties.shared import by_profile, others_say, utility_sides
from theory.incentives.setting import Setting
from theory.incentives.table import Slacks, Table

__all__ = ["IndividualRationality"]


class IndividualRationality(Property):
    r"""No agent who tells the truth is worse off than outside, where utility is 0.

    .. math:: u_i(t_i, t) \ge 0

    for every agent i and type profile t; expected over the mechanism's own lottery, not over types.

    Source: Nisan, Roughgarden, Tardos and Vazirani, Algorithmic Game Theory (2007), Definition
    9.18.
    """

    name = "individually_rational"
    statement = "uᵢ(tᵢ; t) ≥ 0"
    depends_on_own_payoff = True
    draws = ""
    shape = Shape(agents=1)

    def slack(self, setting: Setting, instance: Instance) -> Number:
        """Return u_i(t_i, t)."""
        (agent,) = instance.agents
        return setting.utility(agent, instance.profile[agent], instance.profile)

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return the outcome and the utility."""
        (agent,) = instance.agents
        type = instance.profile[agent]
        return utility_sides(setting, agent, type, instance.profile, "truth")

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return who loses by taking part."""
        (agent,) = instance.agents
        left = show(self.slack(setting, instance))
        return (
            f"agent {agent} of type {show(instance.profile[agent])} tells the truth and is left "
            f"with {left}{others_say(instance.profile, instance.agents)}"
        )

    def slacks(self, table: Table) -> Slacks:
        """Return all truthful utilities."""
        agents = range(len(table.sizes))
        return by_profile(table, np.stack([table.utilities(i) for i in agents]), by_agent=True)
