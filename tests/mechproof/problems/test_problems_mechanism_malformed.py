"""Problem files of the kind ``mechanism`` that are refused: the path, what is wrong, the fix."""

from __future__ import annotations

import json

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
from mechanism_files import LISTED, LOTTERY, SALE

REFUSED = {
    "an outcome named twice": (
        {**SALE, "outcomes": ["sold", "kept", "sold"]},
        "$.outcomes[2]: 'sold' names another outcome too: name each once",
    ),
    "no outcome": ({**SALE, "outcomes": []}, "$.outcomes: "),
    "no agent": ({**SALE, "agents": {}}, "$.agents: "),
    "an agent without types": ({**SALE, "agents": {"buyer": {}}}, "$.agents.buyer: "),
    "a value that is missing": (
        changed("agents", "buyer", "keen", to={"sold": 3}, document=SALE),
        "$.agents.buyer.keen: has no value for the outcome 'kept': add one",
    ),
    "a value of nothing": (
        changed("agents", "buyer", "keen", "solt", to=3, document=SALE),
        "$.agents.buyer.keen.solt: outcome is unknown (got 'solt'): did you mean 'sold'?",
    ),
    "a value that is infinite": (
        changed("agents", "buyer", "keen", "sold", to="inf", document=SALE),
        "$.agents.buyer.keen.sold: value is not a number",
    ),
    "a profile that is missing": (
        {**SALE, "table": SALE["table"][1:]},
        '$.table: has no row for reports = ["cool","owner"]: each profile of types has one',
    ),
    "several profiles that are missing": (
        {**SALE, "table": []},
        '$.table: has no row for reports = ["cool","owner"], and for 1 more: each profile',
    ),
    "a profile given twice": (
        {**SALE, "table": SALE["table"] * 2},
        "$.table[2].reports: are given twice: they stand in $.table[0] too; keep one",
    ),
    "a report too few": (
        changed("table", 1, "reports", to=["keen"], document=SALE),
        "$.table[1].reports: are 1: give 2 reports, one an agent",
    ),
    "a report that is no type": (
        changed("table", 1, "reports", 0, to="kene", document=SALE),
        "$.table[1].reports[0]: type is unknown (got 'kene'): did you mean 'keen'?",
    ),
    "a report that is another agent's type": (
        changed("table", 1, "reports", 1, to="keen", document=SALE),
        "$.table[1].reports[1]: type is unknown (got 'keen'): known are owner",
    ),
    "an outcome that there is not": (
        changed("table", 1, "outcome", to="sould", document=SALE),
        "$.table[1].outcome: outcome is unknown (got 'sould'): did you mean 'sold'?",
    ),
    "a lottery over what there is not": (
        changed("table", 0, "outcome", to={"sould": 1}, document=SALE),
        "$.table[0].outcome.sould: outcome is unknown (got 'sould'): did you mean 'sold'?",
    ),
    "a lottery that does not sum to one": (
        changed("table", 0, "outcome", to={"sold": 0.5, "kept": "1/3"}, document=SALE),
        "$.table[0].outcome: lottery has sum 5/6 (got ['1/2', '1/3']): give non-negative "
        "probabilities with sum 1",
    ),
    "a lottery with a negative probability": (
        changed("table", 0, "outcome", to={"sold": 2, "kept": -1}, document=SALE),
        "$.table[0].outcome: lottery has a probability below 0",
    ),
    "an empty lottery": (
        changed("table", 0, "outcome", to={}, document=SALE),
        "$.table[0].outcome: lottery is empty",
    ),
    "a payment too many": (
        changed("table", 0, "payments", to=[1, 2, 3], document=SALE),
        "$.table[0].payments: are 3: give 2 payments, one an agent",
    ),
    "a payment of NaN": (
        changed("table", 0, "payments", 0, to="nan", document=SALE),
        "$.table[0].payments[0]: value is not a number",
    ),
    "a law that does not sum to one": (
        changed("prior", "buyer", "cool", to="1/3", document=LOTTERY),
        "$.prior.buyer: prior has sum 13/12",
    ),
    "a law that is missing": (
        {**LOTTERY, "prior": {"buyer": {"cool": 1}}},
        "$.prior: has no law for the agent 'seller': add one",
    ),
    "a law of nobody": (
        {**LOTTERY, "prior": {**LOTTERY["prior"], "sellar": {"owner": 1}}},
        "$.prior.sellar: agent is unknown (got 'sellar'): did you mean 'seller'?",
    ),
    "the probability of no type": (
        {**LOTTERY, "prior": {**LOTTERY["prior"], "seller": {"ownr": 1}}},
        "$.prior.seller.ownr: type is unknown (got 'ownr'): did you mean 'owner'?",
    ),
    "profiles that do not sum to one": (
        changed("prior", 0, "probability", to="1/2", document=LISTED),
        "$.prior: prior has sum 1/2",
    ),
    "no profile": ({**LISTED, "prior": []}, "$.prior: "),
    "a profile of the prior given twice": (
        {**LISTED, "prior": LISTED["prior"] * 2},
        "$.prior[1].types: are given twice: add up their probabilities",
    ),
    "a profile of the prior too short": (
        changed("prior", 0, "types", to=["cool"], document=LISTED),
        "$.prior[0].types: are 1: give 2 types, one an agent",
    ),
    "a property that there is not": (
        {**SALE, "properties": ["bic", "dsci"]},
        "$.properties[1]: property is unknown (got 'dsci'): did you mean 'dsic'?",
    ),
    "a property that is about numbers": (
        {**SALE, "properties": ["payment_identity"]},
        "$.properties[0]: property is unknown (got 'payment_identity'): ",
    ),
    "a negative epsilon": (
        {**SALE, "epsilon": "-1/2"},
        "$.epsilon: is below 0 (got '-1/2'): give 0 or more",
    ),
    "an unknown field": ({**SALE, "agent": {}}, "$: field is unknown (got 'agent'): did you mean"),
    "an unknown field of a row": (
        changed("table", 0, "payment", to=[1, -1], document=SALE),
        "$.table[0]: field is unknown (got 'payment'): did you mean 'payments'?",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_names_its_path_and_the_fix(case: str) -> None:
    problem, said = REFUSED[case]
    assert refusal(problem).startswith(said)


@pytest.mark.parametrize("whole", [LOTTERY, LISTED], ids=["by agent", "by profile"])
def test_a_value_of_the_wrong_type_is_named(whole: Document) -> None:
    require_wrong_types_named(whole)


@given(st.data())
def test_a_document_with_anything_anywhere(data: st.DataObject) -> None:
    require_strange_values_placed(data, [SALE, LOTTERY, LISTED])


@pytest.mark.parametrize("whole", [LOTTERY, LISTED], ids=["by agent", "by profile"])
def test_a_document_with_something_missing(whole: Document) -> None:
    require_missing_parts_placed(whole)


@pytest.mark.parametrize(
    "case",
    [
        "no outcome",
        "no agent",
        "an agent without types",
        "a value that is infinite",
        "a payment of NaN",
        "a property that there is not",
        "a property that is about numbers",
        "an unknown field",
        "an unknown field of a row",
    ],
)
def test_the_schema_refuses_what_the_command_refuses(case: str) -> None:
    schema: Document = json.loads(run("schema", "mechanism").stdout)
    with pytest.raises(ValidationError):
        validator(schema, "Problem").validate(REFUSED[case][0])
