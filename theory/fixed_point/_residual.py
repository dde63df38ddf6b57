"""The residual of a distribution, from the moves as they were given."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from theory.fixed_point._law import read_law
from theory.fixed_point._mixture import MapMixture
from theory.shared.arguments import instance_of

__all__ = ["fixed_point_residual", "residual_on"]


def fixed_point_residual(maps: MapMixture, strategy: object) -> float | Fraction:
    r"""Return :math:`\|Qx - x\|_1`, how far a distribution is from a fixed point.

    It shares no code with the solvers. If x is played, T times half the residual, for rewards in
    [0, 1], is what it adds to the regret.

    Parameters
    ----------
    maps : MapMixture
    strategy : mapping, SparseStrategy, FixedPoint or row
        The distribution x: {index: probability}, or a row with one entry for each index.

    Returns
    -------
    float or Fraction
        A Fraction where the maps are exact. At most 2.

    Raises
    ------
    ProbabilityError
        When ``strategy`` is no distribution.
    ExactnessError
        When one of both is exact and the other is not.

    Notes
    -----
    O(moves) time, and O(moves log k) where the indices are far apart.

    Examples
    --------
    >>> maps = MapMixture.of(3, {(1, 2): "1/2"})
    >>> fixed_point_residual(maps, {1: 1})
    Fraction(1, 1)
    >>> fixed_point_residual(maps, {2: 1})
    Fraction(0, 1)
    """
    instance_of("maps", maps, MapMixture, "make one with MapMixture.of")
    law = read_law(maps, strategy)
    return residual_on(maps, tuple(law), tuple(law.values()))


def residual_on(maps: MapMixture, support: tuple[int, ...], law: Any) -> float | Fraction:
    """Return the residual of probabilities ``law`` of the indices ``support``, in order."""
    rows = (maps.moves.sources, maps.moves.targets, maps.constants.targets)
    if maps.exact or support[-1] > 2**62 or any(row.dtype != np.int64 for row in rows):
        exactly: Fraction | float = _by_definition(maps, dict(zip(support, law, strict=True)))
        return exactly
    from theory.fixed_point._kernels_residual import residual
    from theory.shared.compiling import cheapest

    where, chances = np.array(support, np.int64), np.asarray(law, np.float64)
    chances.flags.writeable = False
    work = 2 * len(maps.moves.weights) + 4 * len(where) + len(maps.constants.weights)
    return float(cheapest(residual, work)(*maps.moves, *maps.constants, where, chances))


def _by_definition(maps: MapMixture, law: dict[int, Any]) -> Any:
    zero = Fraction(0) if maps.exact else 0.0
    net: dict[int, Any] = {}
    for i, j, w in zip(*(row.tolist() for row in maps.moves), strict=True):
        if i in law:
            net[i] = net.get(i, zero) - law[i] * w
            net[j] = net.get(j, zero) + law[i] * w
    mass, jumping = sum(law.values()), zero
    for j, w in zip(*(row.tolist() for row in maps.constants), strict=True):
        net[j] = net.get(j, zero) + w * mass
        jumping += w
    for i, p in law.items():
        net[i] = net.get(i, zero) - jumping * p
    return sum(map(abs, net.values()), zero)
