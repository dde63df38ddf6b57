"""The command ``mechproof demo``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mechproof.path_option import PathOption
from mechproof.session_options import add_session_options
from mechproof.terminal import complain, say
from theory.errors import InvalidInputError

if TYPE_CHECKING:
    from mechproof.demos.demo import Demo, Option

__all__ = ["demo"]

F = TypeVar("F", bound=Callable[..., Any])


_FILE = PathOption()

_MODEL = click.option(
    "--model",
    default="local",
    show_default=True,
    metavar="local|rules|URL#NAME",
    help="The model of `mechproof model get`; rules in its place; or one behind a server that "
    "speaks the OpenAI interface, its key in OPENAI_API_KEY.",
)
_OUT = click.option("--out", type=_FILE, metavar="FILE", help="Write the transcript, too.")


class _Demos(click.Group):
    """One command for each demo; only that of the demo that is run is loaded."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from mechproof.demos.demo import DEMOS

        return list(DEMOS.all())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from mechproof.demos.demo import DEMOS

        found = DEMOS.named(cmd_name)
        return None if found is None else _command_of(found)


@click.group(cls=_Demos)
def demo() -> None:
    """Run a small example of a mechanism whose participants are language models.

    The transcript goes to standard output as it grows, progress to standard error.
    """


def _command_of(demo: Demo) -> click.Command:
    def run(**options: Any) -> None:
        _run(demo, options)

    command = _OUT(add_session_options(run))
    command = _MODEL(command)
    for name, option in reversed(list(demo.options.items())):
        command = _option_of(name, option)(command)
    return click.command(demo.name, help=demo.about)(command)


def _option_of(name: str, option: Option) -> Callable[[F], F]:
    from mechproof.demos.demo import Choice, Count

    kind: Any = click.FLOAT
    if isinstance(option, Choice):
        kind = click.Choice(option.words)
    elif isinstance(option, Count):
        kind = click.IntRange(option.least, option.most)
    return click.option(
        f"--{name.replace('_', '-')}",
        type=kind,
        default=option.default,
        show_default=option.default is not None,
        help=option.about or None,
    )


def _run(demo: Demo, options: dict[str, Any]) -> None:
    from mechproof.demos import Transcript, run
    from mechproof.files import check_writable, write_whole

    out: Path | None = options.pop("out")
    _refuse(demo, options, out)
    if out is not None:
        check_writable(out, "--out")
    transcript = Transcript(_show)
    try:
        run(demo.name, transcript=transcript, progress=_progress(demo.name), **options)
    finally:
        if out is not None and str(transcript):
            write_whole(out, f"{transcript}\n", "--out")


def _refuse(demo: Demo, options: dict[str, Any], out: Path | None) -> None:
    """Refuse what cannot be, before anything is opened or written."""
    from mechproof.demos.demo import settle_options

    own = {key: options[key] for key in demo.options}
    checked = {key: options[key] for key in ("model", "seed", "tokens", "time_limit", "known_as")}
    settle_options(demo, own, **checked)
    for option in ("record", "replay"):
        if out is not None and _is_same_file(out, options[option]):
            problem, fix = "name the same file", "give two files"
            raise InvalidInputError(f"--out and --{option}", str(out), problem, fix)


def _is_same_file(one: Path, other: Path | None) -> bool:
    if other is None:
        return False
    if os.path.realpath(one) == os.path.realpath(other):
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
