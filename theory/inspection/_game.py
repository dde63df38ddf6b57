"""An inspection problem as a game of one player who forgets what it was shown and did not buy."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

from theory.errors import LimitError
from theory.games import Chance, Choice, End, Game, Tree
from theory.inspection._course import goods_text
from theory.inspection._problem import InspectionProblem
from theory.inspection._protocol import knowledge

__all__ = ["MAX_NODES", "NodeName", "game_tree", "inspection_game"]

MAX_NODES: Final = 200_000
"""How many nodes the tree of a problem may have."""

NodeName = Callable[[int, int, int], str]


def inspection_game(problem: InspectionProblem) -> Game:
    """Return the problem as an extensive game (volition, Figure 1).

    Chance picks the state; then the player chooses x^N, …, x^0. Two nodes of one level are in the
    same information set when the same was bought and the same values are known: I^0, …, I^(n-1) and
    the purchases. The player remembers its own moves, but not the values of offers that it was
    shown above and did not buy.

    Raises
    ------
    LimitError
        For a tree of more than :data:`MAX_NODES` nodes.
    ExactnessError
        When utilities or prices are not rational.

    Examples
    --------
    >>> from theory.decision import DecisionProblem
    >>> from theory.information import Good
    >>> from theory.probability import ProbabilitySpace
    >>> space = ProbabilitySpace.of({"low": "1/3", "high": "2/3"})
    >>> decision = DecisionProblem.of(space, {"a": [3, 0], "b": [0, 1]})
    >>> report = Good.of("report", space.variable("state", str), "1/2")
    >>> print(inspection_game(InspectionProblem.of(decision, [[report]])))
    chance low 1/3, high 2/3
      low: agent at x^1 knowing report=low
        buy nothing: agent at x^0 after buying nothing
          a: end, pays 3
          b: end, pays 0
        buy report: agent at x^0 after buying report; knowing report=low
          a: end, pays 5/2
          b: end, pays -1/2
      high: agent at x^1 knowing report=high
        buy nothing: agent at x^0 after buying nothing
          a: end, pays 0
          b: end, pays 1
        buy report: agent at x^0 after buying report; knowing report=high
          a: end, pays -1/2
          b: end, pays 1/2
    """

    def name(n: int, row: int, first: int) -> str:
        return f"x^{n} {knowledge(problem, n, row, first)}".rstrip()

    return Game.of(("agent",), game_tree(problem, name))


def game_tree(problem: InspectionProblem, name: NodeName) -> Tree:
    """Return the tree; ``name`` names the information set of a level, row and block.

    A block is given by the number of its first state.
    """
    problem.require_exact("a game")
    nodes = problem.states * (
        sum(problem.rows(n) for n in range(problem.depth + 1))
        + problem.rows(0) * len(problem.decision.actions)
    )
    if nodes > MAX_NODES:
        raise LimitError(
            "problem",
            f"{nodes:,} nodes",
            f"are more than the limit of {MAX_NODES:,}",
            "offer fewer goods, or merge states that no good tells apart",
        )
    return _Builder(problem, name).tree()


class _Builder:
    def __init__(self, problem: InspectionProblem, name: NodeName) -> None:
        self.problem = problem
        self.known = [labels.tolist() for labels in problem.known]
        self.paid: list[Fraction] = problem.paid.scalars()
        self.utilities: list[list[Fraction]] = problem.decision.utilities.scalars()
        self.name = name
        self.names: dict[tuple[int, int, int], str] = {}
        self.moves: list[tuple[str, ...]] = []
        for n in range(problem.depth + 1):
            options: tuple[Any, ...] = problem.options(n)
            buys = (f"buy {goods_text(option)}" for option in options)
            self.moves.append(tuple(buys) if n else tuple(map(str, options)))

    def tree(self) -> Tree:
        space = self.problem.decision.space
        states = range(self.problem.states)
        branches = tuple(self._choice(self.problem.depth, 0, w) for w in states)
        return Chance(tuple(map(str, space.states)), tuple(space.probabilities.scalars()), branches)

    def _choice(self, n: int, row: int, state: int) -> Tree:
        key = (n, row, self.known[n][row][state])
        if key not in self.names:
            self.names[key] = self.name(*key)
        if n == 0:
            paid = self.paid[row]
            ends = tuple(End((utility[state] - paid,)) for utility in self.utilities)
            return Choice("agent", self.names[key], self.moves[0], ends)
        sets = len(self.moves[n])
        after = tuple(self._choice(n - 1, row * sets + k, state) for k in range(sets))
        return Choice("agent", self.names[key], self.moves[n], after)
