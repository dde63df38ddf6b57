"""What a game is that is played at a terminal, and which ones there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from mechproof.named_modules import NamedModules

if TYPE_CHECKING:
    from mechanisms.play import Participant, Run
    from mechanisms.protocols import ChatModel

__all__ = ["GAMES", "Game"]


def _chat_player(player: str, goal: str, chat: ChatModel, seed: int) -> Participant:
    """Return who answers any question by asking a chat model."""
    from llm_adapters.players import ChatPlayer

    return ChatPlayer(player, chat, goal, seed=seed)


@dataclass(frozen=True)
class Game:
    """A mechanism whose seats people, models and rules take.

    Attributes
    ----------
    name : str
        As the command has it; its module has the same with ``_`` for ``-``.
    about : str
        What the help of the command says.
    begin : function
        Returns the run before its first question; each time an equal one.
    by_rule : function
        Returns who answers by rule, by player, with nothing remembered.
    goals : mapping
        By player, what it is told beside its views: what it is to achieve, and what it knows.
    seat : str
        Whose place is taken at the terminal where nothing is said.
    tell : function
        Takes a run that is over, and says what came of it.
    by_model : function
        Takes a player, its goal, a chat model and a seed; returns who answers by asking the model.
    """

    name: str
    about: str
    begin: Callable[[], Run[Any]]
    by_rule: Callable[[], Mapping[str, Participant]]
    goals: Mapping[str, str]
    seat: str
    tell: Callable[[Run[Any]], str]
    by_model: Callable[[str, str, ChatModel, int], Participant] = _chat_player


GAMES: Final[NamedModules[Game]] = NamedModules("mechproof.games", "GAME", "game")
"""All games: one for each module of this folder that defines ``GAME``."""
