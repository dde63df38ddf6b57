"""The command ``mechproof sweep``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from mechproof.path_option import PathOption
from mechproof.terminal import complain, say
from theory.errors import InvalidInputError

__all__ = ["sweep"]


_FILE = PathOption()


@click.command()
@click.argument("file", metavar="FILE", type=_FILE)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Processes to use.  [default: one for each processor]",
)
@click.option(
    "--results",
    type=_FILE,
    metavar="RESULTS",
    help="Keep every cell in RESULTS as it comes (JSON Lines); go on from those that are there.",
)
@click.option("--csv", "csv_file", type=_FILE, metavar="CSV", help="Write a table of all cells.")
@click.option(
    "--plot",
    "plot_file",
    type=_FILE,
    metavar="PICTURE",
    help="Draw the heat map of [plot] in FILE, as .png or .svg.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--allow-package",
    "packages",
    multiple=True,
    metavar="NAME",
    help="Let FILE name functions of this package, too; may be repeated.",
)
@click.option("--retry-errors", is_flag=True, help="Run the cells again that failed in RESULTS.")
@click.pass_context
def sweep(
    ctx: click.Context,
    *,
    file: Path,
    jobs: int | None,
    results: Path | None,
    csv_file: Path | None,
    plot_file: Path | None,
    seed: int,
    packages: tuple[str, ...],
    retry_errors: bool,
) -> None:
    """Run a check in every cell of a grid, as FILE says, and print a table.

    FILE is TOML; `mechproof example sweep` prints one. The check is a function that a module of the
    current folder defines, a file NAME.py; functions of packages need --allow-package, and those of
    the standard library are refused. The exit status is 0 when every cell is done, 1 when the check
    failed in some, 2 on an error.
    """
    from mechproof.problems.format.reading import DocumentError
    from mechproof.progress import estimating
    from mechproof.sweep import run_sweep
    from mechproof.sweep.file import read_sweep

    _refuse_twice({"FILE": file, "--results": results, "--csv": csv_file, "--plot": plot_file})
    try:
        asked = read_sweep(file)
    except DocumentError as error:
        complain(error, file)
        ctx.exit(2)
    _refuse(asked, results, csv_file, plot_file, retry_errors=retry_errors)
    from mechproof.sweep.file import load_check

    check = load_check(asked.check, packages)
    try:
        with estimating("sweep") as progress:
            found = run_sweep(
                asked.grid,
                check,
                jobs=jobs,
                results=results,
                seed=seed,
                retry_errors=retry_errors,
                progress=progress,
            )
    except KeyboardInterrupt:
        kept = "nothing is kept without --results"
        if results is not None:
            kept = f"what was done is in {results}; the same command goes on from there"
        complain(kept)
        raise
    say(found)
    if csv_file is not None:
        from mechproof.files import write_whole

        write_whole(csv_file, found.to_csv(), "--csv")
    if plot_file is not None and asked.plot is not None:
        plot = asked.plot
        if not found.value_names:
            complain("no picture, for the check failed in every cell")
            ctx.exit(1)
        found.heat_map(plot.x, plot.y, plot.value, where=plot.where).draw(plot_file)
    ctx.exit(1 if found.errors else 0)


def _refuse(
    asked: Any,
    results: Path | None,
    csv_file: Path | None,
    plot_file: Path | None,
    *,
    retry_errors: bool,
) -> None:
    """Refuse what cannot come to a good end, before any cell is run."""
    from mechproof.files import check_writable

    if retry_errors and results is None:
        fix = "name the results with --results"
        raise InvalidInputError("--retry-errors", True, "has no results to go on from", fix)
    if csv_file is not None:
        check_writable(csv_file, "--csv")
    if plot_file is None:
        return
    if asked.plot is None:
        fix = "add a table [plot] with x, y and value"
        raise InvalidInputError("--plot", str(plot_file), "needs to know what to draw", fix)
    if plot_file.suffix.lower() not in {".svg", ".png"}:
        fix = "end the name with .svg or .png"
        raise InvalidInputError("--plot", str(plot_file), "names no kind of picture", fix)
    check_writable(plot_file, "--plot")


def _refuse_twice(files: dict[str, Path | None]) -> None:
    named: dict[str, str] = {}
    for option, path in files.items():
        if path is None:
            continue
        before = named.setdefault(os.path.realpath(path), option)
        if before != option:
            fix = "give two files"
            raise InvalidInputError(f"{before} and {option}", str(path), "name the same file", fix)
