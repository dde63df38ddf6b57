"""A proof is about every agent, every listed type, every lie and every alternative.

Each fault here hurts in one of these alone: the first, one in the middle, or the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
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
from sweeps import in_turns

from theory.incentives import (
    Box,
    Effort,
    FiniteTypes,
    Product,
    PropertyFinding,
    Reals,
    Simplex,
    Witness,
    prove_mechanism,
)
from theory.verdicts import Status, Strength

LITTLE = Effort(samples=20, starts=1, steps=2, shrinks=40)
SEARCHED_ONLY = {"bic", "interim_individually_rational", "cyclically_monotone"}

TRACED = [name for name in OF_ONE if name not in SEARCHED_ONLY]
OF_MONEY = {"strongly_budget_balanced", "weakly_budget_balanced", "feasible", "efficient"}

Bids = Sequence[Any]


def found(mechanism: Any, name: str, agents: int | None = AGENTS, **more: Any) -> PropertyFinding:
    given = {"types": Reals(low=0), "solver": "certificates", "effort": LITTLE, **more}
    return prove_mechanism(mechanism, agents=agents, properties=[name], **given)[name]


def proved(finding: PropertyFinding) -> bool:
    return finding.status is Status.HOLDS and finding.strength is Strength.PROVED


def refuted(finding: PropertyFinding) -> Witness:
    """The witness of a refutation that came of the trace, not of a search."""
    assert finding.status is Status.REFUTED, str(finding)
    assert finding.proof is None
    assert finding.reason.startswith("fails at the witness"), finding.reason
    assert finding.witness is not None
    assert finding.witness.replay().fails
    return finding.witness


# --- each agent


@pytest.mark.parametrize("name", in_turns([*TRACED, *OF_TWO, "revenue_monotone"], 3))
def test_without_the_fault_the_property_is_proved(name: str) -> None:
    said: dict[str, Any] = {}
    if name == "feasible":
        said["feasible"] = lambda won, agents: min(won) >= 0
    finding = found(SOUND.get(name, Sale()), name, **said)
    assert proved(finding), str(finding)


@pytest.mark.parametrize(
    ("name", "sale"), [(name, sale) for name, sale in faults_of_one() if name in TRACED]
)
def test_a_fault_that_one_agent_feels_is_found(name: str, sale: Sale) -> None:
    witness = refuted(found(sale, name))
    if name == "anonymous":
        assert sale.agent in witness.agents
    elif name not in OF_MONEY:
        assert witness.agents == (sale.agent,)


@pytest.mark.parametrize(("name", "by", "sale"), faults_of_two())
def test_a_fault_between_two_agents_is_found(name: str, by: int, sale: Sale) -> None:
    witness = refuted(found(sale, name))
    assert witness.agents == (
        (by,) if name == "non_bossy" else tuple(sorted((by, sale.agent or 0)))
    )


@pytest.mark.parametrize("agent", range(AGENTS))
def test_more_money_without_one_agent_is_found(agent: int) -> None:
    assert refuted(found(DearerWithout(agent), "revenue_monotone")).agents == (agent,)


# --- each listed type and each lie


@dataclass(frozen=True)
class Overcharges:
    """Sell to ``agent`` at price 1, and take more of a high bid where ``by`` says ``label``.

    A report is a label and a number; ``by`` may be the agent itself.
    """

    agent: int
    by: int
    label: str

    def outcome(self, reports: Sequence[tuple[str, Any]]) -> tuple[tuple[int, ...], list[Any]]:
        bid, at_fault = reports[self.agent][1], reports[self.by][0] == self.label
        lot = (1, (1 + bid) / 2 if at_fault else 1) if bid > 1 else (0, 0)
        got = [lot[0] if i == self.agent else 0 for i in range(len(reports))]
        return tuple(got), [lot[1] if i == self.agent else 0 for i in range(len(reports))]


def worth(agent: int, report: tuple[str, Any], allocation: tuple[int, ...]) -> Any:
    return report[1] * allocation[agent]


LABELLED = Product(FiniteTypes(["a", "b"]), Reals(low=0))
THREE_LABELS = Product(FiniteTypes(["a", "b", "c"]), Reals(low=0))


@pytest.mark.parametrize("label", ["a", "b"])
@pytest.mark.parametrize(("agent", "by"), list(product(range(2), repeat=2)))
def test_a_fault_at_one_listed_type_is_found(agent: int, by: int, label: str) -> None:
    witness = refuted(found(Overcharges(agent, by, label), "dsic", 2, types=LABELLED, values=worth))
    assert witness.agents == (agent,)


def test_listed_types_without_a_fault_are_proved() -> None:
    assert proved(found(Overcharges(0, 0, "d"), "dsic", 2, types=LABELLED, values=worth))


@dataclass(frozen=True)
class Cheaper:
    """Sell to the only agent at a price of 1, and at half of it to whoever says ``label``."""

    label: str

    def outcome(self, reports: Sequence[tuple[str, Any]]) -> tuple[tuple[int, ...], list[Any]]:
        ((label, bid),) = reports
        price = Fraction(1, 2) if label == self.label else Fraction(1)
        return (int(bid > price),), [price if bid > price else 0]


@pytest.mark.parametrize("label", ["a", "b", "c"])
def test_a_lie_that_changes_a_listed_part_is_compared(label: str) -> None:
    witness = refuted(found(Cheaper(label), "dsic", 1, types=THREE_LABELS, values=worth))
    assert witness.lies[0][0] == label != witness.profile[0][0]


# --- each alternative


@dataclass(frozen=True)
class Passes:
    """Give the item to the highest bidder; ``agent`` is passed over."""

    agent: int | None

    def outcome(self, bids: Bids) -> tuple[int, list[int]]:
        others = [i for i in range(len(bids)) if i != self.agent]
        return max(others, key=lambda i: bids[i]), [0] * len(bids)


@pytest.mark.parametrize("agent", [0, 1, 2])
@pytest.mark.parametrize("order", [(None, 0, 1, 2), (2, 1, 0, None)])
def test_a_loss_against_one_alternative_is_found(agent: int, order: tuple[Any, ...]) -> None:
    witness = refuted(found(Passes(agent), "efficient", alternatives=lambda agents: order))
    assert max(witness.profile) == witness.profile[agent] > 0
    assert proved(found(Passes(None), "efficient", alternatives=lambda agents: order))


def away(agent: int, peak: Any, outcome: Any) -> Any:
    return -abs(peak - outcome)


@pytest.mark.parametrize("kind", ["inside", "too low", "too high"])
def test_alternatives_are_those_of_their_space(kind: str) -> None:
    """A peak outside of it is no alternative: the nearest point inside is best."""
    low, high = Fraction(kind == "too low", 4), 1 - Fraction(kind == "too high", 4)

    def nearest(peaks: Bids) -> Any:
        (peak,) = peaks
        return (low if peak < low else high if peak > high else peak), [0]

    given: dict[str, Any] = {"values": away, "alternatives": lambda agents: Box(0, 1)}
    finding = found(nearest, "efficient", 1, types=Reals(), **given)
    if kind == "inside":
        assert proved(finding), str(finding)
    else:
        refuted(finding)


# --- each bound


@dataclass(frozen=True)
class Inside:
    """Sell to ``agent`` at price 5; only reports inside the bounds of their own agent are taken."""

    agent: int
    bounds: tuple[tuple[int, int], ...]
    extra: int = 0

    def outcome(self, bids: Bids) -> tuple[int | None, list[Any]]:
        for bid, (low, high) in zip(bids, self.bounds, strict=True):
            if bid < low or bid > high:
                raise ValueError("out of bounds")
        wins = bids[self.agent] > 5
        price = 5 + (self.extra if bids[self.agent] > 6 else 0)
        paid = [price if wins and i == self.agent else 0 for i in range(len(bids))]
        return (self.agent if wins else None), paid


BOUNDS = ((0, 8), (4, 9), (3, 7))


@pytest.mark.parametrize("agent", range(AGENTS))
def test_each_agent_has_the_bounds_of_its_own_space(agent: int) -> None:
    spaces = [Box(low, high) for low, high in BOUNDS]
    assert proved(found(Inside(agent, BOUNDS), "dsic", None, types=spaces))
    witness = refuted(found(Inside(agent, BOUNDS, extra=1), "dsic", None, types=spaces))
    assert witness.agents == (agent,)


def test_both_lies_of_a_pair_keep_to_the_bounds_of_their_agents() -> None:
    spaces = [Box(low, high) for low, high in BOUNDS[:2]]
    finding = found(Inside(1, BOUNDS[:2]), "pairwise_strategyproof", None, types=spaces)
    assert proved(finding), str(finding)


def takes_inside(lows: Sequence[int], highs: Sequence[Any]) -> Any:
    def rule(reports: Sequence[Sequence[Any]]) -> Any:
        (report,) = reports
        for x, low, high in zip(report, lows, highs, strict=True):
            if x < low or x > high:
                raise ValueError("out of bounds")
        return max(range(len(report)), key=report.__getitem__), [0]

    return rule


ENTRIES: dict[str, tuple[Any, tuple[int, ...], tuple[int, ...]]] = {
    "box": (Box([0, 2, 1], [1, 5, 4]), (0, 2, 1), (1, 5, 4)),
    "law": (Simplex(3), (0, 0, 0), (1, 1, 1)),
}


@pytest.mark.parametrize("kind", ["box", "law"])
def test_each_entry_has_bounds_of_its_own(kind: str) -> None:
    space, lows, highs = ENTRIES[kind]
    finding = found(takes_inside(lows, highs), "dsic", 1, types=space)
    assert proved(finding), str(finding)


@pytest.mark.parametrize("entry", range(3))
@pytest.mark.parametrize("kind", ["box", "law"])
def test_what_a_bound_leaves_open_is_looked_at(kind: str, entry: int) -> None:
    """A mechanism that refuses the last bit below an upper bound is followed into it."""
    space, lows, highs = ENTRIES[kind]
    lower = [high - Fraction(j == entry, 8) for j, high in enumerate(highs)]
    assert "out of bounds" in found(takes_inside(lows, lower), "dsic", 1, types=space).reason
