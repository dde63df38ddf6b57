"""The experiments of *Rethinking the Buyer's Inspection Paradox* (bazaar), with anybody's buyers.

``run("budget", out="results")`` asks every question in every setting, a row of record each, and
goes on where an earlier call stopped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any, Final

from llm_adapters.files import read_path
from mechanisms.errors import ParticipantError
from mechanisms.market import (
    GRADE_OUTCOMES,
    MAX_HOPS,
    Corpus,
    FactGrader,
    Grade,
    Grader,
    Grading,
    answer_question,
    fixed_corpus,
)
from mechanisms.play import Ask
from mechproof.experiments._arena_asking import seed_of
from mechproof.experiments._bazaar_judging import (
    FACTS,
    Comparison,
    compare_answers,
    make_judge,
)
from mechproof.experiments._bazaar_rows import FORMAT, fits, market_row
from mechproof.experiments._bazaar_scenes import Part, Scenes, parts_of
from mechproof.experiments._rows import Row, appending, claim_folder
from mechproof.experiments._workers import in_order
from mechproof.experiments.bazaar_buyers import (
    KINDS,
    Entrant,
    ModelBuyer,
    OwnBuyer,
    RuleBuyer,
    Seated,
    make_buyer,
    read_buyers,
    seat_rule,
)
from mechproof.experiments.bazaar_results import BazaarRatings, BazaarResults
from mechproof.files import write_whole
from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.numbers import rational
from theory.shared.arguments import instance_of, read_count, read_tuple
from theory.verdicts import Table

__all__ = [
    "EXPERIMENTS",
    "KINDS",
    "BazaarReport",
    "ModelBuyer",
    "OwnBuyer",
    "RuleBuyer",
    "make_buyer",
    "run",
]

Progress = Callable[[int, int], None]

EXPERIMENTS: Final = (
    *("rational-choice", "demand", "inspection", "position", "budget"),
    *("keyword-baseline", "models"),
)
_SHOWN: Final = ("ideal", "logit:2", "one-by-one", "keyword")
_BUYERS: Final = {
    "budget": ("ideal", "keyword", "logit:2"),
    "keyword-baseline": ("ideal", "keyword", "keyword-stops"),
    "inspection": ("ideal", "logit:2", "keyword"),
}
HOPS: Final = 2
"""The paper's depth is 3, counted from the first question."""
_BUDGETED: Final = ("inspection", "budget", "keyword-baseline", "models")
_PRICED: Final = ("demand", "inspection")


@dataclass(frozen=True, eq=False)
class BazaarReport:
    """What a run found, and the files it wrote.

    Attributes
    ----------
    results : BazaarResults
    folder : Path
    figures : tuple of Path
    """

    results: BazaarResults
    folder: Path
    figures: tuple[Path, ...]

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The tables of the experiment."""
        return self.results.tables()

    def ratings(self) -> BazaarRatings:
        """Return how the answers compare: wins, Bradley-Terry strengths, Elo beside them.

        Raises
        ------
        InvalidInputError
            Where there is nothing to compare.
        """
        return self.results.ratings()

    def __str__(self) -> str:
        return "\n\n".join([*map(str, self.tables), *self.results.remarks()])

    def _repr_html_(self) -> str:
        return "".join(table._repr_html_() for table in self.tables)


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
        "facts", MODULE:NAME, or an object with ``compare(question, a, b)``.
    seed : int
    jobs : int
        Processes; the rows do not depend on it.
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

    Notes
    -----
    A buyer that raises has failed at its question: that is counted, and what it paid stays paid.

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
    bench = _bench(
        name,
        buyers,
        corpus,
        budgets=budgets,
        gold_prices=gold_prices,
        questions=questions,
        hops=hops,
        seed=seed,
    )
    known_as, judging = make_judge(judge, bench.scenes.corpus)
    claim_folder(folder, {**bench.settings(), "judge": known_as})
    keys = bench.keys()
    with appending(folder / "rows.jsonl", keys, bench.has) as rows:
        progress(len(rows.rows), len(keys))
        tasks = list(enumerate(keys))[len(rows.rows) :]
        for row in in_order(bench, _ask, tasks, jobs):
            rows(row)
            progress(len(rows.rows), len(keys))
    found = tuple(rows.rows)
    compared = _compare(folder, found, bench.scenes.corpus, judging)
    results = BazaarResults(name, found, bench.scenes, compared, known_as, seed)
    return _report(results, folder, draw=draw)


def _report(results: BazaarResults, folder: Path, *, draw: bool) -> BazaarReport:
    figures: tuple[Path, ...] = ()
    if draw:
        from mechproof.report.bazaar import draw_all

        figures = draw_all(results, folder)
    report = BazaarReport(results, folder, figures)
    write_whole(folder / "tables.txt", f"{report}\n", "out")
    data = json.dumps(results.to_json(), indent=1, ensure_ascii=False, allow_nan=False)
    write_whole(folder / "results.json", f"{data}\n", "out")
    return report


@dataclass(frozen=True, eq=False)
class _Bench:
    """All that a question is asked with."""

    name: str
    scenes: Scenes
    buyers: tuple[Entrant, ...]
    parts: tuple[Part, ...]
    hops: int
    seed: int

    def __call__(self) -> _Bench:
        return self

    def settings(self) -> Row:
        """Return what distinguishes this run from others."""
        corpus = self.scenes.corpus
        text = repr((corpus.passages, corpus.questions, sorted(corpus.facts), corpus.title_error))
        return {
            "experiment": "bazaar",
            "name": self.name,
            "format": FORMAT,
            "buyers": [str(each) for each in self.buyers],
            "parts": [[p.part, p.setting, p.inspection] for p in self.parts],
            "questions": self.scenes.questions,
            "hops": self.hops,
            "seed": self.seed,
            "corpus": sha256(text.encode(errors="backslashreplace")).hexdigest()[:16],
        }

    def keys(self) -> list[Row]:
        """Return the key of each row, in order."""
        return [
            part.key(question.name, buyer.name)
            for part in self.parts
            for question in self.scenes.asked(part)
            for buyer in self.buyers
        ]

    def has(self, row: Row) -> bool:
        """Whether a row is one that this run could have written."""
        try:
            budget = Fraction(self.scenes.budget(Part.of(row)))
        except (KeyError, TypeError, ValueError):  # of what is no row of ours
            return False
        return fits(row, budget)

    @cached_property
    def entrants(self) -> dict[str, Entrant]:
        """The buyers by name."""
        return {each.name: each for each in self.buyers}


class _Chooses:
    """A buyer that is asked what to buy, and not for an answer that nobody reads."""

    def __init__(self, buyer: Seated, name: str) -> None:
        self.name, self._buyer = name, buyer

    def __call__(self, ask: Ask) -> object:
        return "" if ask.role == "answer" else self._buyer(ask)


class _Named:
    """A buyer under the name that it has in the experiment."""

    def __init__(self, buyer: Seated, name: str) -> None:
        self.name, self._buyer = name, buyer

    def __call__(self, ask: Ask) -> object:
        return self._buyer(ask)


def _ask(bench: _Bench, task: tuple[int, Row]) -> Row:
    """Ask one question of one buyer."""
    _number, key = task
    part, entrant = Part.of(key), bench.entrants[key["buyer"]]
    question = bench.scenes.corpus.question(key["question"])
    shown = bench.scenes.shown(part, question)
    seed = f"{bench.seed}/{'/'.join(map(str, key.values()))}"
    if isinstance(entrant, ModelBuyer):
        fix = "name a buyer that follows a rule, or MODULE:NAME"
        raise InvalidInputError("buyers", entrant.name, "asks a model, which cannot be yet", fix)
    buyer = seat_rule(entrant, bench.scenes.known if shown else bench.scenes.corpus, seed_of(seed))
    seated = (_Chooses if shown else _Named)(buyer, entrant.name)
    market = bench.scenes.market(part, shown)
    failed = None
    try:
        done = answer_question(
            market,
            question,
            seated,
            bench.scenes.budget(part),
            hops=0 if shown else bench.hops,
            seed=seed,
        )
        inquiry, ledger = done.inquiry, done.ledger
    except ParticipantError as error:
        if error.participant in {vendor.name for vendor in market.vendors}:
            raise
        inquiry, ledger, failed = None, error.record.ledger, error.problem
    ledger.audit()
    return {**key, **market_row(inquiry, ledger, shown, failed), "usage": {}}


def _bench(
    name: str,
    buyers: Sequence[Any] | None,
    corpus: Corpus | None,
    *,
    budgets: Sequence[object] | None,
    gold_prices: Sequence[object] | None,
    questions: int | None,
    hops: int,
    seed: int,
) -> _Bench:
    if name not in EXPERIMENTS:
        raise UnknownNameError("name", name, "is no experiment", nearest(str(name), EXPERIMENTS))
    for argument, given, where in (
        ("budgets", budgets, _BUDGETED),
        ("gold_prices", gold_prices, _PRICED),
    ):
        if given is not None and name not in where:
            fix = f"leave them out, or choose {', '.join(where)}"
            raise InvalidInputError(argument, given, f"have no place in {name}", fix)
    world = fixed_corpus() if corpus is None else corpus
    instance_of("corpus", world, Corpus, "give a Corpus, such as facts_corpus() makes")
    limit = None if questions is None else read_count("questions", questions)
    entrants = read_buyers(_BUYERS.get(name, _SHOWN) if buyers is None else buyers, world)
    parts = parts_of(name, _amounts("budgets", budgets), _amounts("gold_prices", gold_prices))
    read_count("hops", hops, 0, MAX_HOPS)
    read_count("seed", seed, 0)
    scenes = Scenes(world, limit)
    for part in parts:
        if not scenes.asked(part):
            problem = f"has no question for the part {part.part!r}"
            fix = "give one whose passages state what questions of one fact need"
            raise InvalidInputError("corpus", f"{len(world.questions)} questions", problem, fix)
    return _Bench(name, scenes, entrants, parts, hops, seed)


def _amounts(argument: str, given: Sequence[object] | None) -> tuple[str, ...] | None:
    if given is None:
        return None
    found = [Fraction(rational(each, argument)) for each in read_tuple(argument, given)]
    if not found or len({*found}) < len(found) or min(found) < 0:
        shown = [str(each) for each in found]
        fix = "give at least one number, none below 0, each once"
        raise InvalidInputError(argument, shown, "are none, below 0, or there twice", fix)
    return tuple(map(str, sorted(found)))


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
