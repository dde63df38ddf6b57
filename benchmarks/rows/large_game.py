"""Games of rank 20 with up to a million actions: a round's cost, and a whole game (issue 6).

Each action is a mixture of 20 types, so that both payoff matrices have rank 20; type k + 1 does
well against type k, for each player by an amount of its own, and most actions are mostly of type
0, so that playing uniformly is a bad idea: its average external regret is above 0.3.

A round is one player's ``play`` and ``observe``, after 100 rounds against observations drawn at
random. Issue 6 asks that its cost grow like the oracle's, no faster: the exponent of a round stands
beside that of one call of the smooth oracle, fitted in the same run. Blum-Mansour must be told the
reward of each action, and holds N x N numbers; beside it stand 16 maps a round, and as many as
there are rounds, which Theorem 4 asks for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.harness import (
    AtLeastTimes,
    AtMostSeconds,
    AtMostValue,
    GrowsNoFaster,
    Growth,
    Row,
    peak_megabytes,
    run_python,
)

TYPES = 20
CONCENTRATION = 0.3
COMMON = 0.8
MAPS = 16
ROUNDS = 1_000
WARM = 100
MILLION = 1_000_000
MEGABYTES = "most megabytes of the process"
LONGEST = 600.0  # seconds


@cache
def large_game(actions: int) -> Any:
    """Return the game; payoffs are within [0, 1], as averages of numbers within it."""
    from theory.actions import BilinearGame

    rng = np.random.default_rng(1)
    sides = mixtures(actions, rng), mixtures(actions, rng)
    return BilinearGame.low_rank(*sides, (form(rng), form(rng).T))


def mixtures(actions: int, rng: np.random.Generator) -> np.ndarray:
    shares = np.full(TYPES, CONCENTRATION * (1 - COMMON) / (TYPES - 1))
    shares[0] = CONCENTRATION * COMMON
    drawn = rng.standard_gamma(shares, size=(actions, TYPES))
    totals = drawn.sum(axis=1)
    drawn[totals < 1e-300, 0] = 1.0
    drawn /= drawn.sum(axis=1, keepdims=True)
    return drawn


def form(rng: np.random.Generator) -> np.ndarray:
    payoffs = rng.uniform(0.35, 0.65, (TYPES, TYPES))
    for k in range(TYPES):
        payoffs[(k + 1) % TYPES, k] = rng.uniform(0.9, 1.0)
        payoffs[k, (k + 1) % TYPES] = rng.uniform(0.0, 0.1)
    return payoffs


def uniform_regret(game: Any, player: int) -> float:
    """Average external regret of uniform play against uniform play: the same each round."""
    means = [actions.mean(np.zeros(actions.dimension)) for actions in game.sets]
    z = game.observation(player, means[1 - player])
    return float(game.sets[player].extremes(z)[1] - means[player] @ z)


# --- one round


def observations(actions: int, rounds: int) -> np.ndarray:
    """Return what the first player observes of a second who plays pure actions at random."""
    game = large_game(actions)
    others = np.random.default_rng(2).integers(actions, size=rounds)
    features = game.sets[1].features(others)
    return np.array([game.observation(0, row) for row in features])


def one_round(learner: Any, given: np.ndarray) -> Callable[[], Any]:
    """Return a function that plays one more round each time."""
    for z in given:
        learner.play()
        learner.observe(z)
    places = iter(range(10**9))

    def more() -> Any:
        played = learner.play()
        learner.observe(given[next(places) % len(given)])
        return played

    return more


def algorithm_1(actions: int, constants: bool, maps: int = MAPS) -> Any:
    from mechanisms.learners import InternalFTPL

    rng = np.random.default_rng(3)
    chosen = large_game(actions).sets[0]
    return InternalFTPL(chosen, rng=rng, samples=maps, constants=constants, rounds=ROUNDS)


def round_of(constants: bool, actions: int) -> Callable[[], Any]:
    return one_round(algorithm_1(actions, constants), observations(actions, WARM))


def round_of_blum_mansour(actions: int) -> Callable[[], Any]:
    from mechanisms.learners import BlumMansour

    return one_round(BlumMansour(actions, rounds=ROUNDS), rewards(actions, 3))


def rewards(actions: int, rounds: int) -> np.ndarray:
    chosen = large_game(actions).sets[0]
    features = chosen.features(range(actions))
    return np.asarray(np.clip(observations(actions, rounds) @ features.T, 0.0, 1.0))


def oracle_call(actions: int) -> Callable[[], Any]:
    chosen, rng = large_game(actions).sets[0], np.random.default_rng(4)
    points = rng.random((WARM, TYPES))
    places = iter(range(10**9))
    chosen.sample(points[0], rng, 1)
    return lambda: chosen.sample(points[next(places) % WARM], rng, 1)


# --- ten rounds of a thousand actions, beside Blum-Mansour

THOUSAND, FEW = 1_000, 10


@cache
def told(kind: str) -> np.ndarray:
    return observations(THOUSAND, FEW) if kind == "features" else rewards(THOUSAND, FEW)


def told_both() -> None:
    for kind in ("features", "rewards"):
        told(kind)


def few_rounds_of_algorithm_1(constants: bool, maps: int) -> tuple[np.ndarray, float]:
    """Return the plays, and the largest residual of their fixed points."""
    learner = algorithm_1(THOUSAND, constants, maps)
    plays = np.zeros((FEW, THOUSAND))
    for row, z in zip(plays, told("features"), strict=True):
        played = learner.play()
        row[list(played.actions)] = played.weights
        learner.observe(z)
    return plays, learner.residual


def few_rounds_of_blum_mansour() -> tuple[np.ndarray, float]:
    from mechanisms.learners import BlumMansour

    learner = BlumMansour(THOUSAND, rounds=ROUNDS)
    plays = np.zeros((FEW, THOUSAND))
    for row, given in zip(plays, told("rewards"), strict=True):
        row[:] = learner.play()
        learner.observe(given)
    return plays, learner.residual


def both_fixed(ours: tuple[np.ndarray, float], theirs: tuple[np.ndarray, float]) -> str:
    """Two algorithms play differently; each must play distributions that are fixed points."""
    for name, (plays, residual) in ("ours", ours), ("Blum-Mansour", theirs):
        if np.abs(plays.sum(axis=1) - 1.0).max() > 1e-9 or plays.min() < 0.0:
            return f"what {name} plays are no distributions"
        if not residual <= 1e-9:
            return f"what {name} plays are no fixed points: the residual is {residual:.1e}"
    return ""


# --- a whole game of a million actions


def whole_game(actions: int, rounds: int) -> Any:
    """Return the run of two learners with constant maps."""
    from mechanisms.learners import InternalFTPL, play_game

    game = large_game(actions)
    learners = [
        InternalFTPL(
            chosen,
            rng=np.random.default_rng([player, MAPS]),
            samples=MAPS,
            constants=True,
            rounds=rounds,
        )
        for player, chosen in enumerate(game.sets)
    ]
    return play_game(game, learners, rounds)


def played_and_measured(actions: int, rounds: int) -> dict[str, float]:
    """Return the larger regret of the two players, and the most memory of this process so far.

    Raises
    ------
    ArithmeticError
        When playing uniformly is no bad idea.
    """
    run = whole_game(actions, rounds)
    uniform = min(uniform_regret(run.game, player) for player in (0, 1))
    if uniform < 0.3:
        raise ArithmeticError(f"the regret of uniform play is {uniform}")
    found = [run.regret(player) for player in (0, 1)]
    return {
        "average external regret": max(float(own.average_external) for own in found),
        "average internal regret": max(float(own.average_internal) for own in found),
        **({} if (most := peak_megabytes()) is None else {MEGABYTES: most}),
    }


def in_a_process(actions: int = MILLION, rounds: int = ROUNDS) -> dict[str, float]:
    """The same in a process of its own, so that nothing else counts as memory; done once."""
    told = "import json; from benchmarks.rows import large_game as at; "
    told += f"print(json.dumps(at.played_and_measured({actions}, {rounds})))"
    return dict(json.loads(run_python("-c", told, limit=LONGEST)))


def both_in_the_set(ours: Any, theirs: Any) -> str:
    """A round plays a mixed strategy, the oracle draws one action: both must be of the set."""
    known = range(ours.size)
    strange = [action for action in (*ours.actions, *theirs) if action not in known]
    return f"{strange[0]!r} is no action" if strange else ""


def rows() -> Iterator[Row | Growth]:
    sizes = tuple(10**power for power in range(2, 7))
    for name, constants in ("algorithm-1", False), ("constant-maps", True):
        kind = "Algorithm 1 with constant maps" if constants else "Algorithm 1"
        yield Growth(
            id=f"large-game.{name}-growth",
            issue=6,
            work=f"a round of {kind}, rank 20, 16 maps, in the number of actions",
            sizes=sizes,
            ours=partial(round_of, constants),
            peer=oracle_call,
            peer_name="one call of the smooth oracle",
            agree=both_in_the_set,
            target=GrowsNoFaster(),
            repeats=31,
            quick=False,
        )
    yield Growth(
        id="large-game.blum-mansour-growth",
        issue=6,
        work="a round of Blum-Mansour, in the number of actions",
        sizes=(100, 300, 1_000, 3_000),
        ours=round_of_blum_mansour,
        ours_name="ours (Blum-Mansour)",
        repeats=5,
        quick=False,
    )
    times = AtLeastTimes(100.0)
    for name, constants, maps, target in (
        ("blum-mansour-16-maps", False, MAPS, times),
        ("blum-mansour-16-maps-constant", True, MAPS, None),
        ("blum-mansour-1000-maps", False, ROUNDS, times),
        ("blum-mansour-1000-maps-constant", True, ROUNDS, None),
    ):
        kind = "Algorithm 1 with constant maps" if constants else "Algorithm 1"
        yield Row(
            id=f"large-game.{name}",
            issue=6,
            work=f"ten rounds of {kind}, 1,000 actions, {maps:,} maps a round",
            ours=partial(few_rounds_of_algorithm_1, constants, maps),
            peer=few_rounds_of_blum_mansour,
            peer_name="Blum-Mansour, ours",
            agree=both_fixed,
            target=target,
            prepare=told_both,
            repeats=5,
        )
    yield Row(
        id="large-game.million",
        issue=6,
        work="a million actions a player, 1,000 rounds of self-play, regrets measured, a whole "
        "process, once",
        ours=in_a_process,
        target=(
            AtMostSeconds(300.0),
            AtMostValue("average external regret", 0.1),
            AtMostValue("average internal regret", 0.1),
            AtMostValue(MEGABYTES, 1_000.0),
        ),
        values=dict,
        repeats=0,
        cold=False,
        quick=False,
    )
