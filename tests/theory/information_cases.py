"""Values of information beside those of the oracle."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, get_args

from hypothesis import settings
from reference.values import Valued, valued
from strategies import Instance, Kind

from theory.information import (
    InformationValue,
    value_of_information,
)
from theory.numbers.balls import enclosing_interval

KINDS: tuple[Kind, ...] = get_args(Kind)
few = settings(max_examples=25)

TOLERANCE = 1e-12
"""Of float64 against rationals, for sums of six terms of size at most 8."""


def oracle(instance: Instance, known: Sequence[int] | None = None) -> Valued:
    return valued(instance.prior, instance.utilities, instance.signal, instance.price, known)


def value(instance: Instance, kind: Kind = "exact", given: Any = None) -> InformationValue:
    return value_of_information(instance.problem(kind), instance.good(kind), given)


def close(found: Any, true: Fraction, kind: Kind) -> bool:
    if kind == "float64":
        return abs(found - float(true)) <= TOLERANCE
    return true in enclosing_interval(found) if kind == "certified" else bool(found == true)


def agree(found: InformationValue, true: Valued, kind: Kind) -> None:
    """Compare everything that is known of a value with the oracle."""
    assert found.prior.maximisers == tuple(true.prior_ties)
    assert found.prior.picked == true.prior
    assert close(found.prior.expected_utility, true.prior_utility, kind)
    assert list(found.by_state) == sorted(true.realised)
    for state, realised in found.by_state.items():
        assert isinstance(state, int)
        assert close(realised, true.realised[state], kind)
    rows = zip(found.realisations, true.blocks, strict=True)
    for k, (realisation, _) in enumerate(rows):
        assert close(realisation.probability, true.masses[k], kind)
        assert realisation.choice.maximisers == tuple(true.informed_ties[k])
        assert realisation.choice.picked == true.informed[k]
        assert close(realisation.choice.expected_utility, true.informed_utility[k], kind)
        assert close(realisation.ex_post, true.ex_post[k], kind)
    assert close(found.ex_ante, true.ex_ante, kind)
    limit = {"exact": 0, "closed form": 0, "certified": 1e-12, "float64": 20 * TOLERANCE}
    assert 0 <= found.gap <= limit[kind]


def ex_post(found: InformationValue) -> list[Any]:
    return [r.ex_post for r in found.realisations]
