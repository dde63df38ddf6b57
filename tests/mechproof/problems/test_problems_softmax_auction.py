"""Problem files of the kind ``softmax-auction``: what comes out, and what is refused."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from auction_files import LAWS, ODDS, PAIR, WHOLE
from documents import Document, changed, run, solved, validator
from jsonschema import Draft202012Validator
from reference.auction import Auction, odds_allocation, odds_payment, rewards_from_models

from mechanisms.softmax_auction import certified_auction
from mechproof.problems.kinds.softmax_auction.enclosures import _Totals
from mechproof.problems.kinds.softmax_auction.reports import Reports
from theory.numbers import ClosedForm, Interval, log


@pytest.fixture(scope="module")
def schema() -> Document:
    found: Document = json.loads(run("schema", "softmax-auction").stdout)
    return found


def ends(value: Any) -> tuple[Fraction, Fraction]:
    """The bounds of a number in an answer; a rational is its own."""
    if isinstance(value, str):
        return Fraction(value), Fraction(value)
    lower, upper = Fraction(value["lower"]), Fraction(value["upper"])
    assert lower < upper
    assert upper - lower <= min(abs(lower), abs(upper)) / 10**28
    return lower, upper


def near(value: Any) -> float:
    return float(sum(ends(value)) / 2)


def holds(value: Any, truth: Decimal) -> bool:
    """Whether bounds hold what other code finds to some sixty digits."""
    lower, upper = ends(value)
    slack = Fraction(1, 10**50)
    return lower - slack <= Fraction(truth) <= upper + slack


def agrees(found: Document, oracle: Auction, *, offset: bool = True) -> None:
    for each, p in zip(found["allocation"], oracle.allocation(), strict=True):
        assert holds(each["probability"], p)
    for i, share in enumerate(found["agents"].values()):
        with localcontext(prec=80):
            outside = oracle.expected_reward(i) - oracle.reward_gain(i)
        assert holds(share["reward"], oracle.expected_reward(i))
        assert holds(share["payment"], oracle.payment(i, offset=offset))
        assert holds(share["utility"], oracle.utility(i, offset=offset))
        assert holds(share["without"], outside)
        assert holds(share["reward_gain"], oracle.reward_gain(i))
        assert holds(share["utility_gain"], oracle.utility_gain(i, offset=offset))
    assert holds(found["revenue"], oracle.revenue(offset=offset))


# --- By hand --------------------------------------------------------------------------------------


def test_odds_by_hand() -> None:
    """The law is (1, 2, 1/3) over 10/3; without A it is (1, 1, 1/3) over 7/3."""
    found = solved(ODDS)
    assert [each["probability"] for each in found["allocation"]] == ["3/10", "3/5", "1/10"]
    assert found["arithmetic"] == "exact"
    share = found["agents"]["A"]
    assert share["reward"]["closed_form"] == "9/5·log(2)"
    assert share["without"]["closed_form"] == "9/7·log(2)"
    assert share["reward_gain"]["closed_form"] == "18/35·log(2)"
    assert near(share["utility"]) == pytest.approx(3 * 0.35667494393873245)  # 3 log(10/7)
    assert near(share["payment"]) == pytest.approx(1.8 * 0.6931471805599453 - 1.0700248318161973)


def test_who_is_indifferent_pays_exactly_nothing() -> None:
    for reports in ({"rewards": [0.3, 0.3, 0.3]}, {"odds": [2, 2, 2]}, {"rewards": [0, 0, 0]}):
        for whole in (PAIR, LAWS, ODDS):
            found = solved({**whole, "agents": {**whole["agents"], "C": reports}})
            share = found["agents"]["C"]
            zeros = [share[name] for name in ("payment", "reward_gain", "utility_gain")]
            assert zeros == ["0", "0", "0"]
            assert share["utility"] == share["reward"] == share["without"]
            assert any(
                said.startswith("C expects") and "pays nothing" in said for said in found["words"]
            )


def test_one_agent_one_candidate() -> None:
    found = solved(
        {**PAIR, "candidates": ["only"], "agents": {"A": {"rewards": ["-7/3"]}}, "tau": 1e-6}
    )
    share = found["agents"]["A"]
    assert found["allocation"] == [{"candidate": "only", "probability": "1"}]
    assert (share["reward"], share["payment"], share["utility"]) == ("-7/3", "0", "-7/3")
    assert found["revenue"] == "0"


def test_what_the_reference_never_says_is_never_shown() -> None:
    found = solved(LAWS)
    assert found["allocation"][2]["probability"] == "0"
    fewer = {
        **LAWS,
        "candidates": ["none", "a"],
        "agents": {"A": {"rewards": [0, 1]}, "B": {"rewards": [0.1, -1]}},
        "reference": {"log_probabilities": [-0.1, -2.5]},
        "generator": {"probabilities": [0.5, "1/3"]},
    }
    assert solved(fewer)["agents"] == found["agents"]


def test_the_words() -> None:
    """The payment is fixed before the reply is drawn, so that A can be left with less than 0."""
    words = solved(PAIR)["words"]
    assert words[0].startswith("The reply most likely to be shown is “both”, with probability 0.56")
    assert any(said.startswith("A pays that whichever reply is shown: “none” le") for said in words)
    assert words[-1].startswith("The auctioneer earns 0.")
    assert solved({**PAIR, "offset": False})["words"][-1].startswith("The auctioneer loses ")
    long = solved(changed("candidates", 2, to="a" * 99, document=PAIR))
    assert f"“{'a' * 59}…”" in long["words"][0]


# --- Against long decimals, which import nothing of ours ------------------------------------------


def drawn(seed: int) -> Document:
    draw = Random(seed)
    agents, candidates = draw.randint(1, 4), draw.randint(1, 5)
    scale = draw.choice(["0.001", "1", "40"])
    found: Document = {
        "kind": "softmax-auction",
        "tau": draw.choice(["1", "1/7", "0.03", "12.5"]),
        "candidates": [f"reply {j}" for j in range(candidates)],
        "agents": {
            f"agent {i}": {
                "rewards": [
                    str(Fraction(draw.randint(-999, 999), 100) * Fraction(scale))
                    for _ in range(candidates)
                ]
            }
            for i in range(agents)
        },
        "offset": draw.random() < 0.7,
    }
    if draw.random() < 0.6:
        for law in ("reference", "generator"):
            found[law] = {
                "log_probabilities": [str(-draw.randint(0, 500) / 100) for _ in range(candidates)]
            }
    return found


def oracle_of(problem: Mapping[str, Any]) -> Auction:
    def logs(law: str) -> list[Fraction] | None:
        return [Fraction(x) for x in problem[law]["log_probabilities"]] if law in problem else None

    rewards = [[Fraction(x) for x in each["rewards"]] for each in problem["agents"].values()]
    return Auction(rewards, Fraction(problem["tau"]), logs("reference"), logs("generator"), 80)


@pytest.mark.parametrize("seed", range(25))
def test_numbers_are_the_oracle_s(seed: int) -> None:
    problem = drawn(seed)
    agrees(solved(problem), oracle_of(problem), offset=problem["offset"])


def test_reports_of_all_forms_are_the_oracle_s() -> None:
    for offset in (True, False):
        found = solved({**WHOLE, "offset": offset})
        ref = [Fraction(6, 10), Fraction(3, 10), Fraction(1, 100)]
        rewards: list[Any] = [[0, 1, 2]]
        tau = Fraction(1, 2)
        rewards.append(rewards_from_models([1, 2, 3], [1, 1, 1], tau))
        model = [Fraction(2, 10), Fraction(1, 10), Fraction(2, 10)]
        rewards.append(rewards_from_models(model, ref, Fraction(3, 10), 2))
        log_ref = rewards_from_models(ref, [1, 1, 1])
        with localcontext(prec=60):
            rewards.append([x - log for x, log in zip((-3, -2, -1), log_ref, strict=True)])
        oracle = Auction(rewards, tau, log_ref, [-1, -1, -1])
        agrees(found, oracle, offset=offset)


@pytest.mark.parametrize("seed", range(10))
def test_odds_are_the_oracle_s(seed: int) -> None:
    draw = Random(seed)
    agents, size = draw.randint(1, 4), draw.randint(1, 5)
    odds = [[Fraction(draw.randint(1, 9), draw.randint(1, 9)) for _ in range(size)]] * agents
    ref, gen = ([Fraction(draw.randint(1, 9), 9) for _ in range(size)] for _ in range(2))
    weights = [r / g for r, g in zip(ref, gen, strict=True)]
    found = solved(
        {
            "kind": "softmax-auction",
            "tau": "1/3",
            "candidates": ["x"] * size,
            "agents": {str(i): {"odds": [str(o) for o in row]} for i, row in enumerate(odds)},
            "reference": {"probabilities": [str(p) for p in ref]},
            "generator": {"probabilities": [str(p) for p in gen]},
        }
    )
    law = [Fraction(each["probability"]) for each in found["allocation"]]
    assert law == odds_allocation(odds, weights)
    for i, share in enumerate(found["agents"].values()):
        paid = odds_payment(odds, i, weights, tau=Fraction(1, 3))
        assert holds(share["payment"], paid)


def test_models_whose_odds_are_rational_are_answered_exactly() -> None:
    """With tau 1/2 the odds of a model are the square of its ratio to the reference."""
    ref = {"probabilities": ["1/2", "1/4", "1/4"]}
    model = {"probabilities": ["1/4", "1/2", "1/4"]}
    by_model = {**PAIR, "agents": {"A": model}, "reference": ref, "generator": ref}
    by_odds = {**by_model, "agents": {"A": {"odds": ["1/4", 4, 1]}}}
    assert solved(by_model) == solved(by_odds)
    assert solved(by_model)["arithmetic"] == "exact"


@pytest.mark.parametrize("seed", range(8))
def test_bounds_meet_those_of_the_library(seed: int) -> None:
    problem = drawn(seed)
    oracle = oracle_of(problem)
    sure = certified_auction(
        oracle.rewards,
        oracle.tau,
        oracle.log_ref,
        oracle.log_gen,
        relative=1e-20,
        offset=problem["offset"],
    )
    for share, paid, left in zip(
        solved(problem)["agents"].values(),
        sure.payment_enclosures,
        sure.utility_enclosures,
        strict=True,
    ):
        for bounds, enclosure in ((share["payment"], paid), (share["utility"], left)):
            assert enclosure.overlaps(Interval(*ends(bounds)))


# --- Relations ------------------------------------------------------------------------------------


@pytest.mark.parametrize("whole", [PAIR, LAWS, ODDS, WHOLE], ids=["pair", "laws", "odds", "whole"])
def test_money_adds_up(whole: Document) -> None:
    found = solved(whole)
    assert sum(near(each["probability"]) for each in found["allocation"]) == pytest.approx(1)
    for share in found["agents"].values():
        x = {name: near(value) for name, value in share.items()}
        assert x["utility"] == pytest.approx(x["reward"] - x["payment"])
        assert x["reward_gain"] == pytest.approx(x["reward"] - x["without"])
        assert x["utility_gain"] == pytest.approx(x["utility"] - x["without"])
    paid = sum(near(share["payment"]) for share in found["agents"].values())
    assert near(found["revenue"]) == pytest.approx(paid)


@pytest.mark.parametrize("seed", range(0, 12, 2))
def test_the_unit_of_money_and_the_order_do_not_matter(seed: int) -> None:
    problem = {**drawn(seed), "offset": True}
    found = solved(problem)
    pounds = copy.deepcopy(problem)
    pounds["tau"] = str(Fraction(problem["tau"]) * 3)
    for each in pounds["agents"].values():
        each["rewards"] = [str(Fraction(r) * 3 + 5) for r in each["rewards"]]
    other = solved(pounds)
    assert other["allocation"] == found["allocation"]
    for name, share in found["agents"].items():
        for what, more in (("payment", 0), ("utility", 5), ("utility_gain", 0)):
            low, high = ends(share[what])
            assert ends(other["agents"][name][what])[0] <= 3 * high + more
            assert 3 * low + more <= ends(other["agents"][name][what])[1]
    turned = copy.deepcopy(problem)
    turned["candidates"].reverse()
    for each in turned["agents"].values():
        each["rewards"].reverse()
    for law in ("reference", "generator"):
        if law in turned:
            turned[law]["log_probabilities"].reverse()
    assert solved(turned)["agents"] == found["agents"]


def test_the_same_law_twice_is_no_law() -> None:
    law = {"probabilities": [0.2, 0.3, 0.4]}
    assert solved({**PAIR, "reference": law, "generator": law}) == solved(PAIR)


def test_extremes() -> None:
    """Rewards of a million with tau a millionth: who is outbid by ever so little gets nothing."""
    steep = {**PAIR, "tau": "1e-6", "agents": {"A": {"rewards": [0, 10**6, 10**6]}}}
    found = solved(steep)
    assert found["allocation"][1]["probability"] == found["allocation"][2]["probability"]
    share = found["agents"]["A"]
    assert near(share["payment"]) == pytest.approx(1e-6 * 0.4054651081081644, rel=1e-9)
    assert near(share["utility"]) == pytest.approx(1e6)


# --- Schema ---------------------------------------------------------------------------------------


def test_problems_and_answers_fit_the_schema(schema: Document) -> None:
    Draft202012Validator.check_schema(schema)
    for problem in (PAIR, LAWS, ODDS, WHOLE):
        found = solved(problem)
        validator(schema, "Problem").validate(problem)
        validator(schema, "Answer").validate(found)
        assert not validator(schema, "Problem").is_valid(found)


def test_scores_that_balls_cannot_tell_apart_are_compared_exactly() -> None:
    """Four scores, 0, log 2, log 2 and 0, and a fifth far away; balls around them as wide as 3."""
    from flint import arb

    nothing, doubled = ClosedForm(Fraction(0)), log(2)
    scaled = (nothing, doubled, doubled, nothing, log(2**30))
    totals = _Totals(Reports(scaled=(scaled,), log_ratios=(nothing,) * 5))
    wide = {j: arb(0, 3) for j in range(4)} | {4: arb(20, 3)}
    assert totals.classes(wide) == [[0, 3], [1, 2], [4]]
    told_apart = {j: score.to_ball() for j, score in enumerate(scaled)}
    assert totals.classes(told_apart) == [[0, 3], [1, 2], [4]]
    less = (nothing, doubled, nothing, nothing, nothing)  # 0, 0, log 2, 0
    assert totals.classes(wide, less) == [[0, 1, 3], [2], [4]]
