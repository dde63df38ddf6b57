"""The rules drawn at random are what they say they are, by the oracle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from incentive_rules import Case, cases, outcomes_by_vcg, perturbed, quantities
from reference.incentives import Setting, breaks


def setting_of(case: Case) -> Setting:
    return Setting(case.rule.__getitem__, case.types, case.value, linear=case.tables is None)


def test_rules_that_are_truthful_by_construction_are() -> None:
    drawn = list(cases(330))
    entailed = {"dsic", "weakly_monotone", "cyclically_monotone", "convex_utility"}
    truthful = [case for case in drawn if case.truthful_by_construction]
    for case in truthful:
        assert not breaks(setting_of(case)) & {*entailed, "payment_identity"}, case.name
    assert 2 * len(truthful) >= len(drawn)
    rest = [case for case in drawn if not case.truthful_by_construction]
    assert 2 * sum("dsic" in breaks(setting_of(case)) for case in rest) > len(rest)


def test_rules_depend_on_the_seed_and_the_number_alone() -> None:
    drawn = list(cases(22))
    assert list(cases(30))[:22] == drawn
    assert list(cases(22, seed=1)) != drawn
    assert len({case.name for case in drawn}) == len(drawn)


@pytest.mark.parametrize("draw", [quantities, outcomes_by_vcg], ids=["quantities", "outcomes"])
def test_a_perturbation_changes_one_entry(draw: Callable[[Random], Case]) -> None:
    for seed in range(40):
        before = draw(Random(seed))
        after = perturbed(Random(seed), before)
        [profile] = [r for r in before.rule if before.rule[r] != after.rule[r]]
        (was, paid), (now, pays_now) = before.rule[profile], after.rule[profile]
        assert (was != now) != (paid != pays_now)
        if paid != pays_now or before.tables is None:
            entries = (paid, pays_now) if was == now else (was, now)
            assert sum(x != y for x, y in zip(*entries, strict=True)) == 1


def test_scaling_values_and_payments_changes_no_verdict() -> None:
    for case in cases(60, seed=1):

        def scaled(reports: Any, rule: Any = case.rule) -> Any:
            allocation, payments = rule[reports]
            return allocation, [3 * payment for payment in payments]

        def value(i: int, t: Any, a: Any, case: Case = case) -> Any:
            return 3 * case.value(i, t, a)

        setting = setting_of(case)
        assert breaks(replace(setting, rule=scaled, value=value)) == breaks(setting), case.name
