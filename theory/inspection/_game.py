"""An inspection problem as a game of one player who forgets what it was shown and did not buy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import chain, count
from typing import Any, Final

from theory.errors import LimitError
from theory.games import Behaviour, Chance, Choice, End, Game, Tree
from theory.inspection._outcome import goods_text
from theory.inspection._problem import InspectionProblem
from theory.inspection._protocol import Protocol, knowledge
from theory.shared.arguments import instance_of
from theory.shared.text import count_text

__all__ = ["MAX_NODES", "NodeKey", "as_behaviour", "inspection_game", "numbered_game"]

MAX_NODES: Final = 200_000
"""How many nodes the tree of a problem may have."""

NodeKey = tuple[int, int, int]
"""Level, row of purchases, and the first state of a block."""


def _node_code(n: int, row: int, first: int) -> str:
    return f"{n}.{row}.{first}"


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
    instance_of("problem", problem, InspectionProblem, "use InspectionProblem.of")

    def name(n: int, row: int, first: int) -> str:
        return f"x^{n} {knowledge(problem, n, row, first)}".rstrip()

    return numbered_game(problem, name)[0]


def as_behaviour(protocol: Protocol) -> Behaviour:
    """Return a protocol as a profile of :func:`inspection_game` of its problem.

    Raises
    ------
    LimitError, ExactnessError
        As for :func:`inspection_game`.
    """
    instance_of("protocol", protocol, Protocol, "use Protocol.of")
    game, sets = numbered_game(protocol.problem, _node_code)
    moves = [int(protocol.picked[n][row, first]) for n, row, first in sets]
    return Behaviour.pure(game, moves)


def numbered_game(
    problem: InspectionProblem, name: Callable[[int, int, int], str] = _node_code
) -> tuple[Game, list[NodeKey]]:
    """Return the game, and for each of its information sets the level, row and block.

    A block is given by the number of its first state. ``name`` names a set by these three; names
    that read alike are numbered.
    """
    problem.require_exact("a game")
    nodes = problem.states * (
        sum(problem.rows(n) for n in range(problem.depth + 1))
        + problem.rows(0) * len(problem.decision.actions)
    )
    if nodes > MAX_NODES:
        raise LimitError(
            "nodes of the game",
            count_text(nodes),
            f"are more than the limit of {MAX_NODES:,}",
            "offer fewer goods, or merge states that no good tells apart",
        )
    builder = _Builder(problem, name)
    return Game.of(("agent",), builder.tree()), list(builder.names)


class _Builder:
    def __init__(self, problem: InspectionProblem, name: Callable[[int, int, int], str]) -> None:
        self.problem = problem
        self.known = [labels.tolist() for labels in problem.known]
        self.paid: list[Fraction] = problem.paid.scalars()
        self.utilities: list[list[Fraction]] = problem.decision.utilities.scalars()
        self.name = name
        self.names: dict[NodeKey, str] = {}
        self.taken: set[str] = set()
        self.moves: list[tuple[str, ...]] = []
        for n in range(problem.depth + 1):
            options: tuple[Any, ...] = problem.options(n)
            buys = (f"buy {goods_text(option)}" for option in options)
            self.moves.append(_distinct(buys if n else map(str, options)))

    def tree(self) -> Tree:
        space = self.problem.decision.space
        states = range(self.problem.states)
        branches = tuple(self._choice(self.problem.depth, 0, w) for w in states)
        names = _distinct(map(str, space.states))
        return Chance(names, tuple(space.probabilities.scalars()), branches)

    def _choice(self, n: int, row: int, state: int) -> Tree:
        key = (n, row, self.known[n][row][state])
        if key not in self.names:
            self.names[key] = _take_new_name(self.name(*key), self.taken)
        if n == 0:
            paid = self.paid[row]
            worths = [utility[state] for utility in self.utilities]
            ends = tuple(End((worth - paid if paid else worth,)) for worth in worths)
            return Choice("agent", self.names[key], self.moves[0], ends)
        sets = len(self.moves[n])
        after = tuple(self._choice(n - 1, row * sets + k, state) for k in range(sets))
        return Choice("agent", self.names[key], self.moves[n], after)


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    taken: set[str] = set()
    return tuple(_take_new_name(text, taken) for text in texts)


def _take_new_name(text: str, taken: set[str]) -> str:
    """Take a name that is not taken yet: the text, or the text with a number."""
    names = chain([text], (f"{text} ({k})" for k in count(2)))
    name = next(each for each in names if each not in taken)
    taken.add(name)
    return name
