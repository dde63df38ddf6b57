"""What the rows of the arena add up to: failures, beliefs, calls of models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from llm_adapters.session import Usage
from mechproof.experiments._rows import Row

__all__ = ["BeliefCount", "count_beliefs", "usage_of"]


@dataclass
class BeliefCount:
    """Statements of one bidder on the state of an auction.

    Attributes
    ----------
    correct : int
        Statements that were correct when they were last made.
    own, others : int
        Wrong ones, each time they were made: on the bidder itself, and on the others.
    """

    correct: int = 0
    own: int = 0
    others: int = 0

    @property
    def wrong(self) -> int:
        """All wrong statements."""
        return self.own + self.others

    @property
    def stated(self) -> int:
        """All statements that count: C + F of arena, section 4.2."""
        return self.correct + self.wrong

    def rate(self, wrong: int) -> Fraction | None:
        """Return the corrected failure rate F / (C + F) of some of the wrong statements."""
        return Fraction(wrong, self.stated) if self.stated else None


def count_beliefs(rows: Iterable[Row]) -> dict[str, BeliefCount]:
    """Return the statements of each bidder.

    A bidder that is told what is wrong and asked again makes all statements again. What it corrects
    counts once as wrong and once as correct; what was correct before is not counted twice.
    """
    found: dict[str, BeliefCount] = {}
    for row in rows:
        last: dict[tuple[int, str], tuple[int, int]] = {}
        for after, name, statements, wrong in row["beliefs"]:
            if statements is None:
                continue
            count = found.setdefault(name, BeliefCount())
            own = sum(_subject(text, row["seats"], name) == name for text in wrong)
            count.own += own
            count.others += len(wrong) - own
            last[after, name] = statements, len(wrong)
        for (_, name), (statements, still) in last.items():
            found[name].correct += statements - still
    return found


def _subject(text: str, bidders: Sequence[str], speaker: str) -> str | None:
    """Return whom a correction is about; the longest name that fits."""
    if text.startswith("You have "):
        return speaker
    fits = [
        name
        for name in bidders
        if text.startswith((f"The profit of {name} is ", f"{name} has won "))
    ]
    return max(fits, key=len, default=None)


@dataclass
class Asked:
    """What games took of one bidder: ``answers`` of a person, or what was used of a model."""

    games: int = 0
    answers: int = 0
    used: Usage = field(default_factory=Usage)


def usage_of(rows: Iterable[Row]) -> dict[str, Asked]:
    """Return what was asked of models and persons, by bidder, in all games, rated or not."""
    found: dict[str, Asked] = {}
    for row in rows:
        for name, used in row["usage"].items():
            one = found.setdefault(name, Asked())
            one.games += 1
            one.answers += used.get("answers", 0)
            if "calls" in used:
                one.used += Usage(
                    used["calls"],
                    used["retries"],
                    used["input_tokens"],
                    used["output_tokens"],
                    Fraction(used["money"]),
                    used["unreadable"],
                )
    return found
