"""A counterexample to a property: where it fails, by how much, and how to see it again."""

from __future__ import annotations

import builtins
import json
from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from typing import Any

from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.incentives._instance import Instance
from theory.incentives._property import Property, Side
from theory.incentives._setting import Setting
from theory.incentives._written import Source, from_plain, to_plain
from theory.incentives.properties import PROPERTIES
from theory.verdicts import Table

__all__ = ["Replay", "Witness", "parse", "witness_of"]


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of running a witness again."""

    slack: Fraction | None
    story: str

    @property
    def fails(self) -> bool:
        """Whether the property still fails there."""
        return self.slack is not None and self.slack < 0

    def __str__(self) -> str:
        if self.slack is None:
            return "no longer meets the hypotheses"
        return f"still fails: {self.story}" if self.fails else f"holds, with slack {self.slack}"


@dataclass(frozen=True)
class Witness:
    """The smallest counterexample found, confirmed by running the mechanism in exact arithmetic.

    Attributes
    ----------
    property : str
        The name of the property that fails.
    profile : tuple
        The true types, which are also the reports of all who do not lie.
    agents : tuple of int
        The agents singled out: who lies, who is worse off.
    lies : tuple
        What they report instead.
    slack : Fraction
        Below 0: by how much the property fails.
    story : str
        The counterexample in one sentence.
    sides : tuple of pairs
        What is compared, in words and numbers.
    minimality : str
        What is known of smaller counterexamples.
    """

    property: str
    profile: tuple[Any, ...]
    agents: tuple[int, ...]
    lies: tuple[Any, ...]
    slack: Fraction
    story: str
    sides: tuple[Side, ...]
    minimality: str
    setting: Setting = field(repr=False, compare=False)

    @builtins.property
    def gain(self) -> Fraction:
        """By how much the property fails: what a lie gains beyond epsilon, for instance."""
        return -self.slack

    @builtins.property
    def instance(self) -> Instance:
        """Where the property is judged."""
        return Instance(self.profile, self.agents, self.lies)

    def replay(self) -> Replay:
        """Run the mechanism again at this witness, knowing nothing of earlier runs."""
        prop = PROPERTIES[self.property]
        fresh = self.setting.fresh()
        slack = prop.slack(fresh, self.instance)
        exact = None if slack is None else Fraction(slack)
        return Replay(exact, prop.story(fresh, self.instance) if exact is not None else "")

    def as_test(self) -> str:
        """Return the text of a test that fails until the mechanism is mended."""
        source = Source()
        source.use("theory.incentives", "slack_at")
        source.use("theory.incentives", "Instance")
        arguments = [
            source.name(self.setting.mechanism, "mechanism"),
            f'"{self.property}"',
            source.value(self.instance),
            *source.setting(self.setting, with_prior=not self.profile),
        ]
        call = "".join(f"        {argument},\n" for argument in arguments)
        name = "".join(c if c.isalnum() else "_" for c in self.setting.name)
        return (
            f"{source.header()}\n\n\n"
            f"def test_{self.property}_of_{name}() -> None:\n"
            f'    """Fails while {self.story}."""\n'
            f"    slack = slack_at(\n{call}    )\n"
            f"    assert slack is None or slack >= 0\n"
        )

    def to_json(self) -> str:
        """Return the witness as a line of JSON, for ``witnesses=`` of a later check."""
        return json.dumps(
            {
                "property": self.property,
                "profile": to_plain(self.profile),
                "agents": list(self.agents),
                "lies": to_plain(self.lies),
            }
        )

    def __str__(self) -> str:
        rows = Table(caption="", columns=("what", "comes to"), rows=self.sides)
        return f"{self.story}\n{str(rows).lstrip()}\n{self.minimality}"

    def _repr_html_(self) -> str:
        rows = Table(caption=self.minimality, columns=("what", "comes to"), rows=self.sides)
        return f"<p>{escape(self.story)}</p>{rows._repr_html_()}"


def witness_of(prop: Property, setting: Setting, instance: Instance, minimality: str) -> Witness:
    """Return the witness at an instance, computed afresh from the definition."""
    slack = prop.slack(setting, instance)
    assert slack is not None
    return Witness(
        property=prop.name,
        profile=instance.profile,
        agents=instance.agents,
        lies=instance.lies,
        slack=Fraction(slack),
        story=prop.story(setting, instance),
        sides=tuple(prop.sides(setting, instance)),
        minimality=minimality,
        setting=setting,
    )


def parse(text: str) -> tuple[str, Instance]:
    """Read what :meth:`Witness.to_json` wrote.

    Raises
    ------
    InvalidInputError
        For anything else.
    """
    try:
        read = json.loads(text)
        name, agents = read["property"], tuple(read["agents"])
        profile, lies = from_plain(read["profile"]), from_plain(read["lies"])
        if not isinstance(profile, tuple) or not isinstance(lies, tuple):
            raise TypeError  # told below, like all that is not as it was written
        if not all(type(agent) is int and agent >= 0 for agent in agents):
            raise TypeError
    except (ValueError, TypeError, KeyError, ZeroDivisionError) as error:
        fix = "give a line that Witness.to_json wrote"
        raise InvalidInputError("witnesses", text, "is not a witness", fix) from error
    if name not in PROPERTIES:
        raise UnknownNameError("witnesses", name, "is no property", nearest(name, PROPERTIES))
    return name, Instance(profile, agents, lies)
