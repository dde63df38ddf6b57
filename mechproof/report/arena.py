"""Draw the figures of *Put Your Money Where Your Mouth Is* (AucArena)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Final, Literal

from matplotlib.axes import Axes

from mechproof.experiments.arena_counts import BeliefCount, count_beliefs
from mechproof.experiments.arena_results import ArenaResults, Cell
from mechproof.report.arena_items import (
    COLORS,
    INK,
    budgets_of,
    draw_behaviour,
    draw_niches,
    draw_paths,
    draw_priorities,
    states_priorities,
)
from mechproof.report.figure import picture
from theory.ascending.measures import (
    Increment,
    bid_increments,
    failed_bids,
    increment_shares,
)

__all__ = [
    "draw_all",
    "draw_failures",
    "draw_increments",
    "draw_profits",
    "draw_ratings",
]

_ABOVE: Final = {
    "standing": "raise in percent of the standing bid",
    "start": "raise in percent of the starting price",
}
_SHADES: Final = ("#c6dbef", "#9ecae1", "#6baed6", "#3182bd", "#08519c")

Draw = Callable[[ArenaResults, str | PathLike[str]], None]


def draw_profits(results: ArenaResults, path: str | PathLike[str]) -> None:
    """Draw mean profits with 95% intervals, a part a setting: in place of figures 2 and 7.

    A hollow mark is the expected profit, where it is known.
    """
    _by_cell(results, path, _profits, "mean profit")


def draw_ratings(results: ArenaResults, path: str | PathLike[str]) -> None:
    """Draw TrueSkill ratings, a part a setting: the paper's figures 2 and 7.

    Each is averaged over orders of the games, and its line goes from the lowest to the highest of
    any order. The band is as wide as the ratings of identical bidders spread in these games, in 95%
    of cases.
    """
    _by_cell(results, path, _ratings, "TrueSkill; grey: the spread of identical bidders")


def _by_cell(
    results: ArenaResults,
    path: str | PathLike[str],
    draw: Callable[[Axes, ArenaResults, Cell, list[str]], None],
    measure: str,
) -> None:
    cells = results.cells
    columns = min(3, len(cells))
    rows = -(-len(cells) // columns)
    with picture(path, (3.4 * columns, 1.9 * rows + 0.4)) as figure:
        grid = figure.subplots(rows, columns, squeeze=False)
        for axes, cell in zip(grid.flat, cells, strict=False):
            axes.set_title(str(cell), fontsize="small")
            axes.tick_params(labelsize="small")
            names = list(dict.fromkeys(n for row in results.games(cell) for n in row["seats"]))
            names = sorted(names, reverse=True)
            axes.set_yticks(range(len(names)), names)
            axes.set_ylim(-0.6, len(names) - 0.4)
            draw(axes, results, cell, names)
        for axes in grid.flat[len(cells) :]:
            axes.set_axis_off()
        figure.supxlabel(measure, fontsize="small")


def _profits(axes: Axes, results: ArenaResults, cell: Cell, names: list[str]) -> None:
    found = results.mean_profits(cell)
    axes.axvline(0, color=INK, linewidth=0.6)
    if found is None:
        axes.text(0.5, 0.5, "too few games", ha="center", transform=axes.transAxes)
        return
    ends = dict(zip(found.players, found.interval, strict=True))
    for height, name in enumerate(names):
        low, high = ends[name]
        axes.plot([low, high], [height, height], color=INK, linewidth=1.2)
        axes.plot(float(found.of(name)), height, "o", color=COLORS[0], gid=f"{cell}: {name}")
        if cell.exact is not None:
            exact = float(cell.exact[name])
            axes.plot(exact, height, "D", mfc="none", mec=COLORS[1], gid=f"{cell}: exact {name}")


def _ratings(axes: Axes, results: ArenaResults, cell: Cell, names: list[str]) -> None:
    found, floor = results.trueskill(cell), results.floor(cell)
    if found is None or floor is None:
        axes.text(0.5, 0.5, "no games", ha="center", transform=axes.transAxes)
        return
    ratings = [float(found.of(name)) for name in names]
    middle = (min(ratings) + max(ratings)) / 2
    half = float(floor.value) / 2
    axes.axvspan(middle - half, middle + half, color="#dddddd", gid=f"{cell}: floor")
    ends = dict(zip(found.players, zip(found.lowest, found.highest, strict=True), strict=True))
    for height, (name, rating) in enumerate(zip(names, ratings, strict=True)):
        axes.plot(ends[name], [height, height], color=INK, linewidth=1.2)
        axes.plot(rating, height, "o", color=COLORS[0], gid=f"{cell}: {name}")


def draw_failures(results: ArenaResults, path: str | PathLike[str]) -> None:
    """Draw the corrected failure rates of bids and beliefs, in percent: the paper's figure 3.

    Beliefs are told apart by whether they are on the bidder itself or on the others.
    """
    bids, beliefs = failed_bids(results.records), count_beliefs(results.rated)
    names = sorted(bids, reverse=True)
    parts: dict[str, list[Fraction | None]] = {"failed bids": [bids[n].rate for n in names]}
    said = [beliefs.get(name, BeliefCount()) for name in names]
    parts["wrong on itself"] = [each.rate(each.own) for each in said]
    parts["wrong on others"] = [each.rate(each.others) for each in said]
    with picture(path, (8.4, 0.34 * len(names) + 1.0)) as figure:
        grid: Any = figure.subplots(1, 3, sharey=True)
        for axes, (title, rates), color in zip(grid, parts.items(), COLORS, strict=False):
            axes.set_title(title, fontsize="small")
            axes.set_yticks(range(len(names)), names, fontsize="small")
            axes.set_ylim(-0.6, len(names) - 0.4)
            shares = [100 * float(rate or 0) for rate in rates]
            axes.set_xlim(0, max(1.0, *shares) * 1.3)
            for height, (name, rate) in enumerate(zip(names, rates, strict=True)):
                text = " none" if rate is None else f" {100 * float(rate):.2f}"
                label = f"{title}: {name}"
                axes.barh(height, shares[height], color=color, gid=label)
                mark: Any = {"va": "center", "fontsize": "small", "gid": f"{label}, rate"}
                axes.text(shares[height], height, text, **mark)
        figure.supxlabel("percent, F / (C + F)", fontsize="small")


def draw_increments(results: ArenaResults, path: str | PathLike[str]) -> None:
    """Draw by how much bids top the bid before, in both readings of it: the paper's figure 5."""
    names = sorted({name for record in results.records for name in record.bidders}, reverse=True)
    with picture(path, (8.4, 0.34 * len(names) + 1.4)) as figure:
        parts: list[Axes] = list(figure.subplots(1, 2, sharey=True))
        readings: tuple[Literal["standing", "start"], ...] = ("standing", "start")
        marks: dict[str, Any] = {}
        for axes, over in zip(parts, readings, strict=True):
            found: dict[str, list[Increment]] = {}
            for record in results.records:
                for each in bid_increments(record, over):
                    found.setdefault(each.bidder, []).append(each)
            for height, name in enumerate(names):
                left = 0.0
                shares = increment_shares(found.get(name, []))
                for (label, share), color in zip(shares.items(), _SHADES, strict=True):
                    wide = 100 * float(share)
                    gid = f"{over}: {name}, {label}"
                    bars = axes.barh(height, wide, left=left, color=color, label=label, gid=gid)
                    marks.setdefault(label, bars)
                    left += wide
            axes.set_title(_ABOVE[over], fontsize="small")
            axes.set_yticks(range(len(names)), names, fontsize="small")
            axes.set_xlim(0, 100)
        figure.supxlabel("percent of all bids", fontsize="small")
        if marks:
            labels = {"handles": list(marks.values()), "labels": list(marks)}
            figure.legend(**labels, loc="outside upper center", ncols=5, fontsize="small")


def _drawings(results: ArenaResults) -> Iterator[tuple[str, Draw]]:
    """Yield what can be drawn of the games that there are, with the names of the files."""
    yield "profits", draw_profits
    if not results.records:
        return
    yield "ratings", draw_ratings
    yield "failures", draw_failures
    yield "increments", draw_increments
    yield "niches", draw_niches
    yield "paths", draw_paths
    for budget in budgets_of(results):
        name = budget.replace("/", "_")
        yield f"behaviour-{name}", partial(draw_behaviour, budget=budget)
        if states_priorities(results, budget):
            yield f"priorities-{name}", partial(draw_priorities, budget=budget)


def draw_all(results: ArenaResults, folder: Path) -> tuple[Path, ...]:
    """Draw all figures into a folder, as SVG and PNG.

    ``profits`` and ``ratings`` (figures 2 and 7 of the paper), ``failures`` (3), ``increments``
    (5), ``niches`` (8), ``paths``; and by budget ``behaviour`` (10 to 13) and ``priorities`` (4 and
    9), where any are stated and items come in a fixed order.
    """
    files = []
    for name, draw in _drawings(results):
        for kind in ("svg", "png"):
            files.append(folder / f"{name}.{kind}")
            draw(results, files[-1])
    return tuple(files)
