"""Texts of models, and what they are read as; what is in doubt is refused, and quoted."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from inspect import unwrap
from typing import Any

import pytest

from llm_adapters.errors import UnreadableError
from llm_adapters.parsing import (
    read_amount,
    read_choice,
    read_choices,
    read_probabilities,
    read_probability,
    read_tagged,
    read_verdicts,
)
from theory.errors import ExactnessError, InvalidInputError, NumberError

OPTIONS = ("Option 1", "Option 2", "Option 10")


@pytest.mark.parametrize(
    ("text", "option"),
    [
        ("Option 1", "Option 1"),
        ("**Option 10**", "Option 10"),
        ("  option   1. ", "Option 1"),
        ("OPTION\u00a010!", "Option 10"),
        ("Ｏption １", "Option 1"),
        ("My final answer is: Option 2.", "Option 2"),
        ("I'd go with “Option 2”.", "Option 2"),
        ("- Option 1", "Option 1"),
        ("## Option 1", "Option 1"),
        ("```\nOption 1\n```", "Option 1"),
        ("[Option 1]", "Option 1"),
        ("**Option 2**\n\nI choose Option 2.", "Option 2"),
        ("---\nOption 2\n---", "Option 2"),
    ],
)
def test_choices_that_are_clear(text: str, option: str) -> None:
    assert read_choice(text, OPTIONS) == option
    assert read_choice(text, OPTIONS[::-1]) == option


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t",
        "1",
        "Option",
        "Option 3",
        "Option 100",
        "Option 1.5",
        "Option 1,000",
        "Option 1-2",
        "Option1",
        "Optional 1",
        "I would not buy Option 1",
        "Not Option 1",
        "Never Option 1",
        "Option 1 or Option 2",
        "Option 1, Option 2",
        "Option 1 / Option 2",
        "Option 2 is better than Option 1",
        "Option 1 is too expensive",
        "As in Option 1, I abstain",
        "Option 1?",
        "Option 1...",
        "Option 1…",
        "~~Option 1~~",
        "<s>Option 1</s>",
        "Option 1\u0336",
        "❌ Option 1",
        "[ ] Option 1",
        "( ) Option 1",
        "> Option 1",
        "-Option 1",
        "!Option 1",
        "1. Option 2",
        "Choose one of: Option 1",
        "anything but Option 1",
        "Option 1 unless it rains",
        "Option\u200b 1",
        'He said "Option 1',
        "*Option 1",
        '{"choice": "Option 1"}',
        "none",
    ],
)
def test_choices_in_doubt_are_refused(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_choice(text, OPTIONS)


@pytest.mark.parametrize(
    ("text", "options", "option"),
    [
        ("Bidder 10", ["Bidder 1", "Bidder 10"], "Bidder 10"),
        ("New York", ["New", "York", "New York"], "New York"),
        ("I choose New York.", ["New", "York", "New York"], "New York"),
        ("Option 1", ["1", "Option 1"], "Option 1"),
        ("Option 1", ["1", "2"], "1"),
        ("C++", ["C", "C++", "C#"], "C++"),
        ("I choose C++.", ["C", "C++", "C#"], "C++"),
        ("C.", ["C", "C++", "C#"], "C"),
        ("a.*(b|c)?[d]{2}$^\\", ["a.*(b|c)?[d]{2}$^\\", "a"], "a.*(b|c)?[d]{2}$^\\"),
        ("us", ["US", "us"], "us"),
        ("**US**", ["US", "us"], "US"),
        ("Acme Inc.", ["Acme Inc.", "Acme Inc"], "Acme Inc."),
        ("A or B", ["A", "B", "A or B"], "A or B"),
        ("John’s", ["John's", "Johns"], "John's"),
        ("e\u0301te\u0301", ["été", "ete"], "été"),
        ("眠る。" * 0 + "眠る", ["眠る", "眠"], "眠る"),
        ("buy", ["buy", "pass"], "buy"),
        ("I would buy it.", ["buy", "pass"], "buy"),
        ("pass", ["buy", "pass"], "pass"),
        ("-1", ["1", "-1"], "-1"),
        ("The Answer", ["The Answer", "The"], "The Answer"),
    ],
)
def test_options_of_all_kinds(text: str, options: list[str], option: str) -> None:
    assert read_choice(text, options) == option


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Bidder 10", ["Bidder 1", "Bidder 2"]),
        ("Us", ["US", "us"]),
        ("I choose Acme Inc.", ["Acme Inc.", "Acme Inc"]),
        ("C+", ["C", "C++"]),
        ("C+++", ["C", "C++"]),
        ("C #", ["C", "C#"]),
        ("buy, pass", ["buy", "pass"]),
        ("I would buy and not pass", ["buy", "pass"]),
        ("Don't buy", ["buy", "pass"]),
        ("bid: pass", ["bid", "pass"]),
        ("-1", ["1", "2"]),
        (".1", ["1", "2"]),
        ("1.0", ["1", "0"]),
        ("0.5", ["0", "5", "1"]),
        ("1/2", ["1", "2"]),
        ("1. 2", ["1", "2"]),
        ("A B C", ["A B", "B C"]),
        ("ete", ["été", "eté"]),
        ("a b", ["ab", "a-b"]),
        ("axb", ["a.b", "c"]),
    ],
)
def test_options_in_doubt_are_refused(text: str, options: list[str]) -> None:
    with pytest.raises(UnreadableError):
        read_choice(text, options)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Option 1, Option 2", OPTIONS[:2]),
        ("Option 2; option 1.", OPTIONS[:2]),
        ("I choose Option 1, Option 2, and Option 10.", OPTIONS),
        ("- **Option 10**\n- Option 1", ("Option 1", "Option 10")),
        ("1. Option 2\n2. Option 10", ("Option 2", "Option 10")),
        ("Option 1.\nOption 2.", OPTIONS[:2]),
        ("Option 1 & Option 1", ("Option 1",)),
        ("none", ()),
        ("None of these options.", ()),
        ("I would buy nothing.", ()),
    ],
)
def test_sets_that_are_clear(text: str, options: tuple[str, ...]) -> None:
    assert read_choices(text, OPTIONS) == options


@pytest.mark.parametrize(
    "text",
    [
        "",
        "()",
        "[]",
        "Option 1,",
        "Option 1 and",
        "Option 1, , Option 2",
        "Option 1 Option 2",
        "Option 1 or Option 2",
        "Option 1, not Option 2",
        "Option 1, none",
        "none, Option 1",
        "None but Option 1",
        "nothing and Option 1",
        "all of them",
        "Option 1. My final answer is Option 2.",
        "Option 1 to Option 10",
        "Option 1, Option 3",
        "1, 2",
        "no",
    ],
)
def test_sets_in_doubt_are_refused(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_choices(text, OPTIONS)


def test_sets_of_numbers_keep_to_numbers() -> None:
    assert read_choices("2, 1", ["1", "2"]) == ("1", "2")
    assert read_choices("nothing", []) == ()
    for text in ("1. 2", "1,2", "1.2"):
        with pytest.raises(UnreadableError):
            read_choices(text, ["1", "2"])


ALL = {"Option 1": "buy", "Option 2": "pass", "Option 10": "buy"}


@pytest.mark.parametrize(
    "text",
    [
        "Option 1: buy\nOption 2: pass\nOption 10: buy",
        "**Option 10:** Buy\n**Option 1:** Buy\n**Option 2:** Pass",
        "Here are my verdicts:\n\n1. Option 1 - Buy\n2. Option 2 – Pass.\n3. Option 10 -> Buy\n",
        "* Option 1: I would buy\n* Option 2: I would pass\n* Option 10: `buy`",
        "Option 1: buy, Option 2: pass; Option 10: buy.",
        "Option 1\nBuy\n\nOption 2\nPass\n\nOption 10\nBuy",
        "Option 1 = BUY\r\nOption 2 = PASS\r\nOption 10 = BUY",
        "## Option 1\n**Verdict:** buy\n\n## Option 2\n**Verdict:** pass\n\n## Option 10\nbuy",
    ],
)
def test_verdicts_that_are_clear(text: str) -> None:
    assert read_verdicts(text, OPTIONS) == ALL


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Buy\nPass\nBuy",
        "1. Buy\n2. Pass\n3. Buy",
        "Option 1: buy\nOption 10: buy",
        "Option 1:\nOption 2: pass\nOption 10: buy",
        "Option 1: buy\npass\nOption 10: buy",
        "Option 1: buy\nOption 2: pass\nOption 10: buy\nOption 1: buy",
        "Option 1: buy\nOption 2: pass\nOption 10: buy\nOption 1: pass",
        "Option 1: buy/pass\nOption 2: pass\nOption 10: buy",
        "Option 1: buy or pass\nOption 2: pass\nOption 10: buy",
        "Option 1: buy pass\nOption 2: pass\nOption 10: buy",
        "Option 1: not buy\nOption 2: pass\nOption 10: buy",
        "Option 1: don't buy\nOption 2: pass\nOption 10: buy",
        "Option 1: buy?\nOption 2: pass\nOption 10: buy",
        "Option 1: buy (never)\nOption 2: pass\nOption 10: buy",
        "Option 1: buy, but Option 2: pass, Option 10: buy",
        "Option 1 buy Option 2 pass Option 10 buy",
        "Option 1, Option 2: pass, Option 10: buy",
        "Option 1: buy\nOption 2: pass\nOption 10: buy\nOption 3: pass",
        "Option 1: buy\nOption 2: pass\nOption 100: buy",
        "None of this is true:\nOption 1: buy\nOption 2: pass\nOption 10: buy",
        "Option 1: buy\nOption 2: pass\nOption 10: buy\nOr the other way round.",
        "Option 1: yes\nOption 2: no\nOption 10: yes",
        "> Option 1: buy\n> Option 2: pass\n> Option 10: buy",
        '"Option 1: buy\nOption 2: pass\nOption 10: buy',
    ],
)
def test_verdicts_in_doubt_are_refused(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_verdicts(text, OPTIONS)


def test_verdicts_may_have_other_names() -> None:
    said = read_verdicts("A: Strong yes\nB: yes", ["A", "B"], ("yes", "strong yes", "no"))
    assert said == {"A": "strong yes", "B": "yes"}
    said = read_verdicts("Buy guide: pass\nGuide: buy", ["Guide", "Buy guide"])
    assert said == {"Guide": "buy", "Buy guide": "pass"}


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("0", "0"),
        ("5", "5"),
        ("$1500.50", "1500.50"),
        ("$1,500.50", "1500.50"),
        ("1,234,567", "1234567"),
        ("1.500", "1.5"),
        (".5", "1/2"),
        ("$.50", "1/2"),
        ("007", "7"),
        ("5e3", "5000"),
        ("1.5E-3", "0.0015"),
        ("５", "5"),
        ("＄１，５００．５０", "1500.50"),
        ("**$5**", "5"),
        ("**Bid:** `5`", "5"),
        ("I would bid 5 dollars.", "5"),
        ("My bid is $5 USD", "5"),
        ("USD 5", "5"),
        ("5\u00a0€", "5"),
        ("Bid = 5", "5"),
        ("```\n5\n```", "5"),
        ("* 5", "5"),
        ("0.1", "1/10"),
        ("+5", "5"),
        ("9" * 60, "9" * 60),
    ],
)
def test_amounts_that_are_clear(text: str, amount: str) -> None:
    assert read_amount(text) == Fraction(amount)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "five",
        "nothing",
        "$10-15",
        "$10–15",
        "10 to 15",
        "between 10 and 15",
        "1.500,50",
        "1.500.000",
        "1,50",
        "1,5000",
        "1,500,00",
        "0,500",
        "1 500",
        "1\u202f500",
        "1'500",
        "1_500",
        "12,34,567",
        "5%",
        "1/3",
        "1 1/2",
        "5 million",
        "5k",
        "5M",
        "50 cents",
        "5 kg",
        "€5 dollars",
        "$-5",
        "-5",
        "−5",
        "-$5",
        "--5",
        "(5)",
        "- 5",
        "– 5",
        "about 5",
        "at most 5",
        "~5",
        "<5",
        "≥5",
        "5+",
        "5-",
        "5 ± 1",
        "5?",
        "5..",
        "5,",
        '5"',
        "5'",
        "5*",
        "5 * 2",
        "2^3",
        "10²",
        "½",
        "٥",
        "①",
        "0x10",
        "1e",
        "1e5000",
        "1e-5000",
        "1" * 5000,
        "NaN",
        "inf",
        "∞",
        "1. 5",
        "1) 5",
        "#5",
        "Bidder 1: 5",
        "5 5",
        "5, 5",
        "I would not bid 5",
        "I would never bid 5.",
        "not 5",
        "5 is too much",
        "5 or 6",
        "up to 5",
        "Option 5",
        "I choose option 5",
        "I would buy 5",
        "Bid 1:",
        "Price 2 =",
        "to 5",
        "5:30",
        "bid.5",
        "bid5",
        "p != 5",
        "x == 5",
        "10.5.2",
        "2024-01-05",
        "5\u200b0",
        "> 5",
    ],
)
def test_amounts_in_doubt_are_refused(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_amount(text)


def test_bounds_of_amounts() -> None:
    assert read_amount("-5", least=-10) == -5
    assert read_amount("−$1,000.5", least=-2000) == Fraction(-2001, 2)
    assert read_amount("7", least=7, most=7) == 7
    with pytest.raises(UnreadableError, match="above 10"):
        read_amount("11", most=10)
    with pytest.raises(UnreadableError, match="below 1/10"):
        read_amount("0.09", least="0.1")
    with pytest.raises(UnreadableError):
        read_amount("-$-5", least=-10)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("0.3", "3/10"),
        ("30%", "3/10"),
        ("30 %", "3/10"),
        ("30 percent", "3/10"),
        ("0.3%", "3/1000"),
        ("1/3", "1/3"),
        ("1", "1"),
        ("0", "0"),
        ("100%", "1"),
        ("1e-3", "1/1000"),
        ("P = .25", "1/4"),
        ("**Probability:** 70%", "7/10"),
        ("3０％", "3/10"),
    ],
)
def test_probabilities_that_are_clear(text: str, share: str) -> None:
    assert read_probability(text) == Fraction(share)


NO_SHARES = """
30 | 1.01 | 101% | 3/2 | 1/0 | 0/0 | -0.1 | -0 | 0.3 (30%) | 1 in 3 | 1:3 | 0,3 | 0.2-0.4 | 30%%
1/3% | 1/3/2 | 30‰ | likely | not 30% | about 30% | 1e5 | NaN | p < 0.3 | 0.3 0.3 | $0.3 | 1 / 3
50/50 | 30/70 | 0.5/1 | 5e-1%5 | 30 percentage | 3 in 10 | 30% or 40% | option 1 | p 1:
"""
NO_LAWS = """
[] | [0.7, 0.7] | [0.3, 0.6] | [0.3] | [0.3, 0.7, 0] | [0,5, 0,5] | [1.5, -0.5] | [0.3, 0.7,]
[0.3; 0.7] | [0.3 0.7] | [0.3, 0.7] or [0.5, 0.5] | 0.3, 0.7 | (0, 1) | rain: 0.3 | rain: 1
rain: 0.3, sun: 0.6 | rain: 0.3, sun: 0.7, rain: 0.3 | rain: 0,3; sun: 0,7 | rain: -0.3; sun: 1.3
rain: 0.3-0.4; sun: 0.7 | rain: not 0.3; sun: 0.7 | rain: 0.3; sun: 0.7; snow: 0 | [[0.3, 0.7]]
[0.5, 150%] | rain, sun: 0.3, 0.7 | rain 0.3, sun 0.7 | not [0.3, 0.7] | [50/50, 0]
rain: option 1; sun: 0 | rain: 1 0; sun: 0 | verdicts: [0, 1]
"""


def listed(texts: str) -> list[str]:
    return ["", *(text.strip() for text in texts.replace("\n", "|").split("|") if text.strip())]


@pytest.mark.parametrize("text", listed(NO_SHARES))
def test_probabilities_in_doubt_are_refused(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_probability(text)


@pytest.mark.parametrize(
    ("text", "rain"),
    [
        ("[1.0, 0.0]", "1"),
        ("[0,1]", "0"),
        ("[0.3, 0.7]", "3/10"),
        ("**Probabilities:**\n[30%, 70%]", "3/10"),
        ("```json\n[0.3,\n 0.7]\n```", "3/10"),
        ("[1/3, 2/3]", "1/3"),
        ("rain: 30%, sun: 70%", "3/10"),
        ("Sun: 0.7\nRain: 0.3", "3/10"),
        ("- **Rain**: 1e-1\n- **Sun**: 90%", "1/10"),
        ("rain:0.3,sun:0.7", "3/10"),
    ],
)
def test_laws_that_are_clear(text: str, rain: str) -> None:
    share = Fraction(rain)
    assert read_probabilities(text, ["rain", "sun"]) == {"rain": share, "sun": 1 - share}


@pytest.mark.parametrize("text", listed(NO_LAWS))
def test_laws_in_doubt_are_refused(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_probabilities(text, ["rain", "sun"])


def test_options_that_are_numbers_have_probabilities() -> None:
    law = read_probabilities("0: 0.3, 1: 0.7", ["0", "1"])
    assert law == {"0": Fraction(3, 10), "1": Fraction(7, 10)}
    law = read_probabilities("2020 sales: 10%\n2021 sales: 90%", ["2020 sales", "2021 sales"])
    assert law["2020 sales"] == Fraction(1, 10)
    for text in ("0: 0,3, 1: 0,7", "0: 1, 1: 0, 1", "0.3: 0, 0.7: 1"):
        with pytest.raises(UnreadableError):
            read_probabilities(text, ["0", "1"])


def test_rounded_laws_are_divided_by_their_sum_where_that_is_allowed() -> None:
    text = "[0.33, 0.33, 0.33]"
    with pytest.raises(UnreadableError, match="add up to 99/100"):
        read_probabilities(text, ["a", "b", "c"])
    law = read_probabilities(text, ["a", "b", "c"], slack="0.01")
    assert law == dict.fromkeys("abc", Fraction(1, 3))
    with pytest.raises(UnreadableError, match="add up to 7/5"):
        read_probabilities("[0.7, 0.7]", ["a", "b"], slack="0.3")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<answer>5</answer>", "5"),
        ("It may be 4 or 6.\n<Answer>\n 5 \n</ANSWER>\nSo it is.", "5"),
        ("<answer>5</answer> … <answer> 5</answer>", "5"),
        ("<answer>a < b</answer>", "a < b"),
        ("<answers>4</answers><answer>5</answer>", "5"),
        ("<answer><b>5</b></answer>", "<b>5</b>"),
    ],
)
def test_tags_that_are_clear(text: str, answer: str) -> None:
    assert read_tagged(text, "answer") == answer


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5",
        "answer: 5",
        "<answer>5",
        "5</answer>",
        "<answer>5</answer",
        "<answer/>",
        "<answer id='1'>5</answer>",
        "<answer></answer>",
        "<answer> \n</answer>",
        "<answer>5</answer> no, <answer>6</answer>",
        "Put it in <answer></answer>: <answer>5</answer>",
        "<answer>5<answer>6</answer></answer>",
        "<answer>5</answer></answer>",
        "<answer>5</answer> <answer>",
        "<answers>5</answers>",
        "</answer>5<answer>",
        "＜answer＞5＜/answer＞",
    ],
)
def test_tags_in_doubt_are_refused(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_tagged(text, "answer")


READERS: dict[str, Callable[[Any], Any]] = {
    "choice": lambda text: unwrap(read_choice)(text, OPTIONS),
    "choices": lambda text: unwrap(read_choices)(text, OPTIONS),
    "verdicts": lambda text: unwrap(read_verdicts)(text, OPTIONS),
    "amount": unwrap(read_amount),
    "probability": unwrap(read_probability),
    "probabilities": lambda text: unwrap(read_probabilities)(text, OPTIONS),
    "tagged": lambda text: unwrap(read_tagged)(text, "answer"),
}


@pytest.mark.parametrize("reader", READERS)
def test_the_error_quotes_the_text_around_the_trouble(reader: str) -> None:
    told = "<answer>" + "a" * 5000 + " here </b> <answer>"
    with pytest.raises(UnreadableError) as caught:
        READERS[reader](told)
    assert len(str(caught.value)) < 500
    assert repr("aaaaaaa")[1:-1] in str(caught.value)
    with pytest.raises(UnreadableError, match=r"empty|no <answer>"):
        READERS[reader]("")


def test_the_quote_is_of_the_trouble() -> None:
    with pytest.raises(UnreadableError, match=r"at 'pink'") as caught:
        read_choice("the final answer is " * 100 + "pink elephants " + "is " * 300, OPTIONS)
    assert "pink elephants" in str(caught.value)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("text", [None, 5, b"5", ["5"], float("nan")])
def test_what_is_no_text_is_an_argument_that_cannot_be_used(reader: str, text: Any) -> None:
    with pytest.raises(InvalidInputError, match="text is no text"):
        READERS[reader](text)


NO_OPTIONS: list[Any] = [[], "Option 1", None, 5, ["A", "A"], ["A", " A "], ["a b", "a  b"], [""]]
NO_OPTIONS += [
    [" "],
    ["A", 1],
    ["é", "e\u0301"],
    ["A", "Ａ"],
    [None],
    list(map(str, range(10_001))),
]


@pytest.mark.parametrize("options", NO_OPTIONS)
def test_options_must_be_different_texts(options: Any) -> None:
    for read in (read_choice, read_verdicts, read_probabilities):
        with pytest.raises(InvalidInputError):
            unwrap(read)("A", options)


def test_other_arguments_must_make_sense() -> None:
    for word in ("none", "Nothing", " NONE "):
        with pytest.raises(InvalidInputError, match="how to decline"):
            read_choices("A", ["A", word])
    with pytest.raises(InvalidInputError, match="also an option"):
        read_verdicts("A: buy", ["A", "BUY"])
    for verdicts in ((), "buy", None, ("buy", "buy")):
        with pytest.raises(InvalidInputError):
            unwrap(read_verdicts)("A: buy", ["A"], verdicts)
    for bound in (float("nan"), 0.5):
        with pytest.raises(ExactnessError):
            read_amount("5", least=bound)
    for bound in (True, "x", [], float("inf")):
        with pytest.raises(NumberError):
            read_amount("5", most=bound)
    with pytest.raises(InvalidInputError, match="below the least"):
        read_amount("5", least=3, most=2)
    for slack in (-1, 1, "2"):
        with pytest.raises(InvalidInputError, match="out of bounds"):
            read_probabilities("A: 1", ["A"], slack=slack)
    for tag in ("", "a b", "<answer>", "é", None, 5, "a" * 101, "(.*)*"):
        with pytest.raises(InvalidInputError, match="no name of a tag"):
            unwrap(read_tagged)("<answer>5</answer>", tag)
