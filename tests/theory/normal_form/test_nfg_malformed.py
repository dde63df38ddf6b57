from __future__ import annotations

import pickle
from fractions import Fraction
from inspect import unwrap
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from normal_form_games import named

from theory.errors import InvalidInputError, LimitError
from theory.normal_form import NfgError, NormalFormGame, from_nfg, to_nfg

HEAD = 'NFG 1 R "" { "Ann" "Bob" }\n'
TWO = HEAD + "{ 2 1 }\n"
LIST = TWO + '{ { "x" 1, 2 } }\n'

MALFORMED = {
    "nothing": ("", 1, 1, "", "expected 'NFG'"),
    "extensive form": ('EFG 2 R "" { "A" }', 1, 1, "EFG", "expected 'NFG'"),
    "version": ('NFG 2 R "" { "A" }', 1, 5, "2", "expected '1'"),
    "data type": ('NFG 1 Q "" { "A" }', 1, 7, "Q", "expected 'R'"),
    "no title": ('NFG 1 R { "A" }', 1, 9, "{", "expected the title"),
    "no players": ('NFG 1 R "" { }', 1, 14, "}", "expected the name of a player"),
    "unquoted player": ('NFG 1 R "" { Ann }', 1, 14, "Ann", "expected the name of a player"),
    "many players": ('NFG 1 R "" { ' + '"A" ' * 33, 1, 142, '"A"', "more than 32 players"),
    "only a header": (HEAD, 2, 1, "", "expected '{' before the strategies"),
    "one count": (HEAD + "{ 2 } 1 2 3 4", 2, 5, "}", "how many strategies 'Bob' has"),
    "three counts": (HEAD + "{ 2 1 1 } 1 2 3 4", 2, 7, "1", "expected '}' after the strategies"),
    "no strategies": (HEAD + "{ 2 0 }", 2, 5, "0", "an integer of at least 1"),
    "negative count": (HEAD + "{ -2 1 }", 2, 3, "-2", "how many strategies 'Ann' has"),
    "a named and a count": (HEAD + '{ { "a" } 2 } 1 2', 2, 11, "2", "strategies of 'Bob'"),
    "no names": (HEAD + "{ { } { } }", 2, 5, "}", "a strategy of 'Ann'"),
    "names not closed": (HEAD + '{ { "a" { "b" } }', 2, 9, "{", "after the strategies of 'Ann'"),
    "more than fits": (HEAD + "{ 100000 100000 } 1", 2, 3, "100000", "too short"),
    "more than we take": (HEAD + "{ 99999999999999 1 } 1", 2, 3, "99999999999999", "67,108,864"),
    "no body": (TWO, 3, 1, "", "a payoff for 'Ann', profile 1 of 2"),
    "two comments": (TWO + '"one" "two" 1', 3, 7, '"two"', "a payoff for 'Ann'"),
    "truncated payoffs": (TWO + "1 2\n3", 4, 2, "", "a payoff for 'Bob', profile 2 of 2"),
    "one payoff more": (TWO + "1 2 3 4 5", 3, 9, "5", "the game is complete"),
    "comma": (TWO + "1, 2 3 4", 3, 2, ",", "a payoff for 'Bob', profile 1"),
    "payoff NaN": (TWO + "1 2 nan 4", 3, 5, "nan", "profile 2 of 2"),
    "payoff inf": (TWO + "1 2 -inf 4", 3, 5, "-inf", "profile 2 of 2"),
    "payoff 1/0": (TWO + "1 2 1/0 4", 3, 5, "1/0", "expected a payoff"),
    "payoff too long": (TWO + "1 2 1e4000 4", 3, 5, "1e4000", "round it first"),
    "payoff in quotation": (TWO + '1 2 3 "4"', 3, 7, '"4"', "expected a payoff"),
    "quotation not closed": (HEAD + '{ { "a', 2, 5, '"', "never closed"),
    "outcome without name": (TWO + "{ { 1, 2 } } 1 1", 3, 5, "1", "the name of an outcome"),
    "outcome too short": (TWO + '{ { "x" 1 } } 1 1', 3, 11, "}", "a payoff for 'Bob'"),
    "outcome too long": (TWO + '{ { "x" 1, 2, 3 } } 1 1', 3, 15, "3", "after one payoff a player"),
    "outcomes not closed": (TWO + '{ { "x" 1, 2 } 1 1', 3, 16, "1", "'}' after the outcomes"),
    "index too high": (LIST + "1 2", 4, 3, "2", "there is no outcome 2"),
    "index negative": (LIST + "1 -1", 4, 3, "-1", "the number of a profile's outcome"),
    "index fraction": (LIST + "1 1/2", 4, 3, "1/2", "the number of a profile's outcome"),
    "truncated indices": (LIST + "1", 4, 2, "", "the number of a profile's outcome"),
    "one index more": (LIST + "1 0 1", 4, 5, "1", "the game is complete"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line", "column", "token", "says"), MALFORMED.values(), ids=MALFORMED.keys()
)
def test_malformed(text: str, line: int, column: int, token: str, says: str) -> None:
    with pytest.raises(NfgError) as caught:
        from_nfg(text)
    error = caught.value
    assert (error.line, error.column, error.token) == (line, column, token)
    assert says in str(error)
    assert str(error).startswith(f"line {line}, column ")
    assert len(str(error)) < 250
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_what_is_no_text() -> None:
    with pytest.raises(InvalidInputError, match="is not text"):
        unwrap(from_nfg)(b"NFG 1 R")


def refusal(text: str) -> NfgError | None:
    try:
        from_nfg(text)
    except NfgError as error:
        return error
    return None


def is_game(text: str) -> bool:
    """Whether a text is read; if not, the error points at its token."""
    error = refusal(text)
    if error is None:
        return True
    before = text.split("\n")[: error.line - 1]
    place = sum(len(line) + 1 for line in before) + error.column - 1
    assert text.startswith(error.token, place)
    return False


@given(named(), st.booleans(), st.data())
def test_truncated_text(game: NormalFormGame, outcomes: bool, data: st.DataObject) -> None:
    words = to_nfg(game, outcomes=outcomes).rstrip()
    last = max(words.rindex(" "), words.rindex("\n"))
    assert is_game(words)
    assert not is_game(words[: data.draw(st.integers(0, last))])


@given(named(), st.booleans(), st.data())
def test_words_left_out_put_in_or_replaced(
    game: NormalFormGame, outcomes: bool, data: st.DataObject
) -> None:
    words = to_nfg(game, outcomes=outcomes).split(" ")
    for _ in range(data.draw(st.integers(1, 3))):
        k = data.draw(st.integers(0, len(words)))
        new = st.sampled_from([*words, '"', "{", "}", ",", "-1", "1e9999", "0", "nan", "10000000"])
        words[k : k + data.draw(st.integers(0, 1))] = data.draw(st.lists(new, max_size=1))
    is_game(" ".join(words))


def test_payoffs_over_a_denominator_too_long_are_refused_at_once() -> None:
    payoffs = " ".join(f"1/{10**3_900 + k}" for k in range(420))
    start = process_time()
    with pytest.raises(LimitError, match="payoffs take more than 1,073,741,824 bits"):
        from_nfg('NFG 1 R "" { "A" "B" } { 1 210 } ' + payoffs)
    assert process_time() - start < 10


def test_a_long_payoff_that_many_profiles_have_is_refused() -> None:
    text = f'NFG 1 R "" {{ "A" }} {{ 500000 }} {{ {{ "" 1/3 }} {{ "" {"7" * 3_900} }} }} 1'
    with pytest.raises(LimitError, match="payoffs take more than 1,073,741,824 bits"):
        from_nfg(text + " 2" * 499_999)


def test_a_million_profiles_are_read() -> None:
    game = from_nfg('NFG 1 R "" { "A" "B" } { 1000 1000 } ' + "7 -3 " * 1_000_000)
    assert game.payoff("B", ["1", "2"]) == -3


def test_arrays_of_payoffs_share_a_denominator_of_limited_length() -> None:
    rows = [[[Fraction(1, 10**3_900 + 150 * p + k) for k in range(150)]] for p in range(2)]
    with pytest.raises(LimitError, match="payoffs take more than 1,073,741,824 bits"):
        NormalFormGame.of(rows)


def test_a_game_of_the_most_payoffs_is_read_and_no_larger_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("theory.normal_form._nfg_reader.MAX_PAYOFFS", 3)
    assert from_nfg('NFG 1 R "" { "A" } { 3 } 0 1 2').shape == (3,)
    with pytest.raises(NfgError, match="has more than 3 payoffs"):
        from_nfg('NFG 1 R "" { "A" } { 4 } 0 1 2 3')
