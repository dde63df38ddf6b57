"""A general-sum game with a million actions a player, played to low regret; and a round's cost.

    python benchmarks/large_game.py [--actions N] [--rounds T] [--samples M] [--growth]

Each action is a mixture of 20 types, so that both payoff matrices have rank 20; type k + 1 does
well against type k, for each player by an amount of its own, and most actions are mostly of type
0, so that playing uniformly is a bad idea. Both players learn with InternalFTPL and constant maps.
The program prints the regret of uniform play against uniform play, then the measured regrets of
the learners with the time that playing and measuring took, and the largest memory of the process.
With --growth it measures a round of Algorithm 1, with and without constant maps, as the number of
actions grows, beside the smooth oracle's single call and Blum-Mansour's as far as that can go.
"""

from __future__ import annotations

import argparse
import platform
import resource
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from mechanisms.learners import BlumMansour, InternalFTPL, play_game
from theory.actions import BilinearGame

TYPES = 20
CONCENTRATION = 0.3
COMMON = 0.8
BLUM_MANSOUR = 3_000


def large_game(actions: int, rng: np.random.Generator) -> BilinearGame:
    """The game; payoffs are within [0, 1], as averages of numbers within it."""
    return BilinearGame.low_rank(
        mixtures(actions, rng), mixtures(actions, rng), (form(rng), form(rng).T)
    )


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


def uniform_regret(game: BilinearGame, player: int) -> float:
    """Average external regret of uniform play against uniform play: the same each round."""
    means = [actions.mean(np.zeros(actions.dimension)) for actions in game.sets]
    z = game.observation(player, means[1 - player])
    return float(game.sets[player].extremes(z)[1] - means[player] @ z)


def learners(game: BilinearGame, rounds: int, samples: int, constants: bool) -> list[InternalFTPL]:
    return [
        InternalFTPL(
            actions,
            rng=np.random.default_rng([player, samples]),
            samples=samples,
            constants=constants,
            rounds=rounds,
        )
        for player, actions in enumerate(game.sets)
    ]


def played(actions: int, rounds: int, samples: int) -> None:
    game = large_game(actions, np.random.default_rng(1))
    regrets = [uniform_regret(game, player) for player in (0, 1)]
    print(f"uniform play: average external regret {regrets[0]:.3f} and {regrets[1]:.3f}")
    start = perf_counter()
    run = play_game(game, learners(game, rounds, samples, constants=True), rounds)
    print(f"{rounds:,} rounds played in {perf_counter() - start:.1f} s")
    start = perf_counter()
    for player in (0, 1):
        print(run.regret(player))
    print(f"measured in {perf_counter() - start:.1f} s; peak memory {peak():,.0f} MB")


def peak() -> float:
    kilobyte = 1 if platform.system() == "Darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * kilobyte / 1e6


def growth(largest: int, samples: int, rounds: int) -> None:
    row = "{:>9}  {:>12}  {:>12}  {:>14}  {:>12}"
    print(row.format("actions", "oracle call", "Algorithm 1", "with constants", "Blum-Mansour"))
    actions = 100
    while actions <= largest:
        game = large_game(actions, np.random.default_rng(actions))
        times = [per_round(oracle_calls(game, rounds))]
        for constants in (False, True):
            both = learners(game, rounds, samples, constants)
            times.append(per_round(self_play(game, both, rounds)))
        if actions <= BLUM_MANSOUR:
            times.append(per_round(blum_mansour(game, 10)))
        cells = [f"{1000 * seconds:.3f} ms" for seconds in times]
        print(row.format(f"{actions:,}", *cells, *[""] * (4 - len(cells))))
        actions *= 10


def per_round(times: list[float]) -> float:
    return median(times[len(times) // 2 :])


def oracle_calls(game: BilinearGame, calls: int) -> list[float]:
    rng = np.random.default_rng(0)
    times = []
    for _ in range(calls):
        z = rng.random(TYPES)
        start = perf_counter()
        game.sets[0].sample(z, rng, 1)
        times.append(perf_counter() - start)
    return times


def self_play(game: BilinearGame, both: list[Any], rounds: int) -> list[float]:
    """Seconds of a round of one player: play and observe, the observation being given."""
    times = []
    for _ in range(rounds):
        start = perf_counter()
        plays = [learner.play() for learner in both]
        between = perf_counter()
        features = [x.features(actions) for x, actions in zip(plays, game.sets, strict=True)]
        given = [game.observation(player, features[1 - player]) for player in (0, 1)]
        after = perf_counter()
        for learner, z in zip(both, given, strict=True):
            learner.observe(z)
        times.append((perf_counter() - after + between - start) / 2)
    return times


def blum_mansour(game: BilinearGame, rounds: int) -> list[float]:
    """The same of Blum-Mansour, which must be told the reward of each action."""
    rng = np.random.default_rng(0)
    learner = BlumMansour(game.sets[0].size, rounds=rounds)
    times = []
    for _ in range(rounds):
        rewards = game.sets[0].features(range(game.sets[0].size)) @ (rng.random(TYPES) * 0.9)
        start = perf_counter()
        learner.play()
        learner.observe(rewards)
        times.append(perf_counter() - start)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--actions", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=1_000)
    parser.add_argument("--samples", type=int, default=16)
    parser.add_argument("--growth", action="store_true")
    chosen = parser.parse_args()
    print(f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}")
    if chosen.growth:
        growth(chosen.actions, chosen.samples, min(chosen.rounds, 200))
    else:
        played(chosen.actions, chosen.rounds, chosen.samples)


if __name__ == "__main__":
    main()
