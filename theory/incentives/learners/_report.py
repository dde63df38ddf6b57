"""The report on a learning rule."""

from __future__ import annotations

from dataclasses import dataclass

from theory.incentives._checklist import Checklist
from theory.incentives.learners._bounds import RegretMeasurement
from theory.incentives.learners._witness import LearnerWitness
from theory.verdicts import Table

__all__ = ["LearnerReport"]


@dataclass(frozen=True)
class LearnerReport(Checklist[LearnerWitness]):
    """What :func:`check_learner` found, property by property.

    Attributes
    ----------
    measured : tuple of Measured
        For each kind of regret and each adversary the game with the largest share of the bound,
        or of the rounds where no bound is stated.
    """

    measured: tuple[RegretMeasurement, ...]

    def regrets(self) -> Table:
        """Return what was measured."""
        return Table(
            caption="Regret where its share of the bound is largest; without one, of the rounds",
            columns=("regret", "adversary", "actions", "rounds", "measured", "bound", "ratio"),
            rows=tuple(
                (
                    each.kind,
                    each.played.game.adversary,
                    str(each.played.game.actions),
                    str(each.played.game.rounds),
                    f"{each.regret:.4g}",
                    "" if each.bound is None else f"{each.bound:.4g}",
                    f"{each.ratio:.3f}",
                )
                for each in self.measured
            ),
        )

    def __str__(self) -> str:
        return f"{super().__str__()}\n\n{self.regrets()}" if self.measured else super().__str__()

    def _repr_html_(self) -> str:
        regrets = self.regrets()._repr_html_() if self.measured else ""
        return super()._repr_html_() + regrets
