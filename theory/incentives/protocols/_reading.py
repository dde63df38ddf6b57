"""Reading what a run says of itself, once, so that nothing can change afterwards."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from numbers import Rational, Real
from typing import Any

from theory.errors import InvalidInputError, NumberError, nearest
from theory.incentives._content import content
from theory.incentives.protocols._record import (
    MessageSent,
    MoveMade,
    PaymentMade,
    SecretsGranted,
    Step,
)
from theory.numbers import rational
from theory.shared.arguments import read_count

__all__ = ["Payment", "RecordedRun", "read"]


@dataclass(frozen=True, slots=True)
class Payment:
    """An amount that goes from one account to another at a step, numbered from 1."""

    step: int
    payer: str
    payee: str
    amount: Fraction


@dataclass(frozen=True)
class RecordedRun:
    """What happened in a run, deep-copied.

    Attributes
    ----------
    steps, contents : tuple
        The first ``limit`` steps, and what they held when they were read.
    ended : bool
        Whether there were no more.
    opening, closing, floors : dict
        By account; a float is the rational that it stands for.
    payments : tuple of Payment
        In order.
    inexact : bool
        Whether there are floats among these numbers.
    secrets : dict
        What each secret holds, hidden moves among them.
    """

    public: Hashable
    steps: tuple[Step, ...]
    contents: tuple[Hashable, ...]
    ended: bool
    limit: int
    opening: dict[str, Fraction]
    closing: dict[str, Fraction]
    floors: dict[str, Fraction | None]
    payments: tuple[Payment, ...]
    inexact: bool
    secrets: dict[str, Hashable]

    @property
    def players(self) -> frozenset[str]:
        """All who are told something or do something."""
        return frozenset(s.player for s in self.steps if isinstance(s, MessageSent | MoveMade))


def read(run: Any) -> RecordedRun:
    """Read a run.

    Raises
    ------
    InvalidInputError
        For what is no run, naming the part that cannot be read; and whatever the run raises.
    """
    numbers = _Numbers()
    limit = read_count("limit", _part(run, "limit"), 0)
    steps, contents, ended = list[Step](), list[Hashable](), True
    for step in _part(run, "steps"):
        if len(steps) == limit:
            ended = False
            break
        steps.append(_step(step, len(steps) + 1))
        contents.append(content(step))
    secrets = {name: content(value) for name, value in _read_mapping(run, "secrets").items()}
    for step in steps:
        if isinstance(step, MoveMade) and step.hidden:
            secrets[step.hidden] = content(step.move)
    _check_grants(steps, secrets)
    floors = _read_mapping(run, "floors").items()
    return RecordedRun(
        public=content(_part(run, "public")),
        steps=tuple(steps),
        contents=tuple(contents),
        ended=ended,
        limit=limit,
        opening=numbers.table("opening", _read_mapping(run, "opening")),
        closing=numbers.table("closing", _read_mapping(run, "closing")),
        floors={a: None if x is None else numbers.read(x, f"floor of {a}") for a, x in floors},
        payments=tuple(
            Payment(k, step.payer, step.payee, numbers.read(step.amount, f"amount of step {k}"))
            for k, step in enumerate(steps, 1)
            if isinstance(step, PaymentMade)
        ),
        inexact=numbers.floats,
        secrets=secrets,
    )


class _Numbers:
    """Reads amounts of money exactly, and remembers whether there were floats."""

    def __init__(self) -> None:
        self.floats = False

    def read(self, value: object, argument: str) -> Fraction:
        """Return an amount."""
        if not isinstance(value, Real) or isinstance(value, Rational):
            return rational(value, argument)
        self.floats = True
        number = float(value)
        if not isfinite(number):
            raise NumberError(argument, value, "is not finite", "give a number")
        return Fraction(number)

    def table(self, part: str, amounts: Mapping[str, object]) -> dict[str, Fraction]:
        """Return amounts by account."""
        return {account: self.read(x, f"{part} of {account}") for account, x in amounts.items()}


def _part(run: Any, name: str) -> Any:
    try:
        return getattr(run, name)
    except AttributeError as error:
        fix = "return a RunRecord, or what has its fields"
        raise InvalidInputError("run", type(run).__name__, f"has no {name}", fix) from error


def _read_mapping(run: Any, name: str) -> Mapping[str, object]:
    found = _part(run, name)
    if not isinstance(found, Mapping):
        raise InvalidInputError(name, found, "is no mapping", "give values by name")
    return found


def _step(step: object, number: int) -> Step:
    if not isinstance(step, MessageSent | MoveMade | PaymentMade | SecretsGranted):
        fix = "give MessageSent, MoveMade, PaymentMade or SecretsGranted"
        raise InvalidInputError(f"step {number}", step, "is no step", fix)
    return step


def _check_grants(steps: list[Step], secrets: Mapping[str, object]) -> None:
    for number, step in enumerate(steps, 1):
        for name in step.secrets if isinstance(step, SecretsGranted) else ():
            if name not in secrets:
                problem = "is granted, and is no secret"
                raise InvalidInputError(f"step {number}", name, problem, nearest(name, secrets))
