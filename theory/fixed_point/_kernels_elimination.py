"""Stationary laws by elimination without subtractions (GTH), on sparse rows and on dense ones.

A state is taken out of the chain, and the flow through it is shared among the others as it would
go on. Rates between different states alone matter, so nothing is ever subtracted, and each
probability has a small relative error however nearly the chain falls apart, unless a product of
rates underflows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.fixed_point._kernels_reading import sum_in_order
from theory.shared.compiling import kernel

__all__ = ["stationary"]

_HUGE = 2.0**400
_DENSE_FROM = 0.2  # the share of entries from which dense rows are faster
_DENSE_TO = 4096  # states; 128 MiB of them

# Columns of ``edges``: ends of an edge, and its neighbours in the lists of its tail and its head.
_TAIL, _HEAD, _NEXT_OUT, _LAST_OUT, _NEXT_IN, _LAST_IN = 0, 1, 2, 3, 4, 5
# Columns of ``nodes``: first edges and numbers of edges, and neighbours among nodes of equal cost.
_OUT, _IN, _OUTS, _INS, _COST, _NEXT, _LAST = 0, 1, 2, 3, 4, 5, 6


@kernel
def stationary(chain: Any, members: Any, hub: Any) -> Any:
    """Return the stationary law on the members of a closed class; it sums to one.

    ``hub`` is the node that is no index, or -1: it never goes out, and its probability is left
    out.
    """
    n, first = len(members), chain[0]
    kept = n - 1 if members[n - 1] == hub else -1
    position = np.full(len(first) - 1, -1, np.int64)
    entries = 0
    for i in range(n):
        position[members[i]] = i
        entries += first[members[i] + 1] - first[members[i]]
    if _is_dense(n, entries):
        law = _solve_full_matrix(chain, members, position, kept)
    else:
        law = _eliminate_sparse(chain, members, position, kept)
    if kept >= 0:
        law[kept] = 0.0
    return law / sum_in_order(law)


@kernel
def _eliminate_sparse(chain: Any, members: Any, position: Any, kept: Any) -> Any:
    """Take out the state with the fewest ways through it, until what is left is dense."""
    n = len(members)
    nodes, edges, vals, end = _link_edges(chain, members, position)
    order, out = np.empty(n, np.int64), np.empty(n)
    where, cheapest = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    left, entries, lowest = n, end, 0
    for i in range(n - 1, -1, -1):
        if i != kept:
            _file_by_cost(nodes, cheapest, i)
    while left > 1 and not _is_dense(left, entries):
        while cheapest[lowest] < 0:
            lowest += 1
        p = cheapest[lowest]
        _remove_from_queue(nodes, cheapest, p)
        if end + nodes[p, _INS] * nodes[p, _OUTS] > len(vals):
            edges, vals = _grow_edges(edges, vals, end + nodes[p, _INS] * nodes[p, _OUTS])
        before = end
        end, out[p] = _eliminate_node(nodes, edges, vals, end, where, p)
        entries += end - before - nodes[p, _INS] - nodes[p, _OUTS]
        for side in range(2):  # the states that p leads to, then those that lead to p
            e = nodes[p, side]
            while e >= 0:
                i = edges[e, _HEAD - side]
                if i != kept:
                    _remove_from_queue(nodes, cheapest, i)
                    lowest = min(lowest, _file_by_cost(nodes, cheapest, i))
                e = edges[e, _NEXT_OUT + 2 * side]
        order[n - left] = p
        left -= 1
    law = _core(nodes, edges, vals, order[: n - left], kept)
    for step in range(n - left - 1, -1, -1):
        p, flow, e = order[step], 0.0, nodes[order[step], _IN]
        while e >= 0:
            flow += law[edges[e, _TAIL]] * vals[e]
            e = edges[e, _NEXT_IN]
        _extend(law, p, flow, out[p])
    return law


@kernel
def _is_dense(states: Any, entries: Any) -> Any:
    return states <= _DENSE_TO and entries >= _DENSE_FROM * states * (states - 1)


@kernel
def _extend(law: Any, p: Any, flow: Any, out: Any) -> Any:
    """Set law[p] to ``flow / out``; where that is huge, scale what is there down first.

    Where ``out`` has underflowed to zero, the state keeps all but nothing of the mass.
    """
    if out == 0.0:
        for i in range(len(law)):
            law[i] = 0.0
        law[p] = 1.0
        return
    while flow > out * _HUGE:
        flow /= _HUGE
        for i in range(len(law)):
            law[i] /= _HUGE
    law[p] = flow / out


@kernel
def _link_edges(chain: Any, members: Any, position: Any) -> Any:
    """Return the chain on the members as linked edges; parallel ones are added, loops left out."""
    first, heads, rates = chain
    n, entries, end = len(members), 0, 0
    for i in range(n):
        entries += first[members[i] + 1] - first[members[i]]
    nodes, where = np.full((n, 7), -1, np.int64), np.full(n, -1, np.int64)
    for i in range(n):
        nodes[i, _OUTS] = nodes[i, _INS] = 0
    edges, vals = np.empty((2 * entries, 6), np.int64), np.empty(2 * entries)
    for i in range(n):
        row = end
        for e in range(first[members[i]], first[members[i] + 1]):
            j = position[heads[e]]
            if j == i:
                continue
            if where[j] >= row:
                vals[where[j]] += rates[e]
            else:
                where[j] = end
                end = _add(nodes, edges, vals, end, i, j, rates[e])
    return nodes, edges, vals, end


@kernel
def _add(nodes: Any, edges: Any, vals: Any, e: Any, i: Any, j: Any, rate: Any) -> Any:
    """Add the edge numbered e, and return the next number."""
    edges[e, _TAIL], edges[e, _HEAD], vals[e] = i, j, rate
    edges[e, _NEXT_OUT], edges[e, _LAST_OUT] = nodes[i, _OUT], -1
    edges[e, _NEXT_IN], edges[e, _LAST_IN] = nodes[j, _IN], -1
    if nodes[i, _OUT] >= 0:
        edges[nodes[i, _OUT], _LAST_OUT] = e
    if nodes[j, _IN] >= 0:
        edges[nodes[j, _IN], _LAST_IN] = e
    nodes[i, _OUT] = nodes[j, _IN] = e
    nodes[i, _OUTS] += 1
    nodes[j, _INS] += 1
    return e + 1


@kernel
def _cut(nodes: Any, edges: Any, e: Any, node: Any, side: Any) -> Any:
    """Take an edge out of the list of its tail (side 0) or of its head (side 1)."""
    following, preceding = edges[e, _NEXT_OUT + 2 * side], edges[e, _LAST_OUT + 2 * side]
    if following >= 0:
        edges[following, _LAST_OUT + 2 * side] = preceding
    if preceding >= 0:
        edges[preceding, _NEXT_OUT + 2 * side] = following
    else:
        nodes[node, side] = following
    nodes[node, _OUTS + side] -= 1


@kernel
def _eliminate_node(nodes: Any, edges: Any, vals: Any, end: Any, where: Any, p: Any) -> Any:
    """Share what flows into p among where it goes on; return the next edge and the rate out of p.

    The others forget p, and p keeps its own edges: they tell later what flowed into it.
    """
    total, go = 0.0, nodes[p, _OUT]
    while go >= 0:
        total += vals[go]
        _cut(nodes, edges, go, edges[go, _HEAD], 1)
        go = edges[go, _NEXT_OUT]
    come = nodes[p, _IN]
    while come >= 0:
        i = edges[come, _TAIL]
        _cut(nodes, edges, come, i, 0)
        e = nodes[i, _OUT]
        while e >= 0:
            where[edges[e, _HEAD]] = e
            e = edges[e, _NEXT_OUT]
        go = nodes[p, _OUT] if total > 0 else -1
        while go >= 0:
            j, more = edges[go, _HEAD], vals[come] * (vals[go] / total)
            if where[j] >= 0:
                vals[where[j]] += more
            elif j != i:
                end = _add(nodes, edges, vals, end, i, j, more)
            go = edges[go, _NEXT_OUT]
        e = nodes[i, _OUT]
        while e >= 0:
            where[edges[e, _HEAD]] = -1
            e = edges[e, _NEXT_OUT]
        come = edges[come, _NEXT_IN]
    return end, total


@kernel
def _grow_edges(edges: Any, vals: Any, least: Any) -> Any:
    more_edges, more_vals = np.empty((2 * least, 6), np.int64), np.empty(2 * least)
    for e in range(len(vals)):
        more_vals[e] = vals[e]
        for side in range(6):
            more_edges[e, side] = edges[e, side]
    return more_edges, more_vals


@kernel
def _file_by_cost(nodes: Any, cheapest: Any, i: Any) -> Any:
    """Put a node among those with as many ways through it, and return how many."""
    cost = min(nodes[i, _OUTS] * nodes[i, _INS], len(cheapest) - 1)
    nodes[i, _COST], nodes[i, _NEXT], nodes[i, _LAST] = cost, cheapest[cost], -1
    if cheapest[cost] >= 0:
        nodes[cheapest[cost], _LAST] = i
    cheapest[cost] = i
    return cost


@kernel
def _remove_from_queue(nodes: Any, cheapest: Any, i: Any) -> Any:
    following, preceding = nodes[i, _NEXT], nodes[i, _LAST]
    if following >= 0:
        nodes[following, _LAST] = preceding
    if preceding >= 0:
        nodes[preceding, _NEXT] = following
    else:
        cheapest[nodes[i, _COST]] = following


@kernel
def _solve_full_matrix(chain: Any, members: Any, position: Any, kept: Any) -> Any:
    """Return the law, unscaled, of the chain on the members, from a full matrix of its rates."""
    first, heads, rates = chain
    n = len(members)
    place = np.arange(n)
    if kept >= 0:
        place[0], place[kept] = kept, 0
    for i in range(n):
        position[members[i]] = place[i]
    a = np.zeros((n, n))
    for i in range(n):
        row = a[place[i]]
        for e in range(first[members[i]], first[members[i] + 1]):
            row[position[heads[e]]] += rates[e]
    law, found = np.empty(n), _eliminate_dense(a)
    for i in range(n):
        law[i] = found[place[i]]
    return law


@kernel
def _core(nodes: Any, edges: Any, vals: Any, gone: Any, kept: Any) -> Any:
    """Return the law on the states that are left, unscaled, and zeros for those that are gone."""
    n = len(nodes)
    alive = np.ones(n, np.bool_)
    for step in range(len(gone)):
        alive[gone[step]] = False
    core, left = np.empty(n - len(gone), np.int64), 0
    for i in range(n):
        if alive[i]:
            core[left] = i
            left += 1
    if kept >= 0:
        core[0], core[len(core) - 1] = core[len(core) - 1], core[0]
    where, law = np.full(n, -1, np.int64), np.zeros(n)
    for b in range(len(core)):
        where[core[b]] = b
    a = np.zeros((len(core), len(core)))
    for b in range(len(core)):
        e = nodes[core[b], _OUT]
        while e >= 0:
            a[b, where[edges[e, _HEAD]]] = vals[e]
            e = edges[e, _NEXT_OUT]
    found = _eliminate_dense(a)
    for b in range(len(core)):
        law[core[b]] = found[b]
    return law


@kernel
def _eliminate_dense(a: Any) -> Any:
    """Return the law, unscaled, of the chain with these rates, which are overwritten.

    The last states go out first, four at a time; row m ends with what flowed into state m.
    """
    n = len(a)
    out, shares = np.empty(n), np.empty((4, n))
    last = n - 1
    while last > 0:
        width = 4 if last > 3 else 1
        rest = last - width + 1 if width > 1 else 0
        for q in range(width):
            m = last - q
            out[m] = _shares(a[m, :m], shares[q])
            _eliminate_state(a, m, rest, shares[q])
        if width > 1:
            _eliminate_four_states(a, last, shares[0], shares[1], shares[2], shares[3])
        last -= width
    law = np.zeros(n)
    law[0] = 1.0
    for m in range(1, n):
        flow = 0.0
        for i in range(m):
            flow += law[i] * a[m, i]
        _extend(law, m, flow, out[m])
    return law


@kernel
def _eliminate_state(a: Any, m: Any, rest: Any, shares: Any) -> Any:
    """Share what flows from each state rest..m-1 into state m among those below m."""
    for i in range(rest, m):
        f, row = a[i, m], a[i]
        a[m, i] = f
        for j in range(m):
            row[j] += f * shares[j]


@kernel
def _eliminate_four_states(a: Any, last: Any, r0: Any, r1: Any, r2: Any, r3: Any) -> Any:
    """Share what flows from the states below the last four through these, one after another."""
    m1, m2, m3 = last - 1, last - 2, last - 3
    s1, s2, s3, t2, t3, u3 = r0[m1], r0[m2], r0[m3], r1[m2], r1[m3], r2[m3]
    for i in range(m3):
        row = a[i]
        f0 = row[last]
        f1 = row[m1] + f0 * s1
        f2 = row[m2] + f0 * s2 + f1 * t2
        f3 = row[m3] + f0 * s3 + f1 * t3 + f2 * u3
        a[last, i], a[m1, i], a[m2, i], a[m3, i] = f0, f1, f2, f3
        for j in range(m3):
            row[j] += (f0 * r0[j] + f1 * r1[j]) + (f2 * r2[j] + f3 * r3[j])


@kernel
def _shares(rates: Any, shares: Any) -> Any:
    """Return the sum of the rates, and set ``shares`` to how it divides."""
    s0 = s1 = s2 = s3 = 0.0
    m = len(rates)
    for j in range(0, m - 3, 4):
        s0 += rates[j]
        s1 += rates[j + 1]
        s2 += rates[j + 2]
        s3 += rates[j + 3]
    for j in range(m - m % 4, m):
        s0 += rates[j]
    total = (s0 + s1) + (s2 + s3)
    for j in range(m):
        shares[j] = rates[j] / total if total > 0 else 0.0
    return total
