"""Judging instances while a search runs: each once, counted, the failing ones kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from theory.incentives._finite import Judged
from theory.incentives._instance import Instance
from theory.incentives._property import Property
from theory.incentives._setting import Setting, Unjudged
from theory.incentives.search._slots import native

__all__ = ["Probe"]


class Probe:
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

    @property
    def found(self) -> bool:
        """Whether an instance failed."""
        return self.seen.smallest is not None

    def __call__(self, instance: Instance) -> Fraction | None:
        """Return the slack; None for the truth told twice, where hypotheses fail or at a fault."""
        if instance in self.slacks:
            return self.slacks[instance]
        if instance in self._without or _is_truth(instance):
            return None
        instance = native(self.prop.shape, self.setting, instance)
        slack = self._judged(instance)
        if slack is None:
            self._without.add(instance)
            return None
        self.slacks[instance] = slack
        self.seen.see(self.prop, self.setting, instance, slack, self.setting.limit(self.tolerance))
        return slack

    def _judged(self, instance: Instance) -> Fraction | None:
        if self.seen.instances % 256 == 0:
            self._progress(min(self.seen.instances, self._total), self._total)
        self.seen.instances += 1
        try:
            slack = self.prop.slack(self.setting, instance)
        except Unjudged:
            self.seen.unjudged += 1
            return None
        return None if slack is None else Fraction(slack)

    def fails(self, slack: Fraction) -> bool:
        """Whether a slack refutes the property."""
        return slack < self.setting.limit(self.tolerance)

    def all(self, instances: Iterable[Instance]) -> bool:
        """Judge all of some instances; return whether one failed, then or before."""
        for instance in instances:
            self(instance)
        return self.found

    def until_found(self, instances: Iterable[Instance]) -> bool:
        """Judge instances until one fails; return whether one did, then or before."""
        for instance in instances:
            if self.found:
                break
            self(instance)
        return self.found


def _is_truth(instance: Instance) -> bool:
    told = 0 < len(instance.lies) <= len(instance.agents)
    return told and bool(instance.profile) and instance.reports() == instance.profile
