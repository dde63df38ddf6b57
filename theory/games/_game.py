"""Finite extensive games: nodes in preorder, information sets, payoffs added along the path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Final

from theory.errors import InvalidInputError, ShapeError, UnknownNameError, nearest
from theory.games._tree import Chance, Choice, End, Tree
from theory.probability import check_names
from theory.shared.arguments import read_tuple
from theory.shared.printable import escape, print_safely, printable

__all__ = ["Game", "InformationSet", "Node"]

_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class Node:
    """One node: where it hangs, what may follow, and what is paid on reaching it.

    ``infoset`` is the number of its information set, or -1 at chance nodes and ends;
    ``probabilities`` is empty except at chance nodes; ``children`` is empty at ends.
    """

    parent: int
    move: int
    children: tuple[int, ...]
    infoset: int
    moves: tuple[str, ...]
    probabilities: tuple[Fraction, ...]
    payoffs: tuple[Fraction, ...]
    outcome: str = ""
    name: str = ""

    @property
    def is_end(self) -> bool:
        """Whether the play ends here."""
        return not self.children

    @property
    def is_chance(self) -> bool:
        """Whether chance moves here."""
        return bool(self.probabilities)


@dataclass(frozen=True, slots=True)
class InformationSet:
    """The nodes among which a player cannot tell where it is, and the moves open there."""

    player: int
    name: str
    moves: tuple[str, ...]
    nodes: tuple[int, ...]


@dataclass(frozen=True)
class Game:
    """A finite extensive game with chance, any number of players and any recall.

    Payoffs are rational. Those of all nodes on a path are added. Nodes are numbered in preorder,
    information sets in the order in which the preorder first meets them; ``players`` may include
    some that never move.

    Examples
    --------
    The absent-minded driver of Piccione and Rubinstein (1997):

    >>> from theory.games import choice, end
    >>> second = choice("driver", "crossing", {"exit": end(4), "on": end(1)})
    >>> game = Game.of(("driver",), choice("driver", "crossing", {"exit": end(0), "on": second}))
    >>> print(game)
    driver at crossing
      exit: end, pays 0
      on: driver at crossing
        exit: end, pays 4
        on: end, pays 1
    """

    players: tuple[str, ...]
    nodes: tuple[Node, ...]
    infosets: tuple[InformationSet, ...]
    title: str = field(default="", compare=False)

    @classmethod
    def of(cls, players: Sequence[str], tree: Tree, title: str = "") -> Game:
        """Return the game of a tree, its nodes numbered and its information sets gathered.

        Raises
        ------
        UnknownNameError
            For a player who is not listed.
        ShapeError
            Where payoffs are not one a player, or an end has none.
        InvalidInputError
            For an information set with different moves at its nodes, or players without distinct
            names.

        Notes
        -----
        O(nodes x players). Depth is limited by memory alone.
        """
        names = read_tuple("players", players)
        if not names:
            raise InvalidInputError("players", names, "is empty", "name at least one player")
        check_names("players", names)
        return _Numbering(names).game(tree, title)

    @cached_property
    def depth(self) -> int:
        """The greatest number of moves in a play."""
        depths = [0] * len(self.nodes)
        for v, node in enumerate(self.nodes[1:], 1):
            depths[v] = depths[node.parent] + 1
        return max(depths)

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """The nodes at which a play ends."""
        return tuple(v for v, node in enumerate(self.nodes) if node.is_end)

    @cached_property
    def stops(self) -> tuple[int, ...]:
        """For each node v the stop of its subtree, which is range(v, stops[v])."""
        stops = list(range(1, len(self.nodes) + 1))
        for v in range(len(self.nodes) - 1, 0, -1):
            parent = self.nodes[v].parent
            stops[parent] = max(stops[parent], stops[v])
        return tuple(stops)

    @cached_property
    def totals(self) -> tuple[tuple[Fraction, ...], ...]:
        """What has been paid to each player on the path to each node, that node included."""
        totals: list[tuple[Fraction, ...]] = []
        for node in self.nodes:
            before = totals[node.parent] if totals else (Fraction(0),) * len(self.players)
            if not any(before):
                totals.append(node.payoffs)
            elif not any(node.payoffs):
                totals.append(before)
            else:
                totals.append(tuple(a + b for a, b in zip(before, node.payoffs, strict=True)))
        return tuple(totals)

    def path(self, node: int) -> tuple[tuple[int, int], ...]:
        """Return the moves from the root to ``node``, each as a node and the index of a move."""
        steps = []
        while node:
            steps.append((self.nodes[node].parent, self.nodes[node].move))
            node = self.nodes[node].parent
        return tuple(reversed(steps))

    def moves(self, node: int) -> tuple[str, ...]:
        """Return the names of the moves open at a node."""
        return self.nodes[node].moves

    def story(self, node: int) -> str:
        """Tell the path to a node by the names of its moves."""
        return ", ".join(self.nodes[v].moves[m] for v, m in self.path(node)) or "the start"

    def player(self, name: str) -> int:
        """Return the number of a player.

        Raises
        ------
        UnknownNameError
            When nobody has that name.
        """
        if name not in self.players:
            raise UnknownNameError("player", name, "plays no part", nearest(name, self.players))
        return self.players.index(name)

    def infosets_of(self, player: int) -> tuple[int, ...]:
        """Return the numbers of a player's information sets, in order."""
        return tuple(k for k, infoset in enumerate(self.infosets) if infoset.player == player)

    def infoset(self, player: str, name: str) -> int:
        """Return the number of a player's information set.

        Raises
        ------
        UnknownNameError
            When the player has none of that name.
        """
        number = self.player(player)
        if (number, name) not in self._numbers:
            known = [s.name for s in self.infosets if s.player == number]
            raise UnknownNameError(f"infoset of {player}", name, "is unknown", nearest(name, known))
        return self._numbers[number, name]

    @cached_property
    def _numbers(self) -> dict[tuple[int, str], int]:
        return {(infoset.player, infoset.name): k for k, infoset in enumerate(self.infosets)}

    @print_safely
    def __str__(self) -> str:
        lines = []
        depths = [0] * len(self.nodes)
        for v, node in enumerate(self.nodes[:_SHOWN]):
            depths[v] = depths[node.parent] + 1 if v else 0
            before = f"{printable(self.nodes[node.parent].moves[node.move])}: " if v else ""
            lines.append("  " * depths[v] + before + self._line(v))
        if len(self.nodes) > _SHOWN:
            lines.append(f"… {len(self.nodes) - _SHOWN:,} more nodes")
        return "\n".join([printable(self.title), *lines] if self.title else lines)

    def _line(self, v: int) -> str:
        node = self.nodes[v]
        paid = ", ".join(map(str, node.payoffs))
        pays = f", pays {paid}" if node.is_end or any(node.payoffs) else ""
        if node.is_end:
            return f"end{pays}"
        if node.is_chance:
            odds = zip(node.moves, node.probabilities, strict=True)
            return "chance " + ", ".join(f"{printable(move)} {p}" for move, p in odds) + pays
        infoset = self.infosets[node.infoset]
        return f"{printable(f'{self.players[infoset.player]} at {infoset.name}')}{pays}"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


class _Numbering:
    """Numbers nodes in preorder with a stack of its own, so that depth does not matter."""

    def __init__(self, players: tuple[str, ...]) -> None:
        self.players = {name: i for i, name in enumerate(players)}
        self.names = players
        self.infosets: dict[tuple[int, str], tuple[int, tuple[str, ...], list[int]]] = {}

    def game(self, root: Tree, title: str) -> Game:
        rows: list[tuple[int, int, Tree]] = []
        children: list[list[int]] = []
        stack: list[tuple[int, int, Tree]] = [(-1, 0, root)]
        while stack:
            parent, move, tree = stack.pop()
            v = len(rows)
            rows.append((parent, move, tree))
            children.append([])
            if v:
                children[parent].append(v)
            if not isinstance(tree, End):
                after = [(v, m, branch) for m, branch in enumerate(tree.branches)]
                stack.extend(reversed(after))
        nodes = tuple(
            self._node(v, parent, move, tree, tuple(children[v]))
            for v, (parent, move, tree) in enumerate(rows)
        )
        infosets = tuple(
            InformationSet(player, name, moves, tuple(members))
            for (player, name), (_, moves, members) in self.infosets.items()
        )
        return Game(self.names, nodes, infosets, title)

    def _node(self, v: int, parent: int, move: int, tree: Tree, children: tuple[int, ...]) -> Node:
        payoffs = tree.payoffs or (Fraction(0),) * len(self.names)
        if len(payoffs) != len(self.names) or (isinstance(tree, End) and not tree.payoffs):
            raise ShapeError(
                f"payoffs of node {v}",
                tree.payoffs,
                f"are not one for each of {len(self.names)} players",
                "give every end one payoff a player",
            )
        moves = () if isinstance(tree, End) else tree.moves
        if len(set(moves)) < len(moves):
            raise InvalidInputError(
                f"moves of node {v}", moves, "name a move twice", "give each move its own name"
            )
        infoset = self._infoset(v, tree) if isinstance(tree, Choice) else -1
        odds = tree.probabilities if isinstance(tree, Chance) else ()
        return Node(parent, move, children, infoset, moves, odds, payoffs, tree.outcome, tree.name)

    def _infoset(self, v: int, tree: Choice) -> int:
        if tree.player not in self.players:
            raise UnknownNameError(
                f"player at {tree.infoset!r}",
                tree.player,
                "is not one of the players",
                nearest(tree.player, self.players),
            )
        key = (self.players[tree.player], tree.infoset)
        fresh: tuple[int, tuple[str, ...], list[int]] = (len(self.infosets), tree.moves, [])
        number, moves, members = self.infosets.setdefault(key, fresh)
        if tree.moves != moves:
            raise InvalidInputError(
                f"information set {tree.infoset!r} of {tree.player!r}",
                " and ".join(f"({', '.join(m)})" for m in (moves, tree.moves)),
                "has different moves at its nodes",
                "give all its nodes the same moves in the same order, or name two sets",
            )
        members.append(v)
        return number
