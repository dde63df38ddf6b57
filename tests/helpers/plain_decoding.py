"""Temperature, top-k and top-p as plainly as they are told; no numpy, nothing of ours."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import exp, fsum, inf


def plain_law(
    logits: list[float],
    temperature: float = 1.0,
    top_k: int = 0,
    top_p: float = 1.0,
    never: Iterable[int] = (),
) -> dict[int, float]:
    """Return the probability of each token that can come."""
    out = set(never)
    allowed = [i for i, one in enumerate(logits) if i not in out and one > -inf]
    highest = max(logits[i] for i in allowed)
    odds = {i: exp((logits[i] - highest) / temperature) for i in allowed}
    order = sorted(allowed, key=lambda i: (-logits[i], i))
    if top_k:
        order = order[:top_k]
    order = [i for i in order if odds[i] > 0]
    total = fsum(odds[i] for i in order)
    kept, sum_so_far = [], 0.0
    for i in order:
        kept.append(i)
        sum_so_far += odds[i] / total
        if sum_so_far >= top_p:
            break
    if top_p == 1:
        kept = order
    total = fsum(odds[i] for i in kept)
    return {i: odds[i] / total for i in kept}


def exact_law(weights: list[int], top_k: int, top_p: Fraction) -> dict[int, Fraction]:
    """Return the law for whole weights and temperature 1, without any rounding."""
    order = sorted((i for i, w in enumerate(weights) if w), key=lambda i: (-weights[i], i))
    if top_k:
        order = order[:top_k]
    total = sum(weights[i] for i in order)
    kept, held = [], 0
    for i in order:
        kept.append(i)
        held += weights[i]
        if Fraction(held, total) >= top_p:
            break
    return {i: Fraction(weights[i], held) for i in kept}
