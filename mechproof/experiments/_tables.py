"""The numbers of the experiment as a table of text and as comma-separated values."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from math import isfinite

from mechanisms.advertising import GENERATORS, READINGS, Estimate
from mechproof.experiments.results import OFFSETS, Results
from theory.verdicts import Table

__all__ = ["Entry", "as_csv", "entries", "equity_table", "law_table", "main_table"]

AT_OPTIMUM = ("log-probability", "reward gain", "revenue", "utility gain")
_COLUMNS = (
    "quantity",
    "generator",
    "reading",
    "payments",
    "candidates",
    "mean",
    "low",
    "high",
    "naive_low",
    "naive_high",
    "observations",
    "queries",
)


@dataclass(frozen=True)
class Entry:
    """A number of the table, and of what it is the number."""

    quantity: str
    generator: str
    reading: str
    payments: str
    candidates: str
    estimate: Estimate


def entries(results: Results) -> Iterator[Entry]:
    """Yield every number that the figures show, and those beside them."""
    sizes = [str(M) for M in results.settings.sizes]

    def over(name: tuple[str, str, str, str], curve: list[Estimate]) -> Iterator[Entry]:
        for M, estimate in zip(sizes, curve, strict=True):
            yield Entry(*name, M, estimate)

    for quantity in AT_OPTIMUM:
        best = results.optimum(quantity)
        if best is not None:
            yield Entry(quantity, "optimum", "", "", "", best)
    for generator in GENERATORS:
        for quantity in ("log-probability", "log-probability of the drawn reply", "mentions"):
            yield from over((quantity, generator, "", ""), results.curve(quantity, generator))
        for reading in READINGS:
            curve = results.curve("reward gain", generator, reading)
            yield from over(("reward gain", generator, reading, ""), curve)
        for offset, payments in zip((True, False), OFFSETS, strict=True):
            curve = results.curve("revenue", generator, offset=offset)
            yield from over(("revenue", generator, "", payments), curve)
        for reading in READINGS:
            for offset, payments in zip((True, False), OFFSETS, strict=True):
                curve = results.curve("utility gain", generator, reading, offset=offset)
                yield from over(("utility gain", generator, reading, payments), curve)
                lines = results.lines(generator, reading, offset=offset)
                name = ("correlation", generator, reading, payments)
                yield from over(name, [line.correlation for line in lines])
                line = results.scatter(generator, reading, offset=offset).line
                for what in ("correlation", "r_squared", "slope"):
                    name = (f"scatter: {what}", *name[1:])
                    yield Entry(*name, "above 4", getattr(line, what))
        if results.listed:
            for what in ("total_variation", "kl", "log_probs"):
                name = (f"exact law: {what}", generator, "", "")
                yield from over(name, results.law_curve(what, generator))
            limits = zip(
                ("total_variation", "kl", "log_probs"), results.limit(generator), strict=True
            )
            for what, estimate in limits:
                yield Entry(f"exact law: {what}", generator, "", "", "infinite", estimate)


def as_csv(results: Results) -> str:
    """Return every number with its interval, one a line."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for entry in entries(results):
        e = entry.estimate
        numbers = (e.value, e.low, e.high, e.naive_low, e.naive_high)
        name = (entry.quantity, entry.generator, entry.reading, entry.payments, entry.candidates)
        cells = [repr(v) if isfinite(v) else "" for v in numbers]
        writer.writerow([*name, *cells, e.observations, e.clusters])
    return text.getvalue()


def main_table(results: Results) -> Table:
    """Return the means of figures 1 to 4 for some numbers of candidates."""
    rows = []
    for generator in GENERATORS:
        curves = [
            results.curve("log-probability", generator),
            *(results.curve("reward gain", generator, reading) for reading in READINGS),
            results.curve("revenue", generator),
            *(results.curve("utility gain", generator, reading) for reading in READINGS),
        ]
        for k in _show_number(results):
            cells = (str(curve[k]) for curve in curves)
            rows.append((generator, str(results.settings.sizes[k]), *cells))
    best = [results.optimum(quantity) for quantity in AT_OPTIMUM]
    if best[0] is not None:
        logs, gain, revenue, utility = map(str, best)
        n = len(READINGS)
        rows.append(("optimum", "", logs, *[gain] * n, revenue, *[utility] * n))
    s = results.settings
    return Table(
        caption=f"Totals over advertisers, means over {s.queries} queries of {s.seeds} runs each, "
        f"with {_interval(results)}",
        columns=(
            "generator",
            "M",
            "log pi*" if results.normalised else "log pi* + log Z",
            *(f"reward gain, {reading}" for reading in READINGS),
            "revenue",
            *(f"utility gain, {reading}" for reading in READINGS),
        ),
        rows=tuple(rows),
    )


def equity_table(results: Results) -> Table:
    """Return correlation, R² and slope of utility gain over reward gain, as in figures 3 to 5."""
    rows = []
    last = results.settings.sizes[-1]
    for generator in GENERATORS:
        for reading in READINGS:
            for offset, payments in zip((True, False), OFFSETS, strict=True):
                lines = results.lines(generator, reading, offset=offset)
                found = results.scatter(generator, reading, offset=offset)
                defined = [
                    line.correlation.value for line in lines if isfinite(line.correlation.value)
                ]
                rows.append(
                    (
                        generator,
                        reading,
                        payments,
                        str(lines[-1].correlation),
                        f"{min(defined):.4g}" if defined else "",
                        str(found.line.r_squared),
                        str(found.line.slope),
                    )
                )
    return Table(
        caption="Utility gain over reward gain of single advertisers: Pearson's correlation, and "
        "the line through all pairs with M > 4 without the outer 0.5 percentiles of either, with "
        f"{_interval(results, resampled=True)}",
        columns=(
            "generator",
            "reading",
            "payments",
            f"correlation at M = {last}",
            "least of all M",
            "R² (M > 4)",
            "slope (M > 4)",
        ),
        rows=tuple(rows),
    )


def law_table(results: Results) -> Table | None:
    """Return the exact distance of the law of the reply to the optimum, where it is known."""
    if not results.listed:
        return None
    rows = []
    for generator in GENERATORS:
        curves = [results.law_curve(w, generator) for w in ("total_variation", "kl", "log_probs")]
        for k in _show_number(results):
            M = str(results.settings.sizes[k])
            rows.append((generator, M, *(str(curve[k]) for curve in curves)))
        rows.append((generator, "infinite", *map(str, results.limit(generator))))
    return Table(
        caption="The exact law of the returned reply against the optimum: means over queries, with "
        "95% intervals",
        columns=("generator", "M", "total variation", "KL(law || optimum)", "E[log pi*]"),
        rows=tuple(rows),
    )


def _interval(results: Results, *, resampled: bool = False) -> str:
    if results.settings.queries == 1:
        return "no intervals: they need more than one query"
    how = " from resampled queries" if resampled else ", clustered by query"
    return f"95% intervals{how}"


def _show_number(results: Results) -> list[int]:
    sizes = results.settings.sizes
    wanted = {1, 2, 4, 10, 20, 50, 100, 200, 500, 1000, sizes[-1]}
    return [k for k, M in enumerate(sizes) if M in wanted]
