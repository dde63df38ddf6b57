"""Prices of the softmax auction as a compiled JAX function, on whatever device JAX finds (issue 7).

A second table where there is a GPU; without one JAX runs on the processor. In float64.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.harness import Row
from benchmarks.rows.softmax_auction import close, large, many, one_call, other_work


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
