"""The steps of listed learners, and whole games between two of them, compiled.

One step is the same function in a game that is compiled as a whole and in one that Python leads
round by round, so that both give the same plays to the last bit.
"""

from __future__ import annotations

import math
from typing import Any

from mechanisms.learners._listed_state import (
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
from theory.shared.compiling import kernel

__all__ = ["observe", "play_rounds", "settle", "weigh"]

_TINY = 1e-300
"""Below this, 1 over a total may not be finite."""


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
        rate /= math.sqrt(state[ROUNDS] + 1)
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
        out[i] = max(math.exp(rate * (sums[i] - top)), floor)
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
    if total > _TINY:
        share = 1 / total
        for i in range(len(play)):
            play[i] *= share
    elif total > 0:
        for i in range(len(play)):
            play[i] /= total
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
    total = 0.0
    for j in range(size):
        total += abs(moved[j])
    return total


@kernel
def settle(forms: Any, ends: Any, laws: Any, plays: Any, rewards: Any) -> Any:
    """Write down a round between two players if both laws are distributions; return whether.

    A law with an entry below 0, or further off 1 in sum than half of what is allowed, is left to
    who can fix it or refuse it, and nothing is written then. See :func:`weigh`.
    """
    if not _is_law(laws[0]) or not _is_law(laws[1]):
        return False
    weigh(forms, ends, laws, plays, rewards)
    return True


@kernel
def _is_law(play: Any) -> Any:
    total = 0.0
    for i in range(len(play)):
        if not play[i] >= 0:
            return False
        total += play[i]
    return abs(total - 1) <= SLACK / 2


@kernel
def weigh(forms: Any, ends: Any, laws: Any, plays: Any, rewards: Any) -> None:
    """Write down what both players play, and what all their actions earn.

    Each argument is a pair, for the first player and for the second: ``forms[k][b, a]`` is what
    action a earns player k against the other's b, and ``ends[k]`` the least and the largest of
    these.
    """
    _weigh(forms[0], ends[0], (laws[0], laws[1]), plays[0], rewards[0])
    _weigh(forms[1], ends[1], (laws[1], laws[0]), plays[1], rewards[1])


@kernel
def _weigh(form: Any, ends: Any, laws: Any, plays: Any, rewards: Any) -> None:
    """Write down an own law, and the expected rewards of all own actions against the other's.

    A mean of payoffs lies between their extremes; rounding, which goes with their size and not with
    how far they are apart, must not take it out of there.
    """
    own, other = laws
    size = len(own)
    for a in range(size):
        plays[a] = own[a]
        rewards[a] = 0.0
    for b in range(len(other)):
        weight = other[b]
        if weight != 0:
            for a in range(size):
                rewards[a] += weight * form[b, a]
    low, high = ends
    for a in range(size):
        rewards[a] = min(max(rewards[a], low), high)


@kernel
def play_rounds(states: Any, forms: Any, ends: Any, plays: Any, rewards: Any) -> Any:
    """Play all rounds of a game between two states; return how many went well.

    Each argument is a pair, for the first player and for the second; see :func:`weigh`.
    """
    size1, size2 = forms[0].shape[1], forms[1].shape[1]
    x = states[0][HEADER : HEADER + size1]
    y = states[1][HEADER : HEADER + size2]
    for t in range(len(plays[0])):
        earned = (rewards[0][t], rewards[1][t])
        weigh(forms, ends, (x, y), (plays[0][t], plays[1][t]), earned)
        if observe(states[0], earned[0]) != 0 or observe(states[1], earned[1]) != 0:
            return t
    return len(plays[0])
