"""Arguments of the wrong kind, refused by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import update_wrapper
from itertools import chain
from math import isfinite
from numbers import Integral, Real
from operator import index
from types import FrameType, FunctionType, NoneType, TracebackType, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from theory.errors import InvalidInputError, LimitError, MechproofError, NumberError

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "instance_of",
    "read_count",
    "read_finite",
    "read_generator",
    "read_nonnegative",
    "read_positive",
    "read_tuple",
    "refusing",
]

F = TypeVar("F", bound=Callable[..., Any])


def read_tuple(argument: str, given: object, fix: str = "give a list of names") -> tuple[Any, ...]:
    """Return what is given as a tuple.

    A text is no sequence of names: it would be read letter by letter.

    Raises
    ------
    InvalidInputError
        For a text, bytes, or what cannot be gone through.
    """
    if isinstance(given, str | bytes):
        raise InvalidInputError(argument, given, "is one text, not a list", fix)
    if not isinstance(given, Iterable):
        raise InvalidInputError(argument, given, "is not a list", fix)
    return tuple(given)


def instance_of(argument: str, given: object, kind: type | tuple[type, ...], fix: str) -> None:
    """Refuse what is not of a class, or of one of several.

    Raises
    ------
    InvalidInputError
        For anything else; ``fix`` says how one comes by the right thing.
    """
    try:
        fits = isinstance(given, kind)
    except Exception as error:  # its own code says what its class is
        raise InvalidInputError(argument, given, "has a false __class__", fix) from error
    if not fits:
        kinds = kind if isinstance(kind, tuple) else (kind,)
        names = " or ".join(each.__name__ for each in kinds)
        raise InvalidInputError(argument, given, f"is not a {names}", fix)


def read_count(
    argument: str, value: Any, least: int = 1, most: int | None = None, *, fix: str = ""
) -> int:
    """Return an integer of at least ``least``, those of NumPy too; booleans are none.

    What to do about anything else, ``fix`` may say better than "give an integer of at least 1".

    Raises
    ------
    InvalidInputError
        For anything else.
    LimitError
        For an integer above ``most``.

    Examples
    --------
    >>> read_count("rounds", 3)
    3
    >>> read_count("rounds", 0)
    Traceback (most recent call last):
    theory.errors.InvalidInputError: rounds is not a count (got 0): give an integer of at least 1
    """
    whole = issubclass(type(value), Integral) and type(value) is not bool
    count = index(value) if whole else least - 1
    if count < least:
        fix = fix or f"give an integer of at least {least}"
        raise InvalidInputError(argument, value, "is not a count", fix)
    if most is not None and count > most:
        limit = _limit_text(most)
        raise LimitError(argument, value, f"is above {limit}", f"give at most {limit}")
    return count


def _limit_text(most: int) -> str:
    """Write a limit, a large power of 10 or 2 as a power."""
    for base in (10, 2):
        power = len(str(most)) - 1 if base == 10 else most.bit_length() - 1
        if most >= 10**12 and base**power == most:
            return f"{base}^{power}"
    return f"{most:,}"


def read_positive(argument: str, value: Any) -> float:
    """Return a finite number above 0 as float64; booleans and texts are none.

    Raises
    ------
    NumberError
        For anything else, and for what float64 makes 0 or infinite.
    """
    number = _as_float(argument, value, "give a finite number above 0")
    if number <= 0:
        raise NumberError(argument, value, "is not positive", "give a finite number above 0")
    return number


def read_nonnegative(argument: str, value: Any) -> float:
    """Return a finite number of at least 0 as float64; booleans and texts are none.

    Raises
    ------
    NumberError
        For anything else.
    """
    fix = "give a finite number of at least 0"
    number = _as_float(argument, value, fix)
    if number < 0:
        raise NumberError(argument, value, "is negative", fix)
    return number


def read_finite(argument: str, value: Any) -> float:
    """Return a finite number as float64; booleans and texts are none.

    Raises
    ------
    NumberError
        For anything else.
    """
    return _as_float(argument, value, "give a finite number")


def _as_float(argument: str, value: Any, fix: str) -> float:
    if type(value) is bool or not issubclass(type(value), Real):
        raise NumberError(argument, value, "is not a number", fix)
    try:
        number = float(value)
    except OverflowError as error:
        raise NumberError(argument, value, "is larger than float64 holds", fix) from error
    if not isfinite(number):
        raise NumberError(argument, value, "is not finite", fix)
    return number


def read_generator(rng: Any, argument: str = "rng") -> np.random.Generator:
    """Return a generator of NumPy's.

    Raises
    ------
    InvalidInputError
        For anything else: no seed, and no global state.
    """
    import numpy as np

    if not issubclass(type(rng), np.random.Generator):
        fix = "give numpy.random.default_rng(seed)"
        raise InvalidInputError(argument, rng, "is no numpy.random.Generator", fix)
    generator: np.random.Generator = rng
    return generator


def raising(argument: str, given: object, error: Exception, fix: str) -> Exception:
    """Return what to raise where code that a user has given raises an error: one that names it.

    Errors of ours say already what they are about, and those of a process that is out of memory or
    stack are of nobody's code: they come back as they are.
    """
    if isinstance(error, MechproofError | MemoryError | RecursionError):
        return error
    try:
        told = repr(error)
    except Exception:  # a user's exception may not be able to speak
        told = f"a {type(error).__name__}"
    return InvalidInputError(argument, given, f"raises {told}", fix)


def refusing(wrapped: F) -> F:
    """Let a function, or the constructor of a class, name an argument of the wrong type.

    Nothing is asked of arguments as long as all goes well. Where Python's own error is raised, the
    arguments are compared with their annotations; the first that does not fit is named in an
    InvalidInputError. So is one with a false ``__class__``, and one whose own code raised the
    error. Where there is none the error stays as it is.
    """
    if isinstance(wrapped, type):
        constructed: Any = wrapped
        constructed.__init__ = refusing(constructed.__init__)
        return constructed  # type: ignore[no-any-return]
    misfit, passed, is_of_a_file = _misfit, (MechproofError, AssertionError), _is_of_a_file

    def call(*given: Any, **named: Any) -> Any:
        try:
            return wrapped(*given, **named)
        except passed:
            raise
        except Exception as error:
            checked = type(error).__module__.startswith(("jaxtyping", "beartype"))
            if checked or is_of_a_file(error):
                raise  # types are checked while tests run
            wrong = misfit(wrapped, given, named, error)
            if wrong is None:
                raise
            raise wrong from error

    # doctest looks for functions with the globals of the module; a type checker may wrap this one
    inner: Any = inspect.unwrap(call)
    made = FunctionType(inner.__code__, wrapped.__globals__, closure=inner.__closure__)
    update_wrapper(made, wrapped)
    result: Any = made
    return result  # type: ignore[no-any-return]


def _is_of_a_file(error: Exception) -> bool:
    """Whether an error is the system's, and not what an object says to whoever looks at it."""
    name = "" if error.__traceback__ is None else _innermost(error.__traceback__).f_code.co_name
    return isinstance(error, OSError) and name not in {"__getattribute__", "__getattr__"}


def _innermost(trace: TracebackType) -> FrameType:
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame


def _misfit(
    function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any], error: Exception
) -> InvalidInputError | None:
    try:
        bound = inspect.signature(function).bind(*given, **named)
    except TypeError:
        return None
    try:
        hints = get_type_hints(function)
    except (NameError, TypeError):  # of what is written for type checkers alone
        hints = {}
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        values = value if kind is inspect.Parameter.VAR_POSITIONAL else (value,)
        fix = f"give {function.__annotations__.get(name, 'another value')}"
        for each in values:
            if not all(map(_is_plain, _parts(each))):
                return InvalidInputError(name, each, "has a false __class__", fix)
            if not _fits(each, hints.get(name, Any)):
                return InvalidInputError(name, each, "is of the wrong type", fix)
            if name != "self" and any(
                part is _find_raiser(error, function) for part in _parts(each)
            ):
                fix = "fix its class, or give another object"
                return InvalidInputError(name, each, f"raises {error!r} where it is used", fix)
    return None


def _parts(value: Any) -> Iterable[Any]:
    """Return a value, and what it holds where it is one of Python's own containers."""
    inner = chain(value, value.values()) if type(value) is dict else ()
    return (value, *(value if type(value) in (list, tuple) else inner))


def _is_plain(value: Any) -> bool:
    try:
        return value.__class__ is type(value)
    except Exception:
        return False


def _find_raiser(error: Exception, function: Callable[..., Any]) -> object:
    """Return the object whose method raised an error, or what code beside a function was given.

    A number or a constant that other code was given may be somebody else's.
    """
    frame = None if error.__traceback__ is None else _innermost(error.__traceback__)
    if frame is None or not frame.f_code.co_argcount:
        return _NOBODY
    found = frame.f_locals.get(frame.f_code.co_varnames[0], _NOBODY)
    ours = frame.f_globals is inspect.unwrap(function).__globals__
    return found if ours or type(found).__flags__ & 1 << 9 else _NOBODY


_NOBODY: Final = object()


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of an annotated type, as far as that can be told."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in {Union, UnionType}:
        return any(_fits(value, each) for each in inner)
    if origin is Literal:
        return any(type(value) is type(each) and value == each for each in inner)
    if hint is Any:
        return True
    if hint is float:
        return isinstance(value, float | int)
    whole: Any = value
    kind: Any = NoneType if hint is None else origin or hint
    if not isinstance(kind, type):
        return True
    if isinstance(value, str) and origin is not None and issubclass(str, origin):
        return False  # one text in place of a list of texts
    try:
        if not isinstance(value, kind):
            return False
        if issubclass(kind, Mapping) and inner:
            return all(_fits(k, inner[0]) and _fits(v, inner[1]) for k, v in whole.items())
        if issubclass(kind, Iterable) and inner and isinstance(value, Collection):
            return kind is tuple or all(_fits(each, inner[0]) for each in value)
    except Exception:  # of a protocol that cannot be asked, or of the value
        return getattr(kind, "_is_protocol", False)
    return True
