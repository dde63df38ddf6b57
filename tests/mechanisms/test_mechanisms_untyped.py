"""Arguments of the wrong type, where no type checker stands in between: errors that say it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from dev import ROOT

CASES = {
    'Ledger([("a", 1)])': "InvalidInputError: balances are no mapping",
    "BM25([1])": "InvalidInputError: market is not a Passage (got 1): give a list of Passage",
    "Cascade([3])": "InvalidInputError: retrievals is not a Retrieval (got 3): give objects with",
    "Rewritten(3, str)": "InvalidInputError: retrieval is not a Retrieval (got 3)",
    "Rewritten(BM25(), 3)": "InvalidInputError: rewrite cannot be called (got 3)",
    "ValuationBuyer(3)": "InvalidInputError: value cannot be called (got 3)",
    "Reranked(3)": "InvalidInputError: buyer cannot be called (got 3)",
    "Reranked(print, 3)": "InvalidInputError: reranker is not a Reranker (got 3)",
    "Grading(3)": "InvalidInputError: grader is not a Grader (got 3): give an object with",
    "corpus_from_json(3)": "InvalidInputError: text is not a str or bytes (got 3): give JSON",
    "corpus_to_json(3)": "InvalidInputError: corpus is not a Corpus (got 3): give a Corpus",
    'FactQuestion("q", "Ilm", "mayor", 1)': "InvalidInputError: relations is one text, not a list",
    "Corpus([1])": "InvalidInputError: passages is not a Passage (got 1): give a list of Passage",
    "facts_corpus(owners=0.5)": "InvalidInputError: owners is not a count (got 0.5)",
    "Market([1])": "InvalidInputError: vendors has no name or cannot be called (got 1)",
    'answer_question(1, "q", 1, 1)': "InvalidInputError: market is not a Market (got 1)",
    "answer_question(Market([]), 1, 1, 1)": "InvalidInputError: question is not a FactQuestion or",
    'answer_question(Market([]), "q", 1, 1)': "InvalidInputError: buyer cannot be called (got 1)",
    "price_game(1, 1, {}, [])": "InvalidInputError: corpus is not a Corpus (got 1)",
    "price_game(goods, 1, {}, [])": "InvalidInputError: market is not a Market (got 1)",
    "price_game(goods, Market([]), 1, [])": "InvalidInputError: menus is not a Mapping (got 1)",
    'price_game(goods, Market([Vendor("v", [])]), {"v": [1]}, [1])': (
        "InvalidInputError: visits is not a Visit (got 1): give Visit(question, buyer, budget)"
    ),
    "Visit(1, 1, 1)": "InvalidInputError: question is not a FactQuestion (got 1)",
    'information_market("q", "a", [], None)': "NumberError: budget is not a number (got None)",
    'information_market("q", 1, [], 1)': "InvalidInputError: name is not a str (got 1)",
    'information_market("q", "a", [], 1, inspection=1)': (
        "InvalidInputError: inspection is not a bool"
    ),
    "Ledger(None)": "InvalidInputError: balances are no mapping (got None)",
    'Ledger({"a": 1}, ["a"])': "InvalidInputError: floors are no mapping (got ['a'])",
    "book.balance([])": "UnknownNameError: account is not an account (got []): known are a, b",
    "book.available({})": "UnknownNameError: account is not an account (got {})",
    "book.statement().account([])": "UnknownNameError: account is not an account (got [])",
    'book.transfer([], "b", 1)': "UnknownNameError: payer is not an account (got [])",
    'book.transfer("a", "b", 1, None)': "InvalidInputError: memo is not text (got None)",
    'book.require("a", 1)': "InvalidInputError: amounts are no list (got 1): give a list, even",
    'book.require("a", "12")': "InvalidInputError: amounts are no list (got '12')",
    'book.statement("x")': "InvalidInputError: since is no number of entries (got 'x'): give an",
    "book.pay(3)": "InvalidInputError: payments",
    'book.pay(["a"])': "InvalidInputError: payment is one text, not a list (got 'a')",
    "book.pay([], 3)": "InvalidInputError: key is not text (got 3)",
    'book.transfer("a", "b", 1, key=3)': "InvalidInputError: key is not text (got 3)",
    'book.available("a", "1")': "InvalidInputError: after is no number of entries (got '1')",
    'book.available("a", True)': "InvalidInputError: after is no number of entries (got True)",
    "MemoryStore().append(3)": "StoreError: the store has not begun",
    "MemoryStore(lambda: '').append(3)": "StoreError: the store takes batches of entries",
    "MemoryStore().begin(3)": "StoreError: the store is begun with a int: give text",
    'MemoryStore().read("1")': "InvalidInputError: since is not a count (got '1')",
    "FileStore(3)": "InvalidInputError: path is not a path",
    "FileStore(None)": "InvalidInputError: path is not a path",
    "shop.on_ledger(book, 3)": "InvalidInputError: name is not a str (got 3): name the run",
    "sale.on_ledger(book, 3)": "InvalidInputError: name is not a str (got 3): name the run",
    'inspect_once("?", buyer, None, book)': "InvalidInputError: sellers are no list (got None)",
    'inspect_once("?", buyer, [3], book)': "InvalidInputError: seller has no name (got 3)",
    'inspect_once("?", buyer, "b", book)': "InvalidInputError: seller has no name (got 'b')",
    'inspect_once("?", None, [], book)': "InvalidInputError: buyer has no name (got None)",
    "run(asking=3)": "InvalidInputError: asking is no function (got 3): give a function of the Ask",
    "run_auction(items, [RuleBidder('A')], 9, asking=3)": "InvalidInputError: asking is no f",
    "run(items=5)": "InvalidInputError: items is no list of names (got 5)",
    "run(prices=None)": "InvalidInputError: prices are none (got None): give a price for each",
    "run(prices=[1])": "InvalidInputError: prices are none (got [1])",
    'run(holdings=["A"])': "InvalidInputError: holdings are no mapping (got ['A'])",
    'run(holdings={"A": 5})': "InvalidInputError: holdings of A is no list of names (got 5)",
    'run(holdings={"A": [["x"]]})': (
        "UnknownNameError: holdings of A is not an item (got ['x']): known are x"
    ),
    "conclude(3, 0)": "InvalidInputError: steps is not a Generator (got 3): give rules.steps(...)",
    "conclude(shop.steps(), 1.5)": "InvalidInputError: seed is no seed (got 1.5): give an integer",
    "play(sale, [])": "InvalidInputError: participants is not a Mapping",
    "play(shop, {})": "InvalidInputError: run is not a Run",
    'play(sale, {"A": 1})': "InvalidInputError: participant A cannot be called (got 1): give a",
    "sale.answer(3, 1)": "InvalidInputError: ask is not a Ask or Draw (got 3): give one of",
    "sale.no_answer(Draw.uniform([1]), 1)": "InvalidInputError: ask is not open",
    'sale.no_answer("A", 3)': "InvalidInputError: reason is not text (got 3): say why none came",
    "sale.seeded(True)": "InvalidInputError: seed is no seed (got True): give an integer or text",
    "sale.seeded(1.5)": "InvalidInputError: seed is no seed (got 1.5)",
    "sale.seeded(None)": "InvalidInputError: seed is no seed (got None)",
    "sale.on_ledger({})": "InvalidInputError: ledger is not a Ledger (got {}): give a Ledger",
    'Ask(3, "", Text())': "InvalidInputError: player of an Ask is not a str (got 3): give text",
    'Ask("A", "", Text(), 3)': "InvalidInputError: role of an Ask is not a str",
    'Ask("A", "", Text(), "", 3)': "InvalidInputError: seat of an Ask is not a str",
    'Ask("A", "", ["x"])': "InvalidInputError: answer of an Ask is not a AnswerType",
    'Draw.of(["x"])': "InvalidInputError: law is not a Mapping (got ['x']): give the probability",
    "rules(3)": "InvalidInputError: function is no generator (got 3): write a function that yields",
    "unfold(sale, 3)": "InvalidInputError: utilities is no function (got 3): give a function",
    "unfold(shop, len)": "InvalidInputError: start is not a Run",
    'ascending_auction(items, "AB", 9)': "InvalidInputError: bidders is one text, not a list",
    'ascending_auction(items, ["A"], 9, modules=["plan"])': "InvalidInputError: modules is not a M",
    "begin_auction(items, [SimpleNamespace(name='A', bid=len, modules=None)], 9)": (
        "InvalidInputError: modules of A is not a list (got None)"
    ),
    "auction_result(3)": "InvalidInputError: run is of the wrong type (got 3)",
    "watch_auction(items, [RuleBidder('A')], 9, worths=[])": (
        "InvalidInputError: worths is not a Worths (got []): give one"
    ),
    "Worths([[1]], [[1]], None)": "InvalidInputError: bonuses is not a list (got None)",
    "Worths([[1]], [[1]], [3])": "InvalidInputError: bonuses is not a Bonus (got 3)",
    "private_values([[1]])": "InvalidInputError: values is of the wrong type (got [[1]])",
    "interdependent_values([[1]], 0)": "InvalidInputError: signals is of the wrong type",
    "common_values([3], ['A'])": "InvalidInputError: items is not a Item (got 3)",
    "sort_items(items, [])": "UnknownNameError: order is no order of items (got [])",
    "paper_items(table=[])": "UnknownNameError: table is no table of items (got [])",
    "best_bundle([3])": "InvalidInputError: offers is of the wrong type (got [3])",
    "run_many(items, [], 9, 1, rng=None, ties=[])": "UnknownNameError: ties is not known (got [])",
    "Terms(shows_value=1)": "InvalidInputError: shows_value is no bool (got 1)",
    "Believed(('A',), ('V',)).read(Beliefs('x', None, None))": "IllegalAnswerError: the beliefs",
    "Believed(('A',), ('V',)).read(Beliefs(1, (), (('A', 5),)))": "IllegalAnswerError: the beliefs",
    "Planned(('V',)).read(Plan(None))": "IllegalAnswerError: the plan has no pairs",
    "advertising_auction(socks, 2, offset=1)": "InvalidInputError: offset is not a bool (got 1)",
    "advertising_auction(socks, '2')": "InvalidInputError: candidates is not a count (got '2')",
    "advertising_auction(socks, 2, tau='1')": "NumberError: tau is not a number (got '1')",
    "advertising_auction(socks, 2, told='Ann')": "InvalidInputError: told is one text, not a list",
    "advertising_auction(socks, 2, told=[3])": "UnknownNameError: told is no advertiser (got 3)",
    "advertising_auction(socks, 2, levels=['1'])": "NumberError: level is not a number (got '1')",
    "advertising_auction(socks, 2, attempts='1')": "InvalidInputError: attempts of an Ask is not",
    "advertising_auction('socks', 2)": "InvalidInputError: instance is not a Instance",
    "candidate_replies('socks', 2)": "InvalidInputError: instance is not a Instance",
    "model_participants('socks', None, None)": "InvalidInputError: instance is not a Instance",
    "model_participants(socks, None, None)": "InvalidInputError: models is not a Models (got None)",
    "rules(data=('x',))(shop.__wrapped__)": "InvalidInputError: data is not a type (got 'x')",
    'sale.answer("A", "x", memory=3)': "InvalidInputError: memory is not text (got 3)",
    "nameless()": "InvalidInputError: memo is not text (got 3)",
    'record_run("sale")': "InvalidInputError: run is not a Run (got 'sale'): call rules",
}

PROGRAM = """
import json, sys
from types import SimpleNamespace
from mechanisms.advertising import *
from mechanisms.ascending import *
from mechanisms.inspection import inspect_once
from mechanisms.ledger import Ledger
from mechproof.ledger_file import FileStore
from mechanisms.ledger_store import MemoryStore
from mechanisms.marginal_value import run_marginal_value
from mechanisms.market import *
from mechanisms.play import (
    Ask, Draw, Open, Pay, Text, Transfer, conclude, play, record_run, rules, unfold
)

@rules
def shop():
    yield Ask("A", "?", Text())

@rules
def nameless():
    yield Open((("a", 1), ("b", 0)))
    yield Pay((Transfer("a", "b", 1, 3),))

sale = shop()
items = [Item("V", 1, 2)]
socks = Instance("How?", (Advertiser("Ann", "wool"),))
goods = Corpus((Passage("p", "v", 1, "t", "x"),))
book = Ledger({"a": 12, "b": 0})
buyer = SimpleNamespace(name="a", decide=lambda question, bought: None)

def run(items=("x",), prices={"x": 0}, **rules):
    judge = SimpleNamespace(utilities=lambda revealed: {"wait": 0})
    silent = SimpleNamespace(reveal=lambda history: ())
    return run_marginal_value(judge, {"A": silent}, items, prices, **rules)

def outcome(call):
    try:
        return f"returned {eval(call)}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"

print(json.dumps([outcome(call) for call in json.load(sys.stdin)]))
"""


@pytest.fixture(scope="module")
def outcomes() -> dict[str, str]:
    """What each call comes to in a program of its own, in which annotations are not checked."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        input=json.dumps([*CASES, "run()"]),
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(zip([*CASES, "run()"], json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("call", CASES)
def test_what_is_wrong_is_named(call: str, outcomes: dict[str, str]) -> None:
    assert outcomes[call].startswith(CASES[call])


def test_the_program_can_tell(outcomes: dict[str, str]) -> None:
    assert outcomes["run()"].startswith("returned nothing is revealed")
