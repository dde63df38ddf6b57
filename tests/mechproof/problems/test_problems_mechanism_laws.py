"""Answers of the kind ``mechanism`` against brute force, and under changes of the problem."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import islice
from random import Random
from typing import Any

import pytest
from documents import Document, solved
from incentive_rules import Case, cases
from mechanism_files import by_name
from reference import implementable as oracle
from reference import incentives

# --- Against brute force, which imports nothing of ours -------------------------------------------

DRAWN = list(islice((case for case in cases(200, seed=8) if case.tables is not None), 20))


def document(case: Case) -> Document:
    assert case.tables is not None
    return {
        "kind": "mechanism",
        "outcomes": list(next(iter(case.tables[0].values()))),
        "agents": {f"#{i}": table for i, table in enumerate(case.tables)},
        "table": [
            {
                "reports": list(reports),
                "outcome": chosen
                if isinstance(chosen, str)
                else {name: str(p) for name, p in chosen.items()},
                "payments": list(map(str, paid)),
            }
            for reports, (chosen, paid) in case.rule.items()
        ],
        "prior": [
            {"types": list(types), "probability": str(p)} for types, p in believed(case).items()
        ],
        "implementable": True,
    }


_SOLVED: dict[str, Document] = {}


def solution(case: Case) -> Document:
    if case.name not in _SOLVED:
        _SOLVED[case.name] = solved(document(case))
    return _SOLVED[case.name]


def believed(case: Case) -> dict[Any, Fraction]:
    rng = Random(case.name)
    weights = {profile: rng.randint(0, 3) for profile in case.rule}
    weights[next(iter(weights))] += 1
    return {p: Fraction(w, sum(weights.values())) for p, w in weights.items() if w}


@pytest.mark.parametrize("case", DRAWN, ids=lambda case: case.name)
def test_the_findings_are_the_oracle_s(case: Case) -> None:
    found = solution(case)
    setting = incentives.Setting(
        case.rule.__getitem__,
        case.types,
        case.value,
        prior=believed(case),
        alternatives=document(case)["outcomes"],
    )
    assert len(found["findings"]) == 13
    for name, finding in by_name(found).items():
        slacks = [slack for _, slack in incentives.SLACKS[name](setting)]
        if not slacks:
            assert finding["status"] == "vacuous"
            continue
        assert finding["status"] == ("refuted" if min(slacks) < 0 else "holds"), name
        assert finding["strength"] == "exact"
        if name != "cyclically_monotone":
            assert Fraction(finding["slack"]) == min(slacks), name
        if min(slacks) < 0:
            assert -Fraction(finding["witness"]["gain"]) in slacks
    assert found["implementable"]["holds"] == all(
        oracle.implementable(*rows) is not None for rows in fibres(setting)
    )
    assert found["implementable"]["gap"] == "0"


def fibres(setting: incentives.Setting) -> list[Any]:
    """For each agent and reports of the others: v(t, f(l)) by t and l."""
    found = []
    for agent in setting.agents:
        kinds = setting.types[agent]
        for first in incentives.contexts(setting, agent):
            line = [incentives.changed(first, agent, kind) for kind in kinds]
            rows = [[incentives.worth(setting, agent, kind, r) for r in line] for kind in kinds]
            found.append((rows, range(len(kinds))))
    return found


def test_the_draw_has_failures_and_passes_of_most_properties() -> None:
    seen = list(map(solution, DRAWN))
    for name in ("dsic", "bic", "efficient", "weakly_monotone", "individually_rational"):
        assert {by_name(each)[name]["status"] for each in seen} == {"holds", "refuted"}, name
    assert {each["implementable"]["holds"] for each in seen} == {True, False}


# --- Changes that must leave the answer as it is --------------------------------------------------


@pytest.mark.parametrize("case", DRAWN[:5], ids=lambda case: case.name)
def test_the_order_of_rows_and_new_names_do_not_matter(case: Case) -> None:
    problem = document(case)
    backwards = {**problem, "table": problem["table"][::-1], "prior": problem["prior"][::-1]}
    one = solution(case)
    assert solved(backwards) == one

    def renamed(text: Document) -> Document:
        for old, new in (("#", "Number "), ('"mid"', '"medium"'), ("'mid'", "'medium'")):
            text = json.loads(json.dumps(text).replace(old, new))
        return text

    assert solved(renamed(problem)) == renamed(one)


@pytest.mark.parametrize("case", DRAWN[:5], ids=lambda case: case.name)
def test_slacks_scale_with_values_and_payments(case: Case) -> None:
    one = document(case)
    large = {
        **one,
        "agents": {
            agent: {t: {o: f"{3 * v}/7" for o, v in row.items()} for t, row in table.items()}
            for agent, table in one["agents"].items()
        },
        "table": [
            {**row, "payments": [str(Fraction(p) * 3 / 7) for p in row["payments"]]}
            for row in one["table"]
        ],
    }
    before, after = by_name(solution(case)), by_name(solved(large))
    for name, finding in before.items():
        assert after[name]["status"] == finding["status"]
        if "slack" in finding:
            assert Fraction(after[name]["slack"]) == Fraction(finding["slack"]) * 3 / 7
