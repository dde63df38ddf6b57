"""What proves that no equilibrium is worth more, or less: a price on each deviation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from theory.linear import CertificateError
from theory.normal_form import NormalFormGame
from theory.numbers import Numbers, Scalar
from theory.shared.printable import print_safely, printed_line
from theory.shared.text import number_text

__all__ = ["Certificate", "Multiplier", "certify"]


@dataclass(frozen=True, slots=True)
class Multiplier:
    """A price y > 0 on what a player loses by a deviation; ``source`` is None for any advice."""

    player: str
    source: str | None
    target: str
    price: Scalar

    @printed_line
    def __str__(self) -> str:
        told = "whatever is told" if self.source is None else f"when told {self.source!r}"
        return f"{number_text(self.price)} x what {self.player} loses by {self.target!r}, {told}"


@dataclass(frozen=True, slots=True)
class Certificate:
    """A dual solution, and the bound that it proves, computed apart from the solver.

    Let c(a) be the objective at profile a. Every equilibrium x has Σ x(a) L_d(a) ≥ 0 for each
    deviation d, where L_d(a) is what d loses at a. So with prices y_d ≥ 0

        Σ x(a) c(a) ≤ Σ x(a) (c(a) + Σ_d y_d L_d(a)) ≤ max over a of c(a) + Σ_d y_d L_d(a),

    which is ``bound``; for a least value the signs are reversed. Any prices give a bound.

    Attributes
    ----------
    multipliers : tuple of Multiplier
        The prices that are not zero.
    bound : number
    maximise : bool
        Whether the bound is on the greatest value, not on the least.
    """

    multipliers: tuple[Multiplier, ...]
    bound: Scalar
    maximise: bool

    @print_safely
    def __str__(self) -> str:
        side, change = ("above", "is added") if self.maximise else ("below", "is taken off")
        proof = f"no profile does, once there {change}" if self.multipliers else "no profile does"
        head = f"No equilibrium goes {side} {number_text(self.bound)}: {proof}"
        return "\n".join([head, *(f"  {multiplier}" for multiplier in self.multipliers)])


def certify(
    game: NormalFormGame,
    weights: Numbers,
    maximise: bool,
    prices: Sequence[tuple[int, int | None, int, Any]],
) -> Any:
    """Return the bound that prices on deviations (player, source, target) prove."""
    tensors = [_tensor(game.payoffs[p], game.shape) for p in range(len(game.shape))]
    total = sum(w * u for w, u in zip(weights.scalars(), tensors, strict=True))
    assert isinstance(total, np.ndarray)
    sign = 1 if maximise else -1
    for p, source, target, price in prices:
        if price < 0:
            raise CertificateError(f"the price {price} is negative")
        u = np.moveaxis(tensors[p], p, 0)
        lost = sign * price * (u - u[target])
        part = np.moveaxis(total, p, 0)
        if source is None:
            part += lost
        else:
            part[source] += lost[source]
    return total.max() if maximise else total.min()


def _tensor(payoffs: Numbers, shape: Sequence[int]) -> np.ndarray:
    values = payoffs.scalars()
    exact = not isinstance(values[0], float)
    flat = np.empty(len(values), dtype=object if exact else np.float64)
    flat[:] = values
    return flat.reshape(shape)
