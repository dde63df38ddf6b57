"""What the softmax auction says to what is no auction, before any number is returned."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from inspect import unwrap
from typing import Any

import numpy as np
import pytest

from mechanisms.softmax_auction import (
    certified_auction,
    exact_auction,
    softmax_allocation,
    softmax_auction,
    softmax_payments,
)
from theory.errors import (
    ExactnessError,
    InvalidInputError,
    LimitError,
    NumberError,
    ProbabilityError,
    ShapeError,
    UnknownNameError,
)

GOOD = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]])
LOGS = np.log([0.5, 0.25, 0.25])
inf, nan = np.inf, np.nan


def changed(*where: int, value: float) -> np.ndarray:
    array = GOOD.copy()
    array[where] = value
    return array


CASES: list[tuple[dict[str, Any], type[InvalidInputError], str]] = [
    ({"rewards": changed(1, 2, value=nan)}, NumberError, "rewards[1, 2]"),
    ({"rewards": changed(0, 1, value=inf)}, NumberError, "rewards[0, 1]"),
    ({"rewards": changed(0, 1, value=-inf)}, NumberError, "rewards[0, 1]"),
    ({"rewards": np.array([[inf], [-inf]])}, NumberError, "rewards[0, 0]"),
    ({"rewards": np.array([[1e300, 0.0], [1e300, 0.0]])}, LimitError, "scale rewards"),
    ({"rewards": GOOD, "tau": 1e-279, "scaled": 1e10}, LimitError, "scale rewards"),
    ({"rewards": np.zeros((0, 3))}, ShapeError, "no agent"),
    ({"rewards": np.zeros((2, 0))}, ShapeError, "no candidate"),
    ({"rewards": np.zeros((0, 2, 3))}, ShapeError, "no query"),
    ({"rewards": np.zeros(3)}, ShapeError, "1 axes"),
    ({"rewards": 3.0}, ShapeError, "0 axes"),
    ({"rewards": None}, NumberError, "is not a number"),
    ({"rewards": []}, ShapeError, "axes"),
    ({"rewards": [[1.0, 2.0], [1.0]]}, ShapeError, "another length"),
    ({"rewards": [[1.0, True]]}, NumberError, "rewards[0, 1]"),
    ({"rewards": [[1.0, None]]}, NumberError, "rewards[0, 1]"),
    ({"rewards": [[1.0, "2"]]}, NumberError, "rewards[0, 1]"),
    ({"rewards": [[1.0, 2**53 + 1]]}, LimitError, "2^53"),
    ({"rewards": np.array([[1, 2**60]])}, LimitError, "2^53"),
    ({"rewards": np.array([[-(2**63), 1]])}, LimitError, "2^53"),
    ({"rewards": [[1.0, Fraction(1, 2)]]}, ExactnessError, "certified_auction"),
    ({"rewards": GOOD > 1}, NumberError, "bool"),
    ({"rewards": GOOD.astype(complex)}, NumberError, "complex"),
    ({"rewards": GOOD.astype(np.longdouble)}, NumberError, "longdouble|float128|not a number"),
    ({"rewards": GOOD.astype(str)}, NumberError, "type"),
    ({"rewards": {1: 2}}, NumberError, "is not a number"),
    ({"tau": 0.0}, NumberError, "tau"),
    ({"tau": -1.0}, NumberError, "tau"),
    ({"tau": nan}, NumberError, "tau"),
    ({"tau": inf}, NumberError, "tau"),
    ({"tau": 1e-300}, LimitError, "tau"),
    ({"tau": 1e300}, LimitError, "tau"),
    ({"tau": "1"}, NumberError, "tau"),
    ({"tau": None}, NumberError, "tau"),
    ({"tau": True}, NumberError, "tau"),
    ({"tau": 10**400}, LimitError, "tau"),
    ({"tau": Fraction(1, 2)}, ExactnessError, "tau"),
    ({"tau": [1.0, 0.0], "rewards": np.zeros((2, 2, 2))}, NumberError, "tau"),
    ({"tau": [1.0, 1.0], "rewards": np.zeros((3, 2, 2))}, ShapeError, "tau"),
    ({"tau": np.zeros(0)}, ShapeError, "no query"),
    ({"log_ref": LOGS}, InvalidInputError, "without log_gen"),
    ({"log_gen": LOGS}, InvalidInputError, "without log_ref"),
    ({"log_ref": LOGS + 1, "log_gen": LOGS}, ProbabilityError, "log_ref[0]"),
    ({"log_ref": LOGS, "log_gen": [-1.0, 0.5, -1.0]}, ProbabilityError, "log_gen[1]"),
    ({"log_ref": [-1.0, nan, -1.0], "log_gen": LOGS}, NumberError, "log_ref[1]"),
    ({"log_ref": LOGS, "log_gen": [-1.0, -1.0, nan]}, NumberError, "log_gen[2]"),
    ({"log_ref": LOGS, "log_gen": [-1.0, -inf, -1.0]}, ProbabilityError, "cannot draw"),
    ({"log_ref": [-inf] * 3, "log_gen": LOGS}, ProbabilityError, "no possible candidate"),
    ({"log_ref": LOGS[:2], "log_gen": LOGS}, ShapeError, "log_ref"),
    ({"log_ref": LOGS, "log_gen": LOGS[:2]}, ShapeError, "log_gen"),
    ({"log_ref": -1.0, "log_gen": LOGS}, ShapeError, "log_ref"),
    ({"log_ref": np.zeros((2, 3)), "log_gen": np.zeros((3, 3))}, ShapeError, "log_gen"),
]


@pytest.mark.parametrize("function", [softmax_payments, softmax_allocation, softmax_auction])
@pytest.mark.parametrize(("wrong", "kind", "said"), CASES)
def test_refusals(
    function: Callable[..., Any], wrong: dict[str, Any], kind: type[InvalidInputError], said: str
) -> None:
    query: dict[str, Any] = {"rewards": GOOD, "tau": 1.0, **wrong}
    query["rewards"] = query["rewards"] if "scaled" not in query else GOOD * query.pop("scaled")
    with pytest.raises(kind) as error:
        unwrap(function)(**query)
    assert any(words in str(error.value) for words in said.split("|")), str(error.value)
    assert error.value.fix


def test_the_place_in_a_batch_is_named() -> None:
    rewards = np.zeros((2, 3, 2, 4))
    rewards[1, 2, 0, 3] = nan
    with pytest.raises(NumberError, match=r"rewards\[1, 2, 0, 3\]"):
        softmax_payments(rewards, 1.0)
    logs = np.full((2, 3, 4), -1.0)
    logs[1, 0, 2] = 0.25
    with pytest.raises(ProbabilityError, match=r"log_ref\[1, 0, 2\].*0.25"):
        softmax_payments(np.zeros((2, 3, 2, 4)), 1.0, logs, np.zeros(4))


@pytest.mark.parametrize(
    ("out", "kind"),
    [
        (np.empty(3), ShapeError),
        (np.empty((2, 1)), ShapeError),
        (np.empty(2, np.float32), InvalidInputError),
        (np.empty(4)[::2], InvalidInputError),
        (np.broadcast_to(0.0, 2), InvalidInputError),
        ([0.0, 0.0], InvalidInputError),
    ],
)
def test_what_payments_cannot_be_written_into(out: Any, kind: type[InvalidInputError]) -> None:
    with pytest.raises(kind, match="out"):
        unwrap(softmax_payments)(GOOD, 1.0, out=out)


def test_rewards_that_cancel_beyond_what_prices_can_be_told_for() -> None:
    rewards = np.array([[1e300, 0.0], [-1e300, 0.0]])
    np.testing.assert_array_equal(softmax_allocation(rewards, 1.0), [0.5, 0.5])
    for function in (softmax_payments, softmax_auction):
        with pytest.raises(LimitError, match="scale rewards"):
            function(rewards, 1.0)


def test_unknown_words() -> None:
    with pytest.raises(TypeError, match="temperature"):
        unwrap(softmax_payments)(GOOD, temperature=1.0)  # type: ignore[call-arg]
    for function in (softmax_payments, softmax_auction, certified_auction):
        with pytest.raises(InvalidInputError, match="offset"):
            unwrap(function)(GOOD, 1.0, offset=1)


def test_settlements() -> None:
    outcome = softmax_auction(np.zeros((2, 2, 3)), 1.0)
    with pytest.raises(UnknownNameError, match="contingent"):
        outcome.settle([0, 1], "contingnt")
    with pytest.raises(UnknownNameError, match="settlement"):
        unwrap(type(outcome).settle)(outcome, [0, 1], 3)  # type: ignore[arg-type]
    for reply in (0, [0, 3], [0, -1], [0.0, 1.0], [True, False], None, [[0], [1]], "ab"):
        with pytest.raises(InvalidInputError, match="reply"):
            outcome.settle(reply)
    with pytest.raises(InvalidInputError, match="default_rng"):
        unwrap(type(outcome).sample)(outcome, 3)


EXACT: list[tuple[dict[str, Any], type[InvalidInputError], str]] = [
    ({"odds": [[1.0, 2.0]]}, ExactnessError, "odds"),
    ({"odds": [[1, 0]]}, NumberError, "odds[0, 1]"),
    ({"odds": [[1, -2]]}, NumberError, "odds[0, 1]"),
    ({"odds": [[1, True]]}, NumberError, "odds"),
    ({"odds": [[1, 2], [1]]}, ShapeError, "odds"),
    ({"odds": []}, ShapeError, "odds"),
    ({"odds": [[]]}, ShapeError, "odds"),
    ({"odds": [1, 2]}, ShapeError, "odds"),
    ({"weights": [1]}, ShapeError, "weights"),
    ({"weights": [1, -1]}, ProbabilityError, "weights[1]"),
    ({"weights": [0, 0]}, ProbabilityError, "weights"),
    ({"weights": [0.5, 0.5]}, ExactnessError, "weights"),
    ({"tau": 0}, NumberError, "tau"),
    ({"tau": -1}, NumberError, "tau"),
    ({"tau": 0.5}, ExactnessError, "tau"),
    ({"offset": 1}, InvalidInputError, "offset"),
]


@pytest.mark.parametrize(("wrong", "kind", "said"), EXACT)
def test_refusals_of_exact_auctions(
    wrong: dict[str, Any], kind: type[InvalidInputError], said: str
) -> None:
    with pytest.raises(kind) as error:
        unwrap(exact_auction)(**{"odds": [[1, 2], [3, 1]], **wrong})
    assert said in str(error.value)


CERTIFIED: list[tuple[dict[str, Any], type[InvalidInputError], str]] = [
    ({"rewards": [[1.0, nan]]}, NumberError, "rewards[0, 1]"),
    ({"rewards": [[1.0, inf]]}, NumberError, "rewards[0, 1]"),
    ({"rewards": [[1.0, True]]}, NumberError, "rewards[0, 1]"),
    ({"rewards": [[1.0, None]]}, NumberError, "rewards[0, 1]"),
    ({"rewards": [[[1.0]]]}, ShapeError, "rewards[0, 0]"),
    ({"rewards": []}, ShapeError, "rewards"),
    ({"rewards": [[]]}, ShapeError, "rewards"),
    ({"rewards": [[1.0], [1.0, 2.0]]}, ShapeError, "rewards"),
    ({"rewards": 3}, ShapeError, "rewards"),
    ({"tau": 0}, NumberError, "tau"),
    ({"tau": nan}, NumberError, "tau"),
    ({"tau": [1.0, 2.0]}, ShapeError, "tau"),
    ({"log_ref": LOGS}, InvalidInputError, "without log_gen"),
    ({"log_gen": LOGS}, InvalidInputError, "without log_ref"),
    ({"log_ref": LOGS, "log_gen": [-1.0, -inf, 0.0]}, ProbabilityError, "log_gen[1]"),
    ({"log_ref": [1, 0, 0], "log_gen": LOGS}, ProbabilityError, "log_ref[0]"),
    ({"log_ref": [-inf] * 3, "log_gen": LOGS}, ProbabilityError, "no possible candidate"),
    ({"log_ref": LOGS[:2], "log_gen": LOGS}, ShapeError, "log_ref"),
    ({"log_ref": 0.0, "log_gen": LOGS}, ShapeError, "log_ref"),
    ({"relative": 0.0}, NumberError, "relative"),
    ({"relative": 1.0}, NumberError, "relative"),
    ({"relative": nan}, NumberError, "relative"),
    ({"relative": "1e-12"}, NumberError, "relative"),
    ({"relative": True}, NumberError, "relative"),
    ({"relative": 1e-310}, LimitError, "relative"),
]


@pytest.mark.parametrize(("wrong", "kind", "said"), CERTIFIED)
def test_refusals_of_certified_auctions(
    wrong: dict[str, Any], kind: type[InvalidInputError], said: str
) -> None:
    with pytest.raises(kind) as error:
        unwrap(certified_auction)(**{"rewards": GOOD, "tau": 1.0, **wrong})
    assert said in str(error.value), str(error.value)


def test_masked_arrays_are_refused() -> None:
    masked: Any = np.ma.masked_array([[1.0, 2.0]], mask=[[False, True]])
    for function in (softmax_payments, softmax_auction, certified_auction):
        with pytest.raises(InvalidInputError, match="is a masked array"):
            unwrap(function)(masked, 1.0)


def test_numbers_beyond_float64_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="too large to be shown"):
        certified_auction([[10**400, 0]], 1)


def test_an_outcome_keeps_what_it_was_computed_from() -> None:
    rewards, heat = np.array([[0.0, 2.0, 0.0], [0.0, 0.0, 1.0]]), np.array(1.0)
    outcome = softmax_auction(rewards, heat)
    fresh = softmax_auction(rewards.copy(), 1.0)
    rewards[:] = 0
    heat[...] = 5.0
    assert outcome.tau == 1.0
    np.testing.assert_array_equal(outcome.settle(1).utilities, fresh.settle(1).utilities)
    np.testing.assert_array_equal(outcome.allocation_without, fresh.allocation_without)
