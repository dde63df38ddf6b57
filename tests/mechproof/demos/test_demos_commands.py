"""The command ``mechproof demo``: what it refuses, what it leaves behind, how it ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import mechproof.demos
from llm_adapters.errors import MissingAnswerError
from llm_adapters.fakes import RuleChat
from mechproof.cli import main
from mechproof.demos import Transcript, demos, run
from mechproof.demos.case import BUSES
from mechproof.demos.demo import DEMOS, Number, settle_options
from mechproof.local_model import LocalModelError, model_folder
from theory.errors import InvalidInputError, UnknownNameError


def command(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["demo", *arguments], prog_name="mechproof")


def flat(text: object) -> str:
    return " ".join(str(text).split())


# --- files


@pytest.mark.parametrize("option", ["--record", "--replay"])
@pytest.mark.parametrize("kind", ["same", "dots", "symbolic", "hard"])
def test_the_transcript_never_takes_the_place_of_the_record(
    option: str, kind: str, tmp_path: Path
) -> None:
    record = tmp_path / "record.jsonl"
    run("inspection", model="rules", record=record)
    before = record.read_bytes()
    out = tmp_path / "out.md"
    if kind == "symbolic":
        out.symlink_to(record)
    elif kind == "hard":
        out.hardlink_to(record)
    else:
        (tmp_path / "sub").mkdir()
        out = record if kind == "same" else tmp_path / "sub" / ".." / record.name
    found = command("inspection", "--model", "rules", option, str(record), "--out", str(out))
    assert found.exit_code == 2
    assert "name the same file" in found.stderr
    assert record.read_bytes() == before


@pytest.mark.parametrize(
    "wrong",
    [
        ("--model", "nonsense"),
        ("--model", "rules", "--replay", "missing.jsonl"),
        ("--model", "rules", "--tokens", "5"),
        ("--model", "rules", "--seed", str(2**128 + 1)),
        ("--model", "rules", "--known-as", "ours"),
        ("--model", "rules", "--record", ""),
    ],
)
def test_a_refused_command_leaves_an_older_transcript_as_it_is(
    wrong: tuple[str, ...], tmp_path: Path
) -> None:
    out = tmp_path / "out.md"
    out.write_text("older", encoding="utf-8")
    found = command("inspection", *wrong, "--out", str(out))
    assert found.exit_code == 2
    assert found.stdout == ""
    assert len(found.stderr.splitlines()) == 1
    assert "Traceback" not in found.stderr
    assert out.read_text("utf-8") == "older"


def test_names_that_are_too_long_are_refused_in_one_line() -> None:
    long = "x" * 300
    found = command("inspection", "--model", "rules", "--out", long, "--record", f"{long}x")
    assert found.exit_code == 2
    assert found.stderr.startswith("mechproof: --out cannot be written (File name too long)")


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", "2>&-"])
def test_closed_streams_do_no_harm(closed: str, tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    line = f'"$0" -m mechproof demo inspection --model rules --record "$1" {closed}'
    done = subprocess.run(
        ["sh", "-c", line, sys.executable, str(record)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.count("Traceback")) == (0, 0)
    assert "is asked" not in done.stdout
    assert record.read_text("utf-8").count("\n") == 3


# --- options


@pytest.mark.parametrize(
    "option", [("--tau", "1e-300"), ("--tau", "1e300"), ("--tau", "nan"), ("--temperature", "inf")]
)
def test_numbers_out_of_range_are_refused_before_anything_is_drawn(option: tuple[str, str]) -> None:
    found = command("softmax-auction", "--model", "rules", *option)
    assert found.exit_code == 2
    assert found.stderr.startswith(f"mechproof: {option[0].strip('-')} is out of range")
    assert len(found.stderr.splitlines()) == 1
    assert found.stdout == ""


@pytest.mark.parametrize("end", [0, 1])
def test_the_ends_of_the_ranges_can_be_run(end: int) -> None:
    settings: dict[str, Any] = {
        name: (option.least, option.most)[end]
        for name, option in DEMOS.read("softmax-auction").options.items()
        if isinstance(option, Number)
    }
    found = run("softmax-auction", model="rules", queries=1, candidates=2, **settings)
    assert "Would a lie have paid?" in found.text


def test_rules_score_nothing_and_are_refused_as_a_scored_judge() -> None:
    text = Transcript()
    with pytest.raises(InvalidInputError, match=r"judge needs a model that scores"):
        run("marginal-value", model="rules", judge="scored", transcript=text)
    assert not str(text)


@pytest.mark.parametrize("name", demos())
def test_an_option_that_there_is_not_is_named(name: str) -> None:
    with pytest.raises(UnknownNameError, match=r"option is unknown \(got 'bogus'\)"):
        run(name, model="rules", bogus=1)


def test_the_nearest_option_is_named() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'prompting'"):
        run("inspection", model="rules", promting="debate")
    with pytest.raises(UnknownNameError, match="did you mean 'record'"):
        run("inspection", model="rules", recrod="x")


@pytest.mark.parametrize("prompting", [None, 1, "Direct", ["direct"]])
def test_a_prompting_that_is_none_is_refused(prompting: Any) -> None:
    with pytest.raises(UnknownNameError, match="prompting"):
        run("inspection", model="rules", prompting=prompting)


@pytest.mark.parametrize("depth", [-1, 4, True, 1.0, None, "1"])
def test_a_depth_that_is_none_is_refused_before_the_transcript(depth: Any) -> None:
    text = Transcript()
    with pytest.raises(InvalidInputError, match="depth"):
        run("recursive-inspection", model="rules", depth=depth, transcript=text)
    assert not str(text)


def test_the_judge_is_scored_where_the_model_scores() -> None:
    marginal = DEMOS.read("marginal-value")
    assert settle_options(marginal, {}, model="local") == {"judge": "scored"}
    assert settle_options(marginal, {}, model="rules") == {"judge": "chat"}


def test_a_demo_is_one_module_that_defines_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its command, with its options, is there with it."""
    (tmp_path / "coin_toss.py").write_text(
        """
from mechproof.demos._remarks import DECISIONS
from mechproof.demos.demo import Count, Demo


def play(who, text, *, seed, progress, coins):
    text.say(f"{coins} coins and seed {seed}.")
    return coins


DEMO = Demo(
    name="coin-toss",
    about="Toss coins.",
    play=play,
    rule=lambda messages, schema: "",
    remarks=DECISIONS,
    options={"coins": Count(2, 1, 5, "How many.")},
)
""",
        encoding="utf-8",
    )
    monkeypatch.setattr(mechproof.demos, "__path__", [*mechproof.demos.__path__, str(tmp_path)])
    try:
        assert "coin-toss" in demos()
        assert "Toss coins." in command("--help").stdout
        found = command("coin-toss", "--model", "rules", "--coins", "4")
        assert "4 coins and seed 0." in found.stdout
        assert "--coins 4" in found.stdout
        assert command("coin-toss", "--coins", "6").exit_code == 2
        assert run("coin-toss", model="rules").outcome == 2
    finally:
        sys.modules.pop("mechproof.demos.coin_toss", None)


def test_every_demo_has_the_name_of_its_module() -> None:
    found = demos()
    assert set(found) >= {"inspection", "recursive-inspection", "marginal-value", "softmax-auction"}
    for name, one in found.items():
        assert DEMOS.read(name) is one


def test_a_folder_of_nobody_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MECHPROOF_MODELS", "~nobodyhere/x")
    with pytest.raises(LocalModelError, match="MECHPROOF_MODELS is ~nobodyhere/x"):
        model_folder()


# --- a transcript that grows, and its end


def interrupting(monkeypatch: pytest.MonkeyPatch, seen: Callable[[], None]) -> None:
    """Let Ctrl-C come in the second call."""
    calls = []

    def chat(self: RuleChat, messages: Any, rng: Any, *, schema: Any = None) -> str:
        calls.append(messages)
        if len(calls) == 2:
            seen()
            raise KeyboardInterrupt
        return BUSES.rule(messages, schema)

    monkeypatch.setattr(RuleChat, "chat", chat)


def test_each_conversation_is_told_when_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    text, then = Transcript(), []
    interrupting(monkeypatch, lambda: then.append(str(text)))
    with pytest.raises(KeyboardInterrupt):
        run("inspection", model="rules", transcript=text)
    (before,) = then
    assert "## The choice on level 1" in before
    assert before.count("> **answer:**") == 1
    assert "## Usage" not in before


def test_ctrl_c_ends_with_usage_and_the_record_to_go_on_from(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    record, out = tmp_path / "record.jsonl", tmp_path / "out.md"
    files = ("--record", str(record), "--out", str(out))
    with monkeypatch.context() as patch:
        interrupting(patch, lambda: None)
        found = command("inspection", "--model", "rules", *files)
    assert found.exit_code == 130
    told = flat(out.read_text("utf-8"))
    assert "The run ended early. It was interrupted." in told
    assert f"The same command goes on from its record, {record}." in told
    assert "## Usage" in told
    assert command("inspection", "--model", "rules", *files).exit_code == 0
    assert "ended early" not in out.read_text("utf-8")


def test_a_run_without_a_record_names_none() -> None:
    found = command("inspection", "--model", "rules", "--calls", "1")
    assert "The run ended early." in flat(found.stdout)
    assert "goes on from its record" not in flat(found.stdout)


def test_a_reader_that_goes_away_ends_the_run_quietly() -> None:
    line = '"$0" -m mechproof demo recursive-inspection --model rules | head -n 1 >&2; exit 0'
    done = subprocess.run(
        ["sh", "-c", line, sys.executable], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr


# --- the same again


def test_the_transcript_begins_with_the_command_that_repeats_it(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    text = run("recursive-inspection", model="rules", seed=3, depth=2, record=record).text
    *_, line = text.split("```")[1].splitlines()
    assert line == (
        "mechproof demo recursive-inspection --model rules --seed 3 --prompting direct --depth 2"
    )
    again = command(*line.split()[2:], "--replay", str(record))
    assert again.stdout.strip() == text
    assert "is asked, in the record" in again.stderr


def test_a_replay_with_other_options_says_what_to_check(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    run("recursive-inspection", model="rules", seed=3, depth=2, record=record)
    with pytest.raises(MissingAnswerError) as caught:
        run("recursive-inspection", model="rules", seed=3, replay=record)
    assert "as they were recorded" in str(caught.value)
    assert "--seed 3 --prompting direct --depth 3`" in str(caught.value)
    found = command("recursive-inspection", "--model", "rules", "--replay", str(record))
    assert found.exit_code == 2
    assert found.stderr.splitlines()[-1].endswith("--prompting direct --depth 3`")


def test_a_run_that_goes_on_is_not_told_to_check_its_options(tmp_path: Path) -> None:
    text = Transcript()
    with pytest.raises(MissingAnswerError):
        run("inspection", model="rules", replay=_empty(tmp_path), transcript=text)
    assert "goes on from its record" not in flat(text)


def _empty(folder: Path) -> Path:
    file = folder / "empty.jsonl"
    file.write_text('{"format":"mechproof record","version":1}\n', encoding="utf-8")
    return file
