"""arena, section 3: the auction as it is stepped, against the rules and the accounts of the paper.

Bidders answer by a script, so a play has bids, jumps, withdrawals, and answers that are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import cycle
from typing import Any, Final

from mechanisms.ascending import SELLER, Auctioned, Call, Item, ascending_auction
from mechanisms.play import Ask, How, Run
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = [
    "NAMES",
    "SCRIPTS",
    "AccountsAdd",
    "RulesAreKept",
    "Script",
    "play_script",
    "show_script",
]

NAMES: Final = ("Ann", "Bob", "Cy")
ATTEMPTS: Final = 3
INCREMENT: Final = Fraction(1, 10)
ANSWERS: Final = ("withdraw", "least", "all", "less", "more")
"""Nothing; the least bid; all that is left; a bit less than the least; a bit more than all."""

Auction = Callable[..., Run[Auctioned]]


@dataclass(frozen=True)
class Script:
    """Items that start at 10 or 20 and are worth twice that; answers, given in turn, over again."""

    bidders: int
    starts: tuple[int, ...]
    budget: int
    answers: tuple[str, ...]
    last: bool = False

    def __str__(self) -> str:
        starts = ", ".join(map(str, self.starts))
        return (
            f"{self.bidders} bidders with {self.budget}, items that start at {starts}, answers "
            f"{', '.join(self.answers)}, ties to the {'last' if self.last else 'first'}"
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The bidders."""
        return NAMES[: self.bidders]

    @property
    def items(self) -> tuple[Item, ...]:
        """The items, by number."""
        return tuple(Item(f"item {n}", s, 2 * s) for n, s in enumerate(self.starts, 1))


def _build_script(draw: Draw, items: int) -> Script:
    bidders = draw.choice((2, 3))
    answers = tuple(draw.choice(ANSWERS) for _ in range(3))
    if items == 1:
        return Script(bidders, (10,), 12, answers)
    return Script(bidders, (20, 10), 31, answers, last=True)


def _script_size(case: Script) -> tuple[int, ...]:
    return (case.bidders, case.budget, sum(ANSWERS.index(answer) for answer in case.answers))


SCRIPTS: Family[Script] = Family(
    description=(
        "an item from 10, or two from 20 and 10, 2 or 3 bidders with 12, or 31, who give the same "
        "three answers in turn: to withdraw, the least bid, all they have, too little, too much"
    ),
    level_name="items",
    levels=(1, 2),
    build=_build_script,
    size=_script_size,
)


def _given(answer: str, least: Fraction, money: Fraction) -> Fraction | None:
    bids = {
        "least": least,
        "all": money,
        "less": least - Fraction(1, 2),
        "more": money + Fraction(1, 2),
    }
    return bids.get(answer)


class BreachError(Exception):
    """What the auction does is not what the rules say."""


@dataclass(frozen=True)
class RulesAreKept:
    """The stepped auction asks, refuses, draws, sells and charges as the rules of the paper say.

    The rules are followed here a second time, beside the auction, and compared at each step.
    """

    auction: Auction = ascending_auction

    def __call__(self, case: Script) -> Trial:
        """Lead the auction to its end by the script."""
        answers = cycle(case.answers)
        run = self.auction(case.items, case.names, case.budget)
        money = dict.fromkeys(case.names, Fraction(case.budget))
        sold: list[tuple[str | None, Fraction | None]] = []
        try:
            for item in case.items:
                run, leader, price = self._sell(run, case, item, money, answers)
                sold.append((leader, price))
                if leader is not None and price is not None:
                    money[leader] -= price
            _expect(run.over, True, "the auction is over after its last item")
            settled = [(each.winner, each.price) for each in run.outcome.settled]
            _expect(settled, sold, "winners and prices")
            _expect(run.outcome.money, tuple(money.values()), "what is left")
        except BreachError as error:
            return Trial(failure=f"{error}.")
        return Trial(nontrivial=any(leader for leader, _ in sold))

    def _sell(
        self,
        run: Run[Auctioned],
        case: Script,
        item: Item,
        money: dict[str, Fraction],
        answers: Iterator[str],
    ) -> tuple[Run[Auctioned], str | None, Fraction | None]:
        """Sell one item, and return who has won it for what."""
        out: set[str] = set()
        leader: str | None = None
        standing: Fraction | None = None
        history: list[tuple[tuple[str, Fraction | None], ...]] = []
        while waiting := [name for name in case.names if name not in out and name != leader]:
            least = item.start if standing is None else standing + INCREMENT * item.start
            _expect([ask.player for ask in run.asks], waiting, f"who is asked for {item.name}")
            told = item.name, least, standing, leader, tuple(history)
            bids: dict[str, Fraction | None] = {}
            for name in waiting:
                run, bids[name] = _bid(run, name, (*told, money[name]), answers)
            made = {name: bid for name, bid in bids.items() if bid is not None}
            out |= set(bids) - set(made)
            history.append(tuple(bids.items()))
            if made:
                standing = max(made.values())
                tied = [name for name, bid in made.items() if bid == standing]
                run, leader = _draw(run, tied, last=case.last)
        return run, leader, standing


def _bid(
    run: Run[Auctioned], name: str, told: tuple[Any, ...], answers: Iterator[str]
) -> tuple[Run[Auctioned], Fraction | None]:
    """Let a bidder answer until it is right, and return its bid."""
    _, least, *_, money = told
    for _ in range(ATTEMPTS):
        ask = run.ask(name)
        _expect(None if ask is None else _told(ask.view), told, f"what {name} is told")
        bid = _given(next(answers), least, money)
        legal = bid is None or least <= bid <= money
        run = run.answer(name, bid)
        _expect(_counted(run, name), legal, f"that {name} may bid {_text(bid)}")
        if legal:
            return run, bid
    return run, None


def _told(view: Call) -> tuple[Any, ...]:
    return view.item, view.least, view.standing, view.leader, view.history, view.money


def _counted(run: Run[Auctioned], name: str) -> bool:
    """Return whether the last answer of a bidder was taken."""
    *_, last = (e for e in run.log if isinstance(e.request, Ask) and e.request.player == name)
    return last.how is How.CHOSEN


def _draw(run: Run[Auctioned], tied: list[str], *, last: bool) -> tuple[Run[Auctioned], str]:
    """Let the first or the last of the tied lead, where each is as likely."""
    if len(tied) == 1:
        _expect(run.draws, (), "that one bid is the highest")
        return run, tied[0]
    laws = [dict(zip(draw.values, draw.weights, strict=True)) for draw in run.draws]
    _expect(laws, [dict.fromkeys(tied, Fraction(1, len(tied)))], "the law of the leader")
    chosen = tied[-1 if last else 0]
    return run.answer(run.draws[0], chosen), chosen


def _expect(found: object, wanted: object, what: str) -> None:
    if found != wanted:
        raise BreachError(f"{what}: {_text(found)}, not {_text(wanted)}")


def _text(value: object) -> str:
    if isinstance(value, tuple | list):
        return f"({', '.join(map(_text, value))})"
    return "nothing" if value is None else str(value)


def play_script(case: Script, auction: Auction = ascending_auction, **options: Any) -> Any:
    """Return the run of a script at its end, whatever the rules of the auction are."""
    answers = cycle(case.answers)
    run = auction(case.items, case.names, case.budget, **options)
    while not run.over:
        if run.draws:
            draw = run.draws[0]
            run = run.answer(draw, draw.values[-1 if case.last else 0])
            continue
        ask = run.asks[0]
        run = run.answer(ask, _given(next(answers), ask.view.least, ask.view.money))
    return run


@dataclass(frozen=True)
class AccountsAdd:
    """Utility is the worth of what is won less its prices; payments are within the budgets.

    With ``each_is_sold`` also the printed constraint that exactly one bidder wins each item.
    """

    each_is_sold: bool = True
    auction: Auction = ascending_auction

    def __call__(self, case: Script) -> Trial:
        """Compare what the auction says that all have earned with the entries of its ledger."""
        run = play_script(case, self.auction)
        outcome, entries = run.outcome, run.ledger.entries
        winners = [each.winner for each in outcome.settled]
        broken = []
        for name, utility in zip(case.names, outcome.profits, strict=True):
            paid = [entry.amount for entry in entries if entry.payer == name]
            worth = sum(
                (item.value for item, winner in zip(case.items, winners, strict=True)
                 if winner == name),
                Fraction(0),
            )  # fmt: skip
            if utility != worth - sum(paid):
                broken.append(f"{name} earns {utility}, and {worth} less {sum(paid)}")
            if sum(paid) > case.budget:
                broken.append(f"{name} pays {sum(paid)} of {case.budget}")
            if len(paid) != winners.count(name):
                broken.append(f"{name} wins {winners.count(name)} items and pays {len(paid)} times")
        if any(entry.payee != SELLER for entry in entries):
            broken.append("a bidder is paid")
        unsold = winners.count(None)
        if self.each_is_sold and unsold:
            broken.append(f"nobody wins {unsold} of {len(winners)} items")
        failure = f"{'; '.join(broken)}." if broken else ""
        return Trial(nontrivial=bool(entries) or self.each_is_sold, failure=failure)


def show_script(case: Script) -> Exhibit:
    """Show how the items of a script are sold."""
    outcome = play_script(case).outcome
    rows = tuple(
        (item.name, str(item.start), str(item.value), each.winner or "nobody", _text(each.price))
        for item, each in zip(case.items, outcome.settled, strict=True)
    )
    columns = ("item", "start", "worth", "won by", "price")
    table = Table(caption="What is sold", columns=columns, rows=rows)
    return Exhibit(summary=str(case), tables=(table,))
