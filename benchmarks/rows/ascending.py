"""Ascending auctions: one after the other, many at once, and their exact law (issue 24)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any
from unittest.mock import patch

from benchmarks.harness import AtMostSeconds, Row

AUCTIONS = 20
MANY, IN_ARRAYS, IN_PYTHON = 200_000, 10_000, 100


def _one_by_one(*, log: bool = False) -> list[str]:
    """Run auctions with ledger and record: three rule bidders, ten items."""
    from mechanisms.ascending import RuleBidder, paper_items, run_auction

    bidders = [RuleBidder(name) for name in ("Ann", "Bob", "Cy")]
    results = [run_auction(paper_items(), bidders, 40_000, seed=k) for k in range(AUCTIONS)]
    if log:
        return [str(len(result.run.log)) for result in results]
    return [str(len(result.record().events)) for result in results]


def _many(games: int, way: str) -> Any:
    import numpy as np

    from mechanisms.ascending import paper_items, run_many
    from mechanisms.ascending._kernels import sell
    from theory.ascending import LimitRule
    from theory.shared.compiling import machine_code

    plain: Any = sell
    ways: dict[str, Callable[[], Any]] = {
        "arrays": lambda: sell,
        "Python": lambda: partial(plain),
        "compiled": lambda: machine_code(plain, exact=True),
    }
    chosen = ways[way]()
    with patch.object(_many_module(), "cheapest", lambda function, work: chosen):
        rng = np.random.default_rng(0)
        return run_many(paper_items(), [LimitRule(4)] * 3, 40_000, games, rng=rng)


def _many_module() -> ModuleType:
    return import_module("mechanisms.ascending._many")


def _same_games(ours: Any, theirs: Any) -> str:
    """Compare the games that both have played, to the bit."""
    count = len(theirs.winners)
    winners = (ours.winners[:count] == theirs.winners).all()
    prices = (ours.prices[:count] == theirs.prices).all()
    return "" if winners and prices else "other winners or prices"


def _exact_law() -> str:
    from mechanisms.ascending import paper_items
    from theory.ascending import LimitRule, exact_auction

    return str(exact_auction(paper_items("ascending"), [LimitRule(4)] * 3, 20_000).profits[0])


def rows() -> Iterator[Row]:
    yield Row(
        id="ascending.auctions",
        issue=24,
        work=f"{AUCTIONS} auctions of 10 items to 3 rule bidders, with ledger and record",
        ours=_one_by_one,
        target=AtMostSeconds(AUCTIONS * 1e-3),
        repeats=5,
    )
    yield Row(
        id="ascending.auctions-log",
        issue=24,
        work=f"{AUCTIONS} such auctions, with the log of all questions, too",
        ours=partial(_one_by_one, log=True),
        repeats=5,
    )
    yield Row(
        id="ascending.many-compiled",
        issue=24,
        work=f"{MANY:,} such auctions at once, compiled",
        ours=partial(_many, MANY, "compiled"),
        peer=partial(_many, IN_PYTHON, "Python"),
        peer_name="the same in Python",
        peer_scale=MANY / IN_PYTHON,
        agree=_same_games,
        target=AtMostSeconds(MANY * 1e-6),
        repeats=5,
    )
    yield Row(
        id="ascending.many-arrays",
        issue=24,
        work=f"{IN_ARRAYS:,} such auctions at once, in NumPy",
        ours=partial(_many, IN_ARRAYS, "arrays"),
        peer=partial(_many, IN_PYTHON, "Python"),
        peer_name="the same in Python",
        peer_scale=IN_ARRAYS / IN_PYTHON,
        agree=_same_games,
        target=AtMostSeconds(IN_ARRAYS / 40_000),
        repeats=5,
    )
    yield Row(
        id="ascending.exact",
        issue=24,
        work="the exact law of 3 rule bidders on Table 1 of arena, at 20,000",
        ours=_exact_law,
        target=AtMostSeconds(20),
        repeats=3,
    )
