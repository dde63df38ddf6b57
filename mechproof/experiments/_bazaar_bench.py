"""What the questions of an experiment of bazaar are asked with, and one of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import sha256
from typing import Any, Final

from llm_adapters.session import Session
from mechanisms.errors import ParticipantError
from mechanisms.market import (
    MAX_HOPS,
    Corpus,
    Passage,
    answer_question,
    corpus_to_json,
    fixed_corpus,
)
from mechanisms.play import Ask
from mechproof.experiments._asking import (
    ModelAsking,
    curable,
    model_usage,
    person_usage,
    seed_of,
)
from mechproof.experiments._bazaar_rows import FORMAT, fits, market_row
from mechproof.experiments._bazaar_scenes import Part, Scenes, parts_of
from mechproof.experiments._rows import Row
from mechproof.experiments.bazaar_buyers import (
    Entrant,
    ModelBuyer,
    PersonBuyer,
    Seated,
    read_buyers,
    seat_model,
    seat_person,
    seat_rule,
)
from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.numbers import rational
from theory.shared.arguments import instance_of, read_count, read_tuple

__all__ = ["EXPERIMENTS", "HOPS", "Bench", "ask", "make_bench"]

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
class Bench:
    """All that a question is asked with."""

    name: str
    scenes: Scenes
    buyers: tuple[Entrant, ...]
    parts: tuple[Part, ...]
    hops: int
    seed: int
    asking: ModelAsking | None = None

    def __call__(self) -> Bench:
        return self

    def settings(self) -> Row:
        """Return what distinguishes this run from others."""
        text = corpus_to_json(self.scenes.corpus)
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
            part = Part.of(row)
            if part not in self.parts:
                return False
            shown, prices = self._on_sale(part, row["question"])
            budget = Fraction(self.scenes.budget(part))
            person = isinstance(self.entrants[row["buyer"]], PersonBuyer)
        except (LookupError, TypeError, ValueError):  # of what is no row of ours
            return False
        return fits(row, budget, shown, prices) and all(
            ("answers" in used) is person for used in row["usage"].values()
        )

    def _on_sale(self, part: Part, name: str) -> tuple[list[tuple[str, Passage]], dict[str, str]]:
        """Return what is shown for a question, and the prices of what can be bought."""
        if (part, name) not in self._sold:
            corpus = self.scenes.corpus
            shown = self.scenes.shown(part, corpus.question(name))
            sold = [passage for _, passage in shown] or corpus.passages
            self._sold[part, name] = shown, {f"{p.owner}: {p.name}": str(p.price) for p in sold}
        return self._sold[part, name]

    @cached_property
    def _sold(self) -> dict[tuple[Part, str], tuple[list[tuple[str, Passage]], dict[str, str]]]:
        return {}

    @cached_property
    def entrants(self) -> dict[str, Entrant]:
        """The buyers by name."""
        return {each.name: each for each in self.buyers}


class _Watched:
    """A buyer under its name in the experiment; it is known whether it has answered.

    Where passages are shown it is not asked for an answer, which nobody reads.
    """

    def __init__(self, buyer: Seated, name: str, *, chooses: bool, answered: list[str]) -> None:
        self.name, self._buyer, self._chooses, self._answered = name, buyer, chooses, answered

    def __call__(self, ask: Ask) -> object:
        if self._chooses and ask.role == "answer":
            return ""
        answer = self._buyer(ask)
        if ask.role != "shortlist":  # which takes no model
            self._answered.append(ask.role)
        return answer

    def __deepcopy__(self, memo: dict[int, object]) -> _Watched:
        buyer = deepcopy(self._buyer, memo)
        return _Watched(buyer, self.name, chooses=self._chooses, answered=self._answered)


def ask(bench: Bench, task: tuple[int, Row]) -> Row:
    """Ask one question of one buyer."""
    number, key = task
    entrant = bench.entrants[key["buyer"]]
    seed = f"{bench.seed}/{'/'.join(map(str, key.values()))}"
    scenes = bench.scenes
    session: Session | None = None
    with ExitStack() as stack:
        if isinstance(entrant, PersonBuyer):
            assert bench.asking is not None
            session = bench.asking.persons(number, stack)
            buyer: Seated = seat_person(entrant, session)
        elif not isinstance(entrant, ModelBuyer):
            known = scenes.corpus if key["part"] == "market" else scenes.known
            buyer = seat_rule(entrant, known, seed_of(seed))
        else:
            assert bench.asking is not None
            session = bench.asking.models(number, stack)
            chat = bench.asking.chat(entrant, session, stack)
            buyer = seat_model(entrant, chat, seed_of(seed))
        found = _play(bench, key, buyer, seed, session)
        person = isinstance(entrant, PersonBuyer)
        used = person_usage(session) if person else model_usage(session)
        if bench.asking is not None:
            bench.asking.used += sum(each.get("calls", 0) for each in used.values())
    return {**key, **found, "usage": used}


def _play(bench: Bench, key: Row, buyer: Seated, seed: str, session: Session | None) -> Row:
    """Play a question in its setting, and return what came of it."""
    part = Part.of(key)
    question = bench.scenes.corpus.question(key["question"])
    shown = bench.scenes.shown(part, question)
    answered: list[str] = []
    market = bench.scenes.market(part, shown)
    try:
        done = answer_question(
            market,
            question,
            _Watched(buyer, key["buyer"], chooses=bool(shown), answered=answered),
            bench.scenes.budget(part),
            hops=0 if shown else bench.hops,
            seed=seed,
        )
    except ParticipantError as error:
        if error.participant in {vendor.name for vendor in market.vendors}:
            raise
        failure = curable(error.__cause__, session)
        if failure is None and session is not None and not answered:
            failure = session.failure  # of a model that has never answered
        if failure is not None:
            raise failure from error
        ledger = error.record.ledger
        ledger.audit()
        return market_row(None, ledger, shown, error.problem)
    done.ledger.audit()
    return market_row(done.inquiry, done.ledger, shown)


def make_bench(
    name: str,
    buyers: Sequence[Any] | None,
    corpus: Corpus | None,
    *,
    budgets: Sequence[object] | None,
    gold_prices: Sequence[object] | None,
    questions: int | None,
    hops: int,
    seed: int,
    of_a_model: dict[str, Any],
) -> Bench:
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
    entrants = read_buyers(
        _BUYERS.get(name, _SHOWN) if buyers is None else buyers, world, **of_a_model
    )
    parts = parts_of(name, _amounts("budgets", budgets), _amounts("gold_prices", gold_prices))
    read_count("hops", hops, 0, MAX_HOPS)
    read_count("seed", seed, 0)
    scenes = Scenes(world, limit)
    for part in parts:
        if not scenes.asked(part):
            problem = f"has no question for the part {part.part!r}"
            fix = "give one whose passages state what questions of one fact need"
            raise InvalidInputError("corpus", f"{len(world.questions)} questions", problem, fix)
    return Bench(name, scenes, entrants, parts, hops, seed)


def _amounts(argument: str, given: Sequence[object] | None) -> tuple[str, ...] | None:
    if given is None:
        return None
    found = [Fraction(rational(each, argument)) for each in read_tuple(argument, given)]
    for wrong, problem, fix in (
        (not found, "are none", "give at least one, or leave them out"),
        (len({*found}) < len(found), "have one of them twice", "give each once"),
        (any(each < 0 for each in found), "have one below 0", "give at least 0"),
    ):
        if wrong:
            raise InvalidInputError(argument, [str(each) for each in found], problem, fix)
    return tuple(map(str, sorted(found)))
