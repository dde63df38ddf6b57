"""What proves that a strategy is best, as it stands in an answer."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from mechproof.problems.format.typed import Record
from mechproof.problems.shared.answers import Rational
from theory.games import Optimum
from theory.games.ex_ante import Closed

__all__ = ["Certificate", "certificate_of"]


class Certificate(Record, frozen=True, kw_only=True):
    """The checked proof of an upper bound: it divides all strategies into cases."""

    upper_bound: Annotated[Rational, Meta(description="What no strategy exceeds.")]
    cases: Annotated[int, Meta(description="How many cases there are.")]
    branches: Annotated[int, Meta(description="How often a case was divided to get them.")]


def certificate_of(found: Optimum) -> Certificate:
    """Return what an answer says of the certificate."""
    steps = found.certificate.steps
    cases = sum(isinstance(step, Closed) for step in steps)
    return Certificate(upper_bound=str(found.bound), cases=cases, branches=len(steps) - cases)
