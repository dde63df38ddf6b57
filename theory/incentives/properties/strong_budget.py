"""Strong budget balance."""

from __future__ import annotations

import numpy as np

from theory.incentives._property import Instance
from theory.incentives._reading import Number
from theory.incentives.properties.shared import by_profile
from theory.incentives.properties.weak_budget import WeakBudgetBalance
from theory.incentives.setting import Setting
from theory.incentives.table import Slacks, Table

__all__ = ["StrongBudgetBalance"]


class StrongBudgetBalance(WeakBudgetBalance):
    r"""Payments only move money between agents: :math:`\sum_i p_i(r) = 0`.

    Source: Shoham and Leyton-Brown, Multiagent Systems (2009), Definition 10.3.6, ex post.
    """

    name = "strongly_budget_balanced"
    statement = "∑ᵢ pᵢ(r) = 0"

    def slack(self, setting: Setting, instance: Instance) -> Number:
        """Return minus the absolute value of the sum of payments."""
        total = sum(setting.record(instance.profile).payments)
        return min(total, -total)

    def slacks(self, table: Table) -> Slacks:
        """Return minus the absolute sums of payments at all profiles."""
        return by_profile(table, -np.abs(table.payments.sum(axis=0)), by_agent=False)
