"""Convexity of the indirect utility."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from theory.incentives._property import Instance, Property, Shape, Side
from theory.incentives._reading import Number, is_number, is_vector, show
from theory.incentives._types import Product, TypeSpace
from theory.incentives.properties._fibres import (
    distance,
    has_own_values,
    have_points,
    others_reports,
    replace_report,
    truthful_utility,
)
from theory.incentives.properties.shared import describe_outcome, others_say
from theory.incentives.setting import Setting

__all__ = ["ConvexUtility"]

Point = tuple[Number, ...]


class ConvexUtility(Property):
    r"""Truthful utility is convex in the type.

    .. math:: U((1 - w) s + w t) \le (1 - w) U(s) + w U(t)

    for every agent, types s and t, and w between 0 and 1 with all three types in the type space,
    reports of the others fixed. Types are numbers or vectors of numbers and values are linear in
    them, so that the utility of a truthful mechanism is the greatest of linear functions.

    Over finite types s and t are two steps apart, with just one type between them: a function on
    points of a line is convex just where it is at all threes of neighbours. Over real types the
    type between is halfway, or where listed entries of a vector are between those of the ends.

    Source: Rochet, A necessary and sufficient condition for rationalizability in a quasi-linear
    context, Journal of Mathematical Economics 16 (1987).
    """

    name = "convex_utility"
    minimality = "all pairs of types with one type between were judged: none that fails is smaller"
    statement = "U((1−w)s + wt) ≤ (1−w) U(s) + w U(t)"
    depends_on_own_payoff = True
    shape = Shape(agents=1, lies=1)

    def why_inapplicable(self, setting: Setting) -> str:
        """Return that types are no numbers or vectors, or values not linear in them."""
        linear = setting.passed_values is None or setting.passed_values.linear
        if linear and not has_own_values(setting) and have_points(setting):
            return ""
        return "it is about values linear in types that are numbers or vectors of numbers"

    def slack(self, setting: Setting, instance: Instance) -> Number | None:
        """Return the least distance from the chord; None where no type is between."""
        return min((chord - u for _, u, chord in _between(setting, instance)), default=None)

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return the outcomes at both ends and between, with utilities."""
        (agent,), (end,) = instance.agents, instance.lies
        type, utility, chord = _lowest(setting, instance)
        rows: list[Side] = []
        for t in (instance.profile[agent], end, type):
            reports = replace_report(instance.profile, agent, t)
            rows += [
                (f"reports {show(reports)}", describe_outcome(setting, reports)),
                (
                    f"utility of agent {agent}",
                    show(truthful_utility(setting, agent, reports)),
                ),
            ]
        return [
            *rows,
            (
                f"between the ends, at {show(type)}",
                f"{show(utility)}, on the chord {show(chord)}",
            ),
        ]

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return where utility is above the chord."""
        (agent,), (end,) = instance.agents, instance.lies
        type, utility, chord = _lowest(setting, instance)
        return (
            f"utility of agent {agent} at type {show(type)} is {show(utility)}, above the "
            f"{show(chord)} on the line between types {show(instance.profile[agent])} and "
            f"{show(end)}{others_say(instance.profile, instance.agents)}"
        )

    def instances(self, setting: Setting) -> Iterator[Instance]:
        """Yield the pairs of an agent's types two steps apart, for all reports of the others."""
        for agent in range(setting.agents):
            pairs = list(_two_apart(setting.types(agent)))
            for others in others_reports(setting, agent):
                for s, t in pairs:
                    yield Instance(replace_report(others, agent, s), (agent,), (t,))


def _lowest(setting: Setting, instance: Instance) -> tuple[Any, Number, Number]:
    return min(_between(setting, instance), key=lambda found: found[2] - found[1])


def _between(setting: Setting, instance: Instance) -> Iterator[tuple[Any, Number, Number]]:
    """Yield the types strictly between the ends, with utility there and height of the chord."""
    (agent,), (end,) = instance.agents, instance.lies
    start = instance.profile[agent]
    points = [(t, w) for t, w in _points(setting, agent, start, end) if 0 < w < 1]
    if points:
        at_start = truthful_utility(setting, agent, instance.profile)
        at_end = truthful_utility(setting, agent, replace_report(instance.profile, agent, end))
        for t, w in points:
            u = truthful_utility(setting, agent, replace_report(instance.profile, agent, t))
            yield t, u, (1 - w) * at_start + w * at_end


def _points(setting: Setting, agent: int, start: Any, end: Any) -> Iterator[tuple[Any, Number]]:
    """Yield types on the line through two, t = (1 - w) start + w end, with w."""
    a, b = _point(start), _point(end)
    steps = [y - x for x, y in zip(a, b, strict=False)]
    axis = next((k for k, step in enumerate(steps) if step), None)
    if axis is None or len(a) != len(b):
        return
    if not setting.types(agent):
        yield from _of_a_space(setting.spaces[agent], start, a, b)
        return
    for t in setting.types(agent):
        m = _point(t)
        if len(m) != len(a):
            continue
        w = Fraction(m[axis] - a[axis]) / steps[axis]
        if all(x + w * step == y for x, step, y in zip(a, steps, m, strict=True)):
            yield t, w


def _of_a_space(space: TypeSpace, start: Any, a: Point, b: Point) -> Iterator[tuple[Any, Number]]:
    """Yield the type halfway; where a listed entry differs, those at all that it has between."""
    if not space.grid(1):
        return
    parts: tuple[TypeSpace, ...] = space.spaces if isinstance(space, Product) else ()
    listed = ((part.members, x, y) for part, x, y in zip(parts, a, b, strict=False) if part.members)
    between = next(([(v - x, y - x) for v in known] for known, x, y in listed if x != y), None)
    shares = [Fraction(1, 2)] if between is None else [Fraction(d) / whole for d, whole in between]
    for w in shares:
        point = tuple(x + w * (y - x) for x, y in zip(a, b, strict=True))
        type = point if is_vector(start) else point[0]
        if type in space:
            yield type, w


def _two_apart(types: tuple[Any, ...]) -> Iterator[tuple[Any, Any]]:
    """Yield the pairs of types with just one type strictly between."""
    if all(map(is_number, types)):
        ordered = sorted(types)
        yield from zip(ordered, ordered[2:], strict=False)
        return
    for middle in types:
        nearest: dict[Point, tuple[Number, Any]] = {}
        for t in types:
            if t != middle and len(_point(t)) == len(_point(middle)):
                length, direction = _ray(_point(middle), _point(t))
                if direction not in nearest or length < nearest[direction][0]:
                    nearest[direction] = length, t
        for direction, (_, t) in nearest.items():
            back = tuple(-x for x in direction)
            if direction > back and back in nearest:
                yield nearest[back][1], t


def _ray(start: Point, end: Point) -> tuple[Number, Point]:
    """Return how far apart two points are along their first different entry, and the direction."""
    steps = [y - x for x, y in zip(start, end, strict=True)]
    length = next(distance(step, 0) for step in steps if step)
    return length, tuple(Fraction(step) / length for step in steps)


def _point(type: Any) -> Point:
    return tuple(type) if is_vector(type) else (type,)
