"""Hypotheses on a marginal-value game and its tie rule, and which of them are met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from theory.marginal_value._game import MarginalValueGame
from theory.marginal_value._moves import Family, Moves
from theory.marginal_value._prices import Prices
from theory.marginal_value._sets import names_of, set_text
from theory.marginal_value._ties import Ties
from theory.numbers import Floats
from theory.shared.printable import printed_line
from theory.shared.rounding import signs
from theory.shared.shapes import Int64

__all__ = ["Hypothesis", "null_first", "subadditive", "superadditive", "union_closed"]


@dataclass(frozen=True)
class Hypothesis:
    """A hypothesis or a statement of a theorem; ``witness`` says by what it fails."""

    name: str
    holds: bool
    witness: str = ""

    @classmethod
    def unless(cls, witness: str, name: str) -> Self:
        """Return that it holds, unless something speaks against it."""
        return cls(name, not witness, witness)

    @printed_line
    def __str__(self) -> str:
        return f"{self.name}: {'yes' if self.holds else f'no, {self.witness}'}"


def union_closed(game: MarginalValueGame) -> Hypothesis:
    """Say whether the union of two moves is a move. O(1) but for a family: O(moves²)."""
    return Hypothesis.unless(_unclosed_pair(game), "moves are union-closed")


def subadditive(game: MarginalValueGame) -> Hypothesis:
    """Say whether p(A ∪ B) ≤ p(A) + p(B).

    For all disjoint A and B that can newly be revealed, each and together. O(1) where prices add,
    else O(sets²).
    """
    return Hypothesis.unless(_mispriced_pair(game, "more"), "prices are subadditive")


def superadditive(game: MarginalValueGame) -> Hypothesis:
    """Say whether p(A ∪ B) ≥ p(A) + p(B), for the same A and B as :func:`subadditive`."""
    return Hypothesis.unless(_mispriced_pair(game, "less"), "prices are superadditive")


def null_first(ties: Ties) -> Hypothesis:
    """Say whether ties go to the null move."""
    against = "" if ties is Ties.FEWEST_ITEMS else f"the rule is: {ties}"
    return Hypothesis.unless(against, "ties go to the null move")


def _unclosed_pair(game: MarginalValueGame) -> str:
    moves, items = game.moves, game.items
    if moves is Moves.SUBSETS or (moves is Moves.SINGLE_ITEMS and len(items) == 1):
        return ""
    pair = moves.unclosed() if isinstance(moves, Family) else (1, 2)
    if pair is None:
        return ""
    first, second = (set_text(names_of(mask, items)) for mask in pair)
    return f"{first} and {second} are moves, their union is not"


def _mispriced_pair(game: MarginalValueGame, than: Literal["more", "less"]) -> str:
    """Name two sets that cost more together than apart, or less; nothing where there are none."""
    prices = game.prices
    if prices.additive:
        return ""
    sets, infinite = prices.sets, ~prices.finite
    newly = np.isin(sets, list(game.newly_revealed()))
    for k in np.flatnonzero(newly).tolist():
        others = np.flatnonzero(newly & (sets & sets[k] == 0))
        joint = sets[others] | sets[k]
        whole = np.minimum(np.searchsorted(sets, joint), len(sets) - 1)
        known = (sets[whole] == joint) & newly[whole]
        others, whole = others[known], whole[known]
        parts = prices.amounts[others] + prices.amounts[np.full_like(others, k)]
        apart, together = infinite[others] | infinite[k], infinite[whole]
        above = signs(prices.amounts[whole] - parts, _size(prices, k, others, whole))
        above = np.where(apart | together, together.astype(np.int64) - apart, above)
        for other in others[above > 0 if than == "more" else above < 0].tolist():
            a, b = (set_text(names_of(int(sets[j]), game.items)) for j in (k, other))
            return f"{a} and {b} cost {than} together than apart"
    return ""


def _size(
    prices: Prices, first: int, others: Int64[np.ndarray, " k"], whole: Int64[np.ndarray, " k"]
) -> Any:
    """Return what the prices of the three sets sum to in absolute value; 0 but for floats."""
    if not isinstance(prices.amounts, Floats):
        return 0.0
    sizes = np.abs(prices.amounts.values)
    return sizes[first] + sizes[others] + sizes[whole]
