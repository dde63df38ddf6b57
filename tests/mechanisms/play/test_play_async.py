"""Participants answer in their own time: all at once, within limits, and stopped in order."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from fractions import Fraction
from typing import Any

import pytest
from played_rules import auction, patient, shop

from mechanisms.errors import ParticipantError
from mechanisms.play import Ask, Choice, Steps, Unanswered, play_async, rules
from theory.errors import InvalidInputError


def test_open_questions_are_asked_at_the_same_time() -> None:
    started: list[str] = []

    async def waits(ask: Ask) -> object:
        started.append(ask.player)
        while len(started) < 3:
            await asyncio.sleep(0)
        return 1

    names = ["Ann", "Bob", "Cy"]
    run = auction(names, [1]).seeded(1)
    done = asyncio.run(asyncio.wait_for(play_async(run, dict.fromkeys(names, waits)), 20))
    assert done.over


def test_no_more_are_asked_at_a_time_than_is_allowed() -> None:
    now: list[str] = []
    most: list[int] = []

    async def counted(ask: Ask) -> object:
        now.append(ask.player)
        most.append(len(now))
        await asyncio.sleep(0.001)
        now.remove(ask.player)
        return 1

    names = [f"bidder {k}" for k in range(7)]
    run = auction(names, [1]).seeded(1)
    asyncio.run(play_async(run, dict.fromkeys(names, counted), at_once=2))
    assert max(most) == 2
    assert len(most) == 7


def test_all_seats_of_one_player_are_asked_at_the_same_time() -> None:
    started: list[str] = []

    @rules
    def seats() -> Steps[Any]:
        yield {f"{k}": Ask("Ann", k, Choice((1,)), seat=f"Ann {k}") for k in range(5)}

    async def waits(ask: Ask) -> object:
        started.append(ask.seat)
        while len(started) < 5:
            await asyncio.sleep(0)
        return 1

    assert asyncio.run(asyncio.wait_for(play_async(seats(), {"Ann": waits}), 20)).over


def test_who_waits_for_others_has_all_its_time() -> None:
    async def slow(ask: Ask) -> object:
        await asyncio.sleep(0.06)
        return 1

    names = [f"bidder {k}" for k in range(4)]
    run = auction(names, [1]).seeded(1)
    done = asyncio.run(play_async(run, dict.fromkeys(names, slow), patience=0.2, at_once=1))
    assert done.outcome is not None


@pytest.mark.parametrize("error", [TimeoutError("a socket"), asyncio.CancelledError("inside")])
def test_a_participant_that_is_stopped_inside_has_not_answered(error: BaseException) -> None:
    async def fails(ask: Ask) -> object:
        if ask.view == "how much?":
            raise error
        return 2

    run = asyncio.run(play_async(patient("tell", 3), {"Ann": fails}, patience=9))
    assert run.outcome == (Unanswered(f"raised {error!r}", True), 2)


def test_who_stops_the_run_stops_all_and_waits_until_they_have_put_away_their_things() -> None:
    ended: list[str] = []

    async def thinks(ask: Ask) -> object:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            await asyncio.sleep(0.01)
            ended.append(ask.player)
            raise
        return 1

    async def main() -> None:
        run = auction(["Ann", "Bob"], [1]).seeded(1)
        task = asyncio.create_task(play_async(run, {"Ann": thinks, "Bob": thinks}))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert sorted(ended) == ["Ann", "Bob"]

    asyncio.run(main())


def test_of_two_who_err_at_once_the_first_one_asked_ends_the_run() -> None:
    async def errs(ask: Ask) -> object:
        return "x"

    names = [f"bidder {k}" for k in range(20)]
    run = auction(names, [1]).seeded(1)
    with pytest.raises(ParticipantError, match="bidder 0 has no answer"):
        asyncio.run(play_async(run, dict.fromkeys(names, errs)))


def test_who_goes_on_when_its_time_is_over_has_not_answered() -> None:
    async def stubborn(ask: Ask) -> object:
        if ask.view != "how much?":
            return 2
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(30)
        return 1

    run = asyncio.run(play_async(patient("tell", 3), {"Ann": stubborn}, patience=0.01))
    assert run.outcome == (Unanswered("no answer within 0.01 seconds", True), 2)


def test_patience_ends() -> None:
    async def sleeps(ask: Ask) -> object:
        await asyncio.sleep(30 if ask.view == "how much?" else 0)
        return 2

    run = asyncio.run(play_async(patient("tell", 3), {"Ann": sleeps}, patience=0.01))
    assert run.outcome == (Unanswered("no answer within 0.01 seconds", True), 2)


def test_who_is_still_thinking_is_stopped_when_the_run_ends() -> None:
    ended: list[str] = []

    async def thinks(ask: Ask) -> object:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            ended.append(ask.player)
            raise
        return 1

    async def errs(ask: Ask) -> object:
        await asyncio.sleep(0)
        return "x"

    async def main() -> None:
        run = auction(["Ann", "Bob"], [1]).seeded(1)
        with pytest.raises(ParticipantError, match="Bob has no answer"):
            await play_async(run, {"Ann": thinks, "Bob": errs})
        assert ended == ["Ann"]  # before the loop stops what is left

    asyncio.run(main())


@pytest.mark.parametrize("limits", [{"patience": 0}, {"patience": "x"}, {"at_once": -1}])
def test_limits_that_are_none(limits: Any) -> None:
    with pytest.raises(InvalidInputError):
        asyncio.run(play_async(shop(Fraction(1), Fraction(1), 1), {}, **limits))
