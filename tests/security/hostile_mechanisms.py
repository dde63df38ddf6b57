"""Mechanisms as problems that ask for much work."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product, repeat
from typing import Any, Final

from hostile_documents import (
    as_json,
    make_law,
    make_mechanism,
    make_units,
)

__all__ = ["MECHANISMS"]


def _taxes(types: int) -> Any:
    """Return a mechanism of two agents who pay something else at each profile."""
    names, paid = [f"t{k}" for k in range(types)], make_units()
    return as_json(
        {
            "kind": "mechanism",
            "outcomes": ["x"],
            "properties": ["dsic", "non_bossy"],
            "agents": {agent: {t: {"x": 0} for t in names} for agent in "ab"},
            "table": [
                {"reports": [s, t], "outcome": "x", "payments": [next(paid), next(paid)]}
                for s in names
                for t in names
            ],
        }
    )


def _alone(
    types: int,
    outcomes: int,
    *,
    values: Iterator[Any] | None = None,
    lottery: Iterator[str] | None = None,
    **more: Any,
) -> Any:
    """Return a mechanism of one agent: an outcome for each report, or a lottery over all."""
    names = [f"o{k}" for k in range(outcomes)]
    worth = values or repeat(0)
    return as_json(
        {
            "kind": "mechanism",
            "outcomes": names,
            "agents": {"a": {f"t{k}": {o: next(worth) for o in names} for k in range(types)}},
            "table": [
                {
                    "reports": [f"t{k}"],
                    "outcome": {o: next(lottery) for o in names} if lottery else "o0",
                }
                for k in range(types)
            ],
            **more,
        }
    )


def _one_lie(types: int) -> Any:
    """Return a mechanism in which the last report alone gets what all types want."""
    names = [f"t{k}" for k in range(types)]
    return as_json(
        {
            "kind": "mechanism",
            "outcomes": ["x", "y"],
            "properties": ["dsic"],
            "agents": {"a": {t: {"x": 0, "y": k} for k, t in enumerate(names)}},
            "table": [{"reports": [t], "outcome": "xy"[t == names[-1]]} for t in names],
        }
    )


def _all_alike(agents: int, types: int) -> Any:
    """Return a mechanism whose outcomes are worth the same to everybody."""
    names, outcomes = [[f"t{k}" for k in range(types)]] * agents, [f"o{k}" for k in range(7)]
    return as_json(
        {
            "kind": "mechanism",
            "outcomes": outcomes,
            "properties": ["non_bossy"],
            "agents": {
                f"b{i}": {t: dict.fromkeys(outcomes, 0) for t in each}
                for i, each in enumerate(names)
            },
            "table": [
                {"reports": list(p), "outcome": f"o{k % 7}"} for k, p in enumerate(product(*names))
            ],
        }
    )


def _even_law(types: int) -> dict[str, str]:
    return {f"t{k}": f"1/{types}" for k in range(types)}


def _long_cycle(types: int, **more: Any) -> Any:
    """Return a mechanism of one agent whose only cycle that gains is that of all types.

    It has no long names, so that many types stand in a file.
    """
    steps = {t: {(t + 1) % types: 1 if t < types - 1 else 2 - types} for t in range(types)}
    return as_json(
        {
            "kind": "mechanism",
            "outcomes": [str(k) for k in range(types)],
            "agents": {
                "a": {
                    str(t): {str(o): steps[t].get(o, -99_999 * (o != t)) for o in range(types)}
                    for t in range(types)
                }
            },
            "table": [{"reports": [str(t)], "outcome": str(t)} for t in range(types)],
            **more,
        }
    )


MECHANISMS: Final[dict[str, tuple[str, bytes, str]]] = {
    "lies of two agents": (*make_mechanism(8, 2, properties=["pairwise_strategyproof"]), "holds"),
    "lies of ten agents": (*make_mechanism(10, 2), "lies of two agents, more than the limit"),
    "anonymity of eleven agents": (
        *make_mechanism(11, 2, properties=["anonymous"]),
        "values to look up, more than the limit of 1,100,000: .*, or do not ask for anonymous",
    ),
    "bossiness where all outcomes are worth the same": (
        *_all_alike(2, 26),
        "values to look up, more than the limit of 1,100,000: .*, or do not ask for non_bossy",
    ),
    "less bossiness": (*_all_alike(2, 16), "non_bossy"),
    "expectations over many types": (
        *make_mechanism(
            3, 21, properties=["bic"], prior={f"b{i}": _even_law(21) for i in range(3)}
        ),
        "values to look up, more than the limit of 1,100,000: .*, or do not ask for bic",
    ),
    "expectations over fewer types": (
        *make_mechanism(
            3, 15, properties=["bic"], prior={f"b{i}": _even_law(15) for i in range(3)}
        ),
        '"bic"',
    ),
    "all properties of many types": (
        *make_mechanism(
            2, 40, prior={f"b{i}": _even_law(40) for i in range(2)}, implementable=True
        ),
        "lies of two agents|values to look up",
    ),
    "a cycle of many types": (
        *_long_cycle(440, properties=["cyclically_monotone"]),
        "values to look up, more than the limit of 1,100,000",
    ),
    "a cycle of many types that no payments fix": (
        *_long_cycle(300, properties=[], implementable=True),
        "values to look up, more than the limit of 1,100,000: .*, or do not ask for implementable",
    ),
    "a cycle of fewer types": (
        *_long_cycle(300, properties=["cyclically_monotone"]),
        "cyclically_monotone fails",
    ),
    "many outcomes to compare with": (
        *_alone(2, 40_000, properties=["efficient"]),
        "values to look up|efficient",
    ),
    "a lie of one type in a thousand": (*_one_lie(998), "gains 1 by reporting 't997'"),
    "many agents": (
        *make_mechanism(64, 1),
        r"\$.agents: asks for 64 agents, more than the limit of 63",
    ),
    "pairs of many agents": (
        *make_mechanism(20_000, 1),
        "asks for 20,000 agents, more than the limit",
    ),
    "as many agents as there may be": (*make_mechanism(63, 1), "What holds"),
    "payments with a denominator each in a mechanism": (
        *_taxes(60),
        "comparisons, by the length of numbers, more than the limit of 8,000,000",
    ),
    "fewer payments with a denominator each": (*_taxes(20), "dsic fails: a of type"),
    "values with a denominator each": (
        *_alone(140, 140, values=make_units()),
        "comparisons, by the length of numbers, more than the limit of 8,000,000",
    ),
    "lotteries over values with a denominator each": (
        *_alone(40, 100, values=make_units(), lottery=repeat("1/100")),
        "comparisons, by the length of numbers, more than the limit of 8,000,000",
    ),
    "lotteries over many values": (
        *_alone(150, 150, lottery=repeat("1/150")),
        "asks for 3,420,000 comparisons, more than the limit of 1,000,000",
    ),
    "a lottery with a sum of many digits": (
        *_alone(1, 900, lottery=make_units(), properties=["dsic"]),
        r"\$.table\[0\].outcome: lottery has sum about 7.80626e-16",
    ),
    "a lottery of many probabilities": (
        *_alone(1, 20_000, lottery=make_units()),
        "comparisons, by the length of numbers, more than the limit of 8,000,000",
    ),
    "a law of types with a sum of many digits": (
        *_alone(200, 1, prior={"a": make_law("t", 200)}, properties=["bic"]),
        r"\$.prior.a: prior has sum about 1.73472e-16",
    ),
    "profiles of types with a sum of many digits": (
        *_alone(
            200,
            1,
            prior=[{"types": [t], "probability": p} for t, p in make_law("t", 200).items()],
            properties=["bic"],
        ),
        r"\$.prior: prior has sum about 1.73472e-16",
    ),
}
