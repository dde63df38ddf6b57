"""Three kinds of number behind one interface, with no silent cast between them.

A definition in ``theory`` is written once, against :class:`Numbers`, and runs on

* :class:`Exact`: rationals, as integer numerators over one common denominator;
* :class:`ClosedForms`: rationals plus logarithms and square roots of rationals, kept symbolically,
  with decidable comparisons and certified enclosures;
* :class:`Balls`: certified balls, for everything else; a comparison they cannot decide raises
  :class:`~theory.errors.UndecidedError` until :func:`refine` has raised the precision enough;
* :class:`Floats`: float64.

:func:`as_numbers` picks the kind from what it is given.
"""

from theory.numbers._infer import as_numbers
from theory.numbers.balls import Balls, refine
from theory.numbers.base import Numbers, Scalar
from theory.numbers.closed_form import ClosedForm, ClosedForms, log, sqrt
from theory.numbers.exact import Exact
from theory.numbers.floats import Floats
from theory.numbers.interval import Interval
from theory.numbers.reading import rational

__all__ = [
    "Balls",
    "ClosedForm",
    "ClosedForms",
    "Exact",
    "Floats",
    "Interval",
    "Numbers",
    "Scalar",
    "as_numbers",
    "log",
    "rational",
    "refine",
    "sqrt",
]
