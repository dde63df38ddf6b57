"""Games of the marginal-value mechanism that are none, and what they are told."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest
from marginal_value_games import (
    example,
)

from theory.errors import (
    ExactnessError,
    InvalidInputError,
    LimitError,
    NumberError,
    ShapeError,
    UnknownNameError,
)
from theory.marginal_value import (
    MarginalValueGame,
    Moves,
    as_prior,
    equilibrium,
    from_beliefs,
)

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


class Unwritable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


def test_an_error_can_be_read_whatever_its_value() -> None:
    with pytest.raises(InvalidInputError, match="a Unwritable that cannot be shown"):
        MarginalValueGame.of(["a"], {(): [1], ("a",): [1]}, {"a": Unwritable()})
