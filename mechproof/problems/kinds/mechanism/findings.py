"""Findings on the properties of a mechanism as an answer has them, with agents by name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.typed import Record
from mechproof.problems.shared.answers import Rational
from theory.incentives import MechanismReport, PropertyFinding, Witness
from theory.verdicts import Scope, Status

__all__ = ["Finding", "findings_of", "in_words", "with_names"]

_QUOTED_OR_AGENT = re.compile(
    r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\bagents (?P<i>\d+) and (?P<j>\d+)|\bagent (?P<k>\d+)"""
)


class JudgedInstances(Record, frozen=True, kw_only=True):
    """Which instances of a property were judged."""

    instances: Annotated[int, Meta(description="How many.")]
    met_hypotheses: Annotated[int, Meta(description="Those that the property speaks of.")]
    exhausted: Annotated[bool, Meta(description="Whether these are all there are.")]


class ComparedQuantity(Record, frozen=True, kw_only=True):
    """A quantity that is compared."""

    what: Annotated[str, Meta(description="What it is.")]
    comes_to: Annotated[str, Meta(description="What it comes to.")]


class Counterexample(Record, frozen=True, kw_only=True):
    """The smallest instance at which a property fails."""

    agents: Annotated[
        tuple[str, ...], Meta(description="Who is singled out: who lies, or is worse off.")
    ]
    types: Annotated[
        dict[str, str],
        Meta(
            description="Agent: the true type, which is also the report of whoever does not lie. "
            "Those that are left out are drawn from the prior."
        ),
    ]
    lies: Annotated[
        tuple[str, ...],
        Meta(
            description="What is compared with the truth: what those singled out report instead, "
            "or the other types of a cycle."
        ),
    ]
    gain: Annotated[Rational, Meta(description="By how much the property fails.")]
    story: Annotated[str, Meta(description="The counterexample in one sentence.")]
    sides: Annotated[
        tuple[ComparedQuantity, ...], Meta(description="What is compared, in numbers.")
    ]


class Finding(Record, frozen=True, kw_only=True):
    """What is known of one property."""

    property: Annotated[str, Meta(description="Its name.")]
    statement: Annotated[str, Meta(description="What it says, in mathematics.")]
    status: Annotated[
        str, Meta(description="Whether it is so.", extra_json_schema={"enum": list(Status)})
    ]
    strength: Annotated[
        str,
        Meta(description="exact: by exhaustion, in rationals. tested: by a sample, or not at all."),
    ]
    scope: Annotated[JudgedInstances, Meta(description="Of which instances it is known.")]
    reason: Annotated[str, Meta(description="The status in words.")]
    slack: Annotated[
        Rational | UnsetType,
        Meta(description="The least by which it holds at an instance; below 0 it fails there."),
    ] = UNSET
    gap: Annotated[
        Rational,
        Meta(description="How far slacks are from those that separate code computes; 0 is equal."),
    ]
    witness: Annotated[
        Counterexample | UnsetType, Meta(description="Where it fails, if it is refuted.")
    ] = UNSET


def findings_of(report: MechanismReport, agents: Sequence[str]) -> tuple[Finding, ...]:
    """Return the findings of a report, in its order."""
    return tuple(_make_finding(found, agents) for found in report.findings)


def in_words(report: MechanismReport, agents: Sequence[str]) -> Iterator[str]:
    """Yield what was found: a sentence for each property that fails, and one for all that hold."""
    for found in report.findings:
        if found.witness is not None:
            yield f"{found.property} fails: {with_names(found.witness.story, agents)}."
    holding = [f.property for f in report.findings if f.status is Status.HOLDS]
    if holding:
        yield f"What holds: {', '.join(holding)}."
    for found in report.findings:
        if found.status not in {Status.HOLDS, Status.REFUTED}:
            yield f"{found.property} is {found.status}: {with_names(found.reason, agents)}."


def with_names(text: str, agents: Sequence[str]) -> str:
    """Return the text with names in place of "agent 0" and the like, but for what is quoted."""

    def name(match: re.Match[str]) -> str:
        if match["k"] is not None:
            return agents[int(match["k"])]
        if match["i"] is not None:
            return f"{agents[int(match['i'])]} and {agents[int(match['j'])]}"
        return match[0]

    return _QUOTED_OR_AGENT.sub(name, text)


def _make_finding(found: PropertyFinding, agents: Sequence[str]) -> Finding:
    return Finding(
        property=found.property,
        statement=found.statement,
        status=str(found.status),
        strength=str(found.strength),
        scope=_judge_scope(found.scope),
        reason=with_names(found.reason, agents),
        slack=UNSET if found.slack is None else str(found.slack),
        gap=str(found.gap),
        witness=UNSET if found.witness is None else _counterexample(found.witness, agents),
    )


def _judge_scope(scope: Scope) -> JudgedInstances:
    return JudgedInstances(
        instances=scope.instances,
        met_hypotheses=scope.met_hypotheses,
        exhausted=scope.exhausted,
    )


def _counterexample(witness: Witness, agents: Sequence[str]) -> Counterexample:
    alone = tuple(agents[i] for i in witness.agents)
    lies = tuple(map(str, witness.lies))
    if witness.profile:
        types = dict(zip(agents, map(str, witness.profile), strict=True))
    else:  # the others' types are averaged over, and the own one stands before the lies
        types, lies = {alone[0]: lies[0]}, lies[1:]
    return Counterexample(
        agents=alone,
        types=types,
        lies=lies,
        gain=str(witness.gain),
        story=with_names(witness.story, agents),
        sides=tuple(
            ComparedQuantity(what=with_names(what, agents), comes_to=with_names(text, agents))
            for what, text in witness.sides
        ),
    )
