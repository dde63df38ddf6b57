"""The command ``mechproof experiment``: experiments of papers, run in a folder and gone on with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import click

from mechproof.path_option import PathOption
from mechproof.terminal import complain, say

__all__ = ["experiment"]

_FILE = PathOption()


_MODEL_OPTIONS: Final = (
    click.option(
        "--temperature",
        type=click.FloatRange(0, 2),
        default=0.0,
        show_default=True,
        help="Of models.",
    ),
    click.option(
        "--tokens",
        type=click.IntRange(min=1),
        help="The most of an answer.  [default: 400 of the local model, 2,000 of a server]",
    ),
    click.option("--calls", type=click.IntRange(min=0), help="The most calls of models in all."),
    click.option(
        "--price",
        "prices",
        multiple=True,
        metavar="MODEL=IN,OUT",
        help="What a million tokens of a model cost; may be repeated.",
    ),
    click.option(
        "--time-limit",
        type=float,
        metavar="SECONDS",
        help="For each answer of a model.  [default: 120 for each of five attempts]",
    ),
    click.option(
        "--replay",
        type=_FILE,
        metavar="DIR",
        help="Take all answers from the run in DIR; no model and no person is asked.",
    ),
)


def _of_models(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options by which models are asked."""
    for option in reversed(_MODEL_OPTIONS):
        command = option(command)
    return command


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
@click.argument(
    "name",
    type=click.Choice(["standard", "copies", "ablations", "objectives"]),
    default="standard",
)
@click.option("--out", required=True, type=_FILE, metavar="DIR", help="A folder; it is made.")
@click.option(
    "--bidder",
    "bidders",
    multiple=True,
    metavar="[NAME=]KIND",
    help="Who bids; may be repeated.  [default: all that need no model]",
)
@click.option(
    "--against",
    multiple=True,
    metavar="[NAME=]KIND",
    help='Whom each meets in "standard"; may be repeated.  [default: rule, estimate]',
)
@click.option(
    "--budget",
    "budgets",
    multiple=True,
    metavar="AMOUNT",
    help='May be repeated.  [default: 20000, 40000; in "objectives" 10000 to 30000]',
)
@click.option(
    "--order",
    "orders",
    multiple=True,
    type=click.Choice(["random", "ascending", "descending", "given"]),
    help='May be repeated.  [default: the first three; in "objectives" random]',
)
@click.option(
    "--games",
    type=click.IntRange(min=1),
    default=12,
    show_default=True,
    help="Of each line-up with each budget in each order.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Processes to use.  [default: one for each processor; one where a model or a person bids]",
)
@_of_models
@click.option(
    "--corrections",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="How often a bidder is told what is wrong in its beliefs, and asked again.",
)
@click.option("--draw/--no-draw", default=True, help="Whether to draw figures.  [default: draw]")
def arena(
    name: str,
    *,
    out: Path,
    bidders: tuple[str, ...],
    against: tuple[str, ...],
    temperature: float,
    tokens: int | None,
    prices: tuple[str, ...],
    jobs: int | None,
    **settings: Any,
) -> None:
    """Bidders in ascending auctions: the experiments of AucArena, seats balanced.

    "standard" sets each bidder against two baselines, "copies" against itself, "ablations" a model
    with all its modules against itself with fewer, and "objectives" two that want profit against
    two that want items.

    KIND is rule, choosy rule, estimate, careful or budget; a model, which is local, rules or
    URL#NAME as in the demos, after adaptive:, static: or none: for what it does beside bidding;
    person, for you at the terminal; or MODULE:NAME for a bidder of your own.

    The same command goes on where it was stopped, and asks for no answer twice. DIR gets a row a
    game (JSON Lines), all answers, tables (text and JSON), and figures (PNG and SVG).
    """
    from mechproof.experiments import arena as experiment
    from mechproof.experiments.arena_bidders import needs_nobody
    from mechproof.run import usable_cpus

    lineups, named = experiment.lineups_by_name(
        name, bidders, against, temperature=temperature, tokens=tokens
    )
    given = {key: value for key, value in settings.items() if value != ()}
    alone = needs_nobody(lineups)
    try:
        with _progress("arena", "games", alone=alone) as (progress, notice):
            report = experiment.run(
                out,
                lineups,
                jobs=jobs or (usable_cpus() if alone else 1),
                prices=_prices(prices),
                progress=progress,
                notice=notice,
                **{**named, **given},
            )
    except KeyboardInterrupt:
        complain(f"what was done is in {out}; the same command goes on from there")
        raise
    say(report)


@experiment.command()
@click.argument(
    "name",
    type=click.Choice(
        [
            *("rational-choice", "demand", "inspection", "position", "budget"),
            *("keyword-baseline", "models"),
        ]
    ),
)
@click.option("--out", required=True, type=_FILE, metavar="DIR", help="A folder; it is made.")
@click.option(
    "--buyer",
    "buyers",
    multiple=True,
    metavar="[NAME=]KIND",
    help="Who buys; may be repeated.  [default: some that need no model]",
)
@click.option(
    "--budget",
    "budgets",
    multiple=True,
    metavar="AMOUNT",
    help="May be repeated.  [default: those of the paper]",
)
@click.option(
    "--gold-price",
    "gold_prices",
    multiple=True,
    metavar="AMOUNT",
    help="Of the gold passage; may be repeated.  [default: 0 to 80]",
)
@click.option(
    "--questions",
    type=click.IntRange(min=1),
    help="How many in each setting at most.  [default: all]",
)
@click.option(
    "--hops",
    type=click.IntRange(0, 20),
    default=2,
    show_default=True,
    help="How far follow-up questions go.",
)
@click.option(
    "--judge",
    default="facts",
    show_default=True,
    metavar="facts|local|URL#NAME|MODULE:NAME",
    help="Who compares answers.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Processes to use.  [default: one for each processor; one where a model or a person buys]",
)
@_of_models
@click.option("--draw/--no-draw", default=True, help="Whether to draw figures.  [default: draw]")
def bazaar(
    name: str,
    *,
    out: Path,
    buyers: tuple[str, ...],
    prices: tuple[str, ...],
    jobs: int | None,
    **settings: Any,
) -> None:
    """Buyers in the information market: the experiments of Information Bazaar.

    "rational-choice" offers two copies of a passage, "demand" one that answers the question, at
    several prices, beside two others, "position" three in all orders, "inspection" the same with
    texts and with titles alone. "budget", "keyword-baseline" and "models" ask questions in the
    whole market, and compare the answers.

    KIND is ideal, keyword, keyword-stops, one-by-one or logit:SCALE; a model, which is local, rules
    or URL#NAME as in the demos, after direct:, step-by-step: or debate: for how it is prompted;
    person, for you at the terminal; or MODULE:NAME for a buyer of your own.

    The same command goes on where it was stopped, and asks for no answer twice. DIR gets a row a
    question (JSON Lines), all answers of models, tables (text and JSON), and figures (PNG and SVG).
    """
    from mechproof.experiments import bazaar as experiment
    from mechproof.experiments.bazaar_buyers import names_somebody
    from mechproof.run import usable_cpus

    given = {key: value for key, value in settings.items() if value != ()}
    alone = not any(map(names_somebody, buyers))
    try:
        with _progress("bazaar", "questions", alone=alone) as (progress, notice):
            report = experiment.run(
                name,
                out,
                buyers=buyers or None,
                jobs=jobs or (usable_cpus() if alone else 1),
                prices=_prices(prices),
                progress=progress,
                notice=notice,
                **given,
            )
    except KeyboardInterrupt:
        complain(f"what was done is in {out}; the same command goes on from there")
        raise
    say(report)


@contextmanager
def _progress(
    what: str, units: str, *, alone: bool
) -> Iterator[tuple[Callable[[int, int], None], Any]]:
    """Give what is told how a run goes on: a bar; where models or persons are asked, lines."""
    from mechproof.progress import counting

    if alone:
        with counting(what) as progress:
            yield progress, None
        return

    def count(done: int, total: int) -> None:
        complain(f"{done} of {total} {units}", what)

    yield count, lambda text: complain(text, what)


def _prices(given: tuple[str, ...]) -> dict[str, Any]:
    """Read MODEL=IN,OUT."""
    from llm_adapters.session import Prices
    from theory.errors import InvalidInputError

    found = {}
    for text in given:
        model, sign, costs = text.rpartition("=")
        each = costs.split(",")
        if not (model and sign and len(each) == 2):
            raise InvalidInputError("--price", text, "is no price", "give MODEL=IN,OUT")
        found[model] = Prices(*each)
    return found
