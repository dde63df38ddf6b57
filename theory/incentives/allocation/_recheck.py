"""The answer, judged again by plain loops over the definition; nothing here knows of graphs."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from theory.incentives._reading import Number
from theory.incentives.setting import Profile, Setting

__all__ = ["largest_gain", "without_results"]


def without_results(setting: Setting) -> Setting:
    """Return the setting with nothing computed yet."""
    return setting.fresh()


def largest_gain(setting: Setting, payments: Mapping[Profile, tuple[Fraction, ...]]) -> Fraction:
    """Return the most that any type gains by a lie, or by staying away; 0 where none does.

    Runs the rule again. O(sum over agents of profiles · types).
    """
    fresh, worst = without_results(setting), Fraction(0)
    prices = {profile: tuple(map(_simplify, paid)) for profile, paid in payments.items()}
    for profile, paid in prices.items():
        for agent, kind in enumerate(profile):
            truth = fresh.worth(agent, kind, fresh.record(profile)) - paid[agent]
            best: Number = 0
            for lie in fresh.types(agent):
                said = (*profile[:agent], lie, *profile[agent + 1 :])
                lied = fresh.worth(agent, kind, fresh.record(said)) - prices[said][agent]
                best = max(best, lied)
            worst = max(worst, Fraction(best - truth))
    return worst


def _simplify(amount: Fraction) -> Number:
    """Return a whole number as an integer, which is faster to compute with."""
    return amount.numerator if amount.denominator == 1 else amount
