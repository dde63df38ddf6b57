"""Tags, what errors of readers say, and arguments that no reader takes."""

from __future__ import annotations

from collections.abc import Callable
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
    with pytest.raises(InvalidInputError, match="text is not text"):
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
        with pytest.raises(InvalidInputError, match="not the name of a tag"):
            unwrap(read_tagged)("<answer>5</answer>", tag)
