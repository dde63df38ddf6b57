"""Gambit reads our games and we read Gambit's; both find the same numbers in them."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from game_strategies import attentive_trees, game_of, nested_trees, open_trees, relabelled, trees
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from peers import gambit
from sample_games import kuhn_poker
from sweeps import examples

from theory.games import (
    Behaviour,
    Equilibrium,
    Game,
    NoPureEquilibriumError,
    RecallKind,
    beliefs,
    expected_payoffs,
    from_efg,
    mixed_equilibrium,
    one_shot_deviations,
    pure_equilibria,
    pure_subgame_perfect,
    reach_probabilities,
    recall,
    regrets,
    subgames,
    to_efg,
)

pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")

Plan = tuple[int, ...]
"""One move for each information set."""

SEEDS = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@pytest.fixture(scope="module")
def gbt() -> ModuleType:
    return gambit()


@st.composite
def games(draw: st.DrawFn, drawn: Any = trees) -> Game:
    """Random games of one to three players."""
    players = draw(st.integers(1, 3))
    return game_of(draw(drawn(players=players)), players)


def staged_games() -> Any:
    """Games of two players with perfect recall and many subgames."""
    moves_at_once = nested_trees().map(lambda tree: relabelled(tree, lambda label, _: f"{label}."))
    return (moves_at_once | open_trees(depth=3)).map(game_of)


def adorned(game: Game) -> Game:
    """The game with names all over, as far as Gambit takes them: printable ASCII."""
    nodes = [
        replace(
            node,
            name=f'"{v}", }} t',
            outcome=f'"{{ {", ".join(map(str, node.payoffs))}' if any(node.payoffs) else "",
        )
        for v, node in enumerate(game.nodes)
    ]
    return replace(game, nodes=tuple(nodes), title='"No" title')


def theirs(gbt: ModuleType, text: str) -> Any:
    return gbt.read_efg(io.StringIO(text))


def their_sets(their: Any, game: Game, root: int = 0) -> dict[int, Any]:
    """Their copies of our information sets, in the whole game or in their copy of a subgame."""
    by_number = {(s.player.label, s.number): s for s in their.infosets}
    nodes = list(their.nodes)
    found = {}
    for k, infoset in enumerate(game.infosets):
        if root <= infoset.nodes[0] < game.stops[root]:
            copy = nodes[infoset.nodes[0] - root].infoset
            found[k] = by_number[copy.player.label, copy.number]
    return found


def their_profile(their: Any, game: Game, behaviour: Behaviour) -> Any:
    profile = their.mixed_behavior_profile(rational=True)
    for k, infoset in their_sets(their, game).items():
        profile[infoset] = list(behaviour.probabilities[k])
    return profile


def our_rows(game: Game) -> list[Any]:
    """Each node: player, information set, odds, payoffs, number of moves."""
    rows = []
    for node in game.nodes:
        mover = game.infosets[node.infoset].player if node.infoset >= 0 else -1
        rows.append((mover, node.infoset, node.probabilities, node.payoffs, len(node.moves)))
    return rows


def their_rows(their: Any) -> list[Any]:
    """The same for the nodes of theirs; information sets are numbered as they are met."""
    players = list(their.players)
    numbers: dict[Any, int] = {}
    rows = []
    for node in their.nodes:
        paid = tuple(node.outcome[p] if node.outcome else Fraction(0) for p in players)
        moves = [] if node.is_terminal else list(node.infoset.actions)
        mover, k = -1, -1
        odds: tuple[Fraction, ...] = ()
        if moves and node.player.is_chance:
            odds = tuple(move.prob for move in moves)
        elif moves:
            mover = [p.label for p in players].index(node.player.label)
            k = numbers.setdefault((mover, node.infoset.number), len(numbers))
        rows.append((mover, k, odds, paid, len(moves)))
    return rows


@settings(max_examples=examples(100))
@given(games())
def test_gambit_reads_the_same_game(gbt: ModuleType, game: Game) -> None:
    game = adorned(game)
    their = theirs(gbt, to_efg(game))
    assert their.title == game.title
    assert [player.label for player in their.players] == list(game.players)
    assert [node.label for node in their.nodes] == [node.name for node in game.nodes]
    sets = their_sets(their, game)
    assert [s.label for s in sets.values()] == [s.name for s in game.infosets]
    assert len(sets) == len(list(their.infosets))
    assert their_rows(their) == our_rows(game)
    assert from_efg(their.to_efg()) == game


@settings(max_examples=examples(200))
@given(games(), SEEDS)
def test_payoffs_of_random_behaviour(
    gbt: ModuleType, game: Game, generator: np.random.Generator
) -> None:
    behaviour = Behaviour.random(game, generator)
    their = theirs(gbt, to_efg(game))
    profile = their_profile(their, game, behaviour)
    assert tuple(map(profile.payoff, game.players)) == expected_payoffs(game, behaviour)
    reached = tuple(map(profile.realiz_prob, their.nodes))
    assert reached == reach_probabilities(game, behaviour)


@settings(max_examples=examples(100))
@given(games())
def test_recall_and_subgames(gbt: ModuleType, game: Game) -> None:
    their = theirs(gbt, to_efg(game))
    found = recall(game)
    assert their.is_perfect_recall == all(player.is_perfect for player in found)
    absent = [any(s.is_absent_minded for s in player.infosets) for player in their.players]
    assert absent == [RecallKind.ABSENT_MINDED in player.kinds for player in found]
    roots = [h for h, node in enumerate(their.nodes) if node.is_subgame_root]
    assert tuple(roots) == subgames(game)


@settings(max_examples=examples(100))
@given(games(attentive_trees), SEEDS)
def test_beliefs_and_single_moves(
    gbt: ModuleType, game: Game, generator: np.random.Generator
) -> None:
    """Nobody is absent-minded here: Gambit's beliefs of the absent-minded do not sum to one."""
    behaviour = Behaviour.random(game, generator)
    their = theirs(gbt, to_efg(game))
    profile = their_profile(their, game, behaviour)
    nodes = list(their.nodes)
    gains = one_shot_deviations(game, behaviour).gains
    for k, copy in their_sets(their, game).items():
        row, infoset = gains[k], game.infosets[k]
        if row is None:
            assert profile.infoset_prob(copy) == 0
            continue
        ours = beliefs(game, behaviour, game.players[infoset.player], infoset.name)
        assert tuple(profile.belief(nodes[h]) for h in infoset.nodes) == ours.probabilities
        value = profile.infoset_value(copy)
        assert tuple(profile.action_value(move) - value for move in copy.actions) == row


@settings(max_examples=examples(100))
@given(staged_games(), SEEDS)
def test_regrets(gbt: ModuleType, game: Game, generator: np.random.Generator) -> None:
    behaviour = Behaviour.random(game, generator)
    profile = their_profile(theirs(gbt, to_efg(game)), game, behaviour).as_strategy()
    assert tuple(map(profile.player_regret, game.players)) == regrets(game, behaviour)


def our_plans(found: Iterable[Equilibrium]) -> set[Plan]:
    return {tuple(law.index(1) for law in e.behaviour.probabilities) for e in found}


def their_plans(gbt: ModuleType, their: Any, sets: Iterable[Any]) -> set[Plan]:
    """Return the moves at these sets in each equilibrium of the strategic form.

    Their strategies say nothing of sets that they keep from being reached: any move goes there.
    """
    table = gbt.read_nfg(io.StringIO(their.to_nfg()))
    found: set[Plan] = set()
    for equilibrium in gbt.nash.enumpure_solve(table).equilibria:
        played = {}
        for player, same in zip(their.players, table.players, strict=True):
            weights = [equilibrium[strategy] for strategy in same.strategies]
            played[player.label] = list(player.strategies)[weights.index(1)]
        found |= set(product(*(planned(played[s.player.label], s) for s in sets)))
    return found


def planned(strategy: Any, infoset: Any) -> list[int]:
    action = strategy.action(infoset)
    return [m for m, move in enumerate(infoset.actions) if action is None or move == action]


@settings(max_examples=examples(150))
@given(games(attentive_trees))
def test_pure_equilibria(gbt: ModuleType, game: Game) -> None:
    their = theirs(gbt, to_efg(game))
    found = their_plans(gbt, their, their_sets(their, game).values())
    assert our_plans(pure_equilibria(game)) == found


@settings(max_examples=examples(100))
@given(staged_games())
def test_subgame_perfect_equilibria(gbt: ModuleType, game: Game) -> None:
    """A plan is subgame perfect if in each subgame it is one of the equilibria Gambit finds."""
    found = set(product(*(range(len(s.moves)) for s in game.infosets)))
    assume(len(found) < 1000)
    for root in subgames(game):
        part = theirs(gbt, to_efg(game))
        node = list(part.nodes)[root]
        while node.parent is not None:
            part.delete_parent(node)
        sets = their_sets(part, game, root)
        plans = their_plans(gbt, part, sets.values())
        found = {plan for plan in found if tuple(plan[k] for k in sets) in plans}
    try:
        ours = our_plans(pure_subgame_perfect(game))
    except NoPureEquilibriumError:
        ours = set()
    assert ours == found


def check_mixed(game: Game, their: Any, equilibria: Iterable[Any]) -> None:
    """Nobody gains, as we compute it, and both say the same of the payoffs."""
    for equilibrium in equilibria:
        sets = their_sets(their, game).values()
        behaviour = Behaviour(tuple(tuple(equilibrium[m] for m in s.actions) for s in sets))
        assert not any(regrets(game, behaviour))
        assert tuple(map(equilibrium.payoff, their.players)) == expected_payoffs(game, behaviour)


@settings(max_examples=examples(100))
@given(staged_games())
def test_mixed_equilibria(gbt: ModuleType, game: Game) -> None:
    their = theirs(gbt, to_efg(game))
    found = gbt.nash.lcp_solve(their).equilibria
    assert found
    check_mixed(game, their, found)


@settings(max_examples=examples(100))
@given(staged_games())
def test_our_mixed_equilibria(gbt: ModuleType, game: Game) -> None:
    check_ours(game, theirs(gbt, to_efg(game)))


def check_ours(game: Game, their: Any) -> None:
    """Gambit finds that nobody gains from what we find, and the same payoffs."""
    found = mixed_equilibrium(game)
    assert isinstance(found.strategies, Behaviour)
    profile = their_profile(their, game, found.strategies)
    assert tuple(map(profile.payoff, game.players)) == found.payoffs
    strategic = profile.as_strategy()
    assert [strategic.player_regret(name) for name in game.players] == [0] * len(game.players)


def test_the_value_of_poker(gbt: ModuleType) -> None:
    game = kuhn_poker()
    their = theirs(gbt, to_efg(game))
    (found,) = gbt.nash.lp_solve(their).equilibria
    assert found.payoff("first") == Fraction(-1, 18)
    check_mixed(game, their, [found])
    check_ours(game, their)


def test_games_that_come_with_gambit(gbt: ModuleType) -> None:
    catalogue = sorted(Path(gbt.__path__[0]).rglob("*.efg"))
    texts = [path.read_text(encoding="utf-8") for path in catalogue]
    assert len(texts) > 25
    generator = np.random.default_rng(1)
    for text in texts:
        game, their = from_efg(text), theirs(gbt, text)
        assert their_rows(their) == our_rows(game)
        assert from_efg(to_efg(game)) == game
        behaviour = Behaviour.random(game, generator)
        profile = their_profile(their, game, behaviour)
        assert tuple(map(profile.payoff, their.players)) == expected_payoffs(game, behaviour)
        if not any(RecallKind.ABSENT_MINDED in player.kinds for player in recall(game)):
            found = their_plans(gbt, their, their_sets(their, game).values())
            assert our_plans(pure_equilibria(game)) == found
        if their.is_perfect_recall and len(game.players) == 2:
            check_mixed(game, their, gbt.nash.lcp_solve(their).equilibria)
        if their.is_perfect_recall:
            check_ours(game, their)
