"""Correlated and coarse correlated equilibria: gaps, polytopes, play that leads there.

>>> from theory.normal_form import NormalFormGame
>>> from theory.correlated import correlated_equilibrium, equilibrium_gaps
>>> chicken = NormalFormGame.bimatrix(
...     [[6, 2], [7, 0]], [[6, 7], [2, 0]],
...     players=["Ann", "Bob"], actions=[["yield", "dare"]] * 2,
... )
>>> gaps = equilibrium_gaps(chicken, {("yield", "yield"): "1/2", ("dare", "dare"): "1/2"})
>>> print(gaps.players[0].internal)
play 'yield' whenever told 'dare': gains 1
>>> print(correlated_equilibrium(chicken).value)
21/2
"""

from theory.correlated._certificate import Certificate, Multiplier
from theory.correlated._empirical import empirical_distribution
from theory.correlated._equilibrium import CorrelatedEquilibrium, correlated_equilibrium
from theory.correlated._gaps import EquilibriumGaps, equilibrium_gaps
from theory.correlated._nash import NashGap, PlayerReply, nash_gap
from theory.correlated._recheck import GapCheck
from theory.correlated._witness import (
    ExternalDeviation,
    InternalDeviation,
    PlayerGaps,
    Recommendation,
    SwapDeviation,
)

__all__ = [
    "Certificate",
    "CorrelatedEquilibrium",
    "EquilibriumGaps",
    "ExternalDeviation",
    "GapCheck",
    "InternalDeviation",
    "Multiplier",
    "NashGap",
    "PlayerGaps",
    "PlayerReply",
    "Recommendation",
    "SwapDeviation",
    "correlated_equilibrium",
    "empirical_distribution",
    "equilibrium_gaps",
    "nash_gap",
]
