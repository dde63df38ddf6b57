"""The real local model, loaded once for all tests that ask it."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from llm_adapters.errors import MissingPackageError
from llm_adapters.local import Weights
from mechproof import local_model

__all__ = ["ALLOWED", "absent", "local_file", "local_weights"]

ALLOWED = "MECHPROOF_LLM"
"""Set to `required`, it turns skipping into failing."""


def absent(reason: str) -> Any:
    """Fail if the local model is required here, else skip."""
    if os.environ.get(ALLOWED) == "required":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def local_file() -> Path:
    """Return the file of the local model."""
    try:
        return local_model.find_model()
    except local_model.LocalModelError as error:
        return absent(str(error))


@pytest.fixture(scope="session")
def local_weights(local_file: Path) -> Weights:
    """Return the weights, loaded while there is no network."""
    weights = local_model.weights(local_file.parent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", _refused)
        patch.setattr(socket, "getaddrinfo", _refused)
        try:
            assert weights.loaded.text.has_template
        except MissingPackageError as error:
            absent(str(error))
    return weights


def _refused(*_: Any, **__: Any) -> Any:
    raise AssertionError("loading the model asks the network")
