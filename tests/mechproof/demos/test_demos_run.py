"""Running demos: transcripts that repeat, records that go on, servers in the model's place."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from fake_server import Asked, FakeServer, chatted, completed, refuses
from tiny_law import END, TinyLaw

from llm_adapters.errors import BudgetSpentError, MissingAnswerError, MissingCapabilityError
from llm_adapters.session import Session
from mechanisms.protocols import Message
from mechproof.cli import main
from mechproof.demos import Transcript, demos, open_participants, run
from mechproof.demos.models import kind_of
from theory.errors import InvalidInputError

QUICK = ("inspection", "recursive-inspection", "marginal-value", "arena", "market")
SMALL: dict[str, dict[str, Any]] = {"softmax-auction": {"candidates": 5, "queries": 1}}


def command(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["demo", *arguments], prog_name="mechproof")


def answers(record: Path) -> list[dict[str, Any]]:
    lines = map(json.loads, record.read_text("utf-8").splitlines())
    return [line for line in lines if "request" in line]


def calls_of(text: str) -> int:
    """The calls in the last row of the table of usage."""
    *_, row = (line for line in text.splitlines() if line.startswith("all  "))
    return int(row.split()[1])


# --- the same again


@pytest.mark.parametrize("name", demos())
def test_a_replay_repeats_the_transcript_to_the_letter(name: str, tmp_path: Path) -> None:
    record, options = tmp_path / "record.jsonl", SMALL.get(name, {})
    first = run(name, model="rules", seed=4, record=record, **options)
    before = record.read_bytes()
    again = run(name, model="rules", seed=4, replay=record, **options)
    assert again.text == first.text
    assert record.read_bytes() == before
    assert len(answers(record)) == calls_of(first.text)
    assert str(first) == first.text
    assert first._repr_html_().startswith("<pre># ")


@pytest.mark.parametrize("name", QUICK)
def test_the_same_seed_gives_the_same_transcript(name: str) -> None:
    texts = {run(name, model="rules", seed=seed).text for seed in (1, 1, 2)}
    assert len(texts) == 2


@pytest.mark.parametrize("name", QUICK)
def test_a_run_that_ended_early_goes_on_and_repeats_no_call(name: str, tmp_path: Path) -> None:
    record, whole = tmp_path / "record.jsonl", tmp_path / "whole.jsonl"
    expected = run(name, model="rules", record=whole)
    total = len(answers(whole))
    for calls in range(1, total):
        with pytest.raises(BudgetSpentError):
            run(name, model="rules", record=record, calls=calls)
        assert len(answers(record)) == calls
    found = run(name, model="rules", record=record)
    assert found.text == expected.text
    assert record.read_text("utf-8") == whole.read_text("utf-8")


def test_what_a_mechanism_withholds_the_session_tells() -> None:
    """In choosing, of an exception only its kind comes out of the mechanism."""
    text = Transcript()
    with pytest.raises(BudgetSpentError, match="0 of 0 calls are made"):
        run("inspection", model="rules", calls=0, transcript=text)
    told = " ".join(str(text).split())
    assert "The run ended early." in told
    assert "0 of 0 calls are made" in told


def test_a_record_of_another_seed_lacks_answers(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    run("inspection", model="rules", seed=1, record=record)
    with pytest.raises(MissingAnswerError):
        run("inspection", model="rules", seed=2, replay=record)


# --- arguments


@pytest.mark.parametrize("model", ["", "rule", "Local", "ftp://x", "127.0.0.1:80", "URL#NAME"])
def test_another_model_is_refused_and_the_choices_named(model: str) -> None:
    with pytest.raises(InvalidInputError, match=r"local, rules, or URL#NAME"):
        run("inspection", model=model)


@pytest.mark.parametrize(
    "model",
    [
        "https://me:hunter2#more@host/v1",
        "https://me:2222#hunter2@host/v1",
        "https://me:hunter2/x#more@host/v1",
        "https://me:2222/hunter2@host/v1#small",
        "https://me:2222?hunter2@host/v1#small",
        "https://me:hunter2/v1#small",
        "HTTPS://me:hunter2#more@host/v1",
        "me:hunter2@host/v1",
    ],
)
def test_a_password_in_an_address_is_refused_and_not_quoted(model: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        run("inspection", model=model, time_limit=1.0)
    told = str(caught.value)
    assert "hunter2" not in told
    assert "2222" not in told


@pytest.mark.parametrize("name", ["@cf/meta/small", "small@1"])
def test_the_name_of_a_model_may_hold_an_at(name: str) -> None:
    assert kind_of(f"http://127.0.0.1:8000/v1#{name}") == "endpoint"


@pytest.mark.parametrize("model", [None, 1, b"rules", ["rules"]])
def test_a_model_that_is_no_text_is_refused(model: Any) -> None:
    opened = inspect.unwrap(open_participants)
    with Session() as session, pytest.raises(InvalidInputError, match="model"):
        next(opened(model, session, rule=demos()["inspection"].rule, instances=()))


@pytest.mark.parametrize("seed", [-1, True, 1.5, "1", None])
def test_a_seed_that_is_none_is_refused(seed: Any) -> None:
    with pytest.raises(InvalidInputError, match="seed"):
        inspect.unwrap(run)("inspection", model="rules", seed=seed)


def test_another_demo_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="did you mean 'inspection'"):
        run("inspections", model="rules")


def test_every_demo_says_what_it_cannot_show() -> None:
    for demo in demos().values():
        assert len({demo.remarks[kind] for kind in ("rules", "local", "endpoint")}) == 3
        assert "135 million" in demo.remarks["local"]


# --- the command


def test_the_command_writes_transcript_and_record(tmp_path: Path) -> None:
    out, record = tmp_path / "out.md", tmp_path / "record.jsonl"
    found = command("inspection", "--model", "rules", "--out", str(out), "--record", str(record))
    assert found.exit_code == 0
    assert out.read_text("utf-8").strip() == found.stdout.strip()
    assert "the decision: buyer is asked" in found.stderr
    assert len(answers(record)) == 2
    again = command("inspection", "--model", "rules", "--replay", str(record))
    assert again.stdout == found.stdout


def test_the_command_keeps_the_transcript_of_a_run_that_fails(tmp_path: Path) -> None:
    out = tmp_path / "out.md"
    found = command("inspection", "--model", "rules", "--calls", "1", "--out", str(out))
    assert found.exit_code == 2
    assert "1 of 1 calls are made" in found.stderr
    assert "The choice on level 1" in out.read_text("utf-8")


def test_the_command_passes_the_options_of_each_demo_on() -> None:
    found = command("recursive-inspection", "--model", "rules", "--depth", "2")
    assert "decides for the green bicycle" in " ".join(found.stdout.split())
    found = command("inspection", "--model", "rules", "--prompting", "debate")
    assert "Prompting.** debate" in found.stdout
    assert calls_of(found.stdout) == 4
    assert command("inspection", "--prompting", "loud").exit_code == 2


def test_without_the_local_model_the_command_says_how_to_obtain_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MECHPROOF_MODELS", str(tmp_path))
    found = command("inspection")
    assert found.exit_code == 2
    assert "mechproof model get" in found.stderr


# --- a server in the model's place

ROWS = {" good": 3, " rest": 2, " and": 1, "\n": 2}
WORDS = TinyLaw({"": ROWS, "\n": {END: 1}, ":": {" good": 1, " rest": 1}})


def behaving(rule: Callable[..., str]) -> Callable[[Asked], Any]:
    """A server whose chat follows a rule, and whose replies stop at the end of a line."""

    def behave(asked: Asked) -> Any:
        body = asked.body
        if asked.path.endswith("/chat/completions"):
            messages: Sequence[Message] = [
                Message(m["role"], m["content"]) for m in body["messages"]
            ]
            form = body.get("response_format")
            return chatted(rule(messages, form and form["json_schema"]["schema"]))
        if not asked.path.endswith("/completions") or body.get("echo"):
            return None
        data = completed(body, WORDS)
        for choice in data["choices"]:
            before, stop, _ = choice["text"].partition("\n")
            choice |= {"text": before, "finish_reason": "stop" if stop else "length"}
        return data

    return behave


@pytest.mark.parametrize("name", QUICK)
def test_a_server_takes_the_place_of_the_model_by_one_argument(name: str) -> None:
    with FakeServer(behaving(demos()[name].rule)) as server:
        found = run(name, model=f"{server.url}#tiny")
        assert server.counts()["/chat/completions"] == found.usage_total.calls
    ruled = run(name, model="rules")
    outcomes: list[Any] = [one.outcome for one in (found, ruled)]
    at = {"arena": "", "market": "result"}.get(name, "record")
    first, second = (getattr(one, at) if at else one for one in outcomes)
    assert first.table() == second.table()
    assert found.usage_total.input_tokens > 0
    assert "behind a server" in found.text


def test_the_auction_runs_on_what_a_server_scores(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    with FakeServer(behaving(lambda messages, schema: ""), law=WORDS) as server:
        address = f"{server.url}#tiny"
        found = run("softmax-auction", model=address, record=record, **SMALL["softmax-auction"])
        asked = len(server.asked)
        again = run("softmax-auction", model=address, replay=record, **SMALL["softmax-auction"])
        assert len(server.asked) == asked
    assert again.text == found.text
    assert "temperature 1 with nothing cut off" in " ".join(found.text.split())
    for one in found.outcome:
        assert one.truthful
        assert one.laws.error == 0


def test_a_server_that_moved_is_known_by_its_name(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    with FakeServer(behaving(demos()["inspection"].rule)) as server:
        first = run("inspection", model=f"{server.url}#tiny", record=record, known_as="ours")
    with FakeServer(behaving(demos()["inspection"].rule)) as moved:
        address = f"{moved.url}#tiny"
        assert moved.url != server.url
        again = run("inspection", model=address, record=record, known_as="ours")
        assert not moved.asked
        with pytest.raises(MissingAnswerError, match="server"):
            run("inspection", model=address, replay=record)
    assert again.outcome.record.table() == first.outcome.record.table()


@pytest.mark.parametrize(
    "wrong", [{"candidates": 0}, {"queries": 0}, {"tau": 0.0}, {"temperature": -1.0}]
)
def test_settings_that_are_none_are_refused_before_a_call(wrong: dict[str, Any]) -> None:
    with FakeServer() as server:
        with pytest.raises(InvalidInputError):
            run("softmax-auction", model=f"{server.url}#tiny", **wrong)
        assert not server.asked


def test_a_server_that_cannot_score_is_named_before_anything_is_drawn() -> None:
    def behave(asked: Asked) -> Any:
        if asked.path.endswith("/completions") and asked.body.get("echo"):
            return refuses(400, "echo is not supported")
        return None

    text = Transcript()
    with FakeServer(behave) as server:
        with pytest.raises(MissingCapabilityError, match="echo"):
            run("softmax-auction", model=f"{server.url}#tiny", transcript=text)
        assert all(body.get("echo") for body in server.bodies("/completions"))
    assert "echo" in str(text)
