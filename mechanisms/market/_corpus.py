"""Passages that state facts, the questions that need them, and what a purchase is worth."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

from theory.errors import InvalidInputError, LimitError, UnknownNameError, nearest
from theory.numbers import rational
from theory.numbers.reading import require_short
from theory.shared.arguments import instance_of, read_tuple

__all__ = ["Corpus", "FactQuestion", "Passage", "Statement"]

_MOST_RELATIONS: Final = 50
"""The most that a question follows: each rest of it is a question, too."""
_LONGEST_NAME: Final = 1_000
"""The most characters of what statements and questions are made of."""


@dataclass(frozen=True, slots=True, order=True)
class Statement:
    """What a sentence says: the ``relation`` of the ``subject`` is ``value``."""

    subject: str
    relation: str
    value: str

    def __post_init__(self) -> None:
        for name in ("subject", "relation", "value"):
            _require_name(f"{name} of a statement", getattr(self, name))

    def __str__(self) -> str:
        return f"the {self.relation} of {self.subject} is {self.value}"


@dataclass(frozen=True, slots=True)
class Passage:
    """What is on sale.

    Attributes
    ----------
    name : str
        Unique in a market.
    owner : str
        Whose account is paid.
    price : Fraction
        At least 0.
    title, text : str
        The title is free to read; the text is read in an inspection, or once it is bought.
    states : frozenset of Statement
        What the text states, true or not.
    promises : frozenset of Statement
        What the title lets expect to be stated.

    Examples
    --------
    >>> Passage("p1", "Ann", "2.50", "Ilm", "Ilm lies on the Raun.").price
    Fraction(5, 2)
    """

    name: str
    owner: str
    price: Any
    title: str
    text: str
    states: frozenset[Statement] = frozenset()
    promises: frozenset[Statement] = frozenset()

    def __post_init__(self) -> None:
        for name in ("name", "owner", "title", "text"):
            instance_of(f"{name} of a passage", getattr(self, name), str, "give text")
        for name in ("name", "owner"):
            if not getattr(self, name).strip():
                raise InvalidInputError(f"{name} of a passage", "", "is empty", "give a name")
        price = Fraction(rational(self.price, f"price of {self.name}"))
        require_short(price, f"price of {self.name}")
        if price < 0:
            fix = "give a number of at least 0"
            raise InvalidInputError(f"price of {self.name}", self.price, "is negative", fix)
        object.__setattr__(self, "price", price)
        for name in ("states", "promises"):
            given = read_tuple(name, getattr(self, name), "give statements")
            for each in given:
                instance_of(name, each, Statement, "give Statement(subject, relation, value)")
            object.__setattr__(self, name, frozenset(given))


@dataclass(frozen=True, slots=True)
class FactQuestion:
    """A question that is answered by following relations from a subject.

    With relations r_1, …, r_n it needs n facts: the r_1 of the subject, the r_2 of what that is,
    and so on. Whoever has k of them in a row from the subject on can ask for the next one by name.

    Attributes
    ----------
    name, subject : str
    relations : tuple of str
        At least one, and at most 50.
    worth : Fraction
        What each needed fact is worth to the buyer, in money.

    Examples
    --------
    >>> print(FactQuestion("q1", "Ilm", ("mayor", "birthplace"), worth=20))
    What is the birthplace of the mayor of Ilm?
    """

    name: str
    subject: str
    relations: tuple[str, ...]
    worth: Any

    def __post_init__(self) -> None:
        for name in ("name", "subject"):
            _require_name(f"{name} of a question", getattr(self, name))
        relations = read_tuple("relations", self.relations, "give a list of relations")
        if not relations:
            raise InvalidInputError("relations", relations, "are none", "ask for at least one")
        if len(relations) > _MOST_RELATIONS:
            problem = f"are more than {_MOST_RELATIONS}"
            raise LimitError("relations", len(relations), problem, "ask a shorter question")
        for relation in relations:
            _require_name("relations", relation)
        object.__setattr__(self, "relations", relations)
        worth = Fraction(rational(self.worth, f"worth of {self.name}"))
        require_short(worth, f"worth of {self.name}")
        if worth < 0:
            fix = "give a number of at least 0"
            raise InvalidInputError(f"worth of {self.name}", self.worth, "is negative", fix)
        object.__setattr__(self, "worth", worth)

    def __str__(self) -> str:
        inner = "".join(f"the {relation} of " for relation in reversed(self.relations))
        return f"What is {inner}{self.subject}?"


@dataclass(frozen=True)
class Corpus:
    """Passages on sale, questions, and the facts that are true.

    Attributes
    ----------
    passages : tuple of Passage
        With names of their own.
    questions : tuple of FactQuestion
        With names, and texts, of their own.
    facts : frozenset of Statement
        What is true; a subject has one value a relation.
    title_error : Fraction
        With which probability a text does not state what its title promises.

    Examples
    --------
    >>> mayor = Statement("Ilm", "mayor", "Ida Ro")
    >>> passage = Passage("p1", "Ann", 2, "Ilm", "Ida Ro is mayor of Ilm.", frozenset([mayor]))
    >>> question = FactQuestion("q1", "Ilm", ("mayor",), worth=5)
    >>> corpus = Corpus((passage,), (question,), frozenset([mayor]))
    >>> corpus.worth(question, ["Ida Ro is mayor of Ilm."]), corpus.answer(question, [])
    (Fraction(5, 1), None)
    """

    passages: tuple[Passage, ...]
    questions: tuple[FactQuestion, ...] = ()
    facts: frozenset[Statement] = frozenset()
    title_error: Any = 0

    def __post_init__(self) -> None:
        for name, kind in (("passages", Passage), ("questions", FactQuestion)):
            given = read_tuple(name, getattr(self, name), f"give a list of {kind.__name__}")
            for each in given:
                instance_of(name, each, kind, f"give a list of {kind.__name__}")
            _refuse_twice(name, (each.name for each in given))
            object.__setattr__(self, name, given)
        _refuse_twice("questions", map(str, self.questions))
        if not self.passages:
            raise InvalidInputError("passages", (), "are none", "put at least one on sale")
        facts = read_tuple("facts", self.facts, "give a list of Statement")
        for fact in facts:
            instance_of("facts", fact, Statement, "give Statement(subject, relation, value)")
        object.__setattr__(self, "facts", frozenset(facts))
        _refuse_twice("facts", (f"{f.relation} of {f.subject}" for f in self.facts))
        error = Fraction(rational(self.title_error, "title_error"))
        if not 0 <= error <= 1:
            fix = "give a probability"
            raise InvalidInputError("title_error", self.title_error, "is none", fix)
        object.__setattr__(self, "title_error", error)

    def by_owner(self) -> tuple[tuple[str, tuple[Passage, ...]], ...]:
        """Return the owners in the order of their first passages, each with what it has."""
        owned: dict[str, list[Passage]] = {}
        for passage in self.passages:
            owned.setdefault(passage.owner, []).append(passage)
        return tuple((owner, tuple(passages)) for owner, passages in owned.items())

    def question(self, text: str) -> FactQuestion:
        """Return the question of this name or text, or the one that follows from some with it.

        Raises
        ------
        UnknownNameError
            When there is none.
        """
        found = self.find(text)
        if found is None:
            fix = nearest(text, self._questions)
            raise UnknownNameError("question", text, "is not of the corpus", fix)
        return found

    def find(self, text: str) -> FactQuestion | None:
        """Return what :meth:`question` does, or None."""
        return self._questions.get(text)

    def states(self, *texts: str) -> frozenset[Statement]:
        """Return what texts of the corpus state together; any other text states nothing."""
        return frozenset[Statement]().union(*(self._states.get(text, ()) for text in texts))

    def promises(self, title: str) -> frozenset[Statement]:
        """Return what passages of this title promise."""
        return self._promises.get(title, frozenset())

    def needs(self, question: FactQuestion) -> tuple[Statement, ...]:
        """Return the facts that a question needs, in order, as far as there are any."""
        needed: list[Statement] = []
        subject = question.subject
        for relation in question.relations:
            fact = self._facts.get((subject, relation))
            if fact is None:
                break
            needed.append(fact)
            subject = fact.value
        return tuple(needed)

    def worth(self, question: FactQuestion, texts: Collection[str]) -> Fraction:
        """Return what texts are worth to who asks: the needed facts in them, each counted once."""
        stated = self.states(*texts)
        found = sum(fact in stated for fact in self.needs(question))
        return Fraction(question.worth * found)

    def answer(self, question: FactQuestion, texts: Collection[str]) -> str | None:
        """Return what a question asks for, if the texts state all that it takes; None otherwise.

        It follows what is true: a text that is wrong adds nothing.
        """
        needed = self.needs(question)
        if len(needed) < len(question.relations) or not self.states(*texts).issuperset(needed):
            return None
        return needed[-1].value

    @cached_property
    def _questions(self) -> Mapping[str, FactQuestion]:
        found: dict[str, FactQuestion] = {}
        for question in self.questions:
            for passed, fact in enumerate(self.needs(question), 1):
                if rest := question.relations[passed:]:
                    name = f"{question.name}, {passed} known"
                    follow = FactQuestion(name, fact.value, rest, question.worth)
                    found.setdefault(str(follow), follow)
        for question in self.questions:
            found |= {question.name: question, str(question): question}
        return found

    @cached_property
    def _states(self) -> Mapping[str, frozenset[Statement]]:
        return _together((passage.text, passage.states) for passage in self.passages)

    @cached_property
    def _promises(self) -> Mapping[str, frozenset[Statement]]:
        return _together((passage.title, passage.promises) for passage in self.passages)

    @cached_property
    def _facts(self) -> Mapping[tuple[str, str], Statement]:
        return {(fact.subject, fact.relation): fact for fact in self.facts}


def _together(
    pairs: Iterable[tuple[str, frozenset[Statement]]],
) -> Mapping[str, frozenset[Statement]]:
    """Return the union of the statements of each text."""
    found: dict[str, frozenset[Statement]] = {}
    for text, statements in pairs:
        found[text] = found.get(text, frozenset()) | statements
    return found


def _require_name(argument: str, given: Any) -> None:
    instance_of(argument, given, str, "give text")
    if len(given) > _LONGEST_NAME:
        problem = f"has more than {_LONGEST_NAME:,} characters"
        raise LimitError(argument, f"{len(given):,} characters", problem, "give a shorter one")


def _refuse_twice(argument: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InvalidInputError(argument, name, "is there twice", "give each its own")
        seen.add(name)
