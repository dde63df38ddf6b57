"""Problem files that are none: what is refused, and how it is said."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest
from documents import (
    UMBRELLA,
    WHOLE,
    Document,
    changed,
    documented,
    places_its_refusal,
    refusal,
    refused,
    require_missing_parts_placed,
    require_strange_values_placed,
    require_wrong_types_named,
    run,
)
from hypothesis import given
from hypothesis import strategies as st


@pytest.fixture(scope="module")
def example() -> Document:
    found: Document = json.loads(run("example", "information", "--format", "json").stdout)
    return found


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
    "no kind": (
        {},
        '$: has no "kind": known are ascending-auction, fixed-point, game, information',
    ),
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


def test_a_value_of_the_wrong_type_is_named() -> None:
    require_wrong_types_named(WHOLE)


def test_the_wrong_type_is_found_among_many() -> None:
    states: Document = {f"w{k}": "1/1000" for k in range(1000)}
    for bad in ("w0", "w1", "w500", "w998", "w999"):
        found = refusal({**UMBRELLA, "states": {**states, bad: []}})
        assert found.startswith(f"$.states.{bad}: ")


@pytest.mark.parametrize("states", [1, 12_000])
def test_counting_long_numbers_ends_at_the_limit(states: int) -> None:
    names = [f"s{k}" for k in range(12_000)]
    row = {name: f"1/{(1 << 62) + 256 * k + 1}" for k, name in enumerate(names)}
    document = {
        **UMBRELLA,
        "states": dict.fromkeys(names[:states], f"1/{states}"),
        "variables": {"weather": dict.fromkeys(names[:states], "wet")},
        "utilities": {"a": row},
    }
    result = run("solve", "--seconds=20", "--format=json", "-", stdin=json.dumps(document).encode())
    assert "by the length of numbers, more than the limit of 1,500,000" in refused(result)


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


@given(st.data())
def test_a_document_with_anything_anywhere(example: Document, data: st.DataObject) -> None:
    require_strange_values_placed(data, [WHOLE, example])


def test_a_document_with_something_missing() -> None:
    require_missing_parts_placed(WHOLE)


@given(st.binary(max_size=60), st.sampled_from(["json", "toml", "auto", "jsonl"]))
def test_any_bytes(data: bytes, file_format: str) -> None:
    result = run("solve", "--format", file_format, "-", stdin=data)
    assert result.exit_code in {0, 2}
    assert "Traceback" not in result.output
    assert bool(result.stdout_bytes) != bool(result.stderr)
