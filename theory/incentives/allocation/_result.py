"""Payments that make an allocation rule truthful, or why there are none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from theory.errors import UnknownNameError
from theory.incentives._outcome import Outcome
from theory.incentives._reading import show
from theory.incentives.setting import Profile, Record, Setting
from theory.shared.printable import escape, print_safely, printable, printed_line
from theory.verdicts import Table

__all__ = ["EnvyStep", "Implementation", "NegativeCycle"]

_SHOWN: Final = 16


@dataclass(frozen=True)
class Implementation:
    """A rule with payments at which no lie pays: a mechanism, which ``check_mechanism`` takes.

    True in a condition.

    Attributes
    ----------
    name : str
        What the rule is called.
    payments : mapping from profile to tuple of Fraction
        For every profile of reports one payment an agent: pointwise the highest at which telling
        the truth is a dominant strategy and no type loses by it.
    gap : Fraction
        The most that separate code, which runs the rule again and goes through all inequalities,
        finds a type to gain by a lie or by staying away; 0 is a proof.
    comparisons : int
        How many inequalities between a truth and a lie there are.
    """

    name: str
    payments: Mapping[Profile, tuple[Fraction, ...]] = field(repr=False)
    gap: Fraction
    comparisons: int
    setting: Setting = field(repr=False, compare=False)

    def __bool__(self) -> bool:
        return True

    @property
    def __name__(self) -> str:
        return f"{self.name} with payments"

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return the allocation of the rule, and the payments.

        Raises
        ------
        UnknownNameError
            For reports that are no profile of the types.
        """
        profile = tuple(reports)
        if profile not in self.payments:
            fix = "report one of the listed types an agent"
            raise UnknownNameError("reports", profile, "are no profile of the types", fix)
        return Outcome(self.setting.mechanism.outcome(profile).allocation, self.payments[profile])

    def table(self) -> Table:
        """Return allocation and payments by profile; of many profiles, the first."""
        listed = list(self.payments.items())[:_SHOWN]
        rows = tuple(
            (show(r), _write_allocation(self.setting.record(r)), show(paid)) for r, paid in listed
        )
        more = len(self.payments) - len(listed)
        caption = f"the first {len(listed)} of {len(self.payments):,} profiles" if more else ""
        return Table(caption=caption, columns=("reports", "allocation", "payments"), rows=rows)

    def _story(self) -> str:
        return (
            f"{self.name} is truthful with these payments, the highest at which no type loses; "
            f"judged again, {self.comparisons:,} comparisons of a lie with the truth leave a gap "
            f"of {self.gap}."
        )

    @print_safely
    def __str__(self) -> str:
        return f"{printable(self._story())}\n{str(self.table()).lstrip()}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self._story())}</p>{self.table()._repr_html_()}"


@dataclass(frozen=True, slots=True)
class EnvyStep:
    """One type, and the next one in a cycle, for which it might pass.

    Attributes
    ----------
    type, passes_for : object
        The two types.
    gets, would_get : str
        The allocations that their reports lead to.
    worth, would_be_worth : Fraction
        What these are worth to the first of the two types.
    """

    type: Any
    passes_for: Any
    gets: str
    would_get: str
    worth: Fraction
    would_be_worth: Fraction

    @property
    def gain(self) -> Fraction:
        """What the type gains before payments, so that it must pay that much more for the lie."""
        return self.would_be_worth - self.worth

    @printed_line
    def __str__(self) -> str:
        verb = "lose" if self.gain < 0 else "gain"
        return f"type {show(self.type)} would {verb} {abs(self.gain)} as {show(self.passes_for)}"


@dataclass(frozen=True)
class NegativeCycle:
    """Types of an agent that no payments keep from passing for one another: no payments do.

    False in a condition.

    Attributes
    ----------
    name : str
        What the rule is called.
    agent : int
        Whose types they are.
    others : tuple
        What the other agents report, in their order.
    steps : tuple of EnvyStep
        Each type with the next one, the last with the first: the fewest types for which this can
        be shown, for any agent and any reports of the others.
    gap : Fraction
        By how much the total differs from that of the search; 0 is agreement.
    """

    name: str
    agent: int
    others: Profile
    steps: tuple[EnvyStep, ...]
    gap: Fraction
    setting: Setting = field(repr=False, compare=False)

    def __bool__(self) -> bool:
        return False

    @property
    def types(self) -> tuple[Any, ...]:
        """The types of the cycle, in order."""
        return tuple(step.type for step in self.steps)

    @property
    def total(self) -> Fraction:
        """The sum of v(t, f(t)) - v(t, f(t')) over types t and their successors t': below 0."""
        return -sum((step.gain for step in self.steps), start=Fraction(0))

    @property
    def story(self) -> str:
        """The cycle in words."""
        others = [i for i in range(self.setting.agents) if i != self.agent]
        said = [f"agent {i} reports {show(t)}" for i, t in zip(others, self.others, strict=True)]
        when = f"When {' and '.join(said)}, before payments" if said else "Before payments"
        steps = ", ".join(map(str, self.steps[:-1])) + f", and {self.steps[-1]}"
        return (
            f"No payments make {self.name} truthful. {when}, agent {self.agent} of {steps}. "
            f"To deter them, payments would have to rise by as much from each type to the next: by "
            f"{-self.total} in all, back to where they began."
        )

    def table(self) -> Table:
        """Return the steps, a row a type."""
        columns = ("type", "gets", "worth", "as type", "would get", "worth", "gain")
        rows = tuple(
            (
                show(s.type),
                s.gets,
                str(s.worth),
                show(s.passes_for),
                s.would_get,
                str(s.would_be_worth),
                str(s.gain),
            )
            for s in self.steps
        )
        total = ("in all", "", "", "", "", "", str(-self.total))
        return Table(caption="", columns=columns, rows=(*rows, total))

    @print_safely
    def __str__(self) -> str:
        return f"{printable(self.story)}\n{str(self.table()).lstrip()}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.story)}</p>{self.table()._repr_html_()}"


def envy_step(setting: Setting, agent: int, truth: Profile, lie: Profile) -> EnvyStep:
    """Return the step of an agent from one report to another, read off the rule itself."""
    kind, own, other = truth[agent], setting.record(truth), setting.record(lie)
    return EnvyStep(
        type=kind,
        passes_for=lie[agent],
        gets=_write_allocation(own),
        would_get=_write_allocation(other),
        worth=Fraction(setting.worth(agent, kind, own)),
        would_be_worth=Fraction(setting.worth(agent, kind, other)),
    )


def _write_allocation(record: Record) -> str:
    return ", ".join(show(a) if p == 1 else f"{show(a)} with {p}" for a, p in record.support)
