"""Judging a property on finite types: all at once, one by one, or by a sample.

What fails is run again: an outcome that differs from run to run is a fault, and no refutation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from typing import Any, Final

import numpy as np

from theory.incentives._mechanism import global_random_state
from theory.incentives._menus import best_lie, lies_that_gain
from theory.incentives._property import Instance, Property, size
from theory.incentives._reading import show
from theory.incentives.setting import Fault, OutcomeAtFault, Profile, Setting
from theory.incentives.table import Slacks, Table

__all__ = [
    "REPEATS",
    "Effort",
    "Judged",
    "fails_again",
    "judge",
    "repeat_profiles",
    "repeat_some_profiles",
]

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How much a check may do, in counts.

    Attributes
    ----------
    exhaustive : int
        The most instances of a property on finite types that are run through one by one; of more,
        ``samples`` random ones are judged. What has a faster method is always judged whole.
    samples : int
        Random instances of a property that is sampled.
    starts : int
        Starting points of each search over real types.
    steps : int
        Trials of each search from one starting point.
    rechecked : int
        Instances judged again from the definition after a faster method passed them.
    shrinks : int
        The most candidates tried while a counterexample is made smaller step by step, and as many
        again of pairs of simple numbers.
    """

    exhaustive: int = 200_000
    samples: int = 2_000
    starts: int = 24
    steps: int = 160
    rechecked: int = 128
    shrinks: int = 2_000


@dataclass(slots=True)
class Judged:
    """What was seen of a property."""

    instances: int = 0
    met: int = 0
    nontrivial: int = 0
    unjudged: int = 0
    elsewhere: Counter[int] = field(default_factory=Counter)
    """By how many reports, instances at fault where there are more or fewer of them than agents."""
    least: Fraction | None = None
    worst: Instance | None = None
    smallest: Instance | None = None
    doubtful: bool = False
    """Whether a slack is below 0 by more than rounding explains, and does not refute."""
    exhausted: bool = True
    gap: Fraction = Fraction(0)
    rechecked: str = ""
    slacks: Slacks | None = None
    withdrawn: bool = False
    """Whether something failed, and nothing that did so failed again."""

    def miss(self, setting: Setting, fault: Fault) -> None:
        """Take an instance into account that cannot be judged."""
        if setting.is_elsewhere(fault):
            self.elsewhere[len(fault.reports)] += 1
        else:
            self.unjudged += 1

    def end(self, setting: Setting) -> None:
        """Count as not judged what needs as many reports as the mechanism was seen to take."""
        self.unjudged += sum(self.elsewhere[count] for count in setting.taken)

    def see(
        self, prop: Property, setting: Setting, instance: Instance, slack: Fraction, limit: Fraction
    ) -> None:
        """Take an instance into account that meets the hypotheses; below ``limit`` it fails."""
        self.met += 1
        neutral = setting.epsilon if prop.tolerant else 0
        self.nontrivial += slack != neutral or not instance.lies
        if self.least is None or slack < self.least:
            self.least, self.worst = slack, instance
        if slack >= 0:
            return
        if slack >= limit:
            self.doubtful |= slack < -setting.rounding(prop.agents_concerned(instance))
        elif self.smallest is None or size(setting, instance) < size(setting, self.smallest):
            self.smallest = instance


def judge(
    prop: Property,
    setting: Setting,
    table: Table,
    *,
    effort: Effort,
    tolerance: Fraction,
    earlier: Sequence[Instance],
    progress: Progress,
) -> Judged:
    """Judge a property on finite types; witnesses of ``earlier`` checks are drawn first."""
    generator = np.random.default_rng(setting.seed)
    slacks = prop.slacks(table)
    if slacks is not None:
        seen = _from_slacks(prop, table, slacks, tolerance)
        if seen.least is not None:
            places = generator.integers(int(slacks.met.sum()), size=max(effort.rechecked - 1, 0))
            _recheck(prop, table, slacks, seen=seen, tolerance=tolerance, places=places)
        return seen
    total = prop.shape.count(setting)
    if total <= effort.exhaustive:
        every = prop.instances(setting)
        return run(prop, setting, every, total=total, tolerance=tolerance, progress=progress)
    drawn = chain(earlier, _draw_instances(prop, setting, effort.samples, generator))
    count = len(earlier) + effort.samples
    seen = run(prop, setting, drawn, total=count, tolerance=tolerance, progress=progress)
    seen.exhausted = False
    return seen


def run(
    prop: Property,
    setting: Setting,
    instances: Iterable[Instance],
    *,
    total: int,
    tolerance: Fraction,
    progress: Progress,
) -> Judged:
    """Judge a property at the instances given, one by one, from its definition."""
    seen = Judged()
    for done, instance in enumerate(instances):
        if done % 1024 == 0:
            progress(done, total)
        seen.instances += 1
        try:
            slack = prop.slack(setting, instance)
        except OutcomeAtFault as unjudged:
            seen.miss(setting, unjudged.fault)
            continue
        if slack is not None:
            low = slack < 0
            limit = (
                setting.limit(tolerance, prop.agents_concerned(instance)) if low else Fraction(0)
            )
            seen.see(prop, setting, instance, Fraction(slack), limit)
    seen.end(setting)
    return seen


def _draw_instances(
    prop: Property, setting: Setting, count: int, generator: np.random.Generator
) -> Iterator[Instance]:
    for _ in range(count):
        instance = prop.shape.draw(setting, generator)
        if instance is not None:
            yield instance


def _from_slacks(prop: Property, table: Table, slacks: Slacks, tolerance: Fraction) -> Judged:
    """Return what a table of slacks says; what is below the limit of its agents fails."""
    setting, agents = table.setting, range(table.setting.agents)
    seen = Judged(
        instances=slacks.instances,
        met=slacks.instances if slacks.met.any() else 0,
        nontrivial=slacks.nontrivial,
        unjudged=int((~table.judged).sum()),
        least=slacks.least,
        slacks=slacks,
    )
    if seen.least is None or seen.least >= 0:
        return seen
    mine = slacks.by_agent and prop.depends_on_own_payoff
    limits = [setting.limit(tolerance, (i,) if mine else ()) for i in agents]
    roundings = [setting.rounding((i,) if mine else ()) for i in agents]
    failing = slacks.below(limits)
    seen.doubtful = bool((slacks.below([-x for x in roundings]) & ~failing).any())
    if failing.any():
        seen.smallest = _smallest(prop, table, slacks, np.argwhere(failing), tolerance)
    return seen


def _recheck(
    prop: Property,
    table: Table,
    slacks: Slacks,
    *,
    seen: Judged,
    tolerance: Fraction,
    places: np.ndarray,
) -> None:
    """Judge the least slack and others from the definition; check the certificate of a pass."""
    setting, shape = table.setting, slacks.met.shape
    met = np.flatnonzero(slacks.met)
    lowest = met[slacks.numerators.ravel()[met].argmin()]
    seen.worst = _worst_of(prop, table, slacks, np.unravel_index(lowest, shape))
    chosen = np.union1d(met[places], [lowest])
    cells = [np.unravel_index(place, shape) for place in chosen]
    instances = [_worst_of(prop, table, slacks, cell) for cell in cells]
    setting.together({reports for i in instances for reports in (i.profile, i.reports())})
    for cell, instance in zip(cells, instances, strict=True):
        found = Fraction(int(slacks.numerators[cell]), slacks.denominator)
        try:
            again = prop.slack(setting, instance)
        except OutcomeAtFault:  # a mechanism that turns out to be random only now
            seen.unjudged += 1
            continue
        limit = setting.limit(tolerance, prop.agents_concerned(instance))
        if again is not None and again < min(found, limit):  # what the definition says decides
            seen.smallest, seen.least = instance, Fraction(again)
        elif again is not None:
            seen.gap = max(seen.gap, abs(Fraction(again) - found))
    seen.rechecked = f"{len(chosen):,} of {len(met):,} slacks from the definition"
    passes = seen.smallest is None and seen.least is not None and seen.least >= 0
    proof = prop.proof_gap(table) if passes else None
    if proof is not None:
        seen.gap = max(seen.gap, proof)
        seen.rechecked += f"; {prop.proof}"


def _of_cell(
    prop: Property,
    table: Table,
    slacks: Slacks,
    cell: tuple[int, ...],
    *,
    orders: Sequence[np.ndarray],
    tolerance: Fraction,
) -> Iterator[Instance]:
    """Yield the instances of an entry that fail, those with lies in the order given by agent."""
    if not slacks.by_agent:
        yield Instance(table.profile(cell))
        return
    agent, position, setting = cell[0], cell[1:], table.setting
    profile = table.profile(position)
    if not prop.shape.lies:
        yield Instance(profile, (agent,))
        return
    limit = setting.limit(tolerance, (agent,) if prop.depends_on_own_payoff else ())
    failing = lies_that_gain(table, agent, position, setting.epsilon - limit)
    for lie in orders[agent][failing[orders[agent]]]:
        yield Instance(profile, (agent,), (setting.types(agent)[lie],))


def _worst_of(prop: Property, table: Table, slacks: Slacks, cell: tuple[Any, ...]) -> Instance:
    cell = tuple(int(k) for k in cell)
    if not slacks.by_agent:
        return Instance(table.profile(cell))
    agent, position = cell[0], cell[1:]
    lies = (best_lie(table, agent, position),) if prop.shape.lies else ()
    return Instance(table.profile(position), (agent,), lies)


def _smallest(
    prop: Property, table: Table, slacks: Slacks, cells: np.ndarray, tolerance: Fraction
) -> Instance | None:
    """Return the smallest failing instance: cells in the order of size, until no cell can win."""
    setting = table.setting
    exact = [
        [size(setting, Instance((), (i,), (t,)))[0] for t in setting.types(i)]
        for i in range(setting.agents)
    ]
    orders = [np.array(sorted(range(len(row)), key=row.__getitem__)) for row in exact]
    profiles = cells[:, 1:] if slacks.by_agent else cells
    weights = [np.array(list(map(_size_as_float, row))) for row in exact]
    total = np.sum([weights[i][profiles[:, i]] for i in range(setting.agents)], axis=0)
    best: Instance | None = None
    least: tuple[Any, ...] = ()
    for k in np.argsort(total, kind="stable"):
        if best is not None and total[k] > _size_as_float(least[0]):
            break
        cell = tuple(cells[k].tolist())
        for instance in _of_cell(prop, table, slacks, cell, orders=orders, tolerance=tolerance):
            measure = size(setting, instance)
            if best is not None and measure >= least:
                break  # the others of the cell are no smaller
            try:
                slack = prop.slack(setting, instance)
            except OutcomeAtFault:
                continue
            limit = setting.limit(tolerance, prop.agents_concerned(instance))
            if slack is not None and slack < limit:
                best, least = instance, measure
                break
    return best


def _size_as_float(weight: Any) -> float:
    """Return a size as a float; what is beyond floats is as large as any."""
    return float(min(weight, 10**300))


REPEATS: Final = 8
"""How often a profile is repeated where it matters whether its outcome is always the same."""

_SOME: Final = 32
"""How many of the profiles that a search met are repeated after it."""

_CLOSELY: Final = 64
"""The most profiles of one instance that are repeated."""


def repeat_profiles(setting: Setting, profiles: Sequence[Profile]) -> bool:
    """Repeat profiles ``REPEATS`` times, in a mixed order; return whether nothing differs.

    A profile whose outcome differs is at fault from then on. That the mechanism draws on the global
    state of ``random`` or ``numpy.random`` is a fault, too.
    """
    order = np.random.default_rng(setting.seed).permutation(REPEATS * len(profiles))
    with global_random_state(setting.seed + 1) as drawn_on:
        steady = all(setting.repeats(profiles[k % len(profiles)]) for k in map(int, order))
    _blame(setting, drawn_on)
    return steady


def repeat_some_profiles(setting: Setting) -> None:
    """Repeat some of the profiles whose outcome is known, the first and the last among them."""
    known = [reports for reports in setting.known if len(reports) == setting.agents]
    if not known:
        return
    places = np.unique(np.linspace(0, len(known) - 1, _SOME).astype(np.int64))
    with global_random_state(setting.seed + 1) as drawn_on:
        for k in map(int, np.random.default_rng(setting.seed).permutation(places)):
            setting.repeats(known[k])
    _blame(setting, drawn_on)


def _blame(setting: Setting, drawn_on: Sequence[str]) -> None:
    for name in drawn_on:
        problem = f"not deterministic: the mechanism draws on the global state of {name}"
        setting.blame(Fault((), problem, random=True))


def fails_again(prop: Property, setting: Setting, instance: Instance, tolerance: Fraction) -> bool:
    """Whether a failing instance fails by as much when all its profiles are run again.

    They are repeated in another order, and then judged anew where nothing is remembered. What
    differs becomes a fault of the setting. That outcomes differ is what the property
    ``deterministic`` is about: there one difference is enough.
    """
    if not prop.exhaustible:
        return True
    anew = setting.fresh()
    try:
        before = prop.slack(setting, instance)
        with global_random_state(setting.seed + 2):
            again = prop.slack(anew, instance)
            valued = anew.revalues()
    except OutcomeAtFault:
        again = before = None
        valued = True
    if not repeat_profiles(setting, anew.known[:_CLOSELY]) or before is None:
        return False
    if again is not None and valued and abs(Fraction(again - before)) <= setting.rounding():
        return bool(again < setting.limit(tolerance, prop.agents_concerned(instance)))
    problem = (
        f"not deterministic: of {prop.name} at types {show(instance.profile)} the slack was "
        f"{show(before)}, and then {show(again)}; the values of allocations change"
    )
    setting.blame(Fault((), problem, random=True))
    return False
