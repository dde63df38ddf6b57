"""Instances of the softmax auction to compare with the oracle: ordinary, extreme, degenerate."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from random import Random

from reference.auction import Auction

Rows = list[list[float]]


@dataclass(frozen=True)
class Case:
    """One query; ``name`` says what is special about it."""

    name: str
    rewards: Rows
    tau: float
    log_ref: list[float] | None = None
    log_gen: list[float] | None = None

    def oracle(self, digits: int = 60) -> Auction:
        return Auction(self.rewards, self.tau, self.log_ref, self.log_gen, digits)


def rows(draw: Random, agents: int, candidates: int, scale: float) -> Rows:
    return [[scale * draw.gauss(0, 1) for _ in range(candidates)] for _ in range(agents)]


def logs(draw: Random, candidates: int, spread: float) -> list[float]:
    return [-spread * draw.random() for _ in range(candidates)]


def ordinary(seed: int) -> Case:
    """Rewards of up to some dozens of tau, with ratios in two of three."""
    draw = Random(seed)
    agents, candidates = draw.randint(1, 5), draw.randint(1, 8)
    tau = 10 ** draw.uniform(-3, 3)
    rewards = rows(draw, agents, candidates, tau * 10 ** draw.uniform(-2, 1.5))
    if seed % 3 == 0:
        return Case("ordinary", rewards, tau)
    spread = 10 ** draw.uniform(-1, 2.5)
    return Case(
        "ordinary", rewards, tau, logs(draw, candidates, spread), logs(draw, candidates, spread)
    )


def extreme(seed: int) -> Case:
    """Rewards and tau over twelve powers of ten each, and laws that leave candidates out."""
    draw = Random(seed)
    agents, candidates = draw.randint(1, 5), draw.randint(1, 8)
    tau = 10.0 ** draw.choice([-6, -3, 0, 3, 6])
    scale = 10.0 ** draw.choice([-6, -3, 0, 3, 6])
    rewards = rows(draw, agents, candidates, scale)
    kind = draw.choice(["plain", "ties", "opposed", "steps", "one favourite"])
    if kind == "ties":
        rewards = [[scale * draw.randint(-1, 1) for _ in row] for row in rewards]
    elif kind == "opposed" and agents > 1:
        rewards[1] = [tau * draw.gauss(0, 1) - x for x in rewards[0]]
    elif kind == "steps":
        rewards = [[scale + tau * draw.randint(-2, 2) for _ in row] for row in rewards]
    elif kind == "one favourite":
        rewards = [[scale * (j == i) for j in range(candidates)] for i in range(agents)]
    if draw.random() < 0.4:
        return Case(kind, rewards, tau)
    ref, gen = (logs(draw, candidates, 10 ** draw.uniform(-1, 3)) for _ in range(2))
    for j in draw.sample(range(candidates), draw.randint(0, candidates - 1)):
        ref[j] = -inf
    return Case(kind, rewards, tau, ref, gen)


HALF = log(0.5)
SPECIAL = [
    Case("one agent, one candidate", [[3.0]], 2.0),
    Case("one candidate", [[1e6], [-1e6], [0.0]], 1e-6),
    Case("one agent", [[1.0, 2.0, 4.0]], 1.0),
    Case("nothing to win", [[0.0, 0.0], [0.0, 0.0]], 1.0),
    Case("equal rewards", [[0.1, 0.1, 0.1], [1e6, 1e6, 1e6], [1.0, 2.0, 3.0]], 0.1),
    Case("equal rewards under ratios", [[0.1, 0.1]], 0.1, [-1.0, -3.0], [-2.0, -0.3]),
    Case("candidates drawn twice", [[1.0, 1.0, 2.0], [0.5, 0.5, 0.1]], 0.5),
    Case("a gap of one step of float64", [[1.0, 1.0 + 2**-52], [2.0, 1.0]], 1.0),
    Case("a payment of 1e-20 or so", [[1e-10, 0.0, 2e-10], [1.0, 2.0, 3.0]], 1.0),
    Case("a payment of 1e-40 or so", [[1e-20, 0.0, 2e-20], [1.0, 2.0, 3.0]], 1.0),
    Case("far above a small difference", [[1e6, 1e6 + 2**-33], [3.0, 2.0]], 1.0),
    Case("a veto", [[0.0, -1e6], [-40.0, 40.0]], 1.0),
    Case("a veto of the only one liked", [[-900.0, 0.0, 0.0], [850.0, 0.0, 1.0]], 1.0),
    Case("what underflows alone but not together", [[-800.0, 0.0], [800.0, 1.0]], 1.0),
    Case("rewards that cancel", [[1e6, -1e6, 0.5], [-1e6, 1e6, 0.25], [1.0, 2.0, 3.0]], 1.0),
    Case("sums that cancel in three", [[1e16, 0.0], [1.0, 0.0], [-1e16, 0.0]], 1.0),
    *(
        Case(
            f"what cancels with agent {k} of 6",
            [[1e16, 0.0], *([float(i == k), 0.0] for i in range(1, 6)), [-1e16, 0.0]],
            1.0,
        )
        for k in range(1, 6)
    ),
    Case("sums of many powers", [[1e10, 1.0], [1e-10, 1e-3], [-1e10, 1e-6], [1e-3, 0.0]], 1e-3),
    Case("cold", [[1e6, 0.0], [0.0, 1e6 - 1e-6]], 1e-6),
    Case("hot", [[1e-6, 0.0, -1e-6], [0.0, 1e-6, 0.0]], 1e6),
    Case("cold and large", [[1e6, 5e5, -1e6], [2.0, 5e5, 1e6]], 1e-6),
    Case("hot and large", [[1e6, 5e5, -1e6], [2.0, 5e5, 1e6]], 1e6),
    Case("one candidate is left", [[1.0, 5.0]], 1.0, [-inf, HALF], [HALF, HALF]),
    Case("the loved one is left out", [[1e6, 1.0, 2.0]], 1.0, [-inf, HALF, HALF], [HALF] * 3),
    Case("ratios of e^700", [[1.0, 2.0], [3.0, 1.0]], 1.0, [-700.0, -1.0], [-1.0, -700.0]),
    Case("ratios far beyond float64", [[1.0, 2.0], [3.0, 1.0]], 1.0, [-1e5, -1.0], [-1.0, -1e5]),
    Case(
        "tied when somebody leaves, at 1e12 tau",
        [[0.0, -1e6], [0.0, 0.0], [0.0, -1e6], [0.0, 1e6], [-1e6, 1e6]],
        1e-6,
        [-405.0016748392747, -423.0217637256643],
        [-16.51186130685845, -36.64635432078776],
    ),
    Case(
        "close when alone, at 1e9 tau",
        [[-1685.620063597176, -313.59702468369386]],
        1e-6,
        [-9.733060819839578, -9.421114701780601],
        [-0.6007093644488356, -0.8098377363922713],
    ),
    Case("what a sum in float64 hides", [[1e20, 1e20], [0.0, 5000.0]], 1.0),
    Case("what a sum in float64 hides, the other way", [[1e20, 1e20], [5000.0, 0.0]], 1.0),
    Case("rewards undo the ratios", [[1e5, 1.0]], 1.0, [-1e5, 0.0], [0.0, 0.0]),
]

ORDINARY = [ordinary(seed) for seed in range(36)]
EXTREME = [extreme(seed) for seed in range(80)]
