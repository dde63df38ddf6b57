"""Ties of float64: only the two compared values count, whatever else is on offer.

The exact answers come from the same problem with each float read as the rational that it is.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from theory.decision import DecisionProblem
from theory.information import Good, ex_ante_value, perfect_information, value_of_information
from theory.marginal_value import MarginalValueGame, Moves, Ties, equilibrium, from_prior, shortfall
from theory.probability import ProbabilitySpace

HALVES = ProbabilitySpace.of([0.5, 0.5])


# --- Decisions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("hopeless", [-1e12, -1e13, -(2.0**44), -1e200])
def test_a_hopeless_action_makes_no_ties(place: int, hopeless: float) -> None:
    """The audit's example: perfect information is worth 1/2."""
    rows = [[1.0, 0.0], [0.0, 1.0]]
    rows.insert(place, [hopeless, hopeless])
    problem = DecisionProblem.of(HALVES, rows)
    found = value_of_information(problem, perfect_information(HALVES))
    assert found.ex_ante == 0.5
    assert found.ex_ante == ex_ante_value(np.array([0.5, 0.5]), np.array(rows), np.arange(2))
    assert [len(r.choice.maximisers) for r in found.realisations] == [1, 1]
    assert place not in found.prior.maximisers
    assert found.gap == 0


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_better_of_two_is_chosen_beside_a_hopeless_one(order: tuple[int, ...]) -> None:
    """The audit's example: of (0, 0), (1, 1) and (-1e13, -1e13) the second is best."""
    table = [[0.0, 0.0], [1.0, 1.0], [-1e13, -1e13]]
    choice = DecisionProblem.of(HALVES, {name: table[name] for name in order}).prior_choice()
    assert choice.maximisers == (1,)
    assert choice.expected_utility == 1.0


def test_hopeless_in_one_state_alone() -> None:
    rows = {"bold": [3.0, -1e13], "safe": [1.0, 1.0], "low": [0.0, 0.0]}
    problem = DecisionProblem.of(HALVES, rows)
    assert problem.prior_choice().maximisers == ("safe",)
    good = Good.of("I", HALVES.variable("I", str))
    assert [r.choice.picked for r in value_of_information(problem, good).realisations] == [
        "bold",
        "safe",
    ]


def test_many_terms_that_round_apart_tie() -> None:
    """Sums of the same thousand products in another order."""
    rng = np.random.default_rng(5)
    row = rng.normal(size=1000)
    space = ProbabilitySpace.of(np.full(1000, 1 / 1000))
    problem = DecisionProblem.of(space, np.array([row, np.sort(row), row[::-1], row - 1e-9]))
    assert problem.prior_choice().maximisers == (0, 1, 2)


# --- Marginal value -------------------------------------------------------------------------------


def of_magnitudes(rng: np.random.Generator, most: int = 44) -> tuple[Any, dict[str, float], Any]:
    """Whole numbers in float64 whose sizes range up to 2^most, action by action, price by price."""
    items, actions = int(rng.integers(1, 5)), int(rng.integers(1, 5))
    small = rng.integers(-4, 5, (actions, 2**items)).astype(float)
    lift = rng.integers(0, most - 1, actions) * (rng.random(actions) < 0.5)
    table = small * 2.0 ** lift[:, np.newaxis]
    if rng.random() < 0.3:
        table[int(rng.integers(actions))] = -(2.0 ** int(rng.choice([most, 200])))
    prices = {}
    for j in range(items):
        large = 2.0 ** int(rng.integers(0, most - 1)) if rng.random() < 0.2 else 1.0
        prices[f"I{j}"] = float(rng.integers(-1, 4)) * large
    family = [(), *((name,) for name in prices), tuple(prices)]
    return table, prices, [*Moves, family][int(rng.integers(3))]


PARTS = [*range(4), *(pytest.param(part, marks=pytest.mark.slow) for part in range(4, 17))]


@pytest.mark.parametrize("part", PARTS)
def test_floats_answer_as_the_exact_game_does(part: int) -> None:
    """1,598 games, 376 in the gate: moves, inextensible sets, rewards; shortfalls of 408."""
    rng = np.random.default_rng([44, part])
    for number in range(94):
        utilities, prices, moves = of_magnitudes(rng)
        ties = list(Ties)[int(rng.integers(2))]
        game = MarginalValueGame.of(list(prices), utilities, prices, moves)
        exact = MarginalValueGame.of(
            list(prices),
            [[Fraction(u) for u in row] for row in utilities.tolist()],
            {name: Fraction(p) for name, p in prices.items()},
            moves,
        )
        found, true = equilibrium(game, ties), equilibrium(exact, ties)
        assert game.maximisers.tolist() == exact.maximisers.tolist()
        assert found.follow.tolist() == true.follow.tolist()
        assert found.inextensible.tolist() == true.inextensible.tolist()
        assert found.rewards == true.rewards
        assert found.gap == 0
        if number % 4:
            continue
        ours, theirs = shortfall(found), shortfall(true)
        assert (ours.best, ours.shortfall) == (theirs.best, theirs.shortfall)
        agree = ({d.revealed: d.agrees for d in each.defences} for each in (ours, theirs))
        assert next(agree) == next(agree)


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("moves", list(Moves))
@pytest.mark.parametrize("hopeless", [-1e13, -1e100])
def test_a_hopeless_action_of_the_judge_stops_nobody(
    place: int, moves: Moves, hopeless: float
) -> None:
    """One item that is worth 1 and costs 1/4 is revealed, whatever the judge would never do."""
    rows = [[1.0, 0.0], [0.0, 1.0]]
    rows.insert(place, [hopeless, hopeless])
    found = equilibrium(MarginalValueGame.of(["I"], np.array(rows), {"I": 0.25}, moves))
    assert found.revealed == ("I",)
    assert found.rewards == (0.75,)


@pytest.mark.parametrize("dear", ["I0", "I1", "I2"])
def test_a_huge_price_blurs_no_other_reward(dear: str) -> None:
    """Being paid 2^44 for one item leaves the others' worth as it is."""
    utilities = np.array([[0.0] * 8, [float(bin(s).count("1")) - 0.5 for s in range(8)]])
    prices = {name: -(2.0**44) if name == dear else 0.25 for name in ("I0", "I1", "I2")}
    game = MarginalValueGame.of(list(prices), utilities, prices)
    exact = MarginalValueGame.of(
        list(prices),
        [[Fraction(u) for u in row] for row in utilities.tolist()],
        {name: Fraction(p) for name, p in prices.items()},
    )
    for ties in Ties:
        found, true = equilibrium(game, ties), equilibrium(exact, ties)
        assert found.follow.tolist() == true.follow.tolist()
        assert found.rewards == true.rewards


def test_tenths_tie_as_decimals_do() -> None:
    """0.3 - 0.1 - 0.2 is no gain, though float64 makes it 2.8e-17 or so."""
    utilities = np.array([[0.0, 0.0, 0.0, 0.0], [-1.0, -1.0, -1.0, 0.3]])
    prices = {"I": 0.1, "J": 0.2}
    for moves in Moves:
        assert (
            equilibrium(MarginalValueGame.of(["I", "J"], utilities, prices, moves)).revealed == ()
        )


def test_expectations_that_cancel_tie_in_a_game_from_a_prior() -> None:
    """Sums of terms of size 1 that should be 0 and come out as 1e-17 are no reason to reveal."""
    p = [0.1, 0.2, 0.3, 0.4]
    space = ProbabilitySpace.of(p)
    rows = {"stay": [0.0] * 4, "go": [0.3 / 0.1, 0.0, -1.0, 0.0]}
    decision = DecisionProblem.of(space, rows)
    good = Good.of("I", space.variable("I", lambda w: w == 1), 0.0)
    exact = DecisionProblem.of(
        ProbabilitySpace.of(["1/10", "2/10", "3/10", "4/10"]),
        {"stay": [0] * 4, "go": [3, 0, -1, 0]},
    )
    exact_good = Good.of("I", exact.space.variable("I", lambda w: w == 1))
    for state in range(4):
        found = equilibrium(from_prior(decision, [good], state), Ties.MOST_ITEMS)
        true = equilibrium(from_prior(exact, [exact_good], state), Ties.MOST_ITEMS)
        assert found.follow.tolist() == true.follow.tolist()
