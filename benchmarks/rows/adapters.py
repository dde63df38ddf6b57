"""What the adapters to language models cost, against a server on loopback (issue 8).

The server runs in a process of its own. Throughput: 200 conversations at a server with 8 slots,
which takes 50 ms for each; the ideal is 8 without a pause, and the target a share of 90% of it.
Overhead: calls one after the other at a server that answers at once, beside a bare socket that
says the same and beside the bare client of openai.
"""

from __future__ import annotations

import atexit
import http.client
import json
import multiprocessing
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from benchmarks.harness import AtMostSeconds, AtMostValue, Row

SLOTS, DELAY, CONVERSATIONS = 8, 0.05, 200
SHARE = 0.9
IDEAL = -(-CONVERSATIONS // SLOTS) * DELAY
CALLS = 100
OVERHEAD = "milliseconds a call"
SYSTEM, QUESTION = "Be brief.", "Is it raining?"
SAID = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": QUESTION}]
BODY = json.dumps({"model": "tiny", "messages": SAID, "max_tokens": 512})
TESTS = str(Path(__file__).resolve().parents[2] / "tests")


# --- the server


def serve(pipe: Connection, slots: int | None, delay: float) -> None:
    sys.path.append(TESTS)
    from fake_server import FakeServer

    with FakeServer(slots=slots, delay=delay) as server:
        pipe.send(server.url)
        pipe.recv()


@cache
def server(slots: int | None, delay: float) -> str:
    """Return the address of a server that runs until this process ends."""
    ours, theirs = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=serve, args=(theirs, slots, delay), daemon=True)
    process.start()
    url: str = ours.recv()

    def end() -> None:
        ours.send(None)
        process.join()

    atexit.register(end)
    return url


def slow_server() -> str:
    return server(SLOTS, DELAY)


def quick_server() -> str:
    return server(None, 0.0)


@cache
def chat(url: str, concurrency: int) -> Any:
    from llm_adapters.openai_api import Endpoint, OpenAIChat
    from llm_adapters.session import Session

    endpoint = Endpoint(url, "tiny", key="")
    atexit.register(endpoint.close)
    return OpenAIChat(endpoint, session=Session(concurrency=concurrency))


def asked() -> list[Any]:
    from mechanisms.protocols import Message

    return [Message("system", SYSTEM), Message("user", QUESTION)]


# --- throughput


def conversations(concurrency: int) -> list[str]:
    rngs = [np.random.default_rng(i) for i in range(CONVERSATIONS)]
    return list(chat(slow_server(), concurrency).chat_many([asked()] * CONVERSATIONS, rngs))


def bare_conversations() -> list[str]:
    """Threads that do nothing but write and read."""
    url = slow_server()
    replies: list[list[str]] = [[] for _ in range(SLOTS)]

    def work(into: list[str]) -> None:
        raw = connection(url)
        into.extend(said(raw) for _ in range(CONVERSATIONS // SLOTS))
        raw.close()

    threads = [threading.Thread(target=work, args=(into,)) for into in replies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [reply for into in replies for reply in into]


def connection(url: str) -> http.client.HTTPConnection:
    place = urlsplit(url)
    raw = http.client.HTTPConnection(place.hostname or "", place.port or 80)
    raw.connect()
    return raw


def said(raw: http.client.HTTPConnection) -> str:
    raw.request("POST", "/v1/chat/completions", BODY, {"Content-Type": "application/json"})
    return str(json.loads(raw.getresponse().read())["choices"][0]["message"]["content"])


# --- calls one after the other


@cache
def socket() -> http.client.HTTPConnection:
    raw = connection(quick_server())
    atexit.register(raw.close)
    return raw


@cache
def client() -> Any:
    import openai

    made = openai.OpenAI(base_url=quick_server(), api_key="none", max_retries=0)
    atexit.register(made.close)
    return made


def one_by_adapter() -> str:
    return str(chat(quick_server(), 1).chat(asked(), np.random.default_rng(0)))


def one_by_socket() -> str:
    return said(socket())


def one_by_client() -> str:
    answer = client().chat.completions.create(model="tiny", messages=SAID, max_tokens=512)
    return str(answer.choices[0].message.content)


def calls(one: Callable[[], str]) -> list[str]:
    return [one() for _ in range(CALLS)]


def beyond_the_socket() -> float:
    """Return how many milliseconds a call of ours takes more, by medians of calls in turn."""
    times: dict[Callable[[], str], list[float]] = {one_by_adapter: [], one_by_socket: []}
    for one in times:
        calls(one)
    for _ in range(5 * CALLS):
        for one, taken in times.items():
            start = time.perf_counter()
            one()
            taken.append(time.perf_counter() - start)
    ours, theirs = map(median, times.values())
    return 1e3 * (ours - theirs)


def same_texts(ours: list[str], theirs: list[str]) -> str:
    return "" if sorted(ours) == sorted(theirs) else "the replies are not the same"


def rows() -> Iterator[Row]:
    for spare in 0, 2:
        concurrency = SLOTS + spare
        yield Row(
            id=f"adapters.throughput-{concurrency}",
            issue=8,
            work=f"200 conversations at a server of 8 slots of 50 ms, {concurrency} at a time",
            ours=partial(conversations, concurrency),
            peer=bare_conversations,
            peer_name="bare sockets, 8 at a time",
            agree=same_texts,
            target=AtMostSeconds(IDEAL / SHARE),
            prepare=slow_server,
            repeats=5,
            cold=False,
        )
    for name, one, peer_name in (
        ("client", one_by_client, "the client of openai"),
        ("socket", one_by_socket, "a bare socket"),
    ):
        yield Row(
            id=f"adapters.{name}",
            issue=8,
            work="100 calls one after the other",
            ours=partial(calls, one_by_adapter),
            peer=partial(calls, one),
            peer_name=peer_name,
            agree=same_texts,
            prepare=quick_server,
            cold=False,
        )
    yield Row(
        id="adapters.overhead",
        issue=8,
        work="what a call of an adapter takes beyond a bare socket",
        ours=beyond_the_socket,
        target=AtMostValue(OVERHEAD, 1.0),
        prepare=quick_server,
        values=lambda milliseconds: {OVERHEAD: milliseconds},
        repeats=0,
        cold=False,
    )
