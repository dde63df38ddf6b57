"""The marginal-value mechanism by its definitions, one history at a time.

A history is the tuple of what each player newly revealed; the empty set is the null move, and a
play is a history that it ends. The moves at a revealed set S are M - S for M in the family. Prices
are a table by set of newly revealed items, with 0 for the empty set; ``additive`` makes one from
prices by item. A price of ``inf`` makes the reward ``-inf``, so the null move is always better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import inf
from typing import Any, Literal

Items = frozenset[Any]
Play = tuple[Items, ...]
Rule = Literal["fewest", "most"]

NULL: Items = frozenset()


@dataclass(frozen=True)
class Game:
    """``utilities[S][a]`` is u_S(a) and ``prices[T]`` what it costs to reveal T at once."""

    items: tuple[Any, ...]
    family: tuple[Items, ...]
    utilities: Mapping[Items, Sequence[Any]]
    prices: Mapping[Items, Any]

    @property
    def everything(self) -> Items:
        """K: all that some move reveals, at whatever price."""
        return NULL.union(*self.family)


# --- families of moves and tables of prices


def subsets(items: Sequence[Any]) -> tuple[Items, ...]:
    """Fewest items first, then lexicographically in item order."""
    sizes = range(len(items) + 1)
    return tuple(frozenset(chosen) for size in sizes for chosen in combinations(items, size))


def singles(items: Sequence[Any]) -> tuple[Items, ...]:
    return NULL, *(frozenset({item}) for item in items)


def union_closed(family: Iterable[Items]) -> bool:
    members = set(family)
    return all(one | other in members for one in members for other in members)


def additive(prices: Mapping[Any, Any]) -> dict[Items, Any]:
    return {s: sum(prices[item] for item in s) for s in subsets(list(prices))}


def subadditive(prices: Mapping[Items, Any]) -> bool:
    """Whether no set costs more than two disjoint sets that make it up."""
    return all(
        prices[one | other] <= prices[one] + prices[other]
        for one in prices
        for other in prices
        if not one & other
    )


def superadditive(prices: Mapping[Items, Any]) -> bool:
    """Whether no set costs less than two disjoint sets that make it up."""
    return all(
        prices[one | other] >= prices[one] + prices[other]
        for one in prices
        for other in prices
        if not one & other
    )


# --- games in short; the items are 1, 2, ...


def by_set(*values: Any) -> dict[Items, Any]:
    """A table from its values in the order of ``subsets``."""
    items = range(1, len(values).bit_length())
    return dict(zip(subsets(items), values, strict=True))


def by_item(*prices: Any) -> dict[Items, Any]:
    return additive(dict(enumerate(prices, 1)))


def two_actions(
    differences: Mapping[Items, Any],
    prices: Mapping[Items, Any],
    family: Callable[[Sequence[Any]], tuple[Items, ...]] = subsets,
) -> Game:
    """A game from u_S(1) - u_S(0)."""
    items = tuple(sorted(NULL.union(*differences)))
    return Game(items, family(items), {t: (0, d) for t, d in differences.items()}, prices)


# --- the judge


def action(game: Game, shown: Items) -> int:
    """a_S: the first maximiser."""
    utilities = game.utilities[shown]
    return utilities.index(max(utilities))


def posterior_utilities(
    prior: Sequence[Any],
    utilities: Sequence[Sequence[Any]],
    values: Mapping[Any, Sequence[Any]],
    state: int,
) -> dict[Items, tuple[Fraction, ...]]:
    """E[U(a) | the values of the items in S are those in ``state``], for each S and a.

    ``utilities[a][w]`` is U(a) in state w and ``values[item][w]`` the item's value there.
    """
    table = {}
    for shown in subsets(list(values)):
        alike = [
            w for w in range(len(prior)) if all(values[i][w] == values[i][state] for i in shown)
        ]
        mass = Fraction(sum(prior[w] for w in alike))
        table[shown] = tuple(sum(prior[w] * row[w] for w in alike) / mass for row in utilities)
    return table


# --- plays and the equilibrium


def revealed(history: Play) -> Items:
    return NULL.union(*history)


def choices(game: Game, shown: Items, rule: Rule = "fewest") -> list[Items]:
    """The moves at a revealed set, in the order in which ties are broken."""
    place = {item: n for n, item in enumerate(game.items)}
    sign = 1 if rule == "fewest" else -1
    moves = {move - shown for move in game.family}
    return sorted(moves, key=lambda move: (sign * len(move), sorted(place[i] for i in move)))


def histories(game: Game, start: Play = ()) -> Iterator[Play]:
    """Every history that goes on from ``start`` and has not ended, ``start`` first."""
    yield start
    for move in choices(game, revealed(start)):
        if move:
            yield from histories(game, (*start, move))


def reachable(game: Game) -> list[Items]:
    return sorted({revealed(h) for h in histories(game)}, key=subsets(game.items).index)


def rewards(game: Game, play: Play) -> list[Any]:
    """R^n = u_F(a_n) - u_F(a_{n-1}) - price(x^n), F the revealed set at the end."""
    final = game.utilities[revealed(play)]
    actions = [action(game, revealed(play[:n])) for n in range(len(play) + 1)]
    return [
        final[actions[n + 1]] - final[actions[n]] - game.prices[move] for n, move in enumerate(play)
    ]


def equilibrium(game: Game, history: Play = (), rule: Rule = "fewest") -> Play:
    """The whole equilibrium play that goes on from a history, by backward induction."""
    if history and not history[-1]:
        return history
    plays = [
        equilibrium(game, (*history, move), rule) for move in choices(game, revealed(history), rule)
    ]
    return max(plays, key=lambda play: rewards(game, play)[len(history)])


def stable(game: Game, history: Play, rule: Rule = "fewest") -> bool:
    """Whether the equilibrium adds nothing to a history."""
    return equilibrium(game, history, rule) == (*history, NULL)


def stable_sets(game: Game, rule: Rule = "fewest") -> set[Items]:
    return {revealed(history) for history in histories(game) if stable(game, history, rule)}


# --- the same by revealed sets


def follow(strategy: Mapping[Items, Items], shown: Items) -> Play:
    """What a strategy by revealed sets plays from one of them to the end."""
    move = strategy[shown]
    return (move, *follow(strategy, shown | move)) if move else (NULL,)


def first_reward(game: Game, shown: Items, play: Play) -> Any:
    """What the player gets who makes the first move of a play that goes on from a revealed set."""
    final = game.utilities[shown | revealed(play)]
    gain = final[action(game, shown | play[0])] - final[action(game, shown)]
    return gain - game.prices[play[0]]


def solve_by_sets(game: Game, rule: Rule = "fewest") -> dict[Items, Items]:
    """The equilibrium move at each reachable set; each set is solved once, the largest first."""
    strategy: dict[Items, Items] = {}
    for shown in reversed(reachable(game)):
        plays = [
            (move, *follow(strategy, shown | move)) if move else (NULL,)
            for move in choices(game, shown, rule)
        ]
        strategy[shown] = max(plays, key=lambda play: first_reward(game, shown, play))[0]
    return strategy


def deviations(game: Game, strategy: Mapping[Items, Items]) -> list[tuple[Items, Items]]:
    """The pairs of a revealed set and a move there that is worth more than the strategy's."""
    return [
        (shown, move)
        for shown in reachable(game)
        for move in choices(game, shown)
        if first_reward(game, shown, (move, *follow(strategy, shown | move)) if move else (NULL,))
        > first_reward(game, shown, follow(strategy, shown))
    ]


# --- inextensible sets and Theorem 4.4


def gain(game: Game, before: Items, after: Items) -> Any:
    """u_T(a_T) - u_T(a_S) - price(T - S); from the empty set it is the ex-post value of T."""
    final = game.utilities[after]
    worth = final[action(game, after)] - final[action(game, before)]
    return worth - game.prices[after - before]


def extensions(game: Game, shown: Items) -> list[Items]:
    """The sets that one move leads to and whose gain is positive."""
    larger = [shown | move for move in choices(game, shown) if move]
    return [after for after in larger if gain(game, shown, after) > 0]


def inextensible(game: Game, shown: Items) -> bool:
    """Definition 4.3, with a positive gain where the paper has one of at least 0."""
    return all(
        any(inextensible(game, answer) for answer in extensions(game, after))
        for after in extensions(game, shown)
    )


def theorem_4_4(game: Game, rule: Rule = "fewest") -> tuple[bool, bool, bool]:
    """Whether x^1 is inextensible; later moves are null; no inextensible move is worth more."""
    first, *later = equilibrium(game, (), rule)
    rivals = [move for move in choices(game, NULL) if inextensible(game, move)]
    worth = gain(game, NULL, first)
    return (
        inextensible(game, first),
        not any(later),
        all(worth >= gain(game, NULL, rival) for rival in rivals),
    )


# --- with hindsight


def hindsight(game: Game, shown: Items) -> Any:
    """w(T) = u_K(a_T) - u_K(a_0) - p(T)."""
    final = game.utilities[game.everything]
    return final[action(game, shown)] - final[action(game, NULL)] - game.prices[shown]


def best_reveal(game: Game) -> Items:
    """T*: the first reachable set with the greatest w."""
    return max(reachable(game), key=lambda shown: hindsight(game, shown))


def shortfall(game: Game, rule: Rule = "fewest") -> Any:
    """w(T*) - w(what the equilibrium reveals)."""
    reveal = revealed(equilibrium(game, (), rule))
    return hindsight(game, best_reveal(game)) - hindsight(game, reveal)


def bound(game: Game) -> Any:
    """p(K - T*)."""
    return game.prices[game.everything - best_reveal(game)]


def sharp_bound(game: Game, final: Items) -> Any:
    """p(F - T*) - p(T* - F)."""
    best = best_reveal(game)
    return game.prices[final - best] - game.prices[best - final]


def agrees(game: Game, final: Items) -> bool:
    """Whether u_F(a) - u_F(b) = u_K(a) - u_K(b) for all a and b."""
    pairs = zip(game.utilities[final], game.utilities[game.everything], strict=True)
    return len({at_f - at_k for at_f, at_k in pairs}) == 1


def sharp_sets(game: Game, rule: Rule = "fewest") -> list[Items]:
    """The stable sets that contain the equilibrium reveal and agree with K."""
    reveal = revealed(equilibrium(game, (), rule))
    stay = stable_sets(game, rule)
    return [s for s in reachable(game) if reveal <= s and s in stay and agrees(game, s)]


# --- games drawn at random


def random_game(rng: Any, moves: Literal["subsets", "singles"] = "subsets") -> Game:
    """2 to 4 items, 2 or 3 actions, utilities -3..3, additive prices -1..3, one in eight infinite.

    The price of one item is ``prices[frozenset({item})]``.
    """
    items = tuple(range(1, int(rng.integers(2, 5)) + 1))
    actions = int(rng.integers(2, 4))
    utilities = {
        shown: tuple(int(u) for u in rng.integers(-3, 4, actions)) for shown in subsets(items)
    }
    by_item = {i: inf if rng.integers(8) == 0 else int(rng.integers(-1, 4)) for i in items}
    family = subsets(items) if moves == "subsets" else singles(items)
    return Game(items, family, utilities, additive(by_item))
