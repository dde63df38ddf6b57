"""truthful, proof of Theorem 5.1: utility is convex, and its gradient is the allocation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import log
from typing import Final

import numpy as np

from papers.truthful.checks.cases import Case, show_all
from papers.truthful.checks.definition import AuctionRun, exact_auction, traced_auction
from papers.truthful.checks.divergences import in_either_place, two_agents
from papers.truthful.checks.logs import by_sizes, same_terms
from theory.claims import CheckContext
from theory.proofs import Equation, Identity, Proof, Term, Tracer
from theory.search import Trial

__all__ = ["ROUNDING", "GradientIsTheLaw", "GradientProof", "derivatives"]

ROUNDING: Final = 1e-13
"""JAX computes in float64 what is compared with rationals of at most 1."""

_AGENTS, _CANDIDATES = 2, 3

Derivatives = Callable[[Case, int, bool], tuple[np.ndarray, np.ndarray]]


def derivatives(case: Case, agent: int, offset: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return gradient and Hessian of an agent's utility in its own rewards, by JAX in float64.

    Smaller auctions are filled up with candidates that are impossible and agents who do not care,
    so that JAX compiles once.
    """
    import jax

    from mechanisms.softmax_auction import with_jax

    size = len(case.weights)
    rewards = np.zeros((_AGENTS, _CANDIDATES))
    rewards[: len(case.odds), :size] = [
        [float(case.tau) * log(o) for o in row] for row in case.odds
    ]
    log_ref = np.full(_CANDIDATES, -np.inf)
    log_ref[:size] = [log(w) if w else -np.inf for w in case.weights]
    given = (rewards, float(case.tau), log_ref, np.zeros(_CANDIDATES))
    with jax.enable_x64(True):
        gradient, hessian = (
            np.asarray(differentiate(*given, agent=agent, offset=offset))
            for differentiate in (with_jax.utility_gradient, with_jax.utility_hessian)
        )
    return gradient[:size], hessian[:size, :size]


@dataclass(frozen=True)
class GradientIsTheLaw:
    """JAX's gradient of each U_i is p, and its Hessian (diag p - p p')/τ, up to ``ROUNDING``."""

    derivatives: Derivatives = derivatives
    run: AuctionRun = exact_auction

    def __call__(self, case: Case) -> Trial:
        """Compare; non-trivial where more than one candidate is possible."""
        law = np.array([float(p) for p in case.run(self.run).allocation])
        curvature = (np.diag(law) - np.outer(law, law)) / float(case.tau)
        failure = ""
        for agent, offset in product(range(len(case.odds)), (True, False)):
            gradient, hessian = self.derivatives(case, agent, offset)
            utility = f"U_{agent + 1}"
            if not np.allclose(gradient, law, rtol=0, atol=ROUNDING):
                found = show_all([f"{x:.6g}" for x in gradient])
                failure = (
                    failure
                    or f"the gradient of {utility} is {found}, and p is {_show_gradient(law)}."
                )
            elif not np.allclose(hessian, curvature, rtol=0, atol=ROUNDING):
                rows = show_all([_show_gradient(row) for row in hessian])
                failure = (
                    failure
                    or f"the Hessian of {utility} is {rows}, where p is {_show_gradient(law)}."
                )
        return Trial(nontrivial=int((law > 0).sum()) > 1, failure=failure)


def _show_gradient(row: Sequence[float] | np.ndarray) -> str:
    return show_all([f"{x:.6g}" for x in row])


@dataclass(frozen=True)
class GradientProof:
    """The derivatives of the traced utility, with e_j = exp(r_j/τ), so that dr_j = τ de_j/e_j."""

    run: AuctionRun = traced_auction

    def __call__(self, context: CheckContext) -> Proof:
        """Trace auctions of two agents with 1, 2, … candidates."""
        largest = context.budget.size
        return by_sizes(
            f"all rewards, ratios π_ref/π_gen > 0 and τ > 0, of 2 agents and up to {largest} "
            "candidates",
            range(1, largest + 1),
            self._identities,
        )

    def _identities(self, candidates: int) -> tuple[Identity, ...]:
        _, (e, f), w, tau = two_agents(candidates)
        gradient: tuple[Equation, ...] = ()
        curvature: tuple[Equation, ...] = ()
        for offset in (True, False):
            outcome = self.run([e, f], w, tau=tau, offset=offset)
            total, p = outcome.utilities[0].exp(tau), outcome.allocation
            slopes = [_along(total, x) / total for x in e]
            gradient += same_terms(slopes, p)
            second = [_along(slope, x) for slope in slopes for x in e]
            known = [
                a * (1 - b) if j == k else -(a * b)
                for j, a in enumerate(p)
                for k, b in enumerate(p)
            ]
            curvature += same_terms(second, known)
        return (
            Identity(
                "dU_i/dr_ij = (e_j ∂/∂e_j) log exp(U_i/τ) = p_j, with the offset and without",
                gradient,
            ),
            Identity("d²U_i/dr_ij dr_ik = (p_j [j = k] - p_j p_k)/τ", curvature),
            Identity(
                "Σ_j p_j z_j² - (Σ_j p_j z_j)² = Σ_{j<k} p_j p_k (z_j - z_k)² >= 0 for a law p, "
                "so that U_i is convex",
                _spread(candidates),
            ),
            in_either_place(self.run, e, f, w, tau),
        )


def _along(term: Term, variable: Term) -> Term:
    """Return x times the derivative in x: τ times the derivative in a reward with exp(r/τ) = x."""
    slope = term.element.diff(variable.element)
    return Term(slope, term.tracer) * variable


def _spread(candidates: int) -> tuple[Equation, ...]:
    names = [[f"{letter}{j}" for j in range(candidates)] for letter in "uz"]
    trace = Tracer(positive=names[0], real=names[1])
    u, z = ([trace[name] for name in row] for row in names)
    mass = sum(u[1:], u[0])
    p = [x / mass for x in u]
    pairs = list(zip(p, z, strict=True))
    mean = sum((a * b for a, b in pairs), u[0] - u[0])
    variance = sum((a * b * b for a, b in pairs), -(mean * mean))
    apart = sum(
        (p[j] * p[k] * (z[j] - z[k]) * (z[j] - z[k]) for k in range(candidates) for j in range(k)),
        u[0] - u[0],
    )
    return same_terms([variance], [apart])
