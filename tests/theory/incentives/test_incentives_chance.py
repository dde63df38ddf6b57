"""Mechanisms that draw in secret or remember: no finding is exact that a second run takes back."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import pytest

from theory.incentives import (
    Box,
    DrawnTypes,
    Effort,
    FiniteTypes,
    MechanismReport,
    Vectorised,
    check_mechanism,
)
from theory.verdicts import Status, Strength

Bids = Sequence[Any]
UNIT = Box(0, 1)
FOUR = FiniteTypes(range(4))
LITTLE = Effort(samples=200, starts=2, steps=20)
NAMES = ["dsic", "individually_rational"]


def sold(bids: Bids, own_price: Callable[[int], bool]) -> tuple[int, list[Any]]:
    """Sell for the second price; for the own one to the agents that ``own_price`` names."""
    winner = bids.index(max(bids))
    others = [bid for i, bid in enumerate(bids) if i != winner]
    price = bids[winner] if own_price(winner) else max(others, default=0)
    return winner, [price if i == winner else 0 for i in range(len(bids))]


def by_random(agent: int) -> Any:
    return lambda bids: sold(bids, lambda i: random.random() < 0.5 and i == agent)


def by_numpy(agent: int) -> Any:
    # the fault that is planted
    return lambda bids: sold(bids, lambda i: np.random.rand() < 0.5 and i == agent)  # noqa: NPY002


def by_numpy_rarely(agent: int) -> Any:
    return lambda bids: sold(bids, lambda i: np.random.rand() < 0.02 and i == agent)  # noqa: NPY002


def by_a_counter(agent: int) -> Any:
    calls = count()

    def rule(bids: Bids) -> Any:
        third = next(calls) % 3 == 0
        return sold(bids, lambda i: third and i == agent)

    return rule


def by_a_late_change(agent: int) -> Any:
    calls = count()

    def rule(bids: Bids) -> Any:
        late = next(calls) > 40
        return sold(bids, lambda i: late and i == agent)

    return rule


def by_a_generator(agent: int) -> Any:
    generator = np.random.default_rng(0)
    return lambda bids: sold(bids, lambda i: generator.random() < 0.5 and i == agent)


@dataclass
class ByAttribute:
    agent: int
    last: Any = None

    def outcome(self, bids: Bids) -> Any:
        """The winner's own price counts after reports that were higher in sum."""
        fell = self.last is not None and sum(bids) < self.last
        self.last = sum(bids)
        return sold(bids, lambda i: fell and i == self.agent)


MOODS = {
    "random": by_random,
    "numpy": by_numpy,
    "numpy, rarely": by_numpy_rarely,
    "closure": by_a_counter,
    "generator": by_a_generator,
    "attribute": ByAttribute,
}


def says_no_more_than_it_knows(report: MechanismReport) -> None:
    for finding in report.findings:
        assert finding.strength is Strength.TESTED or finding.status is not Status.REFUTED
        if finding.witness is not None and finding.property != "deterministic":
            assert finding.witness.replay().fails


@pytest.mark.parametrize("agent", [0, 1, 2])
@pytest.mark.parametrize("types", [UNIT, FOUR], ids=["real", "finite"])
@pytest.mark.parametrize("mood", MOODS)
def test_what_a_second_run_takes_back_is_not_refuted(mood: str, types: Any, agent: int) -> None:
    report = check_mechanism(
        MOODS[mood](agent), types=types, agents=3, properties=NAMES, effort=LITTLE
    )
    says_no_more_than_it_knows(report)
    assert any(fault.random for fault in report.faults)
    assert "not deterministic" in str(report.faults[0])
    assert "not deterministic" in report["dsic"].reason


@pytest.mark.parametrize("agent", [0, 1])
@pytest.mark.parametrize("seed", range(4))
def test_no_seed_calls_chance_exact(seed: int, agent: int) -> None:
    for mood in (by_random, by_numpy):
        report = check_mechanism(
            mood(agent), types=UNIT, agents=2, properties=["dsic"], seed=seed, effort=LITTLE
        )
        says_no_more_than_it_knows(report)
        assert any(fault.random for fault in report.faults)


def test_a_mechanism_that_changes_for_good_is_seen_to_change() -> None:
    for agent in (0, 1):
        report = check_mechanism(
            by_a_late_change(agent), types=UNIT, agents=2, properties=["dsic"], effort=LITTLE
        )
        says_no_more_than_it_knows(report)
        assert any(fault.random for fault in report.faults)


@pytest.mark.parametrize(
    ("mood", "said"), [(by_random, "state of random"), (by_numpy, "state of numpy.random")]
)
@pytest.mark.parametrize("types", [UNIT, FOUR, DrawnTypes], ids=["real", "finite", "drawn"])
def test_what_moved_the_global_generator_is_reported(mood: Any, said: str, types: Any) -> None:
    """Also where no outcome depends on what was drawn, and no witness is run again."""
    if types is DrawnTypes:
        from hypothesis import strategies as st

        types = DrawnTypes(st.integers(0, 9))
    for agent in (0, 1):
        moody = mood(agent)

        def idle(bids: Bids, moody: Any = moody) -> Any:
            moody(bids)
            return sold(bids, lambda i: False)

        report = check_mechanism(idle, types=types, agents=2, properties=["dsic"], effort=LITTLE)
        assert any(said in str(fault) for fault in report.faults), report.faults
        assert (report["dsic"].status, report["dsic"].strength) in {
            (Status.HOLDS, Strength.TESTED),
            (Status.VACUOUS, Strength.TESTED),
        }


def test_values_that_change_are_a_fault_too() -> None:
    for agent in (0, 1):
        calls = count()

        def moody(i: int, kind: Any, won: Any, calls: Any = calls, agent: int = agent) -> Any:
            return kind * (won == i) + (next(calls) % 7 if i == agent else 0)

        report = check_mechanism(
            lambda bids: sold(bids, lambda i: False),
            types=UNIT,
            agents=2,
            values=moody,
            properties=["dsic"],
            effort=LITTLE,
        )
        assert report["dsic"].status is not Status.REFUTED
        assert any("values" in str(fault) for fault in report.faults)


def test_what_is_refuted_beside_chance_is_refuted_by_steady_profiles() -> None:
    """Draws at one profile leave a lie that pays at others."""
    for types in (UNIT, FOUR):
        for agent in (0, 1):

            def rule(bids: Bids, agent: int = agent) -> Any:
                if tuple(bids) == (1, 1):
                    return 0, [random.random(), 0]
                return sold(bids, lambda i: i == agent)

            report = check_mechanism(rule, types=types, agents=2, properties=["dsic"])
            finding = report["dsic"]
            assert finding.status is Status.REFUTED
            assert finding.witness is not None
            assert finding.witness.replay().slack == finding.witness.slack
            assert (1, 1) not in (finding.witness.profile, finding.witness.instance.reports())


def test_steady_mechanisms_are_refuted_exactly_as_before() -> None:
    for types in (UNIT, FOUR):
        for agent in (0, 1):
            report = check_mechanism(
                lambda bids, agent=agent: sold(bids, lambda i: i == agent),
                types=types,
                agents=2,
                properties=["dsic"],
            )
            assert report["dsic"].status is Status.REFUTED
            assert report["dsic"].strength is Strength.EXACT
            assert not report.faults


def test_floats_of_an_array_function_are_not_taken_for_chance() -> None:
    """Sums of a long row may be added in another order than those of a short one."""

    def rule(bids: np.ndarray) -> Any:
        scale = np.exp(bids.astype(float))
        shares = scale / scale.sum(axis=1, keepdims=True)
        return shares, shares * bids.astype(float)

    report = check_mechanism(
        Vectorised(rule), types=UNIT, agents=2, properties=["dsic"], effort=LITTLE
    )
    assert report["dsic"].status is Status.REFUTED
    assert not report.faults


def test_the_fault_behind_a_finding_that_says_nothing_is_named() -> None:
    for types in (UNIT, FOUR):
        report = check_mechanism(
            lambda bids: 1 / 0, types=types, agents=2, properties=["dsic", "feasible"]
        )
        for finding in report.findings:
            assert finding.status is Status.VACUOUS
            assert "ZeroDivisionError: division by zero" in finding.reason


def test_a_fault_behind_part_of_a_finding_is_named() -> None:
    for agent in (0, 1):

        def rule(bids: Bids, agent: int = agent) -> Any:
            return sold(bids, lambda i: False) if bids[agent] != 2 else {}["price"]

        report = check_mechanism(rule, types=FOUR, agents=2, properties=["dsic"])
        assert report["dsic"].status is Status.HOLDS
        assert "KeyError: 'price'" in report["dsic"].reason


# --- mechanisms that take rng


def half_first_price(agent: int) -> Any:
    """First price for one agent with probability 1/2; with seeds 0 and 1 the coin says no."""

    def rule(bids: Bids, rng: np.random.Generator) -> Any:
        heads = rng.random() < 0.5
        return sold(bids, lambda i: bool(heads) and i == agent)

    return rule


@pytest.mark.parametrize("agent", [0, 1])
@pytest.mark.parametrize("types", [UNIT, FOUR], ids=["real", "finite"])
@pytest.mark.parametrize("seed", [0, 3])
def test_first_price_half_of_the_time_is_refuted(seed: int, types: Any, agent: int) -> None:
    report = check_mechanism(
        half_first_price(agent), types=types, agents=2, properties=["dsic"], seed=seed
    )
    finding = report["dsic"]
    assert finding.status is Status.REFUTED
    assert finding.witness is not None
    assert finding.witness.replay().fails
    assert finding.witness.agents == (agent,)
    if seed == 0:
        assert "with seed 2" in finding.reason
        assert "seed=2" in finding.witness.as_test()
    assert not report.faults


def test_what_holds_with_every_seed_says_which() -> None:
    def shuffled(bids: Bids, rng: np.random.Generator) -> Any:
        """One of the highest bidders, by a draw that is not finite, for the second price."""
        best = [i for i, bid in enumerate(bids) if bid == max(bids)]
        winner = best[int(rng.random() * len(best))]
        others = [bid for i, bid in enumerate(bids) if i != winner]
        return winner, [max(others) if i == winner else 0 for i in range(len(bids))]

    finding = check_mechanism(shuffled, types=FOUR, agents=2, properties=["dsic"], seed=4)["dsic"]
    assert (finding.status, finding.strength) == (Status.HOLDS, Strength.TESTED)
    assert "seed 4" in finding.reason
    assert "seeds 5 to 11" in finding.reason
