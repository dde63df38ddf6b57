"""What proves an ex-ante optimum: a tree of cases, each closed by an upper bound."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from theory.games._strategies import Behaviour

__all__ = ["Branch", "Certificate", "Closed", "PriceList", "Split", "Step"]


@dataclass(frozen=True, slots=True)
class Branch:
    """Decide an information set that no path passes twice: one case follows for each move."""

    infoset: int


@dataclass(frozen=True, slots=True)
class Split:
    """Cut the simplex of laws at an absent-minded set, as cut so far, at a point.

    The point is the mean of the corners with ``weights``. For each corner with a positive weight,
    in order, the case follows in which the point takes its place.
    """

    infoset: int
    weights: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Closed:
    """A case that the upper bound closes, with the price list of that number."""

    prices: int


Step = Branch | Split | Closed


@dataclass(frozen=True, slots=True)
class PriceList:
    """Prices ≥ 0 on moves: (node, move, numerator) over one denominator; the others are free.

    A price holds at all nodes of the information set that the same own moves lead to; the first
    of them stands for all.
    """

    denominator: int
    entries: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """The claim that ``strategy`` is worth ``value`` and no strategy more than ``bound``.

    Attributes
    ----------
    strategy : Behaviour
    value, bound : Fraction
    steps : tuple of Step
        The tree of cases in preorder.
    prices : tuple of PriceList
    """

    strategy: Behaviour
    value: Fraction
    bound: Fraction
    steps: tuple[Step, ...]
    prices: tuple[PriceList, ...]
