"""What is offered in each part of the experiments of bazaar, question by question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations
from typing import Any, Final

from mechanisms.market import (
    BM25,
    Corpus,
    FactQuestion,
    Market,
    Passage,
    Vendor,
    paraphrase,
)
from mechproof.experiments._rows import Row

__all__ = [
    "BASE",
    "CREDIT",
    "ORDERS",
    "ROLES",
    "Part",
    "Scenes",
    "parts_of",
]

BASE: Final = 10
"""What passages cost whose price is not varied (bazaar, section 4.1)."""
CREDIT: Final = 100
"""What a buyer has where passages are shown to it (bazaar, section 4)."""
GOLD_PRICES: Final = tuple(range(0, 81, 10))
BUDGETS: Final = {
    "inspection": (10, 25, 50, 100, 200),
    "budget": (5, 10, 25, 50, 100, 200),
    "keyword-baseline": (25, 100),
    "models": (100,),
}
ROLES: Final = ("gold", "other1", "other2")
ORDERS: Final = tuple(map(" ".join, permutations(ROLES)))


@dataclass(frozen=True)
class Part:
    """One setting of an experiment.

    Attributes
    ----------
    part : str
        "copies", "gold price", "order" or "market".
    setting : str
        The prices of the two copies, the price of the gold passage, the order of the passages, or
        the budget.
    inspection : bool
    """

    part: str
    setting: str
    inspection: bool = True

    @classmethod
    def of(cls, row: Row) -> Part:
        """Return the setting of a row."""
        return cls(row["part"], row["setting"], row["inspection"])

    def key(self, question: str, buyer: str) -> Row:
        """Return what the row begins with."""
        return {
            "part": self.part,
            "setting": self.setting,
            "inspection": self.inspection,
            "question": question,
            "buyer": buyer,
        }


def parts_of(
    name: str, budgets: Sequence[str] | None = None, prices: Sequence[str] | None = None
) -> tuple[Part, ...]:
    """Return the settings of an experiment, in order."""
    spent = budgets or tuple(map(str, BUDGETS.get(name, ())))
    gold = prices or tuple(map(str, GOLD_PRICES))
    if name == "rational-choice":
        pairs = ((BASE, BASE), (BASE, 3 * BASE // 2), (3 * BASE // 2, BASE))
        return tuple(Part("copies", f"{first}, {second}") for first, second in pairs)
    if name == "demand":
        return tuple(Part("gold price", price) for price in gold)
    if name == "position":
        return tuple(Part("order", order) for order in ORDERS)
    both = (True, False) if name == "inspection" else (True,)
    shown = [Part("gold price", price, read) for price in gold for read in both]
    market = [Part("market", budget, read) for budget in spent for read in both]
    return (*(shown if name == "inspection" else ()), *market)


class _AsGiven:
    """Quotes a shelf as it stands."""

    def rank(self, query: str, passages: Sequence[Passage]) -> list[tuple[int, float]]:
        """Return all passages, the first with the highest score."""
        del query
        return [(place, float(len(passages) - place)) for place in range(len(passages))]


_SHELF: Final = "library"


@dataclass(frozen=True, eq=False)
class Scenes:
    """What is offered for the questions of a corpus.

    Attributes
    ----------
    corpus : Corpus
    questions : int or None
        How many are asked at most in each part.
    """

    corpus: Corpus
    questions: int | None = None

    def asked(self, part: Part) -> tuple[FactQuestion, ...]:
        """Return the questions of a part: where passages are shown, those that one can answer."""
        found = self.corpus.questions if part.part == "market" else self._shown_questions
        return found[: self.questions]

    @cached_property
    def _shown_questions(self) -> tuple[FactQuestion, ...]:
        single = [q for q in self.corpus.questions if len(q.relations) == 1]
        return tuple(q for q in single if q.name in self._gold and len(self._others(q)) >= 2)

    @cached_property
    def _gold(self) -> dict[str, Passage]:
        """The first passage that states what a question needs, by question."""
        found = {}
        for question in self.corpus.questions:
            needed = self.corpus.needs(question)[:1]
            stating = (p for p in self.corpus.passages if {*needed} & p.states)
            gold = next(stating, None)
            if gold is not None:
                found[question.name] = gold
        return found

    @cached_property
    def known(self) -> Corpus:
        """The corpus with what copies say, for who knows what texts state."""
        copies = [replace(paraphrase(p), name=f"{p.name} in other words") for p in self._golds]
        return replace(self.corpus, passages=(*self.corpus.passages, *copies))

    @cached_property
    def _golds(self) -> tuple[Passage, ...]:
        return tuple(dict.fromkeys(self._gold[q.name] for q in self._shown_questions))

    @cached_property
    def _index(self) -> BM25:
        return BM25(self.corpus.passages, top=len(self.corpus.passages))

    def _others(self, question: FactQuestion, *, useless: bool = True) -> list[Passage]:
        """Return the best passages for a question beside the gold one, by words.

        ``useless`` ones do not state what is needed.
        """
        needed = {*self.corpus.needs(question)}
        passages = self.corpus.passages
        gold = self._gold[question.name]
        ranked = (passages[k] for k, _ in self._index.rank(str(question), passages))
        found: list[Passage] = []
        for each in ranked:
            known = any(each.text == other.text for other in (gold, *found))
            if not known and not (useless and needed & each.states):
                found.append(each)
            if len(found) == 2:
                break
        return found

    def shown(self, part: Part, question: FactQuestion) -> list[tuple[str, Passage]]:
        """Return the passages that are shown, in order, with what each is; none in the market.

        The names of the passages say nothing of what they are.
        """
        if part.part == "market":
            return []
        gold = self._gold[question.name]
        roles: tuple[str, ...]
        if part.part == "copies":
            first, second = part.setting.split(", ")
            roles = ("first", "second")
            passages = [replace(gold, price=first), replace(paraphrase(gold), price=second)]
        elif part.part == "gold price":
            others = [replace(p, price=BASE) for p in self._others(question, useless=False)]
            passages = [replace(gold, price=part.setting), *others]
            turn = self._shown_questions.index(question) % 3  # so that no place is the gold one's
            passages = passages[turn:] + passages[:turn]
            roles = ROLES[turn:] + ROLES[:turn]
        else:
            others = self._others(question)
            roles = tuple(part.setting.split(" "))
            named: dict[str, Passage] = dict(zip(ROLES, (gold, *others), strict=True))
            passages = [replace(named[role], price=BASE) for role in roles]
        renamed = [replace(p, name=str(k), owner=_SHELF) for k, p in enumerate(passages, 1)]
        return [*zip(roles, renamed, strict=True)]

    def market(self, part: Part, shown: Sequence[tuple[str, Passage]]) -> Market:
        """Return the market in which a question of a part is asked."""
        if part.part == "market":
            return self._markets[part.inspection]
        passages = tuple(passage for _, passage in shown)
        vendor = Vendor(_SHELF, passages, _AsGiven())
        count = len(passages)
        return Market((vendor,), part.inspection, quotes=count, examine=count, offer=count)

    @cached_property
    def _markets(self) -> dict[bool, Market]:
        return {read: Market.of(self.corpus, inspection=read) for read in (True, False)}

    def budget(self, part: Part) -> Any:
        """Return what the buyer has."""
        return part.setting if part.part == "market" else CREDIT
