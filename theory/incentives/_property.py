"""What every property of a mechanism has: a definition that can be judged at one instance."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

from theory.incentives._instance import Instance, Shape
from theory.incentives._reading import Number
from theory.incentives.setting import Setting
from theory.incentives.table import Slacks, Table

__all__ = ["Property", "Side"]

Side = tuple[str, str]
"""A quantity of a comparison, by name, and its value as text."""


class Property(ABC):
    """A statement "for all instances, slack >= 0".

    Attributes
    ----------
    name : str
        What it is called in reports.
    statement : str
        The statement in mathematics, one line.
    shape : Shape
        Its instances.
    proof : str
        What ``proof_gap`` checks, in words.
    own : bool
        Whether slacks depend on payments and values of the agents singled out alone.
    comparing : bool
        Whether a slack is the least of those against each alternative alone.
    tolerant : bool
        Whether epsilon is part of the slack.
    exhaustible : bool
        Whether judging every instance settles the matter.
    draws : str
        How it is judged where a mechanism takes a generator, in words; empty for draw by draw.
    minimality : str
        What is known of a counterexample found where every instance was judged.
    """

    name: ClassVar[str]
    statement: ClassVar[str]
    shape: ClassVar[Shape]
    proof: ClassVar[str] = ""
    own: ClassVar[bool] = False
    comparing: ClassVar[bool] = False
    tolerant: ClassVar[bool] = False
    exhaustible: ClassVar[bool] = True
    draws: ClassVar[str] = "in expectation over the draws"
    minimality: ClassVar[str] = "every instance was judged: none that fails is smaller"

    def concerned(self, instance: Instance) -> tuple[int, ...]:
        """Return whose numbers the slack depends on; empty for those of all agents."""
        return instance.agents if self.own else ()

    def unfit(self, setting: Setting) -> str:
        """Return why the property cannot be asked of this setting; empty where it can."""
        del setting
        return ""

    def basis(self, setting: Setting) -> str:
        """Return what findings rest on beside the mechanism, as a clause; empty for nothing."""
        del setting
        return ""

    def silent(self, setting: Setting) -> str:
        """Return why it says nothing that no instance fails; empty where it says something."""
        del setting
        return ""

    @abstractmethod
    def slack(self, setting: Setting, instance: Instance) -> Number | None:
        """Return by how much the statement holds at an instance, exactly.

        ``None`` where the instance does not meet the hypotheses. Computed from the definition by
        running the mechanism: the check of whatever a faster method found.
        """

    @abstractmethod
    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return what is compared at an instance, in words and numbers."""

    @abstractmethod
    def story(self, setting: Setting, instance: Instance) -> str:
        """Return what goes wrong at an instance, in one sentence."""

    def instances(self, setting: Setting) -> Iterator[Instance]:
        """Yield every instance over finite types."""
        return self.shape.instances(setting)

    def slacks(self, table: Table) -> Slacks | None:
        """Return the slacks of all instances at once, where there is a faster way; else None."""
        del table
        return None

    def proof_gap(self, table: Table) -> Fraction | None:
        """Return by how much a certificate fails to prove the property on a table; 0 for a proof.

        None where there is no certificate. Called where nothing fails; the code shares nothing
        with ``slacks``.
        """
        del table
        return None
