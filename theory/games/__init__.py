"""Finite extensive games with chance, several players and any recall.

A tree is written with :func:`choice`, :func:`chance` and :func:`end`; :class:`Game` numbers it.
"""

from theory.games._backward_induction import BackwardInduction, backward_induction
from theory.games._beliefs import Beliefs, beliefs
from theory.games._best_reply import BestReply, best_reply, regrets, subgame_regrets
from theory.games._deviations import OneShotDeviations, one_shot_deviations
from theory.games._efg_reader import from_efg
from theory.games._efg_tokens import EfgError
from theory.games._efg_writer import to_efg
from theory.games._equilibrium import Concept, Equilibrium, Method, NoPureEquilibriumError
from theory.games._evaluation import (
    continuation_values,
    expected_payoffs,
    reach_probabilities,
)
from theory.games._game import Game, InformationSet, Node
from theory.games._mixed_equilibrium import ForgetfulError, mixed_equilibrium
from theory.games._pure_equilibria import pure_equilibria, pure_subgame_perfect, subgame_perfect
from theory.games._recall import AbsentMindedError, Recall, RecallKind, RecallWitness, recall
from theory.games._strategies import Behaviour, Mixed, Strategies
from theory.games._subgames import subgames
from theory.games._tree import Chance, Choice, End, Tree, chance, choice, end
from theory.games.ex_ante import Optimum, count_strategies, optimum

__all__ = [
    "AbsentMindedError",
    "BackwardInduction",
    "Behaviour",
    "Beliefs",
    "BestReply",
    "Chance",
    "Choice",
    "Concept",
    "EfgError",
    "End",
    "Equilibrium",
    "ForgetfulError",
    "Game",
    "InformationSet",
    "Method",
    "Mixed",
    "NoPureEquilibriumError",
    "Node",
    "OneShotDeviations",
    "Optimum",
    "Recall",
    "RecallKind",
    "RecallWitness",
    "Strategies",
    "Tree",
    "backward_induction",
    "beliefs",
    "best_reply",
    "chance",
    "choice",
    "continuation_values",
    "count_strategies",
    "end",
    "expected_payoffs",
    "from_efg",
    "mixed_equilibrium",
    "one_shot_deviations",
    "optimum",
    "pure_equilibria",
    "pure_subgame_perfect",
    "reach_probabilities",
    "recall",
    "regrets",
    "subgame_perfect",
    "subgame_regrets",
    "subgames",
    "to_efg",
]
