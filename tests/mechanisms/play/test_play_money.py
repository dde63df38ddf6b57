"""Money in runs: all of it or nothing, once, in the ledger of the run or in one of others."""

from __future__ import annotations

from fractions import Fraction
from json import dumps
from typing import Any

import pytest
from played_rules import auction, shop

from mechanisms.ledger import Ledger
from mechanisms.play import (
    Ask,
    Choice,
    Draw,
    Funds,
    Open,
    Pay,
    RulesError,
    Run,
    Steps,
    Transfer,
    rules,
)
from theory.errors import InvalidInputError


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


def test_a_ledger_needs_the_accounts() -> None:
    with pytest.raises(InvalidInputError, match="ledger has no account for Bob"):
        shop(Fraction(1), Fraction(1), 1).on_ledger(Ledger({"Ann": 1}))
    with pytest.raises(InvalidInputError, match="run has no account"):
        assert auction(["Ann"], [1]).ledger


@pytest.mark.parametrize(
    "second",
    [
        Transfer("Ann", "Eve", Fraction(1)),
        Transfer("Eve", "Bob", Fraction(1)),
        Transfer("Bob", "Bob", Fraction(1)),
        Transfer("Ann", "Bob", Fraction(-1)),
        Transfer("Ann", "Bob", 0.5),
    ],
)
@pytest.mark.parametrize("place", [0, 1])
def test_a_payment_that_cannot_be_made_leaves_no_other_behind(second: Any, place: int) -> None:
    @rules
    def careless() -> Steps[Any]:
        yield Open((("Ann", Fraction(2)), ("Bob", Fraction(0))))
        transfers = [Transfer("Ann", "Bob", Fraction(1))]
        transfers.insert(place, second)
        yield Pay(tuple(transfers))

    ledger = Ledger({"Ann": 5, "Bob": 0})
    with pytest.raises(InvalidInputError):
        careless.on_ledger(ledger)()
    assert ledger.entries == ()


def test_accounts_are_opened_once_so_that_no_payment_is_lost() -> None:
    @rules
    def twice() -> Steps[Any]:
        for _ in range(2):
            yield Open((("Ann", Fraction(2)), ("Bob", Fraction(0))))
            yield Pay((Transfer("Ann", "Bob", Fraction(1)),))

    with pytest.raises(RulesError, match="twice at step 2 open accounts twice: open all of them"):
        twice()


@rules
def stall(purse: Any) -> Steps[Any]:
    """Ann may buy for 2, twice, and is told what she has; a coin says what she has bought."""
    yield Open((("Ann", purse), ("Bob", Fraction(0))))
    for _ in range(2):
        funds = yield Funds("Ann")
        if (yield Ask("Ann", funds, Choice(("buy", "leave")))) == "buy":
            yield Pay((Transfer("Ann", "Bob", Fraction(2)),))
            yield Draw.uniform(range(1000), "what it is")


@pytest.mark.parametrize("way", ["branch", "seeded", "on_ledger", "read"])
def test_a_run_goes_on_with_its_ledger_and_its_seed(way: str) -> None:
    """The ledger has more money than the rules open accounts with."""
    ledger = Ledger({"Ann": 9, "Bob": 0})
    begun = stall.on_ledger(ledger)(Fraction(1)).seeded("s")
    run = begun.answer("Ann", "buy")
    run.answer("Ann", "buy")
    assert ledger.balance("Bob") == 4
    if way == "branch":
        again = run
    elif way == "seeded":
        again = run.seeded("s")
    elif way == "on_ledger":
        again = run.on_ledger(ledger)
    else:
        again = stall.read(dumps(run.to_json()), ledger=ledger)
    assert again == run
    assert ledger.balance("Bob") == 4
    over = again.answer("Ann", "buy")
    assert ledger.balance("Bob") == 6
    assert [entry.value for entry in over.log] == [e.value for e in run.log] + over_values(over)
    assert (
        over.log[-1].value
        == stall(Fraction(9)).seeded("s").answer("Ann", "buy").answer("Ann", "buy").log[-1].value
    )


def over_values(run: Run[Any]) -> list[Any]:
    return [entry.value for entry in run.log[-3:]]


def test_what_was_paid_stays_paid_when_others_come_to_keep_the_books() -> None:
    run = stall(Fraction(5)).seeded(1).answer("Ann", "buy")
    ledger = Ledger({"Ann": 4, "Bob": 0})
    with pytest.raises(InvalidInputError, match="ledger has 1 payment too few of Ann to Bob"):
        run.on_ledger(ledger)
    ledger.transfer("Ann", "Bob", 2)
    moved = run.on_ledger(ledger)
    assert (moved, moved.seed, len(ledger.entries)) == (run, 1, 1)
    over = moved.answer("Ann", "buy")
    assert ledger.balance("Bob") == 4
    assert stall.read(over.to_json(), ledger) == over


def test_what_could_not_be_paid_is_not_paid_when_a_run_is_read() -> None:
    run = shop(Fraction(1), Fraction(2), 1).answer("Ann", "buy")
    assert run.outcome == 0
    assert shop.read(run.to_json()).ledger.entries == run.ledger.entries == ()
    early = shop(Fraction(3), Fraction(2), 3).answer("Ann", "buy").answer("Ann", "buy")
    early.answer("Ann", "leave")
    assert [entry.memo for entry in early.ledger.entries] == ["round 0"]
