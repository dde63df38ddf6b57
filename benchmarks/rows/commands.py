"""Whole processes: the help, an import, verifications. Each call is a fresh process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from statistics import median
from time import perf_counter

from benchmarks.harness import AtMostSeconds, AtMostValue, Row, run_python, same

CLAIMS = (
    "volition.eq1",
    "volition.eq2",
    "volition.table-1",
    "volition.example-2.1",
    "volition.lemma-a1",
    "bazaar.theorem-1",
    "bazaar.theorem-1.nonnegative",
    "bazaar.theorem-1.bayes",
    "bazaar.table-1",
    "bazaar.elo",
)
IMPORT = """
from time import perf_counter
start = perf_counter()
import {}
print(perf_counter() - start)
"""
ROUNDS = 9
TIMES = "times the import of numpy alone"
FIRST = "seconds to the first finding"


def _help() -> bool:
    return "Usage:" in run_python("-m", "mechproof", "--help")


def _verified() -> str:
    """The exit status is 0 where every claim comes out as expected."""
    chosen = [word for claim in CLAIMS for word in ("--claim", claim)]
    return run_python("-m", "mechproof", "verify", "--profile", "quick", *chosen)


def _everything() -> bool:
    return "every one as expected" in run_python("-m", "mechproof", "verify", "--jobs", "2")


def _first_finding() -> tuple[str, float]:
    """Return the first row of a verification of all claims, and when it came."""
    began = perf_counter()
    command = [sys.executable, "-m", "mechproof", "verify", "--jobs", "2"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        row = next((line for line in process.stdout if line.rstrip().endswith(" yes")), "")
        took = perf_counter() - began
        process.terminate()
    if not row:
        raise RuntimeError(f"{' '.join(command)} printed no finding")
    return row, took


def _seconds_to_first(_: object) -> Mapping[str, float]:
    return {FIRST: median(_first_finding()[1] for _ in range(3))}


def _imported(module: str) -> float:
    return float(run_python("-c", IMPORT.format(module)))


def _times_numpy(_: object) -> Mapping[str, float]:
    """By clocks within the processes, so that the start of Python is in neither; in turns."""
    pairs = [(_imported("theory.information"), _imported("numpy")) for _ in range(ROUNDS)]
    return {TIMES: median(ours / numpy for ours, numpy in pairs)}


def rows() -> Iterator[Row]:
    yield Row(
        id="commands.help",
        issue=2,
        work="mechproof --help, a whole process",
        ours=_help,
        target=AtMostSeconds(0.3),
        cold=False,
    )
    yield Row(
        id="commands.import",
        issue=2,
        work="import theory.information, a whole process",
        ours=lambda: _imported("theory.information") > 0,
        peer=lambda: _imported("numpy") > 0,
        peer_name="import numpy",
        needs=("numpy",),
        agree=same,
        values=_times_numpy,
        target=AtMostValue(TIMES, 2),
        cold=False,
    )
    yield Row(
        id="commands.verify",
        issue=2,
        work=f"mechproof verify, quick profile, the {len(CLAIMS)} claims of issue 2, cold",
        ours=_verified,
        target=AtMostSeconds(60),
        repeats=0,
        cold=False,
        quick=False,
    )
    yield Row(
        id="commands.verify-first",
        issue=20,
        work="mechproof verify, quick profile, until the first finding is printed, cold",
        ours=lambda: bool(_first_finding()[0]),
        values=_seconds_to_first,
        target=AtMostValue(FIRST, 3),
        repeats=0,
        cold=False,
    )
    yield Row(
        id="commands.verify-all",
        issue=20,
        work="mechproof verify, quick profile, all claims in two processes, cold",
        ours=_everything,
        target=AtMostSeconds(75),
        repeats=0,
        cold=False,
        quick=False,
    )
