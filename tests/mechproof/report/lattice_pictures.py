"""Lattices to draw: a game on three items, some sets only, and families drawn at random."""

from __future__ import annotations

from itertools import combinations, permutations

from hypothesis import strategies as st

from theory.verdicts import LatticeDiagram, LatticeNode, LatticeStep

__all__ = ["EVIDENCE", "GAME", "MARKS", "Nodes", "Steps", "families", "full", "grown"]

Items = tuple[str, ...]


def subsets(items: Items) -> list[Items]:
    return [chosen for size in range(len(items) + 1) for chosen in combinations(items, size)]


def full(n: int, *steps: LatticeStep) -> LatticeDiagram:
    """Return all subsets of n items; those of an even number of items are stable."""
    items = tuple(f"I{k + 1}" for k in range(n))
    nodes = tuple(
        LatticeNode(chosen, f"action {len(chosen) % 2}", () if len(chosen) % 2 else ("stable",))
        for chosen in subsets(items)
    )
    legend = (("stable", "nobody gains by revealing more"), ("play", ""), ("greedy", "<first>"))
    return LatticeDiagram(caption="Who <reveals> what", nodes=nodes, steps=steps, legend=legend)


TWO, THREE = ("I1", "I2"), ("I1", "I2", "I3")
GAME = full(
    3,
    LatticeStep((), TWO, "play", "+2"),
    LatticeStep((), ("I1",), "greedy", "+3 & more"),
    LatticeStep(("I1",), THREE, "greedy"),
)
EVIDENCE = LatticeDiagram(
    caption="Some sets only",
    nodes=(
        LatticeNode((), "wait", ("checked",)),
        LatticeNode(("alibi",), "acquit"),
        LatticeNode(("motive", "weapon"), "convict"),
        LatticeNode(("weapon", "witness"), ""),
        LatticeNode(("alibi", "motive", "weapon"), "acquit", ("checked", "stable")),
    ),
    steps=(LatticeStep((), ("weapon", "motive", "alibi"), "play", "+1"),),
    legend=(("stable", ""), ("checked", "twice"), ("play", "")),
)
MARKS: Items = ("one", "two", "three")


Nodes = list[tuple[Items, str, Items]]
Steps = list[tuple[Items, Items, str, str]]


@st.composite
def families(draw: st.DrawFn) -> tuple[Nodes, Steps]:
    """Draw some subsets of three to five items in any order, with any steps between them."""
    items = ("a", "b", "a long item", "mW", "e")[: draw(st.integers(3, 5))]
    sets = draw(st.permutations(subsets(items)))[: draw(st.integers(1, 20))]
    labels = st.lists(st.text("xyz<&-01", min_size=1, max_size=11), max_size=5).map(" ".join)
    marks = st.lists(st.sampled_from(MARKS), unique=True).map(tuple)
    pairs = [
        (start, end, mark)
        for start, end in permutations(sets, 2)
        if set(start) < set(end)
        for mark in MARKS
    ]
    chosen = st.lists(st.sampled_from(pairs), max_size=6, unique=True) if pairs else st.just([])
    return (
        [(one, draw(labels), draw(marks)) for one in sets],
        [(*pair, draw(labels)) for pair in draw(chosen)],
    )


def grown(family: tuple[Nodes, Steps]) -> LatticeDiagram:
    nodes, steps = family
    return LatticeDiagram(
        caption="any",
        nodes=tuple(LatticeNode(*node) for node in nodes),
        steps=tuple(LatticeStep(*step) for step in steps),
        legend=tuple((mark, "its meaning") for mark in MARKS),
    )
