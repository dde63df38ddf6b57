"""How far the equilibrium falls short of the best set to reveal, judged knowing everything."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, Final

import numpy as np

from theory.marginal_value._equilibrium import Equilibrium
from theory.marginal_value._game import MarginalValueGame
from theory.marginal_value._hypotheses import Hypothesis, superadditive, union_closed
from theory.marginal_value._sets import Names, order, set_text
from theory.numbers import Floats, Scalar
from theory.shared.arguments import instance_of
from theory.shared.printable import printed_line
from theory.shared.rounding import signs
from theory.shared.shapes import Bool, Int64
from theory.shared.text import number_text
from theory.verdicts import ShownAsTable, Table

__all__ = ["Defence", "Shortfall", "shortfall"]

_SHOWN: Final = 4


@dataclass(frozen=True)
class Defence:
    """A stable set F that contains what the equilibrium reveals, and what it bounds by.

    The shortfall is at most p(F) - p(T*) + d(F), where with x over all actions

        d(F) = max over x of (u_K(a_T*) - u_K(x)) - (u_F(a_F) - u_F(x)).

    Where u_F and u_K agree on all differences between actions, d(F) = u_K(a_T*) - u_K(a_F) is at
    most 0, and the bound is no worse than volition.shortfall.sharp. F = K gives volition.shortfall.
    """

    revealed: Names
    disagreement: Scalar
    bound: Scalar
    agrees: bool

    @printed_line
    def __str__(self) -> str:
        how = "agrees" if self.agrees else f"disagrees by {number_text(self.disagreement)}"
        return f"{set_text(self.revealed)} as a defence, which {how}"


@dataclass(frozen=True)
class Shortfall(ShownAsTable):
    """The best set to reveal knowing everything, the equilibrium, and bounds on the difference.

    Attributes
    ----------
    best, revealed : tuple of str
        T*, the first of the sets that maximise w, fewest items first; and T, the equilibrium.
    value, worth : number
        w(T*) and w(T), where w(S) = u_K(a_S) - u_K(a_∅) - p(S); minus infinity where p(T), all at
        once, is infinite.
    shortfall : number
        w(T*) - w(T).
    everything : number
        p(K) - p(T*); infinite where p(K) is.
    defences : tuple of Defence
        What stable sets bound the shortfall by, the lowest bound first.
    needs : tuple of Hypothesis
        What the bounds, ``everything`` included, need: union-closed moves and superadditive prices,
        by which two sets together cost no less than one after the other. Prices may add.
    """

    best: Names
    revealed: Names
    value: Scalar
    worth: Scalar
    shortfall: Scalar
    everything: Scalar
    defences: tuple[Defence, ...]
    needs: tuple[Hypothesis, ...]

    @property
    def bound(self) -> Scalar:
        """The lowest bound; infinite if no bound applies."""
        met = all(need.holds for need in self.needs)
        return self.defences[0].bound if met and self.defences else inf

    def table(self) -> Table:
        """Return what the shortfall is and the bounds on it."""
        missing = [str(need) for need in self.needs if not need.holds]
        rows = [("none", line) for line in missing]
        if not missing:
            rows = [("all that the best set leaves out", number_text(self.everything))]
            rows += [(str(d), number_text(d.bound)) for d in self.defences[:_SHOWN]]
            if len(self.defences) > _SHOWN:
                rows.append((f"{len(self.defences) - _SHOWN} more", ""))
        return Table(
            caption=(
                f"{set_text(self.revealed)} is revealed, worth {number_text(self.worth)} knowing "
                f"everything; {set_text(self.best)} is best, worth {number_text(self.value)}: a "
                f"shortfall of {number_text(self.shortfall)}"
            ),
            columns=("by the price of", "at most"),
            rows=tuple(rows),
        )


def shortfall(found: Equilibrium) -> Shortfall:
    """Return how much less the equilibrium is worth than the best set to reveal, and bounds on it.

    Worth is judged knowing everything: w(S) = u_K(a_S) - u_K(a_∅) - p(S). With union-closed moves
    and superadditive prices of any sign, w(T*) - w(T) is at most p(K) - p(T*), and at most the
    bound of every stable set F that contains T (see :class:`Defence`). O(sets x actions); O(sets²)
    where prices are a function.

    Raises
    ------
    UndecidedError
        Where certified numbers leave a comparison open.

    Examples
    --------
    >>> from theory.marginal_value import MarginalValueGame, equilibrium
    >>> says = {0: [1, 0], 1: [0, 1]}
    >>> game = MarginalValueGame.of(
    ...     ["claim", "rebuttal", "defence"],
    ...     lambda s: says["defence" in s or s == {"claim"}],
    ...     prices={"claim": 0, "rebuttal": 0, "defence": 100},
    ... )
    >>> print(shortfall(equilibrium(game)))
    ∅ is revealed, worth 0 knowing everything; {claim} is best, worth 1: a shortfall of 1
    by the price of                                       at most
    ────────────────────────────────────────────────────  ───────
    all that the best set leaves out                      100
    ∅ as a defence, which disagrees by 1                  1
    {rebuttal} as a defence, which disagrees by 1         1
    {claim, rebuttal} as a defence, which disagrees by 1  1
    {defence} as a defence, which agrees                  100
    3 more
    """
    instance_of("found", found, Equilibrium, "solve a game first: equilibrium(game)")
    game = found.game
    places = np.flatnonzero(game.prices.affordable(game.sets))
    end = np.full_like(places, len(game.sets) - 1)
    worth = game.rewards(np.zeros_like(places), places, end)
    ranks = order(game.sets, len(game.items))
    tied = places[game.mark_best_rewarded(0, places, end)]
    best = int(tied[ranks[tied].argmin()])
    revealed = int(found.end[0])
    known = dict(zip(places.tolist(), worth.scalars(), strict=True))
    value, achieved = known[best], known.get(revealed, -inf)
    price: list[Any] = [game.prices.price(int(game.sets[s])) for s in (-1, best)]
    return Shortfall(
        best=game.names(best),
        revealed=game.names(revealed),
        value=value,
        worth=achieved,
        shortfall=inf if achieved == -inf else value - achieved,
        everything=inf if price[0] == inf else price[0] - price[1],
        defences=_defences(found, best, places),
        needs=(union_closed(game), superadditive(game)),
    )


def _defences(
    found: Equilibrium, best: int, places: Int64[np.ndarray, " k"]
) -> tuple[Defence, ...]:
    """Return the bounds of all stable sets of finite price that contain the equilibrium."""
    game, revealed = found.game, int(found.game.sets[found.end[0]])
    sets = places[found.stable[places] & (game.sets[places] & revealed == revealed)]
    u, picked, last = game.utilities, game.picked, len(game.sets) - 1
    everything = np.full_like(sets, last)
    apart = (u[:, sets] - u[picked[sets], sets]) - (u[:, everything] - u[picked[best], everything])
    disagreement = apart.max()
    equal = _differences_agree(game, sets, everything)
    zero = np.zeros_like(sets)
    prices = game.prices.of_sets(game.sets[sets]) - game.prices.of_sets(game.sets[zero + best])
    bounds = disagreement + prices
    agrees = set(np.flatnonzero(equal).tolist())
    columns = zip(sets.tolist(), disagreement.scalars(), bounds.scalars(), strict=True)
    defences = [Defence(game.names(s), d, b, k in agrees) for k, (s, d, b) in enumerate(columns)]
    return tuple(sorted(defences, key=lambda defence: defence.bound))


def _differences_agree(
    game: MarginalValueGame, sets: Int64[np.ndarray, " k"], everything: Int64[np.ndarray, " k"]
) -> Bool[np.ndarray, " k"]:
    """Say at which sets F all differences between two actions are the same as at K.

    Each action is compared with the one taken at F.
    """
    u, taken = game.utilities, game.picked[sets]
    moved = u[:, sets] - u[:, everything]
    off = moved - (u[taken, sets] - u[taken, everything])
    sizes: Any = 0.0
    if isinstance(moved, Floats):  # what has not moved does not count
        of = game.sizes.values
        own = np.where(moved.values == 0, 0.0, of[:, sets] + of[:, everything])
        sizes = own + own[taken, np.arange(len(sets))]
    return np.asarray((signs(off, sizes) == 0).all(axis=0))
