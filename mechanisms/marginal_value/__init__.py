"""The marginal-value mechanism of volition, Definition 4.1, run over abstract informants and judge.

:func:`run_marginal_value` asks informants in turn, notes what the judge would do after each move,
and pays each move with hindsight; :func:`marginal_value` is the rules that it follows, stepped.
Anything with the methods of :class:`~mechanisms.protocols.Informant` or
:class:`~mechanisms.protocols.Judge` takes part; :func:`run_game` runs a
:class:`~theory.marginal_value.MarginalValueGame`, and :func:`watch_marginal_value` records a run
for :func:`~theory.incentives.protocols.check_protocol`.
"""

from mechanisms.marginal_value._answers import Move, Opinion, Price, Utilities
from mechanisms.marginal_value._errors import InformantError, JudgeError, PricingError
from mechanisms.marginal_value._informants import (
    EquilibriumInformant,
    GreedyInformant,
    MarketMakingInformant,
    RandomInformant,
)
from mechanisms.marginal_value._judges import BayesianJudge, TableJudge
from mechanisms.marginal_value._record import MarginalValueRecord, marginal_value_record
from mechanisms.marginal_value._rules import (
    JUDGE,
    Settlement,
    ToJudge,
    ToPrice,
    ToReveal,
    marginal_value,
)
from mechanisms.marginal_value._run import run_game, run_marginal_value
from mechanisms.marginal_value._watch_marginal_value import watch_marginal_value

__all__ = [
    "JUDGE",
    "BayesianJudge",
    "EquilibriumInformant",
    "GreedyInformant",
    "InformantError",
    "JudgeError",
    "MarginalValueRecord",
    "MarketMakingInformant",
    "Move",
    "Opinion",
    "Price",
    "PricingError",
    "RandomInformant",
    "Settlement",
    "TableJudge",
    "ToJudge",
    "ToPrice",
    "ToReveal",
    "Utilities",
    "marginal_value",
    "marginal_value_record",
    "run_game",
    "run_marginal_value",
    "watch_marginal_value",
]
