"""What a check found: status, strength and scope, with evidence and a counterexample.

The three parts of a finding answer three questions. *Status*: is the claim true? *Strength*: how is
that known? *Scope*: of which instances, and how many of them say anything? ``docs/findings.md``
explains them to a reader.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from theory._diagram import DiagramNode, TreeDiagram
from theory._lattice import LatticeDiagram, LatticeNode, LatticeStep
from theory._table import ShownAsTable, Table
from theory.proofs import Proof
from theory.shared.printable import escape, printable

__all__ = [
    "Bars",
    "Counterexample",
    "Diagram",
    "DiagramNode",
    "Evidence",
    "Exhibit",
    "Finding",
    "LatticeDiagram",
    "LatticeNode",
    "LatticeStep",
    "Scope",
    "ShownAsTable",
    "Status",
    "Strength",
    "Table",
    "TreeDiagram",
]


class Status(StrEnum):
    """Whether a claim is true, as far as its check can say."""

    HOLDS = "holds"
    REFUTED = "refuted"
    ILL_POSED = "ill-posed"
    VACUOUS = "vacuous"
    AMBIGUOUS = "ambiguous"
    MEASURED = "measured"


class Strength(StrEnum):
    """How a status is known, from weakest to strongest: tested, certified, exact, proved."""

    TESTED = "tested"
    CERTIFIED = "certified"
    EXACT = "exact"
    PROVED = "proved"

    @property
    def rank(self) -> int:
        """Position in the order tested < certified < exact < proved."""
        return list(Strength).index(self)

    def reaches(self, least: Strength) -> bool:
        """Whether this strength is at least ``least``."""
        return self.rank >= least.rank


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The family that a finding is about.

    ``nontrivial`` counts the instances that met the hypotheses and on which the claim could have
    failed for a reason other than both sides being the same by construction.
    """

    family: str
    instances: int
    met_hypotheses: int
    nontrivial: int
    sizes: str
    seed: int | None = None
    exhausted: bool = False

    def __str__(self) -> str:
        how = "all" if self.exhausted else "sampled"
        return f"{self.instances:,} {how}, {self.nontrivial:,} non-trivial"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """A picture as data: one bar a label, drawn by the application layer."""

    caption: str
    unit: str
    labels: tuple[str, ...]
    values: tuple[float, ...]

    def __str__(self) -> str:
        rows = tuple((a, f"{v:+.4g}") for a, v in zip(self.labels, self.values, strict=True))
        return str(Table(caption=self.caption, columns=("", self.unit), rows=rows))

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


Diagram = TreeDiagram | LatticeDiagram

Evidence = Table | Bars | Diagram | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhibit:
    """An instance worked out for a reader with a pencil.

    Attributes
    ----------
    summary : str
        The instance and its outcome, in one line.
    story : tuple of str
        What happens in it, told in paragraphs.
    tables : tuple of Table
        The instance and both sides of the claim, in numbers.
    diagrams : tuple of Diagram
        The instance as a tree, or as a lattice of sets.
    """

    summary: str
    story: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    diagrams: tuple[Diagram, ...] = ()

    @property
    def details(self) -> tuple[Evidence, ...]:
        """All that follows the summary, in the order in which it is shown."""
        return (*self.story, *self.tables, *self.diagrams)

    def __str__(self) -> str:
        return printable("\n\n".join([self.summary, *map(str, self.details)]), lines=True)

    def _repr_html_(self) -> str:
        return _as_html(self.summary) + "".join(map(_as_html, self.details))


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample:
    """The smallest instance found on which a claim fails.

    Attributes
    ----------
    exhibit : Exhibit
        The instance, and what goes wrong.
    minimality : str
        What is known about smaller instances.
    """

    exhibit: Exhibit
    minimality: str

    def __str__(self) -> str:
        return f"{self.exhibit}\n\nMinimality: {printable(self.minimality, lines=True)}"

    def _repr_html_(self) -> str:
        return f"{self.exhibit._repr_html_()}<p><i>{escape(self.minimality)}</i></p>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a check computed about a claim."""

    status: Status
    strength: Strength
    scope: Scope
    reason: str
    evidence: tuple[Evidence, ...] = ()
    counterexample: Counterexample | None = None
    tolerances: dict[str, str] = field(default_factory=dict)
    """Each tolerance used, by its role; empty where everything was exact."""
    proof: Proof | None = field(default=None, compare=False, repr=False)
    """What was proved, where the strength is ``proved``: to be written out or checked again."""

    def __str__(self) -> str:
        parts = [f"{self.status} ({self.strength}; {self.scope})", self.reason]
        parts += [str(item) for item in self.evidence]
        if self.counterexample is not None:
            parts.append(f"Counterexample: {self.counterexample}")
        return printable("\n\n".join(parts), lines=True)

    def _repr_html_(self) -> str:
        evidence = "".join(map(_as_html, self.evidence))
        broken = "" if self.counterexample is None else self.counterexample._repr_html_()
        return (
            f"<p><b>{self.status}</b> ({self.strength}; {escape(str(self.scope))})</p>"
            f"<p>{escape(self.reason)}</p>{evidence}{broken}"
        )


def _as_html(item: Evidence) -> str:
    if isinstance(item, str):
        return "<p>" + escape(item).replace("\n", "<br>") + "</p>"
    return item._repr_html_()
