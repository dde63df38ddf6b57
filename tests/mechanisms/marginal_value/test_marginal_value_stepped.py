"""The rules of the marginal-value mechanism, stepped: written, branched, unfolded and solved."""

from __future__ import annotations

from fractions import Fraction
from json import dumps
from random import Random
from typing import Any

import pytest
from marginal_value_runs import FREE, ITEMS

from mechanisms.marginal_value import EquilibriumInformant, TableJudge, marginal_value, run_game
from mechanisms.play import Run, unfold
from theory.errors import InvalidInputError
from theory.games import backward_induction
from theory.marginal_value import MarginalValueGame, equilibrium

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
