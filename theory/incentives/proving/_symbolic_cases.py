"""What a property is about, over symbols: a case for each choice of agents and listed types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from itertools import combinations, product
from typing import Any, Final

import numpy as np

from theory.incentives._property import Instance, Property
from theory.incentives._record import OutcomeAtFault, Profile
from theory.incentives._types import TypeSpace
from theory.incentives.proving._machine import Machine
from theory.incentives.proving._symbolic import Symbolic
from theory.incentives.proving._trace_failure import Untraced, untraced_by
from theory.incentives.proving._type_forms import ConstantForm, Form, list_forms
from theory.incentives.setting import Setting, SingleAlternative
from theory.proofs import Obligation, Path, Tracer

__all__ = [
    "MAX_CASES",
    "MAX_CONDITIONS",
    "MAX_NUMBERS",
    "Case",
    "TracedCase",
    "TracedPath",
    "list_cases",
]

MAX_CASES: Final = 2_000
"""The most choices of agents, listed types and alternatives that are traced for one property."""


MAX_CONDITIONS: Final = 96
"""The most comparisons on one path whose answers are left open."""

MAX_NUMBERS: Final = 256
"""The most numbers that types and lies are made of."""

_PROBED: Final = 32
"""After so many paths it is estimated how many there are."""

_PROBES: Final = 8


@dataclass(frozen=True)
class TracedPath:
    """A path, whether the hypotheses of the property are met on it, and whether the code raises.

    It may, and goes on, where it is given more or fewer reports than there are agents.
    """

    path: Path
    given: Obligation
    met: bool
    raised: bool = False


@dataclass(frozen=True)
class TracedCase:
    """All paths of a case, what has to be shown, and whether floats or the like came in."""

    case: Case
    paths: tuple[TracedPath, ...]
    obligations: tuple[Obligation, ...]
    floats: bool = False
    arrays: bool = False
    quotients: bool = False
    machine: Machine | None = field(default=None, compare=False)

    @property
    def may_round(self) -> bool:
        """Whether the code may compute with floats, which integers that are divided become."""
        return self.floats or self.arrays or self.quotients


@dataclass(frozen=True)
class Case:
    """Agents singled out, and the forms of types, lies and of the alternative compared with."""

    prop: Property
    setting: Setting
    agents: tuple[int, ...]
    profile: tuple[Form, ...]
    lies: tuple[Form, ...]
    rival: Form | None = None
    names: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        rival = () if self.rival is None else (self.rival,)
        every = (*self.profile, *self.lies, *rival)
        object.__setattr__(self, "names", tuple(n for form in every for n in form.names))

    def instance(self, at: Mapping[str, Any]) -> Instance:
        """Return the instance at a point."""
        return self._instance(at.__getitem__)

    def _instance(self, lookup: Callable[[str], Any]) -> Instance:
        profile = tuple(form.build(lookup) for form in self.profile)
        return Instance(profile, self.agents, tuple(form.build(lookup) for form in self.lies))

    def judging(self, at: Mapping[str, Fraction], setting: Setting) -> Setting:
        """Return the setting in which the one alternative of this case is compared with."""
        if self.rival is None:
            return setting
        return _with(
            setting, passed_alternatives=SingleAlternative(self.rival.build(at.__getitem__))
        )

    def follow(self, rule: Callable[[Profile], Any], numbers: Setting, most: int) -> TracedCase:
        """Trace the property's own definition; ``numbers`` has the machine run it on numbers.

        Raises
        ------
        Untraced
            Where the mechanism, or the property, cannot be followed over symbols, or has more than
            ``most`` paths.
        """
        if not self.names:
            raise Untraced("there is no real number among the types")
        if len(self.names) > MAX_NUMBERS:
            raise Untraced(f"types and lies have more than {MAX_NUMBERS} numbers, the limit")
        tracer = Tracer(real=self.names, prune=True, foreign=True, conditions=MAX_CONDITIONS)
        lookup = tracer.__getitem__
        rival = () if self.rival is None else (self.rival,)
        for form in (*self.profile, *self.lies, *rival):
            for bound in form.bounds(lookup):
                tracer.assume(bound)
        told = self._instance(lookup)
        compared = tuple(form.build(lookup) for form in rival)
        guessed = numbers.guessed_rivals if self.prop.minimum_over_alternatives else None
        ends: list[tuple[bool, bool]] = []
        end = [(True, False)]
        machine = Machine(exact=True)

        def run() -> list[Any]:
            setting = _symbolic(self.setting, rule, compared, guessed, machine)
            raised = False
            try:
                slack: Any = self.prop.slack(setting, told)
            except OutcomeAtFault:
                slack, raised = None, True
            end[0] = slack is not None, raised
            return [Fraction(0) if slack is None else slack]

        found: list[tuple[Path | None, Obligation]] = []
        try:
            for path, obligation in tracer.yield_obligations(run):
                found.append((path, obligation))
                if path is None:
                    continue
                ends.append(end[0])
                if len(ends) > most:
                    raise Untraced(f"there are more than {most:,} paths, the limit")
                if len(ends) == _PROBED:
                    _estimate(tracer, run, most)
        except Exception as error:  # whatever a user's code raises when it meets a term
            raise untraced_by(error) from error
        paths = [(path, obligation) for path, obligation in found if path is not None]
        return TracedCase(
            self,
            tuple(TracedPath(*each, *end) for each, end in zip(paths, ends, strict=True)),
            tuple(obligation for _, obligation in found),
            tracer.met_floats,
            tracer.met_arrays,
            tracer.met_quotients,
            machine,
        )


def _estimate(tracer: Tracer, run: Callable[[], list[Any]], most: int) -> None:
    """Raise where random paths show that there are many more than ``most``."""
    expected = tracer.estimated_paths(run, _PROBES, np.random.default_rng(0))
    if expected > 8 * most:
        raise Untraced(f"there are about {expected:,} paths, above the limit of {most:,}")


def list_cases(prop: Property, setting: Setting, numbers: Setting) -> Iterator[Case]:
    """Yield the cases of a property; what lists alternatives runs in ``numbers``.

    Raises
    ------
    Untraced
        Where types or alternatives are of a kind that cannot be traced, or there are too many.
    """
    if prop.shape.open_ended:
        raise Untraced(f"{prop.name} compares any number of types, and a trace a stated one")
    count = 0
    for agents in combinations(range(setting.agents), prop.shape.agents):
        liars = [prop.shape.liar(agents, k) for k in range(prop.shape.lies)]
        sides = [list(list_forms(space, f"t{i}")) for i, space in enumerate(setting.spaces)]
        sides += [list(list_forms(setting.spaces[i], f"l{k}")) for k, i in enumerate(liars)]
        rivals = _rivals(prop, numbers)
        for told, rival in product(product(*sides), rivals):
            count += 1
            if count > MAX_CASES:
                raise Untraced(f"there are more than {MAX_CASES:,} cases of listed types")
            profile, lies = told[: setting.agents], told[setting.agents :]
            yield Case(prop, setting, agents, profile, lies, rival)


def _rivals(prop: Property, setting: Setting) -> list[Form | None]:
    if not prop.minimum_over_alternatives:
        return [None]
    found = setting.rivals
    if isinstance(found, TypeSpace):
        return list(list_forms(found, "o"))
    return [ConstantForm(rival) for rival in found or ()]


def _symbolic(
    setting: Setting,
    rule: Callable[[Profile], Any],
    compared: tuple[Any, ...],
    guessed: tuple[Any, ...] | None,
    machine: Machine,
) -> Symbolic:
    given = {f.name: getattr(setting, f.name) for f in fields(setting) if f.name != "_memory"}
    return Symbolic(**given, rule=rule, compared=compared, guessed=guessed, machine=machine)


def _with(setting: Setting, **changes: Any) -> Setting:
    """Return a setting with other arguments that knows the same outcomes."""
    given = {f.name: getattr(setting, f.name) for f in fields(setting)}
    return type(setting)(**given | changes)
