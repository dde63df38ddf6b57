"""Runs of the advertising auction with three advertisers, and an audit of them."""

from __future__ import annotations

from typing import Any

import pytest
from reference.auction import Auction

from mechanisms.advertising import (
    GENERATOR,
    REFERENCE,
    Advertiser,
    Instance,
    advertising_auction,
)
from mechanisms.play import Draw, How, Run

__all__ = [
    "DRAWN",
    "FIRMS",
    "NAMES",
    "REWARDS",
    "SCORES",
    "SOCKS",
    "audit",
    "begun",
    "finished",
    "scored",
]

FIRMS = tuple(Advertiser(name, f"{name} goods") for name in ("Ann", "Bob", "Cy"))
NAMES = tuple(firm.name for firm in FIRMS)
SOCKS = Instance("How do I mend a sock?", FIRMS)
DRAWN = [("Sew.", -1.0), ("Ask Ann.", -0.5), ("Sew.", -1.0)]
SCORES = [-0.25, -3.0]
REWARDS = {"Ann": [0.0, 2.0], "Bob": [1.0, -1.0], "Cy": [0.5, 0.25]}


def scored(run: Run[Any]) -> Run[Any]:
    return run.answer(GENERATOR, DRAWN).answer(REFERENCE, SCORES)


def finished(run: Run[Any], rewards: dict[str, Any] = REWARDS) -> Run[Any]:
    run = scored(run)
    for name, row in rewards.items():
        run = run.answer(name, row)
    return run


def begun(instance: Instance = SOCKS, **more: Any) -> Run[Any]:
    return advertising_auction(instance, 3, **more)


def audit(run: Run[Any], tau: float = 1.0, *, offset: bool = True) -> list[str]:
    """What is wrong with the payments and the law, from the log by the definition in decimals."""
    said = {e.request.player: e.value for e in run.log if e.how is How.CHOSEN}
    written, scores = said.pop(GENERATOR), said.pop(REFERENCE)
    different = list(dict.fromkeys(written.replies))
    at = [different.index(reply) for reply in written.replies]
    table = [[said[name][k] for k in at] for name in NAMES]
    auction = Auction(table, tau, [scores[k] for k in at], written.log_probs)
    problems = []
    for i, name in enumerate(NAMES):
        owed = float(auction.payment(i, offset=offset))
        for kind, paid in (
            ("says", run.outcome.payments[i]),
            ("books", -float(run.ledger.balance(name))),
        ):
            if paid != pytest.approx(owed, rel=1e-12, abs=1e-14):
                problems.append(f"{name} {kind} {paid}, and owes {owed}")
    law = [float(p) for p in auction.allocation()]
    if run.outcome.law != pytest.approx(law, rel=1e-12):
        problems.append("another law")
    [draw] = [each.request for each in run.log if isinstance(each.request, Draw)]
    weights = [sum(p for k, p in zip(at, law, strict=True) if k == j) for j in range(len(scores))]
    if list(map(float, draw.weights)) != pytest.approx(weights, rel=1e-12):
        problems.append("another draw")
    return problems
