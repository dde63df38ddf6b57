"""Extensive games by their definitions, one play at a time.

A tree is a nested tuple: ``("end", payoffs)``, ``("chance", probabilities, branches, payoffs)`` or
``("move", player, label, branches, payoffs)``; payoffs along a path are added. A node is the
tuple of branches that lead to it. An information set is a pair (player, label). A law is a
dictionary from information sets to probabilities by branch; a plan is one to branches. Numbers are
added and multiplied as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

Tree = tuple[Any, ...]
Address = tuple[int, ...]
InfoSet = tuple[int, str]
Laws = Mapping[InfoSet, Sequence[Any]]
Plan = dict[InfoSet, int]
Experience = list[tuple[InfoSet, int]]


@dataclass(frozen=True)
class Dual:
    """A number and its derivative with respect to something."""

    value: Any
    slope: Any = 0

    def __add__(self, other: Any) -> Dual:
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other: Any) -> Dual:
        other = other if isinstance(other, Dual) else Dual(other)
        slope = self.value * other.slope + self.slope * other.value
        return Dual(self.value * other.value, slope)

    __radd__, __rmul__ = __add__, __mul__


def branches(tree: Tree) -> Sequence[Tree]:
    return () if tree[0] == "end" else tree[-2]


def nodes(tree: Tree, address: Address = ()) -> Iterator[tuple[Address, Tree]]:
    """Every node in preorder."""
    yield address, tree
    for m, branch in enumerate(branches(tree)):
        yield from nodes(branch, (*address, m))


def ends(tree: Tree) -> list[Address]:
    return [address for address, node in nodes(tree) if node[0] == "end"]


def at(tree: Tree, address: Address) -> Tree:
    for m in address:
        tree = branches(tree)[m]
    return tree


def info_sets(tree: Tree) -> dict[InfoSet, list[Address]]:
    """The nodes of each information set, in order of its first node."""
    found: dict[InfoSet, list[Address]] = {}
    for address, node in nodes(tree):
        if node[0] == "move":
            found.setdefault((node[1], node[2]), []).append(address)
    return found


def reach(tree: Tree, address: Address, laws: Laws) -> Any:
    """The product of the probabilities of the moves on the path to a node."""
    p: Any = 1
    for depth, m in enumerate(address):
        node = at(tree, address[:depth])
        p = p * (node[1][m] if node[0] == "chance" else laws[node[1], node[2]][m])
    return p


def paid(tree: Tree, address: Address, player: int) -> Any:
    """What a player has been paid on the path to a node, that node included."""
    return sum(at(tree, address[:depth])[-1][player] for depth in range(len(address) + 1))


def payoff(tree: Tree, laws: Laws, player: int) -> Any:
    return sum(reach(tree, play, laws) * paid(tree, play, player) for play in ends(tree))


def pure(tree: Tree, plan: Plan) -> Laws:
    return {
        s: [int(m == plan[s]) for m in range(len(branches(at(tree, members[0]))))]
        for s, members in info_sets(tree).items()
    }


def payoff_of_mixed(tree: Tree, mixed: Sequence[Sequence[tuple[Any, Plan]]], player: int) -> Any:
    """Draw one plan a player, then play: ``mixed`` holds pairs of probability and plan."""
    total: Any = 0
    for draws in product(*mixed):
        p: Any = 1
        whole: Plan = {}
        for weight, plan in draws:
            p = p * weight
            whole |= plan
        total = total + p * payoff(tree, pure(tree, whole), player)
    return total


def visits(tree: Tree, laws: Laws, s: InfoSet) -> tuple[dict[Address, Any], Any, Any]:
    """How often each node of a set is visited, how often the set is, and how likely it is to be."""
    members = info_sets(tree)[s]
    per_node: dict[Address, Any] = dict.fromkeys(members, 0)
    number: Any = 0
    ever: Any = 0
    for play in ends(tree):
        p = reach(tree, play, laws)
        passed = [h for h in members if play[: len(h)] == h]
        for h in passed:
            per_node[h] = per_node[h] + p
        number = number + p * len(passed)
        ever = ever + p * bool(passed)
    return per_node, number, ever


def experience(tree: Tree, address: Address, player: int) -> Experience:
    steps = []
    for depth, m in enumerate(address):
        node = at(tree, address[:depth])
        if node[0] == "move" and node[1] == player:
            steps.append(((node[1], node[2]), m))
    return steps


def forgotten(tree: Tree, u: Address, v: Address) -> str | None:
    """What the mover at two nodes of one information set has forgotten."""
    player, label = at(tree, u)[1:3]
    one, other = experience(tree, u, player), experience(tree, v, player)
    while one and other and one[0] == other[0]:
        one, other = one[1:], other[1:]
    if not one and not other:
        return None
    if one and other:
        same = one[0][0] == other[0][0]
        return "forgets own moves" if same else "forgets own information"
    again = (one or other)[0][0] == (player, label)
    return "absent-minded" if again else "forgets own information"


def recall(tree: Tree, player: int) -> set[str]:
    """Every kind of imperfect recall, by all pairs of nodes."""
    found = {
        forgotten(tree, u, v)
        for s, members in info_sets(tree).items()
        if s[0] == player
        for u in members
        for v in members
    }
    return {kind for kind in found if kind is not None} or {"perfect"}


def is_absent_minded(tree: Tree) -> bool:
    """Whether one node of a set comes before another on a path."""
    return any(
        len(u) < len(v) and v[: len(u)] == u
        for members in info_sets(tree).values()
        for u in members
        for v in members
    )


def plans(tree: Tree, player: int | None = None) -> list[Plan]:
    """Every plan of one player, or of all together."""
    sets = [s for s in info_sets(tree) if player is None or s[0] == player]
    sizes = [len(branches(at(tree, info_sets(tree)[s][0]))) for s in sets]
    return [dict(zip(sets, moves, strict=True)) for moves in product(*map(range, sizes))]


def regret(tree: Tree, laws: Laws, player: int) -> Any:
    """The most that a player gains by any plan."""
    best = max(
        payoff(tree, {**laws, **pure_for(tree, plan)}, player) for plan in plans(tree, player)
    )
    return best - payoff(tree, laws, player)


def pure_for(tree: Tree, plan: Plan) -> Laws:
    members = info_sets(tree)
    return {
        s: [int(m == move) for m in range(len(branches(at(tree, members[s][0]))))]
        for s, move in plan.items()
    }


def is_nash(tree: Tree, laws: Laws, players: int) -> bool:
    return all(regret(tree, laws, i) == 0 for i in range(players))


def subgames(tree: Tree) -> list[Address]:
    """The first node, and every other one but ends whose subtree shares no set with the rest."""
    sets = info_sets(tree)
    return [
        root
        for root, node in nodes(tree)
        if not root
        or (
            node[0] != "end"
            and all(
                len({h[: len(root)] == root for h in members}) == 1 for members in sets.values()
            )
        )
    ]


def pure_equilibria(tree: Tree, players: int) -> list[Plan]:
    return [plan for plan in plans(tree) if is_nash(tree, pure(tree, plan), players)]


def pure_subgame_perfect(tree: Tree, players: int) -> list[Plan]:
    parts = [at(tree, root) for root in subgames(tree)]
    return [
        plan
        for plan in plans(tree)
        if all(is_nash(part, pure(tree, plan), players) for part in parts)
    ]


def one_visit_gain(tree: Tree, laws: Laws, s: InfoSet, move: int) -> Any:
    """The slope of the payoff towards a move at a set, for each visit that is expected."""
    law = laws[s]
    towards = [Dual(p, int(m == move) - p) for m, p in enumerate(law)]
    slope = (payoff(tree, {**laws, s: towards}, s[0]) + Dual(0)).slope
    return slope / visits(tree, laws, s)[1]
