"""Write a run for a terminal, or for a pipe: a row a claim, then what was refuted or went wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.segment import Segment, Segments
from rich.text import Text

from mechproof.report.grid import Grid
from mechproof.report.text import to_unicode
from mechproof.run import ClaimResult, RunResult
from theory.claims import Claim
from theory.shared.printable import printable
from theory.verdicts import Bars, Counterexample, Diagram, Evidence, Status

__all__ = [
    "PLURALS",
    "STYLES",
    "Branches",
    "counterexample",
    "details",
    "evidence",
    "heading",
    "row",
    "summary",
    "write",
]

STYLES = {
    Status.HOLDS: "green",
    Status.REFUTED: "magenta",
    Status.ILL_POSED: "yellow",
    Status.VACUOUS: "yellow",
    Status.AMBIGUOUS: "yellow",
    Status.MEASURED: "cyan",
}
PLURALS = {Status.HOLDS: "hold", Status.MEASURED: "measured"}


def heading(claims: Sequence[Claim]) -> str:
    """Return what stands above the rows of these claims."""
    claim = f"{'claim':<{_width(claims)}}"
    head = f"{claim}  {'status':<9} {'strength':<9} {'instances':^15}{'seconds':>7} ok"
    return f"{head}\n{'─' * (len(head) + 1)}\n"


def row(result: ClaimResult, claims: Sequence[Claim], *, color: bool = False) -> str:
    """Return the row of a result, one of those of ``claims``."""
    finding = result.finding
    if finding is None:
        status, style, strength, instances = "error", "bold red", "–", ""
    else:
        status, style, strength = str(finding.status), STYLES[finding.status], finding.strength
        scope = finding.scope
        instances = f"{scope.instances:>7,} {'all' if scope.exhausted else 'sampled'}"
    text = Text.assemble(
        (f"{result.claim.id:<{_width(claims)}}", "bold"),
        "  ",
        (f"{status:<9}", style),
        f" {strength:<9} {instances:<15}{result.seconds:>7.2f} ",
        ("yes", "green") if result.agrees else ("NO", "bold red"),
    )
    return write(text, width=text.cell_len, color=color)


def details(run: RunResult, *, width: int = 80, color: bool = False) -> str:
    """Return what follows the rows: counterexamples, corrections, disagreements and the sums."""
    refuted = [r for r in run.results if r.finding and r.finding.status == Status.REFUTED]
    parts = [_show_refuted(result, run) for result in refuted]
    wrong = [r for r in run.results if not r.agrees]
    if wrong:
        parts.append(_list_disagreements(wrong))
    parts.append(Text(f"\n{summary(run)}", style="bold"))
    return write(Group(*parts), width=width, color=color)


def write(content: RenderableType, *, width: int, color: bool) -> str:
    """Return what rich makes of ``content``, without spaces at ends of lines or double gaps.

    Characters of the texts that give orders to a terminal are written out; colours are rich's own.
    """
    stream = StringIO()
    console = Console(
        file=stream,
        width=width,
        force_terminal=color,
        no_color=not color,
        highlight=False,
        legacy_windows=False,
    )
    laid_out = console.render(content)
    console.print(
        Segments([Segment(printable(s.text, lines=True), s.style, s.control) for s in laid_out]),
        end="",
        soft_wrap=True,
    )
    lines = "\n".join(line.rstrip() for line in stream.getvalue().splitlines())
    return re.sub(r"\n{3,}", "\n\n", lines).strip("\n") + "\n"


def summary(run: RunResult) -> str:
    """Return the sums of a run in one line."""
    found = [f"{count} {PLURALS.get(status, status)}" for status, count in run.counts.items()]
    errors = sum(result.finding is None for result in run.results)
    if errors:
        found.append(f"{errors} raised an error")
    wrong = sum(not result.agrees for result in run.results)
    total = len(run.results)
    claims = f"{total} claim" if total == 1 else f"{total} claims"
    verdict = "every one as expected" if not wrong else f"{wrong} not as expected"
    return f"{claims} ({', '.join(found)}): {verdict}"


def evidence(item: Evidence) -> RenderableType:
    """Return a piece of evidence for a terminal."""
    if isinstance(item, str):
        return Text(item)
    if isinstance(item, Diagram):
        return _indent(Branches(item))
    if isinstance(item, Bars):
        rows = tuple((a, f"{v:.4g}") for a, v in zip(item.labels, item.values, strict=True))
        return _indent(Grid(item.caption, ("", item.unit), rows))
    return _indent(Grid(item.caption, item.columns, item.rows))


def counterexample(found: Counterexample) -> RenderableType:
    """Return a counterexample for a terminal: what it is, worked out, and how small."""
    parts: list[RenderableType] = [_label_text("Counterexample", found.exhibit.summary)]
    for item in found.exhibit.details:
        parts += [Text(), evidence(item)]
    parts += [Text(), _label_text("Minimality", found.minimality)]
    return Group(*parts)


def _width(claims: Sequence[Claim]) -> int:
    return max(len(claim.id) for claim in claims)


def _show_refuted(result: ClaimResult, run: RunResult) -> RenderableType:
    claim, finding = result.claim, result.finding
    assert finding is not None
    parts: list[RenderableType] = [
        Text(),
        Rule(Text(f"{claim.id} is refuted", style="bold"), align="left"),
        Text(to_unicode(claim.statement)),
        Text(),
        Text(finding.reason),
    ]
    if finding.counterexample is not None:
        parts += [Text(), counterexample(finding.counterexample)]
    for correction in run.corrections_of(claim.id):
        status = _status_in(run, correction.id)
        text = f"{correction.id} ({status}). {to_unicode(correction.statement)}"
        parts += [Text(), _label_text("Correction", text)]
    if claim.note:
        parts += [Text(), _label_text("Note", to_unicode(claim.note))]
    return Group(*parts)


def _status_in(run: RunResult, claim_id: str) -> str:
    result = run.result_of(claim_id)
    if result is None:
        return "not run"
    if result.finding is None:
        return "error"
    return f"{result.finding.status}, {result.finding.strength}"


def _list_disagreements(results: list[ClaimResult]) -> RenderableType:
    lines = [Text.assemble((r.claim.id, "bold"), f": {r.disagreement}") for r in results]
    title = Text("Not as expected", style="bold red")
    return Group(Text(), Rule(title, align="left", style="red"), *lines)


def _label_text(label: str, text: str) -> Text:
    return Text.assemble((f"{label}: ", "bold"), text)


def _indent(content: RenderableType) -> Padding:
    return Padding(content, (0, 0, 0, 2))


@dataclass(frozen=True, slots=True)
class Branches:
    """A tree or a lattice in characters under its caption, in as many columns as there are."""

    diagram: Diagram

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        yield Text(self.diagram.caption, style="italic")
        yield Text("\n".join(self.diagram.lines(options.max_width)))
