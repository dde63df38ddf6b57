"""Problem files of the kind ``inspection``: what comes out, what is refused, how it is said."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

import pytest
from documents import (
    Document,
    changed,
    refusal,
    require_strange_values_placed,
    require_wrong_types_named,
    run,
    solved,
    validator,
)
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import ValidationError

HINT: Document = {
    "kind": "inspection",
    "protocol": "recursive",
    "states": {"low": "1/3", "high": "2/3"},
    "variables": {"state": {"low": "low", "high": "high"}},
    "utilities": {"a": {"low": 3, "high": 0}, "b": {"low": 0, "high": 1}},
    "levels": [[{"name": "report", "reveals": ["state"], "price": 0.5}]],
}
"""One good reveals the state (volition, Theorem 3.3)."""


@pytest.fixture(scope="module")
def example() -> Document:
    found: Document = json.loads(run("example", "inspection", "--format", "json").stdout)
    return found


@pytest.fixture(scope="module")
def schema() -> Document:
    found: Document = json.loads(run("schema", "inspection").stdout)
    return found


def by(protocol: str, document: Document, **settings: Any) -> Document:
    """Return the document with another protocol and its settings."""
    return {**document, "protocol": protocol, **settings}


# --- By hand --------------------------------------------------------------------------------------


def test_an_answer_by_hand() -> None:
    """Low: a is done anyway. High: a would pay 0, b pays 1 less the price."""
    nothing, report = {"level": 1, "goods": []}, {"level": 1, "goods": ["report"]}
    low: Document = {"known": {"state": "low"}, "states": ["low"], "probability": "1/3"}
    high: Document = {"known": {"state": "high"}, "states": ["high"], "probability": "2/3"}
    blind = {"known": {}, "states": ["low", "high"], "probability": "1"}
    assert solved(HINT) == {
        "kind": "inspection",
        "version": 1,
        "protocol": "recursive",
        "ties": "fewest",
        "value": "4/3",
        "spending": "1/3",
        "impossible": [],
        "outcomes": {
            "low": {"purchases": [nothing], "action": "a", "spending": "0", "payoff": "3"},
            "high": {"purchases": [report], "action": "b", "spending": "1/2", "payoff": "1/2"},
        },
        "words": [
            "Level 1, knowing state=low: buy nothing.",
            "Level 1, knowing state=high: buy report.",
            "Action, after buying nothing: a.",
            "Action, after buying report, knowing state=high: b.",
        ],
        "policy": [
            {"level": 1, "purchases": [], **low, "reached": "1/3", "buy": [], "expected": "3"},
            {
                "level": 1,
                "purchases": [],
                **high,
                "reached": "2/3",
                "buy": ["report"],
                "expected": "1/2",
            },
            {
                "level": 0,
                "purchases": [nothing],
                **blind,
                "reached": "1/3",
                "action": "a",
                "expected": "1",
            },
            {
                "level": 0,
                "purchases": [report],
                **low,
                "reached": "0",
                "action": "a",
                "expected": "5/2",
            },
            {
                "level": 0,
                "purchases": [report],
                **high,
                "reached": "2/3",
                "action": "b",
                "expected": "1/2",
            },
        ],
        "gap": "0",
    }


def test_the_best_admissible_protocol_signals() -> None:
    """Buying the report says "low", whatever it says; not buying it says "high"."""
    found = solved(by("optimal", HINT))
    assert (found["value"], found["spending"]) == ("3/2", "1/6")
    assert {w: each["payoff"] for w, each in found["outcomes"].items()} == {
        "low": "5/2",
        "high": "1",
    }
    assert "ties" not in found
    assert (found["gap"], found["certificate"]["upper_bound"]) == ("0", "3/2")


BY_HAND: dict[str, tuple[str, str, list[str], list[str]]] = {
    "successive": (
        "-3/8",
        "1/8",
        ["-1/8", "-9/8", "-1/8"],
        [
            "Level 2: buy nothing.",
            "Level 1, after buying nothing: buy report.",
            "Action, after buying report, knowing report=wet: umbrella.",
            "Action, after buying report, knowing report=fine: none.",
        ],
    ),
    "recursive": (
        "-3/32",
        "3/32",
        ["0", "-1/8", "-1/8"],
        [
            "Level 2, knowing report=wet and reporter=reliable: buy nothing.",
            "Level 2, knowing report=wet and reporter=unreliable: buy record.",
            "Level 2, knowing report=fine and reporter=reliable: buy nothing.",
            "Level 1, after buying nothing, knowing report=wet: buy nothing.",
            "Level 1, after buying nothing, knowing report=fine: buy report.",
            "Level 1, after buying record, knowing report=wet and reporter=unreliable: "
            "buy nothing.",
            "Action, after buying nothing: umbrella.",
            "Action, after buying report, knowing report=fine: none.",
            "Action, after buying record, knowing reporter=unreliable: none.",
        ],
    ),
    "optimal": (
        "-1/32",
        "1/32",
        ["-1/8", "0", "0"],
        [
            "Level 2, knowing report=wet and reporter=reliable: buy record.",
            "Level 2, knowing report=wet and reporter=unreliable: buy nothing.",
            "Level 2, knowing report=fine and reporter=reliable: buy nothing.",
            "Level 1, after buying nothing, knowing report=wet: buy nothing.",
            "Level 1, after buying nothing, knowing report=fine: buy nothing.",
            "Level 1, after buying record, knowing report=wet and reporter=reliable: buy nothing.",
            "Action, after buying nothing: none.",
            "Action, after buying record, knowing reporter=reliable: umbrella.",
        ],
    ),
}


@pytest.mark.parametrize("protocol", BY_HAND)
def test_the_example_by_hand(example: Document, protocol: str) -> None:
    value, spending, payoffs, words = BY_HAND[protocol]
    found = solved(by(protocol, example))
    assert found["protocol"] == protocol
    assert (found["value"], found["spending"], found["gap"]) == (value, spending, "0")
    assert [each["payoff"] for each in found["outcomes"].values()] == payoffs
    assert found["words"] == words


def test_the_example_says_what_its_protocols_are_worth() -> None:
    text = run("example", "inspection").stdout
    said = dict(re.findall(r'^#   "(\w+)" +(\S+) ', text, flags=re.M))
    assert said == {protocol: value for protocol, (value, *_) in BY_HAND.items()}


# --- Settings -------------------------------------------------------------------------------------


def test_values_that_look_alike_are_different() -> None:
    problem = changed("states", to={"x": "1/3", "y": "1/3", "z": "1/3"}, document=HINT)
    problem["variables"] = {"state": {"x": True, "y": 1, "z": "1"}}
    problem["utilities"] = {a: {w: int(a == w) for w in "xyz"} for a in "xyz"}
    problem["levels"][0][0]["price"] = "1/4"
    known = [node["known"]["state"] for node in solved(problem)["policy"][:3]]
    assert [(type(v), v) for v in known] == [(bool, True), (int, 1), (str, "1")]


def test_ties_go_as_asked() -> None:
    free = changed("levels", 0, 0, "price", to=0, document=HINT)
    bought = {
        rule: solved({**free, "ties": rule})["outcomes"]["low"] for rule in ("fewest", "most")
    }
    assert bought["fewest"]["purchases"] == [{"level": 1, "goods": []}]
    assert bought["most"]["purchases"] == [{"level": 1, "goods": ["report"]}]
    assert solved(free)["outcomes"]["low"] == bought["fewest"]


def test_single_goods_are_not_bought_together() -> None:
    problem: Document = {
        "kind": "inspection",
        "protocol": "successive",
        "states": dict.fromkeys(("pp", "pq", "qp", "qq"), "1/4"),
        "variables": {
            name: {w: w[k] for w in ("pp", "pq", "qp", "qq")} for k, name in enumerate("st")
        },
        "utilities": {
            "same": {"pp": 1, "pq": 0, "qp": 0, "qq": 1},
            "other": {"pp": 0, "pq": 1, "qp": 1, "qq": 0},
        },
        "levels": [[{"name": name, "reveals": [name], "price": "1/8"} for name in "st"]],
    }
    both, one = solved(problem), solved({**problem, "offers": "single goods"})
    assert (both["value"], one["value"]) == ("3/4", "1/2")
    assert both["words"][0] == "Level 1: buy s and t."
    assert one["words"] == ["Level 1: buy nothing.", "Action, after buying nothing: same."]


@pytest.mark.parametrize(
    ("protocol", "recheck"),
    [
        ("successive", "theory.inspection._successive.gap_and_share"),
        ("recursive", "theory.inspection._inspection.walk_and_share"),
        ("optimal", "theory.inspection._inspection.walk_and_share"),
    ],
)
def test_the_gap_is_that_of_the_recheck(
    protocol: str, recheck: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert solved(by(protocol, HINT))["gap"] == "0"
    monkeypatch.setattr(recheck, lambda *_: (Fraction(1, 3), 0.0))
    assert solved(by(protocol, HINT))["gap"] == "0.34"


# --- What is refused ------------------------------------------------------------------------------

FREE = {"name": "free", "reveals": []}


def many(goods: int) -> list[Document]:
    return [{"name": f"g{j}", "reveals": []} for j in range(goods)]


REFUSED = {
    "an unknown protocol": (
        by("recursiv", HINT),
        "$.protocol: protocol is unknown (got 'recursiv'): did you mean 'recursive'?",
    ),
    "no protocol": (
        {key: value for key, value in HINT.items() if key != "protocol"},
        "$: object missing required field `protocol`",
    ),
    "unknown ties": (
        {**HINT, "ties": "fewst"},
        "$.ties: ties is unknown (got 'fewst'): did you mean 'fewest'?",
    ),
    "unknown offers": (
        by("successive", HINT, offers="singles"),
        "$.offers: offers is unknown (got 'singles'): did you mean 'single goods'?",
    ),
    "unknown nodes": (
        {**HINT, "nodes": "reach"},
        "$.nodes: nodes is unknown (got 'reach'): did you mean 'reached'?",
    ),
    "offers with recursive": (
        {**HINT, "offers": "subsets"},
        "$.offers: does not apply to the protocol 'recursive'",
    ),
    "ties with optimal": (
        by("optimal", HINT, ties="most"),
        "$.ties: does not apply to the protocol 'optimal'",
    ),
    "no levels": ({**HINT, "levels": []}, "$.levels: "),
    "an empty level": ({**HINT, "levels": [*HINT["levels"], []]}, "$.levels[1]: "),
    "a good twice on a level": (
        {**HINT, "levels": [HINT["levels"][0] * 2]},
        "$.levels[0][1].name: 'report' names another good too",
    ),
    "a good twice": (
        {**HINT, "levels": [*HINT["levels"], [FREE, *HINT["levels"][0]]]},
        "$.levels[1][1].name: 'report' names another good too",
    ),
    "a good that reveals an unknown variable": (
        changed("levels", 0, 0, "reveals", 0, to="stat", document=HINT),
        "$.levels[0][0].reveals[0]: variable is unknown (got 'stat'): did you mean 'state'?",
    ),
    "a price of NaN": (
        changed("levels", 0, 0, "price", to=float("nan"), document=HINT),
        "$.levels[0][0].price: value is not a number",
    ),
    "a sum other than one": (
        changed("states", "low", to="1/2", document=HINT),
        "$.states: probabilities do not sum to one (got '7/6')",
    ),
    "a state without a utility": (
        changed("utilities", "a", to={"low": 3}, document=HINT),
        "$.utilities.a: has no entry for the state 'high'",
    ),
    "a value in no state": (
        changed("variables", "state", "hihg", to=1, document=HINT),
        "$.variables.state.hihg: state is unknown (got 'hihg'): did you mean 'high'?",
    ),
    "no action": ({**HINT, "utilities": {}}, "$.utilities: "),
    "an unknown field": (
        {**HINT, "goods": []},
        "$: field is unknown (got 'goods')",
    ),
    "too many goods": (
        {**HINT, "levels": [many(30)]},
        "$.levels[0]: asks for 1,073,741,824 sets of goods, more than the limit of 4,096: offer "
        "fewer goods on a level",
    ),
    "too many sets of goods": (
        by("successive", HINT, levels=[many(30)]),
        "$.levels[0]: asks for 1,073,741,824 sets of goods, more than the limit of 4,096",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_names_its_path(case: str) -> None:
    problem, said = REFUSED[case]
    assert refusal(problem).startswith(said)


def test_single_goods_may_be_many() -> None:
    single = by("successive", {**HINT, "levels": [many(40)]}, offers="single goods")
    assert len(solved(single)["policy"]) == 42


def test_the_optimum_of_too_large_a_game_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tree: 2 states, each with 1 choice of goods, 2 of an action and 4 ends; and its start."""
    problem = by("optimal", HINT)
    monkeypatch.setattr("theory.inspection._game.MAX_NODES", 15)
    assert solved(problem)["value"] == "3/2"
    monkeypatch.setattr("theory.inspection._game.MAX_NODES", 13)
    said = "$.levels: nodes of the game are more than the limit of 13 (got '14')"
    assert refusal(problem).startswith(said)


@pytest.mark.parametrize(
    ("protocol", "nodes"), [("recursive", 5), ("optimal", 5), ("successive", 4)]
)
def test_no_more_nodes_are_listed_than_the_limit(
    protocol: str, nodes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = by(protocol, HINT)
    monkeypatch.setattr("mechproof.problems.kinds.inspection.nodes.MAX_LISTED", nodes)
    assert len(solved(problem)["policy"]) == nodes
    monkeypatch.setattr("mechproof.problems.kinds.inspection.nodes.MAX_LISTED", nodes - 1)
    said = f"$.nodes: nodes of the policy are more than the limit of {nodes - 1} (got {nodes}): "
    with monkeypatch.context() as patch:  # counted before anything is solved
        patch.setattr("mechproof.problems.kinds.inspection.kind._inspect_question", None)
        assert refusal(problem).startswith(said + 'write nodes = "reached"')
    assert len(solved({**problem, "nodes": "reached"})["policy"]) < nodes


WHOLE: Document = {**HINT, "id": 7, "ties": "most", "nodes": "reached"}


def test_a_value_of_the_wrong_type_is_named() -> None:
    require_wrong_types_named(WHOLE)


@given(st.data())
def test_a_document_with_anything_anywhere(example: Document, data: st.DataObject) -> None:
    require_strange_values_placed(data, [WHOLE, example])


# --- Schemas --------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", ["successive", "recursive", "optimal"])
def test_the_example_and_its_answers_fit_the_schema(
    schema: Document, example: Document, protocol: str
) -> None:
    for problem in (by(protocol, example), by(protocol, HINT, id="a", nodes="reached")):
        validator(schema, "Problem").validate(problem)
        validator(schema, "Answer").validate(solved(problem))
        assert not validator(schema, "Problem").is_valid(solved(problem))


@pytest.mark.parametrize(
    "case",
    [
        "an unknown protocol",
        "no protocol",
        "unknown ties",
        "unknown offers",
        "unknown nodes",
        "offers with recursive",
        "ties with optimal",
        "no levels",
        "an empty level",
        "no action",
        "an unknown field",
    ],
)
def test_the_schema_refuses_what_the_command_refuses(schema: Document, case: str) -> None:
    with pytest.raises(ValidationError):
        validator(schema, "Problem").validate(REFUSED[case][0])
