"""Problem files of the kind ``information``: what comes out."""

from __future__ import annotations

import json
import math
import sys
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import pytest
from documents import (
    UMBRELLA,
    Document,
    answer,
    changed,
    refusal,
    run,
    solved,
)

from mechproof.problems.shared.answers import whole_numbers


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
    monkeypatch.setattr("theory.information.gap_and_share", lambda *_: (Fraction(1, 3), 0.0))
    assert solved(UMBRELLA)["values"][0]["gap"] == "0.34"


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


def test_threads_that_write_long_answers_leave_pythons_limit_as_it_was() -> None:
    first, second = whole_numbers(), whole_numbers()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert len(str(10**5000)) == 5001
    second.__exit__(None, None, None)
    assert sys.get_int_max_str_digits() == 4300
