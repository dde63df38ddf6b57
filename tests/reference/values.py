"""The value of information by the definitions, one state at a time.

Numbers are Fractions or floats; whatever is given is added, multiplied and compared as it is.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass
class Valued:
    """What one good is worth; blocks are numbered in order of their first possible state."""

    prior: int
    prior_ties: list[int]
    prior_utility: Any
    blocks: list[list[int]]
    masses: list[Any]
    informed: list[int]
    informed_ties: list[list[int]]
    informed_utility: list[Any]
    realised: dict[int, Any]
    ex_post: list[Any]
    ex_ante: Any


def expected(p: Sequence[Any], x: Sequence[Any], states: Sequence[int]) -> Any:
    """E[X | states]."""
    return sum(p[w] * x[w] for w in states) / sum(p[w] for w in states)


def ties(p: Sequence[Any], utilities: Sequence[Sequence[Any]], states: Sequence[int]) -> list[int]:
    """Every action of the largest expected utility given the states."""
    worth = [expected(p, row, states) for row in utilities]
    return [a for a in range(len(utilities)) if all(worth[a] >= other for other in worth)]


def grouped(signal: Sequence[Hashable], states: Sequence[int]) -> list[list[int]]:
    """The states that show the same signal, together."""
    shown: list[Hashable] = []
    for w in states:
        if signal[w] not in shown:
            shown.append(signal[w])
    return [[w for w in states if signal[w] == i] for i in shown]


def valued(
    p: Sequence[Any],
    utilities: Sequence[Sequence[Any]],
    signal: Sequence[Hashable],
    price: Any,
    known: Sequence[int] | None = None,
) -> Valued:
    """Value a good that shows ``signal[w]`` in state w, given that the state is in ``known``."""
    states = [w for w in (range(len(p)) if known is None else known) if p[w] > 0]
    total = sum(p[w] for w in states)
    prior_ties = ties(p, utilities, states)
    prior = prior_ties[0]
    blocks = grouped(signal, states)
    informed_ties = [ties(p, utilities, block) for block in blocks]
    informed = [tied[0] for tied in informed_ties]
    realised = {
        w: utilities[action][w] - utilities[prior][w] - price
        for block, action in zip(blocks, informed, strict=True)
        for w in block
    }
    by_state = [realised.get(w) for w in range(len(p))]
    return Valued(
        prior=prior,
        prior_ties=prior_ties,
        prior_utility=expected(p, utilities[prior], states),
        blocks=blocks,
        masses=[sum(p[w] for w in block) / total for block in blocks],
        informed=informed,
        informed_ties=informed_ties,
        informed_utility=[
            expected(p, utilities[a], block) for a, block in zip(informed, blocks, strict=True)
        ],
        realised=realised,
        ex_post=[expected(p, by_state, block) for block in blocks],
        ex_ante=expected(p, by_state, states),
    )
