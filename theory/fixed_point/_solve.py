"""Fixed points: closed classes first, then elimination within one; or the linear program."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np

from theory.errors import ExactnessError, InvalidInputError, UnknownNameError, nearest
from theory.fixed_point import _reading
from theory.fixed_point._local import Class, Local, closed_class, localise_moves
from theory.fixed_point._mixture import MapMixture
from theory.fixed_point._program import SOLVERS, solve_program
from theory.fixed_point._residual import residual_on
from theory.fixed_point._result import FixedPoint
from theory.shared.arguments import instance_of, read_count

__all__ = ["fixed_point"]


# --- The elimination over the rationals, with integers over one denominator a row

Rows = dict[int, dict[int, Fraction]]


def stationary_exactly(rates: Rows, hub: int) -> dict[int, Fraction]:
    """Return the stationary law of an irreducible chain; it sums to one.

    Parameters
    ----------
    rates : mapping from state to {other state: positive rate}
    hub : int
        The state that is no index, or -1; its probability is left out.

    Notes
    -----
    States that lead to the hub alone come out at once: there may be many, and what flows to one
    flows on to the hub. The others are eliminated one by one.
    """
    ends = {i: row[hub] for i, row in rates.items() if len(row) == 1 and hub in row}
    flows_in: dict[int, list[tuple[int, Fraction]]] = {p: [] for p in ends}
    kept: Rows = {}
    for i, row in rates.items():
        if i not in ends:
            kept[i] = {j: r for j, r in row.items() if j not in ends}
            passed = [r for j, r in row.items() if j in ends]
            if passed and i != hub:
                kept[i][hub] = sum(passed, kept[i].get(hub, Fraction(0)))
            for j in row.keys() & ends.keys():
                flows_in[j].append((i, row[j]))
    law = _eliminate_states(kept, hub)
    for p, out in ends.items():
        law[p] = sum((law[i] * r for i, r in flows_in[p]), Fraction(0)) / out
    law.pop(hub, None)
    mass = sum(law.values())
    return {i: law[i] / mass for i in sorted(law)}


def _eliminate_states(rates: Rows, hub: int) -> dict[int, Fraction]:
    """Return what the stationary law is in proportion to."""
    rows, scales = _integers(rates)
    into: dict[int, set[int]] = {i: set() for i in rows}
    for i, row in rows.items():
        for j in row:
            into[j].add(i)
    steps: list[tuple[int, Fraction, dict[int, Fraction]]] = []
    while len(rows) > 1:
        p = min(rows, key=lambda i: (i == hub, len(rows[i]) * len(into[i]), i))
        go, come = rows.pop(p), into.pop(p)
        total = sum(go.values())
        for j in go:
            into[j].remove(p)
        flows: dict[int, Fraction] = {}
        for i in sorted(come):
            row = rows[i]
            f = row.pop(p)
            flows[i] = Fraction(f, scales[i])
            mixed = {j: total * a for j, a in row.items()}
            for j, b in go.items():
                if j != i:
                    mixed[j] = mixed.get(j, 0) + f * b
                    into[j].add(i)
            shared = gcd(scales[i] * total, *mixed.values())
            rows[i] = {j: a // shared for j, a in mixed.items()}
            scales[i] = scales[i] * total // shared
        steps.append((p, Fraction(total, scales[p]), flows))
    law = {next(iter(rows)): Fraction(1)}
    for p, out, flows in reversed(steps):
        law[p] = sum((law[i] * f for i, f in flows.items()), Fraction(0)) / out
    return law


def _integers(rates: Rows) -> tuple[dict[int, dict[int, int]], dict[int, int]]:
    rows, scales = {}, {}
    for i, row in rates.items():
        scale = lcm(*(r.denominator for r in row.values()))
        rows[i] = {j: int(r * scale) for j, r in row.items()}
        scales[i] = scale
    return rows, scales


# --- Fixed points: closed classes first, then elimination within one; or the linear program


def fixed_point(maps: MapMixture, *, method: str = "gth", start: int | None = None) -> FixedPoint:
    r"""Return a distribution x with Qx = x for a mixture of maps, or a Markov chain.

    Fixed points are the mixtures of the stationary laws of the closed classes; the one returned
    lives on one class. With ``start`` it is the class with the lowest index among those that
    ``start`` leads to, else the class with the lowest index of all. An index that no move leaves
    is a closed class by itself, so a fixed point at once (without constant maps); with constant
    maps there is one closed class.

    Parameters
    ----------
    maps : MapMixture
    method : {"gth", "highs", "cvxpy"}
        "gth" finds the closed classes and eliminates states within one, without subtractions: each
        probability has a small relative error however nearly the chain falls apart (unless products
        of weights underflow, see the notes), and exact maps give an exact answer. The others
        minimise :math:`\|Qx - x\|_1` over distributions on the touched indices as a linear
        program, in float64; their answer may mix classes, and on nearly decoupled chains it can be
        far from the stationary law with a tiny residual.
    start : int, optional
        For "gth".

    Returns
    -------
    FixedPoint

    Raises
    ------
    InvalidInputError
        When ``start`` is no index or comes with a linear program, or when cvxpy is missing.
    UnknownNameError
        When the method is unknown.
    ExactnessError
        When exact maps meet a linear program.
    SolverError
        When a linear program's solver gives up.

    Notes
    -----
    For m moves on k touched indices, O(m) time to find the classes, O(m log m) where the indices
    are far apart, and at most O(k^3) for the elimination, less where it stays sparse; rows are
    dense only once a fifth of their entries is positive. The size does not matter. The elimination
    is that of Grassmann, Taksar and Heyman [1]_, the classes are found by Tarjan's algorithm [2]_.

    The elimination multiplies weights along paths through the class, and law by weight. A product
    below 1e-292 may lose digits, and one below 5e-324 all of them: then probabilities may be wrong
    in their first digits, or missing from the support, even where float64 would hold them. Each has
    a small relative error for certain where w (w / s)^(k - 2) >= 1e-146, in a class of k >= 2
    states with weights (those of one move added up) of at least w, of which those that leave one
    state sum to at most s; constant maps add a state and make s = 1. Three states are safe with
    weights from 1e-73 on. Beyond, write the weights as Fractions.

    References
    ----------
    .. [1] W. K. Grassmann, M. I. Taksar and D. P. Heyman, "Regenerative analysis and steady state
       distributions for Markov chains", Operations Research 33 (1985).
    .. [2] R. Tarjan, "Depth-first search and linear graph algorithms", SIAM Journal on Computing 1
       (1972).

    Examples
    --------
    >>> e = 1e-300
    >>> chain = MapMixture.from_matrix([[1 - e, e], [2 * e, 1 - 2 * e]])
    >>> print(fixed_point(chain))
    Fixed point on 2 of 2 indices (the only one), by gth: residual 0
    index  probability
    ─────  ───────────
    0      0.666667
    1      0.333333
    >>> fixed_point(MapMixture.of(10**18, {(0, 5): "1/3", (5, 0): "1/2"}), start=5).weights
    (Fraction(3, 5), Fraction(2, 5))
    """
    instance_of("maps", maps, MapMixture, "make one with MapMixture.of")
    if start is not None:
        start = read_count("start", start, 0)
        if start >= maps.size:
            _reading.refuse_index("start", start, maps.size)
    _check_method(method)
    if method != "gth":
        _check_program(maps, method, start)
    local = localise_moves(maps)
    found = closed_class(maps, local, start)
    if method != "gth" and found.touched:
        support, weights = _list_support(
            local, np.arange(found.touched), solve_program(maps, local, method)
        )
    elif found.alone is not None:
        support, weights = (found.alone,), (Fraction(1),) if maps.exact else np.ones(1)
    elif maps.exact:
        support, weights = _exactly(maps, local, found)
    else:
        support, weights = _in_floats(local, found)
    if isinstance(weights, np.ndarray):
        weights.flags.writeable = False
    return FixedPoint(
        support=support,
        weights=weights,
        size=maps.size,
        gap=residual_on(maps, support, weights),
        method=method,
        sources=found.sources,
        touched=found.touched,
        unique=found.unique,
        arithmetic="exact" if maps.exact else "float64",
    )


def _check_method(method: Any) -> None:
    known = ["gth", *SOLVERS]
    if not isinstance(method, str) or method not in known:
        raise UnknownNameError("method", method, "is unknown", nearest(method, known))


def _check_program(maps: MapMixture, method: str, start: int | None) -> None:
    if start is not None:
        problem = f"does not go with method {method!r}, which may mix closed classes"
        raise InvalidInputError("start", start, problem, "leave it out, or use method='gth'")
    if maps.exact and not maps.idle:
        fix = "use method='gth', or maps.as_floats()"
        raise ExactnessError("method", method, "works in float64, and the maps are exact", fix)


def _list_support(local: Local, where: np.ndarray, law: np.ndarray) -> tuple[tuple[int, ...], Any]:
    """Return the indices with positive probability, and these."""
    if not law.all():
        where, law = where[law > 0], law[law > 0]
    return tuple(local.labels[where].tolist()), law


def _in_floats(local: Local, found: Class) -> tuple[tuple[int, ...], Any]:
    from theory.fixed_point._kernels_elimination import stationary
    from theory.shared.compiling import cheapest

    members = found.members
    if len(members) == 1:
        return (int(local.labels[members[0]]),), np.ones(1)
    work = len(members) * (20 + len(found.chain[1]) // 3)
    law = cheapest(stationary, work)(found.chain, members, found.hub)
    if found.hub >= 0:
        members, law = members[:-1], law[:-1]
    return _list_support(local, members, law)


def _exactly(maps: MapMixture, local: Local, found: Class) -> tuple[tuple[int, ...], Any]:
    inside = set(found.members.tolist())
    rates: dict[int, dict[int, Fraction]] = {i: {} for i in inside}
    weights = maps.moves.weights.tolist()
    for i, j, w in zip(local.sources.tolist(), local.targets.tolist(), weights, strict=True):
        if i in inside:
            rates[i][j] = rates[i].get(j, Fraction(0)) + w
    if found.hub >= 0:
        total = sum(maps.constants.weights.tolist(), Fraction(0))
        for i in inside - {found.hub}:
            rates[i][found.hub] = total
        for j, w in zip(local.jumps.tolist(), maps.constants.weights.tolist(), strict=True):
            rates[found.hub][j] = rates[found.hub].get(j, Fraction(0)) + w
    law = stationary_exactly(rates, found.hub)
    return tuple(int(local.labels[i]) for i in law), tuple(law.values())
