"""The best and the worst correlated equilibria of a game, with a certificate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from theory.correlated._certificate import Certificate, Multiplier, certify
from theory.correlated._distribution import read_joint
from theory.correlated._gaps import EquilibriumGaps, gaps_of
from theory.correlated._program import Concept, Objective, check_concept, objective_of
from theory.correlated._solvers import solve_exactly, solve_floats
from theory.linear import CertificateError
from theory.normal_form import NormalFormGame
from theory.normal_form.kinds import plain, together
from theory.numbers import Exact, Floats, Numbers, Scalar
from theory.shared.arguments import instance_of
from theory.shared.printable import escape
from theory.shared.text import number_text
from theory.verdicts import Table

__all__ = ["CorrelatedEquilibrium", "correlated_equilibrium"]

Profile = tuple[str, ...]

_SHOWN: Final = 24
_TOLERANCE: Final = 1e-7
"""How large a gap is accepted in float64, relative to the range of what it is a gap in."""


@dataclass(frozen=True, eq=False)
class CorrelatedEquilibrium:
    """A correlated equilibrium that is best for an objective, and what proves that it is.

    Attributes
    ----------
    concept : "ce" or "cce"
    objective : str
        What was asked for, in words.
    distribution : dict from profiles to numbers
        The probability of each profile that is played, in C order.
    value : number
        The objective's value.
    gap : number
        The distance of the value to the bound that the certificate proves; 0 where exact.
    tolerance : float
        How large a gap was accepted; 0 where exact.
    certificate : Certificate
        The bound on all equilibria, recomputed from the game and the prices alone.
    gaps : EquilibriumGaps
        By how much the constraints fail: 0 where exact.
    """

    concept: str
    objective: str
    distribution: dict[Profile, Scalar]
    value: Scalar
    gap: Scalar
    tolerance: float
    certificate: Certificate
    gaps: EquilibriumGaps
    game: NormalFormGame = field(repr=False)

    @property
    def payoffs(self) -> tuple[Scalar, ...]:
        """What each player gets."""
        return tuple(gaps.payoff for gaps in self.gaps.players)

    def array(self) -> np.ndarray:
        """Return the distribution as an array of the game's shape, of Fraction or float64."""
        joint = np.zeros(
            self.game.shape, dtype=object if self.gaps.arithmetic == "exact" else np.float64
        )
        for profile, probability in self.distribution.items():
            place = self.game.profile(profile)
            joint[np.unravel_index(place, self.game.shape)] = probability
        return joint

    def table(self) -> Table:
        """Return the profiles that are played, with what they pay."""
        name = "coarse correlated" if self.concept == "cce" else "correlated"
        paid = ", ".join(map(number_text, self.payoffs))
        rows = [
            (
                *profile,
                number_text(probability),
                *(number_text(self.game.payoff(p, profile)) for p in self.game.players),
            )
            for profile, probability in list(self.distribution.items())[:_SHOWN]
        ]
        if len(self.distribution) > _SHOWN:
            rest = f"{len(self.distribution) - _SHOWN} more"
            rows.append((rest, *([""] * (2 * len(self.game.players)))))
        return Table(
            caption=(
                f"The {name} equilibrium of {self.objective}: {number_text(self.value)} "
                f"(gap {number_text(self.gap)}; paying {paid})"
            ),
            columns=(
                *self.game.players,
                "probability",
                *(f"pays {player}" for player in self.game.players),
            ),
            rows=tuple(rows),
        )

    def __str__(self) -> str:
        return f"{self.table()}\n\n{self.certificate}"

    def _repr_html_(self) -> str:
        return f"{self.table()._repr_html_()}<pre>{escape(str(self.certificate))}</pre>"


def correlated_equilibrium(
    game: NormalFormGame,
    *,
    concept: Concept = "ce",
    objective: Objective | Sequence[Any] | np.ndarray = "max_welfare",
    pivots: int | None = None,
) -> CorrelatedEquilibrium:
    """Return a correlated or coarse correlated equilibrium that is best for an objective.

    The equilibria are the distributions x over profiles with Σ x(a) (u_p(a) - u_p(j, a_-p)) ≥ 0,
    summed over a with a_p = i for each player p and actions i, j ("ce"), or over all a for each p
    and j ("cce"). Among them a linear program finds the greatest or least Σ_p w_p u_p(x).

    Parameters
    ----------
    game : NormalFormGame
    concept : "ce" or "cce"
    objective : "max_welfare", "min_welfare", or one weight a player
        Welfare is the sum of payoffs. With weights their weighted sum is maximised; they may be
        negative.
    pivots : int, optional
        The most exact pivots to make for an exact game, see :func:`theory.linear.solve`; when left
        out as many as it takes.

    Returns
    -------
    CorrelatedEquilibrium
        Exact for exact games, by :mod:`theory.linear`; otherwise by HiGHS, through SciPy. Either
        way the distribution's gaps and the bound are recomputed by code that does not solve.

    Raises
    ------
    LimitError
        For an exact game whose tableau, rows x (rows + profiles), is above
        ``theory.linear.MAX_ENTRIES`` or that needs more ``pivots``, or a float game with more than
        5,000,000 entries.
    InvalidInputError
        For an unknown concept or objective, or weights that are not one a player.
    CertificateError
        Where a solver's answer does not prove itself: exactly, or for floats within 1e-7 of the
        range of payoffs and objective.

    Notes
    -----
    Two players with 13 actions each are near the limit of exact "ce" programs, about 2 s.

    Source: R. Aumann, "Correlated equilibrium as an expression of Bayesian rationality",
    Econometrica 55 (1987); S. Hart and D. Schmeidler, "Existence of correlated equilibria",
    Mathematics of Operations Research 14 (1989).

    Examples
    --------
    >>> chicken = NormalFormGame.bimatrix(
    ...     [[6, 2], [7, 0]], [[6, 7], [2, 0]],
    ...     players=["Ann", "Bob"], actions=[["yield", "dare"]] * 2,
    ... )
    >>> print(correlated_equilibrium(chicken))
    The correlated equilibrium of greatest welfare: 21/2 (gap 0; paying 21/4, 21/4)
    Ann    Bob    probability  pays Ann  pays Bob
    ─────  ─────  ───────────  ────────  ────────
    yield  yield  1/2          6         6
    yield  dare   1/4          2         7
    dare   yield  1/4          7         2
    <BLANKLINE>
    No equilibrium goes above 21/2: no profile does, once there is added
      3/4 x what Ann loses by 'dare', when told 'yield'
      3/4 x what Bob loses by 'dare', when told 'yield'
    """
    instance_of("game", game, NormalFormGame, "use NormalFormGame.of")
    check_concept(concept)
    weights, maximise, wanted = objective_of(game, objective)
    payoffs, weights = together(("payoffs", game.payoffs), ("objective", weights))
    if payoffs is not game.payoffs:
        game = replace(game, payoffs=payoffs)
    if isinstance(payoffs, Exact):
        x, prices = solve_exactly(game, concept, weights, maximise, pivots)
    else:
        x, prices = solve_floats(game, concept, weights, maximise)
    distribution = {game.profile_names(k): v for k, v in enumerate(x) if v}
    gaps = gaps_of(read_joint(game, distribution))
    paid = [g.payoff for g in gaps.players]
    value: Any = sum(w * u for w, u in zip(weights.scalars(), paid, strict=True))
    bound = certify(game, weights, maximise, prices)
    bound = float(bound) if isinstance(payoffs, Floats) else bound
    certificate = Certificate(
        multipliers=tuple(
            Multiplier(
                game.players[p], None if i is None else game.actions[p][i], game.actions[p][j], y
            )
            for p, i, j, y in prices
        ),
        bound=bound,
        maximise=maximise,
    )
    found = CorrelatedEquilibrium(
        concept=concept,
        objective=wanted,
        distribution=distribution,
        value=plain(value),
        gap=plain(abs(bound - value)),
        tolerance=_accepted_gap(payoffs, weights),
        certificate=certificate,
        gaps=gaps,
        game=game,
    )
    _check(found)
    return found


def _accepted_gap(payoffs: Numbers, weights: Numbers) -> float:
    if not (isinstance(payoffs, Floats) and isinstance(weights, Floats)):
        return 0.0
    share = np.abs(weights.values)
    rounding = 8 * payoffs.values.shape[1] * float(np.finfo(np.float64).eps)
    return float(share @ (_TOLERANCE * _widths(payoffs) + rounding * _largest(payoffs)))


def _largest(payoffs: Floats) -> np.ndarray:
    return np.asarray(np.abs(payoffs.values).max(axis=1))


def _widths(payoffs: Floats) -> np.ndarray:
    return np.asarray(payoffs.values.max(axis=1) - payoffs.values.min(axis=1))


def _check(found: CorrelatedEquilibrium) -> None:
    if found.gap > found.tolerance:
        raise CertificateError(f"the solver's dual leaves a gap of {found.gap}")
    payoffs, players = found.game.payoffs, found.gaps.players
    widths = _widths(payoffs) if isinstance(payoffs, Floats) else np.zeros(len(players))
    for g, width in zip(players, widths.tolist(), strict=True):
        gain = g.internal.gain if found.concept == "ce" else g.external.gain
        if gain > _TOLERANCE * width:
            raise CertificateError(f"the solver's distribution lets {g.player} gain {gain}")
