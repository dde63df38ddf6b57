"""Problem files of the kind ``game`` that are refused, and how it is said."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from documents import (
    Document,
    answer,
    changed,
    refusal,
    refused,
    require_strange_values_placed,
    require_wrong_types_named,
    run,
    solved,
    validator,
)
from game_files import COIN, DRIVER_EFG, ENTRY, careless, coins, efg, irrational, three, wide
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import ValidationError
from sample_games import absent_minded_driver, matching_pennies

from mechproof.problems.format.reading import DocumentError
from mechproof.problems.kinds.game.trees import TreeNode
from mechproof.problems.kinds.game.trees import game_of as game_in_data


@pytest.fixture(scope="module")
def example() -> Document:
    found: Document = json.loads(run("example", "game", "--format", "json").stdout)
    return found


@pytest.fixture(scope="module")
def schema() -> Document:
    found: Document = json.loads(run("schema", "game").stdout)
    return found


# --- What is refused ------------------------------------------------------------------------------

FIRST = ("tree", "moves")

REFUSED = {
    "neither": ({"kind": "game"}, "$: has neither efg, nor players and a tree"),
    "no players": ({"kind": "game", "tree": COIN["tree"]}, "$: has neither efg, nor players"),
    "both": ({**COIN, "efg": DRIVER_EFG}, "$: has both efg and a tree or its players"),
    "no player": ({**COIN, "players": []}, "$.players: "),
    "a player twice": ({**COIN, "players": ["guesser"] * 2}, "$.players: names a player twice"),
    "an unknown player": (
        changed(*FIRST, "in", "player", to="incumbnt", document=ENTRY),
        "$.tree.moves.in.player: player is unknown (got 'incumbnt'): did you mean 'incumbent'?",
    ),
    "too few payoffs": (
        changed(*FIRST, "out", "payoffs", to=[1], document=ENTRY),
        "$.tree.moves.out.payoffs: has 1 payoffs for 2 players",
    ),
    "a payoff that is no number": (
        changed(*FIRST, "out", "payoffs", to=[1, "x"], document=ENTRY),
        "$.tree.moves.out.payoffs[1]: value is not a number",
    ),
    "a payoff of NaN": (
        changed(*FIRST, "out", "payoffs", to=[1, float("nan")], document=ENTRY),
        "$.tree.moves.out.payoffs[1]: value is not a number",
    ),
    "no moves": (
        changed(*FIRST, to={}, document=ENTRY),
        "$.tree.moves: information set 'start' of 'entrant' has no branch",
    ),
    "a move without a player": (
        changed(*FIRST, "in", to={"moves": {"a": {"payoffs": [0, 0]}}}, document=ENTRY),
        "$.tree.moves.in: is none of: player, infoset and moves; chance; payoffs alone",
    ),
    "a move of a player and of chance": (
        changed(*FIRST, "in", "chance", to={}, document=ENTRY),
        "$.tree.moves.in: is none of: ",
    ),
    "an empty node": (
        changed(*FIRST, "in", to={}, document=ENTRY),
        "$.tree.moves.in: is none of: ",
    ),
    "other moves at another node": (
        changed("tree", "chance", "heads", "moves", to={"a": {"payoffs": [1]}}, document=COIN),
        "$.tree: information set 'guess' of 'guesser' has different moves at its nodes",
    ),
    "a sum other than one": (
        changed("tree", "chance", "heads", "probability", to="1/2", document=COIN),
        "$.tree.chance: probabilities of heads, tails do not sum to one (got '5/4')",
    ),
    "a negative probability": (
        changed("tree", "chance", "heads", "probability", to=-1, document=COIN),
        "$.tree.chance: probability of 'heads' is negative",
    ),
    "no probability": (
        changed("tree", "chance", "heads", to={"payoffs": [1]}, document=COIN),
        "$.tree.chance.heads: has no probability",
    ),
    "a probability of a move": (
        changed(*FIRST, "out", "probability", to=1, document=ENTRY),
        "$.tree.moves.out: has a probability, though no chance leads here",
    ),
    "no branch of chance": (
        changed("tree", "chance", to={}, document=COIN),
        "$.tree.chance: chance has no branch",
    ),
    "an unknown field": (
        changed(*FIRST, "out", to={"payoff": [1, 1]}, document=ENTRY),
        "$.tree.moves.out: field is unknown (got 'payoff'): did you mean 'payoffs'?",
    ),
    "a text that is no game": (
        {"kind": "game", "efg": "EFG 2 R x"},
        "$.efg: line 1, column 9, token 'x': expected the title",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_names_its_path(case: str) -> None:
    problem, said = REFUSED[case]
    assert refusal(problem).startswith(said)


@pytest.mark.parametrize(
    ("fault", "repaired", "said"),
    [
        ("{ four }", "{ 4 }", "line 6, column 13, token 'four': expected a payoff for 'driver'"),
        ('{ "leave" "on" }', '{ "exit" "on" }', "line 5, column 23, token '\"exit\"': the inf"),
        ("EFG 3", "EFG 2", "line 1, column 5, token '3': "),
        ("", 't "" 3 "" { 1 }\n', "line 7, column 1, end of the text: expected a node"),
    ],
)
def test_a_file_that_is_no_game_names_line_and_token(
    fault: str, repaired: str, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "game.efg"
    first, found, rest = DRIVER_EFG.partition(repaired)
    assert found
    file.write_text(f"{first}{fault}{rest}", encoding="utf-8")
    assert refused(run("solve", str(file))).startswith(f"{file}: {said}")


@pytest.mark.parametrize("cut", range(0, len(DRIVER_EFG) - 3, 7))
def test_a_text_cut_anywhere(cut: int) -> None:
    said = refused(run("solve", "--format", "efg", "-", stdin=DRIVER_EFG[:cut].encode()))
    assert re.match(r"line \d+, column \d+, (token '.*'|end of the text): .|is empty", said)


def test_an_efg_text_is_recognised(tmp_path: Path) -> None:
    for name in ("game.efg", "game.EFG", "game", "game.txt"):
        (tmp_path / name).write_text(f"\ufeff\n{DRIVER_EFG}", encoding="utf-8")
        found = answer(run("solve", str(tmp_path / name)))
        assert found == solved({"kind": "game", "efg": DRIVER_EFG})
    (tmp_path / "game.toml").write_text(DRIVER_EFG, encoding="utf-8")
    assert "line 1, column 5: Expected '='" in refused(run("solve", str(tmp_path / "game.toml")))
    for arguments in (("-",), ("--format", "efg", "-")):
        assert answer(run("solve", *arguments, stdin=DRIVER_EFG.encode()))["kind"] == "game"


def test_a_tree_that_is_too_deep_is_refused() -> None:
    assert solved(chain(90))["size"]["depth"] == 90
    node = TreeNode(payoffs=(Fraction(1),))
    for k in range(2_000):
        node = TreeNode(player="a", infoset=str(k), moves={"on": node})
    with pytest.raises(DocumentError, match=r"^\$\.tree: is nested too deeply$"):
        game_in_data(["a"], node)


def chain(depth: int) -> Document:
    tree: Document = {"payoffs": [1]}
    for k in reversed(range(depth)):
        tree = {"player": "a", "infoset": str(k), "moves": {"on": tree}}
    return {"kind": "game", "players": ["a"], "tree": tree}


WHOLE: Document = {**COIN, "id": 7}


def test_a_value_of_the_wrong_type_is_named() -> None:
    require_wrong_types_named(WHOLE)


@given(st.data())
def test_a_document_with_anything_anywhere(example: Document, data: st.DataObject) -> None:
    require_strange_values_placed(data, [WHOLE, ENTRY, example], more=[{"a\nb": 1}])


def test_names_with_line_ends_are_said_on_one_line() -> None:
    odd = {"a\nb": {"probability": 1, "payoffs": [0]}, "c": {"probability": 1, "payoffs": [0]}}
    said = refusal(changed("tree", "chance", to=odd, document=COIN))
    assert said.startswith(r"$.tree.chance: probabilities of a\nb, c do not sum to one")


# --- Schemas --------------------------------------------------------------------------------------


def test_the_example_and_answers_fit_the_schema(schema: Document, example: Document) -> None:
    driver = {"kind": "game", "efg": DRIVER_EFG}
    mixed = (efg(matching_pennies()), three(irrational), coins(), careless())
    for problem in (example, ENTRY, WHOLE, driver, *mixed, wide(64), chain(3)):
        validator(schema, "Problem").validate(problem)
        validator(schema, "Answer").validate(solved(problem))
        assert not validator(schema, "Problem").is_valid(solved(problem))
    assert solved(driver) == solved(efg(absent_minded_driver()))


@pytest.mark.parametrize(
    "case",
    [
        "neither",
        "no players",
        "both",
        "no player",
        "a move without a player",
        "a move of a player and of chance",
        "an empty node",
        "no probability",
        "a probability of a move",
        "an unknown field",
        "a payoff that is no number",
    ],
)
def test_the_schema_refuses_what_the_command_refuses(schema: Document, case: str) -> None:
    with pytest.raises(ValidationError):
        validator(schema, "Problem").validate(REFUSED[case][0])


def test_nodes_are_counted_by_player(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ann and Bob in 15 nodes, before anything is computed of them."""
    document = coins()
    monkeypatch.setattr("mechproof.problems.kinds.game.kind.MAX_LONG_NODES", 30)
    solved(document)
    monkeypatch.setattr("mechproof.problems.kinds.game.kind.MAX_LONG_NODES", 29)
    assert refusal(document).startswith("$: asks for 30 nodes by player, more than")
