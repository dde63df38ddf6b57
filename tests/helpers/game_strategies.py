"""Random small games: drawn as the nested tuples of the oracle, and built as games of ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st
from reference import games as oracle

from theory.games import Behaviour, Game, Mixed, Tree, chance, choice, end

Name = Callable[[Any], str]


def game_of(
    tree: oracle.Tree, players: int = 2, player: Name = "p{}".format, move: Name = "m{}".format
) -> Game:
    """The game of a nested tuple; branch m is named ``move(m)``, player i ``player(i)``."""

    def build(node: oracle.Tree) -> Tree:
        if node[0] == "end":
            return end(*node[1])
        after = {move(m): build(branch) for m, branch in enumerate(node[-2])}
        if node[0] == "move":
            return choice(player(node[1]), node[2], after, node[-1])
        odds = zip(after.items(), node[1], strict=True)
        return chance({name: (p, branch) for (name, branch), p in odds}, node[-1])

    return Game.of(tuple(map(player, range(players))), build(tree))


def addresses(tree: oracle.Tree) -> list[oracle.Address]:
    """The oracle's name of each node, by number."""
    return [address for address, _ in oracle.nodes(tree)]


def laws_of(tree: oracle.Tree, behaviour: Behaviour) -> oracle.Laws:
    """A behaviour as the oracle's laws."""
    return dict(zip(oracle.info_sets(tree), behaviour.probabilities, strict=True))


def behaviour_of(tree: oracle.Tree, laws: Mapping[oracle.InfoSet, Sequence[Fraction]]) -> Behaviour:
    return Behaviour(tuple(tuple(laws[s]) for s in oracle.info_sets(tree)))


def rebuilt(
    tree: oracle.Tree, change: Callable[[oracle.Tree, oracle.Address], oracle.Tree]
) -> oracle.Tree:
    """The tree with each node, once its branches are rebuilt, replaced by ``change`` of it."""

    def walk(node: oracle.Tree, address: oracle.Address) -> oracle.Tree:
        after = tuple(walk(branch, (*address, m)) for m, branch in enumerate(oracle.branches(node)))
        return change(node if node[0] == "end" else (*node[:-2], after, node[-1]), address)

    return walk(tree, ())


def relabelled(tree: oracle.Tree, label: Callable[[str, oracle.Address], str]) -> oracle.Tree:
    """The same tree with other information sets."""
    return rebuilt(
        tree,
        lambda node, address: (
            (*node[:2], label(node[2], address), *node[3:]) if node[0] == "move" else node
        ),
    )


def paying(tree: oracle.Tree, pay: Callable[[int, Any, oracle.Address], Any]) -> oracle.Tree:
    """The same tree with x, paid to player i at an address, replaced by pay(i, x, address)."""
    return rebuilt(
        tree,
        lambda node, address: (
            *node[:-1],
            tuple(pay(i, x, address) for i, x in enumerate(node[-1])),
        ),
    )


def turned(tree: oracle.Tree) -> oracle.Tree:
    """The same tree with all branches in the opposite order."""

    def turn(node: oracle.Tree, _: oracle.Address) -> oracle.Tree:
        if node[0] == "end":
            return node
        odds = (node[1][::-1],) if node[0] == "chance" else node[1:3]
        return (node[0], *odds, node[-2][::-1], node[-1])

    return rebuilt(tree, turn)


def split(tree: oracle.Tree) -> oracle.Tree:
    """The same tree with each branch of chance written twice, each time half as likely."""

    def halve(node: oracle.Tree, _: oracle.Address) -> oracle.Tree:
        if node[0] != "chance":
            return node
        odds = tuple(p / 2 for p in node[1] for _ in range(2))
        return ("chance", odds, tuple(b for b in node[2] for _ in range(2)), node[3])

    return rebuilt(tree, halve)


def weights(count: int, least: int = 0) -> Any:
    """Probabilities in small proportions."""
    drawn = st.lists(st.integers(least, 3), min_size=count, max_size=count).filter(any)
    return drawn.map(lambda w: tuple(Fraction(v, sum(w)) for v in w))


@st.composite
def trees(
    draw: st.DrawFn, players: int = 2, depth: int = 4, spread: int = 3, on_the_way: bool = True
) -> oracle.Tree:
    """Trees with any recall: sets join nodes with the same player, label and number of branches."""

    def payoffs(most: int) -> tuple[int, ...]:
        return tuple(draw(st.integers(-most, most)) for _ in range(players))

    def node(left: int) -> oracle.Tree:
        kind = draw(st.sampled_from(["move"] * 5 + ["chance", "end"])) if left else "end"
        if left == depth:
            kind = draw(st.sampled_from(["move", "move", "chance"]))
        if kind == "end":
            return ("end", payoffs(3))
        count = draw(st.integers(1, 2 if left < depth else spread))
        after = tuple(node(left - 1) for _ in range(count))
        paid = payoffs(1) if on_the_way and draw(st.booleans()) else (0,) * players
        if kind == "chance":
            return ("chance", draw(weights(count)), after, paid)
        label = f"{draw(st.sampled_from('ab'))}/{count}"
        return ("move", draw(st.integers(0, players - 1)), label, after, paid)

    return node(depth)


def attentive_trees(**options: Any) -> Any:
    """Trees in which no path meets a set twice, as sets hold nodes of one depth only."""
    return trees(**options).map(
        lambda tree: relabelled(tree, lambda label, address: f"{label[1:]}@{len(address)}")
    )


@st.composite
def nested_trees(draw: st.DrawFn, depth: int = 2) -> oracle.Tree:
    """Two players move at once; one pair of moves may lead to a move or to such a game again."""

    def node(left: int, where: str) -> oracle.Tree:
        payoffs = tuple(draw(st.integers(-2, 2)) for _ in range(2))
        kind = draw(st.sampled_from(["once", "once", "move"])) if left else "end"
        if kind == "end":
            return ("end", payoffs)
        first = draw(st.integers(0, 1))
        further = draw(st.integers(0, 3 if kind == "once" else 1))
        after = [
            node(left - 1 if n == further else 0, f"{where}{n}")
            for n in range(4 if kind == "once" else 2)
        ]
        if kind == "move":
            return ("move", first, where, tuple(after), payoffs)
        hidden = [("move", 1 - first, where, tuple(after[n : n + 2]), (0, 0)) for n in (0, 2)]
        return ("move", first, where, tuple(hidden), payoffs)

    return node(depth, "at ")


def open_trees(**options: Any) -> Any:
    """Trees of perfect information."""
    return trees(**options).map(
        lambda tree: relabelled(tree, lambda _, address: ".".join(map(str, address)) or "start")
    )


@st.composite
def with_behaviour(draw: st.DrawFn, drawn: Any, least: int = 0) -> tuple[oracle.Tree, Behaviour]:
    """A tree and a behaviour on it, with probabilities of zero unless ``least`` is positive."""
    tree = draw(drawn)
    counts = [len(oracle.branches(oracle.at(tree, s[0]))) for s in oracle.info_sets(tree).values()]
    return tree, Behaviour(tuple(draw(weights(count, least)) for count in counts))


@st.composite
def with_mixed(draw: st.DrawFn, drawn: Any, players: int = 2) -> tuple[oracle.Tree, list[Mixed]]:
    """A tree and one mixed strategy a player."""
    tree = draw(drawn)
    profile = []
    for i in range(players):
        some = draw(st.lists(st.sampled_from(oracle.plans(tree, i)), min_size=1, max_size=3))
        plans = tuple(tuple(plan.values()) for plan in some)
        profile.append(Mixed(i, plans, draw(weights(len(plans)))))
    return tree, profile
