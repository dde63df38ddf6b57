"""The experiments of bazaar: what is kept, how a run goes on, what is counted and refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from bazaar_runs import CORPUS, Leaning, Row, small
from click.testing import CliRunner, Result

from dev import ROOT
from mechanisms.market import Corpus, FactQuestion, Passage, Statement
from mechproof.cli import main
from mechproof.experiments._bazaar_choices import roles_bought
from mechproof.experiments._bazaar_rows import fits
from theory.errors import InvalidInputError, UnknownNameError

# --- What is kept


def test_a_run_that_stopped_goes_on_to_the_same_files(tmp_path: Path) -> None:
    given: Row = {"buyers": ["logit:2", "keyword"], "budgets": [10, 25]}
    whole = small("budget", tmp_path / "whole", **given)
    lines = (tmp_path / "whole/rows.jsonl").read_bytes().splitlines(keepends=True)
    assert len(lines) == 2 * 4 * 2
    for kept in (0, 1, 9):
        part = tmp_path / f"part {kept}"
        part.mkdir()
        (part / "settings.json").write_bytes((tmp_path / "whole/settings.json").read_bytes())
        (part / "rows.jsonl").write_bytes(b"".join(lines[:kept]) + lines[kept][:30])
        again = small("budget", part, **given)
        assert (part / "rows.jsonl").read_bytes() == b"".join(lines)
        assert str(again) == str(whole)
    for changed in ({"seed": 1}, {"hops": 1}, {"budgets": [10]}, {"corpus": tiny()}):
        with pytest.raises(InvalidInputError, match="other settings"):
            small("budget", tmp_path / "whole", **{**given, **changed})


def test_another_process_goes_on(tmp_path: Path) -> None:
    """What tells a run from others does not depend on how a process orders sets."""
    small("rational-choice", tmp_path, questions=1, buyers=["ideal"])
    code = (
        "from mechproof.experiments import bazaar\n"
        "given = {'questions': 1, 'buyers': ['ideal'], 'draw': False}\n"
        f"bazaar.run('rational-choice', {str(tmp_path)!r}, **given)"
    )
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_processes_do_not_change_the_rows(tmp_path: Path) -> None:
    for jobs in (1, 2):
        small("models", tmp_path / str(jobs), jobs=jobs, buyers=["logit:2"], questions=6)
    one, two = ((tmp_path / str(jobs) / "rows.jsonl").read_bytes() for jobs in (1, 2))
    assert one == two


PRICES = {f"{p.owner}: {p.name}": str(p.price) for p in CORPUS.passages}
USED = ("calls", "retries", "input_tokens", "output_tokens", "unreadable")


def forged(inquiry: Row) -> list[Row]:
    """Return an inquiry in which what was on offer is another thing, or has another price."""
    label, *_ = inquiry["bought"]
    return [
        {**inquiry, "offers": [[name, "0"] for name, _ in inquiry["offers"]]},
        {**inquiry, "offers": [*inquiry["offers"], ["owner 1: nothing", "1"]]},
        {**inquiry, "offers": [*inquiry["offers"], 3]},
        {**inquiry, "bought": [*inquiry["bought"], label]},
        {**inquiry, "owned": [1]},
        {**inquiry, "skipped": [None]},
    ]


def test_what_is_shown_is_what_the_setting_shows(tmp_path: Path) -> None:
    rows = list(small("rational-choice", tmp_path, buyers=["keyword"], questions=2).results.rows)
    file = tmp_path / "rows.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    for shown in ([["first", "2"], ["second", "1"]], [["first"]], [3], []):
        changed = json.dumps({**rows[-1], "shown": shown}) + "\n"
        file.write_text("".join([*lines[:-1], changed]))
        with pytest.raises(InvalidInputError, match=f"line {len(rows)} of rows.jsonl is no"):
            small("rational-choice", tmp_path, buyers=["keyword"], questions=2)


def test_every_row_keeps_money_and_a_changed_one_is_refused(tmp_path: Path) -> None:
    report = small("budget", tmp_path, buyers=["keyword"], budgets=[25], questions=8)
    for row in report.results.rows:
        assert sum(map(Fraction, row["balances"].values())) == 25
        assert fits(row, Fraction(25), [], PRICES)
        assert not fits(row, Fraction(26), [], PRICES)
    row = max(report.results.rows, key=lambda each: len(each["inquiries"]))
    last = len(row["inquiries"]) - 1
    assert last > 0
    [label, *_] = row["inquiries"][last]["bought"]
    seller, price = label.partition(": ")[0], Fraction(PRICES[label])
    assert Fraction(row["balances"]["keyword"]) >= price
    dearer = {
        "keyword": str(Fraction(row["balances"]["keyword"]) - price),
        seller: str(Fraction(row["balances"][seller]) + price),
    }
    whole = {**dict.fromkeys(USED, 0), "money": "0"}
    changes: list[Row] = [
        {"spent": str(Fraction(row["spent"]) + 1)},
        {"balances": {**row["balances"], "keyword": "25"}},
        {"balances": {**row["balances"], seller: "0", "keyword": row["balances"][seller]}},
        {"answer": None},
        {"failed": "raises"},
        {"failed": "raises", "answer": None},
        {
            **{"failed": "raises", "answer": None, "inquiries": [], "spent": "0"},
            "balances": {"keyword": "25", "one": "1", "two": "-1"},
        },
        {
            "spent": str(Fraction(row["spent"]) + price),
            "balances": {**row["balances"], **dearer},
            "inquiries": [
                *row["inquiries"][:last],
                {**row["inquiries"][last], "bought": [*row["inquiries"][last]["bought"], label]},
            ],
        },
        {"inquiries": row["inquiries"][:last]},
        {"inquiries": [*row["inquiries"][:last], {**row["inquiries"][last], "bought": []}]},
        {"inquiries": [*row["inquiries"][:last], {**row["inquiries"][last], "bought": ["x: y"]}]},
        {"shown": None},
        {"shown": [["gold", "p1"]]},
        {"usage": {"keyword": 3}},
        {"usage": {"another": whole}},
        {"usage": {"keyword": dict.fromkeys((*USED, "money"), 0)}},
        {"usage": {"keyword": {**dict.fromkeys(USED, 0), "money": "9" * 999}}},
        *(
            {"inquiries": [*row["inquiries"][:last], each]}
            for each in forged(row["inquiries"][last])
        ),
    ]
    for change in changes:
        assert not fits({**row, **change}, Fraction(25), [], PRICES), change
        lines = [
            json.dumps({**each, **(change if each is row else {})}) for each in report.results.rows
        ]
        (tmp_path / "rows.jsonl").write_text("\n".join(lines) + "\n")
        with pytest.raises(InvalidInputError, match="is no row"):
            small("budget", tmp_path, buyers=["keyword"], budgets=[25], questions=8)


# --- What is counted


def test_a_buyer_that_fails_is_counted_and_its_answers_are_missing(tmp_path: Path) -> None:
    subject = CORPUS.questions[2].subject
    buyers = ["ideal", Leaning("frail", fails=subject)]
    report = small("models", tmp_path, buyers=buyers, questions=6)
    failed = [row for row in report.results.rows if row["failed"] is not None]
    assert [(row["buyer"], row["question"]) for row in failed] == [("frail", "q3")]
    assert failed[0]["answer"] is None
    assert "frail failed at 1 questions." in str(report)
    [(_, compared)] = report.results.pairs.items()
    assert len(compared) == 6
    assert [each.outcome for each in compared].count("missing") == 1
    ratings = report.ratings()
    assert all(sum(count.values()) == 6 for count in ratings.counts.values())
    assert ratings.strengths.games == 5
    summary = report.results.summaries
    assert {each.questions for each in summary.values()} == {6}


class Judging:
    """Says what it is told to, and counts."""

    def __init__(self, said: object) -> None:
        self.said, self.asked = said, 0

    def compare(self, question: str, a: str, b: str) -> Any:
        self.asked += 1
        if isinstance(self.said, Exception):
            raise self.said
        return self.said


@pytest.mark.parametrize(
    ("said", "outcome"),
    [("first", "tie"), ("tie", "tie"), ("neither", "unreadable"), (ValueError("no"), "failed")],
)
def test_what_a_judge_says_is_kept_and_asked_once(
    said: object, outcome: str, tmp_path: Path
) -> None:
    judge = Judging(said)
    given: Row = {"buyers": ["ideal", Leaning()], "judge": judge, "questions": 5}
    report = small("models", tmp_path, **given)
    outcomes = [each.outcome for each in report.results.comparisons]
    assert len(outcomes) == 5
    assert {*outcomes} == {outcome}
    assert judge.asked == 10  # both orders
    swapped = sum(each.swapped for each in report.results.comparisons)
    assert swapped == (5 if said == "first" else 0)
    again = small("models", tmp_path, **given)
    assert judge.asked == 10
    assert str(again) == str(report)
    grades = (tmp_path / "grades.jsonl").read_text().splitlines()
    assert len(grades) == 5
    if said == "first":
        (tmp_path / "grades.jsonl").write_text("\n".join(grades[:3]) + "\n")
        assert str(small("models", tmp_path, **given)) == str(report)
        assert judge.asked == 14


def test_who_is_never_beaten_is_told(tmp_path: Path) -> None:
    report = small("models", tmp_path, buyers=["ideal", Leaning()], questions=8)
    assert "no fit converges" in str(report.ratings())
    assert "none of leaning, 100 beats or ties any other player: no fit" in str(report)
    with pytest.raises(InvalidInputError, match="too few to compare"):
        small("models", tmp_path / "alone", buyers=["ideal"]).ratings()


def test_ratings_are_of_the_answers(tmp_path: Path) -> None:
    """Higher budgets win, and nobody wins more than is compared."""
    report = small("budget", tmp_path, buyers=["ideal"], budgets=[2, 25], questions=30)
    ratings = report.ratings()
    assert [str(each) for each in ratings.strengths.ranking] == ["ideal, 25", "ideal, 2"]
    counts = {str(player): count for player, count in ratings.counts.items()}
    assert counts["ideal, 25"]["won"] == counts["ideal, 2"]["lost"] > 0
    assert sum(counts["ideal, 25"].values()) == 30
    assert sum(ratings.elo.mean) == pytest.approx(3000)


# --- What is refused


def test_a_folder_of_another_experiment_is_told_in_few_words(tmp_path: Path) -> None:
    small("position", tmp_path, buyers=["ideal"], questions=1)
    with pytest.raises(InvalidInputError, match="name position, not models; parts ") as caught:
        small("models", tmp_path, buyers=["ideal"], questions=1)
    assert len(str(caught.value)) < 350 + len(str(tmp_path))


def tiny() -> Corpus:
    fact = Statement("Ilm", "mayor", "Ida Ro")
    shelf = Passage("p", "press", 2, "Ilm", "Ida Ro is mayor of Ilm.", frozenset([fact]))
    return Corpus((shelf,), (FactQuestion("q", "Ilm", ("mayor",), 5),), frozenset([fact]))


@pytest.mark.parametrize(
    ("name", "changed", "told"),
    [
        ("demands", {}, "demand"),
        ("models", {"buyers": ["ideal", "ideal"]}, "have one name twice"),
        ("models", {"buyers": []}, "are none"),
        ("models", {"buyers": ["idael"]}, "ideal"),
        ("models", {"buyers": ["logit:no"]}, "has no scale"),
        ("models", {"buyers": ["logit:-1"]}, "scale"),
        ("models", {"buyers": [3]}, "is no buyer"),
        ("models", {"buyers": ["no_such_module:Buyer"]}, "fails to import"),
        ("models", {"budgets": [-1]}, "below 0"),
        ("models", {"budgets": ["x"]}, "budgets"),
        ("models", {"gold_prices": [1]}, "have no place in models"),
        ("demand", {"budgets": [1]}, "have no place in demand"),
        ("demand", {"corpus": tiny()}, "has no question"),
        ("models", {"budgets": [5, "10/2"]}, "budgets have one of them twice"),
        ("models", {"budgets": []}, "budgets are none"),
        ("models", {"judge": "fact"}, "judge is no judge .* did you mean 'facts'"),
        ("models", {"judge": 3}, "is no judge"),
        ("models", {"hops": 21}, "hops"),
        ("models", {"questions": 0}, "questions"),
    ],
)
def test_what_is_no_setting_is_refused_before_anything_is_written(
    name: str, changed: Row, told: str, tmp_path: Path
) -> None:
    with pytest.raises((InvalidInputError, UnknownNameError, ValueError), match=told):
        small(name, tmp_path / "out", **changed)
    assert not (tmp_path / "out").exists()


def test_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shy_buyers.py").write_text(
        "class Shy:\n"
        "    def __init__(self, corpus, name):\n"
        "        self.name = name\n"
        "    def __call__(self, ask):\n"
        "        return '' if ask.role == 'answer' else []\n"
    )
    monkeypatch.chdir(tmp_path)
    command = ["experiment", "bazaar", "rational-choice", "--out", "out", "--questions", "3"]
    command += ["--buyer", "ideal", "--buyer", "Ann=shy_buyers:Shy", "--jobs", "1", "--no-draw"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    assert "3 questions, percent" in done.output
    table = (tmp_path / "out/tables.txt").read_text()
    assert table.splitlines()[4].split() == ["Ann", "100.0", "0.0", "0.0", "100.0"]
    data = json.loads((tmp_path / "out/results.json").read_text())
    assert data["experiment"] == "rational-choice"
    wrong = CliRunner().invoke(main, [*command[:-3], "--buyer", "idael"])
    assert wrong.exit_code != 0
    assert "is no kind of buyer" in wrong.output


# --- A person at the terminal


def typed(name: str, out: Path, *answers: str) -> Result:
    command = ["experiment", "bazaar", name, "--out", str(out), "--questions", "2", "--no-draw"]
    command += ["--buyer", "me=person", "--buyer", "ideal"]
    return CliRunner().invoke(main, command, input="".join(f"{each}\n" for each in answers))


@pytest.mark.parametrize("stop_after", [0, 1, 5])
def test_a_person_who_stops_is_asked_nothing_twice(tmp_path: Path, stop_after: int) -> None:
    answers = ["library: 1", "library: 9", "library: 1, library: 2", "", "", "", "library: 2"]
    whole = typed("rational-choice", tmp_path / "whole", *answers)
    assert whole.exit_code == 0, whole.output
    assert whole.output.count("That is not possible") == 1
    assert whole.output.count("— me choosing for 1, to choose —") == 3 * 2
    stopped = typed("rational-choice", tmp_path / "part", *answers[:stop_after], ":quit")
    assert stopped.exit_code == 130
    assert "the same command goes on from there" in stopped.output
    done = typed("rational-choice", tmp_path / "part", *answers[stop_after:])
    assert done.exit_code == 0, done.output
    one, two = ((tmp_path / each / "rows.jsonl").read_bytes() for each in ("whole", "part"))
    assert one == two
    rows = [json.loads(line) for line in one.splitlines()]
    mine = [[*roles_bought(row)] for row in rows if row["buyer"] == "me"]
    assert [sorted(each) for each in mine] == [
        ["first"],
        ["first", "second"],
        *[[]] * 3,
        ["second"],
    ]
    assert all(row["usage"] == {"me": {"answers": 1}} for row in rows if row["buyer"] == "me")


def test_a_person_answers_in_the_whole_market(tmp_path: Path) -> None:
    done = typed("models", tmp_path, *["", "nothing of use", ""] * 2)
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    mine = [row for row in rows if row["buyer"] == "me"]
    assert [(row["answer"], row["spent"]) for row in mine] == [("nothing of use", "0")] * 2
    assert "What was asked of models" not in done.output
    line = json.dumps({**rows[0], "usage": {"me": {**dict.fromkeys(USED, 0), "money": "0"}}})
    (tmp_path / "rows.jsonl").write_text(f"{line}\n{json.dumps(rows[1])}\n")
    assert "line 1 of rows.jsonl is no row" in typed("models", tmp_path).output
    refused = CliRunner().invoke(
        main, ["experiment", "bazaar", "models", "--out", "x", "--buyer", "person", "--jobs", "2"]
    )
    assert "cannot all ask the person at the terminal" in refused.output
