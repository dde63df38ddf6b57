"""Draw what learners regret against what is proven, and the gap of their average play."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Final

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

from mechanisms.learners import BoundedSeries, PlayerRun, Run
from mechproof.report.figure import picture
from theory.errors import LimitError
from theory.regret import internal_regret_warning

__all__ = ["draw_equilibrium_gap", "draw_regret"]

_INK, _REGRET, _BOUND = "#333333", "#0072b2", "#d55e00"  # told apart by the colour-blind, too
_KINDS: Final = ("external", "internal", "swap")
_WIDTH, _HEIGHT, _MARGIN = 3.6, 2.9, 0.9
_POINTS: Final = 400
_FEW: Final = 40
_TOO_MANY: Final = "laws over too many actions\nto go through"
_LEAST_SHARE: Final = 0.04
"""A bound that would leave regret less than this share of the height goes beyond the picture."""


def draw_regret(
    run: Run,
    path: str | PathLike[str],
    *,
    rounds: Iterable[int] | None = None,
    failure: float | None = 0.05,
) -> None:
    """Draw the regrets of all players to a file whose name ends with .svg or .png.

    Each player has a row: external, internal and swap regret beside each other, each with the bound
    that is proven, or the word that nothing is, or that plays are laws over too many actions for
    it to be measured. Across run the rounds, upwards regret in sum, not
    on average. A bound that is far above leaves the picture; the numbers after the last round stand
    over each part. Where actions are at least as many as rounds, it is said that internal regret
    alone says nothing.

    Parameters
    ----------
    run : Run
    path : str or path
    rounds : iterable of int, optional
        After how many rounds to measure, rising; up to 400 of them at equal distances unless given,
        or where actions are not listed some forty.
    failure : float or None
        The probability with which each bound may fail; None asks for bounds in expectation.

    Raises
    ------
    InvalidInputError
        For another ending or a file that cannot be written; for a run without rounds or one that
        did not look at strategies.
    """
    chosen = None if rounds is None else list(rounds)
    size = (_WIDTH * len(_KINDS), _HEIGHT * len(run.players) + _MARGIN)
    with picture(path, size) as figure:
        grid = figure.subplots(len(run.players), len(_KINDS), squeeze=False)
        for own, row in zip(run.players, grid, strict=True):
            at = _at(run, own) if chosen is None else chosen
            for kind, axes in zip(_KINDS, row, strict=True):
                _frame(axes)
                try:
                    series = run.series(own.name, kind, at, failure=failure)
                except LimitError:
                    _leave_out(kind, axes)
                else:
                    _draw(series, axes)
            row[0].set_ylabel(f"{own.name}: regret in sum")
        lines, labels = _legend(grid.ravel())
        figure.legend(lines, labels, loc="outside lower center", ncols=2, frameon=False)
        figure.suptitle(
            "\n".join([run.title, *_warnings(run, "internal regret")]), fontsize="medium"
        )


def draw_equilibrium_gap(
    run: Run, path: str | PathLike[str], *, rounds: Iterable[int] | None = None
) -> None:
    """Draw how far the average play is from equilibrium to a file that ends with .svg or .png.

    Across run the rounds, upwards the gaps to coarse correlated equilibrium and to correlated
    equilibrium with deviations at a single action: the largest average external and internal regret
    of a player, at least 0. Both axes are logarithmic, but for gaps below the smallest one that is
    not 0.

    Raises
    ------
    InvalidInputError
        For another ending or a file that cannot be written; for a run of one player, or one without
        rounds.
    LimitError
        For plays that are laws over too many actions to go through.
    """
    with picture(path, (7.2, 4.4)) as figure:
        gaps = run.equilibrium_gaps(_at(run, *run.players) if rounds is None else rounds)
        axes = figure.subplots()
        form = "o-" if len(gaps.rounds) <= _FEW else "-"
        for name, label, values, color, width in (
            ("cce", "coarse correlated", gaps.cce, _REGRET, 3.5),
            ("ce", "correlated, single actions", gaps.ce, _BOUND, 1.5),
        ):
            said = f"{label}: {values[-1]:.4g} in the end"
            (line,) = axes.plot(gaps.rounds, values, form, color=color, label=said, gid=name)
            line.set(linewidth=width, markersize=2 + width)
        positive = [v for row in (gaps.cce, gaps.ce) for v in row.tolist() if v > 0]
        axes.set_xscale("log")
        axes.set_yscale("symlog", linthresh=min(positive, default=1.0))
        axes.set_ylim(bottom=0, top=None if positive else 1)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axis.set_minor_formatter(NullFormatter())
        axes.set_xlabel("rounds")
        axes.set_ylabel("gap of the average play")
        axes.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside lower center", ncols=2, frameon=False)
        figure.suptitle(
            "\n".join([gaps.title, *_warnings(run, "the gap for single actions")]),
            fontsize="medium",
        )


def _at(run: Run, *players: PlayerRun) -> list[int] | None:
    """Return the rounds to measure at; None leaves them to the run."""
    if run.rounds <= 1 or not all(own.listed for own in players):
        return None
    spread = np.linspace(1, run.rounds, min(run.rounds, _POINTS)).round()
    return sorted({int(n) for n in spread})


def _frame(axes: Axes) -> None:
    axes.set_xlabel("rounds")
    axes.spines[["top", "right"]].set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))


def _leave_out(kind: str, axes: Axes) -> None:
    axes.set_title(f"{kind}: not measured", fontsize="small")
    axes.set_yticks([])
    axes.text(0.5, 0.5, _TOO_MANY, ha="center", va="center", transform=axes.transAxes)


def _draw(series: BoundedSeries, axes: Axes) -> None:
    form = "o-" if len(series.rounds) <= _FEW else "-"
    name = f"{series.name} {series.kind}"
    axes.axhline(0, color=_INK, linewidth=0.8)
    axes.plot(
        series.rounds,
        series.regret,
        form,
        color=_REGRET,
        markersize=4,
        label="measured regret",
        gid=f"{name} regret",
    )
    low, high = min(0.0, float(series.regret.min())), max(0.0, float(series.regret.max()))
    if series.proven is not None:
        axes.plot(
            series.rounds,
            series.bound,
            "--",
            color=_BOUND,
            label="proven bound",
            gid=f"{name} bound",
        )
        reach = max(high, -low) / _LEAST_SHARE or np.inf
        high = max(high, min(float(series.bound.max()), reach))
    room = 0.06 * (high - low) or 1.0
    axes.set_ylim(low - room, high + room)
    axes.set_title(f"{series.kind}: {_outcome(series)}", fontsize="small")


def _outcome(series: BoundedSeries) -> str:
    regret = f"{series.regret[-1]:.4g}"
    if series.proven is None:
        return f"{regret}, nothing is proven"
    how = series.proven.holds
    if series.proven.failure is not None:
        how = f"with probability {1 - series.proven.failure:g}"
    return f"{regret} of at most {series.bound[-1]:.4g}\n{how}"


def _legend(parts: Iterable[Axes]) -> tuple[list[Artist], list[str]]:
    found: dict[str, Artist] = {}
    for axes in parts:
        for line, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, line)
    return list(found.values()), list(found)


def _warnings(run: Run, what: str) -> list[str]:
    """Say where internal regret alone would be an empty promise (oracles.vacuous)."""
    many = max((own.actions.size for own in run.players if own.actions is not None), default=0)
    warning = internal_regret_warning(many, run.rounds).partition(":")[0]
    return [warning.replace("internal regret", what)] if warning else []
