"""Games in normal form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from theory.errors import InvalidInputError, LimitError, ShapeError
from theory.normal_form._tables import bimatrix_table, profile_table
from theory.normal_form.kinds import finite_float, plain, read_numbers, stack, together
from theory.normal_form.names import action_names, is_list, number_of, player_names
from theory.normal_form.strategies import expected_rewards, mixed_strategy
from theory.numbers import Exact, Floats, Numbers, Scalar
from theory.shared.arguments import refusing
from theory.shared.shapes import Float64
from theory.shared.text import number_text
from theory.verdicts import ShownAsTable, Table

__all__ = ["MAX_PAYOFFS", "NormalFormGame", "Scale"]

MAX_PAYOFFS: Final = 1 << 26
"""How many payoffs, players x profiles, a game may have."""

MAX_PLAYERS: Final = 32


class Scale(NamedTuple):
    """How payoffs u were mapped to [0, 1]: to (u - low) / width, or to 0 where the width is 0."""

    low: Scalar
    width: Scalar


@refusing
@dataclass(frozen=True, eq=False)
class NormalFormGame(ShownAsTable):
    """Finitely many players, each with finitely many actions, and what each profile pays.

    Build it with :meth:`of`, :meth:`bimatrix`, :meth:`zero_sum` or
    :func:`~theory.normal_form.from_nfg`. Players and actions go by name or by number from 0.

    Attributes
    ----------
    players : tuple of str
        Their names.
    actions : tuple of tuple of str, one a player
        The names of the actions of each player.
    payoffs : Numbers of shape (players, profiles)
        u_p(a), exact or float64, with the profiles a in C order: the last player's action varies
        fastest.
    title : str
    """

    players: tuple[str, ...]
    actions: tuple[tuple[str, ...], ...]
    payoffs: Numbers
    title: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.title, str):
            raise InvalidInputError("title", self.title, "is not text", "give a title as text")
        check_size(self.shape)
        player_names(self.players, len(self.players))
        action_names(self.actions, self.shape)
        wanted = (len(self.players), prod(self.shape))
        if len(self.actions) != len(self.players) or self.payoffs.shape != wanted:
            raise ShapeError(
                "payoffs",
                self.payoffs.shape,
                f"does not fit {len(self.players)} players with {self.shape} actions",
                "use NormalFormGame.of",
            )
        read_numbers(self.payoffs, "payoffs")

    @classmethod
    def of(
        cls,
        payoffs: Sequence[Any] | np.ndarray | Numbers,
        *,
        players: Iterable[str] | None = None,
        actions: Iterable[Iterable[str]] | None = None,
        title: str = "",
    ) -> NormalFormGame:
        """Return the game with these payoffs.

        Parameters
        ----------
        payoffs : one nested array a player, each of shape (N_1, ..., N_n)
            Entry (a_1, ..., a_n) of the p-th array is what the profile pays player p. Integers,
            fractions and text are exact, floats are float64; integers may stand among floats, and
            other mixtures are refused.
        players : n names, optional
        actions : n lists of names, optional
            Without them actions bear their numbers, from "0".
        title : str

        Raises
        ------
        ShapeError
            For arrays whose shapes differ or are not n-dimensional.
        NumberError, ExactnessError
            For NaN, infinity or what is no number; for exact numbers beside floats.
        InvalidInputError
            For no player, a player without actions, a name that appears twice, or a title that is
            no text.
        LimitError
            For more than ``MAX_PAYOFFS`` payoffs or 32 players, or for exact payoffs that take more
            than ``theory.numbers.exact.MAX_BITS`` bits over their common denominator.

        Examples
        --------
        >>> game = NormalFormGame.of([[1, "1/2"]], players=["Ann"], actions=[["go", "stay"]])
        >>> game.payoff("Ann", ["stay"])
        Fraction(1, 2)
        """
        if isinstance(payoffs, str) or not isinstance(payoffs, Sequence | np.ndarray | Numbers):
            raise InvalidInputError(
                "payoffs", payoffs, "is no list of arrays", "give one nested array a player"
            )
        shape = payoffs.shape if isinstance(payoffs, np.ndarray | Numbers) else (len(payoffs),)
        count = shape[0] if shape else 0
        if count == 0:
            raise InvalidInputError("payoffs", shape, "has no player", "give one array a player")
        if count > MAX_PLAYERS:
            raise LimitError("players", count, f"are more than {MAX_PLAYERS}", "use fewer")
        named = [(f"payoffs[{p}]", read_numbers(payoffs[p], f"payoffs[{p}]")) for p in range(count)]
        shape = named[0][1].shape
        for argument, numbers in named:
            if len(numbers.shape) != count or numbers.shape != shape:
                raise ShapeError(
                    argument,
                    numbers.shape,
                    f"is not one array of {count} axes like the others",
                    "give each player an array with an axis a player",
                )
        check_size(shape)
        every = (np.newaxis, *np.unravel_index(np.arange(prod(shape)), shape))
        return cls(
            player_names(players, count),
            action_names(actions, shape),
            stack([numbers[every[1:]][every[:1]] for numbers in together(*named)]),
            title,
        )

    @classmethod
    def bimatrix(
        cls,
        A: Any,
        B: Any,
        *,
        players: Iterable[str] | None = None,
        actions: Iterable[Iterable[str]] | None = None,
        title: str = "",
    ) -> NormalFormGame:
        """Return the two-player game that pays A[i, j] to the row and B[i, j] to the column.

        See :meth:`of` for what is raised.
        """
        return cls.of([A, B], players=players, actions=actions, title=title)

    @classmethod
    def zero_sum(
        cls,
        A: Any,
        *,
        players: Iterable[str] | None = None,
        actions: Iterable[Iterable[str]] | None = None,
        title: str = "",
    ) -> NormalFormGame:
        """Return the two-player game that pays A[i, j] to the row and -A[i, j] to the column.

        See :meth:`of` for what is raised.
        """
        rows = read_numbers(A, "A")
        zero: Numbers = Floats(np.zeros(())) if isinstance(rows, Floats) else Exact(0)
        return cls.of([rows, zero - rows], players=players, actions=actions, title=title)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """How many actions each player has."""
        return tuple(map(len, self.actions))

    @property
    def exact(self) -> bool:
        """Whether the payoffs are rational numbers; otherwise they are float64."""
        return isinstance(self.payoffs, Exact)

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """How far apart two profiles are that differ by one in a player's action."""
        return tuple(prod(self.shape[p + 1 :]) for p in range(len(self.shape)))

    def player(self, player: str | int) -> int:
        """Return the number of a player given by name or number."""
        return number_of(player, self.players, "player")

    def profile(self, profile: Sequence[Any], argument: str = "profile") -> int:
        """Return the place of a profile in C order.

        Raises
        ------
        ShapeError
            Where it does not hold one action a player.
        UnknownNameError
            For an action that the player does not have.
        """
        if not is_list(profile) or len(profile) != len(self.players):
            raise ShapeError(
                argument,
                profile,
                f"is not a list of {len(self.players)} actions",
                "give one action a player",
            )
        return sum(
            stride * number_of(action, names, f"{argument}, action of {player}")
            for action, names, player, stride in zip(
                profile, self.actions, self.players, self.strides, strict=True
            )
        )

    def profile_names(self, place: int) -> tuple[str, ...]:
        """Return the actions of the profile at a place in C order."""
        return tuple(
            names[place // stride % len(names)]
            for names, stride in zip(self.actions, self.strides, strict=True)
        )

    def payoff(self, player: str | int, profile: Sequence[Any]) -> Scalar:
        """Return u_p(a), what a profile of actions pays a player."""
        found: Scalar = self.payoffs[self.player(player), self.profile(profile)].item()
        return found

    def tensor(self, player: str | int) -> Float64[np.ndarray, "..."]:
        """Return a player's payoffs as a float64 array of shape ``shape``, rounding exact ones.

        Raises
        ------
        NumberError
            For a number beyond float64.
        """
        return self._tensors[self.player(player)]

    @cached_property
    def _tensors(self) -> tuple[np.ndarray, ...]:
        floats = self.as_floats().payoffs
        assert isinstance(floats, Floats)
        return tuple(row.reshape(self.shape) for row in floats.values)

    def as_exact(self) -> NormalFormGame:
        """Return the game with each float64 payoff read as the rational that it is."""
        if not isinstance(self.payoffs, Floats):
            return self
        return replace(self, payoffs=self.payoffs.exact())

    def as_floats(self) -> NormalFormGame:
        """Return the game with float64 payoffs: exact ones are rounded to the nearest."""
        if not isinstance(self.payoffs, Exact):
            return self
        flat = [
            [finite_float(v, "payoffs") for v in row.scalars()]
            for row in (self.payoffs[p] for p in range(len(self.players)))
        ]
        return replace(self, payoffs=stack([Floats.of(flat, "payoffs")]))

    def rewards(self, player: str | int, strategies: Sequence[Any]) -> Numbers:
        """Return the expected payoff of each action while the others mix independently.

        Entry j is Σ over the others' actions of u_p(j, a_-p) Π_{q ≠ p} x_q(a_q).

        Parameters
        ----------
        player : str or int
        strategies : one a player
            Probabilities, one an action; a mapping from actions; or anything NumPy reads as an
            array. The player's own entry is ignored and may be None.

        Returns
        -------
        Numbers of shape (N_player,)
            Exact where the game and the strategies are.

        Raises
        ------
        ShapeError, ProbabilityError, NumberError, UnknownNameError
            For strategies that are no distributions over the actions.
        ExactnessError
            For exact fractions beside floats; integers are taken as either.

        Notes
        -----
        O(profiles).

        Examples
        --------
        >>> pennies = NormalFormGame.zero_sum([[1, -1], [-1, 1]])
        >>> pennies.rewards(0, [None, {"0": "2/3", "1": "1/3"}])
        Exact([1/3, -1/3])
        """
        p = self.player(player)
        read = self.read_strategies(strategies, skip=p)
        named = [(f"strategies[{q}]", x) for q, x in enumerate(read) if x is not None]
        payoffs, *mixed = together(("payoffs", self.payoffs[p]), *named)
        by_player = iter(mixed)
        aligned = [None if x is None else next(by_player) for x in read]
        return expected_rewards(payoffs, self.shape, p, aligned)

    def read_strategies(self, strategies: Any, *, skip: int | None = None) -> list[Numbers | None]:
        """Return mixed strategies as arrays of probabilities, leaving out that of ``skip``."""
        if not is_list(strategies) or len(strategies) != len(self.players):
            raise ShapeError(
                "strategies", strategies, f"are not {len(self.players)}", "give one a player"
            )
        return [
            None if q == skip else mixed_strategy(strategies[q], names, f"strategies[{q}]")
            for q, names in enumerate(self.actions)
        ]

    def unit(self) -> tuple[NormalFormGame, tuple[Scale, ...]]:
        """Return the game with each player's payoffs mapped to [0, 1], and how.

        Player p's payoffs u become (u - min u) / (max u - min u), or 0 where they are all equal.

        Raises
        ------
        NumberError
            Where the range of float payoffs is beyond float64.

        Examples
        --------
        >>> unit, scales = NormalFormGame.of([[3, 5, 9]]).unit()
        >>> unit.payoffs, str(scales[0].low), str(scales[0].width)
        (Exact([[0, 1/3, 1]]), '3', '6')
        """
        rows: list[Numbers] = []
        scales = []
        for p in range(len(self.players)):
            own = self.payoffs[p]
            low = _minimum(own)
            above = own - low
            width = above[:, np.newaxis].max()
            constant = not width.signs().any()
            rows.append((above if constant else above / width)[np.newaxis])
            scales.append(Scale(low.item(), width.item()))
        return replace(self, payoffs=stack(rows)), tuple(scales)

    def table(self) -> Table:
        """Return the payoffs as a table: of rows and columns for two players, else by profile."""
        if len(self.players) == 2:
            first, second = self.players
            title = f"{self.title}: " if self.title else ""
            columns = self.shape[1]
            return bimatrix_table(
                f"{title}{first} picks the row, {second} the column",
                self.actions[0],
                self.actions[1],
                lambda i, j: ", ".join(self._cell(i * columns + j)),
            )
        title = self.title or "Game"
        caption = f"{title}: {' x '.join(map(str, self.shape))} profiles"
        return profile_table(caption, self.players, self.actions, self._cell)

    def _cell(self, place: int) -> list[str]:
        return [number_text(plain(v)) for v in self.payoffs[:, place].scalars()]


def check_size(shape: Sequence[int]) -> None:
    """Refuse a shape without players or actions, or with more profiles than fit."""
    if not shape:
        raise InvalidInputError("payoffs", shape, "has no player", "give one array a player")
    if len(shape) > MAX_PLAYERS:
        raise LimitError("players", len(shape), f"are more than {MAX_PLAYERS}", "use fewer")
    if 0 in shape:
        raise InvalidInputError(
            "actions", tuple(shape), "leave a player without any", "give each player an action"
        )
    if len(shape) * prod(shape) > MAX_PAYOFFS:
        raise LimitError(
            "payoffs",
            len(shape) * prod(shape),
            f"are more than {MAX_PAYOFFS:,}",
            "write the game as a BilinearGame, or use fewer actions",
        )


def _minimum(row: Numbers) -> Numbers:
    zero = row - row
    return zero[:1] - (zero - row)[:, np.newaxis].max()
