"""The experiment of *Truthful Aggregation of LLMs*, section 6: advertisers in replies to queries.

``run("out")`` computes and writes it, and goes on where an earlier call stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Final

from llm_adapters.files import read_path
from mechanisms.advertising import EXPLICIT, Instance, reply_laws, run_instance
from mechanisms.protocols import LanguageModel
from mechproof.experiments._rows import appending, claim_folder
from mechproof.experiments._settings import TEMPERATURE, TOP_P, ExperimentState, Settings, Source
from mechproof.experiments._shapes import Shapes
from mechproof.experiments._tables import as_csv, equity_table, law_table, main_table
from mechproof.experiments._workers import in_order
from mechproof.experiments.results import (
    Results,
    Scatter,
    law_row,
    record_row,
)
from mechproof.files import write_whole
from theory.errors import InvalidInputError
from theory.verdicts import Table

__all__ = ["Report", "Results", "Scatter", "Settings", "run"]

Progress = Callable[[int, int], None]

_ROWS: Final = "rows.jsonl"
_LAWS: Final = "laws.jsonl"


@dataclass(frozen=True, eq=False)
class Report:
    """What a run found, and the files it wrote.

    Attributes
    ----------
    results : Results
    folder : Path
    figures : tuple of Path
        Five figures, as PNG and SVG; the fifth once for each reading of what staying out means.
    """

    results: Results
    folder: Path
    figures: tuple[Path, ...]

    @property
    def tables(self) -> tuple[Table, ...]:
        """The means, the equity of the payments, and distances of exact laws where known."""
        exact = law_table(self.results)
        tables = (main_table(self.results), equity_table(self.results))
        return tables if exact is None else (*tables, exact)

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.tables))

    def _repr_html_(self) -> str:
        return "".join(table._repr_html_() for table in self.tables)


def run(
    out: str | PathLike[str],
    *,
    model: Any = "ngram",
    temperature: float | None = None,
    top_p: float | None = None,
    instances: Sequence[Instance] = (),
    jobs: int = 1,
    progress: Progress = lambda done, total: None,
    draw: bool = True,
    **counts: Any,
) -> Report:
    """Run the experiment in a folder, or what is left of it, and write tables and figures.

    The rows depend neither on ``jobs`` nor on whether the run was interrupted: a folder that was
    filled at once and one that was filled in parts are the same, byte for byte.

    Parameters
    ----------
    out : path
        A folder; it is made. One with the rows of a run with the same settings is gone on with.
    model : str or LanguageModel
        ``ngram``, ``table``, ``MODULE:NAME``, or an object. All laws are those of this one model,
        asked differently.
    temperature, top_p : float, optional
        How candidates are sampled: 0.8 and 0.95, as in the paper, for models by name that come with
        the library; a model of your own decodes itself unless these are given.
    instances : sequence of Instance
        Queries and advertisers of your own, as many of the latter in each.
    jobs : int
        Processes.
    progress : callable
        Is told how many of how many tasks are done.
    draw : bool
        Whether to draw figures.
    **counts
        ``queries`` (50), ``seeds`` (25), ``candidates`` (20), ``seed`` (0), ``tau`` (1.0).

    Raises
    ------
    InvalidInputError
        Before anything is computed: for settings that are none, a folder that cannot be written to
        or holds another run, a row there that is none of ours, or a model that cannot be made.
    ParticipantError
        When the model raises or answers nonsense; what was computed before is kept.
    """
    folder = read_path("out", out, "name a folder")
    if not callable(progress):
        raise InvalidInputError("progress", progress, "cannot be called", "give a function")
    source = _source(model, temperature, top_p, _instances(instances), counts)
    if type(jobs) is not int or jobs < 1:
        raise InvalidInputError("jobs", jobs, "is no number of processes", "give at least 1")
    bench = source()
    s = source.settings
    claim_folder(folder, s.written(bench.instances))
    both = [{"query": q, "seed": r} for q in range(s.queries) for r in range(s.seeds)]
    each = [{"query": q} for q in range(s.queries)]
    total = len(both) + len(each)
    shapes = Shapes(len(s.sizes), len(bench.instances[0].advertisers))
    show = partial(_shown, progress, total)
    start = source if jobs > 1 else _Here(bench)
    with (
        appending(folder / _ROWS, both, shapes.is_record) as rows,
        appending(folder / _LAWS, each, shapes.is_law) as laws,
    ):
        show(len(rows.rows) + len(laws.rows))
        for append, work, keys, before in (
            (laws, _law, each, len(rows.rows)),
            (rows, _record, both, len(each)),
        ):
            for row in in_order(start, work, keys[len(append.rows) :], jobs):
                append(row)
                show(before + len(append.rows))
    return _report(Results(s, rows.rows, laws.rows), folder, draw=draw)


def _instances(given: Any) -> tuple[Instance, ...]:
    listed = isinstance(given, Sequence) and all(isinstance(one, Instance) for one in given)
    if not listed:
        fix = "give a list of mechanisms.advertising.Instance"
        raise InvalidInputError("instances", given, "are no instances", fix)
    return tuple(given)


@dataclass(frozen=True)
class _Here:
    bench: ExperimentState

    def __call__(self) -> ExperimentState:
        return self.bench


def _shown(progress: Progress, total: int, done: int) -> None:
    progress(done, total)


def _source(
    model: Any,
    temperature: float | None,
    top_p: float | None,
    own: tuple[Instance, ...],
    counts: dict[str, Any],
) -> Source:
    given = {"temperature": temperature, "top_p": top_p}
    plain = model in EXPLICIT if isinstance(model, str) else False
    usual = {"temperature": TEMPERATURE, "top_p": TOP_P} if plain else {}
    decoding: dict[str, Any] = {k: usual.get(k, 1.0) if v is None else v for k, v in given.items()}
    known = {"queries", "seeds", "candidates", "seed", "tau"}
    for name in counts.keys() - known:
        fix = f"known are {', '.join(sorted(known))}"
        raise InvalidInputError("run", name, "is no setting", fix)
    if not isinstance(model, str | LanguageModel):
        fix = "give ngram, table, MODULE:NAME or an object with the methods sample and log_prob"
        raise InvalidInputError("model", model, "is no language model", fix)
    named = model if isinstance(model, str) else f"own: {type(model).__qualname__}"
    settings = Settings(model=named, **decoding, **counts)
    if own and "queries" not in counts:
        settings = replace(settings, queries=len(own))
    source = Source(settings, None if isinstance(model, str) else model, own)
    asked = source.asked
    if len(asked) < settings.queries:
        fix = f"give at most {len(asked)}, or instances of your own"
        raise InvalidInputError("queries", settings.queries, "are more than there are", fix)
    if len({len(instance.advertisers) for instance in asked}) > 1:
        fix = "give as many advertisers to each query"
        raise InvalidInputError("instances", own, "differ in how many advertisers there are", fix)
    return source


def _record(bench: ExperimentState, key: dict[str, int]) -> dict[str, Any]:
    query, s = key["query"], bench.settings
    record = run_instance(
        bench.instances[query],
        bench.models,
        s.candidates,
        rng=s.generator(0, query, key["seed"]),
        tau=s.tau,
        optimal=bench.optimum(query),
    )
    return {**key, **record_row(record)}


def _law(bench: ExperimentState, key: dict[str, int]) -> dict[str, Any]:
    query, s = key["query"], bench.settings
    best = bench.optimum(query)
    laws = None
    if best is not None:
        laws = reply_laws(bench.instances[query], bench.models, s.sizes, tau=s.tau, optimal=best)
    return {**key, **law_row(laws, best)}


def _report(results: Results, folder: Path, *, draw: bool) -> Report:
    figures: tuple[Path, ...] = ()
    if draw:
        from mechproof.report.advertising import draw_all

        figures = draw_all(results, folder)
    report = Report(results, folder, figures)
    write_whole(folder / "table.csv", as_csv(results), "out")
    write_whole(folder / "table.txt", f"{report}\n", "out")
    return report
