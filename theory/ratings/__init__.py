"""Who plays better, and how sure that is: ratings of games with intervals and a noise floor.

Games are mappings from players to scores. :func:`mean_scores` averages the scores themselves;
:func:`trueskill_ratings` and :class:`Elo` update ratings game by game, so that the order of the
games matters, which :func:`average_over_orders` shows; :func:`bradley_terry` fits strengths to all
games at once, and :func:`resampled_strengths` does so with intervals over clusters of games.
:func:`noise_floor` says how far identical players come apart, and
:func:`balanced_seats` plans games in which no seat favours anybody.
"""

from theory.ratings._bradley_terry import bradley_terry
from theory.ratings._elo import (
    DEFAULT_K,
    DEFAULT_START,
    AverageRatings,
    Elo,
    Game,
    average_ratings,
    elo_ratings,
    expected_score,
    rate_in_orders,
    update_ratings,
)
from theory.ratings._games import Scores
from theory.ratings._means import mean_scores
from theory.ratings._resampled import resampled_strengths
from theory.ratings._results import (
    MeanScores,
    NoiseFloor,
    OrderAverage,
    Ratings,
    SkillRatings,
    StrengthRatings,
)
from theory.ratings._runs import SequentialModel
from theory.ratings._seats import balanced_seats
from theory.ratings._sequential import (
    average_over_orders,
    noise_floor,
    shuffled_floor,
    trueskill_ratings,
)
from theory.ratings._trueskill import TrueSkill

__all__ = [
    "DEFAULT_K",
    "DEFAULT_START",
    "AverageRatings",
    "Elo",
    "Game",
    "MeanScores",
    "NoiseFloor",
    "OrderAverage",
    "Ratings",
    "Scores",
    "SequentialModel",
    "SkillRatings",
    "StrengthRatings",
    "TrueSkill",
    "average_over_orders",
    "average_ratings",
    "balanced_seats",
    "bradley_terry",
    "elo_ratings",
    "expected_score",
    "mean_scores",
    "noise_floor",
    "rate_in_orders",
    "resampled_strengths",
    "shuffled_floor",
    "trueskill_ratings",
    "update_ratings",
]
