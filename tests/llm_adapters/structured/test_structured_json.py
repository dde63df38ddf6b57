"""Finding JSON in what a model says, and validating it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import AfterValidator
from sweeps import examples
from verdicts_asked import ASKED, GOOD, Verdict, rng

from llm_adapters.errors import UnreadableError
from llm_adapters.fakes import ScriptedChat
from llm_adapters.structured import NoAnswerError, ask
from llm_adapters.structured._json import find_json


def told(text: str, kind: Any = Verdict) -> Any:
    return ask(ScriptedChat([text]), ASKED, kind, rng(), attempts=1).value


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```",
        f"Here is my answer:\n```json\n{GOOD}\n```\nIt is a good price.",
        f"I decide: {GOOD}. That is all.",
        '{"verdict": "buy", "price": 5.0, "sure": false, "count": 1}',
        '{\n"verdict"\n:\n"buy",\t"price":5e0}',
        f"\ufeff{GOOD}",
    ],
)
def test_an_object_is_found(text: str) -> None:
    assert told(text) == Verdict(verdict="buy", price=5)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("buy", "no JSON object"),
        ("{}", "verdict: Field required"),
        (GOOD[:-1], "not closed"),
        (GOOD[:8], "string is not closed"),
        (GOOD + GOOD, "more than one"),
        (f"{GOOD} or {GOOD}", "more than one"),
        ('Answer like {"verdict": "pass"}: ' + GOOD, "more than one"),
        (f"{GOOD} {{}}", "more than one"),
        (f"{GOOD} }}", "more than one"),
        (f"}} {GOOD}", "before one opens"),
        (f"[{GOOD}]", "valid dictionary|object"),
        (f"My list: [{GOOD}]", "in a list"),
        (f"[{GOOD}, 1", "in a list"),
        ("{'verdict': 'buy', 'price': 5}", "no JSON"),
        ('{"verdict": "buy", "price": 5,}', "no JSON"),
        ('{"verdict": "buy", "price": 5} // cheap {', "more than one"),
        ('{verdict: "buy", price: 5}', "no JSON"),
        ('{"verdict": "buy", "verdict": "pass", "price": 5}', "'verdict' is there twice"),
        ('{"verdict": "buy", "verdict": "buy", "price": 5}', "'verdict' is there twice"),
        ('{"verdict": "buy", "price": {"a": 1, "a": 2}}', "'a' is there twice"),
        ('{"verdict": "buy", "\\u0076erdict": "pass", "price": 5}', "there twice"),
        ('{"verdict": "buy", "price": NaN}', "NaN"),
        ('{"verdict": "buy", "price": Infinity}', "Infinity"),
        ('{"verdict": "buy", "price": -Infinity}', "Infinity"),
        ('{"verdict": "buy", "price": 1e999}', "beyond floating point"),
        ('{"verdict": "buy", "price": 1e-999}', "beyond floating point"),
        ('{"verdict": "buy", "price": "NaN"}', "price"),
        ('{"verdict": "buy", "price": "5"}', "price"),
        ('{"verdict": "buy", "price": true}', "price"),
        ('{"verdict": "buy", "price": null}', "price"),
        ('{"verdict": "buy", "price": -1}', "greater than or equal to 0"),
        ('{"verdict": "buy", "price": [5]}', "price"),
        ('{"verdict": "Buy", "price": 5}', "verdict"),
        ('{"verdict": "maybe", "price": 5}', "got \"'maybe'\""),
        ('{"verdict": ["buy"], "price": 5}', "verdict"),
        ('{"verdict": "buy", "price": 5, "sure": 1}', "sure"),
        ('{"verdict": "buy", "price": 5, "sure": "true"}', "sure"),
        ('{"verdict": "buy", "price": 5, "count": 1.0}', "count"),
        ('{"verdict": "buy", "price": 5, "count": true}', "count"),
        ('{"verdict": "buy", "price": 5, "why": "cheap"}', "Extra inputs"),
        ('{"answer": ' + GOOD + "}", "answer: Extra inputs"),
        ('{"verdict": "buy", "price": ' + "9" * 5000 + "}", "cannot be read"),
        ('{"verdict": "buy\ud800", "price": 5}', "lone surrogate"),
        ('{"verdict": "buy\\ud800", "price": 5}', "."),
        ("[" * 100_000, "."),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deeply|no JSON"),
        ("true", "."),
        ("5", "."),
        ("null", "."),
        (f"```json\n{GOOD}\n```\n```json\n{GOOD}\n```", "more than one"),
        (f"```json\n{GOOD[:-1]}\n```", "not closed|no JSON"),
        (json.dumps(GOOD), "."),
    ],
)
def test_what_is_no_valid_answer(text: str, words: str) -> None:
    with pytest.raises(NoAnswerError, match=words) as caught:
        told(text)
    assert len(caught.value.problems[0]) < 2500


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("[1, 2]", list[int], [1, 2]),
        ("Sure:\n```json\n[1, 2]\n```\nDone.", list[int], [1, 2]),
        ("```[1, 2]```", list[int], [1, 2]),
        ("5", int, 5),
        ("-5", int, -5),
        ("true", bool, True),
        ("```\ntrue\n```", bool, True),
        ('"buy"', Literal["buy", "pass"], "buy"),
        ('"{"', str, "{"),
        ('{"a": "}{", "b": "\\"}"}', dict[str, str], {"a": "}{", "b": '"}'}),
        ('So: {"a": "`}{`"}', dict[str, str], {"a": "`}{`"}),
        ("{}", dict[str, int], {}),
        ('{"1/3": 0.1}', dict[str, float], {"1/3": 0.1}),
        ("[[1, 2], [3]]", tuple[list[int], ...], ([1, 2], [3])),
    ],
)
def test_kinds_that_are_no_models(text: str, kind: Any, value: Any) -> None:
    assert told(text, kind) == value


def test_a_list_between_prose_is_not_guessed() -> None:
    for text in ("I take [1, 2].", "[1] says so: [1, 2]"):
        with pytest.raises(NoAnswerError):
            told(text, list[int])


def test_the_rules_of_a_type_are_told() -> None:
    def even(value: int) -> int:
        if value % 2:
            raise ValueError("an even number is needed")
        return value

    kind = Annotated[int, AfterValidator(even)]
    assert told("4", kind) == 4
    with pytest.raises(NoAnswerError, match="an even number is needed"):
        told("3", kind)


# --- relations

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False).filter(lambda x: abs(x) < 1e300)
)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
values = st.recursive(
    scalars | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner),
    max_leaves=12,
)
prose = st.text(st.characters(exclude_characters="{}[]`", exclude_categories=["Cs"]), max_size=30)


@given(st.dictionaries(texts, values, max_size=4), prose, prose, st.sampled_from([None, 2]))
@settings(max_examples=examples(50))
def test_an_object_between_prose_is_found_whole(
    value: dict[str, Any], before: str, after: str, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=bool(indent), indent=indent)
    for framed in (text, before + text + after, f"{before}\n```json\n{text}\n```\n{after}"):
        assert find_json(framed) == text
    for cut in (text[:-1], text[: len(text) // 2]):
        with pytest.raises(UnreadableError):
            find_json(before + cut)
    with pytest.raises(UnreadableError):
        find_json(before + text + after + text)


@given(
    st.text(max_size=60)
    | st.lists(
        st.sampled_from(
            [
                "{",
                "}",
                "[",
                "]",
                '"',
                "\\",
                ":",
                ",",
                "1",
                "a",
                "`",
                "```",
                " ",
                "\n",
                '{"a": 1}',
                "NaN",
            ]
        ),
        max_size=14,
    ).map("".join)
)
@settings(max_examples=examples(150))
def test_what_is_found_is_json_and_stands_in_the_text(text: str) -> None:
    try:
        found = find_json(text)
    except UnreadableError:
        return
    assert found in text
    json.loads(found, parse_constant=pytest.fail)
    outside = text.replace(found, "", 1)
    if found.startswith("{"):
        assert "{" not in outside
        assert "}" not in outside


LONG: Mapping[str, Callable[[int], str]] = {
    "braces": lambda n: "{" * n,
    "closed": lambda n: "{}" * (n // 2),
    "quotes": lambda n: '{"' * (n // 2),
    "backslashes": lambda n: '{"' + "\\" * n,
    "keys": lambda n: '{"a":' * (n // 5),
    "brackets": lambda n: "[" * n,
    "fences": lambda n: "```" * (n // 3),
    "a fence": lambda n: "```" + "a" * n + "`x```",
    "spaces": lambda n: "```" + " " * n + "`x```",
    "a key again and again": lambda n: "{" + '"a":1,' * (n // 6) + '"b":1}',
    "numbers": lambda n: '{"a":' + "1" * n + "}",
    "exponents": lambda n: '{"a":1e' + "1" * n + "}",
    "good": lambda n: '{"a":[' + "1," * (n // 2) + "1]}",
}


@pytest.mark.parametrize("shape", LONG)
def test_a_million_characters_are_no_trap(shape: str) -> None:
    """Quadratic work would take hours; the bound leaves room for a busy machine."""
    text, begin, problem = LONG[shape](2**20), time.process_time(), ""
    try:
        assert find_json(text) == text
    except UnreadableError as error:
        problem = str(error)
    assert len(problem) < 1000
    assert time.process_time() - begin < 10
