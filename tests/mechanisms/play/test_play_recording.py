"""``check_protocol`` on runs: leaks, overdrafts, moods are found for first and later seats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from played_rules import shop

from mechanisms.play import Ask, Choice, Draw, Entry, Steps, play, record_run, rules
from theory.errors import InvalidInputError
from theory.incentives.protocols import PaymentMade, check_protocol

CONTENTS = [("rain", "cheap"), ("sun", "cheap"), ("rain", "dear"), ("sun", "dear")]


@rules
def library(contents: Any, leak: str) -> Steps[Any]:
    """A reader sees two texts, keeps the first if it borrows it, and says what it knows.

    ``leak`` names a question that tells too much.
    """
    known = []
    for k, text in enumerate(contents):
        view = (text, contents[1 - k] if leak == f"read {k}" else "")
        borrows = yield Ask("Ann", view, Choice(("yes", "no")), "borrow", seat=f"Ann {k}")
        if borrows == "yes" or leak == f"keep {k}":
            known.append((k, text))
    return (yield Ask("Ann", tuple(known), Choice(("done",)), "decide"))


def may_know(seat: str, log: Sequence[Entry]) -> object:
    """What Ann may know at last: what was borrowed."""
    asked = [entry for entry in log if isinstance(entry.request, Ask)]
    return [(k, e.request.view[0]) for k, e in enumerate(asked) if e.value == "yes"]


def library_report(leak: str, borrow: str) -> Any:
    def answers(ask: Ask) -> object:
        if ask.role == "decide":
            return "done"
        return "yes" if ask.seat.endswith(borrow) else "no"

    def once(contents: Any, generator: Any) -> Any:
        run = library(contents, leak)

        def knows(seat: str, log: Sequence[Entry]) -> object:
            reading = {f"Ann {k}": text for k, text in enumerate(contents)}
            return reading[seat] if seat in reading else may_know(seat, log)

        return record_run(play(run, {"Ann": answers}), knows)

    return check_protocol(once, CONTENTS, properties=["disclosure", "measurability"], seeds=2)


@pytest.mark.parametrize("borrow", ["0", "1", "none"])
def test_a_library_that_tells_what_it_may(borrow: str) -> None:
    report = library_report("", borrow)
    assert report.refuted == ()
    assert all(finding.scope.nontrivial for finding in report.findings)


@pytest.mark.parametrize("borrow", ["0", "1", "none"])
@pytest.mark.parametrize("leak", ["read 0", "read 1", "keep 0", "keep 1"])
def test_a_question_that_tells_too_much_is_found(leak: str, borrow: str) -> None:
    told_anyway = leak == f"keep {borrow}"
    report = library_report(leak, borrow)
    assert report.refuted == (() if told_anyway else ("disclosure",))


def test_participants_that_know_more_than_they_were_told() -> None:
    def once(contents: Any, generator: Any) -> Any:
        def spies(ask: Ask) -> object:
            said = "yes" if contents[1] == "dear" else "no"
            return "done" if ask.role == "decide" else said

        run = library(contents, "")
        reading = {f"Ann {k}": text for k, text in enumerate(contents)}
        return record_run(
            play(run, {"Ann": spies}), lambda seat, log: reading.get(seat, may_know(seat, log))
        )

    assert check_protocol(once, CONTENTS).refuted == ("measurability",)


def shop_run(price: Any, generator: Any) -> Any:
    run = shop(Fraction(2), Fraction(price), 3)
    return record_run(play(run, {"Ann": lambda ask: "buy"}), limit=20)


def test_money_of_a_run_is_checked() -> None:
    report = check_protocol(shop_run, [1, 2, 3])
    assert report.refuted == ()
    assert report.findings[0].scope.nontrivial  # money moves


@pytest.mark.parametrize("nth", [1, 2])
def test_books_that_do_not_add_up_are_found(nth: int) -> None:
    """A payment that the record leaves out, the first or a later one."""

    def once(price: Any, generator: Any) -> Any:
        record = shop_run(price, generator)
        paid = [k for k, step in enumerate(record.steps) if isinstance(step, PaymentMade)]
        steps = list(record.steps)
        del steps[paid[nth - 1]]
        return replace(record, steps=tuple(steps))

    assert "conservation" in check_protocol(once, [1], seeds=1).refuted


def test_a_limit_on_the_steps() -> None:
    def once(rounds: int, generator: Any) -> Any:
        run = shop(Fraction(2), Fraction(1), rounds)
        return record_run(play(run, {"Ann": lambda ask: "leave"}), limit=12)

    assert check_protocol(once, [2, 3]).refuted == ()
    assert check_protocol(once, [2, 4]).refuted == ("termination",)


def test_each_draw_and_each_question_counts_once_as_what_nobody_may_know() -> None:
    """Cases that differ in the arguments of the rules alone, or in a draw alone, are compared."""

    @rules
    def secretive(text: str) -> Steps[Any]:
        yield Draw.uniform(("l", "r"))
        yield Ask("Ann", "?", Choice(("x",)))

    def once(case: tuple[str, str], generator: Any) -> Any:
        run = secretive(case[0])
        return record_run(run.answer(run.draws[0], case[1]).answer("Ann", "x"), lambda *_: None)

    for cases in ([("a", "l"), ("b", "l")], [("a", "l"), ("a", "r")]):
        report = check_protocol(once, cases, properties=["disclosure"], seeds=1)
        assert report.refuted == ()
        assert report["disclosure"].scope.nontrivial
    same = check_protocol(once, [("a", "l")] * 2, properties=["disclosure"], seeds=1)
    assert not same["disclosure"].scope.nontrivial


@rules
def hearsay(leak: str) -> Steps[Any]:
    """Ann says something in secret; Bob is told, in one way or another, or not."""
    said = yield Ask("Ann", "?", Choice(("x", "y")))
    view = f"she said {said}" if leak == "view" else ""
    role = f"answer {said}" if leak == "role" else "answer"
    options = (said, "z") if leak == "answer" else ("z", "w")
    refused = (f"she said {said}",) if leak == "refused" else ()
    yield Ask("Bob", view, Choice(options), role, refused=refused)


def gossip(may_know: Any, leak: str, **more: Any) -> Any:
    def once(secret: str, generator: Any) -> Any:
        players = {"Ann": lambda ask: secret, "Bob": lambda ask: "z"}
        private = {"Ann": secret} if more.get("private") else {}
        return record_run(play(hearsay(leak), players), may_know, private=private)

    return check_protocol(once, ["x", "y"], properties=["disclosure", "measurability"], seeds=1)


@pytest.mark.parametrize("leak", ["", "view", "role", "answer", "refused"])
def test_what_one_says_another_may_not_hear_in_any_part_of_a_question(leak: str) -> None:
    expected = ("disclosure",) if leak else ()
    assert gossip(lambda seat, log: None, leak, private=True).refuted == expected
    heard = gossip(lambda seat, log: [entry.value for entry in log], leak, private=True)
    assert heard.refuted == ()
    assert gossip(None, leak, private=True).refuted == ()


@pytest.mark.parametrize("private", [False, True])
def test_who_knows_something_from_the_start_may_say_it(private: bool) -> None:
    report = gossip(lambda seat, log: None, "", private=private)
    assert report.refuted == (() if private else ("measurability",))


def test_nobody_may_know_what_is_answered_at_the_same_time() -> None:
    @rules
    def twice() -> Steps[Any]:
        for k in range(2):
            yield {name: Ask(name, k, Choice(("x",))) for name in ("Ann", "Bob")}

    known = []

    def notes(seat: str, log: Sequence[Entry]) -> object:
        known.append((seat, [(entry.step, entry.key) for entry in log]))
        return None

    record_run(play(twice(), dict.fromkeys(("Ann", "Bob"), lambda ask: "x")), notes)
    first = [(0, "Ann"), (0, "Bob")]
    assert known == [("Ann", []), ("Bob", []), ("Ann", first), ("Bob", first)]


def test_what_is_no_limit() -> None:
    with pytest.raises(InvalidInputError, match="limit is not a count"):
        record_run(shop(Fraction(1), Fraction(1), 1), limit=-1)
