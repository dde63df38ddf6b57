"""Draw what came of questions in the market of bazaar."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import accumulate
from math import isfinite
from os import PathLike
from textwrap import shorten
from typing import Any, Final

from matplotlib.axes import Axes

from mechproof.experiments.bazaar_results import BazaarResults, Player, player_of
from mechproof.report.figure import picture

__all__ = [
    "COLORS",
    "INK",
    "draw_matrix",
    "draw_prices",
    "draw_ratings",
    "draw_spending",
    "draw_tree",
    "draw_wins",
]

COLORS: Final = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b")
INK: Final = "#333333"


def draw_ratings(results: BazaarResults, path: str | PathLike[str]) -> None:
    """Draw Bradley-Terry strengths with intervals over questions: the paper's figure 5, left.

    A hollow mark is the mean of Elo over orders of the games; its line is their deviation.
    """
    rated = results.rated
    assert rated is not None
    elo = rated.elo_points
    players = [player for player in results.summaries if player in elo]
    lines = list(dict.fromkeys((p.buyer, p.inspection) for p in players))
    budgets = sorted({p.budget for p in players}, key=Fraction)
    with picture(path, (7.0, 3.4)) as figure:
        axes: Axes = figure.subplots()
        wide = 0.7 / len(lines)
        for number, (buyer, inspection) in enumerate(lines):
            color = COLORS[number % len(COLORS)]
            told: str | None = buyer if inspection else f"{buyer}, titles"
            for k, budget in enumerate(budgets):
                player = Player(buyer, budget, inspection)
                if player not in elo:
                    continue
                place = k + (number - (len(lines) - 1) / 2) * wide
                value, low, high = rated.points(player)
                axes.plot([place] * 2, [low, high], color=color, linewidth=1.2)
                axes.plot(
                    place, value, "o", ms=4, color=color, label=told, gid=f"strength: {player}"
                )
                mean, deviation = elo[player]
                beside = place + wide / 3
                axes.plot([beside] * 2, [mean - deviation, mean + deviation], color=INK, lw=0.7)
                gid = f"elo: {player}"
                axes.plot(beside, mean, "o", ms=3, mfc="none", mec=INK, gid=gid)
                told = None
        axes.plot([], [], "o", ms=3, mfc="none", mec=INK, label="Elo, over orders")
        axes.set_xticks(range(len(budgets)), budgets)
        axes.set_xlabel("budget", fontsize="small")
        axes.set_ylabel("points", fontsize="small")
        axes.tick_params(labelsize="small")
        figure.legend(loc="outside upper center", ncols=4, fontsize="small")


def draw_spending(results: BazaarResults, path: str | PathLike[str]) -> None:
    """Draw comparisons won by who reads and who does not, by what they spent: figure 5, right.

    Each comparison is between the same buyer with the same budget. It counts where it was won, at
    what the winner spent.
    """
    market = (row for row in results.rows if row["part"] == "market")
    spent = {(row["question"], player_of(row)): Fraction(row["spent"]) for row in market}
    names = results.buyers
    with picture(path, (3.0 * len(names), 2.9)) as figure:
        grid = figure.subplots(1, len(names), squeeze=False, sharey=True)
        for axes, buyer in zip(grid.flat, names, strict=True):
            axes.set_title(buyer, fontsize="small")
            axes.tick_params(labelsize="small")
            for reads, color in ((True, COLORS[0]), (False, COLORS[1])):
                outcome = "won" if reads else "lost"
                won = [
                    spent[each.question, each.first if reads else each.second]
                    for each in results.comparisons
                    if each.first.buyer == buyer
                    and each.first.inspection > each.second.inspection
                    and each.outcome == outcome
                ]
                places = [0.0, *map(float, sorted(won))]
                counts = [0, *accumulate(1 for _ in won)]
                most = float(max((spent[key] for key in spent if key[1].buyer == buyer), default=0))
                told = "with inspection" if reads else "titles alone"
                gid = f"{buyer}: {told}"
                line: Any = {"where": "post", "color": color, "label": told, "gid": gid}
                axes.step([*places, most], [*counts, counts[-1]], **line)
        grid[0, 0].set_ylabel("comparisons won", fontsize="small")
        figure.supxlabel("credits spent by the winner", fontsize="small")
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=2, fontsize="small")


def draw_wins(results: BazaarResults, path: str | PathLike[str]) -> None:
    """Draw how answers compare, won, tied and lost: what appendix C tells."""
    pairs = {f"{a} : {b}": found for (a, b), found in results.pairs.items()}
    with picture(path, (7.4, 0.34 * len(pairs) + 1.2)) as figure:
        axes: Axes = figure.subplots()
        axes.set_yticks(range(len(pairs)), list(pairs), fontsize="small")
        axes.set_ylim(len(pairs) - 0.4, -0.6)
        axes.set_xlim(0, 100)
        shades = {"won": COLORS[0], "tie": "#bdbdbd", "lost": COLORS[1]}
        for height, (name, found) in enumerate(pairs.items()):
            left = 0.0
            for outcome, color in shades.items():
                share = 100 * sum(c.outcome == outcome for c in found) / len(found)
                told = outcome if height == 0 else None
                gid = f"{name}, {outcome}"
                axes.barh(height, share, left=left, color=color, label=told, gid=gid)
                left += share
        axes.set_xlabel("percent of the questions, for the first of the two", fontsize="small")
        axes.tick_params(labelsize="small")
        figure.legend(loc="outside upper center", ncols=3, fontsize="small")


def draw_matrix(results: BazaarResults, path: str | PathLike[str]) -> None:
    """Draw the score of each against each, a tie being half: the paper's figure 6a."""
    players = list(results.summaries)
    wide = 0.9 * len(players) + 2.0
    with picture(path, (wide, 0.7 * len(players) + 1.4)) as figure:
        axes: Axes = figure.subplots()
        table: list[list[float]] = []
        for k, player in enumerate(players):
            scores = [results.score(player, other) for other in players]
            table.append([float("nan") if s is None else 100 * s for s in scores])
            for j, score in enumerate(table[-1]):
                if isfinite(score):
                    mark: Any = {"ha": "center", "va": "center", "fontsize": "small"}
                    axes.text(j, k, f"{score:.0f}", gid=f"{player} : {players[j]}", **mark)
        axes.imshow(table, cmap="RdYlBu", vmin=0, vmax=100, aspect="auto")
        names = [player.buyer for player in players]
        axes.set_xticks(range(len(players)), names, rotation=30, ha="right", fontsize="small")
        axes.set_yticks(range(len(players)), names, fontsize="small")
        figure.supxlabel("score of the row against the column, percent", fontsize="small")


def draw_prices(results: BazaarResults, path: str | PathLike[str]) -> None:
    """Draw how many passages cost how much, and how many words they have: the paper's figure 7."""
    passages = results.scenes.corpus.passages
    with picture(path, (7.0, 2.6)) as figure:
        left, right = figure.subplots(1, 2)
        left.hist([float(p.price) for p in passages], bins=20, color=COLORS[0])
        left.set_xlabel("price", fontsize="small")
        left.set_ylabel("passages", fontsize="small")
        right.hist([len(p.text.split()) for p in passages], bins=20, color=COLORS[0])
        right.set_xlabel("words", fontsize="small")
        for axes in (left, right):
            axes.tick_params(labelsize="small")


def draw_tree(results: BazaarResults, path: str | PathLike[str]) -> None:
    """Draw the questions that followed from one: the paper's figure 9.

    It is the first of those from which the most followed.
    """
    row = max(
        (each for each in results.rows if each["part"] == "market"),
        key=lambda each: len(each["inquiries"]),
    )
    asked = row["inquiries"]
    with picture(path, (8.0, 0.75 * len(asked) + 0.5)) as figure:
        axes: Axes = figure.subplots()
        axes.set_axis_off()
        axes.set_xlim(0, 1)
        axes.set_ylim(len(asked) - 0.3, -0.6)
        heights = {each["place"]: height for height, each in enumerate(asked)}
        for each in asked:
            height, depth = heights[each["place"]], each["place"].count(".")
            parent = each["place"].rpartition(".")[0]
            if parent:
                axes.plot(
                    [0.05 * depth - 0.03] * 2, [heights[parent] + 0.3, height], color=INK, lw=1
                )
                axes.plot([0.05 * depth - 0.03, 0.05 * depth], [height, height], color=INK, lw=1)
            axes.text(
                0.05 * depth + 0.01,
                height,
                _node_text(each),
                va="center",
                fontsize="small",
                gid=each["place"],
            )


def _node_text(inquiry: Mapping[str, Any]) -> str:
    bought = ", ".join(inquiry["bought"]) or "nothing"
    told = f"buys {bought}; {inquiry['answer']}"
    return f"{shorten(inquiry['question'], 80)}\n{shorten(told, 90)}"
