"""Draw the figures of *Put Your Money Where Your Mouth Is* (AucArena)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Final

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from mechproof.experiments.arena_results import ArenaResults, Cell
from mechproof.report.figure import picture

__all__ = ["DRAWINGS", "draw_all", "draw_niches", "draw_paths", "draw_profits"]

_INK: Final = "#333333"
_COLORS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")
_MOST_PATHS: Final = 12

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


DRAWINGS: Final[dict[str, Draw]] = {
    "profits": draw_profits,
    "paths": draw_paths,
    "niches": draw_niches,
}


def draw_all(results: ArenaResults, folder: Path) -> tuple[Path, ...]:
    """Draw all figures into a folder, as SVG and PNG."""
    files = []
    for name, draw in DRAWINGS.items():
        for kind in ("svg", "png"):
            files.append(folder / f"{name}.{kind}")
            draw(results, files[-1])
    return tuple(files)
