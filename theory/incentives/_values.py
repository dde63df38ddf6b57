"""What an allocation is worth to a type, and which allocations can be carried out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, Final, Protocol, runtime_checkable

from theory.errors import InvalidInputError, NumberError, UnknownNameError, nearest
from theory.incentives._reading import is_number, is_vector
from theory.shared.arguments import refusing

__all__ = [
    "ADDITIVE",
    "UNIT_DEMAND",
    "Names",
    "Rewards",
    "SingleItem",
    "SingleParameter",
    "Valuation",
    "ValueFunction",
    "ValueTable",
    "infer_valuation",
    "values_add_up",
]

ADDITIVE: Final = "additive"
UNIT_DEMAND: Final = "unit demand"
Names = str | Callable[[tuple[int, ...], Any, Any], Any]
"""``"additive"``, ``"unit demand"``, or a function of (names, type, allocation)."""


@runtime_checkable
class Valuation(Protocol):
    """Values v_i(t, o) of types for allocations, and what is known of allocations."""

    linear: bool
    """Whether v_i(t, o) is linear in t, types being numbers or vectors of numbers."""

    def value(self, agent: int, type: Any, allocation: Any) -> Any:
        """Return v_i(t, o)."""
        ...

    def violation(self, allocation: Any, agents: int) -> Any:
        """Return by how much the allocation breaks what is possible, 0 where it can be done."""
        ...

    def alternatives(self, agents: int) -> Iterable[Any] | None:
        """Return the allocations to compare with, or None where they cannot be listed."""
        ...


class SingleItem:
    """One item: v_i(t, o) = t · share_i, with the shares of one item at most 1 in all.

    An allocation is the winner's index, ``None`` where nobody wins, or a vector of shares.
    """

    linear = True

    def value(self, agent: int, type: Any, allocation: Any) -> Any:
        """Return t times the agent's share."""
        return _times(type, share(agent, allocation))

    def violation(self, allocation: Any, agents: int) -> Any:
        """Return 1 for a winner who is not there, else by how much shares are not of one item."""
        if allocation is None:
            return 0
        if is_number(allocation):
            return int(allocation not in range(agents))
        return max(_below_zero(allocation, agents), sum(_entries(allocation)) - 1)

    def alternatives(self, agents: int) -> Iterable[Any]:
        """Return every winner, and nobody."""
        return (None, *range(agents))

    def __repr__(self) -> str:
        return "one item"


class SingleParameter:
    """Quantities: v_i(t, o) = t · x_i, with x_i at least 0."""

    linear = True

    def value(self, agent: int, type: Any, allocation: Any) -> Any:
        """Return t times the agent's quantity."""
        return _times(type, share(agent, allocation))

    def violation(self, allocation: Any, agents: int) -> Any:
        """Return by how much a quantity is below 0; 1 where there is not one an agent.

        None is a quantity of 0 for all, and an index one of 1 for an agent, who must be there.
        """
        if allocation is None:
            return 0
        if is_number(allocation):
            return int(allocation not in range(agents))
        return _below_zero(allocation, agents)

    def alternatives(self, agents: int) -> None:
        """Quantities are not listed."""
        del agents

    def __repr__(self) -> str:
        return "quantities"


@refusing
class ValueTable:
    """Named outcomes: v_i(t, o) = table[t][o].

    Parameters
    ----------
    table : mapping of mappings, or a sequence of them
        One table for all agents, or one an agent.
    """

    linear = False

    def __init__(self, table: Any) -> None:
        self.tables = _tables(table)
        rows = [row for each in self.tables for row in each.values()]
        self.outcomes = tuple(rows[0])
        for row in rows:
            if set(row) != set(self.outcomes):
                fix = f"give each type a value for each of {list(self.outcomes)}"
                raise InvalidInputError("table", list(row), "does not list all outcomes", fix)

    def value(self, agent: int, type: Any, allocation: Any) -> Any:
        """Return the entry of the agent's table."""
        table = self.tables[agent if len(self.tables) > 1 else 0]
        if type not in table:
            raise UnknownNameError("type", type, "is not in the table", nearest(type, table))
        if allocation not in table[type]:
            fix = nearest(allocation, self.outcomes)
            raise UnknownNameError("allocation", allocation, "is not in the table", fix)
        return table[type][allocation]

    def violation(self, allocation: Any, agents: int) -> Any:
        """Return 1 for an outcome that is not in the table."""
        del agents
        return int(allocation not in self.outcomes)

    def alternatives(self, agents: int) -> Iterable[Any]:
        """Return the outcomes of the table."""
        del agents
        return self.outcomes

    def __repr__(self) -> str:
        return f"values of {len(self.outcomes)} outcomes"


class Rewards:
    """Candidates: a type is a vector of rewards, v_i(t, o) = t[o], or t · o for a law o on them."""

    linear = True

    def value(self, agent: int, type: Any, allocation: Any) -> Any:
        """Return the reward of the candidate, or the expected reward under the law."""
        del agent
        if is_number(allocation):
            return type[allocation]
        return sum(p * r for p, r in zip(_entries(allocation), type, strict=True))

    def violation(self, allocation: Any, agents: int) -> Any:
        """Return 1 for an index below 0, else by how much the entries are not a law."""
        del agents
        if is_number(allocation):
            return int(allocation < 0)
        law = _entries(allocation)
        return max(0, -min(law), abs(sum(law) - 1))

    def beyond(self, allocation: Any, candidates: int) -> int:
        """Return 1 for an index of no candidate, and for a law of more or fewer; else 0."""
        if is_number(allocation):
            return int(allocation not in range(candidates))
        return int(len(allocation) != candidates)

    def alternatives(self, agents: int) -> None:
        """How many candidates there are, the types say."""
        del agents

    def __repr__(self) -> str:
        return "rewards of candidates"


class ValueFunction:
    """Values by a function of (agent, type, allocation)."""

    linear = False

    def __init__(self, function: Callable[[int, Any, Any], Any]) -> None:
        self.function = function

    def value(self, agent: int, type: Any, allocation: Any) -> Any:
        """Return what the function says."""
        return self.function(agent, type, allocation)

    def violation(self, allocation: Any, agents: int) -> Any:
        """Nothing is known against any allocation."""
        del allocation, agents
        return 0

    def alternatives(self, agents: int) -> None:
        """Allocations are not listed."""
        del agents

    def __repr__(self) -> str:
        return "values given by a function"


def _tables(given: Any) -> tuple[Mapping[Any, Mapping[Any, Any]], ...]:
    fix = "give the values of each type, as ValueTable({type: {outcome: value}})"
    several = isinstance(given, Sequence) and not isinstance(given, str)
    tables: tuple[Any, ...] = tuple(given) if several else (given,)
    if not tables:
        raise InvalidInputError("table", given, "is empty", fix)
    for table in tables:
        if not isinstance(table, Mapping) or not all(
            isinstance(r, Mapping) for r in table.values()
        ):
            raise InvalidInputError("table", table, "is not a table", fix)
        if not table:
            raise InvalidInputError("table", given, "is empty", fix)
    return tuple({key: dict(row) for key, row in table.items()} for table in tables)


def share(agent: int, allocation: Any) -> Any:
    """Return the part of an agent in an allocation: winner's index, None or vector."""
    if allocation is None:
        return 0
    if is_number(allocation):
        return int(allocation == agent)
    return _entries(allocation)[agent]


def _times(type: Any, part: Any) -> Any:
    """Return a product; one with a text is a longer text, which may be read as a number."""
    for argument, factor in (("type", type), ("allocation", part)):
        if isinstance(factor, str | bytes):
            raise InvalidInputError(argument, factor, "is a text", "give a number")
    return type * part


def _entries(allocation: Any) -> Any:
    """Return an allocation that has an entry for each agent or candidate, in their order.

    A table, a set or a text has no such order: to go through one would be to read its keys.
    """
    if isinstance(allocation, Mapping | Set | str | bytes):
        fix = "give a tuple with an entry for each, in their order"
        raise InvalidInputError("allocation", allocation, "is no vector", fix)
    return allocation


def values_add_up(valuation: Valuation) -> bool:
    """Whether what several names get is worth, to one owner of them, the sum."""
    return isinstance(valuation, SingleItem | SingleParameter)


def _below_zero(amounts: Any, agents: int) -> Any:
    entries = _entries(amounts)
    return max(0, -min(entries)) if len(entries) == agents else 1


def infer_valuation(type: Any, allocation: Any) -> Valuation:
    """Return the valuation that goes with types and allocations of this form.

    Raises
    ------
    InvalidInputError
        Where none does.
    NumberError
        For a truth value as the winner of one item or as a candidate.
    """
    if isinstance(allocation, bool) and (is_number(type) or is_vector(type)):
        fix = "return an index, such as int(...) of it, or pass values="
        raise NumberError("allocation", allocation, "is a truth value", fix)
    if is_vector(type):
        return Rewards()
    if is_number(type) and (allocation is None or is_number(allocation)):
        return SingleItem()
    if is_number(type) and is_vector(allocation):
        return SingleParameter()
    fix = "pass values=, such as ValueTable({type: {allocation: value}}) or a function"
    raise InvalidInputError("values", (type, allocation), "cannot be told from the types", fix)
