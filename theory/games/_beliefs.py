"""Beliefs at an information set, counted by visits: right for the absent-minded, too."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from theory.errors import NullEventError
from theory.games._evaluation import reach_probabilities
from theory.games._game import Game
from theory.games._strategies import Strategies
from theory.shared.arguments import instance_of
from theory.verdicts import ShownAsTable, Table

__all__ = ["Beliefs", "beliefs"]


@dataclass(frozen=True)
class Beliefs(ShownAsTable):
    """Where a player is, given that it finds itself at an information set.

    Attributes
    ----------
    nodes : tuple of int
        The nodes of the set.
    probabilities : tuple of Fraction
        μ(h | I), one a node.
    expected_visits : Fraction
        Σ_h P(h) over the nodes h of I: how often I is visited on average. May exceed one.
    ever_visited : Fraction
        The probability that I is visited at least once.
    """

    game: Game
    infoset: int
    nodes: tuple[int, ...]
    probabilities: tuple[Fraction, ...]
    expected_visits: Fraction
    ever_visited: Fraction

    def table(self) -> Table:
        """Return the beliefs, each node told by the moves that lead to it."""
        infoset = self.game.infosets[self.infoset]
        return Table(
            caption=f"{self.game.players[infoset.player]} at {infoset.name}: "
            f"{self.expected_visits} visits expected, "
            f"visited at all with probability {self.ever_visited}",
            columns=("node", "reached by", "belief"),
            rows=tuple(
                (str(h), self.game.story(h), str(p))
                for h, p in zip(self.nodes, self.probabilities, strict=True)
            ),
        )


def beliefs(game: Game, strategies: Strategies, player: str, infoset: str) -> Beliefs:
    """Return μ(h | I) = P(h) / Σ_{h' in I} P(h') for the nodes h of an information set I.

    P(h) is the probability that the play passes through h. Of all visits to I in many plays, the
    share μ(h | I) is at h. Where a play can visit I twice this is not P(h | I is visited): the
    events overlap, and the sum is the expected number of visits.

    Raises
    ------
    NullEventError
        Where the set is never reached.
    UnknownNameError
        When the player has no set of that name.
    ShapeError, InvalidInputError
        For strategies of another game.

    References
    ----------
    Piccione and Rubinstein (1997), On the interpretation of decision problems with imperfect
    recall: consistent beliefs.

    Examples
    --------
    The absent-minded driver goes on with probability 2/3:

    >>> from theory.games import Behaviour, Game, choice, end
    >>> second = choice("driver", "crossing", {"exit": end(4), "on": end(1)})
    >>> game = Game.of(("driver",), choice("driver", "crossing", {"exit": end(0), "on": second}))
    >>> plan = {"driver": {"crossing": {"exit": "1/3", "on": "2/3"}}}
    >>> print(beliefs(game, Behaviour.of(game, plan), "driver", "crossing"))
    driver at crossing: 5/3 visits expected, visited at all with probability 1
    node  reached by  belief
    ────  ──────────  ──────
    0     the start   3/5
    2     on          2/5
    """
    instance_of("game", game, Game, "use Game.of, or read one with from_efg")
    k = game.infoset(player, infoset)
    reach = reach_probabilities(game, strategies)
    nodes = game.infosets[k].nodes
    visits = sum((reach[h] for h in nodes), Fraction(0))
    if not visits:
        raise NullEventError(
            f"information set of {player!r}",
            infoset,
            "is never reached, so that beliefs there are undetermined",
            "give a strategy under which it is reached",
        )
    probabilities = tuple(reach[h] / visits for h in nodes)
    ever = sum((reach[h] for h in _first_visits(game, nodes)), Fraction(0))
    return Beliefs(game, k, nodes, probabilities, visits, ever)


def _first_visits(game: Game, nodes: tuple[int, ...]) -> list[int]:
    """Return those of ``nodes``, given in preorder, that no other of them precedes on a path."""
    first: list[int] = []
    for h in nodes:
        if not first or h >= game.stops[first[-1]]:
            first.append(h)
    return first
