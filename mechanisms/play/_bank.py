"""Where the payments of a run are made: in a ledger of its own, or in one that others use, too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from json import dumps, loads
from typing import Any, NamedTuple

from mechanisms.amounts import as_safe_number
from mechanisms.ledger import Amount, Ledger, OverdraftError
from mechanisms.play._log import Entry
from mechanisms.play._requests import Funds, Open, Pay, Transfer, Unpaid
from theory.errors import InvalidInputError

__all__ = ["Bank", "Outside", "payment_key", "require_paid"]


class Outside(NamedTuple):
    """A ledger that others use, too.

    Attributes
    ----------
    ledger : Ledger
    name : str
        That of the run, which no other run on this ledger has: payments are made under keys of it,
        each once. Empty where they have no keys.
    """

    ledger: Ledger
    name: str = ""


def payment_key(name: str, step: int, key: str) -> str:
    """Return the key under which a run of a name pays what it is asked for at a step.

    Examples
    --------
    >>> payment_key("order 17", 6, "")
    '["order 17", 6, ""]'
    """
    return dumps([name, step, key]) if name else ""


class Bank:
    """Answers what rules ask of accounts.

    Parameters
    ----------
    outside : Outside or None
        None for a ledger of the run's own, which ``Open`` makes.
    broken : function
        Makes the error for rules that ask for what there is not, of step, problem and fix.
    """

    __slots__ = ("_broken", "_paid", "_scanned", "_told", "ledger", "outside")

    def __init__(self, outside: Outside | None, broken: Callable[[int, str, str], Any]) -> None:
        self.outside, self._broken = outside, broken
        self.ledger = None if outside is None else outside.ledger
        self._told: dict[str, Fraction] = {}
        self._paid: list[tuple[int, int]] = []  # steps, with the numbers of their first entries
        self._scanned = 0

    def answer(self, request: Any, step: int, key: str) -> Any:
        """Let the ledger answer."""
        if isinstance(request, Open):
            if self.outside is None is not self.ledger:
                raise self._broken(step, "open accounts twice", "open all of them at once")
            return self.open(request)
        if self.ledger is None:
            raise self._broken(step, "pay before accounts are open", "yield Open(...) first")
        value: Any
        if isinstance(request, Funds):
            value = self._funds(request.account, step)
        else:
            value = self._pay(request.transfers, step, key)
        self.note(request, value)
        return value

    def open(self, request: Open) -> None:
        """Open the accounts of a run that was given no ledger."""
        if self.outside is None:
            self.ledger = Ledger(dict(request.balances), dict(request.floors))
            return
        for name, _ in request.balances:
            if name not in self.outside.ledger.accounts:
                problem = f"has no account for {name}"
                raise InvalidInputError("ledger", self.outside.ledger.accounts, problem, "open one")

    def note(self, request: Any, value: Any) -> None:
        """Remember what the run was told of accounts, less what it has paid since."""
        if self.outside is None:
            return
        if isinstance(request, Funds):
            if value is None:
                self._told.pop(request.account, None)
            else:
                self._told[request.account] = Fraction(value)
        elif isinstance(request, Pay) and value is None:
            for each in request.transfers:
                for name, sign in ((each.payer, -1), (each.payee, 1)):
                    if name in self._told:
                        self._told[name] += sign * Fraction(each.amount)

    def _funds(self, account: str, step: int) -> Amount | None:
        """Return what an account can pay.

        A run of a name that was here before, and died before it was written down, is told what was
        there before it paid.
        """
        assert self.ledger is not None
        if self.outside is None or not self.outside.name:
            return self.ledger.available(account)
        for key, numbers in self.ledger.places(self._scanned).items():
            paid = _step_of(key, self.outside.name)
            if paid is not None:
                self._paid.append((paid, numbers.start))
            self._scanned = numbers.stop - 1
        ahead = [number for paid, number in self._paid if paid > step]
        return self.ledger.available(account, min(ahead) - 1 if ahead else None)

    def _pay(self, transfers: tuple[Transfer, ...], step: int, key: str) -> Unpaid | None:
        """Pay all, or nothing."""
        assert self.ledger is not None
        name = "" if self.outside is None else payment_key(self.outside.name, step, key)
        with self.ledger.alone():
            try:
                if len(transfers) == 1:
                    [only] = transfers
                    self.ledger.transfer(only.payer, only.payee, only.amount, only.memo, key=name)
                else:
                    self.ledger.pay([(t.payer, t.payee, t.amount, t.memo) for t in transfers], name)
            except OverdraftError as error:
                funds = self.ledger.available(error.account)
                assert funds is not None  # since it was overdrawn
                told = self._missed(error.account, funds)
                return Unpaid(error.account, error.amount, funds, told)
        return None

    def _missed(self, account: str, funds: Amount) -> Amount | None:
        """Return what an account was said to be able to pay, where others have taken from it."""
        told = self._told.get(account)
        if told is None:
            return None
        shown = as_safe_number(told, floats=isinstance(funds, float))
        return shown if shown > funds else None


def _step_of(key: str, name: str) -> int | None:
    """Return the step of a payment of a run; None for what another has paid."""
    try:
        whose, step, _ = loads(key)
    except (ValueError, TypeError, RecursionError):
        return None
    return step if whose == name and type(step) is int else None


def require_paid(log: Iterable[Entry], outside: Outside) -> None:
    """Refuse a log that an outside ledger does not bear out.

    Its payments must be there, those of a run with a name under their keys, if the ledger has
    these. What the run was told of accounts is believed.

    Raises
    ------
    InvalidInputError
        For what the ledger does not have.

    Notes
    -----
    O(entries of the ledger).
    """
    ledger, name = outside
    said: Counter[Any] = Counter()
    own: set[int] = set()
    places = ledger.places() if name else {}
    for entry in log:
        if not isinstance(entry.request, Pay):
            continue
        key = payment_key(name, entry.step, entry.key)
        wanted = [] if entry.value is not None else [_payment(t) for t in entry.request.transfers]
        if key in places:
            made = [_payment(each) for each in ledger.paid(key)]
            if made != wanted:
                problem = f"has other payments of step {entry.step} of {name}"
                raise InvalidInputError("ledger", key, problem, "give the ledger that was paid")
            own.update(places[key])
        else:
            said.update(wanted)
    if said:
        paid = Counter(_payment(e) for e in ledger.entries if e.number not in own)
        for (payer, payee, amount, _), count in (said - paid).items():
            problem = f"has {count} payment{'s' if count > 1 else ''} too few of {payer} to {payee}"
            raise InvalidInputError("ledger", amount, problem, "give the ledger that was paid")


def _payment(each: Any) -> tuple[str, str, Fraction, str]:
    return each.payer, each.payee, Fraction(each.amount), each.memo
