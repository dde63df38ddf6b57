"""The trace against the code: the property's slack on the path, and as the mechanism really runs.

A trace sees what the code does with symbols. Code that looks at the kind of its reports, at whether
two of them are one object, or at what it was asked before, does something else with numbers. So the
code is run at exact points, and the property judged by its definition; one difference is enough to
refuse the trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from theory.incentives._instance import Instance
from theory.incentives._reading import Number, shown
from theory.incentives._setting import Setting, Unjudged
from theory.incentives.proving._cases import Traced
from theory.incentives.proving._points import Finder, Tree, border, far, mixed
from theory.incentives.proving._untraced import Untraced

__all__ = ["Agreement", "agreement"]

_MIXED: Final = 256
"""Points full of ties that a case is compared at; fewer where there are many cases."""

_FEWEST: Final = 24
_BORDERS: Final = 16
_REPEATED: Final = 64


@dataclass(frozen=True)
class Agreement:
    """At how many points trace and code agree: in every path, but for those that hold no point."""

    points: int
    paths: int
    empty: int = 0

    def __str__(self) -> str:
        but = f" but {self.empty:,} of {self.paths:,} that are empty" if self.empty else ""
        return f"the trace against the code at {self.points:,} exact points, in every path{but}"


def agreement(traced: Sequence[Traced], setting: Setting, finder: Finder) -> Agreement:
    """Compare traces with the mechanism at one point inside every path, at ties and thresholds.

    Raises
    ------
    Untraced
        Where the two differ, or a path may hold a point and none was found.
    """
    generator = np.random.default_rng(setting.seed)
    concrete, whole = setting.fresh(), setting.fresh()
    count = max(_FEWEST, _MIXED // max(1, len(traced)))
    points = empty = 0
    for each in traced:
        tree = Tree(followed.path for followed in each.paths)
        seen: set[int] = set()
        for at in _points(each, count, generator, seen, finder):
            place = _compared(each, tree, concrete, at, each.case.instance(at))
            seen.add(place)
            if concrete.inexact:
                raise Untraced("the code computes with floats")
            if all(value.denominator == 1 for value in at.values()):  # 2 may be written so, too
                integers = {name: value.numerator for name, value in at.items()}
                _compared(each, tree, whole, at, each.case.instance(integers))
            points += 1
        empty += len(each.paths) - len(seen)
    _repeated(concrete)
    return Agreement(points, sum(len(each.paths) for each in traced), empty)


def _points(
    traced: Traced, count: int, generator: np.random.Generator, seen: set[int], finder: Finder
) -> Iterator[dict[str, Fraction]]:
    """Yield points; those inside a path only where no earlier point lies there."""
    names = traced.case.names
    paths = [followed.path for followed in traced.paths]
    conditions = len(paths[0].conditions) if paths else 0
    first = traced.paths[0].given.assumed if paths else ()
    given = first[: len(first) - conditions]
    yield from mixed(names, given, paths, count, generator)
    yield from far(names, given, generator)
    chosen = range(0, len(paths), -(-len(paths) // _BORDERS))
    edges = (border(traced.paths[place].given.assumed, names) for place in chosen)
    yield from (at for at in edges if at is not None)
    for place, followed in enumerate(traced.paths):
        at = None if place in seen else finder.inside(followed.given.assumed, names)
        if at is not None:
            yield at


def _compared(
    traced: Traced, tree: Tree, setting: Setting, at: Mapping[str, Fraction], instance: Instance
) -> int:
    """Return the path of a point at which the trace agrees with the code."""
    case = traced.case
    place = tree.taken(at)
    if place is None:
        raise Untraced(f"a branch that was cut is taken at {_where(instance)}")
    followed = traced.paths[place]
    foretold = followed.path.value(at) if followed.met else None
    try:
        slack = case.prop.slack(case.judging(at, setting), instance)
    except Unjudged as unjudged:
        raise Untraced(f"the code fails {unjudged.fault}") from unjudged
    if not _same(slack, foretold, setting):
        told = "hypotheses that are not met" if foretold is None else f"a slack of {foretold}"
        found = "not met" if slack is None else str(slack)
        raise Untraced(
            f"the trace foretells {told} at {_where(instance)}, and the code comes to {found}: "
            "it looks at more than the values of its reports, or its numbers round or wrap"
        )
    return place


def _same(slack: Number | None, foretold: Number | None, setting: Setting) -> bool:
    """Whether both are one number; up to rounding, where integers were divided to floats."""
    if slack is None or foretold is None:
        return slack is foretold
    return max(slack - foretold, foretold - slack) <= setting.rounding()


def _where(instance: Instance) -> str:
    lies = f" with lies {shown(instance.lies)}" if instance.lies else ""
    return f"types {shown(instance.profile)}{lies}"


def _repeated(setting: Setting) -> None:
    """Run some profiles once more, last ones first: what was said of them must still be so."""
    known = list(setting.known)
    for reports in known[:: -max(1, len(known) // _REPEATED)]:
        if not setting.repeats(reports):
            raise Untraced("the same reports do not always lead to the same outcome")
