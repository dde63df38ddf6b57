from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from game_strategies import (
    addresses,
    behaviour_of,
    game_of,
    laws_of,
    open_trees,
    paying,
    split,
    trees,
    turned,
    with_behaviour,
    with_mixed,
)
from hypothesis import given
from hypothesis import strategies as st
from reference import games as oracle
from sample_games import absent_minded_driver, entry_deterrence, kuhn_poker
from strategies import small_rationals

from theory.errors import (
    ExactnessError,
    InvalidInputError,
    NullEventError,
    ProbabilityError,
    ShapeError,
    UnknownNameError,
)
from theory.games import (
    Behaviour,
    Game,
    Mixed,
    beliefs,
    continuation_values,
    expected_payoffs,
    reach_probabilities,
)

# beartype picks at random which items of a tuple to look at, also while a strategy draws.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")

Played = tuple[oracle.Tree, Behaviour]


def driving(on: object) -> Behaviour:
    exit_ = 1 - Fraction(str(on))
    return Behaviour.of(absent_minded_driver(), {"driver": {"crossing": {"on": on, "exit": exit_}}})


# --- against the oracle ---


@given(with_behaviour(trees()))
def test_behaviour_pays_what_its_plays_do(played: Played) -> None:
    tree, behaviour = played
    game, laws = game_of(tree), laws_of(tree, behaviour)
    assert reach_probabilities(game, behaviour) == tuple(
        oracle.reach(tree, h, laws) for h in addresses(tree)
    )
    assert expected_payoffs(game, behaviour) == tuple(oracle.payoff(tree, laws, i) for i in (0, 1))


@given(with_behaviour(trees()))
def test_continuation_values_are_payoffs_of_subtrees(played: Played) -> None:
    tree, behaviour = played
    laws = laws_of(tree, behaviour)
    assert continuation_values(game_of(tree), behaviour) == tuple(
        tuple(oracle.payoff(node, laws, i) for i in (0, 1)) for _, node in oracle.nodes(tree)
    )


@given(with_mixed(trees(depth=3)))
def test_mixed_strategies_pay_what_their_plans_do(drawn: tuple[oracle.Tree, list[Mixed]]) -> None:
    tree, profile = drawn
    game = game_of(tree)
    names = list(oracle.info_sets(tree))
    plain = [
        [
            (p, dict(zip((s for s in names if s[0] == mixed.player), plan, strict=True)))
            for plan, p in zip(mixed.plans, mixed.probabilities, strict=True)
        ]
        for mixed in profile
    ]
    assert expected_payoffs(game, profile) == tuple(
        oracle.payoff_of_mixed(tree, plain, i) for i in (0, 1)
    )


@given(with_behaviour(trees(depth=5)))
def test_beliefs_count_visits(played: Played) -> None:
    tree, behaviour = played
    game, laws = game_of(tree), laws_of(tree, behaviour)
    names = addresses(tree)
    for s in oracle.info_sets(tree):
        per_node, number, ever = oracle.visits(tree, laws, s)
        if not number:
            with pytest.raises(NullEventError, match="is never reached"):
                beliefs(game, behaviour, f"p{s[0]}", s[1])
            continue
        found = beliefs(game, behaviour, f"p{s[0]}", s[1])
        assert (found.expected_visits, found.ever_visited) == (number, ever)
        assert sum(found.probabilities) == 1
        assert {names[h]: p for h, p in zip(found.nodes, found.probabilities, strict=True)} == {
            h: p / number for h, p in per_node.items()
        }


# --- relations ---


@given(with_behaviour(trees()))
def test_names_do_not_matter(played: Played) -> None:
    tree, behaviour = played
    renamed = game_of(tree, player="Player {}".format, move="Move {}".format)
    assert expected_payoffs(renamed, behaviour) == expected_payoffs(game_of(tree), behaviour)
    assert renamed.infosets != game_of(tree).infosets or not renamed.infosets


@given(with_behaviour(trees()), small_rationals(), small_rationals())
def test_payoffs_scale_and_shift(played: Played, scale: Fraction, shift: Fraction) -> None:
    tree, behaviour = played
    moved = paying(tree, lambda _, x, address: scale * x + (0 if address else shift))
    assert expected_payoffs(game_of(moved), behaviour) == tuple(
        scale * x + shift for x in expected_payoffs(game_of(tree), behaviour)
    )


@given(with_behaviour(trees()))
def test_the_order_of_branches_does_not_matter(played: Played) -> None:
    tree, behaviour = played
    laws = {s: law[::-1] for s, law in laws_of(tree, behaviour).items()}
    other = turned(tree)
    assert expected_payoffs(game_of(other), behaviour_of(other, laws)) == expected_payoffs(
        game_of(tree), behaviour
    )


@given(with_behaviour(trees()))
def test_chance_may_be_split(played: Played) -> None:
    tree, behaviour = played
    game, other = game_of(tree), game_of(split(tree))
    assert expected_payoffs(other, behaviour) == expected_payoffs(game, behaviour)
    reach = reach_probabilities(game, behaviour)
    for infoset in game.infosets:
        if any(reach[h] for h in infoset.nodes):
            where = game.players[infoset.player], infoset.name
            one, two = beliefs(game, behaviour, *where), beliefs(other, behaviour, *where)
            assert one.expected_visits == two.expected_visits
            assert one.ever_visited == two.ever_visited


@given(with_mixed(open_trees(depth=3)))
def test_mixing_is_behaving_under_perfect_recall(drawn: tuple[oracle.Tree, list[Mixed]]) -> None:
    """Kuhn (1953): b(m | I) is the share of m among the plans that make all moves towards I."""
    tree, profile = drawn
    game = game_of(tree)
    laws = []
    for k, infoset in enumerate(game.infosets):
        sets = game.infosets_of(infoset.player)
        mixed = next(one for one in profile if one.player == infoset.player)
        before = [
            (game.nodes[h].infoset, m)
            for h, m in game.path(infoset.nodes[0])
            if game.nodes[h].infoset in sets
        ]
        shares = [Fraction(0)] * len(infoset.moves)
        for plan, p in zip(mixed.plans, mixed.probabilities, strict=True):
            moves = dict(zip(sets, plan, strict=True))
            if all(moves[j] == m for j, m in before):
                shares[moves[k]] += p
        total = sum(shares)
        laws.append(
            tuple(s / total for s in shares) if total else Behaviour.uniform(game).probabilities[k]
        )
    assert reach_probabilities(game, Behaviour(tuple(laws))) == reach_probabilities(game, profile)


# --- known games ---


@pytest.mark.parametrize("on", ["0", "1/3", "2/3", "1"])
def test_the_absent_minded_driver(on: str) -> None:
    """By hand: payoff 4 p (1 - p) + p², belief 1 / (1 + p) in the first crossing."""
    game, p = absent_minded_driver(), Fraction(on)
    assert expected_payoffs(game, driving(on)) == (4 * p * (1 - p) + p * p,)
    found = beliefs(game, driving(on), "driver", "crossing")
    assert found.probabilities == (1 / (1 + p), p / (1 + p))
    assert found.expected_visits == 1 + p
    assert found.ever_visited == 1


def test_the_absent_minded_driver_gains_from_drawing_anew() -> None:
    game = absent_minded_driver()
    plans = [{"crossing": "exit"}, {"crossing": "on"}]
    mixed = [
        Mixed.of(game, "driver", [(Fraction(n, 12), plans[0]), (Fraction(12 - n, 12), plans[1])])
        for n in range(13)
    ]
    assert max(expected_payoffs(game, [m]) for m in mixed) == (1,)
    assert expected_payoffs(game, driving("2/3")) == (Fraction(4, 3),)


def test_kuhn_poker_under_uniform_play() -> None:
    """By hand: showdowns cancel out; a bet is folded to for 1/4 and, after a check, for -1/8."""
    game = kuhn_poker()
    assert expected_payoffs(game, Behaviour.uniform(game)) == (Fraction(1, 8), Fraction(-1, 8))


# --- making strategies ---


@given(trees(), st.integers(0, 2**32))
def test_random_behaviour_is_a_function_of_the_seed(tree: oracle.Tree, seed: int) -> None:
    game = game_of(tree)
    one, two = (Behaviour.random(game, np.random.default_rng(seed)) for _ in range(2))
    assert one == two
    one.check(game)
    assert all(p.denominator <= 3 * len(law) + 1 for law in one.probabilities for p in law)


def test_random_behaviours_differ() -> None:
    game, generator = kuhn_poker(), np.random.default_rng(0)
    drawn = {Behaviour.random(game, generator) for _ in range(50)}
    assert len(drawn) == 50
    for k, infoset in enumerate(game.infosets):
        for m in range(len(infoset.moves)):
            seen = {behaviour.probabilities[k][m] for behaviour in drawn}
            assert {0, 1, Fraction(1, 2)} < seen


def test_strategies_are_told_by_name() -> None:
    game = entry_deterrence()
    behaviour = Behaviour.of(
        game,
        {
            "entrant": {"start": {"in": 1}},
            "incumbent": {"entry": {"share": "0.25", "fight": "3/4"}},
        },
    )
    assert behaviour.describe(game).rows == (
        ("entrant", "start", "in 1"),
        ("incumbent", "entry", "fight 3/4, share 1/4"),
    )
    assert str(behaviour) == "(0, 1) (3/4, 1/4)"
    assert not behaviour.is_pure
    assert Behaviour.pure(game, [1, 0]).is_pure
    mixed = Mixed.of(game, "incumbent", [("1/3", {"entry": "share"}), ("2/3", {"entry": "fight"})])
    assert mixed.describe(game).rows == (("1/3", "share"), ("2/3", "fight"))


START: Mapping[str, Any] = {"start": {"in": 1}}
ENTRY: Mapping[str, Any] = {"entry": {"share": 1}}


@pytest.mark.parametrize(
    ("error", "says", "plan"),
    [
        (UnknownNameError, "known are entrant, incumbent", {"nobody": {}}),
        (UnknownNameError, "did you mean 'start'", {"entrant": {"stat": {}}}),
        (UnknownNameError, "no move there", {"entrant": {"start": {"fight": 1}}}),
        (InvalidInputError, "is missing at an information set", {"entrant": START}),
        (
            ProbabilityError,
            "does not sum to one",
            {"entrant": START, "incumbent": {"entry": {"share": "1/2"}}},
        ),
        (
            ProbabilityError,
            "is negative",
            {"entrant": {"start": {"in": 2, "out": -1}}, "incumbent": ENTRY},
        ),
        (ExactnessError, "is a float", {"entrant": {"start": {"in": 1.0}}, "incumbent": ENTRY}),
    ],
)
def test_a_behaviour_that_cannot_be_is_refused(
    error: type[InvalidInputError], says: str, plan: Any
) -> None:
    with pytest.raises(error, match=says):
        Behaviour.of(entry_deterrence(), plan)


@pytest.mark.parametrize(
    ("error", "says", "player", "plans"),
    [
        (UnknownNameError, "plays no part", "nobody", []),
        (UnknownNameError, "no move there", "entrant", [(1, {"start": "fight"})]),
        (InvalidInputError, "has no move at an information set", "entrant", [(1, {})]),
        (ProbabilityError, "does not sum to one", "entrant", [("1/2", {"start": "in"})]),
        (ProbabilityError, "does not sum to one", "entrant", []),
        (ExactnessError, "is a float", "entrant", [(1.0, {"start": "in"})]),
    ],
)
def test_a_mixed_strategy_that_cannot_be_is_refused(
    error: type[InvalidInputError],
    says: str,
    player: str,
    plans: Sequence[tuple[object, Mapping[str, str]]],
) -> None:
    with pytest.raises(error, match=says):
        Mixed.of(entry_deterrence(), player, plans)


def test_beliefs_at_an_unknown_set_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'crossing'"):
        beliefs(absent_minded_driver(), driving(1), "driver", "crosing")


def one_plan(player: int, *moves: int) -> Mixed:
    return Mixed(player, (moves,), (Fraction(1),))


@pytest.mark.parametrize(
    ("error", "says", "build"),
    [
        (ShapeError, "is not one move for each of 2", lambda g: Behaviour.pure(g, [0])),
        (UnknownNameError, "is not open", lambda g: Behaviour.pure(g, [0, 2])),
        (
            ShapeError,
            "does not fit a game",
            lambda g: expected_payoffs(g, Behaviour(((Fraction(1),),))),
        ),
        (
            ShapeError,
            "does not fit a game",
            lambda g: Behaviour((*Behaviour.uniform(g).probabilities, (Fraction(1),))).check(g),
        ),
        (ShapeError, "one plan for each of 1", lambda g: Mixed(0, (), (Fraction(1),))),
        (ShapeError, "one open move for each", lambda g: one_plan(0, 0, 0).check(g)),
        (ShapeError, "one open move for each", lambda g: one_plan(0, 2).check(g)),
        (UnknownNameError, "plays no part", lambda g: one_plan(2).check(g)),
        (
            InvalidInputError,
            "are not one for each",
            lambda g: expected_payoffs(g, [one_plan(0, 0)]),
        ),
        (
            InvalidInputError,
            "are not one for each",
            lambda g: expected_payoffs(g, [one_plan(0, 0), one_plan(1, 0), one_plan(1, 1)]),
        ),
    ],
)
def test_strategies_of_another_game_are_refused(
    error: type[InvalidInputError], says: str, build: Callable[[Game], Any]
) -> None:
    with pytest.raises(error, match=says):
        build(entry_deterrence())
