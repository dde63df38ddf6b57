"""volition, section 6: how far the equilibrium falls short of the best set to reveal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

from papers.volition.checks.marginal_families import (
    Copies,
    MarginalGames,
    MarginalInstance,
    Price,
    Solve,
    Strategy,
    Terms,
    fewest_items,
    games,
    name_set,
    names,
    path,
)
from theory.checks import WithoutHypothesis
from theory.marginal_value import Equilibrium, Shortfall, shortfall
from theory.search import Trial

__all__ = [
    "ADDITIVE",
    "AGREEING",
    "BY_AGREEMENT",
    "BY_ANY",
    "BY_EVERYTHING",
    "SUPERADDITIVE",
    "WITHOUT_AGREEMENT",
    "WITHOUT_ANY",
    "WITHOUT_EVERYTHING",
    "BoundedBy",
    "agree",
    "agreeing",
    "best_set",
    "everything",
    "exchange_price",
    "left_out",
    "stable",
    "with_disagreement",
    "worth",
]


def worth(instance: MarginalInstance, revealed: int) -> Price:
    """Return w(S) = u_K(a_S) - u_K(a_∅) - p(S)."""
    return instance.reward(0, revealed, instance.everything)


def best_set(instance: MarginalInstance) -> int:
    """Return T*: of the sets that maximise w one of fewest items, of those the first."""
    most = max(worth(instance, s) for s in instance.sets)
    best = [s for s in instance.sets if worth(instance, s) == most]
    return min(best, key=lambda s: (s.bit_count(), names(s)))


def agree(instance: MarginalInstance, first: int, second: int) -> bool:
    """Say whether the judge sees the same differences between actions at two sets."""
    return len({row[first] - row[second] for row in instance.utilities}) == 1


Report = Callable[[Equilibrium], Shortfall]


# --- defences: sets F that contain what the equilibrium reveals

Defences = Callable[[MarginalInstance, Strategy], list[int]]


def everything(instance: MarginalInstance, strategy: Strategy) -> list[int]:
    """Return K alone."""
    del strategy
    return [instance.everything]


def above(instance: MarginalInstance, strategy: Strategy) -> list[int]:
    """Return the sets of finite price that contain what the equilibrium reveals."""
    revealed = path(strategy)[-1]
    return [s for s in instance.sets if s & revealed == revealed and instance.prices[s] < inf]


def stable(instance: MarginalInstance, strategy: Strategy) -> list[int]:
    """Return those of them at which the next player makes the null move."""
    return [s for s in above(instance, strategy) if strategy[s] == s]


def agreeing(instance: MarginalInstance, strategy: Strategy) -> list[int]:
    """Return those stable ones that agree with K; K itself is left to volition.shortfall."""
    return [s for s in agreeing_or_not_stable(instance, strategy) if strategy[s] == s]


def agreeing_or_not_stable(instance: MarginalInstance, strategy: Strategy) -> list[int]:
    """Return the sets other than K that agree with K, stable or not."""
    proper = [s for s in above(instance, strategy) if s != instance.everything]
    return [s for s in proper if agree(instance, s, instance.everything)]


# --- what w(T) - w(T_eq) is at most, by F and T

Bound = Callable[[MarginalInstance, int, int], Price]


def left_out(instance: MarginalInstance, defence: int, best: int) -> Price:
    """Return p(F minus T)."""
    return instance.prices[defence & ~best]


def exchange_price(instance: MarginalInstance, defence: int, best: int) -> Price:
    """Return p(F minus T) - p(T minus F)."""
    return instance.prices[defence & ~best] - instance.prices[best & ~defence]


def with_disagreement(instance: MarginalInstance, defence: int, best: int) -> Price:
    """Return p(F) - p(T) + d(F), d(F) = max_x (u_K(a_T) - u_K(x)) - (u_F(a_F) - u_F(x))."""
    u, a, p = instance.utilities, instance.picked, instance.prices
    apart = max((u[a[best]][-1] - r[-1]) - (u[a[defence]][defence] - r[defence]) for r in u)
    return p[defence] - p[best] + apart


@dataclass(frozen=True)
class BoundedBy:
    """w(T*) - w(T_eq) is at most a bound, for every defence F.

    ``no_worse_than`` are bounds that this one does not exceed where prices add, with the defences
    that they take.
    """

    bound: Bound
    defences: Defences
    no_worse_than: tuple[tuple[Bound, Defences], ...] = ()
    solve: Solve = fewest_items
    report: Report | None = None

    def __call__(self, instance: MarginalInstance) -> Trial:
        """Compare; non-trivial where the equilibrium reveals something."""
        strategy = self.solve(instance)
        defences = self.defences(instance, strategy)
        if not defences:
            return Trial.unmet()
        best, revealed = best_set(instance), path(strategy)[-1]
        best_worth, worth_of_revealed = worth(instance, best), worth(instance, revealed)
        bounds = {s: self.bound(instance, s, best) for s in defences}
        broken = [
            f"{name_set(revealed)} is revealed and worth {worth_of_revealed}, "
            f"T* = {name_set(best)} "
            f"{best_worth}; F = {name_set(s)} bounds the shortfall by {bound}."
            for s, bound in bounds.items()
            if best_worth - worth_of_revealed > bound
        ]
        broken += [
            f"F = {name_set(s)} gives {bounds[s]}, above the bound {other(instance, s, best)}."
            for other, taken in self.no_worse_than
            for s in taken(instance, strategy)
            if instance.additive and bounds.get(s, inf) > other(instance, s, best)
        ]
        return Trial(
            nontrivial=revealed != 0,
            failure=" ".join(broken[:1])
            or (check_report(instance, self.report) if self.report else ""),
        )


def check_report(instance: MarginalInstance, report: Report) -> str:
    """Return what is wrong with what the theory says of the shortfall, or nothing."""
    found = report(instance.solve())
    strategy = fewest_items(instance)
    best, revealed = best_set(instance), path(strategy)[-1]
    bounds = {
        tuple(names(s)): with_disagreement(instance, s, best) for s in stable(instance, strategy)
    }
    kept = {
        "T*": list(found.best) == names(best),
        "w(T*) - w(T)": found.shortfall == worth(instance, best) - worth(instance, revealed),
        "the bound by K": (
            found.everything == instance.prices[instance.everything] - instance.prices[best]
        ),
        "the bounds by stable sets": {d.revealed: d.bound for d in found.defences} == bounds,
    }
    wrong = [what for what, right in kept.items() if not right]
    return f"The theory misreports {', '.join(wrong)}." if wrong else ""


_TERMS = (Terms.ANY_SET, Terms.UNION_CLOSED)

ADDITIVE = games(MarginalGames(_TERMS), (1, 2, 3, 4))
AGREEING = games(MarginalGames(_TERMS, last=(0, 1, inf), copies=Copies.ALONE), (1, 2, 3, 4))
SUPERADDITIVE = games(
    MarginalGames((*_TERMS, Terms.SUPERADDITIVE), prior=(0, -1), prices=(0, 1), last=(0, -1)),
    (1, 2, 3),
)

_CHEAP = MarginalGames(utilities=(0, 1, -1), prices=(0, 1), last=(0, 1), third_from=inf)
_ONE_BY_ONE = games(replace(_CHEAP, terms=(Terms.SINGLE_ITEMS,)), (1, 2))
_DEARER = games(replace(_CHEAP, terms=(Terms.SUPERADDITIVE,), utilities=(0, 1, 2)), (1, 2))
_CHEAPER = games(replace(_CHEAP, terms=(Terms.SUBADDITIVE,)), (1, 2))
_ONE_DEAR = games(
    MarginalGames(utilities=(0, 1, -1), prices=(0,), last=(1,), third_from=inf), (1, 2, 3)
)

BY_EVERYTHING = BoundedBy(left_out, everything)
BY_AGREEMENT = BoundedBy(exchange_price, agreeing)
BY_ANY = BoundedBy(
    with_disagreement,
    stable,
    ((exchange_price, agreeing), (left_out, everything)),
    report=shortfall,
)

WITHOUT_EVERYTHING = (
    WithoutHypothesis(
        "moves are union-closed (here, one item at a time)", BY_EVERYTHING, _ONE_BY_ONE
    ),
    WithoutHypothesis("prices add (here, more together than apart)", BY_EVERYTHING, _DEARER),
    WithoutHypothesis("prices add (here, less together than apart)", BY_EVERYTHING, _CHEAPER),
)
WITHOUT_AGREEMENT = (
    WithoutHypothesis(
        "F is stable", replace(BY_AGREEMENT, defences=agreeing_or_not_stable), _ONE_DEAR
    ),
    WithoutHypothesis(
        "u_F and u_K agree on all differences",
        replace(BY_AGREEMENT, defences=stable),
        games(_CHEAP, (1, 2)),
    ),
)
WITHOUT_ANY = (
    WithoutHypothesis("F is stable", replace(BY_ANY, defences=above), _ONE_DEAR),
    WithoutHypothesis("moves are union-closed (here, one item at a time)", BY_ANY, _ONE_BY_ONE),
    WithoutHypothesis(
        "prices are superadditive (here, less together than apart)", BY_ANY, _CHEAPER
    ),
)
