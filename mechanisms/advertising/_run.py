"""One instance of section 6: candidates once, and the auction over every number of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from mechanisms.advertising._instances import Instance
from mechanisms.advertising._optimum import Optimum, optimum
from mechanisms.advertising._participants import model_participants
from mechanisms.advertising._rules import CandidateReplies, candidate_replies
from mechanisms.advertising.models import Models
from mechanisms.softmax_auction import softmax_allocation, softmax_auction, softmax_payments
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count
from theory.shared.printable import indent_following_lines, print_safely, printable
from theory.shared.shapes import Bool, Float64, Int64

__all__ = [
    "GENERATORS",
    "READINGS",
    "GeneratorResult",
    "InstanceResult",
    "mentions",
    "run_instance",
    "sizes_up_to",
]

GENERATORS: Final = ("context-aware", "reference")
"""What candidates are drawn from: the model that is told of the advertisers, or is not."""

READINGS: Final = ("redrawn", "unmentioned", "same")
"""What an advertiser is compared with: see :class:`GeneratorResult`."""

_EVERY: Final = 20
_A_DOUBLING: Final = 10


@dataclass(frozen=True, eq=False)
class GeneratorResult:
    """What the auction does with the first M candidates of one generator, for several M.

    The gain of advertiser i is its expected reward p . r_i less that which it has when it stays
    out. There are three readings of the latter.

    - ``redrawn``: candidates are those which are drawn without i, and the rewards of i decide
      nothing: eq. (19) as it is defined. The reference generator is not told of advertisers and,
      with the same randomness, draws the same candidates.
    - ``unmentioned``: the candidates that do not mention i by name, with the law q_i that they have
      without its rewards, conditioned on them: the paper's estimate, footnote 9. NaN where there
      are none.
    - ``same``: the same candidates, with the law q_i.

    Attributes
    ----------
    sizes : int64 array of shape (k,)
        The numbers M.
    log_probs : float64 array of shape (k,)
        log pi* of the returned reply, in expectation over which of the candidates is returned.
    returned : int64 array of shape (k,)
        Which candidate was returned, drawn anew for each M.
    returned_log_probs : float64 array of shape (k,)
        Its log pi*.
    expected_rewards : float64 array of shape (k, n)
        p . r_i.
    reward_gains : dict from reading to float64 array of shape (k, n)
    payments, payments_without_offset : float64 arrays of shape (k, n)
        What each advertiser pays; who stays out pays nothing.
    mentioned : float64 array of shape (k, n)
        The probability that the returned reply mentions an advertiser by name.
    reply : str
        The reply that was returned for the largest M.
    """

    sizes: Int64[np.ndarray, " sizes"]
    log_probs: Float64[np.ndarray, " sizes"]
    returned: Int64[np.ndarray, " sizes"]
    returned_log_probs: Float64[np.ndarray, " sizes"]
    expected_rewards: Float64[np.ndarray, "sizes advertisers"]
    reward_gains: dict[str, Float64[np.ndarray, "sizes advertisers"]]
    payments: Float64[np.ndarray, "sizes advertisers"]
    payments_without_offset: Float64[np.ndarray, "sizes advertisers"]
    mentioned: Float64[np.ndarray, "sizes advertisers"]
    reply: str

    def utility_gains(
        self, reading: str = "redrawn", *, offset: bool = True
    ) -> Float64[np.ndarray, "sizes advertisers"]:
        """Return reward gains less payments."""
        paid = self.payments if offset else self.payments_without_offset
        return np.asarray(self.reward_gains[reading] - paid)


@dataclass(frozen=True, eq=False)
class InstanceResult:
    """What came of one instance.

    Attributes
    ----------
    instance : Instance
    courses : dict from generator to GeneratorResult
    normalised : bool
        Whether log pi* is the logarithm of a probability. Else the model does not list its replies
        and, as in the paper, log Z is left out: a constant for each query.
    """

    instance: Instance
    courses: dict[str, GeneratorResult]
    normalised: bool

    @print_safely
    def __str__(self) -> str:
        lines = [printable(self.instance.query)]
        for generator, course in self.courses.items():
            M = int(course.sizes[-1])
            lines.append(
                f"  {generator}, {M} candidates: {indent_following_lines(course.reply, ' ' * 4)}"
            )
        return "\n".join(lines)


def sizes_up_to(most: int) -> tuple[int, ...]:
    """Return the numbers of candidates to look at: all up to 20, then ten for each doubling.

    Raises
    ------
    InvalidInputError
        Where ``most`` is no positive integer.

    Examples
    --------
    >>> sizes_up_to(30)[-6:]
    (21, 23, 25, 26, 28, 30)
    """
    most = read_count("most", most)
    found = list(range(1, min(most, _EVERY) + 1))
    step = 1
    while found[-1] < most:
        found.append(min(most, max(found[-1] + 1, int(_EVERY * 2 ** (step / _A_DOUBLING) + 0.5))))
        step += 1
    return tuple(found)


def run_instance(
    instance: Instance,
    models: Models,
    candidates: int,
    *,
    rng: np.random.Generator,
    tau: float = 1.0,
    optimal: Optimum | None = None,
) -> InstanceResult:
    """Run the auction of an instance for all numbers of candidates, from one draw of them.

    The first M of the candidates are those of the auction with M. Weights are the reference over
    the law that was really drawn from, for both generators; with the reference generator at
    temperature 1 that is Algorithm 1.

    Parameters
    ----------
    instance : Instance
    models : Models
    candidates : int
        How many to draw; the auctions are those of :func:`sizes_up_to`.
    rng : numpy.random.Generator
        It is not drawn from: streams spawned from it are.
    tau : float
    optimal : Optimum, optional
        As from :func:`optimum`, which is asked unless this is given.

    Raises
    ------
    ParticipantError
        Where the model raises or answers nonsense; it is named.
    InvalidInputError
        For a number of candidates or a tau that is none.
    """
    sizes = sizes_up_to(candidates)
    if not 0 < tau < np.inf:
        raise InvalidInputError("tau", tau, "is no temperature", "give a number above 0")
    if optimal is None:
        optimal = optimum(instance, models.speaks, tau)
    shift = 0.0 if optimal is None else optimal.log_normaliser
    run = _Run(instance, models, np.array(sizes, dtype=np.int64), float(tau), shift)
    *streams, last = rng.spawn(len(GENERATORS) + len(instance.advertisers) + 1)
    names = [one.name for one in instance.advertisers]
    aware = run.drawn(names, streams[0])
    plain = run.drawn([], streams[1])
    fallbacks = [
        run.drawn([name for name in names if name != left_out], stream)
        for left_out, stream in zip(names, streams[len(GENERATORS) :], strict=True)
    ]
    draws = last.spawn(len(GENERATORS))
    courses = {
        "context-aware": run.course(aware, fallbacks, draws[0]),
        "reference": run.course(plain, [plain] * len(instance.advertisers), draws[1]),
    }
    return InstanceResult(instance, courses, normalised=optimal is not None)


def mentions(reply: str, name: str) -> bool:
    """Whether a reply has a name in it, in whatever case, as a word or several.

    Examples
    --------
    >>> mentions("Try panmere, or not.", "Panmere"), mentions("A Panmeresque pan.", "Panmere")
    (True, False)
    """
    text, wanted = reply.casefold(), name.casefold()
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        before, after = text[at - 1 : at] if at else "", text[end : end + 1]
        if not before.isalnum() and not after.isalnum():
            return True
        at = text.find(wanted, at + 1)
    return False


@dataclass(frozen=True)
class _Drawn:
    """Candidates of one prompt as arrays, and what the mechanism is told of them."""

    replies: tuple[str, ...]
    log_gen: Float64[np.ndarray, " candidates"]
    log_ref: Float64[np.ndarray, " candidates"]
    rewards: Float64[np.ndarray, "advertisers candidates"]


@dataclass(frozen=True)
class _Run:
    instance: Instance
    models: Models
    sizes: np.ndarray
    tau: float
    shift: float

    def drawn(self, told: list[str], rng: np.random.Generator) -> _Drawn:
        """Lead the rules that ask for candidates, whose generator is told of some advertisers.

        What the models raise passes, with the name of the model.
        """
        run = candidate_replies(self.instance, int(self.sizes[-1]), told=told)
        participants = model_participants(self.instance, self.models, rng)
        while (ask := run.ask()) is not None:
            run = run.answer(ask, participants[ask.player](ask))
        found: CandidateReplies = run.outcome
        return _Drawn(found.replies, np.array(found.log_gen), *found.arrays())

    def course(
        self, drawn: _Drawn, fallbacks: list[_Drawn], rng: np.random.Generator
    ) -> GeneratorResult:
        rewards, log_ref = drawn.rewards, drawn.log_ref
        n = len(rewards)
        firsts = self._firsts(log_ref)
        log_gen = np.broadcast_to(drawn.log_gen, firsts.shape)
        stacked = np.broadcast_to(rewards, (len(self.sizes), *rewards.shape))
        outcome = softmax_auction(stacked, self.tau, firsts, log_gen)
        p, q = outcome.allocation, outcome.allocation_without
        logs = log_ref + rewards.sum(axis=0) / self.tau - self.shift
        chosen = outcome.sample(rng)
        named = self._named(drawn.replies)
        gains = {
            "redrawn": outcome.expected_rewards
            - np.stack([self._staying_out(i, fallbacks[i]) for i in range(n)], axis=1),
            "unmentioned": outcome.expected_rewards - _condition_on_kept(q, rewards, ~named),
            "same": outcome.expected_rewards - (q * rewards).sum(axis=-1),
        }
        return GeneratorResult(
            sizes=self.sizes,
            log_probs=(p * np.where(p > 0, logs, 0.0)).sum(axis=1),
            returned=chosen,
            returned_log_probs=logs[chosen],
            expected_rewards=outcome.expected_rewards,
            reward_gains={reading: gains[reading] for reading in READINGS},
            payments=outcome.payments,
            payments_without_offset=softmax_payments(
                stacked, self.tau, firsts, log_gen, offset=False
            ),
            mentioned=p @ named.T.astype(float),
            reply=drawn.replies[int(chosen[-1])],
        )

    def _firsts(self, log_ref: Float64[np.ndarray, " candidates"]) -> np.ndarray:
        """Return log pi_ref for each M, where what comes after the first M cannot be returned."""
        late = np.arange(len(log_ref)) >= self.sizes[:, np.newaxis]
        return np.where(late, -np.inf, log_ref)

    def _staying_out(self, i: int, drawn: _Drawn) -> Float64[np.ndarray, " sizes"]:
        """Return the expected reward of i where it decides nothing, over these candidates."""
        deciding = drawn.rewards.copy()
        deciding[i] = 0
        firsts = self._firsts(drawn.log_ref)
        stacked = np.broadcast_to(deciding, (len(self.sizes), *deciding.shape))
        log_gen = np.broadcast_to(drawn.log_gen, firsts.shape)
        law = softmax_allocation(stacked, self.tau, firsts, log_gen)
        return np.asarray(law @ drawn.rewards[i])

    def _named(self, replies: tuple[str, ...]) -> Bool[np.ndarray, "advertisers candidates"]:
        return np.array(
            [[mentions(y, one.name) for y in replies] for one in self.instance.advertisers]
        )


def _condition_on_kept(
    laws: Float64[np.ndarray, "sizes advertisers candidates"],
    rewards: Float64[np.ndarray, "advertisers candidates"],
    kept: Bool[np.ndarray, "advertisers candidates"],
) -> Float64[np.ndarray, "sizes advertisers"]:
    weights = laws * kept
    total = weights.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((weights * rewards).sum(axis=-1) / np.where(total > 0, total, np.nan))
