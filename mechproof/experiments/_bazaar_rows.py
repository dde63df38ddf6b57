"""A question of the experiments of bazaar as a row of a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from mechanisms.ledger import Ledger
from mechanisms.market import Inquiry, Passage
from mechproof.experiments._arena_rows import exact, is_usage
from mechproof.experiments._rows import Row

__all__ = ["FORMAT", "fits", "market_row", "passages_bought"]

FORMAT: Final = 1
"""Of rows; those of another format are refused."""

_KINDS: Final = {
    "shown": list,
    "inquiries": list,
    "spent": str,
    "balances": dict,
    "usage": dict,
}
_INQUIRY: Final = {
    "place": str,
    "question": str,
    "offers": list,
    "bought": list,
    "owned": list,
    "skipped": list,
}


def market_row(
    inquiry: Inquiry | None,
    ledger: Ledger,
    shown: list[tuple[str, Passage]],
    failed: str | None = None,
) -> Row:
    """Return what came of a question as data, exact numbers as text.

    Of a question that failed there are only the payments.
    """
    inquiries = [] if inquiry is None else [*map(_inquiry_row, inquiry.every())]
    balances = {name: ledger.balance(name) for name in ledger.accounts}
    buyer = next(iter(balances), "")
    paid = sum((each for name, each in balances.items() if name != buyer), Fraction(0))
    return {
        "shown": [[role, passage.name] for role, passage in shown],
        "inquiries": inquiries,
        "answer": None if inquiry is None else inquiry.answer,
        "spent": str(Fraction(paid)),
        "balances": {name: str(Fraction(each)) for name, each in balances.items()},
        "failed": failed,
    }


def _inquiry_row(inquiry: Inquiry) -> Row:
    return {
        "place": inquiry.place,
        "question": inquiry.question,
        "offers": [[each.name, str(each.price)] for each in inquiry.offers],
        "bought": [each.name for each in inquiry.bought],
        "owned": [*inquiry.owned],
        "answer": inquiry.answer,
        "skipped": [*inquiry.skipped],
    }


def passages_bought(row: Row) -> Iterator[str]:
    """Yield the names of the passages that were bought for a row, in order."""
    for inquiry in row["inquiries"]:
        for label in inquiry["bought"]:
            yield label.partition(": ")[2]


def fits(
    row: Row,
    budget: Fraction,
    shown: Sequence[tuple[str, Passage]],
    prices: Mapping[str, str],
) -> bool:
    """Whether a row holds what :func:`market_row` returns for some question with this budget.

    It is of the passages that are shown, and of those that have ``prices``, by vendor and name. No
    money is lost or made, and what was bought was on offer and paid.
    """
    try:
        return (
            all(type(row[name]) is kind for name, kind in _KINDS.items())
            and row["shown"] == [[role, passage.name] for role, passage in shown]
            and _adds_up(row, budget, prices)
        )
    except (LookupError, TypeError, ValueError, AttributeError):  # of parts of another kind
        return False


def _adds_up(row: Row, budget: Fraction, prices: Mapping[str, str]) -> bool:
    balances = {name: exact(each) for name, each in row["balances"].items()}
    failed = row["failed"]
    for name, used in row["usage"].items():
        if name != row["buyer"] or not is_usage(used):
            return False
    if not balances or min(balances.values()) < 0 or sum(balances.values()) != budget:
        return False
    buyer = next(iter(balances))
    spent = exact(row["spent"])
    if buyer != row["buyer"] or balances[buyer] != budget - spent:
        return False
    if failed is not None:
        return type(failed) is str and row["answer"] is None and not row["inquiries"]
    if type(row["answer"]) is not str or not row["inquiries"]:
        return False
    receipts = dict.fromkeys(balances, Fraction(0))
    for inquiry in row["inquiries"]:
        if not all(type(inquiry[name]) is kind for name, kind in _INQUIRY.items()):
            return False
        if type(inquiry["answer"]) is not str:
            return False
        offered = dict(inquiry["offers"])
        bought = inquiry["bought"]
        if any(prices[label] != price for label, price in offered.items()):
            return False
        if not {*bought} <= offered.keys() or len({*bought}) < len(bought):
            return False
        if any(type(each) is not str for each in (*inquiry["owned"], *inquiry["skipped"])):
            return False
        for label in bought:
            receipts[label.partition(": ")[0]] += Fraction(offered[label])
    del receipts[buyer]
    return all(balances[name] == amount for name, amount in receipts.items())
