"""What every report is worth to one agent, the others' reports held fixed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.errors import InvalidInputError
from theory.incentives._arguments import make_setting
from theory.incentives._reading import Number, is_number, show
from theory.incentives._types import TypeSpace
from theory.incentives._values import Valuation
from theory.incentives.properties.shared import others_say
from theory.incentives.setting import Fault, OutcomeAtFault, Profile, Setting
from theory.numbers import rational
from theory.shared.arguments import read_count, refusing
from theory.shared.printable import escape, printable
from theory.verdicts import Table

__all__ = ["IncentiveCurve", "incentive_curve"]

_ROWS = 16
_BAR = 24


@dataclass(frozen=True)
class IncentiveCurve:
    """The utility of an agent as a function of its report.

    Attributes
    ----------
    mechanism : str
        What it is called.
    agent : int
        Whose report varies.
    profile : tuple
        The agent's true type and the others' reports.
    reports : tuple of numbers
        Those that could be judged, in increasing order; the truth is one of them.
    utilities : tuple of numbers
        What each report is worth to the true type, exactly.
    faults : tuple of Fault
        Reports that could not be judged, and why.
    """

    mechanism: str
    agent: int
    profile: Profile
    reports: tuple[Number, ...]
    utilities: tuple[Number, ...]
    faults: tuple[Fault, ...] = ()

    @property
    def truth(self) -> Number:
        """The true type."""
        truth: Number = self.profile[self.agent]
        return truth

    @property
    def truthful(self) -> Number:
        """The utility of reporting the truth."""
        return self.utilities[self.reports.index(self.truth)]

    @property
    def slacks(self) -> tuple[Number, ...]:
        """The utility of the truth less that of each report; below 0 a lie pays."""
        return tuple(self.truthful - utility for utility in self.utilities)

    @property
    def best_lie(self) -> Number | None:
        """The lie worth most, of several the nearest to the truth; None if there is no lie."""
        worth = zip(self.reports, self.utilities, strict=True)
        lies = [(-u, abs(r - self.truth), r) for r, u in worth if r != self.truth]
        return min(lies)[2] if lies else None

    @property
    def gain(self) -> Number:
        """What the best lie gains over the truth, 0 where none pays."""
        return max(0, -min(self.slacks))

    @property
    def title(self) -> str:
        """Which curve this is, in words."""
        others = others_say(self.profile, (self.agent,))
        return f"{self.mechanism}: agent {self.agent} of type {show(self.truth)}{others}"

    @property
    def verdict(self) -> str:
        """What is seen of the best lie, in one sentence."""
        if self.best_lie is None:
            return "there is no other report"
        if self.gain:
            return f"the best lie, {_write_short(self.best_lie)}, gains {_write_short(self.gain)}"
        return f"none of the {len(self.reports) - 1:,} lies that were tried pays"

    def __str__(self) -> str:
        left_out = [f"left out {fault}" for fault in self.faults]
        return "\n".join([str(self._table()), printable(self.verdict), *left_out])

    def _repr_html_(self) -> str:
        left_out = [f"left out {fault}" for fault in self.faults]
        lines = "".join(f"<p>{escape(line)}</p>" for line in [self.verdict, *left_out])
        return self._table()._repr_html_() + lines

    def _table(self) -> Table:
        low, high = min(self.utilities), max(self.utilities)
        rows = []
        for k in self._spread_positions():
            report, utility = self.reports[k], self.utilities[k]
            length = round(_BAR * (utility - low) / (high - low)) if high > low else 0
            mark = "truth" if report == self.truth else ""
            if self.gain and report == self.best_lie:
                mark = "best lie"
            numbers = (report, utility, self.slacks[k])
            rows.append((*map(_write_short, numbers), mark, "█" * length))
        columns = ("report", "utility", "slack", "", "utility, from least to most")
        return Table(caption=self.title, columns=columns, rows=tuple(rows))

    def _spread_positions(self) -> list[int]:
        """Return evenly spread positions, the truth and the best lie among them."""
        last = len(self.reports) - 1
        spread = {round(k * last / (_ROWS - 1)) for k in range(_ROWS)}
        marked = {self.reports.index(r) for r in (self.truth, self.best_lie) if r is not None}
        return sorted(spread | marked)


@refusing
def incentive_curve(
    mechanism: Any,
    *,
    agent: int,
    type: Any,
    others: Sequence[Any],
    types: TypeSpace | Sequence[TypeSpace],
    values: Valuation | Callable[[int, Any, Any], Any] | None = None,
    seed: int = 0,
    points: int = 201,
) -> IncentiveCurve:
    r"""Return what each report is worth to an agent while the others' reports stand.

    .. math:: r \mapsto u_i(t_i, (t_i, r_{-i})) - u_i(t_i, (r, r_{-i}))

    is the incentive slack at report r; the mechanism is truthful where it is never below 0. Every
    number is exact. Each profile is run twice; a report at which the mechanism raises, or answers
    differently, is left out and listed in ``faults``.

    Parameters
    ----------
    mechanism, types, values, seed
        As for :func:`check_mechanism`.
    agent : int
        Whose report varies.
    type : number
        Its true type.
    others : sequence
        What the other agents report, in the order of agents.
    points : int
        On a :class:`Box`, the number of reports from end to end, at equal distances. The truth
        and the reports of the others are added, since allocations often jump there. Of finite
        types all are reported.

    Raises
    ------
    InvalidInputError
        Where the agent's types are no numbers, a type is not in its space, or the mechanism
        cannot be judged at the truth.

    Examples
    --------
    >>> from theory.incentives import FiniteTypes
    >>> def first_price(bids):
    ...     winner = bids.index(max(bids))
    ...     return winner, [bids[i] if i == winner else 0 for i in range(len(bids))]
    >>> curve = incentive_curve(
    ...     first_price, agent=0, type=3, others=[1], types=FiniteTypes(range(4))
    ... )
    >>> [str(slack) for slack in curve.slacks], curve.verdict
    (['0', '-2', '-1', '0'], 'the best lie, 1, gains 2')
    """
    said = list(others)
    agents = len(said) + 1 if hasattr(types, "members") else None
    setting = make_setting(
        mechanism,
        types=types,
        agents=agents,
        values=values,
        prior=None,
        epsilon=0,
        feasible=None,
        alternatives=None,
        seed=seed,
    )
    if isinstance(agent, bool) or agent not in range(setting.agents):
        fix = f"give an index from 0 to {setting.agents - 1}"
        raise InvalidInputError("agent", agent, "is no agent", fix)
    if len(said) != setting.agents - 1:
        fix = f"give {setting.agents - 1}, one for each agent but agent {agent}"
        raise InvalidInputError("others", others, f"are {len(said)} reports", fix)
    said.insert(agent, type)
    profile = tuple(
        _member(setting, i, t, "type" if i == agent else "others") for i, t in enumerate(said)
    )
    reports = _reports(setting, agent, profile, read_count("points", points, 2))
    utilities = {report: _utility(setting, agent, profile, report) for report in reports}
    at_truth = utilities[profile[agent]]
    if isinstance(at_truth, Fault):
        fix = "fix the mechanism there first"
        raise InvalidInputError("mechanism", setting.name, str(at_truth), fix)
    judged = {r: u for r, u in utilities.items() if not isinstance(u, Fault)}
    return IncentiveCurve(
        mechanism=setting.name,
        agent=agent,
        profile=profile,
        reports=tuple(judged),
        utilities=tuple(judged.values()),
        faults=tuple(u for u in utilities.values() if isinstance(u, Fault)),
    )


def _member(setting: Setting, agent: int, type: Any, argument: str) -> Any:
    space = setting.spaces[agent]
    exact = rational(type, argument) if is_number(type) and not isinstance(type, int) else type
    if exact not in space:
        fix = f"give one {'in' if space.members is None else 'of'} {space!r}"
        raise InvalidInputError(argument, type, f"is no type of agent {agent}", fix)
    return exact


def _reports(setting: Setting, agent: int, profile: Profile, points: int) -> list[Number]:
    space = setting.spaces[agent]
    listed = space.grid(points - 1) if is_number(profile[agent]) else ()
    if not listed or not all(map(is_number, listed)):
        problem = "are not numbers, so that no curve runs through them"
        fix = "give Box(low, high) or FiniteTypes of numbers; assert_holds_at judges one lie"
        raise InvalidInputError("types", space, problem, fix)
    if space.members is None:
        near = (r for r in profile if is_number(r) and r in space)
        listed = (*listed, *near)
    return sorted(set(listed))


def _utility(setting: Setting, agent: int, profile: Profile, report: Number) -> Number | Fault:
    reports = (*profile[:agent], report, *profile[agent + 1 :])
    try:
        setting.record(reports)
        setting.repeats(reports)
        return setting.utility(agent, profile[agent], reports)
    except OutcomeAtFault as unjudged:
        return unjudged.fault


def _write_short(value: Number) -> str:
    """Write a number; one with a long denominator, as floats have, as a decimal."""
    return str(value) if Fraction(value).denominator < 10**6 else f"{float(value):.6g}"
