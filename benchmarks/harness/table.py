"""The table, for a terminal and for a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median

from theory.errors import InvalidInputError

from .measuring import spread
from .record import Climbed, Grown, Judged, Kept, Result, Side, Timed
from .targets import number

__all__ = ["BEGIN", "END", "as_markdown", "as_text", "check_page", "in_page"]

BEGIN, END = "<!-- benchmarks: begin -->", "<!-- benchmarks: end -->"
HEADS: dict[type, tuple[str, ...]] = {
    Timed: ("cold", "warm", "beside", "cold", "warm", "times faster", "target"),
    Grown: ("ours", "exponent", "beside", "its exponent", "target"),
    Climbed: ("in a minute, processes included", "what comes next"),
}
TITLES = {
    Timed: "The same work",
    Grown: "How the cost grows",
    Climbed: "The largest instance in a minute",
}


def as_text(kept: Sequence[Kept]) -> str:
    """One table a kind of row; notes stand under the row that they belong to."""
    parts, marks = [_about(kept)], _marks(kept)
    for kind, lines in _by_kind(kept):
        cells = [("", *HEADS[kind])]
        cells += [
            (each.result.id + _mark(each, marks), *row)
            for each in lines
            for row in _cells(each.result)
        ]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        parts.append(f"\n{TITLES[kind]}")
        for row in cells:
            wide = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            parts.append("  ".join(wide).rstrip())
        parts += [
            f"{each.result.id}: {_trouble(each.result)}" for each in lines if _trouble(each.result)
        ]
    parts.append(f"\n{_reached(kept)}")
    return "\n".join(parts)


def as_markdown(kept: Sequence[Kept]) -> str:
    parts, marks = [_about(kept), "", _reached(kept)], _marks(kept)
    for kind, lines in _by_kind(kept):
        parts += ["", f"### {TITLES[kind]}", ""]
        head = ("issue", "what", *HEADS[kind])
        parts += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
        for each in lines:
            result, what = each.result, _escaped(each.result.work)
            trouble = _trouble(result)
            what += f" ({_escaped(trouble)})" if trouble else ""
            what += _mark(each, marks)
            for row in _cells(result):
                cells = (str(result.issue), what, *map(_escaped, row))
                parts.append("| " + " | ".join(cells) + " |")
    return "\n".join(parts)


def check_page(path: Path) -> None:
    """A page that is there must have the marked place.

    Raises
    ------
    InvalidInputError
        When it has not, or cannot be read.
    """
    if path.exists():
        _halves(path)


def in_page(path: Path, table: str) -> str:
    """The text of the page with the table in its place; a page of the table alone if none is."""
    before, after = _halves(path) if path.exists() else ("", "\n")
    return f"{before}{BEGIN}\n\n{table}\n\n{END}{after}"


def _halves(path: Path) -> tuple[str, str]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(
            "--markdown", str(path), f"cannot be read: {error}", "give a page"
        ) from error
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(END) < text.index(BEGIN):
        raise InvalidInputError(
            "--markdown",
            str(path),
            "has no place for the table",
            f"write {BEGIN} and {END} where it shall stand",
        )
    return text[: text.index(BEGIN)], text[text.index(END) + len(END) :]


def seconds(value: float | None) -> str:
    if value is None:
        return ""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{number(value / size)} {unit}"
    return f"{number(value * 1e9)} ns"


def _by_kind(kept: Iterable[Kept]) -> list[tuple[type, list[Kept]]]:
    kinds: dict[type, list[Kept]] = {kind: [] for kind in HEADS}
    for each in kept:
        kinds[type(each.result)].append(each)
    return [(kind, lines) for kind, lines in kinds.items() if lines]


def _cells(result: Result) -> list[tuple[str, ...]]:
    if isinstance(result, Climbed):
        return [
            (
                f"{each.method}: {each.last}"
                + (f" ({seconds(each.seconds)})" if each.seconds else ""),
                each.next,
            )
            for each in result.climbs
        ]
    target = "; ".join(map(_judged, result.targets))
    if isinstance(result, Grown):
        return [
            (
                _sizes(result.ours),
                _exponent(result.exponent),
                result.peer_name,
                _exponent(result.peer_exponent),
                target,
            )
        ]
    peer = result.peer
    return [
        (
            *_times(result.ours),
            "" if peer is None else peer.name,
            *(("", "") if peer is None else _times(peer)),
            _ratio(result.faster, peer),
            target,
        )
    ]


def _times(side: Side) -> tuple[str, str]:
    about = "≈ " if side.estimated else ""
    warm = about + seconds(median(side.warm)) if side.warm else ""
    return seconds(side.cold), warm + (f" ({len(side.warm)})" if warm else "")


def _ratio(faster: Sequence[float], peer: Side | None) -> str:
    if not faster:
        return ""
    low, middle, high = map(number, spread(faster))
    about = "≈ " if peer is not None and peer.estimated else ""
    return about + middle + (f" ({low} to {high})" if len(faster) > 1 else "")


def _exponent(fitted: Sequence[float]) -> str:
    if not fitted:
        return ""
    return "{:.2f} ({:.2f} to {:.2f})".format(*fitted)


def _sizes(by_size: dict[int, float]) -> str:
    if not by_size:
        return ""
    ends = [min(by_size), max(by_size)]
    return ", ".join(f"{seconds(by_size[n])} at {n:,}" for n in ends)


def _judged(target: Judged) -> str:
    if target.reached is None:
        return f"{target.says}: not measured"
    verdict = "reached" if target.reached else "NOT reached"
    figure = "" if target.figure is None else f"{number(target.figure)}, "
    return f"{target.says}: {figure}{verdict}"


def _trouble(result: Result) -> str:
    told = {"differs": "NOT TIMED", "failed": "FAILED", "missing": "", "measured": ""}[
        result.status
    ]
    return ": ".join(filter(None, [told, result.note]))


def _reached(kept: Iterable[Kept]) -> str:
    judged = [target for each in kept for target in each.result.targets]
    reached = [target.reached for target in judged]
    text = f"Targets: {len(judged)}; {reached.count(True)} reached, {reached.count(False)} not"
    return text + f", {reached.count(None)} not measured"


def _marks(kept: Iterable[Kept]) -> dict[tuple[str, str], str]:
    """A number for each run that a line is from, by date and commit; none where it is one run."""
    runs = list(dict.fromkeys(_run_of(each) for each in kept))
    return {run: f"[{number}]" for number, run in enumerate(runs, 1)} if len(runs) > 1 else {}


def _run_of(kept: Kept) -> tuple[str, str]:
    return kept.run.date, kept.run.commit


def _mark(kept: Kept, marks: Mapping[tuple[str, str], str]) -> str:
    words = ["quick" if kept.run.quick else "", marks.get(_run_of(kept), "")]
    return "".join(f" {word}" for word in words if word)


def _about(kept: Sequence[Kept]) -> str:
    """When, of what and where; of each run that a line is from."""
    marks = _marks(kept)
    told: dict[tuple[str, str], str] = {}
    packages: dict[tuple[str, str], dict[str, str]] = {}
    for each in kept:
        run, key = each.run, _run_of(each)
        text = f"{run.date[:10]}, commit {run.commit}, {run.machine}, {run.processors} processors"
        text += f", load {run.load:.1f} when it began, Python {run.python}"
        text += ", quick: fewer repeats" if run.quick else ""
        told[key] = f"{marks.get(key, '')} {text}".lstrip()
        packages.setdefault(key, {}).update(run.versions | each.result.versions)
    lines = []
    for key, text in told.items():
        listed = ", ".join(f"{name} {found}" for name, found in sorted(packages[key].items()))
        lines.append(f"{text}\n{listed}")
    return "\n\n".join(lines)


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")
