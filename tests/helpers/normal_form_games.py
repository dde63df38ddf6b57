"""Games in normal form for the tests: known ones, random ones, and what can be done to them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

from theory.normal_form import NormalFormGame

NAMES = st.text('ab "\\\n\t{},0é∀\U0001f3b2', max_size=4)
NUMBERS = st.builds(Fraction, st.integers(-6, 6), st.sampled_from([1, 1, 2, 3, 10]))


def chicken() -> NormalFormGame:
    """Aumann (1974): to yield or to dare."""
    return NormalFormGame.bimatrix(
        [[6, 2], [7, 0]],
        [[6, 7], [2, 0]],
        players=["Ann", "Bob"],
        actions=[["yield", "dare"]] * 2,
        title="Chicken",
    )


def fractions(values: Any, shape: Sequence[int]) -> np.ndarray:
    """Return numbers as an array of fractions."""
    flat = list(map(Fraction, values))
    array = np.empty(len(flat), dtype=object)
    array[:] = flat
    return array.reshape(tuple(shape))


def tensors(game: NormalFormGame) -> list[np.ndarray]:
    """Return each player's payoffs as an array of their own kind of number."""
    rows = [game.payoffs[p].scalars() for p in range(len(game.players))]
    if game.exact:
        return [fractions(row, game.shape) for row in rows]
    return [np.array(row).reshape(game.shape) for row in rows]


@st.composite
def shapes(draw: st.DrawFn, players: int = 3, actions: int = 3) -> tuple[int, ...]:
    count = draw(st.integers(1, players))
    return tuple(draw(st.integers(1, actions)) for _ in range(count))


@st.composite
def games(
    draw: st.DrawFn, shape: Any = None, numbers: st.SearchStrategy[Fraction] = NUMBERS
) -> NormalFormGame:
    """Exact games of one to three players with up to three actions each."""
    shape = draw(shapes() if shape is None else shape)
    cells = int(np.prod(shape))
    rows = [draw(st.lists(numbers, min_size=cells, max_size=cells)) for _ in shape]
    return NormalFormGame.of([fractions(row, shape) for row in rows])


@st.composite
def named(draw: st.DrawFn) -> NormalFormGame:
    """Games whose players and actions have odd names."""
    game = draw(games())
    players = draw(st.lists(NAMES, min_size=len(game.shape), max_size=len(game.shape), unique=True))
    actions = [draw(st.lists(NAMES, min_size=n, max_size=n, unique=True)) for n in game.shape]
    return NormalFormGame.of(tensors(game), players=players, actions=actions, title=draw(NAMES))


@st.composite
def weights(draw: st.DrawFn, count: int) -> list[Fraction]:
    """Rational distributions with zeros among them."""
    drawn = draw(st.lists(st.integers(0, 4), min_size=count, max_size=count))
    drawn[draw(st.integers(0, count - 1))] += 1
    return [Fraction(w, sum(drawn)) for w in drawn]


@st.composite
def played(draw: st.DrawFn) -> tuple[NormalFormGame, np.ndarray]:
    """A game and a joint distribution of its shape."""
    game = draw(games())
    return game, fractions(draw(weights(int(np.prod(game.shape)))), game.shape)


@st.composite
def mixed(draw: st.DrawFn) -> tuple[NormalFormGame, list[list[Fraction]]]:
    """A game and a mixed strategy for each player."""
    game = draw(games())
    return game, [draw(weights(n)) for n in game.shape]


def joint_of(strategies: Sequence[Sequence[Fraction]]) -> np.ndarray:
    """Return the product distribution."""
    joint = np.array(1, dtype=object)
    for row in strategies:
        joint = np.multiply.outer(joint, fractions(row, (len(row),)))
    return joint
