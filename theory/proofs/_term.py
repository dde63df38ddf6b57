"""Terms: rational functions of the symbols, whose comparisons the tracer answers."""

from __future__ import annotations

import fractions
import sys
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from math import comb, isfinite, isnan
from numbers import Integral, Number
from operator import add, mul, sub
from os.path import dirname, join
from types import FrameType
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn, TypeGuard

import numpy as np

from theory._frames import running_module
from theory.errors import ExactnessError
from theory.numbers.objects import ObjectNumbers
from theory.shared.shapes import Bool

if TYPE_CHECKING:
    from sympy.polys.fields import FracElement

    from theory.proofs._tracer import Tracer

__all__ = ["Symbols", "Term", "asking_frame", "compute", "running"]

_COMPUTE: Final = "trace code that computes with its reports and compares them"
_KINDS: Final = "prove a function that asks for no kinds, as isinstance and Fraction(report) do"
_ROOT: Final = dirname(dirname(dirname(__file__)))
_OURS: Final = (join(_ROOT, "theory", ""), join(_ROOT, "papers", ""))
"""Where code stands that may look into a term."""

_PACKAGES: Final = ("theory.", "papers.")
"""The modules that such code runs in."""

_PLAIN: Final = frozenset({int, bool, Fraction, float, np.float64})
"""The kinds of numbers that compute as they are known to; those derived from them need not."""

_ARITHMETIC: Final = frozenset(
    {"forward", "reverse", "_richcmp", "__eq__", "__lt__", "__gt__", "__le__", "__ge__", "__pow__"}
)
"""The functions of fractions that ask for the kind of what they compute with."""

_MOST: Final = 256
"""The highest power of a term that is computed; each is a polynomial of that degree."""
_MOST_SUMMANDS: Final = 2_000
"""The most summands that a power may have; ten times as many pairs are multiplied."""

_BETWEEN: Final = frozenset({"abc", "jaxtyping._decorator"})
"""Modules that ask for whoever calls them."""

_CHECKING: Final = ("jaxtyping.", "beartype.")
"""Modules that check types while tests run, and ask of everything whether it is an array."""

_HOOKS: Final = frozenset(
    {
        "asking_frame",
        "_is_between",
        "__getattribute__",
        "__setattr__",
        "__eq__",
        "__repr__",
        "__instancecheck__",
        "__subclasscheck__",
    }
)
"""The functions of this file that Python calls for whoever asks."""


Operation = Callable[[Any, Any], Any]


@lru_cache(maxsize=1 << 12)
def compute(operation: Operation, a: FracElement, b: FracElement) -> Any:
    """Return what an operation makes of two elements; each path of a run asks for the same."""
    return operation(a, b)


def asking_frame() -> FrameType | None:
    """Return the frame that asks a term for something, or None where it is one of this library.

    A module of this library that runs foreign code says so by a global, RUNS_FOREIGN_CODE: what it
    asks, that code asks. Frames of ``abc`` are passed over: they ask for whoever calls
    ``isinstance``. Fractions ask for the kind of what they are added to, and that is what
    arithmetic is; a fraction that is made of a term is the question of its caller.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_between(frame):
        frame = frame.f_back
    if frame is None:
        return None
    name, module = frame.f_code.co_filename, running_module(frame)
    if name == fractions.__file__ and frame.f_code.co_name in _ARITHMETIC:
        return None if module == "fractions" else frame
    ours = name.startswith(_OURS) and module.startswith(_PACKAGES)
    return None if ours and "RUNS_FOREIGN_CODE" not in frame.f_globals else frame


def _is_between(frame: FrameType) -> bool:
    code = frame.f_code
    if code.co_filename == __file__:
        return code.co_name in _HOOKS and frame.f_globals is globals()
    return running_module(frame) in _BETWEEN or code.co_filename.startswith("<@beartype(")


class Kind(type):
    """The class of the class of terms: what code asks of ``type(term)`` is noticed, too."""

    running: ClassVar[list[Tracer]] = []
    """The tracers that run foreign code now, the innermost last."""

    def _notice(cls, what: str) -> None:
        if Kind.running:
            problem = f"was asked for its class, and that for {what}"
            error = ExactnessError("term", "a symbol", problem, _KINDS)
            Kind.running[-1].refuse(error)

    def __getattribute__(cls, name: str) -> Any:
        if Kind.running and not name.startswith("__array") and asking_frame() is not None:
            type.__getattribute__(cls, "_notice")(name)
        return type.__getattribute__(cls, name)

    def __eq__(cls, other: object) -> bool:
        if Kind.running and asking_frame() is not None:
            type.__getattribute__(cls, "_notice")("whether it is another")
        return cls is other

    def __hash__(cls) -> int:
        """Return that of fractions: a table of kinds is then asked whether the two are equal."""
        if Kind.running and asking_frame() is not None:
            type.__getattribute__(cls, "_notice")("a place in a table")
        return hash(Fraction)

    def __repr__(cls) -> str:
        if Kind.running and asking_frame() is not None:
            type.__getattribute__(cls, "_notice")("its name")
        return type.__repr__(cls)

    def __instancecheck__(cls, instance: object) -> bool:
        if Kind.running and asking_frame() is not None:
            type.__getattribute__(cls, "_notice")("an instance")
        return type.__instancecheck__(cls, instance)

    def __subclasscheck__(cls, subclass: type) -> bool:
        if Kind.running and asking_frame() is not None:
            type.__getattribute__(cls, "_notice")("a subclass")
        return type.__subclasscheck__(cls, subclass)


def running() -> Tracer | None:
    """Return the tracer that runs foreign code now; None if none does."""
    return Kind.running[-1] if Kind.running else None


class Term(metaclass=Kind):
    """A rational function of the symbols; it computes with its like and with rationals.

    Code that is traced can add, multiply and compare terms. Whatever else it asks one for, such as
    an attribute, its size, text or hash, is noticed: the run proves nothing, whether or not the
    code catches the error that it gets. In foreign code (:class:`Tracer`) so is its class.
    """

    __slots__ = ("element", "rounded", "tracer")
    element: FracElement
    tracer: Tracer
    rounded: bool
    """Whether it is a number without symbols, of which floats may have made another."""

    def __init__(self, element: FracElement, tracer: Tracer, *, rounded: bool = False) -> None:
        _set_element(self, element)
        _set_tracer(self, tracer)
        _set_rounded(self, rounded)

    def __getattribute__(self, name: str) -> Any:
        known = name == "__deepcopy__" or not _tracer(self).foreign
        asking = None if known else asking_frame()
        if asking is None:
            return object.__getattribute__(self, name)
        if name.startswith("__array"):  # asked by NumPy of everything; no number has any
            if not running_module(asking).startswith(_CHECKING):
                _tracer(self).met_arrays = True  # entries may round, or wrap
            raise AttributeError(f"a term has no {name}", name=name, obj=self)
        what = "class" if name == "__class__" else name
        _refuse(self, f"was asked for its {what}", fix=_KINDS if name == "__class__" else _COMPUTE)
        if name == "__class__":
            return Term
        raise AttributeError(f"a term has no {name}", name=name, obj=self)

    def _unknown(self, *_: object) -> NoReturn:
        problem = "is a number that is not known: it can be added, multiplied and compared"
        raise _refuse(self, problem)

    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __divmod__ = __rdivmod__ = _unknown
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __invert__ = _unknown
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _unknown
    __rpow__ = __round__ = __trunc__ = __floor__ = __ceil__ = _unknown
    __int__ = __index__ = __float__ = __complex__ = __bytes__ = _unknown

    def __hash__(self) -> int:
        problem = "a term cannot be a key: whether it equals another depends on the path"
        error = TypeError(f"{problem}; keep reports in a list, and find them by index")
        _tracer(self).refuse(error)
        raise error

    def __sizeof__(self) -> int:
        raise _refuse(self, "was asked for its size")

    def __dir__(self) -> NoReturn:
        raise _refuse(self, "was asked for what it knows")

    def __setattr__(self, name: str, value: object) -> None:
        if _tracer(self).foreign and asking_frame() is not None:
            raise _refuse(self, f"was given {name}")
        object.__setattr__(self, name, value)

    def __deepcopy__(self, memo: object) -> Term:
        return self

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise _refuse(self, "was asked for its parts")

    def __add__(self, other: object, /) -> Term:
        operand = _operand(self, other)
        return NotImplemented if operand is None else _by(self, add, _element(self), operand)

    __radd__ = __add__

    def __mul__(self, other: object, /) -> Term:
        operand = _operand(self, other)
        if operand is None:
            return NotImplemented
        if len(_element(self).numer) * len(operand.numer) > 10 * _MOST_SUMMANDS:
            raise _refuse(self, "is multiplied by a polynomial, and both have many summands")
        return _by(self, mul, _element(self), operand)

    __rmul__ = __mul__

    def __sub__(self, other: object, /) -> Term:
        operand = _operand(self, other)
        return NotImplemented if operand is None else _by(self, sub, _element(self), operand)

    def __rsub__(self, other: object, /) -> Term:
        operand = _operand(self, other)
        return NotImplemented if operand is None else _by(self, sub, operand, _element(self))

    def __truediv__(self, other: object, /) -> Term:
        operand = _operand(self, other)
        if operand is None:
            return NotImplemented
        return _make_term(_tracer(self).quotient(_element(self), operand), self)

    def __rtruediv__(self, other: object, /) -> Term:
        operand = _operand(self, other)
        if operand is None:
            return NotImplemented
        return _make_term(_tracer(self).quotient(operand, _element(self)), self)

    def __neg__(self) -> Term:
        return Term(-_element(self), _tracer(self), rounded=_rounded(self))

    def __pos__(self) -> Term:
        return self

    def __abs__(self) -> Term:
        return self if self > 0 else -self

    def __pow__(self, exponent: object, modulus: object = None, /) -> Term:
        if type(exponent) is not int or exponent < 0 or modulus is not None:
            raise _refuse(self, "is raised to a power that is no whole number of at least 0")
        if exponent > _MOST:
            raise _refuse(self, f"is raised to a power above {_MOST}")
        parts = max(len(_element(self).numer), len(_element(self).denom))
        if comb(exponent + parts - 1, exponent) > _MOST_SUMMANDS and exponent:
            raise _refuse(self, "is raised to a power of many summands")
        element = _element(self) ** exponent if exponent else _tracer(self).constant(1)
        return _make_term(element, self)

    def __gt__(self, other: object, /) -> bool:
        if _is_infinite(other, self):
            return other < 0
        operand = _operand(self, other)
        if operand is None:
            return NotImplemented
        return _decide_above_zero(self, other, compute(sub, _element(self), operand))

    def __lt__(self, other: object, /) -> bool:
        if _is_infinite(other, self):
            return other > 0
        operand = _operand(self, other)
        if operand is None:
            return NotImplemented
        return _decide_above_zero(self, other, compute(sub, operand, _element(self)))

    def __ge__(self, other: object, /) -> bool:
        if _is_infinite(other, self):
            return other < 0
        return NotImplemented if _operand(self, other) is None else not self < other

    def __le__(self, other: object, /) -> bool:
        if _is_infinite(other, self):
            return other > 0
        return NotImplemented if _operand(self, other) is None else not self > other

    def __eq__(self, other: object, /) -> bool:
        if _is_infinite(other, self):
            return False
        known = _operand(self, other) is not None
        return not (self > other or self < other) if known else NotImplemented

    def __bool__(self) -> bool:
        return self != 0

    def sign(self) -> int:
        """Sign on the path being traced."""
        return 1 if self > 0 else -1 if self < 0 else 0

    @property
    def known(self) -> Fraction | None:
        """The number that it is; None where a symbol is in it."""
        element = _element(self)
        if not _is_ground(element):
            return None
        top, bottom = (Fraction(int(c.numerator), int(c.denominator)) for c in _parts(element))
        return top / bottom

    def __str__(self) -> str:
        """Return the formula; code that reads it while it is traced learns what no number says."""
        _refuse(self, "became text")
        return _text(self)

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


_element: Final[Callable[[Term], FracElement]] = Term.__dict__["element"].__get__
_tracer: Final[Callable[[Term], Tracer]] = Term.__dict__["tracer"].__get__
_set_element: Final[Callable[[Term, FracElement], None]] = Term.__dict__["element"].__set__
_rounded: Final[Callable[[Term], bool]] = Term.__dict__["rounded"].__get__
_set_rounded: Final[Callable[[Term, bool], None]] = Term.__dict__["rounded"].__set__
_set_tracer: Final[Callable[[Term, Tracer], None]] = Term.__dict__["tracer"].__set__


def _text(term: Term) -> str:
    return str(_element(term).as_expr())


def _refuse(
    term: Term, problem: str, value: object = None, *, fix: str = _COMPUTE
) -> ExactnessError:
    """Return what to raise, and see to it that a run that goes on proves nothing."""
    shown = _text(term) if value is None else value
    error = ExactnessError("term" if value is None else "operand", shown, problem, fix)
    _tracer(term).refuse(error)
    return error


def _by(term: Term, operation: Operation, a: FracElement, b: FracElement) -> Term:
    return _make_term(compute(operation, a, b), term)


def _make_term(element: FracElement, term: Term) -> Term:
    """Return what arithmetic makes with a term."""
    tracer = _tracer(term)
    return Term(element, tracer, rounded=tracer.met_floats and _is_ground(element))


def _is_ground(element: FracElement) -> bool:
    return bool(element.numer.is_ground and element.denom.is_ground)


def _parts(element: FracElement) -> tuple[Any, Any]:
    zero = element.numer.ring.domain.zero
    return element.numer.get(element.numer.ring.zero_monom, zero), element.denom.LC


def _decide_above_zero(term: Term, other: object, difference: FracElement) -> bool:
    """Whether a difference is above zero; floats may see it otherwise where no symbol is in it."""
    tracer = _tracer(term)
    rounded = _rounded(term) or (isinstance(other, Term) and _rounded(other))
    if rounded and tracer.foreign and _is_ground(difference):
        raise _refuse(term, "is a number that floats may round, and is compared with one")
    return tracer.decide(difference)


def _is_infinite(other: object, term: Term) -> TypeGuard[float]:
    if type(other) not in (float, np.float64) or not isinstance(other, float):
        return False
    if isfinite(other) or isnan(other):
        return False
    _tracer(term).met_floats = True
    return True


def _operand(term: Term, other: object) -> FracElement | None:
    """Return the other operand as an element; None where it is no number.

    In foreign code a finite float is the rational that it stands for: what is traced is then what
    the code does in exact arithmetic.
    """
    if isinstance(other, Term):
        return _element(other)
    tracer = _tracer(term)
    if isinstance(other, int | Fraction | np.integer):
        if tracer.foreign and type(other) not in _PLAIN:  # it may have rules of its own, or wrap
            raise _refuse(term, f"is a {type(other).__name__}, and no plain int or Fraction", other)
        return tracer.constant(other if isinstance(other, Fraction) else int(other))
    if isinstance(other, Integral):
        if tracer.foreign:
            raise _refuse(term, f"is a {type(other).__name__}, and no plain int", other)
        return tracer.constant(int(other))
    if isinstance(other, float | np.floating):
        if not tracer.foreign:
            raise _refuse(term, "is a float", other)
        if type(other) not in _PLAIN:
            raise _refuse(term, f"is a {type(other).__name__}, and no plain float", other)
        if not isfinite(other):
            raise _refuse(term, "is a float, and no finite number", other)
        tracer.met_floats = True
        tracer.met_arrays |= type(other) is np.float64  # which goes on where a float raises
        return tracer.constant(Fraction(float(other)))
    is_container = isinstance(other, Iterable) and not isinstance(other, str | bytes | np.ndarray)
    if is_container and tracer.foreign and tracer.met_arrays:
        raise _refuse(term, "meets a container, of which NumPy's numbers make an array", other)
    number = isinstance(other, Number) or hasattr(type(other), "__complex__")
    if number and not isinstance(other, np.ndarray):
        raise _refuse(term, "is no integer and no fraction", other)
    return None


class Symbols(ObjectNumbers):
    """An array of terms and rationals, on which a definition is traced.

    Of several maximisers the first alone is marked: what is traced is which one the rule "lowest
    index" picks, not how many there are.
    """

    kind: ClassVar[str] = "symbolic"

    @classmethod
    def lift(cls, value: Any) -> Fraction:
        """Return a rational as it is; terms and rationals stand side by side."""
        return Fraction(value)

    def sign(self, element: Any) -> int:
        """Sign of one element on the path being traced."""
        return 1 if element > 0 else -1 if element < 0 else 0

    def maximisers(self, slack: Any = 0.0) -> Bool[np.ndarray, "rows columns"]:
        """Mark the first maximiser of each column; a comparison splits the path in two."""
        del slack
        marks = np.zeros(self.shape, dtype=bool)
        for j, column in enumerate(self.values.T):
            best = 0
            for i in range(1, len(column)):
                if column[i] > column[best]:
                    best = i
            marks[best, j] = True
        return marks
