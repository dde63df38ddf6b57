"""What the Bayesian notions share: no profile, an expectation over the prior."""

from __future__ import annotations

from typing import Any

from theory.incentives._property import Property
from theory.incentives._reading import Number, show
from theory.incentives.properties._fibres import replace_report
from theory.incentives.setting import Setting

__all__ = ["Interim"]


class Interim(Property):
    """A property in expectation over the others' types."""

    def why_inapplicable(self, setting: Setting) -> str:
        """Return that a prior is missing, or that types are not finite."""
        if setting.prior is None:
            return "there is no prior; pass prior=, such as Prior.uniform(types, agents)"
        return "" if setting.finite else "a prior is over finite types; pass FiniteTypes"

    def expected_utility(
        self, setting: Setting, agent: int, type: Any, report: Any
    ) -> Number | None:
        """Return E[u_i(t_i, (report, t_-i)) | t_i]; None for a type of probability 0."""
        belief = setting.prior.belief_of(agent, type) if setting.prior else {}
        if not belief:
            return None
        return sum(
            p * setting.utility(agent, type, replace_report(profile, agent, report))
            for profile, p in belief.items()
        )

    def show_utility(self, setting: Setting, agent: int, type: Any, report: Any) -> str:
        """Return the expected utility as text."""
        return show(self.expected_utility(setting, agent, type, report))
