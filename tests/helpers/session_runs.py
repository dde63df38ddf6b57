"""Requests and models for sessions: fakes that say what they were asked, and how they fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from llm_adapters.errors import TransientError
from llm_adapters.session import Answer, Call, Request, Session

HEADER = b'{"format":"mechproof record","version":1}\n'


def request(i: object = 0, agent: str = "buyer", **more: object) -> Request:
    return Request(agent, "small", "chat", {"i": i, **more})


class Service:
    """Answers requests by what they hold, and remembers them; fails as often as it is told to."""

    def __init__(
        self,
        failures: Mapping[int, Sequence[Exception]] | None = None,
        during: Callable[[int], object] = lambda i: None,
        tokens: tuple[int, int] = (3, 4),
    ) -> None:
        self.asked: list[int] = []
        self.most = 0
        self._now = 0
        self._failures = {i: list(errors) for i, errors in (failures or {}).items()}
        self._during = during
        self._tokens = tokens
        self._lock = Lock()

    def call(self, i: int, *, at_most: tuple[int, int] | None = None, **more: Any) -> Call:
        bound = None if at_most is None else lambda: at_most
        return Call(request(i, **more), lambda seconds: self.answer(i), bound)

    def answer(self, i: int) -> Answer:
        with self._lock:
            self.asked.append(i)
            self._now += 1
            self.most = max(self.most, self._now)
        try:
            self._during(i)
            with self._lock:
                waiting = self._failures.get(i)
                error = waiting.pop(0) if waiting else None
            if error is not None:
                raise error
            return Answer({"text": f"answer {i}"}, *self._tokens)
        finally:
            with self._lock:
                self._now -= 1


def busy(retry_after: float | None = None, *, spent: bool = False) -> TransientError:
    return TransientError("the server is busy", "try later", retry_after=retry_after, spent=spent)


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def never(seconds: float) -> Answer:
    raise AssertionError("a call was made")


def openings(path: Path) -> list[Callable[[], Session]]:
    """The two ways in which a session reads a record."""
    return [lambda: Session(record=path), lambda: Session(replay=path)]


def recorded(path: Path, n: int = 5, **options: Any) -> Service:
    service = Service()
    with Session(record=path, **options) as session:
        session.call_many([service.call(i) for i in range(n)])
    return service
