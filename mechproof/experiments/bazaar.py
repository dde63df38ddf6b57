"""The experiments of *Rethinking the Buyer's Inspection Paradox* (bazaar), with anybody's buyers.

``run("budget", out="results")`` asks every question in every setting, a row of record each, and
goes on where an earlier call stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import Any

from llm_adapters.files import read_path
from llm_adapters.players import ChatGrader
from llm_adapters.session import Prices
from mechanisms.market import (
    GRADE_OUTCOMES,
    Corpus,
    FactGrader,
    Grade,
    Grader,
    Grading,
)
from mechproof.demos.passages import shopping_rule
from mechproof.experiments._asking import ModelAsking, RunReport, play_rows
from mechproof.experiments._bazaar_bench import EXPERIMENTS, HOPS, ask, make_bench
from mechproof.experiments._bazaar_judging import (
    FACTS,
    Comparison,
    compare_answers,
    make_judge,
)
from mechproof.experiments._rows import Row, appending, claim_folder
from mechproof.experiments.bazaar_buyers import (
    KINDS,
    ModelBuyer,
    OwnBuyer,
    PersonBuyer,
    RuleBuyer,
    judging_model,
    make_buyer,
)
from mechproof.experiments.bazaar_results import BazaarRatings, BazaarResults
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count

__all__ = [
    "EXPERIMENTS",
    "KINDS",
    "BazaarReport",
    "ModelBuyer",
    "OwnBuyer",
    "PersonBuyer",
    "RuleBuyer",
    "make_buyer",
    "run",
]

Progress = Callable[[int, int], None]


class BazaarReport(RunReport[BazaarResults]):
    """What a run found: its ``results``, their ``tables``, its ``folder`` and ``figures``."""

    def ratings(self) -> BazaarRatings:
        """Return how the answers compare: wins, Bradley-Terry strengths, Elo beside them.

        Raises
        ------
        InvalidInputError
            Where there is nothing to compare.
        """
        return self.results.ratings()


def run(
    name: str,
    out: str | PathLike[str],
    *,
    buyers: Sequence[Any] | None = None,
    corpus: Corpus | None = None,
    budgets: Sequence[object] | None = None,
    gold_prices: Sequence[object] | None = None,
    questions: int | None = None,
    hops: int = HOPS,
    judge: Any = FACTS,
    seed: int = 0,
    jobs: int = 1,
    temperature: float = 0.0,
    tokens: int | None = None,
    calls: int | None = None,
    prices: Mapping[str, Prices] | None = None,
    time_limit: float | None = None,
    replay: str | PathLike[str] | None = None,
    notice: Callable[[str], object] | None = None,
    progress: Progress = lambda done, total: None,
    draw: bool = True,
) -> BazaarReport:
    """Run an experiment of the paper in a folder, or what is left of it.

    Parameters
    ----------
    name : str
        "rational-choice", "demand", "inspection", "position", "budget", "keyword-baseline",
        "models".
    out : path
        A folder; it is made. One with the rows of a run with the same settings is gone on with.
    buyers : sequence, optional
        As :func:`make_buyer` reads them; or objects that are called with each
        :class:`~mechanisms.play.Ask` and have a ``name``. By default those that need no model.
    corpus : Corpus, optional
        :func:`~mechanisms.market.fixed_corpus` by default: 200 passages and 110 questions.
    budgets : sequence of numbers, optional
        Those of the paper by default.
    gold_prices : sequence of numbers, optional
        What the gold passage costs: 0 to 80 by default.
    questions : int, optional
        How many are asked in each setting at most.
    hops : int
        How far follow-up questions go in the market.
    judge : str or Grader
        "facts", MODULE:NAME, ``local`` or ``URL#NAME`` for a model, or an object with
        ``compare(question, a, b)``.
    seed : int
    jobs : int
        Processes; the rows do not depend on it. One, where calls are limited or a person buys.
    temperature, tokens
        Of models that are named.
    calls : int, optional
        The most calls of models in all questions.
    prices : mapping from str to Prices, optional
        By model.
    time_limit : float, optional
        Seconds for an answer of a model, failed attempts included.
    replay : path, optional
        The folder of a run with the same settings: all answers of models come from there.
    notice : callable, optional
        Is told of models what is waited for, where there is one process.
    progress : callable
        Is told how many of how many questions are done.
    draw : bool
        Whether to draw figures.

    Returns
    -------
    BazaarReport

    Raises
    ------
    InvalidInputError, UnknownNameError
        Before anything is asked: for settings that are none, a folder that cannot be written to or
        that holds another run.
    AdapterError
        Where a model is not there, a budget is spent, or a server fails. The same call goes on, and
        asks for no answer that has been given.

    Notes
    -----
    A buyer that raises has failed at its question: that is counted, and what it paid stays paid.
    A server that fails stops the run instead, as does a model that never answers in a question.
    Answers of models are kept in ``answers``, a file a row, as a
    :class:`~llm_adapters.session.Session` writes them.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     report = run("rational-choice", folder, buyers=["ideal", "keyword"], draw=False)
    >>> print(report.tables[0])
    Two passages that state the same, both at 10: 55 questions, percent
    buyer    neither  one    both   rational
    ───────  ───────  ─────  ─────  ────────
    ideal    0.0      100.0  0.0    100.0
    keyword  0.0      0.0    100.0  0.0
    """
    folder = read_path("out", out, "name a folder")
    if not callable(progress):
        raise InvalidInputError("progress", progress, "cannot be called", "give a function")
    read_count("jobs", jobs)
    bench = make_bench(
        name,
        buyers,
        corpus,
        budgets=budgets,
        gold_prices=gold_prices,
        questions=questions,
        hops=hops,
        seed=seed,
        of_a_model={"temperature": temperature, "tokens": tokens},
    )
    asking = ModelAsking.in_folder(
        folder,
        jobs=jobs,
        replay=replay,
        calls=calls,
        prices=prices,
        time_limit=time_limit,
        notice=notice,
        persons=any(isinstance(each, PersonBuyer) for each in bench.buyers),
        rule=shopping_rule,
    )
    asking.check_models(each.model for each in bench.buyers if isinstance(each, ModelBuyer))
    grader = judging_model(judge, temperature=temperature, tokens=tokens)
    if grader is not None:
        asking.check_models([grader.model])
    known_as, judging = (str(grader), None) if grader else make_judge(judge, bench.scenes.corpus)
    claim_folder(folder, {**bench.settings(), "judge": known_as})
    rows_file = folder / "rows.jsonl"
    found = play_rows(rows_file, bench, ask, asking, jobs=jobs, progress=progress)
    with ExitStack() as stack:
        if grader is not None:
            chat = asking.chat(grader, asking.models("judge", stack), stack)
            judging = ChatGrader(chat, seed=seed)
        assert judging is not None
        compared = _compare(folder, found, bench.scenes.corpus, judging)
    results = BazaarResults(name, found, bench.scenes, compared, known_as, seed)
    return _report(results, folder, draw=draw)


def _report(results: BazaarResults, folder: Path, *, draw: bool) -> BazaarReport:
    figures: tuple[Path, ...] = ()
    if draw:
        from mechproof.report.bazaar import draw_all

        figures = draw_all(results, folder)
    return BazaarReport(results, folder, figures).write()


def _compare(
    folder: Path, rows: tuple[Row, ...], corpus: Corpus, judge: Grader
) -> tuple[Comparison, ...]:
    """Return what comes of comparing answers; what a judge says that is no rule is kept."""
    market = [row for row in rows if row["part"] == "market"]
    grading = Grading(judge)

    def asked(name: str, first: str | None, second: str | None) -> Grade:
        question = str(corpus.question(name))
        if first is not None and first == second:
            return Grade(question, first, second, ("tie", "tie"))
        return grading.compare(question, first, second)

    if isinstance(judge, FactGrader):
        return compare_answers(market, asked)
    wanted: list[tuple[str, str | None, str | None]] = []

    def note(name: str, first: str | None, second: str | None) -> Grade:
        wanted.append((name, first, second))
        return Grade(name, first, second)

    pairs = compare_answers(market, note)
    keys = [{"question": c.question, "first": str(c.first), "second": str(c.second)} for c in pairs]
    with appending(folder / "grades.jsonl", keys, _is_grade) as grades:
        for each in wanted[len(grades.rows) :]:
            grades({**keys[len(grades.rows)], "said": [*asked(*each).said]})
    given = iter(grades.rows)
    return compare_answers(market, lambda q, a, b: Grade(q, a, b, tuple(next(given)["said"])))


def _is_grade(row: Row) -> bool:
    said = row.get("said")
    return isinstance(said, list) and len(said) in (0, 2) and all(s in GRADE_OUTCOMES for s in said)
