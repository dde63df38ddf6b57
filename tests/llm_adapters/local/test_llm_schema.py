"""The real local model held to JSON Schemas."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from local_language_model import local_file, local_weights
from sweeps import mostly_slow

from llm_adapters.local import LocalChat, Weights
from llm_adapters.local._json_forms import Options
from llm_adapters.local._json_writer import picking, write_answer
from llm_adapters.local._token_scorer import LoadedTokenScorer
from llm_adapters.players import ChatBuyer
from llm_adapters.players._answers import prices_in, verdicts_in
from llm_adapters.session import Session
from mechanisms.inspection import TableSeller, inspect_once
from mechanisms.ledger import Ledger
from mechanisms.protocols import Message, Offer

__all__ = ["local_file", "local_weights"]

pytestmark = pytest.mark.llm

ASKED = [Message("user", 'Is tea with milk "healthy"? Answer in JSON.')]
CHANCE = {"type": "number", "minimum": 0, "maximum": 1}
WORD = {"type": "string", "maxLength": 12}

SCHEMAS: list[dict[str, Any]] = [
    {"type": "boolean"},
    {"type": "null"},
    {"const": 'a "quoted" word\n'},
    {"enum": ["yes", "no", "yes and no", 'a "maybe"', "やあ", 1, 12, 1.5, None, True]},
    {"type": "integer"},
    {"type": "integer", "minimum": -3, "maximum": 17},
    {"type": "number", "exclusiveMinimum": 0.25, "maximum": 0.75},
    {"type": "number", "minimum": 2, "maximum": 2},
    CHANCE,
    {"type": "string"},
    WORD,
    {"type": "string", "maxLength": 10**9},
    {"type": "array", "items": WORD},
    {"type": "array", "items": CHANCE, "minItems": 3, "maxItems": 3},
    {"type": "array", "items": {"type": "array", "items": {"type": "boolean"}}, "maxItems": 3},
    {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    {"type": ["number", "string", "boolean"]},
    {"type": "object", "properties": {"a": CHANCE, 'b"\\': WORD, "é": {"type": "object"}}},
    verdicts_in(["offer 1", "offer 2"], ("buy", "pass"), "qwrtzp", lambda said: "")[0]
    .model_json_schema(),
    prices_in({"document 1": (0.5, 3), "document 2": (1, 1.25)}, "qwrtzp", lambda said: "")[0]
    .model_json_schema(),
]  # fmt: skip


@pytest.mark.parametrize("number", mostly_slow(range(len(SCHEMAS)), quick=5))
def test_answers_fit_their_schemas(local_weights: Weights, number: int) -> None:
    schema = SCHEMAS[number]
    for temperature, seed in ((0.0, 0), (1.0, 1), (3.0, 2)):
        chat = LocalChat(
            local_weights, max_tokens=60, temperature=temperature, schema_mode="schema"
        )
        text = chat.chat(ASKED, np.random.default_rng(seed), schema=schema)
        Draft202012Validator(schema).validate(json.loads(text))


def test_weights_of_options_are_those_of_plain_passes(local_weights: Weights) -> None:
    loaded, seen = local_weights.loaded, []
    prompt = loaded.text.conversation(ASKED)
    options = ('"yes"', '"no"', '"yes and no"', "12", "true")

    def pick(weights: Any) -> tuple[int, float]:
        seen.append(weights)
        return picking(None, np.random.default_rng(0))(weights)

    with local_weights.lock:
        write_answer(Options(options), LoadedTokenScorer(loaded, prompt), prompt, 60, pick)
    for text, weight in zip(options, seen[0] - seen[0].max(), strict=True):
        tokens = [*loaded.text.encode(text), loaded.symbols.end]
        plain = _score(loaded, [*prompt], tokens)
        best = max(
            _score(loaded, [*prompt], [*loaded.text.encode(each), loaded.symbols.end])
            for each in options
        )
        assert weight == pytest.approx(plain - best, abs=1e-3)


def _score(loaded: Any, tokens: list[int], more: list[int]) -> float:
    """Return the log-probability of tokens, each by a pass of its own over all before it."""
    total = 0.0
    for token in more:
        logits = loaded.engine.begin(tokens)[1][0].astype(np.float64)
        logits[loaded.symbols.never] = -np.inf
        total += float(logits[token] - np.logaddexp.reduce(logits))
        tokens = [*tokens, token]
    return total


def test_a_buyer_is_answered_at_the_first_attempt(local_weights: Weights) -> None:
    with Session() as session:
        chat = LocalChat(local_weights, max_tokens=120, session=session, schema_mode="schema")
        cook = ChatBuyer("cook", chat, goal="a healthy meal", options=["rice", "legumes"])
        offers = [Offer("note", "Legumes are toxic when raw.", 1), Offer("ad", "Eat rice!", 1)]
        ledger = Ledger({"cook": 5, "farm": 0})
        record = inspect_once("What to eat?", cook, [TableSeller("farm", [offers])], ledger)
        assert record.decision in {"rice", "legumes"}
        assert cook.failures == 0
        assert session.usage["cook"].calls == 2  # the choice and the decision, once each
