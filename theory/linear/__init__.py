"""Linear programs over the rationals, with certificates that separate code has checked.

>>> from theory.linear import minimise, solve
>>> print(solve(minimise([1, 1], [([1, 2], ">=", "3/2"), ([3, 1], ">=", 2)])))
optimal (recheck: gap 0)
  value: 1
  x: (1/2, 1/2)
  y: (2/5, 1/5)
>>> print(solve(minimise([1], [([1], "<=", 1), ([1], ">=", 2)])))
infeasible (recheck: gap 0)
  Farkas vector: (1, -1)
"""

from theory.linear._program import Constraint, Direction, LinearProgram, Sense, maximise, minimise
from theory.linear._recheck import recheck
from theory.linear._solution import Certificate, CertificateError, Check, Solution, Status
from theory.linear._solve import MAX_ENTRIES, solve
from theory.linear.scale import coprime

__all__ = [
    "MAX_ENTRIES",
    "Certificate",
    "CertificateError",
    "Check",
    "Constraint",
    "Direction",
    "LinearProgram",
    "Sense",
    "Solution",
    "Status",
    "coprime",
    "maximise",
    "minimise",
    "recheck",
    "solve",
]
