"""Hypothesis as a searcher: strategies of types and instances, and its own shrinking."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from itertools import combinations
from math import isfinite
from random import Random
from typing import Any

from theory.errors import InvalidInputError
from theory.incentives._property import Instance, Shape
from theory.incentives._types import Box, DrawnTypes, Product, Reals, Simplex, TypeSpace
from theory.incentives.search._probe import SlackProbe
from theory.incentives.search._slots import fits
from theory.incentives.setting import Setting
from theory.shared.compiling import cache_folder

__all__ = ["find_failing"]

_PARTS = 2520


def find_failing(probe: SlackProbe, examples: int) -> bool:
    """Judge instances that Hypothesis draws, and shrinks where one fails; return whether one did.

    Seeded by the setting, and without a database, so that every run draws the same.
    """
    from hypothesis import Phase, Verbosity, errors, find, settings

    def failing(instance: Instance) -> bool:
        slack = probe(instance)
        return slack is not None and probe.fails(instance, slack)

    options = settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=False,
        phases=(Phase.generate, Phase.shrink),
        verbosity=Verbosity.quiet,
    )
    strategy = _instances(probe.prop.shape, probe.setting)
    probe.begin()
    # Flaky where a larger payment came in, to which the tolerance is relative.
    with suppress(errors.NoSuchExample, errors.Unsatisfiable, errors.Flaky), _files_elsewhere():
        find(strategy, failing, settings=options, random=Random(probe.setting.seed))
    return probe.found


@contextmanager
def _files_elsewhere() -> Iterator[None]:
    """Let Hypothesis keep its files in the cache folder, and not where the user stands.

    Where the user has chosen a folder for them, they go there; afterwards all is as it was.
    """
    from hypothesis import configuration

    if os.environ.get("HYPOTHESIS_STORAGE_DIRECTORY"):
        yield
        return
    before = vars(configuration).get("__hypothesis_home_directory")
    configuration.set_hypothesis_home_dir(os.path.join(cache_folder(), "hypothesis"))
    try:
        yield
    finally:
        configuration.set_hypothesis_home_dir(before)


def _instances(shape: Shape, setting: Setting) -> Any:
    from hypothesis import strategies as st

    teams = list(combinations(range(setting.agents), shape.agents))

    @st.composite
    def instances(draw: Callable[[Any], Any]) -> Instance:
        agents = draw(st.sampled_from(teams))
        owners = [*range(setting.agents if shape.profile else 0)]
        types = len(owners)
        owners += [shape.liar(agents, k) for k in range(shape.lies)]
        spaces = [setting.spaces[i] for i in owners]
        values: list[Any] = []
        for space in spaces:
            known = zip(values, spaces, strict=False)
            copies = [v for v, source in known if fits(v, source, space)]
            fresh = _types(space)
            values.append(
                _check_drawn_type(draw(fresh | st.sampled_from(copies) if copies else fresh))
            )
        return Instance(tuple(values[:types]), agents, tuple(values[types:]))

    return instances()


def _types(space: TypeSpace) -> Any:
    """Return a strategy of the types of a space."""
    from hypothesis import strategies as st

    match space:
        case DrawnTypes():
            return space.strategy
        case Box():
            sides = zip(space.low, space.high, strict=True)
            entries = st.tuples(*(_between(low, high) for low, high in sides))
            return entries if space.vector else entries.map(lambda each: each[0])
        case Reals():
            return _between(*space.near)
        case Simplex():
            weights = [st.integers(0, 16)] * space.dimension
            return st.tuples(*weights).filter(any).map(_law)
        case Product():
            return st.tuples(*map(_types, space.spaces))
    return st.sampled_from(space.members or ())


def _between(low: Fraction, high: Fraction) -> Any:
    """Return a strategy of numbers at which all denominators up to 10 divide the interval."""
    from hypothesis import strategies as st

    return st.integers(0, _PARTS).map(lambda k: low + (high - low) * Fraction(k, _PARTS))


def _law(weights: tuple[int, ...]) -> tuple[Fraction, ...]:
    return tuple(Fraction(w, sum(weights)) for w in weights)


def _check_drawn_type(type: Any) -> Any:
    parts = type if isinstance(type, tuple) else (type,)
    try:
        hash(type)
    except TypeError:
        fix = "map the strategy to hashable types, such as tuples"
        raise InvalidInputError("types", type, "is drawn and not hashable", fix) from None
    if any(isinstance(part, float) and not isfinite(part) for part in parts):
        fix = "draw with allow_nan=False and allow_infinity=False, or between bounds"
        raise InvalidInputError("types", type, "is drawn and not finite", fix)
    return type
