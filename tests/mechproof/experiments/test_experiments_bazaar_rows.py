"""Rows of bazaar that are written by hand: what they come to is counted by hand, too."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import log10
from typing import Any

import pytest

from mechanisms.market import Corpus, FactQuestion, Grade, Passage, Statement, fixed_corpus
from mechproof.experiments._bazaar_judging import Comparison, Player, compare_answers
from mechproof.experiments._bazaar_scenes import Part, Scenes
from mechproof.experiments.bazaar_results import BazaarResults
from theory.verdicts import Table

Row = dict[str, Any]

MAYOR = Statement("Ilm", "mayor", "Ida Ro")
BORN = Statement("Ida Ro", "birthplace", "Ulm")
RIVER = Statement("Ilm", "river", "Raun")
SHELF = {
    name: Passage(name, owner, price, name, f"What {name} says.", frozenset(states))
    for name, owner, price, states in (
        ("a", "press", 2, [MAYOR]),
        ("b", "press", 3, [MAYOR, BORN]),
        ("c", "rival", 4, [BORN]),
        ("d", "rival", 1, [RIVER]),
    )
}
QUESTIONS = (
    FactQuestion("q1", "Ilm", ("mayor", "birthplace"), 6),
    FactQuestion("q2", "Ilm", ("mayor",), 6),
    FactQuestion("q3", "Ilm", ("river",), 6),
    FactQuestion("q4", "Ida Ro", ("birthplace",), 6),
)
CORPUS = Corpus(tuple(SHELF.values()), QUESTIONS, frozenset([MAYOR, BORN, RIVER]))


def label(name: str) -> str:
    return f"{SHELF[name].owner}: {name}"


def in_the_market(question: str, answer: str, *inquiries: str, **more: Any) -> Row:
    """Return a row; an inquiry is written as what is offered, then ":", then what is bought."""
    parts = [each.split(":") for each in inquiries]
    receipts = {"press": Fraction(0), "rival": Fraction(0)}
    for each in "".join(bought for _, bought in parts):
        receipts[SHELF[each].owner] += SHELF[each].price
    spent = sum(receipts.values())
    asked = [
        {
            "offers": [[label(each), str(SHELF[each].price)] for each in offered],
            "bought": [label(each) for each in bought],
        }
        for offered, bought in parts
    ]
    balances = {"Ann": str(25 - spent)} | {name: str(each) for name, each in receipts.items()}
    key = Part("market", "25").key(question, "Ann")
    row = {**key, "inquiries": asked, "answer": answer, "spent": str(spent), "balances": balances}
    return {**row, "failed": None, "usage": {}, **more}


def shown(part: Part, question: str, roles: Sequence[str], bought: Sequence[str]) -> Row:
    """Return a row of passages that were shown, some of which were bought."""
    names = {role: str(k) for k, role in enumerate(roles, 1)}
    inquiry = {"bought": [f"library: {names[role]}" for role in bought]}
    row = {**part.key(question, "Ann"), "shown": [[role, n] for role, n in names.items()]}
    return {**row, "inquiries": [inquiry], "failed": None, "usage": {}}


def results_of(
    rows: Sequence[Row], compared: Sequence[Comparison] = (), name: str = "models"
) -> BazaarResults:
    return BazaarResults(name, tuple(rows), Scenes(CORPUS), tuple(compared), "facts", 0)


MARKET = [
    in_the_market("q1", "In Ulm.", "abd:ad", "cb:c"),
    in_the_market("q2", "Ida Ro.", "ad:d"),
    in_the_market("q3", "The Raun.", "bd:db"),
    in_the_market("q4", "not known", "ad:", "bc:bc"),
]


def test_worth_and_money_are_added_up_over_all_questions_that_followed() -> None:
    [(player, found)] = results_of(MARKET).summaries.items()
    assert (str(player), found.questions) == ("Ann, 25", 4)
    assert found.right.value == 75
    assert found.worth.value == (12 + 0 + 6 + 6) / 4
    assert found.spent.value == (7 + 1 + 4 + 7) / 4
    assert found.net.value == (5 - 1 + 2 - 1) / 4
    assert found.twice.value == 1 / 4  # c states what b states
    assert found.per_credit == pytest.approx(24 / 19)
    assert found.useless == pytest.approx(100 * (1 + 1 + 3) / 19)  # d, d and b
    assert found.concentration == pytest.approx((8**2 + 11**2) / 19**2)
    assert (found.worth.clusters, found.worth.observations) == (4, 4)


def test_first_choices_are_set_against_the_best_that_was_on_offer() -> None:
    results = results_of(MARKET)
    [player] = results.summaries
    found = results.against_best(player)  # b alone, a alone, d alone, and nothing to gain
    assert found.share == pytest.approx((3 - 1 + 2) / (9 + 4 + 5))
    assert found.worst == pytest.approx(-1 / 4)
    assert found.questions == 3


def test_to_ask_the_same_again_makes_nothing_surer() -> None:
    """Intervals are over questions; there is as much between them in copies of all rows."""
    once, twice = results_of(MARKET), results_of([*MARKET, *map(dict, MARKET)])
    [one], [two] = once.summaries.values(), twice.summaries.values()
    for name in ("right", "worth", "spent", "net", "twice"):
        first, second = getattr(one, name), getattr(two, name)
        assert first.high > first.value > first.low
        assert (second.low, second.high) == pytest.approx((first.low, first.high))
    assert one.concentration == pytest.approx(two.concentration)


GOLD = ("gold", "other1", "other2")
PURCHASES = {  # by the price of gold: of q1 and q2, with inspection and without
    "0": ((["gold"], []), (["gold"], ["gold", "other2"])),
    "10": ((["other1"], ["gold", "other1"]), (["other2"], ["other2"])),
}
BESIDE_GOLD = [
    shown(Part("gold price", price, read), question, GOLD[turn:] + GOLD[:turn], bought)
    for price, each in PURCHASES.items()
    for turn, (question, pair) in enumerate(zip(("q1", "q2"), each, strict=True))
    for read, bought in zip((True, False), pair, strict=True)
]


def test_what_inspection_changes_is_counted_price_by_price_and_over_all() -> None:
    results = results_of(BESIDE_GOLD, name="inspection")
    kinds = ("only gold", "gold and more", "only alternative", "none")
    for prices, changes in (
        (["0", "10"], (50, -50, 25, -25)),
        (["0"], (100, -50, 0, -50)),
        (["10"], (0, -50, 50, 0)),
    ):
        found = results.changes("Ann", prices)
        assert {kind: each.value for kind, each in found.items()} == dict(
            zip(kinds, changes, strict=True)
        )
        assert {each.clusters for each in found.values()} == {2}
    tables = {table.caption: table for table in results.tables()}
    whole = tables["What inspection changes, in percentage points, over all prices of gold"]
    cells = [cell.split(" ")[0] for cell in whole.rows[0]]
    assert cells == ["Ann", "50.0", "-50.0", "25.0", "-25.0", "0.0"]


def test_demand_counts_gold_and_what_else_is_bought() -> None:
    results = results_of(BESIDE_GOLD, name="demand")
    for part, gold, another in (
        (Part("gold price", "0"), 100, 0),
        (Part("gold price", "0", inspection=False), 50, 50),
        (Part("gold price", "10"), 0, 100),
        (Part("gold price", "10", inspection=False), 50, 100),
    ):
        found = results.demand("Ann", part)
        assert (found["gold"].value, found["another"].value) == (gold, another)


def test_two_copies_are_told_apart_by_their_prices() -> None:
    roles = ("first", "second")
    results = results_of(
        [
            shown(Part("copies", "10, 10"), "q1", roles, roles),
            shown(Part("copies", "10, 10"), "q2", roles, ()),
            shown(Part("copies", "10, 15"), "q1", roles, ["first"]),
            shown(Part("copies", "10, 15"), "q2", roles, ["second"]),
            shown(Part("copies", "15, 10"), "q1", roles, ["second"]),
            shown(Part("copies", "15, 10"), "q2", roles, roles),
        ]
    )
    same = {name: each.value for name, each in results.copies("Ann", same=True).items()}
    assert same == {"neither": 50, "one": 0, "both": 50, "rational": 50}
    two = {name: each.value for name, each in results.copies("Ann", same=False).items()}
    cheap = {"the cheaper": 50, "the dearer": 25}
    assert two == {"neither": 0, **cheap, "both": 25, "rational": 50}


ANN, BOB = Player("Ann", "25", inspection=True), Player("Bob", "25", inspection=True)


def compared(*said: str) -> list[Comparison]:
    """Return what came of Ann's answers against Bob's, question by question."""
    return [
        Comparison(f"q{k}", ANN, BOB, Grade(f"q{k}", "yes", "no", (each, each)))
        for k, each in enumerate(said)
    ]


def test_strengths_are_those_of_all_that_was_won_tied_and_lost() -> None:
    said = ["first"] * 5 + ["second"] + ["tie"] * 2 + ["unreadable"]
    results = results_of([], compared(*said))
    assert results.score(ANN, BOB) == 6 / 8
    assert results.score(BOB, ANN) == 2 / 8
    ratings = results.ratings()
    value, low, high = ratings.points(ANN)
    assert value - ratings.points(BOB)[0] == pytest.approx(400 * log10(3))
    assert low < value < high
    assert ratings.counts[ANN] == {"won": 5, "lost": 1, "tie": 2, "unreadable": 1}
    assert ratings.counts[BOB] == {"won": 1, "lost": 5, "tie": 2, "unreadable": 1}
    again = results_of([], [*results.comparisons, *results.comparisons]).ratings()
    assert again.points(ANN) == pytest.approx((value, low, high))


def test_pairs_differ_in_one_respect_and_the_better_off_come_first() -> None:
    rows = [
        {**Part("market", budget, read).key("q1", buyer), "answer": f"{buyer} {budget} {read}"}
        for budget in ("5", "25")
        for read in (False, True)
        for buyer in ("Ann", "Bob")
    ]
    found = compare_answers(rows, Grade)
    assert len(found) == len({(each.first, each.second) for each in found}) == 12
    for each in found:
        first, second = each.first, each.second
        assert each.grade.first == f"{first.buyer} {first.budget} {first.inspection}"
        assert each.grade.second == f"{second.buyer} {second.budget} {second.inspection}"
        assert first.differs(second) == 1
        assert Fraction(first.budget) >= Fraction(second.budget)
        assert first.inspection >= second.inspection


def test_tables_say_what_the_numbers_are() -> None:
    used = dict.fromkeys(("calls", "retries", "input_tokens", "output_tokens", "unreadable"), 2)
    rows = [
        {**row, "usage": {"Ann": {**used, "calls": 10**k, "money": f"1/{k + 1}"}}}
        for k, row in enumerate(MARKET)
    ]
    bob = [{**row, "buyer": "Bob"} for row in MARKET[:2]]
    said = ["first"] * 5 + ["second"] + ["tie"] * 2 + ["unreadable"]
    results = results_of([*rows, *bob], compared(*said))
    tables = {table.caption.partition(":")[0]: table for table in results.tables()}

    def cells(table: Table) -> dict[str, str]:
        """Return the first row, by column, without intervals."""
        row = (cell.split(" ±")[0] for cell in table.rows[0])
        return dict(zip(table.columns, row, strict=True))

    assert cells(tables["The market"]) == {
        **{"buyer": "Ann", "budget": "25", "reads": "yes", "questions": "4", "right, %": "75.0"},
        **{"worth": "6.0", "spent": "4.8", "net": "1.2", "worth per credit": "1.26"},
        **{"paid twice": "0.25", "useless, %": "26.3", "concentration": "0.512"},
    }
    counts = {"won": "5", "lost": "1", "tie": "2", "unreadable": "1", "missing": "0", "failed": "0"}
    found = cells(tables["Answers compared by facts"])
    assert found == {"answer of": "Ann, 25", "against": "Bob, 25", **counts, "score, %": "75.0"}
    wins = tables["Score of the row against the column, in percent"]
    assert wins.rows == (("Ann, 25", "", "75.0"), ("Bob, 25", "25.0", ""))
    [row] = tables["What was asked of models"].rows
    assert row == ("Ann", "1,111", "8", "8", "8", "8", "2.0833")


# --- What is shown


def test_gold_stands_at_no_place_more_often_than_at_others() -> None:
    scenes = Scenes(fixed_corpus())
    part = Part("gold price", "30")
    places = []
    for question in scenes.asked(part):
        passages = scenes.shown(part, question)
        roles = [role for role, _ in passages]
        places.append(roles.index("gold"))
        prices = {role: passage.price for role, passage in passages}
        assert prices == {"gold": 30, "other1": 10, "other2": 10}
    counts = [places.count(place) for place in range(3)]
    assert sum(counts) == len(places) > 50
    assert max(counts) - min(counts) <= 1


def test_in_all_orders_gold_alone_states_what_is_needed() -> None:
    corpus = fixed_corpus()
    scenes = Scenes(corpus)
    for setting in ("gold other1 other2", "other2 other1 gold"):
        for question in scenes.asked(Part("order", setting)):
            passages = scenes.shown(Part("order", setting), question)
            assert [role for role, _ in passages] == setting.split()
            stating = [r for r, p in passages if p.states & {*corpus.needs(question)}]
            assert stating == ["gold"]


@pytest.mark.parametrize("setting", ["10, 15", "15, 10"])
def test_two_copies_say_the_same_in_other_words_at_the_prices_of_the_setting(setting: str) -> None:
    corpus = fixed_corpus()
    scenes = Scenes(corpus)
    part = Part("copies", setting)
    for question in scenes.asked(part):
        (role, one), (other, two) = scenes.shown(part, question)
        assert (role, other) == ("first", "second")
        assert f"{one.price}, {two.price}" == setting
        assert one.states == two.states
        assert one.text != two.text
        assert one.states & {*corpus.needs(question)}


def test_rows_that_failed_are_in_no_share_and_in_all_means_of_the_market() -> None:
    part = Part("copies", "10, 10")
    whole = shown(part, "q1", ("first", "second"), ["first"])
    none: Row = {"inquiries": [], "failed": "raises"}
    results = results_of([whole, {**whole, **part.key("q2", "Ann"), **none}])
    assert results.copies("Ann", same=True)["one"].value == 100
    failed = {**MARKET[0], **none, "answer": None}
    [found] = results_of([*MARKET[1:], failed]).summaries.values()
    assert (found.questions, found.right.value) == (4, 50)
    assert found.spent.value == (7 + 1 + 4 + 7) / 4  # what was paid stays paid
