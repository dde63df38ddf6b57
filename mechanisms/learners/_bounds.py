"""What is proven of a learner's regret."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, inf
from typing import Any, Final, Protocol, Self, runtime_checkable

from mechanisms.learners.arguments import LARGEST_COUNT, reward_width
from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.shared.arguments import read_count, read_nonnegative

__all__ = [
    "KINDS",
    "BoundQuestion",
    "BoundedLearner",
    "RegretBound",
    "nothing_proven",
    "regret_bound",
]

KINDS: Final = ("external", "internal", "swap")


@dataclass(frozen=True)
class RegretBound:
    """A bound on regret, as the sum of its terms.

    Attributes
    ----------
    value : float
        What regret is at most; infinite where float64 does not hold it.
    kind : {"external", "internal", "swap"}
    rounds : int
        After how many rounds.
    terms : tuple of (name, value)
        Their sum is the value. Names write e for the step size, N for actions, T for rounds, m for
        samples and d for the probability of failure.
    holds : {"pathwise", "in expectation", "with probability 1 - failure"}
        Pathwise: whatever the rewards are, even those of an opponent who knows the play. The others
        are about opponents who choose the rewards of a round before its draws are made.
    failure : float or None
        The probability of failure, for the last kind.
    statement : str
        The theorem, in a sentence.
    source : str
        Where it is from, and where proved.
    """

    value: float
    kind: str
    rounds: int
    terms: tuple[tuple[str, float], ...]
    holds: str
    failure: float | None
    statement: str
    source: str

    def __str__(self) -> str:
        terms = " + ".join(f"{value:.4g} [{name}]" for name, value in self.terms)
        how = self.holds
        if self.failure is not None:
            how = f"with probability {1 - self.failure:g}"
        return (
            f"{self.kind} regret after {self.rounds:,} rounds is at most {self.value:.6g} {how}\n"
            f"= {terms}\n{self.statement} ({self.source})"
        )


@dataclass(frozen=True)
class BoundQuestion:
    """The question of a bound; see :func:`regret_bound`."""

    kind: str
    rounds: int
    failure: float | None = 0.05
    residual: float = 0.0

    @classmethod
    def of(cls, kind: Any, rounds: Any, failure: Any = 0.05, residual: Any = 0.0) -> Self:
        """Check a question.

        Raises
        ------
        InvalidInputError
            For rounds that are no count, a failure that is no probability, a residual below 0.
        UnknownNameError
            For an unknown kind of regret.
        """
        if kind not in KINDS:
            raise UnknownNameError("kind", kind, "is no kind of regret", nearest(kind, KINDS))
        if failure is not None:
            number = read_nonnegative("failure", failure)
            if not 0 < number < 1:
                fix = "give a number between them, or None for a bound in expectation"
                raise InvalidInputError("failure", failure, "is not between 0 and 1", fix)
        return cls(
            kind,
            read_count("rounds", rounds, most=LARGEST_COUNT),
            failure,
            read_nonnegative("residual", residual),
        )

    def answer(
        self,
        terms: Sequence[tuple[str, float]],
        *,
        reward_range: tuple[float, float],
        statement: str,
        source: str,
        holds: str = "pathwise",
    ) -> RegretBound:
        """Return the bound that is the sum of terms, given for rewards in [0, 1]."""
        _, width = reward_width(reward_range)
        scaled = tuple((name, width * value) for name, value in terms)
        if width != 1:
            statement = f"{statement}; rewards have a range of {width:g}, and so all is times it"
        return RegretBound(
            _total([value for _, value in scaled]),
            self.kind,
            self.rounds,
            scaled,
            holds,
            self.failure if holds.startswith("with probability") else None,
            statement,
            source,
        )


def _total(values: list[float]) -> float:
    try:
        return fsum(values)
    except OverflowError:
        return inf


@runtime_checkable
class BoundedLearner(Protocol):
    """A learner of whose regret something is proven."""

    def bound(self, asked: BoundQuestion) -> RegretBound:
        """Return the bound asked for, or raise InvalidInputError where nothing is proven."""
        ...


def regret_bound(
    learner: Any,
    rounds: int,
    *,
    kind: str = "external",
    failure: float | None = 0.05,
    residual: float = 0.0,
) -> RegretBound:
    """Return what is proven of the regret of a learner after a number of rounds.

    Proofs are in ``docs/proofs.md``. They are about real numbers; what float64 rounds is measured
    where it can matter, as the residual of a fixed point.

    Parameters
    ----------
    learner : object
        One of those that ship, or one with a method ``bound(asked)``.
    rounds : int
        T, at least 1. It need not be what the learner was made for.
    kind : {"external", "internal", "swap"}
    failure : float or None
        How probable it may be that a bound on sampled play fails; None asks for a bound on the
        expectation. Bounds that hold pathwise do not depend on it.
    residual : float
        The largest ||x Q - x||_1 of the learner's fixed points, as measured in a run; it may cost
        half of it a round.

    Raises
    ------
    InvalidInputError
        Where nothing is proven, with the reason; and for arguments that are no such numbers.

    Examples
    --------
    >>> from mechanisms.learners import RegretMatching
    >>> print(regret_bound(RegretMatching(10), 10_000))
    external regret after 10,000 rounds is at most 300 pathwise
    = 300 [sqrt(T (N - 1))] + 1e-08 [ties]
    external regret is at most sqrt(T (N - 1)), for all rewards (Hart and Mas-Colell (2000); \
docs/proofs.md)
    """
    asked = BoundQuestion.of(kind, rounds, failure, residual)
    if not isinstance(learner, BoundedLearner):
        raise nothing_proven(asked, learner, "it states no bound", "give it a method bound(asked)")
    return learner.bound(asked)


def nothing_proven(asked: BoundQuestion, learner: Any, reason: str, fix: str) -> InvalidInputError:
    """Return the error that says why there is no bound."""
    problem = f"has no proven bound on {asked.kind} regret: {reason}"
    return InvalidInputError("learner", learner, problem, fix)
