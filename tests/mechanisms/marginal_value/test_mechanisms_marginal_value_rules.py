"""Rules of the marginal-value mechanism that cannot be played by, and what cannot be paid."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest
from marginal_value_runs import FIRST, FREE, HONEST, ITEMS, Judges, Says, played

from mechanisms.ledger import Ledger
from mechanisms.marginal_value import InformantError, JudgeError, run_marginal_value
from theory.errors import InvalidInputError, UnknownNameError
from theory.numbers import log


@pytest.mark.parametrize(
    ("rules", "argument"),
    [
        ({"prices": {"claim": 0}}, "prices"),
        ({"prices": FREE | {"clame": 0}}, "prices"),
        ({"prices": FREE | {"claim": nan}}, "price of claim"),
        ({"prices": FREE | {"claim": -inf}}, "price of claim"),
        ({"prices": FREE | {"claim": 0.5}}, "price of claim"),
        ({"prices": FREE | {"claim": log(2)}}, "price of claim"),
        ({"moves": [["claim"]]}, "moves"),
        ({"moves": [[], ["clam"]]}, "moves[1]"),
        ({"moves": "all of it"}, "moves"),
        ({"holdings": {"Anne": ["claim"]}}, "holdings"),
        ({"holdings": {"Ann": ["clam"]}}, "holdings of Ann"),
        ({"holdings": {"Ann": "claim"}}, "holdings of Ann"),
        ({"max_moves": -1}, "max_moves"),
        ({"max_moves": True}, "max_moves"),
        ({"items": []}, "items"),
        ({"items": "claim"}, "items"),
        ({"items": ["claim", "claim"]}, "items"),
        ({"items": {"claim": (letter for letter in "claim")}}, "items"),
        ({"informants": {}}, "informants"),
        ({"informants": {"": FIRST}}, "accounts"),
        ({"informants": {"pool": FIRST}}, "pool"),
        ({"ledger": Ledger({"pool": 0, "Ann": 0}, {"pool": None})}, "ledger"),
        ({"ledger": Ledger({"pool": 0}, {"pool": None})}, "account"),
        ({"ledger": Ledger({"Ann": 0}, {"Ann": None})}, "account"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
def test_rules_that_cannot_be_played_by(rules: dict[str, Any], argument: str) -> None:
    given: dict[str, Any] = {"informants": {"Ann": FIRST}, "items": ITEMS, "prices": FREE} | rules
    with pytest.raises(InvalidInputError) as caught:
        run_marginal_value(HONEST, **given)
    assert caught.value.argument == argument


def test_not_even_one_move_may_be_allowed() -> None:
    waits = Says(lambda history: [])
    assert played(run_marginal_value(HONEST, {"Ann": waits}, ITEMS, FREE, max_moves=0)) == []
    with pytest.raises(InformantError, match="move 1 of at most 0"):
        run_marginal_value(HONEST, {"Ann": FIRST}, ITEMS, FREE, max_moves=0)


def test_a_misspelt_price_is_put_right() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'claim'"):
        run_marginal_value(HONEST, {"Ann": FIRST}, ITEMS, FREE | {"clame": 0})


def test_a_ledger_of_another_kind_of_number() -> None:
    accounts = dict.fromkeys(["pool", "Ann"])
    exact, floats = Ledger(dict.fromkeys(accounts, 0), accounts), {"wait": 0.5, "act": 1.0}
    with pytest.raises(JudgeError, match="floats beside exact numbers"):
        run_marginal_value(Judges(lambda _: floats), {"Ann": FIRST}, ITEMS, FREE, ledger=exact)
    rounded = Ledger(dict.fromkeys(accounts, 0.0), accounts)
    halves = {"wait": "1/2", "act": "1/3"}
    with pytest.raises(JudgeError, match="write all numbers in one kind"):
        run_marginal_value(Judges(lambda _: halves), {"Ann": FIRST}, ITEMS, FREE, ledger=rounded)


def test_rewards_beyond_float64_pay_nothing() -> None:
    judge = Judges(
        lambda count: {"wait": -1e308, "act": 1e308} if count else {"wait": 1.0, "act": 0.0}
    )
    accounts = dict.fromkeys(["pool", "Ann"])
    ledger = Ledger(dict.fromkeys(accounts, 0.0), accounts)
    with pytest.raises(
        JudgeError, match="cannot be paid: reward of move 1 is not finite"
    ) as caught:
        run_marginal_value(judge, {"Ann": FIRST}, ITEMS, FREE, ledger=ledger)
    assert ledger.entries == ()
    assert played(caught.value.record) == [("claim",)]
    assert str(caught.value.record).startswith("broken off after 1 move, nothing paid")


def test_a_reward_beyond_the_floats_of_a_ledger_pays_nothing() -> None:
    """2^970 is a float64; its sums might not be."""
    judge = Judges(lambda count: {"wait": 0.0 if count else 1.0, "act": 2.0**970 if count else 0.0})
    with pytest.raises(JudgeError, match="reward of move 1 is so large") as caught:
        run_marginal_value(judge, {"Ann": FIRST}, ITEMS, FREE)
    assert not caught.value.record.settled
