"""The battery finds a fault that one agent alone feels, whichever agent it is."""

from __future__ import annotations

from typing import Any

import pytest
from mirrored_faults import (
    AGENTS,
    OF_ONE,
    OF_TWO,
    SOUND,
    DearerWithout,
    Sale,
    faults_of_one,
    faults_of_two,
)

from theory.incentives import (
    PROPERTIES,
    Box,
    Effort,
    FiniteTypes,
    Prior,
    PropertyFinding,
    SingleParameter,
    Witness,
    check_mechanism,
)
from theory.verdicts import Status, Strength

TYPES = FiniteTypes([0, 1, 2, 3])
LISTED: dict[str, Any] = {"types": TYPES, "prior": Prior.uniform(TYPES, AGENTS)}
SEARCHED: dict[str, Any] = {
    "types": Box(0, 4),
    "effort": Effort(samples=150, starts=1, steps=10, shrinks=20),
}

EXPECTED = {"bic", "interim_individually_rational"}
NOT_OF_AN_AGENT = {"efficient", "feasible", "strongly_budget_balanced", "weakly_budget_balanced"}


def found(name: str, mechanism: Any, **where: Any) -> PropertyFinding:
    return check_mechanism(mechanism, agents=AGENTS, properties=[name], **where)[name]


def shown(finding: PropertyFinding) -> Witness:
    assert finding.status is Status.REFUTED, str(finding)
    witness = finding.witness
    assert witness is not None
    assert witness.replay().slack == witness.slack < 0
    return witness


def test_every_property_of_outcomes_has_a_fault_for_each_agent() -> None:
    assert {*OF_ONE, *OF_TWO, "revenue_monotone", "deterministic"} == set(PROPERTIES)


@pytest.mark.parametrize("name", [*OF_ONE, *OF_TWO, "revenue_monotone"])
def test_without_the_fault_the_property_holds(name: str) -> None:
    declared = {"values": SingleParameter()} if name == "feasible" else {}
    finding = found(name, SOUND.get(name, Sale()), **LISTED, **declared)
    assert (finding.status, finding.strength) == (Status.HOLDS, Strength.EXACT), str(finding)


@pytest.mark.parametrize(("name", "sale"), faults_of_one())
def test_a_fault_that_one_agent_feels_is_found_on_listed_types(name: str, sale: Sale) -> None:
    witness = shown(found(name, sale, **LISTED))
    if name == "anonymous":
        assert sale.agent in witness.agents
    elif name not in NOT_OF_AN_AGENT:
        assert witness.agents == (sale.agent,)


@pytest.mark.parametrize(
    ("name", "sale"),
    [(name, sale) for name, sale in faults_of_one() if name not in EXPECTED],
)
def test_a_fault_that_one_agent_feels_is_found_by_a_search(name: str, sale: Sale) -> None:
    shown(found(name, sale, **SEARCHED))


@pytest.mark.parametrize(("name", "by", "sale"), faults_of_two())
def test_a_fault_between_two_agents_is_found(name: str, by: int, sale: Sale) -> None:
    witness = shown(found(name, sale, **LISTED))
    assert witness.agents == (
        (by,) if name == "non_bossy" else tuple(sorted((by, sale.agent or 0)))
    )


@pytest.mark.parametrize("agent", range(AGENTS))
def test_more_money_without_one_agent_is_found(agent: int) -> None:
    assert shown(found("revenue_monotone", DearerWithout(agent), **LISTED)).agents == (agent,)
