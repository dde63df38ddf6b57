"""What the adapters cost, against a server on loopback.

    PYTHONPATH=.:tests python benchmarks/adapter_throughput.py

Throughput: 200 conversations at a server with 8 slots, asked 8 and 10 at a time; the ideal is 8
without a pause. Overhead: seconds for a call, one after the other, beyond a bare socket that says
the same, for the bare client of openai and for ours. The server runs in a process of its own.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import statistics
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from urllib.parse import urlsplit

import numpy as np
import openai
from fake_server import FakeServer

from llm_adapters.openai_api import Endpoint, OpenAIChat
from llm_adapters.session import Session
from mechanisms.protocols import Message

ASKED = [Message("system", "Be brief."), Message("user", "Is it raining?")]
SAID = [{"role": one.role, "content": one.content} for one in ASKED]


def serve(pipe: Connection, slots: int | None, delay: float) -> None:
    with FakeServer(slots=slots, delay=delay) as server:
        pipe.send(server.url)
        pipe.recv()
        pipe.send(server.most_in_flight)


class Elsewhere:
    """The server in another process."""

    def __init__(self, slots: int | None = None, delay: float = 0.0) -> None:
        self.pipe, theirs = multiprocessing.Pipe()
        context = multiprocessing.get_context("spawn")
        self.process = context.Process(target=serve, args=(theirs, slots, delay))
        self.process.start()
        self.url: str = self.pipe.recv()

    def close(self) -> int:
        self.pipe.send(None)
        most: int = self.pipe.recv()
        self.process.join()
        return most


def throughput(calls: int, slots: int, delay: float, spare: int) -> None:
    server = Elsewhere(slots, delay)
    with Endpoint(server.url, "tiny") as endpoint, Session(concurrency=slots + spare) as session:
        chat = OpenAIChat(endpoint, session=session)
        chat.chat_many([ASKED] * slots, [np.random.default_rng(i) for i in range(slots)])
        began = time.perf_counter()
        chat.chat_many([ASKED] * calls, [np.random.default_rng(i) for i in range(calls)])
        took = time.perf_counter() - began
    bare = bare_throughput(server.url, calls, slots)
    most = server.close()
    ideal = -(-calls // slots) * delay
    print(
        f"{calls} conversations, {slots} slots of {delay * 1000:.0f} ms, {most} in flight at once"
    )
    print(f"  our adapter  {took:.3f} s where {ideal:.3f} s is ideal: {ideal / took:.1%}")
    print(f"  bare sockets {bare:.3f} s, which is what the machine can: {ideal / bare:.1%}")


def bare_throughput(url: str, calls: int, slots: int) -> float:
    """Return the seconds that threads take which do nothing but write and read."""
    place = urlsplit(url)
    body = json.dumps({"model": "tiny", "messages": SAID, "max_tokens": 512})
    ready = threading.Barrier(slots + 1)

    def work() -> None:
        raw = http.client.HTTPConnection(place.hostname or "", place.port or 80)
        raw.connect()
        ready.wait()
        for _ in range(calls // slots):
            raw.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
            raw.getresponse().read()
        raw.close()

    threads = [threading.Thread(target=work) for _ in range(slots)]
    for thread in threads:
        thread.start()
    ready.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    return time.perf_counter() - began


def seconds(call: Callable[[], object], calls: int) -> list[float]:
    found = []
    for _ in range(calls):
        began = time.perf_counter()
        call()
        found.append(time.perf_counter() - began)
    return found


def cpu(call: Callable[[], object], calls: int) -> float:
    began = time.thread_time()
    for _ in range(calls):
        call()
    return (time.thread_time() - began) / calls


def overhead(calls: int) -> None:
    server = Elsewhere()
    place = urlsplit(server.url)
    raw = http.client.HTTPConnection(place.hostname or "", place.port or 80)
    body = json.dumps({"model": "tiny", "messages": SAID, "max_tokens": 512})
    headers = {"Content-Type": "application/json"}

    def socket_alone() -> None:
        raw.request("POST", "/v1/chat/completions", body, headers)
        json.loads(raw.getresponse().read())

    client = openai.OpenAI(base_url=server.url, api_key="none", max_retries=0)

    def client_alone() -> None:
        client.chat.completions.create(model="tiny", messages=SAID, max_tokens=512)  # type: ignore[arg-type] # plain dicts

    endpoint = Endpoint(server.url, "tiny", key="")
    rng = np.random.default_rng(0)
    chat = OpenAIChat(endpoint, session=Session())

    def endpoint_alone() -> None:
        endpoint.post("/chat/completions", {"messages": SAID, "max_tokens": 512}, 60.0)

    def adapter() -> None:
        chat.chat(ASKED, rng)

    ways = {
        "bare socket": socket_alone,
        "openai client": client_alone,
        "our endpoint": endpoint_alone,
        "our adapter": adapter,
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    work: dict[str, list[float]] = {name: [] for name in ways}
    for call in ways.values():
        seconds(call, 20)
    for _ in range(10):  # in turn, so that what else the machine does hits all alike
        for name, call in ways.items():
            times[name] += seconds(call, calls // 10)
            work[name].append(cpu(call, calls // 10))
    raw.close()
    client.close()
    endpoint.close()
    server.close()
    base, bare = (statistics.median(times[name]) for name in ("bare socket", "openai client"))
    print(
        f"milliseconds for a call, medians of {calls}; processor time in this thread, median of 10"
    )
    for name, found in times.items():
        middle = statistics.median(found)
        print(
            f"  {name:14s} {middle * 1e3:6.3f}   beyond the socket {(middle - base) * 1e3:6.3f}   "
            f"beyond the client {(middle - bare) * 1e3:6.3f}   "
            f"processor {statistics.median(work[name]) * 1e3:6.3f}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="What the adapters cost.")
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--slots", type=int, default=8)
    parser.add_argument("--delay", type=float, default=0.05)
    parser.add_argument("--throughput-only", action="store_true")
    chosen = parser.parse_args()
    for spare in (0, 2):  # calls that wait at the server
        throughput(chosen.calls, chosen.slots, chosen.delay, spare)
    if not chosen.throughput_only:
        overhead(500)
