"""What the property tests draw reaches the cases they are meant for."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import Phase, find, given, settings
from reference.values import Valued, valued
from strategies import Instance, huge_rationals, instances

WANTED = {
    "a tie before": lambda i, v: len(v.prior_ties) > 1,
    "a tie after": lambda i, v: any(len(tied) > 1 for tied in v.informed_ties),
    "a tie that the rule settles against the prior choice": lambda i, v: any(
        v.prior in tied and v.prior != tied[0] for tied in v.informed_ties
    ),
    "a choice that changes": lambda i, v: set(v.informed) != {v.prior},
    "an impossible state": lambda i, v: 0 in i.weights,
    "a signal seen in an impossible state alone": lambda i, v: len(v.blocks) < len(set(i.signal)),
    "one state": lambda i, v: len(i.weights) == 1,
    "one action": lambda i, v: len(i.utilities) == 1,
    "a negative price": lambda i, v: i.price < 0,
    "a signal that says nothing": lambda i, v: len(v.blocks) == 1 < len(i.weights),
    "a signal that says everything": lambda i, v: len(v.blocks) == len(i.weights) > 2,
    "a good that is worth its price": lambda i, v: v.ex_ante > 0 < i.price,
    "four actions": lambda i, v: len(set(i.utilities)) == 4,
    "six states": lambda i, v: len(i.weights) == 6,
}


def oracle(instance: Instance) -> Valued:
    return valued(instance.prior, instance.utilities, instance.signal, instance.price)


@pytest.fixture(scope="module")
def drawn() -> list[Instance]:
    """Some hundreds of instances, the same in every run."""
    found: list[Instance] = []

    @settings(max_examples=400, derandomize=True, database=None, phases=[Phase.generate])
    @given(instances())
    def collect(instance: Instance) -> None:
        found.append(instance)

    collect()
    return found


@pytest.mark.parametrize("case", WANTED)
def test_every_case_is_reached_more_than_once(case: str, drawn: list[Instance]) -> None:
    assert sum(WANTED[case](instance, oracle(instance)) for instance in drawn) > 3


@given(instances(max_states=4, least_weight=1))
def test_instances_are_well_formed(instance: Instance) -> None:
    assert sum(instance.prior) == 1
    assert all(p > 0 for p in instance.prior)
    assert len(instance.signal) == len(instance.weights) <= 4
    assert {len(row) for row in instance.utilities} == {len(instance.weights)}


@pytest.mark.parametrize("edge", [2**62, 2**63 - 1, -(2**63), 2**63, 2**64])
def test_numerators_reach_the_edges_of_int64(edge: int) -> None:
    assert find(huge_rationals(), lambda value: value == edge) == Fraction(edge)
