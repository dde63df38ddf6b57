"""The softmax auction in the battery: what holds, and the smallest lie where a payment is wrong."""

from __future__ import annotations

import inspect
import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import jax
import numpy as np
import pytest
from softmax_rules import LogOutside, OffsetOfTheReport, PayYourReward, Wrong, WrongTemperature

from mechanisms.gallery import GreedyVCG
from mechanisms.softmax_auction import SoftmaxAuction
from theory.errors import InvalidInputError
from theory.incentives import Box, Effort, FiniteTypes, MechanismReport, check_mechanism
from theory.verdicts import Status

LITTLE = Effort(samples=40, starts=2, steps=8, shrinks=60)
LOGS = ((-0.5, -1.0), (-1.0, -0.5))
REWARDS = Box([-1, -1], [1, 1])


def checked(mechanism: Any, types: Any = REWARDS, *properties: str) -> MechanismReport:
    """The battery without derivatives, which take long to compile."""
    return check_mechanism(
        getattr(mechanism, "outcome", mechanism),
        types=types,
        agents=2,
        properties=properties or ("dsic",),
        effort=LITTLE,
    )


@pytest.mark.parametrize(
    "auction", [SoftmaxAuction(0.5, *LOGS), SoftmaxAuction(2.0).without_offset()], ids=repr
)
def test_what_a_truthful_auction_has(auction: SoftmaxAuction) -> None:
    names = ("dsic", "feasible", "convex_utility", "weakly_monotone", "cyclically_monotone")
    report = checked(auction, REWARDS, *names)
    assert report.refuted == ()
    assert all(report[name].scope.nontrivial for name in names)


def test_a_negative_reward_refutes_individual_rationality() -> None:
    report = checked(SoftmaxAuction(1.0), REWARDS, "individually_rational")
    witness = report["individually_rational"].witness
    assert witness is not None
    (agent,) = witness.agents
    assert min(witness.profile[agent]) < 0
    liking = checked(SoftmaxAuction(1.0), Box([0, 0], [1, 1]), "individually_rational")
    assert liking["individually_rational"].status is Status.HOLDS
    transfers = checked(SoftmaxAuction(1.0), REWARDS, "no_positive_transfers")
    assert transfers["no_positive_transfers"].status is Status.HOLDS


def test_without_the_offset_there_is_a_deficit() -> None:
    report = checked(SoftmaxAuction(1.0).without_offset(), REWARDS, "weakly_budget_balanced")
    assert report.refuted == ("weakly_budget_balanced",)


@pytest.mark.parametrize("kind", [PayYourReward, WrongTemperature, OffsetOfTheReport, LogOutside])
def test_a_wrong_payment_has_a_small_lie_that_pays(kind: type[Wrong]) -> None:
    mechanism = kind(0.5, *LOGS)
    witness = checked(mechanism)["dsic"].witness
    assert witness is not None
    assert witness.replay().fails
    numbers = [x for row in (*witness.profile, *witness.lies) for x in row]
    assert all(Fraction(x).denominator <= 8 for x in numbers)


def test_what_searches_follow_is_what_is_judged() -> None:
    rng = np.random.default_rng(0)
    for mechanism in (SoftmaxAuction(0.5, *LOGS), WrongTemperature(0.5, *LOGS)):
        reports = rng.normal(size=(3, 2))
        outcome = mechanism.outcome([tuple(row) for row in reports.tolist()])
        with jax.enable_x64(True):
            law, payments = mechanism.function(reports)
        np.testing.assert_allclose(outcome.allocation, law, rtol=1e-13)
        np.testing.assert_allclose(list(outcome.payments), payments, rtol=1e-12)


@pytest.mark.slow
def test_ascent_along_the_gradient_finds_a_slightly_wrong_payment() -> None:
    class SlightlyWrong(Wrong):
        def added(self, xp: Any, rewards: Any, law: Any, payments: Any) -> Any:
            return 1e-4 * rewards @ law

    effort = replace(LITTLE, starts=16, steps=60)
    reports = [
        check_mechanism(kind(0.5), types=REWARDS, agents=2, properties=["dsic"], effort=effort)
        for kind in (SoftmaxAuction, SlightlyWrong)
    ]
    assert [report["dsic"].status for report in reports] == [Status.HOLDS, Status.REFUTED]


def test_greedy_vcg_of_the_gallery_is_manipulable() -> None:
    values = ((0, 2, 0, 2), (0, 0, 2, 2), (0, 0, 0, 3))
    report = check_mechanism(
        GreedyVCG(("first", "second")), types=FiniteTypes(values), agents=3, properties=["dsic"]
    )
    assert report.refuted == ("dsic",)


def test_it_says_what_it_is() -> None:
    assert repr(SoftmaxAuction(0.5)) == "SoftmaxAuction(tau=0.5)"
    assert SoftmaxAuction(0.5).without_offset() == SoftmaxAuction(0.5, offset=False)
    assert SoftmaxAuction(1.0, np.zeros(2), np.zeros(2)).log_ref == (0.0, 0.0)
    witness = checked(PayYourReward(1.0))["dsic"].witness
    assert witness is not None
    assert json.loads(witness.to_json())


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"tau": 0.0}, "tau"),
        ({"tau": -1.0}, "tau"),
        ({"tau": float("nan")}, "tau"),
        ({"tau": float("inf")}, "tau"),
        ({"tau": True}, "tau"),
        ({"tau": "1"}, "tau"),
        ({"tau": 1.0, "log_ref": (0.0,)}, "log_gen"),
        ({"tau": 1.0, "log_gen": (0.0,)}, "log_ref"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(settings: Any, name: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        inspect.unwrap(SoftmaxAuction)(**settings)
    assert caught.value.argument == name


def test_wrong_reports_are_refused_when_they_come() -> None:
    for reports in ([(1.0, 2.0), (1.0,)], [], [(float("nan"), 1.0)]):
        with pytest.raises(InvalidInputError):
            SoftmaxAuction(1.0).outcome(reports)


def test_what_is_no_number_is_refused_by_name() -> None:
    with pytest.raises(InvalidInputError, match="log_ref"):
        SoftmaxAuction(1.0, "abc", (0.0, 0.0, 0.0))
    for report in ("ab", ("x", "y"), None, (10**400, 0)):
        with pytest.raises(InvalidInputError, match=r"reports\[1\]"):
            SoftmaxAuction(1.0).outcome([(0, 0), report])
