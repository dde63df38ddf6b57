"""A user's program that prints what it computes, under whatever encoding it is run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction

from mechproof import (
    FiniteTypes,
    Grid,
    check_mechanism,
    prove_mechanism,
    run_sweep,
    softmax_auction,
    value_of_information,
    verify,
)
from theory.decision import DecisionProblem
from theory.information import perfect_information
from theory.probability import ProbabilitySpace


def pay_your_bid(bids: Sequence[Fraction]) -> tuple[int, list[Fraction | int]]:
    winner = bids.index(max(bids))
    return winner, [bid if i == winner else 0 for i, bid in enumerate(bids)]


space = ProbabilitySpace.of({"rain": "1/4", "dry": "3/4"})
problem = DecisionProblem.of(space, {"umbrella": [0, -1], "none": [-4, 0]})
report = check_mechanism(pay_your_bid, types=FiniteTypes([0, 1, 2]), agents=2)
printed = [
    report,
    report["dsic"],
    prove_mechanism(pay_your_bid, agents=2, properties=["dsic"]),
    value_of_information(problem, perfect_information(space)),
    softmax_auction([[0.0, 2.0], [0.0, 1.0]], tau=1.0),
    run_sweep(Grid({"x": [1, 2]}), lambda x: {"twice": 2 * x}, jobs=1),
    verify("bazaar.table-1").results[0].finding,
    "Bücher, ≥ 3",
]
for each in printed:
    print(each)
print(json.dumps({"printed": len(printed)}))
