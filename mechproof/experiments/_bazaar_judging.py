"""Which of two answers in the market is better, pair by pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, Final

from mechanisms.market import Corpus, FactGrader, Grade, Grader
from mechproof.demos.models import LOCAL
from mechproof.experiments._rows import Row
from mechproof.object_by_name import make_named
from theory.errors import InvalidInputError, UnknownNameError, nearest

__all__ = [
    "FACTS",
    "OUTCOMES",
    "Comparison",
    "Player",
    "compare_answers",
    "make_judge",
    "player_of",
]

FACTS: Final = "facts"
OUTCOMES: Final = ("won", "lost", "tie", "unreadable", "missing", "failed")
_OUTCOME: Final = {"first": "won", "second": "lost"}


def make_judge(given: Any, corpus: Corpus) -> tuple[str, Grader]:
    """Return what records call a judge, and the judge: "facts", MODULE:NAME, or an object.

    Raises
    ------
    InvalidInputError
        For what is none.
    """
    if isinstance(given, str) and given == FACTS:
        return FACTS, FactGrader(corpus)
    judge, known = given, type(given).__qualname__
    if isinstance(given, str):
        if ":" not in given:
            fix = f"{nearest(given, (FACTS, LOCAL))} (or a model's address, or MODULE:NAME)"
            raise UnknownNameError("judge", given, "is no judge", fix)

        def made(found: Any) -> Any:
            return found() if isinstance(found, type) else found

        judge, known = make_named(given, "judge", "a judge", made), given
    if not isinstance(judge, Grader):
        fix = 'give "facts", MODULE:NAME, or an object with compare(question, a, b)'
        raise InvalidInputError("judge", given, "is no judge", fix)
    return known, judge


@dataclass(frozen=True, order=True)
class Player:
    """Whose answers are compared: a buyer with a budget, who may read or not.

    Examples
    --------
    >>> print(Player("ideal", "25", inspection=False))
    ideal, 25, titles
    """

    buyer: str
    budget: str
    inspection: bool

    def __str__(self) -> str:
        return f"{self.buyer}, {self.budget}{'' if self.inspection else ', titles'}"

    def differs(self, other: Player) -> int:
        """Return in how many respects two players differ."""
        mine, its = vars(self).values(), vars(other).values()
        return sum(a != b for a, b in zip(mine, its, strict=True))


def player_of(row: Row) -> Player:
    """Return whose answer a row of the market has."""
    return Player(row["buyer"], row["setting"], row["inspection"])


def _pairs(players: Iterable[Player]) -> list[tuple[Player, Player]]:
    """Return the pairs that are compared: those that differ in one respect.

    The first has the higher budget, or may read.
    """
    ranked = sorted(dict.fromkeys(players), key=lambda p: (-Fraction(p.budget), not p.inspection))
    return [pair for pair in combinations(ranked, 2) if pair[0].differs(pair[1]) == 1]


@dataclass(frozen=True)
class Comparison:
    """What came of comparing two answers to a question.

    Attributes
    ----------
    question : str
        Its name.
    first, second : Player
    grade : Grade
    """

    question: str
    first: Player
    second: Player
    grade: Grade

    @property
    def outcome(self) -> str:
        """One of :data:`OUTCOMES`, for the first."""
        return _OUTCOME.get(self.grade.outcome, self.grade.outcome)

    @property
    def swapped(self) -> bool:
        """Whether another answer was preferred as the order changed."""
        return self.outcome == "tie" and len({*self.grade.said}) > 1


def compare_answers(
    rows: Iterable[Row], grade: Callable[[str, str | None, str | None], Grade]
) -> tuple[Comparison, ...]:
    """Return what came of every pair of every question, by its text and two answers."""
    answers: dict[str, dict[Player, str | None]] = {}
    for row in rows:
        answers.setdefault(row["question"], {})[player_of(row)] = row["answer"]
    return tuple(
        Comparison(question, first, second, grade(question, given[first], given[second]))
        for question, given in answers.items()
        for first, second in _pairs(given)
    )
