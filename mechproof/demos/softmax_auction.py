"""The softmax auction over replies of a real model: candidates, prices, lies, and laws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from llm_adapters.players import Candidates, ModelRoles, draw_candidates
from mechanisms.advertising import Instance, Models, advertising_prompt, context_prompt, mentions
from mechanisms.language_models import checked_log_prob
from mechanisms.protocols import LanguageModel
from mechanisms.softmax_auction import AuctionOutcome, SoftmaxAuction, softmax_auction
from mechproof.demos._laws import ReplyLaws, reply_laws_of
from mechproof.demos._lies import LieSearch, PaysItsReport, PaysNothing, search_lies
from mechproof.demos._questions import QUERIES, choose_instances
from mechproof.demos._remarks import SMALL
from mechproof.demos._transcript import Transcript
from mechproof.demos.case import BUSES
from mechproof.demos.demo import Count, Demo, Number
from mechproof.demos.models import LOCAL, RULES, Participants
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count
from theory.shared.printable import indent_following_lines, print_safely, printable
from theory.verdicts import Table

__all__ = [
    "CANDIDATES",
    "DEMO",
    "QUERIES",
    "TAU",
    "AuctionRound",
    "choose_instances",
    "play",
    "require_scores",
    "rounds_table",
]

CANDIDATES: Final = 6
TAU: Final = 2.0

_NEAR: Final = 1e-3

_RULES: Final[Mapping[str, type[SoftmaxAuction]]] = {
    "nothing is paid": PaysNothing,
    "all pay what they report": PaysItsReport,
}


@dataclass(frozen=True, eq=False)
class AuctionRound:
    """One query: what was drawn, what the auction made of it, what lies would have brought.

    Attributes
    ----------
    candidates : Candidates
    outcome, without_offset : AuctionOutcome
        The auction, with the offset of eq. (13) and without.
    returned : int
        The candidate that was returned, from 0.
    lies : tuple of LieSearch
        For each advertiser, in the auction with the offset.
    broken : dict from a rule of payment to a tuple of LieSearch
        The same with payments that are not truthful, to see the search find something; of the
        first query alone.
    laws : ReplyLaws
    """

    candidates: Candidates
    outcome: AuctionOutcome
    without_offset: AuctionOutcome
    returned: int
    lies: tuple[LieSearch, ...]
    broken: Mapping[str, tuple[LieSearch, ...]]
    laws: ReplyLaws

    @property
    def reply(self) -> str:
        """The reply that was returned."""
        return self.candidates.replies[self.returned]

    @property
    def truthful(self) -> bool:
        """Whether no lie pays."""
        return not any(found.pays for found in self.lies)

    @print_safely
    def __str__(self) -> str:
        query = printable(self.candidates.instance.query)
        return f"{query}\n{self.outcome}\n{indent_following_lines(self.reply, '  ')}"


def require_scores(model: LanguageModel, instance: Instance) -> None:
    """Ask a model to score two words, before anything is drawn that would have to be scored.

    Raises
    ------
    MissingCapabilityError
        Where it cannot; the message names what is missing.
    """
    checked_log_prob(ModelRoles(model, instance), instance.query, ["Yes."])


def play(
    models: Models,
    transcript: Transcript,
    *,
    rng: np.random.Generator,
    decoding: str,
    instances: Sequence[Instance] = (),
    queries: int = len(QUERIES),
    candidates: int = CANDIDATES,
    tau: float = TAU,
    progress: Callable[[str], None] = lambda text: None,
) -> tuple[AuctionRound, ...]:
    """Run the auction for some queries, and tell of it.

    Parameters
    ----------
    models : Models
        What speaks, and what draws.
    transcript : Transcript
    rng : numpy.random.Generator
        Streams spawned from it are drawn from, one a query.
    decoding : str
        How candidates are drawn, in words.
    instances : sequence of Instance
        Three of our own where none are given.
    queries : int
        How many of the three are run.
    candidates : int
        How many a query.
    tau : float
    progress : callable
        Is told what comes next.

    Raises
    ------
    InvalidInputError
        For a ``tau`` or a number of candidates that is none.
    LanguageModelError
        As :func:`llm_adapters.players.draw_candidates`.
    """
    given: Any = tau
    if type(given) not in {int, float} or not 0 < given < np.inf:
        raise InvalidInputError("tau", tau, "is not positive and finite", "give one above 0")
    counts: dict[str, Any] = {"candidates": candidates, "queries": queries}
    for name, count in counts.items():
        read_count(name, count)
    asked = tuple(instances) if len(instances) else choose_instances()[:queries]
    require_scores(models.speaks, asked[0])
    _introduce(transcript, candidates, tau, decoding)
    rounds = []
    for number, (instance, stream) in enumerate(zip(asked, rng.spawn(len(asked)), strict=True), 1):
        progress(f"query {number} of {len(asked)}: {_count(candidates)}, and scores")
        drawn = draw_candidates(instance, models, candidates, rng=stream)
        progress(f"query {number} of {len(asked)}: the auction, and lies to it")
        found = _hold_auction(drawn, tau, stream, broken=number == 1)
        _tell(transcript, number, found)
        rounds.append(found)
    _sum_up(transcript, rounds)
    return tuple(rounds)


def _hold_auction(
    drawn: Candidates, tau: float, rng: np.random.Generator, *, broken: bool
) -> AuctionRound:
    log_ref, log_gen = drawn.log_ref, drawn.log_gen
    outcome = softmax_auction(drawn.rewards, tau, log_ref, log_gen)
    returned = int(outcome.sample(rng))
    agents = range(len(drawn.rewards))

    def lies(rule: type[SoftmaxAuction]) -> tuple[LieSearch, ...]:
        auction = rule(tau, tuple(log_ref.tolist()), tuple(log_gen.tolist()))
        return tuple(search_lies(auction, drawn.rewards, i, rng) for i in agents)

    return AuctionRound(
        candidates=drawn,
        outcome=outcome,
        without_offset=softmax_auction(drawn.rewards, tau, log_ref, log_gen, offset=False),
        returned=returned,
        lies=lies(SoftmaxAuction),
        broken={name: lies(rule) for name, rule in _RULES.items() if broken},
        laws=reply_laws_of(drawn, tau),
    )


# --- the transcript


def _introduce(transcript: Transcript, candidates: int, tau: float, decoding: str) -> None:
    transcript.say(
        "A user asks a question, and two firms would like to be part of the answer. A model that "
        f"is told of both writes {_count(candidates)}. Each firm reports how much more "
        "likely its own model, which is told to advertise it, is to write each candidate than the "
        "reference, which is told nothing: its reward is the log-ratio of the two, in nats. One "
        "candidate is returned, with probability in proportion to (reference / generator) x "
        f"exp(sum of rewards / tau), here with tau = {tau:g}. The payments make the truth the best "
        "report."
    )
    transcript.say(f"Candidates are drawn {decoding}.")


def _count(candidates: int) -> str:
    return "1 candidate reply" if candidates == 1 else f"{candidates} candidate replies"


def _tell(transcript: Transcript, number: int, found: AuctionRound) -> None:
    drawn = found.candidates
    instance = drawn.instance
    query, firms = instance.query, instance.advertisers
    transcript.heading(f"Query {number}: {query}")
    transcript.points(f"**{firm.name}** offers {firm.description}." for firm in firms)
    transcript.say("What the reference, the generator and the first firm's model are asked:")
    transcript.quote(query, "reference")
    transcript.quote(context_prompt(query, firms), "generator")
    transcript.quote(advertising_prompt(query, firms[0]), firms[0].name)
    transcript.heading("The candidates", 3)
    transcript.numbered(reply or "(an empty reply)" for reply in drawn.replies)
    transcript.table(_numbers(found))
    transcript.heading("The auction", 3)
    transcript.table(_accounts(found))
    law = found.outcome.allocation
    transcript.say(
        f"Candidate {found.returned + 1} is drawn, which had probability "
        f"{law[found.returned]:.3f}. {_describe_mentions(instance, found.reply)} The user reads:"
    )
    transcript.quote(found.reply or "(an empty reply)")
    transcript.heading("Would a lie have paid?", 3)
    _tell_lies(transcript, found)
    transcript.heading("The law of the reply", 3)
    _tell_laws(transcript, found)


def _numbers(found: AuctionRound) -> Table:
    drawn, law = found.candidates, found.outcome.allocation
    columns = [drawn.log_ref, drawn.log_gen, drawn.log_own, *drawn.rewards]
    rows = tuple(
        (str(k + 1), *(f"{column[k]:.2f}" for column in columns), f"{law[k]:.4f}")
        for k in range(len(law))
    )
    return Table(
        caption="Log-probabilities and rewards, in nats, and the probability of being returned",
        columns=(
            "candidate",
            "log reference",
            "log generator",
            "its own law",
            *(f"reward {firm.name}" for firm in drawn.instance.advertisers),
            "returned",
        ),
        rows=rows,
    )


def _accounts(found: AuctionRound) -> Table:
    outcome, plain = found.outcome, found.without_offset
    columns = (
        outcome.expected_rewards,
        outcome.payments,
        outcome.utilities,
        plain.payments,
        plain.utilities,
    )
    names = [firm.name for firm in found.candidates.instance.advertisers]
    rows = [(name, *(f"{c[i]:.4f}" for c in columns)) for i, name in enumerate(names)]
    rows.append(("together", *(f"{c.sum():.4f}" for c in columns)))
    return Table(
        caption="What each firm expects, pays, and keeps; with the offset and without",
        columns=("firm", "reward", "pays", "keeps", "pays, no offset", "keeps, no offset"),
        rows=tuple(rows),
    )


def _describe_mentions(instance: Instance, reply: str) -> str:
    named = [firm.name for firm in instance.advertisers if mentions(reply, firm.name)]
    return f"It mentions {' and '.join(named)}." if named else "It mentions neither firm."


def _tell_lies(transcript: Transcript, found: AuctionRound) -> None:
    names = [firm.name for firm in found.candidates.instance.advertisers]
    transcript.table(_lies_table(names, found.lies))
    tried = sum(lies.finding.scope.instances for lies in found.lies)
    best = max(lies.best for lies in found.lies)
    allowed = max(lies.tolerance for lies in found.lies)
    verdict = "No lie pays" if found.truthful else "A LIE PAYS"
    statuses = sorted({lies.finding.status.value for lies in found.lies})
    transcript.say(
        f"{verdict}: the largest gain is {best:+.1e}, and up to {allowed:.1e} is rounding. The "
        f"battery says “dsic {', '.join(statuses)}” of {tried:,} comparisons, in which the best "
        "lies are also taken for true rewards."
    )
    if found.broken:
        paying = [lies.pays for searches in found.broken.values() for lies in searches]
        finds = (
            "finds lies that pay"
            if all(paying)
            else "finds lies that pay in some of these"
            if any(paying)
            else "finds none that pays on these candidates, either"
        )
        transcript.say(f"The same search, with payments of another kind, {finds}:")
        transcript.table(_broken_table(names, found))


def _broken_table(names: Sequence[str], found: AuctionRound) -> Table:
    rows = [
        (
            rule,
            *(f"{lies.best:+.3g}" for lies in searches),
            ", ".join(sorted({lies.finding.status.value for lies in searches})),
        )
        for rule, searches in found.broken.items()
    ]
    return Table(
        caption="The largest gain from a lie where the payments are others",
        columns=("rule", *names, "battery: dsic"),
        rows=tuple(rows),
    )


def _lies_table(names: Sequence[str], searches: Sequence[LieSearch]) -> Table:
    def cell(lies: LieSearch, gain: float) -> str:
        return "0" if abs(gain) <= lies.tolerance else f"{gain:+.2g}"

    tables: list[dict[str, Any]] = [
        {
            **lies.named,
            "the best of 16 at random": lies.random,
            "the best that ascent along the gradient found": lies.ascent,
        }
        for lies in searches
    ]
    rows = [
        (name, *(cell(lies, gains[name]) for lies, gains in zip(searches, tables, strict=True)))
        for name in tables[0]
    ]
    return Table(
        caption="What a firm gains by reporting other rewards, the other firm being honest",
        columns=("lie", *names),
        rows=tuple(rows),
    )


def _tell_laws(transcript: Transcript, found: AuctionRound) -> None:
    laws = found.laws
    transcript.table(laws.table())
    transcript.say(
        "A candidate that was drawn once weighs like any other that was drawn once, however likely "
        "each is, so the law on one draw is not the optimum. Averaged over draws it comes near it "
        "as candidates grow in number, if the weights are those of the law that candidates are "
        f"really drawn from. {_own_law(found)}"
    )
    transcript.table(laws.distance_table())
    transcript.say(
        f"On the candidates of this run the model's own law misstates the weight of one relative "
        f"to another by up to {laws.weight_error:.2f} nats, and the laws of the reply are "
        f"{laws.error:.4f} apart in total variation."
    )


def _own_law(found: AuctionRound) -> str:
    if np.array_equal(found.candidates.log_gen, found.candidates.log_own):
        return "Here that is the model's own law:"
    if found.laws.limit_own < _NEAR:
        return (
            "Here the optimum is nearly a single reply, so that even the weights of the model's "
            "own law, at temperature 1 and without top-p, come to it in the end:"
        )
    return (
        "With the model's own law, at temperature 1 and without top-p, in its place it tends to "
        "another law:"
    )


def rounds_table(rounds: Sequence[AuctionRound]) -> Table:
    """Return what came of each query, in one row."""
    rows = [
        (
            str(number),
            f"{found.outcome.revenue:.4f}",
            f"{max(lies.best for lies in found.lies):+.1e}",
            f"{found.laws.distances[1]:.4f}",
            f"{found.laws.distances_own[1]:.4f}",
            f"{found.laws.limit_own:.4f}",
            f"{found.laws.weight_error:.2f}",
            f"{found.laws.error:.4f}",
        )
        for number, found in enumerate(rounds, 1)
    ]
    return Table(
        caption="Revenue, the largest gain from a lie, total variations, and the error of weights",
        columns=(
            "query",
            "revenue",
            "lie",
            "to the optimum",
            "own weights",
            "own weights, M → ∞",
            "nats off",
            "between the two here",
        ),
        rows=tuple(rows),
    )


def _sum_up(transcript: Transcript, rounds: Sequence[AuctionRound]) -> None:
    transcript.heading("All queries")
    transcript.table(rounds_table(rounds))


# --- the demo


def _play(
    who: Participants,
    text: Transcript,
    *,
    seed: int,
    temperature: float,
    top_p: float,
    **options: Any,
) -> tuple[AuctionRound, ...]:
    decoding = (
        "at temperature 1 with nothing cut off, the only law that the server scores"
        if who.decoded is None
        else f"at temperature {temperature:g} with top-p {top_p:g}, and scored under the law that "
        "this really samples from"
    )
    rng = np.random.default_rng(seed)
    return play(who.models(temperature, top_p), text, rng=rng, decoding=decoding, **options)


_EXACT: Final = (
    "Log-probabilities are exact whatever the size of the model, so prices, lies and laws above "
    "are those of the mechanism on a real language model, and truth is best for each firm whatever "
    "its rewards are."
)

DEMO: Final = Demo(
    name="softmax-auction",
    about="""Hold three auctions of two advertisers each: candidates, prices, lies, and laws.

    A server scores at temperature 1 alone, so there --temperature and --top-p do not matter.""",
    play=_play,
    rule=BUSES.rule,
    remarks={
        RULES: "The model counts words, so that all its laws are known. What is seen is the "
        "auction: laws, prices and lies, on numbers that are exact. Nothing is seen of language.",
        LOCAL: f"{_EXACT} {SMALL} Its replies are not to be relied on, it may mention a firm "
        "without a reason or none at all, and its log-ratios say little of what an advertiser "
        "would really pay. Replies of a sentence differ by tens of nats, so the optimum on a few "
        "of them is nearly one reply, and the law comes near it only where that one is drawn. How "
        "near it comes to the optimum over all replies is not to be seen: that is not known.",
        "endpoint": f"{_EXACT} The server scores at temperature 1 alone, so candidates are drawn "
        "so, too, and the two kinds of weights agree.",
    },
    options={
        "queries": Count(len(QUERIES), 1, len(QUERIES)),
        "candidates": Count(CANDIDATES, 1, 1000),
        "tau": Number(TAU, 0.1, 1e6),
        "temperature": Number(0.8, 0.01, 100.0),
        "top_p": Number(0.95, 0.01, 1.0),
    },
)
