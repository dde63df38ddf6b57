"""How two experiments stand to each other."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from theory.blackwell._certificates import Garbling, Separation
from theory.shared.printable import print_safely
from theory.verdicts import Table

__all__ = ["Comparison", "Relation"]


class Relation(StrEnum):
    """How experiment A stands to experiment B."""

    EQUIVALENT = "equivalent"
    MORE = "more informative"
    LESS = "less informative"
    INCOMPARABLE = "incomparable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How experiment A stands to experiment B, with a certificate in each direction.

    Attributes
    ----------
    a_over_b : Garbling or Separation
        Whether A is at least as informative as B, and why.
    b_over_a : Garbling or Separation
        The same with the two exchanged.
    """

    a_over_b: Garbling | Separation
    b_over_a: Garbling | Separation

    @property
    def relation(self) -> Relation:
        """Which of the four relations A has to B."""
        if self.a_over_b.holds:
            return Relation.EQUIVALENT if self.b_over_a.holds else Relation.MORE
        return Relation.LESS if self.b_over_a.holds else Relation.INCOMPARABLE

    def _head(self) -> str:
        match self.relation:
            case Relation.EQUIVALENT:
                return "A and B are equivalent."
            case Relation.INCOMPARABLE:
                return "A and B are incomparable."
            case relation:
                return f"A is {relation} than B."

    def _tables(self) -> tuple[Table, ...]:
        return (*self.a_over_b.tables("A", "B"), *self.b_over_a.tables("B", "A"))

    @print_safely
    def __str__(self) -> str:
        return "\n\n".join([self._head(), *map(str, self._tables())])

    def _repr_html_(self) -> str:
        return f"<p><b>{self._head()}</b></p>" + "".join(t._repr_html_() for t in self._tables())
