"""The kind ``information-market``: the best set of passages to buy, for who needs facts."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.reading import DocumentError, child
from mechproof.problems.format.typed import Record
from mechproof.problems.kind import AnswerBase, ProblemBase, ProblemKind
from mechproof.problems.shared.answers import Rational, four_digits
from mechproof.problems.shared.counting import (
    MAX_OFFERED,
    MAX_STATED,
    by_length,
    check_count,
    common_bits,
)
from mechproof.problems.shared.goods import first_repetition, look_up_name
from theory import purchases
from theory.errors import LimitError
from theory.purchases import BestSet, Shelf
from theory.shared.text import short_text

__all__ = ["KIND", "Answer", "Problem", "solve"]

_NAMED: Final = 5
"""How many passages are named in a sentence."""
_FEWER: Final = "offer fewer passages, need fewer facts, or round numbers"


class Passage(Record, frozen=True, kw_only=True):
    """A passage for sale."""

    name: Annotated[str, Meta(description="Its name, given to no other passage.")]
    price: Annotated[Fraction, Meta(description="Its price, at least 0.")]
    states: Annotated[
        tuple[str, ...] | dict[str, Fraction],
        Meta(
            description="The facts that it states: their names; or fact, then the probability "
            "that it is stated, each independently of the others."
        ),
    ]


class Problem(ProblemBase, frozen=True, kw_only=True):
    """Facts that are needed, passages that state them, and what may be spent."""

    kind: Annotated[Literal["information-market"], Meta(description="The kind of problem.")]
    facts: Annotated[
        dict[str, Fraction],
        Meta(description="Fact: what it is worth to the buyer, once; at least 0.", min_length=1),
    ]
    passages: Annotated[tuple[Passage, ...], Meta(description="The passages for sale.")]
    budget: Annotated[
        Fraction | UnsetType,
        Meta(description="The most that may be spent; no limit when left out."),
    ] = UNSET


class Answer(AnswerBase, frozen=True, kw_only=True):
    """The set that is worth the most after its price."""

    kind: Annotated[Literal["information-market"], Meta(description="The kind of problem.")]
    version: Annotated[Literal[1], Meta(description="Version of the form of this answer.")]
    words: Annotated[tuple[str, ...], Meta(description="What was found, in words.")]
    buy: Annotated[
        tuple[str, ...],
        Meta(description="The passages to buy. Of equal sets the cheapest, smallest, first."),
    ]
    price: Annotated[Rational, Meta(description="What they cost together.")]
    worth: Annotated[Rational, Meta(description="What they are worth, in expectation.")]
    gain: Annotated[Rational, Meta(description="The worth less the price.")]
    facts: Annotated[
        dict[str, Rational], Meta(description="Fact: the probability that it is bought.")
    ]
    adds: Annotated[
        dict[str, Rational],
        Meta(
            description="Passage: what it adds to the worth of the others that are bought, before "
            "its price; of one that is left, to all that are bought."
        ),
    ]
    gap: Annotated[
        Rational,
        Meta(
            description="By how much, at most, what is written misses what separate code finds: "
            "the price, the worth, and the greatest gain of all sets that can be paid."
        ),
    ]


def solve(problem: Problem) -> Answer:
    """Find the best set to buy.

    Raises
    ------
    DocumentError
        With the path of what cannot be used.
    """
    shelf = _shelf_of(problem)
    _check_counts(shelf)
    try:
        found = purchases.best_set(
            shelf.prices,
            shelf.chances,
            shelf.worths,
            shelf.budget,
            max_steps=MAX_OFFERED // by_length(1, _bits(shelf)),
        )
    except LimitError as error:
        raise DocumentError(f"{error.problem}: {_FEWER}", path="$.passages") from error
    names = [passage.name for passage in problem.passages]
    return Answer(
        kind="information-market",
        version=1,
        words=tuple(_describe(problem, found)),
        buy=tuple(names[place] for place in found.chosen),
        price=str(found.price),
        worth=str(found.worth),
        gain=str(found.gain),
        facts={
            fact: str(1 - shelf.missed(found.chosen, place))
            for place, fact in enumerate(problem.facts)
        },
        adds={name: str(_added(shelf, found, place)) for place, name in enumerate(names)},
        gap=str(found.gap),
    )


def _shelf_of(problem: Problem) -> Shelf:
    names = [passage.name for passage in problem.passages]
    again = first_repetition(names)
    if again is not None:
        path = child(child("$.passages", again), "name")
        raise DocumentError(f"{names[again]!r} names another passage too", path=path)
    facts = {fact: place for place, fact in enumerate(problem.facts)}
    for fact, worth in problem.facts.items():
        _check_amount(worth, child("$.facts", fact))
    check_count(
        "$.passages", "passages times facts", len(names) * len(facts), MAX_STATED // 8, _FEWER
    )
    rows = []
    for number, passage in enumerate(problem.passages):
        path = child("$.passages", number)
        _check_amount(passage.price, child(path, "price"))
        row = [Fraction(0)] * len(facts)
        for fact, chance, at in _stated(passage, child(path, "states")):
            place = look_up_name(fact, "fact", facts, at)
            if not 0 <= chance <= 1:
                wrong = f"is no probability (got {short_text(chance)}): give one from 0 to 1"
                raise DocumentError(wrong, path=at)
            row[place] = chance
        rows.append(tuple(row))
    budget = None if isinstance(problem.budget, UnsetType) else problem.budget
    if budget is not None:
        _check_amount(budget, "$.budget")
    prices = tuple(passage.price for passage in problem.passages)
    return Shelf(prices, tuple(rows), tuple(problem.facts.values()), budget)


def _stated(passage: Passage, path: str) -> Iterator[tuple[str, Fraction, str]]:
    """Yield what a passage states, with which probability, and where that is written."""
    if isinstance(passage.states, dict):
        for fact, chance in passage.states.items():
            yield fact, chance, child(path, fact)
        return
    again = first_repetition(passage.states)
    if again is not None:
        wrong = f"{passage.states[again]!r} stands there twice: write it once"
        raise DocumentError(wrong, path=child(path, again))
    for place, fact in enumerate(passage.states):
        yield fact, Fraction(1), child(path, place)


def _check_amount(amount: Fraction, path: str) -> None:
    if amount < 0:
        wrong = f"is negative (got {short_text(amount)}): give an amount of at least 0"
        raise DocumentError(wrong, path=path)


def _check_counts(shelf: Shelf) -> None:
    """Count what there is to compare where all that passages may state is gone through."""
    work = by_length(purchases.count_recheck(shelf), _bits(shelf))
    what = "facts of sets of passages, by the length of numbers"
    check_count("$.passages", what, work, MAX_STATED, _FEWER)


def _bits(shelf: Shelf) -> int:
    """Return about how many bits what is worked out has."""
    money = (*shelf.prices, *shelf.worths, *(() if shelf.budget is None else (shelf.budget,)))
    size = max((number.numerator.bit_length() for number in money), default=0)
    columns = (common_bits(row[k] for row in shelf.chances) for k in range(len(shelf.worths)))
    return size + common_bits(money) + len(shelf.prices) * sum(columns)


def _added(shelf: Shelf, found: BestSet, place: int) -> Fraction:
    others = tuple(each for each in found.chosen if each != place)
    return sum(
        (
            worth * shelf.chances[place][fact] * shelf.missed(others, fact)
            for fact, worth in enumerate(shelf.worths)
            if shelf.chances[place][fact]
        ),
        Fraction(0),
    )


def _describe(problem: Problem, found: BestSet) -> Iterator[str]:
    if not found.chosen:
        yield "Buy nothing: no set that can be paid is worth more than its price."
        return
    names = [problem.passages[place].name for place in found.chosen]
    if len(names) > _NAMED:
        names = [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} others"]
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    money = [four_digits(amount) for amount in (found.price, found.worth, found.gain)]
    yield f"Buy {listed} for {money[0]}: worth {money[1]}, so that {money[2]} is gained."


EXAMPLE = """\
# You need facts, and passages that state them are for sale. Which do you buy? Two that say the same
# are worth no more than one, and the budget is for all of them together.
#
#   mechproof example information-market | mechproof solve -

kind = "information-market"

# The most that may be spent; no limit when left out.
budget = 25

# What each fact is worth to you, once, however many passages state it.
[facts]
founder = 20
seat = 8
river = 5

# You have read this one: it states two facts for certain.
[[passages]]
name = "history of the house"
price = 12
states = ["founder", "seat"]

[[passages]]
name = "who's who"
price = 9
states = ["founder"]

# Of this one you know the title alone: fact, then the probability that it is stated.
[[passages]]
name = "guide to the city"
price = 4
states = { seat = "9/10", river = "1/2" }

[[passages]]
name = "atlas"
price = 3
states = ["river"]
"""


KIND = ProblemKind(
    name="information-market",
    problem=Problem,
    answer=Answer,
    solve=solve,
    example=EXAMPLE,
)
