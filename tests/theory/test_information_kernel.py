"""The kernel: the ex-ante value from plain arrays."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import ctx
from hypothesis import given
from hypothesis import strategies as st
from information_cases import KINDS, close, oracle
from reference.values import valued
from strategies import Instance, Kind, instances

from theory.decision import DecisionProblem
from theory.errors import (
    ExactnessError,
    InvalidInputError,
    NumberError,
    ProbabilityError,
    ShapeError,
    UndecidedError,
)
from theory.information import (
    Good,
    ex_ante_value,
    value_of_information,
)
from theory.numbers import Exact, Floats
from theory.probability import Partition, ProbabilitySpace, Variable


@given(instances(), st.sampled_from(KINDS))
def test_the_kernel_agrees_with_the_definition(instance: Instance, kind: Kind) -> None:
    true = oracle(instance).ex_ante
    problem, signal = instance.problem(kind), Partition.of(instance.signal)
    price = instance.good(kind).price
    try:
        with ctx.workprec(200):
            problem = instance.problem(kind)
            found = ex_ante_value(problem.space.probabilities, problem.utilities, signal, price)
    except UndecidedError:
        assert kind == "certified"
        return
    assert close(found, true, kind)


@given(
    st.integers(1, 60),
    st.integers(1, 5),
    st.integers(0, 2**32 - 1),
    st.floats(-2, 2),
    st.booleans(),
)
def test_the_kernel_on_random_floats(
    states: int, actions: int, seed: int, price: float, sparse: bool
) -> None:
    generator = np.random.default_rng(seed)
    p = generator.random(states) * (generator.random(states) < (0.5 if sparse else 1.0))
    p = p / p.sum() if p.sum() > 0 else np.full(states, 1 / states)
    u = generator.standard_normal((actions, states))
    signal = generator.integers(7, size=states)
    found = ex_ante_value(p, u, signal, price)
    problem = DecisionProblem.of(ProbabilitySpace.of(p), u)
    slow = value_of_information(problem, Good.of("I", Variable.of("I", signal), price))
    true = valued(p.tolist(), u.tolist(), signal.tolist(), price)
    assert found == pytest.approx(true.ex_ante, abs=1e-12)
    assert slow.ex_ante == pytest.approx(true.ex_ante, abs=1e-12)
    assert slow.gap < 1e-12


SPREAD: dict[str, Callable[[np.ndarray], Any]] = {
    "as they are": lambda s: s,
    "int32": lambda s: s.astype(np.int32),
    "uint64": lambda s: s.astype(np.uint64),
    "int8": lambda s: s.astype(np.int8),
    "negative": lambda s: s - 2,
    "far apart": lambda s: s * 10**15,
    "beyond int64": lambda s: s.astype(np.uint64) + np.uint64(2**63),
    "with gaps": lambda s: s * 3 + 1,
    "a partition": Partition.of,
    "every other": lambda s: np.repeat(s, 2)[::2],
}


@pytest.mark.parametrize("form", SPREAD)
def test_labels_may_be_any_integers(form: str) -> None:
    p = np.array([0.1, 0.2, 0.3, 0.4])
    u = np.array([[1.0, -2.0, 0.5, 0.0], [0.0, 3.0, -1.0, 0.25]])
    signal = np.array([0, 1, 2, 1])
    true = valued(p.tolist(), u.tolist(), signal.tolist(), 0.125).ex_ante
    assert ex_ante_value(p, u, SPREAD[form](signal), 0.125) == pytest.approx(true, abs=1e-15)


def test_odd_arrays() -> None:
    p, u = np.array([0.25, 0.75]), np.array([[0.0, -1.0], [-4.0, 0.0]])
    signal = np.array([0, 1])
    assert ex_ante_value(p, u, signal) == 0.75
    single = u.astype(np.float32)
    assert ex_ante_value(p.astype(np.float32), single, signal) == 0.75
    assert isinstance(ex_ante_value(p, single, signal), float)
    assert ex_ante_value(p, np.asfortranarray(u), signal) == 0.75
    assert ex_ante_value(p[::-1], u[:, ::-1], signal[::-1]) == 0.75
    assert ex_ante_value(p, u[:1], signal) == 0.0
    assert ex_ante_value(np.array([1.0]), np.array([[3.0], [2.0]]), np.array([5])) == 0.0
    assert ex_ante_value(p, u, signal, 1) == -0.25
    assert ex_ante_value(p, u, signal, Fraction(2)) == -1.25
    assert ex_ante_value(Exact.of(["1/4", "3/4"]), Exact.of(u.astype(int)), signal) == Fraction(
        3, 4
    )
    assert ex_ante_value(Floats(p), Floats(u), Partition.discrete(2)) == 0.75


def test_many_labels_and_states() -> None:
    """Each state its own block, on more states than one chunk of the kernel."""
    states = 70_001
    u = (np.arange(3 * states) % 11).astype(float).reshape(3, states)
    p = np.full(states, 1 / states)
    full = ex_ante_value(p, u, np.arange(states))
    assert full == pytest.approx(u.max(axis=0).mean() - u.mean(axis=1).max(), abs=1e-9)
    backwards = ex_ante_value(p, u, -np.arange(states))
    assert backwards == pytest.approx(full, abs=1e-9)


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"p": np.array([0.5, 0.6])}, ProbabilityError, "do not sum to one"),
        ({"p": np.array([1.5, -0.5])}, ProbabilityError, "is negative"),
        ({"p": np.array([np.nan, 1.0])}, NumberError, r"probabilities\[0\] is not finite"),
        ({"p": Exact.of(["1/2", "1/2"])}, ExactnessError, "utilities mixes float64"),
        ({"u": Exact.of([[1, 2]])}, ExactnessError, "utilities mixes float64"),
        ({"u": np.array([[1.0, np.nan], [3.0, 4.0]])}, NumberError, r"utilities\[0, 1\]"),
        ({"u": np.array([[1.0, -np.inf], [3.0, 4.0]])}, NumberError, r"utilities\[0, 1\]"),
        ({"u": Exact.of([[1, 2, 3]])}, ShapeError, "utilities is not of shape"),
        ({"u": np.zeros((0, 2))}, InvalidInputError, "actions is empty"),
        ({"signal": Partition.trivial(3)}, ShapeError, "signal does not fit 2 states"),
        ({"price": Fraction(1, 2)}, ExactnessError, "price stands beside floats"),
        ({"price": float("nan")}, NumberError, "price is not finite"),
    ],
    ids=str,
)
def test_the_kernel_refuses(changed: dict[str, Any], error: type[Exception], message: str) -> None:
    given: dict[str, Any] = {"p": np.array([0.5, 0.5]), "u": np.array([[1.0, 2.0], [3.0, 0.0]])}
    given |= {"signal": np.array([0, 1]), "price": 0.0} | changed
    with pytest.raises(error, match=message) as caught:
        ex_ante_value(given["p"], given["u"], given["signal"], given["price"])
    assert type(caught.value) is error
