"""oracles, section 4: correlated equilibria of zero-sum games."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

from theory.correlated import equilibrium_gaps, nash_gap
from theory.normal_form import NormalFormGame
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = [
    "JOINT_PLAY",
    "CoarseIsNash",
    "JointPlay",
    "MarginalsAreNearlyNash",
    "marginals",
    "show_joint_play",
]

Mixed = tuple[list[Fraction], list[Fraction]]
Marginals = Callable[["JointPlay"], Mixed]


@dataclass(frozen=True)
class JointPlay:
    """A zero-sum game, which pays A to the row, and a distribution in proportion to weights."""

    A: tuple[tuple[int, ...], ...]
    weights: tuple[tuple[int, ...], ...]

    @cached_property
    def game(self) -> NormalFormGame:
        """The game."""
        return NormalFormGame.zero_sum(self.A)

    @cached_property
    def distribution(self) -> list[list[Fraction]]:
        """The joint distribution."""
        total = sum(map(sum, self.weights))
        return [[Fraction(w, total) for w in row] for row in self.weights]

    @property
    def is_product(self) -> bool:
        """Whether the players are independent."""
        x, y = marginals(self)
        rows = zip(self.distribution, x, strict=True)
        return all(p == a * b for row, a in rows for p, b in zip(row, y, strict=True))

    def __str__(self) -> str:
        P = [[str(p) for p in row] for row in self.distribution]
        shown = "; ".join(", ".join(row) for row in P)
        return f"A = ({'; '.join(', '.join(map(str, row)) for row in self.A)}), P = ({shown})"


def marginals(case: JointPlay) -> Mixed:
    """Return what each player plays."""
    P = case.distribution
    return [sum(row, Fraction(0)) for row in P], [
        sum(column, Fraction(0)) for column in zip(*P, strict=True)
    ]


@dataclass(frozen=True)
class CoarseIsNash:
    """Every CCE is Nash: a product of two mixed strategies from which nobody gains by leaving.

    ``of_marginals`` asks for the second half only, of the marginals.
    """

    of_marginals: bool = False
    marginals: Marginals = marginals

    def __call__(self, case: JointPlay) -> Trial:
        """Look at exact CCEs alone; non-trivial where not every payoff is the same."""
        gaps = equilibrium_gaps(case.game, case.distribution)
        if gaps.cce != 0:
            return Trial.unmet()
        gap = nash_gap(case.game, self.marginals(case)).gap
        failure = ""
        if not case.is_product and not self.of_marginals:
            correlated = "a CE" if gaps.ce == 0 else "a CCE"
            failure = f"it is {correlated} in which the players are not independent."
        elif gap != 0:
            failure = f"it is a CCE, and from its marginals a player gains {gap}."
        return Trial(nontrivial=len({a for row in case.A for a in row}) > 1, failure=failure)


@dataclass(frozen=True)
class MarginalsAreNearlyNash:
    """The marginals of an ε-CCE are ``factor`` ε-Nash.

    With ``together`` the two gains must sum to at most 2 ε as well.
    """

    factor: Fraction = Fraction(2)
    together: bool = True
    marginals: Marginals = marginals

    def __call__(self, case: JointPlay) -> Trial:
        """Compare; non-trivial where the players are not independent and A is not constant."""
        coarse: Any = equilibrium_gaps(case.game, case.distribution).cce
        nash = nash_gap(case.game, self.marginals(case))
        gains: list[Any] = [reply.gain for reply in nash.players]
        failure = ""
        if max(gains) > self.factor * coarse:
            failure = f"it is an ε-CCE for ε = {coarse}, and its marginals ε-Nash for {nash.gap}."
        elif self.together and sum(gains) > 2 * coarse:
            failure = f"it is an ε-CCE for ε = {coarse}, and the gains sum to {sum(gains)}."
        constant = len({a for row in case.A for a in row}) == 1
        return Trial(nontrivial=not case.is_product and not constant, failure=failure)


def show_joint_play(case: JointPlay) -> Exhibit:
    """Work a distribution out: payoffs, probabilities, the gaps, and the marginals."""
    x, y = marginals(case)
    rows = tuple(
        (str(i + 1), *(f"{a}, with {p}" for a, p in zip(*pair, strict=True)), str(x[i]))
        for i, pair in enumerate(zip(case.A, case.distribution, strict=True))
    )
    last = ("marginal", *map(str, y), "1")
    gaps = equilibrium_gaps(case.game, case.distribution)
    nash = nash_gap(case.game, (x, y)).gap
    table = Table(
        caption=f"Payoff and probability by profile: an ε-CCE for ε = {gaps.cce} and an ε-CE for "
        f"ε = {gaps.ce}; its marginals are ε-Nash for ε = {nash}",
        columns=("row", *(f"column {j + 1}" for j in range(len(y))), "marginal"),
        rows=(*rows, last),
    )
    return Exhibit(summary=str(case), tables=(table,))


SUPPORTS = [weights for weights in product((0, 1), repeat=4) if sum(weights) > 1]


def _build(draw: Draw, highest: int) -> JointPlay:
    payoffs = [0, *(draw.index(highest + 1) for _ in range(3))]
    weights = draw.choice(SUPPORTS)
    if max(payoffs) < highest:
        draw.reject()
    first, second = ((tuple(row[:2]), tuple(row[2:])) for row in (payoffs, weights))
    return JointPlay(first, second)


def _size(case: JointPlay) -> tuple[int, ...]:
    return (sum(map(sum, case.A)), sum(map(sum, case.weights)))


JOINT_PLAY: Family[JointPlay] = Family(
    description="zero-sum games with two actions a player, one payoff 0 and the others 0, 1 or 2, "
    "and distributions that are uniform on two to four profiles",
    level_name="the highest payoff",
    levels=(0, 1, 2),
    build=_build,
    size=_size,
)
