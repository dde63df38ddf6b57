"""Files and texts that ask for much end by themselves, soon, in little memory, with a line of ours.

Each runs in a process of its own, forked from one that has imported everything. Of those that take
long, and of the lines of one file, the gate tries a fifth, another one with each commit; `-m slow`
tries the others. The limit is in seconds of a quiet processor.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from hostile_code import CODE
from hostile_files import FILES, LINES, LONG
from sweeps import in_turns

from dev import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")

SECONDS: Final = 5.0
"""Of processor time: other work on the machine does not count."""
LOOP: Final = 0.06
"""Seconds that `_loop` takes of a processor for which the limit is meant."""
MEGABYTES: Final = 500
TURNS: Final = 6
"""In how many commits in a row each file is tried."""


class Server:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        command = [sys.executable, str(Path(__file__).with_name("hostile_server.py"))]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
            text=True,
            env=_environment(),
        )

    def run(self, **job: Any) -> tuple[int, str]:
        """Return the status and what was written."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        out = self.folder / "out"
        self.process.stdin.write(json.dumps({"out": str(out), **job}) + "\n")
        self.process.stdin.flush()
        status, seconds, megabytes = json.loads(self.process.stdout.readline())
        said = out.read_text("utf-8", "replace")
        shown = said[-2_000:]
        assert "Traceback" not in said, shown
        if seconds >= SECONDS:  # shared or slow processors give less work a second
            seconds /= max(1, min(_loop() for _ in range(5)) / LOOP)
        assert seconds < SECONDS, f"{seconds:.1f} s: {shown}"
        assert megabytes < MEGABYTES, f"{megabytes:.0f} MB: {shown}"
        return int(status), said


def _loop() -> float:
    """Return the seconds of processor time that a million additions take now."""
    begun = time.process_time()
    total = 0
    for k in range(1_000_000):
        total += k & 3
    assert total == 1_500_000
    return time.process_time() - begun


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    started = Server(tmp_path_factory.mktemp("hostile"))
    yield started
    assert started.process.stdin is not None
    assert started.process.stdout is not None
    started.process.stdin.close()
    assert started.process.wait(60) == 0
    started.process.stdout.close()


def test_each_file_has_its_turn() -> None:
    assert FILES.keys() > LONG
    due = [
        {p.values[0] for p in in_turns(sorted(LONG), TURNS, k) if not p.marks} for k in range(TURNS)
    ]
    assert all(due)
    assert set().union(*due) == LONG


@pytest.mark.parametrize("name", [*sorted(FILES.keys() - LONG), *in_turns(sorted(LONG), TURNS)])
def test_a_hostile_file_ends_with_a_line(server: Server, name: str, tmp_path: Path) -> None:
    suffix, data, pattern = FILES[name]
    file = tmp_path / f"problem{suffix}"
    file.write_bytes(data)
    status, said = server.run(args=["solve", str(file)])
    assert re.search(pattern, said), said[-2_000:]
    if status:
        assert status == 2
        assert re.fullmatch(r"\S*problem\.\w+: .{1,900}\n", said), said[:3_000]
    else:
        assert isinstance(json.loads(said), dict)


@pytest.mark.parametrize("part", in_turns(range(TURNS), TURNS))
def test_hostile_lines_are_answered_line_by_line(server: Server, part: int, tmp_path: Path) -> None:
    file = tmp_path / "problems.jsonl"
    lines = LINES[part::TURNS]
    file.write_bytes(b"\n".join(lines))
    status, said = server.run(args=["solve", str(file)])
    answers = [json.loads(line) for line in said.splitlines()]
    assert status == 2
    assert len(answers) == len(lines)
    assert [n for n, a in enumerate(answers, 1) if "error" in a and a["error"]["line"] != n] == []
    assert all(len(str(answer)) < 1_500 for answer in answers if "error" in answer)


@pytest.mark.parametrize("name", CODE)
def test_hostile_code_is_told_what_is_wrong(server: Server, name: str) -> None:
    code, pattern = CODE[name]
    status, said = server.run(code=code)
    assert status == 2, said[-2_000:]
    assert len(said) < 5_000
    assert re.search(pattern, said), said[-2_000:]


# --- time and memory that are given


def _lines(*documents: Any) -> bytes:
    return b"".join(json.dumps(d).encode() + b"\n" for d in documents)


_HEAVY: Final = b'{"kind": "game", "id": [' + b"[]," * 500_000 + b"[]]}"
"""Takes some 40 MB to read."""


def _slow(items: int) -> Any:
    from hostile_documents import slow_document

    return slow_document(items)


_COMMAND: Final = """
import os, sys
from collections import deque
from dataclasses import replace
from itertools import repeat
from mechproof.cli import main
import mechproof.problems.kinds.fixed_point as module

kind = module.KIND
special = {
    "endless": lambda: deque(repeat(0), maxlen=0),  # one call in C that holds the interpreter
    "abort": os.abort,
    "bug": lambda: 1 / 0,
}

def solve(problem):
    special.get(problem.id, int)()
    return kind.solve(problem)

module.KIND = replace(kind, solve=solve)
main(args=sys.argv[1:] or ARGS, prog_name="mechproof")
"""
"""The command with problems that no command can interrupt, by their ids."""


def _told(server: Server, tmp_path: Path, *options: str, ids: list[str]) -> tuple[int, str, Path]:
    file = tmp_path / "problems.jsonl"
    file.write_bytes(_lines(*({"kind": "fixed-point", "size": 2, "id": name} for name in ids)))
    args = ["solve", *options, str(file)]
    return *server.run(code=f"ARGS = {args!r}\n{_COMMAND}"), file


def test_a_problem_that_takes_too_long_is_given_up(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "problem.json"
    file.write_text(json.dumps(_slow(14)))
    status, said = server.run(args=["solve", "--seconds", "0.02", str(file)])
    assert status == 2
    assert said.endswith(
        "problem.json: $: takes more than 0.02 s: give a smaller problem, or more --seconds\n"
    )


def test_a_problem_that_takes_too_much_memory_is_given_up(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "problem.json"
    file.write_bytes(_HEAVY)
    status, said = server.run(args=["solve", "--memory", "20", str(file)])
    assert status == 2
    assert re.search(r"\$: takes more (memory than there is|than 20 MB).*: give a smaller", said)


def test_lines_that_take_too_much_memory_are_answered(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "problems.jsonl"
    easy = {"kind": "fixed-point", "size": 2}
    file.write_bytes(_lines(easy) + _HEAVY + b"\n" + _HEAVY + b"\n" + _lines(easy | {"id": "last"}))
    status, said = server.run(args=["solve", "--memory", "20", str(file)])
    first, *refused, last = map(json.loads, said.splitlines())
    assert status == 2
    assert first["kind"] == last["kind"] == "fixed-point"
    assert last["id"] == "last"
    assert [each["error"]["line"] for each in refused] == [2, 3]
    assert all("takes more" in each["error"]["message"] for each in refused)


def test_lines_that_nothing_interrupts_are_answered(server: Server, tmp_path: Path) -> None:
    ids = ["first", "endless", "endless", "abort", "last"]
    status, said, _ = _told(server, tmp_path, "--seconds", "1", ids=ids)
    first, *refused, last = map(json.loads, said.splitlines())
    assert status == 2
    assert (first["id"], last["id"]) == ("first", "last")
    assert first["support"] == last["support"]
    assert [(each["id"], each["error"]["line"]) for each in refused] == [
        *[("endless", 2), ("endless", 3)],
        ("abort", 4),
    ]
    late = "takes more than 1 s: give a smaller problem, or more --seconds"
    assert [each["error"]["message"] for each in refused[:2]] == [late] * 2
    assert "ended by SIGABRT" in refused[2]["error"]["message"]


def test_an_error_of_our_own_is_shown_with_its_place(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "problem.json"
    file.write_bytes(_lines({"kind": "fixed-point", "size": 2, "id": "bug"}))
    done = _started(file).communicate(timeout=60)
    assert b"ZeroDivisionError" in done[1]
    assert done[1].endswith(b"mechproof: this is an error in mechproof itself\n")


def _started(file: Path, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _COMMAND, "solve", *options, str(file)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, env=_environment())


_SIGNALS: Final = ["SIGINT", "SIGTERM", "SIGKILL"] if sys.platform == "linux" else ["SIGINT"]


@pytest.mark.parametrize("name", _SIGNALS)
def test_nothing_goes_on_once_the_command_has_ended(tmp_path: Path, name: str) -> None:
    file = tmp_path / "problems.jsonl"
    file.write_bytes(
        _lines(*({"kind": "fixed-point", "size": 2, "id": n} for n in ("first", "endless")))
    )
    command = _started(file, "--seconds", "900")
    assert command.stdout is not None
    assert b"first" in command.stdout.readline()
    command.send_signal(signal.Signals[name])
    said = command.communicate(timeout=60)  # whoever works on holds the pipes open
    assert said[0] == b""
    assert command.returncode == (130 if name == "SIGINT" else -signal.Signals[name])
    assert said[1] == (b"mechproof: interrupted\n" if name == "SIGINT" else b"")


@pytest.mark.parametrize("megabytes", ["1", "5", "12"])
def test_memory_that_loads_no_library_is_said(tmp_path: Path, megabytes: str) -> None:
    file = tmp_path / "problem.json"
    file.write_bytes(_example("information"))
    done = _command("solve", "--memory", megabytes, str(file))
    assert done.returncode == 2
    assert re.search(rb"problem.json: \$: takes more (memory|than \d+ MB).*: give a", done.stderr)
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("given", ["nan", "-nan", "NaN"])
def test_time_that_is_no_number_is_refused(tmp_path: Path, given: str) -> None:
    file = tmp_path / "problem.json"
    file.write_bytes(_example("information"))
    done = _command("solve", f"--seconds={given}", str(file))
    assert done.returncode == 2
    assert b"Invalid value for '--seconds': nan is no time: give a number" in done.stderr


def test_a_parent_that_passes_over_ends_of_processes_changes_nothing(tmp_path: Path) -> None:
    """What ignores SIGCHLD, as some servers do, hands that on to what it starts."""
    file = tmp_path / "problems.jsonl"
    ids = ["first", "abort", "last"]
    file.write_bytes(_lines(*({"kind": "fixed-point", "size": 2, "id": n} for n in ids)))
    command = f"import signal\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n{_COMMAND}"
    done = _python(command, "solve", str(file))
    assert done.stderr == b""
    first, failed, last = map(json.loads, done.stdout.splitlines())
    assert (first["id"], last["id"]) == ("first", "last")
    assert "ended by SIGABRT" in failed["error"]["message"]


# --- what has no end


def _python(code: str, *args: str, file: Any = None) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", code, *args]
    return subprocess.run(
        command, stdin=file, capture_output=True, env=_environment(), timeout=60, check=False
    )


def _command(*args: str, file: Any = None) -> subprocess.CompletedProcess[bytes]:
    return _python(
        "import sys\nfrom mechproof.cli import main\nmain(prog_name='mechproof')", *args, file=file
    )


@cache
def _example(kind: str) -> bytes:
    return _command("example", kind, "--format", "json").stdout


@pytest.mark.parametrize("args", [["solve"], ["sweep", "--results", "rows"]])
@pytest.mark.parametrize("name", ["/dev/zero", "/dev/full", "/dev/null", "pipe"])
def test_a_device_or_a_named_pipe_is_refused_by_name(
    args: list[str], name: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    if name == "pipe":
        os.mkfifo(path)
    done = _command(*args[:1], str(path), *args[1:])
    assert done.returncode == 2
    assert done.stdout == b""
    fix = "is no regular file: give a file, or '-' and its content on standard input"
    assert f"{path}: {fix}" in done.stderr.decode()


@pytest.mark.parametrize("given", ["path", "Path(path)"])
@pytest.mark.parametrize("name", ["/dev/zero", "pipe", "pipe.json"])
def test_a_device_or_a_named_pipe_is_refused_in_python_too(
    name: str, given: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    if name.startswith("pipe"):
        os.mkfifo(path)
    done = _python(
        "import sys\nfrom pathlib import Path\nfrom mechproof import solve\n"
        f"path = sys.argv[1]\nsolve({given})",
        str(path),
    )
    assert b"InvalidInputError" in done.stderr
    assert b"cannot be read (it is no regular file)" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="Linux has files that it makes up")
@pytest.mark.parametrize("args", [["solve"], ["sweep", "--results", "rows"]])
@pytest.mark.parametrize("name", ["/proc/kmsg", "/proc/self/status"])
def test_what_the_system_makes_up_is_refused_by_name(args: list[str], name: str) -> None:
    done = _command(*args[:1], name, *args[1:])
    assert done.returncode == 2
    assert f"{name}: is no regular file: give a file" in done.stderr.decode()


def test_an_empty_file_is_said_to_be_empty(tmp_path: Path) -> None:
    path = tmp_path / "problem.json"
    path.touch()
    done = _command("solve", str(path))
    assert done.returncode == 2
    assert done.stderr.endswith(b"problem.json: is empty\n")


@pytest.mark.parametrize("options", [[], ["--format", "json"], ["--format", "jsonl"]])
def test_input_without_lines_or_end_is_refused(options: list[str]) -> None:
    with open("/dev/zero", "rb") as zero:
        done = _command("solve", "-", *options, file=zero)
    assert done.returncode == 2
    assert re.search(rb"standard input: .*more than", done.stderr)


def test_what_a_shell_gives_for_the_output_of_a_command_is_read() -> None:
    read, write = os.pipe()
    with open(write, "wb") as file:
        file.write(_example("information"))
    try:
        done = _command("solve", "/dev/stdin", file=read)
    finally:
        os.close(read)
    assert done.stderr == b""
    assert json.loads(done.stdout)["kind"] == "information"


def test_a_sweep_file_is_read_no_farther_than_it_may_be_long(tmp_path: Path) -> None:
    path = tmp_path / "sweep.json"
    with path.open("wb") as file:
        file.truncate(10**12)  # takes no room on the disk
    done = _command("sweep", str(path), "--results", str(tmp_path / "rows"))
    assert done.returncode == 2
    assert b"sweep.json: has 4,000,001 bytes, more than the limit" in done.stderr


def test_no_limit_is_kept_where_none_is_wanted(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "problem.json"
    file.write_text(json.dumps(_slow(10)))
    status, said = server.run(args=["solve", "--seconds", "0", "--memory", "0", str(file)])
    assert status == 0
    assert json.loads(said)["kind"] == "marginal-value"


def test_the_command_itself_ends_with_a_line(tmp_path: Path) -> None:
    file = tmp_path / "problem.toml"
    file.write_bytes(FILES["a dotted key of 80 KB"][1])
    command = [sys.executable, "-m", "mechproof", "solve", str(file)]
    done = subprocess.run(command, capture_output=True, env=_environment(), timeout=60, check=False)
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.endswith(b"a key has more than 50 parts: write it flatter\n")
