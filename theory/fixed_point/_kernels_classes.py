"""Indices numbered 0..k-1, and the closed classes of the chain on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.fixed_point._kernels_reading import sum_in_order
from theory.shared.compiling import kernel

__all__ = ["closed_classes", "numbered_by_table"]


@kernel
def numbered_by_table(one: Any, two: Any, three: Any, width: Any) -> Any:
    """Return the distinct labels below ``width``, sorted, and three rows as positions in them."""
    rank, count = np.full(width, -1, np.int64), 0
    for row in (one, two, three):
        for n in range(len(row)):
            rank[row[n]] = 0
    distinct = np.empty(width, np.int64)
    for i in range(width):
        if rank[i] == 0:
            distinct[count], rank[i] = i, count
            count += 1
    gaps = count < width
    found = (
        _pick_positions(rank, one, gaps),
        _pick_positions(rank, two, gaps),
        _pick_positions(rank, three, gaps),
    )
    return (distinct[:count], *found)


@kernel
def _pick_positions(rank: Any, row: Any, gaps: Any) -> Any:
    where = np.empty(len(row), np.int32)
    if gaps:
        for n in range(len(row)):
            where[n] = rank[row[n]]
    else:  # every label is its own position
        for n in range(len(row)):
            where[n] = row[n]
    return where


@kernel
def _rows(
    count: Any, sources: Any, targets: Any, weights: Any, jumps: Any, jump_weights: Any
) -> Any:
    """Return the chain by rows, and how many have moves.

    With jumps, node ``count`` is a hub that every index jumps to.
    """
    hub = len(jumps) > 0
    nodes = count + 1 if hub else count
    first = np.zeros(nodes + 1, np.int64)
    begin, moving = 0, 0
    for e in range(1, len(sources) + 1):  # by runs of equal sources
        if e == len(sources) or sources[e] != sources[begin]:
            moving += first[sources[begin] + 1] == 0
            first[sources[begin] + 1] += e - begin
            begin = e
    if hub:
        for i in range(count):
            first[i + 1] += 1
        first[nodes] += len(jumps)
    for i in range(nodes):
        first[i + 1] += first[i]
    free = first[:-1].copy()
    heads, rates = np.empty(first[nodes], np.int32), np.empty(first[nodes], np.float64)
    begin = 0
    for e in range(1, len(sources) + 1):
        if e == len(sources) or sources[e] != sources[begin]:
            at = free[sources[begin]]
            for n in range(e - begin):
                heads[at + n], rates[at + n] = targets[begin + n], weights[begin + n]
            free[sources[begin]] = at + e - begin
            begin = e
    if hub:
        total = sum_in_order(jump_weights)
        for i in range(count):
            heads[free[i]], rates[free[i]] = count, total
        for e in range(len(jumps)):
            at = first[count] + e
            heads[at], rates[at] = jumps[e], jump_weights[e] / total
    return (first, heads, rates), moving


@kernel
def _is_connected(first: Any, heads: Any) -> Any:
    """Say whether node 0 leads to all nodes and all of them to it, where that is quickly seen."""
    nodes = len(first) - 1
    seen, queue = np.zeros(nodes, np.bool_), np.empty(nodes, np.int64)
    queue[0], seen[0] = 0, True
    waiting, left = 1, nodes - 1
    while waiting > 0 and left > 0:
        waiting -= 1
        i = queue[waiting]
        for e in range(first[i], first[i + 1]):
            if not seen[heads[e]]:
                seen[heads[e]], queue[waiting] = True, heads[e]
                waiting += 1
                left -= 1
    if left > 0:
        return False
    back, left = np.zeros(nodes, np.bool_), nodes - 1
    back[0] = True
    for _ in range(3):
        for i in range(nodes - 1, 0, -1):
            if not back[i]:
                for e in range(first[i], first[i + 1]):
                    if back[heads[e]]:
                        back[i] = True
                        left -= 1
                        break
    return left == 0


@kernel
def _components(first: Any, heads: Any) -> Any:
    """Return the strong components (Tarjan, without recursion), sinks first, and their number."""
    nodes = len(first) - 1
    if _is_connected(first, heads):
        return np.zeros(nodes, np.int64), 1
    label, low = np.full(nodes, -1, np.int64), np.zeros(nodes, np.int64)
    seen, path = np.full(nodes, -1, np.int64), np.empty(nodes, np.int64)
    stack, edge = np.empty(nodes, np.int64), first[:-1].copy()
    clock, waiting, found = 0, 0, 0
    for root in range(nodes):
        if seen[root] >= 0:
            continue
        depth, path[0] = 1, root
        seen[root] = low[root] = clock
        clock += 1
        stack[waiting] = root
        waiting += 1
        while depth > 0:
            i = path[depth - 1]
            least, deeper = low[i], False
            for e in range(edge[i], first[i + 1]):
                j = heads[e]
                if seen[j] < 0:
                    edge[i], low[i], deeper = e + 1, least, True
                    seen[j] = low[j] = clock
                    clock += 1
                    stack[waiting], path[depth] = j, j
                    waiting += 1
                    depth += 1
                    break
                if label[j] < 0 and seen[j] < least:
                    least = seen[j]
            if deeper:
                continue
            low[i] = least
            depth -= 1
            if depth > 0 and least < low[path[depth - 1]]:
                low[path[depth - 1]] = least
            if least == seen[i]:
                while True:
                    waiting -= 1
                    label[stack[waiting]] = found
                    if stack[waiting] == i:
                        break
                found += 1
    return label, found


@kernel
def closed_classes(
    count: Any, sources: Any, targets: Any, weights: Any, jumps: Any, jump_weights: Any, start: Any
) -> Any:
    """Return the chain by rows, the members of the chosen closed class, and two numbers.

    The class is the one with the lowest member among those that ``start`` leads to, or among all
    where ``start`` is negative. With jumps, node ``count`` is a hub: it is a member and no index.
    The numbers count the closed classes, and the indices that a move leaves.
    """
    chain, moving = _rows(count, sources, targets, weights, jumps, jump_weights)
    first, heads, _ = chain
    nodes = len(first) - 1
    label, found = _components(first, heads)
    closed = np.ones(found, np.bool_)
    for i in range(nodes if found > 1 else 0):
        own, leaves = label[i], False
        for e in range(first[i], first[i + 1]):
            leaves |= label[heads[e]] != own
        if leaves:
            closed[own] = False
    reached = np.full(nodes, start < 0, np.bool_)
    if start >= 0:
        queue, waiting = np.empty(nodes, np.int64), 1
        queue[0], reached[start] = start, True
        while waiting > 0:
            waiting -= 1
            i = queue[waiting]
            for e in range(first[i], first[i + 1]):
                if not reached[heads[e]]:
                    reached[heads[e]] = True
                    queue[waiting] = heads[e]
                    waiting += 1
    chosen, size = -1, 0
    for i in range(nodes):
        if chosen < 0 and reached[i] and closed[label[i]]:
            chosen = label[i]
        if label[i] == chosen:
            size += 1
    members, at = np.empty(size, np.int64), 0
    for i in range(nodes):
        if label[i] == chosen:
            members[at] = i
            at += 1
    return chain, members, closed.sum(), moving
