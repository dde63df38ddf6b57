"""Budgets: never exceeded, and not ended before they must be, however calls are interleaved."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from session_runs import Service, busy, request
from sweeps import examples

from llm_adapters.errors import BudgetSpentError, CallError
from llm_adapters.session import Answer, Budget, Call, Prices, Retries, Session, Usage
from llm_adapters.session._budget_meter import BudgetMeter
from theory.errors import InvalidInputError

RICH = Prices(1_000_000, 3_000_000)  # a token of input costs 1, of output 3


def test_calls_are_counted_with_those_that_fail() -> None:
    service = Service({0: [busy(), busy()]})
    session = Session(budget=Budget(calls=4), pause=lambda seconds: None)
    session.call_many([service.call(0), service.call(1)])
    with pytest.raises(
        BudgetSpentError, match=r"call of seller, since 4 of 4 calls are made: "
    ) as e:
        session.call_many([service.call(2, agent="seller")])
    assert str(e.value).endswith("so far: buyer 4 calls, 2 retries, 6 + 8 tokens")
    assert service.asked.count(2) == 0
    assert session.total.calls == 4


def test_a_retry_that_the_budget_forbids_is_not_made() -> None:
    service = Service({0: [busy()]})
    session = Session(budget=Budget(calls=1), pause=lambda seconds: None)
    call = service.call(0)
    with pytest.raises(BudgetSpentError):
        session.call(call.request, call.make)
    assert service.asked == [0]


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        (Budget(tokens=20), "14 of 20 tokens are used, and 7 more may be needed"),
        (Budget(money=44), "30.0000 of 44.0000 is spent, and 15.0000 more may be needed"),
    ],
)
def test_tokens_and_money_end_it_where_the_next_call_could_exceed_them(
    budget: Budget, told: str
) -> None:
    session = Session(budget=budget, prices={"small": RICH})
    service = Service()
    calls = [service.call(i, at_most=(3, 4)) for i in range(3)]
    session.call_many(calls[:2])
    with pytest.raises(BudgetSpentError, match=told):
        session.call_many(calls[2:])
    assert sorted(service.asked) == [0, 1]


def test_what_fits_to_the_last_token_and_coin_is_made() -> None:
    service = Service()
    session = Session(budget=Budget(calls=2, tokens=14, money=30), prices={"small": RICH})
    session.call_many([service.call(i, at_most=(3, 4)) for i in range(2)])
    assert session.total == Usage(2, 0, 6, 8, Fraction(30))


def test_a_spent_session_keeps_refusing_even_what_would_fit() -> None:
    session = Session(budget=Budget(tokens=10))
    service = Service(tokens=(1, 0))
    big, small = service.call(0, at_most=(8, 8)), service.call(1, at_most=(1, 0))
    for call in (big, small, big):
        with pytest.raises(BudgetSpentError, match="0 of 10 tokens"):
            session.call(call.request, call.make, at_most=call.at_most)
    assert service.asked == []
    assert isinstance(session.failure, BudgetSpentError)
    session.cancel()
    assert isinstance(session.failure, BudgetSpentError)


def test_what_a_lost_attempt_may_have_used_stays_reserved() -> None:
    service = Service({0: [busy(spent=True), busy(), busy(spent=True)]})
    session = Session(budget=Budget(tokens=100), prices={"small": RICH}, pause=lambda seconds: None)
    session.call_many([service.call(0, at_most=(10, 20))])
    assert session.total == Usage(4, 3, 20 + 3, 40 + 4, Fraction(20 + 3 + 120 + 12))


def test_a_permanent_failure_gives_its_reservation_back() -> None:
    service = Service({0: [CallError("no", "none")]})
    session = Session(budget=Budget(tokens=7))
    with pytest.raises(CallError):
        session.call_many([service.call(0, at_most=(3, 4))])
    session.call_many([service.call(1, at_most=(3, 4))])
    assert session.total.tokens == 7


def test_a_foreign_error_keeps_its_reservation() -> None:
    def make(seconds: float) -> Answer:
        raise ZeroDivisionError

    session = Session(budget=Budget(tokens=10))
    with pytest.raises(ZeroDivisionError):
        session.call(request(), make, at_most=lambda: (3, 4))
    assert session.total.tokens == 7


def test_bounds_are_asked_for_only_where_they_are_needed() -> None:
    def never() -> tuple[int, int]:
        raise AssertionError("asked")

    session = Session(budget=Budget(calls=5), prices={"small": RICH})
    session.call(request(), Service().call(0).make, at_most=never)
    assert session.total.money == 15


@pytest.mark.parametrize(
    ("at_most", "told"),
    [
        (None, "at_most is missing for chat of small"),
        (lambda: 5, "at_most returned no pair"),
        (lambda: (1, 2, 3), "at_most returned no pair"),
        (lambda: (-1, 2), "at_most is not a count"),
        (lambda: (1, 2.5), "at_most is not a count"),
        (lambda: (1, True), "at_most is not a count"),
    ],
)
def test_a_call_of_which_it_is_not_known_what_it_may_use_is_not_made(
    at_most: Any, told: str
) -> None:
    service = Service()
    session = Session(budget=Budget(tokens=10))
    with pytest.raises(InvalidInputError, match=told):
        session.call(request(), service.call(0).make, at_most=at_most)
    assert service.asked == []


def test_a_model_without_a_price_is_refused_where_money_is_limited() -> None:
    session = Session(budget=Budget(money=10), prices={"large": RICH})
    with pytest.raises(InvalidInputError, match="prices have no such model"):
        session.call_many([Service().call(0, at_most=(1, 1))])
    free = Service(tokens=(0, 0))
    session.call_many([free.call(0, at_most=(0, 0))])
    assert session.total.money == 0


def test_a_call_waits_for_room_rather_than_being_refused() -> None:
    """Two calls that may use 60 each, and use 10, both fit into 100, one after the other."""
    service = Service(during=lambda i: time.sleep(0.002), tokens=(10, 0))
    session = Session(budget=Budget(tokens=100))
    session.call_many([service.call(i, at_most=(60, 0)) for i in range(5)])
    assert session.total.tokens == 50
    assert service.most == 1


# --- whatever happens, and in whatever order


class Costs:
    """Calls that use what they are said to use, and a watch over what is really used."""

    def __init__(self, calls: list[tuple[int, int, str]]) -> None:
        self.calls = calls
        self.used = 0
        self.made: set[int] = set()
        self._failed: set[int] = set()
        self._lock = threading.Lock()

    def call(self, i: int) -> Call:
        most, _, _ = self.calls[i]
        return Call(request(i), lambda seconds: self._make(i), lambda: (most, 0))

    def _make(self, i: int) -> Answer:
        most, used, failure = self.calls[i]
        with self._lock:
            self.made.add(i)
            first = i not in self._failed
            self._failed.add(i)
        time.sleep(0)
        if first and failure == "lost":
            self._add(most)
            raise busy(spent=True)
        if first and failure == "refused":
            raise busy()
        if first and failure == "wrong":
            raise CallError("no", "none")
        self._add(used)
        return Answer({}, used, 0)

    def _add(self, tokens: int) -> None:
        with self._lock:
            self.used += tokens


@st.composite
def costs(draw: st.DrawFn, exact: bool) -> list[tuple[int, int, str]]:
    def one() -> tuple[int, int, str]:
        most = draw(st.integers(0, 30))
        failure = draw(st.sampled_from(["", "", "", "lost", "refused", "wrong"]))
        return (most, most, "") if exact else (most, draw(st.integers(0, most)), failure)

    return [one() for _ in range(draw(st.integers(1, 12)))]


def spend(calls: list[tuple[int, int, str]], limit: int, concurrency: int) -> tuple[Costs, Session]:
    watched = Costs(calls)
    session = Session(
        budget=Budget(tokens=limit), concurrency=concurrency, pause=lambda seconds: None
    )
    try:
        session.call_many([watched.call(i) for i in range(len(calls))])
    except CallError:
        pass
    except BudgetSpentError as error:
        told = str(error)
        assert told == str(session.failure)
    return watched, session


@settings(max_examples=examples(30))
@given(costs(exact=False), st.integers(0, 150), st.integers(1, 6))
def test_the_budget_is_never_exceeded(
    calls: list[tuple[int, int, str]], limit: int, concurrency: int
) -> None:
    watched, session = spend(calls, limit, concurrency)
    assert watched.used == session.total.tokens <= limit


@settings(max_examples=examples(30))
@given(costs(exact=True), st.integers(0, 150), st.integers(1, 6))
def test_with_exact_bounds_it_ends_only_where_a_call_does_not_fit(
    calls: list[tuple[int, int, str]], limit: int, concurrency: int
) -> None:
    watched, session = spend(calls, limit, concurrency)
    left = [most for i, (most, _, _) in enumerate(calls) if i not in watched.made]
    assert bool(left) == isinstance(session.failure, BudgetSpentError)
    if left:
        assert max(left) > limit - watched.used
    else:
        assert watched.used == sum(most for most, _, _ in calls)
    if concurrency == 1:
        fits = next((n for n in range(len(calls)) if sum(c[0] for c in calls[: n + 1]) > limit), 12)
        assert watched.made == set(range(min(fits, len(calls))))


@settings(max_examples=30)
@given(st.integers(0, 12), st.integers(1, 6), st.lists(st.integers(0, 2), max_size=12))
def test_calls_are_never_more_than_allowed(
    limit: int, concurrency: int, failures: list[int]
) -> None:
    service = Service({i: [busy()] * n for i, n in enumerate(failures)})
    session = Session(
        budget=Budget(calls=limit),
        concurrency=concurrency,
        retries=Retries(attempts=3),
        pause=lambda seconds: None,
    )
    wanted = sum(n + 1 for n in failures)
    try:
        session.call_many([service.call(i) for i in range(len(failures))])
    except BudgetSpentError:
        assert wanted > limit
    assert len(service.asked) == session.total.calls == min(wanted, limit)


@contextmanager
def planted(name: str, broken: Any) -> Iterator[None]:
    with mock.patch.object(BudgetMeter, name, broken):
        yield


def overspent() -> bool:
    """Whether calls that are under way together use more than there is."""
    together = threading.Barrier(2)

    def during(i: int) -> None:
        try:
            together.wait(0.05)
        except threading.BrokenBarrierError:
            return

    service = Service(during=during, tokens=(60, 0))
    session = Session(budget=Budget(tokens=100), concurrency=2)
    with pytest.raises(BudgetSpentError):
        session.call_many([service.call(i, at_most=(60, 0)) for i in range(6)])
    return session.total.tokens > 100


def test_a_budget_without_reservations_would_be_exceeded() -> None:
    assert not overspent()
    with planted("reserve", lambda self, need: None), planted("release", lambda self, need: None):
        assert overspent()
    with planted("has_room", lambda self, need: True):
        assert overspent()


def test_a_budget_that_counts_reservations_as_used_would_end_too_early() -> None:
    def ended() -> bool:
        service = Service(during=lambda i: time.sleep(0.002), tokens=(10, 0))
        session = Session(budget=Budget(tokens=100), concurrency=2)
        try:
            session.call_many([service.call(i, at_most=(60, 0)) for i in range(4)])
        except BudgetSpentError:
            return True
        return False

    def hasty(self: BudgetMeter, need: Any, calls: int = 1) -> str:
        return "" if self.has_room(need) else "it may not fit"

    assert not ended()
    with planted("shortfall", hasty):
        assert ended()


# --- how usage is shown


@pytest.mark.parametrize(
    ("usage", "shown"),
    [
        (Usage(), "0 calls"),
        (Usage(1), "1 call"),
        (Usage(3, 1), "3 calls, 1 retry"),
        (Usage(1200, 2, 3000, 4), "1,200 calls, 2 retries, 3,000 + 4 tokens"),
        (Usage(1, money=Fraction(1, 3)), "1 call, 0.3333 in money"),
        (Usage(1, money=Fraction(1, 30000)), "1 call, 0.0000333 in money"),
        (Usage(1, money=Fraction(10) ** 400), f"1 call, 10{',000' * 133}.0000"),
        (Usage(2, failures=1), "2 calls, 1 unreadable"),
    ],
)
def test_usage_in_words(usage: Usage, shown: str) -> None:
    assert str(usage).startswith(shown)


def test_the_table_says_what_the_limits_are() -> None:
    assert str(Session()).splitlines()[0] == "Usage"
    session = Session(budget=Budget(calls=1, tokens=2000, money="0.25"))
    assert str(session).splitlines()[0] == (
        "Usage, of at most 1 call, 2,000 tokens, 0.2500 in money"
    )
