"""Write one claim at length: what it says, how it was read, what was found, where the code is."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from mechproof.code_location import locations
from mechproof.report.table import STYLES, counterexample, evidence, write
from mechproof.report.text import to_unicode
from mechproof.run import ClaimResult, RunResult
from theory.claims import Claim

__all__ = ["render"]


def render(run: RunResult, *, width: int = 80, color: bool = False) -> str:
    """Return every claim of a run at length."""
    parts = [part for result in run.results for part in _parts(result, run)]
    return write(Group(*parts), width=width, color=color)


def _parts(result: ClaimResult, run: RunResult) -> Iterator[RenderableType]:
    claim = result.claim
    yield Text.assemble((claim.id, "bold"), "  ", to_unicode(claim.title))
    yield Text(f"{claim.kind} · {claim.source}", style="dim")
    yield Text()
    yield Text(to_unicode(claim.statement))
    if claim.hypotheses:
        yield _heading("Hypotheses")
        for hypothesis in claim.hypotheses:
            yield _indent(Text(f"• {to_unicode(hypothesis)}"))
    if claim.reading:
        yield _heading("Reading taken")
        yield _indent(Text(to_unicode(claim.reading)))
    yield from _family(claim, run)
    if claim.proof_idea or claim.proof:
        yield _heading("Idea of the proof")
        written = f" Written out in the repository: {claim.proof}." if claim.proof else ""
        yield _indent(Text(to_unicode(claim.proof_idea) + written))
    yield from _show_finding(result, run)
    if claim.note:
        yield _heading("Note")
        yield _indent(Text(to_unicode(claim.note)))
    yield _heading("Where the code is")
    for location in locations(claim.check):
        yield _indent(Text.assemble(location.place, "  ", (location.name, "dim")))


def _family(claim: Claim, run: RunResult) -> Iterator[RenderableType]:
    if claim.corrects:
        yield _heading("Corrects")
        yield _indent(Text(claim.corrects))
    corrections = run.corrections_of(claim.id)
    if corrections:
        yield _heading("Corrected by")
        for correction in corrections:
            yield _indent(
                Text.assemble((correction.id, "bold"), f"  {to_unicode(correction.statement)}")
            )


def _show_finding(result: ClaimResult, run: RunResult) -> Iterator[RenderableType]:
    finding = result.finding
    yield _heading(f"Finding (profile {run.profile}, seed {run.seed})")
    if finding is None:
        yield _indent(Text(result.disagreement, style="red"))
        return
    verdict = "as expected" if result.agrees else f"not as expected: {result.disagreement}"
    yield _indent(
        Text.assemble(
            (str(finding.status), f"bold {STYLES[finding.status]}"),
            f", {finding.strength} ({finding.scope}); {verdict}",
        )
    )
    yield _indent(Text(finding.reason))
    if finding.counterexample is not None:
        yield Text()
        yield _indent(counterexample(finding.counterexample))
    for item in finding.evidence:
        yield Text()
        yield _indent(evidence(item))
    yield Text()
    yield _indent(Text(f"Family: {finding.scope.family} (sizes {finding.scope.sizes})"))
    for role, tolerance in finding.tolerances.items():
        yield _indent(Text(f"Tolerance, {role}: {tolerance}"))


def _heading(text: str) -> RenderableType:
    return Group(Text(), Text(text, style="bold"))


def _indent(content: RenderableType) -> Padding:
    return Padding(content, (0, 0, 0, 2))
