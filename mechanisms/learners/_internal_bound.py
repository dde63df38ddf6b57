"""What is proven of the regret of Algorithm 1, with and without constant maps."""

from __future__ import annotations

from math import inf, log, sqrt
from typing import Any, Final

from mechanisms.learners._bounds import Asked, RegretBound, nothing_proven
from mechanisms.learners._oracles import ActionOracle

__all__ = ["bound_of_internal_ftpl"]

_SOURCE: Final = "oracles, Theorem 4, with its constants; docs/proofs.md"


def bound_of_internal_ftpl(learner: Any, asked: Asked) -> RegretBound:
    """Return the bound asked for: what Hedge over the maps loses, the draws and the fixed points.

    Hedge has regret of at most log(1 / q) / e + e T / 8 to an expert of prior q. Replacing its
    weights by m draws costs at most max_i D_i a round, where each of the N numbers D_i is a mean of
    m independent terms within an interval of length 1: at most sqrt(log(N T / d) / (2 m)) in all
    rounds but with probability d, and sqrt(log(N) / (2 m)) in expectation. A residual of
    ||Q x - x||_1 costs half of it.
    """
    if not isinstance(learner.oracle, ActionOracle):
        raise nothing_proven(
            asked, learner, "the law of its oracle is not known", "give it an ActionSet"
        )
    N, T, m = learner.size, asked.rounds, learner.samples
    prior, entropy, (times, factor), statement = _of_kind(N, learner.constants, asked.kind)
    learning, overshoot = learner.rates.terms(T, entropy)
    terms = [(f"log({prior}) / e", learning), ("e T / 8", overshoot)]
    holds = "pathwise"
    if m is not None and N > 1:
        if asked.failure is None:
            holds = "in expectation"
            terms.append(("T sqrt(log(N) / (2 m))", T * sqrt(log(N) / (2 * m))))
        else:
            holds = "with probability 1 - failure"
            chance = log(N) + log(T) - log(asked.failure)
            terms.append(("T sqrt(log(N T / d) / (2 m))", T * sqrt(chance / (2 * m))))
    if asked.residual:
        terms.append(("T residual / 2", T * asked.residual / 2))
    return asked.answer(
        [(f"{times}{name}", factor * value) for name, value in terms],
        reward_range=learner.reward_range,
        statement=statement,
        source=_SOURCE,
        holds=holds,
    )


def _of_kind(N: int, constants: bool, kind: str) -> tuple[str, float, tuple[str, float], str]:
    """Return one over the prior of an expert, its logarithm, what all is a multiple of, and why."""
    if kind == "external" and constants:
        statement = "constant maps are among the maps: external regret is that of Hedge over them"
        return "2 N", log(N) + log(2), ("", 1.0), statement
    prior, entropy = ("2 N^2", 2 * log(N) + log(2)) if constants else ("N^2", 2 * log(N))
    if kind == "internal":
        return prior, entropy, ("", 1.0), "internal regret is that of Hedge over the maps"
    if kind == "swap":
        return prior, entropy, ("N ", _times(N)), "swap regret is at most N times internal regret"
    statement = "external regret is at most N - 1 times internal regret; constants=True bounds it"
    return prior, entropy, ("(N - 1) ", _times(N - 1)), statement


def _times(number: int) -> float:
    """Return a number that may be larger than float64 holds."""
    try:
        return float(number)
    except OverflowError:
        return inf
