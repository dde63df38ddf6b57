"""Models in the experiments of bazaar: what is kept and accounted, going on, failing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from local_language_model import local_file, local_weights

from llm_adapters.errors import BudgetSpentError
from llm_adapters.local import Weights
from llm_adapters.session import Prices
from mechanisms.language_models import LanguageModelError
from mechanisms.protocols import Message
from mechproof.experiments import bazaar
from mechproof.experiments.bazaar_buyers import ModelBuyer, make_buyer, names_somebody
from mechproof.local_model import LocalModelError
from theory.errors import InvalidInputError

__all__ = ["local_file", "local_weights"]

Row = dict[str, Any]


class Counting:
    """A chat model that buys what stands first, counts its calls, and fails from one of them on."""

    def __init__(self, fails_at: int = 10**9, until: int = 10**9) -> None:
        self.calls, self.fails_at, self.until = 0, fails_at, until

    def chat(
        self,
        messages: Sequence[Message],
        rng: np.random.Generator,
        *,
        schema: Mapping[str, object] | None = None,
    ) -> str:
        self.calls += 1
        if self.fails_at <= self.calls < self.until:
            raise RuntimeError("no connection")
        if schema is None:
            return "Let us see."
        fields: Any = schema["properties"]
        said, first = {}, True
        for name, asked in fields.items():
            if "const" in asked:
                said[name] = asked["const"]
            elif name == "questions":
                said[name] = []
            elif name == "answer":
                said[name] = "It is so."
            else:
                said[name] = "buy" if first else "pass"
                first = False
        return json.dumps(said)


def small(name: str, out: Path, chat: Any, **changed: Any) -> bazaar.BazaarReport:
    buyers = [ModelBuyer("Ann", chat), "ideal"]
    return bazaar.run(name, out, **{"questions": 3, "draw": False, "buyers": buyers, **changed})


def kept(out: Path) -> list[Row]:
    found = []
    for file in sorted((out / "answers").iterdir()):
        found += [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return [line for line in found if "request" in line]


@pytest.mark.parametrize(
    ("text", "name", "prompting", "known_as"),
    [
        ("local", "local", "direct", "local"),
        ("debate:rules", "debate rules", "debate", "rules"),
        ("Ann=step-by-step:http://127.0.0.1:1/v1#small", "Ann", "step-by-step", "small"),
        ("https://host.example/v1#a:b", "a:b", "direct", "a:b"),
    ],
)
def test_a_model_is_named_in_text(text: str, name: str, prompting: str, known_as: str) -> None:
    given, _, kind = text.rpartition("=") if text.startswith("Ann=") else ("", "", text)
    found = make_buyer(kind, given)
    assert isinstance(found, ModelBuyer)
    assert (found.name, found.prompting, found.known_as) == (name, prompting, known_as)
    assert "host.example" not in str(found)
    assert names_somebody(text)
    assert names_somebody("Ann=person")
    assert not names_somebody("Ann=logit:2")
    assert not names_somebody("my_module:Buyer")


def test_every_call_is_kept_accounted_and_priced(tmp_path: Path) -> None:
    chat = Counting()
    prices = {"Counting": Prices(1_000_000, 0)}
    report = small("models", tmp_path, chat, prices=prices)
    lines = kept(tmp_path)
    assert len(lines) == chat.calls > 0
    assert {line["agent"] for line in lines} == {"Ann"}
    used = [row["usage"].get("Ann", {}).get("calls", 0) for row in report.results.rows]
    assert sum(used) == chat.calls
    assert all(not row["usage"] for row in report.results.rows if row["buyer"] == "ideal")
    [table] = [each for each in report.tables if each.caption == "What was asked of models"]
    assert table.rows[0][:2] == ("Ann", str(chat.calls))


def test_what_is_shown_needs_one_call_a_question(tmp_path: Path) -> None:
    """The buyer is asked what to buy, and not for an answer that nobody reads."""
    chat = Counting()
    report = small("rational-choice", tmp_path, chat)
    assert chat.calls == 3 * 3
    shares = report.results.copies("Ann", same=False)
    assert (shares["the cheaper"].value, shares["the dearer"].value) == (50, 50)


@pytest.mark.parametrize("fails_at", [2, 7])
def test_a_run_that_was_stopped_asks_for_nothing_twice(tmp_path: Path, fails_at: int) -> None:
    whole = Counting()
    report = small("models", tmp_path / "whole", whole)
    counting = Counting()
    with pytest.raises(BudgetSpentError):
        small("models", tmp_path / "part", counting, calls=fails_at)
    assert counting.calls == fails_at
    again = small("models", tmp_path / "part", counting)
    assert counting.calls == whole.calls
    assert str(again) == str(report)
    rows = [(tmp_path / each / "rows.jsonl").read_bytes() for each in ("whole", "part")]
    assert rows[0] == rows[1]


def test_calls_of_rows_that_are_there_count_when_a_run_goes_on(tmp_path: Path) -> None:
    """A budget of calls is of the whole run, however often it stops."""
    counting = Counting()
    for _ in range(2):
        with pytest.raises(BudgetSpentError):
            small("rational-choice", tmp_path, counting, calls=5)
        assert counting.calls == 5
    lines = (tmp_path / "rows.jsonl").read_text("utf-8").splitlines()
    assert sum(json.loads(line)["buyer"] == "Ann" for line in lines) == 5
    with pytest.raises(BudgetSpentError):
        small("rational-choice", tmp_path, counting, calls=7)
    assert counting.calls == 7


def test_a_replay_needs_no_model(tmp_path: Path) -> None:
    report = small("models", tmp_path / "run", Counting())
    silent = Counting(fails_at=1)
    again = small("models", tmp_path / "again", silent, replay=tmp_path / "run")
    assert silent.calls == 0
    assert str(again) == str(report)
    with pytest.raises(InvalidInputError, match="has no answers"):
        small("models", tmp_path / "more", silent, replay=tmp_path / "again")


def test_a_model_that_fails_in_a_question_loses_that_question_alone(tmp_path: Path) -> None:
    report = small("models", tmp_path, Counting(fails_at=2, until=3))
    failed = [row["question"] for row in report.results.rows if row["failed"] is not None]
    assert failed == ["q1"]
    assert "Ann failed at 1 questions" in str(report)
    missing = [c.outcome for c in report.results.comparisons].count("missing")
    assert missing == len(failed)


def test_limits_that_cannot_be_are_refused(tmp_path: Path) -> None:
    for changed in ({"calls": 5, "jobs": 2}, {"time_limit": -1}, {"calls": -1}, {"judge": "lokal"}):
        with pytest.raises(InvalidInputError):
            small("models", tmp_path / "out", Counting(), **changed)
    assert not (tmp_path / "out").exists()


def test_a_model_that_never_answers_stops_the_run(tmp_path: Path) -> None:
    with pytest.raises(LanguageModelError, match="no connection"):
        small("models", tmp_path, Counting(fails_at=1))
    report = small("models", tmp_path, Counting())
    assert not [row for row in report.results.rows if row["failed"] is not None]


@pytest.mark.llm
def test_the_local_model_buys_and_a_replay_needs_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, local_weights: Weights
) -> None:
    assert local_weights.name
    given: Row = {"buyers": ["Ann=local"], "questions": 1, "draw": False}
    report = bazaar.run("rational-choice", tmp_path / "run", **given)
    assert [row["failed"] for row in report.results.rows] == [None] * 3
    assert all(row["usage"]["Ann"]["output_tokens"] > 0 for row in report.results.rows)
    monkeypatch.setenv("MECHPROOF_MODELS", str(tmp_path / "nowhere"))
    with pytest.raises(LocalModelError):
        bazaar.run("rational-choice", tmp_path / "other", **given)
    again = bazaar.run("rational-choice", tmp_path / "other", **given, replay=tmp_path / "run")
    assert again.results.rows == report.results.rows
