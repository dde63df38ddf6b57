"""The local model behind `transformers serve` on loopback, asked by the adapters of servers."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from local_language_model import absent, local_file, local_weights
from protocol_cases import check_chat_model

from llm_adapters.errors import CallError, MissingCapabilityError
from llm_adapters.local import LocalChat, Weights
from llm_adapters.openai_api import Endpoint, OpenAIChat, OpenAIModel
from llm_adapters.session import Budget, Retries, Session
from mechanisms.protocols import Message

__all__ = ["local_file", "local_weights"]

pytestmark = pytest.mark.llm

QUESTION = Message("user", "What is the capital of France? Answer with the city's name alone.")
FAREWELL = Message("user", "Say good night to a child, in one short sentence.")
BEGINS_WITHIN = 180.0


@pytest.fixture(scope="module")
def endpoint(
    local_file: Path, local_weights: Weights, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Endpoint]:
    """Start the server on a free port, wait until it answers, and end it."""
    assert local_weights.loaded  # which has unpacked the file: the server loads the folder
    if subprocess.run([sys.executable, "-c", "import fastapi, uvicorn"], check=False).returncode:
        absent("fastapi and uvicorn are not installed")
    scratch = tmp_path_factory.mktemp("serve")
    folder = local_file.with_suffix(".unpacked")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "transformers.cli.transformers", "serve", folder.name]
    options = ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu", "--dtype", "float32"]
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(scratch), "HF_HUB_CACHE": str(scratch)}
    with (scratch / "log").open("wb") as log:
        server = subprocess.Popen(
            [*command, *options],
            cwd=folder.parent,
            env={**os.environ, **offline},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            wait_for(server, port, scratch / "log")
            with Endpoint(f"http://127.0.0.1:{port}/v1", folder.name) as made:
                yield made
        finally:
            server.terminate()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def wait_for(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    last = time.monotonic() + BEGINS_WITHIN
    while time.monotonic() < last:
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"the server does not answer: {log.read_text('utf-8', 'replace')[-2000:]}")


def test_it_says_what_the_model_says_in_this_process(
    endpoint: Endpoint, local_weights: Weights
) -> None:
    with Session() as session:
        far = OpenAIChat(
            endpoint, session=session, agent="reader", temperature=0, max_tokens=24, accept_cut=True
        )
        near = LocalChat(local_weights, max_tokens=24)
        for message in (QUESTION, FAREWELL):
            rng = np.random.default_rng(0)
            assert far.chat([message], rng) == near.chat([message], rng)
        assert "Paris" in far.chat([QUESTION], np.random.default_rng(1))
        used = session.usage["reader"]
    asked = local_weights.loaded.text.conversation([QUESTION])
    farewell = local_weights.loaded.text.conversation([FAREWELL])
    assert used.calls == 3
    assert used.input_tokens == 2 * len(asked) + len(farewell)
    assert 3 <= used.output_tokens <= 72


def test_the_protocol(endpoint: Endpoint) -> None:
    with Session() as session:
        chat = OpenAIChat(endpoint, session=session, temperature=0, max_tokens=4, accept_cut=True)
        check_chat_model(chat)


def test_calls_in_parallel_are_recorded_and_replayed(endpoint: Endpoint, tmp_path: Path) -> None:
    talks = [[QUESTION], [FAREWELL], [QUESTION, Message("assistant", "Rome."), QUESTION]]

    def run(session: Session) -> list[str]:
        chat = OpenAIChat(endpoint, session=session, temperature=0.8, max_tokens=8, accept_cut=True)
        return chat.chat_many(talks, [np.random.default_rng(seed) for seed in range(3)])

    with Session(record=tmp_path / "r", budget=Budget(calls=3)) as session:
        said = run(session)
    with Session(replay=tmp_path / "r") as session:
        assert run(session) == said


def test_it_gives_no_log_probabilities_and_none_are_made_up(endpoint: Endpoint) -> None:
    with Session(retries=Retries(attempts=1)) as session:
        model = OpenAIModel(endpoint, end="<|im_end|>", session=session, max_tokens=4)
        with pytest.raises(CallError) as caught:  # to score, this server answers 500
            model.log_prob("The capital of France is", [" Paris."])
        assert isinstance(caught.value, MissingCapabilityError) or "500" in str(caught.value)
        with pytest.raises(CallError):
            model.sample("The capital of France is", 2, np.random.default_rng(0))


def test_another_model_is_refused(endpoint: Endpoint) -> None:
    with Endpoint(endpoint.base_url, "some-other-model") as other, Session() as session:
        chat = OpenAIChat(other, session=session, max_tokens=4, accept_cut=True)
        with pytest.raises(CallError):
            chat.chat([QUESTION], np.random.default_rng(0))
