"""The gallery is the test of the checkers: each exhibit is caught by exactly what it breaks."""

from __future__ import annotations

import pytest

from mechanisms.gallery import GALLERY, Exhibit
from theory.incentives import FiniteTypes, MechanismReport, check_mechanism
from theory.verdicts import Status


def check(exhibit: Exhibit, seed: int = 0) -> MechanismReport:
    return check_mechanism(
        exhibit.mechanism,
        types=FiniteTypes(exhibit.types),
        agents=exhibit.agents,
        seed=seed,
    )


@pytest.mark.parametrize("exhibit", GALLERY, ids=lambda exhibit: exhibit.name)
def test_each_exhibit_is_caught_by_exactly_the_properties_that_it_breaks(exhibit: Exhibit) -> None:
    report = check(exhibit)
    assert set(report.refuted) == exhibit.breaks
    for witness in report.witnesses:
        assert witness.slack < 0
        if witness.property != "deterministic":
            assert witness.replay().slack == witness.slack
    assert all(f.status is not Status.AMBIGUOUS for f in report.findings)
    assert bool(report.faults) == ("deterministic" in exhibit.breaks)


@pytest.mark.parametrize("seed", range(5))
def test_secret_randomness_is_caught_whatever_the_seed(seed: int) -> None:
    for exhibit in GALLERY:
        if "deterministic" in exhibit.breaks:
            assert set(check(exhibit, seed).refuted) == exhibit.breaks


def test_every_property_that_needs_no_prior_is_broken_by_something() -> None:
    from theory.incentives import PROPERTIES

    broken = frozenset[str]().union(*(exhibit.breaks for exhibit in GALLERY))
    assert broken == set(PROPERTIES) - {"bic", "interim_individually_rational"}
