"""What code must not use where it is proved, because it tells more than values do."""

from __future__ import annotations

import builtins
import decimal
import fractions
import operator
import sys
from fractions import Fraction
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, Final

import numpy as np

__all__ = [
    "CLOCKS",
    "forbidden",
    "forbidden_at",
    "forbidden_import",
    "forbidden_routine",
    "is_librarys",
    "is_telling",
    "member",
]

CLOCKS: Final = ("now", "today")
"""Texts that NumPy reads as the time at which it reads them."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MODULES: Final = _words(
    """
    abc bisect builtins cmath collections dataclasses decimal enum fractions functools heapq
    itertools math numbers numpy operator re statistics string typing __future__
    _abc _bisect _collections _collections_abc _functools _heapq _operator _statistics
    """
)
"""Modules of Python, and NumPy, that compute and do nothing else; those of others are followed."""

_FOLLOWED: Final = _words("copy contextlib pprint textwrap types reprlib")
"""Modules of Python written in Python, whose code is watched like the user's."""

_BUILTINS: Final = _words(
    """
    type id hash vars dir globals locals getattr setattr delattr eval exec compile open input repr
    ascii memoryview breakpoint issubclass __import__
    """
)
_FUNCTIONS: Final[tuple[object, ...]] = (
    *(getattr(builtins, name) for name in sorted(_BUILTINS)),
    operator.is_,
    operator.is_not,
    operator.attrgetter,
    operator.methodcaller,
    operator.length_hint,
    decimal.getcontext,
    decimal.setcontext,
    decimal.localcontext,
)
"""What tells objects apart by more than their values, or reaches what is not passed on."""
_BY_ID: Final = {id(function): function for function in _FUNCTIONS}

_ATTRIBUTES: Final = _words(
    """
    tb_frame tb_next tb_lasti f_back f_locals f_globals f_builtins f_code f_lasti f_lineno
    gi_frame gi_code cr_frame ag_frame ctypes random default_rng
    dtype hasobject itemsize nbytes strides flags base tobytes tostring view byteswap getfield dump
    dumps newbyteorder setflags tofile
    """
)
_SPECIAL: Final = _words(
    """
    __init__ __post_init__ __new__ __call__ __len__ __getitem__ __setitem__ __contains__ __iter__
    __next__ __missing__ __enter__ __exit__ __doc__ __setattr__
    """
)
"""Attributes between double underscores that code may ask for: it is no question of a kind."""

_NUMPY: Final = _words(
    """
    abs absolute add all amax amin any append arange argmax argmin argsort array array_equal asarray
    atleast_1d atleast_2d bool_ broadcast_to ceil clip column_stack concatenate count_nonzero cumsum
    cumprod delete diag diff divide dot e einsum empty equal exp expand_dims eye fill_diagonal
    flatnonzero flip float32 float64 floor floor_divide full full_like generic greater greater_equal
    hstack identity inf inner insert int16 int32 int64 int8 integer intp isin ix_ less less_equal
    lexsort log logical_and logical_not logical_or logical_xor logaddexp matmul max maximum mean
    meshgrid median min minimum mod multiply nan ndarray ndim negative newaxis nonzero not_equal
    number object_ ones ones_like outer pi power prod put_along_axis ravel remainder repeat reshape
    resize roll searchsorted shape sign size sort sqrt square squeeze stack subtract sum take
    take_along_axis tensordot tile trace transpose tril triu true_divide unique vdot vstack where
    zeros zeros_like
    """
)
"""What NumPy computes and does nothing else."""


_ARRAYS: Final = _words(
    """
    all any argmax argmin argsort astype choose clip compress copy cumprod cumsum diagonal dot fill
    flatten item max mean min nonzero partition prod put ravel repeat reshape resize searchsorted
    sort squeeze sum swapaxes take tolist trace transpose
    """
)


def is_telling(name: str, code: CodeType) -> bool:
    """Whether an attribute tells more than values do; code that dataclasses write asks for some."""
    if name in _ATTRIBUTES:
        return True
    if not (name.startswith("__") and name.endswith("__")) or name in _SPECIAL:
        return False
    return not (name == "__class__" and code.co_filename == "<string>")


def forbidden(thing: object) -> str:
    """Return what an object is that code must not use where it is proved; empty where it may."""
    if id(thing) in _BY_ID:
        return f"{getattr(thing, '__name__', thing)}, which tells more than a value"
    if isinstance(thing, ModuleType):
        if thing is builtins:
            return "the module builtins, whose functions tell more than values"
        return _module(thing.__name__)
    if _is_method_of_numbers(thing):
        return "a method of numbers, which tells kinds"
    if isinstance(thing, BuiltinFunctionType):
        home = thing.__module__ or type(thing.__self__).__module__
    elif isinstance(thing, type):
        home = thing.__module__
    else:
        home = type(thing).__module__
    if not isinstance(home, str):
        return ""
    named = isinstance(thing, type | BuiltinFunctionType | np.ufunc)
    if named and home.partition(".")[0] == "numpy" and _name_of(thing) not in _NUMPY:
        return f"numpy.{_name_of(thing)}, of which it is not known that it only computes"
    return _module(home)


def _name_of(thing: Any) -> str:
    return str(getattr(thing, "__name__", ""))


def _is_method_of_numbers(thing: object) -> bool:
    """Whether something is a method of a kind of numbers, apart from its operator."""
    if isinstance(thing, MethodType):
        return isinstance(thing.__self__, int | float | Fraction | complex)
    if isinstance(thing, MethodWrapperType | BuiltinFunctionType):
        owner: object = getattr(thing, "__self__", None)
        return isinstance(owner, int | float | Fraction | complex)
    if isinstance(thing, WrapperDescriptorType | MethodDescriptorType):
        return thing.__objclass__ in (*_NUMBERS, object)
    return isinstance(thing, FunctionType) and thing.__code__.co_filename == fractions.__file__


_NUMBERS: Final = (int, bool, float, complex, Fraction)


def member(thing: object, chain: tuple[str, ...]) -> object:
    """Return what attributes lead to from a module or a class; None where they lead on from it."""
    for name in chain[1:]:
        if not isinstance(thing, ModuleType | type):
            return None
        thing = vars(thing).get(name)
    return thing


def forbidden_at(thing: object, chain: tuple[str, ...]) -> str:
    """Say what is forbidden of a name, or of what its attributes lead to from a module."""
    if len(chain) == 1:
        return forbidden(thing)
    home = member(thing, chain[:-1])
    if any(home is kind for kind in _NUMBERS):
        return f"{chain[-2]}.{chain[-1]}, a method of numbers, which tells kinds"
    if not isinstance(home, ModuleType):
        return ""
    found = member(home, chain[-2:])
    if home.__name__.partition(".")[0] == "numpy" and not isinstance(found, ModuleType):
        if chain[-1] not in _NUMPY:
            return f"numpy.{chain[-1]}, of which it is not known that it only computes"
        return ""
    return forbidden(found)


def forbidden_import(name: str) -> str:
    """Say what is forbidden of a module that code imports while it runs."""
    if name not in sys.modules:
        return f"{name}, which is not yet imported"
    return forbidden(sys.modules[name])


def is_librarys(module: str) -> bool:
    """Whether a module is Python's own, or of a library whose code is not watched."""
    root = module.partition(".")[0]
    return root in _UNWATCHED or (root in sys.stdlib_module_names and root != "__main__")


_UNWATCHED: Final = frozenset({"theory", "numpy", "sympy", "jaxtyping", "beartype"})


def _module(name: str) -> str:
    root = name.partition(".")[0]
    if name.startswith("numpy.random") or root == "secrets":
        return f"{name}, which draws at random"
    if root in sys.stdlib_module_names and root not in _MODULES and root not in _FOLLOWED:
        return f"{name}, into which a trace does not see"
    return ""


def forbidden_routine(function: Any) -> str:
    """Return what a function of compiled code is, where no proof may rest on it."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ndarray | np.generic):
        name = _name_of(function)
        return "" if name in _ARRAYS else f"the method {name} of an array, which tells its bytes"
    told = "" if isinstance(owner, int | float | complex | Fraction) else forbidden(function)
    if told:
        return told
    if owner is None or isinstance(owner, ModuleType):
        home = str(getattr(function, "__module__", None) or getattr(owner, "__name__", ""))
    else:
        home = (owner if isinstance(owner, type) else type(owner)).__module__
    root = home.partition(".")[0]
    if root in _MODULES:
        return ""
    name = getattr(function, "__name__", function)
    if root in sys.stdlib_module_names:
        return f"{home}.{name}, into which a trace does not see"
    if isinstance(owner, ModuleType):
        return f"{root}.{name}, compiled code into which a trace does not see"
    return ""
