"""Myerson's auction of one item: the largest expected revenue under a given prior."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mechanisms.classics._ironing import Virtual, ironed_virtual_values
from mechanisms.classics._ranking import paid_by, rank_bidders
from theory.errors import ShapeError
from theory.incentives import Outcome

__all__ = ["MyersonOptimal"]

Law = Mapping[Any, Any]


@dataclass(frozen=True)
class MyersonOptimal:
    """The item goes to the highest ironed virtual value that is at least 0.

    Among equal virtual values the lowest index wins. The winner pays the lowest value in the
    support of the own law that would still win; an equal virtual value is enough against later
    bidders, not against earlier ones.

    Parameters
    ----------
    prior : mapping, or sequence of mappings
        Laws of values, independent across bidders: probabilities by value, read exactly. A
        mapping is the law of each of any number of bidders; a sequence has a law a bidder.

    Raises
    ------
    ExactnessError, NumberError, InvalidInputError, ProbabilityError
        As :func:`ironed_virtual_values` does.

    Notes
    -----
    A bid between two values of the support counts as the lower one, and a bid below all of them
    wins nothing; so the auction is truthful for all types, not only those that the prior expects.
    O(values bidders log bidders) (Myerson, 1981; Elkind, 2007).

    Examples
    --------
    >>> auction = MyersonOptimal({v: "1/4" for v in (1, 2, 3, 4)})
    >>> auction.outcome([2, 4])
    Outcome(allocation=1, payments=(0, 3))
    >>> auction.outcome([1, 1])
    Outcome(allocation=None, payments=(0, 0))
    """

    prior: Law | Sequence[Law]
    _virtual: tuple[Virtual, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        laws = (self.prior,) if isinstance(self.prior, Mapping) else self.prior
        object.__setattr__(self, "_virtual", tuple(ironed_virtual_values(law) for law in laws))

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return who wins, or ``None``, and payments.

        Raises
        ------
        ShapeError
            Where the prior has a law a bidder, and there are more or fewer reports.
        """
        laws = self._laws(len(reports))
        scores = [_score(law, bid) for law, bid in zip(laws, reports, strict=True)]
        order = rank_bidders(scores)
        if not order:
            return Outcome(None, (0,) * len(reports))
        winner = order[0]
        price = next(
            value
            for value, score in laws[winner]
            if rank_bidders([*scores[:winner], score, *scores[winner + 1 :]])[:1] == [winner]
        )
        return Outcome(winner, paid_by(winner, price, len(reports)))

    def _laws(self, bidders: int) -> tuple[Virtual, ...]:
        if isinstance(self.prior, Mapping):
            return self._virtual * bidders
        if len(self._virtual) != bidders:
            problem = f"are {bidders}, and the prior has {len(self._virtual)} laws"
            raise ShapeError("reports", bidders, problem, "give one report a law")
        return self._virtual


def _score(law: Virtual, bid: Any) -> Any:
    reached = [score for value, score in law if value <= bid]
    return reached[-1] if reached else -1
