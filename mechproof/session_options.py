"""The options of commands whose participants ask models in a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from mechproof.path_option import PathOption

__all__ = ["add_session_options"]

F = TypeVar("F", bound=Callable[..., Any])

_FILE = PathOption()


def add_session_options(command: F) -> F:
    """Add seed, record and replay, and the limits on what models may use."""
    for option in reversed(
        (
            click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True),
            click.option(
                "--record",
                type=_FILE,
                metavar="FILE",
                help="Write all answers to FILE; go on from those that are there.",
            ),
            click.option(
                "--replay",
                type=_FILE,
                metavar="FILE",
                help="Take all answers from FILE; no model is asked.",
            ),
            click.option(
                "--calls", type=click.IntRange(min=0), help="The most calls of the whole run."
            ),
            click.option(
                "--tokens", type=click.IntRange(min=0), help="The most tokens of the whole run."
            ),
            click.option(
                "--time-limit",
                type=float,
                metavar="SECONDS",
                help="For each answer, attempts that failed included.  [default: 120 for each of "
                "five attempts]",
            ),
            click.option(
                "--known-as",
                metavar="NAME",
                help="By which a record knows the server, so that it may move.  [default: its URL]",
            ),
        )
    ):
        command = option(command)
    return command
