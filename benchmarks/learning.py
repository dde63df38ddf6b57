"""10,000 rounds of a 10 x 10 game in self-play beside other libraries, in one run.

    pip install open-spiel quantecon nashpy    # the group "benchmarks" of pyproject.toml
    python benchmarks/learning.py [--rounds T] [--actions N] [--repeats R]

Regret matching: ours compiled (``play_game``), ours through the Python protocol (``play`` and
``observe``, one call each a round), and OpenSpiel's in Python. Fictitious play: ours (BestResponse
against itself) both ways, QuantEcon's and Nashpy's. Ours records every play and observation.
"cold" is the first call of this process, which loads what numba has compiled or compiles it; the
others are medians of further calls, in seconds by the clock. The largest average external regret of
the last run of ours is printed, as a sign that the rounds were played.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from mechanisms.learners import BestResponse, RegretMatching, play_game
from theory.normal_form import NormalFormGame


def ours(kind: Any, game: NormalFormGame, rounds: int, compiled: bool) -> Any:
    learners = [kind(size) for size in game.shape]
    return play_game(game, learners, rounds, compiled=compiled)


def open_spiel(payoffs: list[np.ndarray], rounds: int) -> Any:
    from open_spiel.python.algorithms.regret_matching import regret_matching

    return regret_matching(payoffs, iterations=rounds)


def quantecon(payoffs: list[np.ndarray], rounds: int) -> Any:
    from quantecon.game_theory import FictitiousPlay, NormalFormGame, Player

    game = NormalFormGame((Player(payoffs[0]), Player(payoffs[1].T)))
    return FictitiousPlay(game).play(actions=(0, 0), num_reps=rounds)


def nashpy(payoffs: list[np.ndarray], rounds: int) -> Any:
    import nashpy

    np.random.seed(0)  # noqa: NPY002  (its fictitious play breaks ties with the global state)
    return list(nashpy.Game(*payoffs).fictitious_play(iterations=rounds))[-1]


def timed(work: Callable[[], Any]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def measured(name: str, work: Callable[[], Any], repeats: int, base: float | None) -> float:
    cold = timed(work)
    warm = median(timed(work) for _ in range(repeats))
    ratio = "" if base is None else f"{base / warm:9.1f} times faster"
    print(f"{name:<44} cold {cold:8.4f} s   warm {warm:8.4f} s {ratio}")
    return warm


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--actions", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=7)
    chosen = parser.parse_args()
    rng = np.random.default_rng(0)
    payoffs = [rng.random((chosen.actions, chosen.actions)) for _ in range(2)]
    game = NormalFormGame.bimatrix(*payoffs)
    rounds, repeats = chosen.rounds, chosen.repeats
    print(f"{platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}")
    theirs = partial(open_spiel, payoffs, rounds)
    base = measured("regret matching, OpenSpiel", theirs, repeats, None)
    for compiled in (True, False):
        name = f"regret matching, ours, {'compiled' if compiled else 'through the protocol'}"
        measured(name, partial(ours, RegretMatching, game, rounds, compiled), repeats, base)
    times = [
        measured("fictitious play, QuantEcon", partial(quantecon, payoffs, rounds), repeats, None),
        measured("fictitious play, Nashpy", partial(nashpy, payoffs, rounds), repeats, None),
    ]
    for compiled in (True, False):
        name = f"fictitious play, ours, {'compiled' if compiled else 'through the protocol'}"
        work = partial(ours, BestResponse, game, rounds, compiled)
        measured(f"{name}, to the faster", work, repeats, min(times))
    run = ours(RegretMatching, game, rounds, True)
    worst = max(float(run.regret(player).average_external) for player in (0, 1))
    print(f"largest average external regret of regret matching: {worst:.4f}")


if __name__ == "__main__":
    main()
