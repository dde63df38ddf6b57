"""The rules of the information market: who is told what, what is paid, how questions follow."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.ledger import Ledger
from mechanisms.market import (
    Excerpt,
    Inquiry,
    Market,
    Progress,
    Quote,
    Tender,
    answer_question,
    information_market,
    watch_market,
)
from mechanisms.play import Ask, Pay, Run, play
from mechanisms.protocols import Purchase
from theory.errors import InvalidInputError, LimitError
from theory.incentives.protocols import check_protocol


def quote(name: str, price: object = 1, text: str | None = None, score: float = 0.0) -> Quote:
    return Quote(name, f"title of {name}", text or f"text of {name}", price, score)


class Press:
    """A vendor that quotes what it is given, by question where there is a mapping."""

    def __init__(self, name: str, quotes: Any) -> None:
        self.name, self.quotes = name, quotes

    def __call__(self, ask: Ask) -> list[Quote]:
        assert isinstance(ask.view, Tender)
        if isinstance(self.quotes, dict):
            return list(self.quotes.get(ask.view.question, ()))
        return list(self.quotes)


class Ann:
    """A buyer that buys what it is told to, and asks on as it is told to."""

    name = "Ann"

    def __init__(self, wanted: Any = (), following: Any = ()) -> None:
        self.wanted, self.following = set(wanted), dict(following)

    def __call__(self, ask: Ask) -> Any:
        if ask.role in {"choose", "shortlist"}:
            names = [each.name for each in ask.view.offers[0]]
            return [each for each in names if each in self.wanted]
        if ask.role == "ask on":
            return self.following.get(ask.view.question, ())
        return " ".join(each.content.text for each in ask.view.bought) or "nothing"


def played(vendors: list[Press], buyer: Ann, budget: object = 10, **terms: Any) -> Run[Inquiry]:
    hops = terms.pop("hops", 0)
    return answer_question(Market(tuple(vendors), **terms), "q", buyer, budget, hops=hops).run


def opened(run: Run[Inquiry], seat: str | None = None) -> Ask:
    ask = run.ask() if seat is None else run.ask(seat)
    assert ask is not None
    return ask


def views(run: Run[Inquiry], role: str) -> list[Any]:
    return [
        entry.request.view
        for entry in run.log
        if isinstance(entry.request, Ask) and entry.request.role == role
    ]


# --- a question


@pytest.mark.parametrize("wanted", [["A: a1"], ["B: b2"], ["A: a1", "B: b2"], []])
def test_what_is_chosen_is_paid_to_whose_it_is_and_nothing_else_is(wanted: list[str]) -> None:
    vendors = [
        Press("A", [quote("a1", 2), quote("a2", 1)]),
        Press("B", [quote("b1", 4), quote("b2", 3)]),
    ]
    run = played(vendors, Ann(wanted), offer=4)
    prices = {"A: a1": Fraction(2), "B: b2": Fraction(3)}
    for vendor in "AB":
        earned = sum((prices[each] for each in wanted if each[0] == vendor), Fraction(0))
        assert run.ledger.balance(vendor) == earned
    assert run.ledger.balance("Ann") == 10 - sum(prices[each] for each in wanted)
    assert [each.name for each in run.outcome.bought] == wanted
    assert run.outcome.spending == sum(prices[each] for each in wanted)
    assert run.outcome.answer == (" ".join(f"text of {each[3:]}" for each in wanted) or "nothing")
    run.ledger.audit()


def test_three_quotes_of_15_are_not_bought_for_25() -> None:
    """The authors' program accepts each by itself, and ends with -20 (spec, fault 1)."""
    vendors = [Press(name, [quote("x", 15, f"text of {name}")]) for name in "ABC"]
    run = information_market("q", "Ann", ["A", "B", "C"], 25)
    for vendor in vendors:
        run = run.answer(vendor.name, vendor.quotes)
    every = ["A: x", "B: x", "C: x"]
    ended = run.answer("Ann choosing for 1", every)
    assert ended.ended_by is not None
    assert "cost 45" in ended.log[-1].reason
    assert {ended.ledger.balance(each) for each in "ABC"} == {0}
    assert ended.ledger.balance("Ann") == 25
    for one in every:
        assert run.answer("Ann choosing for 1", [one]).ledger.balance(one[0]) == 15


def test_without_inspection_titles_alone_are_seen_and_texts_are_delivered() -> None:
    vendors = [Press("A", [quote("a1"), quote("a2")])]
    for inspection in (True, False):
        run = played(vendors, Ann(["A: a2"]), inspection=inspection)
        (seen,) = views(run, "choose")
        texts = [offer.content.text for offer in seen.offers[0]]
        assert texts == (["text of a1", "text of a2"] if inspection else [None, None])
        assert [offer.content.title for offer in seen.offers[0]] == ["title of a1", "title of a2"]
        (answered,) = views(run, "answer")
        assert [each.content for each in answered.bought] == [Excerpt("title of a2", "text of a2")]


def test_vendors_are_told_the_question_and_no_budget() -> None:
    vendors = [Press("A", []), Press("B", [])]
    for budget in (1, 1_000):
        run = played(vendors, Ann(), budget, quotes=7)
        assert views(run, "quote") == [Tender("q", 7)] * 2
        assert run.outcome.answer == "nothing"
        assert not views(run, "choose")


def test_of_one_text_the_cheapest_stays_and_of_equal_ones_the_earlier_vendor_s() -> None:
    same = "the same words"
    for prices, winner in {(3, 2, 2): "B", (2, 2, 3): "A", (3, 3, 1): "C"}.items():
        vendors = [
            Press(name, [quote("x", price, same)])
            for name, price in zip("ABC", prices, strict=True)
        ]
        run = played(vendors, Ann([f"{winner}: x"]), offer=9)
        assert [offer.seller for offer in run.outcome.offers] == [winner]
        assert run.ledger.balance(winner) == min(prices)


def test_the_best_by_score_are_examined_in_order_and_equal_ones_as_they_came() -> None:
    vendors = [
        Press("A", [quote("a1", score=1), quote("a2", 3, score=3)]),
        Press("B", [quote("b1", score=2), quote("b2", score=3)]),
    ]
    run = played(vendors, Ann(), examine=3, offer=3)
    assert [each.name for each in run.outcome.offers] == ["A: a2", "B: b2", "B: b1"]
    run = played(vendors, Ann(["B: b1", "B: b2"]), examine=3, offer=2)
    (looked,) = views(run, "shortlist")
    assert [each.name for each in looked.offers[0]] == ["A: a2", "B: b2", "B: b1"]
    assert [each.name for each in run.outcome.offers] == ["B: b2", "B: b1"]


def test_a_vendor_may_quote_so_many() -> None:
    run = information_market("q", "Ann", ["A", "B"], 5, quotes=2, attempts=2)
    many = [quote("x"), quote("y"), quote("z")]
    for vendor in ("A", "B"):
        refused = run.answer(vendor, many)
        assert opened(refused, vendor).refused == (
            "more than 2 passages are quoted: quote the best",
        )
        assert refused.answer(vendor, many).ended_by is not None
        run = run.answer(vendor, [quote(vendor)])
    assert [each.name for each in opened(run).view.offers[0]] == ["A: A", "B: B"]


# --- questions that follow


FOLLOWING = {"q": ["q2", "q3"], "q2": ["q4"], "q3": ["q"]}
BY_QUESTION = {each: [quote(each, 2)] for each in ("q", "q2", "q3", "q4")}
EVERYTHING = [f"A: {each}" for each in BY_QUESTION]


@pytest.mark.parametrize(("hops", "asked"), [(0, 1), (1, 3), (2, 4), (3, 4)])
def test_questions_follow_as_far_as_hops_go(hops: int, asked: int) -> None:
    run = played([Press("A", BY_QUESTION)], Ann(EVERYTHING, FOLLOWING), hops=hops, breadth=2)
    tree = run.outcome
    assert len([*tree.every()]) == asked
    assert tree.spending == 2 * asked == run.ledger.balance("A")
    assert [each.place for each in tree.every()] == ["1", "1.1", "1.1.1", "1.2"][
        :asked
    ] or hops == 1
    assert [each.question for each in tree.followed] == (["q2", "q3"] if hops else [])
    if hops >= 2:
        assert tree.followed[1].skipped == ("q",)  # asked at the root: it is not asked again
        assert tree.followed[0].followed[0].question == "q4"


def test_a_question_that_follows_from_two_is_asked_once() -> None:
    following = {"q": ["q2", "q3"], "q2": ["q4"], "q3": ["q4"]}
    tree = played([Press("A", BY_QUESTION)], Ann((), following), hops=2, breadth=2).outcome
    assert [each.question for each in tree.every()] == ["q", "q2", "q4", "q3"]
    assert [each.skipped for each in tree.followed] == [(), ("q4",)]


def test_the_budget_binds_over_the_whole_tree() -> None:
    for budget, bought in {2: 1, 3: 1, 4: 2, 6: 3, 8: 4}.items():

        class Thrifty(Ann):
            def __call__(self, ask: Ask) -> Any:
                if ask.role == "choose":
                    (offer,) = ask.view.offers[0]
                    return [offer.name] if offer.price <= ask.view.budget else []
                return super().__call__(ask)

        run = played([Press("A", BY_QUESTION)], Thrifty((), FOLLOWING), budget, hops=2, breadth=2)
        assert len(run.outcome.purchases) == bought
        assert [each.budget for each in views(run, "choose")] == [
            budget - 2 * min(n, budget // 2) for n in range(4)
        ]
        run.ledger.audit()


def test_what_was_bought_is_owned_for_all_later_questions() -> None:
    again = {each: [quote("same", 2, "one text")] for each in BY_QUESTION}
    vendors = [Press("A", again), Press("B", {"q4": [quote("other", 1, "one text")]})]
    run = played(vendors, Ann(["A: same"], FOLLOWING), hops=2, breadth=2)
    assert run.ledger.balance("A") == 2
    assert run.ledger.balance("B") == 0
    assert [each.owned for each in run.outcome.every()] == [
        (),
        ("A: same",),
        ("B: other",),
        ("A: same",),
    ]


def test_all_that_was_bought_for_one_question_is_owned_for_the_next() -> None:
    stock = [quote("a", 1), quote("b", 2)]
    run = played([Press("A", stock)], Ann(["A: a", "A: b"], {"q": ["q2"]}), hops=1)
    assert [each.owned for each in run.outcome.every()] == [(), ("A: a", "A: b")]
    assert run.ledger.balance("A") == 3


def test_an_answer_is_made_of_all_that_was_bought_below() -> None:
    """The authors' program loses a node's own passages when it refines (spec, fault 6)."""
    run = played([Press("A", BY_QUESTION)], Ann(EVERYTHING, FOLLOWING), hops=2, breadth=2)
    names = [each.name for each in run.outcome.purchases]
    assert names == ["A: q", "A: q2", "A: q4", "A: q3"]
    again = [view for view in views(run, "answer again") if isinstance(view, Progress)]
    assert [view.question for view in again] == ["q2", "q"]
    assert [[name for name, _ in view.followed] for view in again] == [["q4"], ["q2", "q3"]]
    assert [len(view.bought) for view in again] == [3, 4]


def test_a_follow_up_question_may_be_asked_so_often() -> None:
    run = information_market("q", "Ann", [], 5, hops=1, breadth=2, attempts=1)
    run = run.answer("Ann", "nothing")
    assert opened(run).role == "ask on"
    assert run.answer("Ann", ["a", "b", "c"]).ended_by is not None
    run = run.answer("Ann", "a\n\nb")
    assert opened(run).view.question == "a"
    assert opened(run.answer("Ann", "?")).view.question == "b"


# --- one ledger, states, forgetting


def test_a_run_goes_on_in_another_process_with_the_same_outcome() -> None:
    vendors = [Press("A", BY_QUESTION)]
    buyer = Ann(EVERYTHING, FOLLOWING)
    run = information_market("q", "Ann", ["A"], 10, hops=2, breadth=2)
    whole = play(run, {"A": vendors[0], "Ann": buyer})
    stages = 0
    while (ask := run.ask()) is not None:
        run = information_market.read(json.dumps(run.to_json()))
        assert run.ask() == ask
        run = run.answer(ask, (vendors[0] if ask.player == "A" else buyer)(ask))
        stages += 1
    assert stages == len(views(whole, "quote")) + len(views(whole, "choose")) + 4 + 3 + 2
    assert run.outcome == whole.outcome
    assert run.ledger.statement() == whole.ledger.statement()


def test_money_that_is_gone_elsewhere_ends_the_run_and_is_said() -> None:
    for stolen_at in ("q", "q2"):
        books = Ledger({"Ann": 10, "A": 0, "thief": 0})
        now = information_market.on_ledger(books, "two")("q", "Ann", ["A"], 10, hops=1)
        buyer = Ann(EVERYTHING, FOLLOWING | {"q": ["q2"]})
        while (ask := now.ask()) is not None:
            if ask.role == "choose" and ask.view.question.text == stolen_at:
                books.transfer("Ann", "thief", books.balance("Ann"))
            vendor = Press("A", BY_QUESTION)
            now = now.answer(ask, (vendor if ask.player == "A" else buyer)(ask))
        assert now.outcome.unpaid is not None
        assert now.outcome.answer is None
        assert books.balance("A") == (0 if stolen_at == "q" else 2)


def checked(buyer: Any, worlds: Any, **terms: Any) -> Any:
    def run(world: Any, rng: object) -> Any:
        vendors = [Press("A", world), Press("B", {"q": [quote("b", 1)]})]
        hops = terms.get("hops", 0)
        return watch_market(
            Market(tuple(vendors), inspection=terms.get("inspection", True)),
            "q",
            buyer(),
            10,
            hops=hops,
        )

    return check_protocol(run, worlds, seeds=1)


@pytest.mark.parametrize("late", [False, True])
def test_what_nobody_buys_changes_nothing_that_anybody_is_told(late: bool) -> None:
    question = "q2" if late else "q"
    worlds = [
        BY_QUESTION | {question: [quote(question, 2), quote("secret", 3, text)]}
        for text in ("it rains", "it snows")
    ]
    report = checked(lambda: Ann(EVERYTHING, {"q": ["q2"]}), worlds, hops=1)
    assert report.refuted == ()
    assert ", 0 non-trivial" not in str(report)


@pytest.mark.parametrize("late", [False, True])
def test_a_seat_that_is_told_what_was_not_bought_is_found_out(
    late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rules forget nothing, for the first question or for a later one."""
    from mechanisms.market import _rules

    question = "q2" if late else "q"
    true_buy = _rules._buy

    def leaky(market: Any, node: Any, offers: Any, quoted: Any) -> Any:
        bought = yield from true_buy(market, node, offers, quoted)
        label = "A: secret"
        if node.question == question and label in quoted and isinstance(bought, tuple):
            vendor, hidden = quoted[label]
            shown = Excerpt(hidden.title, hidden.text)
            return (*bought, Purchase(1, vendor, label, hidden.price, shown))
        return bought

    monkeypatch.setattr(_rules, "_buy", leaky)
    worlds = [
        BY_QUESTION | {question: [quote(question, 2), quote("secret", 3, text)]}
        for text in ("it rains", "it snows")
    ]
    report = checked(lambda: Ann(EVERYTHING, {"q": ["q2"]}), worlds, hops=1)
    assert "disclosure" in report.refuted


def test_a_vendor_that_is_told_what_was_bought_from_another_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The tender of a later question repeats what the buyer has read."""
    from mechanisms.market import _rules

    true_inquire = _rules._inquire

    def leaky(market: Any, node: Any, asked: Any) -> Any:
        read = " ".join(each.content.text for each in node.known)
        return (
            yield from true_inquire(market, replace(node, question=node.question + read), asked)
        )

    worlds = [{"q": [quote("q", 2, text)]} for text in ("it rains", "it snows")]
    assert checked(lambda: Ann(["A: q"], {"q": ["q2"]}), worlds, hops=1).refuted == ()
    monkeypatch.setattr(_rules, "_inquire", leaky)
    report = checked(lambda: Ann(["A: q"], {"q": ["q2"]}), worlds, hops=1)
    assert "disclosure" in report.refuted


@pytest.mark.parametrize("hops", range(5))
def test_no_chain_of_questions_is_longer_than_the_hops(hops: int) -> None:
    chain = {f"{'q' * n}": [f"{'q' * (n + 1)}"] for n in range(1, 9)}
    run = played([], Ann((), chain), hops=hops)
    assert [each.question for each in run.outcome.every()] == ["q" * n for n in range(1, hops + 2)]


@given(
    prices=st.lists(st.integers(0, 6), min_size=4, max_size=4),
    wanted=st.sets(st.sampled_from(["A: 0", "A: 1", "B: 2", "B: 3"])),
    budget=st.integers(0, 20),
)
def test_money_is_conserved_and_the_set_is_paid_whole_or_not_at_all(
    prices: list[int], wanted: set[str], budget: int
) -> None:
    run = information_market("q", "Ann", ["A", "B"], budget, offer=4)
    for vendor, places in {"A": (0, 1), "B": (2, 3)}.items():
        run = run.answer(vendor, [quote(str(k), prices[k]) for k in places])
    cost = sum(prices[int(each[-1])] for each in wanted)
    done = run.answer("Ann choosing for 1", sorted(wanted))
    total = sum(done.ledger.balance(each) for each in ("Ann", "A", "B"))
    assert total == budget
    assert (done.ended_by is None) == (cost <= budget)
    assert done.ledger.balance("Ann") == budget - (cost if cost <= budget else 0)


# --- bad input


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([quote("x", -1)], "the price of x is negative"),
        ([quote("x", 0.5)], "the price of x"),
        ([quote("x", float("nan"))], "the price of x"),
        ([quote("x", "a lot")], "the price of x"),
        ([quote("x", score=float("nan"))], "x has no finite score"),
        ([quote("x", score=float("inf"))], "x has no finite score"),
        ([quote("x"), quote("x", text="other")], "'x' is quoted twice"),
        ([quote(" ")], "the name of a quote is no text"),
        ([{"name": "x", "title": "t", "text": 7, "price": 1}], "the text of a quote is no text"),
        (["x"], "'x' is no quote"),
        (7, "7 is no list"),
        ("[{", "is no list in JSON"),
        ([{"name": "x"}], "is no quote"),
    ],
)
@pytest.mark.parametrize("vendor", ["A", "B"])
def test_quotes_that_are_none_are_refused_with_a_reason(
    given: object, said: str, vendor: str
) -> None:
    run = information_market("q", "Ann", ["A", "B"], 5, attempts=2).answer(vendor, given)
    assert said in opened(run, vendor).refused[0]


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"budget": -1}, InvalidInputError, "budget is negative"),
        ({"budget": 0.5}, InvalidInputError, "budget"),
        ({"hops": 21}, LimitError, "hops is above 20"),
        ({"hops": -1}, InvalidInputError, "hops"),
        ({"breadth": 0}, InvalidInputError, "breadth"),
        ({"offer": 0}, InvalidInputError, "offer"),
        ({"examine": 0}, InvalidInputError, "examine"),
        ({"quotes": 0}, InvalidInputError, "quotes"),
        ({"vendors": ["A", "A"]}, InvalidInputError, "are not unique"),
        ({"vendors": ["A", "B: b"]}, InvalidInputError, "would be read as two"),
        ({"vendors": ["A", "Ann choosing for 1"]}, InvalidInputError, "a seat of the buyer's"),
        ({"vendors": ["A", "Ann looking through "]}, InvalidInputError, "a seat of the buyer's"),
        ({"vendors": ["A", "Ann"]}, InvalidInputError, "are not unique"),
        ({"vendors": ["A", ""]}, InvalidInputError, "have an empty one"),
        ({"vendors": "A"}, InvalidInputError, "vendors is one text"),
    ],
)
def test_arguments_that_are_none_are_refused_by_name(
    change: dict[str, Any], error: type[Exception], said: str
) -> None:
    terms: dict[str, Any] = {"vendors": ["A"], "budget": 5, **change}
    with pytest.raises(error, match=said):
        information_market("q", "Ann", terms.pop("vendors"), terms.pop("budget"), **terms)


def test_budget_0_takes_what_is_free_alone() -> None:
    vendors = [Press("A", [quote("dear", 1), quote("free", 0)])]
    run = played(vendors, Ann(["A: free"]), 0)
    assert run.outcome.answer == "text of free"
    assert views(run, "choose")[0].budget == 0
    payments = [e for e in run.log if isinstance(e.request, Pay)]
    assert [t.amount for e in payments for t in e.request.transfers] == [0]


def test_every_sequence_of_small_answers_ends_with_a_decision() -> None:
    """A buyer whose deadline passes never answers in the authors' program (spec, fault 15)."""
    for buys, asks in product([(), ("A: q",)], [(), ("q2",), ("q",)]):
        run = played([Press("A", BY_QUESTION)], Ann(buys, {"q": asks}), hops=1)
        assert run.over
        assert run.outcome.answer is not None
