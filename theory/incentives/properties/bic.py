"""Bayesian incentive compatibility."""

from __future__ import annotations

from theory.incentives._property import Instance, Shape, Side
from theory.incentives._reading import Number, show
from theory.incentives.properties._interim import Interim
from theory.incentives.setting import Setting

__all__ = ["BIC"]


class BIC(Interim):
    r"""Telling the truth is best against others who tell the truth, up to epsilon.

    .. math::

        E[u_i(t_i, (t_i, t_{-i})) \mid t_i] \ge E[u_i(t_i, (l, t_{-i})) \mid t_i] - \varepsilon

    for every agent i, type t_i of positive probability and lie l, under the prior.

    Source: d'Aspremont and Gérard-Varet, Incentives and incomplete information, Journal of Public
    Economics 11 (1979).
    """

    name = "bic"
    statement = "E[uᵢ(tᵢ; tᵢ, t₋ᵢ) | tᵢ] ≥ E[uᵢ(tᵢ; l, t₋ᵢ) | tᵢ] − ε"
    depends_on_own_payoff = True
    tolerant = True
    shape = Shape(agents=1, lies=2, profile=False)

    def slack(self, setting: Setting, instance: Instance) -> Number | None:
        """Return the expected u(truth) - u(lie), plus epsilon."""
        (agent,), (type, lie) = instance.agents, instance.lies
        truth = self.expected_utility(setting, agent, type, type)
        lied = self.expected_utility(setting, agent, type, lie)
        return None if truth is None or lied is None else truth - lied + setting.epsilon

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return both expected utilities."""
        (agent,), (type, lie) = instance.agents, instance.lies
        return [
            (f"truth: reports {show(type)}", "against others who tell the truth"),
            (
                f"expected utility of agent {agent}",
                self.show_utility(setting, agent, type, type),
            ),
            (f"lie: reports {show(lie)}", "against others who tell the truth"),
            (
                f"expected utility of agent {agent}",
                self.show_utility(setting, agent, type, lie),
            ),
        ]

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return who expects to gain what by which lie."""
        (agent,), (type, lie) = instance.agents, instance.lies
        gain = setting.epsilon - (self.slack(setting, instance) or 0)
        beyond = f", more than ε = {setting.epsilon}" if setting.epsilon else ""
        return (
            f"agent {agent} of type {show(type)} gains {show(gain)} in expectation{beyond} by "
            f"reporting {show(lie)} when the others tell the truth"
        )
