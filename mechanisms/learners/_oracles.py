"""Oracles: the only way in which a learner sees a set of actions that is too large to list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from mechanisms.learners._history import History, Round
from mechanisms.learners._listed_rule import read_row
from mechanisms.learners._played_rows import PlayedRows
from mechanisms.learners.arguments import LARGEST_COUNT
from mechanisms.learners.history_memory import HistoryMemory, RewardSum
from mechanisms.learners.lazy_maps import RewardTotals, SampledMaps, draw_maps
from theory.actions import Action, ActionSet, ListedActions, SparseStrategy, mean_features
from theory.errors import InvalidInputError, NumberError, nearest
from theory.shared.arguments import read_count
from theory.shared.shapes import Row

__all__ = ["NOISES", "ActionOracle", "Oracle", "as_oracle"]

NOISES = ("gumbel", "normal", "exponential", "uniform")
"""Laws of the noise that makes an oracle smooth."""


@runtime_checkable
class Oracle(Protocol):
    r"""Best responses to a history, pure and smooth, external and internal.

    A map is (i, j), which moves all probability of action i to j, or None, the identity.
    """

    @property
    def size(self) -> int:
        """The number of actions N."""
        ...

    def __contains__(self, action: object) -> bool: ...

    def read_observation(self, observation: Any, reward_range: tuple[float, float]) -> Any:
        """Return an observation as it is to be remembered, or raise where it cannot be used."""
        ...

    def best_response(self, history: History) -> Action:
        r"""Return an action i that maximises \sum_s w_s r_s(i), w_s being the weight of a round."""
        ...

    def smooth_best_response(
        self, history: History, *, rate: float, rng: np.random.Generator, n: int = 1
    ) -> Sequence[Action]:
        r"""Return n leaders under fresh noise: argmax_i rate \sum_s w_s r_s(i) + n(i)."""
        ...

    def best_map(self, history: History) -> tuple[Action, Action] | None:
        r"""Return a map that maximises \sum_s f_s(map(x_s))."""
        ...

    def smooth_best_maps(
        self,
        history: History,
        *,
        rate: float,
        rng: np.random.Generator,
        n: int,
        constants: bool = False,
    ) -> SampledMaps:
        """Return n best maps under noise; with ``constants`` among constant maps, too."""
        ...


class ActionOracle:
    """The oracle of an :class:`~theory.actions.ActionSet`, to be asked about one history.

    It keeps sums over the rounds that it has seen, so that a call costs what one pass over the
    actions costs and not one over the history. The smooth oracles are exact in law for Gumbel
    noise. Other noises serve best responses alone.

    Parameters
    ----------
    actions : ActionSet
    noise : "gumbel", "normal", "exponential" or "uniform"

    Raises
    ------
    InvalidInputError
        For an unknown noise.

    Examples
    --------
    >>> oracle, history = ActionOracle(ListedActions(3)), History()
    >>> history.append(np.array([1.0, 0, 0]), np.array([0.25, 0.5, 1.0]))
    >>> oracle.best_response(history), oracle.best_map(history)
    (2, (0, 2))
    """

    def __init__(self, actions: ActionSet, noise: str = "gumbel") -> None:
        given: Any = actions
        if not isinstance(given, ActionSet) or isinstance(given, type):
            fix = "give an ActionSet, such as ListedActions(3)"
            raise InvalidInputError("actions", actions, "is no set of actions", fix)
        if noise not in NOISES:
            raise InvalidInputError("noise", noise, "is not known", nearest(noise, NOISES))
        self.actions, self.noise = actions, noise
        self._sum, self._earned, self._rows = RewardSum(actions), _Earned(actions), _Rows(actions)

    def __repr__(self) -> str:
        noise = "" if self.noise == "gumbel" else f", noise={self.noise!r}"
        return f"ActionOracle({self.actions!r}{noise})"

    @property
    def size(self) -> int:
        """The number of actions N."""
        return self.actions.size

    def __contains__(self, action: object) -> bool:
        return action in self.actions

    def read_observation(self, observation: Any, reward_range: tuple[float, float]) -> Row:
        """Return the vector of the rewards of a round, checked.

        Features may leave out a constant, such as the offset of a game, which changes no play: of a
        set that is not listed rewards may lie anywhere, if they are no further apart than the range
        is wide.

        Raises
        ------
        InvalidInputError
            For what is no finite vector of the set's dimension, and rewards outside the range.
        """
        z = _vector(observation, self.actions.dimension)
        low, high = self.actions.extremes(z)
        least, most = reward_range
        slack = 1e-9 * (most - least)
        anywhere = not isinstance(self.actions, ListedActions)
        inside = least - slack <= low and high <= most + slack
        if not (inside or (anywhere and high - low <= most - least + slack)):
            problem = f"are from {low:.9g} to {high:.9g}"
            fix = f"scale them to [{least:g}, {most:g}], or set reward_range"
            raise InvalidInputError("rewards", observation, problem, fix)
        self._rows.note(z, high)
        return z

    def best_response(self, history: History) -> Action:
        r"""Return the first action that maximises \sum_s w_s r_s(i)."""
        return self.actions.best(self._sum.of(history))

    def smooth_best_response(
        self, history: History, *, rate: float, rng: np.random.Generator, n: int = 1
    ) -> list[Action]:
        r"""Return n draws of argmax_i rate \sum_s w_s r_s(i) + n(i).

        With Gumbel noise these are draws of the softmax law.
        """
        z = rate * self._sum.of(history)
        if self.noise == "gumbel":
            return self.actions.sample(z, rng, n)
        return [self.actions.choose_perturbed(z, self.noise, 1.0, rng) for _ in range(n)]

    def best_map(self, history: History) -> tuple[Action, Action] | None:
        """Return the move that gains most, or None where none gains; one pass for each row needed.

        Rows whose bound is no better than what was found are left out.
        """
        rows, best, found = self._rows.of(history), 0.0, None
        for row in np.argsort(-rows.slack, kind="stable").tolist():
            if rows.slack[row] <= best:
                break
            target = self.actions.best(rows.vectors[row])
            value = float(self.actions.features([target])[0] @ rows.vectors[row]) - rows.own[row]
            if value > best and target != rows.labels[row]:
                best, found = value, (rows.labels[row], target)
        return found

    def smooth_best_maps(
        self,
        history: History,
        *,
        rate: float,
        rng: np.random.Generator,
        n: int,
        constants: bool = False,
    ) -> SampledMaps:
        """Return n draws of the best map under Gumbel noise, by rejection: no map is listed.

        Raises
        ------
        InvalidInputError
            For another noise, and for plays that list no actions.
        """
        if self.noise != "gumbel":
            fix = 'use noise="gumbel", for which no map needs to be listed'
            raise InvalidInputError("noise", self.noise, "does not serve the internal oracle", fix)
        totals = (
            RewardTotals(self._sum.of(history), self._earned.of(history)) if constants else None
        )
        rows = self._rows.of(history)
        return draw_maps(self.actions, rows, totals, rate=rate, rng=rng, n=n)


def as_oracle(actions: int | ActionSet | Oracle) -> Oracle:
    """Return the oracle of a number of actions, or of a set of them; an oracle as it is.

    Raises
    ------
    InvalidInputError
        For anything else.
    """
    if isinstance(actions, int | np.integer) and not isinstance(actions, bool):
        return ActionOracle(ListedActions(read_count("actions", int(actions), most=LARGEST_COUNT)))
    if isinstance(actions, Oracle) and not isinstance(actions, type):
        return actions
    if isinstance(actions, ActionSet) and not isinstance(actions, type):
        return ActionOracle(actions)
    fix = "give a number of actions, an ActionSet, or an Oracle"
    raise InvalidInputError("actions", actions, "is no set of actions", fix)


class _Earned(HistoryMemory[float]):
    """The weighted sum of what the plays earned."""

    def _empty(self) -> float:
        return 0.0

    def _with(self, value: float, each: Round) -> float:
        return value + each.weight * float(
            mean_features(self._actions, each.play) @ each.observation
        )


class _Rows(HistoryMemory[PlayedRows]):
    """What the maps of the actions played would have gained."""

    _noted: tuple[Row, float] | None = None

    def note(self, z: Row, highest: float) -> None:
        """Remember the largest reward of an observation, which saves a pass."""
        self._noted = z, highest

    def _empty(self) -> PlayedRows:
        return PlayedRows(self._actions)

    def _with(self, value: PlayedRows, each: Round) -> PlayedRows:
        played, weights = _list_support(each.play)
        if self._noted is not None and self._noted[0] is each.observation:
            highest = self._noted[1]
        else:
            highest = self._actions.extremes(each.observation)[1]
        value.add(played, each.weight * weights, each.observation, highest)
        return value


def _list_support(play: Any) -> tuple[Sequence[Action], Row]:
    """Return the actions of a play, and their probabilities."""
    if isinstance(play, SparseStrategy):
        return play.actions, play.weights
    if isinstance(play, np.ndarray):
        support = np.flatnonzero(play)
        return support.tolist(), play[support]
    fix = "play a list of probabilities or a SparseStrategy"
    raise InvalidInputError("play", play, "does not list its actions", fix)


def _vector(observation: Any, dimension: int) -> Row:
    z = read_row("rewards", observation, dimension).copy()
    if not np.isfinite(z).all():
        raise NumberError("rewards", observation, "are not finite", "give finite numbers")
    return z
