"""The law of who wins one item at which price, where all bidders raise by the least amount."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Final

from theory.ascending._steps import StepCount

__all__ = ["Reach", "Round", "highest_level", "item_law"]

_STEPS_OF_ONE_ASKED: Final = 10
"""What it takes to ask a bidder, to draw whether it leads and to note what follows."""

Draw = Callable[[tuple[int, ...], tuple[tuple[int, bool], ...]], Sequence[Fraction]]


@dataclass(frozen=True, slots=True, order=True)
class Reach:
    """How far a bidder goes on an item.

    ``top`` is the highest price it bids, in increments above the start, and -1 if it does not even
    bid the start; ``bids`` is how many bids it makes, and None for any number.
    """

    top: int
    bids: int | None

    def bids_at(self, level: int, made: int) -> bool:
        """Whether it bids at a level after so many bids."""
        return level <= self.top and (self.bids is None or made < self.bids)


@dataclass(frozen=True, slots=True)
class Round:
    """What is known between two rounds: the leader, who withdrew, and the bids that each made.

    Bids are not counted of whoever may make any number of them.
    """

    leader: int
    made: tuple[int, ...]
    withdrawn: frozenset[int]


def item_law(
    reach: Sequence[Reach], draw: Draw, steps: StepCount
) -> dict[tuple[int, int], Fraction]:
    """Return the probability of each (winner, level), empty where nobody bids.

    In a round all bidders who neither lead nor have withdrawn are asked at the same time. Each bids
    the least allowed amount, one level above the standing bid, or withdraws for good. Of the equal
    bids ``draw(tied, entries)`` gives the law of the leader, where ``entries`` says of each seat
    asked whether it bid. The item is sold when nobody bids in a round.

    O(levels x rounds seen at a level x bidders) time, counted in ``steps``.
    """
    law: dict[tuple[int, int], Fraction] = {}
    level = 0
    limited = tuple(each.bids is not None for each in reach)
    rounds = {Round(-1, (0,) * len(reach), frozenset()): Fraction(1)}
    while rounds:
        bits = max(weight.denominator for weight in rounds.values()).bit_length()
        steps.add_fractions(_STEPS_OF_ONE_ASKED * len(rounds) * len(reach), bits)
        later: dict[Round, Fraction] = {}
        for before, weight in rounds.items():
            entries = tuple(
                (seat, reach[seat].bids_at(level, before.made[seat]))
                for seat in range(len(reach))
                if seat != before.leader and seat not in before.withdrawn
            )
            tied = tuple(seat for seat, bids in entries if bids)
            if not tied:
                if before.leader >= 0:
                    sale = before.leader, level - 1
                    law[sale] = law.get(sale, Fraction(0)) + weight
                continue
            withdrawn = before.withdrawn.union(seat for seat, bids in entries if not bids)
            made = tuple(n + (limited[seat] and seat in tied) for seat, n in enumerate(before.made))
            for seat, chance in zip(tied, draw(tied, entries), strict=True):
                if chance:
                    after = Round(seat, made, withdrawn)
                    later[after] = later.get(after, Fraction(0)) + weight * chance
        rounds, level = later, level + 1
    return law


def highest_level(reach: Sequence[Reach]) -> int:
    """Return a bound on the level that is reached, whoever withdraws earlier than he must.

    -1 where nobody bids. A bidder whose budget is smaller withdraws earlier, so this bounds the
    price of an item for all budgets that the bidders may have left by then.

    Until it withdraws, a bidder bids in every round but those after which it led. Let w win at
    level L >= 1, and y lead in the round before. Of the rounds up to L - 2 each has one leader, so
    w and y together make at least (L + 1) + L - (L - 1) = L + 2 bids, the last of them at L and
    L - 1. So L is at most bids_w + bids_y - 2, top_w and top_y + 1.
    """
    best = max([-1, *(min(0, r.top) for r in reach)])
    for winner, rival in permutations(reach, 2):
        bounds = [winner.top, rival.top + 1]
        if winner.bids is not None and rival.bids is not None:
            bounds.append(winner.bids + rival.bids - 2)
        best = max(best, min(bounds))
    return best
