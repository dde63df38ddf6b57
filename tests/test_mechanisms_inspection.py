"""The inspection protocols, run: who is asked what, in which order, and what is paid."""

from __future__ import annotations

from fractions import Fraction
from itertools import count
from typing import Any

import pytest
from shoppers import Shopper, Stall, buys, names, purse, run, shop

from mechanisms.errors import BudgetError, BuyerError, ParticipantError, SellerError
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


# --- sellers who do what they must not

BAD_OFFERS: list[tuple[Any, str]] = [
    (float("nan"), "cannot sell 'x' on level 1: price of x is a float"),
    (float("inf"), "cannot sell 'x' on level 1: price of x is a float"),
    (0.5, "cannot sell 'x' on level 1: price of x is a float"),
    ("nan", "price of x is not a number as we read them"),
    (-1, "price of x is negative"),
    (None, "price of x is not a number"),
]


def refused(rule: Any, **more: Any) -> SellerError:
    """The error of a market in which bob offers b, and eve what the rule says."""
    with pytest.raises(SellerError) as caught:
        run(Shopper(buys("b")), shop("b", name="bob"), Stall(rule), **more)
    error = caught.value
    assert error.participant == "eve"
    assert names(error.record.levels[0].offers)[0] == "b"
    assert error.record.statement.entries == ()
    assert not error.record.decided
    return error


@pytest.mark.parametrize(("price", "message"), BAD_OFFERS)
def test_a_price_that_cannot_stand(price: Any, message: str) -> None:
    assert message in str(refused(lambda _: [Offer("x", "", price)]))


@pytest.mark.parametrize("price", [float("nan"), float("inf"), -0.5, "1/3"])
def test_a_price_that_cannot_stand_among_floats(price: Any) -> None:
    with pytest.raises(SellerError, match="eve cannot sell 'x'"):
        run(Shopper(), Stall(lambda _: [Offer("x", "", price)]), budget=2.0)


@pytest.mark.parametrize(
    ("offers", "message"),
    [
        ([Offer("x", "", 1), Offer("x", "", 1)], "eve offers 'x' on level 1, a name that is taken"),
        ([Offer("b", "", 1)], "eve offers 'b' on level 1, a name that is taken"),
        ([Offer("", "", 1)], "eve offers something nameless on level 1"),
        (["x"], "eve offers a str on level 1, no Offer: return a list of Offers"),
        ("xy", "eve offers a str on level 1, no Offer"),
        (None, "eve raised TypeError"),
        (Offer("x", "", 1), "eve raised TypeError"),
        ([Offer("x", (n for n in "abc"), 1)], "whose content cannot be copied"),
    ],
    ids=lambda each: str(each)[:25] if isinstance(each, str) else "",
)
def test_offers_that_cannot_stand(offers: Any, message: str) -> None:
    assert message in str(refused(lambda _: offers))


def test_a_name_may_not_come_back_on_a_deeper_level() -> None:
    error = refused(lambda q: [Offer("x", "", 1)])
    assert "eve offers 'x' on level 2, a name that is taken" in str(error)
    assert names(error.record.levels[0].offers) == ["b", "x"]


def test_a_seller_that_raises_is_named_and_the_reason_kept() -> None:
    def broken(question: Question) -> list[Offer]:
        return [Offer("x", 1 / (question.level - 2), 1)]

    error = refused(broken)
    assert "eve raised ZeroDivisionError('division by zero') on level 2" in str(error)
    assert isinstance(error.__cause__, ZeroDivisionError)
    assert [names(level.offers) for level in error.record.levels] == [["b", "x"], []]


def test_a_seller_without_end_is_stopped() -> None:
    made: list[int] = []

    def endless(question: Question) -> Any:
        for n in count():
            made.append(n)
            yield Offer(f"x{n}", "", 1)

    error = refused(endless, breadth=4)
    assert str(error) == (
        "eve makes offer 4 on level 1, which has a breadth of 4 for all sellers together: offer "
        "less, or allow more breadth"
    )
    assert len(made) == 4


def test_the_breadth_is_that_of_each_level() -> None:
    sellers = shop("ab", "cd"), shop("e", "f", name="bob")
    assert len(run(Shopper(), *sellers, breadth=3).levels[1].offers) == 3
    with pytest.raises(SellerError, match="bob makes offer 1 on level 1, which has a breadth of 2"):
        run(Shopper(), *sellers, breadth=2)


# --- buyers who do what they must not


def failed(buyer: Any, budget: int = 10) -> BuyerError:
    """The error of a buyer that meets offers a and b, and c to choose between them."""
    with pytest.raises(BuyerError) as caught:
        run(buyer, shop("ab", "c"), budget=budget)
    assert caught.value.participant == "ann"
    return caught.value


def on_level_1(answer: Any) -> Shopper:
    return Shopper(lambda viewing: answer if viewing.question.level == 1 else ["c"])


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (["a", "d"], "ann names what is not on offer when choosing on level 1: known are a, b"),
        (["a", "b", "d"], "ann names what is not on offer when choosing on level 1"),
        (["c"], "ann names what is not on offer when choosing on level 1"),
        (["a "], "did you mean 'a'?"),
        ([1], "ann names what is not on offer"),
        ([None], "ann names what is not on offer"),
        (["a", "a"], "ann names 'a' twice when choosing on level 1: name each offer once"),
        ("ab", "ann returned no list of names when choosing on level 1"),
        (None, "ann returned no list of names"),
        (True, "ann returned no list of names"),
        (3, "ann returned no list of names"),
    ],
)
def test_an_answer_that_is_no_choice(answer: Any, message: str) -> None:
    error = failed(on_level_1(answer))
    assert message in str(error)
    assert error.record.purchases == ((), ("c",))
    assert error.record.levels[0].purchases is None
    assert [str(entry) for entry in error.record.statement.entries] == ["1. ann pays eve 1 for c"]


def test_an_answer_may_be_any_iterable_and_need_not_end() -> None:
    assert run(Shopper(lambda v: {"a": 0}), shop("ab"), depth=1).purchases == (("a",),)
    assert run(Shopper(lambda v: (x for x in "ba")), shop("ab"), depth=1).purchases == (("a", "b"),)
    error = failed(on_level_1("a" for _ in count()))
    assert "names 'a' twice" in str(error)


def test_a_buyer_that_raises_when_choosing() -> None:
    error = failed(Shopper(lambda viewing: 1 / 0))
    assert "ann raised ZeroDivisionError (its words are withheld" in str(error)
    assert "when choosing on level 2" in str(error)
    assert [names(level.offers) for level in error.record.levels] == [["a", "b"], ["c"]]
    assert [level.purchases for level in error.record.levels] == [None, None]


def test_a_buyer_that_raises_when_deciding_has_paid() -> None:
    def ending(question: str, bought: Any) -> object:
        raise LookupError("no idea")

    error = failed(Shopper(buys(*"ac"), ending=ending))
    assert "ann raised LookupError('no idea') when deciding" in str(error)
    assert isinstance(error.__cause__, LookupError)
    assert error.record.purchases == (("a",), ("c",))
    assert error.record.spending == 2
    assert not error.record.decided


def test_stopping_the_program_stops_it() -> None:
    def stop(viewing: Viewing) -> list[str]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(Shopper(stop), shop("a"))


# --- what cannot be run


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"depth": -1}, InvalidInputError, "depth is not a count"),
        ({"depth": True}, InvalidInputError, "depth is not a count"),
        ({"depth": MAX_DEPTH + 1}, LimitError, f"depth is above the limit of {MAX_DEPTH}"),
        ({"breadth": 0}, InvalidInputError, "breadth is not a count"),
        ({"question": ""}, InvalidInputError, "question is no text"),
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


def test_errors_of_participants_are_of_one_kind() -> None:
    assert issubclass(SellerError, ParticipantError)
    assert issubclass(BudgetError, BuyerError)
    assert issubclass(BuyerError, ParticipantError)


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


def test_an_unfinished_record_says_so() -> None:
    record = failed(on_level_1(["d"])).record
    text = str(record)
    assert "ann comes to no decision, 1 spent" in text
    assert "1      a      eve     1      not chosen yet" in text
    assert "2      c      eve     1      yes" in text
