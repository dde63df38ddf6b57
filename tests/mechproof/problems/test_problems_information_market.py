"""Problem files of the kind ``information-market``: what comes out, and what is refused."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from documents import (
    Document,
    changed,
    refusal,
    require_missing_parts_placed,
    require_strange_values_placed,
    require_wrong_types_named,
    run,
    solved,
    validator,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError
from reference import purchases as reference
from sweeps import examples

from mechproof.problems.kinds import information_market
from theory.purchases import BestSet, read_shelf

F = Fraction

MARKET: Document = {
    "kind": "information-market",
    "facts": {"founder": 10, "seat": 6},
    "passages": [
        {"name": "long", "price": 9, "states": ["founder", "seat"]},
        {"name": "short", "price": 4, "states": ["founder"]},
        {"name": "map", "price": 4, "states": ["seat"]},
    ],
    "budget": 8,
}

EVERY_FIELD: Document = {
    "kind": "information-market",
    "id": "all",
    "facts": {"a": "7/2", "b": 2},
    "budget": "3.5",
    "passages": [
        {"name": "read", "price": 1, "states": ["a"]},
        {"name": "titled", "price": "1/2", "states": {"a": "1/2", "b": 0.75}},
        {"name": "silent", "price": 0, "states": []},
    ],
}


# --- By hand --------------------------------------------------------------------------------------


def test_a_budget_by_hand() -> None:
    """With 8 to spend both short ones gain 8; the long one, at 9, would gain 7."""
    found = solved(MARKET)
    assert found["buy"] == ["short", "map"]
    assert (found["price"], found["worth"], found["gain"]) == ("8", "16", "8")
    assert found["facts"] == {"founder": "1", "seat": "1"}
    assert found["adds"] == {"long": "0", "short": "10", "map": "6"}
    assert found["gap"] == "0"
    poor = solved({**MARKET, "budget": 7})
    assert (poor["buy"], poor["gain"]) == (["short"], "6")
    assert poor["adds"] == {"long": "6", "short": "10", "map": "6"}
    cheap = changed("passages", 0, "price", to="15/2", document=MARKET)
    assert solved(cheap)["buy"] == ["long"]


def test_titles_by_hand() -> None:
    """Read, the first gains 5/2; the title adds 2 x 3/4 for 1/2 to that, and 7/4 alone."""
    found = solved(EVERY_FIELD)
    assert found["buy"] == ["read", "titled"]
    assert found["worth"] == "5"
    assert found["facts"] == {"a": "1", "b": "3/4"}
    assert found["adds"] == {"read": "7/4", "titled": "3/2", "silent": "0"}
    assert found["id"] == "all"


def test_the_words() -> None:
    assert solved(MARKET)["words"] == [
        "Buy short and map for 8: worth 16, so that 8 is gained.",
    ]
    assert solved({**MARKET, "budget": 3})["words"] == [
        "Buy nothing: no set that can be paid is worth more than its price."
    ]
    assert solved({**MARKET, "budget": 4})["words"] == [
        "Buy short for 4: worth 10, so that 6 is gained."
    ]
    many = [{"name": f"p{k}", "price": 1, "states": [f"f{k}"]} for k in range(7)]
    facts = {f"f{k}": "4/3" for k in range(7)}
    found = solved({"kind": "information-market", "facts": facts, "passages": many})
    assert found["words"] == [
        "Buy p0, p1, p2, p3 and 3 others for 7: worth 9.333, so that 2.333 is gained."
    ]


# --- Against an independent reference -------------------------------------------------------------


def drawn(seed: int) -> Document:
    draw = Random(seed)
    facts = [f"fact {j}" for j in range(draw.randint(1, 4))]

    def states() -> object:
        some = draw.sample(facts, draw.randint(0, len(facts)))
        return some if seed % 2 else {fact: f"{draw.randint(0, 4)}/4" for fact in some}

    passages = [
        {"name": f"p{k}", "price": f"{draw.randint(0, 12)}/2", "states": states()}
        for k in range(draw.randint(0, 6))
    ]
    worths = {fact: draw.randint(0, 8) for fact in facts}
    budget = {"budget": f"{draw.randint(0, 20)}/3"} if draw.random() < 0.7 else {}
    return {"kind": "information-market", "facts": worths, "passages": passages, **budget}


@pytest.mark.parametrize("seed", range(40))
def test_answers_are_those_of_the_reference(seed: int) -> None:
    problem = drawn(seed)
    found = solved(problem)
    facts, passages = problem["facts"], problem["passages"]
    rows = [dict.fromkeys(p["states"], 1) if seed % 2 else p["states"] for p in passages]
    chances = [[F(row.get(fact, 0)) for fact in facts] for row in rows]
    prices, worths = [F(p["price"]) for p in passages], [F(w) for w in facts.values()]
    budget = F(problem["budget"]) if "budget" in problem else None
    some = reference.best(prices, chances, worths, budget)
    assert found["buy"] == [passages[k]["name"] for k in some]
    assert F(found["gain"]) == reference.gain(some, prices, chances, worths)
    assert F(found["gain"]) == F(found["worth"]) - F(found["price"])
    assert found["gap"] == "0"
    bought = reference.worth(some, chances, worths)
    for k, passage in enumerate(passages):
        others = [each for each in some if each != k]
        without = reference.worth(others, chances, worths)
        with_it = bought if k in some else reference.worth([*some, k], chances, worths)
        assert F(found["adds"][passage["name"]]) == with_it - without
    assert sum((F(p) * w for p, w in zip(found["facts"].values(), worths, strict=True))) == bought


@pytest.mark.parametrize("seed", range(6))
def test_names_and_order_of_facts_do_not_matter(seed: int) -> None:
    problem = drawn(seed)
    turned = copy.deepcopy(problem)
    turned["facts"] = dict(reversed(problem["facts"].items()))
    found, other = solved(problem), solved(turned)
    assert (found["buy"], found["gain"], found["adds"]) == (
        other["buy"],
        other["gain"],
        other["adds"],
    )


# --- The gap --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        ((1, 2), F(17), F(8)),
        ((1, 2), F(16), F(7)),
        ((1,), F(10), F(4)),
        ((2,), F(6), F(4)),
        ((0,), F(16), F(9)),
        ((), F(0), F(0)),
    ],
)
def test_a_wrong_set_is_a_gap(monkeypatch: pytest.MonkeyPatch, wrong: tuple[Any, ...]) -> None:
    def find(*shelf: Any, max_steps: int) -> BestSet:
        return BestSet(read_shelf(*shelf), *wrong)

    monkeypatch.setattr(information_market.purchases, "best_set", find)
    assert F(solved(MARKET)["gap"]) >= 1


# --- Schema, and what is refused ------------------------------------------------------------------


def test_problems_and_answers_fit_the_schema() -> None:
    schema: Document = json.loads(run("schema", "information-market").stdout)
    Draft202012Validator.check_schema(schema)
    for problem in (MARKET, EVERY_FIELD, *map(drawn, range(6))):
        found = solved(problem)
        validator(schema, "Problem").validate(problem)
        validator(schema, "Answer").validate(found)
        assert not validator(schema, "Problem").is_valid(found)


def last(**fields: object) -> Document:
    found: Document = changed(
        "passages", 2, to={**MARKET["passages"][2], **fields}, document=MARKET
    )
    return found


REFUSED = {
    "no facts": ({**MARKET, "facts": {}}, "$.facts: "),
    "no passages": (
        {k: v for k, v in MARKET.items() if k != "passages"},
        "$: object missing required field `passages`",
    ),
    "a negative worth": (
        changed("facts", "seat", to=-1, document=MARKET),
        "$.facts.seat: is negative (got -1): give an amount of at least 0",
    ),
    "a negative price": (last(price="-1/2"), "$.passages[2].price: is negative (got -1/2): give"),
    "a price of NaN": (last(price=float("nan")), "$.passages[2].price: value is not a number"),
    "a negative budget": ({**MARKET, "budget": -3}, "$.budget: is negative (got -3): give an"),
    "a name twice": (last(name="long"), "$.passages[2].name: 'long' names another passage too"),
    "a fact that there is not": (
        last(states=["seat", "seet"]),
        "$.passages[2].states[1]: fact is unknown (got 'seet'): did you mean 'seat'?",
    ),
    "a probability of a fact that there is not": (
        last(states={"seet": 1}),
        "$.passages[2].states.seet: fact is unknown (got 'seet'): did you mean 'seat'?",
    ),
    "a fact twice": (
        last(states=["seat", "seat"]),
        "$.passages[2].states[1]: 'seat' stands there twice: write it once",
    ),
    "a probability above 1": (
        last(states={"founder": 1, "seat": "3/2"}),
        "$.passages[2].states.seat: is no probability (got 3/2): give one from 0 to 1",
    ),
    "a negative probability": (
        last(states={"founder": 0, "seat": "-1/2"}),
        "$.passages[2].states.seat: is no probability (got -1/2): give one from 0 to 1",
    ),
    "an unknown field": (
        {**MARKET, "bugdet": 3},
        "$: field is unknown (got 'bugdet'): did you mean 'budget'?",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_names_its_path_and_the_fix(case: str) -> None:
    problem, said = REFUSED[case]
    assert refusal(problem).startswith(said)


def test_a_value_of_the_wrong_type_is_named() -> None:
    require_wrong_types_named(EVERY_FIELD)


@settings(max_examples=examples(60))
@given(st.data())
def test_a_document_with_anything_anywhere(data: st.DataObject) -> None:
    require_strange_values_placed(data, [MARKET, EVERY_FIELD])


def test_a_document_with_something_missing() -> None:
    require_missing_parts_placed(EVERY_FIELD)


@pytest.mark.parametrize("case", ["no facts", "no passages", "an unknown field"])
def test_the_schema_refuses_what_the_command_refuses(case: str) -> None:
    schema: Document = json.loads(run("schema", "information-market").stdout)
    with pytest.raises(ValidationError):
        validator(schema, "Problem").validate(REFUSED[case][0])
