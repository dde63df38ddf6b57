"""Hypothesis profiles, of which HYPOTHESIS_PROFILE names the one in force; a server on loopback.

Types are checked at run time in the modules that `typechecker` chooses.
"""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

import ended
import pytest
import typechecker
from hypothesis import settings

if TYPE_CHECKING:  # what is loaded before types are checked goes unchecked
    from fake_server import FakeServer

    from llm_adapters.openai_api import Endpoint

settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True, max_examples=40)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))

# A shell that runs the tests in the background lets them ignore Ctrl-C, which some of them send.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_configure(config: pytest.Config) -> None:
    ended.watch(config)
    chosen = typechecker.choice(config.option.markexpr)
    names = typechecker.modules(chosen)
    typechecker.install(names + typechecker.changed() if chosen.isdigit() else names)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Import everything without looking for garbage again and again: all of it stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Leave what was collected out of later collections, which would go through all of it."""
    gc.collect()
    gc.freeze()


def pytest_report_header(config: pytest.Config) -> str:
    chosen = typechecker.choice(config.option.markexpr)
    part = f"{chosen} of the modules"
    if chosen.isdigit():
        part = f"tenth {chosen} of the modules and {len(typechecker.changed())} just changed"
    return f"types checked at run time: {part} ({typechecker.SETTING}=all|none|0..9)"


@pytest.fixture
def server() -> Iterator[FakeServer]:
    from fake_server import FakeServer

    with FakeServer() as running:
        yield running


@pytest.fixture
def endpoint(server: FakeServer) -> Iterator[Endpoint]:
    from llm_adapters.openai_api import Endpoint

    with Endpoint(server.url, "tiny") as running:
        yield running
