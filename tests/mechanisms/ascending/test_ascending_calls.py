"""What bidders are told: each call is as its class makes it, and copies share nothing with it."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from typing import Any

from mechanisms.ascending import Call, Lot, Sale, Terms, ascending_auction, paper_items
from mechanisms.play import play
from theory.shared.copying import copy_content

F = Fraction
LOTS = (Lot("Urn", F(20), F(41)),)
SOLD = (Sale("Cup", "Bob", F(7), F(9)),)
HISTORY = ((("Ann", F(10)), ("Bob", None)),)
CALL = Call(
    "Ann", "Vase", F(10), F(11), F(1), F(10), "Bob", HISTORY, 1, 0, F(22), F(50), SOLD, LOTS
)


def test_calls_of_an_auction_are_as_their_class_makes_them() -> None:
    """In the first and in later rounds and items, to the first bidder and to the last."""
    seen: list[Call] = []

    def bids(ask: Any) -> object:
        seen.append(ask.view)
        return ask.view.least if ask.view.made < 2 else None

    items = paper_items()[:3]
    run = ascending_auction(items, ["Ann", "Bob"], 20_000, terms=Terms()).seeded(0)
    play(run, {"Ann": bids, "Bob": bids})
    assert {call.bidder for call in seen} == {"Ann", "Bob"}
    assert {len(call.sold) for call in seen} == {0, 1, 2}
    for call in seen:
        parts = [getattr(call, field.name) for field in fields(Call)]
        assert set(vars(call)) == {field.name for field in fields(Call)}
        assert call == Call(*parts)
        assert hash(call) == hash(Call(*parts))
        assert repr(call) == repr(Call(*parts))
        assert (call.made, len(call.coming)) == (sum_of_bids(call), 2 - len(call.sold))


def sum_of_bids(call: Call) -> int:
    """Return how many bids of its bidder the history of a call has."""
    return sum(
        name == call.bidder and bid is not None for done in call.history for name, bid in done
    )


def test_a_copy_of_a_call_shares_no_number_with_it() -> None:
    copy = copy_content(CALL)
    assert copy == CALL
    ours, theirs = numbers(CALL), numbers(copy)
    assert len(ours) == len(theirs) == 11
    assert not {id(number) for number in ours} & {id(number) for number in theirs}


def numbers(part: object) -> list[Fraction]:
    if isinstance(part, Fraction):
        return [part]
    if isinstance(part, tuple):
        return [number for each in part for number in numbers(each)]
    if isinstance(part, Call | Lot | Sale):
        return [n for field in fields(part) for n in numbers(getattr(part, field.name))]
    return []
