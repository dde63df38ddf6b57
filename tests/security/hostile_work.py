"""Problems that ask for much work: information, inspection, auctions, marginal value."""

from __future__ import annotations

from itertools import accumulate, combinations
from typing import Any, Final

from hostile_documents import (
    EXAMPLE,
    as_json,
    make_goods,
    make_information,
    make_law,
    make_states,
    make_units,
    make_utilities,
    make_variables,
    slow_document,
)

__all__ = ["WORK"]


def _inspection(protocol: str, levels: list[int], states: int = 8, **more: Any) -> Any:
    goods = sum(levels)
    begins = [0, *accumulate(levels)][:-1]
    return as_json(
        {
            "kind": "inspection",
            "protocol": protocol,
            "states": make_states(states),
            "variables": make_variables(states, goods),
            "utilities": make_utilities(states),
            "levels": [
                make_goods(count, first) for count, first in zip(levels, begins, strict=True)
            ],
            **more,
        }
    )


def _revealing(kind: str, variables: int, goods: int) -> dict[str, Any]:
    """Return a problem of two states whose goods all reveal many variables."""
    shown = {f"v{k}": {"s0": 0, "s1": 1} for k in range(variables)}
    offered = [{"name": f"g{k}", "reveals": list(shown)} for k in range(goods)]
    where = {"goods": offered} if kind == "information" else {"levels": [offered]}
    about = {"states": make_states(2), "variables": shown, "utilities": make_utilities(2, 1)}
    return {"kind": kind, **about, **where}


def _auction(agents: int, candidates: int, report: Any, **more: Any) -> Any:
    return as_json(
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
    return as_json({"kind": "ascending-auction", "items": items, "bidders": named, **more})


def _market(facts: int, passages: list[Any], **more: Any) -> Any:
    """Return passages at prices from 1 on; each states what is given for it."""
    worths = {f"f{j}": 1_000 for j in range(facts)}
    sold = [{"name": f"p{k}", "price": k % 97 + 1, "states": s} for k, s in enumerate(passages)]
    return as_json({"kind": "information-market", "facts": worths, "passages": sold, **more})


def _limited(*limits: int, budget: Any = 20_000) -> list[dict[str, Any]]:
    return [{"limit": limit, "budget": budget} for limit in limits]


def _estimating(count: int, budget: Any = 20_000) -> list[dict[str, Any]]:
    return [{"over": 0, "budget": budget}] * count


def _marginal(items: int, **more: Any) -> Any:
    return as_json({**slow_document(items), **more})


WORK: Final[dict[str, tuple[str, bytes, str]]] = {
    # work that is counted
    "many equal bundles": (
        *as_json({**EXAMPLE, "bundles": [["g0", "g1"]] * 20_000}),
        "asks for 160,016 values",
    ),
    "bundles of many variables": (
        *as_json(_revealing("information", 300, goods=2) | {"bundles": [["g0", "g1"]] * 2_000}),
        "asks for 2,401,200 variables of goods and bundles by state",
    ),
    "purchases of many variables": (
        *as_json(_revealing("inspection", 500, goods=12) | {"protocol": "recursive"}),
        "asks for 24,576,000 variables that purchases reveal by state",
    ),
    "as many variables as purchases may reveal": (
        *as_json(_revealing("inspection", 85, goods=11) | {"protocol": "recursive"}),
        '"policy"',
    ),
    "many forecasts": (
        *as_json(
            {k: v for k, v in make_information(512, 9).items() if k != "utilities"}
            | {"forecast": {"rule": "log", "event": ["s0"]}}
        ),
        "asks for 5,120 values",
    ),
    "utilities with a denominator each": (
        *as_json(
            {
                **make_information(256, 8),
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
    "many states": (*as_json(make_information(20_000, 2)), "asks for 120,000 values"),
    "many long numbers": (
        *as_json({**EXAMPLE, "states": {f"s{k}": f"1/{10**900 + k}" for k in range(40)}}),
        "long numbers have more than the limit of 20,000 digits",
    ),
    "goods that may be bought": (*_inspection("recursive", [30]), "asks for 1,073,741,824 sets"),
    "goods of several levels": (*_inspection("recursive", [9, 9, 9]), "combinations of purchases"),
    "goods of many levels": (*_inspection("recursive", [9] * 200), "about 1.14e543 combinations"),
    "successive goods": (*_inspection("successive", [12, 12]), "combinations of purchases"),
    "many levels": (
        *_inspection("successive", [1] * 20_000, 1, variables=make_variables(1, 20_000)),
        "asks for 400,000,000 pairs of levels, more than the limit of 1,048,576",
    ),
    "as many levels as there may be": (
        *_inspection("successive", [1] * 1_024, 1, variables=make_variables(1, 1_024)),
        '"outcomes"',
    ),
    "levels of goods with long names": (
        *as_json(
            {
                "kind": "inspection",
                "protocol": "successive",
                "states": make_states(2),
                "utilities": make_utilities(2),
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
    "titles of many passages": (
        *_market(1, [{"f0": "1/2"}] * 30),
        r"\$\.passages: asks for 9,663,676,446 facts of sets of passages",
    ),
    "titles with long probabilities": (
        *_market(2, [{"f0": f"1/{10**300 + k}", "f1": f"1/{10**300 - k}"} for k in range(12)]),
        "facts of sets of passages, by the length of numbers, more than the limit of 2,000,000",
    ),
    "as many titles as are gone through": (
        *_market(3, [{f"f{k % 3}": "1/3", f"f{(k + 1) % 3}": "3/4"} for k in range(16)]),
        '"gap": *"0"',
    ),
    "passages of many facts": (
        *_market(
            40, [[f"f{(k * k + j) % 40}" for j in range(0, 40, 1 + k % 7)] for k in range(50)]
        ),
        r"\$\.passages: asks for [0-9,e.about ]+ facts of sets of passages",
    ),
    "passages of a dozen facts": (
        *_market(11, [[f"f{(k * k + j * j) % 11}" for j in range(k % 5)] for k in range(150)]),
        '"gap": *"0"',
    ),
    "more passages times facts than are read": (
        *_market(600, [[]] * 600),
        "asks for 360,000 passages times facts, more than the limit of 250,000",
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
            states=make_states(2_000),
            utilities=make_utilities(2_000),
            variables=make_variables(2_000, 14),
            moves=[[], *([f"g{k}"] for k in range(14))],
        ),
        "asks for 65,536,000 sets of items by state and action",
    ),
    "states whose probabilities sum to many digits": (
        *_marginal(
            1,
            states=make_law("s", 20_000),
            utilities=make_utilities(20_000),
            variables=make_variables(20_000, 1),
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
                for kept, price in zip(range(1, 1 << 10), make_units(), strict=False)
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
}
