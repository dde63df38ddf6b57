"""Prices of the softmax auction as a compiled JAX function, on whatever device JAX finds (issue 7).

A second table where there is a GPU; without one JAX runs on the processor. In float64. JAX compiles
in each process anew: that is the first call less a warm one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.harness import AtMostValue, Row
from benchmarks.rows.softmax_auction import ANEW, close, large, many, one_call, other_work


@cache
def given() -> dict[str, Any]:
    """Return the arrays on the device, and the compiled functions."""
    import jax
    import jax.numpy as jnp

    from mechanisms.softmax_auction import with_jax

    with jax.enable_x64(True):
        rewards, taus = many()
        arrays = {"large": jnp.asarray(large()[0]), "many": jnp.asarray(rewards)}
        return {**arrays, "taus": jnp.asarray(taus), "pay": jax.jit(with_jax.softmax_payments)}


@cache
def exponential() -> Callable[[Any], Any]:
    import jax
    import jax.numpy as jnp

    return jax.jit(jnp.exp)


def payments(which: str) -> np.ndarray:
    import jax

    known = given()
    tau = known["taus"] if which == "many" else 1.0
    with jax.enable_x64(True):
        return np.asarray(known["pay"](known[which], tau).block_until_ready())


def powers() -> Any:
    """Return exponentials, which stay on the device."""
    import jax

    with jax.enable_x64(True):
        return exponential()(given()["large"]).block_until_ready()


def compiled_anew(shapes: Iterable[tuple[int, ...]] = ((2, 20),) * 50) -> int:
    """How often JAX traces the payments of queries of those shapes, after the first."""
    import jax

    from mechanisms.softmax_auction import with_jax

    traces = []

    def payments_of(rewards: Any, tau: Any) -> Any:
        traces.append(rewards.shape)
        return with_jax.softmax_payments(rewards, tau)

    pay, rng = jax.jit(payments_of), np.random.default_rng(5)
    with jax.enable_x64(True):
        for shape in shapes:
            pay(rng.normal(size=shape), rng.random() + 0.1).block_until_ready()
    return len(traces) - 1


def beside_exponentials(ours: np.ndarray, theirs: Any) -> str:
    """XLA's exponentials may differ from NumPy's in the last bits."""
    if not np.allclose(np.asarray(theirs), np.exp(large()[0]), rtol=1e-13):
        return "jax.numpy.exp gives other exponentials"
    return other_work(ours, np.exp(large()[0]))


def rows() -> Iterator[Row]:
    yield Row(
        id="softmax-jax.one-exponential",
        issue=7,
        work="payments of 1,000 agents for 10,000 candidates, JAX",
        ours=partial(payments, "large"),
        ours_name="ours, JAX",
        peer=powers,
        peer_name="jax.numpy.exp of the rewards",
        agree=beside_exponentials,
        prepare=given,
        repeats=9,
    )
    yield Row(
        id="softmax-jax.many",
        issue=7,
        work="4,096 queries of 4 agents and 64 candidates in one call, JAX",
        ours=partial(payments, "many"),
        ours_name="ours, JAX",
        peer=one_call,
        peer_name="ours, NumPy and numba",
        agree=close,
        prepare=given,
        repeats=9,
    )
    yield Row(
        id="softmax-jax.new-values",
        issue=7,
        work="50 small queries of other values, JAX",
        ours=compiled_anew,
        target=AtMostValue(ANEW, 0),
        prepare=partial(compiled_anew, ((2, 20),)),
        values=lambda count: {ANEW: count},
        repeats=0,
        cold=False,
    )
