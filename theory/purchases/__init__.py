"""What passages that state facts are worth to who may buy them, in exact arithmetic.

:func:`best_set` is the best purchase within a budget, :func:`best_set_gap` recomputes by other
means what is written of one.
"""

from theory.purchases._best_set import BestSet, Shelf, best_set, read_shelf
from theory.purchases._recheck import best_set_gap, count_recheck

__all__ = ["BestSet", "Shelf", "best_set", "best_set_gap", "count_recheck", "read_shelf"]
