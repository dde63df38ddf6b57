"""What questions in the whole market come to: worth, money, what was paid for twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from mechanisms.advertising import Estimate
from mechanisms.inspection import Shown
from mechanisms.market import Corpus, FactGrader, FactQuestion, Passage, best_purchase
from mechproof.experiments._bazaar_choices import mean_of
from mechproof.experiments._bazaar_rows import passages_bought
from mechproof.experiments._rows import Row

__all__ = ["AgainstBest", "MarketSummary", "Outcome", "Outcomes"]


@dataclass(frozen=True)
class Outcome:
    """What came of one question.

    Attributes
    ----------
    right : bool
        Whether the answer holds what was asked for, and no other value.
    worth : Fraction
        Of what was bought, to who asked.
    spent : Fraction
    twice : int
        How often a needed fact was bought that was there already.
    useless : Fraction
        What was paid for passages that state nothing needed.
    """

    right: bool
    worth: Fraction
    spent: Fraction
    twice: int
    useless: Fraction

    @property
    def net(self) -> Fraction:
        """What the buyer gains."""
        return self.worth - self.spent


@dataclass(frozen=True)
class MarketSummary:
    """Means over questions, with intervals, of one buyer in one setting.

    Attributes
    ----------
    questions : int
    right : Estimate
        In percent.
    worth, spent, net, twice : Estimate
        A question.
    per_credit : float or None
        Worth over money spent, of all questions together; None where nothing was spent.
    useless : float or None
        The percentage of the money that went to passages that state nothing needed.
    concentration : float or None
        The sum of squared shares of the sellers in what was paid: 1 where one has it all.
    """

    questions: int
    right: Estimate
    worth: Estimate
    spent: Estimate
    net: Estimate
    twice: Estimate
    per_credit: float | None
    useless: float | None
    concentration: float | None


@dataclass(frozen=True)
class AgainstBest:
    """What was chosen for first questions against the best of what was on offer, known fully.

    Attributes
    ----------
    share : float or None
        The sum of the gains over the sum of the best gains, of all questions.
    worst : float or None
        The least share of a question of which something could be gained.
    questions : int
        How many such there are.
    """

    share: float | None
    worst: float | None
    questions: int


class Outcomes:
    """What came of rows of the market."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._grader = FactGrader(corpus)
        self._passages = {passage.name: passage for passage in corpus.passages}

    def of(self, row: Row) -> Outcome:
        """Return what came of a row of the market."""
        question = self.corpus.question(row["question"])
        needed = {*self.corpus.needs(question)}
        bought = [self._passages[name] for name in passages_bought(row)]
        found = [each.states & needed for each in bought]
        distinct = frozenset[object]().union(*found)
        return Outcome(
            right=self._grader.is_right(question.name, row["answer"] or ""),
            worth=question.worth * len(distinct),
            spent=Fraction(row["spent"]),
            twice=sum(map(len, found)) - len(distinct),
            useless=sum(
                (p.price for p, some in zip(bought, found, strict=True) if not some), Fraction(0)
            ),
        )

    def summary(self, rows: Sequence[Row]) -> MarketSummary:
        """Return what came of the questions of one buyer in one setting."""
        found = [self.of(row) for row in rows]
        spent = sum((each.spent for each in found), Fraction(0))
        useless = sum((each.useless for each in found), Fraction(0))
        worth = sum((each.worth for each in found), Fraction(0))
        return MarketSummary(
            questions=len(found),
            right=mean_of(rows, [100 * each.right for each in found]),
            worth=mean_of(rows, [each.worth for each in found]),
            spent=mean_of(rows, [each.spent for each in found]),
            net=mean_of(rows, [each.net for each in found]),
            twice=mean_of(rows, [each.twice for each in found]),
            per_credit=float(worth / spent) if spent else None,
            useless=float(100 * useless / spent) if spent else None,
            concentration=_concentration(rows),
        )

    def against_best(self, rows: Iterable[Row]) -> AgainstBest:
        """Return what was chosen for the first questions, against the best set that could be."""
        total, most, worst, count = Fraction(0), Fraction(0), None, 0
        for row in rows:
            if not row["inquiries"]:
                continue
            question = self.corpus.question(row["question"])
            gain, best = self._gains(question, row["inquiries"][0], Fraction(row["setting"]))
            total, most = total + gain, most + best
            if best > 0:
                count += 1
                share = float(gain / best)
                worst = share if worst is None else min(worst, share)
        return AgainstBest(float(total / most) if most else None, worst, count)

    def _gains(
        self, question: FactQuestion, inquiry: Row, budget: Fraction
    ) -> tuple[Fraction, Fraction]:
        """Return what was gained by the offers of an inquiry, and what could have been."""
        needed = self.corpus.needs(question)
        names = [label for label, _ in inquiry["offers"]]
        passages = [self._passages[label.partition(": ")[2]] for label in names]
        offers = [
            Shown(1, "", name, p.price, None) for name, p in zip(names, passages, strict=True)
        ]
        chances = [[Fraction(fact in p.states) for fact in needed] for p in passages]
        best = best_purchase(offers, chances, question.worth, budget)
        chosen = [each for each in offers if each.name in inquiry["bought"]]
        by_name = dict(zip(names, passages, strict=True))

        def gain(some: Iterable[Shown]) -> Fraction:
            bought: list[Passage] = [by_name[each.name] for each in some]
            stated = frozenset[object]().union(*(p.states & {*needed} for p in bought))
            cost = sum((p.price for p in bought), Fraction(0))
            return Fraction(question.worth * len(stated) - cost)

        return gain(chosen), gain(best)


def _concentration(rows: Iterable[Row]) -> float | None:
    receipts: dict[str, Fraction] = {}
    for row in rows:
        for name, balance in row["balances"].items():
            if name != row["buyer"]:
                receipts[name] = receipts.get(name, Fraction(0)) + Fraction(balance)
    total = sum(receipts.values(), Fraction(0))
    return float(sum((each / total) ** 2 for each in receipts.values())) if total else None
