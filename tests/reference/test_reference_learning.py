"""The oracles on regret, gaps, fixed points and learners against answers worked by hand."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import comb, isclose, log, sqrt
from random import Random
from typing import Any

import pytest

from reference import fixed_points, learners, polytopes, regret, softmax

F = Fraction
HALF = F(1, 2)


def near(found: Sequence[float], wanted: Sequence[Any]) -> bool:
    return all(isclose(x, y, abs_tol=1e-14) for x, y in zip(found, wanted, strict=True))


# --- regret of a history

PLAYS = [[F(1), F(0)], [HALF, HALF]]
REWARDS = [[0, 1], [1, 0]]


def test_two_rounds_by_hand() -> None:
    """Earned 1/2; either constant earns 1; either move gains 1/2, and both together 1."""
    assert regret.earned(PLAYS, REWARDS) == HALF
    assert regret.external(PLAYS, REWARDS) == (HALF, 0)
    assert regret.internal(PLAYS, REWARDS) == (HALF, (0, 1))
    assert regret.swap(PLAYS, REWARDS) == (1, (1, 0))
    assert regret.conditional(PLAYS, REWARDS) == {0: (F(3, 2), 1, F(1, 3)), 1: (HALF, 0, 1)}


def test_a_new_action_every_round_has_little_internal_regret_alone() -> None:
    """Each action played was the only bad one of its round."""
    for size in (2, 3, 4):
        plays = [[int(a == t) for a in range(size)] for t in range(size)]
        rewards = [[1 - x for x in play] for play in plays]
        assert regret.external(plays, rewards) == (size - 1, 0)
        assert regret.internal(plays, rewards) == (1, (0, 1))
        assert regret.swap(plays, rewards)[0] == size


def test_regret_of_hindsight_is_negative_outside_and_zero_inside() -> None:
    plays = [[1, 0], [0, 1]]
    assert regret.external(plays, plays) == (-1, 0)
    assert regret.internal(plays, plays) == (0, None)
    assert regret.swap(plays, plays) == (0, (0, 1))
    assert regret.conditional(plays, plays) == {0: (1, 0, 0), 1: (1, 1, 0)}


def test_one_action_regrets_nothing() -> None:
    assert regret.external([[1]], [[F(-7)]]) == (0, 0)
    assert regret.internal([[1]], [[F(-7)]]) == (0, None)
    assert regret.swap([[1]], [[F(-7)]]) == (0, (0,))


def test_how_many_maps() -> None:
    for size in range(1, 5):
        assert len(regret.singles(size)) == size * (size - 1)
        assert len(list(regret.all_maps(size))) == size**size
        maps = {*regret.singles(size).values(), *regret.constants(size), regret.identity(size)}
        assert maps <= set(regret.all_maps(size))


def test_a_map_carries_mass() -> None:
    assert regret.image([F(1, 6), F(1, 3), HALF], (2, 2, 1)) == [0, HALF, HALF]
    for move in regret.all_maps(2):
        moved = [regret.image(x, move) for x in PLAYS]
        more = regret.earned(moved, REWARDS) - regret.earned(PLAYS, REWARDS)
        assert regret.gain(PLAYS, REWARDS, move) == more


def test_swap_regret_adds_up_over_actions() -> None:
    """Each action is moved to its best reply by itself."""
    rng = Random(1)
    for _ in range(100):
        size, rounds = rng.randint(1, 4), rng.randint(1, 4)
        plays = [random_row(rng, size) for _ in range(rounds)]
        rewards = [[F(rng.randint(-3, 3)) for _ in range(size)] for _ in range(rounds)]
        parts = regret.conditional(plays, rewards).values()
        assert regret.swap(plays, rewards)[0] == sum(weight * rate for weight, _, rate in parts)
        internal = regret.internal(plays, rewards)[0]
        assert internal == max(weight * rate for weight, _, rate in parts)
        assert regret.external(plays, rewards)[0] <= max(size - 1, 1) * internal


def random_row(rng: Random, size: int) -> list[Fraction]:
    weights = [max(0, rng.randint(-3, 3)) for _ in range(size)]
    weights[rng.randrange(size)] += 1
    return [F(w, sum(weights)) for w in weights]


# --- gaps

CHICKEN = {(0, 0): (6, 6), (0, 1): (2, 7), (1, 0): (7, 2), (1, 1): (0, 0)}
PENNIES = {(a, b): ((1, -1) if a == b else (-1, 1)) for a, b in product(range(2), repeat=2)}
RPS = {
    (a, b): ((0, 1, -1)[(a - b) % 3], (0, 1, -1)[(b - a) % 3])
    for a, b in product(range(3), repeat=2)
}


def test_all_on_the_diagonal_of_rock_paper_scissors_is_coarse_alone() -> None:
    """The opponent is uniform, but whoever is told R knows that the opponent plays R."""
    law = {(a, a): F(1, 3) for a in range(3)}
    assert regret.gaps(RPS, law) == {"cce": 0, "ce": F(1, 3), "swap": 1}
    assert regret.recommended(RPS, law, 0) == {a: (F(1, 3), (a + 1) % 3, 1) for a in range(3)}
    assert polytopes.inside(RPS, "cce", [law.get(p, 0) for p in RPS])
    assert not polytopes.inside(RPS, "ce", [law.get(p, 0) for p in RPS])


def test_three_players_who_want_to_agree() -> None:
    game = {p: (int(len(set(p)) == 1),) * 3 for p in product(range(2), repeat=3)}
    assert regret.shape(game) == (2, 2, 2)
    assert regret.gaps(game, {(0, 0, 0): HALF, (1, 1, 1): HALF}) == dict.fromkeys(
        ("cce", "ce", "swap"), 0
    )
    off = {(0, 0, 1): F(1)}
    assert regret.player_gaps(game, off, 0) == {"external": 0, "internal": 0, "swap": 0}
    assert regret.player_gaps(game, off, 2) == {"external": 1, "internal": 1, "swap": 1}
    assert regret.gaps(game, off) == {"cce": 1, "ce": 1, "swap": 1}
    assert regret.nash_gaps(game, [[1, 0], [1, 0], [HALF, HALF]]) == [(0, 0), (0, 0), (HALF, 0)]


def test_nash_gaps_of_chicken() -> None:
    mixed = [F(2, 3), F(1, 3)]
    assert regret.nash_gaps(CHICKEN, [mixed, mixed]) == [(0, 0), (0, 0)]
    assert regret.nash_gaps(CHICKEN, [[1, 0], [1, 0]]) == [(1, 1), (1, 1)]
    assert regret.nash_gaps(CHICKEN, [[0, 1], [HALF, HALF]]) == [(HALF, 0), (1, 0)]


def test_the_gap_of_an_average_is_the_average_regret() -> None:
    rng = Random(2)
    for _ in range(30):
        plays = [[random_row(rng, 3) for _ in range(3)] for _ in range(2)]
        law = regret.average_law(plays)
        for player in range(2):
            rewards = [
                regret.own_rewards(RPS, list(pair), player) for pair in zip(*plays, strict=True)
            ]
            assert regret.player_gaps(RPS, law, player) == {
                "external": regret.external(plays[player], rewards)[0] / 3,
                "internal": regret.internal(plays[player], rewards)[0] / 3,
                "swap": regret.swap(plays[player], rewards)[0] / 3,
            }


def test_averages_and_marginals_by_hand() -> None:
    law = regret.average_law([[[1, 0], [0, 1]], [[HALF, HALF], [F(0), F(1)]]])
    assert law == {(0, 0): F(1, 4), (0, 1): F(1, 4), (1, 0): 0, (1, 1): HALF}
    assert regret.marginal(law, 0, 2) == [HALF, HALF]
    assert regret.marginal(law, 1, 2) == [F(1, 4), F(3, 4)]


# --- polytopes


def test_the_correlated_equilibria_of_chicken() -> None:
    """a <= 2b, a <= 2c, 2d <= b, 2d <= c for the laws (a, b, c, d)."""
    wanted = {
        (F(0), F(1), F(0), F(0)),
        (F(0), F(0), F(1), F(0)),
        (HALF, F(1, 4), F(1, 4), F(0)),
        (F(0), F(2, 5), F(2, 5), F(1, 5)),
        (F(4, 9), F(2, 9), F(2, 9), F(1, 9)),
    }
    assert polytopes.vertices(CHICKEN, "ce") == wanted
    assert polytopes.welfare_range(CHICKEN, "ce", (1, 1)) == (F(36, 5), F(21, 2))


def test_a_dual_of_chicken() -> None:
    """12 - 3/4 - 3/4 = 9 + 2 x 3/4 = 21/2, and 0 at (1, 1)."""
    multipliers = {(0, 0, 1): F(3, 4), (1, 0, 1): F(3, 4)}
    assert polytopes.dual_bound(CHICKEN, "ce", (1, 1), multipliers) == F(21, 2)
    assert polytopes.dual_bound(CHICKEN, "ce", (1, 1), {}) == 12
    with pytest.raises(ValueError, match="negative"):
        polytopes.dual_bound(CHICKEN, "ce", (1, 1), {(0, 0, 1): F(-1)})


@pytest.mark.parametrize("concept", ["ce", "cce"])
def test_matching_pennies_has_one_equilibrium_of_either_kind(concept: Any) -> None:
    assert polytopes.vertices(PENNIES, concept) == {(F(1, 4),) * 4}


@pytest.mark.parametrize("concept", ["ce", "cce"])
def test_where_payoffs_are_equal_every_law_is_an_equilibrium(concept: Any) -> None:
    game = dict.fromkeys(product(range(2), range(3)), (1, 1))
    corners = {tuple(F(i == j) for j in range(6)) for i in range(6)}
    assert polytopes.vertices(game, concept) == corners


@pytest.mark.parametrize("concept", ["ce", "cce"])
def test_cutting_and_choosing_find_the_same_vertices(concept: Any) -> None:
    rng = Random(3)
    for _ in range(40):
        game = {p: (rng.randint(-2, 2), rng.randint(-2, 2)) for p in product(range(2), repeat=2)}
        found = polytopes.vertices(game, concept)
        assert found == polytopes.vertices_by_choice(game, concept)
        assert all(polytopes.inside(game, concept, point) for point in found)
        for point in found:
            gap = regret.gaps(game, dict(zip(game, point, strict=True)))[concept]
            assert gap == 0


# --- fixed points


def test_stationary_laws_by_hand() -> None:
    assert fixed_points.extreme_laws([[HALF, HALF], [1, 0]]) == [[F(2, 3), F(1, 3)]]
    e = F(1, 10**10)
    assert fixed_points.extreme_laws([[1 - e, e], [2 * e, 1 - 2 * e]]) == [[F(2, 3), F(1, 3)]]
    assert fixed_points.extreme_laws([[1]]) == [[1]]
    swapped = [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert fixed_points.extreme_laws(swapped) == [[HALF, HALF, 0], [0, 0, 1]]


def test_one_map_among_three_actions() -> None:
    """The source drains; the target and what no map touches stay where they are."""
    P = fixed_points.matrix(3, {(0, 1): HALF}, {})
    assert P == [[HALF, HALF, 0], [0, 1, 0], [0, 0, 1]]
    assert fixed_points.closed_classes(P) == [{1}, {2}]
    assert fixed_points.chosen(P) == [0, 1, 0]
    assert fixed_points.chosen(P, 0) == [0, 1, 0]
    assert fixed_points.chosen(P, 2) == [0, 0, 1]
    assert fixed_points.residual(P, [1, 0, 0]) == 1
    assert fixed_points.residual(P, [0, HALF, HALF]) == 0
    assert fixed_points.is_mixture(P, [F(0), HALF, HALF])
    assert not fixed_points.is_mixture(P, [F(1, 2), HALF, F(0)])


def test_a_constant_map_leaves_one_class() -> None:
    """The columns add to one, too, so that the even law stays."""
    P = fixed_points.matrix(3, {(0, 2): F(1, 4), (1, 0): HALF}, {1: F(1, 4)})
    wanted = [[HALF, F(1, 4), F(1, 4)], [HALF, HALF, 0], [0, F(1, 4), F(3, 4)]]
    assert wanted == P
    assert fixed_points.extreme_laws(P) == [[F(1, 3), F(1, 3), F(1, 3)]]


def test_elimination_and_trees_agree_and_every_law_stays() -> None:
    rng = Random(4)
    one_class = 0
    for _ in range(200):
        size = rng.randint(1, 5)
        P = [random_row(rng, size) for _ in range(size)]
        classes = fixed_points.closed_classes(P)
        assert classes
        for states, law in zip(classes, fixed_points.extreme_laws(P), strict=True):
            assert {i for i in range(size) if law[i]} == states
            assert fixed_points.residual(P, law) == 0
            assert fixed_points.is_mixture(P, law)
        if len(classes) == 1:
            one_class += 1
            assert learners.stationary(P) == fixed_points.chosen(P)
    assert 100 < one_class < 200


def test_the_number_of_trees() -> None:
    for size in range(1, 6):
        assert sum(len(learners.trees(size, r)) for r in range(size)) == size ** (size - 1)


# --- learners


def test_step_sizes_by_hand() -> None:
    assert learners.hedge_rate(2, 8)(5) == sqrt(log(2))
    assert learners.internal_rate(2, 16)(5) == sqrt(log(2))
    assert isclose(learners.copies_rate(2, 16)(5), sqrt(log(2)))
    assert learners.hedge_anytime(2)(4) == sqrt(log(2))
    assert isclose(learners.copies_anytime(2)(8), sqrt(log(2)))
    assert learners.internal_anytime(2)(8) == sqrt(log(2))


def test_hedge_by_hand() -> None:
    plays = list(learners.hedge([[1, 0], [0, 1], [0, 1]], learners.fixed(log(2))))
    assert near(plays[0], [0.5, 0.5])
    assert near(plays[1], [2 / 3, 1 / 3])
    assert near(plays[2], [0.5, 0.5])
    falling = list(learners.hedge([[1, 0]] * 3, lambda t: log(2) / t))
    assert near(falling[1], [sqrt(2) / (1 + sqrt(2)), 1 / (1 + sqrt(2))])
    assert near(falling[2], [2 ** (2 / 3) / (1 + 2 ** (2 / 3)), 1 / (1 + 2 ** (2 / 3))])


def test_best_response_by_hand() -> None:
    plays = learners.best_response([[0, 0, 1], [0, 1, 0], [0, 1, 0]])
    assert list(plays) == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]


def test_regret_matching_by_hand() -> None:
    """Regrets (1/2, -1/2), then (1/2, 1/2)."""
    plays = list(learners.regret_matching([[F(1), F(0)], [F(0), F(1)], [F(0), F(0)]]))
    assert plays == [[HALF, HALF], [1, 0], [HALF, HALF]]
    floats = list(learners.regret_matching([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]))
    assert floats == plays


def test_blum_mansour_by_hand() -> None:
    """Both copies saw (1/2, 0); then 0 saw (1/2, 2/3) and 1 saw (1/2, 1/3), which mirror."""
    plays = list(learners.blum_mansour([[1, 0], [0, 1], [0, 0]], learners.fixed(log(4))))
    assert near(plays[0], [0.5, 0.5])
    assert near(plays[1], [2 / 3, 1 / 3])
    assert near(plays[2], [0.5, 0.5])


def test_algorithm_1_by_hand() -> None:
    """After (1/2, 1/2) and (1, 0), identity, 0 -> 1 and 1 -> 0 have earned 1/2, 0, 1."""
    rate = learners.fixed(2 * log(2))
    plays = list(learners.internal_ftpl([[1, 0], [0, 0]], rate))
    assert near(plays[0], [0.5, 0.5])
    assert near(plays[1], [4 / 5, 1 / 5])
    law = learners.map_law(2, [[0.5, 0.5]], [[1, 0]], 2 * log(2))
    assert list(law) == [None, (0, 1), (1, 0)]
    assert near(list(law.values()), [2 / 7, 1 / 7, 4 / 7])


def test_algorithm_1_with_constant_maps_by_hand() -> None:
    """Priors 1/6, 1/6, 1/6, 1/4, 1/4 times 2, 1, 4, 4, 1."""
    law = learners.map_law(2, [[0.5, 0.5]], [[1, 0]], 2 * log(2), constants=True)
    assert list(law) == [None, (0, 1), (1, 0), (0,), (1,)]
    assert near(list(law.values()), [4 / 29, 2 / 29, 8 / 29, 12 / 29, 3 / 29])
    plays = list(
        learners.internal_ftpl([[1, 0], [0, 0]], learners.fixed(2 * log(2)), constants=True)
    )
    assert near(plays[1], [20 / 25, 5 / 25])


def test_priors_of_maps() -> None:
    for size, constants in product(range(1, 5), (False, True)):
        maps = learners.phi(size, constants)
        assert len(maps) == size * (size - 1) + 1 + size * constants
        assert isclose(sum(prior for prior, _ in maps.values()), 1)
        fixed = [prior for name, (prior, _) in maps.items() if name and len(name) == 1]
        assert isclose(sum(fixed), 0.5 * constants)


def test_nothing_known_means_even_play() -> None:
    for size in range(1, 5):
        even = [1 / size] * size
        blank = [[0.5] * size] * 4
        rate = learners.fixed(0.7)
        for plays in (
            learners.hedge(blank, rate),
            learners.regret_matching(blank),
            learners.blum_mansour(blank, rate),
            learners.internal_ftpl(blank, rate),
            learners.internal_ftpl(blank, rate, constants=True),
        ):
            assert all(near(play, even) for play in plays)


def test_each_round_reads_the_rounds_before_alone() -> None:
    rng = Random(5)
    rewards = [[rng.random() for _ in range(3)] for _ in range(6)]
    other = [*rewards[:3], *([rng.random() for _ in range(3)] for _ in range(3))]
    rate = learners.internal_anytime(3)
    for learn in (learners.hedge, learners.blum_mansour, learners.internal_ftpl):
        before, after = list(learn(rewards, rate)), list(learn(other, rate))
        assert before[:4] == after[:4]
        assert before[4] != after[4]


# --- softmax over sets


def test_subsets_by_hand() -> None:
    actions = softmax.subsets(3, 2)
    assert actions == {(0, 1): [1, 1, 0], (0, 2): [1, 0, 1], (1, 2): [0, 1, 1]}
    z = [log(2), 0.0, 0.0]
    assert isclose(softmax.log_partition(actions, z), log(5))
    assert near(softmax.mean(actions, z), [4 / 5, 3 / 5, 3 / 5])
    assert near(list(softmax.law(actions, z).values()), [2 / 5, 2 / 5, 1 / 5])
    assert softmax.best(actions, z) == [(0, 1), (0, 2)]
    assert softmax.extremes(actions, z) == (0, log(2))


def test_paths_by_hand() -> None:
    edges = [("s", "a"), ("s", "b"), ("a", "t"), ("b", "t"), ("s", "t"), ("a", "b"), ("t", "z")]
    actions = softmax.paths(edges, "s", "t")
    assert list(actions) == [(0, 2), (0, 5, 3), (1, 3), (4,)]
    assert actions[0, 5, 3] == [1, 0, 0, 1, 0, 1, 0]
    assert softmax.nodes(edges, "s", (0, 5, 3)) == ("s", "a", "b", "t")
    assert list(softmax.paths([(0, 1), (0, 1)], 0, 1)) == [(0,), (1,)]
    assert softmax.paths([(0, 1)], 1, 0) == {}


def test_allocations_by_hand() -> None:
    assert softmax.allocations(2, 2) == {
        (0, 2): [1, 0, 0, 0, 0, 1],
        (1, 1): [0, 1, 0, 0, 1, 0],
        (2, 0): [0, 0, 1, 1, 0, 0],
    }
    for fields, troops in product(range(1, 4), range(4)):
        assert len(softmax.allocations(fields, troops)) == comb(troops + fields - 1, fields - 1)


def test_battles_by_hand() -> None:
    assert softmax.battle((2, 0), (1, 1)) == HALF
    assert softmax.battle((2, 0, 1), (1, 1, 1)) == HALF
    assert softmax.battle((3, 0), (1, 2), [F(3), F(1)]) == F(3, 4)
    assert softmax.battle((1, 1), (1, 1), [F(3), F(1)]) == HALF


def test_listed_actions_are_units() -> None:
    actions = softmax.listed(2)
    assert near(softmax.mean(actions, [log(3), 0.0]), [0.75, 0.25])
    assert isclose(softmax.log_partition(actions, [800.0, 800.0]), 800 + log(2))
