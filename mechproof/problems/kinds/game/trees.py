"""Game trees in data: tables in tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Final

from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.reading import DocumentError, child, locate_errors
from mechproof.problems.format.schema import having
from mechproof.problems.format.typed import Record
from mechproof.problems.shared.goods import look_up_name
from theory.games import Game, Tree, chance, choice, end

__all__ = ["Start", "game_of"]


_CHOICE: Final = ("player", "infoset", "moves")
_LIKELY: Final = {"required": ["probability"]}
_NODE: Final = Meta(
    extra_json_schema={
        "oneOf": [
            having(*_CHOICE, without=["chance"]),
            having("chance", without=_CHOICE),
            having("payoffs", without=[*_CHOICE, "chance"]),
        ]
    }
)
_AFTER_CHANCE: Final = Meta(extra_json_schema=_LIKELY)
_NOT_AFTER_CHANCE: Final = Meta(extra_json_schema={"not": _LIKELY})


class TreeNode(Record, frozen=True, kw_only=True):
    """A node of the tree: a player moves, or chance does, or the play ends."""

    player: Annotated[str | UnsetType, Meta(description="Who moves, if a player does.")] = UNSET
    infoset: Annotated[
        str | UnsetType,
        Meta(
            description="Name of the player's information set. Its nodes look the same to the "
            "player and have the same moves."
        ),
    ] = UNSET
    moves: Annotated[
        dict[str, Annotated[TreeNode, _NODE, _NOT_AFTER_CHANCE]] | UnsetType,
        Meta(description="Move of the player: the node that it leads to."),
    ] = UNSET
    chance: Annotated[
        dict[str, Annotated[TreeNode, _NODE, _AFTER_CHANCE]] | UnsetType,
        Meta(description="Move of chance: the node that it leads to, with its probability."),
    ] = UNSET
    probability: Annotated[
        Fraction | UnsetType,
        Meta(description="Probability of the move of chance that leads here."),
    ] = UNSET
    payoffs: Annotated[
        tuple[Fraction, ...] | UnsetType,
        Meta(
            description="What is paid here, one number a player; may be left out where the play "
            "goes on. Payoffs on a path are added."
        ),
    ] = UNSET


Start = Annotated[TreeNode, _NODE, _NOT_AFTER_CHANCE]


def game_of(players: Sequence[str], tree: TreeNode) -> Game:
    """Return the game of the fields ``players`` and ``tree``."""
    if len(set(players)) < len(players):
        raise DocumentError("names a player twice", path="$.players")
    with locate_errors("$.tree"):
        try:
            return Game.of(players, _tree(tree, dict.fromkeys(players), "$.tree"))
        except RecursionError as error:
            raise DocumentError("is nested too deeply", path="$.tree") from error


def _tree(node: TreeNode, players: Mapping[str, None], path: str, *, likely: bool = False) -> Tree:
    """Return the tree below a node; ``likely`` says whether chance leads to it."""
    if likely is isinstance(node.probability, UnsetType):
        wrong = "has no probability" if likely else "has a probability, though no chance leads here"
        raise DocumentError(wrong, path=path)
    payoffs = () if isinstance(node.payoffs, UnsetType) else node.payoffs
    if node.payoffs is not UNSET and len(payoffs) != len(players):
        wrong = f"has {len(payoffs)} payoffs for {len(players)} players"
        raise DocumentError(wrong, path=child(path, "payoffs"))
    chooses = (node.player, node.infoset, node.moves) != (UNSET, UNSET, UNSET)
    if isinstance(node.chance, dict) and not chooses:
        here = child(path, "chance")
        draws = {
            move: (after.probability, _tree(after, players, child(here, move), likely=True))
            for move, after in node.chance.items()
        }
        with locate_errors(here):
            return chance(draws, payoffs)
    if (
        isinstance(node.player, str)
        and isinstance(node.infoset, str)
        and isinstance(node.moves, dict)
        and node.chance is UNSET
    ):
        here = child(path, "moves")
        look_up_name(node.player, "player", players, child(path, "player"))
        branches = {
            move: _tree(after, players, child(here, move)) for move, after in node.moves.items()
        }
        with locate_errors(here):
            return choice(node.player, node.infoset, branches, payoffs)
    if node.payoffs is not UNSET and node.chance is UNSET and not chooses:
        return end(*payoffs)
    wrong = "is none of: player, infoset and moves; chance; payoffs alone"
    raise DocumentError(wrong, path=path)
