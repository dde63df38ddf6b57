"""Problem files of the kind ``mechanism``: what comes out, and what wrong problems are told."""

from __future__ import annotations

import copy
import json
import tomllib
from fractions import Fraction
from itertools import islice
from random import Random
from typing import Any

import pytest
from documents import (
    UMBRELLA,
    Document,
    answer,
    changed,
    documented,
    lines,
    paths,
    places_its_refusal,
    refusal,
    run,
    solved,
    validator,
)
from hypothesis import given
from hypothesis import strategies as st
from incentive_rules import Case, cases
from jsonschema import Draft202012Validator, ValidationError
from oracles import implementable as oracle
from oracles import incentives

from mechproof.problems.battery import with_names

SALE: Document = {
    "kind": "mechanism",
    "outcomes": ["sold", "kept"],
    "agents": {
        "buyer": {"cool": {"sold": 1, "kept": 0}, "keen": {"sold": 3, "kept": 0}},
        "seller": {"owner": {"sold": 0, "kept": "1/2"}},
    },
    "table": [
        {"reports": ["cool", "owner"], "outcome": "sold", "payments": [1, -1]},
        {"reports": ["keen", "owner"], "outcome": "sold", "payments": [2, -2]},
    ],
}

LOTTERY: Document = {
    **SALE,
    "id": 7,
    "table": [
        {"reports": ["cool", "owner"], "outcome": {"sold": "1/2", "kept": 0.5}},
        {"reports": ["keen", "owner"], "outcome": "sold", "payments": [1.5, -1]},
    ],
    "prior": {"buyer": {"cool": "1/4", "keen": "3/4"}, "seller": {"owner": 1}},
    "properties": ["dsic", "bic"],
    "epsilon": "1/2",
    "implementable": True,
}
"""Every field; a prior by agent."""

LISTED: Document = {**LOTTERY, "prior": [{"types": ["cool", "owner"], "probability": 1}]}
"""The same with a prior by profile."""


@pytest.fixture(scope="module")
def example() -> Document:
    found: Document = json.loads(run("example", "mechanism", "--format", "json").stdout)
    return found


@pytest.fixture(scope="module")
def schema() -> Document:
    found: Document = json.loads(run("schema", "mechanism").stdout)
    return found


def by_name(found: Document) -> dict[str, Document]:
    return {each["property"]: each for each in found["findings"]}


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


# --- Against brute force, which imports nothing of ours -------------------------------------------

DRAWN = list(islice((case for case in cases(200, seed=8) if case.tables is not None), 20))


def document(case: Case) -> Document:
    assert case.tables is not None
    return {
        "kind": "mechanism",
        "outcomes": list(next(iter(case.tables[0].values()))),
        "agents": {f"#{i}": table for i, table in enumerate(case.tables)},
        "table": [
            {
                "reports": list(reports),
                "outcome": chosen
                if isinstance(chosen, str)
                else {name: str(p) for name, p in chosen.items()},
                "payments": list(map(str, paid)),
            }
            for reports, (chosen, paid) in case.rule.items()
        ],
        "prior": [
            {"types": list(types), "probability": str(p)} for types, p in believed(case).items()
        ],
        "implementable": True,
    }


_SOLVED: dict[str, Document] = {}


def solution(case: Case) -> Document:
    if case.name not in _SOLVED:
        _SOLVED[case.name] = solved(document(case))
    return _SOLVED[case.name]


def believed(case: Case) -> dict[Any, Fraction]:
    rng = Random(case.name)
    weights = {profile: rng.randint(0, 3) for profile in case.rule}
    weights[next(iter(weights))] += 1
    return {p: Fraction(w, sum(weights.values())) for p, w in weights.items() if w}


@pytest.mark.parametrize("case", DRAWN, ids=lambda case: case.name)
def test_the_findings_are_the_oracle_s(case: Case) -> None:
    found = solution(case)
    setting = incentives.Setting(
        case.rule.__getitem__,
        case.types,
        case.value,
        prior=believed(case),
        alternatives=document(case)["outcomes"],
    )
    assert len(found["findings"]) == 13
    for name, finding in by_name(found).items():
        slacks = [slack for _, slack in incentives.SLACKS[name](setting)]
        if not slacks:
            assert finding["status"] == "vacuous"
            continue
        assert finding["status"] == ("refuted" if min(slacks) < 0 else "holds"), name
        assert finding["strength"] == "exact"
        if name != "cyclically_monotone":
            assert Fraction(finding["slack"]) == min(slacks), name
        if min(slacks) < 0:
            assert -Fraction(finding["witness"]["gain"]) in slacks
    assert found["implementable"]["holds"] == all(
        oracle.implementable(*rows) is not None for rows in fibres(setting)
    )
    assert found["implementable"]["gap"] == "0"


def fibres(setting: incentives.Setting) -> list[Any]:
    """For each agent and reports of the others: v(t, f(l)) by t and l."""
    found = []
    for agent in setting.agents:
        kinds = setting.types[agent]
        for first in incentives.contexts(setting, agent):
            line = [incentives.changed(first, agent, kind) for kind in kinds]
            rows = [[incentives.worth(setting, agent, kind, r) for r in line] for kind in kinds]
            found.append((rows, range(len(kinds))))
    return found


def test_the_draw_has_failures_and_passes_of_most_properties() -> None:
    seen = list(map(solution, DRAWN))
    for name in ("dsic", "bic", "efficient", "weakly_monotone", "individually_rational"):
        assert {by_name(each)[name]["status"] for each in seen} == {"holds", "refuted"}, name
    assert {each["implementable"]["holds"] for each in seen} == {True, False}


# --- Changes that must leave the answer as it is --------------------------------------------------


@pytest.mark.parametrize("case", DRAWN[:5], ids=lambda case: case.name)
def test_the_order_of_rows_and_new_names_do_not_matter(case: Case) -> None:
    problem = document(case)
    backwards = {**problem, "table": problem["table"][::-1], "prior": problem["prior"][::-1]}
    one = solution(case)
    assert solved(backwards) == one

    def renamed(text: Document) -> Document:
        for old, new in (("#", "Number "), ('"mid"', '"medium"'), ("'mid'", "'medium'")):
            text = json.loads(json.dumps(text).replace(old, new))
        return text

    assert solved(renamed(problem)) == renamed(one)


@pytest.mark.parametrize("case", DRAWN[:5], ids=lambda case: case.name)
def test_slacks_scale_with_values_and_payments(case: Case) -> None:
    one = document(case)
    large = {
        **one,
        "agents": {
            agent: {t: {o: f"{3 * v}/7" for o, v in row.items()} for t, row in table.items()}
            for agent, table in one["agents"].items()
        },
        "table": [
            {**row, "payments": [str(Fraction(p) * 3 / 7) for p in row["payments"]]}
            for row in one["table"]
        ],
    }
    before, after = by_name(solution(case)), by_name(solved(large))
    for name, finding in before.items():
        assert after[name]["status"] == finding["status"]
        if "slack" in finding:
            assert Fraction(after[name]["slack"]) == Fraction(finding["slack"]) * 3 / 7


# --- What is refused ------------------------------------------------------------------------------

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
    for keys, place in paths(whole):
        assert refusal(changed(*keys, to=None, document=whole)).split(": ")[0] == place


strange = st.sampled_from([None, True, 0, -1, "x", "inf", "1/3", [], {}, [[]], {"a": 1}, 1.5])


@given(st.data())
def test_a_document_with_anything_anywhere(data: st.DataObject) -> None:
    problem = data.draw(st.sampled_from([SALE, LOTTERY, LISTED]))
    for _ in range(data.draw(st.integers(1, 3))):
        keys = data.draw(st.sampled_from([keys for keys, _ in paths(problem)]))
        problem = changed(*keys, to=data.draw(strange), document=problem)
    text = json.dumps(problem).encode()
    assert places_its_refusal(run("solve", "--format", "json", "-", stdin=text))


@pytest.mark.parametrize("whole", [LOTTERY, LISTED], ids=["by agent", "by profile"])
def test_a_document_with_something_missing(whole: Document) -> None:
    for keys in [keys for keys, _ in paths(whole) if keys]:
        problem = copy.deepcopy(whole)
        here: Any = problem
        for key in keys[:-1]:
            here = here[key]
        del here[keys[-1]]
        text = json.dumps(problem).encode()
        assert places_its_refusal(run("solve", "--format", "json", "-", stdin=text)), keys


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
def test_the_schema_refuses_what_the_command_refuses(schema: Document, case: str) -> None:
    with pytest.raises(ValidationError):
        validator(schema, "Problem").validate(REFUSED[case][0])


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
