"""Runs are values: branches, orders of answers, refusals, draws and payments."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from fractions import Fraction
from itertools import permutations
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_rules import auction, branching, led, patient, shop
from sweeps import examples

from mechanisms.ledger import Ledger
from mechanisms.play import (
    TELL,
    Amount,
    Ask,
    Choice,
    Draw,
    Funds,
    How,
    IllegalAnswerError,
    Open,
    Pay,
    ReplayError,
    RulesError,
    Run,
    Steps,
    Transfer,
    Unanswered,
    rules,
)
from theory.errors import InvalidInputError, ProbabilityError, UnknownNameError


def asked(run: Run[Any]) -> list[str]:
    return [ask.seat for ask in run.asks]


# --- a run is a value


def test_answering_leaves_the_run_as_it_was() -> None:
    run = auction(["Ann", "Bob"], [1, 2]).seeded(1)
    log, asks = run.log, run.asks
    later = run.answer("Ann", 1)
    assert (run.log, run.asks, asked(run)) == (log, asks, ["Ann", "Bob"])
    assert asked(later) == ["Bob"]
    over = later.answer("Bob", 2)
    assert over.over
    assert not run.over
    assert run.outcome is None


@settings(max_examples=examples(60))
@given(seed=st.integers(0, 10**6), rounds=st.integers(0, 6), cut=st.integers(0, 20))
def test_a_branch_of_an_early_stage_is_the_run_that_goes_there_straight(
    seed: int, rounds: int, cut: int
) -> None:
    start = branching(seed, rounds)
    early = led(start, Random(seed), cut)
    led(early, Random(1))  # somebody else goes on
    branch = led(early, Random(2))
    straight = led(led(branching(seed, rounds), Random(seed), cut), Random(2))
    assert branch == straight
    assert branch.outcome == straight.outcome
    assert hash(branch) == hash(straight)
    assert deepcopy(branch) is branch


def test_runs_differ_where_one_answer_or_argument_or_seed_does() -> None:
    run = auction(["Ann", "Bob"], [1]).seeded(1)
    assert run == auction(["Ann", "Bob"], [1]).seeded(1)
    assert run != auction(["Ann", "Bob"], [1]).seeded("1")
    assert run != auction(["Bob", "Ann"], [1]).seeded(1)
    assert run.answer("Ann", 1) != run.answer("Ann", 2)
    assert run.answer("Ann", 1) != run.answer("Bob", 1)
    assert run.answer("Ann", 1) != run
    assert run != "run"


@pytest.mark.parametrize("order", list(permutations(["Ann", "Bob", "Cy"])))
def test_nobody_sees_in_which_order_answers_came(order: tuple[str, ...]) -> None:
    bids = {"Ann": 0, "Bob": 2, "Cy": 1}
    seen = []

    @rules
    def sealed() -> Steps[Any]:
        answers = yield {name: Ask(name, "bid", Choice((0, 1, 2))) for name in bids}
        seen.append(list(answers.items()))
        return answers

    run = sealed()
    for name in order:
        run = run.answer(name, bids[name])
    assert run.outcome == bids
    assert seen == [list(bids.items())]
    assert [entry.key for entry in run.log] == ["Ann", "Bob", "Cy"]


def test_rules_that_raise_leave_the_run_where_it_is() -> None:
    @rules
    def fragile() -> Steps[Any]:
        said = yield Ask("Ann", "divide by", Choice((0, 1)))
        return 1 / said

    run = fragile()
    with pytest.raises(ZeroDivisionError):
        run.answer("Ann", 0)
    assert run.answer("Ann", 1).outcome == 1


def test_lists_that_are_changed_outside_do_not_change_a_run() -> None:
    names = ["Ann", "Bob"]
    run = auction(names, [1]).seeded(1)
    names.append("Eve")
    assert asked(run.answer("Ann", 1)) == ["Bob"]
    assert run.answer("Ann", 1).answer("Bob", 2).outcome[0] == "Bob"
    assert run.answer("Ann", 2).answer("Bob", 1).outcome[0] == "Ann"


# --- what is not open


def test_a_question_is_answered_once_by_whom_it_is_put_to_and_before_the_end() -> None:
    run = auction(["Ann", "Bob"], [1]).seeded(1)
    ann, bob = run.asks
    later = run.answer(ann, 1)
    with pytest.raises(InvalidInputError, match=r"ask is answered already.*answer one of.*Bob"):
        later.answer(ann, 1)
    with pytest.raises(UnknownNameError, match=r"ask is asked nothing now .got 'Ann'"):
        later.answer("Ann", 1)
    with pytest.raises(UnknownNameError, match="did you mean 'Bob'"):
        later.answer("Bobby", 1)
    over = later.answer(bob, 1)
    with pytest.raises(InvalidInputError, match="ask comes after the end"):
        over.answer(bob, 1)
    with pytest.raises(UnknownNameError, match="is asked nothing after the end"):
        over.answer("Bob", 1)
    other = auction(["Eve", "Cy"], [1]).seeded(1)
    with pytest.raises(InvalidInputError, match="ask is not open"):
        other.answer(ann, 1)
    assert over.ask() is None


def test_an_equal_question_of_another_process_will_do() -> None:
    again = Ask("Ann", "how much?", Amount(0, 3), otherwise=TELL)
    assert patient("tell", 1).answer(again, 1).asks


def test_a_seat_is_asked_one_thing_at_a_time() -> None:
    @rules
    def two(first: str, second: str) -> Steps[Any]:
        yield {
            "a": Ask("Ann", 1, Choice(("x",)), seat=first),
            "b": Ask("Ann", 2, Choice(("x",)), seat=second),
        }

    assert len(two("one", "other").asks) == 2
    with pytest.raises(RulesError, match="two at step 0 ask 'Ann' two things at a time"):
        two("", "")


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        (3, "yield a int: yield an Ask"),
        (None, "yield a NoneType"),
        ({"a": "b"}, "yield a str"),
        ({3: Draw.uniform(["x"])}, "name a request 3"),
        ({"": Draw.uniform(["x"])}, "name a request ''"),
        (Pay(()), "pay before accounts are open"),
        (Funds("Ann"), "pay before accounts are open"),
    ],
)
@pytest.mark.parametrize("before", [0, 2])
def test_rules_that_ask_for_what_nobody_answers(wanted: Any, problem: str, before: int) -> None:
    @rules
    def odd() -> Steps[Any]:
        for k in range(before):
            yield Ask("Ann", k, Choice((1,)))
        yield wanted

    def go() -> None:
        run = odd()
        for _ in range(before):
            run = run.answer("Ann", 1)

    with pytest.raises(RulesError, match=f"the rules odd at step {before} {problem}"):
        go()


def test_a_batch_of_nothing_is_passed_over() -> None:
    @rules
    def empty() -> Steps[Any]:
        return (yield {})

    assert empty().outcome == {}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"player": ""}, "player of an Ask is empty"),
        ({"attempts": 0}, "attempts of an Ask is not a count"),
        ({"attempts": 101}, "attempts of an Ask is above 100"),
        ({"attempts": True}, "attempts of an Ask is not a count"),
    ],
)
def test_questions_that_cannot_be_put(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        Ask(**{"player": "Ann", "view": "", "answer": Choice(("x",)), **change})


def test_what_is_no_generator_is_no_rules() -> None:
    with pytest.raises(InvalidInputError, match="function is no generator"):
        rules(lambda: 3)  # type: ignore[arg-type, return-value]


# --- answers that are not legal


@pytest.mark.parametrize("attempts", [1, 2, 3])
def test_a_bad_answer_is_asked_for_again_so_often_as_the_rules_say(attempts: int) -> None:
    run = patient("tell", attempts)
    for k in range(attempts):
        [ask] = run.asks
        assert len(ask.refused) == k
        assert run.answer(ask, 2).asks[0].view == ("you said", "2")  # it may still be put right
        run = run.answer(ask, 4 + k)
    [ask] = run.asks
    told = Unanswered(f"{3 + attempts} is too much: say at most 3", absent=False)
    assert ask.view == ("you said", str(told))
    hows = [entry.how for entry in run.log]
    assert hows == [How.REFUSED] * (attempts - 1) + [How.ILLEGAL]
    assert [entry.reason for entry in run.log] == [
        f"{4 + k} is too much: say at most 3" for k in range(attempts)
    ]


def test_the_default_counts_as_the_answer_and_is_told_apart_in_the_log() -> None:
    run = patient("default", 1)
    ways = {
        How.ILLEGAL: run.answer("Ann", 9),
        How.ABSENT: run.no_answer("Ann", "asleep"),
        How.CHOSEN: run.answer("Ann", 0),
    }
    for how, after in ways.items():
        assert after.log[0].how is how
        assert after.answer("Ann", 1).outcome == (0, 1)


def test_no_answer_is_told_to_rules_that_ask_for_it() -> None:
    run = patient("tell", 3).no_answer("Ann", "asleep").answer("Ann", 1)
    assert run.outcome == (Unanswered("asleep", True), 1)


@pytest.mark.parametrize("first", [True, False])
def test_without_a_default_the_run_ends(first: bool) -> None:
    run = patient("default", 1)
    run = auction(["Ann"], [1]).seeded(1) if first else run.answer("Ann", 1)
    for over in (run.answer("Ann", "much"), run.no_answer("Ann", "gone")):
        assert over.over
        assert over.outcome is None
        assert over.ended_by == run.asks[0]
        assert over.ask() is None
        assert "ended, since Ann gave no legal answer" in str(over)
        with pytest.raises(InvalidInputError, match="comes after the end"):
            over.answer(run.asks[0], 1)
    assert run.answer("Ann", 1).over  # and the stage before goes on


def test_a_default_must_be_legal() -> None:
    @rules
    def careless() -> Steps[Any]:
        yield Ask("Ann", "", Choice(("x",)), otherwise="y")

    with pytest.raises(RulesError, match="give 'Ann' an illegal answer as its default: 'y' is no"):
        careless().answer("Ann", "z")


# --- chance


def test_chance_is_open_without_a_seed() -> None:
    run = auction(["Ann"], [1, 2])
    [draw] = run.draws
    with pytest.raises(InvalidInputError, match=r"waits for a draw of chance.*seeded"):
        run.ask()
    assert "value of Ann is to be drawn" in str(run)
    for drawn in (1, 2):
        view: Any = run.answer(draw, drawn).asks[0].view
        assert view.worth == drawn
    with pytest.raises(IllegalAnswerError, match="never drawn"):
        run.answer(draw, 3)
    with pytest.raises(IllegalAnswerError, match="never drawn"):
        run.answer(draw, True)


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
    assert outcomes == [drawn().seeded(k).outcome for k in range(3000)]


def test_a_seed_does_not_undo_what_was_drawn() -> None:
    run = auction(["Ann", "Bob"], [1, 2])
    run = run.answer(run.draws[1], 2)
    values = {run.seeded(k).answer("Ann", 1).answer("Bob", 1).outcome[2] for k in range(20)}
    assert values == {(("Ann", 1), ("Bob", 2)), (("Ann", 2), ("Bob", 2))}


def test_a_draw_has_the_same_value_whenever_the_others_are_known() -> None:
    run = auction(["Ann", "Bob"], list(range(100)))
    assert run.seeded(5).asks[1] == run.answer(run.draws[0], 3).seeded(5).asks[1]


def test_laws_that_are_none() -> None:
    with pytest.raises(ProbabilityError, match=r"probabilities do not sum to one .got '2/3'"):
        Draw.of({"a": "1/3", "b": "1/3"})
    with pytest.raises(ProbabilityError, match="probability of b is negative"):
        Draw.of({"a": 2, "b": -1})
    with pytest.raises(InvalidInputError, match="is a float"):
        Draw.of({"a": 0.5, "b": 0.5})
    with pytest.raises(InvalidInputError, match="values are none"):
        Draw.uniform([])


# --- money


def led_shop(answers: str, ledger: Ledger | None = None) -> Run[Any]:
    run: Run[Any] = shop(Fraction(2), Fraction(1), len(answers))
    run = run if ledger is None else run.on_ledger(ledger)
    for each in answers:
        run = run.answer("Ann", {"b": "buy", "l": "leave"}[each])
    return run


def test_what_cannot_be_paid_is_told_and_nothing_moves() -> None:
    run = led_shop("bblb")
    assert run.outcome == 2
    assert run.ledger.balance("Ann") == 0
    assert run.ledger.balance("Bob") == 2
    assert [entry.memo for entry in run.ledger.entries] == ["round 0", "round 1"]
    [unpaid] = [e.value for e in run.log if isinstance(e.request, Pay) and e.value is not None]
    assert (unpaid.account, unpaid.amount, unpaid.funds) == ("Ann", 1, 0)


def test_the_ledger_of_an_earlier_stage_is_that_of_then() -> None:
    run = led_shop("b")
    first: Run[Any] = shop(Fraction(2), Fraction(1), 1)
    done = first.answer("Ann", "buy")
    assert first.ledger.entries == ()
    assert len(done.ledger.entries) == 1
    assert str(done.ledger) == str(run.ledger)
    run.ledger.transfer("Bob", "Ann", 1)
    assert run.ledger.balance("Bob") == 1


def test_all_payments_of_a_request_are_made_or_none() -> None:
    @rules
    def several(second: int) -> Steps[Any]:
        yield Open((("Ann", Fraction(2)), ("Bob", Fraction(0)), ("Cy", Fraction(5))))
        return (
            yield Pay(
                (
                    Transfer("Cy", "Bob", 1),
                    Transfer("Ann", "Bob", 1),
                    Transfer("Ann", "Cy", second),
                )
            )
        )

    assert several(1).outcome is None
    assert len(several(1).ledger.entries) == 3
    assert several(2).outcome.account == "Ann"
    assert several(2).outcome.amount == 3
    assert several(2).ledger.entries == ()


def test_a_ledger_that_others_use_is_paid_once() -> None:
    ledger = Ledger({"Ann": 5, "Bob": 0})
    run = led_shop("bb", ledger=ledger)
    assert run.outcome == 2
    assert ledger.balance("Bob") == 2
    assert run.seeded(1).outcome == 2  # goes through the log again
    assert shop.read(run.to_json(), ledger).outcome == 2
    assert ledger.balance("Bob") == 2
    with pytest.raises(InvalidInputError, match="ledger is needed, since others use it, too"):
        shop.read(run.to_json())
    with pytest.raises(InvalidInputError, match="ledger has 1 payment too few of Ann to Bob"):
        shop.read(run.to_json(), Ledger({"Ann": 5, "Bob": 0}))
    assert [entry.amount for entry in run.ledger.entries] == [1, 1]


@pytest.mark.parametrize("payee", ["Eve", "Ann"])
def test_of_several_payments_none_is_made_if_one_cannot_be(payee: str) -> None:
    @rules
    def wrong() -> Steps[Any]:
        yield Open((("Ann", Fraction(9)), ("Bob", Fraction(0))))
        yield Ask("Ann", "", Choice(("pay",)))
        yield Pay((Transfer("Ann", "Bob", Fraction(1)), Transfer("Ann", payee, Fraction(1))))

    ledger = Ledger({"Ann": 9, "Bob": 0})
    with pytest.raises(InvalidInputError, match=payee):
        wrong().on_ledger(ledger).answer("Ann", "pay")
    assert ledger.entries == ()


def test_a_ledger_needs_the_accounts() -> None:
    with pytest.raises(InvalidInputError, match="ledger has no account for Bob"):
        shop(Fraction(1), Fraction(1), 1).on_ledger(Ledger({"Ann": 1}))
    with pytest.raises(InvalidInputError, match="run has no account"):
        assert auction(["Ann"], [1]).ledger


# --- rules that do not repeat themselves


@pytest.mark.parametrize("moody", [0, 1, 3])
def test_rules_that_depend_on_more_than_their_answers_are_found_out(moody: int) -> None:
    calls = []

    @rules
    def wavering() -> Steps[Any]:
        calls.append(None)
        for k in range(5):
            view = (k, len(calls)) if k == moody else k
            yield Ask("Ann", view, Choice((1, 2)))

    run = wavering()
    stages = [run := run.answer("Ann", 1) for _ in range(5)]
    for stage in stages[moody : moody + 1]:
        with pytest.raises(ReplayError, match=f"at step {moody} ask for something else"):
            stage.answer(stage.asks[0] if stage.asks else "Ann", 2)


def test_a_log_of_one_step_is_the_last() -> None:
    run = auction(["Ann"], [1])
    with pytest.raises(InvalidInputError, match="run has no entry"):
        assert run.last
    assert run.seeded(1).last.how is How.DRAWN
