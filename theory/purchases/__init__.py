"""What passages that state facts are worth to who may buy them, in exact arithmetic.

:func:`best_set` is the best purchase within a budget; its gap is recomputed by other means.
:func:`title_values` is what inspection adds to titles that are wrong at a rate;
:func:`best_prices` are the prices that earn the most from a population of buyers.
"""

from theory.purchases._best_prices import MAX_PURCHASES, BestPrices, Customer, best_prices
from theory.purchases._best_set import BestSet, best_set
from theory.purchases._recheck import count_recheck
from theory.purchases._shelf import Shelf, read_shelf
from theory.purchases._titles import MAX_CELLS, Outcome, TitleValues, title_values

__all__ = [
    "MAX_CELLS",
    "MAX_PURCHASES",
    "BestPrices",
    "BestSet",
    "Customer",
    "Outcome",
    "Shelf",
    "TitleValues",
    "best_prices",
    "best_set",
    "count_recheck",
    "read_shelf",
    "title_values",
]
