"""External, internal and swap regret of a history of play, each with its best deviation.

A play is a mixed strategy a round, and what it regrets is judged against the rewards that came:
:func:`regret` where actions are listed, exactly on rationals; :func:`regret_on` where they are too
many to list; :func:`regret_series` and :func:`regret_series_on` as the rounds go by. Internal
regret alone says nothing where actions outnumber rounds, so the three come together.
"""

from theory.regret._large_sets import regret_on
from theory.regret._listed_actions import regret
from theory.regret._result import (
    ConditionalGap,
    ExternalRegret,
    InternalRegret,
    Regret,
    SwapRegret,
)
from theory.regret._series import RegretSeries, regret_series
from theory.regret._series_large_sets import regret_series_on
from theory.regret._vacuity import internal_regret_warning

__all__ = [
    "ConditionalGap",
    "ExternalRegret",
    "InternalRegret",
    "Regret",
    "RegretSeries",
    "SwapRegret",
    "internal_regret_warning",
    "regret",
    "regret_on",
    "regret_series",
    "regret_series_on",
]
