"""The log of a ledger: keys, heads, and several ledgers on one log."""

from __future__ import annotations

import json
from copy import copy, deepcopy
from fractions import Fraction
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.ledger import ConservationError, Entry, Ledger, OverdraftError
from mechanisms.ledger_store import (
    Batch,
    EntryStore,
    KeyReuseError,
    MemoryStore,
    StaleBatchError,
    StoreError,
    entry_from_json,
    entry_to_json,
    head_of,
)
from theory.errors import InvalidInputError, UnknownNameError

F = Fraction


def ledger(store: EntryStore | None = None) -> Ledger:
    return Ledger({"ann": 5, "bob": "1/2", "pool": 0}, {"pool": None}, store)


# --- keys


def test_the_same_under_one_key_is_paid_once() -> None:
    book = ledger()
    first = book.transfer("ann", "bob", 2, "rent", key="order 1")
    book.transfer("bob", "ann", 1)
    head = book.head
    for _ in range(3):
        assert book.transfer("ann", "bob", "2", "rent", key="order 1") == first
    assert len(book.entries) == 2
    assert book.head == head
    assert book.balance("ann") == 4
    assert book.paid("order 1") == (first,)
    assert book.paid("order") == book.paid("") == ()


def test_what_could_not_be_paid_again_is_not_paid_again() -> None:
    """Whoever repeats a payment is not told that there is no money for it."""
    book = ledger()
    first = book.transfer("ann", "bob", 5, key="all")
    assert book.balance("ann") == 0
    assert book.transfer("ann", "bob", 5, key="all") == first
    with pytest.raises(OverdraftError):
        book.transfer("ann", "bob", 5, key="all again")


@pytest.mark.parametrize(
    "other",
    [
        [("ann", "bob", 1, "a"), ("ann", "pool", 3, "b")],
        [("ann", "bob", 2, "a"), ("ann", "pool", 2, "b")],
        [("ann", "pool", 2, "b"), ("ann", "bob", 1, "a")],
        [("ann", "bob", 1, "a"), ("ann", "pool", 2, "c")],
        [("ann", "bob", 1, "a")],
        [("ann", "bob", 1, "a"), ("ann", "pool", 2, "b"), ("ann", "bob", 0, "")],
        [],
    ],
)
def test_other_payments_under_one_key_are_refused_by_name(other: Any) -> None:
    book = ledger()
    made = book.pay([("ann", "bob", 1, "a"), ("ann", "pool", 2, "b")], key="order 1")
    with pytest.raises(KeyReuseError, match=r"has other payments under the key 'order 1' .1\. ann"):
        book.pay(other, key="order 1")
    assert book.entries == made
    assert book.pay([("ann", "bob", 1, "a"), ("ann", "pool", 2, "b")], key="order 1") == made


def test_payments_are_made_together_or_not_at_all() -> None:
    book = ledger()
    pairs: list[Any] = [("ann", "bob", 3), ("bob", "pool", "1/2"), ("ann", "pool", 2)]
    for k in range(3):
        wrong = [*pairs[:k], ("ann", "bob", 5), *pairs[k:]]
        with pytest.raises(OverdraftError, match=r"amount is more than ann can pay .got '10'"):
            book.pay(wrong, key="x")
        with pytest.raises(UnknownNameError):
            book.pay([*pairs[:k], ("ann", "eve", 0), *pairs[k:]], key="x")
    assert (book.entries, book.balance("ann")) == ((), 5)
    assert [entry.number for entry in book.pay(pairs, key="x")] == [1, 2, 3]
    with pytest.raises(OverdraftError, match="bob can pay"):  # not from what it gets here
        book.pay([("pool", "bob", 10), ("bob", "ann", 9)])
    assert book.pay([]) == book.pay([], key="nothing") == ()


@pytest.mark.parametrize(
    ("payments", "problem"),
    [
        ([("ann", "bob")], "payment has 2 parts"),
        ([("ann", "bob", 1, "", "")], "payment has 5 parts"),
    ],
)
def test_what_is_no_list_of_payments(payments: Any, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        ledger().pay(payments)


# --- the head


def test_the_head_is_that_of_the_definition() -> None:
    """SHA-256 of the hash before and the entry as JSON, computed here from what is written."""
    book = Ledger({"ann": F(7, 2), "bob": 0}, {"ann": None})
    opening = '{"accounts":{"ann":["7/2",null],"bob":["0","0"]},"floats":false}'
    due = sha256(opening.encode()).hexdigest()
    assert book.head == due
    book.transfer("ann", "bob", "1/3", "ü")
    due = sha256((due + '[1,"ann","bob","1/3","\\u00fc","",0]').encode()).hexdigest()
    assert book.head == due
    book.pay([("ann", "bob", 1), ("ann", "bob", 2, "b")], key="k")
    due = sha256((due + '[2,"ann","bob","1","","k",1]').encode()).hexdigest()
    due = sha256((due + '[3,"ann","bob","2","b","k",0]').encode()).hexdigest()
    assert book.head == due
    floats = Ledger({"ann": 0.5})
    assert floats.head == sha256(b'{"accounts":{"ann":[0.5,0.0]},"floats":true}').hexdigest()


def test_accounts_in_another_order_are_the_same_opening() -> None:
    store = MemoryStore()
    Ledger({"ann": 1, "bob": 2}, store=store)
    Ledger({"bob": 2, "ann": 1}, store=store)
    for other in ({"ann": 1}, {"ann": 1, "bob": 3}, {"ann": 1.0, "bob": 2.0}):
        with pytest.raises(StoreError, match="begins with other accounts, balances or floors"):
            Ledger(other, store=store)
    with pytest.raises(StoreError, match="begins with other accounts"):
        Ledger({"ann": 1, "bob": 2}, {"ann": None}, store=store)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["ann", "bob"]),
            st.fractions(0, 2, max_denominator=9),
            st.text(max_size=3),
            st.sampled_from(["", "", "k", "l"]),
        ),
        max_size=8,
    ),
    st.integers(0, 7),
    st.integers(0, 3),
)
def test_no_two_logs_have_one_head(made: list[Any], place: int, part: int) -> None:
    def log(rows: list[Any]) -> list[Batch]:
        return [
            Batch((Entry(n, payer, "pool", amount, memo),), key)
            for n, (payer, amount, memo, key) in enumerate(rows, 1)
        ]

    assert head_of("", log(made)) == head_of("", log(list(made)))
    assert head_of("", log(made)) != head_of("x", log(made))
    if place < len(made):
        row = list(made[place])
        row[part] = ("eve", row[1] + 1, row[2] + " ", row[3] + "m")[part]
        changed = [*made[:place], tuple(row), *made[place + 1 :]]
        assert head_of("", log(changed)) != head_of("", log(made))
        assert head_of("", log(made[:-1])) != head_of("", log(made))


def test_how_entries_are_put_together_is_part_of_the_head() -> None:
    one, two = Entry(1, "a", "b", F(1), ""), Entry(2, "a", "b", F(1), "")
    together, apart = [Batch((one, two))], [Batch((one,)), Batch((two,))]
    assert head_of("", together) != head_of("", apart)
    assert head_of("", [Batch((one,), "k")]) != head_of("", [Batch((one,))])


@pytest.mark.parametrize("amount", [F(0), F(-7, 3), F(10**3000, 7), F(1, 10**650), 0.1, 5e-324])
def test_entries_are_written_and_read(amount: Any) -> None:
    entry = Entry(7, "a\ud800", "b", amount, "\n")
    again = entry_from_json(json.loads(json.dumps(entry_to_json(entry))))
    assert again == entry
    assert type(again.amount) is type(amount)


@pytest.mark.parametrize(
    "written",
    [
        [],
        [1, "a", "b", "1"],
        [1, "a", "b", 1, ""],
        ["1", "a", "b", "1", ""],
        [True, "a", "b", "1", ""],
        [1, "a", "b", hex(16**3_400), ""],
        [1, "a", "b", f"1/{16**3_400:#x}", ""],
    ],
)
def test_what_is_no_entry(written: Any) -> None:
    with pytest.raises((ValueError, TypeError, AttributeError)):
        entry_from_json(written)


# --- several ledgers on one log


def test_ledgers_on_one_log_see_each_other() -> None:
    store = MemoryStore()
    first, second = ledger(store), ledger(store)
    first.transfer("ann", "bob", 2)
    assert second.balance("ann") == second.available("ann") == 3
    second.pay([("ann", "pool", 1), ("ann", "pool", 1)], key="x")
    first.require("ann", [1])
    with pytest.raises(OverdraftError, match="it has 1"):
        first.transfer("ann", "bob", 2)
    with pytest.raises(OverdraftError):
        second.require("ann", [1, "1/2"])
    assert str(first) == str(second)
    assert first.head == second.head
    assert first.paid("x") == second.paid("x")
    assert first.statement(1).entries == second.entries[1:]
    third = ledger(store)
    assert third.entries == first.entries
    third.audit()


def test_what_another_has_paid_meanwhile_is_not_paid_twice() -> None:
    """Another ledger is faster, between looking and writing: the payment is tried again."""

    class Overtaken(MemoryStore):
        overtake: Any = None

        def append(self, batch: Batch) -> Batch:
            if self.overtake:
                pay, self.overtake = self.overtake, None
                pay()
            return super().append(batch)

    store = Overtaken()
    slow, fast = ledger(store), ledger(store)
    store.overtake = lambda: fast.transfer("ann", "pool", 1)
    assert slow.transfer("ann", "bob", 1).number == 2
    store.overtake = lambda: fast.transfer("ann", "pool", 2)
    with pytest.raises(OverdraftError, match="it has 1"):
        slow.transfer("ann", "bob", 2)
    store.overtake = lambda: fast.transfer("ann", "bob", 1, "x", key="k")
    assert slow.transfer("ann", "bob", 1, "x", key="k").number == 4
    assert [entry.amount for entry in slow.entries] == [1, 1, 2, 1]
    assert slow.balance("ann") == fast.balance("ann") == 0


def test_a_store_that_says_stale_without_end_is_not_tried_without_end() -> None:
    class Stubborn(MemoryStore):
        def append(self, batch: Batch) -> Batch:
            raise StaleBatchError("the store", "is stale", "give up")

    with pytest.raises(StaleBatchError):
        ledger(Stubborn()).transfer("ann", "bob", 1)


def test_a_payment_that_the_store_refuses_moves_nothing() -> None:
    class Full(MemoryStore):
        def append(self, batch: Batch) -> Batch:
            raise StoreError("the store", "is full", "make room")

    book = ledger(Full())
    with pytest.raises(StoreError, match="the store is full: make room"):
        book.transfer("ann", "bob", 1)
    assert (book.balance("ann"), book.entries) == (5, ())
    book.audit()


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (Entry(3, "ann", "bob", F(1), ""), "the log has entry 3 where entry 2 is due"),
        (Entry(2, "ann", "eve", F(1), ""), "entry 2 is of no account: eve"),
    ],
)
def test_a_log_that_cannot_be_is_found_out(entry: Entry, problem: str) -> None:
    store = MemoryStore()
    book = ledger(store)
    book.transfer("ann", "bob", 1)
    store._batches.append(Batch((entry,)))
    with pytest.raises(ConservationError, match=problem):
        book.balance("ann")


@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        ([("ann", "bob", F(-1))], "is negative"),
        ([("bob", "ann", F(1, 2)), ("ann", "bob", F(-1, 2))], "is negative"),
        ([("ann", "bob", F(0)), ("ann", "ann", F(1))], "is the payer too"),
        ([("ann", "bob", 0.5)], "is a float"),
        ([("bob", "ann", F(10**4_001))], "has more than 4000 digits"),
        ([("bob", "ann", F(5))], "is more than bob can pay"),
        ([("ann", "bob", F(1)), ("bob", "ann", F(2))], "is more than bob can pay"),
        ([("ann", "bob", F(2)), ("ann", "pool", F(3))], "is more than ann can pay"),
    ],
)
def test_a_log_that_no_ledger_has_made_is_found_out(entries: list[Any], problem: str) -> None:
    """Hashed anew, such a log is as whole as any; the payments before it were legal."""
    store = MemoryStore()
    book = ledger(store)
    book.transfer("ann", "bob", 1)
    made = [Entry(n, payer, payee, paid, "") for n, (payer, payee, paid) in enumerate(entries, 2)]
    store._batches.append(Batch(tuple(made)))
    for use in (book, book):  # nothing of it is carried over, however often it is tried
        with pytest.raises(ConservationError, match=f"from entry 2 on .* {problem}"):
            use.balance("ann")
    with pytest.raises(ConservationError, match="what no ledger pays"):
        ledger(store)


def test_a_log_that_has_lost_an_entry_is_found_out() -> None:
    store = MemoryStore()
    book = ledger(store)
    book.transfer("ann", "bob", 1)
    del store._batches[0]
    with pytest.raises(ConservationError, match="the log has 0 entries, and had 1"):
        book.balance("ann")


@pytest.mark.parametrize("copied", [copy, deepcopy])
def test_a_copy_of_a_ledger_goes_on_in_memory(copied: Any) -> None:
    store = MemoryStore()
    book = ledger(store)
    book.transfer("ann", "bob", 1, key="k")
    other = copied(book)
    assert (other.head, other.paid("k")) == (book.head, book.paid("k"))
    other.transfer("ann", "bob", 1)
    book.transfer("ann", "bob", 2)
    assert (len(store.read()), book.balance("bob"), other.balance("bob")) == (2, F(7, 2), F(5, 2))


def test_how_much_could_be_paid_after_so_many_entries() -> None:
    book = ledger()
    for amount in (1, "1/2", 2):
        book.transfer("ann", "bob", amount)
    book.transfer("bob", "ann", 3)
    assert [book.available("ann", k) for k in range(5)] == [5, 4, F(7, 2), F(3, 2), F(9, 2)]
    assert [book.available("bob", k) for k in range(5)] == [F(1, 2), F(3, 2), 2, 4, 1]
    assert book.available("pool", 2) is None
    for after in (5, -1):
        with pytest.raises(InvalidInputError, match="after is no number of entries"):
            book.available("ann", after)


def test_where_keys_stand() -> None:
    book = ledger()
    book.transfer("ann", "bob", 1)
    book.pay([("ann", "bob", 1), ("ann", "bob", 1)], key="b")
    book.transfer("ann", "bob", 1, key="a")
    assert book.places() == {"b": range(2, 4), "a": range(4, 5)}
