"""What a run of the marginal-value mechanism leaves behind."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from mechanisms.amounts import copy_amount
from mechanisms.ledger import Amount, LedgerStatement
from mechanisms.marginal_value._pricing import prices_by_item
from mechanisms.play import Ask, How, Run
from mechanisms.protocols import Disclosure
from theory.shared.text import number_text
from theory.verdicts import Table

__all__ = ["MarginalValueRecord", "in_braces", "marginal_value_record"]


@dataclass(frozen=True)
class MarginalValueRecord:
    """What happened: moves, the judge's actions, rewards, and the payments.

    Attributes
    ----------
    items : tuple of str
        All that there was to reveal.
    moves : tuple of Disclosure
        Who newly revealed what, before the null move.
    prices : tuple of number
        The price of each move.
    actions : tuple of Hashable
        a_0, a_1, …: what the judge would have done before the first move and after each.
    settled : bool
        Whether it came to a settlement; otherwise an error holds this record.
    ended_by : str or None
        Who made the null move; None where everything was revealed, or nothing was settled.
    rewards : tuple of number
        R^1, …, R^N; empty where nothing was settled.
    statement : LedgerStatement
        All accounts, with the payments of this run alone.
    """

    items: tuple[str, ...]
    moves: tuple[Disclosure, ...]
    prices: tuple[Amount, ...]
    actions: tuple[Hashable, ...]
    settled: bool
    ended_by: str | None
    rewards: tuple[Amount, ...]
    statement: LedgerStatement

    @property
    def revealed(self) -> tuple[str, ...]:
        """F, all that was revealed, in the order of the items."""
        found = {name for move in self.moves for name in move.items}
        return tuple(name for name in self.items if name in found)

    def table(self) -> Table:
        """Return the game, a row a move."""
        cells = zip_longest(self.moves, self.prices, self.actions[1:], self.rewards)
        rows = tuple(
            (
                str(n),
                move.informant,
                in_braces(move.items),
                number_text(price),
                "" if len(self.actions) <= n else str(action),
                number_text(reward) if self.settled else "",
            )
            for n, (move, price, action, reward) in enumerate(cells, 1)
        )
        before = tuple(("", "", "", "", str(action), "") for action in self.actions[:1])
        return Table(
            caption=self._caption(),
            columns=("move", "informant", "reveals", "price", "the judge", "reward"),
            rows=(*before, *rows),
        )

    def __str__(self) -> str:
        return f"{self.table()}\n\n{self.statement}"

    def _repr_html_(self) -> str:
        return self.table()._repr_html_() + self.statement._repr_html_()

    def _caption(self) -> str:
        one = len(self.moves) == 1
        count = f"{len(self.moves)} move{'' if one else 's'}"
        if not self.settled:
            return f"broken off after {count}, nothing paid"
        ending = f"{self.ended_by} ends the game" if self.ended_by else "nothing is left"
        if not self.moves:
            return f"nothing is revealed: {ending}"
        return f"{count} reveal{'s' if one else ''} {in_braces(self.revealed)}, then {ending}"


def marginal_value_record(
    items: tuple[str, ...],
    prices: Mapping[str, object] | None,
    run: Run[Any],
    statement: LedgerStatement,
) -> MarginalValueRecord:
    """Return what has happened in a run of :func:`marginal_value` until now, from its log.

    Parameters
    ----------
    items : tuple of str
        All that there was to reveal.
    prices : mapping or None
        As the run was given them.
    run : Run
    statement : LedgerStatement
        The accounts, with the payments of the run.
    """
    asked = [entry for entry in run.log if isinstance(entry.request, Ask)]
    asked = [entry for entry in asked if entry.how is How.CHOSEN]
    opinions = [entry.value for entry in asked if entry.request.role == "judge"]
    named = [e for e in asked if e.request.role == "reveal" and e.value]
    outcome = run.outcome
    if outcome is not None:
        costs = outcome.prices
    elif named and prices is not None:
        table = prices_by_item(prices, items, opinions[0].numbers)
        costs = tuple(sum(table[item] for item in entry.value) for entry in named)
    else:
        costs = tuple(entry.value for entry in asked if entry.request.role == "price")
    moves = tuple(
        Disclosure(entry.request.player, entry.value)
        for entry, _ in zip(named, costs, strict=False)  # the last one may have no price
    )
    return MarginalValueRecord(
        items=items,
        moves=moves,
        prices=tuple(map(copy_amount, costs)),
        actions=tuple(opinion.action for opinion in opinions),
        settled=outcome is not None and outcome.fault is None,
        ended_by=outcome.ended_by if outcome is not None else None,
        rewards=outcome.rewards if outcome is not None else (),
        statement=statement,
    )


def in_braces(names: Collection[str]) -> str:
    """Write a set of items."""
    return "{" + ", ".join(names) + "}" if names else "∅"
