"""Participants of this process lead a run to its end, at once or in their own time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest
from played_rules import auction, patient

from mechanisms.errors import ParticipantError
from mechanisms.play import (
    TELL,
    AnswerType,
    Anything,
    Ask,
    Choice,
    How,
    Run,
    Steps,
    Subset,
    Unanswered,
    play,
    play_async,
    rules,
)
from theory.errors import InvalidInputError, UnknownNameError


def later(participant: Callable[[Ask], object]) -> Callable[[Ask], Awaitable[object]]:
    async def answer(ask: Ask) -> object:
        await asyncio.sleep(0)
        return participant(ask)

    return answer


def at_once(run: Run[Any], participants: Any) -> Run[Any]:
    return play(run, participants)


def in_time(run: Run[Any], participants: Any) -> Run[Any]:
    return asyncio.run(play_async(run, {name: later(p) for name, p in participants.items()}))


DRIVERS = pytest.mark.parametrize("drive", [at_once, in_time])


@DRIVERS
def test_the_run_is_that_of_the_answers(drive: Any) -> None:
    bids = {"Ann": 1, "Bob": 2}
    run = auction(["Ann", "Bob"], [1, 2]).seeded(3)
    done = drive(run, {name: lambda ask: bids[ask.player] for name in bids})
    assert done == run.answer("Ann", 1).answer("Bob", 2)


@DRIVERS
def test_who_errs_is_told_why_and_asked_again(drive: Any) -> None:
    heard = []

    def learns(ask: Ask) -> object:
        heard.append(ask.refused)
        return 9 - 4 * len(ask.refused) if ask.view == "how much?" else 2

    assert drive(patient("tell", 3), {"Ann": learns}).outcome == (1, 2)
    assert heard[:3] == [
        (),
        ("9 is too much: say at most 3",),
        ("9 is too much: say at most 3", "5 is too much: say at most 3"),
    ]


@DRIVERS
@pytest.mark.parametrize("where", [0, 1])
def test_what_a_participant_raises_is_an_answer_that_did_not_come(drive: Any, where: int) -> None:
    asked = []

    def fails(ask: Ask) -> object:
        asked.append(ask)
        if len(asked) == where + 1:
            raise SystemExit("no\x1b[2J")
        return 1

    if where == 0:  # the rules want to be told
        run = drive(patient("tell", 3), {"Ann": fails})
        assert run.log[0].how is How.ABSENT
        assert run.outcome == (Unanswered(r"raised SystemExit('no\x1b[2J')", True), 1)
        return
    with pytest.raises(ParticipantError, match="Ann raised SystemExit") as caught:  # they do not
        drive(patient("tell", 3), {"Ann": fails})
    assert isinstance(caught.value.__cause__, SystemExit)
    assert caught.value.record.ended_by.view == ("you said", "1")
    assert caught.value.record.log[0].value == 1


@DRIVERS
def test_who_ends_a_run_by_an_illegal_answer_is_named(drive: Any) -> None:
    with pytest.raises(ParticipantError) as caught:
        drive(auction(["Ann", "Bob"], [1]).seeded(1), {"Ann": lambda a: 1, "Bob": lambda a: "all"})
    assert str(caught.value) == (
        "Bob has no answer: 'all' is no option: known are 0, 1, 2 when asked to bid: answer one "
        "of 0, 1, 2"
    )
    assert caught.value.record.over


@DRIVERS
def test_participants_that_there_are_not(drive: Any) -> None:
    run = auction(["Ann", "Bob"], [1]).seeded(1)
    with pytest.raises(UnknownNameError, match="participants is asked, and is no participant"):
        drive(run, {"Ann": lambda ask: 1, "Bobby": lambda ask: 1})
    with pytest.raises(InvalidInputError, match="waits for a draw of chance"):
        drive(auction(["Ann"], [1]), {"Ann": lambda ask: 1})


def test_only_who_runs_the_program_interrupts_it() -> None:
    def interrupts(ask: Ask) -> object:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(patient("tell", 1), {"Ann": interrupts})


# --- seats


@rules
def reading(secrets: list[str]) -> Steps[Any]:
    """Ann reads each secret in a seat of its own, and says at last what she knows."""
    for k, secret in enumerate(secrets):
        yield Ask("Ann", secret, Choice(("seen",)), seat=f"Ann, reading {k}")
    return (yield Ask("Ann", "what do you know?", Choice(("nothing", "something"))))


class Reader:
    """Keeps what it is shown."""

    def __init__(self) -> None:
        self.memory: list[Any] = []

    def __call__(self, ask: Ask) -> object:
        known = [each for each in self.memory if "secret" in each]
        self.memory.append(str(ask.view))
        return "seen" if ask.seat != "Ann" else "something" if known else "nothing"


class Fixed(Reader):
    """Is its own copy."""

    def __deepcopy__(self, memo: Any) -> Fixed:
        return self


def test_a_seat_of_its_own_is_forgotten() -> None:
    reader = Reader()
    run = play(reading(["secret a", "secret b"]), {"Ann": reader})
    assert run.outcome == "nothing"
    assert reader.memory == ["what do you know?"]
    assert [entry.memory for entry in run.log] == ["structural", "structural", ""]


def test_a_seat_that_is_asked_again_has_not_forgotten() -> None:
    @rules
    def twice() -> Steps[Any]:
        for view in ("a secret", "what do you know?"):
            said = yield Ask("Ann", view, Choice(("nothing", "something")), seat="Ann, reading")
        return said

    class Keeps(Reader):
        def __call__(self, ask: Ask) -> object:
            self.memory.append(ask.view)
            return "something" if "a secret" in self.memory[:-1] else "nothing"

    reader = Keeps()
    for run in (
        play(twice(), {"Ann": reader}),
        asyncio.run(play_async(twice(), {"Ann": Later(reader)})),
    ):
        assert run.outcome == "something"
        assert [entry.memory for entry in run.log] == ["structural"] * 2
    assert reader.memory == []


class Later:
    """A participant that is copied with what it knows, and answers in its own time."""

    def __init__(self, participant: Any) -> None:
        self.participant = participant

    async def __call__(self, ask: Ask) -> object:
        return self.participant(ask)


class Recalls(Reader):
    """Is told what its seat was asked before."""

    def recall(self, seat: str, answered: Any) -> None:
        self.memory += [f"{ask.seat}: {ask.view}: {answer}" for ask, answer in answered]


def test_a_seat_recalls_nothing_of_another_seat_of_its_player() -> None:
    """In a run that was stopped and goes on with somebody else."""
    run = reading(["secret a", "secret b"])
    run = run.answer("Ann, reading 0", "seen").answer("Ann, reading 1", "seen")
    reader = Recalls()
    assert play(run, {"Ann": reader}).outcome == "nothing"
    assert reader.memory == ["what do you know?"]

    @rules
    def twice() -> Steps[Any]:
        for k in range(3):
            yield Ask("Ann", f"secret {k}", Choice(("seen",)), seat=f"Ann {k % 2}")

    heard: list[tuple[str, list[str]]] = []

    class Notes(Recalls):
        def __call__(self, ask: Ask) -> object:
            heard.append((ask.seat, list(self.memory)))
            return "seen"

    play(twice().answer("Ann 0", "seen").answer("Ann 1", "seen"), {"Ann": Notes()})
    assert heard == [("Ann 0", ["Ann 0: secret 0: seen"])]


def test_what_is_recalled_is_shared_with_nobody() -> None:
    @rules
    def lists() -> Steps[Any]:
        for _ in range(2):
            yield Ask("Ann", ["a view"], Anything())

    class Greedy(Recalls):
        def recall(self, seat: str, answered: Any) -> None:
            for ask, answer in answered:
                ask.view.append("more")
                answer.append("more")

    run = play(lists().answer("Ann", ["said"]), {"Ann": Greedy()})
    assert (run.log[0].request.view, run.log[0].value) == (["a view"], ["said"])


def test_what_is_its_own_copy_promises() -> None:
    run = play(reading(["secret a"]), {"Ann": Fixed()})
    assert run.outcome == "something"
    assert [entry.memory for entry in run.log] == ["promised", ""]


def test_a_seat_may_have_a_participant_of_its_own() -> None:
    seated = {"Ann, reading 0": lambda ask: "seen", "Ann": lambda ask: "nothing"}
    run = play(reading(["secret"]), seated)
    assert [entry.memory for entry in run.log] == ["", ""]


def test_what_cannot_be_copied_has_no_second_seat() -> None:
    class Stuck(Reader):
        def __deepcopy__(self, memo: Any) -> Any:
            raise TypeError("no")

    with pytest.raises(InvalidInputError, match="cannot be copied for Ann, reading 0"):
        play(reading(["secret"]), {"Ann": Stuck()})


def test_a_participant_cannot_change_what_others_see() -> None:
    @rules
    def shared() -> Steps[Any]:
        view = ([1, 2], "told")
        first = yield Ask("Ann", view, Choice((1, 2, 3)))
        second = yield Ask("Bob", view, Choice((1, 2, 3)))
        return first, second

    def greedy(ask: Ask) -> object:
        ask.view[0].append(3)  # type: ignore[index]
        return len(ask.view[0])  # type: ignore[index]

    assert play(shared(), {"Ann": greedy, "Bob": greedy}).outcome == (3, 3)


@rules
def choices_with_contents() -> Steps[Any]:
    """Two seats choose among the same options, which are objects."""
    options = ([1], [2])
    first = yield Ask("Ann", "", Holding(options), seat="Ann, reading")
    return first, (yield Ask("Ann", "", Holding(options)))


@dataclass(frozen=True)
class Holding(AnswerType[Any]):
    """An answer type that holds what can be changed."""

    options: Any

    def read(self, given: object) -> Any:
        return given

    def write(self, answer: Any) -> object:
        return answer

    def schema(self) -> dict[str, object]:
        return {}


def test_a_seat_writes_nothing_into_what_is_legal() -> None:
    def writes(ask: Ask) -> object:
        answer: Any = ask.answer
        answer.options[0].append(ask.seat)
        return str(answer.options)

    assert play(choices_with_contents(), {"Ann": writes}).outcome == (
        "([1, 'Ann, reading'], [2])",
        "([1, 'Ann'], [2])",
    )


def test_an_answer_that_is_changed_afterwards_is_as_it_was() -> None:
    @rules
    def sealed() -> Steps[Any]:
        first = yield Ask("Ann", "bid", Anything())
        second = yield Ask("Bob", "bid", Anything())
        return list(first), second

    bid = [1]

    def raises_the_bid(ask: Ask) -> object:
        bid[0] = 99
        return 2

    done = play(sealed(), {"Ann": lambda ask: bid, "Bob": raises_the_bid})
    assert done.outcome == ([1], 2)
    assert done.log[0].value == [1]


@DRIVERS
@pytest.mark.parametrize("error", [ZeroDivisionError, SystemExit])
def test_an_answer_that_raises_when_it_is_read_is_no_legal_answer(drive: Any, error: Any) -> None:
    def bad(ask: Ask) -> object:
        def parts() -> Any:
            yield "a"
            raise error("\x1b[2J")

        return parts()

    @rules
    def some() -> Steps[Any]:
        return (yield Ask("Ann", "which?", Subset(("a", "b")), otherwise=TELL))

    outcome = drive(some(), {"Ann": bad}).outcome
    assert outcome.reason.startswith(f"raised {error.__name__}")
    assert "\x1b" not in outcome.reason
    assert not outcome.absent
