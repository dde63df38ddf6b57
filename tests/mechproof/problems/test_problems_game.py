"""Problem files of the kind ``game``: what comes out, what is refused, and how it is said."""

from __future__ import annotations

import inspect
import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from documents import Document, answer, changed, run, solved
from game_files import COIN, DRIVER_EFG, ENTRY, careless, coins, efg, irrational, three, wide
from sample_games import matching_pennies

from theory import games


@pytest.fixture(scope="module")
def example() -> Document:
    found: Document = json.loads(run("example", "game", "--format", "json").stdout)
    return found


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


def test_what_is_approximate_says_so() -> None:
    found = solved(three(irrational))["mixed_equilibrium"]["found"]
    assert (found["strength"], found["subgame_perfect"]) == ("approximate", "no")
    assert 0 < Fraction(found["gap"]) == max(map(Fraction, found["regret"].values())) < 1e-7
    said = r"An approximate equilibrium: nobody gains more than [\d.]+E-\d+ by deviating alone\."
    assert re.fullmatch(said, found["words"])


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


def test_why_there_is_no_mixed_equilibrium(monkeypatch: pytest.MonkeyPatch) -> None:
    assert solved(careless())["mixed_equilibrium"]["why_not"]["reason"] == "absent-minded"
    for function in {games.mixed_equilibrium, inspect.unwrap(games.mixed_equilibrium)}:
        monkeypatch.setattr(function, "__defaults__", (3, 3))
    for document in (efg(matching_pennies()), coins()):
        why_not = solved(document)["mixed_equilibrium"]["why_not"]
        assert why_not["reason"] == "too large"
        assert "limit of 3" in why_not["message"]


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
