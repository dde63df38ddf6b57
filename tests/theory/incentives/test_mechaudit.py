"""mechaudit finds what we find on finite mechanisms, most of them truthful.

It works in float64. A case is scaled to integers and its prior has halves of halves, so that its
sums are exact and the least slacks can be compared as numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product
from math import lcm
from random import Random
from typing import Any

import mechaudit
import numpy as np
import pytest
from incentive_rules import Case, Profile, Rule, cases
from sweeps import mostly_slow

from theory.incentives import (
    Effort,
    FiniteTypes,
    Lottery,
    MechanismReport,
    Prior,
    ValueTable,
    Witness,
    check_mechanism,
)
from theory.verdicts import Status

CASES, PARTS = 500, 5
VERDICTS = (Status.HOLDS, Status.REFUTED)
FAMILIES = {
    "dsic": mechaudit.DSIC(),
    "bic": mechaudit.BIC(zero_probability_types="vacuous"),
    "individually_rational": mechaudit.ExPostIR(),
    "interim_individually_rational": mechaudit.InterimIR(zero_probability_types="vacuous"),
    "no_positive_transfers": mechaudit.NoSubsidies(),
    "weakly_budget_balanced": mechaudit.WeakBudgetBalance(),
    "strongly_budget_balanced": mechaudit.StrongBudgetBalance(),
}

Masses = dict[Profile, Fraction]


def with_clerk(case: Case) -> Case:
    """The same beside an agent of one type who is given and wants nothing and gets all payments."""
    rule: Rule = {}
    for profile, (allocation, paid) in case.rule.items():
        given = allocation if case.tables else (*allocation, Fraction(0))
        rule[*profile, 0] = given, (*paid, -sum(paid, start=Fraction(0)))
    tables = case.tables
    if tables:
        tables = (*tables, {0: dict.fromkeys(next(iter(tables[0].values())), 0)})
    return replace(case, types=(*case.types, (0,)), tables=tables, rule=rule)


def mechanisms() -> Iterator[Case]:
    """Cases, every third with a clerk."""
    for n, case in enumerate(cases(CASES)):
        yield with_clerk(case) if n % 3 == 0 else case


def drawn_masses(case: Case) -> Masses:
    """Probabilities in 64ths, correlated; some profiles, and now and then a type, have none."""
    profiles = list(case.rule)
    chosen = Random(case.name).choices(profiles, k=64)
    return {profile: Fraction(n, 64) for profile, n in Counter(chosen).items()}


# --- the two sides


def checked(case: Case, masses: Masses) -> MechanismReport:
    """Our report on the case."""

    def mechanism(reports: Profile) -> tuple[Any, tuple[Fraction, ...]]:
        allocation, paid = case.rule[reports]
        return (Lottery(allocation) if isinstance(allocation, dict) else allocation), paid

    return check_mechanism(
        mechanism,
        types=[FiniteTypes(kinds) for kinds in case.types],
        values=None if case.tables is None else ValueTable(case.tables),
        prior=Prior.joint(masses),
        properties=list(FAMILIES),
        effort=Effort(rechecked=8),  # mechaudit recomputes all
    )


def scale(case: Case) -> int:
    """A number that makes all values and payments integers."""
    numbers = [p for _, paid in case.rule.values() for p in paid]
    if case.tables is None:
        numbers += [Fraction(x) for shares, _ in case.rule.values() for x in shares]
    return lcm(*(Fraction(x).denominator for x in numbers))


def audited(
    case: Case, masses: Masses, factor: int, families: dict[str, Any] = FAMILIES
) -> mechaudit.MechanismAuditReport:
    """The report on the case with all values and payments times the factor."""
    laws = [a if isinstance(a, dict) else {a: 1} for a, _ in case.rule.values()]
    outcomes = list(dict.fromkeys(outcome for law in laws for outcome in law))
    environment = mechaudit.FiniteEnvironment(
        agents=dict(enumerate(case.types)),
        outcomes=range(len(outcomes)),
        prior={profile: float(masses.get(profile, 0)) for profile in case.rule},
        values=mechaudit.PrivateValues(
            lambda agent, kind, k: float(factor * case.value(agent, kind, outcomes[k]))  # type: ignore[arg-type, call-overload]
        ),
    )
    chances = [[float(law.get(outcome, 0)) for outcome in outcomes] for law in laws]
    paid = [[float(factor * p) for p in payments] for _, payments in case.rule.values()]
    rule = mechaudit.DirectMechanism.from_arrays(
        np.array(chances), np.array(paid), environment=environment
    )
    return environment.audit(rule, families.values())


def least_slack(
    report: mechaudit.MechanismAuditReport, family: str, factor: int
) -> Fraction | None:
    """The least slack that mechaudit found, in the case's own units; None where all is vacuous."""
    section = report.section(family, {FAMILIES[family].family})
    least: list[Fraction] = []
    for check in section:
        if check.residual is not None:
            least.append(-abs(Fraction(check.residual)))
        elif "joint_weighted_slack" in check.metadata:
            weighted = Fraction(check.metadata["joint_weighted_slack"])
            least.append(weighted / Fraction(check.metadata["conditioning_mass"]))
        elif check.slack is not None:
            least.append(Fraction(check.slack))
    return min(least) / factor if least else None


# --- what a witness gains, from the table


def replaced(profile: Profile, agent: int, kind: Any) -> Profile:
    return (*profile[:agent], kind, *profile[agent + 1 :])


def utility(case: Case, agent: int, kind: Any, reports: Profile) -> Fraction:
    allocation, paid = case.rule[reports]
    law = allocation if isinstance(allocation, dict) else {allocation: 1}
    worth = sum(p * case.value(agent, kind, outcome) for outcome, p in law.items())
    return Fraction(worth - paid[agent])


def slack_of_witness(case: Case, masses: Masses, family: str, witness: Witness) -> Fraction:
    """By how much the statement holds at a witness, from the definition: below 0 if it is one."""
    if family in {"bic", "interim_individually_rational"}:
        (agent,), kind, *lie = witness.agents, *witness.lies
        given = {profile: p for profile, p in masses.items() if profile[agent] == kind}
        mean = Fraction(0)
        for profile, p in given.items():
            mean += p * utility(case, agent, kind, profile)
            for said in lie:
                mean -= p * utility(case, agent, kind, replaced(profile, agent, said))
        return mean / sum(given.values())
    profile, paid = witness.profile, case.rule[witness.profile][1]
    if family == "dsic":
        (agent,), (lie,) = witness.agents, witness.lies
        lying = utility(case, agent, profile[agent], replaced(profile, agent, lie))
        return utility(case, agent, profile[agent], profile) - lying
    if family == "individually_rational":
        (agent,) = witness.agents
        return utility(case, agent, profile[agent], profile)
    if family == "no_positive_transfers":
        return paid[witness.agents[0]]
    total = sum(paid, start=Fraction(0))
    return total if family == "weakly_budget_balanced" else -abs(total)


def differences(
    case: Case,
    masses: Masses,
    ours: MechanismReport,
    theirs: mechaudit.MechanismAuditReport,
    factor: int,
) -> list[str]:
    """Where the reports differ, or a witness of ours does not lose what it says it loses."""
    found = [str(fault) for fault in ours.faults]
    for family, requirement in FAMILIES.items():
        finding, witness = ours[family], ours[family].witness
        passed = theirs.section(family, {requirement.family}).passed
        if finding.status != VERDICTS[not passed]:
            found.append(f"{family}: {finding.status}, where mechaudit's passed is {passed}")
        least = least_slack(theirs, family, factor)
        if finding.slack != least:
            found.append(f"{family}: least slack {finding.slack}, where mechaudit's is {least}")
        lost = None if witness is None else slack_of_witness(case, masses, family, witness)
        if witness is not None and (lost is None or lost >= 0 or witness.gain != -lost):
            found.append(f"{family}: gain {witness.gain}, where the table says {lost}")
        if (witness is None) != (finding.status == Status.HOLDS):
            found.append(f"{family}: {finding.status} with witness {witness}")
    return [f"{case.name}: {difference}" for difference in found]


@pytest.mark.parametrize("part", mostly_slow(range(PARTS)))
def test_findings_agree_on_500_mechanisms(part: int) -> None:
    found: list[str] = []
    seen: Counter[tuple[str, Status]] = Counter()
    for case in islice(mechanisms(), part, None, PARTS):
        masses, factor = drawn_masses(case), scale(case)
        ours = checked(case, masses)
        theirs = audited(case, masses, factor)
        found += differences(case, masses, ours, theirs, factor)
        seen.update((family, ours[family].status) for family in FAMILIES)
    assert found == []
    assert seen["dsic", Status.HOLDS] >= CASES / PARTS / 2
    assert min(seen[family, verdict] for family in FAMILIES for verdict in VERDICTS) >= 20


def test_a_difference_in_one_payment_is_seen() -> None:
    for case in islice(mechanisms(), 20):
        masses, (profile, (allocation, paid)) = drawn_masses(case), next(iter(case.rule.items()))
        other = replace(case, rule={**case.rule, profile: (allocation, (paid[0] - 99, *paid[1:]))})
        factor = scale(case)
        theirs = audited(case, masses, factor)
        assert differences(case, masses, checked(case, masses), theirs, factor) == []
        seen = " ".join(differences(case, masses, checked(other, masses), theirs, factor))
        assert "no_positive_transfers: least" in seen
        assert "strongly_budget_balanced: least" in seen


def first_price(unit: Fraction) -> Case:
    """Two bidders, four types, the first best bid wins and is paid; amounts in the unit."""
    rule: Rule = {}
    for bids in product(range(4), repeat=2):
        won = [Fraction(i == bids.index(max(bids))) for i in range(2)]
        paid = tuple(unit * bid * x for bid, x in zip(bids, won, strict=True))
        rule[tuple(unit * bid for bid in bids)] = tuple(won), paid
    kinds = tuple(unit * k for k in range(4))
    return Case("first price", (kinds, kinds), None, rule, truthful_by_construction=False)


def test_a_lie_that_pays_a_billionth_passes_mechaudit_and_not_us() -> None:
    coarse, fine = first_price(Fraction(1)), first_price(Fraction(1, 10**9))
    masses = dict.fromkeys(fine.rule, Fraction(1, 16))
    for case, passed in ((coarse, False), (fine, True)):
        at_par = dict.fromkeys(case.rule, Fraction(1, 16))
        assert audited(case, at_par, 1).ic.passed == passed
    finding = checked(fine, masses)["dsic"]
    assert finding.status == Status.REFUTED
    assert finding.witness is not None
    lost = slack_of_witness(fine, masses, "dsic", finding.witness)
    assert finding.witness.gain == -lost
    assert finding.slack == Fraction(-3, 10**9)
