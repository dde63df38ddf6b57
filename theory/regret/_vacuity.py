"""When internal regret says nothing."""

from __future__ import annotations

from theory.shared.arguments import read_count, refusing
from theory.shared.text import count_text as digits

__all__ = ["count_text", "internal_regret_warning"]


@refusing
def internal_regret_warning(size: int, rounds: int) -> str:
    """Return what to keep in mind where actions are at least as many as rounds; else nothing.

    Whoever plays a new action every round has an internal regret of at most the range of the
    rewards, since each replacement changes one round; claim oracles.vacuous.

    Examples
    --------
    >>> internal_regret_warning(10, 100)
    ''
    >>> print(internal_regret_warning(10**6, 100)[:72])
    With 1,000,000 actions and 100 rounds internal regret alone says nothing
    """
    if read_count("size", size) < read_count("rounds", rounds):
        return ""
    sizes = f"{count_text(size, 'action')} and {count_text(rounds, 'round')}"
    return (
        f"With {sizes} internal regret alone says nothing: whoever plays a new action every round, "
        "whichever it is, has an internal regret of at most the range of the rewards."
    )


def count_text(number: int, what: str) -> str:
    """Write how many things there are."""
    return f"{digits(number)} {what}{'s' * (number != 1)}"
