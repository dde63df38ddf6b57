from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import pytest
from game_strategies import (
    attentive_trees,
    game_of,
    laws_of,
    nested_trees,
    open_trees,
    paying,
    split,
    turned,
)
from hypothesis import given
from hypothesis import strategies as st
from reference import games as oracle
from sample_games import (
    bimatrix,
    entry_deterrence,
    kuhn_poker,
    matching_pennies,
)

from theory.errors import InvalidInputError, LimitError, ShapeError
from theory.games import (
    Behaviour,
    Concept,
    Equilibrium,
    Game,
    NoPureEquilibriumError,
    Tree,
    backward_induction,
    chance,
    choice,
    end,
    expected_payoffs,
    one_shot_deviations,
    pure_equilibria,
    pure_subgame_perfect,
    regrets,
    subgame_perfect,
    subgame_regrets,
)

# beartype picks at random which items of a tuple to look at, also while a strategy draws.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")

TREES = attentive_trees(depth=3) | nested_trees()


def plan_of(tree: oracle.Tree, found: Equilibrium) -> oracle.Plan:
    return {s: law.index(1) for s, law in laws_of(tree, found.behaviour).items()}


def plans_of(tree: oracle.Tree, found: tuple[Equilibrium, ...]) -> list[list[int]]:
    return sorted(list(plan_of(tree, one).values()) for one in found)


def listed(plans: list[oracle.Plan]) -> list[list[int]]:
    return sorted(list(plan.values()) for plan in plans)


# --- against the oracle ---


@given(TREES)
def test_pure_equilibria_are_those_of_all_profiles(tree: oracle.Tree) -> None:
    found = pure_equilibria(game_of(tree))
    assert plans_of(tree, found) == listed(oracle.pure_equilibria(tree, 2))
    assert all(one.holds and one.concept is Concept.NASH for one in found)
    with patch(
        "theory.games._pure_equilibria._LONG_UNIT", 0
    ):  # payoffs as fractions, not in a unit
        assert pure_equilibria(game_of(tree)) == found


@given(TREES)
def test_subgame_perfect_equilibria_are_those_of_all_profiles(tree: oracle.Tree) -> None:
    game, expected = game_of(tree), oracle.pure_subgame_perfect(tree, 2)
    if not expected:
        with pytest.raises(NoPureEquilibriumError, match="no equilibrium in pure strategies"):
            subgame_perfect(game)
        return
    found = pure_subgame_perfect(game)
    assert plans_of(tree, found) == listed(expected)
    assert all(one.holds for one in found)
    assert subgame_perfect(game) == found[0]


@given(open_trees(players=3))
def test_backward_induction_is_subgame_perfect(tree: oracle.Tree) -> None:
    found = backward_induction(game_of(tree, players=3))
    assert found.equilibrium.holds
    laws = laws_of(tree, found.equilibrium.behaviour)
    for s, (address,), best in zip(
        oracle.info_sets(tree), oracle.info_sets(tree).values(), found.maximisers, strict=True
    ):
        worth = [oracle.payoff(branch, laws, s[0]) for branch in oracle.at(tree, address)[-2]]
        assert best == tuple(m for m, value in enumerate(worth) if value == max(worth))
        assert laws[s].index(1) == best[0]


@given(open_trees(depth=3))
def test_backward_induction_is_the_first_of_all(tree: oracle.Tree) -> None:
    game = game_of(tree)
    found, every = backward_induction(game), pure_subgame_perfect(game)
    assert found.equilibrium == every[0] == subgame_perfect(game)
    assert found.unique == (len(every) == 1)


# --- relations ---


@given(TREES)
def test_nobody_gains_at_one_visit_in_an_equilibrium(tree: oracle.Tree) -> None:
    game = game_of(tree)
    assert all(one_shot_deviations(game, one.behaviour).holds for one in pure_equilibria(game))


@given(TREES, st.integers(1, 4), st.integers(-3, 3))
def test_equilibria_stay_when_payoffs_scale_and_shift(
    tree: oracle.Tree, scale: int, shift: int
) -> None:
    moved = paying(tree, lambda i, x, address: scale ** (i + 1) * x + (0 if address else shift))
    one, two = pure_equilibria(game_of(tree)), pure_equilibria(game_of(moved))
    assert plans_of(tree, one) == plans_of(tree, two)


@given(TREES)
def test_equilibria_ignore_the_order_of_branches_and_split_chance(tree: oracle.Tree) -> None:
    found = {expected_payoffs(one.game, one.behaviour) for one in pure_equilibria(game_of(tree))}
    for other in (turned(tree), split(tree)):
        assert {one.payoffs for one in pure_equilibria(game_of(other))} == found


# --- known games ---


def test_matching_pennies() -> None:
    game = matching_pennies()
    assert pure_equilibria(game) == ()
    with pytest.raises(NoPureEquilibriumError, match="node 0 \\(the start\\)"):
        subgame_perfect(game)
    half = Behaviour.uniform(game)
    assert Equilibrium(game, half, Concept.NASH).holds
    assert one_shot_deviations(game, half).holds
    assert regrets(game, Behaviour.pure(game, [0, 0])) == (0, 2)
    assert one_shot_deviations(game, Behaviour.pure(game, [0, 0])).witness == (1, 1)


def test_battle_of_the_sexes() -> None:
    game = bimatrix(
        {
            ("opera", "opera"): (3, 2),
            ("opera", "fight"): (0, 0),
            ("fight", "opera"): (0, 0),
            ("fight", "fight"): (2, 3),
        }
    )
    assert [one.payoffs for one in pure_equilibria(game)] == [(3, 2), (2, 3)]
    mixed = Behaviour(((Fraction(3, 5), Fraction(2, 5)), (Fraction(2, 5), Fraction(3, 5))))
    assert Equilibrium(game, mixed, Concept.NASH).holds
    assert expected_payoffs(game, mixed) == (Fraction(6, 5), Fraction(6, 5))


def test_an_empty_threat_deters_in_nash_only() -> None:
    game = entry_deterrence()
    nash, perfect = pure_equilibria(game), pure_subgame_perfect(game)
    assert [one.payoffs for one in nash] == [(0, 2), (1, 1)]
    assert [one.payoffs for one in perfect] == [(1, 1)]
    assert backward_induction(game).equilibrium == perfect[0]
    threat = nash[0].behaviour
    assert regrets(game, threat) == (0, 0)
    assert subgame_regrets(game, threat) == (0, 2)
    assert not Equilibrium(game, threat, Concept.SUBGAME_PERFECT).holds
    judged = one_shot_deviations(game, threat)
    assert judged.holds
    assert judged.unreached == (1,)
    assert "1 sets not reached and not judged" in str(judged)


def test_kuhn_poker_is_worth_a_loss_of_an_eighteenth() -> None:
    """Kuhn (1950): a solution for each share of jacks that bet, up to a third."""
    game = kuhn_poker()
    for jacks in (Fraction(0), Fraction(1, 6), Fraction(1, 3)):
        bets = {
            "J": jacks,
            "Q": Fraction(0),
            "K": 3 * jacks,
            "J after check": Fraction(1, 3),
            "Q after check": Fraction(0),
            "K after check": Fraction(1),
        }
        calls = {
            "J check bet": Fraction(0),
            "Q check bet": jacks + Fraction(1, 3),
            "K check bet": Fraction(1),
            "J after bet": Fraction(0),
            "Q after bet": Fraction(1, 3),
            "K after bet": Fraction(1),
        }
        plan: dict[str, dict[str, dict[str, object]]] = {"first": {}, "second": {}}
        for infoset in game.infosets:
            p = {**bets, **calls}[infoset.name]
            moves: dict[str, object] = {infoset.moves[0]: 1 - p, infoset.moves[1]: p}
            plan[game.players[infoset.player]][infoset.name] = moves
        solution = Equilibrium(game, Behaviour.of(game, plan), Concept.NASH)
        assert solution.payoffs == (Fraction(-1, 18), Fraction(1, 18))
        assert solution.holds
    assert not Equilibrium(game, Behaviour.uniform(game), Concept.NASH).holds


def test_a_later_equilibrium_is_tried_where_the_first_leaves_none() -> None:
    """Row is indifferent at the end; only one of its moves there lets column stay."""
    last = choice("row", "last", {"cold": end(1, -1), "warm": end(1, 5)})
    after = {
        "H": choice("column", "c", {"H": last, "T": end(-1, 1)}),
        "T": choice("column", "c", {"H": end(-1, 1), "T": end(1, -1)}),
    }
    game = Game.of(("row", "column"), choice("row", "r", after))
    found = subgame_perfect(game)
    assert found.payoffs == (1, 5)
    assert found.holds
    assert pure_subgame_perfect(game) == (found,)


def test_the_subgame_without_equilibrium_is_named() -> None:
    """At once: the 2²⁰ equilibria of a subgame beside it are not gone through."""
    pennies = {
        "heads": choice("b", "b", {"heads": end(1, -1), "tails": end(-1, 1)}),
        "tails": choice("b", "b", {"heads": end(-1, 1), "tails": end(1, -1)}),
    }
    tied: Tree = end(0, 0)
    for k in range(20):
        tied = choice("b", f"tied {k}", {"stop": end(0, 0), "on": tied})
    game = Game.of(("a", "b"), choice("a", "first", {"in": choice("a", "a", pennies), "out": tied}))
    with pytest.raises(NoPureEquilibriumError, match="subgame at node 1 \\(in\\)"):
        subgame_perfect(game)


def test_a_deep_chain_is_solved() -> None:
    tree: Tree = end(0, 0)
    for k in range(3_000):
        tree = choice("ab"[k % 2], f"s{k}", {"stop": end(k % 7, k % 5), "on": tree})
    game = Game.of(("a", "b"), tree)
    found = backward_induction(game).equilibrium
    assert found.holds
    assert found == subgame_perfect(game)


def test_a_game_without_moves_has_one_equilibrium() -> None:
    game = Game.of(("a", "b"), chance({"x": ("1/2", end(1, 0)), "y": ("1/2", end(0, 3))}))
    for found in (pure_equilibria(game), pure_subgame_perfect(game)):
        assert [one.payoffs for one in found] == [(Fraction(1, 2), Fraction(3, 2))]
    assert backward_induction(game).unique
    assert one_shot_deviations(game, Behaviour(())).witness is None


# --- a wrong answer is seen, a wrong question refused ---


@given(TREES)
def test_what_is_no_equilibrium_shows_regret(tree: oracle.Tree) -> None:
    game, equilibria = game_of(tree), oracle.pure_equilibria(tree, 2)
    for plan in oracle.plans(tree):
        claimed = Equilibrium(game, Behaviour.pure(game, list(plan.values())), Concept.NASH)
        assert claimed.holds == (plan in equilibria)


@pytest.mark.parametrize(
    ("error", "says", "ask"),
    [
        (LimitError, "are more than the limit of 3", lambda g: pure_equilibria(g, limit=3)),
        (LimitError, "are more than the limit of 3", lambda g: subgame_perfect(g, limit=3)),
        (InvalidInputError, "has 2 nodes", backward_induction),
        (ShapeError, "does not fit a game", lambda g: regrets(g, Behaviour(()))),
        (ShapeError, "does not fit a game", lambda g: subgame_regrets(g, Behaviour(()))),
        (ShapeError, "does not fit a game", lambda g: one_shot_deviations(g, Behaviour(()))),
    ],
)
def test_what_cannot_be_done_is_refused(
    error: type[InvalidInputError], says: str, ask: Callable[[Game], Any]
) -> None:
    with pytest.raises(error, match=says):
        ask(matching_pennies())
