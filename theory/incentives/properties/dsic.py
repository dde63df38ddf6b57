"""Dominant-strategy incentive compatibility."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from theory.incentives._menus import dominance_slacks, menus
from theory.incentives._property import Instance, Property, Shape, Side
from theory.incentives._reading import Number, show
from theory.incentives._recheck import menu_gap
from theory.incentives.properties.shared import add_over_one_denominator, others_say, utility_sides
from theory.incentives.setting import Setting
from theory.incentives.table import Slacks, Table

__all__ = ["DSIC"]

_LONG: Final = 256


class DSIC(Property):
    r"""Telling the truth is a dominant strategy, up to epsilon.

    .. math:: u_i(t_i, (t_i, r_{-i})) \ge u_i(t_i, (l, r_{-i})) - \varepsilon

    for every agent i, type t_i, lie l and reports r_{-i} of the others. A mechanism is
    epsilon-DSIC exactly for the epsilons of at least minus the least slack at epsilon 0.

    Source: Nisan, Roughgarden, Tardos and Vazirani, Algorithmic Game Theory (2007), Definition
    9.15. On finite types by menus (the taxation principle), see ``theory.incentives._menus``.
    """

    name = "dsic"
    statement = "uᵢ(tᵢ; tᵢ, r₋ᵢ) ≥ uᵢ(tᵢ; l, r₋ᵢ) − ε"
    depends_on_own_payoff = True
    tolerant = True
    shape = Shape(agents=1, lies=1)
    proof = "menus of prices prove every inequality"

    def slack(self, setting: Setting, instance: Instance) -> Number:
        """Return u(truth) - u(lie) + epsilon."""
        (agent,), type = instance.agents, instance.profile[instance.agents[0]]
        truth = setting.utility(agent, type, instance.profile)
        lie = setting.utility(agent, type, instance.reports())
        return truth - lie + setting.epsilon

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return both outcomes and utilities."""
        (agent,), type = instance.agents, instance.profile[instance.agents[0]]
        return [
            *utility_sides(setting, agent, type, instance.profile, "truth"),
            *utility_sides(setting, agent, type, instance.reports(), "lie"),
        ]

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return who gains what by which lie."""
        (agent,), (lie,) = instance.agents, instance.lies
        gain = show(setting.epsilon - self.slack(setting, instance))
        beyond = f", more than ε = {setting.epsilon}" if setting.epsilon else ""
        return (
            f"agent {agent} of type {show(instance.profile[agent])} gains {gain}{beyond} by "
            f"reporting {show(lie)}{others_say(instance.profile, instance.agents)}"
        )

    def slacks(self, table: Table) -> Slacks:
        """Return, for every agent and profile, the slack of the lie that is worth most."""
        found = dominance_slacks(table)
        numerators, denominator = add_over_one_denominator(
            found.numerators, table.setting.epsilon, table
        )
        return Slacks(numerators, denominator, found.met, True, found.instances, found.nontrivial)

    def proof_gap(self, table: Table) -> Fraction | None:
        """Return by how much the menus fail to prove it; None where they would be too long."""
        agents = range(len(table.sizes))
        if any(table.values[i].shape[1] > _LONG for i in agents):
            return None
        epsilon = table.setting.epsilon
        gaps = [menu_gap(table, i, menus(table, i), epsilon * table.denominator) for i in agents]
        return max(gaps) / table.denominator
