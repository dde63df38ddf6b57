"""The tree of cases while a search grows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from theory.games.ex_ante._certificate import Branch, Closed, Split, Step

__all__ = ["Case", "preorder"]


@dataclass(eq=False, slots=True)
class Case:
    """One case: the moves decided in it, its price list, and its own cases where it was cut."""

    decided: dict[int, int]
    prices: int = 0
    cut: Branch | Split | None = None
    cases: list[Case] = field(default_factory=list)

    def branch(self, infoset: int, moves: int) -> list[Case]:
        """Cut by the moves of a set, and return the new cases."""
        self.cut = Branch(infoset)
        self.cases = [Case({**self.decided, infoset: m}, self.prices) for m in range(moves)]
        return self.cases

    def split(self, infoset: int, weights: tuple[Fraction, ...]) -> list[Case]:
        """Cut the simplex of a set at a point, and return the new cases."""
        self.cut = Split(infoset, weights)
        self.cases = [Case(self.decided) for weight in weights if weight]
        return self.cases


def preorder(root: Case) -> Iterator[Step]:
    """Yield the steps of a tree of cases, each before those of its own cases."""
    stack = [root]
    while stack:
        case = stack.pop()
        yield case.cut or Closed(case.prices)
        stack.extend(reversed(case.cases))
