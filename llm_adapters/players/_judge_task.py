"""What a judge is told beforehand: hypotheses, their prior, and what actions are worth."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from llm_adapters.players._arguments import read_names, read_text
from mechanisms.ledger import Amount
from theory.decision import DecisionProblem
from theory.errors import ExactnessError, InvalidInputError, NumberError
from theory.numbers import Exact, Floats, Numbers
from theory.probability import ProbabilitySpace

__all__ = ["Hypotheses", "StatedHypotheses", "Utilities"]

Hypotheses = Mapping[str, str] | Iterable[str]
Utilities = Mapping[Any, Any]


@dataclass(frozen=True, eq=False)
class StatedHypotheses:
    """Hypotheses with their prior, and the utility of each action under each of them.

    Attributes
    ----------
    texts : dict
        What each hypothesis says, by name; "" where nothing more than the name was given.
    prior : tuple of number
    utilities : dict
        A row of numbers, in the order of the hypotheses, by action.
    """

    texts: dict[str, str]
    prior: tuple[Amount, ...]
    utilities: dict[Hashable, tuple[Amount, ...]]

    @classmethod
    def exactly(cls, hypotheses: Any, utilities: Any, prior: Any) -> StatedHypotheses:
        """Read them as rationals.

        Raises
        ------
        InvalidInputError
            For what cannot be read, among it an ``ExactnessError`` for floats.
        """
        texts, decision = _read(hypotheses, utilities, prior)
        numbers: Numbers
        for argument, numbers in (
            ("prior", decision.space.probabilities),
            ("utilities", decision.utilities),
        ):
            if not isinstance(numbers, Exact):
                fix = 'write rationals, such as "1/3" or "0.25"'
                raise ExactnessError(argument, numbers.kind, "are not exact", fix)
        return cls(texts, _amounts(decision.space.probabilities), _rows(decision))

    @classmethod
    def in_floats(cls, hypotheses: Any, utilities: Any, prior: Any) -> StatedHypotheses:
        """Read them as float64; rationals are rounded.

        Raises
        ------
        InvalidInputError
            For what cannot be read, among it a ``NumberError`` for what no float64 holds.
        """
        texts, decision = _read(hypotheses, utilities, prior)
        kinds = (decision.space.probabilities, decision.utilities)
        if not all(isinstance(numbers, Exact | Floats) for numbers in kinds):
            fix = "write rationals or floats"
            raise NumberError("utilities", kinds[1].kind, "are neither rationals nor floats", fix)
        rows: dict[Hashable, tuple[Amount, ...]]
        try:
            rows = {x: tuple(map(float, row)) for x, row in _rows(decision).items()}
        except OverflowError:
            problem, fix = "are beyond float64", "scale them"
            raise NumberError("utilities", utilities, problem, fix) from None
        return cls(texts, tuple(map(float, _amounts(decision.space.probabilities))), rows)


def _read(hypotheses: Any, utilities: Any, prior: Any) -> tuple[dict[str, str], DecisionProblem]:
    names = read_names("hypotheses", hypotheses)
    if not names:
        raise InvalidInputError("hypotheses", hypotheses, "are empty", "give at least one")
    texts = dict.fromkeys(names, "")
    if isinstance(hypotheses, Mapping):
        texts = {name: read_text(f"hypothesis {name}", hypotheses[name]) for name in names}
    fix = "give {action: {hypothesis: utility}}"
    if not isinstance(utilities, Mapping):
        raise InvalidInputError("utilities", utilities, "are not a mapping from actions", fix)
    return texts, DecisionProblem.of(_space(names, prior), utilities)


def _space(names: tuple[str, ...], prior: Any) -> ProbabilitySpace:
    uniform = ProbabilitySpace.uniform(names)
    if prior is None:
        return uniform
    if not isinstance(prior, Mapping):
        fix = "give {hypothesis: probability}, or None for all alike"
        raise InvalidInputError("prior", prior, "is not a mapping from hypotheses", fix)
    return ProbabilitySpace.of(dict(zip(names, uniform.in_order(prior, "prior"), strict=True)))


def _rows(decision: DecisionProblem) -> dict[Hashable, tuple[Amount, ...]]:
    return {x: _amounts(decision.utilities[k]) for k, x in enumerate(decision.actions)}


def _amounts(numbers: Numbers) -> tuple[Amount, ...]:
    scalars: Any = numbers.scalars()
    return tuple(scalars)
