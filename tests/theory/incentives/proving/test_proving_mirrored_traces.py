"""What a proof holds, and what its trace is compared with, for later agents, paths and pieces."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest
from mirrored_faults import AGENTS

from theory.incentives import (
    Effort,
    FiniteTypes,
    Lottery,
    Piece,
    Piecewise,
    PropertyFinding,
    Reals,
    prove_mechanism,
)
from theory.incentives.proving import _attempt
from theory.verdicts import Status, Strength

LITTLE = Effort(samples=20, starts=1, steps=2, shrinks=40)
HALF = Fraction(1, 2)

Bids = Sequence[Any]
each_agent = pytest.mark.parametrize("agent", range(AGENTS))


def found(mechanism: Any, name: str, agents: int | None = AGENTS, **more: Any) -> PropertyFinding:
    given = {"types": Reals(low=0), "solver": "certificates", "effort": LITTLE, **more}
    return prove_mechanism(mechanism, agents=agents, properties=[name], **given)[name]


def proved(finding: PropertyFinding) -> bool:
    return finding.status is Status.HOLDS and finding.strength is Strength.PROVED


def paid_by(agent: int, amount: Any, agents: int = AGENTS) -> Any:
    return None, [amount if i == agent else 0 for i in range(agents)]


# --- what a proof holds


def round_the_circle(bids: Bids) -> Any:
    """Of the eight answers six can be: the last is known where the first two agree."""
    first, second, third = bids
    up = [first <= second, second <= third, first <= third]
    return None, [int(x) for x in up]


@pytest.mark.parametrize("solver", ["certificates", "z3"])
def test_a_proof_holds_all_paths_and_cuts_of_all_agents(solver: str) -> None:
    finding = found(round_the_circle, "no_positive_transfers", types=Reals(), solver=solver)
    assert proved(finding)
    proof = finding.proof
    assert proof is not None
    paths = [o for o in proof.obligations if o.goal is not None]
    assert (proof.paths, len(paths)) == (6 * AGENTS, 6 * AGENTS)
    assert len(proof.obligations) - len(paths) == 2 * AGENTS
    assert finding.scope.instances == proof.paths


def sells_at_one(bids: Bids) -> Any:
    wins = [bid > 1 for bid in bids]
    return tuple(map(int, wins)), list(map(int, wins))


def test_the_goals_of_a_proof_are_the_slacks_of_all_agents() -> None:
    """At a point one path of each agent is taken, and its goal is the slack of the agent's lie."""
    proof = found(sells_at_one, "dsic", 2).proof
    assert proof is not None
    for t0, t1, lie in [(0, 3, 2), (3, 0, 0), (1, 1, 2), (2, 5, 1), (4, 2, 3)]:
        at = {"t0": Fraction(t0), "t1": Fraction(t1), "l0": Fraction(lie)}
        taken = [o for o in proof.obligations if all(c.holds(at) for c in o.assumed)]
        goals = [o.goal.value(at) for o in taken if o.goal is not None]
        assert len(goals) == len(taken)
        assert goals == [max(t - 1, 0) - (t - 1) * (lie > 1) for t in (t0, t1)]


def test_the_limit_of_paths_is_one_for_all_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_attempt, "MOST_PATHS", 6 * AGENTS)
    assert proved(found(round_the_circle, "no_positive_transfers", types=Reals()))
    monkeypatch.setattr(_attempt, "MOST_PATHS", 6 * AGENTS - 1)
    beyond = found(round_the_circle, "no_positive_transfers", types=Reals())
    assert "paths, the limit" in beyond.reason


@each_agent
def test_what_is_unknown_of_one_agent_is_unknown(agent: int) -> None:
    """That a product of three numbers is not below 0 takes more than our certificates know."""

    def rule(bids: Bids) -> Any:
        first, second, third = bids
        return paid_by(agent, first * second * third)

    finding = found(rule, "no_positive_transfers")
    assert finding.status is Status.AMBIGUOUS
    assert finding.proof is None
    assert finding.reason.startswith("unknown: certificates stopped")


# --- what the trace is compared with


class CountingFor:
    """Every fortieth call takes more of one agent."""

    def __init__(self, agent: int) -> None:
        self.agent, self.calls = agent, 0

    def outcome(self, bids: Bids) -> Any:
        self.calls += 1
        allocation, paid = sells_at_one(bids)
        paid[self.agent] += self.calls % 40 == 0
        return allocation, paid


class KeepingTheFirst:
    """The first bid of all of one agent is its price from then on."""

    def __init__(self, agent: int) -> None:
        self.agent, self.price = agent, Fraction(0)
        self.asked = False

    def outcome(self, bids: Bids) -> Any:
        if not self.asked:
            self.asked, self.price = True, bids[self.agent]
        wins = bids[self.agent] > self.price
        _, paid = paid_by(self.agent, self.price if wins else 0, len(bids))
        return tuple(int(wins and i == self.agent) for i in range(len(bids))), paid


class DearerFromThenOn:
    """A high bid of one agent, where it is a number and no symbol, makes all that follow dearer."""

    def __init__(self, agent: int) -> None:
        self.agent, self.seen = agent, 0

    def outcome(self, bids: Bids) -> Any:
        self.seen += isinstance(bids[self.agent], int | Fraction) and bids[self.agent] > 2
        price = 1 if self.seen < 10 else 1 + Fraction(1, 10**9)
        wins = bids[self.agent] > price
        _, paid = paid_by(self.agent, price if wins else 0, len(bids))
        return tuple(int(wins and i == self.agent) for i in range(len(bids))), paid


@each_agent
@pytest.mark.parametrize("name", ["dsic", "individually_rational"])
@pytest.mark.parametrize("make", [CountingFor, KeepingTheFirst, DearerFromThenOn])
def test_code_that_is_no_function_for_one_agent_is_not_proved(
    make: Callable[[int], Any], name: str, agent: int
) -> None:
    finding = found(make(agent), name)
    assert finding.proof is None
    assert finding.strength is not Strength.PROVED


@each_agent
def test_code_that_knows_numbers_from_symbols_for_one_agent_is_not_proved(agent: int) -> None:
    def rule(bids: Bids) -> Any:
        allocation, paid = sells_at_one(bids)
        if isinstance(bids[agent], int | Fraction) and bids[agent] > 1:
            paid[agent] = bids[agent]
        return allocation, paid

    finding = found(rule, "dsic")
    assert finding.proof is None
    assert finding.strength is not Strength.PROVED


# --- what comes of a mechanism


@pytest.mark.parametrize("place", [0, 1])
def test_each_allocation_of_a_lottery_is_one_of_those_guessed(place: int) -> None:
    """The item goes to nobody who does not want it, and at times to somebody who is not there."""

    def rule(bids: Bids) -> Any:
        if max(bids) >= 0:
            return None, [0, 0]
        parts: list[tuple[int | None, Fraction]] = [(None, HALF)]
        parts.insert(place, (7, HALF))
        return Lottery(parts), [0, 0]

    finding = found(rule, "efficient", 2, types=Reals(high=0))
    assert finding.strength is not Strength.PROVED
    assert finding.proof is None
    assert "the code also returns 7" in finding.reason


@each_agent
def test_each_allocation_of_a_lottery_counts(agent: int) -> None:
    def rule(bids: Bids) -> Any:
        third = Fraction(1, 3)
        high = bids[agent] > 1
        given = None if high else agent
        parts = [(i if i != agent else given, third) for i in range(AGENTS)]
        return Lottery(parts), [0] * AGENTS

    finding = found(rule, "weakly_monotone")
    assert finding.status is Status.REFUTED
    assert finding.witness is not None
    assert finding.witness.agents == (agent,)
    assert finding.reason.startswith("fails at the witness")


@each_agent
def test_what_is_feasible_is_asked_of_each_allocation(agent: int) -> None:
    def highest(bids: Bids) -> Any:
        return max(range(AGENTS), key=lambda i: bids[i]), [0] * AGENTS

    finding = found(highest, "feasible", feasible=lambda allocation, agents: allocation != agent)
    assert finding.status is Status.REFUTED
    assert finding.reason.startswith("fails at the witness")
    assert proved(found(highest, "feasible", feasible=lambda allocation, agents: allocation < 3))


@pytest.mark.parametrize("count", [1, 2, 4])
def test_payments_are_one_an_agent(count: int) -> None:
    finding = found(lambda bids: (None, [0] * count), "no_positive_transfers")
    assert finding.proof is None
    assert f"{count} payments for {AGENTS} agents" in finding.reason


# --- declared forms


def rooted(bids: Bids) -> Any:
    """Sell to each at price 4, in code that cannot be traced."""
    wins = [bid >= 0 and math.sqrt(bid) >= 2 for bid in bids]
    return tuple(map(int, wins)), [4 * won for won in wins]


BOTH, FIRST, SECOND, NONE = (1, 1), (1, 0), (0, 1), (0, 0)
PIECES: tuple[tuple[Any, Any, Any], ...] = (
    ([(1, 0, -4), (0, 1, -4)], BOTH, [4, 4]),
    ([(1, 0, -4)], FIRST, [4, 0]),
    ([(0, 1, -4)], SECOND, [0, 4]),
    ([], NONE, [0, 0]),
)


def form(**changes: Any) -> Piecewise:
    """The right form; ``changes`` say what a piece has in its place, such as ``payments_2``."""
    pieces = []
    for k, (when, allocation, payments) in enumerate(PIECES):
        parts = {"when": when, "allocation": allocation, "payments": payments}
        parts |= {name: changes[f"{name}_{k}"] for name in parts if f"{name}_{k}" in changes}
        pieces.append(Piece(**parts))
    return Piecewise(pieces)


def test_the_right_form_is_proved() -> None:
    finding = found(rooted, "dsic", 2, types=Reals(), pieces=form())
    assert proved(finding), str(finding)
    assert "of the declared form, which agrees with the code" in finding.reason


WRONG: dict[str, dict[str, Any]] = {
    "payment of the first agent": {"payments_0": [5, 4]},
    "payment of the last agent": {"payments_0": [4, 5]},
    "payment of the last agent in a later piece": {"payments_2": [0, 5]},
    "payment in the last piece": {"payments_3": [0, 1]},
    "allocation of the first piece": {"allocation_0": FIRST},
    "allocation of a later piece": {"allocation_2": NONE},
    "allocation of the last piece": {"allocation_3": SECOND},
    "constant of the first row": {"when_0": [(1, 0, -5), (0, 1, -4)]},
    "constant of the last row": {"when_0": [(1, 0, -4), (0, 1, -5)]},
    "coefficient of the last row": {"when_0": [(1, 0, -4), (0, 2, -4)]},
    "a row left out": {"when_0": [(1, 0, -4)]},
    "a row too many": {"when_1": [(1, 0, -4), (-1, 0, 10**6)]},
    "a thin piece": {
        "when_3": [(-1000, 0, 1501), (1000, 0, -1500)],
        "allocation_3": NONE,
        "payments_3": [0, 0],
    },
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_form_that_differs_in_one_place_proves_nothing(wrong: str) -> None:
    finding = found(rooted, "dsic", 2, types=Reals(), pieces=form(**WRONG[wrong]))
    assert finding.proof is None
    assert finding.strength is not Strength.PROVED
    assert "declared form" in finding.reason or "cover no such reports" in finding.reason


@pytest.mark.parametrize("agent", [0, 1])
def test_a_form_that_differs_at_a_tie_proves_nothing(agent: int) -> None:
    def strictly(bids: Bids) -> Any:
        wins = [bid >= 0 and math.sqrt(bid) >= 2 for bid in bids]
        wins[agent] = wins[agent] and bids[agent] != 4
        return tuple(map(int, wins)), [4 * won for won in wins]

    finding = found(strictly, "dsic", 2, types=Reals(), pieces=form())
    assert finding.proof is None
    assert "the declared form differs from the code at reports" in finding.reason


@pytest.mark.parametrize("dear", [0, 1, 5])
def test_a_form_that_differs_at_one_listed_type_proves_nothing(dear: int) -> None:
    def code(bids: Bids) -> Any:
        wins = bids[1] >= 0 and math.sqrt(bids[1]) >= 2
        return (0, int(wins)), [0, (4 + int(bids[0] == dear)) * wins]

    whole = Piecewise(
        [
            Piece(when=[(0, 1, -4)], allocation=(0, 1), payments=[0, 4]),
            Piece(when=[], allocation=(0, 0), payments=[0, 0]),
        ]
    )
    spaces = [FiniteTypes([0, 1, 5]), Reals()]
    finding = found(code, "individually_rational", None, types=spaces, pieces=whole)
    assert finding.proof is None
    assert "the declared form differs from the code at reports" in finding.reason
