"""What strategies lead to: how likely each node is, and what each player expects."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from theory.errors import InvalidInputError
from theory.games._game import Game
from theory.games._strategies import Behaviour, Mixed, Strategies
from theory.shared.arguments import instance_of

__all__ = ["continuation_values", "expected_payoffs", "reach_probabilities"]

Payoffs = tuple[Fraction, ...]


def reach_probabilities(game: Game, strategies: Strategies) -> tuple[Fraction, ...]:
    """Return, for every node h, the probability that the play passes through h.

    Under a behaviour b it is the product of the probabilities of the moves on the path to h.
    Under mixed strategies it is the product of chance's probabilities on that path and, for each
    player, of the probability of the plans that make all of the player's moves on it.

    Raises
    ------
    ShapeError
        For strategies of another game.
    InvalidInputError
        Where mixed strategies are not one for each player who moves.

    Notes
    -----
    O(nodes) for a behaviour, O(nodes x plans) for mixed strategies.
    """
    instance_of("game", game, Game, "use Game.of, or read one with from_efg")
    if isinstance(strategies, Behaviour):
        strategies.check(game)
        return _reach(game, strategies)
    return _reach_of_plans(game, strategies)


def expected_payoffs(game: Game, strategies: Strategies) -> Payoffs:
    """Return, for each player i, Σ_h P(h) payoffs_i(h) over all nodes h.

    Raises and costs what :func:`reach_probabilities` does.
    """
    instance_of("game", game, Game, "use Game.of, or read one with from_efg")
    sums = [Fraction(0)] * len(game.players)
    for node, p in zip(game.nodes, reach_probabilities(game, strategies), strict=True):
        if p and any(node.payoffs):
            sums = [s + p * x for s, x in zip(sums, node.payoffs, strict=True)]
    return tuple(sums)


def continuation_values(game: Game, behaviour: Behaviour) -> tuple[Payoffs, ...]:
    """Return, for every node h, what each player expects to be paid at h and after it.

    V(h) = payoffs(h) + Σ_m b(m | h) V(h, m), off the path of play as well as on it.

    Raises
    ------
    ShapeError
        For a behaviour of another game.

    Notes
    -----
    O(nodes x players).
    """
    instance_of("game", game, Game, "use Game.of, or read one with from_efg")
    instance_of("behaviour", behaviour, Behaviour, "use Behaviour.of")
    behaviour.check(game)
    values = [node.payoffs for node in game.nodes]
    for v in range(len(game.nodes) - 1, 0, -1):
        node = game.nodes[v]
        p = _law(game, behaviour, node.parent)[node.move]
        if p:
            before = values[node.parent]
            values[node.parent] = tuple(a + p * b for a, b in zip(before, values[v], strict=True))
    return tuple(values)


def _law(game: Game, behaviour: Behaviour, v: int) -> tuple[Fraction, ...]:
    node = game.nodes[v]
    return node.probabilities if node.is_chance else behaviour.probabilities[node.infoset]


def _reach(game: Game, behaviour: Behaviour) -> tuple[Fraction, ...]:
    reach = [Fraction(1)]
    for node in game.nodes[1:]:
        before, p = reach[node.parent], _law(game, behaviour, node.parent)[node.move]
        reach.append(before if p == 1 or not before else before * p)
    return tuple(reach)


def _reach_of_plans(game: Game, profile: Sequence[Mixed]) -> tuple[Fraction, ...]:
    movers = sorted({infoset.player for infoset in game.infosets})
    if [p for p in sorted(mixed.player for mixed in profile) if p in movers] != movers:
        raise InvalidInputError(
            "strategies",
            tuple(mixed.player for mixed in profile),
            f"are not one for each of the players {movers} who move",
            "give each of them one mixed strategy",
        )
    return reach_by_others(game, profile, -1)


def reach_by_others(game: Game, profile: Sequence[Mixed], player: int) -> tuple[Fraction, ...]:
    """Return, for every node, the probability that chance and all but ``player`` play along."""
    reach = [Fraction(1)]
    for node in game.nodes[1:]:
        before = game.nodes[node.parent]
        odds = before.probabilities[node.move] if before.is_chance else 1
        reach.append(reach[node.parent] * odds)
    for mixed in profile:
        mixed.check(game)
        if mixed.player != player:
            reach = [p * q for p, q in zip(reach, _agreement(game, mixed), strict=True)]
    return tuple(reach)


def _agreement(game: Game, mixed: Mixed) -> list[Fraction]:
    """For every node, the probability of the plans that make all own moves on the path to it."""
    sets = game.infosets_of(mixed.player)
    total = [Fraction(0)] * len(game.nodes)
    for moves, p in zip(mixed.plans, mixed.probabilities, strict=True):
        plan = dict(zip(sets, moves, strict=True))
        agrees = [True]
        for node in game.nodes[1:]:
            planned = plan.get(game.nodes[node.parent].infoset, node.move)
            agrees.append(agrees[node.parent] and planned == node.move)
        total = [t + p if yes else t for t, yes in zip(total, agrees, strict=True)]
    return total
