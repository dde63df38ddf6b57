"""A language model behind the fake server, and a test of what it draws."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.stats import chi2
from tiny_law import END

from llm_adapters.openai_api import Endpoint, OpenAIModel
from llm_adapters.session import Retries, Session

PATH = "/completions"
MOST = 3
FALSE_ALARM = 1e-9


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def model_of(endpoint: Endpoint, **settings: Any) -> OpenAIModel:
    given: dict[str, Any] = {"end": END, "max_tokens": MOST, "template": "Q {}:".format}
    given["session"] = Session(retries=Retries(attempts=2, first=0.0))
    return OpenAIModel(endpoint, **(given | settings))


def chi_square(replies: tuple[str, ...], law: dict[str, Fraction]) -> float:
    """Return the probability of counts that fit as badly as these; the law is not estimated."""
    counts = Counter(replies)
    assert set(counts) <= set(law)
    total = sum(law.values())
    parts = []
    for reply, chance in law.items():
        expected = float(chance / total) * len(replies)
        assert expected > 5
        parts.append((counts[reply] - expected) ** 2 / expected)
    return float(chi2.sf(sum(parts), len(law) - 1))
