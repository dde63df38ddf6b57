"""Draw the figures of *Truthful Aggregation of LLMs*, section 6 and appendix B."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Final

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

from mechanisms.advertising import GENERATORS, READINGS, Estimate
from mechproof.experiments.results import OFFSETS, Results
from mechproof.report.figure import picture

__all__ = [
    "DRAWINGS",
    "draw_all",
    "draw_equity",
    "draw_log_probability",
    "draw_revenue",
    "draw_reward_gain",
    "draw_utility_gain",
]

_INK: Final = "#333333"
_COLORS: Final = {"context-aware": "#0072b2", "reference": "#d55e00"}
_PAID: Final = dict(zip(OFFSETS, ("#009e73", "#cc79a7"), strict=True))
_SAID: Final = {
    "redrawn": "without her, candidates are drawn\nfor the others: eq. (19)",
    "unmentioned": "without her, the candidates that\ndo not name her: footnote 9",
    "same": "without her,\nthe same candidates",
}
_WIDTH, _HEIGHT = 3.7, 3.4
_LINEAR: Final = 40
_ALPHA: Final = 0.18

Draw = Callable[[Results, str | PathLike[str]], None]


def draw_log_probability(results: Results, path: str | PathLike[str]) -> None:
    """Draw how likely the returned reply is under the optimum: the paper's figure 1(a).

    For both generators, means over runs with 95% bands for queries. Where models list their
    replies, the expected log-probability of a reply from the optimum is a line, what the law of the
    reply gives exactly is dotted, and beside it stands the distance of that law to the optimum, on
    a logarithmic axis, on which it goes on falling where it converges.
    """
    parts = 2 if results.listed else 1
    with picture(path, (5.2 if parts == 1 else 2 * 4.4, 4.0)) as figure:
        axes = np.atleast_1d(figure.subplots(1, parts))
        sizes = results.settings.sizes
        for generator in GENERATORS:
            curve = results.curve("log-probability", generator)
            _curve(axes[0], sizes, curve, (generator, f"{generator} log-probability"))
            if results.listed:
                exact = results.law_curve("log_probs", generator)
                _draw_dotted(axes[0], sizes, exact, f"{generator} exact log-probability")
                distance = results.law_curve("total_variation", generator)
                _curve(axes[1], sizes, distance, (generator, f"{generator} total variation"))
                left = results.limit(generator)[0].value
                if left > 0:
                    _level(axes[1], left, _COLORS[generator], f"{generator} limit")
        _draw_best(axes[0], results, "log-probability")
        logs = "log-probability under the optimum"
        axes[0].set_ylabel(logs if results.normalised else f"{logs}, log Z left out")
        axes[0].set_title("the returned reply", fontsize="small")
        if results.listed:
            axes[1].set_ylabel("total variation distance to the optimum")
            axes[1].set_yscale("log")
            axes[1].set_title(
                "the law of the returned reply, exactly\n(dashed: what remains with infinitely "
                "many candidates)",
                fontsize="small",
            )
        _finish(figure, axes, results)


def draw_reward_gain(results: Results, path: str | PathLike[str]) -> None:
    """Draw the total reward gain of advertisers: the paper's figure 1(b), in three readings."""
    _three_readings(results, path, "reward gain")


def draw_utility_gain(results: Results, path: str | PathLike[str]) -> None:
    """Draw the total utility gain with the offset: the paper's figure 2(b), in three readings."""
    _three_readings(results, path, "utility gain")


def draw_revenue(results: Results, path: str | PathLike[str]) -> None:
    """Draw what advertisers pay together: the paper's figure 2(a), and without the offset."""
    with picture(path, (2 * _WIDTH, _HEIGHT + 0.4)) as figure:
        axes = figure.subplots(1, 2)
        for part, offset, name in zip(axes, (True, False), OFFSETS, strict=True):
            for generator in GENERATORS:
                curve = results.curve("revenue", generator, offset=offset)
                _curve(part, results.settings.sizes, curve, (generator, f"{generator} {name}"))
            if offset:
                _draw_best(part, results, "revenue")
            part.set_title(f"payments {name}", fontsize="small")
            part.axhline(0, color=_INK, linewidth=0.8)
            part.set_ylabel("revenue")
        _finish(figure, axes, results)


def draw_equity(results: Results, path: str | PathLike[str], *, reading: str = "redrawn") -> None:
    """Draw how reward gain and utility gain go together: the paper's figures 3, 4 and 5.

    Each generator has a row: Pearson's correlation for each number of candidates with and without
    the offset, then all pairs with M > 4, without those of which either is in its outer 0.5
    percentiles, with the least-squares line, its slope and R².
    """
    with picture(path, (3 * _WIDTH, 2 * _HEIGHT + 0.7)) as figure:
        grid = figure.subplots(len(GENERATORS), 3)
        for generator, row in zip(GENERATORS, grid, strict=True):
            _correlations(results, row[0], generator, reading)
            for axes, offset in zip(row[1:], (True, False), strict=True):
                _scatter(results, axes, (generator, reading), offset=offset)
        said = " ".join(_SAID[reading].split())
        sizes = results.settings.sizes
        shown = "with M > 4 " if sizes[-1] > 4 else ""
        handles, labels = _legend(grid.ravel())
        figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
        figure.suptitle(
            f"Reward and utility gain of each advertiser; {said}.\nScatter: all pairs {shown}but "
            "for the outer 0.5 percentiles of both. " + _bands(results, resampled=True),
            fontsize="medium",
        )


def draw_all(results: Results, folder: Path) -> tuple[Path, ...]:
    """Draw all figures to a folder, as PNG and SVG, and return their paths."""
    paths = []
    for name, draw in DRAWINGS:
        for kind in ("png", "svg"):
            paths.append(folder / f"{name}.{kind}")
            draw(results, paths[-1])
    return tuple(paths)


def _three_readings(results: Results, path: str | PathLike[str], quantity: str) -> None:
    with picture(path, (len(READINGS) * _WIDTH, _HEIGHT + 0.6)) as figure:
        axes = figure.subplots(1, len(READINGS), sharey=True)
        for part, reading in zip(axes, READINGS, strict=True):
            for generator in GENERATORS:
                curve = results.curve(quantity, generator, reading)
                name = f"{generator} {quantity} {reading}"
                _curve(part, results.settings.sizes, curve, (generator, name))
            part.axhline(0, color=_INK, linewidth=0.8)
            _draw_best(part, results, quantity)
            part.set_title(_SAID[reading], fontsize="small")
        axes[0].set_ylabel(f"total {quantity}")
        _finish(figure, axes, results)


def _curve(
    axes: Axes,
    sizes: Sequence[int],
    curve: Sequence[Estimate],
    name: tuple[str, str],
    color: str | None = None,
) -> None:
    label, gid = name
    color = color or _COLORS[label]
    values, low, high = np.array([(e.value, e.low, e.high) for e in curve]).T
    form = "o-" if len(sizes) <= _LINEAR else "-"
    axes.fill_between(sizes, low, high, color=color, alpha=_ALPHA, linewidth=0)
    axes.plot(sizes, values, form, color=color, markersize=3, label=label, gid=gid)


def _draw_dotted(axes: Axes, sizes: Sequence[int], curve: Sequence[Estimate], gid: str) -> None:
    values = [e.value for e in curve]
    axes.plot(sizes, values, ":", color=_INK, linewidth=1.2, label="exact expectation", gid=gid)


def _level(axes: Axes, height: float, color: str, gid: str, label: str = "") -> None:
    line = axes.axhline(height, color=color, linestyle="--", linewidth=1.2, gid=gid)
    if label:
        line.set_label(label)


def _draw_best(axes: Axes, results: Results, quantity: str) -> None:
    """Draw the mean at the optimum as a line, where it is known."""
    best = results.optimum(quantity)
    if best is not None:
        _level(axes, best.value, _INK, f"optimum {quantity}", "at the optimum")


def _correlations(results: Results, axes: Axes, generator: str, reading: str) -> None:
    for offset, name in zip((True, False), OFFSETS, strict=True):
        curve = [line.correlation for line in results.lines(generator, reading, offset=offset)]
        gid = f"{generator} correlation {name}"
        _curve(axes, results.settings.sizes, curve, (name, gid), _PAID[name])
    axes.axhline(0, color=_INK, linewidth=0.8)
    axes.set_ylim(-1.05, 1.05)
    axes.set_ylabel(f"{generator}: correlation")
    _frame(axes, results)


def _scatter(results: Results, axes: Axes, name: tuple[str, str], *, offset: bool) -> None:
    found = results.scatter(*name, offset=offset)
    paid = OFFSETS[0] if offset else OFFSETS[1]
    line = found.line
    axes.scatter(found.x, found.y, s=4, alpha=0.12, color=_PAID[paid], linewidth=0, rasterized=True)
    if len(found.x) and np.isfinite(line.slope.value):
        ends = np.array([found.x.min(), found.x.max()])
        gid = f"{name[0]} line {paid}"
        heights = line.intercept + line.slope.value * ends
        axes.plot(ends, heights, color=_INK, linewidth=1.5, label="least squares", gid=gid)
    axes.set_title(
        f"{name[0]}, {paid}\nslope {line.slope.value:.2f}, R² {line.r_squared.value:.2f}, "
        f"{len(found.x):,} pairs",
        fontsize="small",
    )
    axes.set_xlabel("reward gain")
    axes.set_ylabel("utility gain")
    axes.spines[["top", "right"]].set_visible(False)


def _frame(axes: Axes, results: Results) -> None:
    axes.set_xlabel("candidates M")
    axes.spines[["top", "right"]].set_visible(False)
    if results.settings.sizes[-1] > _LINEAR:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
    else:
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))


def _finish(figure: Figure, parts: Iterable[Axes], results: Results) -> None:
    all_parts = list(parts)
    for axes in all_parts:
        _frame(axes, results)
    handles, labels = _legend(all_parts)
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    figure.suptitle(_bands(results), fontsize="medium")


def _bands(results: Results, *, resampled: bool = False) -> str:
    s = results.settings
    runs = f"{s.queries} queries x {s.seeds} runs"
    if s.queries == 1:
        return f"{runs}; no bands, which need several queries"
    how = "of resampled queries" if resampled else "clustered by query"
    return f"{runs}; 95% bands {how}"


def _legend(parts: Iterable[Axes]) -> tuple[list[Artist], list[str]]:
    found: dict[str, Artist] = {}
    for axes in parts:
        for line, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, line)
    return list(found.values()), list(found)


DRAWINGS: Final[tuple[tuple[str, Draw], ...]] = (
    ("figure-1-log-probability", draw_log_probability),
    ("figure-2-reward-gain", draw_reward_gain),
    ("figure-3-revenue", draw_revenue),
    ("figure-4-utility-gain", draw_utility_gain),
    ("figure-5-equity", draw_equity),
    *(
        (f"figure-5-equity-{reading}", partial(draw_equity, reading=reading))
        for reading in READINGS[1:]
    ),
)
"""The figures of a run, by the names of their files."""
