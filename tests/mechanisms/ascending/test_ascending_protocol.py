"""``check_protocol`` on ascending auctions, their best replies, and the games that they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from mechanisms.ascending import (
    Call,
    CallbackBidder,
    Estimator,
    Item,
    RuleBidder,
    Terms,
    ascending_auction,
    bidder_participant,
    private_values,
    watch_auction,
)
from mechanisms.ascending import _questions as questions
from mechanisms.ascending import _rules as rules_module
from mechanisms.ascending import _watch_auction as watch_module
from mechanisms.play import Draw, best_response, unfold
from theory.games import backward_induction, expected_payoffs, regrets, subgame_perfect
from theory.incentives.protocols import PROTOCOL_PROPERTIES, ProtocolReport, check_protocol

F = Fraction
ITEMS = [Item("Vase", 10, 20), Item("Bowl", 10, 20)]
CASES = list(product([10, 13, 16], [12, 25]))


def checked(terms: Terms | None = None, **names: Any) -> ProtocolReport:
    """Check auctions in which two bidders know more or less, over values of the second one."""

    def run(case: tuple[int, int], rng: object) -> Any:
        worths = private_values({"Ann": [14, 12], "Bob": list(case), "Cy": [11, 11]})
        bidders: list[Any] = [Estimator("Ann"), Estimator("Bob"), RuleBidder("Cy", limit=1)]
        return watch_auction(ITEMS, bidders, 30, worths=worths, terms=terms)

    return check_protocol(run, CASES, seeds=1, **names)


@pytest.mark.parametrize(
    "terms",
    [
        None,
        Terms(shows="price"),
        Terms(shows_value=False, pays="second"),
        Terms(discounts=2, increment="1/2"),
        Terms(ties="poorer", order="random"),
    ],
)
def test_the_auction_keeps_its_promises(terms: Terms | None) -> None:
    report = checked(terms)
    assert report.refuted == ()
    assert len(report.findings) == len(PROTOCOL_PROPERTIES)


def bid_twice(call: Call) -> object:
    """Raise by the least amount, twice an item."""
    return call.least if call.made < 2 else None


@pytest.mark.parametrize("rounds", [0, 1])
@pytest.mark.parametrize("who", ["Ann", "Cy"])
def test_an_estimate_of_another_that_is_told_is_found(
    monkeypatch: pytest.MonkeyPatch, who: str, rounds: int
) -> None:
    """From the first round, and only from a later one; to the first bidder and to the last."""
    plain = questions.call_of

    class Leaky:
        def __call__(self, *given: Any, **own: Any) -> Call:
            call = plain(*given, **own)
            if call.bidder == who and call.round >= rounds and self.estimates:
                return replace(call, estimate=self.estimates["Bob"])
            return call

        estimates: Mapping[str, Fraction] = {}

    leaky = Leaky()

    class Auction(rules_module.Auction):
        def rounds(self, position: int, start: Fraction, coming: list[int], number: int) -> Any:
            leaky.estimates = {n: self.lots[n][position].estimate for n in self.bidders}
            return super().rounds(position, start, coming, number)

    monkeypatch.setattr(rules_module, "call_of", leaky)
    monkeypatch.setattr(rules_module, "Auction", Auction)

    def run(case: tuple[int, int], rng: object) -> Any:
        worths = private_values({"Ann": [14, 12], "Bob": list(case), "Cy": [11, 11]})
        bidders = [CallbackBidder(name, bid_twice) for name in ("Ann", "Bob", "Cy")]
        return watch_auction(ITEMS, bidders, 30, worths=worths)

    assert "disclosure" in check_protocol(run, CASES, seeds=1).refuted


def answers(*bidders: Any) -> dict[str, Callable[..., object]]:
    return {bidder.name: bidder_participant(bidder) for bidder in bidders}


def profits(outcome: Any) -> dict[str, Fraction]:
    return dict(zip(outcome.bidders, outcome.profits, strict=True))


def test_straightforward_bidding_drains_the_budget() -> None:
    """The smallest case: 1 dollar each, worths 1 and 4, starts 1; 3/2 against 3 (spec, A5)."""
    items = [Item("first", 1, 1), Item("second", 1, 4)]
    run = ascending_auction(items, ["Ann", "Bob"], 1, terms=Terms(increment=1))
    found = best_response(run, "Ann", answers(Estimator("Ann"), Estimator("Bob")), profits)
    assert (found.earned, found.value) == (F(3, 2), F(3))
    found = best_response(run, "Bob", answers(Estimator("Ann"), Estimator("Bob")), profits)
    assert (found.earned, found.value) == (F(3, 2), F(3))


def test_straightforward_bidding_is_a_best_reply_up_to_half_an_increment() -> None:
    """One item, private values: a jump takes the rival's turn away (spec, A4)."""
    gains = []
    for mine, other in product(range(1, 6), repeat=2):
        worths = private_values({"Ann": [mine], "Bob": [other]})
        run = ascending_auction([Item("vase", 1, 1)], ["Ann", "Bob"], 8, worths, Terms(increment=1))
        bidders = answers(Estimator("Ann"), Estimator("Bob"))
        gains.append(best_response(run, "Ann", bidders, profits).gap)
    assert max(gains) == F(1, 2)
    assert min(gains) == 0


def test_a_small_auction_is_a_game_that_is_solved() -> None:
    """Private values 3 and 2, minimal raises: every pure equilibrium has no regret, and is fair."""
    worths = private_values({"Ann": [3], "Bob": [2]})
    terms = Terms(increment=1, jumps=0, ties="first")
    run = ascending_auction([Item("vase", 1, 1)], ["Ann", "Bob"], 3, worths, terms)
    game = unfold(run, profits)
    assert set(game.players) == {"Ann", "Bob"}
    found = subgame_perfect(game)
    assert not any(regrets(game, found.strategies))
    payoffs = expected_payoffs(game, found.strategies)
    assert min(payoffs) >= 0
    assert sum(payoffs) <= 2  # the surplus of the best sale, at the start


@pytest.mark.parametrize("who", ["Ann", "Bob"])
def test_the_game_and_the_rules_agree_on_what_straightforward_bidding_earns(who: str) -> None:
    worths = private_values({"Ann": [3], "Bob": [2]})
    run = ascending_auction([Item("vase", 1, 1)], ["Ann", "Bob"], 3, worths, Terms(increment=1))
    bidders = answers(Estimator("Ann"), Estimator("Bob"))
    fixed = {name: answer for name, answer in bidders.items() if name != who}
    alone = unfold(run, profits, fixed=fixed)
    best = backward_induction(alone).equilibrium.payoffs
    found = best_response(run, who, bidders, profits)
    assert best[alone.players.index(who)] == found.value


@pytest.mark.parametrize("shows", ["bids", "price"])
@pytest.mark.parametrize("shows_value", [True, False])
def test_a_bidder_may_know_draws_and_sales_as_far_as_the_terms_say(
    monkeypatch: pytest.MonkeyPatch, shows: str, shows_value: bool
) -> None:
    kept: dict[str, Any] = {}
    monkeypatch.setattr(
        watch_module, "record_run", lambda run, may_know, **_: kept.update(log=run.log, f=may_know)
    )
    terms = Terms(shows=shows, shows_value=shows_value, order="random")
    watch_auction(ITEMS, [RuleBidder("Ann"), RuleBidder("Bob")], 60, terms=terms, seed=2)
    drawn = [each.value for each in kept["log"] if isinstance(each.request, Draw)]
    order, leaders = drawn[:2], drawn[2:]
    assert leaders
    for name in ("Ann", "Bob"):
        first, leads, known, sales = kept["f"](name, kept["log"])
        assert known == order
        assert leads == (leaders if shows == "bids" else [each == name for each in leaders])
        assert isinstance(first[0], tuple) == (shows == "bids")
        assert [sale[3] for sale in sales] == [20 if shows_value else None] * 2


def test_rounds_after_discounts_are_within_the_limit_that_is_stated() -> None:
    """Five rounds in which all withdraw, where one item could have had two without discounts."""

    def run(case: int, rng: object) -> Any:
        nobody = [CallbackBidder(name, lambda call: None) for name in ("Ann", "Bob")]
        terms = Terms(discounts=4, attempts=1)
        worths = private_values({"Ann": [case], "Bob": [case]})
        return watch_auction(ITEMS[:1], nobody, 10, worths=worths, terms=terms)

    record = run(1, None)
    assert len(record.steps) > 30
    assert len(record.steps) <= record.limit
    assert check_protocol(run, [1, 2], seeds=1).refuted == ()
