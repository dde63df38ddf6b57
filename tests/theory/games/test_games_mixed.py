"""Mixed equilibria of extensive games: known ones, brute force, relations, planted faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import sqrt
from typing import Any

import pytest
from game_strategies import (
    attentive_trees,
    game_of,
    laws_of,
    paying,
    rebuilt,
    relabelled,
    trees,
    turned,
    with_behaviour,
    with_mixed,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import games as oracle
from sample_games import absent_minded_driver, bimatrix, kuhn_poker, matching_pennies
from sweeps import examples

from theory.errors import LimitError
from theory.games import (
    AbsentMindedError,
    Behaviour,
    Equilibrium,
    ForgetfulError,
    Game,
    Method,
    Mixed,
    Tree,
    chance,
    choice,
    end,
    mixed_equilibrium,
    pure_equilibria,
    regrets,
)
from theory.linear import maximise, solve

# beartype picks at random which items of a tuple to look at, also while a strategy draws.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")

HALF = Fraction(1, 2)
PLAYERS = (0, 1)


def remembering(tree: oracle.Tree) -> oracle.Tree:
    """The same tree, in which everybody remembers the own sets and moves."""

    def label(old: str, address: oracle.Address) -> str:
        return f"{old} after {oracle.experience(tree, address, oracle.at(tree, address)[1])}"

    return relabelled(tree, label)


def zero_sum(tree: oracle.Tree) -> oracle.Tree:
    """The same tree, in which the second player pays the first."""
    return rebuilt(tree, lambda node, _: (*node[:-1], (node[-1][0], -node[-1][0])))


TREES = trees(depth=3).map(remembering)


def laws(found: Equilibrium) -> dict[str, dict[str, Fraction]]:
    """By set the probabilities of its moves."""
    assert isinstance(found.strategies, Behaviour)
    return {
        infoset.name: dict(zip(infoset.moves, law, strict=True))
        for infoset, law in zip(found.game.infosets, found.strategies.probabilities, strict=True)
    }


def played(tree: oracle.Tree, found: Equilibrium) -> oracle.Laws:
    """The behaviour as the laws of the oracle."""
    assert isinstance(found.strategies, Behaviour)
    return laws_of(tree, found.strategies)


def at_once(*moves: int, pays: Callable[..., tuple[int, ...]]) -> Game:
    """All players move at once; player i has ``moves[i]`` moves."""

    def node(made: tuple[int, ...]) -> Tree:
        i = len(made)
        if i == len(moves):
            return end(*pays(*made))
        return choice(f"p{i}", f"s{i}", {str(m): node((*made, m)) for m in range(moves[i])})

    return Game.of([f"p{i}" for i in range(len(moves))], node(()))


# --- known games ---


def test_matching_pennies_is_a_half_each() -> None:
    found = mixed_equilibrium(matching_pennies())
    assert found.strategies == Behaviour(((HALF, HALF), (HALF, HALF)))
    assert (found.payoffs, found.regrets, found.gap) == ((0, 0), (0, 0), 0)
    assert found.holds
    assert found.subgame_perfect
    assert found.methods == (Method.SEQUENCES,)
    assert "Subgame-perfect equilibrium" in str(found)


def test_kuhn_poker_is_worth_a_loss_of_an_eighteenth() -> None:
    """Kuhn (1950): all solutions of the second player call a queen with 1/3, bluff a jack so."""
    found = mixed_equilibrium(kuhn_poker())
    assert found.payoffs == (Fraction(-1, 18), Fraction(1, 18))
    assert found.regrets == (0, 0)
    made = laws(found)
    jacks = made["J"]["bet"]
    assert 0 <= jacks <= Fraction(1, 3)
    assert made["K"]["bet"] == 3 * jacks
    assert made["Q check bet"]["call"] == jacks + Fraction(1, 3)
    assert made["Q after bet"]["call"] == made["J after check"]["bet"] == Fraction(1, 3)


@pytest.mark.parametrize("mirrored", [False, True])
def test_mixing_at_later_sets_only(mirrored: bool) -> None:
    """Ann goes in for 3/4, as outside she gets 1/2; inside neither has a pure answer.

    Bob gets 2a by l and a + 2(1 - a) by r, where a is Ann's weight on u: a = 2/3. She gets
    3(1 - b) by u and b by d, where b is his weight on l: b = 3/4.
    """
    pays = {("u", "l"): (0, 2), ("u", "r"): (3, 1), ("d", "l"): (1, 0), ("d", "r"): (0, 2)}
    inside = choice(
        "ann",
        "inside",
        {a: choice("bob", "b", {b: end(*pays[a, b]) for b in "lr"}) for a in "ud"},
    )
    outside = choice("bob", "free", {"give": end("1/2", 3), "take": end("1/2", 4)})
    game = Game.of(("ann", "bob"), choice("ann", "door", {"out": outside, "in": inside}))
    found = mixed_equilibrium(swapped(game) if mirrored else game)
    assert laws(found) == {
        "door": {"out": 0, "in": 1},
        "free": {"give": 0, "take": 1},
        "inside": {"u": Fraction(2, 3), "d": Fraction(1, 3)},
        "b": {"l": Fraction(3, 4), "r": Fraction(1, 4)},
    }
    paid = (Fraction(3, 4), Fraction(4, 3))
    assert found.payoffs == (paid[::-1] if mirrored else paid)
    assert found.subgame_perfect


def swapped(game: Game) -> Game:
    """The same game with the other player listed first."""
    nodes = tuple(replace(node, payoffs=node.payoffs[::-1]) for node in game.nodes)
    sets = tuple(replace(s, player=1 - s.player) for s in game.infosets)
    return Game(game.players[::-1], nodes, sets)


def test_selten_s_horse() -> None:
    """Selten (1975). Three players move; a pure equilibrium is found, and its regrets are zero."""
    third = [
        choice("c", "c", {"l": end(*left), "r": end(*right)})
        for left, right in (((0, 0, 0), (3, 2, 2)), ((4, 4, 0), (0, 0, 1)))
    ]
    second = choice("b", "b", {"down": third[1], "across": end(1, 1, 1)})
    game = Game.of(("a", "b", "c"), choice("a", "a", {"down": third[0], "across": second}))
    found = mixed_equilibrium(game)
    assert found.holds
    assert found.methods == (Method.PROFILES,)
    assert found.strategies in [one.behaviour for one in pure_equilibria(game)]


def test_three_players_without_a_pure_equilibrium() -> None:
    """Each wants to match the next but the last, who wants to differ from the first: halves."""

    def pays(a: int, b: int, c: int) -> tuple[int, ...]:
        return (int(a == b), int(b == c), int(c != a))

    game = at_once(2, 2, 2, pays=pays)
    assert pure_equilibria(game) == ()
    found = mixed_equilibrium(game)
    assert found.strategies == Behaviour(((HALF, HALF),) * 3)
    assert (found.holds, found.methods) == (True, (Method.LOGIT,))


def irrational(order: tuple[int, int, int] = (0, 1, 2)) -> Game:
    """A game whose one equilibrium is p = (√17 - 1) / 4, q = (2p + 1) / 4, r = p.

    The first gains 1 - 2qr by its move 1, the second p - r, the third 4q - 2p - 1.
    """

    def pays(*made: int) -> tuple[int, ...]:
        a, b, c = (made[i] for i in order)
        paid = (a * (1 - 2 * b * c), b * (a - c), c * (4 * b - 2 * a - 1))
        return tuple(paid[order.index(i)] for i in range(3))

    return at_once(2, 2, 2, pays=pays)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 1, 0)])
def test_an_irrational_equilibrium_is_approximate_and_says_so(order: tuple[int, int, int]) -> None:
    game = irrational(order)
    found = mixed_equilibrium(game)
    p = (sqrt(17) - 1) / 4
    wanted = (p, (2 * p + 1) / 4, p)
    made = laws(found)
    assert [float(made[f"s{i}"]["1"]) for i in order] == pytest.approx(wanted, abs=1e-8)
    assert 0 < found.gap < Fraction(1, 10**7)
    assert not found.holds
    assert not found.subgame_perfect
    assert "Approximate Nash equilibrium" in str(found)


def forgets_a_coin() -> Game:
    """Ann lays two coins and has forgotten the first; she wins by two alike that Bob misses."""

    def second(first: str, guess: str) -> Tree:
        wins = {b: 1 if first == b != guess else -1 for b in "ht"}
        return choice("ann", "second", {b: end(win, -win) for b, win in wins.items()})

    tree = choice(
        "ann",
        "first",
        {a: choice("bob", "guess", {g: second(a, g) for g in "ht"}) for a in "ht"},
    )
    return Game.of(("ann", "bob"), tree)


@pytest.mark.parametrize("mirrored", [False, True])
def test_who_forgets_draws_a_plan(mirrored: bool) -> None:
    """Two heads or two tails, a half each: no behaviour does that, as it lays unlike coins too."""
    game = forgets_a_coin()
    found = mixed_equilibrium(swapped(game) if mirrored else game)
    assert not isinstance(found.strategies, Behaviour)
    forgetful, other = sorted(found.strategies, key=lambda mixed: -len(mixed.plans[0]))
    assert dict(zip(forgetful.plans, forgetful.probabilities, strict=True)) == {
        (0, 0): HALF,
        (1, 1): HALF,
    }
    assert other.probabilities == (HALF, HALF)
    assert (found.payoffs, found.regrets) == ((0, 0), (0, 0))
    assert found.subgame_perfect is None
    assert found.methods == (Method.PLANS,)
    assert "\nNash equilibrium" in str(found)


# --- against brute force ---


@settings(max_examples=examples(150))
@given(TREES)
def test_nobody_gains_by_any_plan_in_any_subgame(tree: oracle.Tree) -> None:
    found = mixed_equilibrium(game_of(tree))
    behaviour = played(tree, found)
    for root in oracle.subgames(tree):
        part = oracle.at(tree, root)
        assert [oracle.regret(part, behaviour, i) for i in PLAYERS] == [0, 0]
    assert found.holds
    assert found.subgame_perfect
    assert found.payoffs == tuple(oracle.payoff(tree, behaviour, i) for i in PLAYERS)


def value(tree: oracle.Tree) -> Fraction:
    """The value of a zero-sum game, by a linear program over all plans."""
    rows, columns = oracle.plans(tree, 0), oracle.plans(tree, 1)
    table = [[oracle.payoff(tree, oracle.pure(tree, {**r, **c}), 0) for r in rows] for c in columns]
    program: list[tuple[Any, str, Any]] = [([*pays, -1], ">=", 0) for pays in table]
    program.append(([1] * len(rows) + [0], "=", 1))
    found = solve(maximise([0] * len(rows) + [1], program, free=[len(rows)])).value
    assert found is not None
    return found


@settings(max_examples=examples(60))
@given(TREES.map(zero_sum))
def test_a_zero_sum_game_pays_its_value(tree: oracle.Tree) -> None:
    found = mixed_equilibrium(game_of(tree))
    assert found.payoffs == (value(tree), -value(tree))


@settings(max_examples=examples(30))
@given(trees(players=3, depth=3).map(remembering))
def test_the_gap_of_three_players_is_that_of_all_plans(tree: oracle.Tree) -> None:
    found = mixed_equilibrium(game_of(tree, players=3))
    behaviour = played(tree, found)
    assert found.regrets == tuple(oracle.regret(tree, behaviour, i) for i in range(3))
    assert found.gap <= Fraction(1, 10**6)


@settings(max_examples=examples(40))
@given(st.lists(st.integers(-2, 2), min_size=24, max_size=24))
def test_three_who_move_at_once_come_close(drawn: list[int]) -> None:
    rows = [tuple(drawn[k : k + 3]) for k in range(0, 24, 3)]
    game = at_once(2, 2, 2, pays=lambda a, b, c: rows[4 * a + 2 * b + c])
    assert mixed_equilibrium(game).gap <= Fraction(1, 10**6)


@settings(max_examples=examples(60))
@given(attentive_trees(depth=3))
def test_forgetful_players_have_an_equilibrium_too(tree: oracle.Tree) -> None:
    game = game_of(tree)
    try:
        found = mixed_equilibrium(game)
    except LimitError:
        return
    assert found.holds
    if isinstance(found.strategies, Behaviour):
        assert oracle.is_nash(tree, laws_of(tree, found.strategies), 2)
    else:
        assert gains_of_plans(tree, list(found.strategies)) == [0, 0]


def gains_of_plans(tree: oracle.Tree, profile: list[Mixed]) -> list[Any]:
    """What each player gains by the best of all plans, drawn plans being played one by one."""
    drawn = {}
    for mixed in profile:
        sets = [s for s in oracle.info_sets(tree) if s[0] == mixed.player]
        drawn[mixed.player] = [
            (p, dict(zip(sets, plan, strict=True)))
            for plan, p in zip(mixed.plans, mixed.probabilities, strict=True)
        ]
    gains = []
    for i in PLAYERS:
        others = [strategy for j, strategy in drawn.items() if j != i]
        paid = oracle.payoff_of_mixed(tree, list(drawn.values()), i)
        tries = ([*others, [(1, plan)]] for plan in oracle.plans(tree, i))
        gains.append(max(oracle.payoff_of_mixed(tree, t, i) for t in tries) - paid)
    return gains


@settings(max_examples=examples(60))
@given(with_mixed(attentive_trees(depth=3)))
def test_regrets_of_mixed_strategies(drawn: tuple[oracle.Tree, list[Mixed]]) -> None:
    tree, profile = drawn
    assert list(regrets(game_of(tree), profile)) == gains_of_plans(tree, profile)


# --- relations ---


@settings(max_examples=examples(60))
@given(TREES, st.lists(st.fractions("1/9", 9), min_size=2, max_size=2), st.integers(-9, 9))
def test_units_change_nothing(tree: oracle.Tree, scales: list[Fraction], shift: int) -> None:
    moved = paying(tree, lambda i, x, at: scales[i] * x + (0 if at else shift))
    one, other = mixed_equilibrium(game_of(tree)), mixed_equilibrium(game_of(moved))
    assert one.strategies == other.strategies
    assert other.payoffs == tuple(a * u + shift for a, u in zip(scales, one.payoffs, strict=True))


@settings(max_examples=examples(60))
@given(TREES.map(zero_sum))
def test_a_zero_sum_game_is_worth_the_same_to_whoever_is_named_first(tree: oracle.Tree) -> None:
    def swap(node: oracle.Tree, _: oracle.Address) -> oracle.Tree:
        if node[0] == "move":
            node = ("move", 1 - node[1], *node[2:])
        return (*node[:-1], node[-1][::-1])

    first, second = mixed_equilibrium(game_of(tree)).payoffs
    for other in (rebuilt(tree, swap), rebuilt(turned(tree), swap)):
        found = mixed_equilibrium(game_of(other, player="Player {}".format))
        assert (found.payoffs, found.holds) == ((second, first), True)


@settings(max_examples=examples(60))
@given(TREES)
def test_a_move_that_costs_too_much_is_never_made(tree: oracle.Tree) -> None:
    def add(node: oracle.Tree, _: oracle.Address) -> oracle.Tree:
        if node[0] != "move":
            return node
        return (*node[:-2], (*node[-2], ("end", (-1000, -1000))), node[-1])

    larger = rebuilt(tree, add)
    behaviour = played(larger, mixed_equilibrium(game_of(larger)))
    assert all(law[-1] == 0 for law in behaviour.values())
    assert oracle.is_nash(tree, {s: law[:-1] for s, law in behaviour.items()}, 2)


# --- planted faults ---


def judges_rightly(judge: Callable[[Game, Behaviour], tuple[Fraction, ...]]) -> bool:
    """Whether regrets of uniform play in two games are those of the oracle."""
    last: oracle.Tree = ("move", 0, "late", (("end", (0, 0)), ("end", (4, 1))), (0, 0))
    early: oracle.Tree = ("move", 1, "b", (("end", (0, 5)), last), (0, 0))
    deep: oracle.Tree = ("move", 0, "a", (("end", (1, 0)), early), (0, 0))
    for tree in (deep, ("move", 1, "only", (("end", (0, 0)), ("end", (0, 2))), (0, 0))):
        game = game_of(tree)
        uniform = Behaviour.uniform(game)
        wanted = tuple(oracle.regret(tree, laws_of(tree, uniform), i) for i in PLAYERS)
        if judge(game, uniform) != wanted:
            return False
    return True


def forgets_the_second(game: Game, given: Behaviour) -> tuple[Fraction, ...]:
    return (regrets(game, given)[0], Fraction(0))


def forgets_the_last_set(game: Game, given: Behaviour) -> tuple[Fraction, ...]:
    """The last set of the game goes to a player who gets nothing."""
    nodes = tuple(replace(node, payoffs=(*node.payoffs, Fraction(0))) for node in game.nodes)
    sets = (*game.infosets[:-1], replace(game.infosets[-1], player=2))
    return regrets(Game((*game.players, "nobody"), nodes, sets), given)[:2]


def test_a_verifier_that_forgets_something_is_seen() -> None:
    assert judges_rightly(lambda game, given: Equilibrium(game, given).regrets)
    assert not judges_rightly(forgets_the_second)
    assert not judges_rightly(forgets_the_last_set)


@pytest.mark.parametrize("k", [0, 1, 2])
def test_a_wrong_answer_is_not_exact(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the solver returns, the gap is that of the strategies: planted for each player."""
    wrong = {j: (Fraction(3, 4), Fraction(1, 4)) if j == k else (HALF, HALF) for j in range(3)}
    game = at_once(2, 2, 2, pays=lambda a, b, c: (int(a == b), int(b == c), int(c != a)))
    monkeypatch.setattr("theory.games._mixed_equilibrium.logit_play", lambda *_: wrong)
    found = mixed_equilibrium(game)
    gaining = (k - 1) % 3  # whoever is paid by comparison with player k
    assert found.regrets == tuple(Fraction(int(i == gaining), 4) for i in range(3))
    assert (found.gap, found.holds, found.subgame_perfect) == (Fraction(1, 4), False, False)


# --- what cannot be done ---


def test_what_cannot_be_done_is_refused() -> None:
    with pytest.raises(AbsentMindedError, match="search for mixed equilibria"):
        mixed_equilibrium(absent_minded_driver())
    with pytest.raises(LimitError, match=r"one subgame are more than the limit of 3 \(got 4\)"):
        mixed_equilibrium(matching_pennies(), limit=3)
    with pytest.raises(LimitError, match=r"plans of 'ann', who forgets, .*limit of 3"):
        mixed_equilibrium(forgets_a_coin(), plan_limit=3)
    large = at_once(12, 12, 12, pays=lambda a, b, c: (int(a == b), int(b == c), int(c != a)))
    with pytest.raises(LimitError, match="three players or more"):
        mixed_equilibrium(large)


def test_three_players_of_whom_one_forgets_are_not_answered() -> None:
    """The coins of Ann, and Carl who bets on Bob's guess so that nobody else does care."""

    def second(first: str, guess: str, bet: str) -> Tree:
        wins = {b: 1 if first == b != guess else -1 for b in "ht"}
        return choice("ann", "2", {b: end(w, -w, int(bet == guess)) for b, w in wins.items()})

    def bets(first: str, guess: str) -> Tree:
        return choice("carl", "bet", {c: second(first, guess, c) for c in "ht"})

    tree = choice("ann", "1", {a: choice("bob", "g", {g: bets(a, g) for g in "ht"}) for a in "ht"})
    with pytest.raises(
        ForgetfulError, match="3 players move: an equilibrium in behaviour need not"
    ):
        mixed_equilibrium(Game.of(("ann", "bob", "carl"), tree))


def test_a_game_in_which_nobody_or_one_moves() -> None:
    coin = chance({"h": ("1/2", end(1, 0)), "t": ("1/2", end(0, 1))})
    assert mixed_equilibrium(Game.of(("a", "b"), coin)).payoffs == (HALF, HALF)
    alone = choice("b", "b", {"less": end(0, 1), "more": end(0, 2), "same": end(1, 2)})
    found = mixed_equilibrium(Game.of(("a", "b"), alone))
    assert (found.payoffs[1], found.holds) == (2, True)


@given(with_behaviour(TREES))
def test_the_words_follow_the_regrets(drawn: tuple[oracle.Tree, Behaviour]) -> None:
    tree, behaviour = drawn
    found = Equilibrium(game_of(tree), behaviour)
    assert found.holds == oracle.is_nash(tree, laws_of(tree, behaviour), 2)
    parts = [oracle.at(tree, root) for root in oracle.subgames(tree)]
    everywhere = all(oracle.is_nash(part, laws_of(tree, behaviour), 2) for part in parts)
    assert found.subgame_perfect == everywhere
    said = "Subgame" if everywhere else "Nash" if found.holds else "Approximate"
    assert said in str(found.tables()[-1])


def test_a_dominated_row_of_a_table() -> None:
    """Pennies with a third row that always loses more."""
    rows = {("h", "h"): 1, ("h", "t"): -1, ("t", "h"): -1, ("t", "t"): 1, ("x", "h"): -2}
    pays = {(a, b): (rows.get((a, b), -2), -rows.get((a, b), -2)) for a in "htx" for b in "ht"}
    assert laws(mixed_equilibrium(bimatrix(pays)))["row"] == {"h": HALF, "t": HALF, "x": 0}
