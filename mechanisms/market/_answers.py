"""Who writes the answers of a buyer of the information market, who asks on, and who compares."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Any, Final, Protocol, runtime_checkable

from mechanisms.errors import ParticipantError
from mechanisms.market._corpus import Corpus
from mechanisms.protocols import Purchase
from theory.errors import MechproofError
from theory.shared.arguments import instance_of
from theory.verdicts import ShownAsTable, Table

__all__ = ["GRADE_OUTCOMES", "Asker", "FactGrader", "Grade", "Grader", "Grading", "Writer"]

GRADE_OUTCOMES: Final = ("first", "second", "tie", "unreadable", "missing", "failed")
"""What a comparison of two answers may come to; every one comes to one of them."""


@runtime_checkable
class Writer(Protocol):
    """Writes the answers of a buyer, by what was bought."""

    def answer(self, question: str, bought: Sequence[Purchase]) -> str:
        """Return an answer; an empty one where there is none."""
        ...

    def refine(
        self,
        question: str,
        answer: str,
        followed: Sequence[tuple[str, str]],
        bought: Sequence[Purchase],
    ) -> str:
        """Return the answer once more, where questions followed that have answers now."""
        ...


@runtime_checkable
class Asker(Protocol):
    """Asks the questions that follow from an answer."""

    def follow_ups(
        self, question: str, answer: str, facts: Sequence[Purchase], most: int = 1
    ) -> Sequence[str]:
        """Return at most so many; none where the answer is complete. ``facts`` were bought."""
        ...


@runtime_checkable
class Grader(Protocol):
    """Compares two answers to a question, in the order in which they are given."""

    def compare(self, question: str, a: str, b: str) -> str | None:
        """Return "first", "second" or "tie"; anything else is unreadable."""
        ...


@dataclass(frozen=True)
class Grade:
    """What a comparison came to.

    Attributes
    ----------
    question : str
    first, second : str or None
        The answers; None, or blanks, where there is none.
    said : tuple of str
        What was said with the first answer shown first, and with the second shown first, each as an
        outcome for this pair; empty where nothing was asked.
    """

    question: str
    first: str | None
    second: str | None
    said: tuple[str, ...] = ()

    @property
    def outcome(self) -> str:
        """One of ``GRADE_OUTCOMES``; a tie where the two orders differ."""
        if not self.said:
            return "missing"
        for wrong in ("failed", "unreadable"):
            if wrong in self.said:
                return wrong
        return self.said[0] if len({*self.said}) == 1 else "tie"

    @property
    def score(self) -> Fraction | None:
        """What the first answer gets: 1, 1/2 or 0; None where the outcome says nothing of it."""
        return {"first": Fraction(1), "tie": Fraction(1, 2), "second": Fraction(0)}.get(
            self.outcome
        )


class Grading(ShownAsTable):
    """Compares answers by a grader that is asked in both orders, and counts what it said.

    A grader that prefers whatever is shown first, or last, thus makes ties and no winners; how
    often it did is the position effect. No order of two answers is asked for twice. A comparison
    that failed is not kept: it is made again when it is asked for again.

    Parameters
    ----------
    grader : Grader
        What it raises counts as failed, unless it is an error of this package that is no fault of
        a participant, such as a spent budget: that is raised.

    Attributes
    ----------
    grades : tuple of Grade
        What was compared, each pair once.

    Examples
    --------
    >>> class Longer:
    ...     def compare(self, question, a, b):
    ...         return "first" if len(a) >= len(b) else "second"
    >>> grading = Grading(Longer())
    >>> grading.compare("Where is Ilm?", "On the Raun.", "There.").outcome
    'first'
    >>> grading.compare("Where is Ilm?", "Here.", "Away.").said
    ('first', 'second')
    >>> print(grading)
    what 2 comparisons came to
    outcome     number
    ──────────  ──────
    first       1
    second      0
    tie         1
    unreadable  0
    missing     0
    failed      0
    >>> grading.position_effect
    Fraction(1, 2)
    """

    def __init__(self, grader: Grader) -> None:
        instance_of("grader", grader, Grader, "give an object with compare()")
        self._grader = grader
        self._said: dict[tuple[str, str, str], str] = {}
        self._grades: dict[tuple[str, str | None, str | None], Grade] = {}

    @property
    def grades(self) -> tuple[Grade, ...]:
        """What was compared, each pair once."""
        return tuple(self._grades.values())

    def compare(self, question: str, first: str | None, second: str | None) -> Grade:
        """Return what the comparison of two answers came to."""
        said: tuple[str, ...] = ()
        if first is not None and second is not None and first.strip() and second.strip():
            swapped = {"first": "second", "second": "first"}
            other = self._ask(question, second, first)
            said = (self._ask(question, first, second), swapped.get(other, other))
        grade = Grade(question, first, second, said)
        self._grades[question, first, second] = grade
        return grade

    def _ask(self, question: str, a: str, b: str) -> str:
        key = question, a, b
        if key in self._said:
            return self._said[key]
        try:
            found: Any = self._grader.compare(question, a, b)
        except Exception as error:
            if isinstance(error, MechproofError) and not isinstance(error, ParticipantError):
                raise
            return "failed"
        read = found if isinstance(found, str) and found in GRADE_OUTCOMES[:3] else "unreadable"
        self._said[key] = read
        return read

    @property
    def counts(self) -> Mapping[str, int]:
        """How many comparisons came to each outcome; they add up to the number of grades."""
        found = Counter(grade.outcome for grade in self.grades)
        return {outcome: found[outcome] for outcome in GRADE_OUTCOMES}

    @property
    def disagreements(self) -> int:
        """How many comparisons, read in both orders, came out otherwise in the other one."""
        return sum(len({*grade.said} & {*GRADE_OUTCOMES[:3]}) > 1 for grade in self._read())

    @property
    def position_effect(self) -> Fraction | None:
        """How much more often the answer shown first was preferred than the one shown second.

        (f - s) / n over the n readings of the comparisons that were read in both orders: 0 for a
        grader that does not heed positions, 1 for one that always prefers the first. None where
        nothing was read.
        """
        read = self._read()
        if not read:
            return None
        shown_first = sum((g.said[0] == "first") + (g.said[1] == "second") for g in read)
        shown_second = sum((g.said[0] == "second") + (g.said[1] == "first") for g in read)
        return Fraction(shown_first - shown_second, 2 * len(read))

    def _read(self) -> list[Grade]:
        return [grade for grade in self.grades if grade.score is not None]

    def table(self) -> Table:
        """Return how many comparisons came to each outcome."""
        rows = tuple((outcome, str(number)) for outcome, number in self.counts.items())
        caption = f"what {len(self.grades)} comparisons came to"
        return Table(caption=caption, columns=("outcome", "number"), rows=rows)


@dataclass(frozen=True)
class FactGrader:
    """Prefers the answer that holds what a question of a corpus asks for; no model is asked.

    An answer is right if of all values that the relation in question has in the corpus, true or
    not, it names the true one alone: an answer that names two is not.

    Attributes
    ----------
    corpus : Corpus

    Examples
    --------
    >>> from mechanisms.market import FactQuestion, Passage, Statement
    >>> mayor = frozenset({Statement("Ilm", "mayor", "Ida Ro")})
    >>> shelf = (Passage("p1", "press", 2, "Ilm", "Ida Ro is mayor of Ilm."),)
    >>> corpus = Corpus(shelf, (FactQuestion("q1", "Ilm", ("mayor",), worth=5),), mayor)
    >>> FactGrader(corpus).compare("q1", "It is Ida Ro.", "not known")
    'first'
    """

    corpus: Corpus

    def compare(self, question: str, a: str, b: str) -> str:
        """Return which answer is right, or "tie"."""
        right = self.is_right(question, a), self.is_right(question, b)
        return "tie" if right[0] == right[1] else "first" if right[0] else "second"

    def is_right(self, question: str, answer: str) -> bool:
        """Return whether an answer holds what a question asks for, and no other value."""
        asked = self.corpus.question(question)
        needs = self.corpus.needs(asked)
        if len(needs) < len(asked.relations):
            return False
        return self._name_values(needs[-1].relation, answer) == {_words(needs[-1].value)}

    def _name_values(self, relation: str, answer: str) -> set[tuple[str, ...]]:
        """Return the values of a relation that an answer names: from each word on, the longest."""
        values, lengths = self._values[relation]
        words = _words(answer)
        named: set[tuple[str, ...]] = set()
        start = 0
        while start < len(words):
            phrases = (words[start : start + length] for length in lengths)
            found = next((phrase for phrase in phrases if phrase in values), ())
            named.add(found)
            start += len(found) or 1
        return named - {()}

    @cached_property
    def _values(self) -> dict[str, tuple[set[tuple[str, ...]], list[int]]]:
        """The values of each relation in words, true or not, and their lengths, longest first."""
        values: dict[str, set[tuple[str, ...]]] = {}
        for each in chain(self.corpus.facts, *(p.states for p in self.corpus.passages)):
            values.setdefault(each.relation, set()).add(_words(each.value))
        return {
            relation: (words, sorted({*map(len, words)}, reverse=True))
            for relation, words in values.items()
        }


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", text.casefold()))
