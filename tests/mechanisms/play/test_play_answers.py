"""What a legal answer is: values, text and JSON are read alike, all else is refused with a fix."""

from __future__ import annotations

from fractions import Fraction
from json import dumps, loads
from typing import Any

import jsonschema
import pytest

from mechanisms.play import AnswerType, Anything, Choice, IllegalAnswerError, Quantity, Subset, Text
from theory.errors import InvalidInputError, LimitError

LISTED: list[AnswerType[Any]] = [
    Choice(("x", "y")),
    Choice((1, "one", True, Fraction(1, 2), None)),
    Subset(("a", "b", "c")),
    Subset((1, 2, 3), most=1),
    Subset(()),
    Quantity(0, 2, "1/2"),
    Quantity("-1/3", 1, "2/3"),
]
OTHERS: list[tuple[AnswerType[Any], Any]] = [
    (Quantity(), Fraction(10**40, 7)),
    (Text(), "yes,\nno\x00"),
    (Anything(), (1, [2.5, float("inf")], {"a": Fraction(1, 3), "tuple": None}, frozenset((1, 2)))),
    (Anything(), {"fraction": "1/2"}),
    (Anything(), -(2**70)),
]


@pytest.mark.parametrize("answer", LISTED, ids=str)
def test_whatever_there_is_to_choose_is_read_from_value_text_and_json(answer: Any) -> None:
    choices = answer.choices()
    assert len(set(map(str, choices))) == len(choices)
    for each in choices:
        written = loads(dumps(answer.write(each)))
        jsonschema.validate(written, answer.schema())
        text = ", ".join(map(str, each)) if isinstance(answer, Subset) else str(each)
        for way in (each, written, text, loads(dumps(answer.say(each)))):
            assert answer.read(way) == each
            assert type(answer.read(way)) is type(each)
        assert answer.read_written(written) == each


@pytest.mark.parametrize(("answer", "value"), OTHERS)
def test_what_cannot_be_listed_is_written_and_read(answer: Any, value: Any) -> None:
    assert answer.choices() is None
    assert answer.read(value) == value
    written = loads(dumps(answer.write(value)))
    assert answer.read_written(written) == value
    assert type(answer.read_written(written)) is type(value)
    jsonschema.validate(written, answer.schema())


@pytest.mark.parametrize(
    ("answer", "given", "text"),
    [
        (Choice(("stop", "go")), "stopp", "'stopp' is no option: did you mean 'stop'?"),
        (Choice((1, 2)), 1.0, "1.0 is no option"),
        (Choice((1, 2)), True, "True is no option"),
        (Choice(("1",)), 1, "1 is no option"),
        (Choice(("x",)), ["x"], "['x'] is no option"),
        (Choice(("x",)), None, "None is no option"),
        (Subset(("a", "b")), ["a", "a"], "'a' is named twice: name each option once"),
        (Subset(("a", "b")), "a, a", "'a' is named twice"),
        (Subset(("a", "b")), "a; b", "'a; b' is no option"),
        (Subset(("a", "b"), most=1), ("b", "a"), "2 are chosen: choose at most 1"),
        (Subset(("a", "b")), 3, "3 is no list: give a list of options, even an empty one"),
        (Subset(()), ["a"], "'a' is no option: there is none to choose"),
        (Subset((1, 2)), [1, True], "True is no option"),
        (Quantity(1, 3), "0.5", "1/2 is too little: say at least 1"),
        (Quantity(1, 3), 4, "4 is too much: say at most 3"),
        (Quantity(1, 3, "1/2"), "1.2", "6/5 is between two steps: say 1 and steps of 1/2"),
        (Quantity(), 0.5, "0.5 is a float where an exact number is needed"),
        (Quantity(), "a lot", "'a lot' is not a number"),
        (Quantity(), True, "True is not a number"),
        (Quantity(), float("nan"), "nan is a float"),
        (Quantity(), "1/0", "'1/0' has"),
        (Text(3), "long", "the text has 4 characters: use at most 3"),
        (Text(3), 3, "3 is no text: say it in words"),
        (Text(3), None, "None is no text"),
    ],
)
def test_what_is_no_legal_answer_is_told_what_to_say(answer: Any, given: Any, text: str) -> None:
    with pytest.raises(IllegalAnswerError) as caught:
        answer.read(given)
    assert str(caught.value).startswith(text)
    assert caught.value.fix


class Hostile:
    """What raises whenever it is looked at."""

    def __repr__(self) -> str:
        raise RuntimeError

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    __hash__ = object.__hash__


@pytest.mark.parametrize("answer", [*LISTED, Quantity(), Text()], ids=str)
def test_hostile_answers_are_refused_and_shown_briefly(answer: Any) -> None:
    for given in (Hostile(), [Hostile()], "x" * 10**6, ["y" * 10**6], b"x", iter("zz")):
        with pytest.raises(IllegalAnswerError) as caught:
            answer.read(given)
        assert len(str(caught.value)) < 400


@pytest.mark.parametrize("digits", [999, 1_000, 2_001, 3_990])
def test_numbers_are_read_as_long_as_they_can_be_written(digits: int) -> None:
    """Text of more than 4,000 digits is no number; here both parts of a fraction count."""
    answer = Quantity(-(10**5_000))
    fine = Fraction(3**7, 10**digits)
    for given in (fine, "0." + f"{3**7}".zfill(digits), -fine, 10**digits, f"-{10**digits}"):
        if digits < 1_000:
            legal = answer.read(given)
            assert answer.read_written(loads(dumps(answer.write(legal)))) == legal
            continue
        with pytest.raises(IllegalAnswerError, match="has more than 1,000 digits: round it first"):
            answer.read(given)


def test_an_endless_list_is_not_gone_through() -> None:
    def endless() -> Any:
        while True:
            yield "a"

    with pytest.raises(IllegalAnswerError):
        Subset(("a", "b")).read(endless())


class Whisper(str):
    """Text that carries more."""

    __slots__ = ("heard",)
    heard: str


def test_answers_carry_nothing_but_themselves() -> None:
    said = Whisper("a")
    said.heard = "a secret"
    assert type(Choice(("a",)).read(said)) is str
    assert type(Subset(("a",)).read([said])[0]) is str
    assert type(Text().read(said)) is str


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: Choice(()), "options are none"),
        (lambda: Choice("ab"), "options is one text"),
        (lambda: Choice(("1", 1)), "options have the same text twice"),
        (lambda: Subset((1, 1)), "options have the same text twice"),
        (lambda: Quantity(2, 1), "most is below the least"),
        (lambda: Quantity(0, 1, 0), "step is not positive"),
        (lambda: Quantity(0.5), "least is a float"),
    ],
)
def test_answers_that_make_no_sense(make: Any, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        make()


def test_a_name_with_a_comma_is_one_name() -> None:
    goods = Subset(("news", "news, tip", "tip, top"))
    assert goods.read("tip, top") == ("tip, top",)
    assert goods.read(["news, tip"]) == ("news, tip",)
    assert goods.read("news, tip") == ("news, tip",)  # there is no tip
    both = Subset(("news", "tip", "news, tip"))
    with pytest.raises(IllegalAnswerError, match="is one option and several: give a list, such as"):
        both.read("news, tip")
    assert both.read(["news", "tip"]) == ("news", "tip")


def test_too_many_answers_are_not_listed() -> None:
    with pytest.raises(LimitError, match=r"choices are too many to list .got '1,000,001'"):
        Quantity(0, 1_000_000, 1).choices()
    with pytest.raises(LimitError, match="more than 100,000"):
        Subset(range(40)).choices()
    assert len(Subset(range(16)).choices()) == 2**16
