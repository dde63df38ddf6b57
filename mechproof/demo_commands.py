"""The command ``mechproof demo``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from mechproof.demo_options import JUDGES, PROMPTING, settle_options
from mechproof.path_option import PathOption
from mechproof.terminal import complain, say
from theory.errors import InvalidInputError

__all__ = ["demo"]

F = TypeVar("F", bound=Callable[..., Any])


_FILE = PathOption()


@click.group()
def demo() -> None:
    """Run a small example of a mechanism whose participants are language models.

    The transcript goes to standard output as it grows, progress to standard error.
    """


def _common(command: F) -> F:
    """Add the options that all demos have."""
    for option in reversed(
        (
            click.option(
                "--model",
                default="local",
                show_default=True,
                metavar="local|rules|URL#NAME",
                help="The model of `mechproof model get`; rules in its place; or one behind a "
                "server that speaks the OpenAI interface, its key in OPENAI_API_KEY.",
            ),
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
            click.option("--out", type=_FILE, metavar="FILE", help="Write the transcript, too."),
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


_prompting = click.option(
    "--prompting",
    type=click.Choice(PROMPTING),
    default="direct",
    show_default=True,
    help="How the buyer's model comes to a choice.",
)


@demo.command("softmax-auction")
@_common
@click.option("--queries", type=click.IntRange(1, 3), default=3, show_default=True)
@click.option("--candidates", type=click.IntRange(min=1), default=6, show_default=True)
@click.option("--tau", type=float, default=2.0, show_default=True)
@click.option("--temperature", type=float, default=0.8, show_default=True)
@click.option("--top-p", type=float, default=0.95, show_default=True)
def softmax_auction(**options: Any) -> None:
    """Hold three auctions of two advertisers each: candidates, prices, lies, and laws.

    A server scores at temperature 1 alone, so there --temperature and --top-p do not matter.
    """
    _run("softmax-auction", options)


@demo.command()
@_common
@_prompting
def inspection(**options: Any) -> None:
    """Let a buyer read offers of information, buy some, forget the rest, and decide."""
    _run("inspection", options)


@demo.command("recursive-inspection")
@_common
@_prompting
@click.option("--depth", type=click.IntRange(0, 3), default=3, show_default=True)
def recursive_inspection(**options: Any) -> None:
    """Do the same with offers that help to choose among offers, on up to three levels."""
    _run("recursive-inspection", options)


@demo.command("marginal-value")
@_common
@click.option(
    "--judge",
    type=click.Choice(JUDGES),
    help="Ask the judge for probabilities, or score its answers.  [default: scored with the local "
    "model, else chat]",
)
def marginal_value(**options: Any) -> None:
    """Let two informants reveal items to a judge, and pay each move with hindsight."""
    _run("marginal-value", options)


def _run(name: str, options: dict[str, Any]) -> None:
    out: Path | None = options.pop("out")
    _refuse(name, options, out)
    from mechproof.demos import Transcript, run
    from mechproof.files import check_writable, write_whole

    if out is not None:
        check_writable(out, "--out")
    transcript = Transcript(_show)
    try:
        run(name, transcript=transcript, progress=_progress(name), **options)
    finally:
        if out is not None and str(transcript):
            write_whole(out, f"{transcript}\n", "--out")


def _refuse(name: str, options: dict[str, Any], out: Path | None) -> None:
    """Refuse what cannot be, before anything is imported, opened or written."""
    own = {key: value for key, value in options.items() if key not in _COMMON}
    checked = {key: options[key] for key in ("model", "seed", "tokens", "time_limit", "known_as")}
    settle_options(name, own, **checked)
    for option in ("record", "replay"):
        if out is not None and _same(out, options[option]):
            problem, fix = "name the same file", "give two files"
            raise InvalidInputError(f"--out and --{option}", str(out), problem, fix)


_COMMON = {"model", "seed", "record", "replay", "calls", "tokens", "time_limit", "known_as"}


def _same(one: Path, other: Path | None) -> bool:
    if other is None:
        return False
    if one.resolve() == other.resolve():
        return True
    return all(map(os.path.isfile, (one, other))) and one.samefile(other)


def _show(part: str) -> None:
    say(f"{part}\n")
    if sys.stdout is not None:
        sys.stdout.flush()


def _progress(name: str) -> Callable[[str], None]:
    def tell(text: str) -> None:
        complain(text, name)

    return tell
