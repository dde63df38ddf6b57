"""The trace against the code: the property's slack on the path, and as the mechanism really runs.

A trace is what a machine of ours makes of the code with symbols. So the code is run at exact
points, by Python and by that machine, and the property judged by its definition. One difference is
enough to refuse the trace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any, Final

import numpy as np

from theory.incentives._property import Instance
from theory.incentives._reading import FLOAT64, Number, key_of, original, show
from theory.incentives._record import Fault, Profile, Record, message, read
from theory.incentives._types import TypeSpace
from theory.incentives.proving._allowed_code import PLAIN
from theory.incentives.proving._comparison_points import (
    Chance,
    Finder,
    Tree,
    border_point,
    far_points,
    generic_points,
    mixed_points,
    point_near,
    whole_point,
)
from theory.incentives.proving._followed_mechanism import refuse_answers
from theory.incentives.proving._machine import Machine
from theory.incentives.proving._returned_values import (
    as_plain_data,
    is_our_definition,
    plain_allocation,
    read_outcome,
)
from theory.incentives.proving._rows import Rows
from theory.incentives.proving._symbolic_cases import TracedCase, TracedPath
from theory.incentives.proving._trace_failure import Untraced
from theory.incentives.setting import OutcomeAtFault, Setting
from theory.proofs import Condition

__all__ = ["Agreement", "Numbers", "compare_at_points", "setting_on_numbers"]

_MIXED: Final = 256
"""Points full of ties that a case is compared at; fewer where there are many cases."""

_FEWEST: Final = 24
_BORDERS: Final = 16
_REPEATED: Final = 64
_BY_MACHINE: Final = 2
"""At how many points of a path the machine runs the code, too, beside generic ones."""

_CHANCE: Final = Chance()
"""Where generic points come from: no code that is traced can know or foresee them."""

_BEYOND: Final = (-1100, -700, -400, 400, 700, 1000, 1100)
"""Where floats, or their products, end: as powers of 2."""

_OVERFLOWING: Final = tuple(size for size in _BEYOND if size > 0)

_CLOSE: Final = tuple(Fraction(sign, 2**bits) for bits in (54, 66) for sign in (1, -1))
"""How far beside a tie floats still see one."""

_LARGE: Final = 2**150
"""Beyond this, products of numbers may leave the range of floats."""

_TINY: Final = Fraction(1, 2**1000)
"""What floats lose near 0, whatever they are."""

_COARSEST: Final = Fraction(1, 2**20)
"""The share of a report, or of 1, that rounding may explain and no more."""

_ALONE: Final = tuple(map(Fraction, (0, 1, -1, 2, 3 * 2**30, -3 * 2**60)))
"""Where one number of a point is moved alone: small integers, and such whose squares wrap."""

_MOVED: Final = 1024
"""How many such moves are tried in all paths of a case; a few in each where there are many."""

_SIZES: Final = (90, 20, 0, -8, -40)
"""How far from a known point of its path a generic one is sought, as powers of 2, in turn."""


@dataclass(frozen=True)
class Agreement:
    """At how many points trace and code agree: in every path, but for those that hold no point.

    ``rounded`` says that the code computes with floats there, which agree up to rounding;
    ``arrays``, that it puts its reports into arrays of NumPy; ``quotients``, that it divides them.
    ``rows`` is how many points an array function was given at once, at most.
    """

    points: int
    paths: int
    empty: int = 0
    rounded: bool = False
    arrays: bool = False
    quotients: bool = False
    rows: int = 0

    def __str__(self) -> str:
        but = f" but {self.empty:,} of {self.paths:,} that are empty" if self.empty else ""
        exact = "exact points, up to the rounding of its floats" if self.rounded else "exact points"
        rows = f", and up to {self.rows:,} rows at once" if self.rows else ""
        return f"the trace against the code at {self.points:,} {exact}, in every path{but}{rows}"


@dataclass(frozen=True, eq=False)
class Numbers(Setting):
    """A setting whose code is run on numbers by the machine, once for each call.

    Copies of it (:meth:`fresh`) share what is known of calls.
    """

    machine: Machine = field(default_factory=Machine, repr=False)
    records: dict[Profile, Record | Fault] = field(default_factory=dict, repr=False)

    def call(self, reports: Profile) -> Record | Fault:
        """Run the mechanism, where it was not yet run."""
        key = key_of(reports)
        found = self.records.get(key)
        if found is None:
            found = self.records[key] = self._run(reports)
        return found

    def _run(self, reports: Profile) -> Record | Fault:
        try:
            returned = self.machine.run(self._rule, reports, then=read_outcome)
        except Untraced:
            raise
        except Exception as error:  # whatever a user's mechanism raises is a fault of its own
            return Fault(reports, f"raised {message(error)}")
        return read(reports, returned)

    def _ask(self, function: Callable[..., Any], *given: Any) -> Any:
        if is_our_definition(function):
            return function(*given)
        return self.machine.run(function, *given, then=_settle)

    def _list(self, function: Callable[[int], Any]) -> Any:
        """Return the allocations that a function lists, for the machine and for Python alike."""
        if is_our_definition(function):
            return function(self.agents)
        found = self.machine.run(function, self.agents, then=_settle, recording=True)
        again = _settle(
            self.machine, self.machine.as_followed(_gone_through, function, self.agents)
        )
        if as_plain_data(found) != as_plain_data(again):
            raise Untraced("Python lists other allocations than the machine that follows")
        return found


def _is_whole(found: Any) -> bool:
    return id(type(found)) in PLAIN or isinstance(found, np.generic | TypeSpace)


def _settle(machine: Machine, found: Any) -> Any:
    """Return what a function of the user's says: a number, or alternatives, gone through here."""
    if _is_whole(found):
        if isinstance(found, TypeSpace):
            refuse_answers(found)
        return found
    return [plain_allocation(machine, each) for each in machine.draw(None, found)]


def _gone_through(function: Callable[..., Any], *given: Any) -> Any:
    """Return what a function says, drawn to the end."""
    found = function(*given)
    return found if _is_whole(found) else [*iter(found)]


def setting_on_numbers(setting: Setting) -> Numbers:
    """Return a setting, knowing of no outcome, whose code the machine runs."""
    return Numbers(**_arguments(setting))


def _arguments(setting: Setting) -> dict[str, Any]:
    names = (name for name in Setting.__dataclass_fields__ if name != "_memory")
    return {name: getattr(setting, name) for name in names}


def compare_at_points(
    traced: Sequence[TracedCase],
    exact: Numbers,
    integers: Numbers,
    finder: Finder,
) -> Agreement:
    """Compare traces with the mechanism at one point inside every path, at ties and thresholds.

    ``exact`` and ``integers`` run it on fractions and on integers.

    Raises
    ------
    Untraced
        Where the two differ, a path may hold a point and none was found, or code asks for what a
        trace cannot see, or keeps something from call to call.
    """
    generator = np.random.default_rng(exact.seed)
    count = max(_FEWEST, _MIXED // max(1, len(traced)))
    points = empty = 0
    rounded = False
    rows = Rows()
    for each in traced:
        compared = _Compared(each, exact, integers, rows)
        for at in _points(each, count, generator, compared, finder):
            rounded |= compared.at(at)
            points += 1
        for at in _generic_points(each, compared, finder):
            rounded |= compared.at(at, by_machine=True)
            points += 1
        for at in _beyond_floats(each, compared) if each.may_round else ():
            rounded |= compared.at(at, by_python_alone=True)
            points += 1
        for place, followed in enumerate(each.paths):
            known = compared.seen.get(place, {})
            for number, at in enumerate(_moved_alone(followed, known, len(each.paths))):
                rounded |= compared.at(at, by_machine=number == 0)
                points += 1
        empty += len(each.paths) - len(compared.seen)
    most = rows.compare(Setting(**_arguments(exact)), _CHANCE)
    _repeat_profiles(exact)
    paths = sum(len(each.paths) for each in traced)
    arrays = any(each.arrays for each in traced)
    quotients = any(each.quotients for each in traced)
    return Agreement(points, paths, empty, rounded, arrays, quotients, most)


class _Compared:
    """A trace that is being compared with the code; ``seen`` has a point of each path so far."""

    def __init__(self, traced: TracedCase, exact: Numbers, whole: Numbers, rows: Rows) -> None:
        self.traced, self.exact, self.whole, self.rows = traced, exact, whole, rows
        self.tree = Tree(followed.path for followed in traced.paths)
        self.seen: dict[int, Mapping[str, Fraction]] = {}
        self.met: Counter[tuple[bool, int]] = Counter()
        self.plain = Setting(**_arguments(exact))

    def at(
        self,
        at: Mapping[str, Fraction],
        *,
        by_machine: bool = False,
        by_python_alone: bool = False,
    ) -> bool:
        """Compare at a point; return whether floats came in.

        Python runs the code, and at the first points of each path, and where ``by_machine`` says
        so, the machine does, too; but for points ``by_python_alone``, at which floats may raise
        what the code would not catch, and the machine cannot tell.
        """
        case = self.traced.case
        place = self.tree.taken(at)
        if place is None:
            raise Untraced(f"a branch that was cut is taken at {_where(case.instance(at))}")
        self.seen.setdefault(place, at)
        rounded = False
        alone = (self.plain,) if by_python_alone else ()
        for setting in alone or self._settings(self.exact, place, by_machine):
            rounded |= self._require_same(place, at, setting, case.instance(at))
        if any(value.denominator == 1 for value in at.values()):  # 2 may be written so, too
            integers = {n: int(v) if v.denominator == 1 else v for n, v in at.items()}
            instance = case.instance(integers)
            profile, lies = _integers(instance.profile), _integers(instance.lies)
            for setting in alone or self._settings(self.whole, place, by_machine):
                self._require_same(
                    place, at, setting, replace(instance, profile=profile, lies=lies)
                )
        return rounded

    def _settings(self, numbers: Numbers, place: int, by_machine: bool) -> Sequence[Setting]:
        """Return the settings in which the code is run at a point of a path."""
        key = (numbers is self.whole, place)
        self.met[key] += 1
        both = by_machine or self.met[key] <= _BY_MACHINE
        return (self.plain, numbers) if both else (self.plain,)

    def _require_same(
        self, place: int, at: Mapping[str, Fraction], setting: Setting, instance: Instance
    ) -> bool:
        """Raise where the code does not come to what its path foretells."""
        case, followed = self.traced.case, self.traced.paths[place]
        foretold = followed.path.value(at) if followed.met else None
        alone = setting.fresh()  # what rounding explains, it explains at this point
        try:
            slack = case.prop.slack(case.judging(at, alone), instance)
        except OutcomeAtFault as unjudged:
            overflows = "raised OverflowError" in unjudged.fault.problem
            if setting.is_elsewhere(unjudged.fault):
                slack = None
            elif self.traced.may_round and overflows and max(map(abs, at.values())) > _LARGE:
                return True  # floats end there, and nothing comes of it
            else:
                raise Untraced(f"the code fails {unjudged.fault}") from unjudged
        self.rows.take(alone)
        floats = alone.inexact or self.traced.floats
        rounding = _allow_rounding(alone, at) if floats else Fraction(0)
        if rounding > _COARSEST * max(Fraction(1), *map(abs, at.values())):
            raise Untraced(
                f"its floats are too coarse to compare: beside a number of {_size(alone)} they "
                "round what is paid or worth here"
            )
        if not _is_equal(slack, foretold, rounding) and not self._beside(slack, at, rounding):
            told = "hypotheses that are not met"
            told = told if foretold is None else f"a slack of {show(foretold)}"
            found = "not met" if slack is None else show(slack)
            raise Untraced(
                f"the trace foretells {told} at {_where(instance)}, and the code comes to {found}: "
                "it looks at more than the values of its reports, or its numbers round or wrap"
            )
        return floats

    def _beside(self, slack: Number | None, at: Mapping[str, Fraction], rounding: Fraction) -> bool:
        """Whether a path comes to this slack that the point is on, but for rounding."""
        harmless = slack is None or slack >= -rounding
        return (
            rounding > 0
            and harmless
            and any(
                _is_equal(slack, followed.path.value(at) if followed.met else None, rounding)
                for followed in self.traced.paths
                if all(_nearly(condition, at) for condition in followed.path.conditions)
            )
        )


def _integers(value: Any) -> Any:
    """Return types with integers in the place of fractions that are whole."""
    if isinstance(value, tuple):
        return tuple(map(_integers, value))
    whole = type(value) is Fraction and value.denominator == 1
    return int(value) if whole else value


def _points(
    traced: TracedCase,
    count: int,
    generator: np.random.Generator,
    compared: _Compared,
    finder: Finder,
) -> Iterator[Mapping[str, Fraction]]:
    """Yield points: ties and thresholds, far ones, and one inside every path."""
    names, given = traced.case.names, _hypotheses_of(traced)
    paths = [followed.path for followed in traced.paths]
    yield from mixed_points(names, given, paths, count, generator)
    yield from far_points(names, given, generator)
    chosen = range(0, len(paths), -(-len(paths) // _BORDERS))
    edges = (border_point(traced.paths[place].given.assumed, names) for place in chosen)
    yield from (at for at in edges if at is not None)
    for place, followed in enumerate(traced.paths):
        inside = None if place in compared.seen else finder.inside(followed.given.assumed, names)
        if inside is not None:
            yield inside


def _generic_points(
    traced: TracedCase, compared: _Compared, finder: Finder
) -> Iterator[Mapping[str, Fraction]]:
    """Yield points that nobody can foresee: one in every path, and others at all distances."""
    names, given = traced.case.names, _hypotheses_of(traced)
    for place, followed in enumerate(traced.paths):
        yield from _generic_of(place, followed, compared, finder, names)
        known = compared.seen.get(place) if traced.may_round else None
        whole = None if known is None else whole_point(known, followed.given.assumed)
        if whole is not None:
            yield whole
    base = finder.inside(given, names) if given else dict.fromkeys(names, Fraction(0))
    if base is not None:
        yield from generic_points(base, given, _CHANCE)


def _moved_alone(
    followed: TracedPath, known: Mapping[str, Fraction], paths: int
) -> Iterator[Mapping[str, Fraction]]:
    """Yield a point of a path with one number moved: others may be held to what they are."""
    moves = list(product(known, _ALONE))
    for name, value in _CHANCE.sample(moves, min(len(moves), max(4, _MOVED // paths))):
        at = {**known, name: value}
        if all(condition.holds(at) for condition in followed.given.assumed):
            yield at


def _beyond_floats(traced: TracedCase, compared: _Compared) -> Iterator[Mapping[str, Fraction]]:
    """Yield points of each path that are moved to where floats overflow, or are 0.

    Where nothing but integers that are divided becomes a float, they may overflow.
    """
    some = traced.floats or traced.arrays
    for place, followed in enumerate(traced.paths):
        known = compared.seen.get(place, {})
        for size in _BEYOND if some else _OVERFLOWING:
            at = {name: value * Fraction(2) ** size for name, value in known.items()}
            if at and all(condition.holds(at) for condition in followed.given.assumed):
                yield at
        tie = border_point(followed.given.assumed, traced.case.names) if some else None
        for shift, name in product(_CLOSE, tie or {}):
            at = dict(tie or {})
            at[name] += shift * max(Fraction(1), abs(at[name]))
            if all(condition.holds(at) for condition in _hypotheses_of(traced)):
                yield at


def _hypotheses_of(traced: TracedCase) -> Sequence[Condition]:
    """Return the hypotheses of all paths."""
    if not traced.paths:
        return ()
    first = traced.paths[0]
    return first.given.assumed[: len(first.given.assumed) - len(first.path.conditions)]


def _generic_of(
    place: int, followed: TracedPath, compared: _Compared, finder: Finder, names: Sequence[str]
) -> Iterator[Mapping[str, Fraction]]:
    """Yield a generic point of a path, where it has an inside."""
    conditions = followed.given.assumed
    known = compared.seen.get(place)
    size = _SIZES[place % len(_SIZES)]
    found = None if known is None else point_near(known, conditions, _CHANCE, size)
    if found is None and known is not None:
        base = finder.inside(conditions, names)
        found = None if base is None else point_near(base, conditions, _CHANCE, size)
    if found is not None:
        yield found


def _is_equal(slack: Number | None, foretold: Number | None, rounding: Fraction) -> bool:
    """Whether both are one number, up to rounding."""
    if slack is None or foretold is None:
        return slack is foretold
    return max(slack - foretold, foretold - slack) <= rounding


def _nearly(condition: Condition, at: Mapping[str, Fraction]) -> bool:
    """Whether a condition holds at a point, or fails by what rounding may explain."""
    polynomial = condition.polynomial
    largest = max((abs(at[name]) for name in polynomial.names), default=Fraction(0))
    size = sum((abs(c) * largest ** sum(e) for e, c in polynomial.terms), start=Fraction(0))
    return polynomial.value(at) >= -1024 * Fraction(FLOAT64) * size - _TINY


def _allow_rounding(setting: Setting, at: Mapping[str, Fraction]) -> Fraction:
    """Return what the rounding of floats may explain at a point."""
    return setting.rounding() + 1024 * Fraction(FLOAT64) * max(map(abs, at.values())) + _TINY


def _size(setting: Setting) -> str:
    """Return how large the largest number is that floats stand beside."""
    return f"about 10^{len(str(int(setting.rounding() * 2**42)))}"


def _where(instance: Instance) -> str:
    lies = f" with lies {show(instance.lies)}" if instance.lies else ""
    return f"types {show(instance.profile)}{lies}"


def _repeat_profiles(setting: Numbers) -> None:
    """Have Python run some profiles once more, last ones first: the outcome must be the same."""
    again = Setting(**_arguments(setting))
    for key, record in setting.records.items():
        again.keep(original(key), record)
    known = list(map(original, setting.records))
    for reports in known[:: -max(1, -(-len(known) // _REPEATED))]:
        if not again.repeats(reports):
            raise Untraced("the same reports do not always lead to the same outcome")
