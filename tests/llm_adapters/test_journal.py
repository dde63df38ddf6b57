"""A journal: whole lines alone, one writer, repair of what a killed process left."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dev import ROOT
from llm_adapters import journal
from llm_adapters.journal import OWN, Journal, Lines, read_journal, whole_lines


class RefusedError(Exception):
    """What these tests raise."""


def refuse(problem: str, fix: str) -> RefusedError:
    return RefusedError(f"{problem}: {fix}")


def damaged(number: int) -> RefusedError:
    return RefusedError(f"line {number}")


def read(line: bytes) -> int | None:
    """Return the number between brackets."""
    return int(line[1:-1]) if line[:1] + line[-1:] == b"[]" and len(line) > 2 else None


def lines_of(data: bytes, header: int = 0) -> Lines[int]:
    return whole_lines(data, read, damaged, header)


def opened(path: Path) -> Journal:
    """Open as every user does: read, cut off what is not whole, go on."""
    found = Journal(path, OWN, refuse)
    try:
        data = found.read()
        found.begin(lines_of(data, 1) if data.startswith(b"head\n") else Lines([], 0), b"head\n")
    except BaseException:
        found.close()
        raise
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a journal of two lines."""
    with opened(tmp_path / "journal") as new:
        for line in (b"[1]", b"[2]"):
            new.append(line)
    return tmp_path / "journal"


# --- lines


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", Lines([], 0)),
        (b"[1]\n", Lines([1], 4)),
        (b"[1]\n[2", Lines([1], 4)),
        (b"[1]\n[2]", Lines([1, 2], 7, unended=True)),
        (b"[1]", Lines([1], 3, unended=True)),
        (b"[1]\n\0\0\0", Lines([1], 4)),
    ],
)
def test_a_last_line_that_was_not_written_to_its_end_is_left_out(
    data: bytes, found: Lines[int]
) -> None:
    assert lines_of(data) == found


@pytest.mark.parametrize(
    ("data", "number"),
    [(b"x\n[1]\n", 1), (b"[1]\nx\n[2]\n", 2), (b"[1]\nx\n", 2), (b"[1]\n\n", 2), (b"[1]\n\n[2", 2)],
)
def test_a_line_that_has_its_end_and_is_damaged_is_an_error(data: bytes, number: int) -> None:
    with pytest.raises(RefusedError, match=f"^line {number}$"):
        lines_of(data)
    with pytest.raises(RefusedError, match=f"^line {number + 1}$"):
        lines_of(b"head\n" + data, header=1)


def test_a_header_is_read_elsewhere() -> None:
    assert lines_of(b"head\n[1]\n[", header=1) == Lines([1], 9)
    assert lines_of(b"head", header=1) == Lines([], 0)


# --- going on


def test_a_journal_that_is_cut_off_anywhere_is_gone_on_with(path: Path) -> None:
    whole = path.read_bytes()
    assert whole == b"head\n[1]\n[2]\n"
    for cut in range(5, len(whole) + 1):
        path.write_bytes(whole[:cut])
        with opened(path) as again:
            again.append(b"[3]")
        ends = [end for end in (9, 13) if cut >= end - 1]
        assert path.read_bytes() == whole[: ends[-1] if ends else 5] + b"[3]\n"


def test_damage_leaves_the_file_as_it_is(path: Path) -> None:
    path.write_bytes(b"head\n[1]\nx\n[2")
    with pytest.raises(RefusedError, match="line 3"):
        opened(path)
    assert path.read_bytes() == b"head\n[1]\nx\n[2"


def test_whole_lines_alone_are_written_where_the_disk_is_full(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write

    def full(file: int, data: Any) -> int:
        if len(data) < 100:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, data[:50])

    with opened(path) as found:
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(RefusedError, match=r"cannot be written \(No space left"):
            found.append(b"[" + b"1" * 120 + b"]")
        monkeypatch.undo()
        assert path.read_bytes() == b"head\n[1]\n[2]\n"
        with pytest.raises(RefusedError, match="could not be written: open it anew"):
            found.append(b"[3]")


def test_a_line_that_the_system_takes_in_parts_is_whole(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    with opened(path) as found:
        monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:1]))
        found.append(b"[3]")
    assert path.read_bytes() == b"head\n[1]\n[2]\n[3]\n"


def test_the_look_whether_there_is_room_leaves_nothing(path: Path) -> None:
    with opened(path) as found:
        found.reserve()
        assert path.read_bytes() == b"head\n[1]\n[2]\n"
        found.append(b"[3]")
    assert path.read_bytes() == b"head\n[1]\n[2]\n[3]\n"


# --- one writer


def test_a_second_writer_is_refused_and_a_reader_is_not(path: Path) -> None:
    with opened(path):
        with pytest.raises(RefusedError, match="is being written by another process: wait"):
            opened(path)
        assert read_journal(path, refuse) == b"head\n[1]\n[2]\n"
    opened(path).close()


def test_another_process_is_refused(path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from llm_adapters.journal import Journal;"
        "Journal(Path(sys.argv[1]), 0o600, lambda problem, fix: SystemExit(problem))"
    )
    command = [sys.executable, "-c", program, str(path)]
    with opened(path):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "is being written by another process\n")
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def test_who_asks_for_no_lock_is_noticed(path: Path) -> None:
    with opened(path) as found:
        with path.open("ab") as other:
            other.write(b"[3]\n")
        with pytest.raises(RefusedError, match="is written by another process, too"):
            found.append(b"[4]")
    assert path.read_bytes() == b"head\n[1]\n[2]\n[3]\n"


def test_what_comes_after_the_end_is_written_nowhere(path: Path, tmp_path: Path) -> None:
    """Not even into a file that got the number of the closed one."""
    found = opened(path)
    found.close()
    other = os.open(tmp_path / "other", os.O_RDWR | os.O_CREAT)
    try:
        for use in (found.check, lambda: found.append(b"[3]")):
            with pytest.raises(RefusedError, match="is closed: open it anew"):
                use()
        assert os.fstat(other).st_size == 0
    finally:
        os.close(other)
    assert path.read_bytes() == b"head\n[1]\n[2]\n"


def test_a_journal_that_nobody_closed_lets_go_of_its_file(path: Path) -> None:
    for _ in range(3):
        opened(path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # where another test loaded JAX
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_a_forked_process_neither_holds_the_file_nor_writes_to_it(path: Path) -> None:
    """Else workers that outlive a killed program would keep it from going on."""
    found = opened(path)
    ready, go = os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        try:
            found.append(b"[3]")
        except RefusedError as error:
            os.write(ready[1], str(error).encode())
        os.read(go[0], 1)
        os._exit(0)
    assert b"the process that this one was forked from" in os.read(ready[0], 1000)
    found.append(b"[4]")
    found.close()
    opened(path).close()
    os.write(go[1], b"x")
    os.waitpid(child, 0)
    for end in (*ready, *go):
        os.close(end)
    assert path.read_bytes() == b"head\n[1]\n[2]\n[4]\n"


# --- the file


def replaced(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    os.replace(other, path)


@pytest.mark.parametrize("taken", [replaced, os.unlink])
def test_a_file_that_is_replaced_is_noticed(taken: Callable[[Path], None], path: Path) -> None:
    with opened(path) as found:
        taken(path)
        for use in (found.check, lambda: found.append(b"[3]")):
            with pytest.raises(RefusedError, match="no longer the file that was opened"):
                use()


def test_what_is_gone_on_with_is_read_from_the_file_that_was_opened(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not from another that has taken its name meanwhile: that would be cut by what this holds."""
    kept, spare, lock = path.read_bytes(), tmp_path / "spare", journal._lock
    spare.write_bytes(kept[:-2])

    def locked(file: int) -> bool:
        os.replace(spare, path)
        return lock(file)

    monkeypatch.setattr(journal, "_lock", locked)
    with open(path, "rb") as before:
        opened(path).close()
        assert before.read() == kept


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    paths = [tmp_path, tmp_path / "missing" / "journal", Path(os.devnull)]
    if hasattr(os, "mkfifo"):
        paths.append(tmp_path / "pipe")
        os.mkfifo(paths[-1])
    for path in paths:
        for what, use in (
            ("written", opened),
            ("read", lambda path: read_journal(path, refuse)),
        ):
            with pytest.raises(RefusedError, match=rf"^cannot be {what} \(.+\): give "):
                use(path)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux has files that it makes up")
def test_what_the_system_makes_up_is_not_waited_for() -> None:
    assert read_journal(Path("/proc/self/status"), refuse) == b""


def test_a_file_larger_than_any_of_ours_is_not_read(tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.touch()
    os.truncate(large, (1 << 29) + 1)  # nothing is in it
    for use in (opened, lambda path: read_journal(path, refuse)):
        with pytest.raises(RefusedError, match="more than 536,870,912 bytes"):
            use(large)
    assert large.stat().st_size == (1 << 29) + 1
    lines = tmp_path / "lines"
    lines.write_bytes(b"\n" * 3_000_001)
    with pytest.raises(RefusedError, match="more than 3,000,000 lines"):
        read_journal(lines, refuse)
