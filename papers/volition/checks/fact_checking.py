"""volition, Table 1 and Example 2.1: the printed table, and what revealing part of it earns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from theory.claims import CheckContext
from theory.decision import Decision, Forecast
from theory.information import Good, InformationValue, joint_good, value_of_information
from theory.numbers import ClosedForm
from theory.probability import ProbabilitySpace
from theory.scoring import Score
from theory.verdicts import (
    Bars,
    Counterexample,
    Evidence,
    Exhibit,
    Finding,
    Scope,
    Status,
    Strength,
    Table,
)

__all__ = ["TABLE_1", "FactChecking", "PrintedTable"]

Rows = tuple[tuple[Fraction, int, int, Fraction], ...]
Valuation = Callable[[Decision, Good], InformationValue]

TABLE_1: Rows = (
    (Fraction(15, 32), 0, 0, Fraction(8, 100)),
    (Fraction(15, 32), 0, 1, Fraction(8, 100)),
    (Fraction(1, 24), 1, 0, Fraction(1, 2)),
    (Fraction(1, 48), 1, 1, Fraction(1, 5)),
)
"""Table 1 as printed: P(I1, I2), I1, I2, P(E | I1, I2)."""

PRINTED = {
    "P(E)": Fraction(1, 10),
    "P(E | I1=1)": Fraction(2, 5),
    "P(E | I1=1, I2=1)": Fraction(1, 5),
}
"""The conditionals that Example 2.1 states."""


@dataclass(frozen=True)
class PrintedTable:
    """Sums the printed table and compares it with the printed conditionals."""

    rows: Rows = TABLE_1

    def __call__(self, context: CheckContext) -> Finding:
        """Sum the rows, and compare."""
        context.progress(1, 1)
        total = sum((p for p, *_ in self.rows), Fraction(0))
        cases = {
            "P(E)": self.rows,
            "P(E | I1=1)": [r for r in self.rows if r[1] == 1],
            "P(E | I1=1, I2=1)": [r for r in self.rows if r[1:3] == (1, 1)],
        }
        computed = {name: _conditional(rows) for name, rows in cases.items()}
        checks = [("sum of P(I1, I2)", Fraction(1), total)]
        checks += [(name, PRINTED[name], computed[name]) for name in PRINTED]
        table = Table(
            caption="Table 1 against the text of Example 2.1",
            columns=("quantity", "printed", "from the table"),
            rows=tuple((name, str(want), str(got)) for name, want, got in checks),
        )
        wrong = [f"{name} is {got}, not {want}" for name, want, got in checks if got != want]
        if any(min(p * q, p * (1 - q)) < 0 for p, _, _, q in self.rows):
            wrong.append("a probability is negative")
        return _one_instance(
            "the printed table",
            Status.REFUTED if wrong else Status.HOLDS,
            "; ".join(wrong) or "The table is a distribution with the printed conditionals.",
            table,
        )


def _conditional(rows: Any) -> Fraction:
    mass = sum((p for p, *_ in rows), Fraction(0))
    hit = sum((p * e for p, _, _, e in rows), Fraction(0))
    return hit / mass


AGREEMENT = Fraction(1, 10**50)
"""How far the values may lie from their recomputation by intervals."""

SHORT = ("ex-post", "realised in E", "realised off E", "knowing both")
"""Names of the four readings, for the picture."""


@dataclass(frozen=True)
class FactChecking:
    """Compares, at (I1, I2) = (1, 1), revealing I1 alone with revealing both (Example 2.1)."""

    rows: Rows = TABLE_1
    value: Valuation = value_of_information

    def __call__(self, context: CheckContext) -> Finding:
        """Value both reveals under every reading; the status is that of eq. (2)."""
        context.progress(1, 1)
        space = ProbabilitySpace.of(
            {
                (i1, i2, e): p * (q if e else 1 - q)
                for (p, i1, i2, q), e in product(self.rows, (1, 0))
            }
        )
        first = space.variable("I1", lambda state: state[0])
        second = space.variable("I2", lambda state: state[1])
        event = space.variable("E", lambda state: state[2])
        problem = Forecast(space, event.equals(1), Score.LOG)
        alone = self.value(problem, Good.of("I1", first))
        both = self.value(problem, joint_good([Good.of("I1", first), Good.of("I2", second)]))
        states: Sequence[Any] = space.states
        seen = [state for state in states if state[:2] == (1, 1)]
        readings = {
            "ex-post, eq. (2)": (_ex_post(alone, (1,)), _ex_post(both, (1, 1))),
            "realised, E occurs (the printed gains)": (
                alone.by_state[1, 1, 1],
                both.by_state[1, 1, 1],
            ),
            "realised, E does not occur": (alone.by_state[1, 1, 0], both.by_state[1, 1, 0]),
            "judged knowing both, E[U¹ | I1=1, I2=1]": (
                alone.in_hindsight(seen),
                both.in_hindsight(seen),
            ),
        }
        table = Table(
            caption="Value at (I1, I2) = (1, 1), in nats, under four readings",
            columns=("reading", "I1 alone", "I1 and I2", "I1 alone is worth more"),
            rows=tuple(
                (name, _nats(a), _nats(b), "yes" if a > b else "no")
                for name, (a, b) in readings.items()
            ),
        )
        bars = Bars(
            caption="What the seller earns by revealing I1 alone, and by revealing both",
            unit="nats",
            labels=tuple(f"{name}: {what}" for name in SHORT for what in ("I1", "both")),
            values=tuple(float(v) for pair in readings.values() for v in pair),
        )
        a, b = readings["ex-post, eq. (2)"]
        agree = [name for name, (x, y) in readings.items() if x > y]
        reason = (
            f"By eq. (2) I1 alone earns {_nats(a)} and both earn {_nats(b)}. "
            f"The conclusion holds for: {'; '.join(agree) or 'no reading'}."
        )
        gap = max(alone.gap, both.gap)
        status = Status.HOLDS if a > b else Status.REFUTED
        if gap > AGREEMENT:
            status = Status.REFUTED
            reason = f"The values and their recomputation differ by {float(gap):.1e}. {reason}"
        return _one_instance(
            "Table 1 with the logarithmic score",
            status,
            reason,
            table,
            bars,
            strength=Strength.CERTIFIED,
            tolerances={"recomputation by interval arithmetic": f"{float(gap):.1e}"},
        )


def _ex_post(value: InformationValue, seen: tuple[int, ...]) -> Any:
    return next(r.ex_post for r in value.realisations if r.values == seen)


def _nats(value: Any) -> str:
    return f"{value} ≈ {float(value):.4f}" if isinstance(value, ClosedForm) else str(value)


def _one_instance(
    family: str,
    status: Status,
    reason: str,
    *evidence: Evidence,
    strength: Strength = Strength.EXACT,
    tolerances: dict[str, str] | None = None,
) -> Finding:
    tables = tuple(e for e in evidence if isinstance(e, Table))
    broken = Counterexample(
        exhibit=Exhibit(summary=reason, tables=tables), minimality="the only instance"
    )
    return Finding(
        status=status,
        strength=strength,
        scope=Scope(
            family=family,
            instances=1,
            met_hypotheses=1,
            nontrivial=1,
            sizes="one instance",
            exhausted=True,
        ),
        reason=reason,
        evidence=evidence,
        counterexample=broken if status is Status.REFUTED else None,
        tolerances=tolerances or {},
    )
