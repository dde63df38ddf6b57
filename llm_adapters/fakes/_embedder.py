"""Vectors that count words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

import numpy as np

from llm_adapters._conversation import read_texts
from theory.shared.arguments import read_count
from theory.shared.shapes import Float64

__all__ = ["HashEmbedder"]

_WORD: Final = re.compile(r"\w+")
_LARGEST: Final = 10**6


class HashEmbedder:
    """Counts the words of a text, each at the place that its hash names; scaled to length 1.

    Texts that share words have vectors with a large inner product; those that share none are
    orthogonal, unless two words fall on one place. Case and order do not matter. A text without
    words counts as one word.

    Parameters
    ----------
    dimension : int
        From 1 to 10^6.

    Raises
    ------
    InvalidInputError
        Where it is no such number.

    Examples
    --------
    >>> a, b, c = HashEmbedder(1024).embed(["Drink tea.", "tea, drink!", "Sleep well."])
    >>> float((a @ b).round(6)), float((a @ c).round(6))
    (1.0, 0.0)
    """

    def __init__(self, dimension: int = 64) -> None:
        self.dimension = read_count("dimension", dimension, 1, _LARGEST)

    def embed(self, texts: Sequence[str]) -> Float64[np.ndarray, "texts dimension"]:
        """Return a vector of length 1 for each text.

        Raises
        ------
        InvalidInputError
            Where they are no sequence of texts.
        """
        given = read_texts("texts", texts)
        found = np.zeros((len(given), self.dimension))
        for row, text in zip(found, given, strict=True):
            for word in _WORD.findall(text.casefold()) or [text]:
                digest = sha256(word.encode("utf-8", "surrogatepass")).digest()
                row[int.from_bytes(digest[:8], "big") % self.dimension] += 1
        found /= np.linalg.norm(found, axis=1, keepdims=True)
        return found

    def __repr__(self) -> str:
        return f"HashEmbedder({self.dimension})"
