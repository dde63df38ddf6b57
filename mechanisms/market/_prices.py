"""Vendors whose prices answer demand: the game between their prices, and learners that play it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, Final

import numpy as np

from mechanisms._statement import amount_text
from mechanisms.learners import Learner, Run, play_game
from mechanisms.market._corpus import Corpus, FactQuestion
from mechanisms.market._participants import Vendor
from mechanisms.market._run import Market, answer_question
from mechanisms.play import Ask
from theory.errors import InvalidInputError, LimitError, UnknownNameError, nearest
from theory.normal_form import NormalFormGame
from theory.numbers import rational
from theory.regret import Regret
from theory.shared.arguments import instance_of, read_tuple
from theory.verdicts import ShownAsTable, Table

__all__ = ["PriceGame", "PriceRun", "Visit", "price_game"]

MAX_PLAYED: Final = 100_000
"""How many questions may be played in the market for a game of prices."""


@dataclass(frozen=True)
class Visit:
    """A buyer that comes to the market with a question and a budget.

    Attributes
    ----------
    question : FactQuestion
    buyer : callable
        As for :func:`answer_question`.
    budget : number
    """

    question: FactQuestion
    buyer: Callable[[Ask], object]
    budget: Any

    def __post_init__(self) -> None:
        instance_of("question", self.question, FactQuestion, "give a question of the corpus")


Profile = tuple[int, ...]
"""For each vendor with a menu, the place of its factor there."""


@dataclass(frozen=True)
class PriceGame:
    """What vendors earn, on average over the visits, by the factors that all choose.

    Attributes
    ----------
    menus : mapping of str to tuple of Fraction
        By vendor, what it may multiply its listed prices with.
    revenues : mapping of profile to tuple of Fraction
        One a vendor with a menu.
    gains : mapping of profile to Fraction
        What buyers gain: the worth of what they buy, less what they pay.
    """

    menus: Mapping[str, tuple[Fraction, ...]]
    revenues: Mapping[Profile, tuple[Fraction, ...]] = field(repr=False)
    gains: Mapping[Profile, Fraction] = field(repr=False)

    @cached_property
    def game(self) -> NormalFormGame:
        """The same in normal form, exactly; the actions of a vendor are its factors."""
        shape = tuple(map(len, self.menus.values()))
        payoffs = []
        for k in range(len(self.menus)):
            array = np.empty(shape, dtype=object)
            for profile, revenue in self.revenues.items():
                array[profile] = revenue[k]
            payoffs.append(array.tolist())
        names = [[amount_text(factor) for factor in menu] for menu in self.menus.values()]
        return NormalFormGame.of(payoffs, players=list(self.menus), actions=names)

    def play(self, learners: Mapping[str, Learner], rounds: int) -> PriceRun:
        """Let learners choose the factors, round by round; each hears what all would have earned.

        Parameters
        ----------
        learners : mapping of str to Learner
            By vendor, for as many actions as its menu has. Best response, and any other of
            :mod:`mechanisms.learners`; rewards are revenues.
        rounds : int

        Raises
        ------
        UnknownNameError
            For a learner of a vendor that there is not.
        InvalidInputError
            For a vendor without one, and as :func:`mechanisms.learners.play_game`.
        """
        instance_of("learners", learners, Mapping, "give learners by vendor")
        _check_names("learners", learners, self.menus)
        missing = [name for name in self.menus if name not in learners]
        if missing:
            raise InvalidInputError("learners", missing[0], "has none", "give one a vendor")
        run = play_game(self.game, [learners[name] for name in self.menus], rounds)
        return PriceRun(self, run)


@dataclass(frozen=True, eq=False)
class PriceRun(ShownAsTable):
    """Which factors learners chose, and what came of it.

    Attributes
    ----------
    prices : PriceGame
    run : Run
        Of :func:`mechanisms.learners.play_game`.
    """

    prices: PriceGame
    run: Run

    def factors(self, vendor: str) -> np.ndarray:
        """Return the expected factor of a vendor in each round.

        Raises
        ------
        UnknownNameError
            When there is none of this name with a menu.
        """
        menu = self.prices.menus.get(vendor)
        if menu is None:
            fix = nearest(vendor, self.prices.menus)
            raise UnknownNameError("vendor", vendor, "has no menu", fix)
        factors: np.ndarray = self.run.player(vendor).plays @ np.array([float(f) for f in menu])
        return factors

    def regret(self, vendor: str) -> Regret:
        """Return the regret of a vendor, in revenue over all rounds."""
        return self.run.regret(vendor)

    @cached_property
    def revenues(self) -> dict[str, float]:
        """What each vendor earned a visit, on average over the rounds."""
        earned = {
            own.name: (own.plays * own.observations).sum(axis=1).mean() for own in self.run.players
        }
        return {name: float(revenue) for name, revenue in earned.items()}

    @cached_property
    def gain(self) -> float:
        """What buyers gained a visit, on average over the rounds."""
        plays = [own.plays for own in self.run.players]
        total = 0.0
        for profile, gain in self.prices.gains.items():
            likely = prod(rows[:, place] for rows, place in zip(plays, profile, strict=True))
            total += float(np.mean(likely)) * float(gain)
        return total

    @cached_property
    def gap(self) -> float:
        """The most that a reward differs from what the visits came to, or a regret is off by.

        Each reward is added up again, profile by profile, from the revenues of the market.
        """
        plays = [own.plays for own in self.run.players]
        found = 0.0
        for k, own in enumerate(self.run.players):
            rewards = np.zeros_like(own.observations)
            for profile, revenue in self.prices.revenues.items():
                others = [rows[:, at] for rows, at in zip(plays, profile, strict=True)]
                likely = prod(others[:k] + others[k + 1 :], start=np.ones(len(rewards)))
                rewards[:, profile[k]] += likely * float(revenue[k])
            found = max(found, float(np.abs(rewards - own.observations).max(initial=0.0)))
            found = max(found, float(self.run.regret(own.name).gap))
        return found

    def table(self) -> Table:
        """Return the last and the mean factor of each vendor, its revenue and its regret."""
        rows = []
        for own in self.run.players:
            factors = self.factors(own.name)
            regret = float(self.regret(own.name).external.gain) / self.run.rounds
            numbers = (factors[-1], factors.mean(), self.revenues[own.name], regret)
            rows.append((own.name, type(own.learner).__name__, *(f"{x:.3f}" for x in numbers)))
        return Table(
            caption=f"{self.run.rounds:,} rounds; buyers gain {self.gain:.3f} a visit",
            columns=("vendor", "learner", "last", "mean", "revenue a visit", "regret a round"),
            rows=tuple(rows),
        )


def price_game(
    corpus: Corpus,
    market: Market,
    menus: Mapping[str, Sequence[object]],
    visits: Sequence[Visit],
    *,
    hops: int = 0,
) -> PriceGame:
    """Play all visits at all prices that the vendors may choose.

    A vendor with a menu sells all its passages at one of its factors times their listed prices; one
    without keeps the listed prices. Each visit is a run of :func:`information_market` with accounts
    of its own.

    Parameters
    ----------
    corpus : Corpus
        Says what is worth how much.
    market : Market
        Of :class:`Vendor` where there is a menu.
    menus : mapping of str to sequence of numbers
        By vendor, factors of at least 0, each another.
    visits : sequence of Visit
    hops : int
        As for :func:`answer_question`.

    Returns
    -------
    PriceGame

    Raises
    ------
    UnknownNameError
        For a menu of a vendor that there is not.
    InvalidInputError
        For no menus, no visits, and factors that are none.
    LimitError
        For more than 100,000 visits at all profiles of prices together.

    Examples
    --------
    Two vendors sell the same fact, worth 5, at 1 to 4. Who asks less sells:

    >>> from mechanisms.learners import BestResponse
    >>> from mechanisms.market import IdealBuyer, Passage, Statement
    >>> fact, names = frozenset({Statement("Ilm", "mayor", "Ida Ro")}), ("Ann", "Bob")
    >>> shelf = tuple(Passage(n, n, 1, "Ilm, mayor", f"{n}: Ida Ro.", fact) for n in names)
    >>> corpus = Corpus(shelf, (FactQuestion("q", "Ilm", ("mayor",), 5),), fact)
    >>> visits = [Visit(corpus.questions[0], IdealBuyer(corpus), 10)]
    >>> menus = {name: (1, 2, 3, 4) for name in names}
    >>> prices = price_game(corpus, Market.of(corpus), menus, visits)
    >>> prices.revenues[2, 1], prices.gains[2, 1]
    ((Fraction(0, 1), Fraction(2, 1)), Fraction(3, 1))
    >>> run = prices.play({n: BestResponse(4, reward_range=(0, 4)) for n in menus}, rounds=50)
    >>> [float(run.factors(name)[-1]) for name in menus], run.gap
    ([1.0, 1.0], 0.0)
    """
    instance_of("corpus", corpus, Corpus, "give a Corpus")
    instance_of("market", market, Market, "give Market(vendors)")
    read = _read_menus(menus, market)
    came = read_tuple("visits", visits, "give a list of Visit")
    for visit in came:
        instance_of("visits", visit, Visit, "give Visit(question, buyer, budget)")
    if not came:
        raise InvalidInputError("visits", visits, "are none", "let at least one buyer come")
    count = len(came) * prod(map(len, read.values()))
    if count > MAX_PLAYED:
        problem = f"come to more than the limit of {MAX_PLAYED:,} at all prices"
        raise LimitError("visits", count, problem, "give shorter menus, or fewer visits")
    revenues: dict[Profile, tuple[Fraction, ...]] = {}
    gains: dict[Profile, Fraction] = {}
    for profile in product(*(range(len(menu)) for menu in read.values())):
        chosen = {
            name: menu[place] for (name, menu), place in zip(read.items(), profile, strict=True)
        }
        vendors = tuple(_reprice(vendor, chosen) for vendor in market.vendors)
        priced = replace(market, vendors=vendors)
        earned, gained = dict.fromkeys(read, Fraction(0)), Fraction(0)
        for visit in came:
            result = answer_question(priced, visit.question, visit.buyer, visit.budget, hops=hops)
            for name in earned:
                earned[name] += Fraction(result.ledger.balance(name))
            gained += result.worth(corpus, visit.question) - result.spent
        revenues[profile] = tuple(each / len(came) for each in earned.values())
        gains[profile] = gained / len(came)
    return PriceGame(read, revenues, gains)


def _read_menus(menus: Any, market: Market) -> dict[str, tuple[Fraction, ...]]:
    instance_of("menus", menus, Mapping, "give factors by vendor")
    sellers = {vendor.name: vendor for vendor in market.vendors}
    _check_names("menus", menus, sellers)
    read = {}
    for name, vendor in sellers.items():
        if name not in menus:
            continue
        instance_of(f"vendor {name}", vendor, Vendor, "give Vendor(name, passages)")
        argument = f"menus[{name!r}]"
        given = read_tuple(argument, menus[name], "give a list of numbers")
        menu = tuple(Fraction(rational(factor, argument)) for factor in given)
        if not menu or min(menu) < 0 or len({*menu}) < len(menu):
            fix = "give one factor or more, of at least 0, each another"
            raise InvalidInputError(argument, menus[name], "is no menu", fix)
        read[name] = menu
    if not read:
        raise InvalidInputError("menus", menus, "are none", "let at least one vendor choose")
    return read


def _reprice(vendor: Any, factors: Mapping[str, Fraction]) -> Any:
    if vendor.name not in factors:
        return vendor
    factor = factors[vendor.name]
    passages = tuple(replace(each, price=each.price * factor) for each in vendor.passages)
    return replace(vendor, passages=passages)


def _check_names(argument: str, given: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    for name in given:
        if name not in known:
            fix = nearest(name, known)
            raise UnknownNameError(argument, name, "is no vendor that chooses prices", fix)
