"""How models and people are asked in an experiment: answers are kept, and none is asked for twice.

Beside it stands what such experiments have in common: names of who takes part, the rows that are
asked for one after another, and the report.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any, Final, Generic, Protocol, Self, TypeVar, runtime_checkable

from llm_adapters.errors import (
    AdapterError,
    BudgetSpentError,
    CallError,
    CancelledError,
    MissingAnswerError,
    MissingPackageError,
    RecordError,
)
from llm_adapters.files import read_path
from llm_adapters.session import Answer, Budget, Prices, RecordedChat, Request, Session
from mechanisms.play import Ask
from mechanisms.protocols import ChatModel
from mechproof.demos.models import LOCAL, RULES, Rule, kind_of, local_weights, open_chat
from mechproof.experiments._rows import Row, appending
from mechproof.experiments._workers import in_order
from mechproof.files import write_whole
from mechproof.local_model import LocalModelError, find_model
from mechproof.person import ask_person
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count
from theory.verdicts import Table

__all__ = [
    "ModelAsking",
    "PersonAsked",
    "RunReport",
    "curable",
    "model_name",
    "model_usage",
    "person_usage",
    "play_rows",
    "seed_of",
    "short_name",
    "split_name",
]

_NAMED: Final = re.compile(r"([^=:/]+)=(.*)", re.DOTALL)
_ANSWERS: Final = "answers"

_TOKENS: Final = {LOCAL: 400, RULES: 400, "endpoint": 2_000}
"""The most tokens of an answer: room for the sales of ten items."""

_CURABLE: Final = (
    BudgetSpentError,
    CancelledError,
    LocalModelError,
    MissingAnswerError,
    MissingPackageError,
    RecordError,
)
"""What says nothing of a participant: the run stops, and can be gone on with."""


@runtime_checkable
class Described(Protocol):
    """Who asks a model, before it is opened."""

    @property
    def model(self) -> str | ChatModel: ...
    @property
    def known_as(self) -> str: ...
    @property
    def temperature(self) -> float: ...
    @property
    def tokens(self) -> int | None: ...


@dataclass
class ModelAsking:
    """What is common to all runs of an experiment.

    Attributes
    ----------
    folder : Path
        Where answers are kept, a file a run.
    replay : Path or None
        Such a folder, from which all answers come.
    calls : int or None
        The most calls of models in all runs.
    prices : mapping from str to Prices
        By model.
    time_limit : float or None
        Seconds for an answer of a model.
    notice : callable or None
        Told what is waited for.
    used : int
        Calls of the runs that are over.
    rule : callable
        What the stand-in for a model says.
    """

    folder: Path
    replay: Path | None = None
    calls: int | None = None
    prices: Mapping[str, Prices] = field(default_factory=dict)
    time_limit: float | None = None
    notice: Callable[[str], object] | None = None
    used: int = 0
    _loaded: Any = None
    rule: Rule = field(kw_only=True)

    def __post_init__(self) -> None:
        limit = self.time_limit
        if limit is not None and not (type(limit) in {int, float} and limit > 0):
            raise InvalidInputError("time_limit", limit, "is no such time", "give seconds")

    @classmethod
    def in_folder(
        cls,
        folder: Path,
        *,
        jobs: int,
        replay: str | PathLike[str] | None,
        calls: int | None,
        prices: Mapping[str, Prices] | None,
        time_limit: float | None,
        notice: Callable[[str], object] | None,
        persons: bool,
        **more: Any,
    ) -> Self:
        """Return how the models of a run are asked, whose answers are kept in its folder.

        Raises
        ------
        InvalidInputError
            For limits that are none; for several processes with a budget of calls, or with people.
        """
        if jobs > 1 and persons:
            fix = "use one process"
            raise InvalidInputError("jobs", jobs, "cannot all ask the person at the terminal", fix)
        if jobs > 1 and calls is not None:
            fix = "use one process"
            raise InvalidInputError("jobs", jobs, "cannot share a budget of calls", fix)
        return cls(
            folder / _ANSWERS,
            replay=None if replay is None else read_path("replay", replay) / _ANSWERS,
            calls=None if calls is None else read_count("calls", calls, 0),
            prices=dict(prices or {}),
            time_limit=time_limit,
            notice=notice if jobs == 1 else None,
            **more,
        )

    def check_models(self, models: Iterable[str | ChatModel]) -> None:
        """See that models can be asked, before anything is written.

        Raises
        ------
        InvalidInputError, AdapterError
            For a model that is none, or that is not there; for a folder without answers.
        """
        if self.replay is not None and not self.replay.is_dir():
            fix = "give the folder of a run that is over"
            raise InvalidInputError("replay", str(self.replay.parent), "has no answers", fix)
        for model in {*models}:
            if not isinstance(model, str):
                continue
            kind = kind_of(model)
            if kind == LOCAL and self.replay is None:
                find_model()
            elif kind == "endpoint":
                with Session() as session, open_chat(model, session, rule=self.rule):
                    pass

    def models(self, number: int | str, stack: ExitStack) -> Session:
        """Return the session of a run, closed with the stack."""
        left = None if self.calls is None else max(0, self.calls - self.used)
        return stack.enter_context(
            Session(
                **self.kept(number, "models"),
                budget=Budget(calls=left),
                notice=self.notice,
                prices=self.prices,
                call_limit=self.time_limit,
            )
        )

    def persons(self, number: int, stack: ExitStack) -> Session:
        """Return the session of the people of a run, closed with the stack."""
        return stack.enter_context(Session(**self.kept(number, "persons"), grace=0))

    def kept(self, number: int | str, by: str) -> dict[str, Any]:
        """Return where answers of a run are kept, or come from."""
        name = f"{number:06}.{by}.jsonl" if isinstance(number, int) else f"{number}.{by}.jsonl"
        if self.replay is not None:
            return {"replay": self.replay / name}
        self.folder.mkdir(exist_ok=True)
        return {"record": self.folder / name}

    def chat(self, entrant: Described, session: Session, stack: ExitStack) -> ChatModel:
        """Return the model of somebody, asked through a session."""
        model = entrant.model
        if not isinstance(model, str):
            return RecordedChat(model, session, name=entrant.known_as)
        kind = kind_of(model)
        if kind == LOCAL and self._loaded is None:
            self._loaded = local_weights(session)
        return stack.enter_context(
            open_chat(
                model,
                session,
                rule=self.rule,
                temperature=entrant.temperature,
                tokens=entrant.tokens or _TOKENS[kind],
                loaded=self._loaded,
                known_as=entrant.known_as if kind == "endpoint" else None,
            )
        )


def play_rows(
    path: Path,
    bench: Any,
    work: Callable[[Any, tuple[int, Row]], Row],
    asking: ModelAsking,
    *,
    jobs: int,
    progress: Callable[[int, int], None],
) -> tuple[Row, ...]:
    """Return the rows of a run: those that the file holds, and those that are asked for now."""
    keys = bench.keys()
    with appending(path, keys, bench.has) as rows:
        progress(len(rows.rows), len(keys))
        used = (each for row in rows.rows for each in row["usage"].values())
        asking.used = sum(each.get("calls", 0) for each in used)
        tasks = list(enumerate(keys))[len(rows.rows) :]
        for row in in_order(replace(bench, asking=asking), work, tasks, jobs):
            rows(row)
            progress(len(rows.rows), len(keys))
    return tuple(rows.rows)


@runtime_checkable
class _Results(Protocol):
    """What the rows of a run say."""

    def tables(self) -> tuple[Table, ...]: ...
    def remarks(self) -> Iterator[str]: ...
    def to_json(self) -> dict[str, Any]: ...


_R = TypeVar("_R", bound=_Results)


@dataclass(frozen=True, eq=False)
class RunReport(Generic[_R]):
    """What a run found, and the files it wrote.

    Attributes
    ----------
    results : ArenaResults or BazaarResults
    folder : Path
    figures : tuple of Path
    """

    results: _R
    folder: Path
    figures: tuple[Path, ...]

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The tables of what was found."""
        return self.results.tables()

    def __str__(self) -> str:
        return "\n\n".join([*map(str, self.tables), *self.results.remarks()])

    def _repr_html_(self) -> str:
        return "".join(table._repr_html_() for table in self.tables)

    def write(self) -> Self:
        """Write the tables into the folder, as text and as data."""
        write_whole(self.folder / "tables.txt", f"{self}\n", "out")
        data = json.dumps(self.results.to_json(), indent=1, ensure_ascii=False, allow_nan=False)
        write_whole(self.folder / "results.json", f"{data}\n", "out")
        return self


def split_name(given: str) -> tuple[str, str]:
    """Return the name and the kind of ``[NAME=]KIND``; the name is empty where there is none."""
    named = _NAMED.fullmatch(given)
    return ("", given) if named is None else (named[1].strip(), named[2])


def model_name(model: str | ChatModel) -> str:
    """Return how records know a model: without the address of a server, which may change."""
    if not isinstance(model, str):
        return type(model).__qualname__
    address, _, name = model.partition("#")
    return name or address


def short_name(model: str) -> str:
    """Return a name for a model, without the address of a server."""
    return model.partition("#")[2] or ("model" if "://" in model else model)


def curable(error: BaseException | None, session: Session | None) -> Exception | None:
    """Return what ended a question that another try may answer; None for what it would not."""
    failure: Any = None if session is None else session.failure
    failure = error if failure is None and isinstance(error, AdapterError) else failure
    again = isinstance(failure, CallError) and not failure.request_refused
    return failure if again or isinstance(failure, _CURABLE) else None


def model_usage(session: Session | None) -> Row:
    """Return what was used of models, by who asked."""
    return {
        name: {
            "calls": used.calls,
            "retries": used.retries,
            "input_tokens": used.input_tokens,
            "output_tokens": used.output_tokens,
            "money": str(used.money),
            "unreadable": used.failures,
        }
        for name, used in ({} if session is None else session.usage).items()
    }


def person_usage(session: Session | None) -> Row:
    """Return how many answers people gave, by who was asked."""
    usage = {} if session is None else session.usage
    return {name: {"answers": used.calls} for name, used in usage.items()}


class PersonAsked:
    """Somebody at the terminal, whose answers are kept."""

    def __init__(self, name: str, session: Session) -> None:
        self.name, self._session = name, session

    def __call__(self, ask: Ask) -> object:
        """Return the answer: one that was kept, or what is typed now."""
        told = {"role": ask.role, "told": str(ask.view), "answer": str(ask.answer)}
        request = Request(self.name, "person", "answer", told)
        return self._session.call(request, lambda seconds: Answer({"said": _typed(ask)})).body[
            "said"
        ]


def _typed(ask: Ask) -> object:
    said = ask_person(ask)
    if said is None:
        raise KeyboardInterrupt
    return said


def seed_of(text: str) -> int:
    """Return a seed, from text that names what it is for."""
    return int.from_bytes(sha256(text.encode(errors="backslashreplace")).digest()[:8], "big")
