"""Runs as plain data: read in another process, refused where they are another's, never misread."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction
from json import dumps, loads
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_rules import Value, auction, branching, led, patient, shop
from sweeps import examples

from dev import ROOT
from mechanisms.ledger import Ledger
from mechanisms.play import (
    Anything,
    Ask,
    Choice,
    Draw,
    How,
    Open,
    Pay,
    Quantity,
    ReplayError,
    Run,
    Steps,
    Text,
    Transfer,
    rules,
)
from theory.errors import InvalidInputError, MechproofError


@settings(max_examples=examples(60))
@given(seed=st.integers(0, 10**6), rounds=st.integers(0, 6), cut=st.integers(0, 20))
def test_a_run_is_written_and_read_at_every_stage(seed: int, rounds: int, cut: int) -> None:
    run = led(branching(seed, rounds), Random(seed), cut)
    again = branching.read(dumps(run.to_json()))
    assert again == run
    assert again.outcome == run.outcome
    assert again.asks == run.asks
    assert again.draws == run.draws
    assert led(again, Random(3)) == led(run, Random(3))


def stages() -> list[Run[Any]]:
    """A run with refusals, a default, a seed, at each of its stages."""
    run: Run[Any] = patient("tell", 2)
    bids: Run[Any] = auction(["Ann", "Bob"], ["1/2", 3]).seeded("a seed")
    money: Run[Any] = shop(Fraction(2), Fraction(3, 2), 2)
    return [
        run,
        run := run.answer("Ann", 9),
        run := run.answer("Ann", "nine", memory="structural"),
        run.no_answer("Ann", "gone \ud800"),
        bids,
        bids := bids.answer("Bob", 1),
        bids.answer("Ann", 1),
        money,
        money := money.answer("Ann", "buy"),
        money.answer("Ann", "buy"),
    ]


@pytest.mark.parametrize("k", range(10))
def test_what_happened_is_read_back_whole(k: int) -> None:
    run = stages()[k]
    again = run.rules.read(loads(dumps(run.to_json())))
    assert again == run
    assert (again.outcome, again.ended_by, again.seed) == (run.outcome, run.ended_by, run.seed)
    assert [e.memory for e in again.log] == [e.memory for e in run.log]
    assert str(again) == str(run)
    assert pickle.loads(pickle.dumps(run)) == run
    if run.rules is shop:
        assert str(again.ledger) == str(run.ledger)


def test_three_processes_play_what_one_plays() -> None:
    """Begun in one process, answered in a second, finished in a third."""
    code = (
        "import json, sys; from played_rules import auction\n"
        "given = sys.stdin.read()\n"
        "run = auction.read(given) if given else auction(['Ann', 'Bob'], [1, 2, 3]).seeded(9)\n"
        "for seat in sys.argv[1:]: run = run.answer(seat, 2)\n"
        "print(json.dumps(run.to_json()))"
    )
    written = ""
    for seats in ([], ["Bob"], ["Ann"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *seats],
            input=written,
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONPATH": f"{ROOT}:{ROOT / 'tests/helpers'}", "PYTHONHASHSEED": "random"},
        )
        written = done.stdout
    here = auction(["Ann", "Bob"], [1, 2, 3]).seeded(9).answer("Ann", 2).answer("Bob", 2)
    assert auction.read(written) == here
    assert auction.read(written).outcome == here.outcome


def edited(k: int, **change: Any) -> str:
    """A finished auction of which one entry was changed."""
    run = auction(["Ann", "Bob"], [1, 2]).seeded(4).answer("Ann", 1).answer("Bob", 2)
    written = run.to_json()
    written["log"][k] |= change
    return dumps(written)


@pytest.mark.parametrize("k", range(5))
def test_a_log_that_was_changed_is_refused_at_its_step(k: int) -> None:
    step = (0, 0, 1, 1, 2)[k]
    with pytest.raises(ReplayError, match=f"at step {step} ask for something else"):
        auction.read(edited(k, asked="0" * 16))
    with pytest.raises(ReplayError) as caught:
        auction.read(edited(k, value="none of these"))
    assert caught.value.step == step
    other = "bank" if k in (0, 1, 4) else "drawn"
    with pytest.raises(ReplayError, match=f"at step {step} find in the log what is no answer"):
        auction.read(edited(k, how=other))


@pytest.mark.parametrize(("k", "value"), [(0, -1), (1, 2), (0, True), (4, 1), (2, "7"), (3, None)])
def test_values_that_cannot_have_been(k: int, value: Any) -> None:
    with pytest.raises(ReplayError, match="find in the log what is no answer"):
        auction.read(edited(k, value=value))


def test_a_draw_that_was_changed_changes_what_is_asked() -> None:
    value = loads(edited(0))["log"][0]["value"]
    with pytest.raises(ReplayError, match="at step 1 ask for something else"):
        auction.read(edited(0, value=1 - value))


def test_a_log_that_is_too_long_or_has_a_hole() -> None:
    written = loads(edited(0))
    more = written | {"log": [*written["log"], written["log"][-1] | {"step": 7}]}
    with pytest.raises(ReplayError, match="at step 7 come to their end, and the log goes on"):
        auction.read(more)
    with pytest.raises(ReplayError, match="at step 1 ask for nothing that the log answers"):
        auction.read(written | {"seed": None, "log": written["log"][1:]})
    twice = written | {"log": [*written["log"], written["log"][2]]}
    with pytest.raises(ReplayError, match="at step 1 "):
        auction.read(twice)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"rules": "shop"}, "rules are others .got 'shop'.: read it with the rules of that name"),
        ({"version": 2}, "version of auction is another .got 2.: these are version 1"),
        ({"seed": 1.5}, "seed is no seed"),
        ({"log": 3}, "log is no list"),
        ({"log": [3]}, "log has what is no entry"),
        ({"log": [{"step": 0}]}, "log has what is no entry"),
        ({"log": [{"step": True, "key": "", "how": "bank", "asked": ""}]}, "what is no entry"),
        ({"arguments": [[], {}]}, "arguments do not fit"),
        ({"arguments": [3]}, "written is no run"),
        ({"arguments": [{"object": "Popen", "fields": {}}, {}]}, "arguments do not fit"),
        ({"arguments": [[{"object": "Popen", "fields": {}}], {}]}, "object is no kind of data"),
        ({"arguments": [[{"object": "Value", "fields": {"x": 1}}], {}]}, "was not written"),
        ({"arguments": [[{"set": 3}, []], {}]}, "was not written"),
        ({"arguments": [[{"eval": ["1"]}, []], {}]}, "was not written"),
    ],
)
def test_what_is_no_run_of_these_rules(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        auction.read(loads(edited(0)) | change)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "null", '{"rules": "auction"}', "[" * 10**5])
def test_what_is_no_run_at_all(text: str) -> None:
    with pytest.raises(InvalidInputError):
        auction.read(text)


@pytest.mark.parametrize(
    ("change", "step"),
    [
        ({"player": "Bob", "seat": "Ann"}, 0),
        ({"seat": "Ann, later"}, 0),
        ({"role": "sell"}, 0),
        ({"view": ("?",)}, 0),
        ({"answer": Quantity(0, 3)}, 0),
        ({"price": Fraction(2)}, 3),
        ({"purse": Fraction(6)}, 2),
        ({}, None),
    ],
)
def test_a_log_is_of_one_kind_of_question_alone(change: dict[str, Any], step: int | None) -> None:
    """The rules are changed under an old version: whatever they ask for, the log tells."""

    def version(**new: Any) -> Any:
        asked = {"player": "Ann", "view": "?", "answer": Quantity(0, 2), "role": "buy"}
        asked |= {key: value for key, value in new.items() if key in ("seat", *asked)}

        @rules
        def kiosk() -> Steps[Any]:
            yield Ask(attempts=2, **asked)
            yield Draw.uniform((1, 2))
            yield Open((("Ann", new.get("purse", Fraction(5))), ("Bob", Fraction(0))))
            yield Pay((Transfer("Ann", "Bob", new.get("price", Fraction(1))),))
            return "done"

        return kiosk

    run = version()().seeded(1).answer("Ann", 9).answer("Ann", 1)
    assert run.outcome == "done"
    if step is None:
        assert version().read(run.to_json()).outcome == "done"
        return
    with pytest.raises(ReplayError, match=f"at step {step} ask for something else"):
        version(**change).read(run.to_json())


@pytest.mark.parametrize(
    ("k", "change", "problem"),
    [
        (0, {"how": "illegal"}, "attempt 1 of 2 was illegal"),
        (1, {"how": "refused"}, "attempt 2 of 2 was refused"),
        (0, {"reason": "another"}, "ask for something else"),  # which the second attempt is told
        (0, {"how": "chosen", "value": "7"}, "7 is too much"),
    ],
)
def test_attempts_that_cannot_have_been(k: int, change: dict[str, Any], problem: str) -> None:
    written = patient("tell", 2).answer("Ann", 9).answer("Ann", 8).to_json()
    assert patient.read(written).log[1].how is How.ILLEGAL
    written["log"][k] |= change
    with pytest.raises(ReplayError, match=problem):
        patient.read(written)


def test_integers_that_are_floats_elsewhere_are_written_as_text() -> None:
    """JSON's numbers are read as floats by many: 2^53 + 1 is none."""
    keep = declared()
    for value, plain in ((2**53 - 1, True), (-(2**53), False), (2**53 + 1, False)):
        [written] = keep(value).to_json()["arguments"][0]
        assert (written == value) is plain
        assert keep.read(keep(value).to_json()) == keep(value)


JUNK: list[Any] = [
    *(None, True, -1, 2**70, 1.5, float("inf"), "", "x", [], [1], {}, {"a": 1}),
    *({"dict": {}}, {"tuple": 3}, {"set": [[1]]}, {"fraction": "1/0"}, {"integer": "zz"}),
    *({"float": "nan"}, {"object": [], "fields": 1}, {"object": "Unpaid", "fields": {}}),
]


@pytest.mark.parametrize("k", range(10))
@pytest.mark.parametrize("seed", range(20))
def test_junk_anywhere_is_refused_as_junk_or_read_as_a_run(k: int, seed: int) -> None:
    run, generator = stages()[k], Random(seed)
    for _ in range(10):
        written = loads(dumps(run.to_json()))
        inside: Any = written
        while True:
            key = generator.choice([*inside] if isinstance(inside, dict) else range(len(inside)))
            if not inside[key] or type(inside[key]) not in (dict, list) or generator.random() < 0.2:
                break
            inside = inside[key]
        inside[key] = generator.choice(JUNK)
        try:
            again = run.rules.read(written)
        except MechproofError:
            continue
        assert run.rules.read(dumps(again.to_json())) == again


FORGED: list[tuple[int, Any]] = [
    (1, {"fraction": "0x9/0x1"}),  # what can be paid
    (3, 0),  # paid, says the log
    (3, "x"),
    (3, []),
    (3, {"object": "Unpaid", "fields": {"account": "Ann", "amount": 1, "funds": 0}}),
    (4, "lots"),
    (6, None),  # what was not paid
]


@pytest.mark.parametrize(("k", "value"), FORGED)
def test_money_cannot_be_written_into_a_log(k: int, value: Any) -> None:
    """Of the first purchase, which is paid, and the second, which is not."""
    run: Run[Any] = shop(Fraction(2), Fraction(3, 2), 2)
    written = run.answer("Ann", "buy").answer("Ann", "buy").to_json()
    assert shop.read(written).outcome == 1
    assert written["log"][k]["how"] == "bank"
    written["log"][k]["value"] = value
    with pytest.raises(ReplayError, match="answered otherwise by their accounts than the log says"):
        shop.read(written)


def nested(depth: int, kind: Any) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = kind([value])
    return value


@pytest.mark.parametrize("kind", [list, tuple])
def test_plain_data_has_a_depth(kind: Any) -> None:
    keep = declared()
    assert keep.read(dumps(keep(nested(98, kind)).to_json()))
    with pytest.raises(InvalidInputError, match="is nested too deeply"):
        keep(nested(101, kind)).to_json()
    written = keep(0).to_json()
    written["arguments"][0] = [nested(3_000, list)]
    with pytest.raises(InvalidInputError, match="is nested too deeply"):
        keep.read(written)


@pytest.mark.parametrize("number", [10**4000, Fraction(1, 10**4000)])
def test_numbers_have_a_length(number: Any) -> None:
    keep = declared()
    with pytest.raises(InvalidInputError, match="has more than 4000 digits"):
        keep(number).to_json()
    written = keep(0).to_json()
    for long in ({"integer": "0x" + "f" * 9_000}, {"fraction": "0x1/0x" + "f" * 9_000}):
        written["arguments"][0] = [long]
        with pytest.raises(InvalidInputError, match="was not written by a run"):
            keep.read(written)
    written["arguments"][0] = [2**53]  # which is written as text
    with pytest.raises(InvalidInputError, match="was not written by a run"):
        keep.read(written)
    for change in ({"seed": 10**4_000}, {"version": 10**5_000}):
        with pytest.raises(MechproofError) as caught:
            keep.read(keep(0).to_json() | change)
        assert len(str(caught.value)) < 500
    with pytest.raises(InvalidInputError, match="is no JSON"):
        keep.read('{"rules": ' + "9" * 5_000 + "}")


def test_steps_are_counts() -> None:
    for step in (-1, 2**53, 10**5_000, True):
        written = loads(edited(0))
        written["log"][0]["step"] = step
        with pytest.raises(InvalidInputError, match="has what is no entry"):
            auction.read(written)


@pytest.mark.parametrize("kind", [int, Fraction])
def test_a_view_may_hold_numbers_that_python_does_not_write(kind: Any) -> None:
    """Sums of what players say have more digits than each; the log tells them apart."""
    long = 10**5_000 * kind(-1) / 7 if kind is Fraction else 10**5_000

    @rules
    def told(k: int) -> Steps[Any]:
        return (yield Ask("Ann", {"sums": (long + k, [long]), "of": {1: long}}, Text()))

    run = told(1).answer("Ann", "yes")
    written = dumps(run.to_json())
    assert told.read(written) == run
    with pytest.raises(ReplayError, match="ask for something else"):
        told.read(written.replace("[[1], {}]", "[[2], {}]"))


def test_arguments_that_the_rules_cannot_use_are_refused_by_name() -> None:
    written = shop(Fraction(1), Fraction(1), 1).to_json()
    written["arguments"][0][2] = "many"
    with pytest.raises(InvalidInputError, match="written lets the rules raise TypeError"):
        shop.read(written)


@dataclass(frozen=True)
class Basket:
    """Data that rules may declare."""

    goods: tuple[str, ...]
    price: Any


def declared(*kinds: type) -> Any:
    @rules(data=kinds, version=3)
    def keep(given: Any) -> Steps[Any]:
        return (yield Ask("Ann", "", Anything())), given

    return keep


@pytest.mark.parametrize(
    "value",
    [
        None,
        -(2**80),
        Fraction(-1, 3),
        float("-inf"),
        (1, ("a", [True])),
        {"tuple": [1], "b": {}},
        {1, 2},
        Basket(("a",), Fraction(1, 2)),
    ],
)
def test_arguments_and_answers_of_all_kinds(value: Any) -> None:
    keep = declared(Basket)
    run = keep(value).answer("Ann", value) if not isinstance(value, Basket) else keep(value)
    assert keep.read(dumps(run.to_json())) == run


@pytest.mark.parametrize("value", [Ledger({}), len, Basket((), Ledger({})), {1: 2}, [object()]])
def test_what_cannot_be_written_is_played_all_the_same(value: Any) -> None:
    run = declared(Basket)(value)
    assert run.answer("Ann", 1).outcome == (1, value)
    with pytest.raises(InvalidInputError, match=r"argument 1.* is a"):
        run.to_json()
    with pytest.raises(InvalidInputError, match=r"answer"):
        declared(Basket)(0).answer("Ann", value).to_json()


def test_the_order_of_sets_does_not_count() -> None:
    @rules
    def tagged() -> Steps[Any]:
        yield Ask("Ann", frozenset("abcdefgh"), Choice((1,)))

    run = tagged().answer("Ann", 1)
    assert tagged.read(run.to_json()) == run


def test_values_of_a_view_are_seen_in_the_log() -> None:
    first = auction(["Ann"], [Fraction(1)]).seeded(1).answer("Ann", 1).to_json()
    other = auction(["Ann"], [Fraction(2)]).seeded(1).answer("Ann", 1).to_json()
    assert first["log"][1]["asked"] != other["log"][1]["asked"]
    assert Value(Fraction(1)) != Value(Fraction(2))
