"""``check_protocol``: each planted fault is found, and by the property that it breaks alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from math import nextafter, ulp
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from incentive_runs import CASES, FAULTS, Sale
from sweeps import examples

from theory.errors import InvalidInputError, UnknownNameError
from theory.incentives.protocols import (
    PROTOCOL_PROPERTIES,
    MessageSent,
    MoveMade,
    PaymentMade,
    ProtocolReport,
    ProtocolRun,
    RunRecord,
    SecretsGranted,
    check_protocol,
)
from theory.verdicts import Status, Strength

F = Fraction


def check(*runs: RunRecord, **options: Any) -> ProtocolReport:
    return check_protocol(lambda run, rng: run, list(runs), **options)


def money(*payments: tuple[str, str, object], **accounts: Any) -> RunRecord:
    """A run of payments alone; an account is given as (opening, closing)."""
    return RunRecord(
        steps=[PaymentMade(*payment) for payment in payments],
        limit=len(payments),
        opening={name: pair[0] for name, pair in accounts.items()},
        closing={name: pair[1] for name, pair in accounts.items()},
    )


# --- the sale


def test_a_sound_sale_has_all_properties_and_none_of_them_for_want_of_cases() -> None:
    report = check_protocol(Sale(), CASES)
    assert [(f.property, f.status) for f in report.findings] == [
        (name, Status.HOLDS) for name in PROTOCOL_PROPERTIES
    ]
    assert all(f.strength == Strength.TESTED and f.scope.nontrivial for f in report.findings)
    assert report.faults == report.refuted == ()
    assert report.witness is None


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_breaks_the_property_that_it_is_about_and_no_other(fault: str) -> None:
    report = check_protocol(Sale(fault), CASES)
    assert report.refuted == (FAULTS[fault],)
    assert report.faults == ()


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (
            "keeps a coin",
            "case ann, seed 0: 1 vanishes: house ends with 1, and by the payments with",
        ),
        ("pays a stranger", "step 11: zoe has no account, and 1 is paid"),
        ("overcharges", "step 10: ann has 5, and pays 7"),
        ("draws on the house", "step 11: house has 2, and pays 3"),
        ("shows a bid", "step 9: bob is told ('bob', 1, {'ann': 0, 'bob': 1}) in one"),
        ("shows the good to all", "cases ann and lead, seed 0, step 4: ann is told 'gold' in one"),
        ("whispers more to some", "seed 0, step 5: bob is told ('bid', 1, 1) in one"),
        (
            "bids by the value of another",
            "cases ann and bob, seed 0, step 6: bob does 2 in one, does 0 in",
        ),
        ("draws and forgets", "moves the generator of random, which all share"),
        ("draws from numpy", "moves the generator of numpy.random, which all share"),
        ("draws from the system", "run again, it has MessageSent(player='ann', message=0."),
        ("never ends", "goes on after the 13 steps of its limit"),
    ],
)
def test_the_witness_says_what_happened_and_where(fault: str, text: str) -> None:
    cases = {name: case for name, case in CASES.items() if name not in ("poor", "rich")}
    witness = check_protocol(Sale(fault), cases).witness
    assert text in str(witness)


def test_the_witness_is_the_earliest_step_of_any_run_and_can_be_run_again() -> None:
    early = money(("ann", "bob", 9), ann=(5, -4), bob=(0, 9))
    late = money(("ann", "bob", 1), ("ann", "bob", 9), ann=(5, -5), bob=(0, 10))
    witness = check(late, early)["budgets"].witness
    assert witness is not None
    assert (witness.cases, witness.step, witness.who) == (("1",), 1, "ann")
    again = check_protocol(
        lambda run, rng: run, {"early": early}, seed=witness.seed, seeds=1, properties=["budgets"]
    )
    assert again.refuted == ("budgets",)


def test_the_order_of_cases_does_not_matter_to_what_is_refuted() -> None:
    backwards = dict(reversed(CASES.items()))
    for fault, name in FAULTS.items():
        assert check_protocol(Sale(fault), backwards, seeds=1).refuted == (name,)


def test_leaving_out_what_nobody_may_know_leaves_nothing_to_compare() -> None:
    report = check_protocol(Sale("shows a bid"), {"ann": CASES["ann"]})
    assert report.refuted == ()
    assert report["disclosure"].status == report["measurability"].status == Status.VACUOUS


# --- money


@given(
    opening=st.lists(st.integers(0, 6), min_size=2, max_size=4),
    moves=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(-2, 5)), max_size=6),
    off=st.integers(-1, 1),
)
@settings(max_examples=examples(150))
def test_money_agrees_with_books_kept_by_hand(
    opening: list[int], moves: list[tuple[int, int, int]], off: int
) -> None:
    balances, lowest = list(opening), 0
    paid = [(i % len(opening), j % len(opening), x) for i, j, x in moves]
    paid = [(i, j, x) for i, j, x in paid if i != j]
    for i, j, x in paid:
        balances[i] -= x
        balances[j] += x
        lowest = min(lowest, *balances)
    balances[0] += off
    names = "abcd"
    run = money(
        *((names[i], names[j], x) for i, j, x in paid),
        **{names[i]: (opening[i], balances[i]) for i in range(len(opening))},
    )
    report = check(run, seeds=1)
    assert ("conservation" in report.refuted) == (off != 0)
    assert ("budgets" in report.refuted) == (lowest < 0)


def test_an_account_may_be_emptied_and_one_without_a_floor_overdrawn() -> None:
    emptied = money(("ann", "bob", "5/2"), ann=("5/2", 0), bob=(0, F(5, 2)))
    assert check(emptied).refuted == ()
    broke = money(("ann", "bob", 1), ann=(0, -1), bob=(0, 1))
    assert check(broke).refuted == ("budgets",)
    trusted = RunRecord(**{**vars(broke), "floors": {"ann": None}})
    assert check(trusted).refuted == ()
    assert check(trusted)["budgets"].status == Status.VACUOUS
    lent = RunRecord(**{**vars(broke), "floors": {"ann": -1}})
    assert check(lent).refuted == ()


def test_who_owes_from_the_start_and_pays_nothing_breaks_no_floor() -> None:
    owing = {"ann": (-1, -1), "bob": (0, 0)}
    assert check(money(("ann", "bob", 0), **owing)).refuted == ()
    paying = {"ann": (-1, -2), "bob": (0, 1)}
    assert check(money(("ann", "bob", 1), **paying)).refuted == ("budgets",)


def test_a_payment_below_zero_draws_on_the_payee() -> None:
    report = check(money(("ann", "bob", -3), ann=(0, 3), bob=(2, -1)))
    assert report.refuted == ("budgets",)
    assert report["budgets"].witness is not None
    assert report["budgets"].witness.who == "bob"


@pytest.mark.parametrize("amount", [5, 5.0, -5])
@pytest.mark.parametrize("account", ["ann", "bob"])
def test_a_payment_to_oneself_draws_on_nothing(account: str, amount: float) -> None:
    own = (account, account, amount)
    alone = check(money(own, ann=(3, 3), bob=(3, 3)))
    assert alone.refuted == ()
    assert alone["budgets"].status == Status.VACUOUS
    among = check(money(("ann", "bob", 2), own, ("bob", "ann", 5), ann=(3, 6), bob=(3, 0)))
    assert among.refuted == ()
    over = check(money(own, ("ann", "bob", 4), ann=(3, -1), bob=(3, 7)))
    assert over.refuted == ("budgets",)
    assert check(money(own, ann=(3, 8), bob=(3, 8))).refuted == ("conservation",)


def test_floats_are_off_by_rounding_and_no_more() -> None:
    spent = 0.3 - 0.1 - 0.1 - 0.1
    assert spent < 0
    thrice = [("ann", "bob", 0.1)] * 3
    assert check(money(*thrice, ann=(0.3, spent), bob=(0.0, 0.1 + 0.1 + 0.1))).refuted == ()
    report = check(money(*thrice, ann=(0.3, spent), bob=(0.0, 0.3 + 1e-12)))
    assert report.refuted == ("conservation",)
    assert report["conservation"].strength == Strength.TESTED
    for last, refuted in ((nextafter(0.3, 1), ()), (0.3 + 2 * ulp(0.3), ("conservation",))):
        assert check(money(ann=(0.3, last))).refuted == refuted, "nothing was paid: one unit"
    exact = check(money(ann=(1, 2)))
    assert exact["conservation"].strength == Strength.EXACT


def test_an_account_that_closes_is_missed() -> None:
    kept = check(money(ann=(1, 1), bob=(0, 0)))
    assert kept.refuted == ()
    gone = RunRecord(steps=[], limit=0, opening={"ann": 0}, closing={})
    assert "ann has no balance at the end" in str(check(gone)["conservation"])


def test_a_run_may_take_all_the_steps_of_its_limit() -> None:
    run = RunRecord(steps=[MessageSent("ann", 1), MessageSent("ann", 2)], limit=2)
    assert check(run)["termination"].status == Status.HOLDS
    assert check(RunRecord(steps=run.steps, limit=1)).refuted == ("termination",)


def test_money_of_a_run_without_end_is_judged_as_far_as_it_was_read() -> None:
    def steps() -> Iterator[PaymentMade]:
        while True:
            yield PaymentMade("ann", "bob", 1)

    opening = {"ann": 2, "bob": 0}
    report = check_protocol(
        lambda limit, rng: RunRecord(steps=steps(), limit=limit, opening=opening, closing=opening),
        {"short": 2, "long": 9},
    )
    assert report.refuted == ("budgets", "termination")
    assert "case long, seed 0, step 3: ann has 0, and pays 1" in str(report)
    assert report["conservation"].status == Status.VACUOUS


def at_one_seed(seed: int, case: int, fault: str) -> Any:
    """A run of three cases whose fault shows at one seed, in one case."""
    drawn = int(np.random.default_rng(seed).integers(10**9))

    def run(secret: int, rng: np.random.Generator) -> RunRecord:
        there = int(rng.integers(10**9)) == drawn and secret == case
        told = secret if there and fault == "disclosure" else 0
        done = secret if there and fault == "measurability" else 0
        noise = np.random.default_rng().random() if there and fault == "seed_discipline" else 0
        paid = 9 if there and fault == "budgets" else 1
        steps = [
            MessageSent("bob", told),
            MoveMade("ann", done),
            MessageSent("bob", noise),
            PaymentMade("ann", "bob", paid),
        ]
        return RunRecord(
            steps=steps,
            limit=len(steps) - (there and fault == "termination"),
            opening={"ann": 5, "bob": 0},
            closing={"ann": 5 - paid, "bob": paid + (there and fault == "conservation")},
            secrets={"s": secret},
        )

    return run


@pytest.mark.parametrize("fault", PROTOCOL_PROPERTIES)
@pytest.mark.parametrize(("seed", "case"), [(0, 1), (0, 3), (1, 2), (2, 1), (2, 3)])
def test_a_fault_at_one_seed_of_one_case_is_found(seed: int, case: int, fault: str) -> None:
    report = check_protocol(at_one_seed(seed, case, fault), [1, 2, 3], seeds=3)
    assert report.refuted == (fault,)
    witness = report[fault].witness
    assert witness is not None
    assert witness.seed == seed
    assert str(case - 1) in witness.cases
    assert check_protocol(at_one_seed(seed, case, ""), [1, 2, 3], seeds=3).refuted == ()


# --- what cannot be read


def altered(**parts: Any) -> SimpleNamespace:
    return SimpleNamespace(**(vars(RunRecord(steps=[], limit=1)) | parts))


BROKEN: dict[str, tuple[Any, str]] = {
    "raises": (lambda: 1 / 0, "raised ZeroDivisionError: division by zero"),
    "leaves": (lambda: sys.exit(3), "raised SystemExit: 3"),
    "nothing": (lambda: None, "run has no limit (got 'NoneType')"),
    "text": (lambda: "done", "run has no limit (got 'str')"),
    "limit": (lambda: RunRecord(steps=[], limit=-1), "limit is not a count (got -1)"),
    "step": (lambda: altered(steps=["x"]), "step 1 is no step (got 'x')"),
    "nan": (lambda: money(ann=(float("nan"), 0)), "opening of ann is not finite (got nan)"),
    "infinite": (lambda: money(ann=(0, float("inf"))), "closing of ann is not finite (got inf)"),
    "word": (lambda: money(ann=("much", 0)), "opening of ann is not a number as we read them"),
    "amount": (lambda: money(("a", "b", None)), "amount of step 1 is not a number (got None)"),
    "pairs": (lambda: altered(opening=[("a", 1)]), "opening is no mapping (got [('a', 1)])"),
    "grant": (
        lambda: RunRecord(steps=[SecretsGranted(("a",), ("gud",))], limit=1, secrets={"good": 1}),
        "step 1 is granted, and is no secret (got 'gud'): did you mean 'good'?",
    ),
    "generator": (
        lambda: RunRecord(steps=[MessageSent("a", (x for x in "abc"))], limit=1),
        "raised TypeError: cannot pickle 'generator' object",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_read_is_named_and_the_rest_goes_on(name: str) -> None:
    make, text = BROKEN[name]
    sound = money(("ann", "bob", 9), ann=(5, -4), bob=(0, 9))
    report = check_protocol(
        lambda case, rng: make() if case else sound, {"bad": True, "good": False}, seeds=1
    )
    assert len(report.faults) == 1
    assert report.faults[0].startswith("case bad, seed 0: ")
    assert text in report.faults[0]
    assert report.refuted == ("budgets",)
    assert text in str(report)


def test_where_nothing_can_be_read_nothing_is_judged() -> None:
    report = check_protocol(lambda case, rng: None, [1])
    assert {finding.status for finding in report.findings} == {Status.VACUOUS}
    assert len(report.faults) == 2


def test_a_run_that_raises_the_second_time_is_not_reproducible() -> None:
    calls = list[int]()

    def run(case: int, rng: np.random.Generator) -> RunRecord:
        calls.append(case)
        if len(calls) > 1:
            raise RuntimeError("once only")
        return RunRecord(steps=[], limit=0)

    report = check_protocol(run, [0], seeds=1)
    assert report.refuted == ("seed_discipline",)
    assert "run again, it raised RuntimeError: once only" in str(report)


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"properties": ["budget"]}, UnknownNameError, "did you mean 'budgets'?"),
        ({"cases": []}, InvalidInputError, "cases are none"),
        ({"cases": "abc"}, InvalidInputError, "cases are no list"),
    ],
)
def test_bad_arguments(options: dict[str, Any], kind: type[Exception], text: str) -> None:
    arguments = {"cases": CASES, **options}
    with pytest.raises(kind) as caught:
        check_protocol(Sale(), **arguments)
    assert text in str(caught.value)


# --- the report


def test_the_report_reads_well_and_escapes_html() -> None:
    report = check_protocol(Sale("keeps a coin"), {"<b>": CASES["ann"]}, seeds=1)
    assert str(report).startswith("refuted: conservation\nproperty")
    assert "case &lt;b&gt;, seed 0" in report._repr_html_()
    assert "<b>" not in report._repr_html_()
    assert str(report["conservation"]).startswith("conservation: refuted (exact; 1 sampled")
    with pytest.raises(UnknownNameError, match="did you mean 'budgets'"):
        report["budget"]


def test_properties_are_chosen_by_name_and_any_object_with_the_fields_is_a_run() -> None:
    run = SimpleNamespace(**vars(money(ann=(1, 2))))
    assert isinstance(run, ProtocolRun)
    report = check_protocol(lambda case, rng: run, [0], properties=["termination", "conservation"])
    assert [f.property for f in report.findings] == ["termination", "conservation"]
    assert report.refuted == ("conservation",)
