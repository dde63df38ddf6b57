"""The kind ``softmax-auction``: which reply is shown, and what each agent pays for it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.schema import having
from mechproof.problems.format.typed import Record
from mechproof.problems.kind import AnswerBase, ProblemBase, ProblemKind
from mechproof.problems.kinds.softmax_auction.amounts import (
    Amount,
    AuctionNumbers,
    about,
    middle,
    write_number,
)
from mechproof.problems.kinds.softmax_auction.outcome import outcome_of
from mechproof.problems.kinds.softmax_auction.reports import (
    ONE_LAW,
    ONE_REPORT,
    Agent,
    Law,
    above_zero,
    reports_of,
)
from mechproof.problems.shared.counting import MAX_AUCTION, check_count

__all__ = ["KIND", "Answer", "Problem", "solve"]

_LEAST_BITS = 256
"""Bits of precision in which an auction is run at least."""
_SHOWN = 60
"""The longest name of a candidate that is not cut in a sentence."""


class Problem(ProblemBase, frozen=True, kw_only=True):
    """Candidates for the reply to a query, and what they are worth to the agents."""

    kind: Annotated[Literal["softmax-auction"], Meta(description="The kind of problem.")]
    tau: Annotated[
        Fraction,
        Meta(description="How much rewards must grow to pull the reply from the reference; > 0."),
    ]
    candidates: Annotated[
        tuple[str, ...],
        Meta(
            description="The replies that were drawn. One drawn twice is listed twice.",
            min_length=1,
        ),
    ]
    agents: Annotated[
        dict[str, Annotated[Agent, ONE_REPORT]],
        Meta(description="Agent: what it reports.", min_length=1),
    ]
    reference: Annotated[
        Annotated[Law, ONE_LAW] | UnsetType,
        Meta(
            description="The law that the reply is to stay near. With generator; both are left out "
            "when the candidates are drawn from the reference itself."
        ),
    ] = UNSET
    generator: Annotated[
        Annotated[Law, ONE_LAW] | UnsetType,
        Meta(description="The law that the candidates were really drawn from."),
    ] = UNSET
    offset: Annotated[
        bool,
        Meta(
            description="Whether an agent that changes nothing pays nothing, as when left out; if "
            "not, all agents end with the same utility."
        ),
    ] = True


class ReplyProbability(Record, frozen=True, kw_only=True):
    """A candidate, and how likely it is to be shown."""

    candidate: Annotated[str, Meta(description="The reply.")]
    probability: Annotated[Amount, Meta(description="Its probability to be the one shown.")]


class AgentShare(Record, frozen=True, kw_only=True):
    """What becomes of an agent, in expectation over the candidate that is shown."""

    reward: Annotated[Amount, Meta(description="What the reply is worth to it.")]
    payment: Annotated[Amount, Meta(description="What it pays; below 0 it is paid.")]
    utility: Annotated[Amount, Meta(description="The reward less the payment.")]
    without: Annotated[
        Amount,
        Meta(
            description="What the reply would be worth to it if it stayed out, the candidates "
            "being the same; it would pay nothing, so that this would be its utility too."
        ),
    ]
    reward_gain: Annotated[Amount, Meta(description="The reward less that without it.")]
    utility_gain: Annotated[Amount, Meta(description="The utility less that without it.")]


class Answer(AnswerBase, frozen=True, kw_only=True):
    """Which candidate is shown how often, and who pays what for that."""

    kind: Annotated[Literal["softmax-auction"], Meta(description="The kind of problem.")]
    version: Annotated[Literal[1], Meta(description="Version of the form of this answer.")]
    words: Annotated[tuple[str, ...], Meta(description="What was found, in words.")]
    arithmetic: Annotated[
        Literal["exact", "certified"],
        Meta(
            description="Whether probabilities are rational and money has closed forms, or numbers "
            "lie between certified bounds."
        ),
    ]
    offset: Annotated[bool, Meta(description="Whether an agent that changes nothing pays nothing.")]
    allocation: Annotated[
        tuple[ReplyProbability, ...], Meta(description="The candidates in their order.")
    ]
    agents: Annotated[dict[str, AgentShare], Meta(description="Agent: what becomes of it.")]
    revenue: Annotated[Amount, Meta(description="The sum of all payments.")]


def solve(problem: Problem) -> Answer:
    """Run the auction of a problem.

    Raises
    ------
    DocumentError
        With the path of what cannot be used.
    """
    above_zero(problem.tau, "$.tau")
    rewards = len(problem.agents) * len(problem.candidates)
    fix = "give fewer agents or candidates"
    check_count("$.agents", "rewards", rewards, MAX_AUCTION // _LEAST_BITS, fix)
    reports = reports_of(
        problem.agents,
        candidates=len(problem.candidates),
        tau=problem.tau,
        reference=problem.reference,
        generator=problem.generator,
    )
    found = outcome_of(reports, problem.tau, offset=problem.offset)
    return Answer(
        kind="softmax-auction",
        version=1,
        words=tuple(_describe_outcome(problem, found)),
        arithmetic="exact" if found.exact else "certified",
        offset=problem.offset,
        allocation=tuple(
            ReplyProbability(candidate=name, probability=write_number(p))
            for name, p in zip(problem.candidates, found.allocation, strict=True)
        ),
        agents={
            name: AgentShare(
                reward=write_number(found.rewards[i]),
                payment=write_number(found.payments[i]),
                utility=write_number(found.utilities[i]),
                without=write_number(found.without[i]),
                reward_gain=write_number(found.reward_gains[i]),
                utility_gain=write_number(found.utility_gains[i]),
            )
            for i, name in enumerate(problem.agents)
        },
        revenue=write_number(found.revenue),
    )


def _describe_outcome(problem: Problem, found: AuctionNumbers) -> Iterator[str]:
    top = max(range(len(problem.candidates)), key=lambda j: middle(found.allocation[j]))
    yield (
        f"The reply most likely to be shown is {_quote_name(problem.candidates[top])}, "
        f"with probability {about(found.allocation[top])}."
    )
    for i, name in enumerate(problem.agents):
        paid = found.payments[i]
        money = middle(paid)
        if not money:
            pays = "pays nothing"
        elif money > 0:
            pays = f"pays {about(paid)}"
        else:
            pays = f"is paid {about(paid, times=-1)}"
        yield (
            f"{name} expects {about(found.rewards[i])} of the reply, {pays}, and is left with "
            f"{about(found.utilities[i])}; had it stayed out, with {about(found.without[i])}."
        )
        worst = min(
            (j for j, p in enumerate(found.allocation) if middle(p)),
            key=lambda j: middle(found.reports[i][j]),
        )
        left = middle(found.reports[i][worst]) - money
        if left < 0 <= middle(found.utilities[i]):
            yield (
                f"{name} pays that whichever reply is shown: "
                f"{_quote_name(problem.candidates[worst])} leaves it with {about(left)}."
            )
    total = middle(found.revenue)
    if total < 0:
        yield f"The auctioneer loses {about(found.revenue, times=-1)}."
    else:
        yield f"The auctioneer earns {about(found.revenue) if total else 'nothing'}."


def _quote_name(name: str) -> str:
    return f"“{name if len(name) <= _SHOWN else name[: _SHOWN - 1] + '…'}”"


EXAMPLE = """\
# Somebody asks how to keep tomatoes through the winter. Four replies have been drawn; two firms say
# what each is worth to them. Which reply is shown, and what do the firms pay?
#
#   mechproof example softmax-auction | mechproof solve -

kind = "softmax-auction"

# In money, like the rewards. The smaller, the more surely the best reply is shown.
tau = 1

# The replies that were drawn. One that was drawn twice stands here twice.
candidates = [
  "Dry them in the sun.",
  "Bottle them in jars by Jarwell.",
  "Freeze them in a Frostbox.",
  "Freeze half in a Frostbox, bottle half in jars by Jarwell.",
]

# What each reply is worth to each agent. Instead of rewards there may be
#   odds = [1, 2, 1, 2]                      exp(reward / tau): answers are then exact
#   probabilities = [0.1, 0.4, 0.1, 0.4]     the agent's own model; or log_probabilities
# A model may come with a tau of its own and a log_normaliser, 1 and 0 when left out: the reward is
# tau * (log(model's probability / reference's) + log_normaliser).
[agents.Jarwell]
rewards = [0, 2, 0, 1.5]

[agents.Frostbox]
rewards = [0, 0, 1, 1]

# The law that the reply should stay near, and the law that the replies were really drawn from, as
# probabilities or as log_probabilities. Leave out both if replies come from the reference.
[reference]
probabilities = [0.3, 0.02, 0.02, 0.001]

[generator]
probabilities = [0.1, 0.05, 0.05, 0.04]

# Without the offset every agent ends with the same utility, what it reports or not. Before the
# first table:
# offset = false
"""

KIND = ProblemKind(
    name="softmax-auction",
    problem=Problem,
    answer=Answer,
    solve=solve,
    example=EXAMPLE,
    constraint={
        "oneOf": [
            {"required": ["reference", "generator"]},
            having(without=["reference", "generator"]),
        ]
    },
)
