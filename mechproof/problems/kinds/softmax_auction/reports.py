"""What agents report to the softmax auction, and under which laws, as the numbers they are.

A reward is a rational, or a logarithm of one when it comes as odds or from probabilities: all of
them are closed forms, so that nothing is rounded before the auction is run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Final

from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.reading import DocumentError, WrittenNumber, child, locate_errors
from mechproof.problems.format.schema import having
from mechproof.problems.format.typed import Record, check_digits
from theory.numbers import ClosedForm, log, rational
from theory.shared.text import short_text

__all__ = ["ONE_LAW", "ONE_REPORT", "Agent", "Law", "Reports", "above_zero", "reports_of"]

_NEVER: Final = {"-inf", "-Infinity"}
"""Minus infinity as text, and as TOML and Python's JSON write it."""

LogProbability = Annotated[
    Any, Meta(extra_json_schema={"anyOf": [{"$ref": "#/$defs/Number"}, {"const": "-inf"}]})
]
LogProbabilities = Annotated[
    tuple[LogProbability, ...],
    Meta(description='For each candidate the logarithm of its probability, at most 0, or "-inf".'),
]
Probabilities = Annotated[
    tuple[Fraction, ...],
    Meta(description="For each candidate its probability. They need not sum to one."),
]


class Law(Record, frozen=True, kw_only=True):
    """How likely a language model is to write each candidate, in one of two forms."""

    probabilities: Probabilities | UnsetType = UNSET
    log_probabilities: LogProbabilities | UnsetType = UNSET


class Agent(Record, frozen=True, kw_only=True):
    """What an agent reports: rewards in one of four forms."""

    rewards: Annotated[
        tuple[Fraction, ...] | UnsetType,
        Meta(description="For each candidate what it is worth to the agent, in money."),
    ] = UNSET
    odds: Annotated[
        tuple[Fraction, ...] | UnsetType,
        Meta(description="Instead: exp(reward / tau) of each candidate, above 0."),
    ] = UNSET
    probabilities: Probabilities | UnsetType = UNSET
    log_probabilities: LogProbabilities | UnsetType = UNSET
    tau: Annotated[
        Fraction | UnsetType,
        Meta(description="Of an agent that reports its model: its own tau, 1 when left out."),
    ] = UNSET
    log_normaliser: Annotated[
        Fraction | UnsetType,
        Meta(
            description="Of an agent that reports its model: log Z, 0 when left out. With the "
            "offset no payment depends on it."
        ),
    ] = UNSET


_FORMS: Final = ("rewards", "odds", "probabilities", "log_probabilities")
_LAWS: Final = _FORMS[2:]
_OWN: Final = ("tau", "log_normaliser")
"""Fields that belong to an agent that reports its model."""

ONE_LAW: Final = Meta(
    extra_json_schema={"oneOf": [{"required": [form]} for form in _LAWS]},
)
ONE_REPORT: Final = Meta(
    extra_json_schema={
        "oneOf": [having(form, without=() if form in _LAWS else _OWN) for form in _FORMS]
    },
)


@dataclass(frozen=True)
class Reports:
    """Rewards over tau, agent by agent, and log(reference / generator); None is minus infinity."""

    scaled: tuple[tuple[ClosedForm, ...], ...]
    log_ratios: tuple[ClosedForm | None, ...]


def reports_of(
    agents: Mapping[str, Agent],
    *,
    candidates: int,
    tau: Fraction,
    reference: Law | UnsetType,
    generator: Law | UnsetType,
) -> Reports:
    """Return what was reported, with ``candidates`` entries for each agent and law.

    Raises
    ------
    DocumentError
        With the path of what cannot be used.
    """
    if isinstance(reference, UnsetType) != isinstance(generator, UnsetType):
        given, left = ("generator", "reference")
        if isinstance(generator, UnsetType):
            given, left = left, given
        wrong = (
            f"has a {given} and no {left}: give both, the same law twice if the candidates are "
            "drawn from the reference, or neither"
        )
        raise DocumentError(wrong, path="$")
    by_agent = {child("$.agents", name): agent for name, agent in agents.items()}
    _check_logs({"$.reference": reference, "$.generator": generator, **by_agent})
    ref = _logs(reference, candidates, "$.reference")
    gen = _logs(generator, candidates, "$.generator")
    for j, each in enumerate(gen or ()):
        if each is None:
            wrong = "is impossible under the generator, which has drawn it: give the law sampled"
            raise DocumentError(wrong, path=child(_entries(generator, "$.generator"), j))
    if ref is not None and all(each is None for each in ref):
        wrong = "gives every candidate probability 0: no reply can be shown; draw other candidates"
        raise DocumentError(wrong, path="$.reference")
    return Reports(
        scaled=tuple(
            _scale_report(agent, ref, candidates, tau, child("$.agents", name))
            for name, agent in agents.items()
        ),
        log_ratios=tuple(
            None if r is None or g is None else r - g
            for r, g in zip(
                ref or [ClosedForm(Fraction(0))] * candidates,
                gen or [ClosedForm(Fraction(0))] * candidates,
                strict=True,
            )
        ),
    )


def _scale_report(
    agent: Agent,
    reference: Sequence[ClosedForm | None] | None,
    candidates: int,
    tau: Fraction,
    path: str,
) -> tuple[ClosedForm, ...]:
    given = [field for field in _FORMS if getattr(agent, field) is not UNSET]
    if len(given) != 1:
        found = f"both {given[0]} and {given[1]}" if given else "no rewards"
        wrong = f"has {found}: give one of rewards, odds, probabilities and log_probabilities"
        raise DocumentError(wrong, path=path)
    if given[0] in _LAWS:
        return _from_model(agent, reference, candidates, tau, path)
    for field in _OWN:
        if getattr(agent, field) is not UNSET:
            wrong = f"does not go with {given[0]}: it belongs to an agent that reports its model"
            raise DocumentError(wrong, path=f"{path}.{field}")
    if not isinstance(agent.rewards, UnsetType):
        _of_length(agent.rewards, candidates, f"{path}.rewards")
        return tuple(ClosedForm(reward / tau) for reward in agent.rewards)
    assert not isinstance(agent.odds, UnsetType)
    _of_length(agent.odds, candidates, f"{path}.odds")
    for j, odds in enumerate(agent.odds):
        if odds <= 0:
            wrong = f"is not above 0 (got '{short_text(odds)}'): give exp(reward / tau)"
            raise DocumentError(wrong, path=child(f"{path}.odds", j))
    return tuple(log(odds) for odds in agent.odds)


def _from_model(
    agent: Agent,
    reference: Sequence[ClosedForm | None] | None,
    candidates: int,
    tau: Fraction,
    path: str,
) -> tuple[ClosedForm, ...]:
    """Return (tau_i log(model / reference) + tau_i log Z_i) / tau: eq. 11, put right."""
    if reference is None:
        wrong = "reports its model, and rewards are relative to the reference: add it"
        raise DocumentError(wrong, path=path)
    own_tau = Fraction(1) if isinstance(agent.tau, UnsetType) else agent.tau
    log_z = Fraction(0) if isinstance(agent.log_normaliser, UnsetType) else agent.log_normaliser
    above_zero(own_tau, f"{path}.tau")
    law = Law(probabilities=agent.probabilities, log_probabilities=agent.log_probabilities)
    model = _logs(law, candidates, path)
    assert model is not None
    rewards = list[ClosedForm]()
    for j, (own, ref) in enumerate(zip(model, reference, strict=True)):
        if own is None or ref is None:
            which = "the agent's model" if own is None else "the reference"
            wrong = f"is impossible under {which}, so that its reward is infinite: give rewards"
            raise DocumentError(wrong, path=child(_entries(law, path), j))
        rewards.append((own - ref + log_z) * (own_tau / tau))
    return tuple(rewards)


def _logs(law: Law | UnsetType, candidates: int, path: str) -> list[ClosedForm | None] | None:
    """Return the logarithms of the probabilities, None for that of 0."""
    if isinstance(law, UnsetType):
        return None
    if isinstance(law.probabilities, UnsetType) == isinstance(law.log_probabilities, UnsetType):
        found = "neither" if isinstance(law.probabilities, UnsetType) else "both"
        wrong = f"has {found} of probabilities and log_probabilities: give one of them"
        raise DocumentError(wrong, path=path)
    entries = _entries(law, path)
    if not isinstance(law.probabilities, UnsetType):
        _of_length(law.probabilities, candidates, entries)
        for j, p in enumerate(law.probabilities):
            if not 0 <= p <= 1:
                wrong = f"is not between 0 and 1 (got '{short_text(p)}'): give a probability"
                raise DocumentError(wrong, path=child(entries, j))
        return [log(p) if p else None for p in law.probabilities]
    assert not isinstance(law.log_probabilities, UnsetType)
    _of_length(law.log_probabilities, candidates, entries)
    read = [_log(value, child(entries, j)) for j, value in enumerate(law.log_probabilities)]
    return [None if each is None else ClosedForm(each) for each in read]


def _check_logs(laws: Mapping[str, Law | Agent | UnsetType]) -> None:
    """Refuse logarithms that are long and many, those of all laws by their paths together."""
    found = (
        _log(value, child(f"{path}.log_probabilities", j))
        for path, law in laws.items()
        if not isinstance(law, UnsetType)
        for j, value in enumerate(law.log_probabilities or ())
    )
    with locate_errors("$"):
        check_digits((each for each in found if each is not None), "log_probabilities")


def _log(value: Any, path: str) -> Fraction | None:
    written = value.text if isinstance(value, WrittenNumber) else value
    if isinstance(written, str) and written in _NEVER:
        return None
    with locate_errors(path):
        found = rational(written)
    if found > 0:
        wrong = f"is above 0 (got '{short_text(found)}'): give the logarithm of a probability"
        raise DocumentError(wrong, path=path)
    return found


def above_zero(value: Fraction, path: str) -> None:
    """Refuse what is not above 0."""
    if value <= 0:
        wrong = f"is not above 0 (got '{short_text(value)}'): give a positive number"
        raise DocumentError(wrong, path=path)


def _entries(law: Law | UnsetType, path: str) -> str:
    exact = not isinstance(law, UnsetType) and not isinstance(law.probabilities, UnsetType)
    return f"{path}.{'probabilities' if exact else 'log_probabilities'}"


def _of_length(values: Sequence[object], wanted: int, path: str) -> None:
    if len(values) != wanted:
        wrong = f"has {len(values)} entries: give {wanted}, one for each candidate"
        raise DocumentError(wrong, path=path)
