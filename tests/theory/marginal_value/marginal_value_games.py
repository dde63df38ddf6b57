"""Games of the marginal-value mechanism for the tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.marginal_value import (
    Equilibrium,
    MarginalValueGame,
    Moves,
    shortfall,
    theorem_4_4,
)

HERE, THERE = ["1", "0"], ["0", "1"]


def example(*, cheap: object = "1/10", dear: object = 100, moves: Any = Moves.SUBSETS) -> Any:
    """Example 6.1 with the sets that it does not print left as the prior."""
    return MarginalValueGame.of(
        ["I1", "I2", "I3"],
        lambda s: THERE if s in ({"I1"}, {"I1", "I3"}, {"I1", "I2", "I3"}) else HERE,
        {"I1": cheap, "I2": cheap, "I3": dear},
        moves,
    )


def drawn(rng: np.random.Generator, items: int, actions: int = 2) -> tuple[Any, dict[str, Any]]:
    """Utilities and prices, small and whole."""
    utilities = rng.integers(-4, 5, (actions, 2**items))
    prices: dict[str, Any] = {f"I{j}": int(rng.integers(-1, 4)) for j in range(items)}
    if rng.random() < 0.3:
        prices["I0"] = "inf"
    return utilities, prices


def games(count: int = 40) -> list[tuple[Any, dict[str, Any], Moves]]:
    rng = np.random.default_rng(11)
    found = []
    for _ in range(count):
        utilities, prices = drawn(rng, int(rng.integers(1, 4)), int(rng.integers(1, 4)))
        found.append((utilities, prices, list(Moves)[int(rng.integers(2))]))
    return found


def built(utilities: Any, prices: dict[str, Any], moves: Any) -> MarginalValueGame:
    return MarginalValueGame.of(list(prices), utilities, prices, moves)


def gains(found: Equilibrium) -> list[Any]:
    return [*found.rewards, shortfall(found).shortfall]


def answers(found: Equilibrium) -> Any:
    behind = shortfall(found)
    return (
        found.follow.tolist(),
        found.inextensible.tolist(),
        found.path.moves,
        behind.best,
        [s.holds for s in (*theorem_4_4(found), *found.hypotheses)],
    )


def as_a_function(utilities: Any, prices: dict[str, Any]) -> tuple[Any, Any]:
    def price(new: frozenset[str]) -> Any:
        each = [prices[name] for name in new]
        return "inf" if "inf" in each else sum(each)

    return utilities, price
