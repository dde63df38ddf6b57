"""How much work reading is: it grows no faster than the text."""

from __future__ import annotations

import sys
from collections.abc import Callable
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
    read_tagged,
    read_verdicts,
)


def read_or_none(read: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return read(*arguments)
    except UnreadableError as error:
        problem = str(error)
    assert len(problem) < 700
    return None


LONG: dict[str, Callable[[int], str]] = {
    "spaces": lambda n: " " * n + "x",
    "stars": lambda n: "*" * n,
    "bullets": lambda n: "- " * n,
    "lines": lambda n: "- \n" * (n // 3),
    "digits": lambda n: "1" * n,
    "groups": lambda n: "1" + ",111" * (n // 4) + ",1",
    "points": lambda n: "1." * (n // 2),
    "fractions": lambda n: "1/" * (n // 2),
    "names": lambda n: "Option 1, " * (n // 10) + "x",
    "parts of names": lambda n: "a " * (n // 2),
    "pairs": lambda n: "Option 1: buy\n" * (n // 14),
    "fillers": lambda n: "the answer is " * (n // 14),
    "words": lambda n: "i'" * (n // 2),
    "marks": lambda n: "e" + "\u0301" * n,
    "fences": lambda n: "```\n" * (n // 4),
    "numbers of lists": lambda n: "1. 1. " * (n // 6),
    "tags": lambda n: "<answer>1</answer>" * (n // 18) + "<answer",
    "brackets": lambda n: "[0.1, " * (n // 6),
}
TWO_LONG_NAMES = ["a " * 30 + "b", "Option 1"]
WAYS: dict[str, Callable[[str], Any]] = {
    "choice": lambda text: read_choice(text, TWO_LONG_NAMES),
    "choices": lambda text: read_choices(text, TWO_LONG_NAMES),
    "verdicts": lambda text: read_verdicts(text, TWO_LONG_NAMES),
    "amount": read_amount,
    "probability": read_probability,
    "probabilities": lambda text: read_probabilities(text, TWO_LONG_NAMES),
    "tagged": lambda text: read_tagged(text, "answer"),
}


def lines_run(call: Callable[[str], Any], text: str) -> int:
    """Count the lines of the readers that run."""
    count = 0

    def trace(frame: Any, event: str, _: Any) -> Any:
        nonlocal count
        if "parsing" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        read_or_none(call, text)
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("shape", mostly_slow(LONG, 5))
def test_the_work_grows_no_faster_than_the_text(way: str, shape: str) -> None:
    short, long = (lines_run(WAYS[way], LONG[shape](n)) for n in (400, 800))
    assert long <= 2.2 * short + 200


def test_the_count_would_see_a_quadratic_reader() -> None:
    source = "def read(text):\n    for at in range(len(text)):\n        text[at:].count('a')\n"
    source += "        for c in text[at:]:\n            pass\n"
    space: dict[str, Any] = {}
    exec(compile(source, "parsing", "exec"), space)
    short, long = (lines_run(space["read"], "a" * n) for n in (60, 120))
    assert long > 3 * short


MILLIONS = [(way, "spaces") for way in WAYS] + [("tagged", shape) for shape in LONG]


@pytest.mark.parametrize("case", mostly_slow(MILLIONS, len(WAYS)))
def test_a_text_of_a_million_characters_is_answered_at_once(case: tuple[str, str]) -> None:
    way, shape = case
    text = LONG[shape](2**20)
    assert read_or_none(WAYS[way], text) in {None, "1"}


def test_an_answer_may_be_as_long_as_the_options_ask_for() -> None:
    options = [f"{number} " + "x" * 10_000 for number in range(40)]
    text = "\n".join(f"{option}: buy" for option in options)
    assert read_verdicts(text, options) == dict.fromkeys(options, "buy")
