"""How large an extensive game is and what its players may have forgotten, as answers say it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from mechproof.problems.format.typed import Record
from theory import games
from theory.games import Game, RecallKind

__all__ = ["GameSize", "Recall", "game_size_of", "recall_of"]

_RECALL = [str(kind) for kind in RecallKind]


class GameSize(Record, frozen=True, kw_only=True):
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


def game_size_of(game: Game) -> GameSize:
    """Return how large a game is."""
    return GameSize(
        nodes=len(game.nodes),
        ends=len(game.ends),
        depth=game.depth,
        information_sets={name: len(game.infosets_of(i)) for i, name in enumerate(game.players)},
    )


def recall_of(game: Game) -> dict[str, Recall]:
    """Return by player what may have been forgotten."""
    return {found.player: _recall(game, found) for found in games.recall(game)}


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
