"""A mechanism whose code the machine runs, in the place of the mechanism itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import FunctionType, MethodType
from typing import Any, Final

from theory.incentives._expectation import InExpectation
from theory.incentives._mechanism import mechanism_name
from theory.incentives._setting import Setting
from theory.incentives._values import Given
from theory.incentives.proving._machine import Machine
from theory.incentives.proving._returned import whole
from theory.incentives.proving._untraced import Untraced
from theory.incentives.proving._whose import is_of_a_library

__all__ = ["FollowedMechanism", "refuse_answers"]

_DECLARED: Final = ("value", "feasible", "alternatives")


class FollowedMechanism:
    """A mechanism of which each call is run by a machine.

    Attributes
    ----------
    refusal : Untraced or None
        The first thing that a trace cannot see, in whatever call it was met.
    """

    def __init__(self, mechanism: Any, rule: Callable[..., Any], machine: Machine) -> None:
        self.__name__ = mechanism_name(mechanism)
        self.refusal: Untraced | None = None
        self._rule, self._machine = rule, machine
        for name in _DECLARED:
            known = getattr(mechanism, name, None)
            if callable(known):
                setattr(self, name, self._followed(known))

    def outcome(self, reports: Sequence[Any]) -> Any:
        """Return what the mechanism does with reports."""
        return self._run(self._rule, tuple(reports), then=whole)

    def setting(self, setting: Setting) -> Setting:
        """Return a setting whose functions the machine runs, too."""
        given = setting.given
        if isinstance(given, Given):
            given = Given(self._followed(given.function))
        feasible = self._followed(setting.is_feasible) if setting.is_feasible else None
        listed = self._followed(setting.listed) if setting.listed else None
        return replace(setting.fresh(), given=given, is_feasible=feasible, listed=listed)

    def _followed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given: self._run(function, *given)

    def _run(self, function: Callable[..., Any], *given: Any, then: Any = None) -> Any:
        try:
            return self._machine.run(function, *given, then=then)
        except Untraced as untraced:
            self.refusal = self.refusal or untraced
            raise


def refuse_answers(mechanism: Any) -> None:
    """Raise where what a mechanism is depends on who asks: by a property, or by ``__getattr__``."""
    if isinstance(mechanism, FunctionType | MethodType):
        return
    for base in type(mechanism).__mro__:
        for name in _ASKED if not is_of_a_library(base) else ():
            known = vars(base).get(name)
            if known is None or (name != "__getattr__" and isinstance(known, _FUNCTIONS)):
                continue
            raise Untraced(f"{name} of {base.__name__} decides what its mechanism is")
    if isinstance(mechanism, InExpectation):
        refuse_answers(mechanism.mechanism)


_ASKED: Final = ("__getattr__", "outcome", "value", "feasible", "alternatives", "__call__")
"""What is asked of mechanisms where nobody watches."""

_FUNCTIONS: Final = (FunctionType, staticmethod, classmethod)
