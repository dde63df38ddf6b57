"""Floats: what rounding explains is no failure, and what it does not explain is not hidden."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from theory.incentives import (
    Box,
    Effort,
    FiniteTypes,
    MechanismReport,
    Vectorised,
    check_mechanism,
)
from theory.incentives._reading import number
from theory.verdicts import Status, Strength

Bids = Sequence[Any]
TENTHS = FiniteTypes([Fraction(k, 10) for k in range(6)])
BOTH = ["dsic", "individually_rational"]


def check(rule: Any, types: Any = TENTHS, names: list[str] | None = None) -> MechanismReport:
    return check_mechanism(rule, types=types, agents=2, properties=names)


def second_price(bids: Bids) -> tuple[int, list[float]]:
    winner = bids.index(max(bids))
    return winner, [float(min(bids)) if i == winner else 0.0 for i in range(2)]


def second_price_rows(bids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    wins = np.zeros(bids.shape, dtype=np.int64)
    wins[np.arange(len(bids)), bids.argmax(axis=1)] = 1
    return wins, wins * bids.min(axis=1, keepdims=True).astype(float)


@pytest.mark.parametrize("rule", [second_price, Vectorised(second_price_rows)])
def test_second_price_in_floats_holds_though_tenths_are_rounded(rule: Any) -> None:
    report = check(rule, names=BOTH)
    for finding in report.findings:
        assert finding.status is Status.HOLDS
        assert finding.strength is Strength.TESTED
        assert finding.slack is not None
        assert -Fraction(1, 10**15) < finding.slack < 0
        assert finding.gap == 0
        assert "rounding" in finding.reason


@pytest.mark.parametrize(
    "value", [1, Fraction(1, 3), "1/3", Decimal("0.1"), np.int64(2), np.array(3)]
)
def test_what_is_exact_has_no_rounding(value: Any) -> None:
    exact = Fraction(value.item() if isinstance(value, np.ndarray | np.integer) else value)
    assert number(value, "payment") == (exact, 0.0)


def test_float32_has_its_own_rounding() -> None:
    def rule(bids: Bids) -> tuple[int, np.ndarray]:
        single = np.array([float(b) for b in bids], dtype=np.float32)
        paid = np.zeros(2, dtype=np.float32)
        paid[single.argmax()] = single.min()
        return int(single.argmax()), paid

    effort = Effort(samples=200, starts=4, steps=20)
    report = check_mechanism(rule, types=Box(0, 1), agents=2, properties=BOTH, effort=effort)
    assert report.refuted == ()
    assert report["dsic"].slack is not None
    assert report["dsic"].slack < -Fraction(1, 10**10)


def test_one_agents_floats_hide_nothing_of_another() -> None:
    def rule(bids: Bids) -> tuple[tuple[int, int], list[Any]]:
        return (0, 0), [bids[0], -(10.0**13)]

    report = check(rule, FiniteTypes([0, 1, 2]), BOTH)
    assert report.refuted == tuple(BOTH)
    assert report["dsic"].slack == -2


def test_findings_do_not_depend_on_what_else_is_asked() -> None:
    def first_price(bids: Bids) -> tuple[int, list[float]]:
        winner = bids.index(max(bids))
        return winner, [float(b) if i == winner else 0.0 for i, b in enumerate(bids)]

    tiny = FiniteTypes([0, Fraction(1, 10**13)])
    name = "pairwise_strategyproof"
    for names in ([name], ["payment_identity", name], None):
        assert check(first_price, tiny, names)[name].status is Status.REFUTED


@pytest.mark.parametrize(
    ("name", "payments"),
    [
        ("pairwise_strategyproof", {(1, 1): (1.0, 0.3), (0, 0): (0.0, 0.1 + 0.2)}),
        ("non_bossy", {(0, 0): (0.3, 5.0), (1, 0): (0.1 + 0.2, 2.0)}),
    ],
)
def test_hypotheses_on_floats_allow_for_rounding(name: str, payments: dict[Any, Any]) -> None:
    def rule(bids: Bids) -> tuple[tuple[int, int], Any]:
        return (0, 0), payments.get(tuple(bids), (1.0, 0.3))

    assert check(rule, FiniteTypes([0, 1]), [name]).refuted == (name,)


def test_a_quantity_that_falls_by_rounding_does_not_fall() -> None:
    def rule(bids: Bids) -> tuple[list[float], list[Any]]:
        return [0.1 + 0.2 if bids[0] == 0 else 0.3, 0.0], [50 * bids[0], 0]

    report = check(rule, FiniteTypes([0, 1]), ["payment_identity"])
    assert report.refuted == ("payment_identity",)


def test_a_slack_between_rounding_and_tolerance_is_ambiguous() -> None:
    def rule(bids: Bids) -> tuple[int, list[float]]:
        winner, paid = second_price(bids)
        return winner, [
            p + 1e-11 * float(bids[i]) if i == winner else p for i, p in enumerate(paid)
        ]

    assert check(rule, names=["dsic"])["dsic"].status is Status.AMBIGUOUS
