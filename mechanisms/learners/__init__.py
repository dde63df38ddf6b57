"""Learners, over lists of actions and over sets too large to list; games between them.

A :class:`Learner` plays a mixed strategy and is told what came of it. :func:`play_game` lets
learners play a game, :func:`play_against` one against rewards that are scripted or that react.
:func:`repeated_game` is the game in steps, in which anybody may play against them.
:func:`regret_bound` says what is proven of a learner; a :class:`Run` measures its regret.
"""

from mechanisms.learners._best_response import BestResponse
from mechanisms.learners._blum_mansour import BlumMansour
from mechanisms.learners._bounds import RegretBound, regret_bound
from mechanisms.learners._callable_oracle import CallableOracle
from mechanisms.learners._errors import LearnerError, OpponentError
from mechanisms.learners._ftpl import FTPL
from mechanisms.learners._hedge import Hedge
from mechanisms.learners._history import History, Round
from mechanisms.learners._internal_ftpl import InternalFTPL
from mechanisms.learners._opponents import OPPONENTS, Opponent, OpponentFactory
from mechanisms.learners._oracles import ActionOracle, Oracle, as_oracle
from mechanisms.learners._play_against import play_against
from mechanisms.learners._play_game import play_game
from mechanisms.learners._protocol import Learner
from mechanisms.learners._regret_matching import RegretMatching
from mechanisms.learners._repeated_game import (
    Feedback,
    LearnerPlayer,
    MixedStrategy,
    name_learners,
    repeated_game,
)
from mechanisms.learners._run import PlayerRun, Run
from mechanisms.learners._series import BoundedSeries, GapSeries

__all__ = [
    "FTPL",
    "OPPONENTS",
    "ActionOracle",
    "BestResponse",
    "BlumMansour",
    "BoundedSeries",
    "CallableOracle",
    "Feedback",
    "GapSeries",
    "Hedge",
    "History",
    "InternalFTPL",
    "Learner",
    "LearnerError",
    "LearnerPlayer",
    "MixedStrategy",
    "Opponent",
    "OpponentError",
    "OpponentFactory",
    "Oracle",
    "PlayerRun",
    "RegretBound",
    "RegretMatching",
    "Round",
    "Run",
    "as_oracle",
    "name_learners",
    "play_against",
    "play_game",
    "regret_bound",
    "repeated_game",
]
