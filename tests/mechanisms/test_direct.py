"""Direct mechanisms, stepped: who may gain by a lie is who the battery says."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sweeps import examples

from mechanisms.classics import FirstPrice, SecondPrice
from mechanisms.direct import direct_mechanism, quasilinear
from mechanisms.play import best_response, play, unfold
from theory.errors import InvalidInputError
from theory.games import Behaviour, expected_payoffs
from theory.incentives import FiniteTypes, Lottery, Prior, check_mechanism
from theory.verdicts import Status

TYPES = (0, 1, 2)
UNIFORM = {profile: Fraction(1, 9) for profile in product(TYPES, repeat=2)}


def worth(agent: int, type: Any, allocation: Any) -> Any:
    return type if allocation == agent else 0


def truth(ask: Any) -> Any:
    return ask.view.type


TRUTHFUL = {"agent 0": truth, "agent 1": truth}


def drawn(seed: int) -> tuple[Any, dict[Any, Fraction]]:
    """A mechanism for two agents by a random table, and a law that may be correlated."""
    generator = Random(seed)
    table = {
        profile: (
            generator.choice([0, 1, None]),
            [Fraction(generator.randrange(-1, 4), 2) for _ in range(2)],
        )
        for profile in UNIFORM
    }
    weights = [generator.randrange(1, 5) for _ in UNIFORM]
    law = {p: Fraction(w, sum(weights)) for p, w in zip(UNIFORM, weights, strict=True)}
    return lambda reports: table[tuple(reports)], law


def interim_gain(mechanism: Any, law: Any, agent: int) -> Fraction:
    """Σ over types of the most that a lie gains on average, by hand."""
    total = Fraction(0)
    for own in TYPES:
        by_report = []
        for report in TYPES:
            gain = Fraction(0)
            for profile, mass in law.items():
                if profile[agent] == own:
                    told = tuple(report if k == agent else t for k, t in enumerate(profile))
                    allocation, paid = mechanism(told)
                    gain += mass * (worth(agent, own, allocation) - paid[agent])
            by_report.append(gain)
        total += max(by_report) - by_report[TYPES.index(own)]
    return total


@settings(max_examples=examples(60))
@given(seed=st.integers(0, 10**6))
def test_the_best_lie_gains_what_it_gains_by_hand_and_the_battery_agrees(seed: int) -> None:
    mechanism, law = drawn(seed)
    run = direct_mechanism(mechanism, law)
    gaps = [best_response(run, f"agent {k}", TRUTHFUL, quasilinear(worth)).gap for k in range(2)]
    assert gaps == [interim_gain(mechanism, law, k) for k in range(2)]
    report = check_mechanism(
        mechanism,
        types=FiniteTypes(TYPES),
        agents=2,
        values=worth,
        prior=Prior(law),
        properties=["bic"],
    )
    assert (report["bic"].status is Status.HOLDS) == (not any(gaps))


def test_a_mechanism_that_is_truthful_by_luck_is_told_from_one_that_is_not() -> None:
    found = {any(interim_gain(*drawn(seed), k) for k in range(2)) for seed in range(300)}
    always = direct_mechanism(lambda reports: (None, [0, 0]), UNIFORM)
    assert found == {True}  # random tables never are
    for k in range(2):
        assert best_response(always, f"agent {k}", TRUTHFUL, quasilinear(worth)).gap == 0


@pytest.mark.parametrize("agent", ["agent 0", "agent 1"])
def test_the_classics(agent: str) -> None:
    first, second = (direct_mechanism(m, UNIFORM) for m in (FirstPrice(), SecondPrice()))
    assert best_response(second, agent, TRUTHFUL, quasilinear(worth)).gap == 0
    lied = best_response(first, agent, TRUTHFUL, quasilinear(worth))
    assert lied.earned == 0
    assert lied.gap > 0


def test_agents_see_their_own_type_and_nothing_else() -> None:
    game = unfold(direct_mechanism(SecondPrice(), UNIFORM), quasilinear(worth))
    assert len(game.infosets) == 6
    run = direct_mechanism(SecondPrice(), UNIFORM, agents=["Ann", "Bob"]).seeded(5)
    assert {type(ask.view).__name__ for ask in run.asks} == {"OwnType"}
    done = play(run, {"Ann": truth, "Bob": truth})
    assert done.outcome is not None
    assert done.outcome.types == done.outcome.reports
    assert str(run.asks[0].view) == f"your type is {done.outcome.types[0]}"


def test_a_lottery_is_drawn() -> None:
    def halves(reports: Any) -> Any:
        return Lottery({0: "1/3", 1: "2/3"}), [0, 0]

    game = unfold(direct_mechanism(halves, {(1, 1): 1}), quasilinear(worth))
    assert list(expected_payoffs(game, Behaviour.uniform(game))) == [Fraction(1, 3), Fraction(2, 3)]


@pytest.mark.parametrize(
    ("mechanism", "prior", "agents", "problem"),
    [
        (SecondPrice(), {(0, 1): "1/2"}, None, "do not sum to one"),
        (SecondPrice(), UNIFORM, ["Ann"], "agents are not 2 different names"),
        (SecondPrice(), UNIFORM, ["Ann", "Ann"], "agents are not 2 different names"),
        (SecondPrice(), {(0, 1): "1/2", (0,): "1/2"}, None, "prior has no or uneven profiles"),
        (SecondPrice(), {"ab": 1}, None, "prior is not a profile"),
        (SecondPrice(), {}, None, "prior has no or uneven profiles"),
        (SecondPrice(), 3, None, "prior is not a law"),
    ],
)
def test_what_cannot_be_played(mechanism: Any, prior: Any, agents: Any, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        direct_mechanism(mechanism, prior, agents=agents).seeded(1)


@pytest.mark.parametrize(
    ("mechanism", "problem"),
    [
        (3, "mechanism is not a mechanism"),
        (lambda reports, rng: (0, [0, 0]), "mechanism draws from rng.*return a Lottery"),
        (lambda reports: (0,), "outcome is no outcome"),
        (lambda reports: None, "outcome is no outcome"),
    ],
)
def test_what_is_no_mechanism(mechanism: Any, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        play(direct_mechanism(mechanism, UNIFORM).seeded(1), TRUTHFUL)


def test_a_type_of_probability_zero_is_no_report() -> None:
    law = {(0, 1): "1/2", (1, 1): "1/2", (2, 1): 0}
    asks = direct_mechanism(SecondPrice(), law).seeded(1).asks
    assert [ask.answer.choices() for ask in asks] == [(0, 1), (1,)]


def test_a_report_may_be_tried_as_often_as_is_said() -> None:
    for attempts in (1, 2):
        run = direct_mechanism(SecondPrice(), UNIFORM, attempts=attempts).seeded(1)
        run = run.answer("agent 0", "much")
        assert run.over is (attempts == 1)
        assert run.over or run.answer("agent 0", "much").over


def test_payments_are_one_an_agent_and_exact() -> None:
    for payments, problem in (([0], "are 1, for 2 agents"), ([0, 0.5], "payment of agent 1")):
        run = direct_mechanism(lambda _, p=payments: (0, p), UNIFORM).seeded(1)
        with pytest.raises(InvalidInputError, match=problem):
            play(run, TRUTHFUL)


def test_a_run_of_a_function_is_played_but_not_written() -> None:
    run = direct_mechanism(SecondPrice(), UNIFORM).seeded(1)
    with pytest.raises(InvalidInputError, match="argument 1 is a SecondPrice, which is no plain"):
        run.to_json()
