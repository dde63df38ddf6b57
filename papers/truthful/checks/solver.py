"""truthful, beyond the paper: a convex solver that knows nothing of softmax finds the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

from mechanisms.softmax_auction import softmax_auction
from papers.truthful.checks.cases import show_all
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = [
    "NEAR",
    "QUERIES",
    "Query",
    "SolverFindsTheSame",
    "best_law",
    "run_auction",
    "show_query",
    "solver_name",
]

NEAR: Final = 2e-4
"""A law whose welfare is within 1e-8 of the best, which solvers promise, is nearer than this.

Welfare falls by τ KL(λ||p), at least 2 τ (λ_j - p_j)² for each candidate j, and τ is at least 1/2.
"""

Auctioned = Callable[["Query"], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Query:
    """Rewards of the agents in quarters, ratios π_ref/π_gen in integers, and τ in halves."""

    quarters: tuple[tuple[int, ...], ...]
    ratios: tuple[int, ...]
    halves: int

    @property
    def rewards(self) -> np.ndarray:
        """One row an agent."""
        return np.array(self.quarters, dtype=np.float64) / 4

    @property
    def tau(self) -> float:
        """The temperature."""
        return self.halves / 2

    def __str__(self) -> str:
        rows = (
            f"r_{i} = {show_all((row / 4).tolist())}"
            for i, row in enumerate(np.array(self.quarters), 1)
        )
        return f"τ = {self.tau}, {', '.join(rows)}, ρ = {show_all(self.ratios)}"


def run_auction(query: Query) -> tuple[np.ndarray, np.ndarray]:
    """Return the law and the payments of the auction that is run."""
    ratios = np.array(query.ratios, dtype=np.float64)
    logs = np.log(ratios / ratios.sum())
    found = softmax_auction(query.rewards, query.tau, logs, np.zeros(len(ratios)))
    return found.allocation, found.payments


def best_law(scores: np.ndarray, ratios: np.ndarray, tau: float) -> np.ndarray:
    """Return the law with the largest λ . scores - τ KL(λ||ρ), found by a general solver."""
    solve = _with_cvxpy if find_spec("cvxpy") else _with_scipy
    law = np.maximum(solve(scores, ratios / ratios.sum(), tau), 0)
    return np.asarray(law / law.sum())


def solver_name() -> str:
    """Return which solver is used."""
    return "cvxpy" if find_spec("cvxpy") else "SciPy's SLSQP"


def _with_cvxpy(scores: np.ndarray, rho: np.ndarray, tau: float) -> np.ndarray:
    """Maximise through a cone of exponentials; cvxpy picks the solver."""
    program, law, slopes = _program(len(scores))
    slopes.value = scores / tau + np.log(rho)
    program.solve()
    return np.asarray(law.value)


@cache
def _program(candidates: int) -> tuple[Any, Any, Any]:
    """Return the program to maximise λ . slopes - Σ_j λ_j log λ_j, which is W/τ."""
    cp: Any = import_module("cvxpy")
    law, slopes = cp.Variable(candidates, nonneg=True), cp.Parameter(candidates)
    goal = cp.Maximize(law @ slopes + cp.sum(cp.entr(law)))
    return cp.Problem(goal, [cp.sum(law) == 1]), law, slopes


def _with_scipy(scores: np.ndarray, rho: np.ndarray, tau: float) -> np.ndarray:
    """Maximise by sequential quadratic programs, from the uniform law."""
    from scipy.optimize import minimize
    from scipy.special import rel_entr

    size = len(scores)
    found = minimize(
        lambda law: tau * rel_entr(np.maximum(law, 0), rho).sum() - law @ scores,
        np.full(size, 1 / size),
        method="SLSQP",
        bounds=[(0, 1)] * size,
        constraints={"type": "eq", "fun": lambda law: law.sum() - 1},
        options={"ftol": 1e-12, "maxiter": 500},
    )
    return np.asarray(found.x)


@dataclass(frozen=True)
class SolverFindsTheSame:
    """The solver's law is the auction's, and its Clarke payments are the auction's, up to NEAR.

    ``run`` gives the law and the payments of what is checked.
    """

    run: Auctioned = run_auction

    def __call__(self, query: Query) -> Trial:
        """Solve for all agents, and without each; non-trivial where rewards differ."""
        law, payments = self.run(query)
        found, externalities = clarke(query)
        failure = ""
        if np.abs(found - law).max() > NEAR:
            failure = (
                f"the solver finds the law {_show_law(found)}, and the auction {_show_law(law)}."
            )
        elif np.abs(externalities - payments).max() > NEAR:
            failure = (
                f"the others lose {_show_law(externalities)} by the agents, who pay "
                f"{_show_law(payments)}."
            )
        return Trial(nontrivial=bool(np.ptp(query.rewards, axis=1).any()), failure=failure)


def clarke(query: Query) -> tuple[np.ndarray, np.ndarray]:
    """Return the solver's best law, and by how much each agent changes the others' welfare."""
    rewards, ratios = query.rewards, np.array(query.ratios, dtype=np.float64)
    rho = ratios / ratios.sum()

    def welfare(law: np.ndarray, scores: np.ndarray) -> float:
        held = law > 0
        penalty = (law[held] * np.log(law[held] / rho[held])).sum()
        return float(law @ scores - query.tau * penalty)

    best = best_law(rewards.sum(axis=0), ratios, query.tau)
    lost = []
    for own in rewards:
        rest = rewards.sum(axis=0) - own
        lost.append(welfare(best_law(rest, ratios, query.tau), rest) - welfare(best, rest))
    return best, np.array(lost)


def _show_law(row: np.ndarray) -> str:
    return show_all([f"{x:.5f}" for x in row])


def show_query(query: Query) -> Exhibit:
    """Work a query out by the solver and by the auction."""
    law, payments = run_auction(query)
    found, lost = clarke(query)
    tables = tuple(
        Table(
            caption=caption,
            columns=(of, f"by {solver_name()}", "by the auction"),
            rows=tuple(
                (str(k), f"{a:.6f}", f"{b:.6f}")
                for k, (a, b) in enumerate(zip(x, y, strict=True), 1)
            ),
        )
        for caption, of, x, y in (
            ("The law of the reply", "candidate", found, law),
            ("What the others lose by an agent, and what it pays", "agent", lost, payments),
        )
    )
    return Exhibit(summary=str(query), tables=tables)


def _build(draw: Draw, candidates: int) -> Query:
    agents = 1 + draw.index(2)
    own = tuple(draw.choice((0, 4, -6)) for _ in range(candidates))
    rows = (own, (0,) * (candidates - 1) + (3,)) if agents == 2 else (own,)
    ratios = (1,) * (candidates - 1) + (draw.choice((1, 3)),)
    return Query(rows, ratios, draw.choice((2, 1)) if candidates < 3 else agents)


def _size(query: Query) -> tuple[int, ...]:
    return (len(query.quarters), sum(abs(q) for row in query.quarters for q in row))


QUERIES: Family[Query] = Family(
    description="auctions with one or two agents, rewards 0, 1 and -3/2, τ in {1, 1/2}, one ratio "
    "π_ref/π_gen of 1 or 3 and the others 1",
    level_name="candidates",
    levels=(1, 2, 3),
    build=_build,
    size=_size,
)
