"""Logits from a model of ``transformers``."""

from __future__ import annotations

import copy
import inspect
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from theory.shapes import Float, Float64, Int64

__all__ = ["TorchEngine"]

_PROMPTS_KEPT: Final = 4
_TOKENS_AT_ONCE: Final = 4096


class TorchEngine:
    """Computes in float32; keeps the caches of the last few prompts.

    Not safe for threads: whoever uses it holds the lock of its weights.
    """

    def __init__(self, torch: Any, model: Any) -> None:
        self._torch = torch
        self._model = model
        self._begun: OrderedDict[tuple[int, ...], tuple[Any, Any]] = OrderedDict()
        parameters = inspect.signature(model.forward).parameters
        self._last = {"logits_to_keep": 1} if "logits_to_keep" in parameters else {}

    @property
    def context(self) -> int | None:
        """The most tokens that the model is made for; None where it does not say."""
        config = self._model.config.get_text_config(decoder=True)
        return getattr(config, "max_position_embeddings", None)

    def begin(self, tokens: Sequence[int]) -> tuple[Any, Float[np.ndarray, "1 tokens"]]:
        """Return the cache of a prompt and the logits of its next token."""
        key = tuple(tokens)
        known = self._begun.pop(key, None)
        if known is None:
            while len(self._begun) >= _PROMPTS_KEPT:
                self._begun.popitem(last=False)
            with self._torch.inference_mode():
                out = self._model(self._rows([key]), use_cache=True, **self._last)
            known = (out.past_key_values, self._array(out.logits[:, -1]))
        self._begun[key] = known
        return known

    def copies(self, cache: Any, rows: int) -> Any:
        """Return a cache of so many rows like the only one of ``cache``."""
        found = copy.deepcopy(cache)
        with self._torch.inference_mode():
            found.batch_repeat_interleave(rows)
        return found

    def advance(
        self, cache: Any, tokens: Int64[np.ndarray, "rows length"]
    ) -> Float[np.ndarray, "rows length vocabulary"]:
        """Add tokens to each row, changing the cache; return the logits after each of them."""
        with self._torch.inference_mode():
            out = self._model(self._rows(tokens), past_key_values=cache, use_cache=True)
        logits: Float[np.ndarray, "rows length vocabulary"] = self._array(out.logits)
        return logits

    def keep(self, cache: Any, rows: Int64[np.ndarray, " kept"]) -> None:
        """Keep these rows of the cache alone."""
        with self._torch.inference_mode():
            cache.batch_select_indices(self._rows(rows))

    def means(self, texts: Sequence[Sequence[int]]) -> Float64[np.ndarray, "texts dimension"]:
        """Return the mean of the last hidden states over the tokens of each text."""
        found: dict[int, Float64[np.ndarray, " dimension"]] = {}
        order = sorted(range(len(texts)), key=lambda text: len(texts[text]))
        while order:
            longest = len(texts[order[-1]])
            count = max(1, min(len(order), _TOKENS_AT_ONCE // longest))
            batch, order = order[-count:], order[:-count]
            tokens = np.zeros((count, longest), dtype=np.int64)
            mask = np.zeros((count, longest), dtype=np.int64)
            for row, text in enumerate(batch):
                tokens[row, : len(texts[text])] = texts[text]
                mask[row, : len(texts[text])] = 1
            with self._torch.inference_mode():
                out = self._model.base_model(self._rows(tokens), attention_mask=self._rows(mask))
            states = self._array(out.last_hidden_state)
            for row, text in enumerate(batch):
                found[text] = states[row, : len(texts[text])].mean(axis=0, dtype=np.float64)
        width = self._model.config.get_text_config(decoder=True).hidden_size
        return np.array([found[text] for text in range(len(texts))]).reshape(len(texts), width)

    def _rows(self, numbers: Any) -> Any:
        return self._torch.as_tensor(np.asarray(numbers)).to(self._model.device)

    def _array(self, tensor: Any) -> Any:
        return tensor.float().cpu().numpy()
