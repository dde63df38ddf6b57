"""The game that shows what a learner does wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from theory.incentives.learners._played_games import PlayedGame
from theory.shared.shapes import Float64
from theory.verdicts import Table

__all__ = ["LearnerWitness"]

_SHOWN = 12

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnerWitness:
    """A game on which a property fails.

    Attributes
    ----------
    problem : str
        What is wrong.
    adversary : str
        Who set the rewards, or whose rewards these were before they were made fewer.
    actions, rounds, seed : int
        What the learner was made with.
    rewards, plays : tuples of rounds x actions
        Round by round, as far as they matter.
    minimality : str
        What is known about smaller games.
    """

    problem: str
    adversary: str
    actions: int
    rounds: int
    seed: int
    rewards: Rows
    plays: Rows
    minimality: str

    @classmethod
    def of(
        cls, played: PlayedGame, problem: str, minimality: str, until: int | None = None
    ) -> Self:
        """Describe a game, or its first rounds."""
        return cls(
            problem=problem,
            adversary=played.game.adversary,
            actions=played.game.actions,
            rounds=played.game.rounds,
            seed=played.game.seed,
            rewards=_rows(played.rewards[:until]),
            plays=_rows(played.plays[:until]),
            minimality=minimality,
        )

    def table(self) -> Table:
        """Return the game, a row a round."""
        actions = [str(i) for i in range(self.actions)]
        rows = [
            (str(t), *(f"{x:.4g}" for x in play), *(f"{r:.4g}" for r in rewards))
            for t, (play, rewards) in enumerate(zip(self.plays, self.rewards, strict=True), 1)
        ]
        left = len(rows) - _SHOWN
        if left > 1:
            rows[_SHOWN:] = [(f"{left} more", *[""] * (2 * self.actions))]
        return Table(
            caption=f"{self.problem} ({self.minimality})",
            columns=("round", *(f"play {i}" for i in actions), *(f"reward {i}" for i in actions)),
            rows=tuple(rows),
        )

    def __str__(self) -> str:
        made = f"made with actions={self.actions}, rounds={self.rounds}, seed={self.seed}"
        return f"{self.table()}\n{made}; rewards by the adversary “{self.adversary}”"


def _rows(numbers: Float64[np.ndarray, "rounds actions"]) -> Rows:
    return tuple(tuple(row) for row in numbers.tolist())
