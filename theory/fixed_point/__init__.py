"""Fixed points of mixtures of maps, and stationary laws of Markov chains.

A mixture of maps phi_{i->j}, which move all that is at i to j, sends a distribution x to Qx; regret
against single swaps vanishes where one plays a fixed point Qx = x. :func:`fixed_point` finds one by
elimination within a closed class, on the indices that the maps touch alone, and says by how much it
misses.
"""

from theory.fixed_point._mixture import Constants, MapMixture, Moves
from theory.fixed_point._program import SolverError
from theory.fixed_point._residual import fixed_point_residual
from theory.fixed_point._result import FixedPoint
from theory.fixed_point._solve import fixed_point

__all__ = [
    "Constants",
    "FixedPoint",
    "MapMixture",
    "Moves",
    "SolverError",
    "fixed_point",
    "fixed_point_residual",
]
