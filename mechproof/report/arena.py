"""Draw the figures of *Put Your Money Where Your Mouth Is* (AucArena)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isnan
from os import PathLike
from pathlib import Path
from typing import Final, Literal

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from mechproof.experiments.arena_results import ArenaResults, Cell
from mechproof.report.figure import picture
from theory.ascending.measures import (
    Increment,
    behaviour,
    bid_increments,
    increment_shares,
    priority_map,
)

__all__ = [
    "DRAWINGS",
    "draw_all",
    "draw_behaviour",
    "draw_increments",
    "draw_niches",
    "draw_paths",
    "draw_priorities",
    "draw_profits",
]

_INK: Final = "#333333"
_COLORS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")
_MOST_PATHS: Final = 12
_ABOVE: Final = {
    "standing": "raise in percent of the standing bid",
    "start": "raise in percent of the starting price",
}

Draw = Callable[[ArenaResults, str | PathLike[str]], None]


def draw_profits(results: ArenaResults, path: str | PathLike[str]) -> None:
    """Draw mean profits with 95% intervals, a part a setting: the paper's figures 2 and 7.

    The paper has TrueSkill ratings there. A hollow mark is the expected profit, where it is known.
    """
    cells = results.cells
    columns = min(3, len(cells))
    rows = -(-len(cells) // columns)
    with picture(path, (3.3 * columns, 2.3 * rows)) as figure:
        grid = figure.subplots(rows, columns, squeeze=False)
        for axes, cell in zip(grid.flat, cells, strict=False):
            _profits(axes, results, cell)
        for axes in grid.flat[len(cells) :]:
            axes.set_axis_off()


def _profits(axes: Axes, results: ArenaResults, cell: Cell) -> None:
    axes.set_title(str(cell), fontsize="small")
    found = results.mean_profits(cell)
    if found is None:
        axes.text(0.5, 0.5, "too few games", ha="center", transform=axes.transAxes)
        return
    names = [str(name) for name in found.ranking][::-1]
    ends = dict(zip(found.players, found.interval, strict=True))
    for height, name in enumerate(names):
        low, high = ends[name]
        axes.plot([low, high], [height, height], color=_INK, linewidth=1.2)
        axes.plot(float(found.of(name)), height, "o", color=_COLORS[0], gid=f"{cell}: {name}")
        if cell.exact is not None:
            exact = float(cell.exact[name])
            axes.plot(exact, height, "D", mfc="none", mec=_COLORS[1], gid=f"{cell}: exact {name}")
    axes.axvline(0, color=_INK, linewidth=0.6)
    axes.set_yticks(range(len(names)), names, fontsize="small")
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.set_xlabel("mean profit")


def draw_paths(results: ArenaResults, path: str | PathLike[str]) -> None:
    """Draw the standing bid over the rounds of each item of the first game, over its start."""
    row = results.rows[0]
    items = row["items"][:_MOST_PATHS]
    columns = min(4, len(items))
    lines = -(-len(items) // columns)
    color = dict(zip(row["seats"], _COLORS, strict=False))
    with picture(path, (2.3 * columns, 1.9 * lines)) as figure:
        grid = figure.subplots(lines, columns, squeeze=False, sharey=True)
        for number, (axes, item) in enumerate(zip(grid.flat, items, strict=False)):
            start = Fraction(item["start"])
            axes.set_title(item["name"], fontsize="small")
            axes.axhline(float(Fraction(item["value"]) / start), color=_INK, linewidth=0.6)
            for name in row["seats"]:
                bids = [
                    (at, float(Fraction(amount) / start))
                    for where, at, who, amount, _ in row["moves"]
                    if where == number and who == name and amount is not None
                ]
                if bids:
                    label = f"{item['name']}: {name}"
                    axes.plot(*zip(*bids, strict=True), "o-", color=color[name], ms=3, gid=label)
            axes.set_xlabel("round", fontsize="small")
            axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        for axes in grid.flat[len(items) :]:
            axes.set_axis_off()
        grid[0][0].set_ylabel("bid / start")
        marks = [figure.axes[0].plot([], [], "o-", color=c, label=n)[0] for n, c in color.items()]
        figure.legend(handles=marks, loc="outside lower center", ncols=len(marks), fontsize="small")


def draw_niches(results: ArenaResults, path: str | PathLike[str]) -> None:
    """Draw how often each bidder wins at which price over the start: the paper's figure 8."""
    prices: dict[str, list[float]] = {}
    for row in results.rated:
        for item in row["items"]:
            if item["winner"] is not None:
                over = float(Fraction(item["price"]) / Fraction(item["start"]))
                prices.setdefault(item["winner"], []).append(over)
    everything = [price for each in prices.values() for price in each]
    with picture(path, (5.2, 3.4)) as figure:
        axes = figure.subplots()
        if everything:
            low, high = min(everything), max(everything) + 0.1
            edges = [low + k * (high - low) / 16 for k in range(17)]
            for (name, paid), color in zip(sorted(prices.items()), _COLORS * 9, strict=False):
                axes.hist(paid, edges, histtype="step", color=color, label=name, gid=name)
            axes.legend(fontsize="small")
        axes.set_xlabel("price / start")
        axes.set_ylabel("items won")


def draw_increments(results: ArenaResults, path: str | PathLike[str]) -> None:
    """Draw by how much bids top the bid before, in both readings of it: the paper's figure 5."""
    with picture(path, (7.4, 3.4)) as figure:
        parts: list[Axes] = list(figure.subplots(1, 2, sharey=True))
        readings: tuple[Literal["standing", "start"], ...] = ("standing", "start")
        for axes, over in zip(parts, readings, strict=True):
            found: dict[str, list[Increment]] = {}
            for record in results.records:
                for each in bid_increments(record, over):
                    found.setdefault(each.bidder, []).append(each)
            for (name, raises), color in zip(sorted(found.items()), _COLORS * 9, strict=False):
                shares = increment_shares(raises)
                places = range(len(shares))
                heights = [float(share) for share in shares.values()]
                axes.plot(places, heights, "o-", color=color, label=name, gid=f"{over}: {name}")
                axes.set_xticks(places, list(shares), fontsize="small")
            axes.set_xlabel(_ABOVE[over])
        parts[0].set_ylabel("share of bids")
        parts[0].legend(fontsize="small")


def draw_behaviour(results: ArenaResults, path: str | PathLike[str]) -> None:
    """Draw profit when won over the start, a mark an item, its size the bids: figures 10 to 13."""
    names = sorted({name for record in results.records for name in record.bidders})
    columns = min(4, max(1, len(names)))
    lines = max(1, -(-len(names) // columns))
    with picture(path, (2.6 * columns, 2.4 * lines)) as figure:
        grid = figure.subplots(lines, columns, squeeze=False, sharex=True, sharey=True)
        for axes, name in zip(grid.flat, names, strict=False):
            axes.set_title(name, fontsize="small")
            axes.axhline(0, color=_INK, linewidth=0.6)
            own = [record for record in results.records if name in record.bidders]
            for item in behaviour(own, name):
                if item.profit is not None:
                    size = 4 + 3 * float(item.bids)
                    place = float(item.start), float(item.profit)
                    label = f"{name}: {item.item}"
                    axes.plot(*place, "o", ms=size, color=_COLORS[0], alpha=0.4, gid=label)
        for axes in grid.flat[len(names) :]:
            axes.set_axis_off()
        grid[0][0].set_ylabel("mean profit when won")
        figure.supxlabel("start", fontsize="small")


def draw_priorities(results: ArenaResults, path: str | PathLike[str]) -> None:
    """Draw the mean priority of each item after each sale, in the first order: figures 4 and 9."""
    first = results.records[0]
    order = [item.name for item in first.items]
    same = [each for each in results.records if [item.name for item in each.items] == order]
    found = priority_map(same)
    cells = [[float("nan") if m is None else float(m) for m in row] for row in found.mean]
    with picture(path, (0.6 * len(order) + 1.5, 0.4 * max(1, len(cells)) + 1.8)) as figure:
        axes = figure.subplots()
        if cells:
            axes.imshow(cells, vmin=1, vmax=3, cmap="viridis", aspect="auto")
            for t, row in enumerate(cells):
                for k, value in enumerate(row):
                    if not isnan(value):
                        axes.text(k, t, f"{value:.1f}", ha="center", va="center", fontsize=6)
        axes.set_xticks(range(len(order)), order, rotation=60, ha="right", fontsize="small")
        axes.set_ylabel("items sold")


DRAWINGS: Final[dict[str, Draw]] = {
    "profits": draw_profits,
    "paths": draw_paths,
    "niches": draw_niches,
    "increments": draw_increments,
    "behaviour": draw_behaviour,
}


def draw_all(results: ArenaResults, folder: Path) -> tuple[Path, ...]:
    """Draw all figures into a folder, as SVG and PNG."""
    files = []
    drawings = dict(DRAWINGS)
    if any(record.priorities for record in results.records):
        drawings["priorities"] = draw_priorities
    if not results.records:
        drawings = {"profits": draw_profits}
    for name, draw in drawings.items():
        for kind in ("svg", "png"):
            files.append(folder / f"{name}.{kind}")
            draw(results, files[-1])
    return tuple(files)
