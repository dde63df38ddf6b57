"""The accounts of an auction, checked from its log and payments alone."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mechanisms.ascending._rules import SELLER
from mechanisms.play import Ask, How
from theory.shared.text import number_text

if TYPE_CHECKING:
    from mechanisms.ascending._result import AuctionResult

__all__ = ["audit_auction"]


def audit_auction(result: AuctionResult) -> tuple[str, ...]:
    """Return what is wrong, a sentence each."""
    outcome = result.outcome
    problems: list[str] = []
    money = {a.name: Fraction(a.opening) for a in result.statement.accounts}
    bids = _bids_by_item(result)
    payments = list(result.statement.entries)
    for n, each in enumerate(outcome.settled):
        item = outcome.items[each.position]
        made = bids.get(n, [])
        problems += _check_rounds(item.name, made)
        if each.winner is None or each.price is None:
            continue
        best = max((amount for _, _, amount in made if amount is not None), default=None)
        winning = [name for _, name, amount in made if amount == best and amount is not None]
        if each.winner not in winning:
            problems.append(f"{item.name} goes to {each.winner}, who has not made the highest bid")
        if best is None or each.price > best:
            problems.append(f"{item.name} costs more than its highest bid")
        if each.price > money[each.winner]:
            problems.append(f"{each.winner} pays more for {item.name} than it has")
        money[each.winner] -= each.price
        paid = payments.pop(0) if payments else None
        if paid is None or (paid.payer, Fraction(paid.amount)) != (each.winner, each.price):
            problems.append(f"the payment for {item.name} is not that of its sale")
        elif paid.payee != SELLER:
            problems.append(f"{item.name} is paid for to {paid.payee}")
    if payments:
        problems.append(f"{len(payments)} payments are for no sale")
    for name, left in zip(outcome.bidders, outcome.money, strict=True):
        if left != money[name] or Fraction(result.statement.account(name).closing) < 0:
            problems.append(f"{name} has {number_text(left)} left, not {number_text(money[name])}")
    return tuple(problems + _check_profits(result))


def _check_profits(result: AuctionResult) -> list[str]:
    """Check that profits are what is won is worth, less what was paid."""
    outcome, problems = result.outcome, []
    for seat, (name, profit) in enumerate(zip(outcome.bidders, outcome.profits, strict=True)):
        won = [each.position for each in outcome.settled if each.winner == name]
        expected = sum((outcome.worths.values[seat][k] for k in won), Fraction(0))
        for bonus in outcome.worths.bonuses:
            if bonus.bidder in (None, name) and all(k in won for k in bonus.items):
                expected += bonus.amount
        for paid in result.statement.entries:
            expected -= Fraction(paid.amount) if paid.payer == name else 0
        if profit != expected:
            earned = f"{number_text(profit)}, not {number_text(expected)}"
            problems.append(f"the profit of {name} is {earned}")
    return problems


def _bids_by_item(result: AuctionResult) -> dict[int, list[tuple[int, str, Any]]]:
    """Return by item, in the order of sale: the round, the bidder, and the bid or None."""
    found: dict[int, list[tuple[int, str, Any]]] = {}
    for entry in result.run.log:
        request: Any = entry.request
        if isinstance(request, Ask) and request.role == "bid" and entry.how is not How.REFUSED:
            bid = entry.value if entry.how is How.CHOSEN else None
            where = len(request.view.sold)
            found.setdefault(where, []).append((request.view.round, request.player, bid))
    return found


def _check_rounds(item: str, made: list[tuple[int, str, Any]]) -> list[str]:
    """Check that bids top those of the round before, and that withdrawals last."""
    problems, out = [], set[str]()
    standing: Fraction | None = None
    for number in sorted({round_ for round_, _, _ in made}):
        here = [(name, bid) for round_, name, bid in made if round_ == number]
        amounts = [bid for _, bid in here if bid is not None]
        if standing is None:
            out.clear()  # nobody has bid yet: all are asked anew at a lower starting price
        for name, bid in here:
            if name in out:
                problems.append(f"{name} is asked for {item} again after it has withdrawn")
            if bid is None:
                out.add(name)
            elif standing is not None and bid <= standing:
                problems.append(f"{name} bids {number_text(bid)} for {item}, which tops nothing")
        standing = max(amounts, default=standing)
    return problems
