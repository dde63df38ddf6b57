"""Whether any payments make an allocation rule truthful, as an answer says it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.typed import Record
from mechproof.problems.kinds.mechanism.findings import with_names
from mechproof.problems.shared.answers import Rational
from theory.incentives.allocation import EnvyStep, Implementation, NegativeCycle

__all__ = ["Implementable", "describe_payments", "implementable_of"]


class Payments(Record, frozen=True, kw_only=True):
    """What is paid after some reports."""

    reports: Annotated[tuple[str, ...], Meta(description="A type of each agent.")]
    payments: Annotated[tuple[Rational, ...], Meta(description="What each agent pays.")]


class CycleStep(Record, frozen=True, kw_only=True):
    """What a type would gain before payments if it passed for another."""

    type: Annotated[str, Meta(description="The type.")]
    passes_for: Annotated[str, Meta(description="The other one.")]
    worth: Annotated[Rational, Meta(description="Its value of what it gets itself.")]
    would_be_worth: Annotated[Rational, Meta(description="Its value of what the other gets.")]
    gain: Annotated[Rational, Meta(description="The difference.")]


class Cycle(Record, frozen=True, kw_only=True):
    """Types of an agent that no payments keep from passing for one another."""

    agent: Annotated[str, Meta(description="Whose types they are.")]
    others: Annotated[dict[str, str], Meta(description="Other agent: the report.")]
    steps: Annotated[
        tuple[CycleStep, ...], Meta(description="Each type with the next, the last with the first.")
    ]
    total: Annotated[Rational, Meta(description="The sum of what they get less what they'd get.")]


class Implementable(Record, frozen=True, kw_only=True):
    """Payments that make the rule truthful, or the smallest cycle of types that forbids any."""

    holds: Annotated[bool, Meta(description="Whether any payments make the rule truthful.")]
    payments: Annotated[
        tuple[Payments, ...] | UnsetType,
        Meta(
            description="If so: by profile the highest payments at which no lie pays and no type "
            "loses by the truth."
        ),
    ] = UNSET
    cycle: Annotated[Cycle | UnsetType, Meta(description="If not: why.")] = UNSET
    gap: Annotated[
        Rational,
        Meta(description="The most that separate code finds a type to gain, or a total to err."),
    ]


def implementable_of(found: Implementation | NegativeCycle, agents: Sequence[str]) -> Implementable:
    """Return what was found, with agents by name."""
    gap = str(found.gap)
    if isinstance(found, NegativeCycle):
        return Implementable(holds=False, cycle=_cycle(found, agents), gap=gap)
    payments = tuple(
        Payments(reports=tuple(map(str, reports)), payments=tuple(map(str, paid)))
        for reports, paid in found.payments.items()
    )
    return Implementable(holds=True, payments=payments, gap=gap)


def describe_payments(found: Implementation | NegativeCycle, agents: Sequence[str]) -> str:
    """Return what was found, in words."""
    if isinstance(found, NegativeCycle):
        return with_names(found.story, agents)
    return "With the payments listed under implementable the rule is truthful, and no type loses."


def _cycle(found: NegativeCycle, agents: Sequence[str]) -> Cycle:
    rest = [name for i, name in enumerate(agents) if i != found.agent]
    return Cycle(
        agent=agents[found.agent],
        others=dict(zip(rest, map(str, found.others), strict=True)),
        steps=tuple(map(_step, found.steps)),
        total=str(found.total),
    )


def _step(step: EnvyStep) -> CycleStep:
    return CycleStep(
        type=str(step.type),
        passes_for=str(step.passes_for),
        worth=str(step.worth),
        would_be_worth=str(step.would_be_worth),
        gain=str(step.gain),
    )
