"""Corpora of our own making: an invented world, and passages that state its facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

import numpy as np

from mechanisms.market._corpus import Corpus, FactQuestion, Passage, Statement
from theory.errors import InvalidInputError
from theory.numbers import rational
from theory.shared.arguments import instance_of, read_count

__all__ = ["facts_corpus", "paraphrase"]

_STARTS: Final = (
    *("Al", "Bar", "Cor", "Dun", "El", "Fen", "Gol", "Har", "Il", "Jor", "Kel", "Lom", "Mar"),
    *("Nor", "Or", "Pel", "Quin", "Ros", "Sel", "Tor"),
)
_MIDDLES: Final = ("a", "be", "di", "e", "ga", "i", "la", "mo", "ni", "o", "ra", "u", "vi", "ze")
_ENDS: Final = (
    *("bach", "dale", "fort", "ham", "len", "mar", "nik", "ra", "sen", "ta", "vale", "wick"),
)

_RELATIONS: Final[dict[str, tuple[str, str, tuple[str, ...]]]] = {
    "founder": (
        "company",
        "person",
        ("{s} was founded by {v}.", "It was {v} who started {s}.", "The founder of {s} is {v}."),
    ),
    "seat": (
        "company",
        "city",
        ("{s} has its seat in {v}.", "The offices of {s} stand in {v}.", "The seat of {s} is {v}."),
    ),
    "birthplace": (
        "person",
        "city",
        ("{s} was born in {v}.", "{v} is where {s} was born.", "The birthplace of {s} is {v}."),
    ),
    "teacher": (
        "person",
        "person",
        ("{s} learned the trade from {v}.", "{v} taught {s}.", "The teacher of {s} was {v}."),
    ),
    "mayor": (
        "city",
        "person",
        ("The mayor of {s} is {v}.", "{v} governs {s} as mayor.", "In {s} the mayor is {v}."),
    ),
    "river": (
        "city",
        "river",
        ("{s} lies on the {v}.", "The river of {s} is the {v}.", "The {v} runs through {s}."),
    ),
}
"""By relation: of what kind of subject, to what kind of value, and how it may be said."""

_ANY_RELATION: Final = ("The {r} of {s} is {v}.", "{v} is the {r} of {s}.")
"""How a statement of another relation may be said."""

_REMARKS: Final = (
    "Of {s} little else is told.",
    "Much has been written about {s}, and most of it is forgotten.",
    "Visitors speak well of {s}.",
    "Nobody agrees on the early years of {s}.",
)
"""What a passage may say that states nothing."""

_PRICES: Final = (2, 3, 4, 5, 6, 8, 10, 15, 20, 40, 100)
_WEIGHTS: Final = (12, 14, 14, 14, 12, 10, 9, 7, 5, 2, 1)
"""Most prices are below 20, their mean is about 8: the shape of Figure 7 of bazaar."""


def facts_corpus(
    seed: int = 0,
    *,
    passages: int = 200,
    questions: int = 110,
    owners: int = 20,
    title_error: object = 0,
    duplicates: object = "1/10",
    distractors: object = "1/5",
    contradictions: object = "1/20",
    worth: object = 20,
) -> Corpus:
    """Return passages on an invented world of companies, persons, cities and rivers, and questions.

    Each passage is about one fact. Its title promises that fact with probability 1 - e, and that of
    another passage otherwise; a passage states 1 to 4 facts on its subject. Shares of the passages
    say a fact again in other words at another price (duplicates), state no fact (distractors), or
    state one that is not true in its place (contradictions). So a title is kept with probability (1
    - e) (1 - d - c) for shares d and c of distractors and contradictions, but for coincidences;
    ``title_error`` of the corpus is the rest. Every second question takes two facts, of which the
    second can be asked for only by who knows the first. It takes O(passages + questions) time.

    Parameters
    ----------
    seed : int
        Decides everything; the same seed gives the same corpus.
    passages, questions, owners : int
        How many; there may be fewer questions where the facts do not allow so many.
    title_error : number
        e, a probability.
    duplicates, distractors, contradictions : number
        Shares of the passages, at most 3/4 together.
    worth : number
        What each needed fact is worth.

    Returns
    -------
    Corpus

    Raises
    ------
    InvalidInputError, NumberError
        For counts below 1, and shares that are none.

    Examples
    --------
    >>> corpus = facts_corpus(seed=1, passages=40, questions=10, owners=4)
    >>> len(corpus.passages), len(corpus.questions), len(corpus.by_owner())
    (40, 10, 4)
    >>> question = corpus.questions[0]
    >>> print(question, corpus.needs(question)[0], sep="; ")
    What is the birthplace of Quindilen?; the birthplace of Quindilen is Jorbach
    """
    rng = np.random.default_rng(read_count("seed", seed, 0))
    read_count("passages", passages, 1, 1_000_000)
    read_count("questions", questions, 0, 1_000_000)
    read_count("owners", owners, 1, 100_000)
    error = _probability("title_error", title_error)
    shares = {
        "duplicates": _probability("duplicates", duplicates),
        "distractors": _probability("distractors", distractors),
        "contradictions": _probability("contradictions", contradictions),
    }
    if sum(shares.values()) > Fraction(3, 4):
        problem, fix = "are more than 3/4 together", "leave room for passages that state facts"
        raise InvalidInputError("shares", tuple(map(str, shares.values())), problem, fix)
    counts = {name: int(share * passages) for name, share in shares.items()}
    first = max(1, passages - sum(counts.values()))
    world = _World(rng, first)
    written = [world.passage(fact) for fact in world.order[:first]]
    written += [
        world.passage(world.order[int(k)]) for k in rng.integers(first, size=counts["duplicates"])
    ]
    honest = min(len(written), passages)
    written += [world.remark() for _ in range(counts["distractors"])]
    written += [world.contradiction() for _ in range(counts["contradictions"])]
    written = written[:passages]
    number = len(written)
    shuffled = [written[int(k)] for k in rng.permutation(number)]
    wrong = rng.random(number) < float(error)
    shifts = rng.integers(1, max(2, number), size=number) * wrong
    prices = rng.choice(_PRICES, size=number, p=np.array(_WEIGHTS) / sum(_WEIGHTS))
    whose = [*rng.permutation(owners)[:number]]
    whose += [*rng.integers(owners, size=number - len(whose))]
    made = []
    for k, (_, stated, text) in enumerate(shuffled):
        promise = shuffled[(k + int(shifts[k])) % number][0]
        title = f"{promise.subject}, {promise.relation}"
        owner = f"owner {int(whose[k]) + 1}"
        states, promises = frozenset(stated), frozenset((promise,))
        made.append(Passage(f"p{k + 1}", owner, int(prices[k]), title, text, states, promises))
    asked = world.questions(questions, Fraction(rational(worth, "worth")))
    broken = 1 - (1 - error) * Fraction(honest, number)
    return Corpus(tuple(made), asked, frozenset(world.order), broken)


def paraphrase(passage: Passage) -> Passage:
    """Return a passage that states the same in other words, under the same title and price.

    Each statement is said in a way that the text does not use, in another order.

    Raises
    ------
    InvalidInputError
        For a passage of which no statements are known.

    Examples
    --------
    >>> mayor = Statement("Ilm", "mayor", "Ida Ro")
    >>> text = "The mayor of Ilm is Ida Ro."
    >>> paraphrase(Passage("p1", "Ann", 2, "Ilm", text, frozenset([mayor]))).text
    'Ida Ro governs Ilm as mayor. Of Ilm little else is told.'
    """
    instance_of("passage", passage, Passage, "give a Passage")
    if not passage.states:
        fix = "give one whose states are known"
        raise InvalidInputError("passage", passage.name, "states nothing", fix)
    said = []
    for fact in sorted(passage.states, reverse=True):
        ways = _RELATIONS[fact.relation][2] if fact.relation in _RELATIONS else _ANY_RELATION
        texts = [way.format(s=fact.subject, r=fact.relation, v=fact.value) for way in ways]
        said.append(next((text for text in texts if text not in passage.text), texts[0]))
    remarks = [remark.format(s=min(passage.states).subject) for remark in _REMARKS]
    said += [remark for remark in remarks if remark not in passage.text][:1]
    return replace(passage, text=" ".join(said))


Written = tuple[Statement, Sequence[Statement], str]
"""The fact that a passage is about, what it states, and its text."""


class _World:
    """Facts, and how passages and questions tell of them."""

    def __init__(self, rng: np.random.Generator, facts: int) -> None:
        self.rng = rng
        subjects = max(4, facts // 2)
        names = _names(rng, 4 * subjects)
        kinds = ("company", "person", "city", "river")
        self.named = {
            kind: names[k * subjects : (k + 1) * subjects] for k, kind in enumerate(kinds)
        }
        chosen: list[Statement] = []
        for relation, (subject, value, _) in _RELATIONS.items():
            values = self.named[value]
            for name in self.named[subject]:
                drawn = int(rng.integers(len(values)))
                if values[drawn] == name:
                    drawn -= 1
                chosen.append(Statement(name, relation, values[drawn]))
        self.order = [chosen[int(k)] for k in rng.permutation(len(chosen))][: max(facts, 1)]
        self.facts = {(fact.subject, fact.relation): fact for fact in self.order}

    def passage(self, fact: Statement) -> Written:
        """Return a passage on a fact, with up to three more on the same subject."""
        others = (self.facts.get((fact.subject, relation)) for relation in _RELATIONS)
        stated = [fact]
        stated += [each for each in others if each and each != fact and self.rng.random() < 0.5]
        return fact, stated, " ".join([*map(self._sentence, stated), self._remark(fact.subject)])

    def remark(self) -> Written:
        """Return a passage that states nothing, on a subject of which something is asked."""
        fact = self.order[int(self.rng.integers(len(self.order)))]
        text = " ".join([f"On the {fact.relation} of {fact.subject}.", self._remark(fact.subject)])
        return fact, (), f"{text} {self._remark(fact.subject)}"

    def contradiction(self) -> Written:
        """Return a passage that states what is not true."""
        fact = self.order[int(self.rng.integers(len(self.order)))]
        values = self.named[_RELATIONS[fact.relation][1]]
        value = values[int(self.rng.integers(len(values) - 1))]
        wrong = Statement(fact.subject, fact.relation, values[-1] if value == fact.value else value)
        return fact, (wrong,), f"{self._sentence(wrong)} {self._remark(fact.subject)}"

    def questions(self, count: int, worth: Fraction) -> tuple[FactQuestion, ...]:
        """Return questions of one and of two facts in turn, as far as the facts allow it."""
        single = [(fact.subject, (fact.relation,)) for fact in self.order]
        double = [
            (fact.subject, (fact.relation, then))
            for fact in self.order
            for then in _RELATIONS
            if (fact.value, then) in self.facts
        ]
        pools: list[list[tuple[str, tuple[str, ...]]]] = [
            [pool[int(k)] for k in self.rng.permutation(len(pool))] for pool in (single, double)
        ]
        asked: list[FactQuestion] = []
        while len(asked) < count and any(pools):
            pool = pools[len(asked) % 2] or pools[0] or pools[1]
            subject, relations = pool.pop()
            asked.append(FactQuestion(f"q{len(asked) + 1}", subject, relations, worth))
        return tuple(asked)

    def _sentence(self, fact: Statement) -> str:
        ways = _RELATIONS[fact.relation][2]
        return ways[int(self.rng.integers(len(ways)))].format(s=fact.subject, v=fact.value)

    def _remark(self, subject: str) -> str:
        return _REMARKS[int(self.rng.integers(len(_REMARKS)))].format(s=subject)


def _names(rng: np.random.Generator, count: int) -> list[str]:
    """Return names that differ, in an order of their own."""
    every = [start + end for start in _STARTS for end in _ENDS]
    every += [start + middle + end for start in _STARTS for middle in _MIDDLES for end in _ENDS]
    names = [every[int(k)] for k in rng.permutation(len(every))]
    rounds = 2
    while len(names) < count:
        names += [f"{name} {rounds}" for name in every]
        rounds += 1
    return names[:count]


def _probability(argument: str, given: object) -> Fraction:
    share = Fraction(rational(given, argument))
    if not 0 <= share <= 1:
        raise InvalidInputError(argument, given, "is no share", "give a number from 0 to 1")
    return share
