"""Prices of the softmax auction as a compiled JAX function, on the processor and a GPU (issue 7).

Where JAX finds no GPU, the rows for one are not measured, and say so. In float64. JAX compiles in
each process anew: that is the first call less a warm one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.harness import AtMostTimes, AtMostValue, Row
from benchmarks.rows.softmax_auction import ANEW, close, large, many, one_call, other_work
from llm_adapters.errors import MissingPackageError


@cache
def given(platform: str = "cpu") -> dict[str, Any]:
    """Return the arrays on the device, and the compiled functions, which run where these are."""
    import jax
    import jax.numpy as jnp

    from mechanisms.softmax_auction import with_jax

    try:
        device = jax.devices(platform)[0]
    except RuntimeError as error:
        raise MissingPackageError(f"JAX finds no {platform} here", "run it where one is") from error
    with jax.enable_x64(True):
        rewards, taus = many()
        arrays = {"large": large()[0], "many": rewards, "taus": taus}
        work = {"pay": with_jax.softmax_payments, "exp": jnp.exp, "copy": jnp.copy}
        return {
            **{name: jax.device_put(array, device) for name, array in arrays.items()},
            **{name: jax.jit(function) for name, function in work.items()},
        }


def payments(which: str, platform: str = "cpu") -> np.ndarray:
    import jax

    known = given(platform)
    tau = known["taus"] if which == "many" else 1.0
    with jax.enable_x64(True):
        return np.asarray(known["pay"](known[which], tau).block_until_ready())


def on_the_device(work: str, platform: str = "cpu") -> Any:
    """Do something with each reward; what it returns stays on the device."""
    import jax

    known = given(platform)
    with jax.enable_x64(True):
        return known[work](known["large"]).block_until_ready()


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


def beside_a_copy(ours: np.ndarray, theirs: Any) -> str:
    if not np.array_equal(np.asarray(theirs), large()[0]):
        return "jax.numpy.copy gives other rewards"
    return other_work(ours, np.exp(large()[0]))


def rows() -> Iterator[Row]:
    yield Row(
        id="softmax-jax.one-exponential",
        issue=7,
        work="payments of 1,000 agents for 10,000 candidates, JAX",
        ours=partial(payments, "large"),
        ours_name="ours, JAX",
        peer=partial(on_the_device, "exp"),
        peer_name="jax.numpy.exp of the rewards",
        agree=beside_exponentials,
        target=AtMostTimes(2.0),
        prepare=given,
        repeats=9,
    )
    for name, function, agree, target in (
        ("exponential", "exp", beside_exponentials, AtMostTimes(2.0)),
        ("copy", "copy", beside_a_copy, None),
    ):
        yield Row(
            id=f"softmax-jax.gpu-{name}",
            issue=20,
            work="payments of 1,000 agents for 10,000 candidates, JAX on a GPU",
            ours=partial(payments, "large", "gpu"),
            ours_name="ours, JAX on a GPU",
            peer=partial(on_the_device, function, "gpu"),
            peer_name=f"jax.numpy.{function} of the rewards, on the GPU",
            agree=agree,
            target=target,
            prepare=partial(given, "gpu"),
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
