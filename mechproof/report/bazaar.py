"""Draw the figures of *Rethinking the Buyer's Inspection Paradox* (bazaar)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any, Final

from matplotlib.axes import Axes

from mechanisms.advertising import Estimate
from mechproof.experiments.bazaar_results import CLASSES, BazaarResults, reach_of
from mechproof.report.bazaar_market import (
    COLORS,
    INK,
    draw_matrix,
    draw_prices,
    draw_ratings,
    draw_spending,
    draw_tree,
    draw_wins,
)
from mechproof.report.figure import picture

__all__ = ["draw_all"]

Draw = Callable[[BazaarResults, str | PathLike[str]], None]
_PRICES: Final = (("one price", True), ("two prices", False))
_SHADES: Final = ("#08519c", "#6baed6", "#fd8d3c", "#bdbdbd")


def draw_rational(results: BazaarResults, path: str | PathLike[str]) -> None:
    """Draw how often each chooses rationally between two copies: the paper's figure 2."""
    names = results.buyers
    with picture(path, (7.0, 0.34 * len(names) + 1.2)) as figure:
        grid: Any = figure.subplots(1, 2, sharey=True)
        for axes, (title, same) in zip(grid, _PRICES, strict=True):
            axes.set_title(title, fontsize="small")
            found = {name: results.copies(name, same=same) for name in names}
            shares = {name: each["rational"] for name, each in found.items() if each}
            _bars(axes, shares, f"rational, {title}")
        figure.supxlabel("rational choices, percent", fontsize="small")


def _bars(axes: Axes, shares: Mapping[str, Estimate], label: str) -> None:
    """Draw a bar a name, with its interval."""
    axes.set_yticks(range(len(shares)), list(shares), fontsize="small")
    axes.set_ylim(len(shares) - 0.4, -0.6)
    axes.set_xlim(0, 108)
    axes.tick_params(labelsize="small")
    for height, (name, estimate) in enumerate(shares.items()):
        axes.barh(height, estimate.value, color=COLORS[0], gid=f"{label}: {name}")
        axes.plot(_ends(estimate), [height, height], color=INK, linewidth=1.2)


def _ends(estimate: Estimate) -> tuple[float, float]:
    """Return the ends of the interval of a percentage."""
    reach = reach_of(estimate)
    return max(0.0, estimate.value - reach), min(100.0, estimate.value + reach)


def draw_copies(results: BazaarResults, path: str | PathLike[str]) -> None:
    """Draw what each buys of two copies, at one price and at two: the paper's figures 11 and 12."""
    names = results.buyers
    with picture(path, (7.6, 0.34 * len(names) + 1.6)) as figure:
        grid: Any = figure.subplots(1, 2, sharey=True)
        for axes, (title, same) in zip(grid, _PRICES, strict=True):
            rows = {name: results.copies(name, same=same) for name in names}
            parts = {
                name: {what: each.value for what, each in found.items() if what != "rational"}
                for name, found in rows.items()
            }
            _stacked(axes, parts, title)
            axes.set_title(title, fontsize="small")
            axes.legend(
                fontsize="x-small", loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2
            )


def _stacked(axes: Axes, parts: Mapping[str, Mapping[str, float]], label: str) -> None:
    """Draw what 100 percent are made of, a bar a name."""
    axes.set_yticks(range(len(parts)), list(parts), fontsize="small")
    axes.set_ylim(len(parts) - 0.4, -0.6)
    axes.set_xlim(0, 100)
    axes.tick_params(labelsize="small")
    shades = {"neither": "#bdbdbd", "the dearer": "#fd8d3c", "both": "#a63603"}
    for height, (name, found) in enumerate(parts.items()):
        left = 0.0
        for what, share in found.items():
            color = shades.get(what, COLORS[0])
            told = what if height == 0 else None
            gid = f"{label}: {name}, {what}"
            axes.barh(height, share, left=left, color=color, label=told, gid=gid)
            left += share


def draw_demand(results: BazaarResults, path: str | PathLike[str]) -> None:
    """Draw who buys gold, and another passage, by the price of gold: the paper's figure 4."""
    parts = results.parts_named("gold price", inspection=True)
    prices = [float(Fraction(part.setting)) for part in parts]
    with picture(path, (8.0, 3.2)) as figure:
        grid: Any = figure.subplots(1, 2, sharey=True)
        for axes, what in zip(grid, ("gold", "another"), strict=True):
            axes.set_title(f"buys {what}", fontsize="small")
            axes.tick_params(labelsize="small")
            axes.set_ylim(-4, 104)
            for number, buyer in enumerate(results.buyers):
                found = [results.demand(buyer, part)[what] for part in parts]
                color = COLORS[number % len(COLORS)]
                middle = [each.value for each in found]
                gid = f"{what}: {buyer}"
                axes.plot(prices, middle, "o-", ms=3, color=color, label=buyer, gid=gid)
                low, high = zip(*(_ends(each) for each in found), strict=True)
                axes.fill_between(prices, low, high, color=color, alpha=0.15, linewidth=0)
        grid[0].set_ylabel("percent of questions", fontsize="small")
        figure.supxlabel("price of the gold passage; the others cost 10", fontsize="small")
        handles, labels = grid[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=5, fontsize="small")


def draw_changes(results: BazaarResults, path: str | PathLike[str]) -> None:
    """Draw what inspection changes at each price of gold: the paper's figure 10."""
    prices = list(dict.fromkeys(part.setting for part in results.parts_named("gold price")))
    names = results.buyers
    with picture(path, (8.4, 1.7 * len(names) + 0.9)) as figure:
        grid = figure.subplots(len(names), 1, squeeze=False, sharex=True, sharey=True)
        for axes, buyer in zip(grid.flat, names, strict=True):
            axes.set_title(buyer, fontsize="small")
            axes.axhline(0, color=INK, linewidth=0.6)
            axes.tick_params(labelsize="small")
            found = [results.changes(buyer, [price]) for price in prices]
            for number, kind in enumerate(CLASSES):
                at = [k + (number - 1.5) * 0.2 for k in range(len(prices))]
                values = [each[kind].value for each in found]
                gid = f"{buyer}: {kind}"
                axes.bar(at, values, 0.2, color=_SHADES[number], label=kind, gid=gid)
                for place, each in zip(at, found, strict=True):
                    middle, reach = each[kind].value, reach_of(each[kind])
                    axes.plot([place] * 2, [middle - reach, middle + reach], color=INK, lw=0.7)
            axes.set_xticks(range(len(prices)), prices)
        figure.supxlabel("price of the gold passage", fontsize="small")
        figure.supylabel("change by inspection, percentage points", fontsize="small")
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=4, fontsize="small")


def draw_positions(results: BazaarResults, path: str | PathLike[str]) -> None:
    """Draw purchases by position, less their mean: the paper's figure 3."""
    names = results.buyers
    with picture(path, (6.4, 2.8)) as figure:
        axes: Axes = figure.subplots()
        axes.axhline(0, color=INK, linewidth=0.6)
        wide = 0.8 / len(names)
        for number, buyer in enumerate(names):
            found = results.positions.get(buyer)
            if found is None:
                continue
            for k, each in enumerate(found.by_position):
                place = k + (number - (len(names) - 1) / 2) * wide
                told = buyer if k == 0 else None
                color, gid = COLORS[number % len(COLORS)], f"{buyer}: {k + 1}"
                axes.bar(place, each.value, wide, color=color, alpha=0.4)
                axes.plot(place, each.value, "o", ms=4, color=color, label=told, gid=gid)
                reach = reach_of(each)
                axes.plot([place] * 2, [each.value - reach, each.value + reach], color=INK, lw=1)
        axes.set_xticks(range(3), ["first", "second", "third"], fontsize="small")
        low, high = axes.get_ylim()
        axes.set_ylim(min(low, -5), max(high, 5))
        axes.set_ylabel("purchases less their mean,\npercentage points", fontsize="small")
        axes.tick_params(labelsize="small")
        figure.legend(loc="outside upper center", ncols=5, fontsize="small")


def _drawings(results: BazaarResults) -> Iterator[tuple[str, Draw]]:
    """Yield what can be drawn of the rows that there are, with the names of the files."""
    if results.parts_named("copies"):
        yield "rational", draw_rational
        yield "copies", draw_copies
    if results.name == "demand":
        yield "demand", draw_demand
    if results.name == "inspection":
        yield "changes", draw_changes
        yield "spending", draw_spending
    if results.parts_named("order"):
        yield "positions", draw_positions
    if results.rated is not None:
        yield "ratings", draw_ratings
    if results.name == "keyword-baseline":
        yield "wins", draw_wins
    if results.name == "models":
        yield "matrix", draw_matrix
    if results.parts_named("market"):
        yield "prices", draw_prices
        yield "tree", draw_tree


def draw_all(results: BazaarResults, folder: Path) -> tuple[Path, ...]:
    """Draw all figures into a folder, as SVG and PNG.

    ``rational`` (figure 2 of the paper), ``copies`` (11 and 12), ``positions`` (3), ``demand`` (4),
    ``ratings`` (5 left), ``spending`` (5 right), ``matrix`` (6a), ``prices`` (7), ``tree`` (9),
    ``changes`` (10), and ``wins`` (appendix C).
    """
    files = []
    for name, draw in _drawings(results):
        for kind in ("svg", "png"):
            files.append(folder / f"{name}.{kind}")
            draw(results, files[-1])
    return tuple(files)
