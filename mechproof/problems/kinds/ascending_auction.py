"""The kind ``ascending-auction``: who wins which item at which price, among bidders with rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.reading import DocumentError, child
from mechproof.problems.format.schema import having
from mechproof.problems.format.typed import Record
from mechproof.problems.kind import AnswerBase, ProblemBase, ProblemKind
from mechproof.problems.shared.answers import Rational, four_digits
from mechproof.problems.shared.counting import MAX_ASKED, MAX_RAISED, check_count, common_bits
from mechproof.problems.shared.goods import entries_of, first_repetition, look_up_name
from theory import ascending as theory
from theory.ascending import TIE_RULES, AuctionLaw, BidRule, EstimateRule, LimitRule, PrivateValues
from theory.errors import InvalidInputError, LimitError
from theory.shared.text import short_text

__all__ = ["KIND", "Answer", "Problem", "solve"]

_RULES: Final = ("limit", "over", "values")
_NAMED: Final = 3
"""How many bidders are named in a sentence."""
_FEWER: Final = "give fewer items or bidders, or round numbers"


class Item(Record, frozen=True, kw_only=True):
    """An item for sale."""

    name: Annotated[str, Meta(description="Its name.")]
    start: Annotated[Fraction, Meta(description="The least price, above 0.")]
    value: Annotated[Fraction, Meta(description="What it is worth to whoever wins it, at least 0.")]


class Bidder(Record, frozen=True, kw_only=True):
    """A bidder that bids the least allowed amount, or withdraws; it has one of three rules."""

    budget: Annotated[
        Fraction, Meta(description="What it may spend on all items together, at least 0.")
    ]
    limit: Annotated[
        Annotated[int, Meta(ge=1)] | UnsetType,
        Meta(description="The rule: bid at most so many times on each item."),
    ] = UNSET
    over: Annotated[
        Fraction | UnsetType,
        Meta(description="The rule: bid up to (1 + over) times the value; at least -1."),
    ] = UNSET
    values: Annotated[
        dict[str, Fraction] | UnsetType,
        Meta(description="The rule: item, then the most that is bid on it."),
    ] = UNSET
    strict: Annotated[
        bool | UnsetType,
        Meta(description="With over or values: whether bids stay below that; false if left out."),
    ] = UNSET


_ONE_RULE: Final = Meta(
    extra_json_schema={
        "oneOf": [having(rule, without=["strict"] if rule == "limit" else []) for rule in _RULES]
    }
)


class Problem(ProblemBase, frozen=True, kw_only=True):
    """Items that are sold one after the other, and who bids."""

    kind: Annotated[Literal["ascending-auction"], Meta(description="The kind of problem.")]
    items: Annotated[
        tuple[Item, ...], Meta(description="The items in the order of sale.", min_length=1)
    ]
    bidders: Annotated[
        dict[str, Annotated[Bidder, _ONE_RULE]],
        Meta(
            description="Bidder: its budget and its rule. The order is that of seats.", min_length=1
        ),
    ]
    ties: Annotated[
        str,
        Meta(
            description="Who leads after equal bids: one of them at random, as when left out; the "
            "richer or the poorer, drawn among equals; the first or the last in the order of "
            "seats; or redrawn at every entry, as in the code that accompanies arena.",
            extra_json_schema={"enum": list(TIE_RULES)},
        ),
    ] = "uniform"
    increment: Annotated[
        Fraction,
        Meta(description="By which share of the start a price rises; 1/10 when left out; > 0."),
    ] = msgspec.field(default_factory=lambda: Fraction(1, 10))
    discounts: Annotated[
        int,
        Meta(
            description="How often the start of an item that nobody bids on is halved.",
            ge=0,
            le=theory.MAX_DISCOUNTS,
        ),
    ] = 0


class Price(Record, frozen=True, kw_only=True):
    """A price at which an item may be sold."""

    price: Annotated[Rational, Meta(description="The price.")]
    probability: Annotated[Rational, Meta(description="How likely it is, above 0.")]
    winners: Annotated[
        dict[str, Rational],
        Meta(description="Bidder: the probability that it wins at this price, where above 0."),
    ]


class Sale(Record, frozen=True, kw_only=True):
    """What becomes of an item."""

    unsold: Annotated[Rational, Meta(description="The probability that nobody bids on it.")]
    payment: Annotated[Rational, Meta(description="What is paid in expectation, 0 if unsold.")]
    prices: Annotated[tuple[Price, ...], Meta(description="The possible prices, ascending.")]


class Account(Record, frozen=True, kw_only=True):
    """What a bidder can expect."""

    profit: Annotated[Rational, Meta(description="The value of what it wins, less what it pays.")]
    payment: Annotated[Rational, Meta(description="What it pays.")]
    items_won: Annotated[Rational, Meta(description="How many items it wins.")]


class Answer(AnswerBase, frozen=True, kw_only=True):
    """The exact law of all prices and winners."""

    kind: Annotated[Literal["ascending-auction"], Meta(description="The kind of problem.")]
    version: Annotated[Literal[1], Meta(description="Version of the form of this answer.")]
    words: Annotated[tuple[str, ...], Meta(description="What was found, in words.")]
    items: Annotated[dict[str, Sale], Meta(description="Item: what becomes of it.")]
    bidders: Annotated[dict[str, Account], Meta(description="Bidder: what it can expect.")]
    revenue: Annotated[Rational, Meta(description="The expected sum of all payments.")]
    gap: Annotated[
        Rational,
        Meta(
            description="By how much, at most, probabilities miss one, and the profits with the "
            "revenue the value of what is sold, as separate code adds them up."
        ),
    ]


def solve(problem: Problem) -> Answer:
    """Find the law of an auction.

    Raises
    ------
    DocumentError
        With the path of what cannot be used.
    """
    look_up_name(problem.ties, "rule for ties", TIE_RULES, "$.ties")
    names = [item.name for item in problem.items]
    again = first_repetition(names)
    if again is not None:
        path = child(child("$.items", again), "name")
        raise DocumentError(f"{names[again]!r} names another item too", path=path)
    items = []
    for number, item in enumerate(problem.items):
        with _locate_fields(child("$.items", number)):
            items.append(theory.Item(item.name, item.start, item.value))
    rules = [
        _rule_of(bidder, names, child("$.bidders", name))
        for name, bidder in problem.bidders.items()
    ]
    for name, bidder in problem.bidders.items():
        if bidder.budget < 0:
            wrong = f"is negative (got {short_text(bidder.budget)}): give an amount of at least 0"
            raise DocumentError(wrong, path=child(child("$.bidders", name), "budget"))
    if problem.increment <= 0:
        wrong = f"is not above 0 (got {short_text(problem.increment)}): give a share of the start"
        raise DocumentError(wrong, path="$.increment")
    _check_counts(problem)
    try:
        law = theory.exact_auction(
            items,
            rules,
            [bidder.budget for bidder in problem.bidders.values()],
            ties=problem.ties,
            increment=problem.increment,
            discounts=problem.discounts,
            max_steps=MAX_RAISED,
        )
    except LimitError as error:
        path = "$.bidders" if error.argument == "budgets" else "$.items"
        raise DocumentError(_said_by(error), path=path) from error
    return _answer(problem, law)


def _rule_of(bidder: Bidder, items: list[str], path: str) -> BidRule:
    given = [rule for rule in _RULES if getattr(bidder, rule) is not UNSET]
    if len(given) != 1:
        has = f"has both {given[0]} and {given[1]}" if given else "has no rule"
        raise DocumentError(f"{has}: give one of limit, over and values", path=path)
    strict = bidder.strict is True
    with _locate_fields(path):
        if not isinstance(bidder.limit, UnsetType):
            if bidder.strict is not UNSET:
                wrong = "does not go with limit: it belongs to over and values"
                raise DocumentError(wrong, path=child(path, "strict"))
            return LimitRule(bidder.limit)
        if not isinstance(bidder.over, UnsetType):
            return EstimateRule(bidder.over, strict)
        values: Mapping[str, Fraction] = bidder.values or {}
        return PrivateValues(entries_of(values, "item", items, child(path, "values")), strict)


@contextmanager
def _locate_fields(path: str) -> Iterator[None]:
    """Add to what is raised inside the path of the field that it names."""
    try:
        yield
    except InvalidInputError as error:
        raise DocumentError(_said_by(error), path=child(path, error.argument)) from error


def _said_by(error: InvalidInputError) -> str:
    return f"{error.problem} (got {short_text(error.value)}): {error.fix}"


def _check_counts(problem: Problem) -> None:
    """Count who is asked about what, by the square of the length of numbers."""
    bidders, cuts = len(problem.bidders), problem.discounts + 1
    asked = len(problem.items) * cuts * bidders * (bidders + 8)
    path = "$.bidders" if bidders > len(problem.items) else "$.items"
    what = "pairs of bidders by items and their starts"
    check_count(path, what, asked, MAX_ASKED, _FEWER)
    numbers = [problem.increment]
    numbers += (number for item in problem.items for number in (item.start, item.value))
    for bidder in problem.bidders.values():
        numbers.append(bidder.budget)
        numbers += [] if isinstance(bidder.values, UnsetType) else bidder.values.values()
        numbers += [] if isinstance(bidder.over, UnsetType) else [bidder.over]
    bits = common_bits(numbers) + max(number.numerator.bit_length() for number in numbers)
    what += ", by the length of numbers"
    check_count(path, what, _by_square(asked, bits), MAX_ASKED, _FEWER)


def _by_square(steps: int, bits: int) -> int:
    return steps * (1 + (bits >> 9) ** 2)


def _answer(problem: Problem, law: AuctionLaw) -> Answer:
    sales = [sale for item in law.items for sale in item.sales.items()]
    bits = [
        chance.denominator.bit_length() + p.denominator.bit_length() for (_, p), chance in sales
    ]
    written = 16 * _by_square(len(sales), max(bits, default=0))
    check_count("$", "prices and winners, by the length of numbers", written, MAX_RAISED, _FEWER)
    names = list(problem.bidders)
    found = Answer(
        kind="ascending-auction",
        version=1,
        words=tuple(_describe(problem, law)),
        items={
            item.name: _sale(found, names)
            for item, found in zip(problem.items, law.items, strict=True)
        },
        bidders={
            name: Account(profit=str(profit), payment=str(payment), items_won=str(won))
            for name, profit, payment, won in zip(
                names, law.profits, law.payments, law.items_won, strict=True
            )
        },
        revenue=str(law.revenue),
        gap="0",
    )
    return msgspec.structs.replace(found, gap=str(_gap(problem, found)))


def _sale(law: theory.ItemLaw, names: list[str]) -> Sale:
    winners = dict[Fraction, dict[str, Rational]]()
    for (seat, price), chance in law.sales.items():
        winners.setdefault(price, {})[names[seat]] = str(chance)
    return Sale(
        unsold=str(law.unsold),
        payment=str(law.revenue),
        prices=tuple(
            Price(price=str(price), probability=str(chance), winners=winners[price])
            for price, chance in law.prices.items()
        ),
    )


def _gap(problem: Problem, found: Answer) -> Fraction:
    """Add up again what is written in an answer, and return by how much it misses that at most."""
    misses = [Fraction(0)]
    accounts = {name: [Fraction(0)] * 3 for name in problem.bidders}
    worth = Fraction(0)
    for item in problem.items:
        sale = found.items[item.name]
        missing, paid = 1 - Fraction(sale.unsold), Fraction(sale.payment)
        for each in sale.prices:
            price, left = Fraction(each.price), Fraction(each.probability)
            missing, paid = missing - left, paid - price * left
            worth += item.value * left
            for name, written in each.winners.items():
                p = Fraction(written)
                left -= p
                gains = ((item.value - price) * p, price * p, p)
                accounts[name] = [a + b for a, b in zip(accounts[name], gains, strict=True)]
            misses.append(left)
        misses += [missing, paid]
    revenue = Fraction(found.revenue)
    profits = [Fraction(account.profit) for account in found.bidders.values()]
    misses += [sum(profits, revenue) - worth, sum(a[1] for a in accounts.values()) - revenue]
    for name, account in found.bidders.items():
        written_numbers = (account.profit, account.payment, account.items_won)
        misses += [
            sums - Fraction(text)
            for sums, text in zip(accounts[name], written_numbers, strict=True)
        ]
    return max(map(abs, misses))


def _describe(problem: Problem, law: AuctionLaw) -> Iterator[str]:
    items, names = len(problem.items), list(problem.bidders)
    unsold = [item.unsold for item in law.items]
    likely = f", in expectation for {four_digits(law.revenue)}"
    if not law.sold:
        yield "Nothing is sold."
    elif not any(unsold):
        sold = f"All {items} items are" if items > 1 else f"{problem.items[0].name} is"
        yield f"{sold} sold{likely}."
    elif items == 1:
        chance = four_digits(law.sold)
        yield f"{problem.items[0].name} is sold with probability {chance}{likely}."
    else:
        most = problem.items[unsold.index(max(unsold))].name
        yield f"Of {items} items {four_digits(law.sold)} are sold{likely}."
        yield f"{most} stays unsold with probability {four_digits(max(unsold))}."
    best, worst = max(law.profits), min(law.profits)
    yield f"{_who(names, law, best, 'best')} {_profit(best)}."
    if worst < best:
        yield f"{_who(names, law, worst, 'worst')} {_profit(worst)}."


def _who(names: list[str], law: AuctionLaw, profit: Fraction, how: str) -> str:
    those = [name for name, each in zip(names, law.profits, strict=True) if each == profit]
    if len(those) == 1:
        return f"{those[0]} does {how}, with"
    if len(those) > _NAMED:
        return f"{those[0]} and {len(those) - 1} others do {how}, each with"
    return f"{', '.join(those[:-1])} and {those[-1]} do {how}, each with"


def _profit(profit: Fraction) -> str:
    what = "loss" if profit < 0 else "profit"
    return f"an expected {what} of {four_digits(abs(profit))}"


EXAMPLE = """\
# Three items are sold one after the other; bidders raise by the least amount or withdraw. Their
# budgets are for all items together, so that who wins an early one lacks money for a later one.
#
#   mechproof example ascending-auction | mechproof solve -

kind = "ascending-auction"

# Who leads after equal bids: "uniform" draws one of them. Others are "richer", "poorer", "first",
# "last" and "redrawn".
ties = "uniform"

# By which share of the start a price rises.
increment = 0.1

# How often the start of an item that nobody bids on is halved.
discounts = 0

# In the order of sale. The value is what an item is worth to whoever wins it.
[[items]]
name = "vase"
start = 1000
value = 2000

[[items]]
name = "clock"
start = 3000
value = 6000

[[items]]
name = "painting"
start = 2000
value = 4000

# Each bidder has a budget and one rule. This one bids at most four times on each item.
[bidders.Ann]
budget = 5000
limit = 4

# This one takes items for 1/10 more than they are worth, and bids up to that; with strict = true,
# while it is below that.
[bidders.Bob]
budget = 5000
over = "1/10"

# This one has limits of its own.
[bidders.Cid]
budget = 6000
values = { vase = 1200, clock = 4500, painting = 2500 }
"""

KIND = ProblemKind(
    name="ascending-auction",
    problem=Problem,
    answer=Answer,
    solve=solve,
    example=EXAMPLE,
)
