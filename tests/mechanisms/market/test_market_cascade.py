"""Retrieval in stages, rewritten questions, rerankers, and what is shared between vendors."""

from __future__ import annotations

import math
import pickle
from copy import deepcopy
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from llm_adapters.fakes import HashEmbedder
from mechanisms.errors import ParticipantError
from mechanisms.market import (
    BM25,
    Cascade,
    Corpus,
    Embedded,
    Fused,
    IdealBuyer,
    KeywordBuyer,
    Market,
    Passage,
    Reranked,
    Rewritten,
    ValuationBuyer,
    Vendor,
    answer_question,
    facts_corpus,
)
from theory.errors import InvalidInputError, MechproofError

WORDS = ("ilm", "gol", "raun", "lies", "on", "the")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)


def shelf(*texts: str, owner: str = "A") -> tuple[Passage, ...]:
    return tuple(Passage(f"{owner}{k}", owner, 1, "", text) for k, text in enumerate(texts))


# --- BM25, shared


@given(st.lists(TEXTS, min_size=1, max_size=9), st.lists(st.booleans(), min_size=9), TEXTS)
def test_a_vendor_scores_as_the_whole_market_does(
    texts: list[str], has: list[bool], query: str
) -> None:
    """Metamorphic: what a vendor sells is scored as in the market, wherever it stands there."""
    market = shelf(*texts)
    retrieval = BM25(market)
    whole = dict(retrieval.rank(query, market))
    own = tuple(passage for passage, kept in zip(market, has, strict=False) if kept)
    ranked = retrieval.rank(query, own)
    assert {own[k].name: score for k, score in ranked} == {
        market[k].name: score for k, score in whole.items() if market[k] in own
    }
    copies = tuple(Passage(p.name, "B", 2, p.title, p.text) for p in own)  # other objects
    for same, sold in (
        (BM25(market), copies),
        (deepcopy(retrieval), own),
        (pickle.loads(pickle.dumps(retrieval)), own),
    ):
        again = same.rank(query, sold)
        assert [place for place, _ in again] == [place for place, _ in ranked]
        assert [score for _, score in again] == pytest.approx([score for _, score in ranked])


def test_another_market_in_the_same_place_is_not_confused() -> None:
    """A copy's passages may get the identities of passages that are gone."""
    for text in ("ilm", "gol"):
        market = shelf(text, "raun")
        kept = pickle.loads(pickle.dumps((BM25(market), market)))
        assert [k for k, _ in kept[0].rank(text, kept[1])] == [0]


def test_words_that_only_a_stranger_has_are_scored() -> None:
    """A passage that is not in the market has words that the market has not."""
    retrieval = BM25(shelf("ilm", "ilm gol"))
    for others, having in ((("gol", "raun"), 1), (("raun", "gol", "raun"), 2)):
        places = [k for k, text in enumerate(others) if text == "raun"]
        ranked = retrieval.rank("raun", shelf(*others, owner="B"))
        assert [place for place, _ in ranked] == places
        idf = math.log(1 + (2 - having + 0.5) / (having + 0.5))
        for _, score in ranked:  # one word, where a passage of the market has 3/2
            assert score == pytest.approx(idf * 2.5 / (1 + 1.5 * (0.25 + 0.75 * 2 / 3)))
    assert retrieval.rank("raun", shelf("gol")) == []


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), max_size=60), st.integers(1, 9))
def test_the_best_are_those_of_a_sort(scores: list[float], top: int) -> None:
    class Given:
        """An embedder whose cosines are the scores."""

        def embed(self, texts: Any) -> Any:
            number = [0 if text == "?" else 1 + int(text.strip()) for text in texts]
            table = [[1.0, 0.0], *([s / 2, math.sqrt(1 - s * s / 4)] for s in scores)]
            return np.array([table[k] for k in number])

    own = tuple(Passage(f"p{k}", "A", 1, "", str(k)) for k in range(len(scores)))
    ranked = Embedded(Given(), above=0.3, top=top).rank("?", own)
    wanted = sorted((k for k, s in enumerate(scores) if s / 2 > 0.3), key=lambda k: (-scores[k], k))
    assert [k for k, _ in ranked] == wanted[:top]


@pytest.mark.parametrize("top", [1, 30, 400, 700])
def test_the_best_of_thousands_are_those_of_a_sort(top: int) -> None:
    """Most have equal scores, also where the best end."""
    own = shelf(*("ilm " * (1 + k % 3) + "gol" * (k % 2) for k in range(3000)))
    ranked = BM25(own, top=top).rank("ilm", own)
    scores = BM25(own).scores("ilm", own)
    wanted = sorted(range(len(own)), key=lambda k: (-scores[k], k))[:top]
    assert ranked == [(k, scores[k]) for k in wanted]


# --- in stages


class Listed:
    """Anybody's retrieval: says what it is told to, and remembers what it was given."""

    def __init__(self, ranking: Any) -> None:
        self.ranking = ranking
        self.given: list[tuple[str, list[str]]] = []

    def rank(self, query: str, passages: Any) -> Any:
        self.given.append((query, [passage.text for passage in passages]))
        return self.ranking


def test_each_stage_ranks_what_the_one_before_has_left() -> None:
    own = shelf("a", "b", "c", "d")
    first, second = Listed([(3, 9.0), (1, 8.0), (0, 7.0)]), Listed([(2, 0.4), (0, 0.3)])
    assert Cascade([first, second]).rank("?", own) == [(0, 0.4), (3, 0.3)]
    assert second.given == [("?", ["d", "b", "a"])]
    assert Cascade([first]).rank("?", own) == first.ranking
    assert Cascade([Listed([]), second]).rank("?", own) == []
    assert len(second.given) == 1


def test_the_vendor_of_the_paper_thresholds_then_takes_the_top() -> None:
    """BM25 above .5, the best 30; of them the cosine above .8, the best 10 (section 3)."""
    texts = [f"ilm word{k} " * 3 for k in range(40)] + ["gol"] * 20
    own = shelf(*texts)
    query = "ilm word7 word8"
    by_words = [place for place, _ in BM25(own, above=0.5).rank(query, own)]
    assert len(by_words) == 30
    near = Embedded(HashEmbedder(512), above=0.1)
    ranked = Cascade([BM25(own, above=0.5), near]).rank(query, own)
    cosines = dict(Embedded(HashEmbedder(512), above=0.1, top=60).rank(query, own))
    wanted = sorted((k for k in by_words if k in cosines), key=lambda k: -cosines[k])[:10]
    assert sorted(cosines[k] for k, _ in ranked) == sorted(cosines[k] for k in wanted)
    assert all(score == cosines[k] for k, score in ranked)
    assert (near.top, near.above) == (10, 0.1)
    assert (Embedded(HashEmbedder()).above, BM25().top) == (0.8, 30)


def test_each_text_is_embedded_once() -> None:
    class Counting(HashEmbedder):
        texts = 0

        def embed(self, texts: Any) -> Any:
            self.texts += len(texts)
            return super().embed(texts)

    embedder = Counting(64)
    own = shelf("ilm", "gol", "raun", "ilm")
    stages = Cascade([Listed([(2, 1.0), (0, 0.5)]), Embedded(embedder, above=0)])
    for query in ("ilm", "raun"):
        assert len(stages.rank(query, own)) == 1
    assert embedder.texts == 2 + 2  # two passages that are left, two questions


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize(
    ("ranking", "said"),
    [
        ([(4, 1.0)], "names passage 4"),
        ([(0, 1.0), (0, 1.0)], "twice"),
        ([(0, math.nan)], "no finite score"),
        (3, "is no list"),
    ],
)
def test_a_stage_that_ranks_what_there_is_not_is_refused(
    place: int, ranking: Any, said: str
) -> None:
    own = shelf("a", "b", "c")
    stages: list[Any] = [Listed([(2, 1.0), (0, 1.0)]), Listed([(1, 1.0)])]
    stages[place] = Listed(ranking)
    for combined in (Cascade(stages), Fused(stages)):
        with pytest.raises(InvalidInputError, match=said):
            combined.rank("?", own)
        with pytest.raises(ParticipantError, match=f"A raised .*{said}"):
            answer_question(Market((Vendor("A", own, combined),)), "?", lambda ask: "", 5)


# --- rewritten questions


def test_a_question_is_rewritten_once_for_all_vendors() -> None:
    asked = []

    def rewrite(question: str) -> str:
        asked.append(question)
        return question.removeprefix("Where is ")

    inner = Listed([(0, 1.0)])
    retrieval = Rewritten(inner, rewrite)
    sellers = tuple(Vendor(name, shelf(name, owner=name), retrieval) for name in "ABC")
    result = answer_question(Market(sellers), "Where is Ilm", KeywordBuyer(facts_corpus()), 9)
    assert asked == ["Where is Ilm"]
    assert [query for query, _ in inner.given] == ["Ilm"] * 3
    assert len(result.inquiry.bought) == 3
    assert retrieval.rank("Where is Gol", shelf("x")) == [(0, 1.0)]
    assert asked == ["Where is Ilm", "Where is Gol"]


def test_a_text_that_is_none_is_refused_and_the_vendor_named() -> None:
    def silent(text: str) -> Any:
        return None

    vendor = Vendor("A", shelf("x"), Rewritten(BM25(), silent))
    with pytest.raises(ParticipantError, match=r"A raised .*is not a str"):
        answer_question(Market((vendor,)), "?", lambda ask: "", 5)


# --- rerankers


class Scored:
    """Scores what it reads by a table."""

    def __init__(self, scores: Any) -> None:
        self.by_text = scores
        self.read: list[str | None] = []

    def scores(self, query: str, passages: Any) -> Any:
        self.read += [each.text for each in passages]
        return [self.by_text[each.text] for each in passages]


def test_the_shortlist_holds_what_is_scored_the_highest() -> None:
    own = shelf("a", "b", "c", "d")
    market = Market((Vendor("A", own, Listed([(k, 4.0 - k) for k in range(4)])),), offer=2)
    reranker = Scored({"a": 0, "b": 5, "c": 1, "d": 5})
    buyer = Reranked(KeywordBuyer(Corpus(own)), reranker)
    result = answer_question(market, "?", buyer, 9)
    assert [offer.name for offer in result.inquiry.offers] == ["A: A1", "A: A3"]
    assert reranker.read == ["a", "b", "c", "d"]
    assert result.answer == "b\n\nd"
    first = answer_question(Market(market.vendors, offer=1), "?", buyer, 9)
    assert first.answer == "b"
    plain = answer_question(market, "?", KeywordBuyer(Corpus(own)), 9)
    assert plain.answer == "a\n\nb"


def test_nothing_is_reranked_without_inspection() -> None:
    """Section 3: the buyer relies solely on titles."""
    own = shelf("a", "b", "c")
    sellers = (Vendor("A", own, Listed([(2, 3.0), (1, 2.0), (0, 1.0)])),)
    reranker = Scored({})
    buyer = Reranked(KeywordBuyer(Corpus(own)), reranker)
    result = answer_question(Market(sellers, offer=1, inspection=False), "?", buyer, 9)
    assert [offer.name for offer in result.inquiry.offers] == ["A: A2"]
    assert reranker.read == []


def test_words_of_what_is_examined_are_the_default() -> None:
    own = shelf("ilm ilm on", "the raun", "ilm raun")
    market = Market((Vendor("A", own, Listed([(k, 1.0) for k in range(3)])),), offer=2)
    buyer = Reranked(KeywordBuyer(Corpus(own)))
    result = answer_question(market, "ilm raun", buyer, 9)
    best = [own[k].name for k, _ in BM25(own).rank("ilm raun", own)][:2]
    assert {offer.name for offer in result.inquiry.offers} == {f"A: {name}" for name in best}
    near = Reranked(KeywordBuyer(Corpus(own)), Embedded(HashEmbedder(256)))
    result = answer_question(Market(market.vendors, offer=1), "the raun", near, 9)
    assert result.answer == "the raun"


@pytest.mark.parametrize(
    "scores", [[1.0], [1.0, math.nan, 0.0], "abc", None, [1, 2, "x"], [1, 2, 3, 4]]
)
def test_scores_that_are_none_are_refused(scores: Any) -> None:
    class Odd:
        def scores(self, query: str, passages: Any) -> Any:
            return scores

    market = Market((Vendor("A", shelf("a a", "a b", "a c")),), offer=1)
    with pytest.raises(ParticipantError, match=r"raised .*scores"):
        answer_question(market, "a", Reranked(KeywordBuyer(facts_corpus()), Odd()), 9)


# --- a valuation, and bad input


def test_a_valuation_buyer_buys_the_best_set() -> None:
    """Two copies are worth one; two halves are worth nothing apart."""
    own = [
        Passage(name, "A", price, "", text)
        for name, price, text in [
            ("1", 3, "left half"),
            ("2", 4, "right half"),
            ("3", 2, "copy half"),
        ]
    ]
    market = Market((Vendor("A", tuple(own)),), offer=3)

    def halves(question: str, texts: list[str]) -> Fraction:
        found = {text.split()[0] for text in texts}
        return Fraction(10 * ({"left", "right"} <= found) + 3 * ("copy" in found))

    for budget, wanted in [(9, {"1", "2", "3"}), (8, {"1", "2"}), (6, {"3"}), (1, set())]:
        result = answer_question(market, "half", ValuationBuyer(halves), budget)
        assert {purchase.name for purchase in result.inquiry.bought} == {
            f"A: {name}" for name in wanted
        }
    few = Market(market.vendors, offer=1)
    result = answer_question(few, "half", ValuationBuyer(halves), 9)
    assert result.answer == "copy half"


def test_a_valuation_without_inspection_reads_titles() -> None:
    own = (Passage("1", "A", 1, "Ilm", "gol"), Passage("2", "A", 1, "Gol", "gol"))
    market = Market((Vendor("A", own),), inspection=False)
    buyer = ValuationBuyer(lambda question, texts: 3 * texts.count("Gol"))
    result = answer_question(market, "gol", buyer, 9)
    assert [purchase.name for purchase in result.inquiry.bought] == ["A: 2"]


@pytest.mark.parametrize("value", [math.nan, 0.5, "x", None])
def test_a_value_that_is_none_is_refused(value: Any) -> None:
    market = Market((Vendor("A", shelf("a")),))
    buyer = ValuationBuyer(lambda question, texts: value)
    with pytest.raises(ParticipantError, match="value of the buyer"):
        answer_question(market, "a", buyer, 9)


def test_bad_settings_are_refused_by_name() -> None:
    """Section 5 of the spec."""
    own = shelf("a")
    calls: dict[str, Any] = {
        "passages are none": lambda: Corpus(()),
        "passages is there twice .*A0": lambda: Corpus((*own, *own)),
        "price of p": lambda: Passage("p", "A", math.nan, "", ""),
        "price of p is negative": lambda: Passage("p", "A", -1, "", ""),
        "retrievals are none": lambda: Cascade([]),
    }
    for said, call in calls.items():
        with pytest.raises(MechproofError, match=said):
            call()


@pytest.mark.parametrize("question", ["", " ", "?!", "zebra"])
def test_a_question_without_words_finds_nothing(question: str) -> None:
    corpus = facts_corpus(seed=0, passages=12, questions=2, owners=3)
    result = answer_question(Market.of(corpus), question, IdealBuyer(corpus), 9)
    assert (result.inquiry.offers, result.spent, result.answer) == ((), 0, "not known")


@given(st.lists(TEXTS, min_size=1, max_size=6), TEXTS, st.integers(0, 9), st.integers(1, 3))
def test_any_market_of_texts_keeps_its_money(
    texts: list[str], question: str, budget: int, offer: int
) -> None:
    own = shelf(*texts[:3]) + shelf(*texts[3:], owner="B")
    corpus = Corpus(own)
    retrieval = Cascade([BM25(own), Embedded(HashEmbedder(64), above=0.05)])
    market = Market.of(corpus, retrieval, offer=offer)
    result = answer_question(market, question, Reranked(KeywordBuyer(corpus)), budget)
    result.ledger.audit()
    assert result.spent <= budget
    contents: list[Any] = [purchase.content for purchase in result.inquiry.bought]
    bought = [content.text for content in contents]
    assert len({*bought}) == len(bought)
    assert set(bought) <= set(texts)
