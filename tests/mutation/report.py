"""What became of the mutants, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

KILLED = ("killed", "timed out")
ALIVE = ("survived", "uncovered")
WORDS = {
    "killed": "killed by a test",
    "timed out": "timed out, which counts as killed",
    "survived": "survived",
    "uncovered": "covered by no test, which counts as survived",
    "equivalent": "equivalent, with a reason in tests/mutation/equivalent.toml",
}


def score(rows: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    """Return how many were killed, and out of how many that are not equivalent."""
    counts = Counter(row["status"] for row in rows)
    killed = sum(counts[status] for status in KILLED)
    return killed, killed + sum(counts[status] for status in ALIVE)


def interval(killed: int, total: int) -> tuple[float, float]:
    """Return Wilson's 95% interval for the share of all mutants that would be killed."""
    z, share = 1.96, killed / total
    middle = share + z * z / (2 * total)
    reach = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return (middle - reach) / (1 + z * z / total), (middle + reach) / (1 + z * z / total)


def line(number: int, row: Mapping[str, Any]) -> str:
    """Return one line about a mutant."""
    by = f" by {row['by']}" if row["by"] else ""
    place = f"{row['path']}:{row['line']}"
    return f"{number:5} {row['status']:10} {row['seconds']:6.1f} s  {place}{by}"


def diff(row: Mapping[str, Any]) -> str:
    """Return the change."""
    old = [f"    - {text}" for text in row["before"].splitlines()]
    new = [f"    + {text}" for text in row["after"].splitlines()]
    head = f"{row['path']}:{row['line']}, {row['function'] or 'outside of functions'}"
    return "\n".join([f"{head} ({row['status']} {row['tests']} tests)", *old, *new])


def compared(pairs: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> str:
    """Return how many of the same mutants were killed in another checkout and are in this one."""
    same = [(old, new) for old, new in pairs if "equivalent" not in {old["status"], new["status"]}]
    lost = [new for old, new in same if old["status"] in KILLED and new["status"] in ALIVE]
    there, here = (sum(pair[side]["status"] in KILLED for pair in same) for side in (0, 1))
    lines = [f"Of these {len(same)} mutants {there} were killed there, {here} are killed here"]
    if lost:
        lines += ["Killed there and not here:", *(diff(row) for row in lost)]
    return "\n".join(lines)


def text(rows: Sequence[Mapping[str, Any]], of: int, seed: int) -> str:
    """Return the survivors, the counts and the score."""
    counts = Counter(row["status"] for row in rows)
    alive = sorted(
        (row for row in rows if row["status"] in ALIVE), key=lambda row: (row["path"], row["line"])
    )
    lines = ["", *(diff(row) for row in alive), "", f"{len(rows)} of {of} mutants, seed {seed}"]
    lines += [f"{counts[status]:6} {words}" for status, words in WORDS.items()]
    killed, total = score(rows)
    if total:
        low, high = interval(killed, total)
        share = f"Score {killed} / {total} = {killed / total:.1%}"
        lines.append(f"{share}; of all mutants {low:.1%} to {high:.1%} (95%)")
    return "\n".join(lines)
