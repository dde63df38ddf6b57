"""Incentives of a two-bidder auction beside mechaudit, and a lie found on real types (issue 5).

Both judge DSIC and ex-post individual rationality of the second-price auction, which has both, and
of the first-price auction, where lies pay, over n integer values, all profiles and lies. mechaudit
is timed for its audit alone, when its tables of values and outcomes stand; ours from the auction, a
Python function or a rule for arrays, to the report. Verdicts must be the same and as they are
known, and every lie that is told is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, partial
from typing import Any

from benchmarks.harness import AtLeastTimes, AtMostSeconds, Growth, Row, Work

PROPERTIES = ["dsic", "individually_rational"]
TRUTHFUL = {"second price": True, "first price": False}
BESIDE, ALONE = 40, 1000
TIMES = {"arrays": 100, "plain": 5}
AGENTS = ("0", "1")
NEEDS = ("mechaudit",)

Bids = tuple[Any, ...]
Audit = Callable[[], Any]


def _auction(name: str) -> Callable[[Bids], tuple[int, list[Any]]]:
    """The auction of one item among any number of bidders; the first of the best wins."""

    def outcome(bids: Bids) -> tuple[int, list[Any]]:
        winner = bids.index(max(bids))
        rest = bids[:winner] + bids[winner + 1 :]
        price = bids[winner] if name == "first price" else max(rest, default=0)
        return winner, [price if i == winner else 0 for i in range(len(bids))]

    return outcome


def _auction_on_arrays(name: str) -> Callable[[Any], tuple[Any, Any]]:
    """The same between two, for an array of profiles."""
    import numpy as np

    def outcomes(bids: Any) -> tuple[Any, Any]:
        second = bids[:, 1] > bids[:, 0]
        won = np.stack([~second, second], axis=1)
        price = bids.max(axis=1) if name == "first price" else bids.min(axis=1)
        return won.astype(np.int64), won * price[:, None]

    return outcomes


def _auction_in_jax(name: str) -> Callable[[Any], tuple[Any, Any]]:
    """The same among any number of bidders, for JAX."""
    import jax.numpy as jnp

    def outcome(bids: Any) -> tuple[Any, Any]:
        won = (jnp.arange(len(bids)) == jnp.argmax(bids)).astype(bids.dtype)
        price = jnp.sort(bids)[-1 if name == "first price" else -2]
        return won, won * price

    return outcome


def _gain(name: str, agent: int, profile: Bids, lie: Any) -> Any:
    """What an agent gains by a lie, from the auction."""

    def utility(bids: Bids) -> Any:
        winner, payments = _auction(name)(bids)
        return profile[agent] * (winner == agent) - payments[agent]

    return utility((*profile[:agent], lie, *profile[agent + 1 :])) - utility(profile)


@cache
def _audit(name: str, n: int) -> Audit:
    import mechaudit

    rule = _auction(name)

    def allocation(report: Any) -> dict[str, float]:
        winner = rule((report["0"], report["1"]))[0]
        return {each: float(int(each) == winner) for each in AGENTS}

    def payments(report: Any) -> dict[str, float]:
        paid = rule((report["0"], report["1"]))[1]
        return dict(zip(AGENTS, map(float, paid), strict=True))

    environment = mechaudit.FiniteEnvironment(
        agents=dict.fromkeys(AGENTS, range(n)),
        outcomes=AGENTS,
        values=mechaudit.PrivateValues(lambda agent, kind, outcome: kind * (agent == outcome)),
    )
    mechanism = mechaudit.DirectMechanism.from_functions(
        allocation, payments, environment=environment
    )
    asked = [mechaudit.DSIC(), mechaudit.ExPostIR()]
    return lambda: environment.audit(mechanism, asked)


def _theirs(name: str, n: int) -> Any:
    return _audit(name, n)()


def _ours(name: str, types: Any, way: str, properties: list[str]) -> Any:
    from theory.incentives import Box, FiniteTypes, Traced, Vectorised, check_mechanism

    rules: dict[str, Callable[[], Any]] = {
        "plain": lambda: _auction(name),
        "arrays": lambda: Vectorised(_auction_on_arrays(name)),
        "JAX": lambda: Traced(_auction_in_jax(name)),
    }
    space = FiniteTypes(range(types)) if isinstance(types, int) else Box(*types)
    return check_mechanism(rules[way](), types=space, agents=2, properties=properties)


def _wrong(name: str, report: Any) -> str:
    """What is wrong with our report: its verdicts, or a lie that does not gain what it says."""
    for finding in report.findings:
        if (finding.status == "holds") != (TRUTHFUL[name] or finding.property != "dsic"):
            return f"{finding.property} is {finding.status}"
    witness = report["dsic"].witness
    if TRUTHFUL[name]:
        return ""
    (agent,), (lie,) = witness.agents, witness.lies
    gain = _gain(name, agent, tuple(map(Fraction, witness.profile)), Fraction(lie))
    return "" if witness.gain == gain > 0 else f"the lie gains {gain}, ours says {witness.gain}"


def _agree(name: str, ours: Any, theirs: Any) -> str:
    verdicts = {"dsic": theirs.ic.passed, "individually_rational": theirs.ir.passed}
    expected = {"dsic": TRUTHFUL[name], "individually_rational": True}
    if verdicts != expected:
        return f"mechaudit says {verdicts}"
    for check in theirs.ic:
        if not check.passed:
            told = check.metadata
            ((_, other),) = told["others_report"]
            agent = int(told["agent"])
            profile = (told["true_type"], other) if agent == 0 else (other, told["true_type"])
            gain = _gain(name, agent, profile, told["deviation"])
            if not gain == told["deviation_gain"] > 0:
                return f"mechaudit's lie gains {gain}, not {told['deviation_gain']}"
            break
    return _wrong(name, ours)


def _right(name: str, report: Any) -> dict[str, float]:
    """No numbers; a wrong report must not be timed."""
    wrong = _wrong(name, report)
    if wrong:
        raise ArithmeticError(wrong)
    return {}


def _grown(n: int) -> Work:
    return partial(_ours, "second price", n, "arrays", PROPERTIES)


def _audited(n: int) -> Work:
    return _audit("second price", n)


def rows() -> Iterator[Row | Growth]:
    for name in TRUTHFUL:
        topic = f"incentives.{name.replace(' ', '-')}"
        for way, times in TIMES.items():
            yield Row(
                id=f"{topic}-{way}",
                issue=5,
                work=f"DSIC and ex-post IR, {name}, two bidders, n = {BESIDE}, {way}",
                ours=partial(_ours, name, BESIDE, way, PROPERTIES),
                peer=partial(_theirs, name, BESIDE),
                peer_name="mechaudit",
                needs=NEEDS,
                agree=partial(_agree, name),
                prepare=partial(_tables, name, BESIDE),
                target=AtLeastTimes(times),
                repeats=7,
            )
        yield Row(
            id=f"{topic}-alone",
            issue=5,
            work=f"DSIC and ex-post IR, {name}, n = {ALONE:,} "
            f"({2 * ALONE**2 * (ALONE - 1):,} comparisons), exact, arrays",
            ours=partial(_ours, name, ALONE, "arrays", PROPERTIES),
            values=partial(_right, name),
            target=AtMostSeconds(2),
        )
    for way in ("plain", "JAX"):
        yield Row(
            id=f"incentives.refuted-{way.lower()}",
            issue=5,
            work=f"first price on [0, 1] refuted, shrunk and confirmed in rationals, {way}",
            ours=partial(_ours, "first price", (0, 1), way, ["dsic"]),
            values=partial(_right, "first price"),
            target=AtMostSeconds(1),
        )
    yield Growth(
        id="incentives.growth",
        issue=5,
        work="DSIC and ex-post IR of the second-price auction by values, two bidders, arrays",
        sizes=(10, 20, 40, 80, 160, 320),
        ours=_grown,
        peer=_audited,
        peer_name="mechaudit",
        needs=NEEDS,
        peer_up_to=40,
        agree=lambda ours, theirs: _agree("second price", ours, theirs),
    )


def _tables(name: str, n: int) -> None:
    """mechaudit's, where it is installed."""
    try:
        _audit(name, n)
    except ModuleNotFoundError as error:
        if error.name != "mechaudit":
            raise
