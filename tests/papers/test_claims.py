"""The claims of the papers: their findings, their mutants, and their numbers redone by hand."""

from __future__ import annotations

import multiprocessing
import pickle
import re
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest
from mutants import MUTANTS, PROOF_MUTANTS, REPAIRED
from sweeps import is_due

from dev import ROOT
from mechproof.registry import load
from papers.bazaar.checks.bazaar_markets import MARKETS
from papers.bazaar.checks.purchases import Purchases
from papers.classics.checks.all_types import ForAllTypes, ForSomeTypes
from papers.volition.checks.fact_checking import TABLE_1
from papers.volition.checks.inspection_families import PROTOCOLS
from theory.checks import Exists, ForAll
from theory.claims import Budget, Check, CheckContext, Claim, spawn_seed
from theory.search import search
from theory.verdicts import Finding, Status, Strength, Table

DOCS = ROOT / "docs"

CLAIMS = load().claims
BY_ID = {claim.id: claim for claim in CLAIMS}

SMALL = Budget(exhaustive=800, samples=20, shrinks=500, size=2)
"""Enough for every least strength of the quick profile."""

TINY = Budget(exhaustive=100, samples=20, shrinks=30, size=2)

TINIEST = Budget(exhaustive=20, samples=4, shrinks=5, size=1)

RARE = replace(TINY, samples=150)
"""For families few members of which do anything remarkable."""


def context_of(claim_id: str, budget: Budget) -> CheckContext:
    return CheckContext(seed=spawn_seed(0, claim_id), budget=budget)


@cache
def finding(claim_id: str) -> Finding:
    return BY_ID[claim_id].check(context_of(claim_id, SMALL))


ONE_BY_ONE = {
    "bazaar.elo",
    "oracles.ftpl.drawn",
    "oracles.simultaneous.drawn",
    "oracles.table-1",
    "oracles.theorem-4",
    "truthful.equity",
    "truthful.no-ir",
    "truthful.theorem-5.1.battery",
}
"""Claims with a check of their own that takes long where every call is checked."""


OF_EACH_KIND = (
    "bazaar.table-1",
    "classics.first-price",
    "oracles.vacuous",
    "oracles.simultaneous.linear",
    "truthful.sampler.temperature",
    "truthful.uniqueness",
    "truthful.lemma-5.2",
    "volition.theorem-3.3.c4",
    "volition.example-6.1",
    "volition.shortfall.attained",
)


def is_dear(claim: Claim) -> bool:
    """Whether `mechproof verify`, a gate like the tests, is left to compare its whole finding."""
    of_families = ForAll | Exists | ForAllTypes | ForSomeTypes
    return isinstance(claim.check, of_families) or claim.id in ONE_BY_ONE


DEAR_MUTANTS = {
    "classics.first-price.rest",
    "classics.median",
    "classics.second-price.reserve",
    "oracles.simultaneous.drawn",
    "oracles.table-1",
    "oracles.theorem-4",
    "volition.theorem-3.3.a",
    "volition.theorem-3.3.b",
    "volition.theorem-3.3.c1",
    "volition.theorem-3.3.c4",
    "volition.theorem-3.3.c5",
    "volition.theorem-3.3.c6",
}
"""Claims close to these have mutants that are found sooner."""


def each(checks: dict[str, dict[str, Check]]) -> list[Any]:
    """Every check by name; of each claim one is quick, if that, with every fourth commit."""
    return [
        pytest.param(
            claim_id,
            check,
            id=f"{claim_id}-{name}",
            marks=[]
            if not number and claim_id not in DEAR_MUTANTS and is_due(place, 4)
            else [pytest.mark.slow],
        )
        for place, (claim_id, named) in enumerate(checks.items())
        for number, (name, check) in enumerate(named.items())
    ]


# --- what is claimed


def test_ids_are_unique_and_corrections_correct_something() -> None:
    assert len(BY_ID) == len(CLAIMS)
    for claim in CLAIMS:
        if claim.corrects:
            assert claim.corrects in BY_ID
            assert claim.id.startswith(f"{claim.corrects}.")
            assert BY_ID[claim.corrects].expected in (Status.REFUTED, Status.ILL_POSED)


def test_every_claim_of_the_issue_is_there() -> None:
    assert {"volition.eq1", "volition.eq2", "volition.table-1", "volition.example-2.1"} < set(BY_ID)
    assert {"volition.lemma-a1", "bazaar.theorem-1", "bazaar.table-1", "bazaar.elo"} < set(BY_ID)
    assert len([c for c in CLAIMS if c.corrects == "bazaar.theorem-1"]) == 2


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.proof], ids=lambda c: c.id)
def test_a_written_proof_is_where_its_link_points(claim: Claim) -> None:
    page, anchor = claim.proof.split("#")
    text = (DOCS.parent / page).read_text(encoding="utf-8")
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", t.lower()).replace(" ", "-") for t in titles}
    named = set(re.findall(r'(?:id|name)="([^"]+)"', text))
    assert anchor in anchors | named


def documented() -> dict[str, str]:
    """Return the expected status by id, from the tables of claims in the pages of the papers."""
    found: dict[str, str] = {}
    for paper in sorted({claim.paper for claim in CLAIMS}):
        status = None
        for line in (DOCS / f"{paper}.md").read_text(encoding="utf-8").splitlines():
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if not line.strip().startswith("|"):
                status = None
            elif any(cell.lower().startswith("expected") for cell in cells):
                status = next(j for j, c in enumerate(cells) if c.lower().startswith("expected"))
            elif status is not None and (claim_id := re.fullmatch(r"`([^`]+)`", cells[0])):
                assert claim_id[1] not in found, f"{claim_id[1]} is documented twice"
                found[claim_id[1]] = cells[status].strip("`")
    return found


def test_the_documentation_and_the_registry_have_the_same_claims() -> None:
    assert documented() == {claim.id: str(claim.expected) for claim in CLAIMS}


# --- what is found


@pytest.mark.parametrize(
    "claim",
    [pytest.param(claim, marks=[pytest.mark.slow] if is_dear(claim) else []) for claim in CLAIMS],
    ids=lambda claim: claim.id,
)
def test_status_and_strength_are_as_expected(claim: Claim) -> None:
    found = finding(claim.id)
    assert found.status == claim.expected
    assert found.strength.reaches(claim.least_strength("quick"))
    assert (found.strength is Strength.PROVED) == (claim.id in PROOF_MUTANTS)
    assert found.scope.nontrivial > 0
    assert found.scope.instances >= found.scope.met_hypotheses >= found.scope.nontrivial
    assert (found.counterexample is not None) == (found.status is Status.REFUTED)


def recompute(pickled: bytes) -> bytes:
    claims: tuple[Claim, ...] = pickle.loads(pickled)
    return pickle.dumps([c.check(context_of(c.id, TINIEST)) for c in claims])


@pytest.mark.parametrize("ids", [pytest.param(tuple(BY_ID), marks=pytest.mark.slow), OF_EACH_KIND])
def test_another_process_finds_the_same(ids: tuple[str, ...]) -> None:
    claims = tuple(BY_ID[claim_id] for claim_id in ids)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context) as processes:  # which says so where its process ends
        elsewhere = pickle.loads(processes.submit(recompute, pickle.dumps(claims)).result())
    assert elsewhere == [claim.check(context_of(claim.id, TINIEST)) for claim in claims]


@pytest.mark.slow
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_status_and_strength_are_as_expected_from_another_seed(claim: Claim) -> None:
    budget = Budget(exhaustive=4_000, samples=200, shrinks=500, size=3)
    found = claim.check(CheckContext(seed=spawn_seed(1, claim.id), budget=budget))
    assert found.status == claim.expected
    assert found.strength.reaches(claim.least_strength("quick"))


# --- mutants


def test_every_claim_has_mutants() -> None:
    assert set(MUTANTS) == set(BY_ID)
    assert all(MUTANTS.values())


def test_every_refuted_claim_can_hold_and_every_proof_can_fail() -> None:
    assert set(REPAIRED) == {c.id for c in CLAIMS if c.expected is Status.REFUTED}
    proved = {c.id for c in CLAIMS if isinstance(c.check, ForAll) and c.check.prove is not None}
    assert set(PROOF_MUTANTS) == proved | {c.id for c in CLAIMS if isinstance(c.check, ForAllTypes)}


@pytest.mark.parametrize(("claim_id", "check"), each(MUTANTS))
def test_a_mutant_is_refuted_by_the_family_of_its_claim(claim_id: str, check: Check) -> None:
    original = BY_ID[claim_id].check
    assert type(check) is type(original)
    if isinstance(check, ForAll | Exists) and isinstance(original, ForAll | Exists):
        assert check.family == original.family
    rare = isinstance(check, ForAll) and check.family in (PROTOCOLS, MARKETS)
    found = check(context_of(claim_id, RARE if rare else TINY))
    assert found.status is Status.REFUTED
    assert (found.counterexample is None) == isinstance(check, Exists | ForSomeTypes)


@pytest.mark.parametrize(("claim_id", "check"), each(PROOF_MUTANTS))
def test_a_mutant_of_the_traced_code_loses_the_proof(claim_id: str, check: Check) -> None:
    found = check(context_of(claim_id, TINY))
    assert found.proof is None
    if isinstance(check, ForAllTypes):  # at some types the code is run, and may be seen to fail
        assert found.strength is (Strength.EXACT if found.counterexample else Strength.TESTED)
        assert found.counterexample or "not traced: " in found.reason
        return
    assert found.status is Status.HOLDS
    assert found.strength is Strength.TESTED
    assert any("No proof" in str(item) for item in found.evidence)


@pytest.mark.parametrize(("claim_id", "check"), each(REPAIRED))
def test_a_repaired_instance_of_a_refuted_claim_holds(claim_id: str, check: Check) -> None:
    assert type(check) is type(BY_ID[claim_id].check)
    found = check(context_of(claim_id, SMALL))
    assert found.status is Status.HOLDS
    assert found.counterexample is None


# --- bazaar, Theorem 1, with a pencil


def printed_inequality(x: int, f: int, g: int, u: int) -> bool:
    return x * g * u >= x * f * u


def test_theorem_1_is_refuted_over_a_family_most_of_which_satisfies_it() -> None:
    check = BY_ID["bazaar.theorem-1"].check
    assert isinstance(check, ForAll)
    context = context_of("bazaar.theorem-1", replace(SMALL, exhaustive=10_000))
    found = search(check.family, check.predicate, context)

    goods = [
        (x, f, g, u) for x, f, g, u in product((0, 1), range(3), range(3), range(-2, 3)) if g >= f
    ]
    sums = [x * (g - f) * u for x, f, g, u in goods]
    pairs = [a + b for a, b in product(sums, repeat=2)]
    assert found.exhausted == (1, 2)
    assert found.met == found.instances == len(sums) + len(pairs)
    assert found.met >= 1000
    assert found.failing == sum(total < 0 for total in [*sums, *pairs])
    assert found.failing < found.met / 2

    broken = [good for good in goods if not printed_inequality(*good)]
    least = min(sum(map(abs, good)) for good in broken)
    assert [good for good in broken if sum(map(abs, good)) == least] == [(1, 0, 1, -1)]
    assert found.smallest is not None
    assert found.smallest.instance == Purchases((1,), (0,), (1,), (-1,))


def test_the_counterexample_to_theorem_1_replays_by_hand() -> None:
    found = finding("bazaar.theorem-1").counterexample
    assert found is not None
    (good, total) = found.exhibit.tables[0].rows
    x, f, g, u, with_inspection, without = map(int, good[1:])
    assert (x, f, g, u) == (1, 0, 1, -1)
    assert g >= f, "the hypothesis is met"
    assert with_inspection == x * g * u == -1
    assert without == x * f * u == 0
    assert total[-2:] == ("-1", "0")
    assert "nothing smaller in the family fails" in found.minimality


# --- bazaar, Table 1, with a pencil


def test_the_printed_rows_sum_to_what_the_finding_says() -> None:
    found = finding("bazaar.table-1").counterexample
    assert found is not None
    rows = {row[0]: row[1:] for row in found.exhibit.tables[0].rows}
    expected = {"Llama 2 (70B)": "2.26", "GPT-4": "-3.03", "GPT-3.5": "-1.54"}
    assert rows.keys() == expected.keys()
    for name, (*entries, total, _off) in rows.items():
        assert sum(map(Decimal, entries)) == Decimal(total) == Decimal(expected[name])
        assert f"{name} {Decimal(total):+}" in found.exhibit.summary


# --- volition, Example 2.1, with a logarithm table


def readings() -> dict[str, tuple[str, str, str]]:
    table = finding("volition.example-2.1").evidence[0]
    assert isinstance(table, Table)
    return {row[0]: (row[1], row[2], row[3]) for row in table.rows}


def decimal_value(text: str) -> Decimal:
    """Evaluate "7/5·log(2) - 3/5·log(3) ≈ 0.3112" to 50 digits from its logarithms."""
    closed, rounded = text.split(" ≈ ")
    total = Decimal(0)
    pattern = r"([+-]?)\s*(?:(\d+)(?:/(\d+))?·)?log\((\d+)(?:/(\d+))?\)"
    assert re.sub(pattern, "", closed).strip() == ""
    for sign, n, d, a, b in re.findall(pattern, closed):
        term = Decimal(n or 1) / Decimal(d or 1) * (Decimal(a) / Decimal(b or 1)).ln()
        total += -term if sign == "-" else term
    assert abs(total - Decimal(rounded)) < Decimal("0.00005")
    return total


def test_the_readings_of_example_2_1_are_those_of_a_logarithm_table() -> None:
    with localcontext() as arithmetic:
        arithmetic.prec = 50
        log = {n: Decimal(n).ln() for n in (2, 3, 4, 8, 9)}
        tenths = {n: Decimal(n) / 10 for n in (2, 4, 6, 8)}
        up_alone, down_alone = log[4], log[2] - log[3]  # 2/5 over 1/10, and 3/5 over 9/10
        up_both, down_both = log[2], log[8] - log[9]  # 1/5 over 1/10, and 4/5 over 9/10
        expected = [
            (tenths[4] * up_alone + tenths[6] * down_alone, "0.3112"),
            (tenths[2] * up_both + tenths[8] * down_both, "0.0444"),
            (up_alone, "1.3863"),
            (up_both, "0.6931"),
            (down_alone, "-0.4055"),
            (down_both, "-0.1178"),
            (tenths[2] * up_alone + tenths[8] * down_alone, "-0.0471"),
            (tenths[2] * up_both + tenths[8] * down_both, "0.0444"),
        ]
        printed = [text for row in readings().values() for text in row[:2]]
        for text, (number, rounded) in zip(printed, expected, strict=True):
            assert text.endswith(f"≈ {rounded}")
            assert abs(decimal_value(text) - number) < Decimal("1e-45")


def test_the_readme_shows_how_many_claims_there_are() -> None:
    holding = sum(claim.expected is Status.HOLDS for claim in CLAIMS)
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert f"\n{len(CLAIMS)} claims ({holding} hold, " in readme


def test_the_conclusion_of_example_2_1_holds_for_two_of_four_readings() -> None:
    verdicts = {name: row[2] for name, row in readings().items()}
    assert list(verdicts.values()) == ["yes", "yes", "no", "no"]
    assert "ex-post" in finding("volition.example-2.1").reason


def test_table_1_gives_the_printed_conditionals_by_hand() -> None:
    joint = [(p * q, p, i1, i2) for p, i1, i2, q in TABLE_1]
    assert sum(p for _, p, _, _ in joint) == 1
    assert sum(e for e, *_ in joint) == Fraction(1, 10)
    first = [(e, p) for e, p, i1, _ in joint if i1 == 1]
    assert sum(e for e, _ in first) / sum(p for _, p in first) == Fraction(2, 5)
    both = [(e, p) for e, p, i1, i2 in joint if (i1, i2) == (1, 1)]
    assert sum(e for e, _ in both) / sum(p for _, p in both) == Fraction(1, 5)
