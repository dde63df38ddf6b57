"""A local model of eleven tokens, computed by a table: all that a real one has, but PyTorch."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from plain_decoding import plain_law

from llm_adapters.local import Weights, _weights
from llm_adapters.local._loading import LoadedModel
from llm_adapters.local._sequences import Symbols
from llm_adapters.local._text import Text

END, START = "<end>", "<start>"
TOKENS = (
    *(END.encode(), START.encode(), b"a", b"b", b"ab", b"<", b"end>"),
    *("é".encode()[:1], "é".encode()[1:], b"\n", b"start>"),
)
END_ID, START_ID, A, B, AB, LESS, END_TEXT, E1, E2, NEWLINE, START_TEXT = range(len(TOKENS))
VOCABULARY = len(TOKENS) + 1  # one number of no token
CONTEXT = 40


class ToyTokenizer:
    """Makes the longest tokens first; knows two control tokens, which it finds in any text."""

    all_special_ids = (END_ID, START_ID)
    added_tokens_decoder: ClassVar[Mapping[int, Any]] = {
        END_ID: SimpleNamespace(content=END, special=True),
        START_ID: SimpleNamespace(content=START, special=True),
    }
    unk_token_id = bos_token_id = None
    eos_token_id = END_ID

    def __init__(self, template: str | None = "toy") -> None:
        self.chat_template = template

    def __len__(self) -> int:
        return len(TOKENS)

    def decode(self, tokens: Sequence[int], **_: Any) -> str:
        return b"".join(TOKENS[token] for token in tokens).decode("utf-8", "replace")

    def __call__(self, text: str, *, add_special_tokens: bool) -> dict[str, list[int]]:
        rest, found = text.encode(), []
        by_length = sorted(range(len(TOKENS)), key=lambda token: -len(TOKENS[token]))
        while rest:
            fits = [token for token in by_length if rest.startswith(TOKENS[token])]
            if fits:
                found.append(fits[0])
            rest = rest[len(TOKENS[fits[0]]) if fits else 1 :]
        return {"input_ids": found}

    def apply_chat_template(self, messages: Sequence[dict[str, str]], **_: Any) -> str:
        if self.chat_template == "deaf":
            messages = messages[-1:]
        if self.chat_template == "strict" and messages[-1]["role"] != "user":
            raise ValueError("the user must speak last")
        return "".join(f"{START}{m['content']}{END}\n" for m in messages) + START


class ToyEngine:
    """Logits by the last two tokens; a cache is the list of the rows' tokens."""

    context = CONTEXT

    def __init__(self, table: Any) -> None:
        self.table = table
        self.begun: list[tuple[int, ...]] = []

    def logits(self, tokens: Sequence[int]) -> Any:
        return self.table[(len(tokens) % 3, tokens[-1])]

    def begin(self, tokens: Sequence[int]) -> tuple[Any, Any]:
        self.begun.append(tuple(tokens))
        return [list(tokens)], self.logits(tokens)[None]

    def copies(self, cache: Any, rows: int) -> Any:
        return [list(cache[0]) for _ in range(rows)]

    def advance(self, cache: Any, tokens: Any) -> Any:
        found = []
        for row, more in zip(cache, tokens.tolist(), strict=True):
            found.append([])
            for token in more:
                row.append(token)
                found[-1].append(self.logits(row))
        return np.array(found, dtype=np.float32)

    def keep(self, cache: Any, rows: Any) -> None:
        cache[:] = [cache[row] for row in rows.tolist()]

    def means(self, texts: Sequence[Sequence[int]]) -> Any:
        return np.array([[len(text), sum(text)] for text in texts], dtype=np.float64).reshape(-1, 2)


NEVER = (START_ID, VOCABULARY - 1)
SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"temperature": 0.6},
    {"temperature": 1.7, "top_k": 4},
    {"temperature": 0.9, "top_k": 7, "top_p": 0.83},
    {"top_p": 0.4},
)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def fails(*_: Any, **__: Any) -> Any:
    raise AssertionError("the model was loaded")


def engine_of(made: LoadedModel) -> ToyEngine:
    engine: Any = made.engine
    return engine


def probabilities(made: LoadedModel, prompt: Any, most: int, settings: Any) -> dict[Any, float]:
    """Return the probability of every reply, computed plainly."""
    decode = partial(plain_law, never=NEVER, **settings)
    return possible(engine_of(made).table, prompt, most, decode)


def table_of(seed: int = 0, **likely: float) -> Any:
    """Return random logits; the names of ``likely`` are tokens to be drawn more often."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(3, VOCABULARY, VOCABULARY)).astype(np.float32)
    for name, by in likely.items():
        table[:, :, globals()[name]] += by
    return table


def loaded(
    table: Any = None, template: str | None = "toy", ends: tuple[int, ...] = (END_ID,)
) -> LoadedModel:
    text = Text(ToyTokenizer(template), ends)
    never = sorted({*text.special, *range(len(TOKENS), VOCABULARY)} - {ends[0]})
    symbols = Symbols(ends, np.array(never, dtype=np.int64))
    return LoadedModel(text, ToyEngine(table_of() if table is None else table), symbols)


def toy_weights(monkeypatch: pytest.MonkeyPatch, *args: Any, **options: Any) -> Weights:
    """Return weights that load the toy; ``name`` is toy."""
    made = loaded(*args, **options)
    monkeypatch.setattr(_weights, "load", lambda *_, **__: made)
    return Weights("toy.gguf")


def possible(
    table: Any, prompt: Sequence[int], most: int, decode: Any
) -> dict[tuple[int, ...], float]:
    """Return the probability of every sequence, by following each; ``decode`` makes a law."""
    engine, found = ToyEngine(table), {}
    stack: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
    while stack:
        tokens, held = stack.pop()
        if len(tokens) == most:
            found[tokens] = held
            continue
        law = decode(engine.logits([*prompt, *tokens]).tolist())
        for token, p in law.items():
            if token == END_ID:
                found[tokens] = held * p
            elif p:
                stack.append(((*tokens, token), held * p))
    return found


def spellings(text: str, most: int) -> list[tuple[int, ...]]:
    """Return every sequence of tokens without control tokens that spells the text."""
    plain = [token for token in range(len(TOKENS)) if token not in {END_ID, START_ID}]
    return [
        tokens
        for length in range(most + 1)
        for tokens in itertools.product(plain, repeat=length)
        if b"".join(TOKENS[token] for token in tokens).decode("utf-8", "replace") == text
    ]
