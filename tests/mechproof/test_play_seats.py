"""``mechproof play``: models take seats beside somebody at the terminal and rules."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from fake_server import Asked, FakeServer, chatted, refuses

import mechproof.games
from dev import ROOT
from mechanisms.play import How, Run, play
from mechanisms.protocols import Message
from mechproof.cli import main
from mechproof.games.game import GAMES, Game

ANSWERS: dict[str, object] = {
    "offer": [{"name": "poem of {}", "content": "Buses are red", "price": "1"}],
    "choose": ["road news"],
    "decide": "blue bus",
    "reveal": [],
    "judge": {"make a detour": 0, "cross": "1/2"},
    "quote": [{"name": "poem", "title": "by {}", "text": "Rivers are blue", "price": "1"}],
}
"""What models say, by what they are asked to do; with their own name in it."""

OTHERS = {"inspection": "Cleo", "arena": "Rae", "marginal-value": "Bob", "market": "Gazette"}
"""By game, who may be a model beside somebody at the terminal."""

LINES = {
    "inspection": ["road news", "blue bus"],
    "arena": ["4000", "", "", ""],
    "marginal-value": ["plate", ""],
    "market": ["Archive: life", "Hallin", "What is the river of Hallin?", "", "?", "not known"],
}
"""By game, what is typed."""


def game(name: str) -> Game:
    return GAMES.read(name)


def said(name: str) -> Callable[[Asked], Any]:
    """A server whose model says always the same to what it is asked for."""

    def behave(asked: Asked) -> Any:
        if not asked.path.endswith("/chat/completions"):
            return None
        told = asked.body["messages"][-1]["content"]
        if name == "arena":
            bid = 3000 if "from 1000 to" in told else "withdraw"
            return chatted(json.dumps({"reason": "", "bid": bid}))
        who = asked.body["messages"][0]["content"].split('"')[1]
        [answer] = [answer for role, answer in ANSWERS.items() if f"asked to {role}." in told]
        answer = {"Ann": ["plate"], "Bob": ["rust"]}.get(who, answer)
        if "asked to choose" in told and "road news" not in told:
            answer = ["poem of Bert"]
        return chatted(json.dumps({"answer": answer}).replace("{}", who))

    return behave


def typed(name: str) -> str:
    return "".join(f"{line}\n" for line in LINES[name])


def command(name: str, text: str, *options: str) -> Result:
    return CliRunner().invoke(main, ["play", name, *options], input=text)


def kept(name: str, file: Path) -> Run[Any]:
    run: Run[Any] = game(name).begin().rules.read(json.loads(file.read_text("utf-8"))["run"])
    return run


def seats(name: str, who: str) -> list[str]:
    return [part for player in game(name).goals for part in ("--seat", f"{player}={who}")]


@pytest.mark.parametrize("name", GAMES.all())
def test_rules_play_a_game_alone(name: str, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    found = command(name, "", *seats(name, "rules"), "--file", str(file))
    assert found.exit_code == 0, found.output
    run = play(game(name).begin(), game(name).by_rule())
    assert found.output.strip() == game(name).tell(run).strip()
    assert kept(name, file).outcome == run.outcome


@pytest.mark.parametrize("name", GAMES.all())
def test_a_model_takes_a_seat_and_a_replay_asks_nobody(name: str, tmp_path: Path) -> None:
    record, file = tmp_path / "record.jsonl", tmp_path / "game.json"
    with FakeServer(said(name)) as models:
        options = ["--seat", f"{OTHERS[name]}={models.url}#tiny", "--known-as", "ours"]
        kept_in = ["--record", str(record), "--file", str(file)]
        first = command(name, typed(name), *options, *kept_in)
        assert first.exit_code == 0, first.output
        asked = len(models.asked)
        again = command(name, typed(name), *options, "--replay", str(record))
        assert len(models.asked) == asked
    assert again.exit_code == 0, again.output
    assert again.stdout == first.stdout
    assert f"{OTHERS[name]}" in first.stdout.rpartition("Usage")[2]
    log = [entry for entry in kept(name, file).log if getattr(entry.request, "player", "")]
    own = [entry for entry in log if entry.request.player == OTHERS[name]]
    assert len(own) == asked > 0
    assert all(entry.how is How.CHOSEN for entry in own)


@pytest.mark.parametrize("name", ["inspection", "marginal-value"])
def test_models_take_all_seats(name: str) -> None:
    with FakeServer(said(name)) as models:
        found = command(name, "", *seats(name, f"{models.url}#tiny"))
        assert found.exit_code == 0, found.output
        assert "You are" not in found.stdout
        told = [asked.body["messages"] for asked in models.asked]
    for player, goal in game(name).goals.items():
        told_it = [m[0]["content"] for m in told if f'You are "{player}",' in m[0]["content"]]
        assert told_it
        assert all(goal in each for each in told_it)
    end = {"inspection": "buyer decides blue bus, 1 spent", "marginal-value": "rust"}
    assert end[name] in found.stdout


def test_a_seat_that_must_forget_is_told_nothing_of_what_another_saw() -> None:
    with FakeServer(said("inspection")) as models:
        found = command("inspection", "", "--seat", f"buyer={models.url}#tiny")
        assert found.exit_code == 0, found.output
        choice, decision = ("".join(m["content"] for m in a.body["messages"]) for a in models.asked)
    assert "soft seats" in choice
    assert "soft seats" not in decision
    assert "bridge on the way" in decision


@pytest.mark.parametrize("name", ["inspection", "marginal-value"])
@pytest.mark.parametrize("after", [0, 1])
def test_a_model_that_cannot_be_asked_stops_the_game_and_the_same_command_goes_on(
    name: str, after: int, tmp_path: Path
) -> None:
    player = {"inspection": "buyer", "marginal-value": "the judge"}[name]
    file, calls = tmp_path / "game.json", 0

    def failing(asked: Asked) -> Any:
        nonlocal calls
        calls += 1
        return refuses(400, "no") if calls == after + 1 else said(name)(asked)

    with FakeServer(said(name)) as models:
        options = ["--seat", f"{player}={models.url}#tiny"]
        whole = command(name, typed(name), *options)
        one_by_one = len(models.asked)
    with FakeServer(failing) as models:
        options = ["--seat", f"{player}={models.url}#tiny", "--file", str(file)]
        stopped = command(name, typed(name), *options)
        assert stopped.exit_code == 2
        assert f"the game is not over; kept in {file}" in stopped.output.replace("\n", "")
        assert file.exists() or not after
        again = command(name, typed(name), *options)
        assert again.exit_code == 0, again.output
        assert len(models.asked) == one_by_one + 1
    assert (
        again.stdout.split("Usage")[0].splitlines()[-8:]
        == (whole.stdout.split("Usage")[0].splitlines()[-8:])
    )


def test_an_answer_that_cannot_be_read_ends_the_game_where_the_rules_say_so() -> None:
    with FakeServer(lambda asked: chatted("I would rather not say.")) as models:
        found = command("inspection", "", "--seat", f"buyer={models.url}#tiny")
    assert found.exit_code == 0, found.output
    assert "ended, since buyer on level 1 gave no legal answer" in found.stdout


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--seat", "Eve=local"], "--seat plays no part (got 'Eve')"),
        (["--seat", "buyer=nobody"], "model is no model (got 'nobody')"),
        (["--seat", "Ana", "--seat", "Ana=rules"], "--seat is given twice (got 'Ana')"),
        (["--record", "record"], "record is for models, and none plays"),
        (["--calls", "3"], "calls is for models, and none plays"),
        (["--seat", "Ana=rules", "--tokens", "3"], "tokens is for models, and none plays"),
        (["--known-as", "ours"], "known_as names a server, and there is none"),
        (["--seat", "Ana=local", "--known-as", "ours"], "known_as names a server"),
        (["--seat", "Ana=local", "--time-limit", "0"], "time_limit is no such time"),
        (
            ["--seat", "Ana=http://one/v1", "--seat", "Bert=http://two/v1", "--known-as", "ours"],
            "known_as names several servers",
        ),
        (["--seat", "Ana=local", "--file", "a", "--record", "a"], "name the same file"),
        (["--seat", "Ana=local", "--file", "a", "--replay", "./a"], "name the same file"),
    ],
)
def test_options_that_cannot_be(options: list[str], problem: str, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        found = command("inspection", typed("inspection"), *options)
        assert found.exit_code == 2
        assert problem in " ".join(found.output.split())
        assert not list(tmp_path.iterdir())


def test_a_game_is_one_module_that_defines_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "coin_toss.py").write_text(
        """
from mechanisms.play import Ask, Choice, rules
from mechproof.games.game import Game

@rules
def coin():
    return (yield Ask("Ann", "a coin", Choice(("head", "tail")), role="call"))

GAME = Game(
    name="coin-toss",
    about="Call a coin.",
    begin=coin,
    by_rule=lambda: {"Ann": lambda ask: "tail"},
    goals={"Ann": "Be right."},
    seat="Ann",
    tell=lambda run: f"It is called {run.outcome}.",
)
""",
        encoding="utf-8",
    )
    monkeypatch.setattr(mechproof.games, "__path__", [*mechproof.games.__path__, str(tmp_path)])
    try:
        listed = CliRunner().invoke(main, ["play", "--help"])
        assert "Call a coin." in listed.output
        assert "You are Ann. Be right." in command("coin-toss", "head\n").output
        assert "It is called head." in command("coin-toss", "head\n").output
        assert "It is called tail." in command("coin-toss", "", "--seat", "Ann=rules").output
    finally:
        sys.modules.pop("mechproof.games.coin_toss", None)
    assert "coin-toss" not in command("inspections", "").output


def test_a_list_may_be_typed_as_text_between_commas() -> None:
    found = command("marginal-value", "rust\n weight ,plate\n\n")
    assert found.exit_code == 0, found.output
    assert "That is not possible" in found.stdout
    assert "1     Ann        {plate, weight}" in found.stdout


# --- a process that dies

DYING = """
import json, os, signal, sys
import llm_adapters.openai_api, llm_adapters.players, llm_adapters.session, mechproof.demos.models
from mechproof import play_command
from mechanisms.protocols import Message
from mechproof.cli import main
from mechproof.games.game import GAMES

name, file, *options = sys.argv[1:-1]
lines = json.loads(sys.argv[-1])
game, keep = GAMES.read(name), play_command._keep

def stages():
    if not os.path.exists(file):
        return 0, 0
    log = game.begin().rules.read(json.load(open(file))["run"]).log
    typed = [e for e in log if getattr(e.request, "player", "") == game.seat]
    return len(log), len(typed)

deaths = 0
while True:
    before, typed = stages()

    def dying(*given):
        if deaths % 2:
            keep(*given)
        os.kill(os.getpid(), signal.SIGKILL)

    if os.fork() == 0:
        read, write = os.pipe()
        os.write(write, "".join(f"{line}\\n" for line in lines[typed:]).encode())
        os.close(write)
        os.dup2(read, 0)
        sys.stdin = os.fdopen(0)
        play_command._keep = dying
        main(["play", name, "--file", file, *options])
    status = os.waitstatus_to_exitcode(os.wait()[1])
    if status != -signal.SIGKILL:
        break
    assert (stages()[0] > before) == bool(deaths % 2)
    deaths += 1
print(status, deaths)
"""
"""Dies in each step twice: first before the answer is kept, then at once after it."""


@pytest.mark.parametrize(
    "name", ["inspection", "marginal-value", pytest.param("arena", marks=pytest.mark.slow)]
)
def test_a_game_killed_twice_in_each_step_leaves_the_record_of_one_process(
    name: str, tmp_path: Path
) -> None:
    whole, file, record = (tmp_path / each for each in ("whole.json", "game.json", "record.jsonl"))
    with FakeServer(said(name)) as models:
        seat = ["--seat", f"{OTHERS[name]}={models.url}#tiny"]
        found = command(name, typed(name), *seat, "--file", str(whole))
        assert found.exit_code == 0, found.output
        asked = len(models.asked)
        options = [*seat, "--record", str(record), json.dumps(LINES[name])]
        done = subprocess.run(
            [sys.executable, "-c", DYING, name, str(file), *options],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert len(models.asked) == 2 * asked  # once in one process, and once in many
    assert json.loads(file.read_text("utf-8")) == json.loads(whole.read_text("utf-8"))
    answers = [each for each in kept(name, file).log if hasattr(each.request, "player")]
    assert done.stdout.split()[-2:] == ["0", str(2 * len(answers))]


# --- the information market


def test_a_person_buys_passages_answers_and_asks_on() -> None:
    lines = ["Archive: life", "Hallin.", "What is the river of Hallin?"]
    found = command("market", "\n".join([*lines, "Gazette: water", "Sunne.", "The Sunne.", ""]))
    assert found.exit_code == 0, found.output
    assert "You are Ann. Answer the question." in found.output
    assert "Mira Tolle keeps three cats" in found.output  # read before it is bought
    assert "what to buy on level 1, for at most 8?" in found.output
    assert "answer: The Sunne." in found.output
    assert "What was bought is worth 20 and cost 9." in found.output


def test_a_person_that_wants_too_much_is_told_and_asked_again() -> None:
    lines = ["Archive: life", "?", "What is the river of Hallin?", "Traveller: guide"]
    both = "Gazette: water, Traveller: guide"
    found = command("market", "\n".join([*lines, both, "Gazette: water", "?", "Sunne", ""]))
    assert found.exit_code == 0, found.output
    assert "Traveller: guide cost 9: at most 8 can be paid" in found.output
    assert "Traveller: guide + Gazette: water cost 14: at most 8 can be paid" in found.output
    assert "What was bought is worth 20 and cost 9." in found.output


def test_a_model_that_buys_is_asked_as_a_buyer_of_the_market(tmp_path: Path) -> None:
    from mechproof.demos.passages import shopping_rule

    def behave(asked: Asked) -> Any:
        if not asked.path.endswith("/chat/completions"):
            return None
        told = [Message(each["role"], each["content"]) for each in asked.body["messages"]]
        schema = asked.body["response_format"]["json_schema"]["schema"]
        return chatted(shopping_rule(told, schema))

    record = tmp_path / "record.jsonl"
    with FakeServer(behave) as models:
        options = ["--seat", f"Ann={models.url}#tiny", "--known-as", "ours"]
        first = command("market", "", *options, "--record", str(record))
        assert first.exit_code == 0, first.output
        assert len(models.asked) == 6
        again = command("market", "", *options, "--replay", str(record))
        assert len(models.asked) == 6
    assert again.stdout == first.stdout
    assert "bought Gazette: water for 5" in first.stdout
    assert "answer: The river is the Sunne." in first.stdout
