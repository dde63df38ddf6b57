"""Sellers and buyers that do what they must not: errors that name them and hold the record."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
from shoppers import Shopper, Stall, buys, names, purse, run, shop

from mechanisms.errors import BudgetError, BuyerError, ParticipantError, SellerError
from mechanisms.inspection import TableSeller, inspect_recursively
from mechanisms.protocols import Offer, Question

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
        ([Offer("x", (n for n in "abc"), 1)], "when the content of 'x' was copied: offer text"),
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


@pytest.mark.parametrize("others", ["", "b", "abc", "abcd"])
def test_a_seller_without_end_is_stopped(others: str) -> None:
    """After as many offers whatever others have offered, so that it cannot count these."""
    made: list[int] = []

    def endless(question: Question) -> Any:
        for n in count():
            made.append(n)
            yield Offer(f"x{n}", "", 1)

    with pytest.raises(SellerError) as caught:
        run(Shopper(), shop(others, name="bob"), Stall(endless), breadth=4)
    assert names(caught.value.record.levels[0].offers) == [*others]
    assert str(caught.value) == (
        "eve makes offer 5 on level 1, which has a breadth of 4 for all sellers together: offer "
        "less, or allow more breadth"
    )
    assert len(made) == 5


def test_the_breadth_is_that_of_each_level() -> None:
    sellers = shop("ab", "cd"), shop("e", "f", name="bob")
    assert len(run(Shopper(), *sellers, breadth=3).levels[1].offers) == 3
    with pytest.raises(SellerError, match="bob makes offer 1 on level 1, which has a breadth of 2"):
        run(Shopper(), *sellers, breadth=2)


def test_all_sellers_are_asked_before_it_is_said_that_offers_cannot_stand() -> None:
    """The first in the order of the sellers is named, and its offers are in no record."""
    with pytest.raises(SellerError, match="eve offers 'b' on level 1, a name that is") as caught:
        run(Shopper(), shop("b", name="bob"), shop("xb", name="eve"), shop("xc", name="cat"))
    record = caught.value.record
    assert [(o.seller, o.name) for o in record.levels[0].offers] == [
        ("bob", "b"),
        ("cat", "x"),
        ("cat", "c"),
    ]
    assert not record.decided


# --- buyers who do what they must not


def failed(buyer: Any, budget: int = 10) -> BuyerError:
    """The error of a buyer that meets offers a and b, and c to choose between them."""
    with pytest.raises(BuyerError) as caught:
        run(buyer, shop("ab", "c"), budget=budget)
    assert caught.value.participant == "ann"
    return caught.value


class Odd(Offer):
    """An offer whose name is a trap."""

    def __init__(self, act: Any) -> None:
        object.__setattr__(self, "act", act)

    def __getattribute__(self, name: str) -> Any:
        return object.__getattribute__(self, "act")() if name == "name" else ""


@dataclass
class Brittle:
    """A content that can be copied so many times, before it does something else."""

    act: Any
    copies: int

    def __deepcopy__(self, memo: object) -> Any:
        self.copies -= 1
        return self if self.copies >= 0 else self.act()


def breaks() -> Any:
    raise ValueError("no more copies")


@pytest.mark.parametrize("copies", range(7))
def test_what_cannot_be_copied_is_not_paid(copies: int) -> None:
    """Four copies: of the offer, to be read, and for the next choice and the decision.

    The last two are made before the payment.
    """
    seller = TableSeller("eve", [[Offer("a", "", 1)], [Offer("c", Brittle(breaks, copies), 1)]])
    ledger = purse(5, seller)
    if copies >= 4:
        record = inspect_recursively("what?", Shopper(buys("c")), [seller], ledger, 2)
        assert record.purchases == ((), ("c",))
        assert record.spending == 1
        return
    with pytest.raises(SellerError, match="when the content of 'c' was copied") as caught:
        inspect_recursively("what?", Shopper(buys("c")), [seller], ledger, 2)
    assert ledger.entries == ()
    assert caught.value.record.spending == 0
    assert caught.value.record.purchases[1:] in ((), ((),))


def test_a_record_of_what_can_no_longer_be_copied_holds_it() -> None:
    """The content on level 1 fails when level 2 is bought and paid."""
    levels = [[Offer("a", Brittle(breaks, 2), 1)], [Offer("c", ["page"], 1)]]
    with pytest.raises(SellerError, match="when the content of 'a' was copied") as caught:
        run(Shopper(buys(*"ac")), TableSeller("eve", levels))
    record = caught.value.record
    assert record.purchases == ((), ("c",))
    assert record.levels[1].purchases[0].content == ["page"]
    assert [entry.memo for entry in record.statement.entries] == ["c"]


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


def stops(*_: object) -> Any:
    raise KeyboardInterrupt


def leaves(*_: object) -> Any:
    raise SystemExit(3)


class WordlessError(Exception):
    def __repr__(self) -> str:
        raise RuntimeError("no words")


def dies(*_: object) -> Any:
    raise WordlessError


WHERE = [
    lambda act: (Shopper(buys("a"), ending=act), shop("ab")),
    lambda act: (Shopper(), Stall(act)),
    lambda act: (Shopper(), Stall(lambda _: map(act, "x"))),
    lambda act: (Shopper(), Stall(lambda _: [Odd(act)])),
    lambda act: (Shopper(), Stall(lambda _: [Offer("x", Brittle(act, 0), 1)])),
    lambda act: (Shopper(act), shop("a")),
]


@pytest.mark.parametrize(
    "where", WHERE, ids=["decide", "offers", "generator", "offer", "content", "choose"]
)
def test_whatever_a_participant_raises_is_put_down_to_it(where: Any) -> None:
    for act, word in ((leaves, "raised SystemExit"), (dies, "raised ")):
        buyer, seller = where(act)
        with pytest.raises(ParticipantError, match=word) as caught:
            run(buyer, seller)
        assert caught.value.participant in ("ann", "eve")
        assert not caught.value.record.decided
        assert "comes to no decision" in str(caught.value.record)
    buyer, seller = where(stops)
    with pytest.raises(KeyboardInterrupt):
        run(buyer, seller)


def test_errors_of_participants_are_of_one_kind() -> None:
    assert issubclass(SellerError, ParticipantError)
    assert issubclass(BudgetError, BuyerError)
    assert issubclass(BuyerError, ParticipantError)


def test_an_unfinished_record_says_so() -> None:
    record = failed(on_level_1(["d"])).record
    text = str(record)
    assert "ann comes to no decision, 1 spent" in text
    assert "1      a      eve     1      not chosen yet" in text
    assert "2      c      eve     1      yes" in text
