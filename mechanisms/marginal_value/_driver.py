"""The marginal-value mechanism, led with a judge and informants of this process."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from itertools import islice
from typing import Any

from mechanisms.errors import ParticipantError
from mechanisms.ledger import Ledger
from mechanisms.marginal_value._errors import InformantError, JudgeError, PricingError
from mechanisms.marginal_value._pricing import PriceFunction
from mechanisms.marginal_value._record import MarginalValueRecord, in_braces, marginal_value_record
from mechanisms.marginal_value._revealing import Items, MoveSet, copy_contents
from mechanisms.marginal_value._rules import JUDGE, PRICES, Contents, Settlement, marginal_value
from mechanisms.participants import blame, read_observer
from mechanisms.play import Ask, IllegalAnswerError, Run
from mechanisms.protocols import Disclosure, History, Informant, Judge
from theory.errors import InvalidInputError
from theory.shared.copying import copy_content

__all__ = ["MarginalValueDriver"]


class MarginalValueDriver:
    """Leads a run of the rules; who is asked gets copies of the contents.

    Without a ledger the run has one of its own.
    """

    rules = marginal_value

    def __init__(
        self,
        judge: Judge,
        informants: Mapping[str, Informant],
        items: Items,
        prices: Mapping[str, object] | PriceFunction,
        moves: MoveSet,
        *,
        holdings: Mapping[str, Iterable[str]] | None,
        max_moves: int | None,
        ledger: Ledger | None,
        pool: str,
    ) -> None:
        self.judge, self.informants, self.prices = judge, informants, prices
        self.contents = copy_contents(items)
        if not informants:
            raise InvalidInputError("informants", informants, "are none", "give at least one")
        if not callable(prices) and not isinstance(prices, Mapping):
            fix = "give a price for each item, by name"
            raise InvalidInputError("prices", prices, "are none", fix)
        self.ledger, self.accounts = ledger, (pool, *informants)
        floats = None if ledger is None else isinstance(ledger.balance(pool), float)
        self._check_floors()
        begin = self.rules if ledger is None else self.rules.on_ledger(ledger)
        self.run: Run[Settlement] = begin(
            self.contents,
            tuple(informants),
            None if callable(prices) else prices,
            moves,
            holdings=holdings,
            max_moves=max_moves,
            pool=pool,
            floats=floats,
        )
        self._paid_before = 0

    def play(self, asking: Callable[[Ask], object] | None = None) -> MarginalValueRecord:
        """Let the informants reveal, and pay them; ``asking`` is told of each question before."""
        tell = read_observer("asking", asking)
        asked = {"judge": self.ask_judge, "reveal": self.ask_informant, "price": self.ask_price}
        try:
            while (ask := self.run.ask()) is not None:
                tell(ask)
                self._paid_before = len(self.ledger.entries) if self.ledger else 0
                self.run = asked[ask.role](ask)
            outcome = self.run.outcome
            if outcome is not None and outcome.fault is not None:
                who, problem, fix = outcome.fault
                raise (JudgeError if who == JUDGE else InformantError)(who, problem, fix)
        except ParticipantError as error:
            error.record = self.record()
            raise
        return self.record()

    def ask_judge(self, ask: Ask) -> Run[Settlement]:
        """Ask what the judge expects of each action."""
        revealed = self.copies(ask.view.revealed)
        where, fix = f"when shown {in_braces(revealed)}", "return a utility for each action"
        with blame(JudgeError, JUDGE, where, fix):
            answer: object = self.judge.utilities(revealed)
            row = dict(answer) if isinstance(answer, Mapping) else answer
        return self.answered(ask, row, JudgeError)

    def ask_informant(self, ask: Ask) -> Run[Settlement]:
        """Ask what an informant reveals, who may go on naming without end."""
        name, told = ask.player, self.history(ask.view)
        with blame(InformantError, name, "when asked to reveal", "return names of items, or ()"):
            answer: object = self.informants[name].reveal(told)
            if isinstance(answer, Iterable) and not isinstance(answer, str):
                answer = list(islice(answer, len(self.contents) + 1))
        return self.answered(ask, answer, InformantError)

    def ask_price(self, ask: Ask) -> Run[Settlement]:
        """Ask the price function."""
        price: Any = self.prices
        where = f"when asked for {ask.view}"
        with blame(PricingError, PRICES, where, "return a number, or inf"):
            answer: object = price(frozenset(ask.view.items))
        return self.answered(ask, answer, PricingError)

    def answered(self, ask: Ask, answer: object, kind: type[ParticipantError]) -> Run[Settlement]:
        """Return what follows from an answer; one that is illegal is put down to who gave it."""
        run = self.run.answer(ask, answer)
        if run.ended_by is None:
            return run
        try:
            ask.answer.read(answer)
        except IllegalAnswerError as error:
            raise kind(ask.player, error.problem, error.fix) from error.__cause__ or error
        raise AssertionError("what was refused is refused again")

    def history(self, view: Any) -> History:
        """Return what an informant is told, in copies of its own."""
        held = self.copies(view.held)
        moves = tuple(Disclosure(move.informant, move.items) for move in view.moves)
        actions: tuple[Hashable, ...] = copy_content(view.actions)
        return History(moves, actions, self.copies(view.revealed), held)

    def copies(self, shown: Contents) -> dict[str, object]:
        """Return new copies of the contents of some items.

        Raises
        ------
        ParticipantError
            When one of them cannot be copied again.
        """
        where, fix = "when it was copied again", "give contents such as text"
        found = {}
        for name, content in shown:
            with blame(ParticipantError, f"the content of {name!r}", where, fix):
                found[name] = copy_content(content)
        return found

    def record(self) -> MarginalValueRecord:
        """Return what has happened until now, from the log."""
        outcome, books, items = self.run.outcome, self.books(), tuple(self.contents)
        settled = outcome is not None and outcome.fault is None
        statement = books.statement(self._paid_before if settled else len(books.entries))
        prices = self.prices if isinstance(self.prices, Mapping) else None
        return marginal_value_record(items, prices, self.run, statement)

    def books(self) -> Ledger:
        """Return the ledger that was given, that of the run, or a new one before there is any."""
        if self.ledger is not None:
            return self.ledger
        try:
            return self.run.ledger
        except InvalidInputError:  # its rules have opened no account yet
            return self._new_ledger()

    def _new_ledger(self) -> Ledger:
        return Ledger(dict.fromkeys(self.accounts, 0), dict.fromkeys(self.accounts))

    def _check_floors(self) -> None:
        """Refuse accounts that cannot go below zero as far as a reward may take them."""
        ledger = self._new_ledger() if self.ledger is None else self.ledger
        for name in self.accounts:
            if ledger.available(name) is not None:
                fix = "give it the floor None"
                raise InvalidInputError(
                    "ledger", name, "has a floor, and rewards may be negative", fix
                )
