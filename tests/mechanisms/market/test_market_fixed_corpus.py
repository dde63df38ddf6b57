"""The set of passages and questions that comes with the package, and corpora as JSON."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dev_environments import ROOT
from mechanisms.market import (
    Corpus,
    FactQuestion,
    IdealBuyer,
    Market,
    Passage,
    Statement,
    answer_question,
    corpus_from_json,
    corpus_to_json,
    facts_corpus,
    fixed_corpus,
    paraphrase,
)
from theory.errors import InvalidInputError, NumberError

PACKED = files("mechanisms.market").joinpath("fixed_corpus.json")


def test_the_fixed_set_is_what_the_generator_gives_for_its_seed() -> None:
    corpus = facts_corpus(2, title_error="1/10")
    assert corpus == fixed_corpus()
    assert corpus_to_json(corpus, "CC0-1.0") == PACKED.read_text("utf-8")
    assert len(PACKED.read_bytes()) < 150_000


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return fixed_corpus()


def test_the_fixed_set_has_what_the_market_is_about(corpus: Corpus) -> None:
    """What the issue asks for: sizes, duplicates, distractors, contradictions, two hops."""
    assert (len(corpus.passages), len(corpus.questions)) == (200, 110)
    texts = Counter(passage.text for passage in corpus.passages)
    assert max(texts.values()) == 1
    assert all(len(passage.states) <= 4 for passage in corpus.passages)
    assert sum(not passage.states for passage in corpus.passages) == 40
    false = [each for each in corpus.passages if not each.states <= corpus.facts]
    assert len(false) == 10
    known = {(fact.subject, fact.relation): fact.value for fact in corpus.facts}
    for passage in false:
        [statement] = passage.states - corpus.facts
        assert known[statement.subject, statement.relation] != statement.value
    prices: dict[frozenset[Statement], set[Fraction]] = {}
    for passage in corpus.passages:
        if passage.states:
            prices.setdefault(passage.states, set()).add(passage.price)
    assert sum(len(each) > 1 for each in prices.values()) >= 10, "the same facts at another price"
    assert [len(question.relations) for question in corpus.questions] == [1, 2] * 55
    kept = sum(passage.promises <= passage.states for passage in corpus.passages)
    assert 1 - corpus.title_error == Fraction(kept, 200)


def test_a_sentence_of_each_fact_stands_in_a_text_that_states_it(corpus: Corpus) -> None:
    for passage in corpus.passages:
        for statement in passage.states:
            sentences = re.split(r"(?<=\.) ", passage.text)
            assert any(
                statement.subject in sentence and statement.value in sentence
                for sentence in sentences
            )


def test_a_paraphrase_says_all_that_a_passage_states_in_other_sentences(corpus: Corpus) -> None:
    for passage in corpus.passages:
        if passage.states:
            other = paraphrase(passage)
            assert replace(other, text=passage.text) == passage
            assert not [each for each in other.text.split(". ") if each in passage.text]
            assert other.text.count(".") == len(passage.states) + 1  # and a remark
            for fact in passage.states:
                assert fact.value in other.text
                assert fact.subject in other.text


def test_its_questions_are_answerable(corpus: Corpus) -> None:
    """By all texts; and by what the ideal buyer buys with enough money, most of them."""
    texts = [passage.text for passage in corpus.passages]
    market = Market.of(corpus, examine=50, offer=6)
    answered = 0
    for question in corpus.questions:
        needs = corpus.needs(question)
        assert len(needs) == len(question.relations)
        assert corpus.answer(question, texts) == needs[-1].value
        for needed in needs:
            least = min(p.price for p in corpus.passages if needed in p.states)
            assert least <= 100
    for question in corpus.questions[:30]:
        result = answer_question(market, question, IdealBuyer(corpus), 200, hops=1)
        answered += result.answer == corpus.needs(question)[-1].value
    assert answered >= 20


@pytest.mark.slow
def test_the_fixed_set_is_in_the_wheel(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = archive.read("mechanisms/market/fixed_corpus.json")
    assert packed == PACKED.read_bytes()


NAMES = st.text(min_size=1, max_size=6).filter(lambda text: text.strip())
WORDS = st.sampled_from(["", "a", "b", 'a "quote"', "line\nline", "\u2028ü"])
STATEMENTS = st.frozensets(st.builds(Statement, WORDS, WORDS, WORDS), max_size=2)
PRICES = st.sampled_from([Fraction(0), Fraction(5, 3), Fraction(10**30, 7)])
PASSAGES = st.builds(Passage, NAMES, NAMES, PRICES, WORDS, NAMES, STATEMENTS, STATEMENTS)
RELATIONS = st.lists(WORDS, min_size=1, max_size=3).map(tuple)
QUESTIONS = st.builds(FactQuestion, NAMES, WORDS, RELATIONS, PRICES)
CORPORA = st.builds(
    Corpus,
    st.lists(PASSAGES, min_size=1, max_size=3, unique_by=lambda each: each.name),
    st.lists(QUESTIONS, max_size=2, unique_by=(lambda each: each.name, str)),
    st.frozensets(st.builds(Statement, WORDS, st.just("r"), st.just("v")), max_size=3),
    st.sampled_from([0, Fraction(1, 3)]),
)


@settings(max_examples=40)
@given(CORPORA)
def test_json_gives_a_corpus_back(corpus: Corpus) -> None:
    text = corpus_to_json(corpus, 'a "licence"')
    assert corpus_from_json(text) == corpus
    assert corpus_from_json(text.encode()) == corpus
    json.loads(text)  # any reader of JSON takes it


PASSAGE = '{"name": "p1", "owner": "A", "price": %s, "title": "t", "text": "x"}'
BROKEN = [
    ("", "cannot be read"),
    ("[]", "cannot be read"),
    ('{"passages": []}', "passages are none"),
    ('{"passages": [{"name": "p1"}]}', r"missing required field `owner` - at `\$.passages"),
    (f'{{"passages": [{PASSAGE % 2}, {PASSAGE % 2}]}}', "twice.*p1"),
    (f'{{"passages": [{PASSAGE % 2.5}]}}', r"price`"),
    (f'{{"passages": [{PASSAGE % "true"}]}}', r"price`"),
    (f'{{"passages": [{PASSAGE % -1}]}}', "price of p1.*negative"),
    (f'{{"passages": [{PASSAGE % 2}], "colour": 1}}', "colour"),
    (f'{{"passages": [{PASSAGE % 2}], "facts": [["a", "b"]]}}', "facts"),
    (f'{{"passages": [{PASSAGE % 2}], "title_error": 2}}', "title_error"),
    (f'{{"passages": [{PASSAGE % 2}], "facts": [["a", "b", "c"], ["a", "b", "d"]]}}', "twice"),
    ("[" * 100_000, "cannot be read"),
    (b'{"passages": [{"name": "\xff"}]}', "cannot be read"),
]


@pytest.mark.parametrize(("text", "said"), BROKEN)
def test_what_is_no_corpus_is_refused(text: str | bytes, said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        corpus_from_json(text)


@pytest.mark.parametrize("price", ['"nan"', '"inf"', '"1e400000000"', '"two"'])
def test_prices_that_are_none_are_refused(price: str) -> None:
    with pytest.raises(NumberError, match="price of p1"):
        corpus_from_json(f'{{"passages": [{PASSAGE % price}]}}')


def test_a_surrogate_is_refused(corpus: Corpus) -> None:
    odd: Any = replace(corpus.passages[0], text="\ud800")
    with pytest.raises(InvalidInputError, match="Unicode"):
        corpus_to_json(Corpus((odd,)))
