"""Ascending auctions that are refused: the path, what is wrong, the fix."""

from __future__ import annotations

import json
import re

import pytest
from ascending_files import EVERY_FIELD, VASE
from documents import (
    Document,
    changed,
    refusal,
    require_missing_parts_placed,
    require_strange_values_placed,
    require_wrong_types_named,
    run,
    validator,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import ValidationError
from sweeps import examples


def bob(**fields: object) -> Document:
    found: Document = changed("bidders", "Bob", to={"budget": 5, **fields}, document=VASE)
    return found


def clock(**fields: object) -> Document:
    item = {"name": "clock", "start": 1, "value": 2, **fields}
    return {**VASE, "items": [*VASE["items"], item]}


ONE_RULE = "give one of limit, over and values"
REFUSED = {
    "no items": ({**VASE, "items": []}, "$.items: "),
    "no bidders": ({**VASE, "bidders": {}}, "$.bidders: "),
    "an item twice": (clock(name="vase"), "$.items[1].name: 'vase' names another item too"),
    "a start of zero": (clock(start=0), "$.items[1].start: is not positive (got 0): give a price"),
    "a start of NaN": (clock(start=float("nan")), "$.items[1].start: value is not a number"),
    "a negative value": (clock(value="-1/3"), "$.items[1].value: is negative (got -1/3): give"),
    "an infinite value": (clock(value=float("inf")), "$.items[1].value: value is not a number"),
    "no budget": (
        changed("bidders", "Bob", to={"limit": 3}, document=VASE),
        "$.bidders.Bob: object missing required field `budget`",
    ),
    "a negative budget": (bob(limit=1, budget=-1), "$.bidders.Bob.budget: is negative (got -1): "),
    "no rule": (bob(), f"$.bidders.Bob: has no rule: {ONE_RULE}"),
    "two rules": (bob(limit=1, over=0), f"$.bidders.Bob: has both limit and over: {ONE_RULE}"),
    "two other rules": (
        bob(over=0, values={"vase": 1}),
        f"$.bidders.Bob: has both over and values: {ONE_RULE}",
    ),
    "a limit of zero": (bob(limit=0), "$.bidders.Bob.limit: expected `int` >= 1"),
    "a limit of a half": (bob(limit=0.5), "$.bidders.Bob.limit: expected `int`"),
    "a strict limit": (bob(limit=1, strict=False), "$.bidders.Bob.strict: does not go with limit"),
    "negative estimates": (bob(over=-2), "$.bidders.Bob.over: makes estimates negative (got -2)"),
    "an item without a value": (
        bob(values={}),
        "$.bidders.Bob.values: has no entry for the item 'vase'",
    ),
    "a value of an item that there is not": (
        bob(values={"vase": 1, "vasse": 1}),
        "$.bidders.Bob.values.vasse: item is unknown (got 'vasse'): did you mean 'vase'?",
    ),
    "a rule for ties that there is not": (
        {**VASE, "ties": "unifrom"},
        "$.ties: rule for ties is unknown (got 'unifrom'): did you mean 'uniform'?",
    ),
    "an increment of zero": ({**VASE, "increment": 0}, "$.increment: is not above 0 (got 0): give"),
    "a negative discount": ({**VASE, "discounts": -1}, "$.discounts: expected `int` >= 0"),
    "too many discounts": ({**VASE, "discounts": 17}, "$.discounts: expected `int` <= 16"),
    "too many increments": (
        {**VASE, "increment": 1e-4, "bidders": {"Ann": {"over": 1, "budget": 10**9}}},
        "$.bidders: allows more than 4,000 increments on vase (got 1000000000): give a larger",
    ),
    "an unknown field": (
        {**VASE, "bidder": {}},
        "$: field is unknown (got 'bidder'): did you mean 'bidders'?",
    ),
    "an unknown field of a bidder": (
        bob(limits=3),
        "$.bidders.Bob: field is unknown (got 'limits'): did you mean 'limit'?",
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
    require_strange_values_placed(data, [VASE, EVERY_FIELD])


def test_a_document_with_something_missing() -> None:
    require_missing_parts_placed(EVERY_FIELD)


NEEDS_VALUES = re.compile("twice|of zero|NaN|infin|negative|without a value|there is not|increm")


@pytest.mark.parametrize(
    "case",
    [case for case in REFUSED if not NEEDS_VALUES.search(case)]
    + ["a limit of zero", "a negative discount", "a rule for ties that there is not"],
)
def test_the_schema_refuses_what_the_command_refuses(case: str) -> None:
    schema: Document = json.loads(run("schema", "ascending-auction").stdout)
    with pytest.raises(ValidationError):
        validator(schema, "Problem").validate(REFUSED[case][0])
