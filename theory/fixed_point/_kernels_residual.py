"""How far a law is from a fixed point, from the moves as they were given."""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.shared.compiling import kernel

__all__ = ["residual"]


@kernel
def residual(
    sources: Any, targets: Any, weights: Any, jumps: Any, jump_weights: Any, support: Any, law: Any
) -> Any:
    """Return the sum over j of what flows into j less what flows out, in absolute value.

    ``support`` is sorted; outside it ``law`` is zero, so there only inflow is counted.
    """
    width = support[len(support) - 1] + 1
    if width < 4 * (len(sources) + len(jumps)) + 1024:
        net, outside = _flows_listed(sources, targets, weights, support, law)
        labels = support
    else:
        net, outside = _flows_searched(sources, targets, weights, support, law)
        labels = np.arange(len(support))
    if len(jumps) > 0:
        mass, total = _sum_in_order(law), _sum_in_order(jump_weights)
        for n in range(len(support)):
            net[labels[n]] -= law[n] * total
        for e in range(len(jumps)):
            n = _find_index(support, jumps[e])
            if n < 0:
                outside += jump_weights[e] * mass
            else:
                net[labels[n]] += jump_weights[e] * mass
    return outside + _sum_in_order(np.abs(net))


@kernel
def _flows_listed(sources: Any, targets: Any, weights: Any, support: Any, law: Any) -> Any:
    """Return the net inflow of each index up to the last of the support, and of those beyond."""
    width = support[len(support) - 1] + 1
    listed, net, outside = np.zeros(width), np.zeros(width), 0.0
    for n in range(len(support)):
        listed[support[n]] = law[n]
    source, gone = np.int64(0), 0.0
    for e in range(len(sources)):
        if sources[e] != source:
            net[source] -= gone
            source, gone = sources[e], 0.0
            if source >= width:
                source = np.int64(0)
        if sources[e] != source or listed[source] == 0.0:
            continue
        flow = listed[source] * weights[e]
        gone += flow
        if targets[e] < width:
            net[targets[e]] += flow
        else:
            outside += flow
    net[source] -= gone
    return net, outside


@kernel
def _flows_searched(sources: Any, targets: Any, weights: Any, support: Any, law: Any) -> Any:
    """Return the net inflow of each index of the support, and of all others together."""
    net, outside = np.zeros(len(support)), 0.0
    for e in range(len(sources)):
        i = _find_index(support, sources[e])
        if i >= 0:
            flow, j = law[i] * weights[e], _find_index(support, targets[e])
            net[i] -= flow
            if j >= 0:
                net[j] += flow
            else:
                outside += flow
    return net, outside


@kernel
def _find_index(support: Any, index: Any) -> Any:
    low, high = 0, len(support)
    while low < high:
        middle = (low + high) // 2
        if support[middle] < index:
            low = middle + 1
        else:
            high = middle
    return low if low < len(support) and support[low] == index else -1


@kernel
def _sum_in_order(values: Any) -> Any:
    total = 0.0
    for n in range(len(values)):
        total += values[n]
    return total
