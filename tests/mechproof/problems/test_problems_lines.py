"""Formats of problem files, and processes that answer line by line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from documents import (
    ROOT,
    UMBRELLA,
    Document,
    answer,
    changed,
    lines,
    run,
    solved,
)


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
