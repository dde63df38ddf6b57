"""Gains by titles again: over all that is stated and all that titles say, set by set."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from theory.purchases._shelf import Shelf

__all__ = ["check_title_values"]


def check_title_values(
    shelf: Shelf,
    errors: Sequence[Fraction],
    titled: Sequence[Fraction],
    blind: Fraction,
    seen: Fraction,
) -> Fraction:
    """Return the largest difference of a gain from the greatest that a plan of purchases has.

    What is stated is a case, and has a probability. A plan buys a set after each reading of titles;
    what a set gains over all cases of a reading is added up for every set, and the greatest counts.
    """
    places = range(len(shelf.prices))
    sets = [
        [k for k in places if chosen >> k & 1]
        for chosen in range(1 << len(places))
        if shelf.budget is None
        or sum((shelf.prices[k] for k in places if chosen >> k & 1), Fraction(0)) <= shelf.budget
    ]
    cases = _cases(shelf)
    gains = [[_gain(shelf, some, case) for case, _ in cases] for some in sets]
    weights = [weight for _, weight in cases]

    def best(likely: Sequence[Fraction]) -> Fraction:
        return max(
            sum((g * p for g, p in zip(row, likely, strict=True)), Fraction(0)) for row in gains
        )

    misses = [blind - best(weights)]
    every = (max(row[at] for row in gains) * weight for at, weight in enumerate(weights))
    misses.append(seen - sum(every, Fraction(0)))
    unsure = [bit for bit, chance in enumerate(_flat(shelf)) if 0 < chance < 1]
    for error, gain in zip(errors, titled, strict=True):
        total = Fraction(0)
        for reading in range(1 << len(unsure)):
            likely = []
            for case, weight in cases:
                wrong = sum(
                    (reading >> place & 1) != (case >> bit & 1) for place, bit in enumerate(unsure)
                )
                likely.append(weight * error**wrong * (1 - error) ** (len(unsure) - wrong))
            total += best(likely)
        misses.append(gain - total)
    return max(map(abs, misses))


def _flat(shelf: Shelf) -> list[Fraction]:
    return [chance for row in shelf.chances for chance in row]


def _cases(shelf: Shelf) -> list[tuple[int, Fraction]]:
    """Return what may be stated, one bit a passage and fact, with its probability."""
    cases = [(0, Fraction(1))]
    for bit, chance in enumerate(_flat(shelf)):
        cases = [
            (case | stated << bit, weight * (chance if stated else 1 - chance))
            for case, weight in cases
            for stated in (0, 1)
            if (chance if stated else 1 - chance)
        ]
    return cases


def _gain(shelf: Shelf, some: Sequence[int], case: int) -> Fraction:
    facts = len(shelf.worths)
    stated = {j for k in some for j in range(facts) if case >> k * facts + j & 1}
    gain = sum((shelf.worths[j] for j in stated), Fraction(0))
    return gain - sum((shelf.prices[k] for k in some), Fraction(0))
