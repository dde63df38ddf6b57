"""Two ways to solve the programs: an exact simplex method, and HiGHS in float64."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from theory.correlated._program import Deviation, deviations, sizes
from theory.errors import LimitError
from theory.linear import MAX_ENTRIES, CertificateError, Constraint, LinearProgram, Status, solve
from theory.normal_form import NormalFormGame
from theory.numbers import Floats, Numbers

__all__ = ["MAX_NONZEROS", "solve_exactly", "solve_floats"]

MAX_NONZEROS: Final = 5_000_000
"""How many entries the float64 program may have."""

_DUST: Final = 1e-13

Price = tuple[int, int | None, int, Any]
Found = tuple[Sequence[Any], list[Price]]


def solve_exactly(
    game: NormalFormGame, concept: str, weights: Numbers, maximise: bool, pivots: int | None
) -> Found:
    """Return an optimal distribution, one number a profile, and the optimal prices."""
    rows, columns, _ = sizes(game.shape, concept)
    if rows * (rows + columns) > MAX_ENTRIES:
        raise LimitError(
            "game",
            rows * (rows + columns),
            f"makes {rows:,} rows and {columns:,} columns, an exact tableau of more than "
            f"{MAX_ENTRIES:,} entries",
            "use game.as_floats(), or fewer actions",
        )
    listed = list(deviations(game, concept))
    objective = _objective(game, weights).scalars()
    constraints = [_constraint(d, columns) for d in listed]
    program = LinearProgram(
        direction="maximise" if maximise else "minimise",
        objective=tuple(objective),
        constraints=(*constraints, Constraint((Fraction(1),) * columns, "=", Fraction(1))),
        free=(False,) * columns,
    )
    found = solve(program, pivots=pivots)
    if found.status is not Status.OPTIMAL or found.x is None or found.y is None:
        raise CertificateError(f"every game has a correlated equilibrium, but: {found.status}")
    prices = [
        (d.player, d.source, d.target, -y if maximise else y)
        for d, y in zip(listed, found.y[:-1], strict=True)
        if y
    ]
    return found.x, prices


def _objective(game: NormalFormGame, weights: Numbers) -> Numbers:
    total = game.payoffs[0] * weights[0]
    for p in range(1, len(game.players)):
        total = total + game.payoffs[p] * weights[p]
    return total


def _constraint(deviation: Deviation, columns: int) -> Constraint:
    row = [Fraction(0)] * columns
    losses = deviation.losses.scalars()
    for place, loss in zip(deviation.profiles.tolist(), losses, strict=True):
        row[place] = loss
    return Constraint(tuple(row), ">=", Fraction(0))


def solve_floats(game: NormalFormGame, concept: str, weights: Numbers, maximise: bool) -> Found:
    """Return a distribution and prices that HiGHS takes for optimal.

    Payoffs are mapped to [0, 1] for each player first, and the objective to a range of one, so that
    the solver's tolerances mean the same in every game. Negative probabilities and prices are cut.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix

    _, columns, nonzeros = sizes(game.shape, concept)
    if nonzeros > MAX_NONZEROS:
        raise LimitError(
            "game",
            nonzeros,
            f"makes a program of more than {MAX_NONZEROS:,} entries",
            "use fewer actions or players",
        )
    unit, scales = game.unit()
    listed = list(deviations(unit, concept))
    cost = _values(_objective(game, weights))
    range_ = float(cost.max() - cost.min()) or 1.0
    cost = (cost - cost.min()) / range_
    sign = -1.0 if maximise else 1.0
    lengths = [len(d.profiles) for d in listed]
    matrix = csr_matrix(
        (
            np.concatenate([np.zeros(0), *(-_values(d.losses) for d in listed)]),
            np.concatenate([np.zeros(0, np.int64), *(d.profiles for d in listed)]),
            np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]),
        ),
        shape=(len(listed), columns),
    )
    found = linprog(
        sign * cost,
        A_ub=matrix if listed else None,
        b_ub=np.zeros(len(listed)) if listed else None,
        A_eq=csr_matrix(np.ones((1, columns))),
        b_eq=[1.0],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.status != 0:
        raise CertificateError(f"HiGHS found no correlated equilibrium: {found.message}")
    x = np.where(found.x > _DUST, found.x, 0.0)
    y = np.maximum(-found.ineqlin.marginals, 0.0) if listed else []
    prices = [
        (d.player, d.source, d.target, float(v) * range_ / float(scales[d.player].width))
        for d, v in zip(listed, y, strict=True)
        if v > _DUST
    ]
    return (x / x.sum()).tolist(), prices


def _values(numbers: Numbers) -> np.ndarray:
    assert isinstance(numbers, Floats)
    return numbers.values
