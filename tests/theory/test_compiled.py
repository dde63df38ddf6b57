"""Kernels run as plain Python and as machine code; what is compiled is kept by its content."""

from __future__ import annotations

import io
import multiprocessing.process
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from sweeps import in_turns

from dev import ROOT
from theory.shared import compiling
from theory.shared.compiling import cheapest, kernel, machine_code, unordered_kernel

IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0

# --- a small package of kernels, in files of its own

NUMBERS = "SHARE = 0.5\n"
PARTS = """
from shop.numbers import SHARE
from theory.shared.compiling import kernel

@kernel
def shared(x):
    return SHARE * x
"""
KERNELS = """
from shop.parts import shared
from theory.shared.compiling import kernel

@kernel
def total(values):
    found = 0.0
    for i in range(len(values)):
        found += shared(values[i])
    return found
"""
INNER = """
from shop.numbers import SHARE
from theory.shared.compiling import kernel

@kernel
def shared(x):
    return max([SHARE * y for y in (x, x)])
"""
PROGRAM = """
import sys
import numpy as np
from numba.core.event import install_recorder
from shop.kernels import total
from theory.shared.compiling import machine_code
with install_recorder("numba:compile") as found:
    answer = machine_code(total, exact=True)(np.ones(3))
print(float(answer), len(found.buffer) // 2)
"""


def shop(folder: Path, age: int = 0, **files: str) -> Path:
    """Write the package into a folder, as old as is said in days."""
    texts = {"__init__": "", "numbers": NUMBERS, "parts": PARTS, "kernels": KERNELS} | files
    (folder / "shop").mkdir(parents=True)
    for name, text in texts.items():
        path = folder / "shop" / f"{name}.py"
        path.write_text(text)
        date = path.stat().st_mtime - 86_400 * age
        os.utime(path, (date, date))
    return folder


def settings(folder: Path, caches: Path) -> dict[str, str]:
    paths = os.pathsep.join([str(folder), str(ROOT)])
    left = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA")}
    return {**left, "PYTHONPATH": paths, "XDG_CACHE_HOME": str(caches)}


def ran(folder: Path, caches: Path, program: str = PROGRAM, **more: str) -> list[str]:
    """Run the program; return the total, and how many kernels were compiled."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=settings(folder, caches) | more,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr, "nothing is announced where no terminal is"
    return done.stdout.split()


def test_what_is_compiled_is_kept_by_its_content(tmp_path: Path) -> None:
    caches = tmp_path / "caches"
    assert ran(shop(tmp_path / "one"), caches) == ["1.5", "2"]
    assert ran(shop(tmp_path / "elsewhere" / "two", age=400), caches) == ["1.5", "0"]
    assert not list(tmp_path.glob("*/**/shop/__pycache__/*.nb?")), "nothing lies beside sources"
    called = PARTS.replace("SHARE * x", "SHARE + x")
    assert ran(shop(tmp_path / "three", parts=called), caches) == ["4.5", "2"]
    assert ran(tmp_path / "one", caches) == ["1.5", "0"], "what was there is still there"


PLACES = """
from shop.kernels import total
from theory.shared.compiling import machine_code_folder
print(machine_code_folder(total))
"""


def test_what_changed_is_kept_elsewhere(tmp_path: Path) -> None:
    changes = {
        "nothing": {},
        "a comment": {"kernels": KERNELS.replace("@kernel", "# a comment\n\n@kernel")},
        "a kernel that is called": {"parts": PARTS.replace("SHARE * x", "SHARE + x")},
        "a number that it reads": {"numbers": "SHARE = 2.0\n"},
        "the kernel itself": {"kernels": KERNELS.replace("0.0", "1.0")},
        "a number that an inner loop reads": {"numbers": "SHARE = 3.0\n", "parts": INNER},
        "that number": {"numbers": "SHARE = 4.0\n", "parts": INNER},
        "its liberties": {"parts": PARTS.replace("kernel", "fused_kernel")},
    }
    where = {
        what: ran(shop(tmp_path / what, **files), tmp_path, PLACES)[0]
        for what, files in changes.items()
    }
    assert where.pop("a comment") == where["nothing"]
    assert len(set(where.values())) == 7


def test_a_copy_of_the_checkout_keeps_machine_code_in_the_same_place(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    for package in ("theory", "mechanisms"):
        left_out = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, copy / package, ignore=left_out, copy_function=shutil.copy)
    program = """
from theory.shared.compiling import machine_code_folder
from mechanisms.softmax_auction._kernels import pay, report
from mechanisms.learners._kernels import play_rounds
from theory.fixed_point._kernels_elimination import stationary
for kernel in (pay, report, play_rounds, stationary):
    print(machine_code_folder(kernel), machine_code_folder(kernel, exact=True))
"""
    here, there = (
        subprocess.run(
            [sys.executable, "-c", program],
            env=settings(folder, tmp_path / "caches") | {"PYTHONPATH": str(folder)},
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for folder in (ROOT, copy)
    )
    assert here == there
    assert len(set(here.split())) == 6, "two take liberties, and have two kinds of machine code"


def test_processes_at_once_share_what_they_compile(tmp_path: Path) -> None:
    folder, caches = shop(tmp_path / "one"), tmp_path / "caches"
    both = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            env=settings(folder, caches),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in both:
        said, complaints = process.communicate()
        assert said.startswith("1.5 "), complaints
    assert ran(folder, caches) == ["1.5", "0"]


def test_where_nothing_may_be_written_it_is_compiled_all_the_same(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    assert ran(shop(tmp_path / "one"), blocked) == ["1.5", "2"]


CUT = [("nbi", 0), ("nbc", 40), ("nbc", 0), ("nbi", 40)]


@pytest.mark.parametrize(("ending", "length"), in_turns(CUT, 4))
def test_a_file_that_was_cut_off_is_written_anew(tmp_path: Path, ending: str, length: int) -> None:
    folder, caches = shop(tmp_path / "one"), tmp_path / "caches"
    assert ran(folder, caches) == ["1.5", "2"]
    for file in caches.rglob(f"*.{ending}"):
        os.truncate(file, length)
    assert ran(folder, caches) == ["1.5", "2"]
    assert ran(folder, caches) == ["1.5", "0"]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders have owners on POSIX alone")
@pytest.mark.parametrize("mode", in_turns([0o777, 0o775, 0o702], 3))
def test_machine_code_that_others_may_write_is_not_read(tmp_path: Path, mode: int) -> None:
    folder, caches = shop(tmp_path / "one"), tmp_path / "caches"
    ran(folder, caches)
    for file in caches.rglob("*.nbc"):
        file.parent.chmod(mode)
    assert ran(folder, caches) == ["1.5", "2"]
    assert ran(folder, caches) == ["1.5", "0"]


@pytest.mark.skipif(not IS_ROOT, reason="only root gives files away")
@pytest.mark.parametrize("mine", [False, True])
@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o755])
def test_no_machine_code_is_written_over_a_link_of_a_stranger(
    tmp_path: Path, mode: int, mine: bool
) -> None:
    folder, shared, private = shop(tmp_path / "one"), tmp_path / "shared", tmp_path / "private"
    shared.mkdir()
    private.mkdir()
    shared.chmod(mode)
    (shared / "caches").symlink_to(private)
    os.lchown(shared / "caches", 1234, 1234)
    (tmp_path / "mine").symlink_to(shared / "caches")  # a link of one's own that leads to it
    named = tmp_path / "mine" if mine else shared / "caches"
    assert ran(folder, tmp_path / "other", NUMBA_CACHE_DIR=str(named)) == ["1.5", "2"]
    assert bool(list(private.iterdir())) is (mode == 0o755)


def test_a_folder_that_is_named_for_numba_is_used(tmp_path: Path) -> None:
    folder, named = shop(tmp_path / "one"), tmp_path / "named"
    ran(folder, tmp_path / "caches", NUMBA_CACHE_DIR=str(named))
    assert not (tmp_path / "caches").exists()
    assert list(named.glob("mechproof-numba/shop.kernels.total-*/*.nbc"))


def test_what_nobody_used_for_a_month_is_forgotten(tmp_path: Path) -> None:
    caches = tmp_path / "caches"
    kept = caches / "mechproof" / "numba"
    old, recent = kept / f"old.kernel-{'0' * 20}", kept / f"recent.kernel-{'0' * 20}"
    for path, days in ((old, 31), (recent, 29)):
        path.mkdir(parents=True)
        for name in ("code.nbc", "code.nbi", "code.nbi.tmp.0f"):
            (path / name).write_bytes(b"")
        date = path.stat().st_mtime - 86_400 * days
        os.utime(path, (date, date))
    ran(shop(tmp_path / "one"), caches)
    assert not old.exists()
    assert (recent / "code.nbc").exists()
    used = {path: path.stat().st_mtime for path in kept.glob("shop.*")}
    assert len(used) == 2
    for path, date in used.items():
        os.utime(path, (date - 86_400 * 31, date - 86_400 * 31))
    ran(tmp_path / "one", caches)
    entry = next(kept.glob("shop.kernels.total-*"))
    assert entry.stat().st_mtime > used[entry] - 86_400, "what is used is as if it were new"


@pytest.mark.parametrize("folder", ["mechproof", "mechproof-numba"])
def test_what_others_keep_where_machine_code_is_kept_stays_however_old(
    tmp_path: Path, folder: str
) -> None:
    away, place = tmp_path / "away", tmp_path / "named" / folder
    names = ("docs", ".git", "my-old-work", f"theirs.f-{'a' * 21}")
    files = [*(place / name / "code.nbc" for name in names), away / "code.nbc"]
    files.append(place / f"ours.f-{'a' * 20}" / "notes.txt")
    for file in files:
        file.parent.mkdir(parents=True)
        file.write_text("precious")
        os.utime(file.parent, (0, 0))
    (place / f"link.f-{'a' * 20}").symlink_to(away)
    ran(shop(tmp_path / "one"), tmp_path / "caches", NUMBA_CACHE_DIR=str(tmp_path / "named"))
    assert [file.read_text() for file in files] == ["precious"] * len(files)
    assert (place / f"link.f-{'a' * 20}").is_symlink()


# --- when there is machine code


@kernel
def _doubled(values: Any) -> Any:
    total = 0.0
    for i in range(len(values)):
        total += 2.0 * values[i]
    return total


@unordered_kernel
def _plus(a: Any, b: Any) -> Any:
    return a + b


@kernel
def _freely(values: Any) -> Any:
    total = 0.0
    for i in range(len(values)):
        total = _plus(total, values[i] / 3.0)
    return total


def test_machine_code_comes_when_the_work_is_worth_it() -> None:
    values = np.arange(5.0)
    first = cheapest(_doubled, 10)
    assert first(values) == 20.0
    assert type(first(values)) is float, "as machine code gives it"
    assert not hasattr(first, "signatures")
    for _ in range(10):
        assert not hasattr(cheapest(_doubled, 10), "signatures")
    found: Any = cheapest(_doubled, 1e9)
    assert found(values) == 20.0
    assert len(found.signatures) == 1
    assert cheapest(_doubled, 1) is found, "from now on"
    assert cheapest(len, 1e9) is len, "what is no kernel is returned as it is"


def test_liberties_are_taken_where_they_are_asked_for() -> None:
    values = np.random.default_rng(2).normal(size=100_000)
    exact, free = machine_code(_freely, exact=True), machine_code(_freely)
    assert exact(values) == _freely(values)
    assert free(values) != exact(values), "so many sums in another order are other bits"
    assert free(values) == pytest.approx(exact(values), abs=1e-8)
    assert machine_code(_doubled) is machine_code(_doubled, exact=True)


_LIST = [1.0]


@kernel
def _reading(x: Any) -> Any:
    return x + _LIST[0]


@kernel
def _reading_a_module(x: Any) -> Any:
    return x + sys.maxsize


def _around(y: float) -> Any:
    @kernel
    def inside(x: Any) -> Any:
        return x + y

    return inside


@kernel
def _calling_itself(x: Any) -> Any:
    return x if x < 1 else _calling_itself(x - 1)


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (_reading, "_LIST"),
        (_reading_a_module, "reads sys"),
        (_around(1.0), "function around it"),
        (_calling_itself, "calls itself"),
    ],
)
def test_a_kernel_reads_numbers_and_kernels_only(function: Any, why: str) -> None:
    with pytest.raises(TypeError, match=why):
        machine_code(function)


@kernel
def _squared(x: Any) -> Any:
    return x * x


@kernel
def _announced(x: Any) -> Any:
    return _squared(x) + 1.0


@kernel
def _quick(x: Any) -> Any:
    return x - 1.0


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("terminal", "worker"), [(True, False), (False, False), (True, True), (False, True)]
)
def test_long_compiling_is_announced_on_a_terminal_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, terminal: bool, worker: bool
) -> None:
    monkeypatch.setattr(multiprocessing.process, "parent_process", lambda: worker or None)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    anew = kernel(FunctionType(_announced.__code__, globals(), "_announced"))
    stream = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(compiling, "_LONG", 0)
    assert machine_code(anew)(3.0) == 10.0
    said = stream.getvalue()
    assert said.count("compiling") == (terminal and not worker)
    if said:
        assert "mechproof: compiling test_compiled._announced" in said
        assert said.endswith("\r"), "it is wiped off again"


def test_short_compiling_is_not_announced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))  # nothing is compiled yet
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    assert machine_code(_quick)(3.0) == 2.0
    assert not stream.getvalue()


FIRST_AUCTION = """
from mechproof import softmax_auction
softmax_auction([[0.0, 2.0, 0.0], [0.0, 0.0, 1.0]], tau=1.0)
"""
FIRST_BLOTTO = """
import numpy as np
from mechanisms.learners import InternalFTPL, play_game
from theory.actions import blotto
game = blotto(fields=8, troops=16)
learners = [
    InternalFTPL(actions, rng=np.random.default_rng(seed), samples=20, constants=True)
    for seed, actions in enumerate(game.sets)
]
play_game(game, learners, rounds=20)
"""


@pytest.mark.parametrize("program", [FIRST_AUCTION, FIRST_BLOTTO], ids=["auction", "blotto"])
def test_the_first_small_call_of_all_compiles_nothing(program: str, tmp_path: Path) -> None:
    told = "\nimport sys\nfrom theory.shared.compiling import versions as used"
    told += "\nprint(used(), *sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program + told],
        cwd=ROOT,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    compiled, *loaded = done.stdout.split()
    assert compiled == "0"
    assert not {"numba", "jax"} & set(loaded)
