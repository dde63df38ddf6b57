"""The kind ``game``: ``kind.py`` solves, the other modules read games and write answers."""

from mechproof.problems.kinds.game.kind import KIND

__all__ = ["KIND"]
