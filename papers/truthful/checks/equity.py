"""truthful, figures 3 to 5: how reward gain and utility gain go together in the auction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from mechanisms.advertising import (
    GENERATORS,
    READINGS,
    Estimate,
    FittedLine,
    GeneratorResult,
    InstanceResult,
    Models,
    explicit_model,
    fit_line,
    instances,
    optimum,
    run_instance,
    trim_outliers,
)
from mechanisms.language_models import DecodedModel
from theory.claims import CheckContext
from theory.verdicts import Counterexample, Exhibit, Finding, Scope, Status, Strength, Table

__all__ = ["KINDS", "Equity"]

KINDS: Final = ("ngram", "table")
CANDIDATES: Final = 20
ABOVE: Final = 4
TEMPERATURE: Final = 0.8
TOP_P: Final = 0.95
MOST: Final = ((4, 2), (6, 3), (12, 3), (50, 10))
"""Queries, and runs of each, by the size of the budget."""
ROUNDING: Final = 1e-9
"""What float64 may do to a gain, as a share of the largest one of the run."""

Run = Callable[..., InstanceResult]


@dataclass(frozen=True)
class Case:
    """A kind of model, a generator, what staying out means, and whether there is an offset."""

    kind: str
    generator: str
    reading: str
    offset: bool

    def __str__(self) -> str:
        return f"{self.kind}, {self.generator}, {self.reading}"


@dataclass(frozen=True)
class Equity:
    """Runs the auction of section 6 and measures correlation and R², with and without the offset.

    For the same candidates the offset splits a reward gain into a payment and a utility gain,
    neither of which is negative (`truthful.kl`); a run in which it does not refutes, and so does a
    payment rule of which the offset depends on what the advertiser reports.
    """

    run: Run = run_instance

    def __call__(self, context: CheckContext) -> Finding:
        """Run as many queries, as often, as the size of the budget allows."""
        queries, runs = MOST[min(context.budget.size, len(MOST)) - 1]
        chosen = instances()[:: max(1, len(instances()) // queries)][:queries]
        courses: dict[tuple[str, str], list[list[GeneratorResult]]] = {}
        total = len(KINDS) * queries
        for k, kind in enumerate(KINDS):
            model = explicit_model(kind, chosen)
            models = Models(model, DecodedModel(model, TEMPERATURE, TOP_P))
            for q, instance in enumerate(chosen):
                context.progress(k * queries + q, total)
                best = optimum(instance, model)
                records = [
                    self.run(
                        instance,
                        models,
                        CANDIDATES,
                        optimal=best,
                        rng=np.random.default_rng([context.seed, k, q, n]),
                    )
                    for n in range(runs)
                ]
                for record in records:
                    wrong = _split(record)
                    if wrong:
                        return _refute(kind, record, wrong, self._scope(courses, context.seed))
                for generator in GENERATORS:
                    own = [record.courses[generator] for record in records]
                    courses.setdefault((kind, generator), []).append(own)
        context.progress(1, 1)
        return self._measure(courses, context)

    def _measure(
        self, courses: dict[tuple[str, str], list[list[GeneratorResult]]], context: CheckContext
    ) -> Finding:
        lines: dict[Case, tuple[FittedLine, FittedLine]] = {}
        for (kind, generator), own in courses.items():
            for reading in READINGS:
                for offset in (True, False):
                    case = Case(kind, generator, reading, offset)
                    rng = np.random.default_rng([context.seed, len(lines)])
                    lines[case] = _lines(own, case, rng)
        return Finding(
            status=Status.MEASURED,
            strength=Strength.TESTED,
            scope=self._scope(courses, context.seed),
            reason=_summary(lines),
            evidence=(_table(lines),),
            tolerances={"what float64 may do to a gain, of the largest": f"{ROUNDING:g}"},
        )

    def _scope(self, courses: dict[Any, list[list[GeneratorResult]]], seed: int) -> Scope:
        every = [course for own in courses.values() for runs in own for course in runs]
        gains = [course.reward_gains["same"][-1].max(initial=0.0) for course in every]
        return Scope(
            family=f"auctions among two advertisers over the first M of {CANDIDATES} candidates, "
            f"by explicit models sampled at temperature {TEMPERATURE:g} and top-p {TOP_P:g}",
            instances=len(every),
            met_hypotheses=len(every),
            nontrivial=sum(bool(gain > ROUNDING) for gain in gains),
            sizes=f"M = 1…{CANDIDATES}",
            seed=seed,
        )


def _split(record: InstanceResult) -> str:
    """Say where a payment with the offset, or the rest of a reward gain, is negative."""
    for generator, course in record.courses.items():
        gains, paid = course.reward_gains["same"], course.payments
        room = ROUNDING * max(1.0, float(np.abs(gains).max()), float(np.abs(paid).max()))
        for what, values in (("payment", paid), ("utility gain", gains - paid)):
            if (values < -room).any():
                k, i = np.unravel_index(int(values.argmin()), values.shape)
                return (
                    f"{generator}, M = {course.sizes[k]}: advertiser {i + 1} has a {what} of "
                    f"{values[k, i]:.4g}, with a reward gain of {gains[k, i]:.4g}"
                )
        utilities = course.expected_rewards - course.payments_without_offset
        if (np.ptp(utilities, axis=1) > room).any():
            return f"{generator}: utilities without the offset differ between advertisers"
    return ""


def _lines(
    courses: list[list[GeneratorResult]], case: Case, rng: np.random.Generator
) -> tuple[FittedLine, FittedLine]:
    """Return the line at the largest M, and that of all pairs with M > 4, trimmed."""
    x = np.array([[c.reward_gains[case.reading] for c in runs] for runs in courses])
    y = np.array(
        [[c.utility_gains(case.reading, offset=case.offset) for c in runs] for runs in courses]
    )
    last = fit_line(x[:, :, -1].copy(), y[:, :, -1].copy(), rng)
    pooled = trim_outliers(x[:, :, ABOVE:].copy(), y[:, :, ABOVE:].copy())
    return last, fit_line(*pooled, rng)


def _table(lines: dict[Case, tuple[FittedLine, FittedLine]]) -> Table:
    rows = []
    for case, (last, pooled) in lines.items():
        if case.offset:
            other = lines[replace(case, offset=False)]
            estimates = (last.correlation, other[0].correlation)
            fits = (pooled.r_squared, other[1].r_squared)
            rows.append((case.kind, case.generator, case.reading, *map(_cell, estimates + fits)))
    return Table(
        caption=f"Utility gain over reward gain: correlation at M = {CANDIDATES}, and R² of all "
        f"pairs with M > {ABOVE} without the outer 0.5 percentiles, with the offset and without; "
        "95% intervals from resampled queries",
        columns=("model", "generator", "staying out", "r, with", "without", "R², with", "without"),
        rows=tuple(rows),
    )


def _cell(estimate: Estimate) -> str:
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def _summary(lines: dict[Case, tuple[FittedLine, FittedLine]]) -> str:
    pairs = [
        (fits[1].r_squared, lines[replace(case, offset=False)][1].r_squared)
        for case, fits in lines.items()
        if case.offset
    ]
    higher = sum(own.value > other.value for own, other in pairs)
    apart = sum(own.low > other.high for own, other in pairs)
    first, without = pairs[0]
    return (
        f"R² is higher with the offset in {higher} of {len(pairs)} cases, in {apart} of them with "
        f"intervals that do not meet. Words one by one, context-aware, eq. (19): {_cell(first)} "
        f"with, {_cell(without)} without."
    )


def _refute(kind: str, record: InstanceResult, wrong: str, scope: Scope) -> Finding:
    summary = f"“{record.instance.query}”, {kind}: {wrong}."
    return Finding(
        status=Status.REFUTED,
        strength=Strength.TESTED,
        scope=scope,
        reason="With the same candidates, the offset does not split a reward gain into a payment "
        "and a utility gain.",
        counterexample=Counterexample(
            exhibit=Exhibit(summary=summary), minimality="the first run that was looked at"
        ),
    )
