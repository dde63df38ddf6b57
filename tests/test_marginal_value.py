"""The marginal-value game: definitions, every kind of number, relabelling, and bad input."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from flint import arb

from theory.decision import DecisionProblem, Forecast
from theory.errors import (
    ExactnessError,
    InvalidInputError,
    LimitError,
    NullEventError,
    NumberError,
    ShapeError,
    UnknownNameError,
)
from theory.information import Good
from theory.marginal_value import (
    Equilibrium,
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
    theorem_4_4,
)
from theory.marginal_value._recheck import largest_gain
from theory.numbers import log
from theory.probability import ProbabilitySpace
from theory.scoring import Score

HERE, THERE = ["1", "0"], ["0", "1"]


def example(*, cheap: object = "1/10", dear: object = 100, moves: Any = Moves.SUBSETS) -> Any:
    """Example 6.1 with the sets that it does not print left as the prior."""
    return MarginalValueGame.of(
        ["I1", "I2", "I3"],
        lambda s: THERE if s in ({"I1"}, {"I1", "I3"}, {"I1", "I2", "I3"}) else HERE,
        {"I1": cheap, "I2": cheap, "I3": dear},
        moves,
    )


def drawn(rng: np.random.Generator, items: int, actions: int = 2) -> tuple[Any, dict[str, Any]]:
    """Utilities and prices, small and whole."""
    utilities = rng.integers(-4, 5, (actions, 2**items))
    prices: dict[str, Any] = {f"I{j}": int(rng.integers(-1, 4)) for j in range(items)}
    if rng.random() < 0.3:
        prices["I0"] = "inf"
    return utilities, prices


def games(count: int = 40) -> list[tuple[Any, dict[str, Any], Moves]]:
    rng = np.random.default_rng(11)
    found = []
    for _ in range(count):
        utilities, prices = drawn(rng, int(rng.integers(1, 4)), int(rng.integers(1, 4)))
        found.append((utilities, prices, list(Moves)[int(rng.integers(2))]))
    return found


def built(utilities: Any, prices: dict[str, Any], moves: Any) -> MarginalValueGame:
    return MarginalValueGame.of(list(prices), utilities, prices, moves)


def gains(found: Equilibrium) -> list[Any]:
    return [*found.rewards, shortfall(found).shortfall]


def answers(found: Equilibrium) -> Any:
    behind = shortfall(found)
    return (
        found.follow.tolist(),
        found.inextensible.tolist(),
        found.path.moves,
        behind.best,
        [s.holds for s in (*theorem_4_4(found), *found.hypotheses)],
    )


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


# --- every kind of number


def as_floats(utilities: Any, prices: dict[str, Any]) -> tuple[Any, Any]:
    return utilities.astype(float), {name: float(p) for name, p in prices.items()}


def as_balls(utilities: Any, prices: dict[str, Any]) -> tuple[Any, Any]:
    return [[arb(int(u)) for u in row] for row in utilities], prices


def as_logarithms(utilities: Any, prices: dict[str, Any]) -> tuple[Any, Any]:
    unit = log(2)
    scaled = {name: p if p == "inf" else unit * p for name, p in prices.items()}
    return [[unit * int(u) for u in row] for row in utilities], scaled


def as_a_function(utilities: Any, prices: dict[str, Any]) -> tuple[Any, Any]:
    def price(new: frozenset[str]) -> Any:
        each = [prices[name] for name in new]
        return "inf" if "inf" in each else sum(each)

    return utilities, price


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


def test_floats_tie_where_exact_numbers_do() -> None:
    tenth = {"a": 0.1 + 0.2}
    game = MarginalValueGame.of(["a"], {(): [0.0, 0.3], ("a",): [0.3, 0.0]}, tenth)
    assert equilibrium(game).path.moves == ()
    assert equilibrium(game, Ties.MOST_ITEMS).path.moves == (("a",),)


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


# --- the verifier is seen to fail


def test_a_wrong_move_leaves_a_gap() -> None:
    game = example(dear="1/10")
    found = equilibrium(game)
    for place in range(len(found.follow)):
        for target in game.after(place):
            follow = found.follow.copy()
            follow[place] = target
            gap = largest_gain(game, follow)
            assert gap >= 0
            if found.follow[place] != target:
                assert gap > 0


def test_the_two_verifiers_agree() -> None:
    rng = np.random.default_rng(2)
    for utilities, prices, _ in games():
        cube = built(utilities, prices, Moves.SUBSETS)
        listed = MarginalValueGame.of(
            list(prices), utilities, as_a_function(utilities, prices)[1], Moves.SUBSETS
        )
        follow = np.arange(len(cube.sets))
        for place in range(len(follow)):
            options = cube.after(place)
            if len(options) and rng.random() < 0.6:
                follow[place] = rng.choice(options)
        assert largest_gain(cube, follow) == largest_gain(listed, follow)


def in_ninths(kind: str) -> MarginalValueGame:
    """A game whose prices are no whole numbers."""
    rows: Any = [[0, Fraction(1, 9)], [Fraction(-1), Fraction(8, 9)]]
    ninth: Any = Fraction(8, 9)
    if kind == "balls":
        rows = [[arb(0), arb(1) / 9], [arb(-1), arb(8) / 9]]
    elif kind == "logarithms":
        rows, ninth = [[log(2) * u for u in row] for row in rows], log(2) * ninth
    elif kind == "floats":
        rows, ninth = np.array(rows, dtype=float), 8 / 9
    return MarginalValueGame.of(["a"], rows, {"a": ninth})


@pytest.mark.parametrize("kind", ["exact", "balls", "logarithms", "floats"])
def test_prices_that_are_no_whole_numbers_are_rechecked(kind: str) -> None:
    game = in_ninths(kind)
    unit = float(log(2)) if kind == "logarithms" else 1.0
    assert equilibrium(game).path.moves == ()
    assert float(equilibrium(game).gap) < 1e-12
    assert float(largest_gain(game, np.array([1, 1]))) == pytest.approx(unit / 9)


def test_a_price_nobody_pays_does_not_blind_the_others() -> None:
    table = {(): [1.0, 0.0], ("a",): [0.0, 1.0], ("b",): [1.0, 0.0], ("a", "b"): [0.0, 1.0]}
    for dear in (1e9, 1e13, 1e300, inf):
        prices = {"a": 0.1, "b": dear}
        for paid in (prices, lambda new, p=prices: sum(p[name] for name in new)):
            found = equilibrium(MarginalValueGame.of(["a", "b"], table, paid))
            assert found.revealed == ("a",)
            assert found.gap < 1e-12
            assert found.inextensible_sets == (("a",), ("a", "b"))


def test_actions_tie_by_the_numbers_of_their_own_set() -> None:
    table = {(): [0.0, 0.0], ("a",): [0.0, 1e-5], ("b",): [1e9, 0.0], ("a", "b"): [1e6, 1e9]}
    game = MarginalValueGame.of(["a", "b"], table, {"a": 0.0, "b": 0.0})
    assert [game.action(shown) for shown in table] == [0, 1, 0, 1]


def test_a_recheck_reads_prices_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    game = MarginalValueGame.of(["a"], [[0, 0], [0, 3]], lambda new: 2 * len(new))
    paid = type(game.prices).of_sets
    monkeypatch.setattr(
        type(game.prices), "of_sets", lambda self, new: paid(self, new) + paid(self, new)
    )
    assert largest_gain(game, equilibrium(game).follow) == 1


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


def test_an_action_that_is_not_best_leaves_a_gap() -> None:
    game = example()
    game.__dict__["picked"] = np.ones(8, dtype=np.int64)
    assert largest_gain(game, np.arange(8)) == 1


# --- size


def test_sixteen_items_and_the_same_by_single_items() -> None:
    rng = np.random.default_rng(0)
    utilities = rng.integers(-9, 10, (2, 2**16)) / 4
    prices = {f"I{j}": float(rng.integers(0, 9)) / 4 for j in range(16)}
    for moves in Moves:
        found = equilibrium(built(utilities, prices, moves))
        assert found.gap < 1e-9
        assert not found.stable.all()


# --- bad input

UTILITIES = [[1, 2], [2, 1]]
TWO = {"a": 1, "b": 1}


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        (([], UTILITIES, {}), InvalidInputError, "items is empty"),
        (("ab", UTILITIES, {}), InvalidInputError, "items"),
        ((["a", "a"], UTILITIES, {}), InvalidInputError, "twice"),
        ((["a"], [[1], [2]], {"a": 1}), ShapeError, r"\(2, 2\)"),
        ((["a"], [[1, nan]], {"a": 1}), NumberError, "not finite"),
        ((["a"], UTILITIES, {"a": nan}), NumberError, "price of a"),
        ((["a"], UTILITIES, {"a": -inf}), NumberError, "price of a"),
        ((["a"], UTILITIES, {"a": None}), NumberError, "price of a"),
        ((["a"], UTILITIES, {"a": 0.5}), NumberError, "write it exactly"),
        ((["a"], [[1.0, 2.0]], {"a": "1/2"}), NumberError, "one kind"),
        ((["a"], UTILITIES, {"a": 1, "c": 1}), UnknownNameError, "prices.*'c'"),
        ((["a"], UTILITIES, {}), InvalidInputError, "none for 'a'"),
        ((["a"], UTILITIES, lambda s: 1, [(), ("a",)]), NumberError, "∅ is not 0"),
        ((["a"], UTILITIES, lambda s: 0, Moves.SINGLE_ITEMS), InvalidInputError, "one by one"),
        ((["a"], UTILITIES, {frozenset(): 0}.__getitem__), InvalidInputError, "price of {a}"),
        ((["a", "b"], {(): [1], ("a",): [1], ("b",): [1]}, TWO), InvalidInputError, "{a, b}"),
        ((["a"], {(): [1], ("c",): [1]}, {"a": 1}), UnknownNameError, "'c'"),
        ((["a"], {(): [1], "a": [1]}, {"a": 1}), InvalidInputError, "collection"),
        ((["a"], {(): [1], ("a",): [1, 2]}, {"a": 1}), ShapeError, "utilities of {a}"),
        ((["a"], {(): {"x": 1}, ("a",): {"y": 1}}, {"a": 1}), UnknownNameError, "{a}.*'y'"),
        ((["a"], {(): {"x": 1, "y": 1}, ("a",): {"y": 1}}, {"a": 1}), InvalidInputError, "'x'"),
        ((["a"], lambda s: None, {"a": 1}), InvalidInputError, "not a row"),
        ((["a"], lambda s: [], {"a": 1}), InvalidInputError, "actions is empty"),
        ((["a"], UTILITIES, {"a": 1}, [("a",)]), InvalidInputError, "null move"),
        ((["a"], UTILITIES, {"a": 1}, [(), ("b",)]), UnknownNameError, r"moves\[1\]"),
        ((["a"], UTILITIES, {"a": 1}, "any set of item"), UnknownNameError, "any set of items"),
        ((["a"], UTILITIES, {"a": 1}, Moves.SUBSETS, ["x", "x"]), InvalidInputError, "twice"),
        (([f"i{j}" for j in range(30)], UTILITIES, {}), LimitError, "4,194,304"),
        (([f"i{j}" for j in range(60)], UTILITIES, {}), LimitError, "40"),
    ],
)
def test_bad_input_is_named(arguments: tuple[Any, ...], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        MarginalValueGame.of(*arguments)


@pytest.mark.parametrize(
    ("history", "says"),
    [
        ([("I4",)], "move 1.*I4"),
        ([("I1", "I2")], "move 1.*not a move"),
        ([("I1",), ("I1",), ("I2",)], "move 3.*null move"),
        (["I1"], "move 1.*collection"),
    ],
)
def test_a_history_that_is_none(history: Any, says: str) -> None:
    game = example(moves=Moves.SINGLE_ITEMS)
    for ask in (game.settle, equilibrium(game).move):
        with pytest.raises(InvalidInputError, match=says):
            ask(history)


def test_sets_out_of_reach_are_refused() -> None:
    game = MarginalValueGame.of(["a", "b"], {(): [1], ("a", "b"): [1]}, TWO, [(), ("a", "b")])
    with pytest.raises(InvalidInputError, match="no union of moves"):
        game.place(["a"])
    with pytest.raises(InvalidInputError, match="cannot be revealed"):
        as_prior(game)


def test_beliefs_that_cannot_be_scored() -> None:
    for beliefs, score, error in [
        ({(): "1/2", ("a",): 2}, "brier", NumberError),
        ({(): "1/2", ("a",): 1}, "log", NumberError),
        ({(): "1/2", ("a",): 0.5}, "brier", ExactnessError),
        ({(): "1/2"}, "brier", InvalidInputError),
        ({(): "1/2", "a": "1/3"}, "brier", InvalidInputError),
        ({(): "1/2", ("a",): "1/3", ("b",): "1/3"}, "brier", UnknownNameError),
        ({(): "1/2", ("a",): "1/2"}, "quadratic", UnknownNameError),
    ]:
        with pytest.raises(error):
            from_beliefs(["a"], beliefs, {"a": 0}, score)


def test_unknown_ties() -> None:
    with pytest.raises(UnknownNameError, match="ties"):
        equilibrium(example(), "fewest")


def test_an_equilibrium_says_where_the_theorem_need_not_hold() -> None:
    assert "Theorem" not in str(equilibrium(example()))
    single = equilibrium(example(moves=Moves.SINGLE_ITEMS), Ties.MOST_ITEMS)
    assert [h.holds for h in single.hypotheses] == [False, True, False]
    assert "need not hold: moves are union-closed: no, {I1} and {I2} are moves" in str(single)


class Unwritable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


def test_an_error_can_be_read_whatever_its_value() -> None:
    with pytest.raises(InvalidInputError, match="a Unwritable that cannot be shown"):
        MarginalValueGame.of(["a"], {(): [1], ("a",): [1]}, {"a": Unwritable()})
