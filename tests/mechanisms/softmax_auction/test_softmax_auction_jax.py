"""The softmax auction as JAX functions: numbers from outside, derivatives, transformations."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from reference.auction import Auction
from sweeps import in_turns, mostly_slow

from mechanisms.softmax_auction import softmax_auction, with_jax
from theory.errors import InvalidInputError, ShapeError

AGENTS, CANDIDATES, QUERIES = 3, 4, 2
INF = np.inf
DIGITS = 400
"""At rewards of 1e3 payments may be 1e-200."""

MONEY = (
    with_jax.softmax_payments,
    with_jax.softmax_utilities,
    with_jax.utility_gains,
    with_jax.reward_gains,
)
EVERY = (with_jax.softmax_allocation, with_jax.revenue, *MONEY)


@pytest.fixture(autouse=True)
def _float64() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


def query(seed: int, scale: float = 1.0) -> tuple[Any, Any, Any]:
    """Rewards, log_ref and log_gen, the reference giving one candidate probability 0."""
    rng = np.random.default_rng(seed)
    rewards = scale * rng.normal(size=(AGENTS, CANDIDATES))
    log_ref, log_gen = np.log(rng.dirichlet(np.ones(CANDIDATES), size=2))
    log_ref[1] = -INF
    return rewards, log_ref, log_gen


def oracle(rewards: Any, tau: float, log_ref: Any = None, log_gen: Any = None) -> Auction:
    """The definitions in long decimals, without the candidates that are impossible."""
    if log_ref is None:
        return Auction(rewards.tolist(), tau, digits=DIGITS)
    kept = log_ref > -INF
    logs = (log[kept].tolist() for log in (log_ref, log_gen))
    return Auction(rewards[:, kept].tolist(), tau, *logs, digits=DIGITS)


# --- shapes


@pytest.mark.parametrize(
    ("queries", "tau", "laws"),
    in_turns(
        [
            ((), (3,), None),
            ((), (3, 1), None),
            ((2,), (3, 1), None),
            ((3, 1), (2,), ()),
            ((), (), (2,)),
            ((1,), (2,), (3, 1)),
        ],
        every=3,
    ),
)
def test_shapes_broadcast_as_those_of_numpy(
    queries: tuple[int, ...], tau: tuple[int, ...], laws: tuple[int, ...] | None
) -> None:
    """Tau of shape (3, 1), a vector of tau for one table, several laws for it."""
    rng = np.random.default_rng(8)
    given: tuple[Any, ...] = (rng.normal(size=(*queries, 2, 4)), rng.uniform(0.5, 2, size=tau))
    if laws is not None:
        given += (np.log(rng.dirichlet(np.ones(4), size=laws)), -rng.random(4))
    for offset in (True, False):
        known = softmax_auction(*given, offset=offset)
        for function, wanted in (
            (with_jax.softmax_payments, known.payments),
            (with_jax.softmax_utilities, known.utilities),
            (with_jax.revenue, known.revenue),
        ):
            found = np.asarray(function(*given, offset=offset))
            assert found.shape == wanted.shape
            np.testing.assert_allclose(found, wanted, rtol=1e-11)
    known = softmax_auction(*given)
    np.testing.assert_allclose(with_jax.softmax_allocation(*given), known.allocation, rtol=1e-12)
    np.testing.assert_allclose(with_jax.utility_gains(*given), known.utility_gains, rtol=1e-11)
    np.testing.assert_allclose(with_jax.reward_gains(*given), known.reward_gains, rtol=1e-11)
    slope = with_jax.utility_gradient(*given, agent=1)
    np.testing.assert_allclose(slope, known.allocation, rtol=1e-11)
    assert with_jax.utility_hessian(*given, agent=1).shape == (*known.tau.shape, 4, 4)


# --- numbers from outside


@pytest.mark.parametrize("scale", mostly_slow([1e-6, 30.0, 1.0, 1e3], quick=2))
@pytest.mark.parametrize("ratio", [False, True])
def test_numbers_are_those_of_the_definitions(scale: float, ratio: bool) -> None:
    rewards, *laws = query(1, scale)
    logs = laws if ratio else []
    tau = 0.7
    known = oracle(rewards, tau, *logs)
    exact: dict[Callable[..., Any], Callable[[int], Any]] = {
        with_jax.softmax_payments: known.payment,
        with_jax.softmax_utilities: known.utility,
        with_jax.utility_gains: known.utility_gain,
        with_jax.reward_gains: known.reward_gain,
    }
    for function, each in exact.items():
        expected = [float(each(i)) for i in range(AGENTS)]
        np.testing.assert_allclose(function(rewards, tau, *logs), expected, rtol=2e-12)
    without = [float(known.payment(i, offset=False)) for i in range(AGENTS)]
    found = with_jax.softmax_payments(rewards, tau, *logs, offset=False)
    np.testing.assert_allclose(found, without, rtol=1e-12)
    shared = with_jax.softmax_utilities(rewards, tau, *logs, offset=False)
    np.testing.assert_allclose(shared, float(known.utility(0, offset=False)), rtol=1e-12)
    assert np.ptp(shared) == 0
    law = np.asarray(with_jax.softmax_allocation(rewards, tau, *logs))
    kept = np.flatnonzero(law) if ratio else np.arange(CANDIDATES)
    np.testing.assert_allclose(law[kept], [float(p) for p in known.allocation()][: len(kept)])
    assert law.sum() == pytest.approx(1, rel=1e-14)
    np.testing.assert_allclose(
        with_jax.revenue(rewards, tau, *logs), float(known.revenue()), rtol=2e-12
    )


def test_payments_far_below_the_rewards_keep_their_digits() -> None:
    rewards = np.array([[1e6, 1e6 + 1e-3, 1e6 - 2e-3, 1e6], [1.0, 3.0, 2.0, 0.0], [0.5] * 4])
    known = oracle(rewards, 1.0)
    found = np.asarray(with_jax.softmax_payments(rewards, 1.0))
    assert 0 < found[0] < 1e-5
    np.testing.assert_allclose(found, [float(known.payment(i)) for i in range(3)], rtol=1e-9)
    assert found[2] == 0, "whoever does not care pays nothing, exactly"


def test_extremes_are_finite_and_bounded() -> None:
    rewards, log_ref, log_gen = query(2, 1e6)
    rewards[0] = [1e6, -1e6, 1e6, 0.0]
    for tau in (1e-6, 1e6):
        for function in EVERY:
            assert np.isfinite(function(rewards, tau, log_ref, log_gen)).all()
            assert np.isfinite(function(rewards.astype(np.float32), tau)).all()
        utility = np.asarray(with_jax.softmax_utilities(rewards, tau))
        slack = 1e-9 * 1e6
        assert (rewards.min(axis=1) - slack <= utility).all()
        assert (utility <= rewards.max(axis=1) + slack).all()
        assert (np.asarray(with_jax.softmax_payments(rewards, tau)) >= 0).all()


def test_one_candidate_costs_nothing_and_one_agent_meets_the_reference() -> None:
    assert not np.asarray(with_jax.softmax_payments(np.ones((3, 1)) * 5, 0.1)).any()
    alone = np.array([[2.0, 0.0, 1.0, 1.0]])
    known = oracle(alone, 2.0)
    paid = np.asarray(with_jax.softmax_payments(alone, 2.0))
    np.testing.assert_allclose(paid, [float(known.payment(0))], rtol=1e-13)


# --- relations


def test_relabelling_relabels() -> None:
    rewards, log_ref, log_gen = query(3)
    agents, candidates = np.array([2, 0, 1]), np.array([3, 1, 0, 2])
    for function in MONEY:
        plain = np.asarray(function(rewards, 0.5, log_ref, log_gen))
        moved = function(
            rewards[agents][:, candidates], 0.5, log_ref[candidates], log_gen[candidates]
        )
        np.testing.assert_allclose(moved, plain[agents], rtol=1e-12)


def test_a_constant_changes_no_payment_and_one_unit_scales_all() -> None:
    rewards, log_ref, log_gen = query(4)
    shifted = rewards + np.array([[4.0], [-2.0], [8.0]])
    for function in (
        with_jax.softmax_payments,
        with_jax.utility_gains,
        with_jax.reward_gains,
    ):
        plain = function(rewards, 0.5, log_ref, log_gen)
        np.testing.assert_allclose(function(shifted, 0.5, log_ref, log_gen), plain, rtol=1e-12)
        scaled = function(8 * rewards, 4.0, log_ref, log_gen)
        np.testing.assert_allclose(scaled, 8 * np.asarray(plain), rtol=1e-14)
    plain, moved = (with_jax.softmax_utilities(r, 0.5) for r in (rewards, shifted))
    np.testing.assert_allclose(np.asarray(moved) - np.asarray(plain), [4, -2, 8], rtol=1e-12)


def test_a_candidate_listed_twice_is_one_of_twice_the_weight() -> None:
    rewards, _, _ = query(5)
    twice = rewards[:, [0, 1, 2, 0]]
    zeros = np.zeros(3)
    heavier = np.log([2.0, 1.0, 1.0]) - np.log(2.0)
    for function in MONEY:
        np.testing.assert_allclose(
            function(twice, 0.5),
            function(rewards[:, :3], 0.5, heavier, zeros),
            rtol=1e-12,
        )


# --- derivatives


@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize("scale", mostly_slow([1.0, 1e-6, 1e6]))
def test_the_gradient_of_utility_is_the_allocation(offset: bool, scale: float) -> None:
    rewards, log_ref, log_gen = query(6, scale)
    tau = 0.5
    law = np.asarray(with_jax.softmax_allocation(rewards, tau, log_ref, log_gen))
    curvature = (np.diag(law) - np.outer(law, law)) / tau
    for agent in (0, 2):
        gradient = with_jax.utility_gradient(
            rewards, tau, log_ref, log_gen, agent=agent, offset=offset
        )
        np.testing.assert_allclose(gradient, law, atol=1e-14)
        hessian = with_jax.utility_hessian(
            rewards, tau, log_ref, log_gen, agent=agent, offset=offset
        )
        np.testing.assert_allclose(hessian, curvature, atol=1e-14)


@pytest.mark.slow
def test_derivatives_of_a_batch_are_those_of_its_queries() -> None:
    rewards = np.stack([query(seed)[0] for seed in (7, 8)])
    tau = np.array([0.5, 2.0])
    whole = with_jax.utility_hessian(rewards, tau, agent=0)
    slopes = with_jax.utility_gradient(rewards, tau, agent=0)
    laws = np.asarray(with_jax.softmax_allocation(rewards, tau))
    np.testing.assert_allclose(slopes, laws, atol=1e-14)
    for law, t, hessian in zip(laws, tau, whole, strict=True):
        np.testing.assert_allclose(hessian, (np.diag(law) - np.outer(law, law)) / t, atol=1e-14)


def everything(*arguments: Any) -> tuple[Any, ...]:
    """What all functions return, so that one compilation does."""
    return tuple(function(*arguments) for function in EVERY)


@pytest.mark.slow
def test_every_derivative_is_finite_where_a_candidate_is_impossible() -> None:
    def total(*arguments: Any) -> Any:
        return sum((found**2).sum() for found in everything(*arguments))

    slope = jax.jit(jax.grad(total, argnums=(0, 1, 2, 3)))
    rewards, log_ref, log_gen = query(9)
    for ref in (log_ref, np.array([-INF, -INF, 0.0, -INF])):
        slopes = slope(rewards, 0.5, ref, log_gen)
        assert all(np.isfinite(each).all() for each in slopes)
        assert not np.asarray(slopes[0])[:, ref == -INF].any()


@pytest.mark.slow
def test_payments_are_differentiated_as_differences_say() -> None:
    rewards, log_ref, log_gen = query(10)
    log_ref[1] = -1.0

    def paid(r: Any, tau: Any, ref: Any) -> Any:
        return with_jax.softmax_payments(r, tau, ref, log_gen)[0]

    start = (jnp.asarray(rewards), jnp.asarray(0.5), jnp.asarray(log_ref))
    slopes = jax.grad(paid, argnums=(0, 1, 2))(*start)
    rng = np.random.default_rng(0)
    step = 1e-5
    ways = [rng.normal(size=np.shape(x)) for x in start]
    ahead, back = (
        paid(*(x + sign * step * way for x, way in zip(start, ways, strict=True)))
        for sign in (1, -1)
    )
    along = sum((np.asarray(s) * w).sum() for s, w in zip(slopes, ways, strict=True))
    assert along == pytest.approx(float((ahead - back) / (2 * step)), rel=1e-7)


# --- transformations


def test_batches_are_their_queries_and_vmap_is_a_batch() -> None:
    parts = [query(seed) for seed in (11, 12)]
    rewards, log_ref, log_gen = (np.stack(part) for part in zip(*parts, strict=True))
    tau = np.array([0.5, 2.0])
    whole = jax.jit(everything)(rewards, tau, log_ref, log_gen)
    assert all(found.shape[0] == QUERIES for found in whole)
    mapped = jax.jit(jax.vmap(everything))(rewards, tau, log_ref, log_gen)
    for found, batch in zip(mapped, whole, strict=True):
        np.testing.assert_allclose(found, batch, rtol=1e-13)
    one = jax.jit(everything)(rewards[1], tau[1], log_ref[1], log_gen[1])
    for found, batch in zip(one, whole, strict=True):
        np.testing.assert_allclose(found, batch[1], rtol=1e-13)
    shared = with_jax.softmax_payments(rewards, 0.5, log_ref[0], log_gen[0])
    alone = with_jax.softmax_payments(rewards[0], 0.5, log_ref[0], log_gen[0])
    np.testing.assert_allclose(shared[0], alone, rtol=1e-13)


@pytest.mark.parametrize(
    "function",
    [
        with_jax.softmax_allocation,
        *(pytest.param(each, marks=pytest.mark.slow) for each in (*MONEY, with_jax.revenue)),
    ],
)
def test_compiled_or_not_the_numbers_are_the_same(function: Callable[..., Any]) -> None:
    rewards, log_ref, log_gen = query(13)
    compiled = jax.jit(function)(rewards, 0.5, log_ref, log_gen)
    with jax.disable_jit():
        plain = function(rewards, 0.5, log_ref, log_gen)
    np.testing.assert_allclose(compiled, plain, rtol=1e-13)


@pytest.mark.slow
def test_float32_stays_float32_and_is_about_as_good() -> None:
    rewards, log_ref, log_gen = query(14)
    low = rewards.astype(np.float32)
    for function in EVERY:
        found = function(low, np.float64(0.5), log_ref, log_gen)
        assert found.dtype == jnp.float32
        wanted = function(low.astype(np.float64), 0.5, log_ref, log_gen)
        np.testing.assert_allclose(found, wanted, rtol=2e-5)
    assert with_jax.utility_gradient(low, 0.5, agent=0).dtype == jnp.float32
    assert with_jax.softmax_payments([[1, 2], [3, 1]], 1).dtype == jnp.float64


def test_nothing_is_compiled_again_where_only_values_change() -> None:
    compiled: list[str] = []

    def listen(event: str, *_: Any, **__: Any) -> None:
        if "compile" in event or "trace" in event:
            compiled.append(event)

    rewards, log_ref, log_gen = query(15)
    for function in EVERY:
        function(rewards, 0.5, log_ref, log_gen)
    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        for function in EVERY:
            function(2 * rewards, 1.5, log_ref - 1, log_gen)
        assert compiled == []
        with_jax.softmax_payments(rewards[:, :2], 0.5)
        assert compiled, "another shape is compiled, so this test sees it"
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)


def test_a_user_s_function_is_traced_once() -> None:
    traces = 0

    @jax.jit
    def priced(rewards: Any, tau: Any) -> Any:
        nonlocal traces
        traces += 1
        return with_jax.revenue(rewards, tau)

    for seed in range(3):
        priced(query(seed)[0], 0.5 + seed)
    assert traces == 1


SHARDED = """
import jax, numpy as np
jax.config.update("jax_enable_x64", True)
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from mechanisms.softmax_auction import with_jax
devices = jax.devices()
assert len(devices) == 4
rewards = np.random.default_rng(0).normal(size=(8, 3, 4))
mesh = Mesh(np.array(devices).reshape(4), ("queries",))
split = jax.device_put(rewards, NamedSharding(mesh, PartitionSpec("queries")))
paid = with_jax.softmax_payments(split, 0.5)
assert len(paid.sharding.device_set) == 4, paid.sharding
np.testing.assert_allclose(paid, with_jax.softmax_payments(rewards, 0.5), rtol=1e-13)
"""


@pytest.mark.slow
def test_queries_may_lie_on_several_devices() -> None:
    flags = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4"}
    subprocess.run(
        [sys.executable, "-c", SHARDED], check=True, env={**flags, "JAX_PLATFORMS": "cpu"}
    )


def test_the_package_comes_without_jax() -> None:
    line = "import mechanisms.softmax_auction, sys; sys.exit('jax' in sys.modules)"
    subprocess.run([sys.executable, "-c", line], check=True)


# --- what is refused


@pytest.mark.parametrize(
    ("arguments", "kind", "name"),
    [
        (([1.0, 2.0], 1.0), ShapeError, "rewards"),
        ((np.zeros((2, 0)), 1.0), ShapeError, "rewards"),
        ((np.zeros((0, 2)), 1.0), ShapeError, "rewards"),
        ((np.zeros((2, 2, 2)), np.ones((2, 3))), ShapeError, "tau"),
        ((np.zeros((3, 2, 2)), np.ones(2)), ShapeError, "tau"),
        ((np.zeros((2, 2)), 1.0, np.zeros(2)), InvalidInputError, "log_gen"),
        ((np.zeros((2, 2)), 1.0, None, np.zeros(2)), InvalidInputError, "log_ref"),
        ((np.zeros((2, 2)), 1.0, np.zeros(3), np.zeros(2)), ShapeError, "log_ref"),
        ((np.zeros((2, 2)), np.ones(3), np.zeros(2), np.zeros((2, 2))), ShapeError, "log_gen"),
    ],
)
def test_shapes_that_disagree_are_refused_in_tracing(
    arguments: Any, kind: type[InvalidInputError], name: str
) -> None:
    for function in EVERY:
        with pytest.raises(kind) as caught:
            function(*arguments)
        assert caught.value.argument == name
        assert caught.value.fix


@pytest.mark.parametrize("agent", [-1, 3, True, 0.5, None])
def test_only_agents_have_a_gradient(agent: Any) -> None:
    for function in (with_jax.utility_gradient, with_jax.utility_hessian):
        with pytest.raises(InvalidInputError) as caught:
            inspect.unwrap(function)(np.zeros((3, 2)), 1.0, agent=agent)
        assert caught.value.argument == "agent"
        assert caught.value.fix == "give an integer from 0 to 2"
