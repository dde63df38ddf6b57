"""``check_protocol`` on the advertising auction, planted faults, and the game that it is."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from advertising_runs import DRAWN, FIRMS, NAMES, REWARDS, SCORES, SOCKS, audit, begun, finished
from reference.auction import Auction

from mechanisms.advertising import (
    GENERATOR,
    REFERENCE,
    Advertiser,
    Instance,
    advertising_auction,
    watch_advertising,
)
from mechanisms.advertising import _rules as rules_module
from mechanisms.play import Ask, Draw, Steps, best_response, rules, unfold
from theory.games import Behaviour, Game, expected_payoffs, regrets
from theory.incentives.protocols import PROTOCOL_PROPERTIES, ProtocolReport, check_protocol

PLAYERS = (GENERATOR, REFERENCE, *NAMES)
CASES = [{name: int(name == who) for name in PLAYERS} for who in ("nobody", *PLAYERS)]


def checked(**names: Any) -> ProtocolReport:
    """Check auctions that differ in what one of those who are asked knows and answers."""

    def run(case: Mapping[str, int], rng: object) -> Any:
        def rewarding(name: str) -> Callable[[Ask], object]:
            return lambda ask: [r + case[name] * k for k, r in enumerate(REWARDS[name])]

        participants: dict[str, Any] = {name: rewarding(name) for name in NAMES}
        participants[GENERATOR] = lambda ask: [(y, x - case[GENERATOR]) for y, x in DRAWN]
        participants[REFERENCE] = lambda ask: [x - case[REFERENCE] for x in SCORES]
        return watch_advertising(SOCKS, participants, 3, private=case, **names)

    return check_protocol(run, CASES, seeds=1)


# --- who is told what


@pytest.mark.parametrize(
    "terms", [{}, {"told": []}, {"told": ["Bob"]}, {"tau": 0.3, "offset": False, "attempts": 2}]
)
def test_the_auction_keeps_its_promises(terms: dict[str, Any]) -> None:
    report = checked(**terms)
    assert report.refuted == ()
    assert len(report.findings) == len(PROTOCOL_PROPERTIES)


def tell(monkeypatch: pytest.MonkeyPatch, victim: str, source: str) -> None:
    """Let the rules tell one player what another has answered, which is asked ahead if need be."""
    plain = rules_module._candidates

    def leaky(ask: Ask, said: Mapping[str, Any]) -> Ask:
        if ask.player != victim:
            return ask
        return replace(ask, view=replace(ask.view, query=f"{ask.view.query} {said[source]}"))

    def asked(*given: Any, **names: Any) -> Generator[Any, Any, Any]:
        steps, sent = plain(*given, **names), None
        said: dict[str, Any] = {}
        while True:
            try:
                wanted = steps.send(sent)
            except StopIteration as stop:
                return stop.value
            if isinstance(wanted, Ask):
                sent = said[wanted.player] = yield leaky(wanted, said)
                continue
            ahead = {name: ask for name, ask in wanted.items() if name == source}
            if ahead:
                said |= yield ahead
            said |= yield {n: leaky(ask, said) for n, ask in wanted.items() if n not in ahead}
            sent = {name: said[name] for name in wanted}

    monkeypatch.setattr(rules_module, "_candidates", asked)


@pytest.mark.parametrize(
    ("victim", "source"),
    [
        ("Ann", "Cy"),
        ("Ann", "Bob"),
        ("Bob", "Ann"),
        ("Cy", "Ann"),
        ("Ann", GENERATOR),
        ("Cy", GENERATOR),
        (REFERENCE, GENERATOR),
    ],
)
def test_an_answer_of_another_that_is_told_is_found(
    monkeypatch: pytest.MonkeyPatch, victim: str, source: str
) -> None:
    tell(monkeypatch, victim, source)
    report = checked()
    assert "disclosure" in report.refuted
    witness = report["disclosure"].witness
    assert witness is not None
    assert witness.problem.startswith(f"{victim} is told")


@pytest.mark.parametrize("place", [0, 2])
@pytest.mark.parametrize("tells_all", [False, True])
def test_a_generator_that_hears_of_others_than_it_may_is_found(
    monkeypatch: pytest.MonkeyPatch, place: int, tells_all: bool
) -> None:
    def run(offers: str, rng: object) -> Any:
        firms = list(FIRMS)
        firms[place] = Advertiser(NAMES[place], offers)
        participants: dict[str, Any] = {name: lambda ask: [0, 1] for name in NAMES}
        participants |= {GENERATOR: lambda ask: DRAWN, REFERENCE: lambda ask: SCORES}
        instance = Instance(SOCKS.query, tuple(firms))
        return watch_advertising(instance, participants, 3, told=["Bob"])

    if tells_all:
        monkeypatch.setattr(rules_module, "_told", lambda instance, told: instance.advertisers)
    refuted = check_protocol(run, ["wool", "socks"], seeds=1).refuted
    assert refuted == (("disclosure",) if tells_all else ())


# --- what is paid


def shifted(i: int, change: Callable[[float], float]) -> Callable[..., Any]:
    plain = rules_module.softmax_payments

    def payments(*given: Any, **names: Any) -> Any:
        owed = plain(*given, **names)
        owed[i] = change(owed[i])
        return owed

    return payments


@pytest.mark.parametrize("i", range(3))
@pytest.mark.parametrize("change", [lambda x: x * (1 + 1e-9), lambda x: x + 0.01, lambda x: 0.0])
def test_a_wrong_payment_is_found(
    monkeypatch: pytest.MonkeyPatch, i: int, change: Callable[[float], float]
) -> None:
    monkeypatch.setattr(rules_module, "softmax_payments", shifted(i, change))
    problems = audit(finished(begun().seeded(1)))
    assert [problem.split()[:2] for problem in problems] == [
        [NAMES[i], "says"],
        [NAMES[i], "books"],
    ]


@pytest.mark.parametrize("i", range(3))
def test_a_payment_that_the_books_lack_is_found(monkeypatch: pytest.MonkeyPatch, i: int) -> None:
    plain = rules_module._transfers

    def lacking(*given: Any) -> Any:
        return [each for each in plain(*given) if each.payer != NAMES[i]]

    monkeypatch.setattr(rules_module, "_transfers", lacking)
    [problem] = audit(finished(begun().seeded(1)))
    assert problem.startswith(f"{NAMES[i]} books")


def test_weights_that_leave_out_the_generator_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = rules_module.softmax_allocation
    monkeypatch.setattr(
        rules_module, "softmax_allocation", lambda rewards, tau, *logs: plain(rewards, tau)
    )
    assert audit(finished(begun().seeded(1))) == ["another law", "another draw"]


# --- the game

LEVELS = (0.0, 1.0)
TYPES = ((0.0, 1.0), (1.0, 0.0), (1.0, 1.0))
TWO = SOCKS.without(2)
REPLIES, LOG_GEN, LOG_REF = ("Sew.", "Ask Ann."), (-0.5, -1.0), (-2.0, -0.25)
FIXED: dict[str, Any] = {
    GENERATOR: lambda ask: list(zip(REPLIES, LOG_GEN, strict=True)),
    REFERENCE: lambda ask: LOG_REF,
}


@rules
def with_types(tau: float) -> Steps[Any]:
    """The auction of two advertisers, each of which draws its rewards and is told them."""
    types = yield {name: Draw.uniform(TYPES, f"type of {name}") for name in NAMES[:2]}
    steps, sent = advertising_auction.steps(TWO, 2, tau=tau, levels=LEVELS), None
    while True:
        try:
            wanted = steps.send(sent)
        except StopIteration as stop:
            return types, stop.value
        if isinstance(wanted, dict):
            wanted = {n: replace(ask, view=(types[n], ask.view)) for n, ask in wanted.items()}
        sent = yield wanted


def utilities(outcome: Any) -> dict[str, Fraction]:
    types, result = outcome
    reply = REPLIES.index(result.reply)
    paid = dict(zip(result.advertisers, result.payments, strict=True))
    return {name: Fraction(types[name][reply]) - Fraction(paid[name]) for name in paid}


def honest(ask: Ask) -> object:
    return ask.view[0]


def promised(i: int, tau: float) -> float:
    """tau log of the sum of q_i exp(r_i / tau), on average over the types of both."""
    profiles = list(product(TYPES, repeat=2))
    found = [Auction(types, tau, LOG_REF, LOG_GEN).lemma_5_5(i) for types in profiles]
    return float(sum(found)) / len(profiles)


@pytest.mark.parametrize("i", [0, 1])
@pytest.mark.parametrize("tau", [0.5, 1.0, 3.0])
def test_the_truth_is_a_best_response_and_earns_what_the_paper_says(tau: float, i: int) -> None:
    players = FIXED | dict.fromkeys(NAMES[:2], honest)
    found = best_response(with_types(tau), NAMES[i], players, utilities)
    assert float(found.earned) == pytest.approx(promised(i, tau), rel=1e-12)
    assert 0 <= found.gap < 1e-14


@pytest.mark.parametrize("i", [0, 1])
def test_where_all_pay_what_they_report_the_truth_is_none(
    monkeypatch: pytest.MonkeyPatch, i: int
) -> None:
    def first_price(rewards: Any, tau: float, log_ref: Any, log_gen: Any, *, offset: bool) -> Any:
        law = rules_module.softmax_allocation(rewards, tau, log_ref, log_gen)
        return np.asarray(rewards @ law)

    monkeypatch.setattr(rules_module, "softmax_payments", first_price)
    players = FIXED | dict.fromkeys(NAMES[:2], honest)
    found = best_response(with_types(1.0), NAMES[i], players, utilities)
    assert abs(found.earned) < 1e-15
    assert found.gap > 0.1


def truthful(game: Game) -> Behaviour:
    """Each reports its type at each information set."""
    plan: dict[str, dict[str, dict[str, int]]] = {name: {} for name in game.players}
    for infoset in game.infosets:
        [own] = [t for t in TYPES if str(t) in infoset.name]
        plan[game.players[infoset.player]][infoset.name] = {" + ".join(map(str, own)): 1}
    return Behaviour.of(game, plan)


def test_the_unfolded_auction_has_the_truth_as_an_equilibrium() -> None:
    game = unfold(with_types(1.0), utilities, fixed=FIXED)
    assert game.players == NAMES[:2]
    assert len(game.infosets) == 6
    told = truthful(game)
    assert max(regrets(game, told)) < 1e-14
    payoffs = map(float, expected_payoffs(game, told))
    assert list(payoffs) == pytest.approx([promised(i, 1.0) for i in (0, 1)], rel=1e-12)
