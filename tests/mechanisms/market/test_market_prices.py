"""Vendors whose prices answer demand: what each earns at which prices, and where learners end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from reference import purchases as reference

from mechanisms.learners import BestResponse, BlumMansour, Hedge, RegretMatching, Run
from mechanisms.market import (
    Corpus,
    FactQuestion,
    IdealBuyer,
    Market,
    Passage,
    PriceGame,
    PriceRun,
    Statement,
    Visit,
    price_game,
)
from theory.errors import InvalidInputError, LimitError, MechproofError, UnknownNameError

F = Fraction

# --- shops of which every second passage keeps the promise of its title


NONE: frozenset[Statement] = frozenset()


def only(fact: Statement) -> frozenset[Statement]:
    return frozenset((fact,))


def shop(worths: Sequence[int]) -> Corpus:
    """Two questions of each worth: the passage on the first states what is asked."""
    facts = [Statement(f"n{k}", "r", f"v{k}") for k in range(2 * len(worths))]
    shelf = [
        Passage(
            f"p{k}", "shop", 1, f"n{k}, r", f"text {k}", NONE if k % 2 else only(fact), only(fact)
        )
        for k, fact in enumerate(facts)
    ]
    asked = [FactQuestion(f"q{k}", f"n{k}", ("r",), worths[k // 2]) for k in range(len(facts))]
    return Corpus(tuple(shelf), tuple(asked), frozenset(facts), title_error="1/2")


def sold(
    worths: Sequence[int], menu: Sequence[Fraction], inspection: bool
) -> tuple[list[Fraction], list[Fraction]]:
    """Return revenue and gain by price."""
    corpus = shop(worths)
    visits = [Visit(question, IdealBuyer(corpus), 10) for question in corpus.questions]
    found = price_game(corpus, Market.of(corpus, inspection=inspection), {"shop": menu}, visits)
    return [each[0] for each in found.revenues.values()], list(found.gains.values())


@pytest.mark.parametrize("worths", [(2,), (2, 3), (1, 2, 3), (3, 3, 1)])
def test_inspection_is_neutral_where_prices_are_set_to_it(worths: tuple[int, ...]) -> None:
    menu = [F(9, 10), F(19, 10), F(29, 10)]
    seen = sold(worths, menu, inspection=True)
    assert seen == sold(worths, [price / 2 for price in menu], inspection=False)
    takers = [sum(worth > price for worth in worths) for price in menu]
    assert seen[0] == [price * n / (2 * len(worths)) for price, n in zip(menu, takers, strict=True)]
    assert seen != sold(worths, menu, inspection=False)


@pytest.mark.parametrize("learner", [BestResponse, RegretMatching, Hedge])
def test_a_seller_learns_half_the_price_without_inspection(learner: Any) -> None:
    corpus = shop((2, 3))
    visits = [Visit(question, IdealBuyer(corpus), 10) for question in corpus.questions]
    ends = []
    for inspection, unit in ((True, F(1)), (False, F(1, 2))):
        menu = [unit * price for price in (F(9, 10), F(19, 10), F(29, 10))]
        market = Market.of(corpus, inspection=inspection)
        run = price_game(corpus, market, {"shop": menu}, visits).play(
            {"shop": learner(3, reward_range=(0, 3))}, 2_000
        )
        assert run.gap < 1e-9
        assert run.revenues["shop"] == pytest.approx(0.95, abs=0.03)
        ends.append(float(run.factors("shop")[-1]))
    assert ends == [pytest.approx(1.9, abs=0.01), pytest.approx(0.95, abs=0.005)]


def test_inspection_is_not_neutral_where_each_likes_another_quality() -> None:
    """Of two buyers one likes two of three passages, the other the third."""
    facts = [Statement(f"{who}{k}", "r", f"v{k}") for who in "ab" for k in range(3)]
    shelf = [
        Passage(
            f"p{k}", "shop", 1, f"{f.subject}, r", f"text {k}", only(f) if good else NONE, only(f)
        )
        for k, (f, good) in enumerate(zip(facts, (1, 1, 0, 0, 0, 1), strict=True))
    ]
    asked = [FactQuestion(f.subject, f.subject, ("r",), 1) for f in facts]
    corpora = [
        Corpus(tuple(shelf), tuple(asked), frozenset(facts), title_error=error)
        for error in ("1/3", "2/3")
    ]
    visits = [Visit(q, IdealBuyer(corpora[k // 3]), 10) for k, q in enumerate(asked)]
    best = {}
    for inspection in (True, False):
        market = Market.of(corpora[0], inspection=inspection)
        menu = [F(3, 10), F(6, 10), F(9, 10)]
        found = price_game(corpora[0], market, {"shop": menu}, visits)
        best[inspection] = max((revenue[0], menu[at[0]]) for at, revenue in found.revenues.items())
    assert best == {True: (F(9, 20), F(9, 10)), False: (F(3, 10), F(6, 10))}


# --- several vendors, against a reference


def drawn(seed: int) -> tuple[Corpus, dict[str, list[Fraction]], list[Visit]]:
    """Three shops of one or two passages, of which the last keeps its prices."""
    draw = Random(seed)
    facts = [Statement(f"n{k}", "r", f"n{k + 1}") for k in range(2)]
    shelf = []
    for k in range(5):
        states = draw.sample(facts, draw.randint(0, 2))
        price = F(draw.randint(1, 6), 2)
        shelf.append(
            Passage(f"p{k}", f"shop {k % 3}", price, "n0 n1 r", f"text {k}", frozenset(states))
        )
    worth = draw.randint(2, 6)
    asked = [FactQuestion("q0", "n0", ("r",), worth), FactQuestion("q1", "n1", ("r",), worth + 1)]
    corpus = Corpus(tuple(shelf), tuple(asked), frozenset(facts))
    menus = {"shop 1": [F(1), F(1, 2), F(3)], "shop 0": [F(1, 3), F(2)]}
    budgets = [draw.randint(1, 8) for _ in range(3)]
    visits = [Visit(asked[k % 2], IdealBuyer(corpus), b) for k, b in enumerate(budgets)]
    return corpus, menus, visits


@pytest.mark.parametrize("seed", range(8))
def test_what_vendors_earn_is_that_of_the_reference(seed: int) -> None:
    corpus, menus, visits = drawn(seed)
    market = Market.of(corpus, offer=5)
    found = price_game(corpus, market, menus, visits)
    assert list(found.menus) == ["shop 0", "shop 1"]  # in the order of the market
    order = [k for n in range(3) for k in range(n, 5, 3)]  # as vendors quote them
    for profile in product(range(2), range(3)):
        factors = {
            "shop 0": menus["shop 0"][profile[0]],
            "shop 1": menus["shop 1"][profile[1]],
            "shop 2": F(1),
        }
        earned, gained = dict.fromkeys(factors, F(0)), F(0)
        for visit in visits:
            shelf = [corpus.passages[k] for k in order]
            prices = [each.price * factors[each.owner] for each in shelf]
            (fact,) = corpus.needs(visit.question)
            chances = [[F(fact in each.states)] for each in shelf]
            worths = [F(visit.question.worth)]
            some = reference.best(prices, chances, worths, F(visit.budget))
            gained += reference.gain(some, prices, chances, worths)
            costs = {shelf[k].owner: prices[k] for k in some}
            for owner, price in costs.items():
                earned[owner] += price
        if tied(corpus, factors, visits):
            assert sum(found.revenues[profile]) <= sum(earned.values()) / 3
        else:
            assert found.revenues[profile] == (earned["shop 0"] / 3, earned["shop 1"] / 3)
        assert found.gains[profile] == gained / 3


def tied(corpus: Corpus, factors: Mapping[str, Fraction], visits: Sequence[Visit]) -> bool:
    """Whether two passages with a needed fact have one price: which is bought the rank decides."""
    for visit in visits:
        (fact,) = corpus.needs(visit.question)
        prices = [p.price * factors[p.owner] for p in corpus.passages if fact in p.states]
        if len({*prices}) < len(prices):
            return True
    return False


def test_listed_prices_and_factors_are_one() -> None:
    corpus, menus, visits = drawn(2)
    found = price_game(corpus, Market.of(corpus, offer=5), menus, visits)
    dearer = replace(
        corpus,
        passages=tuple(
            replace(p, price=3 * p.price) if p.owner in menus else p for p in corpus.passages
        ),
    )
    less = {name: [factor / 3 for factor in menu] for name, menu in menus.items()}
    again = price_game(dearer, Market.of(dearer, offer=5), less, visits)
    assert (again.revenues, again.gains) == (found.revenues, found.gains)


@pytest.mark.parametrize("hops", [0, 1])
def test_questions_follow_as_far_as_hops_go(hops: int) -> None:
    """Without inspection the second fact is bought by who asks on."""
    facts = [Statement("n0", "r", "n1"), Statement("n1", "r", "n2")]
    shelf = [
        Passage(f"p{k}", "shop", 1, f"n{k}, r", f"text {k}", only(fact), only(fact))
        for k, fact in enumerate(facts)
    ]
    corpus = Corpus(tuple(shelf), (FactQuestion("q", "n0", ("r", "r"), 5),), frozenset(facts))
    visits = [Visit(corpus.questions[0], IdealBuyer(corpus), 9)]
    market = Market.of(corpus, inspection=False)
    found = price_game(corpus, market, {"shop": [2]}, visits, hops=hops)
    assert found.revenues[0,] == (2 * (1 + hops),)
    assert found.gains[0,] == 3 * (1 + hops)


def played(rounds: int = 30) -> PriceRun:
    corpus, menus, visits = drawn(1)
    prices = price_game(corpus, Market.of(corpus, offer=5), menus, visits)
    learners = {
        "shop 1": BlumMansour(3, reward_range=(0, 20)),
        "shop 0": Hedge(2, reward_range=(0, 20)),
    }
    return prices.play(learners, rounds)


def test_regret_is_what_the_best_factor_would_have_earned_more() -> None:
    run = played()
    names = list(run.prices.menus)
    plays = [run.run.player(name).plays for name in names]
    for k, name in enumerate(names):
        other = plays[1 - k]
        by_action = []
        for action in range(plays[k].shape[1]):
            total = 0.0
            for t in range(30):
                for place in range(other.shape[1]):
                    profile = (action, place) if k == 0 else (place, action)
                    total += float(other[t, place] * run.prices.revenues[profile][k])
            by_action.append(total)
        earned = run.revenues[name] * 30
        assert run.regret(name).external.gain == pytest.approx(max(by_action) - earned, abs=1e-9)
    likely = np.einsum("ta,tb->ab", plays[0], plays[1]) / 30
    gain = sum(likely[at] * float(gain) for at, gain in run.prices.gains.items())
    assert run.gain == pytest.approx(gain)
    assert 0 <= run.gap < 1e-12


@pytest.mark.parametrize(("profile", "vendor"), [((0, 0), 0), ((1, 2), 1), ((1, 0), 0)])
def test_another_revenue_is_a_gap(profile: tuple[int, int], vendor: int) -> None:
    run = played()
    changed = list(run.prices.revenues[profile])
    changed[vendor] += F(1, 2)
    wrong = {**run.prices.revenues, profile: tuple(changed)}
    prices = PriceGame(run.prices.menus, wrong, run.prices.gains)
    assert PriceRun(prices, run.run).gap > 1e-3


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("late", [0, 29])
def test_another_reward_is_a_gap(player: int, late: int) -> None:
    run = played()
    own = run.run.players[player]
    told = own.observations.copy()
    told[late, -1] += 0.25
    players = list(run.run.players)
    players[player] = replace(own, observations=told)
    wrong = PriceRun(run.prices, replace(run.run, players=tuple(players)))
    assert wrong.gap == pytest.approx(0.25)


@pytest.mark.parametrize("player", [0, 1])
def test_a_regret_that_is_off_is_a_gap(player: int, monkeypatch: pytest.MonkeyPatch) -> None:
    run = played()
    names, regret = list(run.prices.menus), Run.regret

    def off(self: Run, name: int | str = 0) -> Any:
        found = regret(self, name)
        return replace(found, gap=0.5) if name == names[player] else found

    monkeypatch.setattr(Run, "regret", off)
    assert run.gap == 0.5


def test_the_table_has_a_row_a_vendor() -> None:
    table = played().table()
    assert [row[:2] for row in table.rows] == [("shop 0", "Hedge"), ("shop 1", "BlumMansour")]
    assert table.caption.startswith("30 rounds; buyers gain ")


# --- what is refused


@pytest.mark.parametrize(
    ("menus", "error", "said"),
    [
        ({}, InvalidInputError, "menus are none"),
        ({"shop": []}, InvalidInputError, r"menus\['shop'\] is no menu"),
        ({"shop": [1, -1]}, InvalidInputError, r"menus\['shop'\] is no menu"),
        ({"shop": [1, F(2, 2)]}, InvalidInputError, r"menus\['shop'\] is no menu"),
        ({"shop": [0.5]}, MechproofError, r"menus\['shop'\] is a float"),
        ({"shpo": [1]}, UnknownNameError, "shpo"),
        ({"shop": range(60_000)}, LimitError, "more than the limit of 100,000"),
    ],
)
def test_bad_menus_are_refused(menus: Any, error: type[Exception], said: str) -> None:
    corpus = shop((2,))
    visits = [Visit(question, IdealBuyer(corpus), 1) for question in corpus.questions]
    with pytest.raises(error, match=said):
        price_game(corpus, Market.of(corpus), menus, visits)


def test_no_visits_and_missing_learners_are_refused() -> None:
    corpus = shop((2,))
    market = Market.of(corpus)
    with pytest.raises(InvalidInputError, match="visits are none"):
        price_game(corpus, market, {"shop": [1]}, [])
    visits = [Visit(question, IdealBuyer(corpus), 1) for question in corpus.questions]
    prices = price_game(corpus, market, {"shop": [1, 2]}, visits)
    with pytest.raises(InvalidInputError, match="has none"):
        prices.play({}, 3)
    with pytest.raises(UnknownNameError, match="no vendor that chooses prices"):
        prices.play({"shop": Hedge(2), "stall": Hedge(2)}, 3)
    run = prices.play({"shop": Hedge(2, reward_range=(0, 2))}, 3)
    with pytest.raises(UnknownNameError, match="has no menu"):
        run.factors("stall")
