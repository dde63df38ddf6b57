"""What inspection is worth to a buyer, by how often titles are wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Final

from theory.errors import InvalidInputError, LimitError
from theory.numbers import rational
from theory.purchases._best_set import best_set
from theory.purchases._recheck_titles import check_title_values
from theory.purchases._shelf import Shelf, read_shelf
from theory.shared.arguments import read_tuple, refusing
from theory.verdicts import ShownAsTable, Table

__all__ = ["MAX_CELLS", "Outcome", "TitleValues", "title_values"]

MAX_CELLS: Final = 10
"""How many pairs of a passage and a fact may be uncertain."""


@dataclass(frozen=True)
class Outcome:
    """What a buyer gains, and what it pays, in expectation."""

    gain: Fraction
    revenue: Fraction

    @property
    def surplus(self) -> Fraction:
        """Both together: a copy costs nothing."""
        return self.gain + self.revenue


@dataclass(frozen=True)
class TitleValues(ShownAsTable):
    """Outcomes for a buyer that reads titles, by how often they are wrong.

    Attributes
    ----------
    shelf : Shelf
        ``chances`` are what is expected before titles are read.
    errors : tuple of Fraction
    blind : Outcome
        Without titles or inspection.
    titled : tuple of Outcome
        With titles of each error.
    seen : Outcome
        With inspection.
    """

    shelf: Shelf
    errors: tuple[Fraction, ...]
    blind: Outcome
    titled: tuple[Outcome, ...]
    seen: Outcome

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """Which share of the gain with inspection is missed by who reads titles of each error.

        0 where nothing can be gained.
        """
        full = self.seen.gain
        return tuple(1 - each.gain / full if full else Fraction(0) for each in self.titled)

    @cached_property
    def gap(self) -> Fraction:
        """The largest difference of a gain from that of other code, which goes by joint cases."""
        gains = [each.gain for each in self.titled]
        return check_title_values(self.shelf, self.errors, gains, self.blind.gain, self.seen.gain)

    def table(self) -> Table:
        """Return the outcomes, one row an error."""
        rows = [
            (str(error), str(each.gain), str(each.revenue), f"{float(share):.1%}")
            for error, each, share in zip(self.errors, self.titled, self.shares, strict=True)
        ]
        seen = ("inspection", str(self.seen.gain), str(self.seen.revenue), "")
        blind = ("no titles", str(self.blind.gain), str(self.blind.revenue), "")
        return Table(
            caption="What a buyer gains and pays by titles that are wrong so often",
            columns=("titles wrong", "gain", "revenue", "inspection recovers"),
            rows=(*rows, blind, seen),
        )


@refusing
def title_values(
    prices: Iterable[object],
    chances: Iterable[Iterable[object]],
    worths: Iterable[object],
    errors: Iterable[object],
    budget: object = None,
) -> TitleValues:
    r"""Return what a buyer gains by titles of each error, and with inspection, at fixed prices.

    Passage k states fact j with probability c_kj, independently of all others. Its title says
    whether it does, and is wrong with probability e, independently as well. The buyer buys the
    :func:`best_set` given what it knows: nothing; the titles; or, with inspection, what is stated.

    Parameters
    ----------
    prices, chances, worths, budget
        As for :func:`best_set`.
    errors : sequence of numbers
        Probabilities e.

    Returns
    -------
    TitleValues

    Raises
    ------
    InvalidInputError, NumberError, ShapeError
        As :func:`best_set`, and for errors that are no probabilities.
    LimitError
        For more than 10 pairs of a passage and a fact with a probability between 0 and 1.

    Notes
    -----
    With m such pairs it goes through 2^m titles an error. By Blackwell's order the gain does not
    rise in e up to 1/2, where titles say nothing.

    Examples
    --------
    >>> found = title_values([4], [["1/2"]], [10], ["0", "1/10", "1/2"])
    >>> [str(each.gain) for each in found.titled], str(found.blind.gain), str(found.seen.gain)
    (['3', '5/2', '1'], '1', '3')
    >>> [str(share) for share in found.shares], str(found.gap)
    (['0', '1/6', '2/3'], '0')
    """
    shelf = read_shelf(prices, chances, worths, budget)
    wrong = tuple(
        Fraction(rational(error, "errors"))
        for error in read_tuple("errors", errors, "give a list of probabilities")
    )
    if any(not 0 <= error <= 1 for error in wrong):
        raise InvalidInputError("errors", errors, "are no probabilities", "give numbers in [0, 1]")
    cells = [
        (k, j)
        for k, row in enumerate(shelf.chances)
        for j, chance in enumerate(row)
        if 0 < chance < 1
    ]
    if len(cells) > MAX_CELLS:
        fix = "give fewer passages or facts"
        raise LimitError("chances", len(cells), f"have more than {MAX_CELLS} that are unsure", fix)
    blind = _add_up([(Fraction(1), shelf.chances)], shelf)
    seen = _add_up(_posteriors(shelf, cells, Fraction(0)), shelf)
    titled = tuple(_add_up(_posteriors(shelf, cells, error), shelf) for error in wrong)
    return TitleValues(shelf, wrong, blind, titled, seen)


Rows = tuple[tuple[Fraction, ...], ...]


def _posteriors(
    shelf: Shelf, cells: list[tuple[int, int]], error: Fraction
) -> Iterator[tuple[Fraction, Rows]]:
    """Yield the probability of each reading of all titles, and what is then believed."""
    for titles in product((True, False), repeat=len(cells)):
        likely, rows = Fraction(1), [list(row) for row in shelf.chances]
        for (k, j), promised in zip(cells, titles, strict=True):
            kept = (1 - error if promised else error) * shelf.chances[k][j]
            broken = (error if promised else 1 - error) * (1 - shelf.chances[k][j])
            likely *= kept + broken
            if likely:
                rows[k][j] = kept / (kept + broken)
        if likely:
            yield likely, tuple(map(tuple, rows))


def _add_up(beliefs: Iterable[tuple[Fraction, Rows]], shelf: Shelf) -> Outcome:
    gain = revenue = Fraction(0)
    for likely, rows in beliefs:
        found = best_set(shelf.prices, rows, shelf.worths, shelf.budget)
        gain += likely * found.gain
        revenue += likely * found.price
    return Outcome(gain, revenue)
