"""The ex-ante optimum of a one-player game with any recall, with a certificate."""

from theory.games.ex_ante._certificate import Branch, Certificate, Closed, PriceList, Split
from theory.games.ex_ante._optimum import (
    CUT_LIMIT,
    MAX_ENTRIES,
    MAX_NODES,
    MAX_PASSES,
    count_strategies,
    optimum,
)
from theory.games.ex_ante._recheck import check
from theory.games.ex_ante._result import Optimum, Stats, Status

__all__ = [
    "CUT_LIMIT",
    "MAX_ENTRIES",
    "MAX_NODES",
    "MAX_PASSES",
    "Branch",
    "Certificate",
    "Closed",
    "Optimum",
    "PriceList",
    "Split",
    "Stats",
    "Status",
    "check",
    "count_strategies",
    "optimum",
]
