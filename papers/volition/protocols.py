"""Claims of volition, section 5: its protocols as algorithms."""

from __future__ import annotations

from papers.volition.checks.exhibits import show_problem
from papers.volition.checks.inspection_protocols import (
    MORE_LEVELS,
    ONE_LEVEL,
    RunsAsComputed,
    one_level,
)
from theory.checks import ForAll
from theory.claims import Claim, Kind
from theory.verdicts import Status

__all__ = ["CLAIMS"]

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="volition.alg-1",
        kind=Kind.ALGORITHM,
        source="volition, Algorithm 1",
        title="The one-level inspection protocol, run",
        statement=(
            r"Offers $I^0$ are collected, some of them are bought after inspection, and the buyer "
            r"decides by what was bought: a Bayesian buyer buys $x_*^1$, does $x_*^0$ and has "
            r"$U(x_*^0) - \sum p$ in every state, and credits are conserved."
        ),
        hypotheses=("The budget covers everything on offer.",),
        reading=(
            "A buyer may buy any set of offers, the empty one too: the prompt that is printed has "
            "it buy one. Ties as for x_*."
        ),
        check=ForAll(ONE_LEVEL, RunsAsComputed(one_level), show_problem),
        expected=Status.HOLDS,
        proof_idea=(
            "A mechanism is judged by running it: in every state purchases, decision, payments and "
            "payoff are compared with those of the recursive protocol of depth 1, which another "
            "claim pins down, and the balances with the sum before."
        ),
    ),
    Claim(
        id="volition.alg-2",
        kind=Kind.ALGORITHM,
        source="volition, Algorithm 2",
        title="The recursive inspection protocol, run",
        statement=(
            r"Bounded to depth $N$, the procedure buys $x^N, \dots, x^1$ in this order and "
            r"comes back to decide: a Bayesian buyer buys $x_*^n$ on every level, does $x_*^0$ and "
            r"has $U(x_*^0) - \sum p$ in every state, and credits are conserved."
        ),
        hypotheses=("The budget covers everything on offer.",),
        reading=(
            "The printed recursion has no base case. Here it ends at level N, or before a level on "
            "which nothing is offered. A parent decides after its child returns, with all that was "
            "bought below it; on every level any set of offers may be bought. Ties as for x_*."
        ),
        check=ForAll(MORE_LEVELS, RunsAsComputed(), show_problem),
        expected=Status.HOLDS,
        proof_idea=(
            "In every state purchases, decision, payments and payoff are compared with eqs. (6) to "
            "(8). The buyer maximises anew given what it is shown, so that it would notice if it "
            "were shown more or less."
        ),
    ),
)
