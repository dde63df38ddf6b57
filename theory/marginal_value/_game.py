"""The game of a marginal-value mechanism for one realised state of knowledge."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from theory.errors import InvalidInputError
from theory.marginal_value._moves import Family, Moves, MoveSet, reachable
from theory.marginal_value._play import Play
from theory.marginal_value._prices import PriceFunction, Prices
from theory.marginal_value._reading import Utilities, items_of, named_moves, prices_of, table_of
from theory.marginal_value._reward_comparison import mark_best_rewarded
from theory.marginal_value._sets import Names, mask_of, names_of, set_text
from theory.numbers import Floats, Numbers, Scalar
from theory.shared.arguments import read_tuple
from theory.shared.printable import printed_line
from theory.shared.rounding import tied_best
from theory.shared.shapes import Bool, Int64

__all__ = ["MarginalValueGame"]


@dataclass(frozen=True, eq=False)
class MarginalValueGame:
    r"""Players reveal items in turn; each is paid what it adds, judged with hindsight.

    With S the items revealed, the judge expects u_S(x) = E[U(x) | what S says] of action x, and
    would take a_S = argmax over x of u_S(x). A move reveals some more items; one that reveals
    nothing new is the null move and ends the game. When F has been revealed, the player who took
    the revealed items from S to T has (volition, Definition 4.1)

        R = u_F(a_T) - u_F(a_S) - p(T \ S).

    What matters of a history is the set that it revealed. All of this is for one realised value of
    everything that could be said: the players know it, the judge learns it item by item.

    Attributes
    ----------
    items : tuple of str
        Their names; item j is the bit 2^j of a mask.
    actions : tuple of Hashable
        The judge's actions. Of several best ones the first is taken.
    moves : Moves or Family
        What one move may reveal.
    sets : int64, shape (n,)
        The sets that can come to be revealed, as masks in ascending order: the empty set first and
        K, everything, last.
    utilities : Numbers, shape (actions, n)
        u_S(x).
    prices : Prices
        The price of what a move newly reveals.
    magnitudes : Floats, shape (actions, n), optional
        float64 only: the sum of absolute values that each utility was summed from, by which rewards
        tie; the absolute values of the utilities where it is None.

    Examples
    --------
    >>> game = MarginalValueGame.of(
    ...     ["claim", "rebuttal"],
    ...     {(): [1, 0], ("claim",): [0, 3], ("rebuttal",): [1, 0], ("claim", "rebuttal"): [2, 1]},
    ...     prices={"claim": 1, "rebuttal": "1/2"},
    ...     actions=["wait", "act"],
    ... )
    >>> print(game)
    2 items, 2 actions, moves: any set of items; prices: claim 1, rebuttal 1/2
    >>> print(game.settle([("claim",), ("rebuttal",)]))
    2 moves reveal {claim, rebuttal}
    player  reveals     price  the judge  reward
    ──────  ──────────  ─────  ─────────  ──────
                               wait
    1       {claim}     1      act        -2
    2       {rebuttal}  1/2    wait       1/2
    """

    items: Names
    actions: tuple[Hashable, ...]
    moves: MoveSet
    sets: Int64[np.ndarray, " n"]
    utilities: Numbers
    prices: Prices
    magnitudes: Floats | None = None

    @classmethod
    def of(
        cls,
        items: Iterable[str],
        utilities: Utilities,
        prices: Mapping[str, object] | PriceFunction,
        moves: Moves | str | Iterable[Iterable[str]] = Moves.SUBSETS,
        actions: Iterable[Hashable] | None = None,
    ) -> MarginalValueGame:
        """Build a game.

        Parameters
        ----------
        items : names
            Each once.
        utilities : mapping, function or matrix
            The judge's expected utilities by revealed set: a mapping from tuples (or frozensets) of
            names to rows, or a function of a frozenset that returns a row; a row lists utilities in
            the order of the actions, or by action. Or a matrix, one row an action and one column
            for each of ``sets``.
        prices : mapping or function
            A price for each item; they add. Or a function of the frozenset of newly revealed items,
            which is asked for all that a move can newly reveal, and for all that moves can reveal
            together; where items come one by one, prices add. Infinite prices are written
            ``math.inf`` or "inf".
        moves : Moves or families of items
            Any set of items, one item at a time, or a list of moves, the empty one included.
        actions : names, optional
            0, 1, … where rows are lists and nothing is said.

        Raises
        ------
        InvalidInputError, UnknownNameError
            For items or actions named twice, a family without the null move, utilities that miss a
            set which can be revealed, names that nothing bears.
        NumberError, ExactnessError
            For prices or utilities that are no numbers, NaN included, or of kinds that do not mix.
        ShapeError
            For a row or matrix of the wrong size.
        LimitError
            For more sets or utilities than can be held.
        """
        names = items_of(items)
        if isinstance(moves, str):
            moves = named_moves(moves)
        known = moves if isinstance(moves, Moves) else Family.of(moves, names)
        sets = reachable(known, len(names))
        table, chosen = table_of(utilities, names, sets, actions)
        return cls(names, chosen, known, sets, table, prices_of(prices, names, known, sets, table))

    @cached_property
    def maximisers(self) -> Bool[np.ndarray, "actions n"]:
        """Which actions are best for the judge at each set.

        float64 utilities tie by what rounding may explain in the two of them: what other actions
        are worth does not count.
        """
        u = self.utilities
        return tied_best(u.values, np.abs(u.values)) if isinstance(u, Floats) else u.maximisers()

    @cached_property
    def picked(self) -> Int64[np.ndarray, " n"]:
        """The number of the action a_S that the judge takes at each set: the first of the best."""
        return np.asarray(self.maximisers.argmax(axis=0))

    def place(self, revealed: Iterable[str]) -> int:
        """Return the position in ``sets`` of some items; those that cannot be revealed raise."""
        mask = mask_of(revealed, self.items, "revealed")
        place = int(np.searchsorted(self.sets, mask))
        if place == len(self.sets) or int(self.sets[place]) != mask:
            raise InvalidInputError(
                "revealed", names_of(mask, self.items), "is no union of moves", "use moves alone"
            )
        return place

    def names(self, place: int) -> Names:
        """Return the items of the set at a position of ``sets``."""
        return names_of(int(self.sets[place]), self.items)

    def after(self, place: int) -> Int64[np.ndarray, " k"]:
        """Return the positions of all larger sets that one move leads to, priced finitely."""
        mask = int(self.sets[place])
        if isinstance(self.moves, Family):
            found = np.unique(mask | np.array(self.moves.masks, dtype=np.int64))
        elif self.moves is Moves.SINGLE_ITEMS:
            found = mask | self.prices.sets
        else:
            found = self.sets[place:][self.sets[place:] & mask == mask]
        found = found[found != mask]
        found = np.sort(found[self.prices.affordable(found & ~mask)])
        return np.searchsorted(self.sets, found)

    def rewards(
        self,
        start: Int64[np.ndarray, " k"],
        revealed: Int64[np.ndarray, " k"],
        end: Int64[np.ndarray, " k"],
    ) -> Numbers:
        """Return R of moves from ``start`` to ``revealed`` when the game ends at ``end``.

        All three are positions in ``sets``. An infinite price counts as 0: leave such moves out.
        """
        u, a = self.utilities, self.picked
        new = self.sets[revealed] & ~self.sets[start]
        return u[a[revealed], end] - u[a[start], end] - self.prices.of_sets(new)

    @cached_property
    def sizes(self) -> Floats:
        """float64 only: the sum of absolute values that each utility was made from."""
        values: Any = self.utilities
        return Floats(np.abs(values.values)) if self.magnitudes is None else self.magnitudes

    def mark_best_rewarded(
        self, start: int, revealed: Int64[np.ndarray, " k"], end: Int64[np.ndarray, " k"]
    ) -> Bool[np.ndarray, " k"]:
        """Mark every move from one set whose reward is largest, ties included.

        Arguments are as for :meth:`rewards`. float64 rewards tie by what rounding may explain in
        the two of them: what other moves and actions are worth does not count.
        """
        return mark_best_rewarded(self, start, revealed, end)[0]

    def newly_revealed(self) -> set[int]:
        """Return the masks of all that some move can newly reveal."""
        if isinstance(self.moves, Family):
            return {int(new) for mask in self.moves.masks for new in mask & ~self.sets}
        if self.moves is Moves.SINGLE_ITEMS:
            return {1 << j for j in range(len(self.items))}
        return {int(mask) for mask in self.sets}

    def settle(self, history: Iterable[Iterable[str]]) -> Play:
        """Return the rewards when the players make these moves and then the game ends.

        What a move reveals again counts for nothing: it may be named or left out.

        Raises
        ------
        UnknownNameError, InvalidInputError
            For a move that is not open to a player, or one after the null move.
        """
        places, over = [0], False
        for number, names in enumerate(read_tuple("history", history, "give a list of moves"), 1):
            argument = f"move {number}"
            if over:
                raise InvalidInputError(
                    argument, names, "comes after the null move, which ends the game", "stop there"
                )
            mask = mask_of(names, self.items, argument)
            revealed = int(self.sets[places[-1]])
            if not self._adds(mask & ~revealed, revealed):
                raise InvalidInputError(
                    argument, set_text(names_of(mask, self.items)), "is not a move", self._open()
                )
            over = mask | revealed == revealed
            if not over:
                places.append(int(np.searchsorted(self.sets, mask | revealed)))
        return self.play_through(places)

    def play_through(self, places: Sequence[int]) -> Play:
        """Return the play that goes through sets at these positions, each part of the next."""
        path = np.array(places, dtype=np.int64)
        start, revealed = path[:-1], path[1:]
        end = np.full_like(start, path[-1])
        new = [int(v) for v in self.sets[revealed] & ~self.sets[start]]
        prices = [self.prices.price(v) for v in new]
        rewards = self.rewards(start, revealed, end).scalars() if len(start) else []
        return Play(
            moves=tuple(names_of(v, self.items) for v in new),
            prices=tuple(prices),
            actions=tuple(self.actions[int(x)] for x in self.picked[path]),
            rewards=tuple(-inf if c == inf else r for r, c in zip(rewards, prices, strict=True)),
            revealed=self.names(places[-1]),
        )

    def action(self, revealed: Iterable[str]) -> Hashable:
        """Return a_S, what the judge does when S has been revealed."""
        return self.actions[int(self.picked[self.place(revealed)])]

    def ex_post(self, move: Iterable[str]) -> Scalar:
        """Return E[U^1(x) | x] of a first move: what it would be paid if nothing followed."""
        u = self.utilities
        return next(iter(self.settle([move]).rewards), (u[0, 0] - u[0, 0]).item())

    def worth(self, revealed: Iterable[str]) -> Scalar:
        """Return w(S) = u_K(a_S) - u_K(a_∅) - p(S), the value of S knowing everything.

        Minus infinity where p(S) is infinite.
        """
        place = np.array([self.place(revealed)], dtype=np.int64)
        if not self.prices.affordable(self.sets[place])[0]:
            return -inf
        return self.rewards(0 * place, place, 0 * place + len(self.sets) - 1).item()

    def exact(self) -> MarginalValueGame:
        """Return the exact game that a float64 one stands for: each float is the rational it is.

        A game of any other kind of number comes back as it is. A game from a prior has posterior
        expectations that were rounded: use ``from_prior(decision.exact(), ...)`` for those.
        """
        if not isinstance(self.utilities, Floats):
            return self
        return replace(
            self,
            utilities=self.utilities.exact(),
            prices=self.prices.exact(),
            magnitudes=None,
        )

    def with_prices(self, prices: Mapping[str, object] | PriceFunction) -> MarginalValueGame:
        """Return the game at other prices."""
        read = prices_of(prices, self.items, self.moves, self.sets, self.utilities)
        return replace(self, prices=read)

    @printed_line
    def __str__(self) -> str:
        moves = self.moves if isinstance(self.moves, Moves) else f"one of {self.moves}"
        if self.prices.additive:
            each = [self.prices.price(1 << j) for j in range(len(self.items))]
            pairs = zip(self.items, each, strict=True)
            priced = ", ".join(f"{name} {price}" for name, price in pairs) or "none"
        else:
            priced = "by a function of what is newly revealed"
        sizes = f"{len(self.items)} items, {len(self.actions)} actions"
        return f"{sizes}, moves: {moves}; prices: {priced}"

    def _adds(self, new: int, revealed: int) -> bool:
        """Whether some move newly reveals just that."""
        if isinstance(self.moves, Family):
            return any(mask & ~revealed == new for mask in self.moves.masks)
        return self.moves is Moves.SUBSETS or new.bit_count() <= 1

    def _open(self) -> str:
        if isinstance(self.moves, Family):
            return f"moves are {self.moves}"
        return f"a move reveals {self.moves}"
