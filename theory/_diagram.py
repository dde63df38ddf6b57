"""A picture of a tree as data: who may be where, what cannot be told apart, who goes which way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from string import ascii_uppercase
from textwrap import wrap
from typing import Final

from theory._legend import Legend, check_legend, check_marks, legend_lines, symbols_of
from theory.errors import InvalidInputError
from theory.shared.arguments import refusing
from theory.shared.printable import escape, printable

__all__ = ["DiagramNode", "TreeDiagram"]

_LEAST_ROOM: Final = 24


@dataclass(frozen=True, slots=True)
class DiagramNode:
    """One node of a tree that is drawn.

    Attributes
    ----------
    parent : int
        The index of the node above; -1 at the root.
    edge : str
        The move that leads here; empty at the root.
    label : str
        What the node says.
    group : str
        The information set that it belongs to; nodes of one group cannot be told apart.
    marks : tuple of str
        Which of the protocols in the legend take the edge to this node.
    """

    parent: int
    edge: str
    label: str
    group: str = ""
    marks: tuple[str, ...] = ()


@refusing
@dataclass(frozen=True, slots=True, kw_only=True)
class TreeDiagram:
    """A picture as data: a tree in preorder, drawn by the application layer.

    Attributes
    ----------
    caption : str
        What the picture shows.
    nodes : tuple of DiagramNode
        The root, then the whole subtree of its first child, and so on.
    legend : tuple of (str, str)
        Each mark, and what it stands for where its name does not say it.

    Raises
    ------
    InvalidInputError
        Where the nodes are not one tree in preorder, or the legend is too long or repeats a mark.
    UnknownNameError
        For a mark that the legend lacks.

    Examples
    --------
    >>> print(TreeDiagram(
    ...     caption="A coin whose face is not seen",
    ...     nodes=(
    ...         DiagramNode(-1, "", "chance"),
    ...         DiagramNode(0, "heads", "guess", "unseen"),
    ...         DiagramNode(1, "heads", "1", marks=("bold",)),
    ...         DiagramNode(1, "pass", "0"),
    ...         DiagramNode(0, "tails", "guess", "unseen"),
    ...         DiagramNode(4, "heads", "-1", marks=("bold",)),
    ...         DiagramNode(4, "pass", "0"),
    ...     ),
    ...     legend=(("bold", "always guesses heads"),),
    ... ))
    A coin whose face is not seen
    chance
    ├─ heads: guess {A}
    │  ├─ ● heads: 1
    │  └─ pass: 0
    └─ tails: guess {A}
       ├─ ● heads: -1
       └─ pass: 0
    ● bold: always guesses heads
    {A} cannot be told apart: unseen
    """

    caption: str
    nodes: tuple[DiagramNode, ...]
    legend: Legend = ()

    def __post_init__(self) -> None:
        _check_tree(self.nodes)
        check_legend(self.legend, "TreeDiagram.legend")
        for k, node in enumerate(self.nodes):
            check_marks(node.marks, self.legend, f"TreeDiagram.nodes[{k}].marks")

    @property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The indices of the nodes right below each node, from first to last."""
        below: list[list[int]] = [[] for _ in self.nodes]
        for k, node in enumerate(self.nodes[1:], 1):
            below[node.parent].append(k)
        return tuple(map(tuple, below))

    @property
    def letters(self) -> dict[str, str]:
        """A letter for each group of at least two nodes, in the order of their first nodes."""
        sizes = Counter(node.group for node in self.nodes if node.group)
        shared = [group for group, size in sizes.items() if size > 1]
        return {group: _letter(k) for k, group in enumerate(shared)}

    @property
    def symbols(self) -> dict[str, str]:
        """A symbol for each mark, in the order of the legend."""
        return symbols_of(self.legend)

    def lines(self, width: int = 80) -> list[str]:
        """Return the tree and its legend in lines of ``width``, or wider if it is too deep."""
        lines = [*self._branches(width), *legend_lines(self.legend, width)]
        for group, letter in self.letters.items():
            text = f"{{{letter}}} cannot be told apart: {group}"
            lines += wrap(text, width, subsequent_indent="    ")
        return [printable(line) for line in lines]

    def __str__(self) -> str:
        return "\n".join([printable(self.caption, lines=True), *self.lines()])

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def _branches(self, width: int) -> Iterator[str]:
        children = self.children
        says = self._says()
        stems = [""] * len(self.nodes)
        for k, node in enumerate(self.nodes):
            first = ""
            if k:
                is_last = children[node.parent][-1] == k
                first = stems[node.parent] + ("└─ " if is_last else "├─ ")
                stems[k] = stems[node.parent] + ("   " if is_last else "│  ")
            yield from wrap(
                says[k],
                max(width, len(first) + _LEAST_ROOM),
                initial_indent=first,
                subsequent_indent=stems[k] + ("│  " if children[k] else "   "),
            ) or [first.rstrip()]

    def _says(self) -> list[str]:
        letters, symbols = self.letters, self.symbols
        says = []
        for node in self.nodes:
            marks = "".join(symbol for mark, symbol in symbols.items() if mark in node.marks)
            move = f"{node.edge}:" if node.edge and node.label else node.edge
            group = f"{{{letters[node.group]}}}" if node.group in letters else ""
            says.append(" ".join(filter(None, (marks, move, node.label, group))))
        return says


def _letter(k: int) -> str:
    return ascii_uppercase[k % 26] + (str(k // 26) if k >= 26 else "")


def _check_tree(nodes: tuple[DiagramNode, ...]) -> None:
    if not nodes:
        raise InvalidInputError("TreeDiagram.nodes", nodes, "is empty", "give at least the root")
    root = nodes[0]
    if root.parent != -1 or root.edge or root.marks:
        raise InvalidInputError(
            "TreeDiagram.nodes[0]", root, "is not a root", "give parent -1, no edge and no marks"
        )
    path = [0]
    for k, node in enumerate(nodes[1:], 1):
        while path and path[-1] != node.parent:
            path.pop()
        if not path:
            raise InvalidInputError(
                f"TreeDiagram.nodes[{k}].parent",
                node.parent,
                "is no node on the path to the node before it",
                "list the nodes in preorder, each with the index of the node above",
            )
        path.append(k)
