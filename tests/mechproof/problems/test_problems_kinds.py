"""Kinds of problems: schemas, examples, the documented answers."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from documents import (
    ROOT,
    UMBRELLA,
    WHOLE,
    Document,
    answer,
    changed,
    documented,
    lines,
    refusal,
    refused,
    run,
    solved,
    validator,
)
from hypothesis import assume, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError

import mechproof.problems.kinds
from mechproof.problems.kind import _modules, kind_named, kinds

KINDS = tuple(kinds())


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def example_of(kind: str) -> Document:
    found: Document = json.loads(run("example", kind, "--format", "json").stdout)
    return found


def schema_of(kind: str) -> Document:
    found: Document = json.loads(run("schema", kind).stdout)
    return found


# --- Of every kind --------------------------------------------------------------------------------


def test_the_schema_is_one_and_describes_every_field(kind: str) -> None:
    schema = schema_of(kind)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    for name, each in schema["$defs"].items():
        assert each["description"], name
        for field, about in each.get("properties", {}).items():
            assert about is False or about["description"], f"{name}.{field}"
            assert each["additionalProperties"] is False


def test_the_example_and_its_answer_fit_the_schema(kind: str) -> None:
    schema, example = schema_of(kind), example_of(kind)
    found = solved(example)
    validator(schema, "Problem").validate(example)
    validator(schema, "Answer").validate(found)
    assert not validator(schema, "Problem").is_valid(found)


def test_the_example_is_the_same_in_both_formats(kind: str) -> None:
    assert tomllib.loads(run("example", kind).stdout) == example_of(kind)


def test_the_documented_answer_is_the_answer(kind: str) -> None:
    pairs = zip(documented("toml"), documented("json"), strict=True)
    examples = [(p, a) for p, a in pairs if f'kind = "{kind}"' in p]
    assert examples
    for problem, shown in examples:
        assert answer(run("solve", "-", stdin=problem.encode())) == json.loads(shown)


def test_lines_of_several_kinds() -> None:
    examples = [{**example_of(kind), "id": kind} for kind in KINDS]
    empty = [{"kind": kind, "id": kind} for kind in KINDS]
    text = "\n".join(map(json.dumps, [*examples, *empty])).encode()
    found = lines(run("solve", "-", stdin=text))
    assert found[: len(KINDS)] == [
        {**solved(example), "id": kind} for kind, example in zip(KINDS, examples, strict=True)
    ]
    for number, (kind, failure) in enumerate(zip(KINDS, found[len(KINDS) :], strict=True), 1):
        assert (failure["id"], failure["error"]["line"]) == (kind, len(KINDS) + number)


# --- The schema of information --------------------------------------------------------------------


@pytest.fixture(scope="module")
def schema() -> Document:
    return schema_of("information")


def test_problems_answers_and_failures_fit_the_schema(schema: Document) -> None:
    example = example_of("information")
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


# --- Kinds ----------------------------------------------------------------------------------------


def test_the_schema_of_the_report() -> None:
    published = (ROOT / "mechproof/schemas/verify-1.schema.json").read_text("utf-8")
    assert run("schema", "verify").stdout == published


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["schema", "informaton"], "did you mean 'information'?"),
        (["schema", "verfy"], "did you mean 'verify'?"),
        (["example", "informaton"], "did you mean 'information'?"),
        (
            ["example", "qqqq"],
            "known are ascending-auction, fixed-point, game, information, information-market",
        ),
    ],
)
def test_an_unknown_kind_names_the_nearest(arguments: list[str], hint: str) -> None:
    assert hint in refused(run(*arguments))


TOY = '''
from typing import Annotated, Literal

from msgspec import Meta

from mechproof.problems.kind import AnswerBase, ProblemBase, ProblemKind


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
        mechproof.problems.kinds, "__path__", [*mechproof.problems.kinds.__path__, str(tmp_path)]
    )
    _modules.cache_clear()
    try:
        assert set(kinds()) == {*KINDS, "toy"}
        text = run("example", "toy").stdout
        assert answer(run("solve", "-", stdin=text.encode())) == {"twice": 2}
        schema = json.loads(run("schema", "toy").stdout)
        assert validator(schema, "Problem").is_valid(tomllib.loads(text))
    finally:
        _modules.cache_clear()


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_is_found_by_its_module(name: str) -> None:
    assert kind_named(name) is kinds()[name]


@pytest.mark.parametrize(
    "name", ["marginal_value", "commands", "", "..kind", "Game", None, 3, ["game"]]
)
def test_other_names_are_no_kinds(name: object) -> None:
    assert kind_named(name) is None


@pytest.mark.parametrize(
    ("asked", "unwanted"),
    [
        ("k.kinds()", ("matplotlib", "rich", "sympy", "jinja2", "flint")),
        ("k.kind_named('information')", ("theory.games", "theory.incentives", "scipy")),
    ],
)
def test_problem_files_load_little(asked: str, unwanted: tuple[str, ...]) -> None:
    code = (
        f"import sys, mechproof.problems.commands, mechproof.problems.kind as k; {asked}; "
        f"print(sorted({set(unwanted)} & sys.modules.keys()))"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    out = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert out.stdout == "[]\n"
