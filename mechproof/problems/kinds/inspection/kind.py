"""The kind ``inspection``: buying information to decide which information to buy."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate, pairwise
from math import prod
from operator import mul
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.reading import DocumentError, child, locate_errors
from mechproof.problems.format.typed import Record
from mechproof.problems.kind import AnswerBase, ProblemBase, ProblemKind
from mechproof.problems.kinds.inspection.nodes import MAX_LISTED, check_nodes, nodes_of
from mechproof.problems.kinds.inspection.policy import PolicyNode, Purchase, in_words
from mechproof.problems.shared.answers import Bound, Rational, bound
from mechproof.problems.shared.counting import (
    MAX_BOUGHT,
    MAX_CELLS,
    MAX_LONG_VALUES,
    MAX_NODES,
    MAX_OPTIONS,
    MAX_WRITTEN,
    check_count,
    weigh_steps,
)
from mechproof.problems.shared.goods import (
    Good,
    States,
    Utilities,
    Variables,
    decision_of,
    goods_of,
    look_up_name,
    space_of,
    variables_of,
)
from mechproof.problems.shared.optimum import Certificate, certificate_of
from theory.inspection import (
    BestAdmissible,
    Inspection,
    InspectionProblem,
    Offers,
    Play,
    SuccessiveInspection,
    Ties,
    best_admissible,
    recursive_inspection,
    successive_inspection,
)

__all__ = ["KIND", "Answer", "Problem", "solve"]

_PROTOCOLS = {name: name for name in ("successive", "recursive", "optimal")}
_OFFERS = {"subsets": Offers.SUBSETS, "single goods": Offers.SINGLE_GOODS}
_TIES = {"fewest": Ties.FEWEST_GOODS, "most": Ties.MOST_GOODS}
_NODES = {"all": False, "reached": True}
_APPLIES = {"offers": ("successive",), "ties": ("successive", "recursive")}
"""The protocols that a field is for."""


class Problem(ProblemBase, frozen=True, kw_only=True):
    """States, actions, levels of goods on offer, and the protocol by which they are bought."""

    kind: Annotated[Literal["inspection"], Meta(description="The kind of problem.")]
    protocol: Annotated[
        str,
        Meta(
            description="successive: volition, eqs. 3 to 5; recursive: eqs. 6 to 8; optimal: the "
            "best admissible protocol (Definition 3.2).",
            extra_json_schema={"enum": list(_PROTOCOLS)},
        ),
    ]
    states: States
    variables: Variables = msgspec.field(default_factory=dict)
    utilities: Annotated[Utilities, Meta(description="Action, then state: the utility.")]
    levels: Annotated[
        tuple[Annotated[tuple[Good, ...], Meta(min_length=1)], ...],
        Meta(
            description="The goods on offer, level by level: those of level 1 help to choose the "
            "action, those of level 2 to choose which goods of level 1 to buy, and so on.",
            min_length=1,
        ),
    ]
    offers: Annotated[
        str | UnsetType,
        Meta(
            description="What may be bought on a level: any set of goods, as when left out, or one "
            "good or none. Successive only.",
            extra_json_schema={"enum": list(_OFFERS)},
        ),
    ] = UNSET
    ties: Annotated[
        str | UnsetType,
        Meta(
            description="Which of several best sets of goods is bought: the one with the fewest "
            "goods, as when left out, or with the most. Not for optimal.",
            extra_json_schema={"enum": list(_TIES)},
        ),
    ] = UNSET
    nodes: Annotated[
        str,
        Meta(
            description="The nodes to list in the policy.",
            extra_json_schema={"enum": list(_NODES)},
        ),
    ] = "all"


class StateOutcome(Record, frozen=True, kw_only=True):
    """What happens in one state."""

    purchases: Annotated[
        tuple[Purchase, ...], Meta(description="What is bought, in the order of buying.")
    ]
    action: Annotated[str, Meta(description="What is done.")]
    spending: Annotated[Rational, Meta(description="The sum of all prices paid.")]
    payoff: Annotated[Rational, Meta(description="Utility of the action less the spending.")]


class Answer(AnswerBase, frozen=True, kw_only=True):
    """What the protocol comes to, and its policy."""

    kind: Annotated[Literal["inspection"], Meta(description="The kind of problem.")]
    version: Annotated[Literal[1], Meta(description="Version of the form of this answer.")]
    protocol: Annotated[str, Meta(description="The protocol.")]
    offers: Annotated[
        str | UnsetType, Meta(description="What may be bought on a level; successive only.")
    ] = UNSET
    ties: Annotated[
        str | UnsetType,
        Meta(
            description="Which of several best sets of goods is bought; not for optimal. Of "
            "several best actions it is the first."
        ),
    ] = UNSET
    value: Annotated[Rational, Meta(description="Expected payoff, all prices paid.")]
    spending: Annotated[Rational, Meta(description="Expected sum of all prices paid.")]
    impossible: Annotated[tuple[str, ...], Meta(description="States of probability zero.")]
    outcomes: Annotated[
        dict[str, StateOutcome], Meta(description="Possible state: what happens in it.")
    ]
    words: Annotated[
        tuple[str, ...],
        Meta(description="The policy in words: a sentence for every node that is reached."),
    ]
    policy: Annotated[
        tuple[PolicyNode, ...],
        Meta(description="The policy: its nodes in the order in which choices are made."),
    ]
    gap: Annotated[
        Bound,
        Meta(
            description="Bound on what separate code finds wrong with the numbers and with the "
            "choices; 0 is nothing."
        ),
    ]
    certificate: Annotated[
        Certificate | UnsetType,
        Meta(description="What proves that no admissible protocol is worth more; optimal only."),
    ] = UNSET


def solve(problem: Problem) -> Answer:
    """Solve a problem by the protocol that it asks for.

    Raises
    ------
    DocumentError
        With the path of what cannot be used.
    """
    protocol = look_up_name(problem.protocol, "protocol", _PROTOCOLS, "$.protocol")
    offers, ties = _read_setting(problem, "offers", _OFFERS), _read_setting(problem, "ties", _TIES)
    only_reached = look_up_name(problem.nodes, "nodes", _NODES, "$.nodes")
    _check_counts(problem, protocol, _OFFERS[offers])
    question = _question(problem)
    if not only_reached:
        with locate_errors("$.nodes"):
            check_nodes(question, _OFFERS[offers] if protocol == "successive" else None)
    with locate_errors("$.levels"):
        found = _inspect_question(question, protocol, _OFFERS[offers], _TIES[ties])
    nodes = tuple(nodes_of(found, reached=only_reached))
    return Answer(
        kind="inspection",
        version=1,
        protocol=protocol,
        offers=offers if protocol in _APPLIES["offers"] else UNSET,
        ties=ties if protocol in _APPLIES["ties"] else UNSET,
        value=str(found.value),
        spending=str(found.spending),
        impossible=tuple(state for state, p in problem.states.items() if not p),
        outcomes={str(play.state): _outcome(play) for play in found.plays},
        words=in_words(nodes),
        policy=nodes,
        gap=bound(found.gap),
        certificate=certificate_of(found.optimum) if isinstance(found, BestAdmissible) else UNSET,
    )


def _read_setting(problem: Problem, field: str, known: Mapping[str, object]) -> str:
    """Return what a field says, or the first of what it may say."""
    given: str | UnsetType = getattr(problem, field)
    if isinstance(given, UnsetType):
        return next(iter(known))
    if problem.protocol not in _APPLIES[field]:
        wrong = f"does not apply to the protocol {problem.protocol!r}: leave it out"
        raise DocumentError(wrong, path=f"$.{field}")
    look_up_name(given, field, known, f"$.{field}")
    return given


def _check_counts(problem: Problem, protocol: str, offers: Offers) -> None:
    """Count what may be bought before any of it is listed."""
    pairs = len(problem.levels) ** 2
    check_count("$.levels", "pairs of levels", pairs, MAX_CELLS, "give fewer levels")
    fix = "offer fewer goods on a level"
    choices = [len(level) if offers is Offers.SUBSETS else 0 for level in problem.levels]
    for n, size in enumerate(choices):
        check_count(child("$.levels", n), "sets of goods", 1 << size, MAX_OPTIONS, fix)
    options = [
        1 << size if offers is Offers.SUBSETS else 1 + len(level)
        for size, level in zip(choices, problem.levels, strict=True)
    ]
    states, actions = len(problem.states), len(problem.utilities)
    if protocol == "successive":
        cells = states * sum(a * b for a, b in pairwise([actions, *options]))
    else:
        cells = states * actions * prod(options)
    what = "combinations of purchases, states and actions"
    fix = "offer fewer goods, or merge states"
    check_count("$.levels", what, cells, MAX_CELLS, fix)
    revealed = [[len(good.reveals) for good in level] for level in problem.levels]
    known = [
        sum(each) // 2 if offers is Offers.SUBSETS else max(each, default=0) for each in revealed
    ]
    before = [1, *options] if protocol == "successive" else [prod(options)] * len(options)
    after = options if protocol == "successive" else [1] * len(options)
    bought = states * sum(a * b * c for a, b, c in zip(before, after, known, strict=False))
    what_is_shown = "variables that purchases reveal by state"
    fixed = f"{fix}, or reveal fewer variables"
    check_count("$.levels", what_is_shown, bought, MAX_BOUGHT, fixed)
    utilities = (value for row in problem.utilities.values() for value in row.values())
    work = weigh_steps(cells, (problem.states.values(), utilities), MAX_LONG_VALUES)
    what = f"{what}, by the length of numbers"
    check_count("$.levels", what, work, MAX_LONG_VALUES, f"{fix}, or round numbers")
    nodes = min(cells, MAX_LISTED)
    if _NODES.get(problem.nodes):
        nodes = min(nodes, states * (1 + len(problem.levels)))
    names = nodes * sum(len(good.name) for level in problem.levels for good in level)
    fix = "shorten names, or offer fewer goods"
    check_count("$.levels", "characters of goods by node", names, MAX_WRITTEN, fix)
    if protocol == "optimal":
        rows = list(accumulate(reversed(options), mul, initial=1))
        nodes = states * (sum(rows) + rows[-1] * actions)
        fix = "offer fewer goods, or merge states"
        check_count("$.levels", "nodes of the game", nodes, MAX_NODES, fix)


def _question(problem: Problem) -> InspectionProblem:
    space = space_of(problem.states)
    variables = variables_of(problem.variables, space)
    offered = (
        (child(child("$.levels", n), k), good)
        for n, level in enumerate(problem.levels)
        for k, good in enumerate(level)
    )
    goods = goods_of(offered, variables)
    levels = [[goods[good.name] for good in level] for level in problem.levels]
    return InspectionProblem.of(decision_of(problem.utilities, space), levels)


def _inspect_question(
    question: InspectionProblem, protocol: str, offers: Offers, ties: Ties
) -> Inspection | SuccessiveInspection:
    if protocol == "successive":
        return successive_inspection(question, offers, ties)
    if protocol == "recursive":
        return recursive_inspection(question, ties)
    return best_admissible(question)


def _outcome(play: Play) -> StateOutcome:
    levels = range(len(play.purchases), 0, -1)
    return StateOutcome(
        purchases=tuple(Purchase(level=n, goods=play.purchases[n - 1]) for n in levels),
        action=str(play.action),
        spending=str(play.spending),
        payoff=str(play.payoff),
    )


EXAMPLE = """\
# A report says whether it will rain, and a record says whether its reporter can be relied on. Will
# you take the umbrella? Level 1 offers the report, which helps to decide that. Level 2 offers the
# record, which helps to decide whether to buy the report.
#
#   mechproof example inspection | mechproof solve -

kind = "inspection"

# By which protocol goods are bought. Here they are worth, all prices paid:
#   "successive"  -3/8   each choice is valued by itself (volition, eqs. 3 to 5)
#   "recursive"   -3/32  each choice looks ahead to all that follow it (eqs. 6 to 8)
#   "optimal"     -1/32  the best protocol that is admissible (Definition 3.2): what was bought may
#                        also be read as a message from a choice that knew more
protocol = "recursive"

# Of several best sets of goods buy the one with the "fewest" goods or with the "most".
# ties = "fewest"

# With protocol = "successive": any set of goods of a level, or at most one of them.
# offers = "subsets"   # or "single goods"

# List the choice at every node, or only at those that are reached.
# nodes = "all"        # or "reached"

# The levels of goods on offer, level 1 first. A good has a name that no other bears, the variables
# that it reveals, and a price.
levels = [
  [{ name = "report", reveals = ["report"], price = "1/8" }],
  [{ name = "record", reveals = ["reporter"], price = "1/8" }],
]

# Probabilities, written as integers, decimals or fractions; they sum to one exactly.
[states]
rain  = "1/4"
false_alarm = "1/4"
dry   = "1/2"

# Each variable has a value in every state: text, an integer, true or false.
[variables]
report   = { rain = "wet", false_alarm = "wet", dry = "fine" }
reporter = { rain = "reliable", false_alarm = "unreliable", dry = "reliable" }

# Utility of each action in each state. Of several best actions the first is taken.
[utilities]
umbrella = { rain = 0, false_alarm = -1, dry = -1 }
none     = { rain = -4, false_alarm = 0, dry = 0 }
"""

KIND = ProblemKind(
    name="inspection",
    problem=Problem,
    answer=Answer,
    solve=solve,
    example=EXAMPLE,
    constraint={
        "allOf": [
            {
                "if": {"required": [field]},
                "then": {"properties": {"protocol": {"enum": list(protocols)}}},
            }
            for field, protocols in _APPLIES.items()
        ]
    },
)
