"""Words that are harmless one by one, in rows that ask, name, contradict or decide."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import pytest
from sweeps import mostly_slow

from llm_adapters.errors import UnreadableError
from llm_adapters.parsing import (
    read_amount,
    read_choice,
    read_choices,
    read_probabilities,
    read_probability,
    read_verdicts,
)

OPTIONS = ("Option 1", "Option 2", "Option 3")
ASKING = ("would", "will", "is", "are", "do", "does", "should", "could", "can", "may", "might")


def listed(texts: str) -> list[str]:
    """Return texts between bars; a slash is a line break."""
    return [text.strip().replace("/", "\n") for text in texts.replace("\n", "|").split("|") if text]


def those_read(read: Callable[[str], Any], texts: Iterable[str]) -> dict[str, Any]:
    found = {}
    for text in texts:
        try:
            found[text] = read(text)
        except UnreadableError:
            continue
    return found


AFTER_NONE = """
 I will. Buy these options|. go with these|: take these|: I buy the options|. I will buy them.
: with these options I go| take these|. these options|, these|. I will| of these I will buy
, I choose them| = the options| of the options I buy| is my choice of these|/these|. take it
!/with them| of| of options| these|, none|/none|:|,|;| of my options| is it|:/Option 1| options
 it is| of these buy| of them, I choose| of it| of the| of them of them|. I would buy| & these
"""


@pytest.mark.parametrize("word", ["none", "Nothing", "**None**", "I would buy nothing"])
def test_nothing_but_of_what_follows_none(word: str) -> None:
    texts = [word + after.replace("|", "") for after in AFTER_NONE.replace("\n", "|").split("|")]
    texts = [text.replace("/", "\n") for text in texts if text != word]
    assert len(texts) > 30
    assert those_read(lambda text: read_choices(text, OPTIONS), texts) == {}


@pytest.mark.parametrize(
    "of", ["", " of them", " of these", " of the options", " of these options"]
)
@pytest.mark.parametrize("ended", ["", ".", "!", ".\n"])
def test_none_of_them_declines(of: str, ended: str) -> None:
    for word in ("none", "Nothing", "- None", "I choose none", "My answer: none", "It is none"):
        assert read_choices(f"{word}{of}{ended}", OPTIONS) == ()
    assert read_choices(f"**None{of}**{ended}", OPTIONS) == ()


BEFORE = ("", "my ", "the ", "My final ", "- ", "**", '"', "here is my ", "I would bid\nmy ")
NOUNS_OF_BIDS = ("Offer", "answer", "Bid", "PRICE", "amount", "value", "Ｂid")
MARKS = (" ", "\u00a0", ", ", ". ", "! ", "; ", "\n", "\n\n", " (", "\n- ", " final ", " my ")


@pytest.mark.parametrize("noun", mostly_slow(NOUNS_OF_BIDS, 2))
def test_a_noun_before_a_number_may_be_its_name(noun: str) -> None:
    texts = [
        f"{before}{noun}{before.strip() if before in '**' else ''}{mark}{number}"
        for before, mark, number in product(BEFORE, MARKS, ("5",))
    ]
    texts += [f"{noun} {number} is {rest}" for number in "15" for rest in ("my bid", "it", "")]
    assert those_read(read_amount, texts) == {}


NOUNS_OF_BELIEFS = ("answer", "Estimate", "P", "probability", "Chance", "likelihood")


@pytest.mark.parametrize("noun", mostly_slow(NOUNS_OF_BELIEFS, 2))
def test_a_noun_before_a_number_is_no_certainty(noun: str) -> None:
    texts = [
        f"{before}{noun}{before.strip() if before in '**' else ''}{mark}{number}"
        for before, mark, number in product(BEFORE, MARKS, ("1",))
    ]
    assert those_read(read_probability, texts) == {}


@pytest.mark.parametrize("number", ["1", "0", "**1**", "1.", "`1`", '"1"'])
@pytest.mark.parametrize("before", ["# ", "## ", "\n# ", "#", "＃ ", "My bid is\n# ", "P:\n# "])
def test_numbers_after_the_sign_for_number_are_names(before: str, number: str) -> None:
    assert those_read(read_amount, [before + number]) == {}
    assert those_read(read_probability, [before + number]) == {}


def test_what_something_is_worth_is_no_bid_for_it() -> None:
    texts = listed("""
    My value is 5|my value: 10|5 is the value|Value = 5|the value is 5|5 is my value|$5 value
    here is my value: 5|my final value would be 5|I value it 5|the value: 5|value 5|**Value:** 5
    """)
    assert those_read(read_amount, texts) == {}


def test_a_point_before_three_digits_may_be_for_thousands() -> None:
    texts = listed("""
    €1.500|5.000|$1.500|1.500 dollars|My bid is 1.500|-1.500|999.999|Bid: 10.000|12.345|＄1．500
    USD 1.500|**1.500**|+1.500|007.500|1.500€|1.000|1.000.
    """)
    assert those_read(lambda text: read_amount(text, least=-(10**9)), texts) == {}
    with pytest.raises(UnreadableError, match="for decimals or for thousands"):
        read_amount("1.500")


@pytest.mark.parametrize("word", mostly_slow(ASKING, 4))
def test_options_in_questions_without_a_mark_are_refused(word: str) -> None:
    subjects = ("I buy", "it", "I take", "my choice", "the answer", "")
    texts = [f"{word} {subject} Option 1" for subject in subjects]
    texts += [f"{word} Option 1 {rest}" for rest in (*subjects, "be it")]
    texts += [lead + text for text in texts for lead in ("My answer is: ",)]
    texts += listed("""
    would I go with Option 1|Option 1 is it|Option 1: is it|Option 1: would I|Option 1 would I buy
    is it/Option 1|would I/Option 1|the answer would I buy Option 1|here is it: Option 1
    """)
    assert those_read(lambda text: read_choice(text, OPTIONS), texts) == {}
    assert those_read(lambda text: read_choices(text, OPTIONS), texts) == {}
    none = [f"{word} {subject} none" for subject in subjects]
    assert those_read(lambda text: read_choices(text, OPTIONS), none) == {}


@pytest.mark.parametrize("word", mostly_slow(ASKING, 4))
def test_numbers_in_questions_without_a_mark_are_refused(word: str) -> None:
    subjects = ("I pay", "I bid", "it", "my price", "the probability", "the answer", "p", "")
    texts = [f"{word} {subject} 1" for subject in subjects]
    texts += [f"{word} 1 {rest}" for rest in (*subjects, "be my bid")]
    texts += [f"{lead}{text}" for text in texts for lead in ("Answer: ",)]
    texts += ["1 is", "1 would", "1 is it", "1: is it", "my answer is would 1 be", "is\n1", "is: 1"]
    assert those_read(read_amount, texts) == {}
    assert those_read(read_probability, texts) == {}


def test_verdicts_and_laws_in_questions_are_refused() -> None:
    verdicts = listed("""
    A: is it accept|A: would I accept|A: is accept|is A: accept|A is: accept|A: accept is it
    A: will I accept|is it A: accept|A: would accept|would I: A: accept|A/is it/accept|A:/would I
    """)
    assert those_read(lambda text: read_verdicts(text, ["A"], ("accept", "reject")), verdicts) == {}
    laws = listed("""
    rain: answer 1; sun: answer 0|rain: probability 1; sun: probability 0|rain: is 1; sun: 0
    is it rain: 1; sun: 0|rain is: 1; sun: 0|is [0,1] my answer|would [0,1]|is the answer [0,1]
    rain: would 1; sun: 0|the answer is [0,1] is|rain: 1; sun: 0. is it|rain the answer: 1; sun: 0
    [0,1] is|[0,1] would be|will be: [0,1]|the [0,1]
    """)
    assert those_read(lambda text: read_probabilities(text, ["rain", "sun"]), laws) == {}


CHOSEN: tuple[str, ...] = (
    "I take it",
    "I'd pick it",
    "I would buy",
    "take",
    "I choose",
    "go with it",
    "select it",
)
CHOSEN += ("my choice", "the option", "it is my choice", "I'd go with", "buy it", "is my choice")


@pytest.mark.parametrize("verdicts", mostly_slow([("accept", "reject"), ("invest", "pass")]))
def test_a_verdict_beside_a_choice_is_in_doubt(verdicts: tuple[str, str]) -> None:
    forms: tuple[str, ...] = (
        "A: {}: @",
        "A: {} @",
        "A: {}\n@",
        "A\n{}\n@",
        "A {}: @",
        "{} A: @",
        "{}: A: @",
    )
    forms += (
        "A: @. {}",
        "A: @\n{}",
        "A: @ {}",
        "A = {} = @",
        "A - {} - @",
        "A: **{}** @",
        "{}\nA: @",
    )
    texts = [form.format(it).replace("@", verdicts[1]) for form in forms for it in CHOSEN]
    assert those_read(lambda text: read_verdicts(text, ["A"], verdicts), texts) == {}


def test_a_choice_between_verdicts_beside_a_choice_is_in_doubt() -> None:
    texts = listed("""
    I'd take it: reject|I take it: reject|I would buy: reject|I'd take it. reject|buy it: reject
    reject. I would take it.|reject: I take it|reject, I buy|I'd pick it/reject|take: reject
    """)
    assert those_read(lambda text: read_choice(text, ("accept", "reject")), texts) == {}


AROUND_VERDICTS = """
A: I would @|A: I'd @.|A: my verdict is @|A: verdict: @|A: @|**A:** `@`|My final verdicts:/A: @
Here is my answer: A: @|A/The decision is: @|A/@|A verdict: @|A - my final answer is @
"""
AROUND_OPTIONS = """
It is @.|@ it is|@ is my final choice.|The answer is:/@|I'd take @|Here is my choice: @|Pick @
I'll go with the @|My decision: @|Answer @|My final answer would be:/- @
"""


@pytest.mark.parametrize("said", listed(AROUND_VERDICTS))
def test_spoken_words_may_stand_around_a_verdict(said: str) -> None:
    for verdict in ("accept", "reject"):
        text = said.replace("@", verdict)
        assert read_verdicts(text, ["A"], ("accept", "reject")) == {"A": verdict}


@pytest.mark.parametrize("said", listed(AROUND_OPTIONS))
def test_spoken_words_may_stand_around_an_option(said: str) -> None:
    for option in OPTIONS:
        assert read_choice(said.replace("@", option), OPTIONS) == option
        assert read_choices(said.replace("@", option), OPTIONS) == (option,)
