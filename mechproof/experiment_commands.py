"""The command ``mechproof experiment``: experiments of papers, run in a folder and gone on with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mechproof.path_option import PathOption
from mechproof.terminal import complain, say

__all__ = ["experiment"]

_FILE = PathOption()


@click.group()
def experiment() -> None:
    """Run an experiment of a paper: rows that can be resumed, tables, figures."""


@experiment.command()
@click.option("--out", required=True, type=_FILE, metavar="DIR", help="A folder; it is made.")
@click.option("--queries", type=click.IntRange(min=1), default=50, show_default=True)
@click.option("--seeds", type=click.IntRange(min=1), default=25, show_default=True)
@click.option("--candidates", type=click.IntRange(min=1), default=20, show_default=True)
@click.option("--model", default="ngram", show_default=True, metavar="ngram|table|MODULE:NAME")
@click.option("--tau", type=float, default=1.0, show_default=True)
@click.option("--temperature", type=float, help="[default: 0.8; of a model of your own, 1]")
@click.option("--top-p", type=float, help="[default: 0.95; of a model of your own, 1]")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Processes to use.  [default: one for each processor]",
)
def advertising(*, out: Path, jobs: int | None, **settings: Any) -> None:
    """Advertisers in replies to queries: section 6 of Truthful Aggregation of LLMs.

    The same command goes on where it was stopped. DIR gets rows (JSON Lines), a table (CSV and
    text) and five figures (PNG and SVG).
    """
    from mechproof.experiments import advertising as experiment
    from mechproof.progress import counting
    from mechproof.run import usable_cpus

    try:
        with counting("advertising") as progress:
            report = experiment.run(out, jobs=jobs or usable_cpus(), progress=progress, **settings)
    except KeyboardInterrupt:
        complain(f"what was done is in {out}; the same command goes on from there")
        raise
    say(report)


@experiment.command()
@click.argument("name", type=click.Choice(["standard", "copies", "objectives"]), default="standard")
@click.option("--out", required=True, type=_FILE, metavar="DIR", help="A folder; it is made.")
@click.option(
    "--bidder",
    "bidders",
    multiple=True,
    metavar="KIND",
    help="A kind of bidder; may be repeated.  [default: all that need no model]",
)
@click.option("--budget", "budgets", multiple=True, metavar="AMOUNT", help="May be repeated.")
@click.option(
    "--order",
    "orders",
    multiple=True,
    type=click.Choice(["random", "ascending", "descending", "given"]),
    help="May be repeated.",
)
@click.option("--games", type=click.IntRange(min=1), default=12, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Processes to use.  [default: one for each processor]",
)
def arena(name: str, *, out: Path, jobs: int | None, **settings: Any) -> None:
    """Bidders in ascending auctions: the experiments of AucArena, seats balanced.

    "standard" sets each bidder against two baselines, "copies" against itself, and "objectives"
    two that want profit against two that want items. The same command goes on where it was stopped.
    DIR gets a row a game (JSON Lines), tables, and figures (PNG and SVG).
    """
    from mechproof.experiments import arena as experiment
    from mechproof.progress import counting
    from mechproof.run import usable_cpus

    lineups, named = experiment.lineups_by_name(name, settings.pop("bidders"))
    given = {key: value for key, value in settings.items() if value != ()}
    try:
        with counting("arena") as progress:
            workers = jobs or usable_cpus()
            report = experiment.run(
                out, lineups, jobs=workers, progress=progress, **{**named, **given}
            )
    except KeyboardInterrupt:
        complain(f"what was done is in {out}; the same command goes on from there")
        raise
    say(report)
