"""What a history of play regrets, with the deviation that shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from theory.regret._vacuity import count_text, internal_regret_warning
from theory.shared.printable import escape
from theory.shared.rounding import WithGap
from theory.shared.text import number_text
from theory.verdicts import Table

__all__ = ["ConditionalGap", "ExternalRegret", "InternalRegret", "Regret", "SwapRegret"]

_SHOWN: Final = 8
_ARROWS: Final = 4
_LONGEST: Final = 32

Number = Fraction | float


@dataclass(frozen=True, slots=True)
class ExternalRegret:
    """What the best fixed action would have gained; below 0 where the play beat all of them.

    Attributes
    ----------
    gain : Fraction or float
        max_j sum_t r_t(j) - sum_t <x_t, r_t>.
    action : hashable
        The first action that attains it.
    """

    gain: Number
    action: Any


@dataclass(frozen=True, slots=True)
class InternalRegret:
    """What the best replacement of one action by another would have gained; at least 0.

    Attributes
    ----------
    gain : Fraction or float
        max_{i, j} sum_t x_t(i) (r_t(j) - r_t(i)); a lower bound where ``upper`` is larger.
    source, target : hashable
        The first i and j that attain it, i = j where nothing is gained; both None where ``gain`` is
        a bound that no replacement was computed for.
    upper : Fraction or float
        The same as ``gain``, unless internal regret is known only to lie between the two.
    """

    gain: Number
    source: Any
    target: Any
    upper: Number

    @property
    def known(self) -> bool:
        """Whether ``gain`` is internal regret itself and not a bound."""
        return self.gain == self.upper


@dataclass(frozen=True, slots=True)
class SwapRegret:
    """What the best map from actions to actions would have gained; at least 0.

    Attributes
    ----------
    gain : Fraction or float
        sum_i max_j sum_t x_t(i) (r_t(j) - r_t(i)); a lower bound where ``upper`` is larger.
    map : mapping from action to action, or None
        Where the map moves an action; every action that is missing stays. None where not every
        action that was played has been looked at.
    upper : Fraction or float
        The same as ``gain``, unless swap regret is known only to lie between the two.
    """

    gain: Number
    map: Mapping[Any, Any] | None = field(repr=False)
    upper: Number

    @property
    def known(self) -> bool:
        """Whether ``gain`` is swap regret itself and not a bound."""
        return self.gain == self.upper


@dataclass(frozen=True, slots=True)
class ConditionalGap:
    """What would have been gained where one action was played.

    Attributes
    ----------
    action : hashable
        The action i that was played.
    weight : Fraction or float
        How often: sum_t x_t(i) > 0.
    best_reply : hashable
        The first j that attains the gain; i itself where nothing is gained.
    gain : Fraction or float
        max_j sum_t x_t(i) (r_t(j) - r_t(i)) >= 0.
    """

    action: Any
    weight: Number
    best_reply: Any
    gain: Number

    @property
    def per_weight(self) -> Number:
        """The gain per unit of weight: what is to be gained a time, when told that i was played."""
        return self.gain / self.weight


@dataclass(frozen=True, kw_only=True)
class Regret(WithGap):
    """External, internal and swap regret of a history, together.

    Regrets are sums over all rounds; those called ``average_`` are divided by the rounds.

    Attributes
    ----------
    rounds, size : int
        T and the number of actions N.
    arithmetic : str
        "exact" or "float64".
    earned : Fraction or float
        sum_t <x_t, r_t>.
    external, internal, swap : ExternalRegret, InternalRegret, SwapRegret
        Each with the best deviation. external <= swap, internal <= swap <= N internal, and
        external <= (N - 1) internal.
    conditionals : tuple of ConditionalGap
        By action played: all of them, unless ``swap.map`` is None.
    gap : Fraction or float
        The most by which code that shares nothing with the solver disagrees: it follows every
        deviation that is reported round by round, looks for better ones by another summation, and
        compares the three regrets with one another. Exactly 0 where all is exact.
    rechecked : int
        For how many of the actions played better replies were looked for again; the rest was
        followed only.
    tolerance : Fraction or float
        What rounding may amount to in ``gap``; 0 where all is exact.
    """

    rounds: int
    size: int
    arithmetic: str
    earned: Number
    external: ExternalRegret
    internal: InternalRegret
    swap: SwapRegret
    conditionals: tuple[ConditionalGap, ...]
    gap: Number
    rechecked: int
    tolerance: Number

    @property
    def average_external(self) -> Number:
        """External regret a round."""
        return self.external.gain / self.rounds

    @property
    def average_internal(self) -> Number:
        """Internal regret a round; a lower bound where internal regret is one."""
        return self.internal.gain / self.rounds

    @property
    def average_swap(self) -> Number:
        """Swap regret a round; a lower bound where swap regret is one."""
        return self.swap.gain / self.rounds

    @property
    def average_earned(self) -> Number:
        """What the play earned a round."""
        return self.earned / self.rounds

    @property
    def vacuous(self) -> bool:
        """Whether N >= T, so that low internal regret is no achievement (oracles.vacuous)."""
        return self.size >= self.rounds

    @property
    def warning(self) -> str:
        """What to keep in mind where internal regret says nothing by itself; else empty."""
        return internal_regret_warning(self.size, self.rounds)

    def table(self) -> Table:
        """Return the three regrets and their deviations."""
        internal, swap = self.internal, self.swap
        rows = (
            (
                "external",
                self.external.gain,
                self.external.gain,
                f"always {_write_action(self.external.action)}",
            ),
            ("internal", internal.gain, internal.upper, _replacement(internal)),
            ("swap", swap.gain, swap.upper, _arrows(swap)),
        )
        how = "exact" if self.arithmetic == "exact" else f"rechecked to {float(self.gap):.1e}"
        sizes = f"{count_text(self.rounds, 'round')} with {count_text(self.size, 'action')}"
        return Table(
            caption=(
                f"Regret after {sizes}, earning {number_text(self.average_earned)} a round ({how})"
            ),
            columns=("", "in all", "a round", "best deviation"),
            rows=tuple(
                (name, _between(low, high), _between(low / self.rounds, high / self.rounds), what)
                for name, low, high, what in rows
            ),
        )

    def gaps(self) -> Table:
        """Return what would have been gained where each action was played, the most first."""
        worst = sorted(self.conditionals, key=lambda c: c.gain, reverse=True)
        rest = len(worst) - _SHOWN
        rows = [
            tuple(map(_show_action, (c.action, c.weight, c.best_reply, c.gain, c.per_weight)))
            for c in worst[:_SHOWN]
        ]
        rows += [(f"{rest:,} more", "", "", "", "")] if rest > 0 else []
        columns = ("played", "weight", "best reply", "gain", "gain a time")
        return Table(caption="Where an action was played", columns=columns, rows=tuple(rows))

    def __repr__(self) -> str:
        sizes = f"{count_text(self.rounds, 'round')} with {count_text(self.size, 'action')}"
        internal, swap = self.internal, self.swap
        return (
            f"Regret({sizes}: external {number_text(self.external.gain)}, "
            f"internal {_between(internal.gain, internal.upper)}, "
            f"swap {_between(swap.gain, swap.upper)}, {self.arithmetic})"
        )

    def __str__(self) -> str:
        gaps = str(self.gaps()) if self.conditionals else ""
        return "\n\n".join(filter(None, (str(self.table()), gaps, self.warning, self.doubt)))

    def _repr_html_(self) -> str:
        gaps = self.gaps()._repr_html_() if self.conditionals else ""
        words = "".join(f"<p>{escape(text)}</p>" for text in (self.warning, self.doubt) if text)
        return f"{self.table()._repr_html_()}{gaps}{words}"


def _show_action(value: object) -> str:
    return _write_action(number_text(value))


def _between(low: Number, high: Number) -> str:
    if low == high:
        return number_text(low)
    return f"{number_text(low)} to {number_text(high)}"


def _replacement(internal: InternalRegret) -> str:
    if internal.source is None and not internal.known:
        return "not computed"
    if internal.source == internal.target:
        return "none gains"
    return f"{_write_action(internal.target)} wherever {_write_action(internal.source)} was played"


def _arrows(swap: SwapRegret) -> str:
    if swap.map is None:
        return "not computed"
    if not swap.map:
        return "none gains"
    arrows = [
        f"{_write_action(i)} → {_write_action(j)}" for i, j in list(swap.map.items())[:_ARROWS]
    ]
    rest = len(swap.map) - len(arrows)
    return ", ".join(arrows) + (f" and {rest:,} more" if rest else "")


def _write_action(action: object) -> str:
    """Write an action, cut where it is long."""
    text = number_text(action)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
