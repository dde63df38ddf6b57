"""Equilibria in pure strategies, by trying every profile of each stage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm, prod
from typing import Final

import numpy as np

from theory.errors import LimitError
from theory.games._equilibrium import Concept, Equilibrium, Method, NoPureEquilibriumError
from theory.games._game import Game
from theory.games._recall import refuse_absent_minded
from theory.games._strategies import Behaviour
from theory.games._subgames import Stage, stages
from theory.shared.arguments import instance_of, read_count

__all__ = [
    "PROFILE_LIMIT",
    "pure_equilibria",
    "pure_subgame_perfect",
    "stage_equilibria",
    "subgame_perfect",
]

PROFILE_LIMIT: Final = 200_000
"""The most pure profiles that are tried."""

_LONG_UNIT: Final = 1 << 14
"""The most bits of a unit in which payoffs are integers: they are added fast."""

Payoffs = tuple[Fraction, ...]
Place = int | slice
Plan = tuple[int, ...]
"""One move for each information set of a stage."""


def pure_equilibria(game: Game, limit: int = PROFILE_LIMIT) -> tuple[Equilibrium, ...]:
    """Return all Nash equilibria in pure strategies, in lexicographic order; there may be none.

    Raises
    ------
    AbsentMindedError
        Where one path meets an information set twice.
    LimitError
        For more than ``limit`` profiles.

    Notes
    -----
    O(profiles x (nodes + players)).

    Examples
    --------
    >>> from theory.games import Game, choice, end
    >>> entry = choice("incumbent", "entry", {"fight": end(-1, -1), "share": end(1, 1)})
    >>> game = Game.of(("entrant", "incumbent"),
    ...     choice("entrant", "start", {"out": end(0, 2), "in": entry}))
    >>> [tuple(map(str, found.payoffs)) for found in pure_equilibria(game)]
    [('0', '2'), ('1', '1')]
    """
    instance_of("game", game, Game, "use Game.of, or read one with from_efg")
    read_count("limit", limit, 0)
    refuse_absent_minded(game, "the search for pure equilibria")
    whole = Stage(0, tuple(range(len(game.nodes))), frozenset(), tuple(range(len(game.infosets))))
    found = _Solver(game, limit).equilibria(whole, {})
    return tuple(
        Equilibrium(game, Behaviour.pure(game, plan), Concept.NASH, (Method.PROFILES,))
        for plan, _ in found
    )


def subgame_perfect(game: Game, limit: int = PROFILE_LIMIT) -> Equilibrium:
    """Return the first subgame-perfect equilibrium in pure strategies.

    The innermost subgames are solved first. Each is then replaced by what it pays, and where no
    stage before it has an equilibrium, its next equilibrium is tried.

    Raises
    ------
    NoPureEquilibriumError
        Where a subgame has no equilibrium in pure strategies.
    AbsentMindedError
        Where one path meets an information set twice.
    LimitError
        For more than ``limit`` profiles to be tried.

    Notes
    -----
    The profiles of a stage are the product of the moves at its information sets. A stage with one
    player is solved by its best pure strategy.

    References
    ----------
    Selten (1965), Spieltheoretische Behandlung eines Oligopolmodells mit Nachfrageträgheit.

    Examples
    --------
    >>> from theory.games import Game, choice, end
    >>> entry = choice("incumbent", "entry", {"fight": end(-1, -1), "share": end(1, 1)})
    >>> game = Game.of(("entrant", "incumbent"),
    ...     choice("entrant", "start", {"out": end(0, 2), "in": entry}))
    >>> print(subgame_perfect(game))
    Behaviour
    player     information set  moves
    ─────────  ───────────────  ───────
    entrant    start            in 1
    incumbent  entry            share 1
    <BLANKLINE>
    Subgame-perfect equilibrium
    player     payoff  most gained by deviating
    ─────────  ──────  ────────────────────────
    entrant    1       0
    incumbent  1       0
    """
    instance_of("game", game, Game, "use Game.of, or read one with from_efg")
    read_count("limit", limit, 0)
    return next(_search(game, limit))


def pure_subgame_perfect(game: Game, limit: int = PROFILE_LIMIT) -> tuple[Equilibrium, ...]:
    """Return all subgame-perfect equilibria in pure strategies.

    Raises what :func:`subgame_perfect` does; ties make the count grow fast.
    """
    instance_of("game", game, Game, "use Game.of, or read one with from_efg")
    read_count("limit", limit, 0)
    return tuple(_search(game, limit))


def stage_equilibria(
    game: Game, stage: Stage, values: Mapping[int, Payoffs], limit: int = PROFILE_LIMIT
) -> list[tuple[Plan, Payoffs]]:
    """Return the pure equilibria of a stage and what they pay, where cuts pay ``values``.

    Raises
    ------
    LimitError
        For more than ``limit`` profiles.
    """
    return _Solver(game, limit).equilibria(stage, values)


def _search(game: Game, limit: int) -> Iterator[Equilibrium]:
    """Go through the equilibria of each stage, given those of the stages after it."""
    refuse_absent_minded(game, "the search for pure equilibria")
    parts = stages(game)
    solver = _Solver(game, limit)
    values: dict[int, Payoffs] = {}
    moves = [0] * len(game.infosets)
    solved = 0
    open_stages = [iter(solver.equilibria(parts[0], values))]
    while open_stages:
        stage = parts[len(open_stages) - 1]
        found = next(open_stages[-1], None)
        if found is None:
            open_stages.pop()
            _refuse_unsolved(game, parts, solved, len(open_stages))
            continue
        solved = max(solved, len(open_stages))
        plan, values[stage.root] = found
        for k, move in zip(stage.infosets, plan, strict=True):
            moves[k] = move
        if len(open_stages) < len(parts):
            open_stages.append(iter(solver.equilibria(parts[len(open_stages)], values)))
        else:
            behaviour = Behaviour.pure(game, moves)
            yield Equilibrium(game, behaviour, Concept.SUBGAME_PERFECT, (Method.PROFILES,))


def _refuse_unsolved(game: Game, parts: Sequence[Stage], solved: int, left: int) -> None:
    """Raise where all stages inside the first unsolved subgame have been gone through.

    Those stages come right before its own, and ``left`` stages are still to be gone through.
    """
    if solved == len(parts):
        return
    root = parts[solved].root
    inside = sum(root < stage.root < game.stops[root] for stage in parts[:solved])
    if left <= solved - inside:
        raise NoPureEquilibriumError(
            "game",
            f"the subgame at node {root} ({game.story(root)})",
            "has no equilibrium in pure strategies",
            "see mixed_equilibrium for one in mixed strategies",
        )


class _Solver:
    """Finds the pure equilibria of stages, and counts the profiles it tries."""

    def __init__(self, game: Game, limit: int) -> None:
        self.game, self.limit, self.tried = game, limit, 0

    def equilibria(self, stage: Stage, values: Mapping[int, Payoffs]) -> list[tuple[Plan, Payoffs]]:
        """Return the equilibria of a stage and what they pay, where cuts pay ``values``."""
        sets = [self.game.infosets[k] for k in stage.infosets]
        sizes = [len(infoset.moves) for infoset in sets]
        self.tried += prod(sizes)
        if self.tried > self.limit:
            raise LimitError(
                "pure profiles to be tried",
                self.tried,
                f"are more than the limit of {self.limit}",
                "give a smaller game, or a larger limit",
            )
        totals, unit = self._totals(stage, values)
        axes = {k: axis for axis, k in enumerate(self._list_free(stage))}
        best = np.ones(totals.shape[1:], dtype=bool)
        for i in {infoset.player for infoset in sets}:
            own = tuple(axis for k, axis in axes.items() if self.game.infosets[k].player == i)
            if own:
                best &= totals[i] == totals[i].max(axis=own, keepdims=True)
        return [
            (
                tuple(place[axes[k]] if k in axes else 0 for k in stage.infosets),
                tuple(Fraction(totals[i, *place], unit) for i in range(len(totals))),
            )
            for place in np.argwhere(best).tolist()
        ]

    def _list_free(self, stage: Stage) -> list[int]:
        """Return the sets of a stage at which there is a choice."""
        return [k for k in stage.infosets if len(self.game.infosets[k].moves) > 1]

    def _totals(self, stage: Stage, values: Mapping[int, Payoffs]) -> tuple[np.ndarray, int]:
        """Return what each player is paid times a unit, with an axis for each set with a choice.

        What falls due at a node is added to all profiles that lead there.
        """
        free = self._list_free(stage)
        axes = {k: axis for axis, k in enumerate(free)}
        due = [
            (i, where, paid)
            for where, payoffs in self._yield_due(stage, values, axes)
            for i, paid in enumerate(payoffs)
            if paid
        ]
        unit = lcm(*{paid.denominator for _, _, paid in due})
        if unit.bit_length() > _LONG_UNIT:
            unit = 1
        sizes = (len(self.game.infosets[k].moves) for k in free)
        totals = np.zeros((len(self.game.players), *sizes), dtype=object)
        for i, where, paid in due:
            scaled = paid * unit
            totals[(i, *where)] += scaled.numerator if scaled.denominator == 1 else scaled
        return totals, unit

    def _yield_due(
        self, stage: Stage, values: Mapping[int, Payoffs], axes: Mapping[int, int]
    ) -> Iterator[tuple[tuple[Place, ...], Payoffs]]:
        """Yield the moves that lead to each node, and what falls due there, times its chance."""
        anywhere: tuple[Place, ...] = (slice(None),) * len(axes)
        stack: list[tuple[int, Fraction, tuple[Place, ...]]] = [(stage.root, Fraction(1), anywhere)]
        while stack:
            h, p, where = stack.pop()
            node = self.game.nodes[h]
            cut = h in stage.cuts
            yield where, tuple(p * x for x in (values[h] if cut else node.payoffs))
            if cut or node.is_end:
                continue
            if node.is_chance:
                odds = zip(node.children, node.probabilities, strict=True)
                stack.extend((child, p * q, where) for child, q in odds)
                continue
            axis = axes.get(node.infoset)
            if axis is None:
                stack.append((node.children[0], p, where))
                continue
            known = where[axis]
            moves = range(len(node.children)) if isinstance(known, slice) else (known,)
            stack.extend(
                (node.children[m], p, (*where[:axis], m, *where[axis + 1 :])) for m in moves
            )
