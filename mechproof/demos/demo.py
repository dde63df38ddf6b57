"""What a demo is, which ones there are, and what their options are settled to."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mechproof.demos.models import Rule, kind_of, require_limits
from mechproof.named_modules import NamedModules
from mechproof.unknown_names import unknown_name
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count

__all__ = [
    "DEMOS",
    "Choice",
    "Count",
    "Demo",
    "Number",
    "Option",
    "command",
    "demos",
    "settle_options",
]

_COMMON: Final = (
    *("model", "seed", "record", "replay", "calls", "tokens"),
    *("time_limit", "known_as", "transcript", "progress"),
)


@dataclass(frozen=True)
class Count:
    """An option that is an integer from ``least`` to ``most``."""

    default: int
    least: int
    most: int
    about: str = ""

    def read(self, name: str, value: Any) -> int:
        """Return the value, or raise InvalidInputError."""
        return read_count(name, value, self.least, self.most)


@dataclass(frozen=True)
class Number:
    """An option that is a number from ``least`` to ``most``."""

    default: float
    least: float
    most: float
    about: str = ""

    def read(self, name: str, value: Any) -> float:
        """Return the value, or raise InvalidInputError."""
        if type(value) not in {int, float} or not self.least <= value <= self.most:
            fix = f"give a number from {self.least:g} to {self.most:,.0f}"
            raise InvalidInputError(name, value, "is out of range", fix)
        return float(value)


@dataclass(frozen=True)
class Choice:
    """An option that is one of several words; without a default, the demo chooses."""

    default: str | None
    words: tuple[str, ...]
    about: str = ""

    def read(self, name: str, value: Any) -> str | None:
        """Return the value, or raise UnknownNameError."""
        if value is None and self.default is None:
            return None
        if value not in self.words:
            raise unknown_name(name, str(value), self.words)
        return str(value)


Option = Count | Number | Choice


def _keep(settings: dict[str, Any], kind: str) -> dict[str, Any]:
    del kind
    return settings


@dataclass(frozen=True)
class Demo:
    """A mechanism played by a model, and told in a transcript.

    Attributes
    ----------
    name : str
        As the command has it; its module has the same with ``_`` for ``-``.
    about : str
        What the help of the command says.
    play : callable
        Called with the Participants, a Transcript, ``seed``, ``progress`` and the options.
    rule : callable
        What stands in for a chat model.
    remarks : dict from "local", "rules" and "endpoint" to str
        What the transcript can and cannot show of participants of a kind.
    options : dict from a name to Count, Number or Choice
    settle : callable
        The options once more, for participants of a kind: those that were left to the demo are
        chosen, and those that exclude each other refused.
    """

    name: str
    about: str
    play: Callable[..., Any]
    rule: Rule
    remarks: Mapping[str, str]
    options: Mapping[str, Option] = field(default_factory=dict)
    settle: Callable[[dict[str, Any], str], dict[str, Any]] = _keep


DEMOS: Final[NamedModules[Demo]] = NamedModules("mechproof.demos", "DEMO", "demo")
"""All demos: one for each module of this folder that defines ``DEMO``."""


def demos() -> dict[str, Demo]:
    """Return all demos by name."""
    return DEMOS.all()


def settle_options(
    demo: Demo,
    options: Mapping[str, Any],
    *,
    model: Any,
    seed: Any = 0,
    tokens: Any = None,
    time_limit: Any = None,
    known_as: Any = None,
) -> dict[str, Any]:
    """Return all options of a demo, in the order in which it has them.

    Parameters
    ----------
    demo : Demo
    options : dict
        Those that are given.
    model, seed, tokens, time_limit, known_as : object
        What all demos have; it is checked here, too.

    Raises
    ------
    InvalidInputError
        For an option that there is not, one out of its range, and those that exclude each other.

    Examples
    --------
    >>> settle_options(DEMOS.read("recursive-inspection"), {"depth": 2}, model="rules")
    {'prompting': 'direct', 'depth': 2}
    """
    kind = kind_of(model)
    require_limits([kind], seed=seed, tokens=tokens, time_limit=time_limit, known_as=known_as)
    for given in options:
        if given not in demo.options:
            raise unknown_name("option", given, (*demo.options, *_COMMON))
    settings = {
        name: option.read(name, options.get(name, option.default))
        for name, option in demo.options.items()
    }
    return demo.settle(settings, kind)


def command(
    name: str, settings: Mapping[str, Any], *, model: str, seed: int, known_as: str | None
) -> str:
    """Return the command that runs a demo so again.

    Examples
    --------
    >>> command("inspection", {"prompting": "debate"}, model="rules", seed=1, known_as=None)
    'mechproof demo inspection --model rules --seed 1 --prompting debate'
    """
    given = {"model": model, "seed": seed, "known_as": known_as, **settings}
    words = ["mechproof", "demo", name]
    for option, value in given.items():
        if value is not None:
            words += [f"--{option.replace('_', '-')}", str(value)]
    return shlex.join(words)
