"""A verdict that a model is asked for."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from mechanisms.protocols import Message

ASKED = [Message("system", "You are a buyer."), Message("user", "Your verdict?")]


class Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid")

    verdict: Literal["buy", "pass"]
    price: float = Field(ge=0)
    sure: bool = False
    count: int = 1


GOOD = '{"verdict": "buy", "price": 5}'


def rng() -> np.random.Generator:
    return np.random.default_rng(0)
