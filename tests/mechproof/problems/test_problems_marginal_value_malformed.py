"""Problem files of the kind ``marginal-value`` that are refused: the path, and what is wrong."""

from __future__ import annotations

import json
from math import inf, nan

import pytest
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
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import ValidationError
from marginal_value_files import CLAIM, FORECAST, LISTED, WHOLE, without

# --- What is refused ------------------------------------------------------------------------------

REFUSED = {
    "an unknown item": (
        changed("judge", 3, "revealed", 1, to="clam", document=CLAIM),
        "$.judge[3].revealed[1]: item is unknown (got 'clam'): did you mean 'claim'?",
    ),
    "a set that is missing": (
        changed("judge", to=CLAIM["judge"][:3], document=CLAIM),
        "$.judge: has no entry for revealed = [claim, rebuttal]",
    ),
    "a set given twice": (
        changed("judge", to=CLAIM["judge"] * 2, document=CLAIM),
        "$.judge[4].revealed: is given twice",
    ),
    "an item twice in a set": (
        changed("judge", 1, "revealed", to=["claim", "claim"], document=CLAIM),
        "$.judge[1].revealed: names an item twice",
    ),
    "an action that is missing": (
        changed("judge", 2, "utilities", to={"act": 1}, document=CLAIM),
        "$.judge[2].utilities: has no entry for the action 'wait'",
    ),
    "an unknown action": (
        changed("judge", 2, "utilities", "actt", to=1, document=CLAIM),
        "$.judge[2].utilities.actt: action is unknown (got 'actt'): did you mean 'act'?",
    ),
    "a utility of NaN": (
        changed("judge", 2, "utilities", "act", to=nan, document=CLAIM),
        "$.judge[2].utilities.act: value is not a number",
    ),
    "a utility that is infinite": (
        changed("judge", 2, "utilities", "act", to="inf", document=CLAIM),
        "$.judge[2].utilities.act: value is not a number",
    ),
    "two items of one name": (
        {**CLAIM, "items": ["claim", "rebuttal", "claim"]},
        "$.items[2]: 'claim' names another item too",
    ),
    "two actions of one name": (
        {**CLAIM, "actions": ["wait", "wait"]},
        "$.actions[1]: 'wait' names another action too",
    ),
    "no item": ({**CLAIM, "items": []}, "$.items: "),
    "too many items": (
        {**without(CLAIM, "prices"), "items": [f"i{j}" for j in range(41)], "judge": []},
        "$.items: asks for 41 items, more than the limit of 40",
    ),
    "too many sets": (
        {**without(CLAIM, "prices"), "items": [f"i{j}" for j in range(30)], "judge": []},
        "$.moves: asks for 1,073,741,824 sets that can be revealed, more than the limit of 16,384",
    ),
    "a price that is missing": (
        {**CLAIM, "prices": {"claim": 1}},
        "$.prices: has no entry for the item 'rebuttal'",
    ),
    "a price of nothing": (
        {**CLAIM, "prices": {**CLAIM["prices"], "clam": 1}},
        "$.prices.clam: item is unknown (got 'clam'): did you mean 'claim'?",
    ),
    "a price of NaN": (
        changed("prices", "claim", to=nan, document=CLAIM),
        "$.prices.claim: value is not a number",
    ),
    "a price of minus infinity": (
        changed("prices", "claim", to="-inf", document=CLAIM),
        "$.prices.claim: value is not a number",
    ),
    "a price that is true": (
        changed("prices", "claim", to=True, document=CLAIM),
        "$.prices.claim: value is not a number",
    ),
    "a listed price of NaN": (
        changed("prices", 1, "price", to=nan, document=LISTED),
        "$.prices[1].price: value is not a number",
    ),
    "a set without a price": (
        {**CLAIM, "prices": LISTED["prices"][:2]},
        "$.prices: has no entry for revealed = [claim, rebuttal]",
    ),
    "a set with two prices": (
        {**CLAIM, "prices": LISTED["prices"] * 2},
        "$.prices[3].revealed: is given twice",
    ),
    "a price of revealing nothing": (
        {**CLAIM, "prices": [{"revealed": [], "price": 0}]},
        "$.prices[0].revealed: ",
    ),
    "prices by set for single items": (
        {**LISTED, "moves": "one item at a time"},
        "$.prices: are by set, and one item is revealed at a time",
    ),
    "an unknown kind of move": (
        {**CLAIM, "moves": "one item at the time"},
        "$.moves: moves is unknown (got 'one item at the time'): did you mean 'one item at a time'",
    ),
    "moves without the null move": (
        {**CLAIM, "moves": [["claim"]]},
        "$.moves: has no null move: add []",
    ),
    "a move that reveals what there is not": (
        {**CLAIM, "moves": [[], ["claim", "rebutal"]]},
        "$.moves[1][1]: item is unknown (got 'rebutal'): did you mean 'rebuttal'?",
    ),
    "unknown ties": (
        {**CLAIM, "ties": "few"},
        "$.ties: ties is unknown (got 'few'): did you mean 'fewest'?",
    ),
    "unknown sets": (
        {**CLAIM, "sets": "every"},
        "$.sets: sets is unknown (got 'every')",
    ),
    "both forms": (
        {**CLAIM, "states": {"a": 1}},
        "$: has both items and states: give a judge of items, or states with goods",
    ),
    "a judge beside goods": ({**FORECAST, "judge": []}, "$: has both judge and states"),
    "variables beside items": ({**CLAIM, "variables": {}}, "$: has both items and variables"),
    "neither form": ({"kind": "marginal-value"}, "$: has neither a judge of items, nor states"),
    "no judge": (without(CLAIM, "judge"), "$: object missing required field `judge`"),
    "no actions": (without(CLAIM, "actions"), "$: object missing required field `actions`"),
    "no state": (without(FORECAST, "state"), "$: object missing required field `state`"),
    "no goods": (without(FORECAST, "goods"), "$: object missing required field `goods`"),
    "no utilities": (
        without(FORECAST, "utilities"),
        "$: object missing required field `utilities`",
    ),
    "an unknown state": (
        {**FORECAST, "state": "dri"},
        "$.state: state is unknown (got 'dri'): did you mean 'dry'?",
    ),
    "a state that never is": (
        {**FORECAST, "states": {"rain": 1, "dry": 0}},
        "$.state: has probability zero",
    ),
    "two goods of one name": (
        {**FORECAST, "goods": FORECAST["goods"] * 2},
        "$.goods[1].name: 'report' names another good too",
    ),
    "prices beside those of goods": (
        {**FORECAST, "prices": {"report": 1}},
        "$.prices: stand beside prices of goods",
    ),
    "too many goods": (
        {**FORECAST, "goods": [{"name": f"g{j}", "reveals": []} for j in range(30)]},
        "$.moves: asks for 1,073,741,824 sets that can be revealed, more than the limit of 16,384",
    ),
    "an unknown field": ({**CLAIM, "price": {}}, "$: field is unknown (got 'price')"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_names_its_path(case: str) -> None:
    problem, said = REFUSED[case]
    assert refusal(problem).startswith(said)


@pytest.mark.parametrize("form", WHOLE)
def test_a_value_of_the_wrong_type_is_named(form: str) -> None:
    require_wrong_types_named(WHOLE[form])


@given(st.data())
def test_a_document_with_anything_anywhere(data: st.DataObject) -> None:
    require_strange_values_placed(data, list(WHOLE.values()), more=[inf])


@pytest.mark.parametrize("form", WHOLE)
def test_a_document_with_something_missing(form: str) -> None:
    require_missing_parts_placed(WHOLE[form])


@pytest.mark.parametrize(
    "case",
    [
        "no item",
        "a price of minus infinity",
        "a price that is true",
        "a price of revealing nothing",
        "an unknown kind of move",
        "unknown ties",
        "unknown sets",
        "both forms",
        "a judge beside goods",
        "variables beside items",
        "neither form",
        "no judge",
        "no state",
        "an unknown field",
    ],
)
def test_the_schema_refuses_what_the_command_refuses(case: str) -> None:
    schema: Document = json.loads(run("schema", "marginal-value").stdout)
    with pytest.raises(ValidationError):
        validator(schema, "Problem").validate(REFUSED[case][0])
