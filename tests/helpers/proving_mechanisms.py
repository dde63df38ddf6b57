"""A truthful auction of one item, and what can be wrong with it or keep it from being traced."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from theory.incentives import Lottery, Outcome

Bids = Sequence[Any]


def second_price(bids: Bids) -> Outcome:
    winner, price = _sale(bids)
    if bids[winner] < 0:
        return Outcome(None, (0,) * len(bids))
    return _sold(winner, max(price, 0), bids)


def _sale(bids: Bids) -> tuple[int, Any]:
    winner = max(range(len(bids)), key=bids.__getitem__)
    others = [bid for i, bid in enumerate(bids) if i != winner]
    return winner, max(others)


def _sold(winner: int, price: Any, bids: Bids) -> Outcome:
    return Outcome(winner, tuple(price if i == winner else 0 for i in range(len(bids))))


def with_reserve(bids: Bids) -> Outcome:
    winner, price = _sale(bids)
    if bids[winner] < 2:
        return Outcome(None, (0,) * len(bids))
    return _sold(winner, max(price, 2), bids)


# Faults: each changes one thing, and truth-telling is no longer dominant.


def price_off_by_a_little(bids: Bids) -> Outcome:
    winner, price = _sale(bids)
    return _sold(winner, price + Fraction(bids[winner] > price, 10**6), bids)


def own_bid_by_a_little(bids: Bids) -> Outcome:
    winner, price = _sale(bids)
    return _sold(winner, price + (bids[winner] - price) / 10**9, bids)


def reserve_ignored_at_a_tie(bids: Bids) -> Outcome:
    winner, price = _sale(bids)
    if bids[winner] < 2 and bids[winner] != price:
        return Outcome(None, (0,) * len(bids))
    return _sold(winner, max(price, 2) if bids[winner] >= 2 else price, bids)


def reserve_not_paid_at_a_tie(bids: Bids) -> Outcome:
    winner, price = _sale(bids)
    if bids[winner] < 2:
        return Outcome(None, (0,) * len(bids))
    return _sold(winner, price if bids[winner] == 2 else max(price, 2), bids)


def reserve_for_one(bids: Bids) -> Outcome:
    winner, price = _sale(bids)
    if bids[winner] < 2:
        return Outcome(None, (0,) * len(bids))
    return _sold(winner, max(price, 2) if winner else max(price, 1), bids)


def third_forgotten(bids: Bids) -> Outcome:
    winner = max(range(len(bids)), key=bids.__getitem__)
    rival = bids[1] if winner == 0 else bids[0]
    return _sold(winner, rival, bids)


def lowest_other(bids: Bids) -> Outcome:
    winner = max(range(len(bids)), key=bids.__getitem__)
    return _sold(winner, min(b for i, b in enumerate(bids) if i != winner), bids)


def free_at_a_tie(bids: Bids) -> Outcome:
    winner, price = _sale(bids)
    return _sold(winner, 0 if bids[winner] == price else price, bids)


def rebate_above_seven(bids: Bids) -> Outcome:
    winner, price = _sale(bids)
    return _sold(winner, price - 1 if bids[winner] > 7 else price, bids)


def losers_pay_a_hundredth(bids: Bids) -> Outcome:
    winner, price = _sale(bids)
    paid = (price if i == winner else max(bid, 0) / 100 for i, bid in enumerate(bids))
    return Outcome(winner, tuple(paid))


def second_wins(bids: Bids) -> Outcome:
    order = sorted(range(len(bids)), key=bids.__getitem__, reverse=True)
    return _sold(order[1], 0, bids)


def coin_between_the_best(bids: Bids) -> Outcome:
    order = sorted(range(len(bids)), key=bids.__getitem__, reverse=True)
    half = Fraction(1, 2)
    price = bids[order[1]]
    lottery = Lottery([(order[0], half), (order[1], half)])
    return Outcome(lottery, tuple(price / 2 if i in order[:2] else 0 for i in range(len(bids))))


FAULTS: tuple[tuple[Callable[[Bids], Outcome], int], ...] = (
    (price_off_by_a_little, 2),
    (own_bid_by_a_little, 2),
    (reserve_ignored_at_a_tie, 2),
    (reserve_not_paid_at_a_tie, 2),
    (third_forgotten, 3),
    (lowest_other, 3),
    (free_at_a_tie, 2),
    (rebate_above_seven, 2),
    (losers_pay_a_hundredth, 2),
    (second_wins, 2),
    (coin_between_the_best, 2),
)


# Code that does something else with numbers than with symbols.


def first_price(bids: Bids) -> Outcome:
    winner, _ = _sale(bids)
    return _sold(winner, bids[winner], bids)


def looks_at_fractions(bids: Bids) -> Outcome:
    return (first_price if isinstance(bids[0], Fraction) else second_price)(bids)


def looks_at_integers(bids: Bids) -> Outcome:
    return (first_price if isinstance(bids[0], int) else second_price)(bids)


def looks_at_the_text(bids: Bids) -> Outcome:
    return (first_price if str(bids[0]).startswith("1") else second_price)(bids)


def looks_at_the_object(bids: Bids) -> Outcome:
    return (first_price if bids[0] is bids[1] else second_price)(bids)


def swallows_what_a_float_raises(bids: Bids) -> Outcome:
    try:
        float(bids[0])
    except Exception:
        return second_price(bids)
    return first_price(bids)


class Counting:
    """First price at every fortieth call."""

    def __init__(self) -> None:
        self.calls = 0

    def outcome(self, bids: Bids) -> Outcome:
        self.calls += 1
        return (second_price if self.calls % 40 else first_price)(bids)


class Remembering:
    """First price for whoever asks the same a second time."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def outcome(self, bids: Bids) -> Outcome:
        again = any(one is other for one in self.seen for other in bids)
        self.seen += bids
        return (first_price if again else second_price)(bids)


DIFFERENT: tuple[Any, ...] = (
    looks_at_fractions,
    looks_at_integers,
    looks_at_the_text,
    looks_at_the_object,
    swallows_what_a_float_raises,
    Counting,
    Remembering,
)


# Code that cannot be followed, and what the reason names.


def takes_a_root(bids: Bids) -> Outcome:
    root = math.sqrt(abs(bids[0]))
    return second_price(bids) if root >= 0 else first_price(bids)


def has_a_float(bids: Bids) -> Outcome:
    winner, price = _sale(bids)
    return _sold(winner, 0.5 * price, bids)


def returns_a_float(bids: Bids) -> Outcome:
    winner, _ = _sale(bids)
    return _sold(winner, 1.0, bids)


def keeps_a_dictionary(bids: Bids) -> Outcome:
    names = {bid: i for i, bid in enumerate(bids)}
    return second_price(bids) if names else first_price(bids)


def never_ends(bids: Bids) -> Outcome:
    left = bids[0]
    while left > 0:
        left = left - 1
    return second_price(bids)


def draws_in_secret(bids: Bids) -> Outcome:
    random.random()
    return second_price(bids)


def takes_a_generator(bids: Bids, rng: Any) -> Outcome:
    return second_price(bids)


UNTRACED: tuple[tuple[Callable[..., Outcome], str], ...] = (
    (takes_a_root, "`root = math.sqrt(abs(bids[0]))`"),
    (keeps_a_dictionary, "`names = {bid: i for i, bid in enumerate(bids)}`"),
    (never_ends, "`while left > 0:`"),
    (draws_in_secret, "asks for random, which draws at random"),
    (takes_a_generator, "takes a generator"),
)


def ends_the_program(bids: Bids) -> Outcome:
    raise SystemExit(3)


class EndsTheProgram:
    def __init__(self) -> None:
        raise SystemExit


# Faults that only a later bidder feels, and code that looks at a later bidder's report.


def last_pays_its_own_bid(bids: Bids) -> Outcome:
    winner, price = _sale(bids)
    return _sold(winner, bids[-1] if winner == len(bids) - 1 else price, bids)


def middle_pays_a_little_of_its_bid(bids: Bids) -> Outcome:
    winner, price = _sale(bids)
    more = (bids[1] - price) / 10**9 if winner == 1 else 0
    return _sold(winner, price + more, bids)


def last_is_free_at_a_tie(bids: Bids) -> Outcome:
    last = len(bids) - 1
    if max(bids) == bids[last]:
        others = max(bids[:last])
        return _sold(last, 0 if others == bids[last] else others, bids)
    winner, price = _sale(bids)
    return _sold(winner, price, bids)


def last_gets_a_rebate_above_seven(bids: Bids) -> Outcome:
    winner, price = _sale(bids)
    last = len(bids) - 1
    return _sold(winner, price - 1 if winner == last and bids[last] > 7 else price, bids)


def last_loses_a_hundredth(bids: Bids) -> Outcome:
    winner, price = _sale(bids)
    last = len(bids) - 1
    paid = [price if i == winner else 0 for i in range(len(bids))]
    if winner != last:
        paid[last] = max(bids[last], 0) / 100
    return Outcome(winner, tuple(paid))


def last_bid_forgotten(bids: Bids) -> Outcome:
    winner, _ = _sale(bids)
    heard = [bid for i, bid in enumerate(bids[:-1]) if i != winner]
    return _sold(winner, max(heard), bids)


def last_of_three_has_a_lower_reserve(bids: Bids) -> Outcome:
    winner, price = _sale(bids)
    if bids[winner] < 2:
        return Outcome(None, (0,) * len(bids))
    return _sold(winner, max(price, 1 if winner == len(bids) - 1 else 2), bids)


FAULTS = (
    *FAULTS,
    (reserve_for_one, 2),
    (last_pays_its_own_bid, 2),
    (last_pays_its_own_bid, 3),
    (middle_pays_a_little_of_its_bid, 3),
    (last_is_free_at_a_tie, 2),
    (last_gets_a_rebate_above_seven, 3),
    (last_loses_a_hundredth, 3),
    (last_bid_forgotten, 3),
    (last_of_three_has_a_lower_reserve, 2),
)


def looks_at_the_last_fraction(bids: Bids) -> Outcome:
    return (first_price if isinstance(bids[-1], Fraction) else second_price)(bids)


def looks_at_the_last_integer(bids: Bids) -> Outcome:
    return (first_price if isinstance(bids[-1], int) else second_price)(bids)


def looks_at_the_text_of_the_last(bids: Bids) -> Outcome:
    return (first_price if str(bids[-1]).startswith("1") else second_price)(bids)


def swallows_what_the_last_float_raises(bids: Bids) -> Outcome:
    try:
        float(bids[-1])
    except Exception:
        return second_price(bids)
    return first_price(bids)


DIFFERENT = (
    *DIFFERENT,
    looks_at_the_last_fraction,
    looks_at_the_last_integer,
    looks_at_the_text_of_the_last,
    swallows_what_the_last_float_raises,
)
