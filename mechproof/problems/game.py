"""The kind ``game``: recall, equilibria and the optimum of a finite extensive game."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.equilibria import (
    Optimum,
    PureEquilibria,
    SubgamePerfect,
    optimum_of,
    pure_equilibria_of,
    subgame_perfect_of,
)
from mechproof.problems.kinds import AnswerBase, ProblemBase, ProblemKind
from mechproof.problems.reading import DocumentError, at
from mechproof.problems.trees import Start, game_of
from mechproof.problems.typed import Record
from theory import games
from theory.games import Game, RecallKind

__all__ = ["KIND", "Answer", "Problem", "solve"]

_RECALL = [str(kind) for kind in RecallKind]


class Problem(ProblemBase, frozen=True, kw_only=True):
    """A finite extensive game: as text in the format .efg, or as a tree."""

    kind: Annotated[Literal["game"], Meta(description="The kind of problem.")]
    efg: Annotated[
        str | UnsetType, Meta(description="The game in Gambit's extensive format, version 2.")
    ] = UNSET
    players: Annotated[
        Annotated[tuple[str, ...], Meta(min_length=1)] | UnsetType,
        Meta(description="Names of the players of a tree, in the order of the payoffs."),
    ] = UNSET
    tree: Annotated[
        Start | UnsetType, Meta(description="The first node, and under it all others.")
    ] = UNSET


class Size(Record, frozen=True, kw_only=True):
    """How large the game is."""

    nodes: Annotated[int, Meta(description="All nodes, ends included.")]
    ends: Annotated[int, Meta(description="Nodes at which the play ends.")]
    depth: Annotated[int, Meta(description="The greatest number of moves in a play.")]
    information_sets: Annotated[
        dict[str, int], Meta(description="Player: how many information sets it has.")
    ]


class Witness(Record, frozen=True, kw_only=True):
    """Two nodes of one information set at which the player has lived through different things."""

    kind: Annotated[
        str,
        Meta(description="What is forgotten.", extra_json_schema={"enum": _RECALL[1:]}),
    ]
    infoset: Annotated[str, Meta(description="The information set.")]
    histories: Annotated[
        tuple[tuple[str, ...], ...],
        Meta(description="The moves that lead to either."),
    ]
    sentence: Annotated[str, Meta(description="The same in words.")]


class Recall(Record, frozen=True, kw_only=True):
    """What a player may have forgotten."""

    kinds: Annotated[
        tuple[Annotated[str, Meta(extra_json_schema={"enum": _RECALL})], ...],
        Meta(description="The kinds of imperfect recall that hold; perfect stands alone."),
    ]
    witnesses: Annotated[tuple[Witness, ...], Meta(description="One for each that is imperfect.")]


class Answer(AnswerBase, frozen=True, kw_only=True):
    """What is known of a game."""

    kind: Annotated[Literal["game"], Meta(description="The kind of problem.")]
    version: Annotated[Literal[1], Meta(description="Version of the form of this answer.")]
    players: Annotated[tuple[str, ...], Meta(description="The players.")]
    size: Annotated[Size, Meta(description="How large the game is.")]
    recall: Annotated[dict[str, Recall], Meta(description="Player: what it may have forgotten.")]
    subgame_perfect: Annotated[
        SubgamePerfect, Meta(description="One subgame-perfect equilibrium in pure strategies.")
    ]
    pure_equilibria: Annotated[
        PureEquilibria, Meta(description="All Nash equilibria in pure strategies.")
    ]
    optimum: Annotated[
        Optimum | UnsetType,
        Meta(description="The best strategy before the play, with one player only."),
    ] = UNSET


def solve(problem: Problem) -> Answer:
    """Classify the recall of the players, and look for equilibria and for the optimum.

    Raises
    ------
    DocumentError
        With the path of what cannot be used.
    """
    game = _game(problem)
    return Answer(
        kind="game",
        version=1,
        players=game.players,
        size=_size(game),
        recall={found.player: _recall(game, found) for found in games.recall(game)},
        subgame_perfect=subgame_perfect_of(game),
        pure_equilibria=pure_equilibria_of(game),
        optimum=optimum_of(game) if len(game.players) == 1 else UNSET,
    )


def _game(problem: Problem) -> Game:
    if isinstance(problem.efg, str):
        if (problem.players, problem.tree) != (UNSET, UNSET):
            raise DocumentError("has both efg and a tree or its players: keep one", path="$")
        with at("$.efg"):
            return games.from_efg(problem.efg)
    if isinstance(problem.players, UnsetType) or isinstance(problem.tree, UnsetType):
        raise DocumentError("has neither efg, nor players and a tree: add one", path="$")
    return game_of(problem.players, problem.tree)


def _size(game: Game) -> Size:
    return Size(
        nodes=len(game.nodes),
        ends=len(game.ends),
        depth=game.depth,
        information_sets={name: len(game.infosets_of(i)) for i, name in enumerate(game.players)},
    )


def _recall(game: Game, found: games.Recall) -> Recall:
    witnesses = tuple(
        Witness(
            kind=str(each.kind),
            infoset=game.infosets[each.infoset].name,
            histories=tuple(_history(game, node) for node in each.nodes),
            sentence=each.sentence,
        )
        for each in found.witnesses
    )
    return Recall(kinds=tuple(map(str, found.kinds)), witnesses=witnesses)


def _history(game: Game, node: int) -> tuple[str, ...]:
    return tuple(game.nodes[v].moves[m] for v, m in game.path(node))


EXAMPLE = """\
# A firm thinks about entering a market. If it does, the firm that is there may fight or share.
#
#   mechproof example game | mechproof solve -

kind = "game"

# A tree, or a game in Gambit's format: efg = 'EFG 2 R "Entry" { "entrant" "incumbent" } …'.
# A file of that format needs no more: mechproof solve entry.efg

# The players, in the order of the payoffs.
players = ["entrant", "incumbent"]

# A node at which a player moves says who, names the information set, and has a table of moves, each
# with the node that follows. Nodes that the player cannot tell apart share the name of their set.
[tree]
player = "entrant"
infoset = "start"

# An end has payoffs: integers, decimals or fractions, one a player.
[tree.moves.out]
payoffs = [0, 2]

# A node at which chance moves has a table of moves, too; each node that follows, a probability.
[tree.moves.in.chance.boom]
probability = "1/3"
player = "incumbent"
infoset = "entry"
moves = { fight = { payoffs = [-1, 0] }, share = { payoffs = [3, 3] } }

[tree.moves.in.chance.bust]
probability = "2/3"
player = "incumbent"
infoset = "entry"
moves = { fight = { payoffs = [-1, 0] }, share = { payoffs = [-1, "1/2"] } }
"""

KIND = ProblemKind(
    name="game",
    problem=Problem,
    answer=Answer,
    solve=solve,
    example=EXAMPLE,
    constraint={
        "oneOf": [
            {
                "required": ["efg"],
                "not": {"anyOf": [{"required": ["players"]}, {"required": ["tree"]}]},
            },
            {"required": ["players", "tree"], "not": {"required": ["efg"]}},
        ]
    },
)
