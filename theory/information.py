"""The value of information: realised, ex-post and ex-ante.

An agent with decision problem (X, U) would pick x0 = argmax E[U(x)]. A good that reveals the random
variable I at price p lets it pick x_i = argmax E[U(x) | I = i] instead. Then (volition, section 2)

* the *realised* value in state w is U(x_i)(w) - U(x0)(w) - p with i = I(w), eq. (1);
* the *ex-post* value after i is E[realised | I = i]
  = max_x E[U(x) | I = i] - E[U(x0) | I = i] - p, eq. (2);
* the *ex-ante* value is E[realised].

Several goods together act as their joint variable, and their prices add. All three values may be
taken given what is already known: everything is then conditioned on that event.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from theory._recheck import ReportedValues, gap_and_share
from theory.decision import Choice, Decision, DecisionProblem
from theory.errors import (
    ExactnessError,
    InvalidInputError,
    NullEventError,
    NumberError,
    ShapeError,
)
from theory.numbers import ClosedForm, Exact, Floats, Numbers, Scalar, rational
from theory.probability import Partition, ProbabilitySpace, Variable, check_states
from theory.shared.arguments import instance_of, read_tuple, refusing
from theory.shared.printable import escape
from theory.shared.rounding import check_gap, gap_note
from theory.shared.shapes import Event, Float, Integer, Labels
from theory.verdicts import Table

__all__ = [
    "Good",
    "InformationValue",
    "Realisation",
    "ex_ante_value",
    "joint_good",
    "perfect_information",
    "price_like",
    "value_of_information",
]


@refusing
@dataclass(frozen=True, eq=False)
class Good:
    """An information good: it reveals the values of some variables, at a price.

    The price is exact (integer, fraction, text) or a float, as the problem's numbers are. It may
    be negative: a good one is paid to look at.
    """

    name: str
    variables: tuple[Variable, ...]
    price: Fraction | float = Fraction(0)

    def __post_init__(self) -> None:
        read_tuple(f"variables of {self.name}", self.variables, "use space.variable")

    @classmethod
    def of(cls, name: str, variables: Variable | Iterable[Variable], price: object = 0) -> Good:
        """Build a good, reading the price (see :func:`theory.numbers.rational`)."""
        one = isinstance(variables, Variable)
        fix = "use space.variable"
        shown = (variables,) if one else read_tuple(f"variables of {name}", variables, fix)
        for variable in shown:
            if not isinstance(variable, Variable):
                raise InvalidInputError(f"variables of {name}", variable, "is not a Variable", fix)
        if isinstance(price, float | np.floating):
            if not np.isfinite(price):
                raise NumberError(f"price of {name}", price, "is not finite", "give a number")
            return cls(name, shown, float(price))
        return cls(name, shown, rational(price, f"price of {name}"))

    def exact(self) -> Good:
        """Return the good with a float price read as the rational that it is."""
        if isinstance(self.price, Fraction):
            return self
        return Good(self.name, self.variables, Fraction(self.price))

    def signal(self, states: int) -> Partition:
        """Return the partition that the good reveals: that of its variables jointly."""
        for variable in self.variables:
            if len(variable) != states:
                raise ShapeError(
                    f"good {self.name}, variable {variable.name}",
                    len(variable),
                    f"is not over {states} states",
                    "use variables of the problem's space",
                )
        return Partition.generated_by(self.variables, states)


def goods_of(argument: str, goods: object) -> tuple[Good, ...]:
    """Return a list of goods as a tuple; anything else in it, or in its place, raises."""
    found = read_tuple(argument, goods, "give a list of goods")
    for good in found:
        if not isinstance(good, Good):
            raise InvalidInputError(argument, good, "is not a Good", "use Good.of")
    return found


@refusing
def joint_good(goods: Sequence[Good]) -> Good:
    """Return several goods as one: their joint variable at the sum of their prices.

    A variable that several of them reveal is revealed once. Whole prices go with floats.
    """
    goods = goods_of("goods", goods)
    if not goods:
        raise InvalidInputError("goods", goods, "is empty", "give at least one good")
    prices = [good.price for good in goods]
    exact = [price for price in prices if not isinstance(price, float)]
    if len(exact) < len(prices) and any(Fraction(price).denominator != 1 for price in exact):
        raise ExactnessError("prices", prices, "mix floats with exact numbers", "write one kind")
    shown = {(v.name, v.partition, v.values): v for good in goods for v in good.variables}
    price = sum(prices[1:], prices[0])
    return Good(" + ".join(good.name for good in goods), tuple(shown.values()), price)


def perfect_information(space: ProbabilitySpace, price: object = 0) -> Good:
    """Return the good that reveals the state itself."""
    instance_of("space", space, ProbabilitySpace, "use ProbabilitySpace.of, or problem.space")
    state = Variable("state", Partition.discrete(len(space)), tuple(space.states))
    return Good.of("perfect information", state, price)


@dataclass(frozen=True)
class Realisation:
    """What a good may turn out to say, and what that is worth."""

    values: tuple[Hashable, ...]
    """Value of each of the good's variables."""
    probability: Scalar
    choice: Choice
    ex_post: Scalar


@dataclass(frozen=True, eq=False)
class InformationValue:
    """The value of one good: realised in every possible state, ex-post, ex-ante.

    ``gap`` bounds the difference between these values and those that separate code recomputes from
    the definitions; it is 0 in exact arithmetic.
    """

    good: Good
    space: ProbabilitySpace
    """The possible states, given what was known."""
    prior: Choice
    realisations: tuple[Realisation, ...]
    realised: Numbers
    """Realised value in each state of ``space``."""
    ex_ante: Scalar
    gap: Fraction | float
    arithmetic: str
    states: Sequence[Hashable] = ()
    """All states of the problem, those that were ruled out included."""

    @cached_property
    def by_state(self) -> dict[Hashable, Scalar]:
        """Realised value by state."""
        return dict(zip(self.space.states, self.realised.scalars(), strict=True))

    def in_hindsight(self, states: Event | Iterable[Hashable]) -> Scalar:
        """E[realised value | states]: the value as judged by someone who knows more.

        Parameters
        ----------
        states : names, or boolean array over the states of the problem
            What is known in hindsight.

        Raises
        ------
        UnknownNameError
            For a name that is no state's; the nearest one is suggested.
        NullEventError
            When the states have probability zero.
        """
        everything = self.states or self.space.states
        wanted = set(_named_states("states", states, everything))
        inside = np.array([state in wanted for state in self.space.states], dtype=bool)
        if not inside.any():
            raise NullEventError(
                "states", sorted(map(str, wanted)), "has probability zero", "name possible states"
            )
        p = self.space.probabilities[inside]
        return ((p * self.realised[inside]).sum() / p.sum()).item()

    def table(self) -> Table:
        """Return the realisations as a table."""
        names = tuple(v.name for v in self.good.variables)
        rows = tuple(
            (
                *map(str, r.values),
                _text(r.probability),
                str(r.choice),
                _text(r.ex_post),
            )
            for r in self.realisations
        )
        return Table(
            caption=f"{self.good.name} at price {self.good.price}: ex-ante {_text(self.ex_ante)}; "
            f"without it: {self.prior}",
            columns=(*names, "probability", "choice", "ex-post value"),
            rows=rows,
        )

    def __str__(self) -> str:
        return f"{self.table()}\n{gap_note(self.arithmetic, self.gap)}"

    def _repr_html_(self) -> str:
        note = escape(gap_note(self.arithmetic, self.gap))
        return f"{self.table()._repr_html_()}<p>{note}</p>"


@refusing
def value_of_information(
    problem: Decision,
    good: Good,
    given: Event | Iterable[Hashable] | None = None,
    *,
    any_gap: bool = False,
) -> InformationValue:
    """Value a good by eqs. (1) and (2) of volition, given the event that is already known.

    Parameters
    ----------
    problem : Decision
        A :class:`~theory.decision.DecisionProblem` or :class:`~theory.decision.Forecast`.
    good : Good
        What is revealed, and its price.
    given : names of states, or boolean array over the states, optional
        What is already known to be so; any state may be when left out.
    any_gap : bool
        Whether to return a float64 answer whose gap rounding does not explain.

    Raises
    ------
    InvalidInputError
        For what is no decision problem or no good.
    UnknownNameError
        For a name in ``given`` that is no state's.
    RoundingError
        For a float64 answer that separate code finds to be off by more than rounding explains;
        ``value_of_information(problem.exact(), good.exact())`` has the exact one.
    NullEventError
        When ``given`` has probability zero.
    ShapeError
        When a variable is not over the problem's states.
    ExactnessError
        When floats would meet exact numbers.

    Notes
    -----
    O(actions x states) numbers are added and multiplied. Ties go to the lowest index.

    Examples
    --------
    >>> space = ProbabilitySpace.of({"rain": "1/4", "dry": "3/4"})
    >>> problem = DecisionProblem.of(space, {"umbrella": [0, -1], "none": [-4, 0]})
    >>> print(value_of_information(problem, perfect_information(space, "1/4")).ex_ante)
    1/2
    """
    instance_of("problem", problem, Decision, "use DecisionProblem.of")
    instance_of("good", good, Good, "use Good.of; join several by joint_good")
    known = np.ones(len(problem.space), dtype=bool)
    if given is not None:
        known = problem.space.event_of(given, "given")
    whole_signal = good.signal(len(problem.space))
    possible = problem.condition_on(known)
    kept = known & problem.space.support
    signal = whole_signal if kept.all() else Partition.of(whole_signal.labels[kept])
    space, p = possible.space, possible.space.probabilities
    price = price_like(good.price, p)

    nothing = Partition.trivial(len(space))
    prior = possible.decide(nothing)
    informed = possible.decide(signal)
    realised = possible.utility(informed, signal) - possible.utility(prior, nothing) - price

    masses = p.block_sums(signal.labels, signal.count)
    weighted = p * realised
    ex_post = weighted.block_sums(signal.labels, signal.count).ratios(masses)
    ex_ante = weighted.sum().item()

    first = np.flatnonzero(kept)[np.unique(signal.labels, return_index=True)[1]].tolist()
    values = [
        tuple(v.values[int(v.partition.labels[state])] for v in good.variables) for state in first
    ]
    realisations = tuple(
        Realisation(*row) for row in zip(values, masses.scalars(), informed, ex_post, strict=True)
    )
    answer = ReportedValues(good.price, prior[0], informed, ex_post, realised.scalars(), ex_ante)
    gap, share = gap_and_share(possible, signal.labels, answer)
    if not any_gap:
        exact = "value_of_information(problem.exact(), good.exact())"
        check_gap("the value of information", gap, share, exact)
    return InformationValue(
        good,
        space,
        prior[0],
        realisations,
        realised,
        ex_ante,
        gap,
        realised.kind,
        problem.space.states,
    )


@refusing
def ex_ante_value(
    probabilities: Float[np.ndarray, " states"] | Numbers,
    utilities: Float[np.ndarray, "actions states"] | Numbers,
    signal: Integer[np.ndarray, " states"] | Partition,
    price: float | Fraction = 0,
) -> Scalar:
    """Ex-ante value of a signal: E[U(argmax_x E[U(x) | I])] - max_x E[U(x)] - price.

    It is the ex-ante value of :func:`value_of_information` with its products cancelled, for large
    arrays.

    Parameters
    ----------
    probabilities : float array or Numbers, shape (states,)
    utilities : float array or Numbers, shape (actions, states)
        One row an action.
    signal : integer array or Partition
        Label of each state; quickest where the labels are the first few numbers from 0 on.
    price : number

    Raises
    ------
    ProbabilityError, ShapeError, NumberError, ExactnessError
        As for :class:`~theory.probability.ProbabilitySpace` and
        :class:`~theory.decision.DecisionProblem`.

    Notes
    -----
    One pass over the utilities, O(actions x states), in cache-sized pieces for float64.

    Examples
    --------
    >>> utilities = np.array([[0.0, -1.0], [-4.0, 0.0]])
    >>> ex_ante_value(np.array([0.25, 0.75]), utilities, np.array([0, 1]))
    0.75
    """
    space = ProbabilitySpace.of(probabilities)
    problem = DecisionProblem.of(space, utilities)
    labels, count = _labels(signal, len(space))
    p = space.probabilities
    sums = problem.utilities.weighted_block_sums(p, labels, count)
    knowing, blind = sums.max().sum(), sums.sum()[:, np.newaxis].max().sum()
    return (knowing - blind - price_like(price, p)).item()


def _labels(signal: Integer[np.ndarray, " states"] | Partition, states: int) -> tuple[Labels, int]:
    labels = signal.labels if isinstance(signal, Partition) else np.asarray(signal)
    check_states("signal", labels.shape, states)
    if isinstance(signal, Partition):
        return labels, signal.count
    if labels.dtype.kind in "iu" and labels.min() >= 0 and labels.max() < 4 * states:
        return labels.astype(np.int64, copy=False), int(labels.max()) + 1
    compact = Partition.of(labels)
    return compact.labels, compact.count


def _named_states(
    argument: str, given: Event | Iterable[Hashable], states: Sequence[Hashable]
) -> list[Hashable]:
    """Return the states that are named, or marked by truth values."""
    uniform = ProbabilitySpace.uniform(states if isinstance(states, range) else tuple(states))
    marks = uniform.event_of(given, argument).tolist()
    return [state for state, mark in zip(states, marks, strict=True) if mark]


@refusing
def price_like(price: Fraction | float, like: Numbers) -> Numbers:
    """Return a price as the kind of number that ``like`` is.

    Raises
    ------
    ExactnessError
        For a float beside exact numbers, or a fraction beside floats.
    """
    if not isinstance(like, Floats):
        return Exact.of(price, "price")
    if isinstance(price, float | np.floating):
        return Floats.of(price, "price")
    exact = rational(price, "price")
    if exact.denominator != 1:
        raise ExactnessError("price", price, "stands beside floats", "write it as a float")
    return Floats.of(float(exact), "price")


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, ClosedForm) and value.as_rational() is None:
        return f"{value} ≈ {float(value):.6g}"
    return str(value)
