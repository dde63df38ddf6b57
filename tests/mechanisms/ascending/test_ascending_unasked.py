"""Auctions among rule bidders, computed without questions: the same as those that are stepped."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import pytest

from mechanisms.ascending import (
    AuctionResult,
    Bonus,
    BudgetAwareBidder,
    CallbackBidder,
    Estimator,
    Item,
    RuleBidder,
    Terms,
    Worths,
    _unasked,
    begin_auction,
    interdependent_values,
    paper_items,
    private_values,
    run_auction,
)
from mechanisms.ascending._run import ask_bidders
from mechanisms.ascending._unasked import Played
from mechanisms.ledger import Ledger
from mechanisms.play import Draw, Run
from theory.ascending import TIE_RULES, TieRule

F = Fraction
SETTINGS = 120
NAMES = ("Ann", "Bob", "Cy", "Di", "Eve")
THREE = [RuleBidder(name) for name in NAMES[:3]]
SMALL = [Item("Vase", 10, 20), Item("Bowl", 20, 40)]


@dataclass(frozen=True)
class Setting:
    """The arguments of an auction."""

    items: tuple[Item, ...]
    bidders: tuple[Any, ...]
    budgets: Any
    worths: Any
    terms: Terms
    seed: int | str

    @property
    def parts(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (self.items, self.bidders, self.budgets), {
            "worths": self.worths,
            "terms": self.terms,
        }

    def computed(self) -> AuctionResult:
        positional, named = self.parts
        return run_auction(*positional, **named, seed=self.seed)

    def stepped(self) -> AuctionResult:
        positional, named = self.parts
        return ask_bidders(begin_auction(*positional, **named).seeded(self.seed), self.bidders)


def drawn_bidder(name: str, draw: Random) -> Any:
    over = draw.choice([0, F(1, 10), F(-1, 7)])
    kind = draw.randrange(3)
    if kind == 0:
        return RuleBidder(name, draw.randint(1, 5), draw.choice([None, None, "profit", "items"]))
    if kind == 1:
        share = draw.choice([1, F(10, 11), F(3, 2)])
        return Estimator(name, over, share, strict=draw.random() < 0.5)
    return BudgetAwareBidder(name, over, draw.choice([1, F(121, 80), 2]))


def drawn_worths(names: tuple[str, ...], count: int, draw: Random) -> Any:
    """Common ones, as they follow from the items; private, interdependent, drawn ones; bundles."""

    def rows() -> dict[str, list[Fraction]]:
        return {name: [F(draw.randint(1, 90), 3) for _ in range(count)] for name in names}

    bundle = [Bonus(tuple(range(min(2, count))), draw.randint(-5, 9))]
    kind = draw.randrange(5)
    if kind == 1 or (kind == 2 and len(names) == 1):
        return private_values(rows(), bundle)
    if kind == 2:
        return interdependent_values(rows(), "1/3", bundle)
    if kind == 3:
        return [("1/3", private_values(rows())), (F(2, 3), private_values(rows(), bundle))]
    return None


def drawn_setting(number: int) -> Setting:
    draw = Random(f"settings of auctions {number}")
    names = NAMES[: draw.choice([1, 2, 2, 3, 3, 4, 5])]
    count = draw.randint(1, 4)
    starts = [F(draw.randint(3, 30), draw.choice([1, 1, 1, 3, 7])) for _ in range(count)]
    items = tuple(
        Item(
            f"item {k}", s, s * draw.choice([1, 2, F(5, 3)]), draw.choice([None, None, s * F(6, 5)])
        )
        for k, s in enumerate(starts)
    )
    money: Any = draw.choice([F(5), F(31, 2), F(30), F(60)])
    if draw.random() < 0.4:
        money = {name: F(draw.randint(0, 80), draw.choice([1, 2, 5])) for name in names}
    terms = Terms(
        increment=draw.choice([F(1, 10), F(1, 3), F(1, 3), F(3, 2)]),
        increment_of=draw.choice(["start", "start", "standing", "amount"]),
        ties=draw.choice(sorted(TIE_RULES)),
        jumps=draw.choice([None, 0, 2]),
        discounts=draw.choice([0, 0, 1, 3]),
        discount=draw.choice([F(1, 2), F(2, 3)]),
        pays=draw.choice(["own", "second"]),
        shows=draw.choice(["bids", "price"]),
        shows_value=draw.random() < 0.5,
        order=draw.choice(["given", "random"]),
        attempts=draw.choice([1, 3]),
    )
    seed: int | str = draw.choice([number, f"game {number}"])
    bidders = tuple(drawn_bidder(name, draw) for name in names)
    return Setting(items, bidders, money, drawn_worths(names, count, draw), terms, seed)


@cache
def pair(number: int) -> tuple[Setting, AuctionResult, AuctionResult]:
    setting = drawn_setting(number)
    return setting, setting.computed(), setting.stepped()


def differences(one: AuctionResult, other: AuctionResult) -> Iterator[str]:
    """Yield the parts that differ, down to the text of the log and the hash of the payments."""
    for field in fields(one.outcome):
        if getattr(one.outcome, field.name) != getattr(other.outcome, field.name):
            yield field.name
    for name in ("failed", "plans", "beliefs", "statement", "profits", "won", "unanswered"):
        if getattr(one, name) != getattr(other, name):
            yield name
    if repr(one.outcome) != repr(other.outcome):  # kinds of numbers, too
        yield "outcome"
    if one.record() != other.record() or str(one) != str(other):
        yield "record"
    if one.run != other.run or one.run.to_json() != other.run.to_json():
        yield "log"
    if one.run.ledger.head != other.run.ledger.head:
        yield "hash of the payments"
    if one.run.outcome != one.outcome or one.run.ledger.statement() != one.statement:
        yield "what the log leads to"


@pytest.mark.parametrize("number", range(SETTINGS))
def test_computed_and_stepped_auctions_are_the_same(number: int) -> None:
    _, computed, stepped = pair(number)
    assert isinstance(computed.led, Played)
    assert isinstance(stepped.led, Run)
    assert list(differences(computed, stepped)) == []
    assert computed == replace(stepped, led=computed.led)
    assert computed.audit() == ()


def test_the_settings_have_every_part_of_the_terms_at_work() -> None:
    """Each often enough that it could not be wrong unseen."""
    seen: Counter[str] = Counter()
    for setting, result, _ in map(pair, range(SETTINGS)):
        terms, settled = setting.terms, result.outcome.settled
        tied = any(
            isinstance(each.request, Draw) and each.request.name == "leader"
            for each in result.run.log
        )
        seen.update([f"ties {terms.ties}"] * tied)
        items = {item.name: item for item in setting.items}
        sold = [each for each in settled if each.price is not None]
        seen["discount"] += any(each.start < setting.items[each.position].start for each in settled)
        seen["unsold"] += len(sold) < len(settled)
        seen["reserve"] += any(each.price is None and each.bid is not None for each in settled)
        seen["second price"] += any(each.price != each.bid for each in sold)
        moved = [each.position for each in settled] != sorted(each.position for each in settled)
        seen["random order"] += moved
        seen["several worths"] += isinstance(setting.worths, list)
        seen["private worths"] += isinstance(setting.worths, Worths)
        seen["bonus"] += bool(result.outcome.worths.bonuses)
        later = any(move.round > 2 for move in result.moves)
        seen.update([f"increment of {terms.increment_of}"] * later)
        seen.update({type(bidder).__name__ for bidder in setting.bidders if later})
        seen["budgets by bidder"] += isinstance(setting.budgets, dict)
        seen["later items"] += len(items) > 2
    assert {f"ties {name}" for name in TIE_RULES} <= seen.keys()
    assert len(seen) == len(TIE_RULES) + 10 + 3 + 3
    assert min(seen.values()) >= 5, seen


@pytest.mark.parametrize("order", ["ascending", "descending"])
def test_auctions_of_the_paper_are_the_same(order: str) -> None:
    bidders = (RuleBidder("Ann"), Estimator("Bob", over="1/10"), BudgetAwareBidder("Cy"))
    setting = Setting(paper_items(order), bidders, 20_000, None, Terms(), order)
    assert list(differences(setting.computed(), setting.stepped())) == []


@pytest.mark.parametrize("ties", sorted(TIE_RULES))
def test_who_withdraws_beside_a_tie_of_a_later_round_counts_as_asked(ties: str) -> None:
    bidders = tuple(map(RuleBidder, NAMES, (5, 2, 4, 3, 4)))
    budgets = {name: 15_000 + 3_000 * k for k, name in enumerate(NAMES)}
    setting = Setting(paper_items(), bidders, budgets, None, Terms(ties=ties), 4)
    computed = setting.computed()
    assert list(differences(computed, setting.stepped())) == []
    rounds = Counter((move.item, move.round, move.kind) for move in computed.moves)
    beside = [key for key, n in rounds.items() if key[1] > 1 and key[2] == "bid" and n > 1]
    assert sum(rounds[item, number, "withdrew"] > 0 for item, number, _ in beside) > 5


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("fault", ["step", "bid", "leader"])
def test_a_fault_on_the_first_or_a_later_item_is_seen(
    monkeypatch: pytest.MonkeyPatch, place: int, fault: str
) -> None:
    class Faulty(_unasked._Unasked):
        def rounds(self, position: int, start: Fraction, coming: list[int], number: int) -> Any:
            here = len(self.settled) == place
            if here and fault == "step":
                yield {}
            found: Any = yield from super().rounds(position, start, coming, number)
            leader, bid, second, number = found
            if here and fault == "bid":
                bid -= 1
            if here and fault == "leader":
                leader = self.bidders[self.seats[leader] - 1]
            return leader, bid, second, number

    setting = Setting(tuple(SMALL), tuple(THREE), 100, None, Terms(), 3)
    assert not any(differences(setting.computed(), setting.stepped()))
    monkeypatch.setattr(_unasked, "_Unasked", Faulty)
    assert any(differences(setting.computed(), setting.stepped()))


def asks_a_seller(terms: Terms) -> dict[str, Any]:
    return {"terms": terms, "seller": lambda ask: "Bowl" if not ask.view else "Vase"}


class Derived(RuleBidder):
    """Whoever is derived from a rule bidder may bid as it likes."""

    def bid(self, call: Any) -> Fraction | None:
        return call.least if call.history == () else None


class OwnTerms(Terms):
    """Terms with a step of their own."""

    def step(self, start: Fraction, standing: Fraction | None) -> Fraction:
        return F(3)


def with_own(bidder: Any, **own: Any) -> Any:
    vars(bidder).update(own)
    return bidder


@pytest.mark.parametrize(
    ("bidders", "named"),
    [
        ([Derived("Ann"), RuleBidder("Bob")], {}),
        ([RuleBidder("Ann"), CallbackBidder("Bob", lambda call: call.least + 1)], {}),
        ([RuleBidder("Ann"), with_own(RuleBidder("Bob"), bid=lambda call: None)], {}),
        ([RuleBidder("Ann"), RuleBidder("Bob")], {"terms": OwnTerms()}),
        (
            [RuleBidder("Ann"), RuleBidder("Bob")],
            {"terms": Terms(ties=TieRule("mine", lambda tie: (F(1), F(0))))},
        ),
        ([RuleBidder("Ann"), RuleBidder("Bob")], asks_a_seller(Terms(order="seller"))),
        ([RuleBidder("Ann"), RuleBidder("Bob")], {"asking": lambda ask: None}),
        (
            [RuleBidder("Ann"), RuleBidder("Bob")],
            {"ledger": Ledger({"Ann": 100, "Bob": 100, "the seller": 0})},
        ),
    ],
)
def test_whoever_may_bid_or_ask_otherwise_is_asked(bidders: Any, named: Any) -> None:
    result = run_auction(SMALL, bidders, 100, **named)
    assert isinstance(result.led, Run)
    assert result.audit() == ()


def test_what_is_derived_bids_as_it_says() -> None:
    result = run_auction(SMALL[:1], [Derived("Ann"), RuleBidder("Bob")], 100)
    assert [move.kind for move in result.moves if move.bidder == "Ann"].count("bid") == 1


def test_a_log_that_is_made_later_does_not_hang_on_the_bidders() -> None:
    bidders, budgets = [RuleBidder("Ann"), RuleBidder("Bob")], {"Ann": 100, "Bob": 100}
    result = run_auction(SMALL, bidders, budgets, seed=2)
    stepped = ask_bidders(begin_auction(SMALL, bidders, dict(budgets)).seeded(2), bidders)
    bidders[0].limit, budgets["Bob"] = 1, 0
    assert list(differences(result, stepped)) == []
    again = pickle.loads(pickle.dumps(run_auction(SMALL, THREE, 100, seed=5)))
    assert list(differences(again, run_auction(SMALL, THREE, 100, seed=5))) == []


@pytest.mark.parametrize("seed", [True, 10**4000])
def test_a_seed_that_is_none_is_refused_as_by_a_run(seed: Any) -> None:
    with pytest.raises(Exception, match="seed") as stepped:
        begin_auction(SMALL, THREE, 100).seeded(seed)
    with pytest.raises(type(stepped.value)) as computed:
        run_auction(SMALL, THREE, 100, seed=seed)
    assert str(computed.value) == str(stepped.value)
