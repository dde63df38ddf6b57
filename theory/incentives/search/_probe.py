"""Judging instances while a search runs: each once, counted, the failing ones kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import takewhile

from theory.incentives._finite import Judged
from theory.incentives._property import Instance, Property
from theory.incentives.search._slots import native
from theory.incentives.setting import OutcomeAtFault, Setting

__all__ = ["SlackProbe"]

_PATIENCE = 64


class SlackProbe:
    """The slack of a property at an instance, as a function that remembers what it saw.

    Attributes
    ----------
    seen : Judged
        Counts, least slack and smallest failing instance so far.
    slacks : dict
        Of each instance that met the hypotheses, in the order they came.
    """

    def __init__(
        self,
        prop: Property,
        setting: Setting,
        tolerance: Fraction,
        progress: Callable[[int, int], None],
        total: int,
    ) -> None:
        self.prop, self.setting, self.tolerance = prop, setting, tolerance
        self.seen = Judged(exhausted=False)
        self.slacks: dict[Instance, Fraction] = {}
        self._without: set[Instance] = set()
        self._progress, self._total = progress, total
        self.begin()

    @property
    def found(self) -> bool:
        """Whether an instance failed."""
        return self.seen.smallest is not None

    @property
    def hopeless(self) -> bool:
        """Whether this stage met faults only, 64 of them, and so did those before."""
        return self.seen.unjudged == self.seen.instances >= self._last

    def begin(self) -> None:
        """Begin a stage: other kinds of instances, which may be free of the faults met so far."""
        self._last = self.seen.instances + _PATIENCE

    def __call__(self, instance: Instance) -> Fraction | None:
        """Return the slack; None for the truth told twice, where hypotheses fail or at a fault.

        None, too, where the stage is hopeless.
        """
        if instance in self.slacks:
            return self.slacks[instance]
        if self.hopeless or instance in self._without or instance.is_truth:
            return None
        instance = native(self.prop.shape, self.setting, instance)
        slack = self._judge(instance)
        if slack is None:
            self._without.add(instance)
            return None
        self.slacks[instance] = slack
        self.seen.see(self.prop, self.setting, instance, slack, self._limit(instance))
        return slack

    def _judge(self, instance: Instance) -> Fraction | None:
        if self.seen.instances % 256 == 0:
            self._progress(min(self.seen.instances, self._total), self._total)
        self.seen.instances += 1
        try:
            slack = self.prop.slack(self.setting, instance)
        except OutcomeAtFault as unjudged:
            self.seen.miss(self.setting, unjudged.fault)
            return None
        return None if slack is None else Fraction(slack)

    def _limit(self, instance: Instance) -> Fraction:
        return self.setting.limit(self.tolerance, self.prop.agents_concerned(instance))

    def fails(self, instance: Instance, slack: Fraction) -> bool:
        """Whether the slack of an instance refutes the property."""
        return slack < self._limit(instance)

    def all(self, instances: Iterable[Instance]) -> bool:
        """Judge all of some instances; return whether one failed, then or before."""
        for instance in self._stage(instances):
            self(instance)
        return self.found

    def until_found(self, instances: Iterable[Instance]) -> bool:
        """Judge instances until one fails; return whether one did, then or before."""
        for instance in self._stage(instances):
            if self.found:
                break
            self(instance)
        return self.found

    def _stage(self, instances: Iterable[Instance]) -> Iterator[Instance]:
        """Begin a stage and yield its instances until it is hopeless, outcomes computed at once."""
        self.begin()
        listed = [native(self.prop.shape, self.setting, instance) for instance in instances]
        told = [instance for instance in listed if instance.profile]
        self.setting.together({said for i in told for said in (i.profile, i.reports())})
        yield from takewhile(lambda _: not self.hopeless, listed)
