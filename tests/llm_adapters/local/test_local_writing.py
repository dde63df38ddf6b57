"""Answers held to a JSON Schema: what is written, and with what probability, by brute force."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from schema_voice import END, TOKENS, TableVoice, chances, outcomes
from sweeps import examples

from llm_adapters.errors import MissingCapabilityError
from llm_adapters.local._decoding import Decoding
from llm_adapters.local._json_writer import picking, write_answer
from llm_adapters.local._schema import form_of
from llm_adapters.local._strings import Pieces
from theory.errors import LimitError

PROMPT = (3, 5)


def write(schema: Any, seed: int = 0, most: int = 200, **settings: Any) -> str:
    voice = settings.pop("voice", None) or TableVoice(seed, 3.0)
    greedy = settings.pop("greedy", False)
    pick = picking(None if greedy else Decoding(**settings), np.random.default_rng(seed))
    answer = write_answer(form_of(schema), voice, PROMPT, most, pick)
    assert answer.tokens <= most
    return answer.text


def law(schema: Any, voice: TableVoice, most: int = 200) -> dict[str, float]:
    found = outcomes(form_of(schema), voice, PROMPT, most)
    for text in found:
        Draft202012Validator(schema).validate(json.loads(text))
    assert sum(found.values()) == pytest.approx(1, abs=1e-9)
    return found


def agrees(found: dict[str, float], wanted: dict[str, float]) -> None:
    assert found == pytest.approx(wanted, abs=1e-12)
    assert max(wanted.values()) - min(wanted.values()) > 1e-3  # no law that all would give


def spelled(voice: TableVoice, text: str, *more: int) -> float:
    """Return the log-probability of a text after the prompt."""
    return voice.score([*PROMPT], [*voice.encode(text), *more])


# --- the law


def test_a_value_is_drawn_by_its_probability_with_its_end() -> None:
    voice = TableVoice(1)
    found = law({"enum": ["a", "ab", 1, 12, True, None]}, voice)
    texts = ('"a"', '"ab"', "1", "12", "true", "null")
    agrees(found, chances({text: spelled(voice, text, END) for text in texts}))


def test_values_one_after_the_other() -> None:
    voice = TableVoice(2)
    schema = {"type": "object", "properties": {"a": {"enum": [1, 12]}, "b": {"type": "boolean"}}}
    first = {text: spelled(voice, f'{{"a": {text},') for text in ("1", "12")}
    wanted = {}
    for text, p in chances(first).items():
        begun = f'{{"a": {text}, "b":'
        second = {c: spelled(voice, f"{begun} {c}}}") for c in ("true", "false")}
        wanted |= {f"{begun} {c}}}": p * q for c, q in chances(second).items()}
    agrees(law(schema, voice), wanted)
    every = chances({text: spelled(voice, text) for text in wanted})
    assert max(abs(every[text] - p) for text, p in wanted.items()) > 1e-3  # as the docs say


def test_an_array_goes_on_or_ends() -> None:
    voice = TableVoice(3)
    schema = {"type": "array", "items": {"enum": [1, 12]}, "minItems": 1, "maxItems": 2}
    first = {
        text: float(np.logaddexp.reduce([spelled(voice, f"[{text}{c}") for c in ",]"]))
        for text in ("1", "12")
    }
    wanted = {}
    for text, p in chances(first).items():
        ends = chances({c: spelled(voice, f"[{text}{c}") for c in ",]"})
        wanted[f"[{text}]"] = p * ends["]"]
        second = {f"[{text}, {more}]": spelled(voice, f"[{text}, {more}]") for more in ("1", "12")}
        wanted |= {each: p * ends[","] * q for each, q in chances(second).items()}
    agrees(law(schema, voice), wanted)


def test_an_array_that_may_be_empty() -> None:
    voice = TableVoice(4)
    found = law({"type": "array", "items": {"const": "a"}, "maxItems": 1}, voice)
    agrees(found, chances({text: spelled(voice, text) for text in ("[]", '["a"]')}))


def test_digits_are_drawn_token_by_token() -> None:
    voice = TableVoice(5)
    found = law({"type": "integer", "minimum": 1, "maximum": 19}, voice)
    assert set(found) == {str(k) for k in range(1, 20)}
    token = TOKENS.index
    first = voice.next_log_probs(PROMPT)
    openings = chances({c: first[token(c)] for c in (*"123456789", "12")})
    after = voice.next_log_probs([*PROMPT, token("1")])
    second = chances({c: after[token(c) if c else END] for c in ("", *"0123456789")})
    wanted = {c: p for c, p in openings.items() if c != "1"}
    for c, p in second.items():
        wanted[f"1{c}"] = wanted.get(f"1{c}", 0) + openings["1"] * p
    agrees(found, wanted)


def test_a_number_that_could_go_on_ends_with_any_token_that_begins_as_what_follows() -> None:
    voice = TableVoice(6)
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 1, "maximum": 10}, "b": {"const": 1}},
    }
    found = law(schema, voice)
    token = TOKENS.index
    assert TOKENS[token(" 1")] == " 1"
    begun = [*PROMPT, *voice.encode('{"n":')]
    first = voice.next_log_probs(begun)
    joined = chances({c: float(first[token(c)]) for c in (" ", " 1")})
    spaced = voice.next_log_probs([*begun, token(" ")])
    digits = chances({c: float(spaced[token(c)]) for c in "123456789"})
    wanted = {f'{{"n": {c}, "b": 1}}': joined[" "] * p for c, p in digits.items() if c != "1"}
    one = 0.0
    for tokens, p in (
        ([token(" "), token("1")], joined[" "] * digits["1"]),
        ([token(" 1")], joined[" 1"]),
    ):
        after = voice.next_log_probs([*begun, *tokens])
        one += p * chances({c: float(after[token(c)]) for c in "0,"})[","]
    wanted['{"n": 1, "b": 1}'] = one
    wanted['{"n": 10, "b": 1}'] = 1 - sum(wanted.values())
    agrees(found, wanted)


def test_a_string_ends_with_any_token_that_begins_with_a_quotation_mark() -> None:
    voice = TableVoice(7)
    found = law({"type": "string", "maxLength": 1}, voice, 4)
    begun = [*PROMPT, *voice.encode('"')]
    first = voice.next_log_probs(begun)
    can = [k for k, t in enumerate(TOKENS) if len(t) == 1 and t not in '"\\\n']
    stops = [k for k, t in enumerate(TOKENS) if t.startswith('"')]
    assert len(stops) == 3
    weights = {f'"{TOKENS[k]}"': float(first[k]) for k in can}
    weights['""'] = float(np.logaddexp.reduce(first[stops]))
    weights["\\"] = float(first[TOKENS.index("\\")])
    wanted = chances(weights)
    escaped = wanted.pop("\\")
    second = voice.next_log_probs([*begun, TOKENS.index("\\")])
    for c, p in chances({c: float(second[TOKENS.index(c)]) for c in '"\\bfnrtu'}).items():
        text = '""' if c == "u" else f'"\\{c}"'  # what is not complete is left out
        wanted[text] = wanted.get(text, 0) + escaped * p
    agrees(found, wanted)


def test_a_free_value_competes_with_its_first_character() -> None:
    voice = TableVoice(8)
    schema = {"anyOf": [{"type": "integer", "minimum": 5, "maximum": 8}, {"type": "null"}]}
    weights = {c: spelled(voice, c) for c in "5678"} | {"null": spelled(voice, "null", END)}
    agrees(law(schema, voice), chances(weights))


def test_temperature_and_cuts_are_applied_to_the_choice() -> None:
    voice, schema = TableVoice(1), {"enum": ["a", "ab", 1]}
    p = law(schema, voice)
    counts = dict.fromkeys(p, 0)
    for seed in range(400):
        counts[write(schema, seed, voice=voice, temperature=0.5)] += 1
    squares = {text: q**2 / sum(r**2 for r in p.values()) for text, q in p.items()}
    for text, q in squares.items():
        assert abs(counts[text] / 400 - q) < 5 * (q * (1 - q) / 400) ** 0.5
    best = max(p, key=lambda text: p[text])
    assert {write(schema, seed, voice=voice, top_k=1) for seed in range(20)} == {best}
    assert {write(schema, seed, voice=voice, greedy=True) for seed in range(20)} == {best}
    assert {write(schema, seed, voice=voice, top_p=1e-9) for seed in range(20)} == {best}


def test_what_leaves_no_choice_is_written_without_asking() -> None:
    voice = TableVoice()
    schema = {
        "type": "object",
        "properties": {
            "code": {"const": 'a "b" é\n\u2028'},
            "one": {"enum": ["x"]},
            "n": {"type": "number", "minimum": 0.5, "maximum": 0.5},
            "e": {"type": "string", "maxLength": 0},
            "l": {"type": "array", "items": {"const": []}, "minItems": 2, "maxItems": 2},
            "o": {"type": "object"},
        },
    }
    text = write(schema, voice=voice)
    assert voice.asked == 0
    values = {"code": 'a "b" é\n\u2028', "one": "x", "n": 0.5, "e": "", "l": [[], []], "o": {}}
    assert json.loads(text) == values
    assert list(json.loads(text)) == list(values)


# --- limits


def test_strings_and_arrays_end_when_the_tokens_do() -> None:
    schema: Any = {
        "type": "object",
        "properties": {
            "s": {"type": "string", "maxLength": 10**9},
            "l": {"type": "array", "items": {"type": "string"}, "maxItems": 10**9},
        },
    }
    lengths = set()
    for most in (18, 20, 40, 100):
        for seed in range(4):
            voice = TableVoice(seed, **{"a": 9.0})
            text = write(schema, seed, most, voice=voice)
            Draft202012Validator(schema).validate(json.loads(text))
            lengths.add(len(json.loads(text)["s"]))
    assert max(lengths) > 20
    with pytest.raises(LimitError, match=r"max_tokens.*too little.*give"):
        write(schema, most=5)
    with pytest.raises(LimitError, match="max_tokens"):
        write({"type": "array", "items": {"type": "boolean"}, "minItems": 10**9})


def test_an_escape_that_the_tokens_do_not_suffice_for_is_left_out() -> None:
    voice = TableVoice(0, **{"\\": 20.0, "u": 19.0, '"': -30.0, '",': -30.0, '"a': -30.0})
    seen = {
        write({"type": "string"}, seed, most, voice=voice)
        for seed in range(5)
        for most in range(2, 9)
    }
    for text in seen:
        json.loads(text)
    assert any("\\" in text for text in seen)


def test_what_the_tokenizer_cannot_spell_is_written_all_the_same() -> None:
    class Odd(TableVoice):
        pieces = Pieces(tuple(t if not set(t) & set("0123456789") else "" for t in TOKENS))

    assert json.loads(write({"enum": ["日本", "ß"]}, voice=Odd())) in ("日本", "ß")
    with pytest.raises(MissingCapabilityError, match="no token"):
        write({"type": "integer"}, voice=Odd())


def test_impossible_values_are_drawn_alike() -> None:
    voice = TableVoice()
    voice.table[..., TOKENS.index("a")] = -np.inf
    seen = {write({"enum": ["a1", "a2"]}, seed, voice=voice) for seed in range(20)}
    assert seen == {'"a1"', '"a2"'}


# --- any schema


def scalars() -> Any:
    finite = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**17), 10**17),
        st.text(max_size=6),
        st.floats(allow_nan=False, allow_infinity=False),
    )
    bounds = st.one_of(
        st.integers(-(10**6), 10**6), st.floats(-1e6, 1e6, allow_nan=False), st.just(0)
    )
    number = st.builds(
        lambda kind, a, b, strict: {
            "type": kind,
            ("exclusiveMinimum" if strict else "minimum"): min(a, b),
            "maximum": max(a, b) + 2,
        },
        st.sampled_from(["number", "integer"]),
        bounds,
        bounds,
        st.booleans(),
    )
    return st.one_of(
        st.builds(lambda value: {"const": value}, finite),
        st.builds(lambda values: {"enum": values}, st.lists(finite, min_size=1, max_size=4)),
        st.sampled_from([{"type": "boolean"}, {"type": "integer"}, {"type": "number"}]),
        st.builds(lambda n: {"type": "string", "maxLength": n}, st.sampled_from([0, 1, 3, 10**9])),
        number,
    )


def nested(inner: Any) -> Any:
    return st.one_of(
        st.builds(
            lambda fields: {
                "type": "object",
                "properties": fields,
                "required": [*fields],
                "additionalProperties": False,
            },
            st.dictionaries(st.text(max_size=4), inner, max_size=3),
        ),
        st.builds(
            lambda item, a, b: {"type": "array", "items": item, "minItems": a, "maxItems": a + b},
            inner,
            st.integers(0, 2),
            st.integers(0, 2),
        ),
        st.builds(lambda one: {"anyOf": [one, {"type": "null"}]}, inner),
    )


@settings(max_examples=examples(60))
@given(st.recursive(scalars(), nested, max_leaves=6), st.integers(0, 10**6), st.booleans())
def test_every_answer_fits_its_schema(schema: Any, seed: int, greedy: bool) -> None:
    voice = VOICES[seed % len(VOICES)]
    try:
        text = write(schema, seed, 400, voice=voice, greedy=greedy)
    except (MissingCapabilityError, LimitError):
        return
    Draft202012Validator(schema).validate(json.loads(text))
    assert text.encode()


VOICES = [TableVoice(seed, 3.0) for seed in range(4)]


def test_draws_depend_on_the_generator_alone() -> None:
    schema = {"type": "array", "items": {"type": "number"}, "maxItems": 4}
    assert write(schema, 3) == write(schema, 3)
    assert len({write(schema, seed, voice=VOICES[0]) for seed in range(30)}) > 10
