"""What two names of one owner are worth together, as it is declared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from mechanisms.classics import CombinatorialVCG, MultiUnitVCG
from theory.errors import InvalidInputError
from theory.incentives import (
    Box,
    Effort,
    FiniteTypes,
    MechanismReport,
    SingleItem,
    SingleParameter,
    ValueTable,
    assert_holds_at,
    check_mechanism,
)
from theory.verdicts import Status, Strength

FNP = "false_name_proof"
ONE, OTHER, BOTH = (0, 2, 0, 2), (0, 0, 2, 2), (0, 0, 0, 3)
UNITS = FiniteTypes(range(3))


def check(mechanism: Any, types: Any, agents: int, **more: Any) -> MechanismReport:
    return check_mechanism(mechanism, types=types, agents=agents, properties=[FNP], **more)


class Units:
    """Two units to the two highest bids, at the third: no reading is declared."""

    def outcome(self, bids: Sequence[Any]) -> Any:
        return MultiUnitVCG(2).outcome(bids)


def test_two_unit_vcg_is_false_name_proof_where_one_unit_is_wanted() -> None:
    """Yokoo, Sakurai and Matsubara (2004), section 5: with unit demand no second name pays."""
    for types in (UNITS, Box(0, 2)):
        effort = Effort(samples=100, starts=1, steps=10)
        finding = check(MultiUnitVCG(2), types, 2, effort=effort)[FNP]
        assert finding.status is Status.HOLDS
        assert "unit demand" in finding.reason
    declared = check(Units(), UNITS, 2, value_of_names="unit demand")[FNP]
    assert (declared.status, declared.strength) == (Status.HOLDS, Strength.EXACT)


def test_the_reading_that_quantities_add_up_is_said_and_can_be_changed() -> None:
    silent = check(Units(), UNITS, 2)[FNP]
    stated = check(MultiUnitVCG(2), UNITS, 2, value_of_names="additive")[FNP]
    for finding in (silent, stated):
        assert finding.status is Status.REFUTED
        assert "additive" in finding.reason
        assert finding.witness is not None
        assert finding.witness.replay().fails


def test_combinatorial_vcg_is_judged_and_refuted() -> None:
    """Who wants both items for 3 against another such asks for each under a name of its own."""
    auction = CombinatorialVCG(["A", "B"])
    finding = check(auction, FiniteTypes([ONE, OTHER, BOTH]), 2)[FNP]
    assert (finding.status, finding.strength) == (Status.REFUTED, Strength.EXACT)
    assert finding.slack == -1
    assert finding.witness is not None
    assert finding.witness.replay().slack == finding.witness.slack
    # Alone with unit demand for one good, more names only cost.
    wanted = FiniteTypes([ONE, OTHER, (0, 1, 1, 1)])
    assert check(auction, wanted, 2)[FNP].status is Status.HOLDS


@pytest.mark.parametrize("agent", [0, 1])
def test_a_function_says_what_a_set_of_names_is_worth(agent: int) -> None:
    """Only names of one agent are worth anything together."""
    asked: set[tuple[int, ...]] = set()

    def together(names: tuple[int, ...], kind: Any, allocation: Any) -> Any:
        asked.add(names)
        bonus = 1 if names[0] == agent and len(names) == 2 else 0
        return kind * max(allocation[i] for i in names) + bonus

    finding = check(Units(), UNITS, 2, value_of_names=together)[FNP]
    assert finding.status is Status.REFUTED
    assert finding.witness is not None
    assert finding.witness.agents == (agent,)
    assert {(0, 2), (1, 2)} <= asked
    with pytest.raises(AssertionError, match="false_name_proof fails"):
        assert_holds_at(
            Units(), FNP, finding.witness.instance, types=UNITS, agents=2, value_of_names=together
        )
    assert "value_of_names=" in finding.witness.as_test()


def test_values_by_a_function_are_judged_where_names_are_declared() -> None:
    def values(agent: int, kind: Any, allocation: Any) -> Any:
        return kind * allocation[agent]

    assert check(Units(), UNITS, 2, values=values)[FNP].status is Status.VACUOUS
    assert "value_of_names=" in check(Units(), UNITS, 2, values=values)[FNP].reason
    unit = check(Units(), UNITS, 2, values=values, value_of_names="unit demand")[FNP]
    assert unit.status is Status.HOLDS
    added = check(Units(), UNITS, 2, values=values, value_of_names="additive")[FNP]
    assert added.status is Status.REFUTED


@pytest.mark.parametrize("eager", [0, 1])
def test_a_name_has_no_table_but_its_owner_s(eager: int) -> None:
    """With a third report q is chosen, and worth 3 to one agent under either name."""
    rich, poor = ({0: {"p": 0, "q": worth}} for worth in (3, 0))
    tables = [rich if i == eager else poor for i in range(2)]
    for reading, gain in (("additive", 6), ("unit demand", 3), (None, 3)):
        finding = check(
            lambda reports: ("q" if len(reports) > 2 else "p", [0] * len(reports)),
            [FiniteTypes([0])] * 2,
            2,
            values=ValueTable(tables),
            value_of_names=reading,
        )[FNP]
        assert finding.witness is not None
        assert finding.witness.agents == (eager,)
        assert finding.witness.gain == gain


def test_one_item_and_public_outcomes_need_no_declaration() -> None:
    for values in (SingleItem(), None):
        finding = check(
            lambda bids: (bids.index(max(bids)), [0] * len(bids)), UNITS, 2, values=values
        )
        assert "additive" in finding[FNP].reason
    table = ValueTable({"a": {"x": 1, "y": 0}, "b": {"x": 0, "y": 1}})
    voted = check(
        lambda r: ("x" if r.count("a") > r.count("b") else "y", [0] * len(r)),
        FiniteTypes(list("ab")),
        2,
        values=table,
    )
    assert "the same" in voted[FNP].reason
    once = check(Units(), UNITS, 2, values=SingleParameter(), value_of_names="unit demand")
    assert once[FNP].status is Status.HOLDS


@pytest.mark.parametrize("odd", ["aditive", "", SingleItem])
def test_what_is_no_declaration_is_refused(odd: Any) -> None:
    with pytest.raises(InvalidInputError, match="value_of_names") as raised:
        check(Units(), UNITS, 2, value_of_names=odd)
    assert "unit demand" in str(raised.value)

    class Odd(Units):
        value_of_names = odd

    with pytest.raises(InvalidInputError, match="value_of_names"):
        check(Odd(), UNITS, 2)


def test_a_declaration_that_raises_is_a_fault() -> None:
    def raising(names: Any, kind: Any, allocation: Any) -> Any:
        return {}["names"]

    report = check(Units(), UNITS, 2, value_of_names=raising)
    assert report[FNP].status is Status.VACUOUS
    assert "KeyError" in report[FNP].reason
