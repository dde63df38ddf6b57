"""The nodes of an inspection protocol, in the order in which choices are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Final

import numpy as np
from msgspec import UNSET

from mechproof.problems.kinds.inspection.policy import PolicyNode, Purchase
from mechproof.problems.shared.goods import Value, as_value
from theory.errors import LimitError
from theory.inspection import Inspection, InspectionProblem, Known, Offers, SuccessiveInspection
from theory.shared.shapes import Int64

__all__ = ["MAX_LISTED", "check_nodes", "nodes_of"]

MAX_LISTED: Final = 10_000
"""How many nodes an answer may list when those off the path are wanted too."""


def check_nodes(problem: InspectionProblem, successive: Offers | None) -> None:
    """Refuse to list all nodes, before the problem is solved.

    ``successive`` is what is offered there, and None for the admissible protocols.

    Raises
    ------
    LimitError
        For more than :data:`MAX_LISTED`.
    """
    if successive is None:
        count = _count(problem.known)
    else:
        levels = enumerate(problem.levels, 1)
        revealed = (problem.reveals(n, _sets(len(goods), successive)) for n, goods in levels)
        count = 1 + _count(revealed)
    if count > MAX_LISTED:
        raise LimitError(
            "nodes of the policy",
            count,
            f"are more than the limit of {MAX_LISTED:,}",
            'write nodes = "reached" for those on the path, or offer fewer goods',
        )


def _sets(goods: int, offers: Offers) -> list[tuple[int, ...]]:
    most = goods if offers is Offers.SUBSETS else min(goods, 1)
    return [each for size in range(most + 1) for each in combinations(range(goods), size)]


def nodes_of(found: Inspection | SuccessiveInspection, *, reached: bool) -> Iterator[PolicyNode]:
    """Return all nodes, or only those that are reached, from the highest level down."""
    if isinstance(found, SuccessiveInspection):
        nodes = _successive(found)
    else:
        nodes = _admissible(found, reached=reached)
    return (node for node in nodes if not reached or node.reached != "0")


def _admissible(found: Inspection, *, reached: bool) -> Iterator[PolicyNode]:
    for n in range(found.problem.depth, -1, -1):
        for node in found.protocol.nodes(n, reached=reached):
            yield PolicyNode(
                level=n,
                purchases=_purchases(node.known),
                known=_values(found.problem, node.known),
                states=tuple(map(str, node.states)),
                probability=str(node.probability),
                reached=str(node.reached),
                buy=node.names if n else UNSET,
                action=UNSET if n else str(node.chosen),
                expected=str(node.expected[node.chosen]),
            )


def _successive(found: SuccessiveInspection) -> Iterator[PolicyNode]:
    """Yield a node for each option of x^(n+1) and each thing that it may reveal.

    x^n depends on these and on nothing else, x^N on nothing at all.
    """
    depth, states = found.problem.depth, found.problem.states
    yield _node(found, Known(depth, {}, {}), np.arange(states), found.defaults[depth])
    for n, labels in reversed(list(enumerate(_reveal_by_option(found)))):
        goods = {good.name: good.variables for good in found.problem.levels[n]}
        for k, first in np.argwhere(_is_first(labels)).tolist():
            names = found.options[n + 1][k]
            values = {
                name: tuple(v.values[int(v.partition.labels[first])] for v in goods[name])
                for name in names
            }
            known = Known(n, {n + 1: names}, values)
            block = np.flatnonzero(labels[k] == first)
            yield _node(found, known, block, int(found.informed[n][k, first]))


def _node(
    found: SuccessiveInspection, known: Known, block: Int64[np.ndarray, " block"], option: int
) -> PolicyNode:
    """Return the node at which an option is chosen in a block of states."""
    n, space = known.level, found.problem.decision.space
    here = [w for w in block.tolist() if _passes(found, known, w)]
    p, mass = space.probabilities, space.probabilities[block].sum()
    chosen = found.options[n][option]
    return PolicyNode(
        level=n,
        purchases=_purchases(known),
        known=_values(found.problem, known),
        states=tuple(str(space.states[w]) for w in block.tolist()),
        probability=str(mass.item()),
        reached=str(p[here].sum().item()) if here else "0",
        buy=chosen if n else UNSET,
        action=UNSET if n else str(chosen),
        expected=str(((found.utilities[n][option, block] * p[block]).sum() / mass).item()),
    )


def _purchases(known: Known) -> tuple[Purchase, ...]:
    made = sorted(known.purchases.items(), reverse=True)
    return tuple(Purchase(level=n, goods=names) for n, names in made)


def _values(problem: InspectionProblem, known: Known) -> dict[str, Value]:
    """Return the value of each variable that is known."""
    goods = {good.name: good for level in problem.levels for good in level}
    return {
        variable.name: as_value(text)
        for name, texts in known.values.items()
        for variable, text in zip(goods[name].variables, texts, strict=True)
    }


def _passes(found: SuccessiveInspection, known: Known, state: int) -> bool:
    """Whether the path in a state makes the purchase that leads to a node."""
    bought = found.plays[state].purchases
    return all(bought[n - 1] == names for n, names in known.purchases.items())


def _reveal_by_option(found: SuccessiveInspection) -> list[Int64[np.ndarray, "_ states"]]:
    """Return by n < N what each option of x^(n+1) reveals."""
    revealed = []
    for n, goods in enumerate(found.problem.levels, 1):
        place = {good.name: j for j, good in enumerate(goods)}
        sets = [tuple(place[name] for name in names) for names in found.options[n]]
        revealed.append(found.problem.reveals(n, sets))
    return revealed


def _count(places: Iterable[Int64[np.ndarray, "_ states"]]) -> int:
    return sum(int(_is_first(labels).sum()) for labels in places)


def _is_first(labels: Int64[np.ndarray, "_ states"]) -> np.ndarray:
    """Mark the states that come first in their block."""
    marks: np.ndarray = labels == np.arange(labels.shape[1])
    return marks
