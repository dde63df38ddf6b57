"""A run that is killed at a given point; it is started as a program of its own.

``python session_killed.py FOLDER`` makes one run for each file ``FOLDER/NAME.json``, each in a
process of its own, which ends as the file says: ``{"write": n, "until": k}`` kills it within the
n-th write to the record, when ``data[:k]`` is written; ``{"answer": n}`` when the n-th answer has
come and is not yet written; ``{}`` lets it end. Each request that is made is a line of
``NAME.bill``.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from llm_adapters.session import Answer, Call, Request, Session

REQUESTS = 24


def request(i: int) -> Request:
    """Every fourth is asked twice over: its answers differ, and they are told by their number."""
    asked = i - i % 2 if i % 4 < 2 else i
    return Request("buyer", "small", "chat", {"question": f"What is {asked}? é"})


def calls(bill: Path, answered: Callable[[], None] = lambda: None) -> list[Call]:
    """The calls of a run, which note what they are asked on a bill."""

    def one(i: int) -> Call:
        def make(seconds: float) -> Answer:
            with bill.open("a") as file:
                file.write(f"{i}\n")
            time.sleep(0.001)
            answered()
            return Answer({"text": f"It is {i}." * 30}, i, 2 * i)

        return Call(request(i), make)

    return [one(i) for i in range(REQUESTS)]


def run(record: Path, bill: Path, answered: Callable[[], None] = lambda: None) -> list[str]:
    """A run: half of the calls one by one, the others together."""
    made = calls(bill, answered)
    with Session(record=record, concurrency=4) as session:
        answers = [session.call(one.request, one.make) for one in made[: REQUESTS // 2]]
        answers += session.call_many(made[REQUESTS // 2 :])
    return [answer.body["text"] for answer in answers]


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def killed(folder: Path, name: str, plan: dict[str, Any]) -> None:
    """Make a run that ends as the plan says."""
    from llm_adapters import journal

    written = Counter()
    answers = Counter()
    write = journal.os.write

    def torn(file: int, data: Any) -> int:
        if bytes(data[:1]) == b" ":  # the look whether there is room
            return write(file, data)
        if written.next() == plan.get("write"):
            part = bytes(data)[: plan["until"]]
            if part:
                write(file, part)
            die()
        return write(file, data)

    def answered() -> None:
        if answers.next() == plan.get("answer"):
            die()

    journal.os.write = torn
    run(folder / f"{name}.record", folder / f"{name}.bill", answered)


class Counter:
    """Counts from 1, on any thread."""

    def __init__(self) -> None:
        self._n = 0
        self._lock = threading.Lock()

    def next(self) -> int:
        """Return the next number."""
        with self._lock:
            self._n += 1
            return self._n


def main(folder: Path) -> None:
    """Make all runs, one process each."""
    for plan in sorted(folder.glob("*.json")):
        child = os.fork()
        if not child:
            killed(folder, plan.stem, json.loads(plan.read_text()))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print(plan.stem, -status if os.WIFEXITED(status) else os.WTERMSIG(status))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
