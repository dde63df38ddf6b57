"""The kind ``mechanism``: what a finite mechanism does right, and the smallest lie that pays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.reading import DocumentError, child, locate_errors
from mechproof.problems.kind import AnswerBase, ProblemBase, ProblemKind
from mechproof.problems.kinds.mechanism.findings import Finding, findings_of, in_words
from mechproof.problems.kinds.mechanism.payments import (
    Implementable,
    describe_payments,
    implementable_of,
)
from mechproof.problems.kinds.mechanism.tables import (
    Agents,
    OutcomeRow,
    PriorLaw,
    mechanism_of,
    prior_of,
)
from mechproof.problems.kinds.mechanism.work import work_of
from mechproof.problems.shared.counting import (
    MAX_COMPARISONS,
    MAX_LONG_COMPARISONS,
    MAX_LOOKED_UP,
    MAX_PAIRS,
    by_length,
    check_count,
    weigh_steps,
)
from mechproof.problems.shared.goods import look_up_name
from theory.incentives import PROPERTIES, FiniteTypes, ValueTable, check_mechanism
from theory.incentives.allocation import implementable
from theory.incentives.table import AGENTS
from theory.shared.text import short_text

__all__ = ["KIND", "Answer", "Problem", "solve"]

_SAY_NOTHING: Final = {
    "feasible",
    "deterministic",
    "payment_identity",
    "convex_utility",
    "revenue_monotone",
    "false_name_proof",
}
"""Properties of which a table of named types says nothing, or which it has by its form."""

_NAMES: Final = {name: name for name in PROPERTIES if name not in _SAY_NOTHING}
_NEED_PRIOR: Final = {"bic", "interim_individually_rational"}


class Problem(ProblemBase, frozen=True, kw_only=True):
    """Agents with types and values, and the outcome of every profile of reports."""

    kind: Annotated[Literal["mechanism"], Meta(description="The kind of problem.")]
    outcomes: Annotated[
        tuple[str, ...], Meta(description="Names of what may come out.", min_length=1)
    ]
    agents: Agents
    table: Annotated[
        tuple[OutcomeRow, ...],
        Meta(description="The mechanism: a row for each profile of reports."),
    ]
    prior: Annotated[
        PriorLaw | UnsetType,
        Meta(
            description="The probabilities of types: agent, then type, where types are "
            "independent; or a list of profiles, where those left out never occur."
        ),
    ] = UNSET
    properties: Annotated[
        tuple[Annotated[str, Meta(extra_json_schema={"enum": list(_NAMES)})], ...] | UnsetType,
        Meta(description="What to check; when left out all, and with a prior those that need one."),
    ] = UNSET
    epsilon: Annotated[
        Fraction,
        Meta(description="The gain from a lie that dsic and bic put up with; 0 if left out."),
    ] = msgspec.field(default_factory=Fraction)
    implementable: Annotated[
        bool,
        Meta(description="Whether to say if any payments make the choice of outcomes truthful."),
    ] = False


class Answer(AnswerBase, frozen=True, kw_only=True):
    """A finding on each property; payments for the choice of outcomes, if they were asked for."""

    kind: Annotated[Literal["mechanism"], Meta(description="The kind of problem.")]
    version: Annotated[Literal[1], Meta(description="Version of the form of this answer.")]
    words: Annotated[tuple[str, ...], Meta(description="What was found, in words.")]
    findings: Annotated[tuple[Finding, ...], Meta(description="A finding for each property.")]
    implementable: Annotated[
        Implementable | UnsetType,
        Meta(description="Whether any payments make the choice of outcomes truthful, if asked."),
    ] = UNSET


def solve(problem: Problem) -> Answer:
    """Check the properties of the mechanism of a problem.

    Raises
    ------
    DocumentError
        With the path of what cannot be used.
    """
    asked = _wanted_properties(problem)
    _check_counts(problem, asked)
    mechanism = mechanism_of(problem.agents, problem.outcomes, problem.table)
    names = tuple(problem.agents)
    about: dict[str, Any] = {
        "types": [FiniteTypes(types) for types in problem.agents.values()],
        "values": ValueTable(list(problem.agents.values())),
    }
    prior = prior_of(problem.prior, problem.agents)
    if problem.epsilon < 0:
        wrong = f"is below 0 (got '{short_text(problem.epsilon)}'): give 0 or more"
        raise DocumentError(wrong, path="$.epsilon")
    report = check_mechanism(
        mechanism, **about, prior=prior, properties=asked, epsilon=problem.epsilon
    )
    words = list(in_words(report, names))
    supported: Implementable | UnsetType = UNSET
    if problem.implementable:
        with locate_errors("$.implementable"):
            found = implementable(mechanism, **about)
        words.append(describe_payments(found, names))
        supported = implementable_of(found, names)
    return Answer(
        kind="mechanism",
        version=1,
        words=tuple(words),
        findings=findings_of(report, names),
        implementable=supported,
    )


def _check_counts(problem: Problem, asked: Sequence[str]) -> None:
    """Count profiles of types, and what is compared at each."""
    types = [len(each) for each in problem.agents.values()]
    check_count("$.agents", "agents", len(types), AGENTS, "give fewer")
    profiles, lies = prod(types), sum(types)
    lotteries = [row.outcome for row in problem.table if isinstance(row.outcome, dict)]
    work = profiles * (lies + len(problem.outcomes)) + lies * sum(map(len, lotteries))
    fix = "give fewer types, agents or outcomes"
    check_count("$.agents", "comparisons", work, MAX_COMPARISONS, fix)
    long = weigh_steps(work, _numbers(problem, lotteries), MAX_LONG_COMPARISONS)
    what, fixed = "comparisons, by the length of numbers", f"{fix}, or round numbers"
    check_count("$.agents", what, long, MAX_LONG_COMPARISONS, fixed)
    if "pairwise_strategyproof" in asked:
        pairs = profiles * sum(a * b - 1 for a, b in combinations(types, 2))
        fixed = "list the properties to check, without pairwise_strategyproof"
        check_count("$.properties", "lies of two agents", pairs, MAX_PAIRS, fixed)
    _check_values(problem, asked, lotteries)


def _check_values(
    problem: Problem, asked: Sequence[str], lotteries: Sequence[dict[str, Fraction]]
) -> None:
    """Count the values that each property looks up, by the length of the longest number."""
    numbers = [number for row in _numbers(problem, lotteries) for number in row]
    likely = len(problem.prior) if isinstance(problem.prior, tuple) else None
    work = work_of(problem.agents, problem.outcomes, lotteries, likely)
    bits = (1 + work.longest) * max((p.denominator.bit_length() for p in numbers), default=0)
    of = {name: work.of(name) for name in asked}
    if problem.implementable:
        of["implementable"] = work.run() + work.cycles()
    count = by_length(work.run() + sum(of.values()), bits)
    fix = "give fewer types, agents or outcomes"
    if of:
        fix = f"{fix}, or do not ask for {max(of, key=of.__getitem__)}"
    check_count("$.agents", "values to look up", count, MAX_LOOKED_UP, fix)


def _numbers(
    problem: Problem, lotteries: Sequence[dict[str, Fraction]]
) -> Iterator[Iterable[Fraction]]:
    """Yield numbers that come over one denominator each: values, probabilities, payments."""
    yield (v for types in problem.agents.values() for row in types.values() for v in row.values())
    yield (p for law in lotteries for p in law.values())
    yield (p for row in problem.table for p in row.payments or ())
    if isinstance(problem.prior, dict):
        yield (p for law in problem.prior.values() for p in law.values())
    elif not isinstance(problem.prior, UnsetType):
        yield (each.probability for each in problem.prior)


def _wanted_properties(problem: Problem) -> Sequence[str]:
    if isinstance(problem.properties, UnsetType):
        return [name for name in _NAMES if problem.prior is not UNSET or name not in _NEED_PRIOR]
    return [
        look_up_name(name, "property", _NAMES, child("$.properties", k))
        for k, name in enumerate(problem.properties)
    ]


EXAMPLE = """\
# An auction of one item, to whoever bids more; Ann gets it where bids are equal. The winner should
# pay the other bid, so that no lie pays. In one row out of nine something else was written: can you
# see it?
#
#   mechproof example mechanism | mechproof solve -

kind = "mechanism"

# What may come out.
outcomes = ["to Ann", "to Bob"]

# Reports are types, one an agent in the order of the agents below; so are payments. A payment below
# 0 is paid to the agent. Instead of an outcome there may be a lottery:
#   outcome = { "to Ann" = "1/2", "to Bob" = "1/2" }
table = [
  { reports = ["low", "low"],   outcome = "to Ann", payments = [1, 0] },
  { reports = ["low", "mid"],   outcome = "to Bob", payments = [0, 1] },
  { reports = ["low", "high"],  outcome = "to Bob", payments = [0, 1] },
  { reports = ["mid", "low"],   outcome = "to Ann", payments = [1, 0] },
  { reports = ["mid", "mid"],   outcome = "to Ann", payments = [2, 0] },
  { reports = ["mid", "high"],  outcome = "to Bob", payments = [0, 2] },
  { reports = ["high", "low"],  outcome = "to Ann", payments = [3, 0] },
  { reports = ["high", "mid"],  outcome = "to Ann", payments = [2, 0] },
  { reports = ["high", "high"], outcome = "to Ann", payments = [3, 0] },
]

# Check these properties; when left out, all that a table can have.
properties = ["dsic", "bic", "individually_rational", "no_positive_transfers", "efficient"]

# Say whether any payments make this choice of outcomes truthful, and which.
implementable = true

# The gain from a lie that is put up with.
# epsilon = 0.01

# Agent, then type, then outcome: the value, as an integer, a decimal or a fraction.
[agents.Ann]
low  = { "to Ann" = 1, "to Bob" = 0 }
mid  = { "to Ann" = 2, "to Bob" = 0 }
high = { "to Ann" = 3, "to Bob" = 0 }

[agents.Bob]
low  = { "to Ann" = 0, "to Bob" = 1 }
mid  = { "to Ann" = 0, "to Bob" = 2 }
high = { "to Ann" = 0, "to Bob" = 3 }

# Probabilities of types, which are independent; only bic and interim_individually_rational need
# them. Types that depend on each other are listed by profile:
#   prior = [{ types = ["low", "mid"], probability = "1/2" }, …]
[prior]
Ann = { low = "1/2", mid = "1/4", high = "1/4" }
Bob = { low = "1/2", mid = "1/4", high = "1/4" }
"""

KIND = ProblemKind(name="mechanism", problem=Problem, answer=Answer, solve=solve, example=EXAMPLE)
