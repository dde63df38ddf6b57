"""Problem files of the kind ``game``: what comes out, what is refused, and how it is said."""

from __future__ import annotations

import inspect
import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from documents import (
    Document,
    answer,
    changed,
    paths,
    places_its_refusal,
    refusal,
    refused,
    run,
    solved,
    validator,
)
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import ValidationError
from sample_games import absent_minded_driver, matching_pennies

from mechproof.problems.format.reading import DocumentError
from mechproof.problems.kinds.game.trees import TreeNode
from mechproof.problems.kinds.game.trees import game_of as game_in_data
from theory import games
from theory.games import Game, to_efg

ENTRY: Document = {
    "kind": "game",
    "players": ["entrant", "incumbent"],
    "tree": {
        "player": "entrant",
        "infoset": "start",
        "moves": {
            "out": {"payoffs": [0, 2]},
            "in": {
                "player": "incumbent",
                "infoset": "entry",
                "moves": {"fight": {"payoffs": [-1, -1]}, "share": {"payoffs": [1, 1]}},
            },
        },
    },
}

COIN: Document = {
    "kind": "game",
    "players": ["guesser"],
    "tree": {
        "chance": {
            face: {
                "probability": p,
                "player": "guesser",
                "infoset": "guess",
                "moves": {
                    "heads": {"payoffs": [int(face == "heads")]},
                    "tails": {"payoffs": ["1/3"]},
                },
            }
            for face, p in {"heads": 0.25, "tails": "3/4"}.items()
        }
    },
}

DRIVER_EFG = """\
EFG 2 R "The driver" { "driver" }

p "" 1 1 "crossing" { "exit" "on" } 0
t "" 1 "" { 0 }
p "" 1 1 "crossing" { "exit" "on" } 0
t "" 2 "" { 4 }
t "" 3 "" { 1 }
"""


@pytest.fixture(scope="module")
def example() -> Document:
    found: Document = json.loads(run("example", "game", "--format", "json").stdout)
    return found


@pytest.fixture(scope="module")
def schema() -> Document:
    found: Document = json.loads(run("schema", "game").stdout)
    return found


def efg(game: Game) -> Document:
    return {"kind": "game", "efg": to_efg(game)}


# --- By hand --------------------------------------------------------------------------------------


def equilibrium(first: str, second: str, *payoffs: str, unreached: Document) -> Document:
    players = ("entrant", "incumbent")
    return {
        "payoffs": dict(zip(players, payoffs, strict=True)),
        "strategy": {"entrant": {"start": {first: "1"}}, "incumbent": {"entry": {second: "1"}}},
        "regret": {"entrant": "0", "incumbent": "0"},
        "one_shot": {"largest_gain": "0", "not_reached": unreached},
    }


def test_an_answer_by_hand() -> None:
    """To fight is an empty threat, and yet an equilibrium from the start."""
    shared = equilibrium("in", "share", "1", "1", unreached={})
    fought = equilibrium("out", "fight", "0", "2", unreached={"incumbent": ["entry"]})
    perfect: Document = {"kinds": ["perfect"], "witnesses": []}
    assert solved(ENTRY) == {
        "kind": "game",
        "version": 1,
        "players": ["entrant", "incumbent"],
        "size": {
            "nodes": 5,
            "ends": 3,
            "depth": 2,
            "information_sets": {"entrant": 1, "incumbent": 1},
        },
        "recall": {"entrant": perfect, "incumbent": perfect},
        "subgame_perfect": {"method": "backward induction", "found": shared},
        "pure_equilibria": {"found": [fought, shared]},
    }


def test_the_example_by_hand(example: Document) -> None:
    """In a boom sharing pays 3 each, in a bust (-1, 1/2); fighting (-1, 0)."""
    found = solved(example)
    shared = equilibrium("in", "share", "1/3", "4/3", unreached={})
    fought = equilibrium("out", "fight", "0", "2", unreached={"incumbent": ["entry"]})
    assert found["subgame_perfect"] == {
        "method": "pure profiles, subgame by subgame",
        "found": shared,
    }
    assert found["pure_equilibria"]["found"] == [fought, shared]


def test_the_optimum_of_one_player_by_hand() -> None:
    found = solved(COIN)["optimum"]["found"]
    assert (found["value"], found["upper_bound"], found["gap"]) == ("1/3", "1/3", "0")
    assert (found["precision"], found["certificate"]["upper_bound"]) == ("exact", "1/3")
    assert found["strategy"] == {"guesser": {"guess": {"tails": "1"}}}


def test_the_absent_minded_driver(tmp_path: Path) -> None:
    """Piccione and Rubinstein: go on with probability 2/3, and get 4/3."""
    (tmp_path / "driver.efg").write_text(DRIVER_EFG, encoding="utf-8")
    found = answer(run("solve", str(tmp_path / "driver.efg")))
    assert found["recall"]["driver"] == {
        "kinds": ["absent-minded"],
        "witnesses": [
            {
                "kind": "absent-minded",
                "infoset": "crossing",
                "histories": [[], ["on"]],
                "sentence": "at crossing, driver does not know whether the play has been there "
                "before: (the start) or (on)",
            }
        ],
    }
    assert found["subgame_perfect"]["why_not"]["reason"] == "absent-minded"
    assert found["pure_equilibria"]["why_not"]["reason"] == "absent-minded"
    assert "found" not in found["pure_equilibria"]
    best = found["optimum"]["found"]
    assert (best["value"], best["upper_bound"], best["precision"]) == ("4/3", "4/3", "exact")
    assert best["strategy"] == {"driver": {"crossing": {"exit": "1/3", "on": "2/3"}}}


def test_an_irrational_optimum_is_enclosed() -> None:
    """Pays 1 for exit first, 3 for exit second, 0 for exit third: (1 - q) + 3q(1 - q) + 0."""
    third = {"exit": {"payoffs": [0]}, "on": {"payoffs": [-7]}}
    tree: Any = {"moves": third}
    for pays in (3, 1):
        tree = {"player": "d", "infoset": "x", **tree}
        tree = {"moves": {"exit": {"payoffs": [pays]}, "on": tree}}
    tree = {"player": "d", "infoset": "x", **tree}
    best = solved({"kind": "game", "players": ["d"], "tree": tree})["optimum"]["found"]
    assert best["precision"] == "enclosed within the tolerance"
    value, upper = Fraction(best["value"]), Fraction(best["upper_bound"])
    exact = max(
        float((1 - q) + 3 * q * (1 - q) - 7 * q**3) for q in (k / 10**5 for k in range(10**5 + 1))
    )
    assert value < upper <= value + Fraction(1, 10**4)
    assert float(value) <= exact + 1e-9
    assert exact <= float(upper) + 1e-9


def test_no_pure_equilibrium_is_said_by_name() -> None:
    found = solved(efg(matching_pennies()))
    assert found["subgame_perfect"]["why_not"]["reason"] == "no pure equilibrium"
    assert found["pure_equilibria"] == {
        "found": [],
        "why_not": {
            "reason": "no pure equilibrium",
            "message": "none of 4 pure profiles is an equilibrium",
        },
    }


def test_a_mixed_equilibrium_stands_where_no_pure_one_does() -> None:
    """Matching pennies: a half each."""
    found = solved(efg(matching_pennies()))["mixed_equilibrium"]["found"]
    half = {"heads": "1/2", "tails": "1/2"}
    assert found == {
        "words": "A subgame-perfect equilibrium: nobody gains by deviating alone in any subgame.",
        "strength": "exact",
        "gap": "0",
        "subgame_perfect": "yes",
        "subgame_gap": "0",
        "payoffs": {"row": "0", "column": "0"},
        "strategy": {"row": {"row": half}, "column": {"column": half}},
        "regret": {"row": "0", "column": "0"},
        "one_shot": {"largest_gain": "0", "not_reached": {}},
        "methods": ["Lemke's method on sequences"],
    }


def test_a_pure_equilibrium_leaves_no_need_of_a_mixed_one() -> None:
    for document in (ENTRY, COIN, {"kind": "game", "efg": DRIVER_EFG}):
        assert "mixed_equilibrium" not in solved(document)


def three(pays: Any) -> Document:
    """Three players move at once."""

    def node(*made: int) -> Document:
        if len(made) == 3:
            return {"payoffs": pays(*made)}
        after = {str(m): node(*made, m) for m in range(2)}
        return {"player": f"p{len(made)}", "infoset": "choice", "moves": after}

    return {"kind": "game", "players": ["p0", "p1", "p2"], "tree": node()}


def irrational(a: int, b: int, c: int) -> list[int]:
    """The one equilibrium plays 1 with p = r = (√17 - 1) / 4 and q = (2p + 1) / 4."""
    return [a * (1 - 2 * b * c), b * (a - c), c * (4 * b - 2 * a - 1)]


def test_what_is_approximate_says_so() -> None:
    found = solved(three(irrational))["mixed_equilibrium"]["found"]
    assert (found["strength"], found["subgame_perfect"]) == ("approximate", "no")
    assert 0 < Fraction(found["gap"]) == max(map(Fraction, found["regret"].values())) < 1e-7
    said = r"An approximate equilibrium: nobody gains more than [\d.]+E-\d+ by deviating alone\."
    assert re.fullmatch(said, found["words"])


def coins() -> Document:
    """Ann lays two coins and has forgotten the first; she wins by two alike that Bob misses."""

    def second(first: str, guess: str) -> Document:
        wins = {b: 1 if first == b != guess else -1 for b in "ht"}
        after = {b: {"payoffs": [win, -win]} for b, win in wins.items()}
        return {"player": "ann", "infoset": "second", "moves": after}

    def guess(first: str) -> Document:
        moves = {g: second(first, g) for g in "ht"}
        return {"player": "bob", "infoset": "guess", "moves": moves}

    tree = {"player": "ann", "infoset": "first", "moves": {a: guess(a) for a in "ht"}}
    return {"kind": "game", "players": ["ann", "bob"], "tree": tree}


def test_who_forgets_draws_a_plan() -> None:
    found = solved(coins())["mixed_equilibrium"]["found"]
    assert found["plans"] == {
        "ann": [{"probability": "1/2", "moves": {"first": a, "second": a}} for a in ("h", "t")],
        "bob": [{"probability": "1/2", "moves": {"guess": g}} for g in ("h", "t")],
    }
    assert (found["strength"], found["gap"], found["subgame_perfect"]) == (
        "exact",
        "0",
        "not judged",
    )
    assert "strategy" not in found
    assert "as a player forgets" in found["words"]


def careless() -> Document:
    """A driver who forgets, and another player."""
    second = {"player": "a", "infoset": "x", "moves": {m: {"payoffs": [0, 0]} for m in "lr"}}
    tree = {"player": "a", "infoset": "x", "moves": {"l": {"payoffs": [1, 1]}, "r": second}}
    return {"kind": "game", "players": ["a", "b"], "tree": tree}


def test_why_there_is_no_mixed_equilibrium(monkeypatch: pytest.MonkeyPatch) -> None:
    assert solved(careless())["mixed_equilibrium"]["why_not"]["reason"] == "absent-minded"
    for function in {games.mixed_equilibrium, inspect.unwrap(games.mixed_equilibrium)}:
        monkeypatch.setattr(function, "__defaults__", (3, 3))
    for document in (efg(matching_pennies()), coins()):
        why_not = solved(document)["mixed_equilibrium"]["why_not"]
        assert why_not["reason"] == "too large"
        assert "limit of 3" in why_not["message"]


def wide(sets: int) -> Document:
    """A player who knows how a die with many sides fell, and may guess it."""
    sides = {
        f"side {k}": {
            "probability": f"1/{sets}",
            "player": "ann" if k else "bob",
            "infoset": "hidden" if k < 2 else f"sees {k}",
            "moves": {"stay": {"payoffs": [0, 0]}, "guess": {"payoffs": [1, k]}},
        }
        for k in range(sets)
    }
    return {"kind": "game", "players": ["ann", "bob"], "tree": {"chance": sides}}


def test_too_many_profiles_are_counted() -> None:
    found = solved(wide(64))
    assert found["subgame_perfect"]["found"]["payoffs"]["ann"] == "63/64"
    why_not = found["pure_equilibria"]["why_not"]
    assert why_not["reason"] == "too many profiles"
    assert (why_not["count"], why_not["limit"]) == (str(2**64), "20000")
    assert "20000" in why_not["message"]


def test_too_many_equilibria_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    same = changed("tree", "moves", "in", "moves", "fight", "payoffs", to=[1, 1], document=ENTRY)
    same = changed("tree", "moves", "out", "payoffs", to=[1, 1], document=same)
    assert len(solved(same)["pure_equilibria"]["found"]) == 4
    monkeypatch.setattr("mechproof.problems.kinds.game.equilibria.MAX_LISTED", 3)
    why_not = solved(same)["pure_equilibria"]["why_not"]
    assert (why_not["reason"], why_not["count"], why_not["limit"]) == (
        "too many equilibria",
        "4",
        "3",
    )


def test_an_optimum_beyond_the_limit_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("theory.games.ex_ante._optimum.MAX_NODES", 6)
    why_not = solved(COIN)["optimum"]["why_not"]
    assert why_not["reason"] == "too large"
    assert re.search(r"7.*6", why_not["message"])


def test_the_regrets_are_those_of_the_recheck(monkeypatch: pytest.MonkeyPatch) -> None:
    third = (Fraction(1, 3), Fraction(0))
    monkeypatch.setattr("theory.games._equilibrium.subgame_regrets", lambda *_: third)
    monkeypatch.setattr("theory.games._equilibrium.regrets", lambda *_: third)
    found = solved(ENTRY)
    regrets = [each["regret"] for each in found["pure_equilibria"]["found"]]
    regrets.append(found["subgame_perfect"]["found"]["regret"])
    assert regrets == [{"entrant": "1/3", "incumbent": "0"}] * 3


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


@pytest.mark.parametrize(("keys", "path"), list(paths(WHOLE)))
def test_a_value_of_the_wrong_type_is_named(keys: tuple[str | int, ...], path: str) -> None:
    assert refusal(changed(*keys, to=None, document=WHOLE)).split(": ")[0] == path


strange = st.sampled_from([None, True, 0, -1, "x", "1/3", [], {}, [None], {"a\nb": 1}, 1.5, 10**30])


@given(st.data())
def test_a_document_with_anything_anywhere(example: Document, data: st.DataObject) -> None:
    problem = data.draw(st.sampled_from([WHOLE, ENTRY, example]))
    for _ in range(data.draw(st.integers(1, 3))):
        keys = data.draw(st.sampled_from([keys for keys, _ in paths(problem)]))
        problem = changed(*keys, to=data.draw(strange), document=problem)
    text = json.dumps(problem).encode()
    assert places_its_refusal(run("solve", "--format", "json", "-", stdin=text))


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
