"""Two players' decisions in order, and what each pair of their sequences of moves pays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from theory.errors import LimitError
from theory.games._game import Game
from theory.games._subgames import Stage

__all__ = ["Decision", "TwoPlayerForm", "plan_form", "sequence_form"]

Payoffs = Mapping[int, tuple[Fraction, ...]]
"""What the subgames pay at which a stage is over."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice of one player among ``sequences``, which continue the sequence ``before``.

    Sequences of a player are numbered; number 0 is to have made no move. ``infoset`` is -1 where
    whole plans are chosen.
    """

    infoset: int
    before: int
    sequences: range


@dataclass(frozen=True, slots=True)
class TwoPlayerForm:
    """What two players decide, and for each pair of sequences what it pays them.

    ``players`` are their numbers in the game. A decision comes after those that its player made
    before it. ``payoffs[s, t]`` is weighted with the probabilities of chance; pairs that no play
    ends with are left out.
    """

    players: tuple[int, int]
    decisions: tuple[tuple[Decision, ...], tuple[Decision, ...]]
    payoffs: Mapping[tuple[int, int], tuple[Fraction, Fraction]]

    def count(self, side: int) -> int:
        """Return how many sequences a player has, the empty one included."""
        return 1 + sum(len(decision.sequences) for decision in self.decisions[side])


def sequence_form(
    game: Game, stage: Stage, values: Payoffs, players: tuple[int, int]
) -> TwoPlayerForm | None:
    """Return the sequence form of a stage in which no others than ``players`` move.

    None where one of them has forgotten something at one of its sets. A stage pays ``values``
    where it is over.

    Notes
    -----
    O(nodes of the stage). With perfect recall all nodes of a set have one sequence of own moves
    before them: Koller, Megiddo and von Stengel (1996), Efficient computation of equilibria for
    extensive two-person games.
    """
    decisions: tuple[list[Decision], list[Decision]] = ([], [])
    known: dict[int, tuple[int, Decision]] = {}
    counts = [1, 1]
    at: dict[int, tuple[tuple[int, int], Fraction, tuple[Fraction, ...]]] = {}
    sums: dict[tuple[int, int], list[Fraction]] = {}
    for h in stage.nodes:
        node = game.nodes[h]
        over = h in stage.cuts
        here = values[h] if over else node.payoffs
        own = tuple(here[i] for i in players)
        if h == stage.root:
            pair, weight, paid = (0, 0), Fraction(1), own
        else:
            pair, weight, before = at[node.parent]
            paid = tuple(a + b for a, b in zip(before, own, strict=True))
            parent = game.nodes[node.parent]
            if parent.is_chance:
                weight *= parent.probabilities[node.move]
            else:
                side, decision = known[parent.infoset]
                s = decision.sequences[node.move]
                pair = (s, pair[1]) if side == 0 else (pair[0], s)
        at[h] = pair, weight, paid
        if over or node.is_end:
            if weight:
                total = sums.setdefault(pair, [Fraction(0), Fraction(0)])
                total[0] += weight * paid[0]
                total[1] += weight * paid[1]
        elif not node.is_chance:
            k = node.infoset
            side = players.index(game.infosets[k].player)
            if k not in known:
                more = range(counts[side], counts[side] + len(node.moves))
                counts[side] = more.stop
                known[k] = side, Decision(k, pair[side], more)
                decisions[side].append(known[k][1])
            elif known[k][1].before != pair[side]:
                return None
    payoffs = {pair: (total[0], total[1]) for pair, total in sums.items()}
    return TwoPlayerForm(players, (tuple(decisions[0]), tuple(decisions[1])), payoffs)


def plan_form(
    game: Game, players: tuple[int, int], limit: int
) -> tuple[TwoPlayerForm, tuple[list[tuple[int, ...]], list[tuple[int, ...]]]]:
    """Return the game as one choice of a plan a player, and the plans: the normal form.

    A player may forget anything but that it has been at a set before. Of plans that lead to the
    same ends whatever the others do, the first stands for all.

    Raises
    ------
    LimitError
        For more than ``limit`` plans of a player.

    Notes
    -----
    O(plans x ends) for each player, and O(pairs of plans) for each end.
    """
    first = _plans(game, players[0], limit)
    alone = {frozenset(game.ends): ()}
    second = alone if players[0] == players[1] else _plans(game, players[1], limit)
    sums: dict[tuple[int, int], list[Fraction]] = {}
    for h in game.ends:
        chance = Fraction(1)
        for v, m in game.path(h):
            if game.nodes[v].is_chance:
                chance *= game.nodes[v].probabilities[m]
        mine, yours = ([s for s, ends in enumerate(of, 1) if h in ends] for of in (first, second))
        for pair in product(mine, yours) if chance else ():
            total = sums.setdefault(pair, [Fraction(0), Fraction(0)])
            for side, i in enumerate(players):
                total[side] += chance * game.totals[h][i]
    decisions = [(Decision(-1, 0, range(1, len(of) + 1)),) for of in (first, second)]
    payoffs = {pair: (total[0], total[1]) for pair, total in sums.items()}
    form = TwoPlayerForm(players, (decisions[0], decisions[1]), payoffs)
    return form, (list(first.values()), list(second.values()))


def _plans(game: Game, player: int, limit: int) -> dict[frozenset[int], tuple[int, ...]]:
    """Return the plans of a player by the ends that they do not rule out."""
    sets = game.infosets_of(player)
    sizes = [len(game.infosets[k].moves) for k in sets]
    if prod(sizes) > limit:
        raise LimitError(
            f"plans of {game.players[player]!r}, who forgets,",
            prod(sizes),
            f"are more than the limit of {limit}",
            "give a smaller game, or a larger limit",
        )
    found: dict[frozenset[int], tuple[int, ...]] = {}
    own = {h: list(_own_moves(game, h, set(sets))) for h in game.ends}
    for moves in product(*map(range, sizes)):
        plan = dict(zip(sets, moves, strict=True))
        ends = frozenset(h for h, made in own.items() if all(plan[k] == m for k, m in made))
        found.setdefault(ends, moves)
    return found


def _own_moves(game: Game, h: int, sets: set[int]) -> Iterator[tuple[int, int]]:
    for v, m in game.path(h):
        if game.nodes[v].infoset in sets:
            yield game.nodes[v].infoset, m
