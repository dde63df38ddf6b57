"""Games from a prior, from beliefs, and back: what the judge expects of what it has seen."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any, Final

import numpy as np

from theory.decision import Decision, DecisionProblem, Forecast
from theory.errors import InvalidInputError, LimitError, NullEventError, NumberError
from theory.information import Good, goods_of
from theory.marginal_value._game import MarginalValueGame
from theory.marginal_value._moves import Moves
from theory.marginal_value._sets import Names
from theory.numbers import ClosedForm, Exact, Floats, as_numbers, rational
from theory.probability import ProbabilitySpace, Variable
from theory.scoring import Score
from theory.shared.arguments import instance_of, read_tuple, refusing
from theory.shared.rounding import TIE_TOLERANCE, rounding_share
from theory.shared.rules import rule_of
from theory.shared.shapes import Bool

__all__ = ["MAX_STATES", "as_prior", "from_beliefs", "from_prior", "market_scoring"]

MAX_STATES: Final = 1 << 12
"""How many states a prior may have that is made from a game."""

Beliefs = Mapping[Any, object] | Callable[[frozenset[str]], object]
Utility = Callable[[Fraction, bool], Any]


@refusing
def from_prior(
    decision: Decision,
    goods: Sequence[Good],
    state: Hashable,
    prices: Mapping[str, object] | Callable[[frozenset[str]], object] | None = None,
    moves: Moves | str | Iterable[Iterable[str]] = Moves.SUBSETS,
) -> MarginalValueGame:
    """Return the game in which goods are revealed, one state being the true one.

    u_S(x) = E[U(x) | the goods of S have the values that they have in the state], by Bayes' rule.
    Where the decision is a :class:`~theory.decision.Forecast`, the actions are the beliefs that
    some set of goods leads to: no other forecast is ever best.

    Parameters
    ----------
    decision : DecisionProblem or Forecast
        The judge's prior and utilities.
    goods : sequence of Good
        The items, by their names.
    state : Hashable
        The true state.
    prices : mapping or function, optional
        Instead of the prices of the goods; "inf" is one.
    moves : Moves or family
        As for :meth:`MarginalValueGame.of`.

    Raises
    ------
    NullEventError
        For a state of probability zero.
    InvalidInputError, NumberError
        For a state that there is not, a good named twice, a forecast that the logarithm scores at
        minus infinity; see also :meth:`MarginalValueGame.of`.

    Notes
    -----
    O(sets x states x actions).
    """
    if not isinstance(decision, Decision):
        raise InvalidInputError(
            "decision", decision, "is no decision problem", "use DecisionProblem or Forecast"
        )
    goods = goods_of("goods", goods)
    space = decision.space
    true = _true_state(space, state)
    names = tuple(good.name for good in goods)
    signals = {good.name: good.signal(len(space)).labels for good in goods}
    told = {name: labels == labels[true] for name, labels in signals.items()}
    read = {good.name: good.price for good in goods} if prices is None else prices

    def event(revealed: frozenset[str]) -> Bool[np.ndarray, " states"]:
        known = np.ones(len(space), dtype=bool)
        for name in revealed:
            known &= told[name]
        return known

    if isinstance(decision, Forecast):
        hits, masses = space.probabilities[decision.event], space.probabilities

        def belief(revealed: frozenset[str]) -> Any:
            known = event(revealed)
            hit: Any = hits[known[decision.event]].sum().item()
            return hit / masses[known].sum().item()

        return from_beliefs(names, belief, read, decision.score, moves)
    if not isinstance(decision, DecisionProblem):
        raise InvalidInputError(
            "decision", decision, "is no decision that is known", "use DecisionProblem or Forecast"
        )
    weighted = decision.utilities * space.probabilities

    def expect(revealed: frozenset[str]) -> list[Any]:
        known = event(revealed)
        mass: Any = space.probabilities[known].sum().item()
        return [total / mass for total in weighted[:, known].sum().scalars()]

    game = MarginalValueGame.of(names, expect, read, moves, decision.actions)
    if not isinstance(weighted, Floats):
        return game
    sizes = np.abs(weighted.values)
    columns = []
    for place in range(len(game.sets)):
        known = event(frozenset(game.names(place)))
        whole: Any = space.probabilities[known].sum().item()
        columns.append(sizes[:, known].sum(axis=1) / whole)
    share = rounding_share(len(space)) / TIE_TOLERANCE  # sums of many terms tie further apart
    return replace(game, magnitudes=Floats(np.array(columns).T * share))


@refusing
def from_beliefs(
    items: Iterable[str],
    beliefs: Beliefs,
    prices: Mapping[str, object] | Callable[[frozenset[str]], object],
    score: Score | str = Score.BRIER,
    moves: Moves | str | Iterable[Iterable[str]] = Moves.SUBSETS,
) -> MarginalValueGame:
    """Return the game of a judge who forecasts an event: X = [0, 1] and a proper scoring rule.

    Parameters
    ----------
    items, prices, moves
        As for :meth:`MarginalValueGame.of`.
    beliefs : mapping or function
        The judge's probability of the event, by revealed set; rational.
    score : Score
        The rule. u_S(x) is the score that the forecast x expects at the belief of S.

    Raises
    ------
    NumberError
        For a belief outside [0, 1], or one of 0 or 1 beside others, which the logarithm scores at
        minus infinity.

    Examples
    --------
    Each is paid what it moves the market towards the final price (volition, section 4):

    >>> chain = {(): "1/2", ("I",): "3/4", ("J",): "1/2", ("I", "J"): "1/4"}
    >>> game = from_beliefs(["I", "J"], chain, {"I": 0, "J": 0})
    >>> print(game.settle([("I",), ("J",)]))
    2 moves reveal {I, J}
    player  reveals  price  the judge  reward
    ──────  ───────  ─────  ─────────  ──────
                            1/2
    1       {I}      0      3/4        -3/16
    2       {J}      0      1/4        1/4
    >>> print(*market_scoring(["1/2", "3/4", "1/4"], "1/4"))
    -3/16 1/4
    """
    rule = rule_of(Score, score, "score")
    frame = MarginalValueGame.of(items, _rows(beliefs), prices, moves)
    known: list[Fraction] = frame.utilities[0].scalars()
    actions = tuple(sorted(set(known)))
    utility = cache(rule.utility)
    by_belief = {q: [expected_score(x, q, utility) for x in actions] for q in actions}
    columns = zip(*(by_belief[q] for q in known), strict=True)
    utilities = as_numbers([list(row) for row in columns], "utilities")
    return replace(frame, actions=actions, utilities=utilities)


def expected_score(forecast: Fraction, belief: Fraction, utility: Utility) -> Any:
    """Return the score that a forecast expects at a belief."""
    if not 0 <= belief <= 1:
        raise NumberError("belief", belief, "is outside [0, 1]", "give a probability")
    terms = [(belief, True), (1 - belief, False)]
    return sum((q * utility(forecast, o) for q, o in terms if q), Fraction(0))


@refusing
def market_scoring(
    reports: Sequence[object], final: object, score: Score | str = Score.BRIER
) -> tuple[Fraction | ClosedForm, ...]:
    """Return what a market scoring rule pays for each report, settled at a final belief.

    The first report is the opening price; who moves it from q to r is paid the score that r
    expects at the final belief, less the score that q expects.
    Source: Hanson (2003), Combinatorial information market design; volition, section 4.
    """
    rule = rule_of(Score, score, "score")
    settled = rational(final, "final")
    told = read_tuple("reports", reports, "give a list of beliefs")
    prices = [rational(report, f"reports[{k}]") for k, report in enumerate(told)]
    worth = [expected_score(price, settled, rule.utility) for price in prices]
    return tuple(after - before for before, after in pairwise(worth))


def as_prior(game: MarginalValueGame) -> tuple[DecisionProblem, tuple[Good, ...], Hashable]:
    """Return a decision problem, goods and a true state whose game has the utilities of this one.

    So that every table of utilities is one of posterior expectations. There is a state for each
    set S, all equally probable, in which exactly the goods of S say "yes"; in the true state all
    do. Knowing that S says "yes" leaves the states of larger sets, so the utility in the state of
    S follows from u_S and those above it. Free goods: give the prices to :func:`from_prior`.

    Raises
    ------
    LimitError
        For more than :data:`MAX_STATES` states.
    InvalidInputError
        For a game in which not every set can be revealed.
    """
    instance_of("game", game, MarginalValueGame, "use MarginalValueGame.of")
    items, size = game.items, len(game.sets)
    if size != 1 << len(items):
        raise InvalidInputError(
            "game", str(game), "has sets that cannot be revealed", "use all sets or single items"
        )
    if size > MAX_STATES:
        raise LimitError("states", size, f"are more than {MAX_STATES:,}", "leave items out")
    rows: list[list[Any]] = game.utilities.scalars()
    utilities = [_moebius_invert(row, len(items)) for row in rows]
    floats = isinstance(game.utilities, Floats)
    probability = Floats.of([1 / size] * size) if floats else Exact.of([Fraction(1, size)] * size)
    states: tuple[Names, ...] = tuple(game.names(s) for s in range(size))
    space = ProbabilitySpace(states, probability)
    goods = tuple(
        Good.of(name, Variable.of(name, ["yes" if name in state else "no" for state in states]))
        for name in items
    )
    decision = DecisionProblem.of(space, dict(zip(game.actions, utilities, strict=True)))
    return decision, goods, states[-1]


def _moebius_invert(row: Sequence[Any], items: int) -> list[Any]:
    """Return values by set whose means over all larger sets are ``row`` (Möbius inversion)."""
    sums = [value * (1 << items - mask.bit_count()) for mask, value in enumerate(row)]
    for j in range(items):
        for mask in range(len(sums)):
            if not mask >> j & 1:
                sums[mask] = sums[mask] - sums[mask | 1 << j]
    return sums


def _true_state(space: ProbabilitySpace, state: Hashable) -> int:
    if state not in space.states:
        raise InvalidInputError("state", state, "is not a state of the prior", "give one of them")
    true = space.states.index(state)
    if not space.support[true]:
        raise NullEventError(
            "state", state, "has probability zero under the prior", "give a possible state"
        )
    return true


def _rows(beliefs: Beliefs) -> Any:
    """Return beliefs as the utilities of a single action, so that they are read as such."""
    if callable(beliefs):
        return lambda revealed: [rational(beliefs(revealed), "belief")]
    instance_of("beliefs", beliefs, Mapping, "give a mapping or a function of the revealed set")
    return {revealed: [rational(belief, "belief")] for revealed, belief in beliefs.items()}
