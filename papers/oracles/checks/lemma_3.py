"""oracles, Lemma 3: the indices on which a fixed point of sparse maps has to be looked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations, permutations
from typing import Any, Final

from theory.fixed_point import MapMixture, fixed_point, fixed_point_residual
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = [
    "MIXTURES",
    "SAMPLES",
    "EnoughToSolveOn",
    "Mixture",
    "NonSourcesAreFixed",
    "non_sources",
    "show_mixture",
    "sources",
    "targets",
    "touched_indices",
]

HUGE: Final = 10**18
"""So many actions there might be as well: the others are touched by no map."""


@dataclass(frozen=True)
class Mixture:
    """Weights in proportion to integers of maps that move all of i to j, and of the identity."""

    actions: int
    moves: tuple[tuple[int, int, int], ...]
    identity: int

    @cached_property
    def weights(self) -> dict[tuple[int, int], Fraction]:
        """The probability of each map."""
        total = self.identity + sum(weight for *_, weight in self.moves)
        return {(i, j): Fraction(weight, total) for i, j, weight in self.moves}

    def apply(self, x: Sequence[Fraction]) -> list[Fraction]:
        """Return Q x, map by map, from the definition."""
        moved = list(x)
        for (i, j), weight in self.weights.items():
            moved[i] -= weight * x[i]
            moved[j] += weight * x[i]
        return moved

    def residual(self, x: Sequence[Fraction]) -> Fraction:
        """Return ‖Q x - x‖₁."""
        pairs = zip(self.apply(x), x, strict=True)
        return sum((abs(after - before) for after, before in pairs), Fraction(0))

    def __str__(self) -> str:
        maps = [f"{i + 1}→{j + 1} of weight {w}" for (i, j), w in self.weights.items()]
        return f"{self.actions} actions, {', '.join(maps) or 'the identity alone'}"


Indices = Callable[[Mixture], list[int]]


def sources(mixture: Mixture) -> list[int]:
    """Return the actions that some map moves mass away from."""
    return sorted({i for i, _ in mixture.weights})


def targets(mixture: Mixture) -> list[int]:
    """Return the actions that some map moves mass to."""
    return sorted({j for _, j in mixture.weights})


def touched_indices(mixture: Mixture) -> list[int]:
    """Return sources and targets."""
    return sorted({*sources(mixture), *targets(mixture)})


def non_sources(mixture: Mixture) -> list[int]:
    """Return the actions that no map moves mass away from."""
    return [i for i in range(mixture.actions) if i not in sources(mixture)]


def closed_part(indices: Sequence[int], moves: Mapping[tuple[int, int], Fraction]) -> list[int]:
    """Return the smallest set of ``indices`` that no map leads out of, by trying all; or nothing.

    Where Q x = x, the support of x is such a set; and each such set is the support of some x.
    """
    sizes = range(1, len(indices) + 1)
    for part in chain.from_iterable(combinations(indices, n) for n in sizes):
        if all(j in part for i, j in moves if i in part):
            return list(part)
    return []


@dataclass(frozen=True)
class EnoughToSolveOn:
    """Some fixed point of the maps is concentrated on a few indices, and the solver finds one.

    ``factor`` times the number of maps is the most that there may be of these indices.
    """

    indices: Indices
    factor: int
    solve: Callable[..., Any] = fixed_point

    def __call__(self, mixture: Mixture) -> Trial:
        """Solve on the indices alone; non-trivial where every action is a source."""
        if not mixture.weights:
            return Trial.unmet()
        moves, indices = mixture.weights, self.indices(mixture)
        nontrivial = not non_sources(mixture)
        if len(indices) > self.factor * len(moves):
            failure = f"{len(indices)} indices for {len(moves)} maps."
            return Trial(nontrivial=nontrivial, failure=failure)
        if not indices:
            return Trial(nontrivial=nontrivial, failure="there is no index to solve on.")
        part = closed_part(indices, moves)
        if not part:
            x, least = least_residual(mixture, indices)
            return Trial(
                nontrivial=nontrivial,
                failure=f"on these indices ‖Qx - x‖₁ is at least {least}, as at x = {_row(x)}.",
            )
        place = {index: n for n, index in enumerate(part)}
        inside = {(place[i], place[j]): w for (i, j), w in moves.items() if i in place}
        answers = {
            "on these indices": self._embed(len(part), inside, part, mixture.actions),
            "among 10^18 actions": self._embed(
                HUGE, moves, range(mixture.actions), mixture.actions
            ),
        }
        wrong = [
            f"solved {where}, x = {_row(x)} has ‖Qx - x‖₁ = {mixture.residual(x)}."
            for where, x in answers.items()
            if sum(x) != 1 or min(x) < 0 or mixture.residual(x) != 0
        ]
        return Trial(nontrivial=nontrivial, failure=" ".join(wrong))

    def _embed(
        self,
        size: int,
        moves: Mapping[tuple[int, int], Fraction],
        labels: Sequence[int],
        actions: int,
    ) -> list[Fraction]:
        found = self.solve(MapMixture.of(size, moves=dict(moves)))
        x = [Fraction(0)] * actions
        for place, weight in zip(found.support, found.weights, strict=True):
            if place < len(labels):
                x[labels[place]] += Fraction(weight)
        return x


def least_residual(mixture: Mixture, indices: Sequence[int]) -> tuple[list[Fraction], Fraction]:
    """Return a minimiser of ‖Q x - x‖₁ over the simplex on ``indices``, by linear programming.

    A program for x and the parts above and below zero of Q x - x.
    """
    from theory.linear import minimise, solve

    k, n = len(indices), mixture.actions
    unit = [[Fraction(i == j) for j in range(n)] for i in indices]
    flow = [mixture.apply(row) for row in unit]
    rows: list[tuple[list[Fraction], str, Fraction]] = []
    for j in range(n):
        change = [flow[a][j] - unit[a][j] for a in range(k)]
        parts = [Fraction(0)] * (2 * n)
        parts[j], parts[n + j] = Fraction(-1), Fraction(1)
        rows.append(([*change, *parts], "=", Fraction(0)))
    rows.append(([Fraction(1)] * k + [Fraction(0)] * (2 * n), "=", Fraction(1)))
    found = solve(minimise([Fraction(0)] * k + [Fraction(1)] * (2 * n), rows))
    assert found.x is not None
    x = [Fraction(0)] * n
    for index, value in zip(indices, found.x, strict=False):
        x[index] = Fraction(value)
    return x, mixture.residual(x)


@dataclass(frozen=True)
class NonSourcesAreFixed:
    """Each e_i with i no source is a fixed point; with fewer maps than actions there is one."""

    indices: Indices = non_sources

    def __call__(self, mixture: Mixture) -> Trial:
        """Apply the maps to each; non-trivial where some map moves something."""
        fixed, drawn = self.indices(mixture), mixture.identity + sum(w for *_, w in mixture.moves)
        if drawn < mixture.actions and not fixed:
            return Trial(failure=f"{drawn} maps leave no such action.")
        broken = []
        for i in fixed:
            x = [Fraction(i == j) for j in range(mixture.actions)]
            maps = MapMixture.of(mixture.actions, moves=dict(mixture.weights))
            residual = mixture.residual(x)
            if residual or fixed_point_residual(maps, x):
                broken.append(f"at e_{i + 1}, ‖Qx - x‖₁ = {residual}.")
        return Trial(nontrivial=bool(mixture.moves and fixed), failure=" ".join(broken[:1]))


def _row(values: Sequence[object]) -> str:
    return f"({', '.join(map(str, values))})"


def show_mixture(mixture: Mixture) -> Exhibit:
    """Work a mixture out: the matrix, and the best that can be done on the sources alone."""
    every = range(mixture.actions)
    columns = [mixture.apply([Fraction(i == j) for j in every]) for i in every]
    rows = tuple((str(i + 1), *(str(columns[j][i]) for j in every)) for i in every)
    tables = [
        Table(
            caption="Q, a column for each action",
            columns=("", *(str(j + 1) for j in every)),
            rows=rows,
        )
    ]
    found = []
    for name, indices in (("sources", sources(mixture)), ("touched", touched_indices(mixture))):
        if indices:
            x, least = least_residual(mixture, indices)
            found.append((name, _row([i + 1 for i in indices]), _row(x), str(least)))
    tables.append(
        Table(
            caption="The least residual on a few indices, by linear programming",
            columns=("indices", "which", "x", "‖Qx - x‖₁"),
            rows=tuple(found),
        )
    )
    return Exhibit(summary=str(mixture), tables=tuple(tables))


def _build(draw: Draw, actions: int) -> Mixture:
    pairs = list(permutations(range(actions), 2))
    if actions < 4:
        moves = tuple((*pair, w) for pair in pairs if (w := draw.index(3)))
    else:
        moves = tuple((*pair, 1) for pair in _some(draw, pairs))
    identity = 0 if actions == 3 else draw.index(2)
    if not moves and not identity:
        draw.reject()
    return Mixture(actions, moves, identity)


def _some(draw: Draw, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Choose up to three, in their order."""
    chosen: list[tuple[int, int]] = []
    first = 0
    while len(chosen) < 3 and (step := draw.index(len(pairs) - first + 1)):
        chosen.append(pairs[first + step - 1])
        first += step
    return chosen


def _build_sample(draw: Draw, actions: int) -> Mixture:
    """Draw one map after the other; every one of them weighs the same."""
    maps = [None, *permutations(range(actions), 2)]
    drawn = [draw.choice(maps) for _ in range(1 + draw.index(min(actions, 6 - actions)))]
    counted = sorted({move for move in drawn if move is not None})
    moves = tuple((*move, drawn.count(move)) for move in counted)
    return Mixture(actions, moves, drawn.count(None))


def _size(mixture: Mixture) -> tuple[int, ...]:
    return (len(mixture.moves), sum(w for *_, w in mixture.moves), mixture.identity)


MIXTURES: Family[Mixture] = Family(
    description="mixtures of maps with weights in proportion to 0..2, with four actions of at most "
    "three maps of equal weight",
    level_name="actions",
    levels=(1, 2, 3, 4),
    build=_build,
    size=_size,
)

SAMPLES: Family[Mixture] = Family(
    description="m maps drawn from all and averaged, m up to the number of actions (2 with four)",
    level_name="actions",
    levels=(1, 2, 3, 4),
    build=_build_sample,
    size=_size,
)
