from __future__ import annotations

from fractions import Fraction

import pytest
from game_strategies import (
    attentive_trees,
    behaviour_of,
    game_of,
    laws_of,
    nested_trees,
    paying,
    split,
    trees,
    turned,
    with_behaviour,
)
from hypothesis import given
from hypothesis import strategies as st
from reference import games as oracle
from sample_games import (
    absent_minded_driver,
    forgetful,
)

from theory.errors import LimitError
from theory.games import (
    Behaviour,
    Game,
    Tree,
    best_reply,
    chance,
    choice,
    end,
    expected_payoffs,
    one_shot_deviations,
    pure_equilibria,
    regrets,
    subgame_perfect,
    subgame_regrets,
)

# beartype picks at random which items of a tuple to look at, also while a strategy draws.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")

Played = tuple[oracle.Tree, Behaviour]
PLAYERS = (0, 1)
TREES = attentive_trees(depth=3) | nested_trees()


# --- against the oracle ---


@given(with_behaviour(TREES))
def test_regrets_are_the_best_of_all_plans(played: Played) -> None:
    tree, behaviour = played
    laws = laws_of(tree, behaviour)
    found = regrets(game_of(tree), behaviour)
    assert found == tuple(oracle.regret(tree, laws, i) for i in PLAYERS)


@given(with_behaviour(TREES))
def test_subgame_regrets_are_the_largest_of_any_subgame(played: Played) -> None:
    tree, behaviour = played
    laws = laws_of(tree, behaviour)
    parts = [oracle.at(tree, root) for root in oracle.subgames(tree)]
    assert subgame_regrets(game_of(tree), behaviour) == tuple(
        max(oracle.regret(part, laws, i) for part in parts) for i in PLAYERS
    )


@given(with_behaviour(attentive_trees()), st.sampled_from(PLAYERS))
def test_a_best_reply_pays_what_it_promises(played: Played, player: int) -> None:
    tree, behaviour = played
    game = game_of(tree)
    reply = best_reply(game, behaviour, f"p{player}")
    assert expected_payoffs(game, reply.behaviour)[player] == reply.payoff
    assert reply.payoff - expected_payoffs(game, behaviour)[player] == reply.gain >= 0
    kept = [k for k, infoset in enumerate(game.infosets) if infoset.player != player]
    assert all(reply.behaviour.probabilities[k] == behaviour.probabilities[k] for k in kept)


@given(with_behaviour(trees()))
def test_gains_at_one_visit_are_slopes(played: Played) -> None:
    """With and without absent-mindedness: the slope of the payoff, for each expected visit."""
    tree, behaviour = played
    laws = laws_of(tree, behaviour)
    found = one_shot_deviations(game_of(tree), behaviour)
    for s, gains in zip(oracle.info_sets(tree), found.gains, strict=True):
        if not oracle.visits(tree, laws, s)[1]:
            assert gains is None
            continue
        assert gains is not None
        assert list(gains) == [oracle.one_visit_gain(tree, laws, s, m) for m in range(len(laws[s]))]
        assert sum(p * gain for p, gain in zip(laws[s], gains, strict=True)) == 0


# --- relations ---


@given(with_behaviour(TREES), st.integers(1, 4), st.integers(-3, 3))
def test_regrets_scale_and_do_not_shift(played: Played, scale: int, shift: int) -> None:
    tree, behaviour = played
    moved = paying(tree, lambda _, x, address: scale * x + (0 if address else shift))
    for method in (regrets, subgame_regrets):
        found = method(game_of(tree), behaviour)
        assert method(game_of(moved), behaviour) == tuple(scale * gain for gain in found)


@given(with_behaviour(TREES))
def test_regrets_ignore_names_and_order(played: Played) -> None:
    tree, behaviour = played
    laws = {s: law[::-1] for s, law in laws_of(tree, behaviour).items()}
    other = turned(tree)
    for method in (regrets, subgame_regrets):
        found = method(game_of(tree), behaviour)
        assert method(game_of(tree, player="Player {}".format), behaviour) == found
        assert method(game_of(other), behaviour_of(other, laws)) == found


@given(with_behaviour(TREES))
def test_regrets_ignore_split_chance_but_subgames_do_not(played: Played) -> None:
    """A set that lay in one subgame now lies in both copies of it, so that fewer are left."""
    tree, behaviour = played
    game, other = game_of(tree), game_of(split(tree))
    assert regrets(other, behaviour) == regrets(game, behaviour)
    pairs = zip(subgame_regrets(other, behaviour), subgame_regrets(game, behaviour), strict=True)
    assert all(fewer <= more for fewer, more in pairs)


# --- known games ---


def test_one_visit_at_a_time_may_miss_what_two_would_gain() -> None:
    """With perfect recall it could not: the forgetful player coordinates with herself on less."""
    game = forgetful([1, 0, 0, 2])
    less = Behaviour.pure(game, [0, 0])
    assert one_shot_deviations(game, less).holds
    assert regrets(game, less) == (1,)
    assert [one.payoffs for one in pure_equilibria(game)] == [(2,)]
    assert subgame_perfect(game).payoffs == (2,)


def test_the_absent_minded_driver_at_the_optimum() -> None:
    """Piccione and Rubinstein (1997): no gain at 2/3; by hand, p for on pays 4 p - 3 p²."""
    game = absent_minded_driver()
    for p in (Fraction(1, 2), Fraction(2, 3), Fraction(1)):
        found = one_shot_deviations(game, Behaviour(((1 - p, p),)))
        slope = 4 - 6 * p
        assert found.gains == ((-p * slope / (1 + p), (1 - p) * slope / (1 + p)),)
        assert found.holds == (p == Fraction(2, 3))


# --- what cannot be done ---


def thirteen_twins() -> Game:
    """A player forgets thirteen tosses of a coin, one after the other."""
    tree: Tree = end(0)
    for k in range(13):
        again = choice("ann", f"s{k}", {"up": end(0), "down": end(1)})
        tree = chance({"on": ("1/2", tree), "off": ("1/2", choice("ann", f"t{k}", {"x": again}))})
        tree = chance({"on": ("1/2", tree), "off": ("1/2", again)})
    return Game.of(("ann",), tree)


def test_a_best_reply_says_how_many_joint_moves_are_too_many() -> None:
    game = thirteen_twins()
    with pytest.raises(LimitError, match="8192"):
        best_reply(game, Behaviour.uniform(game), "ann", limit=8_191)
