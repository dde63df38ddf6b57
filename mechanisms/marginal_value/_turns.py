"""The course of a run: turns are taken until nothing new is revealed, then all moves are paid."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from itertools import cycle, pairwise
from math import inf

from mechanisms.amounts import copy_amount
from mechanisms.errors import ParticipantError
from mechanisms.ledger import Amount, Ledger
from mechanisms.marginal_value._asking import Judgement, ask_informant, ask_judge
from mechanisms.marginal_value._errors import InformantError, JudgeError
from mechanisms.marginal_value._pricing import PriceFunction, Pricing, pricing
from mechanisms.marginal_value._record import MarginalValueRecord, in_braces
from mechanisms.marginal_value._rules import RevealingRules
from mechanisms.protocols import Disclosure, History, Informant, Judge
from theory.errors import InvalidInputError, NumberError
from theory.shared.copying import copy_content

__all__ = ["MarginalValueRun"]


class MarginalValueRun:
    """What has happened in a run, and who takes part; without a ledger it opens one at the end."""

    def __init__(
        self,
        judge: Judge,
        informants: Mapping[str, Informant],
        rules: RevealingRules,
        ledger: Ledger | None,
        pool: str,
    ) -> None:
        if not informants:
            raise InvalidInputError("informants", informants, "are none", "give at least one")
        if pool in informants:
            raise InvalidInputError("pool", pool, "is an informant too", "give it another name")
        self.judge, self.informants, self.rules = judge, informants, rules
        self.pool, self.ledger = pool, ledger
        self.floats = None if ledger is None else isinstance(ledger.balance(pool), float)
        _check_floors(self.books(), (pool, *informants))
        self.moves: list[Disclosure] = []
        self.prices: list[Amount] = []
        self.opinions: list[Judgement] = []

    def play(self, prices: Mapping[str, object] | PriceFunction) -> MarginalValueRecord:
        """Let the informants reveal, and pay them."""
        try:
            self.ask_judge()
            price = pricing(prices, self.rules.contents, self.opinions[0].numbers)
            ended_by = self.take_turns(price)
            rewards = self.rewards()
        except ParticipantError as error:
            ledger = self.books()
            error.record = self.record(ledger, len(ledger.entries))
            raise
        return self.settled(rewards, ended_by)

    def take_turns(self, price: Pricing) -> str | None:
        """Ask until nothing new is revealed or nothing is left; return who made the null move."""
        for name in cycle(self.informants):
            if len(self.revealed) == len(self.rules.contents):
                break
            informant, told = self.informants[name], self.history(name)
            named = ask_informant(informant, name, told, self.rules.contents)
            new = tuple(item for item in named if item not in self.revealed)
            if not new:
                return name
            self.prices.append(self.admitted(name, new, price))
            self.moves.append(Disclosure(name, new))
            self.ask_judge()
        return None

    def ask_judge(self) -> None:
        """Note what the judge expects of each action, and which it would take."""
        actions = self.opinions[0].utilities if self.opinions else None
        shown = self.rules.copies(self.revealed)
        opinion = ask_judge(self.judge, shown, actions, self.floats)
        self.floats = opinion.floats
        self.opinions.append(opinion)

    def admitted(self, name: str, new: tuple[str, ...], price: Pricing) -> Amount:
        """Return the price of a move that is open to an informant; of any other, say why not."""
        what = f"reveals {in_braces(new)}"
        foreign = [item for item in new if item not in self.rules.holdings[name]]
        if foreign:
            held = in_braces(self.rules.held_by(name))
            raise InformantError(
                name, f"{what} without holding {', '.join(foreign)}", f"it holds {held}"
            )
        if not self.rules.allow(frozenset(new), self.revealed):
            moves = ", ".join(map(in_braces, self.rules.family or ()))
            raise InformantError(name, f"{what}, which is no move", f"moves are {moves}")
        if len(self.moves) == self.rules.max_moves:
            raise InformantError(
                name,
                f"{what} as move {len(self.moves) + 1} of at most {self.rules.max_moves}",
                "let it reveal nothing by then, or allow more moves",
            )
        cost = price(new)
        if cost == inf:
            raise InformantError(name, f"{what}, whose price is infinite", "reveal something else")
        return cost

    def rewards(self) -> tuple[Amount, ...]:
        """Return R^n for each move, all of which the ledger can pay."""
        final, ledger = self.opinions[-1].utilities, self.books()
        steps = zip(pairwise(self.actions), self.prices, strict=True)
        rewards = tuple(final[after] - final[before] - cost for (before, after), cost in steps)
        for n, reward in enumerate(rewards, 1):
            try:
                ledger.amount(abs(reward), f"reward of move {n}")
            except NumberError as error:
                raise JudgeError("the judge", "expects what cannot be paid", str(error)) from error
        return rewards

    def settled(self, rewards: tuple[Amount, ...], ended_by: str | None) -> MarginalValueRecord:
        """Pay the rewards, and return the whole record."""
        ledger = self.books()
        paid_before = len(ledger.entries)
        for n, (move, reward) in enumerate(zip(self.moves, rewards, strict=True), 1):
            accounts = (self.pool, move.informant) if reward > 0 else (move.informant, self.pool)
            if reward:
                ledger.transfer(*accounts, abs(reward), f"move {n}: {in_braces(move.items)}")
        record = self.record(ledger, paid_before)
        return replace(record, settled=True, ended_by=ended_by, rewards=rewards)

    @property
    def revealed(self) -> tuple[str, ...]:
        """What is revealed, in that order."""
        return tuple(name for move in self.moves for name in move.items)

    @property
    def actions(self) -> tuple[Hashable, ...]:
        """a_0, a_1, … so far."""
        return tuple(opinion.action for opinion in self.opinions)

    def history(self, name: str) -> History:
        """Return what an informant is told, in copies of its own."""
        held = self.rules.copies(self.rules.held_by(name))
        moves = tuple(Disclosure(move.informant, move.items) for move in self.moves)
        return History(moves, copy_content(self.actions), self.rules.copies(self.revealed), held)

    def books(self) -> Ledger:
        """Return the ledger, or a new one in which nobody has anything."""
        if self.ledger is not None:
            return self.ledger
        accounts = (self.pool, *self.informants)
        return Ledger(dict.fromkeys(accounts, 0.0 if self.floats else 0), dict.fromkeys(accounts))

    def record(self, ledger: Ledger, paid_before: int) -> MarginalValueRecord:
        """Return what has happened until now, as far as it is not settled."""
        return MarginalValueRecord(
            items=tuple(self.rules.contents),
            moves=tuple(self.moves),
            prices=tuple(map(copy_amount, self.prices)),
            actions=self.actions,
            settled=False,
            ended_by=None,
            rewards=(),
            statement=ledger.statement(paid_before),
        )


def _check_floors(ledger: Ledger, accounts: tuple[str, ...]) -> None:
    """Refuse accounts that cannot go below zero as far as a reward may take them."""
    for name in accounts:
        if ledger.available(name) is not None:
            raise InvalidInputError(
                "ledger", name, "has a floor, and rewards may be negative", "give it the floor None"
            )
