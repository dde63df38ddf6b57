"""``mechproof play``: a seat at the terminal, stopped and gone on with."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from mechanisms.inspection import inspection
from mechproof.cli import main


def played(text: str, *options: str) -> Result:
    return CliRunner().invoke(main, ["play", "inspection", *options], input=text)


def test_the_buyer_is_a_person_and_sellers_follow_rules() -> None:
    result = played("road news, timetable\nblue bus\n")
    assert result.exit_code == 0, result.output
    assert "what to buy on level 1, for at most 6?" in result.output
    assert "bought: road news of Bert for 2: The bridge" in result.output
    assert "buyer decides blue bus, 4 spent" in result.output
    assert "The decision is worth 6, less what was spent." in result.output


def test_what_is_not_possible_is_said_and_asked_again() -> None:
    result = played("road\ntimetable, road news, hot tip\nroad news\ngreen bus\nred bus\n")
    assert result.exit_code == 0
    assert "That is not possible: 'road' is no option: did you mean 'road news'?." in result.output
    assert "timetable + road news + hot tip cost 7: at most 6 can be paid" in result.output
    assert "'green bus' is no option" in result.output
    assert "The decision is worth -2, less what was spent." in result.output


def test_a_seller_may_be_a_person_and_the_buyer_a_rule() -> None:
    offer = '[{"name": "poem", "content": "Buses are red", "price": 1.5}]'
    result = played(f"nothing\n{offer}\n", "--seat", "Cleo")
    assert result.exit_code == 0, result.output
    assert "That is not possible: answers with a str on level 1" in result.output
    assert "poem       Cleo    3/2    no" in result.output
    assert "buyer decides blue bus" in result.output


@pytest.mark.parametrize(("price", "end"), [(4, "blue bus, 6 spent"), (5, "red bus, 0 spent")])
def test_a_buyer_by_rule_buys_nothing_where_it_cannot_pay_all(price: int, end: str) -> None:
    offer = json.dumps([{"name": "timetable", "content": "dull", "price": price}])
    result = played(f"{offer}\n", "--seat", "Ana")
    assert result.exit_code == 0, result.output
    assert f"buyer decides {end}" in result.output


def test_all_seats_may_be_taken() -> None:
    seats = [part for name in ("Ana", "Bert", "Cleo", "Dora", "buyer") for part in ("--seat", name)]
    result = played("[]\n[]\n[]\n[]\nred bus\n", *seats)
    assert result.exit_code == 0, result.output
    assert "nothing was bought" in result.output


@pytest.mark.parametrize("stop", [":quit\n", ""])
@pytest.mark.parametrize("before", ["", "road news\n"])
def test_a_game_is_stopped_and_gone_on_with_elsewhere(
    tmp_path: Path, stop: str, before: str
) -> None:
    file = tmp_path / "game.json"
    result = played(before + stop, "--file", str(file))
    assert result.exit_code == 1
    assert f"the game is not over; kept in {file}" in result.output.replace("\n", "")
    rest = "blue bus\n" if before else "road news\nblue bus\n"
    done = subprocess.run(
        [sys.executable, "-m", "mechproof", "play", "inspection", "--file", str(file)],
        input=rest,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(played("road news\nblue bus\n").output[-400:])
    run = inspection.read(json.loads(file.read_text("utf-8"))["run"])
    assert run.outcome is not None
    assert run.outcome.decision == "blue bus"
    assert [e.memory for e in run.log if e.memory] == ["promised"]


def test_without_a_file_nothing_is_kept() -> None:
    result = played(":quit\n")
    assert result.exit_code == 1
    assert "nothing is kept: use --file FILE" in result.output


def test_a_game_that_is_over_is_told_again(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    played("road news\nblue bus\n", "--file", str(file))
    kept = file.read_bytes()
    again = played("", "--file", str(file))
    assert again.exit_code == 0
    assert "buyer decides blue bus" in again.output
    assert file.read_bytes() == kept


def edited(tmp_path: Path, change: Any) -> Path:
    file = tmp_path / "game.json"
    played(":quit\n", "--file", str(file))
    kept = json.loads(file.read_text("utf-8"))
    change(kept)
    file.write_text(json.dumps(kept), "utf-8")
    return file


SELLERS = [f"seller {k}" for k in range(200_000)]
"""So many that the rules take long to begin."""
CHANGES: list[tuple[Any, str]] = [
    (lambda kept: kept.pop("run"), "holds no game"),
    (lambda kept: kept.update(play="chess"), "holds a game of chess"),
    (lambda kept: kept["run"].update(rules="chess"), "rules are others"),
    (lambda kept: kept["run"]["arguments"][0].__setitem__(0, "?"), "other arguments"),
    (lambda kept: kept["run"]["arguments"][0].__setitem__(2, SELLERS), "other arguments"),
    (lambda kept: kept["run"]["arguments"][1].update(attempts=9), "other arguments"),
    (lambda kept: kept["run"]["log"][1].update(asked="0"), "ask for something else"),
]


@pytest.mark.parametrize(("change", "problem"), CHANGES)
def test_a_file_that_holds_another_game_is_refused(
    tmp_path: Path, change: Any, problem: str
) -> None:
    file = edited(tmp_path, change)
    before = file.read_bytes()
    result = played("road news\nblue bus\n", "--file", str(file))
    assert result.exit_code == 2
    assert problem in result.output
    assert file.read_bytes() == before


@pytest.mark.parametrize("text", ["", "[]", "nonsense", "{}", "\x00", "[" * 100_000])
def test_a_file_that_holds_no_game_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "game.json"
    file.write_text(text, "utf-8")
    result = played("road news\nblue bus\n", "--file", str(file))
    assert result.exit_code == 2
    assert "holds no game" in result.output


def test_seats_games_and_files_that_there_are_not(tmp_path: Path) -> None:
    wrong = played("", "--seat", "Eve")
    assert wrong.exit_code == 2
    assert "--seat plays no part (got 'Eve'): take one of buyer, Ana" in wrong.output
    assert CliRunner().invoke(main, ["play", "chess"]).exit_code == 2
    result = played("", "--file", str(tmp_path / "no folder" / "game.json"))
    assert result.exit_code == 2


def test_what_a_seller_writes_gives_no_orders_to_the_terminal() -> None:
    offer = '[{"name": "poem", "content": "\\u001b[2J red", "price": "1"}]'
    result = played(f"{offer}\npoem\nred bus\n", "--seat", "Cleo", "--seat", "buyer")
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.output


def auction(text: str, *options: str) -> Result:
    return CliRunner().invoke(main, ["play", "arena", *options], input=text)


def test_a_person_bids_against_rules() -> None:
    result = auction("3000\n7000\n$10-15\nout\n\n\n")
    assert result.exit_code == 0, result.output
    assert "That is not possible: 7000 is more than you have: bid at most 6000." in result.output
    assert "Answer with an amount from 1000 to 6000, or withdraw: " in result.output
    assert "Round 1: you bids 3000, Rae bids 1000, Eve bids 1000." in result.output
    assert "you     0      0       6000        0" in result.output


def test_an_auction_is_stopped_and_gone_on_with(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    whole = auction("3000\nout\n\n\n")
    assert whole.exit_code == 0
    stopped = auction("3000\n:quit\n", "--file", str(file))
    assert stopped.exit_code == 1
    again = auction("out\n\n\n", "--file", str(file))
    assert again.exit_code == 0, again.output
    assert whole.output.endswith(again.output[again.output.index("3 of 3 items") :])


def test_another_bidder_may_be_a_person() -> None:
    result = auction("\n\n\n", "--seat", "Rae")
    assert result.exit_code == 0, result.output
    assert "— Rae, to bid —" in result.output
    assert "Rae     0      0       6000        0" in result.output
