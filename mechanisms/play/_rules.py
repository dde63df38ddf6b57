"""Rules of a mechanism: a generator that yields what it asks for, and returns the outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, update_wrapper
from inspect import Signature, isgeneratorfunction, signature, unwrap
from types import MappingProxyType
from typing import Any, Generic, ParamSpec, TypeVar, overload

from mechanisms.ledger import Ledger
from mechanisms.play._line import Steps, read_seed
from mechanisms.play._run import Run, read_outside, start
from mechanisms.play.plain_data import freeze
from theory.errors import InvalidInputError
from theory.shared.arguments import instance_of, read_count, read_tuple

__all__ = ["Rules", "rules"]

P = ParamSpec("P")
Outcome = TypeVar("Outcome")


class Rules(Generic[P, Outcome]):
    """The rules of a mechanism; called with their arguments, they begin a :class:`Run`.

    Attributes
    ----------
    name : str
    version : int
        A run that was written under another version is refused.
    kinds : mapping
        The classes of data that arguments and answers may have besides plain ones, by name.
    """

    def __init__(
        self, function: Callable[P, Steps[Outcome]], version: int, data: tuple[type, ...]
    ) -> None:
        if not isgeneratorfunction(unwrap(function)):  # a type checker may wrap it
            fix = "write a function that yields its requests"
            raise InvalidInputError("function", function, "is no generator", fix)
        update_wrapper(self, function)
        self.name: str = function.__name__
        self.version = read_count("version", version, 0)
        kinds: dict[str, type] = {}
        for kind in read_tuple("data", data, "give classes"):
            instance_of("data", kind, type, "give dataclasses")
            if kinds.setdefault(kind.__name__, kind) is not kind:
                problem, fix = "has the name of another class", "give classes of different names"
                raise InvalidInputError("data", kind, problem, fix)
        self.kinds: Mapping[str, type] = MappingProxyType(kinds)
        self._function = function

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Run[Outcome]:
        """Begin a run."""
        return start(self, (freeze(args), freeze(kwargs)))

    def on_ledger(self, ledger: Ledger, name: str = "") -> Callable[P, Run[Outcome]]:
        """Return what begins runs whose payments are entered in a ledger that others use, too.

        Parameters
        ----------
        ledger : Ledger
        name : str
            That of the run, which no other run on this ledger has, so that each of its payments is
            made once; see :meth:`Run.on_ledger`.

        Raises
        ------
        InvalidInputError
            For what is no ledger, and later for one without the accounts that a run needs.
        """
        outside = read_outside(ledger, name)

        def begin(*args: P.args, **kwargs: P.kwargs) -> Run[Outcome]:
            return start(self, (freeze(args), freeze(kwargs)), outside=outside)

        return begin

    def seeded(self, seed: int | str) -> Callable[P, Run[Outcome]]:
        """Return what begins runs in which a seed decides what is drawn.

        It is ``rules(...).seeded(seed)``, begun once; see :meth:`Run.seeded`.

        Raises
        ------
        InvalidInputError
            For what is no seed.
        """
        drawn = read_seed(seed)

        def begin(*args: P.args, **kwargs: P.kwargs) -> Run[Outcome]:
            return start(self, (freeze(args), freeze(kwargs)), drawn)

        return begin

    def bind(self, *args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return arguments as Python passes them; those that do not fit raise TypeError."""
        bound = self._signature.bind(*args, **kwargs)
        return bound.args, bound.kwargs

    def steps(self, *args: P.args, **kwargs: P.kwargs) -> Steps[Outcome]:
        """Return the generator itself, for other rules: ``outcome = yield from first.steps(…)``."""
        return self._function(*args, **kwargs)

    def read(self, written: Mapping[str, Any] | str, ledger: Ledger | None = None) -> Run[Outcome]:
        """Return the run that :meth:`Run.to_json` has written, as data or as JSON text.

        It goes through the whole log again, and what the rules ask for must be what they asked for
        then. What accounts of its own hold and pay is computed again. A run that was on a ledger of
        others needs that ledger, which must have all of its payments; nothing is paid twice. What
        was drawn and what players answered is believed, so long as it was possible.

        Raises
        ------
        InvalidInputError
            For what is no run of these rules in this version.
        ReplayError
            For a log that these rules do not follow; it names the first step that differs.
        """
        from mechanisms.play._written import run_from_json

        if ledger is not None:
            instance_of("ledger", ledger, Ledger, "give a Ledger")
        return run_from_json(self, written, ledger)

    @cached_property
    def _signature(self) -> Signature:
        return signature(self._function)

    def __reduce__(self) -> str:
        return self._function.__qualname__

    def __repr__(self) -> str:
        return f"<rules {self.name}>"


@overload
def rules(function: Callable[P, Steps[Outcome]], /) -> Rules[P, Outcome]: ...
@overload
def rules(
    *, version: int = ..., data: tuple[type, ...] = ...
) -> Callable[[Callable[P, Steps[Outcome]]], Rules[P, Outcome]]: ...
def rules(
    function: Callable[P, Steps[Outcome]] | None = None,
    /,
    *,
    version: int = 1,
    data: tuple[type, ...] = (),
) -> Rules[P, Outcome] | Callable[[Callable[P, Steps[Outcome]]], Rules[P, Outcome]]:
    """Make rules of a generator: a mechanism that is stepped from outside.

    The generator yields what it asks for and is sent what comes of it: the answer to an
    :class:`Ask`, the value of a :class:`Draw`, None or an :class:`Unpaid` for a :class:`Pay`, how
    much an account can pay for :class:`Funds`. It yields one request, or several in a dictionary by
    name and gets a dictionary. What it returns is the outcome.

    Nothing else may decide what it does: no clock, no generator of random numbers, no file, nothing
    that is changed outside. Its arguments are read once; lists and dictionaries are copied.

    Parameters
    ----------
    function : generator function
    version : int
        To be raised when the rules change, so that old runs are refused and not misread.
    data : tuple of classes
        Dataclasses that arguments and answers are made of, so that runs can be written.

    Examples
    --------
    >>> from mechanisms.play import Quantity, Ask, Draw, rules
    >>> @rules
    ... def first_price(bidders, most):
    ...     bids = yield {
    ...         name: Ask(name, view=f"bid up to {most}", answer=Quantity(0, most), role="bid")
    ...         for name in bidders
    ...     }
    ...     best = max(bids.values())
    ...     winner = yield Draw.uniform([name for name in bidders if bids[name] == best])
    ...     return {"winner": winner, "price": best}
    >>> run = first_price(["Ann", "Bob"], most=10).seeded(7)
    >>> print(run)
    first_price, step 0: Ann is to bid, Bob is to bid
    >>> run = run.answer("Bob", "2.5").answer("Ann", 2)
    >>> print(run)
    first_price, step 2: over, {'winner': 'Bob', 'price': Fraction(5, 2)}
    >>> first_price.read(run.to_json()) == run
    True
    """

    def made(function: Callable[P, Steps[Outcome]]) -> Rules[P, Outcome]:
        return Rules(function, version, data)

    return made if function is None else made(function)
