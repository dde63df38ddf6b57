"""Sets of actions too large to list, mixed strategies over them, and games between them.

An :class:`ActionSet` finds its best action, and draws from the softmax of rewards, from d numbers
a round, whatever its size: :class:`ListedActions`, :class:`Features`, :class:`Subsets`,
:class:`Paths`, :class:`Allocations`. Strategies are arrays, :class:`SparseStrategy` or
:class:`SoftmaxStrategy`. :class:`BilinearGame` is a game of two players over such sets, and
:func:`blotto` is one of them.
"""

from theory.actions._allocations import Allocations
from theory.actions._bilinear import BilinearGame
from theory.actions._blotto import blotto
from theory.actions._features import Features
from theory.actions._listed_actions import ListedActions
from theory.actions._mean import Strategy, mean_features
from theory.actions._paths import Paths
from theory.actions._protocol import Action, ActionSet, IndexedActionSet
from theory.actions._softmax import SoftmaxStrategy
from theory.actions._subsets import Subsets
from theory.actions.sparse import SparseStrategy

__all__ = [
    "Action",
    "ActionSet",
    "Allocations",
    "BilinearGame",
    "Features",
    "IndexedActionSet",
    "ListedActions",
    "Paths",
    "SoftmaxStrategy",
    "SparseStrategy",
    "Strategy",
    "Subsets",
    "blotto",
    "mean_features",
]
