"""Oracles made of functions: a rule, a search, later a language model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import isfinite
from typing import Any

import numpy as np

from mechanisms.errors import OracleError
from mechanisms.learners._history import History
from mechanisms.learners.lazy_maps import SampledMaps
from mechanisms.participants import blame, describe_object
from theory.actions import Action
from theory.errors import InvalidInputError

__all__ = ["CallableOracle"]

Move = tuple[Action, Action]


class CallableOracle:
    r"""An oracle whose answers come from functions, each checked as far as can be.

    Parameters
    ----------
    best_response : callable
        ``best_response(history) -> action``. A history is a sequence of rounds, each with its
        ``play``, its ``observation`` (whatever the learner was told) and its ``weight``.
    size : int
        The number of actions N.
    contains : callable, optional
        Says whether something is an action; unless given, actions are 0, …, N - 1.
    smooth : callable, optional
        ``smooth(history, rate, rng) -> action``: a best response under noise. FTPL needs it.
    smooth_map : callable, optional
        ``smooth_map(history, rate, rng)``: a best map under noise, which InternalFTPL needs. It is
        (i, j) or None, the identity; with constant maps also (None, j), which moves all to j.
    payoff : callable, optional
        ``payoff(action, observation) -> float``: what an action earns. With it answers can be
        compared, and the pure internal oracle is the external one, asked for each action that was
        played about the rounds weighted with its probability.
    rivals : iterable of actions
        With ``payoff``, each best response is compared with these; ``gap`` is the most by which one
        of them was better. An oracle with a gap above 0 is none.
    name : str
        How errors call it.

    Examples
    --------
    >>> def last(history):
    ...     return 0
    >>> oracle = CallableOracle(
    ...     last, size=2, payoff=lambda action, rewards: rewards[action], rivals=[0, 1]
    ... )
    >>> history = History()
    >>> history.append(np.array([1.0, 0.0]), [0.25, 1.0])
    >>> oracle.best_response(history), oracle.gap
    (0, 0.75)
    """

    def __init__(
        self,
        best_response: Callable[[History], Any],
        *,
        size: int,
        contains: Callable[[Any], bool] | None = None,
        smooth: Callable[[History, float, np.random.Generator], Any] | None = None,
        smooth_map: Callable[[History, float, np.random.Generator], Any] | None = None,
        payoff: Callable[[Any, Any], float] | None = None,
        rivals: Iterable[Action] = (),
        name: str = "the oracle",
    ) -> None:
        if type(size) is not int or size < 1:
            raise InvalidInputError("size", size, "is no number of actions", "give at least 1")
        self.size, self.name, self.gap = size, name, 0.0
        self._best_response, self._smooth, self._smooth_map = best_response, smooth, smooth_map
        self._contains, self._payoff = contains, payoff
        if not isinstance(rivals, Iterable):
            raise InvalidInputError("rivals", rivals, "are no actions", "give a list of them")
        self._rivals = tuple(rivals)
        if self._rivals and payoff is None:
            fix = "give payoff, too"
            raise InvalidInputError("rivals", self._rivals, "cannot be compared", fix)
        for rival in self._rivals:
            self._action(rival, "is among its rivals")

    def __repr__(self) -> str:
        return f"CallableOracle({self.name}, {self.size:,} actions)"

    def __contains__(self, action: object) -> bool:
        if self._contains is not None:
            return bool(self._contains(action))
        return type(action) is int and 0 <= action < self.size

    def read_observation(self, observation: Any, reward_range: tuple[float, float]) -> Any:
        """Return what was observed, as it is; arrays are copied."""
        del reward_range
        return observation.copy() if isinstance(observation, np.ndarray) else observation

    def best_response(self, history: History) -> Action:
        """Return what the function answers, and measure its gap where there are rivals.

        Raises
        ------
        OracleError
            When it raises, or answers with what is no action.
        """
        with self._blame_function("when asked for a best response"):
            answer = self._best_response(history)
        action = self._action(answer, "is its best response")
        if self._payoff is not None and self._rivals:
            own = self._sum_payoffs(action, history)
            rivals = (self._sum_payoffs(rival, history) for rival in self._rivals)
            self.gap = max(self.gap, *(value - own for value in rivals))
        return action

    def smooth_best_response(
        self, history: History, *, rate: float, rng: np.random.Generator, n: int = 1
    ) -> list[Action]:
        """Return n answers of ``smooth``.

        Raises
        ------
        InvalidInputError
            When there is no such function.
        OracleError
            When it raises, or answers with what is no action.
        """
        if self._smooth is None:
            raise self._refuse_missing("smooth", "smooth(history, rate, rng) -> action")
        found = []
        for _ in range(n):
            with self._blame_function("when asked for a smooth best response"):
                answer = self._smooth(history, rate, rng)
            found.append(self._action(answer, "is its smooth best response"))
        return found

    def best_map(self, history: History) -> Move | None:
        """Return the best move, found through a best response for each action that was played.

        Raises
        ------
        InvalidInputError
            When there is no ``payoff`` to compare moves with.
        OracleError
            When the function raises, or answers with what is no action.
        """
        if self._payoff is None:
            raise self._refuse_missing("payoff", "payoff(action, observation) -> float")
        best, found = 0.0, None
        for source in history.actions():
            given = history.weight_by(source)
            target = self.best_response(given)
            gain = self._sum_payoffs(target, given) - self._sum_payoffs(source, given)
            if gain > best:
                best, found = gain, (source, target)
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
        """Return n answers of ``smooth_map``.

        Raises
        ------
        InvalidInputError
            When there is no such function.
        OracleError
            When it raises, or answers with what is no map, or with a constant one unasked.
        """
        if self._smooth_map is None:
            raise self._refuse_missing(
                "smooth_map", "smooth_map(history, rate, rng) -> (i, j) or None"
            )
        drawn = []
        for _ in range(n):
            with self._blame_function("when asked for a smooth best map"):
                answer = self._smooth_map(history, rate, rng)
            drawn.append(self._map(answer, constants))
        return SampledMaps.count(drawn)

    def _map(self, answer: Any, constants: bool) -> tuple[Action | None, Action | None]:
        """Return source and target: no source for a constant map, neither for the identity."""
        if answer is None:
            return None, None
        if not isinstance(answer, tuple) or len(answer) != 2:
            problem = f"answers {describe_object(answer)} when asked for a map"
            raise OracleError(self.name, problem, "answer (i, j), or None for the identity")
        target = self._action(answer[1], "is where its best map moves to")
        if answer[0] is None and constants:
            return None, target
        source = self._action(answer[0], "is what its best map moves")
        return (None, None) if source == target else (source, target)

    def _action(self, answer: Any, where: str) -> Action:
        with self._blame_function("when asked whether something is an action"):
            known = answer in self
        if not known:
            problem = f"answers {describe_object(answer)}: no action of the set {where}"
            raise OracleError(self.name, problem, "answer with an action of the set")
        found: Action = answer
        return found

    def _sum_payoffs(self, action: Action, history: History) -> float:
        assert self._payoff is not None
        with self._blame_function("when asked for a payoff"):
            total = sum(
                each.weight * float(self._payoff(action, each.observation)) for each in history
            )
        if not isfinite(total):
            problem = f"has payoffs of {describe_object(action)} that add up to {total}"
            raise OracleError(self.name, problem, "return finite payoffs")
        return total

    def _blame_function(self, where: str) -> Any:
        return blame(OracleError, self.name, where, "fix the function")

    def _refuse_missing(self, argument: str, form: str) -> InvalidInputError:
        return InvalidInputError(argument, None, "is not given to the oracle", f"give {form}")
