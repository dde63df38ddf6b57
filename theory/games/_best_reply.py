"""The best a player can do alone, and so its regret: by its experiences, not by whole plans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Final

from theory.errors import LimitError
from theory.games._evaluation import continuation_values, expected_payoffs, reach_by_others
from theory.games._experience import Experiences
from theory.games._game import Game
from theory.games._recall import refuse_absent_minded
from theory.games._strategies import Behaviour, Strategies
from theory.games._subgames import stages
from theory.shared.arguments import instance_of, read_count
from theory.shared.printable import printed_line

__all__ = ["BRANCH_LIMIT", "BestReply", "best_reply", "regrets", "subgame_regrets"]

BRANCH_LIMIT: Final = 200_000
"""The most joint moves that are tried at sets where a player has forgotten something."""


@dataclass(frozen=True, slots=True)
class BestReply:
    """What one player gains by playing best against all others.

    ``behaviour`` is the given one with the player's own moves replaced.
    """

    player: str
    behaviour: Behaviour
    payoff: Fraction
    gain: Fraction

    @printed_line
    def __str__(self) -> str:
        return f"{self.player} can get {self.payoff}, which is {self.gain} more"


def best_reply(
    game: Game, behaviour: Behaviour, player: str, limit: int = BRANCH_LIMIT
) -> BestReply:
    """Return a best reply of a player against the others' behaviour, before the play begins.

    Payoffs are gathered, weighted with the others' and chance's probabilities, at the experience
    that the player has when they fall. A set that only one experience leads to is decided there,
    from the last to the first. Joint moves at all other sets, where the player has forgotten
    something, are tried one by one.

    Raises
    ------
    AbsentMindedError
        Where one path meets a set twice.
    LimitError
        For more than ``limit`` joint moves to be tried.
    UnknownNameError
        When nobody has that name.
    ShapeError
        For a behaviour of another game.

    Notes
    -----
    O(nodes) with perfect recall, times the number of joint moves otherwise. The problem is NP-hard
    without perfect recall: Koller and Megiddo (1992), The complexity of two-person zero-sum games
    in extensive form.
    """
    instance_of("game", game, Game, "use Game.of, or read one with from_efg")
    read_count("limit", limit, 0)
    instance_of("behaviour", behaviour, Behaviour, "use Behaviour.of")
    i = game.player(player)
    behaviour.check(game)
    refuse_absent_minded(game, "the best reply")
    worth = {h: node.payoffs[i] for h, node in enumerate(game.nodes)}
    others = _reach_by_others(game, behaviour, i, worth)
    payoff, moves = _reply(_SinglePlayerProblem.of(game, others, i, worth), game, limit)
    laws = list(behaviour.probabilities)
    for k in game.infosets_of(i):
        laws[k] = tuple(Fraction(m == moves.get(k, 0)) for m in range(len(laws[k])))
    gain = payoff - expected_payoffs(game, behaviour)[i]
    return BestReply(player, Behaviour(tuple(laws)), payoff, gain)


def regrets(game: Game, strategies: Strategies, limit: int = BRANCH_LIMIT) -> tuple[Fraction, ...]:
    """Return what each player gains by a best reply; all are zero at a Nash equilibrium only.

    Raises and costs what :func:`best_reply` does, for each player. Mixed strategies are taken too,
    and then :func:`reach_probabilities` says what else is refused.
    """
    instance_of("game", game, Game, "use Game.of, or read one with from_efg")
    read_count("limit", limit, 0)
    if isinstance(strategies, Behaviour):
        return tuple(best_reply(game, strategies, name, limit).gain for name in game.players)
    refuse_absent_minded(game, "the best reply")
    gains = []
    for i, paid in enumerate(expected_payoffs(game, strategies)):
        worth = {h: node.payoffs[i] for h, node in enumerate(game.nodes)}
        others = dict(enumerate(reach_by_others(game, strategies, i)))
        gains.append(_reply(_SinglePlayerProblem.of(game, others, i, worth), game, limit)[0] - paid)
    return tuple(gains)


def subgame_regrets(
    game: Game, behaviour: Behaviour, limit: int = BRANCH_LIMIT
) -> tuple[Fraction, ...]:
    """Return the most that each player gains by a best reply in any subgame.

    All are zero at a subgame-perfect equilibrium only. A best reply in a subgame is one in its
    first stage, where the next subgames pay what best replies in them do.

    Raises
    ------
    AbsentMindedError, LimitError, ShapeError
        As :func:`best_reply` does.

    Notes
    -----
    O(nodes x players) with perfect recall.
    """
    instance_of("game", game, Game, "use Game.of, or read one with from_efg")
    read_count("limit", limit, 0)
    instance_of("behaviour", behaviour, Behaviour, "use Behaviour.of")
    refuse_absent_minded(game, "the best reply")
    played = continuation_values(game, behaviour)
    parts = stages(game)
    largest = []
    for i in range(len(game.players)):
        best: dict[int, Fraction] = {}
        for stage in parts:
            worth = {
                h: best[h] if h in stage.cuts else game.nodes[h].payoffs[i] for h in stage.nodes
            }
            others = _reach_by_others(game, behaviour, i, worth)
            best[stage.root], _ = _reply(
                _SinglePlayerProblem.of(game, others, i, worth), game, limit
            )
        largest.append(max(value - played[root][i] for root, value in best.items()))
    return tuple(largest)


@dataclass(frozen=True, slots=True)
class _SinglePlayerProblem:
    """One player's problem, all others' moves being like those of chance.

    ``paid[e]`` is what falls due at experience e, weighted with the probability that the others
    play along; ``options[e, k][m]`` is the experience after move m at set k.
    """

    paid: list[Fraction]
    options: dict[tuple[int, int], dict[int, int]]

    @classmethod
    def of(
        cls,
        game: Game,
        others: Mapping[int, Fraction],
        player: int,
        part: Mapping[int, Fraction],
    ) -> _SinglePlayerProblem:
        """Return the problem on the nodes of ``part``, in preorder, and with what it pays there.

        ``others`` holds the probability that the others play along as far as each node.
        """
        lived = Experiences.of(game, player, list(part))
        paid = [Fraction(0)] * len(lived.parents)
        for h, worth in part.items():
            paid[lived.at[h]] += others[h] * worth
        options: dict[tuple[int, int], dict[int, int]] = {}
        for e, after in enumerate(lived.after):
            for (k, m), later in after.items():
                options.setdefault((e, k), {})[m] = later
        return cls(paid, options)

    def forgetful(self) -> list[int]:
        """Return the sets that more than one experience leads to."""
        met = Counter(k for _, k in self.options)
        return sorted(k for k, times in met.items() if times > 1)

    def decide(self, moves: Mapping[int, int]) -> tuple[Fraction, dict[int, int]]:
        """Choose from the last experience to the first, with the moves at some sets given."""
        values, chosen = list(self.paid), dict(moves)
        for e, k in reversed(self.options):
            after = self.options[e, k]
            if k not in moves:
                chosen[k] = max(after, key=lambda m: (values[after[m]], -m))
            values[e] += values[after[chosen[k]]]
        return values[0], chosen


def _reply(
    problem: _SinglePlayerProblem, game: Game, limit: int
) -> tuple[Fraction, dict[int, int]]:
    """Return the largest payoff, and the moves that earn it."""
    forgetful = problem.forgetful()
    sizes = [len(game.infosets[k].moves) for k in forgetful]
    if prod(sizes) > limit:
        raise LimitError(
            "joint moves at sets where a player has forgotten something",
            prod(sizes),
            f"are more than the limit of {limit}",
            "give a smaller game, or a larger limit",
        )
    tries = (
        problem.decide(dict(zip(forgetful, moves, strict=True)))
        for moves in product(*map(range, sizes))
    )
    return max(tries, key=lambda reply: reply[0])


def _reach_by_others(
    game: Game, behaviour: Behaviour, player: int, part: Mapping[int, Fraction]
) -> dict[int, Fraction]:
    """Return for the nodes of a part the probability that the others play along from its start."""
    reach: dict[int, Fraction] = {}
    for h in part:
        before = reach.get(game.nodes[h].parent)
        reach[h] = Fraction(1) if before is None else before * _others(game, behaviour, player, h)
    return reach


def _others(game: Game, behaviour: Behaviour, player: int, h: int) -> Fraction:
    """Return the probability of the move to node h, or 1 where the player itself makes it."""
    move, before = game.nodes[h].move, game.nodes[game.nodes[h].parent]
    if before.is_chance:
        return before.probabilities[move]
    if game.infosets[before.infoset].player == player:
        return Fraction(1)
    return behaviour.probabilities[before.infoset][move]
