"""Amounts and probabilities as models write them; what is in doubt is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

from llm_adapters.errors import UnreadableError
from llm_adapters.parsing import (
    read_amount,
    read_probabilities,
    read_probability,
)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("0", "0"),
        ("5", "5"),
        ("$1500.50", "1500.50"),
        ("$1,500.50", "1500.50"),
        ("1,234,567", "1234567"),
        ("1.50", "1.5"),
        ("0.125", "1/8"),
        ("1500.125", "12001/8"),
        ("1,500.125", "12001/8"),
        ("1.500e0", "1.5"),
        ("1.5000", "1.5"),
        ("Answer: 5", "5"),
        ("My final offer is 5", "5"),
        ("I'll pay 5", "5"),
        ("Here is my bid: 5", "5"),
        ("$5 is my bid.", "5"),
        ("# Bid:\n5", "5"),
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
        ("0.500", "1/2"),
        ("1.000", "1"),
        ("Answer: 1", "1"),
        ("The probability is 0.3.", "3/10"),
        ("My final answer would be 30%", "3/10"),
        ("0.3 is my estimate", "3/10"),
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
