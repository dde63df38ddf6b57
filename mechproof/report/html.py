"""Write a run as one self-contained HTML page: no script, nothing fetched from elsewhere."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from mechproof import __version__
from mechproof.code_location import locations
from mechproof.report.draw import bars
from mechproof.report.grid import numeric_columns
from mechproof.report.lattice import lattice
from mechproof.report.table import PLURALS, summary
from mechproof.report.text import to_html, to_unicode
from mechproof.report.tree import tree
from mechproof.run import RunResult
from theory.shared.printable import printable
from theory.verdicts import Status, Strength, TreeDiagram

__all__ = ["page"]

_STATUSES = {
    Status.HOLDS: "the claim is true on every instance of the scope",
    Status.REFUTED: "an instance meets the hypotheses and breaks the claim",
    Status.ILL_POSED: "as printed, the claim determines no truth value",
    Status.VACUOUS: "no instance met the hypotheses",
    Status.AMBIGUOUS: "too close to the boundary to decide within the tolerance",
    Status.MEASURED: "a measurement, given with its uncertainty",
}
_STRENGTHS = {
    Strength.TESTED: "on generated instances",
    Strength.CERTIFIED: "with a certificate that separate code checked again",
    Strength.EXACT: "on all of a finite family, in exact arithmetic",
    Strength.PROVED: "by computer, for all parameters of the stated family",
}


def page(run: RunResult) -> str:
    """Return the HTML page of a run."""
    environment = Environment(
        loader=PackageLoader("mechproof.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_finalize,
    )
    environment.filters |= {
        "math": to_html,
        "plain": to_unicode,
        "bars": bars,
        "diagram": lambda item: tree(item) if isinstance(item, TreeDiagram) else lattice(item),
        "where": locations,
        "numeric": lambda table: numeric_columns(table.rows, len(table.columns)),
    }
    papers = [
        (paper, list(results))
        for paper, results in groupby(run.results, lambda result: result.claim.paper)
    ]
    return environment.get_template("verify.html").render(
        run=run,
        papers=papers,
        summary=summary(run),
        words=PLURALS,
        version=__version__,
        statuses=_STATUSES,
        strengths=_STRENGTHS,
    )


def _finalize(value: Any) -> Any:
    """Return what is put into the page: text without characters that give orders."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return printable(value, lines=True)
    return value
