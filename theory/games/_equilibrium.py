"""An equilibrium as an answer: the behaviour, what it pays, and regrets that prove it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

from theory.errors import InvalidInputError
from theory.games._best_reply import regrets, subgame_regrets
from theory.games._evaluation import expected_payoffs
from theory.games._game import Game
from theory.games._strategies import Behaviour
from theory.verdicts import Table

__all__ = ["Concept", "Equilibrium", "NoPureEquilibriumError"]


class Concept(StrEnum):
    """Against which deviations an equilibrium holds: from the start, or in every subgame."""

    NASH = "Nash equilibrium"
    SUBGAME_PERFECT = "subgame-perfect equilibrium"


class NoPureEquilibriumError(InvalidInputError):
    """A subgame without an equilibrium in pure strategies, where only those are looked for."""


@dataclass(frozen=True)
class Equilibrium:
    """A behaviour from which nobody gains by deviating alone.

    ``payoffs`` and ``regrets`` are recomputed from the game and the behaviour alone, by code that
    the solvers do not use; ``regrets`` when they are first asked for.
    """

    game: Game
    behaviour: Behaviour
    concept: Concept

    @cached_property
    def payoffs(self) -> tuple[Fraction, ...]:
        """What each player expects."""
        return expected_payoffs(self.game, self.behaviour)

    @cached_property
    def regrets(self) -> tuple[Fraction, ...]:
        """The most that each player gains by deviating, in any subgame if the concept says so."""
        recompute = regrets if self.concept is Concept.NASH else subgame_regrets
        return recompute(self.game, self.behaviour)

    @property
    def holds(self) -> bool:
        """Whether nobody gains, as recomputed."""
        return not any(self.regrets)

    def tables(self) -> tuple[Table, Table]:
        """Return what is played, and what it pays."""
        rows = zip(self.game.players, self.payoffs, self.regrets, strict=True)
        return (
            self.behaviour.describe(self.game),
            Table(
                caption=str(self.concept).capitalize(),
                columns=("player", "payoff", "most gained by deviating"),
                rows=tuple((name, str(u), str(regret)) for name, u, regret in rows),
            ),
        )

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.tables()))

    def _repr_html_(self) -> str:
        return "".join(table._repr_html_() for table in self.tables())
