"""A server on loopback that speaks the OpenAI interface, and misbehaves where it is told to."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, cast

import numpy as np
from tiny_law import END, PLAIN, Step, TinyLaw

Answer = dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """What goes over the wire.

    ``cut``: so many bytes of the body, then the connection is closed. ``drip``: seconds between
    single bytes of the body; ``drip_head``: of the head. ``hang``: nothing, until the server is
    closed. ``reset``: the connection is reset before anything is sent.
    """

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: int | None = None
    drip: float = 0.0
    drip_head: float = 0.0
    hang: bool = False
    reset: bool = False


def says(data: Any, status: int = 200, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, json.dumps(data).encode(), named)


def refuses(status: int, message: str, **fields: Any) -> Reply:
    return says({"error": {"message": message, "type": "error", **fields}}, status)


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: Any


def chatted(text: str | None, finish: str | None = "stop", **fields: Any) -> Answer:
    message = {"role": "assistant", "content": text, **fields}
    return {
        "id": "1",
        "object": "chat.completion",
        "model": "tiny",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }


class FakeServer:
    """Serves what was scripted, in order, and then behaves; ``behave`` replaces that.

    Parameters
    ----------
    behave : callable, optional
        (what was asked) -> a Reply, JSON, or None for the usual behaviour.
    law : TinyLaw
        What /completions speaks for.
    slots, delay
        How many answers are worked on at once, and the seconds each takes.
    """

    def __init__(
        self,
        behave: Callable[[Asked], Reply | Answer | None] | None = None,
        *,
        law: TinyLaw = PLAIN,
        slots: int | None = None,
        delay: float = 0.0,
    ) -> None:
        self.behave = behave
        self.law = law
        self.delay = delay
        self.asked: list[Asked] = []
        self.connections = 0
        self.in_flight = 0
        self.most_in_flight = 0
        self._slots = threading.BoundedSemaphore(slots) if slots else None
        self._script: deque[Reply] = deque()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.fake = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def script(self, *replies: Reply | Answer) -> None:
        self._script.extend(r if isinstance(r, Reply) else says(r) for r in replies)

    def bodies(self, path: str) -> list[Any]:
        return [one.body for one in self.asked if one.path == f"/v1{path}"]

    def counts(self) -> Counter[str]:
        return Counter(one.path.removeprefix("/v1") for one in self.asked)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.close_all()

    def answer(self, asked: Asked) -> Reply:
        with self._lock:
            self.asked.append(asked)
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            scripted = self._script.popleft() if self._script else None
        try:
            if self._slots:
                with self._slots:
                    time.sleep(self.delay)
            elif self.delay:
                time.sleep(self.delay)
            found = scripted or (self.behave and self.behave(asked)) or usual(asked, self.law)
            return found if isinstance(found, Reply) else says(found)
        finally:
            with self._lock:
                self.in_flight -= 1

    def wait_until_closed(self) -> None:
        self._closing.wait(30)


def usual(asked: Asked, law: TinyLaw) -> Reply | Answer:
    path = asked.path.removeprefix("/v1")
    if path == "/models":
        return {"object": "list", "data": [{"id": "tiny", "object": "model"}]}
    if path == "/chat/completions":
        return chatted(f"You said: {asked.body['messages'][-1]['content']}")
    if path == "/completions":
        return completed(asked.body, law)
    if path == "/embeddings":
        rows = [
            {"object": "embedding", "index": i, "embedding": [float(len(text)), 1.0, 0.5]}
            for i, text in enumerate(asked.body["input"])
        ]
        return {"object": "list", "data": rows, "usage": {"prompt_tokens": 5, "total_tokens": 5}}
    return refuses(404, f"no {path}")


def completed(body: Mapping[str, Any], law: TinyLaw, *, greedy: bool = False) -> Answer:
    """What a server answers to a request for completions."""
    prompt, most = body["prompt"], body.get("max_tokens", 16)
    rng = np.random.default_rng(body.get("seed"))
    choices = []
    for index in range(body.get("n", 1)):
        drawn = law.likeliest(prompt, most) if greedy else law.draw(prompt, most, rng)
        choices.append(_choice(body, law, drawn, index))
    used = {"prompt_tokens": len(law.cut(prompt)), "completion_tokens": most}
    return {"object": "text_completion", "model": "tiny", "choices": choices, "usage": used}


def _choice(body: Mapping[str, Any], law: TinyLaw, drawn: list[Step], index: int) -> Answer:
    """As servers do, leave the end token out of the text; as some, leave it in the tokens."""
    finish = "length"
    if drawn and drawn[-1][0] == END:
        drawn, finish = drawn[:-1], "stop"
    tokens, scores = [name for name, _ in drawn], [score for _, score in drawn]
    text, start = "".join(tokens), 0
    if body.get("echo"):
        before = law.cut(body["prompt"])
        start = -len(body["prompt"])
        tokens, scores = before + tokens, [*law.scored(before), *scores]  # type: ignore[list-item]
        text = body["prompt"] + text
    choice: Answer = {"index": index, "text": text, "finish_reason": finish, "logprobs": None}
    if body.get("logprobs") is not None:
        first = 0 if start else len(body["prompt"])
        lengths = [len(token) for token in tokens]
        offsets = [first + sum(lengths[:i]) for i in range(len(lengths))]
        choice["logprobs"] = {
            "tokens": tokens,
            "token_logprobs": scores,
            "top_logprobs": None,
            "text_offset": offsets,
        }
    return choice


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = False
    request_queue_size = 64
    fake: FakeServer

    def __init__(self, *args: Any) -> None:
        self._sockets: set[socket.socket] = set()
        self._workers: list[threading.Thread] = []
        super().__init__(*args)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._sockets.add(request)
        self.fake.connections += 1
        worker = threading.Thread(
            target=self.process_request_thread, args=(request, client_address)
        )
        self._workers.append(worker)
        worker.start()

    def close_all(self) -> None:
        for one in list(self._sockets):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        for worker in self._workers:
            worker.join(10)
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass

    def handle(self) -> None:
        with contextlib.suppress(OSError):
            super().handle()

    def finish(self) -> None:
        with contextlib.suppress(OSError):
            super().finish()

    def do_GET(self) -> None:
        self._serve("GET", None)

    def do_POST(self) -> None:
        size = int(self.headers.get("content-length", 0))
        self._serve("POST", json.loads(self.rfile.read(size)))

    def _serve(self, method: str, body: Any) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        fake = cast(_Server, self.server).fake
        reply = fake.answer(Asked(method, self.path, headers, body))
        if reply.hang:
            fake.wait_until_closed()
            self.close_connection = True
            return
        if reply.reset:
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.close_connection = True
            return
        named = {"Content-Type": "application/json", "Content-Length": str(len(reply.body))}
        named |= dict(reply.headers)
        lines = [f"HTTP/1.1 {reply.status} -", *(f"{k}: {v}" for k, v in named.items() if v)]
        head = ("\r\n".join(lines) + "\r\n\r\n").encode()
        sent = reply.body if reply.cut is None else reply.body[: reply.cut]
        if not reply.drip and not reply.drip_head:
            self.wfile.write(head + sent)
        else:
            self._drip(head, reply.drip_head)
            self._drip(sent, reply.drip)
        if reply.cut is not None:
            self.close_connection = True

    def _drip(self, data: bytes, pause: float) -> None:
        if not pause:
            self.wfile.write(data)
            return
        for byte in data:
            self.wfile.write(bytes([byte]))
            time.sleep(pause)
