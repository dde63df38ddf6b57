"""The kind ``marginal-value``: who reveals what, each paid what it adds with hindsight."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.reading import DocumentError, locate_errors
from mechproof.problems.kind import AnswerBase, ProblemBase, ProblemKind
from mechproof.problems.kinds.marginal_value.judges import (
    Judgement,
    Prices,
    game_of_prior,
    game_of_table,
)
from mechproof.problems.kinds.marginal_value.outcome import (
    PlayStep,
    RevealedSet,
    Shortfall,
    Theorem,
    check_sets,
    in_words,
    sets_of,
    shortfall_of,
    steps_of,
    theorem_of,
)
from mechproof.problems.shared.answers import Bound, Rational, bound
from mechproof.problems.shared.goods import Good, States, Utilities, Variables, look_up_name
from theory.marginal_value import MarginalValueGame, Moves, Ties, equilibrium, shortfall

__all__ = ["KIND", "Answer", "Problem", "solve"]

_TIES = {"fewest": Ties.FEWEST_ITEMS, "most": Ties.MOST_ITEMS}
_SETS = {"all": False, "reached": True}
_FORMS = (("items", "actions", "judge"), ("states", "variables", "utilities", "goods", "state"))
"""The fields that belong to the judge's expectations alone, and those to its prior alone."""

T = TypeVar("T")


class Problem(ProblemBase, frozen=True, kw_only=True):
    """What the judge expects of each set of items, itself or by a prior; prices and moves."""

    kind: Annotated[Literal["marginal-value"], Meta(description="The kind of problem.")]
    items: Annotated[
        Annotated[tuple[str, ...], Meta(min_length=1)] | UnsetType,
        Meta(description="Names of the items that can be revealed. With actions and a judge."),
    ] = UNSET
    actions: Annotated[
        Annotated[tuple[str, ...], Meta(min_length=1)] | UnsetType,
        Meta(description="What the judge can do. Of several best actions it takes the first."),
    ] = UNSET
    judge: Annotated[
        tuple[Judgement, ...] | UnsetType,
        Meta(description="What the judge expects, for each set that can be revealed."),
    ] = UNSET
    states: States | UnsetType = UNSET
    variables: Variables | UnsetType = UNSET
    utilities: Annotated[
        Utilities | UnsetType, Meta(description="With states: action, then state: the utility.")
    ] = UNSET
    goods: Annotated[
        Annotated[tuple[Good, ...], Meta(min_length=1)] | UnsetType,
        Meta(description="With states: the items, each a good that reveals some variables."),
    ] = UNSET
    state: Annotated[
        str | UnsetType,
        Meta(description="With states: the true one. The players know it, the judge does not."),
    ] = UNSET
    prices: Annotated[
        Prices | UnsetType,
        Meta(
            description="Price of each item, and prices add; or a list with the price of every set "
            "that can be newly revealed. When left out items are free, and goods have their own "
            "prices."
        ),
    ] = UNSET
    moves: Annotated[
        Annotated[str, Meta(extra_json_schema={"enum": list(Moves)})] | tuple[tuple[str, ...], ...],
        Meta(
            description="What a move may reveal: any set of items, as when left out, one item at a "
            "time, or one of the sets listed, the empty one included."
        ),
    ] = str(Moves.SUBSETS)
    ties: Annotated[
        str,
        Meta(
            description="Which of several best moves is made: the one with the fewest items, so "
            "none if that is best, as when left out; or the one with the most. Of as many items "
            "those that come first.",
            extra_json_schema={"enum": list(_TIES)},
        ),
    ] = "fewest"
    sets: Annotated[
        str,
        Meta(description="The revealed sets to list.", extra_json_schema={"enum": list(_SETS)}),
    ] = "all"


class Answer(AnswerBase, frozen=True, kw_only=True):
    """The subgame-perfect equilibrium, and what becomes of the paper's theorem and of its gap."""

    kind: Annotated[Literal["marginal-value"], Meta(description="The kind of problem.")]
    version: Annotated[Literal[1], Meta(description="Version of the form of this answer.")]
    ties: Annotated[str, Meta(description="Which of several best moves is made.")]
    default: Annotated[str, Meta(description="What the judge does when nothing is revealed.")]
    path: Annotated[
        tuple[PlayStep, ...], Meta(description="The moves before the null move that ends the game.")
    ]
    revealed: Annotated[tuple[str, ...], Meta(description="All that is revealed in the end.")]
    ex_post: Annotated[
        Rational,
        Meta(
            description="Ex-post value of the first move: what it would earn if nothing followed. "
            "0 for the null move."
        ),
    ]
    words: Annotated[tuple[str, ...], Meta(description="The play in words.")]
    theorem_4_4: Annotated[
        Theorem, Meta(description="What volition, Theorem 4.4, needs and says, computed here.")
    ]
    shortfall: Annotated[
        Shortfall,
        Meta(description="How far the equilibrium is from the best set to reveal."),
    ]
    sets: Annotated[
        tuple[RevealedSet, ...],
        Meta(description="What happens at each revealed set, fewest items first."),
    ]
    gap: Annotated[
        Bound,
        Meta(
            description="Bound on what separate code finds a player to gain by one other move, or "
            "the judge by another action; 0 is nothing."
        ),
    ]


def solve(problem: Problem) -> Answer:
    """Solve the game of a problem by backward induction.

    Raises
    ------
    DocumentError
        With the path of what cannot be used.
    """
    ties = look_up_name(problem.ties, "ties", _TIES, "$.ties")
    only_reached = look_up_name(problem.sets, "sets", _SETS, "$.sets")
    game = _game(problem)
    if not only_reached:
        with locate_errors("$.sets"):
            check_sets(game)
    found = equilibrium(game, ties)
    sets = sets_of(found, reached=only_reached)
    short = shortfall(found)
    play = found.path
    return Answer(
        kind="marginal-value",
        version=1,
        ties=problem.ties,
        default=str(play.actions[0]),
        path=steps_of(play),
        revealed=play.revealed,
        ex_post=str(found.game.ex_post(play.moves[0] if play.moves else ())),
        words=in_words(play, short),
        theorem_4_4=theorem_of(found),
        shortfall=shortfall_of(short),
        sets=sets,
        gap=bound(found.gap),
    )


def _game(problem: Problem) -> MarginalValueGame:
    table, prior = (
        [field for field in form if getattr(problem, field) is not UNSET] for form in _FORMS
    )
    if table and prior:
        wrong = f"has both {table[0]} and {prior[0]}: give a judge of items, or states with goods"
        raise DocumentError(wrong, path="$")
    if not table and not prior:
        raise DocumentError("has neither a judge of items, nor states with goods", path="$")
    if table:
        return game_of_table(
            items=_require_field(problem.items, "items"),
            actions=_require_field(problem.actions, "actions"),
            judge=_require_field(problem.judge, "judge"),
            prices=problem.prices,
            moves=problem.moves,
        )
    return game_of_prior(
        states=_require_field(problem.states, "states"),
        variables={} if isinstance(problem.variables, UnsetType) else problem.variables,
        utilities=_require_field(problem.utilities, "utilities"),
        goods=_require_field(problem.goods, "goods"),
        state=_require_field(problem.state, "state"),
        prices=problem.prices,
        moves=problem.moves,
    )


def _require_field(value: T | UnsetType, field: str) -> T:
    if isinstance(value, UnsetType):
        raise DocumentError(f"object missing required field `{field}`", path="$")
    return value


EXAMPLE = """\
# A boat is for sale, and so far you would leave it. The service book says that its engine has been
# overhauled. A neighbour saw smoke. A survey would say that the smoke came from the stove. Whoever
# speaks is paid for what the words did to your choice, judged in the end by all that was said, less
# the price of saying it.
#
# It would be best to show you the book, so that you buy. But then the smoke would be mentioned, and
# the survey, which would answer it, costs too much. So nothing is said (volition, Example 6.1).
#
#   mechproof example marginal-value | mechproof solve -

kind = "marginal-value"

# What can be revealed, and what you, the judge, can do. Of several best actions you take the first.
items = ["book", "smoke", "survey"]
actions = ["buy", "leave"]

# What you would expect of each action if this were revealed and nothing else.
judge = [
  { revealed = [],                          utilities = { buy = -1, leave = 0 } },
  { revealed = ["book"],                    utilities = { buy = 4, leave = 0 } },
  { revealed = ["smoke"],                   utilities = { buy = -6, leave = 0 } },
  { revealed = ["survey"],                  utilities = { buy = -1, leave = 0 } },
  { revealed = ["book", "smoke"],           utilities = { buy = -2, leave = 0 } },
  { revealed = ["book", "survey"],          utilities = { buy = 4, leave = 0 } },
  { revealed = ["smoke", "survey"],         utilities = { buy = -1, leave = 0 } },
  { revealed = ["book", "smoke", "survey"], utilities = { buy = 4, leave = 0 } },
]

# Instead of items, actions and judge there may be a prior: [states], [variables] and [utilities],
# as in the kind information, goods for the items, and which state is the true one.
# goods = [{ name = "book", reveals = ["engine"], price = 1 }]
# state = "sound"

# A survey at this price leads to this being revealed, worth so much less than the best:
#   5   []         3   nothing is revealed
#   3   ["book"]   0   the survey is not needed: the threat of it keeps the smoke unsaid
# Prices add, and "inf" is one. Those that do not add are listed for all sets newly revealed:
# prices = [{ revealed = ["book"], price = 1 }, { revealed = ["book", "survey"], price = 5 }]
prices = { book = 1, smoke = "1/2", survey = 5 }

# What a move may reveal: any set of items, one item, or one set of a list that has [] in it.
# moves = "any set of items"   # or "one item at a time", or [[], ["book"], ["smoke", "survey"]]

# Of several best moves make the one with the "fewest" items, none if that is best, or the "most".
# ties = "fewest"

# List what happens at all sets that can be revealed, or only at those of the play.
# sets = "all"                 # or "reached"
"""

KIND = ProblemKind(
    name="marginal-value",
    problem=Problem,
    answer=Answer,
    solve=solve,
    example=EXAMPLE,
    constraint={
        "oneOf": [
            {
                "required": [field for field in form if field != "variables"],
                "not": {"anyOf": [{"required": [field]} for field in other]},
            }
            for form, other in zip(_FORMS, reversed(_FORMS), strict=True)
        ]
    },
)
