"""Problem files of the kind ``ascending-auction``: what comes out."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any

import msgspec
import pytest
from ascending_files import EVERY_FIELD, VASE
from documents import Document, changed, run, solved, validator
from jsonschema import Draft202012Validator
from reference import ascending as reference

from mechproof.problems.kinds import ascending_auction
from theory.ascending import AuctionLaw, ItemLaw

F = Fraction


def prices(found: Document, item: str = "vase") -> dict[str, str]:
    return {each["price"]: each["probability"] for each in found["items"][item]["prices"]}


# --- By hand --------------------------------------------------------------------------------------


def test_two_rule_bidders_by_hand() -> None:
    """One leads after 1000, and so who answers; both have made four bids at 1600.

    Who leads at 1000 has bid once, and so has the other. Then the other bids alone, and they take
    turns: 1100, 1200, ..., until the one that has made four bids leads at 1600.
    """
    bidders = {name: VASE["bidders"][name] for name in ("Ann", "Bob")}
    found = solved({**VASE, "bidders": bidders})
    assert prices(found) == {"1600": "1"}
    assert found["items"]["vase"]["prices"][0]["winners"] == {"Ann": "1/2", "Bob": "1/2"}
    account = {"profit": "200", "payment": "800", "items_won": "1/2"}
    assert found["bidders"] == {"Ann": account, "Bob": account}
    assert found["revenue"] == "1600"


def test_three_rule_bidders_have_the_law_of_the_paper() -> None:
    """1.4, 1.5 and 1.6 times the start with probabilities 1/8, 5/8 and 1/4; all seats are alike."""
    found = solved(VASE)
    assert prices(found) == {"1400": "1/8", "1500": "5/8", "1600": "1/4"}
    assert [each["winners"] for each in found["items"]["vase"]["prices"]] == [
        dict.fromkeys(VASE["bidders"], p) for p in ("1/24", "5/24", "1/12")
    ]
    assert found["revenue"] == found["items"]["vase"]["payment"] == "3025/2"
    account = {"profit": "325/2", "payment": "3025/6", "items_won": "1/3"}
    assert found["bidders"] == dict.fromkeys(VASE["bidders"], account)
    assert found["gap"] == found["items"]["vase"]["unsold"] == "0"


def test_the_words() -> None:
    words = solved(VASE)["words"]
    assert words == [
        "vase is sold, in expectation for 1512.",
        "Ann, Bob and Cid do best, each with an expected profit of 162.5.",
    ]
    poor = changed("bidders", "Cid", "budget", to=100, document=VASE)
    assert solved(poor)["words"][1:] == [
        "Ann and Bob do best, each with an expected profit of 200.",
        "Cid does worst, with an expected profit of 0.",
    ]
    dear = changed("items", 0, "start", to=4000, document=VASE)
    assert solved(dear)["words"][1] == (
        "Ann, Bob and Cid do best, each with an expected loss of 933.3."
    )
    unsold = [VASE["items"][0], {"name": "castle", "start": 10**6, "value": 1}]
    assert solved({**VASE, "items": unsold})["words"][:2] == [
        "Of 2 items 1 are sold, in expectation for 1512.",
        "castle stays unsold with probability 1.",
    ]
    assert solved({**VASE, "items": unsold[1:]})["words"][0] == "Nothing is sold."
    crowd = {f"b{k}": {"limit": 1, "budget": 2000} for k in range(5)}
    assert solved({**VASE, "bidders": crowd})["words"] == [
        "vase is sold, in expectation for 1000.",
        "b0 and 4 others do best, each with an expected profit of 200.",
    ]


def test_an_item_that_is_sold_at_times() -> None:
    """Who wins the vase cannot afford the clock, and one of three bidders is not there for it."""
    clock = {"name": "clock", "start": 1500, "value": 3000}
    bidders = {
        "Ann": {"values": {"vase": 1000, "clock": 1500}, "budget": 1500},
        "Bob": {"values": {"vase": 1000, "clock": 0}, "budget": 1500},
    }
    found = solved({**VASE, "items": [*VASE["items"], clock], "bidders": bidders})
    assert found["items"]["clock"]["unsold"] == "1/2"
    assert found["words"][:2] == [
        "Of 2 items 1.5 are sold, in expectation for 1750.",
        "clock stays unsold with probability 0.5.",
    ]
    alone = solved({**VASE, "items": [clock], "bidders": {"Ann": {"over": 0, "budget": 1500}}})
    assert alone["items"]["clock"]["unsold"] == "0"
    assert prices(alone, "clock") == {"1500": "1"}


# --- Against an independent reference -------------------------------------------------------------

_TIES: dict[str, Callable[..., Any]] = {
    "uniform": reference.uniform,
    "redrawn": reference.redrawn,
    "first": lambda tied, entries, money: [F(one == tied[0]) for one in tied],
    "last": lambda tied, entries, money: [F(one == tied[-1]) for one in tied],
    "richer": lambda tied, entries, money: _even(
        [money[i] == max(money[j] for j in tied) for i in tied]
    ),
    "poorer": lambda tied, entries, money: _even(
        [money[i] == min(money[j] for j in tied) for i in tied]
    ),
}


def _even(chosen: list[bool]) -> list[Fraction]:
    return [F(each, sum(chosen)) for each in chosen]


def drawn(seed: int) -> Document:
    draw = Random(seed)
    items = [
        {"name": f"item {k}", "start": draw.randint(2, 6), "value": draw.randint(0, 14)}
        for k in range(draw.randint(1, 3))
    ]

    def bidder() -> Document:
        budget = {"budget": f"{draw.randint(0, 40)}/{draw.randint(1, 3)}"}
        mixed = draw.sample(items, len(items))
        values = {item["name"]: f"{draw.randint(0, 30)}/2" for item in mixed}
        strict = draw.choice([{}, {"strict": True}, {"strict": False}])
        rules: list[Document] = [
            {"limit": draw.randint(1, 4)},
            {"over": f"{draw.randint(-4, 6)}/4", **strict},
            {"values": values, **strict},
        ]
        return {**budget, **draw.choice(rules)}

    return {
        "kind": "ascending-auction",
        "items": items,
        "bidders": {f"b{i}": bidder() for i in range(draw.randint(1, 3))},
        "ties": draw.choice(list(_TIES)),
        "increment": draw.choice(["1/2", "0.3", 1]),
        "discounts": draw.randint(0, 2),
    }


def by_reference(problem: Document) -> list[dict[Any, Fraction]]:
    def rule(bidder: Document) -> reference.Bidder:
        if "limit" in bidder:
            return reference.at_most(bidder["limit"])
        ceilings = (
            [F(bidder["values"][item["name"]]) for item in problem["items"]]
            if "values" in bidder
            else [(1 + F(bidder["over"])) * item["value"] for item in problem["items"]]
        )
        return reference.up_to(ceilings, bidder.get("strict", False))

    return reference.auction(
        [(item["start"], item["value"]) for item in problem["items"]],
        [rule(bidder) for bidder in problem["bidders"].values()],
        [F(bidder["budget"]) for bidder in problem["bidders"].values()],
        _TIES[problem["ties"]],
        increment=F(problem["increment"]),
        discounts=problem["discounts"],
    )


@pytest.mark.parametrize("seed", range(60))
def test_answers_are_those_of_the_reference(seed: int) -> None:
    problem = drawn(seed)
    found, laws = solved(problem), by_reference(problem)
    names = list(problem["bidders"])
    accounts = {name: [F(0), F(0), F(0)] for name in names}
    for item, law in zip(problem["items"], laws, strict=True):
        sale = found["items"][item["name"]]
        assert F(sale["unsold"]) == law.pop(None, F(0))
        read = {
            (names.index(name), F(each["price"])): F(p)
            for each in sale["prices"]
            for name, p in each["winners"].items()
        }
        assert read == {key: p for key, p in law.items() if p}
        for each in sale["prices"]:
            assert F(each["probability"]) == sum(F(p) for p in each["winners"].values())
        assert F(sale["payment"]) == sum(price * p for (_, price), p in law.items())
        for (seat, price), p in law.items():
            account = accounts[names[seat]]
            for place, gain in enumerate((item["value"] - price, price, 1)):
                account[place] += gain * p
    told = {
        name: [F(each["profit"]), F(each["payment"]), F(each["items_won"])]
        for name, each in found["bidders"].items()
    }
    assert told == accounts
    assert F(found["revenue"]) == sum(paid for _, paid, _ in accounts.values())
    assert found["gap"] == "0"


# --- Relations ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(0, 20, 2))
def test_the_unit_of_money_does_not_matter(seed: int) -> None:
    problem, unit = drawn(seed), F(7, 3)
    scaled = copy.deepcopy(problem)
    for item in scaled["items"]:
        item |= {key: str(F(item[key]) * unit) for key in ("start", "value")}
    for bidder in scaled["bidders"].values():
        bidder["budget"] = str(F(bidder["budget"]) * unit)
        if "values" in bidder:
            bidder["values"] = {k: str(F(v) * unit) for k, v in bidder["values"].items()}
    found, other = solved(problem), solved(scaled)
    for name, account in found["bidders"].items():
        assert F(other["bidders"][name]["profit"]) == unit * F(account["profit"])
        assert other["bidders"][name]["items_won"] == account["items_won"]
    for name, sale in found["items"].items():
        assert other["items"][name]["unsold"] == sale["unsold"]
        assert [each["winners"] for each in other["items"][name]["prices"]] == [
            each["winners"] for each in sale["prices"]
        ]


@pytest.mark.parametrize("seed", range(8))
def test_seats_do_not_matter_where_ties_are_drawn(seed: int) -> None:
    problem = {**drawn(seed), "ties": "uniform"}
    turned = {**problem, "bidders": dict(reversed(problem["bidders"].items()))}
    found, other = solved(problem), solved(turned)
    assert (found["items"], found["bidders"]) == (other["items"], other["bidders"])
    assert list(other["bidders"]) == list(turned["bidders"])


def test_a_first_seat_wins_ties_and_a_last_one_does() -> None:
    once = {name: {"limit": 1, "budget": 5000} for name in ("Ann", "Bob", "Cid")}
    for ties, winner in (("first", "Ann"), ("last", "Cid")):
        found = solved({**VASE, "bidders": once, "ties": ties})
        assert found["items"]["vase"]["prices"][0]["winners"] == {winner: "1"}


# --- The gap --------------------------------------------------------------------------------------


def more_in_the_last(numbers: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    return (*numbers[:-1], numbers[-1] + F(1, 7))


FAULTS: dict[str, tuple[type, str, Any]] = {
    "profits": (AuctionLaw, "profits", more_in_the_last),
    "payments": (AuctionLaw, "payments", more_in_the_last),
    "items won": (AuctionLaw, "items_won", more_in_the_last),
    "revenue": (AuctionLaw, "revenue", lambda revenue: revenue + F(1, 7)),
    "payment": (ItemLaw, "revenue", lambda revenue: revenue + F(1, 7) * (revenue > 2000)),
    "prices": (ItemLaw, "prices", lambda law: law | {max(law): F(1, 7)}),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_number_is_a_gap(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    problem = {**VASE, "items": [*VASE["items"], {"name": "clock", "start": 1500, "value": 2}]}
    assert solved(problem)["gap"] == "0"
    where, name, changes = FAULTS[fault]
    right = getattr(where, name)
    read = right.func if isinstance(right, cached_property) else right.fget
    monkeypatch.setattr(where, name, property(lambda law: changes(read(law))))
    assert F(solved(problem)["gap"]) > F(1, 50)


def test_a_probability_that_is_lost_is_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the last item alone: it is sold at another probability than it is not unsold."""
    right = ascending_auction._sale

    def lost(law: ItemLaw, names: list[str]) -> Any:
        found = right(law, names)
        return msgspec.structs.replace(found, unsold="1/7") if law.revenue > 2000 else found

    problem = {**VASE, "items": [*VASE["items"], {"name": "clock", "start": 1500, "value": 2}]}
    monkeypatch.setattr(ascending_auction, "_sale", lost)
    assert solved(problem)["gap"] == "1/7"


# --- Schema ---------------------------------------------------------------------------------------


def test_problems_and_answers_fit_the_schema() -> None:
    schema: Document = json.loads(run("schema", "ascending-auction").stdout)
    Draft202012Validator.check_schema(schema)
    for problem in (VASE, EVERY_FIELD, *map(drawn, range(6))):
        found = solved(problem)
        validator(schema, "Problem").validate(problem)
        validator(schema, "Answer").validate(found)
        assert not validator(schema, "Problem").is_valid(found)
    assert solved(EVERY_FIELD)["id"] == "all"
