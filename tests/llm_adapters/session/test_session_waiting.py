"""Servers that are slow, crowded or hang: how long is waited for them, and what is said of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from threading import Event
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from fake_server import FakeServer, Reply, chatted, refuses, says
from openai_posts import ASKED
from session_runs import busy, request

from llm_adapters.errors import CallError, TransientError
from llm_adapters.local._local_adapter import ModelCaller
from llm_adapters.openai_api import Endpoint, OpenAIChat
from llm_adapters.session import Answer, Retries, Session
from llm_adapters.session import _caller as caller
from mechproof.cli import main
from mechproof.demos.demo import DEMOS, settle_options
from theory.errors import InvalidInputError

CROWDED = refuses(429, "too many requests")


def chat(server: FakeServer, session: Session) -> str:
    with Endpoint(server.url, "tiny") as endpoint:
        model = OpenAIChat(endpoint, session=session)
        return model.chat(ASKED, np.random.default_rng(0))


class Clock:
    """Time that passes where somebody waits, and nowhere else."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(caller, "monotonic", lambda: self.now)

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def failing(self, takes: float) -> Callable[[float], Answer]:
        """A call that takes so long, or all that it is given, and fails."""

        def make(seconds: float) -> Answer:
            self.given.append(seconds)
            self.wait(min(takes, seconds))
            raise busy()

        self.given: list[float] = []
        return make


# --- a server that is asked too often


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("status", [429, 503])
def test_a_crowded_server_is_waited_for(status: int, seed: int) -> None:
    pauses: list[float] = []
    with FakeServer() as server, Session(pause=pauses.append, seed=seed) as session:
        server.script(*[refuses(status, "too many requests")] * 4, chatted("at last"))
        assert chat(server, session) == "at last"
    assert len(pauses) == 4
    assert sum(pauses) >= 15
    assert max(pauses) <= Retries().longest
    assert all(later >= earlier for earlier, later in pairwise(pauses))


def test_a_crowded_server_that_says_when_is_believed() -> None:
    pauses: list[float] = []
    with FakeServer() as server, Session(pause=pauses.append) as session:
        told = says({"error": {"message": "slow down"}}, 429, Retry_After="3")
        server.script(told, CROWDED, refuses(500, "broken"), chatted("at last"))
        chat(server, session)
    assert 3 <= pauses[0] <= 3.5
    assert 2 <= pauses[1] <= 4
    assert 0 <= pauses[2] <= 2


def test_pauses_for_the_crowded_double_up_to_the_longest_and_are_never_short() -> None:
    retries, rng = Retries(first=1.0, longest=20.0), np.random.default_rng(0)
    for attempt, most in ((1, 4.0), (2, 8.0), (3, 16.0), (4, 20.0), (2000, 20.0)):
        drawn = [retries.pause(attempt, None, rng, crowded=True) for _ in range(400)]
        assert most / 2 <= min(drawn) < 0.55 * most
        assert 0.95 * most < max(drawn) <= most
    assert Retries(first=0.0).pause(3, None, rng, crowded=True) == 0


# --- a limit for a call, its attempts and pauses together


@pytest.mark.parametrize(("takes", "attempts"), [(100.0, 1), (4.0, 3), (3.0, 4)])
def test_a_call_ends_in_its_time(
    takes: float, attempts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    retries = Retries(attempts=100, first=0.0)
    session = Session(call_limit=10.0, retries=retries, pause=clock.wait)
    with pytest.raises(CallError, match=r"call of buyer .* within 10 s.*allow more time") as told:
        session.call(request(), clock.failing(takes))
    assert not isinstance(told.value, TransientError)
    assert clock.given == [10.0 - takes * i for i in range(attempts)]
    assert clock.now == 10.0
    assert len(told.value.attempts) == attempts


def test_a_pause_that_would_last_too_long_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, pauses = Clock(monkeypatch), list[float]()
    session = Session(call_limit=10.0, pause=lambda s: (pauses.append(s), clock.wait(s)))
    fails = iter([busy(4.0), busy(7.0)])

    def make(seconds: float) -> Answer:
        clock.wait(1.0)
        raise next(fails)

    with pytest.raises(CallError, match=r"within 10 s"):
        session.call(request(), make)
    assert len(pauses) == 1
    assert clock.now < 10


def test_without_a_limit_every_attempt_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    session = Session(time_limit=7.0, pause=clock.wait)
    with pytest.raises(CallError, match="failed 5 times"):
        session.call(request(), clock.failing(100.0))
    assert clock.given == [7.0] * 5
    clock = Clock(monkeypatch)
    session = Session(time_limit=7.0, call_limit=10.0, pause=clock.wait, retries=Retries(first=0.0))
    with pytest.raises(CallError, match="within 10 s"):
        session.call(request(), clock.failing(100.0))
    assert clock.given == [7.0, 3.0]


@pytest.mark.parametrize("wrong", [0, -1, math.nan, math.inf, True])
def test_what_is_no_limit_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match="call_limit is not a time"):
        Session(call_limit=wrong)
    with pytest.raises(InvalidInputError, match="time_limit"):
        settle_options(DEMOS.read("inspection"), {}, model="rules", time_limit=wrong)


# --- what is said meanwhile


@pytest.mark.parametrize("local", [True, False])
def test_a_computation_that_is_not_cut_short_is_not_said_to_be(
    monkeypatch: pytest.MonkeyPatch, local: bool
) -> None:
    monkeypatch.setattr(caller, "_TOLD_EVERY", 0.005)
    told: list[str] = []

    def make() -> Answer:
        Event().wait(0.05)
        return Answer({"text": "Yes."})

    with Session(notice=told.append, time_limit=7) as session:
        if local:
            asked = ModelCaller("tiny", session, "buyer")
            asked.answer("chat", {}, make, lambda: (1, 1), lambda body: body)
        else:
            session.call(request(), lambda seconds: make())
    assert told
    limit = "(attempt 1 of 5)" if local else "(attempt 1 of 5, which has 7 s)"
    assert all(limit in line for line in told)


def test_every_failed_attempt_is_told_with_what_comes_next() -> None:
    told: list[str] = []
    session = Session(notice=told.append, pause=lambda s: None, retries=Retries(attempts=3))
    fails = iter([busy(1.0), busy(2.0)])

    def make(seconds: float) -> Answer:
        for error in fails:
            raise error
        return Answer({})

    session.call(request(), make)
    assert [line.partition("; the next in ")[0] for line in told] == [
        "buyer: attempt 1 of 3 failed, since the server is busy",
        "buyer: attempt 2 of 3 failed, since the server is busy",
    ]
    waits = [float(line.rpartition("in ")[2].removesuffix(" s")) for line in told]
    assert 1 <= waits[0] <= 1.5
    assert 2 <= waits[1] <= 2.5


@pytest.mark.parametrize("slow", [1, 2])
def test_a_long_wait_is_told_again_and_again(slow: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The attempt that hangs ends when it was told of three times."""
    monkeypatch.setattr(caller, "_TOLD_EVERY", 0.001)
    told: list[str] = []
    enough, attempts = Event(), [0]

    def notice(line: str) -> None:
        told.append(line)
        if sum("waits for" in one and f"attempt {slow} of 5" in one for one in told) >= 3:
            enough.set()

    def make(seconds: float) -> Answer:
        attempts[0] += 1
        if attempts[0] < slow:
            raise busy(0.0)
        assert enough.wait(30)
        return Answer({})

    Session(notice=notice, pause=lambda s: None, time_limit=60.0).call(request(), make)
    waits = [line for line in told if "waits for" in line]
    assert waits[0].startswith(f"buyer: waits for {request().model} ")
    assert any(f"attempt {slow} of 5" in line for line in waits)
    assert "60 s" in waits[-1]


def test_a_quick_answer_is_not_told() -> None:
    session = Session(notice=pytest.fail)
    session.call(request(), lambda seconds: Answer({}))


# --- the command


def command(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["demo", "inspection", *arguments], prog_name="mechproof")


def test_a_server_that_hangs_ends_the_demo_in_the_time_that_was_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(caller, "_TOLD_EVERY", 0.1)
    with FakeServer(lambda asked: Reply(hang=True)) as server:
        found = command("--model", f"{server.url}#tiny", "--time-limit", "0.5")
    assert found.exit_code == 2
    assert "Traceback" not in found.output
    assert "inspection: buyer: waits for tiny (attempt 1 of 5, which has 0.5 s)" in found.stderr
    assert "within 0.5 s" in found.stderr.splitlines()[-1]


def test_the_retries_of_a_demo_are_seen() -> None:
    broken = refuses(500, "out of memory")
    with FakeServer() as server:
        server.script(broken, broken)
        found = command("--model", f"{server.url}#tiny", "--calls", "3")
    for attempt in (1, 2):
        line = f"inspection: buyer: attempt {attempt} of 5 failed, since the server answered"
        assert line in found.stderr


@pytest.mark.parametrize("wrong", ["0", "-3", "nan", "soon"])
def test_a_limit_that_is_none_is_refused_in_one_line(wrong: str) -> None:
    found = command("--model", "rules", "--time-limit", wrong)
    assert (found.exit_code, found.stdout) == (2, "")
    assert "Traceback" not in found.stderr
