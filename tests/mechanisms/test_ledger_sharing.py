"""What a ledger and its mechanisms hand out is nobody's way in, and threads may share a ledger."""

from __future__ import annotations

import copy
import pickle
import sys
import threading
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from mechanisms.inspection import inspect_recursively
from mechanisms.ledger import Ledger, OverdraftError
from mechanisms.marginal_value import run_marginal_value
from mechanisms.protocols import Offer, Question, Viewing
from theory.decision import DecisionProblem
from theory.errors import InvalidInputError, NumberError
from theory.numbers import Exact, rational
from theory.probability import ProbabilitySpace

F = Fraction


def spoil(number: Any) -> None:
    """Make another number of a fraction, in its place."""
    if type(number) is F:
        hacked: Any = number
        hacked._numerator, hacked._denominator = 10**6 + 7, 1


def spoil_all(thing: Any, depth: int = 0) -> None:
    """Spoil every fraction in a thing, and rewrite its frozen fields."""
    if depth > 6 or isinstance(thing, str):
        return
    spoil(thing)
    if isinstance(thing, dict):
        parts: list[Any] = [*thing.keys(), *thing.values()]
    elif isinstance(thing, list | tuple):
        parts = list(thing)
    else:
        parts = list(getattr(thing, "__dict__", {}).values())
    for part in parts:
        spoil_all(part, depth + 1)
    for name in ("amount", "memo", "informant"):
        if name in getattr(thing, "__dict__", {}):
            object.__setattr__(thing, name, "spoiled")


def books(ledger: Ledger) -> tuple[Any, ...]:
    ledger.audit()
    return tuple((name, str(ledger.balance(name))) for name in ledger.accounts), str(ledger)


def shared() -> Ledger:
    return Ledger({"ann": 10, "bob": "1/3", "cy": F(2, 7)}, {"cy": F(-5)})


# --- what is handed out


@pytest.mark.parametrize("account", ["ann", "bob", "cy"])
def test_spoiling_what_a_ledger_hands_out_changes_nothing(account: str) -> None:
    ledger = shared()
    ledger.transfer("ann", "bob", F(5, 2), "a")
    ledger.transfer("bob", "cy", F(1, 4), "b")
    ledger.transfer("cy", "ann", F(3, 8), "c")
    before = books(ledger)
    paid = ledger.transfer("ann", account if account != "ann" else "bob", 0)
    before = books(ledger)
    given: list[Any] = [
        ledger.balance(account),
        ledger.available(account),
        ledger.entries,
        ledger.statement(),
        ledger.statement(2),
        ledger.amount(F(1, 2)),
        paid,
    ]
    for each in given:
        spoil_all(each)
    assert books(ledger) == before
    with pytest.raises(OverdraftError) as caught:
        ledger.transfer(account, "bob" if account != "bob" else "ann", 10**5)
    spoil_all(vars(caught.value))
    assert books(ledger) == before


@pytest.mark.parametrize("account", ["ann", "bob", "cy"])
def test_spoiling_what_a_ledger_was_given_changes_nothing(account: str) -> None:
    opening, floor, amount = F(7, 2), F(-1, 9), F(3, 4)
    ledger = Ledger({"ann": 10, "bob": 11, "cy": 12} | {account: opening}, {account: floor})
    other = "bob" if account == "ann" else "ann"
    ledger.transfer(other, account, amount)
    ledger.transfer(account, other, amount)
    before = books(ledger)
    for number in (opening, floor, amount):
        spoil(number)
    assert books(ledger) == before
    assert ledger.available(account) == F(7, 2) + F(1, 9)


class Lying(F):
    """Less than everything, and another number each time it is asked."""

    asked = 0

    @property
    def numerator(self) -> int:
        type(self).asked += 1
        return 1 if type(self).asked % 2 else 1000

    @property
    def denominator(self) -> int:
        return 1

    def __lt__(self, other: object) -> bool:
        return True

    def __gt__(self, other: object) -> bool:
        return False

    def __rsub__(self, other: object) -> Any:
        return 10**9

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class LyingInteger(int):
    def __lt__(self, other: object) -> bool:
        return False

    def __radd__(self, other: object) -> Any:
        return F(0)

    __add__ = __radd__


def test_numbers_of_other_kinds_are_made_plain_at_the_door() -> None:
    ledger = Ledger({"ann": LyingInteger(3), "bob": np.int64(2), "cy": Lying(4)})
    with pytest.raises(OverdraftError):
        ledger.transfer("ann", "bob", LyingInteger(50))
    ledger.transfer("ann", "bob", np.int32(1))
    Lying.asked = 0
    ledger.transfer("bob", "cy", Lying(1))
    for name in ledger.accounts:
        assert type(ledger.balance(name)) is F
    assert all(type(entry.amount) is F for entry in ledger.entries)
    assert sum(entry.amount for entry in ledger.entries) == 2
    ledger.audit()
    with pytest.raises(NumberError, match="is not a number"):
        ledger.transfer("ann", "bob", True)


def test_a_fraction_that_was_taken_apart_is_refused_by_name() -> None:
    for top, bottom in (("1", 1), (1, 0), (1.5, 1), (None, 1)):
        broken: Any = F(1)
        broken._numerator, broken._denominator = top, bottom
        with pytest.raises(NumberError, match=r"amount .*numerator"):
            shared().transfer("ann", "bob", broken)


def test_a_subclass_of_fraction_is_read_as_a_plain_one() -> None:
    assert type(rational(Lying(2))) is F
    assert type(rational(LyingInteger(2))) is F


def test_numbers_of_exact_arrays_are_not_shared() -> None:
    for place in range(3):
        spoil(Exact.of(["1/2", "1/3", "1/5"]).scalars()[place])
        spoil(Exact.of(["1/2", "1/3", "1/5"])[place].item())
    assert Exact.of(["1/2", "1/3", "1/5"]).scalars() == [F(1, 2), F(1, 3), F(1, 5)]
    space = ProbabilitySpace.of({"a": "1/2", "b": "1/2"})
    decision = DecisionProblem.of(space, {"x": [1, 0], "y": [0, 3]})
    spoil(decision.prior_choice().expected_utility)
    assert decision.prior_choice().expected_utility == F(3, 2)


# --- mechanisms


class Spoiler:
    """Buys everything, and spoils all that it is shown, at every level."""

    name = "buyer"

    def choose(self, viewing: Viewing) -> list[str]:
        names = [offer.name for offer in viewing.choice]
        read = [each.read() for level in viewing.offers for each in level]
        for thing in (viewing.offers, viewing.bought, viewing.budget, viewing.question, read):
            spoil_all(thing)
        return names

    def decide(self, question: str, bought: tuple[Any, ...]) -> object:
        spoil_all(bought)
        return "done"


class Stall:
    """Offers one thing a level; it keeps its prices, and spoils what it is told."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.prices = [F(1, 2), F(1, 3), F(1, 5)]

    def offers(self, question: Question) -> Iterator[Offer]:
        spoil_all(question)
        for price in self.prices[: question.level - 1]:
            spoil(price)
        price = self.prices[question.level - 1]
        yield Offer(f"{self.name}{question.level}", (F(1, 7), [F(2, 7)]), price)


def test_spoiling_all_that_a_market_shows_pays_no_other_price() -> None:
    ledger = Ledger({"buyer": 5, "n": 0, "m": 0})
    record = inspect_recursively("?", Spoiler(), [Stall("n"), Stall("m")], ledger, depth=3)
    ledger.audit()
    paid = 2 * (F(1, 2) + F(1, 3) + F(1, 5))
    assert ledger.balance("buyer") == 5 - paid
    assert ledger.balance("n") == ledger.balance("m") == paid / 2
    assert record.spending == paid
    assert [offer.price for level in record.levels for offer in level.offers] == [
        F(1, k) for k in (2, 2, 3, 3, 5, 5)
    ]
    spoil_all(record)
    assert ledger.balance("buyer") == 5 - paid
    ledger.audit()


class Rememberer:
    """Writes what it reads into the price and the content, and decides by what is left there."""

    name = "buyer"

    def __init__(self) -> None:
        self.mark = F(1)

    def choose(self, viewing: Viewing) -> list[str]:
        hacked: Any
        for level in viewing.offers:
            for each in level:
                for hacked in (each.price, each.read(), self.mark):
                    hacked._numerator = 99
        return [offer.name for offer in viewing.choice] if viewing.question.level == 2 else []

    def decide(self, question: str, bought: tuple[Any, ...]) -> object:
        return [self.mark, *(x for each in bought for x in (each.price, each.content))]


class Fixed:
    name = "n"

    def offers(self, question: Question) -> list[Offer]:
        return [Offer(f"good {question.level}", F(1, 7), F(1, 2))]


def test_no_number_carries_what_was_read_past_the_choice() -> None:
    record = inspect_recursively(
        "?", Rememberer(), [Fixed()], Ledger({"buyer": 5, "n": 0}), depth=2
    )
    assert record.decision == [F(1), F(1, 2), F(1, 7)]


class Teller:
    """Reveals its own, and spoils what it is told before."""

    def __init__(self, item: str) -> None:
        self.item = item

    def reveal(self, history: Any) -> list[str]:
        spoil_all(history)
        return [] if self.item in history.revealed else [self.item]


class Reader:
    def utilities(self, revealed: Any) -> dict[Any, Any]:
        worth = sum(revealed.values(), F(0))
        spoil_all(revealed)
        return {F(0): F(1, 3), F(1): worth}


def test_spoiling_what_informants_and_judge_are_shown_changes_no_reward() -> None:
    ledger = Ledger(
        dict.fromkeys(("pool", "a", "b", "c"), 0), dict.fromkeys("abc") | {"pool": None}
    )
    items = {"x": F(1, 2), "y": F(1, 4), "z": F(1, 8)}
    prices = {"x": F(1, 9), "y": F(1, 10), "z": F(1, 11)}
    tellers = {name: Teller(item) for name, item in zip("abc", "xyz", strict=True)}
    record = run_marginal_value(Reader(), tellers, items, prices, ledger=ledger)
    ledger.audit()
    assert record.prices == (F(1, 9), F(1, 10), F(1, 11))
    assert record.actions == (F(0), F(1), F(1), F(1))
    assert record.rewards == (F(7, 8) - F(1, 3) - F(1, 9), -F(1, 10), -F(1, 11))
    assert [move.informant for move in record.moves] == ["a", "b", "c"]
    spoil_all(record)
    ledger.audit()
    assert ledger.balance("c") == -F(1, 11)
    assert prices["z"] == F(1, 11)


class Choosing:
    """A judge whose actions are tuples that hold a number."""

    actions = tuple((F(k),) for k in (1, 2, 3))

    def utilities(self, revealed: Any) -> dict[tuple[F, ...], int]:
        return dict(zip(self.actions, (5, 6, 0) if revealed else (5, 4, 0), strict=True))


class Bending:
    """An informant that changes a number inside an action that it is shown."""

    def __init__(self, at: int) -> None:
        self.at = at

    def reveal(self, history: Any) -> list[str]:
        if len(history.moves) == self.at:
            history.actions[-1][0]._numerator = 3  # the action that is worth least
        return [name for name in history.held if name not in history.revealed][:1]


@pytest.mark.parametrize("at", [0, 1])
def test_what_stands_inside_an_action_is_not_shared_either(at: int) -> None:
    def rewards(informant: Any) -> tuple[Any, ...]:
        return run_marginal_value(
            Choosing(),
            {"Ann": informant},
            {"claim": "x", "more": "y"},
            prices={"claim": 0, "more": 0},
        ).rewards

    assert rewards(Bending(at)) == rewards(Bending(9))


# --- long numbers


def test_long_amounts_are_refused_and_long_balances_are_shown() -> None:
    ledger = shared()
    for amount in (10**4500, F(1, 10**4500), LyingInteger(10**4500)):
        with pytest.raises(NumberError, match="amount has more than 4000 digits"):
            ledger.transfer("ann", "bob", amount)
        with pytest.raises(NumberError, match="balance of x has more than 4000 digits"):
            Ledger({"x": amount})
    for k, account in enumerate(("bob", "cy"), 1):
        ledger.transfer("ann", account, F(1, 3**8000 + k))
        ledger.transfer("ann", account, F(1, 7**4500 + k))
    ledger.audit()
    assert "about 10" in str(ledger)
    assert "about 0.3333" in str(ledger)
    with pytest.raises(OverdraftError, match="about 10"):
        ledger.transfer("ann", "bob", 100)
    assert sys.get_int_max_str_digits() == 4300


# --- threads


def test_threads_may_share_a_ledger() -> None:
    names = [f"t{k}" for k in range(6)]
    ledger = Ledger(dict.fromkeys(names, 100))
    faults: list[BaseException] = []
    start = threading.Barrier(7)

    def pay(k: int) -> None:
        start.wait()
        try:
            for n in range(60):
                other = names[(k + 1 + n % 5) % 6]
                ledger.transfer(names[k], other, F(1, n % 4 + 1))
        except BaseException as error:
            faults.append(error)

    def look() -> None:
        start.wait()
        try:
            for _ in range(25):
                found = ledger.statement()
                assert sum(account.closing for account in found.accounts) == 600
                later = ledger.statement(len(found.entries) // 2)
                assert sum(account.change for account in later.accounts) == 0
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=pay, args=(k,)) for k in range(6)]
    threads.append(threading.Thread(target=look))
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not faults
    ledger.audit()
    assert [entry.number for entry in ledger.entries] == list(range(1, 361))
    assert sum(F(ledger.balance(name)) for name in names) == 600


def test_a_copy_of_a_ledger_has_a_lock_of_its_own() -> None:
    ledger = shared()
    ledger.transfer("ann", "bob", 1)
    with ledger.alone():
        for other in (copy.deepcopy(ledger), copy.copy(ledger), pickle.loads(pickle.dumps(ledger))):
            assert books(other) == books(ledger)
            done = threading.Thread(target=other.transfer, args=("ann", "bob", 2))
            done.start()
            done.join(5)
            assert not done.is_alive()
            assert other.balance("ann") == 7
    assert ledger.balance("ann") == 9


def test_the_ledger_is_kept_from_others_while_it_is_held() -> None:
    ledger = Ledger({"ann": 1, "bob": 0})
    with ledger.alone():
        ledger.require("ann", [1])
        thief = threading.Thread(target=lambda: ledger.transfer("ann", "bob", 1))
        thief.start()
        thief.join(0.05)
        assert ledger.balance("ann") == 1
        ledger.transfer("ann", "bob", F(1, 2))
        ledger.transfer("bob", "ann", F(1, 2))
    thief.join(5)
    assert ledger.balance("bob") == 1


def test_names_are_made_plain_too() -> None:
    class Name(str):
        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return hash("ann")

    ledger = Ledger({Name("ann"): 1, "bob": 0})
    assert all(type(name) is str for name in ledger.accounts)
    with pytest.raises(InvalidInputError, match="the payer too"):
        ledger.transfer("bob", Name("bob"), 0)
    assert type(ledger.transfer("ann", "bob", 1, Name("memo")).memo) is str
