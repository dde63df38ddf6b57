"""The experiments of the arena: seats, rows, going on, what the tables say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mechanisms.ascending import Call, Estimator, Item, Terms
from mechproof.cli import main
from mechproof.experiments import arena
from mechproof.experiments.arena_results import Cell
from theory.errors import InvalidInputError, UnknownNameError

ITEMS = [Item("Vase", 10, 20), Item("Bowl", 20, 40)]


class Shy:
    """Bids once, and raises in games of which it is told."""

    def __init__(self, name: str = "Shy", raises: bool = False) -> None:
        self.name, self.raises = name, raises

    def bid(self, call: Call) -> object:
        if self.raises and call.item == "Bowl":
            raise RuntimeError("no connection")
        return call.least if call.made < 1 and call.least <= call.money else None

    def __repr__(self) -> str:
        return f"Shy({self.name!r}, {self.raises})"


def small(out: Path, **changed: Any) -> arena.ArenaReport:
    given: dict[str, Any] = {
        "lineups": arena.challenge(["rule", Shy()]),
        "budgets": [25],
        "orders": ["random"],
        "games": 3,
        "items": ITEMS,
        "draw": False,
    }
    return arena.run(out, **{**given, **changed})


def test_a_run_that_stopped_goes_on_to_the_same_files(tmp_path: Path) -> None:
    whole = small(tmp_path / "whole", budgets=[25, 100])
    lines = (tmp_path / "whole/games.jsonl").read_bytes().splitlines(keepends=True)
    assert len(lines) == 2 * 2 * 3
    for kept in (0, 1, 7):
        part = tmp_path / f"part {kept}"
        part.mkdir()
        (part / "settings.json").write_bytes((tmp_path / "whole/settings.json").read_bytes())
        (part / "games.jsonl").write_bytes(b"".join(lines[:kept]) + lines[kept][:30])
        again = small(part, budgets=[25, 100])
        assert (part / "games.jsonl").read_bytes() == b"".join(lines)
        assert str(again) == str(whole)
    with pytest.raises(InvalidInputError, match="other settings"):
        small(tmp_path / "whole", seed=1)


def test_processes_do_not_change_the_rows(tmp_path: Path) -> None:
    small(tmp_path / "one", lineups=arena.copies("rule"), games=3)
    small(tmp_path / "two", lineups=arena.copies("rule"), games=3, jobs=2)
    one, two = ((tmp_path / name / "games.jsonl").read_bytes() for name in ("one", "two"))
    assert one == two


def test_rows_have_all_that_happened(tmp_path: Path) -> None:
    report = small(tmp_path / "run", lineups={"only": [Shy("Bidder 1"), Shy("Bidder 10")]})
    row = json.loads((tmp_path / "run/games.jsonl").read_text().splitlines()[0])
    assert row["lineup"] == "only"
    assert row["seats"] == ["Bidder 1", "Bidder 10"]
    for row in report.results.rows:
        profits = sum(Fraction(profit) for profit in row["profits"].values())
        sold = [item for item in row["items"] if item["winner"] is not None]
        assert profits == sum(Fraction(i["value"]) - Fraction(i["price"]) for i in sold)
        bids = [move for move in row["moves"] if move[4] == "bid"]
        assert all(Fraction(amount) > 0 for _, _, _, amount, _ in bids)
    assert [row["seats"][0] for row in report.results.rows[:2]] == ["Bidder 1", "Bidder 10"]


def test_games_with_a_missing_answer_are_counted_and_not_rated(tmp_path: Path) -> None:
    lineups = {
        "with": [Shy("bad", raises=True), Shy("good"), Shy("fine")],
        "without": [Shy("good"), Shy("fine"), Shy("other")],
    }
    report = small(tmp_path / "run", lineups=lineups)
    rows = report.results.rows
    assert {row["lineup"] for row in rows if row["unanswered"]} == {"with"}
    assert all(row["unanswered"] == ["bad"] for row in rows if row["lineup"] == "with")
    assert {row["lineup"] for row in report.results.rated} == {"without"}
    assert "bad gave no answer in 3 games, which are not rated." in str(report)
    assert report.tables[0].caption.startswith("with, 25, random: 0 games, 3 not rated")


class Sly(Estimator):
    def bid(self, call: Call) -> Any:
        return None


def sly() -> Any:
    bidder: Any = Estimator("sly")
    bidder.bid = lambda call: None
    return bidder


@pytest.mark.parametrize(
    "changed",
    [
        {"lineups": {"derived": ["rule", Sly("sly")]}},
        {"lineups": {"changed": [sly(), "rule"]}},
        {"items": [*ITEMS, Item("Urn", 10, 20, 15)]},  # with a reserve
        {},
    ],
)
def test_no_profit_is_called_exact_that_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: dict[str, Any]
) -> None:
    """Bidders that say a rule and bid otherwise; laws that are of other auctions, or too large."""
    if not changed:
        monkeypatch.setattr(arena, "_MOST_STEPS", 100)
    given = {"lineups": arena.challenge(["rule"]), "orders": ["given"], **changed}
    report = small(tmp_path / "run", **given)
    assert [cell.exact for cell in report.results.cells] == [None]
    place = report.tables[0].columns.index("exact")
    assert {row[place] for row in report.tables[0].rows} == {""}


def test_exact_profits_stand_beside_those_of_rules_alone(tmp_path: Path) -> None:
    """The expected profits of arena's rule bidder, at 10,000: 3,995 and 6,160 each (spec, 2.2)."""
    report = arena.run(
        tmp_path / "run",
        arena.copies("rule"),
        budgets=[10_000],
        orders=["ascending", "descending", "random"],
        games=3,
        draw=False,
    )
    exact = [cell.exact for cell in report.results.cells]
    assert [round(float(each["rule 1"])) for each in exact if each] == [3995, 6160]
    assert exact[2] is None
    for each in exact[:2]:
        assert each is not None
        assert len(set(each.values())) == 1
    mixed = small(tmp_path / "mixed", orders=["descending"])
    assert [cell.exact is None for cell in mixed.results.cells] == [False, True]


def test_exact_profits_are_those_of_the_seats_that_are_played(tmp_path: Path) -> None:
    """Where the tie rule favours a seat, exact profits are means over the balanced seats."""
    lineups = arena.copies("rule")
    report = small(tmp_path / "run", lineups=lineups, orders=["given"], terms=Terms(ties="first"))
    for cell in report.results.cells:
        played: dict[str, Fraction] = {}
        for row in report.results.games(cell):
            for name, profit in row["profits"].items():
                played[name] = played.get(name, Fraction(0)) + Fraction(profit) / 3
        assert cell.exact == played  # ties by seat leave nothing to chance


def test_tables_give_the_interval_first_and_the_floor_beside(tmp_path: Path) -> None:
    report = small(tmp_path / "run")
    table = report.tables[0]
    assert table.columns[:5] == ("bidder", "games", "mean profit", "from", "to")
    assert "of identical bidders 95% within" in table.caption
    assert len(report.tables) == len(report.results.cells) + 2
    assert report.tables[-1].columns[:2] == ("bidder", "failed bids")
    assert (tmp_path / "run/tables.txt").read_text() == f"{report}\n"
    cell = report.results.cells[0]
    found = report.results.mean_profits(cell)
    assert found is not None
    rows = report.results.games(cell)
    mean = sum(Fraction(row["profits"]["rule"]) for row in rows) / len(rows)
    assert found.of("rule") == mean


class Planner(Shy):
    """States priorities, and what it believes: too much money after the second item."""

    modules = ("plan", "replan", "beliefs")

    def plan(self, view: Any) -> object:
        return {"priorities": {lot.name: 1 + (lot.name == "Bowl") for lot in view.coming}}

    def recount(self, view: Any) -> object:
        mine = {"Vase": "10"} if view.sale.winner == self.name else {}
        profit = 10 if mine else 0
        money = 35 - profit + (7 if view.number == 2 else 0)
        won, profits = {self.name: mine}, {self.name: profit}
        return {"money": money, "won": won, "profits": profits}


def test_plans_and_beliefs_are_kept_and_judged(tmp_path: Path) -> None:
    lineups = {"planners": [Planner("Ann"), Shy("Bob")]}
    report = small(tmp_path / "run", lineups=lineups, budgets=[35], orders=["given"], draw=True)
    for row in report.results.rows:
        assert [(after, name) for after, name, _ in row["plans"]] == [(0, "Ann"), (1, "Ann")]
        assert row["plans"][0][2]["priorities"] == {"Vase": 1, "Bowl": 2}
        assert [after for after, _, _, _ in row["beliefs"]] == [1, 2]
    [record, *_] = report.results.records
    assert [(p.after, p.item, p.priority) for p in record.priorities] == [
        (0, 0, 1),
        (0, 1, 2),
        (1, 1, 2),
    ]
    after_two = [row["beliefs"][1][3] for row in report.results.rows]
    assert all(any("You have" in wrong for wrong in each) for each in after_two)
    row = dict(zip(report.tables[-1].columns, report.tables[-1].rows[0], strict=True))
    assert row["bidder"] == "Ann"
    told = sum(len(b[3]) for r in report.results.rows for b in r["beliefs"])
    assert row["wrong beliefs"] == f"{told} of {5 * 2 * len(report.results.rows)}"
    assert (tmp_path / "run/priorities-35.svg").exists()


def bad_rows(row: Any) -> list[tuple[tuple[Any, ...], Any]]:
    """Where a row of Ann and Bob who plan and recount is changed, and to what."""
    sold = [n for n, item in enumerate(row["items"]) if item["winner"] is not None]
    [n, *_] = sold
    bid = next(k for k, move in enumerate(row["moves"]) if move[4] == "bid")
    out = next(k for k, move in enumerate(row["moves"]) if move[4] == "withdrew")
    numbers = [
        "1e99999999",
        "9" * 4_000,
        "1/0",
        "-1",
        "x",
        "\x1b[31m",
        1,
        None,
        ["1"],
        "020",
        "2/2",
    ]
    sale, move, plan, said = ("items", n), ("moves", bid), ("plans", 1), ("beliefs", 1)
    places, names = (-1, 3, 10**30, "0", None, True, 0.0), ("Eve", None, 0, ["Ann"], "")
    cases: list[tuple[tuple[Any, ...], Sequence[Any]]] = [
        *[((*sale, part), numbers) for part in ("price", "start", "value")],
        *[(at, numbers) for at in (("profits", "Ann"), ("money", "Bob"), (*move, 3))],
        *[((*at, 0), places) for at in (move, plan, said)],
        *[(at, (None, [], "ab", {}, [1] * 6)) for at in (move, plan, said)],
        *[(at, names) for at in ((*move, 2), (*plan, 1), (*said, 1), (*sale, "winner"))],
        (("moves", out, 3), ["10"]),
        ((*move, 1), [-1, "0", 1.5]),
        ((*move, 4), ["Bid", "withdrew", None, ["bid"]]),
        ((*sale, "name"), ["Urn", None, ["Vase"], ""]),
        (sale, [None, {}, [], "Vase"]),
        (("items",), [row["items"][:1], [*row["items"], row["items"][0]]]),
        (("seats",), [[], ["Ann"], ["Ann", "Ann"], ["Ann", "Bob", "Eve"]]),
        (("won",), [{}, {"Ann": 0, "Bob": 0}, {"Ann": "1", "Bob": 1}]),
        (("won",), [{name: float(won) for name, won in row["won"].items()}]),
        (("usage",), [{"Bob": {**USED, "money": money}} for money in ("9" * 999, "-1", "1/0")]),
        (("moves",), [[move for move in row["moves"] if move[4] != "bid"]]),
        ((*plan, 2), [{}, [], "x", 3]),
        ((*plan, 2, "text"), [None, 1, []]),
        ((*plan, 2, "priorities"), [None, [], {"Urn": 1}, {"Bowl": 4}]),
        ((*said, 2), [-1, "5", 1.5]),
        ((*said, 3), [None, [1], {"a": 1}, 3]),
        (("unanswered",), [["Eve"], [0], [["Ann"]]]),
        (("failed",), [[[0, 0, "Ann"]], [[0, 0, "Ann", 3]], [[2, 0, "Ann", ""]]]),
        *[((key,), [None]) for key in row],
    ]
    return [(path, bad) for path, bads in cases for bad in bads]


USED = dict.fromkeys(("calls", "retries", "input_tokens", "output_tokens", "unreadable"), 1)


def at_another_price(row: Any, more: int) -> Any:
    """The last sale is made at another price, and all that follows from it is reckoned anew."""
    sale = [item for item in row["items"] if item["winner"] is not None][-1]
    sale["price"] = str(int(sale["price"]) + more)
    for part in ("profits", "money"):
        row[part][sale["winner"]] = str(int(row[part][sale["winner"]]) - more)
    return row


def test_sales_at_prices_that_nobody_bid_are_refused(tmp_path: Path) -> None:
    given: dict[str, Any] = {"lineups": {"two": [Shy("Ann"), Shy("Bob")]}, "orders": ["given"]}
    rows = small(tmp_path / "run", **given).results.rows
    file = tmp_path / "run/games.jsonl"
    for more in (-1, 1, -(10**3)):
        changed = at_another_price(json.loads(json.dumps(rows[-1])), more)
        file.write_text("".join(json.dumps(row) + "\n" for row in [*rows[:-1], changed]))
        with pytest.raises(InvalidInputError, match=rf"line {len(rows)} of games\.jsonl is no"):
            small(tmp_path / "run", **given)


def test_rows_that_are_of_no_game_are_refused(tmp_path: Path) -> None:
    """Nothing is computed from them; the second row is changed, in one place."""
    lineups = {"planners": [Planner("Ann"), Shy("Bob")]}
    given: dict[str, Any] = {"lineups": lineups, "budgets": [35], "orders": ["given"]}
    small(tmp_path / "run", **given)
    file = tmp_path / "run/games.jsonl"
    lines = file.read_text().splitlines()
    for path, bad in bad_rows(json.loads(lines[1])):
        row = inside = json.loads(lines[1])
        for step in path[:-1]:
            inside = inside[step]
        inside[path[-1]] = bad
        changed = "\n".join([lines[0], json.dumps(row), lines[2], ""])
        file.write_text(changed)
        with pytest.raises(InvalidInputError, match=r"line 2 of games\.jsonl is no"):
            small(tmp_path / "run", **given)
        assert file.read_text() == changed
    file.write_text("\n".join([*lines, ""]))
    small(tmp_path / "run", **given)


def test_halves_of_pairs_in_what_is_said_do_not_end_a_run(tmp_path: Path) -> None:
    class Odd(Planner):
        def plan(self, view: Any) -> object:
            return {"priorities": {lot.name: 1 for lot in view.coming}, "text": "half \ud800"}

    given: dict[str, Any] = {"lineups": {"odd": [Odd("Ann"), Shy("Bob \udfff")]}}
    rows = small(tmp_path / "run", **given).results.rows
    assert rows[0]["plans"][0][2]["text"] == "half \ud800"
    assert str(small(tmp_path / "run", **given)) == (tmp_path / "run/tables.txt").read_text()[:-1]
    assert small(tmp_path / "run", **given).results.rows == rows


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"lineups": {}}, InvalidInputError),
        ({"lineups": {"twice": [Shy("a"), Shy("a")]}}, InvalidInputError),
        ({"lineups": {"none": []}}, InvalidInputError),
        ({"lineups": {"one": ["rule"]}}, InvalidInputError),
        ({"lineups": {"kind": ["roule"]}}, UnknownNameError),
        ({"orders": ["upwards"]}, UnknownNameError),
        ({"games": 0}, InvalidInputError),
        ({"budgets": [0.5]}, InvalidInputError),
        ({"budgets": [-1]}, InvalidInputError),
        ({"budgets": []}, InvalidInputError),
        ({"budgets": [25, "25.0"]}, InvalidInputError),
        ({"orders": ["given", "given"]}, InvalidInputError),
        ({"orders": []}, InvalidInputError),
    ],
)
def test_settings_that_are_none_are_refused_before_anything_is_written(
    tmp_path: Path, changed: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        small(tmp_path / "run", **changed)
    assert not (tmp_path / "run").exists()


def test_the_command_reproduces_the_exact_table(tmp_path: Path) -> None:
    arguments = ["experiment", "arena", "copies", "--bidder", "rule", "--budget", "10000"]
    orders = ["--order", "ascending", "--order", "descending"]
    out = ["--out", str(tmp_path / "out"), "--games", "2", "--jobs", "1"]
    done = CliRunner().invoke(main, [*arguments, *orders, *out])
    assert done.exit_code == 0, done.output
    assert done.output.count("3,995") == 3
    assert done.output.count("6,160") == 3
    written = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert {"games.jsonl", "settings.json", "tables.txt", "profits.svg"} <= set(written)


def test_odd_numbers_of_games_are_remarked_on(tmp_path: Path) -> None:
    said = "Not all bidders have sat in each seat equally often"
    for games in (2, 3, 4, 6):
        report = small(tmp_path / str(games), games=games)
        assert (said in str(report)) is (games % 3 > 0)


def test_budgets_that_are_fractions_are_settings_of_their_own(tmp_path: Path) -> None:
    report = small(tmp_path / "run", budgets=["41/2", "62/3"], lineups=arena.copies("rule"))
    one, two = report.results.cells
    assert str(one) == "rule against itself, 41/2, random"
    assert report.tables[0].caption != report.tables[1].caption
    assert report.results.mean_profits(one) != report.results.mean_profits(two)


def test_a_budget_may_be_of_any_size(tmp_path: Path) -> None:
    report = small(tmp_path / "run", budgets=[10**400, 0])
    poor = report.results.games(report.results.cells[1])
    assert {row["money"]["rule"] for row in poor} == {"0"}
    assert len(report.results.rated) == 2 * 2 * 3


def test_an_experiment_has_each_bidder_once() -> None:
    for name in ("standard", "copies"):
        with pytest.raises(InvalidInputError, match="is there twice"):
            arena.lineups_by_name(name, ["Ann=rule", "Ann=estimate"])
    with pytest.raises(InvalidInputError, match="is there twice"):
        arena.lineups_by_name("ablations", ["local", "local"])


def test_objectives_has_four_bidders_and_twenty_items() -> None:
    lineups, settings = arena.lineups_by_name("objectives")
    [who] = lineups.values()
    assert len(who) == 4
    assert settings["budgets"] == (10_000, 15_000, 20_000, 25_000, 30_000)
    for wrong in (["rule"], ["rules", "local"]):
        with pytest.raises(InvalidInputError):
            arena.lineups_by_name("objectives", wrong)
    with pytest.raises(InvalidInputError):
        arena.lineups_by_name("copies", ["rule"], ["rule"])
    [asked] = arena.lineups_by_name("objectives", ["rules"])[0].values()
    assert [each.objective for each in asked if isinstance(each, arena.ModelBidder)] == [
        *("profit", "profit", "items", "items")
    ]
    assert str(Cell("a", "10000", "random", None)) == "a, 10,000, random"


@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_game_has_means_and_no_intervals(tmp_path: Path, place: int) -> None:
    report = small(tmp_path / "run", lineups=arena.copies("rule"), games=1)
    [row] = report.results.rows
    table = report.tables[0]
    assert table.caption.startswith("rule against itself, 25, random: 1 game; ")
    name, games, mean, low, high = table.rows[place][:5]
    assert (games, low, high) == ("1", "", "")
    assert mean == f"{float(Fraction(row['profits'][name])):,.0f}"
    means = [float(each[2].replace(",", "")) for each in table.rows]
    assert means == sorted(means, reverse=True)
    assert report.results.mean_profits() is None
