"""The rules of the auction of section 6: who writes replies, who scores them, who pays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from mechanisms.advertising._answers import LARGEST, NumberPerReply, Replies, Written
from mechanisms.advertising._instances import Advertiser, Instance
from mechanisms.advertising._prompts import context_prompt
from mechanisms.play import TELL, Ask, Draw, Open, Pay, Steps, Transfer, Unanswered, Unpaid, rules
from mechanisms.softmax_auction import softmax_allocation, softmax_payments
from theory.errors import InvalidInputError, LimitError, UnknownNameError, nearest
from theory.shared.arguments import instance_of, read_count, read_finite, read_positive, read_tuple
from theory.shared.printable import indent_following_lines, one_line
from theory.shared.shapes import Float64
from theory.verdicts import ShownAsTable, Table

__all__ = [
    "GENERATOR",
    "PLATFORM",
    "REFERENCE",
    "AdvertisedReply",
    "CandidateReplies",
    "ToReward",
    "ToScore",
    "ToWrite",
    "advertising_auction",
    "candidate_replies",
]

GENERATOR: Final = "the generator"
REFERENCE: Final = "the reference"
PLATFORM: Final = "the platform"
"""The account that is paid."""

_MOST: Final = 1e100
"""Rewards, log-probabilities and temperatures are at most so large, so that no sum overflows."""


@dataclass(frozen=True)
class ToWrite:
    """What the generator is told: the prompt, and how many replies to it are to be drawn."""

    prompt: str
    count: int

    def __str__(self) -> str:
        return self.prompt


@dataclass(frozen=True)
class ToScore:
    """What the reference is told: the question, and the different replies that were drawn."""

    query: str
    replies: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([self.query, *_numbered(self.replies)])


@dataclass(frozen=True)
class ToReward:
    """What an advertiser is told, which does not name the others or what they answer.

    Attributes
    ----------
    advertiser : str
        Its own name.
    query : str
    replies : tuple of str
        The different replies that were drawn.
    log_ref : tuple of float
        Their log-probabilities under the reference.
    """

    advertiser: str
    query: str
    replies: tuple[str, ...]
    log_ref: tuple[float, ...]

    def __str__(self) -> str:
        lines = _numbered(self.replies, [f" [log-probability {x:g}]" for x in self.log_ref])
        return "\n".join(
            [
                f"{one_line(self.advertiser)}, what are these replies worth to you?",
                self.query,
                *lines,
            ]
        )


def _numbered(replies: Sequence[str], notes: Sequence[str] | None = None) -> list[str]:
    notes = notes or [""] * len(replies)
    return [
        f"{k}. {indent_following_lines(reply, '   ')}{note}"
        for k, (reply, note) in enumerate(zip(replies, notes, strict=True), 1)
    ]


@dataclass(frozen=True)
class CandidateReplies:
    """M replies to a question, and what the mechanism is told of them.

    Attributes
    ----------
    replies : tuple of str
        In the order in which they were drawn; one may come twice.
    log_gen, log_ref : tuple of float
        Their log-probabilities under the law that they were drawn from, and under the reference.
    rewards : tuple of tuples of float, or None
        r_i(y) by advertiser, and by reply; None for an advertiser that gave no legal answer.
    """

    replies: tuple[str, ...]
    log_gen: tuple[float, ...]
    log_ref: tuple[float, ...]
    rewards: tuple[tuple[float, ...] | None, ...]

    def arrays(
        self,
    ) -> tuple[Float64[np.ndarray, " candidates"], Float64[np.ndarray, "advertisers candidates"]]:
        """Return ``log_ref`` and the rewards as arrays; 0 for an advertiser that stays out.

        The rewards of a candidate stand together in memory, whose order decides how sums round.
        """
        nothing = (0.0,) * len(self.replies)
        rows = [nothing if row is None else row for row in self.rewards]
        return np.array(self.log_ref), np.asfortranarray(rows, np.float64)


@dataclass(frozen=True)
class AdvertisedReply(ShownAsTable):
    """The outcome of the auction.

    Attributes
    ----------
    reply : str or None
        The reply that is returned; None where the platform cannot pay what it owes.
    candidates : CandidateReplies
    law : tuple of float
        The probability with which each candidate is returned.
    advertisers : tuple of str
    payments : tuple of float
        What each advertiser pays, whatever the reply; negative where it is paid.
    out : tuple of str
        The advertisers that stay out: that gave no legal answer, or cannot pay.
    """

    reply: str | None
    candidates: CandidateReplies
    law: tuple[float, ...]
    advertisers: tuple[str, ...]
    payments: tuple[float, ...]
    out: tuple[str, ...]

    def table(self) -> Table:
        """Return the advertisers as a table."""
        rows = []
        each = zip(self.advertisers, self.candidates.rewards, self.payments, strict=True)
        for name, row, paid in each:
            if name in self.out or row is None:
                rows.append((name, "stays out", "0"))
            else:
                expected = sum(p * r for p, r in zip(self.law, row, strict=True))
                rows.append((name, f"{expected:.6g}", f"{paid:.6g}"))
        caption = "nothing is returned" if self.reply is None else one_line(self.reply)
        return Table(
            caption=caption,
            columns=("advertiser", "expected reward", "payment"),
            rows=tuple(rows),
        )


@rules(data=(Instance, Advertiser))
def candidate_replies(
    instance: Instance,
    candidates: int,
    *,
    told: Iterable[str] | None = None,
    attempts: int = 1,
) -> Steps[CandidateReplies]:
    """Draw candidates for the auction, and have them scored: :func:`advertising_auction` less it.

    The generator is asked for the candidates and their log-probabilities, the reference for those
    under it, then all advertisers at the same time for their rewards. The same reply has one
    log-probability and one reward, however often it was drawn.

    Parameters
    ----------
    instance, candidates, told, attempts
        As for :func:`advertising_auction`.

    Examples
    --------
    >>> socks = Instance("How do I mend a sock?", (Advertiser("Darnly", "wool in tins"),))
    >>> run = candidate_replies(socks, 2).answer("the generator", [("Sew.", -1), ("Sew.", -1)])
    >>> run.answer("the reference", [-2]).answer("Darnly", [0.5]).outcome.rewards
    ((0.5, 0.5),)
    """
    return (yield from _candidates(instance, candidates, told=told, attempts=attempts))


@rules(data=(Instance, Advertiser))
def advertising_auction(
    instance: Instance,
    candidates: int,
    *,
    told: Iterable[str] | None = None,
    tau: float = 1.0,
    offset: bool = True,
    attempts: int = 1,
    levels: Iterable[float] | None = None,
) -> Steps[AdvertisedReply]:
    r"""Auction the reply to a question (truthful, Algorithm 2 with the payments of section 5).

    The generator is asked for M candidates y and their log-probabilities, the reference for those
    under it, then all advertisers at the same time for their rewards r_i(y). Each pays what it is
    expected to pay (:func:`~mechanisms.softmax_auction.softmax_payments`), then the reply is drawn
    from the candidates with weights

        pi_ref(y) / pi_gen(y) exp(\sum_i r_i(y) / tau).

    An advertiser that gives no legal rewards stays out, which is to report 0 and to pay nothing. So
    does one that cannot pay, on a ledger of others, and all is computed again without it.

    Parameters
    ----------
    instance : Instance
    candidates : int
        M.
    told : names of advertisers, optional
        Whom the generator is told of: all where nothing is said. Without names it gets the question
        alone, as the reference does; with its replies that is Algorithm 1.
    tau : float
        At most 1e100, and at least its inverse.
    offset : bool
        Whether payments have the offset (13). Without it they may be negative.
    attempts : int
        How often an answer may be tried. After that the run ends for the generator and the
        reference; an advertiser stays out.
    levels : numbers, optional
        All that a reward may be; any number of at most 1e100 where nothing is said. With few of
        them a small auction can be unfolded.

    Returns
    -------
    AdvertisedReply
        The reply, its law, payments.

    Raises
    ------
    InvalidInputError, NumberError, UnknownNameError, LimitError
        For arguments with which there is no auction.

    Notes
    -----
    Rewards and payments are float64. The reply is drawn with the float64 probabilities as exact
    weights over their sum. A run that is read back computes all this again, and is refused where
    another machine rounds exponentials or logarithms otherwise.

    Examples
    --------
    >>> from mechanisms.advertising import Advertiser, Instance
    >>> firms = Advertiser("Darnly", "wool in tins"), Advertiser("Heelix", "thick socks")
    >>> run = advertising_auction(Instance("How do I mend a sock?", firms), 2).seeded(1)
    >>> run = run.answer("the generator", [("Ask Darnly.", -0.7), ("Buy new ones.", -0.7)])
    >>> run = run.answer("the reference", [-3, -1])
    >>> print(run.ask("Heelix").view)
    Heelix, what are these replies worth to you?
    How do I mend a sock?
    1. Ask Darnly. [log-probability -3]
    2. Buy new ones. [log-probability -1]
    >>> run = run.answer("Darnly", {"Ask Darnly.": 3, "Buy new ones.": 0}).answer("Heelix", [0, 2])
    >>> print(run.outcome)
    Buy new ones.
    advertiser  expected reward  payment
    ──────────  ───────────────  ────────
    Darnly      0.806824         0.511713
    Heelix      1.46212          0.462117
    >>> print(f"{run.ledger.balance('the platform'):.4f}")
    0.9738
    """
    heat = read_positive("tau", tau)
    if not 1 / _MOST <= heat <= _MOST:
        problem = f"is not between {1 / _MOST:g} and {_MOST:g}"
        raise LimitError("tau", tau, problem, "scale rewards and tau together")
    instance_of("offset", offset, bool, "give True or False")
    instance_of("instance", instance, Instance, "give an Instance")
    among = _levels(levels)
    names = tuple(one.name for one in instance.advertisers)
    accounts = (PLATFORM, *names)
    yield Open(tuple((name, 0.0) for name in accounts), tuple((name, None) for name in accounts))
    found = yield from _candidates(
        instance, candidates, told=told, attempts=attempts, largest=_MOST, levels=among
    )
    out = [name for name, row in zip(names, found.rewards, strict=True) if row is None]
    while True:
        law, owed = _auctioned(found, [name in out for name in names], heat, offset)
        unpaid = None
        if any(owed):
            unpaid = yield Pay(tuple(_transfers(names, owed)))
        if not isinstance(unpaid, Unpaid):
            break
        if unpaid.account not in names:
            nothing = (0.0,) * len(names)
            return AdvertisedReply(None, found, law, names, nothing, tuple(out))
        out.append(unpaid.account)
    reply = yield _drawn(found.replies, law)
    return AdvertisedReply(reply, found, law, names, owed, tuple(out))


def _candidates(
    instance: Instance,
    candidates: int,
    *,
    told: Iterable[str] | None,
    attempts: int,
    largest: float = LARGEST,
    levels: tuple[float, ...] = (),
) -> Steps[CandidateReplies]:
    """Ask the generator, the reference, and all advertisers at the same time."""
    instance_of("instance", instance, Instance, "give an Instance")
    count = read_count("candidates", candidates)
    names = [one.name for one in instance.advertisers]
    for name in (GENERATOR, REFERENCE, PLATFORM):
        if name in names:
            fix = "give it another name"
            raise InvalidInputError("advertisers", name, "is somebody else in the auction", fix)
    query = instance.query
    prompt = context_prompt(query, _told(instance, told))
    legal = Replies(count, -largest)
    written: Written = yield Ask(
        GENERATOR, ToWrite(prompt, count), legal, "write", attempts=attempts
    )
    different = tuple(dict.fromkeys(written.replies))
    scores = NumberPerReply(different, "log-probability", -largest, 0.0)
    log_ref = yield Ask(REFERENCE, ToScore(query, different), scores, "score", attempts=attempts)
    rewards = NumberPerReply(different, "reward", -largest, largest, levels)
    answers = yield {
        name: Ask(
            name,
            ToReward(name, query, different, log_ref),
            rewards,
            "reward",
            attempts=attempts,
            otherwise=TELL,
        )
        for name in names
    }
    places = {reply: k for k, reply in enumerate(different)}
    at = [places[reply] for reply in written.replies]

    def spread(row: Any) -> tuple[float, ...]:
        return tuple([row[k] for k in at])

    rows = (answers[name] for name in names)
    return CandidateReplies(
        written.replies,
        written.log_probs,
        spread(log_ref),
        tuple(None if isinstance(row, Unanswered) else spread(row) for row in rows),
    )


def _told(instance: Instance, told: Iterable[str] | None) -> list[Advertiser]:
    """Return the advertisers that the generator is told of, in their order."""
    names = [one.name for one in instance.advertisers]
    chosen = names if told is None else read_tuple("told", told)
    for name in chosen:
        if name not in names:
            raise UnknownNameError("told", name, "is no advertiser", nearest(name, names))
    return [one for one in instance.advertisers if one.name in chosen]


def _levels(levels: Iterable[float] | None) -> tuple[float, ...]:
    if levels is None:
        return ()
    found = tuple(read_finite("level", level) for level in read_tuple("levels", levels))
    if not found or len(set(found)) < len(found) or max(map(abs, found)) > _MOST:
        fix = "give different numbers of at most 1e100"
        raise InvalidInputError("levels", found, "are no levels of rewards", fix)
    return found


def _auctioned(
    found: CandidateReplies, out: Sequence[bool], tau: float, offset: bool
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the law of the candidates, and what each advertiser pays."""
    nothing = (0.0,) * len(found.replies)
    rows = [nothing if away else row for row, away in zip(found.rewards, out, strict=True)]
    rewards, log_ref, log_gen = map(np.array, (rows, found.log_ref, found.log_gen))
    law = softmax_allocation(rewards, tau, log_ref, log_gen)
    owed = softmax_payments(rewards, tau, log_ref, log_gen, offset=offset)
    paid = np.where(out, 0.0, owed)
    return tuple(law.tolist()), tuple(paid.tolist())


def _transfers(names: Sequence[str], owed: Sequence[float]) -> Iterable[Transfer]:
    for name, amount in zip(names, owed, strict=True):
        if amount > 0:
            yield Transfer(name, PLATFORM, amount, "the reply")
        elif amount < 0:
            yield Transfer(PLATFORM, name, -amount, "the reply")


def _drawn(replies: Sequence[str], law: Sequence[float]) -> Draw[str]:
    """Return the draw of a reply, with the probabilities as exact weights over their sum."""
    weights: dict[str, Fraction] = {}
    for reply, p in zip(replies, law, strict=True):
        weights[reply] = weights.get(reply, Fraction(0)) + Fraction(p)
    total = sum(weights.values())
    return Draw(tuple(weights), tuple(weight / total for weight in weights.values()), "reply")
