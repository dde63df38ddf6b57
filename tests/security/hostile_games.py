"""Games, moves and logarithms that ask for much work; files in Gambit's formats."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count, islice, product
from typing import Any, Final

from hostile_documents import (
    as_efg,
    as_json,
    make_law,
    make_mechanism,
    make_units,
)

__all__ = ["GAMES"]


def _logarithms(states: int, goods: int) -> Any:
    """Return a forecast by logarithms, of which many numbers ask whether they cancel."""
    masses = [10**4 + (i * 7919) % 10**4 for i in range(states)]
    return as_json(
        {
            "kind": "information",
            "states": {f"s{i}": f"{mass}/{sum(masses)}" for i, mass in enumerate(masses)},
            "variables": {"v": {f"s{i}": i // 2 for i in range(states)}},
            "forecast": {"rule": "log", "event": [f"s{i}" for i in range(0, states, 2)]},
            "goods": [{"name": f"g{k}", "reveals": ["v"]} for k in range(goods)],
        }
    )


def _game(players: int, actions: int, **more: Any) -> Any:
    names = [f"a{k}" for k in range(actions)]

    def table(left: int, salt: int) -> Any:
        if not left:
            return [(salt * (p + 3)) % 11 for p in range(players)]
        return {a: table(left - 1, salt * 5 + k) for k, a in enumerate(names)}

    who = [f"p{i}" for i in range(players)]
    return as_json(
        {
            "kind": "game",
            "players": who,
            "actions": dict.fromkeys(who, names),
            "payoffs": table(players, 1),
            **more,
        }
    )


def _long_payoffs(actions: int, **more: Any) -> Any:
    """Return a game of two players whose payoffs have a denominator each."""
    names = [f"a{k}" for k in range(actions)]
    cells = iter(range(2**60, 2**61, 2**40 - 1))
    table = {a: {b: [f"7/{next(cells)}", f"5/{next(cells)}"] for b in names} for a in names}
    return as_json(
        {
            "kind": "game",
            "players": ["p0", "p1"],
            "actions": {"p0": names, "p1": names},
            "payoffs": table,
            **more,
        }
    )


def _at_once(moves: int, step: int = 1) -> tuple[str, bytes]:
    """Return an extensive game of two players at once whose payoffs have a denominator each.

    With a step of a high power of two they come to few values, nearly.
    """

    def named(letter: str) -> str:
        return "{" + "".join(f' "{letter}{k}"' for k in range(moves)) + " }"

    text = f'EFG 2 R "x" {{ "a" "b" }} p "" 1 1 "" {named("x")} 0'
    for i in range(moves):
        text += f' p "" 2 1 "" {named("y")} 0'
        for j in range(moves):
            k = i * moves + j
            won = 3**k * step % 2**60
            text += f' t "" {k + 1} "" {{ {won}/{2**60 + k} {2**60 - won}/{2**60 - k - 1} }}'
    return ".efg", text.encode()


def _chain(size: int) -> Any:
    def row(i: int) -> list[str]:
        weights = [(i * 7 + j * 3) % 101 + 1 for j in range(size)]
        return [f"{w}/{sum(weights)}" for w in weights]

    return as_json({"kind": "fixed-point", "matrix": [row(i) for i in range(size)]})


def _even(size: int) -> list[str]:
    return [f"1/{2 * size}"] * size


def _constants(weights: Iterable[str], **more: Any) -> Any:
    """Return a mixture of maps that send all indices to one each."""
    constants = [{"target": 7 * k, "weight": weight} for k, weight in enumerate(weights)]
    return as_json({"kind": "fixed-point", "size": 10**9, "constants": constants, **more})


def _by_chance(branches: int, sets: int) -> tuple[str, bytes]:
    """Return a game in which chance leads to a move of one of two players, at few sets."""
    odds = f' "" 1/{branches}' * branches
    text = f'EFG 2 R "x" {{ "a" "b" }} c "" 1 "" {{{odds} }} 0'
    for k in range(branches):
        text += f' p "" {k % 2 + 1} {k % sets // 2 + 1} "" {{ "s" "g" }} 0'
        for end in (2 * k + 1, 2 * k + 2):
            text += f' t "" {end} "" {{ {end * end % 997} {end**3 % 991} }}'
    return ".efg", text.encode()


def _wide(ends: int) -> tuple[str, bytes]:
    """Return a game of two players in which chance alone moves, and once."""
    odds = f' "" 1/{ends}' * ends
    text = f'EFG 2 R "x" {{ "a" "b" }} c "" 1 "" {{{odds} }} 0'
    return ".efg", (text + ' t "" 0' * ends).encode()


def _chances(moves: int) -> tuple[str, bytes]:
    """Return a game in which chance moves again and again, with a denominator each."""
    text = 'EFG 2 R "x" { "a" }'
    for k, under in enumerate(islice(count(2**60 + 1, 2), moves), 1):
        text += f' c "" {k} "" {{ "a" 1/{under} "b" {under - 1}/{under} }} 0'
        text += f' t "" {k} "" {{ {k * k % 7} }}'
    return ".efg", f'{text} t "" {moves + 1} "" {{ 1 }}'.encode()


def _forgetful(depth: int, players: int, payoffs: int = 1) -> tuple[str, bytes]:
    """Return a game of players who forget by turns what they did, and whose payoffs are few."""
    names = "".join(f' "{k}"' for k in range(players))
    text, ends = f'EFG 2 R "x" {{{names} }}', count(1)

    def node(left: int, place: int) -> str:
        if not left:
            end = next(ends)
            return f' t "" {end} "" {{{f" {end * end % payoffs}" * players} }}'
        step = depth - left
        head = f' p "" {step % players + 1} {step // players * 2 + place % 3 % 2 + 1} "" '
        return f'{head}{{ "l" "r" }} 0{node(left - 1, 5 * place + 1)}{node(left - 1, 7 * place)}'

    return ".efg", (text + node(depth, 1)).encode()


_LONG: Final = b"b" * 700_000

GAMES: Final[dict[str, tuple[str, bytes, str]]] = {
    "a distribution with a sum of many digits": (
        *_game(
            2,
            10,
            distribution=[
                {"profile": list(pair), "probability": p}
                for pair, p in zip(product(make_law("a", 10), repeat=2), make_units(), strict=False)
            ],
        ),
        r"\$.distribution: has sum about 8.67362e-17",
    ),
    "a distribution of many probabilities": (
        *_game(
            2,
            100,
            distribution=[
                {"profile": list(pair), "probability": p}
                for pair, p in zip(
                    product(make_law("a", 100), repeat=2), make_units(), strict=False
                )
            ],
        ),
        r"\$.distribution: asks for [\d,]+ steps by the length of numbers",
    ),
    "a play with a sum of many digits": (
        *_game(2, 30, plays={"p0": [make_law("a", 30)], "p1": ["a0"]}),
        r"\$.plays.p0\[0\]: has sum about 2.60209e-17",
    ),
    "many types": (*make_mechanism(1, 1_500), "comparisons, more than the limit of 1,000,000"),
    "a game of many actions": (*_game(2, 60), "above the limit of 60,000"),
    "a game of 65 players": (*_game(65, 1), "players are more than 32 .got 65.: use fewer"),
    "a game of 33 players": (*_game(33, 1), "players are more than 32 .got 33.: use fewer"),
    "a game of 32 players": (*_game(32, 1), '"cce"'),
    "a game of payoffs with a denominator each": (
        ".nfg",
        b'NFG 1 R "x" { "a" "b" "c" } { 4 4 4 }'
        + b"".join(b" %d/%d" % (3**k % 2**60, 2**60 - k) for k in range(1, 193)),
        "by the length of numbers, above the limit of 1,500,000",
    ),
    "a game of payoffs of many sizes": (
        ".nfg",
        b'NFG 1 R "x" { "a" "b" } { 8 8 }'
        + b"".join(b" %d/%d" % (1 << k * k % 61, 3 ** (k * k * k % 37)) for k in range(128)),
        "the certificate proves that none is above",
    ),
    "a distribution over payoffs with a denominator each": (
        *_long_payoffs(
            30,
            distribution=[
                {"profile": [f"a{i}", f"a{j}"], "probability": "1/900"}
                for i in range(30)
                for j in range(30)
            ],
        ),
        r"\$.distribution: asks for [\d,]+ steps by the length of numbers",
    ),
    "rounds of play with a denominator each": (
        *_long_payoffs(36, plays={f"p{i}": [f"a{k * k % 36}" for k in range(300)] for i in (0, 1)}),
        r"\$.plays: asks for [\d,]+ steps by the length of numbers",
    ),
    "mixed play with a denominator each": (*_at_once(15), "nobody gains by deviating alone"),
    "mixed play with payoffs that nearly tie": (
        *_at_once(15, 2**53),
        "entries of tableaux in Lemke's method, by their length are more than the limit",
    ),
    "more mixed play with a denominator each": (
        *_at_once(30),
        "mixed play of 931 nodes comes to .* by the length of numbers",
    ),
    "rounds of play": (
        *_game(2, 30, plays={f"p{i}": ["a0"] * 9_000 for i in range(2)}),
        "asks for 8,100,000 rounds",
    ),
    "moves with a denominator each": (
        *as_json(
            {
                "kind": "fixed-point",
                "size": 84,
                "moves": [
                    {"source": i, "target": j, "weight": f"1/{500_000 + 911 * i + 7 * j}"}
                    for i in range(84)
                    for j in range(84)
                    if i != j
                ],
            }
        ),
        "steps of elimination, by the length of numbers, more than the limit",
    ),
    "many constants": (*_constants(_even(8_000)), "it lies on 8,000 indices"),
    "many constants in a linear program": (
        *_constants(_even(20_000), method="highs"),
        "asks for 20,000 indices of a linear program, more than the limit of 10,000",
    ),
    "constants with a denominator each": (
        *_constants(make_law("", 1_000).values()),
        r"\$.constants: asks for [\d,]+ indices, by the length of numbers, more than the limit",
    ),
    "fewer constants with a denominator each": (
        *_constants(make_law("", 300).values()),
        "it lies on 300 indices",
    ),
    "constants where moves have a denominator each": (
        *_constants(
            _even(20_000),
            moves=[
                {"source": i, "target": i + 1, "weight": p}
                for i, p in enumerate(make_law("", 300).values())
            ],
        ),
        r"\$.constants: asks for [\d,]+ indices, by the length of numbers, more than the limit",
    ),
    "logarithms of numbers that share many factors": (
        *_logarithms(90, 15),
        '"g14"',
    ),
    "logarithms of many such numbers": (*_logarithms(700, 1), '"g0"'),
    "a large matrix": (*_chain(200), "asks for 8,000,000 steps of elimination"),
    "many moves": (
        *as_json(
            {
                "kind": "fixed-point",
                "size": 10**30,
                "moves": [
                    {"source": k, "target": k * 7 % 3_001, "weight": "1/9000"} for k in range(3_000)
                ],
            }
        ),
        "steps of elimination, more than the limit",
    ),
    "astronomically many indices": (
        ".json",
        b'{"kind": "fixed-point", "size": ' + b"9" * 3_999 + b"}",
        "index 0 alone",
    ),
    # Gambit's formats
    "strategies without payoffs": (
        ".nfg",
        b'NFG 1 R "x" { "a" "b" } { 99999999 99999999 } 1 2',
        "more than 67,108,864 payoffs",
    ),
    "many players": (".nfg", b'NFG 1 R "x" {' + b' "a"' * 100_000, "more than 32 players"),
    "a large payoff": (
        *as_efg('t "" 1 "o" { 1e999999999 }'),
        "exponent beyond 4000|expected a payoff",
    ),
    "payoffs with a denominator each": (
        ".nfg",
        b'NFG 1 R "x" { "a" "b" } { 1 210 }'
        + b"".join(b" 1/%d" % (10**3_900 + k) for k in range(420)),
        "payoffs take more than 1,073,741,824 bits",
    ),
    "probabilities with a denominator each": (
        *as_efg('c "" 1 "" {' + "".join(f' "m" 1/{10**300 + k}' for k in range(3_000)) + " } 0"),
        "probabilities take more than 1,073,741,824 bits",
    ),
    "long payoffs": (
        ".nfg",
        b'NFG 1 R "x" { "a" "b" } { 3 3 }'
        + b"".join(b" 1/%d" % (10**3_900 + k) for k in range(18)),
        "numbers of the game have more than the limit of 20,000 digits together",
    ),
    "long probabilities": (
        *as_efg(
            'c "" 1 "" {'
            + "".join(f' "m" 1/{7**990 * 20} "m" {7**990 - 1}/{7**990 * 20}' for _ in range(20))
            + " } 0"
            + ' t "" 0' * 40
        ),
        "numbers of the game have more than the limit of 20,000 digits together",
    ),
    "chance before many profiles": (*_by_chance(100, 14), '"pure_equilibria"'),
    "more chance before many profiles": (
        *_by_chance(4_000, 14),
        "are more than the limit of [0-9]",
    ),
    "chance after chance with a denominator each": (
        *_chances(3_000),
        "nodes by player, by the length of numbers, more than the limit of 60,000",
    ),
    "as many ends after chance as there may be": (*_wide(29_000), '"recall"'),
    "more ends after chance": (
        *_wide(40_000),
        "asks for 80,002 nodes by player, .*more than the limit of 60,000",
    ),
    "more ends than are read": (
        *_wide(120_000),
        "asks for [0-9,]* characters, more than the limit of 1,000,000: give a smaller game",
    ),
    "less chance after chance": (*_chances(200), '"pure_equilibria"'),
    "equilibria of one who forgets": (*_forgetful(7, 1), "more than are listed, 1,000"),
    "fewer equilibria of one who forgets": (*_forgetful(7, 1, 31), '"regret"'),
    "equilibria of two who forget": (*_forgetful(7, 2), "are more than are listed, 29"),
    "payoffs of a player with a long name": (
        *(".nfg", b'NFG 1 R "x" { "a" "' + _LONG + b'" } { 1 90000 } "" ' + b"1 " * 180_000),
        "has a text of 700,000 characters",
    ),
    "outcomes of a player with a long name": (
        ".nfg",
        b'NFG 1 R "x" { "a" "' + _LONG + b'" } { 1 2 } "" { ' + b'{ "" 1 1 } ' * 20_000 + b"} 1 1",
        "has a text of 700,000 characters",
    ),
    "ends of a player with a long name": (
        ".efg",
        b'EFG 2 R "x" { "a" "'
        + _LONG
        + b'" } p "" 2 1 "" {'
        + b' "m"' * 9_000
        + b" } 0"
        + b"".join(b' t "" %d "" { 1 1 }' % k for k in range(1, 9_001)),
        "has a text of 700,000 characters",
    ),
    **{
        f"equal moves of one among {who}": (
            ".efg",
            b'EFG 2 R "x" {'
            + b' "a"' * who
            + b' } p "" 1 1 "" {'
            + b' "m"' * 999
            + b" } 0"
            + b' t "" 0' * 999,
            f"999 are more than are listed, {most}",
        )
        for who, most in ((1, 400), (2, 166))
    },
    "passes through one set": (
        ".efg",
        b'EFG 2 R "x" { "a" }' + b' p "" 1 1 "s" { "m" "n" } 0' * 15_000 + b' t "" 0' * 15_001,
        "passes through 's' are too many",
    ),
    "passes through many sets": (
        ".efg",
        b'EFG 2 R "x" { "a" }'
        + b"".join(b' p "" 1 %d "" { "m" "n" } 0' % (k % 7_000 + 1) for k in range(14_000))
        + b' t "" 0' * 14_001,
        "passes through absent-minded sets are too many",
    ),
    "sets of many players": (
        ".efg",
        b'EFG 2 R "x" {'
        + b' "a"' * 60_000
        + b" }"
        + b"".join(b' p "" 60000 %d "" { "m" } 0' % k for k in range(1, 20_000))
        + b' t "" 0',
        "asks for 1,200,000,000 nodes by player",
    ),
    "a name without end": (*as_efg('t "' + '\\"' * 400_000), "a quotation mark is never closed"),
    "a deep game": (
        *as_efg("".join(f'p "" 1 {k} "s" {{ "m" }} 0 ' for k in range(1, 9_000)) + 't "" 0'),
        "size|nested|depth",
    ),
    "a wide game": (
        *as_efg('p "" 1 1 "s" {' + ' "m"' * 20_000 + " } 0 " + 't "" 0 ' * 20_000),
        "pure_equilibria|more than",
    ),
    "a strategic game that is longer than is read": (
        *(".nfg", b'NFG 1 R "x" { "a" } { 1900000 } "" ' + b"1 " * 1_900_000),
        "asks for 3,8[0-9,]* characters, more than the limit of 2,000,000: give a smaller game",
    ),
    "brackets in a game": (*as_efg("{" * 900_000), "expected"),
}
