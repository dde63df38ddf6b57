"""Where the boxes and lines of a picture stand, without the drawing (issue 9).

Beside ours stands dot, Graphviz's layout in layers, through pygraphviz; it is told the size of each
box, the layers, and how much room a move or a tag needs. Both must keep the layers apart and the
boxes off one another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import combinations, pairwise
from typing import Any

from benchmarks.harness import Row

INCH = 72.0
ITEMS = 5
SPACE = {"ranksep": "0.6", "nodesep": "0.2"}
BLANK = (
    '<<TABLE BORDER="0"><TR><TD FIXEDSIZE="TRUE" WIDTH="{:.0f}" HEIGHT="{:.0f}"></TD></TR></TABLE>>'
)

Layers = list[list[Any]]
"""The boxes of each layer."""


@cache
def lattice() -> Any:
    """Return all subsets of five items, with two steps."""
    from theory.verdicts import LatticeDiagram, LatticeNode, LatticeStep

    items = tuple(f"I{k + 1}" for k in range(ITEMS))
    sets = [some for size in range(ITEMS + 1) for some in combinations(items, size)]
    return LatticeDiagram(
        caption="",
        nodes=tuple(LatticeNode(some, f"action {len(some) % 2}") for some in sets),
        steps=(
            LatticeStep((), items[:2], "play", "+2"),
            LatticeStep(items[:1], items[:3], "play", "+3"),
        ),
        legend=(("play", ""),),
    )


@cache
def tree() -> Any:
    """Return a tree of three moves, each of three ways."""
    from theory.verdicts import DiagramNode, TreeDiagram

    nodes = [DiagramNode(-1, "", "chance")]

    def grow(parent: int, left: int) -> None:
        for move in ("buy nothing", "buy the report", "wait") if left else ():
            nodes.append(
                DiagramNode(parent, move, f"level {left} knows low" if left > 1 else "5/2")
            )
            grow(len(nodes) - 1, left - 1)

    grow(0, 3)
    return TreeDiagram(caption="", nodes=tuple(nodes))


def layers_of(shown: Any, boxes: Mapping[int, Any]) -> Layers:
    depths = [0]
    for node in getattr(shown, "nodes", ())[1:]:
        depths.append(depths[node.parent] + 1)
    found: Layers = [[] for _ in range(max(depths) + 1)]
    for k, depth in enumerate(depths):
        found[depth].append(boxes[k])
    return found


def our_lattice() -> Layers:
    from mechproof.report.lattice_edges import ways
    from mechproof.report.lattice_layout import rows as in_rows

    placed = in_rows(lattice())
    ways(lattice(), placed)
    return [list(row.boxes.values()) for row in placed]


def our_tree() -> Layers:
    from mechproof.report.tree_layout import boxes

    return layers_of(tree(), dict(enumerate(boxes(tree()))))


def laid_out(graph: Any, sizes: Mapping[int, tuple[float, float]]) -> dict[int, Any]:
    """Return the boxes where dot puts them, from top to bottom."""
    from mechproof.report.box import Box

    graph.layout("dot")
    found = {}
    for k, (width, height) in sizes.items():
        x, y = map(float, graph.get_node(k).attr["pos"].split(","))
        found[k] = Box(x - width / 2, -y, width, height)
    return found


def graph_of(sizes: Mapping[int, tuple[float, float]], **said: str) -> Any:
    import pygraphviz

    graph = pygraphviz.AGraph(directed=True, strict=False, **SPACE, **said)
    for k, (width, height) in sizes.items():
        size = {"width": f"{width / INCH:.4f}", "height": f"{height / INCH:.4f}"}
        graph.add_node(k, label="", shape="box", fixedsize="true", **size)
    return graph


def their_lattice() -> Layers:
    from mechproof.report.lattice_layout import rows as in_rows
    from mechproof.report.lattice_layout import tag_size

    shown = lattice()
    boxes = {k: box for row in in_rows(shown) for k, box in row.boxes.items()}
    sizes = {k: (box.width, box.height) for k, box in boxes.items()}
    graph = graph_of(sizes)
    for layer in shown.layers:
        graph.add_subgraph(list(map(str, layer)), rank="same")
    for start, end in shown.covers:
        graph.add_edge(start, end, arrowhead="none")
    for step, (start, end) in zip(shown.steps, shown.ends, strict=True):
        graph.add_edge(start, end, label=BLANK.format(*tag_size(step)))
    placed = laid_out(graph, sizes)
    return [[placed[k] for k in layer] for layer in shown.layers]


def their_tree() -> Layers:
    from mechproof.report.box import LINE, PAD, in_lines, text_width

    shown = tree()
    labels = [in_lines(node.label) for node in shown.nodes]
    sizes = {k: (text_width(label) + 2 * PAD, LINE * len(label)) for k, label in enumerate(labels)}
    graph = graph_of(sizes, rankdir="LR", ordering="out")
    for k, node in enumerate(shown.nodes[1:], 1):
        edge = in_lines(node.edge)
        graph.add_edge(node.parent, k, label=BLANK.format(text_width(edge), LINE * len(edge)))
    return layers_of(shown, laid_out(graph, sizes))


def tidy(ours: Layers, theirs: Layers, down: bool = True) -> str:
    """Ask of both that no box meets another, and that each layer comes after the one before it."""
    if [len(layer) for layer in ours] != [len(layer) for layer in theirs]:
        return "the layers differ"
    for whose, layers in (("ours", ours), ("theirs", theirs)):
        if any(meet(a, b) for a, b in combinations([b for layer in layers for b in layer], 2)):
            return f"boxes of {whose} overlap"
        ends = [
            [(b.top, b.bottom) if down else (b.left, b.right) for b in layer] for layer in layers
        ]
        for before, after in pairwise(ends):
            if max(end for _, end in before) >= min(start for start, _ in after):
                return f"layers of {whose} overlap"
    return ""


def across(ours: Layers, theirs: Layers) -> str:
    return tidy(ours, theirs, down=False)


def meet(a: Any, b: Any) -> bool:
    return bool(a.left < b.right and b.left < a.right and a.top < b.bottom and b.top < a.bottom)


def rows() -> Iterator[Row]:
    for name, work, ours, peer, agree, prepare in (
        ("lattice", "a lattice of 32 sets", our_lattice, their_lattice, tidy, lattice),
        ("tree", "a tree of 40 nodes", our_tree, their_tree, across, tree),
    ):
        yield Row(
            id=f"pictures.{name}",
            issue=9,
            work=f"where the boxes and lines of {work} stand",
            ours=ours,
            peer=peer,
            peer_name="Graphviz's dot through pygraphviz",
            needs=("pygraphviz",),
            agree=agree,
            prepare=prepare,
        )
