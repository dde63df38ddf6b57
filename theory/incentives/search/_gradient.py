"""Gradient ascent through mechanisms that JAX can trace, from many starting points at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from theory.incentives._mechanism import Traced
from theory.incentives._property import Instance, Property
from theory.incentives._types import Box, Product, Reals, Simplex, TypeSpace
from theory.incentives.search._ranks import ranks
from theory.incentives.search._slots import slots
from theory.incentives.setting import OutcomeAtFault, Setting
from theory.shared.shapes import Point, Row

__all__ = ["climb", "differentiable"]


# --- Type spaces as regions of float64 vectors, for searches along a gradient


@dataclass(frozen=True)
class Region:
    """Where the entries of a type may lie.

    Attributes
    ----------
    low, high : arrays of shape (entries,)
        Bounds; equal where an entry stays as it is.
    simplex : bool
        Whether the entries are a probability law.
    """

    low: Row
    high: Row
    simplex: bool
    space: TypeSpace

    def project(self, point: Any) -> Any:
        """Return the nearest point of the region to a JAX array of shape (entries,).

        For the simplex source: Held, Wolfe and Crowder, Validation of subgradient optimization
        (1974): shift all entries alike and cut at 0, so that the sum is 1.
        """
        import jax.numpy as jnp

        if not self.simplex:
            return jnp.where(self.high > self.low, jnp.clip(point, self.low, self.high), point)
        ordered = jnp.sort(point)[::-1]
        shifts = (jnp.cumsum(ordered) - 1) / jnp.arange(1, len(point) + 1)
        support = jnp.sum(ordered > shifts)
        return jnp.maximum(point - shifts[support - 1], 0)

    def read(self, entries: list[float], start: Any) -> Any:
        """Return the type with these entries, floats as the rationals they are, as in ``start``.

        The least change that the space asks for is made: an entry of a box that rounding moved
        past a bound is the bound, the largest of a simplex is what the others leave of 1.
        """
        exact = [Fraction(e) for e in entries]
        if self.simplex:
            largest = max(range(len(exact)), key=exact.__getitem__)
            exact[largest] += 1 - sum(exact)
            return tuple(exact)
        return _clip_to_region(self.space, start, iter(exact))


def region(space: TypeSpace, width: int) -> Region:
    """Return the region of a space whose types have ``width`` entries; lists stay as they are."""
    if isinstance(space, Simplex):
        return Region(np.zeros(width), np.ones(width), True, space)
    bounds = [(float(low), float(high)) for low, high in _bounds(space, width)]
    low, high = np.array(bounds, dtype=np.float64).reshape(width, 2).T
    return Region(low, high, False, space)


def _bounds(space: TypeSpace, width: int) -> Iterator[tuple[Any, Any]]:
    if isinstance(space, Box):
        yield from zip(space.low, space.high, strict=True)
    elif isinstance(space, Reals):
        yield space.near
    elif isinstance(space, Product):
        for part in space.spaces:
            yield from _bounds(part, 1)
    else:
        yield from [(0, 0)] * width


def _clip_to_region(space: TypeSpace, start: Any, entries: Iterator[Fraction]) -> Any:
    """Take entries off one by one: those of boxes within bounds, else what ``start`` has."""
    if isinstance(space, Box):
        bounds = zip(space.low, space.high, strict=True)
        clipped = tuple(min(max(next(entries), low), high) for low, high in bounds)
        return clipped if space.vector else clipped[0]
    if isinstance(space, Reals):
        return space.clip(next(entries))
    if isinstance(space, Product):
        pairs = zip(space.spaces, start, strict=True)
        return tuple(_clip_to_region(part, at, entries) for part, at in pairs)
    if not isinstance(start, tuple):
        next(entries)
    return start


# --- Gradient ascent through mechanisms that JAX can trace, from many starting points at once

Utilities = Callable[[Any, Any], Any]
"""From types and reports, of shape (agents, entries), to utilities, of shape (agents,)."""
Violation = Callable[[Any, Any], Any]
"""From an agent and a point to a number."""


def _gain_by_lie(utilities: Utilities, agent: Any, profile: Any, lie: Any) -> Any:
    import jax
    import jax.numpy as jnp

    reports = jnp.stack([profile.at[agent].set(lie), profile])  # compiled once, not for each
    lying, honest = jax.vmap(utilities, in_axes=(None, 0))(profile, reports)
    return lying[agent] - honest[agent]


def _taking_part(utilities: Utilities, agent: Any, profile: Any, lie: Any) -> Any:
    del lie
    return -utilities(profile, profile)[agent]


_GAINS: dict[str, Callable[[Utilities, Any, Any, Any], Any]] = {
    "dsic": _gain_by_lie,
    "individually_rational": _taking_part,
}


def differentiable(prop: Property, setting: Setting) -> bool:
    """Whether the violation of this property by this mechanism may have a gradient."""
    return isinstance(setting.mechanism, Traced) and prop.name in _GAINS


def climb(
    prop: Property, setting: Setting, pool: Sequence[Instance], starts: int, steps: int
) -> list[Instance]:
    """Return where ascent of the violation ends, in float64, best first.

    All of ``pool`` is judged at once, and ascent starts from at most ``starts`` of it, chosen by
    violation, so that it starts on the far side of jumps, too. Each of ``steps`` steps goes
    along the gradient, scaled by the widths of the spaces and projected to them; its length grows
    by a half where the violation grew and halves where not. Starts and ends are returned, to be
    judged exactly. Empty where JAX cannot trace mechanism and values.
    """
    import jax

    with jax.enable_x64(True):
        violation = _trace_violation(prop, setting, pool)
        return _climb_all(setting, violation, pool, starts, steps) if violation else []


def _trace_violation(
    prop: Property, setting: Setting, pool: Sequence[Instance]
) -> Violation | None:
    """Return the violation at an agent and a point, or None where it has no gradient."""
    import jax

    for sample in pool:
        try:
            violation = _violation(prop, setting, sample)
            jax.eval_shape(jax.grad(violation, argnums=1), 0, _point(sample))
        except OutcomeAtFault:
            continue
        except Exception:  # a user's functions can fail in tracing in any way
            return None
        return violation
    return None


def _climb_all(
    setting: Setting, violation: Violation, pool: Sequence[Instance], starts: int, steps: int
) -> list[Instance]:
    import jax
    import jax.numpy as jnp

    points = np.array([_point(instance) for instance in pool])
    owners = np.array([instance.agents[0] for instance in pool])
    regions = [region(space, points.shape[2]) for space in setting.spaces]
    widths = jnp.array([r.high - r.low for r in regions])

    def projected(agent: Any, point: Any) -> Any:
        profile = [r.project(row) for r, row in zip(regions, point[:-1], strict=True)]
        lie = jnp.stack([r.project(point[-1]) for r in regions])[agent]
        return jnp.stack([*profile, lie])

    def ascend(agent: Any, start: Any) -> Any:
        scale = jnp.concatenate([widths, widths[agent][None]])

        def step(k: Any, state: Any) -> Any:
            point, value, slope, length = state
            moved = jnp.where(k == 0, start, projected(agent, point + length * scale * slope))
            reached, risen = jax.value_and_grad(violation, argnums=1)(agent, moved)
            risen = jnp.nan_to_num(risen) * scale
            risen = risen / jnp.maximum(jnp.linalg.norm(risen), 1e-300)
            better = reached > value
            return (
                jnp.where(better, moved, point),
                jnp.where(better, reached, value),
                jnp.where(better, risen, slope),
                length * jnp.where(k == 0, 1.0, jnp.where(better, 1.5, 0.5)),
            )

        state = (start, -jnp.inf, jnp.zeros_like(start), jnp.asarray(0.1))
        point, value, _, _ = jax.lax.fori_loop(0, steps + 1, step, state)
        return point, value

    at_pool = np.asarray(jax.jit(jax.vmap(violation))(owners, points))
    ranked = np.argsort(-np.nan_to_num(at_pool, nan=-np.inf), kind="stable")
    worst = ranked[ranks(len(pool), starts)]
    chosen = [pool[int(k)] for k in worst]
    ends, reached = map(np.asarray, jax.jit(jax.vmap(ascend))(owners[worst], points[worst]))
    order = np.argsort(-np.nan_to_num(reached, nan=-np.inf), kind="stable")
    ended = [_read(regions, chosen[int(k)], ends[k]) for k in order]
    return [*ended, *chosen]


def _point(instance: Instance) -> Point:
    """Return the types, and last the lie, or the type again where the property has no lies."""
    said = slots(instance)
    rows = said if instance.lies else (*said, instance.profile[instance.agents[0]])
    return np.array(rows, dtype=np.float64).reshape(len(rows), -1)


def _violation(prop: Property, setting: Setting, sample: Instance) -> Violation:
    import jax.numpy as jnp

    scalar = not isinstance(sample.profile[0], tuple)
    allocation = setting.record(sample.profile).support[0][0]
    valuation = setting.valuation(sample.profile[0], allocation)

    def shape(rows: Any) -> Any:
        return rows[:, 0] if scalar else rows

    def utilities(types: Any, reports: Any) -> Any:
        shares, payments = setting.mechanism.function(shape(reports))
        kinds = shape(types)
        worth = [valuation.value(i, kinds[i], shares) for i in range(setting.agents)]
        return jnp.stack(worth) - payments

    def violation(agent: Any, point: Any) -> Any:
        return _GAINS[prop.name](utilities, agent, point[:-1], point[-1])

    return violation


def _read(regions: Sequence[Region], start: Instance, point: Point) -> Instance:
    """Return the instance at a point, rows that had no freedom as they were."""
    agent = start.agents[0]
    pairs = zip(regions, point[:-1], start.profile, strict=True)
    profile = tuple(r.read(row.tolist(), old) for r, row, old in pairs)
    lies = tuple(regions[agent].read(point[-1].tolist(), lie) for lie in start.lies)
    return Instance(profile, start.agents, lies)
