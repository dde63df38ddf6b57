"""Proofs for all real types by z3: our trace of the code beside a formula by hand (issue 9).

By hand, somebody who knows z3 writes down the utilities of the auction once more, as terms, and
asks for a lie that gains. Ours runs the auction's code on symbols, lists its paths, asks z3, and
compares the trace with the code at exact points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from benchmarks.harness import Row, same

NEEDS = ("z3-solver",)


def ours(auction: str, agents: int) -> str:
    """Return the status of the finding."""
    from mechanisms import classics
    from theory.incentives import prove_mechanism

    report = prove_mechanism(
        getattr(classics, auction)(), agents=agents, properties=("dsic",), solver="z3"
    )
    return str(report["dsic"].status.value)


def by_hand(auction: str, agents: int) -> str:
    import z3

    values = z3.Reals([f"v{i}" for i in range(agents)])
    lie = z3.Real("lie")
    for i in range(agents):
        told = [*values[:i], lie, *values[i + 1 :]]
        truth, gained = (utility(auction, values[i], bids, i) for bids in (values, told))
        solver = z3.Solver()
        solver.add(gained > truth)
        if solver.check() != z3.unsat:
            return "refuted"
    return "holds"


def utility(auction: str, value: Any, bids: Sequence[Any], i: int) -> Any:
    """Of the lowest index among the highest bids, where the highest is at least 0."""
    import z3

    others = [bid for j, bid in enumerate(bids) if j != i]
    wins = z3.And(
        bids[i] >= 0,
        *(bids[i] > bid for bid in bids[:i]),
        *(bids[i] >= bid for bid in bids[i + 1 :]),
    )
    price = bids[i]
    if auction == "SecondPrice":
        price = z3.RealVal(0)
        for bid in others:
            price = z3.If(bid > price, bid, price)
    return z3.If(wins, value - price, 0)


def rows() -> Iterator[Row]:
    for auction, agents, what in (
        ("SecondPrice", 2, "proved"),
        ("SecondPrice", 3, "proved"),
        ("FirstPrice", 2, "refuted, with a small counterexample"),
    ):
        name = auction.removesuffix("Price").lower()
        yield Row(
            id=f"proofs.{name}-price-{agents}",
            issue=9,
            work=f"dominant strategies in a {name}-price auction of {agents} agents, {what}",
            ours=partial(ours, auction, agents),
            peer=partial(by_hand, auction, agents),
            peer_name="a formula by hand in z3",
            needs=NEEDS,
            agree=same,
            repeats=3,
        )
