"""Times over runs, from a kept file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from statistics import median

from theory.errors import InvalidInputError

from .record import Kept, Timed

__all__ = ["draw", "series"]

Series = dict[str, dict[str, list[tuple[datetime, float]]]]


def series(kept: Sequence[Kept]) -> Series:
    """Median warm seconds of ours: by topic, then by row and machine, over the dates of the runs.

    Runs with ``--quick`` are left out.
    """
    whole = [each for each in kept if not each.run.quick]
    machines = {each.run.machine for each in whole}
    found: Series = defaultdict(lambda: defaultdict(list))
    for each in sorted(whole, key=lambda each: each.run.date):
        result = each.result
        if not isinstance(result, Timed) or not result.ours.warm:
            continue
        topic, name = result.id.split(".", 1)
        if len(machines) > 1:
            name += f", {each.run.machine}"
        when = datetime.fromisoformat(each.run.date)
        found[topic][name].append((when, median(result.ours.warm)))
    return {topic: dict(lines) for topic, lines in found.items()}


def draw(kept: Sequence[Kept], path: Path) -> None:
    """One panel a topic, seconds on a logarithmic axis.

    Raises
    ------
    InvalidInputError
        When no whole run has times.
    """
    found = series(kept)
    if not found:
        raise InvalidInputError(
            "--plot", str(path), "has nothing to show", "keep a run that is not --quick"
        )
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3.2 * len(found)), layout="constrained")
    panels = figure.subplots(len(found), squeeze=False)[:, 0]
    for panel, (topic, lines) in zip(panels, sorted(found.items()), strict=True):
        for name, points in lines.items():
            panel.plot(*zip(*points, strict=True), marker="o", markersize=4, label=name)
        panel.set_yscale("log")
        panel.set_ylabel("seconds, warm")
        panel.set_title(topic, loc="left")
        panel.grid(alpha=0.3)
        panel.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize="small", frameon=False)
        for label in panel.get_xticklabels():
            label.set_rotation(20)
    figure.savefig(path, dpi=120)
