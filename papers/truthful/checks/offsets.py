"""truthful, section 5.3.1: no offset that ignores the report makes every utility positive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from papers.truthful.checks.cases import approximately, rewards_of, show_all
from papers.truthful.checks.definition import AuctionRun, exact_auction, traced_auction
from papers.truthful.checks.divergences import in_either_place, two_agents
from papers.truthful.checks.logs import LogSum, by_sizes, same_sums
from theory.checks import ForAll
from theory.claims import CheckContext
from theory.numbers.closed_form import log
from theory.proofs import Identity, Proof
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Finding, Status, Table

__all__ = [
    "OFFSETS",
    "EveryOffsetFails",
    "Offset",
    "ShiftProof",
    "WithViolations",
    "show_offset",
    "smallest_violation",
]

FARTHEST = 8
"""Reports down to -8 τ log 2 are tried."""


@dataclass(frozen=True)
class Offset:
    """What the others report and the ratios come to, exp(b_i), and an offset τ log(K) or (13).

    ``raised`` is K, or what the offset (13) is raised by: τ log(K) as well.
    """

    others: tuple[Fraction, ...]
    tau: Fraction
    raised: Fraction
    clarke: bool

    def utility(self, odds: tuple[Fraction, ...], run: AuctionRun, *, last: bool = False) -> Any:
        """Return the expected utility of a truthful agent with these odds.

        It is alone, and b_i is of ratios; or it is listed ``last``, after one who reports b_i.
        """
        given = ([self.others, odds],) if last else ([odds], self.others)
        found = run(*given, tau=self.tau, offset=self.clarke).utilities[-1]
        return found + self.tau * log(self.raised)

    def __str__(self) -> str:
        offset = approximately(self.tau * log(self.raised))
        kind = f"(13) and {offset}" if self.clarke else offset
        return f"exp(b_i) = {show_all(self.others)}, τ = {self.tau}, C = {kind}"


def smallest_violation(case: Offset, run: AuctionRun) -> tuple[Any, ...] | None:
    """Return odds of a report with negative utility, the closest to 0 in the largest entry.

    Rewards are 0, -τ log 2, -2 τ log 2, …; of those with one largest entry the one with the
    smallest sum of entries is taken.
    """
    for farthest in range(1, FARTHEST + 1):
        steps = product(range(farthest + 1), repeat=len(case.others))
        edge = [k for k in steps if max(k) == farthest]
        for k in sorted(edge, key=lambda k: (sum(k), k)):
            odds = tuple(Fraction(1, 2**n) for n in k)
            if case.utility(odds, run) < 0:
                return odds
    return None


@dataclass(frozen=True)
class EveryOffsetFails:
    """Some report -c for every candidate has negative utility, and costs exactly c.

    For an agent that is alone, and for one that is listed after another.
    """

    run: AuctionRun = exact_auction

    def __call__(self, case: Offset) -> Trial:
        """Lower the report; non-trivial where a reward of 0 has utility of at least 0."""
        failure = self._failure(case, last=False) or self._failure(case, last=True)
        return Trial(nontrivial=self._lower(case, 0, last=False) >= 0, failure=failure)

    def _failure(self, case: Offset, *, last: bool) -> str:
        calm = self._lower(case, 0, last=last)
        who = " who is listed last" if last else ""
        for k in range(1, FARTHEST + 1):
            left = self._lower(case, k, last=last)
            if calm - left != k * case.tau * log(2):
                return (
                    f"the report -{k} τ log 2 for every candidate costs an agent{who} "
                    f"{approximately(calm - left)}."
                )
            if left < 0:
                return ""
        return f"no c up to {FARTHEST} τ log 2 is enough for an agent{who}."

    def _lower(self, case: Offset, k: int, *, last: bool) -> Any:
        return case.utility((Fraction(1, 2**k),) * len(case.others), self.run, last=last)


def show_offset(case: Offset) -> Exhibit:
    """Work an offset out: the smallest report with negative utility."""
    return Exhibit(summary=str(case), tables=(_violations([case]),))


def _violations(cases: Sequence[Offset]) -> Table:
    rows = []
    for case in cases:
        odds = smallest_violation(case, exact_auction)
        zero = approximately(case.utility((Fraction(1),) * len(case.others), exact_auction))
        found = ("none", "")
        if odds is not None:
            utility = case.utility(odds, exact_auction)
            found = (show_all(rewards_of(odds, case.tau)), approximately(utility))
        rows.append((str(case), zero, *found))
    return Table(
        caption="The smallest report with negative utility, in steps of τ log 2: the first in the "
        "order of the largest loss, then of the sum of losses",
        columns=("others and offset", "utility of the report 0", "report", "utility"),
        rows=tuple(rows),
    )


@dataclass(frozen=True)
class WithViolations(ForAll[Offset]):
    """The claim for all offsets, and the smallest report that some of them fail on."""

    def __call__(self, context: CheckContext) -> Finding:
        """Check, and search reports for a few offsets."""
        finding = super().__call__(context)
        if finding.status is not Status.HOLDS:
            return finding
        others = (Fraction(1), Fraction(2))
        cases = [
            Offset(others, Fraction(1), raised, clarke)
            for clarke in (True, False)
            for raised in (Fraction(1), Fraction(4), Fraction(13))
        ]
        return replace(finding, evidence=(*finding.evidence, _violations(cases)))


def _build(draw: Draw, candidates: int) -> Offset:
    numbers = [Fraction(1), Fraction(2), Fraction(1, 3)]
    others = tuple(draw.choice(numbers) for _ in range(candidates))
    tau = Fraction(1 + draw.index(2))
    raised = draw.choice([Fraction(1), Fraction(4), Fraction(13), Fraction(1, 2)])
    return Offset(others, tau, raised, clarke=draw.index(2) == 0)


def _size(case: Offset) -> tuple[Any, ...]:
    return (not case.clarke, case.raised, case.tau, sum(case.others))


OFFSETS: Family[Offset] = Family(
    description="one agent beside others with exp(b_i) in {1, 2, 1/3}, τ in {1, 2}, and the "
    "offsets (13) and 0, raised by τ log of 1, 4, 13 or 1/2",
    level_name="candidates",
    levels=(1, 2),
    build=_build,
    size=_size,
)


@dataclass(frozen=True)
class ShiftProof:
    """U_C(r_i - c 1) = U_C(r_i) - c, traced, so that a large c makes it negative."""

    run: AuctionRun = traced_auction

    def __call__(self, context: CheckContext) -> Proof:
        """Trace reports and the same less a constant, with the offset (13) and without."""
        largest = context.budget.size
        return by_sizes(
            f"all reports, constants c, b_i and τ > 0, and up to {largest} candidates",
            range(1, largest + 1),
            self._shift,
        )

    def _shift(self, candidates: int) -> tuple[Identity, ...]:
        trace, (e, f), w, tau = two_agents(candidates)
        shift = trace["k"]
        lowered = [x / shift for x in e]
        zero = [x / x for x in e]
        constant = [x / shift for x in zero]
        c = tau * LogSum.log(shift)

        def utility(odds: list[Any], offset: bool) -> Any:
            return self.run([odds, f], w, tau=tau, offset=offset).utilities[0]

        moved = [utility(lowered, offset) for offset in (True, False)]
        expected = [utility(e, offset) - c for offset in (True, False)]
        return (
            Identity(
                "U_C(r_i - c 1) = U_C(r_i) - c for every C that does not depend on r_i, so that it "
                "is negative for c > U_C(r_i)",
                same_sums(moved, expected),
            ),
            Identity("with (13), U(-c 1) = -c", same_sums([utility(constant, True)], [-c])),
            in_either_place(self.run, e, f, w, tau),
        )
