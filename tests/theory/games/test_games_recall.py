from __future__ import annotations

from collections.abc import Callable

import pytest
from game_strategies import addresses, attentive_trees, game_of, open_trees, split, trees, turned
from hypothesis import given
from reference import games as oracle
from sample_games import absent_minded_driver, forgetful, kuhn_poker, matching_pennies

from theory.games import (
    AbsentMindedError,
    Behaviour,
    Game,
    Recall,
    RecallKind,
    Tree,
    chance,
    choice,
    end,
    recall,
    regrets,
    subgame_perfect,
    subgame_regrets,
)

# beartype picks at random which items of a tuple to look at, also while a strategy draws.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")


def kinds(game: Game) -> list[set[str]]:
    return [set(map(str, player.kinds)) for player in recall(game)]


# --- against the oracle ---


@given(trees(depth=5))
def test_kinds_are_those_of_all_pairs(tree: oracle.Tree) -> None:
    assert kinds(game_of(tree)) == [oracle.recall(tree, i) for i in (0, 1)]


@given(trees(players=1, depth=5) | attentive_trees(players=1))
def test_kinds_are_those_of_all_pairs_for_one_player(tree: oracle.Tree) -> None:
    assert kinds(game_of(tree, players=1)) == [oracle.recall(tree, 0)]


@given(trees(players=1, depth=5) | attentive_trees(players=1))
def test_witnesses_show_what_they_say(tree: oracle.Tree) -> None:
    names = addresses(tree)
    game = game_of(tree, players=1)
    for witness in recall(game)[0].witnesses:
        u, v = witness.nodes
        assert {u, v} <= set(game.infosets[witness.infoset].nodes)
        assert oracle.forgotten(tree, names[u], names[v]) == str(witness.kind)
        assert game.story(u) in witness.sentence


@given(open_trees())
def test_recall_is_perfect_where_information_is(tree: oracle.Tree) -> None:
    assert all(player.is_perfect for player in recall(game_of(tree)))


# --- relations ---


@given(trees())
def test_names_order_and_split_chance_do_not_matter(tree: oracle.Tree) -> None:
    found = kinds(game_of(tree))
    assert kinds(game_of(tree, player="Player {}".format, move="Move {}".format)) == found
    assert kinds(game_of(turned(tree))) == found
    assert kinds(game_of(split(tree))) == found


# --- known games ---


def told(first: str, second: str) -> Game:
    """Ann sees the toss at sets named after it, then moves once more without it."""
    last = choice("ann", "last", {"up": end(1), "down": end(0)})
    return Game.of(
        ("ann",),
        chance(
            {
                "heads": ("1/2", choice("ann", first, {"on": last})),
                "tails": ("1/2", choice("ann", second, {"on": last})),
            }
        ),
    )


def perhaps_told() -> Game:
    """Ann may or may not pass a set before the last; she does not know at the last."""
    last = choice("ann", "last", {"up": end(1), "down": end(0)})
    passing = choice("ann", "passing", {"on": last})
    return Game.of(("ann",), chance({"heads": ("1/2", last), "tails": ("1/2", passing)}))


def two_drivers_in_one() -> Game:
    """A toss that the driver never sees, then two crossings that look alike."""
    second = choice("driver", "crossing", {"exit": end(4), "on": end(1)})
    first = choice("driver", "crossing", {"exit": end(0), "on": second})
    return Game.of(("driver",), chance({"heads": ("1/2", first), "tails": ("1/2", first)}))


def detour() -> Game:
    """The absent-minded driver may come to the second crossing by a place of its own."""

    def crossing(on: Tree) -> Tree:
        return choice("driver", "crossing", {"exit": end(0), "on": on})

    by_place = choice("driver", "place", {"on": crossing(end(2))})
    toss = chance({"heads": ("1/2", crossing(crossing(end(1)))), "tails": ("1/2", by_place)})
    return Game.of(("driver",), toss)


def forgotten_move_in_between() -> Game:
    """The two moves at a set are forgotten on paths between which another path comes."""
    last = choice("ann", "last", {"on": end(0)})
    three = choice("ann", "three", {"on": last})
    tosses = {
        "low": ("1/3", choice("ann", "one", {"up": end(0), "down": last})),
        "middle": ("1/3", choice("ann", "two", {"on": last})),
        "high": ("1/3", choice("ann", "one", {"up": three, "down": end(0)})),
    }
    return Game.of(("ann",), chance(tosses))


def everything_forgotten() -> Game:
    """Both moves and both sets are forgotten at the last set, and the last set itself."""
    last = choice("ann", "last", {"on": end(0)})
    again = choice("ann", "last", {"on": last})
    two = [choice("ann", name, {"up": last, "down": again}) for name in ("one", "two")]
    return Game.of(("ann",), chance({"heads": ("1/2", two[0]), "tails": ("1/2", two[1])}))


MOVES, INFORMATION, ABSENT = "forgets own moves", "forgets own information", "absent-minded"


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (absent_minded_driver, [{ABSENT}]),
        (two_drivers_in_one, [{ABSENT}]),
        (detour, [{ABSENT, INFORMATION}]),
        (forgotten_move_in_between, [{MOVES, INFORMATION}]),
        (everything_forgotten, [{MOVES, INFORMATION, ABSENT}]),
        (lambda: forgetful([2, 0, 0, 1]), [{MOVES}]),
        (lambda: told("h", "t"), [{INFORMATION}]),
        (lambda: told("same", "same"), [{"perfect"}]),
        (perhaps_told, [{INFORMATION}]),
        (kuhn_poker, [{"perfect"}, {"perfect"}]),
        (matching_pennies, [{"perfect"}, {"perfect"}]),
    ],
    ids=[
        "driver",
        "two drivers",
        "detour",
        "in between",
        "everything",
        "forgetful",
        "told apart",
        "told the same",
        "perhaps told",
        "Kuhn poker",
        "matching pennies",
    ],
)
def test_known_kinds(make: Callable[[], Game], expected: list[set[str]]) -> None:
    assert kinds(make()) == expected


def test_what_is_forgotten_is_said() -> None:
    assert str(recall(forgetful([2, 0, 0, 1]))[0]).splitlines() == [
        "ann: forgets own moves",
        "  forgets own moves: at second, ann does not know which move was made at first, "
        "up or down: (up) or (down)",
    ]
    (information,) = recall(told("h", "t"))[0].witnesses
    assert "whether the play has passed h or t" in information.sentence
    (passing,) = recall(perhaps_told())[0].witnesses
    assert "whether the play has passed passing: (heads) or (tails, on)" in passing.sentence
    assert str(recall(kuhn_poker())[0]) == "first: perfect"
    assert recall(kuhn_poker())[0]._repr_html_() == "<pre>first: perfect</pre>"


def test_perfect_stands_alone() -> None:
    assert Recall("ann", ()).kinds == (RecallKind.PERFECT,)
    found = recall(everything_forgotten())[0]
    assert list(found.kinds) == [kind for kind in RecallKind if kind is not RecallKind.PERFECT]


def test_long_memories_are_compared() -> None:
    """Two chains whose sets join nodes that lie deep."""

    def chain(moves: int) -> Tree:
        tree: Tree = end(0)
        for k in range(moves):
            tree = choice("ann", f"s{k}", {"on": tree})
        return tree

    passed = choice("ann", "extra", {"on": chain(5_000)})
    game = Game.of(("ann",), chance({"a": ("1/2", chain(5_000)), "b": ("1/2", passed)}))
    (witness,) = recall(game)[0].witnesses
    assert witness.kind is RecallKind.FORGETS_INFORMATION


@pytest.mark.parametrize("method", [regrets, subgame_regrets])
def test_regrets_refuse_absent_minded_players(method: Callable[..., object]) -> None:
    game = absent_minded_driver()
    with pytest.raises(AbsentMindedError, match="met twice on one path"):
        method(game, Behaviour.uniform(game))


def test_equilibrium_refuses_absent_minded_players() -> None:
    with pytest.raises(AbsentMindedError, match="met twice on one path"):
        subgame_perfect(absent_minded_driver())
