"""Admissible protocols: what is chosen at every node, and the outcome in every state."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from theory.errors import InvalidInputError, ShapeError, UnknownNameError, nearest
from theory.inspection._choice import best_marks
from theory.inspection._knowledge import Labels2D
from theory.inspection._problem import InspectionProblem
from theory.numbers import Numbers, Scalar
from theory.shared.arguments import refusing
from theory.shared.printable import printed_line

__all__ = ["Known", "Node", "Protocol", "blocks", "knowledge"]

Names = tuple[str, ...]


@dataclass(frozen=True)
class Known:
    """What may guide one choice.

    Attributes
    ----------
    level : int
        n, where x^n is to be chosen.
    purchases : mapping from int to tuple of str
        By level m > n: the goods bought as x^m, in the order of the level.
    values : mapping from str to tuple
        By good: the values of its variables. The goods are those on offer on the levels below n
        that help lower choices (I^0, …, I^(n-1)) and those bought.
    """

    level: int
    purchases: Mapping[int, Names]
    values: Mapping[str, tuple[Hashable, ...]]

    @printed_line
    def __str__(self) -> str:
        bought = [name for n in sorted(self.purchases, reverse=True) for name in self.purchases[n]]
        seen = ", ".join(f"{good}={show_values(value)}" for good, value in self.values.items())
        after = f"after buying {', '.join(bought)}" if bought else ""
        if self.purchases and not bought:
            after = "after buying nothing"
        return "; ".join(part for part in (after, f"knowing {seen}" if seen else "") if part)


@dataclass(frozen=True)
class Node:
    """A node of the tree of volition's Figure 1: what is known, and what is chosen there.

    ``probability`` is that of the values known; ``reached`` that of getting there with them.
    ``expected`` holds, for each option, the expected payoff given the values known, when the
    protocol goes on from there; payments already made are counted. ``maximisers`` are all options
    of the largest one.
    """

    known: Known
    states: tuple[Hashable, ...]
    chosen: Hashable
    probability: Scalar
    reached: Scalar
    expected: Mapping[Hashable, Scalar]
    maximisers: tuple[Hashable, ...]

    @property
    def names(self) -> Names:
        """What is bought here, where goods are."""
        return self.chosen if self.known.level and isinstance(self.chosen, tuple) else ()


@refusing
@dataclass(frozen=True, eq=False)
class Protocol:
    """An admissible purchase protocol (volition, Definition 3.2).

    ``picked[n][r, w]`` is the number of the option that is chosen as x^n after the purchases of
    row r in state w. It is the same in states that the knowledge at that node does not tell apart.
    """

    problem: InspectionProblem
    picked: tuple[Labels2D, ...]

    def __post_init__(self) -> None:
        wanted = [(self.problem.rows(n), self.problem.states) for n in range(self.depth + 1)]
        shapes = [picked.shape for picked in self.picked]
        if shapes != wanted:
            raise ShapeError("picked", shapes, f"is not of shapes {wanted}", "use Protocol.of")
        for n, picked in enumerate(self.picked):
            options = self.problem.options(n)
            outside = picked[(picked < 0) | (picked >= len(options))]
            if len(outside):
                raise InvalidInputError(
                    f"picked[{n}]",
                    int(outside[0]),
                    f"is not the number of one of {len(options)} options",
                    "use Protocol.of",
                )
            differs = picked != np.take_along_axis(picked, self.problem.known[n], axis=1)
            if differs.any():
                row, state = (int(k) for k in np.argwhere(differs)[0])
                other = int(self.problem.known[n][row, state])
                names = self.problem.decision.space.states
                raise InvalidInputError(
                    f"x^{n} in states {names[other]!r} and {names[state]!r}",
                    [options[int(picked[row, k])] for k in (other, state)],
                    "differs, though the two cannot be told apart there: it is not admissible",
                    "choose alike wherever the same is known",
                )

    @classmethod
    def of(cls, problem: InspectionProblem, rule: Callable[[Known], object]) -> Protocol:
        """Build a protocol from a rule, which is asked at every node, on the path and off it.

        The rule returns an action for x^0, and for n ≥ 1 the names of the goods to buy.

        Raises
        ------
        UnknownNameError
            For an action or a good that is not on offer.
        """
        picked = []
        for n, labels in enumerate(problem.known):
            choices = np.empty_like(labels)
            for row, first in blocks(labels):
                known = knowledge(problem, n, row, first)
                choices[row, first] = _number(problem, n, rule(known))
            picked.append(np.take_along_axis(choices, labels, axis=1))
        return cls(problem, tuple(picked))

    @property
    def depth(self) -> int:
        """N, the number of levels."""
        return self.problem.depth

    @cached_property
    def path(self) -> tuple[Labels2D, Labels2D]:
        """By n and state: the row in which x^n is chosen, and the number of the option."""
        states = np.arange(self.problem.states)
        rows = np.zeros((self.depth + 1, self.problem.states), dtype=np.int64)
        chosen = np.zeros_like(rows)
        for n in range(self.depth, -1, -1):
            chosen[n] = self.picked[n][rows[n], states]
            if n:
                rows[n - 1] = rows[n] * len(self.problem.bundles[n - 1]) + chosen[n]
        return rows, chosen

    @cached_property
    def payoffs(self) -> Numbers:
        """U(x^0) less all prices paid, by state (volition, eq. (7))."""
        rows, chosen = self.path
        utilities = self.problem.decision.utilities
        return utilities[chosen[0], np.arange(self.problem.states)] - self.problem.paid[rows[0]]

    @cached_property
    def value(self) -> Scalar:
        """E[U(x^0) less all prices paid]."""
        return (self.problem.decision.space.probabilities * self.payoffs).sum().item()

    @cached_property
    def spending(self) -> Scalar:
        """The expected sum of all prices paid."""
        rows, _ = self.path
        p = self.problem.decision.space.probabilities
        return (p * self.problem.paid[rows[0]]).sum().item()

    @property
    def buys(self) -> bool:
        """Whether something is bought with positive probability."""
        return bool(self.path[1][1:].any())

    def mark_reached(self, n: int) -> np.ndarray:
        """Return, for each row of level n and each state, whether the path leads there."""
        rows, _ = self.path
        marks = np.zeros((self.problem.rows(n), self.problem.states), dtype=bool)
        marks[rows[n], np.arange(self.problem.states)] = True
        return marks

    def continuation_payoffs(self, n: int) -> Numbers:
        """Return the payoff by row of level n and state when x^n, …, x^0 follow the protocol.

        The array is flat: row r and state w stand at r * states + w.
        """
        states = self.problem.states
        end = np.repeat(np.arange(self.problem.rows(n)), states)
        where = np.tile(np.arange(states), self.problem.rows(n))
        for m in range(n, 0, -1):
            end = end * len(self.problem.bundles[m - 1]) + self.picked[m][end, where]
        utilities = self.problem.decision.utilities
        return utilities[self.picked[0][end, where], where] - self.problem.paid[end]

    def option_payoffs(self, n: int) -> Numbers:
        """Return the payoff of each option of x^n, by option and then row and state, flat."""
        states, rows, options = self.problem.states, self.problem.rows(n), self.problem.options(n)
        where = np.tile(np.arange(states), rows)
        row = np.repeat(np.arange(rows), states)
        if n == 0:
            return self.problem.decision.utilities[:, where] - self.problem.paid[row]
        after = row * len(options) + np.arange(len(options))[:, np.newaxis]
        return self.continuation_payoffs(n - 1)[after * states + where]

    def nodes(self, n: int, *, reached: bool = False) -> Iterator[Node]:
        """Yield the nodes at which x^n is chosen, in order; only those on the path if asked so."""
        problem, states = self.problem, self.problem.states
        labels, marks, options = problem.known[n], self.mark_reached(n), problem.options(n)
        places = (labels + states * np.arange(len(labels))[:, np.newaxis]).ravel()
        here = np.flatnonzero(marks)
        touched = set(places[here].tolist()) if reached else set(places.tolist())
        nodes = [(r, first) for r, first in blocks(labels) if r * states + first in touched]
        at = np.array([row * states + first for row, first in nodes], dtype=np.int64)
        p = problem.decision.space.probabilities[np.tile(np.arange(states), len(labels))]
        weighted = self.option_payoffs(n) * p
        masses = p.block_sums(places, len(places))[at]
        sums = weighted.block_sums(places, len(places))[:, at]
        getting_there = p[here].block_sums(places[here], len(places))[at]
        inside = np.flatnonzero(np.isin(places, at))  # what is compared elsewhere may be undecided
        best = best_marks(weighted[:, inside], np.searchsorted(at, places[inside]), len(at))
        names = problem.decision.space.states
        rows = zip(
            nodes,
            masses.scalars(),
            getting_there.scalars(),
            zip(*(sums / masses).scalars(), strict=True),
            best.T.tolist(),
            strict=True,
        )
        for (row, first), mass, chance, expected, maximal in rows:
            yield Node(
                knowledge(problem, n, row, first),
                tuple(names[w] for w, label in enumerate(labels[row].tolist()) if label == first),
                options[int(self.picked[n][row, first])],
                mass,
                chance,
                dict(zip(options, expected, strict=True)),
                tuple(option for option, marked in zip(options, maximal, strict=True) if marked),
            )


def knowledge(problem: InspectionProblem, n: int, row: int, state: int) -> Known:
    """Return what is known where x^n is chosen after the purchases of a row, in a state."""
    numbers = problem.purchases(n, row)
    bought = dict(zip(range(problem.depth, n, -1), numbers, strict=True))
    purchases: dict[int, Names] = {}
    values: dict[str, tuple[Hashable, ...]] = {}
    for m in range(1, problem.depth + 1):
        goods = problem.levels[m - 1]
        chosen = problem.bundles[m - 1][bought[m]] if m > n else tuple(range(len(goods)))
        if m > n:
            purchases[m] = tuple(goods[j].name for j in chosen)
        for j in chosen:
            variables = goods[j].variables
            values[goods[j].name] = tuple(
                v.values[int(v.partition.labels[state])] for v in variables
            )
    return Known(n, purchases, values)


def show_values(values: tuple[Hashable, ...]) -> str:
    """Write the values that a good reveals."""
    return "/".join(map(str, values)) if values else "nothing"


def blocks(labels: Labels2D) -> Iterator[tuple[int, int]]:
    """Yield each row with the first state of each of its blocks."""
    firsts = labels == np.arange(labels.shape[1])
    yield from ((int(r), int(w)) for r, w in np.argwhere(firsts))


def _number(problem: InspectionProblem, n: int, option: object) -> int:
    if n:
        if isinstance(option, str) or not isinstance(option, Iterable):
            raise InvalidInputError(
                f"x^{n}", option, "is not a set of goods", "return a tuple of names, () for nothing"
            )
        return problem.bundle(n, tuple(option))
    actions = problem.decision.actions
    if option not in actions:
        raise UnknownNameError("x^0", option, "is not an action", nearest(option, actions))
    return actions.index(option)
