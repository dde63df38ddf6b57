"""Interim individual rationality."""

from __future__ import annotations

from theory.incentives._property import Instance, Shape, Side
from theory.incentives._reading import Number, show
from theory.incentives.properties._interim import Interim
from theory.incentives.setting import Setting

__all__ = ["InterimIR"]


class InterimIR(Interim):
    r"""No agent who tells the truth expects to be worse off than outside, where utility is 0.

    .. math:: E[u_i(t_i, t) \mid t_i] \ge 0

    for every agent i and type t_i of positive probability, under the prior.

    Source: Myerson and Satterthwaite, Efficient mechanisms for bilateral trading, Journal of
    Economic Theory 29 (1983).
    """

    name = "interim_individually_rational"
    statement = "E[uᵢ(tᵢ; t) | tᵢ] ≥ 0"
    depends_on_own_payoff = True
    shape = Shape(agents=1, lies=1, profile=False)

    def slack(self, setting: Setting, instance: Instance) -> Number | None:
        """Return the expected truthful utility."""
        (agent,), (type,) = instance.agents, instance.lies
        return self.expected_utility(setting, agent, type, type)

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return the expected utility."""
        (agent,), (type,) = instance.agents, instance.lies
        return [
            (f"truth: reports {show(type)}", "against others who tell the truth"),
            (
                f"expected utility of agent {agent}",
                self.show_utility(setting, agent, type, type),
            ),
        ]

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return who expects to lose by taking part."""
        (agent,), (type,) = instance.agents, instance.lies
        return (
            f"agent {agent} of type {show(type)} tells the truth and expects to be left with "
            f"{show(self.slack(setting, instance))} when the others tell the truth, too"
        )
