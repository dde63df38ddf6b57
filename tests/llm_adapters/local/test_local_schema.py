"""Which schemas a local model can be held to, and what numbers and strings may look like."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from local_toy import toy_weights

from llm_adapters.errors import MissingAnswerError, MissingCapabilityError
from llm_adapters.local import LocalChat
from llm_adapters.local._json_forms import ArrayForm, Either, Number, Options, Record, StringForm
from llm_adapters.local._numerals import Numeral
from llm_adapters.local._schema import form_of
from llm_adapters.local._strings import PLAIN, Pieces, complete
from llm_adapters.session import Session
from mechanisms.protocols import Message
from theory.errors import InvalidInputError, LimitError

ASKED = [Message("user", "ab")]
AB = {"enum": ["a", "ab"]}


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


# --- numbers


def literals(places: int) -> list[str]:
    """Return all plain decimals below 130 in size, with up to so many digits after the point."""
    found = [
        f"{sign}{whole}{'.' if digits else ''}{part:0{digits}d}" if digits else f"{sign}{whole}"
        for sign in ("", "-")
        for whole in range(130)
        for digits in range(places + 1)
        for part in range(10**digits if digits else 1)
    ]
    return [text for text in found if text[0] != "-" or Decimal(text) != 0]


@pytest.mark.parametrize("places", [0, 1])
@pytest.mark.parametrize(
    ("least", "most"), [(-12, 3), (0, 0), (7, 7), (-125, -9), (95, 120), (3, 45), (1, 129), (-1, 1)]
)
def test_numbers_and_their_beginnings_against_a_list(least: int, most: int, places: int) -> None:
    numeral = Numeral(least * 10**places, most * 10**places, places)
    every = literals(places)
    inside = {text for text in every if least <= Decimal(text) <= most}
    assert {text for text in every if numeral.fits(text)} == inside
    begun = {text[:k] for text in inside for k in range(len(text) + 1)}
    starts = {text[:k] for text in every for k in range(len(text) + 1)}
    tried = {start + c for start in starts for c in ("", ".", "-", "0")}
    assert {text for text in tried | begun if numeral.begins(text)} == begun
    assert set(numeral.openings) == {text[0] for text in inside}
    assert numeral.longest >= max(map(len, inside))


@pytest.mark.parametrize(
    "text", ["01", "1.", ".5", "+1", "1e3", "-0", "-0.0", "٣", " 1", "1 ", "--1"]
)
def test_what_is_no_number_of_ours(text: str) -> None:
    assert not Numeral(-(10**6), 10**6, 2).fits(text)


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
def test_the_ends_of_bounds_are_within_them(
    a: float, b: float, above: bool, below: bool, whole: bool
) -> None:
    low, high = (Fraction(str(x)) for x in sorted((a, b)))
    numeral = Numeral.within(low, high, exclusive=(above, below), whole=whole)
    for size in (numeral.least, numeral.most):
        text = f"{Decimal(size).scaleb(-numeral.places):f}"
        value = float(text)
        inside = (a < value or not above) and (value < b or not below) if a <= b else True
        assert numeral.empty or ((min(a, b) <= value <= max(a, b) and inside) or a > b)
        assert numeral.empty or len(text.strip("-0.").replace(".", "")) <= 15


# --- strings


def is_inside(text: str) -> bool:
    try:
        return isinstance(json.loads(f'"{text}"'), str) and not any(
            "\ud800" <= c <= "\udfff" for c in json.loads(f'"{text}"')
        )
    except ValueError:
        return False


@given(st.text(st.sampled_from('\\"ud8D0fbn a\né\x1f'), max_size=12), st.integers(0, 5) | st.none())
def test_the_longest_part_that_can_stand_in_a_string(text: str, most: int | None) -> None:
    wanted = max(
        (
            part
            for part in (text[:k] for k in range(len(text) + 1))
            if is_inside(part) and (most is None or len(json.loads(f'"{part}"')) <= most)
        ),
        key=len,
    )
    assert complete(text, most) == wanted


def test_pieces_after_a_backslash() -> None:
    pieces = Pieces(("", "n", "u00", "x", '"', 'n"', "\\", "ud8", "ud7", "12", " 1", "."))
    tokens, states, lengths = pieces.after(PLAIN)
    assert [pieces.texts[t] for t in tokens] == [
        "n",
        "u00",
        "x",
        "\\",
        "ud8",
        "ud7",
        "12",
        " 1",
        ".",
    ]
    escape = int(states[tokens.tolist().index(6)])
    tokens, states, lengths = pieces.after(escape)
    assert [pieces.texts[t] for t in tokens] == ["n", "u00", '"', "\\", "ud7"]
    assert lengths.tolist() == [1, 0, 1, 1, 0]
    assert [pieces.texts[t] for t in pieces.opening('n"')] == ["n", 'n"', '"']
    assert [pieces.texts[t] for t in pieces.numeric] == ["12", " 1", "."]


# --- schemas


def test_what_pydantic_writes() -> None:
    from typing import Annotated, Literal

    from pydantic import BaseModel, ConfigDict, Field

    class Inner(BaseModel):
        model_config = ConfigDict(extra="forbid")
        verdict: Literal["buy", "pass"]
        price: Annotated[float, Field(ge=0, le=10)] | Literal["keep"]

    class Form(BaseModel):
        """What is asked for."""

        code: Literal["xyz"]
        inner: Inner
        many: list[Inner] = Field(max_length=2)
        maybe: Literal["é", 3] | None = None
        text: Annotated[str, Field(max_length=9)] | None
        count: Annotated[int, Field(gt=0, lt=3)]

    found = form_of(Form.model_json_schema())
    assert isinstance(found, Record)
    fields = dict(found.fields)
    assert fields['"code"'] == Options(('"xyz"',))
    inner = fields['"inner"']
    assert isinstance(inner, Record)
    price = dict(inner.fields)['"price"']
    assert price == Either(('"keep"',), (Number(Numeral(0, 100_000, 4)),))
    assert fields['"many"'] == ArrayForm(inner, 0, 2)
    assert fields['"maybe"'] == Options(('"é"', "3", "null"))
    assert fields['"text"'] == Either(("null",), (StringForm(9),))
    assert fields['"count"'] == Number(Numeral(1, 2, 0))


REFUSED: dict[str, tuple[Any, str]] = {
    "itself": ({"$ref": "#"}, "refers to itself"),
    "a circle": (
        {"$ref": "#/$defs/a", "$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}}}},
        "refers to itself",
    ),
    "elsewhere": ({"$ref": "http://example.com/a"}, "not in [$]defs"),
    "nowhere": ({"$ref": "#/$defs/a"}, "is not there"),
    "pattern": ({"type": "string", "pattern": "a"}, "has pattern"),
    "minLength": ({"type": "string", "minLength": 1}, "has minLength"),
    "multipleOf": ({"type": "integer", "multipleOf": 2}, "has multipleOf"),
    "unique": ({"type": "array", "items": {"const": 1}, "uniqueItems": True}, "has uniqueItems"),
    "oneOf": ({"oneOf": [{"const": 1}]}, "has oneOf"),
    "const beside": ({"const": 1, "minimum": 0}, "has minimum beside others"),
    "no type": ({}, "has no type"),
    "type": ({"type": "text"}, "'text', which is none"),
    "type list": ({"type": []}, "no list"),
    "no schema": ({"type": "array", "items": True}, "an item of the answer has a schema"),
    "anything": ({"type": "array"}, "array of anything"),
    "open": ({"type": "object", "additionalProperties": {"type": "null"}}, "additionalProperties"),
    "required": ({"type": "object", "required": ["a"]}, "nothing is said"),
    "bounds": ({"type": "integer", "minimum": 1, "maximum": 0}, "no number"),
    "between": ({"type": "integer", "minimum": 0.1, "maximum": 0.9}, "no number"),
    "huge": ({"type": "integer", "minimum": 10**400}, "no number"),
    "tiny": ({"type": "number", "exclusiveMinimum": 0, "maximum": 5e-324}, "no number"),
    "NaN": ({"type": "number", "minimum": float("nan")}, "no number"),
    "bool": ({"type": "integer", "minimum": True}, "no number"),
    "counts": ({"type": "array", "items": {"const": 1}, "minItems": 2, "maxItems": 1}, "nothing"),
    "count": ({"type": "string", "maxLength": -1}, "no count"),
    "nothing": ({"enum": [1, 2], "type": "string"}, "nothing fits"),
    "empty": ({"enum": []}, "empty"),
    "constant": ({"const": float("inf")}, "no JSON"),
    "alike": ({"anyOf": [{"type": "string"}, {"const": "a"}]}, "begin alike"),
    "alike too": ({"anyOf": [{"type": "number"}, {"type": "integer"}]}, "begin alike"),
    "named": (
        {"type": "object", "properties": {"x": {"type": "string", "format": "date"}}},
        "'x' in the answer has format",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("schema", "problem"), REFUSED.values(), ids=REFUSED)
def test_schemas_that_nothing_is_held_to(schema: Any, problem: str) -> None:
    with pytest.raises(MissingCapabilityError, match=problem) as caught:
        form_of(schema)
    assert "instruction" in caught.value.fix


def test_schemas_that_are_too_deep_or_too_wide() -> None:
    deep: Any = {"type": "boolean"}
    for _ in range(100):
        deep = {"type": "array", "items": deep}
    with pytest.raises(MissingCapabilityError, match="too deeply"):
        form_of(deep)
    wide: dict[str, Any] = {"d0": {"type": "boolean"}}
    for k in range(1, 40):
        one = {"$ref": f"#/$defs/d{k - 1}"}
        wide[f"d{k}"] = {"type": "object", "properties": {"a": one, "b": one}}
    with pytest.raises(MissingCapabilityError, match="too many parts"):
        form_of({"$ref": "#/$defs/d39", "$defs": wide})


# --- the chat


def test_a_chat_is_held_to_a_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    chat = LocalChat(toy_weights(monkeypatch), max_tokens=12, temperature=1.0)
    seen = {chat.chat(ASKED, rng(seed), schema=AB) for seed in range(40)}
    assert seen == {'"a"', '"ab"'}
    assert chat.for_agent("other").schema_mode == "auto"


def test_what_cannot_be_held_is_refused_or_said(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = toy_weights(monkeypatch)
    schema = {"type": "string", "pattern": "a"}
    with pytest.raises(MissingCapabilityError, match="pattern"):
        LocalChat(weights, max_tokens=2, schema_mode="schema").chat(ASKED, rng(), schema=schema)
    for mode, each in (("auto", schema), ("instruction", AB)):
        with Session() as session:
            chat = LocalChat(weights, max_tokens=2, schema_mode=mode, session=session)
            said = chat.for_agent("b").chat(ASKED, rng(), schema=each)
            assert said == LocalChat(weights, max_tokens=2).chat(told(each), rng())
    with pytest.raises(InvalidInputError, match=r"schema_mode.*auto"):
        LocalChat(weights, schema_mode="json")
    long = {"type": "array", "items": {"const": "ab"}, "minItems": 30}
    with pytest.raises(LimitError, match="max_tokens"):
        LocalChat(weights, max_tokens=2).chat(ASKED, rng(), schema=long)


def told(schema: Any) -> list[Message]:
    words = "Answer with JSON only, which fits this JSON Schema:"
    return [Message("user", f"ab\n\n{words}\n{json.dumps(schema)}")]


def test_records_know_the_schema(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    weights, path = toy_weights(monkeypatch), tmp_path / "record.jsonl"

    def say(session: Session, schema: Any, **settings: Any) -> str:
        chat = LocalChat(weights, max_tokens=9, temperature=1.0, session=session, **settings)
        return chat.chat(ASKED, rng(3), schema=schema)

    with Session(record=path) as session:
        said = say(session, AB)
        assert session.total.output_tokens <= 9
    with Session(replay=path) as session:
        assert say(session, AB) == said
    for other, settings in (
        (None, {}),
        ({"enum": ["ab", "a"]}, {}),
        (AB, {"schema_mode": "instruction"}),
    ):
        with Session(replay=path) as session, pytest.raises(MissingAnswerError):
            say(session, other, **settings)


@pytest.mark.parametrize("seed", range(5))
def test_every_answer_of_the_toy_fits(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    chat = LocalChat(toy_weights(monkeypatch), max_tokens=20, temperature=2.0)
    schema = {"type": "array", "items": {"anyOf": [{"type": "null"}, {"type": "string"}]}}
    Draft202012Validator(schema).validate(json.loads(chat.chat(ASKED, rng(seed), schema=schema)))
