"""Small problem files that ask for much: what each holds, by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, combinations, count, islice, product, repeat
from typing import Any, Final

__all__ = ["CODE", "FILES", "LINES", "LONG", "slow_document"]


def _toml(text: str) -> tuple[str, bytes]:
    return ".toml", text.encode()


def _json(value: Any) -> tuple[str, bytes]:
    return ".json", json.dumps(value).encode()


def _states(count: int) -> dict[str, str]:
    return {f"s{w}": f"1/{count}" for w in range(count)}


def _variables(states: int, count: int) -> dict[str, dict[str, int]]:
    """Return variables that show one bit each of the number of the state."""
    return {f"v{b}": {f"s{w}": w >> b & 1 for w in range(states)} for b in range(count)}


def _utilities(states: int, actions: int = 2) -> dict[str, dict[str, int]]:
    return {f"a{a}": {f"s{w}": w * (a + 1) % 7 for w in range(states)} for a in range(actions)}


def _goods(count: int, first: int = 0) -> list[dict[str, Any]]:
    return [{"name": f"g{g}", "reveals": [f"v{g}"]} for g in range(first, first + count)]


def _inspection(protocol: str, levels: list[int], states: int = 8, **more: Any) -> Any:
    goods = sum(levels)
    begins = [0, *accumulate(levels)][:-1]
    return _json(
        {
            "kind": "inspection",
            "protocol": protocol,
            "states": _states(states),
            "variables": _variables(states, goods),
            "utilities": _utilities(states),
            "levels": [_goods(count, first) for count, first in zip(levels, begins, strict=True)],
            **more,
        }
    )


def _revealing(kind: str, variables: int, goods: int) -> dict[str, Any]:
    """Return a problem of two states whose goods all reveal many variables."""
    shown = {f"v{k}": {"s0": 0, "s1": 1} for k in range(variables)}
    offered = [{"name": f"g{k}", "reveals": list(shown)} for k in range(goods)]
    where = {"goods": offered} if kind == "information" else {"levels": [offered]}
    about = {"states": _states(2), "variables": shown, "utilities": _utilities(2, 1)}
    return {"kind": kind, **about, **where}


def _information(states: int, goods: int, **more: Any) -> dict[str, Any]:
    return {
        "kind": "information",
        "states": _states(states),
        "variables": _variables(states, goods),
        "utilities": _utilities(states),
        "goods": _goods(goods),
        **more,
    }


def _named_again_and_again(name: Callable[[int], str], goods: int = 400) -> Any:
    """Return a problem whose answer names 60 states again with each good."""
    return _json(
        {
            "kind": "information",
            "states": {name(k): "1/60" for k in range(60)},
            "utilities": {"a": {name(k): 0 for k in range(60)}},
            "goods": [{"name": f"g{k}", "reveals": []} for k in range(goods)],
        }
    )


def _auction(agents: int, candidates: int, report: Any, **more: Any) -> Any:
    return _json(
        {
            "kind": "softmax-auction",
            "tau": 1,
            "candidates": [f"c{j}" for j in range(candidates)],
            "agents": {f"b{i}": report(i) for i in range(agents)},
            **more,
        }
    )


def _ascending(starts: list[Any], bidders: list[dict[str, Any]], **more: Any) -> Any:
    """Return ascending auctions of items that are all worth 4,000."""
    items = [{"name": f"i{k}", "start": s, "value": 4_000} for k, s in enumerate(starts)]
    named = {f"b{i}": bidder for i, bidder in enumerate(bidders)}
    return _json({"kind": "ascending-auction", "items": items, "bidders": named, **more})


def _limited(*limits: int, budget: Any = 20_000) -> list[dict[str, Any]]:
    return [{"limit": limit, "budget": budget} for limit in limits]


def _estimating(count: int, budget: Any = 20_000) -> list[dict[str, Any]]:
    return [{"over": 0, "budget": budget}] * count


def slow_document(items: int) -> dict[str, Any]:
    """Return a problem that takes the longer the more items it has."""
    return {
        "kind": "marginal-value",
        "states": _states(4),
        "variables": _variables(4, items),
        "utilities": _utilities(4),
        "goods": _goods(items),
        "state": "s0",
        "sets": "reached",
    }


def _marginal(items: int, **more: Any) -> Any:
    return _json({**slow_document(items), **more})


def _mechanism(agents: int, types: int, **more: Any) -> Any:
    names = [[f"t{k}" for k in range(types)]] * agents
    return _json(
        {
            "kind": "mechanism",
            "outcomes": ["x", "y"],
            "agents": {
                f"b{i}": {t: {"x": k % 3, "y": k % 5} for k, t in enumerate(names[i])}
                for i in range(agents)
            },
            "table": [
                {"reports": list(p), "outcome": "xy"[k % 2]} for k, p in enumerate(product(*names))
            ],
            **more,
        }
    )


def _units() -> Iterator[str]:
    """Yield fractions with a denominator each."""
    return (f"1/{under}" for under in count(2**60 + 1, 2))


def _law(letter: str, size: int) -> dict[str, str]:
    """Return such fractions by name: no law, for their sum is small."""
    return {f"{letter}{k}": p for k, p in enumerate(islice(_units(), size))}


def _taxes(types: int) -> Any:
    """Return a mechanism of two agents who pay something else at each profile."""
    names, paid = [f"t{k}" for k in range(types)], _units()
    return _json(
        {
            "kind": "mechanism",
            "outcomes": ["x"],
            "properties": ["dsic", "non_bossy"],
            "agents": {agent: {t: {"x": 0} for t in names} for agent in "ab"},
            "table": [
                {"reports": [s, t], "outcome": "x", "payments": [next(paid), next(paid)]}
                for s in names
                for t in names
            ],
        }
    )


def _alone(
    types: int,
    outcomes: int,
    *,
    values: Iterator[Any] | None = None,
    lottery: Iterator[str] | None = None,
    **more: Any,
) -> Any:
    """Return a mechanism of one agent: an outcome for each report, or a lottery over all."""
    names = [f"o{k}" for k in range(outcomes)]
    worth = values or repeat(0)
    return _json(
        {
            "kind": "mechanism",
            "outcomes": names,
            "agents": {"a": {f"t{k}": {o: next(worth) for o in names} for k in range(types)}},
            "table": [
                {
                    "reports": [f"t{k}"],
                    "outcome": {o: next(lottery) for o in names} if lottery else "o0",
                }
                for k in range(types)
            ],
            **more,
        }
    )


def _one_lie(types: int) -> Any:
    """Return a mechanism in which the last report alone gets what all types want."""
    names = [f"t{k}" for k in range(types)]
    return _json(
        {
            "kind": "mechanism",
            "outcomes": ["x", "y"],
            "properties": ["dsic"],
            "agents": {"a": {t: {"x": 0, "y": k} for k, t in enumerate(names)}},
            "table": [{"reports": [t], "outcome": "xy"[t == names[-1]]} for t in names],
        }
    )


def _all_alike(agents: int, types: int) -> Any:
    """Return a mechanism whose outcomes are worth the same to everybody."""
    names, outcomes = [[f"t{k}" for k in range(types)]] * agents, [f"o{k}" for k in range(7)]
    return _json(
        {
            "kind": "mechanism",
            "outcomes": outcomes,
            "properties": ["non_bossy"],
            "agents": {
                f"b{i}": {t: dict.fromkeys(outcomes, 0) for t in each}
                for i, each in enumerate(names)
            },
            "table": [
                {"reports": list(p), "outcome": f"o{k % 7}"} for k, p in enumerate(product(*names))
            ],
        }
    )


def _logarithms(states: int, goods: int) -> Any:
    """Return a forecast by logarithms, of which many numbers ask whether they cancel."""
    masses = [10**4 + (i * 7919) % 10**4 for i in range(states)]
    return _json(
        {
            "kind": "information",
            "states": {f"s{i}": f"{mass}/{sum(masses)}" for i, mass in enumerate(masses)},
            "variables": {"v": {f"s{i}": i // 2 for i in range(states)}},
            "forecast": {"rule": "log", "event": [f"s{i}" for i in range(0, states, 2)]},
            "goods": [{"name": f"g{k}", "reveals": ["v"]} for k in range(goods)],
        }
    )


def _even_law(types: int) -> dict[str, str]:
    return {f"t{k}": f"1/{types}" for k in range(types)}


def _long_cycle(types: int, **more: Any) -> Any:
    """Return a mechanism of one agent whose only cycle that gains is that of all types.

    It has no long names, so that many types stand in a file.
    """
    steps = {t: {(t + 1) % types: 1 if t < types - 1 else 2 - types} for t in range(types)}
    return _json(
        {
            "kind": "mechanism",
            "outcomes": [str(k) for k in range(types)],
            "agents": {
                "a": {
                    str(t): {str(o): steps[t].get(o, -99_999 * (o != t)) for o in range(types)}
                    for t in range(types)
                }
            },
            "table": [{"reports": [str(t)], "outcome": str(t)} for t in range(types)],
            **more,
        }
    )


def _game(players: int, actions: int, **more: Any) -> Any:
    names = [f"a{k}" for k in range(actions)]

    def table(left: int, salt: int) -> Any:
        if not left:
            return [(salt * (p + 3)) % 11 for p in range(players)]
        return {a: table(left - 1, salt * 5 + k) for k, a in enumerate(names)}

    who = [f"p{i}" for i in range(players)]
    return _json(
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
    return _json(
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

    return _json({"kind": "fixed-point", "matrix": [row(i) for i in range(size)]})


def _even(size: int) -> list[str]:
    return [f"1/{2 * size}"] * size


def _constants(weights: Iterable[str], **more: Any) -> Any:
    """Return a mixture of maps that send all indices to one each."""
    constants = [{"target": 7 * k, "weight": weight} for k, weight in enumerate(weights)]
    return _json({"kind": "fixed-point", "size": 10**9, "constants": constants, **more})


def _deep_tree(depth: int) -> bytes:
    node = '{"player": "a", "infoset": "i%d", "moves": {"on": '
    text = "".join(node % k for k in range(depth)) + '{"payoffs": [1]}' + "}}" * depth
    return f'{{"kind": "game", "players": ["a"], "tree": {text}}}'.encode()


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


def _wrong_payoff(depth: int, keys: int, last: int) -> Any:
    """Return a deep tree with many ends, of which the deepest holds what is no number."""
    node: Any = {f"m{k}": {"payoffs": [0]} for k in range(last)} | {"bad": {"payoffs": ["oops"]}}
    for d in range(depth):
        after = {"player": "a", "infoset": f"i{d}", "moves": node}
        node = {"b": after} | {f"k{k}": {"payoffs": [0]} for k in range(keys)}
    tree = {"player": "a", "infoset": "first", "moves": node}
    return _json({"kind": "game", "players": ["a"], "tree": tree})


def _efg(body: str) -> tuple[str, bytes]:
    return ".efg", f'EFG 2 R "x" {{ "a" }} {body}'.encode()


def _states_with(number: str) -> tuple[str, bytes]:
    return ".json", f'{{"kind": "information", "states": {{"a": {number}}}}}'.encode()


_EXAMPLE: Final = _information(4, 2)
_DEEP: Final = "is nested too deeply, more than 200 levels"

FILES: Final[dict[str, tuple[str, bytes, str]]] = {
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
    "nested lists in JSON": (".json", b'{"id": ' + b"[" * 999_999, _DEEP),
    "nested objects in JSON": (".json", b'{"a":' * 199_999, _DEEP),
    "closed nested objects": (".json", b'{"a":' * 990 + b"1" + b"}" * 990, _DEEP),
    "a nested tree": (".json", _deep_tree(400), _DEEP),
    "a long integer in JSON": (".json", b'{"id": ' + b"7" * 3_000_000 + b"}", "4000 digits"),
    "a large exponent": (*_states_with("1e999999999"), "exponent beyond 4000"),
    "a small exponent": (*_states_with('"1e-999999999"'), "exponent beyond 4000"),
    "an exponent of many digits": (*_states_with('"1e' + "9" * 3_000 + '"'), "exponent beyond"),
    "a zero denominator": (*_states_with('"1/0"'), "zero denominator"),
    "a long denominator": (*_states_with('"1/' + "3" * 1_000_000 + '"'), "more than 4000 digits"),
    "a long decimal": (*_states_with("0." + "3" * 1_000_000), "more than 4000 digits"),
    "a large file": (".json", b'{"id": "' + b"x" * 9_000_000 + b'"}', "limit of 4,000,000"),
    "a long key": (".json", b'{"' + b"k" * 3_000_000 + b'": 1}', "a key of 3,000,000 characters"),
    "a long kind": (*_json({"kind": "information" * 90_000}), "kind is unknown"),
    "two long names": (
        *_json({**_EXAMPLE, "known": {"v" * 900: 1}, "variables": {"v" * 901: {}}}),
        "has no entry for the state",
    ),
    "equal keys": (".json", b"{" + b'"a":1,' * 500_000 + b'"a":1}', 'has the key "a" twice'),
    "many empty lists": (".json", b'{"id": [' + b"[]," * 1_200_000 + b"[]]}", 'has no "kind"'),
    "a byte order mark alone": (".json", b"\xef\xbb\xbf", "Expecting value"),
    "text of another encoding": (".json", '{"kind": 1}'.encode("utf-16"), "is not UTF-8 text"),
    "bytes that are no text": (".json", b'{"kind": "\xff\xfe"}', "is not UTF-8 text"),
    "zero bytes": (".json", b"\0" * 1_000_000, "Expecting value"),
    "a zero byte in a name": (*_json({**_EXAMPLE, "state\0s": 1}), "field is unknown"),
    "blank lines": (".json", b"\n" * 5_000_000, "blank bytes in a row"),
    "a wrong number deep in a wide tree": (
        *_wrong_payoff(94, 60, 30_000),
        r"moves\.bad\.payoffs\[0\]: value is not a number as we read them \(got 'oops'\)",
    ),
    # answers that are long
    "a long value that goods reveal": (
        *_json(
            {
                **_information(2, 2),
                "variables": {"v0": {"s0": "x" * 50_000, "s1": 1}, "v1": {"s0": 0, "s1": 1}},
            }
        ),
        r"\$.variables.v0.s0: has a text of 50,000 characters .'x+…'., more than 1,000",
    ),
    "a long name of a good": (
        *_json({**_EXAMPLE, "goods": [*_goods(2), {"name": "x" * 50_000, "reveals": []}]}),
        r"\$.goods\[2\].name: has a text of 50,000 characters",
    ),
    "a long name of an information set": (
        *_efg(f'p "" 1 1 "{"x" * 300_000}" {{ "m" }} 0 t "" 0'),
        "has a text of 300,000 characters",
    ),
    "a quotation in Gambit's format that has no end": (
        *_efg('p "" 1 1 "' + r"\"" * 450_000),
        "a quotation mark is never closed",
    ),
    "a long name of a move of chance": (
        *_efg(f'c "" 1 "" {{ "{"x" * 300_000}" 1 }} 0 t "" 0'),
        "has a text of 300,000 characters",
    ),
    "a long name of a strategy": (
        ".nfg",
        b'NFG 1 R "x" { "a" } { { "b" "' + b"x" * 300_000 + b'" } } "" 1 2',
        "has a text of 300,000 characters",
    ),
    "long names of states that stand in an answer again and again": (
        *_json(
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
        *_json({**_EXAMPLE, "states": {f"s{k}": f"1/{2 * 10**3_000}" for k in range(4)}}),
        r"\$.states: states sums? to|\$.states: .*sum",
    ),
    # work that is counted
    "many equal bundles": (
        *_json({**_EXAMPLE, "bundles": [["g0", "g1"]] * 20_000}),
        "asks for 160,016 values",
    ),
    "bundles of many variables": (
        *_json(_revealing("information", 300, goods=2) | {"bundles": [["g0", "g1"]] * 2_000}),
        "asks for 2,401,200 variables of goods and bundles by state",
    ),
    "purchases of many variables": (
        *_json(_revealing("inspection", 500, goods=12) | {"protocol": "recursive"}),
        "asks for 24,576,000 variables that purchases reveal by state",
    ),
    "as many variables as purchases may reveal": (
        *_json(_revealing("inspection", 85, goods=11) | {"protocol": "recursive"}),
        '"policy"',
    ),
    "many forecasts": (
        *_json(
            {k: v for k, v in _information(512, 9).items() if k != "utilities"}
            | {"forecast": {"rule": "log", "event": ["s0"]}}
        ),
        "asks for 5,120 values",
    ),
    "utilities with a denominator each": (
        *_json(
            {
                **_information(256, 8),
                "utilities": {
                    f"a{a}": {f"s{k}": f"1/{2**62 + 512 * a + 2 * k + 1}" for k in range(256)}
                    for a in range(4)
                },
            }
        ),
        "state and action, by the length of numbers, more than the limit of 1,500,000",
    ),
    "purchases with a denominator each": (
        *_inspection(
            "recursive",
            [4],
            128,
            nodes="reached",
            utilities={
                f"a{a}": {f"s{k}": f"1/{2**62 + 256 * a + 2 * k + 1}" for k in range(128)}
                for a in range(8)
            },
        ),
        "states and actions, by the length of numbers, more than the limit of 1,500,000",
    ),
    "many states": (*_json(_information(20_000, 2)), "asks for 120,000 values"),
    "many long numbers": (
        *_json({**_EXAMPLE, "states": {f"s{k}": f"1/{10**900 + k}" for k in range(40)}}),
        "long numbers have more than the limit of 20,000 digits",
    ),
    "goods that may be bought": (*_inspection("recursive", [30]), "asks for 1,073,741,824 sets"),
    "goods of several levels": (*_inspection("recursive", [9, 9, 9]), "combinations of purchases"),
    "goods of many levels": (*_inspection("recursive", [9] * 200), "about 1.14e543 combinations"),
    "successive goods": (*_inspection("successive", [12, 12]), "combinations of purchases"),
    "many levels": (
        *_inspection("successive", [1] * 20_000, 1, variables=_variables(1, 20_000)),
        "asks for 400,000,000 pairs of levels, more than the limit of 1,048,576",
    ),
    "as many levels as there may be": (
        *_inspection("successive", [1] * 1_024, 1, variables=_variables(1, 1_024)),
        '"outcomes"',
    ),
    "levels of goods with long names": (
        *_json(
            {
                "kind": "inspection",
                "protocol": "successive",
                "states": _states(2),
                "utilities": _utilities(2),
                "levels": [[{"name": f"{n:0900}", "reveals": []}] for n in range(1_000)],
            }
        ),
        "characters of goods by node, more than the limit of 30,000,000",
    ),
    "an optimal protocol": (*_inspection("optimal", [2] * 6), "nodes of the game, more than"),
    "long odds": (
        *_auction(8, 8, lambda i: {"odds": [f"{i + 1}e{400 * j}" for j in range(8)]}),
        "long numbers have more than the limit",
    ),
    "rewards that are large": (
        *_auction(
            10, 20, lambda i: {"rewards": ["1e3900" if j == i == 7 else i for j in range(20)]}
        ),
        "bits of rewards",
    ),
    "odds whose products tie": (
        *_auction(
            1_500,
            2,
            lambda i: {"odds": [(2 * i + 3) * (2 * ((i + k) % 1_500) + 3) for k in (1, 2)]},
        ),
        "most likely to be shown",
    ),
    "rewards of many agents that are far apart": (
        *_auction(300, 2, lambda i: {"rewards": [i, 10**6]}),
        "most likely to be shown",
    ),
    "many replies that are nearly impossible": (
        *_auction(1, 6_500, lambda i: {"rewards": [-90_000 * (j > 0) for j in range(6_500)]}),
        "most likely to be shown",
    ),
    "a reward among many that is nearly 0": (
        *_auction(
            85,
            85,
            lambda i: {"rewards": ["1e-3500" if j == i == 0 else i * j**2 % 7 for j in range(85)]},
        ),
        "most likely to be shown",
    ),
    "sixty items to three bidders": (
        *_ascending([1_000] * 60, _limited(4, 4, 4)),
        r"\$\.items: ask these bidders for more than the limit of 4,000,000 steps",
    ),
    "sixty items with prices of no common unit": (
        *_ascending([1_000 + 7 * k * k for k in range(60)], _limited(4, 4, 4, budget=10**9)),
        "more than the limit of 4,000,000 steps",
    ),
    "sixty items with long prices": (
        *_ascending([f"{10**18 + k}/{2**60 + k}" for k in range(60)], _limited(3, 4, 5)),
        "by the length of numbers, more than the limit of 1,000,000|4,000,000 steps",
    ),
    "sixty items that are halved again and again": (
        *_ascending([10**6] * 60, _estimating(3), discounts=16),
        "more than the limit of 4,000,000 steps",
    ),
    "twelve different bidders": (
        *_ascending([1_000], _limited(*range(4, 16))),
        "more than the limit of 4,000,000 steps",
    ),
    "twelve bidders and redrawn ties": (
        *_ascending([1_000] * 5, _limited(*range(89, 101)), ties="redrawn"),
        "more than the limit of 4,000,000 steps",
    ),
    "a hundred bidders": (
        *_ascending([1_000], [*_limited(*range(1, 51)), *_estimating(50)]),
        "more than the limit of 4,000,000 steps",
    ),
    "three bidders who bid hundreds of times": (
        *_ascending([1_000], _limited(300, 400, 500), increment="1/3000"),
        "more than the limit of 4,000,000 steps",
    ),
    "tiny increments": (
        *_ascending([1_000], _estimating(20), increment="1/1200"),
        "more than the limit of 4,000,000 steps",
    ),
    "increments that are tinier yet": (
        *_ascending([1_000] * 60, _estimating(3), increment="1e-9"),
        r"\$\.bidders: allows more than 4,000 increments on i0",
    ),
    "a long increment": (
        *_ascending([1_000] * 60, _estimating(3), increment="0.1" + "3" * 3_900),
        "by the length of numbers, more than the limit of 1,000,000",
    ),
    "a thousand bidders for an item": (
        *_ascending([1_000], _estimating(1_000)),
        r"\$\.bidders: asks for 1,008,000 pairs of bidders",
    ),
    "as much as three rule bidders may be asked": (
        *_ascending([1_000 * k for k in (1, 3, 4, 2, 5, 3, 2, 4, 1, 5)], _limited(3, 4, 5)),
        '"gap": *"0"',
    ),
    "many rewards": (*_auction(150, 150, lambda i: {"rewards": [i] * 150}), "22,500 rewards"),
    "items to reveal": (*_marginal(30), "asks for 1,073,741,824 sets"),
    "moves to make": (
        *_marginal(30, moves=[[], *([f"g{k}"] for k in range(30))]),
        "sets that can be revealed, more than the limit of 16,384",
    ),
    "moves that are repeated": (
        *_marginal(14, moves=[[], *([f"g{k}"] for k in range(14)), *[[]] * 4_000]),
        '"ex_post"',
    ),
    "many moves at many sets": (
        *_marginal(
            14,
            moves=[
                list(each)
                for n in range(4)
                for each in combinations([f"g{k}" for k in range(14)], n)
            ],
        ),
        "moves at sets of items, more than the limit of 2,097,152",
    ),
    "listed moves in many states": (
        *_marginal(
            14,
            states=_states(2_000),
            utilities=_utilities(2_000),
            variables=_variables(2_000, 14),
            moves=[[], *([f"g{k}"] for k in range(14))],
        ),
        "asks for 65,536,000 sets of items by state and action",
    ),
    "states whose probabilities sum to many digits": (
        *_marginal(
            1,
            states=_law("s", 20_000),
            utilities=_utilities(20_000),
            variables=_variables(20_000, 1),
        ),
        "moves at sets of items, by the length of numbers, more than the limit of 10,000,000",
    ),
    "long prices": (
        *_marginal(14, prices={f"g{k}": f"1/{10**3_990 + k}" for k in range(14)}),
        r"\$.prices: prices have more than the limit of 20,000 digits together",
    ),
    "long prices by set": (
        *_marginal(
            3,
            prices=[
                {
                    "revealed": [f"g{k}" for k in range(3) if kept >> k & 1],
                    "price": f"1/{10**3_990 + kept}",
                }
                for kept in range(1, 8)
            ],
        ),
        r"\$.prices: prices have more than the limit of 20,000 digits together",
    ),
    "prices of 14 items that are rather long": (
        *_marginal(14, prices={f"g{k}": f"1/{10**1_400 + k}" for k in range(14)}),
        "moves at sets of items, by the length of numbers, more than the limit of 10,000,000",
    ),
    "prices by set with a denominator each": (
        *_marginal(
            10,
            prices=[
                {"revealed": [f"g{k}" for k in range(10) if kept >> k & 1], "price": price}
                for kept, price in zip(range(1, 1 << 10), _units(), strict=False)
            ],
        ),
        "moves at sets of items, by the length of numbers, more than the limit of 10,000,000",
    ),
    "long logarithms of agents": (
        *_auction(
            20,
            1,
            lambda i: {"log_probabilities": [f"-1/{10**3_990 + i}"]},
            reference={"log_probabilities": [-1]},
            generator={"log_probabilities": [-1]},
        ),
        r"\$: log_probabilities have more than the limit of 20,000 digits together",
    ),
    "long logarithms of the reference": (
        *_auction(
            1,
            8,
            lambda i: {"rewards": [i] * 8},
            reference={"log_probabilities": [f"-1/{10**3_990 + j}" for j in range(8)]},
            generator={"log_probabilities": [-1] * 8},
        ),
        r"\$: log_probabilities have more than the limit of 20,000 digits together",
    ),
    "lies of two agents": (*_mechanism(8, 2, properties=["pairwise_strategyproof"]), "holds"),
    "lies of ten agents": (*_mechanism(10, 2), "lies of two agents, more than the limit"),
    "anonymity of eleven agents": (
        *_mechanism(11, 2, properties=["anonymous"]),
        "values to look up, more than the limit of 1,100,000: .*, or do not ask for anonymous",
    ),
    "bossiness where all outcomes are worth the same": (
        *_all_alike(2, 26),
        "values to look up, more than the limit of 1,100,000: .*, or do not ask for non_bossy",
    ),
    "less bossiness": (*_all_alike(2, 16), "non_bossy"),
    "expectations over many types": (
        *_mechanism(3, 21, properties=["bic"], prior={f"b{i}": _even_law(21) for i in range(3)}),
        "values to look up, more than the limit of 1,100,000: .*, or do not ask for bic",
    ),
    "expectations over fewer types": (
        *_mechanism(3, 15, properties=["bic"], prior={f"b{i}": _even_law(15) for i in range(3)}),
        '"bic"',
    ),
    "all properties of many types": (
        *_mechanism(2, 40, prior={f"b{i}": _even_law(40) for i in range(2)}, implementable=True),
        "lies of two agents|values to look up",
    ),
    "a cycle of many types": (
        *_long_cycle(440, properties=["cyclically_monotone"]),
        "values to look up, more than the limit of 1,100,000",
    ),
    "a cycle of many types that no payments fix": (
        *_long_cycle(300, properties=[], implementable=True),
        "values to look up, more than the limit of 1,100,000: .*, or do not ask for implementable",
    ),
    "a cycle of fewer types": (
        *_long_cycle(300, properties=["cyclically_monotone"]),
        "cyclically_monotone fails",
    ),
    "many outcomes to compare with": (
        *_alone(2, 40_000, properties=["efficient"]),
        "values to look up|efficient",
    ),
    "a lie of one type in a thousand": (*_one_lie(998), "gains 1 by reporting 't997'"),
    "many agents": (
        *_mechanism(64, 1),
        r"\$.agents: asks for 64 agents, more than the limit of 63",
    ),
    "pairs of many agents": (*_mechanism(20_000, 1), "asks for 20,000 agents, more than the limit"),
    "as many agents as there may be": (*_mechanism(63, 1), "What holds"),
    "payments with a denominator each in a mechanism": (
        *_taxes(60),
        "comparisons, by the length of numbers, more than the limit of 8,000,000",
    ),
    "fewer payments with a denominator each": (*_taxes(20), "dsic fails: a of type"),
    "values with a denominator each": (
        *_alone(140, 140, values=_units()),
        "comparisons, by the length of numbers, more than the limit of 8,000,000",
    ),
    "lotteries over values with a denominator each": (
        *_alone(40, 100, values=_units(), lottery=repeat("1/100")),
        "comparisons, by the length of numbers, more than the limit of 8,000,000",
    ),
    "lotteries over many values": (
        *_alone(150, 150, lottery=repeat("1/150")),
        "asks for 3,420,000 comparisons, more than the limit of 1,000,000",
    ),
    "a lottery with a sum of many digits": (
        *_alone(1, 900, lottery=_units(), properties=["dsic"]),
        r"\$.table\[0\].outcome: lottery has sum about 7.80626e-16",
    ),
    "a lottery of many probabilities": (
        *_alone(1, 20_000, lottery=_units()),
        "comparisons, by the length of numbers, more than the limit of 8,000,000",
    ),
    "a law of types with a sum of many digits": (
        *_alone(200, 1, prior={"a": _law("t", 200)}, properties=["bic"]),
        r"\$.prior.a: prior has sum about 1.73472e-16",
    ),
    "profiles of types with a sum of many digits": (
        *_alone(
            200,
            1,
            prior=[{"types": [t], "probability": p} for t, p in _law("t", 200).items()],
            properties=["bic"],
        ),
        r"\$.prior: prior has sum about 1.73472e-16",
    ),
    "a distribution with a sum of many digits": (
        *_game(
            2,
            10,
            distribution=[
                {"profile": list(pair), "probability": p}
                for pair, p in zip(product(_law("a", 10), repeat=2), _units(), strict=False)
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
                for pair, p in zip(product(_law("a", 100), repeat=2), _units(), strict=False)
            ],
        ),
        r"\$.distribution: asks for [\d,]+ steps by the length of numbers",
    ),
    "a play with a sum of many digits": (
        *_game(2, 30, plays={"p0": [_law("a", 30)], "p1": ["a0"]}),
        r"\$.plays.p0\[0\]: has sum about 2.60209e-17",
    ),
    "many types": (*_mechanism(1, 1_500), "comparisons, more than the limit of 1,000,000"),
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
        *_json(
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
        *_constants(_law("", 1_000).values()),
        r"\$.constants: asks for [\d,]+ indices, by the length of numbers, more than the limit",
    ),
    "fewer constants with a denominator each": (
        *_constants(_law("", 300).values()),
        "it lies on 300 indices",
    ),
    "constants where moves have a denominator each": (
        *_constants(
            _even(20_000),
            moves=[
                {"source": i, "target": i + 1, "weight": p}
                for i, p in enumerate(_law("", 300).values())
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
        *_json(
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
        *_efg('t "" 1 "o" { 1e999999999 }'),
        "exponent beyond 4000|expected a payoff",
    ),
    "payoffs with a denominator each": (
        ".nfg",
        b'NFG 1 R "x" { "a" "b" } { 1 210 }'
        + b"".join(b" 1/%d" % (10**3_900 + k) for k in range(420)),
        "payoffs take more than 1,073,741,824 bits",
    ),
    "probabilities with a denominator each": (
        *_efg('c "" 1 "" {' + "".join(f' "m" 1/{10**300 + k}' for k in range(3_000)) + " } 0"),
        "probabilities take more than 1,073,741,824 bits",
    ),
    "long payoffs": (
        ".nfg",
        b'NFG 1 R "x" { "a" "b" } { 3 3 }'
        + b"".join(b" 1/%d" % (10**3_900 + k) for k in range(18)),
        "numbers of the game have more than the limit of 20,000 digits together",
    ),
    "long probabilities": (
        *_efg(
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
    "equilibria of two who forget": (*_forgetful(7, 2), "are more than are listed, 30"),
    "a name without end": (*_efg('t "' + '\\"' * 400_000), "a quotation mark is never closed"),
    "a deep game": (
        *_efg("".join(f'p "" 1 {k} "s" {{ "m" }} 0 ' for k in range(1, 9_000)) + 't "" 0'),
        "size|nested|depth",
    ),
    "a wide game": (
        *_efg('p "" 1 1 "s" {' + ' "m"' * 20_000 + " } 0 " + 't "" 0 ' * 20_000),
        "pure_equilibria|more than",
    ),
    "a strategic game that is longer than is read": (
        *(".nfg", b'NFG 1 R "x" { "a" } { 1900000 } "" ' + b"1 " * 1_900_000),
        "asks for 3,8[0-9,]* characters, more than the limit of 2,000,000: give a smaller game",
    ),
    "brackets in a game": (*_efg("{" * 900_000), "expected"),
}
"""Files by name: how the name ends, what it holds, and a pattern of what is said of it."""

LONG: Final = frozenset(
    {
        "a cycle of fewer types",
        "a cycle of many types",
        "a cycle of many types that no payments fix",
        "a deep game",
        "a distribution of many probabilities",
        "a game of payoffs of many sizes",
        "a lottery of many probabilities",
        "a reward among many that is nearly 0",
        "a wide game",
        "a wrong number deep in a wide tree",
        "an answer that is nearly too long",
        "as many agents as there may be",
        "as many ends after chance as there may be",
        "as many levels as there may be",
        "as many variables as purchases may reveal",
        "blank lines",
        "chance after chance with a denominator each",
        "chance before many profiles",
        "equal keys",
        "equilibria of one who forgets",
        "equilibria of two who forget",
        "expectations over fewer types",
        "fewer constants with a denominator each",
        "fewer equilibria of one who forgets",
        "fewer names of characters that join nothing",
        "fewer payments with a denominator each",
        "less bossiness",
        "less chance after chance",
        "lies of two agents",
        "logarithms of many such numbers",
        "logarithms of numbers that share many factors",
        "long names of states that stand in an answer again and again",
        "many constants",
        "many dotted keys",
        "many empty lists",
        "many levels",
        "many outcomes to compare with",
        "many replies that are nearly impossible",
        "many states",
        "many tables",
        "mixed play with a denominator each",
        "mixed play with payoffs that nearly tie",
        "more chance before many profiles",
        "more ends after chance",
        "more mixed play with a denominator each",
        "moves that are repeated",
        "names of characters that join nothing",
        "names of emoji",
        "odds whose products tie",
        "pairs of many agents",
        "payoffs with a denominator each",
        "rewards of many agents that are far apart",
        "sixty items that are halved again and again",
        "sixty items to three bidders",
        "states whose probabilities sum to many digits",
        "three bidders who bid hundreds of times",
        "tiny increments",
        "twelve bidders and redrawn ties",
        "twelve different bidders",
    }
)
"""Those that take more than half a second of a processor: most of the time of all together."""

LINES: Final = [
    b"[" * 100_000,
    b'{"kind": "x' + b"y" * 4_500_000 + b'"}',
    *(
        data
        for name, (suffix, data, _) in FILES.items()
        if suffix == ".json" and b"\n" not in data and len(data) < 2_000
    ),
]
"""Many of them as lines."""

CODE: Final[dict[str, tuple[str, str]]] = {
    "a quotation in Gambit's format that has no end": (
        r"""
        from theory.games import from_efg
        from_efg('EFG 2 R "' + '\\"' * 3_000_000)
        """,
        "a quotation mark is never closed",
    ),
    "a cycle": (
        """
        from mechproof.problems.documents import solve
        a = {"kind": "game", "players": ["x"], "actions": {"x": ["y"]}}
        a["payoffs"] = a
        solve(a)
        """,
        _DEEP,
    ),
    "a cycle of lists": (
        """
        from mechproof.problems.documents import solve
        a = []
        a.append(a)
        solve({"kind": "information", "states": {"a": 1}, "goods": a})
        """,
        _DEEP,
    ),
    "a long integer": (
        """
        from mechproof.problems.documents import solve
        solve({"kind": "information", "states": {"a": 10**5000}})
        """,
        r"\$.states.a: has more than 4000 digits",
    ),
    "a long amount": (
        """
        from mechanisms.ledger import Ledger
        Ledger({"a": 1}).amount(10**20000)
        """,
        "amount has more than 4000 digits",
    ),
    "results that are nested": (
        """
        from pathlib import Path
        import tempfile
        from mechproof import load_sweep
        path = Path(tempfile.mkdtemp()) / "results.jsonl"
        path.write_text('{"a":' * 100_000 + "\\n")
        load_sweep(path)
        """,
        "results.jsonl",
    ),
    "results of bytes": (
        """
        from pathlib import Path
        import tempfile
        from mechproof import load_sweep
        path = Path(tempfile.mkdtemp()) / "results.jsonl"
        path.write_bytes(b"\\xff\\0" * 1_000_000 + b"\\n" + b"7" * 1_000_000)
        load_sweep(path)
        """,
        "results.jsonl",
    ),
    "JSON of a server": (
        """
        from llm_adapters.openai_api._endpoint import Endpoint
        from theory.errors import MechproofError
        server = Endpoint("http://127.0.0.1:1/v1", key="k")
        long = b'{"a": ' + b"7" * 10**6 + b"}"
        bodies = [b'{"a":' * 400_000, long, b"\\xff\\0" * 10**6, b"[NaN]"]
        told = [server._read({}, body) for body in bodies]
        assert all(isinstance(each, str) for each in told), told
        raise MechproofError("; ".join(told))
        """,
        "nested more than .*cannot be read.*cannot be read.*not an object",
    ),
    "a nested reply": (
        """
        from llm_adapters.structured._json import find_json
        find_json('{"a":' * 900 + "1" + "}" * 900)
        """,
        "nested too deeply, more than 100 levels",
    ),
    "a long number in a reply": (
        """
        from llm_adapters.structured._json import find_json
        find_json('{"a": ' + "7" * 100_000 + "}")
        """,
        "cannot be read",
    ),
    "a reply of one long amount": (
        """
        from llm_adapters.parsing import read_amount
        read_amount("I bid " + "7" * 100_000)
        """,
        "too many for an answer",
    ),
    "a sweep of too many steps": (
        """
        from pathlib import Path
        import sys, tempfile
        from mechproof.cli import main
        text = 'check = "math:hypot"\\n[axes]\\na = { from = 0, to = 1e3999, by = "1e-3999" }'
        path = Path(tempfile.mkdtemp()) / "sweep.toml"
        path.write_text(text)
        sys.exit(main(["sweep", str(path)]))
        """,
        "sweep.toml: ",
    ),
    "a sweep of long steps": (
        """
        from pathlib import Path
        import sys, tempfile
        from mechproof.cli import main
        text = 'check = "mechproof.sweep.examples:auction"\\n[axes]\\n'
        text += "reserve = { from = 0, to = \\"1e-3990\\", by = \\"1.01e-3995\\" }"
        path = Path(tempfile.mkdtemp()) / "sweep.toml"
        path.write_text(text)
        sys.exit(main(["sweep", str(path)]))
        """,
        r"axes.reserve: asks for [\d,]+ values, by their length, more than the limit of 1,000,000",
    ),
    "a sweep of many axes": (
        """
        from pathlib import Path
        import sys, tempfile
        from mechproof.cli import main
        text = 'check = "mechproof.sweep.examples:auction"\\n[axes]\\nnone = []\\n'
        text += "".join(f"a{k} = {{ from = 0, to = 999999, by = 1 }}\\n" for k in range(900))
        path = Path(tempfile.mkdtemp()) / "sweep.toml"
        path.write_text(text)
        sys.exit(main(["sweep", str(path)]))
        """,
        "axes make about 1.00e5400 cells",
    ),
    "a sweep of long values": (
        """
        from pathlib import Path
        import sys, tempfile
        from mechproof.cli import main
        text = 'check = "mechproof.sweep.examples:auction"\\n[axes]\\n'
        text += f'a = [0]\\nb = [0]\\nc = [0, "{"x" * 900_000}"]\\n'
        text += '[plot]\\nx = "a"\\ny = "b"\\nvalue = "v"\\nwhere = { c = 1 }'
        path = Path(tempfile.mkdtemp()) / "sweep.toml"
        path.write_text(text)
        sys.exit(main(["sweep", str(path)]))
        """,
        r"where\['c'\] is no value of this axis .got 1.: known are 0, x+…x+",
    ),
    "results of another sweep with a long name": (
        """
        from pathlib import Path
        import tempfile
        from mechproof.sweep import Grid
        from mechproof.sweep._keeping import _line, header, writing
        import json
        grid = Grid({"a": [0, 1]})
        path = Path(tempfile.mkdtemp()) / "results.jsonl"
        path.write_bytes(_line(json.dumps(header(grid, "x" * 1_000_000, 1))) + b"\\n")
        with writing(path, header(grid, "check", 1)):
            pass
        """,
        "is of another sweep .its check is x+",
    ),
    "a game whose long moves are not repeated": (
        """
        from theory.games import from_efg
        moves = " ".join(f'"{k:0>900}"' for k in range(1_000))
        from_efg(f'EFG 2 R "" {{ "a" }} p "" 1 1 "" {{ {moves} }} 0 p "" 1 1 "" {{ "x" }} 0')
        """,
        "the information set was described with the moves '000",
    ),
    "a sweep of dotted keys": (
        """
        from pathlib import Path
        import sys, tempfile
        from mechproof.cli import main
        path = Path(tempfile.mkdtemp()) / "sweep.toml"
        path.write_text("a" + ".a" * 40_000 + " = 1")
        sys.exit(main(["sweep", str(path)]))
        """,
        "more than 50 parts",
    ),
    "a record with nested lines": (
        """
        from pathlib import Path
        import tempfile
        from zlib import crc32
        from llm_adapters.session import Session
        from llm_adapters.session._lines import HEADER, read_line
        for body in (b'"a":' + b"[" * 100_000, b'"b":' + b"7" * 10**6, b'"x":' + b'{"a":' * 900):
            line = b"{" + body
            line += b',"check":"%08x"}' % crc32(line)
            assert read_line(line) is None
        path = Path(tempfile.mkdtemp()) / "record"
        path.write_bytes(HEADER + b"\\n" + line + b"\\n" + line + b"\\n")
        with Session(replay=path):
            pass
        """,
        "record",
    ),
}
"""Code by name, and a pattern of what is raised."""
