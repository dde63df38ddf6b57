"""Finite extensive games with chance, several players and any recall.

A tree is written with :func:`choice`, :func:`chance` and :func:`end`; :class:`Game` numbers it.
"""

from theory.games._game import Game, InformationSet, Node
from theory.games._tree import Chance, Choice, End, Tree, chance, choice, end

__all__ = [
    "Chance",
    "Choice",
    "End",
    "Game",
    "InformationSet",
    "Node",
    "Tree",
    "chance",
    "choice",
    "end",
]
