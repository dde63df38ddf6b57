"""Auctions among bidders of this package that follow rules, without a question for each bid."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Final, NamedTuple

from mechanisms.ascending._bidders import BudgetAwareBidder, Estimator, RuleBidder
from mechanisms.ascending._outcome import Auctioned, Move
from mechanisms.ascending._questions import Call, call_of
from mechanisms.ascending._rules import Auction, ascending_auction, sell_all
from mechanisms.ascending._terms import Terms, step_of
from mechanisms.ledger import LedgerStatement
from mechanisms.play import Run, Steps, conclude
from mechanisms.play.plain_data import freeze

__all__ = ["Played", "follow_rules", "lead_by_rules"]

_FOLLOW: Final = {
    RuleBidder: ("limit", int),
    Estimator: ("_share", Fraction),
    BudgetAwareBidder: ("_expects", Fraction),
}
"""Bidders whose bids follow from the least bid, their own bids on the item, their money and
estimates, and the items to come, with what they compare these to. Each bids the least, or
withdraws."""


def follow_rules(bidders: Iterable[Any], terms: Terms | None) -> bool:
    """Whether all bids follow from rules of this package, and nothing else is asked of anybody.

    Whoever is derived from such a bidder, or was given another method, may bid as it likes.
    """
    ours = terms is None or (
        type(terms) is Terms and type(terms.ties) is str and terms.order != "seller"
    )
    return ours and all(map(_follows_rule, bidders))


def _follows_rule(bidder: Any) -> bool:
    if type(bidder) not in _FOLLOW:
        return False
    name, kind = _FOLLOW[type(bidder)]
    own = vars(bidder)
    return type(own[name]) is kind and "bid" not in own and "modules" not in own


@dataclass(frozen=True)
class Played:
    """An auction whose bidders were not asked one by one: what its run is made of.

    Attributes
    ----------
    arguments : tuple
        Of :func:`ascending_auction`, by position and by name.
    seed : int or str
    moves : tuple of Move
    """

    arguments: tuple[tuple[Any, ...], dict[str, Any]]
    seed: int | str
    moves: tuple[Move, ...]

    def run(self) -> Run[Auctioned]:
        """Return the run in which the bidders answer each question with these moves."""
        positional, named = self.arguments
        run = ascending_auction(*positional, **named).seeded(self.seed)
        moves = iter(self.moves)
        while (ask := run.ask()) is not None:
            run = run.answer(ask, next(moves).amount)
        return run


def lead_by_rules(
    bidders: Iterable[Any],
    arguments: tuple[tuple[Any, ...], Mapping[str, Any]],
    seed: int | str,
) -> tuple[Auctioned, LedgerStatement, Played]:
    """Return the outcome and the accounts of an auction to which :func:`follow_rules` applies."""
    by_name = {bidder.name: bidder for bidder in bidders}
    positional, named = freeze(arguments)
    steps = sell_all(*positional, **named, auctioneer=partial(_Unasked, by_name))
    outcome, ledger = conclude(steps, seed, ascending_auction.name)
    assert ledger is not None  # since the rules open one
    return outcome, ledger.statement(), Played((positional, named), seed, outcome.moves)


class _Told(NamedTuple):
    """A bidder, its rule, and what the rule is given: a call, and the parts of it."""

    name: str
    bid: Callable[[Call], object]
    call: Call
    known: dict[str, Any]


class _Unasked(Auction):
    """An auction in which bidders follow rules, so that a round is a step without questions."""

    def __init__(self, by_name: Mapping[str, Any], *parts: Any) -> None:
        super().__init__(*parts)
        self.told: list[_Told] = []
        for name in self.bidders:
            call = call_of({"bidder": name, "history": ()})
            self.told.append(_Told(name, by_name[name].bid, call, vars(call)))

    def rounds(
        self, position: int, start: Fraction, coming: list[int], number: int
    ) -> Steps[tuple[str | None, Fraction | None, Fraction | None, int]]:
        """Return what :meth:`Auction.rounds` returns; every bid is the least that counts."""
        name_of_item, place = self.items[position].name, len(self.settled)
        enter, of_standing = self.moves.append, self.terms.increment_of == "standing"
        least, step = start, step_of(self.terms, start, None)
        for name, _, _, known in self.told:
            lots = self.lots[name]
            later = tuple([lots[n] for n in coming])
            known.update(item=name_of_item, start=start, made=0, coming=later)
            known.update(estimate=lots[position].estimate, money=self.money[name])
        leader, standing = None, None
        last: dict[str, Fraction] = {}
        left = active = self.told
        while active:
            yield {}
            bidding = []
            for name, bid, call, known in active:
                known["least"] = least
                if bid(call) is None:
                    enter(Move(place, number, name, None, "withdrew"))
                else:
                    enter(Move(place, number, name, least, "bid"))
                    known["made"] += 1
                    last[name] = least
                    bidding.append(name)
            number += 1
            if len(bidding) < len(active):
                left = [each for each in left if each.name in bidding or each not in active]
            if bidding:
                leader, standing = bidding[0], least
                if len(bidding) > 1:
                    tied = tuple(bidding)
                    leader = yield self.tie(tied, tuple([each.name for each in active]), tied)
                if of_standing:
                    step = step_of(self.terms, start, standing)
                least += step
            active = [each for each in left if each.name != leader]
        second = max([bid for name, bid in last.items() if name != leader], default=None)
        return leader, standing, second, number
