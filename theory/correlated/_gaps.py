"""How far a joint distribution is from correlated and coarse correlated equilibrium."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, Final

import numpy as np

from theory.correlated._distribution import JointDistribution, read_joint
from theory.correlated._recheck import GapCheck, check_gaps
from theory.correlated._witness import (
    ExternalDeviation,
    InternalDeviation,
    PlayerGaps,
    Recommendation,
    SwapDeviation,
)
from theory.normal_form import NormalFormGame
from theory.normal_form.kinds import plain, stack
from theory.numbers import Floats, Numbers, Scalar
from theory.shared.shapes import Int64
from theory.shared.text import number_text
from theory.verdicts import Table

__all__ = ["EquilibriumGaps", "equilibrium_gaps", "gaps_of"]


# --- What a player gains by each deviation from each recommendation

_CELLS: Final = 1 << 22
"""Payoffs of deviations that are held at once."""

_DENSE: Final = 4
"""Floats are multiplied as matrices where at least one profile in so many is played."""


def deviation_gains(
    joint: JointDistribution,
    player: int,
    sources: Int64[np.ndarray, " sources"],
    labels: Int64[np.ndarray, " profiles"],
) -> Numbers:
    """Return g(i, j) with a row for each action j and a column for each i of ``sources``.

    ``sources`` are the actions that are recommended, ``labels`` their place in each profile played.
    """
    payoffs = joint.game.payoffs[player]
    dense = _DENSE * len(joint.support) >= prod(joint.game.shape)
    if dense and isinstance(payoffs, Floats) and isinstance(joint.weights, Floats):
        return Floats(_as_matrices(joint, player, sources, payoffs.values, joint.weights.values))
    return _by_profile(joint, player, sources, labels)


def _by_profile(
    joint: JointDistribution,
    player: int,
    sources: Int64[np.ndarray, " sources"],
    labels: Int64[np.ndarray, " profiles"],
) -> Numbers:
    """Sum over the profiles played, a few rows at a time."""
    stride, count = joint.game.strides[player], joint.game.shape[player]
    payoffs = joint.game.payoffs[player]
    obeyed = payoffs[joint.support]
    others = joint.support - sources[labels] * stride
    rows = max(1, _CELLS // len(others))
    parts = []
    for start in range(0, count, rows):
        targets = np.arange(start, min(start + rows, count))[:, np.newaxis]
        gained = payoffs[others + targets * stride] - obeyed
        parts.append(gained.weighted_block_sums(joint.weights, labels, len(sources)))
    return stack(parts)


def _as_matrices(
    joint: JointDistribution,
    player: int,
    sources: Int64[np.ndarray, " sources"],
    payoffs: np.ndarray,
    weights: np.ndarray,
) -> np.ndarray:
    """Multiply payoffs by probabilities; payoffs start at 0, so that large ones lose no digits."""
    shape = joint.game.shape
    full = np.zeros(prod(shape))
    full[joint.support] = weights
    x = np.moveaxis(full.reshape(shape), player, 0).reshape(shape[player], -1)[sources]
    low = Floats(payoffs[np.newaxis]) - Floats(payoffs.min(keepdims=True))
    u = np.moveaxis(low.values.reshape(shape), player, 0).reshape(shape[player], -1)
    earned = u @ x.T
    gains: np.ndarray = earned - earned[sources, np.arange(len(sources))]
    return gains


# --- How far a joint distribution is from correlated and coarse correlated equilibrium

_SHOWN: Final = 20


@dataclass(frozen=True, eq=False)
class EquilibriumGaps:
    """What players can gain by leaving a joint distribution, the best deviations, and how it shows.

    A distribution is an ε-coarse correlated equilibrium for ε = ``cce`` and an ε-correlated
    equilibrium, in the sense that no single swap of an action for another gains more than ε, for
    ε = ``ce``. Against all swaps at once the gap is ``swap``, up to N times ``ce``. All three are
    averages over recommendations, so they are small where each recommendation is rare: the gains
    given a recommendation, ``conditional``, are not.

    Attributes
    ----------
    cce, ce, swap : number
        The largest external, internal and swap gain of a player, at least 0.
    players : tuple of PlayerGaps
    arithmetic : "exact" or "float64"
    tolerance : float
        A bound on the rounding error of each gain that is not conditional; 0 where exact.
    """

    cce: Scalar
    ce: Scalar
    swap: Scalar
    players: tuple[PlayerGaps, ...]
    arithmetic: str
    tolerance: float
    joint: JointDistribution = field(repr=False)

    @property
    def conditional(self) -> Scalar:
        """The largest gain of a player given a recommendation."""
        return _largest([gaps.worst.gain for gaps in self.players])

    @property
    def is_correlated_equilibrium(self) -> bool:
        """Whether nobody gains by a swap; within the tolerance where the numbers are floats."""
        return bool(self.ce <= self.tolerance)

    @property
    def is_coarse_correlated_equilibrium(self) -> bool:
        """Whether nobody gains by one action for all; within the tolerance for floats."""
        return bool(self.cce <= self.tolerance)

    @cached_property
    def recheck(self) -> GapCheck:
        """The gaps once more, by plain loops over profiles in integers.

        O(profiles played x actions) operations on Python integers for each player. A float is read
        as the rational that it stands for, so the difference is the rounding error.
        """
        joint = self.joint
        return check_gaps(
            joint.game.shape,
            [joint.game.payoffs[p].scalars() for p in range(len(joint.game.shape))],
            dict(zip(joint.support.tolist(), joint.weights.scalars(), strict=True)),
            reported=(self.cce, self.ce, self.swap),
        )

    def table(self) -> Table:
        """Return each player's best deviations."""
        rows = []
        for g in self.players:
            about = (g.player, number_text(g.payoff))
            for deviation in (g.external, g.internal, g.swap):
                rows.append((*about, deviation.how, number_text(deviation.gain)))
                about = ("", "")
        within = f" ± {self.tolerance:.1g}" if self.tolerance else ""
        gaps = ((self.cce, "one action for all"), (self.ce, "one swap"), (self.swap, "all swaps"))
        written = ", ".join(f"{number_text(gap)}{within} ({name})" for gap, name in gaps)
        return Table(
            caption=f"Gaps in {self.arithmetic} numbers: {written}",
            columns=("player", "gets", "best deviation", "gains"),
            rows=tuple(rows),
        )

    def recommendations(self) -> Table:
        """Return what players could gain given what they are told, the largest gains first."""
        told = [(g.player, r) for g in self.players for r in g.conditional]
        told.sort(key=lambda pair: -float(pair[1].gain))
        rows = [
            (player, r.action, number_text(r.probability), r.reply, number_text(r.gain))
            for player, r in told[:_SHOWN]
        ]
        if len(told) > _SHOWN:
            rows.append((f"{len(told) - _SHOWN} more", "", "", "", ""))
        return Table(
            caption=f"Given a recommendation, up to {number_text(self.conditional)}",
            columns=("player", "told", "with probability", "best reply", "gains"),
            rows=tuple(rows),
        )

    def __str__(self) -> str:
        return f"{self.table()}\n\n{self.recommendations()}"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_() + self.recommendations()._repr_html_()


def equilibrium_gaps(game: NormalFormGame, distribution: Any) -> EquilibriumGaps:
    """Return what each player can gain by leaving a joint distribution of play.

    With x the distribution, the gain of player p from playing j where i is recommended is

        g_p(i, j) = Σ over a with a_p = i of x(a) (u_p(j, a_-p) - u_p(a)).

    The external gap is max_j Σ_i g_p(i, j), the internal one max_{i, j} g_p(i, j), the swap gap
    Σ_i max_j g_p(i, j), and given the recommendation i it is max_j g_p(i, j) / P(a_p = i). External
    and internal gaps are at most the swap gap, which is at most N_p internal gaps; the external gap
    is at most N_p - 1 of them.

    Parameters
    ----------
    game : NormalFormGame
    distribution : mapping or array
        Probabilities by profile, a tuple of action names or numbers, the others being zero; or an
        array of the game's shape.

    Returns
    -------
    EquilibriumGaps
        Exact where both arguments are. Integers are taken as floats where the rest is floats.

    Raises
    ------
    ProbabilityError
        For a negative probability, or a sum other than one (by more than 1e-9 for floats).
    ShapeError, UnknownNameError
        For an array of another shape, a profile of another length, or an unknown action.
    NumberError, ExactnessError
        For NaN, infinity or what is no number; for exact fractions beside floats.

    Notes
    -----
    O(profiles played x actions) for each player.

    Source: R. Aumann, "Subjectivity and correlation in randomized strategies", Journal of
    Mathematical Economics 1 (1974); H. Moulin and J.-P. Vial, "Strategically zero-sum games",
    International Journal of Game Theory 7 (1978), for the coarse one.

    Examples
    --------
    >>> pennies = NormalFormGame.zero_sum([[1, -1], [-1, 1]], players=["Ann", "Bob"])
    >>> print(equilibrium_gaps(pennies, {(0, 0): "1/2", (1, 1): "1/2"}).table())
    Gaps in exact numbers: 1 (one action for all), 1 (one swap), 2 (all swaps)
    player  gets  best deviation                 gains
    ──────  ────  ─────────────────────────────  ─────
    Ann     1     always play '0'                -1
                  no swap of one action gains    0
                  no swaps gain                  0
    Bob     -1    always play '0'                1
                  play '1' whenever told '0'     1
                  play '1' for '0', '0' for '1'  2
    """
    return gaps_of(read_joint(game, distribution))


def gaps_of(joint: JointDistribution) -> EquilibriumGaps:
    """Return the gaps of a distribution that has been read."""
    players = tuple(_player(joint, p) for p in range(len(joint.game.players)))
    return EquilibriumGaps(
        cce=_largest([g.external.gain for g in players]),
        ce=_largest([g.internal.gain for g in players]),
        swap=_largest([g.swap.gain for g in players]),
        players=players,
        arithmetic=joint.weights.kind,
        tolerance=_tolerance(joint),
        joint=joint,
    )


def _player(joint: JointDistribution, p: int) -> PlayerGaps:
    names = joint.game.actions[p]
    sources, labels = np.unique(joint.own_actions(p), return_inverse=True)
    gains = deviation_gains(joint, p, sources, labels)
    columns = range(len(sources))
    tops = gains.max()
    best = gains.maximisers().argmax(axis=0)
    best = np.where(tops.signs() > 0, best, sources)
    told = joint.weights.block_sums(labels, len(sources))
    given = tops.ratios(told)
    masses = told.scalars()
    top: list[Any] = [plain(v) for v in tops.scalars()]
    first = max(columns, key=lambda s: (top[s], -s))
    totals = gains.sum()
    always = int(totals[:, np.newaxis].maximisers()[:, 0].argmax())
    paid = (joint.game.payoffs[p][joint.support] * joint.weights).sum()
    return PlayerGaps(
        player=joint.game.players[p],
        payoff=plain(paid.item()),
        external=ExternalDeviation(plain(totals[always].item()), names[always]),
        internal=InternalDeviation(top[first], names[sources[first]], names[best[first]]),
        swap=SwapDeviation(
            plain(tops.sum().item()),
            tuple((names[sources[s]], names[best[s]]) for s in columns if top[s] > 0),
        ),
        conditional=tuple(
            Recommendation(names[sources[s]], masses[s], names[best[s]], plain(given[s]))
            for s in columns
        ),
    )


def _tolerance(joint: JointDistribution) -> float:
    """Bound the rounding error of a sum of as many products as there are profiles."""
    payoffs = joint.game.payoffs
    if not isinstance(payoffs, Floats):
        return 0.0
    width = float((payoffs.values.max(axis=1) - payoffs.values.min(axis=1)).max())
    terms = len(joint.support) + max(joint.game.shape) + 8
    return 2 * terms * float(np.finfo(np.float64).eps) * width


def _largest(gains: Sequence[Scalar]) -> Scalar:
    """Return the largest gain, at least zero, as a number of their kind."""
    top: Any = max(gains)
    found: Scalar = top if top > 0 else plain(top * 0)
    return found
