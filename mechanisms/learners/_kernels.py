"""The steps of listed learners, and whole games between two of them, compiled.

One step is the same function in a game that is compiled as a whole and in one that Python leads
round by round, so that both give the same plays to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mechanisms.learners._state import (
    ANYTIME,
    BEST_RESPONSE,
    FLOOR,
    HEADER,
    HEDGE,
    KIND,
    LOW,
    RATE,
    REGRET_MATCHING,
    RESIDUAL,
    ROUNDS,
    SIZE,
    SLACK,
    SPREAD,
    TIES,
    WIDTH,
)
from theory._compiled import kernel

__all__ = ["observe", "play_rounds", "settle"]


@kernel
def observe(state: Any, rewards: Any) -> Any:
    """Count a round and compute the next play; return 0, or i + 1 where reward i is out of range.

    Nothing is counted where one is. Rewards enter as gains (r(i) - max r) / width, which do not
    depend on where 0 is.
    """
    size = int(state[SIZE])
    width = state[WIDTH]
    least = state[LOW] - SLACK * width
    most = state[LOW] + (1 + SLACK) * width
    top, bottom = rewards[0], rewards[0]
    for i in range(size):
        if not least <= rewards[i] <= most:
            return i + 1
        top = max(top, rewards[i])
        bottom = min(bottom, rewards[i])
    play = state[HEADER : HEADER + size]
    gains = state[HEADER + size : HEADER + 2 * size]
    own = state[HEADER + 2 * size :]
    per_width = 1 / width
    for i in range(size):
        gains[i] = (rewards[i] - top) * per_width
    state[ROUNDS] += 1
    state[SPREAD] += (top - bottom) / width
    rate = state[RATE]
    if state[ANYTIME] != 0:
        rate /= np.sqrt(state[ROUNDS] + 1)
    if state[KIND] == HEDGE:
        _add(own, gains, 1.0)
        _softmax(own, rate, 0.0, play)
    elif state[KIND] == BEST_RESPONSE:
        _add(own, gains, 1.0)
        _lead(own, TIES * state[SPREAD], play)
    elif state[KIND] == REGRET_MATCHING:
        _add(own, gains, 1.0)
        _match(own, gains, TIES * state[SPREAD], play)
    else:
        _agree(own, gains, rate, play)
        square = size * size
        chain = own[square : 2 * square].reshape(size, size)
        state[RESIDUAL] = max(state[RESIDUAL], _residual(chain, play))
    return 0


@kernel
def _add(sums: Any, gains: Any, share: Any) -> None:
    for i in range(len(gains)):
        sums[i] += share * gains[i]


@kernel
def _softmax(sums: Any, rate: Any, floor: Any, out: Any) -> None:
    """Write the law proportional to max(exp(rate (s - max s)), floor)."""
    top = sums[0]
    for i in range(len(out)):
        top = max(top, sums[i])
    total = 0.0
    for i in range(len(out)):
        out[i] = max(np.exp(rate * (sums[i] - top)), floor)
        total += out[i]
    for i in range(len(out)):
        out[i] /= total


@kernel
def _lead(sums: Any, slack: Any, out: Any) -> None:
    """Put all on the first sum that is within ``slack`` of the largest."""
    top = sums[0]
    for i in range(len(out)):
        top = max(top, sums[i])
    found = False
    for i in range(len(out)):
        first = not found and sums[i] >= top - slack
        out[i] = 1.0 if first else 0.0
        found = found or first


@kernel
def _match(regrets: Any, gains: Any, slack: Any, play: Any) -> None:
    """Write the law proportional to max(regret - slack, 0), uniform where all are 0.

    ``regrets`` already holds what the actions gained; what the play gained is taken off.
    """
    earned = 0.0
    for i in range(len(play)):
        earned += play[i] * gains[i]
    total = 0.0
    for i in range(len(play)):
        regrets[i] -= earned
        play[i] = max(regrets[i] - slack, 0.0)
        total += play[i]
    if total > 0:
        share = 1 / total
        for i in range(len(play)):
            play[i] *= share
    else:
        for i in range(len(play)):
            play[i] = 1 / len(play)


@kernel
def _agree(own: Any, gains: Any, rate: Any, play: Any) -> None:
    """Give each copy of Hedge its share of the gains; write the play on which they agree."""
    size = len(play)
    square = size * size
    sums = own[:square].reshape(size, size)
    chain = own[square : 2 * square].reshape(size, size)
    spare = own[2 * square :].reshape(size, size)
    for i in range(size):
        _add(sums[i], gains, play[i])
        _softmax(sums[i], rate, FLOOR, chain[i])
        for j in range(size):
            spare[i, j] = chain[i, j]
    _stationary(spare, play)


@kernel
def _stationary(chain: Any, out: Any) -> None:
    """Write the stationary law of a chain whose entries are all positive; overwrite the chain.

    Grassmann, Taksar and Heyman's elimination: nothing is subtracted, so every entry comes out with
    a small relative error. No pivot is below the least entry of the chain, as sums only grow.
    """
    size = len(out)
    for n in range(size - 1, 0, -1):
        pivot = 0.0
        for j in range(n):
            pivot += chain[n, j]
        for i in range(n):
            chain[i, n] /= pivot
            share = chain[i, n]
            for j in range(n):
                chain[i, j] += share * chain[n, j]
    out[0] = 1.0
    total = 1.0
    for n in range(1, size):
        out[n] = 0.0
        for i in range(n):
            out[n] += out[i] * chain[i, n]
        total += out[n]
    for n in range(size):
        out[n] /= total


@kernel
def _residual(chain: Any, play: Any) -> Any:
    """Return the 1-norm of x Q - x."""
    size = len(play)
    moved = -play
    for i in range(size):
        for j in range(size):
            moved[j] += play[i] * chain[i, j]
    return np.abs(moved).sum()


@kernel
def settle(form: Any, play: Any, other: Any, plays: Any, rewards: Any) -> Any:
    """Write down a play, and the rewards against the other's; return whether it is a distribution.

    See :func:`_settle`.
    """
    total = 0.0
    for i in range(len(play)):
        if not play[i] >= -SLACK:
            return False
        total += play[i]
    if not abs(total - 1) <= SLACK:
        return False
    _settle(form, play, other, plays, rewards)
    return True


@kernel
def _settle(form: Any, play: Any, other: Any, plays: Any, rewards: Any) -> None:
    """Write down a play and the rewards of all own actions against the other's play.

    ``form[b, a]`` is what own action a earns against the other's b.
    """
    size = len(play)
    for a in range(size):
        plays[a] = play[a]
        rewards[a] = 0.0
    for b in range(len(other)):
        weight = other[b]
        if weight != 0:
            for a in range(size):
                rewards[a] += weight * form[b, a]


@kernel
def play_rounds(states: Any, forms: Any, plays: Any, rewards: Any) -> Any:
    """Play all rounds of a game between two states; return how many went well.

    Each argument is a pair, of arrays for the first player and for the second.
    """
    size1, size2 = forms[0].shape[1], forms[1].shape[1]
    for t in range(len(plays[0])):
        x = states[0][HEADER : HEADER + size1]
        y = states[1][HEADER : HEADER + size2]
        _settle(forms[0], x, y, plays[0][t], rewards[0][t])
        _settle(forms[1], y, x, plays[1][t], rewards[1][t])
        if observe(states[0], rewards[0][t]) != 0 or observe(states[1], rewards[1][t]) != 0:
            return t
    return len(plays[0])
