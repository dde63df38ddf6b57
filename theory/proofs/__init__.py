"""Proofs by symbolic execution: the code that runs, traced over symbols, with certificates.

The definition runs on symbols instead of numbers (:class:`Symbols`). Each comparison whose answer
the hypotheses leave open splits the run in two, so that a run is a tree of paths; each path ends
with the conditions it assumed and a result. Whatever the numbers, the conditions of exactly one
path hold. What is left to show is plain data, an :class:`Obligation` a path: the conditions imply
that a polynomial is at least zero.

Obligations are decided by one function, :func:`decide`. By our own certificates: the polynomial is
a sum of conditions and hypotheses, and products of two of them, with rational coefficients of at
least zero; an exact linear program finds the coefficients, and SymPy expands the difference of the
two sides from scratch. Or by an SMT solver, z3 or cvc5, where it is installed.

What is proved holds for all real values of the symbols that meet the hypotheses, at the sizes
traced, of the very functions that were run.
"""

from theory.proofs._answer import SolverVerdict
from theory.proofs._certificate import Certificate
from theory.proofs._decide import (
    MAX_STEPS,
    SOLVERS,
    STEPS,
    check_solver,
    decide,
    installed_solvers,
)
from theory.proofs._equation import Equation, Summand, summands
from theory.proofs._identity import Identity
from theory.proofs._obligation import Obligation
from theory.proofs._path import Path
from theory.proofs._points import point_of
from theory.proofs._polynomial import Condition, Polynomial
from theory.proofs._proof import Proof
from theory.proofs._smtlib import smtlib
from theory.proofs._term import Symbols, Term, running
from theory.proofs._tracer import MAX_COMPARISONS, MAX_CONDITIONS, MAX_PATHS, Tracer

__all__ = [
    "MAX_COMPARISONS",
    "MAX_CONDITIONS",
    "MAX_PATHS",
    "MAX_STEPS",
    "SOLVERS",
    "STEPS",
    "Certificate",
    "Condition",
    "Equation",
    "Identity",
    "Obligation",
    "Path",
    "Polynomial",
    "Proof",
    "SolverVerdict",
    "Summand",
    "Symbols",
    "Term",
    "Tracer",
    "check_solver",
    "decide",
    "installed_solvers",
    "point_of",
    "running",
    "smtlib",
    "summands",
]
