"""A counterexample to a property: where it fails, by how much, and how to see it again."""

from __future__ import annotations

import builtins
import json
import re
from dataclasses import dataclass, field
from fractions import Fraction
from textwrap import wrap
from typing import Any, Final

from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.incentives._property import Instance, Property, Side
from theory.incentives._reading import show
from theory.incentives._serialisation import Source, from_plain, to_plain, wrap_at_commas
from theory.incentives.properties import PROPERTIES
from theory.incentives.setting import OutcomeAtFault, Setting
from theory.shared.nesting import is_deeper
from theory.shared.printable import escape, print_safely, printable, printed_line
from theory.verdicts import Table

__all__ = ["TOLERANCE", "Replay", "Witness", "parse", "replay_instance", "witness_of"]

TOLERANCE: Final = Fraction(1, 10**9)
"""How far below 0 a slack may be where floats came in, relative to the largest number seen."""

_MAX_DEPTH: Final = 100
"""How deeply the types of a witness may be nested in JSON."""


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of running a witness again.

    Attributes
    ----------
    slack : Fraction or None
        By how much the property holds there, exactly; None where its hypotheses are not met.
    story : str
        What goes wrong, in one sentence; empty where nothing does.
    limit : Fraction
        The slack below which the property fails: 0, or a little less where floats came in.
    """

    slack: Fraction | None
    story: str
    limit: Fraction = Fraction(0)

    @property
    def fails(self) -> bool:
        """Whether the property still fails there, by the rule of the check."""
        return self.slack is not None and self.slack < self.limit

    @printed_line
    def __str__(self) -> str:
        if self.slack is None:
            return "no longer meets the hypotheses"
        if self.fails:
            return f"still fails: {self.story}"
        within = ", within the tolerance of floats" if self.slack < 0 else ""
        return f"holds, with slack {show(self.slack)}{within}"


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
    tolerance : Fraction
        That of the check that found it.
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
    tolerance: Fraction = field(default=TOLERANCE, repr=False, compare=False)

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
        fresh = self.setting.fresh()
        return replay_instance(PROPERTIES[self.property], fresh, self.instance, self.tolerance)

    def as_test(self) -> str:
        """Return the text of a test that fails until the mechanism is fixed."""
        source = Source()
        source.use("theory.incentives", "assert_holds_at")
        source.use("theory.incentives", "Instance")
        parts = ((name, getattr(self, name)) for name in ("profile", "agents", "lies"))
        instance = ", ".join(f"{name}={source.value(part)}" for name, part in parts)
        arguments = [
            source.name(self.setting.mechanism, "mechanism"),
            f'"{self.property}"',
            f"Instance({instance})",
            *source.setting(self.setting, with_prior=not self.profile),
        ]
        if self.tolerance != TOLERANCE:
            arguments.append(f"tolerance={source.value(self.tolerance)}")
        call = "".join(f"{wrap_at_commas(argument, ' ' * 8)},\n" for argument in arguments)
        name = re.sub(r"[^0-9A-Za-z_]+", "_", self.setting.name).strip("_") or "mechanism"
        return (
            f"{source.header()}\n\n\n"
            f"def test_{self.property}_of_{name}() -> None:\n"
            f"{_write_docstring(f'Fails while {self.story}.')}"
            f"    assert_holds_at(\n{call}    )\n"
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

    @print_safely
    def __str__(self) -> str:
        rows = Table(caption="", columns=("what", "comes to"), rows=self.sides)
        return f"{printable(self.story)}\n{str(rows).lstrip()}\n{self.minimality}"

    def _repr_html_(self) -> str:
        rows = Table(caption=self.minimality, columns=("what", "comes to"), rows=self.sides)
        return f"<p>{escape(self.story)}</p>{rows._repr_html_()}"


def replay_instance(
    prop: Property, setting: Setting, instance: Instance, tolerance: Fraction
) -> Replay:
    """Judge a property at one instance; what fails is below the limit that a check has.

    Raises
    ------
    InvalidInputError
        Where the mechanism cannot be judged there.
    """
    try:
        slack = prop.slack(setting, instance)
        if slack is None:
            return Replay(None, "")
        limit = setting.limit(tolerance, prop.agents_concerned(instance))
        replay = Replay(Fraction(slack), "", limit)
        story = prop.story(setting, instance) if replay.fails else ""
    except OutcomeAtFault as unjudged:
        if setting.is_elsewhere(unjudged.fault):
            return Replay(None, "")
        fix = "fix the mechanism there first"
        raise InvalidInputError("mechanism", setting.name, str(unjudged.fault), fix) from unjudged
    return Replay(replay.slack, story, replay.limit)


def witness_of(
    prop: Property,
    setting: Setting,
    instance: Instance,
    minimality: str,
    tolerance: Fraction = TOLERANCE,
) -> Witness:
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
        tolerance=tolerance,
    )


def parse(text: str) -> tuple[str, Instance]:
    """Read what :meth:`Witness.to_json` wrote.

    Raises
    ------
    InvalidInputError
        For anything else.
    """
    try:
        if is_deeper(text, _MAX_DEPTH):
            raise ValueError  # told below, like all that is not as it was written
        read = json.loads(text)
        name, agents = read["property"], tuple(read["agents"])
        profile, lies = from_plain(read["profile"]), from_plain(read["lies"])
        if not isinstance(profile, tuple) or not isinstance(lies, tuple):
            raise TypeError
        if not all(type(agent) is int and agent >= 0 for agent in agents):
            raise TypeError
        if not isinstance(name, str):
            raise TypeError
    except (ValueError, TypeError, KeyError, ArithmeticError) as error:
        fix = "give a line that Witness.to_json wrote"
        raise InvalidInputError("witnesses", text, "is not a witness", fix) from error
    if name not in PROPERTIES:
        raise UnknownNameError("witnesses", name, "is no property", nearest(name, PROPERTIES))
    return name, Instance(profile, agents, lies)


def _write_docstring(text: str) -> str:
    """Return a docstring, with an indent of 4, that says what ``text`` says."""
    safe = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    if len(safe) <= 90 and "\n" not in safe:
        return f'    """{safe}"""\n'
    lines = wrap(f'"""{safe}', 96, break_long_words=False, break_on_hyphens=False)
    return "".join(f"    {line}\n" for line in [*lines, '"""'])
