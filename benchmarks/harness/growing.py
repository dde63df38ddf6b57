"""How seconds grow with the size, as the exponent of a power of it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import log
from statistics import linear_regression, median

from theory.errors import LimitError

from .measuring import How, compared, judged, missing, paired, told, versions
from .record import Grown, Status
from .row import Growth, Work
from .targets import Figures

__all__ = ["exponent", "measure_growth"]

LONGEST, LONGEST_QUICK = 10.0, 1.0


def exponent(seconds: Mapping[int, float]) -> list[float]:
    """Fit log seconds = a + b log size by least squares; return b and its spread.

    The spread is the least and the greatest exponent between neighbouring sizes, so that a curve
    that bends shows. Fewer than three sizes tell nothing: the list is empty.
    """
    points = [(log(n), log(t)) for n, t in sorted(seconds.items()) if t > 0]
    if len(points) < 3:
        return []
    slope = linear_regression(*zip(*points, strict=True)).slope
    between = [(y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in pairwise(points)]
    return [slope, min(between), max(between)]


def measure_growth(row: Growth, how: How) -> Grown:
    """A method whose single call takes too long is not asked for larger sizes."""
    notes = [note for note in [missing(row, how)] if note]
    makers = {"ours": row.ours}
    if row.peer is not None and not notes:
        makers["peer"] = row.peer
    longest = LONGEST_QUICK if how.quick else LONGEST
    seconds: dict[str, dict[int, float]] = {"ours": {}, "peer": {}}
    status: Status = "measured"
    for n in row.sizes:
        if row.peer_up_to is not None and n > row.peer_up_to:
            makers.pop("peer", None)
        works: dict[str, tuple[Work, float]] = {}
        answers = {}
        for side in list(makers):
            try:
                work = makers[side](n)
                start = how.clock()
                answers[side] = work()
                works[side] = (work, how.clock() - start)
            except Exception as error:
                notes.append(f"{side} ends at size {n}: {told(error)}")
                del makers[side]
                if side == "ours" and not isinstance(error, LimitError):
                    status = "failed"
        if len(answers) == 2:
            differ = compared(row, answers["ours"], answers["peer"])
            if differ:
                notes.append(f"answers differ at size {n}: {differ}")
                status, seconds = "differs", {"ours": {}, "peer": {}}
                break
        answers.clear()
        try:
            samples = paired(list(works.values()), row.repeats, how)
        except Exception as error:
            notes.append(f"failed when it was done again at size {n}: {told(error)}")
            status = "failed"
            break
        for side, sample in zip(works, samples, strict=True):
            seconds[side][n] = median(sample)
            if max(works[side][1], median(sample)) > longest:
                del makers[side]
        if "ours" not in makers:
            break
    fitted, peer_fitted = exponent(seconds["ours"]), exponent(seconds["peer"])
    values = {"exponent": fitted[0]} if fitted else {}
    figures = Figures(values=values, exponents=_beside(seconds), peer_name=row.peer_name)
    if not seconds["ours"] and status == "measured":
        status = "failed"
    return Grown(
        id=row.id,
        issue=row.issue,
        work=row.work,
        status=status,
        note="; ".join(notes),
        ours=seconds["ours"],
        peer=seconds["peer"],
        ours_name=row.ours_name,
        peer_name=row.peer_name,
        exponent=fitted,
        peer_exponent=peer_fitted,
        targets=judged(row.targets, figures, wrong=status != "measured"),
        versions=versions(row, how),
    )


def _beside(seconds: Mapping[str, Mapping[int, float]]) -> tuple[float, float] | None:
    """Both exponents, of the sizes that both sides did; None where these are too few."""
    ours, theirs = seconds["ours"], seconds["peer"]
    both = ours.keys() & theirs.keys()
    fits = [exponent({n: times[n] for n in both}) for times in (ours, theirs)]
    return (fits[0][0], fits[1][0]) if all(fits) else None
