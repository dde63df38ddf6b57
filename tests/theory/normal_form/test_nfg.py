"""Gambit's strategic format: what it says, both bodies, round trips."""

from __future__ import annotations

import io
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from normal_form_games import chicken, mixed, named, tensors
from peers import gambit

from theory.correlated import nash_gap
from theory.errors import NumberError
from theory.normal_form import NormalFormGame, from_nfg, to_nfg

pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")

THREE = """NFG 1 D "Three \\"quoted\\"" { "A" "B" "C" }
{ { "x" "y" } { "l" "m"
"r" } { "only" } }
"A comment, { with braces }"
1 10 -1  2 20 -.2
3 30 1/3  4 40 2e-1  5 50 5 6 60 6.50
"""
"""First A moves from x to y, then B from l to m to r."""

OUTCOMES = """NFG 1 R "Two bodies" { "Ann" "Bob" }
{ { "1" "2" } { "1" "2" "3" } }
""
{
{ "both" 1, 2 }
{ "rest" 1/2 -3 }
{ "" 0, 0 }
}
1 2 0 3 2 1
"""


def test_the_first_players_strategy_varies_fastest() -> None:
    game = from_nfg(THREE)
    assert game.title == 'Three "quoted"'
    assert game.players == ("A", "B", "C")
    assert game.actions == (("x", "y"), ("l", "m", "r"), ("only",))
    rows = {(a, b): game.payoff(0, [a, b, 0]) for a in "xy" for b in "lmr"}
    assert rows == {
        ("x", "l"): 1, ("y", "l"): 2, ("x", "m"): 3, ("y", "m"): 4, ("x", "r"): 5, ("y", "r"): 6
    }  # fmt: skip
    assert [game.payoff("C", [a, b, "only"]) for b in "lmr" for a in "xy"] == [
        -1, Fraction(-1, 5), Fraction(1, 3), Fraction(1, 5), 5, Fraction(13, 2)
    ]  # fmt: skip


def test_outcomes_are_numbered_and_zero_pays_nothing() -> None:
    game = from_nfg(OUTCOMES)
    paid = {(a, b): (game.payoff(0, [a, b]), game.payoff(1, [a, b])) for a in "12" for b in "123"}
    rest = (Fraction(1, 2), -3)
    assert paid == {
        ("1", "1"): (1, 2), ("2", "1"): rest, ("1", "2"): (0, 0),
        ("2", "2"): (0, 0), ("1", "3"): rest, ("2", "3"): (1, 2),
    }  # fmt: skip


def test_strategies_may_be_counted() -> None:
    game = from_nfg('NFG 1 R "" { "A" "B" } { 1 2 } 1 2 3 4')
    assert game.actions == (("1",), ("1", "2"))
    assert game.payoff("B", ["1", "2"]) == 4


def test_names_that_are_not_told_apart() -> None:
    game = from_nfg(
        'NFG 1 R "" { "A" "A" "" } { { "" "" } { "x" "x" "x 1" } { "y" } } ' + "0 " * 18
    )
    assert game.players == ("A 1", "A 2", "")
    assert game.actions == (("1", "2"), ("x 1'", "x 2", "x 1"), ("y",))


@given(named(), st.booleans())
def test_round_trip(game: NormalFormGame, outcomes: bool) -> None:
    text = to_nfg(game, outcomes=outcomes)
    back = from_nfg(text)
    assert (back.players, back.actions, back.title) == (game.players, game.actions, game.title)
    assert back.payoffs.scalars() == game.payoffs.scalars()
    assert to_nfg(back, outcomes=outcomes) == text


@pytest.mark.parametrize("text", [THREE, OUTCOMES])
def test_text_settles_after_one_trip(text: str) -> None:
    once = to_nfg(from_nfg(text))
    assert to_nfg(from_nfg(once)) == once
    assert to_nfg(from_nfg(to_nfg(from_nfg(text), outcomes=True))) == once


@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=6, max_size=6),
    st.booleans(),
)
def test_floats_are_told_apart_in_text(values: list[float], outcomes: bool) -> None:
    game = NormalFormGame.of(np.array(values).reshape(2, 3, 1))
    text = to_nfg(game, outcomes=outcomes)
    assert text.startswith("NFG 1 D")
    back = from_nfg(text)
    assert back.exact
    assert [float(v) for row in back.payoffs.scalars() for v in row] == values


def test_transposing_the_text_transposes_the_game() -> None:
    numbers = list(range(1, 13))
    pairs = [f"{v} {-v}" for v in numbers]
    head = 'NFG 1 R "" {{ "A" "B" }} {{ {} {} }} '
    wide = from_nfg(head.format(3, 4) + " ".join(pairs))
    tall = from_nfg(
        head.format(4, 3) + " ".join(pairs[a + 3 * b] for a in range(3) for b in range(4))
    )
    assert (tensors(wide)[0] == tensors(tall)[0].T).all()


def test_numbers_too_long_to_write() -> None:
    with pytest.raises(NumberError, match="round it first"):
        to_nfg(NormalFormGame.of([[10**5000]]))


@pytest.fixture(scope="module")
def gbt() -> Any:
    return gambit()


def their_rows(their: Any, shape: tuple[int, ...]) -> list[np.ndarray]:
    """Return Gambit's payoffs as arrays."""
    found = []
    for player in list(their.players):
        row = np.empty(shape, dtype=object)
        for profile in np.ndindex(shape):
            outcome = their[profile]
            row[profile] = Fraction(str(outcome[player])) if outcome else Fraction(0)
        found.append(row)
    return found


@given(named(), st.booleans())
def test_gambit_reads_what_we_write(gbt: Any, game: NormalFormGame, outcomes: bool) -> None:
    plain = NormalFormGame.of(tensors(game))
    their = gbt.read_nfg(io.StringIO(to_nfg(plain, outcomes=outcomes)))
    for ours, theirs in zip(tensors(plain), their_rows(their, plain.shape), strict=True):
        assert (ours == theirs).all()
    back = from_nfg(their.to_nfg())
    assert (back.players, back.actions) == (plain.players, plain.actions)
    assert back.payoffs.scalars() == plain.payoffs.scalars()


@pytest.mark.parametrize("text", [THREE, OUTCOMES], ids=["payoffs", "outcomes"])
def test_gambit_reads_the_same_text(gbt: Any, text: str) -> None:
    ours = from_nfg(text)
    their = gbt.read_nfg(io.StringIO(text))
    assert their.title == ours.title
    assert tuple(p.label for p in their.players) == ours.players
    for mine, theirs in zip(tensors(ours), their_rows(their, ours.shape), strict=True):
        assert (mine == theirs).all()


@given(mixed())
def test_gambit_finds_the_same_rewards_and_regret(gbt: Any, drawn: Any) -> None:
    game, strategies = drawn
    their = gbt.read_nfg(io.StringIO(to_nfg(game)))
    profile = their.mixed_strategy_profile(
        data=[[str(x) for x in row] for row in strategies], rational=True
    )
    for p, player in enumerate(their.players):
        values = [Fraction(str(profile.strategy_value(s))) for s in player.strategies]
        assert values == game.rewards(p, strategies).scalars()
    assert nash_gap(game, strategies).gap == Fraction(str(profile.max_regret()))


def test_gambit_finds_equilibria_of_chicken(gbt: Any) -> None:
    game = chicken()
    their = gbt.read_nfg(io.StringIO(to_nfg(game)))
    found = gbt.nash.enummixed_solve(their, rational=True).equilibria
    assert len(found) == 3
    for profile in found:
        strategies = [
            [Fraction(str(profile[s])) for s in player.strategies] for player in their.players
        ]
        assert nash_gap(game, strategies).gap == 0
