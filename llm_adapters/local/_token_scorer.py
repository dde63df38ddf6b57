"""What the model would say next, wherever in an answer it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np

from llm_adapters.local._decoding import Decoding
from llm_adapters.local._loading import LoadedModel
from llm_adapters.local._sequences import batches, logits_after
from llm_adapters.local._strings import Pieces
from theory.shared.shapes import Float64

__all__ = ["LoadedTokenScorer", "TokenScorer"]

_AS_IT_IS: Final = Decoding()
_AT_ONCE: Final = 128


@runtime_checkable
class TokenScorer(Protocol):
    """All that writing an answer needs of a model. Tokens are those of prompt and answer so far."""

    @property
    def end(self) -> int:
        """The token that ends an answer."""
        ...

    @property
    def pieces(self) -> Pieces:
        """The texts of the tokens."""
        ...

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the tokens that the tokenizer makes of a text."""
        ...

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens."""
        ...

    def next_log_probs(self, tokens: Sequence[int]) -> Float64[np.ndarray, " vocabulary"]:
        """Return the law of the next token."""
        ...

    def log_probs(
        self, tokens: Sequence[int], continuations: Sequence[Sequence[int]]
    ) -> Float64[np.ndarray, " continuations"]:
        """Return the log-probability that what comes next begins with each continuation."""
        ...


class LoadedTokenScorer:
    """A loaded model after a prompt; whoever uses it holds the lock of its weights.

    What was computed of an answer is kept, as long as each answer so far begins with the last one.
    """

    def __init__(self, loaded: LoadedModel, prompt: Sequence[int]) -> None:
        self._loaded = loaded
        self._prompt = tuple(prompt)
        self._begin()

    @property
    def end(self) -> int:
        """The token that ends an answer."""
        return self._loaded.symbols.end

    @property
    def pieces(self) -> Pieces:
        """The texts of the tokens."""
        return self._loaded.text.pieces

    def encode(self, text: str) -> tuple[int, ...]:
        """Return the tokens that the tokenizer makes of a text."""
        return self._loaded.text.encode(text)

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens."""
        return self._loaded.text.decode(tokens)

    def next_log_probs(self, tokens: Sequence[int]) -> Float64[np.ndarray, " vocabulary"]:
        """Return the law of the next token."""
        self._reach(tuple(tokens))
        law: Float64[np.ndarray, " vocabulary"] = self._law(self._logits)[0]
        return law

    def log_probs(
        self, tokens: Sequence[int], continuations: Sequence[Sequence[int]]
    ) -> Float64[np.ndarray, " continuations"]:
        """Return the log-probability that what comes next begins with each continuation."""
        first = self.next_log_probs(tokens)
        totals = np.zeros(len(continuations))
        for rows in batches([len(one) for one in continuations], len(first)):
            some = [tuple(continuations[row]) for row in rows]
            after = logits_after(self._loaded.engine, self._cache, [one[:-1] for one in some])
            for row, one, logits in zip(rows, some, after, strict=True):
                if one:
                    totals[row] = first[one[0]]
                if one[1:]:
                    totals[row] += self._law(logits)[np.arange(len(one) - 1), one[1:]].sum()
        return totals

    def _begin(self) -> None:
        cache, self._logits = self._loaded.engine.begin(self._prompt)
        self._cache: Any = self._loaded.engine.copies(cache, 1)
        self._tokens = self._prompt

    def _reach(self, tokens: tuple[int, ...]) -> None:
        """Compute what comes after these tokens."""
        if tokens[: len(self._tokens)] != self._tokens:
            self._begin()
        for begin in range(len(self._tokens), len(tokens), _AT_ONCE):
            more = np.array([tokens[begin : begin + _AT_ONCE]], dtype=np.int64)
            self._logits = self._loaded.engine.advance(self._cache, more)[:, -1]
        self._tokens = tokens

    def _law(self, logits: Any) -> Any:
        return self._loaded.symbols.law(logits, _AS_IT_IS)
