"""Mechanisms that are stepped, beside loops that call their participants (issue 23).

A step is a question that is asked, answered and entered in the log. The bare loop calls the
participant and keeps nothing. A state is written as JSON text and read back, which goes through the
rules again. It is written again and again, as by a driver that writes each stage: what tells its
earlier questions apart is known from the first time. A ledger compares all balances with its log
after each payment; the plain one adds them up. The experiment on advertising leads the rules of its
auction; the loop calls the same models in the same order, and the arithmetic is the same in both.
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
