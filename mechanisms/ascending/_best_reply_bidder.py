"""A bidder that plays the best reply to bidders that follow rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from mechanisms.ascending._arguments import read_money
from mechanisms.ascending._items import Item, read_items
from mechanisms.ascending._questions import Call
from mechanisms.ascending._terms import Terms
from theory.ascending import (
    BestReply,
    EstimateRule,
    Objective,
    Profit,
    Situation,
    best_reply,
    read_setting,
)
from theory.errors import InvalidInputError
from theory.shared.arguments import instance_of, read_count, read_tuple

__all__ = ["BestReplyBidder"]


class BestReplyBidder:
    """Bids what earns most against known rules, found by search over all that may happen.

    Parameters
    ----------
    name : str
    items : iterable of Item
        In the order of their sale.
    rivals : sequence of bidders
        Those that it plays against, in the order of their seats, each with a ``rule``.
    budgets : number, or mapping of numbers by bidder
    seat : int
        Where it sits among them.
    terms : Terms, optional
        With an increment as a share of the start, own payments, and bids shown to all.
    objective : theory.ascending.Objective, optional
        :class:`~theory.ascending.Profit` unless said.
    jumps : bool
        Whether it may bid more than the least amount.

    Attributes
    ----------
    reply : BestReply
        What it earns in expectation, and what it bids in each situation.

    Raises
    ------
    InvalidInputError
        For rivals without a rule, and terms that the search does not cover.
    LimitError
        For too many situations: see :func:`theory.ascending.best_reply`.

    Examples
    --------
    Both have one dollar. The first item is worth 1, the second 4: it leaves the first to the other.

    >>> from mechanisms.ascending import Estimator, run_auction
    >>> items = [Item("small", 1, 1), Item("large", 1, 4)]
    >>> ann = BestReplyBidder("Ann", items, [Estimator("Bob")], 1)
    >>> ann.reply.value
    Fraction(3, 1)
    >>> run_auction(items, [ann, Estimator("Bob")], 1).profits["Ann"]
    Fraction(3, 1)
    """

    def __init__(
        self,
        name: str,
        items: Iterable[Item],
        rivals: Sequence[Any],
        budgets: object,
        *,
        seat: int = 0,
        terms: Terms | None = None,
        objective: Objective | None = None,
        jumps: bool = True,
    ) -> None:
        instance_of("name", name, str, "give text")
        self.name = name
        seated = list(read_tuple("rivals", rivals, "give a list of bidders"))
        if read_count("seat", seat, 0) > len(seated):
            fix = f"give a seat from 0 to {len(seated)}"
            raise InvalidInputError("seat", seat, "is no seat", fix)
        terms = Terms() if terms is None else terms
        if terms != Terms(increment=terms.increment, ties=terms.ties, attempts=terms.attempts):
            fix = "change increment, ties and attempts alone"
            raise InvalidInputError("terms", terms, "are not covered by the search", fix)
        names = [rival.name for rival in seated]
        rules = [_rule_of(rival) for rival in seated]
        self._names = (*names[:seat], name, *names[seat:])
        money = read_money(self._names, budgets)
        self._setting = read_setting(
            read_items(items),
            [*rules[:seat], EstimateRule(), *rules[seat:]],
            [money[each] for each in self._names],
            ties=terms.ties,
            increment=terms.increment,
        )
        self._seat, self._objective = seat, Profit() if objective is None else objective
        self.reply: BestReply = best_reply(
            self._setting, seat, objective=self._objective, jumps=jumps
        )

    def bid(self, call: Call) -> Fraction | None:
        """Return the best bid.

        Raises
        ------
        InvalidInputError
            In a situation that does not arise where the others follow their rules.
        """
        now = self._situation(call)
        if now not in self.reply.moves:
            problem = "does not arise where the others follow their rules"
            fix = "play against the bidders that it was made for"
            raise InvalidInputError("call", str(call), problem, fix)
        level = self.reply.moves[now]
        return None if level is None else call.start + level * call.step

    def _situation(self, call: Call) -> Situation:
        seats = {name: seat for seat, name in enumerate(self._names)}
        budgets = list(self._setting.budgets)
        note = self._objective.begin(self._setting, self._seat)
        for number, sale in enumerate(call.sold):
            sold = None
            if sale.winner is not None and sale.price is not None:
                sold = seats[sale.winner], sale.price
                budgets[sold[0]] -= sale.price
            note = self._objective.after(self._setting, note, number, sold)
        made, withdrawn = [0] * len(seats), set()
        for moves in call.history:
            for name, bid in moves:
                if bid is None:
                    withdrawn.add(seats[name])
                else:
                    made[seats[name]] += 1
        level = (call.least - call.start) / call.step
        leader = -1 if call.leader is None else seats[call.leader]
        return Situation(
            len(call.sold),
            int(level) if level.denominator == 1 else -1,
            leader,
            tuple(budgets),
            tuple(made),
            frozenset(withdrawn),
            note,
        )


def _rule_of(rival: Any) -> Any:
    rule = getattr(rival, "rule", None)
    if rule is None or not hasattr(rival, "name"):
        fix = "give RuleBidder, Estimator, or a bidder with a rule of theory.ascending"
        raise InvalidInputError("rivals", rival, "has no rule", fix)
    return rule
