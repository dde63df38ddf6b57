"""bazaar, Theorem 1: inspection and the sum of purchase times desirability times utility."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from theory.claims import CheckContext
from theory.proofs import Proof, Tracer
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = ["PURCHASES", "InspectionRaisesUtility", "NonnegativeProof", "show_purchases"]


@dataclass(frozen=True)
class Purchases:
    """One entry a good: bought or not, desirability without and with inspection, utility."""

    bought: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    utility: tuple[int, ...]

    def __str__(self) -> str:
        rows = zip(self.bought, self.before, self.after, self.utility, strict=True)
        return "; ".join(
            f"good {j}: x={x}, F={f}, G={g}, U={u}" for j, (x, f, g, u) in enumerate(rows, 1)
        )


Side = Callable[[Sequence[Any], Sequence[Any], Sequence[Any]], Any]


def weighted_utility(
    bought: Sequence[Any], desirability: Sequence[Any], utility: Sequence[Any]
) -> Any:
    """Sum over the goods of x_i H_i U_i, one side of the theorem."""
    terms = [x * h * u for x, h, u in zip(bought, desirability, utility, strict=True)]
    return sum(terms[1:], terms[0])


@dataclass(frozen=True)
class InspectionRaisesUtility:
    """The printed inequality on one instance; ``nonnegative`` adds the hypothesis U >= 0."""

    nonnegative: bool = False
    side: Side = weighted_utility

    def __call__(self, case: Purchases) -> Trial:
        """Compare both sides; non-trivial where some term differs between them."""
        hypotheses = all(g >= f for f, g in zip(case.before, case.after, strict=True))
        if not hypotheses or (self.nonnegative and min(case.utility) < 0):
            return Trial.unmet()
        left = self.side(case.bought, case.after, case.utility)
        right = self.side(case.bought, case.before, case.utility)
        rows = zip(case.bought, case.before, case.after, case.utility, strict=True)
        failure = f"with inspection the sum is {left}, without it {right}." if left < right else ""
        return Trial(nontrivial=any(x * (g - f) * u for x, f, g, u in rows), failure=failure)


def _build_purchases(draw: Draw, goods: int) -> Purchases:
    rows = [
        (draw.integer(0, 1), draw.integer(0, 2), draw.integer(0, 2), draw.integer(-2, 2))
        for _ in range(goods)
    ]
    if any(after < before for _, before, after, _ in rows):
        draw.reject()
    return Purchases(*zip(*rows, strict=True))


def _purchases_size(case: Purchases) -> tuple[int, ...]:
    columns = (case.bought, case.before, case.after, case.utility)
    return (sum(abs(v) for column in columns for v in column),)


PURCHASES: Family[Purchases] = Family(
    description="integers x in {0, 1}, 0 ≤ F ≤ G ≤ 2 and U in -2..2 for each good",
    level_name="goods",
    levels=(1, 2),
    build=_build_purchases,
    size=_purchases_size,
)


def show_purchases(case: Purchases) -> Exhibit:
    """Work an instance out, good by good."""
    rows = []
    for j, (x, f, g, u) in enumerate(
        zip(case.bought, case.before, case.after, case.utility, strict=True), 1
    ):
        rows.append((str(j), *map(str, (x, f, g, u, x * g * u, x * f * u))))
    left = weighted_utility(case.bought, case.after, case.utility)
    right = weighted_utility(case.bought, case.before, case.utility)
    rows.append(("sum", "", "", "", "", str(left), str(right)))
    table = Table(
        caption="Both sides of the inequality, good by good",
        columns=("good", "x", "F", "G", "U", "x·G·U", "x·F·U"),
        rows=tuple(rows),
    )
    summary = f"{case}. With inspection {left}, without it {right}"
    return Exhibit(summary=summary, tables=(table,))


@dataclass(frozen=True)
class NonnegativeProof:
    """The difference of the sides is a sum of products x (G - F) U, each at least zero."""

    side: Side = weighted_utility

    def __call__(self, context: CheckContext) -> Proof:
        """Trace both sides over symbols for 1, 2, … goods and every choice of what is bought."""
        largest = context.budget.size
        proofs = [
            self._prove(bought)
            for goods in range(1, largest + 1)
            for bought in product((0, 1), repeat=goods)
        ]
        parameters = f"all real U ≥ 0 and d = G - F ≥ 0 and every purchase of up to {largest} goods"
        return Proof.of_all(parameters, proofs)

    def _prove(self, bought: tuple[int, ...]) -> Proof:
        names = {kind: [f"{kind}{j}" for j in range(len(bought))] for kind in "FdU"}
        trace = Tracer(real=[name for group in names.values() for name in group])
        before, rise, utility = ([trace[n] for n in names[kind]] for kind in "FdU")
        after = [f + d for f, d in zip(before, rise, strict=True)]

        def run() -> list[Any]:
            return [self.side(bought, after, utility) - self.side(bought, before, utility)]

        return trace.prove(run, [*rise, *utility])
