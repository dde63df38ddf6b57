"""The subgame-perfect equilibrium of a marginal-value mechanism."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from theory.marginal_value._game import MarginalValueGame
from theory.marginal_value._hypotheses import (
    Hypothesis,
    null_first,
    subadditive,
    union_closed,
)
from theory.marginal_value._induction import best_moves, equilibrium_moves, inextensible_sets
from theory.marginal_value._play import Play
from theory.marginal_value._recheck import gain_and_share
from theory.marginal_value._sets import Names, set_text
from theory.marginal_value._ties import Ties
from theory.numbers import Scalar
from theory.shared.arguments import instance_of
from theory.shared.printable import escape, print_safely
from theory.shared.rounding import check_gap, gap_note
from theory.shared.rules import rule_of
from theory.shared.shapes import Bool, Int64
from theory.verdicts import Table

__all__ = ["Equilibrium", "equilibrium"]

_SHOWN = 64


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A move for every revealed set, from which no player gains by departing.

    Attributes
    ----------
    game : MarginalValueGame
        What is played.
    ties : Ties
        Which of several best moves is made.
    follow : int64, shape (n,)
        The position in ``game.sets`` of the set that the next player takes each set to.
    gap : number
        The most that a player gains at any set by one other move, or the judge by another action:
        recomputed by separate code, 0 in exact arithmetic.
    """

    game: MarginalValueGame
    ties: Ties
    follow: Int64[np.ndarray, " n"]
    gap: Fraction | float

    def move(self, history: Iterable[Iterable[str]] = ()) -> Names:
        """Return what the next player newly reveals after these moves; nothing is the null move."""
        place = self._place(history)
        before = set(self.game.names(place))
        return tuple(
            name for name in self.game.names(int(self.follow[place])) if name not in before
        )

    def best_moves(self, history: Iterable[Iterable[str]] = ()) -> tuple[Names, ...]:
        """Return all that the next player might as well newly reveal, the others going on as here.

        The null move among them is the empty tuple.
        """
        place = self._place(history)
        best, sign = best_moves(self.game, place, self.end)
        before = set(self.game.names(place))
        found = [tuple(n for n in self.game.names(int(t)) if n not in before) for t in best]
        if sign > 0:
            return tuple(found)
        return ((), *found) if sign == 0 else ((),)

    def play(self, history: Iterable[Iterable[str]] = ()) -> Play:
        """Return the whole play from these moves on, with the rewards of all players."""
        start = self.game.settle(history)
        places, revealed = [0], set[str]()
        for move in start.moves:
            revealed |= set(move)
            places.append(self.game.place(revealed))
        while self.follow[places[-1]] != places[-1]:
            places.append(int(self.follow[places[-1]]))
        return self.game.play_through(places)

    @cached_property
    def path(self) -> Play:
        """The play from the start."""
        return self.play()

    @property
    def revealed(self) -> Names:
        """What is revealed in the end."""
        return self.path.revealed

    @property
    def rewards(self) -> tuple[Scalar, ...]:
        """R^1, …, R^N."""
        return self.path.rewards

    @cached_property
    def end(self) -> Int64[np.ndarray, " n"]:
        """The position of the set that the game ends at from each set."""
        end = self.follow
        while (end != self.follow[end]).any():
            end = self.follow[end]
        return end

    @property
    def stable(self) -> Bool[np.ndarray, " n"]:
        """The sets at which the next player makes the null move."""
        return np.asarray(self.follow == np.arange(len(self.follow)), dtype=bool)

    @cached_property
    def inextensible(self) -> Bool[np.ndarray, " n"]:
        """The sets that are inextensible under strict extension (volition, Definition 4.3).

        With the printed "at least 0" the null move extends everything, so that the recursion of the
        definition never ends and any answer satisfies it: that reading is ill-posed.
        """
        return inextensible_sets(self.game)

    @property
    def stable_sets(self) -> tuple[Names, ...]:
        """The stable sets by the names of their items."""
        return tuple(self.game.names(s) for s in np.flatnonzero(self.stable).tolist())

    @property
    def inextensible_sets(self) -> tuple[Names, ...]:
        """The inextensible sets by the names of their items."""
        return tuple(self.game.names(s) for s in np.flatnonzero(self.inextensible).tolist())

    def table(self) -> Table:
        """Return each set with the judge's action, the next move and what the game ends at."""
        game, inextensible = self.game, self.inextensible
        places = sorted(range(len(game.sets)), key=lambda s: (len(game.names(s)), game.names(s)))
        rows = tuple(
            (
                set_text(game.names(s)),
                str(game.actions[int(game.picked[s])]),
                set_text(game.names(int(self.follow[s]))) if not self.stable[s] else "none",
                set_text(game.names(int(self.end[s]))),
                "yes" if inextensible[s] else "no",
            )
            for s in places[:_SHOWN]
        )
        more = f"; {_SHOWN} of {len(game.sets):,} sets" if len(game.sets) > _SHOWN else ""
        return Table(
            caption=f"what happens at each set{more}",
            columns=("revealed", "the judge", "goes on to", "ends at", "inextensible"),
            rows=rows,
        )

    @cached_property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """Whether moves are union-closed, prices subadditive, and ties go to the null move.

        These are what volition, Theorem 4.4, needs, under strict extension: prices may have any
        sign and be infinite.
        """
        return union_closed(self.game), subadditive(self.game), null_first(self.ties)

    @print_safely
    def __str__(self) -> str:
        return f"at equilibrium {self.path}\n{self._note()}"

    def _repr_html_(self) -> str:
        return f"{self.path._repr_html_()}{self.table()._repr_html_()}<p>{escape(self._note())}</p>"

    def _note(self) -> str:
        note = f"ties: {self.ties}; {gap_note(self.game.utilities.kind, self.gap)}"
        unmet = [str(each) for each in self.hypotheses if not each.holds]
        return f"{note}\nTheorem 4.4 need not hold: {'; '.join(unmet)}" if unmet else note

    def _place(self, history: Iterable[Iterable[str]]) -> int:
        return self.game.place(self.game.settle(history).revealed)


def equilibrium(
    game: MarginalValueGame, ties: Ties | str = Ties.FEWEST_ITEMS, *, any_gap: bool = False
) -> Equilibrium:
    """Return the subgame-perfect equilibrium of a marginal-value mechanism, by backward induction.

    At each set S, the larger sets in reach first, the next player goes on to the T that maximises
    u_F(a_T) - u_F(a_S) - p(T minus S), F being what the game ends at after T, or makes the null
    move if that is worth less than 0 (volition, Definition 4.2). Ties are explicit: with the rule
    that comes first in :class:`Ties` the equilibrium reveals no more than it must.

    Parameters
    ----------
    game : MarginalValueGame
        Exact, closed-form, certified or float64.
    ties : Ties
        Which of several best moves is made. Actions tie to the first.
    any_gap : bool
        Whether to return a float64 answer whose gap rounding does not explain.

    Raises
    ------
    InvalidInputError
        For what is no game.
    UnknownNameError
        For a tie rule that there is not.
    RoundingError
        For a float64 answer that separate code finds to be off by more than rounding explains;
        ``game.exact()`` has the exact one.
    UndecidedError
        Where certified numbers leave a comparison open.

    Notes
    -----
    O(items x sets x actions) where prices add and a move is any set of items, or one item; else
    O(moves x sets).

    Examples
    --------
    A claim that would be believed, were it not for a cheap rebuttal (volition, Example 6.1):

    >>> says = {0: [1, 0], 1: [0, 1]}
    >>> game = MarginalValueGame.of(
    ...     ["claim", "rebuttal", "defence"],
    ...     lambda s: says["defence" in s or s == {"claim"}],
    ...     prices={"claim": 0, "rebuttal": 0, "defence": 100},
    ... )
    >>> print(equilibrium(game))
    at equilibrium nothing is revealed
    player  reveals  price  the judge  reward
    ──────  ───────  ─────  ─────────  ──────
                            0
    ties: fewest items first, so none if that is best; exact arithmetic, rechecked with gap 0
    >>> print(equilibrium(game).play([("claim",)]))
    2 moves reveal {claim, rebuttal}
    player  reveals     price  the judge  reward
    ──────  ──────────  ─────  ─────────  ──────
                               0
    1       {claim}     0      1          -1
    2       {rebuttal}  0      0          1
    """
    instance_of("game", game, MarginalValueGame, "use MarginalValueGame.of")
    rule = rule_of(Ties, ties, "ties")
    follow = equilibrium_moves(game, most_first=rule is Ties.MOST_ITEMS)
    gap, share = gain_and_share(game, follow)
    if not any_gap:
        check_gap("the equilibrium", gap, share, "equilibrium(game.exact())")
    return Equilibrium(game, rule, follow, gap)
