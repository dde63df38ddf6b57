"""Successive inspection: each choice has a utility of its own (volition, eqs. (3) to (5))."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import Any

import numpy as np

from theory.errors import LimitError
from theory.inspection._choice import best_options, states_by_row
from theory.inspection._knowledge import Labels2D
from theory.inspection._outcome import ProtocolOutcome, Ties, plays
from theory.inspection._problem import MAX_CELLS, Bundle, InspectionProblem, bundles
from theory.inspection._protocol import Protocol
from theory.inspection._recheck_successive import gap_and_share
from theory.numbers import Numbers, Scalar
from theory.shared.arguments import instance_of
from theory.shared.rounding import check_gap
from theory.shared.rules import rule_of
from theory.shared.text import count_text

__all__ = ["Offers", "SuccessiveInspection", "successive_inspection"]


class Offers(StrEnum):
    """What may be bought on a level."""

    SUBSETS = "any set of goods"
    """As in volition, section 3 and its example."""
    SINGLE_GOODS = "one good or none"
    """As in volition, Table 2."""


@dataclass(frozen=True, eq=False)
class SuccessiveInspection(ProtocolOutcome):
    """The outcome of successive inspection, with the utilities of each choice.

    Attributes
    ----------
    options : tuple
        By n: what x^n may be; names of goods for n ≥ 1.
    utilities : tuple of Numbers
        By n: U^n by option and state.
    expected_utilities : tuple
        By n: E[U^n(x_n)] (volition, Lemma A.2).
    defaults : tuple of int
        By n: the number of the option that maximises E[U^n(x)].
    informed : tuple of arrays
        By n < N: for each option of x^(n+1) and each state, the number of the option of x^n that is
        best given what that option of x^(n+1) reveals there.
    """

    problem: InspectionProblem
    options: tuple[tuple[Any, ...], ...]
    utilities: tuple[Numbers, ...]
    expected_utilities: tuple[Scalar, ...]
    defaults: tuple[int, ...]
    informed: tuple[Labels2D, ...]
    ties: Ties

    def protocol(self) -> Protocol:
        """Return the same choices as an admissible protocol, off the path too.

        There x^n is the best option given what x^(n+1) reveals, whatever that is.

        Raises
        ------
        LimitError
            For more purchases than :class:`~theory.inspection.Protocol` can hold.
        """
        problem, p = self.problem, self.problem.decision.space.probabilities
        picked: list[Labels2D] = []
        for n, reveals in enumerate(problem.signals):
            cells = np.tile(np.arange(problem.states), len(reveals))
            rule = self.ties if n else Ties.FEWEST_GOODS
            best, _ = best_options(self.utilities[n][:, cells], p, reveals, rule)
            picked.append(best[np.arange(problem.rows(n)) % len(reveals)])
        top = np.full((1, problem.states), self.defaults[-1], dtype=np.int64)
        return Protocol(problem, (*picked, top))


def successive_inspection(
    problem: InspectionProblem,
    offers: Offers | str = Offers.SUBSETS,
    ties: Ties | str = Ties.FEWEST_GOODS,
    *,
    any_gap: bool = False,
) -> SuccessiveInspection:
    """Solve the successive inspection protocol of depth N (volition, eqs. (3) to (5)).

    With U^0 = U, each option y of x^(n+1), a set of goods with values i and price p, has

        U^(n+1)(y) = U^n(argmax over x of E[U^n(x) | i]) - U^n(argmax over x of E[U^n(x)]) - p,

    where x ranges over the options of x^n. Then x_N = argmax E[U^N(x)], and going down
    x_n = argmax E[U^n(x) | what x_(n+1) reveals]. All that was bought is paid:
    the payoff is U(x_0) less the prices of x_1, …, x_N.

    Parameters
    ----------
    problem : InspectionProblem
    offers : Offers
        Any set of goods a level, or one good or none.
    ties : Ties
        Which of several best options of x^n, n ≥ 1, is taken. Actions tie to the first.
    any_gap : bool
        Whether to return a float64 answer whose gap rounding does not explain.

    Returns
    -------
    SuccessiveInspection
        With ``gap`` the largest difference between any of its numbers and those that separate code
        computes from the equations, and the most that any of its choices could gain.

    Raises
    ------
    InvalidInputError
        For what is no inspection problem.
    RoundingError
        For a float64 answer with a gap that rounding does not explain; that of ``problem.exact()``
        has none.
    UnknownNameError
        For offers or a tie rule that there are not.
    LimitError
        For more options x options x states on two levels than can be held.

    Notes
    -----
    O(depth x options² x states).
    """
    instance_of("problem", problem, InspectionProblem, "use InspectionProblem.of")
    offers, ties = rule_of(Offers, offers, "offers"), rule_of(Ties, ties, "ties")
    _check_size(problem, offers)
    sets = _sets(problem, offers)
    p, states = problem.decision.space.probabilities, np.arange(problem.states)
    rules = [Ties.FEWEST_GOODS, *[ties] * problem.depth]
    utilities, informed = [problem.decision.utilities], list[Labels2D]()
    defaults = [_default(utilities[0], p, rules[0])]
    for n, rule in enumerate(rules[:-1]):
        reveals = problem.reveals(n + 1, sets[n])
        best, _ = best_options(
            utilities[n][:, states_by_row(len(reveals), problem.states)], p, reveals, rule
        )
        prices = problem.prices(n + 1, sets[n])[np.arange(len(reveals))[:, np.newaxis]]
        informed.append(best)
        utilities.append(utilities[n][best, states] - utilities[n][defaults[n]] - prices)
        defaults.append(_default(utilities[-1], p, rules[n + 1]))
    chosen = [np.full(problem.states, defaults[-1], dtype=np.int64)]
    for best in reversed(informed):
        chosen.insert(0, best[chosen[0], states])
    paid = [problem.prices(n, sets[n - 1])[chosen[n]] for n in range(1, problem.depth + 1)]
    spending = sum(paid[1:], paid[0]) if paid else p - p
    payoffs = utilities[0][chosen[0], states] - spending
    reached = [worth[x, states] for worth, x in zip(utilities, chosen, strict=True)]
    options = [problem.decision.actions, *(_names(problem, n, each) for n, each in enumerate(sets))]
    found = SuccessiveInspection(
        name=f"successive inspection, {offers}",
        plays=plays(problem.decision.space, options, np.array(chosen), spending, payoffs),
        value=(p * payoffs).sum().item(),
        spending=(p * spending).sum().item(),
        rule=ties,
        gap=0,
        arithmetic=payoffs.kind,
        problem=problem,
        options=tuple(options),
        utilities=tuple(utilities),
        expected_utilities=tuple((p * each).sum().item() for each in reached),
        defaults=tuple(defaults),
        informed=tuple(informed),
        ties=ties,
    )
    gap, share = gap_and_share(found)
    if not any_gap:
        check_gap(found.name, gap, share, "successive_inspection(problem.exact())")
    return replace(found, gap=gap)


def _default(worth: Numbers, p: Numbers, rule: Ties) -> int:
    nothing = np.zeros((1, len(p)), dtype=np.int64)
    return int(best_options(worth, p, nothing, rule)[0][0, 0])


def _sets(problem: InspectionProblem, offers: Offers) -> list[tuple[Bundle, ...]]:
    if offers is Offers.SUBSETS:
        return [bundles(len(level)) for level in problem.levels]
    return [((), *((j,) for j in range(len(level)))) for level in problem.levels]


def _names(
    problem: InspectionProblem, level: int, sets: tuple[Bundle, ...]
) -> tuple[tuple[str, ...], ...]:
    goods = problem.levels[level]
    return tuple(tuple(goods[j].name for j in bundle) for bundle in sets)


def _check_size(problem: InspectionProblem, offers: Offers) -> None:
    goods = map(len, problem.levels)
    sets = (2**size if offers is Offers.SUBSETS else 1 + size for size in goods)
    sizes = [len(problem.decision.actions), *sets]
    cells = problem.states * max([sizes[0], *(a * b for a, b in pairwise(sizes))])
    if cells > MAX_CELLS:
        raise LimitError(
            "levels",
            f"{count_text(max(sizes))} options on a level",
            f"make {count_text(cells)} cells, above the limit of {MAX_CELLS:,}",
            "offer fewer goods, or allow one good or none",
        )
