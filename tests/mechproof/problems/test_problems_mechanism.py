"""Problem files of the kind ``mechanism``: what comes out."""

from __future__ import annotations

import json
import tomllib

import pytest
from documents import (
    UMBRELLA,
    Document,
    answer,
    changed,
    documented,
    lines,
    run,
    solved,
    validator,
)
from jsonschema import Draft202012Validator
from mechanism_files import LISTED, LOTTERY, SALE, by_name

from mechproof.problems.kinds.mechanism.findings import with_names


@pytest.fixture(scope="module")
def example() -> Document:
    found: Document = json.loads(run("example", "mechanism", "--format", "json").stdout)
    return found


@pytest.fixture(scope="module")
def schema() -> Document:
    found: Document = json.loads(run("schema", "mechanism").stdout)
    return found


# --- By hand --------------------------------------------------------------------------------------


def test_the_example_by_hand(example: Document) -> None:
    """Ann of type high pays 3, her own bid, against a bid of 1; any lower bid costs her 1."""
    found = solved(example)
    assert found["words"] == [
        "dsic fails: Ann of type 'high' gains 2 by reporting 'low' when Bob reports 'low'.",
        "bic fails: Ann of type 'high' gains 3/4 in expectation by reporting 'low' when the "
        "others tell the truth.",
        "What holds: individually_rational, no_positive_transfers, efficient.",
        "With the payments listed under implementable the rule is truthful, and no type loses.",
    ]
    dsic, bic = (by_name(found)[name]["witness"] for name in ("dsic", "bic"))
    assert dsic["agents"] == bic["agents"] == ["Ann"]
    assert (dsic["types"], dsic["lies"], dsic["gain"]) == (
        {"Ann": "high", "Bob": "low"},
        ["low"],
        "2",
    )
    assert dsic["sides"][0] == {
        "what": "truth: reports ('high', 'low')",
        "comes_to": "allocation 'to Ann'; payments (3, 0)",
    }
    # high: 1/2 · 0 + 1/4 · 1 + 1/4 · 0 for the truth; low: 1/2 · 2
    assert (bic["types"], bic["lies"], bic["gain"]) == ({"Ann": "high"}, ["low"], "3/4")
    assert by_name(found)["bic"]["slack"] == "-1"  # mid: 1/2 · (2 - 3) less than by nothing
    paid = {tuple(row["reports"]): row["payments"] for row in found["implementable"]["payments"]}
    assert paid["high", "low"] == ["1", "0"]
    assert paid["low", "mid"] == ["0", "2"]
    assert found["implementable"]["holds"]
    assert {each["gap"] for each in [*found["findings"], found["implementable"]]} == {"0"}


def test_the_mended_example_is_truthful(example: Document) -> None:
    mended = changed("table", 6, "payments", to=[1, 0], document=example)
    assert {each["status"] for each in solved(mended)["findings"]} == {"holds"}
    assert solved({**example, "epsilon": 2})["words"][0].startswith("What holds: dsic, bic, ")
    almost = by_name(solved({**example, "epsilon": "1.99"}))["dsic"]
    assert (almost["slack"], almost["witness"]["gain"]) == ("-1/100", "1/100")


def test_a_choice_of_outcomes_that_no_payments_save() -> None:
    """The cool buyer gets the boat and the keen one does not."""
    wrong = changed("table", 1, "outcome", to="kept", document=SALE)
    found = solved({**wrong, "properties": [], "implementable": True})
    assert found["findings"] == []
    assert found["implementable"] == {
        "holds": False,
        "cycle": {
            "agent": "buyer",
            "others": {"seller": "owner"},
            "steps": [
                {
                    "type": "cool",
                    "passes_for": "keen",
                    "worth": "1",
                    "would_be_worth": "0",
                    "gain": "-1",
                },
                {
                    "type": "keen",
                    "passes_for": "cool",
                    "worth": "0",
                    "would_be_worth": "3",
                    "gain": "3",
                },
            ],
            "total": "-2",
        },
        "gap": "0",
    }
    assert found["words"] == [
        "No payments make the rule truthful. When seller reports 'owner', before payments, buyer "
        "of type 'cool' would lose 1 as 'keen', and type 'keen' would gain 3 as 'cool'. To deter "
        "them, payments would have to rise by as much from each type to the next: by 2 in all, "
        "back to where they began."
    ]


def test_lotteries_priors_and_payments_left_out() -> None:
    """keen: 3 - 3/2 by the truth, 3/2 by a lie; cool: 1/2 by the truth, 1 - 3/2 by a lie."""
    found = solved({**LOTTERY, "epsilon": 0})
    slacks = [by_name(found)[name]["slack"] for name in ("dsic", "bic")]
    assert (found["id"], slacks) == (7, ["0", "0"])
    backwards = {**LOTTERY, "prior": dict(reversed(LOTTERY["prior"].items()))}
    assert solved(backwards) == solved(LOTTERY)
    scope = by_name(solved(LISTED))["bic"]["scope"]
    assert scope == {"instances": 2, "met_hypotheses": 1, "exhausted": True}


def test_without_a_prior_all_is_checked_but_what_needs_one() -> None:
    plain, prior = (by_name(solved(each)) for each in (SALE, {**SALE, "prior": LOTTERY["prior"]}))
    assert set(prior) - set(plain) == {"bic", "interim_individually_rational"}
    (asked,) = solved({**SALE, "properties": ["bic"]})["findings"]
    assert (asked["status"], asked["strength"]) == ("vacuous", "tested")
    assert plain["anonymous"]["reason"] == "no two agents are alike"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("agent 1 of type 'agent 0' pays", "Bo of type 'agent 0' pays"),
        ('types "it\'s agent 1" of agent 0', 'types "it\'s agent 1" of Al'),
        ("agents 0 and 1 of types 'a\\' agent 0'", "Al and Bo of types 'a\\' agent 0'"),
    ],
)
def test_agents_are_named_and_types_left_alone(said: str, meant: str) -> None:
    assert with_names(said, ["Al", "Bo"]) == meant


# --- Schema, formats, documentation ---------------------------------------------------------------


def test_the_schema_describes_every_field(schema: Document) -> None:
    Draft202012Validator.check_schema(schema)
    for name, each in schema["$defs"].items():
        assert each["description"], name
        for field, about in each.get("properties", {}).items():
            assert about["description"], f"{name}.{field}"
            assert each["additionalProperties"] is False


def test_problems_and_their_answers_fit_the_schema(schema: Document, example: Document) -> None:
    kept = changed("table", 1, "outcome", to="kept", document=SALE)
    for problem in (example, SALE, LOTTERY, LISTED, {**kept, "implementable": True}):
        validator(schema, "Problem").validate(problem)
        validator(schema, "Answer").validate(solved(problem))
        assert not validator(schema, "Problem").is_valid(solved(problem))


def test_the_example_is_the_same_in_both_formats(example: Document) -> None:
    assert tomllib.loads(run("example", "mechanism").stdout) == example


def test_the_documented_answer_is_the_answer() -> None:
    pairs = zip(documented("toml"), documented("json"), strict=True)
    ((problem, shown),) = ((p, a) for p, a in pairs if 'kind = "mechanism"' in p)
    assert answer(run("solve", "-", stdin=problem.encode())) == json.loads(shown)


def test_lines_of_several_kinds() -> None:
    problems = [SALE, {**UMBRELLA, "id": 2}, {**SALE, "table": [], "id": 3}]
    first, second, third = lines(
        run("solve", "-", stdin="\n".join(map(json.dumps, problems)).encode())
    )
    assert (first, second) == (solved(SALE), {**solved(UMBRELLA), "id": 2})
    assert (third["error"]["path"], third["error"]["line"], third["id"]) == ("$.table", 3, 3)
