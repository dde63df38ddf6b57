"""Auctions of several places, of which everyone wants one: positions in a list, equal units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations, product
from typing import Any, ClassVar

from mechanisms.classics._parameters import amount
from mechanisms.classics._ranking import rank_bidders
from theory.errors import InvalidInputError
from theory.incentives import Outcome
from theory.shared.arguments import read_count

__all__ = ["GeneralisedSecondPrice", "MultiUnitVCG"]


@dataclass(frozen=True)
class GeneralisedSecondPrice:
    """Slots with click rates go by rank of the bids; a click costs the next lower bid.

    The highest bid gets the first slot, and so on; among equal bids the lowest index comes first.
    A bid below 0 gets no slot. Where no lower bid is left a click costs 0.

    Parameters
    ----------
    click_rates : sequence of numbers
        One a slot, at least 0, none above the one before; read exactly.

    Raises
    ------
    ExactnessError, NumberError, InvalidInputError
        For rates that are floats, no numbers, below 0, or increasing; and where there are none.

    Notes
    -----
    O(agents log agents). The allocation is the vector of click rates, one an agent, and payments
    are for all clicks of a slot: the rate times the next bid. With two slots or more it is not
    truthful (Edelman, Ostrovsky and Schwarz, 2007).

    Examples
    --------
    >>> GeneralisedSecondPrice([200, 100]).outcome([10, 4, 2])
    Outcome(allocation=(200, 100, 0), payments=(800, 200, 0))
    """

    click_rates: Sequence[object]

    def __post_init__(self) -> None:
        rates = tuple(amount(rate, f"click_rates[{k}]") for k, rate in enumerate(self.click_rates))
        if not rates:
            raise InvalidInputError("click_rates", rates, "is empty", "give one rate a slot")
        if any(later > earlier for earlier, later in pairwise(rates)):
            raise InvalidInputError(
                "click_rates", self.click_rates, "increase", "give the best slot first"
            )
        object.__setattr__(self, "click_rates", rates)

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return click rates and payments by agent."""
        rates: list[Any] = [0] * len(reports)
        payments: list[Any] = [0] * len(reports)
        order = rank_bidders(reports)
        next_bids = [*(reports[i] for i in order[1:]), 0]
        for i, rate, bid in zip(order, self.click_rates, next_bids, strict=False):
            rates[i], payments[i] = rate, rate * bid
        return Outcome(tuple(rates), tuple(payments))

    def feasible(self, allocation: Sequence[Any], agents: int) -> bool:
        """Whether every agent has at most one slot and every slot at most one agent."""
        used = Counter(rate for rate in allocation if rate != 0)
        return len(allocation) == agents and used <= Counter(self.click_rates)

    def alternatives(self, agents: int) -> Iterator[tuple[Any, ...]]:
        """Return every way of giving slots to agents."""
        slots = (*self.click_rates, *[0] * agents)
        return iter(dict.fromkeys(permutations(slots, agents)))


@dataclass(frozen=True)
class MultiUnitVCG:
    """Equal units go to the highest bids, one each, for the highest bid that gets none.

    Among equal bids the lowest index wins. A bid below 0 wins nothing. Where every bid wins, the
    price is 0.

    Parameters
    ----------
    units : int
        How many there are, at least 1.

    Raises
    ------
    InvalidInputError
        Where ``units`` is not an integer of at least 1.

    Notes
    -----
    O(agents log agents). The Vickrey auction where each bidder wants one unit: a winner keeps out
    the highest loser, and pays what this one would have had from a unit.

    Examples
    --------
    >>> MultiUnitVCG(2).outcome([5, 1, 4, 3])
    Outcome(allocation=(1, 0, 1, 0), payments=(3, 0, 3, 0))
    """

    units: int
    value_of_names: ClassVar[str] = "unit demand"

    def __post_init__(self) -> None:
        object.__setattr__(self, "units", read_count("units", self.units))

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return units and payments by agent."""
        order = rank_bidders(reports)
        price = reports[order[self.units]] if len(order) > self.units else 0
        won = tuple(int(i in order[: self.units]) for i in range(len(reports)))
        return Outcome(won, tuple(price if unit else 0 for unit in won))

    def feasible(self, allocation: Sequence[Any], agents: int) -> bool:
        """Whether each agent has one unit or none, and there are enough."""
        valid = len(allocation) == agents and all(units in (0, 1) for units in allocation)
        return valid and sum(allocation) <= self.units

    def alternatives(self, agents: int) -> Iterator[tuple[int, ...]]:
        """Return every way of giving out units, one an agent at most."""
        return (won for won in product((0, 1), repeat=agents) if sum(won) <= self.units)
