"""Incentives and participation in expectation over the others' types."""

from __future__ import annotations

from typing import Any

from theory.incentives._instance import Instance, Shape
from theory.incentives._property import Property, Side
from theory.incentives._reading import Number, shown
from theory.incentives._setting import Setting
from theory.incentives.properties._fibres import changed

__all__ = ["BIC", "InterimIR"]


class _Interim(Property):
    """What the Bayesian notions share: no profile, an expectation over the prior."""

    def unfit(self, setting: Setting) -> str:
        """Return that a prior is missing, or that types are not finite."""
        if setting.prior is None:
            return "there is no prior; pass prior=, such as Prior.uniform(types, agents)"
        return "" if setting.finite else "a prior is over finite types; pass FiniteTypes"

    def expected(self, setting: Setting, agent: int, type: Any, report: Any) -> Number | None:
        """Return E[u_i(t_i, (report, t_-i)) | t_i]; None for a type of probability 0."""
        belief = setting.prior.given(agent, type) if setting.prior else {}
        if not belief:
            return None
        return sum(
            p * setting.utility(agent, type, changed(profile, agent, report))
            for profile, p in belief.items()
        )


class BIC(_Interim):
    r"""Telling the truth is best against others who tell the truth, up to epsilon.

    .. math::

        E[u_i(t_i, (t_i, t_{-i})) \mid t_i] \ge E[u_i(t_i, (l, t_{-i})) \mid t_i] - \varepsilon

    for every agent i, type t_i of positive probability and lie l, under the prior.

    Source: d'Aspremont and Gérard-Varet, Incentives and incomplete information, Journal of Public
    Economics 11 (1979).
    """

    name = "bic"
    statement = "E[uᵢ(tᵢ; tᵢ, t₋ᵢ) | tᵢ] ≥ E[uᵢ(tᵢ; l, t₋ᵢ) | tᵢ] − ε"
    own = True
    tolerant = True
    shape = Shape(agents=1, lies=2, profile=False)

    def slack(self, setting: Setting, instance: Instance) -> Number | None:
        """Return the expected u(truth) - u(lie), plus epsilon."""
        (agent,), (type, lie) = instance.agents, instance.lies
        truth = self.expected(setting, agent, type, type)
        lied = self.expected(setting, agent, type, lie)
        return None if truth is None or lied is None else truth - lied + setting.epsilon

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return both expected utilities."""
        (agent,), (type, lie) = instance.agents, instance.lies
        return [
            (f"truth: reports {shown(type)}", "against others who tell the truth"),
            (f"expected utility of agent {agent}", _text(self, setting, agent, type, type)),
            (f"lie: reports {shown(lie)}", "against others who tell the truth"),
            (f"expected utility of agent {agent}", _text(self, setting, agent, type, lie)),
        ]

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return who expects to gain what by which lie."""
        (agent,), (type, lie) = instance.agents, instance.lies
        gain = setting.epsilon - (self.slack(setting, instance) or 0)
        beyond = f", more than ε = {setting.epsilon}" if setting.epsilon else ""
        return (
            f"agent {agent} of type {shown(type)} gains {shown(gain)} in expectation{beyond} by "
            f"reporting {shown(lie)} when the others tell the truth"
        )


class InterimIR(_Interim):
    r"""No agent who tells the truth expects to be worse off than outside, where utility is 0.

    .. math:: E[u_i(t_i, t) \mid t_i] \ge 0

    for every agent i and type t_i of positive probability, under the prior.

    Source: Myerson and Satterthwaite, Efficient mechanisms for bilateral trading, Journal of
    Economic Theory 29 (1983).
    """

    name = "interim_individually_rational"
    statement = "E[uᵢ(tᵢ; t) | tᵢ] ≥ 0"
    own = True
    shape = Shape(agents=1, lies=1, profile=False)

    def slack(self, setting: Setting, instance: Instance) -> Number | None:
        """Return the expected truthful utility."""
        (agent,), (type,) = instance.agents, instance.lies
        return self.expected(setting, agent, type, type)

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return the expected utility."""
        (agent,), (type,) = instance.agents, instance.lies
        return [
            (f"truth: reports {shown(type)}", "against others who tell the truth"),
            (f"expected utility of agent {agent}", _text(self, setting, agent, type, type)),
        ]

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return who expects to lose by taking part."""
        (agent,), (type,) = instance.agents, instance.lies
        return (
            f"agent {agent} of type {shown(type)} tells the truth and expects to be left with "
            f"{shown(self.slack(setting, instance))} when the others tell the truth, too"
        )


def _text(prop: _Interim, setting: Setting, agent: int, type: Any, report: Any) -> str:
    return shown(prop.expected(setting, agent, type, report))
