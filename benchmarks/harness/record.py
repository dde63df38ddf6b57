"""What a run leaves: one line of JSON for each thing measured, to be read back and added to."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Literal

import msgspec

from llm_adapters.journal import Journal, Lines, read_journal, whole_lines
from theory.errors import InvalidInputError

__all__ = [
    "Climb",
    "Climbed",
    "Grown",
    "Judged",
    "Kept",
    "Result",
    "Run",
    "Side",
    "Status",
    "Timed",
    "append",
    "installed",
    "latest",
    "read",
    "this_run",
]

FORMAT = 1
OURS = ("numpy", "scipy", "numba", "jax", "msgspec")
ROOT = Path(__file__).resolve().parents[2]

Status = Literal["measured", "missing", "differs", "failed"]


class Run(msgspec.Struct, frozen=True):
    """When, of what and where."""

    date: str
    commit: str
    machine: str
    processors: int
    load: float
    python: str
    versions: dict[str, str]
    quick: bool = False


class Judged(msgspec.Struct, frozen=True):
    """A target of an issue, what was measured, and whether that reaches it; None: not measured."""

    says: str
    figure: float | None
    reached: bool | None


class Side(msgspec.Struct, frozen=True):
    """Seconds of one side; an estimate where it did a part of the work."""

    name: str
    warm: list[float] = []
    cold: float | None = None
    process: float | None = None
    megabytes: float | None = None
    estimated: bool = False


class _Measured(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    issue: int
    work: str
    status: Status = "measured"
    note: str = ""
    targets: list[Judged] = []
    versions: dict[str, str] = {}


class Timed(_Measured, frozen=True, kw_only=True, tag="row"):
    ours: Side
    peer: Side | None = None
    faster: list[float] = []
    """The peer's seconds over ours, pair by pair."""
    values: dict[str, float] = {}


class Grown(_Measured, frozen=True, kw_only=True, tag="growth"):
    """Median seconds by size, and the exponent fitted to them with the least and greatest between
    neighbouring sizes."""

    ours: dict[int, float]
    peer: dict[int, float] = {}
    ours_name: str = "ours"
    peer_name: str = ""
    exponent: list[float] = []
    peer_exponent: list[float] = []


class Climb(msgspec.Struct, frozen=True):
    """The last step done within the limit, its seconds, and what stands in the way of the next."""

    method: str
    last: str
    seconds: float | None
    next: str


class Climbed(_Measured, frozen=True, kw_only=True, tag="ladder"):
    climbs: list[Climb] = []


Result = Timed | Grown | Climbed


class Kept(msgspec.Struct, frozen=True):
    """A line of the file."""

    run: Run
    result: Result
    format: int = FORMAT


def append(path: Path, kept: Kept) -> None:
    """Add one line; what an interrupted run left of a line is cut off first.

    Raises
    ------
    InvalidInputError
        As :func:`read`, and where the file cannot be written or another process writes it.
    """
    with Journal(path, 0o666, _refusal(path)) as journal:
        journal.begin(_lines(path, journal.read()))
        journal.append(msgspec.json.encode(kept))


def read(path: Path) -> list[Kept]:
    """What the file holds; a last line that was not written to its end is left out.

    Raises
    ------
    InvalidInputError
        When there is no such file, or a line of it is none of ours.
    """
    return _lines(path, read_journal(path, _refusal(path))).found


def _lines(path: Path, data: bytes) -> Lines[Kept]:
    def damaged(number: int) -> InvalidInputError:
        problem = f"has a line {number} that is none of ours, of format {FORMAT}"
        return _refusal(path)(problem, "delete that line")

    return whole_lines(data, _kept, damaged, header=0)


def _kept(line: bytes) -> Kept | None:
    try:
        kept = msgspec.json.decode(line, type=Kept)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return kept if kept.format == FORMAT else None


def _refusal(path: Path) -> Callable[[str, str], InvalidInputError]:
    return lambda problem, fix: InvalidInputError("results", str(path), problem, fix)


def latest(kept: Iterable[Kept]) -> list[Kept]:
    """The newest line of each row, in the order in which rows first appear.

    A quick one counts only where there is no other.
    """
    newest: dict[str, Kept] = {}
    for each in kept:
        known = newest.get(each.result.id)
        if known is None or _rank(each) >= _rank(known):
            newest[each.result.id] = each
    return list(newest.values())


def _rank(kept: Kept) -> tuple[bool, str]:
    return not kept.run.quick, kept.run.date


def installed(distribution: str) -> str | None:
    """Return its version, or None."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def this_run(quick: bool = False) -> Run:
    found = {name: installed(name) for name in OURS}
    return Run(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        commit=_commit(),
        machine=_machine(),
        processors=os.cpu_count() or 1,
        load=os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0,
        python=platform.python_version(),
        versions={name: version for name, version in found.items() if version},
        quick=quick,
    )


def _commit() -> str:
    """The commit checked out, with "+" where tracked files differ from it."""
    try:
        return _git("rev-parse", "--short=10", "HEAD") + (
            "+" if _git("status", "--porcelain", "--untracked-files=no") else ""
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _machine() -> str:
    """The processor and the system, but no name of the machine."""
    model = platform.processor() or platform.machine()
    try:
        lines: Sequence[str] = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = ()
    for line in lines:
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    return f"{model}, {platform.system()} {platform.machine()}"
