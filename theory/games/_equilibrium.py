"""An equilibrium as an answer: who does what, what it pays, and regrets that prove it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

from theory.errors import InvalidInputError
from theory.games._best_reply import BRANCH_LIMIT, regrets, subgame_regrets
from theory.games._evaluation import expected_payoffs
from theory.games._game import Game
from theory.games._strategies import Behaviour, Strategies
from theory.verdicts import Table

__all__ = ["Concept", "Equilibrium", "Method", "NoPureEquilibriumError"]


class Concept(StrEnum):
    """Against which deviations an equilibrium holds: from the start, or in every subgame."""

    NASH = "Nash equilibrium"
    SUBGAME_PERFECT = "subgame-perfect equilibrium"


class Method(StrEnum):
    """How an equilibrium is looked for."""

    SEQUENCES = "Lemke's method on sequences"
    PROFILES = "pure profiles"
    LOGIT = "logit path"
    PLANS = "Lemke's method on plans"


class NoPureEquilibriumError(InvalidInputError):
    """A subgame without an equilibrium in pure strategies, where only those are looked for."""


@dataclass(frozen=True)
class Equilibrium:
    """Strategies from which nobody gains by deviating alone, or nobody gains more than a gap.

    What is computed is computed when it is first asked for, from the game and the strategies alone,
    by code that the solvers do not use.

    Attributes
    ----------
    game : Game
    strategies : Behaviour, or tuple of Mixed
        Mixed strategies only where a player has forgotten something.
    concept : Concept
        Which deviations ``regrets`` and ``gap`` are about.
    methods : tuple of Method
        How it was searched for; subgames may need several. No part of comparisons.
    reply_limit : int
        The most joint moves of a forgetful player that are tried for its regret.
    """

    game: Game
    strategies: Strategies
    concept: Concept = Concept.NASH
    methods: tuple[Method, ...] = field(default=(), compare=False)
    reply_limit: int = field(default=BRANCH_LIMIT, repr=False, compare=False)

    @property
    def behaviour(self) -> Behaviour:
        """The strategies, where no plans are drawn before the play.

        Raises
        ------
        InvalidInputError
            Where they are mixed.
        """
        if not isinstance(self.strategies, Behaviour):
            fix = "use strategies"
            raise InvalidInputError("strategies", self.strategies, "draw plans", fix)
        return self.strategies

    @cached_property
    def payoffs(self) -> tuple[Fraction, ...]:
        """What each player expects."""
        return expected_payoffs(self.game, self.strategies)

    @cached_property
    def regrets(self) -> tuple[Fraction, ...]:
        """The most that each player gains by deviating, in any subgame if the concept says so."""
        if self.concept is Concept.SUBGAME_PERFECT:
            return subgame_regrets(self.game, self.behaviour, self.reply_limit)
        return regrets(self.game, self.strategies, self.reply_limit)

    @property
    def gap(self) -> Fraction:
        """The largest regret: 0 at an equilibrium, and else an ε-equilibrium with this ε."""
        return max(self.regrets)

    @property
    def holds(self) -> bool:
        """Whether nobody gains, as recomputed."""
        return self.gap == 0

    @cached_property
    def subgame_regrets(self) -> tuple[Fraction, ...] | None:
        """The most that each player gains in any subgame; None for mixed strategies."""
        if isinstance(self.strategies, Behaviour):
            return subgame_regrets(self.game, self.strategies, self.reply_limit)
        return None

    @property
    def subgame_perfect(self) -> bool | None:
        """Whether nobody gains in any subgame; None where that is not judged.

        No other refinement is judged: at a set that is not reached, and starts no subgame, moves
        may not be best.
        """
        return None if self.subgame_regrets is None else not any(self.subgame_regrets)

    def tables(self) -> tuple[Table, ...]:
        """Return what is played, and what it pays."""
        if isinstance(self.strategies, Behaviour):
            played = [self.strategies.describe(self.game)]
        else:
            played = [mixed.describe(self.game) for mixed in self.strategies]
        rows = zip(self.game.players, self.payoffs, self.regrets, strict=True)
        return (
            *played,
            Table(
                caption=self._caption,
                columns=("player", "payoff", "most gained by deviating"),
                rows=tuple((name, str(u), str(regret)) for name, u, regret in rows),
            ),
        )

    @property
    def _caption(self) -> str:
        if not self.holds:
            return f"Approximate {self.concept}: the gap is about {float(self.gap):.2g}"
        return "Subgame-perfect equilibrium" if self.subgame_perfect else "Nash equilibrium"

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.tables()))

    def _repr_html_(self) -> str:
        return "".join(table._repr_html_() for table in self.tables())
