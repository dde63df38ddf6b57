"""``check_protocol`` on runs: leaks, overdrafts, moods are found for first and later seats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from played_rules import shop

from mechanisms.play import Ask, Choice, Entry, Steps, play, record_run, rules
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
        return record_run(play(run, {"Ann": lambda ask: "leave"}), limit=9)

    assert check_protocol(once, [2, 3]).refuted == ()
    assert check_protocol(once, [2, 4]).refuted == ("termination",)


def test_what_is_no_limit() -> None:
    with pytest.raises(InvalidInputError, match="limit is not a count"):
        record_run(shop(Fraction(1), Fraction(1), 1), limit=-1)
