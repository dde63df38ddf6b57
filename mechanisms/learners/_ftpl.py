"""Following the perturbed leader."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log, sqrt
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from mechanisms.learners._action_arguments import listed_size, read_actions, write_arguments
from mechanisms.learners._bounds import BoundQuestion, RegretBound, nothing_proven
from mechanisms.learners._history import History
from mechanisms.learners._oracles import NOISES, ActionOracle, Oracle
from mechanisms.learners.arguments import LARGEST_COUNT, read_range, reward_width
from mechanisms.learners.rates import Rates
from theory.actions import ActionSet, SparseStrategy
from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.shared.arguments import read_count, read_generator

__all__ = ["FTPL"]

Constants = Callable[[float], tuple[float, float]]

_CONSTANTS: Final[Mapping[str, Constants]] = MappingProxyType(
    {
        "gumbel": lambda k: (k, 1 / 8),
        "exponential": lambda k: (k, 1.0),
        "normal": lambda k: (sqrt(2 * k), sqrt(2 * k) / 4),
        "uniform": lambda k: (k, 1 / 8),
    }
)
"""Entropy and curvature as functions of log N; for uniform noise nothing is proven of them."""

_SOURCES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "gumbel": "Gumbel noise makes its law that of Hedge",
        "exponential": "the chance to lead grows by at most exp(e) a round",
        "normal": "the law is the gradient of a smooth potential",
    }
)


class FTPL:
    r"""Follow the perturbed leader: a best response to the past with noise added, fresh each round.

    Round t plays the frequencies of m independent

        \arg\max_i e_t \sum_{s<t} r_s(i) + n(i),

    which is all that a smooth oracle can say of a set of actions. With Gumbel noise the law of each
    is that of :class:`Hedge`. Against opponents who do not see the draws of the round, external
    regret is in expectation at most what Hedge's is, and with probability 1 - d at most
    \sqrt{T \log(1/d) / (2m)} more. An opponent who sees the draw can take T/2 where m = 1.

    Parameters
    ----------
    actions : int, ActionSet or Oracle
        A number of actions N, a set of them, or an oracle with a smooth best response.
    rng : numpy.random.Generator
    samples : int
        The number m of leaders drawn a round.
    noise : {"gumbel", "normal", "exponential", "uniform"}
        Of standard scale. On combinatorial sets, all but Gumbel noise is drawn for each feature and
        not for each action. An oracle has noise of its own, and this must be left alone.
    rounds, rate : int, float, optional
        The number of rounds T that the step size is best for, or a step size of one's own. The
        best ones depend on the noise; for uniform noise those of Gumbel noise are taken.
    reward_range : pair of floats
        What rewards lie in; others are refused. Features may leave out a constant, which changes no
        play: of a set that is not listed rewards may lie anywhere, if they are no further apart
        than the range is wide. Play is the same as on rewards
        mapped to [0, 1].

    Raises
    ------
    InvalidInputError
        For what is no set of actions, no generator, no number of samples; for both ``rounds`` and
        ``rate``; for a rate outside [1e-100, 1e100], a range that is none, and a noise beside an
        oracle.
    LimitError
        For more than 10^7 listed actions.
    UnknownNameError
        For an unknown noise.

    Notes
    -----
    For listed sets with N actions external regret of the expected play is at most

    - as that of Hedge for Gumbel noise;
    - \log(N) / e + e T for exponential noise, 2 \sqrt{T \log N} at the best rate;
    - \sqrt{2 \log N} (1 / e + e T / 4) for normal noise, \sqrt{2 T \log N} at the best rate,
      e = 2 / \sqrt{T}.

    For uniform noise, and for noise on features, nothing is proven here. A round costs m calls of
    the oracle; draws of a softmax over N actions share one pass over them.

    Kalai and Vempala, "Efficient algorithms for online decision problems", Journal of Computer and
    System Sciences 71 (2005).

    Examples
    --------
    >>> learner = FTPL(4, rng=np.random.default_rng(0), samples=1000)
    >>> print(learner.play())
    4 of 4 actions
    action  probability
    ──────  ───────────
    3       0.267
    2       0.26
    1       0.242
    0       0.231
    """

    def __init__(
        self,
        actions: int | ActionSet | Oracle,
        *,
        rng: np.random.Generator,
        samples: int = 1,
        noise: str = "gumbel",
        rounds: int | None = None,
        rate: float | None = None,
        reward_range: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        if noise not in NOISES:
            raise UnknownNameError("noise", noise, "is no law of noise", nearest(noise, NOISES))
        self.oracle: Oracle
        if isinstance(actions, Oracle) and not isinstance(actions, type):
            if noise != "gumbel":
                fix = "leave it out, or make the oracle with it"
                raise InvalidInputError("noise", noise, "is given beside an oracle", fix)
            self.oracle, self.actions = actions, getattr(actions, "actions", actions)
            self.noise = str(getattr(actions, "noise", noise))
        else:
            self.actions, self.noise = read_actions(actions), noise
            self.oracle = ActionOracle(self.actions, noise)
        self.size = self.oracle.size
        self.samples = read_count("samples", samples, most=LARGEST_COUNT)
        entropy, curvature = _CONSTANTS[self.noise](log(self.size))
        self.rates = Rates.of(rounds=rounds, rate=rate, entropy=entropy, curvature=curvature)
        self.reward_range = read_range(reward_range)
        self._width = reward_width(self.reward_range)[1]
        self._rng = read_generator(rng)
        self._history = History()
        self._play: SparseStrategy | None = None

    @property
    def oracle_gap(self) -> float:
        """The most by which the oracle is known to have missed a best response."""
        return float(getattr(self.oracle, "gap", 0.0))

    @property
    def rounds_played(self) -> int:
        """How many rounds it was told of."""
        return len(self._history)

    def play(self) -> SparseStrategy:
        """Return the frequencies of the leaders drawn; drawn once a round."""
        if self._play is None:
            rate = self.rates.at(len(self._history) + 1) / self._width
            leaders = self.oracle.smooth_best_response(
                self._history, rate=rate, rng=self._rng, n=self.samples
            )
            self._play = SparseStrategy.empirical(leaders, self.size)
        return self._play

    def observe(self, rewards: Any) -> None:
        """Take note of the rewards of all actions, or of what stands for them.

        Raises
        ------
        InvalidInputError
            For what is no row of finite numbers, or outside the range; nothing is remembered then.
        """
        observation = self.oracle.read_observation(rewards, self.reward_range)
        self._history.append(self.play(), observation)
        self._play = None

    def bound(self, asked: BoundQuestion) -> RegretBound:
        """Return what is proven of its regret; see :func:`regret_bound`."""
        if asked.kind != "external":
            reason = "FTPL makes external regret small, and no other"
            raise nothing_proven(asked, self, reason, "use InternalFTPL or BlumMansour")
        if self.noise == "uniform":
            reason = "of uniform noise nothing is proven here"
            raise nothing_proven(asked, self, reason, 'use noise="gumbel"')
        if self.noise != "gumbel" and listed_size(self.actions) is None:
            reason = f"of {self.noise} noise it is proven for listed actions alone"
            raise nothing_proven(asked, self, reason, 'use noise="gumbel"')
        names = ("K / e, K = log(N)", "sum of e / 8")
        if self.noise == "exponential":
            names = ("K / e, K = log(N)", "sum of e")
        elif self.noise == "normal":
            names = ("K / e, K = sqrt(2 log(N))", "sum of K e / 4")
        terms: list[tuple[str, float]] = []
        terms += zip(names, self.rates.terms(asked.rounds), strict=True)
        holds, more = "in expectation", ""
        if asked.failure is not None:
            holds = "with probability 1 - failure"
            drawn = sqrt(asked.rounds * log(1 / asked.failure) / (2 * self.samples))
            terms.append(("sqrt(T log(1/d) / (2 m))", drawn))
            more = ", and with probability 1 - d at most sqrt(T log(1/d) / (2 m)) more"
        if not isinstance(self.oracle, ActionOracle):
            more += ", if the oracle's answers have the law that it promises"
        return asked.answer(
            terms,
            reward_range=self.reward_range,
            statement="against opponents who do not see the draws of the round, external regret is "
            f"bounded in expectation, as {_SOURCES[self.noise]}{more}",
            source="docs/proofs.md",
            holds=holds,
        )

    def __repr__(self) -> str:
        more = [] if self.samples == 1 else [f"samples={self.samples}"]
        more += [] if self.noise == "gumbel" else [f"noise={self.noise!r}"]
        shown = (*more, *self.rates.describe())
        return f"FTPL({write_arguments(self.actions, *shown, reward_range=self.reward_range)})"
