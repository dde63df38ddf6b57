"""How far independent mixed play is from Nash equilibrium."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from theory.correlated._recheck import GapCheck, check_nash
from theory.normal_form import NormalFormGame
from theory.normal_form.kinds import plain, together
from theory.normal_form.strategies import expected_rewards
from theory.numbers import Floats, Numbers, Scalar
from theory.shared.arguments import instance_of
from theory.shared.printable import printed_line
from theory.shared.text import number_text
from theory.verdicts import ShownAsTable, Table

__all__ = ["NashGap", "PlayerReply", "nash_gap"]


@dataclass(frozen=True, slots=True)
class PlayerReply:
    """A player's payoff, the first best reply to the others' mixed play, and what it gains."""

    player: str
    payoff: Scalar
    reply: str
    gain: Scalar

    @printed_line
    def __str__(self) -> str:
        return (
            f"{self.player} gets {number_text(self.payoff)}, and {number_text(self.gain)} more "
            f"by playing {self.reply!r}"
        )


@dataclass(frozen=True, eq=False)
class NashGap(ShownAsTable):
    """The largest gain of a player over independent mixed play: it is an ε-Nash equilibrium.

    Attributes
    ----------
    gap : number
        ε, at least 0: max over players p of max over j of u_p(j, x_-p) - u_p(x).
    players : tuple of PlayerReply
    arithmetic : "exact" or "float64"
    tolerance : float
        A bound on the rounding error of each gain; 0 where exact.
    """

    gap: Scalar
    players: tuple[PlayerReply, ...]
    arithmetic: str
    tolerance: float
    game: NormalFormGame = field(repr=False)
    strategies: tuple[Numbers, ...] = field(repr=False)

    @property
    def holds(self) -> bool:
        """Whether nobody gains; within the tolerance where the numbers are floats."""
        return bool(self.gap <= self.tolerance)

    @cached_property
    def recheck(self) -> GapCheck:
        """Each player's gain once more, by plain loops over all profiles in fractions."""
        return check_nash(
            self.game.shape,
            [self.game.payoffs[p].scalars() for p in range(len(self.players))],
            [row.scalars() for row in self.strategies],
            [reply.gain for reply in self.players],
        )

    def table(self) -> Table:
        """Return each player's best reply."""
        within = f" ± {self.tolerance:.1g}" if self.tolerance else ""
        return Table(
            caption=f"Nash gap in {self.arithmetic} numbers: {number_text(self.gap)}{within}",
            columns=("player", "gets", "best reply", "gains"),
            rows=tuple(
                (r.player, number_text(r.payoff), r.reply, number_text(r.gain))
                for r in self.players
            ),
        )


def nash_gap(game: NormalFormGame, strategies: Sequence[Any]) -> NashGap:
    """Return the largest gain of a player who leaves a profile of mixed strategies.

    Parameters
    ----------
    game : NormalFormGame
    strategies : one a player
        Probabilities, one an action; a mapping from actions; or what NumPy reads as an array.

    Raises
    ------
    ShapeError, ProbabilityError, NumberError, UnknownNameError
        For strategies that are no distributions over the actions.
    ExactnessError
        For exact fractions beside floats; integers are taken as either.

    Notes
    -----
    O(players x profiles).

    Examples
    --------
    >>> pennies = NormalFormGame.zero_sum([[1, -1], [-1, 1]])
    >>> print(nash_gap(pennies, [["1/2", "1/2"], ["2/3", "1/3"]]))
    Nash gap in exact numbers: 1/3
    player    gets  best reply  gains
    ────────  ────  ──────────  ─────
    player 1  0     0           1/3
    player 2  0     0           0
    """
    instance_of("game", game, NormalFormGame, "use NormalFormGame.of")
    read = [x for x in game.read_strategies(strategies) if x is not None]
    named = [(f"strategies[{p}]", x) for p, x in enumerate(read)]
    payoffs, *mixed = together(("payoffs", game.payoffs), *named)
    replies = tuple(_reply(game, payoffs[p], p, mixed) for p in range(len(mixed)))
    top: Any = max(reply.gain for reply in replies)
    floats = payoffs if isinstance(payoffs, Floats) else None
    return NashGap(
        gap=top if top > 0 else top * 0,
        players=replies,
        arithmetic=payoffs.kind,
        tolerance=0.0 if floats is None else _tolerance(floats, game.shape),
        game=game,
        strategies=tuple(mixed),
    )


def _reply(
    game: NormalFormGame, payoffs: Numbers, p: int, strategies: Sequence[Numbers]
) -> PlayerReply:
    worth = expected_rewards(payoffs, game.shape, p, strategies)
    best = int(worth[:, np.newaxis].maximisers()[:, 0].argmax())
    obeyed = (worth * strategies[p]).sum()
    gain = plain((worth[best] - obeyed).item())
    return PlayerReply(game.players[p], plain(obeyed.item()), game.actions[p][best], gain)


def _tolerance(payoffs: Floats, shape: Sequence[int]) -> float:
    largest = float(np.abs(payoffs.values).max())
    return 2 * (sum(shape) + 8) * float(np.finfo(np.float64).eps) * largest
