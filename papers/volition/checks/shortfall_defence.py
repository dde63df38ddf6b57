"""volition, section 6: what acting on the equilibrium loses, and what a defence would cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from papers.volition.checks.marginal_families import (
    Copies,
    MarginalGames,
    MarginalInstance,
    Price,
    Solve,
    Terms,
    fewest_items,
    games,
    name_set,
    path,
)
from papers.volition.checks.shortfall import agree
from theory.checks import WithoutHypothesis
from theory.search import Trial

__all__ = ["SETTLED", "WITHOUT_DEFENCE", "Defended", "all_prices", "is_settled_alone"]

Settles = Callable[[MarginalInstance, int], bool]


def is_settled(instance: MarginalInstance, defence: int) -> bool:
    """Say whether every set that contains F agrees with K."""
    return all(
        agree(instance, s, instance.everything) for s in instance.sets if s & defence == defence
    )


def is_settled_alone(instance: MarginalInstance, defence: int) -> bool:
    """Say whether F agrees with K; sets that contain more need not."""
    return agree(instance, defence, instance.everything)


def positive_prices(instance: MarginalInstance, revealed: int) -> Price:
    """Return the sum of the positive prices of a set of items."""
    bits = (1 << j for j in range(instance.items) if revealed >> j & 1)
    return sum(max(instance.prices[bit], 0) for bit in bits)


def all_prices(instance: MarginalInstance, revealed: int) -> Price:
    """Return the price of a set of items."""
    return instance.prices[revealed]


@dataclass(frozen=True)
class Defended:
    """What the judge loses by acting on the equilibrium is at most the price of a defence."""

    settles: Settles = is_settled
    price: Callable[[MarginalInstance, int], Price] = positive_prices
    solve: Solve = fewest_items

    def __call__(self, instance: MarginalInstance) -> Trial:
        """Compare; met by a defence other than K, non-trivial if something is revealed."""
        finite = [s for s in instance.sets if instance.prices[s] < inf]
        defences = [s for s in finite if self.settles(instance, s)]
        if not set(defences) - {instance.everything}:
            return Trial.unmet()
        revealed = path(self.solve(instance))[-1]
        at_all = [row[-1] for row in instance.utilities]
        lost = max(at_all) - at_all[instance.picked[revealed]]
        broken = [
            f"{name_set(revealed)} is revealed, which costs the decision {lost}; "
            f"F = {name_set(s)} would "
            f"cost {instance.prices[s & ~revealed]} more, {self.price(instance, s)} in all."
            for s in defences
            if not lost <= instance.prices[s & ~revealed] <= self.price(instance, s)
        ]
        return Trial(nontrivial=revealed != 0, failure=" ".join(broken[:1]))


SETTLED = games(
    MarginalGames((Terms.ANY_SET, Terms.UNION_CLOSED), last=(0, 1, inf), copies=Copies.ABOVE),
    (1, 2, 3, 4),
)

WITHOUT_DEFENCE = (
    WithoutHypothesis(
        "F settles the matter (here, F alone agrees with K)",
        Defended(is_settled_alone),
        games(
            MarginalGames(
                utilities=(0, 1, -1), prior=(0, -1), prices=(0, 1), last=(0, 1), third_from=inf
            ),
            (1, 2),
        ),
    ),
    WithoutHypothesis(
        "moves are union-closed (here, one item at a time)",
        Defended(),
        games(
            MarginalGames(
                (Terms.SINGLE_ITEMS,), (0, 1, -1), prices=(0,), last=(0,), third_from=inf
            ),
            (1, 2, 3),
        ),
    ),
    WithoutHypothesis(
        "the positive prices of F, not all of them",
        Defended(price=all_prices),
        games(MarginalGames(utilities=(0, 1), third_from=inf), (1, 2)),
    ),
)
