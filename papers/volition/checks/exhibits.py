"""Inspection problems worked out for a reader: story, tables, and the tree."""

from __future__ import annotations

from typing import Any

from papers.volition.checks.inspection_families import InspectionInstance, ProtocolInstance
from theory.games import reach_probabilities
from theory.inspection import (
    Gain,
    Inspection,
    Offers,
    Protocol,
    ProtocolOutcome,
    as_behaviour,
    best_admissible,
    evaluate,
    gains_over,
    inspection_game,
    signal,
    successive_inspection,
)
from theory.verdicts import DiagramNode, Exhibit, Table, TreeDiagram

__all__ = [
    "problem_table",
    "show_best",
    "show_problem",
    "show_protocol",
    "show_successive",
]

LARGEST_TREE = 60
"""How many nodes a tree may have that is drawn."""


def problem_table(instance: InspectionInstance) -> Table:
    """Return prior, utilities and what each good shows, by state."""
    problem = instance.problem
    goods = [(n, good) for n, level in enumerate(problem.levels, 1) for good in level]
    heads = [f"{good.name} (level {n}, price {good.price})" for n, good in goods]
    space = problem.decision.space
    utilities = problem.decision.utilities.scalars()
    rows = tuple(
        (
            str(state),
            str(space.probabilities[w].item()),
            *(str(row[w]) for row in utilities),
            *(str(good.variables[0].by_state[w]) for _, good in goods),
        )
        for w, state in enumerate(space.states)
    )
    actions = (f"U({action})" for action in problem.decision.actions)
    return Table(
        caption="The problem",
        columns=("state", "probability", *actions, *heads),
        rows=rows,
    )


def show_problem(instance: InspectionInstance) -> Exhibit:
    """Work a problem out: recursive inspection, with the choice at every node."""
    ours = instance.recursive
    summary = f"{instance}. x_* is worth {ours.value}"
    return Exhibit(summary=summary, tables=(problem_table(instance), ours.table(), ours.policy()))


def show_successive(instance: InspectionInstance) -> Exhibit:
    """Work a problem out: successive inspection, with both kinds of offers."""
    found = [successive_inspection(instance.problem, offers) for offers in Offers]
    worth = " and ".join(f"{course.value} ({course.name})" for course in found)
    tables = (problem_table(instance), *(course.table() for course in found))
    return Exhibit(summary=f"{instance}. Worth {worth}", tables=tables)


def show_protocol(case: ProtocolInstance) -> Exhibit:
    """Work a problem with a protocol out, beside recursive inspection."""
    return _against(case.instance, evaluate(case.protocol))


def show_best(instance: InspectionInstance) -> Exhibit:
    """Work a problem out: recursive inspection beside the best admissible protocol."""
    return _against(instance, best_admissible(instance.problem))


def _against(instance: InspectionInstance, other: Inspection) -> Exhibit:
    ours = instance.recursive
    gains = gains_over(other.protocol, ours)
    return Exhibit(
        summary=f"{instance}. x_* is worth {ours.value}, {other.name} {other.value}",
        story=tuple(_story(ours, other, gains)),
        tables=(problem_table(instance), ours.table(), other.table(), _gains_table(gains)),
        diagrams=_tree(instance, {"x_*": ours.protocol, other.name: other.protocol}),
    )


def _story(ours: Inspection, other: Inspection, gains: tuple[Gain, ...]) -> list[str]:
    paragraphs = [
        f"Recursive inspection, x_*: {_course(ours)}. On average {ours.value}.",
        f"{other.name[0].upper()}{other.name[1:]}: {_course(other)}. On average {other.value}.",
    ]
    if gains:
        difference = " ".join(_sentence(gain) for gain in gains)
        told = signal(other.protocol)
        lesson = (
            f" The purchases are a message: {told}. x_* conditions on the values known there, not "
            "on having come there."
            if told and any(gain.signals and gain.amount > 0 for gain in gains)
            else ""
        )
        paragraphs.append(
            f"Node by node, going on with x_* after each choice: {difference} Together "
            f"{_difference(other, ours)}.{lesson}"
        )
    return paragraphs


def _course(found: ProtocolOutcome) -> str:
    parts = []
    for play in found.plays:
        bought = [name for goods in reversed(play.purchases) for name in goods]
        buys = f"buys {' and '.join(bought)} for {play.spending}" if bought else "buys nothing"
        parts.append(f"in state {play.state} it {buys}, does {play.action} and has {play.payoff}")
    return "; ".join(parts)


def _sentence(gain: Gain) -> str:
    where = str(gain.known) or "knowing nothing"
    amount: Any = gain.amount
    return (
        f"{where[0].upper()}{where[1:]}, {_option(gain.known.level, gain.chosen)} rather than "
        f"{_option(gain.known.level, gain.instead_of)} {'gains' if amount >= 0 else 'loses'} "
        f"{abs(amount)}."
    )


def _difference(other: Inspection, ours: Inspection) -> str:
    difference: Any = other.value - ours.value
    return f"{'+' if difference > 0 else ''}{difference}"


def _option(n: int, option: object) -> str:
    if n == 0 or not isinstance(option, tuple):
        return f"doing {option}"
    return f"buying {' and '.join(option) or 'nothing'}"


def _gains_table(gains: tuple[Gain, ...]) -> Table:
    rows = tuple(
        (
            f"x^{gain.known.level}",
            str(gain.known) or "knowing nothing",
            _option(gain.known.level, gain.chosen),
            _option(gain.known.level, gain.instead_of),
            "yes" if gain.signals else "no",
            str(gain.amount),
        )
        for gain in gains
    )
    return Table(
        caption="Where the choices differ: P(reached) x E[W(choice) - W(choice of x_*) | reached]",
        columns=("choice", "where", "chosen", "x_* would be", "signals", "gain"),
        rows=rows,
    )


def _tree(instance: InspectionInstance, protocols: dict[str, Protocol]) -> tuple[TreeDiagram, ...]:
    """Draw the game, with the edges that each protocol takes; nothing where it is too large."""
    game = inspection_game(instance.problem)
    if len(game.nodes) > LARGEST_TREE:
        return ()
    played = {name: reach_probabilities(game, as_behaviour(p)) for name, p in protocols.items()}
    nodes = []
    for v, node in enumerate(game.nodes):
        above = game.nodes[node.parent]
        edge = above.moves[node.move] if v else ""
        if v and above.is_chance:
            edge = f"state {edge}, {above.probabilities[node.move]}"
        if node.is_end:
            label = str(game.totals[v][0])
        else:
            label = "chance" if node.is_chance else game.infosets[node.infoset].name
        group = label if node.infoset >= 0 else ""
        marks = tuple(
            name for name, reach in played.items() if v and reach[v] and not above.is_chance
        )
        nodes.append(DiagramNode(node.parent, edge, label, group, marks))
    legend = tuple((name, f"worth {p.value}") for name, p in protocols.items())
    caption = "The game: nodes of one group have the same values known and the same purchases"
    return (TreeDiagram(caption=caption, nodes=tuple(nodes), legend=legend),)
