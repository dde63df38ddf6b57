"""Learners, over lists of actions and over sets too large to list; games between them.

A :class:`Learner` plays a mixed strategy and is told what came of it. :func:`play_game` lets
learners play a game, :func:`play_against` one against rewards that are scripted or that react.
:func:`regret_bound` says what is proven of a learner.
"""

from mechanisms.learners._best_response import BestResponse
from mechanisms.learners._blum_mansour import BlumMansour
from mechanisms.learners._bounds import RegretBound, regret_bound
from mechanisms.learners._ftpl import FTPL
from mechanisms.learners._hedge import Hedge
from mechanisms.learners._protocol import Learner
from mechanisms.learners._regret_matching import RegretMatching

__all__ = [
    "FTPL",
    "BestResponse",
    "BlumMansour",
    "Hedge",
    "Learner",
    "RegretBound",
    "RegretMatching",
    "regret_bound",
]
