"""The options of the demos: what they are, and which are refused before anything is opened."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, Final

from mechproof.unknown_names import unknown_name
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count

__all__ = [
    "JUDGES",
    "LOCAL",
    "PROMPTING",
    "RULES",
    "SETTINGS",
    "command",
    "kind_of",
    "settle_options",
]

LOCAL: Final = "local"
RULES: Final = "rules"
_HIDDEN: Final = "(not shown)"
"""What stands in the place of what may hold a password."""

PROMPTING: Final = ("direct", "step-by-step", "debate")
"""How the model of a buyer comes to a choice."""

JUDGES: Final = ("chat", "scored")
"""Whether the judge is asked for probabilities, or its model's scores of the answers are used."""

SETTINGS: Final[Mapping[str, Mapping[str, Any]]] = {
    "softmax-auction": {
        "queries": 3,
        "candidates": 6,
        "tau": 2.0,
        "temperature": 0.8,
        "top_p": 0.95,
    },
    "inspection": {"prompting": "direct"},
    "recursive-inspection": {"prompting": "direct", "depth": 3},
    "marginal-value": {"judge": None},
}
"""What each demo takes, and what holds where it is left out."""

_COUNTS: Final = {"queries": (1, 3), "candidates": (1, 1000), "depth": (0, 3)}
_NUMBERS: Final = {"tau": (0.1, 1e6), "temperature": (0.01, 100.0), "top_p": (0.01, 1.0)}
_NAMES: Final = {"prompting": PROMPTING, "judge": JUDGES}

_LARGEST_SEED: Final = 2**128
_LONGEST: Final = 10**9


def kind_of(model: Any) -> str:
    """Return ``local``, ``rules``, or ``endpoint`` for an address.

    Raises
    ------
    InvalidInputError
        For anything else.
    """
    if isinstance(model, str) and model in (LOCAL, RULES):
        return model
    if isinstance(model, str) and model.startswith(("http://", "https://")):
        address, _, name = model.partition("#")
        if "@" in name and "/" not in address.partition("://")[2]:  # user:pass#word@host
            fix = "give a key in OPENAI_API_KEY; else end the address with / before #"
            raise InvalidInputError("model", _HIDDEN, "seems to hold a password", fix)
        return "endpoint"
    fix = "give local, rules, or URL#NAME such as http://127.0.0.1:8000/v1#small"
    shown = _HIDDEN if isinstance(model, str) and {":", "@"} & {*model} else model
    raise InvalidInputError("model", shown, "is no model", fix)


def settle_options(
    name: str,
    options: Mapping[str, Any],
    *,
    model: Any,
    seed: Any = 0,
    tokens: Any = None,
    time_limit: Any = None,
    known_as: Any = None,
) -> dict[str, Any]:
    """Return all options of a demo, in the order of ``SETTINGS``.

    Parameters
    ----------
    name : str
        The demo.
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
    >>> settle_options("recursive-inspection", {"depth": 2}, model="rules")
    {'prompting': 'direct', 'depth': 2}
    """
    if name not in SETTINGS:
        raise unknown_name("demo", name, tuple(SETTINGS))
    kind = kind_of(model)
    read_count("seed", seed, 0, _LARGEST_SEED)
    if time_limit is not None and (
        type(time_limit) not in {int, float} or not 0 < time_limit <= _LONGEST
    ):
        fix = f"give seconds, above 0 and at most {_LONGEST:,}"
        raise InvalidInputError("time_limit", time_limit, "is no such time", fix)
    if tokens is not None and kind == RULES:
        fix = "leave it out, or limit calls"
        raise InvalidInputError("tokens", tokens, "limits nothing, since rules use no tokens", fix)
    if known_as is not None and kind != "endpoint":
        fix = "leave it out, or give an address as model"
        raise InvalidInputError("known_as", known_as, "names a server, and there is none", fix)
    known = SETTINGS[name]
    for option in options:
        if option not in known:
            raise unknown_name("option", option, (*known, *_COMMON))
    chosen = {option: options.get(option, default) for option, default in known.items()}
    for option, value in chosen.items():
        if option in _COUNTS:
            read_count(option, value, *_COUNTS[option])
        elif option in _NUMBERS:
            chosen[option] = _number(option, value, *_NUMBERS[option])
        elif (value is not None or option != "judge") and value not in _NAMES[option]:
            raise unknown_name(option, str(value), _NAMES[option])
    if "judge" in chosen:
        chosen["judge"] = chosen["judge"] or ("scored" if kind == LOCAL else "chat")
        if chosen["judge"] == "scored" and kind == RULES:
            problem = "needs a model that scores answers, and rules score none here"
            fix = "give chat, or another model"
            raise InvalidInputError("judge", "scored", problem, fix)
    return chosen


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


_COMMON: Final = (
    "model",
    "seed",
    "record",
    "replay",
    "calls",
    "tokens",
    "time_limit",
    "known_as",
    "transcript",
    "progress",
)


def _number(name: str, value: Any, least: float, most: float) -> float:
    if type(value) not in {int, float} or not least <= value <= most:
        fix = f"give a number from {least:g} to {most:,.0f}"
        raise InvalidInputError(name, value, "is out of range", fix)
    return float(value)
