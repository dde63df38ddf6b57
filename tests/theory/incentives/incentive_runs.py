"""A sealed-bid sale in steps, with one fault at a time planted into it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from theory.incentives.protocols import (
    MessageSent,
    MoveMade,
    PaymentMade,
    RunRecord,
    SecretsGranted,
    Step,
)

CASES: dict[str, dict[str, Any]] = {
    "ann": {"values": {"ann": 4, "bob": 2}, "good": "gold"},
    "bob": {"values": {"ann": 1, "bob": 2}, "good": "gold"},
    "close": {"values": {"ann": 3, "bob": 2}, "good": "gold"},
    "tie": {"values": {"ann": 2, "bob": 2}, "good": "gold"},
    "lead": {"values": {"ann": 4, "bob": 2}, "good": "lead"},
    "poor": {"values": {"ann": 4, "bob": 0}, "good": "gold"},
    "rich": {"values": {"ann": 4, "bob": 6}, "good": "gold"},
}

FAULTS = {
    "keeps a coin": "conservation",
    "pays a stranger": "conservation",
    "opens an account": "conservation",
    "overcharges": "budgets",
    "draws on the house": "budgets",
    "shows a bid": "disclosure",
    "shows the good to all": "disclosure",
    "whispers more to some": "disclosure",
    "shows the good before the bid": "disclosure",
    "bids by the value of another": "measurability",
    "bids by the good": "measurability",
    "draws from random": "seed_discipline",
    "draws from numpy": "seed_discipline",
    "draws from the system": "seed_discipline",
    "draws and forgets": "seed_discipline",
    "reads the state of random": "seed_discipline",
    "never ends": "termination",
    "takes a step too many": "termination",
    # felt by one player alone, or in one case alone
    "keeps a coin of ann": "conservation",
    "keeps a coin of bob": "conservation",
    "shows ann the bids": "disclosure",
    "shows bob the bids": "disclosure",
    "shows ann the good": "disclosure",
    "shows bob the good": "disclosure",
    "ann bids by the value of bob": "measurability",
    "bob bids by the value of ann": "measurability",
    "ann bids by the good": "measurability",
    "bob bids by the good": "measurability",
    "draws from the system in the first case": "seed_discipline",
    "draws from the system in the last case": "seed_discipline",
    "draws from random in the last case": "seed_discipline",
    "never ends in the first case": "termination",
    "never ends in the last case": "termination",
    "overcharges in the first case": "budgets",
    "overcharges in the last case": "budgets",
    "keeps a coin in the last case": "conservation",
}

ONCE = {"in the first case": "ann", "in the last case": "rich"}


@dataclass
class Sale:
    """Each bids half of the value, the higher bid wins and pays; a coin decides a tie."""

    fault: str = ""
    secrets: dict[str, object] = field(default_factory=dict)

    def __call__(self, case: dict[str, Any], rng: np.random.Generator) -> RunRecord:
        for words, name in ONCE.items():
            if self.fault.endswith(words):
                there = case is CASES[name]
                return Sale(self.fault.removesuffix(f" {words}") if there else "")(case, rng)
        self.secrets = {f"value of {who}": v for who, v in case["values"].items()}
        self.secrets["good"] = case["good"]
        balances = {"ann": 5, "bob": 5, "house": 0}
        opening = dict(balances)
        steps = [*self.steps(case, rng)]
        for step in steps:
            if isinstance(step, PaymentMade):
                for account, sign in ((step.payer, -1), (step.payee, 1)):
                    if account in balances:
                        assert isinstance(step.amount, int)
                        balances[account] += sign * step.amount
        if self.fault == "keeps a coin":
            balances["house"] -= 1
        if self.fault.startswith("keeps a coin of "):
            balances[self.fault.removeprefix("keeps a coin of ")] -= 1
        if self.fault == "opens an account":
            balances["till"] = 0
        return RunRecord(
            steps=self.endless(steps) if self.fault == "never ends" else steps,
            limit=len(steps) - (self.fault == "takes a step too many"),
            opening=opening,
            closing=balances,
            secrets=self.secrets,
        )

    def endless(self, steps: list[Step]) -> Iterator[Step]:
        yield from steps
        for n in count():
            yield MessageSent("ann", n)

    def steps(self, case: dict[str, Any], rng: np.random.Generator) -> Iterator[Step]:
        fault, values, bids = self.fault, case["values"], dict[str, int]()
        for who, other in (("ann", "bob"), ("bob", "ann")):
            yield SecretsGranted((who,), (f"value of {who}",))
            yield MessageSent(who, self.invitation(who, case, bids))
            of_another = fault in (
                "bids by the value of another",
                f"{who} bids by the value of {other}",
            )
            by_the_good = fault in ("bids by the good", f"{who} bids by the good")
            value = values[other if of_another else who]
            bids[who] = value // 2 + (by_the_good and case["good"] == "lead")
            yield MoveMade(who, bids[who], hidden=f"bid of {who}")
            if fault in ("shows the good to all", f"shows {who} the good"):
                yield MessageSent(who, case["good"])
        best = [who for who in bids if bids[who] == max(bids.values())]
        winner = best[int(rng.integers(len(best)))]
        price = bids[winner] + 5 * (fault == "overcharges")
        self.secrets |= {"winner": winner, "price": price}
        yield SecretsGranted(("ann", "bob"), ("winner", "price"))
        for who in bids:
            shown = fault in ("shows a bid", f"shows {who} the bids")
            yield MessageSent(who, (winner, price, bids if shown else None))
        yield PaymentMade(winner, "house", price)
        if fault == "draws on the house":
            yield PaymentMade("house", "ann", price + 1)
            yield PaymentMade("ann", "house", price + 1)
        if fault == "pays a stranger":
            yield PaymentMade("house", "zoe", 1)
        yield SecretsGranted((winner,), ("good",))
        yield MessageSent(winner, case["good"])
        yield MessageSent("ann", self.noise())

    def invitation(self, who: str, case: dict[str, Any], bids: dict[str, int]) -> object:
        if self.fault == "shows the good before the bid":
            return case["good"]
        if self.fault == "whispers more to some" and who == "bob":
            return ("bid", *([1] * bids["ann"]))
        return "bid"

    def noise(self) -> object:
        if self.fault == "draws from random":
            return random.random()
        if self.fault == "draws from numpy":
            return np.random.rand()  # noqa: NPY002 - the fault that is planted
        if self.fault == "draws from the system":
            return np.random.default_rng().random()
        if self.fault == "draws and forgets":
            random.random()
        if self.fault == "reads the state of random":
            return random.getstate()[1][:3]
        return None
