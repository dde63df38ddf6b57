"""Answers held to a JSON Schema, the passes of the model aside (issue 9).

The model is a script: it wants to say one answer, token by token, and everything else is unlikely.
So what is timed is what holding it takes. Ours asks for the weight of whole values, and of tokens
in numbers and strings; beside it llguidance says at each token which of 49,152 may come, and the
likeliest of these is taken. Both spell the same answer. What a draw at a temperature would give
differs: a mask renormalises token by token, and knows neither how many tokens are left nor a bound
on the digits of a number.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from benchmarks.harness import Row, same

TOKENS, LONGEST = 49_152, 8
END = 0
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "verdict": {"enum": ["buy", "pass", "wait"]},
        "price": {"type": "number", "minimum": 0, "maximum": 10},
        "reason": {"type": "string", "maxLength": 200},
    },
    "required": ["verdict", "price", "reason"],
    "additionalProperties": False,
}
ANSWER = (
    '{"verdict": "pass", "price": 0.125, "reason": "what is asked for it is more than it was '
    'worth to anyone who has seen it so far"}'
)


@cache
def vocabulary() -> tuple[str, ...]:
    """Return an end, all single characters, what a tokenizer joins in JSON, and words at random."""
    single = [chr(code) for code in range(32, 127)]
    joined = ['",', '":', '"}', '{"', '": "', '", "', "\\n", " {"]
    letters = [*"etaoinshrdlucmfwygpbvkxqjz"]
    rng = np.random.default_rng(0)
    found = dict.fromkeys(["", *single, *joined])
    while len(found) < TOKENS:
        word = "".join(rng.choice(letters, rng.integers(2, LONGEST)))
        found[f" {word}" if rng.random() < 0.5 else word] = None
    return tuple(found)


@cache
def numbered() -> dict[str, int]:
    return {text: token for token, text in enumerate(vocabulary()) if text}


def spelled(text: str) -> tuple[int, ...]:
    """Return the tokens of a text, the longest that fits each time."""
    found = []
    while text:
        part = next(text[:n] for n in range(LONGEST, 0, -1) if text[:n] in numbered())
        found.append(numbered()[part])
        text = text[len(part) :]
    return tuple(found)


class Script:
    """A model that wants to say ``ANSWER``, as ours asks it and as a mask does."""

    end = END

    def __init__(self) -> None:
        from llm_adapters.local._strings import Pieces

        self.pieces = Pieces(vocabulary())
        self._law = np.full(TOKENS, -20.0)
        self._next: dict[str, int] = {}

    def encode(self, text: str) -> tuple[int, ...]:
        return spelled(text)

    def decode(self, tokens: Sequence[int]) -> str:
        return "".join(vocabulary()[token] for token in tokens)

    def next_log_probs(self, tokens: Sequence[int]) -> Any:
        law, said = self._law.copy(), self.decode(tokens)
        if said not in self._next:
            rest = ANSWER[len(said) :] if ANSWER.startswith(said) else ""
            self._next[said] = spelled(rest)[0] if rest else END
        law[self._next[said]] = -1e-4
        return law

    def log_probs(self, tokens: Sequence[int], continuations: Sequence[Sequence[int]]) -> Any:
        return np.array([self._score([*tokens], one) for one in continuations])

    def _score(self, tokens: list[int], more: Sequence[int]) -> float:
        total = 0.0
        for token in more:
            total += float(self.next_log_probs(tokens)[token])
            tokens = [*tokens, token]
        return total


@cache
def script() -> Script:
    return Script()


def ours() -> str:
    from llm_adapters.local._json_writer import picking, write_answer
    from llm_adapters.local._schema import form_of

    pick = picking(None, np.random.default_rng(0))
    return write_answer(form_of(SCHEMA), script(), (), 200, pick).text


class Spelling:
    """The vocabulary as llguidance reads it."""

    eos_token_id = END
    bos_token_id = None
    special_token_ids = (END,)

    def __init__(self) -> None:
        self.tokens = [b"<|end|>", *(text.encode() for text in vocabulary()[1:])]

    def __call__(self, text: bytes | str) -> list[int]:
        return list(spelled(text.decode() if isinstance(text, bytes) else text))


@cache
def tokenizer() -> Any:
    from llguidance import LLTokenizer, TokenizerWrapper

    return LLTokenizer(TokenizerWrapper(Spelling()))


def masked() -> str:
    """Take the likeliest token that the mask lets through, until the answer ends."""
    from llguidance import JsonCompiler, LLMatcher
    from llguidance.numpy import allocate_token_bitmask, fill_next_token_bitmask

    compiler = JsonCompiler(separators=(", ", ": "), whitespace_flexible=False)
    matcher = LLMatcher(tokenizer(), compiler.compile(json.dumps(SCHEMA)))
    bits, tokens = allocate_token_bitmask(1, TOKENS), list[int]()
    while not matcher.is_stopped():
        fill_next_token_bitmask(matcher, bits, 0)
        can = np.flatnonzero(np.unpackbits(bits.view(np.uint8), bitorder="little")[:TOKENS])
        token = int(can[script().next_log_probs(tokens)[can].argmax()])
        if token == END:
            break
        matcher.consume_token(token)
        tokens.append(token)
    return script().decode(tokens)


def prepared() -> None:
    """Build the vocabulary and the model, which neither side is timed for."""
    spelled(ANSWER)
    script()


def rows() -> Iterator[Row]:
    yield Row(
        id="schemas.record",
        issue=9,
        work="an answer of a choice, a number and a text, held to its JSON Schema, 49,152 tokens, "
        "the model's passes aside",
        ours=ours,
        peer=masked,
        peer_name="the masks of llguidance",
        needs=("llguidance",),
        agree=same,
        prepare=prepared,
    )
