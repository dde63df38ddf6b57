"""The named budgets: how much work a check may do."""

from __future__ import annotations

from mechproof.unknown_names import unknown_name
from theory.claims import Budget

__all__ = ["PROFILES", "budget_of"]

PROFILES = {
    "quick": Budget(exhaustive=20_000, samples=2_000, shrinks=2_000, size=3),
    "full": Budget(exhaustive=1_000_000, samples=50_000, shrinks=20_000, size=4),
}


def budget_of(profile: str, argument: str = "--profile") -> Budget:
    """Return the budget named ``profile``.

    Raises
    ------
    UnknownNameError
        When there is no such profile; ``argument`` is where it was given.
    """
    if profile not in PROFILES:
        raise unknown_name(argument, profile, PROFILES)
    return PROFILES[profile]
