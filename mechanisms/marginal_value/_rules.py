"""The rules of the marginal-value mechanism (volition, Definition 4.1)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import cycle, pairwise
from math import inf
from typing import Any, Final

from mechanisms.amounts import read
from mechanisms.ledger import Amount
from mechanisms.marginal_value._answers import Move, Opinion, Price, Utilities, infinite_price
from mechanisms.marginal_value._pricing import prices_by_item
from mechanisms.marginal_value._record import in_braces
from mechanisms.marginal_value._revealing import Items, MoveSet, RevealingRules, read_contents
from mechanisms.participants import describe_object
from mechanisms.play import Ask, Open, Pay, Steps, Transfer, rules
from mechanisms.protocols import Disclosure
from theory.errors import InvalidInputError, NumberError
from theory.marginal_value import Moves
from theory.shared.arguments import instance_of, read_tuple
from theory.shared.printable import indent_following_lines, one_line

__all__ = [
    "JUDGE",
    "PRICES",
    "Contents",
    "Settlement",
    "ToJudge",
    "ToPrice",
    "ToReveal",
    "marginal_value",
]

JUDGE: Final = "the judge"
PRICES: Final = "the price function"

Contents = tuple[tuple[str, Any], ...]
"""Names of items, each with its content."""


@dataclass(frozen=True)
class ToJudge:
    """What the judge is shown: the items that are revealed."""

    revealed: Contents

    def __str__(self) -> str:
        return _contents_text("revealed", self.revealed)


@dataclass(frozen=True)
class ToReveal:
    """What an informant is told when its turn comes.

    Attributes
    ----------
    moves : tuple of Disclosure
        The moves so far.
    actions : tuple of Hashable
        a_0, a_1, …: what the judge would have done before the first move and after each.
    revealed, held : tuple
        The items that are revealed, and those that the informant itself may reveal.
    """

    moves: tuple[Disclosure, ...]
    actions: tuple[Hashable, ...]
    revealed: Contents
    held: Contents

    def __str__(self) -> str:
        parts = [_contents_text("revealed", self.revealed), _contents_text("you hold", self.held)]
        action = one_line(describe_object(self.actions[-1], str))
        return "\n".join([*parts, f"the judge would now do {action}"])


@dataclass(frozen=True)
class ToPrice:
    """What a price function is asked for: the price of these items together."""

    items: tuple[str, ...]

    def __str__(self) -> str:
        return one_line(f"the price of {in_braces(self.items)}")


def _contents_text(what: str, contents: Contents) -> str:
    listed = (
        f"  {one_line(name)}: {indent_following_lines(describe_object(content, str), '    | ')}"
        for name, content in contents
    )
    return "\n".join([f"{what}:", *listed]) if contents else f"{what}: nothing"


@dataclass(frozen=True)
class Settlement:
    """What came of a run.

    Attributes
    ----------
    ended_by : str or None
        Who made the null move; None where everything was revealed, or nothing was settled.
    prices : tuple of number
        What was charged for each move.
    rewards : tuple of number
        R^1, …, R^N; empty where nothing was settled.
    fault : tuple or None
        Who did what must not be, and what it should do instead, where nothing was settled.
    """

    ended_by: str | None
    prices: tuple[Amount, ...]
    rewards: tuple[Amount, ...]
    fault: tuple[str, str, str] | None = None


@rules(data=(Disclosure,))
def marginal_value(
    items: Items,
    informants: Iterable[str],
    prices: Mapping[str, object] | None,
    moves: MoveSet = Moves.SUBSETS,
    *,
    holdings: Mapping[str, Iterable[str]] | None = None,
    max_moves: int | None = None,
    pool: str = "pool",
    floats: bool | None = None,
    attempts: int = 1,
) -> Steps[Settlement]:
    r"""Play the marginal-value mechanism (volition, Definition 4.1).

    The judge is asked what it expects of each action, before the first move and after each; the
    informants in turn what to reveal, until one reveals nothing new or nothing is left. With F all
    that was revealed, the n-th move, from S to T, is then paid from the pool

        R^n = u_F(a_n) - u_F(a_{n-1}) - p(T \ S).

    Parameters
    ----------
    items, moves, holdings, max_moves, pool
        As for :func:`run_marginal_value`.
    informants : names
        In the order of their turns.
    prices : mapping or None
        A price for each item; they add. Where there are none, "the price function" is asked.
    floats : bool, optional
        Whether numbers are floats; as the judge answers first, where nothing is said.
    attempts : int
        How often an answer may be tried; after that the run ends.

    Examples
    --------
    >>> run = marginal_value({"claim": "it works"}, ["Ann"], {"claim": 1})
    >>> run = run.answer("the judge", {"wait": 1, "act": 0})
    >>> print(run.ask().view)
    revealed: nothing
    you hold:
      claim: it works
    the judge would now do wait
    >>> run = run.answer("Ann", ["claim"])
    >>> run = run.answer("the judge", {"wait": 1, "act": 3})
    >>> run.outcome.rewards, run.ledger.balance("Ann")
    ((Fraction(1, 1),), Fraction(1, 1))
    """
    contents = read_contents(items)
    names = _informants(informants, pool)
    revealing = RevealingRules.of(tuple(contents), moves, names, holdings, max_moves)
    made: list[Disclosure] = []
    costs: list[Amount] = []

    def show(chosen: Iterable[str]) -> Contents:
        return tuple((name, contents[name]) for name in chosen)

    first = yield Ask(JUDGE, ToJudge(()), Utilities((), None, floats), "judge", attempts=attempts)
    opinions: list[Opinion] = [first]
    actions = tuple(action for action, _ in first.utilities)
    table = None if prices is None else prices_by_item(prices, revealing.items, first.numbers)
    infinite = frozenset(name for name, price in (table or {}).items() if price == inf)
    nothing: Amount = 0.0 if first.floats else Fraction(0)
    accounts = (pool, *names)
    yield Open(
        tuple((name, nothing) for name in accounts), tuple((name, None) for name in accounts)
    )
    ended_by = None
    for name in cycle(names):
        revealed = tuple(item for move in made for item in move.items)
        if len(revealed) == len(contents):
            break
        view = ToReveal(
            tuple(made),
            tuple(opinion.action for opinion in opinions),
            show(revealed),
            show(revealing.held_by(name)),
        )
        barred = infinite.intersection(revealing.held_by(name))
        legal = Move(revealing.of_one(name), name, revealed, len(made), barred)
        new = yield Ask(name, view, legal, "reveal", attempts=attempts)
        if not new:
            ended_by = name
            break
        if table is None:
            price = Price(new, first.floats)
            cost = yield Ask(PRICES, ToPrice(new), price, "price", attempts=attempts)
            if cost == inf:
                return Settlement(None, tuple(costs), (), (name, *infinite_price(new)))
        else:
            cost = sum(table[item] for item in new)
        costs.append(cost)
        made.append(Disclosure(name, new))
        revealed += new
        asked = Utilities(revealed, actions, first.floats)
        opinions.append(
            (yield Ask(JUDGE, ToJudge(show(revealed)), asked, "judge", attempts=attempts))
        )
    rewards = _rewards(opinions, costs)
    for n, reward in enumerate(rewards, 1):
        try:
            read(abs(reward), f"reward of move {n}", floats=first.floats)
        except NumberError as error:
            fault = (JUDGE, "expects what cannot be paid", str(error))
            return Settlement(None, tuple(costs), (), fault)
    payments = []
    for n, (move, reward) in enumerate(zip(made, rewards, strict=True), 1):
        payer, payee = (pool, move.informant) if reward > 0 else (move.informant, pool)
        if reward:
            memo = f"move {n}: {in_braces(move.items)}"
            payments.append(Transfer(payer, payee, max(reward, -reward), memo))
    yield Pay(tuple(payments))
    return Settlement(ended_by, tuple(costs), rewards)


def _rewards(opinions: list[Opinion], costs: list[Amount]) -> tuple[Amount, ...]:
    """Return R^n for each move."""
    final = dict(opinions[-1].utilities)
    actions = pairwise(opinion.action for opinion in opinions)
    steps = zip(actions, costs, strict=True)
    return tuple(final[after] - final[before] - cost for (before, after), cost in steps)


def _informants(informants: Iterable[str], pool: str) -> tuple[str, ...]:
    names: tuple[str, ...] = read_tuple("informants", informants)
    for name in names:
        instance_of("informant", name, str, "name each informant")
    if not names:
        raise InvalidInputError("informants", names, "are none", "give at least one")
    if len(set(names)) < len(names):
        raise InvalidInputError("informants", names, "are not unique", "give each its own name")
    if pool in names:
        raise InvalidInputError("pool", pool, "is an informant too", "give it another name")
    return names
