"""Choices and verdicts as models write them; what is in doubt is refused."""

from __future__ import annotations

import pytest

from llm_adapters.errors import UnreadableError
from llm_adapters.parsing import (
    read_choice,
    read_choices,
    read_verdicts,
)

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
