"""Problem files: what comes out, what is refused, and how it is said."""

from __future__ import annotations

import copy
import json
import math
import os
import re
import signal
import subprocess
import sys
import threading
import tomllib
from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from documents import (
    ROOT,
    UMBRELLA,
    Document,
    answer,
    changed,
    documented,
    lines,
    paths,
    places_its_refusal,
    refusal,
    refused,
    run,
    solved,
    validator,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError

import mechproof.problems
from mechproof.problems.kinds import kinds


@pytest.fixture(scope="module")
def example() -> Document:
    found: Document = json.loads(run("example", "information", "--format", "json").stdout)
    return found


# --- What comes out -------------------------------------------------------------------------------


def test_an_answer_by_hand() -> None:
    assert solved(UMBRELLA) == {
        "kind": "information",
        "version": 1,
        "arithmetic": "exact",
        "prior": {
            "picked": "umbrella",
            "maximisers": ["umbrella"],
            "rule": "lowest index",
            "expected_utility": "-3/4",
        },
        "impossible": [],
        "values": [
            {
                "goods": ["report"],
                "price": "1/4",
                "ex_ante": "1/2",
                "ex_post": [
                    {
                        "revealed": {"weather": "wet"},
                        "probability": "1/4",
                        "choice": {
                            "picked": "umbrella",
                            "maximisers": ["umbrella"],
                            "rule": "lowest index",
                            "expected_utility": "0",
                        },
                        "value": "-1/4",
                    },
                    {
                        "revealed": {"weather": "fine"},
                        "probability": "3/4",
                        "choice": {
                            "picked": "none",
                            "maximisers": ["none"],
                            "rule": "lowest index",
                            "expected_utility": "0",
                        },
                        "value": "3/4",
                    },
                ],
                "realised": {"rain": "-1/4", "dry": "3/4"},
                "gap": "0",
            }
        ],
    }


def log(value: str | Fraction) -> Decimal:
    with localcontext(prec=60):
        a = Fraction(value)
        return (Decimal(a.numerator) / a.denominator).ln()


def weighted(*terms: tuple[str | int, Decimal]) -> Decimal:
    with localcontext(prec=60):
        factors = [(Fraction(c), x) for c, x in terms]
        return sum((x * c.numerator / c.denominator for c, x in factors), Decimal(0))


def encloses(found: Document, value: Decimal) -> bool:
    """Whether the bounds hold the value, and are tight to 29 of its digits."""
    lower, upper = Decimal(found["lower"]), Decimal(found["upper"])
    with localcontext(prec=60):
        return lower <= value <= upper and upper - lower <= abs(value) * Decimal("1e-29")


@pytest.mark.parametrize("file_format", ["toml", "json"])
def test_the_example_is_example_2_1_of_volition(file_format: str, tmp_path: Path) -> None:
    text = run("example", "information", "--format", file_format).stdout
    file = tmp_path / f"example.{file_format}"
    file.write_text(text, encoding="utf-8")
    found = answer(run("solve", str(file)))
    assert found["arithmetic"] == "certified"
    assert found["prior"]["picked"] == "1/10"
    claim, context, both = found["values"]
    assert [v["goods"] for v in (claim, context, both)] == [
        ["claim"],
        ["context"],
        ["claim", "context"],
    ]
    after_claim = claim["ex_post"][1]
    assert after_claim["revealed"] == {"claim": 1}
    assert after_claim["choice"]["picked"] == "2/5"
    assert after_claim["value"]["closed_form"] == "7/5·log(2) - 3/5·log(3)"
    assert encloses(after_claim["value"], weighted(("7/5", log("2")), ("-3/5", log("3"))))
    assert math.isclose(float(after_claim["value"]["lower"]), 0.3112, abs_tol=1e-4)
    after_both = both["ex_post"][3]
    assert after_both["revealed"] == {"claim": 1, "context": 1}
    assert after_both["choice"]["picked"] == "1/5"
    divergence = weighted(("1/5", log("2")), ("4/5", log(Fraction(8, 9))))
    assert encloses(after_both["value"], divergence)
    for state, gain in {"O11": log("4"), "F11": log(Fraction(2, 3))}.items():
        assert encloses(claim["realised"][state], gain)
    for state, gain in {"O11": log("2"), "F11": log(Fraction(8, 9))}.items():
        assert encloses(both["realised"][state], gain)
    assert all(Decimal(v["gap"]) < Decimal("1e-50") for v in found["values"])


def test_an_enclosure_that_misses_or_is_wide_is_seen() -> None:
    assert encloses({"lower": "0.69", "upper": "0.70"}, log("2")) is False
    assert encloses({"lower": "0.7", "upper": "0.7"}, log("2")) is False


@pytest.mark.parametrize(("rule", "kind"), [("brier", "exact"), ("spherical", "certified")])
def test_other_scores(rule: str, kind: str, example: Document) -> None:
    found = solved(changed("forecast", "rule", to=rule, document=example))
    assert found["arithmetic"] == kind
    value = found["values"][0]["ex_post"][1]["value"]
    if rule == "brier":
        assert Fraction(value) == (Fraction(2, 5) - Fraction(1, 10)) ** 2
    else:
        with localcontext(prec=60):
            length = Decimal("0.52").sqrt() - Decimal("0.58") / Decimal("0.82").sqrt()
        assert encloses(value, length)


def test_small_differences_keep_their_digits() -> None:
    half = Fraction(1, 2) + Fraction(1, 10**20)
    document = {
        "kind": "information",
        "states": {"a": str(half / 2), "b": str((1 - half) / 2), "c": "1/4", "d": "1/4"},
        "variables": {"v": {"a": 0, "b": 0, "c": 1, "d": 1}},
        "forecast": {"rule": "log", "event": ["a", "c"]},
        "goods": [{"name": "g", "reveals": ["v"]}],
    }
    (found,) = solved(document)["values"]
    lower, upper = Decimal(found["ex_ante"]["lower"]), Decimal(found["ex_ante"]["upper"])
    second_order = Decimal("0.5e-40")
    assert 0 < lower < upper
    assert abs(lower - second_order) < Decimal("1e-50")
    assert upper - lower < Decimal("1e-68")


def test_values_that_look_alike_are_different() -> None:
    document = changed("states", to={"a": "1/3", "b": "1/3", "c": "1/3"})
    document["variables"] = {"v": {"a": True, "b": 1, "c": "1"}}
    document["utilities"] = {"x": {"a": 1, "b": 0, "c": 0}, "y": {"a": 0, "b": 0, "c": 2}}
    document["goods"][0] |= {"reveals": ["v"], "price": 0}
    revealed = [each["revealed"]["v"] for each in solved(document)["values"][0]["ex_post"]]
    assert [(type(v), v) for v in revealed] == [(bool, True), (int, 1), (str, "1")]
    known = solved({**document, "known": {"v": 1}})
    assert known["impossible"] == ["a", "c"]


def test_what_is_known_is_conditioned_on(example: Document) -> None:
    found = solved({**example, "known": {"claim": 1, "context": 1}})
    assert found["prior"]["picked"] == "1/5"
    assert set(found["impossible"]) == set(example["states"]) - {"O11", "F11"}
    assert all(set(v["realised"]) == {"O11", "F11"} for v in found["values"])
    assert {v["ex_ante"] for v in found["values"]} == {"0"}


def test_impossible_states_have_no_realised_value() -> None:
    document = changed("states", to={"rain": "1/4", "dry": "3/4", "never": 0})
    for row in (*document["variables"].values(), *document["utilities"].values()):
        row["never"] = 5
    found = solved(document)
    assert found["impossible"] == ["never"]
    assert found["values"] == solved(UMBRELLA)["values"]


def test_an_event_may_be_the_value_of_a_variable(example: Document) -> None:
    states = [s for s, v in example["variables"]["claim"].items() if v == 1]
    listed = changed("forecast", "event", to=states, document=example)
    named = changed("forecast", "event", to={"variable": "claim", "value": 1}, document=example)
    assert solved(listed) == solved(named)


def test_bundles_add_their_prices() -> None:
    document = changed("goods", to=[])
    document["variables"]["coin"] = {"rain": 0, "dry": 0}
    document["goods"] = [
        {"name": "report", "reveals": ["weather"], "price": "1/4"},
        {"name": "blank", "reveals": [], "price": "0.5"},
        {"name": "coin", "reveals": ["coin"], "price": -1},
    ]
    found = solved(document)["values"]
    assert [v["goods"] for v in found] == [
        ["report"],
        ["blank"],
        ["coin"],
        ["report", "blank", "coin"],
    ]
    assert [v["ex_ante"] for v in found] == ["1/2", "-1/2", "1", "1"]
    some = solved({**document, "bundles": [["coin", "report"]]})["values"]
    assert [v["goods"] for v in some[3:]] == [["coin", "report"]]
    assert (some[3]["price"], some[3]["ex_ante"]) == ("-3/4", "3/2")
    assert some[3]["ex_post"][0]["revealed"] == {"coin": 0, "weather": "wet"}
    assert len(solved({**document, "bundles": []})["values"]) == 3


def test_ties_are_all_named_and_the_first_is_picked() -> None:
    document = changed("utilities", to={a: {"rain": 1, "dry": 1} for a in "zyx"})
    assert solved(document)["prior"] == {
        "picked": "z",
        "maximisers": ["z", "y", "x"],
        "rule": "lowest index",
        "expected_utility": "1",
    }


def test_the_gap_is_that_of_the_recheck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("theory.information.recheck_value", lambda *_: Fraction(1, 3))
    assert solved(UMBRELLA)["values"][0]["gap"] == "0.34"


# --- Against sums over states, which import nothing of ours ---------------------------------------


def by_definition(document: Document) -> Document:
    """Value the goods of a table problem by eqs. (1) and (2) of volition."""
    p = {w: Fraction(x) for w, x in document["states"].items()}
    u = {a: {w: Fraction(x) for w, x in r.items()} for a, r in document["utilities"].items()}

    def best(event: list[str]) -> str:
        return max(u, key=lambda a: sum(p[w] * u[a][w] for w in event))

    possible = [w for w in p if p[w]]
    blind, values = best(possible), []
    for good in document["goods"]:
        price = Fraction(good["price"])
        shown = {w: [repr(document["variables"][v][w]) for v in good["reveals"]] for w in possible}
        blocks = {w: [o for o in possible if shown[o] == shown[w]] for w in possible}
        realised = {w: u[best(blocks[w])][w] - u[blind][w] - price for w in possible}
        ex_post = {
            w: sum(p[o] * realised[o] for o in block) / sum(p[o] for o in block)
            for w, block in blocks.items()
        }
        values.append(
            {
                "realised": {w: str(x) for w, x in realised.items()},
                "ex_post": list(
                    {tuple(block): str(ex_post[w]) for w, block in blocks.items()}.values()
                ),
                "ex_ante": str(sum((p[w] * realised[w] for w in possible), Fraction(0))),
            }
        )
    return {"picked": blind, "values": values}


small = st.integers(-3, 3).flatmap(lambda a: st.integers(1, 3).map(lambda b: str(Fraction(a, b))))


@st.composite
def tables(draw: st.DrawFn) -> Document:
    states = [f"w{k}" for k in range(draw(st.integers(1, 4)))]
    weights = draw(st.lists(st.integers(0, 4), min_size=len(states), max_size=len(states)))
    assume(sum(weights))

    def row(value: st.SearchStrategy[Any]) -> Document:
        return {w: draw(value) for w in states}

    return {
        "kind": "information",
        "states": {w: str(Fraction(x, sum(weights))) for w, x in zip(states, weights, strict=True)},
        "variables": {"v": row(st.integers(0, 2)), "t": row(st.sampled_from(["0", 0, False]))},
        "utilities": {a: row(small) for a in "xyz"[: draw(st.integers(1, 3))]},
        "goods": [
            {"name": "g", "reveals": ["v"], "price": draw(small)},
            {"name": "h", "reveals": ["v", "t"], "price": draw(small)},
        ],
        "bundles": [],
    }


def forecasts() -> st.SearchStrategy[Document]:
    def forecast(table: Document, rule: str, size: int) -> Document:
        event = list(table["states"])[:size]
        rest = {key: value for key, value in table.items() if key != "utilities"}
        return {**rest, "forecast": {"rule": rule, "event": event}}

    rules = st.sampled_from(["log", "brier", "spherical"])
    return st.builds(forecast, tables(), rules, st.integers(0, 3))


@given(tables())
def test_tables_agree_with_the_definitions(document: Document) -> None:
    found, expected = solved(document), by_definition(document)
    assert found["prior"]["picked"] == expected["picked"]
    for good, value in zip(found["values"], expected["values"], strict=True):
        assert good["realised"] == value["realised"]
        assert [each["value"] for each in good["ex_post"]] == value["ex_post"]
        assert good["ex_ante"] == value["ex_ante"]
        assert good["gap"] == "0"


def interval(number: Any) -> tuple[Fraction, Fraction]:
    if isinstance(number, str):
        return Fraction(number), Fraction(number)
    return Fraction(number["lower"]), Fraction(number["upper"])


@given(forecasts())
def test_forecasts_agree_with_floats(document: Document) -> None:
    rule, event = document["forecast"]["rule"], set(document["forecast"]["event"])
    p = {w: float(Fraction(x)) for w, x in document["states"].items() if Fraction(x)}

    def score(x: float, w: str) -> float:
        y = x if w in event else 1 - x
        if rule == "log":
            return math.log(y)
        return -((1 - y) ** 2) if rule == "brier" else y / math.hypot(x, 1 - x)

    def belief(block: list[str]) -> float:
        hit = [w for w in block if w in event]
        if len(hit) in {0, len(block)}:
            return float(bool(hit))
        return sum(p[w] for w in hit) / sum(p[w] for w in block)

    found = solved(document)
    for good in found["values"]:
        price = float(Fraction(good["price"]))
        names = list(good["ex_post"][0]["revealed"])
        ex_ante = 0.0
        shown = {w: [repr(document["variables"][v][w]) for v in names] for w in p}
        for w, weight in p.items():
            block = [o for o in p if shown[o] == shown[w]]
            gain = score(belief(block), w) - score(belief(list(p)), w) - price
            lower, upper = interval(good["realised"][w])
            assert lower - Fraction(1, 10**9) <= Fraction(gain) <= upper + Fraction(1, 10**9)
            ex_ante += weight * gain
        lower, upper = interval(good["ex_ante"])
        assert lower - Fraction(1, 10**9) <= Fraction(ex_ante) <= upper + Fraction(1, 10**9)


# --- Changes that must leave the values as they are ----------------------------------------------


def choices(found: Document) -> Iterator[Document]:
    yield found["prior"]
    yield from (each["choice"] for v in found["values"] for each in v["ex_post"])


@settings(max_examples=40)
@given(st.one_of(tables(), forecasts()), st.randoms(use_true_random=False))
def test_the_order_of_states_does_not_matter(document: Document, random: Any) -> None:
    states = list(document["states"])
    random.shuffle(states)
    moved = {**document, "states": {w: document["states"][w] for w in states}}
    one, other = solved(document), solved(moved)
    assert one["prior"] == other["prior"]
    for a, b in zip(one["values"], other["values"], strict=True):
        assert interval(a["ex_ante"]) == interval(b["ex_ante"])
        assert {w: interval(x) for w, x in a["realised"].items()} == {
            w: interval(x) for w, x in b["realised"].items()
        }


@settings(max_examples=40)
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_actions_matters_to_ties_only(document: Document, random: Any) -> None:
    actions = list(document["utilities"])
    random.shuffle(actions)
    moved = {**document, "utilities": {a: document["utilities"][a] for a in actions}}
    one, other = solved(document), solved(moved)
    for a, b in zip(choices(one), choices(other), strict=True):
        assert set(a["maximisers"]) == set(b["maximisers"])
    assert [v["ex_ante"] for v in one["values"]] == [v["ex_ante"] for v in other["values"]]
    if all(len(choice["maximisers"]) == 1 for choice in choices(one)):
        assert one == other


@settings(max_examples=40)
@given(tables(), st.integers(1, 7), st.integers(1, 7))
def test_values_scale_with_utilities_and_prices(document: Document, a: int, b: int) -> None:
    factor = Fraction(a, b)
    scaled = copy.deepcopy(document)
    for row in scaled["utilities"].values():
        row.update({w: str(factor * Fraction(x)) for w, x in row.items()})
    for good in scaled["goods"]:
        good["price"] = str(factor * Fraction(good["price"]))
    for one, other in zip(solved(document)["values"], solved(scaled)["values"], strict=True):
        assert factor * Fraction(one["ex_ante"]) == Fraction(other["ex_ante"])
        for w, x in one["realised"].items():
            assert factor * Fraction(x) == Fraction(other["realised"][w])


@settings(max_examples=40)
@given(tables(), st.lists(st.integers(-5, 5), min_size=4, max_size=4))
def test_what_no_action_changes_does_not_matter(document: Document, shift: list[int]) -> None:
    by_state = dict(zip(document["states"], shift, strict=False))
    shifted = copy.deepcopy(document)
    for row in shifted["utilities"].values():
        row.update({w: str(Fraction(x) + by_state[w]) for w, x in row.items()})
    for one, other in zip(solved(document)["values"], solved(shifted)["values"], strict=True):
        assert one["realised"] == other["realised"]
        assert [e["value"] for e in one["ex_post"]] == [e["value"] for e in other["ex_post"]]
        assert one["ex_ante"] == other["ex_ante"]


@settings(max_examples=40)
@given(st.one_of(tables(), forecasts()))
def test_a_state_may_be_split_in_two(document: Document) -> None:
    split = copy.deepcopy(document)
    half = str(Fraction(document["states"]["w0"]) / 2)
    split["states"] |= {"w0": half, "twin": half}
    for row in (*split["variables"].values(), *split.get("utilities", {}).values()):
        row["twin"] = row["w0"]
    if "forecast" in split and "w0" in split["forecast"]["event"]:
        split["forecast"]["event"].append("twin")
    for one, other in zip(solved(document)["values"], solved(split)["values"], strict=True):
        assert interval(one["ex_ante"]) == interval(other["ex_ante"])
        for w, x in other["realised"].items():
            assert interval(x) == interval(one["realised"]["w0" if w == "twin" else w])


# --- Numbers are read as they are written ---------------------------------------------------------


@pytest.mark.parametrize(
    "tenth", ["0.1", '"0.1"', '"1/10"', "0.10", "1e-1", '" 10/100 "', '".1"', "100E-3", '"+1/10"']
)
def test_a_tenth_is_a_tenth(tenth: str) -> None:
    text = json.dumps(changed("states", to={"rain": "HERE", "dry": "9/10"}))
    plain = run("solve", "--format", "json", "-", stdin=text.replace('"HERE"', tenth).encode())
    assert answer(plain) == solved(changed("states", to={"rain": "1/10", "dry": "9/10"}))


def test_no_digit_is_lost() -> None:
    price = "0.1000000000000000000000000000000000000001"
    text = json.dumps(changed("goods", 0, "price", to="HERE"))
    exact = f"1{'0' * 38}1/1{'0' * 40}"
    for written in (price, f'"{price}"'):
        found = answer(run("solve", "-", stdin=text.replace('"HERE"', written).encode()))
        assert Fraction(found["values"][0]["price"]) == Fraction(exact)


def test_toml_numbers_may_have_underscores() -> None:
    text = """
        kind = "information"
        states = { a = 0.000_5, b = 0.999_5 }
        [utilities]
        act = { a = 1_000, b = 0x10 }
    """
    found = answer(run("solve", "-", stdin=text.encode()))
    assert found["prior"]["expected_utility"] == str(Fraction(1, 2) + 16 * Fraction(1999, 2000))


def test_answers_longer_than_python_writes_by_default() -> None:
    p, q = "1/" + "3" * 3000, "1/" + "7" * 3001
    document = changed("goods", 0, "price", to=p)
    document["utilities"]["umbrella"]["dry"] = f"-{q}"
    found = solved(document)["values"][0]["ex_ante"]
    assert len(found) > 2 * sys.get_int_max_str_digits()
    top, bottom = (int(part) for half in found.split("/") for part in [Decimal(half)])
    assert Fraction(top, bottom) == Fraction(3, 4) * Fraction(q) - Fraction(p)
    states = {"rain": p, "dry": q}
    assert refusal(changed("states", to=states)).startswith("$.states: ")
    assert sys.get_int_max_str_digits() == 4300


# --- What is refused ------------------------------------------------------------------------------

REFUSED = {
    "a probability that is negative": (
        changed("states", to={"rain": "-1/4", "dry": "5/4"}),
        "$.states: probability of 'rain' is negative",
    ),
    "a sum other than one": (
        changed("states", "dry", to=0.5),
        "$.states: probabilities do not sum to one (got '3/4')",
    ),
    "a sum that only floats would take for one": (
        changed("states", to={"rain": "0.25", "dry": "0.75000000000000000000001"}),
        "$.states: probabilities do not sum to one",
    ),
    "NaN": (changed("states", "dry", to=math.nan), "$.states.dry: value is not a number"),
    "infinity": (changed("goods", 0, "price", to=math.inf), "$.goods[0].price: value is not a num"),
    "no state": (changed("states", to={}), "$.states: "),
    "a state without a utility": (
        changed("utilities", "none", to={"rain": 0}),
        "$.utilities.none: has no entry for the state 'dry'",
    ),
    "a utility in no state": (
        changed("utilities", "none", to={"rain": 0, "dry": 1, "dyr": 1}),
        "$.utilities.none.dyr: state is unknown (got 'dyr'): did you mean 'dry'?",
    ),
    "a variable without a value": (
        changed("variables", "weather", to={"dry": 0}),
        "$.variables.weather: has no entry for the state 'rain'",
    ),
    "a good that reveals an unknown variable": (
        changed("goods", 0, "reveals", to=["weather", "wether"]),
        "$.goods[0].reveals[1]: variable is unknown (got 'wether'): did you mean 'weather'?",
    ),
    "a price that is no number": (
        changed("goods", 0, "price", to="cheap"),
        "$.goods[0].price: value is not a number as we read them (got 'cheap')",
    ),
    "a price that is true": (
        changed("goods", 0, "price", to=True),
        "$.goods[0].price: value is not a number",
    ),
    "a zero denominator": (
        changed("goods", 0, "price", to="1/0"),
        "$.goods[0].price: value has a zero denominator",
    ),
    "a huge exponent": (
        changed("goods", 0, "price", to="1e999999999999999999999"),
        "$.goods[0].price: value has an exponent beyond",
    ),
    "two goods of one name": (
        changed("goods", to=UMBRELLA["goods"] * 2),
        "$.goods[1].name: 'report' names another good too",
    ),
    "an unknown good in a bundle": (
        {**UMBRELLA, "bundles": [["report", "repot"]]},
        "$.bundles[0][1]: good is unknown (got 'repot'): did you mean 'report'?",
    ),
    "a good twice in a bundle": (
        {**UMBRELLA, "bundles": [["report", "report"]]},
        "$.bundles[0]: names a good twice",
    ),
    "an unknown variable known": (
        {**UMBRELLA, "known": {"wether": 1}},
        "$.known.wether: variable is unknown (got 'wether'): did you mean 'weather'?",
    ),
    "a value that is never taken": (
        {**UMBRELLA, "known": {"weather": "weet"}},
        "$.known.weather: value of weather is taken in no state",
    ),
    "knowledge of probability zero": (
        {**changed("states", to={"rain": 0, "dry": 1}), "known": {"weather": "wet"}},
        "$.known: event has probability zero",
    ),
    "nothing to decide": (
        {key: value for key, value in UMBRELLA.items() if key != "utilities"},
        "$: has neither utilities nor a forecast",
    ),
    "two things to decide": (
        {**UMBRELLA, "forecast": {"rule": "log", "event": ["rain"]}},
        "$: has both utilities and a forecast",
    ),
    "no action": (changed("utilities", to={}), "$.utilities: "),
    "an unknown field": (
        changed("goods", 0, to={"name": "g", "reveals": [], "pirce": 1}),
        "$.goods[0]: field is unknown (got 'pirce'): did you mean 'price'?",
    ),
    "a field that looks like a place": ({**UMBRELLA, "x - at `$.known.y": 1}, "$"),
    "an unknown kind": (
        {"kind": "informatoin"},
        "$.kind: kind is unknown (got 'informatoin'): did you mean 'information'?",
    ),
    "no kind": ({}, '$: has no "kind": known are game, information, inspection'),
    "a list": ([], "$: is not a table"),
    "half a surrogate pair": (
        changed("states", to={"\ud83d": 1}),
        '$.states["\\ud83d"]: holds half a surrogate pair',
    ),
}

FORECASTS = {
    "an unknown rule": ({"rule": "logg", "event": []}, "$.forecast.rule: rule is unknown", "'log'"),
    "an unknown state": (
        {"rule": "log", "event": ["rain", "dri"]},
        "$.forecast.event[1]: state is unknown (got 'dri')",
        "'dry'",
    ),
    "an unknown variable": (
        {"rule": "log", "event": {"variable": "wether", "value": 1}},
        "$.forecast.event.variable: variable is unknown",
        "'weather'",
    ),
    "a value that is never taken": (
        {"rule": "log", "event": {"variable": "weather", "value": 1}},
        "$.forecast.event.value: value of weather is taken in no state",
        "fine",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_names_its_path(case: str) -> None:
    document, said = REFUSED[case]
    assert refusal(document).startswith(said)


@pytest.mark.parametrize("case", FORECASTS)
def test_what_is_refused_in_a_forecast_names_its_path(case: str) -> None:
    forecast, said, hint = FORECASTS[case]
    rest = {key: value for key, value in UMBRELLA.items() if key != "utilities"}
    found = refusal({**rest, "forecast": forecast})
    assert found.startswith(said)
    assert hint in found


@pytest.mark.parametrize(
    ("text", "file_format", "said"),
    [
        (b"", "json", "is empty"),
        (b"\n \n", "auto", "is empty"),
        (b"", "jsonl", "is empty"),
        (b'{\n  "kind": }', "json", "line 2, column 11: Expecting value"),
        (b'{"kind": "a"} x', "json", "line 1, column 15: Extra data"),
        (b'{"a": 1, "a": 2}', "json", '$: has the key "a" twice'),
        (b'{"goods": [0, {"a": 1, "b": 2, "a": 1}]}', "json", '$.goods[1]: has the key "a" twice'),
        (b'{"id": ' + b"9" * 5000 + b"}", "json", "$.id: has more than 4000 digits"),
        (b'{"id": [' + b"[" * 99999, "json", "$: is nested too deeply"),
        (b'{"kind": "\xff"}', "json", "line 1, column 11: is not UTF-8 text (byte 0xff)"),
        (b"a = 1\n\nb =", "toml", "line 3, column 4: Invalid value"),
        (b"a = 1\na = 2\n", "toml", "line 2, column 6: Cannot overwrite a value"),
        (b"a = 1\nb = " + b"9" * 5000, "toml", "line 2, column 5: an integer has more than 4000"),
        (b"a = [0x" + b"f" * 5000 + b"]", "toml", "$.a[0]: has more than 4000 digits"),
        (b'a = """\n\n', "toml", "line 3, column 1: Unterminated string"),
        (b"a = " + b"[" * 99999, "toml", "$: is nested too deeply"),
        (b"a = 1\n\xc3(", "toml", "line 2, column 1: is not UTF-8 text (byte 0xc3)"),
        (b'kind = "information"\nstates = { a = nan }', "toml", "$.states.a: value is not a num"),
        (b'kind = "information"\nstates = { a = 1979-05-27 }', "toml", "$.states.a: value is not"),
        (b"plain words", "auto", "line 1, column 7: Expected '=' after a key"),
    ],
)
def test_what_cannot_be_read_names_its_line_or_path(
    text: bytes, file_format: str, said: str
) -> None:
    assert refusal(text, file_format).startswith(said)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for file in (tmp_path, tmp_path / "missing.json"):
        result = run("solve", str(file))
        assert result.exit_code == 2
        assert result.stdout == ""
        assert re.fullmatch(rf"{re.escape(str(file))}: cannot be read \(.+\)\n", result.stderr)


WHOLE: Document = {
    **UMBRELLA,
    "id": 7,
    "known": {"weather": "wet"},
    "bundles": [["report", "blank"]],
    "goods": [*UMBRELLA["goods"], {"name": "blank", "reveals": []}],
}


@pytest.mark.parametrize(("keys", "path"), list(paths(WHOLE)))
def test_a_value_of_the_wrong_type_is_named(keys: tuple[str | int, ...], path: str) -> None:
    found = refusal(changed(*keys, to=None, document=WHOLE))
    assert found.split(": ")[0] == path


def test_the_wrong_type_is_found_among_many() -> None:
    states: Document = {f"w{k}": "1/1000" for k in range(1000)}
    for bad in ("w0", "w1", "w500", "w998", "w999"):
        found = refusal({**UMBRELLA, "states": {**states, bad: []}})
        assert found.startswith(f"$.states.{bad}: ")


def test_of_several_wrong_types_the_first_is_named() -> None:
    states: Document = {f"w{k}": k for k in range(9)}
    rows: Document = {action: states.copy() for action in "abc"}
    rows["b"] |= {"w7": None, "w8": None}
    rows["c"]["w0"] = None
    document = {**UMBRELLA, "utilities": rows, "goods": None}
    assert refusal(document).startswith("$.utilities.b.w7: ")


@pytest.mark.parametrize("file_format", ["toml", "json"])
def test_a_document_cut_anywhere(file_format: str) -> None:
    text = documented("toml")[0].encode() if file_format == "toml" else json.dumps(WHOLE).encode()
    for cut in range(len(text)):
        result = run("solve", "--format", file_format, "-", stdin=text[:cut])
        assert places_its_refusal(result), text[:cut]


strange = st.sampled_from(
    [None, True, 0, -1, "x", "", "1/3", [], {}, [None], {"a": 1}, 1.5, 10**30]
)


@given(st.data())
def test_a_document_with_anything_anywhere(example: Document, data: st.DataObject) -> None:
    document = data.draw(st.sampled_from([WHOLE, example]))
    for _ in range(data.draw(st.integers(1, 3))):
        keys = data.draw(st.sampled_from([keys for keys, _ in paths(document)]))
        document = changed(*keys, to=data.draw(strange), document=document)
    result = run("solve", "--format", "json", "-", stdin=json.dumps(document).encode())
    assert places_its_refusal(result)


@pytest.mark.parametrize("keys", [keys for keys, _ in paths(WHOLE) if keys])
def test_a_document_with_something_missing(keys: tuple[str | int, ...]) -> None:
    document = copy.deepcopy(WHOLE)
    here: Any = document
    for key in keys[:-1]:
        here = here[key]
    del here[keys[-1]]
    assert places_its_refusal(
        run("solve", "--format", "json", "-", stdin=json.dumps(document).encode())
    )


@given(st.binary(max_size=60), st.sampled_from(["json", "toml", "auto", "jsonl"]))
def test_any_bytes(data: bytes, file_format: str) -> None:
    result = run("solve", "--format", file_format, "-", stdin=data)
    assert result.exit_code in {0, 2}
    assert "Traceback" not in result.output
    assert bool(result.stdout_bytes) != bool(result.stderr)


# --- Formats and JSON Lines -----------------------------------------------------------------------


def test_the_format_is_found_by_itself(tmp_path: Path) -> None:
    pretty = json.dumps(UMBRELLA, indent=1)
    compact = json.dumps(UMBRELLA)
    for name in ("problem.json", "problem", "problem.txt"):
        for text in (pretty, compact, "\ufeff" + pretty, "\n\n" + compact + "\n\n"):
            (tmp_path / name).write_text(text, encoding="utf-8")
            assert answer(run("solve", str(tmp_path / name))) == solved(UMBRELLA)
    for name in ("lines.jsonl", "lines.NDJSON", "lines", "lines.json"):
        (tmp_path / name).write_text(f"{compact}\n\n{compact}\n", encoding="utf-8")
        result = run("solve", str(tmp_path / name))
        assert result.exit_code == 0
        assert lines(result) == [solved(UMBRELLA)] * 2
    assert lines(run("solve", "-", stdin=compact.encode())) == [solved(UMBRELLA)]
    assert answer(run("solve", "-", stdin=pretty.encode())) == solved(UMBRELLA)


def test_a_document_is_printed_to_be_read_and_a_line_as_a_line() -> None:
    text = json.dumps(UMBRELLA).encode()
    assert run("solve", "--format", "json", "-", stdin=text).stdout.startswith('{\n  "kind"')
    assert run("solve", "--format", "jsonl", "-", stdin=text).stdout.count("\n") == 1


def test_a_bad_line_is_answered_and_the_rest_goes_on() -> None:
    text = b"\n".join(
        [
            json.dumps({**UMBRELLA, "id": "first"}).encode(),
            b"",
            b'{"kind": "information", "id": 3',
            json.dumps({**changed("states", "dry", to=None), "id": 4}).encode(),
            b'{"id": "\xff"}',
            b"[]",
            json.dumps({**UMBRELLA, "id": True}).encode(),
            json.dumps({**UMBRELLA, "id": 8}).encode(),
        ]
    )
    result = run("solve", "-", stdin=text)
    assert result.exit_code == 2
    assert result.stderr == ""
    found = lines(result)
    assert [each.get("id") for each in found] == ["first", None, 4, None, None, None, 8]
    assert {**solved(UMBRELLA), "id": "first"} == found[0]
    errors = [each["error"] for each in found if "error" in each]
    assert [(e["line"], e["column"], e["path"]) for e in errors] == [
        (3, 32, None),
        (4, None, "$.states.dry"),
        (5, 9, None),
        (6, None, "$"),
        (7, None, "$.id"),
    ]
    assert all(e["message"] for e in errors)


def test_lines_without_a_fault_are_status_0() -> None:
    text = json.dumps(UMBRELLA).encode() + b"\n"
    assert run("solve", "-", stdin=text * 3).exit_code == 0


@pytest.fixture
def simulator() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start the command with open pipes; what still runs after a minute is killed."""
    started: list[tuple[subprocess.Popen[bytes], threading.Timer]] = []

    def start(*arguments: str) -> subprocess.Popen[bytes]:
        code = (
            "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
            f"from mechproof.cli import main; main({list(arguments)!r})"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        watchdog = threading.Timer(60, process.kill)
        watchdog.start()
        started.append((process, watchdog))
        return process

    yield start
    for process, watchdog in started:
        watchdog.cancel()
        process.kill()
        process.communicate()


def ask(process: subprocess.Popen[bytes], document: Document) -> Document:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(document).encode() + b"\n")
    process.stdin.flush()
    found: Document = json.loads(process.stdout.readline())
    return found


def test_one_process_answers_line_by_line(
    simulator: Callable[..., subprocess.Popen[bytes]],
) -> None:
    process = simulator("solve", "-")
    for k in range(3):
        assert ask(process, {**UMBRELLA, "id": k}) == {**solved(UMBRELLA), "id": k}
    assert ask(process, {"kind": "nothing", "id": 3})["error"]["path"] == "$.kind"
    assert ask(process, {**UMBRELLA, "id": 4})["id"] == 4
    out, err = process.communicate()
    assert (process.returncode, out, err) == (2, b"", b"")


def test_a_reader_that_goes_away_ends_it_quietly(
    simulator: Callable[..., subprocess.Popen[bytes]],
) -> None:
    process = simulator("solve", "--format", "jsonl", "-")
    ask(process, UMBRELLA)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    process.stdin.write(json.dumps(UMBRELLA).encode() + b"\n")
    process.stdin.flush()
    assert process.wait() == 141
    assert process.stderr.read() == b""


def test_an_interrupt_ends_it_quietly(simulator: Callable[..., subprocess.Popen[bytes]]) -> None:
    process = simulator("solve", "-")
    ask(process, UMBRELLA)
    process.send_signal(signal.SIGINT)
    assert process.wait() == 130
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()


# --- Schemas, examples, kinds ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def schema() -> Document:
    found: Document = json.loads(run("schema", "information").stdout)
    return found


def test_the_schema_is_one_and_describes_every_field(schema: Document) -> None:
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    for name, each in schema["$defs"].items():
        assert each["description"], name
        for field, about in each.get("properties", {}).items():
            assert about["description"], f"{name}.{field}"
            assert each["additionalProperties"] is False


def test_examples_answers_and_failures_fit_the_schema(schema: Document, example: Document) -> None:
    known = {**UMBRELLA, "known": {"weather": "wet"}, "id": "a"}
    spherical = changed("forecast", "rule", to="spherical", document=example)
    for problem in (example, UMBRELLA, WHOLE, known, spherical):
        validator(schema, "Problem").validate(problem)
        validator(schema, "Answer").validate(solved(problem))
        Draft202012Validator(schema).validate(problem)
    for bad in (b"{", b"[]", b'{"id": 3, "kind": 0}'):
        for failure in lines(run("solve", "--format", "jsonl", "-", stdin=bad)):
            validator(schema, "Failure").validate(failure)
            Draft202012Validator(schema).validate(failure)


@pytest.mark.parametrize(
    "fault",
    [
        changed("states", to={}),
        changed("states", "dry", to="three"),
        changed("states", "dry", to="1/0"),
        changed("goods", 0, "price", to=None),
        changed("goods", 0, to={"name": "g"}),
        changed("variables", "weather", "dry", to=None),
        changed("kind", to="other"),
        {key: value for key, value in UMBRELLA.items() if key != "utilities"},
        {**UMBRELLA, "forecast": {"rule": "log", "event": []}},
        {**UMBRELLA, "bundles": [["report"]]},
        {**UMBRELLA, "extra": 1},
    ],
)
def test_the_schema_refuses_what_the_command_refuses(schema: Document, fault: Document) -> None:
    with pytest.raises(ValidationError):
        validator(schema, "Problem").validate(fault)
    refusal(fault)


@pytest.mark.parametrize("number", [0.5, 1, "0.5", "1/0", "-0/-1", {"lower": "0"}, None])
def test_the_schema_tells_an_answer_from_no_answer(schema: Document, number: object) -> None:
    found = solved(UMBRELLA)
    found["values"][0]["ex_ante"] = number
    with pytest.raises(ValidationError):
        validator(schema, "Answer").validate(found)


@given(st.from_regex(r"[ +-]?[0-9]{0,2}[./eE]?[+-]?[0-9]{0,2}[eE/]?[0-9]{0,2} ?", fullmatch=True))
def test_the_schema_and_the_command_read_the_same_numbers(schema: Document, text: str) -> None:
    assume(re.search(r"[eE][+-]?[0-9]{4}", text) is None)
    pattern = schema["$defs"]["Number"]["anyOf"][1]["pattern"]
    document = changed("goods", 0, "price", to=text)
    result = run("solve", "--format", "json", "-", stdin=json.dumps(document).encode())
    assert (result.exit_code == 0) == bool(re.search(pattern, text))


def test_the_example_is_the_same_in_both_formats(example: Document) -> None:
    assert tomllib.loads(run("example", "information").stdout) == example


def test_the_schema_of_the_report() -> None:
    published = (ROOT / "mechproof/schemas/verify-1.schema.json").read_text("utf-8")
    assert run("schema", "verify").stdout == published


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["schema", "informaton"], "did you mean 'information'?"),
        (["schema", "verfy"], "did you mean 'verify'?"),
        (["example", "informaton"], "did you mean 'information'?"),
        (["example", "qqqq"], "known are game, information, inspection"),
    ],
)
def test_an_unknown_kind_names_the_nearest(arguments: list[str], hint: str) -> None:
    assert hint in refused(run(*arguments))


TOY = '''
from typing import Annotated, Literal

from msgspec import Meta

from mechproof.problems.kinds import AnswerBase, ProblemBase, ProblemKind


class Problem(ProblemBase, frozen=True, kw_only=True):
    """A number."""

    kind: Annotated[Literal["toy"], Meta(description="The kind.")]
    n: Annotated[int, Meta(description="The number.")]


class Answer(AnswerBase, frozen=True, kw_only=True):
    """Its double."""

    twice: Annotated[int, Meta(description="The double.")]


KIND = ProblemKind("toy", Problem, Answer, lambda p: Answer(twice=2 * p.n), 'kind = "toy"\\nn = 1')
'''


def test_a_kind_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "toy.py").write_text(TOY, encoding="utf-8")
    monkeypatch.setattr(
        mechproof.problems, "__path__", [*mechproof.problems.__path__, str(tmp_path)]
    )
    kinds.cache_clear()
    try:
        assert set(kinds()) == {"game", "information", "inspection", "marginal-value", "toy"}
        text = run("example", "toy").stdout
        assert answer(run("solve", "-", stdin=text.encode())) == {"twice": 2}
        schema = json.loads(run("schema", "toy").stdout)
        assert validator(schema, "Problem").is_valid(tomllib.loads(text))
    finally:
        kinds.cache_clear()


def test_problem_files_load_little() -> None:
    code = (
        "import sys, mechproof.problems.commands, mechproof.problems.kinds as k; k.kinds(); "
        "print({'matplotlib', 'rich', 'sympy', 'jinja2', 'flint'} & set(sys.modules))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    out = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert out.stdout == "set()\n"


@pytest.mark.parametrize("kind", ["information", "inspection", "game", "marginal-value"])
def test_the_documented_answer_is_the_answer(kind: str) -> None:
    pairs = dict(zip(documented("toml"), documented("json"), strict=True))
    ((problem, shown),) = ((p, a) for p, a in pairs.items() if f'kind = "{kind}"' in p)
    assert answer(run("solve", "-", stdin=problem.encode())) == json.loads(shown)
