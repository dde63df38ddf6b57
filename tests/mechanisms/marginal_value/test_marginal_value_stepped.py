"""The rules of the marginal-value mechanism, stepped: written, branched, unfolded and solved."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from json import dumps
from random import Random
from typing import Any

import pytest
from marginal_value_runs import FREE, ITEMS

from mechanisms.marginal_value import EquilibriumInformant, TableJudge, marginal_value, run_game
from mechanisms.play import IllegalAnswerError, Run, unfold
from theory.errors import InvalidInputError, LimitError
from theory.games import backward_induction
from theory.marginal_value import MarginalValueGame, Moves, equilibrium

OPINION = {"wait": "1/2", "act": 0}


def begun(**more: Any) -> Run[Any]:
    rules: dict[str, Any] = {"items": ITEMS, "informants": ["Ann", "Bob"], "prices": FREE} | more
    return marginal_value(**rules)


def test_a_game_by_hand() -> None:
    run = begun(prices={"claim": 1, "rebuttal": "1/2", "defence": "inf"})
    assert [ask.player for ask in run.asks] == ["the judge"]
    run = run.answer("the judge", OPINION)
    [ask] = run.asks
    assert ask.player == "Ann"
    assert ask.view.actions == ("wait",)
    assert ask.answer.choices() == ((), ("claim",), ("rebuttal",), ("claim", "rebuttal"))
    run = run.answer("Ann", ["claim"])
    run = run.answer("the judge", {"wait": 0, "act": 2}).answer("Bob", [])
    assert run.outcome.ended_by == "Bob"
    assert run.outcome.rewards == (Fraction(1),)  # 2 - 0 - 1
    assert run.ledger.balance("Ann") == 1
    assert marginal_value.read(dumps(run.to_json())).outcome == run.outcome


@pytest.mark.parametrize("second", [False, True])
def test_a_run_that_is_written_goes_on(second: bool) -> None:
    run = begun(prices=None).answer("the judge", {"wait": 0.5, "act": 0})
    run = run.answer("Ann", ["claim"]).answer("the price function", 0.25)
    run = run.answer("the judge", {"wait": 0.5, "act": 1.0})
    if second:
        run = run.answer("Bob", ["rebuttal"]).answer("the price function", float("inf"))
        assert run.outcome.fault[0] == "Bob"
    again = marginal_value.read(dumps(run.to_json()))
    assert again == run
    if not second:
        assert again.answer("Bob", ()).outcome == run.answer("Bob", ()).outcome
        assert run.answer("Bob", ()).outcome.rewards == (0.25,)


@pytest.mark.parametrize("role", ["Ann", "Bob", "the judge"])
def test_bad_answers_are_asked_for_again(role: str) -> None:
    run = begun(attempts=2)
    for answer in ({"wait": 1}, ["claim"], {"wait": 2}, ["rebuttal"]):
        [ask] = run.asks
        if ask.player == role:
            run = run.answer(ask, "nonsense")
            assert run.asks[0].refused
            assert run.answer(role, "nonsense").ended_by is not None
        run = run.answer(run.asks[0], answer)
    assert len(run.log[-1].request.view.moves) == 1


@pytest.mark.parametrize("seed", range(100))
def test_the_moves_that_are_listed_are_those_that_are_legal(seed: int) -> None:
    """Against each set of items in turn."""
    generator = Random(seed)
    sets = [each for size in range(4) for each in combinations(ITEMS, size)]
    family = generator.choice(
        [Moves.SUBSETS, Moves.SINGLE_ITEMS, [(), *generator.sample(sets[1:], 4)]]
    )
    holdings = {name: generator.choice(sets[4:]) for name in ("Ann", "Bob")}
    prices = {name: generator.choice([0, "inf"]) for name in ITEMS}
    most = generator.randrange(4)
    run = begun(moves=family, holdings=holdings, prices=prices, max_moves=most)
    run = run.answer("the judge", OPINION)
    while run.asks and run.asks[0].role == "reveal":
        [ask] = run.asks
        legal: Any = ask.answer
        found = legal.choices()
        new = [each for each in sets if not set(each) & set(legal.revealed)]
        assert list(found) == [each for each in new if not each or accepts(legal, each)]
        assert {item for each in found for item in each} <= set(holdings[ask.player])
        run = run.answer(ask, found[min(1, len(found) - 1)])
        if not run.over:
            run = run.answer("the judge", OPINION)


def accepts(legal: Any, given: Any) -> bool:
    try:
        return bool(legal.read(given) == given)
    except IllegalAnswerError:
        return False


def test_moves_of_a_small_family_are_listed_among_many_items() -> None:
    names = [f"item {k}" for k in range(60)]
    run = marginal_value(names, ["Ann"], dict.fromkeys(names, 0), Moves.SINGLE_ITEMS)
    legal: Any = run.answer("the judge", OPINION).asks[0].answer
    assert legal.choices() == ((), *((name,) for name in names))
    run = marginal_value(names, ["Ann"], dict.fromkeys(names, 0))
    with pytest.raises(LimitError, match="choices are too many"):
        run.answer("the judge", OPINION).asks[0].answer.choices()


def test_an_informant_is_not_told_what_others_hold_or_what_that_costs() -> None:
    """By what it may answer, in text, as a schema, or as an object."""

    def asked(**more: Any) -> Any:
        return begun(**more).answer("the judge", OPINION).asks[0]

    one = asked(holdings={"Ann": ["claim"], "Bob": ["rebuttal"]}, prices=FREE)
    other = asked(holdings={"Ann": ["claim"], "Bob": []}, prices=FREE | {"rebuttal": "inf"})
    assert one == other
    assert one.answer.schema() == other.answer.schema()
    assert "rebuttal" not in str(one.answer.schema())
    assert one != asked(holdings={"Ann": ["rebuttal"], "Bob": []})


@pytest.mark.parametrize(("price", "reward"), [(1, 1), (2, 0), (3, -1)])
def test_the_pool_pays_rewards_and_is_paid_those_below_zero(price: int, reward: int) -> None:
    run = begun(prices=FREE | {"claim": price}).answer("the judge", OPINION)
    run = run.answer("Ann", ["claim"]).answer("the judge", {"wait": 0, "act": 2})
    run = run.answer("Bob", [])
    assert run.outcome.rewards == (reward,)
    assert (run.ledger.balance("Ann"), run.ledger.balance("pool")) == (reward, -reward)
    assert len(run.ledger.entries) == abs(reward)


def drawn(seed: int) -> MarginalValueGame:
    """A game of two items in which no two outcomes are worth the same to anybody."""
    generator = Random(seed)
    sets = [(), ("a",), ("b",), ("a", "b")]
    utilities = {s: [Fraction(generator.randrange(10**6), 997) for _ in range(3)] for s in sets}
    prices = {name: Fraction(generator.randrange(10**5), 991) for name in "ab"}
    return MarginalValueGame.of(["a", "b"], utilities, prices)


@pytest.mark.parametrize("seed", range(40))
def test_backward_induction_on_what_is_played_finds_the_equilibrium(seed: int) -> None:
    """With an informant for each move that there can be, so that each looks at one move alone."""
    game = drawn(seed)
    judge = TableJudge(game)
    names = ["first", "second", "third"]
    prices = {name: game.prices.price(1 << k) for k, name in enumerate(game.items)}

    def rewards(outcome: Any) -> dict[str, Any]:
        paid = dict(zip(names, outcome.rewards, strict=False))
        return {name: paid.get(name, 0) for name in names}

    start = marginal_value(game.items, names, prices)
    fixed = {"the judge": lambda ask: judge.utilities(dict(ask.view.revealed))}
    tree = unfold(start, rewards, fixed=fixed)
    wise = EquilibriumInformant(equilibrium(game))
    record = run_game(game, dict.fromkeys(names, wise))
    values = backward_induction(tree).equilibrium.payoffs
    assert list(values) == [*record.rewards, *[0] * (3 - len(record.rewards))]


@pytest.mark.parametrize("informants", [[], ["Ann", "Ann"], ["pool"], "Ann"])
def test_informants_that_are_none(informants: Any) -> None:
    with pytest.raises(InvalidInputError):
        begun(informants=informants)
