"""What passages that state facts are worth to who may buy them, in exact arithmetic.

:func:`best_set` is the best purchase within a budget; its gap is recomputed by other means.
"""

from theory.purchases._best_set import BestSet, best_set
from theory.purchases._recheck import count_recheck
from theory.purchases._shelf import Shelf, read_shelf

__all__ = ["BestSet", "Shelf", "best_set", "count_recheck", "read_shelf"]
