from __future__ import annotations

import pickle
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from named_games import named_games

from theory.errors import LimitError
from theory.games import EfgError, Game, from_efg, to_efg

pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")

HEAD = 'EFG 2 R "" { "Ann" "Bob" }\n'
CHANCE = 'c "" 1 "" { "a" 1/2 "b" 1/2 } 0\n'
PLAYER = 'p "" 1 1 "" { "a" "b" } 0\n'
END = 't "" 1 "" { 1, 2 }\n'
NONE = 't "" 0\n'

MALFORMED = {
    "nothing": ("", 1, 1, "", "expected 'EFG'"),
    "blanks": (" \n\n  ", 3, 3, "", "expected 'EFG'"),
    "no header": (PLAYER, 1, 1, "p", "expected 'EFG'"),
    "normal form": ('NFG 1 R "" { "A" }', 1, 1, "NFG", "expected 'EFG'"),
    "version": ('EFG 1 R "" { "A" }', 1, 5, "1", "expected '2'"),
    "data type": ('EFG 2 Q "" { "A" }', 1, 7, "Q", "expected 'R'"),
    "no title": ('EFG 2 R { "A" }', 1, 9, "{", "expected the title"),
    "no players": ('EFG 2 R "" { }', 1, 14, "}", "expected the name of a player"),
    "unquoted player": ('EFG 2 R "" { Ann }', 1, 14, "Ann", "expected the name of a player"),
    "players and a comma": ('EFG 2 R "" { "A", "B" }', 1, 17, ",", "expected '}'"),
    "players not closed": ('EFG 2 R "" { "A" t "" 0', 1, 18, "t", "expected '}'"),
    "only a header": (HEAD, 2, 1, "", "expected a node"),
    "unknown letter": (HEAD + 'q "" 0', 2, 1, "q", "expected a node"),
    "two comments": (HEAD + '"one" "two"' + NONE, 2, 7, '"two"', "expected a node"),
    "node without name": (HEAD + "t 0", 2, 3, "0", "expected the name of the node"),
    "truncated after the node": (HEAD + PLAYER + END, 4, 1, "", "expected a node"),
    "truncated in the node": (HEAD + 't ""', 2, 5, "", "expected the number of an outcome"),
    "truncated in the quotation": (HEAD + 't "', 2, 3, '"', "never closed"),
    "quotation ends with an escape": (HEAD + 't "\\"', 2, 3, '"', "never closed"),
    "player 0": (HEAD + 'p "" 0 1', 2, 6, "0", "expected the number of a player"),
    "player 3": (HEAD + 'p "" 3 1 ""', 2, 6, "3", "no player 3"),
    "player by name": (HEAD + 'p "" "Ann" 1', 2, 6, '"Ann"', "expected the number of a player"),
    "set 0": (HEAD + 'p "" 1 0', 2, 8, "0", "expected the number of an information set"),
    "set 1.5": (HEAD + 'p "" 1 1.5', 2, 8, "1.5", "expected the number of an information set"),
    "set -1": (HEAD + 'c "" -1', 2, 6, "-1", "expected the number of an information set"),
    "set ²": (HEAD + 'c "" ²', 2, 6, "²", "expected the number of an information set"),
    "set of 5000 digits": (HEAD + 'c "" ' + "1" * 5000, 2, 6, "1" * 5000, "information set"),
    "set not described": (HEAD + 'p "" 1 9 0', 2, 8, "9", "set 9 is not described"),
    "set of another player": (HEAD + PLAYER + 'p "" 2 1 0', 3, 8, "1", "set 1 is not described"),
    "name without moves": (HEAD + 'p "" 1 1 "x" 0', 2, 14, "0", "expected '{'"),
    "no moves": (HEAD + 'p "" 1 1 "" { } 0', 2, 15, "}", "expected the name of a move"),
    "moves not closed": (HEAD + 'p "" 1 1 "" { "a" 0', 2, 19, "0", "expected '}'"),
    "another move": (HEAD + PLAYER + PLAYER.replace("b", "c"), 3, 19, '"c"', "moves 'a', 'b'"),
    "moves swapped": (HEAD + PLAYER + 'p "" 1 1 "" { "b" "a" }', 3, 15, '"b"', "moves 'a', 'b'"),
    "one move less": (HEAD + PLAYER + 'p "" 1 1 "" { "a" }', 3, 19, "}", "moves 'a', 'b'"),
    "one move more": (
        HEAD + PLAYER + 'p "" 1 1 "" { "a" "b" "c" }', 3, 23, '"c"', "moves 'a', 'b'"
    ),
    "other odds": (
        HEAD + CHANCE + 'c "" 1 "" { "a" 1/2 "b" 1/3 "c" 1/6 }', 3, 21, '"b"', "'a' 1/2, 'b' 1/2"
    ),
    "no probability": (HEAD + 'c "" 1 "" { "a" }', 2, 17, "}", "expected a probability"),
    "probability after": (HEAD + 'c "" 1 "" { 1 "a" }', 2, 13, "1", "expected the name of a move"),
    "probability NaN": (HEAD + 'c "" 1 "" { "a" nan }', 2, 17, "nan", "expected a probability"),
    "probability of 1/0": (HEAD + 'c "" 1 "" { "a" 1/0 }', 2, 17, "1/0", "expected a probability"),
    "negative probability": (HEAD + 'c "" 1 "" { "a" -1 "b" 2 }', 2, 17, "-1", "is negative"),
    "sum of 5/6": (HEAD + 'c "" 1 "" { "a" 1/2 "b" 1/3 } 0', 2, 29, "}", "do not sum to one"),
    "thirds in decimals": (
        HEAD + 'c "" 1 "" { "a" .33 "b" .33 "c" .33 }', 2, 37, "}", "do not sum to one"
    ),
    "no outcome": (HEAD + 'p "" 1 1 "" { "a" } t', 2, 21, "t", "expected the number of an outcome"),
    "outcome -1": (HEAD + 't "" -1', 2, 6, "-1", "expected the number of an outcome"),
    "outcome not described": (HEAD + 't "" 4', 2, 6, "4", "outcome 4 is not described"),
    "outcome 0 described": (HEAD + 't "" 0 "zero" { 0, 0 }', 2, 8, '"zero"', "outcome 0 is none"),
    "outcome pays otherwise": (
        HEAD + PLAYER + END + 't "" 1 "" { 1, 5/2 }', 4, 6, "1", "payoffs 1, 2"
    ),
    "no payoffs": (HEAD + 't "" 1 "x"', 2, 11, "", "expected '{'"),
    "one payoff": (HEAD + 't "" 1 "" { 1 }', 2, 15, "}", "expected a payoff for 'Bob'"),
    "three payoffs": (HEAD + 't "" 1 "" { 1, 2, 3 }', 2, 19, "3", "expected '}'"),
    "two commas": (HEAD + 't "" 1 "" { 1,, 2 }', 2, 15, ",", "expected a payoff for 'Bob'"),
    "payoff NaN": (HEAD + 't "" 1 "" { 1, NaN }', 2, 16, "NaN", "expected a payoff for 'Bob'"),
    "payoff inf": (HEAD + 't "" 1 "" { -inf, 1 }', 2, 13, "-inf", "expected a payoff for 'Ann'"),
    "payoff in quotation": (HEAD + 't "" 1 "" { "1", 2 }', 2, 13, '"1"', "expected a payoff"),
    "payoff too long": (HEAD + 't "" 1 "" { 1e4000 }', 2, 13, "1e4000", "round it first"),
    "trailing node": (HEAD + END + NONE, 3, 1, "t", "the tree is complete"),
    "trailing brace": (HEAD + NONE + "\n\n }", 5, 2, "}", "the tree is complete"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line", "column", "token", "says"), MALFORMED.values(), ids=MALFORMED.keys()
)
def test_malformed(text: str, line: int, column: int, token: str, says: str) -> None:
    with pytest.raises(EfgError) as caught:
        from_efg(text)
    error = caught.value
    assert (error.line, error.column, error.token) == (line, column, token)
    assert says in str(error)
    assert str(error).startswith(f"line {line}, column {column}, ")
    assert len(str(error)) < 250
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_the_message_says_where_and_what_to_write() -> None:
    with pytest.raises(EfgError) as caught:
        from_efg(HEAD + 'c "" 1 "" { "a" }')
    assert str(caught.value) == (
        "line 2, column 17, token '}': expected a probability; "
        'write an integer, a fraction "p/q" or a decimal'
    )


def test_malformed_lines_are_counted_through_quotations() -> None:
    with pytest.raises(EfgError, match="line 4, column 5, token 'x'"):
        from_efg(HEAD + 't "two\nlines"\n 0  x')


def refusal(text: str) -> EfgError | None:
    try:
        from_efg(text)
    except EfgError as error:
        return error
    return None


def is_game(text: str) -> bool:
    """Whether a text is read; if not, the error points at its token."""
    error = refusal(text)
    if error is None:
        return True
    before = text.split("\n")[: error.line - 1]
    assert text.startswith(error.token, sum(len(line) + 1 for line in before) + error.column - 1)
    return False


@given(named_games(), st.data())
def test_truncated_text(game: Game, data: st.DataObject) -> None:
    text = to_efg(game)
    last = max(text.rindex("\nt "), 0)
    assert not is_game(text[: data.draw(st.integers(0, last))])
    is_game(text[: data.draw(st.integers(last, len(text)))])


@given(named_games(), st.data())
def test_words_left_out_put_in_or_replaced(game: Game, data: st.DataObject) -> None:
    words = to_efg(game).split(" ")
    for _ in range(data.draw(st.integers(1, 3))):
        k = data.draw(st.integers(0, len(words)))
        new = st.sampled_from([*words, '"', "{", "}", ",", "-1", "1e9999", "t", "0", "nan"])
        words[k : k + data.draw(st.integers(0, 2))] = data.draw(st.lists(new, max_size=2))
    is_game(" ".join(words))


def test_probabilities_over_a_denominator_too_long_are_refused_at_once() -> None:
    moves = " ".join(f'"{k}" 1/{10**300 + k}' for k in range(3_000))
    start = process_time()
    with pytest.raises(LimitError, match="probabilities take more than 1,073,741,824 bits"):
        from_efg(HEAD + f'c "" 1 "" {{ {moves} }} 0\n' + NONE * 3_000)
    assert process_time() - start < 5


@given(st.text('EFG2RDcpt01/.-"\\{}, \n'))
def test_any_text_at_all(text: str) -> None:
    is_game(text)
    is_game(HEAD + text)
    is_game(HEAD + CHANCE + NONE + text)
