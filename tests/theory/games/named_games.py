"""Random games whose players, sets, moves, nodes and outcomes have odd names."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from theory.games import Game, Tree, chance, choice, end

NAMES = st.text('ab "\\\n\t{},0é∀\U0001f3b2', max_size=4)
NUMBERS = st.builds(Fraction, st.integers(-5, 5), st.sampled_from([1, 2, 3, 10]))


@st.composite
def named_games(draw: st.DrawFn) -> Game:
    """Small games whose sets come from a short list, so that sets of many nodes are common."""
    players = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    moves = st.lists(NAMES, min_size=1, max_size=3, unique=True)
    keys = st.tuples(st.sampled_from(players), NAMES)
    pool = draw(st.dictionaries(keys, moves, min_size=1, max_size=4))
    payoffs = st.lists(NUMBERS, min_size=len(players), max_size=len(players))

    def tree(depth: int) -> Tree:
        about = {"outcome": draw(st.just("") | NAMES), "name": draw(st.just("") | NAMES)}
        kind = draw(st.sampled_from(["choice", "choice", "chance", "end"])) if depth else "end"
        if kind == "end":
            return end(*draw(payoffs), **about)
        paid = draw(st.just([]) | payoffs)
        if kind == "choice":
            (player, infoset), own = draw(st.sampled_from(list(pool.items())))
            return choice(player, infoset, {m: tree(depth - 1) for m in own}, paid, **about)
        weights = {move: draw(st.integers(0, 3)) for move in draw(moves)}
        weights[next(iter(weights))] += 1
        total = sum(weights.values())
        branches = {m: (Fraction(w, total), tree(depth - 1)) for m, w in weights.items()}
        return chance(branches, paid, **about)

    return Game.of(players, tree(3), draw(NAMES))
