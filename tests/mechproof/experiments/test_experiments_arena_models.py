"""Models in the experiments of the arena: who is asked what, what is kept, going on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from fake_server import Asked, FakeServer, Reply, chatted, refuses
from local_language_model import local_file, local_weights

from dev import ROOT
from llm_adapters.errors import BudgetSpentError
from llm_adapters.fakes import RuleChat
from llm_adapters.local import Weights
from llm_adapters.players import ChatBidder
from mechanisms.ascending import Item, RuleBidder
from mechanisms.protocols import Message
from mechproof.cli import main
from mechproof.demos.bidding import bidding_rule
from mechproof.experiments import arena
from mechproof.experiments.arena_bidders import ModelBidder, PersonBidder, read_bidder
from mechproof.local_model import LocalModelError
from theory.errors import InvalidInputError

__all__ = ["local_file", "local_weights"]

ITEMS = [Item("Vase", 100, 200), Item("Bowl", 200, 400)]


class Counting:
    """A chat model that counts its calls, and fails from one of them on."""

    def __init__(self, fails_at: int = 10**9, error: type[BaseException] = RuntimeError) -> None:
        self.calls, self.fails_at, self.error = 0, fails_at, error
        self.seeds: list[int] = []

    def chat(
        self,
        messages: Sequence[Message],
        rng: np.random.Generator,
        *,
        schema: Mapping[str, object] | None = None,
    ) -> str:
        self.calls += 1
        self.seeds.append(int(rng.integers(2**32)))
        if self.calls >= self.fails_at:
            raise self.error("no connection")
        return bidding_rule(messages, schema)


def small(out: Path, *bidders: Any, **changed: Any) -> arena.ArenaReport:
    given: dict[str, Any] = {
        "lineups": {"all": [*bidders, "rule"]},
        "budgets": [500],
        "orders": ["descending"],
        "games": 3,
        "items": ITEMS,
        "draw": False,
    }
    return arena.run(out, **{**given, **changed})


def files(out: Path) -> list[Path]:
    return sorted((out / "answers").iterdir())


def lines(file: Path) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return [line for line in found if "request" in line]


@pytest.mark.parametrize(
    ("text", "name", "modules", "known_as"),
    [
        ("local", "local", ("plan", "replan", "beliefs"), "local"),
        ("static:rules", "static rules", ("plan",), "rules"),
        ("Ann=none:http://127.0.0.1:1/v1#small", "Ann", (), "small"),
        ("http://127.0.0.1:1/v1?a=b", "model", ("plan", "replan", "beliefs"), None),
        ("adaptive:https://host.example/v1#a:b", "adaptive a:b", None, "a:b"),
    ],
)
def test_a_model_is_named_in_text(
    text: str, name: str, modules: tuple[str, ...] | None, known_as: str | None
) -> None:
    found = read_bidder(text)
    assert isinstance(found, ModelBidder)
    assert found.name == name
    if modules is not None:
        assert found.modules == modules
    if known_as is not None:
        assert found.known_as == known_as
        assert "host.example" not in str(found)


def test_other_kinds_are_named_in_text() -> None:
    assert read_bidder("me=person") == PersonBidder("me")
    assert read_bidder("Rae=rule").name == "Rae"
    assert read_bidder("Rae \udcff=rule").name == "Rae \udcff"
    assert read_bidder("choosy rule", ", baseline").name == "choosy rule, baseline"


@pytest.mark.parametrize(
    "text",
    ["", "=rule", "roule", "adaptive:", "adaptive:lokal", "none:ftp://x", "no_module_of_ours:x"],
)
def test_what_names_no_bidder_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError):
        read_bidder(text)


def test_every_call_is_kept_and_accounted_to_its_bidder(tmp_path: Path) -> None:
    chat = Counting()
    report = small(tmp_path, ModelBidder("Ann", chat), ModelBidder("Bob", chat, ()))
    kept = [lines(file) for file in files(tmp_path)]
    assert len(kept) == 3
    assert sum(map(len, kept)) == chat.calls
    for row, answers in zip(report.results.rows, kept, strict=True):
        by_agent = Counter(line["agent"] for line in answers)
        assert {name: used["calls"] for name, used in row["usage"].items()} == by_agent
        assert set(by_agent) == {"Ann", "Bob"}
        assert [name for _, name, _ in row["plans"]] == ["Ann", "Ann"]
    data = json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert sum(one["calls"] for one in data["usage"].values()) == chat.calls
    [table] = [each for each in report.tables if each.caption == "What was asked"]
    assert [int(row[2]) for row in table.rows] == [one["calls"] for one in data["usage"].values()]


def test_rows_whose_usage_is_none_are_refused(tmp_path: Path) -> None:
    bidder = ModelBidder("Ann", RuleChat(bidding_rule), ())
    small(tmp_path, bidder)
    file = tmp_path / "games.jsonl"
    first, second, third = file.read_text().splitlines()
    good = json.loads(second)["usage"]["Ann"]
    for bad in (
        {"Eve": good},
        {"Ann": {}},
        {"Ann": {**good, "calls": -1}},
        {"Ann": {**good, "money": "1e999999999"}},
        {"Ann": {**good, "money": "-1"}},
        {"Ann": {**good, "seconds": 1}},
        {"Ann": {"answers": 1, "money": "0"}},
        {"Ann": None},
    ):
        row = {**json.loads(second), "usage": bad}
        file.write_text("\n".join([first, json.dumps(row), third, ""]))
        with pytest.raises(InvalidInputError, match=r"line 2 of games\.jsonl is no"):
            small(tmp_path, bidder)
    file.write_text("\n".join([first, second, third, ""]))
    small(tmp_path, bidder)


def test_names_need_not_be_of_characters_that_can_be_written(tmp_path: Path) -> None:
    bidder = ModelBidder("Ann \udcff", RuleChat(bidding_rule), ())
    report = small(tmp_path, lineups={"with \udcff": [bidder, "rule"]})
    assert str(small(tmp_path, lineups={"with \udcff": [bidder, "rule"]})) == str(report)


def test_each_game_has_draws_of_its_own(tmp_path: Path) -> None:
    """Identical bidders that are told the same in two games do not draw the same."""
    chat = Counting()
    small(tmp_path / "one", ModelBidder("Ann", chat, ("plan",)))
    first = [lines(file)[0]["request"] for file in files(tmp_path / "one")]
    assert len({json.dumps(each["messages"]) for each in first}) == 1
    assert len({each["seed"] for each in first}) == 3
    given = Counting()
    small(tmp_path / "two", ChatBidder("Ann", given, modules=("plan",)))
    assert len(given.seeds) == len(set(given.seeds))


@pytest.mark.parametrize("fails_at", [1, 7, 20])
def test_a_run_that_was_stopped_asks_for_nothing_twice(tmp_path: Path, fails_at: int) -> None:
    whole = Counting()
    expected = small(tmp_path / "whole", ModelBidder("Ann", whole), ModelBidder("Bob", whole, ()))
    stopped = Counting(fails_at, KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        small(tmp_path / "part", ModelBidder("Ann", stopped), ModelBidder("Bob", stopped, ()))
    rest = Counting()
    found = small(tmp_path / "part", ModelBidder("Ann", rest), ModelBidder("Bob", rest, ()))
    assert rest.calls == whole.calls - (fails_at - 1)
    for name in ("games.jsonl", "results.json", "tables.txt"):
        assert (tmp_path / "part" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert str(found) == str(expected)


def test_a_budget_of_calls_is_for_all_games(tmp_path: Path) -> None:
    chat = Counting()
    whole = small(tmp_path / "whole", ModelBidder("Ann", chat))
    first = whole.results.rows[0]["usage"]["Ann"]["calls"]
    for limit in (first - 1, first, first + 1):
        limited = Counting()
        out = tmp_path / str(limit)
        with pytest.raises(BudgetSpentError):
            small(out, ModelBidder("Ann", limited), calls=limit)
        assert limited.calls == limit
        rows = (out / "games.jsonl").read_text("utf-8").splitlines()
        assert len(rows) == (limit >= first)
    rest = Counting()
    small(tmp_path / str(first + 1), ModelBidder("Ann", rest), calls=chat.calls)
    assert rest.calls == chat.calls - (first + 1)


def test_a_model_that_fails_within_a_game_loses_that_game_alone(tmp_path: Path) -> None:
    """Whose model raises has given no answer; a model that never answers stops the run."""
    once = Counting(fails_at=2)
    report = small(tmp_path / "some", ModelBidder("Ann", once), games=1)
    assert report.results.rows[0]["unanswered"] == ["Ann"]
    assert report.results.rated == ()
    with pytest.raises(Exception, match="no connection") as raised:
        small(tmp_path / "never", ModelBidder("Ann", Counting(fails_at=1)))
    assert not isinstance(raised.value, RuntimeError)
    assert (tmp_path / "never/games.jsonl").read_bytes() == b""


def test_copies_of_a_bidder_with_a_model_have_their_own_names(tmp_path: Path) -> None:
    told: list[str] = []

    def rule(messages: Sequence[Message], schema: Mapping[str, object] | None) -> str:
        told.append(messages[0].content.splitlines()[0])
        return bidding_rule(messages, schema)

    lineups = arena.copies(ChatBidder("Ann", RuleChat(rule), modules=()), 2)
    small(tmp_path, lineups=lineups)
    assert len(set(told)) == 2
    assert all(any(f'"Ann {number}"' in each for each in set(told)) for number in (1, 2))


def test_beliefs_are_counted_as_the_paper_counts_failures(tmp_path: Path) -> None:
    """F / (C + F): what is corrected is a failure and, later, a correct statement."""
    for corrections in (0, 2):
        out = tmp_path / str(corrections)
        report = small(out, ModelBidder("Ann", RuleChat(bidding_rule)), corrections=corrections)
        told = [each for row in report.results.rows for each in row["beliefs"]]
        wrong = sum(len(each[3]) for each in told)
        assert wrong
        stages = {(row["game"], each[0]) for row in report.results.rows for each in row["beliefs"]}
        row = next(row for row in report.tables[1].rows if row[0] == "Ann")
        statements = 5 * len(stages)  # the money, two profits, what two have won
        still = 0 if corrections else wrong
        assert row[3] == f"{wrong} of {statements - still + wrong}"


# --- the command


def command(out: Path, *options: str, name: str = "standard", **more: Any) -> Result:
    arguments = ["experiment", "arena", name, "--out", str(out), "--order", "descending"]
    arguments += ["--budget", "10000", "--no-draw"]
    return CliRunner().invoke(main, [*arguments, *options], **more)


def bids(asked: Asked) -> Any:
    """Answer as the rule does."""
    if not asked.path.endswith("/chat/completions"):
        return None
    told = [Message(each["role"], each["content"]) for each in asked.body["messages"]]
    form = asked.body.get("response_format", {}).get("json_schema", {}).get("schema")
    return chatted(bidding_rule(told, form))


def test_ablations_are_one_model_with_three_sets_of_modules(tmp_path: Path) -> None:
    done = command(tmp_path, "--bidder", "rules", "--games", "3", name="ablations")
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    assert [row["seats"][0] for row in rows] == ["adaptive", "static", "no plan"]
    for row in rows:
        assert Counter(name for _, name, _ in row["plans"]) == {"adaptive": 10, "static": 1}
        assert {name for _, name, _, _ in row["beliefs"]} == {"adaptive"}
    assert "What was asked" in done.output


def test_a_model_behind_a_server_and_what_it_costs(tmp_path: Path) -> None:
    with FakeServer(bids) as server:
        options = ["--bidder", f"Ann=none:{server.url}#tiny", "--games", "2"]
        done = command(tmp_path / "run", *options, "--price", "tiny=1,2")
        assert done.exit_code == 0, done.output
        asked = server.counts()["/chat/completions"]
        kept = (tmp_path / "run/settings.json").read_text("utf-8")
        assert "127.0.0.1" not in kept
        assert {body["temperature"] for body in server.bodies("/chat/completions")} == {0}
    data = json.loads((tmp_path / "run/results.json").read_text("utf-8"))
    used = data["usage"]["Ann"]
    assert used["calls"] == asked
    assert (used["input_tokens"], used["output_tokens"]) == (7 * asked, 3 * asked)
    assert Fraction(used["money"]) == Fraction(7 * asked + 2 * 3 * asked, 10**6)
    again = command(tmp_path / "again", *options, "--replay", str(tmp_path / "run"))
    assert again.exit_code == 0, again.output
    one, two = ((tmp_path / n / "games.jsonl").read_text("utf-8") for n in ("run", "again"))
    assert [json.loads(a)["moves"] for a in one.splitlines()] == [
        json.loads(b)["moves"] for b in two.splitlines()
    ]


def test_a_server_that_fails_stops_the_run_which_goes_on_later(tmp_path: Path) -> None:
    with FakeServer(bids) as server:
        whole = command(
            tmp_path / "whole", "--bidder", f"Ann=none:{server.url}#tiny", "--games", "1"
        )
        needed = server.counts()["/chat/completions"]
    assert whole.exit_code == 0, whole.output

    def fails(asked: Asked) -> Any:
        if server.counts()["/chat/completions"] > 9:
            return refuses(401, "no such key")
        return bids(asked)

    with FakeServer(fails) as server:
        broken = command(
            *(tmp_path / "run", "--bidder", f"Ann=none:{server.url}#tiny"), "--games", "1"
        )
    assert broken.exit_code == 2
    assert "no such key" in broken.output
    assert not (tmp_path / "run/games.jsonl").read_bytes()
    with FakeServer(bids) as server:
        done = command(tmp_path / "run", "--bidder", f"Ann=none:{server.url}#tiny", "--games", "1")
        rest = server.counts()["/chat/completions"]
    assert done.exit_code == 0, done.output
    assert rest == needed - 9
    assert (tmp_path / "run/games.jsonl").read_bytes() == (
        tmp_path / "whole/games.jsonl"
    ).read_bytes()


def test_a_request_that_a_server_refuses_loses_its_game_alone(tmp_path: Path) -> None:
    def fails(asked: Asked) -> Any:
        if server.counts()["/chat/completions"] == 9:
            return refuses(400, "the content is not allowed")
        return bids(asked)

    with FakeServer(fails) as server:
        done = command(tmp_path, "--bidder", f"Ann=none:{server.url}#tiny", "--games", "2")
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    assert [row["unanswered"] for row in rows] == [["Ann"], []]
    assert "Ann gave no answer in 1 game, which is not rated." in done.output


def test_a_run_that_was_killed_asks_the_server_for_the_rest(tmp_path: Path) -> None:
    """After ``kill -9`` at most the call under way is made twice."""
    arguments = [sys.executable, "-m", "mechproof", "experiment", "arena", "--order", "descending"]
    arguments += ["--budget", "10000", "--games", "2", "--out", str(tmp_path), "--no-draw"]

    def slow(asked: Asked) -> Reply | Any:
        time.sleep(0.01)
        return bids(asked)

    with FakeServer(slow) as server:
        run = [*arguments, "--bidder", f"Ann=none:{server.url}#tiny"]
        killed = subprocess.Popen(run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while server.counts()["/chat/completions"] < 15 and killed.poll() is None:
            time.sleep(0.01)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert server.counts()["/chat/completions"] >= 15
        kept = sum(len(lines(file)) for file in files(tmp_path))
        asked = server.counts()["/chat/completions"]
        assert asked - 1 <= kept <= asked
        done = subprocess.run(run, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        all_kept = sum(len(lines(file)) for file in files(tmp_path))
        assert all_kept > kept
        assert server.counts()["/chat/completions"] == all_kept + (asked - kept)


def test_prices_and_jobs_that_cannot_be_are_refused(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for options in (
        ["--price", "tiny"],
        ["--price", "tiny=1"],
        ["--price", "tiny=1,x"],
        ["--bidder", "rules", "--calls", "10", "--jobs", "2"],
        ["--bidder", "me=person", "--jobs", "2"],
        ["--bidder", "Ann=rules", "--bidder", "Ann=rule"],
        ["--bidder", "rules", "--time-limit", "0"],
        ["--bidder", "http://user:secret@host.example/v1"],
        ["--bidder", "rules", "--replay", str(tmp_path)],
    ):
        done = command(out, *options)
        assert done.exit_code != 0
        assert "secret" not in done.output
        assert not out.exists()


def test_a_bidder_of_your_own_is_named_by_its_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        "class Shy:\n"
        "    def __init__(self, name): self.name = name\n"
        "    def bid(self, call):\n"
        "        return call.least if call.least <= call.estimate / 2 else None\n"
    )
    (tmp_path / "shy_bidders.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    for jobs in ("1", "2"):
        arguments = [sys.executable, "-m", "mechproof", "experiment", "arena", "--games", "2"]
        arguments += ["--budget", "10000", "--order", "descending", "--jobs", jobs]
        arguments += ["--bidder", "Ann=shy_bidders:Shy", "--out", jobs, "--no-draw"]
        done = subprocess.run(
            arguments,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        assert done.returncode == 0, done.stderr
        assert "Ann" in done.stdout
    assert Path("1/games.jsonl").read_bytes() == Path("2/games.jsonl").read_bytes()


# --- the real local model

BRIEF = RuleBidder("Bob", limit=1)


@pytest.mark.llm
def test_the_local_model_bids_and_a_replay_needs_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, local_weights: Weights
) -> None:
    """Held to the form of an answer, it never fails a bid."""
    assert local_weights.name
    given: dict[str, Any] = {
        "lineups": {"two": [ModelBidder("Ann", "local", ("plan",), tokens=40), BRIEF]},
        "games": 1,
        "items": ITEMS[:1],
    }
    report = small(tmp_path / "run", **given)
    [row] = report.results.rows
    assert row["unanswered"] == []
    assert row["failed"] == []
    assert all(used["output_tokens"] > used["calls"] for used in row["usage"].values())
    monkeypatch.setenv("MECHPROOF_MODELS", str(tmp_path / "nowhere"))
    with pytest.raises(LocalModelError):
        small(tmp_path / "other", **given)
    assert not (tmp_path / "other").exists()
    again = small(tmp_path / "other", **given, replay=tmp_path / "run")
    assert again.results.rows == report.results.rows
