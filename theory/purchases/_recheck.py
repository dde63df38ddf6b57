"""What a set of passages misses of the best one, by going through all that can be stated."""

from __future__ import annotations

from fractions import Fraction

from theory.purchases._shelf import Shelf
from theory.shared.arguments import refusing

__all__ = ["check_best_set", "count_recheck"]

Missed = tuple[int, tuple[Fraction, ...]]
"""Which of the sure facts are missed, as bits, and the others with which probability."""


@refusing
def count_recheck(shelf: Shelf) -> int:
    """Return at most how many steps of about a microsecond the gap of a best set takes.

    A fact that no passage states with a probability between 0 and 1 has two states, and each
    passage that may state another one doubles those of it.
    """
    columns = [
        [chance for chance in column if chance] for column in zip(*shelf.chances, strict=True)
    ]
    likely = [column for column in columns if not _is_sure(column)]
    kinds = sum(map(bool, columns)) + sum(len(column) - 1 for column in likely)
    sets = sum(1 << min(place, kinds) for place in range(len(shelf.prices)))
    return (sets + 1) * (1 + 8 * len(likely)) + len(shelf.prices) * len(shelf.worths)


def check_best_set(
    shelf: Shelf, chosen: tuple[int, ...], worth: Fraction, price: Fraction
) -> Fraction:
    """Return by how much what is written of a set misses what is so, at most.

    That is the greatest of: by how much its worth and its price are off; by how much it exceeds the
    budget; what another set that can be paid gains more. The least price of all ways to miss the
    facts is found passage by passage, in :func:`count_recheck` steps.
    """
    facts = range(len(shelf.worths))
    sure = [j for j in facts if _is_sure([row[j] for row in shelf.chances])]
    likely = [j for j in facts if j not in {*sure}]
    rows = [
        (sum(1 << bit for bit, j in enumerate(sure) if row[j]), [row[j] for j in likely])
        for row in shelf.chances
    ]
    nothing: Missed = (1 << len(sure)) - 1, tuple(Fraction(1) for _ in likely)
    cheapest = {nothing: Fraction(0)}
    for asked, row in zip(shelf.prices, rows, strict=True):
        for missed, cost in list(cheapest.items()):
            spent = cost + asked
            if shelf.budget is None or spent <= shelf.budget:
                left = _miss(missed, row)
                cheapest[left] = min(cheapest.get(left, spent), spent)
    values = dict[int, Fraction]()

    def value(missed: Missed) -> Fraction:
        mask, likelihoods = missed
        if mask not in values:
            stated = (shelf.worths[j] for bit, j in enumerate(sure) if not mask >> bit & 1)
            values[mask] = sum(stated, Fraction(0))
        pairs = zip(likely, likelihoods, strict=True)
        return sum((shelf.worths[j] * (1 - m) for j, m in pairs), values[mask])

    best = max(value(missed) - cost for missed, cost in cheapest.items())
    missed, paid = nothing, Fraction(0)
    for place in chosen:
        missed, paid = _miss(missed, rows[place]), paid + shelf.prices[place]
    over = Fraction(0) if shelf.budget is None else paid - shelf.budget
    twice = Fraction(len(chosen) - len({*chosen}))
    off = abs(value(missed) - worth), abs(paid - price)
    return max(*off, best - value(missed) + paid, over, twice)


def _is_sure(column: tuple[Fraction, ...] | list[Fraction]) -> bool:
    return all(chance in (0, 1) for chance in column)


def _miss(missed: Missed, row: tuple[int, list[Fraction]]) -> Missed:
    """Return what is missed with one passage more."""
    likely = tuple(m - m * c for m, c in zip(missed[1], row[1], strict=True))
    return missed[0] & ~row[0], likely
