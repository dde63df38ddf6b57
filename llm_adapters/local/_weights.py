"""A model on this machine, loaded when it is first needed."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from threading import Lock, RLock
from typing import Any

from llm_adapters.local._loading import LoadedModel, Source, load
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count

__all__ = ["Weights", "read_weights"]


# --- Which tokens a text stands for, where the tokenizer would not make them of it


class TokenBudget:
    """The tokens of each text that was drawn.

    A model can spell one text by several sequences of tokens, and what it draws are tokens. So the
    first that are drawn are those that the text stands for from then on. Safe for threads.

    Examples
    --------
    >>> memory = TokenBudget()
    >>> memory.take("tea", (5, 7)), memory.take("tea", (12,)), memory.take("tea", (5, 7))
    (True, False, True)
    >>> memory.tokens("tea"), memory.tokens("coffee")
    ((5, 7), None)
    """

    def __init__(self) -> None:
        self._drawn: dict[str, array[int]] = {}
        self._lock = Lock()

    def take(self, text: str, tokens: Sequence[int]) -> bool:
        """Let the text stand for the tokens; return whether it does, which the first ones do."""
        with self._lock:
            known = self._drawn.setdefault(text, array("q", tokens))
        return tuple(known) == tuple(tokens)

    def tokens(self, text: str) -> tuple[int, ...] | None:
        """Return what the text stands for; None where it was not drawn."""
        known = self._drawn.get(text)
        return None if known is None else tuple(known)

    def __len__(self) -> int:
        return len(self._drawn)


# --- A model on this machine, loaded when it is first needed


class Weights:
    """A model of ``transformers`` in this process, shared by all that speak with its weights.

    Nothing is read before it is needed: with a record to replay, nothing is read at all. Nothing is
    downloaded unless ``download`` says so. It computes in float32, one thing at a time. Code that
    comes with a model is not run, and of other files than GGUF only safetensors are read.

    Parameters
    ----------
    source : str or Path
        A folder, a GGUF file, or the name of a model that is in the cache of the hub.
    gguf_file : str, optional
        A GGUF file of that folder or of that model.
    name : str, optional
        What requests and records call it; the last part of ``source`` if left out. Give different
        names to different weights: records are found by it.
    threads : int, optional
        How many processors PyTorch uses, in all of this process; its own choice if left out.
    unpacked : str or Path, optional
        A folder for what a GGUF file unpacks to, four bytes a parameter. It is made on the first
        use, and from it the model loads in seconds rather than in half a minute, once the hashes of
        its files were found to be right; where it cannot be written, it is unpacked each time. One
        that holds anything else beside is refused.
    download : bool, optional
        Whether what is not in the cache of the hub may be downloaded.
    device : str, optional
        Where PyTorch computes, such as "cpu" or "cuda".
    sha256 : str, optional
        The hash of the GGUF file, in hexadecimal digits: another file is not loaded.

    Raises
    ------
    InvalidInputError
        For arguments of the wrong kind. Whether the model is there, its first use says, with
        :class:`~llm_adapters.errors.CallError`, or
        :class:`~llm_adapters.errors.MissingPackageError` where PyTorch is missing.

    Examples
    --------
    >>> Weights("models/tiny.gguf")
    Weights('tiny')
    """

    def __init__(
        self,
        source: str | PathLike[str],
        *,
        gguf_file: str | None = None,
        name: str | None = None,
        threads: int | None = None,
        unpacked: str | PathLike[str] | None = None,
        download: bool = False,
        device: str = "cpu",
        sha256: str | None = None,
    ) -> None:
        given = _path("source", source)
        file = None if gguf_file is None else _text("gguf_file", gguf_file)
        digest = None if sha256 is None else _text("sha256", sha256)
        self._source = Source.of(given, file, digest)
        last = file or Path(given).name
        self.name = _text("name", last.removesuffix(".gguf") if name is None else name)
        self._threads = None if threads is None else read_count("threads", threads, 1, 4096)
        self._unpacked = None if unpacked is None else Path(_path("unpacked", unpacked))
        if type(download) is not bool:
            raise InvalidInputError("download", download, "is no bool", "give True or False")
        self._download = download
        self._device = _text("device", device)
        self.memory = TokenBudget()
        self.lock = RLock()

    @property
    def loaded(self) -> LoadedModel:
        """The model, loaded now if it was not; whoever computes with it holds ``lock``."""
        with self.lock:
            return self._loaded

    @cached_property
    def _loaded(self) -> LoadedModel:
        return load(
            self._source,
            unpacked=self._unpacked,
            download=self._download,
            device=self._device,
            threads=self._threads,
        )

    def __copy__(self) -> Weights:
        return self

    def __deepcopy__(self, memo: Any) -> Weights:
        return self

    def __repr__(self) -> str:
        return f"Weights({self.name!r})"


def read_weights(weights: Any) -> Weights:
    """Return weights.

    Raises
    ------
    InvalidInputError
        For what is none.
    """
    if not isinstance(weights, Weights):
        fix = "give Weights(FILE), or mechproof.local_model.weights()"
        raise InvalidInputError("weights", weights, "are no Weights", fix)
    return weights


def _path(argument: str, value: Any) -> str:
    return _text(argument, fspath(value) if isinstance(value, PathLike) else value)


def _text(argument: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise InvalidInputError(argument, value, "is no name", "give a text that is not empty")
    return value
