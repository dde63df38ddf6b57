"""10,000 rounds of a 10 x 10 game in self-play: regret matching and fictitious play (issue 6).

The game has no equilibrium in pure strategies, so that play never settles. "Compiled" plays the
whole game in one call; "protocol" calls ``play`` and ``observe`` of two Python objects each round.
Ours records every play and observation. What is compared is the average play of both players.
The game of Colonel Blotto is the first that the README plays, in a process of its own (issue 20).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import cache, partial
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.harness import AtLeastTimes, AtMostSeconds, Row, run_python

ROUNDS, ACTIONS, SEED = 10_000, 10, 4
BLOTTO = """
import numpy as np
from mechanisms.learners import InternalFTPL, play_game
from theory.actions import blotto
game = blotto(fields=8, troops=16)
learners = [
    InternalFTPL(actions, rng=np.random.default_rng(seed), samples=20, constants=True)
    for seed, actions in enumerate(game.sets)
]
print(play_game(game, learners, rounds=100).equilibrium_gaps([1, 10, 100]))
"""
CHAOS = 1e-4  # play is chaotic: the last bits of a regret grow into this within 10,000 rounds

Averages = list[np.ndarray]


@cache
def payoffs() -> list[np.ndarray]:
    rng = np.random.default_rng(SEED)
    return [rng.random((ACTIONS, ACTIONS)) for _ in range(2)]


def ours(learner: str, compiled: bool) -> Averages:
    from mechanisms import learners
    from theory.normal_form import NormalFormGame

    game = NormalFormGame.bimatrix(*payoffs())
    both = [getattr(learners, learner)(size) for size in game.shape]
    run = learners.play_game(game, both, ROUNDS, compiled=compiled)
    return [own.plays.mean(axis=0) for own in run.players]


def open_spiel() -> Averages:
    """Its regrets start at 1e-6, which leads chaotic play elsewhere; here they start at 0."""
    from open_spiel.python.algorithms import regret_matching as theirs

    theirs.INITIAL_REGRET_DENOM = 1e300
    return list(theirs.regret_matching(payoffs(), iterations=ROUNDS - 1, gamma=0.0))


def quantecon() -> Averages:
    from quantecon.game_theory import FictitiousPlay, NormalFormGame, Player

    first, second = payoffs()
    game = NormalFormGame((Player(first), Player(second.T)))
    return list(FictitiousPlay(game).play(actions=(0, 0), num_reps=ROUNDS - 1))


def nashpy() -> Averages:
    """Return the last of its play counts, which come round by round."""
    import nashpy

    state = np.random.get_state()  # noqa: NPY002  (its ties are broken by the global state)
    np.random.seed(0)  # noqa: NPY002
    try:
        start = [np.eye(ACTIONS)[0]] * 2
        every = nashpy.Game(*payoffs()).fictitious_play(ROUNDS - 1, play_counts=start)
        counts = deque(every, maxlen=1).pop()
    finally:
        np.random.set_state(state)  # noqa: NPY002
    return [count / ROUNDS for count in counts]


def same_averages(ours: Averages, theirs: Averages) -> str:
    apart = max(float(np.abs(a - b).max()) for a, b in zip(ours, theirs, strict=True))
    return "" if apart <= CHAOS else f"average play is {apart:.1e} apart, more than {CHAOS:.0e}"


def first_blotto() -> str:
    with TemporaryDirectory() as folder:
        return run_python("-c", BLOTTO, NUMBA_CACHE_DIR=folder)


def rows() -> Iterator[Row]:
    for way, compiled, times in ("compiled", True, 50.0), ("protocol", False, 2.0):
        yield Row(
            id=f"learning.regret-matching-{way}",
            issue=6,
            work=f"regret matching, 10 x 10, 10,000 rounds in self-play, {way}",
            ours=partial(ours, "RegretMatching", compiled),
            peer=open_spiel,
            peer_name="OpenSpiel, in Python",
            needs=("open-spiel",),
            agree=same_averages,
            target=AtLeastTimes(times),
            prepare=payoffs,
        )
    peers: tuple[tuple[str, str, Callable[[], Averages]], ...] = (
        ("QuantEcon", "quantecon", quantecon),
        ("Nashpy", "nashpy", nashpy),
    )
    for way, compiled in ("compiled", True), ("protocol", False):
        for name, package, peer in peers:
            yield Row(
                id=f"learning.fictitious-play-{way}-{package}",
                issue=6,
                work=f"fictitious play, 10 x 10, 10,000 rounds, {way}",
                ours=partial(ours, "BestResponse", compiled),
                peer=peer,
                peer_name=name,
                needs=(package,),
                agree=same_averages,
                target=AtLeastTimes(1.0),
                prepare=payoffs,
            )
    yield Row(
        id="learning.first-blotto",
        issue=20,
        work="the first Blotto of a process (8 fields, 16 troops, 100 rounds), nothing compiled",
        ours=first_blotto,
        target=AtMostSeconds(4.0),
        repeats=3,
        cold=False,
    )
