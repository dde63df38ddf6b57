"""Scoring with the local model (issue 8): 10 replies of 60 tokens under 4 prompts.

Ours computes each prompt once and scores replies of like length side by side. Beside it stands
what ``transformers`` does when asked plainly: one pass over prompt and reply for each pair.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from benchmarks.harness import AtMostSeconds, Row

REPLIES, TOKENS = 10, 60
PROMPTS = (
    "Where should I spend a week by the sea?",
    "Advertise the hotel at the harbour. Where should I spend a week by the sea?",
    "Advertise the camp in the dunes. Where should I spend a week by the sea?",
    "Answer in a few words. Where should I spend a week by the sea?",
)
SECONDS = 15.0


@cache
def model() -> Any:
    from llm_adapters.local import LocalModel
    from mechproof import local_model

    return LocalModel(local_model.weights(), max_tokens=TOKENS)


@cache
def replies() -> tuple[str, ...]:
    """Return replies whose texts the tokenizer cuts into the tokens that were drawn, if it can."""
    return tuple(model().sample(PROMPTS[0], REPLIES, np.random.default_rng(0)).replies)


def ours() -> np.ndarray:
    return np.array([model().log_prob(prompt, replies()) for prompt in PROMPTS])


@cache
def plain() -> Any:
    from transformers import AutoModelForCausalLM

    from mechproof import local_model

    folder = local_model.find_model().with_suffix(".unpacked")
    return AutoModelForCausalLM.from_pretrained(folder, dtype="float32").eval()


def one_by_one() -> np.ndarray:
    return np.array([[alone(prompt, reply) for reply in replies()] for prompt in PROMPTS])


def alone(prompt: str, reply: str) -> float:
    import torch

    from mechanisms.protocols import Message

    text, symbols = model().weights.loaded.text, model().weights.loaded.symbols
    tokens = list(model().weights.memory.tokens(reply) or text.canonical(reply))
    before = list(text.conversation([Message("user", prompt)]))
    wanted = tokens if len(tokens) == TOKENS else [*tokens, symbols.end]
    with torch.inference_mode():
        logits = plain()(torch.tensor([before + tokens]), use_cache=False).logits[0].double()
        logits[:, list(text.special - {symbols.end})] = -np.inf
        after = torch.log_softmax(logits[len(before) - 1 :][: len(wanted)], dim=-1)
    return float(sum(after[place, symbol] for place, symbol in enumerate(wanted)))


def close(ours: np.ndarray, theirs: np.ndarray) -> str:
    apart = float(np.abs(ours - theirs).max())
    return "" if apart <= 1e-2 else f"log-probabilities are {apart:.1e} apart"


def prepared() -> None:
    """Load both, so that the one call of each is warm."""
    model().log_prob(PROMPTS[0], replies()[:1])
    plain()


def rows() -> Iterator[Row]:
    yield Row(
        id="local-model.scoring",
        issue=8,
        work="scoring 10 replies of 60 tokens under 4 prompts, local model",
        ours=ours,
        peer=one_by_one,
        peer_name="transformers, one pass a pair",
        needs=("torch", "transformers"),
        agree=close,
        target=AtMostSeconds(SECONDS),
        prepare=prepared,
        repeats=0,
        cold=False,
        quick=False,
    )
