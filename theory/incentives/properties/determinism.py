"""Determinism: the same reports lead to the same outcome."""

from __future__ import annotations

import numpy as np

from theory.incentives._property import Instance, Property, Shape, Side
from theory.incentives._reading import Number, show
from theory.incentives.properties.shared import describe_outcome
from theory.incentives.setting import OutcomeAtFault, Setting
from theory.incentives.table import Slacks, Table

__all__ = ["Determinism"]


class Determinism(Property):
    """The same reports lead to the same outcome, whenever and in whatever order they are given.

    A mechanism that takes a generator ``rng`` is given one of the same seed at each call. A
    :class:`Lottery` is one outcome. The slack is 0, or -1 where two calls differ.

    Source: Nisan, Roughgarden, Tardos and Vazirani, Algorithmic Game Theory (2007), Definition
    9.14, where allocation and payments are functions of the reports.
    """

    name = "deterministic"
    statement = "r = r′ ⇒ (f, p)(r) = (f, p)(r′)"
    draws = ""
    shape = Shape()
    exhaustible = False

    def slack(self, setting: Setting, instance: Instance) -> Number:
        """Return 0 where the outcome was and is again the same, else -1."""
        try:
            setting.record(instance.profile)
        except OutcomeAtFault as unjudged:
            if unjudged.fault.random:
                return -1
            raise
        return 0 if setting.repeats(instance.profile) else -1

    def sides(self, setting: Setting, instance: Instance) -> list[Side]:
        """Return the outcome, or how outcomes differ."""
        try:
            found = describe_outcome(setting, instance.profile)
        except OutcomeAtFault as unjudged:
            found = unjudged.fault.problem
        return [(f"reports {show(instance.profile)}", found)]

    def story(self, setting: Setting, instance: Instance) -> str:
        """Return at which reports outcomes differ."""
        ((_, found),) = self.sides(setting, instance)
        return f"at reports {show(instance.profile)}: {found}"

    def slacks(self, table: Table) -> Slacks:
        """Return -1 at the profiles whose outcome changed while the table was made, else 0."""
        setting = table.setting
        positions = [{t: k for k, t in enumerate(setting.types(i))} for i in range(setting.agents)]
        numerators = np.zeros(table.sizes, dtype=np.int64)
        met = table.judged.copy()
        for fault in setting.faults:
            if fault.random and len(fault.reports) == setting.agents:
                cell = tuple(of[t] for of, t in zip(positions, fault.reports, strict=True))
                numerators[cell], met[cell] = -1, True
        return Slacks(numerators, 1, met, False, int(met.sum()), int(met.sum()))
