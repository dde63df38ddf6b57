"""What buyers choose of passages that are shown to them: shares, demand, positions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import isfinite
from typing import Final

import numpy as np

from mechanisms.advertising import Estimate, clustered_mean
from mechproof.experiments._bazaar_rows import passages_bought
from mechproof.experiments._bazaar_scenes import BASE, ORDERS, ROLES, Part, Scenes
from mechproof.experiments._rows import Row
from theory.errors import InvalidInputError
from theory.logit import Choice, LogitFit, fit_logit

__all__ = [
    "CLASSES",
    "Demand",
    "Positions",
    "demand_of",
    "estimate_text",
    "kind_of_purchase",
    "mean_of",
    "positions_of",
    "reach_of",
    "roles_bought",
]

CLASSES: Final = ("only gold", "gold and more", "only alternative", "none")
"""As in Table 1 of bazaar."""
_SHUFFLES: Final = 2_000
_DRAWS: Final = 1_000


def roles_bought(row: Row) -> frozenset[str]:
    """Return what the passages are that were bought of those shown."""
    names = {*passages_bought(row)}
    return frozenset(role for role, name in row["shown"] if name in names)


def kind_of_purchase(row: Row) -> str:
    """Return which of :data:`CLASSES` a purchase is of."""
    bought = roles_bought(row)
    if "gold" in bought:
        return CLASSES[0] if len(bought) == 1 else CLASSES[1]
    return CLASSES[2] if bought else CLASSES[3]


def mean_of(rows: Iterable[Row], values: Iterable[float | Fraction]) -> Estimate:
    """Return the mean of a value of each row, with an interval over questions."""
    found: dict[str, list[float]] = {}
    for row, value in zip(rows, values, strict=True):
        found.setdefault(row["question"], []).append(float(value))
    most = max(map(len, found.values()))
    table = np.full((len(found), most), np.nan)
    for k, each in enumerate(found.values()):
        table[k, : len(each)] = each
    return clustered_mean(table)


def reach_of(estimate: Estimate) -> float:
    """Return half the width of an interval, 0 where there is none."""
    reach = estimate.high - estimate.value
    return reach if isfinite(reach) else 0.0


def estimate_text(estimate: Estimate, digits: int = 1) -> str:
    """Return a number with half the width of its interval, where there is one.

    Examples
    --------
    >>> estimate_text(Estimate(50.0, 40.0, 60.0, 10, 10))
    '50.0 ±10.0'
    """
    reach = reach_of(estimate)
    shown = f"{round(estimate.value, digits) + 0.0:.{digits}f}"
    return f"{shown} ±{reach:.{digits}f}" if reach > 1e-9 else shown


@dataclass(frozen=True)
class Demand:
    """A logit of what is bought at several prices.

    Attributes
    ----------
    fit : LogitFit or None
        Of sets of passages, by what they are worth and what they cost.
    reason : str
        Why there is none.
    own, cross : tuple of float, or None
        Elasticities of the share that buys gold, and of that which buys another passage, to the
        price of gold at the base price, the mean over questions; the ends of a 95% interval follow.
    """

    fit: LogitFit | None
    reason: str = ""
    own: tuple[float, float, float] | None = None
    cross: tuple[float, float, float] | None = None


def demand_of(scenes: Scenes, rows: Sequence[Row]) -> Demand:
    """Return the logit of the choices of one buyer; a set is worth the needed facts that it states.

    For the odds exp(a worth - b cost) of sets S the share P_A of an event A, as the price p of gold
    changes, has the elasticity b p (P(gold) - P(gold and A) / P_A).
    """
    choices = [_choice(scenes, row) for row in rows]
    try:
        fit = fit_logit(choices, ("worth", "cost"))
    except InvalidInputError as error:
        return Demand(None, f"{error.argument} {error.problem}")
    base = [c for c, row in zip(choices, rows, strict=True) if row["setting"] == str(BASE)]
    if not base:
        return Demand(fit)
    placed = [row for row in rows if row["setting"] == str(BASE)]
    gold = np.array([_sets_with(row, "gold") for row in placed])
    other = np.array([_sets_with(row, "other1", "other2") for row in placed])
    offered = np.array([c.alternatives for c in base])
    rng = np.random.default_rng(0)
    drawn = rng.multivariate_normal(fit.value, fit.covariance, size=_DRAWS)
    found = []
    for beta in (np.array(fit.value), *drawn):
        worth = offered @ beta
        law = np.exp(worth - worth.max(axis=1, keepdims=True))
        law /= law.sum(axis=1, keepdims=True)
        share = (law * gold).sum(axis=1)
        both, either = (law * (gold & other)).sum(axis=1), (law * other).sum(axis=1)
        found.append(
            beta[1] * BASE * np.array([(1 - share).mean(), (both / either - share).mean()])
        )
    low, high = np.quantile(found[1:], (0.025, 0.975), axis=0)
    own, cross = ((float(found[0][k]), float(low[k]), float(high[k])) for k in (0, 1))
    return Demand(fit, own=own, cross=cross)


_SETS: Final = tuple(some for size in range(4) for some in combinations(range(3), size))


def _sets_with(row: Row, *wanted: str) -> list[bool]:
    """Return which of the sets of the passages shown have one of some kinds."""
    roles = [role for role, _ in row["shown"]]
    return [any(roles[k] in wanted for k in some) for some in _SETS]


def _choice(scenes: Scenes, row: Row) -> Choice:
    """Return what sets of the passages shown are worth and cost, and which was bought."""
    question = scenes.corpus.question(row["question"])
    needed = {*scenes.corpus.needs(question)}
    shown = scenes.shown(Part.of(row), question)
    table = []
    for some in _SETS:
        stated = frozenset[object]().union(*(shown[k][1].states & needed for k in some))
        cost = sum((shown[k][1].price for k in some), Fraction(0))
        table.append([float(question.worth * len(stated)), float(cost)])
    bought = roles_bought(row)
    chosen = tuple(k for k, (role, _) in enumerate(shown) if role in bought)
    return Choice(table, _SETS.index(chosen), row["question"])


@dataclass(frozen=True)
class Positions:
    """How much it matters where a passage stands.

    Attributes
    ----------
    by_position : tuple of Estimate
        How often the passage there is bought, less the mean over positions, in percentage points.
    swaps : Estimate
        In what percentage of exchanges of two passages other passages are bought.
    p : float
        In what share of all ways in which the purchases of a question could have fallen on its
        orders, by sampling, positions differ as much as they do.
    """

    by_position: tuple[Estimate, ...]
    swaps: Estimate
    p: float


def positions_of(rows: Sequence[Row], seed: int) -> Positions:
    """Return what position does to one buyer, whose questions all come in all orders."""
    names = ROLES
    order = np.array([[o.split().index(name) for name in names] for o in ORDERS])
    by_question: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_question.setdefault(row["question"], {})[row["setting"]] = row
    whole = [found for found in by_question.values() if len(found) == len(ORDERS)]
    bought = np.array(
        [[[name in roles_bought(found[o]) for name in names] for o in ORDERS] for found in whole]
    ).astype(float)  # questions × orders × passages
    place = (np.arange(3)[:, np.newaxis, np.newaxis] == order).astype(float)
    accepted = np.einsum("qop,kop->qk", bought, place) / len(ORDERS) * 100
    adjusted = accepted - accepted.mean(axis=1, keepdims=True)
    rng = np.random.default_rng(seed)
    spread = np.ptp(accepted.sum(axis=0))
    above = 1
    for _ in range(_SHUFFLES):
        shuffled = np.take_along_axis(
            bought, rng.permuted(np.tile(np.arange(6), (len(whole), 1)), axis=1)[..., None], axis=1
        )
        fallen = np.einsum("qop,kop->k", shuffled, place) / len(ORDERS) * 100
        above += bool(np.ptp(fallen) >= spread - 1e-9)
    changed = [
        (bought[:, a] != bought[:, b]).any(axis=1)
        for a, b in combinations(range(len(ORDERS)), 2)
        if (order[a] != order[b]).sum() == 2
    ]
    swaps = np.array(changed, dtype=float).T * 100
    return Positions(
        tuple(clustered_mean(adjusted[:, [k]]) for k in range(3)),
        clustered_mean(swaps),
        above / (_SHUFFLES + 1),
    )
