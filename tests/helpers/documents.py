"""What tests of problem files share: documents, what the command answers, and how it refuses."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from click.testing import CliRunner, Result
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from dev import ROOT
from mechproof.cli import main

Document = dict[str, Any]

UMBRELLA: Document = {
    "kind": "information",
    "states": {"rain": "1/4", "dry": "3/4"},
    "variables": {"weather": {"rain": "wet", "dry": "fine"}},
    "utilities": {"umbrella": {"rain": 0, "dry": -1}, "none": {"rain": -4, "dry": 0}},
    "goods": [{"name": "report", "reveals": ["weather"], "price": 0.25}],
}


WHOLE: Document = {
    **UMBRELLA,
    "id": 7,
    "known": {"weather": "wet"},
    "bundles": [["report", "blank"]],
    "goods": [*UMBRELLA["goods"], {"name": "blank", "reveals": []}],
}
"""One with every field but a forecast."""


def run(*arguments: str, stdin: bytes = b"") -> Result:
    """Return what the command does; without limits it solves in this process, 10 times as fast."""
    if arguments[:1] == ("solve",) and not {"--seconds", "--memory"} & {*arguments}:
        arguments = ("solve", "--seconds=0", "--memory=0", *arguments[1:])
    return CliRunner().invoke(main, arguments, input=stdin, prog_name="mechproof")


def solved(document: Document) -> Document:
    return answer(run("solve", "--format", "json", "-", stdin=json.dumps(document).encode()))


def answer(result: Result) -> Document:
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    found: Document = json.loads(result.stdout_bytes)
    return found


def refused(result: Result) -> str:
    """Return the one line that says what is wrong, without the name of the file."""
    assert result.exit_code == 2, result.output
    assert result.stdout_bytes == b""
    assert result.stderr.count("\n") == 1
    return result.stderr.rstrip("\n").removeprefix("standard input: ")


def refusal(document: object, file_format: str = "json") -> str:
    text = document if isinstance(document, bytes) else json.dumps(document).encode()
    return refused(run("solve", "--format", file_format, "-", stdin=text))


def changed(*path: str | int, to: Any, document: Document = UMBRELLA) -> Any:
    """Return a copy of the document with another value at a path."""
    whole = {"": copy.deepcopy(document)}
    here: Any = whole
    keys: tuple[str | int, ...] = ("", *path)
    for key in keys[:-1]:
        here = here[key]
    here[keys[-1]] = to
    return whole[""]


def paths(value: Any, path: str = "$") -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield every place in a document, as keys and as text."""
    yield (), path
    entries: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        entries = list(value.items())
    elif isinstance(value, list):
        entries = list(enumerate(value))
    for key, entry in entries:
        text = f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}"
        for keys, below in paths(entry, text):
            yield (key, *keys), below


def places_its_refusal(result: Result) -> bool:
    """Whether the command solved the problem, or said in one line where it could not."""
    if result.exit_code == 0:
        return result.stderr == "" and isinstance(json.loads(result.stdout_bytes), dict)
    return bool(re.match(r"line \d+, column \d+: .|\$[^:]*: .|is empty$", refused(result)))


STRANGE = (
    *(None, True, 0, -1, 1.5, 10**30, 10**-30, "", "x", "1/3", "inf", "-inf"),
    *([], {}, [None], [[]], {"a": 1}),
)
"""What is hardly ever the value that a field wants."""


def require_wrong_types_named(document: Document) -> None:
    """Put nothing in each place of a document: the place is named."""
    for keys, place in paths(document):
        assert refusal(changed(*keys, to=None, document=document)).split(": ")[0] == place


def require_strange_values_placed(
    data: st.DataObject, documents: Sequence[Document], *, more: Sequence[Any] = ()
) -> None:
    """Draw a document in which one to three values are strange: it is solved, or a place named."""
    document = data.draw(st.sampled_from(documents))
    for _ in range(data.draw(st.integers(1, 3))):
        keys = data.draw(st.sampled_from([keys for keys, _ in paths(document)]))
        strange = data.draw(st.sampled_from([*STRANGE, *more]))
        document = changed(*keys, to=strange, document=document)
    assert _places_refusal_of(document)


def require_missing_parts_placed(document: Document) -> None:
    """Leave out what is at each place of a document: it is solved, or a place named."""
    for keys in [keys for keys, _ in paths(document) if keys]:
        whole = copy.deepcopy(document)
        here: Any = whole
        for key in keys[:-1]:
            here = here[key]
        del here[keys[-1]]
        assert _places_refusal_of(whole), keys


def _places_refusal_of(document: Document) -> bool:
    text = json.dumps(document).encode()
    return places_its_refusal(run("solve", "--format", "json", "-", stdin=text))


def lines(result: Result) -> list[Document]:
    return [json.loads(line) for line in result.stdout_bytes.splitlines()]


def validator(schema: Document, name: str) -> Draft202012Validator:
    return Draft202012Validator({**schema, "anyOf": [{"$ref": f"#/$defs/{name}"}]})


def documented(language: str) -> list[str]:
    page = (ROOT / "docs/problem-files.md").read_text("utf-8")
    return re.findall(rf"```{language}\n(.*?)```", page, flags=re.S)
