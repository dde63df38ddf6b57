"""The inspection protocols, run: who is asked what, in which order, and what is paid."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from shoppers import Shopper, Stall, buys, names, purse, run, shop

from mechanisms.errors import BudgetError
from mechanisms.inspection import MAX_DEPTH, TableSeller, inspect_once, inspect_recursively
from mechanisms.ledger import Entry, Ledger, OverdraftError
from mechanisms.protocols import Notice, Offer, Question, Viewing
from theory.errors import InvalidInputError, LimitError

F = Fraction


# --- the order of things


def test_levels_are_chosen_in_reverse_and_know_what_the_protocol_says() -> None:
    told: list[Any] = []

    def rule(viewing: Viewing) -> list[str]:
        read = [[offer.read() for offer in level] for level in viewing.offers]
        told.append((viewing.question.level, read, names(viewing.bought), viewing.budget))
        return names(viewing.choice)[1:]

    def end(question: str, bought: Any) -> object:
        told.append((question, [good.content for good in bought]))
        return "done"

    record = run(Shopper(rule, ending=end), shop("ab", "cd", "ef"), depth=3)
    a, b, c, d, e, f = (f"the secret of {x}" for x in "abcdef")
    assert told == [
        (3, [[a, b], [c, d], [e, f]], [], 10),
        (2, [[a, b], [c, d]], ["f"], 9),
        (1, [[a, b]], ["f", "d"], 8),
        ("what?", [f, d, b]),
    ]
    assert record.purchases == (("b",), ("d",), ("f",))
    assert [[p.content for p in level.purchases or ()] for level in record.levels] == [
        [b],
        [d],
        [f],
    ]
    assert record.decision == "done"
    assert record.spending == 3


def test_sellers_learn_names_and_prices_of_lower_levels_and_nothing_else() -> None:
    asked: list[Question] = []

    def rule(question: Question) -> list[Offer]:
        asked.append(question)
        return [Offer(f"x{question.level}", "content", question.level)]

    run(Shopper(buys("x1")), Stall(rule), shop("a", name="bob"), depth=3)
    one = (Notice(1, "eve", "x1", F(1)), Notice(1, "bob", "a", F(1)))
    two = (Notice(2, "eve", "x2", F(2)),)
    assert asked == [
        Question("what?", 1, ()),
        Question("what?", 2, (one,)),
        Question("what?", 3, (one, two)),
    ]


def test_sellers_are_all_asked_before_anything_is_bought() -> None:
    done: list[str] = []
    stall = Stall(lambda q: done.append(f"asked {q.level}") or [Offer(f"x{q.level}", "", 1)])
    run(Shopper(lambda v: done.append(f"chosen {v.question.level}") or ()), stall, depth=3)
    assert done == ["asked 1", "asked 2", "asked 3", "chosen 3", "chosen 2", "chosen 1"]


def test_it_ends_before_a_level_without_offers() -> None:
    asked: list[int] = []
    stall = Stall(lambda q: asked.append(q.level) or [Offer("x", "", 1)] * (q.level == 1))
    record = run(Shopper(buys("x")), stall, depth=7)
    assert asked == [1, 2]
    assert record.purchases == (("x",),)


def test_it_ends_at_the_depth_though_sellers_would_go_on() -> None:
    stall = Stall(lambda q: [Offer(f"x{q.level}", "", 1)])
    assert len(run(Shopper(), stall, depth=5).levels) == 5
    assert len(inspect_once("what?", Shopper(), [stall], purse(1, stall)).levels) == 1
    assert len(run(Shopper(), stall, depth=MAX_DEPTH).levels) == MAX_DEPTH


def test_without_levels_the_buyer_decides_alone() -> None:
    record = run(Shopper(ending=lambda question, bought: (question, bought)), shop("a"), depth=0)
    assert record.levels == record.purchases == ()
    assert record.decision == ("what?", ())


def test_sellers_may_come_one_by_one() -> None:
    sellers = [shop("a"), shop("b", name="bob")]
    record = inspect_once("what?", Shopper(buys("b")), iter(sellers), purse(1, *sellers))
    assert record.purchases == (("b",),)


def test_declining_costs_nothing_on_any_level() -> None:
    record = run(Shopper(), shop("ab", "cd", "ef"), depth=3, budget=0)
    assert record.purchases == ((), (), ())
    assert record.spending == 0
    assert record.statement.entries == ()


def test_purchases_stand_in_the_order_of_the_offers() -> None:
    backwards = Shopper(lambda viewing: names(viewing.choice)[::-1])
    assert run(backwards, shop("abc"), depth=1).purchases == (("a", "b", "c"),)


def test_contents_are_delivered_once_each_and_seller_and_price_with_them() -> None:
    got: list[Any] = []
    content = {"page": [1, 2]}
    seller = TableSeller("eve", [[Offer("a", content, "3/2")]])
    run(Shopper(buys("a"), ending=lambda _, bought: got.extend(bought)), seller)
    (good,) = got
    assert (good.level, good.seller, good.name, good.price) == (1, "eve", "a", F(3, 2))
    assert good.content == content
    assert good.content is not content


# --- money


def test_every_purchase_is_paid_to_its_seller() -> None:
    eve, bob = shop("ab", "c", price=2), shop("de", price="1/3", name="bob")
    ledger = purse(10, eve, bob)
    record = inspect_recursively("what?", Shopper(buys(*"bcd")), [eve, bob], ledger, 2)
    assert record.statement.entries == (
        Entry(1, "ann", "eve", F(2), "c"),
        Entry(2, "ann", "eve", F(2), "b"),
        Entry(3, "ann", "bob", F(1, 3), "d"),
    )
    assert [ledger.balance(name) for name in ("ann", "eve", "bob")] == [F(17, 3), 4, F(1, 3)]
    assert record.spending == F(13, 3)


def test_the_purse_is_one_for_all_levels() -> None:
    """Each purchase fits the budget alone; together they do not."""
    seller = shop("ab", "cd", price=2)
    with pytest.raises(BudgetError, match="ann chooses a on level 1 for 2: at most 1 can be paid"):
        run(Shopper(buys("c", "a")), seller, budget=3)


def test_of_a_choice_that_cannot_be_paid_nothing_is_paid() -> None:
    seller = shop("ab", "cd", price=2)
    ledger = purse(5, seller)
    with pytest.raises(BudgetError) as caught:
        inspect_recursively("what?", Shopper(buys(*"abc")), [seller], ledger, 2)
    record = caught.value.record
    assert [entry.memo for entry in ledger.entries] == ["c"]
    assert ledger.balance("ann") == 3
    assert record.purchases == ((), ("c",))
    assert record.levels[0].purchases is None
    assert not record.decided
    assert record.spending == 2
    assert isinstance(caught.value.__cause__, OverdraftError)
    assert (caught.value.__cause__.amount, caught.value.__cause__.memo) == (4, "a + b")


def test_the_whole_budget_may_be_spent() -> None:
    record = run(Shopper(buys(*"abcd")), shop("ab", "cd"), budget=4)
    assert record.statement.account("ann").closing == 0


def test_a_purse_may_be_used_again() -> None:
    seller = shop("a")
    ledger = purse(2, seller)
    for left in (1, 0):
        record = inspect_once("what?", Shopper(buys("a")), [seller], ledger)
        assert record.statement.account("ann").closing == left
        assert (record.spending, len(record.statement.entries)) == (1, 1)
    with pytest.raises(BudgetError):
        inspect_once("what?", Shopper(buys("a")), [seller], ledger)


def test_a_floor_is_not_for_spending_and_without_one_there_is_no_budget() -> None:
    told: list[Any] = []
    seller = shop("a", price=2)
    rule = Shopper(lambda viewing: told.append(viewing.budget) or ["a"])
    with pytest.raises(BudgetError):
        inspect_once("what?", rule, [seller], Ledger({"ann": 5, "eve": 0}, {"ann": 4}))
    record = inspect_once("what?", rule, [seller], Ledger({"ann": 0, "eve": 0}, {"ann": None}))
    assert told == [1, None]
    assert record.statement.account("ann").closing == -2


def test_floats_all_through() -> None:
    seller = shop("ab", price=0.25)
    record = inspect_once("what?", Shopper(buys(*"ab")), [seller], purse(1.0, seller))
    assert record.spending == 0.5
    assert isinstance(record.spending, float)


# --- what cannot be run


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"depth": MAX_DEPTH + 1}, LimitError, f"depth is above {MAX_DEPTH}"),
        ({"question": ""}, InvalidInputError, "question is not text"),
        ({"sellers": [shop("a"), shop("b")]}, InvalidInputError, "names are not unique"),
        ({"sellers": [shop("a", name="ann")]}, InvalidInputError, "names are not unique"),
        ({"sellers": [shop("a", name="bob")]}, InvalidInputError, "has no account for bob"),
        ({"buyer": Shopper(name="zoe")}, InvalidInputError, "has no account for zoe"),
    ],
)
def test_what_cannot_be_run(change: Any, kind: type[Exception], message: str) -> None:
    settings = {
        "question": "what?",
        "buyer": Shopper(),
        "sellers": [shop("a")],
        "ledger": purse(1, shop("a")),
        "depth": 1,
        **change,
    }
    with pytest.raises(kind, match=message):
        inspect_recursively(**settings)


# --- what is shown


def test_a_record_reads_as_a_table() -> None:
    record = run(Shopper(buys("a", "c")), shop("ab"), shop("", "c", name="bob"), budget=5)
    assert str(record).splitlines() == [
        "what?: ann decides ['c', 'a'], 2 spent",
        "level  offer  seller  price  bought",
        "─────  ─────  ──────  ─────  ──────",
        "2      c      bob     1      yes",
        "1      a      eve     1      yes",
        "1      b      eve     1      no",
        "",
        *str(record.statement).splitlines(),
    ]
    assert "<td>bob</td>" in record._repr_html_()
    assert "secret" not in str(record) + record._repr_html_()


def test_nothing_spent_is_no_negative_zero() -> None:
    assert "ann decides [], 0.0 spent" in str(run(Shopper(), shop(price=1.0), budget=1.0))
