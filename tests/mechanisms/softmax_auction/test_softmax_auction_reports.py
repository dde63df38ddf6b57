"""Reports as models: eq. (11) with both factors."""

from __future__ import annotations

from fractions import Fraction
from inspect import unwrap
from math import exp
from typing import Any

import numpy as np
import pytest
from reference import auction as oracle

from mechanisms.softmax_auction import odds_from_laws, rewards_from_log_probs, softmax_auction
from theory.errors import (
    ExactnessError,
    InvalidInputError,
    NumberError,
    ShapeError,
)

MODELS = [["1/2", "1/4", "1/4"], ["1/10", "1/10", "4/5"]]
REFERENCE = ["1/3", "1/3", "1/3"]
LOG_MODELS = np.log([[float(Fraction(p)) for p in row] for row in MODELS])
LOG_REF = np.log([float(Fraction(p)) for p in REFERENCE])


@pytest.mark.parametrize(("tau", "log_normaliser"), [(1, 0), (2.5, 0), (0.5, 3), (4, -1.25)])
def test_the_definition_in_decimals(tau: float, log_normaliser: float) -> None:
    found = rewards_from_log_probs(LOG_MODELS, LOG_REF, tau=tau, log_normaliser=log_normaliser)
    for row, model in zip(found, MODELS, strict=True):
        law, reference = ([Fraction(p) for p in one] for one in (model, REFERENCE))
        wanted = oracle.rewards_from_models(law, reference, tau, log_normaliser)
        np.testing.assert_allclose(row, [float(one) for one in wanted], rtol=1e-14, atol=1e-14)


def test_the_rewards_lead_back_to_the_model() -> None:
    """With tau_i in the auction, agent i alone gets its own law, whatever its normaliser."""
    for tau in (0.1, 1.0, 7.0):
        rewards = rewards_from_log_probs(LOG_MODELS, LOG_REF, tau=tau, log_normaliser=-2.0)
        for row, logs in zip(rewards, LOG_MODELS, strict=True):
            outcome = softmax_auction(row[None], tau, LOG_REF, np.zeros(3))
            np.testing.assert_allclose(outcome.allocation, np.exp(logs), rtol=1e-13)


def test_the_printed_equation_differs_by_a_constant_that_settles_nothing() -> None:
    taus, shifts = np.array([0.5, 3.0]), np.array([1.0, -2.0])
    right = rewards_from_log_probs(LOG_MODELS, LOG_REF, tau=taus, log_normaliser=shifts)
    printed = taus[:, None] * (LOG_MODELS - LOG_REF) + shifts[:, None]
    constants = right - printed
    assert (np.abs(constants) > 0.1).all()
    np.testing.assert_allclose(constants, constants[:, :1] * np.ones(3), rtol=1e-13)
    one, two = softmax_auction(right, 2.0), softmax_auction(printed, 2.0)
    np.testing.assert_allclose(one.allocation, two.allocation, rtol=1e-13)
    np.testing.assert_allclose(one.payments, two.payments, rtol=1e-11, atol=1e-14)


def test_batches_and_agents_of_their_own() -> None:
    batch = np.stack([LOG_MODELS, LOG_MODELS[:, ::-1]])
    refs = np.stack([LOG_REF, LOG_REF - 0.5])
    taus = np.array([[1.0, 2.0], [3.0, 4.0]])
    both = rewards_from_log_probs(batch, refs, tau=taus, log_normaliser=taus + 1)
    for q in range(2):
        for i in range(2):
            one = rewards_from_log_probs(
                batch[q, i : i + 1], refs[q], tau=float(taus[q, i]), log_normaliser=taus[q, i] + 1
            )
            assert np.array_equal(both[q, i], one[0])
    shared = rewards_from_log_probs(batch, LOG_REF)
    assert np.array_equal(shared[0], rewards_from_log_probs(LOG_MODELS, LOG_REF))
    numbers = rewards_from_log_probs(batch, LOG_REF, tau=np.array([1.0, 2.0]))
    assert np.array_equal(numbers[:, 0], shared[:, 0])
    assert np.array_equal(numbers[:, 1], 2 * shared[:, 1])


def test_odds_are_exponentials_of_rewards() -> None:
    odds = odds_from_laws(MODELS, REFERENCE)
    rewards = rewards_from_log_probs(LOG_MODELS, LOG_REF, tau=2.0)
    for row, numbers in zip(odds, rewards, strict=True):
        for one, number in zip(row, numbers, strict=True):
            assert exp(number / 2) == pytest.approx(float(one), rel=1e-14)
    assert odds[0] == (Fraction(3, 2), Fraction(3, 4), Fraction(3, 4))


@pytest.mark.parametrize(
    ("models", "reference", "options", "kind", "words"),
    [
        ([[float("nan")]], [0.0], {}, NumberError, "log_model[0, 0]"),
        ([[-1.0, 1e-9]], [0.0, 0.0], {}, NumberError, "log_model[0, 1]"),
        ([[-np.inf]], [0.0], {}, NumberError, "log_model[0, 0]"),
        ([[-1.0]], [-np.inf], {}, NumberError, "log_ref[0]"),
        ([[-1.0]], [0.5], {}, NumberError, "log_ref[0]"),
        ([-1.0], [-1.0], {}, ShapeError, "log_model"),
        (-1.0, [-1.0], {}, ShapeError, "log_model"),
        ([[]], [], {}, ShapeError, "log_model"),
        (np.zeros((0, 2)), [0.0, 0.0], {}, ShapeError, "log_model"),
        ([[-1.0]], [-1.0, -1.0], {}, ShapeError, "log_ref"),
        ([[-1.0]], -1.0, {}, ShapeError, "log_ref"),
        ([[-1.0]], [[-1.0], [-1.0]], {}, ShapeError, "log_ref"),
        ([[-1.0], [-1.0, -2.0]], [-1.0], {}, ShapeError, "log_model"),
        ([["a"]], [-1.0], {}, NumberError, "log_model"),
        ([[True]], [-1.0], {}, NumberError, "log_model"),
        ([[Fraction(-1)]], [-1.0], {}, NumberError, "log_model"),
        ([[-1.0]], [-1.0], {"tau": 0.0}, InvalidInputError, "tau"),
        ([[-1.0]], [-1.0], {"tau": -1.0}, InvalidInputError, "tau"),
        ([[-1.0]], [-1.0], {"tau": np.inf}, NumberError, "tau"),
        ([[-1.0]], [-1.0], {"tau": float("nan")}, NumberError, "tau"),
        ([[-1.0]], [-1.0], {"tau": None}, NumberError, "tau"),
        ([[-1.0]], [-1.0], {"tau": [1.0, 2.0]}, ShapeError, "tau"),
        ([[-1e9]], [0.0], {"tau": 1e300}, NumberError, "not finite"),
        ([[-1.0]], [-1.0], {"log_normaliser": np.inf}, NumberError, "log_normaliser"),
        ([[-1.0]], [-1.0], {"log_normaliser": [0.0, 0.0]}, ShapeError, "log_normaliser"),
    ],
)
def test_refusals(
    models: Any, reference: Any, options: dict[str, Any], kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind) as caught:
        unwrap(rewards_from_log_probs)(models, reference, **options)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("models", "reference", "kind"),
    [
        ([], ["1"], ShapeError),
        ("1", ["1"], ShapeError),
        ([[]], [], ShapeError),
        (["1"], ["1"], ShapeError),
        ([["1/2"]], ["1/2", "1/2"], ShapeError),
        ([["0"]], ["1"], NumberError),
        ([["1"]], ["0"], NumberError),
        ([["1"]], ["3/2"], NumberError),
        ([["-1/2"]], ["1"], NumberError),
        ([[0.5]], ["1"], ExactnessError),
        ([[True]], ["1"], NumberError),
        ([[None]], ["1"], NumberError),
    ],
)
def test_laws_refused(models: Any, reference: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        unwrap(odds_from_laws)(models, reference)
