"""What a player has lived through before each node: its own sets visited and moves made there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from theory.games._game import Game

__all__ = ["Experiences", "Step"]

Step = tuple[int, int]
"""One of the player's own information sets, and the move that was made there."""


@dataclass
class Experiences:
    """The experiences of one player as a tree: number 0 is to have lived through nothing.

    Experience e > 0 is experience ``parents[e]`` followed by ``steps[e]``; parents come first.
    ``at[h]`` is the experience of the player on reaching node h.
    """

    parents: list[int] = field(default_factory=lambda: [0])
    steps: list[Step] = field(default_factory=lambda: [(-1, -1)])
    after: list[dict[Step, int]] = field(default_factory=lambda: [{}])
    at: dict[int, int] = field(default_factory=dict)
    _depths: list[int] = field(default_factory=lambda: [0])
    _jumps: list[int] = field(default_factory=lambda: [0])

    @classmethod
    def of(cls, game: Game, player: int, nodes: Sequence[int]) -> Experiences:
        """Return the player's experiences at ``nodes``, given in preorder from a first node on.

        Notes
        -----
        O(nodes).
        """
        tree = cls()
        tree.at[nodes[0]] = 0
        for h in nodes[1:]:
            node = game.nodes[h]
            k = game.nodes[node.parent].infoset
            before = tree.at[node.parent]
            own = k >= 0 and game.infosets[k].player == player
            tree.at[h] = tree._follow(before, (k, node.move)) if own else before
        return tree

    def _follow(self, e: int, step: Step) -> int:
        if step in self.after[e]:
            return self.after[e][step]
        new = len(self.parents)
        self.after[e][step] = new
        self.parents.append(e)
        self.steps.append(step)
        self.after.append({})
        self._depths.append(self._depths[e] + 1)
        j = self._jumps[e]
        even = self._depths[e] - self._depths[j] == self._depths[j] - self._depths[self._jumps[j]]
        self._jumps.append(self._jumps[j] if even else e)
        return new

    def ranks(self) -> list[int]:
        """Return each experience's place in the preorder in which steps come sorted."""
        ranks = [0] * len(self.parents)
        stack, rank = [0], 0
        while stack:
            e = stack.pop()
            ranks[e] = rank
            rank += 1
            stack.extend(self.after[e][step] for step in sorted(self.after[e], reverse=True))
        return ranks

    def first_difference(self, a: int, b: int) -> tuple[Step | None, Step]:
        """Return the first steps in which a and b differ; None where a is over, as b goes on.

        b must be neither a nor its beginning.

        Notes
        -----
        O(log(length)), with the jumps of Myers (1983), An applicative random-access stack.
        """
        depth = min(self._depths[a], self._depths[b])
        x, y = self._lift(a, depth), self._lift(b, depth)
        if x == y:
            return None, self.steps[self._lift(b, depth + 1)]
        while self.parents[x] != self.parents[y]:
            far = self._jumps[x] != self._jumps[y]
            up = self._jumps if far else self.parents
            x, y = up[x], up[y]
        return self.steps[x], self.steps[y]

    def _lift(self, e: int, depth: int) -> int:
        while self._depths[e] > depth:
            jump = self._jumps[e]
            e = jump if self._depths[jump] >= depth else self.parents[e]
        return e
