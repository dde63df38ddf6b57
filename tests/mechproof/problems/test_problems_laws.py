"""Answers of the kind ``information`` against sums over states, and under changes."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from documents import (
    Document,
    solved,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sweeps import examples

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


@settings(max_examples=examples(40))
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


@settings(max_examples=examples(40))
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


@settings(max_examples=examples(40))
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


@settings(max_examples=examples(40))
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


@settings(max_examples=examples(40))
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
