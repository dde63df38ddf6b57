"""Runs are values: branches, orders of answers, refusals, draws and payments."""

from __future__ import annotations

from copy import copy, deepcopy
from dataclasses import dataclass, make_dataclass
from fractions import Fraction
from itertools import permutations
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_rules import auction, branching, led, patient
from sweeps import examples

from mechanisms.play import (
    TELL,
    Anything,
    Ask,
    Choice,
    Draw,
    Funds,
    How,
    Pay,
    Quantity,
    ReplayError,
    RulesError,
    Run,
    Steps,
    Unanswered,
    rules,
)
from theory.errors import InvalidInputError, UnknownNameError


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


@rules
def queue(waiting: list[str], seen: dict[str, int]) -> Steps[Any]:
    """Rules that use up what they are given."""
    while waiting:
        name = waiting.pop(0)
        seen[name] = yield Ask(name, "?", Choice((1, 2)))
    return seen


def test_rules_that_change_what_they_are_given_begin_each_branch_with_all_of_it() -> None:
    run = queue(["Ann", "Bob"], {})
    first = run.answer("Ann", 1)
    assert first.answer("Bob", 1).outcome == {"Ann": 1, "Bob": 1}
    assert run.answer("Ann", 2).answer("Bob", 2).outcome == {"Ann": 2, "Bob": 2}
    assert first.arguments == ((["Ann", "Bob"], {}), {})
    assert queue.read(first.to_json()) == first


def test_what_is_handed_out_or_in_does_not_change_a_run() -> None:
    seen: dict[str, int] = {}
    run = queue(["Ann", "Bob"], seen)
    same = queue(["Ann", "Bob"], {})
    seen["Eve"] = 1
    run.arguments[0][0].append("Eve")
    assert run == same == queue(["Ann", "Bob"], seen={})  # by position or by name
    assert run.answer("Ann", 1).answer("Bob", 1).outcome == {"Ann": 1, "Bob": 1}
    assert copy(same) is same


def test_what_can_be_gone_through_once_is_kept_for_branches() -> None:
    run = auction(iter(["Ann", "Bob"]), [1]).seeded(1)  # type: ignore[arg-type]
    run.answer("Ann", 1)
    assert run.answer("Ann", 2).answer("Bob", 1).outcome[0] == "Ann"


def test_an_answer_that_is_changed_afterwards_stays_in_the_log_as_it_was() -> None:
    @rules
    def told() -> Steps[Any]:
        first = yield Ask("Ann", "", Anything())
        second = yield Ask("Ann", "", Quantity())
        return first, second

    said: Any = [{"a": [1]}]
    much = Fraction(1, 2)
    run = told().answer("Ann", said).answer("Ann", much)
    said[0]["a"].append(2)
    much._numerator = 7  # type: ignore[attr-defined]
    assert run.outcome == ([{"a": [1]}], Fraction(1, 2))


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
    again = Ask("Ann", "how much?", Quantity(0, 3), otherwise=TELL)
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


@pytest.mark.parametrize("together", [False, True])
def test_a_seat_is_of_one_player(together: bool) -> None:
    """Otherwise a participant of that name would hear what another one is told."""

    @rules
    def confused() -> Steps[Any]:
        yield Ask("Eve", "hello", Choice(("x",)))
        secret = Ask("Ann", "a secret", Choice(("x",)), seat="Eve")
        yield {"a": secret} if together else secret

    with pytest.raises(RulesError, match="at step 1 ask 'Ann' at 'Eve', a seat of 'Eve'"):
        confused().answer("Eve", "x")


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


@dataclass(frozen=True)
class Basket:
    """A class whose name another one has, too."""


def test_data_of_rules_are_classes_of_different_names() -> None:
    other = make_dataclass("Basket", [])
    with pytest.raises(InvalidInputError, match="data has the name of another class"):
        rules(data=(Basket, other))(queue.__wrapped__)  # type: ignore[attr-defined]


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


@pytest.mark.parametrize("names", [("Ann", "Bob"), ("Bob", "Ann")])
@pytest.mark.parametrize("last", ["Ann", "Bob"])
@pytest.mark.parametrize("absent", [False, True])
def test_one_who_ends_the_run_does_so_again_after_the_others(
    names: tuple[str, ...], last: str, absent: bool
) -> None:
    first = "Bob" if last == "Ann" else "Ann"
    run = auction(list(names), [1]).seeded(1).answer(first, 2)
    run = run.no_answer(last, "gone") if absent else run.answer(last, "much")
    for again in (run.seeded(1), auction.read(run.to_json())):
        assert again == run
        assert (again.over, again.ended_by, again.last) == (True, run.ended_by, run.last)


def test_a_default_is_read_as_an_answer_is() -> None:
    @rules
    def careful() -> Steps[Any]:
        return (yield Ask("Ann", "", Quantity(), otherwise="1/2"))

    assert careful().answer("Ann", "z").outcome == Fraction(1, 2)


def test_how_a_seat_forgets_is_in_the_log_whatever_it_answers() -> None:
    run = patient("tell", 2).answer("Ann", 9, memory="promised").answer("Ann", 9, memory="promised")
    run = run.answer("Ann", 1, memory="structural")
    assert [entry.memory for entry in run.log] == ["promised", "promised", "structural"]


def test_a_default_must_be_legal() -> None:
    @rules
    def careless() -> Steps[Any]:
        yield Ask("Ann", "", Choice(("x",)), otherwise="y")

    with pytest.raises(RulesError, match="give 'Ann' an illegal answer as its default: 'y' is no"):
        careless().answer("Ann", "z")


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
