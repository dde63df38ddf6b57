"""The gates of this checkout: what they run, what each part of them sees, what of it passed."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from dev_environments import ROOT, Environment, cache, kept, processor
from passed import TOOLS, Passes, Sources, commits

PACKAGES = ("theory", "mechanisms", "llm_adapters", "papers", "mechproof")
PAGES = ("README.md", "docs")
DOCTESTS = ("--doctest-modules", "--doctest-glob=*.md")
PYTEST = (
    "pytest",
    "-n2",
    "--dist=worksteal",  # neighbours stay together, and share what they load and compile
    "-m",
    "not slow and not llm",
)
EVERY_TEST = (*PACKAGES, *PAGES, "tests")
# In order; what stands together runs at once, and the last of it prints as it goes.
Gates = tuple[dict[str, tuple[str, ...]], ...]
STYLE: Gates = ({"format": ("ruff", "format", "--check")}, {"lint": ("ruff", "check")})
GATES: Gates = (
    *STYLE,
    {"layers": ("lint-imports",), "types (mypy)": ("mypy",)},
    {  # pyright keeps one processor busy for a minute or two
        "types (pyright)": ("pyright",),
        "tests": (*PYTEST, *DOCTESTS, *EVERY_TEST),
    },
    {"claims": ("mechproof", "verify", "--profile", "quick")},
)
CORE_GATES: Gates = (*STYLE, {"core tests": (*PYTEST, "@tests/core.txt")})
ANEW = "MECHPROOF_ANEW"
SETTINGS = (
    "HYPOTHESIS_",
    "JAX_",
    "LANG",
    "LC_",
    "MECHPROOF_",
    "NUMBA_",
    "OMP_",
    "PYTEST_",
    "PYTHON",
)
"""How the names of variables begin that results may depend on."""
GATE_SETTINGS = {
    "HYPOTHESIS_PROFILE": "ci",
    "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1",  # otherwise it asks the network for a newer pyright
}


def passes(checkout: Environment, *more: str) -> Passes | None:
    """Return what is known to have passed in this environment; None where git does not answer."""
    places = ("lib/*/site-packages/*.dist-info", "Lib/site-packages/*.dist-info")
    installed = sorted({path.name for place in places for path in checkout.path.glob(place)})
    settings = sorted(
        f"{name}={value}"
        for name, value in os.environ.items()
        if name.startswith(SETTINGS) and name != ANEW
    )
    about = (sys.version, sys.platform, processor(), *installed, *settings, *more)
    with suppress(OSError, subprocess.CalledProcessError):
        return Passes(Sources(ROOT, PACKAGES), cache() / "passed", about)
    return None


def parts_of(gate: str, sources: Sources) -> dict[str, set[str]]:
    """Return the parts of a gate that are kept each for itself, and what each of them sees."""
    names = [name for name in sources.hashes if name.endswith((".py", ".md"))]
    if gate == "types (pyright)":
        ours = (*(f"{name}/" for name in (*PACKAGES, "tests")), *TOOLS)
        python = [name for name in names if name.endswith(".py") and name.startswith(ours)]
        return {name: sources.seen(name, blind=False) for name in python}
    if gate == "tests":
        return {name: sources.seen(name, "tests/conftest.py") for name in names if is_test(name)}
    if gate == "claims":
        application = {name for name in sources.hashes if name.startswith("mechproof/")}
        own: dict[str, list[str]] = {}
        for name in names:
            if name.startswith("papers/") and not name.endswith("papers/__init__.py"):
                own.setdefault(Path(name).with_suffix("").parts[1], []).append(name)
        return {paper: sources.seen(*own[paper]) | application for paper in own}
    code = {name for name in sources.hashes if name.startswith(sources.packages)} | sources.always
    if gate == "wheel":
        shipped = ("README.md", "LICENSE", "tests/installed/")
        return {gate: code | {name for name in sources.hashes if name.startswith(shipped)}}
    if gate == "test-llm":  # helpers may be started as programs, so all of them count
        tests = {name for name in names if name.startswith("tests/") and not is_test(name)}
        return {gate: code | tests | {name for name in names if is_test(name) and is_llm(name)}}
    return {}


def is_test(name: str) -> bool:
    """Tell whether pytest may find tests in a file of Python or of text."""
    if name.startswith("tests/"):
        return Path(name).name.startswith("test_")
    return name.startswith((*PACKAGES, *PAGES)) and ">>>" in (ROOT / name).read_text("utf-8")


def is_llm(name: str) -> bool:
    """Tell whether a file has tests of the local language model."""
    return "mark.llm" in (ROOT / name).read_text("utf-8")


def unless_passed(gate: str, environment: Environment, run: Callable[[], int], *about: str) -> int:
    """Run a job unless it is known to pass for the same sources; return its exit status."""
    known = passes(environment, *about)
    if known is None:
        return run()
    stale = known.stale(gate, parts_of(gate, known.sources))
    if not stale and not os.environ.get(ANEW):
        print(f"== {gate}: kept, it passed for the same sources", flush=True)
        return 0
    status = run()
    if status == 0:
        known.keep(stale.values())
    return status


def only(gate: str, command: tuple[str, ...], parts: Iterable[str]) -> tuple[str, ...]:
    """Return the command that runs these parts of a gate."""
    if gate == "claims":
        return (*command, *(word for paper in parts for word in ("--paper", paper)))
    if gate == "tests":  # those of what is kept bring their configuration along
        return (
            *command[: -len(EVERY_TEST)],
            *dict.fromkeys(("tests/project/test_passed.py", *parts)),
        )
    return (*command, *parts)


def without_errors(printed: str, parts: Iterable[str]) -> list[str]:
    """Return the files in which pyright found no error; none where it is unclear where it did."""
    places = re.findall(r"^  (\S.*?):\d+:\d+ - error", printed, re.MULTILINE)
    wrong = {Path(os.path.relpath(place, ROOT)).as_posix() for place in places}
    told = re.findall(r"^(\d+) errors?, ", printed, re.MULTILINE)
    if told != [str(len(places))] or not wrong or not wrong <= {*parts}:
        return []
    return [part for part in parts if part not in wrong]


def run_gate(
    checkout: Environment, name: str, command: tuple[str, ...], live: bool, known: Passes | None
) -> tuple[str, float, str]:
    """Run what of a gate is not known to pass; return how it ends and the seconds that it takes.

    What it prints comes third, unless it is live.
    """
    parts = parts_of(name, known.sources) if known else {}
    # Ten commits in a row check the types of all modules, so each test runs in one of eleven.
    turns = commits(ROOT) if name == "tests" else 0
    stale = known.stale(name, parts, turns) if known and not os.environ.get(ANEW) else parts
    title = f"\n== {name}: {shlex.join(command)}\n"
    if len(stale) < len(parts):
        command = only(name, command, stale)
        title += f"kept: {len(parts) - len(stale)} of {len(parts)} passed for the same sources\n"
    if live:
        print(title, end="", flush=True)
    if parts and not stale:
        return "kept", 0.0, "" if live else title
    shown: dict[str, Any] = {} if live else {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    settings = {
        **GATE_SETTINGS,
        "MYPY_CACHE_DIR": str(cache() / "mypy"),
        "JAX_COMPILATION_CACHE_DIR": str(kept("jax", "test", processor())),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0.1",
    }
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        told = Path(scratch) / "passed"
        settings["MECHPROOF_PASSED_TO"] = str(told)
        done = checkout.run(*command, cwd=ROOT, env=settings, check=False, **shown)
        good = [*stale] if done.returncode == 0 else []
        if done.returncode == 1 and name == "tests" and told.exists():
            good = [part for part in told.read_text("utf-8").splitlines() if part in stale]
    took = time.monotonic() - began
    if done.returncode == 1 and name == "types (pyright)":
        good = without_errors(done.stdout or "", stale)
    if known:
        known.keep(known.stale(name, {part: parts[part] for part in good}, turns).values())
    return "FAILED" if done.returncode else "passed", took, "" if live else title + done.stdout


def run_gates(checkout: Environment, rounds: Gates, known: Passes | None) -> int:
    """Run rounds of gates in order, and stop after the first that fails; return 1 if one does."""
    report: list[str] = []
    failed = False
    for gates in rounds:
        if failed:
            report += [f"not run           {name}" for name in gates]
            continue
        with ThreadPoolExecutor() as pool:
            running = {
                name: pool.submit(run_gate, checkout, name, command, last, known)
                for name, command in gates.items()
                for last in [name == list(gates)[-1]]
            }
        for name, run in running.items():
            status, took, printed = run.result()
            print(printed, end="", flush=True)
            failed = failed or status == "FAILED"
            report.append(f"{status:6} {took:6.1f} s  {name}")
    print("", "Gates", *report, sep="\n", flush=True)
    return int(failed)
