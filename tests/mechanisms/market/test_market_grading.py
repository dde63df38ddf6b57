"""Comparing answers: both orders, every outcome counted, nothing asked twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.errors import ParticipantError
from mechanisms.market import (
    GRADE_OUTCOMES,
    Corpus,
    FactGrader,
    FactQuestion,
    Grading,
    Passage,
    Statement,
)
from theory.errors import InvalidInputError

SWAP = {"first": "second", "second": "first", "tie": "tie"}


class Judge:
    """Says what a function says, and keeps what it was asked."""

    def __init__(self, rule: Callable[[str, str, str], Any]) -> None:
        self.rule = rule
        self.asked: list[tuple[str, str, str]] = []

    def compare(self, question: str, a: str, b: str) -> Any:
        self.asked.append((question, a, b))
        return self.rule(question, a, b)


def scripted(said: Sequence[Any]) -> Judge:
    """Says one thing after the other; raises what is an exception."""
    left = list(said)

    def rule(question: str, a: str, b: str) -> Any:
        what = left.pop(0)
        if isinstance(what, BaseException):
            raise what
        return what

    return Judge(rule)


@pytest.mark.parametrize("pair", [*product(["first", "second", "tie"], repeat=2)])
def test_both_orders_are_asked_and_where_they_differ_it_is_a_tie(pair: tuple[str, str]) -> None:
    """The authors' program shows one side first always (spec, fault 12)."""
    straight, swapped = pair
    judge = scripted([swapped, straight])
    grading = Grading(judge)
    grade = grading.compare("q", "a", "b")
    assert judge.asked == [("q", "b", "a"), ("q", "a", "b")]
    agree = straight == SWAP[swapped]
    assert grade.outcome == (straight if agree else "tie")
    assert grading.disagreements == (not agree)
    effect = {"first": 1, "second": -1, "tie": 0}
    assert grading.position_effect == Fraction(effect[straight] + effect[swapped], 2)
    assert grade.score == {"first": 1, "tie": Fraction(1, 2), "second": 0}[grade.outcome]


@pytest.mark.parametrize("said", ["A", "", "First", "both", None, 1, ["first"], object()])
@pytest.mark.parametrize("order", [0, 1])
def test_a_grader_that_says_neither_is_unreadable_and_counted(said: object, order: int) -> None:
    both: list[Any] = ["first", "second"]
    both[order] = said
    grading = Grading(scripted(both))
    assert grading.compare("q", "a", "b").outcome == "unreadable"
    assert grading.counts == {**dict.fromkeys(GRADE_OUTCOMES, 0), "unreadable": 1}
    assert grading.position_effect is None
    assert grading.disagreements == 0


@pytest.mark.parametrize("none", [None, "", "  \n"])
@pytest.mark.parametrize("place", [0, 1])
def test_a_missing_answer_is_not_judged_and_counted(none: str | None, place: int) -> None:
    """In the authors' notebooks "nan" is judged like any answer (spec, fault 11)."""
    judge = scripted([])
    pair: list[str | None] = ["a", "b"]
    pair[place] = none
    grading = Grading(judge)
    assert grading.compare("q", *pair).outcome == "missing"
    assert judge.asked == []
    assert grading.counts["missing"] == 1
    assert grading.grades[0].score is None


@pytest.mark.parametrize(
    "error", [ValueError("no"), RuntimeError(), ParticipantError("j", "p", "f")]
)
@pytest.mark.parametrize("order", [0, 1])
def test_what_a_grader_raises_is_failed_and_asked_again(error: Exception, order: int) -> None:
    both: list[Any] = ["second", "first"]
    both[order] = error
    again: list[Any] = [("second", "first")[order]]
    judge = scripted([*both, *again])
    grading = Grading(judge)
    assert grading.compare("q", "a", "b").outcome == "failed"
    assert grading.compare("q", "a", "b").outcome == "first"
    assert len(judge.asked) == 3  # what was read is not asked again
    assert grading.counts == {**dict.fromkeys(GRADE_OUTCOMES, 0), "first": 1}


@pytest.mark.parametrize("error", [InvalidInputError("a", 1, "p", "f"), KeyboardInterrupt()])
@pytest.mark.parametrize("order", [0, 1])
def test_errors_that_are_no_fault_of_the_grader_are_raised(
    error: BaseException, order: int
) -> None:
    both: list[Any] = ["second", "first"]
    both[order] = error
    with pytest.raises(type(error)):
        Grading(scripted(both)).compare("q", "a", "b")


def test_no_order_of_two_answers_is_asked_for_twice() -> None:
    judge = Judge(lambda question, a, b: "first" if a < b else "second")
    grading = Grading(judge)
    answers = ["a", "b", "c"]
    for _ in range(2):
        for question in ("q", "r"):
            for one, other in permutations(answers, 2):
                assert grading.compare(question, one, other).score == (one < other)
    assert len(judge.asked) == len({*judge.asked}) == 2 * 6
    assert len(grading.grades) == 12


@given(st.lists(st.tuples(*[st.sampled_from(["first", "second", "tie", "?", None])] * 2)))
def test_counts_add_up_and_the_effect_is_that_of_the_readings(said: list[Any]) -> None:
    grading = Grading(scripted([each for pair in said for each in pair]))
    for k in range(len(said)):
        grading.compare(str(k), "a", "b")
    assert sum(grading.counts.values()) == len(said)
    whole = [pair for pair in said if {*pair} <= {*SWAP}]
    readings = [each for pair in whole for each in pair]
    assert grading.position_effect == (
        Fraction(readings.count("first") - readings.count("second"), len(readings))
        if readings
        else None
    )
    assert sum(grading.counts[each] for each in ("first", "second", "tie")) == len(whole)


def test_whoever_prefers_a_position_makes_ties_alone() -> None:
    grading = Grading(Judge(lambda question, a, b: "second"))
    for k in range(5):
        grading.compare(str(k), "a", "b")
    assert grading.counts["tie"] == grading.disagreements == 5
    assert grading.position_effect == -1


# --- by facts


MAYORS = [Statement("Ilm", "mayor", "Ida Ro"), Statement("Ulm", "mayor", "Ida Ro Tal")]
FALSE = Statement("Ilm", "mayor", "Max")
ILM, ULM = (FactQuestion(each, each, ("mayor",), worth=5) for each in ("Ilm", "Ulm"))
CORPUS = Corpus(
    (Passage("p1", "press", 2, "t", "Max.", frozenset([FALSE])),), (ILM, ULM), frozenset(MAYORS)
)


@pytest.mark.parametrize(
    ("answer", "to_ilm", "to_ulm"),
    [
        ("Ida Ro", True, False),
        ("It is IDA  RO.", True, False),
        ("Ida Ro Tal", False, True),
        ("Ida Ro or Max", False, False),
        ("Ida Ro Tal, not Ida Ro", False, False),
        ("Ida Ross", False, False),
        ("Frida Ro", False, False),
        ("not known", False, False),
        ("", False, False),
    ],
)
def test_an_answer_is_right_that_names_the_true_value_alone(
    answer: str, to_ilm: bool, to_ulm: bool
) -> None:
    grader = FactGrader(CORPUS)
    for question, right in ((ILM, to_ilm), (ULM, to_ulm)):
        assert grader.compare(str(question), answer, "?") == ("first" if right else "tie")
        assert grader.compare(str(question), "?", answer) == ("second" if right else "tie")


@pytest.mark.parametrize(
    ("answer", "right"),
    [("Kim", True), ("Kim taught Ida Ro.", True), ("Ida Ro", False), ("Kim, or Lea", False)],
)
def test_of_a_question_of_two_facts_the_last_is_asked(answer: str, right: bool) -> None:
    taught = [Statement("Ida Ro", "teacher", "Kim"), Statement("Kim", "teacher", "Lea")]
    asked = FactQuestion("q", "Ilm", ("mayor", "teacher"), worth=5)
    corpus = Corpus(CORPUS.passages, (asked,), CORPUS.facts.union(taught))
    assert FactGrader(corpus).is_right("q", answer) is right


def test_a_question_without_an_answer_is_a_tie() -> None:
    unknown = FactQuestion("q", "Ilm", ("mayor", "teacher"), worth=5)
    corpus = Corpus(CORPUS.passages, (unknown,), CORPUS.facts)
    assert FactGrader(corpus).compare(str(unknown), "Ida Ro", "Max") == "tie"
