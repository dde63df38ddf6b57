"""Sets of actions too large to list, mixed strategies over them, and games between them.

An :class:`ActionSet` finds its best action, and draws from the softmax of rewards, from d numbers
a round, whatever its size: :class:`Listed`, :class:`Features`. Strategies are arrays,
:class:`SparseStrategy` or :class:`SoftmaxStrategy`; :class:`BilinearGame` is a game of two players
over such sets.
"""

from theory.actions._bilinear import BilinearGame
from theory.actions._features import Features
from theory.actions._listed import Listed
from theory.actions._mean import Strategy, mean_features
from theory.actions._protocol import Action, ActionSet, IndexedActionSet
from theory.actions._softmax import SoftmaxStrategy
from theory.actions._sparse import SparseStrategy

__all__ = [
    "Action",
    "ActionSet",
    "BilinearGame",
    "Features",
    "IndexedActionSet",
    "Listed",
    "SoftmaxStrategy",
    "SparseStrategy",
    "Strategy",
    "mean_features",
]
