"""Write a run as JSON, in the published schema ``mechproof/schemas/verify-1.schema.json``.

Two runs with the same claims, profile and seed differ in ``seconds`` only.
"""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

from mechproof import __version__
from mechproof.run import ClaimResult, RunResult
from theory.shared.printable import json_text
from theory.verdicts import (
    Bars,
    Counterexample,
    Diagram,
    Evidence,
    LatticeDiagram,
    Scope,
    Table,
    TreeDiagram,
)

__all__ = ["SCHEMA_VERSION", "document", "render"]

SCHEMA_VERSION = 1


def render(run: RunResult) -> str:
    """Return the JSON text of a run."""
    text = json.dumps(document(run), indent=2, ensure_ascii=False, allow_nan=False)
    return json_text(text) + "\n"


def document(run: RunResult) -> dict[str, Any]:
    """Return a run as objects, lists, strings and numbers."""
    budget = run.budget
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "mechproof", "version": __version__},
        "profile": run.profile,
        "budget": {
            "exhaustive": budget.exhaustive,
            "samples": budget.samples,
            "shrinks": budget.shrinks,
            "size": budget.size,
        },
        "seed": run.seed,
        "agrees": run.agrees,
        "claims": [_claim(result, run) for result in run.results],
    }


def _claim(result: ClaimResult, run: RunResult) -> dict[str, Any]:
    claim, finding = result.claim, result.finding
    return {
        "id": claim.id,
        "kind": str(claim.kind),
        "source": claim.source,
        "title": claim.title,
        "statement": claim.statement,
        "hypotheses": list(claim.hypotheses),
        "reading": claim.reading,
        "status": str(finding.status) if finding else None,
        "strength": str(finding.strength) if finding else None,
        "scope": _scope(finding.scope) if finding else None,
        "expected_status": str(claim.expected),
        "least_strength": str(result.least),
        "agrees": result.agrees,
        "seconds": round(result.seconds, 3),
        "reason": finding.reason if finding else None,
        "evidence": [_evidence(item) for item in finding.evidence] if finding else [],
        "tolerances": dict(finding.tolerances) if finding else {},
        "counterexample": _counterexample(finding.counterexample) if finding else None,
        "corrects": claim.corrects or None,
        "corrections": [correction.id for correction in run.corrections_of(claim.id)],
        "proof_idea": claim.proof_idea,
        "proof": claim.proof or None,
        "note": claim.note,
        "error": result.error or None,
    }


def _scope(scope: Scope) -> dict[str, Any]:
    return {
        "family": scope.family,
        "instances": scope.instances,
        "met_hypotheses": scope.met_hypotheses,
        "nontrivial": scope.nontrivial,
        "sizes": scope.sizes,
        "seed": scope.seed,
        "exhausted": scope.exhausted,
    }


def _evidence(item: Evidence) -> dict[str, Any]:
    if isinstance(item, Table):
        return {"type": "table", **_table(item)}
    if isinstance(item, Bars):
        return {
            "type": "bars",
            "caption": item.caption,
            "unit": item.unit,
            "labels": list(item.labels),
            "values": [value if isfinite(value) else str(value) for value in item.values],
        }
    if isinstance(item, Diagram):
        return _diagram(item)
    return {"type": "text", "text": item}


def _table(table: Table) -> dict[str, Any]:
    return {
        "caption": table.caption,
        "columns": list(table.columns),
        "rows": [list(row) for row in table.rows],
    }


def _diagram(diagram: Diagram) -> dict[str, Any]:
    return {
        **(_tree(diagram) if isinstance(diagram, TreeDiagram) else _lattice(diagram)),
        "legend": [{"mark": mark, "meaning": meaning} for mark, meaning in diagram.legend],
    }


def _tree(diagram: TreeDiagram) -> dict[str, Any]:
    return {
        "type": "tree",
        "caption": diagram.caption,
        "nodes": [
            {
                "parent": node.parent if number else None,
                "move": node.edge,
                "label": node.label,
                "group": node.group or None,
                "marks": list(node.marks),
            }
            for number, node in enumerate(diagram.nodes)
        ],
    }


def _lattice(diagram: LatticeDiagram) -> dict[str, Any]:
    return {
        "type": "lattice",
        "caption": diagram.caption,
        "nodes": [
            {"items": list(node.items), "label": node.label, "marks": list(node.marks)}
            for node in diagram.nodes
        ],
        "steps": [
            {
                "start": list(diagram.nodes[start].items),
                "end": list(diagram.nodes[end].items),
                "mark": step.mark,
                "label": step.label,
            }
            for step, (start, end) in zip(diagram.steps, diagram.ends, strict=True)
        ],
    }


def _counterexample(found: Counterexample | None) -> dict[str, Any] | None:
    if found is None:
        return None
    exhibit = found.exhibit
    return {
        "summary": exhibit.summary,
        "story": list(exhibit.story),
        "tables": [_table(table) for table in exhibit.tables],
        "diagrams": [_diagram(diagram) for diagram in exhibit.diagrams],
        "minimality": found.minimality,
    }
