"""The Vickrey-Clarke-Groves mechanism for a few items that may be worth more together."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from theory.errors import InvalidInputError, LimitError, ShapeError
from theory.incentives import Outcome

__all__ = ["MAX_ASSIGNMENTS", "CombinatorialVCG"]

MAX_ASSIGNMENTS: Final = 100_000
"""The most assignments of items that an outcome is chosen from."""

Bundles = tuple[frozenset[Hashable], ...]


@dataclass(frozen=True)
class CombinatorialVCG:
    """Items go where reported welfare is largest; who changes others' welfare pays the change.

    A report is a value for each bundle, in the order of :attr:`bundles`: bundle b holds item k
    where bit k of b is set. For two items: nothing, the first, the second, both. An item may stay
    with nobody.

    Of several best assignments the first is chosen, in the order of who gets the first item, then
    the second, and so on: agents by index, nobody last.

    Parameters
    ----------
    items : sequence of names

    Raises
    ------
    InvalidInputError
        Where there are no items, or one is listed twice.

    Notes
    -----
    With a* the assignment chosen, agent i pays max_a sum_{j != i} v_j(a) - sum_{j != i} v_j(a*).
    O(agents (agents + 1)^items) (Clarke, 1971; Nisan, Roughgarden, Tardos and Vazirani,
    *Algorithmic Game Theory*, section 9.3.3).

    Examples
    --------
    >>> auction = CombinatorialVCG(["left", "right"])
    >>> [sorted(bundle) for bundle in auction.bundles]
    [[], ['left'], ['right'], ['left', 'right']]
    >>> result = auction.outcome([(0, 2, 0, 2), (0, 0, 2, 2), (0, 0, 0, 3)])
    >>> [sorted(bundle) for bundle in result.allocation], result.payments
    ([['left'], ['right'], []], (1, 1, 0))
    """

    items: Sequence[Hashable]

    def __post_init__(self) -> None:
        items = tuple(self.items)
        if not items or len(set(items)) < len(items):
            problem = "has an item twice" if items else "is empty"
            raise InvalidInputError("items", self.items, problem, "list each item once")
        object.__setattr__(self, "items", items)

    @property
    def bundles(self) -> Bundles:
        """Every set of items, in the order of the values in a report."""
        return tuple(
            frozenset(item for k, item in enumerate(self.items) if b >> k & 1)
            for b in range(2 ** len(self.items))
        )

    def outcome(self, reports: Sequence[Sequence[Any]]) -> Outcome:
        """Return a bundle and a payment by agent.

        Raises
        ------
        ShapeError
            For a report that has not one value a bundle.
        LimitError
            For more than ``MAX_ASSIGNMENTS`` assignments.
        """
        self._check(reports)
        chosen = self.assignment(reports)
        payments = []
        for i in range(len(reports)):
            others = [*reports[:i], *reports[i + 1 :]]
            without = self.welfare(others, self.assignment(others))
            payments.append(without - self.welfare(others, (*chosen[:i], *chosen[i + 1 :])))
        return Outcome(chosen, tuple(payments))

    def assignment(self, reports: Sequence[Sequence[Any]]) -> Bundles:
        """Return the first assignment of largest welfare."""
        return max(self.alternatives(len(reports)), key=lambda a: self.welfare(reports, a))

    def welfare(self, reports: Sequence[Sequence[Any]], allocation: Bundles) -> Any:
        """Return the sum of reported values."""
        return sum(self.value(i, report, allocation) for i, report in enumerate(reports))

    def value(self, agent: int, kind: Sequence[Any], allocation: Bundles) -> Any:
        """Return what the agent's bundle is worth to the type."""
        held = allocation[agent]
        return kind[sum(1 << k for k, item in enumerate(self.items) if item in held)]

    def value_of_names(self, names: Sequence[int], kind: Sequence[Any], allocation: Bundles) -> Any:
        """Return what the bundles of several names, put together, are worth to one type."""
        held = frozenset[Hashable]().union(*(allocation[name] for name in names))
        return self.value(0, kind, (held,))

    def feasible(self, allocation: Bundles, agents: int) -> bool:
        """Whether there is a bundle for each agent, and no item is in two."""
        given = [item for bundle in allocation for item in bundle]
        known = set(given) <= set(self.items)
        return known and len(allocation) == agents and len(set(given)) == len(given)

    def alternatives(self, agents: int) -> Iterator[Bundles]:
        """Return every assignment of items to agents or to nobody."""
        for holders in product(range(agents + 1), repeat=len(self.items)):
            pairs = list(zip(self.items, holders, strict=True))
            yield tuple(frozenset(x for x, who in pairs if who == i) for i in range(agents))

    def _check(self, reports: Sequence[Sequence[Any]]) -> None:
        bundles = 2 ** len(self.items)
        for i, report in enumerate(reports):
            if len(report) != bundles:
                problem = f"has {len(report)} values for {bundles} bundles"
                fix = "give one value a bundle, in the order of `bundles`"
                raise ShapeError(f"reports[{i}]", report, problem, fix)
        work = (len(reports) + 1) ** len(self.items)
        if work > MAX_ASSIGNMENTS:
            problem = f"leave {work} assignments, above the limit of {MAX_ASSIGNMENTS}"
            raise LimitError("reports", len(reports), problem, "give fewer agents or items")
