"""How much work a problem asks for, counted before any of it is done."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import isqrt, lcm
from typing import Final

from mechproof.problems.format.reading import DocumentError
from theory.shared.text import count_text

__all__ = [
    "MAX_ASKED",
    "MAX_AUCTION",
    "MAX_BOUGHT",
    "MAX_CELLS",
    "MAX_CHECKED",
    "MAX_COMPARISONS",
    "MAX_ELIMINATION",
    "MAX_FORECASTS",
    "MAX_LONG_COMPARISONS",
    "MAX_LONG_LAW",
    "MAX_LONG_MIXED",
    "MAX_LONG_NODES",
    "MAX_LONG_PLAYED",
    "MAX_LONG_SETS",
    "MAX_LONG_TABLEAU",
    "MAX_LONG_VALUES",
    "MAX_LOOKED_UP",
    "MAX_NODES",
    "MAX_OFFERED",
    "MAX_OPTIONS",
    "MAX_PAIRS",
    "MAX_PIVOTED",
    "MAX_PLAYED",
    "MAX_PROGRAM",
    "MAX_RAISED",
    "MAX_REACHED",
    "MAX_REVEALED",
    "MAX_SETS",
    "MAX_STATED",
    "MAX_TABLEAU",
    "MAX_VALUES",
    "MAX_WEIGHED",
    "MAX_WRITTEN",
    "by_length",
    "check_count",
    "common_bits",
    "weigh_steps",
]

MAX_OPTIONS: Final = 1 << 12
"""Inspection: sets of goods that may be bought on one level."""
MAX_CELLS: Final = 1 << 20
"""Inspection: purchases times states times actions."""
MAX_NODES: Final = 10_000
"""Inspection, optimal: nodes of the game."""
MAX_VALUES: Final = 100_000
"""Information: goods and bundles, times states, times actions."""
MAX_FORECASTS: Final = 1_500
"""Information: goods and bundles, times states, where a forecast is decided."""
MAX_LONG_VALUES: Final = 1_500_000
"""Information and inspection: what is counted there, each by the length of the numbers."""
MAX_REVEALED: Final = 400_000
"""Information: variables that goods and bundles reveal, times states."""
MAX_BOUGHT: Final = 2_000_000
"""Inspection: variables that purchases reveal, times states."""
MAX_SETS: Final = 1 << 14
"""Marginal value: sets of items that can be revealed."""
MAX_LONG_SETS: Final = 10_000_000
"""Marginal value: moves at all sets and expectations there, each by the length of numbers."""
MAX_COMPARISONS: Final = 1_000_000
"""Mechanisms: profiles of types times other types, and outcomes; lotteries times types."""
MAX_LONG_COMPARISONS: Final = 8_000_000
"""Mechanisms: the same, each by the length of values, probabilities and payments."""
MAX_LOOKED_UP: Final = 1_100_000
"""Mechanisms: values that all properties that are asked for look up, by the length of one."""
MAX_PAIRS: Final = 50_000
"""Mechanisms: profiles of types times lies of two agents."""
MAX_TABLEAU: Final = 60_000
"""Games: entries of the program of a correlated equilibrium."""
MAX_LONG_NODES: Final = 60_000
"""Games: nodes by players, and by the length of numbers that play comes to."""
MAX_LONG_MIXED: Final = 500_000
"""Games: nodes, by the square of the length of numbers that mixed play comes to."""
MAX_REACHED: Final = 60_000_000
"""Games: pure profiles times the nodes that one reaches by players, by the length of numbers."""
MAX_CHECKED: Final = 2_000_000
"""Games: equilibria that are listed times nodes by players, times plans of who forgets."""
MAX_LONG_PLAYED: Final = 600_000
"""Games: profiles that are played and rounds, times actions, by the length of long numbers."""
MAX_LONG_TABLEAU: Final = 1_500_000
"""Games: the same, each by the length of the numbers that come of it."""
MAX_PIVOTED: Final = 3_000_000
"""Games: the same again, times pivots."""
MAX_PLAYED: Final = 1_000_000
"""Games: rounds times profiles of actions, or times pairs of actions of a player."""
MAX_ELIMINATION: Final = 600_000
"""Fixed points: indices that are eliminated times moves."""
MAX_LONG_LAW: Final = 150_000
"""Fixed points: indices that maps lead from or to, each by the length of its probability."""
MAX_PROGRAM: Final = 10_000
"""Fixed points: the same, where a linear program is solved."""
MAX_WEIGHED: Final = 60_000_000
"""Fixed points: the same, each by the length of the numbers that come of it."""
MAX_WRITTEN: Final = 30_000_000
"""All kinds: bytes of the texts and numbers in an answer."""
MAX_AUCTION: Final = 2_000_000
"""Auctions: agents times candidates times bits of precision."""
MAX_ASKED: Final = 1_000_000
"""Ascending auctions: items times discounts times pairs of bidders, by the length of numbers."""
MAX_RAISED: Final = 4_000_000
"""Ascending auctions: rounds, outcomes and numbers written, by the length of numbers."""
MAX_OFFERED: Final = 1_000_000
"""Information markets: passages times facts that are looked at for the best set, by length."""
MAX_STATED: Final = 2_000_000
"""Information markets: sets of facts that may be stated, times passages and facts, by length."""

_VERY_LONG: Final = 1 << 18


def check_count(path: str, what: str, count: int, most: int, fix: str) -> None:
    """Refuse a problem that asks for too much.

    Raises
    ------
    DocumentError
        With the path, the count and the limit.
    """
    if count > most:
        wrong = f"asks for {count_text(count)} {what}, more than the limit of {most:,}: {fix}"
        raise DocumentError(wrong, path=path)


def by_length(steps: int, bits: int) -> int:
    """Return what steps come to with numbers of so many bits: each takes about their power 3/2."""
    return steps * (1 + isqrt((bits >> 10) ** 3))


def common_bits(numbers: Iterable[Fraction]) -> int:
    """Return the bits of the least common denominator; no more is counted once it is very long."""
    common = 1
    for denominator in {number.denominator for number in numbers}:
        common = lcm(common, denominator)
        if common.bit_length() > _VERY_LONG:
            break
    return (common - 1).bit_length()


def weigh_steps(steps: int, rows: Iterable[Iterable[Fraction]], most: int) -> int:
    """Return what steps come to where numbers are long; no more is counted once it is above most.

    After all rows are used a number may have as many bits as the least common denominators of all
    rows together, see ``by_length``. There are at least as many steps as numbers in a row.
    """
    work, bits = steps, 0
    for row in rows:
        common = 1
        for count, denominator in enumerate({entry.denominator for entry in row}, 1):
            common = lcm(common, denominator)
            work = by_length(max(steps, count), bits + common.bit_length())
            if work > most:
                return work
        bits += common.bit_length()
    return work
