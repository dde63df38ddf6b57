"""Values in a record: what JSON holds comes back, what it does not have is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from session_runs import lines, never, request
from sweeps import examples

from llm_adapters.errors import (
    MissingAnswerError,
)
from llm_adapters.session import Answer, Request, Session
from llm_adapters.session.canonical_json import canonical
from theory.errors import InvalidInputError

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=())),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=()), max_size=5), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@settings(max_examples=examples(40))
@given(st.dictionaries(st.text(max_size=4), JSON, max_size=3), JSON)
def test_whatever_json_holds_comes_back_as_it_was_given(
    tmp_path_factory: pytest.TempPathFactory, body: dict[str, Any], value: Any
) -> None:
    path = tmp_path_factory.mktemp("values") / "record"
    asked = Request("a\ud800", "m\u2028", "\x00", body) if not bad_names(body) else request()
    with Session(record=path) as session:
        given_now = session.call(asked, lambda seconds: Answer({"value": value}))
    with Session(replay=path) as session:
        found = session.call(asked, never)
    assert same(found.body, given_now.body)
    assert found.text == given_now.text
    if not has_halves(value):
        assert same(found.body["value"], value)


def bad_names(body: dict[str, Any]) -> bool:
    try:
        Request("a", "m", "x", body)
    except InvalidInputError:
        return True
    return False


def has_halves(value: Any) -> bool:
    return (
        "\\ud" in json.dumps(value, ensure_ascii=False).encode("ascii", "backslashreplace").decode()
    )


def same(one: Any, two: Any) -> bool:
    """Whether two values are the same, types and the signs of zeros included."""
    if type(one) is not type(two):
        return False
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, float):
        return one == two and math.copysign(1, one) == math.copysign(1, two)
    return bool(one == two)


def test_halves_of_surrogate_pairs_are_joined_or_kept() -> None:
    assert Answer({"t": "\ud83d\ude00"}).body == {"t": "\U0001f600"}
    assert Answer({"t": "a\ud83d"}).body == {"t": "a\ud83d"}
    assert request("\ud83d\ude00") == request("\U0001f600")


def test_infinities_are_numbers_that_are_too_large(tmp_path: Path) -> None:
    path = tmp_path / "record"
    with Session(record=path) as session:
        session.call(request(), lambda seconds: Answer({"p": [-math.inf, math.inf, -0.0]}))
    assert b'"p":[-1e999,1e999,-0.0]' in lines(path)[1]
    with Session(replay=path) as session:
        assert session.call(request(), never).body["p"] == [-math.inf, math.inf, 0.0]


DEEP: Any = []
for _ in range(101):
    DEEP = [DEEP]

NOT_JSON = [
    ({"p": [0.5, math.nan]}, r"body\.p\[1\] is NaN"),
    ({"p": np.float64("nan")}, r"body\.p is NaN"),
    ({"a": {"b": {1, 2}}}, r"body\.a\.b is a set"),
    ({"a": [b"x"]}, r"body\.a\[0\] is a bytes"),
    ({"a": np.int64(3)}, r"body\.a is a int64"),
    ({"a": np.zeros(2)}, r"body\.a is a ndarray"),
    ({"a": {1: 2}}, r"body\.a is a key that is not text"),
    ({"a": {"\ud83d\ude00": 1, "\U0001f600": 2}}, r"body\.a has two keys that are written alike"),
    ({"a": 10**5000}, r"body\.a has more than 4300 digits"),
    ({"a": DEEP}, r"body\.a(\[0\])+ is nested more than 100 deep"),
]


@pytest.mark.parametrize(("body", "told"), NOT_JSON)
def test_what_json_does_not_have_is_refused_by_its_place(body: dict[str, Any], told: str) -> None:
    for make in (lambda: Answer(body), lambda: Request("a", "m", "chat", body)):
        with pytest.raises(InvalidInputError, match=told):
            make()


def test_a_circle_is_refused() -> None:
    circle: dict[str, Any] = {}
    circle["again"] = [circle]
    with pytest.raises(InvalidInputError, match="nested more than 100 deep"):
        Answer(circle)


def test_an_answer_that_cannot_be_written_is_an_error_of_the_call(tmp_path: Path) -> None:
    path = tmp_path / "record"
    with Session(record=path) as session, pytest.raises(InvalidInputError, match="is NaN"):
        session.call(request(), lambda seconds: Answer({"p": math.nan}))
    assert len(lines(path)) == 1


def test_answers_are_copies() -> None:
    body = {"list": [1]}
    answer, asked = Answer(body), Request("a", "m", "chat", body)
    body["list"].append(2)
    assert answer.body == asked.body == {"list": [1]}


def test_canonical_text_agrees_with_the_standard_library() -> None:
    value = {"b": [1, 2.5, True, None, 'é\n"\\\x01\x7f\u2028'], "a": {"z": {}, "y": []}, "é": 1e-7}
    written = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert canonical(value, "value") == written


def test_huge_texts(tmp_path: Path) -> None:
    path = tmp_path / "record"
    text = "ä\n" * 700_000
    with Session(record=path) as session:
        session.call(request(text), lambda seconds: Answer({"text": text}))
    with Session(replay=path) as session:
        assert session.call(request(text), never).body == {"text": text}
        with pytest.raises(MissingAnswerError) as told:
            session.call(request(text + "!"), never)
    assert len(str(told.value)) < 1000
