"""Draw what bidders did item by item in the arena: the figures 4 and 8 to 13 of the paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from os import PathLike
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from mechproof.experiments.arena_results import ArenaResults, budget_text
from mechproof.report.figure import picture
from theory.ascending.measures import behaviour, priority_map
from theory.ascending.record import AuctionRecord

__all__ = [
    "COLORS",
    "INK",
    "budgets_of",
    "draw_behaviour",
    "draw_niches",
    "draw_paths",
    "draw_priorities",
    "group_of",
    "states_priorities",
]

INK: Final = "#333333"
COLORS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")
"""Told apart by those who see fewer colours, too."""

_MOST_PATHS: Final = 20
_APART: Final = 0.16
"""By how much of a round marks of bidders stand apart."""

Panel = Callable[[Axes, str, Sequence[AuctionRecord], str], None]


def budgets_of(results: ArenaResults) -> tuple[str, ...]:
    """Return the budgets of all settings, each once."""
    return tuple(dict.fromkeys(cell.budget for cell in results.cells))


def _records(results: ArenaResults, budget: str, order: str) -> list[AuctionRecord]:
    """Return the rated games with a budget and an order of the items."""
    pairs = zip(results.rated, results.records, strict=True)
    return [record for row, record in pairs if (row["budget"], row["order"]) == (budget, order)]


def states_priorities(results: ArenaResults, budget: str) -> bool:
    """Whether somebody states priorities where items come in a fixed order."""
    return any(
        record.priorities
        for order in _orders(results)
        if order != "random"
        for record in _records(results, budget, order)
    )


def _orders(results: ArenaResults) -> tuple[str, ...]:
    return tuple(dict.fromkeys(cell.order for cell in results.cells))


# --- paths


def draw_paths(results: ArenaResults, path: str | PathLike[str]) -> None:
    """Draw every bid on each item of the first game over its start, round by round.

    A line is what the item is worth, and a ring the bid that bought it.
    """
    row = results.rows[0]
    items = row["items"][:_MOST_PATHS]
    columns = min(5, len(items))
    lines = -(-len(items) // columns)
    color = dict(zip(row["seats"], COLORS * 9, strict=False))
    with picture(path, (2.3 * columns, 1.8 * lines + 0.6)) as figure:
        grid = figure.subplots(lines, columns, squeeze=False, sharey=True, sharex=True)
        for number, (axes, item) in enumerate(zip(grid.flat, items, strict=False)):
            _draw_path(axes, row, number, color)
            axes.set_title(item["name"], fontsize="small")
        for axes in grid.flat[len(items) :]:
            axes.set_axis_off()
        figure.supylabel("bid / start", fontsize="small")
        figure.supxlabel("round", fontsize="small")
        marks = [figure.axes[0].plot([], [], "o", color=c, label=n)[0] for n, c in color.items()]
        _legend(figure, marks)


def _draw_path(axes: Axes, row: dict[str, Any], number: int, color: Mapping[str, str]) -> None:
    item = row["items"][number]
    start = Fraction(item["start"])
    axes.axhline(float(Fraction(item["value"]) / start), color=INK, linewidth=0.6)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.set_xlim(0.4, max([each[1] for each in row["moves"]], default=0) + 1.6)
    last: tuple[int, Fraction] | None = None
    for seat, name in enumerate(row["seats"]):
        bids = [
            (at + 1, Fraction(amount) / start)
            for where, at, who, amount, _ in row["moves"]
            if where == number and who == name and amount is not None
        ]
        if not bids:
            continue
        apart = _APART * (seat - (len(row["seats"]) - 1) / 2)
        places = [(at + apart, float(height)) for at, height in bids]
        label = f"{item['name']}: {name}"
        axes.plot(*zip(*places, strict=True), "o", color=color[name], ms=3.5, gid=label)
        if name == item["winner"]:
            last = bids[-1]
            axes.plot(*places[-1], "o", mfc="none", mec=INK, ms=8, gid=f"{item['name']}: sold")
    if last is None:
        axes.text(0.5, 0.5, "not sold", ha="center", transform=axes.transAxes, fontsize="small")


# --- niches


def group_of(name: str) -> str:
    """Return the group of a bidder: its name without a number at its end."""
    words = name.rsplit(" ", 1)
    return words[0] if len(words) == 2 and words[1].isdigit() else name


def draw_niches(results: ArenaResults, path: str | PathLike[str]) -> None:
    """Draw how often each group of bidders wins at which price, a part a budget: figure 8.

    Bars are counts, and lines their density, with the bandwidth of Silverman's rule.
    """
    budgets = budgets_of(results)
    prices = {budget: _prices(results, budget) for budget in budgets}
    names = sorted({name for found in prices.values() for name in found})
    color = dict(zip(names, COLORS * 9, strict=False))
    most = max((max(p) for found in prices.values() for p in found.values()), default=1.0)
    columns = min(3, len(budgets))
    lines = -(-len(budgets) // columns)
    with picture(path, (3.4 * columns, 2.4 * lines + 0.6)) as figure:
        grid = figure.subplots(lines, columns, squeeze=False)
        edges = np.linspace(0, most, 21)
        for axes, budget in zip(grid.flat, budgets, strict=False):
            axes.set_xlim(0, most)
            axes.set_title(f"budget {budget_text(budget)}", fontsize="small")
            for name, paid in sorted(prices[budget].items()):
                label = f"{budget}: {name}"
                for k, count in enumerate(np.histogram(paid, edges)[0]):
                    style: Any = {"align": "edge", "color": color[name], "alpha": 0.3}
                    axes.bar(edges[k], count, edges[1], **style, gid=f"{label}, {k}")
                density = _density(paid, edges)
                if density is not None:
                    axes.plot(*density, color=color[name], linewidth=1.4, gid=f"{label}, density")
        for axes in grid.flat[len(budgets) :]:
            axes.set_axis_off()
        figure.supxlabel("winning bid", fontsize="small")
        figure.supylabel("items won", fontsize="small")
        bar: Any = figure.axes[0].bar
        marks = [bar([0], [0], color=c, alpha=0.6, label=n) for n, c in color.items()]
        _legend(figure, marks)


def _prices(results: ArenaResults, budget: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for row in results.rated:
        for item in row["items"]:
            if row["budget"] == budget and item["winner"] is not None:
                price = float(Fraction(item["price"]))
                found.setdefault(group_of(item["winner"]), []).append(price)
    return found


def _density(paid: Sequence[float], edges: Any) -> tuple[Any, Any] | None:
    """Return a Gaussian kernel density at points, as a count for each bar; None for one price."""
    spread = float(np.std(paid))
    if not spread:
        return None
    width = 1.06 * spread * len(paid) ** -0.2
    at = np.linspace(edges[0], edges[-1], 200)
    bumps = np.exp(-(((at[:, None] - np.array(paid)[None, :]) / width) ** 2) / 2)
    heights = bumps.sum(axis=1) / (width * np.sqrt(2 * np.pi)) * (edges[1] - edges[0])
    return at, heights


# --- by bidder and order


def draw_behaviour(results: ArenaResults, path: str | PathLike[str], budget: str) -> None:
    """Draw profit when won over the start, a mark an item, its size the bids: figures 10 to 13.

    A row an order, a column a bidder.
    """
    orders = [order for order in _orders(results) if _records(results, budget, order)]
    names = sorted({n for o in orders for r in _records(results, budget, o) for n in r.bidders})
    across, up = "starting price", "mean profit when won"
    _panels(
        results,
        path,
        budget,
        orders=orders,
        names=names,
        draw=_behaviour,
        across=across,
        up=up,
    )


def _behaviour(axes: Axes, name: str, records: Sequence[AuctionRecord], order: str) -> None:
    axes.axhline(0, color=INK, linewidth=0.6)
    axes.margins(0.15)
    for item in behaviour([each for each in records if name in each.bidders], name):
        if item.profit is not None:
            size = 3 + 2 * float(item.bids)
            place = float(item.start), float(item.profit)
            label = f"{order}, {name}: {item.item}"
            axes.plot(*place, "o", ms=size, color=COLORS[0], alpha=0.4, mew=0, gid=label)


def draw_priorities(results: ArenaResults, path: str | PathLike[str], budget: str) -> None:
    """Draw mean priorities after each sale, with their changes: figures 4 and 9.

    A row an order, a column a bidder; in a cell the mean, and below it what has changed since the
    sale before.
    """
    orders = [order for order in _orders(results) if order != "random"]
    stated = {
        each.bidder
        for order in orders
        for record in _records(results, budget, order)
        for each in record.priorities
    }
    _panels(
        results,
        path,
        budget,
        orders=orders,
        names=sorted(stated),
        draw=_priorities,
        up="items sold",
        size=(4.2, 3.6),
        share=False,
    )


def _priorities(axes: Axes, name: str, records: Sequence[AuctionRecord], order: str) -> None:
    own = [each for each in records if name in each.bidders]
    found = priority_map(own, name)
    cells = np.array([[np.nan if m is None else float(m) for m in row] for row in found.mean])
    axes.set_xticks(range(len(found.items)), found.items, rotation=60, ha="right", fontsize="small")
    axes.set_yticks(range(len(found.items)))
    if not cells.size:
        axes.text(0.5, 0.5, "none stated", ha="center", transform=axes.transAxes)
        return
    axes.imshow(cells, vmin=1, vmax=3, cmap="Blues", aspect="auto")
    axes.set_ylim(len(found.items) - 0.5, -0.5)
    for t, (row, change) in enumerate(zip(cells, found.change, strict=True)):
        for k, value in enumerate(row):
            if np.isnan(value):
                continue
            changed = change[k]
            text = f"{value:.1f}" + (f"\n{float(changed):+.1f}" if changed else "")
            ink = "white" if value > 2.2 else "black"
            gid = f"{order}, {name}: {t}, {k}"
            axes.text(k, t, text, ha="center", va="center", fontsize=6, color=ink, gid=gid)


def _panels(
    results: ArenaResults,
    path: str | PathLike[str],
    budget: str,
    *,
    orders: Sequence[str],
    names: Sequence[str],
    draw: Panel,
    across: str = "",
    up: str,
    size: tuple[float, float] = (2.3, 2.1),
    share: bool = True,
) -> None:
    """Draw a part for each order and bidder."""
    columns, lines = max(1, len(names)), max(1, len(orders))
    with picture(path, (size[0] * columns + 0.4, size[1] * lines + 0.5)) as figure:
        grid = figure.subplots(lines, columns, squeeze=False, sharex=share, sharey=share)
        for line, order in enumerate(orders):
            for axes, name in zip(grid[line], names, strict=True):
                axes.set_title(f"{name}, {order}", fontsize="small")
                axes.tick_params(labelsize="small")
                draw(axes, name, _records(results, budget, order), order)
        figure.suptitle(f"budget {budget_text(budget)}", fontsize="medium")
        figure.supxlabel(across, fontsize="small")
        figure.supylabel(up, fontsize="small")


def _legend(figure: Figure, marks: Sequence[Any]) -> None:
    if marks:
        columns = min(4, len(marks))
        figure.legend(handles=marks, loc="outside upper center", ncols=columns, fontsize="small")
