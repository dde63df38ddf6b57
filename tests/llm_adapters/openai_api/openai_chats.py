"""What is asked of a chat model behind the fake server."""

from __future__ import annotations

from typing import Any

import numpy as np

from llm_adapters.session import Retries, Session
from mechanisms.protocols import Message

ASKED = [Message("system", "Be brief."), Message("user", "Is it raining?")]
PATH = "/chat/completions"


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def quick(**settings: Any) -> Session:
    return Session(retries=Retries(attempts=3, first=0.0), **settings)
