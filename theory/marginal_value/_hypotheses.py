"""Which hypotheses of volition, Theorem 4.4, a game and its tie rule meet."""

from __future__ import annotations

import numpy as np

from theory._text import number_text
from theory.marginal_value._equilibrium import Equilibrium, Ties
from theory.marginal_value._game import MarginalValueGame
from theory.marginal_value._hypothesis import Hypothesis
from theory.marginal_value._moves import Family, Moves
from theory.marginal_value._sets import names_of, set_text

__all__ = ["hypotheses", "theorem_4_4"]


def hypotheses(found: Equilibrium) -> tuple[Hypothesis, ...]:
    """Return whether moves are union-closed, prices subadditive, and ties go to the null move.

    These are what Theorem 4.4 needs, under strict extension: prices may have any sign and be
    infinite. Subadditive means p(A ∪ B) ≤ p(A) + p(B) for disjoint A and B that can newly be
    revealed one after the other. O(1) where a move is any set of items and prices add; else
    O(moves²).
    """
    game = found.game
    return (
        _verdict("moves are union-closed", _unclosed(game)),
        _verdict("prices are subadditive", _superadditive(game)),
        _verdict(
            "ties go to the null move",
            "" if found.ties is Ties.FEWEST_ITEMS else f"the rule is: {found.ties}",
        ),
    )


def _verdict(name: str, witness: str) -> Hypothesis:
    return Hypothesis(name, not witness, witness)


def _unclosed(game: MarginalValueGame) -> str:
    moves, items = game.moves, game.items
    if moves is Moves.SUBSETS or (moves is Moves.SINGLE_ITEMS and len(items) == 1):
        return ""
    pair = moves.unclosed() if isinstance(moves, Family) else (1, 2)
    if pair is None:
        return ""
    first, second = (set_text(names_of(mask, items)) for mask in pair)
    return f"{first} and {second} are moves, their union is not"


def _superadditive(game: MarginalValueGame) -> str:
    prices = game.prices
    if prices.additive:
        return ""
    sets = prices.sets
    at_once = np.isin(sets, list(game.newly_revealed()))
    for k, first in enumerate(sets.tolist()):
        others = np.flatnonzero(sets & first == 0)
        joint = sets[others] | first
        where = np.minimum(np.searchsorted(sets, joint), len(sets) - 1)
        known = (sets[where] == joint) & at_once[where] & at_once[others] & at_once[k]
        known &= prices.finite[others] & prices.finite[k]
        others, where = others[known], where[known]
        parts = prices.amounts[others] + prices.amounts[np.full_like(others, k)]
        excess = prices.amounts[where] - parts
        dear = (game.reward_signs(excess) > 0) | ~prices.finite[where]
        for other in others[dear].tolist():
            a, b = (set_text(names_of(int(sets[j]), game.items)) for j in (k, other))
            return f"{a} and {b} cost more together than apart"
    return ""


def theorem_4_4(found: Equilibrium) -> tuple[Hypothesis, ...]:
    """Return the three statements of volition, Theorem 4.4, computed on one equilibrium.

    x^1 is inextensible; nobody reveals anything after it; no inextensible first move, the null move
    included, has a higher ex-post value.
    """
    game, path = found.game, found.path
    first = path.moves[0] if path.moves else ()
    place = game.place(first)
    open_to_first = game.after(0)
    rivals = np.array([0, *open_to_first[found.inextensible[open_to_first]]], dtype=np.int64)
    values = game.rewards(np.zeros_like(rivals), rivals, rivals)
    own = np.full_like(rivals, place)
    worth = game.rewards(np.zeros_like(own), own, own)
    better = np.flatnonzero(game.reward_signs(values - worth) > 0)
    rival = ""
    if len(better):
        k = int(better[0])
        amounts = [number_text(numbers.scalars()[k]) for numbers in (values, worth)]
        rival = f"{set_text(game.names(int(rivals[k])))} has {amounts[0]}, {set_text(first)} has "
        rival += amounts[1]
    later = ", ".join(set_text(move) for move in path.moves[1:])
    return (
        _verdict(
            "x^1 is inextensible", "" if found.inextensible[place] else f"{set_text(first)} is not"
        ),
        _verdict("x^n is null for n > 1", f"{later} follows" if later else ""),
        _verdict("x^1 has the highest ex-post value among inextensible moves", rival),
    )
