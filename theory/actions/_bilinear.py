"""Games of two players whose payoffs are bilinear in the features of their actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from theory.actions._arguments import as_float64
from theory.actions._features import Features
from theory.actions._listed_actions import ListedActions
from theory.actions._protocol import Action, ActionSet, read_action_set
from theory.errors import InvalidInputError, NumberError, ShapeError
from theory.shared.arguments import refusing
from theory.shared.shapes import Float64, Point
from theory.shared.text import count_text

__all__ = ["BilinearGame"]


@refusing
@dataclass(frozen=True, eq=False)
class BilinearGame:
    """A game where player k earns phi_0(a)' M_k phi_1(b) + c_k when the players play a and b.

    Parameters
    ----------
    sets : pair of ActionSet
        The actions of players 0 and 1, with features in R^d0 and R^d1.
    forms : pair of float64 arrays of shape (d0, d1)
        M_0 and M_1; they are copied.
    offsets : pair of float
        c_0 and c_1.

    Raises
    ------
    InvalidInputError
        When one of the sets is no action set.
    ShapeError
        When a form does not fit the numbers of features.
    NumberError
        When a form or an offset is not finite.

    Notes
    -----
    Against the mean feature f of the opponent the rewards of a player are <phi(a), z> + c with
    z = M_0 f for player 0 and z = M_1' f for player 1: a round costs O(d0 d1), whatever the number
    of actions. Players are numbered 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> game = BilinearGame.zero_sum(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> game.payoff(0, 0, 1), game.payoff(1, 0, 1)
    (1.0, -1.0)
    >>> game.observation(0, np.array([0.25, 0.75]))
    array([0.75, 0.25])
    """

    sets: tuple[ActionSet, ActionSet]
    forms: tuple[Point, Point]
    offsets: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        first, second = _pair("sets", self.sets)
        sets = (read_action_set("sets", first), read_action_set("sets", second))
        shape = (sets[0].dimension, sets[1].dimension)
        forms = tuple(_form(form, shape) for form in _pair("forms", self.forms))
        offsets = tuple(_offset(offset) for offset in _pair("offsets", self.offsets))
        object.__setattr__(self, "sets", sets)
        object.__setattr__(self, "forms", forms)
        object.__setattr__(self, "offsets", offsets)

    @classmethod
    def bimatrix(
        cls, A: Float64[np.ndarray, "rows columns"], B: Float64[np.ndarray, "rows columns"]
    ) -> BilinearGame:
        """Return the game with payoffs A[a, b] and B[a, b] of listed actions."""
        first = as_float64("A", A, 2)
        second = as_float64("B", B, 2)
        if first.shape != second.shape:
            problem = f"has shape {second.shape} where A has {first.shape}"
            raise ShapeError("B", B, problem, "give both players' payoffs for the same actions")
        if first.size == 0:
            raise ShapeError("A", A, "is empty", "give each player at least one action")
        sets = (ListedActions(first.shape[0]), ListedActions(first.shape[1]))
        return cls(sets, (first, second))

    @classmethod
    def zero_sum(cls, A: Float64[np.ndarray, "rows columns"]) -> BilinearGame:
        """Return the game with payoffs A[a, b] and -A[a, b] of listed actions."""
        first = as_float64("A", A, 2)
        return cls.bimatrix(first, -first)

    @classmethod
    def low_rank(
        cls,
        U: Float64[np.ndarray, "rows left"],
        V: Float64[np.ndarray, "columns right"],
        forms: tuple[Point, Point] | None = None,
        *,
        offsets: tuple[float, float] = (0.0, 0.0),
    ) -> BilinearGame:
        """Return the game with payoff matrices U M_k V' + c_k, given by their factors.

        Parameters
        ----------
        U, V : float64 arrays of shapes (N0, d0) and (N1, d1)
            The features of the players' actions, one a row.
        forms : pair of float64 arrays of shape (d0, d1), optional
            M_0 and M_1; without them the game is the zero-sum one of U V'.
        offsets : pair of float
            c_0 and c_1.
        """
        sets = (Features(U), Features(V))
        if forms is None:
            if sets[0].dimension != sets[1].dimension:
                problem = f"has {sets[1].dimension} columns where U has {sets[0].dimension}"
                raise ShapeError("V", V, problem, "give as many, or give forms")
            unit = np.eye(sets[0].dimension)
            forms = (unit, -unit)
        return cls(sets, forms, offsets)

    def payoff(self, player: int, a: Action, b: Action) -> float:
        """Return what ``player`` earns when player 0 plays a and player 1 plays b."""
        form = self.forms[_player(player)]
        left = self.sets[0].features([a])[0]
        right = self.sets[1].features([b])[0]
        return float(left @ form @ right) + self.offsets[player]

    def observation(
        self, player: int, opponent_features: Float64[np.ndarray, " theirs"]
    ) -> Float64[np.ndarray, " mine"]:
        """Return z such that action a of ``player`` earns <phi(a), z> plus the player's offset.

        Parameters
        ----------
        player : int
            0 or 1.
        opponent_features : float64 array
            The mean feature of what the other player plays.
        """
        form = self.forms[_player(player)]
        form = form if player == 0 else form.T
        row = _features_row("opponent_features", opponent_features, form.shape[1])
        return np.asarray(form @ row)

    def rewards_range(self, player: int, z: Float64[np.ndarray, " mine"]) -> tuple[float, float]:
        """Return the least and the largest reward of ``player``'s actions, offset included."""
        low, high = self.sets[_player(player)].extremes(z)
        return low + self.offsets[player], high + self.offsets[player]

    def value(
        self,
        player: int,
        features1: Float64[np.ndarray, " left"],
        features2: Float64[np.ndarray, " right"],
    ) -> float:
        """Return what ``player`` earns in expectation under independent mixed plays.

        Parameters
        ----------
        player : int
            0 or 1.
        features1, features2 : float64 arrays
            The mean features of what players 0 and 1 play.
        """
        form = self.forms[_player(player)]
        left = _features_row("features1", features1, form.shape[0])
        right = _features_row("features2", features2, form.shape[1])
        return float(left @ form @ right) + self.offsets[player]

    def scaled_to_unit(self) -> BilinearGame:
        """Return the game of listed actions with each player's payoffs mapped onto [0, 1].

        A player whose payoffs are all equal gets 0 everywhere.

        Raises
        ------
        InvalidInputError
            When the actions of a player are not listed: then the range of payoffs is not known.
        """
        if not all(isinstance(actions, ListedActions) for actions in self.sets):
            fix = "pass reward_range to the learners, or scale forms and offsets"
            raise InvalidInputError("sets", self, "has actions that are not listed", fix)
        first, second = (_unit(form) for form in self.forms)
        return BilinearGame(self.sets, (first, second))

    def __repr__(self) -> str:
        return f"BilinearGame({self.sets[0]!r} against {self.sets[1]!r})"

    def __str__(self) -> str:
        lines = [
            f"player {k}: {count_text(actions.size)} actions, {actions.dimension} features"
            for k, actions in enumerate(self.sets)
        ]
        return "\n".join(["payoffs bilinear in features", *lines])


def _unit(form: Point) -> Point:
    low, high = float(form.min()), float(form.max())
    if not isfinite(high - low):
        raise NumberError("forms", form, "has a range that float64 does not hold", "scale it down")
    return np.zeros_like(form) if high == low else (form - low) / (high - low)


def _player(player: Any) -> int:
    if isinstance(player, bool | np.bool_) or player not in (0, 1):
        raise InvalidInputError("player", player, "is no player", "give 0 or 1")
    return int(player)


def _pair(argument: str, given: Any) -> tuple[Any, Any]:
    if not isinstance(given, Sequence) or len(given) != 2:
        raise ShapeError(argument, given, "is no pair", "give one for each of the two players")
    return given[0], given[1]


def _form(form: Any, shape: tuple[int, int]) -> Point:
    found = as_float64("forms", form, 2)
    if found.shape != shape:
        problem = f"has a form of shape {found.shape} where the features ask for {shape}"
        raise ShapeError("forms", form, problem, "give one row and one column a feature")
    if not np.isfinite(found).all():
        raise NumberError("forms", form, "has entries that are not finite", "give finite numbers")
    found = found.copy()
    found.flags.writeable = False
    return found


def _offset(offset: Any) -> float:
    number = float(as_float64("offsets", offset, 0))
    if not isfinite(number):
        raise NumberError("offsets", offset, "is not finite", "give finite numbers")
    return number


def _features_row(argument: str, given: Any, dimension: int) -> np.ndarray:
    row = as_float64(argument, given, 1)
    if len(row) != dimension:
        problem = f"has {len(row)} entries where the actions have {dimension} features"
        raise ShapeError(argument, given, problem, "give the mean feature of a strategy")
    if not np.isfinite(row).all():
        raise NumberError(argument, given, "has entries that are not finite", "give finite ones")
    return row
