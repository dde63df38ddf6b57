"""oracles, section 2: external, internal and swap regret, and the equilibria they lead to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from theory.correlated import EquilibriumGaps, empirical_distribution, equilibrium_gaps
from theory.normal_form import NormalFormGame
from theory.regret import regret
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = [
    "CYCLES",
    "HISTORIES",
    "MATCHES",
    "Cycle",
    "FactorsAreAttained",
    "History",
    "Match",
    "Regrets",
    "RegretsAreGaps",
    "RegretsAreOrdered",
    "measure_regrets",
    "row_text",
    "show_history",
]

Row = tuple[Fraction, ...]
HALF = Fraction(1, 2)


def row_text(values: Sequence[object]) -> str:
    """Return a row as text."""
    return f"({', '.join(map(str, values))})"


@dataclass(frozen=True)
class Regrets:
    """External, internal and swap regret, summed over rounds."""

    external: Any
    internal: Any
    swap: Any

    def __str__(self) -> str:
        return f"external {self.external}, internal {self.internal}, swap {self.swap}"


@dataclass(frozen=True)
class History:
    """What was played and what each action would have earned, one row a round."""

    plays: tuple[Row, ...]
    rewards: tuple[tuple[int | Fraction, ...], ...]

    @property
    def actions(self) -> int:
        """How many actions there are."""
        return len(self.plays[0])

    def by_definition(self) -> Regrets:
        """Return the regrets from their definitions, over all actions, pairs and maps."""
        every = range(self.actions)
        rounds = list(zip(self.plays, self.rewards, strict=True))
        gain = [
            [sum((x[i] * (r[j] - r[i]) for x, r in rounds if x[i]), Fraction(0)) for j in every]
            for i in every
        ]
        return Regrets(
            max(sum((gain[i][j] for i in every), Fraction(0)) for j in every),
            max(gain[i][j] for i in every for j in every),
            max(
                sum((gain[i][j] for i, j in enumerate(target)), Fraction(0))
                for target in product(every, repeat=self.actions)
            ),
        )

    def __str__(self) -> str:
        rounds = zip(self.plays, self.rewards, strict=True)
        return "; ".join(f"play {row_text(x)}, rewards {row_text(r)}" for x, r in rounds)


Measure = Callable[[History], Regrets]


def measure_regrets(history: History) -> Regrets:
    """Return the regrets as the library measures them."""
    found = regret(history.plays, history.rewards)
    return Regrets(found.external.gain, found.internal.gain, found.swap.gain)


@dataclass(frozen=True)
class RegretsAreOrdered:
    """external, internal <= swap <= N internal, and external <= (N - 1) internal."""

    measure: Measure = measure_regrets

    def __call__(self, history: History) -> Trial:
        """Compare; non-trivial where internal regret is not 0."""
        found, N = self.measure(history), history.actions
        laws = {
            "regrets are what their definitions say": found == history.by_definition(),
            "external <= swap": found.external <= found.swap,
            "0 <= internal <= swap": 0 <= found.internal <= found.swap,
            "swap <= N internal": found.swap <= N * found.internal,
            "external <= (N - 1) internal": found.external <= (N - 1) * found.internal,
        }
        broken = [law for law, kept in laws.items() if not kept]
        failure = f"not “{'; '.join(broken)}”: {found}." if broken else ""
        return Trial(nontrivial=found.internal > 0, failure=failure)


def show_history(history: History) -> Exhibit:
    """Work a history out, round by round."""
    rows = tuple(
        (str(t), row_text(x), row_text(r), str(sum(a * b for a, b in zip(x, r, strict=True))))
        for t, (x, r) in enumerate(zip(history.plays, history.rewards, strict=True), 1)
    )
    found = history.by_definition()
    table = Table(
        caption=f"Regret over all rounds: {found}",
        columns=("round", "play", "rewards", "earned"),
        rows=rows,
    )
    return Exhibit(summary=f"{history}. {found}", tables=(table,))


def unit(action: int, actions: int) -> Row:
    """Return the play of one action."""
    return tuple(Fraction(i == action) for i in range(actions))


def _play(draw: Draw, actions: int, *, mixed: bool) -> Row:
    picked = draw.index(actions + (mixed and actions > 1))
    return unit(picked, actions) if picked < actions else (Fraction(1, actions),) * actions


def _build(draw: Draw, actions: int) -> History:
    rounds = range(1 + draw.index(2))
    plays = tuple(_play(draw, actions, mixed=len(rounds) == 1) for _ in rounds)
    return History(plays, tuple(tuple(draw.index(2) for _ in range(actions)) for _ in rounds))


def _size(history: History) -> tuple[Any, ...]:
    mixed = sum(max(x) < 1 for x in history.plays)
    rewards: list[Any] = [reward for row in history.rewards for reward in row]
    return (len(history.plays), mixed, sum(rewards))


HISTORIES: Family[History] = Family(
    description="one round of pure or uniform play, or two of pure play, with rewards 0 or 1",
    level_name="actions",
    levels=(1, 2, 3),
    build=_build,
    size=_size,
)


# --- the factors, for any number of actions


@dataclass(frozen=True)
class Cycle:
    """An order of the actions in a circle; each was played once."""

    order: tuple[int, ...]

    @property
    def actions(self) -> int:
        """How many actions there are."""
        return len(self.order)

    def chase_action(self) -> History:
        """Return N rounds in which the next action of the circle was the good one."""
        following = (*self.order[1:], self.order[0])
        return self._rounds(list(zip(self.order, following, strict=True)))

    def miss_action(self) -> History:
        """Return N - 1 rounds in which the last action of the circle was the good one."""
        return self._rounds([(played, self.order[-1]) for played in self.order[:-1]])

    def _rounds(self, pairs: Sequence[tuple[int, int]]) -> History:
        every = range(self.actions)
        return History(
            tuple(unit(played, self.actions) for played, _ in pairs),
            tuple(tuple(int(i == good) for i in every) for _, good in pairs),
        )

    def __str__(self) -> str:
        return f"the circle {' → '.join(str(i + 1) for i in (*self.order, self.order[0]))}"


@dataclass(frozen=True)
class FactorsAreAttained:
    """Some history has swap = N internal > 0, and some external = (N - 1) internal > 0."""

    measure: Measure = measure_regrets

    def __call__(self, cycle: Cycle) -> Trial:
        """Measure the two histories of a circle."""
        N = cycle.actions
        chasing, missing = self.measure(cycle.chase_action()), self.measure(cycle.miss_action())
        failure = ""
        if not chasing.swap == N * chasing.internal > 0:
            failure = f"always one behind: {chasing}."
        elif not missing.external == (N - 1) * missing.internal > 0:
            failure = f"never the good one: {missing}."
        return Trial(failure=failure)


def _build_cycle(draw: Draw, actions: int) -> Cycle:
    left, order = list(range(1, actions)), [0]
    while left:
        order.append(left.pop(draw.index(len(left))))
    return Cycle(tuple(order))


def _size_cycle(cycle: Cycle) -> tuple[int, ...]:
    return cycle.order


CYCLES: Family[Cycle] = Family(
    description="circles of N actions, each played once: N rounds in which the next one was good, "
    "and N - 1 in which the last one was",
    level_name="actions",
    levels=(2, 3, 4, 5, 6),
    build=_build_cycle,
    size=_size_cycle,
)


# --- what the average of play is


@dataclass(frozen=True)
class Match:
    """Two players' payoffs, and what they played, one row a round."""

    payoffs: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]
    plays: tuple[tuple[Row, ...], tuple[Row, ...]]

    def histories(self) -> tuple[History, History]:
        """Return what each player saw: A y_t, and x_t B."""
        A, B = self.payoffs
        seen = (
            [_times(A, y) for y in self.plays[1]],
            [_times(tuple(zip(*B, strict=True)), x) for x in self.plays[0]],
        )
        first, second = (History(p, tuple(r)) for p, r in zip(self.plays, seen, strict=True))
        return first, second

    def __str__(self) -> str:
        A, B = self.payoffs
        rounds = zip(*self.plays, strict=True)
        played = "; ".join(f"{row_text(x)} against {row_text(y)}" for x, y in rounds)
        return f"A = {[*A]}, B = {[*B]}; {played}"


def _times(matrix: Sequence[Sequence[int]], x: Row) -> tuple[Any, ...]:
    return tuple(sum(a * b for a, b in zip(row, x, strict=True)) for row in matrix)


Average = Callable[[Match], Any]


def average_of_products(match: Match) -> Any:
    """Return the average over rounds of x_t y_t', what the library makes of the plays."""
    return empirical_distribution([list(plays) for plays in match.plays])


@dataclass(frozen=True)
class RegretsAreGaps:
    """The average of x_t y_t' is an ε-CCE and ε-CE for the largest average regrets, and no better.

    Against swaps of all actions at once the gap is average swap regret, at most N times as large.
    """

    average: Average = average_of_products

    def __call__(self, match: Match) -> Trial:
        """Compare gaps with regrets; non-trivial where somebody regrets something."""
        A, B = match.payoffs
        gaps = equilibrium_gaps(NormalFormGame.bimatrix(A, B), self.average(match))
        rounds, N = len(match.plays[0]), len(A)
        regrets = [measure_regrets(history) for history in match.histories()]
        expected = {
            name: max(Fraction(0), *(getattr(found, name) for found in regrets)) / rounds
            for name in ("external", "internal", "swap")
        }
        found = {"external": gaps.cce, "internal": gaps.ce, "swap": gaps.swap}
        failure = ""
        if found != expected:
            failure = f"gaps {_name_player(found)}; average regrets {_name_player(expected)}."
        elif found["swap"] > N * expected["internal"] or not _recheck_gaps(gaps):
            failure = f"the swap gap is {found['swap']}, the internal one {found['internal']}."
        return Trial(nontrivial=expected["swap"] > 0, failure=failure)


def _recheck_gaps(gaps: EquilibriumGaps) -> bool:
    return float(gaps.recheck.gap) == 0


def _name_player(values: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())


def _build_match(draw: Draw, actions: int) -> Match:
    every = range(actions)
    A = tuple(tuple(draw.index(2) for _ in every) for _ in every)
    B = A if draw.index(2) else tuple(tuple(1 - a for a in row) for row in A)
    rounds = range(1 + draw.index(2))
    mixed = len(rounds) == 1
    first, second = (tuple(_play(draw, actions, mixed=mixed) for _ in rounds) for _ in "xy")
    return Match((A, B), (first, second))


def _size_match(match: Match) -> tuple[int, ...]:
    return (len(match.plays[0]), sum(map(sum, match.payoffs[0])))


MATCHES: Family[Match] = Family(
    description="games with payoffs 0 or 1, of common interest or of constant sum; one round of "
    "pure or uniform play, or two rounds of pure play",
    level_name="actions",
    levels=(1, 2),
    build=_build_match,
    size=_size_match,
)
