"""What a single player can get, planned before play: every plan tried, mixtures as polynomials.

A tree is a nested tuple: ``("end", payoffs)``, ``("chance", probabilities, branches, payoffs)`` or
``("move", player, label, branches, payoffs)``; payoffs along a path are added. There is one player.
A plan has one move for each label.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product, zip_longest
from typing import Any

Tree = tuple[Any, ...]
Plan = Mapping[str, int]
Polynomial = list[Fraction]
"""Coefficients of 1, p, p², and so on."""


def sizes(tree: Tree) -> dict[str, int]:
    """How many moves each label has."""
    found = {tree[2]: len(tree[3])} if tree[0] == "move" else {}
    for branch in () if tree[0] == "end" else tree[-2]:
        found |= sizes(branch)
    return found


def plans(tree: Tree) -> Iterator[Plan]:
    """Every plan."""
    found = sizes(tree)
    for moves in product(*map(range, found.values())):
        yield dict(zip(found, moves, strict=True))


def worth(tree: Tree, plan: Plan) -> Any:
    """The expected payoff of a plan, from the root down."""
    paid = tree[-1][0]
    if tree[0] == "end":
        return paid
    if tree[0] == "move":
        return paid + worth(tree[3][plan[tree[2]]], plan)
    return paid + sum(p * worth(t, plan) for p, t in zip(tree[1], tree[2], strict=True))


def best(tree: Tree) -> Any:
    """The most that a plan is worth."""
    return max(worth(tree, plan) for plan in plans(tree))


def remembering(tree: Tree) -> Any:
    """The optimum of a player who forgets nothing: at each set the best for all its nodes."""
    return _onwards([(Fraction(1), tree)])


def _onwards(at: Sequence[tuple[Any, Tree]]) -> Any:
    """What is still to come from some nodes, one of which is reached, by their probabilities."""
    total: Any = 0
    sets: dict[str, list[tuple[Any, Tree]]] = {}
    waiting = list(at)
    while waiting:
        p, node = waiting.pop()
        total += p * node[-1][0]
        if node[0] == "chance":
            waiting += [(p * q, branch) for q, branch in zip(node[1], node[2], strict=True)]
        elif node[0] == "move":
            sets.setdefault(node[2], []).append((p, node))
    for nodes in sets.values():
        moves = range(len(nodes[0][1][3]))
        total += max(_onwards([(p, node[3][m]) for p, node in nodes]) for m in moves)
    return total


def polynomial(tree: Tree) -> Polynomial:
    """The payoff of one who makes the second of two moves with probability p, everywhere."""
    paid = [Fraction(tree[-1][0])]
    if tree[0] == "end":
        return paid
    if tree[0] == "move" and len(tree[3]) == 1:
        return _sum(paid, polynomial(tree[3][0]))
    if tree[0] == "move":
        first, second = map(polynomial, tree[3])
        towards = _sum(second, [-c for c in first])
        return _sum(paid, _sum(first, [Fraction(0), *towards]))
    for p, branch in zip(tree[1], tree[2], strict=True):
        paid = _sum(paid, [p * c for c in polynomial(branch)])
    return paid


def _sum(a: Polynomial, b: Polynomial) -> Polynomial:
    return [x + y for x, y in zip_longest(a, b, fillvalue=Fraction(0))]
