"""Definitions, exact solvers and checkers: pure functions of their arguments."""

import sys as _sys

from theory.shared.printing import make_printable as _make_printable

_make_printable(_sys.stdout)  # so that reports can be printed under every encoding
