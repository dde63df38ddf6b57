"""Incentives of a two-bidder auction beside mechaudit, and a lie found on real types, in one run.

    python benchmarks/incentives.py [--rounds R]

Both judge DSIC and ex-post individual rationality of the second-price auction, which has both, and
of the first-price auction, where lies pay, over n integer values, all profiles and lies. mechaudit
is timed from the auction as a Python function to its report, and the audit alone, after its tables
of values and outcomes are made; the ratios are to the audit alone. Ours is timed from the same
function, or from the same rule for arrays, to the report. "warm" is the median of R calls after a
first, in seconds of the processor; "cold" is one call in a process of its own, with its start and
all imports, in seconds by the clock. Verdicts must be the same, and each lie that is told is tried.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from multiprocessing import get_context
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np

PROPERTIES = ["dsic", "individually_rational"]
TRUTHFUL = {"second price": True, "first price": False}
BESIDE, ALONE = (20, 40), 1000
TARGETS = {"vectorised": 100, "plain": 5}
ALONE_SECONDS, REAL_SECONDS = 2.0, 1.0

Reports = tuple[Any, ...]
Verdicts = dict[str, bool]


def auction(name: str) -> Callable[[Reports], tuple[int, list[Any]]]:
    """The auction of one item among any number of bidders; the first of the best wins."""

    def outcome(bids: Reports) -> tuple[int, list[Any]]:
        winner = bids.index(max(bids))
        rest = bids[:winner] + bids[winner + 1 :]
        price = bids[winner] if name == "first price" else max(rest, default=0)
        return winner, [price if i == winner else 0 for i in range(len(bids))]

    return outcome


def auction_on_arrays(name: str) -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """The same between two, for an array of profiles."""

    def outcomes(bids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        second = bids[:, 1] > bids[:, 0]
        won = np.stack([~second, second], axis=1)
        price = bids.max(axis=1) if name == "first price" else bids.min(axis=1)
        return won.astype(np.int64), won * price[:, None]

    return outcomes


def auction_in_jax(name: str) -> Callable[[Any], tuple[Any, Any]]:
    """The same among any number of bidders, for JAX."""
    import jax.numpy as jnp

    def outcome(bids: Any) -> tuple[Any, Any]:
        won = (jnp.arange(len(bids)) == jnp.argmax(bids)).astype(bids.dtype)
        price = jnp.sort(bids)[-1 if name == "first price" else -2]
        return won, won * price

    return outcome


def gain(name: str, agent: int, profile: Reports, lie: Any) -> Any:
    """What an agent gains by a lie, from the auction."""

    def utility(bids: Reports) -> Any:
        winner, payments = auction(name)(bids)
        return profile[agent] * (winner == agent) - payments[agent]

    return utility((*profile[:agent], lie, *profile[agent + 1 :])) - utility(profile)


def by_mechaudit(name: str, n: int) -> tuple[Verdicts, float]:
    """The verdicts, and the seconds of the processor that the audit alone took."""
    import mechaudit

    rule, winners = auction(name), ("0", "1")

    def allocation(report: Any) -> dict[str, float]:
        winner = rule((report["0"], report["1"]))[0]
        return {each: float(int(each) == winner) for each in winners}

    def payments(report: Any) -> dict[str, float]:
        paid = rule((report["0"], report["1"]))[1]
        return dict(zip(winners, map(float, paid), strict=True))

    environment = mechaudit.FiniteEnvironment(
        agents=dict.fromkeys(winners, range(n)),
        outcomes=winners,
        values=mechaudit.PrivateValues(lambda agent, kind, outcome: kind * (agent == outcome)),
    )
    mechanism = mechaudit.DirectMechanism.from_functions(
        allocation, payments, environment=environment
    )
    start = process_time()
    report = environment.audit(mechanism, [mechaudit.DSIC(), mechaudit.ExPostIR()])
    took = process_time() - start
    for check in report.ic:
        if not check.passed:
            told = check.metadata
            ((_, other),) = told["others_report"]
            agent = int(told["agent"])
            profile = (told["true_type"], other) if agent == 0 else (other, told["true_type"])
            assert gain(name, agent, profile, told["deviation"]) == told["deviation_gain"] > 0
            break
    return dict(zip(PROPERTIES, (report.ic.passed, report.ir.passed), strict=True)), took


def by_us(name: str, mechanism: Any, types: Any, properties: list[str]) -> Verdicts:
    from theory.incentives import check_mechanism

    report = check_mechanism(mechanism, types=types, agents=2, properties=properties)
    witness = report["dsic"].witness
    if witness is not None:
        (agent,), (lie,) = witness.agents, witness.lies
        exact = gain(name, agent, tuple(map(Fraction, witness.profile)), Fraction(lie))
        assert witness.gain == exact > 0
    return {each: report[each].status == "holds" for each in properties}


def over_values(name: str, n: int, kind: str) -> Verdicts:
    from theory.incentives import FiniteTypes, Vectorised

    rule: Any = Vectorised(auction_on_arrays(name)) if kind == "vectorised" else auction(name)
    return by_us(name, rule, FiniteTypes(range(n)), PROPERTIES)


def over_reals(name: str, kind: str) -> Verdicts:
    from theory.incentives import Box, Traced

    rule: Any = Traced(auction_in_jax(name)) if kind == "JAX" else auction(name)
    return by_us(name, rule, Box(0, 1), ["dsic"])


def warm(work: Callable[[], Verdicts], expected: Verdicts, rounds: int) -> float:
    times = []
    for _ in range(rounds + 1):
        start = process_time()
        verdicts = work()
        times.append(process_time() - start)
        assert verdicts == expected, verdicts
    return median(times[1:])


def cold(work: Callable[..., Any], *arguments: Any) -> float:
    process = get_context("spawn").Process(target=work, args=arguments)
    start = perf_counter()
    process.start()
    process.join()
    assert process.exitcode == 0, f"exit status {process.exitcode}"
    return perf_counter() - start


def reached(yes: bool) -> str:
    return "reached" if yes else "NOT reached"


def beside(name: str, n: int, rounds: int) -> None:
    expected = dict(zip(PROPERTIES, (TRUTHFUL[name], True), strict=True))
    whole, audits = [], []
    for _ in range(rounds):
        start = process_time()
        verdicts, audit = by_mechaudit(name, n)
        whole.append(process_time() - start)
        audits.append(audit)
        assert verdicts == expected, verdicts
    audit = median(audits)
    print(f"{name}, n = {n}")
    print(
        f"  mechaudit   cold {cold(by_mechaudit, name, n):7.3f} s, warm {median(whole):8.4f} s, "
        f"the audit alone {audit:8.4f} s"
    )
    for kind, target in TARGETS.items():
        took = warm(partial(over_values, name, n, kind), expected, rounds)
        text = f"  {kind:<11} cold {cold(over_values, name, n, kind):7.3f} s, warm {took:8.4f} s"
        text += f", {audit / took:8,.1f} times faster"
        if n == max(BESIDE):
            text += f" (target {target}: {reached(audit / took >= target)})"
        print(text, flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=5)
    rounds = options.parse_args().rounds

    print(f"numpy {np.__version__}, Python {platform.python_version()}, {platform.machine()}")
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    for name in TRUTHFUL:
        for n in BESIDE:
            beside(name, n, rounds)
    for name, truthful in TRUTHFUL.items():
        expected = dict(zip(PROPERTIES, (truthful, True), strict=True))
        took = warm(partial(over_values, name, ALONE, "vectorised"), expected, rounds)
        first = cold(over_values, name, ALONE, "vectorised")
        text = f"{name}, n = {ALONE:,}, {2 * ALONE**2 * (ALONE - 1):,} comparisons, vectorised: "
        text += f"cold {first:.3f} s, warm {took:.3f} s "
        print(text + f"(target {ALONE_SECONDS:g} s: {reached(took <= ALONE_SECONDS)})", flush=True)
    for kind in ("plain", "JAX"):
        took = warm(partial(over_reals, "first price", kind), {"dsic": False}, rounds)
        first = cold(over_reals, "first price", kind)
        text = f"first price refuted on [0, 1], {kind}: cold {first:.3f} s, warm {took:.3f} s "
        print(text + f"(target {REAL_SECONDS:g} s: {reached(took <= REAL_SECONDS)})", flush=True)
    print(f"load average {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
