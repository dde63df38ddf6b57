"""Internal regret with oracles: Algorithm 1 of the paper, with Algorithm 2 as its fixed point."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, log, sqrt
from typing import Any, Final

import numpy as np

from mechanisms.learners._action_arguments import write_arguments
from mechanisms.learners._bounds import BoundQuestion, RegretBound, nothing_proven
from mechanisms.learners._history import History
from mechanisms.learners._oracles import ActionOracle, Oracle, as_oracle
from mechanisms.learners.arguments import LARGEST_COUNT, at_most, read_range, reward_width
from mechanisms.learners.expected_maps import ExpectedMaps
from mechanisms.learners.lazy_maps import SampledMaps
from mechanisms.learners.rates import Rates
from theory.actions import Action, ActionSet, ListedActions, SparseStrategy
from theory.errors import InvalidInputError
from theory.fixed_point import MapMixture, fixed_point
from theory.shared.arguments import read_count, read_generator
from theory.shared.shapes import Int64

__all__ = ["InternalFTPL"]


# --- Fixed points of maps that an oracle draws: Algorithm 2 on the actions that the maps touch


class SampledFixedPoints:
    """Draws maps from the smooth internal oracle, and plays a fixed point of their average."""

    def __init__(
        self, oracle: Oracle, rng: np.random.Generator, samples: int, constants: bool
    ) -> None:
        self._oracle, self._rng = oracle, rng
        self._samples, self._constants = samples, constants
        self._history = History()
        self._last: Action | None = None

    def add(self, play: SparseStrategy, observation: Any) -> None:
        """Remember a round."""
        self._history.append(play, observation)

    def fixed_point(self, rate: float) -> tuple[SparseStrategy, float]:
        """Return the strategy of the next round, and by how much it is no fixed point."""
        maps = self._oracle.smooth_best_maps(
            self._history, rate=rate, rng=self._rng, n=self._samples, constants=self._constants
        )
        start = self._start(maps)
        index = {start: 0}

        def places(actions: Iterable[Action]) -> Int64[np.ndarray, " places"]:
            return np.array([index.setdefault(a, len(index)) for a in actions], dtype=np.int64)

        sources = places(source for source, _ in maps.moves)
        targets = places(target for _, target in maps.moves)
        fixed = places(maps.constants)
        mixture = MapMixture.from_arrays(
            len(index),
            sources,
            targets,
            np.array(list(maps.moves.values())) / maps.number,
            constants=fixed,
            constant_weights=np.array(list(maps.constants.values())) / maps.number,
        )
        found = fixed_point(mixture, start=0)
        labels = list(index)
        weights = np.array(found.weights, dtype=np.float64)
        play = SparseStrategy(
            tuple(labels[place] for place in found.support), weights, self._oracle.size
        )
        self._last = play.actions[int(weights.argmax())]
        return play, float(found.gap)

    def _start(self, maps: SampledMaps) -> Action:
        """Return the action from which the closed class is reached.

        In the first round that is one of those drawn: the oracle draws them uniformly.
        """
        if self._last is not None:
            return self._last
        if maps.constants:
            return next(iter(maps.constants))
        if maps.moves:
            return next(iter(maps.moves))[0]
        return self._oracle.best_response(self._history)


# --- Internal regret with oracles: Algorithm 1 of the paper, with Algorithm 2 as its fixed point

# --- What is proven of the regret of Algorithm 1, with and without constant maps

_SOURCE: Final = "oracles, Theorem 4, with its constants; docs/proofs.md"


def bound_of_internal_ftpl(learner: Any, asked: BoundQuestion) -> RegretBound:
    """Return the bound asked for: what Hedge over the maps loses, the draws and the fixed points.

    Hedge has regret of at most log(1 / q) / e + e T / 8 to an expert of prior q. Replacing its
    weights by m draws costs at most max_i D_i a round, where each of the N numbers D_i is a mean of
    m independent terms within an interval of length 1: at most sqrt(log(N T / d) / (2 m)) in all
    rounds but with probability d, and sqrt(log(N) / (2 m)) in expectation. A residual of
    ||Q x - x||_1 costs half of it.
    """
    if not isinstance(learner.oracle, ActionOracle):
        raise nothing_proven(
            asked, learner, "the law of its oracle is not known", "give it an ActionSet"
        )
    N, T, m = learner.size, asked.rounds, learner.samples
    prior, entropy, (times, factor), statement = _of_kind(N, learner.constants, asked.kind)
    learning, overshoot = learner.rates.terms(T, entropy)
    terms = [(f"log({prior}) / e", learning), ("e T / 8", overshoot)]
    holds = "pathwise"
    if m is not None and N > 1:
        if asked.failure is None:
            holds = "in expectation"
            terms.append(("T sqrt(log(N) / (2 m))", T * sqrt(log(N) / (2 * m))))
        else:
            holds = "with probability 1 - failure"
            chance = log(N) + log(T) - log(asked.failure)
            terms.append(("T sqrt(log(N T / d) / (2 m))", T * sqrt(chance / (2 * m))))
    if asked.residual:
        terms.append(("T residual / 2", T * asked.residual / 2))
    return asked.answer(
        [(f"{times}{name}", factor * value) for name, value in terms],
        reward_range=learner.reward_range,
        statement=statement,
        source=_SOURCE,
        holds=holds,
    )


def _of_kind(N: int, constants: bool, kind: str) -> tuple[str, float, tuple[str, float], str]:
    """Return one over the prior of an expert, its logarithm, what all is a multiple of, and why."""
    if kind == "external" and constants:
        statement = "constant maps are among the maps: external regret is that of Hedge over them"
        return "2 N", log(N) + log(2), ("", 1.0), statement
    prior, entropy = ("2 N^2", 2 * log(N) + log(2)) if constants else ("N^2", 2 * log(N))
    if kind == "internal":
        return prior, entropy, ("", 1.0), "internal regret is that of Hedge over the maps"
    if kind == "swap":
        return prior, entropy, ("N ", _times(N)), "swap regret is at most N times internal regret"
    statement = "external regret is at most N - 1 times internal regret; constants=True bounds it"
    return prior, entropy, ("(N - 1) ", _times(N - 1)), statement


def _times(number: int) -> float:
    """Return a number that may be larger than float64 holds."""
    try:
        return float(number)
    except OverflowError:
        return inf


# --- Internal regret with oracles: Algorithm 1 of the paper, with Algorithm 2 as its fixed point

_LISTED, _PLAYED = 2_000, 10_000
"""How many listed actions there may be, without samples and with them."""


class InternalFTPL:
    r"""Follow the perturbed leader over maps, and play a fixed point of what it says.

    With maps phi_{i->j} that move all probability of i to j, and f_t(x) = <x, r_t>, round t plays
    a fixed point x_t of Q_t = \sum_phi p_t(phi) phi. The weights p_t are the law of the map that
    leads after t - 1 rounds,

        argmax_phi h_t \sum_{s<t} f_s(phi(x_s)) + n(phi),   n iid standard Gumbel,

    which is the softmax of the first term, or the frequencies of ``samples`` draws from it.
    Internal regret is then at most what :func:`regret_bound` says, with the number of actions
    inside a logarithm.

    Internal regret alone is an empty promise where actions outnumber rounds: whoever never plays an
    action twice has next to none (claim oracles.vacuous). With ``constants``, the N maps that move
    everything to one action are added, with half of the prior; external regret is then small, too,
    by the same argument (claim oracles.simultaneous).

    Parameters
    ----------
    actions : int, ActionSet or Oracle
    rng : numpy.random.Generator
        Needed with ``samples``.
    samples : int, optional
        How many maps are drawn each round, each a call to the smooth internal oracle. Without it
        the law itself is used, which lists all maps: O(N^3) a round, for actions 0, ..., N - 1.
    constants : bool
        Whether constant maps are among the maps.
    rounds, rate : int, float, optional
        How many rounds will be played, for the best fixed rate, or a fixed rate; with neither the
        rate falls as rounds go by.
    reward_range : pair of floats
        What rewards lie in. Plays are those for the rewards mapped to [0, 1]. Of sets that are not
        listed rewards may lie anywhere, if they are no further apart than the range is wide.

    Attributes
    ----------
    residual : float
        The largest ||Q_t x_t - x_t||_1 so far, measured.

    Raises
    ------
    InvalidInputError
        For arguments that cannot be used together, or not at all.
    LimitError
        For more than 10,000 listed actions with samples, or 2,000 without.

    Notes
    -----
    Of several fixed points it plays the closed class that is reached from the action that was
    likeliest before, so that without constant maps an action is kept until a map moves it away.
    A round costs what the oracle's calls cost, and the closed class of at most ``samples`` moves.

    Chen, Chen, Foster and Hazan, "Playing Large Games with Oracles and AI Debate" (2024),
    Algorithms 1 and 2, Theorem 4.

    Examples
    --------
    >>> learner = InternalFTPL(3, constants=True, rounds=100)
    >>> for _ in range(10):
    ...     learner.observe([0.25, 0.5, 1.0])
    >>> print(np.round(learner.play(), 2))
    [0.03 0.08 0.88]
    """

    def __init__(
        self,
        actions: int | ActionSet | Oracle,
        *,
        rng: np.random.Generator | None = None,
        samples: int | None = None,
        constants: bool = False,
        rounds: int | None = None,
        rate: float | None = None,
        reward_range: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        if not isinstance(constants, bool):
            raise InvalidInputError("constants", constants, "is no bool", "give True or False")
        if samples is not None:
            read_count("samples", samples, most=LARGEST_COUNT)
        self.oracle = _check_oracle(as_oracle(actions), samples)
        self.size, self.samples, self.constants = self.oracle.size, samples, constants
        self.rates = Rates.of_maps(self.size, constants, rounds, rate)
        self.reward_range, self.width = read_range(reward_range), reward_width(reward_range)[1]
        self.residual = 0.0
        self._maps: ExpectedMaps | SampledFixedPoints
        if samples is None:
            if rng is not None:
                fix = "give samples, too, or leave it out"
                raise InvalidInputError("rng", rng, "is given without samples", fix)
            self._maps = ExpectedMaps(self.size, constants)
        else:
            self._maps = SampledFixedPoints(self.oracle, read_generator(rng), samples, constants)
        self._rounds = 0
        self._play: Any = None

    def play(self) -> Any:
        """Return the fixed point of this round: a SparseStrategy, or an array without samples."""
        if self._play is None:
            rate = self.rates.at(self._rounds + 1) / self.width
            self._play, residual = self._maps.fixed_point(rate)
            self.residual = max(self.residual, residual)
        return self._play

    def observe(self, rewards: Any) -> None:
        """Take note of the rewards of all actions, or of the vector that stands for them.

        Raises
        ------
        InvalidInputError
            For rewards that are not finite, of another shape, or outside the range; nothing is
            remembered then.
        """
        observation = self.oracle.read_observation(rewards, self.reward_range)
        self._maps.add(self.play(), observation)
        self._rounds += 1
        self._play = None

    def __repr__(self) -> str:
        more = [] if self.samples is None else [f"samples={self.samples}"]
        more += ["constants=True"] if self.constants else []
        shown = (*more, *self.rates.describe())
        actions = getattr(self.oracle, "actions", self.oracle)
        return f"InternalFTPL({write_arguments(actions, *shown, reward_range=self.reward_range)})"

    @property
    def rounds_played(self) -> int:
        """How many rounds it was told of."""
        return self._rounds

    @property
    def oracle_gap(self) -> float:
        """The most by which its oracle is known to have missed a best response."""
        return float(getattr(self.oracle, "gap", 0.0))

    def bound(self, asked: BoundQuestion) -> RegretBound:
        """Return what is proven of its regret; see :func:`regret_bound`."""
        return bound_of_internal_ftpl(self, asked)


def _check_oracle(oracle: Oracle, samples: int | None) -> Oracle:
    """Return an oracle that can do what is asked of it."""
    listed = isinstance(oracle, ActionOracle) and isinstance(oracle.actions, ListedActions)
    if isinstance(oracle, ActionOracle) and oracle.noise != "gumbel":
        fix = 'use noise="gumbel", for which no map needs to be listed'
        raise InvalidInputError("actions", oracle, f"has {oracle.noise} noise", fix)
    if samples is None and not listed:
        fix = "give samples, or a number of actions"
        raise InvalidInputError("samples", None, "asks for all maps to be listed", fix)
    if listed:
        limit = _LISTED if samples is None else _PLAYED
        at_most("actions", oracle.size, limit, "a row of numbers is kept for each; use Features")
    return oracle
