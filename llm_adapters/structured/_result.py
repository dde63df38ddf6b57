"""The answer of a chat model of a stated type, or the error that it gave none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from llm_adapters.errors import UnreadableError
from llm_adapters.parsing import quote_around
from theory.verdicts import Table

__all__ = ["NoAnswerError", "ValidAnswer"]

T = TypeVar("T")


@dataclass(frozen=True)
class ValidAnswer(Generic[T]):
    """A valid answer.

    Attributes
    ----------
    value : T
        What was said, as data.
    text : str
        What was said.
    attempts : int
        How often the model was asked; 1 where the first answer was valid.
    """

    value: T
    text: str
    attempts: int

    def _table(self) -> Table:
        rows = (
            ("value", repr(self.value)),
            ("text", quote_around(self.text)),
            ("attempts", str(self.attempts)),
        )
        return Table(caption="An answer", columns=("", "what was said"), rows=rows)

    def __str__(self) -> str:
        return str(self._table())

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()


class NoAnswerError(UnreadableError):
    """A model that was asked several times and gave no valid answer.

    Parameters
    ----------
    texts : sequence of str
        What it said each time.
    problems : sequence of str
        What was wrong with each.

    Attributes
    ----------
    texts, problems : tuple of str
    """

    def __init__(self, texts: Sequence[str], problems: Sequence[str]) -> None:
        said = "; ".join(
            f"({number}) {quote_around(text)}: {problem}"
            for number, (text, problem) in enumerate(zip(texts, problems, strict=True), 1)
        )
        times = "once" if len(texts) == 1 else f"{len(texts)} times"
        super().__init__(
            f"asked {times}, the model gave no valid answer: {said}",
            "pass, abstain or take a default; or ask more plainly, or more often",
        )
        self.texts = tuple(texts)
        self.problems = tuple(problems)

    def __reduce__(self) -> tuple[type[NoAnswerError], tuple[tuple[str, ...], tuple[str, ...]]]:
        return type(self), (self.texts, self.problems)
