"""A picture of the sets that can be revealed as data: what is chosen in each, who leads where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Final

from theory._legend import Legend, check_legend, check_marks, legend_lines, symbols_of
from theory.errors import InvalidInputError, LimitError, UnknownNameError, nearest
from theory.shared.arguments import refusing
from theory.shared.printable import escape, printable

__all__ = ["LatticeDiagram", "LatticeNode", "LatticeStep"]

_MAX_NODES: Final = 64
_GAP: Final = 2
_LEAST_ROOM: Final = 24


@dataclass(frozen=True, slots=True)
class LatticeNode:
    """One set of items that is drawn.

    Attributes
    ----------
    items : tuple of str
        What is in the set, in the order in which it is written.
    label : str
        What the node says below its set.
    marks : tuple of str
        Which marks of the legend the set bears, such as that it is stable.
    """

    items: tuple[str, ...]
    label: str
    marks: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The set in braces, or ∅."""
        return _name(self.items)


@dataclass(frozen=True, slots=True)
class LatticeStep:
    """An arrow from one set to a larger one.

    Attributes
    ----------
    start, end : tuple of str
        The items of both sets, in any order.
    mark : str
        The mark of the legend whose path takes this step.
    label : str
        What the arrow says, such as a reward.
    """

    start: tuple[str, ...]
    end: tuple[str, ...]
    mark: str
    label: str = ""


@refusing
@dataclass(frozen=True, slots=True, kw_only=True)
class LatticeDiagram:
    """A picture as data: sets in layers by their numbers of items, drawn by the application layer.

    Attributes
    ----------
    caption : str
        What the picture shows.
    nodes : tuple of LatticeNode
        The sets, at most 64; those of one layer stand in the order given.
    steps : tuple of LatticeStep
        Arrows along the paths of the legend; a step may jump over layers.
    legend : tuple of (str, str)
        Each mark of a set or a step, and what it stands for where its name does not say it.

    Raises
    ------
    InvalidInputError
        Where there is no set, a set or a step is given twice, a step does not lead to a larger set,
        or the legend is too long or repeats a mark.
    UnknownNameError
        For a step from or to a set that is not drawn, and a mark that the legend lacks.
    LimitError
        For more than 64 sets.

    Examples
    --------
    >>> print(LatticeDiagram(
    ...     caption="What the judge does once a set is revealed",
    ...     nodes=(
    ...         LatticeNode((), "wait", ("stable",)),
    ...         LatticeNode(("alibi",), "acquit"),
    ...         LatticeNode(("motive",), "convict"),
    ...         LatticeNode(("alibi", "motive"), "acquit", ("stable",)),
    ...     ),
    ...     steps=(LatticeStep((), ("alibi", "motive"), "play", "+2"),),
    ...     legend=(("stable", "nobody gains by revealing more"), ("play", "")),
    ... ))
    What the judge does once a set is revealed
    0 items │ ● ∅: wait
    1 item  │ {alibi}: acquit    {motive}: convict
    2 items │ ● {alibi, motive}: acquit
    ○ ∅ → {alibi, motive}: +2
    ● stable: nobody gains by revealing more
    ○ play
    """

    caption: str
    nodes: tuple[LatticeNode, ...]
    steps: tuple[LatticeStep, ...] = ()
    legend: Legend = ()

    def __post_init__(self) -> None:
        _check_sets(self.nodes)
        _check_steps(self.steps, self.nodes)
        check_legend(self.legend, "LatticeDiagram.legend")
        for k, node in enumerate(self.nodes):
            check_marks(node.marks, self.legend, f"LatticeDiagram.nodes[{k}].marks")
        for k, step in enumerate(self.steps):
            check_marks((step.mark,), self.legend, f"LatticeDiagram.steps[{k}].mark")

    @property
    def layers(self) -> tuple[tuple[int, ...], ...]:
        """The indices of the nodes with equally many items, fewest items first."""
        sizes = [len(node.items) for node in self.nodes]
        return tuple(
            tuple(k for k, size in enumerate(sizes) if size == layer)
            for layer in sorted(set(sizes))
        )

    @property
    def covers(self) -> tuple[tuple[int, int], ...]:
        """The pairs of nodes of which the second holds the first, with no node in between."""
        sets = [frozenset(node.items) for node in self.nodes]
        larger = [{k for k, other in enumerate(sets) if one < other} for one in sets]
        return tuple(
            (k, above)
            for k, found in enumerate(larger)
            for above in sorted(found.difference(*(larger[j] for j in found)))
        )

    @property
    def ends(self) -> tuple[tuple[int, int], ...]:
        """The nodes that each step leads from and to."""
        places = {frozenset(node.items): k for k, node in enumerate(self.nodes)}
        return tuple((places[frozenset(s.start)], places[frozenset(s.end)]) for s in self.steps)

    @property
    def symbols(self) -> dict[str, str]:
        """A symbol for each mark, in the order of the legend."""
        return symbols_of(self.legend)

    def lines(self, width: int = 80) -> list[str]:
        """Return layers, steps and legend in lines of ``width``, or wider if that is too narrow."""
        symbols = self.symbols
        sizes = [len(self.nodes[layer[0]].items) for layer in self.layers]
        heads = [f"{size} {'item' if size == 1 else 'items'}" for size in sizes]
        margin = max(map(len, heads))
        lines = []
        for head, layer in zip(heads, self.layers, strict=True):
            first = f"{head:<{margin}} │ "
            room = max(width - len(first), _LEAST_ROOM)
            for row in _in_columns([self._says(k) for k in layer], room):
                lines.append((first + row).rstrip())
                first = " " * margin + " │ "
        for step, (start, end) in zip(self.steps, self.ends, strict=True):
            way = f"{symbols[step.mark]} {self.nodes[start].name} → {self.nodes[end].name}"
            lines += wrap(_with(way, step.label), max(width, _LEAST_ROOM), subsequent_indent="  ")
        lines += legend_lines(self.legend, width)
        return [printable(line) for line in lines]

    def __str__(self) -> str:
        return "\n".join([printable(self.caption, lines=True), *self.lines()])

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def _says(self, k: int) -> str:
        node = self.nodes[k]
        marks = "".join(symbol for mark, symbol in self.symbols.items() if mark in node.marks)
        return _with(f"{marks} {node.name}".lstrip(), node.label)


def _name(items: Sequence[str]) -> str:
    return "{" + ", ".join(items) + "}" if items else "∅"


def _with(text: str, label: str) -> str:
    return f"{text}: {label}" if label else text


def _in_columns(cells: Sequence[str], room: int) -> list[str]:
    """Return the cells row by row, as many in a row as fit; a cell that does not fit is wrapped."""
    widest = max(map(len, cells))
    columns = (room + _GAP) // (widest + _GAP)
    if columns < 1:
        return [line for cell in cells for line in wrap(cell, room, subsequent_indent="  ")]
    return [
        (" " * _GAP).join(cell.ljust(widest) for cell in cells[k : k + columns])
        for k in range(0, len(cells), columns)
    ]


def _check_sets(nodes: tuple[LatticeNode, ...]) -> None:
    if not nodes:
        raise InvalidInputError(
            "LatticeDiagram.nodes",
            nodes,
            "is empty",
            "give at least one set, such as the empty one",
        )
    if len(nodes) > _MAX_NODES:
        raise LimitError(
            "LatticeDiagram.nodes",
            len(nodes),
            f"are more than the {_MAX_NODES} sets that can be drawn",
            "leave some out, or show the sets as a table",
        )
    seen: set[frozenset[str]] = set()
    for k, node in enumerate(nodes):
        items = frozenset(node.items)
        if len(items) < len(node.items) or items in seen:
            raise InvalidInputError(
                f"LatticeDiagram.nodes[{k}].items",
                node.items,
                "names an item twice, or is the set of an earlier node",
                "give every set once, with each of its items once",
            )
        seen.add(items)


def _check_steps(steps: tuple[LatticeStep, ...], nodes: tuple[LatticeNode, ...]) -> None:
    names = {frozenset(node.items): node.name for node in nodes}
    seen: set[tuple[frozenset[str], frozenset[str], str]] = set()
    for k, step in enumerate(steps):
        argument = f"LatticeDiagram.steps[{k}]"
        start, end = frozenset(step.start), frozenset(step.end)
        for part, items in (("start", step.start), ("end", step.end)):
            if frozenset(items) not in names:
                raise UnknownNameError(
                    f"{argument}.{part}",
                    _name(items),
                    "is no set of the picture",
                    nearest(_name(items), names.values()),
                )
        if not start < end:
            raise InvalidInputError(
                argument,
                step,
                "does not lead to a larger set",
                "let its end hold its start and more",
            )
        if (start, end, step.mark) in seen:
            raise InvalidInputError(
                argument, step, "is an earlier step again", "give each step of a path once"
            )
        seen.add((start, end, step.mark))
