"""What must not be answered, read or left behind: at the first step, and at each later one."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from json import dumps, loads
from typing import Any

import pytest
from played_rules import auction, shop

from mechanisms.errors import ParticipantError
from mechanisms.ledger import Ledger
from mechanisms.play import (
    Ask,
    How,
    Quantity,
    ReplayError,
    Run,
    Steps,
    Text,
    play,
    rules,
    stages,
)
from theory.errors import InvalidInputError, UnknownNameError

ROUNDS = 3
SEATS = ("Ann", "Bob")


@rules
def talks(rounds: int) -> Steps[Any]:
    """Ann and Bob say a number at the same time, and then Cy a word; again and again."""
    said = []
    for k in range(rounds):
        numbers = yield {
            name: Ask(name, (k, tuple(said)), Quantity(0, 9), attempts=2) for name in SEATS
        }
        word = yield Ask("Cy", (k, tuple(numbers.values())), Text(5), attempts=2)
        said.append((*numbers.values(), word))
    return tuple(said)


ANSWERS = {"Ann": 1, "Bob": 2, "Cy": "yes"}


def stages_of(rounds: int = ROUNDS) -> list[Run[Any]]:
    """A run at each of its stages, from its beginning to its end."""
    run: Run[Any] = talks(rounds)
    return [run, *stages(run, {name: lambda ask: ANSWERS[ask.player] for name in ANSWERS})]


STAGES = stages_of()
OPEN = range(len(STAGES) - 1)


@pytest.mark.parametrize("k", OPEN)
def test_a_question_is_answered_once_at_each_step(k: int) -> None:
    run = STAGES[k]
    ask = run.ask()
    assert ask is not None
    for later in STAGES[k + 1 :]:
        reason = "is answered already" if later.asks and later.asks[0].step == ask.step else "is of"
        reason = "comes after the end" if later.over else reason
        with pytest.raises(InvalidInputError, match=f"ask {reason}"):
            later.answer(ask, ANSWERS[ask.player])
        with pytest.raises(InvalidInputError, match=f"ask {reason}"):
            later.no_answer(ask, "late")
    assert run.answer(ask, ANSWERS[ask.player]) == STAGES[k + 1]


@pytest.mark.parametrize("k", OPEN)
def test_nobody_answers_for_another_at_any_step(k: int) -> None:
    run = STAGES[k]
    ask = run.ask()
    assert ask is not None
    closed = [name for name in ANSWERS if name not in {each.player for each in run.asks}]
    for name in (*closed, "Eve", ""):
        with pytest.raises(UnknownNameError, match="ask is asked nothing now"):
            run.answer(name, 1)
        with pytest.raises(InvalidInputError, match="ask is"):
            run.answer(replace(ask, player=name or "?", seat=name or "?"), 1)
    with pytest.raises(InvalidInputError, match="ask is not open"):
        run.answer(replace(ask, view="another"), 1)
    assert run == STAGES[k]


@pytest.mark.parametrize("k", range(1, len(STAGES)))
def test_a_question_that_is_not_put_yet_is_not_open(k: int) -> None:
    for ask in STAGES[k].asks:
        for before in STAGES[:k]:
            if all(each.seat != ask.seat or each.step != ask.step for each in before.asks):
                with pytest.raises(InvalidInputError, match="ask is not open"):
                    before.answer(ask, ANSWERS[ask.player])


WRONG: list[Any] = [None, object(), 0.5, True, [], {}, b"1", ANSWERS, Ask, "no number, no word"]


@pytest.mark.parametrize("k", OPEN)
@pytest.mark.parametrize("wrong", WRONG, ids=lambda each: type(each).__name__)
def test_an_answer_of_the_wrong_type_is_refused_at_each_step(k: int, wrong: Any) -> None:
    run = STAGES[k]
    ask = run.ask()
    assert ask is not None
    again = run.answer(ask, wrong)
    asked = again.ask(ask.seat)
    assert asked is not None
    assert len(asked.refused) == 1
    assert asked.refused[0]
    assert again.last.how is How.REFUSED
    assert again.last.value is None
    assert again.answer(asked, ANSWERS[ask.player]).asks == STAGES[k + 1].asks
    ended = again.answer(asked, wrong)
    assert ended.over
    assert ended.ended_by is not None
    assert ended.ended_by.seat == ask.seat
    assert run == STAGES[k]


@pytest.mark.parametrize("name", ["Ann", "Eve", ""])
def test_after_the_end_nobody_answers(name: str) -> None:
    for over in (STAGES[-1], talks(0), STAGES[0].no_answer("Ann", "gone"), talks(1).seeded(3)):
        if over.over:
            with pytest.raises(UnknownNameError, match="is asked nothing after the end"):
                over.answer(name, 1)
            assert over.ask() is None


@pytest.mark.parametrize("k", range(len(STAGES)))
def test_a_stage_of_another_version_or_mechanism_is_refused(k: int) -> None:
    written = STAGES[k].to_json()
    with pytest.raises(InvalidInputError, match="version of talks is another"):
        talks.read(written | {"version": 2})
    with pytest.raises(InvalidInputError, match=r"rules are others .got 'talks'"):
        auction.read(written)
    assert talks.read(dumps(written)) == STAGES[k]


@pytest.mark.parametrize("first", range(len(STAGES) - 1))
def test_of_several_entries_that_differ_the_first_is_named(first: int) -> None:
    written = loads(dumps(STAGES[-1].to_json()))
    for entry in written["log"][first:]:
        entry["asked"] = "0" * 16
    step = written["log"][first]["step"]
    with pytest.raises(ReplayError, match=f"at step {step} ask for something else") as caught:
        talks.read(written)
    assert caught.value.step == step


@pytest.mark.parametrize("first", range(len(STAGES) - 2))
def test_rules_that_ask_otherwise_after_a_step_are_found_out_there(first: int) -> None:
    """An answer is another one: all that is asked later tells of it."""
    written = loads(dumps(STAGES[-1].to_json()))
    entry = written["log"][first]
    entry["value"] = "no" if isinstance(entry["value"], str) and entry["value"] == "yes" else "3"
    with pytest.raises(ReplayError) as caught:
        talks.read(written)
    assert caught.value.step == entry["step"] + 1


# --- a driver that dies


def dying(at: int, asked: list[str]) -> Any:
    """Participants who say what they say; the driver dies when so many were asked."""

    def say(ask: Ask) -> object:
        asked.append(ask.seat)
        if len(asked) == at + 1:
            raise KeyboardInterrupt
        return ANSWERS[ask.player]

    return dict.fromkeys(ANSWERS, say)


@pytest.mark.parametrize("at", OPEN)
def test_a_driver_that_dies_between_question_and_answer_loses_nothing(at: int) -> None:
    asked: list[str] = []
    kept = talks(ROUNDS).to_json()

    def lead() -> None:
        nonlocal kept
        for stage in stages(talks(ROUNDS), dying(at, asked)):
            kept = loads(dumps(stage.to_json()))

    with pytest.raises(KeyboardInterrupt):
        lead()
    assert len(kept["log"]) == at
    done = play(talks.read(kept), dying(10**6, asked))
    assert done == STAGES[-1]
    once = [entry.request.seat for entry in STAGES[-1].log]
    assert len(asked) == len(once) + 1  # who was asked when it died is asked again
    assert asked[at] == asked[at + 1]


@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize("kept_before", [False, True])
def test_a_driver_that_dies_at_a_purchase_pays_once(at: int, kept_before: bool) -> None:
    """It dies before the stage after purchase number ``at`` is written down, or just after."""
    whole, ledger = Ledger({"Ann": 9, "Bob": 0}), Ledger({"Ann": 9, "Bob": 0})
    buyer = {"Ann": lambda ask: "buy"}
    expected = play(shop.on_ledger(whole, "order")(Fraction(9), Fraction(2), 3), buyer)
    run = shop.on_ledger(ledger, "order")(Fraction(9), Fraction(2), 3)
    kept = dumps(run.to_json())
    for k, stage in enumerate(stages(run, buyer)):
        if k < at or kept_before:
            kept = dumps(stage.to_json())
        if k == at:
            break
    assert ledger.balance("Bob") == 2 * (at + 1)
    done = play(shop.read(kept, ledger), buyer)
    assert done.outcome == expected.outcome
    assert done.to_json() == expected.to_json()
    assert str(ledger) == str(whole)
    assert [entry.how for entry in done.log] == [entry.how for entry in expected.log]


@pytest.mark.parametrize("at", OPEN)
def test_a_stage_that_a_player_ends_is_yielded_before_the_error_is_raised(at: int) -> None:
    seen: list[Run[Any]] = []

    def say(ask: Ask) -> object:
        if len(seen) == at:
            raise IndexError
        return ANSWERS[ask.player]

    def lead() -> None:
        for stage in stages(talks(ROUNDS), dict.fromkeys(ANSWERS, say)):
            seen.append(stage)

    with pytest.raises(ParticipantError, match="raised IndexError") as caught:
        lead()
    assert seen[:-1] == STAGES[1 : at + 1]
    assert seen[-1] is caught.value.record
    assert seen[-1].over
    assert seen[-1].last.how is How.ABSENT
