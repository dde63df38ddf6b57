"""Running a user's code under watch: which instructions it takes, and what it asks for.

Code can tell a symbol from a number by more than arithmetic. A trace follows code that does
something else with symbols as if it did the same. So the code is run on symbols and on numbers, and
must take the same instructions, one after another. And it may use only what computes with values:
whatever else it names, asks for, calls or returns ends the proof, used or not.
"""

from __future__ import annotations

import builtins
import dis
import gc
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from traceback import FrameSummary
from types import (
    CodeType,
    FrameType,
    FunctionType,
    MemberDescriptorType,
    ModuleType,
    TracebackType,
)
from typing import Any, Final

import numpy as np

from theory.incentives._outcome import Lottery, Outcome
from theory.incentives._values import Given
from theory.incentives.proving._allowed import (
    LOOKING,
    NUMPY,
    PLAIN,
    SEEN_ERRORS,
    is_one,
    refused,
    refused_attribute,
    refused_member,
    refused_routine,
)
from theory.incentives.proving._arrays import followed
from theory.incentives.proving._instructions import (
    CONSTANT,
    LOCAL,
    Chain,
    asks_of,
    is_left_by_force,
)
from theory.incentives.proving._untraced import Untraced, place
from theory.incentives.proving._whose import (
    WRITTEN,
    Whose,
    is_librarys,
    is_of_a_library,
    is_true,
    whose,
    words,
)
from theory.proofs import Term, running

__all__ = ["Call", "Steps", "Watch", "is_ours", "whole"]

Steps = int
"""A digest of the instructions that a run took, in their order."""

Call = tuple[Any, ...]
"""What was called, and with what: ``("outcome", reports)``, for instance."""


@dataclass(frozen=True, slots=True)
class _Code:
    """A piece of code that was met, with the instructions at which something is asked for."""

    code: CodeType
    whose: Whose
    asks: dict[int, tuple[str, Any]]
    problem: str
    """What it holds that no proof may rest on; empty for nothing."""


_CODES: Final[dict[int, _Code]] = {}
"""By the identity of the code, which is kept, so that no other takes its place."""


def _met(frame: FrameType) -> _Code:
    code = frame.f_code
    known = _CODES.get(id(code))
    if known is None:
        owner = whose(frame)
        asks = dict(asks_of(code)) if owner in WRITTEN else {}
        problem = _held_by(code) if owner in WRITTEN else ""
        known = _CODES[id(code)] = _Code(code, owner, asks, problem)
    return known


def _held_by(code: CodeType) -> str:
    """Say which constant of a piece of code is none that Python writes there."""
    odd = next((kind for kind in map(_kind_of_constant, code.co_consts) if kind), None)
    if odd is not None:
        return f"runs code with a {odd.__name__} among its constants"
    return "runs a generator with a `try`" if is_left_by_force(code) else ""


def _kind_of_constant(constant: object) -> type | None:
    kind = type(constant)
    if isinstance(constant, tuple | frozenset) and kind in {tuple, frozenset}:
        return next((odd for odd in map(_kind_of_constant, constant) if odd), None)
    return None if kind in PLAIN or kind is CodeType or kind is slice else kind


def is_ours(valuation: object) -> bool:
    """Whether values come of a definition of this library, and of no function of the user's."""
    kind = type(valuation)
    ours = is_of_a_library(kind) and kind.__module__.startswith("theory.")
    return ours and not isinstance(valuation, Given)


def whole(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Return a rule whose outcome is of plain values, so that all that makes it runs under watch.

    What is no pair of an allocation and payments is left as it is.
    """

    def run(reports: Any) -> Any:
        returned = rule(reports)
        if type(returned) is Outcome:
            allocation, paid = returned.allocation, returned.payments
        elif type(returned) in (tuple, list) and len(returned) == 2:
            allocation, paid = returned
        elif isinstance(returned, tuple) and tuple.__len__(returned) == 2:  # a namedtuple
            allocation, paid = tuple.__iter__(returned)
        elif type(returned) in PLAIN | {Term, tuple, list, dict}:  # no outcome, which is said later
            return returned
        else:
            raise Untraced(f"returns a {type(returned).__name__}, whose rules no trace sees")
        return _plain(allocation), _payments(paid)

    return run


def _payments(paid: Any) -> Any:
    """Return payments as a list, each of which is a number whose rules are known."""
    if not isinstance(paid, Iterable) or isinstance(paid, str | bytes):
        return paid
    amounts = list(paid)
    for amount in amounts:
        known = type(amount) in PLAIN or isinstance(amount, Term | np.generic)
        if not known and type(amount) is not np.ndarray:
            raise Untraced(f"is paid a {type(amount).__name__}, whose rules no trace sees")
    return amounts


def _plain(allocation: Any) -> Any:
    """Return an allocation; refuse one that runs code of the user's where it is compared."""
    kind = type(allocation)
    if kind in PLAIN or isinstance(allocation, Term | np.generic | np.ndarray):
        return allocation
    if isinstance(allocation, Enum):
        own = {name for base in kind.__mro__ if not is_of_a_library(base) for name in vars(base)}
        return _refuse(kind) if own & (_READ | {"__eq__", "__hash__"}) else allocation
    if kind in (list, tuple):
        return kind(map(_plain, allocation))
    if kind in (set, frozenset):
        return allocation if all(map(_plain_key, allocation)) else _refuse(kind)
    if kind is dict:
        return {key: _plain(value) for key, value in allocation.items()}
    if kind is Lottery:
        for part, _ in allocation.support:
            _plain(part)
        return allocation
    own = {name for base in kind.__mro__ if not is_of_a_library(base) for name in vars(base)}
    if isinstance(allocation, Lottery | Outcome | np.ndarray) or own & _READ:
        _refuse(kind)
    equality = _equality(kind)
    if isinstance(allocation, tuple) and equality is _equality(tuple):  # a namedtuple
        return tuple(map(_plain, tuple.__iter__(allocation)))
    made = getattr(getattr(equality, "__code__", None), "co_filename", "") == "<string>"
    return allocation if made or equality is _equality(object) else _refuse(kind)


_READ: Final = words(
    """
    tolist dtype support __reduce__ __reduce_ex__ __getstate__ __setstate__ __deepcopy__ __copy__
    __getattr__ __getattribute__ __class__ __float__ __int__ __index__ numerator denominator
    """
)
"""What is asked of allocations where nobody watches; one that answers is refused."""


def _equality(kind: type) -> object:
    """Return what a class compares its objects by."""
    return next(vars(base)["__eq__"] for base in kind.__mro__ if "__eq__" in vars(base))


def _plain_key(key: Any) -> bool:
    return type(key) in PLAIN or (type(key) is tuple and all(map(_plain_key, key)))


def _refuse(kind: type) -> Any:
    raise Untraced(f"allocates a {kind.__name__}, whose rules no trace sees")


@dataclass(slots=True)
class Watch:
    """Runs code of the user's under watch.

    Attributes
    ----------
    note : callable
        Told of each call, and of the steps that it took.
    exact : bool
        Whether the code is run on symbols: new arrays of NumPy then hold them. Functions of
        compiled code that it calls are judged where it is run on numbers.
    """

    note: Callable[[Call, Steps], None]
    exact: bool = False
    _steps: Steps = 0
    _problem: str = ""
    _looked: str = ""
    _arrays: bool = False

    def run(self, call: Call, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what the function does.

        Raises
        ------
        Untraced
            Where its code asked for something that a trace cannot see, whatever came of the run.
        """
        self._steps, self._problem, self._looked, self._arrays = 0, "", "", False
        tracing, profiling, collecting = sys.gettrace(), sys.getprofile(), gc.isenabled()
        gc.disable()  # what it runs would be taken for steps of the code
        try:
            with followed(self._numpy, exact=self.exact):
                try:
                    if not self.exact:  # it is told of each call within ours, too
                        sys.setprofile(self._called)
                    sys.settrace(self._entered)
                    return function(*arguments)
                finally:
                    lost = sys.gettrace() != self._entered
                    sys.settrace(tracing)
                    if not self.exact:
                        lost = lost or sys.getprofile() != self._called
                        sys.setprofile(profiling)
                    if lost and not self._problem:
                        self._problem = "the code ends the watch over it"
        finally:
            if collecting:
                gc.enable()
            self.note(call, self._steps)
            if self._arrays and self._looked and not self._problem:
                self._problem = f"{self._looked}: numbers out of arrays have several kinds"
            if self._problem:
                raise Untraced(self._problem) from None

    def _numpy(self, problem: str) -> None:
        self._arrays = True
        tracer = running()
        if tracer is not None:
            tracer.met_arrays = True
        if problem and not self._problem:
            self._problem = f"the code {problem}, into which a trace does not see"

    def _entered(self, frame: FrameType, event: str, argument: Any) -> Any:
        known = _met(frame)
        if not is_true(frame, known.whose):
            self._note(frame, "runs code that stands in the place of a library's")
        if known.whose is Whose.OURS:
            return None
        if known.problem:
            self._note(frame, known.problem)
        own = frame.f_builtins
        if known.whose in WRITTEN and own is not vars(builtins) and own:
            self._note(frame, "runs code that has builtins of its own")
        called = frame.f_back is not None and frame.f_back.f_trace is not None
        if known.whose is Whose.PYTHONS and not called:
            return None
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        return self._stepped

    def _stepped(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "opcode":
            known = _CODES[id(frame.f_code)]
            place = frame.f_lasti
            self._steps = hash((self._steps, id(frame.f_code), place))
            if place in known.asks and not self._problem:
                self._judge(frame, *known.asks[place])
        elif event == "exception" and not self._problem:
            self._raised(frame, argument[0], argument[2])
        return self._stepped

    def _raised(self, frame: FrameType, kind: type, trace: TracebackType) -> None:
        """Judge an error: what compiled code raises may depend on the kind of what it is given."""
        if issubclass(kind, RecursionError | MemoryError):
            self._note(frame, f"raises {kind.__name__}: it meets a limit of the process")
        tracer = running() if self.exact else None
        if tracer is None or tracer.refused or kind in SEEN_ERRORS or _is_stated(trace):
            return
        if kind not in {IndexError, ValueError} or tracer.met_arrays:
            self._note(frame, f"gets {kind.__name__} from code into which a trace does not see")

    def _judge(self, frame: FrameType, ask: str, name: Any) -> None:
        problem = ""
        if ask == "name":
            problem = self._named(frame, *name)
        elif ask == "attribute":
            problem = self._attribute(frame, *name)
        elif ask == "import":
            found = sys.modules.get(name)
            problem = f"{name}, which is not yet imported" if found is None else refused(found)
        elif ask == "from":
            problem = refused_member(sys.modules.get(name[0]), name[1])
        elif ask == "text":
            problem = self._of_text(frame, name)
        else:
            self._refused(frame, ask, name)
        if problem:
            self._note(frame, f"asks for {problem}")

    def _refused(self, frame: FrameType, ask: str, name: Any) -> None:
        """Judge what is refused whatever it is asked of."""
        if ask == "never":
            self._note(frame, name)
        elif ask == "write":
            self._note(frame, f"writes the global {name}: it keeps something from call to call")
        elif ask == "store":
            chain, attribute = name
            told = refused_attribute(attribute, stored=True)
            if told:
                self._note(frame, f"writes {told}")
            elif not _is_written(_reached(frame, chain) if chain else _UNSEEN, attribute):
                self._note(frame, f"writes {attribute} of what is no object of its own")
        elif ask == "error":
            self._note(frame, f"keeps the error that it caught as {name}: its text tells kinds")
        elif not _is_the_class_of_its_own(frame, name) and not is_one(
            _reached(frame, name) if name else _UNSEEN
        ):
            self._note(frame, "asks whether two objects are one (`is`), which no value tells")

    def _of_text(self, frame: FrameType, chains: Iterable[Chain]) -> str:
        """Say why no text may be made of what names lead to."""
        for chain in chains:
            thing = _reached(frame, chain) if chain else _UNSEEN
            if chain != CONSTANT and type(thing) not in PLAIN and not isinstance(thing, Term):
                return "the text of an object, which may tell where it lies"
        return ""

    def _named(self, frame: FrameType, chain: Chain, leads: bool, texted: Chain | None) -> str:
        """Say why a name may not be used."""
        thing, shown = _loaded(frame, chain[0]), chain[0].removeprefix(LOCAL)
        if thing is str:
            return refused(str) if texted is None else self._of_text(frame, [texted])
        if isinstance(thing, ModuleType):
            told = refused(thing)
            return told if told or leads else f"the module {thing.__name__} as a value"
        if any(thing is looking for looking in LOOKING):
            self._looked = self._looked or self._at(frame, f"asks for {shown}")
        if _is_ours(frame) and _is_theorys(thing):
            return ""
        return refused(thing)

    def _attribute(
        self, frame: FrameType, name: str, chain: Chain, leads: bool, called: bool
    ) -> str:
        """Say why an attribute may not be asked for."""
        home = _reached(frame, chain[:-1]) if chain else None
        if name in _OF_UFUNCS and not called:
            return f"{name} of a function as a value"
        if isinstance(home, set) and name == "pop":
            return refused_member(set, name)
        if isinstance(home, ModuleType):
            found = vars(home).get(name)
            if isinstance(found, ModuleType):
                told = refused(found)
                return told if told or leads else f"the module {found.__name__} as a value"
            if _is_ours(frame) and _is_theorys(found):
                return ""
            if home is np and name in NUMPY and not (called or leads):
                return f"numpy.{name} as a value"
            return refused_member(home, name)
        if frame.f_code.co_filename == "<string>" and _is_dataclasses(name, chain):
            return ""
        if isinstance(home, type):
            told = refused_member(home, name)
            if told:
                return told
        if home is not None and _is_of_the_user(home, name) and not name.startswith("__"):
            return ""
        return refused_attribute(name)

    def _called(self, frame: FrameType, event: str, argument: Any) -> None:
        if event != "c_call" or self._problem or frame.f_trace is None:
            return
        if _met(frame).whose not in WRITTEN:
            return
        problem = refused_routine(argument)
        if problem:
            self._note(frame, f"calls {problem}")

    def _at(self, frame: FrameType, problem: str) -> str:
        users: FrameType | None = frame
        while users is not None and _met(users).whose not in WRITTEN:
            users = users.f_back
        at = users or frame
        summary = FrameSummary(at.f_code.co_filename, at.f_lineno, at.f_code.co_name)
        return f"{place(summary)}: {problem}"

    def _note(self, frame: FrameType, problem: str) -> None:
        if not self._problem:
            self._problem = self._at(frame, problem)


_SETTER: Final = "__dataclass_builtins_object__"
"""What frozen dataclasses call ``object`` in the code that they make."""

_PACKAGES: Final = frozenset({"mechanisms", "papers"})
"""The packages of this library that are watched, and may use the definitions of `theory`."""


def _is_ours(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__", ""))
    known = sys.modules.get(name)
    genuine = known is not None and vars(known) is frame.f_globals
    return genuine and name.partition(".")[0] in _PACKAGES


def _is_theorys(thing: object) -> bool:
    home = getattr(thing, "__module__", None)
    return isinstance(home, str) and home.startswith("theory.")


def _is_dataclasses(name: str, chain: Chain) -> bool:
    """Whether an attribute is one that the code of dataclasses asks for."""
    if name == "__setattr__":
        return len(chain) == 2 and chain[0].removeprefix(LOCAL) == _SETTER
    return chain in {(LOCAL + "self", "__class__"), (LOCAL + "other", "__class__")}


def _is_the_class_of_its_own(frame: FrameType, chain: Chain) -> bool:
    """Whether it is asked if something `is` the class of ``self``, as dataclasses ask."""
    return frame.f_code.co_filename == "<string>" and chain == (LOCAL + "self", "__class__")


def _is_stated(trace: TracebackType) -> bool:
    """Whether an error was raised by a statement of code that is followed."""
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    known = _CODES.get(id(code))
    followed = known is not None and known.whose is not Whose.OURS
    return followed and dis.opname[code.co_code[trace.tb_lasti]] in _RAISING


_OF_UFUNCS: Final = frozenset({"reduce", "accumulate", "outer"})

_RAISING: Final = frozenset({"RAISE_VARARGS", "RERAISE"})


def _is_written(thing: object, attribute: str) -> bool:
    """Whether what has an attribute is the user's: an object of a class, a class, a function.

    Of what is not seen, only attributes may be written that no object of a library has; what its
    classes and functions keep is looked at.
    """
    if thing is _UNSEEN:
        return not refused_attribute(attribute)
    if isinstance(thing, ModuleType):
        return not is_librarys(thing.__name__)
    if isinstance(thing, type | FunctionType):
        return not is_of_a_library(thing)
    return not is_of_a_library(type(thing))


def _reached(frame: FrameType, chain: tuple[str, ...]) -> object:
    """Return what a name and attributes lead to, where no code of the user's has to say so."""
    thing = _loaded(frame, chain[0])
    for name in chain[1:]:
        if isinstance(thing, Term):
            return _UNSEEN
        if isinstance(thing, ModuleType | type):
            thing = vars(thing).get(name, _UNSEEN)
        else:
            thing = _entry(thing, name)
    return thing


_UNSEEN: Final = iter(())
"""Stands for what is not seen: it is nobody's."""


def _entry(thing: object, name: str) -> object:
    """Return an attribute that an object itself has, where its class does not come before."""
    for base in type(thing).__mro__:
        if name in vars(base):
            rule = vars(base)[name]
            if isinstance(rule, MemberDescriptorType):
                return getattr(thing, name, _UNSEEN)
            if hasattr(type(rule), "__set__") or hasattr(type(rule), "__delete__"):
                return _UNSEEN
            break
    own = object.__getattribute__(thing, "__dict__") if _has_entries(thing) else {}
    return own.get(name, _UNSEEN)


def _is_of_the_user(thing: object, name: str) -> bool:
    """Whether an attribute is one that the user gave a class, or an object of it."""
    kind = type(thing)
    if is_of_a_library(kind):
        return False
    written = (base for base in kind.__mro__ if not is_of_a_library(base))
    own = object.__getattribute__(thing, "__dict__") if _has_entries(thing) else {}
    return name in own or any(name in vars(base) for base in written)


def _has_entries(thing: object) -> bool:
    return not isinstance(thing, Term) and bool(type(thing).__dictoffset__)


def _loaded(frame: FrameType, name: str) -> object:
    """Return what a name stands for in a frame; of a local one before it is given, nothing."""
    if name.startswith(LOCAL):
        return frame.f_locals.get(name.removeprefix(LOCAL), _UNSEEN)
    if frame.f_code.co_name == "<module>" and name in frame.f_locals:
        return frame.f_locals[name]
    return frame.f_globals.get(name, frame.f_builtins.get(name, _UNSEEN))
