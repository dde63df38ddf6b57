"""Blackwell's order of experiments, decided exactly and with a certificate either way.

>>> from theory.blackwell import Experiment, at_least_as_informative, compare
>>> erasing = Experiment.of([["1/2", "1/2", 0], [0, "1/2", "1/2"]])
>>> flipping = Experiment.of([["4/5", "1/5"], ["1/5", "4/5"]])
>>> str(compare(erasing, flipping).relation)
'incomparable'
>>> print(at_least_as_informative(erasing, flipping))
A is not at least as informative as B: B is worth more where an action pays
          0    1
────────  ───  ───
prior     1/2  1/2
action 0  1    -1
action 1  0    0
<BLANKLINE>
Value before the signal is seen
experiment  value
──────────  ─────
A           1/4
B           3/10
B less A    1/20
"""

from theory.blackwell._certificates import Garbling, Separation
from theory.blackwell._comparison import Comparison, Relation
from theory.blackwell._experiment import Experiment
from theory.blackwell._order import at_least_as_informative, compare

__all__ = [
    "Comparison",
    "Experiment",
    "Garbling",
    "Relation",
    "Separation",
    "at_least_as_informative",
    "compare",
]
