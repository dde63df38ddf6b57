"""Many auctions among bidders that raise by the least amount, in whole numbers.

Amounts are multiples of one unit. In a round all who bid make the same bid, so a price is the start
and a number of steps. Each game has a random state of its own, a multiply-with-carry generator
(Marsaglia 2003) whose state stays below 2^63; numbers below k come from it without bias (Lemire
2019).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from theory.shared.compiling import kernel

__all__ = ["FIRST", "LAST", "POORER", "REDRAWN", "RICHER", "UNIFORM", "sell", "sell_in_arrays"]

UNIFORM, REDRAWN, RICHER, POORER, FIRST, LAST = range(6)

_MULTIPLIER: Final = 1791398085
_MASK: Final = 2**32 - 1
_BASE: Final = 2**32


@kernel
def draw_below(state: int, count: int) -> tuple[int, int]:
    """Return the next state, and a number from 0 to ``count - 1``, each equally likely."""
    while True:
        state = _MULTIPLIER * (state & _MASK) + (state >> 32)
        product = ((state & _MASK) ^ (state >> 32)) * count
        low = product & _MASK
        if low >= count or low >= (_BASE - count) % count:
            return state, product >> 32


@kernel
def shuffle(state: int, order: Any) -> int:
    """Write a random order, each equally likely; return the next state (Fisher and Yates)."""
    for k in range(len(order)):
        order[k] = k
    for k in range(len(order) - 1, 0, -1):
        state, other = draw_below(state, k + 1)
        order[k], order[other] = order[other], order[k]
    return state


@kernel
def sell(
    starts: Any,
    steps: Any,
    ceilings: Any,
    limits: Any,
    budgets: Any,
    ties: int,
    shuffled: bool,
    states: Any,
    winners: Any,
    prices: Any,
) -> None:
    """Sell all items in all games.

    ``ceilings[j, i]`` is the most that bidder i bids for item j, and ``limits[i]`` how many bids it
    makes. Writes ``winners`` (a seat, or -1) and ``prices`` (0 where not sold), a row a game, and
    the ``states`` at the end.
    """
    games, count = winners.shape
    seats = budgets.shape[0]
    money = np.zeros(seats, np.int64)
    caps = np.zeros(seats, np.int64)  # the most that a seat bids for this item; -1 once it is out
    bids_left = np.zeros(seats, np.int64)
    bidding = np.zeros(seats + 1, np.int64)  # who bids in this round
    entries = np.zeros(seats + 1, np.int64)  # how many bids stand before each seat that is asked
    order = np.arange(count)
    for game in range(games):
        state = int(states[game])
        for i in range(seats):
            money[i] = budgets[i]
        if shuffled:
            state = shuffle(state, order)
        for k in range(count):
            item = order[k]
            price, step, leader = starts[item], steps[item], -1
            for i in range(seats):
                caps[i] = min(money[i], ceilings[item, i])
                bids_left[i] = limits[i]
            while True:
                bids, asked = 0, 0
                for i in range(seats):
                    if i != leader and caps[i] >= 0:
                        bidding[bids] = i
                        if caps[i] >= price and bids_left[i] > 0:
                            bids_left[i] -= 1
                            bids += 1
                        else:
                            caps[i] = -1
                        entries[asked] = bids
                        asked += 1
                if bids == 0:
                    break
                leader = bidding[0]
                if bids > 1:
                    if ties == UNIFORM:
                        state, place = draw_below(state, bids)
                        leader = bidding[place]
                    elif ties == REDRAWN:
                        state, leader = draw_again(state, bidding, entries, asked)
                    elif ties == LAST:
                        leader = bidding[bids - 1]
                    elif ties != FIRST:
                        sign = 1 if ties == RICHER else -1
                        state, leader = draw_extreme(state, bidding, bids, money, sign)
                price += step
            winners[game, item] = leader
            prices[game, item] = 0
            if leader >= 0:
                prices[game, item] = price - step
                money[leader] -= price - step
        states[game] = state


@kernel
def draw_again(state: int, bidding: Any, entries: Any, asked: int) -> tuple[int, int]:
    """Return the next state and the leader, drawn again at each entry of a round."""
    leader = -1
    for entered in range(asked):
        for place in range(entries[entered]):
            state, coin = draw_below(state, 2)
            if leader < 0 or coin == 1:
                leader = bidding[place]
    return state, leader


@kernel
def draw_extreme(state: int, bidding: Any, bids: int, money: Any, sign: int) -> tuple[int, int]:
    """Return the next state and the leader, drawn among the richest or, signed -1, the poorest."""
    best, among = sign * money[bidding[0]], 1
    for place in range(1, bids):
        amount = sign * money[bidding[place]]
        if amount > best:
            best, among = amount, 1
        elif amount == best:
            among += 1
    chosen = 0
    if among > 1:
        state, chosen = draw_below(state, among)
    leader = bidding[0]
    for place in range(bids):
        if sign * money[bidding[place]] == best:
            if chosen == 0:
                leader = bidding[place]
            chosen -= 1
    return state, leader


def _draws_below(states: Any, counts: Any, where: Any) -> Any:
    """Draw in all games of ``where``; return the numbers, 0 elsewhere."""
    found = np.zeros(states.shape, np.int64)
    waiting = np.flatnonzero(where)
    while waiting.size:
        state = states[waiting]
        state = _MULTIPLIER * (state & _MASK) + (state >> 32)
        states[waiting] = state
        count = counts[waiting]
        product = ((state & _MASK) ^ (state >> 32)) * count
        low = product & _MASK
        found[waiting] = product >> 32
        waiting = waiting[(low < count) & (low < (_BASE - count) % count)]
    return found


def sell_in_arrays(
    starts: Any,
    steps: Any,
    ceilings: Any,
    limits: Any,
    budgets: Any,
    ties: int,
    shuffled: bool,
    states: Any,
    winners: Any,
    prices: Any,
) -> None:
    """As :func:`sell`, to the bit, with an operation for all games at once."""
    games, count = winners.shape
    seats, rows = len(budgets), np.arange(games)
    money = np.tile(budgets, (games, 1))
    order = np.tile(np.arange(count), (games, 1))
    everywhere = np.ones(games, bool)
    for k in range(count - 1, 0, -1) if shuffled else ():
        other = _draws_below(states, np.full(games, k + 1), everywhere)
        order[rows, k], order[rows, other] = order[rows, other], order[rows, k].copy()
    for k in range(count):
        item = order[:, k]
        price, step = starts[item], steps[item]
        caps = np.minimum(money, ceilings[item])
        bids_left = np.tile(limits, (games, 1))
        leader = np.full(games, -1)
        going = everywhere.copy()
        while True:
            asked = (caps >= 0) & going[:, None] & (np.arange(seats) != leader[:, None])
            bids = asked & (bids_left > 0) & (caps >= price[:, None])
            going &= bids.any(1)
            caps[asked & ~bids] = -1
            if not going.any():
                break
            bids_left -= bids
            new = _choose_leaders(states, ties, bids, asked, money, going)
            leader = np.where(going, new, leader)
            price = price + going * step
        sold = leader >= 0
        price = np.where(sold, price - step, 0)
        winners[rows, item], prices[rows, item] = leader, price
        money[rows[sold], leader[sold]] -= price[sold]


def _choose_leaders(states: Any, ties: int, bids: Any, asked: Any, money: Any, going: Any) -> Any:
    """Return who leads in each game that goes on."""
    games, seats = bids.shape
    several = going & (bids.sum(1) > 1)
    two = np.full(games, 2)
    if ties == REDRAWN:
        chosen = np.full(games, -1)
        for entered in range(seats):
            for i in range(entered + 1):
                here = several & asked[:, entered] & bids[:, i]
                coin = _draws_below(states, two, here)
                chosen = np.where(here & ((chosen < 0) | (coin == 1)), i, chosen)
        return np.where(several, chosen, bids.argmax(1))
    if ties in (FIRST, LAST):
        return bids.argmax(1) if ties == FIRST else seats - 1 - bids[:, ::-1].argmax(1)
    chosen_from = bids
    if ties in (RICHER, POORER):
        amounts = money if ties == RICHER else -money
        best = np.where(bids, amounts, np.iinfo(np.int64).min).max(1)
        chosen_from = bids & (amounts == best[:, None])
    among = chosen_from.sum(1)
    place = _draws_below(states, among, going & (among > 1))
    return (chosen_from & (chosen_from.cumsum(1) == place[:, None] + 1)).argmax(1)
