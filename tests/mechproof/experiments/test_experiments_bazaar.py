"""The experiments of bazaar against first principles, case by case."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp, log
from pathlib import Path

import pytest
from bazaar_runs import CORPUS, Leaning, Row, small
from reference import market_choices as reference

from mechproof.experiments import bazaar
from mechproof.experiments._bazaar_choices import roles_bought
from mechproof.experiments._bazaar_scenes import Part


def offers_of(report: bazaar.BazaarReport, row: Row) -> tuple[list[reference.Offer], list[bool]]:
    """Return the passages that were shown as prices and needed facts, and which were bought."""
    question = CORPUS.question(row["question"])
    needed = {str(fact) for fact in CORPUS.needs(question)}
    shown = report.results.scenes.shown(Part.of(row), question)
    offers = [(p.price, frozenset({str(s) for s in p.states} & needed)) for _, p in shown]
    bought = roles_bought(row)
    return offers, [role in bought for role, _ in shown]


def test_rational_choice_is_what_first_principles_say(tmp_path: Path) -> None:
    """The ideal buyer takes the cheaper copy alone; verdicts one by one buy both."""
    report = small("rational-choice", tmp_path, questions=20)
    assert len(report.results.rows) == 3 * 20 * 4
    for row in report.results.rows:
        offers, taken = offers_of(report, row)
        assert offers[0][1] == offers[1][1] != frozenset()
        if row["buyer"] == "ideal":
            best = reference.best_gain(offers, Fraction(20), Fraction(100))
            assert reference.gain(offers, taken, Fraction(20)) == best
            assert sum(taken) == 1
        if row["buyer"] in ("one-by-one", "keyword"):
            assert taken == [True, True]
    for same in (True, False):
        shares = {name: report.results.copies(name, same=same) for name in report.results.buyers}
        assert shares["ideal"]["rational"].value == 100
        assert shares["one-by-one"]["rational"].value == 0
        for each in shares.values():
            parts = sum(share.value for kind, share in each.items() if kind != "rational")
            assert parts == pytest.approx(100)


def test_ideal_demand_is_a_step_at_the_reservation_price(tmp_path: Path) -> None:
    report = small("demand", tmp_path, buyers=["ideal"], questions=24)
    steps: dict[str, list[bool]] = {}
    reservations = set()
    for row in report.results.rows:
        offers, taken = offers_of(report, row)
        roles = [role for role, _ in row["shown"]]
        gold = roles.index("gold")
        others = [offer for k, offer in enumerate(offers) if k != gold]
        most = reference.reservation_price(others, offers[gold][1], Fraction(20))
        price = Fraction(row["setting"])
        if price != most:
            assert taken[gold] == (price < most)
        steps.setdefault(row["question"], []).append(taken[gold])
        reservations.add(most)
    assert reservations == {10, 20}  # with another passage that states it, and without
    assert all(each == sorted(each, reverse=True) for each in steps.values())


@pytest.mark.parametrize("scale", [2.0, 5.0])
def test_coefficients_of_a_logit_buyer_come_back(scale: float, tmp_path: Path) -> None:
    report = bazaar.run("demand", tmp_path, buyers=[f"logit:{scale}"], draw=False, seed=1)
    [found] = report.results.demands.values()
    assert found.fit is not None
    assert found.fit.holds
    for wanted, (low, high) in zip((1 / scale, -1 / scale), found.fit.interval, strict=True):
        assert low <= wanted <= high
    assert found.own is not None
    assert found.cross is not None
    own, cross, own_slopes, cross_slopes = [], [], [], []
    for row in report.results.rows:
        if row["setting"] != "10":
            continue
        offers, _ = offers_of(report, row)
        gold = [role for role, _ in row["shown"]].index("gold")
        law = reference.logit(offers, Fraction(20), scale)
        share = sum(p for taken, p in law.items() if taken[gold])
        other = {t: p for t, p in law.items() if any(y for k, y in enumerate(t) if k != gold)}
        both = sum(p for taken, p in other.items() if taken[gold])
        own.append(-10 / scale * (1 - share))
        cross.append(-10 / scale * (both / sum(other.values()) - share))
        found_slopes = slopes(offers, gold, found.fit.value)
        own_slopes.append(found_slopes[0])
        cross_slopes.append(found_slopes[1])
    for (_, low, high), exact in ((found.own, own), (found.cross, cross)):
        assert low <= sum(exact) / len(exact) <= high
    for (value, _, _), slope in ((found.own, own_slopes), (found.cross, cross_slopes)):
        assert value == pytest.approx(sum(slope) / len(slope), rel=1e-6)


def slopes(
    offers: list[reference.Offer], gold: int, beta: tuple[float, ...]
) -> tuple[float, float]:
    """Return how shares grow with the price of gold, both in percent, by differences."""

    def shares(price: float) -> tuple[float, float]:
        weights = {}
        for taken in product((False, True), repeat=len(offers)):
            some = [offer for offer, yes in zip(offers, taken, strict=True) if yes]
            worth = 20 * len(frozenset[str]().union(*(facts for _, facts in some)))
            cost = sum(float(each) for each, _ in some) + taken[gold] * (price - 10)
            weights[taken] = exp(beta[0] * worth + beta[1] * cost)
        events = (lambda t: t[gold], lambda t: any(t[:gold] + t[gold + 1 :]))
        total = sum(weights.values())
        a, b = (sum(w for t, w in weights.items() if event(t)) / total for event in events)
        return a, b

    step = 1e-4
    above, below = shares(10 * (1 + step)), shares(10 * (1 - step))
    a, b = (log(high / low) / (2 * step) for high, low in zip(above, below, strict=True))
    return a, b


def test_buyers_of_one_law_draw_each_by_itself(tmp_path: Path) -> None:
    """Else the intervals over questions, and the comparisons of buyers, say too much."""
    buyers = ["one=logit:20", "two=logit:20"]
    report = small("demand", tmp_path, buyers=buyers, gold_prices=[10], questions=16)
    bought: dict[str, list[tuple[str, ...]]] = {}
    for row in report.results.rows:
        bought.setdefault(row["buyer"], []).append(tuple(sorted(roles_bought(row))))
    assert bought["one"] != bought["two"]
    assert all(len({*each}) > 3 for each in bought.values())


def test_choices_without_error_have_no_coefficients(tmp_path: Path) -> None:
    report = small("demand", tmp_path, buyers=["ideal", "keyword"], questions=20)
    for found in report.results.demands.values():
        assert found.fit is None
        assert "without error" in found.reason
    assert "without error" in str(report)


def test_positions_are_exactly_flat_and_a_leaning_buyer_is_seen(tmp_path: Path) -> None:
    buyers = ["ideal", "keyword", Leaning(), Leaning("last", place=2)]
    report = small("position", tmp_path, buyers=buyers, questions=10)
    for name in ("ideal", "keyword"):
        found = report.results.positions[name]
        assert [each.value for each in found.by_position] == pytest.approx([0, 0, 0])
        assert (found.swaps.value, found.p) == (0, 1)
    for name, place in (("leaning", 0), ("last", 2)):
        found = report.results.positions[name]
        expected = [-100 / 3] * 3
        expected[place] = 200 / 3
        assert [each.value for each in found.by_position] == pytest.approx(expected)
        assert found.p < 0.01
        assert found.swaps.value == pytest.approx(100 * 2 / 3)


def test_what_is_gained_never_falls_with_the_budget(tmp_path: Path) -> None:
    """Of one fact with no question to follow, the gain is a knapsack's."""
    budgets = [0, 3, 5, 10, 25, 200]
    report = bazaar.run(
        "budget", tmp_path, buyers=["ideal"], budgets=budgets, hops=0, draw=False, questions=30
    )
    gains: dict[str, list[Fraction]] = {}
    passages = {passage.name: passage for passage in CORPUS.passages}
    for row in report.results.rows:
        gains.setdefault(row["question"], []).append(report.results.outcomes.of(row).net)
        question = CORPUS.question(row["question"])
        if len(question.relations) > 1:
            continue
        needed = {str(fact) for fact in CORPUS.needs(question)}
        shown = [passages[label.partition(": ")[2]] for label, _ in row["inquiries"][0]["offers"]]
        offers = [(p.price, frozenset({str(s) for s in p.states} & needed)) for p in shown]
        best = reference.best_gain(offers, question.worth, Fraction(row["setting"]))
        assert report.results.outcomes.of(row).net == best
    assert all(each == sorted(each) for each in gains.values())
    assert len({gain for each in gains.values() for gain in each}) > 3


def test_keyword_buyers_are_greedy_by_rank(tmp_path: Path) -> None:
    report = small("keyword-baseline", tmp_path, questions=20, budgets=[12, 25])
    passages = {passage.name: passage for passage in CORPUS.passages}
    total: dict[str, list[Fraction]] = {}
    for row in report.results.rows:
        question = CORPUS.question(row["question"])
        needed = {str(fact) for fact in CORPUS.needs(question)}
        inquiry = row["inquiries"][0]
        names = [label for label, _ in inquiry["offers"]]
        shown = [passages[label.partition(": ")[2]] for label in names]
        offers = [(p.price, frozenset({str(s) for s in p.states} & needed)) for p in shown]
        budget = Fraction(row["setting"])
        taken = [label in inquiry["bought"] for label in names]
        if row["buyer"] != "ideal":
            stops = row["buyer"] == "keyword-stops"
            assert taken == reference.greedy(offers, budget, stops=stops)
        sums = total.setdefault(f"{row['buyer']}, {budget}", [Fraction(0), Fraction(0)])
        sums[0] += reference.gain(offers, taken, question.worth)
        sums[1] += reference.best_gain(offers, question.worth, budget)
    for player in report.results.summaries:
        chosen, best = total[str(player)]
        assert report.results.against_best(player).share == float(chosen / best)
    outcomes = [each.outcome for each in report.results.comparisons]
    assert {"won", "lost"} <= {*outcomes}
    counts = report.ratings().counts.values()
    for outcome in ("won", "lost"):  # one of two wins what the other loses
        decided = outcomes.count("won") + outcomes.count("lost")
        assert sum(count[outcome] for count in counts) == decided


def test_what_inspection_changes_adds_up_to_nothing(tmp_path: Path) -> None:
    """Kinds of purchases exclude each other and are all there are, as in Table 1 they are not."""
    report = small("inspection", tmp_path, gold_prices=[0, 10, 40], budgets=[25], questions=20)
    for buyer in report.results.buyers:
        found = report.results.changes(buyer, ["0", "10", "40"])
        assert sum(each.value for each in found.values()) == pytest.approx(0)
        reads = buyer != "keyword"
        assert any(each.value for each in found.values()) is reads
    assert "keyword, 25, titles" in str(report)
