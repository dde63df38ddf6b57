"""The agent form: what another move at a single visit to an information set would gain."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from theory.games._evaluation import continuation_values, reach_probabilities
from theory.games._game import Game
from theory.games._strategies import Behaviour
from theory.shared.arguments import instance_of
from theory.verdicts import Table

__all__ = ["OneShotDeviations", "one_shot_deviations"]


@dataclass(frozen=True)
class OneShotDeviations:
    """What each move would gain at one visit, at every information set.

    ``gains[k][m]`` is the gain from move m at set k; None in place of the gains where the set is
    not reached, so that beliefs there are undetermined and nothing is judged.
    """

    game: Game
    gains: tuple[tuple[Fraction, ...] | None, ...]

    @property
    def unreached(self) -> tuple[int, ...]:
        """The information sets that are not reached."""
        return tuple(k for k, row in enumerate(self.gains) if row is None)

    @property
    def witness(self) -> tuple[int, int] | None:
        """The first set and move of the largest gain; None where no set is reached."""
        for k, row in enumerate(self.gains):
            if row is not None and self.largest in row:
                return k, row.index(self.largest)
        return None

    @property
    def largest(self) -> Fraction:
        """The largest gain; never negative, as the moves that are played gain 0 on average."""
        rows = [row for row in self.gains if row is not None]
        return max((max(row) for row in rows), default=Fraction(0))

    @property
    def holds(self) -> bool:
        """Whether no move at a set that is reached gains anything."""
        return self.largest == 0

    def table(self) -> Table:
        """Return the gain of every move at every set."""
        rows = []
        for infoset, row in zip(self.game.infosets, self.gains, strict=True):
            for m, move in enumerate(infoset.moves):
                gain = "not reached" if row is None else str(row[m])
                rows.append((self.game.players[infoset.player], infoset.name, move, gain))
        return Table(
            caption="Gain from one move at one visit",
            columns=("player", "information set", "move", "gain"),
            rows=tuple(rows),
        )

    def __str__(self) -> str:
        return f"{self.table()}\n{self._summary}"

    def _repr_html_(self) -> str:
        return f"{self.table()._repr_html_()}<p>{self._summary}</p>"

    @property
    def _summary(self) -> str:
        judged = len(self.gains) - len(self.unreached)
        return (
            f"{'No gain' if self.holds else f'A gain of {self.largest}'} "
            f"at {judged} sets reached, {len(self.unreached)} sets not reached and not judged"
        )


def one_shot_deviations(game: Game, behaviour: Behaviour) -> OneShotDeviations:
    """Return Σ_{h in I} μ(h | I) (V_i(h, m) - V_i(h, b)) for each set I of player i and move m.

    The player plays m at one visit to I, and before and after it, at further visits too, as
    ``behaviour`` b says. V_i(h, ·) is what i is then paid after h, and μ are the beliefs of
    :func:`beliefs`, which count visits. Where one path meets a set twice, this is the modified
    multiselves test of Piccione and Rubinstein (1997): every ex-ante optimum passes it.

    Raises
    ------
    ShapeError
        For a behaviour of another game.

    Notes
    -----
    O(nodes x players).

    Examples
    --------
    >>> from theory.games import Behaviour, Game, choice, end
    >>> second = choice("driver", "crossing", {"exit": end(4), "on": end(1)})
    >>> game = Game.of(("driver",), choice("driver", "crossing", {"exit": end(0), "on": second}))
    >>> best = {"driver": {"crossing": {"exit": "1/3", "on": "2/3"}}}
    >>> one_shot_deviations(game, Behaviour.of(game, best)).holds
    True
    >>> print(one_shot_deviations(game, Behaviour.pure(game, [1])))
    Gain from one move at one visit
    player  information set  move  gain
    ──────  ───────────────  ────  ────
    driver  crossing         exit  1
    driver  crossing         on    0
    A gain of 1 at 1 sets reached, 0 sets not reached and not judged
    """
    instance_of("game", game, Game, "use Game.of, or read one with from_efg")
    instance_of("behaviour", behaviour, Behaviour, "use Behaviour.of")
    reach = reach_probabilities(game, behaviour)
    values = continuation_values(game, behaviour)
    rows: list[tuple[Fraction, ...] | None] = []
    for infoset in game.infosets:
        i, visits = infoset.player, sum((reach[h] for h in infoset.nodes), Fraction(0))
        gains = []
        for m in range(len(infoset.moves)):
            gain = Fraction(0)
            for h in infoset.nodes:
                if reach[h]:
                    node = game.nodes[h]
                    after = values[h][i] - node.payoffs[i]
                    gain += reach[h] * (values[node.children[m]][i] - after)
            gains.append(gain)
        rows.append(tuple(gain / visits for gain in gains) if visits else None)
    return OneShotDeviations(game, tuple(rows))
