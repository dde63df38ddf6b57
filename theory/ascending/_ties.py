"""Who leads after a round with several equal highest bids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, Literal

from theory.errors import NumberError, UnknownNameError, nearest
from theory.numbers.reading import rational
from theory.shared.arguments import raising, refusing

__all__ = ["TIE_RULES", "Tie", "TieRule", "redrawn_law", "tie_rule"]

Law = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Tie:
    """A round in which several bidders made the same highest bid.

    Attributes
    ----------
    tied : tuple of int
        Their seats, ascending.
    entries : tuple of (int, bool)
        Who was asked in this round, in the order of the seats, and whether each of them bid, be it
        the highest bid or a lower one; the others withdrew.
    budgets : tuple of Fraction
        What each seat had left before this item.
    """

    tied: tuple[int, ...]
    entries: tuple[tuple[int, bool], ...]
    budgets: tuple[Fraction, ...]


@refusing
@dataclass(frozen=True)
class TieRule:
    """A law over the tied, for each tie.

    Attributes
    ----------
    name : str
        What tables call it.
    law : callable
        From a :class:`Tie` to one probability for each of ``tie.tied``.
    seats_alike : bool
        Whether the law stays the same, with the seats renamed, when two seats change places. The
        solver then merges what differs only by the seats of identical bidders.
    reads : "nothing", "order" or "amounts"
        What of ``tie.budgets`` the law depends on. If nothing, budgets that allow the same bids are
        merged; if their order, the rule is given their ranks.

    Both are promises; the defaults promise nothing.
    """

    name: str
    law: Callable[[Tie], Sequence[Any]] = field(compare=False)
    seats_alike: bool = False
    reads: Literal["nothing", "order", "amounts"] = "amounts"

    def __call__(self, tie: Tie) -> Law:
        """Return the law, checked.

        Raises
        ------
        NumberError
            For anything but one exact probability a tied bidder, with sum 1.
        InvalidInputError
            Where the law raises.
        """
        name = f"ties={self.name}"
        try:
            given = tuple(self.law(tie))
        except Exception as error:  # a user's function may raise anything
            fix = "have it return a probability for each of tie.tied"
            raise raising(name, self.law, error, fix) from error
        law = tuple([rational(chance, name) for chance in given])
        if len(law) != len(tie.tied) or min(law) < 0 or sum(law) != 1:
            fix = f"give {len(tie.tied)} probabilities with sum 1"
            raise NumberError(name, law, "is no law over the tied", fix)
        return law


def _uniform(tie: Tie) -> Law:
    return (Fraction(1, len(tie.tied)),) * len(tie.tied)


def _first(tie: Tie) -> Law:
    return (Fraction(1), *(Fraction(0),) * (len(tie.tied) - 1))


def _last(tie: Tie) -> Law:
    return _first(tie)[::-1]


def _among(tie: Tie, budget: Fraction) -> Law:
    chosen = [tie.budgets[seat] == budget for seat in tie.tied]
    return tuple(Fraction(here, sum(chosen)) for here in chosen)


def _richer(tie: Tie) -> Law:
    return _among(tie, max(tie.budgets[seat] for seat in tie.tied))


def _poorer(tie: Tie) -> Law:
    return _among(tie, min(tie.budgets[seat] for seat in tie.tied))


@refusing
def redrawn_law(entries: Sequence[bool]) -> Law:
    """Return the law of the leader where ties are drawn again at every recorded entry.

    ``entries`` says of each recorded entry whether it is one of the equal highest bids. At each
    entry, a withdrawal included, those recorded so far are gone through in order: the first leads
    if nobody does, and each further one takes the lead with probability 1/2. This is what the code
    that accompanies arena computes; it is not uniform, and depends on what follows the bids.

    Returns
    -------
    tuple of Fraction
        The probability of each bid, in order.

    Examples
    --------
    >>> [str(p) for p in redrawn_law([True, True, True])]
    ['3/16', '5/16', '1/2']
    >>> [str(p) for p in redrawn_law([True, True, False])]
    ['3/8', '5/8']
    """
    law: list[Fraction] = []
    for bid in entries:
        if bid:
            law.append(Fraction(not law))
        for place in range(len(law)):
            law = [p / 2 for p in law]
            law[place] += Fraction(1, 2)
    return tuple(law)


def _redrawn(tie: Tie) -> Law:
    return redrawn_law([seat in tie.tied for seat, _ in tie.entries])


TIE_RULES: Final = {
    rule.name: rule
    for rule in (
        TieRule("uniform", _uniform, seats_alike=True, reads="nothing"),
        TieRule("redrawn", _redrawn, reads="nothing"),
        TieRule("richer", _richer, seats_alike=True, reads="order"),
        TieRule("poorer", _poorer, seats_alike=True, reads="order"),
        TieRule("first", _first, reads="nothing"),
        TieRule("last", _last, reads="nothing"),
    )
}
"""Rules by name. ``uniform`` draws among the tied; ``richer`` and ``poorer`` draw among those who
have the largest or the smallest budget of the tied. ``first`` and ``last`` take a seat, and
``redrawn`` is :func:`redrawn_law`."""


@refusing
def tie_rule(rule: TieRule | str) -> TieRule:
    """Return a rule, given as such or by its name.

    Raises
    ------
    UnknownNameError
        For any other text.
    """
    if isinstance(rule, TieRule):
        return rule
    if rule not in TIE_RULES:
        raise UnknownNameError("ties", rule, "is not known", nearest(rule, TIE_RULES))
    return TIE_RULES[rule]
