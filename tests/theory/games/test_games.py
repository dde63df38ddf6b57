from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from game_strategies import addresses, game_of, trees
from hypothesis import given
from reference import games as oracle

from theory.errors import (
    ExactnessError,
    InvalidInputError,
    NumberError,
    ProbabilityError,
    ShapeError,
    UnknownNameError,
)
from theory.games import Game, Tree, chance, choice, end, recall, subgames
from theory.games._subgames import stages

# beartype picks at random which items of a tuple to look at, also while a strategy draws.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")


def entry() -> Game:
    """An entrant may stay out; the incumbent answers an entry."""
    answer = choice("incumbent", "entry", {"fight": end(-1, -1), "share": end(1, 1)})
    tree = choice("entrant", "start", {"out": end(0, 2), "in": answer})
    return Game.of(("entrant", "incumbent"), tree, "Entry")


def test_the_oracle_knows_the_absent_minded_driver() -> None:
    """By hand, from Piccione and Rubinstein (1997): on with probability 2/3."""
    crossing = ("move", 0, "crossing", (("end", (4,)), ("end", (1,))), (0,))
    tree = ("move", 0, "crossing", (("end", (0,)), crossing), (0,))
    s, law = (0, "crossing"), (Fraction(1, 3), Fraction(2, 3))
    assert oracle.payoff(tree, {s: law}, 0) == Fraction(4, 3)
    assert oracle.visits(tree, {s: law}, s)[1:] == (Fraction(5, 3), 1)
    assert [oracle.one_visit_gain(tree, {s: law}, s, m) for m in (0, 1)] == [0, 0]
    assert oracle.recall(tree, 0) == {"absent-minded"}
    assert oracle.subgames(tree) == [()]
    assert oracle.payoff_of_mixed(tree, [[(1, {s: 1})]], 0) == 1
    assert oracle.pure_equilibria(tree, 1) == [{s: 1}]


@given(trees())
def test_nodes_are_numbered_in_preorder(tree: oracle.Tree) -> None:
    game = game_of(tree)
    numbers = {address: h for h, address in enumerate(addresses(tree))}
    assert len(game.nodes) == len(numbers)
    for address, h in numbers.items():
        node, plain = game.nodes[h], oracle.at(tree, address)
        assert node.is_end == (plain[0] == "end")
        assert node.is_chance == (plain[0] == "chance")
        assert node.payoffs == plain[-1]
        assert tuple(m for _, m in game.path(h)) == address
        assert [game.nodes[child].parent for child in node.children] == [h] * len(node.children)
        assert node.children == tuple(
            numbers[*address, m] for m in range(len(oracle.branches(plain)))
        )
        assert [game.totals[h][i] for i in range(2)] == [
            oracle.paid(tree, address, i) for i in range(2)
        ]
        below = [v for other, v in numbers.items() if other[: len(address)] == address]
        assert list(range(h, game.stops[h])) == below


@given(trees())
def test_information_sets_come_in_preorder(tree: oracle.Tree) -> None:
    game = game_of(tree)
    numbers = {address: h for h, address in enumerate(addresses(tree))}
    expected = [
        (player, label, tuple(numbers[address] for address in members))
        for (player, label), members in oracle.info_sets(tree).items()
    ]
    assert [(s.player, s.name, s.nodes) for s in game.infosets] == expected
    assert sorted(game.infosets_of(0) + game.infosets_of(1)) == list(range(len(game.infosets)))
    for k, infoset in enumerate(game.infosets):
        assert game.infoset(f"p{infoset.player}", infoset.name) == k
        assert all(game.nodes[h].infoset == k for h in infoset.nodes)


@given(trees())
def test_subgames_are_closed_under_information_sets(tree: oracle.Tree) -> None:
    game = game_of(tree)
    names = addresses(tree)
    assert [names[h] for h in subgames(game)] == oracle.subgames(tree)


@given(trees())
def test_stages_share_the_nodes_out(tree: oracle.Tree) -> None:
    game = game_of(tree)
    parts = stages(game)
    own = [h for stage in parts for h in stage.nodes if h not in stage.cuts]
    assert sorted(own) == list(range(len(game.nodes)))
    assert sorted(k for stage in parts for k in stage.infosets) == list(range(len(game.infosets)))
    done: set[int] = set()
    for stage in parts:
        assert stage.cuts <= done
        done.add(stage.root)


def test_a_game_prints_as_its_tree() -> None:
    assert str(entry()).splitlines() == [
        "Entry",
        "entrant at start",
        "  out: end, pays 0, 2",
        "  in: incumbent at entry",
        "    fight: end, pays -1, -1",
        "    share: end, pays 1, 1",
    ]
    assert entry().story(3) == "in, fight"
    assert entry().depth == 2
    assert "<pre>" in entry()._repr_html_()


def test_numbers_are_read_as_written() -> None:
    tree = chance({"a": ("0.1", end("1/3")), "b": (Fraction(9, 10), end("-2.5"))})
    game = Game.of(("ann",), tree)
    assert game.nodes[0].probabilities == (Fraction(1, 10), Fraction(9, 10))
    assert [game.nodes[h].payoffs for h in game.ends] == [(Fraction(1, 3),), (Fraction(-5, 2),)]


def test_a_player_may_have_no_move() -> None:
    game = Game.of(("ann", "idle"), choice("ann", "start", {"on": end(1, 5)}))
    assert game.infosets_of(1) == ()


def game(*players: str) -> Callable[[Tree], Game]:
    return lambda tree: Game.of(players, tree)


def same_set(*moves: str) -> Tree:
    again = choice("ann", "s", dict.fromkeys(moves, end(0)))
    return choice("ann", "s", {"left": end(0), "right": again})


@pytest.mark.parametrize(
    ("error", "says", "build"),
    [
        (ShapeError, "are not one for each of 2 players", lambda: game("a", "b")(end(1))),
        (ShapeError, "payoffs of node 0", lambda: game("ann")(end())),
        (
            ShapeError,
            "payoffs of node 0",
            lambda: game("ann")(choice("ann", "s", {"on": end(0)}, (1, 2))),
        ),
        (InvalidInputError, "different moves", lambda: game("ann")(same_set("left"))),
        (InvalidInputError, "different moves", lambda: game("ann")(same_set("right", "left"))),
        (InvalidInputError, "has no branch", lambda: choice("ann", "s", {})),
        (InvalidInputError, "has no branch", lambda: chance({})),
        (InvalidInputError, "players", lambda: game("ann", "ann")(end(0, 0))),
        (InvalidInputError, "is empty", lambda: game()(end())),
        (
            UnknownNameError,
            "did you mean 'ann'",
            lambda: game("ann")(choice("anna", "s", {"on": end(0)})),
        ),
        (
            ProbabilityError,
            "do not sum to one",
            lambda: chance({"a": ("1/2", end(0)), "b": ("1/3", end(0))}),
        ),
        (
            ProbabilityError,
            "is negative",
            lambda: chance({"a": (2, end(0)), "b": (-1, end(0))}),
        ),
        (ExactnessError, "is a float", lambda: chance({"a": (1.0, end(0))})),
        (ExactnessError, "is a float", lambda: end(0.5)),
        (ExactnessError, "is a float", lambda: choice("ann", "s", {"on": end(0)}, [0.5])),
        (NumberError, "payoff 2", lambda: end(1, "half")),
        (NumberError, "payoff 1", lambda: end(None)),
        (UnknownNameError, "player", lambda: entry().infoset("nobody", "entry")),
        (UnknownNameError, "did you mean 'entry'", lambda: entry().infoset("incumbent", "entre")),
    ],
)
def test_bad_input_is_refused(
    error: type[InvalidInputError], says: str, build: Callable[[], Any]
) -> None:
    with pytest.raises(error, match=says):
        build()


def test_depth_does_not_matter() -> None:
    tree: Tree = end(0)
    for k in range(5_000):
        tree = choice("ann", f"s{k}", {"on": tree, "stop": end(k)}, [1])
    deep = Game.of(("ann",), tree)
    assert deep.depth == 5_000
    assert len(deep.path(deep.ends[0])) == 5_000
    assert deep.totals[deep.ends[0]] == (5_000,)
    assert recall(deep)[0].is_perfect
    assert len(subgames(deep)) == 5_000
    assert str(deep).splitlines()[-1] == f"… {len(deep.nodes) - 60:,} more nodes"
