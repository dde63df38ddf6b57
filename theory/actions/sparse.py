"""Mixed strategies that play few actions of a set of any size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, Final

import numpy as np

from theory.actions._arguments import ENTRIES, as_float64
from theory.actions._listed_actions import ListedActions
from theory.actions._protocol import Action, ActionSet, read_action_set
from theory.actions.listed_softmax import is_index
from theory.errors import InvalidInputError, LimitError, NumberError, ProbabilityError, ShapeError
from theory.shared.arguments import read_count, refusing
from theory.shared.shapes import Float64, Row
from theory.shared.text import count_text, number_text
from theory.verdicts import ShownAsTable, Table

__all__ = ["DENSE_LIMIT", "SparseStrategy", "probability_row", "same_size"]

DENSE_LIMIT: Final = 10**7
"""More actions than this are never written out."""

_SUM_TOLERANCE: Final = 1e-9
_SHOWN: Final = 12


@refusing
@dataclass(frozen=True, eq=False)
class SparseStrategy(ShownAsTable):
    """Probabilities of a few actions; all others have none.

    Parameters
    ----------
    actions : tuple of actions
        Each once; :meth:`of` and :meth:`empirical` add up what comes several times.
    weights : float64 array
        The probability of each: at least 0, with a sum of one within 1e-9.
    size : int
        The number of actions of the set, of any size.

    Raises
    ------
    InvalidInputError
        When an action comes twice, is not hashable, or is an integer outside 0..size-1, or when
        there are more actions than ``size``.
    ProbabilityError
        When the weights are negative or not finite, or do not sum to one.
    ShapeError
        When there is not one weight for each action, or no action.

    Examples
    --------
    >>> strategy = SparseStrategy.of({3: 0.25, 8: 0.75}, size=10**18)
    >>> strategy.probability(8), strategy.probability(9)
    (0.75, 0.0)
    >>> print(strategy)
    2 of about 1.00e18 actions
    action  probability
    ──────  ───────────
    8       0.75
    3       0.25
    """

    actions: tuple[Action, ...]
    weights: Row
    size: int

    def __post_init__(self) -> None:
        size = read_count("size", self.size, 1)
        actions = _read_actions(self.actions, size)
        weights = probability_row("weights", self.weights, len(actions)).copy()
        weights.flags.writeable = False
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "actions", actions)
        object.__setattr__(self, "weights", weights)

    @classmethod
    def of(
        cls, weights: Mapping[Any, float] | Iterable[tuple[Any, float]], size: int
    ) -> SparseStrategy:
        """Return the strategy with these probabilities; those of one action are added up."""
        sums: dict[Any, float] = {}
        for action, weight in _read_pairs(weights):
            number = weight if type(weight) is float else _read_weight(weight)
            sums[action] = sums.get(action, 0.0) + number
        return cls(tuple(sums), np.array(list(sums.values()), np.float64), size)

    @classmethod
    def pure(cls, action: Action, size: int) -> SparseStrategy:
        """Return the strategy that always plays ``action``."""
        return cls((action,), np.ones(1), size)

    @classmethod
    def empirical(cls, draws: Iterable[Any], size: int) -> SparseStrategy:
        """Return the relative frequencies of ``draws``."""
        counts: dict[Any, int] = {}
        try:
            for action in draws:
                counts[action] = counts.get(action, 0) + 1
        except TypeError as error:
            problem = "is no list of hashable actions"
            raise InvalidInputError("draws", draws, problem, "give a list of actions") from error
        if not counts:
            raise ShapeError("draws", draws, "is empty", "give at least one action")
        weights = np.array(list(counts.values()), np.float64)
        return cls(tuple(counts), weights / weights.sum(), size)

    @cached_property
    def _places(self) -> dict[Action, int]:
        return {action: place for place, action in enumerate(self.actions)}

    def probability(self, action: Action) -> float:
        """Return the probability of ``action``, 0 where it is not among those played."""
        place = self._places.get(_read_action(action))
        return 0.0 if place is None else float(self.weights[place])

    def features(self, actions: ActionSet) -> Float64[np.ndarray, " dimension"]:
        """Return the mean feature sum_a x(a) phi(a) in the set ``actions``.

        Raises
        ------
        ShapeError
            When the set has another size.
        InvalidInputError
            When an action is not in the set.
        """
        same_size(self.size, read_action_set("actions", actions))
        if isinstance(actions, ListedActions):
            return self.dense()
        step = max(1, ENTRIES // actions.dimension)
        mean = np.zeros(actions.dimension)
        for start in range(0, len(self.actions), step):
            part = self.weights[start : start + step]
            mean += part @ actions.features(self.actions[start : start + step])
        return mean

    def dense(self) -> Float64[np.ndarray, " actions"]:
        """Return the probabilities of all actions 0..size-1.

        Raises
        ------
        LimitError
            When there are more than 10^7 actions.
        InvalidInputError
            When the actions are no integers.
        """
        if self.size > DENSE_LIMIT:
            problem = f"is over {count_text(self.size)} actions, and the limit is {DENSE_LIMIT:,}"
            raise LimitError("strategy", repr(self), problem, "use its actions and weights")
        if not all(is_index(action, self.size) for action in self.actions):
            problem = "plays actions that are no integers"
            raise InvalidInputError("strategy", repr(self), problem, "use its actions and weights")
        row = np.zeros(self.size)
        row[np.array(self.actions, np.int64)] = self.weights
        return row

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("a sparse strategy becomes an array only by copying")
        return self.dense() if dtype is None else self.dense().astype(dtype)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SparseStrategy):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[object, ...]:
        return self.size, self.actions, self.weights.tobytes()

    def __repr__(self) -> str:
        return f"SparseStrategy({len(self.actions):,} of {count_text(self.size)} actions)"

    def table(self) -> Table:
        """Return the likeliest actions with their probabilities."""
        order = np.argsort(-self.weights, kind="stable")[:_SHOWN].tolist()
        rows = [(number_text(self.actions[j]), f"{self.weights[j]:.6g}") for j in order]
        left = len(self.actions) - len(order)
        if left:
            rest = 1 - float(self.weights[order].sum())
            rows.append((f"{left:,} more", f"{max(0.0, rest):.6g}"))
        return Table(
            caption=f"{len(self.actions):,} of {count_text(self.size)} actions",
            columns=("action", "probability"),
            rows=tuple(rows),
        )


def probability_row(argument: str, weights: Any, count: int) -> Row:
    """Read ``count`` probabilities as float64.

    Raises
    ------
    ShapeError
        When there are none, or another number of them.
    ProbabilityError
        When one is negative or not finite, or the sum is further than 1e-9 from one.
    """
    row = as_float64(argument, weights, 1)
    if len(row) != count or count == 0:
        problem = f"has {len(row)} entries for {count} actions"
        raise ShapeError(argument, weights, problem, "give one probability for each action")
    if not row.min() >= 0:
        problem = "has entries that are negative or not numbers"
        raise ProbabilityError(argument, weights, problem, "give numbers of at least 0")
    with np.errstate(over="ignore"):
        total = float(row.sum())
    if not abs(total - 1) <= _SUM_TOLERANCE:
        problem = f"sums to {total!r}"
        raise ProbabilityError(argument, weights, problem, "divide it by its sum")
    return row


def same_size(size: int, actions: ActionSet) -> None:
    """Refuse a strategy over another number of actions."""
    if size != actions.size:
        problem = f"is over {count_text(size)} actions, the set has {count_text(actions.size)}"
        raise ShapeError("strategy", size, problem, "give a strategy over the same set")


def _read_actions(given: Any, size: int) -> tuple[Action, ...]:
    try:
        actions: tuple[Any, ...] = tuple(given)
    except TypeError as error:
        raise InvalidInputError(
            "actions", given, "is no sequence of actions", "give a tuple"
        ) from error
    integers = all(type(action) is int for action in actions)
    if not integers:
        actions = tuple(_read_action(action) for action in actions)
    if len(set(actions)) != len(actions):
        twice = next(action for action, count in Counter(actions).items() if count > 1)
        raise InvalidInputError("actions", twice, "comes twice", "call SparseStrategy.of to add up")
    numbers = actions if integers else [a for a in actions if isinstance(a, int)]
    for action in (min(numbers), max(numbers)) if numbers else ():
        if not 0 <= action < size:
            fix = f"give integers in 0..{count_text(size - 1)}"
            raise InvalidInputError("actions", action, "is no action of the set", fix)
    if len(actions) > size:
        problem = f"has {len(actions)} actions where the set has {size}"
        raise InvalidInputError("actions", actions, problem, "give actions of the set")
    return actions


def _read_pairs(weights: Any) -> list[tuple[Any, Any]]:
    if isinstance(weights, Mapping):
        return list(weights.items())
    try:
        pairs = [(action, weight) for action, weight in weights]
        for action, _ in pairs:
            hash(action)
    except (TypeError, ValueError) as error:
        problem = "are no probabilities of hashable actions"
        fix = "give {action: probability} or pairs (action, probability)"
        raise InvalidInputError("weights", weights, problem, fix) from error
    return pairs


def _read_weight(weight: Any) -> float:
    fix = "give a float"
    if isinstance(weight, bool | np.bool_) or not isinstance(weight, Real):
        raise NumberError("weights", weight, "holds what is no real number", fix)
    try:
        return float(weight)
    except OverflowError as error:
        raise NumberError("weights", weight, "is beyond float64", fix) from error


def _read_action(action: Any) -> Action:
    if isinstance(action, bool | np.bool_):
        raise InvalidInputError("actions", action, "is a boolean", "give an int or a tuple")
    if isinstance(action, np.integer):
        return int(action)
    try:
        hash(action)
    except TypeError as error:
        raise InvalidInputError("actions", action, "is not hashable", "give a tuple") from error
    return action  # type: ignore[no-any-return]
