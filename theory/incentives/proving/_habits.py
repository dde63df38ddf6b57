"""What the mechanism itself does with symbols, before any call with numbers and after many.

Code may keep what it is told: in an attribute, in a mutable default, in a cache. What it learnt
from the first numbers would then stand in the trace as if it were part of the rule. So the first
call of all is one with symbols, and the last ones are a second trace, which must be the same.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import islice, product
from types import FunctionType, MethodType
from typing import Any, Final

from theory.incentives._expectation import InExpectation
from theory.incentives._global_random import global_random_state
from theory.incentives._mechanism import is_seeded, rule_of
from theory.incentives._record import Profile, Record
from theory.incentives._setting import Setting
from theory.incentives.proving._arrays import followed
from theory.incentives.proving._cases import MAX_CONDITIONS, MAX_NUMBERS
from theory.incentives.proving._forms import Form, forms
from theory.incentives.proving._symbolic import read_terms
from theory.incentives.proving._untraced import Untraced, untraced_by
from theory.incentives.proving._watching import whole
from theory.incentives.proving._whose import is_of_a_library
from theory.proofs import Polynomial, Term, Tracer

__all__ = ["Habits", "habits", "unchanged"]

Habits = tuple[tuple[Any, ...], ...]

_PATHS: Final = 1024
_CHOICES: Final = 4


def habits(setting: Setting, rule: Callable[[Profile], Any]) -> Habits:
    """Return the comparisons and outcomes of a rule's first paths, as data of no tracer.

    Raises
    ------
    Untraced
        Where the rule cannot be followed over symbols.
    """
    if is_seeded(rule_of(setting.mechanism)):
        raise Untraced("the mechanism takes a generator: a proof would be of one seed")
    _refuse_answers(setting.mechanism)
    with global_random_state(setting.seed) as moved:
        sides = [list(forms(space, f"t{i}")) for i, space in enumerate(setting.spaces)]
        choices = (told for told in product(*sides) if any(form.names for form in told))
        found = tuple(_followed(told, rule) for told in islice(choices, _CHOICES))
    if moved:
        raise Untraced(f"the mechanism draws from {' and '.join(moved)}")
    return found


def _refuse_answers(mechanism: Any) -> None:
    """Raise where what a mechanism is depends on who asks: by a property, or by ``__getattr__``."""
    if isinstance(mechanism, FunctionType | MethodType):
        return
    for base in type(mechanism).__mro__:
        for name in _ASKED if not is_of_a_library(base) else ():
            known = vars(base).get(name)
            if known is None or (name != "__getattr__" and isinstance(known, _PLAIN)):
                continue
            raise Untraced(f"{name} of {base.__name__} decides what its mechanism is")
    if isinstance(mechanism, InExpectation):
        _refuse_answers(mechanism.mechanism)


_ASKED: Final = ("__getattr__", "outcome", "value", "feasible", "alternatives", "__call__")
"""What is asked of mechanisms where nobody watches."""

_PLAIN: Final = (FunctionType, staticmethod, classmethod)


def unchanged(before: Habits, setting: Setting, rule: Callable[[Profile], Any]) -> None:
    """Raise where a rule does something else now."""
    if habits(setting, rule) != before:
        raise Untraced(
            "the code does something else with symbols than before it was run on numbers: it "
            "keeps something from earlier calls"
        )


def _followed(told: tuple[Form, ...], rule: Callable[[Profile], Any]) -> tuple[Any, ...]:
    names = tuple(name for form in told for name in form.names)
    if len(names) > MAX_NUMBERS:
        raise Untraced(f"types have more than {MAX_NUMBERS} numbers, the limit")
    tracer = Tracer(real=names, prune=True, foreign=True, conditions=MAX_CONDITIONS)
    for form in told:
        for bound in form.bounds(tracer.__getitem__):
            tracer.assume(bound)
    reports = tuple(form.build(tracer.__getitem__) for form in told)
    last: list[Any] = [None]

    def run() -> list[Fraction]:
        with followed(lambda problem: None, exact=True):
            returned = whole(rule)(reports)
        last[0] = _data(read_terms(returned, len(reports)))
        return [Fraction(0)]

    try:
        return tuple((path.conditions, last[0]) for path in islice(tracer.paths(run), _PATHS))
    except Exception as error:  # whatever a user's code raises when it meets a term
        raise untraced_by(error) from error


def _data(value: Any) -> Any:
    """Return an outcome with polynomials in the place of terms."""
    if isinstance(value, Term):
        return Polynomial.read(value.element.numer), Polynomial.read(value.element.denom)
    if isinstance(value, Record):
        return _data(value.support), _data(value.payments)
    return tuple(map(_data, value)) if isinstance(value, tuple) else value
