"""What a buyer of facts should do, from first principles: all sets of passages are gone through."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

Offer = tuple[Fraction, frozenset[str]]
"""A price, and the needed facts that are stated."""


def gain(offers: Sequence[Offer], taken: Sequence[bool], worth: Fraction) -> Fraction:
    """Each fact counts once, each price as often as it is paid."""
    stated: set[str] = set()
    paid = Fraction(0)
    for (price, facts), yes in zip(offers, taken, strict=True):
        if yes:
            stated |= facts
            paid += price
    return worth * len(stated) - paid


def payable(offers: Sequence[Offer], budget: Fraction) -> list[tuple[bool, ...]]:
    """All sets that can be paid, as who is in."""
    every = product((False, True), repeat=len(offers))
    return [t for t in every if sum(p for (p, _), y in zip(offers, t, strict=True) if y) <= budget]


def best_gain(offers: Sequence[Offer], worth: Fraction, budget: Fraction) -> Fraction:
    """What the best set gains."""
    return max(gain(offers, taken, worth) for taken in payable(offers, budget))


def reservation_price(others: Sequence[Offer], facts: frozenset[str], worth: Fraction) -> Fraction:
    """Up to which price a passage of these facts is in a best set beside others."""
    total = sum((price for price, _ in others), Fraction(0))
    free = best_gain([*others, (Fraction(0), facts)], worth, total)
    return free - best_gain(others, worth, total)


def logit(offers: Sequence[Offer], worth: Fraction, scale: float) -> dict[tuple[bool, ...], float]:
    """The law of who buys a set with odds exp(gain / scale)."""
    total = sum((price for price, _ in offers), Fraction(0))
    weights = {t: math.exp(float(gain(offers, t, worth)) / scale) for t in payable(offers, total)}
    return {taken: weight / sum(weights.values()) for taken, weight in weights.items()}


def greedy(offers: Sequence[Offer], budget: Fraction, *, stops: bool) -> list[bool]:
    """Buy by rank what can be paid; stop at the first that cannot, or go on."""
    taken = []
    over = False
    for price, _ in offers:
        fits = price <= budget and not over
        over |= stops and not fits
        budget -= price if fits else 0
        taken.append(fits)
    return taken
