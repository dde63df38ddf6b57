"""The experiment of section 6 with tau = 1, from tables of weights, in fractions and long sums.

A law is {reply: probability}. With rewards r_i = log(pi_i/pi_ref), exponentials of rewards are
rational, and so are all probabilities; logarithms are taken at the very end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import fsum, log, prod
from typing import Any

Law = Mapping[str, Fraction]


def weights(
    replies: Sequence[str], ref: Law, gen: Law, own: Sequence[Law], without: int | None = None
) -> list[Fraction]:
    """Return pi_ref/pi_gen prod_i pi_i/pi_ref, without one advertiser."""
    found = []
    for y in replies:
        odds = prod(
            (law[y] / ref[y] for i, law in enumerate(own) if i != without), start=Fraction(1)
        )
        found.append(odds * ref[y] / gen[y])
    return found


def softmax(values: Sequence[Fraction]) -> list[Fraction]:
    return [v / sum(values) for v in values]


def auction(replies: Sequence[str], ref: Law, gen: Law, own: Sequence[Law]) -> dict[str, Any]:
    """Return law, expected rewards, those when staying out, and payments, for these candidates."""
    a = weights(replies, ref, gen, own)
    p = softmax(a)
    found: dict[str, Any] = {"p": p, "q": [], "rewards": [], "out": [], "paid": [], "bare": []}
    for i, law in enumerate(own):
        r = [log(law[y] / ref[y]) for y in replies]
        q = softmax(weights(replies, ref, gen, own, without=i))
        expected = fsum(float(pj) * rj for pj, rj in zip(p, r, strict=True))
        odds = [law[y] / ref[y] for y in replies]
        utility = log(sum((qj * oj for qj, oj in zip(q, odds, strict=True)), Fraction(0)))
        found["q"].append(q)
        found["rewards"].append(expected)
        found["out"].append(fsum(float(qj) * rj for qj, rj in zip(q, r, strict=True)))
        found["paid"].append(expected - utility)
        found["bare"].append(expected - log(sum(a, Fraction(0))))
    return found


def optimum(ref: Law, own: Sequence[Law], without: int | None = None) -> dict[str, Fraction]:
    """Return pi_ref prod_i pi_i/pi_ref, normalised, without one advertiser."""
    replies = list(ref)
    uniform = dict.fromkeys(replies, Fraction(1))
    found = weights(replies, ref, uniform, own, without)
    return dict(zip(replies, softmax(found), strict=True))


def reply_law(gen: Law, ref: Law, own: Sequence[Law], candidates: int) -> dict[str, Fraction]:
    """Return the law of the returned reply, by running through all draws of candidates."""
    replies = [y for y in gen if gen[y]]
    found = dict.fromkeys(ref, Fraction(0))
    for drawn in product(replies, repeat=candidates):
        chance = prod((gen[y] for y in drawn), start=Fraction(1))
        for y, p in zip(drawn, softmax(weights(drawn, ref, gen, own)), strict=True):
            found[y] += chance * p
    return found
