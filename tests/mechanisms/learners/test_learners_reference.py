"""Learners against the same rules in plain Python, one round at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from fractions import Fraction
from itertools import product
from math import log, sqrt
from random import Random
from typing import Any

import learning_cases
import numpy as np
import pytest
from reference import learners as oracle
from reference import regret as regrets
from reference import softmax

from mechanisms.learners import (
    FTPL,
    ActionOracle,
    BestResponse,
    BlumMansour,
    CallableOracle,
    Hedge,
    History,
    InternalFTPL,
    RegretMatching,
    play_against,
    play_game,
    regret_bound,
)
from theory.actions import ActionSet, Features, ListedActions, SparseStrategy, Subsets
from theory.errors import InvalidInputError
from theory.normal_form import NormalFormGame

Rows = list[list[float]]
Rule = Callable[[Rows], Iterator[list[Any]]]


def plays_of(learner: Any, rewards: Rows) -> Rows:
    found = []
    for row in rewards:
        found.append(np.asarray(learner.play()).tolist())
        learner.observe(np.array(row))
    return found


def close(found: Any, wanted: Any, within: float = 1e-12) -> bool:
    return bool(np.allclose(found, np.array(wanted, dtype=float), rtol=0, atol=within))


def drawn(seed: int, number: int, largest: int = 5, rounds: int = 12) -> Iterator[Rows]:
    rng = Random(seed)
    for _ in range(number):
        yield learning_cases.unit_rewards(rng, rng.randint(1, largest), rng.randint(1, rounds))


# --- the same plays


def hedge(size: int, rounds: int) -> list[tuple[Any, Rule]]:
    return [
        (Hedge(size), lambda r: oracle.hedge(r, oracle.hedge_anytime(size))),
        (Hedge(size, rounds=rounds), lambda r: oracle.hedge(r, oracle.hedge_rate(size, rounds))),
        (Hedge(size, rate=0.7), lambda r: oracle.hedge(r, oracle.fixed(0.7))),
        (Hedge(size, rate=300.0), lambda r: oracle.hedge(r, oracle.fixed(300.0))),
    ]


def blum_mansour(size: int, rounds: int) -> list[tuple[Any, Rule]]:
    best = oracle.copies_rate(size, rounds)
    return [
        (BlumMansour(size), lambda r: oracle.blum_mansour(r, oracle.copies_anytime(size))),
        (BlumMansour(size, rounds=rounds), lambda r: oracle.blum_mansour(r, best)),
        (BlumMansour(size, rate=1.3), lambda r: oracle.blum_mansour(r, oracle.fixed(1.3))),
    ]


def internal(size: int, rounds: int) -> list[tuple[Any, Rule]]:
    best = oracle.internal_rate(size, rounds)
    return [
        (InternalFTPL(size), lambda r: oracle.internal_ftpl(r, oracle.internal_anytime(size))),
        (InternalFTPL(size, rounds=rounds), lambda r: oracle.internal_ftpl(r, best)),
        (InternalFTPL(size, rate=1.3), lambda r: oracle.internal_ftpl(r, oracle.fixed(1.3))),
        (
            InternalFTPL(size, rate=1.3, constants=True),
            lambda r: oracle.internal_ftpl(r, oracle.fixed(1.3), constants=True),
        ),
    ]


@pytest.mark.parametrize(
    ("make", "number", "largest"), [(hedge, 30, 5), (blum_mansour, 20, 4), (internal, 20, 4)]
)
def test_plays_follow_the_rule(make: Any, number: int, largest: int) -> None:
    for rewards in drawn(1, number, largest):
        for learner, rule in make(len(rewards[0]), len(rewards)):
            assert close(plays_of(learner, rewards), list(rule(rewards)))


def test_planted_faults_are_seen() -> None:
    """A rate that is off by a millionth, and learners that follow another rule."""
    rewards = [[0.0, 0.25, 1.0], [1.0, 0.5, 0.0], [0.75, 0.0, 0.0], [0.0, 1.0, 0.0]]
    off = list(oracle.hedge(rewards, oracle.fixed(0.7 * (1 + 1e-6))))
    assert not close(plays_of(Hedge(3, rate=0.7), rewards), off)
    plain = list(oracle.internal_ftpl(rewards, oracle.fixed(1.3)))
    assert not close(plays_of(InternalFTPL(3, rate=1.3, constants=True), rewards), plain)
    assert not close(plays_of(BlumMansour(3, rate=1.3), rewards), plain)


def exact(rewards: Rows) -> list[list[Fraction]]:
    return [[Fraction(x) for x in row] for row in rewards]


def test_regret_matching_follows_the_rule_in_fractions() -> None:
    """Regrets that are exactly zero are among them, and rounding must not turn them positive."""
    for rewards in drawn(2, 200, rounds=10):
        wanted = oracle.regret_matching(exact(rewards))
        assert close(plays_of(RegretMatching(len(rewards[0])), rewards), list(wanted), 1e-9)


def test_the_best_response_is_the_first_of_the_best() -> None:
    for rewards in drawn(3, 200):
        wanted = list(oracle.best_response(exact(rewards)))
        assert plays_of(BestResponse(len(rewards[0])), rewards) == wanted


def test_ties_of_tenths_are_ties() -> None:
    """0.1 + 0.2 leads 0.3 in float64; the rules are followed as if tenths were exact."""
    rng = Random(11)
    for _ in range(100):
        size = rng.randint(2, 4)
        tenths = [[rng.randint(0, 3) for _ in range(size)] for _ in range(rng.randint(2, 10))]
        rewards = [[x / 10 for x in row] for row in tenths]
        wanted = [[Fraction(x, 10) for x in row] for row in tenths]
        found = plays_of(BestResponse(size), rewards)
        assert found == list(oracle.best_response(wanted))
        matched = list(oracle.regret_matching(wanted))
        assert close(plays_of(RegretMatching(size), rewards), matched, 1e-9)


@pytest.mark.parametrize("low", [-3.0, 0.0, 5.0])
def test_ranges_of_rewards_are_mapped_to_the_unit_interval(low: float) -> None:
    width = 4.0
    makers: list[Callable[..., Any]] = [Hedge, BlumMansour, InternalFTPL, RegretMatching]
    for rewards in drawn(4, 12, 3, 6):
        moved = [[low + width * x for x in row] for row in rewards]
        for make in (*makers, BestResponse):
            size = len(rewards[0])
            found = plays_of(make(size, reward_range=(low, low + width)), moved)
            assert close(found, plays_of(make(size), rewards), 1e-9)


# --- draws


class Tally:
    """Pearson's statistic over many cases."""

    def __init__(self) -> None:
        self.statistic, self.degrees = 0.0, 0

    def add(self, counts: Sequence[int], law: Sequence[float]) -> None:
        draws = sum(counts)
        assert all(count == 0 for count, p in zip(counts, law, strict=True) if p < 1e-12)
        likely = [(c, p) for c, p in zip(counts, law, strict=True) if p * draws >= 10]
        self.statistic += sum((c - draws * p) ** 2 / (draws * p) for c, p in likely)
        self.degrees += len(likely) - 1

    def fits(self) -> bool:
        assert self.degrees > 30
        return abs(self.statistic - self.degrees) < 5 * sqrt(2 * self.degrees)


def test_leaders_under_gumbel_noise_follow_the_softmax() -> None:
    draws, tally = 3000, Tally()
    for number, rewards in enumerate(drawn(5, 10, 5, 4)):
        random = np.random.default_rng(number)
        found = plays_of(FTPL(len(rewards[0]), rng=random, samples=draws, rate=0.9), rewards)
        for play, law in zip(found, oracle.hedge(rewards, oracle.fixed(0.9)), strict=True):
            tally.add([round(draws * x) for x in play], law)
    assert tally.fits()


def listed(rng: Random) -> tuple[ActionSet, dict[Any, list[Any]]]:
    size = rng.randint(1, 5)
    return ListedActions(size), softmax.listed(size)


def rows(rng: Random) -> tuple[ActionSet, dict[Any, list[Any]]]:
    matrix = [[rng.randrange(4) / 4 for _ in range(2)] for _ in range(rng.randint(1, 4))]
    return Features(np.array([*matrix, matrix[0]])), dict(enumerate([*matrix, matrix[0]]))


def subsets(rng: Random) -> tuple[ActionSet, dict[Any, list[Any]]]:
    n = rng.randint(1, 4)
    k = rng.randint(1, n)
    return Subsets(n, k), softmax.subsets(n, k)


SETS = pytest.mark.parametrize("draw", [listed, rows, subsets], ids=lambda draw: draw.__name__)


def past(
    rng: Random, actions: ActionSet, table: dict[Any, list[Any]], rounds: int
) -> tuple[History, list[list[Fraction]], Rows]:
    """A history with sparse plays, and its plays and rewards as rows."""
    history, plays, rewards = History(), [], []
    for _ in range(rounds):
        z = learning_cases.unit_rewards(rng, actions.dimension, 1)[0]
        play = learning_cases.law(rng, len(table))
        weights = {a: float(x) for a, x in zip(table, play, strict=True) if x}
        history.append(SparseStrategy.of(weights, len(table)), np.array(z))
        plays.append(play)
        rewards.append(list(softmax.scores(table, z).values()))
    return history, plays, rewards


def test_a_law_that_is_off_does_not_fit() -> None:
    tally = Tally()
    for _ in range(20):
        tally.add([1000, 1000, 1000], [0.4, 0.3, 0.3])
    assert not tally.fits()


@SETS
@pytest.mark.parametrize("constants", [False, True])
def test_maps_drawn_follow_the_law(draw: Any, constants: bool) -> None:
    rng, tally, draws = Random(6), Tally(), 1500
    for number in range(24):
        actions, table = draw(rng)
        history, plays, rewards = past(rng, actions, table, rng.randint(0, 4))
        rate = rng.choice((0.3, 1.0, 4.0))
        found = ActionOracle(actions).smooth_best_maps(
            history, rate=rate, rng=np.random.default_rng(number), n=draws, constants=constants
        )
        law = oracle.map_law(len(table), plays, rewards, rate, constants)
        counts = counted(found, list(table), law)
        assert sum(counts) == draws
        if len(table) > 1:  # the identity of one action is its constant map, too
            tally.add(counts, list(law.values()))
    assert tally.fits()


def counted(found: Any, names: list[Any], law: dict[tuple[int, ...] | None, float]) -> list[int]:
    """How often each map of a law was drawn."""
    return [
        found.identity
        if name is None
        else found.constants.get(names[name[0]], 0)
        if len(name) == 1
        else found.moves.get((names[name[0]], names[name[1]]), 0)
        for name in law
    ]


@SETS
@pytest.mark.parametrize("rates", [(4.0, 2.0, 1.0, 0.5), (0.5, 1.0, 2.0, 4.0)], ids=["down", "up"])
def test_maps_drawn_follow_the_law_as_a_history_grows(draw: Any, rates: tuple[float, ...]) -> None:
    """Rows that were weighed at one rate are played again, and drawn at another one."""
    rng, tally, draws = Random(8), Tally(), 1500
    for number in range(8):
        actions, table = draw(rng)
        while len(table) < 3:
            actions, table = draw(rng)
        whole, plays, rewards = past(rng, actions, table, 3 * len(rates))
        oracle_of_maps, history, random = (
            ActionOracle(actions),
            History(),
            np.random.default_rng(number),
        )
        for step, rate in enumerate(rates, 1):
            for given in whole.since(3 * (step - 1))[:3]:
                history.append(given.play, given.observation)
            found = oracle_of_maps.smooth_best_maps(history, rate=rate, rng=random, n=draws)
            law = oracle.map_law(len(table), plays[: 3 * step], rewards[: 3 * step], rate)
            tally.add(counted(found, list(table), law), list(law.values()))
    assert tally.fits()


@SETS
def test_best_maps_gain_most(draw: Any) -> None:
    rng, moved = Random(7), 0
    for _ in range(60):
        actions, table = draw(rng)
        history, plays, rewards = past(rng, actions, table, rng.randint(1, 5))
        gain, _ = regrets.internal(plays, [[Fraction(x) for x in row] for row in rewards])
        names = list(table)
        by_hand = CallableOracle(
            lambda given, table=table: first_best(given, table),
            size=len(table),
            contains=table.__contains__,
            payoff=lambda a, z, table=table: float(sum(np.array(table[a]) * z)),
        )
        for found in (ActionOracle(actions).best_map(history), by_hand.best_map(history)):
            if gain > 1e-12:
                assert found is not None
                i, j = (names.index(a) for a in found)
                single = regrets.single(len(names), i, j)
                assert abs(regrets.gain(plays, rewards, single) - gain) <= 1e-12
                moved += 1
            elif found is not None:
                i, j = (names.index(a) for a in found)
                single = regrets.single(len(names), i, j)
                assert abs(regrets.gain(plays, rewards, single)) <= 1e-12
    assert moved > 25


def first_best(history: History, table: dict[Any, list[Any]]) -> Any:
    rounds = history.since(0)
    worth = {
        a: sum(given.weight * float(sum(np.array(row) * given.observation)) for given in rounds)
        for a, row in table.items()
    }
    return max(worth, key=lambda a: worth[a])


@pytest.mark.parametrize("constants", [False, True])
def test_algorithm_1_with_many_samples_is_near_its_limit(constants: bool) -> None:
    for number, rewards in enumerate(drawn(8, 5, 3, 3)):
        random = np.random.default_rng(number)
        sampled = InternalFTPL(
            len(rewards[0]), rng=random, samples=10_000, rate=1.5, constants=constants
        )
        wanted = oracle.internal_ftpl(rewards, oracle.fixed(1.5), constants)
        assert close(plays_of(sampled, rewards), list(wanted), 0.04)


# --- regret and its bounds


def bounds(size: int, rounds: int) -> Iterator[tuple[Any, str, float]]:
    """The bounds that hold pathwise, by the formulas."""
    n, t, e = log(size), rounds, 0.3
    yield Hedge(size, rounds=t), "external", sqrt(t * n / 2)
    yield Hedge(size), "external", sqrt(t * n)
    yield Hedge(size, rate=e), "external", n / e + e * t / 8
    yield RegretMatching(size), "external", sqrt(t * (size - 1))
    for kind in ("external", "internal", "swap"):
        yield BlumMansour(size, rounds=t), kind, sqrt(size * t * n / 2)
        yield BlumMansour(size), kind, sqrt(size * t * n)
        yield BlumMansour(size, rate=e), kind, size * n / e + e * t / 8
    for kind, times in (("internal", 1), ("external", size - 1), ("swap", size)):
        yield InternalFTPL(size, rounds=t), kind, times * sqrt(t * n)
    yield InternalFTPL(size), "internal", sqrt(2 * t * n)
    yield InternalFTPL(size, rate=e), "internal", 2 * n / e + e * t / 8
    both = InternalFTPL(size, rate=e, constants=True)
    yield both, "external", log(2 * size) / e + e * t / 8
    yield both, "internal", log(2 * size**2) / e + e * t / 8
    for kind in ("external", "internal"):
        worst = log(2 * size**2)
        yield InternalFTPL(size, rounds=t, constants=True), kind, sqrt(t * worst / 2)
        yield InternalFTPL(size, constants=True), kind, sqrt(t * worst)


def test_bounds_are_no_worse_than_the_formulas() -> None:
    """Ties of floats may add 1e-12 a round."""
    for size, rounds in product((2, 3, 10, 1000), (1, 7, 10_000)):
        for learner, kind, wanted in bounds(size, rounds):
            found = regret_bound(learner, rounds, kind=kind)
            assert found.holds == "pathwise"
            assert found.value <= wanted * (1 + 1e-12) + 1e-12 * rounds
            assert abs(found.value - sum(value for _, value in found.terms)) <= 1e-12 * wanted


def against_play(size: int) -> Callable[[np.ndarray], np.ndarray]:
    """The likeliest action earns nothing."""
    return lambda play: (np.arange(size) != play.argmax()).astype(float)


def bandwagon(size: int) -> Callable[[np.ndarray], np.ndarray]:
    return lambda play: (np.arange(size) == play.argmin()).astype(float)


def falling(size: int) -> Callable[[np.ndarray], np.ndarray]:
    return lambda play: 1 - play


def test_regret_against_opponents_keeps_its_bounds() -> None:
    tight = 0.0
    for size, rounds in ((2, 30), (3, 15)):
        for opponent in (against_play(size), bandwagon(size), falling(size)):
            for made, kind, _ in bounds(size, rounds):
                learner = deepcopy(made)  # the same one may stand for several kinds
                run = play_against(learner, opponent, rounds, actions=size)
                plays = run.players[0].plays.tolist()
                rewards = run.players[0].observations.tolist()
                measured = {
                    "external": regrets.external(plays, rewards)[0],
                    "internal": regrets.internal(plays, rewards)[0],
                    "swap": sum(
                        w * rate for w, _, rate in regrets.conditional(plays, rewards).values()
                    ),
                }[kind]
                bound = regret_bound(learner, rounds, kind=kind).value
                assert measured <= bound
                tight = max(tight, measured / bound)
    assert tight > 0.5


def test_what_has_no_bound_says_so() -> None:
    with pytest.raises(InvalidInputError):
        regret_bound(BestResponse(3), 10)
    with pytest.raises(InvalidInputError):
        regret_bound(Hedge(3), 10, kind="internal")


# --- runs


def test_scripted_rewards_and_their_regret() -> None:
    for rewards in drawn(9, 15, 4, 8):
        size, rounds = len(rewards[0]), len(rewards)
        run = play_against(Hedge(size, rate=0.9), np.array(rewards), rounds, actions=size)
        plays = list(oracle.hedge(rewards, oracle.fixed(0.9)))
        assert close(run.players[0].plays, plays)
        assert close(run.players[0].observations, rewards, 0)
        found = run.regret()
        assert abs(found.external.gain - regrets.external(plays, rewards)[0]) <= 1e-12
        assert abs(found.internal.gain - regrets.internal(plays, rewards)[0]) <= 1e-12
        series = run.series(rounds=range(1, rounds + 1))
        for t in range(1, rounds + 1):
            external = regrets.external(plays[:t], rewards[:t])[0]
            assert abs(series.regret[t - 1] - external) <= 1e-12
            bound = log(size) / 0.9 + 0.9 * t / 8
            assert abs(series.bound[t - 1] - bound * (size > 1)) <= 1e-12


RULES: dict[str, tuple[Callable[[int], Any], Callable[[int], Rule]]] = {
    "hedge": (Hedge, lambda n: lambda r: oracle.hedge(r, oracle.hedge_anytime(n))),
    "matching": (RegretMatching, lambda n: oracle.regret_matching),
    "response": (BestResponse, lambda n: oracle.best_response),
    "copies": (
        BlumMansour,
        lambda n: lambda r: oracle.blum_mansour(r, oracle.copies_anytime(n)),
    ),
    "maps": (
        InternalFTPL,
        lambda n: lambda r: oracle.internal_ftpl(r, oracle.internal_anytime(n)),
    ),
}


@pytest.mark.parametrize("compiled", [None, False])
@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (3, 1), (2, 2, 2)])
def test_games_are_played_round_by_round(shape: tuple[int, ...], compiled: bool | None) -> None:
    """Every player's rule is asked again in each round, with the rewards that came before."""
    rng = Random(10)
    for _ in range(4):
        table = {
            profile: tuple(rng.randrange(5) / 4 for _ in shape)
            for profile in product(*map(range, shape))
        }
        names = [rng.choice(list(RULES)) for _ in shape]
        rounds = 6
        plays: list[list[list[Any]]] = [[] for _ in shape]
        rewards: list[Rows] = [[] for _ in shape]
        for _ in range(rounds):
            now = []
            for player, size in enumerate(shape):
                rule = RULES[names[player]][1](size)
                now.append(list(rule([*rewards[player], [0.0] * size]))[-1])
            for player in range(len(shape)):
                plays[player].append(now[player])
                rewards[player].append(regrets.own_rewards(table, now, player))
        payoffs = [
            np.array(learning_cases.nested({a: u[p] for a, u in table.items()}, shape))
            for p in range(len(shape))
        ]
        run = play_game(
            NormalFormGame.of(payoffs),
            [RULES[name][0](size) for name, size in zip(names, shape, strict=True)],
            rounds,
            compiled=compiled,
        )
        for player in range(len(shape)):
            assert close(run.players[player].plays, plays[player], 1e-9), names
            assert close(run.players[player].observations, rewards[player], 1e-9)
        gaps = run.equilibrium_gaps([rounds])
        wanted = regrets.gaps(table, regrets.average_law(plays))
        assert close([gaps.cce[0], gaps.ce[0]], [wanted["cce"], wanted["ce"]], 1e-9)
