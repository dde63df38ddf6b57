"""Claims of oracles, section 2: regrets, and the equilibria that they lead to."""

from __future__ import annotations

from papers.oracles.checks.regrets import (
    CYCLES,
    HISTORIES,
    MATCHES,
    FactorsAreAttained,
    RegretsAreGaps,
    RegretsAreOrdered,
    show_history,
)
from papers.oracles.checks.vacuous import (
    EXPLORATIONS,
    UNIFORM_PLAY,
    InternalIsAtMostOne,
    LowInternalMeansLowExternal,
    UniformIsNearlyCorrelated,
    show_exploration,
)
from theory.checks import Exists, ForAll
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

EXACT = {"quick": Strength.EXACT, "full": Strength.EXACT}

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="oracles.regret",
        kind=Kind.DEFINITION,
        source="oracles, section 2.1",
        title="External, internal and swap regret",
        statement=(
            r"External regret $\max_i \sum_t f_t(e_i) - f_t(x_t)$, internal regret "
            r"$\max_\varphi \sum_t f_t(\varphi(x_t)) - f_t(x_t)$ over the maps that move all of "
            r"one action to another, and swap regret, the same over all maps: external $\le$ swap, "
            r"internal $\le$ swap $\le N \cdot$ internal, external $\le (N - 1) \cdot$ internal."
        ),
        reading=(
            "Rewards are those that came, against adaptive opponents, too. The identity is among "
            "the maps, so internal and swap regret are at least 0; external regret may be below. "
            "The library's numbers are compared with the definitions, all maps tried."
        ),
        check=ForAll(HISTORIES, RegretsAreOrdered(), show_history),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea=(
            "With the gain G(i, j) of replacing i by j: swap regret sums the best gain of each i, "
            "internal regret is the best of all, external regret sums a column, in which G(j, j) "
            "is 0."
        ),
        proof="docs/proofs.md#oracles-regret",
    ),
    Claim(
        id="oracles.regret.attained",
        kind=Kind.THEOREM,
        source="oracles, section 2.1; ours",
        title="The factors between the three regrets are attained",
        statement=(
            r"For every $N \ge 2$ some history has swap $= N \cdot$ internal $> 0$, and some has "
            r"external $= (N - 1) \cdot$ internal $> 0$."
        ),
        check=ForAll(CYCLES, FactorsAreAttained()),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea=(
            "Play each action once, where the next one in a circle was good; or each but one, "
            "where that one was always good."
        ),
        proof="docs/proofs.md#oracles-regret",
    ),
    Claim(
        id="oracles.regret.equilibria",
        kind=Kind.THEOREM,
        source="oracles, section 2.1",
        title="The average of play is nearly a correlated equilibrium",
        statement=(
            r"The average over rounds of $x_t \otimes y_t$ is an $\varepsilon$-CCE for "
            r"$\varepsilon$ the largest average external regret of a player, and an "
            r"$\varepsilon$-CE for the largest average internal regret, both floored at 0."
        ),
        reading=(
            "An ε-CE in the sense that no single replacement of one action by another gains more "
            "than ε; against all replacements at once it is average swap regret, up to N times as "
            "much. The gaps are equal to the regrets, not just bounded by them. Plays are the "
            "mixed strategies; sampling actions from them adds a concentration term."
        ),
        check=ForAll(MATCHES, RegretsAreGaps()),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea="Both sides are the same sums, in another order.",
        proof="docs/proofs.md#oracles-regret",
    ),
    Claim(
        id="oracles.vacuous",
        kind=Kind.THEOREM,
        source="oracles, section 2.1; ours",
        title="Internal regret alone says nothing where actions outnumber rounds",
        statement=(
            r"With $N \ge T$, whoever plays a new action every round has internal regret of at "
            r"most 1 in all, whatever the rewards in $[0, 1]$ are."
        ),
        reading=(
            "A warning that the paper lacks: with as many actions as sentences this takes no "
            "oracle and no learning. So internal regret is reported together with external and "
            "swap regret, and with what could be gained where each action was played."
        ),
        check=ForAll(EXPLORATIONS, InternalIsAtMostOne(), show_exploration),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea="A replacement of one action changes one round, by at most 1.",
        proof="docs/proofs.md#oracles-vacuous",
    ),
    Claim(
        id="oracles.vacuous.external",
        kind=Kind.THEOREM,
        source="oracles, section 2.1; ours",
        title="… while external regret is as large as can be",
        statement=(
            r"Some such play has internal regret 1 in all and external regret $T \ge 2$: one "
            r"action that was never played was the best in every round."
        ),
        check=Exists(EXPLORATIONS, LowInternalMeansLowExternal(), show_exploration),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea="Let one action earn 1 and all others 0, and never play it.",
        proof="docs/proofs.md#oracles-vacuous",
    ),
    Claim(
        id="oracles.vacuous.uniform",
        kind=Kind.THEOREM,
        source="oracles, section 2.1; ours",
        title="Playing all actions alike is nearly a correlated equilibrium",
        statement=(
            r"In every game with payoffs in $[0, 1]$, play in which each of a player's $N$ actions "
            r"has probability $1/N$ is a $(1/N)$-CE in the sense of single replacements."
        ),
        check=ForAll(UNIFORM_PLAY, UniformIsNearlyCorrelated()),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea="A replacement of one action changes what happens with probability 1/N.",
        proof="docs/proofs.md#oracles-vacuous",
    ),
)
