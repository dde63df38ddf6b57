"""The marginal-value game: definitions, every kind of number, relabelling, size."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import inf
from typing import Any

import numpy as np
import pytest
from flint import arb
from marginal_value_games import (
    answers,
    as_a_function,
    built,
    example,
    gains,
    games,
)

from theory.decision import DecisionProblem, Forecast
from theory.errors import (
    InvalidInputError,
    NullEventError,
)
from theory.information import Good
from theory.marginal_value import (
    MarginalValueGame,
    Moves,
    Ties,
    as_prior,
    equilibrium,
    from_beliefs,
    from_prior,
    lattice,
    market_scoring,
    shortfall,
)
from theory.numbers import log
from theory.probability import ProbabilitySpace
from theory.scoring import Score

# --- the paper's example


def test_example_6_1_reveals_nothing_though_one_claim_is_best() -> None:
    found = equilibrium(example())
    assert found.path.moves == ()
    stable = ((), ("I2",), ("I1", "I2"), ("I1", "I3"), ("I1", "I2", "I3"))
    assert found.stable_sets == found.inextensible_sets == stable
    behind = shortfall(found)
    assert (behind.best, behind.shortfall) == (("I1",), Fraction(9, 10))
    assert behind.everything == Fraction(1001, 10)
    agreeing = [d for d in behind.defences if d.agrees]
    assert agreeing[0].revealed == ("I1", "I3")
    assert agreeing[0].bound == 100
    assert behind.bound >= behind.shortfall


def test_a_cheap_defence_is_enough() -> None:
    found = equilibrium(example(dear="1/10"))
    assert found.revealed == ("I1",)
    assert found.move([("I1",)]) == ()
    assert found.move([("I1",), ("I2",)]) == ("I3",)
    assert shortfall(found).shortfall == 0


def test_rewards_are_judged_with_hindsight() -> None:
    play = example().settle([("I1",), ("I2",), ("I3",)])
    assert play.actions == (0, 1, 0, 1)
    assert play.rewards == (Fraction(9, 10), Fraction(-11, 10), Fraction(-99))
    assert sum(play.rewards) == 1 - Fraction(1002, 10)


def test_what_is_revealed_again_costs_nothing_more() -> None:
    play = example(moves=[(), ("I1", "I2"), ("I1",)]).settle([("I1",), ("I1", "I2")])
    assert play.moves == (("I1",), ("I2",))
    assert play.prices == (Fraction(1, 10), Fraction(1, 10))


def test_what_cannot_be_revealed_at_once_is_worth_minus_infinity() -> None:
    table = {(): [1, 0, 0], ("a",): [0, 1, 0], ("b",): [1, 0, 0], ("a", "b"): [0, 1, 2]}
    game = MarginalValueGame.of(["a", "b"], table, lambda new: "inf" if len(new) == 2 else 0)
    found = equilibrium(game)
    assert found.revealed == ("a", "b")
    behind = shortfall(found)
    assert (behind.worth, behind.shortfall, behind.bound) == (-inf, inf, inf)
    assert not behind.defences


@pytest.mark.parametrize(("together", "met"), [(3, True), (2, True), (1, False), ("inf", True)])
def test_bounds_need_prices_that_are_superadditive(together: object, met: bool) -> None:
    """Both items at once cost ``together``, after each other 2."""
    table = {(): [1, 0], ("a",): [0, 3], ("b",): [1, 0], ("a", "b"): [1, 2]}
    game = MarginalValueGame.of(["a", "b"], table, lambda new: [0, 1, together][len(new)])
    behind = shortfall(equilibrium(game))
    assert all(need.holds for need in behind.needs) == met
    assert (behind.bound == inf) == (not met)
    if not met:
        line = "prices are superadditive: no, {a} and {b} cost less together than apart"
        assert line in str(behind)


def test_a_play_is_a_history_where_moves_overlap() -> None:
    table = {(): [1, 0], ("a",): [0, 1], ("a", "b"): [0, 3]}
    moves = [(), ("a",), ("a", "b")]
    game = MarginalValueGame.of(["a", "b"], table, {"a": 0, "b": -1}, moves)
    found = equilibrium(game)
    assert found.move([("a",)]) == ("b",)
    play = found.play([("a",)])
    assert game.settle(play.moves) == play == game.settle([("a",), ("a", "b")])


def test_the_picture_shows_what_happens_after_a_claim() -> None:
    picture = lattice(equilibrium(example()), [("I1",)])
    assert len(picture.nodes) == 8
    assert [(step.start, step.end, step.label) for step in picture.steps] == [
        ((), ("I1",), "-11/10"),
        (("I1",), ("I1", "I2"), "9/10"),
    ]


def test_worth_knowing_everything() -> None:
    game = example()
    assert [game.worth(shown) for shown in ([], ["I1"], ["I2"], ["I1", "I3"])] == [
        0,
        Fraction(9, 10),
        Fraction(-1, 10),
        Fraction(-991, 10),
    ]
    assert game.with_prices({"I1": 0, "I2": 0, "I3": "inf"}).worth(["I3"]) == -inf
    assert (game.ex_post(["I1"]), game.ex_post([])) == (Fraction(9, 10), 0)


def test_an_equilibrium_says_where_the_theorem_need_not_hold() -> None:
    assert "Theorem" not in str(equilibrium(example()))
    single = equilibrium(example(moves=Moves.SINGLE_ITEMS), Ties.MOST_ITEMS)
    assert [h.holds for h in single.hypotheses] == [False, True, False]
    assert "need not hold: moves are union-closed: no, {I1} and {I2} are moves" in str(single)


# --- every kind of number


def as_floats(utilities: Any, prices: dict[str, Any]) -> tuple[Any, Any]:
    return utilities.astype(float), {name: float(p) for name, p in prices.items()}


def as_balls(utilities: Any, prices: dict[str, Any]) -> tuple[Any, Any]:
    return [[arb(int(u)) for u in row] for row in utilities], prices


def as_logarithms(utilities: Any, prices: dict[str, Any]) -> tuple[Any, Any]:
    unit = log(2)
    scaled = {name: p if p == "inf" else unit * p for name, p in prices.items()}
    return [[unit * int(u) for u in row] for row in utilities], scaled


@pytest.mark.parametrize("kind", [as_floats, as_balls, as_logarithms, as_a_function])
@pytest.mark.parametrize("ties", Ties)
def test_one_definition(kind: Callable[..., Any], ties: Ties) -> None:
    for utilities, prices, drawn_moves in games():
        moves = Moves.SUBSETS if kind is as_a_function else drawn_moves
        exact = equilibrium(built(utilities, prices, moves), ties)
        other, paid = kind(utilities, prices)
        found = equilibrium(MarginalValueGame.of(list(prices), other, paid, moves), ties)
        assert answers(found)[:-1] == answers(exact)[:-1]
        assert exact.gap == 0
        assert float(found.gap) < 1e-9


@pytest.mark.parametrize("ties", Ties)
def test_floats_tie_where_nothing_is_worth_anything(ties: Ties) -> None:
    utilities, prices = np.zeros((2, 8), dtype=np.int64), {f"I{j}": 0 for j in range(3)}
    exact = equilibrium(built(utilities, prices, Moves.SUBSETS), ties)
    floats = equilibrium(built(*as_floats(utilities, prices), Moves.SUBSETS), ties)
    assert answers(floats) == answers(exact)


def test_floats_tie_where_exact_numbers_do() -> None:
    tenth = {"a": 0.1 + 0.2}
    game = MarginalValueGame.of(["a"], {(): [0.0, 0.3], ("a",): [0.3, 0.0]}, tenth)
    assert equilibrium(game).path.moves == ()
    assert equilibrium(game, Ties.MOST_ITEMS).path.moves == (("a",),)


@pytest.mark.parametrize("ties", Ties)
@pytest.mark.parametrize("moves", [Moves.SUBSETS, Moves.SINGLE_ITEMS])
@pytest.mark.parametrize("places", [0, 2, 30, 40, 43, 51])
def test_floats_that_are_never_rounded_tie_by_the_same_rule(
    places: int, moves: Moves, ties: Ties
) -> None:
    """What is added to whole numbers counts as in the exact game; not where it is tiny."""
    rng, unit = np.random.default_rng(places), Fraction(1, 2**places)
    for _ in range(20):
        items = int(rng.integers(1, 5))
        whole, more = rng.integers(1, 4, (3, 2**items)), rng.integers(0, 2, (3, 2**items))
        prices = {f"I{j}": cost for j, cost in enumerate(rng.integers(0, 2, items).tolist())}
        utilities = whole.astype(object) + more.astype(object) * unit
        found = equilibrium(built(*as_floats(utilities, prices), moves), ties)
        exact = equilibrium(built(whole if places == 51 else utilities, prices, moves), ties)
        assert found.follow.tolist() == exact.follow.tolist()


@pytest.mark.parametrize("ties", Ties)
@pytest.mark.parametrize("size", [1, 2])
def test_games_of_many_sets_and_listed_moves(size: int, ties: Ties) -> None:
    """Solved in Python's integers, and set by set in arrays of float64."""
    rng = np.random.default_rng(size)
    for items in (7, 8):
        utilities = rng.integers(-20, 21, (3, 2**items))
        prices: dict[str, Any] = {f"I{j}": int(p) for j, p in enumerate(rng.integers(-1, 5, items))}
        prices["I3"] = inf
        moves = [list(each) for n in range(size + 1) for each in combinations(prices, n)]
        whole = equilibrium(built(utilities, prices, moves), ties)
        floats = equilibrium(built(*as_floats(utilities, prices), moves), ties)
        assert whole.gap == floats.gap == 0
        assert whole.follow.tolist() == floats.follow.tolist()
        assert whole.inextensible.tolist() == floats.inextensible.tolist()
        assert 0 < whole.stable.sum() < 2**items


def test_floats_tie_where_only_prices_are_rounded() -> None:
    prices = {"a": 0.1, "b": 0.2, "c": 0.3}
    game = MarginalValueGame.of(
        list(prices), lambda s: [0.0, 1.0] if "c" in s or s >= {"a", "b"} else [1.0, 0.0], prices
    )
    assert equilibrium(game).path.moves == (("c",),)
    assert equilibrium(game, Ties.MOST_ITEMS).path.moves == (("a", "b"),)


# --- relabelling, scaling, shifting, adding what says nothing


@pytest.mark.parametrize("case", games(25))
def test_scaling_and_shifting(case: Any) -> None:
    utilities, prices, moves = case
    found = equilibrium(built(utilities, prices, moves))
    shift = np.random.default_rng(5).integers(-9, 10, utilities.shape[1])
    paid = {name: p if p == "inf" else 3 * p for name, p in prices.items()}
    scaled = equilibrium(built(3 * utilities + shift, paid, moves))
    assert answers(scaled) == answers(found)
    assert gains(scaled) == [3 * gain for gain in gains(found)]


@pytest.mark.parametrize("case", games(25))
def test_a_silent_item_at_a_price_is_never_revealed(case: Any) -> None:
    utilities, prices, moves = case
    found = equilibrium(built(utilities, prices, moves))
    twice = np.hstack([utilities, utilities])
    longer = equilibrium(built(twice, {**prices, "silent": 1}, moves))
    assert longer.path.moves == found.path.moves
    assert longer.rewards == found.rewards
    assert longer.follow[: len(found.follow)].tolist() == found.follow.tolist()


@pytest.mark.parametrize("case", games(25))
def test_items_may_be_listed_in_any_order_where_nothing_ties(case: Any) -> None:
    utilities, prices, moves = case
    rng = np.random.default_rng(3)
    noisy = [[Fraction(int(u)) + Fraction(int(rng.integers(10**9)), 10**12) for u in row]
             for row in utilities]  # fmt: skip
    names = list(prices)
    first = equilibrium(built(noisy, prices, moves))
    table = {first.game.names(s): [row[s] for row in noisy] for s in range(len(first.follow))}
    other = MarginalValueGame.of(names[::-1], table, prices, moves)
    second = equilibrium(other)
    assert [set(m) for m in second.path.moves] == [set(m) for m in first.path.moves]
    assert second.rewards == first.rewards


# --- priors


@pytest.mark.parametrize("case", games(25))
def test_every_table_comes_of_a_prior(case: Any) -> None:
    utilities, prices, moves = case
    game = built(utilities, prices, moves)
    decision, goods, state = as_prior(game)
    again = from_prior(decision, goods, state, prices, moves)
    assert again.utilities.scalars() == game.utilities.scalars()
    assert again.actions == game.actions


def weather() -> tuple[DecisionProblem, list[Good]]:
    space = ProbabilitySpace.of({"wet": "1/4", "alarm": "1/4", "dry": "1/2", "never": 0})
    decision = DecisionProblem.of(space, {"stay": [0, 0, 0, 0], "go": [-8, 2, 3, 50]})
    report = Good.of("report", space.variable("report", lambda s: s in ("wet", "alarm")), "1/8")
    record = Good.of("record", space.variable("record", lambda s: s == "alarm"), "1/4")
    return decision, [report, record]


def test_utilities_are_expectations_given_what_was_said() -> None:
    decision, goods = weather()
    game = from_prior(decision, goods, "alarm")
    assert game.utilities.scalars() == [[0, 0, 0, 0], [0, -3, 2, 2]]
    assert equilibrium(game).revealed == ("record",)


def test_an_impossible_state_is_refused() -> None:
    decision, goods = weather()
    with pytest.raises(NullEventError, match=r"probability zero.*never"):
        from_prior(decision, goods, "never")
    with pytest.raises(InvalidInputError, match="state"):
        from_prior(decision, goods, "snow")


@pytest.mark.parametrize("score", Score)
def test_forecasts_are_paid_by_a_market_scoring_rule(score: Score) -> None:
    decision, goods = weather()
    forecast = Forecast(decision.space, decision.space.event(["alarm"]), Score.BRIER)
    assert from_prior(forecast, goods, "alarm").actions == (Fraction(1, 4), Fraction(1, 2), 1)
    beliefs = {(): "1/2", ("I",): "3/4", ("J",): "1/3", ("I", "J"): "1/5"}
    game = from_beliefs(["I", "J"], beliefs, {"I": 0, "J": 0}, score)
    assert game.settle([("I",), ("J",)]).rewards == market_scoring(
        ["1/2", "3/4", "1/5"], "1/5", score
    )


# --- size


def test_sixteen_items_and_the_same_by_single_items() -> None:
    rng = np.random.default_rng(0)
    utilities = rng.integers(-9, 10, (2, 2**16)) / 4
    prices = {f"I{j}": float(rng.integers(0, 9)) / 4 for j in range(16)}
    for moves in Moves:
        found = equilibrium(built(utilities, prices, moves))
        assert found.gap < 1e-9
        assert not found.stable.all()
