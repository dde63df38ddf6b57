"""Problem files of the kind ``marginal-value``: what comes out."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from itertools import combinations
from math import inf
from typing import Any

import pytest
from documents import Document, answer, changed, refusal, run, solved, validator
from marginal_value_files import CLAIM, FORECAST, WHOLE, without


@pytest.fixture(scope="module")
def example() -> Document:
    found: Document = json.loads(run("example", "marginal-value", "--format", "json").stdout)
    return found


@pytest.fixture(scope="module")
def schema() -> Document:
    found: Document = json.loads(run("schema", "marginal-value").stdout)
    return found


def by_set(found: Document) -> dict[tuple[str, ...], Document]:
    return {tuple(each["revealed"]): each for each in found["sets"]}


def statements(checked: list[Document]) -> dict[str, bool]:
    return {each["statement"]: each["holds"] for each in checked}


# --- By hand --------------------------------------------------------------------------------------


def test_an_answer_by_hand() -> None:
    """The claim earns 3 - 0 - 1 by itself; knowing everything, 2 - 1 - 1."""
    both = ["claim", "rebuttal"]
    still: Document = {"move": [], "stable": True, "inextensible": True}
    moves = {"move": ["claim"], "stable": False, "inextensible": False}
    conclusions = [
        "x^1 is inextensible",
        "x^n is null for n > 1",
        "x^1 has the highest ex-post value among inextensible moves",
    ]
    hypotheses = [
        "moves are union-closed",
        "prices are subadditive",
        "ties go to the null move",
    ]
    assert solved(CLAIM) == {
        "kind": "marginal-value",
        "version": 1,
        "ties": "fewest",
        "default": "wait",
        "path": [{"move": ["claim"], "price": "1", "action": "act", "reward": "2"}],
        "revealed": ["claim"],
        "ex_post": "2",
        "words": [
            "With nothing revealed the judge would do this: wait.",
            "Player 1 reveals {claim} at price 1 and earns 2; the judge would do this: act.",
            "Player 2 reveals nothing, which ends the game.",
            "Knowing everything, it would be best to reveal nothing, worth 0.",
            "What is revealed is worth 0, a shortfall of 0: at most 0 by the bounds.",
        ],
        "theorem_4_4": {
            "hypotheses": [{"statement": said, "holds": True} for said in hypotheses],
            "conclusions": [{"statement": said, "holds": True} for said in conclusions],
        },
        "shortfall": {
            "best": [],
            "best_worth": "0",
            "worth": "0",
            "shortfall": "0",
            "everything": "3/2",
            "defence": {
                "revealed": ["claim"],
                "disagreement": "-1",
                "agrees": False,
                "bound": "0",
            },
        },
        "sets": [
            {"revealed": [], "action": "wait", **moves, "ends_at": ["claim"], "worth": "0"},
            {"revealed": ["claim"], "action": "act", **still, "ends_at": ["claim"], "worth": "0"},
            {
                "revealed": ["rebuttal"],
                "action": "wait",
                **still,
                "ends_at": ["rebuttal"],
                "worth": "-1/2",
            },
            {"revealed": both, "action": "act", **still, "ends_at": both, "worth": "-1/2"},
        ],
        "gap": "0",
    }


def test_the_example_is_a_claim_that_is_not_worth_defending(example: Document) -> None:
    found = solved(example)
    assert (found["path"], found["revealed"], found["ex_post"]) == ([], [], "0")
    sets = by_set(found)
    assert sets["book",]["move"] == ["smoke"]
    assert sets["book", "smoke"]["stable"]
    assert not sets["book",]["inextensible"]
    short = found["shortfall"]
    assert (short["best"], short["best_worth"], short["shortfall"]) == (["book"], "3", "3")
    assert short["everything"] == str(Fraction(1, 2) + 5)
    assert "why_not" not in short


def test_the_example_says_what_its_prices_lead_to(example: Document) -> None:
    text = run("example", "marginal-value").stdout
    rows = re.findall(r"^#   (\d) +(\[.*\]) +(\d) ", text, flags=re.M)
    assert len(rows) == 2
    for price, revealed, lost in rows:
        found = solved(changed("prices", "survey", to=int(price), document=example))
        assert found["revealed"] == json.loads(revealed)
        assert found["shortfall"]["shortfall"] == lost


def test_a_prior_is_conditioned_on_what_is_revealed() -> None:
    """The report says "fine", and then no umbrella is taken; in rain it says what is believed."""
    fine, wet = solved(FORECAST), solved({**FORECAST, "state": "rain"})
    assert fine["path"] == [{"move": ["report"], "price": "1/4", "action": "none", "reward": "3/4"}]
    assert wet["path"] == []
    assert wet["default"] == by_set(wet)["report",]["action"] == "umbrella"


# --- Settings -------------------------------------------------------------------------------------


def test_ties_go_as_asked() -> None:
    tied = changed("prices", "claim", to=3, document=CLAIM)
    fewest, most = solved(tied), solved({**tied, "ties": "most"})
    assert (fewest["revealed"], most["revealed"]) == ([], ["claim"])
    assert most["ties"] == "most"
    assert statements(most["theorem_4_4"]["hypotheses"])["ties go to the null move"] is False


def test_items_that_tell_by_twos_are_not_revealed_one_by_one() -> None:
    judge = [
        {"revealed": s, "utilities": {"x": 1, "y": 4 if len(s) == 2 else 0}}
        for n in range(3)
        for s in map(list, combinations("ab", n))
    ]
    game: Document = {"kind": "marginal-value", "items": ["a", "b"], "actions": ["x", "y"]}
    game |= {"judge": judge, "prices": {"a": 1, "b": 1}}
    assert solved(game)["revealed"] == ["a", "b"]
    one = solved({**game, "moves": "one item at a time"})
    assert one["revealed"] == []
    assert one["shortfall"]["why_not"] == [
        "not moves are union-closed: {a} and {b} are moves, their union is not"
    ]
    assert {"everything", "defence"}.isdisjoint(one["shortfall"])
    assert one["words"][-1] == "What is revealed is worth 0, a shortfall of 1."
    family = solved({**game, "moves": [[], ["a"]], "judge": judge[:2]})
    assert [each["revealed"] for each in family["sets"]] == [[], ["a"]]


STEPS: Document = {
    "kind": "marginal-value",
    "items": ["claim", "more"],
    "actions": ["wait", "walk", "run"],
    "judge": [
        {"revealed": [], "utilities": {"wait": 1, "walk": 0, "run": 0}},
        {"revealed": ["claim"], "utilities": {"wait": 0, "walk": 1, "run": 0}},
        {"revealed": ["more"], "utilities": {"wait": 1, "walk": 0, "run": 0}},
        {"revealed": ["claim", "more"], "utilities": {"wait": 0, "walk": 1, "run": 2}},
    ],
}
"""Each item takes the judge a step further, and both together two."""


@pytest.mark.parametrize(
    ("needed", "setting"),
    [
        ("moves are union-closed", {"moves": "one item at a time"}),
        (
            "prices are subadditive",
            {
                "prices": [
                    {"revealed": ["claim"], "price": 0},
                    {"revealed": ["more"], "price": 0},
                    {"revealed": ["claim", "more"], "price": 10},
                ]
            },
        ),
    ],
)
def test_a_theorem_that_fails_has_a_witness(needed: str, setting: Document) -> None:
    theorem = solved(STEPS)["theorem_4_4"]
    assert all(each["holds"] for part in theorem.values() for each in part)
    found = solved({**STEPS, **setting})
    assert [(each["move"], each["reward"]) for each in found["path"]] == [
        (["claim"], "1"),
        (["more"], "1"),
    ]
    assert found["words"][1:4] == [
        "Player 1 reveals {claim} at price 0 and earns 1; the judge would do this: walk.",
        "Player 2 reveals {more} at price 0 and earns 1; the judge would do this: run.",
        "Player 3 reveals nothing, which ends the game.",
    ]
    theorem = found["theorem_4_4"]
    (missing,) = (each for each in theorem["hypotheses"] if not each["holds"])
    assert missing["statement"] == needed
    assert "{claim} and {more}" in missing["witness"]
    assert theorem["conclusions"][:2] == [
        {"statement": "x^1 is inextensible", "holds": False, "witness": "{claim} is not"},
        {"statement": "x^n is null for n > 1", "holds": False, "witness": "{more} follows"},
    ]
    bounded = "why_not" not in found["shortfall"]
    assert bounded == (needed == "prices are subadditive"), "the bounds need union-closed moves"


def test_only_the_sets_of_the_play_are_listed_where_asked(example: Document) -> None:
    cheap = changed("prices", "survey", to=3, document=example)
    every, some = solved(cheap), solved({**cheap, "sets": "reached"})
    assert [each["revealed"] for each in some["sets"]] == [[], ["book"]]
    assert some["sets"] == [by_set(every)[()], by_set(every)["book",]]
    assert without(some, "sets") == without(every, "sets")


def test_no_more_sets_are_listed_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mechproof.problems.kinds.marginal_value.outcome.MAX_LISTED", 4)
    assert len(solved(CLAIM)["sets"]) == 4
    monkeypatch.setattr("mechproof.problems.kinds.marginal_value.outcome.MAX_LISTED", 3)
    said = "$.sets: revealed sets are more than the limit of 3 (got 4): write sets = "
    with monkeypatch.context() as patch:  # counted before anything is solved
        patch.setattr("mechproof.problems.kinds.marginal_value.kind.equilibrium", None)
        assert refusal(CLAIM).startswith(said)
    assert len(solved({**CLAIM, "sets": "reached"})["sets"]) == 2


@pytest.mark.parametrize("price", ["inf", inf])
def test_a_price_may_be_infinite(price: Any) -> None:
    found = solved(changed("prices", "rebuttal", to=price, document=CLAIM))
    assert found["shortfall"]["everything"] == "inf"
    assert found["shortfall"]["defence"]["bound"] == "0"
    assert by_set(found)["claim", "rebuttal"]["worth"] == "-inf"
    assert solved(changed("prices", "claim", to=price, document=CLAIM))["revealed"] == []


def test_infinity_is_written_as_toml_writes_it(example: Document) -> None:
    text = run("example", "marginal-value").stdout.replace("survey = 5", "survey = inf")
    found = answer(run("solve", "-", stdin=text.encode()))
    assert found == solved(changed("prices", "survey", to="inf", document=example))
    assert found["shortfall"]["everything"] == "inf"


def test_a_cent_is_a_cent() -> None:
    text = json.dumps(changed("prices", "claim", to="HERE", document=CLAIM))
    for written in ("0.01", '"0.01"', '"1/100"', "1e-2"):
        found = answer(run("solve", "-", stdin=text.replace('"HERE"', written).encode()))
        assert found["path"][0]["price"] == "1/100"


def test_without_prices_items_are_free() -> None:
    free = solved(changed("prices", to=dict.fromkeys(CLAIM["items"], 0), document=CLAIM))
    assert solved(without(CLAIM, "prices")) == free
    assert free["path"][0]["reward"] == "3"


def test_the_gap_is_that_of_the_recheck(monkeypatch: pytest.MonkeyPatch) -> None:
    recheck = "theory.marginal_value._equilibrium.gain_and_share"
    monkeypatch.setattr(recheck, lambda *_: (Fraction(1, 3), 0.0))
    assert solved(CLAIM)["gap"] == "0.34"


# --- Schemas --------------------------------------------------------------------------------------


def test_problems_and_their_answers_fit_the_schema(schema: Document, example: Document) -> None:
    dear = changed("prices", "claim", to="inf", document=CLAIM)
    for problem in (example, CLAIM, dear, *WHOLE.values()):
        validator(schema, "Problem").validate(problem)
        validator(schema, "Answer").validate(solved(problem))
        assert not validator(schema, "Problem").is_valid(solved(problem))
