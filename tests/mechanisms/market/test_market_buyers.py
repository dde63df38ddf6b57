"""What passages are worth, who buys which, and what inspection and hops are good for."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.inspection import Shown, ToInspect
from mechanisms.market import (
    BM25,
    Corpus,
    Excerpt,
    FactQuestion,
    IdealBuyer,
    KeywordBuyer,
    LogitBuyer,
    Market,
    OneByOneBuyer,
    Passage,
    Progress,
    Statement,
    ValuationBuyer,
    answer_question,
    best_purchase,
    facts_corpus,
)
from mechanisms.protocols import Purchase, Question
from theory.errors import InvalidInputError, LimitError, UnknownNameError

MAYOR = Statement("Ilm", "mayor", "Ida")
BORN = Statement("Ida", "birthplace", "Gol")
OTHER = Statement("Gol", "river", "Raun")
ONE = FactQuestion("one", "Ilm", ("mayor",), 10)
TWO = FactQuestion("two", "Ilm", ("mayor", "birthplace"), 10)


def passage(name: str, price: object, states: Any, owner: str = "A", text: str = "") -> Passage:
    title = ", ".join([states[0].subject, states[0].relation]) if states else "nothing"
    text = text or f"text of {name}"
    return Passage(name, owner, price, title, text, frozenset(states), frozenset(states[:1]))


def corpus_of(*passages: Passage, error: object = 0) -> Corpus:
    return Corpus(passages, (ONE, TWO), frozenset((MAYOR, BORN, OTHER)), error)


def corpus_of_facts(*facts: Statement) -> Corpus:
    return Corpus((passage("p", 1, []),), (), frozenset(facts))


def subsets(items: Any) -> Any:
    return chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))


# --- worth


def test_a_needed_fact_counts_once_however_often_it_is_bought() -> None:
    corpus = corpus_of(
        passage("p1", 1, [MAYOR]), passage("p2", 1, [MAYOR, OTHER]), passage("p3", 1, [BORN])
    )
    texts = [each.text for each in corpus.passages]
    assert corpus.worth(ONE, texts[:2]) == corpus.worth(ONE, texts[:1]) == 10
    assert corpus.worth(TWO, texts) == 20
    assert corpus.worth(TWO, texts[2:]) == 10
    assert corpus.worth(ONE, texts[2:]) == corpus.worth(ONE, ["text of nobody"]) == 0
    assert corpus.answer(TWO, texts) == "Gol"
    assert corpus.answer(TWO, texts[:2]) is corpus.answer(TWO, texts[2:]) is None
    assert corpus.answer(ONE, texts[1:2]) == "Ida"


def test_a_question_follows_relations_from_its_subject() -> None:
    corpus = corpus_of(passage("p1", 1, [MAYOR]))
    assert corpus.needs(TWO) == (MAYOR, BORN)
    assert str(TWO) == "What is the birthplace of the mayor of Ilm?"
    assert corpus.question("two") is corpus.question(str(TWO)) is TWO
    follow = corpus.question("What is the birthplace of Ida?")
    assert (follow.subject, follow.relations, follow.worth) == ("Ida", ("birthplace",), 10)
    with pytest.raises(UnknownNameError, match="did you mean"):
        corpus.question("What is the birthplace of Idi?")


def test_of_questions_with_one_rest_the_first_says_what_it_is_worth() -> None:
    asked = [FactQuestion(f"q{k}", "Ilm", ("mayor", "birthplace", "river")[:k], k) for k in (2, 3)]
    asked.append(FactQuestion("other", "Ida", ("birthplace", "river"), 9))
    asked.append(FactQuestion("again", "Elm", ("mayor", "birthplace"), 7))
    facts = frozenset((MAYOR, BORN, OTHER, Statement("Elm", "mayor", "Ida")))
    corpus = Corpus((passage("p", 1, []),), tuple(asked), facts)
    assert corpus.question("What is the birthplace of Ida?").worth == 2
    assert corpus.question("What is the river of the birthplace of Ida?") is asked[2]


def test_copies_of_a_title_or_text_promise_and_state_what_any_of_them_does() -> None:
    every = [frozenset([fact]) for fact in (MAYOR, BORN, OTHER)]
    made = (Passage(f"p{k}", "A", 1, "Ilm", "text", fact, fact) for k, fact in enumerate(every))
    corpus = corpus_of(*made)
    assert corpus.states("text") == corpus.promises("Ilm") == {MAYOR, BORN, OTHER}


def test_nothing_is_asked_on_before_anything_and_after_all_is_known() -> None:
    corpus = corpus_of(passage("p1", 1, [MAYOR]), passage("p2", 1, [MAYOR, BORN]))
    had = seen(corpus, 9, bought=("p1", "p2")).bought
    asked = [IdealBuyer(corpus).ask_on(Progress(str(TWO), had[:k])) for k in range(3)]
    assert asked == [[], ["What is the birthplace of Ida?"], []]


# --- exact cases (spec 2.3)


@pytest.mark.parametrize("inspection", [True, False])
@pytest.mark.parametrize(("price", "bought"), [(9, 1), (10, 0), (11, 0), (0, 1)])
def test_of_two_copies_at_one_price_one_is_bought_and_never_both(
    price: int, bought: int, inspection: bool
) -> None:
    corpus = corpus_of(passage("p1", price, [MAYOR]), passage("p2", price, [MAYOR], "B"))
    market = Market.of(corpus, inspection=inspection)
    result = answer_question(market, ONE, IdealBuyer(corpus), 100)
    assert len(result.inquiry.purchases) == bought
    assert result.worth(corpus, ONE) - result.spent == max(0, 10 - price) * bought


@pytest.mark.parametrize("cheaper", ["A", "B"])
def test_of_two_copies_the_cheaper_is_bought(cheaper: str) -> None:
    prices = {"A": 5, "B": 5, cheaper: 3}
    corpus = corpus_of(
        passage("p1", prices["A"], [MAYOR]), passage("p2", prices["B"], [MAYOR], "B")
    )
    for inspection in (True, False):
        result = answer_question(
            Market.of(corpus, inspection=inspection), ONE, IdealBuyer(corpus), 50
        )
        assert [each.seller for each in result.inquiry.purchases] == [cheaper]


@pytest.mark.parametrize(("price", "utility"), [(2, 6), (8, -6)])
def test_verdicts_one_by_one_buy_both_copies(price: int, utility: int) -> None:
    corpus = corpus_of(passage("p1", price, [MAYOR]), passage("p2", price, [MAYOR], "B"))
    market = Market.of(corpus)
    single = answer_question(market, ONE, OneByOneBuyer(corpus), 100)
    joint = answer_question(market, ONE, IdealBuyer(corpus), 100)
    assert single.worth(corpus, ONE) - single.spent == utility == 10 - 2 * price
    assert joint.worth(corpus, ONE) - joint.spent == 10 - price


def test_a_passage_that_helps_with_another_alone_is_bought_with_it_or_not_at_all() -> None:
    """The second fact is told to be needed by who reads the first."""
    corpus = corpus_of(passage("p1", 4, [MAYOR]), passage("p2", 4, [BORN], "B"))
    market = Market.of(corpus)
    both = answer_question(market, TWO, IdealBuyer(corpus), 100)
    assert {each.seller for each in both.inquiry.purchases} == {"A", "B"}
    alone = corpus_of(passage("p2", 4, [BORN], "B"))
    nothing = answer_question(Market.of(alone), TWO, IdealBuyer(alone), 100)
    assert nothing.spent == 0


def test_without_inspection_the_second_fact_takes_a_second_question() -> None:
    corpus = corpus_of(passage("p1", 4, [MAYOR]), passage("p2", 4, [BORN], "B"))
    market = Market.of(corpus, inspection=False)
    for hops, answer in ((0, "not known"), (1, "Gol"), (2, "Gol")):
        result = answer_question(market, TWO, IdealBuyer(corpus), 100, hops=hops)
        assert result.answer == answer
        assert result.spent == (8 if hops else 4)
        asked = [each.question for each in result.inquiry.every()]
        assert asked == [str(TWO), "What is the birthplace of Ida?"][: 2 if hops else 1]


def test_demand_is_a_step_at_what_the_passage_adds() -> None:
    """Gold is bought up to the price of an alternative, and beyond it up to its worth alone."""
    for gold_price in range(14):
        gold = passage("gold", gold_price, [MAYOR, BORN])
        other = passage("other", 4, [MAYOR], "B")
        corpus = corpus_of(gold, other)
        result = answer_question(Market.of(corpus), TWO, IdealBuyer(corpus), 100)
        names = [each.name for each in result.inquiry.purchases]
        # gold alone earns 20 - p, the other alone 6: gold iff p <= 14, and never both
        assert names == ["A: gold"] or gold_price > 14


def test_position_changes_nothing() -> None:
    facts = [[MAYOR], [BORN], [OTHER]]
    found = []
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
        made = [passage(f"p{k}", 3 + k, facts[k], f"owner {k}") for k in order]
        corpus = corpus_of(*made)
        result = answer_question(Market.of(corpus), TWO, IdealBuyer(corpus), 100)
        found.append({each.name for each in result.inquiry.purchases})
    assert found == [{"owner 0: p0", "owner 1: p1"}] * 3


@pytest.mark.parametrize(
    ("values", "prices", "curve"),
    [((1, 3), (1, 2), [0, 1, 3, 4]), ((3, 2), (2, 1), [0, 2, 3, 5])],
)
def test_the_budget_curve_is_the_knapsack_s(
    values: tuple[int, ...], prices: tuple[int, ...], curve: list[int]
) -> None:
    """Worth by budget, for facts so dear that each is bought if it can be paid."""
    for budget, worth in enumerate(curve):
        fitting = [
            sum(values[k] for k in some)
            for some in subsets(range(2))
            if sum(prices[k] for k in some) <= budget
        ]
        assert max(fitting) == worth
        offers = [shown(f"{k}", price) for k, price in enumerate(prices)]
        chances = [
            [Fraction(int(j in block)) for j in range(sum(values))] for block in blocks(values)
        ]
        chosen = best_purchase(offers, chances, Fraction(100), budget)
        assert sum(values[int(each.name)] for each in chosen) == worth


def blocks(sizes: tuple[int, ...]) -> list[range]:
    ends = [sum(sizes[: k + 1]) for k in range(len(sizes))]
    return [range(end - size, end) for end, size in zip(ends, sizes, strict=True)]


def shown(name: str, price: object) -> Shown:
    return Shown(1, "A", name, Fraction(str(price)), Excerpt("", ""))


CHANCES = st.sampled_from([Fraction(k, 4) for k in range(5)])


@given(
    st.lists(st.tuples(st.integers(0, 9), CHANCES, CHANCES), max_size=5),
    st.integers(0, 12),
    st.one_of(st.none(), st.integers(0, 20)),
)
def test_no_set_that_can_be_paid_earns_more(
    offers: list[tuple[int, Fraction, Fraction]], worth: int, budget: int | None
) -> None:
    """Against all sets, with the expectation over which titles keep their promise, case by case."""

    def gain(some: tuple[int, ...]) -> Fraction:
        total = Fraction(0)
        for fact in (1, 2):
            for kept in subsets(some):
                chance = Fraction(1)
                for k in some:
                    chance *= offers[k][fact] if k in kept else 1 - offers[k][fact]
                total += chance * worth * bool(kept)
        return total - sum(offers[k][0] for k in some)

    sets = [
        some
        for some in subsets(range(len(offers)))
        if budget is None or sum(offers[k][0] for k in some) <= budget
    ]
    listed = [shown(str(k), offer[0]) for k, offer in enumerate(offers)]
    chosen = best_purchase(listed, [offer[1:] for offer in offers], Fraction(worth), budget)
    found = tuple(int(each.name) for each in chosen)
    assert found in sets
    assert gain(found) == max(map(gain, sets))
    assert all(gain(found) > gain(some) for some in subsets(found) if len(some) < len(found))


def test_a_title_is_believed_as_often_as_titles_are_right() -> None:
    for error, price, bought in [("1/10", 8, 1), ("1/10", 9, 0), ("1/2", 4, 1), ("1/2", 5, 0)]:
        corpus = corpus_of(passage("p1", price, [MAYOR]), error=error)
        market = Market.of(corpus, inspection=False)
        result = answer_question(market, ONE, IdealBuyer(corpus), 100)
        assert len(result.inquiry.purchases) == bought, (error, price)


def test_the_logit_buyer_buys_with_the_probabilities_of_the_formula() -> None:
    corpus = corpus_of(passage("p1", 4, [MAYOR]), passage("p2", 3, [OTHER], "B"))
    offers = tuple(
        Shown(1, each.owner, each.name, each.price, Excerpt(each.title, each.text))
        for each in corpus.passages
    )
    view = ToInspect(Question(str(ONE), 1, ()), (offers,), (), Fraction(100))
    gains = {(): 0, ("p1",): 6, ("p2",): -3, ("p1", "p2"): 3}
    total = sum(math.exp(gain / 2) for gain in gains.values())
    buyer = LogitBuyer(corpus, scale=2, draw=np.random.default_rng(1).random)
    sets, law = buyer.law(view)
    for some, chance in zip(sets, law, strict=True):
        assert chance == pytest.approx(math.exp(gains[tuple(e.name for e in some)] / 2) / total)
    drawn = Counter(tuple(e.name for e in buyer.choose(view)) for _ in range(4_000))
    for names, gain in gains.items():
        chance = math.exp(gain / 2) / total
        assert abs(drawn[names] / 4_000 - chance) < 5 * math.sqrt(chance * (1 - chance) / 4_000)


def seen(
    corpus: Corpus, budget: object, *, bought: tuple[str, ...] = (), titles: bool = False
) -> ToInspect:
    """Return what a buyer of the second question is shown, with some passages bought before."""
    excerpts = {
        each.name: Excerpt(each.title, None if titles else each.text) for each in corpus.passages
    }
    offers = tuple(
        Shown(1, each.owner, each.name, each.price, excerpts[each.name])
        for each in corpus.passages
        if each.name not in bought
    )
    had = tuple(Purchase(1, "A", name, 0, excerpts[name]) for name in bought)
    return ToInspect(Question(str(TWO), 1, ()), (offers,), had, Fraction(str(budget)))


def names_of(chosen: Sequence[Shown]) -> list[str]:
    return [each.name for each in chosen]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_sets_that_are_valued_alike_the_cheapest_is_bought(order: tuple[int, int]) -> None:
    made = [passage("dear", 3, [MAYOR], text="dear"), passage("cheap", 2, [MAYOR], text="cheap")]
    view = seen(corpus_of(*(made[k] for k in order)), 9)
    worth = {"dear": 5, "cheap": 4}
    buyer = ValuationBuyer(lambda question, texts: max((worth[text] for text in texts), default=0))
    assert names_of(buyer.choose(view)) == ["cheap"]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_shortlist_counts_all_that_a_passage_states(order: tuple[int, int]) -> None:
    made = [passage("one", 5, [MAYOR]), passage("both", 8, [MAYOR, BORN])]
    corpus = corpus_of(*(made[k] for k in order))
    assert IdealBuyer(corpus).shortlist(seen(corpus, 99), 1) == ["both"]
    alike = corpus_of(*(passage(name, 5, [MAYOR]) for name in "cab"))
    assert IdealBuyer(alike).shortlist(seen(alike, 99), 2) == ["c", "a"]


def test_verdicts_one_by_one_know_what_was_bought_and_what_is_left() -> None:
    corpus = corpus_of(*(passage(f"p{k}", 6, [MAYOR]) for k in range(3)))
    buyer = OneByOneBuyer(corpus)
    assert names_of(buyer.choose(seen(corpus, 17))) == ["p0", "p1"]
    assert names_of(buyer.choose(seen(corpus, 11))) == ["p0"]
    assert names_of(buyer.choose(seen(corpus, 99, bought=("p2",)))) == []


@pytest.mark.parametrize("error", [0, "1/4", "9/10"])
def test_a_title_that_promises_something_else_promises_nothing(error: object) -> None:
    corpus = corpus_of(passage("p1", 1, [OTHER]), passage("p2", "1/2", [MAYOR]), error=error)
    assert names_of(IdealBuyer(corpus).choose(seen(corpus, 99, titles=True))) == ["p2"]


def test_the_logit_buyer_reckons_that_each_title_may_be_wrong() -> None:
    """Worth 10, at 2 each: one of two titles that are wrong one time in four is right in 15/16."""
    corpus = corpus_of(*(passage(f"p{k}", 2, [MAYOR]) for k in range(2)), error="1/4")
    sets, law = LogitBuyer(corpus, scale=4).law(seen(corpus, 99, titles=True))
    assert [*map(names_of, sets)] == [[], ["p0"], ["p1"], ["p0", "p1"]]
    weights = [math.exp(gain / 4) for gain in (0, 7.5 - 2, 7.5 - 2, 75 / 8 - 4)]
    assert law == pytest.approx([weight / sum(weights) for weight in weights])


def test_keywords_stop_or_skip_at_what_cannot_be_paid() -> None:
    """Values 3 and 2 at prices 2 and 1, budget 1: stopping earns nothing (spec, B5)."""
    corpus = corpus_of(passage("p1", 2, [MAYOR]), passage("p2", 1, [MAYOR, BORN], "B"))
    names = {}
    for stops in (True, False):
        result = answer_question(
            Market.of(corpus), "mayor of Ilm", KeywordBuyer(corpus, stops=stops), 1
        )
        names[stops] = [each.name for each in result.inquiry.purchases]
    first = result.inquiry.offers[0].name
    assert names[False] == ["B: p2"]
    assert names[True] == ([] if first == "A: p1" else ["B: p2"])


# --- corpora


def test_a_corpus_is_what_it_says_it_is() -> None:
    corpus = facts_corpus(seed=3, passages=400, questions=150, owners=20, title_error="1/4")
    assert len(corpus.passages) == 400
    false = [each for each in corpus.passages if not each.states <= corpus.facts]
    silent = [each for each in corpus.passages if not each.states]
    assert len(false) == 20
    assert len(silent) == 80
    assert all(1 <= len(each.states) <= 4 for each in corpus.passages if each.states)
    stated = Counter(chain.from_iterable(each.states for each in corpus.passages))
    for question in corpus.questions:
        needed = corpus.needs(question)
        assert len(needed) == len(question.relations)
        assert all(stated[fact] for fact in needed)
        assert corpus.answer(question, [each.text for each in corpus.passages]) == needed[-1].value
    assert {len(question.relations) for question in corpus.questions} == {1, 2}
    for each in corpus.passages:
        assert all(fact.value in each.text and fact.subject in each.text for fact in each.states)


def test_one_seed_is_one_corpus_and_another_is_another() -> None:
    assert facts_corpus(seed=5) == facts_corpus(seed=5)
    assert facts_corpus(seed=5) != facts_corpus(seed=6)
    right = facts_corpus(seed=5, title_error=0, distractors=0, contradictions=0)
    assert right.title_error == 0
    for each in right.passages:
        assert each.promises <= each.states


@pytest.mark.parametrize(
    ("error", "distractors", "contradictions", "broken"),
    [
        (0, "1/5", "1/20", "1/4"),
        ("1/4", 0, 0, "1/4"),
        ("1/4", "1/5", "1/20", "7/16"),
        ("1/2", 0, "1/2", "3/4"),
        (1, 0, 0, 1),
    ],
)
def test_titles_are_broken_as_often_as_the_corpus_says(
    error: object, distractors: object, contradictions: object, broken: object
) -> None:
    corpus = facts_corpus(
        seed=3,
        passages=4_000,
        questions=1,
        title_error=error,
        distractors=distractors,
        contradictions=contradictions,
        duplicates=0,
    )
    chance = float(Fraction(str(broken)))
    assert corpus.title_error == Fraction(str(broken))
    kept = sum(each.promises <= each.states for each in corpus.passages)
    assert abs(1 - kept / 4_000 - chance) < 5 * math.sqrt(chance * (1 - chance) / 4_000) + 0.005
    false = sum(not each.states <= corpus.facts for each in corpus.passages)
    assert false == 4_000 * Fraction(str(contradictions))


@pytest.mark.parametrize("promising", [0, 1])
def test_titles_of_one_s_own_are_understood(promising: int) -> None:
    made = [
        Passage(
            f"p{k}",
            f"owner {k}",
            4,
            f"Who governs, part {k}",
            f"text {k}",
            frozenset((MAYOR,)),
            frozenset((MAYOR if k == promising else OTHER,)),
        )
        for k in range(2)
    ]
    corpus = corpus_of(*made)
    market = Market.of(corpus, BM25(above=-1), inspection=False)
    result = answer_question(market, ONE, IdealBuyer(corpus), 100)
    assert len(result.inquiry.offers) == 2
    assert [each.seller for each in result.inquiry.purchases] == [f"owner {promising}"]


@pytest.mark.parametrize(
    ("terms", "error"),
    [
        ({"passages": 0}, InvalidInputError),
        ({"owners": 0}, InvalidInputError),
        ({"title_error": 2}, InvalidInputError),
        ({"title_error": -1}, InvalidInputError),
        ({"duplicates": "1/2", "distractors": "1/2"}, InvalidInputError),
        ({"passages": 10**9}, LimitError),
    ],
)
def test_corpora_that_are_none_are_refused(terms: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        facts_corpus(**terms)


def test_extreme_corpora_are_made() -> None:
    for passages, questions, owners in [(1, 0, 1), (1, 5, 9), (2, 1, 1), (7, 100, 50)]:
        corpus = facts_corpus(seed=1, passages=passages, questions=questions, owners=owners)
        assert len(corpus.passages) == passages
        assert len({each.owner for each in corpus.passages}) == min(passages, owners)
    only = facts_corpus(seed=1, passages=40, duplicates=0, distractors=0, contradictions=0)
    assert all(each.states <= only.facts and each.states for each in only.passages)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Corpus(()), "passages are none"),
        (lambda: Corpus((passage("p", 1, [MAYOR]), passage("p", 2, [BORN]))), "there twice"),
        (lambda: Corpus((passage("p", -1, [MAYOR]),)), "price of p is negative"),
        (lambda: passage("p", 10**5_000, [MAYOR]), "price of p has more than 4000 digits"),
        (lambda: FactQuestion("q", "Ilm", ("r",) * 51, 1), "relations are more than 50"),
        (lambda: FactQuestion("q", "Ilm", ("r", "x" * 1_001), 1), "relations has more than 1,000"),
        (lambda: FactQuestion("q", "x" * 1_001, ("r",), 1), "subject of a question has more"),
        (lambda: Statement("Ilm", "mayor", "x" * 1_001), "value of a statement has more than"),
        (
            lambda: FactQuestion("q", "Ilm", ("mayor",), 10**5_000),
            "worth of q has more than 4000 digits",
        ),
        (lambda: Corpus((passage("p", 1, []),), (ONE, ONE)), "there twice"),
        (
            lambda: corpus_of_facts(MAYOR, Statement("Ilm", "mayor", "x")),
            "twice",
        ),
        (lambda: passage("p", 0.5, []), "price of p"),
        (lambda: passage(" ", 1, []), "name of a passage is empty"),
        (lambda: FactQuestion("q", "Ilm", (), 1), "relations are none"),
        (lambda: FactQuestion("q", "Ilm", ("mayor",), -1), "worth of q is negative"),
    ],
)
def test_parts_that_are_none_are_refused(make: Any, said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        make()


def test_more_offers_than_can_be_compared_are_refused() -> None:
    rng = np.random.default_rng(1)
    titles = rng.random((80, 12)) < 0.3
    offers = [shown(str(k), int(rng.integers(2, 15))) for k in range(80)]
    chances = [[Fraction(int(kept), 2) for kept in row] for row in titles]
    with pytest.raises(LimitError, match="more than the limit of 200,000 steps"):
        best_purchase(offers, chances, Fraction(20))
    assert [each.name for each in best_purchase(offers, [[Fraction(1)]] * 80, Fraction(20))] == [
        min(offers, key=lambda offer: offer.price).name
    ]


# --- the whole market


def test_inspection_helps_and_so_do_hops() -> None:
    corpus = facts_corpus(seed=1, passages=80, questions=24, owners=8, title_error="1/4")
    earned = {}
    for inspection in (True, False):
        market = Market.of(corpus, examine=10, inspection=inspection)
        for hops in (0, 1):
            results = [
                (answer_question(market, each, IdealBuyer(corpus), 30, hops=hops), each)
                for each in corpus.questions
            ]
            earned[inspection, hops] = sum(r.worth(corpus, q) - r.spent for r, q in results)
            assert all(result.spent <= 30 for result, _ in results)
            for result, _ in results:
                result.ledger.audit()
    assert earned[True, 1] > earned[True, 0] > earned[False, 0]
    assert earned[True, 1] > earned[False, 1]
