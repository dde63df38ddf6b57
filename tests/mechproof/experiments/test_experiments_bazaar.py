"""The experiments of bazaar: exact cases, what is kept, going on, what is counted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from fractions import Fraction
from itertools import product
from math import exp, log
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from reference import market_choices as reference

from dev import ROOT
from mechanisms.market import Corpus, FactQuestion, Passage, Statement, fixed_corpus
from mechanisms.play import Ask
from mechproof.cli import main
from mechproof.experiments import bazaar
from mechproof.experiments._bazaar_choices import roles_bought
from mechproof.experiments._bazaar_rows import fits
from mechproof.experiments._bazaar_scenes import Part
from theory.errors import InvalidInputError, UnknownNameError

Row = dict[str, Any]
CORPUS = fixed_corpus()


def small(name: str, out: Path, **changed: Any) -> bazaar.BazaarReport:
    return bazaar.run(name, out, **{"questions": 4, "draw": False, **changed})


def offers_of(report: bazaar.BazaarReport, row: Row) -> tuple[list[reference.Offer], list[bool]]:
    """Return the passages that were shown as prices and needed facts, and which were bought."""
    question = CORPUS.question(row["question"])
    needed = {str(fact) for fact in CORPUS.needs(question)}
    shown = report.results.scenes.shown(Part.of(row), question)
    offers = [(p.price, frozenset({str(s) for s in p.states} & needed)) for _, p in shown]
    bought = roles_bought(row)
    return offers, [role in bought for role, _ in shown]


class Leaning:
    """Buys what stands first, whatever it is; answers nothing of use."""

    def __init__(self, name: str = "leaning", fails: str = "", place: int = 0) -> None:
        self.name, self.fails, self.place = name, fails, place

    def __call__(self, ask: Ask) -> object:
        if ask.role == "shortlist":
            return [each.name for each in ask.view.offers[0][:3]]
        if ask.role == "choose":
            if self.fails and self.fails in ask.view.question.text:
                raise RuntimeError("no connection")
            offers = ask.view.offers[0]
            return [each.name for each in offers[self.place : self.place + 1] if each.price <= 20]
        return "" if ask.role == "ask on" else "nothing of use"


# --- Exact cases


def test_rational_choice_is_what_first_principles_say(tmp_path: Path) -> None:
    """The ideal buyer takes the cheaper copy alone; verdicts one by one buy both."""
    report = small("rational-choice", tmp_path, questions=20)
    assert len(report.results.rows) == 3 * 20 * 4
    for row in report.results.rows:
        offers, taken = offers_of(report, row)
        assert offers[0][1] == offers[1][1] != frozenset()
        if row["buyer"] == "ideal":
            best = reference.best_gain(offers, Fraction(20), Fraction(100))
            assert reference.gain(offers, taken, Fraction(20)) == best
            assert sum(taken) == 1
        if row["buyer"] in ("one-by-one", "keyword"):
            assert taken == [True, True]
    for same in (True, False):
        shares = {name: report.results.copies(name, same=same) for name in report.results.buyers}
        assert shares["ideal"]["rational"].value == 100
        assert shares["one-by-one"]["rational"].value == 0
        for each in shares.values():
            parts = sum(share.value for kind, share in each.items() if kind != "rational")
            assert parts == pytest.approx(100)


def test_ideal_demand_is_a_step_at_the_reservation_price(tmp_path: Path) -> None:
    report = small("demand", tmp_path, buyers=["ideal"], questions=24)
    steps: dict[str, list[bool]] = {}
    reservations = set()
    for row in report.results.rows:
        offers, taken = offers_of(report, row)
        roles = [role for role, _ in row["shown"]]
        gold = roles.index("gold")
        others = [offer for k, offer in enumerate(offers) if k != gold]
        most = reference.reservation_price(others, offers[gold][1], Fraction(20))
        price = Fraction(row["setting"])
        if price != most:
            assert taken[gold] == (price < most)
        steps.setdefault(row["question"], []).append(taken[gold])
        reservations.add(most)
    assert reservations == {10, 20}  # with another passage that states it, and without
    assert all(each == sorted(each, reverse=True) for each in steps.values())


@pytest.mark.parametrize("scale", [2.0, 5.0])
def test_coefficients_of_a_logit_buyer_come_back(scale: float, tmp_path: Path) -> None:
    report = bazaar.run("demand", tmp_path, buyers=[f"logit:{scale}"], draw=False, seed=1)
    [found] = report.results.demands.values()
    assert found.fit is not None
    assert found.fit.holds
    for wanted, (low, high) in zip((1 / scale, -1 / scale), found.fit.interval, strict=True):
        assert low <= wanted <= high
    assert found.own is not None
    assert found.cross is not None
    own, cross, own_slopes, cross_slopes = [], [], [], []
    for row in report.results.rows:
        if row["setting"] != "10":
            continue
        offers, _ = offers_of(report, row)
        gold = [role for role, _ in row["shown"]].index("gold")
        law = reference.logit(offers, Fraction(20), scale)
        share = sum(p for taken, p in law.items() if taken[gold])
        other = {t: p for t, p in law.items() if any(y for k, y in enumerate(t) if k != gold)}
        both = sum(p for taken, p in other.items() if taken[gold])
        own.append(-10 / scale * (1 - share))
        cross.append(-10 / scale * (both / sum(other.values()) - share))
        found_slopes = slopes(offers, gold, found.fit.value)
        own_slopes.append(found_slopes[0])
        cross_slopes.append(found_slopes[1])
    for (_, low, high), exact in ((found.own, own), (found.cross, cross)):
        assert low <= sum(exact) / len(exact) <= high
    for (value, _, _), slope in ((found.own, own_slopes), (found.cross, cross_slopes)):
        assert value == pytest.approx(sum(slope) / len(slope), rel=1e-6)


def slopes(
    offers: list[reference.Offer], gold: int, beta: tuple[float, ...]
) -> tuple[float, float]:
    """Return how shares grow with the price of gold, both in percent, by differences."""

    def shares(price: float) -> tuple[float, float]:
        weights = {}
        for taken in product((False, True), repeat=len(offers)):
            some = [offer for offer, yes in zip(offers, taken, strict=True) if yes]
            worth = 20 * len(frozenset[str]().union(*(facts for _, facts in some)))
            cost = sum(float(each) for each, _ in some) + taken[gold] * (price - 10)
            weights[taken] = exp(beta[0] * worth + beta[1] * cost)
        events = (lambda t: t[gold], lambda t: any(t[:gold] + t[gold + 1 :]))
        total = sum(weights.values())
        a, b = (sum(w for t, w in weights.items() if event(t)) / total for event in events)
        return a, b

    step = 1e-4
    above, below = shares(10 * (1 + step)), shares(10 * (1 - step))
    a, b = (log(high / low) / (2 * step) for high, low in zip(above, below, strict=True))
    return a, b


def test_choices_without_error_have_no_coefficients(tmp_path: Path) -> None:
    report = small("demand", tmp_path, buyers=["ideal", "keyword"], questions=20)
    for found in report.results.demands.values():
        assert found.fit is None
        assert "without error" in found.reason
    assert "without error" in str(report)


def test_positions_are_exactly_flat_and_a_leaning_buyer_is_seen(tmp_path: Path) -> None:
    buyers = ["ideal", "keyword", Leaning(), Leaning("last", place=2)]
    report = small("position", tmp_path, buyers=buyers, questions=10)
    for name in ("ideal", "keyword"):
        found = report.results.positions[name]
        assert [each.value for each in found.by_position] == pytest.approx([0, 0, 0])
        assert (found.swaps.value, found.p) == (0, 1)
    for name, place in (("leaning", 0), ("last", 2)):
        found = report.results.positions[name]
        expected = [-100 / 3] * 3
        expected[place] = 200 / 3
        assert [each.value for each in found.by_position] == pytest.approx(expected)
        assert found.p < 0.01
        assert found.swaps.value == pytest.approx(100 * 2 / 3)


def test_what_is_gained_never_falls_with_the_budget(tmp_path: Path) -> None:
    """Of one fact with no question to follow, the gain is a knapsack's."""
    budgets = [0, 3, 5, 10, 25, 200]
    report = bazaar.run(
        "budget", tmp_path, buyers=["ideal"], budgets=budgets, hops=0, draw=False, questions=30
    )
    gains: dict[str, list[Fraction]] = {}
    passages = {passage.name: passage for passage in CORPUS.passages}
    for row in report.results.rows:
        gains.setdefault(row["question"], []).append(report.results.outcomes.of(row).net)
        question = CORPUS.question(row["question"])
        if len(question.relations) > 1:
            continue
        needed = {str(fact) for fact in CORPUS.needs(question)}
        shown = [passages[label.partition(": ")[2]] for label, _ in row["inquiries"][0]["offers"]]
        offers = [(p.price, frozenset({str(s) for s in p.states} & needed)) for p in shown]
        best = reference.best_gain(offers, question.worth, Fraction(row["setting"]))
        assert report.results.outcomes.of(row).net == best
    assert all(each == sorted(each) for each in gains.values())
    assert len({gain for each in gains.values() for gain in each}) > 3


def test_keyword_buyers_are_greedy_by_rank(tmp_path: Path) -> None:
    report = small("keyword-baseline", tmp_path, questions=20, budgets=[12, 25])
    passages = {passage.name: passage for passage in CORPUS.passages}
    total: dict[str, list[Fraction]] = {}
    for row in report.results.rows:
        question = CORPUS.question(row["question"])
        needed = {str(fact) for fact in CORPUS.needs(question)}
        inquiry = row["inquiries"][0]
        names = [label for label, _ in inquiry["offers"]]
        shown = [passages[label.partition(": ")[2]] for label in names]
        offers = [(p.price, frozenset({str(s) for s in p.states} & needed)) for p in shown]
        budget = Fraction(row["setting"])
        taken = [label in inquiry["bought"] for label in names]
        if row["buyer"] != "ideal":
            stops = row["buyer"] == "keyword-stops"
            assert taken == reference.greedy(offers, budget, stops=stops)
        sums = total.setdefault(f"{row['buyer']}, {budget}", [Fraction(0), Fraction(0)])
        sums[0] += reference.gain(offers, taken, question.worth)
        sums[1] += reference.best_gain(offers, question.worth, budget)
    for player in report.results.summaries:
        chosen, best = total[str(player)]
        assert report.results.against_best(player).share == float(chosen / best)
    outcomes = [each.outcome for each in report.results.comparisons]
    assert {"won", "lost"} <= {*outcomes}
    counts = report.ratings().counts.values()
    for outcome in ("won", "lost"):  # one of two wins what the other loses
        decided = outcomes.count("won") + outcomes.count("lost")
        assert sum(count[outcome] for count in counts) == decided


def test_what_inspection_changes_adds_up_to_nothing(tmp_path: Path) -> None:
    """Kinds of purchases exclude each other and are all there are, as in Table 1 they are not."""
    report = small("inspection", tmp_path, gold_prices=[0, 10, 40], budgets=[25], questions=20)
    seen = False
    for buyer in report.results.buyers:
        found = report.results.changes(buyer, ["0", "10", "40"])
        assert sum(each.value for each in found.values()) == pytest.approx(0)
        seen |= any(each.value for each in found.values())
    assert seen
    assert "keyword, 25, titles" in str(report)


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
    seller = row["inquiries"][last]["bought"][0].partition(": ")[0]
    changes: list[Row] = [
        {"spent": str(Fraction(row["spent"]) + 1)},
        {"balances": {**row["balances"], "keyword": "25"}},
        {"balances": {**row["balances"], seller: "0", "keyword": row["balances"][seller]}},
        {"answer": None},
        {"failed": "raises"},
        {"inquiries": row["inquiries"][:last]},
        {"inquiries": [*row["inquiries"][:last], {**row["inquiries"][last], "bought": []}]},
        {"inquiries": [*row["inquiries"][:last], {**row["inquiries"][last], "bought": ["x: y"]}]},
        {"shown": None},
        {"shown": [["gold", "p1"]]},
        {"usage": {"keyword": 3}},
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
    assert "no fit converges" in str(report)
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
        ("models", {"judge": "truth"}, "judge"),
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
