"""The auction in rationals, with money as logarithms of rationals."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mechanisms.softmax_auction._allocation_and_payments import read_offset
from mechanisms.softmax_auction.definition import auction_by_definition
from theory.errors import NumberError, ProbabilityError, ShapeError
from theory.numbers import ClosedForm, Exact, log, rational
from theory.shared.text import number_text
from theory.verdicts import Table

__all__ = ["ExactAuction", "exact_auction"]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ExactAuction:
    r"""The auction of one query, without rounding.

    Attributes
    ----------
    allocation : tuple of Fraction
        p, the law of the reply.
    allocation_without : tuple of tuples of Fraction
        :math:`q_i`, the law with agent i away, one row an agent.
    expected_rewards, payments, utilities, reward_gains, utility_gains : tuples of ClosedForm
        As in ``AuctionOutcome``, one entry an agent; they compare exactly.
    tau : Fraction
    offset : bool
    """

    allocation: tuple[Fraction, ...]
    allocation_without: tuple[tuple[Fraction, ...], ...]
    expected_rewards: tuple[ClosedForm, ...]
    payments: tuple[ClosedForm, ...]
    utilities: tuple[ClosedForm, ...]
    reward_gains: tuple[ClosedForm, ...]
    utility_gains: tuple[ClosedForm, ...]
    tau: Fraction
    offset: bool

    @property
    def revenue(self) -> ClosedForm:
        """The sum of all payments."""
        return sum(self.payments, ClosedForm(Fraction(0)))

    def table(self) -> Table:
        """Return the agents as a table."""
        law = ", ".join(number_text(p) for p in self.allocation)
        rows = [
            (str(i), *map(number_text, numbers))
            for i, numbers in enumerate(
                zip(self.expected_rewards, self.payments, self.utilities, strict=True)
            )
        ]
        kind = "with" if self.offset else "without"
        return Table(
            caption=f"Softmax auction at tau = {self.tau}, {kind} the offset: p = ({law})",
            columns=("agent", "expected reward", "payment", "utility"),
            rows=tuple(rows),
        )

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        return f"ExactAuction({len(self.payments)} agents, {len(self.allocation)} candidates)"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def exact_auction(
    odds: Any, weights: Any = None, *, tau: Any = 1, offset: bool = True
) -> ExactAuction:
    r"""Return the auction whose rewards are logarithms of rationals, without rounding.

    Parameters
    ----------
    odds : rows of rationals, one an agent
        ``odds[i][j]`` is :math:`e^{r_{ij}/\tau} > 0`: integers, Fractions, or text such as "3/2".
    weights : row of rationals, optional
        :math:`\rho_j \ge 0`, the reference's probability of candidate j over that of the law that
        drew it, up to a factor which only payments without the offset depend on; 1 where left out.
    tau : rational
        The unit of money: :math:`r_{ij} = \tau \log` of the odds.
    offset : bool
        As in :func:`~mechanisms.softmax_auction.softmax_payments`.

    Raises
    ------
    ExactnessError
        For floats.
    NumberError
        For odds or a tau that are not positive.
    ProbabilityError
        For negative weights, or weights that are all 0.
    ShapeError
        For shapes that disagree, no agents or no candidates.

    Notes
    -----
    O(agents * candidates) operations on rationals whose digits grow with the number of agents.

    Examples
    --------
    >>> print(exact_auction([[2, 1], [1, 3]]))
    Softmax auction at tau = 1, with the offset: p = (2/5, 3/5)
    agent  expected reward        payment                           utility
    ─────  ─────────────────────  ────────────────────────────────  ───────────────────
    0      2/5·log(2) ≈ 0.277259  12/5·log(2) - log(5) ≈ 0.0541153  log(5/4) ≈ 0.223144
    1      3/5·log(3) ≈ 0.659167  8/5·log(3) - log(5) ≈ 0.148342    log(5/3) ≈ 0.510826
    """
    table = Exact.of(odds, "odds")
    if len(table.shape) != 2 or 0 in table.shape:
        problem = "is no table with a row for each agent and a column for each candidate"
        raise ShapeError("odds", table.shape, problem, "give odds[agent][candidate]")
    rows = table.scalars()
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            if value <= 0:
                fix = "give exp(reward / tau)"
                raise NumberError(f"odds[{i}, {j}]", value, "is not positive", fix)
    ratios = _weights(weights, table.shape[1])
    heat = rational(tau, "tau")
    if heat <= 0:
        raise NumberError("tau", heat, "is not positive", "give a rational above 0")
    with_offset = read_offset(offset)
    rewards = [[log(value) for value in row] for row in rows]
    found = auction_by_definition(rows, ratios, rewards, log, offset=with_offset)

    def money(values: list[ClosedForm]) -> tuple[ClosedForm, ...]:
        return tuple(value * heat for value in values)

    return ExactAuction(
        allocation=tuple(found.allocation),
        allocation_without=tuple(map(tuple, found.allocation_without)),
        expected_rewards=money(found.expected_rewards),
        payments=money(found.payments),
        utilities=money(found.utilities),
        reward_gains=money(found.reward_gains),
        utility_gains=money(found.utility_gains),
        tau=heat,
        offset=with_offset,
    )


def _weights(weights: Any, candidates: int) -> list[Fraction]:
    if weights is None:
        return [Fraction(1)] * candidates
    row = Exact.of(weights, "weights")
    if row.shape != (candidates,):
        problem = f"is no row of {candidates} numbers"
        raise ShapeError("weights", row.shape, problem, "give one for each candidate")
    ratios = [Fraction(value) for value in row.scalars()]
    for j, value in enumerate(ratios):
        if value < 0:
            raise ProbabilityError(f"weights[{j}]", value, "is negative", "give at least 0")
    if not any(ratios):
        problem, fix = "are all 0", "give a candidate that the reference knows"
        raise ProbabilityError("weights", weights, problem, fix)
    return ratios
