"""Chance in runs: laws with exact weights, seeds that decide, draws that are answered by hand."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from played_rules import auction

from mechanisms.play import (
    Ask,
    Choice,
    Draw,
    IllegalAnswerError,
    Open,
    Pay,
    RulesError,
    Steps,
    Transfer,
    conclude,
    rules,
)
from theory.errors import InvalidInputError, ProbabilityError


def test_chance_is_open_without_a_seed() -> None:
    run = auction(["Ann"], [1, 2])
    [draw] = run.draws
    with pytest.raises(InvalidInputError, match=r"waits for a draw of chance.*seeded"):
        run.ask()
    assert "value of Ann is to be drawn" in str(run)
    for drawn in (1, 2):
        view: Any = run.answer(draw, drawn).asks[0].view
        assert view.worth == drawn
    with pytest.raises(IllegalAnswerError, match="3 is never drawn: give a value of positive"):
        run.answer(draw, 3)
    with pytest.raises(IllegalAnswerError, match="True is never drawn"):
        run.answer(draw, True)


@pytest.mark.parametrize("seed", [0, 7, "word"])
def test_rules_with_a_seed_begin_as_a_run_that_is_given_one(seed: int | str) -> None:
    begun, given = auction.seeded(seed)(["Ann"], [1, 2, 3]), auction(["Ann"], [1, 2, 3])
    assert begun.log == given.seeded(seed).log != ()
    assert begun.asks == given.seeded(seed).asks
    wrong: Any = 0.5
    with pytest.raises(InvalidInputError, match="seed"):
        auction.seeded(wrong)


def test_what_has_probability_zero_is_never_drawn() -> None:
    @rules
    def sure() -> Steps[Any]:
        return (yield Draw.of({"never": 0, "always": 1, "nor": 0}))

    assert {sure().seeded(k).outcome for k in range(50)} == {"always"}
    with pytest.raises(IllegalAnswerError):
        sure().answer(sure().draws[0], "nor")


def test_a_seed_decides_each_draw_by_its_weight() -> None:
    @rules
    def drawn() -> Steps[Any]:
        first = yield Draw.of({"l": "1/3", "m": "1/6", "r": "1/2"})
        second = yield Draw.of({"l": "1/3", "m": "1/6", "r": "1/2"})
        return first, second

    outcomes = [drawn().seeded(k).outcome for k in range(3000)]
    for place in (0, 1):
        counts = Counter(each[place] for each in outcomes)  # 5 standard deviations
        assert abs(counts["l"] - 1000) < 130
        assert abs(counts["m"] - 500) < 103
        assert abs(counts["r"] - 1500) < 137
    both = Counter(outcomes)["r", "r"]
    assert abs(both - 750) < 119  # the draws are independent
    assert outcomes[:300] == [drawn().seeded(k).outcome for k in range(300)]


def test_a_seed_does_not_undo_what_was_drawn() -> None:
    run = auction(["Ann", "Bob"], [1, 2])
    run = run.answer(run.draws[1], 2)
    values = {run.seeded(k).answer("Ann", 1).answer("Bob", 1).outcome[2] for k in range(20)}
    assert values == {(("Ann", 1), ("Bob", 2)), (("Ann", 2), ("Bob", 2))}


def test_a_draw_has_the_same_value_whenever_the_others_are_known() -> None:
    run = auction(["Ann", "Bob"], list(range(100)))
    assert run.seeded(5).asks[1] == run.answer(run.draws[0], 3).seeded(5).asks[1]


def test_draws_of_one_step_and_seeds_of_two_kinds_have_nothing_to_do_with_each_other() -> None:
    run = auction(["Ann", "Bob"], list(range(10**4)))
    values = {seed: tuple(e.value for e in run.seeded(seed).log) for seed in (1, "1", 2, "2")}
    assert len({value for pair in values.values() for value in pair}) == 8


@pytest.mark.parametrize("seed", [True, 10**4000, -(10**4200)])
def test_seeds_that_are_none(seed: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"seed is no seed|seed has more than 4000 digits"):
        auction(["Ann"], [1]).seeded(seed)
    assert auction(["Ann"], [1]).seeded(10**3999).asks


@pytest.mark.parametrize("third", [Fraction(1, 3), "1/3", -1, Fraction(-1, 3), None])
def test_a_draw_has_the_probability_of_each_value(third: Any) -> None:
    weights: Any = (Fraction(1, 3), Fraction(1, 3)) + (() if third is None else (third,))
    if third == Fraction(1, 3):
        assert Draw(("a", "b", "c"), weights).weights == weights
        return
    with pytest.raises(InvalidInputError, match=r"probability of c is|weights are 2"):
        Draw(("a", "b", "c"), weights)
    with pytest.raises(ProbabilityError, match="probabilities do not sum to one"):
        Draw(("a", "b"), weights[:2])


def test_laws_that_are_none() -> None:
    with pytest.raises(ProbabilityError, match=r"probabilities do not sum to one .got '2/3'"):
        Draw.of({"a": "1/3", "b": "1/3"})
    with pytest.raises(ProbabilityError, match="probability of b is negative"):
        Draw.of({"a": 2, "b": -1})
    with pytest.raises(InvalidInputError, match="is a float"):
        Draw.of({"a": 0.5, "b": 0.5})
    with pytest.raises(InvalidInputError, match="values are none"):
        Draw.uniform([])


@rules
def lottery(rounds: int) -> Steps[Any]:
    """Draw alone and together, pay more and more until it is too much, ask nobody."""
    yield Open((("Ann", Fraction(9)), ("Bob", Fraction(0))))
    drawn = []
    for k in range(rounds):
        drawn.append((yield Draw.of({"l": "1/3", "m": "1/6", "r": "1/2"})))
        yield {}
        both = yield {"a": Draw.uniform(range(9)), "b": Draw.uniform(range(9))}
        drawn.append(tuple(both.items()))
        drawn.append((yield Pay((Transfer("Ann", "Bob", Fraction(k), f"round {k}"),))))
    return drawn


@pytest.mark.parametrize("seed", [0, 1, "1", "two"])
def test_rules_that_ask_nobody_are_led_to_what_their_run_comes_to(seed: int | str) -> None:
    run = lottery(6).seeded(seed)
    outcome, ledger = conclude(lottery.steps(6), seed)
    assert outcome == run.outcome
    assert ledger is not None
    assert ledger.head == run.ledger.head
    assert ledger.balance("Ann") == 9 - 1 - 2 - 3  # 4 and 5 are too much
    others = [conclude(lottery.steps(6), other)[0] for other in range(2, 9)]
    assert outcome not in others


def test_rules_that_ask_somebody_are_not_led_without_answers() -> None:
    def asks(alone: bool) -> Steps[Any]:
        yield Draw.uniform([1])
        ask = Ask("Ann", "", Choice(("a", "b")))
        yield ask if alone else {"Ann": ask}

    for alone in (True, False):
        with pytest.raises(RulesError, match=r"mine at step 1 yield a Ask: lead .* as a run"):
            conclude(asks(alone), 0, "mine")
