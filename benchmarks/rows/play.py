"""Mechanisms that are stepped, beside loops that call their participants (issue 23).

A step is a question that is asked, answered and entered in the log. The bare loop calls the
participant and keeps nothing. A state is written as JSON text and read back, which goes through the
rules again. It is written again and again, as by a driver that writes each stage: what tells its
earlier questions apart is known from the first time. A ledger compares all balances with its log
after each payment; the plain one adds them up. The experiment on advertising leads the rules of its
auction; the loop calls the same models in the same order, and the arithmetic is the same in both.
Inspection and the marginal-value mechanism stand beside loops that call the same participants with
the same copies, read answers by the same types, pay by the same ledger, and keep no log: they do
less than the loops that were here before the steps, which named who was at fault and kept a record.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, partial
from importlib import import_module
from typing import Any
from unittest.mock import patch

from benchmarks.harness import AtMostSeconds, AtMostTimes, Row, same

STEPS = 1_000
PAYMENTS = 1_000
ACCOUNTS = [f"account {k}" for k in range(10)]


@cache
def _counting() -> Any:
    from mechanisms.play import Ask, Choice, Steps, rules

    legal = Choice((0, 1))

    @rules
    def count(steps: int) -> Steps[int]:
        total = 0
        for k in range(steps):
            total += yield Ask("player", k, legal)
        return total

    return count


def _alternate(view: int) -> int:
    return view % 2


def _stepped(steps: int) -> int:
    run = _counting()(steps)
    while (ask := run.ask()) is not None:
        run = run.answer(ask, _alternate(ask.view))
    return int(run.outcome)


def _bare(steps: int) -> int:
    return sum(_alternate(k) for k in range(steps))


@cache
def _inspected() -> Any:
    """An inspection of two levels before its decision."""
    from mechanisms.inspection import inspection
    from mechanisms.protocols import Offer

    money = {"buyer": 10, "one": 0, "two": 0}
    run = inspection("which?", "buyer", ["one", "two"], money, depth=2)
    for k, seller in enumerate(["one", "two", "one", "two"]):
        offers = [Offer(f"{seller} {k} {j}", f"what {k} and {j} say", "1/2") for j in range(3)]
        run = run.answer(seller, offers)
    for _ in range(2):
        [ask] = run.asks
        run = run.answer(ask, [ask.view.offers[-1][0].name])
    return run


def _written_and_read() -> str:
    run = _inspected()
    return str(run.rules.read(json.dumps(run.to_json())))


def _told() -> str:
    return str(_inspected())


def _payments() -> Iterator[tuple[str, str, Fraction, str]]:
    for k in range(PAYMENTS):
        payer, payee = k % 10, (k + 1 + k // 10 % 9) % 10
        yield ACCOUNTS[payer], ACCOUNTS[payee], Fraction(k % 7, 1 + k % 3), f"payment {k}"


def _by_ledger() -> dict[str, Fraction]:
    from mechanisms.ledger import Ledger

    ledger = Ledger(dict.fromkeys(ACCOUNTS, 10**6))
    for payer, payee, amount, memo in _payments():
        ledger.transfer(payer, payee, amount, memo)
    return {account.name: Fraction(account.closing) for account in ledger.statement().accounts}


def _by_hand() -> dict[str, Fraction]:
    balances = dict.fromkeys(ACCOUNTS, Fraction(10**6))
    log = []
    for payer, payee, amount, memo in _payments():
        if balances[payer] < amount:
            raise ValueError(payer)
        balances[payer] -= amount
        balances[payee] += amount
        log.append((payer, payee, amount, memo))
        if sum(balances.values()) != 10 * 10**6:
            raise ArithmeticError("credits are not conserved")
    return balances


@cache
def _advertised() -> Any:
    """An instance, its models, and the optimum, which is no part of the auction."""
    from mechanisms.advertising import Models, explicit_model, instances, optimum

    instance = instances()[0]
    model = explicit_model("table", [instance])
    return instance, Models(model, model), optimum(instance, model)


def _experiment() -> list[bytes]:
    """Run one instance with 20 candidates; all numbers that come of it, to the bit."""
    import numpy as np

    from mechanisms.advertising import run_instance

    instance, models, best = _advertised()
    rng = np.random.default_rng(0)
    courses = run_instance(instance, models, 20, rng=rng, optimal=best).courses.values()
    numbers = [(c.payments, c.expected_rewards, c.log_probs, c.returned) for c in courses]
    return [array.tobytes() for each in numbers for array in each]


def _experiment_in_a_loop() -> list[bytes]:
    module = import_module("mechanisms.advertising._run")
    with patch.object(module._Run, "drawn", _drawn_in_a_loop):
        return _experiment()


def _drawn_in_a_loop(run: Any, told: list[str], rng: Any) -> Any:
    """Ask the models one after the other."""
    from mechanisms.advertising import context_prompt
    from mechanisms.advertising.models import score
    from mechanisms.language_models import checked_sample

    instance, models = run.instance, run.models
    firms = [one for one in instance.advertisers if one.name in told]
    prompt = context_prompt(instance.query, firms)
    drawn = checked_sample(models.draws, prompt, int(run.sizes[-1]), rng)
    scores = score(instance, models.speaks, drawn.replies)
    kept: Any = import_module("mechanisms.advertising._run")._Drawn
    return kept(drawn.replies, drawn.log_probs, scores.log_ref, scores.rewards)


class _Seller:
    def __init__(self, name: str) -> None:
        self.name = name

    def offers(self, question: Any) -> Any:
        from mechanisms.protocols import Offer

        level = question.level
        return [Offer(f"{self.name} {level} {k}", f"note {k}", Fraction(1, 2)) for k in range(3)]


class _Buyer:
    name = "buyer"

    def choose(self, viewing: Any) -> list[str]:
        last = viewing.choice[-1]
        return [last.name] if last.read() else []

    def decide(self, question: str, bought: Any) -> int:
        return len(bought)


def _seated() -> tuple[_Buyer, list[_Seller], Any]:
    from mechanisms.ledger import Ledger

    return _Buyer(), [_Seller("one"), _Seller("two")], Ledger({"buyer": 10, "one": 0, "two": 0})


def _inspection() -> tuple[object, Any]:
    from mechanisms.inspection import inspect_recursively

    buyer, sellers, ledger = _seated()
    record = inspect_recursively("which?", buyer, sellers, ledger, 2)
    return record.decision, record.statement


def _inspection_in_a_loop() -> tuple[object, Any]:
    """Open both levels, then choose and pay from the second one on."""
    from mechanisms.protocols import Notice, Purchase, Question, Viewing

    own: Any = import_module("mechanisms.inspection._run")
    told: Any = import_module("mechanisms.inspection._questions")
    buyer, sellers, ledger = _seated()
    levels: list[list[Any]] = []
    items: dict[str, Any] = {}

    def question(level: int) -> Question:
        below = (
            tuple(Notice(o.level, o.seller, o.name, Fraction(o.price)) for o in offers)
            for offers in levels[: level - 1]
        )
        return Question("which?", level, tuple(below))

    def delivered() -> tuple[Purchase, ...]:
        return tuple(
            Purchase(o.level, o.seller, o.name, Fraction(o.price), items[o.name].copied())
            for o in bought
        )

    for level in (1, 2):
        opened: list[Any] = []
        for seller in sellers:
            legal = told.Offers(level, 100, frozenset(items), False)
            for each in legal.read(seller.offers(question(level))):
                opened.append(Notice(level, seller.name, each.name, each.price))
                items[each.name] = own.Item(seller.name, each.name, each.content)
        levels.append(opened)
    bought: list[Any] = []
    for level in (2, 1):
        counter = own.ReadingSession()
        offers = tuple(
            tuple(counter.lay_out(o, items[o.name]) for o in listed) for listed in levels[:level]
        )
        viewing = Viewing(question(level), offers, delivered(), ledger.available("buyer"))
        names = own.choose_offers(buyer, "buyer", viewing)
        counter.close()
        chosen = [o for o in levels[level - 1] if o.name in names]
        ledger.require("buyer", [o.price for o in chosen], " + ".join(names))
        for o in chosen:
            items[o.name].prepare(copies=level)
            ledger.transfer("buyer", o.seller, o.price, o.name)
        bought += chosen
    return buyer.decide("which?", delivered()), ledger.statement()


ITEMS = {f"item {k}": f"text {k}" for k in range(8)}
HELD = {"Ann": [*ITEMS][::2], "Bob": [*ITEMS][1::2]}


class _Judge:
    def utilities(self, revealed: Any) -> dict[str, Any]:
        return {"wait": 3, "act": Fraction(2 * len(revealed) + 1, 3)}


class _Informant:
    def reveal(self, history: Any) -> list[str]:
        return [name for name in history.held if name not in history.revealed][:1]


def _marginal_value() -> tuple[Any, Any]:
    from mechanisms.marginal_value import run_marginal_value

    players = {"Ann": _Informant(), "Bob": _Informant()}
    record = run_marginal_value(
        _Judge(), players, ITEMS, dict.fromkeys(ITEMS, "1/7"), holdings=HELD
    )
    return record.rewards, record.statement


def _marginal_value_in_a_loop() -> tuple[Any, Any]:
    """Ask in turn, and pay at the end."""
    from mechanisms.ledger import Ledger
    from mechanisms.protocols import Disclosure, History
    from theory.marginal_value import Moves
    from theory.shared.copying import copy_content

    told: Any = import_module("mechanisms.marginal_value._answers")
    revealing: Any = import_module("mechanisms.marginal_value._revealing")
    legal = revealing.RevealingRules.of(tuple(ITEMS), Moves.SUBSETS, tuple(HELD), HELD, None)
    judge, players = _Judge(), {"Ann": _Informant(), "Bob": _Informant()}
    price = Fraction(1, 7)

    def copies(names: Any) -> dict[str, object]:
        return {name: copy_content(ITEMS[name]) for name in names}

    opinions = [told.Utilities((), None, None).read(judge.utilities({}))]
    actions = tuple(action for action, _ in opinions[0].utilities)
    moves: list[Any] = []
    while len(moves) < len(ITEMS):
        name = ("Ann", "Bob")[len(moves) % 2]
        revealed = tuple(item for move in moves for item in move.items)
        held = legal.held_by(name)
        history = History(
            tuple(Disclosure(move.informant, move.items) for move in moves),
            copy_content(tuple(opinion.action for opinion in opinions)),
            copies(revealed),
            copies(held),
        )
        move = told.Move(legal.of_one(name), name, revealed, len(moves), frozenset())
        new = move.read(players[name].reveal(history))
        moves.append(Disclosure(name, new))
        asked = told.Utilities((*revealed, *new), actions, False)
        opinions.append(asked.read(judge.utilities(copies((*revealed, *new)))))
    final = dict(opinions[-1].utilities)
    rewards = tuple(
        final[after.action] - final[before.action] - price * len(move.items)
        for before, after, move in zip(opinions, opinions[1:], moves, strict=False)
    )
    accounts = ("pool", "Ann", "Bob")
    ledger = Ledger(dict.fromkeys(accounts, 0), dict.fromkeys(accounts))
    for n, (move, reward) in enumerate(zip(moves, rewards, strict=True), 1):
        payer, payee = ("pool", move.informant) if reward > 0 else (move.informant, "pool")
        if reward:
            memo = f"move {n}: {{{', '.join(move.items)}}}"
            ledger.transfer(payer, payee, abs(reward), memo)
    return rewards, ledger.statement()


def rows() -> Iterator[Row]:
    yield Row(
        id="play.step",
        issue=23,
        work=f"{STEPS:,} steps of a mechanism that counts",
        ours=partial(_stepped, STEPS),
        peer=partial(_bare, STEPS),
        peer_name="a bare loop",
        agree=same,
        prepare=_counting,
        target=AtMostSeconds(STEPS * 10e-6),
        repeats=9,
        quick=True,
    )
    yield Row(
        id="play.state",
        issue=23,
        work="an inspection of two levels and 12 offers, written and read",
        ours=_written_and_read,
        peer=_told,
        peer_name="its text alone",
        agree=same,
        prepare=_inspected,
        target=AtMostSeconds(1e-3),
        repeats=9,
        quick=True,
    )
    yield Row(
        id="ledger.payments",
        issue=23,
        work=f"{PAYMENTS:,} payments among {len(ACCOUNTS)} accounts, and the statement",
        ours=_by_ledger,
        peer=_by_hand,
        peer_name="a dictionary of balances, added up after each",
        agree=same,
        repeats=9,
        quick=True,
    )
    yield Row(
        id="play.inspection",
        issue=23,
        work="an inspection of two levels with two sellers and 12 offers, and its statement",
        ours=_inspection,
        peer=_inspection_in_a_loop,
        peer_name="a loop that calls them",
        agree=same,
        repeats=15,
        quick=True,
    )
    yield Row(
        id="play.marginal-value",
        issue=23,
        work="eight moves of two informants and a judge, and the statement",
        ours=_marginal_value,
        peer=_marginal_value_in_a_loop,
        peer_name="a loop that calls them",
        agree=same,
        repeats=15,
        quick=True,
    )
    yield Row(
        id="play.advertising",
        issue=23,
        work="an instance of the advertising experiment, 4 draws of 20 candidates, 2 advertisers",
        ours=_experiment,
        peer=_experiment_in_a_loop,
        peer_name="a loop that calls the models",
        agree=same,
        prepare=_advertised,
        target=AtMostTimes(1.5),
        repeats=15,
        quick=True,
    )
