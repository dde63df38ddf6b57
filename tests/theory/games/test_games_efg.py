from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from named_games import named_games

from theory.errors import NumberError
from theory.games import Choice, Game, Node, Tree, chance, choice, end, from_efg, to_efg

pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")

HALF = Fraction(1, 2)
DRIVER = """EFG 2 R "The absent-minded driver" { "driver" }
p "" 1 1 "crossing" { "exit" "on" } 0
t "" 1 "home late" { 0 }
p "" 1 1 0
t "" 2 "home" { 4 }
t "" 3 "hotel" { 1 }
"""

POKER = """EFG 2 R "Poker" { "Ann" "Bob" } "One card, one bet; the ante is paid first."
c "deal" 1 "cards" { "king" 1/2 "queen" .50 } 7 "ante" { -1, -1 }
p "high" 1 1 "king" { "bet" "fold" } 0
p "" 2 5 "unseen" { "call" "fold" } 0
t "" 1 "win" { 3, -1 }
t "" 2 "take" { 2, 0 }
t "" 3 "give" { 0, 2 }
p "low" 1 2 "queen" { "bet" "fold" } 0
p "" 2 5 0
t "" 4 "lose" { -1 3.0 }
t "" 2
t "" 3
"""


def driver() -> Game:
    second = choice("driver", "crossing", {"exit": end(4, outcome="home"), "on": hotel()})
    first = {"exit": end(0, outcome="home late"), "on": second}
    return Game.of(["driver"], choice("driver", "crossing", first))


def hotel() -> Tree:
    return end(1, outcome="hotel")


def poker() -> Game:
    def hand(card: str, name: str, called: Tree) -> Tree:
        answer = choice("Bob", "unseen", {"call": called, "fold": end(2, 0, outcome="take")})
        return choice("Ann", card, {"bet": answer, "fold": end(0, 2, outcome="give")}, name=name)

    high = hand("king", "high", end(3, -1, outcome="win"))
    low = hand("queen", "low", end(-1, 3, outcome="lose"))
    deal = chance(
        {"king": (HALF, high), "queen": (HALF, low)}, [-1, -1], outcome="ante", name="deal"
    )
    return Game.of(["Ann", "Bob"], deal)


@pytest.mark.parametrize(
    ("text", "game"), [(DRIVER, driver()), (POKER, poker())], ids=["driver", "poker"]
)
def test_games_written_by_hand(text: str, game: Game) -> None:
    assert from_efg(text) == game


def test_the_title_is_kept_and_the_comment_is_not() -> None:
    game = from_efg(POKER)
    assert game.title == "Poker"
    assert "ante is paid first" not in to_efg(game)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: " \t\v\f\n" + text.replace(" ", "\n\n"),
        lambda text: text.replace(",", " "),
        lambda text: text.replace(" }", ", }").replace('", }', '" }').replace(".50, }", ".50 }"),
        lambda text: text.replace("EFG 2 R", "EFG 2 D"),
        lambda text: text.replace(" {", "{").replace('" "', '""').replace("{ ", "{"),
        lambda text: text.replace("-1", "-10.0E-1").replace("1/2", "+5e-1"),
        lambda text: text.replace('"unseen"', '""').replace(
            "2 5 0\n", '2 5 "unseen" {"call" "fold"}0\n'
        ),
        lambda text: text.replace('t "" 2\n', 't "" 2 "another name" { 2 0 }\n'),
    ],
    ids=[
        "crlf",
        "space",
        "no commas",
        "last comma",
        "D",
        "tight",
        "numbers",
        "name later",
        "again",
    ],
)
def test_writings_of_the_same_game(change: Callable[[str], str]) -> None:
    text = POKER.replace('"One card, one bet; the ante is paid first."', "")
    assert change(text) != text
    assert from_efg(change(text)) == poker()


@pytest.mark.parametrize("number", ["2", "+2", "2.", "2.0", "4/2", "20e-1", "0.2E1", "002"])
def test_numbers_are_read_as_written(number: str) -> None:
    assert from_efg(f'EFG 2 R "" {{ "A" }} t "" 1 "" {{ {number} }}').totals == ((Fraction(2),),)


def test_decimals_are_exact() -> None:
    text = 'EFG 2 R "" { "A" } c "" 1 "" { "a" 0.1 "b" .2 "c" 7/10 } 0 t "" 0 t "" 0 t "" 0'
    assert from_efg(text).nodes[0].probabilities == (
        Fraction(1, 10),
        Fraction(1, 5),
        Fraction(7, 10),
    )


def test_a_backslash_stands_before_a_quotation_mark_or_itself() -> None:
    game = from_efg(r'EFG 2 R "a \"good\" \\ game \n" { "\\" } t "\"" 0')
    assert game.title == r'a "good" \ game \n'
    assert game.players == ("\\",)
    assert game.nodes[0].name == '"'
    assert from_efg('EFG 2 R "a \\\n b" { "A" } t "" 0').title == "a \\\n b"


def sets(text: str) -> list[tuple[str, str, tuple[int, ...]]]:
    game = from_efg(text)
    return [(game.players[s.player], s.name, s.nodes) for s in game.infosets]


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ('1 "x"', '2 "y"', ["x", "y"]),
        ('1 "x"', '2 "x"', ["x 1", "x 2"]),
        ('1 ""', '2 ""', ["1", "2"]),
        ('30 ""', '2 ""', ["30", "2"]),
        ('1 "x"', '1 "y"', ["x"]),
        ('1 ""', '1 "y"', ["y"]),
    ],
)
def test_a_set_is_its_number_and_names_are_made_to_differ(
    first: str, second: str, names: list[str]
) -> None:
    moves = '{ "a" } 0\n'
    text = f'EFG 2 R "" {{ "A" "B" }} p "" 1 {first} {moves} p "" 1 {second} {moves} t "" 0'
    assert [name for _, name, _ in sets(text)] == names


def test_a_made_name_does_not_take_the_name_of_another_set() -> None:
    line = 'p "" 1 {} "{}" {{ "a" }} 0\n'
    names = [(1, "x"), (2, "x"), (3, "x 1"), (4, "x 1'")]
    body = "".join(line.format(number, name) for number, name in names)
    got = [name for _, name, _ in sets(f'EFG 2 R "" {{ "A" }} {body} t "" 0')]
    assert got == ["x 1''", "x 2", "x 1", "x 1'"]


def test_sets_of_two_players_may_share_number_and_name() -> None:
    line = 'p "" {} 1 "x" {{ "a" }} 0\n'
    text = f'EFG 2 R "" {{ "A" "B" }} {line.format(2)} {line.format(1)} {line.format(2)} t "" 0'
    assert sets(text) == [("B", "x", (0, 2)), ("A", "x", (1,))]


def test_players_and_moves_without_names_of_their_own() -> None:
    text = """EFG 2 R "" { "" "" "A" } c "" 1 "" { "" 1/4 "" 3/4 } 0
    p "" 1 1 "" { "go" "go" "stay" } 0 t "" 0 t "" 0 t "" 0 t "" 0"""
    game = from_efg(text)
    assert game.players == ("1", "2", "A")
    assert game.nodes[0].moves == ("1", "2")
    assert game.nodes[1].moves == ("go 1", "go 2", "stay")


@given(named_games())
def test_there_and_back(game: Game) -> None:
    back = from_efg(to_efg(game))
    assert back == game
    assert back.title == game.title
    assert to_efg(back) == to_efg(game)


def another_writing(game: Game, rng: random.Random) -> str:
    """The same game by other numbers, other blanks, and each description only sometimes again."""
    numbers: dict[tuple[str, object], int] = {}
    described: set[tuple[str, object]] = set()

    def number(kind: str, what: object) -> str:
        fresh = rng.randint(1, 1000) * 1000 + len(numbers)
        return str(numbers.setdefault((kind, what), fresh))

    def about(kind: str, what: object, words: list[str]) -> list[str]:
        again = (kind, what) not in described or rng.random() < 0.5
        described.add((kind, what))
        return words if again else []

    def quoted(name: str) -> str:
        return '"' + "".join("\\" + c if c in '"\\' else c for c in name) + '"'

    def rational(x: Fraction) -> str:
        k = rng.randint(1, 3)
        return rng.choice([str(x), f"{k * x.numerator}/{k * x.denominator}"])

    def line(node: Node) -> list[str]:
        outcome = (node.outcome, node.payoffs)
        payoffs = [w for x in node.payoffs for w in [rational(x), rng.choice(["", ","])]]
        words = [quoted(node.outcome), "{", *payoffs, "}"]
        paid = [number("o", outcome), *about("o", outcome, words)]
        if node.is_end:
            return ["t", quoted(node.name), *paid]
        if node.is_chance:
            odds = zip(node.moves, node.probabilities, strict=True)
            law = (node.moves, node.probabilities)
            words = ['"deal"', "{", *(w for m, p in odds for w in [quoted(m), rational(p)]), "}"]
            return ["c", quoted(node.name), number("c", law), *about("c", law, words), *paid]
        infoset = game.infosets[node.infoset]
        words = [quoted(infoset.name), "{", *map(quoted, node.moves), "}"]
        k = node.infoset
        where = [str(infoset.player + 1), number("p", k), *about("p", k, words)]
        return ["p", quoted(node.name), *where, *paid]

    words = ["EFG", "2", rng.choice("RD"), quoted(game.title), "{", *map(quoted, game.players), "}"]
    words += rng.choice([[], ['"a comment"']])
    words += [word for node in game.nodes for word in line(node)]
    return "".join(word + rng.choice([" ", "\n", "\t", "\r\n", "  "]) for word in words)


@given(named_games(), st.randoms(use_true_random=False))
def test_another_writing_of_the_same_game(game: Game, rng: random.Random) -> None:
    back = from_efg(another_writing(game, rng))
    assert back == game
    assert back.title == game.title


@given(named_games(), st.integers(0, 6))
def test_another_game_is_another_text(game: Game, v: int) -> None:
    v %= len(game.nodes)
    node = game.nodes[v]
    paid = replace(node, payoffs=(node.payoffs[0] + 1, *node.payoffs[1:]))
    other = replace(game, nodes=(*game.nodes[:v], paid, *game.nodes[v + 1 :]))
    assert from_efg(to_efg(other)) == other != game


def test_deep_games() -> None:
    text = 'EFG 2 R "" { "A" }\n' + 'p "" 1 1 "x" { "out" "on" } 0 t "" 0\n' * 5000 + 't "" 0'
    game = from_efg(text)
    assert game.depth == 5000
    assert [len(s.nodes) for s in game.infosets] == [5000]
    assert from_efg(to_efg(game)) == game


def test_large_games() -> None:
    width = 3000
    moves = " ".join(f'"{k}"' for k in range(width))
    branch = 'p "" 1 2 "y" { "a" } 0 t "" 1 "" { 2 }\n'
    game = from_efg(f'EFG 2 R "" {{ "A" }} p "" 1 1 "x" {{ {moves} }} 0\n{branch * width}')
    assert len(game.nodes) == 2 * width + 1
    assert [len(s.nodes) for s in game.infosets] == [1, width]
    assert sum(paid for (paid,) in game.totals) == 2 * width


@pytest.mark.parametrize("payoff", [10**4000, Fraction(1, 10**9000), Fraction(3**3000, 2**9000)])
def test_numbers_too_long_to_be_read_back_are_not_written(payoff: Fraction | int) -> None:
    with pytest.raises(NumberError, match="4000 digits"):
        to_efg(Game.of(["A"], end(payoff)))


def test_payoffs_on_the_way_are_kept_where_they_are() -> None:
    tree = Choice("A", "x", ("a",), (end(2),), (Fraction(1),), "bonus", "here")
    game = Game.of(["A"], tree)
    assert 'p "here" 1 1 "x" { "a" } 1 "bonus" { 1 }' in to_efg(game)
    assert from_efg(to_efg(game)).totals == ((1,), (3,))
