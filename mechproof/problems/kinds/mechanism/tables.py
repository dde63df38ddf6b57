"""Mechanisms as files give them: a row for each profile of reports, values by table, a prior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Annotated, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.reading import DocumentError, child, locate_errors
from mechproof.problems.format.typed import Record
from mechproof.problems.shared.goods import first_repetition, look_up_name
from theory.incentives import Lottery, Outcome, Prior

__all__ = [
    "Agents",
    "Chance",
    "OutcomeRow",
    "PriorLaw",
    "TabulatedMechanism",
    "mechanism_of",
    "prior_of",
]

T = TypeVar("T")

Profile = tuple[str, ...]

Agents = Annotated[
    dict[
        str,
        Annotated[dict[str, dict[str, Fraction]], Meta(min_length=1)],
    ],
    Meta(
        min_length=1,
        description="Agent, then type, then outcome: the value. Simple types first: smaller "
        "counterexamples are made of them.",
    ),
]


class OutcomeRow(Record, frozen=True, kw_only=True):
    """The outcome of a profile of reports: allocation and payments."""

    reports: Annotated[Profile, Meta(description="A type of each agent, in their order.")]
    outcome: Annotated[
        str | dict[str, Fraction],
        Meta(description="The outcome; or a lottery, outcome: probability."),
    ]
    payments: Annotated[
        tuple[Fraction, ...] | UnsetType,
        Meta(
            description="What each agent pays, in their order; below 0 it is paid. Expected "
            "payments after a lottery. When left out nobody pays."
        ),
    ] = UNSET


class Chance(Record, frozen=True, kw_only=True):
    """The probability of a profile of types."""

    types: Annotated[Profile, Meta(description="A type of each agent, in their order.")]
    probability: Annotated[Fraction, Meta(description="Its probability.")]


PriorLaw = dict[str, dict[str, Fraction]] | tuple[Chance, ...]


@dataclass(frozen=True)
class TabulatedMechanism:
    """A direct mechanism as a table."""

    rows: Mapping[Profile, Outcome]

    @property
    def __name__(self) -> str:
        return "the rule"

    def outcome(self, reports: Sequence[str]) -> Outcome:
        """Return the entry of the table."""
        return self.rows[tuple(reports)]


def mechanism_of(
    agents: Agents, outcomes: Sequence[str], table: Sequence[OutcomeRow]
) -> TabulatedMechanism:
    """Return the mechanism of the field ``table``, which has each profile once.

    The values in ``agents`` are checked to name each outcome.

    Raises
    ------
    DocumentError
        With the path of what is missing, given twice, unknown or of the wrong length.
    """
    k = first_repetition(outcomes)
    if k is not None:
        wrong = f"{outcomes[k]!r} names another outcome too: name each once"
        raise DocumentError(wrong, path=child("$.outcomes", k))
    for agent, types in agents.items():
        for kind, values in types.items():
            _check_values(values, outcomes, child(child("$.agents", agent), kind))
    rows: dict[Profile, Outcome] = {}
    for k, row in enumerate(table):
        path = child("$.table", k)
        _check_profile(row.reports, agents, f"{path}.reports", "reports")
        if row.reports in rows:
            first = list(rows).index(row.reports)
            wrong = f"are given twice: they stand in $.table[{first}] too; keep one"
            raise DocumentError(wrong, path=f"{path}.reports")
        rows[row.reports] = _outcome(row, outcomes, len(agents), path)
    _check_complete(rows, agents)
    return TabulatedMechanism(rows)


def prior_of(prior: PriorLaw | UnsetType, agents: Agents) -> Prior | None:
    """Return the prior of the field ``prior``: a law for each agent, or one of profiles."""
    if isinstance(prior, UnsetType):
        return None
    if isinstance(prior, dict):
        for agent, law in prior.items():
            path = child("$.prior", agent)
            types = look_up_name(agent, "agent", agents, path)
            for kind in law:
                look_up_name(kind, "type", types, child(path, kind))
            with locate_errors(path):
                Prior.independent([law])
        for agent in agents:
            if agent not in prior:
                wrong = f"has no law for the agent {agent!r}: add one"
                raise DocumentError(wrong, path="$.prior")
        return Prior.independent([prior[agent] for agent in agents])
    masses: dict[Profile, Fraction] = {}
    for k, chance in enumerate(prior):
        path = f"{child('$.prior', k)}.types"
        _check_profile(chance.types, agents, path, "types")
        if chance.types in masses:
            raise DocumentError("are given twice: add up their probabilities", path=path)
        masses[chance.types] = chance.probability
    with locate_errors("$.prior"):
        return Prior.joint(masses)


def _outcome(row: OutcomeRow, outcomes: Sequence[str], agents: int, path: str) -> Outcome:
    known = {name: name for name in outcomes}
    chosen = row.outcome
    if isinstance(chosen, str):
        allocation: str | Lottery = look_up_name(chosen, "outcome", known, f"{path}.outcome")
    else:
        for name in chosen:
            look_up_name(name, "outcome", known, child(f"{path}.outcome", name))
        with locate_errors(f"{path}.outcome"):
            allocation = Lottery(chosen)
    payments = (Fraction(0),) * agents if isinstance(row.payments, UnsetType) else row.payments
    _check_count(payments, agents, f"{path}.payments", "payments")
    return Outcome(allocation, payments)


def _check_values(values: Mapping[str, Fraction], outcomes: Sequence[str], path: str) -> None:
    known = dict.fromkeys(outcomes)
    for name in values:
        look_up_name(name, "outcome", known, child(path, name))
    for name in outcomes:
        if name not in values:
            wrong = f"has no value for the outcome {name!r}: add one"
            raise DocumentError(wrong, path=path)


def _check_profile(profile: Profile, agents: Agents, path: str, what: str) -> None:
    _check_count(profile, len(agents), path, what)
    for i, (kind, types) in enumerate(zip(profile, agents.values(), strict=True)):
        look_up_name(kind, "type", types, child(path, i))


def _check_count(given: Sequence[object], agents: int, path: str, what: str) -> None:
    if len(given) != agents:
        wrong = f"are {len(given)}: give {agents} {what}, one an agent"
        raise DocumentError(wrong, path=path)


def _check_complete(rows: Mapping[Profile, Outcome], agents: Agents) -> None:
    profiles = prod(map(len, agents.values()))
    if len(rows) < profiles:
        missing = next(p for p in product(*agents.values()) if p not in rows)
        more = f", and for {profiles - len(rows) - 1:,} more" if profiles - len(rows) > 1 else ""
        wrong = f"has no row for reports = {msgspec.json.encode(missing).decode()}{more}: "
        raise DocumentError(f"{wrong}each profile of types has one", path="$.table")
