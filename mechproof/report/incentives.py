"""Draw the incentive slack of an agent against its report, as a picture in a file."""

from __future__ import annotations

from os import PathLike

from matplotlib.axes import Axes

from mechproof.report.figure import picture
from theory.incentives import IncentiveCurve

__all__ = ["draw_incentive_curve"]

_INK, _TRUTH, _LIE = "#333333", "#0072b2", "#d55e00"  # told apart by the colour-blind, too
_SIZE = (7.2, 4.4)
_FEW = 40


def draw_incentive_curve(curve: IncentiveCurve, path: str | PathLike[str]) -> None:
    """Draw a curve to a file whose name ends with .svg or .png.

    Across runs the report, upwards the slack u(truth) - u(report); dots are the reports that were
    tried, and nothing is said between them. Lies pay below 0, where the picture is shaded.

    Raises
    ------
    InvalidInputError
        For another ending, or a file that cannot be written.
    """
    with picture(path, _SIZE) as figure:
        _draw(curve, figure.subplots())
        figure.legend(loc="outside lower center", ncols=3, frameon=False)


def _draw(curve: IncentiveCurve, axes: Axes) -> None:
    room = 0.1 * float(max(curve.slacks) - min(curve.slacks)) or 1.0
    bottom, top = float(min(curve.slacks)) - room, float(max(curve.slacks)) + room
    axes.axhspan(bottom, 0, color=_LIE, alpha=0.08, linewidth=0)
    axes.axhline(0, color=_INK, linewidth=0.8)
    dots = dict(zip(map(float, curve.reports), map(float, curve.slacks), strict=True))
    marks = [(curve.truth, "the truth", "D", _TRUTH)]
    if curve.gain and curve.best_lie is not None:
        marks.append((curve.best_lie, "the best lie", "v", _LIE))
    for report, name, shape, color in marks:
        slack = dots.pop(float(report))
        at = [float(report)], [slack]
        axes.plot(*at, shape, color=color, markersize=9, label=name, zorder=3)
    size = 6 if len(dots) <= _FEW else 2.5
    axes.plot(
        list(dots), list(dots.values()), "o", color=_INK, markersize=size, label="other reports"
    )
    axes.set_ylim(bottom, top)
    axes.set_title(f"{curve.title}\n{curve.verdict}", fontsize="medium", wrap=True)
    axes.set_xlabel(f"report of agent {curve.agent}")
    axes.set_ylabel("slack: u(truth) − u(report)\nbelow 0 the lie pays")
    axes.spines[["top", "right"]].set_visible(False)
