"""Blackwell's order of experiments, decided exactly and with a certificate either way.

>>> from theory.blackwell import Experiment, compare
>>> a = Experiment.of([["1/2", "1/2", 0], [0, "1/2", "1/2"]])
>>> b = Experiment.of([["4/5", "1/5"], ["1/5", "4/5"]])
>>> print(compare(a, b))
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
