"""Softmax auctions that are refused: the path, what is wrong, the fix."""

from __future__ import annotations

import json
import re

import pytest
from auction_files import LAWS, ODDS, PAIR, WHOLE
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


@pytest.fixture(scope="module")
def schema() -> Document:
    found: Document = json.loads(run("schema", "softmax-auction").stdout)
    return found


REFUSED = {
    "no tau": ({k: v for k, v in PAIR.items() if k != "tau"}, "$: object missing required field"),
    "a tau of zero": ({**PAIR, "tau": 0}, "$.tau: is not above 0 (got '0'): give a positive"),
    "a negative tau": ({**PAIR, "tau": -1}, "$.tau: is not above 0 (got '-1')"),
    "a tau that is no number": ({**PAIR, "tau": "nan"}, "$.tau: value is not a number"),
    "an infinite tau": ({**PAIR, "tau": "inf"}, "$.tau: value is not a number"),
    "a tau of true": ({**PAIR, "tau": True}, "$.tau: value is not a number"),
    "no candidates": ({**PAIR, "candidates": []}, "$.candidates: "),
    "no agents": ({**PAIR, "agents": {}}, "$.agents: "),
    "NaN as a reward": (
        changed("agents", "A", "rewards", 1, to=float("nan"), document=PAIR),
        "$.agents.A.rewards[1]: value is not a number",
    ),
    "an infinite reward": (
        changed("agents", "A", "rewards", 1, to=float("inf"), document=PAIR),
        "$.agents.A.rewards[1]: value is not a number",
    ),
    "a reward too few": (
        changed("agents", "B", "rewards", to=[0, 1], document=PAIR),
        "$.agents.B.rewards: has 2 entries: give 3, one for each candidate",
    ),
    "odds too many": (
        changed("agents", "A", "odds", to=[1, 2, 3, 4], document=ODDS),
        "$.agents.A.odds: has 4 entries: give 3, one for each candidate",
    ),
    "odds of zero": (
        changed("agents", "A", "odds", 1, to=0, document=ODDS),
        "$.agents.A.odds[1]: is not above 0 (got '0'): give exp(reward / tau)",
    ),
    "no reward at all": (
        changed("agents", "A", to={}, document=PAIR),
        "$.agents.A: has no rewards: give one of rewards, odds, probabilities and log_probabil",
    ),
    "two forms of report": (
        changed("agents", "A", "odds", to=[1, 1, 1], document=PAIR),
        "$.agents.A: has both rewards and odds: give one of",
    ),
    "a tau of its own without a model": (
        changed("agents", "A", "tau", to=2, document=PAIR),
        "$.agents.A.tau: does not go with rewards: it belongs to an agent that reports its model",
    ),
    "a normaliser without a model": (
        changed("agents", "A", "log_normaliser", to=2, document=ODDS),
        "$.agents.A.log_normaliser: does not go with odds",
    ),
    "a model's tau of zero": (
        changed("agents", "model", "tau", to=0, document=WHOLE),
        "$.agents.model.tau: is not above 0",
    ),
    "a model without a reference": (
        changed("agents", "A", to={"probabilities": [0.1, 0.1, 0.1]}, document=PAIR),
        "$.agents.A: reports its model, and rewards are relative to the reference: add it",
    ),
    "a model that never says a candidate": (
        changed("agents", "model", "probabilities", 1, to=0, document=WHOLE),
        "$.agents.model.probabilities[1]: is impossible under the agent's model",
    ),
    "a model of what the reference never says": (
        changed("reference", "probabilities", 1, to=0, document=WHOLE),
        "$.agents.model.probabilities[1]: is impossible under the reference",
    ),
    "a model's probability above one": (
        changed("agents", "model", "probabilities", 1, to=1.5, document=WHOLE),
        "$.agents.model.probabilities[1]: is not between 0 and 1 (got '3/2'): give a probability",
    ),
    "a reference alone": (
        {k: v for k, v in LAWS.items() if k != "generator"},
        "$: has a reference and no generator: give both, the same law twice if the candidates are",
    ),
    "a generator alone": (
        {k: v for k, v in LAWS.items() if k != "reference"},
        "$: has a generator and no reference: give both",
    ),
    "a law of neither form": (
        {**LAWS, "reference": {}},
        "$.reference: has neither of probabilities and log_probabilities: give one of them",
    ),
    "a law of both forms": (
        changed("generator", "log_probabilities", to=[-1, -1, -1], document=LAWS),
        "$.generator: has both of probabilities and log_probabilities: give one of them",
    ),
    "a log-probability above zero": (
        changed("reference", "log_probabilities", 1, to=0.5, document=LAWS),
        "$.reference.log_probabilities[1]: is above 0 (got '1/2'): give the logarithm of a prob",
    ),
    "NaN as a log-probability": (
        changed("reference", "log_probabilities", 1, to=float("nan"), document=LAWS),
        "$.reference.log_probabilities[1]: value is not a number",
    ),
    "a log-probability too few": (
        {**LAWS, "reference": {"log_probabilities": [-1]}},
        "$.reference.log_probabilities: has 1 entries: give 3, one for each candidate",
    ),
    "a candidate impossible under its generator": (
        changed("generator", "probabilities", 2, to=0, document=LAWS),
        "$.generator.probabilities[2]: is impossible under the generator, which has drawn it",
    ),
    "a candidate of log-probability minus infinity under its generator": (
        {**LAWS, "generator": {"log_probabilities": [-1, float("-inf"), -1]}},
        "$.generator.log_probabilities[1]: is impossible under the generator",
    ),
    "a reference that never says any": (
        {**LAWS, "reference": {"probabilities": [0, 0, 0]}},
        "$.reference: gives every candidate probability 0: no reply can be shown",
    ),
    "an offset that is no boolean": ({**PAIR, "offset": 1}, "$.offset: "),
    "an unknown field": (
        {**PAIR, "candidate": []},
        "$: field is unknown (got 'candidate'): did you mean 'candidates'?",
    ),
    "an unknown field of an agent": (
        changed("agents", "A", "reward", to=[1], document=PAIR),
        "$.agents.A: field is unknown (got 'reward'): did you mean 'rewards'?",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_names_its_path_and_the_fix(case: str) -> None:
    problem, said = REFUSED[case]
    assert refusal(problem).startswith(said)


@pytest.mark.parametrize("whole", [LAWS, WHOLE], ids=["laws", "whole"])
def test_a_value_of_the_wrong_type_is_named(whole: Document) -> None:
    require_wrong_types_named(whole)


@settings(max_examples=examples(60))
@given(st.data())
def test_a_document_with_anything_anywhere(data: st.DataObject) -> None:
    require_strange_values_placed(data, [PAIR, LAWS, ODDS, WHOLE])


def test_a_document_with_something_missing() -> None:
    require_missing_parts_placed(WHOLE)


NEEDS_VALUES = re.compile(
    "few|many|odds of|impossible|never|of zero|negative|above|without a ref|NaN|infin"
)


@pytest.mark.parametrize("case", [case for case in REFUSED if not NEEDS_VALUES.search(case)])
def test_the_schema_refuses_what_the_command_refuses(schema: Document, case: str) -> None:
    with pytest.raises(ValidationError):
        validator(schema, "Problem").validate(REFUSED[case][0])
