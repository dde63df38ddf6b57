"""Files that are written: no planted link is followed, what was there keeps its mode, and a file
that somebody replaced is noticed."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from session_runs import Service

from llm_adapters import files
from llm_adapters.errors import RecordError
from llm_adapters.journal import OWN, Journal
from llm_adapters.session import Session
from mechproof.cli import main
from mechproof.experiments._rows import appending
from mechproof.files import check_writable, write_whole
from mechproof.sweep import Grid, load_sweep, run_sweep
from mechproof.sweep.heat_map import HeatMap
from theory.errors import InvalidInputError
from theory.shared import links

pytestmark = pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
SOMEBODY = 12_345


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def double(x: int) -> int:
    return 2 * x


def by_a_sweep(path: Path) -> None:
    run_sweep(Grid({"x": [1]}), double, jobs=1, results=path)


def by_a_session(path: Path) -> None:
    with Session(record=path) as session:
        session.call_many([Service().call(0)])


def by_an_experiment(path: Path) -> None:
    with appending(path) as append:
        append({"row": 1})


def whole(path: Path) -> None:
    write_whole(path, "new", "--out")


def drawn(path: Path) -> None:
    HeatMap("x", "y", "v", (0,), (1,), ((2,),)).draw(path)


APPENDED: list[Callable[[Path], None]] = [by_a_sweep, by_a_session, by_an_experiment]
WRITTEN = [*APPENDED, whole, drawn]


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Path]:
    """Return a folder where everybody may write, such as /tmp."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    yield folder
    folder.chmod(0o700)


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    path = tmp_path / "victim"
    path.write_text("precious", encoding="utf-8")
    return path


def test_a_link_planted_under_the_name_that_was_used_is_not_followed(
    shared: Path, victim: Path
) -> None:
    target = shared / "report.html"
    planted = shared / f".report.html.{os.getpid()}.part"
    planted.symlink_to(victim)
    check_writable(target, "--html")
    write_whole(target, "page", "--html")
    assert victim.read_text(encoding="utf-8") == "precious"
    assert target.read_text(encoding="utf-8") == "page"
    assert not target.is_symlink()
    assert sorted(p.name for p in shared.iterdir()) == [planted.name, target.name]


def test_whoever_guesses_the_name_gains_nothing(
    shared: Path, victim: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mechproof.files.token_hex", lambda n: "0" * 2 * n)
    write_whole(shared / "a", "first", "--out")
    (shared / f".a.{'0' * 32}.part").symlink_to(victim)
    with pytest.raises(InvalidInputError, match="cannot be written"):
        write_whole(shared / "a", "second", "--out")
    assert victim.read_text(encoding="utf-8") == "precious"
    assert (shared / "a").read_text(encoding="utf-8") == "first"


def test_no_two_files_in_the_making_have_the_same_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    real = os.replace
    monkeypatch.setattr(os, "replace", lambda a, b: (seen.append(str(a)), real(a, b)))
    for _ in range(3):
        write_whole(tmp_path / "a", "x", "--out")
    assert len(set(seen)) == 3


@pytest.mark.parametrize(("before", "after"), [(0o600, 0o600), (0o4755, 0o755), (None, 0o640)])
def test_a_file_in_the_making_is_its_owners_alone(
    before: int | None, after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody reads what is to replace a closed file, and no right to run as another is kept."""
    path = tmp_path / "report"
    if before is not None:
        path.touch()
        path.chmod(before)
    made: list[int] = []
    opened: Any = os.open

    def noted(*what: Any) -> Any:
        file = opened(*what)
        made.append(stat.S_IMODE(os.fstat(file).st_mode))
        return file

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", noted)
        umask = os.umask(0o027)
        try:
            write_whole(path, "new", "--out")
        finally:
            os.umask(umask)
    assert made == [0o640 if before is None else 0o600]
    assert mode(path) == after


@pytest.mark.parametrize("write", [whole, drawn])
def test_a_link_of_ones_own_is_followed_and_stays(
    write: Callable[[Path], None], tmp_path: Path
) -> None:
    real = tmp_path / "real"
    real.mkdir()
    link = tmp_path / "out.svg"
    link.symlink_to(real / "there.svg")
    for _ in range(2):  # first it leads to nothing, then to a file
        write(link)
        assert link.is_symlink()
        assert (real / "there.svg").stat().st_size > 0
    assert [p.name for p in real.iterdir()] == ["there.svg"]


@pytest.mark.parametrize("write", APPENDED)
def test_rows_are_appended_through_a_link_of_ones_own(
    write: Callable[[Path], None], tmp_path: Path
) -> None:
    link = tmp_path / "rows.jsonl"
    link.symlink_to(tmp_path / "there.jsonl")
    write(link)
    assert link.is_symlink()
    assert (tmp_path / "there.jsonl").stat().st_size > 0


@pytest.mark.skipif(not IS_ROOT, reason="only root gives files away")
@pytest.mark.parametrize("write", WRITTEN)
@pytest.mark.parametrize("there", [True, False])
def test_a_link_that_somebody_else_planted_is_refused(
    write: Callable[[Path], None], there: bool, shared: Path, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    if there:
        victim.write_bytes(b"")
    link = shared / "out.svg"
    link.symlink_to(victim)
    os.chown(link, SOMEBODY, SOMEBODY, follow_symlinks=False)
    with pytest.raises((InvalidInputError, RecordError), match="link that another user made"):
        write(link)
    assert victim.exists() is there
    assert not there or victim.read_bytes() == b""
    assert link.is_symlink()


@pytest.mark.parametrize(
    ("user", "link", "folder", "folder_mode", "foreign"),
    [
        (1, 1, 0, 0o1777, False),
        (1, 2, 0, 0o1777, True),
        (1, 0, 0, 0o1777, False),
        (1, 2, 2, 0o1777, False),  # the owner of the folder made it
        (1, 2, 2, 0o2775, False),
        (1, 2, 1, 0o1777, True),
        (1, 0, 2, 0o1777, True),
        (1, 2, 0, 0o1775, True),
        (1, 2, 0, 0o755, False),
        (0, 2, 0, 0o1777, True),
    ],
)
def test_whose_links_are_followed(
    user: int, link: int, folder: int, folder_mode: int, foreign: bool
) -> None:
    assert links.is_foreign(user, link, folder, folder_mode) is foreign


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="links have owners on POSIX alone")
@pytest.mark.parametrize("planted", ["folder", "behind my own", "behind my own folder", "file"])
def test_no_link_of_others_is_followed_wherever_it_stands(
    tmp_path: Path, planted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, home = tmp_path / "shared", tmp_path / "home"
    for folder in (shared, home):
        folder.mkdir()
    (home / "file").write_text("mine", encoding="utf-8")
    (shared / "folder").symlink_to(home)
    (shared / "file").symlink_to(home / "file")
    (tmp_path / "own").symlink_to(shared / "file")
    (tmp_path / "reports").symlink_to(shared / "folder")
    paths = {
        "folder": shared / "folder" / "file",
        "behind my own": tmp_path / "own",
        "behind my own folder": tmp_path / "reports" / "file",
        "file": shared / "file",
    }
    assert files.real_path(paths[planted]).samefile(home / "file")
    asked: list[int] = []

    def foreign(user: int, link: int, folder: int, folder_mode: int) -> bool:
        asked.append(folder_mode)
        return folder_mode == shared.stat().st_mode and len(asked) >= 1

    shared.chmod(0o1777)
    monkeypatch.setattr(links, "is_foreign", foreign)
    with pytest.raises(PermissionError, match="link that another user made"):
        files.real_path(paths[planted])


def test_what_is_replaced_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "a"
    for bits in (0o600, 0o640, 0o444):
        path.touch()
        path.chmod(bits)
        write_whole(path, "x", "--out")
        assert mode(path) == bits


def test_a_new_file_has_the_mode_that_the_user_set(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "a", "x", "--out")
        drawn(tmp_path / "b.svg")
    finally:
        os.umask(before)
    assert mode(tmp_path / "a") == mode(tmp_path / "b.svg") == 0o640


@pytest.mark.parametrize("write", [by_a_sweep, by_a_session])
def test_results_and_records_are_for_their_owner_alone(
    write: Callable[[Path], None], tmp_path: Path
) -> None:
    before = os.umask(0o002)
    try:
        write(tmp_path / "new")
    finally:
        os.umask(before)
    assert mode(tmp_path / "new") == 0o600


@pytest.mark.parametrize("write", [by_a_sweep, by_a_session])
def test_who_opened_a_file_to_others_finds_it_open(
    write: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "rows"
    path.touch()
    path.chmod(0o644)
    write(path)
    assert mode(path) == 0o644


def test_a_picture_is_there_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.svg"
    path.write_text("before", encoding="utf-8")

    def fails(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(InvalidInputError, match="No space left"):
        drawn(path)
    assert path.read_text(encoding="utf-8") == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["a.svg"]


# --- a file that is replaced while it is written


def replaced(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    os.replace(other, path)


@pytest.mark.parametrize("taken", [replaced, os.unlink])
@pytest.mark.parametrize("before", [0, 2])
def test_a_record_that_is_replaced_while_in_use_is_said(
    taken: Callable[[Path], None], before: int, tmp_path: Path
) -> None:
    path = tmp_path / "record"
    service = Service()
    with Session(record=path) as session:
        session.call_many([service.call(i) for i in range(before)])
        taken(path)
        with pytest.raises(RecordError, match="no longer the file that was opened"):
            session.call_many([service.call(before)])
        with pytest.raises(RecordError, match="no longer the file that was opened"):
            session.call_many([service.call(before + 1)])
    assert session.failure is not None


@pytest.mark.parametrize("taken", [replaced, os.unlink])
@pytest.mark.parametrize("at", [1, 3])
def test_results_that_are_replaced_while_a_sweep_runs_are_said(
    taken: Callable[[Path], None], at: int, tmp_path: Path
) -> None:
    path = tmp_path / "results"

    def check(x: int) -> int:
        if x == at:
            taken(path)
        return x

    with pytest.raises(InvalidInputError, match="no longer the file that was opened"):
        run_sweep(Grid({"x": [1, 2, 3, 4]}), check, jobs=1, results=path)
    if path.exists():
        assert len(load_sweep(path).rows) == at - 1


@pytest.mark.parametrize(
    "held",
    [b"precious contents without an end", b"precious\n", b'{"a":2', b'{"a":10}', b"[1]\n", b" "],
)
def test_an_experiment_cuts_no_file_that_does_not_begin_as_its_own(
    held: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(held)
    with (
        pytest.raises(InvalidInputError, match=r"line 1 of rows\.jsonl is"),
        appending(path, [{"a": 1}]),
    ):
        pass
    assert path.read_bytes() == held


@pytest.mark.parametrize("cut", range(8))
def test_the_first_row_of_an_experiment_may_be_cut_off_anywhere(cut: int, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"a":1,"b":2}\n'[:cut])
    with appending(path, [{"a": 1}], lambda row: "b" in row) as append:
        assert append.rows == []
        append({"a": 1, "b": 2})
    assert path.read_bytes() == b'{"a":1,"b":2}\n'


@pytest.mark.skipif(not IS_ROOT, reason="only root gives files away")
def test_an_experiment_reads_and_cuts_nothing_over_a_link_of_somebody_else(
    shared: Path, victim: Path
) -> None:
    link = shared / "rows.jsonl"
    link.symlink_to(victim)
    os.chown(link, SOMEBODY, SOMEBODY, follow_symlinks=False)
    with (
        pytest.raises(InvalidInputError, match="link that another user made"),
        appending(link, [{"a": 1}]),
    ):
        pass
    assert victim.read_text(encoding="utf-8") == "precious"


@pytest.mark.parametrize("write", APPENDED)
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_rows_are_appended_to_regular_files_alone(
    kind: str, write: Callable[[Path], None], tmp_path: Path
) -> None:
    path = Path("/dev/null")
    if kind == "pipe":
        path = tmp_path / "pipe"
        os.mkfifo(path)
    with pytest.raises((InvalidInputError, RecordError), match="no regular file"):
        write(path)


@pytest.mark.parametrize("write", APPENDED)
def test_two_do_not_append_at_once(write: Callable[[Path], None], tmp_path: Path) -> None:
    with (
        Journal(tmp_path / "rows", OWN, lambda problem, fix: AssertionError(problem)),
        pytest.raises((InvalidInputError, RecordError), match="being written by another process"),
    ):
        write(tmp_path / "rows")


@pytest.mark.parametrize("name", ["a\0b", "x" * 300])
@pytest.mark.parametrize(
    "use",
    [
        lambda path: check_writable(path, "--json"),
        lambda path: write_whole(path, "", "--json"),
        by_a_sweep,
        load_sweep,
    ],
    ids=["check_writable", "write_whole", "run_sweep", "load_sweep"],
)
def test_a_name_that_no_file_can_have_is_refused(
    use: Callable[[Path], None], name: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInputError):
        use(tmp_path / name)


def test_a_file_of_settings_may_have_so_many_bytes_and_no_more(tmp_path: Path) -> None:
    place = tmp_path / "settings"
    place.write_bytes(b"12345")
    assert files.read_small(place, 5) == b"12345"
    with pytest.raises(OSError, match="more than 4 bytes"):
        files.read_small(place, 4)


@pytest.mark.parametrize("write", WRITTEN)
@pytest.mark.parametrize("last", ["first.svg", "second"])
def test_links_that_lead_in_a_circle_are_refused(
    write: Callable[[Path], None], last: str, tmp_path: Path
) -> None:
    (tmp_path / "first.svg").symlink_to(tmp_path / "second")
    (tmp_path / "second").symlink_to(tmp_path / last)
    with pytest.raises((InvalidInputError, RecordError), match="symbolic links"):
        write(tmp_path / "first.svg")
    assert {path.name for path in tmp_path.iterdir()} == {"first.svg", "second"}
    assert all(path.is_symlink() for path in tmp_path.iterdir())


@pytest.mark.parametrize(
    "arguments",
    [
        ["verify", "--json", "loop", "--html", "loop"],
        ["play", "arena", "--seat", "you=local", "--file", "loop", "--record", "loop"],
        ["demo", "inspection", "--record", "loop", "--replay", "loop"],
        ["sweep", "sweep.toml", "--csv", "loop", "--results", "loop"],
    ],
)
def test_commands_refuse_links_that_lead_in_a_circle(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "sweep.toml").write_text("check = 'mechproof.sweep.examples:auction'\n[axes]\n")
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 2
    assert isinstance(done.exception, SystemExit)
