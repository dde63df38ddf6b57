"""Files whose text asks for much: depth, length, digits, names that an answer repeats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from hostile_documents import (
    EXAMPLE,
    as_efg,
    as_json,
    make_goods,
    make_information,
)

__all__ = ["SYNTAX", "TOO_DEEP"]


def _toml(text: str) -> tuple[str, bytes]:
    return ".toml", text.encode()


def _named_again_and_again(name: Callable[[int], str], goods: int = 400) -> Any:
    """Return a problem whose answer names 60 states again with each good."""
    return as_json(
        {
            "kind": "information",
            "states": {name(k): "1/60" for k in range(60)},
            "utilities": {"a": {name(k): 0 for k in range(60)}},
            "goods": [{"name": f"g{k}", "reveals": []} for k in range(goods)],
        }
    )


def _deep_tree(depth: int) -> bytes:
    node = '{"player": "a", "infoset": "i%d", "moves": {"on": '
    text = "".join(node % k for k in range(depth)) + '{"payoffs": [1]}' + "}}" * depth
    return f'{{"kind": "game", "players": ["a"], "tree": {text}}}'.encode()


def _wrong_payoff(depth: int, keys: int, last: int) -> Any:
    """Return a deep tree with many ends, of which the deepest holds what is no number."""
    node: Any = {f"m{k}": {"payoffs": [0]} for k in range(last)} | {"bad": {"payoffs": ["oops"]}}
    for d in range(depth):
        after = {"player": "a", "infoset": f"i{d}", "moves": node}
        node = {"b": after} | {f"k{k}": {"payoffs": [0]} for k in range(keys)}
    tree = {"player": "a", "infoset": "first", "moves": node}
    return as_json({"kind": "game", "players": ["a"], "tree": tree})


def _states_with(number: str) -> tuple[str, bytes]:
    return ".json", f'{{"kind": "information", "states": {{"a": {number}}}}}'.encode()


TOO_DEEP: Final = "is nested too deeply, more than 200 levels"


SYNTAX: Final[dict[str, tuple[str, bytes, str]]] = {
    # TOML
    "a dotted key of 80 KB": (*_toml("a" + ".a" * 40_000 + " = 1"), "more than 50 parts"),
    "a dotted header": (*_toml("[a" + ".a" * 40_000 + "]"), "more than 50 parts"),
    "a quoted dotted key": (*_toml('"a"' + " . 'a'" * 20_000 + " = 1"), "more than 50 parts"),
    "dotted keys in a table": (*_toml("x = { a" + ".a" * 9_000 + " = 1 }"), "more than 50 parts"),
    "many dotted keys": (
        *_toml("".join(f"k{k}{'.a' * 48} = 1\n" for k in range(8_000))),
        "tables in dotted keys, more than the limit of 20,000",
    ),
    "nested lists in TOML": (*_toml("a = " + "[" * 99_999), "nested too deeply, more than 100"),
    "nested tables in TOML": (*_toml("a = " + "{a=" * 99_999), "nested too deeply, more than 100"),
    "a long integer in TOML": (*_toml("a = " + "7" * 500_000), "more than 4000 digits"),
    "a string without end": (*_toml('a = """' + '\\"' * 400_000), "Unterminated string"),
    "a long comment": (*_toml("#" * 1_500_000), "more than the limit of 1,000,000"),
    "many tables": (*_toml("".join(f"[t{k}]\n" for k in range(100_000))), 'has no "kind"'),
    "a key twice in TOML": (*_toml("kind = 1\nkind = 2"), "Cannot overwrite"),
    "not a number in TOML": (*_toml('kind = "information"\nstates = { a = nan }'), "states"),
    "infinity in TOML": (*_toml('kind = "information"\nstates = { a = -inf }'), "states"),
    "bytes that are no text in TOML": (".toml", b'kind = "\xff"', "is not UTF-8 text"),
    "zero bytes in TOML": (".toml", b"kind = \0", "nvalid"),
    # JSON
    "not a number": (*_states_with("NaN"), "states"),
    "infinity": (*_states_with("-Infinity"), "states"),
    "nested lists in JSON": (".json", b'{"id": ' + b"[" * 999_999, TOO_DEEP),
    "nested objects in JSON": (".json", b'{"a":' * 199_999, TOO_DEEP),
    "closed nested objects": (".json", b'{"a":' * 990 + b"1" + b"}" * 990, TOO_DEEP),
    "a nested tree": (".json", _deep_tree(400), TOO_DEEP),
    "a long integer in JSON": (".json", b'{"id": ' + b"7" * 3_000_000 + b"}", "4000 digits"),
    "a large exponent": (*_states_with("1e999999999"), "exponent beyond 4000"),
    "a small exponent": (*_states_with('"1e-999999999"'), "exponent beyond 4000"),
    "an exponent of many digits": (*_states_with('"1e' + "9" * 3_000 + '"'), "exponent beyond"),
    "a zero denominator": (*_states_with('"1/0"'), "zero denominator"),
    "a long denominator": (*_states_with('"1/' + "3" * 1_000_000 + '"'), "more than 4000 digits"),
    "a long decimal": (*_states_with("0." + "3" * 1_000_000), "more than 4000 digits"),
    "a large file": (".json", b'{"id": "' + b"x" * 9_000_000 + b'"}', "limit of 4,000,000"),
    "a long key": (".json", b'{"' + b"k" * 3_000_000 + b'": 1}', "a key of 3,000,000 characters"),
    "a long kind": (*as_json({"kind": "information" * 90_000}), "kind is unknown"),
    "two long names": (
        *as_json({**EXAMPLE, "known": {"v" * 900: 1}, "variables": {"v" * 901: {}}}),
        "has no entry for the state",
    ),
    "equal keys": (".json", b"{" + b'"a":1,' * 500_000 + b'"a":1}', 'has the key "a" twice'),
    "many empty lists": (".json", b'{"id": [' + b"[]," * 1_200_000 + b"[]]}", 'has no "kind"'),
    "a byte order mark alone": (".json", b"\xef\xbb\xbf", "Expecting value"),
    "text of another encoding": (".json", '{"kind": 1}'.encode("utf-16"), "is not UTF-8 text"),
    "bytes that are no text": (".json", b'{"kind": "\xff\xfe"}', "is not UTF-8 text"),
    "zero bytes": (".json", b"\0" * 1_000_000, "Expecting value"),
    "a zero byte in a name": (*as_json({**EXAMPLE, "state\0s": 1}), "field is unknown"),
    "blank lines": (".json", b"\n" * 5_000_000, "blank bytes in a row"),
    "a wrong number deep in a wide tree": (
        *_wrong_payoff(94, 60, 30_000),
        r"moves\.bad\.payoffs\[0\]: value is not a number as we read them \(got 'oops'\)",
    ),
    # answers that are long
    "a long value that goods reveal": (
        *as_json(
            {
                **make_information(2, 2),
                "variables": {"v0": {"s0": "x" * 50_000, "s1": 1}, "v1": {"s0": 0, "s1": 1}},
            }
        ),
        r"\$.variables.v0.s0: has a text of 50,000 characters .'x+…'., more than 1,000",
    ),
    "a long name of a good": (
        *as_json({**EXAMPLE, "goods": [*make_goods(2), {"name": "x" * 50_000, "reveals": []}]}),
        r"\$.goods\[2\].name: has a text of 50,000 characters",
    ),
    "a long name of an information set": (
        *as_efg(f'p "" 1 1 "{"x" * 300_000}" {{ "m" }} 0 t "" 0'),
        "has a text of 300,000 characters",
    ),
    "a quotation in Gambit's format that has no end": (
        *as_efg('p "" 1 1 "' + r"\"" * 450_000),
        "a quotation mark is never closed",
    ),
    "a long name of a move of chance": (
        *as_efg(f'c "" 1 "" {{ "{"x" * 300_000}" 1 }} 0 t "" 0'),
        "has a text of 300,000 characters",
    ),
    "a long name of a strategy": (
        ".nfg",
        b'NFG 1 R "x" { "a" } { { "b" "' + b"x" * 300_000 + b'" } } "" 1 2',
        "has a text of 300,000 characters",
    ),
    "long names of states that stand in an answer again and again": (
        *as_json(
            {
                "kind": "information",
                "states": {f"{k:0990}": "1/60" for k in range(60)},
                "utilities": {"a": {f"{k:0990}": 0 for k in range(60)}},
                "goods": [{"name": f"g{k}", "reveals": []} for k in range(1_000)],
            }
        ),
        "bytes of an answer, more than the limit of 30,000,000: shorten names",
    ),
    "names of characters that are escaped": (
        *_named_again_and_again(lambda k: "\U000e0001" * 980 + f"{k}"),
        "bytes of an answer, more than the limit of 30,000,000: shorten names",
    ),
    "names of characters that join nothing": (
        *_named_again_and_again(lambda k: "\u200d" * 980 + f"{k}"),
        "bytes of an answer, more than the limit of 30,000,000: shorten names",
    ),
    "fewer names of characters that join nothing": (
        *_named_again_and_again(lambda k: "\u200d" * 980 + f"{k}", goods=75),
        '"ex_ante"',
    ),
    "names of emoji": (
        *_named_again_and_again(lambda k: "\U0001f600" * 980 + f"{k}", goods=115),
        '"ex_ante"',
    ),
    "an answer that is nearly too long": (
        *_named_again_and_again(lambda k: f"{k:0990}", goods=480),
        '"ex_ante"',
    ),
    "numbers as texts of 3,000 digits": (
        *as_json({**EXAMPLE, "states": {f"s{k}": f"1/{2 * 10**3_000}" for k in range(4)}}),
        r"\$.states: states sums? to|\$.states: .*sum",
    ),
}
