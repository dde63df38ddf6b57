"""Planted faults in the claim about the experiment of section 6; see __init__.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mechanisms.advertising import GeneratorResult, InstanceResult, run_instance
from papers.truthful.checks.equity import Equity
from theory.claims import Check

__all__ = ["MUTANTS"]


@dataclass(frozen=True)
class Distorted:
    """The runs of the experiment, with something of each course broken."""

    distort: Callable[[GeneratorResult], GeneratorResult]

    def __call__(self, *arguments: Any, **options: Any) -> InstanceResult:
        record = run_instance(*arguments, **options)
        return replace(record, courses={k: self.distort(c) for k, c in record.courses.items()})


def paid_as_bid(course: GeneratorResult) -> GeneratorResult:
    """Who takes part pays all that it has of the reply."""
    return replace(course, payments=course.expected_rewards)


def offset_of_the_others(course: GeneratorResult) -> GeneratorResult:
    """Each pays with the offset of the next."""
    return replace(course, payments=np.roll(course.payments, 1, axis=1))


def offset_added(course: GeneratorResult) -> GeneratorResult:
    """The offset has the wrong sign."""
    bare = course.payments_without_offset
    return replace(course, payments=2 * bare - course.payments)


def offset_left_in(course: GeneratorResult) -> GeneratorResult:
    """What should be without the offset is with it."""
    return replace(course, payments_without_offset=course.payments)


def last_pays_as_bid_at_last(course: GeneratorResult) -> GeneratorResult:
    """The last advertiser pays as bid, where the reply is drawn from all candidates."""
    payments = course.payments.copy()
    payments[-1, -1] = course.expected_rewards[-1, -1]
    return replace(course, payments=payments)


def last_has_an_offset_at_last(course: GeneratorResult) -> GeneratorResult:
    """What should be without the offset is with it for the last advertiser alone, at the end."""
    payments = course.payments_without_offset.copy()
    payments[-1, -1] = course.payments[-1, -1]
    return replace(course, payments_without_offset=payments)


MUTANTS: dict[str, dict[str, Check]] = {
    "truthful.equity": {
        distort.__name__: Equity(Distorted(distort))
        for distort in (
            paid_as_bid,
            offset_of_the_others,
            offset_added,
            offset_left_in,
            last_pays_as_bid_at_last,
            last_has_an_offset_at_last,
        )
    },
}
