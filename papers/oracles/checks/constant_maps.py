"""oracles, section 3.2: what constant maps change in Algorithm 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from typing import Any, Final

import numpy as np

from mechanisms.learners import InternalFTPL, Learner
from papers.oracles.checks.contests import exact_regrets, meet
from papers.oracles.checks.pathwise import bound, exceeds_bound
from theory.fixed_point import MapMixture, fixed_point
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = [
    "CROWDS",
    "FEW_CROWDS",
    "WITH_CONSTANTS",
    "CrowdedGame",
    "ExternalIsLinear",
    "ExternalIsSmall",
    "MapsWithConstants",
    "OneClosedClass",
    "show_crowd",
    "show_simultaneous",
    "with_constants",
    "without_constants",
]


@dataclass(frozen=True)
class MapsWithConstants:
    """Weights in proportion to integers of moves of i to j, of constant maps, of the identity."""

    actions: int
    moves: tuple[tuple[int, int, int], ...]
    constants: tuple[int, ...]
    identity: int

    @cached_property
    def matrix(self) -> list[list[Fraction]]:
        """What Q gives j of the mass that i has, map by map."""
        total = self.identity + sum(self.constants) + sum(weight for *_, weight in self.moves)
        rows = [[Fraction(w, total) for w in self.constants] for _ in range(self.actions)]
        for i, j, weight in self.moves:
            rows[i][j] += Fraction(weight, total)
        for i, row in enumerate(rows):
            row[i] += 1 - sum(row)
        return rows

    @property
    def mixture(self) -> MapMixture:
        """The same for the library's solver."""
        total = self.identity + sum(self.constants) + sum(weight for *_, weight in self.moves)
        return MapMixture.of(
            self.actions,
            moves={(i, j): Fraction(w, total) for i, j, w in self.moves},
            constants={j: Fraction(w, total) for j, w in enumerate(self.constants) if w},
        )

    def closed_classes(self) -> list[frozenset[int]]:
        """Return the sets of actions that reach one another and nothing else."""
        reached = [self._reach(i) for i in range(self.actions)]
        found = [r for i, r in enumerate(reached) if all(i in reached[j] for j in r)]
        return list(dict.fromkeys(found))

    def _reach(self, start: int) -> frozenset[int]:
        seen, waiting = {start}, [start]
        while waiting:
            row = self.matrix[waiting.pop()]
            new = {j for j, w in enumerate(row) if w} - seen
            seen |= new
            waiting += new
        return frozenset(seen)

    def without(self) -> MapsWithConstants:
        """Return the same with the identity in place of constant maps."""
        none = (0,) * self.actions
        return MapsWithConstants(
            self.actions, self.moves, none, self.identity + sum(self.constants)
        )

    def __str__(self) -> str:
        maps = [f"{i + 1}→{j + 1} of weight {w}" for i, j, w in self.moves]
        maps += [f"all→{j + 1} of weight {w}" for j, w in enumerate(self.constants) if w]
        weight = f"the identity of weight {self.identity}"
        return f"{self.actions} actions, {', '.join([*maps, weight])}"


Solve = Callable[..., Any]


@dataclass(frozen=True)
class OneClosedClass:
    """Where a constant map has weight there is one fixed point; where all have, it is no action.

    ``needed`` says whether a constant map has to have weight for this to be asked.
    """

    needed: bool = True
    solve: Solve = fixed_point

    def __call__(self, maps: MapsWithConstants) -> Trial:
        """Compare; non-trivial where several closed classes would be left without constants."""
        if self.needed and not any(maps.constants):
            return Trial.unmet()
        classes = maps.closed_classes()
        failure = ""
        if len(classes) != 1:
            failure = f"{len(classes)} closed classes: {self._write_classes(classes)}."
        elif wrong := self._find_error(maps, classes[0]):
            failure = wrong
        nontrivial = len(maps.without().closed_classes()) > 1
        return Trial(nontrivial=nontrivial, failure=failure)

    def _find_error(self, maps: MapsWithConstants, only: frozenset[int]) -> str:
        every = range(maps.actions)
        found = [self.solve(maps.mixture, start=i) for i in every]
        plays = {tuple(zip(x.support, x.weights, strict=True)) for x in found}
        if len(plays) != 1 or not all(x.unique for x in found):
            return f"the solver finds {len(plays)} fixed points."
        x = dict(plays.pop())
        moved = [sum((w * maps.matrix[i][j] for i, w in x.items()), Fraction(0)) for j in every]
        if moved != [x.get(j, Fraction(0)) for j in every] or set(x) != only:
            return f"{x} is no fixed point on {self._write_classes([only])}."
        if all(maps.constants) and any(maps.matrix[i][i] == 1 for i in every):
            return "some action is absorbing."
        return ""

    @staticmethod
    def _write_classes(classes: Sequence[frozenset[int]]) -> str:
        return " and ".join(
            "{" + ", ".join(str(i + 1) for i in sorted(part)) + "}" for part in classes
        )


def _build(draw: Draw, actions: int) -> MapsWithConstants:
    constants = tuple(draw.index(3 if actions < 3 else 2) for _ in range(actions))
    pairs = list(permutations(range(actions), 2))
    count = draw.index(3)
    moves: list[tuple[int, int, int]] = []
    first = 0
    for _ in range(count):
        if first == len(pairs):
            draw.reject()
        first += draw.index(len(pairs) - first)
        moves.append((*pairs[first], 1 + draw.index(2 if actions < 3 else 1)))
        first += 1
    identity = draw.index(2)
    if not (identity or moves or any(constants)):
        draw.reject()
    return MapsWithConstants(actions, tuple(moves), constants, identity)


def _size(maps: MapsWithConstants) -> tuple[Any, ...]:
    return (len(maps.moves), sum(maps.constants), maps.identity, sum(w for *_, w in maps.moves))


WITH_CONSTANTS: Family[MapsWithConstants] = Family(
    description="up to two moves, constant maps and the identity, each of weight 0 or 1 (moves and "
    "constant maps of weight up to 2 for two actions)",
    level_name="actions",
    levels=(2, 3),
    build=_build,
    size=_size,
)


# --- as many actions as rounds


@dataclass(frozen=True)
class CrowdedGame:
    """As many actions as rounds, of which the last one earns 1 in each round, the others 0."""

    rounds: int

    def __str__(self) -> str:
        return f"{self.rounds} rounds and actions, of which one earns 1 in every round"


MakeForCrowd = Callable[[CrowdedGame], Learner]


def without_constants(crowd: CrowdedGame) -> Learner:
    """Return Algorithm 1 with the expected weights of maps."""
    return InternalFTPL(crowd.rounds, rounds=crowd.rounds)


def with_constants(crowd: CrowdedGame) -> Learner:
    """Return the same with constant maps among the maps."""
    return InternalFTPL(crowd.rounds, constants=True, rounds=crowd.rounds)


def _play_rounds(crowd: CrowdedGame, make: MakeForCrowd) -> tuple[np.ndarray, np.ndarray]:
    rewards = np.eye(crowd.rounds)[-1]
    return meet(make(crowd), lambda play: rewards, crowd.rounds)


@dataclass(frozen=True)
class ExternalIsSmall:
    """External regret is at most log(2N)/η + η T/8, at the rate of the variant with constants."""

    make: MakeForCrowd

    def __call__(self, crowd: Any) -> Trial:
        """Play and compare."""
        T = crowd.rounds
        external = exact_regrets(*_play_rounds(crowd, self.make)).external
        failure = ""
        if exceeds_bound(external, 2 * T, 2 * T**2, T, None):
            most = float(bound(2 * T, 2 * T**2, T, None))
            failure = f"external regret is {float(external):.6g}, above {most:.6g}."
        return Trial(failure=failure)


LEAST: Final = Fraction(2, 5)


@dataclass(frozen=True)
class ExternalIsLinear:
    """External regret is at least 2/5 of the rounds, and internal regret at most 1."""

    make: MakeForCrowd = without_constants

    def __call__(self, crowd: CrowdedGame) -> Trial:
        """Play and compare."""
        found = exact_regrets(*_play_rounds(crowd, self.make))
        failure = ""
        if found.external < LEAST * crowd.rounds or found.internal > 1:
            failure = (
                f"external regret is {float(found.external):.6g}, "
                f"internal {float(found.internal):.6g}."
            )
        return Trial(failure=failure)


def show_crowd(crowd: CrowdedGame) -> Exhibit:
    """Show what both variants regret, and how often they play the good action."""
    rows = []
    for name, make in (
        ("maps of one action", without_constants),
        ("… and constant", with_constants),
    ):
        plays, rewards = _play_rounds(crowd, make)
        found = exact_regrets(plays, rewards)
        numbers = (found.external, found.internal, found.swap)
        last = f"{plays[-1, -1]:.4g}"
        rows.append((name, *(f"{float(value):.4g}" for value in numbers), last))
    table = Table(
        caption=f"{crowd}",
        columns=("maps", "external", "internal", "swap", "the good action in the last round"),
        rows=tuple(rows),
    )
    summary = f"{crowd}: external regret {rows[0][1]}, with constant maps {rows[1][1]}"
    return Exhibit(summary=summary, tables=(table,))


def show_simultaneous(instance: Any) -> Exhibit:
    """Work a crowd out; a contest says all in a line."""
    return (
        show_crowd(instance)
        if isinstance(instance, CrowdedGame)
        else Exhibit(summary=str(instance))
    )


def _build_crowd(draw: Draw, rounds: int) -> CrowdedGame:
    del draw
    return CrowdedGame(rounds)


def _size_crowd(crowd: CrowdedGame) -> tuple[Any, ...]:
    return (crowd.rounds,)


FEW_CROWDS: Family[Any] = Family(
    description="as many actions as rounds, of which one earns 1 in every round",
    level_name="rounds",
    levels=tuple(range(2, 17)),
    build=_build_crowd,
    size=_size_crowd,
)

CROWDS: Family[CrowdedGame] = Family(
    description="as many actions as rounds, of which one earns 1 in every round",
    level_name="rounds",
    levels=(16, 32, 64, 96),
    build=_build_crowd,
    size=_size_crowd,
)
