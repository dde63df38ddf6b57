"""The auction in certified balls, as narrow as is asked for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf, log2
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mechanisms.softmax_auction._allocation_and_payments import read_offset
from mechanisms.softmax_auction._reading import LARGEST, refuse_masked
from mechanisms.softmax_auction.definition import auction_by_definition
from theory.errors import (
    InvalidInputError,
    LimitError,
    NumberError,
    ProbabilityError,
    ShapeError,
    UndecidedError,
)
from theory.numbers import Interval, rational, refine
from theory.numbers.balls import ball, enclosing_interval
from theory.shared.shapes import Float64
from theory.verdicts import Table

if TYPE_CHECKING:
    from flint import arb

__all__ = ["CertifiedAuction", "certified_auction"]

_START: Final = 128
_MOST_BITS: Final = 1 << 17
_TINY: Final = -1100
"""Below 2 to this power no float64 is told from 0."""
_FINEST: Final = 1e-300


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class CertifiedAuction:
    """The auction of one query, enclosed.

    Attributes
    ----------
    payment_enclosures, utility_enclosures : tuples of Interval
        Intervals with rational ends that contain the payment and the utility of each agent; both
        ends are 0 where it is known to be 0.
    payments, utilities, expected_rewards, allocation : float64 arrays
        The middles, rounded; payments and utilities are right to ``relative``, the others to at
        least as many digits in relation to the largest of them.
    relative : float
        The width of enclosures in relation to their middles, at most; what is below 2^-1100 is
        only known to be so.
    bits : int
        The precision that was needed.
    offset : bool
    """

    payment_enclosures: tuple[Interval, ...]
    utility_enclosures: tuple[Interval, ...]
    payments: Float64[np.ndarray, " agents"]
    utilities: Float64[np.ndarray, " agents"]
    expected_rewards: Float64[np.ndarray, " agents"]
    allocation: Float64[np.ndarray, " candidates"]
    relative: float
    bits: int
    offset: bool

    def table(self) -> Table:
        """Return the agents as a table."""
        rows = [
            (str(i), *(f"{float(v):.15g}" for v in numbers))
            for i, numbers in enumerate(
                zip(self.expected_rewards, self.payments, self.utilities, strict=True)
            )
        ]
        kind = "with" if self.offset else "without"
        return Table(
            caption=f"Softmax auction, {kind} the offset: enclosed to {self.relative:g} of each "
            f"number with {self.bits:,} bits",
            columns=("agent", "expected reward", "payment", "utility"),
            rows=tuple(rows),
        )

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        return f"CertifiedAuction({len(self.payments)} agents, {len(self.allocation)} candidates)"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()


def certified_auction(
    rewards: Any,
    tau: Any,
    log_ref: Any = None,
    log_gen: Any = None,
    *,
    relative: float = 1e-12,
    offset: bool = True,
) -> CertifiedAuction:
    r"""Return the auction of one query with every digit that is asked for, at any cost in time.

    Parameters
    ----------
    rewards : rows of numbers, one an agent
        Floats, integers and Fractions are read as the rationals they are; text too ("0.1" is 1/10).
    tau : number
        Above 0.
    log_ref, log_gen : rows of numbers, optional
        As in :func:`~mechanisms.softmax_auction.softmax_allocation`.
    relative : float
        How wide an enclosure may be in relation to what it encloses.
    offset : bool
        As in :func:`~mechanisms.softmax_auction.softmax_payments`.

    Raises
    ------
    InvalidInputError
        Or one of its kinds, for what is no auction.
    UndecidedError
        When 131,072 bits do not do.

    Notes
    -----
    Balls of rising precision around the definition, odds taken in relation to those of the
    likeliest candidate. Payments and utilities that are 0 are found by algebra: :math:`p = q_i`
    where an agent's rewards are all equal, and sums of exponentials of rationals are equal only
    term by term (Lindemann and Weierstrass). Time O(agents * candidates) at each precision.

    Examples
    --------
    >>> print(certified_auction([[1e6, 0], [0, 1e6 - 1e-6]], "1/1000000"))
    Softmax auction, with the offset: enclosed to 1e-12 of each number with 128 bits
    agent  expected reward   payment           utility
    ─────  ────────────────  ────────────────  ────────────────────
    0      731060.075727633  731060.07572632   1.31326725416462e-06
    1      268939.924272098  268939.924271785  3.13259639671253e-07
    """
    rows = _table(rewards)
    heat = _number(tau, "tau")
    if heat <= 0:
        raise NumberError("tau", tau, "is not positive", "give a number above 0")
    ratios = _log_ratios(log_ref, log_gen, len(rows[0]))
    width = _width(relative)
    with_offset = read_offset(offset)
    possible = [j for j, ratio in enumerate(ratios) if ratio is not None]
    kept = [ratio for ratio in ratios if ratio is not None]
    shown = [[row[j] / heat for j in possible] for row in rows]
    enclosed = refine(
        lambda: _enclose_auction(shown, kept, heat, with_offset, width), _START, _MOST_BITS
    )
    allocation = np.zeros(len(ratios))
    allocation[possible] = enclosed.allocation
    return CertifiedAuction(
        payment_enclosures=enclosed.payments,
        utility_enclosures=enclosed.utilities,
        payments=_middles(enclosed.payments),
        utilities=_middles(enclosed.utilities),
        expected_rewards=np.array(enclosed.expected_rewards),
        allocation=allocation,
        relative=float(relative),
        bits=enclosed.bits,
        offset=with_offset,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _EnclosedOutcome:
    """What was found at one precision, turned into what keeps its digits at any other."""

    payments: tuple[Interval, ...]
    utilities: tuple[Interval, ...]
    expected_rewards: list[float]
    allocation: list[float]
    bits: int


def _enclose_auction(
    rewards: list[list[Fraction]],
    ratios: list[Fraction],
    tau: Fraction,
    offset: bool,
    width: int,
) -> _EnclosedOutcome:
    """Return the auction at the working precision; rewards in units of tau.

    Rewards and log rho enter less those of the likeliest candidate, of whom all odds are 1.
    """
    from flint import ctx

    scores = [sum(column) + ratio for *column, ratio in zip(*rewards, ratios, strict=True)]
    top = max(range(len(scores)), key=scores.__getitem__)
    moved = [[ball(r - row[top]) for r in row] for row in rewards]
    odds = [[x.exp() for x in row] for row in moved]
    weights = [ball(ratio - ratios[top]).exp() for ratio in ratios]
    found = auction_by_definition(odds, weights, moved, lambda x: x.log(), offset=offset)
    base = [ball(row[top]) for row in rewards]
    unit = ball(tau)
    common = ball(Fraction(scores[top]))
    expected = [(e + b) * unit for e, b in zip(found.expected_rewards, base, strict=True)]
    if offset:
        payments = [x * unit for x in found.payments]
        utilities = [(u + b) * unit for u, b in zip(found.utilities, base, strict=True)]
    else:
        owed = [ball(row[top] - scores[top]) for row in rewards]
        payments = [(x + o) * unit for x, o in zip(found.payments, owed, strict=True)]
        utilities = [(u + common) * unit for u in found.utilities]
    return _EnclosedOutcome(
        payments=_intervals(payments, _mark_free(rewards, offset), width, offset),
        utilities=_intervals(utilities, _worthless(rewards, ratios, offset), width),
        expected_rewards=[float(value) for value in expected],
        allocation=[float(p) for p in found.allocation],
        bits=int(ctx.prec),
    )


def _mark_free(rewards: list[list[Fraction]], offset: bool) -> list[bool]:
    """Return who pays nothing: with the offset, those whose rewards are all equal."""
    return [offset and len(set(row)) == 1 for row in rewards]


def _worthless(rewards: list[list[Fraction]], ratios: list[Fraction], offset: bool) -> list[bool]:
    """Return whose utility is 0: the exponents with and without the agent are the same."""
    scores = [sum(column) + ratio for *column, ratio in zip(*rewards, ratios, strict=True)]
    if not offset:
        return [scores == [0]] * len(rewards)
    counts = Counter(scores)
    return [
        not any(row) or counts == Counter(s - r for s, r in zip(scores, row, strict=True))
        for row in rewards
    ]


def _intervals(
    values: list[arb], zeros: list[bool], width: int, divergences: bool = False
) -> tuple[Interval, ...]:
    """Return what balls cover, 0 where that is known, nothing below 0 where they are divergences.

    Raises
    ------
    UndecidedError
        When one is known to fewer bits than ``width``.
    """
    for value, zero in zip(values, zeros, strict=True):
        if not (zero or _is_tiny(value) or value.rel_accuracy_bits() >= width):
            raise UndecidedError("a payment or a utility is not known to enough digits")
    nothing = Interval(Fraction(0), Fraction(0))
    pairs = zip(values, zeros, strict=True)
    return tuple(nothing if zero else _interval(value, divergences) for value, zero in pairs)


def _is_tiny(value: arb) -> bool:
    from flint import arb

    return bool(value.is_finite() and abs(value) < arb(2) ** _TINY)


def _interval(value: arb, known_positive: bool) -> Interval:
    if value.is_zero() or not _is_tiny(value):
        return enclosing_interval(value)
    tiny = Fraction(1, 1 << -_TINY)
    low = Fraction(0) if known_positive or value.lower() >= 0 else -tiny
    return Interval(low, tiny)


def _middles(enclosures: tuple[Interval, ...]) -> Float64[np.ndarray, " agents"]:
    return np.array([float((e.lower + e.upper) / 2) for e in enclosures])


def _table(rewards: Any) -> list[list[Fraction]]:
    fix = "give rewards[agent][candidate], of one query"
    refuse_masked("rewards", rewards)
    try:
        rows = [list(row) for row in rewards]
    except TypeError:
        raise ShapeError("rewards", rewards, "is no table", fix) from None
    if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
        raise ShapeError("rewards", rewards, "is no table of at least one agent and one", fix)
    return [
        [_number(value, f"rewards[{i}, {j}]") for j, value in enumerate(row)]
        for i, row in enumerate(rows)
    ]


def _number(value: Any, argument: str) -> Fraction:
    number = _rational(value, argument)
    if abs(number) > LARGEST:
        fix = f"scale rewards and tau to stay below {LARGEST:g}"
        raise LimitError(argument, value, "is too large to be shown in float64", fix)
    return number


def _rational(value: Any, argument: str) -> Fraction:
    if isinstance(value, float | np.floating):
        if not np.isfinite(value):
            raise NumberError(argument, value, "is not finite", "give a number")
        return Fraction(*value.as_integer_ratio())
    if isinstance(value, list | tuple | np.ndarray) and np.ndim(value):
        raise ShapeError(argument, value, "is no number", "give the numbers of one query")
    if isinstance(value, np.ndarray):
        return _rational(value[()], argument)
    return rational(value, argument)


def _log_ratios(log_ref: Any, log_gen: Any, candidates: int) -> list[Fraction | None]:
    """Return log rho, None for candidates that the reference never writes."""
    if log_ref is None and log_gen is None:
        return [Fraction(0)] * candidates
    if log_ref is None or log_gen is None:
        missing, given = ("log_gen", "log_ref") if log_gen is None else ("log_ref", "log_gen")
        value = log_ref if log_gen is None else log_gen
        fix = f"give {missing} too, or leave out both where candidates come from the reference"
        raise InvalidInputError(given, value, f"is given without {missing}", fix)
    laws = []
    for argument, law in (("log_ref", log_ref), ("log_gen", log_gen)):
        try:
            row = list(law)
        except TypeError:
            row = []
        if len(row) != candidates:
            problem = f"does not have one entry for each of {candidates} candidates"
            raise ShapeError(argument, law, problem, f"give {argument}[candidate]")
        laws.append([_log(value, f"{argument}[{j}]", argument) for j, value in enumerate(row)])
    ratios = [None if a is None else a - (b or 0) for a, b in zip(*laws, strict=True)]
    if all(ratio is None for ratio in ratios):
        fix = "give a candidate that the reference knows"
        raise ProbabilityError("log_ref", log_ref, "has no possible candidate", fix)
    return ratios


def _log(value: Any, where: str, argument: str) -> Fraction | None:
    if isinstance(value, float | np.floating) and value == -inf:
        if argument == "log_ref":
            return None
        fix = "score candidates under the law that really drew them"
        raise ProbabilityError(where, value, "is a candidate that its generator cannot draw", fix)
    number = _number(value, where)
    if number > 0:
        fix = "give logarithms of probabilities, which are at most 0"
        raise ProbabilityError(where, value, "is above 0", fix)
    return number


def _width(relative: Any) -> int:
    """Return how many bits must be known for enclosures of that width."""
    if isinstance(relative, bool) or not isinstance(relative, int | float | np.floating):
        raise NumberError("relative", relative, "is no number", "give one such as 1e-12")
    if not 0 < relative < 1:
        raise NumberError("relative", relative, "is not between 0 and 1", "give 1e-12 or so")
    if relative < _FINEST:
        problem = f"is below {_FINEST:g}"
        raise LimitError("relative", relative, problem, "give a wider one")
    return ceil(-log2(relative)) + 3
