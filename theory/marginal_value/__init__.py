"""The marginal-value mechanism: who reveals what, when each is paid what it adds with hindsight.

A :class:`MarginalValueGame` is the game for one realised state of knowledge (volition, Definition
4.1); :func:`equilibrium` solves it from every history and says which hypotheses of Theorem 4.4 are
met, :func:`theorem_4_4` what becomes of the theorem, and :func:`shortfall` how far the equilibrium
is from the best set to reveal.
"""

from theory.marginal_value._bayes import (
    MAX_STATES,
    as_prior,
    from_beliefs,
    from_prior,
    market_scoring,
)
from theory.marginal_value._equilibrium import Equilibrium, equilibrium
from theory.marginal_value._game import MarginalValueGame
from theory.marginal_value._hypotheses import Hypothesis
from theory.marginal_value._moves import MAX_SETS, Family, Moves
from theory.marginal_value._picture import lattice
from theory.marginal_value._play import Play
from theory.marginal_value._prices import Prices
from theory.marginal_value._reading import MAX_CELLS
from theory.marginal_value._shortfall import Defence, Shortfall, shortfall
from theory.marginal_value._theorem import theorem_4_4
from theory.marginal_value._ties import Ties

__all__ = [
    "MAX_CELLS",
    "MAX_SETS",
    "MAX_STATES",
    "Defence",
    "Equilibrium",
    "Family",
    "Hypothesis",
    "MarginalValueGame",
    "Moves",
    "Play",
    "Prices",
    "Shortfall",
    "Ties",
    "as_prior",
    "equilibrium",
    "from_beliefs",
    "from_prior",
    "lattice",
    "market_scoring",
    "shortfall",
    "theorem_4_4",
]
