"""The elimination over the rationals, with integers over one denominator a row."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm

__all__ = ["stationary_exactly"]

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
    law = _eliminated(kept, hub)
    for p, out in ends.items():
        law[p] = sum((law[i] * r for i, r in flows_in[p]), Fraction(0)) / out
    law.pop(hub, None)
    mass = sum(law.values())
    return {i: law[i] / mass for i in sorted(law)}


def _eliminated(rates: Rows, hub: int) -> dict[int, Fraction]:
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
