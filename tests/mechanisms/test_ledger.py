"""The ledger: nothing appears, nothing vanishes, and it can tell."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import inf, nextafter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.ledger import Account, ConservationError, Entry, Ledger, OverdraftError
from mechanisms.ledger_store import Batch
from theory.errors import ExactnessError, InvalidInputError, NumberError, UnknownNameError

F = Fraction


def ledger() -> Ledger:
    return Ledger({"ann": 5, "bob": "1/2", "pool": 0}, {"bob": "1/4", "pool": None})


def state(book: Ledger) -> Any:
    return [book.balance(name) for name in book.accounts], book.entries


# --- moving money


def test_a_transfer_by_hand() -> None:
    book = ledger()
    entry = book.transfer("ann", "bob", "3/2", "tea")
    assert entry == Entry(1, "ann", "bob", F(3, 2), "tea")
    assert str(entry) == "1. ann pays bob 3/2 for tea"
    assert book.transfer("bob", "ann", Decimal("0.25")) == Entry(2, "bob", "ann", F(1, 4), "")
    assert [book.balance(name) for name in book.accounts] == [F(15, 4), F(7, 4), 0]
    assert [entry.number for entry in book.entries] == [1, 2]


def test_nothing_may_be_paid_and_everything() -> None:
    book = ledger()
    book.transfer("ann", "bob", 0)
    book.transfer("ann", "bob", 5)
    assert book.balance("ann") == 0
    assert len(book.entries) == 2


def test_floors() -> None:
    book = ledger()
    assert [book.available(name) for name in book.accounts] == [5, F(1, 4), None]
    book.transfer("pool", "ann", 100)
    assert book.balance("pool") == -100
    book.transfer("bob", "ann", "1/4")
    with pytest.raises(OverdraftError, match="it has 1/4 and must keep 1/4"):
        book.transfer("bob", "ann", "1/1000")


def test_an_overdraft_names_everything() -> None:
    book = ledger()
    with pytest.raises(OverdraftError) as caught:
        book.transfer("ann", "bob", 6, "a house")
    error = caught.value
    assert (error.account, error.balance, error.floor) == ("ann", 5, 0)
    assert (error.amount, error.memo) == (6, "a house")
    assert str(error) == "amount is more than ann can pay for a house (got '6'): it has 5"


def test_amounts_are_required_together() -> None:
    book = ledger()
    book.require("ann", [3, 2])
    book.require("ann", [])
    book.require("pool", [10**9])
    with pytest.raises(OverdraftError, match="more than ann can pay for two things"):
        book.require("ann", [3, "2.01"], "two things")
    with pytest.raises(InvalidInputError, match="is negative"):
        book.require("ann", [7, -3])
    assert state(book) == state(ledger())


BAD: list[tuple[tuple[Any, ...], type[Exception], str]] = [
    (("ann", "bob", -1), InvalidInputError, "amount is negative"),
    (("ann", "bob", 0.5), ExactnessError, "is a float where an exact number is needed"),
    (("ann", "bob", float("nan")), NumberError, "is a float"),
    (("ann", "bob", float("inf")), NumberError, "is a float"),
    (("ann", "bob", "inf"), NumberError, "is not a number as we read them"),
    (("ann", "bob", Decimal("nan")), NumberError, "is not a number as we read them"),
    (("ann", "bob", True), NumberError, "is not a number"),
    (("ann", "bob", None), NumberError, "is not a number"),
    (
        ("ann", "bod", 1),
        UnknownNameError,
        r"payee is not an account \(got 'bod'\): did you .*'bob'",
    ),
    (
        ("and", "bob", 1),
        UnknownNameError,
        r"payer is not an account \(got 'and'\): did you .*'ann'",
    ),
    (("ann", "ann", 1), InvalidInputError, "payee is the payer too"),
    (("ann", "bob", "5.01"), OverdraftError, "is more than ann can pay"),
]


@pytest.mark.parametrize(("arguments", "kind", "message"), BAD, ids=lambda each: repr(each)[:40])
def test_a_transfer_that_cannot_be_leaves_the_ledger_as_it_was(
    arguments: Any, kind: type[Exception], message: str
) -> None:
    book = ledger()
    book.transfer("ann", "bob", 1)
    before = state(book)
    with pytest.raises(kind, match=message):
        book.transfer(*arguments)
    assert state(book) == before
    book.audit()


@pytest.mark.parametrize(
    ("balances", "floors", "kind", "message"),
    [
        ({"a": 1, "b": float("nan")}, {}, NumberError, "balance of b is not finite"),
        ({"a": float("inf")}, {}, NumberError, "balance of a is not finite"),
        ({"a": "1/3", "b": 0.5}, {}, ExactnessError, "balance of a stands beside floats"),
        ({"a": 2**53 + 1, "b": 0.5}, {}, ExactnessError, "balance of a stands beside floats"),
        ({"a": 1}, {"a": 0.5}, ExactnessError, "floor of a is a float"),
        ({"a": -1}, {}, InvalidInputError, "balance of a is below its floor, 0"),
        ({"a": 1}, {"a": 2}, InvalidInputError, "balance of a is below its floor, 2"),
        ({"a": 1}, {"b": 0}, UnknownNameError, "floors is not an account"),
        ({"": 1}, {}, InvalidInputError, "accounts is no name"),
    ],
)
def test_a_ledger_that_cannot_be(
    balances: Any, floors: Any, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        Ledger(balances, floors)


def test_who_asks_for_an_account_that_is_not_there() -> None:
    book = ledger()
    for ask in (book.balance, book.available, book.statement().account):
        with pytest.raises(UnknownNameError, match="did you mean 'pool'"):
            ask("poll")


# --- floats


def test_floats_are_added_without_rounding() -> None:
    book = Ledger({"ann": 1.0, "bob": 0}, {"ann": None})
    for _ in range(10):
        book.transfer("ann", "bob", 0.1)
    assert isinstance(book.balance("bob"), float)
    assert book.balance("bob") == float(10 * F(0.1)) != sum([0.1] * 10)
    book.audit()


@pytest.mark.parametrize("amount", [float("nan"), float("inf"), "1/3", F(1, 3), -0.5])
def test_amounts_among_floats_that_cannot_be(amount: Any) -> None:
    book = Ledger({"ann": 1.5, "bob": 0})
    with pytest.raises(InvalidInputError, match=r"not finite|beside floats|negative"):
        book.transfer("ann", "bob", amount)
    assert state(book) == ([1.5, 0.0], ())


finite = st.floats(0, 1e6, allow_subnormal=False)


@given(st.lists(finite, min_size=1, max_size=6), finite)
def test_what_is_shown_can_be_paid_and_no_more(received: list[float], least: float) -> None:
    book = Ledger({"ann": 2e7, "bob": least}, {"bob": least})
    for amount in received:
        book.transfer("ann", "bob", amount)
    available: Any = book.available("bob")
    with pytest.raises(OverdraftError) as caught:
        book.transfer("bob", "ann", nextafter(available, inf))
    assert caught.value.amount > available
    book.transfer("bob", "ann", available)
    assert book.balance("bob") >= least
    book.transfer("ann", "bob", book.balance("ann"))
    assert book.balance("ann") >= 0


def test_the_whole_balance_can_be_paid_back() -> None:
    """0.1 + 0.2 is just below the float that it rounds to."""
    book = Ledger({"a": 0.1, "b": 0.2})
    book.transfer("a", "b", 0.1)
    assert book.balance("b") == book.available("b") == 0.3
    with pytest.raises(OverdraftError, match=r"\(got 0.30000000000000004\): it has 0.3$"):
        book.require("b", [0.1, 0.2, 1e-17])
    assert book.transfer("b", "a", book.balance("b")).amount == 0.3


def test_an_overdraft_of_floats_shows_more_than_there_is() -> None:
    book = Ledger({"a": 1.26, "b": 0.0})
    with pytest.raises(OverdraftError, match=r"\(got 1.2600000000000002\): it has 1.26$"):
        book.require("a", [0.13, 0.8, 0.33])


@pytest.mark.parametrize("value", [1.7e308, 2.0**961, -(2.0**961)])
def test_floats_whose_sums_may_be_no_floats(value: float) -> None:
    with pytest.raises(NumberError, match=r"balance of b is so large .*give at most 2\^960"):
        Ledger({"a": 0.0, "b": value}, {"b": None})
    book = Ledger({"a": 0.0, "b": 2.0**960}, {"a": None})
    with pytest.raises(NumberError, match="amount is so large"):
        book.transfer("a", "b", value)
    for _ in range(3):
        book.transfer("a", "b", 2.0**960)
    assert state(book)[0] == [-3 * 2.0**960, 4 * 2.0**960]
    assert "e+289" in str(book)


def test_an_exact_ledger_holds_fractions() -> None:
    book = ledger()
    book.transfer("ann", "bob", 1)
    numbers = [book.entries[0].amount, *map(book.balance, book.accounts)]
    assert all(isinstance(number, Fraction) for number in numbers)


# --- conservation


def test_a_balance_that_was_tampered_with_is_seen_at_the_next_payment() -> None:
    for name in ("ann", "bob", "pool"):
        book = ledger()
        book._balances[name] += 1
        with pytest.raises(ConservationError, match=f"{name} has .*, but by the log of payments"):
            book.transfer("ann", "pool", 1)
        with pytest.raises(ConservationError):
            book.audit()


def test_a_log_that_was_tampered_with_is_seen_by_the_audit() -> None:
    book = ledger()
    book.transfer("ann", "bob", 1)
    log: Any = book._store
    log._batches[0] = Batch((Entry(1, "ann", "bob", F(2), ""),))
    with pytest.raises(ConservationError, match="ann has 4, but by the log of payments it has 3"):
        book.audit()
    with pytest.raises(ConservationError):
        book.statement()


def test_money_moved_from_one_balance_to_another_is_seen() -> None:
    book = ledger()
    book._balances["ann"] -= 1
    book._balances["bob"] += 1
    with pytest.raises(ConservationError):
        book.audit()


class DoubleCredit(dict[str, Fraction]):
    """Balances to which everything is added twice."""

    def __setitem__(self, name: str, balance: Fraction) -> None:
        more = balance - self[name]
        super().__setitem__(name, balance + max(more, F(0)))


def test_a_ledger_that_credits_twice_is_seen_at_once() -> None:
    book = ledger()
    book._balances = DoubleCredit(book._balances)
    with pytest.raises(ConservationError, match="bob has 5/2, but by the log of payments it has 3"):
        book.transfer("ann", "bob", 1)


payments = st.lists(
    st.tuples(
        st.sampled_from(["ann", "bob", "pool"]),
        st.sampled_from(["ann", "bob", "pool"]),
        st.fractions(-1, 4, max_denominator=6),
    ),
    max_size=30,
)


@given(payments)
def test_any_payments_conserve_credits_and_keep_floors(asked: Any) -> None:
    book = ledger()
    plain = {"ann": F(5), "bob": F(1, 2), "pool": F(0)}
    for payer, payee, amount in asked:
        try:
            book.transfer(payer, payee, amount)
        except InvalidInputError:
            least = {"ann": F(0), "bob": F(1, 4)}.get(payer)
            short = least is not None and plain[payer] - amount < least
            assert payer == payee or amount < 0 or short
        else:
            plain[payer] -= amount
            plain[payee] += amount
    assert {name: book.balance(name) for name in book.accounts} == plain
    assert sum(plain.values()) == F(11, 2)
    assert plain["ann"] >= 0
    assert plain["bob"] >= F(1, 4)


# --- what it shows


def test_a_statement_of_the_last_payments() -> None:
    book = ledger()
    book.transfer("ann", "bob", 1, "tea")
    book.transfer("bob", "pool", 1, "milk")
    whole, last = book.statement(), book.statement(since=1)
    assert [entry.memo for entry in whole.entries] == ["tea", "milk"]
    assert [entry.memo for entry in last.entries] == ["milk"]
    assert whole.account("bob") == Account("bob", F(1, 2), F(1, 2), F(1, 4))
    assert last.account("bob") == Account("bob", F(3, 2), F(1, 2), F(1, 4))
    assert last.account("bob").change == -1
    assert last.account("pool").floor is None


@pytest.mark.parametrize("since", [-1, 2, True])
def test_a_statement_since_an_entry_that_there_is_not(since: int) -> None:
    book = ledger()
    book.transfer("ann", "bob", 1)
    assert book.statement(1).entries == ()
    with pytest.raises(InvalidInputError, match=r"since is .*: give an integer from 0 to 1"):
        book.statement(since)


def test_it_reads_as_a_statement() -> None:
    book = ledger()
    assert "Payments" not in str(book)
    book.transfer("ann", "bob", 1, "tea & milk")
    assert str(book).splitlines() == [
        "Payments",
        "   from  to   amount  for",
        "─  ────  ───  ──────  ──────────",
        "1  ann   bob  1       tea & milk",
        "",
        "Accounts",
        "account  opening  closing",
        "───────  ───────  ───────",
        "ann      5        4",
        "bob      1/2      3/2",
        "pool     0        0",
    ]
    assert "<td>tea &amp; milk</td>" in book._repr_html_()
    assert "Payments" not in ledger()._repr_html_()
