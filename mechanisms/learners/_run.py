"""What a run leaves behind, and what can be measured in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mechanisms.learners._bounds import BoundQuestion
from mechanisms.learners._series import BoundedSeries, GapSeries, bound_series
from mechanisms.participants import describe_object
from theory.actions import ActionSet, BilinearGame, ListedActions
from theory.errors import InvalidInputError, LimitError, UnknownNameError, nearest
from theory.normal_form import NormalFormGame
from theory.regret import (
    Regret,
    RegretSeries,
    internal_regret_warning,
    regret,
    regret_on,
    regret_series,
    regret_series_on,
)
from theory.shared.shapes import Float64, Int64
from theory.shared.text import count_text
from theory.verdicts import ShownAsTable, Table

__all__ = ["PlayerRun", "Run"]

_EVERY_ROUND = 2_000_000_000
_SOME_ROUNDS = 40


@dataclass(frozen=True, eq=False)
class PlayerRun:
    """What one player did.

    Attributes
    ----------
    name : str
    learner : object
        As it stands after the last round.
    actions : ActionSet or None
        None where strategies were not looked at.
    plays : float64 array of shape (T, N), or tuple of strategies
        One array for listed actions; strategies where there are many or they are not listed.
    observations : float64 array of shape (T, d), or tuple
        The rewards of listed actions, or the vectors z with rewards <phi(a), z>.
    residual : float
        The largest residual of the learner's fixed points.
    oracle_gap : float
        The most by which the learner's oracle is known to have missed a best response.
    """

    name: str
    learner: Any = field(repr=False)
    actions: ActionSet | None
    plays: Any = field(repr=False)
    observations: Any = field(repr=False)
    residual: float = 0.0
    oracle_gap: float = 0.0

    @property
    def listed(self) -> bool:
        """Whether plays are the rows of one array."""
        return isinstance(self.plays, np.ndarray)


@dataclass(frozen=True, eq=False)
class Run(ShownAsTable):
    """Plays and observations of every player; what they amount to is measured when asked for.

    For opponents who react to plays, regret is about the rewards that came: what other plays would
    have led them to give is not asked.

    Attributes
    ----------
    title : str
    players : tuple of PlayerRun
    rounds : int
        How many were played.
    game : NormalFormGame, BilinearGame or None
        None where one learner played against given rewards.
    """

    title: str
    players: tuple[PlayerRun, ...]
    rounds: int
    game: NormalFormGame | BilinearGame | None = None

    def player(self, player: int | str) -> PlayerRun:
        """Return a player by index or name.

        Raises
        ------
        UnknownNameError
            When there is none.
        """
        names = {own.name: own for own in self.players}
        if isinstance(player, str) and player in names:
            return names[player]
        if type(player) is int and 0 <= player < len(self.players):
            return self.players[player]
        raise UnknownNameError("player", player, "is not known", nearest(player, names))

    def regret(self, player: int | str = 0) -> Regret:
        """Return external, internal and swap regret of a player over the whole run, rechecked.

        Raises
        ------
        UnknownNameError
            For a player who is not there.
        InvalidInputError
            Where no round was played, or strategies were not looked at.
        """
        own = self.player(player)
        actions = self._measurable(own)
        if own.listed:
            return regret(own.plays, own.observations)
        return regret_on(actions, own.plays, own.observations)

    def series(
        self,
        player: int | str = 0,
        kind: str = "external",
        rounds: Iterable[int] | None = None,
        *,
        failure: float | None = 0.05,
    ) -> BoundedSeries:
        """Return regret of one kind, what is proven of it, and their ratio, round by round.

        Parameters
        ----------
        player : int or str
        kind : {"external", "internal", "swap"}
        rounds : iterable of int, optional
            After how many rounds, rising. Unless given, every round where that is quick; else some
            forty, at equal ratios.
        failure : float or None
            As for :func:`regret_bound`; each bound may fail with this probability by itself.

        Returns
        -------
        BoundedSeries
            Without a bound (NaN) where nothing is proven, and then it says why.

        Raises
        ------
        UnknownNameError, InvalidInputError
            As for :meth:`regret`, and for an unknown kind, or rounds that were not played.
        """
        chosen = _listed_rounds(rounds)
        own = self.player(player)
        BoundQuestion.of(kind, 1, failure)
        measured = self._measure(own, (kind,), chosen)
        values = getattr(measured, kind)
        return bound_series(own, kind, measured.rounds, values, failure)

    def equilibrium_gaps(self, rounds: Iterable[int] | None = None) -> GapSeries:
        r"""Return how far the average play is from equilibrium, as it goes on.

        The average over rounds of the products of the players' strategies is an epsilon-coarse
        correlated equilibrium for epsilon the largest average external regret of a player, and an
        epsilon-correlated one, for deviations at a single action, with internal regret; both
        floored at 0.

        Raises
        ------
        InvalidInputError
            Where there is no game, or rounds were not played.
        LimitError
            For plays that are laws over more actions than can be gone through.
        """
        if self.game is None:
            fix = "measure regret with run.regret() or run.series()"
            raise InvalidInputError("run", self.title, "is of one player, in no game", fix)
        kinds = ("external", "internal")
        chosen = _listed_rounds(rounds)
        found = [self._measure(own, kinds, chosen) for own in self.players]
        common = found[0].rounds
        for each in found[1:]:
            common = np.intersect1d(common, each.rounds)
        gaps = [_largest(found, kind, common) for kind in kinds]
        most = max(each.size for each in found)
        warning = internal_regret_warning(most, int(common[-1])) if len(common) else ""
        return GapSeries(self.title, common, gaps[0], gaps[1], warning)

    def distribution(self) -> Float64[np.ndarray, "..."]:
        """Return the average over rounds of the product of the plays, an array of the game's shape.

        Raises
        ------
        InvalidInputError
            Where the game is not in normal form, or no round was played.
        """
        if not isinstance(self.game, NormalFormGame):
            fix = "use equilibrium_gaps(), which needs no joint distribution"
            raise InvalidInputError("run", self.title, "is of no game in normal form", fix)
        self._measurable(self.players[0])
        from theory.correlated import empirical_distribution

        return empirical_distribution([np.array(list(own.plays)) for own in self.players])

    def table(self) -> Table:
        """Return who played what, without measuring.

        Residuals are shown where fixed points were played, and gaps of oracles where any was seen.
        """
        columns = {
            "player": [own.name for own in self.players],
            "learner": [describe_object(own.learner) for own in self.players],
            "actions": [
                "not looked at" if own.actions is None else count_text(own.actions.size)
                for own in self.players
            ],
        }
        if any(hasattr(own.learner, "residual") for own in self.players):
            columns["residual"] = [
                f"{own.residual:.3g}" if hasattr(own.learner, "residual") else ""
                for own in self.players
            ]
        if any(own.oracle_gap for own in self.players):
            columns["oracle gap"] = [f"{own.oracle_gap:.3g}" for own in self.players]
        return Table(
            caption=f"{self.title}: {self.rounds:,} round{'' if self.rounds == 1 else 's'}",
            columns=tuple(columns),
            rows=tuple(zip(*columns.values(), strict=True)),
        )

    def _measurable(self, own: PlayerRun) -> ActionSet:
        if own.actions is None:
            fix = "pass actions to play_against"
            raise InvalidInputError("run", self.title, "did not look at strategies", fix)
        if self.rounds == 0:
            raise InvalidInputError("run", self.title, "has no round", "play at least one")
        return own.actions

    def _measure(
        self, own: PlayerRun, kinds: tuple[str, ...], rounds: list[int] | None
    ) -> RegretSeries:
        actions = self._measurable(own)
        at = self._rounds(actions) if rounds is None else rounds
        if own.listed and actions.size <= 8192:
            return regret_series(own.plays, own.observations, at)
        try:
            return regret_series_on(actions, own.plays, own.observations, at, kinds=kinds)
        except LimitError as error:
            fix = 'ask for "external" regret, or use a learner whose plays are sparse'
            raise LimitError("kind", " and ".join(kinds), error.problem, fix) from error

    def _rounds(self, actions: ActionSet) -> list[int]:
        if isinstance(actions, ListedActions) and self.rounds * actions.size**2 <= _EVERY_ROUND:
            return list(range(1, self.rounds + 1))
        spread = np.geomspace(1, self.rounds, _SOME_ROUNDS).round()
        return sorted({int(n) for n in spread})


def _listed_rounds(rounds: Any) -> list[int] | None:
    try:
        return None if rounds is None else list(rounds)
    except TypeError as error:
        fix = "give a list of them, such as [10, 100]"
        raise InvalidInputError("rounds", rounds, "are no numbers of rounds", fix) from error


def _largest(
    found: Iterable[RegretSeries], kind: str, at: Int64[np.ndarray, " k"]
) -> Float64[np.ndarray, " k"]:
    gap = np.zeros(len(at))
    for each in found:
        values = getattr(each, kind)
        gap = np.maximum(gap, values[np.searchsorted(each.rounds, at)] / at)
    return gap
