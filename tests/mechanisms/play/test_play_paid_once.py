"""Runs with a name on a ledger of others: each payment is made once, whoever dies in between."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from json import dumps, loads
from pathlib import Path
from random import Random
from typing import Any

import pytest
from played_rules import shop

from dev import ROOT
from mechanisms.inspection import inspection
from mechanisms.ledger import Ledger
from mechanisms.ledger_store import KeyReuseError, MemoryStore
from mechanisms.play import Ask, Choice, Funds, Open, Pay, Run, Steps, Transfer, Unpaid, rules
from mechanisms.protocols import Offer
from theory.errors import InvalidInputError


def money() -> Ledger:
    return Ledger({"Ann": 5, "Bob": 0, "Eve": 0})


def begun(ledger: Ledger, name: str = "order 1", rounds: int = 3) -> Run[Any]:
    return shop.on_ledger(ledger, name)(Fraction(0), Fraction(1), rounds)


def test_payments_are_made_under_keys_of_run_step_and_entry() -> None:
    @rules
    def two() -> Steps[Any]:
        yield Open((("Ann", Fraction(0)), ("Bob", Fraction(0))))
        pays = Pay((Transfer("Ann", "Bob", Fraction(1)),))
        yield {"a": pays, "b": pays}
        yield pays

    ledger = Ledger({"Ann": 9, "Bob": 0})
    two.on_ledger(ledger, "x")()
    assert list(ledger.places()) == ['["x", 1, "a"]', '["x", 1, "b"]', '["x", 2, ""]']
    two.on_ledger(ledger, "x")()
    assert len(ledger.entries) == 3
    two.on_ledger(ledger)()  # without a name nobody knows that it is the same
    assert (len(ledger.entries), len(ledger.places())) == (6, 3)


@pytest.mark.parametrize("cut", [0, 1, 2])
@pytest.mark.parametrize("others", [0, 1])
def test_whoever_goes_on_from_before_a_payment_pays_it_once(cut: int, others: int) -> None:
    """All stages are gone through twice, from each written one, and others pay in between."""
    ledger = money()
    run = begun(ledger)
    stages = [run := run.answer("Ann", "buy") for _ in range(3)]
    for _ in range(others):
        ledger.transfer("Ann", "Eve", 1)
    written = dumps((begun(ledger) if not cut else stages[cut - 1]).to_json())
    again: Run[Any] = shop.read(written, ledger)
    assert again.name == "order 1"
    for _ in range(3 - cut):
        again = again.answer("Ann", "buy")
    assert again == run
    assert again.log == run.log  # with what Ann was told that she has
    assert ledger.balance("Bob") == 3
    assert len(ledger.entries) == 3 + others


def test_two_runs_of_one_kind_pay_both() -> None:
    ledger = money()
    for name in ("order 1", "order 11", "order", "ORDER 1", '["order 1'):
        begun(ledger, name, 1).answer("Ann", "buy")
    assert ledger.balance("Bob") == 5
    for name, funds in (("order 1", 5), ("order", 3), ("another", 0)):  # as it was told then
        [ask] = begun(ledger, name, 1).asks
        assert ask.view == (0, funds)


@pytest.mark.parametrize("step", [0, 1, 2])
def test_another_payment_in_the_place_of_one_is_refused_by_name(step: int) -> None:
    @rules
    def named(prices: tuple[int, ...]) -> Steps[Any]:
        yield Open((("Ann", Fraction(0)), ("Bob", Fraction(0))))
        for price in prices:
            answer = yield Ask("Ann", price, Choice(("buy", "leave", "twice")))
            times = {"buy": 1, "leave": 0, "twice": 2}[answer]
            yield Pay((Transfer("Ann", "Bob", Fraction(price)),) * times)

    ledger = money()
    run = named.on_ledger(ledger, "order 1")((1, 1, 1))
    stages = [run]
    for _ in range(3):
        stages.append(stages[-1].answer("Ann", "buy"))
    for other in ("leave", "twice"):
        with pytest.raises(KeyReuseError, match=r"has other payments under the key .*order 1"):
            stages[step].answer("Ann", other)
    assert stages[step].answer("Ann", "buy") == stages[step + 1]
    assert ledger.balance("Bob") == 3


def test_a_log_that_says_otherwise_than_the_ledger_is_refused() -> None:
    ledger = money()
    run = begun(ledger).answer("Ann", "buy").answer("Ann", "leave").answer("Ann", "buy")
    written: Any = loads(dumps(run.to_json()))
    assert shop.read(written, ledger) == run
    with pytest.raises(InvalidInputError, match="ledger has 1 payment too few of Ann to Bob"):
        shop.read(written, money())
    other = money()
    begun(other, "order 2").answer("Ann", "buy")
    with pytest.raises(InvalidInputError, match="ledger has 1 payment too few of Ann to Bob"):
        shop.read(written, other)  # another run has paid the like
    forged = loads(dumps(written))
    bank = [k for k, entry in enumerate(forged["log"]) if entry["how"] == "bank"]
    unpaid = {"account": "Ann", "amount": 1, "funds": 0, "told": None}
    assert forged["log"][bank[-1]]["value"] is None
    forged["log"][bank[-1]]["value"] = {"object": "Unpaid", "fields": unpaid}
    with pytest.raises(InvalidInputError, match="ledger has other payments of step 8 of order 1"):
        shop.read(forged, ledger)
    for name in (3, None, {"run": 3}, {"run": "x", "more": 1}, "of others, too"):
        with pytest.raises(InvalidInputError, match="ledger is not that of a run"):
            shop.read(written | {"ledger": name}, ledger)


# --- what others take


def test_who_was_told_of_money_that_others_took_is_told_so() -> None:
    ledger = money()
    run = begun(ledger).answer("Ann", "buy")
    assert run.ask().view == (1, 4)  # type: ignore[union-attr]
    ledger.transfer("Ann", "Eve", "7/2")
    after = run.answer("Ann", "buy")
    [unpaid] = [entry.value for entry in after.log if isinstance(entry.value, Unpaid)]
    assert unpaid == Unpaid("Ann", Fraction(1), Fraction(1, 2), Fraction(4))
    assert str(unpaid) == "Ann cannot pay 1: it has 1/2, and had 4 before others took from it"
    assert shop.read(dumps(after.to_json()), ledger) == after
    assert len(ledger.entries) == 2


def test_what_others_leave_is_enough() -> None:
    ledger = money()
    run = begun(ledger)
    ledger.transfer("Ann", "Eve", 3)
    assert run.answer("Ann", "buy").log[3].value is None


def test_what_the_run_itself_has_paid_was_taken_by_nobody() -> None:
    @rules
    def hasty(told: bool) -> Steps[Any]:
        yield Open((("Ann", Fraction(3)), ("Bob", Fraction(0))))
        if told:
            yield Funds("Ann")
        yield Pay((Transfer("Ann", "Bob", Fraction(2)),))
        yield Pay((Transfer("Bob", "Ann", Fraction(1)),))
        return (yield Pay((Transfer("Ann", "Bob", Fraction(3)),)))

    for ledger in (Ledger({"Ann": 3, "Bob": 0}), Ledger({"Ann": 3.0, "Bob": 0.0})):
        for told in (True, False):
            copied = Ledger({"Ann": 3, "Bob": 0})
            unpaid = hasty.on_ledger(copied, "x")(told).outcome
            assert (unpaid.funds, unpaid.told) == (2, None)
        assert ledger.entries == ()
    assert hasty(True).outcome.told is None
    assert str(hasty(True).outcome) == "Ann cannot pay 3: it has 2"


@pytest.mark.parametrize("seed", range(20))
def test_an_inspection_is_never_half_paid(seed: int) -> None:
    """Two buyers share an account; one of them goes back to earlier stages again and again."""
    generator = Random(seed)
    store = MemoryStore()
    accounts = {"cook": 6, "farm": 0, "mill": 0}

    def begin(name: str) -> Run[Any]:
        ledger = Ledger(accounts, store=store)
        return inspection.on_ledger(ledger, name)("?", "cook", ["farm", "mill"], accounts, 2)

    runs = {name: begin(name) for name in ("one", "two")}
    answers: dict[Any, Any] = {}
    while not all(run.over for run in runs.values()):
        name = generator.choice([name for name, run in runs.items() if not run.over])
        run = runs[name]
        ask = run.ask()
        assert ask is not None
        if (name, ask.seat, ask.role, str(ask.view)) not in answers:
            legal: Any = ask.answer
            prices = [generator.randrange(1, 3) for _ in range(2)]
            answers[name, ask.seat, ask.role, str(ask.view)] = (
                [Offer(f"{ask.seat} {legal.level} {k}", "x", p) for k, p in enumerate(prices)]
                if ask.role == "offer"
                else generator.choice(legal.choices())
                if ask.role == "choose"
                else "done"
            )
        after = run.answer(ask, answers[name, ask.seat, ask.role, str(ask.view)])
        if generator.random() < 0.7:  # else it is killed before it is written down
            runs[name] = inspection.read(dumps(after.to_json()), Ledger(accounts, store=store))
    ledger = Ledger(accounts, store=store)
    bought = [each for run in runs.values() for each in run.outcome.bought]
    paid = [(entry.payee, entry.memo, entry.amount) for entry in ledger.entries]
    assert sorted(paid) == sorted((each.seller, each.name, each.price) for each in bought)
    assert ledger.balance("cook") >= 0


# --- kill -9

DRIVER = """
import json, os, signal, sys
from fractions import Fraction
from pathlib import Path
from mechanisms.ledger import Ledger
from mechproof.ledger_file import FileStore
from played_rules import shop

folder, dies = Path(sys.argv[1]), int(sys.argv[2])
ledger = Ledger({"Ann": 5, "Bob": 0}, store=FileStore(folder / "books"))
kept = folder / "run.json"
if kept.exists():
    run = shop.read(kept.read_text(), ledger)
else:
    run = shop.on_ledger(ledger, "order 17")(Fraction(0), Fraction(1), 4)
while (ask := run.ask()) is not None:
    run = run.answer(ask, "buy")  # which pays
    if ask.view[0] == dies:
        os.kill(os.getpid(), signal.SIGKILL)
    new = kept.with_suffix(".new")
    new.write_text(json.dumps(run.to_json()))
    new.rename(kept)
print(run.outcome, ledger.balance("Bob"), len(ledger.entries), [str(e.value) for e in run.log])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("dies", [[], [0], [3], [0, 0, 2]])
def test_a_driver_that_dies_between_paying_and_writing_down_pays_once(
    tmp_path: Path, dies: list[int]
) -> None:
    command = [sys.executable, "-c", DRIVER, str(tmp_path)]
    where: Any = {"cwd": ROOT, "env": {"PYTHONPATH": f"{ROOT}:{ROOT / 'tests/helpers'}"}}
    for step in dies:
        done = subprocess.run([*command, str(step)], capture_output=True, check=False, **where)
        assert done.returncode == -9, done.stderr
    done = subprocess.run([*command, "-1"], capture_output=True, text=True, check=True, **where)
    told = [each for k in range(4) for each in (str(5 - k), "buy", "None")]
    assert done.stdout == f"4 4 4 {['None', *told]}\n"
