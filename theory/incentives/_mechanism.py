"""Anything that turns reports into an outcome: a function, an object, an array or JAX function."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from inspect import Parameter, signature
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from theory.errors import InvalidInputError, ShapeError
from theory.incentives._outcome import Outcome
from theory.shared.arguments import refusing

__all__ = [
    "Mechanism",
    "Traced",
    "Vectorised",
    "global_random_state",
    "is_seeded",
    "mechanism_name",
    "objects",
    "outcome_function",
    "report_array",
    "rule_of",
]


@runtime_checkable
class Mechanism(Protocol):
    """A direct mechanism: from a report of each agent to an allocation and payments.

    A plain function with the same argument and result is a mechanism, too; the result may be a
    pair ``(allocation, payments)``. Where the rule makes sense for any number of agents, let it
    take any number of reports: some properties compare markets of different sizes.

    These attributes are used where an object has them, and an argument of
    :func:`check_mechanism` of the same meaning comes first:

    * ``value(agent, type, allocation)``: what an allocation is worth to a type;
    * ``feasible(allocation, agents)``: whether an allocation can be carried out;
    * ``alternatives(agents)``: the allocations that efficiency compares with;
    * ``value_of_names``: what an allocation is worth to one owner of several names,
      ``"additive"``, ``"unit demand"`` or a method of (names, type, allocation).

    A function or method with a parameter named ``rng`` is given a generator of the same seed at
    each call; all its randomness must come from there. Where it is judged in expectation it is
    given one draw after the other: see :class:`InExpectation`.
    """

    def outcome(self, reports: Sequence[Any]) -> Any:
        """Return the :class:`Outcome`, or a pair (allocation, payments)."""
        ...


@refusing
class Vectorised:
    """A mechanism that takes all profiles at once.

    Parameters
    ----------
    function : callable
        From an array of reports, of shape (profiles, agents), to a pair of arrays of that shape:
        what each agent gets (a share, or a quantity) and what each pays. Reports are int64 where
        all types are integers, objects (``Fraction``) otherwise.
    """

    def __init__(self, function: Callable[[np.ndarray], tuple[Any, Any]]) -> None:
        self.function = function
        self.__name__ = mechanism_name(function)

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return the outcome of one profile."""
        shares, payments = self.outcomes(report_array([tuple(reports)]))
        return Outcome(tuple(shares[0].tolist()), tuple(payments[0].tolist()))

    def outcomes(self, reports: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return shares and payments of many profiles, one a row.

        Raises
        ------
        ShapeError
            Where an array that comes back has not the shape of ``reports``.
        """
        given = reports.view()
        given.flags.writeable = False
        shares, payments = (np.asarray(part) for part in self.function(given))
        for name, part in (("allocation", shares), ("payments", payments)):
            if part.shape != reports.shape:
                fix = f"return an array of shape {reports.shape}, profiles by agents"
                raise ShapeError(name, part.shape, "has not the shape of the reports", fix)
        return shares, payments


@refusing
class Traced:
    """A mechanism that JAX can trace, so that searches follow its gradient.

    Parameters
    ----------
    function : callable
        From a float64 JAX array of the reports of one profile, of shape (agents,) or (agents,
        entries), to a pair: allocation, of shape (agents,) or (candidates,), and payments, of
        shape (agents,).
    """

    def __init__(self, function: Callable[[Any], tuple[Any, Any]]) -> None:
        self.function = function
        self.__name__ = mechanism_name(function)

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return the outcome of one profile, computed by JAX in float64."""
        import jax

        with jax.enable_x64(True):
            rows = np.asarray([np.asarray(r, dtype=np.float64) for r in reports])
            allocation, payments = self._compiled(rows)
            return Outcome(
                tuple(np.asarray(allocation).tolist()), tuple(np.asarray(payments).tolist())
            )

    @cached_property
    def _compiled(self) -> Callable[[Any], tuple[Any, Any]]:
        import jax

        compiled: Callable[[Any], tuple[Any, Any]] = jax.jit(self.function)
        return compiled


def report_array(profiles: Sequence[Sequence[Any]]) -> np.ndarray:
    """Return profiles as the rows of an array: int64 where all reports are integers that fit."""
    whole = all(type(r) is int and abs(r) < 2**62 for row in profiles for r in row)
    if whole:
        return np.array(profiles, dtype=np.int64)
    flat = objects([report for row in profiles for report in row])
    return flat.reshape(len(profiles), -1)


def objects(values: Sequence[Any]) -> np.ndarray:
    """Return any things as an array of one axis, tuples as they are."""
    array = np.full(len(values), None, dtype=object)
    for i, value in enumerate(values):
        array[i] = value
    return array


def outcome_function(mechanism: Any, seed: int) -> Callable[[tuple[Any, ...]], Any]:
    """Return the function from reports to what the mechanism returns, with its seed if it has one.

    Raises
    ------
    InvalidInputError
        For something that is neither callable nor has a method ``outcome``.
    """
    rule = rule_of(mechanism)
    if not is_seeded(rule):
        return rule
    return lambda reports: rule(reports, rng=np.random.default_rng(seed))


def rule_of(mechanism: Any) -> Callable[..., Any]:
    """Return the function or method that a mechanism is called by."""
    rule: Any = getattr(mechanism, "outcome", mechanism)
    if not callable(rule) or isinstance(mechanism, type):
        fix = "give a function of the reports, or an object with a method outcome(reports)"
        raise InvalidInputError("mechanism", mechanism, "is not a mechanism", fix)
    return cast("Callable[..., Any]", rule)


def is_seeded(rule: Callable[..., Any]) -> bool:
    """Whether a function takes a generator by the name of rng."""
    try:
        parameters: Iterable[Parameter] = signature(rule).parameters.values()
    except Exception:  # a builtin may not say what it takes, and a user's object say anything
        return False
    return any(p.name == "rng" for p in parameters)


def mechanism_name(mechanism: object) -> str:
    """Return what to call a mechanism in a report."""
    name = getattr(mechanism, "__name__", None)
    return (
        str(name)
        if name
        else repr(mechanism)
        if _has_short_repr(mechanism)
        else type(mechanism).__name__
    )


def _has_short_repr(mechanism: object) -> bool:
    written = repr(mechanism)
    return len(written) <= 60 and " at 0x" not in written


@contextmanager
def global_random_state(seed: int) -> Iterator[list[str]]:
    """Seed ``random`` and ``numpy.random``, say which of them moved, and put them back.

    A program that draws on them moves them, and what it draws differs between contexts with
    different seeds. The list that is given is filled when the context ends.

    Examples
    --------
    >>> with global_random_state(1) as moved:
    ...     _ = random.random()
    >>> moved
    ['random']
    """
    kept, numpy_kept = random.getstate(), np.random.get_state()  # noqa: NPY002
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    start, numpy_start = random.getstate(), _numpy_state()
    moved: list[str] = []
    try:
        yield moved
    finally:
        if random.getstate() != start:
            moved.append("random")
        if _numpy_state() != numpy_start:
            moved.append("numpy.random")
        random.setstate(kept)
        np.random.set_state(numpy_kept)  # noqa: NPY002


def _numpy_state() -> tuple[object, ...]:
    name, keys, *rest = np.random.get_state()  # noqa: NPY002
    return (name, bytes(np.asarray(keys)), *rest)
