"""Judges that hold a belief about hypotheses, whatever it comes from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from llm_adapters.players._judge_task import StatedHypotheses
from llm_adapters.players._quoting import quote_lines
from mechanisms.ledger import Amount
from theory.errors import InvalidInputError
from theory.shared.text import number_text
from theory.verdicts import ShownAsTable, Table

__all__ = ["Belief", "BelievingJudge"]


@dataclass(frozen=True)
class Belief:
    """What a judge believes when some items are revealed.

    Attributes
    ----------
    revealed : tuple of str
        The names of the items, sorted.
    probabilities : dict
        By hypothesis; they sum to one.
    answered : bool
        Whether the model said so. Where it gave no answer that could be used, this is the belief
        about fewer items that was kept instead.

    Examples
    --------
    >>> print(Belief(("sky",), {"rain": 0.75, "dry": 0.25}, answered=True))
    belief given sky
    hypothesis  probability
    ──────────  ───────────
    rain        0.75
    dry         0.25
    """

    revealed: tuple[str, ...]
    probabilities: dict[str, Amount]
    answered: bool

    def _table(self) -> Table:
        kept = "" if self.answered else ", kept: the model gave no answer that could be used"
        rows = tuple((name, number_text(p)) for name, p in self.probabilities.items())
        caption = f"belief given {_list_names(self.revealed)}{kept}"
        return Table(caption=caption, columns=("hypothesis", "probability"), rows=rows)

    def __str__(self) -> str:
        return str(self._table())

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()


class BelievingJudge(ShownAsTable, ABC):
    """A judge that expects of each action what its belief says.

    A set of items, with their contents, is thought about once. The empty set needs no thought:
    there the belief is the prior. What cannot be answered leaves the belief as it last was about
    some of these items, and counts as thought about.
    """

    def __init__(self, stated: StatedHypotheses, longest: int) -> None:
        self._stated, self._longest = stated, longest
        prior = dict(zip(stated.texts, stated.prior, strict=True))
        self._beliefs = {frozenset[tuple[str, str]](): Belief((), prior, answered=True)}

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        """The prior, and what came of each set of items that was asked about, in that order."""
        return tuple(self._beliefs.values())

    def utilities(self, revealed: Mapping[str, object]) -> dict[Hashable, Amount]:
        """Return the expected utility of each action: the sum over h of P(h | revealed) u(x, h)."""
        chances = tuple(self.belief(revealed).probabilities.values())
        return {
            action: sum(p * u for p, u in zip(chances, row, strict=True))
            for action, row in self._stated.utilities.items()
        }

    def belief(self, revealed: Mapping[str, object]) -> Belief:
        """Return what is believed when these contents are revealed, by name.

        Raises
        ------
        InvalidInputError
            For what is no mapping from names.
        """
        fix = "give contents by name"
        if not isinstance(revealed, Mapping):
            raise InvalidInputError("revealed", revealed, "is not a mapping", fix)
        for name in revealed:
            if not isinstance(name, str):
                raise InvalidInputError("revealed", name, "is not a name", fix)
        shown = {name: quote_lines(revealed[name], self._longest) for name in sorted(revealed)}
        key = frozenset(shown.items())
        if key not in self._beliefs:
            chances = self._consider(shown)
            names = tuple(self._stated.texts)
            self._beliefs[key] = Belief(
                tuple(shown),
                self._recall(key) if chances is None else dict(zip(names, chances, strict=True)),
                answered=chances is not None,
            )
        return self._beliefs[key]

    @abstractmethod
    def _consider(self, shown: dict[str, str]) -> tuple[Amount, ...] | None:
        """Return probabilities given contents, quoted by name; None where no answer came."""

    def _recall(self, key: frozenset[tuple[str, str]]) -> dict[str, Amount]:
        """Return the last belief that an answer gave about some of these items."""
        *_, last = (
            belief for items, belief in self._beliefs.items() if belief.answered and items <= key
        )
        return dict(last.probabilities)

    def table(self) -> Table:
        """Return all beliefs, a row for each set of items."""
        rows = tuple(
            (
                _list_names(belief.revealed),
                *map(number_text, belief.probabilities.values()),
                "" if belief.answered else "no answer: kept",
            )
            for belief in self.beliefs
        )
        columns = ("revealed", *self._stated.texts, "")
        return Table(caption="what the judge believes", columns=columns, rows=rows)


def _list_names(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "nothing"
